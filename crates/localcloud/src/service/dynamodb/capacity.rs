//! Consumed capacity, as far as answers report it ("DynamoDB read and write operations", developer guide).

use serde_json::{Value, json};

/// Adds `ConsumedCapacity` to an answer if it was asked for.
pub(super) fn report(output: &mut Value, wanted: Option<&str>, table: &str, units: f64) {
    if matches!(wanted, Some("TOTAL" | "INDEXES")) {
        output["ConsumedCapacity"] = one(table, units);
    }
}

/// One table's part.
pub(super) fn one(table: &str, units: f64) -> Value {
    json!({ "TableName": table, "CapacityUnits": units })
}

/// A unit for each 4 KB, half of it where the read need not be consistent.
pub(super) fn read_units(bytes: usize, consistent: bool) -> f64 {
    units(bytes, 4096) * if consistent { 1.0 } else { 0.5 }
}

/// A unit for each 1 KB.
pub(super) fn write_units(bytes: usize) -> f64 {
    units(bytes, 1024)
}

#[expect(clippy::cast_precision_loss, reason = "units of one request are few")]
fn units(bytes: usize, unit: usize) -> f64 {
    bytes.div_ceil(unit).max(1) as f64
}
