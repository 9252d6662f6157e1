//! The resolved plan: pure, no I/O.

pub mod behind_queue;
pub mod capabilities;
pub mod default_layers;
mod model;
pub mod names;
pub mod physical;
pub mod preflight;
mod render;
mod resolve;
mod retries;
mod stacks;
mod waits;
pub mod yaml_notes;

pub use model::*;
pub use render::human;
pub use resolve::{Options, resolve};
pub use stacks::{RUN_TAG, TOOL_TAG, VARIANT_TAG};
