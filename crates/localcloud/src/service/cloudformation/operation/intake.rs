//! What CreateStack, UpdateStack and CreateChangeSet take in: template, tags, capabilities.

use super::super::input::{Input, constraint, quoted};
use super::super::record::Tags;
use super::super::stack::{OnFailure, Settings};
use super::super::template::{MAX_BODY_BYTES, MAX_URL_BYTES, Template, invalid};
use crate::cloud::Cloud;
use crate::error::ApiError;
use crate::service::s3;

/// The template's text, from the request, from S3, or the one that the stack has.
pub(super) fn body(cloud: &Cloud, input: &Input<'_>, previous: Option<String>) -> Result<String, ApiError> {
    let use_previous = input.flag("UsePreviousTemplate").unwrap_or(false);
    match (input.text("TemplateBody"), input.text("TemplateURL"), use_previous) {
        (Some(body), None, false) if body.len() > MAX_BODY_BYTES => Err(constraint(
            "…",
            "TemplateBody",
            &format!("Member must have length less than or equal to {MAX_BODY_BYTES}"),
        )),
        (Some(body), None, false) => Ok(body.to_owned()),
        (None, Some(url), false) => fetch(cloud, url),
        (None, None, true) => previous.ok_or_else(|| invalid("No previous template to use")),
        (None, None, false) => Err(invalid("Either Template URL or Template Body must be specified.")),
        _ => Err(invalid("Template URL, Template Body and UsePreviousTemplate exclude each other.")),
    }
}

/// Reads a template that lies in the local S3, by a path-style or virtual-hosted URL.
fn fetch(cloud: &Cloud, url: &str) -> Result<String, ApiError> {
    let refused = |why: &str| invalid(format!("TemplateURL {url} {why}"));
    let (bucket, key) =
        location(url).ok_or_else(|| refused("must reference a valid S3 object to which you have access."))?;
    let bytes = s3::object(cloud, &bucket, &key, None)
        .map_err(|error| invalid(format!("S3 error: {} ({url})", error.message)))?;
    if bytes.len() > MAX_URL_BYTES {
        return Err(refused(&format!("is larger than {MAX_URL_BYTES} bytes")));
    }
    String::from_utf8(bytes.to_vec()).map_err(|_| refused("is not UTF-8"))
}

/// Bucket and key of `https://bucket.s3.region.amazonaws.com/key`, `https://s3.…/bucket/key` or of the local
/// endpoint's `http://127.0.0.1:port/bucket/key`.
fn location(url: &str) -> Option<(String, String)> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let (host, path) = rest.split_once('/')?;
    let path = path.split('?').next().unwrap_or(path);
    let (bucket, key) = match host.split_once(".s3") {
        Some((bucket, _)) => (bucket, path),
        None => path.split_once('/')?,
    };
    (!bucket.is_empty() && !key.is_empty()).then(|| (bucket.to_owned(), key.to_owned()))
}

/// Everything beside template and parameters. What is not emulated is refused, so that nothing is lost silently.
pub(super) fn settings(input: &Input<'_>) -> Result<Settings, ApiError> {
    for member in ["NotificationARNs", "ResourceTypes", "ResourcesToImport"] {
        if !input.list(member).is_empty() {
            return Err(ApiError::not_emulated(format!("cloudformation {member}")));
        }
    }
    for member in ["StackPolicyBody", "StackPolicyURL", "StackPolicyDuringUpdateBody", "StackPolicyDuringUpdateURL"] {
        if input.text(member).is_some() {
            return Err(ApiError::not_emulated(format!("cloudformation {member}")));
        }
    }
    let triggers = input.0.get("RollbackConfiguration").and_then(|rollback| rollback.get("RollbackTriggers"));
    if triggers.and_then(serde_json::Value::as_array).is_some_and(|list| !list.is_empty()) {
        return Err(ApiError::not_emulated("cloudformation RollbackConfiguration.RollbackTriggers"));
    }
    Ok(Settings {
        tags: tags(input)?,
        capabilities: input.texts("Capabilities"),
        role_arn: input.text("RoleARN").map(str::to_owned),
        notification_arns: Vec::new(),
        timeout_minutes: input.integer("TimeoutInMinutes"),
        on_failure: on_failure(input)?,
        retain_except_on_create: input.flag("RetainExceptOnCreate").unwrap_or(false),
    })
}

fn on_failure(input: &Input<'_>) -> Result<OnFailure, ApiError> {
    let named = input.text("OnFailure").or_else(|| input.text("OnStackFailure"));
    match (named, input.flag("DisableRollback")) {
        (Some(_), Some(_)) => Err(invalid("Either DisableRollback or OnFailure can be specified, not both.")),
        (Some("DO_NOTHING"), None) | (None, Some(true)) => Ok(OnFailure::DoNothing),
        (Some("DELETE"), None) => Ok(OnFailure::Delete),
        (Some("ROLLBACK"), None) | (None, Some(false) | None) => Ok(OnFailure::Rollback),
        (Some(other), None) => Err(constraint(
            &quoted(other),
            "OnFailure",
            "Member must satisfy enum value set: [DELETE, DO_NOTHING, ROLLBACK]",
        )),
    }
}

