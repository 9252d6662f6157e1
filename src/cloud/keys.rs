//! KMS keys, read only: whether a key exists, and when it goes.

use super::budget::Lane;
use super::clients::Clients;
use super::millis;
use super::outcome::{Outcome, require, settle};
use serde::{Deserialize, Serialize};

/// A key as `DescribeKey` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// `KeyState`, for example `Enabled` or `PendingDeletion`.
    pub state: String,
    /// When KMS deletes it, milliseconds since the epoch; present in `PendingDeletion` only (KMS API reference,
    /// `KeyMetadata`).
    pub deletion_date_ms: Option<i64>,
}

/// Reads one key by id or ARN.
pub async fn describe(clients: &Clients, id: &str) -> Outcome<Key> {
    const OPERATION: &str = "DescribeKey";
    settle(async {
        let call = || clients.sdk().kms.describe_key().key_id(id).send();
        let answer = clients.read(Lane::Kms, OPERATION, call).await?;
        let key = require(OPERATION, "KeyMetadata", answer.key_metadata)?;
        Ok(Key {
            state: require(OPERATION, "KeyState", key.key_state)?.as_str().to_owned(),
            deletion_date_ms: key.deletion_date.as_ref().map(millis),
        })
    })
    .await
}
