//! The invariant: one approved refund has exactly one monetary effect, within the captured amount.
//!
//! Each rule looks at a story as if the evidence were complete; whether it may conclude anything is decided outside.

mod m1;
mod m2;
mod m3;
mod n1;

pub(crate) use m1::m1;
pub(crate) use m2::m2;
pub(crate) use m3::m3;
pub(crate) use n1::n1;

/// `1 transaction`, `2 transactions`.
fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Minor units with the currency, for example `10000 BRL` (minor units).
fn money(minor: i128, currency: &str) -> String {
    format!("{minor} {currency} (minor units)")
}
