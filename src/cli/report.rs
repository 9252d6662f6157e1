//! `assay report`: a finished run as HTML, Markdown, JSON or JUnit; and the report that ends every run.

use super::plan::pretty;
use super::print;
use crate::cost::{self, COST_FILE, Prices};
use crate::exit::{Exit, Failure};
use crate::judge::Results;
use crate::report::{self, Dossier, PackageLine, TrialFile};
use crate::run::{RunFolder, State};
use clap::{Args, ValueEnum};
use evidence::digest::Digest;
use evidence::package::Sealed;
use evidence::verdict::PackageVerdict;
use serde::de::DeserializeOwned;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// File name in a run's folder.
const HTML: &str = "report.html";

/// The proof of the cost tags: package, file.
const TAGS: (&str, &str) = ("deploy", "tags.json");

/// Sealed files that a report shows if they are there: title, beginning of the package's name, file.
const EXTRAS: [(&str, &str, &str); 4] = [
    ("Registration", "preflight", "registration.json"),
    ("Clock", "closing", "clock.json"),
    ("Audit, amended", "amendment-", "audit.json"),
    ("Cost, amended", "amendment-", COST_FILE),
];

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Run id or folder
    run: String,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Html)]
    format: ReportFormat,
    /// File to write; HTML goes to report.html in the run's folder, everything else to stdout if not given
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Show the report in the browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    runs: super::args::Runs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// One self-contained page
    Html,
    /// Markdown for a job summary
    Md,
    /// Everything, for programs
    Json,
    /// JUnit XML for CI; indeterminate is an error
    Junit,
}

/// Writes the report of a run that ended.
pub(super) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let folder = RunFolder::open(&args.runs.runs, &args.run)?;
    let dossier = dossier(&folder)?;
    let default = folder.path().join(HTML);
    let out = match (&args.out, args.format) {
        (None, ReportFormat::Html) => Some(&default),
        (out, _) => out.as_ref(),
    };
    let text = match args.format {
        ReportFormat::Html => report::html(&dossier, &base(&folder, out)?),
        ReportFormat::Md => report::markdown(&dossier),
        ReportFormat::Json => pretty(&dossier.json())?,
        ReportFormat::Junit => report::junit(&dossier),
    };
    let Some(out) = out else {
        print(&text);
        return Ok(Exit::Ok);
    };
    std::fs::write(out, text).map_err(|e| Failure::io("write report", out, &e))?;
    print(&format!("{}\n", out.display()));
    if args.open {
        open(out);
    }
    Ok(Exit::Ok)
}

/// Writes `report.html` into a run's folder, as the last thing of a run.
///
/// # Errors
/// [`Failure::Unverified`] if packages or verdicts are damaged, [`Failure::Internal`] if the file cannot be written.
pub(super) fn write_html(folder: &RunFolder) -> Result<PathBuf, Failure> {
    folder.write(HTML, report::html(&dossier(folder)?, "").as_bytes())
}

/// Writes it again after an amendment, if the run has results.
///
/// # Errors
/// As [`write_html`].
pub(super) fn refresh(folder: &RunFolder) -> Result<(), Failure> {
    let ended = folder.path().join("results.json").is_file();
    if ended { write_html(folder).map(drop) } else { Ok(()) }
}

/// What stands before the path of an artifact in a link.
fn base(folder: &RunFolder, out: Option<&PathBuf>) -> Result<String, Failure> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|e| Failure::io("find", path, &e));
    let home = absolute(folder.path())?;
    match out.map(|out| absolute(out)).transpose()? {
        Some(out) if out.parent() == Some(home.as_path()) => Ok(String::new()),
        _ => Ok(format!("file://{}/", home.display().to_string().replace('%', "%25").replace(' ', "%20"))),
    }
}

/// A browser that does not start is no failure of the report.
fn open(path: &Path) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = std::process::Stdio::null;
    let started = std::process::Command::new(program).arg(path).stdout(quiet()).stderr(quiet()).spawn();
    if let Err(error) = started {
        let _ = writeln!(std::io::stderr().lock(), "warning: cannot start {program}: {error}");
    }
}

