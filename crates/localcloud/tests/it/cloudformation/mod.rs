//! CloudFormation as its SDK sees it.

mod change_set;
mod create;
mod delete;
mod exports;
mod listing;
mod tags;
mod types;
mod update;

use crate::support::{Local, start, start_with};
use aws_sdk_cloudformation::Client;
use aws_sdk_cloudformation::error::ProvideErrorMetadata;
use aws_sdk_cloudformation::types::{Stack, StackEvent};
use localcloud::Options;
use localcloud::fault::Script;
use std::time::Duration;
use tokio::time::Instant;

/// A queue, a table that is named after it, and a log group.
const THREE: &str = "
Description: three things
Parameters:
  Retention: {Type: Number, Default: '7'}
Resources:
  Queue:
    Type: AWS::SQS::Queue
    Properties: {FifoQueue: true, VisibilityTimeout: 30}
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub '${AWS::StackName}-table'
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      StreamSpecification: {StreamViewType: NEW_IMAGE}
  Group:
    Type: AWS::Logs::LogGroup
    DependsOn: Table
    Properties: {LogGroupName: !Sub '/x/${Queue.QueueName}', RetentionInDays: !Ref Retention}
Outputs:
  QueueUrl: {Value: !Ref Queue, Description: where}
  QueueArn: {Value: !GetAtt Queue.Arn}
  StreamArn: {Value: !GetAtt Table.StreamArn}
  Table: {Value: !Ref Table}
  GroupArn: {Value: !GetAtt Group.Arn}
";

/// One bucket by name.
const BUCKET: &str = "
Parameters: {Name: {Type: String}}
Resources:
  Bucket: {Type: 'AWS::S3::Bucket', Properties: {BucketName: !Ref Name}}
  Queue: {Type: 'AWS::SQS::Queue', DependsOn: Bucket}
";

/// A stack's resources: one made, one that the queue service refuses.
const BROKEN: &str = "
Resources:
  Good: {Type: 'AWS::SQS::Queue', Properties: {QueueName: good}}
  Bad: {Type: 'AWS::SQS::Queue', DependsOn: Good, Properties: {QueueName: bad, VisibilityTimeout: 99999999}}
  Never: {Type: 'AWS::SQS::Queue', DependsOn: Bad}
";

struct Stacks {
    local: Local,
    client: Client,
}

async fn stacks() -> Stacks {
    let local = start().await;
    let client = Client::new(&local.config);
    Stacks { local, client }
}

async fn with_faults(yaml: &str) -> Stacks {
    let faults = Some(Script::from_yaml("faults.yaml", yaml).unwrap());
    let local = start_with(Options { faults, ..Options::default() }).await;
    let client = Client::new(&local.config);
    Stacks { local, client }
}

impl Stacks {
    /// Creates a stack and answers its id at once.
    async fn create(&self, name: &str, body: &str) -> String {
        let answer = self.client.create_stack().stack_name(name).template_body(body).send().await.unwrap();
        answer.stack_id.unwrap()
    }

    /// The stack once it no longer moves.
    async fn settled(&self, id: &str) -> Stack {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let stack = self.describe(id).await;
            let status = stack.stack_status.clone().unwrap();
            if !status.as_str().ends_with("_IN_PROGRESS") || status.as_str() == "REVIEW_IN_PROGRESS" {
                return stack;
            }
            assert!(Instant::now() < until, "{status} for 20 s");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn describe(&self, id: &str) -> Stack {
        let answer = self.client.describe_stacks().stack_name(id).send().await.unwrap();
        answer.stacks.unwrap().remove(0)
    }

    /// Creates a stack and waits; answers its id and status.
    async fn created(&self, name: &str, body: &str) -> (String, String) {
        let id = self.create(name, body).await;
        let status = self.settled(&id).await.stack_status.unwrap();
        (id, status.as_str().to_owned())
    }

    /// Deletes a stack and waits; answers its status.
    async fn deleted(&self, id: &str) -> String {
        self.client.delete_stack().stack_name(id).send().await.unwrap();
        self.settled(id).await.stack_status.unwrap().as_str().to_owned()
    }

    /// All events, oldest first.
    async fn events(&self, id: &str) -> Vec<StackEvent> {
        let pages = self.client.describe_stack_events().stack_name(id).into_paginator().items().send();
        let mut events: Vec<StackEvent> = pages.collect::<Result<_, _>>().await.unwrap();
        events.reverse();
        events
    }

    /// Events as `Logical STATUS reason`, oldest first.
    async fn told(&self, id: &str) -> Vec<String> {
        let tell = |event: StackEvent| {
            let (name, status) = (event.logical_resource_id.unwrap(), event.resource_status.unwrap());
            let reason = event.resource_status_reason.unwrap_or_default();
            format!("{name} {status} {reason}").trim_end().to_owned()
        };
        self.events(id).await.into_iter().map(tell).collect()
    }

    /// Logical ids and statuses.
    async fn resources(&self, id: &str) -> Vec<(String, String)> {
        let pages = self.client.list_stack_resources().stack_name(id).into_paginator().items().send();
        let found: Vec<_> = pages.collect::<Result<_, _>>().await.unwrap();
        found
            .into_iter()
            .map(|one| (one.logical_resource_id.unwrap(), one.resource_status.unwrap().as_str().to_owned()))
            .collect()
    }
}

/// Code and message of a refusal.
fn refusal<T: std::fmt::Debug, E: ProvideErrorMetadata>(answer: Result<T, E>) -> (String, String) {
    let error = answer.err().unwrap();
    (error.code().unwrap_or_default().to_owned(), error.message().unwrap_or_default().to_owned())
}
