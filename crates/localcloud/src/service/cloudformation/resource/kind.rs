//! The emulated resource types.

use super::super::naming::Case;
use crate::service::Service;

/// A resource type that the local cloud emulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Bucket,
    Table,
    Queue,
    QueuePolicy,
    Function,
    Version,
    Alias,
    EventSourceMapping,
    Permission,
    Role,
    Policy,
    ManagedPolicy,
    LogGroup,
}

/// Which tags CloudFormation puts on a resource (resource provider schemas, `tagging`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tagging {
    /// The type has no tags.
    None,
    /// The stack's and the resource's own tags.
    User,
    /// These, and `aws:cloudformation:*`.
    All,
}

const ALL: [Kind; 13] = [
    Kind::Bucket,
    Kind::Table,
    Kind::Queue,
    Kind::QueuePolicy,
    Kind::Function,
    Kind::Version,
    Kind::Alias,
    Kind::EventSourceMapping,
    Kind::Permission,
    Kind::Role,
    Kind::Policy,
    Kind::ManagedPolicy,
    Kind::LogGroup,
];

impl Kind {
    /// The type with this name in templates.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name in templates.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bucket => "AWS::S3::Bucket",
            Self::Table => "AWS::DynamoDB::Table",
            Self::Queue => "AWS::SQS::Queue",
            Self::QueuePolicy => "AWS::SQS::QueuePolicy",
            Self::Function => "AWS::Lambda::Function",
            Self::Version => "AWS::Lambda::Version",
            Self::Alias => "AWS::Lambda::Alias",
            Self::EventSourceMapping => "AWS::Lambda::EventSourceMapping",
            Self::Permission => "AWS::Lambda::Permission",
            Self::Role => "AWS::IAM::Role",
            Self::Policy => "AWS::IAM::Policy",
            Self::ManagedPolicy => "AWS::IAM::ManagedPolicy",
            Self::LogGroup => "AWS::Logs::LogGroup",
        }
    }

    /// The service behind the type.
    pub(crate) fn service(self) -> Service {
        match self {
            Self::Bucket => Service::S3,
            Self::Table => Service::DynamoDb,
            Self::Queue | Self::QueuePolicy => Service::Sqs,
            Self::Function | Self::Version | Self::Alias | Self::EventSourceMapping | Self::Permission => {
                Service::Lambda
            }
            Self::Role | Self::Policy | Self::ManagedPolicy => Service::Iam,
            Self::LogGroup => Service::Logs,
        }
    }

    /// Which tags the type gets.
    pub(crate) fn tagging(self) -> Tagging {
        match self {
            Self::Bucket | Self::Function | Self::EventSourceMapping | Self::LogGroup => Tagging::All,
            Self::Table | Self::Queue | Self::Role => Tagging::User,
            _ => Tagging::None,
        }
    }

    /// The property that fixes the physical name, with the longest name and its case.
    pub(crate) fn name_property(self) -> Option<(&'static str, usize, Case)> {
        match self {
            Self::Bucket => Some(("BucketName", 63, Case::Lower)),
            Self::Table => Some(("TableName", 255, Case::Mixed)),
            Self::Queue => Some(("QueueName", 80, Case::Mixed)),
            Self::Function => Some(("FunctionName", 64, Case::Mixed)),
            Self::Role => Some(("RoleName", 64, Case::Mixed)),
            Self::ManagedPolicy => Some(("ManagedPolicyName", 128, Case::Mixed)),
            Self::LogGroup => Some(("LogGroupName", 512, Case::Mixed)),
            _ => None,
        }
    }
}
