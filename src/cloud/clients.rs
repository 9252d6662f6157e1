//! The clients of one region, and the two ways to call: read (repeats within a bound) and write (leaves once).

use super::budget::{Budgets, Lane, Limiter};
use super::classify::classify;
use super::clock::ClockLog;
use super::connect::{ConnectError, connect};
use super::expiry::Expiry;
use super::outcome::{Failure, RefusalKind};
use super::poll::jitter;
use super::target::{EndpointKind, Surroundings, Target};
use super::wire::Watch;
use aws_credential_types::provider::ProvideCredentials;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use aws_types::SdkConfig;
use aws_types::region::Region;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// Timeouts, repeats and budgets.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// To establish a connection.
    pub connect_timeout: Duration,
    /// One call, from the first byte to the last.
    pub call_timeout: Duration,
    /// Attempts of a read, the first included. Writes have one.
    pub read_attempts: u32,
    /// Pause before the second attempt of a read; doubles, with jitter.
    pub first_pause: Duration,
    /// Longest pause between attempts.
    pub longest_pause: Duration,
    /// Budgets; those that fit the endpoint if absent.
    pub budgets: Option<Budgets>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(3),
            call_timeout: Duration::from_secs(20),
            // With three calls in ten throttled, one read in 15,000 stays unread; with five attempts it was one in 400,
            // and an audit makes some hundreds.
            read_attempts: 8,
            first_pause: Duration::from_millis(200),
            longest_pause: Duration::from_secs(5),
            budgets: None,
        }
    }
}

/// Every client of one region. Cloning shares them.
#[derive(Clone, Debug)]
pub struct Clients(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: SdkConfig,
    region: String,
    endpoint: EndpointKind,
    tuning: Tuning,
    clock: Arc<ClockLog>,
    limiter: Arc<Limiter>,
    expiry: Arc<Expiry>,
    sdk: Sdk,
}

/// The SDK's clients, retries off in all of them.
#[derive(Debug)]
pub(super) struct Sdk {
    pub(super) cloudcontrol: aws_sdk_cloudcontrol::Client,
    pub(super) cloudformation: aws_sdk_cloudformation::Client,
    pub(super) costexplorer: aws_sdk_costexplorer::Client,
    pub(super) dynamodb: aws_sdk_dynamodb::Client,
    pub(super) streams: aws_sdk_dynamodbstreams::Client,
    pub(super) iam: aws_sdk_iam::Client,
    pub(super) kms: aws_sdk_kms::Client,
    pub(super) lambda: aws_sdk_lambda::Client,
    pub(super) logs: aws_sdk_cloudwatchlogs::Client,
    pub(super) s3: aws_sdk_s3::Client,
    pub(super) secretsmanager: aws_sdk_secretsmanager::Client,
    pub(super) sqs: aws_sdk_sqs::Client,
    pub(super) sts: aws_sdk_sts::Client,
    pub(super) tagging: aws_sdk_resourcegroupstagging::Client,
}

macro_rules! client {
    ($sdk:ident, $config:expr, $watch:expr) => {
        $sdk::Client::from_conf($sdk::config::Builder::from($config).interceptor($watch).build())
    };
}

impl Sdk {
    fn new(config: &SdkConfig, endpoint: &EndpointKind, clock: &Arc<ClockLog>) -> Self {
        let watch = |service| Watch { service, endpoint: endpoint.clone(), clock: Arc::clone(clock) };
        let s3 = aws_sdk_s3::config::Builder::from(config)
            .force_path_style(*endpoint != EndpointKind::Aws)
            .interceptor(watch("s3"))
            .build();
        Self {
            cloudcontrol: client!(aws_sdk_cloudcontrol, config, watch("cloudcontrol")),
            cloudformation: client!(aws_sdk_cloudformation, config, watch("cloudformation")),
            costexplorer: client!(aws_sdk_costexplorer, config, watch("costexplorer")),
            dynamodb: client!(aws_sdk_dynamodb, config, watch("dynamodb")),
            streams: client!(aws_sdk_dynamodbstreams, config, watch("dynamodbstreams")),
            iam: client!(aws_sdk_iam, config, watch("iam")),
            kms: client!(aws_sdk_kms, config, watch("kms")),
            lambda: client!(aws_sdk_lambda, config, watch("lambda")),
            logs: client!(aws_sdk_cloudwatchlogs, config, watch("logs")),
            s3: aws_sdk_s3::Client::from_conf(s3),
            secretsmanager: client!(aws_sdk_secretsmanager, config, watch("secretsmanager")),
            sqs: client!(aws_sdk_sqs, config, watch("sqs")),
            sts: client!(aws_sdk_sts, config, watch("sts")),
            tagging: client!(aws_sdk_resourcegroupstagging, config, watch("tagging")),
        }
    }
}

impl Clients {
    /// Resolves the target and builds the clients; no service is called.
    ///
    /// # Errors
    /// Two regions that contradict each other, or none.
    pub async fn connect(target: &Target, around: &Surroundings, tuning: Tuning) -> Result<Self, ConnectError> {
        connect(target, around, tuning).await
    }

