//! `AWS::Lambda::Version`.

use super::{Attributes, Failure, Work, attributes as members};
use serde_json::{Value, json};

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let input = work.pick(&["FunctionName", "CodeSha256", "Description"]);
    let answer = work.call("PublishVersion", Value::Object(input)).await?;
    let arn = answer["FunctionArn"].as_str().map(str::to_owned);
    arn.ok_or_else(|| Failure::new("PublishVersion answered without an ARN"))
}

/// `Version` is the number at the end of the ARN.
pub(super) fn attributes(arn: &str) -> Attributes {
    let number = arn.rsplit(':').next().unwrap_or_default();
    members([("FunctionArn", arn.into()), ("Version", number.into())])
}

pub(super) async fn delete(work: &Work<'_>, arn: &str) -> Result<(), Failure> {
    let (function, number) = arn.rsplit_once(':').unwrap_or((arn, ""));
    work.call("DeleteFunction", json!({ "FunctionName": function, "Qualifier": number })).await.map(drop)
}
