//! `assay build`.

use super::args::Output;
use super::deploy::tell;
use crate::artifact::{Architecture, Binary, GlibcVersion};
use crate::exit::{Exit, Failure};
use crate::launch;
use crate::progress::Progress;
use clap::Args;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// Arguments of `assay build`.
#[derive(Debug, Args)]
pub(super) struct BuildArgs {
    /// Instruction set of the functions: x86_64 or arm64
    #[arg(long, default_value = "x86_64", value_name = "ARCH")]
    arch: Architecture,
    /// Where the zip goes
    #[arg(long, short, default_value = "bootstrap.zip", value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    pub(super) output: Output,
}

/// What was built.
#[derive(Debug, Serialize)]
struct Built {
    schema: &'static str,
    path: PathBuf,
    sha256: String,
    code_sha256: String,
    bytes: u64,
    architecture: String,
    /// Newest glibc needed; absent for a static binary.
    glibc: Option<String>,
    glibc_of_runtime: String,
}

/// Builds the artifact for Lambda; a binary that Lambda cannot run is refused with what to install.
pub(super) async fn build(args: BuildArgs, progress: Progress) -> Result<Exit, Failure> {
    let (artifact, zip) = launch::artifact(args.arch, &progress).await?;
    let binary = inspect(&zip)?;
    std::fs::write(&args.out, &zip).map_err(|e| Failure::io("write", &args.out, &e))?;
    progress.finish();
    let report = Built {
        schema: "assay.build/1",
        path: std::path::absolute(&args.out).unwrap_or(args.out),
        sha256: artifact.sha256.to_string(),
        code_sha256: artifact.sha256_base64,
        bytes: artifact.size,
        architecture: binary.architecture.to_string(),
        glibc: binary.glibc.map(|v| v.to_string()),
        glibc_of_runtime: GlibcVersion::AL2023.to_string(),
    };
    tell(&report, &progress)?;
    Ok(Exit::Ok)
}

/// Looks into the zip that was written, so that what is told is true of it.
fn inspect(zip: &[u8]) -> Result<Binary, Failure> {
    let broken = |e: String| Failure::Internal(format!("the packed artifact cannot be read back: {e}"));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(zip)).map_err(|e| broken(e.to_string()))?;
    let mut bytes = Vec::new();
    let mut file = archive.by_name("bootstrap").map_err(|e| broken(e.to_string()))?;
    std::io::Read::read_to_end(&mut file, &mut bytes).map_err(|e| broken(e.to_string()))?;
    Binary::inspect(&bytes).map_err(|e| broken(e.to_string()))
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.path.display())?;
        writeln!(f, "  sha256        {}", self.sha256)?;
        writeln!(f, "  CodeSha256    {}", self.code_sha256)?;
        writeln!(f, "  size          {} bytes", self.bytes)?;
        writeln!(f, "  architecture  {}", self.architecture)?;
        let needs = self.glibc.as_deref().map_or("none (static)".to_owned(), |v| format!("{v} or newer"));
        writeln!(f, "  glibc         needs {needs}; provided.al2023 has {}", self.glibc_of_runtime)
    }
}
