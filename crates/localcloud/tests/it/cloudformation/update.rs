use super::*;
use aws_sdk_cloudformation::types::{Parameter, Tag};
use aws_sdk_sqs::types::QueueAttributeName;

const BEFORE: &str = "
Parameters: {Timeout: {Type: Number, Default: 30}, Size: {Type: Number, Default: 1024}}
Resources:
  Queue: {Type: 'AWS::SQS::Queue', Properties: {VisibilityTimeout: !Ref Timeout}}
  Group: {Type: 'AWS::Logs::LogGroup', Properties: {LogGroupName: !Sub '/${Queue.QueueName}'}}
  Old: {Type: 'AWS::SQS::Queue', Properties: {MaximumMessageSize: !Ref Size}}
Outputs: {Url: {Value: !Ref Queue}}
";

async fn attribute(stacks: &Stacks, url: &str, name: QueueAttributeName) -> String {
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    let answer = sqs.get_queue_attributes().queue_url(url).attribute_names(name.clone()).send().await.unwrap();
    answer.attributes.unwrap()[&name].clone()
}

async fn url(stacks: &Stacks, id: &str) -> String {
    stacks.describe(id).await.outputs.unwrap().remove(0).output_value.unwrap()
}

#[tokio::test]
async fn an_update_changes_in_place_replaces_adds_and_removes() {
    let stacks = stacks().await;
    let (id, _) = stacks.created("demo", BEFORE).await;
    let before = url(&stacks, &id).await;
    let timeout = |value: &str| Parameter::builder().parameter_key("Timeout").parameter_value(value).build();
    let update = || stacks.client.update_stack().stack_name("demo");
    let refused = refusal(update().template_body(BEFORE).send().await);
    assert_eq!(refused, ("ValidationError".to_owned(), "No updates are to be performed.".to_owned()));

    update().use_previous_template(true).parameters(timeout("45")).send().await.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "UPDATE_COMPLETE");
    assert_eq!(url(&stacks, &id).await, before);
    assert_eq!(attribute(&stacks, &before, QueueAttributeName::VisibilityTimeout).await, "45");

    let after = BEFORE.replace("VisibilityTimeout: !Ref Timeout", "FifoQueue: true").replace("  Old:", "  New:");
    update().template_body(after).send().await.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "UPDATE_COMPLETE");
    let replaced = url(&stacks, &id).await;
    assert!(replaced.ends_with(".fifo") && replaced != before, "{replaced}");
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    let urls = sqs.list_queues().send().await.unwrap().queue_urls.unwrap();
    assert_eq!(urls.len(), 2, "{urls:?}");
    assert!(!urls.contains(&before));
    let told = stacks.told(&id).await;
    for line in [
        "Queue UPDATE_IN_PROGRESS Requested update requires the creation of a new physical resource; hence creating one.",
        "Queue UPDATE_COMPLETE",
        "Group UPDATE_COMPLETE",
        "New CREATE_COMPLETE",
        "demo UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
        "Old DELETE_COMPLETE",
    ] {
        assert!(told.contains(&line.to_owned()), "{line} in {told:#?}");
    }
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
    assert!(sqs.list_queues().send().await.unwrap().queue_urls.unwrap_or_default().is_empty());
}

#[tokio::test]
async fn a_failed_update_brings_everything_back() {
    let stacks = stacks().await;
    let (id, _) = stacks.created("demo", BEFORE).await;
    let before = url(&stacks, &id).await;
    let after = BEFORE
        .replace("!Ref Timeout", "50")
        .replace("Resources:", "Resources:\n  More: {Type: 'AWS::SQS::Queue', DependsOn: Queue}")
        .replace("  Old: {Type: 'AWS::SQS::Queue'", "  Old: {Type: 'AWS::SQS::Queue', DependsOn: More")
        .replace("!Ref Size", "1");
    let answer = stacks.client.update_stack().stack_name("demo").template_body(after).send().await.unwrap();
    assert!(answer.operation_id.is_some());
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "UPDATE_ROLLBACK_COMPLETE");
    assert_eq!(url(&stacks, &id).await, before);
    assert_eq!(attribute(&stacks, &before, QueueAttributeName::VisibilityTimeout).await, "30");
    let told = stacks.told(&id).await;
    assert!(told.iter().any(|line| line.starts_with("Old UPDATE_FAILED Resource handler")), "{told:#?}");
    assert!(told.contains(&"More DELETE_COMPLETE".to_owned()), "{told:#?}");
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn tags_alone_are_an_update() {
    let stacks = stacks().await;
    let (id, _) = stacks.created("demo", BEFORE).await;
    let tag = Tag::builder().key("k").value("v").build();
    let request = stacks.client.update_stack().stack_name("demo").use_previous_template(true).tags(tag);
    request.send().await.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "UPDATE_COMPLETE");
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    let queue = url(&stacks, &id).await;
    let tags = sqs.list_queue_tags().queue_url(queue).send().await.unwrap().tags.unwrap();
    assert_eq!(tags["k"], "v");
}

#[tokio::test]
async fn unknown_properties_stop_an_update_before_the_first_change() {
    let stacks = stacks().await;
    let (id, _) = stacks.created("demo", BEFORE).await;
    let body = BEFORE.replace("MaximumMessageSize:", "MaximumSize:").replace("!Ref Timeout", "50");
    stacks.client.update_stack().stack_name("demo").template_body(body).send().await.unwrap();
    let stack = stacks.settled(&id).await;
    assert_eq!(stack.stack_status().unwrap().as_str(), "UPDATE_ROLLBACK_COMPLETE");
    assert!(!stacks.told(&id).await.iter().any(|line| line.starts_with("Queue UPDATE")));
}
