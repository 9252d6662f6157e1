//! What the documentation says is so: its commands run or at least parse, its links lead somewhere.
//!
//! Blocks `sh check` run as they stand in a folder with the study's files. Blocks `sh rehearsed` run after a rehearsal,
//! `RUN` being its id (`rehearse.rs` does that). Every other command line must be one that the program takes.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// README and every page of the book.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = std::fs::read_dir(Path::new(ROOT).join("docs")).expect("docs");
    let mut paths: Vec<PathBuf> = docs.map(|e| e.expect("entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "md"));
    paths.push(Path::new(ROOT).join("README.md"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).expect("page"))).collect()
}

/// Lines of all blocks of a kind, in order of pages.
pub(crate) fn lines(kind: &str) -> Vec<String> {
    let opening = format!("```sh {kind}\n");
    let pages = pages();
    let blocks = pages.iter().flat_map(|(_, text)| text.split(opening.as_str()).skip(1));
    blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines()).map(str::to_owned).collect()
}

/// Runs a line in a shell that finds the programs under test; `# exit 30` at its end names another code than 0.
pub(crate) fn run(line: &str, folder: &Path) {
    let bin = Path::new(env!("CARGO_BIN_EXE_assay")).parent().expect("folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let wanted = line.split("# exit ").nth(1).map_or(0, |code| code.trim().parse().expect("exit code"));
    let output = Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", path).output().expect("a shell");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(wanted), "{line}\n{said}");
    assert!(!said.contains('\u{1b}'), "{line}: escape codes without a terminal");
}

#[test]
fn commands_that_need_no_run_work() {
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
    let all = lines("check");
    assert!(all.len() >= 6, "{all:?}");
    all.iter().for_each(|line| run(line, folder.path()));
}

/// Command lines in blocks and in inline code, without what a shell makes of them.
fn commands(text: &str) -> Vec<Vec<String>> {
    let blocks = text.lines().map(|line| line.trim_start().trim_start_matches("$ "));
    let inline = text.split('`').skip(1).step_by(2).filter(|code| !code.contains('\n'));
    let of = |line: &str| {
        let line = line.strip_prefix("cargo run -- ").map(|rest| format!("assay {rest}")).unwrap_or(line.to_owned());
        let line = line.split(['#', '|', '>', '&', '…']).next().unwrap_or_default().replace(['[', ']', '"'], "");
        let words: Vec<String> = line.replace("...", "").split_whitespace().map(str::to_owned).collect();
        (words.first().map(String::as_str) == Some("assay") && words.len() > 1).then(|| words[1..].to_vec())
    };
    let is_prose = |words: &Vec<String>| words.iter().any(|w| w.ends_with([',', ';', '.', ':']) || w == "COMMAND");
    let commands = blocks.filter(|l| !l.starts_with('|')).filter_map(of).filter(|w| !is_prose(w));
    commands.chain(inline.filter_map(of).filter(|w| !is_prose(w))).collect()
}

/// `--help` at the end: everything before it is parsed, nothing is done.
#[test]
fn every_command_line_is_one_that_the_program_takes() {
    let known = Command::new(env!("CARGO_BIN_EXE_assay")).arg("--help").output().expect("assay runs");
    let known = String::from_utf8(known.stdout).expect("text");
    let mut tried = 0;
    for (page, text) in pages() {
        for mut words in commands(&text) {
            let name = words[0].clone();
            words.iter_mut().filter(|word| *word == "N").for_each(|word| *word = "1".to_owned());
            if !known.contains(&format!("\n  {name} ")) && !name.starts_with('-') && !page.ends_with("README.md") {
                // A sentence that begins with the program's name; in code, an unknown command is an error.
                assert!(!text.contains(&format!("`assay {name}")), "{}: assay {name}", page.display());
                continue;
            }
            words.push("--help".to_owned());
            let output = Command::new(env!("CARGO_BIN_EXE_assay")).args(&words).output().expect("assay runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: assay {}\n{said}", page.display(), words.join(" "));
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

/// Links of the book stay in the book, those of the README in the repository; every page is in the table of contents.
#[test]
fn every_link_leads_somewhere() {
    let summary = std::fs::read_to_string(Path::new(ROOT).join("docs/SUMMARY.md")).expect("summary");
    for (page, text) in pages() {
        let name = page.file_name().expect("name").to_string_lossy().into_owned();
        let in_book = page.parent().is_some_and(|p| p.ends_with("docs"));
        assert!(!in_book || name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name} is in no table");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if file.starts_with("http") {
                continue;
            }
            let path = if file.is_empty() { page.clone() } else { page.parent().expect("folder").join(file) };
            assert!(path.exists(), "{name}: {target}");
            assert!(!in_book || !file.contains('/'), "{name}: {target} is not in the book");
            let headings = std::fs::read_to_string(&path).unwrap_or_default();
            let slugs = headings.lines().filter(|l| l.starts_with('#')).map(slug).collect::<Vec<_>>();
            assert!(anchor.is_empty() || slugs.iter().any(|s| s == anchor), "{name}: {target} of {slugs:?}");
        }
    }
}

/// A heading as mdBook and GitHub name its anchor.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}
