//! The operator policy against the calls that the code makes: none missing, none too many.

#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// IAM's names differ from the operations' for these (Service Authorization Reference).
const RENAMED: [(&str, &[&str]); 7] = [
    ("s3:HeadObject", &["s3:GetObject"]),
    ("s3:HeadBucket", &["s3:ListBucket"]),
    ("s3:ListObjectVersions", &["s3:ListBucketVersions"]),
    ("s3:ListMultipartUploads", &["s3:ListBucketMultipartUploads"]),
    ("s3:DeleteObjects", &["s3:DeleteObject", "s3:DeleteObjectVersion"]),
    ("lambda:Invoke", &["lambda:InvokeFunction"]),
    ("sts:GetCallerIdentity", &["sts:GetCallerIdentity"]),
];

/// IAM prefixes of the SDK clients.
const PREFIXES: [(&str, &str); 4] =
    [("cloudcontrol", "cloudformation"), ("costexplorer", "ce"), ("streams", "dynamodb"), ("tagging", "tag")];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Every `sdk().<client>.<operation>()` in src/cloud, as IAM actions.
fn called() -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cloud"), &mut files);
    let mut actions = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("source");
        let packed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        for call in packed.split("sdk().").skip(1) {
            let mut parts = call.splitn(3, '.');
            let (Some(client), Some(operation)) = (parts.next(), parts.next()) else { continue };
            let Some(operation) = operation.split_once("()").map(|(name, _)| name) else { continue };
            actions.extend(iam(client, operation));
        }
    }
    actions
}

fn iam(client: &str, operation: &str) -> Vec<String> {
    let prefix = PREFIXES.iter().find(|(of, _)| *of == client).map_or(client, |(_, prefix)| prefix);
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let action = format!("{prefix}:{}", operation.split('_').map(capital).collect::<String>());
    let renamed = RENAMED.iter().find(|(name, _)| *name == action);
    renamed.map_or_else(|| vec![action.clone()], |(_, names)| names.iter().map(|&n| n.to_owned()).collect())
}

fn statements() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/operator-policy.json");
    let policy: Value = serde_json::from_slice(&std::fs::read(path).expect("policy")).expect("JSON");
    policy["Statement"].as_array().expect("statements").clone()
}

fn actions(statement: &Value) -> Vec<String> {
    statement["Action"].as_array().expect("actions").iter().map(|a| a.as_str().expect("text").to_owned()).collect()
}

#[test]
fn the_policy_allows_what_the_code_calls_and_nothing_more() {
    let called = called();
    assert!(called.len() > 40 && called.contains("cloudformation:CreateStack"), "{called:?}");
    let harness = statements().into_iter().filter(|s| s["Sid"].as_str().expect("a sid").starts_with("Harness"));
    let allowed: BTreeSet<String> = harness.flat_map(|s| actions(&s)).collect();
    let missing: Vec<_> = called.difference(&allowed).collect();
    let unused: Vec<_> = allowed.difference(&called).collect();
    assert!(missing.is_empty() && unused.is_empty(), "missing {missing:?}, unused {unused:?}");
}

#[test]
fn nothing_is_allowed_by_wildcard_and_writes_only_on_our_names() {
    for statement in statements() {
        assert!(actions(&statement).iter().all(|action| !action.contains('*')), "{statement}");
        let resources = statement["Resource"].to_string();
        let reads = |a: &String| {
            ["List", "Describe", "Get"].iter().any(|verb| a.split(':').nth(1).is_some_and(|n| n.starts_with(verb)))
        };
        let bounded = resources.contains("assay-") || statement.get("Condition").is_some();
        let exempt =
            ["HarnessBilling", "CloudFormationMappingTags"].contains(&statement["Sid"].as_str().expect("a sid"));
        assert!(bounded || exempt || actions(&statement).iter().all(reads), "{statement}");
    }
}
