//! Expressions against items.

use super::super::value::{Item, item_from_json, item_to_json};
use super::key::Range;
use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn placeholders(names: &Value, values: &Value) -> Placeholders {
    let names = serde_json::from_value(names.clone()).unwrap();
    Placeholders::new(Some(names), values.as_object()).unwrap()
}

fn item() -> Item {
    item_from_json(&json!({
        "pk": { "S": "p" }, "n": { "N": "5" }, "t": { "S": "hello" }, "status": { "S": "up" },
        "m": { "M": { "l": { "L": [{ "S": "a" }, { "N": "2" }] }, "x": { "N": "1" } } },
        "ss": { "SS": ["a", "b"] }, "flag": { "BOOL": false },
    }))
    .unwrap()
}

fn values() -> Value {
    json!({ ":n": { "N": "5.0" }, ":s": { "S": "hel" }, ":a": { "S": "a" }, ":k": { "S": "SS" }, ":l": { "L": [{ "S": "z" }] },
            ":set": { "SS": ["b", "c"] }, ":one": { "N": "1" }, ":false": { "BOOL": false } })
}

fn condition(text: &str) -> Result<bool, String> {
    let mut known = placeholders(&json!({ "#s": "status", "#dot": "a.b" }), &values());
    let condition = Condition::parse(Role::Condition, text, &mut known).map_err(|error| error.message)?;
    Ok(holds(&condition, &item()))
}

#[test]
fn conditions_hold_or_not() {
    for (text, result) in [
        ("attribute_exists(pk)", true),
        ("attribute_not_exists(pk)", false),
        ("attribute_not_exists(#dot)", true),
        ("n = :n", true),
        ("n <> :n", false),
        ("absent <> :n", true),
        ("absent = :n", false),
        ("NOT absent = :n", true),
        ("n > :one AND n < :n", false),
        ("n > :one and n <= :n", true),
        ("n BETWEEN :one AND :n AND attribute_exists(t)", true),
        ("t = :s OR begins_with(t, :s)", true),
        ("(t = :s OR begins_with(t, :s)) AND NOT (flag = :n)", true),
        ("contains(ss, :a) AND contains(t, :s) AND contains(m.l, :a)", true),
        ("size(t) = :n", true),
        ("size(m.l) > :one", true),
        ("attribute_type(ss, :k)", true),
        ("#s IN (:s, :a)", false),
        ("m.l[0] IN (:s, :a)", true),
        ("m.l[1] > m.x", true),
        ("flag = :false", true),
        ("t > :n", false),
    ] {
        assert_eq!(condition(text), Ok(result), "{text}");
    }
}

#[test]
fn bad_conditions_say_why() {
    for (text, message) in [
        ("", "Invalid ConditionExpression: The expression can not be empty;"),
        ("status = :n", "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: status"),
        (
            "n = :nope",
            "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :nope",
        ),
        (
            "#nope = :n",
            "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #nope",
        ),
        ("n = ", "Invalid ConditionExpression: Syntax error; token: \"<EOF>\", near: \"=\""),
        ("n = :n )", "Invalid ConditionExpression: Syntax error; token: \")\", near: \":n )\""),
        ("n ! :n", "Invalid ConditionExpression: Syntax error; token: \"!\", near: \"! :n\""),
        ("exists(n)", "Invalid ConditionExpression: Invalid function name; function: exists"),
        (
            "begins_with(t, :n)",
            "Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N",
        ),
    ] {
        assert_eq!(condition(text), Err(message.to_owned()), "{text}");
    }
    assert!(condition(&"(".repeat(4000)).unwrap_err().ends_with("nested too deeply"));
    assert!(condition(&"NOT ".repeat(1000)).unwrap_err().ends_with("nested too deeply"));
    assert!(condition(&"n".repeat(5000)).unwrap_err().contains("maximum allowed size"));
}

fn update(text: &str) -> Result<Value, String> {
    let mut known = placeholders(&json!({ "#s": "status" }), &values());
    let update = Update::parse(text, &mut known).map_err(|error| error.message)?;
    apply(&update, &item()).map(|item| item_to_json(&item)).map_err(|error| error.message)
}

#[test]
fn updates_change_what_they_name() {
    let after = update(
        "SET n = n + :one, m.x = if_not_exists(m.y, :n), m.l = list_append(m.l, :l), #s = t REMOVE flag ADD ss :set",
    )
    .unwrap();
    assert_eq!(
        after,
        json!({
            "pk": { "S": "p" }, "n": { "N": "6" }, "t": { "S": "hello" }, "status": { "S": "hello" },
            "m": { "M": { "l": { "L": [{ "S": "a" }, { "N": "2" }, { "S": "z" }] }, "x": { "N": "5" } } },
            "ss": { "SS": ["a", "b", "c"] },
        })
    );
    assert_eq!(update("DELETE ss :set").unwrap()["ss"], json!({ "SS": ["a"] }));
    assert_eq!(update("ADD visits :one").unwrap()["visits"], json!({ "N": "1" }));
    assert_eq!(update("SET n = :n - :one").unwrap()["n"], json!({ "N": "4" }));
    assert_eq!(update("SET t = n, n = :one").unwrap()["t"], json!({ "N": "5" }));
    assert_eq!(update("REMOVE m.l[0], m.l[1]").unwrap()["m"]["M"]["l"], json!({ "L": [] }));
    assert_eq!(update("SET m.l[7] = :a").unwrap()["m"]["M"]["l"]["L"][2], json!({ "S": "a" }));
}

