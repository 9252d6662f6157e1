//! The oracle runs as a process of its own, on sealed bytes, with no environment.

use super::session::Session;
use crate::exit::Failure;
use crate::progress::Notice;
use crate::run::Event;
use evidence::verdict::PackageVerdict;
use std::process::Stdio;
use tokio::process::Command;

/// Judges a sealed package and keeps the verdict, which must quote the package's identity.
pub(super) async fn judge(session: &Session, package: &str) -> Result<PackageVerdict, Failure> {
    let state = session.log.state();
    let identity =
        *state.package(package).ok_or_else(|| Failure::Internal(format!("package {package} is not sealed")))?;
    let path = session.folder.verdict(package);
    if !state.verdicts.contains_key(package) {
        run_oracle(session, package).await?;
    }
    let bytes = std::fs::read(&path).map_err(|e| Failure::io("read verdict", &path, &e))?;
    let verdict: PackageVerdict = serde_json::from_slice(&bytes)
        .map_err(|e| Failure::Unverified(format!("{}: not a verdict: {e}", path.display())))?;
    if verdict.package != identity.to_string() {
        return Err(Failure::Unverified(format!(
            "{}: quotes package {}, sealed is {identity}",
            path.display(),
            verdict.package
        )));
    }
    if !state.verdicts.contains_key(package) {
        session.log.append(Event::Judged { package: package.to_owned(), identity, verdict: verdict.verdict })?;
        for trial in &verdict.trials {
            session.progress.tell(&Notice::Judged {
                trial: trial.trial.clone(),
                verdict: trial.verdict,
                valid: trial.valid,
            });
        }
    }
    Ok(verdict)
}

async fn run_oracle(session: &Session, package: &str) -> Result<(), Failure> {
    let output = Command::new(&session.oracle)
        .arg("judge")
        .arg(session.folder.packages().join(package))
        .arg("--out")
        .arg(session.folder.verdict(package))
        .env_clear()
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|e| Failure::io("start the oracle", &session.oracle, &e))?;
    let said = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match output.status.code() {
        Some(0 | 10 | 20) => Ok(()),
        Some(30) => Err(Failure::Unverified(format!("package {package} does not verify: {}", said()))),
        _ => Err(Failure::Internal(format!("the oracle ended with {}: {}", output.status, said()))),
    }
}
