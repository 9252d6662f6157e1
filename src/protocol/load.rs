//! Reads a protocol and the templates that it names.

use super::model::Protocol;
use super::templates::{self, Template};
use super::{checks, model};
use crate::exit::Failure;
use evidence::digest::Digest;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use yaml::{Dialect, Document, Limits};

/// A protocol that passed every check, with the bytes that it was read from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The file.
    pub path: PathBuf,
    /// Its bytes, unchanged.
    pub bytes: Vec<u8>,
    /// The study.
    pub protocol: Protocol,
    /// Templates by component: `artifacts`, `provider` and each variant's slug.
    pub templates: BTreeMap<String, Template>,
}

impl Loaded {
    /// SHA-256 of the protocol file.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }
}

/// Reads and checks a protocol.
///
/// # Errors
/// [`Failure::Invalid`] with every located finding; [`Failure::Usage`] if the file cannot be read.
pub fn load(path: &Path) -> Result<Loaded, Failure> {
    let bytes = read_bounded(path)?;
    let text = String::from_utf8(bytes.clone()).map_err(|e| {
        let place = e.utf8_error().valid_up_to();
        Failure::Usage(format!("{}: not UTF-8 at byte {place}; save it as UTF-8", path.display()))
    })?;
    let document = Document::parse(&path.display().to_string(), &text, Dialect::Plain, Limits::default())?;
    let findings = checks::scalars(&document);
    if !findings.is_empty() {
        return Err(Failure::Invalid(findings));
    }
    let protocol: Protocol = document.deserialize()?;
    if protocol.schema != model::SCHEMA {
        let message = format!("unknown schema `{}`, this assay reads `{}`", protocol.schema, model::SCHEMA);
        return Err(document.at("/schema", message).into());
    }
    let mut findings = checks::protocol(&document, &protocol);
    let folder = path.parent().unwrap_or(Path::new("."));
    let templates = templates::read_all(&document, &protocol, folder, &mut findings);
    if !findings.is_empty() {
        return Err(Failure::Invalid(findings));
    }
    Ok(Loaded { path: path.to_owned(), bytes, protocol, templates })
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, Failure> {
    let limit = Limits::default().max_bytes;
    let size = std::fs::metadata(path)
        .map_err(|e| Failure::Usage(format!("cannot read protocol {}: {e}", path.display())))?
        .len();
    if size > limit as u64 {
        return Err(Failure::Usage(format!("{}: {size} bytes, a protocol may have at most {limit}", path.display())));
    }
    let mut bytes = Vec::new();
    // A device or a pipe has no size before it is read.
    let read = File::open(path).and_then(|file| file.take(limit as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|e| Failure::Usage(format!("cannot read protocol {}: {e}", path.display())))?;
    if bytes.len() > limit {
        return Err(Failure::Usage(format!("{}: more than {limit} bytes, the most of a protocol", path.display())));
    }
    Ok(bytes)
}
