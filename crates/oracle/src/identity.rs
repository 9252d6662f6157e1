//! Which oracle this is.

use evidence::verdict::OracleId;

/// SHA-256 over the sources of this crate and of `evidence`, taken when it was built.
const SOURCE_SHA256: &str = env!("ORACLE_SOURCE_SHA256");

/// Version and source digest of this oracle, as quoted in every verdict file.
#[must_use]
pub fn oracle_id() -> OracleId {
    OracleId { version: env!("CARGO_PKG_VERSION").to_owned(), source_sha256: SOURCE_SHA256.to_owned() }
}

/// The same in one line, for `--version`.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (sources ", env!("ORACLE_SOURCE_SHA256"), ")");
