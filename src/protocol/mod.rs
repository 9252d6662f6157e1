//! From YAML to a valid protocol: every finding is located, and all are told at once.

mod checks;
mod load;
mod model;
mod templates;

pub use load::{Loaded, load};
pub use model::*;
pub use templates::Template;
