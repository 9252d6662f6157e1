//! The full matrices with one command: kill the harness at every journal line, and disturb every call of a run.
//!
//! `cargo run --example matrix -- [kill|kill-fast|faults|scripts|disk|fast|all] [--every N] [--seed N] [--jobs N] [--minutes N]`
//!
//! - `kill`: the study itself, every journal line; `kill-fast`: the same with the protocol of the tests.
//! - `faults`: the first call of every operation with every effect, then the second, middle and last ones.
//! - `scripts`: every committed fault script, which must end as its comment says, and with a cloud of its own, where a
//!   paused run is resumed.
//!
//! - `disk`: a disk that is full after the artifact and every further 16 KiB, where the system lets us mount.
//! - `fast`: all but `kill`; a seeded part of it runs in CI.
//!
//! Prints Markdown; `--every N` takes each N-th point, beginning at `--seed`, `--minutes N` stops taking new ones after
//! that time and says how many were left out. Points are mostly waiting, so `--jobs` (6) run at once, each with a cloud
//! and a folder of its own. The exit code is 1 if any point went wrong.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a tool of the tests")]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use support::{FAST, FAST_DURABLE, Lab, Point, Programs, STUDY, disturbed_in, kill_at, on_small_disk, rehearsed, rule};

const EFFECTS: [(&str, &str); 5] = [
    ("throttle", "throttle"),
    ("500", "{ error: { status: 500, code: InternalFailure } }"),
    ("denied", "denied"),
    ("expired token", "expired_token"),
    ("lost reply", "drop_after"),
];

