use super::*;
use aws_sdk_cloudformation::types::Tag;
use std::collections::BTreeMap;

const TAGGED: &str = "
Resources:
  Queue: {Type: 'AWS::SQS::Queue', Properties: {QueueName: q, Tags: [{Key: own, Value: 1}, {Key: run, Value: own}]}}
  Bucket: {Type: 'AWS::S3::Bucket', Properties: {BucketName: tagged-bucket}}
  Group: {Type: 'AWS::Logs::LogGroup', Properties: {LogGroupName: g}}
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: ttt
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      StreamSpecification: {StreamViewType: NEW_IMAGE}
";

/// What the tag index knows, by ARN.
async fn index(stacks: &Stacks) -> BTreeMap<String, BTreeMap<String, String>> {
    let client = aws_sdk_resourcegroupstagging::Client::new(&stacks.local.config);
    let found: Vec<_> = client.get_resources().into_paginator().items().send().collect::<Result<_, _>>().await.unwrap();
    let tags = |list: Vec<aws_sdk_resourcegroupstagging::types::Tag>| list.into_iter().map(|tag| (tag.key, tag.value));
    found.into_iter().map(|one| (one.resource_arn.unwrap(), tags(one.tags.unwrap_or_default()).collect())).collect()
}

#[tokio::test]
async fn stack_tags_reach_exactly_what_aws_lets_them_reach() {
    let stacks = stacks().await;
    let tag = Tag::builder().key("run").value("r1").build();
    let request = stacks.client.create_stack().stack_name("tagged").template_body(TAGGED).tags(tag);
    let id = request.send().await.unwrap().stack_id.unwrap();
    let status = stacks.settled(&id).await.stack_status.unwrap();
    assert_eq!(status.as_str(), "CREATE_COMPLETE", "{:#?}", stacks.told(&id).await);
    let index = index(&stacks).await;
    let run = |value: &str| BTreeMap::from([("run".to_owned(), value.to_owned())]);
    let with_system = |logical: &str| {
        let mut tags = run("r1");
        let system = [("stack-name", "tagged"), ("stack-id", id.as_str()), ("logical-id", logical)];
        tags.extend(system.map(|(key, value)| (format!("aws:cloudformation:{key}"), value.to_owned())));
        tags
    };
    let mut own = run("own");
    own.insert("own".to_owned(), "1".to_owned());
    let prefix = "us-east-1:000000000000";
    assert_eq!(index[&id], run("r1"));
    assert_eq!(index[&format!("arn:aws:sqs:{prefix}:q")], own);
    assert_eq!(index[&format!("arn:aws:dynamodb:{prefix}:table/ttt")], run("r1"));
    assert_eq!(index["arn:aws:s3:::tagged-bucket"], with_system("Bucket"));
    assert_eq!(index[&format!("arn:aws:logs:{prefix}:log-group:g")], with_system("Group"));
    assert_eq!(index.len(), 5, "the stream has no tags of its own: {index:#?}");
}
