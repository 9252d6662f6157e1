//! `AWS::IAM::Role`.

use super::work::document;
use super::{Attributes, Failure, Work, attributes, tags};
use serde_json::{Value, json};

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let name = work.physical_name();
    let mut input = work.pick(&["Path", "Description", "MaxSessionDuration"]);
    input.insert("RoleName".to_owned(), json!(name));
    input.insert("AssumeRolePolicyDocument".to_owned(), json!(document(work.property("AssumeRolePolicyDocument"))));
    if !work.tags.is_empty() {
        input.insert("Tags".to_owned(), tags::list(&work.tags));
    }
    work.call("CreateRole", Value::Object(input)).await?;
    Ok(name)
}

pub(super) async fn settle(work: &Work<'_>, name: &str) -> Result<Attributes, Failure> {
    for arn in work.texts("ManagedPolicyArns") {
        work.call("AttachRolePolicy", json!({ "RoleName": name, "PolicyArn": arn })).await?;
    }
    for (policy, text) in policies(work) {
        let input = json!({ "RoleName": name, "PolicyName": policy, "PolicyDocument": text });
        work.call("PutRolePolicy", input).await?;
    }
    let mut role = work.call("GetRole", json!({ "RoleName": name })).await?["Role"].take();
    Ok(attributes([("Arn", role["Arn"].take()), ("RoleId", role["RoleId"].take())]))
}

/// Inline policies: names and texts.
fn policies<'a>(work: &'a Work<'_>) -> Vec<(&'a str, String)> {
    let list = work.property("Policies").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|policy| Some((policy.get("PolicyName")?.as_str()?, document(policy.get("PolicyDocument")))))
        .collect()
}

pub(super) async fn update(work: &Work<'_>, name: &str, old: &Work<'_>) -> Result<(), Failure> {
    if work.differs(old, "AssumeRolePolicyDocument") {
        let text = document(work.property("AssumeRolePolicyDocument"));
        work.call("UpdateAssumeRolePolicy", json!({ "RoleName": name, "PolicyDocument": text })).await?;
    }
    if work.differs(old, "Description") || work.differs(old, "MaxSessionDuration") {
        let mut input = work.pick(&["Description", "MaxSessionDuration"]);
        input.insert("RoleName".to_owned(), json!(name));
        work.call("UpdateRole", Value::Object(input)).await?;
    }
    let kept = policies(work);
    for (policy, _) in policies(old).into_iter().filter(|(policy, _)| !kept.iter().any(|(name, _)| name == policy)) {
        work.call("DeleteRolePolicy", json!({ "RoleName": name, "PolicyName": policy })).await?;
    }
    let attached = work.texts("ManagedPolicyArns");
    for arn in old.texts("ManagedPolicyArns").into_iter().filter(|arn| !attached.contains(arn)) {
        work.call("DetachRolePolicy", json!({ "RoleName": name, "PolicyArn": arn })).await?;
    }
    retag(work, name, old).await
}

async fn retag(work: &Work<'_>, name: &str, old: &Work<'_>) -> Result<(), Failure> {
    let removed = tags::removed(&old.tags, &work.tags);
    if !removed.is_empty() {
        work.call("UntagRole", json!({ "RoleName": name, "TagKeys": removed })).await?;
    }
    if work.tags != old.tags && !work.tags.is_empty() {
        work.call("TagRole", json!({ "RoleName": name, "Tags": tags::list(&work.tags) })).await?;
    }
    Ok(())
}

/// Policies that somebody else has put on the role make the deletion fail.
pub(super) async fn delete(work: &Work<'_>, name: &str) -> Result<(), Failure> {
    for arn in work.texts("ManagedPolicyArns") {
        work.found("DetachRolePolicy", json!({ "RoleName": name, "PolicyArn": arn })).await?;
    }
    for (policy, _) in policies(work) {
        work.found("DeleteRolePolicy", json!({ "RoleName": name, "PolicyName": policy })).await?;
    }
    work.call("DeleteRole", json!({ "RoleName": name })).await.map(drop)
}

pub(super) async fn find(work: &Work<'_>, name: &str) -> Result<bool, Failure> {
    work.found("GetRole", json!({ "RoleName": name })).await
}
