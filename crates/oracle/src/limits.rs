//! How much the oracle reads before it gives up; giving up is `indeterminate` with the cause, never a crash.

/// Budget of one judgement.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest `stage.json`, bytes.
    pub stage_bytes: u64,
    /// Largest `trials/<id>.json`, bytes.
    pub trial_bytes: u64,
    /// Most trials in one package.
    pub trials: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stage_bytes: 64 << 20, trial_bytes: 16 << 20, trials: 1_000_000 }
    }
}
