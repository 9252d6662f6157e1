//! The laboratory's cloud as others see and change it: by AWS's own clients, beside the harness.

use super::Lab;
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_types::SdkConfig;
use aws_types::region::Region;

/// How a client reaches a local cloud.
fn config(endpoint: &str) -> SdkConfig {
    let credentials = Credentials::new("local", "local", None, None, "test");
    SdkConfig::builder()
        .behavior_version(aws_config::BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .endpoint_url(endpoint)
        .build()
}

/// A client that did not come from the harness.
pub(crate) fn cloudformation(endpoint: &str) -> aws_sdk_cloudformation::Client {
    aws_sdk_cloudformation::Client::new(&config(endpoint))
}

impl Lab {
    /// Names of stacks that are not deleted, as the cloud itself tells.
    pub(crate) fn living_stacks(&self) -> Vec<String> {
        let client = cloudformation(&self.cloud().endpoint());
        let listed = self.runtime.block_on(client.list_stacks().send()).expect("list stacks");
        let living = listed.stack_summaries().iter();
        let living = living.filter(|s| s.stack_status().is_some_and(|s| s.as_str() != "DELETE_COMPLETE"));
        living.filter_map(|s| s.stack_name().map(str::to_owned)).collect()
    }

    /// Switches a stack's termination protection on.
    pub(crate) fn protect(&self, stack: &str) {
        let client = cloudformation(&self.cloud().endpoint());
        let call = client.update_termination_protection().stack_name(stack).enable_termination_protection(true);
        self.runtime.block_on(call.send()).expect("protected");
    }

    /// Makes a log group that no stack owns.
    pub(crate) fn log_group(&self, name: &str, tags: &[(&str, &str)]) {
        let logs = aws_sdk_cloudwatchlogs::Client::new(&config(&self.cloud().endpoint()));
        let mut call = logs.create_log_group().log_group_name(name);
        for (key, value) in tags {
            call = call.tags(*key, *value);
        }
        self.runtime.block_on(call.send()).expect("a log group");
    }

    /// Tags of queues, as the cloud itself tells.
    pub(crate) fn queue_tags(&self, names: &[&str]) -> Vec<std::collections::HashMap<String, String>> {
        let client = self.sqs();
        let read = |name: &&str| {
            let tags = client.list_queue_tags().queue_url(self.queue_url(name)).send();
            self.runtime.block_on(tags).expect("tags").tags.unwrap_or_default()
        };
        names.iter().map(read).collect()
    }

    /// Gives a queue another value of a tag.
    pub(crate) fn tag_queue(&self, name: &str, key: &str, value: &str) {
        let tag = self.sqs().tag_queue().queue_url(self.queue_url(name)).tags(key, value).send();
        self.runtime.block_on(tag).expect("tagged");
    }

    /// Takes a tag from a queue.
    pub(crate) fn untag_queue(&self, name: &str, key: &str) {
        let untag = self.sqs().untag_queue().queue_url(self.queue_url(name)).tag_keys(key).send();
        self.runtime.block_on(untag).expect("untagged");
    }

    fn queue_url(&self, name: &str) -> String {
        format!("{}/000000000000/{name}", self.cloud().endpoint())
    }

    fn sqs(&self) -> aws_sdk_sqs::Client {
        aws_sdk_sqs::Client::new(&config(&self.cloud().endpoint()))
    }
}
