//! The cloud's clock: real time plus an offset that tests can move forward.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// One clock for every timer of the cloud. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Clock {
    offset_ms: watch::Sender<i64>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { offset_ms: watch::Sender::new(0) }
    }
}

impl Clock {
    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        let real = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
        real.saturating_add(*self.offset_ms.borrow())
    }

    /// Moves the clock forward; timers that are due fire at once.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.offset_ms.send_modify(|offset| *offset = offset.saturating_add(by));
    }

    /// Returns when the clock has reached `at_ms`, by time passing or by being moved.
    pub async fn sleep_until(&self, at_ms: i64) {
        let mut moved = self.offset_ms.subscribe();
        loop {
            let left = at_ms.saturating_sub(self.now_ms());
            let Ok(left) = u64::try_from(left) else { return };
            if left == 0 {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(left)) => {}
                _ = moved.changed() => {}
            }
        }
    }

    /// Returns after `by` on this clock.
    pub async fn sleep(&self, by: Duration) {
        self.sleep_until(self.now_ms().saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX))).await;
    }
}
