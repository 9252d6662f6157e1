//! `AWS::IAM::ManagedPolicy`.

use super::work::document;
use super::{Attributes, Failure, Work, attributes};
use serde_json::{Value, json};

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let mut input = work.pick(&["Description", "Path"]);
    input.insert("PolicyName".to_owned(), json!(work.physical_name()));
    input.insert("PolicyDocument".to_owned(), json!(document(work.property("PolicyDocument"))));
    let answer = work.call("CreatePolicy", Value::Object(input)).await?;
    let arn = answer["Policy"]["Arn"].as_str().map(str::to_owned);
    arn.ok_or_else(|| Failure::new("CreatePolicy answered without an ARN"))
}

pub(super) async fn settle(work: &Work<'_>, arn: &str) -> Result<Attributes, Failure> {
    for role in work.texts("Roles") {
        work.call("AttachRolePolicy", json!({ "RoleName": role, "PolicyArn": arn })).await?;
    }
    Ok(attributes([("PolicyArn", arn.into())]))
}

pub(super) async fn update(work: &Work<'_>, arn: &str, old: &Work<'_>) -> Result<(), Failure> {
    if work.differs(old, "PolicyDocument") {
        let text = document(work.property("PolicyDocument"));
        let input = json!({ "PolicyArn": arn, "PolicyDocument": text, "SetAsDefault": true });
        work.call("CreatePolicyVersion", input).await?;
    }
    let kept = work.texts("Roles");
    detach(work, arn, old.texts("Roles").into_iter().filter(|role| !kept.contains(role))).await
}

async fn detach<'a>(work: &Work<'_>, arn: &str, roles: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    for role in roles {
        work.found("DetachRolePolicy", json!({ "RoleName": role, "PolicyArn": arn })).await?;
    }
    Ok(())
}

pub(super) async fn delete(work: &Work<'_>, arn: &str) -> Result<(), Failure> {
    detach(work, arn, work.texts("Roles").into_iter()).await?;
    work.call("DeletePolicy", json!({ "PolicyArn": arn })).await.map(drop)
}
