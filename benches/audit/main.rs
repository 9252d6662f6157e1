//! The leak audit against a large account: 100,000 tagged resources in the index, of which a rule allows 95,000 and
//! 5,000 are queues that their own service is asked for, 50 ms away.
//!
//! `ASSAY_BENCH_PYTHON=python3 cargo bench --bench audit`; the interpreter needs boto3, and without it the comparison
//! is left out. The cloud runs in a process of its own, so that the memory is the audit's.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark that cannot run has nothing to report")]

mod cloud;
mod measure;

use measure::{Measured, run};
use std::path::Path;
use std::process::Command;

/// Resources that the index lists; pages hold 100.
const INDEXED: u64 = 100_000;
/// Of those, queues that exist and that no rule allows.
const QUEUES: u64 = 5_000;
const LATENCY_MS: u64 = 50;
/// Calls to SQS in flight (the harness's budget for that API).
const IN_FLIGHT: u64 = 16;
const TAG: (&str, &str) = ("assay:study", "bench");
const SCRIPT: &str = include_str!("plain.py");

fn main() {
    if std::env::var_os(cloud::ROLE).is_some() {
        cloud::serve();
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    println!("{INDEXED} in the index, {QUEUES} native reads, {LATENCY_MS} ms to the cloud and back\n");
    println!("| what | seconds | of the floor | calls | peak MiB |\n|---|---|---|---|---|");
    let audit = audit(folder.path());
    row("assay audit --tag", &audit);
    assert_eq!(audit.of("tagging:GetResources"), INDEXED / 100, "pages of 100, none twice");
    assert_eq!(audit.of("sqs:GetQueueUrl"), QUEUES, "one read for each queue");
    match std::env::var("ASSAY_BENCH_PYTHON") {
        Ok(python) => {
            for workers in ["1", "16"] {
                let workers_word = if workers == "1" { "one at a time" } else { "16 threads" };
                row(&format!("boto3 paginator and reads, {workers_word}"), &plain(&python, workers, folder.path()));
            }
        }
        Err(_) => println!("\nboto3: not compared; ASSAY_BENCH_PYTHON names no interpreter that has it"),
    }
}

/// Pages follow one another; reads go side by side as far as the budget allows.
fn floor_ms(calls: u64, native: u64, in_flight: u64) -> u64 {
    (calls - native) * LATENCY_MS + native.div_ceil(in_flight) * LATENCY_MS
}

fn row(what: &str, measured: &Measured) {
    let (calls, native) = (measured.calls(), measured.of("sqs:GetQueueUrl"));
    let floor_s = std::time::Duration::from_millis(floor_ms(calls, native, IN_FLIGHT)).as_secs_f64();
    let ratio = measured.seconds / floor_s;
    println!("| {what} | {:.1} | {ratio:.2} | {calls} | {} |", measured.seconds, measured.peak_kib / 1_024);
}

fn audit(folder: &Path) -> Measured {
    let rules = folder.join("allow.yaml");
    let rule = "- {resource: '/shared/*', owner: platform, expires: 2099-01-01}\n";
    std::fs::write(&rules, rule).expect("rules");
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(["audit", "--json", "--region", "us-east-1", "--tag"]).arg(format!("{}={}", TAG.0, TAG.1));
    command.arg("--allow").arg(rules);
    let measured = run(command, "--endpoint-url", folder);
    assert_eq!(measured.code, Some(40), "queues that exist are leaks: {}", measured.stderr);
    measured
}

fn plain(python: &str, workers: &str, folder: &Path) -> Measured {
    let script = folder.join("plain.py");
    std::fs::write(&script, SCRIPT).expect("script");
    let mut command = Command::new(python);
    command.arg(script).args([TAG.0, TAG.1, workers]);
    let measured = run(command, "--endpoint-url", folder);
    assert_eq!(measured.code, Some(0), "{}", measured.stderr);
    measured
}
