//! Points of the matrices: a run that is killed, disturbed or short of disk in one place, and what came of it.

use super::{Ended, FAST, Lab, Programs, ROOT};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One tried point.
#[derive(Debug)]
pub(crate) struct Point {
    /// What was done to the run.
    pub(crate) name: String,
    /// How the first process ended, then the last one.
    pub(crate) ends: String,
    /// Exit code of the last process.
    pub(crate) code: Option<i32>,
    /// What is wrong; empty if nothing is.
    pub(crate) problems: Vec<String>,
}

/// Kills the harness once its journal has `line` lines, resumes it and looks at the end.
pub(crate) fn kill_at(programs: &Programs, protocol: &'static str, line: usize) -> Point {
    let lab = Lab::of(programs, None, protocol);
    let mut running = lab.start_run();
    lab.until(&mut running, |lab| lab.lines() >= line);
    let first = running.kill();
    let reached = lab.lines();
    let name = format!("kill at line {line} (had {reached})");
    if lab.events().last().is_some_and(|e| e["type"] == "run_ended") {
        let again = lab.resume();
        let mut problems = lab.problems(first.code.or(Some(0)), 0);
        if again.code != Some(64) || !again.stderr.contains("has ended") {
            problems.push(format!("an ended run is taken up again: {}", again.stderr));
        }
        return Point { name, ends: "ended before the kill".to_owned(), code: first.code.or(Some(0)), problems };
    }
    let again = lab.resume();
    let mut problems = lab.problems(again.code, 0);
    if again.code == Some(64) {
        problems.push(format!("resume refused: {}", again.stderr.trim()));
    }
    if again.code == Some(20) {
        let reason = lab.results()["stopped"].as_str().unwrap_or("a trial without proof").to_owned();
        return Point { name, ends: format!("killed; 20: {reason}"), code: again.code, problems };
    }
    Point { name, ends: format!("killed; {}", told(&again)), code: again.code, problems }
}

/// Runs with a script; what pauses is resumed without faults, what cannot be cleaned is cleaned as it is told to.
pub(crate) fn disturbed(programs: &Programs, name: &str, script: &str, repeats: u64) -> Point {
    disturbed_in(programs, FAST, name, script, repeats)
}

/// As [`disturbed`], with another protocol.
pub(crate) fn disturbed_in(
    programs: &Programs,
    protocol: &'static str,
    name: &str,
    script: &str,
    repeats: u64,
) -> Point {
    let lab = Lab::of(programs, Some(script), protocol);
    let first = lab.start_run().wait();
    let mut ends = told(&first);
    let mut last = first;
    if last.code == Some(75) {
        lab.faults("rules: []");
        // Before there is a run, the same command is the one that continues.
        let begun = lab.run_folder().is_some();
        let told_how = last.stderr.contains(if begun { "assay resume" } else { "assay run" });
        last = if begun { lab.resume() } else { lab.start_run().wait() };
        ends = format!("{ends}; {}: {}", if begun { "resumed" } else { "run again" }, told(&last));
        if !told_how {
            last.stderr.push_str("(no command was printed)");
            last.code = None;
        }
    }
    if matches!(last.code, Some(40 | 70)) {
        lab.faults("rules: []");
        if let Some(folder) = lab.run_folder() {
            let (command, option) =
                if last.code == Some(40) { ("teardown", "--empty-buckets") } else { ("resume", "--yes") };
            let recovered = lab.assay(&[command, &folder.display().to_string(), option]);
            ends = format!("{ends}; {command}: {}", told(&recovered));
            let living = lab.living_stacks();
            let mut problems =
                if living.is_empty() { Vec::new() } else { vec![format!("left: {}", living.join(", "))] };
            problems.extend(lab.audited());
            return Point { name: name.to_owned(), ends, code: last.code, problems };
        }
    }
    let mut problems = lab.problems(last.code, repeats);
    if last.code == Some(64) && lab.run_folder().is_some() && lab.results().is_null() {
        problems.push(format!("refused without an end: {}", last.stderr.trim()));
    }
    Point { name: name.to_owned(), ends, code: last.code, problems }
}

