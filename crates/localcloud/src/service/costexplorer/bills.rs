//! Costs as billing tells them, by day, service and the value of one tag.

use crate::error::ApiError;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One day's cost of one service under one value of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bill {
    /// Day, `YYYY-MM-DD`.
    pub day: String,
    /// Tag key and value; absent for usage without that tag.
    pub tag: Option<(String, String)>,
    /// Service as billing names it.
    pub service: String,
    /// Decimal number of US dollars.
    pub usd: String,
    /// Not final.
    pub estimated: bool,
}

/// Answers `GetCostAndUsage` grouped by one tag and by service; without bills the days have no groups. Every day of the
/// period is a result of its own, and an estimated bill makes its whole day estimated (Cost Explorer API reference,
/// `ResultByTime`).
pub(super) fn cost_and_usage(bills: &[Bill], input: &Value) -> Result<Value, ApiError> {
    let period = |name: &str| input["TimePeriod"][name].as_str().unwrap_or_default();
    let groups = input.get("GroupBy").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let key = groups.iter().find(|g| g["Type"] == "TAG").and_then(|g| g["Key"].as_str());
    let by_service = groups.iter().any(|g| g["Type"] == "DIMENSION" && g["Key"] == "SERVICE");
    let (Some(key), true) = (key, by_service && groups.len() == 2) else {
        return Err(ApiError::not_emulated("costexplorer GetCostAndUsage not grouped by one tag and SERVICE"));
    };
    let within = |bill: &&Bill| (period("Start")..period("End")).contains(&bill.day.as_str());
    let days: BTreeSet<&str> = bills.iter().filter(within).map(|bill| bill.day.as_str()).collect();
    let results: Vec<Value> = days.into_iter().map(|day| result(bills, day, key)).collect();
    Ok(json!({ "ResultsByTime": results, "DimensionValueAttributes": [], "GroupDefinitions": groups }))
}

fn result(bills: &[Bill], day: &str, key: &str) -> Value {
    let of_day: Vec<&Bill> = bills.iter().filter(|bill| bill.day == day).collect();
    let groups: BTreeMap<(String, &str), &str> =
        of_day.iter().map(|bill| (group(bill, key), bill.usd.as_str())).collect();
    let groups: Vec<Value> = groups
        .into_iter()
        .map(|((tag, service), usd)| {
            json!({ "Keys": [tag, service], "Metrics": { "UnblendedCost": { "Amount": usd, "Unit": "USD" } } })
        })
        .collect();
    let estimated = of_day.iter().any(|bill| bill.estimated);
    json!({ "TimePeriod": { "Start": day, "End": day }, "Total": {}, "Groups": groups, "Estimated": estimated })
}

/// A tag's group is `key$value`, with nothing after the `$` for usage without the tag.
fn group<'a>(bill: &'a Bill, key: &str) -> (String, &'a str) {
    let value = bill.tag.as_ref().filter(|(of, _)| of == key).map_or("", |(_, value)| value.as_str());
    (format!("{key}${value}"), bill.service.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bills_of_the_period_are_grouped_by_tag_and_service() {
        let bill = |day: &str, tag: Option<&str>, usd: &str, estimated| Bill {
            day: day.into(),
            tag: tag.map(|value| ("run".into(), value.into())),
            service: "AWS Lambda".into(),
            usd: usd.into(),
            estimated,
        };
        let bills = [
            bill("2026-11-30", Some("r"), "0.1", false),
            bill("2026-11-30", None, "2", true),
            bill("2026-12-02", None, "3", false),
        ];
        let group = json!([{ "Type": "TAG", "Key": "run" }, { "Type": "DIMENSION", "Key": "SERVICE" }]);
        let input = json!({ "TimePeriod": { "Start": "2026-11-30", "End": "2026-12-02" }, "GroupBy": group });
        let answer = cost_and_usage(&bills, &input).unwrap();
        let days = answer["ResultsByTime"].as_array().unwrap();
        assert_eq!((days.len(), &days[0]["Estimated"]), (1, &json!(true)));
        assert_eq!(days[0]["Groups"][0]["Keys"], json!(["run$", "AWS Lambda"]));
        assert_eq!(days[0]["Groups"][1]["Metrics"]["UnblendedCost"]["Amount"], "0.1");
        assert!(cost_and_usage(&bills, &json!({})).is_err());
    }
}
