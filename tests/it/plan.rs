//! `assay plan` prints the resolved plan and calls nothing.

use assert_cmd::Command;
use serde_json::Value;

fn plan(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    let output = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["plan", "--format", "json"])
        .args(arguments)
        .output()
        .expect("assay runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_rehearsals_mandated_waits_sum_to_at_most_25_seconds() {
    let printed = plan(&["--timing", "rehearsal"]);
    let waits: u64 =
        printed["plan"]["waits"].as_array().expect("waits").iter().map(|w| w["ms"].as_u64().expect("ms")).sum();
    assert_eq!(printed["plan"]["floor_ms"].as_u64(), Some(waits));
    assert!(waits <= 25_000, "{waits}");
}

#[test]
fn the_canonical_profile_is_the_studys() {
    let printed = plan(&["--timing", "canonical"]);
    let trials = printed["plan"]["trials"].as_array().expect("trials");
    let of = |id: &str| &trials.iter().find(|t| t["id"] == id).expect("trial")["configuration"];
    assert_eq!(of("canonical-3")["deadline_ms"], 3000);
    assert_eq!(of("canonical-3")["visibility_timeout_s"], 60);
    assert_eq!(of("canonical-4")["visibility_timeout_s"], 360);
    assert_eq!(of("canonical-4")["step_delay_s"], 60);
    assert_eq!(of("canonical-4")["execution_timeout_s"], 300);
}

#[test]
fn retry_layers_multiply_to_two_and_four_calls() {
    let printed = plan(&[]);
    let most: Vec<_> =
        printed["plan"]["variants"].as_array().expect("variants").iter().map(|v| v["most_calls"].as_u64()).collect();
    assert_eq!(most, [Some(2), Some(4)]);
}

#[test]
fn the_digest_is_of_the_canonical_plan_and_stays() {
    let (first, second) = (plan(&[]), plan(&[]));
    assert_eq!(first["digest"], second["digest"]);
    let bytes = evidence::canonical::to_vec(&first["plan"]).expect("canonical");
    assert_eq!(first["digest"], evidence::digest::Digest::of(&bytes).to_string());
    assert_ne!(plan(&["--timing", "rehearsal"])["digest"], first["digest"]);
}

#[test]
fn one_variant_alone_leaves_the_others_stacks_out() {
    let printed = plan(&["--variant", "durable"]);
    let stacks: Vec<_> =
        printed["plan"]["stacks"].as_array().expect("stacks").iter().map(|s| s["component"].as_str()).collect();
    assert_eq!(stacks, [Some("artifacts"), Some("provider"), Some("durable")]);
}
