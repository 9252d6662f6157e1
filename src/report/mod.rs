//! What a run looks like to a person. Pure text from results.

mod conclusion;
mod runs;
mod table;

pub use conclusion::conclusion;
pub use runs::RunLine;
pub use table::{money, reference_table};
