//! SQS as clients before 2023 speak it: Query with flattened lists (`Attribute.1.Name`), answered in XML.

use super::query::metadata;
use super::uri;
use super::xml::{self, Writer};
use super::{Reply, query};
use crate::error::ApiError;
use serde_json::{Map, Value, json};

const NAMESPACE: &str = "http://queue.amazonaws.com/doc/2012-11-05/";

/// Lists in forms: (name in the form, member in the JSON form, how an item looks).
const LISTS: [(&str, &str, Item); 12] = [
    ("AttributeName", "AttributeNames", Item::Text),
    ("MessageAttributeName", "MessageAttributeNames", Item::Text),
    ("MessageSystemAttributeName", "MessageSystemAttributeNames", Item::Text),
    ("TagKey", "TagKeys", Item::Text),
    ("Attribute", "Attributes", Item::Pair("Name", "Value")),
    ("Tag", "Tags", Item::Pair("Key", "Value")),
    ("MessageAttribute", "MessageAttributes", Item::Pair("Name", "Value")),
    ("MessageSystemAttribute", "MessageSystemAttributes", Item::Pair("Name", "Value")),
    ("SendMessageBatchRequestEntry", "Entries", Item::Object),
    ("DeleteMessageBatchRequestEntry", "Entries", Item::Object),
    ("ChangeMessageVisibilityBatchRequestEntry", "Entries", Item::Object),
    ("Entry", "Entries", Item::Object),
];

const INTEGERS: [&str; 5] =
    ["DelaySeconds", "MaxNumberOfMessages", "MaxResults", "VisibilityTimeout", "WaitTimeSeconds"];

#[derive(Clone, Copy)]
enum Item {
    Text,
    Pair(&'static str, &'static str),
    Object,
}

/// Reads a form; a queue may also be named by the path of the request.
pub(super) fn input(form: &[(String, String)], path: &str) -> Result<Value, ApiError> {
    let dotted: Vec<(String, String)> = form.iter().map(|(key, value)| (with_member(key), value.clone())).collect();
    let mut input = query::input(&dotted)?;
    reshape(&mut input);
    if let Some(members) = input.as_object_mut()
        && !members.contains_key("QueueUrl")
        && path.trim_matches('/').contains('/')
    {
        members.insert("QueueUrl".to_owned(), json!(format!("http://localhost{}", uri::decode(path))));
    }
    Ok(input)
}

/// `Attribute.1.Name` → `Attribute.member.1.Name`.
fn with_member(key: &str) -> String {
    let mut parts = Vec::new();
    for part in key.split('.') {
        if part.bytes().all(|b| b.is_ascii_digit()) && parts.last().is_some_and(|last| *last != "member") {
            parts.push("member");
        }
        parts.push(part);
    }
    parts.join(".")
}

fn reshape(value: &mut Value) {
    let Some(members) = value.as_object_mut() else { return };
    for (form_name, member, item) in LISTS {
        if !matches!(members.get(form_name), Some(Value::Array(_))) {
            continue;
        }
        let Some(Value::Array(mut items)) = members.remove(form_name) else { continue };
        items.iter_mut().for_each(reshape);
        let list = match item {
            Item::Text | Item::Object => Value::Array(items),
            Item::Pair(key, value) => Value::Object(items.into_iter().filter_map(|i| pair(i, key, value)).collect()),
        };
        members.insert(member.to_owned(), list);
    }
    for name in INTEGERS {
        if let Some(number) = members.get(name).and_then(Value::as_str).and_then(|text| text.parse::<i64>().ok()) {
            members.insert(name.to_owned(), json!(number));
        }
    }
}

fn pair(item: Value, key: &str, value: &str) -> Option<(String, Value)> {
    let Value::Object(mut members) = item else { return None };
    let name = members.remove(key)?.as_str()?.to_owned();
    Some((name, members.remove(value).unwrap_or_else(|| json!(""))))
}

/// Answers with flattened lists and maps.
pub(super) fn answer(operation: &str, request_id: &str, output: &Value) -> Reply {
    let mut writer = Writer::default();
    let response = format!("{operation}Response");
    writer.open_in(&response, NAMESPACE);
    if let Some(output) = output.as_object().filter(|members| !members.is_empty()) {
        let result = format!("{operation}Result");
        writer.open(&result);
        members(&mut writer, operation, output);
        writer.close(&result);
    }
    metadata(&mut writer, request_id);
    writer.close(&response);
    Reply::new(200, "text/xml", writer.finish())
}

