//! Tags in the forms that the services take.

use super::super::record::Tags;
use super::{Failure, Kind, Tagging, Work};
use serde_json::{Map, Value, json};

/// The tags in a resource's `Tags` property.
pub(crate) fn own_tags(properties: &Map<String, Value>) -> Tags {
    pairs(properties.get("Tags"))
}

/// Tags out of a list of `Key` and `Value`.
pub(super) fn pairs(list: Option<&Value>) -> Tags {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    let pair = |tag: &Value| Some((tag.get("Key")?.as_str()?.to_owned(), tag.get("Value")?.as_str()?.to_owned()));
    items.filter_map(pair).collect()
}

/// `tags` with those that CloudFormation adds itself, where the type takes them; none where it takes no tags.
pub(crate) fn with_system_tags(kind: Kind, tags: &Tags, stack_name: &str, stack_id: &str, logical_id: &str) -> Tags {
    let mut all = match kind.tagging() {
        Tagging::None => return Tags::new(),
        Tagging::User | Tagging::All => tags.clone(),
    };
    if kind.tagging() == Tagging::All {
        let system = [("stack-name", stack_name), ("stack-id", stack_id), ("logical-id", logical_id)];
        all.extend(system.map(|(key, value)| (format!("aws:cloudformation:{key}"), value.to_owned())));
    }
    all
}

/// `[{"Key": …, "Value": …}]`.
pub(super) fn list(tags: &Tags) -> Value {
    tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect()
}

/// `{key: value}`.
pub(super) fn map(tags: &Tags) -> Value {
    tags.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect()
}

/// Keys of `old` that `new` does not have.
pub(super) fn removed(old: &Tags, new: &Tags) -> Vec<String> {
    old.keys().filter(|key| !new.contains_key(*key)).cloned().collect()
}

/// Brings the tags of something of Lambda from the old set to the new one.
pub(super) async fn retag_lambda(work: &Work<'_>, arn: &str, old: &Work<'_>) -> Result<(), Failure> {
    let removed = removed(&old.tags, &work.tags);
    if !removed.is_empty() {
        work.call("UntagResource", json!({ "Resource": arn, "TagKeys": removed })).await?;
    }
    if work.tags != old.tags && !work.tags.is_empty() {
        work.call("TagResource", json!({ "Resource": arn, "Tags": map(&work.tags) })).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_tags_go_only_where_aws_puts_them() {
        let tags = Tags::from([("run".to_owned(), "1".to_owned())]);
        let keys = |kind| with_system_tags(kind, &tags, "s", "arn", "L").into_keys().collect::<Vec<_>>();
        let system = ["aws:cloudformation:logical-id", "aws:cloudformation:stack-id", "aws:cloudformation:stack-name"];
        let all: Vec<&str> = system.into_iter().chain(["run"]).collect();
        for kind in [Kind::Bucket, Kind::Function, Kind::EventSourceMapping, Kind::LogGroup] {
            assert_eq!(keys(kind), all, "{kind:?}");
        }
        for kind in [Kind::Queue, Kind::Table, Kind::Role] {
            assert_eq!(keys(kind), ["run"], "{kind:?}");
        }
        for kind in [Kind::Version, Kind::Alias, Kind::Permission, Kind::Policy, Kind::ManagedPolicy, Kind::QueuePolicy]
        {
            assert!(keys(kind).is_empty(), "{kind:?}");
        }
    }
}
