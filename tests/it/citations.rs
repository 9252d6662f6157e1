//! `assay verify` reads again what results and verdicts cite.

use crate::sample::{Sample, assay, run};
use serde_json::{Value, json};

fn edited(file: &str, edit: impl FnOnce(&mut Value)) -> String {
    let sample = Sample::new();
    run(assay().arg("verify").arg(sample.run()), 0);
    let path = sample.run().join(file);
    let mut value: Value = serde_json::from_slice(&std::fs::read(&path).expect("read")).expect("JSON");
    edit(&mut value);
    std::fs::write(&path, value.to_string()).expect("write");
    run(assay().arg("verify").arg(sample.run()), 30)
}

#[test]
fn a_citation_of_other_bytes_is_found() {
    let said = edited("results.json", |results| results["cells"][0]["cites"][0]["sha256"] = json!("0".repeat(64)));
    assert!(said.contains("results.json: cites packages/canonical/trials/canonical-1.json#/ledger"), "{said}");
}

#[test]
fn a_citation_of_no_place_is_found() {
    let said = edited("results.json", |results| results["cells"][0]["cites"][0]["pointer"] = json!("/ledger/none"));
    assert!(said.contains("has no such place"), "{said}");
}

#[test]
fn a_result_that_is_not_the_verdicts_is_found() {
    let said = edited("results.json", |results| results["cells"][0]["verdict"] = json!("fail"));
    assert!(said.contains("/cells/0/verdict is not what the verdict on trial canonical-1 says"), "{said}");
}

#[test]
fn a_verdict_on_a_package_that_is_not_there_is_found() {
    let said = edited("verdicts/canonical.json", |verdict| verdict["package"] = json!("0".repeat(64)));
    assert!(said.contains("which is not there"), "{said}");
}
