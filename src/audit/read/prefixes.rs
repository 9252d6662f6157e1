//! What is ours by its name: queues, tables, functions, log groups, and, once for the account, roles and policies.

use super::{Listed, Reader};
use crate::audit::arn::{Kind, Resource};
use crate::audit::facts::{Named, Reading, Source};
use crate::cloud::{functions, logs, queues, roles, tables};

pub(super) async fn read(reader: &Reader, named: &mut Named) -> Listed {
    let mut listed = Listed::default();
    let Some(prefix) = reader.scope.prefix.clone() else { return listed };
    queues(reader, &prefix, named, &mut listed).await;
    names(reader, &prefix, named, &mut listed).await;
    log_groups(reader, &prefix, named).await;
    if reader.first {
        identities(reader, &prefix, named, &mut listed).await;
    }
    listed
}

/// A deleted queue may still be listed for a minute, so each one that is listed is looked up.
async fn queues(reader: &Reader, prefix: &str, named: &mut Named, listed: &mut Listed) {
    let outcome = queues::list_by_prefix(&reader.clients, prefix, reader.limits.cap).await;
    let Some(urls) = reader.cells.listing(&reader.region, ("sqs", "ListQueues"), prefix, outcome) else { return };
    listed.0.insert(Kind::Queue);
    for url in urls {
        let name = url.rsplit('/').next().unwrap_or(&url);
        named.add(Resource::new(Kind::Queue, name, &reader.region), Source::Prefix);
    }
}

/// Tables and functions are looked up too: their detail makes the finding.
async fn names(reader: &Reader, prefix: &str, named: &mut Named, listed: &mut Listed) {
    let outcome = tables::list_by_prefix(&reader.clients, prefix, reader.limits.cap).await;
    let tables = reader.cells.listing(&reader.region, ("dynamodb", "ListTables"), prefix, outcome);
    let outcome = functions::list_by_prefix(&reader.clients, prefix, reader.limits.cap).await;
    let functions = reader.cells.listing(&reader.region, ("lambda", "ListFunctions"), prefix, outcome);
    for (kind, found) in [(Kind::Table, tables), (Kind::Function, functions)] {
        let Some(found) = found else { continue };
        listed.0.insert(kind.clone());
        for name in found {
            named.add(Resource::new(kind.clone(), name, &reader.region), Source::Prefix);
        }
    }
}

/// Functions log to `/aws/lambda/NAME` unless they are told otherwise; the templates here use `/assay/STACK/…`.
async fn log_groups(reader: &Reader, prefix: &str, named: &mut Named) {
    for start in [format!("/aws/lambda/{prefix}"), format!("/assay/{prefix}"), prefix.to_owned()] {
        let outcome = logs::list_by_prefix(&reader.clients, &start, reader.limits.cap).await;
        let groups = reader.cells.listing(&reader.region, ("logs", "DescribeLogGroups"), &start, outcome);
        for group in groups.unwrap_or_default() {
            let found = Resource::new(Kind::LogGroup, group.name, &reader.region);
            named.add_known(found, Source::Prefix, Reading::Present(String::new()));
        }
    }
}

/// Roles that AWS makes are nobody's leak.
async fn identities(reader: &Reader, prefix: &str, named: &mut Named, listed: &mut Listed) {
    let outcome = roles::list_by_prefix(&reader.clients, prefix, reader.limits.cap).await;
    if let Some(roles) = reader.cells.listing("global", ("iam", "ListRoles"), prefix, outcome) {
        listed.0.insert(Kind::Role);
        for role in roles.into_iter().filter(|role| !role.is_aws_made()) {
            let found = Resource::new(Kind::Role, role.name, "global");
            named.add_known(found, Source::Prefix, Reading::Present(String::new()));
        }
    }
    let outcome = roles::policies_by_prefix(&reader.clients, prefix, reader.limits.cap).await;
    let policies = reader.cells.listing("global", ("iam", "ListPolicies"), prefix, outcome);
    for policy in policies.unwrap_or_default() {
        let found = Resource::new(Kind::Policy, policy.arn, "global");
        named.add_known(found, Source::Prefix, Reading::Present(String::new()));
    }
}
