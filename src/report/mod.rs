//! What a run looks like to a person. Pure text from results.

mod close_out;
mod conclusion;
mod runs;
mod table;

pub use close_out::{Basis, close_out};
pub use conclusion::conclusion;
pub use runs::RunLine;
pub use table::{money, reference_table};
