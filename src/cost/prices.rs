//! The price table, a data file that travels with the program.

use super::money::Usd;
use serde::Deserialize;
use yaml::{Diagnostic, Dialect, Document, Limits};

const TABLE: &str = include_str!("prices.yaml");

/// The table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// `assay.prices/1`.
    pub schema: String,
    /// Region that the prices are of.
    pub region: String,
    /// Date of the sources.
    pub as_of: String,
    /// What kind of price.
    pub kind: String,
    /// Prices.
    pub items: Vec<Price>,
}

/// One price.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Name in the program.
    pub key: String,
    /// Decimal dollars.
    pub usd: String,
    /// For so many units.
    pub per: u64,
    /// Unit.
    pub unit: String,
    /// Where it is from.
    pub source: String,
}

impl Prices {
    /// Reads the table that travels with the program.
    ///
    /// # Errors
    /// If the file is damaged, which a test excludes.
    pub fn bundled() -> Result<Self, Diagnostic> {
        Document::parse("prices.yaml", TABLE, Dialect::Plain, Limits::default())?.deserialize()
    }

    /// A price and its cost for a quantity.
    #[must_use]
    pub fn cost(&self, key: &str, quantity: u64) -> Option<(&Price, Usd)> {
        let price = self.items.iter().find(|p| p.key == key)?;
        Some((price, Usd::parse(&price.usd)?.times(quantity, price.per)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Prices, Usd};

    #[test]
    fn the_table_is_whole() {
        let prices = Prices::bundled().expect("a table");
        assert_eq!(prices.schema, "assay.prices/1");
        for price in &prices.items {
            assert!(Usd::parse(&price.usd).is_some_and(|usd| !usd.is_zero()) && price.per > 0, "{price:?}");
            assert!(!price.source.is_empty());
        }
    }
}
