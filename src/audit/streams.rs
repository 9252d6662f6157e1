//! Rules for streams. No call deletes one: a deleted table's stream goes to `DISABLED` and vanishes after 24 hours
//! (DynamoDB API reference, `DeleteTable`).

use super::arn::place;
use super::facts::{Reading, Source, StreamFacts, Window};
use super::finding::Verdict;
use serde::{Deserialize, Serialize};

/// How long a deleted table's stream stays, milliseconds.
pub const RESIDUE_MS: i64 = 24 * 3_600 * 1_000;

/// What the owning service says of a stream's table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParentTable {
    /// It exists, with this newest stream.
    Present(Option<String>),
    /// `ResourceNotFoundException`.
    Absent,
    /// It could not be read; why.
    Unread(String),
}

/// Judges one stream; `None` where there is nothing to report. Residue is only what is proven to be ours, in this
/// account and region, with its table gone, and younger than 24 hours; everything short of proof is unknown.
#[must_use]
pub fn judge_stream(stream: &StreamFacts, account: &str, now_ms: i64) -> Option<(Verdict, String)> {
    let status = match &stream.reading {
        Reading::Absent | Reading::Implied if stream.sources.contains(Source::TagIndex) => {
            return Some((Verdict::Ghost, "the tag index lists it, DescribeStream says that it is gone".into()));
        }
        Reading::Absent | Reading::Implied => return None,
        Reading::Unread(reason) => return Some((Verdict::Unknown, format!("the stream could not be read: {reason}"))),
        Reading::PendingUntil(_) | Reading::LeftBy(_) | Reading::Excused => {
            return Some((Verdict::Unknown, "a stream has no deletion date and no maker".into()));
        }
        Reading::Present(status) | Reading::Going(status) => status.as_str(),
    };
    if place(&stream.arn) != Some((stream.region.as_str(), account)) {
        return Some((Verdict::Unknown, "its region or account is not the audited one".into()));
    }
    if !stream.owned {
        return Some((Verdict::Unknown, format!("{status}, and neither inventory nor tags prove whose it is")));
    }
    Some(match &stream.table {
        ParentTable::Unread(reason) => {
            (Verdict::Unknown, format!("{status}, but its table could not be read: {reason}"))
        }
        ParentTable::Present(newest) if newest.as_deref() == Some(stream.arn.as_str()) => {
            (Verdict::Leak, format!("{status}, and its table exists"))
        }
        ParentTable::Present(_) if status.starts_with("ENABL") => {
            (Verdict::Leak, format!("{status}, beside a table of the same name with another stream"))
        }
        ParentTable::Present(_) => (
            Verdict::Unknown,
            format!("{status}, but a table of the same name exists again, so its own table's end is not proven"),
        ),
        ParentTable::Absent if status.starts_with("ENABL") => {
            (Verdict::Leak, format!("{status} although its table is gone"))
        }
        ParentTable::Absent => by_age(status, stream.deleted, now_ms),
    })
}

/// The table was deleted somewhere in the window; it is gone now, so the window ends at the latest now.
fn by_age(status: &str, deleted: Window, now_ms: i64) -> (Verdict, String) {
    let latest = deleted.not_after_ms.unwrap_or(now_ms).min(now_ms);
    let Some(earliest) = deleted.not_before_ms else {
        if now_ms.saturating_sub(latest) >= RESIDUE_MS {
            return (Verdict::Leak, format!("{status}, and its table has been gone for more than 24 hours"));
        }
        return (Verdict::Unknown, format!("{status}, and when its table was deleted is not known"));
    };
    if now_ms.saturating_sub(earliest) < RESIDUE_MS {
        let at_ms = latest.saturating_add(RESIDUE_MS);
        (
            Verdict::ExpectedUntil { at_ms },
            format!("{status}, its table is gone; no call deletes a stream, it goes by itself"),
        )
    } else if now_ms.saturating_sub(latest) >= RESIDUE_MS {
        (Verdict::Leak, format!("{status}, and its table has been gone for more than 24 hours"))
    } else {
        (Verdict::Unknown, format!("{status}, and evidence does not tell whether its table has been gone for 24 hours"))
    }
}

#[cfg(test)]
mod tests {
    use super::{ParentTable, RESIDUE_MS, Reading, Source, StreamFacts, Verdict, Window, judge_stream};

    const NOW: i64 = 1_796_000_000_000;
    const HOUR: i64 = 3_600_000;
    const MINUTE: i64 = 60_000;
    const ARN: &str = "arn:aws:dynamodb:us-east-1:123456789012:table/t/stream/l";

