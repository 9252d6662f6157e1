//! One native look-up for each type.

use super::Reader;
use super::cells::Op;
use super::interfaces::function_of;
use super::mappings::as_reading;
use super::stacks::as_reading as stack_reading;
use crate::audit::arn::{Kind, Resource};
use crate::audit::facts::Reading;
use crate::audit::types::is_identified;
use crate::cloud::control::{self, Controlled};
use crate::cloud::stacks::is_custom;
use crate::cloud::{
    Failure, Outcome, buckets, executions, functions, keys, logs, mappings, queues, roles, secrets, stacks, tables,
};

/// Asks the owning service. A type without look-up stays unread, and its cell says so.
pub(super) async fn read(reader: &Reader, resource: &Resource) -> Reading {
    let (clients, name) = (&reader.clients, resource.name.as_str());
    let look = Look { reader, resource };
    match &resource.kind {
        Kind::Bucket => bucket(&look).await,
        Kind::Queue => look.exists(("sqs", "GetQueueUrl"), queues::url(clients, name).await),
        Kind::Table => look.table(tables::describe(clients, name).await),
        Kind::Function => function(&look).await,
        Kind::QualifiedFunction => {
            let (function, qualifier) = name.split_once(':').map_or((name, None), |(f, q)| (f, Some(q)));
            let outcome = functions::configuration(clients, function, qualifier).await;
            look.exists(("lambda", "GetFunctionConfiguration"), outcome)
        }
        Kind::Mapping => {
            let outcome = mappings::describe(clients, name).await;
            look.detail(("lambda", "GetEventSourceMapping"), outcome, |mapping| as_reading(&mapping))
        }
        Kind::LogGroup => {
            let outcome = logs::find(clients, name, reader.limits.cap).await;
            let found = |group: Option<_>| group.map_or(Reading::Absent, |_| Reading::Present(String::new()));
            look.detail(("logs", "DescribeLogGroups"), outcome, found)
        }
        Kind::Role => look.exists(("iam", "GetRole"), roles::describe(clients, name).await),
        Kind::Policy => look.exists(("iam", "GetPolicy"), roles::policy(clients, name).await),
        Kind::Execution => {
            let outcome = executions::details(clients, name).await;
            look.detail(("lambda", "GetDurableExecution"), outcome, |execution| match execution.status.as_str() {
                "RUNNING" => Reading::Present(execution.status),
                _ => Reading::Absent,
            })
        }
        Kind::Stack => {
            let outcome = stacks::describe(clients, name).await;
            look.detail(("cloudformation", "DescribeStacks"), outcome, |stack| stack_reading(&stack.status))
        }
        Kind::Secret => look.secret(secrets::describe(clients, name).await),
        Kind::Key => look.key(keys::describe(clients, name).await),
        Kind::Typed(type_name) => look.typed(type_name, control::describe(clients, type_name, name).await),
        Kind::Stream | Kind::Part(_) => Reading::Implied,
        Kind::Other(service) => look.without(service),
    }
}

struct Look<'a> {
    reader: &'a Reader,
    resource: &'a Resource,
}

