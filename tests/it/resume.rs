//! Runs whose harness is killed are taken up from the journal alone. The full matrix: `cargo run --example matrix`.

use crate::support::{FAST, Lab, Programs, kill_at, sample};
use std::io::Write as _;
use std::path::Path;

fn programs() -> Programs {
    Programs::of(Path::new(env!("CARGO_BIN_EXE_assay")))
}

/// A run that was killed at about this line.
fn killed(line: usize) -> Lab {
    let lab = Lab::open(&programs(), None);
    let mut running = lab.start_run();
    assert!(lab.until(&mut running, |lab| lab.lines() >= line), "{}", running.stderr());
    running.kill();
    lab
}

#[test]
fn a_run_killed_at_sampled_lines_ends_as_if_nothing_had_been() {
    let programs = programs();
    for line in sample(20_261_130, 3, 75) {
        let point = kill_at(&programs, FAST, line + 1);
        assert!(point.problems.is_empty(), "{point:?}");
    }
}

#[test]
fn a_run_killed_after_its_dispatch_never_sends_again() {
    let lab = Lab::open(&programs(), None);
    let mut running = lab.start_run();
    let sent = |lab: &Lab| lab.calls(localcloud::Service::Sqs, "SendMessage") == 1;
    assert!(lab.until(&mut running, sent), "{}", running.stderr());
    running.kill();
    let again = lab.resume();
    let problems = lab.problems(again.code, 0);
    assert!(problems.is_empty(), "{problems:?} {again:?}");
    assert_eq!(lab.calls(localcloud::Service::Sqs, "SendMessage"), 2, "one message for each of two trials");
}

#[test]
fn a_torn_tail_is_cut_and_other_damage_refuses() {
    let lab = killed(20);
    let journal = lab.run_folder().expect("run").join("journal.jsonl");
    let whole = std::fs::read(&journal).expect("journal");
    let damaged = |bytes: &[u8]| {
        std::fs::write(&journal, bytes).expect("write");
        lab.resume()
    };
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    let line_before = |end: usize| whole[..end - 1].iter().rposition(|b| *b == b'\n').expect("lines") + 1;
    let last = line_before(whole.len());
    // The kill may have fallen between the line and the head, which then lags by one: two lines are lost for certain.
    let lost = line_before(last);
    let doubled = [&whole[..], &whole[last..]].concat();
    for (what, bytes) in [("flipped", &flipped[..]), ("lost last lines", &whole[..lost]), ("doubled", &doubled[..])] {
        let refused = damaged(bytes);
        assert_eq!(refused.code, Some(30), "{what}: {refused:?}");
        assert!(refused.stderr.contains("journal.jsonl"), "{what}: {refused:?}");
        let listed = lab.assay(&["list", "--runs", &lab.runs().display().to_string()]);
        assert!(listed.stdout.contains("damaged"), "{what}: {listed:?}");
        let run = lab.run_folder().expect("run").display().to_string();
        let shown = lab.assay(&["show", &run]);
        assert!(shown.stdout.contains("damaged") && shown.stdout.contains("journal"), "{what}: {shown:?}");
        let verified = lab.assay(&["verify", &run]);
        assert_eq!(verified.code, Some(30), "{what}: {verified:?}");
    }
    std::fs::write(&journal, &whole).expect("write");
    let mut file = std::fs::File::options().append(true).open(&journal).expect("open");
    file.write_all(b"{\"at_ms\":17960752110").expect("torn");
    let run = lab.run_folder().expect("run").display().to_string();
    let shown = lab.assay(&["show", &run]);
    assert!(shown.stdout.contains("stopped") && shown.stdout.contains("assay resume"), "{shown:?}");
    let verified = lab.assay(&["verify", &run]);
    assert!(format!("{}{}", verified.stdout, verified.stderr).contains("cut short"), "{verified:?}");
    let again = lab.resume();
    assert_eq!((again.code, lab.problems(again.code, 0)), (Some(0), Vec::new()), "{again:?}");
}

#[test]
fn a_second_process_on_a_run_is_refused_and_the_holder_is_named() {
    let lab = Lab::open(&programs(), None);
    let mut running = lab.start_run();
    assert!(lab.until(&mut running, |lab| lab.lines() > 5), "{}", running.stderr());
    let second = lab.resume();
    assert_eq!(second.code, Some(64), "{second:?}");
    assert!(second.stderr.contains(&format!("held by process {}", running.pid())), "{second:?}");
    let listed = lab.assay(&["list", "--runs", &lab.runs().display().to_string(), "--json"]);
    assert!(listed.stdout.contains(&running.pid().to_string()), "{listed:?}");
    running.kill();
    let listed = lab.assay(&["list", "--runs", &lab.runs().display().to_string()]);
    assert!(listed.stdout.contains("stopped") && listed.stdout.contains("assay resume"), "{listed:?}");
    let again = lab.resume();
    assert_eq!((again.code, lab.problems(again.code, 0)), (Some(0), Vec::new()), "{again:?}");
}

#[test]
fn a_disk_that_is_full_is_said_and_nothing_is_lost() {
    let lab = killed(12);
    let folder = lab.run_folder().expect("run").display().to_string();
    let mut shell = lab.command(Path::new("/bin/sh"));
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_assay"), "resume", &folder, "--yes"]);
    let full = lab.spawn(shell).wait();
    assert_eq!(full.code, Some(70), "{full:?}");
    assert!(full.stderr.contains("journal") && full.stderr.contains("assay resume"), "{full:?}");
    let again = lab.resume();
    assert_eq!((again.code, lab.problems(again.code, 0)), (Some(0), Vec::new()), "{again:?}");
}

#[test]
fn a_place_that_takes_no_runs_is_named_before_anything_is_written() {
    let lab = Lab::open(&programs(), None);
    std::fs::write(lab.runs(), b"a file").expect("file");
    let refused = lab.start_run().wait();
    assert_eq!(refused.code, Some(70), "{refused:?}");
    assert!(refused.stderr.contains(&lab.runs().display().to_string()), "{refused:?}");
    assert_eq!(lab.calls(localcloud::Service::CloudFormation, "CreateStack"), 0);
    assert_eq!(lab.audited(), Vec::<String>::new());
}

/// A killed rehearsal cannot go on, because its cloud died with it: `list` offers what is true, and that works.
#[test]
fn a_run_whose_local_cloud_is_gone_is_lost_and_not_offered_for_resuming() {
    let mut lab = killed(40);
    let folder = lab.run_folder().expect("run").display().to_string();
    let runs = lab.runs().display().to_string();
    let listed = lab.assay(&["list", "--runs", &runs]);
    assert!(listed.stdout.contains(&format!("next: assay resume {folder} --yes")), "{listed:?}");
    let endpoint = lab.close();
    let listed = lab.assay(&["list", "--runs", &runs]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let said = listed.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(" lost ") && !said.contains("assay resume"), "{said}");
    assert!(said.contains(&format!("next: assay verify {folder} its local cloud at {endpoint} is gone")), "{said}");
    assert!(listed.stdout.lines().skip(2).all(|line| line.chars().count() <= 80), "{}", listed.stdout);
    let next = lab.assay(&["verify", &folder]);
    assert_eq!(next.code, Some(0), "{next:?}");
    let refused = lab.resume();
    assert_eq!(refused.code, Some(64), "{refused:?}");
    assert!(refused.stderr.contains("start again with: assay rehearse"), "{refused:?}");
}