fn members(writer: &mut Writer, operation: &str, object: &Map<String, Value>) {
    for (name, value) in object {
        match value {
            Value::Array(items) => {
                items.iter().for_each(|item| element(writer, operation, singular(operation, name), item));
            }
            Value::Object(entries) => {
                let (key_name, name) =
                    if name == "Tags" { ("Key", "Tag") } else { ("Name", singular(operation, name)) };
                for (key, value) in entries {
                    writer.open(name);
                    writer.text(key_name, key);
                    element(writer, operation, "Value", value);
                    writer.close(name);
                }
            }
            Value::Null => {}
            value => writer.text(name, &xml::scalar(value)),
        }
    }
}

fn element(writer: &mut Writer, operation: &str, name: &str, value: &Value) {
    match value {
        Value::Object(object) => {
            writer.open(name);
            members(writer, operation, object);
            writer.close(name);
        }
        value => writer.text(name, &xml::scalar(value)),
    }
}

/// The element's name for one item of a list or map.
fn singular<'a>(operation: &str, name: &'a str) -> &'a str {
    match (operation, name) {
        ("SendMessageBatch", "Successful") => "SendMessageBatchResultEntry",
        ("DeleteMessageBatch", "Successful") => "DeleteMessageBatchResultEntry",
        ("ChangeMessageVisibilityBatch", "Successful") => "ChangeMessageVisibilityBatchResultEntry",
        (_, "Failed") => "BatchResultErrorEntry",
        (_, "QueueUrls" | "queueUrls") => "QueueUrl",
        (_, name) => name.strip_suffix('s').unwrap_or(name),
    }
}

/// An error under the code that the Query protocol has for it.
pub(super) fn error(request_id: &str, mut error: ApiError) -> Reply {
    error.code = legacy_code(&error.code).to_owned();
    query::error(NAMESPACE, request_id, &error)
}

/// Codes of the Query protocol (trait `awsQueryError` in the service model of SQS); also sent along with JSON.
pub(super) fn legacy_code(code: &str) -> &str {
    match code {
        "QueueDoesNotExist" => "AWS.SimpleQueueService.NonExistentQueue",
        "QueueNameExists" => "QueueAlreadyExists",
        "QueueDeletedRecently" => "AWS.SimpleQueueService.QueueDeletedRecently",
        "PurgeQueueInProgress" => "AWS.SimpleQueueService.PurgeQueueInProgress",
        "MessageNotInflight" => "AWS.SimpleQueueService.MessageNotInflight",
        "EmptyBatchRequest" => "AWS.SimpleQueueService.EmptyBatchRequest",
        "TooManyEntriesInBatchRequest" => "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
        "BatchEntryIdsNotDistinct" => "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
        "InvalidBatchEntryId" => "AWS.SimpleQueueService.InvalidBatchEntryId",
        "UnsupportedOperation" => "AWS.SimpleQueueService.UnsupportedOperation",
        code => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn flattened_lists_and_maps_are_read() {
        let form = "Action=SendMessage&QueueUrl=u&MessageBody=1&DelaySeconds=5&MessageAttribute.1.Name=k\
                    &MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=v\
                    &Attribute.1.Name=FifoQueue&Attribute.1.Value=true&AttributeName.1=All";
        let expected = json!({
            "QueueUrl": "u", "MessageBody": "1", "DelaySeconds": 5,
            "MessageAttributes": { "k": { "DataType": "String", "StringValue": "v" } },
            "Attributes": { "FifoQueue": "true" },
            "AttributeNames": ["All"],
        });
        assert_eq!(input(&uri::parse_query(form), "/").unwrap(), expected);
    }

    #[test]
    fn the_path_can_name_the_queue() {
        let read = input(&uri::parse_query("Action=ReceiveMessage"), "/000000000000/q").unwrap();
        assert_eq!(read, json!({ "QueueUrl": "http://localhost/000000000000/q" }));
    }

    #[test]
    fn answers_are_flattened() {
        let output = json!({ "Messages": [{ "Body": "b", "Attributes": { "SentTimestamp": "1" } }] });
        let reply = answer("ReceiveMessage", "r", &output);
        let text = std::str::from_utf8(&reply.body).unwrap();
        assert!(
            text.contains(
                "<ReceiveMessageResult><Message><Attribute><Name>SentTimestamp</Name><Value>1</Value></Attribute>\
                 <Body>b</Body></Message></ReceiveMessageResult>"
            ),
            "{text}"
        );
    }

    proptest! {
        #[test]
        fn any_form_can_be_read(text in "(Attribute|Tag|Entry)?[.0-9A-Za=&]{0,60}") {
            let _ = input(&uri::parse_query(&text), "/");
        }
    }
}
