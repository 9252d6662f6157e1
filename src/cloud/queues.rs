//! SQS queues. Messages are never received to look at a queue: a receive counts towards the dead-letter queue.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_sqs::types::QueueAttributeName;
use evidence::trial::QueueCounts;
use std::collections::BTreeMap;

/// Queues on one page of `ListQueues`; the service gives a token only if this is set (SQS API reference).
const PAGE: i32 = 1_000;

/// A message for a FIFO queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Body.
    pub body: String,
    /// Message group, unique to the trial.
    pub group: String,
    /// Deduplication id, unique to run and trial; a repeat within five minutes is swallowed.
    pub deduplication_id: String,
}

/// What SQS answers to a send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Message id.
    pub message_id: String,
    /// FIFO sequence number.
    pub sequence_number: Option<String>,
}

/// Sends one message; leaves once.
pub async fn send(clients: &Clients, queue_url: &str, message: &Message) -> Outcome<Sent> {
    const OPERATION: &str = "SendMessage";
    let call = clients
        .sdk()
        .sqs
        .send_message()
        .queue_url(queue_url)
        .message_body(&message.body)
        .message_group_id(&message.group)
        .message_deduplication_id(&message.deduplication_id);
    settle(async {
        let answer = clients.write(Lane::Sqs, OPERATION, call.send()).await?;
        let message_id = require(OPERATION, "MessageId", answer.message_id)?;
        Ok(Sent { message_id, sequence_number: answer.sequence_number })
    })
    .await
}

/// Every attribute of a queue, by name.
pub async fn attributes(clients: &Clients, queue_url: &str) -> Outcome<BTreeMap<String, String>> {
    settle(read_attributes(clients, queue_url, QueueAttributeName::All)).await
}

/// The three counts of a queue. They are approximate and settle a minute after the last producer (SQS API reference).
pub async fn counts(clients: &Clients, queue_url: &str) -> Outcome<QueueCounts> {
    settle(async {
        let all = read_attributes(clients, queue_url, QueueAttributeName::All).await?;
        let count = |name: &str| {
            let value = all.get(name).and_then(|text| text.parse().ok());
            require("GetQueueAttributes", name, value)
        };
        Ok(QueueCounts {
            visible: count("ApproximateNumberOfMessages")?,
            in_flight: count("ApproximateNumberOfMessagesNotVisible")?,
            delayed: count("ApproximateNumberOfMessagesDelayed")?,
        })
    })
    .await
}

/// URL of a queue by name.
pub async fn url(clients: &Clients, name: &str) -> Outcome<String> {
    const OPERATION: &str = "GetQueueUrl";
    settle(async {
        let answer =
            clients.read(Lane::Sqs, OPERATION, || clients.sdk().sqs.get_queue_url().queue_name(name).send()).await?;
        require(OPERATION, "QueueUrl", answer.queue_url)
    })
    .await
}

/// URLs of the queues whose name starts with `prefix`.
pub async fn list_by_prefix(clients: &Clients, prefix: &str, cap: PageCap) -> Outcome<Listing<String>> {
    const OPERATION: &str = "ListQueues";
    settle(pages(OPERATION, cap, async |token: Option<String>| {
        let call = || {
            let call = clients.sdk().sqs.list_queues().queue_name_prefix(prefix).max_results(PAGE);
            call.set_next_token(token.clone()).send()
        };
        let answer = clients.read(Lane::Sqs, OPERATION, call).await?;
        Ok((answer.queue_urls.unwrap_or_default(), answer.next_token))
    }))
    .await
}

/// Tags of a queue.
pub async fn tags(clients: &Clients, queue_url: &str) -> Outcome<BTreeMap<String, String>> {
    settle(async {
        let call = || clients.sdk().sqs.list_queue_tags().queue_url(queue_url).send();
        let answer = clients.read(Lane::Sqs, "ListQueueTags", call).await?;
        Ok(answer.tags.unwrap_or_default().into_iter().collect())
    })
    .await
}

async fn read_attributes(
    clients: &Clients,
    queue_url: &str,
    names: QueueAttributeName,
) -> Result<BTreeMap<String, String>, Failure> {
    let call = || clients.sdk().sqs.get_queue_attributes().queue_url(queue_url).attribute_names(names.clone()).send();
    let answer = clients.read(Lane::Sqs, "GetQueueAttributes", call).await?;
    let attributes = answer.attributes.unwrap_or_default();
    Ok(attributes.into_iter().map(|(name, value)| (name.as_str().to_owned(), value)).collect())
}
