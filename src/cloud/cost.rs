//! Billed cost by tag (Cost Explorer). Each page costs USD 0.01, and figures appear about a day late.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{PageCap, pages};
use super::outcome::{Failure, Outcome, settle};
use aws_sdk_costexplorer::types::{
    CostAllocationTagStatus, CostAllocationTagStatusEntry, DateInterval, Dimension, DimensionValues, Expression,
    Granularity, GroupDefinition, GroupDefinitionType, TagValues,
};
use serde::{Deserialize, Serialize};

/// Cost of one service on one day, as text, because a float loses cents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostLine {
    /// First day, `YYYY-MM-DD`.
    pub day: String,
    /// Service as billing names it.
    pub service: String,
    /// Decimal number.
    pub amount: String,
    /// Currency.
    pub unit: String,
    /// Not final.
    pub estimated: bool,
}

/// Unblended cost by service and day of what carries the tag. Days are `YYYY-MM-DD`, the end exclusive.
/// An empty answer means "not available yet", never zero.
pub async fn by_service(
    clients: &Clients,
    tag: (&str, &str),
    days: (&str, &str),
    cap: PageCap,
) -> Outcome<Option<Vec<CostLine>>> {
    const OPERATION: &str = "GetCostAndUsage";
    settle(async {
        let clients = &clients.in_region("us-east-1");
        let period = DateInterval::builder().start(days.0).end(days.1).build();
        let period = period.map_err(|e| Failure::unknown(OPERATION, e.to_string()))?;
        let by = GroupDefinition::builder().r#type(GroupDefinitionType::Dimension).key("SERVICE").build();
        let listing = pages(OPERATION, cap, async |token: Option<String>| {
            let call = || {
                let call = clients.sdk().costexplorer.get_cost_and_usage().time_period(period.clone());
                let call = call.granularity(Granularity::Daily).metrics("UnblendedCost").group_by(by.clone());
                call.filter(filter(tag)).set_next_page_token(token.clone()).send()
            };
            let answer = clients.read(Lane::CostExplorer, OPERATION, call).await?;
            let lines = answer.results_by_time.unwrap_or_default().into_iter().flat_map(day).collect();
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
        Ok(errors.map(|e| (e.tag_key.unwrap_or_default(), e.message.or(e.code).unwrap_or_default())).collect())
    })
    .await
}

fn filter((key, value): (&str, &str)) -> Expression {
    let tag = Expression::builder().tags(TagValues::builder().key(key).values(value).build()).build();
    let record = DimensionValues::builder().key(Dimension::RecordType).values("Credit").values("Refund").build();
    let credits = Expression::builder().dimensions(record).build();
    Expression::builder().and(tag).and(Expression::builder().not(credits).build()).build()
}

fn day(result: aws_sdk_costexplorer::types::ResultByTime) -> Vec<CostLine> {
    let day = result.time_period.map(|p| p.start).unwrap_or_default();
    let line = |group: aws_sdk_costexplorer::types::Group| {
        let metric = group.metrics.and_then(|mut m| m.remove("UnblendedCost"))?;
        Some(CostLine {
            day: day.clone(),
            service: group.keys.and_then(|keys| keys.into_iter().next()).unwrap_or_default(),
            amount: metric.amount?,
            unit: metric.unit?,
            estimated: result.estimated,
        })
    };
    result.groups.unwrap_or_default().into_iter().filter_map(line).collect()
}
