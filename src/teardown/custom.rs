//! Who serves a custom resource: its ServiceToken, from the stack's template.

use super::Job;
use super::report::FailingResource;
use crate::cloud::stacks::{self, is_custom};
use crate::cloud::{Failure, Outcome};
use serde_json::Value;
use std::collections::BTreeMap;

/// The rule behind every silent custom resource (CloudFormation template reference, `ServiceTimeout`: 3600 seconds
/// unless the template says less).
const RULE: &str = "CloudFormation waits 1 h for its answer, then the deletion fails";

/// Names the ServiceToken of each custom resource among those that failed.
pub(super) async fn name_providers(job: &Job, stack_id: &str, failing: &mut [FailingResource]) {
    if !failing.iter().any(|r| is_custom(&r.resource_type)) {
        return;
    }
    let tokens = service_tokens(job, stack_id).await;
    for resource in failing.iter_mut().filter(|r| is_custom(&r.resource_type)) {
        resource.service_token = Some(token_of(&tokens, &resource.logical_id));
    }
}

/// What to say of custom resources that have not answered.
pub(super) async fn silence(job: &Job, stack_id: &str, logical_ids: &[String]) -> String {
    let tokens = service_tokens(job, stack_id).await;
    let said = logical_ids.iter().map(|id| told(id, &token_of(&tokens, id)));
    said.collect::<Vec<_>>().join("; ")
}

/// One custom resource in words.
pub(super) fn told(logical_id: &str, token: &str) -> String {
    format!("custom resource {logical_id} is served by {token}; {RULE}")
}

type Tokens = Result<BTreeMap<String, String>, Failure>;

fn token_of(tokens: &Tokens, logical_id: &str) -> String {
    match tokens {
        Ok(tokens) => tokens.get(logical_id).cloned().unwrap_or_else(|| "no ServiceToken in its template".to_owned()),
        Err(failure) => format!("a ServiceToken that could not be read ({failure})"),
    }
}

/// ServiceTokens by logical id.
async fn service_tokens(job: &Job, stack_id: &str) -> Tokens {
    let text = stacks::template(&job.clients, stack_id).await.into_result()?;
    let listed = stacks::resources(&job.clients, stack_id, job.limits.cap).await;
    // Without physical ids the template's own names still tell.
    let physical: BTreeMap<String, String> = match listed {
        Outcome::Done(listing) => {
            listing.items.into_iter().filter_map(|r| Some((r.logical_id, r.physical_id?))).collect()
        }
        _ => BTreeMap::new(),
    };
    read_tokens(&text, &physical)
}

fn read_tokens(template: &str, physical: &BTreeMap<String, String>) -> Tokens {
    let limits = yaml::Limits::default();
    let document = yaml::Document::parse("template", template, yaml::Dialect::CloudFormation, limits)
        .map_err(|e| Failure::unknown("GetTemplate", e.to_string()))?;
    let resources = document.value()["Resources"].as_object().cloned().unwrap_or_default();
    let token = |(id, resource): (String, Value)| {
        let token = resource["Properties"].get("ServiceToken")?;
        Some((id, in_words(token, physical)))
    };
    Ok(resources.into_iter().filter_map(token).collect())
}

/// An ARN as it is; a reference by the physical id of what it names.
fn in_words(token: &Value, physical: &BTreeMap<String, String>) -> String {
    let named = |id: &str| physical.get(id).map_or_else(|| id.to_owned(), |name| format!("{name} ({id})"));
    if let Some(arn) = token.as_str() {
        return arn.to_owned();
    }
    let attribute = &token["Fn::GetAtt"];
    let of = attribute[0].as_str().or_else(|| attribute.as_str().and_then(|text| text.split('.').next()));
    match (of, token["Ref"].as_str(), token["Fn::Sub"].as_str(), token["Fn::ImportValue"].as_str()) {
        (Some(id), ..) | (_, Some(id), ..) => named(id),
        (_, _, Some(text), _) => text.to_owned(),
        (.., Some(export)) => format!("export {export}"),
        _ => token.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::read_tokens;
    use std::collections::BTreeMap;

    #[test]
    fn tokens_are_read_from_yaml_and_json_and_references_are_followed() {
        let physical = BTreeMap::from([("Handler".to_owned(), "assay-x-handler".to_owned())]);
        let yaml = "
Resources:
  A: {Type: 'Custom::A', Properties: {ServiceToken: 'arn:aws:lambda:us-east-1:1:function:seed'}}
  B: {Type: 'Custom::B', Properties: {ServiceToken: !GetAtt Handler.Arn}}
  C: {Type: 'AWS::CloudFormation::CustomResource', Properties: {ServiceToken: !Ref Provider}}
  D: {Type: 'Custom::D', Properties: {ServiceToken: !Sub 'arn:aws:sns:${AWS::Region}:1:t'}}
  Queue: {Type: 'AWS::SQS::Queue'}
";
        let tokens = read_tokens(yaml, &physical).expect("tokens");
        let of = |id: &str| tokens.get(id).map(String::as_str);
        assert_eq!(of("A"), Some("arn:aws:lambda:us-east-1:1:function:seed"));
        assert_eq!(of("B"), Some("assay-x-handler (Handler)"));
        assert_eq!(of("C"), Some("Provider"));
        assert_eq!(of("D"), Some("arn:aws:sns:${AWS::Region}:1:t"));
        assert_eq!(of("Queue"), None);
        let json = r#"{"Resources":{"B":{"Type":"Custom::B","Properties":{"ServiceToken":{"Fn::GetAtt":["Handler","Arn"]}}}}}"#;
        assert_eq!(read_tokens(json, &physical).expect("tokens")["B"], "assay-x-handler (Handler)");
    }
}
