//! The crate as its callers see it.

#![allow(clippy::unwrap_used)]

mod bounds;
mod cloudformation;
mod errors;
mod random;

use yaml::{Diagnostic, Dialect, Document, Limits};

fn plain(text: &str) -> Result<Document, Diagnostic> {
    Document::parse("x.yaml", text, Dialect::Plain, Limits::default())
}

fn template(text: &str) -> Result<Document, Diagnostic> {
    Document::parse("t.yaml", text, Dialect::CloudFormation, Limits::default())
}
