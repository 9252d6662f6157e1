//! `assay audit` and `assay teardown`: after a run, or for an account and a tag alone.

use super::args::{Output, Runs, TargetArgs};
use super::{Shutdown, print};
use crate::audit::{self, AllowRule, AuditLimits, AuditReport, AuditScope, Inventory};
use crate::cloud::{PageCap, Surroundings, Target};
use crate::exit::{Exit, Failure};
use crate::launch::{self, Reopen};
use crate::paused::unless_expired;
use crate::progress::Progress;
use crate::run::RunFolder;
use crate::stages::{self, Session};
use crate::teardown::{Options, TeardownReport};
use clap::Args;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to audit.
#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// Audit what is left of a run, against its sealed inventory
    #[arg(long, value_name = "RUN", conflicts_with_all = ["amend", "tag"])]
    run: Option<String>,
    /// The same, and seal the result as an amendment; what was sealed before stays as it is
    #[arg(long, value_name = "RUN", conflicts_with = "tag")]
    amend: Option<String>,
    /// Audit everything that carries this tag
    #[arg(long, value_name = "KEY=VALUE", required_unless_present_any = ["run", "amend"])]
    tag: Option<String>,
    /// Region to look in (repeatable); with --tag
    #[arg(long = "region", value_name = "REGION")]
    regions: Vec<String>,
    /// Names that begin like this are ours too; with --tag
    #[arg(long, value_name = "PREFIX", requires = "tag")]
    prefix: Option<String>,
    /// YAML list of what may stay: resource, owner, expires (a date or time)
    #[arg(long, value_name = "FILE")]
    allow: Option<PathBuf>,
    /// Seconds before the second reading; with --tag
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    settle: u64,
    /// Profile of the AWS configuration
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Endpoint other than AWS's own; with --tag
    #[arg(long, value_name = "URL")]
    endpoint_url: Option<String>,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    pub(super) output: Output,
}

/// What to tear down.
#[derive(Debug, Args)]
pub(super) struct TeardownArgs {
    /// Run id or folder
    run: String,
    /// Only tell what would be deleted and what would stay behind
    #[arg(long, conflicts_with_all = ["disable_protection", "empty_buckets", "force_failed"])]
    dry_run: bool,
    /// Switch termination protection off
    #[arg(long)]
    disable_protection: bool,
    /// Delete every version, marker and upload in the run's buckets
    #[arg(long)]
    empty_buckets: bool,
    /// After a second failure, leave exactly the failing resources behind; the audit keeps them as debts
    #[arg(long)]
    force_failed: bool,
    /// Profile of the AWS configuration
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    pub(super) output: Output,
}

/// Audits a run or a tag.
pub(super) async fn audit(args: AuditArgs, progress: Progress) -> Result<Exit, Failure> {
    let allow = args.allow.as_deref().map(rules).transpose()?.unwrap_or_default();
    let report = match (&args.run, &args.amend) {
        (None, None) => by_tag(&args, allow).await?,
        (Some(run), _) => {
            stages::audit_again(&open(run, &args.runs, args.profile.clone(), progress).await?, allow).await?
        }
        (None, Some(run)) => {
            let session = open(run, &args.runs, args.profile.clone(), progress).await?;
            let report = stages::audit_again(&session, allow).await?;
            stages::amend(&session, &report)?;
            super::report::refresh(&session.folder)?;
            report
        }
    };
    if args.output.json {
        line(&report)?;
    } else {
        print(&audit::render(&report));
    }
    Ok(if report.overall.is_proven() { Exit::Ok } else { Exit::Unclean })
}

async fn by_tag(args: &AuditArgs, allow: Vec<AllowRule>) -> Result<AuditReport, Failure> {
    let tag = args.tag.as_deref().unwrap_or_default();
    let (key, value) =
        tag.split_once('=').ok_or_else(|| Failure::Usage(format!("--tag takes KEY=VALUE, this is `{tag}`")))?;
    let target = TargetArgs {
        profile: args.profile.clone(),
        region: args.regions.first().cloned(),
        endpoint_url: args.endpoint_url.clone(),
    };
    let target = Target { profile: target.profile, region: target.region, endpoint_url: target.endpoint_url };
    // The regions on the command line are meant, whatever the environment says.
    let around = Surroundings {
        region: args.regions.first().cloned().or(Surroundings::from_env().region),
        ..Surroundings::from_env()
    };
    let clients = launch::connect(&target, &around).await?;
    let origin = launch::origin(&clients).await?;
    let regions = if args.regions.is_empty() { vec![origin.region] } else { args.regions.clone() };
    let inventory = Inventory { region: regions.first().cloned().unwrap_or_default(), ..Inventory::default() };
    let scope = AuditScope {
        account: origin.account,
        regions,
        tag: Some((key.to_owned(), value.to_owned())),
        prefix: args.prefix.clone(),
        inventory,
        allow,
        run: None,
    };
    let limits =
        AuditLimits { cap: PageCap::default(), settle: Duration::from_secs(args.settle), ..AuditLimits::default() };
    let shutdown = Shutdown::listen("assay audit can simply be run again".to_owned())?;
    let token = shutdown.token();
    let work = async { Ok(audit::audit(&scope, &clients, limits, &token).await) };
    unless_expired(&clients, "audit", |report| report.overall.is_proven(), work).await
}

