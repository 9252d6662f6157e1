//! Functions, invocations, event source mappings and durable executions.

mod conformance;
mod durable;
mod functions;
mod invoke;
mod orphans;
mod queue;
mod stream;
pub(crate) mod support;
