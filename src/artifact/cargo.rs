//! Cargo as a child process: where the workspace is, and builds that tell where their binaries went.

use super::BuildError;
use serde::Deserialize;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The workspace that this program was built from, and the folder and profile that it was built into, so that a
/// nested build finds everything compiled already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Workspace {
    root: PathBuf,
    target: Option<(PathBuf, String)>,
}

impl Workspace {
    /// From `CARGO_MANIFEST_DIR`, which `cargo run` and `cargo test` set, or from where the program lies.
    pub(super) fn find() -> Option<Self> {
        let exe = std::env::current_exe().ok();
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let starts = [manifest.as_deref(), exe.as_deref()];
        let root = starts.into_iter().flatten().flat_map(Path::ancestors).find(|folder| is_workspace(folder))?;
        Some(Self { root: root.to_path_buf(), target: exe.as_deref().and_then(target) })
    }

    /// `cargo <verb>` in the workspace, into the target folder and profile of this program.
    fn command(&self, verb: &str) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root).arg(verb);
        if let Some((folder, profile)) = &self.target {
            command.arg("--target-dir").arg(folder).args(["--profile", profile]);
        }
        command
    }

    /// `cargo <verb> --release` in the workspace, for AWS.
    pub(super) fn release(&self, verb: &[&str]) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root).args(verb).args(["--release", "-p", "functions", "--bin", "bootstrap"]);
        if let Some((folder, _)) = &self.target {
            command.arg("--target-dir").arg(folder);
        }
        command
    }

    /// Where cargo's release builds go.
    pub(super) fn target_folder(&self) -> PathBuf {
        let given = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let own = self.target.as_ref().map(|(folder, _)| folder.clone());
        self.root.join(own.or(given).unwrap_or_else(|| PathBuf::from("target")))
    }

    /// Builds `bootstrap` and `oracle` next to this program. The packages named are those of `cargo run` and more of
    /// the same workspace, so that cargo resolves the same features and compiles nothing twice.
    pub(super) fn build_local(&self) -> Result<(PathBuf, PathBuf), BuildError> {
        let mut command = self.command("build");
        command.args(["-p", "assay", "-p", "functions", "-p", "oracle", "-p", "localcloud"]);
        command.args(["--bin", "bootstrap", "--bin", "oracle"]);
        let binaries = binaries(command)?;
        let path = |name: &'static str| {
            let found = binaries.iter().find(|(target, _)| target == name);
            found.map(|(_, path)| path.clone()).ok_or(BuildError::NoBinary(name))
        };
        Ok((path("bootstrap")?, path("oracle")?))
    }
}

/// Whether a cargo subcommand is installed. All of them take `--help`; `cargo zigbuild` takes no `--version`.
pub(super) fn has(subcommand: &str) -> bool {
    let probe = cargo().args([subcommand, "--help"]).stdin(Stdio::null()).output();
    probe.is_ok_and(|output| output.status.success())
}

/// Runs a build whose binaries' places are known; its progress goes to standard error.
pub(super) fn run(mut command: Command) -> Result<(), BuildError> {
    let text = text(&command);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.map_err(|error| BuildError::NoCargo { command: text.clone(), error })?;
    if status.success() { Ok(()) } else { Err(BuildError::Failed { command: text, status }) }
}

/// Runs a build and returns (target name, executable) of every binary that it made or found fresh.
pub(super) fn binaries(mut command: Command) -> Result<Vec<(String, PathBuf)>, BuildError> {
    command.arg("--message-format=json-render-diagnostics").stdin(Stdio::null()).stdout(Stdio::piped());
    let text = text(&command);
    let no_cargo = |error| BuildError::NoCargo { command: text.clone(), error };
    let mut child = command.spawn().map_err(no_cargo)?;
    let messages = child.stdout.take().map(|stdout| BufReader::new(stdout).lines());
    let found = messages.into_iter().flatten().map_while(Result::ok).filter_map(|line| executable(&line)).collect();
    let status = child.wait().map_err(no_cargo)?;
    if status.success() { Ok(found) } else { Err(BuildError::Failed { command: text, status }) }
}

/// A line of cargo's JSON messages, if it is about an executable ("External tools", The Cargo Book).
fn executable(line: &str) -> Option<(String, PathBuf)> {
    #[derive(Deserialize)]
    struct Message {
        target: Target,
        executable: Option<PathBuf>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    let message: Message = serde_json::from_str(line).ok()?;
    Some((message.target.name, message.executable?))
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

fn text(command: &Command) -> String {
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("cargo".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn is_workspace(folder: &Path) -> bool {
    folder.join("Cargo.toml").is_file() && folder.join("crates/functions/Cargo.toml").is_file()
}

/// Target folder and profile of a program at `…/target/<profile folder>/[deps/]<name>`.
fn target(exe: &Path) -> Option<(PathBuf, String)> {
    let mut folder = exe.parent()?;
    if folder.file_name()? == "deps" {
        folder = folder.parent()?;
    }
    // Cargo marks its target folders; elsewhere (an installed program) its own rules apply.
    let target = folder.parent().filter(|target| target.join("CACHEDIR.TAG").is_file())?;
    let profile = folder.file_name()?.to_str()?;
    let profile = if profile == "debug" { "dev" } else { profile };
    Some((target.to_path_buf(), profile.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_runs_in_the_workspace_it_finds() {
        let workspace = Workspace::find().unwrap();
        assert!(workspace.root.join("templates").is_dir());
        assert!(workspace.target_folder().is_dir());
    }

    #[test]
    fn profile_and_target_follow_from_the_programs_place() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("CACHEDIR.TAG"), "").unwrap();
        let dev = Some((folder.path().to_path_buf(), "dev".to_owned()));
        assert_eq!(target(&folder.path().join("debug/assay")), dev);
        assert_eq!(target(&folder.path().join("debug/deps/it-0123")), dev);
        let release = Some((folder.path().to_path_buf(), "release".to_owned()));
        assert_eq!(target(&folder.path().join("release/assay")), release);
        assert_eq!(target(Path::new("/usr/local/bin/assay")), None);
    }

    #[test]
    fn only_messages_about_executables_count() {
        let library = r#"{"reason":"compiler-artifact","target":{"name":"functions"},"executable":null}"#;
        let binary = r#"{"reason":"compiler-artifact","target":{"name":"bootstrap"},"executable":"/t/bootstrap"}"#;
        assert_eq!(executable(library), None);
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#), None);
        assert_eq!(executable(binary), Some(("bootstrap".to_owned(), PathBuf::from("/t/bootstrap"))));
    }
}
