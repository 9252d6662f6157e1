//! YAML with places: documents, CloudFormation's short forms, and errors that point at the line.
//!
//! The only crate that names a YAML library, so that the library can be exchanged: `saphyr-parser` reads the text
//! (it keeps positions and scalar styles), `serde_yaml` turns the result into types, `miette` draws the errors.
//! Input is bounded in bytes, depth, nodes and in what aliases may expand to.

mod cloudformation;
mod diagnostic;
mod document;
mod node;
mod read;
mod scalar;
mod typed;

pub use diagnostic::Diagnostic;
pub use document::{Document, Scalar};

/// How YAML's loose ends are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// YAML 1.2 core schema; local tags are refused.
    #[default]
    Plain,
    /// As CloudFormation reads templates: short forms (`!Ref`, `!Sub` …) become their long forms, unquoted
    /// `yes`, `no`, `on` and `off` are booleans, while `Y`, `N` and dates stay strings.
    CloudFormation,
}

/// Bounds on what is read. A document over a bound is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of the text, in bytes; aliases may expand to four times of it.
    pub max_bytes: usize,
    /// Nesting of mappings and sequences.
    pub max_depth: usize,
    /// Scalars, mappings and sequences after expansion of aliases.
    pub max_nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 1 << 20, max_depth: 64, max_nodes: 100_000 }
    }
}
