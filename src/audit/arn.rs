//! From ARNs and CloudFormation's physical ids to what can be looked up.

use super::types;
use serde::{Deserialize, Serialize};

/// Types of resources by the look-up that they have here, and two that have none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// CloudFormation stack, by id (or by name).
    Stack,
    /// S3 bucket, by name.
    Bucket,
    /// SQS queue, by name.
    Queue,
    /// DynamoDB table, by name.
    Table,
    /// DynamoDB stream, by ARN.
    Stream,
    /// Lambda function, by name.
    Function,
    /// Published version or alias, `NAME:QUALIFIER`.
    QualifiedFunction,
    /// Event source mapping, by UUID.
    Mapping,
    /// Log group, by name.
    LogGroup,
    /// IAM role, by name.
    Role,
    /// Customer-managed policy, by ARN.
    Policy,
    /// Durable execution, by ARN.
    Execution,
    /// Secrets Manager secret, by ARN.
    Secret,
    /// KMS key, by id.
    Key,
    /// Any other type that CloudFormation knows, by its primary identifier.
    Typed(String),
    /// Lives and dies with its parent: permissions, inline policies, queue policies.
    Part(String),
    /// No look-up: always unknown.
    Other(String),
}

/// What can be looked up: a kind and the name that its service knows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Resource {
    /// Which service's look-up.
    pub kind: Kind,
    /// Name, ARN or id, as [`Kind`] says.
    pub name: String,
    /// Region, or `global`.
    pub region: String,
}

impl Kind {
    /// For people.
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::Stack => "stack",
            Self::Bucket => "bucket",
            Self::Queue => "queue",
            Self::Table => "table",
            Self::Stream => "stream",
            Self::Function => "function",
            Self::QualifiedFunction => "function version",
            Self::Mapping => "event source mapping",
            Self::LogGroup => "log group",
            Self::Role => "role",
            Self::Policy => "policy",
            Self::Execution => "durable execution",
            Self::Secret => "secret",
            Self::Key => "key",
            Self::Typed(name) | Self::Part(name) | Self::Other(name) => name,
        }
    }
}

impl Resource {
    /// A resource.
    #[must_use]
    pub fn new(kind: Kind, name: impl Into<String>, region: impl Into<String>) -> Self {
        Self { kind, name: name.into(), region: region.into() }
    }

    /// From an ARN as the tag index gives it.
    #[must_use]
    pub fn from_arn(arn: &str, region: &str) -> Self {
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let (service, rest) = match parts.as_slice() {
            ["arn", _, service, _, _, rest] => (*service, *rest),
            _ => ("", arn),
        };
        let at = |kind, name: &str| Self::new(kind, name, region);
        match service {
            "cloudformation" if rest.starts_with("stack/") => at(Kind::Stack, arn),
            "s3" => at(Kind::Bucket, rest),
            "sqs" => at(Kind::Queue, rest),
            "dynamodb" if rest.contains("/stream/") => at(Kind::Stream, arn),
            "dynamodb" if rest.starts_with("table/") => at(Kind::Table, rest.trim_start_matches("table/")),
            "lambda" => Self::from_lambda(rest, arn, region),
            "logs" if rest.starts_with("log-group:") => {
                at(Kind::LogGroup, rest.trim_start_matches("log-group:").trim_end_matches(":*"))
            }
            "iam" if rest.starts_with("role/") => {
                Self::new(Kind::Role, rest.rsplit('/').next().unwrap_or(rest), "global")
            }
            "iam" if rest.starts_with("policy/") => Self::new(Kind::Policy, arn, "global"),
            "secretsmanager" if rest.starts_with("secret:") => at(Kind::Secret, arn),
            "kms" if rest.starts_with("key/") => at(Kind::Key, rest.trim_start_matches("key/")),
            _ => {
                types::from_arn(service, rest, arn, region).unwrap_or_else(|| at(Kind::Other(service.to_owned()), arn))
            }
        }
    }

    fn from_lambda(rest: &str, arn: &str, region: &str) -> Self {
        let at = |kind, name: &str| Self::new(kind, name, region);
        if let Some(id) = rest.strip_prefix("event-source-mapping:") {
            return at(Kind::Mapping, id);
        }
        match rest.strip_prefix("function:") {
            Some(name) if name.contains("/durable-execution/") => at(Kind::Execution, arn),
            Some(name) if name.contains(':') => at(Kind::QualifiedFunction, name),
            Some(name) => at(Kind::Function, name),
            None => types::from_arn("lambda", rest, arn, region)
                .unwrap_or_else(|| at(Kind::Other("lambda".to_owned()), arn)),
        }
    }

