use super::*;
use aws_sdk_cloudformation::types::StackStatus;

#[tokio::test]
async fn stacks_are_listed_by_status_and_described_by_page() {
    let stacks = stacks().await;
    let queue = "Resources: {Q: {Type: 'AWS::SQS::Queue'}}";
    let mut ids = Vec::new();
    for number in 0..55 {
        ids.push(stacks.create(&format!("s{number}"), queue).await);
    }
    for id in &ids {
        stacks.settled(id).await;
    }
    assert_eq!(stacks.deleted(&ids[0]).await, "DELETE_COMPLETE");
    let described: Vec<_> =
        stacks.client.describe_stacks().into_paginator().items().send().collect::<Result<Vec<_>, _>>().await.unwrap();
    assert_eq!(described.len(), 54);
    assert!(stacks.client.describe_stacks().send().await.unwrap().next_token.is_some());
    let list = |status: StackStatus| stacks.client.list_stacks().stack_status_filter(status).send();
    let gone = list(StackStatus::DeleteComplete).await.unwrap().stack_summaries.unwrap();
    assert_eq!((gone.len(), gone[0].stack_id()), (1, Some(ids[0].as_str())));
    assert_eq!(list(StackStatus::CreateComplete).await.unwrap().stack_summaries.unwrap().len(), 54);
    assert_eq!(stacks.client.list_stacks().send().await.unwrap().stack_summaries.unwrap().len(), 55);
}

#[tokio::test]
async fn events_and_resources_come_in_pages_of_a_hundred() {
    let stacks = stacks().await;
    let queues: String = (0..120).map(|number| format!("  Q{number:03}: {{Type: 'AWS::SQS::Queue'}}\n")).collect();
    let (id, status) = stacks.created("many", &format!("Resources:\n{queues}")).await;
    assert_eq!(status, "CREATE_COMPLETE");
    let first = stacks.client.describe_stack_events().stack_name(&id).send().await.unwrap();
    assert_eq!(first.stack_events().len(), 100);
    assert_eq!(first.stack_events()[0].resource_status().unwrap().as_str(), "CREATE_COMPLETE");
    assert_eq!(stacks.events(&id).await.len(), 2 + 3 * 120);
    let page = stacks.client.list_stack_resources().stack_name(&id).send().await.unwrap();
    assert_eq!((page.stack_resource_summaries().len(), page.next_token.is_some()), (100, true));
    assert_eq!(stacks.resources(&id).await.len(), 120);
    let bad = stacks.client.list_stack_resources().stack_name(&id).next_token("nonsense").send().await;
    assert_eq!(refusal(bad).0, "ValidationError");
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn failures_of_one_operation_are_found_though_a_later_one_succeeded() {
    let stacks = stacks().await;
    let answer = stacks.client.create_stack().stack_name("broken").template_body(BROKEN).send().await.unwrap();
    let (id, operation) = (answer.stack_id.unwrap(), answer.operation_id.unwrap());
    stacks.settled(&id).await;
    stacks.deleted(&id).await;
    let filter = aws_sdk_cloudformation::types::EventFilter::builder().failed_events(true).build();
    let found = stacks.client.describe_events().operation_id(operation).filters(filter).send().await.unwrap();
    let found = found.operation_events.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].logical_resource_id(), Some("Bad"));
    assert_eq!(found[0].event_type().unwrap().as_str(), "PROVISIONING_ERROR");
    assert_eq!(found[0].operation_type().unwrap().as_str(), "CREATE_STACK");
    let none = stacks.client.describe_events().operation_id("nope").send().await;
    assert_eq!(refusal(none).0, "ValidationError");
}

#[tokio::test]
async fn resources_are_described_one_by_one_and_by_physical_id() {
    let stacks = stacks().await;
    let (id, _) = stacks.created("demo", THREE).await;
    let one = stacks.client.describe_stack_resource().stack_name("demo").logical_resource_id("Table").send().await;
    let one = one.unwrap().stack_resource_detail.unwrap();
    assert_eq!(one.physical_resource_id(), Some("demo-table"));
    assert_eq!(one.resource_type(), Some("AWS::DynamoDB::Table"));
    let by_id = stacks.client.describe_stack_resources().physical_resource_id("demo-table").send().await.unwrap();
    assert_eq!(by_id.stack_resources().len(), 3);
    assert_eq!(by_id.stack_resources()[0].stack_id(), Some(id.as_str()));
    let missing = stacks.client.describe_stack_resource().stack_name("demo").logical_resource_id("X").send().await;
    assert_eq!(refusal(missing).1, "Resource X does not exist for stack demo");
    for refused in [
        refusal(stacks.client.describe_stack_resources().stack_name("none").send().await),
        refusal(stacks.client.list_stack_resources().stack_name("none").send().await),
        refusal(stacks.client.get_template().stack_name("none").send().await),
    ] {
        assert_eq!(refused, ("ValidationError".to_owned(), "Stack with id none does not exist".to_owned()));
    }
    let refused = refusal(stacks.client.describe_stack_events().stack_name("none").send().await);
    assert_eq!(refused.1, "Stack [none] does not exist");
}

#[tokio::test]
async fn a_late_resource_is_missing_from_one_listing() {
    let rule = "{service: cloudformation, operation: ListStackResources, when: {nth: 1}, effect: late_resource}";
    let stacks = with_faults(&format!("rules: [{rule}]")).await;
    let (id, _) = stacks.created("demo", THREE).await;
    assert_eq!(stacks.resources(&id).await.len(), 2);
    assert_eq!(stacks.resources(&id).await.len(), 3);
}

#[tokio::test]
async fn templates_are_summarised() {
    let stacks = stacks().await;
    let body = "
Parameters: {Stage: {Type: String, AllowedValues: [a, b], Default: a, NoEcho: true}}
Resources: {R: {Type: 'AWS::IAM::Role', Properties: {AssumeRolePolicyDocument: {}}}, Q: {Type: 'AWS::SQS::Queue'}}
";
    let summary = stacks.client.get_template_summary().template_body(body).send().await.unwrap();
    assert_eq!(summary.resource_types(), ["AWS::IAM::Role", "AWS::SQS::Queue"]);
    assert_eq!(summary.capabilities()[0].as_str(), "CAPABILITY_IAM");
    let parameter = &summary.parameters()[0];
    assert_eq!((parameter.parameter_key(), parameter.no_echo()), (Some("Stage"), Some(true)));
    assert_eq!(parameter.parameter_constraints().unwrap().allowed_values(), ["a", "b"]);
    let valid = stacks.client.validate_template().template_body(body).send().await.unwrap();
    assert_eq!(valid.parameters()[0].default_value(), Some("a"));
    let refused = refusal(stacks.client.validate_template().template_body("Resources: 1").send().await);
    assert_eq!(
        refused,
        ("ValidationError".to_owned(), "Template format error: Resources must be an object.".to_owned())
    );
}
