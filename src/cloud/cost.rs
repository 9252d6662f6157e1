//! Billed cost by tag (Cost Explorer). Each page costs USD 0.01, and figures appear about a day late.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{PageCap, pages};
use super::outcome::{Failure, Outcome, settle};
use aws_sdk_costexplorer::types::{
    CostAllocationTagStatus, CostAllocationTagStatusEntry, DateInterval, Dimension, DimensionValues, Expression,
    Granularity, GroupDefinition, GroupDefinitionType,
};
use serde::{Deserialize, Serialize};

/// Cost of one service on one day under one value of a tag, as text, because a float loses cents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostLine {
    /// First day, `YYYY-MM-DD`.
    pub day: String,
    /// The tag's value; absent for usage that carries no such tag.
    pub value: Option<String>,
    /// Service as billing names it.
    pub service: String,
    /// Decimal number.
    pub amount: String,
    /// Currency.
    pub unit: String,
    /// Not final.
    pub estimated: bool,
}

/// Unblended cost of the whole account by day, service and value of a tag, so that what carries no value is there too
/// and the sum is the account's. Days are `YYYY-MM-DD`, the end exclusive. An empty answer means "not available yet",
/// never zero.
pub async fn by_tag(clients: &Clients, key: &str, days: (&str, &str), cap: PageCap) -> Outcome<Option<Vec<CostLine>>> {
    const OPERATION: &str = "GetCostAndUsage";
    settle(async {
        let clients = &clients.in_region("us-east-1");
        let period = DateInterval::builder().start(days.0).end(days.1).build();
        let period = period.map_err(|e| Failure::unknown(OPERATION, e.to_string()))?;
        let group = |kind, key: &str| GroupDefinition::builder().r#type(kind).key(key).build();
        let by = [group(GroupDefinitionType::Tag, key), group(GroupDefinitionType::Dimension, "SERVICE")];
        let listing = pages(OPERATION, cap, async |token: Option<String>| {
            let call = || {
                let call = clients.sdk().costexplorer.get_cost_and_usage().time_period(period.clone());
                let call = call.granularity(Granularity::Daily).metrics("UnblendedCost");
                let call = call.set_group_by(Some(by.to_vec())).filter(without_credits());
                call.set_next_page_token(token.clone()).send()
            };
            let answer = clients.read(Lane::CostExplorer, OPERATION, call).await?;
            let lines = answer.results_by_time.unwrap_or_default().into_iter().flat_map(|of| day(key, of)).collect();
            Ok((lines, answer.next_page_token))
        })
        .await;
        match listing {
            Ok(listing) => Ok((!listing.items.is_empty()).then_some(listing.items)),
            Err(Failure::Refused(refusal)) if refusal.code.contains("DataUnavailable") => Ok(None),
            Err(failure) => Err(failure),
        }
    })
    .await
}

/// Whether a tag key is active for cost allocation; `None` if billing has not seen the key.
pub async fn tag_status(clients: &Clients, key: &str) -> Outcome<Option<String>> {
    settle(async {
        let clients = &clients.in_region("us-east-1");
        let call = || clients.sdk().costexplorer.list_cost_allocation_tags().tag_keys(key).send();
        let answer = clients.read(Lane::CostExplorer, "ListCostAllocationTags", call).await?;
        let tags = answer.cost_allocation_tags.unwrap_or_default();
        Ok(tags.into_iter().find(|t| t.tag_key == key).map(|t| t.status.as_str().to_owned()))
    })
    .await
}

/// Activates tag keys for cost allocation, at most 20 in a call (Cost Explorer API reference); gives the keys that
/// were refused, with the reason. Only accounts that pay may do so.
pub async fn activate_tags(clients: &Clients, keys: &[String]) -> Outcome<Vec<(String, String)>> {
    const OPERATION: &str = "UpdateCostAllocationTagsStatus";
    settle(async {
        let clients = &clients.in_region("us-east-1");
        let entry = |key: &String| {
            let entry = CostAllocationTagStatusEntry::builder().tag_key(key).status(CostAllocationTagStatus::Active);
            entry.build().map_err(|e| Failure::unknown(OPERATION, e.to_string()))
        };
        let entries = keys.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let call = clients.sdk().costexplorer.update_cost_allocation_tags_status();
        let call = call.set_cost_allocation_tags_status(Some(entries)).send();
        let answer = clients.write(Lane::CostExplorer, OPERATION, call).await?;
        let errors = answer.errors.unwrap_or_default().into_iter();
        let why = |code: Option<String>, message: Option<String>| match (code, message) {
            (Some(code), Some(message)) => format!("{code}: {message}"),
            (code, message) => code.or(message).unwrap_or_default(),
        };
        Ok(errors.map(|e| (e.tag_key.unwrap_or_default(), why(e.code, e.message))).collect())
    })
    .await
}

