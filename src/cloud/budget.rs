//! One shared budget per API: how many calls a second and how many at once, with an adaptive rate.

use super::target::EndpointKind;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// Slowest rate that throttling can push a lane to, calls per second.
const FLOOR: f64 = 0.2;

/// The APIs that have a limit of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the APIs'")]
pub enum Lane {
    CloudControl,
    CloudFormation,
    CostExplorer,
    DynamoDbControl,
    DynamoDbData,
    DynamoDbTagRead,
    DynamoDbTagWrite,
    DescribeStream,
    ListStreams,
    Iam,
    Kms,
    DurableRead,
    LambdaControl,
    LambdaInvoke,
    Logs,
    S3,
    Secrets,
    Sqs,
    Sts,
    Tagging,
}

const LANES: [Lane; 20] = [
    Lane::CloudControl,
    Lane::CloudFormation,
    Lane::CostExplorer,
    Lane::DynamoDbControl,
    Lane::DynamoDbData,
    Lane::DynamoDbTagRead,
    Lane::DynamoDbTagWrite,
    Lane::DescribeStream,
    Lane::ListStreams,
    Lane::Iam,
    Lane::Kms,
    Lane::DurableRead,
    Lane::LambdaControl,
    Lane::LambdaInvoke,
    Lane::Logs,
    Lane::S3,
    Lane::Secrets,
    Lane::Sqs,
    Lane::Sts,
    Lane::Tagging,
];

/// What one lane may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Calls per second, sustained.
    pub rate: f64,
    /// Calls that may leave at once after a pause.
    pub burst: f64,
    /// Calls in flight.
    pub concurrency: usize,
}

/// Budgets of every lane.
#[derive(Clone, Debug)]
pub struct Budgets {
    default: Budget,
    lanes: BTreeMap<Lane, Budget>,
}

impl Budgets {
    /// Lambda's control plane 15 a second over all its APIs, durable lists and histories 15 (Lambda quotas);
    /// `DescribeStream` 10, `ListStreams` 5, `ListTagsOfResource` 10, `TagResource` 5 (DynamoDB API reference).
    /// Where AWS names no number, 10 a second.
    #[must_use]
    pub fn aws() -> Self {
        let at = |rate: f64, concurrency| Budget { rate, burst: rate, concurrency };
        let lanes = [
            (Lane::LambdaControl, at(15.0, 8)),
            (Lane::DurableRead, at(15.0, 8)),
            (Lane::DescribeStream, at(10.0, 4)),
            (Lane::ListStreams, at(5.0, 2)),
            (Lane::DynamoDbTagRead, at(10.0, 4)),
            (Lane::DynamoDbTagWrite, at(5.0, 2)),
            (Lane::DynamoDbData, at(50.0, 16)),
            (Lane::S3, at(50.0, 16)),
            (Lane::Sqs, at(50.0, 16)),
            (Lane::LambdaInvoke, at(50.0, 16)),
            (Lane::CostExplorer, at(1.0, 1)),
        ];
        Self { default: at(10.0, 8), lanes: lanes.into_iter().collect() }
    }

    /// For endpoints that are not AWS's: as many calls in flight as for AWS, without a rate.
    #[must_use]
    pub fn foreign() -> Self {
        let unhurried = |budget: Budget| Budget { rate: 5_000.0, burst: 500.0, ..budget };
        let aws = Self::aws();
        Self {
            default: unhurried(aws.default),
            lanes: aws.lanes.into_iter().map(|(lane, budget)| (lane, unhurried(budget))).collect(),
        }
    }

    /// The budgets that fit the endpoint.
    #[must_use]
    pub fn for_endpoint(kind: &EndpointKind) -> Self {
        if *kind == EndpointKind::Aws { Self::aws() } else { Self::foreign() }
    }

    /// Replaces one lane's budget.
    #[must_use]
    pub fn with(mut self, lane: Lane, budget: Budget) -> Self {
        self.lanes.insert(lane, budget);
        self
    }

    /// One lane's budget.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Budget {
        self.lanes.get(&lane).copied().unwrap_or(self.default)
    }
}

/// The running budgets; one per account and region, shared by everything that calls.
#[derive(Debug)]
pub(super) struct Limiter {
    lanes: BTreeMap<Lane, LaneState>,
}

#[derive(Debug)]
struct LaneState {
    flight: Semaphore,
    calls: AtomicU64,
    bucket: Mutex<Bucket>,
}

