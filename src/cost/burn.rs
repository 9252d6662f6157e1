//! What a run may have cost so far: counted calls of the harness, the most that its started trials can use, and the
//! pollers since its start. Pure.

use super::estimate::quantities;
use super::money::Usd;
use super::prices::Prices;
use crate::cloud::Lane;
use crate::plan::Plan;
use std::collections::BTreeMap;

/// What was used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Calls of this process by API.
    pub calls: BTreeMap<Lane, u64>,
    /// Ids of the trials that were started, also by an earlier process.
    pub started: Vec<String>,
    /// Since the run's start, seconds.
    pub elapsed_s: u64,
}

/// The most that this can have cost, at list prices; `None` if the table lacks a price.
#[must_use]
pub fn burn(plan: &Plan, prices: &Prices, used: &Used) -> Option<Usd> {
    let started: Vec<_> = plan.trials.iter().filter(|t| used.started.contains(&t.id)).collect();
    let mut quantities = quantities(plan, &started, used.elapsed_s);
    let calls = |lane| used.calls.get(&lane).copied().unwrap_or_default();
    quantities.extend([
        ("sqs_fifo_request", calls(Lane::Sqs)),
        ("dynamodb_read", calls(Lane::DynamoDbData)),
        ("s3_put", calls(Lane::S3)),
        ("cost_explorer_request", calls(Lane::CostExplorer)),
    ]);
    quantities.into_iter().map(|(key, quantity)| prices.cost(key, quantity).map(|(_, usd)| usd)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Options, resolve};

    #[test]
    fn calls_trials_and_time_each_cost() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/study-1.yaml");
        let loaded = crate::protocol::load(&path).expect("the study");
        let options = Options { profile: "canonical".into(), ..Options::default() };
        let plan = resolve(&loaded, &options).expect("a plan");
        let prices = Prices::bundled().expect("prices");
        let of = |used: &Used| burn(&plan, &prices, used).expect("a price");
        assert!(of(&Used::default()).is_zero());
        let calls = Used { calls: BTreeMap::from([(Lane::S3, 1000)]), ..Used::default() };
        assert_eq!(of(&calls), Usd::parse("0.005").expect("an amount"));
        let one = Used { started: vec![plan.trials[1].id.clone()], ..Used::default() };
        let all = Used { started: plan.trials.iter().map(|t| t.id.clone()).collect(), ..Used::default() };
        assert!(!of(&one).is_zero() && of(&all) > of(&one));
        let later = Used { elapsed_s: 86_400, ..all.clone() };
        assert!(of(&later) > of(&all));
        let estimate = crate::cost::estimate(&plan, &prices).expect("an estimate");
        assert!(of(&all) < estimate.total_usd, "a run as planned stays below its estimate");
    }
}
