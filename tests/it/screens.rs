//! What stands on stdout and on stderr, and in which form: people, logs, programs.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// A deploy that fails at once: it tells progress, warns nobody and needs no functions.
const WRONG: &[&str] = &["deploy", "no-such-template.yaml", "--stack", "x", "--tag", "a=b", "--yes"];

fn said(arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    let output = command
        .args(arguments)
        .envs(environment.iter().copied())
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .current_dir(ROOT)
        .output()
        .expect("assay runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The program on a terminal of its own, by `script` (util-linux); its stdout and stderr are one stream.
fn on_a_terminal(arguments: &[&str], environment: &[(&str, &str)]) -> Option<String> {
    let line = format!("{} {}", env!("CARGO_BIN_EXE_assay"), arguments.join(" "));
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).envs(environment.iter().copied()).env("TERM", "xterm-256color");
    let output = command.env_remove("NO_COLOR").envs(environment.iter().copied()).current_dir(ROOT).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn log_lines_as_json_are_all_of_stderr_even_the_error() {
    let (code, out, err) = said(&[&["--log-format", "json", "-v"], WRONG].concat(), &[]);
    assert_eq!((code, out.as_str()), (Some(64), ""), "{err}");
    let lines: Vec<Value> =
        err.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{l}: {e}"))).collect();
    let error = lines.iter().find(|l| l["level"] == "ERROR").expect("the error");
    assert!(error["fields"]["message"].as_str().is_some_and(|m| m.contains("no-such-template.yaml")), "{error}");
    assert_eq!(error["fields"]["exit"], 64);
}

#[test]
fn errors_have_no_escape_codes_where_nobody_can_see_them() {
    for arguments in [WRONG, &["plan", "--timing", "x"], &["rehears"], &["plan", "tests/fixtures/report/verdict.json"]]
    {
        let (code, _, err) = said(arguments, &[]);
        assert_eq!(code, Some(64), "{err}");
        assert!(!err.is_empty() && !err.contains('\u{1b}'), "{err}");
    }
}

#[test]
fn no_color_is_obeyed_on_a_terminal() {
    for arguments in [&["rehears"][..], &["plan", "tests/fixtures/report/verdict.json"], &["--help"]] {
        let Some(plain) = on_a_terminal(arguments, &[("NO_COLOR", "1")]) else {
            // Without `script` there is no terminal to ask; CI's image has it.
            assert!(!Path::new("/usr/bin/script").exists());
            return;
        };
        assert!(plain.len() > 40, "{arguments:?}: {plain}");
        assert!(!plain.contains("\u{1b}["), "{arguments:?}: {plain}");
    }
}

#[test]
fn quiet_leaves_the_result_and_the_error() {
    let (code, out, _) = said(&["-q", "plan"], &[]);
    assert_eq!(code, Some(0));
    assert!(out.contains("study-1: The ambiguous outcome"));
    let (code, _, err) = said(&[&["-q"], WRONG].concat(), &[]);
    assert_eq!((code, err.lines().count()), (Some(64), 1), "{err}");
}

/// A whole rehearsal on a terminal: lines that move, and no colour where none is wanted.
#[test]
fn progress_moves_on_a_terminal_without_colour() {
    let beside = |name: &str| Path::new(env!("CARGO_BIN_EXE_assay")).with_file_name(name).display().to_string();
    let (bootstrap, oracle) = (beside("bootstrap"), beside("oracle"));
    let built = Path::new(&bootstrap).is_file() && Path::new(&oracle).is_file();
    let programs = [("ASSAY_BOOTSTRAP", bootstrap.as_str()), ("ASSAY_ORACLE", oracle.as_str())];
    let environment: Vec<_> = programs.into_iter().filter(|_| built).chain([("NO_COLOR", "1")]).collect();
    let folder = tempfile::tempdir().expect("folder");
    let runs = folder.path().display().to_string();
    let Some(seen) = on_a_terminal(&["rehearse", "tests/fixtures/fast.yaml", "--runs", &runs], &environment) else {
        assert!(!Path::new("/usr/bin/script").exists());
        return;
    };
    assert!(seen.contains("exit        0"), "{seen}");
    let codes: Vec<&str> = seen.split("\u{1b}[").skip(1).collect();
    let ends = |code: &&str| code.trim_start_matches(|c: char| c.is_ascii_digit() || ";?".contains(c)).chars().next();
    let colours = codes.iter().filter(|code| ends(code) == Some('m')).count();
    assert_eq!(colours, 0, "{seen}");
    assert!(codes.iter().any(|code| matches!(ends(code), Some('A' | 'K' | 'J'))), "nothing was drawn over: {seen}");
}
