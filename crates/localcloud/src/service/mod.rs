//! The services, each in a module of its own with its own slice of state.

pub(crate) mod cloudformation;
pub(crate) mod costexplorer;
pub(crate) mod dynamodb;
pub(crate) mod iam;
pub(crate) mod input;
pub(crate) mod lambda;
pub(crate) mod logs;
pub(crate) mod s3;
pub(crate) mod sqs;
pub(crate) mod streams;
pub(crate) mod sts;
pub(crate) mod tagging;

pub use costexplorer::Bill;

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::pin::Pin;

/// The services that the cloud knows, by the names that their endpoints have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Service {
    /// CloudFormation.
    CloudFormation,
    /// Cost Explorer.
    CostExplorer,
    /// DynamoDB tables and items.
    DynamoDb,
    /// DynamoDB Streams.
    DynamoDbStreams,
    /// Identity and Access Management.
    Iam,
    /// Lambda.
    Lambda,
    /// CloudWatch Logs.
    Logs,
    /// Simple Storage Service.
    S3,
    /// Simple Queue Service.
    Sqs,
    /// Security Token Service.
    Sts,
    /// Resource Groups Tagging API.
    Tagging,
}

impl Service {
    /// The lower-case name, as fault scripts write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CloudFormation => "cloudformation",
            Self::CostExplorer => "costexplorer",
            Self::DynamoDb => "dynamodb",
            Self::DynamoDbStreams => "dynamodbstreams",
            Self::Iam => "iam",
            Self::Lambda => "lambda",
            Self::Logs => "logs",
            Self::S3 => "s3",
            Self::Sqs => "sqs",
            Self::Sts => "sts",
            Self::Tagging => "tagging",
        }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One region's state: a slice for each service. Services without regions (IAM, S3) keep theirs under
/// [`crate::cloud::GLOBAL`].
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) cloudformation: cloudformation::State,
    pub(crate) costexplorer: costexplorer::State,
    pub(crate) dynamodb: dynamodb::State,
    pub(crate) iam: iam::State,
    pub(crate) lambda: lambda::State,
    pub(crate) logs: logs::State,
    pub(crate) s3: s3::State,
    pub(crate) sqs: sqs::State,
    pub(crate) streams: streams::State,
    pub(crate) tagging: tagging::State,
}

/// A service's answer on its way. Boxed, because services call each other (CloudFormation calls all of them).
pub(crate) type Answer<'a> = Pin<Box<dyn Future<Output = Result<Value, ApiError>> + Send + 'a>>;

/// Dispatches an operation to its service.
pub(crate) fn call<'a>(
    cloud: &'a Cloud,
    ctx: &'a Context,
    service: Service,
    operation: &'a str,
    input: Value,
) -> Answer<'a> {
    match service {
        Service::CloudFormation => Box::pin(cloudformation::call(cloud, ctx, operation, input)),
        Service::CostExplorer => Box::pin(costexplorer::call(cloud, ctx, operation, input)),
        Service::DynamoDb => Box::pin(dynamodb::call(cloud, ctx, operation, input)),
        Service::DynamoDbStreams => Box::pin(streams::call(cloud, ctx, operation, input)),
        Service::Iam => Box::pin(iam::call(cloud, ctx, operation, input)),
        Service::Lambda => Box::pin(lambda::call(cloud, ctx, operation, input)),
        Service::Logs => Box::pin(logs::call(cloud, ctx, operation, input)),
        Service::S3 => Box::pin(s3::call(cloud, ctx, operation, input)),
        Service::Sqs => Box::pin(sqs::call(cloud, ctx, operation, input)),
        Service::Sts => Box::pin(sts::call(cloud, ctx, operation, input)),
        Service::Tagging => Box::pin(tagging::call(cloud, ctx, operation, input)),
    }
}