/// Runs on a disk that holds the function artifact and this much more, then goes on with all the space of the world.
pub(crate) fn on_small_disk(programs: &Programs, more_kib: usize) -> Option<Point> {
    let lab = Lab::open(programs, None);
    let packed = assay::artifact::Artifact::of_bootstrap(&std::fs::read(&programs.bootstrap).expect("bootstrap"));
    let size_kib = packed.expect("artifact").zip.len().div_ceil(4096) * 4 + more_kib;
    let full = lab.within_mount(&format!("size={size_kib}k"), &lab.run_args())?;
    let name = format!("disk full {more_kib} KiB after the artifact");
    let mut ends = told(&full);
    let mut problems = Vec::new();
    if let Some(folder) = lab.run_folder() {
        let verified = evidence::verify::verify(&[&folder], &evidence::verify::Options::default());
        // A run folder without any sealed package proves nothing, and verify says so.
        if !verified.valid && has_sealed(&folder) {
            problems.push("the packages do not verify after the disk was full".to_owned());
        }
    }
    let mut code = full.code;
    if code != Some(0) {
        if code != Some(70) || !full.stderr.contains("No space left on device") {
            problems.push(format!("a full disk is not said: {}", full.stderr.trim()));
        }
        if lab.events().last().is_some_and(|e| e["type"] == "run_ended") {
            ends = format!("{ends}; cleaned up all the same");
            problems.extend(lab.problems(Some(0), 0));
        } else if lab.run_folder().is_some_and(|folder| folder.join("plan.json").is_file()) && lab.lines() > 0 {
            let again = lab.resume();
            ends = format!("{ends}; resumed: {}", told(&again));
            code = again.code;
            problems.extend(lab.problems(again.code, 0));
        } else if !lab.living_stacks().is_empty() {
            problems.push("stacks without a run".to_owned());
        }
    }
    Some(Point { name, ends, code, problems })
}

/// Whether a run has a package that is no draft.
fn has_sealed(run: &Path) -> bool {
    let entries = std::fs::read_dir(run.join("packages"));
    entries.into_iter().flatten().flatten().any(|e| !e.file_name().to_string_lossy().starts_with('.'))
}

/// The committed fault scripts, by name.
pub(crate) fn scripts() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(ROOT).join("protocols/faults")).expect("scripts");
    let mut paths: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    paths
}

/// Rehearses with a fault script and compares the end with what the script's own comment says: `# Ends with N.`
pub(crate) fn rehearsed(programs: &Programs, protocol: &'static str, script: &Path) -> (Point, Lab) {
    let text = std::fs::read_to_string(script).expect("script");
    let said = text.lines().find_map(|line| line.strip_prefix("# Ends with ")).expect("an expected end");
    let expected: i32 = said.trim_end_matches('.').parse().expect("an exit code");
    let lab = Lab::of(programs, None, protocol);
    let (protocol, faults) = (format!("{ROOT}/{protocol}"), script.display().to_string());
    let runs = lab.runs().display().to_string();
    let args = ["rehearse", &protocol, "--faults", &faults, "--seed", "1", "--runs", &runs, "--json"];
    let ended = lab.assay(&args);
    let mut problems = if expected == 75 { Vec::new() } else { lab.own_problems(expected == 40) };
    if ended.code != Some(expected) {
        problems.push(format!("exit {:?}, its comment says {expected}", ended.code));
    }
    let name = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (Point { name, ends: told(&ended), code: ended.code, problems }, lab)
}

fn told(ended: &Ended) -> String {
    let code = ended.code.map_or_else(|| "signal".to_owned(), |c| c.to_string());
    let error = ended.stderr.lines().find(|l| l.starts_with("error:")).unwrap_or_default();
    let json = ended.stdout.lines().last().and_then(|l| serde_json::from_str::<Value>(l).ok()).unwrap_or_default();
    let stopped = json["stopped"].as_str().unwrap_or_default();
    let why = if error.is_empty() { stopped } else { error };
    let why: String = why.chars().take(110).collect();
    if why.is_empty() { code } else { format!("{code}: {why}") }
}

/// A script with one rule.
pub(crate) fn rule(service: &str, operation: &str, when: &str, effect: &str) -> String {
    format!("rules:\n  - service: {service}\n    operation: {operation}\n    when: {when}\n    effect: {effect}\n")
}

/// SplitMix64: points of a sample, the same on every machine.
pub(crate) fn sample(seed: u64, count: usize, below: usize) -> Vec<usize> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % below.max(1) as u64).unwrap_or_default()
    };
    (0..count).map(|_| next()).collect()
}
