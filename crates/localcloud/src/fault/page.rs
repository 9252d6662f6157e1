//! Pages that are not as pages should be.
//!
//! Both effects have to lead on to the real items, so the tokens they make carry the token they replace.

use super::Effect;
use serde_json::{Map, Value, json};

/// Prefix of tokens made here.
const MADE: &str = "assay-page:";
/// The attribute that carries the token where a token is a map (DynamoDB's keys).
const MADE_KEY: &str = "assay-page";

/// Names of a page token as (input member, output member).
const TOKENS: [(&str, &str); 11] = [
    ("NextToken", "NextToken"),
    ("nextToken", "nextToken"),
    ("PaginationToken", "PaginationToken"),
    ("Marker", "NextMarker"),
    ("Marker", "Marker"),
    ("ContinuationToken", "NextContinuationToken"),
    ("NextPageToken", "NextPageToken"),
    ("ExclusiveStartTableName", "LastEvaluatedTableName"),
    ("ExclusiveStartStreamArn", "LastEvaluatedStreamArn"),
    ("ExclusiveStartKey", "LastEvaluatedKey"),
    ("KeyMarker", "NextKeyMarker"),
];

/// Puts back the token that a token made here replaced.
pub(crate) fn unwrap_token(input: &mut Value) {
    let Some(members) = input.as_object_mut() else { return };
    for (name, _) in TOKENS {
        let original = match members.get(name) {
            Some(Value::String(token)) => token.strip_prefix(MADE).map(|t| Value::String(t.to_owned())),
            Some(Value::Object(key)) => key.get(MADE_KEY).and_then(|k| k.get("M")).cloned(),
            _ => None,
        };
        match original {
            Some(Value::String(token)) if token.is_empty() => drop(members.remove(name)),
            Some(Value::Object(key)) if key.is_empty() => drop(members.remove(name)),
            Some(token) => drop(members.insert(name.to_owned(), token)),
            None => {}
        }
    }
}

/// Applies an effect on a page to an operation's output; `asked` is the input as the client sent it.
pub(crate) fn damage_page(operation: &str, asked: &Value, output: &mut Value, effect: &Effect) {
    let (Some((input_name, output_name)), Some(members)) = (names(operation), output.as_object_mut()) else { return };
    let token = asked.get(input_name).cloned();
    let made = match (effect, token) {
        (Effect::RepeatedPageToken, Some(token)) => token,
        (_, token) => made_from(operation, token),
    };
    if *effect == Effect::EmptyPageWithToken {
        for value in members.values_mut() {
            if let Value::Array(items) = value {
                items.clear();
            }
        }
        for count in ["Count", "ScannedCount", "KeyCount"] {
            if members.contains_key(count) {
                members.insert(count.to_owned(), json!(0));
            }
        }
    }
    if members.contains_key("IsTruncated") {
        members.insert("IsTruncated".to_owned(), json!(true));
    }
    members.insert(output_name.to_owned(), made);
}

fn made_from(operation: &str, token: Option<Value>) -> Value {
    match (operation, token) {
        ("Query" | "Scan", token) => {
            let original = token.unwrap_or_else(|| Value::Object(Map::new()));
            json!({ MADE_KEY: { "M": original } })
        }
        (_, Some(Value::String(token))) => Value::String(format!("{MADE}{token}")),
        (_, _) => Value::String(MADE.to_owned()),
    }
}

/// The token's names for an operation that pages.
fn names(operation: &str) -> Option<(&'static str, &'static str)> {
    let index = match operation {
        "DescribeStacks"
        | "DescribeStackEvents"
        | "DescribeEvents"
        | "ListStacks"
        | "ListStackResources"
        | "ListChangeSets"
        | "DescribeStackResourceDrifts"
        | "ListQueues"
        | "ListCostAllocationTags" => 0,
        "DescribeLogGroups" | "DescribeLogStreams" | "FilterLogEvents" => 1,
        "GetResources" => 2,
        "ListFunctions"
        | "ListVersionsByFunction"
        | "ListAliases"
        | "ListEventSourceMappings"
        | "ListDurableExecutionsByFunction"
        | "GetDurableExecutionHistory" => 3,
        "ListRoles" | "ListRoleTags" | "ListRolePolicies" | "ListAttachedRolePolicies" => 4,
        "ListObjectsV2" => 5,
        "GetCostAndUsage" => 6,
        "ListTables" => 7,
        "ListStreams" => 8,
        "Query" | "Scan" => 9,
        _ => return None,
    };
    TOKENS.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_page_leads_to_the_items() {
        let asked = json!({ "NextToken": "t1" });
        let mut output = json!({ "Stacks": [1, 2] });
        damage_page("DescribeStacks", &asked, &mut output, &Effect::EmptyPageWithToken);
        assert_eq!(output, json!({ "Stacks": [], "NextToken": "assay-page:t1" }));
        let mut next = json!({ "NextToken": output["NextToken"] });
        unwrap_token(&mut next);
        assert_eq!(next, asked);
    }

    #[test]
    fn a_first_page_can_be_empty_too() {
        let mut output = json!({ "Items": [1], "Count": 1 });
        damage_page("Scan", &json!({}), &mut output, &Effect::EmptyPageWithToken);
        assert_eq!(output["Count"], 0);
        let mut next = json!({ "ExclusiveStartKey": output["LastEvaluatedKey"] });
        unwrap_token(&mut next);
        assert_eq!(next, json!({}));
    }

    #[test]
    fn a_repeated_token_is_the_one_it_was_asked_with() {
        let mut output = json!({ "Functions": [1] });
        damage_page("ListFunctions", &json!({ "Marker": "m" }), &mut output, &Effect::RepeatedPageToken);
        assert_eq!(output["NextMarker"], "m");
    }

    #[test]
    fn operations_without_pages_are_left_alone() {
        let mut output = json!({ "QueueUrl": "u" });
        damage_page("CreateQueue", &json!({}), &mut output, &Effect::EmptyPageWithToken);
        assert_eq!(output, json!({ "QueueUrl": "u" }));
    }
}
