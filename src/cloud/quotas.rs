//! What an account may have: stacks, function concurrency and function code.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{PageCap, pages};
use super::outcome::{Outcome, require, settle};

/// Lambda's limits of one region (`GetAccountSettings`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionQuota {
    /// Executions at once that no function has reserved.
    pub unreserved: i64,
    /// Bytes of code allowed, all versions together.
    pub code_bytes: i64,
    /// Bytes of code there are.
    pub code_bytes_used: i64,
}

/// How many stacks the account may have in this region; `None` if the answer names no such limit
/// (`DescribeAccountLimits`, `StackLimit`).
pub async fn stack_limit(clients: &Clients, cap: PageCap) -> Outcome<Option<i64>> {
    const OPERATION: &str = "DescribeAccountLimits";
    settle(async {
        let listing = pages(OPERATION, cap, async |token: Option<String>| {
            let call = || clients.sdk().cloudformation.describe_account_limits().set_next_token(token.clone()).send();
            let answer = clients.read(Lane::CloudFormation, OPERATION, call).await?;
            Ok((answer.account_limits.unwrap_or_default(), answer.next_token))
        });
        let limit = listing.await?.items.into_iter().find(|l| l.name.as_deref() == Some("StackLimit"));
        Ok(limit.and_then(|l| l.value).map(i64::from))
    })
    .await
}

/// What Lambda allows in this region.
pub async fn functions(clients: &Clients) -> Outcome<FunctionQuota> {
    const OPERATION: &str = "GetAccountSettings";
    settle(async {
        let call = || clients.sdk().lambda.get_account_settings().send();
        let answer = clients.read(Lane::LambdaControl, OPERATION, call).await?;
        let limit = require(OPERATION, "AccountLimit", answer.account_limit)?;
        Ok(FunctionQuota {
            unreserved: require(OPERATION, "UnreservedConcurrentExecutions", limit.unreserved_concurrent_executions)?
                .into(),
            code_bytes: limit.total_code_size,
            code_bytes_used: answer.account_usage.map_or(0, |usage| usage.total_code_size),
        })
    })
    .await
}
