//! The Query protocol: forms in, XML out.

use super::Reply;
use super::xml::{self, Writer};
use crate::error::ApiError;
use crate::time;
use serde_json::{Map, Value, json};

/// Nesting and list bounds; a form that passes them is not from an SDK.
const MAX_DEPTH: usize = 16;
const MAX_INDEX: usize = 10_000;

const XML: &str = "text/xml";

/// Members that are not text, by name; the services share these names without clashes.
const BOOLEANS: [&str; 11] = [
    "DisableRollback",
    "DisableValidation",
    "EnableTerminationProtection",
    "FailedEvents",
    "ImportExistingResources",
    "IncludeNestedStacks",
    "IncludePropertyValues",
    "RetainExceptOnCreate",
    "UsePreviousTemplate",
    "UsePreviousValue",
    "DisableRollbackOnFailure",
];
const INTEGERS: [&str; 6] =
    ["DurationSeconds", "MaxItems", "MaxResults", "MaxSessionDuration", "MonitoringTimeInMinutes", "TimeoutInMinutes"];

/// `A.member.1.B=x` becomes `{"A":[{"B":"x"}]}`.
pub(super) fn input(form: &[(String, String)]) -> Result<Value, ApiError> {
    let mut root = Map::new();
    for (key, value) in form.iter().filter(|(key, _)| key != "Action" && key != "Version") {
        let path: Vec<&str> = key.split('.').collect();
        if path.len() > MAX_DEPTH {
            return Err(malformed(key));
        }
        insert(&mut root, &path, value).ok_or_else(|| malformed(key))?;
    }
    Ok(Value::Object(root))
}

fn insert(object: &mut Map<String, Value>, path: &[&str], text: &str) -> Option<()> {
    match path {
        [name] => {
            // An empty list is written as its name alone.
            object.entry(*name).or_insert_with(|| leaf(name, text));
            Some(())
        }
        [name, "member" | "entry", index, rest @ ..] => {
            let list = object.entry(*name).or_insert_with(|| json!([])).as_array_mut()?;
            let index = index.parse::<usize>().ok()?.checked_sub(1).filter(|i| *i < MAX_INDEX)?;
            if list.len() <= index {
                list.resize(index + 1, Value::Null);
            }
            let slot = list.get_mut(index)?;
            if rest.is_empty() {
                *slot = json!(text);
                return Some(());
            }
            if slot.is_null() {
                *slot = json!({});
            }
            insert(slot.as_object_mut()?, rest, text)
        }
        [name, rest @ ..] => insert(object.entry(*name).or_insert_with(|| json!({})).as_object_mut()?, rest, text),
        [] => None,
    }
}

fn leaf(name: &str, text: &str) -> Value {
    if BOOLEANS.contains(&name)
        && let Ok(flag) = text.parse::<bool>()
    {
        return json!(flag);
    }
    if INTEGERS.contains(&name)
        && let Ok(number) = text.parse::<i64>()
    {
        return json!(number);
    }
    json!(text)
}

fn malformed(key: &str) -> ApiError {
    ApiError::bad("MalformedQueryString", format!("parameter {key} cannot be read"))
}

/// Operations whose empty output still has its wrapper (service model of CloudFormation, `resultWrapper`); clients of
/// the botocore family look for it.
const WRAPPED_THOUGH_EMPTY: [&str; 3] = ["ExecuteChangeSet", "DeleteChangeSet", "ContinueUpdateRollback"];

/// `<OpResponse><OpResult>…</OpResult><ResponseMetadata>…`.
pub(super) fn answer(namespace: &str, operation: &str, request_id: &str, output: &Value) -> Reply {
    let mut writer = Writer::default();
    let response = format!("{operation}Response");
    writer.open_in(&response, namespace);
    if output.as_object().is_some_and(|members| !members.is_empty()) || WRAPPED_THOUGH_EMPTY.contains(&operation) {
        let result = format!("{operation}Result");
        writer.open(&result);
        members(&mut writer, output);
        writer.close(&result);
    }
    metadata(&mut writer, request_id);
    writer.close(&response);
    Reply::new(200, XML, writer.finish())
}

