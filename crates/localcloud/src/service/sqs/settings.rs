//! A queue's attributes as far as callers set them ("SetQueueAttributes", SQS API reference).

use super::errors::{invalid, invalid_attribute, unknown_attribute};
use crate::error::ApiError;
use serde_json::Value;
use std::collections::BTreeMap;

/// Attributes that are whole numbers: name, least, greatest, default.
const NUMBERS: [(&str, i64, i64, i64); 6] = [
    ("DelaySeconds", 0, 900, 0),
    ("KmsDataKeyReusePeriodSeconds", 60, 86_400, 300),
    ("MaximumMessageSize", 1_024, 1_048_576, 1_048_576),
    ("MessageRetentionPeriod", 60, 1_209_600, 345_600),
    ("ReceiveMessageWaitTimeSeconds", 0, 20, 0),
    ("VisibilityTimeout", 0, 43_200, 30),
];

/// Attributes that take one of a few words.
const WORDS: [(&str, &[&str]); 5] = [
    ("ContentBasedDeduplication", &["true", "false"]),
    ("DeduplicationScope", &["queue", "messageGroup"]),
    ("FifoQueue", &["true", "false"]),
    ("FifoThroughputLimit", &["perQueue", "perMessageGroupId"]),
    ("SqsManagedSseEnabled", &["true", "false"]),
];

const ONLY_FIFO: [&str; 3] = ["ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit"];

/// Where messages go that were received too often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redrive {
    pub(crate) target_arn: String,
    /// Receives that are allowed; the one after it moves the message.
    pub(crate) max_receive_count: u32,
}

/// Attributes that callers set, and the defaults of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    values: BTreeMap<String, String>,
    redrive: Option<Redrive>,
}

impl Settings {
    /// The defaults of a new queue.
    pub(crate) fn new(fifo: bool) -> Self {
        let mut values: BTreeMap<String, String> = NUMBERS
            .iter()
            .filter(|(name, ..)| *name != "KmsDataKeyReusePeriodSeconds")
            .map(|(name, _, _, default)| ((*name).to_owned(), default.to_string()))
            .collect();
        values.insert("SqsManagedSseEnabled".to_owned(), "true".to_owned());
        if fifo {
            for (name, value) in [
                ("FifoQueue", "true"),
                ("ContentBasedDeduplication", "false"),
                ("DeduplicationScope", "queue"),
                ("FifoThroughputLimit", "perQueue"),
            ] {
                values.insert(name.to_owned(), value.to_owned());
            }
        }
        Self { values, redrive: None }
    }

    /// Sets attributes, all or none.
    pub(crate) fn apply(&mut self, attributes: &BTreeMap<String, String>) -> Result<(), ApiError> {
        let mut changed = self.clone();
        for (name, value) in attributes {
            changed.set(name, value)?;
        }
        *self = changed;
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), ApiError> {
        if name == "FifoQueue" && (value == "true") != self.is_fifo() || ONLY_FIFO.contains(&name) && !self.is_fifo() {
            return Err(unknown_attribute(name));
        }
        let number = NUMBERS.iter().find(|(known, ..)| *known == name);
        let word = WORDS.iter().find(|(known, _)| *known == name);
        match (number, word, name) {
            (Some((_, least, greatest, _)), _, _) => {
                let number: i64 = value.parse().map_err(|_| invalid_attribute(name))?;
                if !(*least..=*greatest).contains(&number) {
                    return Err(invalid_attribute(name));
                }
            }
            (_, Some((_, words)), _) if words.contains(&value) => {}
            (_, Some(_), _) => return Err(invalid_attribute(name)),
            (_, _, "RedrivePolicy") => self.redrive = redrive(value)?,
            (_, _, "Policy" | "RedriveAllowPolicy") => {
                if !value.is_empty() && serde_json::from_str::<Value>(value).is_err() {
                    return Err(invalid_attribute(name));
                }
            }
            (_, _, "KmsMasterKeyId") => {}
            _ => return Err(unknown_attribute(name)),
        }
        if value.is_empty() {
            self.values.remove(name);
        } else {
            self.values.insert(name.to_owned(), value.to_owned());
        }
        Ok(())
    }