impl Look<'_> {
    fn exists<T>(&self, op: Op, outcome: Outcome<T>) -> Reading {
        self.detail(op, outcome, |_| Reading::Present(String::new()))
    }

    fn detail<T>(&self, op: Op, outcome: Outcome<T>, judge: impl FnOnce(T) -> Reading) -> Reading {
        match self.reader.cells.single(&self.resource.region, op, &self.resource.name, outcome) {
            Ok(Some(value)) => judge(value),
            Ok(None) => Reading::Absent,
            Err(failure) => Reading::Unread(failure.to_string()),
        }
    }

    fn table(&self, outcome: Outcome<tables::Table>) -> Reading {
        self.detail(("dynamodb", "DescribeTable"), outcome, |table| match table.status.as_str() {
            "DELETING" => Reading::Going(table.status),
            _ => Reading::Present(table.status),
        })
    }

    fn secret(&self, outcome: Outcome<secrets::Secret>) -> Reading {
        self.detail(("secretsmanager", "DescribeSecret"), outcome, |secret| {
            secret.gone_at_ms(self.reader.now_ms).map_or(Reading::Present(String::new()), Reading::PendingUntil)
        })
    }

    fn key(&self, outcome: Outcome<keys::Key>) -> Reading {
        self.detail(("kms", "DescribeKey"), outcome, |key| match (key.state.as_str(), key.deletion_date_ms) {
            ("PendingDeletion", Some(at_ms)) => Reading::PendingUntil(at_ms),
            ("PendingDeletion" | "PendingReplicaDeletion", _) => Reading::Going(key.state),
            _ => Reading::Present(key.state),
        })
    }

    /// Any type by Cloud Control.
    fn typed(&self, type_name: &str, outcome: Outcome<Controlled>) -> Reading {
        let reading = self.detail(("cloudcontrol", "GetResource"), outcome, |found| {
            function_of(&found).map_or(Reading::Present(String::new()), |name| Reading::LeftBy(name.to_owned()))
        });
        if reading == Reading::Absent && !is_identified(type_name, &self.resource.name) {
            return self.unread(
                ("cloudcontrol", "GetResource"),
                &format!("not found by this id, which is not known to be the primary identifier of {type_name}"),
            );
        }
        reading
    }

    fn unread(&self, op: Op, reason: &str) -> Reading {
        let failure = Failure::unknown(op.1, reason);
        self.reader.cells.unread(&self.resource.region, op, &self.resource.name, &failure);
        Reading::Unread(reason.to_owned())
    }

    fn without(&self, service: &str) -> Reading {
        let reason = if is_custom(service) {
            format!("made by a custom resource ({service}); only its provider knows what it made")
        } else {
            format!("no look-up for this type of {service}")
        };
        self.unread(("other", "none"), &reason)
    }
}

/// A bucket with what it holds: versions, delete markers and unfinished uploads keep it from being deleted.
async fn bucket(look: &Look<'_>) -> Reading {
    let Reader { clients, limits, cells, region, .. } = look.reader;
    let name = look.resource.name.as_str();
    // Without an expected owner a bucket that is somebody else's is denied, which leaves it unknown.
    let found = look.exists(("s3", "HeadBucket"), buckets::exists(clients, name, None).await);
    if !matches!(found, Reading::Present(_)) {
        return found;
    }
    let versions = buckets::versions(clients, name, limits.cap).await;
    let versions = cells.listing(region, ("s3", "ListObjectVersions"), name, versions).map(|v| v.len());
    let uploads = buckets::uploads(clients, name, limits.cap).await;
    let uploads = cells.listing(region, ("s3", "ListMultipartUploads"), name, uploads).map(|u| u.len());
    let count = |n: Option<usize>| n.map_or_else(|| "unread".to_owned(), |n| n.to_string());
    Reading::Present(format!("holds {} versions and markers, {} uploads", count(versions), count(uploads)))
}

/// A function with its versions and aliases.
async fn function(look: &Look<'_>) -> Reading {
    let Reader { clients, limits, cells, region, .. } = look.reader;
    let name = look.resource.name.as_str();
    let outcome = functions::configuration(clients, name, None).await;
    let found = look.exists(("lambda", "GetFunctionConfiguration"), outcome);
    if !matches!(found, Reading::Present(_)) {
        return found;
    }
    let versions = functions::versions(clients, name, limits.cap).await;
    let versions = cells.listing(region, ("lambda", "ListVersionsByFunction"), name, versions);
    let aliases = functions::aliases(clients, name, limits.cap).await;
    let aliases = cells.listing(region, ("lambda", "ListAliases"), name, aliases);
    let list = |names: Option<Vec<String>>| names.map_or_else(|| "unread".to_owned(), |names| names.join(", "));
    let versions = list(versions.map(|v| v.into_iter().map(|v| v.version).collect()));
    let aliases = list(aliases.map(|a| a.into_iter().map(|a| a.name).collect()));
    Reading::Present(format!("versions {versions}; aliases {}", if aliases.is_empty() { "none" } else { &aliases }))
}