#[test]
fn bad_updates_say_why() {
    for (text, message) in [
        (
            "SET a = :n SET b = :n",
            "Invalid UpdateExpression: The \"SET\" section can only be used once in an update expression;",
        ),
        (
            "SET m = :n, m.x = :n",
            "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [m], path two: [m, x]",
        ),
        (
            "SET m.a = :n, m[0] = :n",
            "Invalid UpdateExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [m, a], path two: [m, [0]]",
        ),
        ("SET a = b", "The provided expression refers to an attribute that does not exist in the item"),
        ("SET a.b = :n", "The document path provided in the update expression is invalid for update"),
        ("SET n = t + :one", "An operand in the update expression has an incorrect data type"),
        (
            "ADD t :s",
            "Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: S",
        ),
        ("DELETE n :set", "An operand in the update expression has an incorrect data type"),
        ("SET a = frob(:n)", "Invalid UpdateExpression: Invalid function name; function: frob"),
        ("n = :n", "Invalid UpdateExpression: Syntax error; token: \"n\", near: \"n = :n\""),
    ] {
        assert_eq!(update(text), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn unused_placeholders_are_refused() {
    let mut known =
        placeholders(&json!({ "#s": "status", "#t": "t" }), &json!({ ":a": { "S": "a" }, ":b": { "S": "b" } }));
    Condition::parse(Role::Filter, "#s = :a", &mut known).unwrap();
    assert_eq!(
        known.finish().unwrap_err().message,
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#t}"
    );
    Condition::parse(Role::Filter, "#t = :a", &mut known).unwrap();
    assert_eq!(
        known.finish().unwrap_err().message,
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}"
    );
}

#[test]
fn projections_keep_places() {
    let mut known = Placeholders::default();
    let projection = Projection::parse("pk, m.l[1], m.x, nothing, t.deep", &mut known).unwrap();
    assert_eq!(
        item_to_json(&projection.apply(&item())),
        json!({ "pk": { "S": "p" }, "m": { "M": { "l": { "L": [{ "N": "2" }] }, "x": { "N": "1" } } } })
    );
    assert!(Projection::parse("m, m.x", &mut known).is_err());
}

#[test]
fn key_conditions_are_taken_apart() {
    let mut known = placeholders(&json!({}), &values());
    let parse = |text: &str, known: &mut Placeholders| KeyCondition::parse(text, "pk", Some("sk"), known);
    assert!(matches!(parse("pk = :a AND begins_with(sk, :s)", &mut known).unwrap().range, Some(Range::BeginsWith(_))));
    assert!(matches!(parse("sk BETWEEN :a AND :s AND pk = :a", &mut known).unwrap().range, Some(Range::Between(..))));
    assert!(parse("(pk = :a)", &mut known).unwrap().range.is_none());
    for (text, message) in [
        ("sk = :a", "Query condition missed key schema element: pk"),
        ("pk > :a", "Query key condition not supported"),
        ("pk = :a OR sk = :a", "Query key condition not supported"),
        ("pk = :a AND sk <> :a", "Query key condition not supported"),
        ("pk = :a AND another = :a", "Query condition missed key schema element: sk"),
    ] {
        assert_eq!(parse(text, &mut known).unwrap_err().message, message, "{text}");
    }
}

/// Text that is nearly an expression.
fn nearly() -> impl Strategy<Value = String> {
    let pieces = vec![
        "n",
        "m.l",
        "[0]",
        "[99999999999999999999]",
        "#s",
        ":n",
        ":a",
        ":l",
        "(",
        ")",
        ",",
        "=",
        "<>",
        "<",
        ">=",
        "+",
        "-",
        "AND",
        "OR",
        "NOT",
        "BETWEEN",
        "IN",
        "SET",
        "REMOVE",
        "ADD",
        "DELETE",
        "size",
        "contains",
        "begins_with",
        "attribute_exists",
        "if_not_exists",
        "list_append",
        "ü",
        "#",
        ":",
        ".",
        "status",
    ];
    proptest::collection::vec(proptest::sample::select(pieces), 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_refused(text in prop_oneof![nearly(), any::<String>()]) {
        let mut known = placeholders(&json!({ "#s": "status" }), &values());
        if let Ok(condition) = Condition::parse(Role::Filter, &text, &mut known) {
            holds(&condition, &item());
        }
        if let Ok(update) = Update::parse(&text, &mut known)
            && let Ok(after) = apply(&update, &item())
        {
            prop_assert!(update.roots().next().is_some());
            project(&after, &touched(&update));
        }
        if let Ok(projection) = Projection::parse(&text, &mut known) {
            projection.apply(&item());
        }
        drop(KeyCondition::parse(&text, "pk", Some("n"), &mut known));
    }
}