    /// The attributes by name.
    pub(crate) fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    pub(crate) fn is_fifo(&self) -> bool {
        self.is("FifoQueue", "true")
    }

    pub(crate) fn dedups_by_content(&self) -> bool {
        self.is("ContentBasedDeduplication", "true")
    }

    pub(crate) fn dedups_per_group(&self) -> bool {
        self.is("DeduplicationScope", "messageGroup")
    }

    pub(crate) fn redrive(&self) -> Option<&Redrive> {
        self.redrive.as_ref()
    }

    /// A number attribute.
    pub(crate) fn number(&self, name: &str) -> i64 {
        self.values.get(name).and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// A number attribute in seconds, as milliseconds.
    pub(crate) fn millis(&self, name: &str) -> i64 {
        self.number(name).saturating_mul(1000)
    }

    fn is(&self, name: &str, value: &str) -> bool {
        self.values.get(name).is_some_and(|v| v == value)
    }
}

/// Reads a redrive policy; an empty text removes it. Counts come as numbers or as text.
fn redrive(text: &str) -> Result<Option<Redrive>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong =
        |reason: &str| invalid(format!("Value {text} for parameter RedrivePolicy is invalid. Reason: {reason}"));
    let policy: Value = serde_json::from_str(text).map_err(|_| wrong("Redrive policy is not a valid JSON map."))?;
    let target = policy.get("deadLetterTargetArn").and_then(Value::as_str);
    let target =
        target.ok_or_else(|| wrong("Redrive policy does not contain mandatory attribute: deadLetterTargetArn."))?;
    let count = match policy.get("maxReceiveCount") {
        Some(Value::String(text)) => text.parse().ok(),
        Some(value) => value.as_u64().and_then(|n| u32::try_from(n).ok()),
        None => return Err(wrong("Redrive policy does not contain mandatory attribute: maxReceiveCount.")),
    };
    let count = count.filter(|n| (1..=1000).contains(n));
    let max_receive_count =
        count.ok_or_else(|| wrong("Invalid value for maxReceiveCount: must be between 1 and 1000."))?;
    Ok(Some(Redrive { target_arn: target.to_owned(), max_receive_count }))
}

#[cfg(test)]
mod unit {
    use super::*;

    fn with(fifo: bool, name: &str, value: &str) -> Result<Settings, ApiError> {
        let mut settings = Settings::new(fifo);
        settings.apply(&BTreeMap::from([(name.to_owned(), value.to_owned())]))?;
        Ok(settings)
    }

    #[test]
    fn values_are_checked() {
        assert_eq!(with(false, "VisibilityTimeout", "43201").unwrap_err().code, "InvalidAttributeValue");
        assert_eq!(with(false, "Colour", "red").unwrap_err().code, "InvalidAttributeName");
        assert_eq!(with(false, "ContentBasedDeduplication", "true").unwrap_err().code, "InvalidAttributeName");
        assert_eq!(with(false, "FifoQueue", "true").unwrap_err().code, "InvalidAttributeName");
        assert_eq!(with(true, "VisibilityTimeout", "60").unwrap().millis("VisibilityTimeout"), 60_000);
    }

    #[test]
    fn receive_counts_are_numbers_or_text() {
        for count in ["2", "\"2\""] {
            let policy = format!(r#"{{"deadLetterTargetArn":"arn:x","maxReceiveCount":{count}}}"#);
            let settings = with(true, "RedrivePolicy", &policy).unwrap();
            assert_eq!(settings.redrive().map(|r| r.max_receive_count), Some(2));
        }
        let zero = with(true, "RedrivePolicy", r#"{"deadLetterTargetArn":"a","maxReceiveCount":0}"#).unwrap_err();
        assert!(zero.message.contains("between 1 and 1000"), "{zero}");
    }
}
