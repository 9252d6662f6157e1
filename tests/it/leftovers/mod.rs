//! Teardown and audit on the embedded local cloud.

#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod audit;
mod cases;
mod faults;
mod teardown;

use assay::audit::{AuditLimits, AuditReport, AuditScope, Inventory, InventoryResource, InventoryStream, audit_at};
use assay::cloud::poll::{Polled, poll};
use assay::cloud::stacks::{self, CreateStack, StackState, Template};
use assay::cloud::{Clients, Outcome, Pace, PageCap, Surroundings, Target, Tuning, streams};
use assay::teardown::{BucketEntry, Options, StackEntry, TeardownInput, TeardownLimits, TeardownReport, teardown};
use localcloud::Cloud;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const ACCOUNT: &str = "000000000000";
const REGION: &str = "us-east-1";
const RUN: &str = "r1";
const STACK: &str = "assay-r1-all";
const BUCKET: &str = "assay-r1-artifacts";

/// One of each type whose end the audit has to prove.
const TEMPLATE: &str = "
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties: {BucketName: assay-r1-artifacts}
  Queue:
    Type: AWS::SQS::Queue
    Properties: {QueueName: !Sub '${AWS::StackName}-requests.fifo', FifoQueue: true}
  Table:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: POLICY
    Properties:
      TableName: !Sub '${AWS::StackName}-journal'
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: trial, AttributeType: S}]
      KeySchema: [{AttributeName: trial, KeyType: HASH}]
      StreamSpecification: {StreamViewType: NEW_IMAGE}
  Group:
    Type: AWS::Logs::LogGroup
    Properties: {LogGroupName: !Sub '/assay/${AWS::StackName}/caller'}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: '2012-10-17'
        Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: 'sts:AssumeRole'}]
Outputs:
  StreamArn: {Value: !GetAtt Table.StreamArn}
";

/// A cloud with one deployed stack.
struct Deployed {
    cloud: Cloud,
    clients: Clients,
    stack: StackState,
    inventory: Inventory,
}

fn pace() -> Pace {
    let ms = Duration::from_millis;
    Pace { interval: ms(5), ceiling: ms(40), timeout: Duration::from_secs(30), attempts: 2_000 }
}

async fn clients(cloud: &Cloud) -> Clients {
    let target = Target { profile: None, region: Some(REGION.into()), endpoint_url: Some(cloud.endpoint()) };
    let pause = Duration::from_millis(1);
    let tuning = Tuning { first_pause: pause, longest_pause: pause, read_attempts: 3, ..Tuning::default() };
    Clients::connect(&target, &Surroundings::default(), tuning).await.expect("clients")
}

async fn deploy() -> Deployed {
    deploy_with("Delete").await
}

async fn deploy_with(policy: &str) -> Deployed {
    let cloud = Cloud::start(localcloud::Options::default()).await.expect("a cloud");
    let clients = clients(&cloud).await;
    let request = CreateStack {
        name: STACK.into(),
        template: Template::Body(TEMPLATE.replace("POLICY", policy)),
        parameters: BTreeMap::new(),
        tags: tags(),
        capabilities: vec!["CAPABILITY_IAM".into()],
        token: "create-1".into(),
        keep_on_failure: false,
    };
    let id = stacks::create(&clients, &request).await.into_result().expect("a stack id");
    let stack = settled(&clients, &id).await;
    assert_eq!(stack.status.as_text(), "CREATE_COMPLETE", "{:?}", stack.reason);
    let stream = stack.outputs["StreamArn"].clone();
    assert!(streams::tag(&clients, &stream, &tags()).await.is_done());
    let inventory = inventory(&clients, &cloud, &stack, stream).await;
    Deployed { cloud, clients, stack, inventory }
}

fn tags() -> BTreeMap<String, String> {
    BTreeMap::from([("assay:run".to_owned(), RUN.to_owned())])
}

async fn settled(clients: &Clients, id: &str) -> StackState {
    let never = CancellationToken::new();
    let waited = poll(pace(), &never, || async {
        match stacks::describe(clients, id).await {
            Outcome::Done(state) => Outcome::Done(state.status.is_settled().then_some(state)),
            other => other.map(Some),
        }
    });
    match waited.await {
        Polled::Ready { value, .. } => value,
        other => panic!("{other:?}"),
    }
}

