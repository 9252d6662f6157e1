//! What a run looks like to a person. Pure text from results.

mod chart;
mod close_out;
mod conclusion;
mod dossier;
mod html;
mod junit;
mod labels;
mod markdown;
mod runs;
mod scale;
mod sentence;
mod table;
mod timeline;

pub use close_out::{Basis, close_out};
pub use conclusion::conclusion;
pub use dossier::{Dossier, PackageLine, TrialFile};
pub use html::html;
pub use junit::junit;
pub use markdown::markdown;
pub use runs::RunLine;
pub use sentence::contradiction;
pub use table::{money, reference_table};
pub use timeline::{Lane, Mark, Moment, Span, Stretch, Timeline};
