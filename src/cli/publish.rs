//! `assay publish` and `assay rejudge`.

use super::args::{Output, Runs};
use super::print;
use crate::exit::{Exit, Failure};
use crate::launch;
use crate::publication;
use crate::run::RunFolder;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct PublishArgs {
    /// Run id or folder
    run: String,
    /// Archive to write [default: STUDY-evidence.tar.gz in the current folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    output: Output,
}

/// Publishes a run and prints how to check it.
pub(super) fn publish(args: &PublishArgs) -> Result<Exit, Failure> {
    let folder = RunFolder::open(&args.runs.runs, &args.run)?;
    let study = folder.plan()?.study;
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{study}-evidence.tar.gz")));
    let (publication, report) = publication::publish(&folder, &out)?;
    let root = report.subjects.first().and_then(|subject| subject.root).map(|root| root.to_string());
    let changed = publication.manifest.files.iter().filter(|file| file.changed).count();
    let files = publication.manifest.files.len();
    if args.output.json {
        let value = json!({
            "archive": out, "sha256": publication.sha256, "bytes": publication.bytes,
            "files": files, "redacted": changed, "root": root,
        });
        print(&format!("{value}\n"));
        return Ok(Exit::Ok);
    }
    print(&format!(
        "archive  {} ({} bytes, {files} files, {changed} of them redacted)\nsha256   {}\nroot     {}\n\ncheck it with nothing but tar, jq and shasum:\n  tar -xzf {}\n  jq -r '.files[] | \"\\(.redacted_sha256)  \\(.path)\"' redaction-manifest.json | shasum -a 256 -c --quiet -\n",
        out.display(),
        publication.bytes,
        publication.sha256,
        root.unwrap_or_default(),
        out.file_name().unwrap_or(out.as_os_str()).display(),
    ));
    Ok(Exit::Ok)
}

#[derive(Debug, Args)]
pub(super) struct RejudgeArgs {
    /// Run id or folder, or a published archive, packed or unpacked
    run: String,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    output: Output,
}

/// Judges again; the old verdicts stay.
pub(super) async fn rejudge(args: &RejudgeArgs) -> Result<Exit, Failure> {
    let path = PathBuf::from(&args.run);
    let oracle = launch::oracle().await?;
    if path.is_file() || path.join("redaction-manifest.json").is_file() {
        let (judged, differing) = publication::rejudge_copy(&path, &oracle)?;
        if args.output.json {
            let list: Vec<_> = differing.iter().map(|d| json!({"package": d.package, "trials": d.trials})).collect();
            print(&format!("{}\n", json!({"judged": judged, "differing": list})));
        } else {
            print(&format!(
                "{judged} packages of the copy judged, {} differ from the published verdicts\n",
                differing.len()
            ));
            differing.iter().for_each(|d| print(&format!("  {}: {}\n", d.package, d.trials.join(", "))));
        }
        return Ok(if differing.is_empty() { Exit::Ok } else { Exit::Differs });
    }
    let folder = RunFolder::open(&args.runs.runs, &args.run)?;
    let judged = publication::rejudge_run(&folder, &oracle)?;
    for package in &judged {
        let text = if args.output.json { format!("{}\n", package.comparison) } else { package.text() };
        print(&text);
    }
    Ok(if judged.iter().all(publication::Rejudged::agrees) { Exit::Ok } else { Exit::Differs })
}
