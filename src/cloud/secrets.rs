//! Secrets Manager, read only: whether a secret exists, and when it goes.

use super::budget::Lane;
use super::clients::Clients;
use super::millis;
use super::outcome::{Outcome, settle};
use serde::{Deserialize, Serialize};

/// The longest recovery window that `DeleteSecret` takes, and its default, in milliseconds: 30 days (Secrets Manager
/// API reference, `DeleteSecret`).
const LONGEST_WINDOW_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// A secret as `DescribeSecret` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret {
    /// `DeletedDate`, milliseconds since the epoch; absent unless its deletion is scheduled.
    pub deleted_date_ms: Option<i64>,
}

impl Secret {
    /// When a secret whose deletion is scheduled is gone at the latest. The API reference reads `DeletedDate` as the
    /// end of the recovery window in one place (`DescribeSecret`) and as the time of the deletion in another
    /// (`ListSecrets`); a date that has passed may be either, so the longest window is added to it.
    #[must_use]
    pub fn gone_at_ms(&self, now_ms: i64) -> Option<i64> {
        let date = self.deleted_date_ms?;
        Some(if date > now_ms { date } else { date.saturating_add(LONGEST_WINDOW_MS) })
    }
}

/// Reads one secret by ARN or name. One that is scheduled for deletion is still answered.
pub async fn describe(clients: &Clients, id: &str) -> Outcome<Secret> {
    settle(async {
        let call = || clients.sdk().secretsmanager.describe_secret().secret_id(id).send();
        let answer = clients.read(Lane::Secrets, "DescribeSecret", call).await?;
        Ok(Secret { deleted_date_ms: answer.deleted_date.as_ref().map(millis) })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_WINDOW_MS, Secret};

    #[test]
    fn both_readings_of_the_date_are_bounded() {
        let gone = |date| Secret { deleted_date_ms: date }.gone_at_ms(1_000);
        assert_eq!(gone(None), None);
        assert_eq!(gone(Some(2_000)), Some(2_000), "the end of the window");
        assert_eq!(gone(Some(500)), Some(500 + LONGEST_WINDOW_MS), "the deletion, or an end that has just passed");
    }
}
