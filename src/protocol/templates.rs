//! The CloudFormation templates that a protocol names: read as bytes, checked as YAML, sent unchanged.

use super::model::Protocol;
use crate::plan::names;
use evidence::digest::Digest;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use yaml::{Diagnostic, Dialect, Document, Limits};

/// A template file.
#[derive(Clone, Debug)]
pub struct Template {
    /// The file.
    pub path: PathBuf,
    /// As the protocol names it.
    pub named: String,
    /// Its bytes, exactly as they are sent to CloudFormation.
    pub bytes: Vec<u8>,
    /// The parsed document.
    pub document: Document,
}

impl Template {
    /// SHA-256 of the bytes sent.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }
}

/// Reads every template; what is wrong is located at the protocol's line that names it.
pub(super) fn read_all(
    document: &Document,
    protocol: &Protocol,
    folder: &Path,
    findings: &mut Vec<Diagnostic>,
) -> BTreeMap<String, Template> {
    let mut named = vec![
        ("artifacts".to_owned(), "/templates/artifacts".to_owned(), &protocol.templates.artifacts),
        ("provider".to_owned(), "/templates/provider".to_owned(), &protocol.templates.provider),
    ];
    for (i, variant) in protocol.variants.iter().enumerate() {
        if let Some(slug) = names::slug(&variant.name) {
            named.push((slug, format!("/variants/{i}/template"), &variant.template));
        }
    }
    let mut templates = BTreeMap::new();
    for (component, pointer, path) in named {
        match read(folder, path) {
            Ok(template) => {
                templates.insert(component, template);
            }
            Err(Problem::File(message)) => findings.push(document.at(&pointer, message)),
            Err(Problem::Inside(diagnostic)) => findings.push(*diagnostic),
        }
    }
    templates
}

enum Problem {
    File(String),
    Inside(Box<Diagnostic>),
}

/// CloudFormation takes templates of at most 1 MiB (CloudFormation API reference, CreateStack).
const MAX_TEMPLATE_BYTES: usize = 1 << 20;

fn read(folder: &Path, named: &str) -> Result<Template, Problem> {
    let path = folder.join(named);
    let bytes = std::fs::read(&path).map_err(|e| Problem::File(format!("cannot read template {named}: {e}")))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| Problem::File(format!("template {named} is not UTF-8 text")))?;
    let limits = Limits { max_bytes: MAX_TEMPLATE_BYTES, ..Limits::default() };
    let document = Document::parse(&path.display().to_string(), text, Dialect::CloudFormation, limits)
        .map_err(|d| Problem::Inside(Box::new(d)))?;
    if document.value().get("Resources").is_none_or(|r| r.as_object().is_none_or(serde_json::Map::is_empty)) {
        return Err(Problem::Inside(Box::new(document.at("", "a template needs `Resources`"))));
    }
    Ok(Template { path, named: named.to_owned(), bytes, document })
}
