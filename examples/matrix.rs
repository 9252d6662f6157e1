//! The full matrices with one command: kill the harness at every journal line, and disturb every call of a run.
//!
//! `cargo run --example matrix -- [kill|faults|scripts|all] [--every N] [--jobs N] [--minutes N]`
//!
//! Prints Markdown; `--every N` takes each N-th point, `--minutes N` stops taking new ones after that time and says
//! how many were left out. The exit code is 1 if any point went wrong.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a tool of the tests")]

#[path = "../tests/it/support.rs"]
mod support;

use std::collections::{BTreeMap, VecDeque};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use support::{Lab, Point, Programs, disturbed, kill_at, rule};

const EFFECTS: [(&str, &str); 5] = [
    ("throttle", "throttle"),
    ("500", "{ error: { status: 500, code: InternalFailure } }"),
    ("denied", "denied"),
    ("expired token", "expired_token"),
    ("lost reply", "drop_after"),
];

/// What is done at one point.
enum Work {
    Kill(usize),
    Fault { name: String, matrix: String, script: String, repeats: u64 },
}

struct Asked {
    what: String,
    every: usize,
    jobs: usize,
    bound: Duration,
}

fn asked() -> Asked {
    let mut asked = Asked { what: "all".to_owned(), every: 1, jobs: 2, bound: Duration::from_secs(3600) };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|n| n.parse::<usize>().ok()).expect("a number");
        match arg.as_str() {
            "--every" => asked.every = number().max(1),
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
    let lab = Lab::open(&programs, None);
    let whole = lab.start_run().wait();
    assert_eq!(whole.code, Some(0), "a run without faults: {whole:?}");
    let mut work = VecDeque::new();
    if matches!(asked.what.as_str(), "kill" | "all") {
        work.extend((1..=lab.lines()).map(Work::Kill));
    }
    if matches!(asked.what.as_str(), "faults" | "all") {
        work.extend(faults(&lab));
    }
    if matches!(asked.what.as_str(), "scripts" | "all") {
        work.extend(scripts());
    }
    drop(lab);
    let total = work.len();
    let work: VecDeque<Work> = work.into_iter().step_by(asked.every).collect();
    let started = Instant::now();
    let (points, left) = try_all(&programs, work, &asked);
    print(&points, total, left, started.elapsed());
    if points.iter().any(|(_, p)| !p.problems.is_empty()) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// First, second, middle and last call of every operation that a run makes, with every effect.
fn faults(lab: &Lab) -> Vec<Work> {
    let mut work = Vec::new();
    for ((service, operation), calls) in lab.cloud().calls() {
        let service = format!("{service:?}").to_lowercase();
        let mut nths = vec![1, 2, calls / 2, calls];
        nths.retain(|n| (1..=calls).contains(n));
        nths.sort_unstable();
        nths.dedup();
        for nth in nths {
            for (matrix, effect) in EFFECTS {
                work.push(Work::Fault {
                    name: format!("{matrix} at {service} {operation} {nth} of {calls}"),
                    matrix: matrix.to_owned(),
                    script: rule(&service, &operation, &format!("{{ nth: {nth} }}"), effect),
                    repeats: u64::from(operation == "SendMessage"),
                });
            }
        }
    }
    work
}

fn scripts() -> Vec<Work> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/faults");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("scripts").filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    let work = paths.into_iter().map(|path| Work::Fault {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        matrix: "script".to_owned(),
        script: std::fs::read_to_string(&path).expect("script"),
        repeats: 8,
    });
    work.collect()
}

fn try_all(programs: &Programs, work: VecDeque<Work>, asked: &Asked) -> (Vec<(String, Point)>, usize) {
    let (queue, done, started) = (Mutex::new(work), Mutex::new(Vec::new()), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..asked.jobs {
            scope.spawn(|| {
                while started.elapsed() < asked.bound {
                    let Some(next) = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front() else { return };
                    let (matrix, point) = try_one(programs, next);
                    if !point.problems.is_empty() {
                        eprintln!("{}: {} {:?}", point.name, point.ends, point.problems);
                    }
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
        Work::Kill(line) => ("kill".to_owned(), format!("kill at line {line}")),
        Work::Fault { matrix, name, .. } => (matrix.clone(), name.clone()),
    };
    let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match work {
        Work::Kill(line) => kill_at(programs, line),
        Work::Fault { name, script, repeats, .. } => disturbed(programs, &name, &script, repeats),
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
