//! Backups and time to live: kept as settings, without effect.

use super::invalid;
use super::request::{known, read};
use crate::error::ApiError;
use crate::service::State;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Settings {
    table_name: String,
    point_in_time_recovery_specification: Option<Recovery>,
    time_to_live_specification: Option<TimeToLive>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Recovery {
    point_in_time_recovery_enabled: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TimeToLive {
    enabled: bool,
    attribute_name: String,
}

pub(super) fn describe_backups(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Settings = read(input)?;
    // This operation has an error of its own for a table that is not there.
    let table = known(&mut state.dynamodb, &input.table_name)
        .map_err(|_| ApiError::bad("TableNotFoundException", format!("Table not found: {}", input.table_name)))?;
    let recovery = if table.point_in_time_recovery { "ENABLED" } else { "DISABLED" };
    Ok(json!({ "ContinuousBackupsDescription": {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": { "PointInTimeRecoveryStatus": recovery },
    }}))
}

pub(super) fn update_backups(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let described = input.clone();
    let input: Settings = read(input)?;
    let wanted = input.point_in_time_recovery_specification;
    let wanted = wanted.ok_or_else(|| invalid("PointInTimeRecoverySpecification is missing"))?;
    if let Ok(table) = known(&mut state.dynamodb, &input.table_name) {
        table.point_in_time_recovery = wanted.point_in_time_recovery_enabled;
    }
    describe_backups(state, described)
}

pub(super) fn describe_ttl(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Settings = read(input)?;
    let description = match &known(&mut state.dynamodb, &input.table_name)?.ttl_attribute {
        Some(name) => json!({ "TimeToLiveStatus": "ENABLED", "AttributeName": name }),
        None => json!({ "TimeToLiveStatus": "DISABLED" }),
    };
    Ok(json!({ "TimeToLiveDescription": description }))
}

pub(super) fn update_ttl(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Settings = read(input)?;
    let wanted = input.time_to_live_specification.ok_or_else(|| invalid("TimeToLiveSpecification is missing"))?;
    let table = known(&mut state.dynamodb, &input.table_name)?;
    if wanted.enabled == table.ttl_attribute.is_some() {
        let already = if wanted.enabled { "enabled" } else { "disabled" };
        return Err(invalid(format!("TimeToLive is already {already}")));
    }
    table.ttl_attribute = wanted.enabled.then(|| wanted.attribute_name.clone());
    Ok(json!({ "TimeToLiveSpecification": { "Enabled": wanted.enabled, "AttributeName": wanted.attribute_name } }))
}
