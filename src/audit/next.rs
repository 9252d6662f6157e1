//! The one next command for a finding.

use super::arn::Kind;
use super::finding::Verdict;

/// What to do about it; `None` where waiting is enough or nothing can be done.
pub(super) fn command(verdict: &Verdict, kind: &Kind, id: &str, region: &str, run: Option<&str>) -> Option<String> {
    match verdict {
        Verdict::Leak => removal(kind, id, region, run),
        Verdict::Unknown | Verdict::ExpectedUntil { .. } => {
            Some(run.map_or_else(|| "assay audit, again".to_owned(), |run| format!("assay audit --amend {run}")))
        }
        Verdict::Allowed { .. } | Verdict::Ghost => None,
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
    let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:".contains(c));
    if plain { id.to_owned() } else { format!("'{}'", id.replace('\'', "'\\''")) }
}
