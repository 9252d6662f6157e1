//! Names: slugs, run ids, and the placeholders that a run fills in.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest slug; stack names must leave room for `-dead-letter.fifo` in 80 characters of a queue name.
const MAX_SLUG: usize = 30;

/// Lower-case name for AWS: `_` becomes `-`. `None` if nothing sensible remains.
#[must_use]
pub fn slug(name: &str) -> Option<String> {
    let slug: String = name.chars().map(|c| if c == '_' { '-' } else { c.to_ascii_lowercase() }).collect();
    let fits = !slug.is_empty() && slug.len() <= MAX_SLUG;
    let clean = slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    (fits && clean && slug.starts_with(|c: char| c.is_ascii_lowercase()) && !slug.ends_with('-')).then_some(slug)
}

/// A run's id, for example `20261130t200102-3fa9`: time in UTC and four random hex digits.
#[must_use]
pub fn run_id(now: Timestamp, random: u16) -> String {
    format!("{}-{random:04x}", now.strftime("%Y%m%dt%H%M%S"))
}

/// Whether a text has the form of a run id.
#[must_use]
pub fn is_run_id(text: &str) -> bool {
    let (Some(date), Some(rest)) = (text.get(..8), text.get(8..)) else { return false };
    let (Some(time), Some(random)) = (rest.strip_prefix('t').and_then(|r| r.get(..6)), rest.get(7..)) else {
        return false;
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    digits(date)
        && digits(time)
        && random.len() == 5
        && random.starts_with('-')
        && random[1..].bytes().all(|b| b.is_ascii_hexdigit())
}

/// When a run began, milliseconds since the epoch, as its id tells.
#[must_use]
pub fn started_at_ms(run: &str) -> Option<i64> {
    let part = |from, to| run.get(from..to).filter(|_| is_run_id(run));
    let (date, time) = ((part(0, 4)?, part(4, 6)?, part(6, 8)?), (part(9, 11)?, part(11, 13)?, part(13, 15)?));
    let text = format!("{}-{}-{}T{}:{}:{}Z", date.0, date.1, date.2, time.0, time.1, time.2);
    text.parse().ok().map(Timestamp::as_millisecond)
}

/// What a run puts in the place of `{run}`, `{account}` and `{expires}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filling {
    /// Run id.
    pub run: String,
    /// Twelve digits.
    pub account: String,
    /// RFC 3339, whole seconds, UTC.
    pub expires: String,
}

impl Filling {
    /// Fills a planned text in.
    #[must_use]
    pub fn fill(&self, planned: &str) -> String {
        planned.replace("{run}", &self.run).replace("{account}", &self.account).replace("{expires}", &self.expires)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscores_become_hyphens() {
        assert_eq!(slug("wait_for_callback").as_deref(), Some("wait-for-callback"));
    }

    #[test]
    fn names_that_aws_would_refuse_have_no_slug() {
        for name in ["", "1x", "a b", "ü", "x-", "-x", &"x".repeat(31)] {
            assert_eq!(slug(name), None, "{name:?}");
        }
    }

    #[test]
    fn run_ids_are_recognised() {
        let id = run_id(Timestamp::from_second(1_796_068_862).expect("in range"), 0x3fa9);
        assert_eq!(id, "20261130t200102-3fa9");
        assert!(is_run_id(&id));
        assert_eq!(started_at_ms(&id), Some(1_796_068_862_000));
        for other in ["", "20261130t200102", "20261130t200102-3fa", "20261130-200102-3fa9", "../../etc/passwd", "äöüß"]
        {
            assert!(!is_run_id(other), "{other:?}");
        }
    }
}
