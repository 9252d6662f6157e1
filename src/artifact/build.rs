//! Building or finding the binaries of a run: `bootstrap`, which goes into the artifact, and `oracle`, which judges.

use super::cargo::{self, Workspace};
use super::elf::{Architecture, Binary, ElfError};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Environment variable with the path of a bootstrap binary built elsewhere.
const BOOTSTRAP_VAR: &str = "ASSAY_BOOTSTRAP";
/// Environment variable with the path of an oracle binary built elsewhere.
const ORACLE_VAR: &str = "ASSAY_ORACLE";

/// Binaries that are there and, for AWS, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The functions' binary.
    pub bootstrap: PathBuf,
    /// The oracle's binary, always for this machine.
    pub oracle: PathBuf,
}

/// The binaries could not be built or found.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A path given by the user leads nowhere.
    #[error("{variable} names `{path}`, which is no file; correct it, or unset it to have the binary built")]
    NoFile {
        /// Environment variable.
        variable: &'static str,
        /// Its value.
        path: PathBuf,
    },
    /// No workspace around this program.
    #[error(
        "no checkout of assay is above this folder, and bootstrap and oracle are not beside this program; run \
         `cargo build --workspace` in the checkout and use its target/debug/assay, or set {BOOTSTRAP_VAR} and \
         {ORACLE_VAR} to programs built elsewhere"
    )]
    NoWorkspace,
    /// Cargo did not start.
    #[error("`{command}` did not start: {error}; install Rust, or set {BOOTSTRAP_VAR} and {ORACLE_VAR}")]
    NoCargo {
        /// Command line.
        command: String,
        /// Why.
        error: std::io::Error,
    },
    /// Cargo ran and failed; its messages are on standard error.
    #[error("`{command}` failed ({status}); its messages are above")]
    Failed {
        /// Command line.
        command: String,
        /// Exit status.
        status: ExitStatus,
    },
    /// Cargo succeeded without making the binary.
    #[error("cargo reported no binary `{0}`; this is a bug of assay")]
    NoBinary(&'static str),
    /// A binary could not be read.
    #[error("`{path}` cannot be read: {error}")]
    Read {
        /// File.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Lambda could not run the binary.
    #[error("`{path}`: {error}; {help}")]
    Unfit {
        /// File.
        path: PathBuf,
        /// What is wrong.
        error: ElfError,
        /// What to do.
        help: String,
    },
    /// Nothing here can build for that architecture.
    #[error("this machine cannot build for {0} by itself; {help}", help = install(*.0))]
    NoTool(Architecture),
}

impl Build {
    /// The binaries for the embedded local cloud: given by environment variable, or built by cargo in the profile of
    /// this program, or, away from a checkout, those beside this program. Blocks while cargo runs.
    ///
    /// # Errors
    /// [`BuildError`], which says what to do.
    pub fn local() -> Result<Self, BuildError> {
        let (bootstrap, oracle) = (given(BOOTSTRAP_VAR)?, given(ORACLE_VAR)?);
        if let (Some(bootstrap), Some(oracle)) = (&bootstrap, &oracle) {
            return Ok(Self { bootstrap: bootstrap.clone(), oracle: oracle.clone() });
        }
        let built = match Workspace::find() {
            Some(workspace) => workspace.build_local()?,
            None => beside().ok_or(BuildError::NoWorkspace)?,
        };
        Ok(Self { bootstrap: bootstrap.unwrap_or(built.0), oracle: oracle.unwrap_or(built.1) })
    }

    /// The binaries for a real account: a bootstrap that `provided.al2023` can run, checked in the file itself, and
    /// this machine's oracle. Blocks while cargo runs.
    ///
    /// # Errors
    /// [`BuildError`], which says what to install.
    pub fn aws(architecture: Architecture) -> Result<Self, BuildError> {
        let bootstrap = Self::functions(architecture)?;
        let oracle = match given(ORACLE_VAR)? {
            Some(path) => path,
            None => match Workspace::find() {
                Some(workspace) => workspace.build_local()?.1,
                None => beside().ok_or(BuildError::NoWorkspace)?.1,
            },
        };
        Ok(Self { bootstrap, oracle })
    }

    /// The bootstrap of [`Build::aws`] alone.
    ///
    /// # Errors
    /// [`BuildError`], which says what to install.
    pub fn functions(architecture: Architecture) -> Result<PathBuf, BuildError> {
        let bootstrap = match given(BOOTSTRAP_VAR)? {
            Some(path) => path,
            None => release(&Workspace::find().ok_or(BuildError::NoWorkspace)?, architecture)?,
        };
        check(&bootstrap, architecture)?;
        Ok(bootstrap)
    }
}

/// Bootstrap and oracle in the folder of this program, where a build leaves them: a study outside the checkout finds
/// them there.
fn beside() -> Option<(PathBuf, PathBuf)> {
    let program = std::env::current_exe().ok()?;
    let (bootstrap, oracle) = (program.with_file_name("bootstrap"), program.with_file_name("oracle"));
    (bootstrap.is_file() && oracle.is_file()).then_some((bootstrap, oracle))
}

fn given(variable: &'static str) -> Result<Option<PathBuf>, BuildError> {
    match std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from) {
        None => Ok(None),
        Some(path) if path.is_file() => Ok(Some(path)),
        Some(path) => Err(BuildError::NoFile { variable, path }),
    }
}

