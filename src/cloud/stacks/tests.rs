//! Exact requests and outcomes against a scripted server.

use super::{CreateStack, DeleteStack, Found, StackStatus, Template};
use crate::cloud::testing::{Reply, Request, Server, clients};
use crate::cloud::{Outcome, PageCap, RefusalKind};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

const ID: &str = "arn:aws:cloudformation:us-east-1:000000000000:stack/assay-x/1";

fn request() -> CreateStack {
    CreateStack {
        name: "assay-x".into(),
        template: Template::Body("Resources: {}".into()),
        parameters: BTreeMap::from([("A".into(), "1".into())]),
        tags: BTreeMap::from([("assay:run".into(), "r".into()), ("CostCenter".into(), "c".into())]),
        capabilities: vec!["CAPABILITY_IAM".into()],
        token: "t-1".into(),
        keep_on_failure: false,
    }
}

fn stack(status: &str) -> Reply {
    let inner = format!(
        "<Stacks><member><StackId>{ID}</StackId><StackName>assay-x</StackName><StackStatus>{status}</StackStatus>\
         <CreationTime>2026-11-30T20:00:00.000Z</CreationTime></member></Stacks>"
    );
    Reply::query("DescribeStacks", &inner)
}

fn event(number: usize, token: &str) -> String {
    format!(
        "<member><StackId>{ID}</StackId><EventId>e{number}</EventId><StackName>assay-x</StackName>\
         <LogicalResourceId>L</LogicalResourceId><Timestamp>2026-11-30T20:00:00.000Z</Timestamp>\
         <ClientRequestToken>{token}</ClientRequestToken></member>"
    )
}

/// 100 events a page, newest first, `total` in all.
fn event_page(request: &Request, total: usize) -> Reply {
    let at: usize =
        request.body.split("NextToken=p").nth(1).and_then(|t| t.split('&').next()?.parse().ok()).unwrap_or(0);
    let newest = total - at * 100;
    let members: String = (0..100.min(newest)).map(|n| event(newest - n, "t-1")).collect();
    let token = if newest > 100 { format!("<NextToken>p{}</NextToken>", at + 1) } else { String::new() };
    Reply::query("DescribeStackEvents", &format!("<StackEvents>{members}</StackEvents>{token}"))
}

#[tokio::test]
async fn the_create_request_carries_tags_capabilities_and_token_each_once() {
    let server = Server::start(|_| Reply::query("CreateStack", &format!("<StackId>{ID}</StackId>"))).await;
    let outcome = super::create(&server.clients().await, &request()).await;
    assert_eq!(outcome, Outcome::Done(ID.to_owned()));
    let body = server.requests()[0].body.clone();
    let parts = [
        "Capabilities.member.1=CAPABILITY_IAM&",
        "ClientRequestToken=t-1",
        "Tags.member.1.Key=CostCenter&Tags.member.1.Value=c&",
        "Tags.member.2.Key=assay%3Arun&Tags.member.2.Value=r&",
        "TemplateBody=Resources%3A%20%7B%7D&",
        "Parameters.member.1.ParameterKey=A&Parameters.member.1.ParameterValue=1&",
        "OnFailure=ROLLBACK&",
    ];
    for part in parts {
        assert_eq!(body.matches(part).count(), 1, "{part} in {body}");
    }
    assert!(!body.contains("Tags.member.3"));
}

#[tokio::test]
async fn an_update_carries_the_whole_request_and_nothing_new_is_an_answer() {
    let server = Server::start(|_| Reply::query("UpdateStack", &format!("<StackId>{ID}</StackId>"))).await;
    let outcome = super::update(&server.clients().await, ID, &request()).await;
    assert_eq!(outcome, Outcome::Done(Some(ID.to_owned())));
    let body = server.requests()[0].body.clone();
    for part in ["Capabilities.member.1=CAPABILITY_IAM&", "ClientRequestToken=t-1", "Tags.member.2.Value=r&"] {
        assert_eq!(body.matches(part).count(), 1, "{part} in {body}");
    }
    let same = Server::start(|_| Reply::query_error("ValidationError", "No updates are to be performed.")).await;
    assert_eq!(super::update(&same.clients().await, ID, &request()).await, Outcome::Done(None));
}

#[tokio::test]
async fn a_lost_reply_to_a_create_is_unknown_and_not_repeated() {
    let server = Server::start(|_| Reply::Drop).await;
    let outcome = super::create(&server.clients().await, &request()).await;
    assert!(matches!(&outcome, Outcome::Unknown(d) if d.operation == "CreateStack"), "{outcome:?}");
    assert_eq!(server.count("CreateStack"), 1);
}

#[tokio::test]
async fn timeouts_and_server_errors_on_writes_are_unknown_and_not_repeated() {
    for reply in [Reply::Hang, Reply::status(500, ""), Reply::status(503, "")] {
        let server = Server::start(move |_| reply.clone()).await;
        let outcome = super::create(&server.clients().await, &request()).await;
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
        assert_eq!(server.count("CreateStack"), 1);
    }
}

