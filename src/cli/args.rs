//! What can be typed.

use crate::cost::Usd;
use crate::run::Neighbours;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The protocol that is meant when none is named.
const DEFAULT_PROTOCOL: &str = "protocols/study-1.yaml";

/// Infrastructure-as-code experiments on AWS CloudFormation: staged runs, sealed evidence, independent verdicts,
/// leak audits.
#[derive(Debug, Parser)]
#[command(name = "assay", version, max_term_width = 80, arg_required_else_help = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(super) struct Common {
    /// More log lines on stderr (-v debug, -vv trace)
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(super) verbose: u8,
    /// Only warnings and the result
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Form of the log lines on stderr
    #[arg(long, value_enum, default_value_t = LogFormat::Text, global = true)]
    pub(super) log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Resolve a protocol and print the plan; calls nothing
    #[command(
        after_help = "Examples:\n  assay plan\n  assay plan protocols/study-1.yaml --timing canonical --format json"
    )]
    Plan(PlanArgs),
    /// Run a study on the embedded local cloud, from deploy to audit
    #[command(after_help = "Examples:\n  assay rehearse\n  assay rehearse protocols/study-1.yaml --json")]
    Rehearse(RehearseArgs),
    /// Run a study on an account, or on another endpoint as a rehearsal
    #[command(
        after_help = "Examples:\n  assay run protocols/study-1.yaml --profile sandbox\n  assay run protocols/study-1.yaml --timing rehearsal --yes \\\n    --endpoint-url http://127.0.0.1:4566"
    )]
    Run(RunArgs),
    /// Take up a run that was killed, interrupted or paused
    #[command(after_help = "Example:\n  assay resume 20261130t200102-3fa9 --yes")]
    Resume(ResumeArgs),
    /// List runs with state, holder, age and the next command
    #[command(after_help = "Example:\n  assay list --json")]
    List(ListArgs),
    /// Show one run
    #[command(after_help = "Example:\n  assay show 20261130t200102-3fa9")]
    Show(ShowArgs),
    /// Run the local cloud on its own and print the environment for the aws CLI and SDKs
    #[command(after_help = "Example:\n  assay local --port 4566")]
    Local(LocalArgs),
    /// Check run folders, packages or published archives, byte by byte
    #[command(
        after_help = "Examples:\n  assay verify runs/20261130t200102-3fa9\n  assay verify study-1-evidence.tar.gz --expect-root HEX"
    )]
    Verify(VerifyArgs),
    /// Seal what a run will be, before it runs
    #[command(
        after_help = "Examples:\n  assay preregister protocols/study-1.yaml\n  assay preregister protocols/study-1.yaml --tsa-ca tsa.pem \\\n    --tsa http://tsa.example.org"
    )]
    Preregister(super::preregister::PreregisterArgs),
    /// Look for what is left of a run, or of everything that carries a tag
    #[command(
        after_help = "Examples:\n  assay audit --run 20261130t200102-3fa9\n  assay audit --tag assay:study=study-1 --prefix assay- \\\n    --region us-east-1 --region eu-west-1"
    )]
    Audit(super::leftovers::AuditArgs),
    /// Delete what a run created and wait until it is gone
    #[command(after_help = "Example:\n  assay teardown 20261130t200102-3fa9 --empty-buckets")]
    Teardown(super::leftovers::TeardownArgs),
    /// Write a redacted archive of a run that anybody can check
    #[command(after_help = "Example:\n  assay publish 20261130t200102-3fa9")]
    Publish(super::publish::PublishArgs),
    /// Judge sealed packages again from their bytes
    #[command(after_help = "Example:\n  assay rejudge 20261130t200102-3fa9")]
    Rejudge(super::publish::RejudgeArgs),
    /// Deploy any template as one cost-tagged stack, with live events
    #[command(
        after_help = "Example:\n  assay deploy queue.yaml --stack payments-queue \\\n    --tag CostCenter=payments --profile sandbox"
    )]
    Deploy(super::deploy::DeployArgs),
    /// Delete one stack and wait until it is gone
    #[command(after_help = "Example:\n  assay delete --stack payments-queue")]
    Delete(super::deploy::DeleteArgs),
    /// Prove that what a run deployed carries its cost tags
    #[command(after_help = "Example:\n  assay tags verify 20261130t200102-3fa9")]
    Tags(super::tags::TagsArgs),
    /// Ask billing what a run cost, or activate the cost allocation tags
    #[command(after_help = "Examples:\n  assay cost 20261130t200102-3fa9\n  assay cost activate-tags --profile payer")]
    Cost(super::cost::CostArgs),
    /// Build the function artifact for Lambda and check the binary
    #[command(after_help = "Example:\n  assay build --arch arm64")]
    Build(super::build::BuildArgs),
    /// Print the JSON Schema of protocols
    #[command(after_help = "Example:\n  assay schema > protocols/protocol.schema.json")]
    Schema,
    /// Report a run as HTML, Markdown, JSON or JUnit
    #[command(
        after_help = "Examples:\n  assay report 20261130t200102-3fa9 --open\n  assay report 20261130t200102-3fa9 --format md >> $GITHUB_STEP_SUMMARY"
    )]
    Report(super::report::ReportArgs),
    /// Start a study of your own from study 1
    #[command(after_help = "Example:\n  assay init my-study\n  cd my-study && assay plan protocols/my-study.yaml")]
    Init(super::init::InitArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  assay completions bash > \\\n    ~/.local/share/bash-completion/completions/assay"
    )]
    Completions(super::help::CompletionsArgs),
    /// Print the manual page
    #[command(after_help = "Examples:\n  assay man | man -l -\n  assay man --out ~/.local/share/man/man1")]
    Man(super::help::ManArgs),
}

