//! The one way in which items change: planned first, then stored with its stream record.

use super::expression::{Condition, Update, apply, holds};
use super::key::ItemKey;
use super::request::{Request, active};
use super::value::{Item, MAX_ITEM_BYTES, item_bytes, item_from_json, item_to_json};
use super::{State, invalid};
use crate::error::ApiError;
use crate::service::{self, streams};
use serde_json::Value;

/// One wanted change of one item.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) table: String,
    pub(super) key: ItemKey,
    pub(super) change: Change,
    pub(super) condition: Option<Condition>,
    /// Whether a failed condition shows the item.
    pub(super) shows_old: bool,
}

#[derive(Debug)]
pub(super) enum Change {
    Put(Item),
    /// An update of an item that has at least these key attributes.
    Update(Item, Update),
    Delete,
    /// Only the condition.
    Check,
}

/// What a change does.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) old: Option<Item>,
    pub(super) new: Option<Item>,
}

/// Why a change is not made.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The condition does not hold; with the item if it is to be shown.
    Condition(Option<Item>),
    Error(ApiError),
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl Refusal {
    /// As an operation on one item answers it.
    pub(super) fn into_error(self) -> ApiError {
        match self {
            Self::Error(error) => error,
            Self::Condition(item) => {
                let mut error = ApiError::bad("ConditionalCheckFailedException", "The conditional request failed");
                if let Some(item) = item {
                    error.details.insert("Item".to_owned(), item_to_json(&item));
                }
                error
            }
        }
    }
}

impl Write {
    pub(super) fn put(state: &State, request: &Request, now_ms: i64) -> Result<Self, ApiError> {
        let table = active(state, request.table(), now_ms)?;
        let item = item_from_json(required(request.item.as_ref(), "Item")?)?;
        let key = table.schema.key_of_item(&item)?;
        check_size(&item)?;
        Self::with_condition(request, key, Change::Put(item))
    }

    pub(super) fn delete(state: &State, request: &Request, now_ms: i64) -> Result<Self, ApiError> {
        let (key, _) = key_of(state, request, now_ms)?;
        Self::with_condition(request, key, Change::Delete)
    }

    pub(super) fn check(state: &State, request: &Request, now_ms: i64) -> Result<Self, ApiError> {
        let (key, _) = key_of(state, request, now_ms)?;
        required(request.condition_expression.as_ref(), "ConditionExpression")?;
        Self::with_condition(request, key, Change::Check)
    }

    pub(super) fn update(state: &State, request: &Request, now_ms: i64) -> Result<Self, ApiError> {
        let (key, key_item) = key_of(state, request, now_ms)?;
        let schema = &active(state, request.table(), now_ms)?.schema;
        let mut placeholders = request.placeholders()?;
        let update = request.update_expression.as_deref().map(|text| Update::parse(text, &mut placeholders));
        let update = update.transpose()?.unwrap_or_default();
        if let Some(name) = update.roots().find(|name| schema.has(name)) {
            return Err(invalid(format!(
                "One or more parameter values were invalid: Cannot update attribute {name}. This attribute is part of the key"
            )));
        }
        let condition = request.condition(&mut placeholders)?;
        placeholders.finish()?;
        Ok(Self {
            table: request.table().to_owned(),
            key,
            change: Change::Update(key_item, update),
            condition,
            shows_old: request.wants_old_on_failure(),
        })
    }

    fn with_condition(request: &Request, key: ItemKey, change: Change) -> Result<Self, ApiError> {
        let mut placeholders = request.placeholders()?;
        let condition = request.condition(&mut placeholders)?;
        placeholders.finish()?;
        let table = request.table().to_owned();
        Ok(Self { table, key, change, condition, shows_old: request.wants_old_on_failure() })
    }

    /// What the change would do to the table as it is.
    pub(super) fn plan(&self, state: &State) -> Result<Planned, Refusal> {
        let old = state.tables.get(&self.table).and_then(|table| table.items.get(&self.key));
        let nothing = Item::new();
        if let Some(condition) = &self.condition
            && !holds(condition, old.unwrap_or(&nothing))
        {
            return Err(Refusal::Condition(old.filter(|_| self.shows_old).cloned()));
        }
        let new = match &self.change {
            Change::Put(item) => Some(item.clone()),
            Change::Delete => None,
            Change::Check => old.cloned(),
            Change::Update(key, update) => {
                let after = apply(update, old.unwrap_or(key))?;
                check_size(&after)?;
                Some(after)
            }
        };
        Ok(Planned { old: old.cloned(), new })
    }

    /// Stores what was planned.
    pub(super) fn commit(&self, state: &mut service::State, region: &str, planned: &Planned, now_ms: i64) {
        if matches!(self.change, Change::Check) {
            return;
        }
        let Some(table) = state.dynamodb.tables.get_mut(&self.table) else { return };
        match &planned.new {
            Some(item) => drop(table.items.insert(self.key.clone(), item.clone())),
            None => drop(table.items.remove(&self.key)),
        }
        let Some(arn) = table.open_stream() else { return };
        let Some(any) = planned.new.as_ref().or(planned.old.as_ref()) else { return };
        let keys = table.schema.key_item(any);
        let sizes = [Some(&keys), planned.old.as_ref(), planned.new.as_ref()];
        let change = streams::Change {
            bytes: sizes.into_iter().flatten().map(item_bytes).sum(),
            keys: item_to_json(&keys),
            old: planned.old.as_ref().map(item_to_json),
            new: planned.new.as_ref().map(item_to_json),
        };
        streams::record(&mut state.streams, region, arn, change, now_ms);
    }
}

/// The key of a request, also as an item.
pub(super) fn key_of(state: &State, request: &Request, now_ms: i64) -> Result<(ItemKey, Item), ApiError> {
    let table = active(state, request.table(), now_ms)?;
    let item = item_from_json(required(request.key.as_ref(), "Key")?)?;
    Ok((table.schema.key_alone(&item)?, item))
}

fn required<'a, T>(member: Option<&'a T>, name: &str) -> Result<&'a T, ApiError> {
    member.ok_or_else(|| invalid(format!("1 validation error detected: {name} is missing")))
}

fn check_size(item: &Item) -> Result<(), ApiError> {
    if item_bytes(item) > MAX_ITEM_BYTES {
        return Err(invalid("Item size has exceeded the maximum allowed size"));
    }
    Ok(())
}

/// The item of a key, if it is there.
pub(super) fn stored<'a>(state: &'a State, table: &str, key: &ItemKey) -> Option<&'a Item> {
    state.tables.get(table).and_then(|table| table.items.get(key))
}

/// An answer's member for an item that may not be there.
pub(super) fn member(output: &mut Value, name: &str, item: Option<&Item>) {
    if let Some(item) = item {
        output[name] = item_to_json(item);
    }
}
