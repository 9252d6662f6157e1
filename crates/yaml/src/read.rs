//! From text to tree: bounds, duplicate keys, aliases and tags.

use crate::diagnostic::{Diagnostic, Source};
use crate::node::{Key, Node, Place, Weight};
use crate::{Dialect, Limits, cloudformation, scalar};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// How much text aliases may expand to, as a multiple of the bound on the document.
const EXPANSION: usize = 4;

/// Reads the one document of a text.
pub(crate) fn read(source: &Source, dialect: Dialect, limits: Limits) -> Result<Node, Diagnostic> {
    let text = source.text.clone();
    let mut reader = Reader {
        source,
        events: Parser::new_from_str(&text),
        dialect,
        limits,
        used: Weight::default(),
        anchors: HashMap::new(),
    };
    reader.document()
}

struct Reader<'a> {
    source: &'a Source,
    events: Parser<'a, StrInput<'a>>,
    dialect: Dialect,
    limits: Limits,
    used: Weight,
    anchors: HashMap<usize, Node>,
}

type Next<'a> = (Event<'a>, Place);

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Node, Diagnostic> {
        let (_stream_start, _) = self.next()?;
        let (first, place) = self.next()?;
        if !matches!(first, Event::DocumentStart(_)) {
            return Err(self.source.diagnostic(place, "the document is empty"));
        }
        let next = self.next()?;
        if let (Event::Scalar(text, ScalarStyle::Plain, _, None), place) = &next
            && text.is_empty()
        {
            return Err(self.source.diagnostic(*place, "the document is empty"));
        }
        let root = self.node(next, 0)?;
        let (_document_end, _) = self.next()?;
        match self.next()? {
            (Event::StreamEnd, _) => Ok(root),
            (_, place) => Err(self.source.diagnostic(place, "a second document starts here; only one is read")),
        }
    }

    fn next(&mut self) -> Result<Next<'a>, Diagnostic> {
        match self.events.next_event() {
            Some(Ok((event, span))) => Ok((event, place(span))),
            Some(Err(error)) => {
                let at = error.marker().index();
                Err(self.source.diagnostic(Place { start: at, end: at + 1 }, format!("not YAML: {}", error.info())))
            }
            None => Err(self.source.diagnostic(Place::default(), "not YAML: the text ends too early")),
        }
    }

    fn node(&mut self, (event, place): Next<'a>, depth: usize) -> Result<Node, Diagnostic> {
        let (node, anchor, tag) = match event {
            Event::Alias(anchor) => return self.alias(anchor, place, depth),
            Event::Scalar(text, style, anchor, tag) => {
                self.spend(place, Weight { nodes: 1, bytes: text.len(), height: 0 })?;
                (self.scalar(place, text, style, tag.as_deref())?, anchor, tag)
            }
            Event::SequenceStart(anchor, tag) => {
                self.enter(place, depth)?;
                (self.sequence(place, depth + 1)?, anchor, tag)
            }
            Event::MappingStart(anchor, tag) => {
                self.enter(place, depth)?;
                (self.mapping(place, depth + 1)?, anchor, tag)
            }
            _ => return Err(self.source.diagnostic(place, "not YAML: a value is missing here")),
        };
        let node = self.tagged(node, place, tag.as_deref())?;
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn sequence(&mut self, start: Place, depth: usize) -> Result<Node, Diagnostic> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Node::sequence(start, items)),
                next => items.push(self.node(next, depth)?),
            }
        }
    }

    fn mapping(&mut self, start: Place, depth: usize) -> Result<Node, Diagnostic> {
        let mut entries = Vec::new();
        let mut seen = HashMap::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Node::mapping(start, entries)),
                next => self.key(next)?,
            };
            if let Some(first) = seen.insert(key.text.clone(), key.place) {
                let (line, _) = self.source.line_and_column(first);
                return Err(self
                    .source
                    .diagnostic(key.place, format!("duplicate key `{}`, first on line {line}", key.text)));
            }
            let next = self.next()?;
            let value = self.node(next, depth)?;
            entries.push((key, value));
        }
    }

    fn key(&mut self, (event, place): Next<'a>) -> Result<Key, Diagnostic> {
        let Event::Scalar(text, style, 0, None) = event else {
            return Err(self.source.diagnostic(place, "a key has to be plain text, without tag, anchor or alias"));
        };
        if text == "<<" && style == ScalarStyle::Plain {
            return Err(self.source.diagnostic(place, "merge keys (`<<`) are not supported"));
        }
        self.spend(place, Weight { nodes: 0, bytes: text.len(), height: 0 })?;
        Ok(Key { text: text.into_owned(), place })
    }

    fn scalar(
        &self,
        place: Place,
        text: Cow<'_, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
    ) -> Result<Node, Diagnostic> {
        let plain = style == ScalarStyle::Plain;
        let value = match tag {
            None if plain => scalar::resolve(&text, self.dialect),
            Some(tag) if tag.is_yaml_core_schema() => self.cast(place, &text, tag)?,
            _ => Value::String(text.clone().into_owned()),
        };
        Ok(Node::scalar(place, text.into_owned(), plain, value))
    }

    /// `!!str 12`, `!!int "12"` and so on.
    fn cast(&self, place: Place, text: &str, tag: &Tag) -> Result<Value, Diagnostic> {
        let value = match tag.suffix.as_str() {
            "str" => return Ok(Value::String(text.to_owned())),
            _ => scalar::resolve(text, Dialect::Plain),
        };
        let fits = match tag.suffix.as_str() {
            "int" => value.is_i64() || value.is_u64(),
            "float" => value.is_number(),
            "bool" => value.is_boolean(),
            "null" => value.is_null(),
            _ => false,
        };
        if fits { Ok(value) } else { Err(self.source.diagnostic(place, format!("`{text}` is no `!!{}`", tag.suffix))) }
    }

    fn tagged(&self, node: Node, place: Place, tag: Option<&Tag>) -> Result<Node, Diagnostic> {
        match tag {
            Some(tag) if tag.is_yaml_core_schema() || tag.suffix.is_empty() => Ok(node),
            Some(tag) if self.dialect == Dialect::CloudFormation && tag.handle == "!" => {
                cloudformation::long_form(self.source, &tag.suffix, place, node)
            }
            Some(tag) => Err(self.source.diagnostic(place, format!("the tag `{tag}` has no meaning here"))),
            None => Ok(node),
        }
    }

    fn alias(&mut self, anchor: usize, place: Place, depth: usize) -> Result<Node, Diagnostic> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(self.source.diagnostic(place, "this alias stands inside of what it refers to"));
        };
        let node_weight = node.weight;
        if depth + node_weight.height > self.limits.max_depth {
            return Err(self.too_deep(place));
        }
        self.spend(place, node_weight)?;
        self.anchors.get(&anchor).cloned().ok_or_else(|| self.source.diagnostic(place, "this alias refers to nothing"))
    }

    fn enter(&mut self, place: Place, depth: usize) -> Result<(), Diagnostic> {
        self.spend(place, Weight { nodes: 1, bytes: 0, height: 0 })?;
        if depth >= self.limits.max_depth { Err(self.too_deep(place)) } else { Ok(()) }
    }

    fn too_deep(&self, place: Place) -> Diagnostic {
        self.source.diagnostic(place, format!("nested deeper than {} levels", self.limits.max_depth))
    }

    fn spend(&mut self, place: Place, weight: Weight) -> Result<(), Diagnostic> {
        self.used.nodes = self.used.nodes.saturating_add(weight.nodes);
        self.used.bytes = self.used.bytes.saturating_add(weight.bytes);
        if self.used.nodes > self.limits.max_nodes {
            return Err(self.source.diagnostic(place, format!("more than {} values", self.limits.max_nodes)));
        }
        if self.used.bytes > self.limits.max_bytes.saturating_mul(EXPANSION) {
            return Err(self.source.diagnostic(place, "aliases expand to too much text"));
        }
        Ok(())
    }
}

fn place(span: Span) -> Place {
    Place { start: span.start.index(), end: span.end.index().max(span.start.index()) }
}
