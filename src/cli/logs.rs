//! Log lines on stderr; stdout belongs to results.

use super::args::{Common, LogFormat};
use crate::progress::LOG_TARGET;
use std::io::IsTerminal as _;
use tracing_subscriber::EnvFilter;

/// Installs the process's log subscriber.
pub(super) fn init(common: &Common) {
    let progress = if common.quiet { "warn" } else { "info" };
    let level = match (common.quiet, common.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "assay=debug,localcloud=debug,warn",
        (false, _) => "trace",
    };
    let filter = EnvFilter::try_from_env("ASSAY_LOG")
        .unwrap_or_else(|_| EnvFilter::new(format!("{level},{LOG_TARGET}={progress}")));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let installed = match common.log_format {
        LogFormat::Json => builder.json().try_init(),
        LogFormat::Text => {
            builder.with_ansi(std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()).try_init()
        }
    };
    // A second subscriber can only come from a test harness; its logs are as good.
    let _ = installed;
}
