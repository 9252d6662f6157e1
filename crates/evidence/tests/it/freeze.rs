//! What a freeze refuses, before it writes.

use crate::support::{problems, seal};
use evidence::{
    digest::Digest,
    package::{Draft, PackageError, Sealed},
};
use serde_json::json;
use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
};
use tempfile::tempdir;

fn draft(parent: &Path) -> Draft {
    Draft::create(parent, "p", "r", &[]).unwrap()
}

#[test]
fn sealed_packages_open_verify_and_give_back_their_bytes() {
    let folder = tempdir().unwrap();
    let sealed = seal(folder.path(), "canonical", &[Digest::of(b"before")]);
    let opened = Sealed::open(&folder.path().join("canonical")).unwrap();
    assert_eq!(opened.identity(), sealed.identity());
    assert_eq!(opened.index(), sealed.index());
    assert_eq!(opened.read("trials/t-1.json").unwrap(), b"{\"amount_minor\":10000,\"trial\":\"t-1\"}\n");
    assert_eq!(*opened.identity(), Digest::of(&fs::read(opened.path().join("index.json")).unwrap()));
    assert!(matches!(opened.read("stage"), Err(PackageError::NoSuchFile(_))));
    assert_eq!(problems(opened.path()), []);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn same_content_same_identity_whatever_the_order_of_writing() {
    let (one, two) = (tempdir().unwrap(), tempdir().unwrap());
    let mut a = draft(one.path());
    a.write("a", b"1").unwrap();
    a.write("b/c", b"2").unwrap();
    let mut b = draft(two.path());
    b.write("b/c", b"2").unwrap();
    b.write("a", b"1").unwrap();
    assert_eq!(a.seal().unwrap().identity(), b.seal().unwrap().identity());
}

#[test]
fn unsafe_and_colliding_names_are_refused_before_any_write() {
    let folder = tempdir().unwrap();
    let mut draft = draft(folder.path());
    draft.write("Trials/a.json", b"x").unwrap();
    let cases = [
        ("../x", "`..`"),
        ("/etc/passwd", "absolute"),
        ("C:\\x", "backslash"),
        ("a\0b", "NUL"),
        ("a\tb", "control character"),
        ("~root", "`~`"),
        ("trials/b.json", "upper and lower case"),
        ("caf\u{e9}.json", "normalisation"),
        ("cafe\u{301}.json", "normalisation"),
        ("Trials/a.json", "twice"),
        ("Trials", "a file and a folder"),
        ("index.json", "index"),
        ("INDEX.json", "index"),
    ];
    for (path, reason) in cases {
        let error = draft.write(path, b"y").unwrap_err().to_string();
        assert!(error.contains(reason), "{path:?}: {error}");
    }
    let sealed = draft.seal().unwrap();
    assert_eq!(sealed.index().files.len(), 1);
}

#[test]
fn unsafe_package_and_run_names_are_refused() {
    let folder = tempdir().unwrap();
    for (name, run) in [("../p", "r"), ("p/q", "r"), ("", "r"), (".p", "r"), ("p", "a/b"), ("p", "..")] {
        assert!(matches!(Draft::create(folder.path(), name, run, &[]), Err(PackageError::Name(_))), "{name} {run}");
    }
    let twice = [Digest::of(b"x"); 2];
    assert!(matches!(Draft::create(folder.path(), "p", "r", &twice), Err(PackageError::RepeatedPredecessor(_))));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn sources_that_are_not_plain_files_are_refused() {
    let (folder, source) = (tempdir().unwrap(), tempdir().unwrap());
    let at = |name: &str| source.path().join(name);
    fs::write(at("plain"), b"x").unwrap();
    fs::hard_link(at("plain"), at("hard")).unwrap();
    symlink(at("plain"), at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    symlink("loop", at("loop")).unwrap();
    symlink(folder.path(), at("folder-link")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    let mut draft = draft(folder.path());
    let cases = [
        ("hard", "hard links"),
        ("plain", "hard links"),
        ("link", "symbolic link"),
        ("dangling", "symbolic link"),
        ("loop", "symbolic link"),
        ("folder-link", "symbolic link"),
        ("folder", "folder"),
        ("socket", "socket"),
        ("absent", "cannot read"),
    ];
    for (name, reason) in cases {
        let error = draft.copy_file("copy", &at(name)).unwrap_err().to_string();
        assert!(error.contains(reason), "{name}: {error}");
    }
    fs::remove_file(at("hard")).unwrap();
    draft.copy_file("copy", &at("plain")).unwrap();
    assert_eq!(draft.seal().unwrap().read("copy").unwrap(), b"x");
}

#[test]
fn a_folder_is_copied_whole_or_not_at_all() {
    let (folder, source) = (tempdir().unwrap(), tempdir().unwrap());
    fs::create_dir_all(source.path().join("a/b")).unwrap();
    for (path, bytes) in [("one", &b"1"[..]), ("a/two", b"2"), ("a/b/three", b"")] {
        fs::write(source.path().join(path), bytes).unwrap();
    }
    let mut draft = draft(folder.path());
    symlink("one", source.path().join("zz")).unwrap();
    assert!(matches!(draft.copy_folder("in", source.path()), Err(PackageError::Refused { .. })));
    assert_eq!(
        fs::read_dir(folder.path().join(".draft-p")).unwrap().count(),
        0,
        "written before everything was checked"
    );
    fs::remove_file(source.path().join("zz")).unwrap();
    draft.copy_folder("in", source.path()).unwrap();
    assert!(draft.copy_folder("in", source.path()).is_err(), "the same names again");
    let sealed = draft.seal().unwrap();
    let paths: Vec<&str> = sealed.index().files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["in/a/b/three", "in/a/two", "in/one"]);
    assert_eq!(problems(sealed.path()), []);
}

#[test]
fn both_normalisation_forms_in_a_folder_are_refused() {
    let (folder, source) = (tempdir().unwrap(), tempdir().unwrap());
    fs::write(source.path().join("caf\u{e9}"), b"1").unwrap();
    fs::write(source.path().join("cafe\u{301}"), b"2").unwrap();
    let error = draft(folder.path()).copy_folder("", source.path()).unwrap_err().to_string();
    assert!(error.contains("normalisation"), "{error}");
}

#[test]
fn what_somebody_puts_into_a_draft_is_not_sealed() {
    type Tamper = fn(&Path);
    let cases: [(&str, Tamper); 5] = [
        ("not listed", |draft| fs::write(draft.join("extra"), b"x").unwrap()),
        ("not there", |draft| fs::remove_file(draft.join("a")).unwrap()),
        ("symbolic link", |draft| symlink("a", draft.join("b")).unwrap()),
        ("hard link", |draft| fs::hard_link(draft.join("a"), draft.join("b")).unwrap()),
        ("bytes", |draft| crate::support::overwrite(&draft.join("a"), b"longer")),
    ];
    for (reason, tamper) in cases {
        let folder = tempdir().unwrap();
        let mut draft = draft(folder.path());
        draft.write("a", b"x").unwrap();
        tamper(&folder.path().join(".draft-p"));
        let error = draft.seal().unwrap_err();
        assert!(matches!(error, PackageError::DraftChanged(_)), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!folder.path().join("p").exists());
    }
}

#[test]
fn a_symlinked_folder_inside_a_draft_is_not_written_through() {
    let (folder, outside) = (tempdir().unwrap(), tempdir().unwrap());
    let mut draft = draft(folder.path());
    symlink(outside.path(), folder.path().join(".draft-p/trials")).unwrap();
    assert!(draft.write("trials/a.json", b"x").is_err());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn sealed_packages_and_leftover_drafts_are_never_replaced() {
    let folder = tempdir().unwrap();
    seal(folder.path(), "p", &[]);
    assert!(matches!(Draft::create(folder.path(), "p", "r", &[]), Err(PackageError::AlreadySealed(_))));
    let first = Draft::create(folder.path(), "q", "r", &[]).unwrap();
    assert!(matches!(Draft::create(folder.path(), "q", "r", &[]), Err(PackageError::LeftoverDraft(_))));
    drop(first);
    assert!(Draft::discard_leftover(folder.path(), "q").unwrap());
    assert!(!Draft::discard_leftover(folder.path(), "q").unwrap());
    let late = Draft::create(folder.path(), "q", "r", &[]).unwrap();
    fs::create_dir(folder.path().join("q")).unwrap();
    assert!(matches!(late.seal(), Err(PackageError::AlreadySealed(_))), "not even over an empty folder");
}

#[test]
fn values_without_canonical_form_are_refused() {
    let folder = tempdir().unwrap();
    let mut draft = draft(folder.path());
    let error = draft.write_json("n.json", &json!({"n": u64::MAX})).unwrap_err();
    assert!(matches!(error, PackageError::Canonical(_)), "{error}");
}

#[test]
fn an_opened_package_that_changes_is_not_read() {
    let folder = tempdir().unwrap();
    let sealed = seal(folder.path(), "p", &[]);
    crate::support::overwrite(&sealed.path().join("stage.json"), b"other");
    assert!(matches!(sealed.read("stage.json"), Err(PackageError::Invalid { .. })));
}
