use super::*;

const EXPORTER: &str = "
Resources: {Q: {Type: 'AWS::SQS::Queue', Properties: {QueueName: shared}}}
Outputs: {Name: {Value: !GetAtt Q.QueueName, Export: {Name: !Sub '${AWS::StackName}-name'}}}
";
const IMPORTER: &str = "
Parameters: {From: {Type: String, Default: one}}
Resources: {G: {Type: 'AWS::Logs::LogGroup', Properties: {LogGroupName: !ImportValue {'Fn::Sub': '${From}-name'}}}}
";

#[tokio::test]
async fn an_export_in_use_cancels_the_deletion_and_leaves_the_status() {
    let stacks = stacks().await;
    let (one, _) = stacks.created("one", EXPORTER).await;
    let (two, status) = stacks.created("two", IMPORTER).await;
    assert_eq!(status, "CREATE_COMPLETE");
    let logs = aws_sdk_cloudwatchlogs::Client::new(&stacks.local.config);
    let groups = logs.describe_log_groups().send().await.unwrap().log_groups.unwrap();
    assert_eq!(groups[0].log_group_name(), Some("shared"));

    assert_eq!(stacks.deleted(&one).await, "CREATE_COMPLETE");
    let last = stacks.told(&one).await.pop().unwrap();
    assert_eq!(last, "one CREATE_COMPLETE Export one-name cannot be deleted as it is in use by two");
    assert_eq!(stacks.deleted(&two).await, "DELETE_COMPLETE");
    assert_eq!(stacks.deleted(&one).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn exports_are_unique_and_imports_must_exist() {
    let stacks = stacks().await;
    let fixed = |queue: &str| {
        format!(
            "Resources: {{Q: {{Type: 'AWS::SQS::Queue', Properties: {{QueueName: {queue}}}}}}}\nOutputs: {{O: {{Value: x, Export: {{Name: e}}}}}}"
        )
    };
    assert_eq!(stacks.created("one", &fixed("a")).await.1, "CREATE_COMPLETE");
    let (id, status) = stacks.created("two", &fixed("b")).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    let told = stacks.told(&id).await;
    assert!(told.iter().any(|line| line.contains("Export with name e is already exported by stack one.")), "{told:#?}");
    let exports = stacks.client.list_exports().send().await.unwrap().exports.unwrap();
    assert_eq!((exports.len(), exports[0].name()), (1, Some("e")));

    let (id, status) = stacks.created("three", IMPORTER).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    assert!(stacks.told(&id).await.contains(&"G CREATE_FAILED No export named one-name found.".to_owned()));
}
