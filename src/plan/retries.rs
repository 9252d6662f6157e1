//! Which layers may repeat a provider call, and how often.

use super::model::RetryLayer;
use crate::protocol::{Strategy, Variant};

/// The layers of a variant, outermost first.
pub(super) fn layers(variant: &Variant) -> Vec<RetryLayer> {
    let mut layers = vec![layer("queue deliveries", variant.max_receive_count, "max_receive_count (redrive policy)")];
    if variant.strategy == Strategy::DurableStep {
        layers.push(layer(
            "durable step attempts",
            variant.step_attempts.unwrap_or_default(),
            "step_attempts (explicit strategy, no jitter)",
        ));
    }
    layers.push(layer("SDK attempts", variant.sdk_attempts, "sdk_attempts (retries off)"));
    layers
}

fn layer(name: &str, attempts: u32, set_by: &str) -> RetryLayer {
    RetryLayer { layer: name.to_owned(), attempts, set_by: set_by.to_owned() }
}
