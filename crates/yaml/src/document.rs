//! A document as callers see it.

use crate::diagnostic::{Diagnostic, Source};
use crate::node::{Key, Kind, Node, Place};
use crate::{Dialect, Limits, read, typed};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// How many bytes the pointers of all scalars may sum to, as a multiple of the bound on the document.
const POINTERS: usize = 64;

/// One YAML document that was read within its bounds.
#[derive(Clone, Debug)]
pub struct Document {
    source: Source,
    root: Node,
    value: Value,
    scalars: Vec<(String, Scalar)>,
}

/// A scalar as it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its text, without quotes, before any reading as number or boolean: `012345670123` keeps its zero.
    pub text: String,
    /// Whether it stands unquoted.
    pub plain: bool,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

impl Document {
    /// Reads the one document in `text`; `name` is what errors call it.
    ///
    /// # Errors
    /// Located: what is not YAML, a key that is there twice (at the second), a second document, an empty one, a
    /// tag or short form without meaning, a bound that is passed.
    pub fn parse(name: &str, text: &str, dialect: Dialect, limits: Limits) -> Result<Self, Diagnostic> {
        if text.len() > limits.max_bytes {
            let message = format!("{} bytes are more than the {} allowed", text.len(), limits.max_bytes);
            return Err(Source { name: name.into(), text: "".into() }.diagnostic(Place::default(), message));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = Source { name: name.into(), text: text.into() };
        let root = read::read(&source, dialect, limits)?;
        let scalars = list_scalars(&source, &root, limits)?;
        Ok(Self { value: root.to_json(), source, root, scalars })
    }

    /// The document as JSON, short forms expanded. Keys are text, also where they look like numbers.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The document as a type.
    ///
    /// An enum with data is a mapping with the variant as its one key; unit variants are plain text.
    ///
    /// # Errors
    /// The first mismatch, located: an unknown field at its key (with the nearest known name), a wrong type at
    /// the value, a missing field at what should have it.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, Diagnostic> {
        typed::deserialize(self, self.root.to_yaml())
    }

    /// An error at the value behind a JSON pointer, or at the nearest parent that exists.
    #[must_use]
    pub fn at(&self, pointer: &str, message: impl Into<String>) -> Diagnostic {
        let (_, node) = self.walk(pointer);
        self.source.diagnostic(node.place, message)
    }

    /// An error at the key that leads to the value behind a JSON pointer; at the value where there is no key.
    #[must_use]
    pub fn at_key(&self, pointer: &str, message: impl Into<String>) -> Diagnostic {
        let (key, node) = self.walk(pointer);
        self.source.diagnostic(key.map_or(node.place, |key| key.place), message)
    }

    /// The scalar behind a JSON pointer.
    #[must_use]
    pub fn scalar(&self, pointer: &str) -> Option<&Scalar> {
        self.scalars.iter().find(|(at, _)| at == pointer).map(|(_, scalar)| scalar)
    }

    /// All scalars with their JSON pointers, in the order of the document.
    pub fn scalars(&self) -> impl Iterator<Item = (&str, &Scalar)> {
        self.scalars.iter().map(|(pointer, scalar)| (pointer.as_str(), scalar))
    }

    /// Follows a pointer as far as it goes.
    fn walk(&self, pointer: &str) -> (Option<&Key>, &Node) {
        let mut at = (None, &self.root);
        for step in pointer.split('/').skip(1) {
            match at.1.child(&unescape(step)) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }
}

fn list_scalars(source: &Source, root: &Node, limits: Limits) -> Result<Vec<(String, Scalar)>, Diagnostic> {
    let mut list = Lister {
        lines: Lines::of(&source.text),
        source,
        left: limits.max_bytes.saturating_mul(POINTERS),
        found: Vec::new(),
    };
    list.add(&mut String::new(), root)?;
    Ok(list.found)
}

struct Lister<'a> {
    source: &'a Source,
    lines: Lines,
    left: usize,
    found: Vec<(String, Scalar)>,
}

impl Lister<'_> {
    fn add(&mut self, pointer: &mut String, node: &Node) -> Result<(), Diagnostic> {
        match &node.kind {
            Kind::Scalar { text, plain, .. } => {
                self.left = self.left.checked_sub(pointer.len()).ok_or_else(|| {
                    self.source.diagnostic(node.place, "long keys and deep nesting make too much text")
                })?;
                let (line, column) = self.lines.locate(node.place.start);
                let scalar = Scalar { text: text.clone(), plain: *plain, line, column };
                self.found.push((pointer.clone(), scalar));
            }
            Kind::Sequence(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.step(pointer, &index.to_string(), item)?;
                }
            }
            Kind::Mapping(entries) => {
                for (key, value) in entries {
                    self.step(pointer, &escape(&key.text), value)?;
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, pointer: &mut String, step: &str, node: &Node) -> Result<(), Diagnostic> {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(step);
        self.add(pointer, node)?;
        pointer.truncate(length);
        Ok(())
    }
}

/// Where each line starts, in characters.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.chars().enumerate().filter(|(_, c)| *c == '\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(breaks).collect())
    }

    fn locate(&self, at: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).and_then(|index| self.0.get(index)).copied().unwrap_or(0);
        (line, at - start + 1)
    }
}

pub(crate) fn escape(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}
