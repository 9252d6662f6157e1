//! What requests have in common.

use super::State;
use super::expression::{Condition, Placeholders, Projection, Role};
use super::table::{Status, Table};
use crate::error::ApiError;
use crate::service::input;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Parameters that are refused loudly: the conditions before expressions, indexes, parallel scans.
const UNEMULATED: [&str; 12] = [
    "Expected",
    "AttributeUpdates",
    "KeyConditions",
    "QueryFilter",
    "ScanFilter",
    "ConditionalOperator",
    "AttributesToGet",
    "IndexName",
    "TotalSegments",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexUpdates",
];

pub(super) fn refuse_unemulated(operation: &str, input: &Value) -> Result<(), ApiError> {
    match UNEMULATED.iter().find(|name| !input[**name].is_null()) {
        Some(name) => Err(ApiError::not_emulated(format!("dynamodb {operation} with {name}"))),
        None => Ok(()),
    }
}

pub(super) fn read<T: DeserializeOwned>(input: Value) -> Result<T, ApiError> {
    input::read(input, "ValidationException")
}

/// Parameters of operations on items. Which of them an operation takes, it says itself.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Request {
    pub(super) table_name: String,
    pub(super) item: Option<Value>,
    pub(super) key: Option<Value>,
    pub(super) exclusive_start_key: Option<Value>,
    pub(super) condition_expression: Option<String>,
    pub(super) filter_expression: Option<String>,
    pub(super) key_condition_expression: Option<String>,
    pub(super) projection_expression: Option<String>,
    pub(super) update_expression: Option<String>,
    pub(super) expression_attribute_names: Option<BTreeMap<String, String>>,
    pub(super) expression_attribute_values: Option<Map<String, Value>>,
    pub(super) return_values: Option<String>,
    pub(super) return_values_on_condition_check_failure: Option<String>,
    pub(super) return_consumed_capacity: Option<String>,
    pub(super) scan_index_forward: Option<bool>,
    pub(super) select: Option<String>,
    pub(super) limit: Option<i64>,
    #[serde(default)]
    pub(super) consistent_read: bool,
}

impl Request {
    pub(super) fn table(&self) -> &str {
        table_name(&self.table_name)
    }

    pub(super) fn placeholders(&self) -> Result<Placeholders, ApiError> {
        Placeholders::new(self.expression_attribute_names.clone(), self.expression_attribute_values.as_ref())
    }

    pub(super) fn condition(&self, placeholders: &mut Placeholders) -> Result<Option<Condition>, ApiError> {
        let text = self.condition_expression.as_deref();
        text.map(|text| Condition::parse(Role::Condition, text, placeholders)).transpose()
    }

    pub(super) fn projection(&self, placeholders: &mut Placeholders) -> Result<Option<Projection>, ApiError> {
        self.projection_expression.as_deref().map(|text| Projection::parse(text, placeholders)).transpose()
    }

    pub(super) fn wants_old_on_failure(&self) -> bool {
        self.return_values_on_condition_check_failure.as_deref() == Some("ALL_OLD")
    }

    /// `ReturnValues`, if it is one of `allowed`.
    pub(super) fn return_values(&self, allowed: &[&str]) -> Result<&str, ApiError> {
        let wanted = self.return_values.as_deref().unwrap_or("NONE");
        if allowed.contains(&wanted) { Ok(wanted) } else { Err(super::invalid("Return values set to invalid value")) }
    }
}

/// A table by its name or its ARN.
pub(super) fn table_name(name: &str) -> &str {
    name.split_once(":table/").map_or(name, |(_, name)| name)
}

/// The table, for operations on items: it has to be there and not to come or go.
pub(super) fn active<'a>(state: &'a State, name: &str, now_ms: i64) -> Result<&'a Table, ApiError> {
    let table = state.tables.get(name).filter(|table| table.status(now_ms) == Status::Active);
    table.ok_or_else(|| ApiError::bad("ResourceNotFoundException", "Requested resource not found"))
}

/// The table, for operations on tables.
pub(super) fn known<'a>(state: &'a mut State, name: &str) -> Result<&'a mut Table, ApiError> {
    state.tables.get_mut(table_name(name)).ok_or_else(|| {
        let name = table_name(name);
        ApiError::bad("ResourceNotFoundException", format!("Requested resource not found: Table: {name} not found"))
    })
}
