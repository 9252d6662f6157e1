//! CloudFormation's short forms, as the long forms that the service itself works with.

use crate::diagnostic::{Diagnostic, Source};
use crate::node::{Key, Kind, Node, Place};
use serde_json::Value;

/// Short forms that become `Fn::<name>`, from "Intrinsic function reference" and "Rule-specific intrinsic
/// functions" of the CloudFormation user guide.
const FUNCTIONS: [&str; 24] = [
    "And",
    "Base64",
    "Cidr",
    "Contains",
    "EachMemberEquals",
    "EachMemberIn",
    "Equals",
    "FindInMap",
    "GetAZs",
    "GetAtt",
    "If",
    "ImportValue",
    "Join",
    "Length",
    "Not",
    "Or",
    "RefAll",
    "Select",
    "Split",
    "Sub",
    "ToJsonString",
    "Transform",
    "ValueOf",
    "ValueOfAll",
];

/// Wraps the value behind `!name` into its long form; `at` is where the tagged value stands.
pub(crate) fn long_form(source: &Source, name: &str, at: Place, value: Node) -> Result<Node, Diagnostic> {
    let key = match name {
        "Ref" | "Condition" => name.to_owned(),
        _ if FUNCTIONS.contains(&name) => format!("Fn::{name}"),
        _ => return Err(unknown(source, name, at)),
    };
    let value = if name == "GetAtt" { get_att(source, value)? } else { value };
    let place = value.place;
    Ok(Node::mapping(place, vec![(Key { text: key, place }, value)]))
}

/// `!GetAtt Resource.Attribute`; the attribute's own name may have dots.
fn get_att(source: &Source, value: Node) -> Result<Node, Diagnostic> {
    let place = value.place;
    let Kind::Scalar { text, .. } = &value.kind else { return Ok(value) };
    let part = |text: &str| Node::scalar(place, text.to_owned(), false, Value::String(text.to_owned()));
    match text.split_once('.') {
        Some((resource, attribute)) if !resource.is_empty() && !attribute.is_empty() => {
            Ok(Node::sequence(place, vec![part(resource), part(attribute)]))
        }
        _ => Err(source
            .diagnostic(place, format!("`!GetAtt {text}` names no attribute"))
            .with_help("write `!GetAtt Resource.Attribute`")),
    }
}

fn unknown(source: &Source, name: &str, at: Place) -> Diagnostic {
    let known = ["Ref", "Condition"].into_iter().chain(FUNCTIONS);
    let found = source.diagnostic(at, format!("`!{name}` is not a short form that CloudFormation knows"));
    match crate::typed::nearest(name, known) {
        Some(near) => found.with_help(format!("did you mean `!{near}`?")),
        None => found,
    }
}
