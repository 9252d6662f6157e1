//! Making, describing, changing and deleting tables.

use super::key::Schema;
use super::request::{known, read, table_name};
use super::table::{Billing, Status, Stream, Table, arn};
use super::{invalid, tags};
use crate::error::ApiError;
use crate::service::{State, streams, tagging};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CreateTable {
    table_name: String,
    attribute_definitions: Vec<AttributeDefinition>,
    key_schema: Vec<KeyElement>,
    billing_mode: Option<String>,
    provisioned_throughput: Option<Throughput>,
    stream_specification: Option<StreamSpecification>,
    table_class: Option<String>,
    #[serde(default)]
    deletion_protection_enabled: bool,
    #[serde(default)]
    tags: Vec<tags::Tag>,
    #[serde(rename = "SSESpecification")]
    sse_specification: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AttributeDefinition {
    attribute_name: String,
    attribute_type: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct KeyElement {
    attribute_name: String,
    key_type: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Throughput {
    read_capacity_units: i64,
    write_capacity_units: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StreamSpecification {
    stream_enabled: bool,
    stream_view_type: Option<String>,
}

impl StreamSpecification {
    /// The view of a stream that is to be; `None` when there is to be none.
    fn view(&self) -> Result<Option<&str>, ApiError> {
        match (self.stream_enabled, self.stream_view_type.as_deref()) {
            (true, Some(view @ ("KEYS_ONLY" | "NEW_IMAGE" | "OLD_IMAGE" | "NEW_AND_OLD_IMAGES"))) => Ok(Some(view)),
            (false, None) => Ok(None),
            (true, _) => Err(invalid(
                "One or more parameter values were invalid: StreamViewType is required when enabling a stream",
            )),
            (false, Some(_)) => Err(invalid(
                "One or more parameter values were invalid: StreamViewType must not be set when a stream is disabled",
            )),
        }
    }
}

pub(super) fn create(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let (definitions, key_schema) = (input["AttributeDefinitions"].clone(), input["KeySchema"].clone());
    let input: CreateTable = read(input)?;
    let name = input.table_name.as_str();
    check_name(name)?;
    if input.sse_specification.as_ref().is_some_and(|sse| sse["Enabled"] == true) {
        return Err(ApiError::not_emulated("dynamodb tables with a KMS key"));
    }
    if state.dynamodb.tables.contains_key(name) {
        return Err(in_use(format!("Table already exists: {name}")));
    }
    let schema = schema(&input.key_schema, &input.attribute_definitions)?;
    let billing = billing(input.billing_mode.as_deref(), input.provisioned_throughput.as_ref())?;
    let view = input.stream_specification.as_ref().map(StreamSpecification::view).transpose()?.flatten();
    let tags = tags::checked(input.tags)?;
    let stream = view.map(|view| open_stream(state, region, name, view, &key_schema, now_ms));
    tagging::put(state, &arn(region, name), &tags);
    let table = Table {
        id: id_of(&arn(region, name), now_ms),
        created_ms: now_ms,
        deleted_ms: None,
        schema,
        attribute_definitions: definitions,
        key_schema,
        billing,
        protected: input.deletion_protection_enabled,
        class: input.table_class,
        stream,
        tags,
        point_in_time_recovery: false,
        ttl_attribute: None,
        items: BTreeMap::new(),
    };
    let description = table.describe(region, name, now_ms);
    state.dynamodb.tables.insert(name.to_owned(), table);
    Ok(json!({ "TableDescription": description }))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    table_name: String,
}

pub(super) fn describe(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let table = known(&mut state.dynamodb, &input.table_name)?;
    Ok(json!({ "Table": table.describe(region, table_name(&input.table_name), now_ms) }))
}

pub(super) fn delete(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let name = table_name(&input.table_name);
    let table = known(&mut state.dynamodb, name)?;
    match table.status(now_ms) {
        Status::Creating => {
            return Err(in_use(format!(
                "Attempt to change a resource which is still in use: Table is being created: {name}"
            )));
        }
        // "If the specified table is already in DELETING state, no error is returned" (`DeleteTable`).
        Status::Deleting => return Ok(json!({ "TableDescription": table.describe(region, name, now_ms) })),
        Status::Active if table.protected => {
            return Err(invalid(
                "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
            ));
        }
        Status::Active => {}
    }
    table.deleted_ms = Some(now_ms);
    table.items.clear();
    let stream = table.stream.as_mut().filter(|stream| stream.enabled).map(|stream| {
        stream.enabled = false;
        stream.arn.clone()
    });
    let description = table.describe(region, name, now_ms);
    if let Some(stream) = stream {
        streams::close(state, &stream, now_ms);
    }
    tagging::deleted(state, &arn(region, name), Table::gone_ms(now_ms));
    Ok(json!({ "TableDescription": description }))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UpdateTable {
    table_name: String,
    billing_mode: Option<String>,
    provisioned_throughput: Option<Throughput>,
    stream_specification: Option<StreamSpecification>,
    deletion_protection_enabled: Option<bool>,
    table_class: Option<String>,
}

pub(super) fn update(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: UpdateTable = read(input)?;
    let name = table_name(&input.table_name);
    let table = known(&mut state.dynamodb, name)?;
    if table.status(now_ms) != Status::Active {
        return Err(in_use(format!("Attempt to change a resource which is still in use: Table: {name}")));
    }
    if input.billing_mode.is_some() || input.provisioned_throughput.is_some() {
        table.billing = billing(input.billing_mode.as_deref(), input.provisioned_throughput.as_ref())?;
    }
    table.protected = input.deletion_protection_enabled.unwrap_or(table.protected);
    table.class = input.table_class.or_else(|| table.class.take());
    if let Some(specification) = &input.stream_specification {
        change_stream(state, region, name, specification.view()?, now_ms)?;
    }
    let table = known(&mut state.dynamodb, name)?;
    Ok(json!({ "TableDescription": table.describe(region, name, now_ms) }))
}

fn change_stream(state: &mut State, region: &str, name: &str, view: Option<&str>, now_ms: i64) -> Result<(), ApiError> {
    let table = known(&mut state.dynamodb, name)?;
    let key_schema = table.key_schema.clone();
    let open = table.open_stream().map(str::to_owned);
    match (open, view) {
        (Some(_), Some(_)) => Err(invalid("Table already has an enabled stream: TableName: ".to_owned() + name)),
        (None, None) => Err(invalid(format!("Table has no stream to disable: TableName: {name}"))),
        (Some(arn), None) => {
            if let Some(stream) = &mut table.stream {
                stream.enabled = false;
            }
            streams::close(state, &arn, now_ms);
            Ok(())
        }
        (None, Some(view)) => {
            let stream = open_stream(state, region, name, view, &key_schema, now_ms);
            known(&mut state.dynamodb, name)?.stream = Some(stream);
            Ok(())
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListTables {
    exclusive_start_table_name: Option<String>,
    limit: Option<usize>,
}

pub(super) fn list(state: &State, input: Value) -> Result<Value, ApiError> {
    let input: ListTables = read(input)?;
    let size @ 1..=100 = input.limit.unwrap_or(100) else {
        return Err(invalid("Limit has to be from 1 to 100"));
    };
    let after = input.exclusive_start_table_name.as_ref();
    let mut rest = state.dynamodb.tables.keys().filter(|name| after.is_none_or(|after| *name > after));
    let page: Vec<&String> = rest.by_ref().take(size).collect();
    let mut output = json!({ "TableNames": page });
    if let Some(last) = page.last().filter(|_| rest.next().is_some()) {
        output["LastEvaluatedTableName"] = json!(last);
    }
    Ok(output)
}

fn open_stream(state: &mut State, region: &str, name: &str, view: &str, key_schema: &Value, now_ms: i64) -> Stream {
    let (arn, label) = streams::open(state, region, name, view, key_schema, now_ms);
    Stream { arn, label, view: view.to_owned(), enabled: true }
}

fn schema(elements: &[KeyElement], definitions: &[AttributeDefinition]) -> Result<Schema, ApiError> {
    let typed = |element: &KeyElement| {
        let definition = definitions.iter().find(|definition| definition.attribute_name == element.attribute_name);
        let definition = definition.ok_or_else(|| {
            let known: Vec<_> = definitions.iter().map(|definition| definition.attribute_name.as_str()).collect();
            invalid(format!(
                "One or more parameter values were invalid: Some index key attributes are not defined in \
                 AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]",
                element.attribute_name,
                known.join(", ")
            ))
        })?;
        match definition.attribute_type.as_str() {
            kind @ ("S" | "N" | "B") => Ok((element.attribute_name.clone(), kind.to_owned())),
            kind => Err(invalid(format!("{kind:?} is not a type that a key attribute can have"))),
        }
    };
    let schema = match elements {
        [hash] if hash.key_type == "HASH" => Schema { hash: typed(hash)?, range: None },
        [hash, range] if hash.key_type == "HASH" && range.key_type == "RANGE" => {
            Schema { hash: typed(hash)?, range: Some(typed(range)?) }
        }
        _ => {
            return Err(invalid("Invalid KeySchema: it has a HASH element and perhaps a RANGE element, in this order"));
        }
    };
    if definitions.len() != elements.len() {
        return Err(invalid(
            "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number \
             of attributes defined in AttributeDefinitions",
        ));
    }
    Ok(schema)
}

fn billing(mode: Option<&str>, throughput: Option<&Throughput>) -> Result<Billing, ApiError> {
    match (mode.unwrap_or("PROVISIONED"), throughput) {
        ("PAY_PER_REQUEST", None) => Ok(Billing::OnDemand),
        ("PAY_PER_REQUEST", Some(_)) => Err(invalid(
            "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be \
             specified when BillingMode is PAY_PER_REQUEST",
        )),
        ("PROVISIONED", Some(throughput)) => {
            Ok(Billing::Provisioned { read: throughput.read_capacity_units, write: throughput.write_capacity_units })
        }
        ("PROVISIONED", None) => Err(invalid(
            "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified \
             when BillingMode is PROVISIONED",
        )),
        (mode, _) => Err(invalid(format!("{mode:?} is not a billing mode"))),
    }
}

fn check_name(name: &str) -> Result<(), ApiError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if !(3..=255).contains(&name.len()) || !name.chars().all(allowed) {
        return Err(invalid(format!(
            "{name:?} is not a table name: it has 3 to 255 letters, digits, underscores, hyphens and dots"
        )));
    }
    Ok(())
}

fn in_use(message: String) -> ApiError {
    ApiError::bad("ResourceInUseException", message)
}

/// An id in the form of a UUID, the same for the same table and time.
fn id_of(arn: &str, now_ms: i64) -> String {
    let hex = hex::encode(Sha256::digest(format!("{arn} {now_ms}")));
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32])
}