fn without_credits() -> Expression {
    let record = DimensionValues::builder().key(Dimension::RecordType).values("Credit").values("Refund").build();
    Expression::builder().not(Expression::builder().dimensions(record).build()).build()
}

/// A tag's group is named `key$value`, with nothing after the `$` for usage without the tag (Cost Explorer API
/// reference, GetCostAndUsage).
fn day(key: &str, result: aws_sdk_costexplorer::types::ResultByTime) -> Vec<CostLine> {
    let day = result.time_period.map(|p| p.start).unwrap_or_default();
    let line = |group: aws_sdk_costexplorer::types::Group| {
        let metric = group.metrics.and_then(|mut m| m.remove("UnblendedCost"))?;
        let mut keys = group.keys.unwrap_or_default().into_iter();
        let tag = keys.next().unwrap_or_default();
        let value = tag.strip_prefix(key).and_then(|rest| rest.strip_prefix('$')).unwrap_or_default();
        Some(CostLine {
            day: day.clone(),
            value: (!value.is_empty()).then(|| value.to_owned()),
            service: keys.next().unwrap_or_default(),
            amount: metric.amount?,
            unit: metric.unit?,
            estimated: result.estimated,
        })
    };
    result.groups.unwrap_or_default().into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{CostLine, activate_tags, by_tag, tag_status};
    use crate::cloud::testing::{Reply, Server};
    use crate::cloud::{Outcome, PageCap};

    const DAYS: (&str, &str) = ("2026-11-29", "2026-12-02");

    #[tokio::test]
    async fn groups_of_a_tag_are_read_with_the_empty_one_as_untagged() {
        let group = |tag: &str, amount: &str| {
            format!(
                r#"{{"Keys":["assay:run${tag}","AWS Lambda"],"Metrics":{{"UnblendedCost":{{"Amount":"{amount}","Unit":"USD"}}}}}}"#
            )
        };
        let body = format!(
            r#"{{"ResultsByTime":[{{"TimePeriod":{{"Start":"2026-11-30","End":"2026-12-01"}},"Groups":[{},{}],"Estimated":true}}]}}"#,
            group("r1", "0.0123"),
            group("", "1.5")
        );
        let server = Server::start(move |_| Reply::ok(body.clone())).await;
        let lines =
            by_tag(&server.clients().await, "assay:run", DAYS, PageCap(3)).await.done().flatten().expect("lines");
        let told: Vec<_> = lines.iter().map(|l: &CostLine| (l.value.as_deref(), l.amount.as_str())).collect();
        assert_eq!(told, [(Some("r1"), "0.0123"), (None, "1.5")]);
        assert!(lines.iter().all(|l| l.estimated && l.service == "AWS Lambda"));
        let sent = server.requests()[0].body.clone();
        for part in [r#""Type":"TAG""#, r#""Key":"assay:run""#, r#""Key":"SERVICE""#, r#""Start":"2026-11-29""#] {
            assert!(sent.contains(part), "{part}: {sent}");
        }
    }

    #[tokio::test]
    async fn no_data_is_not_zero() {
        for reply in [
            Reply::json_error("DataUnavailableException", "not yet"),
            Reply::ok(r#"{"ResultsByTime":[{"TimePeriod":{"Start":"2026-11-30","End":"2026-12-01"},"Groups":[]}]}"#),
        ] {
            let server = Server::start(move |_| reply.clone()).await;
            let answer = by_tag(&server.clients().await, "assay:run", DAYS, PageCap(3)).await;
            assert_eq!(answer, Outcome::Done(None));
        }
        let denied = Server::start(|_| Reply::json_error("AccessDeniedException", "no")).await;
        assert!(!by_tag(&denied.clients().await, "assay:run", DAYS, PageCap(3)).await.is_done());
    }

    #[tokio::test]
    async fn keys_that_billing_does_not_know_are_named() {
        let body =
            r#"{"Errors":[{"TagKey":"assay:run","Code":"TagKeysNotFoundException","Message":"Tag keys not found"}]}"#;
        let server = Server::start(move |_| Reply::ok(body)).await;
        let clients = server.clients().await;
        let refused = activate_tags(&clients, &["assay:run".to_owned()]).await.done().expect("an answer");
        assert_eq!(refused, [("assay:run".to_owned(), "TagKeysNotFoundException: Tag keys not found".to_owned())]);
        let nothing = Server::start(|_| Reply::ok(r#"{"CostAllocationTags":[]}"#)).await;
        assert_eq!(tag_status(&nothing.clients().await, "assay:run").await, Outcome::Done(None));
    }
}
