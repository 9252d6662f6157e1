//! The whole text of each expected error, caret included. `UPDATE_MESSAGES=1 cargo test --test it messages` writes
//! them anew; read the difference before you commit it.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A folder with the study's protocol, changed in one place, and its templates beside it.
struct Study {
    folder: tempfile::TempDir,
}

impl Study {
    fn with(changes: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let templates = folder.path().join("templates");
        std::fs::create_dir_all(&templates).expect("folder");
        std::fs::create_dir_all(folder.path().join("protocols")).expect("folder");
        for entry in std::fs::read_dir(Path::new(ROOT).join("templates")).expect("templates") {
            let entry = entry.expect("entry");
            std::fs::copy(entry.path(), templates.join(entry.file_name())).expect("copy");
        }
        let mut text = std::fs::read_to_string(Path::new(ROOT).join("protocols/study-1.yaml")).expect("protocol");
        for (from, to) in changes {
            assert!(text.contains(from), "the protocol no longer holds {from:?}");
            text = text.replacen(from, to, 1);
        }
        std::fs::write(folder.path().join("protocols/study-1.yaml"), text).expect("write");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `assay plan`, expects exit 64 and nothing on stdout, and gives what was said.
    fn refused(&self) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_assay"))
            .args(["plan", "protocols/study-1.yaml"])
            .current_dir(self.folder.path())
            .output()
            .expect("assay runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(64), "{said}");
        assert!(output.stdout.is_empty());
        assert!(!self.path("runs").exists(), "nothing is started");
        said
    }
}

pub(crate) fn expect(name: &str, said: &str) {
    let path = Path::new(ROOT).join("tests/messages").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(&path, said).expect("write");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(said, expected, "{name}");
}

/// One message per way in which a protocol can be wrong.
macro_rules! refused {
    ($($name:ident: $($from:literal => $to:literal),+;)+) => {
        $(#[test]
        fn $name() {
            let said = Study::with(&[$(($from, $to)),+]).refused();
            expect(stringify!($name), &said);
        })+
    };
}

refused! {
    unknown_key: "stop_rule:" => "stop_rules:";
    duplicate_key: "study: study-1" => "study: study-1\nstudy: study-2";
    wrong_type: "refund_minor: 10000" => "refund_minor: ten thousand";
    missing_field: "  currency: BRL\n" => "";
    variant_named_twice: "  - name: durable\n" => "  - name: conventional\n";
    trial_of_unknown_variant: "{ variant: durable, scenario: CONTROL }" => "{ variant: durabel, scenario: CONTROL }";
    template_missing: "template: ../templates/durable.yaml" => "template: ../templates/durables.yaml";
    unquoted_account: "allowed_accounts: []" => "allowed_accounts: [012345670123]";
    short_account: "allowed_accounts: []" => "allowed_accounts: [\"12345\"]";
    visibility_below_function_timeout: "visibility_timeout_s: 60" => "visibility_timeout_s: 20";
    execution_timeout_behind_queue: "visibility_timeout_s: 360" => "visibility_timeout_s: 2000", "execution_timeout_s: 300" => "execution_timeout_s: 901";
    prediction_of_a_cell_not_run: "    - { variant: durable, scenario: CONTROL }\n" => "";
    no_step_attempts: "    step_attempts: 2\n" => "";
    refund_above_capture: "refund_minor: 10000" => "refund_minor: 10001";
    float_money: "refund_minor: 10000" => "refund_minor: 100.00";
    unknown_schema: "assay.protocol/1" => "assay.protocol/9";
    several_at_once: "currency: BRL" => "currency: reais", "page_cap: 200" => "page_cap: 0", "cost_ceiling_usd: \"5.00\"" => "cost_ceiling_usd: \"5\"";
}

#[test]
fn empty_file() {
    let study = Study::with(&[]);
    std::fs::write(study.path("protocols/study-1.yaml"), "").expect("write");
    expect("empty_file", &study.refused());
}

#[test]
fn file_over_the_bound() {
    let study = Study::with(&[]);
    std::fs::write(study.path("protocols/study-1.yaml"), vec![b'#'; (1 << 20) + 1]).expect("write");
    expect("file_over_the_bound", &study.refused());
}

#[test]
fn template_that_is_not_yaml() {
    let study = Study::with(&[]);
    std::fs::write(study.path("templates/durable.yaml"), "Resources: {a: [1, 2\nb: }").expect("write");
    expect("template_that_is_not_yaml", &study.refused());
}

#[test]
fn no_such_protocol() {
    let study = Study::with(&[]);
    std::fs::remove_file(study.path("protocols/study-1.yaml")).expect("remove");
    expect("no_such_protocol", &study.refused());
}

#[test]
fn unknown_timing_profile() {
    let study = Study::with(&[]);
    let output = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["plan", "protocols/study-1.yaml", "--timing", "canonicle"])
        .current_dir(study.folder.path())
        .output()
        .expect("assay runs");
    assert_eq!(output.status.code(), Some(64));
    expect("unknown_timing_profile", &String::from_utf8_lossy(&output.stderr));
}

/// What Lambda would refuse is told before anything is built or asked.
#[test]
fn durable_target_without_a_qualifier() {
    let study = Study::with(&[]);
    let path = study.path("templates/durable.yaml");
    let text = std::fs::read_to_string(&path).expect("template");
    let target = "FunctionName: !Ref CallerAlias";
    assert!(text.contains(target));
    std::fs::write(&path, text.replace(target, "FunctionName: !Ref CallerFunction")).expect("write");
    expect("durable_target_without_a_qualifier", &study.refused());
}
