//! The whole text of each expected error that needs a cloud: what it refuses, what it loses, who holds what. As
//! `messages.rs`, with ids, times, ports and folders left out. `UPDATE_MESSAGES=1` writes them anew.

use crate::messages::expect;
use crate::refusals::refusing;
use crate::support::{Ended, Lab, Programs, impostor, rule};
use regex_lite::Regex;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn lab(script: Option<&str>) -> Lab {
    Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), script)
}

/// What differs between two tellings of the same error.
const VARYING: [(&str, &str); 10] = [
    (r"20\d{6}t\d{6}-[0-9a-f]{4}", "RUN"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?", "TIME"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
    (r"[0-9a-f]{64}", "DIGEST"),
    // These words are OpenSSL's own, and change with it.
    (r"(openssl ts -verify): [^\n]+", "$1: …"),
    (r"process \d+", "process PID"),
    (r"kill \d+", "kill PID"),
    (r"at least 59\d+ ms", "at least 59… ms"),
    (r"USD 0\.\d{6}", "USD 0.……"),
];

/// The error as told, on stderr or, by a run that ended, on stdout; without what varies.
fn told(lab: &Lab, ended: &Ended) -> String {
    let from = |text: &str, mark: &str| text.find(mark).map(|at| text[at..].to_owned());
    let text = from(&ended.stderr, "error: ").or_else(|| from(&ended.stdout, "stopped early: "));
    let text = text.unwrap_or_else(|| panic!("no error is told: {ended:?}"));
    let folder = lab.runs().parent().expect("folder").display().to_string();
    let text = text.replace(&folder, "DIR").replace(ROOT, "ROOT");
    VARYING.iter().fold(text, |text, (pattern, word)| {
        Regex::new(pattern).expect("a pattern").replace_all(&text, *word).into_owned()
    })
}

fn stored(name: &str, lab: &Lab, ended: &Ended, code: i32) {
    assert_eq!(ended.code, Some(code), "{name}: {ended:?}");
    expect(&format!("cloud/{name}"), &told(lab, ended));
}

/// A run told to a person.
fn args(lab: &Lab) -> Vec<String> {
    lab.run_args().into_iter().filter(|arg| arg != "--json").collect()
}

/// The fast protocol changed, in the lab's folder.
fn changed(lab: &Lab, name: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(format!("{ROOT}/tests/fixtures/fast.yaml")).expect("protocol");
    assert!(text.contains(from), "{from}");
    let path = lab.runs().with_file_name(name);
    let text = text.replace(from, to).replace("../../templates", &format!("{ROOT}/templates"));
    std::fs::write(&path, text).expect("write");
    path.display().to_string()
}

#[test]
fn preflight_tells_all_findings_at_once() {
    let (lab, own) = refusing();
    let mut args = args(&lab);
    args[1] = changed(&lab, "p.yaml", "template: ../../templates/conventional.yaml", &own);
    stored("preflight", &lab, &lab.start(&args).wait(), 64);
}

#[test]
fn a_stack_that_cannot_be_created_is_told_with_its_root_cause() {
    let lab = lab(Some(
        "rules:\n  - {service: cloudformation, target: provider, effect: {create_failed: {logical_id: LedgerTable}}}\n",
    ));
    stored("create_failed", &lab, &lab.start(&args(&lab)).wait(), 20);
}

#[test]
fn ceilings_are_told_with_both_amounts() {
    let lab = lab(None);
    let mut over = args(&lab);
    over[1] = changed(&lab, "p.yaml", "cost_ceiling_usd: \"5.00\"", "cost_ceiling_usd: \"0.00\"");
    stored("over_the_ceiling", &lab, &lab.start(&over).wait(), 64);
    let mut reached = args(&lab);
    reached.extend(["--stop-at-usd".to_owned(), "0.0101".to_owned()]);
    stored("ceiling_reached", &lab, &lab.start(&reached).wait(), 20);
}

#[test]
fn expired_credentials_pause_with_the_command_that_goes_on() {
    let lab = lab(Some(&rule("sqs", "SendMessage", "{ nth: 1 }", "expired_token")));
    stored("expired", &lab, &lab.start(&args(&lab)).wait(), 75);
    lab.faults(&rule("sts", "GetCallerIdentity", "always", "expired_token"));
    let run = lab.run_folder().expect("run").display().to_string();
    stored("expired_still", &lab, &lab.assay(&["resume", &run, "--yes"]), 75);
}

#[test]
fn whoever_holds_a_run_or_a_study_is_named() {
    let lab = lab(None);
    let mut running = lab.start_run();
    let deployed = |lab: &Lab| lab.events().iter().any(|event| event["type"] == "created");
    assert!(lab.until(&mut running, deployed), "{}", running.stderr());
    running.signal(rustix::process::Signal::STOP);
    let run = lab.run_folder().expect("run").display().to_string();
    stored("run_held", &lab, &lab.assay(&["teardown", &run]), 64);
    stored("study_held", &lab, &lab.start(&args(&lab)).wait(), 64);
    running.kill();
    stored("study_left", &lab, &lab.start(&args(&lab)).wait(), 64);
}

#[test]
fn another_account_region_or_a_cloud_that_is_gone_is_told_as_such() {
    let mut lab = lab(None);
    let mut interrupted = args(&lab);
    interrupted.extend(["--on-interrupt".to_owned(), "keep".to_owned()]);
    let mut running = lab.start(&interrupted);
    assert!(lab.until(&mut running, |lab| lab.sealed("deploy")), "{}", running.stderr());
    running.signal(rustix::process::Signal::INT);
    stored("interrupted", &lab, &running.wait(), 130);
    let mut command = lab.command(Path::new(env!("CARGO_BIN_EXE_assay")));
    command.args(args(&lab)).env("AWS_REGION", "eu-west-1");
    stored("other_region", &lab, &lab.spawn(command).wait(), 64);
    let run = lab.run_folder().expect("run").display().to_string();
    let endpoint = lab.close();
    stored("cloud_gone", &lab, &lab.assay(&["resume", &run, "--yes"]), 64);
    let _asked = impostor(&endpoint, "111122223333");
    stored("other_account", &lab, &lab.assay(&["resume", &run, "--yes"]), 64);
}

#[test]
fn a_run_that_is_not_what_was_registered_is_told_point_by_point() {
    let lab = lab(None);
    let registration = lab.runs().with_file_name("registration").display().to_string();
    let [one, other] = [("a.yaml", "stop_rule: "), ("b.yaml", "stop_rule: Otherwise. ")]
        .map(|(name, to)| changed(&lab, name, "stop_rule: ", to));
    let ended = lab.assay(&["preregister", &one, "--timing", "rehearsal", "--local", "--out", &registration]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let runs = lab.runs().display().to_string();
    let rehearse = ["rehearse", &other, "--registration", &registration, "--runs", &runs];
    stored("registration_differs", &lab, &lab.assay(&rehearse), 64);
    std::fs::write(lab.runs().with_file_name("registration").join("timestamp.tsr"), b"no token").expect("write");
    std::fs::write(lab.runs().with_file_name("registration").join("tsa-ca.pem"), b"").expect("write");
    stored("timestamp_invalid", &lab, &lab.assay(&rehearse), 30);
}

#[test]
fn timestamp_authorities_that_do_not_answer_are_told_with_what_to_do() {
    let lab = lab(None);
    let place = |name: &str| lab.runs().with_file_name(name).display().to_string();
    std::fs::write(lab.runs().with_file_name("ca.pem"), "").expect("write");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("port").local_addr().expect("address");
    let protocol = changed(&lab, "a.yaml", "study: fast", "study: fast");
    let ask = |url: &str, out: &str| {
        let (out, ca) = (place(out), place("ca.pem"));
        let args = ["preregister", &protocol, "--timing", "rehearsal", "--local", "--out", &out, "--tsa", url];
        lab.assay(&[&args[..], &["--tsa-ca", &ca]].concat())
    };
    stored("authority_unreachable", &lab, &ask(&format!("http://{closed}/tsr"), "one"), 64);
    stored("authority_https", &lab, &ask("https://authority.example/tsr", "two"), 64);
}

#[test]
fn a_stack_that_may_not_be_deleted_is_told_with_its_holder() {
    let lab = lab(None);
    let endpoint = lab.cloud().endpoint();
    let at =
        |args: &[&str]| lab.assay(&[args, &["--endpoint-url", &endpoint, "--region", "us-east-1", "--yes"]].concat());
    let template = |name: &str, text: &str| {
        let path = lab.runs().with_file_name(name);
        std::fs::write(&path, text).expect("write");
        path.display().to_string()
    };
    let exporter = template(
        "exporter.yaml",
        "Resources:\n  Q: {Type: AWS::SQS::Queue}\nOutputs:\n  A: {Value: !GetAtt Q.QueueName, Export: {Name: shared}}\n",
    );
    let importer = template(
        "importer.yaml",
        "Resources:\n  Q: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub ['${N}-2', {N: !ImportValue shared}]}}\n",
    );
    for (path, stack) in [(&exporter, "exporter"), (&importer, "importer")] {
        let ended = at(&["deploy", path, "--stack", stack, "--tag", "a=b"]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    stored("export_in_use", &lab, &at(&["delete", "--stack", "exporter"]), 20);
    lab.protect("importer");
    stored("protected", &lab, &at(&["delete", "--stack", "importer"]), 64);
    let broken =
        template("broken.yaml", "Resources:\n  Q: {Type: AWS::SQS::Queue, Properties: {QueueName: 'no good'}}\n");
    stored("deploy_failed", &lab, &at(&["deploy", &broken, "--stack", "broken", "--tag", "a=b"]), 20);
}
