//! Security Token Service: who the caller is. Everybody is the same user.

use crate::cloud::{ACCOUNT, Cloud, Context};
use crate::error::ApiError;
use serde_json::{Value, json};

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(_cloud: &Cloud, _ctx: &Context, operation: &str, _input: Value) -> Result<Value, ApiError> {
    match operation {
        "GetCallerIdentity" => Ok(json!({
            "UserId": "AIDALOCALCLOUD000000",
            "Account": ACCOUNT,
            "Arn": format!("arn:aws:iam::{ACCOUNT}:user/localcloud"),
        })),
        _ => Err(ApiError::not_emulated(format!("sts {operation}"))),
    }
}
