//! Protocols, fault scripts and run folders of any content are read or refused: no panic, and no more memory than the
//! bound on a file. The other readers have such tests beside them: journal and package index (`crates/evidence`), YAML
//! and templates (`crates/yaml`, `crates/localcloud`), and each wire protocol of the local cloud.

use assay::plan::{self, Options};
use assay::protocol;
use localcloud::fault::Script;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Pieces that protocols are made of, some of them where they do not belong.
const PIECES: [&str; 16] = [
    "\n",
    ": ",
    "- ",
    "  ",
    "[",
    "]",
    "{",
    "}",
    "null",
    "-1",
    "1e99",
    "012345678901",
    "conventional",
    "CONTROL",
    "'",
    "\u{2028}",
];

fn study() -> String {
    std::fs::read_to_string(format!("{ROOT}/protocols/study-1.yaml")).expect("study")
}

/// The study with a stretch cut out and pieces put in its place.
fn mutated() -> impl Strategy<Value = String> {
    let text = study();
    let length = text.chars().count();
    let pieces = proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..4);
    (0..length, 0..40_usize, pieces).prop_map(move |(at, cut, pieces)| {
        let before = text.chars().take(at);
        let after = text.chars().skip(at + cut);
        before.chain(pieces.concat().chars()).chain(after).collect()
    })
}

/// Reads a protocol from beside the study, so that its templates are found.
fn exercise(bytes: &[u8]) -> Result<(), TestCaseError> {
    let file = tempfile::Builder::new().prefix(".fuzz-").suffix(".yaml").tempfile_in(format!("{ROOT}/target"));
    let file = file.or_else(|_| tempfile::NamedTempFile::new()).expect("file");
    std::fs::write(file.path(), bytes).expect("write");
    match protocol::load(file.path()) {
        Ok(loaded) => {
            for profile in ["rehearsal", "canonical"] {
                let options = Options { profile: profile.to_owned(), only_variants: Vec::new(), artifact: None };
                let _ = plan::resolve(&loaded, &options).map_err(|failure| failure.to_string());
            }
        }
        Err(failure) => prop_assert!(!failure.to_string().is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_study_is_read_or_refused(text in mutated()) {
        exercise(text.as_bytes())?;
    }

    #[test]
    fn arbitrary_bytes_are_no_protocol_and_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..256)) {
        exercise(&bytes)?;
    }

    #[test]
    fn fault_scripts_are_read_or_refused(text in "(rules:)?[ -~\\n]{0,80}") {
        if let Err(error) = Script::from_yaml("script", &text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn an_endless_protocol_is_refused_at_the_bound() {
    let refused = protocol::load(Path::new("/dev/zero")).expect_err("endless").to_string();
    assert!(refused.contains("more than 1048576 bytes"), "{refused}");
}

#[test]
fn every_committed_protocol_and_script_is_read() {
    let folder = PathBuf::from(ROOT);
    for path in ["protocols/study-1.yaml", "tests/fixtures/fast.yaml", "tests/fixtures/fast-durable.yaml"] {
        protocol::load(&folder.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
    for path in crate::support::scripts() {
        let text = std::fs::read_to_string(&path).expect("script");
        Script::from_yaml(&path.display().to_string(), &text).expect("a script");
        assert!(text.lines().any(|l| l.starts_with("# Ends with ")), "{}: says no end", path.display());
    }
}
