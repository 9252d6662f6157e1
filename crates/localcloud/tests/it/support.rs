//! A cloud for one test, and a configuration of the SDKs that leads to it.

use aws_config::retry::RetryConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use localcloud::{Cloud, Options};

/// The region that tests work in.
pub(crate) const REGION: &str = "us-east-1";

/// A running cloud with a configuration for it.
pub(crate) struct Local {
    pub(crate) cloud: Cloud,
    pub(crate) config: SdkConfig,
}

/// A cloud of its own on a free port.
pub(crate) async fn start() -> Local {
    start_with(Options::default()).await
}

/// A cloud with these options. Its clients do not retry, so that calls can be counted.
pub(crate) async fn start_with(options: Options) -> Local {
    let cloud = Cloud::start(options).await.unwrap();
    let config = config(&cloud, REGION).await;
    Local { cloud, config }
}

/// A configuration for a cloud in this region.
pub(crate) async fn config(cloud: &Cloud, region: &str) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .endpoint_url(cloud.endpoint())
        .region(Region::new(region.to_owned()))
        .credentials_provider(Credentials::new("AKIDLOCAL", "secret", None, None, "test"))
        .retry_config(RetryConfig::disabled())
        .load()
        .await
}
