//! Exact decimals: up to 38 significant digits, magnitudes from 1E-130 to 9.99…E+125 ("Supported data types and
//! naming rules", DynamoDB developer guide).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

const DIGITS: u32 = 38;
const MIN_EXPONENT: i32 = -130;
const MAX_EXPONENT: i32 = 125;

/// A number in its shortest form: `digits` × 10^`exponent`, no trailing zeros, zero is never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    negative: bool,
    digits: u128,
    exponent: i32,
}

/// Why a text or a result is not a number that DynamoDB holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberError {
    Malformed,
    TooPrecise,
    TooLarge,
    TooSmall,
}

impl NumberError {
    pub(super) fn message(self, text: &str) -> String {
        match self {
            Self::Malformed => format!("The parameter cannot be converted to a numeric value: {text}"),
            Self::TooPrecise => "Attempting to store more than 38 significant digits in a Number".to_owned(),
            Self::TooLarge => {
                "Number overflow. Attempting to store a number with magnitude larger than supported range".to_owned()
            }
            Self::TooSmall => {
                "Number underflow. Attempting to store a number with magnitude smaller than supported range".to_owned()
            }
        }
    }
}

impl Decimal {
    fn new(negative: bool, mut digits: u128, mut exponent: i32) -> Result<Self, NumberError> {
        if digits == 0 {
            return Ok(Self { negative: false, digits: 0, exponent: 0 });
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        if digits >= 10u128.pow(DIGITS) {
            return Err(NumberError::TooPrecise);
        }
        let number = Self { negative, digits, exponent };
        match number.magnitude() {
            m if m > MAX_EXPONENT => Err(NumberError::TooLarge),
            m if m < MIN_EXPONENT => Err(NumberError::TooSmall),
            _ => Ok(number),
        }
    }

    /// Exponent of the first digit.
    fn magnitude(&self) -> i32 {
        self.exponent + self.digits.checked_ilog10().map_or(0, u32::cast_signed)
    }

    pub(super) fn plus(self, other: Self) -> Result<Self, NumberError> {
        let exponent = match (self.digits, other.digits) {
            (0, _) => return Ok(other),
            (_, 0) => return Ok(self),
            _ => self.exponent.min(other.exponent),
        };
        let sum = self.signed(exponent)?.checked_add(other.signed(exponent)?).ok_or(NumberError::TooPrecise)?;
        Self::new(sum < 0, sum.unsigned_abs(), exponent)
    }

    pub(super) fn minus(self, other: Self) -> Result<Self, NumberError> {
        let negative = other.digits != 0 && !other.negative;
        self.plus(Self { negative, ..other })
    }

    /// The value as a multiple of 10^`exponent`.
    fn signed(self, exponent: i32) -> Result<i128, NumberError> {
        let up = u32::try_from(self.exponent - exponent).map_err(|_| NumberError::TooPrecise)?;
        let scale = 10u128.checked_pow(up).ok_or(NumberError::TooPrecise)?;
        let digits = self.digits.checked_mul(scale).and_then(|digits| i128::try_from(digits).ok());
        let digits = digits.ok_or(NumberError::TooPrecise)?;
        Ok(if self.negative { -digits } else { digits })
    }

    /// Roughly what the service counts for a number: a byte for two digits and one more.
    pub(super) fn size(&self) -> usize {
        self.digits.checked_ilog10().map_or(1, |digits| (digits as usize + 2) / 2 + 1)
    }

    /// Digits with the first one at a fixed place, so that numbers of equal magnitude compare by them.
    fn aligned(&self) -> u128 {
        let length = self.digits.checked_ilog10().map_or(0, |digits| digits + 1);
        self.digits * 10u128.pow(DIGITS - length)
    }
}

impl FromStr for Decimal {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| NumberError::Malformed)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty()) || !is_digits(whole) || !is_digits(fraction) || text.len() > 400 {
            return Err(NumberError::Malformed);
        }
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0').trim_end_matches('0');
        if significant.len() > DIGITS as usize {
            return Err(NumberError::TooPrecise);
        }
        let digits =
            if significant.is_empty() { 0 } else { significant.parse().map_err(|_| NumberError::Malformed)? };
        let zeros = all.len() - all.trim_end_matches('0').len();
        let shift = i32::try_from(zeros).unwrap_or(0) - i32::try_from(fraction.len()).unwrap_or(0);
        if digits != 0 && exponent.unsigned_abs() > 1000 {
            return Err(if exponent > 0 { NumberError::TooLarge } else { NumberError::TooSmall });
        }
        Self::new(negative, digits, exponent.clamp(-1000, 1000) + shift)
    }
}

