//! What a plain (unquoted) scalar means.

use crate::Dialect;
use serde_json::{Number, Value};

/// Resolves an unquoted scalar: YAML 1.2 core schema, with CloudFormation's further booleans in its dialect.
///
/// Digits with a leading zero stay text, because readers of YAML disagree on them (octal or decimal), and so do
/// numbers that JSON cannot hold.
pub(crate) fn resolve(text: &str, dialect: Dialect) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if dialect == Dialect::CloudFormation {
        match text {
            "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Value::Bool(true),
            "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Value::Bool(false),
            _ => {}
        }
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let whole = unsigned.split(['.', 'e', 'E']).next().unwrap_or_default();
    if whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit()) {
        let text = text.strip_prefix('+').unwrap_or(text);
        return text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok();
    }
    is_float(unsigned).then(|| text.parse::<f64>().ok()).flatten().and_then(Number::from_f64)
}

fn radix(digits: &str, radix: u32) -> Option<Number> {
    let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    valid.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(Number::from)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?` of the core schema.
fn is_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    digits(whole)
        && digits(fraction)
        && (!whole.is_empty() || !fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}

#[cfg(test)]
mod tests {
    use super::resolve;
    use crate::Dialect::{CloudFormation, Plain};
    use serde_json::{Value, json};

    #[test]
    fn numbers_are_those_that_every_reader_agrees_on() {
        for (text, value) in [
            ("0", json!(0)),
            ("-7", json!(-7)),
            ("+7", json!(7)),
            ("1.50", json!(1.5)),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
        ] {
            assert_eq!(resolve(text, Plain), value, "{text}");
        }
        for text in ["012345670123", "-01", "18446744073709551616", ".", "1.2.3", "2012-10-17", "1e", "1_000", ".inf"] {
            assert_eq!(resolve(text, Plain), Value::String(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn only_cloudformation_knows_yes_and_off() {
        assert_eq!(resolve("YES", CloudFormation), json!(true));
        assert_eq!(resolve("off", CloudFormation), json!(false));
        assert_eq!(resolve("off", Plain), json!("off"));
        for text in ["Y", "N", "y", "n", "2026-01-01", "2012-10-17", "12:30:45"] {
            assert_eq!(resolve(text, CloudFormation), json!(text), "{text}");
        }
    }
}
