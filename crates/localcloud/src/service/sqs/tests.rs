//! Queues without a wire: order, visibility, redrive and deduplication on a clock in hand.

use super::delivery::change_visibility;
use super::message::Delivery;
use super::send::{Send, send};
use super::settings::Settings;
use super::*;
use serde_json::{Map, json};
use std::collections::BTreeMap;

const HOUR_MS: i64 = 3_600_000;

fn state(fifo: bool, attributes: &[(&str, &str)]) -> State {
    let mut state = State::default();
    for name in ["dead", "q"] {
        let mut settings = Settings::new(fifo);
        if name == "q" {
            let attributes: BTreeMap<String, String> =
                attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            settings.apply(&attributes).unwrap();
        }
        state.queues.insert(name.to_owned(), Queue::new("us-east-1", name, settings, HOUR_MS));
    }
    state
}

fn put(state: &mut State, body: &str, group: Option<&str>, dedup: Option<&str>, now_ms: i64) -> Value {
    let message = Send {
        message_body: Some(body.to_owned()),
        delay_seconds: None,
        message_attributes: Map::new(),
        message_system_attributes: Map::new(),
        message_deduplication_id: dedup.map(str::to_owned),
        message_group_id: group.map(str::to_owned),
    };
    send(state, "q", message, format!("id-{body}-{now_ms}"), now_ms).unwrap()
}

fn take(state: &mut State, queue: &str, max: usize, now_ms: i64) -> Vec<Delivery> {
    receive(state, Receive { queue, max, visibility_ms: None, now_ms }).unwrap()
}

fn bodies(deliveries: &[Delivery]) -> Vec<&str> {
    deliveries.iter().map(|delivery| delivery.message.body.as_str()).collect()
}

#[test]
fn a_group_is_locked_while_one_of_it_is_in_flight() {
    let mut state = state(true, &[]);
    for (body, group) in [("a1", "a"), ("a2", "a"), ("b1", "b")] {
        put(&mut state, body, Some(group), Some(body), HOUR_MS);
    }
    let first = take(&mut state, "q", 1, HOUR_MS);
    assert_eq!(bodies(&first), ["a1"]);
    assert_eq!(bodies(&take(&mut state, "q", 10, HOUR_MS)), ["b1"]);
    delete(&mut state, "q", &first[0].receipt_handle, HOUR_MS).unwrap();
    assert_eq!(bodies(&take(&mut state, "q", 10, HOUR_MS)), ["a2"]);
}

#[test]
fn visibility_counts_from_the_receipt() {
    let mut state = state(true, &[("VisibilityTimeout", "60")]);
    put(&mut state, "m", Some("g"), Some("d"), HOUR_MS);
    assert_eq!(take(&mut state, "q", 1, HOUR_MS + 5_000).len(), 1);
    assert_eq!(next_change_ms(&state, "q", HOUR_MS + 5_000), Some(HOUR_MS + 65_000));
    assert!(take(&mut state, "q", 1, HOUR_MS + 64_999).is_empty());
    let again = take(&mut state, "q", 1, HOUR_MS + 65_000);
    assert_eq!(again[0].message.receive_count, 2);
}

#[test]
fn the_receive_after_the_last_allowed_one_buries_the_message() {
    let policy = r#"{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":2}"#;
    let mut state = state(true, &[("VisibilityTimeout", "1"), ("RedrivePolicy", policy)]);
    put(&mut state, "m", Some("g"), Some("d"), HOUR_MS);
    for receive in 0..2 {
        assert_eq!(take(&mut state, "q", 1, HOUR_MS + receive * 1_000).len(), 1);
    }
    assert!(take(&mut state, "q", 1, HOUR_MS + 2_000).is_empty());
    let dead = take(&mut state, "dead", 1, HOUR_MS + 2_000);
    assert_eq!(bodies(&dead), ["m"]);
    let record = dead[0].event_record("arn:aws:sqs:us-east-1:000000000000:dead");
    assert_eq!(record["attributes"]["DeadLetterQueueSourceArn"], "arn:aws:sqs:us-east-1:000000000000:q");
    assert_eq!(record["attributes"]["MessageDeduplicationId"], dead[0].message.id);
    assert_eq!(record["awsRegion"], "us-east-1");
}

#[test]
fn a_repeated_send_counts_once_for_five_minutes() {
    let mut state = state(true, &[]);
    let first = put(&mut state, "m", Some("g"), Some("d"), HOUR_MS);
    let repeated = put(&mut state, "other", Some("h"), Some("d"), HOUR_MS + 299_999);
    assert_eq!(first["MessageId"], repeated["MessageId"]);
    assert_eq!(first["SequenceNumber"], repeated["SequenceNumber"]);
    assert_eq!(state.queue("q").unwrap().counts(HOUR_MS + 299_999).visible, 1);
    let later = put(&mut state, "m", Some("g"), Some("d"), HOUR_MS + 300_000);
    assert_ne!(first["MessageId"], later["MessageId"]);
}

#[test]
fn content_can_be_the_deduplication_id() {
    let mut state = state(true, &[("ContentBasedDeduplication", "true")]);
    put(&mut state, "m", Some("g"), None, HOUR_MS);
    put(&mut state, "m", Some("g"), None, HOUR_MS);
    put(&mut state, "n", Some("g"), None, HOUR_MS);
    assert_eq!(state.queue("q").unwrap().counts(HOUR_MS).visible, 2);
}

#[test]
fn a_fifo_receipt_ends_with_the_visibility_timeout_and_a_standard_one_does_not() {
    for (fifo, refused) in [(true, true), (false, false)] {
        let mut state = state(fifo, &[("VisibilityTimeout", "1")]);
        put(&mut state, "m", Some("g"), Some("d"), HOUR_MS);
        let delivery = take(&mut state, "q", 1, HOUR_MS).remove(0);
        let deleted = delete(&mut state, "q", &delivery.receipt_handle, HOUR_MS + 1_000);
        assert_eq!(deleted.is_err(), refused, "fifo: {fifo}");
    }
}

#[test]
fn counts_tell_visible_in_flight_and_delayed_apart() {
    let mut state = state(false, &[("DelaySeconds", "0")]);
    put(&mut state, "a", None, None, HOUR_MS);
    put(&mut state, "b", None, None, HOUR_MS);
    let delayed = Send { delay_seconds: Some(10), ..serde_json::from_value(json!({ "MessageBody": "c" })).unwrap() };
    send(&mut state, "q", delayed, "c".to_owned(), HOUR_MS).unwrap();
    let taken = take(&mut state, "q", 1, HOUR_MS);
    let counts = state.queue("q").unwrap().counts(HOUR_MS);
    assert_eq!((counts.visible, counts.in_flight, counts.delayed), (1, 1, 1));
    change_visibility(&mut state, "q", &taken[0].receipt_handle, 0, HOUR_MS).unwrap();
    let error = change_visibility(&mut state, "q", &taken[0].receipt_handle, 5, HOUR_MS).unwrap_err();
    assert_eq!(error.code, "MessageNotInflight");
}

#[test]
fn handles_that_are_none_are_refused() {
    let mut state = state(false, &[]);
    for handle in ["", "AQEB", "AQEBzzzzzzzzzzzzzzzz", "é".repeat(20).as_str()] {
        assert_eq!(delete(&mut state, "q", handle, 0).unwrap_err().code, "ReceiptHandleIsInvalid", "{handle}");
    }
}