impl fmt::Display for Decimal {
    /// Without an exponent, like the service's answers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits.to_string();
        let sign = if self.negative { "-" } else { "" };
        if let Ok(zeros) = usize::try_from(self.exponent) {
            return write!(f, "{sign}{digits}{}", "0".repeat(zeros));
        }
        let after = self.exponent.unsigned_abs() as usize;
        match digits.len().checked_sub(after).filter(|whole| *whole > 0) {
            Some(whole) => write!(f, "{sign}{}.{}", &digits[..whole], &digits[whole..]),
            None => write!(f, "{sign}0.{digits:0>after$}"),
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits, number.negative) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            let by_size = self.magnitude().cmp(&other.magnitude()).then_with(|| self.aligned().cmp(&other.aligned()));
            if self.negative { by_size.reverse() } else { by_size }
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_have_one_form() {
        for (text, form) in [
            ("100.00", "100"),
            ("-0", "0"),
            ("+007", "7"),
            ("1e3", "1000"),
            ("1.5E-3", "0.0015"),
            (".5", "0.5"),
            ("12.340", "12.34"),
            ("0.1e1", "1"),
            ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ] {
            assert_eq!(number(text).to_string(), form, "{text}");
        }
        assert_eq!(number("1e125").to_string().len(), 126);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (text, error) in [
            ("", NumberError::Malformed),
            (".", NumberError::Malformed),
            ("1e", NumberError::Malformed),
            ("0x1", NumberError::Malformed),
            ("NaN", NumberError::Malformed),
            ("1 ", NumberError::Malformed),
            ("123456789012345678901234567890123456789", NumberError::TooPrecise),
            ("1e126", NumberError::TooLarge),
            ("1e99999", NumberError::TooLarge),
            ("1e-131", NumberError::TooSmall),
        ] {
            assert_eq!(text.parse::<Decimal>(), Err(error), "{text}");
        }
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(number("0.1").plus(number("0.2")), Ok(number("0.3")));
        assert_eq!(number("100").minus(number("100.00")), Ok(number("0")));
        assert_eq!(number("1e125").plus(number("1")), Err(NumberError::TooPrecise));
        assert_eq!(number("0").minus(number("5")), Ok(number("-5")));
    }

    proptest! {
        #[test]
        fn order_and_sums_are_those_of_integers(a in -1_000_000_000i64..1_000_000_000, b in -1_000_000_000i64..1_000_000_000, scale in 0usize..6) {
            let of = |n: i64| number(&format!("{n}e-{scale}"));
            prop_assert_eq!(of(a).cmp(&of(b)), a.cmp(&b));
            prop_assert_eq!(of(a).plus(of(b)), Ok(of(a + b)));
            prop_assert_eq!(of(a).minus(of(b)), Ok(of(a - b)));
            prop_assert_eq!(of(a).to_string().parse::<Decimal>(), Ok(of(a)));
        }

        #[test]
        fn any_text_ends(text in any::<String>()) {
            if let Ok(number) = text.parse::<Decimal>() {
                prop_assert_eq!(number.to_string().parse::<Decimal>(), Ok(number));
            }
        }
    }
}
