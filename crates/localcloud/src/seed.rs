//! Filling a cloud at once, for tests and benchmarks that need more than a client could make in good time.

use crate::cloud::{Cloud, Context, Origin};
use crate::service::{Service, tagging};
use serde_json::Value;
use std::collections::BTreeMap;

impl Cloud {
    /// Acts as a client would, but without the wire: no latency, no faults, not counted. Input and output have the
    /// members of the service's model.
    ///
    /// # Errors
    /// The service's code and message.
    pub async fn seed(&self, region: &str, service: Service, operation: &str, input: Value) -> Result<Value, String> {
        let ctx = Context { region: region.to_owned(), request_id: self.uuid(), origin: Origin::Wire };
        self.call(&ctx, service, operation, input).await.map_err(|error| format!("{}: {}", error.code, error.message))
    }

    /// Makes the tag index list resources that no service here has, as it does on AWS for those that it is slow to
    /// forget. Types that the index does not cover are left out.
    pub fn seed_index(&self, region: &str, arns: impl IntoIterator<Item = String>, tags: &BTreeMap<String, String>) {
        self.with(region, |state| {
            for arn in arns {
                tagging::put(state, &arn, tags);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::{Cloud, Options, Service};
    use serde_json::json;
    use std::collections::BTreeMap;

    #[tokio::test]
    async fn what_is_seeded_is_there_and_not_counted() {
        let cloud = Cloud::start(Options::default()).await.unwrap();
        let tags = BTreeMap::from([("k".to_owned(), "v".to_owned())]);
        let queue = json!({ "QueueName": "q", "tags": tags });
        let made = cloud.seed("us-east-1", Service::Sqs, "CreateQueue", queue).await;
        assert!(made.is_ok(), "{made:?}");
        let ghosts = (0..3).map(|n| format!("arn:aws:logs:us-east-1:000000000000:log-group:/g/{n}"));
        cloud.seed_index("us-east-1", ghosts, &tags);
        let listed = cloud.seed("us-east-1", Service::Tagging, "GetResources", json!({})).await.unwrap();
        assert_eq!(listed["ResourceTagMappingList"].as_array().map(Vec::len), Some(4));
        assert!(cloud.calls().is_empty());
        let refused = cloud.seed("us-east-1", Service::Sqs, "Nothing", json!({})).await;
        assert!(refused.is_err_and(|error| error.contains("NotEmulated")));
        cloud.shutdown().await;
    }
}
