//! Lambda's data plane: packages, execution environments, invocations, event source mappings and durable
//! executions. The control plane is `service::lambda`.
//!
//! An environment is a child process that runs the package's `bootstrap` against a Runtime API of its own. It serves
//! one invocation at a time and waits, warm, for the next. Function timeouts run on real time, because the child
//! cannot see the cloud's clock; everything else (retry delays, waits, idleness, retention) runs on that clock.

pub(crate) mod code;
pub(crate) mod durable;
pub(crate) mod environment;
pub(crate) mod invoke;
mod logs;
mod output;
pub(crate) mod poller;
pub(crate) mod pool;
mod runtime_api;
pub(crate) mod sweep;