/// What is done at one point.
enum Work {
    Kill(&'static str, usize),
    Fault { protocol: &'static str, name: String, matrix: String, script: String, repeats: u64 },
    Script(&'static str, PathBuf),
    Disk(usize),
}

struct Asked {
    what: String,
    every: usize,
    seed: usize,
    jobs: usize,
    bound: Duration,
}

fn asked() -> Asked {
    let bound = Duration::from_secs(6 * 3600);
    let mut asked = Asked { what: "all".to_owned(), every: 1, seed: 0, jobs: 6, bound };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|n| n.parse::<usize>().ok()).expect("a number");
        match arg.as_str() {
            "--every" => asked.every = number().max(1),
            "--seed" => asked.seed = number(),
            "--jobs" => asked.jobs = number().max(1),
            "--minutes" => asked.bound = Duration::from_secs(number() as u64 * 60),
            _ => asked.what = arg,
        }
    }
    asked
}

fn main() -> ExitCode {
    let asked = asked();
    let exe = std::env::current_exe().expect("own path");
    let assay = exe.parent().and_then(|p| p.parent()).expect("target folder").join("assay");
    assert!(assay.is_file(), "build the harness first: cargo build ({} is missing)", assay.display());
    let programs = Programs::of(&assay);
    let work = points(&programs, &asked.what);
    let total = work.len();
    let taken = work.into_iter().enumerate().filter(|(at, _)| (at + asked.seed).is_multiple_of(asked.every));
    let work: VecDeque<Work> = taken.map(|(_, work)| work).collect();
    let started = Instant::now();
    let (points, left) = try_all(&programs, work, &asked);
    print(&points, total, left, started.elapsed());
    if points.iter().any(|(_, p)| !p.problems.is_empty()) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// All points of a matrix, from runs that nothing disturbs.
fn points(programs: &Programs, what: &str) -> Vec<Work> {
    let asked = |kinds: &[&str]| kinds.contains(&what) || what == "all";
    let (kill, kill_fast) = (asked(&["kill"]), asked(&["kill-fast", "fast"]));
    let (faults, disk) = (asked(&["faults", "fast"]), asked(&["disk", "fast"]));
    let (fast, durable, study) = std::thread::scope(|scope| {
        let run = |wanted: bool, protocol| scope.spawn(move || wanted.then(|| undisturbed(programs, protocol)));
        let labs = [run(kill_fast || faults, FAST), run(faults, FAST_DURABLE), run(kill, STUDY)];
        let [fast, durable, study] = labs.map(|lab| lab.join().expect("a run without faults"));
        (fast, durable, study)
    });
    let mut work = Vec::new();
    if let (true, Some(fast), Some(durable)) = (faults, &fast, &durable) {
        work.extend(disturbances(fast, durable));
    }
    if asked(&["scripts", "fast"]) {
        work.extend(scripts());
    }
    if disk {
        work.extend((0..=640).step_by(16).map(Work::Disk));
    }
    if let (true, Some(fast)) = (kill_fast, fast) {
        work.extend((1..=fast.lines()).map(|line| Work::Kill(FAST, line)));
    }
    if let Some(study) = study {
        work.extend((1..=study.lines()).map(|line| Work::Kill(STUDY, line)));
    }
    work
}

/// A lab whose run nothing disturbed: its journal and its calls are the points.
fn undisturbed(programs: &Programs, protocol: &'static str) -> Lab {
    let lab = Lab::of(programs, None, protocol);
    let whole = lab.start_run().wait();
    assert_eq!(whole.code, Some(0), "a run without faults: {whole:?}");
    lab
}

/// Every operation that a run makes with every effect: the first calls of all before the second, middle and last ones.
/// Operations that only durable executions need are disturbed in a run that has them.
fn disturbances(fast: &Lab, durable: &Lab) -> Vec<Work> {
    let common = fast.cloud().calls();
    let others = durable.cloud().calls().into_iter().filter(|(call, _)| !common.contains_key(call));
    let calls: Vec<_> =
        common.clone().into_iter().map(|c| (FAST, c)).chain(others.map(|c| (FAST_DURABLE, c))).collect();
    let mut work = Vec::new();
    for rank in 0..4 {
        for (protocol, ((service, operation), calls)) in &calls {
            let mut nths = vec![1, 2, calls / 2, *calls];
            nths.retain(|n| (1..=*calls).contains(n));
            nths.sort_unstable();
            nths.dedup();
            let Some(nth) = nths.get(rank) else { continue };
            let service = format!("{service:?}").to_lowercase();
            work.extend(EFFECTS.map(|(matrix, effect)| Work::Fault {
                protocol,
                name: format!("{matrix} at {service} {operation} {nth} of {calls}"),
                matrix: matrix.to_owned(),
                script: rule(&service, operation, &format!("{{ nth: {nth} }}"), effect),
                repeats: u64::from(operation == "SendMessage"),
            }));
        }
    }
    work
}

/// Each script as its comment says; then with a cloud of its own, where what pauses is resumed.
fn scripts() -> Vec<Work> {
    let paths = support::scripts();
    let apart = paths.iter().map(|path| Work::Fault {
        protocol: FAST,
        name: format!("{}, cloud apart", path.file_name().unwrap_or_default().to_string_lossy()),
        matrix: "script, cloud apart".to_owned(),
        script: std::fs::read_to_string(path).expect("script"),
        repeats: 8,
    });
    let apart: Vec<Work> = apart.collect();
    let control = paths.iter().filter(|p| p.ends_with("environment-killed.yaml")).cloned();
    let control: Vec<Work> = control.map(|path| Work::Script(STUDY, path)).collect();
    paths.into_iter().map(|path| Work::Script(FAST, path)).chain(control).chain(apart).collect()
}

fn try_all(programs: &Programs, work: VecDeque<Work>, asked: &Asked) -> (Vec<(String, Point)>, usize) {
    let (queue, done, started) = (Mutex::new(work), Mutex::new(Vec::new()), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..asked.jobs {
            scope.spawn(|| {
                while started.elapsed() < asked.bound {
                    let Some(next) = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front() else { return };
                    let (matrix, point) = try_one(programs, next);
                    eprintln!(
                        "{:>5} s  {}: {} {:?}",
                        started.elapsed().as_secs(),
                        point.name,
                        point.ends,
                        point.problems
                    );
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((matrix, point));
                }
            });
        }
    });
    let left = queue.lock().unwrap_or_else(PoisonError::into_inner).len();
    (done.into_inner().unwrap_or_else(PoisonError::into_inner), left)
}

fn try_one(programs: &Programs, work: Work) -> (String, Point) {
    let (matrix, name) = match &work {
        Work::Kill(protocol, line) => (format!("kill, {protocol}"), format!("kill at line {line}")),
        Work::Fault { matrix, name, .. } => (matrix.clone(), name.clone()),
        Work::Script(protocol, path) => (format!("script, {protocol}"), path.display().to_string()),
        Work::Disk(more_kib) => ("disk full".to_owned(), format!("disk full {more_kib} KiB after the artifact")),
    };
    let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match work {
        Work::Kill(protocol, line) => kill_at(programs, protocol, line),
        Work::Fault { protocol, name, script, repeats, .. } => {
            disturbed_in(programs, protocol, &name, &script, repeats)
        }
        Work::Script(protocol, path) => rehearsed(programs, protocol, &path).0,
        Work::Disk(more_kib) => on_small_disk(programs, more_kib).expect("this system lets nobody mount"),
    }));
    let lost =
        |_| Point { name, ends: "no end".to_owned(), code: None, problems: vec!["the attempt panicked".to_owned()] };
    (matrix, attempt.unwrap_or_else(lost))
}

fn print(points: &[(String, Point)], total: usize, left: usize, took: Duration) {
    println!("{} of {total} points tried in {} s, {left} not begun\n", points.len(), took.as_secs());
    let mut outcomes: BTreeMap<(&str, String), (usize, usize)> = BTreeMap::new();
    for (matrix, point) in points {
        let end = point.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        let entry = outcomes.entry((matrix, end)).or_default();
        entry.0 += 1;
        entry.1 += usize::from(!point.problems.is_empty());
    }
    println!("| what was done | last exit | points | with a problem |\n|---|---|---|---|");
    for ((matrix, end), (count, wrong)) in &outcomes {
        println!("| {matrix} | {end} | {count} | {wrong} |");
    }
    println!(
        "\nPoints that did not end with 0 at once, or have a problem:\n\n| point | ends | problems |\n|---|---|---|"
    );
    for (_, point) in points.iter().filter(|(_, p)| p.code != Some(0) || !p.problems.is_empty()) {
        println!("| {} | {} | {} |", point.name, point.ends.replace('|', "/"), point.problems.join("; "));
    }
}
