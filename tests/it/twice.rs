//! Every step twice, every undo twice: the second time changes nothing.

use crate::support::{Lab, Programs, sample};
use localcloud::Service;
use std::path::Path;

fn lab() -> Lab {
    Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), None)
}

/// Kills a process of the harness once the journal has this many lines.
fn killed_at(lab: &Lab, mut running: crate::support::Running, line: usize) {
    lab.until(&mut running, |lab| lab.lines() >= line);
    running.kill();
}

#[test]
fn every_stage_may_be_begun_three_times() {
    for line in sample(5, 2, 60) {
        let lab = lab();
        killed_at(&lab, lab.start_run(), line + 5);
        let again = lab.start_resume();
        killed_at(&lab, again, lab.lines() + 3);
        let ended = lab.resume();
        assert_eq!(lab.problems(ended.code, 0), Vec::<String>::new(), "line {line}: {ended:?}");
    }
}

#[test]
fn every_undo_may_be_asked_for_again() {
    let lab = lab();
    let ended = lab.start_run().wait();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let run = lab.run_folder().expect("run").display().to_string();
    let deletions = lab.calls(Service::CloudFormation, "DeleteStack");
    for (command, times) in
        [(&["teardown", &run][..], 2), (&["audit", "--run", &run], 2), (&["audit", "--amend", &run], 2)]
    {
        for _ in 0..times {
            let again = lab.assay(command);
            assert_eq!(again.code, Some(0), "{command:?}: {again:?}");
        }
    }
    assert_eq!(lab.calls(Service::CloudFormation, "DeleteStack"), deletions, "what is gone is not deleted again");
    let sealed: Vec<String> =
        lab.events().iter().filter(|e| e["type"] == "sealed").map(|e| e["package"].to_string()).collect();
    assert!(sealed.ends_with(&["\"amendment-1\"".to_owned(), "\"amendment-2\"".to_owned()]), "{sealed:?}");
    let report = lab.assay(&["report", &run, "--format", "md"]);
    for amendment in ["amendment-1", "amendment-2"] {
        let line = report.stdout.lines().find(|line| line.contains(&format!("packages/{amendment}/audit.json")));
        assert!(
            line.is_some_and(|line| line.starts_with("- Audit, amended") && line.contains("findings")),
            "{report:?}"
        );
    }
    let beside = || std::fs::read_to_string(Path::new(&run).join("report.html")).expect("report");
    let amended = beside();
    assert!(amended.contains("amendment-1/audit.json") && amended.contains("amendment-2/audit.json"), "both are cited");
    assert_eq!(lab.assay(&["report", &run]).code, Some(0));
    assert_eq!(beside(), amended, "the file beside the run was current");
    let verified = lab.assay(&["verify", &run]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let resumed = lab.resume();
    assert_eq!(resumed.code, Some(64), "an ended run is not begun again: {resumed:?}");
}

#[test]
fn a_teardown_from_outside_and_the_runs_own_do_not_disturb_each_other() {
    let lab = lab();
    let running = lab.start_run();
    let deployed = |lab: &Lab| lab.events().iter().any(|e| e["type"] == "sealed" && e["package"] == "deploy");
    let mut running = running;
    assert!(lab.until(&mut running, deployed), "{}", running.stderr());
    running.kill();
    let run = lab.run_folder().expect("run").display().to_string();
    for _ in 0..2 {
        let torn_down = lab.assay(&["teardown", &run, "--empty-buckets"]);
        assert_eq!(torn_down.code, Some(0), "{torn_down:?}");
        assert_eq!(lab.living_stacks(), Vec::<String>::new());
    }
    let ended = lab.resume();
    assert_eq!(lab.problems(ended.code, 0), Vec::<String>::new(), "{ended:?}");
    assert_eq!(ended.code, Some(20), "nothing is left to try: {ended:?}");
}
