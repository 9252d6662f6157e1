//! `assay tags verify`: of a run, or of one stack on its own.

use super::args::{Output, Runs, TargetArgs};
use super::deploy::tell;
use crate::cloud::{Clients, PageCap, Surroundings, Target};
use crate::exit::{Exit, Failure};
use crate::launch;
use crate::paused::unless_expired;
use crate::plan::Plan;
use crate::plan::names::Filling;
use crate::progress::Progress;
use crate::run::{Created, RunFolder};
use crate::tags::{self, TagProof};
use clap::{Args, Subcommand};
use evidence::package::Sealed;
use evidence::stage::{Origin, StageRecord};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Arguments of `assay tags`.
#[derive(Debug, Args)]
pub(super) struct TagsArgs {
    #[command(subcommand)]
    command: TagsCommand,
}

#[derive(Debug, Subcommand)]
enum TagsCommand {
    /// Read the tags of everything that a run deployed and compare them with its plan
    #[command(after_help = "Example:\n  assay tags verify 20261130t200102-3fa9 --profile sandbox")]
    Verify(VerifyTags),
}

#[derive(Debug, Args)]
struct VerifyTags {
    /// Run id or folder
    #[arg(required_unless_present = "stack", conflicts_with_all = ["region", "endpoint_url"])]
    run: Option<String>,
    /// A stack on its own, by name or id: its own tags are what every resource must carry
    #[arg(long, value_name = "NAME", conflicts_with = "run")]
    stack: Option<String>,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    output: Output,
}

impl TagsArgs {
    /// Whether stdout belongs to a program.
    pub(super) fn json(&self) -> bool {
        let TagsCommand::Verify(args) = &self.command;
        args.output.json
    }
}

#[derive(Deserialize)]
struct Inventory {
    created: Vec<Created>,
}

/// Asks each resource's service for its tags.
pub(super) async fn tags(args: TagsArgs, progress: Progress) -> Result<Exit, Failure> {
    let TagsCommand::Verify(args) = args.command;
    let proof = match (&args.run, &args.stack) {
        (Some(run), _) => of_run(&args, run).await?,
        (None, Some(stack)) => {
            let clients = super::deploy::connect(&args.target).await?;
            let work = async {
                let proof = tags::prove_stack(&clients, stack, PageCap::default()).await.into_result();
                proof.map_err(|e| Failure::Stopped(format!("read stack {stack}: {e}")))
            };
            unless_expired(&clients, "read tags", is_whole, work).await?
        }
        (None, None) => return Err(Failure::Usage("name a run, or a stack with --stack".to_owned())),
    };
    progress.finish();
    tell(&proof, &progress)?;
    Ok(proof.exit())
}

/// Everything in a run's sealed inventory.
async fn of_run(args: &VerifyTags, run: &str) -> Result<TagProof, Failure> {
    let folder = RunFolder::open(&args.runs.runs, run)?;
    let deploy = sealed(&folder, "deploy")?;
    let inventory: Inventory = read(&deploy, "inventory.json")?;
    let stage: StageRecord = read(&deploy, "stage.json")?;
    let plan: Plan = read(&sealed(&folder, "preflight")?, "plan.json")?;
    let filling = filling(&folder)?;
    let clients = connect(&stage.origin, args.target.profile.clone()).await?;
    let expected = tags::expected(&plan, &filling);
    let work =
        async { Ok(tags::prove(&clients, folder.id(), &inventory.created, &expected, PageCap::default()).await) };
    unless_expired(&clients, "read tags", is_whole, work).await
}

/// Whether every resource's tags were read and are as planned.
fn is_whole(proof: &TagProof) -> bool {
    proof.exit() == Exit::Ok
}

fn sealed(folder: &RunFolder, name: &str) -> Result<Sealed, Failure> {
    let path = folder.packages().join(name);
    if !path.is_dir() {
        return Err(Failure::Usage(format!(
            "run {} has no sealed package `{name}`; it did not get that far",
            folder.id()
        )));
    }
    Sealed::open(&path).map_err(|e| Failure::Unverified(e.to_string()))
}

fn read<T: DeserializeOwned>(package: &Sealed, path: &str) -> Result<T, Failure> {
    let broken = |e: String| Failure::Unverified(format!("{}/{path}: {e}", package.path().display()));
    let bytes = package.read(path).map_err(|e| broken(e.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|e| broken(e.to_string()))
}

fn filling(folder: &RunFolder) -> Result<Filling, Failure> {
    let path = folder.path().join("inputs/filling.json");
    let bytes = std::fs::read(&path).map_err(|e| Failure::io("read", &path, &e))?;
    serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))
}

/// Connects to where a run belongs; another account is refused.
pub(super) async fn connect(origin: &Origin, profile: Option<String>) -> Result<Clients, Failure> {
    let target = Target { profile, region: Some(origin.region.clone()), endpoint_url: origin.endpoint.clone() };
    let around = Surroundings { endpoint_url: None, ..Surroundings::from_env() };
    let clients = launch::connect(&target, &around).await?;
    let found = launch::origin(&clients).await?;
    if found == *origin {
        return Ok(clients);
    }
    Err(Failure::Refused(format!(
        "the run belongs to account {} in {}, the current credentials lead to {} in {}; choose another --profile",
        origin.account, origin.region, found.account, found.region
    )))
}
