use super::support::{Lab, PATIENCE, kinds, until};
use aws_sdk_lambda::error::ProvideErrorMetadata;
use aws_sdk_lambda::types::{Event, EventType, ExecutionStatus, FunctionResponseType};
use aws_sdk_sqs::types::QueueAttributeName as Name;
use serde_json::Value;
use std::time::{Duration, Instant};

struct Queue {
    sqs: aws_sdk_sqs::Client,
    url: String,
    arn: String,
}

impl Queue {
    async fn fifo(lab: &Lab, name: &str, visibility_s: u32) -> Self {
        let sqs = aws_sdk_sqs::Client::new(&lab.local.config);
        let request = sqs.create_queue().queue_name(format!("{name}.fifo")).attributes(Name::FifoQueue, "true");
        let request = request.attributes(Name::VisibilityTimeout, visibility_s.to_string());
        let url = request.send().await.unwrap().queue_url.unwrap();
        Self { arn: format!("arn:aws:sqs:us-east-1:000000000000:{name}.fifo"), sqs, url }
    }

    async fn send(&self, group: &str, body: &str) {
        let request = self.sqs.send_message().queue_url(&self.url).message_group_id(group).message_body(body);
        let id = format!("{group}-{body}-{:?}", Instant::now()).replace([' ', '{', '}', ':', ',', '_'], "");
        request.message_deduplication_id(id).send().await.unwrap();
    }

    /// Messages that are visible and messages in flight.
    async fn counts(&self) -> (u32, u32) {
        let (waiting, flying) = (Name::ApproximateNumberOfMessages, Name::ApproximateNumberOfMessagesNotVisible);
        let request = self.sqs.get_queue_attributes().queue_url(&self.url).attribute_names(Name::All);
        let attributes = request.send().await.unwrap().attributes.unwrap();
        (attributes[&waiting].parse().unwrap(), attributes[&flying].parse().unwrap())
    }

    async fn map(&self, lab: &Lab, function: &str) -> String {
        let request = lab.lambda.create_event_source_mapping().event_source_arn(&self.arn).function_name(function);
        let uuid = request.batch_size(1).send().await.unwrap().uuid.unwrap();
        until("the mapping is enabled", async || state(lab, &uuid).await.as_deref() == Some("Enabled")).await;
        uuid
    }
}

async fn state(lab: &Lab, uuid: &str) -> Option<String> {
    lab.lambda.get_event_source_mapping().uuid(uuid).send().await.ok()?.state
}

