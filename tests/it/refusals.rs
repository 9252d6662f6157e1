//! What a run refuses before its first write, and where it stops: names, permissions, clocks, accounts, cost.

use crate::support::{Ended, Lab, Programs, impostor};
use localcloud::Service;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn lab(script: Option<&str>) -> Lab {
    Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), script)
}

/// Runs a copy of the fast protocol.
fn run(lab: &Lab, change: impl Fn(String) -> String) -> Ended {
    let protocol = std::fs::read_to_string(format!("{ROOT}/tests/fixtures/fast.yaml")).expect("protocol");
    let path = lab.runs().with_file_name("p.yaml");
    std::fs::write(&path, change(protocol.replace("../../templates", &format!("{ROOT}/templates")))).expect("write");
    let mut args = lab.run_args();
    args[1] = path.display().to_string();
    lab.start(&args).wait()
}

/// A laboratory where a queue's name may not be asked for and a clock is wrong, and a protocol's line about a template
/// whose log group is somebody's already.
pub(crate) fn refusing() -> (Lab, String) {
    let script = "rules:\n  - {service: sqs, operation: GetQueueUrl, effect: denied}\n  - {service: sts, effect: {clock_skew: {ms: 60000}}}\n";
    let lab = lab(Some(script));
    lab.log_group("/fixed/group", &[("assay:owner", "somebody")]);
    let template = std::fs::read_to_string(format!("{ROOT}/templates/conventional.yaml")).expect("template");
    let at = template.find("LogGroupName:").expect("a log group");
    let line = &template[at..at + template[at..].find('\n').expect("a line")];
    let path = lab.runs().with_file_name("t.yaml");
    std::fs::write(&path, template.replace(line, "LogGroupName: /fixed/group")).expect("write");
    let own = format!("template: {}", path.display());
    (lab, own)
}

#[test]
fn an_existing_name_a_denied_read_and_a_wrong_clock_are_told_at_once() {
    let (lab, own) = refusing();
    let ended = run(&lab, |text| text.replace(&format!("template: {ROOT}/templates/conventional.yaml"), &own));
    let why = format!("{} {}", lab.results()["stopped"], ended.stderr);
    for part in [
        "log group /fixed/group exists already: assay:owner somebody",
        "sqs:GetQueueUrl is not allowed",
        "clock and that of sts differ by at least",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    assert_eq!(lab.calls(Service::CloudFormation, "CreateStack"), 0);
    assert_eq!(ended.code, Some(64), "{ended:?}");
}

#[test]
fn quotas_that_may_not_be_asked_are_a_warning() {
    let script = "rules:\n  - {operation: DescribeAccountLimits, effect: denied}\n  - {operation: GetAccountSettings, effect: denied}\n";
    let lab = lab(Some(script));
    let ended = run(&lab, |text| text);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let folder = lab.run_folder().expect("run");
    let found = std::fs::read_to_string(folder.join("packages/preflight/findings.json")).expect("findings");
    for action in ["cloudformation:DescribeAccountLimits", "lambda:GetAccountSettings"] {
        assert!(found.contains(action), "{found}");
    }
    assert!(found.contains(r#""cost_tag":"unknown to billing""#), "{found}");
    for part in ["no alias", "estimate USD", "ceiling USD 5.00", "evidence grade rehearsal", "CAPABILITY_IAM"] {
        // The prompt is wrapped to the width of a terminal.
        let told = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn an_estimate_above_the_ceiling_is_refused_before_anything_is_made() {
    let lab = lab(None);
    let ended = run(&lab, |text| text.replace("cost_ceiling_usd: \"5.00\"", "cost_ceiling_usd: \"0.00\""));
    assert_eq!(ended.code, Some(64), "{ended:?}");
    assert!(ended.stderr.contains("its ceiling is USD 0.00"), "{ended:?}");
    assert!(lab.run_folder().is_none() && lab.calls(Service::CloudFormation, "CreateStack") == 0);
}

#[test]
fn a_run_that_reaches_its_ceiling_stops_and_leaves_nothing() {
    let lab = lab(None);
    let mut args = lab.run_args();
    // Above preflight's one request to billing (USD 0.01), below that and the probe's trial.
    args.extend(["--stop-at-usd".to_owned(), "0.0101".to_owned()]);
    let ended = lab.start(&args).wait();
    assert_eq!(ended.code, Some(20), "{ended:?}");
    let why = lab.results()["stopped"].to_string();
    assert!(why.contains("its ceiling is USD 0.010100") && why.contains("counted calls"), "{why}");
    assert!(lab.calls(Service::CloudFormation, "CreateStack") > 0, "it was under way");
    assert_eq!(lab.problems(ended.code, 0), Vec::<String>::new());
}

#[test]
fn two_regions_that_contradict_each_other_are_both_named() {
    let lab = lab(None);
    let mut command = lab.command(Path::new(env!("CARGO_BIN_EXE_assay")));
    command.args(lab.run_args()).env("AWS_REGION", "eu-west-1");
    let ended = lab.spawn(command).wait();
    assert_eq!(ended.code, Some(64), "{ended:?}");
    assert!(ended.stderr.contains("us-east-1") && ended.stderr.contains("eu-west-1"), "{ended:?}");
    assert!(lab.cloud().calls().is_empty(), "nothing was called");
}

#[test]
fn credentials_of_another_account_write_nothing_on_resume_teardown_audit_and_tags() {
    let mut lab = lab(None);
    let mut args = lab.run_args();
    args.extend(["--on-interrupt".to_owned(), "keep".to_owned()]);
    let mut running = lab.start(&args);
    assert!(lab.until(&mut running, |lab| lab.sealed("deploy")), "{}", running.stderr());
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.wait().code, Some(130));
    let run = lab.run_folder().expect("run").display().to_string();
    let asked = impostor(&lab.close(), "111122223333");
    for args in [
        vec!["resume", &run, "--yes"],
        vec!["teardown", &run],
        vec!["audit", "--run", &run],
        vec!["tags", "verify", &run],
    ] {
        let ended = lab.assay(&args);
        assert_ne!(ended.code, Some(0), "{args:?}: {ended:?}");
        let text = format!("{}{}", ended.stdout, ended.stderr);
        assert!(text.contains("000000000000") && text.contains("111122223333"), "{args:?}: {text}");
    }
    let asked = asked.lock().expect("no panic").clone();
    let harmless = ["GetCallerIdentity", "ListAccountAliases"];
    assert!(asked.iter().all(|operation| harmless.contains(&operation.as_str())), "{asked:?}");
}
