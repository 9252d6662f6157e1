//! The tree that a document is read into: values with their places.

use serde_json::Value;

/// A span of characters, counted from 0; the end is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
    pub(crate) weight: Weight,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Scalar { text: String, plain: bool, value: Value },
    Sequence(Vec<Node>),
    Mapping(Vec<(Key, Node)>),
}

#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) place: Place,
}

/// What a copy of a node costs; aliases make copies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weight {
    pub(crate) nodes: usize,
    pub(crate) bytes: usize,
    pub(crate) height: usize,
}

impl Node {
    pub(crate) fn scalar(place: Place, text: String, plain: bool, value: Value) -> Self {
        let weight = Weight { nodes: 1, bytes: text.len(), height: 0 };
        Self { place, kind: Kind::Scalar { text, plain, value }, weight }
    }

    pub(crate) fn sequence(place: Place, items: Vec<Self>) -> Self {
        let weight = Weight::of(items.iter(), 0);
        Self { place, kind: Kind::Sequence(items), weight }
    }

    pub(crate) fn mapping(place: Place, entries: Vec<(Key, Self)>) -> Self {
        let keys = entries.iter().map(|(key, _)| key.text.len()).sum();
        let weight = Weight::of(entries.iter().map(|(_, value)| value), keys);
        Self { place, kind: Kind::Mapping(entries), weight }
    }

    pub(crate) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar { value, .. } => value.clone(),
            Kind::Sequence(items) => items.iter().map(Self::to_json).collect(),
            Kind::Mapping(entries) => {
                Value::Object(entries.iter().map(|(key, value)| (key.text.clone(), value.to_json())).collect())
            }
        }
    }

    /// The same in the form that `serde_yaml` deserialises from, in the order of the document.
    pub(crate) fn to_yaml(&self) -> serde_yaml::Value {
        match &self.kind {
            Kind::Scalar { value, .. } => scalar_to_yaml(value),
            Kind::Sequence(items) => serde_yaml::Value::Sequence(items.iter().map(Self::to_yaml).collect()),
            Kind::Mapping(entries) => serde_yaml::Value::Mapping(
                entries.iter().map(|(key, value)| (key.text.clone().into(), value.to_yaml())).collect(),
            ),
        }
    }

    /// The child behind one step of a path, with the key that leads to it.
    pub(crate) fn child(&self, step: &str) -> Option<(Option<&Key>, &Self)> {
        match &self.kind {
            Kind::Scalar { .. } => None,
            Kind::Sequence(items) => items.get(step.parse::<usize>().ok()?).map(|item| (None, item)),
            Kind::Mapping(entries) => {
                entries.iter().find(|(key, _)| key.text == step).map(|(key, value)| (Some(key), value))
            }
        }
    }
}

fn scalar_to_yaml(value: &Value) -> serde_yaml::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::String(text) => text.clone().into(),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(number), ..) => number.into(),
            (_, Some(number), _) => number.into(),
            (.., number) => number.unwrap_or_default().into(),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => serde_yaml::Value::Null,
    }
}

impl Weight {
    fn of<'a>(children: impl Iterator<Item = &'a Node>, own_bytes: usize) -> Self {
        children.fold(Self { nodes: 1, bytes: own_bytes, height: 1 }, |sum, child| Self {
            nodes: sum.nodes.saturating_add(child.weight.nodes),
            bytes: sum.bytes.saturating_add(child.weight.bytes),
            height: sum.height.max(child.weight.height + 1),
        })
    }
}
