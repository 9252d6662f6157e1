//! Whose account this is.

use super::budget::Lane;
use super::clients::Clients;
use super::outcome::{Outcome, require, settle};
use serde::{Deserialize, Serialize};

/// The answer of `sts:GetCallerIdentity`, with the partition taken from the ARN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Twelve digits.
    pub account: String,
    /// The caller.
    pub arn: String,
    /// `aws`, `aws-cn`, `aws-us-gov`, …
    pub partition: String,
}

/// Asks STS who calls.
pub async fn caller(clients: &Clients) -> Outcome<Identity> {
    const OPERATION: &str = "GetCallerIdentity";
    settle(async {
        let answer = clients.read(Lane::Sts, OPERATION, || clients.sdk().sts.get_caller_identity().send()).await?;
        let arn = require(OPERATION, "Arn", answer.arn)?;
        let partition = require(OPERATION, "partition in Arn", arn.split(':').nth(1).map(str::to_owned))?;
        Ok(Identity { account: require(OPERATION, "Account", answer.account)?, arn, partition })
    })
    .await
}

/// The account's alias (`iam:ListAccountAliases`); an account has one at most, and needs none.
pub async fn alias(clients: &Clients) -> Outcome<Option<String>> {
    settle(async {
        let call = || clients.sdk().iam.list_account_aliases().send();
        let answer = clients.read(Lane::Iam, "ListAccountAliases", call).await?;
        Ok(answer.account_aliases.into_iter().next())
    })
    .await
}
