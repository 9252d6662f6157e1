//! A whole rehearsal against its plan's floor: duration as a ratio, peak memory of harness and cloud together.
//!
//! `cargo bench --bench rehearsal`; the binaries are built before the clock starts.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark that cannot run has nothing to report")]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let assay = Path::new(env!("CARGO_BIN_EXE_assay"));
    // The first rehearsal builds artifact and oracle; only the second is measured.
    rehearse(assay);
    let (took, peak_kib, floor_ms) = rehearse(assay);
    let ratio = took.as_secs_f64() * 1000.0 / f64::from(floor_ms);
    println!(
        "rehearsal {:.2} s, floor {:.2} s, ratio {ratio:.2}, peak {} MiB",
        took.as_secs_f64(),
        f64::from(floor_ms) / 1000.0,
        peak_kib / 1024
    );
}

fn rehearse(assay: &Path) -> (Duration, u64, u32) {
    let runs = tempfile::tempdir().expect("folder");
    let start = Instant::now();
    let mut child = Command::new(assay)
        .args(["rehearse", "--json", "--runs"])
        .arg(runs.path())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::from(std::fs::File::create(runs.path().join("out")).expect("file")))
        .stderr(Stdio::null())
        .spawn()
        .expect("assay starts");
    let mut peak_kib = 0;
    let status = loop {
        peak_kib = peak_kib.max(resident_kib(child.id()));
        if let Some(status) = child.try_wait().expect("child") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let took = start.elapsed();
    assert!(status.success(), "the rehearsal ended with {status}");
    let out = std::fs::read_to_string(runs.path().join("out")).expect("output");
    let first =
        out.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()).find(|l| l["event"] == "run").expect("a run");
    (took, peak_kib, u32::try_from(first["floor_ms"].as_u64().expect("floor")).expect("small"))
}

/// `VmHWM` of a process, or 0 once it is gone.
fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}
