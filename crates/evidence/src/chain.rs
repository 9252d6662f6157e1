//! The chain of a run's packages and its root.

use crate::{
    digest::{Digest, Hasher},
    package::Index,
    problem::{Kind, Problem},
};

/// Root of a chain: SHA-256 over the identities in order of sealing, each as 64 hex digits and a newline.
///
/// Whoever keeps this one value notices any package that is changed, dropped, added, reordered or sealed again.
#[must_use]
pub fn root(identities: &[Digest]) -> Digest {
    let mut hasher = Hasher::new();
    for identity in identities {
        hasher.update(format!("{identity}\n").as_bytes());
    }
    hasher.finish()
}

/// A package's place: the folder it stands in, its identity and its index.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Folder name.
    pub folder: String,
    /// SHA-256 of the index.
    pub identity: Digest,
    /// The index.
    pub index: Index,
}

/// Puts packages in order of sealing and checks that each names exactly those before it. Returns the identities
/// in order if nothing is wrong.
pub(crate) fn check(links: &mut [Link]) -> Result<Vec<Digest>, Vec<Problem>> {
    links.sort_by(|a, b| {
        let place = |link: &Link| (link.index.predecessors.len(), link.folder.clone());
        place(a).cmp(&place(b))
    });
    let mut problems = Vec::new();
    let mut sealed: Vec<Digest> = Vec::new();
    let run = links.first().map(|link| link.index.run.clone()).unwrap_or_default();
    for link in &*links {
        let mut report = |kind, message| problems.push(Problem::new(kind, &link.folder, message));
        if link.index.name != link.folder {
            report(
                Kind::Misplaced,
                format!("is the package {:?}, standing in folder {:?}", link.index.name, link.folder),
            );
        }
        if link.index.run != run {
            report(Kind::Misplaced, format!("belongs to run {:?}, the first package to {run:?}", link.index.run));
        }
        if link.index.predecessors != sealed {
            report(Kind::ChainBroken, broken(&link.index.predecessors, &sealed));
        }
        sealed.push(link.identity);
    }
    if problems.is_empty() { Ok(sealed) } else { Err(problems) }
}

fn broken(named: &[Digest], sealed: &[Digest]) -> String {
    let absent = named.iter().filter(|identity| !sealed.contains(identity)).count();
    let unnamed = sealed.iter().filter(|identity| !named.contains(identity)).count();
    match (absent, unnamed) {
        (0, 0) => "names its predecessors in another order than they were sealed".to_owned(),
        _ => format!("predecessors do not fit: {absent} named and not there, {unnamed} there and not named"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::READABLE;

    fn link(name: &str, predecessors: &[Digest]) -> Link {
        let index = Index {
            schema: READABLE.current(),
            name: name.to_owned(),
            run: "r".to_owned(),
            predecessors: predecessors.to_vec(),
            files: Vec::new(),
        };
        Link { folder: name.to_owned(), identity: index.identity(), index }
    }

    fn chain() -> Vec<Link> {
        let a = link("deploy", &[]);
        let b = link("canonical", &[a.identity]);
        let c = link("closing", &[a.identity, b.identity]);
        vec![c, a, b]
    }

    #[test]
    fn order_comes_from_the_predecessors_and_the_root_from_the_order() {
        let mut links = chain();
        let sealed = check(&mut links).unwrap();
        assert_eq!(
            links.iter().map(|link| link.folder.as_str()).collect::<Vec<_>>(),
            ["deploy", "canonical", "closing"]
        );
        let lines = format!("{}\n{}\n{}\n", sealed[0], sealed[1], sealed[2]);
        assert_eq!(root(&sealed), Digest::of(lines.as_bytes()));
        assert_ne!(root(&sealed[..2]), root(&sealed));
    }

    #[test]
    fn dropped_replaced_and_foreign_packages_break_the_chain() {
        let mut dropped = chain();
        dropped.remove(1);
        assert_eq!(check(&mut dropped).unwrap_err()[0].kind, Kind::ChainBroken);
        let mut resealed = chain();
        resealed[1].identity = Digest::of(b"other");
        assert_eq!(check(&mut resealed).unwrap_err().len(), 2);
        let mut foreign = chain();
        foreign[0].index.run = "s".to_owned();
        foreign[2].folder = "probe".to_owned();
        let kinds: Vec<Kind> = check(&mut foreign).unwrap_err().into_iter().map(|problem| problem.kind).collect();
        assert_eq!(kinds, [Kind::Misplaced, Kind::Misplaced]);
    }
}
