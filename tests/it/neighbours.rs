//! One run per study and account, unless it is asked for otherwise.

use crate::support::{Lab, Programs};
use std::path::Path;

fn lab() -> Lab {
    Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), None)
}

/// `assay run` once more on the same cloud, with these options.
fn second(lab: &Lab, runs: &Path, options: &[&str]) -> crate::support::Ended {
    let mut args = lab.run_args();
    let at = args.iter().position(|a| a == "--runs").expect("runs") + 1;
    args[at] = runs.display().to_string();
    args.extend(options.iter().map(|o| (*o).to_owned()));
    lab.start(&args).wait()
}

fn begun(lab: &Lab) -> crate::support::Running {
    let mut running = lab.start_run();
    let deployed = |lab: &Lab| lab.events().iter().any(|e| e["type"] == "created");
    assert!(lab.until(&mut running, deployed), "{}", running.stderr());
    running
}

#[test]
fn a_second_run_of_a_study_in_an_account_is_refused_and_told_who_holds_it() {
    let lab = lab();
    let running = begun(&lab);
    // It holds its place and gets no further, however slow the others are.
    running.signal(rustix::process::Signal::STOP);
    let run = lab.run_folder().expect("run").file_name().expect("name").to_string_lossy().into_owned();
    for options in [&[][..], &["--neighbours", "take-over"]] {
        let refused = second(&lab, &lab.runs(), options);
        assert_eq!(refused.code, Some(64), "{refused:?}");
        for word in [run.as_str(), &format!("process {}", running.pid()), "since 20", "study fast"] {
            assert!(refused.stderr.contains(word), "{word}: {refused:?}");
        }
    }
    let elsewhere = tempfile::tempdir().expect("folder");
    let refused = second(&lab, elsewhere.path(), &[]);
    assert_eq!(refused.code, Some(64), "{refused:?}");
    assert!(refused.stderr.contains(&format!("run {run} of study fast has stacks")), "{refused:?}");

    running.kill();
    let refused = second(&lab, &lab.runs(), &[]);
    assert_eq!(refused.code, Some(64), "{refused:?}");
    assert!(refused.stderr.contains("has not ended") && refused.stderr.contains("take-over"), "{refused:?}");
    let again = lab.resume();
    assert_eq!(lab.problems(again.code, 0), Vec::<String>::new(), "{again:?}");
}

#[test]
fn a_dead_holders_place_is_taken_over_when_asked_for() {
    let lab = lab();
    begun(&lab).kill();
    let first = lab.run_folder().expect("run");
    let other = second(&lab, &lab.runs(), &["--neighbours", "take-over"]);
    assert_eq!(other.code, Some(0), "{other:?}");
    assert!(other.stdout.contains("has stacks in account"), "it is told of: {other:?}");
    let resumed = lab.assay(&["resume", &first.display().to_string(), "--yes"]);
    assert_eq!((resumed.code, lab.living_stacks()), (Some(0), Vec::new()), "{resumed:?}");
}
