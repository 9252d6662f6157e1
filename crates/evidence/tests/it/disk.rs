//! Full and read-only disks: small file systems mounted in a namespace of their own, where the system allows it.

use evidence::package::{Draft, PackageError};
use std::{env, fs, io::ErrorKind, path::Path, process::Command};
use tempfile::tempdir;

const FOLDER: &str = "EVIDENCE_TEST_DISK";

/// Runs an ignored test on a tmpfs with `options`; `None` if this system does not let us mount.
fn on_tmpfs(options: &str, test: &str) -> Option<bool> {
    let folder = tempdir().unwrap();
    let mount = format!("mount -t tmpfs -o {options} tmpfs \"${FOLDER}\"");
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]).env(FOLDER, folder.path());
        command.output().ok()
    };
    if !unshare(&mount)?.status.success() {
        return None;
    }
    let test_binary = env::current_exe().unwrap();
    let run = format!("{mount} && exec '{}' --exact {test} --ignored", test_binary.display());
    let output = unshare(&run)?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stdout));
    }
    Some(output.status.success())
}

#[test]
#[ignore = "runs on the small disk of a_full_disk_seals_nothing"]
fn full_disk_child() {
    let folder = env::var_os(FOLDER).unwrap();
    let folder = Path::new(&folder);
    let mut draft = Draft::create(folder, "p", "r", &[]).unwrap();
    draft.write("a", &[1; 50_000]).unwrap();
    let error = draft.write("b", &[2; 400_000]).unwrap_err();
    assert!(error.to_string().contains("nothing was sealed: free some space"), "{error}");
    assert!(matches!(error, PackageError::Io { source, .. } if source.kind() == ErrorKind::StorageFull));
    assert!(draft.seal().is_err(), "a draft with half a file must not be sealed");
    let names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [".draft-p"]);
}

#[test]
fn a_full_disk_seals_nothing() {
    assert_ne!(on_tmpfs("size=256k", "disk::full_disk_child"), Some(false));
}

#[test]
#[ignore = "runs on the read-only disk of a_read_only_disk_is_explained"]
fn read_only_disk_child() {
    let folder = env::var_os(FOLDER).unwrap();
    let error = Draft::create(Path::new(&folder), "p", "r", &[]).unwrap_err();
    assert!(error.to_string().contains("mounted read-only"), "{error}");
}

#[test]
fn a_read_only_disk_is_explained() {
    assert_ne!(on_tmpfs("ro", "disk::read_only_disk_child"), Some(false));
}
