//! Primary keys.

use super::invalid;
use super::number::Decimal;
use super::value::{Attr, Item};
use crate::error::ApiError;

/// A table's key attributes with their types (`S`, `N`, `B`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schema {
    pub(super) hash: (String, String),
    pub(super) range: Option<(String, String)>,
}

/// The key of an item; keys sort by partition, then by sort key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ItemKey {
    pub(super) hash: KeyPart,
    pub(super) range: Option<KeyPart>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyPart {
    S(String),
    N(Decimal),
    B(Vec<u8>),
}

impl KeyPart {
    pub(super) fn of(value: &Attr) -> Option<Self> {
        match value {
            Attr::S(text) => Some(Self::S(text.clone())),
            Attr::N(number) => Some(Self::N(*number)),
            Attr::B(bytes) => Some(Self::B(bytes.clone())),
            _ => None,
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::S(text) => text.len(),
            Self::N(number) => number.size(),
            Self::B(bytes) => bytes.len(),
        }
    }
}

impl Schema {
    /// Names and types of the key attributes.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &(String, String)> {
        std::iter::once(&self.hash).chain(&self.range)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes().any(|(known, _)| known == name)
    }

    /// The key within an item that is to be stored.
    pub(super) fn key_of_item(&self, item: &Item) -> Result<ItemKey, ApiError> {
        for (name, kind) in self.attributes() {
            let Some(value) = item.get(name) else {
                return Err(invalid(format!(
                    "One or more parameter values were invalid: Missing the key {name} in the item"
                )));
            };
            if value.kind() != kind {
                return Err(invalid(format!(
                    "One or more parameter values were invalid: Type mismatch for key {name} expected: {kind} actual: {}",
                    value.kind()
                )));
            }
        }
        self.checked(item)
    }

    /// A key that stands alone: it has the key attributes and no others.
    pub(super) fn key_alone(&self, key: &Item) -> Result<ItemKey, ApiError> {
        let fits = |(name, kind): &(String, String)| key.get(name).is_some_and(|value| value.kind() == kind);
        if key.len() != self.attributes().count() || !self.attributes().all(fits) {
            return Err(invalid("The provided key element does not match the schema"));
        }
        self.checked(key)
    }

    /// The key attributes of an item.
    pub(super) fn key_item(&self, item: &Item) -> Item {
        item.iter().filter(|(name, _)| self.has(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Bounds of keys ("Quotas", developer guide: 1 to 2048 bytes, 1 to 1024 bytes).
    fn checked(&self, item: &Item) -> Result<ItemKey, ApiError> {
        let part = |name: &str, max: usize| {
            let part = item.get(name).and_then(KeyPart::of);
            let part = part.ok_or_else(|| invalid("The provided key element does not match the schema"))?;
            if part.length() == 0 {
                return Err(invalid(format!(
                    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
                     empty string value. Key: {name}"
                )));
            }
            if part.length() > max {
                return Err(invalid(format!(
                    "One or more parameter values were invalid: Size of key {name} has exceeded the maximum size limit of \
                     {max} bytes"
                )));
            }
            Ok(part)
        };
        let range = self.range.as_ref().map(|(name, _)| part(name, 1024)).transpose()?;
        Ok(ItemKey { hash: part(&self.hash.0, 2048)?, range })
    }
}
