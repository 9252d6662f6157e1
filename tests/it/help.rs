//! Help, completions, manual, schema, and the commands that the documentation names.

use assert_cmd::Command;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn assay(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_assay")).args(arguments).output().expect("assay runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Every command, as the general help lists them.
fn commands() -> Vec<String> {
    let (_, help, _) = assay(&["--help"]);
    let listed = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    let names = listed.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    names.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help").map(str::to_owned).collect()
}

/// Commands with their subcommands.
fn screens() -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = commands().into_iter().map(|name| vec![name]).collect();
    all.extend([["tags", "verify"], ["cost", "activate-tags"]].map(|pair| pair.map(str::to_owned).into()));
    all
}

#[test]
fn every_command_has_an_example_and_fits_eighty_columns() {
    let all = screens();
    assert!(all.len() >= 12, "{all:?}");
    for command in all {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let (code, help, _) = assay(&arguments);
        assert_eq!(code, Some(0));
        let example = help.split("Example").nth(1).unwrap_or_default();
        assert!(example.contains(&format!("assay {}", command.join(" "))), "{command:?} has no example");
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{command:?}: {line}");
        }
    }
}

#[test]
fn a_plan_fits_eighty_columns() {
    let output = Command::new(env!("CARGO_BIN_EXE_assay")).arg("plan").current_dir(ROOT).output().expect("assay runs");
    let plan = String::from_utf8(output.stdout).expect("text");
    assert!(plan.contains("canonical-4"), "{plan}");
    for line in plan.lines().filter(|line| !line.contains("ArtifactKey")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn an_unknown_command_is_told_the_nearest() {
    let (code, _, said) = assay(&["rehears"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("a similar subcommand exists: 'rehearse'"), "{said}");
    let (code, _, said) = assay(&["plan", "--timming", "rehearsal"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("'--timing'"), "{said}");
}

/// Values are told the nearest too: of options, of the protocol, of runs.
#[test]
fn an_unknown_value_is_told_the_nearest() {
    let cases: [(&[&str], &str); 6] = [
        (&["plan", "--timing", "rehersal"], "did you mean `rehearsal`?"),
        (&["plan", "--variant", "durabel"], "did you mean `durable`?"),
        (&["plan", "--format", "jsn"], "a similar value exists: 'json'"),
        (&["completions", "bsh"], "a similar value exists: 'bash'"),
        (&["run", "protocols/study-1.yaml", "--on-interrupt", "kep"], "a similar value exists: 'keep'"),
        (&["tags", "verfy"], "a similar subcommand exists: 'verify'"),
    ];
    for (arguments, wanted) in cases {
        let output =
            Command::new(env!("CARGO_BIN_EXE_assay")).args(arguments).current_dir(ROOT).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{arguments:?}: {said}");
        assert!(said.contains(wanted), "{arguments:?}: {said}");
    }
}

#[test]
fn completions_name_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, _) = assay(&["completions", shell]);
        assert_eq!(code, Some(0));
        for command in commands() {
            assert!(script.contains(&command), "{shell} lacks {command}");
        }
    }
}

#[test]
fn the_manual_is_a_page_and_a_folder_of_pages() {
    let (code, page, _) = assay(&["man"]);
    assert_eq!(code, Some(0));
    assert!(page.contains(".TH assay 1"), "{page}");
    let folder = tempfile::tempdir().expect("folder");
    let (code, ..) = assay(&["man", "--out", folder.path().to_str().expect("path")]);
    assert_eq!(code, Some(0));
    for command in commands() {
        assert!(folder.path().join(format!("assay-{command}.1")).is_file(), "{command}");
    }
}

#[test]
fn the_stored_schema_is_current() {
    let (_, schema, _) = assay(&["schema"]);
    let stored = std::fs::read_to_string(Path::new(ROOT).join("protocols/protocol.schema.json")).expect("schema");
    assert_eq!(stored, schema, "run: assay schema > protocols/protocol.schema.json");
}
