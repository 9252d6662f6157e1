use crate::support::{Local, config, start};
use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::ProvideErrorMetadata;
use aws_sdk_sqs::types::{
    DeleteMessageBatchRequestEntry, MessageAttributeValue, MessageSystemAttributeName, QueueAttributeName,
    SendMessageBatchRequestEntry,
};
use std::time::Duration;

struct Queue {
    local: Local,
    client: Client,
    url: String,
}

async fn queue(name: &str, attributes: &[(QueueAttributeName, &str)]) -> Queue {
    let local = start().await;
    let client = Client::new(&local.config);
    let url = create(&client, name, attributes).await;
    Queue { local, client, url }
}

async fn create(client: &Client, name: &str, attributes: &[(QueueAttributeName, &str)]) -> String {
    let mut request = client.create_queue().queue_name(name);
    if name.ends_with(".fifo") {
        request = request.attributes(QueueAttributeName::FifoQueue, "true");
    }
    for (attribute, value) in attributes {
        request = request.attributes(attribute.clone(), *value);
    }
    request.send().await.unwrap().queue_url.unwrap()
}

async fn send(queue: &Queue, body: &str, group: &str, dedup: &str) {
    let request = queue.client.send_message().queue_url(&queue.url).message_body(body);
    request.message_group_id(group).message_deduplication_id(dedup).send().await.unwrap();
}

/// Bodies and receive counts of what is there now, with the last receipt.
async fn receive(queue: &Queue, url: &str) -> Vec<(String, String, String)> {
    let answer = queue
        .client
        .receive_message()
        .queue_url(url)
        .max_number_of_messages(10)
        .message_system_attribute_names(MessageSystemAttributeName::All)
        .send()
        .await
        .unwrap();
    let messages = answer.messages.unwrap_or_default().into_iter();
    messages
        .map(|message| {
            let count = message.attributes.unwrap()[&MessageSystemAttributeName::ApproximateReceiveCount].clone();
            (message.body.unwrap(), count, message.receipt_handle.unwrap())
        })
        .collect()
}

async fn counts(queue: &Queue, url: &str) -> [String; 3] {
    let names = [
        QueueAttributeName::ApproximateNumberOfMessages,
        QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
        QueueAttributeName::ApproximateNumberOfMessagesDelayed,
    ];
    let request = queue.client.get_queue_attributes().queue_url(url).set_attribute_names(Some(names.to_vec()));
    let attributes = request.send().await.unwrap().attributes.unwrap();
    names.map(|name| attributes[&name].clone())
}

