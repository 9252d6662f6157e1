//! `assay audit` and `assay teardown` as programs: a gate for CI, and a repair after a run that left something.

use super::support::{Lab, Programs, impostor};
use serde_json::Value;
use std::path::Path;

const STUCK: &str = "rules: [{service: cloudformation, operation: DeleteStack, target: provider, effect: {delete_failed: {logical_id: LedgerTable}}}]";

fn on_run(lab: &Lab, command: &[&str]) -> super::support::Ended {
    let run = lab.run_folder().expect("run").display().to_string();
    let with_run: Vec<&str> = command.iter().map(|word| if *word == "RUN" { run.as_str() } else { word }).collect();
    lab.assay(&with_run)
}

fn packages(lab: &Lab) -> Vec<(String, String)> {
    let sealed = lab.events().into_iter().filter(|e| e["type"] == "sealed");
    sealed.map(|e| (e["package"].to_string(), e["identity"].to_string())).collect()
}

#[test]
fn a_leak_is_found_torn_down_and_amended_without_changing_what_is_sealed() {
    let lab = Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), Some(STUCK));
    let run = lab.start_run().wait();
    assert_eq!(run.code, Some(40), "{run:?}");
    let sealed = packages(&lab);
    let shown = on_run(&lab, &["show", "RUN"]);
    assert!(shown.stdout.contains("ended (40)") && shown.stdout.contains("next: assay teardown"), "{}", shown.stdout);

    let found = on_run(&lab, &["audit", "--run", "RUN"]);
    assert_eq!(found.code, Some(40), "{found:?}");
    assert!(found.stdout.contains("leak") && found.stdout.contains("-provider-ledger"), "{}", found.stdout);
    let by_tag = tagged(&lab, &["assay:study=fast", "--region", "us-east-1", "--json"]);
    let report: Value = serde_json::from_str(&by_tag.stdout).expect("JSON");
    assert_eq!((by_tag.code, report["overall"].as_str()), (Some(40), Some("leak")));

    lab.faults("rules: []");
    let teardown = on_run(&lab, &["teardown", "RUN"]);
    assert_eq!(teardown.code, Some(0), "{teardown:?}");
    let amended = on_run(&lab, &["audit", "--amend", "RUN"]);
    assert_eq!(amended.code, Some(0), "{amended:?}");
    assert_eq!(packages(&lab)[..sealed.len()], sealed, "what was sealed stays");
    assert_eq!(packages(&lab)[sealed.len()].0, "\"amendment-1\"");
    let verified = on_run(&lab, &["verify", "RUN"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(lab.audited(), Vec::<String>::new());
}

#[test]
fn an_audit_by_tag_needs_a_tag_and_is_clean_where_nothing_is() {
    let lab = Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), None);
    let clean =
        tagged(&lab, &["assay:study=study-1", "--region", "us-east-1", "--region", "eu-west-1", "--prefix", "assay-"]);
    assert_eq!(clean.code, Some(0), "{clean:?}");
    assert!(clean.stdout.contains("audit: clean"), "{}", clean.stdout);
    let wrong = tagged(&lab, &["assay:study", "--region", "us-east-1"]);
    assert_eq!(wrong.code, Some(64), "{wrong:?}");
    assert_eq!(lab.assay(&["audit"]).code, Some(64));
}

fn tagged(lab: &Lab, arguments: &[&str]) -> super::support::Ended {
    let endpoint = lab.cloud().endpoint();
    lab.assay(&[&["audit", "--endpoint-url", &endpoint, "--tag"], arguments].concat())
}

#[test]
fn another_account_is_refused_before_anything_is_asked_of_it() {
    let mut lab = Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), None);
    let mut running = lab.start_run();
    assert!(lab.until(&mut running, |lab| lab.lines() >= 20), "{}", running.stderr());
    running.kill();
    let asked = impostor(&lab.close(), "999999999999");
    for command in [&["teardown", "RUN"][..], &["audit", "--run", "RUN"], &["resume", "RUN", "--yes"]] {
        let refused = on_run(&lab, command);
        assert_eq!(refused.code, Some(64), "{command:?}: {refused:?}");
        assert!(refused.stderr.contains("999999999999"), "{command:?}: {refused:?}");
    }
    let asked = asked.lock().expect("no panic").clone();
    assert!(!asked.is_empty() && asked.iter().all(|action| action == "GetCallerIdentity"), "{asked:?}");
}

/// Case 23: what a policy retains is not shown as deleted before, and is told as left behind after.
#[test]
fn a_dry_run_tells_what_would_be_orphaned_and_writes_nothing() {
    let lab = Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), None);
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |path: &str| std::fs::read_to_string(format!("{root}/{path}")).expect("file");
    let template = read("templates/provider.yaml");
    let at = template.find("  LedgerTable:").expect("the ledger");
    let kept = template[at..].replacen("DeletionPolicy: Delete", "DeletionPolicy: RetainExceptOnCreate", 1);
    let own = lab.runs().with_file_name("provider.yaml");
    std::fs::write(&own, format!("{}{kept}", &template[..at])).expect("write");
    let protocol =
        read("tests/fixtures/fast.yaml").replace("../../templates/provider.yaml", &own.display().to_string());
    let path = lab.runs().with_file_name("p.yaml");
    std::fs::write(&path, protocol.replace("../../templates", &format!("{root}/templates"))).expect("write");
    let mut args = lab.run_args();
    args[1] = path.display().to_string();
    let mut running = lab.start(&args);
    assert!(lab.until(&mut running, |lab| lab.sealed("deploy")), "{}", running.stderr());
    running.kill();

    let lines = lab.lines();
    let told = on_run(&lab, &["teardown", "RUN", "--dry-run"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.stdout.contains("  will orphan  LedgerTable (AWS::DynamoDB::Table) assay-"), "{}", told.stdout);
    assert_eq!(told.stdout.matches("will orphan").count(), 1, "{}", told.stdout);
    assert!(told.stdout.contains("  will delete  ProviderFunction (AWS::Lambda::Function)"), "{}", told.stdout);
    assert!(told.stdout.contains("3 stacks would be deleted, 1 resources stay"), "{}", told.stdout);
    let json = on_run(&lab, &["teardown", "RUN", "--dry-run", "--json"]);
    let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json["stacks"].as_array().map(Vec::len), Some(3), "{json}");
    assert_eq!(lab.calls(localcloud::Service::CloudFormation, "DeleteStack"), 0);
    assert_eq!((lab.lines(), lab.living_stacks().len()), (lines, 3), "nothing was written");

    let torn_down = on_run(&lab, &["teardown", "RUN", "--empty-buckets"]);
    assert!(torn_down.stdout.contains("LedgerTable (AWS::DynamoDB::Table) DELETE_SKIPPED"), "{torn_down:?}");
}
