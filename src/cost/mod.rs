//! What a run may cost before it, and what billing says after it. Estimates are pure; money is counted in whole
//! picodollars, because a float loses cents.

mod burn;
mod estimate;
mod figure;
mod money;
mod prices;
mod standing;

pub use burn::{Used, burn};
pub use estimate::{Estimate, Item, estimate};
pub use figure::{COST_FILE, Figure, billed};
pub use money::Usd;
pub use prices::Prices;
pub use standing::{CostReport, Standing, conclude, tag_words};
