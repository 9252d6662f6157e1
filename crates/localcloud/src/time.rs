//! Times as the protocols write them.

use jiff::Timestamp;
use serde_json::Value;

/// Epoch seconds with milliseconds, as the JSON protocols write a timestamp.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn epoch_seconds(ms: i64) -> Value {
    Value::from(ms as f64 / 1000.0)
}

/// `2026-11-30T20:01:02.345Z`, as the XML protocols write a timestamp.
pub(crate) fn iso(ms: i64) -> String {
    timestamp(ms).strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// `Mon, 30 Nov 2026 20:01:02 GMT`, as HTTP headers write a time (RFC 9110).
pub(crate) fn http_date(ms: i64) -> String {
    timestamp(ms).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn timestamp(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_of_one_moment() {
        let ms = 1_796_068_862_345;
        assert_eq!(iso(ms), "2026-11-30T20:01:02.345Z");
        assert_eq!(http_date(ms), "Mon, 30 Nov 2026 20:01:02 GMT");
        assert_eq!(epoch_seconds(ms), serde_json::json!(1_796_068_862.345));
    }
}
