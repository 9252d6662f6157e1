//! Published archives: gzipped tar with nothing in it but plain files in a fixed order.
//!
//! The writer is deterministic: same files, same bytes. The reader streams, unpacks nothing and trusts nothing.

mod reader;
mod writer;

pub use reader::{Limits, read};
pub use writer::Writer;