/// A release build with the best tool there is: cargo-lambda, cargo-zigbuild, or plain cargo, whose result may need a
/// newer glibc than Lambda has, which the check then finds.
fn release(workspace: &Workspace, architecture: Architecture) -> Result<PathBuf, BuildError> {
    let (target, folder) = (architecture.rust_target(), workspace.target_folder());
    if cargo::has("lambda") {
        let mut command = workspace.release(&["lambda", "build"]);
        command.arg(if architecture == Architecture::Arm64 { "--arm64" } else { "--x86-64" });
        command.arg("--lambda-dir").arg(folder.join("lambda"));
        cargo::run(command)?;
        return Ok(folder.join("lambda/bootstrap/bootstrap"));
    }
    if cargo::has("zigbuild") {
        let mut command = workspace.release(&["zigbuild"]);
        command.arg("--target").arg(format!("{target}.2.34"));
        cargo::run(command)?;
        return Ok(folder.join(target).join("release/bootstrap"));
    }
    if cfg!(target_os = "linux") && Architecture::host() == Some(architecture) {
        let found = cargo::binaries(workspace.release(&["build"]))?;
        let bootstrap = found.into_iter().find(|(name, _)| name == "bootstrap");
        return bootstrap.map(|(_, path)| path).ok_or(BuildError::NoBinary("bootstrap"));
    }
    Err(BuildError::NoTool(architecture))
}

fn check(path: &Path, architecture: Architecture) -> Result<(), BuildError> {
    let bytes = std::fs::read(path).map_err(|error| BuildError::Read { path: path.to_owned(), error })?;
    let fit = Binary::inspect(&bytes).and_then(|binary| binary.check_for_lambda(architecture));
    fit.map_err(|error| BuildError::Unfit { path: path.to_owned(), error, help: install(architecture) })
}

fn install(architecture: Architecture) -> String {
    let target = architecture.rust_target();
    format!(
        "install cargo-lambda (`pip install cargo-lambda`), or cargo-zigbuild (`pip install cargo-zigbuild ziglang`) \
         with `rustup target add {target}`, and build again"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_run_on_lambda_is_refused_with_what_to_install() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bootstrap");
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        let error = check(&path, Architecture::Arm64).unwrap_err().to_string();
        assert!(error.contains("not a usable 64-bit Linux (ELF) binary"), "{error}");
        assert!(error.contains("cargo-lambda") && error.contains("aarch64-unknown-linux-gnu"), "{error}");
    }

    #[test]
    fn a_missing_file_is_told_with_its_path() {
        let error = check(Path::new("/nowhere/bootstrap"), Architecture::X86_64).unwrap_err().to_string();
        assert!(error.contains("/nowhere/bootstrap"), "{error}");
        let error = BuildError::NoTool(Architecture::Arm64).to_string();
        assert!(error.contains("arm64") && error.contains("cargo-zigbuild"), "{error}");
    }
}
