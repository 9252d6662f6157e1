//! One native reading of tags for each type.

use crate::cloud::{
    Clients, Failure, PageCap, RefusalKind, buckets, functions, logs, mappings, queues, roles, stacks, tables,
};
use std::collections::BTreeMap;

/// What a service says of a resource's tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Tags.
    Tags(BTreeMap<String, String>),
    /// The type cannot carry tags.
    Untaggable,
    /// The resource is not there.
    Gone,
    /// Not known, and why.
    Unread(String),
}

/// Types without tags (CloudFormation resource schemas, `tagging`).
const UNTAGGABLE: [&str; 8] = [
    "AWS::Lambda::Version",
    "AWS::Lambda::Alias",
    "AWS::Lambda::Permission",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::IAM::Policy",
    "AWS::IAM::RolePolicy",
    "AWS::IAM::ManagedPolicy",
    "AWS::SQS::QueuePolicy",
];

/// Asks the owning service.
pub(super) async fn tags(clients: &Clients, kind: &str, id: &str, cap: PageCap) -> Reading {
    if UNTAGGABLE.contains(&kind) {
        return Reading::Untaggable;
    }
    let answer = match kind {
        "AWS::CloudFormation::Stack" => stack(clients, id).await,
        "AWS::S3::Bucket" => buckets::tags(clients, id).await.into_result(),
        "AWS::SQS::Queue" => queues::tags(clients, id).await.into_result(),
        "AWS::DynamoDB::Table" => table(clients, id, cap).await,
        "AWS::DynamoDB::Stream" => tables::tags(clients, id, cap).await.into_result(),
        "AWS::Lambda::Function" => function(clients, id).await,
        "AWS::Lambda::EventSourceMapping" => mapping(clients, id).await,
        "AWS::Logs::LogGroup" => log_group(clients, id, cap).await,
        "AWS::IAM::Role" => roles::tags(clients, id, cap).await.into_result(),
        _ => return Reading::Unread(format!("no native reading of tags for {kind}")),
    };
    match answer {
        Ok(tags) => Reading::Tags(tags),
        Err(failure) if failure.is_not_found() => Reading::Gone,
        Err(failure) => Reading::Unread(failure.to_string()),
    }
}

type Tags = Result<BTreeMap<String, String>, Failure>;

async fn stack(clients: &Clients, id: &str) -> Tags {
    let state = stacks::describe(clients, id).await.into_result()?;
    if state.status.is_deleted() { Err(gone()) } else { Ok(state.tags) }
}

async fn table(clients: &Clients, name: &str, cap: PageCap) -> Tags {
    let table = tables::describe(clients, name).await.into_result()?;
    tables::tags(clients, &table.arn, cap).await.into_result()
}

async fn function(clients: &Clients, name: &str) -> Tags {
    let function = functions::configuration(clients, name, None).await.into_result()?;
    functions::tags(clients, &function.arn).await.into_result()
}

async fn mapping(clients: &Clients, id: &str) -> Tags {
    let mapping = mappings::describe(clients, id).await.into_result()?;
    match mapping.arn {
        Some(arn) => functions::tags(clients, &arn).await.into_result(),
        None => Err(Failure::unknown("GetEventSourceMapping", "the answer holds no ARN, by which tags are read")),
    }
}

async fn log_group(clients: &Clients, name: &str, cap: PageCap) -> Tags {
    let group = logs::find(clients, name, cap).await.into_result()?.ok_or_else(gone)?;
    match group.arn {
        Some(arn) => logs::tags(clients, &arn).await.into_result(),
        None => Err(Failure::unknown("DescribeLogGroups", "the answer holds no ARN, by which tags are read")),
    }
}

fn gone() -> Failure {
    Failure::refused(RefusalKind::NotFound, "Gone", "deleted")
}