    /// A stream of ours whose table was deleted at one known time.
    fn stream(status: &str, age_ms: i64) -> StreamFacts {
        let at = Some(NOW - age_ms);
        StreamFacts {
            arn: ARN.into(),
            region: "us-east-1".into(),
            sources: Source::Inventory.into(),
            reading: Reading::Present(status.into()),
            table: ParentTable::Absent,
            owned: true,
            deleted: Window { not_before_ms: at, not_after_ms: at },
        }
    }

    fn verdict(stream: &StreamFacts) -> Option<Verdict> {
        judge_stream(stream, "123456789012", NOW).map(|(verdict, _)| verdict)
    }

    fn window(not_before_h: Option<i64>, not_after_h: Option<i64>) -> StreamFacts {
        let ago = |h: i64| NOW - h * HOUR;
        let deleted = Window { not_before_ms: not_before_h.map(ago), not_after_ms: not_after_h.map(ago) };
        StreamFacts { deleted, ..stream("DISABLED", 0) }
    }

    #[test]
    fn age_decides_where_the_table_is_gone() {
        let until = |age| Some(Verdict::ExpectedUntil { at_ms: NOW - age + RESIDUE_MS });
        for age in [0, 3 * HOUR, 23 * HOUR + 59 * MINUTE] {
            assert_eq!(verdict(&stream("DISABLED", age)), until(age));
            assert_eq!(verdict(&stream("DISABLING", age)), until(age));
        }
        for age in [24 * HOUR, 24 * HOUR + MINUTE, 90 * 24 * HOUR] {
            assert_eq!(verdict(&stream("DISABLED", age)), Some(Verdict::Leak), "{age}");
        }
        for status in ["ENABLED", "ENABLING"] {
            assert_eq!(verdict(&stream(status, HOUR)), Some(Verdict::Leak));
        }
    }

    #[test]
    fn evidence_bounds_an_unknown_deletion_time() {
        let cases = [
            (None, None, Some(Verdict::Unknown)),
            (None, Some(1), Some(Verdict::Unknown)),
            (None, Some(25), Some(Verdict::Leak)),
            (Some(23), None, Some(Verdict::ExpectedUntil { at_ms: NOW + RESIDUE_MS })),
            (Some(23), Some(1), Some(Verdict::ExpectedUntil { at_ms: NOW - HOUR + RESIDUE_MS })),
            (Some(30), None, Some(Verdict::Unknown)),
            (Some(30), Some(20), Some(Verdict::Unknown)),
            (Some(30), Some(25), Some(Verdict::Leak)),
        ];
        for (before, after, expected) in cases {
            assert_eq!(verdict(&window(before, after)), expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn everything_short_of_proof_is_unknown() {
        let base = stream("DISABLED", HOUR);
        let unread = Reading::Unread("AccessDenied".into());
        let cases = [
            StreamFacts { reading: unread, ..base.clone() },
            StreamFacts { region: "eu-west-1".into(), ..base.clone() },
            StreamFacts { owned: false, ..base.clone() },
            StreamFacts { owned: false, ..stream("ENABLED", HOUR) },
            StreamFacts { table: ParentTable::Unread("AccessDenied".into()), ..base.clone() },
            StreamFacts { table: ParentTable::Present(Some(ARN.replace("/l", "/newer"))), ..base.clone() },
            StreamFacts { table: ParentTable::Present(None), ..base.clone() },
        ];
        for facts in cases {
            assert_eq!(verdict(&facts), Some(Verdict::Unknown), "{facts:?}");
        }
        assert_eq!(judge_stream(&base, "999999999999", NOW).map(|v| v.0), Some(Verdict::Unknown));
    }

    #[test]
    fn a_live_table_makes_its_stream_a_leak() {
        for status in ["ENABLED", "DISABLED"] {
            let facts = StreamFacts { table: ParentTable::Present(Some(ARN.into())), ..stream(status, HOUR) };
            assert_eq!(verdict(&facts), Some(Verdict::Leak));
        }
    }

    #[test]
    fn gone_is_gone_unless_the_index_still_lists_it() {
        let gone = StreamFacts { reading: Reading::Absent, ..stream("", HOUR) };
        assert_eq!(verdict(&gone), None);
        let listed = StreamFacts { sources: Source::TagIndex.into(), ..gone };
        assert_eq!(verdict(&listed), Some(Verdict::Ghost));
    }
}
