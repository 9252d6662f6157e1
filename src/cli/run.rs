//! `assay rehearse`, `assay run` and `assay resume`.

use super::args::{OnInterrupt, RehearseArgs, ResumeArgs, RunArgs};
use super::{Shutdown, print};
use crate::artifact::Architecture;
use crate::cloud::{Clients, Surroundings, Target, identity};
use crate::cost::{self, Estimate, Prices, Usd};
use crate::exit::{Exit, Failure};
use crate::launch::{self, Host, Reopen, Start, Tools};
use crate::plan::{self, Options, Plan};
use crate::progress::{Notice, Progress};
use crate::protocol::{self, Loaded};
use crate::report;
use crate::run::{Neighbours, RunFolder};
use crate::stages::{self, Conclusion, Session};
use std::collections::BTreeSet;
use std::path::Path;

/// The region of a rehearsal whose protocol names none.
const REHEARSAL_REGION: &str = "us-east-1";

/// Runs a study on the embedded local cloud.
pub(super) async fn rehearse(args: &RehearseArgs, progress: Progress) -> Result<Exit, Failure> {
    let (loaded, plan, built) =
        prepare(&args.selection.protocol, &args.timing, &args.selection.variants, Host::Here, &progress).await?;
    let cloud = super::local::start(0, args.faults.as_deref(), args.seed).await?;
    let region = plan.region.clone().unwrap_or_else(|| REHEARSAL_REGION.to_owned());
    let target = Target { profile: None, region: Some(region), endpoint_url: Some(cloud.endpoint()) };
    let clients = launch::connect(&target, &Surroundings::default()).await?;
    let shutdown = Shutdown::listen("assay rehearse (the embedded cloud ends with this process)".to_owned())?;
    let registration = args.registered.check(&plan, &built.oracle)?;
    let start = Start {
        registration,
        loaded,
        plan,
        artifact: built.zip,
        oracle: built.oracle,
        clients,
        runs: args.runs.runs.clone(),
        progress,
        cancel: shutdown.token(),
        keep_on_interrupt: false,
        // The embedded cloud is this run's alone.
        neighbours: Neighbours::Ignore,
        stop_at: None,
    };
    let result = run_session(launch::start(start).await).await;
    cloud.shutdown().await;
    result
}

/// Runs a study on an account or a foreign endpoint.
pub(super) async fn run(args: &RunArgs, progress: Progress) -> Result<Exit, Failure> {
    let region = protocol::load(&args.protocol)?.protocol.target.region;
    let target = Target {
        profile: args.target.profile.clone(),
        region: args.target.region.clone().or(region),
        endpoint_url: args.target.endpoint_url.clone(),
    };
    let clients = launch::connect(&target, &Surroundings::from_env()).await?;
    let (loaded, plan, built) =
        prepare(&args.protocol, &args.timing, &args.variants, host(&clients), &progress).await?;
    confirm(&clients, &plan, args.yes).await?;
    let shutdown = Shutdown::listen(format!("assay list --runs {}", args.runs.runs.display()))?;
    let registration = args.registered.check(&plan, &built.oracle)?;
    let start = Start {
        registration,
        loaded,
        plan,
        artifact: built.zip,
        oracle: built.oracle,
        clients,
        runs: args.runs.runs.clone(),
        progress,
        cancel: shutdown.token(),
        keep_on_interrupt: args.on_interrupt == OnInterrupt::Keep,
        neighbours: args.neighbours.into(),
        stop_at: args.stop_at_usd,
    };
    let session = launch::start(start).await?;
    shutdown.recover_with(session.recovery());
    run_session(Ok(session)).await
}

/// A local cloud runs the functions on this machine, everything else on Lambda.
fn host(clients: &Clients) -> Host {
    if clients.endpoint().is_loopback() { Host::Here } else { Host::Lambda(Architecture::X86_64) }
}

/// Takes a run up again.
pub(super) async fn resume(args: &ResumeArgs, progress: Progress) -> Result<Exit, Failure> {
    let folder = RunFolder::open(&args.runs.runs, &args.run)?;
    let shutdown = Shutdown::listen(folder.recovery())?;
    let reopen = Reopen { folder, profile: args.profile.clone(), progress, cancel: shutdown.token(), settling: false };
    let session = launch::reopen(reopen).await?;
    confirm(&session.clients, &session.plan, args.yes).await?;
    run_session(Ok(session)).await
}

