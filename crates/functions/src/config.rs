//! Settings from environment variables: read once at the start of an environment, with clear refusals.

use evidence::record::Promise;
use std::time::Duration;

/// A setting is missing or has no usable value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not set, or empty.
    #[error("environment variable {0} is not set; the template that deploys this function sets it")]
    Missing(&'static str),
    /// Set to something else than a whole number in range.
    #[error("environment variable {name} must be a whole number from {least} up, not `{value}`")]
    NotANumber {
        /// Variable.
        name: &'static str,
        /// Least value allowed.
        least: u32,
        /// Value found.
        value: String,
    },
    /// Set to a word that means nothing here.
    #[error("environment variable {name} must be {allowed}, not `{value}`")]
    NotAllowed {
        /// Variable.
        name: &'static str,
        /// Values allowed.
        allowed: &'static str,
        /// Value found.
        value: String,
    },
}

/// Where variables come from: the process's environment, or a map in tests.
pub struct Env<'a>(&'a dyn Fn(&str) -> Option<String>);

impl<'a> Env<'a> {
    /// Reads variables through `lookup`.
    pub fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self(lookup)
    }

    /// The value of a variable that must be there.
    ///
    /// # Errors
    /// [`ConfigError::Missing`].
    pub fn text(&self, name: &'static str) -> Result<String, ConfigError> {
        self.optional(name).ok_or(ConfigError::Missing(name))
    }

    /// The value of a variable; an empty one counts as absent.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    /// A whole number of at least `least`.
    ///
    /// # Errors
    /// [`ConfigError::Missing`] or [`ConfigError::NotANumber`].
    pub fn number(&self, name: &'static str, least: u32) -> Result<u32, ConfigError> {
        let value = self.text(name)?;
        let number = value.parse::<u32>().ok().filter(|n| *n >= least);
        number.ok_or(ConfigError::NotANumber { name, least, value })
    }
}

/// Settings that both callers share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerConfig {
    /// Table of the caller's records.
    pub journal_table: String,
    /// Name or ARN of the provider function.
    pub provider_function: String,
    /// Application deadline of a provider call, milliseconds.
    pub deadline_ms: u32,
    /// Deliveries before the dead-letter queue; the last one may finish as `FAILED`.
    pub max_receive_count: u32,
}

impl CallerConfig {
    /// Reads `CALLER_JOURNAL_TABLE`, `PROVIDER_FUNCTION`, `DEADLINE_MS` and `MAX_RECEIVE_COUNT`.
    ///
    /// # Errors
    /// The first variable that is missing or unusable.
    pub fn read(env: &Env<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            journal_table: env.text("CALLER_JOURNAL_TABLE")?,
            provider_function: env.text("PROVIDER_FUNCTION")?,
            deadline_ms: env.number("DEADLINE_MS", 1)?,
            max_receive_count: env.number("MAX_RECEIVE_COUNT", 1)?,
        })
    }

    /// The application deadline.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(u64::from(self.deadline_ms))
    }
}

/// The durable step's explicit retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRetry {
    /// Attempts in one execution, the first included.
    pub attempts: u32,
    /// Between attempts, seconds (the service's unit; at least 1).
    pub delay_s: u32,
}

impl StepRetry {
    /// Reads `RETRY_ATTEMPTS` and `RETRY_DELAY_S`.
    ///
    /// # Errors
    /// The first variable that is missing or unusable.
    pub fn read(env: &Env<'_>) -> Result<Self, ConfigError> {
        Ok(Self { attempts: env.number("RETRY_ATTEMPTS", 1)?, delay_s: env.number("RETRY_DELAY_S", 1)? })
    }
}

/// Settings of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderConfig {
    /// Table of the transactions.
    pub ledger_table: String,
    /// Table of the provider's records.
    pub journal_table: String,
    /// Table in which the controller writes the release.
    pub controller_journal_table: String,
    /// Longest hold behind the barrier, milliseconds.
    pub hold_limit_ms: u32,
    /// Between two looks at the barrier, milliseconds.
    pub hold_poll_ms: u32,
    /// What is promised about repeated calls.
    pub promise: Promise,
    /// Test treatment, off in every template: see [`CrashTreatment`].
    pub crash: Option<CrashTreatment>,
}

/// `CRASH_AFTER_COMMIT=first`: on a trial's first call the provider's process ends between the effect and the
/// answer. It exists to show that the oracle finds a double effect that no timeout announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashTreatment {
    /// Only delivery 1, attempt 1.
    First,
}