#[tokio::test]
async fn a_fifo_message_is_redelivered_after_its_visibility_and_buried_after_its_last_receive() {
    let dead = "dead.fifo";
    let queue = queue(dead, &[]).await;
    let policy =
        format!(r#"{{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:{dead}","maxReceiveCount":2}}"#);
    let attributes =
        [(QueueAttributeName::VisibilityTimeout, "60"), (QueueAttributeName::RedrivePolicy, policy.as_str())];
    let dead_url = queue.url.clone();
    let url = create(&queue.client, "requests.fifo", &attributes).await;
    let queue = Queue { url, ..queue };
    send(&queue, "m", "g", "d").await;

    let first = receive(&queue, &queue.url).await;
    assert_eq!((first.len(), first[0].1.as_str()), (1, "1"));
    assert_eq!(counts(&queue, &queue.url).await, ["0", "1", "0"]);
    assert!(receive(&queue, &queue.url).await.is_empty());

    queue.local.cloud.clock().advance(Duration::from_secs(60));
    let second = receive(&queue, &queue.url).await;
    assert_eq!((second[0].0.as_str(), second[0].1.as_str()), ("m", "2"));

    queue.local.cloud.clock().advance(Duration::from_secs(60));
    assert!(receive(&queue, &queue.url).await.is_empty());
    assert_eq!(receive(&queue, &dead_url).await[0].0, "m");
    assert_eq!(counts(&queue, &queue.url).await, ["0", "0", "0"]);
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn groups_keep_their_order_and_do_not_wait_for_each_other() {
    let queue = queue("q.fifo", &[]).await;
    for (body, group) in [("a1", "a"), ("a2", "a"), ("b1", "b")] {
        send(&queue, body, group, body).await;
    }
    let one = queue.client.receive_message().queue_url(&queue.url).send().await.unwrap().messages.unwrap().remove(0);
    assert_eq!(one.body(), Some("a1"));
    let others = receive(&queue, &queue.url).await;
    assert_eq!(others.iter().map(|m| m.0.as_str()).collect::<Vec<_>>(), ["b1"]);
    let handle = one.receipt_handle().unwrap();
    queue.client.delete_message().queue_url(&queue.url).receipt_handle(handle).send().await.unwrap();
    assert_eq!(receive(&queue, &queue.url).await[0].0, "a2");
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn duplicates_are_swallowed_for_five_minutes() {
    let queue = queue("q.fifo", &[]).await;
    send(&queue, "m", "g", "d").await;
    send(&queue, "m", "g", "d").await;
    assert_eq!(counts(&queue, &queue.url).await, ["1", "0", "0"]);
    queue.local.cloud.clock().advance(Duration::from_secs(300));
    send(&queue, "m", "g", "d").await;
    assert_eq!(counts(&queue, &queue.url).await, ["2", "0", "0"]);
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_waiting_receive_gets_what_is_sent_meanwhile() {
    let queue = queue("q.fifo", &[]).await;
    let waiting = queue.client.receive_message().queue_url(&queue.url).wait_time_seconds(20).send();
    let sending = async {
        tokio::task::yield_now().await;
        send(&queue, "m", "g", "d").await;
    };
    let (received, ()) = tokio::time::timeout(Duration::from_secs(10), async { tokio::join!(waiting, sending) })
        .await
        .expect("the receive ends long before its wait time");
    assert_eq!(received.unwrap().messages()[0].body(), Some("m"));
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn an_expired_wait_answers_without_messages() {
    let queue = queue("q", &[]).await;
    let clock = queue.local.cloud.clock().clone();
    let waiting = queue.client.receive_message().queue_url(&queue.url).wait_time_seconds(20).send();
    let moving = async {
        while queue.local.cloud.calls().keys().all(|(_, operation)| operation != "ReceiveMessage") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        clock.advance(Duration::from_secs(30));
    };
    let (received, ()) = tokio::time::timeout(Duration::from_secs(10), async { tokio::join!(waiting, moving) })
        .await
        .expect("the clock was moved past the wait time");
    assert!(received.unwrap().messages.is_none());
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_name_is_taken_for_a_minute_after_its_queue_is_gone() {
    let queue = queue("q", &[]).await;
    queue.client.delete_queue().queue_url(&queue.url).send().await.unwrap();
    let gone = queue.client.get_queue_url().queue_name("q").send().await.unwrap_err();
    assert!(gone.as_service_error().unwrap().is_queue_does_not_exist());
    assert_eq!(gone.code(), Some("AWS.SimpleQueueService.NonExistentQueue"));
    let refused = queue.client.create_queue().queue_name("q").send().await.unwrap_err();
    assert!(refused.into_service_error().is_queue_deleted_recently());
    queue.local.cloud.clock().advance(Duration::from_secs(60));
    create(&queue.client, "q", &[]).await;
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn creating_again_needs_equal_attributes() {
    let queue = queue("q", &[(QueueAttributeName::VisibilityTimeout, "60")]).await;
    assert_eq!(create(&queue.client, "q", &[(QueueAttributeName::VisibilityTimeout, "60")]).await, queue.url);
    let request = queue.client.create_queue().queue_name("q").attributes(QueueAttributeName::VisibilityTimeout, "61");
    assert!(request.send().await.unwrap_err().into_service_error().is_queue_name_exists());
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn attributes_are_answered_only_to_those_who_ask() {
    let queue = queue("q", &[]).await;
    let none = queue.client.get_queue_attributes().queue_url(&queue.url).send().await.unwrap();
    assert!(none.attributes.is_none());
    let all = queue.client.get_queue_attributes().queue_url(&queue.url).attribute_names(QueueAttributeName::All);
    let all = all.send().await.unwrap().attributes.unwrap();
    assert_eq!(all[&QueueAttributeName::QueueArn], "arn:aws:sqs:us-east-1:000000000000:q");
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn batches_tell_each_entrys_fate() {
    let queue = queue("q", &[]).await;
    let entry =
        |id: &str, body: &str| SendMessageBatchRequestEntry::builder().id(id).message_body(body).build().unwrap();
    let sent = queue.client.send_message_batch().queue_url(&queue.url);
    let sent = sent.entries(entry("1", "a")).entries(entry("2", "")).send().await.unwrap();
    assert_eq!((sent.successful()[0].id(), sent.failed()[0].id()), ("1", "2"));
    let receipt = receive(&queue, &queue.url).await.remove(0).2;
    let entry = DeleteMessageBatchRequestEntry::builder().id("x").receipt_handle(receipt).build().unwrap();
    let deleted = queue.client.delete_message_batch().queue_url(&queue.url).entries(entry).send().await.unwrap();
    assert_eq!(deleted.successful()[0].id(), "x");
    assert_eq!(counts(&queue, &queue.url).await, ["0", "0", "0"]);
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn message_attributes_come_back_with_their_digest() {
    let queue = queue("q", &[]).await;
    let value = MessageAttributeValue::builder().data_type("String").string_value("v").build().unwrap();
    let request = queue.client.send_message().queue_url(&queue.url).message_body("m");
    let sent = request.message_attributes("k", value).send().await.unwrap();
    let request = queue.client.receive_message().queue_url(&queue.url).message_attribute_names("All");
    let received = request.send().await.unwrap().messages.unwrap().remove(0);
    assert_eq!(received.message_attributes().unwrap()["k"].string_value(), Some("v"));
    assert_eq!(received.md5_of_message_attributes(), sent.md5_of_message_attributes());
    assert!(sent.md5_of_message_attributes().is_some());
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn queues_are_listed_in_pages_and_by_region() {
    let queue = queue("q1", &[]).await;
    for name in ["q2", "q3", "other"] {
        create(&queue.client, name, &[]).await;
    }
    let mut pages = queue.client.list_queues().queue_name_prefix("q").max_results(2).into_paginator().items().send();
    let mut listed = Vec::new();
    while let Some(url) = pages.next().await {
        listed.push(url.unwrap().rsplit('/').next().unwrap().to_owned());
    }
    assert_eq!(listed, ["q1", "q2", "q3"]);
    let elsewhere = Client::new(&config(&queue.local.cloud, "eu-west-1").await);
    assert!(elsewhere.list_queues().send().await.unwrap().queue_urls.is_none());
    queue.local.cloud.shutdown().await;
}

#[tokio::test]
async fn tags_can_be_set_and_removed() {
    let queue = queue("q", &[]).await;
    queue.client.tag_queue().queue_url(&queue.url).tags("a", "1").tags("b", "2").send().await.unwrap();
    queue.client.untag_queue().queue_url(&queue.url).tag_keys("a").send().await.unwrap();
    let tags = queue.client.list_queue_tags().queue_url(&queue.url).send().await.unwrap().tags.unwrap();
    assert_eq!(tags.into_iter().collect::<Vec<_>>(), [("b".to_owned(), "2".to_owned())]);
    queue.local.cloud.shutdown().await;
}
