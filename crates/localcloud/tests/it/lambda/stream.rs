use super::support::{Lab, until};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
    StreamSpecification, StreamViewType,
};
use aws_sdk_lambda::types::EventSourcePosition;
use serde_json::Value;

async fn table(lab: &Lab) -> (aws_sdk_dynamodb::Client, String) {
    let dynamo = aws_sdk_dynamodb::Client::new(&lab.local.config);
    let key = KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash).build().unwrap();
    let id = AttributeDefinition::builder().attribute_name("id").attribute_type(ScalarAttributeType::S);
    let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewImage);
    let request = dynamo.create_table().table_name("journal").key_schema(key);
    let request = request.attribute_definitions(id.build().unwrap()).billing_mode(BillingMode::PayPerRequest);
    let created = request.stream_specification(stream.build().unwrap()).send().await.unwrap();
    let is_active = async || {
        let shown = dynamo.describe_table().table_name("journal").send().await.unwrap();
        shown.table().unwrap().table_status() == Some(&aws_sdk_dynamodb::types::TableStatus::Active)
    };
    until("the table is active", is_active).await;
    (dynamo, created.table_description.unwrap().latest_stream_arn.unwrap())
}

async fn put(dynamo: &aws_sdk_dynamodb::Client, id: &str) {
    let request = dynamo.put_item().table_name("journal").item("id", AttributeValue::S(id.to_owned()));
    request.send().await.unwrap();
}

async fn events(lab: &Lab) -> Vec<Value> {
    let logs = aws_sdk_cloudwatchlogs::Client::new(&lab.local.config);
    let found = logs.filter_log_events().log_group_name("/aws/lambda/f").send().await;
    let lines = found.ok().and_then(|page| page.events).unwrap_or_default();
    let events = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line.message()?).ok());
    events.flat_map(|event| event["Records"].as_array().cloned().unwrap_or_default()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_reach_the_function_in_order() {
    let lab = Lab::start().await;
    lab.plain("f", "records", 3).await;
    let (dynamo, stream) = table(&lab).await;
    put(&dynamo, "before").await;
    let request = lab.lambda.create_event_source_mapping().function_name("f").event_source_arn(&stream);
    request.starting_position(EventSourcePosition::TrimHorizon).send().await.unwrap();
    put(&dynamo, "after").await;
    until("both arrive", async || events(&lab).await.len() == 2).await;
    let events = events(&lab).await;
    let images: Vec<&str> = events.iter().map(|e| e["dynamodb"]["NewImage"]["id"]["S"].as_str().unwrap()).collect();
    assert_eq!(images, ["before", "after"]);
    let first = &events[0];
    assert_eq!((&first["eventName"], &first["eventSource"]), (&"INSERT".into(), &"aws:dynamodb".into()));
    assert_eq!(first["eventSourceARN"], stream.as_str());
    assert!(first["dynamodb"]["SequenceNumber"].is_string() && first["dynamodb"]["Keys"]["id"]["S"] == "before");
    lab.close().await;
}