/// What the deploy stage seals.
async fn inventory(clients: &Clients, cloud: &Cloud, stack: &StackState, stream: String) -> Inventory {
    let resources = stacks::resources(clients, &stack.id, PageCap::default()).await.into_result().expect("resources");
    let resources = resources
        .items
        .into_iter()
        .filter_map(|r| Some(InventoryResource { resource_type: r.resource_type, physical_id: r.physical_id? }));
    Inventory {
        region: REGION.into(),
        sealed_at_ms: Some(cloud.clock().now_ms()),
        stacks: vec![stack.id.clone()],
        resources: resources.collect(),
        streams: vec![InventoryStream { arn: stream, deleted: None }],
        durable: Vec::new(),
    }
}

impl Deployed {
    fn input(&self, options: Options) -> TeardownInput {
        TeardownInput {
            run: RUN.into(),
            account: ACCOUNT.into(),
            run_tag: "assay:run".into(),
            stacks: vec![StackEntry { name: STACK.into(), id: Some(self.stack.id.clone()), ..StackEntry::default() }],
            buckets: vec![BucketEntry { name: BUCKET.into(), stack: STACK.into() }],
            options,
            ..TeardownInput::default()
        }
    }

    async fn tear_down(&self, options: Options) -> TeardownReport {
        let limits = TeardownLimits { stack: pace(), settle: pace(), ..TeardownLimits::default() };
        teardown(self.input(options), &self.clients, limits, &CancellationToken::new(), Arc::new(())).await
    }

    /// By tag, prefix and inventory, judged by the cloud's clock.
    async fn audit(&self) -> AuditReport {
        self.audit_scope(&self.scope()).await
    }

    fn scope(&self) -> AuditScope {
        AuditScope {
            account: ACCOUNT.into(),
            regions: vec![REGION.into()],
            tag: Some(("assay:run".into(), RUN.into())),
            prefix: Some("assay-r1-".into()),
            inventory: self.inventory.clone(),
            run: Some(RUN.into()),
            ..AuditScope::default()
        }
    }

    async fn audit_scope(&self, scope: &AuditScope) -> AuditReport {
        let clock = self.cloud.clock().clone();
        let limits = AuditLimits::default();
        audit_at(scope, &self.clients, limits, &CancellationToken::new(), move || clock.now_ms()).await
    }
}

/// Emptying is allowed, as it is in a run.
fn emptying() -> Options {
    Options { empty_buckets: true, ..Options::default() }
}

/// Clients that outlast much throttling.
async fn patient_clients(cloud: &Cloud) -> Clients {
    let target = Target { profile: None, region: Some(REGION.into()), endpoint_url: Some(cloud.endpoint()) };
    let pause = Duration::from_millis(1);
    let tuning = Tuning { first_pause: pause, longest_pause: pause, read_attempts: 12, ..Tuning::default() };
    Clients::connect(&target, &Surroundings::default(), tuning).await.expect("clients")
}

/// Deploys a stack of one queue; gives its id.
async fn queue_stack(clients: &Clients, name: &str) -> String {
    let template = "Resources: {Queue: {Type: 'AWS::SQS::Queue'}}";
    let request = CreateStack {
        name: name.to_owned(),
        template: Template::Body(template.into()),
        parameters: BTreeMap::new(),
        tags: tags(),
        capabilities: Vec::new(),
        token: format!("create-{name}"),
        keep_on_failure: false,
    };
    let id = stacks::create(clients, &request).await.into_result().expect("a stack id");
    settled(clients, &id).await.id
}

async fn tear_down_all(clients: &Clients, names: &[String], ids: &[String]) -> TeardownReport {
    let entry = |(name, id): (&String, &String)| StackEntry {
        name: name.clone(),
        id: Some(id.clone()),
        ..StackEntry::default()
    };
    let input = TeardownInput {
        run: RUN.into(),
        account: ACCOUNT.into(),
        run_tag: "assay:run".into(),
        stacks: names.iter().zip(ids).map(entry).collect(),
        ..TeardownInput::default()
    };
    let limits = TeardownLimits { stack: pace(), settle: pace(), ..TeardownLimits::default() };
    teardown(input, clients, limits, &CancellationToken::new(), Arc::new(())).await
}

/// By tag and prefix, judged by the cloud's clock.
async fn audit_by_prefix(cloud: &Cloud, clients: &Clients) -> AuditReport {
    let scope = AuditScope {
        account: ACCOUNT.into(),
        regions: vec![REGION.into()],
        tag: Some(("assay:run".into(), RUN.into())),
        prefix: Some("assay-r1-".into()),
        ..AuditScope::default()
    };
    let clock = cloud.clock().clone();
    audit_at(&scope, clients, AuditLimits::default(), &CancellationToken::new(), move || clock.now_ms()).await
}