#[tokio::test]
async fn a_refused_connection_was_never_sent() {
    let port = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let outcome = super::create(&clients(&format!("http://127.0.0.1:{port}")).await, &request()).await;
    assert!(matches!(&outcome, Outcome::Refused(r) if r.kind == RefusalKind::NotSent), "{outcome:?}");
}

#[tokio::test]
async fn expired_credentials_are_refused_as_such() {
    let server = Server::start(|_| Reply::query_error("ExpiredToken", "The security token is expired")).await;
    let outcome = super::create(&server.clients().await, &request()).await;
    assert!(matches!(&outcome, Outcome::Refused(r) if r.kind == RefusalKind::Expired), "{outcome:?}");
}

#[tokio::test]
async fn reads_outlast_throttling_and_lost_connections() {
    let calls = AtomicUsize::new(0);
    let server = Server::start(move |_| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::query_error("Throttling", "Rate exceeded"),
        1 => Reply::Drop,
        2 => Reply::status(500, ""),
        _ => stack("CREATE_COMPLETE"),
    })
    .await;
    let state = super::describe(&server.clients().await, ID).await.done().expect("a stack");
    assert_eq!(state.status, StackStatus::CreateComplete);
    assert_eq!(server.count("DescribeStacks"), 4);
}

#[tokio::test]
async fn a_read_that_is_throttled_for_ever_says_so() {
    let server = Server::start(|_| Reply::query_error("Throttling", "Rate exceeded")).await;
    let outcome = super::describe(&server.clients().await, ID).await;
    assert!(matches!(&outcome, Outcome::Refused(r) if r.kind == RefusalKind::Throttled), "{outcome:?}");
    assert_eq!(server.count("DescribeStacks"), 4);
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_nothing_but_a_denial_is_not() {
    let gone = Server::start(|_| Reply::query_error("ValidationError", "Stack with id assay-x does not exist")).await;
    assert_eq!(super::find(&gone.clients().await, "assay-x").await, Outcome::Done(None));
    let denied = Server::start(|_| Reply::query_error("AccessDenied", "no")).await;
    assert!(
        matches!(super::find(&denied.clients().await, "assay-x").await, Outcome::Refused(r) if r.kind == RefusalKind::Denied)
    );
}

#[tokio::test]
async fn a_poll_reads_two_pages_of_a_long_history() {
    let server = Server::start(|request| event_page(request, 2_000)).await;
    let clients = server.clients().await;
    let batch = super::new_events(&clients, ID, Some("e3")).await.done().expect("events");
    assert_eq!((batch.events.len(), batch.truncated), (200, true));
    assert_eq!(batch.events[199].event_id, "e2000");
    assert_eq!(server.count("DescribeStackEvents"), 2);
    let few = super::new_events(&clients, ID, Some("e1998")).await.done().expect("events");
    assert_eq!(few.events.iter().map(|e| e.event_id.as_str()).collect::<Vec<_>>(), ["e1999", "e2000"]);
    assert!(!few.truncated);
    assert_eq!(server.count("DescribeStackEvents"), 3);
}

#[tokio::test]
async fn a_stack_without_events_is_no_trouble() {
    let server = Server::start(|_| Reply::query("DescribeStackEvents", "<StackEvents></StackEvents>")).await;
    let batch = super::new_events(&server.clients().await, ID, None).await.done().expect("events");
    assert!(batch.events.is_empty() && !batch.truncated);
}

#[tokio::test]
async fn an_unknown_create_is_reconciled_by_its_token() {
    let server = Server::start(|request| {
        if request.is("DescribeStacks") { stack("CREATE_IN_PROGRESS") } else { event_page(request, 150) }
    })
    .await;
    let clients = server.clients().await;
    let cap = PageCap::default();
    assert_eq!(super::created_by_token(&clients, "assay-x", "t-1", cap).await, Outcome::Done(Found::Ours(ID.into())));
    assert_eq!(
        super::created_by_token(&clients, "assay-x", "t-2", cap).await,
        Outcome::Done(Found::Foreign(ID.into()))
    );
}

#[tokio::test]
async fn a_first_delete_retains_nothing() {
    let server = Server::start(|_| Reply::query("DeleteStack", "")).await;
    let stack = DeleteStack { stack_id: ID.into(), token: "d-1".into(), ..DeleteStack::default() };
    assert!(super::delete(&server.clients().await, &stack).await.is_done());
    let body = server.requests()[0].body.clone();
    assert!(!body.contains("RetainResources") && !body.contains("DeletionMode"), "{body}");
}

#[tokio::test]
async fn clients_of_aws_refuse_to_send_elsewhere() {
    let server = Server::start(|_| Reply::ok("")).await;
    let elsewhere = crate::cloud::target::EndpointKind::Foreign("http://127.0.0.1:1".into());
    assert!(!elsewhere.allows(server.url.trim_start_matches("http://")));
}
