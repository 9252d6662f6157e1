//! `assay verify`.

use super::args::VerifyArgs;
use super::plan::pretty;
use super::print;
use crate::exit::{Exit, Failure};
use crate::registration;
use evidence::verify::Options;

/// Checks every byte and tells every problem.
pub(super) fn verify(args: &VerifyArgs) -> Result<Exit, Failure> {
    let expected = args.expect_root.as_deref().map(str::parse).transpose();
    let expected = expected.map_err(|_| {
        Failure::Usage("--expect-root takes the 64 hex digits that `assay verify` prints as root".to_owned())
    })?;
    let options = Options { expect_root: expected, ..Options::default() };
    let report = registration::verify_with_timestamps(&args.paths, &options, args.tsa_ca.as_deref());
    print(&if args.output.json { pretty(&report)? } else { report.to_string() });
    Ok(if report.valid { Exit::Ok } else { Exit::Unverified })
}
