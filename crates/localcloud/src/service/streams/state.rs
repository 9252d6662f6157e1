//! Streams with their records.

use super::not_found;
use crate::cloud::ACCOUNT;
use crate::error::ApiError;
use crate::service::tagging::{self, Tags};
use crate::{service, time};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};

/// How long records stay, and a stream after it was disabled.
const KEPT_MS: i64 = 24 * 3_600_000;

/// Sequence numbers have 21 digits.
const SEQUENCE_BASE: u128 = 100_000_000_000_000_000_000;

/// One region's streams, by ARN.
#[derive(Debug, Default)]
pub(crate) struct State {
    streams: BTreeMap<String, Stream>,
    /// The last sequence number given out, without the base.
    last: u64,
}

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) table: String,
    pub(super) label: String,
    pub(super) view: String,
    pub(super) key_schema: Value,
    pub(super) created_ms: i64,
    pub(super) disabled_ms: Option<i64>,
    pub(super) shard: String,
    /// The number before its first and that of its last record.
    pub(super) before: u64,
    pub(super) last: u64,
    /// Up to here, records are gone.
    pub(super) trimmed: u64,
    pub(super) records: VecDeque<Record>,
    tags: Tags,
}

#[derive(Debug)]
pub(super) struct Record {
    pub(super) sequence: u64,
    at_ms: i64,
    pub(super) bytes: usize,
    pub(super) json: Value,
}

/// One change of an item, in the JSON form of items.
#[derive(Debug)]
pub(crate) struct Change {
    /// The item's key.
    pub(crate) keys: Value,
    /// The item before.
    pub(crate) old: Option<Value>,
    /// The item afterwards.
    pub(crate) new: Option<Value>,
    /// Size of keys and images.
    pub(crate) bytes: usize,
}

impl State {
    /// Forgets records and disabled streams that are older than 24 hours.
    pub(super) fn settle(&mut self, now_ms: i64) {
        let is_over = |at_ms: i64| at_ms.saturating_add(KEPT_MS) <= now_ms;
        self.streams.retain(|_, stream| !stream.disabled_ms.is_some_and(is_over));
        for stream in self.streams.values_mut() {
            while let Some(record) = stream.records.pop_front_if(|record| is_over(record.at_ms)) {
                stream.trimmed = record.sequence;
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Stream)> {
        self.streams.iter().map(|(arn, stream)| (arn.as_str(), stream))
    }

    pub(super) fn get(&self, arn: &str) -> Result<&Stream, ApiError> {
        self.streams.get(arn).ok_or_else(|| not_found(arn))
    }

    pub(super) fn last(&self) -> u64 {
        self.last
    }
}

/// Opens a stream for a table; answers its ARN and label.
pub(crate) fn open(
    state: &mut service::State,
    region: &str,
    table: &str,
    view: &str,
    key_schema: &Value,
    now_ms: i64,
) -> (String, String) {
    state.streams.settle(now_ms);
    let arn_of = |label: &str| format!("arn:aws:dynamodb:{region}:{ACCOUNT}:table/{table}/stream/{label}");
    let mut label_ms = now_ms;
    while state.streams.streams.contains_key(&arn_of(&label_of(label_ms))) {
        label_ms += 1;
    }
    let label = label_of(label_ms);
    let arn = arn_of(&label);
    let last = state.streams.last;
    let stream = Stream {
        table: table.to_owned(),
        label: label.clone(),
        view: view.to_owned(),
        key_schema: key_schema.clone(),
        created_ms: now_ms,
        disabled_ms: None,
        shard: format!("shardId-{now_ms:020}-{}", &digest(&arn)[..8]),
        before: last,
        last,
        trimmed: last,
        records: VecDeque::new(),
        tags: Tags::new(),
    };
    state.streams.streams.insert(arn.clone(), stream);
    (arn, label)
}

/// Disables a stream; it stays for 24 hours.
pub(crate) fn close(state: &mut service::State, arn: &str, now_ms: i64) {
    if let Some(stream) = state.streams.streams.get_mut(arn)
        && stream.disabled_ms.is_none()
    {
        stream.disabled_ms = Some(now_ms);
        tagging::deleted(state, arn, now_ms.saturating_add(KEPT_MS));
    }
}

/// Writes the record of one change, if anything has changed.
pub(crate) fn record(state: &mut State, region: &str, arn: &str, change: Change, now_ms: i64) {
    let name = match (&change.old, &change.new) {
        (None, Some(_)) => "INSERT",
        (Some(old), Some(new)) if old != new => "MODIFY",
        (Some(_), None) => "REMOVE",
        _ => return,
    };
    let Some(stream) = state.streams.get_mut(arn).filter(|stream| stream.disabled_ms.is_none()) else { return };
    state.last += 1;
    let number = sequence_text(state.last);
    let mut data = json!({
        "ApproximateCreationDateTime": now_ms / 1000,
        "Keys": change.keys,
        "SequenceNumber": number,
        "SizeBytes": change.bytes,
        "StreamViewType": stream.view,
    });
    if let (Some(new), "NEW_IMAGE" | "NEW_AND_OLD_IMAGES") = (change.new, stream.view.as_str()) {
        data["NewImage"] = new;
    }
    if let (Some(old), "OLD_IMAGE" | "NEW_AND_OLD_IMAGES") = (change.old, stream.view.as_str()) {
        data["OldImage"] = old;
    }
    let json = json!({
        "eventID": &digest(&format!("{arn} {number}"))[..32],
        "eventName": name,
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": region,
        "dynamodb": data,
    });
    stream.last = state.last;
    stream.records.push_back(Record { sequence: state.last, at_ms: now_ms, bytes: change.bytes, json });
}

/// The tags of a stream.
pub(crate) fn tags_of(state: &mut service::State, arn: &str, now_ms: i64) -> Result<Tags, ApiError> {
    state.streams.settle(now_ms);
    state.streams.get(arn).map(|stream| stream.tags.clone())
}

/// Changes the tags of a stream; they are its own, not those of its table.
pub(crate) fn retag(
    state: &mut service::State,
    arn: &str,
    now_ms: i64,
    act: impl FnOnce(&mut Tags),
) -> Result<(), ApiError> {
    state.streams.settle(now_ms);
    let stream = state.streams.streams.get_mut(arn).ok_or_else(|| not_found(arn))?;
    act(&mut stream.tags);
    let (tags, disabled_ms) = (stream.tags.clone(), stream.disabled_ms);
    tagging::put(state, arn, &tags);
    if let Some(disabled_ms) = disabled_ms {
        tagging::deleted(state, arn, disabled_ms.saturating_add(KEPT_MS));
    }
    Ok(())
}

/// A sequence number as clients see it.
pub(super) fn sequence_text(number: u64) -> String {
    (SEQUENCE_BASE + u128::from(number)).to_string()
}

/// The number behind a text that [`sequence_text`] made.
pub(super) fn sequence_number(text: &str) -> Option<u64> {
    text.parse::<u128>().ok()?.checked_sub(SEQUENCE_BASE)?.try_into().ok()
}

fn label_of(ms: i64) -> String {
    time::iso(ms).trim_end_matches('Z').to_owned()
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
