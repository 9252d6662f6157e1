//! The function's resource policy, as far as templates write it. Nothing is enforced.

use super::errors::{conflict, missing};
use super::function::Permission;
use super::input::Input;
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::{Value, json};

/// Answers AddPermission, GetPolicy or RemovePermission.
pub(super) fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, input.text("Qualifier"))?;
    cloud.with(&ctx.region, |state| {
        state.lambda.version(&ctx.region, &reference)?;
        let function = state.lambda.function_mut(&ctx.region, &reference)?;
        let permissions = &mut function.permissions;
        let none = || missing("The resource you requested does not exist.");
        match operation {
            "AddPermission" => {
                let sid = input.required("StatementId")?;
                if permissions.iter().any(|p| p.sid == sid && p.qualifier == reference.qualifier) {
                    return Err(conflict(format!("The statement id ({sid}) provided already exists. Please provide a new statement id, or remove the existing statement.")));
                }
                let statement = statement(sid, &reference.arn(&ctx.region), input)?;
                let text = statement.to_string();
                permissions.push(Permission { sid: sid.to_owned(), qualifier: reference.qualifier.clone(), statement });
                Ok(json!({"Statement": text}))
            }
            "RemovePermission" => {
                let sid = input.required("StatementId")?;
                let before = permissions.len();
                permissions.retain(|p| p.sid != sid || p.qualifier != reference.qualifier);
                if permissions.len() == before { Err(none()) } else { Ok(json!({})) }
            }
            _ => {
                let own = permissions.iter().filter(|p| p.qualifier == reference.qualifier);
                let statements: Vec<&Value> = own.map(|p| &p.statement).collect();
                if statements.is_empty() {
                    return Err(none());
                }
                let policy = json!({"Version": "2012-10-17", "Id": "default", "Statement": statements});
                Ok(json!({"Policy": policy.to_string(), "RevisionId": function.latest.revision}))
            }
        }
    })
}

fn statement(sid: &str, arn: &str, input: Input<'_>) -> Result<Value, ApiError> {
    let principal = input.required("Principal")?;
    let key = if principal.ends_with(".amazonaws.com") { "Service" } else { "AWS" };
    let mut statement = json!({
        "Sid": sid,
        "Effect": "Allow",
        "Principal": {key: principal},
        "Action": input.required("Action")?,
        "Resource": arn,
    });
    if let Some(source) = input.text("SourceArn") {
        statement["Condition"] = json!({"ArnLike": {"AWS:SourceArn": source}});
    }
    Ok(statement)
}