/// Tags by the service model's rules; an empty value is refused, unlike in most services.
fn tags(input: &Input<'_>) -> Result<Tags, ApiError> {
    let list = input.list("Tags");
    if list.len() > 50 {
        return Err(constraint("…", "Tags", "Member must have length less than or equal to 50"));
    }
    let mut tags = Tags::new();
    for (at, tag) in list.iter().enumerate() {
        let text = |name: &str| tag.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        let (key, value) = (text("Key"), text("Value"));
        check_length(at, "key", key, 128)?;
        check_length(at, "value", value, 256)?;
        if key.starts_with("aws:") {
            return Err(invalid(format!("aws: prefixed tag key names are not allowed for external use. ({key})")));
        }
        if tags.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(invalid(format!("Duplicate tag key {key}")));
        }
    }
    Ok(tags)
}

fn check_length(at: usize, what: &str, text: &str, limit: usize) -> Result<(), ApiError> {
    let member = format!("tags.{}.member.{what}", at + 1);
    if text.is_empty() {
        return Err(constraint("''", &member, "Member must have length greater than or equal to 1"));
    }
    if text.chars().count() > limit {
        return Err(constraint(
            &quoted(text),
            &member,
            &format!("Member must have length less than or equal to {limit}"),
        ));
    }
    Ok(())
}

/// What acknowledgement the template's IAM resources need, with the reason.
pub(super) fn needed_capability(template: &Template) -> Option<(&'static str, String)> {
    let iam = template.resources.values().filter(|definition| definition.kind.starts_with("AWS::IAM::"));
    let names = ["RoleName", "ManagedPolicyName", "UserName", "GroupName", "InstanceProfileName"];
    let mut kinds: Vec<&str> = Vec::new();
    let mut named = false;
    for definition in iam {
        kinds.push(&definition.kind);
        named |= definition.properties.keys().any(|key| names.contains(&key.as_str()));
    }
    kinds.sort_unstable();
    kinds.dedup();
    let capability = if named { "CAPABILITY_NAMED_IAM" } else { "CAPABILITY_IAM" };
    let reason = format!("The following resource(s) require capabilities: [{}]", kinds.join(", "));
    (!kinds.is_empty()).then_some((capability, reason))
}

/// Refuses a template whose IAM resources nobody has acknowledged.
pub(super) fn check_capabilities(template: &Template, settings: &Settings) -> Result<(), ApiError> {
    let given = |name: &str| settings.capabilities.iter().any(|capability| capability == name);
    match needed_capability(template) {
        Some(("CAPABILITY_IAM", _)) if given("CAPABILITY_IAM") || given("CAPABILITY_NAMED_IAM") => Ok(()),
        Some((needed, _)) if !given(needed) => {
            Err(ApiError::bad("InsufficientCapabilitiesException", format!("Requires capabilities : [{needed}]")))
        }
        _ => Ok(()),
    }
}

/// Whether validation before the deployment is wanted.
pub(super) fn validates(input: &Input<'_>) -> Result<bool, ApiError> {
    let mode =
        input.0.get("DeploymentConfig").and_then(|config| config.get("Mode")).and_then(serde_json::Value::as_str);
    if mode.is_some_and(|mode| mode != "STANDARD") {
        return Err(ApiError::not_emulated("cloudformation DeploymentConfig.Mode other than STANDARD"));
    }
    let disabled = input.0.get("DeploymentConfig").map(Input).and_then(|config| config.flag("DisableValidation"));
    Ok(!disabled.or_else(|| input.flag("DisableValidation")).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn template_urls_of_every_style_are_understood() {
        let place = Some(("b".to_owned(), "k/t.yaml".to_owned()));
        for url in [
            "https://b.s3.eu-west-1.amazonaws.com/k/t.yaml",
            "https://b.s3.amazonaws.com/k/t.yaml?versionId=1",
            "https://s3.eu-west-1.amazonaws.com/b/k/t.yaml",
            "http://127.0.0.1:4566/b/k/t.yaml",
        ] {
            assert_eq!(location(url), place, "{url}");
        }
        assert_eq!(location("ftp://x/y/z"), None);
        assert_eq!(location("https://s3.amazonaws.com/b"), None);
    }

    #[test]
    fn tags_keep_the_rules() {
        let read = |tags: serde_json::Value| tags_of(&tags).map_err(|error| error.message);
        assert!(read(json!([{ "Key": "a", "Value": "" }])).unwrap_err().contains("tags.1.member.value"));
        assert!(read(json!([{ "Key": "aws:x", "Value": "1" }])).unwrap_err().contains("aws:"));
        assert!(read(json!([{ "Key": "a", "Value": "1" }, { "Key": "a", "Value": "2" }])).is_err());
        assert_eq!(read(json!([{ "Key": "a", "Value": "1" }])).unwrap().len(), 1);
    }

    fn tags_of(tags: &serde_json::Value) -> Result<Tags, ApiError> {
        super::tags(&Input(&json!({ "Tags": tags })))
    }
}