/// Where runs are kept.
#[derive(Debug, Args)]
pub(super) struct Runs {
    /// Folder of the runs
    #[arg(long, default_value = "runs", env = "ASSAY_RUNS", value_name = "DIR")]
    pub(super) runs: PathBuf,
}

/// For programs.
#[derive(Debug, Args)]
pub(super) struct Output {
    /// JSON lines on stdout instead of text
    #[arg(long)]
    pub(super) json: bool,
}

/// Which part of a protocol.
#[derive(Debug, Args)]
pub(super) struct Selection {
    /// Protocol file
    #[arg(default_value = DEFAULT_PROTOCOL)]
    pub(super) protocol: PathBuf,
    /// Only this variant (repeatable); the comparison is then not eligible
    #[arg(long = "variant", value_name = "NAME")]
    pub(super) variants: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    pub(super) selection: Selection,
    /// Timing profile
    #[arg(long, default_value = "canonical", value_name = "PROFILE")]
    pub(super) timing: String,
    /// Form of the plan
    #[arg(long, value_enum, default_value_t = PlanFormat::Human)]
    pub(super) format: PlanFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PlanFormat {
    Human,
    Json,
}

#[derive(Debug, Args)]
pub(super) struct RehearseArgs {
    #[command(flatten)]
    pub(super) selection: Selection,
    /// Timing profile
    #[arg(long, default_value = "rehearsal", value_name = "PROFILE")]
    pub(super) timing: String,
    /// Fault script for the local cloud
    #[arg(long, value_name = "FILE")]
    pub(super) faults: Option<PathBuf>,
    /// Seed of the fault script's probabilities
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) registered: super::preregister::Registered,
    #[command(flatten)]
    pub(super) runs: Runs,
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Protocol file
    pub(super) protocol: PathBuf,
    /// Only this variant (repeatable); the comparison is then not eligible
    #[arg(long = "variant", value_name = "NAME")]
    pub(super) variants: Vec<String>,
    /// Timing profile
    #[arg(long, default_value = "canonical", value_name = "PROFILE")]
    pub(super) timing: String,
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// Do not ask before the first write
    #[arg(long)]
    pub(super) yes: bool,
    /// Stop, freeze and tear down once the run can have cost this much; below the protocol's ceiling
    #[arg(long, value_name = "USD", value_parser = super::run::usd)]
    pub(super) stop_at_usd: Option<Usd>,
    /// What a first Ctrl-C does with what is deployed
    #[arg(long, value_enum, default_value_t = OnInterrupt::Clean)]
    pub(super) on_interrupt: OnInterrupt,
    /// What to do if another run of the study has not ended in this account and region
    #[arg(long, value_enum, default_value_t = OtherRuns::Refuse)]
    pub(super) neighbours: OtherRuns,
    #[command(flatten)]
    pub(super) registered: super::preregister::Registered,
    #[command(flatten)]
    pub(super) runs: Runs,
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OnInterrupt {
    /// Freeze, tear down, audit
    Clean,
    /// Leave the stacks for a later resume or teardown
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OtherRuns {
    /// Do not start, and say who holds the place
    Refuse,
    /// Take over the lock of a run whose process is gone; a living one is still refused
    TakeOver,
    /// Lock nothing: several runs at once, on purpose
    Ignore,
}

impl From<OtherRuns> for Neighbours {
    fn from(asked: OtherRuns) -> Self {
        match asked {
            OtherRuns::Refuse => Self::Refuse,
            OtherRuns::TakeOver => Self::TakeOver,
            OtherRuns::Ignore => Self::Ignore,
        }
    }
}

/// Which account and region, as every AWS tool takes it.
#[derive(Debug, Args)]
pub(super) struct TargetArgs {
    /// Profile of the AWS configuration
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// Region
    #[arg(long, value_name = "REGION")]
    pub(super) region: Option<String>,
    /// Endpoint other than AWS's own; evidence is then a rehearsal for ever
    #[arg(long, value_name = "URL")]
    pub(super) endpoint_url: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// Run id or folder
    pub(super) run: String,
    /// Profile of the AWS configuration
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// Do not ask before the first write
    #[arg(long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) runs: Runs,
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    pub(super) runs: Runs,
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Run id or folder
    pub(super) run: String,
    #[command(flatten)]
    pub(super) runs: Runs,
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Debug, Args)]
pub(super) struct LocalArgs {
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub(super) port: u16,
    /// Fault script
    #[arg(long, value_name = "FILE")]
    pub(super) faults: Option<PathBuf>,
    /// Seed of the fault script's probabilities
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// Run folders, package folders or published archives
    #[arg(required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// The root that was published elsewhere; detects evidence that was tampered with and sealed again
    #[arg(long, value_name = "HEX")]
    pub(super) expect_root: Option<String>,
    /// Certificates (PEM) of the authority that stamped the registration, as known from elsewhere
    #[arg(long, value_name = "FILE")]
    pub(super) tsa_ca: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: Output,
}
