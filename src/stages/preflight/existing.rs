//! Resources that exist already under a name that the run needs. Each look also proves that the call is allowed.

use super::Found;
use crate::cloud::{
    Clients, Failure as CallFailure, PageCap, RefusalKind, buckets, functions, logs, queues, roles, secrets, streams,
    tables, tag_index,
};
use crate::exit::Failure;
use crate::plan::RUN_TAG;
use crate::plan::physical::Named;
use crate::stages::session::Session;
use crate::tags;
use futures_util::future::join_all;

/// What a look came to.
#[derive(Debug)]
enum Look {
    /// Nothing of that name.
    Free,
    /// Something, and what its tags should be asked of.
    Taken(String),
    /// A secret that goes at that time, milliseconds since the epoch.
    Going(i64),
}

/// Looks for every known name, and at what the audit will have to read.
pub(super) async fn look(session: &Session, named: &[Named], found: &mut Found) -> Result<(), Failure> {
    let looks = named.iter().filter_map(|n| Some((n, action(&n.kind)?)));
    let looks: Vec<_> = looks.collect();
    let (clients, cap) = (&session.clients, session.page_cap());
    let answers = join_all(looks.iter().map(|(named, _)| one(clients, cap, named))).await;
    for ((named, action), answer) in looks.into_iter().zip(answers) {
        match answer {
            Ok(Look::Free) => {}
            Ok(Look::Taken(id)) => {
                let owner = tags::owner(&session.clients, &named.kind, &id, session.page_cap()).await;
                found.finding(format!("{} {} exists already: {owner}", named.what, named.name));
            }
            Ok(Look::Going(at_ms)) => found.warnings.push(going(named, at_ms)),
            Err(failure) => found.unread(action, &format!("{} {}", named.what, named.name), &failure)?,
        }
    }
    audits(session, found).await
}

/// What the audit reads that no name leads to.
async fn audits(session: &Session, found: &mut Found) -> Result<(), Failure> {
    let (clients, cap) = (&session.clients, session.page_cap());
    let indexed = tag_index::each(clients, RUN_TAG, session.folder.id(), cap, |_| ()).await.map(drop);
    let streams = streams::list(clients, None, cap).await.map(drop);
    let roles = roles::list_by_prefix(clients, &session.stack_name(""), cap).await.map(drop);
    for (action, what, read) in [
        ("tag:GetResources", "the tag index", indexed),
        ("dynamodb:ListStreams", "the list of streams", streams),
        ("iam:ListRoles", "the list of roles", roles),
    ] {
        if let Err(failure) = read.into_result() {
            found.unread(action, what, &failure)?;
        }
    }
    Ok(())
}

fn going(named: &Named, at_ms: i64) -> String {
    let until = jiff::Timestamp::from_millisecond(at_ms).map(|t| t.to_string()).unwrap_or_default();
    format!(
        "secret {} is scheduled for deletion until {until}; its name is taken until then and the stack will fail",
        named.name
    )
}

/// The IAM action of a look.
fn action(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "AWS::Lambda::Function" => "lambda:GetFunctionConfiguration",
        "AWS::SQS::Queue" => "sqs:GetQueueUrl",
        "AWS::DynamoDB::Table" => "dynamodb:DescribeTable",
        "AWS::Logs::LogGroup" => "logs:DescribeLogGroups",
        "AWS::S3::Bucket" => "s3:ListBucket",
        "AWS::IAM::Role" => "iam:GetRole",
        "AWS::SecretsManager::Secret" => "secretsmanager:DescribeSecret",
        _ => return None,
    })
}

async fn one(clients: &Clients, cap: PageCap, named: &Named) -> Result<Look, CallFailure> {
    let name = named.name.as_str();
    let taken = |is: Option<String>| is.map_or(Look::Free, Look::Taken);
    let same = |is: bool| taken(is.then(|| name.to_owned()));
    match named.kind.as_str() {
        "AWS::Lambda::Function" => {
            functions::configuration(clients, name, None).await.optional().into_result().map(|f| same(f.is_some()))
        }
        "AWS::SQS::Queue" => queues::url(clients, name).await.optional().into_result().map(taken),
        "AWS::DynamoDB::Table" => {
            tables::describe(clients, name).await.optional().into_result().map(|t| same(t.is_some()))
        }
        "AWS::Logs::LogGroup" => logs::find(clients, name, cap).await.into_result().map(|g| same(g.is_some())),
        "AWS::S3::Bucket" => bucket(clients, name).await,
        "AWS::IAM::Role" => roles::describe(clients, name).await.optional().into_result().map(|r| same(r.is_some())),
        _ => {
            let secret = secrets::describe(clients, name).await.optional().into_result()?;
            let now = crate::run::now_ms();
            Ok(secret.map_or(Look::Free, |s| s.gone_at_ms(now).map_or_else(|| same(true), Look::Going)))
        }
    }
}

/// Bucket names are global: one of another account answers 403, which also says that the name is taken.
async fn bucket(clients: &Clients, name: &str) -> Result<Look, CallFailure> {
    match buckets::exists(clients, name, None).await.optional().into_result() {
        Ok(there) => Ok(there.map_or(Look::Free, |()| Look::Taken(name.to_owned()))),
        Err(CallFailure::Refused(refusal)) if refusal.kind == RefusalKind::Denied => Err(CallFailure::refused(
            RefusalKind::Denied,
            refusal.code,
            format!("{}: no s3:ListBucket on it, or the bucket belongs to another account", refusal.message),
        )),
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, Named, going, one};
    use crate::cloud::PageCap;
    use crate::cloud::testing::{Reply, Server};

    /// Case 75: the name of a secret that is scheduled for deletion is taken until it goes.
    #[tokio::test]
    async fn a_secret_scheduled_for_deletion_is_a_warning_with_its_end() {
        let at_s = crate::run::now_ms() / 1_000 + 86_400;
        let body = format!(r#"{{"ARN":"a","Name":"token","DeletedDate":{at_s}}}"#);
        let server = Server::start(move |_| Reply::ok(body.clone())).await;
        let named = Named {
            logical_id: "Token".into(),
            kind: "AWS::SecretsManager::Secret".into(),
            what: "secret",
            name: "token".into(),
            most: 512,
        };
        let look = one(&server.clients().await, PageCap::default(), &named).await;
        let Ok(Look::Going(at_ms)) = look else { panic!("{look:?}") };
        assert_eq!(at_ms, at_s * 1_000);
        let warning = going(&named, at_ms);
        assert!(warning.contains("secret token is scheduled for deletion until 2"), "{warning}");
        assert!(warning.contains("taken until then"), "{warning}");
    }
}
