use super::*;
use aws_sdk_cloudformation::types::{DeletionMode, Parameter};

async fn bucket_stack(stacks: &Stacks, name: &str) -> (String, aws_sdk_s3::Client) {
    let parameter = Parameter::builder().parameter_key("Name").parameter_value(name).build();
    let request = stacks.client.create_stack().stack_name(name).template_body(BUCKET).parameters(parameter);
    let id = request.send().await.unwrap().stack_id.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "CREATE_COMPLETE");
    let config = aws_sdk_s3::config::Builder::from(&stacks.local.config).force_path_style(true).build();
    let s3 = aws_sdk_s3::Client::from_conf(config);
    s3.put_object().bucket(name).key("k").body(b"x".to_vec().into()).send().await.unwrap();
    (id, s3)
}

#[tokio::test]
async fn a_full_bucket_stops_the_deletion_until_it_is_emptied() {
    let stacks = stacks().await;
    let (id, s3) = bucket_stack(&stacks, "full").await;
    assert_eq!(stacks.deleted(&id).await, "DELETE_FAILED");
    let stack = stacks.describe(&id).await;
    assert_eq!(stack.stack_status_reason.unwrap().trim(), "The following resource(s) failed to delete: [Bucket].");
    let told = stacks.told(&id).await;
    let cause = told.iter().find(|line| line.starts_with("Bucket DELETE_FAILED")).unwrap();
    assert!(cause.contains("not empty") && cause.contains("Service: S3"), "{cause}");
    let expected =
        [("Bucket".to_owned(), "DELETE_FAILED".to_owned()), ("Queue".to_owned(), "DELETE_COMPLETE".to_owned())];
    assert_eq!(stacks.resources(&id).await, expected);

    s3.delete_object().bucket("full").key("k").send().await.unwrap();
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
    assert!(s3.list_buckets().send().await.unwrap().buckets.unwrap_or_default().is_empty());
}

#[tokio::test]
async fn retaining_and_forcing_are_for_failed_deletions_only() {
    let stacks = stacks().await;
    let (id, s3) = bucket_stack(&stacks, "kept").await;
    let retain = |name: &str| stacks.client.delete_stack().stack_name(&id).retain_resources(name).send();
    let force = || stacks.client.delete_stack().stack_name(&id).deletion_mode(DeletionMode::ForceDeleteStack).send();
    assert_eq!(refusal(retain("Bucket").await).0, "ValidationError");
    assert_eq!(refusal(force().await).0, "ValidationError");
    assert_eq!(stacks.deleted(&id).await, "DELETE_FAILED");
    assert_eq!(refusal(retain("Nobody").await).0, "ValidationError");
    retain("Bucket").await.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "DELETE_COMPLETE");
    assert_eq!(stacks.resources(&id).await[0].1, "DELETE_SKIPPED");
    assert_eq!(s3.list_buckets().send().await.unwrap().buckets.unwrap().len(), 1);

    let (id, s3) = bucket_stack(&stacks, "forced").await;
    assert_eq!(stacks.deleted(&id).await, "DELETE_FAILED");
    stacks.client.delete_stack().stack_name(&id).deletion_mode(DeletionMode::ForceDeleteStack).send().await.unwrap();
    let stack = stacks.settled(&id).await;
    assert_eq!(stack.stack_status.unwrap().as_str(), "DELETE_COMPLETE");
    assert_eq!(stack.deletion_mode.unwrap(), DeletionMode::ForceDeleteStack);
    assert_eq!(s3.list_buckets().send().await.unwrap().buckets.unwrap().len(), 2);
}

