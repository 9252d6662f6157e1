//! Freezing and journaling in a child process that is killed at any moment.

use crate::support::problems;
use evidence::{
    journal::{Writer, read},
    package::Draft,
};
use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::tempdir;

const FOLDER: &str = "EVIDENCE_TEST_FOLDER";

/// Runs one of the ignored tests below in a process of its own.
fn spawn(test: &str, folder: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for the child's line `step N` and kills it; says whether the child got that far.
fn kill_at(mut child: Child, step: usize) -> bool {
    let reader = BufReader::new(child.stdout.take().unwrap());
    let reached = reader.lines().map_while(Result::ok).any(|line| line.ends_with(&format!("step {step}")));
    let _ = child.kill();
    child.wait().unwrap();
    reached
}

fn say(step: usize) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "step {step}").unwrap();
    out.flush().unwrap();
}

#[test]
#[ignore = "the child of a_killed_freeze_is_a_draft_or_a_whole_package"]
fn freezing_child() {
    let Some(folder) = env::var_os(FOLDER) else { panic!("{FOLDER} is not set") };
    let mut draft = Draft::create(Path::new(&folder), "p", "r", &[]).unwrap();
    for n in 0..40 {
        say(n);
        draft.write(&format!("files/{n}"), &vec![7; 20_000]).unwrap();
    }
    say(40);
    draft.seal().unwrap();
    say(41);
}

#[test]
fn a_killed_freeze_is_a_draft_or_a_whole_package() {
    let (mut drafts, mut sealed) = (0, 0);
    for step in [0, 1, 5, 20, 39, 40, 40, 40, 41] {
        let folder = tempdir().unwrap();
        assert!(kill_at(spawn("killed::freezing_child", folder.path()), step));
        let (draft, package) = (folder.path().join(".draft-p"), folder.path().join("p"));
        if package.exists() {
            sealed += 1;
            assert!(!draft.exists());
            assert_eq!(problems(&package), []);
        } else {
            drafts += 1;
            assert!(draft.exists());
            assert!(Draft::create(folder.path(), "p", "r", &[]).is_err());
            assert!(Draft::discard_leftover(folder.path(), "p").unwrap());
            assert!(Draft::create(folder.path(), "p", "r", &[]).is_ok());
        }
    }
    assert!(drafts >= 1 && sealed >= 1, "{drafts} drafts, {sealed} sealed");
}

#[test]
#[ignore = "the child of a_journal_is_readable_up_to_the_kill"]
fn journaling_child() {
    let Some(folder) = env::var_os(FOLDER) else { panic!("{FOLDER} is not set") };
    let mut writer = Writer::create(&PathBuf::from(folder).join("journal.jsonl")).unwrap();
    for n in 0..200 {
        writer.append(0, &"x".repeat(3_000)).unwrap();
        say(n);
    }
    assert_eq!(writer.head().seq, 200);
}

#[test]
fn a_journal_is_readable_up_to_the_kill() {
    for step in [0, 3, 17, 60] {
        let folder = tempdir().unwrap();
        assert!(kill_at(spawn("killed::journaling_child", folder.path()), step));
        let path = folder.path().join("journal.jsonl");
        let acknowledged = step + 1;
        assert!(read::<String>(&path).unwrap().entries.len() >= acknowledged);
        let mut writer = Writer::<String>::resume(&path).unwrap();
        writer.append(0, &"on".to_owned()).unwrap();
        assert!(read::<String>(&path).unwrap().entries.len() > acknowledged);
    }
}
