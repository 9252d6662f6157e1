//! Ctrl-C: the first stops new work and cleans up, the second leaves at once.

use crate::support::{Lab, Programs, rule};
use rustix::process::Signal;
use std::path::Path;
use std::time::{Duration, Instant};

fn lab(script: Option<&str>) -> Lab {
    Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), script)
}

fn dispatched(lab: &Lab) -> bool {
    lab.events().iter().any(|e| e["type"] == "outcome" && e["key"] == "dispatch/probe-1")
}

#[test]
fn the_first_signal_freezes_tears_down_audits_and_exits_130() {
    for (signal, stage) in [(Signal::INT, "deploy"), (Signal::TERM, "probe")] {
        let lab = lab(None);
        let mut running = lab.start_run();
        let begun = |lab: &Lab| lab.events().iter().any(|e| e["type"] == "stage_started" && e["stage"] == stage);
        assert!(lab.until(&mut running, begun), "{}", running.stderr());
        running.signal(signal);
        let ended = running.wait();
        assert_eq!(ended.code, Some(130), "{ended:?}");
        assert_eq!(lab.problems(Some(0), 0), Vec::<String>::new(), "{ended:?}");
        assert!(lab.events().iter().any(|e| e["type"] == "interrupted"));
        assert!(ended.stderr.contains("no new work"), "{ended:?}");
    }
}

#[test]
fn the_second_signal_leaves_within_two_seconds_also_inside_a_back_off() {
    let lab = lab(Some(&rule("cloudformation", "DeleteStack", "always", "throttle")));
    let mut running = lab.start_run();
    assert!(lab.until(&mut running, dispatched), "{}", running.stderr());
    running.signal(Signal::INT);
    let deleting = |lab: &Lab| lab.calls(localcloud::Service::CloudFormation, "DeleteStack") > 0;
    assert!(lab.until(&mut running, deleting), "{}", running.stderr());
    let asked = Instant::now();
    running.signal(Signal::INT);
    let ended = running.wait();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert!(ended.stderr.contains("assay resume"), "{ended:?}");
    lab.faults("rules: []");
    let again = lab.resume();
    assert_eq!(lab.problems(again.code, 0), Vec::<String>::new(), "{again:?}");
}

/// A throttled write waits between its attempts, a throttled poll between its looks; neither holds the process.
#[test]
fn the_second_signal_also_ends_a_throttled_dispatch_and_a_throttled_deploy_poll() {
    for (service, of, operation) in [
        ("sqs", localcloud::Service::Sqs, "SendMessage"),
        ("cloudformation", localcloud::Service::CloudFormation, "DescribeStackEvents"),
    ] {
        let lab = lab(Some(&rule(service, operation, "always", "throttle")));
        let mut running = lab.start_run();
        let backing_off = |lab: &Lab| lab.calls(of, operation) >= 3;
        assert!(lab.until(&mut running, backing_off), "{}", running.stderr());
        running.signal(Signal::INT);
        running.until_said("no new work");
        running.signal(Signal::INT);
        let ended = running.within(Duration::from_secs(2));
        assert_eq!(ended.code, Some(130), "{operation}: {ended:?}");
        assert!(ended.stderr.contains("left at once") && ended.stderr.contains("assay resume"), "{ended:?}");
        lab.faults("rules: []");
        let again = lab.resume();
        // Throttled calls reached the queue's door and no further; they are counted all the same.
        let throttled = lab.calls(localcloud::Service::Sqs, "SendMessage");
        assert_eq!(lab.problems(again.code, throttled), Vec::<String>::new(), "{operation}: {again:?}");
    }
}

#[test]
fn keep_leaves_the_stacks_says_their_cost_and_a_resume_cleans_up() {
    let lab = lab(None);
    let mut args = lab.run_args();
    args.extend(["--on-interrupt".to_owned(), "keep".to_owned()]);
    let mut running = lab.start(&args);
    assert!(lab.until(&mut running, dispatched), "{}", running.stderr());
    running.signal(Signal::INT);
    let ended = running.wait();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("per hour") && ended.stderr.contains("assay resume"), "{ended:?}");
    assert_eq!(lab.living_stacks().len(), 3);
    let again = lab.resume();
    assert_eq!(lab.problems(again.code, 0), Vec::<String>::new(), "{again:?}");
}
