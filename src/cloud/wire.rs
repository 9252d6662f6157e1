//! What is watched on the wire: where a request goes, and what time it is there.

use super::classify::WrongHost;
use super::clock::ClockLog;
use super::target::EndpointKind;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::{ConfigBag, Storable, StoreReplace};
use std::sync::Arc;

/// Watches one service's client.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) service: &'static str,
    pub(super) endpoint: EndpointKind,
    pub(super) clock: Arc<ClockLog>,
}

#[derive(Debug)]
struct Sent(i64);

impl Storable for Sent {
    type Storer = StoreReplace<Self>;
}

impl Intercept for Watch {
    fn name(&self) -> &'static str {
        "assay wire watch"
    }

    /// A profile or a service's own endpoint variable may point elsewhere than the run is pinned to; such a
    /// request never leaves.
    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let host = authority(context.request().uri());
        if !self.endpoint.allows(&host) {
            let pinned = self.endpoint.url().unwrap_or("the endpoints of AWS").to_owned();
            return Err(Box::new(WrongHost { host, pinned }));
        }
        config.interceptor_state().store_put(Sent(super::now_ms()));
        Ok(())
    }

    fn read_after_transmit(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let received = super::now_ms();
        if let (Some(Sent(sent)), Some(date)) = (config.load::<Sent>(), context.response().headers().get("date")) {
            self.clock.note(self.service, *sent, received, date);
        }
        Ok(())
    }
}

fn authority(uri: &str) -> String {
    let rest = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest).to_owned()
}
