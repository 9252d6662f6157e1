//! The template behind a stack.

use super::super::budget::Lane;
use super::super::clients::Clients;
use super::super::outcome::{Outcome, require, settle};
use aws_sdk_cloudformation::types::TemplateStage;

/// The template as it was sent, also of a deleted stack when asked by id (CloudFormation API reference, `GetTemplate`).
pub async fn template(clients: &Clients, stack_id: &str) -> Outcome<String> {
    const OPERATION: &str = "GetTemplate";
    settle(async {
        let call = || {
            let call = clients.sdk().cloudformation.get_template().stack_name(stack_id);
            call.template_stage(TemplateStage::Original).send()
        };
        let answer = clients.read(Lane::CloudFormation, OPERATION, call).await?;
        require(OPERATION, "TemplateBody", answer.template_body)
    })
    .await
}