async fn prepare(
    protocol: &Path,
    timing: &str,
    variants: &[String],
    host: Host,
    progress: &Progress,
) -> Result<(Loaded, Plan, Tools), Failure> {
    let loaded = protocol::load(protocol)?;
    let mut options = Options { profile: timing.to_owned(), only_variants: variants.to_vec(), artifact: None };
    plan::resolve(&loaded, &options)?;
    let built = launch::build(host, progress).await?;
    options.artifact = Some(built.artifact.clone());
    let plan = plan::resolve(&loaded, &options)?;
    Ok((loaded, plan, built))
}

async fn run_session(session: Result<Session, Failure>) -> Result<Exit, Failure> {
    let session = session?;
    announce(&session)?;
    let result = stages::drive(&session).await;
    session.progress.finish();
    let conclusion = result.map_err(|failure| recoverable(&session, failure))?;
    conclude(&session, &conclusion);
    Ok(conclusion.exit)
}

/// An error of this machine leaves the run where it is; what is deployed goes on until the run is taken up again.
fn recoverable(session: &Session, failure: Failure) -> Failure {
    match failure {
        Failure::Internal(text) => {
            Failure::Internal(format!("{text}\nwhen that is mended, continue with: {}", session.recovery()))
        }
        other => other,
    }
}

fn announce(session: &Session) -> Result<(), Failure> {
    let head = session.head()?;
    let sealed = |stage: &str| session.log.state().package(stage).is_some();
    let stages = ["preflight", "deploy", "probe"].map(str::to_owned).into_iter();
    let validations = session.plan.variants.iter().map(|v| format!("validate-{}", v.slug));
    let after = ["canonical", "teardown", "audit"].map(str::to_owned);
    session.progress.tell(&Notice::Run {
        run: head.run,
        folder: session.folder.path().display().to_string(),
        account: head.origin.account,
        region: head.origin.region,
        grade: format!("{:?}", head.grade).to_lowercase(),
        floor_ms: session.plan.floor_ms,
        stages: stages.chain(validations).chain(after).collect(),
        trials: session.plan.trials.len(),
        trials_done: session.plan.trials.iter().filter(|trial| sealed(&trial.stage)).count(),
    });
    Ok(())
}

fn conclude(session: &Session, conclusion: &Conclusion) {
    // A report that cannot be written takes nothing from the run: its evidence is sealed.
    if let Err(failure) = super::report::write_html(&session.folder) {
        session.progress.warn(format!("no report.html: {failure}"));
    }
    if session.progress.is_json() {
        print(&format!("{}\n", serde_json::to_string(&conclusion.results).unwrap_or_default()));
        return;
    }
    let columns = crate::text::stdout_columns();
    print(&report::conclusion(&conclusion.results, session.folder.path(), conclusion.exit, columns));
}

/// Says where the run goes and what it can cost, and asks once. Above the ceiling nothing is asked.
async fn confirm(clients: &Clients, plan: &Plan, yes: bool) -> Result<(), Failure> {
    let origin = launch::origin(clients).await?;
    let grade = format!("{:?}", launch::grade(clients.endpoint())).to_lowercase();
    let alias = match identity::alias(clients).await.into_result() {
        Ok(Some(alias)) => format!("alias {alias}"),
        Ok(None) => "no alias".to_owned(),
        Err(_) => "alias not known".to_owned(),
    };
    let estimate = cost::estimate(plan, &Prices::bundled()?);
    if let Some(why) = estimate.as_ref().and_then(Estimate::over) {
        return Err(Failure::Refused(why));
    }
    let cost = estimate
        .map_or_else(|| "no estimate".to_owned(), |e| format!("estimate USD {} at most ({})", e.total_usd, e.basis));
    let capabilities: BTreeSet<_> =
        plan.stacks.iter().flat_map(|s| s.capabilities.iter().map(String::as_str)).collect();
    let capabilities = capabilities.into_iter().collect::<Vec<_>>().join(", ");
    let what = format!(
        "{} ({}) on account {} ({alias}) in {}, evidence grade {grade}\n  at least {} s; {cost}, ceiling USD {}\n  acknowledging {}",
        plan.study,
        plan.profile,
        origin.account,
        origin.region,
        plan.floor_ms.div_ceil(1000),
        plan.cost_ceiling_usd,
        if capabilities.is_empty() { "no capability" } else { &capabilities },
    );
    super::deploy::ask(&what, yes)
}

/// An amount on the command line.
pub(super) fn usd(text: &str) -> Result<Usd, String> {
    Usd::parse(text).ok_or_else(|| format!("`{text}` is no amount; write dollars like 0.50"))
}
