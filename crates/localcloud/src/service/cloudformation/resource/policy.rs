//! `AWS::IAM::Policy`: one inline policy on several roles.

use super::super::naming::{Case, physical_name};
use super::work::document;
use super::{Failure, Work};
use serde_json::json;

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    put(work).await?;
    // CloudFormation keeps only the start of the logical id here.
    let start = work.logical_id.get(..5).unwrap_or(work.logical_id);
    Ok(physical_name(&work.run.stack_name, start, &work.run.cloud.uuid(), 128, Case::Mixed))
}

async fn put(work: &Work<'_>) -> Result<(), Failure> {
    let (name, text) = (work.text("PolicyName").unwrap_or_default(), document(work.property("PolicyDocument")));
    for role in work.texts("Roles") {
        let input = json!({ "RoleName": role, "PolicyName": name, "PolicyDocument": text });
        work.call("PutRolePolicy", input).await?;
    }
    Ok(())
}

pub(super) async fn update(work: &Work<'_>, old: &Work<'_>) -> Result<(), Failure> {
    let kept = work.texts("Roles");
    for role in old.texts("Roles").into_iter().filter(|role| !kept.contains(role)) {
        remove(old, role).await?;
    }
    put(work).await
}

async fn remove(work: &Work<'_>, role: &str) -> Result<(), Failure> {
    let name = work.text("PolicyName").unwrap_or_default();
    work.found("DeleteRolePolicy", json!({ "RoleName": role, "PolicyName": name })).await.map(drop)
}

pub(super) async fn delete(work: &Work<'_>) -> Result<(), Failure> {
    for role in work.texts("Roles") {
        remove(work, role).await?;
    }
    Ok(())
}
