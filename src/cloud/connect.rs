//! From a target to a loaded SDK configuration.

use super::budget::{Budgets, Limiter};
use super::clients::{Clients, Tuning};
use super::clock::ClockLog;
use super::target::{EndpointKind, Surroundings, Target};
use aws_config::BehaviorVersion;
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;
use std::sync::Arc;

/// Why there are no clients.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// Two regions are named.
    #[error(
        "the run asks for region {asked} but the environment says {environment}; unset AWS_REGION and AWS_DEFAULT_REGION, or make them agree"
    )]
    RegionConflict {
        /// By the run or the command line.
        asked: String,
        /// By the environment.
        environment: String,
    },
    /// No region is named anywhere.
    #[error("no region: name one with --region, AWS_REGION or the profile")]
    NoRegion,
    /// TLS cannot be trusted; the SDK would panic at its first call.
    #[error(
        "this machine has no root certificates to check {0} with; install them (Debian: apt-get install ca-certificates) or name a PEM file in SSL_CERT_FILE"
    )]
    NoRoots(String),
}

/// Loads the configuration; no service is called.
pub(super) async fn connect(target: &Target, around: &Surroundings, tuning: Tuning) -> Result<Clients, ConnectError> {
    let asked = agreed_region(target, around)?;
    let override_url = target.endpoint_url.clone().or_else(|| around.endpoint_url.clone());
    require_roots(override_url.as_deref())?;
    let config = match &override_url {
        Some(url) if EndpointKind::Foreign(url.clone()).is_loopback() => loopback(url),
        _ => from_profile(target, override_url.as_deref(), asked.clone()).await,
    };
    let region = asked.or_else(|| config.region().map(ToString::to_string)).ok_or(ConnectError::NoRegion)?;
    let endpoint = config.endpoint_url().map_or(EndpointKind::Aws, |url| EndpointKind::Foreign(url.to_owned()));
    let config = config
        .into_builder()
        .region(Region::new(region.clone()))
        .retry_config(RetryConfig::disabled())
        .timeout_config(timeouts(&tuning))
        .build();
    let budgets = tuning.budgets.clone().unwrap_or_else(|| Budgets::for_endpoint(&endpoint));
    Ok(Clients::assemble(
        config,
        region,
        endpoint,
        tuning,
        Arc::new(ClockLog::default()),
        Arc::new(Limiter::new(&budgets)),
        Arc::default(),
    ))
}

fn agreed_region(target: &Target, around: &Surroundings) -> Result<Option<String>, ConnectError> {
    match (&target.region, &around.region) {
        (Some(asked), Some(environment)) if asked != environment => {
            Err(ConnectError::RegionConflict { asked: asked.clone(), environment: environment.clone() })
        }
        (asked, environment) => Ok(asked.clone().or_else(|| environment.clone())),
    }
}

/// An endpoint on this machine gets credentials that are worth nothing, so that real ones never go there. Without TLS
/// one client serves every service, and no root certificates are read.
fn loopback(url: &str) -> SdkConfig {
    let credentials = Credentials::from_keys("assay-local", "assay-local", None);
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(url)
        .credentials_provider(SharedCredentialsProvider::new(credentials));
    if is_plain(url) { config.http_client(aws_smithy_http_client::Builder::new().build_http()) } else { config }.build()
}

fn is_plain(url: &str) -> bool {
    url.starts_with("http://")
}

/// TLS needs roots: the SDK panics without them.
fn require_roots(url: Option<&str>) -> Result<(), ConnectError> {
    if url.is_some_and(is_plain) || !rustls_native_certs::load_native_certs().certs.is_empty() {
        return Ok(());
    }
    Err(ConnectError::NoRoots(url.unwrap_or("AWS").to_owned()))
}

async fn from_profile(target: &Target, url: Option<&str>, region: Option<String>) -> SdkConfig {
    let mut loader = aws_config::defaults(BehaviorVersion::latest());
    if let Some(profile) = &target.profile {
        loader = loader.profile_name(profile);
    }
    if let Some(region) = region {
        loader = loader.region(Region::new(region));
    }
    if let Some(url) = url {
        loader = loader.endpoint_url(url);
    }
    loader.load().await
}

fn timeouts(tuning: &Tuning) -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(tuning.connect_timeout)
        .operation_timeout(tuning.call_timeout)
        .operation_attempt_timeout(tuning.call_timeout)
        .build()
}

#[cfg(test)]
mod tests {
    use super::{ConnectError, Surroundings, Target, Tuning, connect};
    use crate::cloud::EndpointKind;

    fn local(region: Option<&str>) -> Target {
        Target { profile: None, region: region.map(Into::into), endpoint_url: Some("http://127.0.0.1:9".into()) }
    }

    #[tokio::test]
    async fn two_regions_are_a_conflict_that_names_both() {
        let around = Surroundings { region: Some("eu-west-1".into()), endpoint_url: None };
        let error = connect(&local(Some("us-east-1")), &around, Tuning::default()).await.err();
        let expected = ConnectError::RegionConflict { asked: "us-east-1".into(), environment: "eu-west-1".into() };
        assert_eq!(error, Some(expected));
    }

    #[tokio::test]
    async fn a_loopback_endpoint_needs_a_region_and_nothing_else() {
        assert_eq!(
            connect(&local(None), &Surroundings::default(), Tuning::default()).await.err(),
            Some(ConnectError::NoRegion)
        );
        let clients =
            connect(&local(Some("us-east-1")), &Surroundings::default(), Tuning::default()).await.expect("clients");
        assert_eq!(clients.endpoint(), &EndpointKind::Foreign("http://127.0.0.1:9".into()));
        assert_eq!(clients.region(), "us-east-1");
    }

    #[tokio::test]
    async fn the_environments_endpoint_counts_as_foreign() {
        let around = Surroundings { region: Some("us-east-1".into()), endpoint_url: Some("http://localhost:1".into()) };
        let clients = connect(&Target::default(), &around, Tuning::default()).await.expect("clients");
        assert_eq!(clients.endpoint().name(), "foreign");
    }
}
