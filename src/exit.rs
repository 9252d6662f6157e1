//! Exit codes, and the failures that carry them. The only module that knows the numbers.

use yaml::Diagnostic;

/// How a command ended, apart from bugs (which panic).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Completed, cleanup proven, verdicts as predicted.
    Ok,
    /// Completed; a verdict differs from its prediction.
    Differs,
    /// Not proven either way.
    Indeterminate,
    /// Evidence does not verify.
    Unverified,
    /// Cleanup not proven; outranks 10 to 30.
    Unclean,
    /// Usage or invalid input.
    Usage,
    /// Internal error.
    Internal,
    /// Stopped where it can go on: expired credentials, a stuck stack. The message names the command.
    Paused,
    /// Interrupted by a signal.
    Interrupted,
}

impl Exit {
    /// The process's exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Differs => 10,
            Self::Indeterminate => 20,
            Self::Unverified => 30,
            Self::Unclean => 40,
            Self::Usage => 64,
            Self::Internal => 70,
            Self::Paused => 75,
            Self::Interrupted => 130,
        }
    }
}

/// A failure told to a person: what happened and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Places in an input file that are wrong.
    #[error("{}", render(.0))]
    Invalid(Vec<Diagnostic>),
    /// Wrong use of a command, or input that is not acceptable.
    #[error("{0}")]
    Usage(String),
    /// Refused before the first write.
    #[error("{0}")]
    Refused(String),
    /// A finding of the study or of the cloud ends the run before its trials are judged.
    #[error("{0}")]
    Stopped(String),
    /// Evidence does not verify.
    #[error("{0}")]
    Unverified(String),
    /// Can go on later; the text names the command.
    #[error("{0}")]
    Paused(String),
    /// Stopped by a signal.
    #[error("{0}")]
    Interrupted(String),
    /// A file, a process or the cloud did what it should not.
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// The exit that this failure means.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Invalid(_) | Self::Usage(_) | Self::Refused(_) => Exit::Usage,
            Self::Stopped(_) => Exit::Indeterminate,
            Self::Unverified(_) => Exit::Unverified,
            Self::Paused(_) => Exit::Paused,
            Self::Interrupted(_) => Exit::Interrupted,
            Self::Internal(_) => Exit::Internal,
        }
    }

    /// An I/O failure at a path.
    pub fn io(what: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Internal(format!("cannot {what} {}: {error}", path.display()))
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Invalid(vec![diagnostic])
    }
}

fn render(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(Diagnostic::render).collect::<Vec<_>>().join("\nerror: ")
}
