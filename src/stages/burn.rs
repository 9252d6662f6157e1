//! The cost of a run while it runs, and the end of it at the ceiling.

use super::session::Session;
use crate::cost::{self, Prices, Usd, Used};
use crate::exit::Failure;
use crate::plan::names;
use crate::run::now_ms;

impl Session {
    /// The most that the run can have cost by now.
    pub(super) fn burn(&self) -> Result<Usd, Failure> {
        let prices = Prices::bundled()?;
        let elapsed_ms = names::started_at_ms(self.folder.id()).map_or(0, |at_ms| now_ms() - at_ms);
        let acts = self.log.state().acts;
        let started = acts.keys().filter_map(|key| key.strip_prefix("dispatch/")).map(str::to_owned).collect();
        let elapsed_s = u64::try_from(elapsed_ms / 1000).unwrap_or_default();
        let used = Used { calls: self.clients.calls(), started, elapsed_s };
        cost::burn(&self.plan, &prices, &used)
            .ok_or_else(|| Failure::Internal("the price table lacks a price".to_owned()))
    }

    /// Fails if the run can have cost as much as it may: no further trial, but freeze, teardown and audit.
    pub(super) fn check_cost(&self) -> Result<(), Failure> {
        let ceiling = Usd::parse(&self.plan.cost_ceiling_usd);
        let ceiling = [ceiling, self.stop_at].into_iter().flatten().min().unwrap_or_default();
        let burn = self.burn()?;
        if burn < ceiling {
            return Ok(());
        }
        Err(Failure::Stopped(format!(
            "the run can have cost up to USD {burn} by now (list prices, counted calls), its ceiling is USD {ceiling}; nothing further is started"
        )))
    }
}
