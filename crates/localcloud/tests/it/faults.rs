use crate::support::{Local, start_with};
use aws_config::retry::RetryConfig;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::interceptors::BeforeDeserializationInterceptorContextRef;
use aws_sdk_sqs::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_sqs::error::BoxError;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sqs::primitives::{DateTime, DateTimeFormat as Format};
use localcloud::fault::Script;
use localcloud::{Options, Service};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

async fn start(rules: &str) -> Local {
    let script = Script::from_yaml("faults.yaml", rules).unwrap();
    start_with(Options { faults: Some(script), ..Options::default() }).await
}

async fn queue(client: &Client) -> String {
    client.create_queue().queue_name("q").send().await.unwrap().queue_url.unwrap()
}

async fn visible(client: &Client, url: &str) -> usize {
    let request = client.receive_message().queue_url(url).max_number_of_messages(10).visibility_timeout(0);
    request.send().await.unwrap().messages().len()
}

#[tokio::test]
async fn a_lost_reply_is_done_but_not_answered() {
    let local = start("rules:\n  - {service: sqs, operation: SendMessage, when: {nth: 1}, effect: drop_after}\n").await;
    let client = Client::new(&local.config);
    let url = queue(&client).await;
    let lost = client.send_message().queue_url(&url).message_body("m").send().await.unwrap_err();
    assert!(matches!(lost, SdkError::DispatchFailure(_)), "{lost:?}");
    assert_eq!(visible(&client, &url).await, 1);
    client.send_message().queue_url(&url).message_body("n").send().await.unwrap();
    assert_eq!(visible(&client, &url).await, 2);
    assert_eq!(local.cloud.calls()[&(Service::Sqs, "SendMessage".to_owned())], 2);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_connection_dropped_before_leaves_nothing_behind() {
    let local = start("rules:\n  - {service: sqs, operation: SendMessage, effect: drop_before}\n").await;
    let client = Client::new(&local.config);
    let url = queue(&client).await;
    let dropped = client.send_message().queue_url(&url).message_body("m").send().await.unwrap_err();
    assert!(matches!(dropped, SdkError::DispatchFailure(_)), "{dropped:?}");
    assert_eq!(visible(&client, &url).await, 0);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn throttled_calls_are_retried_by_the_sdk() {
    let rules = "rules:\n  - {service: sqs, operation: ListQueues, when: {nth: 1}, effect: throttle}\n";
    let local = start(rules).await;
    let retry = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
    let config = aws_sdk_sqs::config::Builder::from(&local.config).retry_config(retry).build();
    Client::from_conf(config).list_queues().send().await.unwrap();
    assert_eq!(local.cloud.calls()[&(Service::Sqs, "ListQueues".to_owned())], 2);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn errors_have_the_codes_of_their_services() {
    let rules = "rules:\n  - {service: sqs, effect: expired_token}\n  - {service: sts, effect: denied}\n  - {service: s3, effect: {error: {status: 503, code: SlowDown}}}\n";
    let local = start(rules).await;
    let sqs = Client::new(&local.config).list_queues().send().await.unwrap_err();
    assert_eq!(sqs.code(), Some("ExpiredTokenException"));
    let sts = aws_sdk_sts::Client::new(&local.config).get_caller_identity().send().await.unwrap_err();
    assert_eq!(sts.code(), Some("AccessDenied"));
    let s3 = aws_sdk_s3::Client::new(&local.config).list_buckets().send().await.unwrap_err();
    assert_eq!(s3.code(), Some("SlowDown"));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_delay_is_on_the_clouds_clock() {
    let local = start("rules:\n  - {service: sqs, effect: {delay: {ms: 3600000}}}\n").await;
    let client = Client::new(&local.config);
    let began = Instant::now();
    let moving = async {
        while local.cloud.calls().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        local.cloud.clock().advance(Duration::from_secs(3600));
    };
    let (listed, ()) = tokio::join!(client.list_queues().send(), moving);
    listed.unwrap();
    assert!(began.elapsed() < Duration::from_secs(60));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_call_is_done_even_if_its_client_has_gone() {
    let local = start("rules:\n  - {service: sqs, operation: SendMessage, effect: {delay: {ms: 3600000}}}\n").await;
    let client = Client::new(&local.config);
    let url = queue(&client).await;
    let sending = client.send_message().queue_url(&url).message_body("m").send();
    tokio::time::timeout(Duration::from_millis(500), sending).await.unwrap_err();
    assert_eq!(visible(&client, &url).await, 0);
    local.cloud.clock().advance(Duration::from_secs(3600));
    let request = client.receive_message().queue_url(&url).wait_time_seconds(20);
    assert_eq!(request.send().await.unwrap().messages().len(), 1);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_skewed_clock_shows_in_the_date_header() {
    let local =
        start("rules:\n  - {service: sqs, operation: ListQueues, effect: {clock_skew: {ms: -7200000}}}\n").await;
    let client = Client::new(&local.config);
    let seen = Dates::default();
    client.list_queues().customize().interceptor(seen.clone()).send().await.unwrap();
    client.create_queue().queue_name("q").customize().interceptor(seen.clone()).send().await.unwrap();
    let dates = seen.0.lock().unwrap().clone();
    assert_eq!((dates[1] - dates[0] + 30) / 60, 120, "{dates:?} are two hours apart");
    local.cloud.shutdown().await;
}

/// Collects the answers' dates, in seconds of the epoch.
#[derive(Clone, Debug, Default)]
struct Dates(Arc<Mutex<Vec<i64>>>);

impl Intercept for Dates {
    fn name(&self) -> &'static str {
        "dates"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let date = context.response().headers().get("date").ok_or("no date")?;
        let date = DateTime::from_str(date, Format::HttpDate)?;
        self.0.lock().unwrap().push(date.secs());
        Ok(())
    }
}

#[tokio::test]
async fn an_empty_page_with_a_token_leads_to_the_items() {
    let rules = "rules:\n  - {service: s3, operation: ListObjectsV2, when: {nth: 1}, effect: empty_page_with_token}\n";
    let local = start(rules).await;
    let client = aws_sdk_s3::Client::new(&local.config);
    client.create_bucket().bucket("artifacts").send().await.unwrap();
    client.put_object().bucket("artifacts").key("k").send().await.unwrap();
    let first = client.list_objects_v2().bucket("artifacts").send().await.unwrap();
    assert_eq!((first.contents().len(), first.is_truncated()), (0, Some(true)));
    let token = first.next_continuation_token().unwrap();
    let second = client.list_objects_v2().bucket("artifacts").continuation_token(token).send().await.unwrap();
    assert_eq!(second.contents()[0].key(), Some("k"));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn scripts_with_mistakes_are_refused_with_the_place() {
    let wrong = Script::from_yaml("faults.yaml", "rules:\n  - {service: sqs, effect: explode}\n").unwrap_err();
    assert!(wrong.to_string().starts_with("faults.yaml:2:"), "{wrong}");
}
