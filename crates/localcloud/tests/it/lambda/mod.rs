//! Functions, invocations, event source mappings and durable executions.

mod conformance;
mod durable;
mod functions;
mod invoke;
mod queue;
mod stream;
mod support;