#[tokio::test]
async fn retained_resources_are_skipped() {
    let stacks = stacks().await;
    let body = "
Resources:
  A: {Type: 'AWS::SQS::Queue', DeletionPolicy: Retain, Properties: {QueueName: a}}
  B: {Type: 'AWS::SQS::Queue', DeletionPolicy: RetainExceptOnCreate, Properties: {QueueName: b}}
  C: {Type: 'AWS::SQS::Queue', Properties: {QueueName: c}}
";
    let (id, _) = stacks.created("retain", body).await;
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
    let statuses: Vec<String> = stacks.resources(&id).await.into_iter().map(|(_, status)| status).collect();
    assert_eq!(statuses, ["DELETE_SKIPPED", "DELETE_SKIPPED", "DELETE_COMPLETE"]);
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    assert_eq!(sqs.list_queues().send().await.unwrap().queue_urls.unwrap().len(), 2);
}

#[tokio::test]
async fn rolling_a_creation_back_spares_retain_but_not_retain_except_on_create() {
    let stacks = stacks().await;
    let body = "
Resources:
  A: {Type: 'AWS::SQS::Queue', DeletionPolicy: Retain, Properties: {QueueName: a}}
  B: {Type: 'AWS::SQS::Queue', DeletionPolicy: RetainExceptOnCreate, Properties: {QueueName: b}}
  C: {Type: 'AWS::SQS::Queue', DependsOn: [A, B], Properties: {VisibilityTimeout: 99999999}}
";
    let (id, status) = stacks.created("retain", body).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    let statuses: Vec<String> = stacks.resources(&id).await.into_iter().map(|(_, status)| status).collect();
    assert_eq!(statuses, ["DELETE_SKIPPED", "DELETE_COMPLETE", "DELETE_COMPLETE"]);
}

#[tokio::test]
async fn a_protected_stack_is_not_deleted() {
    let stacks = stacks().await;
    let request = stacks.client.create_stack().stack_name("safe").template_body(THREE);
    let id = request.enable_termination_protection(true).send().await.unwrap().stack_id.unwrap();
    stacks.settled(&id).await;
    let refused = refusal(stacks.client.delete_stack().stack_name("safe").send().await);
    let text = "Stack [safe] cannot be deleted while TerminationProtection is enabled";
    assert_eq!(refused, ("ValidationError".to_owned(), text.to_owned()));
    assert_eq!(stacks.describe(&id).await.stack_status.unwrap().as_str(), "CREATE_COMPLETE");
    let change = stacks.client.update_termination_protection().stack_name("safe");
    change.enable_termination_protection(false).send().await.unwrap();
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn deleting_what_is_not_there_succeeds() {
    let stacks = stacks().await;
    stacks.client.delete_stack().stack_name("nobody").send().await.unwrap();
    let (id, _) = stacks.created("demo", THREE).await;
    stacks.deleted(&id).await;
    let before = stacks.events(&id).await.len();
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
    assert_eq!(stacks.events(&id).await.len(), before);
}

#[tokio::test]
async fn resources_that_somebody_else_has_deleted_do_not_stop_the_deletion() {
    let stacks = stacks().await;
    let (id, _) = stacks.created("demo", THREE).await;
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    let url = sqs.list_queues().send().await.unwrap().queue_urls.unwrap().remove(0);
    sqs.delete_queue().queue_url(url).send().await.unwrap();
    let logs = aws_sdk_cloudwatchlogs::Client::new(&stacks.local.config);
    let group = logs.describe_log_groups().send().await.unwrap().log_groups.unwrap().remove(0);
    logs.delete_log_group().log_group_name(group.log_group_name.unwrap()).send().await.unwrap();
    let tables = aws_sdk_dynamodb::Client::new(&stacks.local.config);
    tables.delete_table().table_name("demo-table").send().await.unwrap();
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn a_scripted_failure_hits_one_deletion() {
    let stacks = with_faults(
        "rules: [{service: cloudformation, operation: DeleteStack, when: {nth: 1}, effect: {delete_failed: {logical_id: Table}}}]",
    )
    .await;
    let (id, _) = stacks.created("demo", THREE).await;
    assert_eq!(stacks.deleted(&id).await, "DELETE_FAILED");
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}
