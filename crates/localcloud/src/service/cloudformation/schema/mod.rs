//! Which properties each resource type has: what AWS's resource provider schemas say, as far as the local cloud
//! acts on it. A property that AWS knows and the local cloud does not is refused as not emulated; a property that
//! AWS does not know is refused as AWS does. None is dropped.

mod check;
mod iam;
mod lambda;
mod storage;

pub(crate) use check::{Refusal, conform};

use crate::service::cloudformation::resource::Kind;
use serde_json::{Map, Value};

/// The form of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Text,
    Integer,
    Boolean,
    /// Anything, for example a policy document.
    Json,
    List(&'static Shape),
    /// An object with free keys.
    Map(&'static Shape),
    Object(&'static [Field]),
}

/// One property.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    name: &'static str,
    shape: Shape,
    required: bool,
    create_only: bool,
}

impl Field {
    const fn new(name: &'static str, shape: Shape) -> Self {
        Self { name, shape, required: false, create_only: false }
    }

    const fn text(name: &'static str) -> Self {
        Self::new(name, Shape::Text)
    }

    const fn integer(name: &'static str) -> Self {
        Self::new(name, Shape::Integer)
    }

    const fn boolean(name: &'static str) -> Self {
        Self::new(name, Shape::Boolean)
    }

    const fn json(name: &'static str) -> Self {
        Self::new(name, Shape::Json)
    }

    const fn object(name: &'static str, fields: &'static [Field]) -> Self {
        Self::new(name, Shape::Object(fields))
    }

    const fn list(name: &'static str, item: &'static Shape) -> Self {
        Self::new(name, Shape::List(item))
    }

    const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// A change of this property replaces the resource.
    const fn create_only(mut self) -> Self {
        self.create_only = true;
        self
    }
}

/// One resource type.
#[derive(Debug)]
pub(super) struct Schema {
    fields: &'static [Field],
    /// Properties that AWS knows and the local cloud does not emulate.
    unemulated: &'static [&'static str],
}

const TAG: Shape = Shape::Object(&[Field::text("Key").required(), Field::text("Value").required()]);
const TAGS: Field = Field::list("Tags", &TAG);
const TEXTS: Shape = Shape::List(&Shape::Text);

fn of(kind: Kind) -> &'static Schema {
    match kind {
        Kind::Bucket => &storage::BUCKET,
        Kind::Table => &storage::TABLE,
        Kind::Queue => &storage::QUEUE,
        Kind::QueuePolicy => &storage::QUEUE_POLICY,
        Kind::LogGroup => &storage::LOG_GROUP,
        Kind::Function => &lambda::FUNCTION,
        Kind::Version => &lambda::VERSION,
        Kind::Alias => &lambda::ALIAS,
        Kind::EventSourceMapping => &lambda::EVENT_SOURCE_MAPPING,
        Kind::Permission => &lambda::PERMISSION,
        Kind::Role => &iam::ROLE,
        Kind::Policy => &iam::POLICY,
        Kind::ManagedPolicy => &iam::MANAGED_POLICY,
    }
}

/// Whether changing the properties from `old` to `new` needs a new physical resource.
pub(crate) fn replaces(kind: Kind, old: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    let changed = |name: &str| old.get(name) != new.get(name);
    let durable = kind == Kind::Function && old.contains_key("DurableConfig") != new.contains_key("DurableConfig");
    durable || of(kind).fields.iter().any(|field| field.create_only && changed(field.name))
}

#[cfg(test)]
mod tests;
