//! US dollars as whole picodollars.

use serde::{Serialize, Serializer};
use std::fmt;

const SCALE: u128 = 1_000_000_000_000;

/// An amount that is not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd(u128);

impl Usd {
    /// From decimal text such as `0.0000166667`; digits after the twelfth decimal are dropped.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) {
            return None;
        }
        let fraction: String = fraction.chars().chain("000000000000".chars()).take(12).collect();
        let whole = whole.parse::<u128>().ok()?.checked_mul(SCALE)?;
        whole.checked_add(fraction.parse().ok()?).map(Self)
    }

    /// `quantity` times this price for `per` units.
    #[must_use]
    pub fn times(self, quantity: u64, per: u64) -> Self {
        Self(self.0.saturating_mul(u128::from(quantity)).div_ceil(u128::from(per.max(1))))
    }

    /// The sum, as large as it can be.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl std::iter::Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        Self(iter.fold(0, |sum, usd| sum.saturating_add(usd.0)))
    }
}

impl fmt::Display for Usd {
    /// Six decimals, rounded up: an estimate is never shown smaller than it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micro = self.0.div_ceil(1_000_000);
        write!(f, "{}.{:06}", micro / 1_000_000, micro % 1_000_000)
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Usd;

    #[test]
    fn amounts_are_exact() {
        let usd = |text| Usd::parse(text).expect("an amount");
        assert_eq!(usd("0.0000166667").times(1_000_000, 1).to_string(), "16.666700");
        assert_eq!(usd("0.20").times(5, 1_000_000).to_string(), "0.000001");
        assert_eq!([usd("0.10"), usd("0.20")].into_iter().sum::<Usd>(), usd("0.30"));
        for text in ["", "-1", "1.x", ".5", "1e3"] {
            assert_eq!(Usd::parse(text), None, "{text}");
        }
    }
}
