//! `assay cost RUN` and `assay cost activate-tags`.

use super::args::{Output, Runs, TargetArgs};
use super::deploy::{ask, tell};
use crate::cloud::{Clients, PageCap, Surroundings, Target, cost as billing};
use crate::cost::{self, Prices};
use crate::exit::{Exit, Failure};
use crate::launch;
use crate::paused::unless_expired;
use crate::plan::{RUN_TAG, VARIANT_TAG};
use crate::progress::Progress;
use crate::run::{Event, RunFolder};
use crate::stages;
use clap::{Args, Subcommand};
use evidence::stage::Origin;
use jiff::{SignedDuration, Timestamp};

/// Tag keys that cost is told apart by.
const KEYS: [&str; 5] = [RUN_TAG, "assay:study", VARIANT_TAG, "assay:owner", "assay:cost-center"];

/// Arguments of `assay cost`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct CostArgs {
    #[command(subcommand)]
    command: Option<CostCommand>,
    /// Run id or folder
    #[arg(required = true)]
    run: Option<String>,
    /// Profile of the AWS configuration
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    #[command(flatten)]
    runs: Runs,
    /// Do not ask before the request, which costs USD 0.01
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Subcommand)]
enum CostCommand {
    /// Activate the cost allocation tags; only a paying account can
    #[command(after_help = "Example:\n  assay cost activate-tags --profile payer")]
    ActivateTags(ActivateArgs),
}

#[derive(Debug, Args)]
struct ActivateArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Do not ask before the first write
    #[arg(long)]
    yes: bool,
}

impl CostArgs {
    /// Whether stdout belongs to a program.
    pub(super) fn json(&self) -> bool {
        self.output.json
    }
}

/// Asks billing.
pub(super) async fn cost(args: CostArgs, progress: Progress) -> Result<Exit, Failure> {
    match (args.command, args.run) {
        (Some(CostCommand::ActivateTags(activate)), _) => activate_tags(&activate, &progress).await,
        (None, Some(run)) => {
            let folder = RunFolder::open(&args.runs.runs, &run)?;
            of_run(&folder, args.profile, args.yes, &progress).await
        }
        (None, None) => Err(Failure::Usage("name a run, or `activate-tags`".to_owned())),
    }
}

async fn of_run(folder: &RunFolder, profile: Option<String>, yes: bool, progress: &Progress) -> Result<Exit, Failure> {
    let journal =
        evidence::journal::read::<Event>(&folder.journal()).map_err(|e| Failure::Unverified(e.to_string()))?;
    let started = journal.entries.iter().find_map(|entry| match &entry.event {
        Event::RunStarted { origin, .. } => Some((origin.clone(), entry.at_ms)),
        _ => None,
    });
    let (origin, at_ms) =
        started.ok_or_else(|| Failure::Unverified(format!("run {} has an empty journal", folder.id())))?;
    let clients = payer(&origin, profile, progress).await?;
    let price = Prices::bundled()?.cost("cost_explorer_request", 1).map(|(_, usd)| usd.to_string()).unwrap_or_default();
    ask(
        &format!("two requests to Cost Explorer about run {}; a request costs USD {price} (list price)", folder.id()),
        yes,
    )?;
    let days = days(at_ms)?;
    let asked = async {
        let status = cost::tag_words(billing::tag_status(&clients, RUN_TAG).await);
        let lines = billing::by_tag(&clients, RUN_TAG, (&days.0, &days.1), PageCap(20)).await;
        let lines = lines.into_result().map_err(|e| Failure::Stopped(format!("ask Cost Explorer: {e}")))?;
        Ok(cost::conclude(folder.id(), lines, &status))
    };
    // A figure stands without the tag's status; what a missing figure means does not.
    let report = unless_expired(&clients, "ask Cost Explorer", |report| report.total_usd.is_some(), asked).await?;
    progress.finish();
    tell(&report, progress)?;
    if let Some(name) = amend(folder, &report)? {
        progress.note(format!("sealed as packages/{name}, chained to everything that was sealed before"));
    }
    Ok(if report.total_usd.is_some() { Exit::Ok } else { Exit::Indeterminate })
}

/// Connects to the account that pays. It may be another than the run's, because an organisation's management account
/// pays for its members; the run's id in the tag tells the cost apart all the same.
async fn payer(origin: &Origin, profile: Option<String>, progress: &Progress) -> Result<Clients, Failure> {
    let target = Target { profile, region: Some(origin.region.clone()), endpoint_url: origin.endpoint.clone() };
    let around = Surroundings { endpoint_url: None, ..Surroundings::from_env() };
    let clients = launch::connect(&target, &around).await?;
    let asked = launch::origin(&clients).await?.account;
    if asked != origin.account {
        progress.note(format!("asking account {asked} for what account {} used", origin.account));
    }
    Ok(clients)
}

/// Seals a figure; "not yet available" is none, and is asked again later.
fn amend(folder: &RunFolder, report: &cost::CostReport) -> Result<Option<String>, Failure> {
    if report.account_usd.is_none() {
        return Ok(None);
    }
    let value = serde_json::to_value(report).map_err(|e| Failure::Internal(e.to_string()))?;
    let name = stages::amend_folder(folder, cost::COST_FILE, &value)?;
    super::report::refresh(folder)?;
    Ok(Some(name))
}

/// From the day before the run to three days after it, the end exclusive.
fn days(at_ms: i64) -> Result<(String, String), Failure> {
    let at = Timestamp::from_millisecond(at_ms).map_err(|e| Failure::Unverified(e.to_string()))?;
    let day = |hours| {
        let moved = at.checked_add(SignedDuration::from_hours(hours)).unwrap_or(at);
        moved.strftime("%Y-%m-%d").to_string()
    };
    Ok((day(-24), day(72)))
}

async fn activate_tags(args: &ActivateArgs, progress: &Progress) -> Result<Exit, Failure> {
    let clients = super::deploy::connect(&args.target).await?;
    let origin = launch::origin(&clients).await?;
    ask(&format!("activate cost allocation tags {} in account {}", KEYS.join(", "), origin.account), args.yes)?;
    let keys = KEYS.map(str::to_owned);
    let work = async {
        let refused = billing::activate_tags(&clients, &keys).await.into_result();
        refused.map_err(|e| {
            Failure::Refused(format!(
                "activate tags: {e}; only an account that pays for itself or its organisation can"
            ))
        })
    };
    let refused = unless_expired(&clients, "activate tags", |_| true, work).await?;
    progress.finish();
    if refused.is_empty() {
        super::print("active within 24 hours; usage before that is not attributed\n");
        return Ok(Exit::Ok);
    }
    let lines: Vec<_> = refused.iter().map(|(key, why)| format!("  {key}: {why}")).collect();
    Err(Failure::Refused(format!(
        "not activated:\n{}\na key appears in billing up to 24 hours after its first use; try again then",
        lines.join("\n")
    )))
}