    pub(super) fn assemble(
        config: SdkConfig,
        region: String,
        endpoint: EndpointKind,
        tuning: Tuning,
        clock: Arc<ClockLog>,
        limiter: Arc<Limiter>,
        expiry: Arc<Expiry>,
    ) -> Self {
        let sdk = Sdk::new(&config, &endpoint, &clock);
        Self(Arc::new(Inner { config, region, endpoint, tuning, clock, limiter, expiry, sdk }))
    }

    /// The same account and endpoint in another region, with budgets of its own (quotas are per region).
    #[must_use]
    pub fn in_region(&self, region: &str) -> Self {
        if region == self.0.region {
            return self.clone();
        }
        let config = self.0.config.to_builder().region(Region::new(region.to_owned())).build();
        let tuning = self.0.tuning.clone();
        let budgets = tuning.budgets.clone().unwrap_or_else(|| Budgets::for_endpoint(&self.0.endpoint));
        let clock = Arc::clone(&self.0.clock);
        let limiter = Arc::new(Limiter::new(&budgets));
        // The credentials are the same everywhere.
        let expiry = Arc::clone(&self.0.expiry);
        Self::assemble(config, region.to_owned(), self.0.endpoint.clone(), tuning, clock, limiter, expiry)
    }

    /// Where requests go.
    #[must_use]
    pub fn endpoint(&self) -> &EndpointKind {
        &self.0.endpoint
    }

    /// The region that is called.
    #[must_use]
    pub fn region(&self) -> &str {
        &self.0.region
    }

    /// Clock samples of every service called so far.
    #[must_use]
    pub fn clock(&self) -> &ClockLog {
        &self.0.clock
    }

    /// Calls made so far by API, refused and lost ones included.
    #[must_use]
    pub fn calls(&self) -> std::collections::BTreeMap<Lane, u64> {
        self.0.limiter.calls()
    }

    /// When the credentials expire, milliseconds since the epoch; `None` for credentials that do not.
    ///
    /// # Errors
    /// No credentials, or expired ones.
    pub async fn credentials_expire_at_ms(&self) -> Result<Option<i64>, Failure> {
        let missing = |text: String| {
            let kind = if text.contains("expired") { RefusalKind::Expired } else { RefusalKind::Denied };
            Failure::refused(kind, "Credentials", text)
        };
        let provider = self.0.config.credentials_provider().ok_or_else(|| missing("no credentials".into()))?;
        let credentials = provider.provide_credentials().await.map_err(|e| missing(e.to_string()))?;
        let since_epoch = credentials.expiry().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(since_epoch.and_then(|d| i64::try_from(d.as_millis()).ok()))
    }

    /// The first refusal for expired credentials since this was asked before, in any region, whatever was made of it:
    /// work that is not done is then paused, not failed.
    #[must_use]
    pub fn expired(&self) -> Option<Failure> {
        self.0.expiry.take()
    }

    pub(super) fn sdk(&self) -> &Sdk {
        &self.0.sdk
    }

    pub(super) fn tuning(&self) -> &Tuning {
        &self.0.tuning
    }

    /// A call that changes nothing: repeated after throttling, timeouts, lost connections and 5xx.
    pub(super) async fn read<T, E, F, Fut>(&self, lane: Lane, operation: &str, call: F) -> Result<T, Failure>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<T, SdkError<E, HttpResponse>>>,
        E: ProvideErrorMetadata + Error + 'static,
    {
        let mut pause = self.0.tuning.first_pause;
        let mut left = self.0.tuning.read_attempts;
        loop {
            let result = self.write(lane, operation, call()).await;
            left = left.saturating_sub(1);
            match result {
                Err(failure) if left > 0 && repeatable(&failure) => {}
                settled => return settled,
            }
            tokio::time::sleep(jitter(pause)).await;
            pause = (pause * 2).min(self.0.tuning.longest_pause);
        }
    }

    /// A call that leaves at most once, whatever comes of it.
    pub(super) async fn write<T, E>(
        &self,
        lane: Lane,
        operation: &str,
        call: impl Future<Output = Result<T, SdkError<E, HttpResponse>>>,
    ) -> Result<T, Failure>
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        let _permit = self.0.limiter.enter(lane).await;
        let result = call.await.map_err(|error| classify(operation, &error));
        match &result {
            Err(failure) if failure.kind() == Some(RefusalKind::Throttled) => self.0.limiter.throttled(lane),
            _ => self.0.limiter.answered(lane),
        }
        if let Err(failure) = &result {
            self.0.expiry.note(failure);
        }
        tracing::debug!(operation, region = self.0.region, failed = result.as_ref().err().map(tracing::field::display));
        result
    }
}

fn repeatable(failure: &Failure) -> bool {
    match failure {
        Failure::Unknown(_) => true,
        Failure::Refused(refusal) => refusal.kind == RefusalKind::Throttled,
    }
}