    /// From a stack resource. The physical id of a queue is its URL, of a version or alias its ARN, of most others the
    /// name (CloudFormation template reference, return values of `Ref`).
    #[must_use]
    pub fn from_stack(resource_type: &str, physical_id: &str, region: &str) -> Self {
        let at = |kind| Self::new(kind, physical_id, region);
        match resource_type {
            "AWS::CloudFormation::Stack" => at(Kind::Stack),
            "AWS::S3::Bucket" => at(Kind::Bucket),
            "AWS::SQS::Queue" => Self::new(Kind::Queue, physical_id.rsplit('/').next().unwrap_or(physical_id), region),
            "AWS::DynamoDB::Table" => at(Kind::Table),
            "AWS::Lambda::Function" => at(Kind::Function),
            "AWS::Lambda::Version" | "AWS::Lambda::Alias" => Self::from_arn(physical_id, region),
            "AWS::Lambda::EventSourceMapping" => at(Kind::Mapping),
            "AWS::Logs::LogGroup" => at(Kind::LogGroup),
            "AWS::IAM::Role" => Self::new(Kind::Role, physical_id, "global"),
            "AWS::IAM::ManagedPolicy" => Self::new(Kind::Policy, physical_id, "global"),
            "AWS::SecretsManager::Secret" => at(Kind::Secret),
            "AWS::KMS::Key" => at(Kind::Key),
            other => at(types::of_stack(other)),
        }
    }
}

/// Region and account of an ARN; empty where the service is global.
#[must_use]
pub(super) fn place(arn: &str) -> Option<(&str, &str)> {
    let mut parts = arn.split(':');
    (parts.next() == Some("arn")).then_some(())?;
    let region = parts.nth(2)?;
    Some((region, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Resource, place};

    fn arn(rest: &str) -> (Kind, String) {
        let found = Resource::from_arn(&format!("arn:aws:{rest}"), "us-east-1");
        (found.kind, found.name)
    }

    #[test]
    fn arns_of_every_type_in_the_templates() {
        let cases = [
            ("s3:::b", Kind::Bucket, "b"),
            ("sqs:us-east-1:1:q.fifo", Kind::Queue, "q.fifo"),
            ("dynamodb:us-east-1:1:table/t", Kind::Table, "t"),
            ("lambda:us-east-1:1:function:f", Kind::Function, "f"),
            ("lambda:us-east-1:1:function:f:3", Kind::QualifiedFunction, "f:3"),
            ("lambda:us-east-1:1:event-source-mapping:u-u", Kind::Mapping, "u-u"),
            ("logs:us-east-1:1:log-group:/aws/lambda/f:*", Kind::LogGroup, "/aws/lambda/f"),
            ("iam::1:role/path/r", Kind::Role, "r"),
            ("kms:us-east-1:1:key/k-1", Kind::Key, "k-1"),
        ];
        for (rest, kind, name) in cases {
            assert_eq!(arn(rest), (kind, name.to_owned()), "{rest}");
        }
        assert_eq!(arn("dynamodb:us-east-1:1:table/t/stream/l").0, Kind::Stream);
        assert_eq!(arn("secretsmanager:us-east-1:1:secret:s").0, Kind::Secret);
        assert_eq!(arn("glue:us-east-1:1:database/d").0, Kind::Other("glue".into()));
        assert_eq!(Resource::from_arn("nonsense", "us-east-1").kind, Kind::Other(String::new()));
    }

    #[test]
    fn one_resource_has_one_identity_whatever_the_source() {
        let region = "us-east-1";
        let url = "https://sqs.us-east-1.amazonaws.com/1/q.fifo";
        assert_eq!(
            Resource::from_stack("AWS::SQS::Queue", url, region),
            Resource::from_arn("arn:aws:sqs:us-east-1:1:q.fifo", region)
        );
        let version = "arn:aws:lambda:us-east-1:1:function:f:1";
        assert_eq!(Resource::from_stack("AWS::Lambda::Version", version, region), Resource::from_arn(version, region));
    }

    #[test]
    fn places() {
        assert_eq!(place("arn:aws:sqs:eu-west-1:123:q"), Some(("eu-west-1", "123")));
        assert_eq!(place("arn:aws:s3:::b"), Some(("", "")));
        assert_eq!(place("x"), None);
    }
}
