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

#[test]
fn every_command_has_an_example_and_fits_its_screen() {
    let all = commands();
    assert!(all.len() >= 12, "{all:?}");
    for command in all {
        let (code, help, _) = assay(&[&command, "--help"]);
        assert_eq!(code, Some(0));
        assert!(help.contains("Example") && help.contains(&format!("assay {command}")), "{command} has no example");
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

/// Blocks of the tutorial marked with `check` run as they stand, in a folder with the study's files.
#[test]
fn the_tutorials_commands_work() {
    let folder = tempfile::tempdir().expect("folder");
    for inner in ["protocols", "templates"] {
        std::fs::create_dir(folder.path().join(inner)).expect("folder");
        for entry in std::fs::read_dir(Path::new(ROOT).join(inner)).expect("files") {
            let entry = entry.expect("entry");
            if entry.path().is_file() {
                std::fs::copy(entry.path(), folder.path().join(inner).join(entry.file_name())).expect("copy");
            }
        }
    }
    let mut ran = 0;
    let tutorial = std::fs::read_to_string(Path::new(ROOT).join("docs/tutorial.md")).expect("tutorial");
    for block in tutorial.split("```sh check\n").skip(1) {
        for line in block.split("```").next().unwrap_or_default().lines() {
            let mut words = line.split_whitespace();
            assert_eq!(words.next(), Some("assay"), "{line}");
            let output = Command::new(env!("CARGO_BIN_EXE_assay"))
                .args(words)
                .current_dir(folder.path())
                .output()
                .expect("assay runs");
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(!output.stdout.contains(&0x1b), "{line}: escape codes without a terminal");
            ran += 1;
        }
    }
    assert!(ran >= 6, "{ran}");
}

/// What the book's table of contents names is there.
#[test]
fn the_book_is_whole() {
    let docs = Path::new(ROOT).join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).expect("summary");
    for file in summary.split('(').skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(docs.join(file).is_file(), "docs/{file} is named in SUMMARY.md");
    }
}
