//! What a reader does with nothing but tar, jq and shasum.

use crate::support::{overwrite, run, seal};
use evidence::{
    digest::Digest,
    package::Index,
    publish::{list_files, publish},
    redact::Sensitive,
};
use std::{fs, path::Path, process::Command};
use tempfile::tempdir;

const PACKAGE: &str = r#"jq -r '.files[] | "\(.sha256)  \(.path)"' index.json | shasum -a 256 -c --quiet -"#;
const ARCHIVE: &str =
    r#"jq -r '.files[] | "\(.redacted_sha256)  \(.path)"' redaction-manifest.json | shasum -a 256 -c --quiet -"#;
const ROOT: &str = r#"for p in preflight canonical closing; do shasum -a 256 "packages/$p/index.json" | cut -c 1-64; done | shasum -a 256 | cut -c 1-64"#;

fn shell(folder: &Path, line: &str) -> (bool, String) {
    let output = Command::new("sh").args(["-c", line]).current_dir(folder).output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

fn tools() -> bool {
    shell(Path::new("/"), "jq --version && shasum --version && tar --version").0
}

#[test]
fn a_package_verifies_with_jq_and_shasum() {
    let folder = tempdir().unwrap();
    let package = seal(folder.path(), "canonical", &[]);
    if tools() {
        assert!(shell(package.path(), PACKAGE).0);
        overwrite(&package.path().join("stage.json"), b"{}");
        assert!(!shell(package.path(), PACKAGE).0);
    } else {
        let index = Index::parse(&fs::read(package.path().join("index.json")).unwrap()).unwrap();
        for file in index.files {
            assert_eq!(Digest::of(&fs::read(package.path().join(file.path)).unwrap()), file.sha256);
        }
    }
}

#[test]
fn an_archive_verifies_with_tar_jq_and_shasum_and_the_root_with_shasum() {
    let folder = tempdir().unwrap();
    let source = folder.path().join("run");
    fs::create_dir(&source).unwrap();
    let sealed = run(&source);
    let out = folder.path().join("study-1-evidence.tar.gz");
    publish(&source, &list_files(&source).unwrap(), &Sensitive::default(), &out).unwrap();
    if tools() {
        let unpacked = folder.path().join("unpacked");
        fs::create_dir(&unpacked).unwrap();
        assert!(shell(&unpacked, "tar -xzf ../study-1-evidence.tar.gz").0);
        assert!(shell(&unpacked, ARCHIVE).0);
        let (_, root) = shell(&unpacked, ROOT);
        assert_eq!(root.trim(), evidence::chain::root(&sealed).to_string());
        fs::write(unpacked.join("packages/canonical/empty"), b"x").unwrap();
        assert!(!shell(&unpacked, ARCHIVE).0);
    } else {
        assert!(crate::support::report(&out).valid);
    }
}