/// Reads everything that a report is made of; sealed packages are verified on the way.
fn dossier(folder: &RunFolder) -> Result<Dossier, Failure> {
    let state = folder.state()?;
    let path = folder.path().join("results.json");
    if !path.is_file() {
        let report::RunLine { next, note, .. } = report::RunLine::of(folder);
        let note = note.map(|note| format!("\n{note}")).unwrap_or_default();
        return Err(Failure::Usage(format!("run {} has no results yet; next: {next}{note}", folder.id())));
    }
    let results: Results = read(&path)?;
    let mut dossier = Dossier {
        results,
        plan: folder.plan()?,
        filling: read(&folder.path().join("inputs/filling.json")).ok(),
        origin: state.head.as_ref().map(|head| head.origin.clone()),
        exit: state.ended,
        oracle: None,
        packages: Vec::new(),
        trials: Vec::new(),
        tags: None,
        estimate: None,
        billed: None,
        extras: Vec::new(),
    };
    dossier.estimate = cost::estimate(&dossier.plan, &Prices::bundled()?);
    for (name, identity) in &state.packages {
        add(&mut dossier, folder, name, identity, &state)?;
    }
    Ok(dossier)
}

/// Adds a package with its trials and verdicts.
fn add(dossier: &mut Dossier, folder: &RunFolder, name: &str, identity: &Digest, state: &State) -> Result<(), Failure> {
    let sealed = Sealed::open(&folder.packages().join(name)).map_err(|e| Failure::Unverified(e.to_string()))?;
    if sealed.identity() != identity {
        return Err(Failure::Unverified(format!(
            "package {name} is {}, the journal says that {identity} was sealed",
            sealed.identity()
        )));
    }
    let judged = state.verdicts.contains_key(name);
    let verdict: Option<PackageVerdict> = judged.then(|| read(&folder.verdict(name))).transpose()?;
    let index = sealed.index();
    dossier.packages.push(PackageLine {
        name: name.to_owned(),
        identity: identity.to_string(),
        files: index.files.len(),
        bytes: index.total_size(),
        verdict: verdict.as_ref().map(|v| v.verdict),
    });
    let planned: Vec<String> = dossier.plan.trials_of(name).map(|t| t.id.clone()).collect();
    for id in planned {
        let judged = verdict.as_ref().and_then(|v| v.trials.iter().find(|t| t.trial == id)).cloned();
        dossier.trials.extend(trial(&sealed, name, id, judged)?);
    }
    if index.find(TAGS.1).is_some() && name == TAGS.0 {
        dossier.tags = Some((format!("packages/{name}/{}", TAGS.1), sealed_json(&sealed, TAGS.1)?));
    }
    // The last answer of billing counts.
    if name.starts_with("amendment-") && index.find(COST_FILE).is_some() {
        dossier.billed = Some((format!("packages/{name}/{COST_FILE}"), sealed_json(&sealed, COST_FILE)?));
    }
    for (title, package, file) in EXTRAS {
        if name.starts_with(package) && index.find(file).is_some() {
            dossier.extras.push((title.to_owned(), format!("packages/{name}/{file}"), sealed_json(&sealed, file)?));
        }
    }
    if let Some(verdict) = verdict {
        dossier.oracle = Some(verdict.oracle);
    }
    Ok(())
}

fn trial(
    sealed: &Sealed,
    package: &str,
    id: String,
    verdict: Option<evidence::verdict::TrialVerdict>,
) -> Result<Option<TrialFile>, Failure> {
    let file = format!("trials/{id}.json");
    let entry = sealed.index().find(&file);
    if entry.is_none() && verdict.is_none() {
        return Ok(None);
    }
    let evidence = entry.map(|_| sealed_json(sealed, &file)).transpose()?;
    Ok(Some(TrialFile {
        id,
        stage: package.to_owned(),
        artifact: format!("packages/{package}/{file}"),
        sha256: entry.map(|e| e.sha256.to_string()).unwrap_or_default(),
        evidence,
        verdict,
    }))
}

fn sealed_json<T: DeserializeOwned>(sealed: &Sealed, file: &str) -> Result<T, Failure> {
    let bytes = sealed.read(file).map_err(|e| Failure::Unverified(e.to_string()))?;
    serde_json::from_slice(&bytes)
        .map_err(|e| Failure::Unverified(format!("{}: {e}", sealed.path().join(file).display())))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let bytes = std::fs::read(path).map_err(|e| Failure::io("read", path, &e))?;
    serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))
}
