//! What a command tells while it works: one vocabulary for terminal, plain lines and `--json`.

use evidence::verdict::Verdict;
use serde::Serialize;

/// Schema name of the `--json` stream; every line carries it with the notice.
pub const SCHEMA: &str = "assay.events/1";

/// One thing that happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Notice {
    /// A run begins, or is taken up again.
    Run {
        /// Run id.
        run: String,
        /// Its folder.
        folder: String,
        /// Account.
        account: String,
        /// Region.
        region: String,
        /// `rehearsal` or `canonical`.
        grade: String,
        /// Shortest possible duration, milliseconds.
        floor_ms: u64,
        /// Stages in their order.
        stages: Vec<String>,
        /// Trials in all stages.
        trials: usize,
        /// Trials that were sealed before.
        trials_done: usize,
    },
    /// A stage begins.
    StageStarted {
        /// Stage.
        stage: String,
    },
    /// A stage is over.
    StageEnded {
        /// Stage.
        stage: String,
        /// `completed`, `failed`, `interrupted`.
        outcome: String,
        /// Why, or empty.
        detail: String,
        /// Duration, milliseconds.
        ms: i64,
    },
    /// A stack event from CloudFormation.
    Stack {
        /// Component.
        component: String,
        /// Logical id.
        resource: String,
        /// Resource status.
        status: String,
        /// Reason, or empty.
        reason: String,
    },
    /// A trial moves on.
    Trial {
        /// Trial id.
        trial: String,
        /// `sent`, `running`, `at rest`, `observed`, …
        phase: String,
    },
    /// A known wait.
    Waiting {
        /// What for.
        what: String,
        /// Milliseconds.
        ms: u64,
    },
    /// A package was sealed.
    Sealed {
        /// Package.
        package: String,
        /// SHA-256 of its index.
        identity: String,
    },
    /// The oracle judged a trial.
    Judged {
        /// Trial id.
        trial: String,
        /// Verdict.
        verdict: Verdict,
        /// Whether the trial was valid.
        valid: bool,
    },
    /// Something worth a line.
    Note {
        /// The line.
        text: String,
    },
    /// Something worth attention.
    Warning {
        /// The line.
        text: String,
    },
}

impl Notice {
    /// A note.
    pub fn note(text: impl Into<String>) -> Self {
        Self::Note { text: text.into() }
    }

    /// A warning.
    pub fn warning(text: impl Into<String>) -> Self {
        Self::Warning { text: text.into() }
    }

    /// The notice for people, as one line or a few.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Run { run, folder, account, region, grade, floor_ms, .. } => {
                let seconds = floor_ms.div_ceil(1000);
                format!("run {run} ({grade}) on {account} in {region}\n  at least {seconds} s; evidence in {folder}")
            }
            Self::StageStarted { stage } => format!("{stage} …"),
            Self::StageEnded { stage, outcome, detail, ms } => {
                let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
                format!("{stage} {outcome} after {}.{} s{detail}", ms / 1000, ms % 1000 / 100)
            }
            Self::Stack { component, resource, status, reason } => {
                let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
                format!("  {component:<13} {status:<20} {resource}{reason}")
            }
            Self::Trial { trial, phase } => format!("  {trial}: {phase}"),
            Self::Waiting { what, ms } => format!("  waiting for {what}, {} s", ms.div_ceil(1000)),
            Self::Sealed { package, identity } => {
                format!("  sealed {package} {}", identity.get(..16).unwrap_or(identity))
            }
            Self::Judged { trial, verdict, valid } => {
                format!("  {trial}: {verdict:?}{}", if *valid { "" } else { " (trial not valid)" }).to_lowercase()
            }
            Self::Note { text } => text.clone(),
            Self::Warning { text } => format!("warning: {text}"),
        }
    }
}
