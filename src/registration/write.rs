//! Writes and seals a registration.

use super::git;
use super::model::{OracleDigests, REGISTRATION, Registration};
use super::timestamp::{self, Authority};
use crate::exit::Failure;
use crate::plan::Plan;
use crate::protocol::Loaded;
use crate::run::now_ms;
use evidence::digest::Digest;
use evidence::package::{Draft, PackageError, Sealed};
use std::path::Path;

/// What a registration is made of.
#[derive(Debug)]
pub struct Draftable<'a> {
    /// The checked protocol.
    pub loaded: &'a Loaded,
    /// The resolved plan, artifact included.
    pub plan: &'a Plan,
    /// The oracle's program.
    pub oracle: &'a Path,
}

/// A sealed registration.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Identity of the package.
    pub identity: Digest,
    /// What was registered.
    pub registration: Registration,
    /// A third party's time on it, milliseconds.
    pub third_party_ms: Option<i64>,
}

/// Seals a registration in `folder`, which must not hold one, and has it stamped.
///
/// # Errors
/// [`Failure::Usage`] if there is one already; [`Failure::Refused`] or [`Failure::Unverified`] if the authority's
/// token cannot be had or does not verify: the registration is then sealed without.
pub fn write(parts: &Draftable<'_>, folder: &Path, authority: Option<&Authority>) -> Result<Written, Failure> {
    if folder.join(REGISTRATION).exists() {
        return Err(Failure::Usage(format!(
            "{} holds a registration already, which is never replaced; name another folder with --out",
            folder.display()
        )));
    }
    std::fs::create_dir_all(folder).map_err(|e| Failure::io("create folder", folder, &e))?;
    let mut registration = Registration::of(parts.plan, OracleDigests::of(parts.oracle)?, now_ms())?;
    registration.git = git::state(parts.loaded.path.parent().unwrap_or(Path::new(".")));
    let sealed = seal(parts, &registration, folder)
        .map_err(|e| Failure::Internal(format!("cannot seal the registration: {e}")))?;
    let identity = *sealed.identity();
    let third_party_ms = authority.map(|authority| timestamp::stamp(authority, &identity, folder)).transpose()?;
    Ok(Written { identity, registration, third_party_ms })
}

fn seal(parts: &Draftable<'_>, registration: &Registration, folder: &Path) -> Result<Sealed, PackageError> {
    Draft::discard_leftover(folder, REGISTRATION)?;
    let mut draft = Draft::create(folder, REGISTRATION, REGISTRATION, &[])?;
    draft.write("protocol.yaml", &parts.loaded.bytes)?;
    for (component, template) in &parts.loaded.templates {
        draft.write(&format!("templates/{component}.yaml"), &template.bytes)?;
    }
    draft.write_json("plan.json", parts.plan)?;
    draft.write_json("registration.json", registration)?;
    draft.seal()
}