/// Settles what a run created.
pub(super) async fn teardown(args: TeardownArgs, progress: Progress) -> Result<Exit, Failure> {
    let session = open(&args.run, &args.runs, args.profile.clone(), progress).await?;
    if args.dry_run {
        let foresight = stages::foresee(&session).await?;
        session.progress.finish();
        if args.output.json {
            line(&foresight)?;
        } else {
            print(&foresight.to_string());
        }
        return Ok(Exit::Ok);
    }
    let options = Options {
        disable_protection: args.disable_protection,
        empty_buckets: args.empty_buckets,
        retain_failed: args.force_failed,
    };
    let report = stages::tear_down_again(&session, options).await?;
    session.progress.finish();
    if args.output.json {
        line(&report)?;
    } else {
        print(&told(&report, &args.run));
    }
    Ok(if report.is_complete() { Exit::Ok } else { Exit::Unclean })
}

/// One line of JSON, written as it is made: an account's report may be large.
fn line(report: &impl serde::Serialize) -> Result<(), Failure> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    serde_json::to_writer(&mut out, report).map_err(|e| Failure::Internal(e.to_string()))?;
    // Who reads no further wants no more.
    let _ = out.write_all(b"\n").and_then(|()| out.flush());
    Ok(())
}

fn told(report: &TeardownReport, run: &str) -> String {
    let mut out: String = report.stacks.iter().map(|s| format!("{}  {}\n", s.name, s.result)).collect();
    for stack in &report.stacks {
        for resource in stack.failing.iter().chain(&stack.retained) {
            let reason = resource.reason.as_deref().unwrap_or("no reason given");
            out += &format!("  {} ({}) {}: {reason}\n", resource.logical_id, resource.resource_type, resource.status);
        }
    }
    for problem in &report.problems {
        out += &format!("{}: {}\n", problem.subject, problem.reason);
        if let Some(next) = &problem.next {
            out += &format!("  → {next}\n");
        }
    }
    out + &format!("{}; next: assay audit --run {run}\n", stages::teardown_summary(report))
}

async fn open(run: &str, runs: &Runs, profile: Option<String>, progress: Progress) -> Result<Session, Failure> {
    let folder = RunFolder::open(&runs.runs, run)?;
    let shutdown = Shutdown::listen(format!("assay teardown {run}"))?;
    let reopen = Reopen { folder, profile, progress, cancel: shutdown.token(), settling: true };
    launch::reopen(reopen).await
}

/// Rules as a person writes them.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    resource: String,
    owner: String,
    expires: String,
}

fn rules(path: &Path) -> Result<Vec<AllowRule>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Usage(format!("cannot read allow rules {}: {e}", path.display())))?;
    let document =
        yaml::Document::parse(&path.display().to_string(), &text, yaml::Dialect::Plain, yaml::Limits::default())?;
    let written: Vec<WrittenRule> = document.deserialize()?;
    let rule = |(i, rule): (usize, WrittenRule)| -> Result<AllowRule, Failure> {
        let wrong = || {
            document.at(
                &format!("/{i}/expires"),
                "a rule ends at a date like 2027-01-31 or a time like 2027-01-31T12:00:00Z",
            )
        };
        let expires_at_ms = moment(&rule.expires).ok_or_else(wrong)?;
        Ok(AllowRule { resource: rule.resource, owner: rule.owner, expires_at_ms })
    };
    written.into_iter().enumerate().map(rule).collect()
}

/// A date means its first moment, UTC.
fn moment(text: &str) -> Option<i64> {
    let time = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    time.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn rules_end_at_a_date_or_a_time() {
        assert_eq!(moment("1970-01-02"), Some(86_400_000));
        assert_eq!(moment("1970-01-01T00:00:01Z"), Some(1_000));
        assert_eq!(moment("next week"), None);
    }
}