impl ProviderConfig {
    /// Reads `LEDGER_TABLE`, `PROVIDER_JOURNAL_TABLE`, `CONTROLLER_JOURNAL_TABLE`, `HOLD_LIMIT_MS`, `HOLD_POLL_MS`
    /// and, if set, `PROVIDER_PROMISE` and `CRASH_AFTER_COMMIT`.
    ///
    /// # Errors
    /// The first variable that is missing or unusable.
    pub fn read(env: &Env<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            ledger_table: env.text("LEDGER_TABLE")?,
            journal_table: env.text("PROVIDER_JOURNAL_TABLE")?,
            controller_journal_table: env.text("CONTROLLER_JOURNAL_TABLE")?,
            hold_limit_ms: env.number("HOLD_LIMIT_MS", 1)?,
            hold_poll_ms: env.number("HOLD_POLL_MS", 1)?,
            promise: promise(env)?,
            crash: crash(env)?,
        })
    }
}

fn promise(env: &Env<'_>) -> Result<Promise, ConfigError> {
    let name = "PROVIDER_PROMISE";
    match env.optional(name).as_deref() {
        None | Some("nothing") => Ok(Promise::Nothing),
        Some("idempotent") => Ok(Promise::Idempotent),
        Some(value) => {
            Err(ConfigError::NotAllowed { name, allowed: "`nothing` or `idempotent`", value: value.to_owned() })
        }
    }
}

fn crash(env: &Env<'_>) -> Result<Option<CrashTreatment>, ConfigError> {
    let name = "CRASH_AFTER_COMMIT";
    match env.optional(name) {
        None => Ok(None),
        Some(value) if value == "first" => Ok(Some(CrashTreatment::First)),
        Some(value) => Err(ConfigError::NotAllowed { name, allowed: "absent or `first`", value }),
    }
}

/// Settings of the controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerConfig {
    /// Table of the controller's records.
    pub journal_table: String,
    /// Table of the provider's records, read for the commit.
    pub provider_journal_table: String,
    /// Largest clock difference that may be explained away, milliseconds.
    pub clock_tolerance_ms: u32,
}

impl ControllerConfig {
    /// Reads `CONTROLLER_JOURNAL_TABLE`, `PROVIDER_JOURNAL_TABLE` and `CLOCK_TOLERANCE_MS`.
    ///
    /// # Errors
    /// The first variable that is missing or unusable.
    pub fn read(env: &Env<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            journal_table: env.text("CONTROLLER_JOURNAL_TABLE")?,
            provider_journal_table: env.text("PROVIDER_JOURNAL_TABLE")?,
            clock_tolerance_ms: env.number("CLOCK_TOLERANCE_MS", 0)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(vars: &[(&str, &str)], read: impl FnOnce(&Env<'_>) -> T) -> T {
        let lookup = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        read(&Env::new(&lookup))
    }

    const PROVIDER: [(&str, &str); 5] = [
        ("LEDGER_TABLE", "l"),
        ("PROVIDER_JOURNAL_TABLE", "p"),
        ("CONTROLLER_JOURNAL_TABLE", "c"),
        ("HOLD_LIMIT_MS", "9000"),
        ("HOLD_POLL_MS", "50"),
    ];

    #[test]
    fn a_missing_or_empty_variable_is_named() {
        let error = with(&[("CALLER_JOURNAL_TABLE", "")], CallerConfig::read).unwrap_err();
        assert_eq!(error, ConfigError::Missing("CALLER_JOURNAL_TABLE"));
        assert!(error.to_string().contains("CALLER_JOURNAL_TABLE"));
    }

    #[test]
    fn a_number_out_of_range_is_shown() {
        for value in ["0", "-1", "1.5", "many"] {
            let error = with(&[("RETRY_ATTEMPTS", value), ("RETRY_DELAY_S", "1")], StepRetry::read).unwrap_err();
            assert!(error.to_string().contains(value), "{error}");
        }
    }

    #[test]
    fn the_provider_promises_nothing_unless_told_to() {
        assert_eq!(with(&PROVIDER, ProviderConfig::read).unwrap().promise, Promise::Nothing);
        let mut vars = PROVIDER.to_vec();
        vars.push(("PROVIDER_PROMISE", "idempotent"));
        assert_eq!(with(&vars, ProviderConfig::read).unwrap().promise, Promise::Idempotent);
        vars[5].1 = "Idempotent";
        let error = with(&vars, ProviderConfig::read).unwrap_err().to_string();
        assert!(error.contains("PROVIDER_PROMISE must be `nothing` or `idempotent`, not `Idempotent`"), "{error}");
    }

    #[test]
    fn the_crash_treatment_is_off_unless_asked_for_in_its_own_word() {
        assert_eq!(with(&PROVIDER, ProviderConfig::read).unwrap().crash, None);
        let mut vars = PROVIDER.to_vec();
        vars.push(("CRASH_AFTER_COMMIT", "first"));
        assert_eq!(with(&vars, ProviderConfig::read).unwrap().crash, Some(CrashTreatment::First));
        vars[5].1 = "always";
        assert!(matches!(with(&vars, ProviderConfig::read), Err(ConfigError::NotAllowed { .. })));
    }
}
