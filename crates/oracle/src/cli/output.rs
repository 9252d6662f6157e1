//! Text for people, and files that are never overwritten with something else.

use super::command::CommandError;
use evidence::verdict::{PackageVerdict, TrialVerdict, Verdict};
use oracle::rejudge::{Comparison, words};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a verdict file unless the same bytes are there already. A different verdict that is there stays.
pub(super) fn keep(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let failed = |source| CommandError::Write { path: path.display().to_string(), source };
    match fs::read(path) {
        Ok(old) if old == bytes => return Ok(()),
        Ok(_) => {
            let advice = "holds another verdict, which is kept; compare with `oracle rejudge`, or name another file";
            return Err(CommandError::Usage(format!("{} {advice}", path.display())));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let mut file = fs::File::create(&partial).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&partial, path).map_err(failed)
}

/// To standard output; a closed pipe is the reader's choice and no error.
pub(super) fn print(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandError::Write { path: "standard output".to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

/// A line for the package, and what it lacks as a whole.
pub(super) fn head(verdict: &PackageVerdict) -> String {
    let mut text = format!("{}: {} (package {})\n", verdict.stage, words(verdict.verdict), verdict.package);
    for item in &verdict.missing {
        let _ = writeln!(text, "  missing: {item}");
    }
    text
}

/// A line for a trial, and the reasons why it does not pass.
pub(super) fn trial(trial: &TrialVerdict) -> String {
    let failed = trial.rules.iter().filter(|rule| rule.verdict == Verdict::Fail);
    let failed: Vec<&str> = failed.map(|rule| rule.rule.as_str()).collect();
    let broken = if failed.is_empty() { String::new() } else { format!(" ({})", failed.join(" ")) };
    let mut text = format!("{:>4}  {}  {}{broken}\n", trial.number, trial.trial, words(trial.verdict));
    let reasons = trial.invalid_reasons.iter().map(|reason| ("not valid", reason));
    for (what, item) in reasons.chain(trial.missing.iter().map(|item| ("missing", item))) {
        let _ = writeln!(text, "      {what}: {item}");
    }
    text
}

/// What a newer oracle says differently.
pub(super) fn comparison(comparison: &Comparison) -> String {
    let Comparison { old_oracle, new_oracle, old, new, changes, package } = comparison;
    let mut text = format!("package {package}\n");
    let _ = writeln!(text, "old: {} by oracle {} ({})", words(*old), old_oracle.version, old_oracle.source_sha256);
    let _ = writeln!(text, "new: {} by oracle {} ({})", words(*new), new_oracle.version, new_oracle.source_sha256);
    if changes.is_empty() {
        text.push_str("nothing changed\n");
    }
    for change in changes {
        let trial = if change.trial.is_empty() { "package" } else { &change.trial };
        let _ = writeln!(text, "{trial} · {}\n  old: {}\n  new: {}", change.what, change.old, change.new);
    }
    text
}