/// What the function printed, one event each.
async fn events(lab: &Lab, function: &str) -> Vec<Value> {
    let logs = aws_sdk_cloudwatchlogs::Client::new(&lab.local.config);
    let found = logs.filter_log_events().log_group_name(format!("/aws/lambda/{function}")).send().await;
    let lines = found.ok().and_then(|page| page.events).unwrap_or_default();
    lines.iter().filter_map(|line| serde_json::from_str(line.message()?).ok()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_taken_at_once_and_deleted() {
    let lab = Lab::start().await;
    lab.plain("f", "records", 3).await;
    let queue = Queue::fifo(&lab, "q", 30).await;
    let uuid = queue.map(&lab, "f").await;
    queue.send("g", "hello").await;
    until("the queue is empty", async || queue.counts().await == (0, 0)).await;
    until("the event is logged", async || !events(&lab, "f").await.is_empty()).await;
    let record = &events(&lab, "f").await[0]["Records"][0];
    assert_eq!((&record["body"], &record["eventSource"]), (&"hello".into(), &"aws:sqs".into()));
    assert_eq!(record["eventSourceARN"], queue.arn.as_str());
    assert_eq!(record["attributes"]["MessageGroupId"], "g");
    assert_eq!(record["attributes"]["ApproximateReceiveCount"], "1");
    for key in ["SentTimestamp", "SequenceNumber", "MessageDeduplicationId", "ApproximateFirstReceiveTimestamp"] {
        assert!(record["attributes"][key].is_string(), "{key} in {record}");
    }
    let deleted = lab.lambda.delete_event_source_mapping().uuid(&uuid).send().await.unwrap();
    assert_eq!(deleted.state(), Some("Deleting"));
    until("the mapping is gone", async || state(&lab, &uuid).await.is_none()).await;
    queue.send("g", "ignored").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(queue.counts().await, (1, 0));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_message_returns_after_its_visibility_and_holds_its_group() {
    let lab = Lab::start().await;
    lab.plain("f", "records", 3).await;
    let queue = Queue::fifo(&lab, "q", 60).await;
    queue.map(&lab, "f").await;
    queue.send("g", "fail-once").await;
    queue.send("g", "next").await;
    queue.send("other", "free").await;
    until("the other group passes", async || queue.counts().await == (1, 1)).await;
    until("both are logged", async || events(&lab, "f").await.len() == 2).await;
    lab.local.cloud.clock().advance(Duration::from_secs(60));
    until("the group passes", async || queue.counts().await == (0, 0)).await;
    until("all are logged", async || events(&lab, "f").await.len() == 4).await;
    let events = events(&lab, "f").await;
    let of_group = events.iter().map(|event| &event["Records"][0]).filter(|r| r["attributes"]["MessageGroupId"] == "g");
    let bodies: Vec<&str> = of_group.map(|record| record["body"].as_str().unwrap()).collect();
    assert_eq!(bodies, ["fail-once", "fail-once", "next"]);
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reported_items_come_back_alone() {
    let lab = Lab::start().await;
    lab.plain("f", "records", 3).await;
    let sqs = aws_sdk_sqs::Client::new(&lab.local.config);
    let url = sqs.create_queue().queue_name("q").send().await.unwrap().queue_url.unwrap();
    for body in ["a", "report", "b"] {
        sqs.send_message().queue_url(&url).message_body(body).send().await.unwrap();
    }
    let queue = Queue { sqs, url, arn: "arn:aws:sqs:us-east-1:000000000000:q".to_owned() };
    let request = lab.lambda.create_event_source_mapping().event_source_arn(&queue.arn).function_name("f");
    request.function_response_types(FunctionResponseType::ReportBatchItemFailures).send().await.unwrap();
    until("two are deleted", async || queue.counts().await == (0, 1)).await;
    until("the event is logged", async || events(&lab, "f").await.len() == 1).await;
    assert_eq!(events(&lab, "f").await[0]["Records"].as_array().unwrap().len(), 3);
    lab.close().await;
}

#[tokio::test]
async fn mappings_are_checked_and_listed() {
    let lab = Lab::start().await;
    lab.plain("slow", "echo", 60).await;
    lab.plain("f", "echo", 3).await;
    let queue = Queue::fifo(&lab, "q", 30).await;
    let create = |function: &str| {
        lab.lambda.create_event_source_mapping().event_source_arn(&queue.arn).function_name(function.to_owned())
    };
    let short = create("slow").send().await.unwrap_err();
    let words = "Queue visibility timeout: 30 seconds is less than Function timeout: 60 seconds";
    assert_eq!((short.code(), short.message()), (Some("InvalidParameterValueException"), Some(words)));
    let version = lab.durable("long", "step/1-1", 901).await;
    assert_eq!(create(&version).send().await.unwrap_err().code(), Some("InvalidParameterValueException"));
    lab.durable("durable", "step/1-1", 900).await;
    assert_eq!(create("durable").send().await.unwrap_err().code(), Some("InvalidParameterValueException"));
    assert_eq!(create("nobody").send().await.unwrap_err().code(), Some("ResourceNotFoundException"));
    let uuid = create("f").send().await.unwrap().uuid.unwrap();
    assert_eq!(create("f").send().await.unwrap_err().code(), Some("ResourceConflictException"));
    let by_function = lab.lambda.list_event_source_mappings().function_name("f").send().await.unwrap();
    let by_source = lab.lambda.list_event_source_mappings().event_source_arn(&queue.arn).send().await.unwrap();
    assert_eq!(by_function.event_source_mappings()[0].uuid(), Some(uuid.as_str()));
    assert_eq!(by_source.event_source_mappings().len(), 1);
    let other = lab.lambda.list_event_source_mappings().function_name("slow").send().await.unwrap();
    assert!(other.event_source_mappings().is_empty());
    // A function's mappings outlive it.
    lab.lambda.delete_function().function_name("f").send().await.unwrap();
    assert!(state(&lab, &uuid).await.is_some());
    lab.close().await;
}

async fn executions(lab: &Lab, function: &str) -> Vec<String> {
    let listed = lab.lambda.list_durable_executions_by_function().function_name(function).reverse_order(true);
    let page = listed.send().await.unwrap();
    page.durable_executions().iter().map(|execution| execution.durable_execution_arn().to_owned()).collect()
}

fn gap_s(events: &[Event], from: usize, to: usize) -> f64 {
    let ms = |event: &Event| event.event_timestamp().unwrap().to_millis().unwrap();
    Duration::from_millis(u64::try_from(ms(&events[to]) - ms(&events[from])).unwrap()).as_secs_f64()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_durable_function_holds_its_message_until_the_execution_ends() {
    let lab = Lab::start().await;
    let version = lab.durable("caller", "retry-60", 300).await;
    let queue = Queue::fifo(&lab, "requests", 360).await;
    queue.map(&lab, &version).await;
    queue.send("trial", "once").await;
    until("an execution is there", async || executions(&lab, "caller").await.len() == 1).await;
    let arn = executions(&lab, "caller").await.remove(0);
    let suspended = ["ExecutionStarted", "StepStarted", "StepFailed", "InvocationCompleted"];
    until("it waits for the second attempt", async || kinds(&lab.history(&arn).await) == suspended).await;
    assert_eq!((lab.status(&arn).await, queue.counts().await), (ExecutionStatus::Running, (0, 1)));
    lab.local.cloud.clock().advance(Duration::from_secs(60));
    until("the message is done", async || queue.counts().await == (0, 0)).await;
    assert_eq!(lab.status(&arn).await, ExecutionStatus::Succeeded);
    let events = lab.history(&arn).await;
    let ended =
        [&suspended[..], &["StepStarted", "StepSucceeded", "InvocationCompleted", "ExecutionSucceeded"]].concat();
    assert_eq!(kinds(&events), ended);
    assert!(gap_s(&events, 2, 4) >= 60.0);
    let attempts = events[5].step_succeeded_details().unwrap().retry_details().unwrap().current_attempt();
    assert_eq!((attempts, events[5].name()), (2, Some("refund-attempt")));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_execution_lets_its_message_return_to_a_new_execution() {
    let lab = Lab::start().await;
    let version = lab.durable("caller", "retry-60", 300).await;
    let queue = Queue::fifo(&lab, "requests", 360).await;
    queue.map(&lab, &version).await;
    queue.send("trial", "always").await;
    let clock = lab.local.cloud.clock().clone();
    for delivery in 1..=2 {
        until("an execution is there", async || executions(&lab, "caller").await.len() == delivery).await;
        let arn = executions(&lab, "caller").await.remove(delivery - 1);
        let failed_once =
            async || lab.history(&arn).await.last().unwrap().event_type() == Some(&EventType::InvocationCompleted);
        until("the first attempt fails", failed_once).await;
        clock.advance(Duration::from_secs(60));
        until("it fails", async || lab.status(&arn).await == ExecutionStatus::Failed).await;
        assert_eq!(queue.counts().await, (0, 1), "the message stays hidden until its visibility ends");
        clock.advance(Duration::from_secs(300));
    }
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mapping_can_rest() {
    let lab = Lab::start().await;
    lab.plain("f", "records", 3).await;
    let queue = Queue::fifo(&lab, "q", 30).await;
    let uuid = queue.map(&lab, "f").await;
    lab.lambda.update_event_source_mapping().uuid(&uuid).enabled(false).send().await.unwrap();
    until("it rests", async || state(&lab, &uuid).await.as_deref() == Some("Disabled")).await;
    queue.send("g", "later").await;
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(100) {
        assert_eq!(queue.counts().await, (1, 0));
    }
    lab.lambda.update_event_source_mapping().uuid(&uuid).enabled(true).send().await.unwrap();
    until("the queue is empty", async || queue.counts().await == (0, 0)).await;
    assert!(began.elapsed() < PATIENCE);
    lab.close().await;
}
