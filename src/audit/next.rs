//! The one next command for a finding.

use super::arn::Kind;
use super::facts::StreamFacts;
use super::finding::Verdict;
use super::scope::AuditScope;
use super::streams::ParentTable;
use crate::cloud::streams::table_of;

/// What to do about it; `None` where there is nothing to do.
pub(super) fn command(verdict: &Verdict, kind: &Kind, id: &str, region: &str, scope: &AuditScope) -> Option<String> {
    match verdict {
        Verdict::Leak => removal(kind, id, region, scope.run.as_deref()).or_else(|| Some(again(scope))),
        // No audit will ever read it: whether it is still listed is all that can be asked for every type.
        Verdict::Unknown if matches!(kind, Kind::Other(_)) && id.starts_with("arn:") => Some(format!(
            "aws resourcegroupstaggingapi get-resources --resource-arn-list {} --region {region}",
            quoted(id)
        )),
        Verdict::Unknown | Verdict::ExpectedUntil { .. } => Some(again(scope)),
        Verdict::Allowed { .. } | Verdict::Ghost => None,
    }
}

/// The same audit once more.
fn again(scope: &AuditScope) -> String {
    if let Some(run) = &scope.run {
        return format!("assay audit --amend {run}");
    }
    let mut command = "assay audit".to_owned();
    if let Some((key, value)) = &scope.tag {
        command += &format!(" --tag {}", quoted(&format!("{key}={value}")));
    }
    if let Some(prefix) = &scope.prefix {
        command += &format!(" --prefix {}", quoted(prefix));
    }
    scope.regions.iter().fold(command, |command, region| command + " --region " + region)
}

/// What ends a stream: nothing deletes it, it goes a day after its table.
pub(super) fn of_stream(stream: &StreamFacts) -> String {
    match (&stream.table, table_of(&stream.arn)) {
        (ParentTable::Present(_), Some(table)) => {
            format!("aws dynamodb delete-table --table-name {} --region {}", quoted(table), stream.region)
        }
        _ => {
            let arn = quoted(&stream.arn);
            format!("aws dynamodbstreams describe-stream --stream-arn {arn} --region {}", stream.region)
        }
    }
}

fn removal(kind: &Kind, id: &str, region: &str, run: Option<&str>) -> Option<String> {
    let id = quoted(id);
    let call = match kind {
        Kind::Stack => {
            return Some(run.map_or_else(
                || format!("aws cloudformation delete-stack --stack-name {id} --region {region}"),
                |run| format!("assay teardown {run}"),
            ));
        }
        Kind::Bucket => format!("s3 rb s3://{id} --force"),
        Kind::Queue => format!(
            "sqs delete-queue --queue-url \"$(aws sqs get-queue-url --queue-name {id} --region {region} --query QueueUrl --output text)\""
        ),
        Kind::Table => format!("dynamodb delete-table --table-name {id}"),
        Kind::Function => format!("lambda delete-function --function-name {id}"),
        Kind::QualifiedFunction => {
            let (name, qualifier) = id.split_once(':')?;
            format!("lambda delete-function --function-name {name} --qualifier {qualifier}")
        }
        Kind::Mapping => format!("lambda delete-event-source-mapping --uuid {id}"),
        Kind::LogGroup => format!("logs delete-log-group --log-group-name {id}"),
        Kind::Execution => format!("lambda stop-durable-execution --durable-execution-arn {id}"),
        Kind::Role => return Some(format!("aws iam delete-role --role-name {id}")),
        Kind::Policy => return Some(format!("aws iam delete-policy --policy-arn {id}")),
        Kind::Secret => format!("secretsmanager delete-secret --secret-id {id} --recovery-window-in-days 7"),
        Kind::Key => format!("kms schedule-key-deletion --key-id {id} --pending-window-in-days 7"),
        Kind::Typed(type_name) => {
            format!("cloudcontrol delete-resource --type-name {type_name} --identifier {id}")
        }
        Kind::Stream | Kind::Part(_) | Kind::Other(_) => return None,
    };
    Some(format!("aws {call} --region {region}"))
}

/// Names that a shell would read otherwise are quoted.
fn quoted(id: &str) -> String {
    let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=".contains(c));
    if plain { id.to_owned() } else { format!("'{}'", id.replace('\'', "'\\''")) }
}
