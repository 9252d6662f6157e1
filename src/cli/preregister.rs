//! `assay preregister`, and the options that hold a run to a registration.

use super::args::Output;
use super::print;
use crate::artifact::Architecture;
use crate::exit::{Exit, Failure};
use crate::launch::{self, Host};
use crate::plan::{self, Options, Plan};
use crate::progress::Progress;
use crate::protocol;
use crate::registration::{self, Adopted, Authority, Draftable, Written};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(super) struct PreregisterArgs {
    /// Protocol file
    protocol: PathBuf,
    /// Timing profile
    #[arg(long, default_value = "canonical", value_name = "PROFILE")]
    timing: String,
    /// Register the artifact that a rehearsal on this machine runs, not Lambda's
    #[arg(long)]
    local: bool,
    /// Timestamp authority (RFC 3161) that puts its time on the registration
    #[arg(long, value_name = "URL", requires = "tsa_ca")]
    tsa: Option<String>,
    /// Certificates (PEM) that the authority's token is checked against
    #[arg(long, value_name = "FILE")]
    tsa_ca: Option<PathBuf>,
    /// Folder to write [default: registrations/STUDY-PROFILE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: Output,
}

/// Holds a run to a registration.
#[derive(Clone, Debug, Args)]
pub(super) struct Registered {
    /// Folder written by `assay preregister`; any difference stops the run before its first deploy
    #[arg(long, value_name = "DIR")]
    registration: Option<PathBuf>,
    /// Why this run departs from its registration; told in every report
    #[arg(long, value_name = "REASON", requires = "registration")]
    deviation: Option<String>,
}

impl Registered {
    /// Compares what is about to run with the registration, if one was named.
    pub(super) fn check(&self, plan: &Plan, oracle: &Path) -> Result<Option<Adopted>, Failure> {
        let adopt = |folder: &PathBuf| registration::adopt(folder, plan, oracle, self.deviation.as_deref());
        self.registration.as_ref().map(adopt).transpose()
    }
}

/// Writes, seals and stamps a registration.
pub(super) async fn preregister(args: &PreregisterArgs, progress: Progress) -> Result<Exit, Failure> {
    let loaded = protocol::load(&args.protocol)?;
    let mut options = Options { profile: args.timing.clone(), only_variants: Vec::new(), artifact: None };
    plan::resolve(&loaded, &options)?;
    let host = if args.local { Host::Here } else { Host::Lambda(Architecture::X86_64) };
    let tools = launch::build(host, &progress).await?;
    options.artifact = Some(tools.artifact.clone());
    let plan = plan::resolve(&loaded, &options)?;
    let default = || PathBuf::from("registrations").join(format!("{}-{}", plan.study, plan.profile));
    let folder = args.out.clone().unwrap_or_else(default);
    let authority = args.tsa.clone().zip(args.tsa_ca.clone()).map(|(url, ca)| Authority { url, ca });
    let parts = Draftable { loaded: &loaded, plan: &plan, oracle: &tools.oracle };
    let written = registration::write(&parts, &folder, authority.as_ref())?;
    progress.finish();
    print(&if args.output.json { format!("{}\n", value(&written, &folder)) } else { text(&written, &folder) });
    Ok(Exit::Ok)
}

fn value(written: &Written, folder: &Path) -> serde_json::Value {
    json!({
        "identity": written.identity, "folder": folder, "third_party_ms": written.third_party_ms,
        "tag": tag(written), "registration": written.registration,
    })
}

fn tag(written: &Written) -> String {
    let commit = written.registration.git.as_ref().map(|git| format!(" {}", git.commit)).unwrap_or_default();
    let name = format!("registration/{}-{}", written.registration.study, &written.identity.to_string()[..12]);
    format!("git tag -a {name} -m 'registration {}'{commit} && git push origin {name}", written.identity)
}

fn text(written: &Written, folder: &Path) -> String {
    let git = match &written.registration.git {
        None => "not in a git checkout".to_owned(),
        Some(git) if git.clean => format!("{}, clean", git.commit),
        Some(git) => format!("{}, with changes that are not committed", git.commit),
    };
    let time = match written.third_party_ms.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()) {
        Some(time) => format!("{time} by the timestamp authority"),
        None => "only this machine's clock (no --tsa)".to_owned(),
    };
    format!(
        "registered {} in {}\nplan       {}\noracle     {}\ngit        {git}\ntime       {time}\n\npublish it before the run:\n  {}\nthen run it with --registration {}\n",
        written.identity,
        folder.display(),
        written.registration.plan_digest,
        written.registration.oracle.source_sha256,
        tag(written),
        folder.display(),
    )
}
