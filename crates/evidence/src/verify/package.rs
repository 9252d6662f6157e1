//! A package on its own.

use super::{PackageSummary, Subject, SubjectKind};
use crate::{chain, package::check_folder, tree::Folder};

/// Checks the package; its root is that of the chain up to and with this package, as the package tells it.
pub(super) fn verify_folder(folder: &Folder) -> Subject {
    let checked = check_folder(folder);
    let mut subject = Subject::new(SubjectKind::Package);
    subject.bytes = checked.bytes;
    subject.problems = checked.problems;
    if let Some((identity, index)) = checked.index {
        let mut identities = index.predecessors.clone();
        identities.push(identity);
        subject.root = Some(chain::root(&identities));
        subject.packages.push(PackageSummary::new(identity, &index));
    }
    subject
}
