//! Expired credentials pause, wherever they hit: exit 75, nothing sealed, and the command that continues.

use crate::support::{Ended, Lab, Programs, disturbed, rule};
use std::path::Path;

fn programs() -> Programs {
    Programs::of(Path::new(env!("CARGO_BIN_EXE_assay")))
}

/// A paused command, with the one that it names.
fn paused(ended: &Ended, continues: &str) {
    assert_eq!(ended.code, Some(75), "{ended:?}");
    let command = ended.stderr.lines().find_map(|line| line.split_once("continue with: ")).map(|(_, command)| command);
    assert!(command.is_some_and(|command| command.starts_with(continues)), "{continues}: {ended:?}");
    assert!(ended.stderr.contains("renew the credentials"), "{ended:?}");
}

#[test]
fn a_run_whose_audit_or_teardown_could_not_read_pauses_and_goes_on() {
    let programs = programs();
    for (service, operation) in [
        ("dynamodb", "ListTables"),
        ("tagging", "GetResources"),
        ("sqs", "ListQueueTags"),
        ("cloudformation", "DeleteStack"),
    ] {
        // The tag index is read in preflight as well; there it pauses too.
        let point = disturbed(&programs, operation, &rule(service, operation, "always", "expired_token"), 0);
        assert!(point.problems.is_empty() && point.code == Some(0), "{point:?}");
        assert!(point.ends.starts_with("75: error: paused: "), "{point:?}");
    }
}

#[test]
fn commands_about_an_ended_run_pause_and_seal_nothing() {
    let lab = Lab::open(&programs(), None);
    let ended = lab.start_run().wait();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let run = lab.run_folder().expect("run").display().to_string();
    let expired = |service: &str, operation: &str| {
        lab.faults(&rule(service, operation, "always", "expired_token"));
    };
    expired("dynamodb", "ListTables");
    paused(&lab.assay(&["audit", "--run", &run]), "assay audit --run ");
    paused(&lab.assay(&["audit", "--amend", &run]), "assay audit --amend ");
    assert!(!lab.sealed("amendment-1"));
    expired("cloudformation", "DescribeStacks");
    paused(&lab.assay(&["teardown", &run]), "assay teardown ");
    paused(&lab.assay(&["tags", "verify", &run]), "assay tags verify ");
    expired("costexplorer", "GetCostAndUsage");
    paused(&lab.assay(&["cost", &run, "--yes"]), "assay cost ");
    expired("sts", "GetCallerIdentity");
    for command in [&["audit", "--run", &run][..], &["teardown", &run], &["tags", "verify", &run], &["cost", &run]] {
        paused(&lab.assay(command), &format!("assay {} ", command[0]));
    }
    lab.faults("rules: []");
    let amended = lab.assay(&["audit", "--amend", &run]);
    assert_eq!((amended.code, lab.sealed("amendment-1")), (Some(0), true), "{amended:?}");
}

#[test]
fn commands_about_a_stack_or_a_tag_pause() {
    let lab = Lab::open(&programs(), None);
    let template = lab.runs().parent().expect("folder").join("queue.yaml");
    std::fs::write(&template, "Resources: {Queue: {Type: 'AWS::SQS::Queue'}}").expect("template");
    let (template, endpoint) = (template.display().to_string(), lab.cloud().endpoint());
    let target = ["--region", "us-east-1", "--endpoint-url", &endpoint];
    let deploy = [&["deploy", &template, "--stack", "s", "--tag", "team=a", "--yes"][..], &target].concat();
    let delete = [&["delete", "--stack", "s", "--yes"][..], &target].concat();
    let audit = [&["audit", "--tag", "team=a"][..], &target].concat();
    let tags = [&["tags", "verify", "--stack", "s"][..], &target].concat();
    lab.faults(&rule("cloudformation", "DescribeStackEvents", "always", "expired_token"));
    paused(&lab.assay(&deploy), "assay deploy ");
    lab.faults("rules: []");
    let deployed = lab.assay(&deploy);
    assert_eq!(deployed.code, Some(0), "the same command adopts what goes on: {deployed:?}");
    lab.faults(&rule("cloudformation", "DescribeStackEvents", "always", "expired_token"));
    paused(&lab.assay(&delete), "assay delete ");
    lab.faults(&rule("sqs", "ListQueueTags", "always", "expired_token"));
    paused(&lab.assay(&tags), "assay tags verify ");
    lab.faults(&rule("tagging", "GetResources", "always", "expired_token"));
    paused(&lab.assay(&audit), "assay audit ");
    lab.faults(&rule("sts", "GetCallerIdentity", "always", "expired_token"));
    for command in [&deploy, &delete, &audit] {
        paused(&lab.assay(command), &format!("assay {} ", command[0]));
    }
}
