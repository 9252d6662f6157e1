//! A table and how it is described.

use super::key::{ItemKey, Schema};
use super::value::{Item, item_bytes};
use crate::cloud::ACCOUNT;
use crate::service::tagging::Tags;
use crate::time;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How long a table is `CREATING` and `DELETING`, in milliseconds of the cloud's clock.
pub(super) const CREATING_MS: i64 = 50;
const DELETING_MS: i64 = 50;

#[derive(Debug)]
pub(super) struct Table {
    pub(super) id: String,
    pub(super) created_ms: i64,
    /// When its deletion began.
    pub(super) deleted_ms: Option<i64>,
    pub(super) schema: Schema,
    /// `AttributeDefinitions` and `KeySchema` as they were given.
    pub(super) attribute_definitions: Value,
    pub(super) key_schema: Value,
    pub(super) billing: Billing,
    pub(super) protected: bool,
    pub(super) class: Option<String>,
    /// The latest stream, also when it is disabled.
    pub(super) stream: Option<Stream>,
    pub(super) tags: Tags,
    pub(super) point_in_time_recovery: bool,
    pub(super) ttl_attribute: Option<String>,
    pub(super) items: BTreeMap<ItemKey, Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Billing {
    OnDemand,
    Provisioned { read: i64, write: i64 },
}

#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub(super) arn: String,
    pub(super) label: String,
    pub(super) view: String,
    pub(super) enabled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Creating,
    Active,
    Deleting,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::Creating => "CREATING",
            Self::Active => "ACTIVE",
            Self::Deleting => "DELETING",
        }
    }
}

impl Table {
    pub(super) fn status(&self, now_ms: i64) -> Status {
        if self.deleted_ms.is_some() {
            Status::Deleting
        } else if now_ms < self.created_ms.saturating_add(CREATING_MS) {
            Status::Creating
        } else {
            Status::Active
        }
    }

    /// When a table whose deletion began at `deleted_ms` is gone.
    pub(super) fn gone_ms(deleted_ms: i64) -> i64 {
        deleted_ms.saturating_add(DELETING_MS)
    }

    pub(super) fn is_gone(&self, now_ms: i64) -> bool {
        self.deleted_ms.is_some_and(|at| Self::gone_ms(at) <= now_ms)
    }

    /// `TableDescription`.
    pub(super) fn describe(&self, region: &str, name: &str, now_ms: i64) -> Value {
        let created = time::epoch_seconds(self.created_ms);
        let (read, write) = match self.billing {
            Billing::OnDemand => (0, 0),
            Billing::Provisioned { read, write } => (read, write),
        };
        let mut out = json!({
            "AttributeDefinitions": self.attribute_definitions,
            "TableName": name,
            "KeySchema": self.key_schema,
            "TableStatus": self.status(now_ms).name(),
            "CreationDateTime": created,
            "ProvisionedThroughput":
                { "NumberOfDecreasesToday": 0, "ReadCapacityUnits": read, "WriteCapacityUnits": write },
            "TableSizeBytes": self.items.values().map(item_bytes).sum::<usize>(),
            "ItemCount": self.items.len(),
            "TableArn": arn(region, name),
            "TableId": self.id,
            "DeletionProtectionEnabled": self.protected,
        });
        if self.billing == Billing::OnDemand {
            out["BillingModeSummary"] =
                json!({ "BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": created });
        }
        if let Some(class) = &self.class {
            out["TableClassSummary"] = json!({ "TableClass": class });
        }
        if let Some(stream) = &self.stream {
            out["LatestStreamArn"] = json!(stream.arn);
            out["LatestStreamLabel"] = json!(stream.label);
            if stream.enabled {
                out["StreamSpecification"] = json!({ "StreamEnabled": true, "StreamViewType": stream.view });
            }
        }
        out
    }

    /// The ARN of the stream that takes this table's changes.
    pub(super) fn open_stream(&self) -> Option<&str> {
        self.stream.as_ref().filter(|stream| stream.enabled).map(|stream| stream.arn.as_str())
    }
}

pub(super) fn arn(region: &str, name: &str) -> String {
    format!("arn:aws:dynamodb:{region}:{ACCOUNT}:table/{name}")
}
