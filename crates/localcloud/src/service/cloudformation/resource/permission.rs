//! `AWS::Lambda::Permission`.

use super::super::naming::Case;
use super::{Failure, Work};
use serde_json::{Value, json};

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let statement = work.made_up(100, Case::Mixed);
    let mut input = work.pick(&[
        "Action",
        "EventSourceToken",
        "FunctionName",
        "Principal",
        "PrincipalOrgID",
        "SourceAccount",
        "SourceArn",
    ]);
    input.insert("StatementId".to_owned(), json!(statement));
    work.call("AddPermission", Value::Object(input)).await?;
    Ok(statement)
}

pub(super) async fn delete(work: &Work<'_>, statement: &str) -> Result<(), Failure> {
    let function = work.text("FunctionName").unwrap_or_default();
    work.call("RemovePermission", json!({ "FunctionName": function, "StatementId": statement })).await.map(drop)
}
