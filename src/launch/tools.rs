//! The programs that a run needs besides this one: the function artifact and the oracle.

use crate::artifact::{Architecture, Artifact, Build};
use crate::exit::Failure;
use crate::plan::ArtifactPlan;
use crate::progress::Progress;
use std::path::{Path, PathBuf};

/// Name of the packed artifact beside this program, where `assay plan` finds it.
const LAST_BUILT: &str = "assay-bootstrap.zip";

/// What was built.
#[derive(Debug)]
pub struct Tools {
    /// Digests and key of the artifact.
    pub artifact: ArtifactPlan,
    /// The artifact's bytes.
    pub zip: Vec<u8>,
    /// The oracle's program.
    pub oracle: PathBuf,
}

/// Where the functions will run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// In the local cloud, on this machine.
    Here,
    /// On AWS Lambda (`provided.al2023`).
    Lambda(Architecture),
}

/// Builds, or finds, artifact and oracle. Cargo's own messages go to stderr.
///
/// # Errors
/// [`Failure::Usage`] saying what to install.
pub async fn build(host: Host, progress: &Progress) -> Result<Tools, Failure> {
    progress.note("building the function artifact and the oracle");
    let work = move || -> Result<Tools, Failure> {
        let built = match host {
            Host::Here => Build::local(),
            Host::Lambda(architecture) => Build::aws(architecture),
        };
        let built = built.map_err(|e| Failure::Usage(e.to_string()))?;
        let (artifact, zip) = pack(&built.bootstrap)?;
        Ok(Tools { artifact, zip, oracle: built.oracle })
    };
    blocking(work).await
}

/// Builds, or finds, the artifact alone for Lambda: its digests and its bytes. Cargo's own messages go to stderr.
///
/// # Errors
/// [`Failure::Usage`] saying what to install.
pub async fn artifact(architecture: Architecture, progress: &Progress) -> Result<(ArtifactPlan, Vec<u8>), Failure> {
    progress.note("building the function artifact");
    blocking(move || pack(&Build::functions(architecture).map_err(|e| Failure::Usage(e.to_string()))?)).await
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|e| Failure::Internal(format!("the build was cut off: {e}")))?
}

fn pack(bootstrap: &Path) -> Result<(ArtifactPlan, Vec<u8>), Failure> {
    let bytes = std::fs::read(bootstrap).map_err(|e| Failure::io("read", bootstrap, &e))?;
    let zip = Artifact::of_bootstrap(&bytes).map_err(|e| Failure::Internal(e.to_string()))?.zip;
    if let Some(path) = last_built_path() {
        // Only for `assay plan`; a folder that cannot be written is no reason to stop.
        let _ = std::fs::write(path, &zip);
    }
    Ok((planned(&zip), zip))
}

/// Finds, or builds, the oracle alone.
///
/// # Errors
/// [`Failure::Usage`] saying what to install.
pub async fn oracle() -> Result<PathBuf, Failure> {
    blocking(|| Build::local().map(|built| built.oracle).map_err(|e| Failure::Usage(e.to_string()))).await
}

/// The artifact that was built last, if any.
///
/// # Errors
/// [`Failure::Internal`] if it is there and cannot be read.
pub fn last_built() -> Result<Option<ArtifactPlan>, Failure> {
    let Some(path) = last_built_path().filter(|path| path.is_file()) else { return Ok(None) };
    let zip = std::fs::read(&path).map_err(|e| Failure::io("read", &path, &e))?;
    Ok(Some(planned(&zip)))
}

fn last_built_path() -> Option<PathBuf> {
    std::env::current_exe().ok()?.parent().map(|folder: &Path| folder.join(LAST_BUILT))
}

fn planned(zip: &[u8]) -> ArtifactPlan {
    let sha256 = evidence::digest::Digest::of(zip);
    let artifact = Artifact { zip: Vec::new(), digest: sha256 };
    ArtifactPlan {
        sha256,
        sha256_base64: artifact.code_sha256(),
        size: zip.len() as u64,
        key: format!("functions/{sha256}.zip"),
    }
}
