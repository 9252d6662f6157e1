//! Key conditions: equality on the partition key, and perhaps one condition on the sort key.

use super::super::invalid;
use super::super::value::Attr;
use super::condition::{Comparator, Condition, Operand};
use super::path::Path;
use super::{Placeholders, Role};
use crate::error::ApiError;

/// A parsed `KeyConditionExpression`.
#[derive(Clone, Debug)]
pub(in super::super) struct KeyCondition {
    pub(in super::super) partition: Attr,
    pub(in super::super) range: Option<Range>,
}

/// The condition on the sort key.
#[derive(Clone, Debug)]
pub(in super::super) enum Range {
    Compare(Comparator, Attr),
    Between(Attr, Attr),
    BeginsWith(Attr),
}

impl KeyCondition {
    pub(in super::super) fn parse(
        text: &str,
        hash: &str,
        range: Option<&str>,
        placeholders: &mut Placeholders,
    ) -> Result<Self, ApiError> {
        let parts = match Condition::parse(Role::Key, text, placeholders)? {
            Condition::And(parts) => parts,
            one => vec![one],
        };
        let (mut partition, mut on_range) = (None, None);
        for part in parts {
            let (name, condition) = part_of(part)?;
            if name == hash && partition.is_none() {
                let Range::Compare(Comparator::Eq, value) = condition else { return Err(unsupported()) };
                partition = Some(value);
            } else if Some(name.as_str()) == range && on_range.is_none() {
                on_range = Some(condition);
            } else {
                let missing = if partition.is_none() { hash } else { range.unwrap_or(hash) };
                return Err(invalid(format!("Query condition missed key schema element: {missing}")));
            }
        }
        let missed = || invalid(format!("Query condition missed key schema element: {hash}"));
        Ok(Self { partition: partition.ok_or_else(missed)?, range: on_range })
    }
}

impl Range {
    pub(in super::super) fn values(&self) -> Vec<&Attr> {
        match self {
            Self::Compare(_, value) | Self::BeginsWith(value) => vec![value],
            Self::Between(low, high) => vec![low, high],
        }
    }

    /// The same as a condition on the attribute `name`.
    pub(in super::super) fn on(&self, name: &str) -> Condition {
        let path = Operand::Path(Path { root: name.to_owned(), steps: vec![] });
        let value = |value: &Attr| Operand::Value(value.clone());
        match self {
            Self::Compare(comparator, bound) => Condition::Compare(path, *comparator, value(bound)),
            Self::Between(low, high) => Condition::Between(path, value(low), value(high)),
            Self::BeginsWith(prefix) => Condition::BeginsWith(path, value(prefix)),
        }
    }
}

fn part_of(condition: Condition) -> Result<(String, Range), ApiError> {
    let top = |path: Path| if path.steps.is_empty() { Ok(path.root) } else { Err(unsupported()) };
    match condition {
        Condition::Compare(_, Comparator::Ne, _) => Err(unsupported()),
        Condition::Compare(Operand::Path(path), comparator, Operand::Value(value)) => {
            Ok((top(path)?, Range::Compare(comparator, value)))
        }
        Condition::Compare(Operand::Value(value), comparator, Operand::Path(path)) => {
            Ok((top(path)?, Range::Compare(mirrored(comparator), value)))
        }
        Condition::Between(Operand::Path(path), Operand::Value(low), Operand::Value(high)) => {
            Ok((top(path)?, Range::Between(low, high)))
        }
        Condition::BeginsWith(Operand::Path(path), Operand::Value(prefix)) => {
            Ok((top(path)?, Range::BeginsWith(prefix)))
        }
        _ => Err(unsupported()),
    }
}

fn mirrored(comparator: Comparator) -> Comparator {
    match comparator {
        Comparator::Lt => Comparator::Gt,
        Comparator::Le => Comparator::Ge,
        Comparator::Gt => Comparator::Lt,
        Comparator::Ge => Comparator::Le,
        same => same,
    }
}

fn unsupported() -> ApiError {
    invalid("Query key condition not supported")
}