#[derive(Debug)]
struct Bucket {
    budget: Budget,
    rate: f64,
    tokens: f64,
    at: Instant,
}

impl Limiter {
    pub(super) fn new(budgets: &Budgets) -> Self {
        let lane = |lane| {
            let budget = budgets.of(lane);
            let bucket = Bucket { budget, rate: budget.rate, tokens: budget.burst, at: Instant::now() };
            let flight = Semaphore::new(budget.concurrency.max(1));
            (lane, LaneState { flight, calls: AtomicU64::new(0), bucket: Mutex::new(bucket) })
        };
        Self { lanes: LANES.into_iter().map(lane).collect() }
    }

    /// Waits for a place in flight and for the rate; the permit is held for the length of the call.
    pub(super) async fn enter(&self, lane: Lane) -> Option<SemaphorePermit<'_>> {
        let state = self.lanes.get(&lane)?;
        let permit = state.flight.acquire().await.ok();
        state.calls.fetch_add(1, Ordering::Relaxed);
        let wait = state.bucket.lock().unwrap_or_else(PoisonError::into_inner).take();
        tokio::time::sleep(wait).await;
        permit
    }

    /// Calls let through so far, refused and lost ones included.
    pub(super) fn calls(&self) -> BTreeMap<Lane, u64> {
        self.lanes.iter().map(|(lane, state)| (*lane, state.calls.load(Ordering::Relaxed))).collect()
    }

    /// A throttled call halves the lane's rate and empties its burst.
    pub(super) fn throttled(&self, lane: Lane) {
        self.change(lane, |bucket| {
            bucket.rate = (bucket.rate / 2.0).max(FLOOR);
            bucket.tokens = bucket.tokens.min(0.0);
        });
    }

    /// An answered call gives a twentieth of the budget back.
    pub(super) fn answered(&self, lane: Lane) {
        self.change(lane, |bucket| bucket.rate = (bucket.rate + bucket.budget.rate / 20.0).min(bucket.budget.rate));
    }

    fn change(&self, lane: Lane, act: impl FnOnce(&mut Bucket)) {
        if let Some(state) = self.lanes.get(&lane) {
            act(&mut state.bucket.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Bucket {
    /// Takes a token, on credit if there is none; the wait is how long the credit takes to be earned.
    fn take(&mut self) -> Duration {
        let now = Instant::now();
        let earned = now.duration_since(self.at).as_secs_f64() * self.rate;
        self.tokens = (self.tokens + earned).min(self.budget.burst.max(1.0)) - 1.0;
        self.at = now;
        if self.tokens >= 0.0 { Duration::ZERO } else { Duration::from_secs_f64(-self.tokens / self.rate) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Budgets, Lane, Limiter};
    use tokio::time::{Duration, Instant};

    fn limiter(rate: f64, concurrency: usize) -> Limiter {
        Limiter::new(&Budgets::foreign().with(Lane::Tagging, Budget { rate, burst: 1.0, concurrency }))
    }

    async fn time(limiter: &Limiter, calls: u32) -> Duration {
        let start = Instant::now();
        for _ in 0..calls {
            drop(limiter.enter(Lane::Tagging).await);
        }
        start.elapsed()
    }

    #[tokio::test]
    async fn the_rate_holds() {
        assert!(
            time(&limiter(200.0, 4), 21).await >= Duration::from_millis(95),
            "20 calls after the first, 200 a second"
        );
    }

    #[tokio::test]
    async fn throttling_slows_the_lane_and_answers_speed_it_up_again() {
        let limiter = limiter(200.0, 4);
        limiter.throttled(Lane::Tagging);
        assert!(time(&limiter, 10).await >= Duration::from_millis(95), "10 calls, 100 a second");
        for _ in 0..40 {
            limiter.answered(Lane::Tagging);
        }
        let rate = limiter.lanes[&Lane::Tagging].bucket.lock().expect("no panic").rate;
        assert!((rate - 200.0).abs() < f64::EPSILON, "{rate}");
    }

    #[tokio::test]
    async fn calls_in_flight_are_bounded() {
        let limiter = limiter(1_000.0, 2);
        let first = limiter.enter(Lane::Tagging).await;
        let _second = limiter.enter(Lane::Tagging).await;
        let third = tokio::time::timeout(Duration::from_millis(50), limiter.enter(Lane::Tagging)).await;
        assert!(third.is_err());
        drop(first);
        assert!(limiter.enter(Lane::Tagging).await.is_some());
    }
}
