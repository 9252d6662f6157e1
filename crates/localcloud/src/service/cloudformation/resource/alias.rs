//! `AWS::Lambda::Alias`.

use super::{Failure, Work};
use serde_json::Value;

const MEMBERS: [&str; 4] = ["FunctionName", "FunctionVersion", "Name", "Description"];

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let answer = work.call("CreateAlias", Value::Object(work.pick(&MEMBERS))).await?;
    let arn = answer["AliasArn"].as_str().map(str::to_owned);
    arn.ok_or_else(|| Failure::new("CreateAlias answered without an ARN"))
}

pub(super) async fn update(work: &Work<'_>) -> Result<(), Failure> {
    work.call("UpdateAlias", Value::Object(work.pick(&MEMBERS))).await.map(drop)
}

pub(super) async fn delete(work: &Work<'_>) -> Result<(), Failure> {
    work.call("DeleteAlias", Value::Object(work.pick(&["FunctionName", "Name"]))).await.map(drop)
}
