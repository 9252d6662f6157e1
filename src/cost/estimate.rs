//! What a plan can cost at most, item by item. Pure.

use super::money::Usd;
use super::prices::Prices;
use crate::plan::{Plan, TrialPlan};
use serde::Serialize;
use std::fmt;

/// Memory of every function in the templates, MB.
const MEMORY_MB: u64 = 256;
/// Time for stacks, listings and settling on top of the mandated waits, seconds.
const OVERHEAD_S: u64 = 30 * 60;
/// Pollers of a queue's mapping at rest, and the length of a long poll in seconds (Lambda developer guide, SQS).
const POLLERS: u64 = 5;
const LONG_POLL_S: u64 = 20;
/// Records that one provider call leaves in all tables, write units each counted twice for transactions.
const WRITES_PER_CALL: u64 = 40;
/// Durable operations of one execution.
const OPERATIONS_PER_EXECUTION: u64 = 20;

/// An estimate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Kind of price, region and date.
    pub basis: String,
    /// Items.
    pub items: Vec<Item>,
    /// Their sum.
    pub total_usd: Usd,
    /// The plan's ceiling, as written.
    pub ceiling_usd: String,
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Unit.
    pub unit: String,
    /// How many at most.
    pub quantity: u64,
    /// Cost.
    pub usd: Usd,
}

/// Estimates a plan; `None` if the table lacks a price.
#[must_use]
pub fn estimate(plan: &Plan, prices: &Prices) -> Option<Estimate> {
    let all: Vec<_> = plan.trials.iter().collect();
    let run_s = plan.floor_ms.div_ceil(1000) + OVERHEAD_S;
    let mut quantities = quantities(plan, &all, run_s);
    let looks = run_s.saturating_mul(1000) / u64::from(plan.limits.poll_interval_ms.max(1));
    // What the harness itself asks: two queues and the records of a trial at each look.
    quantities.extend([
        ("sqs_fifo_request", looks * 2),
        ("dynamodb_read", looks * 4),
        ("s3_put", 10),
        ("cost_explorer_request", 3),
    ]);
    let items = quantities.into_iter().map(|(key, quantity)| {
        let (price, usd) = prices.cost(key, quantity)?;
        Some(Item { unit: price.unit.clone(), quantity, usd })
    });
    let items: Vec<Item> = items.collect::<Option<_>>()?;
    Some(Estimate {
        basis: format!("{}, {}, {}", prices.kind, prices.region, prices.as_of),
        total_usd: items.iter().map(|i| i.usd).sum(),
        items,
        ceiling_usd: plan.cost_ceiling_usd.clone(),
    })
}

/// What trials, and pollers at rest for so long, can use at most.
pub(super) fn quantities(plan: &Plan, trials: &[&TrialPlan], run_s: u64) -> Vec<(&'static str, u64)> {
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let most = |variant: &str| plan.variants.iter().find(|v| v.slug == variant).map_or(1, |v| v.most_calls);
    let calls: u64 = trials.iter().map(|t| most(&t.variant)).sum();
    let durable = count(trials.iter().filter(|t| t.durable).count());
    let longest_s = trials.iter().map(|t| u64::from(t.configuration.function_timeout_s)).max().unwrap_or(0);
    // Caller, provider and controller for each call; the hold keeps the provider as long as its hold limit.
    let invocations = calls * 3;
    let gb_s = (calls * 2 * longest_s.max(60) * MEMORY_MB).div_ceil(1024);
    let polls = count(plan.variants.len()) * POLLERS * run_s.div_ceil(LONG_POLL_S);
    vec![
        ("lambda_request", invocations),
        ("lambda_gb_second", gb_s),
        ("durable_operation", durable * OPERATIONS_PER_EXECUTION),
        ("sqs_fifo_request", polls + calls * 4),
        ("dynamodb_write", calls * WRITES_PER_CALL),
        // The provider looks for its release ten times a second while it holds.
        ("dynamodb_read", calls * 10 * longest_s.max(60)),
        ("log_megabyte", invocations.div_ceil(10)),
    ]
}

impl Estimate {
    /// Why the run may not start, if it could cost more than its ceiling.
    #[must_use]
    pub fn over(&self) -> Option<String> {
        let ceiling = Usd::parse(&self.ceiling_usd);
        ceiling.is_none_or(|ceiling| self.total_usd > ceiling).then(|| {
            format!(
                "the run can cost up to USD {} ({}), its ceiling is USD {}; raise limits.cost_ceiling_usd or plan fewer trials",
                self.total_usd, self.basis, self.ceiling_usd
            )
        })
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cost, at most ({})", self.basis)?;
        self.items.iter().try_for_each(|i| writeln!(f, "  {:>10}  {:>9} {}", i.usd.to_string(), i.quantity, i.unit))?;
        writeln!(f, "  {:>10}  in all; ceiling USD {}", self.total_usd.to_string(), self.ceiling_usd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Options, resolve};

    fn estimated(ceiling: &str) -> Estimate {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/study-1.yaml");
        let loaded = crate::protocol::load(&path).expect("the study");
        let options = Options { profile: "canonical".into(), ..Options::default() };
        let mut plan = resolve(&loaded, &options).expect("a plan");
        plan.cost_ceiling_usd = ceiling.to_owned();
        estimate(&plan, &Prices::bundled().expect("prices")).expect("an estimate")
    }

    #[test]
    fn the_study_costs_cents_and_says_on_what_basis() {
        let estimate = estimated("5.00");
        assert_eq!(estimate.over(), None);
        assert!(estimate.to_string().contains("list price, unverified, us-east-1"), "{estimate}");
        assert!(estimate.total_usd > Usd::parse("0.01").expect("an amount"));
        assert!(estimate.items.iter().all(|i| i.quantity > 0));
    }

    #[test]
    fn over_the_ceiling_is_refused() {
        assert!(estimated("0.00").over().is_some_and(|why| why.contains("ceiling is USD 0.00")));
    }
}