/// `<ResponseMetadata><RequestId>…`.
pub(super) fn metadata(writer: &mut Writer, request_id: &str) {
    writer.open("ResponseMetadata");
    writer.text("RequestId", request_id);
    writer.close("ResponseMetadata");
}

/// The members of an object, lists as `<member>` elements.
fn members(writer: &mut Writer, value: &Value) {
    for (name, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::Array(items) => {
                writer.open(name);
                items.iter().for_each(|item| element(writer, "member", item));
                writer.close(name);
            }
            value => element(writer, name, value),
        }
    }
}

fn element(writer: &mut Writer, name: &str, value: &Value) {
    match value {
        Value::Object(_) => {
            writer.open(name);
            members(writer, value);
            writer.close(name);
        }
        Value::Number(number) if is_time(name) => {
            #[allow(clippy::cast_possible_truncation)]
            let ms = (number.as_f64().unwrap_or_default() * 1000.0).round() as i64;
            writer.text(name, &time::iso(ms));
        }
        value => writer.text(name, &xml::scalar(value)),
    }
}

/// Members that hold times: numbers of seconds in the JSON form, ISO 8601 in XML.
fn is_time(name: &str) -> bool {
    ["Time", "Timestamp", "Date", "Expiration"].iter().any(|end| name.ends_with(end))
}

/// An error; faults of the client are `Sender`, the others `Receiver`.
pub(super) fn error(namespace: &str, request_id: &str, error: &ApiError) -> Reply {
    let mut writer = Writer::default();
    writer.open_in("ErrorResponse", namespace);
    writer.open("Error");
    writer.text("Type", if error.status < 500 { "Sender" } else { "Receiver" });
    writer.text("Code", &error.code);
    writer.text("Message", &error.message);
    writer.close("Error");
    writer.text("RequestId", request_id);
    writer.close("ErrorResponse");
    Reply::new(error.status, XML, writer.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::uri;
    use proptest::prelude::*;

    #[test]
    fn forms_nest() {
        let form = "Action=CreateStack&Version=1&StackName=s&Parameters.member.1.ParameterKey=K\
                    &Parameters.member.1.ParameterValue=007&Capabilities.member.1=CAPABILITY_IAM\
                    &DisableRollback=true&TimeoutInMinutes=5&RollbackConfiguration.MonitoringTimeInMinutes=0";
        let expected = json!({
            "StackName": "s",
            "Parameters": [{ "ParameterKey": "K", "ParameterValue": "007" }],
            "Capabilities": ["CAPABILITY_IAM"],
            "DisableRollback": true,
            "TimeoutInMinutes": 5,
            "RollbackConfiguration": { "MonitoringTimeInMinutes": 0 },
        });
        assert_eq!(input(&uri::parse_query(form)).unwrap(), expected);
    }

    #[test]
    fn contradicting_and_boundless_forms_are_refused() {
        for form in ["A=1&A.B=2", "A.member.0=1", "A.member.99999999=1", &format!("{}x=1", "a.".repeat(40))] {
            assert_eq!(input(&uri::parse_query(form)).unwrap_err().code, "MalformedQueryString", "{form}");
        }
    }

    #[test]
    fn answers_have_lists_and_times() {
        let output = json!({ "Stacks": [{ "StackName": "a&b", "CreationTime": 1.5, "Tags": [] }], "NextToken": null });
        let reply = answer("ns", "DescribeStacks", "r", &output);
        assert_eq!(
            std::str::from_utf8(&reply.body).unwrap(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<DescribeStacksResponse xmlns=\"ns\"><DescribeStacksResult>\
             <Stacks><member><CreationTime>1970-01-01T00:00:01.500Z</CreationTime><StackName>a&amp;b</StackName>\
             <Tags></Tags></member></Stacks></DescribeStacksResult><ResponseMetadata><RequestId>r</RequestId>\
             </ResponseMetadata></DescribeStacksResponse>"
        );
    }

    proptest! {
        #[test]
        fn any_form_can_be_read(text in "[a-c.0-9=&%]{0,80}|.{0,80}") {
            let _ = input(&uri::parse_query(&text));
        }
    }
}
