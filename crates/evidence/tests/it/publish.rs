//! Publication: deterministic archives that verify packed and unpacked, and every tampering with one.

use crate::support::{ACCOUNT, problems, report, run};
use evidence::{
    archive, chain,
    package::Index,
    problem::Kind,
    publish::{MANIFEST, Manifest, Publication, PublishError, list_files, publish},
    redact::Sensitive,
    verify::{Options, SubjectKind, verify},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use tempfile::{TempDir, tempdir};

fn sensitive() -> Sensitive {
    Sensitive { users: BTreeSet::from(["alice".to_owned()]), ..Sensitive::default() }
}

fn published(run: &Path, out: &Path) -> Publication {
    publish(run, &list_files(run).unwrap(), &sensitive(), out).unwrap()
}

fn unpack(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let limits = archive::Limits::default();
    let problems = archive::read(fs::File::open(path).unwrap(), &limits, &mut |path, _, content| {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        files.insert(path.to_owned(), bytes);
        Ok(())
    });
    assert_eq!(problems, []);
    files
}

fn pack(files: &BTreeMap<String, Vec<u8>>, out: &Path) {
    let mut writer = archive::Writer::new(fs::File::create(out).unwrap());
    // The manifest first, as in every archive.
    let (first, rest): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| *path == MANIFEST);
    for (path, bytes) in first.into_iter().chain(rest) {
        writer.file(path, bytes.len() as u64, &bytes[..]).unwrap();
    }
    writer.finish().unwrap();
}

struct Scene {
    folder: TempDir,
    archive: PathBuf,
}

fn scene() -> Scene {
    let folder = tempdir().unwrap();
    let source = folder.path().join("run");
    fs::create_dir(&source).unwrap();
    run(&source);
    let archive = folder.path().join("evidence.tar.gz");
    published(&source, &archive);
    Scene { folder, archive }
}

/// Kinds of problems after the archive's files were changed and packed again.
fn tampered(change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) -> Vec<(Kind, String)> {
    let scene = scene();
    let mut files = unpack(&scene.archive);
    change(&mut files);
    let out = scene.folder.path().join("tampered.tar.gz");
    pack(&files, &out);
    problems(&out)
}

/// What a killed publication left is written over; a link there, or another publication's, is not.
#[test]
fn an_unfinished_archive_is_taken_over_only_if_nobody_has_it() {
    let scene = scene();
    let (source, out) = (scene.folder.path().join("run"), scene.folder.path().join("out.tar.gz"));
    let partial = scene.folder.path().join("out.tar.partial");
    fs::write(&partial, vec![7; 1 << 20]).unwrap();
    published(&source, &out);
    assert_eq!(fs::read(&out).unwrap(), fs::read(&scene.archive).unwrap());
    assert!(!partial.exists());

    let refused = |what: &str| {
        let error = publish(&source, &list_files(&source).unwrap(), &sensitive(), &out).unwrap_err().to_string();
        assert!(error.contains("out.tar.partial") && error.contains(what), "{error}");
        assert_eq!(fs::read(&out).unwrap(), fs::read(&scene.archive).unwrap(), "what was published stays");
    };
    fs::write(&partial, b"at work").unwrap();
    let other = fs::File::open(&partial).unwrap();
    other.lock().unwrap();
    refused("another publication is writing it");
    assert_eq!(fs::read(&partial).unwrap(), b"at work");
    drop(other);

    let victim = scene.folder.path().join("victim");
    fs::write(&victim, b"mine").unwrap();
    fs::remove_file(&partial).unwrap();
    std::os::unix::fs::symlink(&victim, &partial).unwrap();
    refused("create");
    fs::remove_file(&partial).unwrap();
    fs::hard_link(&victim, &partial).unwrap();
    refused("another name too");
    assert_eq!(fs::read(&victim).unwrap(), b"mine");
}

/// Indexes and records are kept in memory within a bound, and what lies beyond it is named, not skipped.
#[test]
fn what_is_kept_of_an_archive_is_bounded() {
    let scene = scene();
    let files = unpack(&scene.archive);
    let kept = |path: &str| {
        path == MANIFEST || path == "journal.head" || path.ends_with("index.json") || path.ends_with("/stage.json")
    };
    let all: u64 = files.iter().filter(|(path, _)| kept(path)).map(|(_, bytes)| bytes.len() as u64).sum();
    let within = |max_kept_bytes: u64| {
        let limits = archive::Limits { max_kept_bytes, ..archive::Limits::default() };
        verify(&[&scene.archive], &Options { limits, ..Options::default() })
    };
    assert!(within(all).valid, "{}", within(all));
    for least in [all - 1, 1_024, 0] {
        let report = within(least);
        assert!(!report.valid);
        let beyond: Vec<_> = report.problems().filter(|problem| problem.kind == Kind::LimitReached).collect();
        assert!(!beyond.is_empty(), "{least}: {report}");
        assert!(beyond.iter().all(|problem| problem.message.contains(&format!("beyond {least} with all"))), "{report}");
    }
}

#[test]
fn twice_published_is_the_same_archive_and_it_verifies() {
    let scene = scene();
    let again = published(&scene.folder.path().join("run"), &scene.folder.path().join("again.tar.gz"));
    let bytes = fs::read(&again.path).unwrap();
    assert_eq!(bytes, fs::read(&scene.archive).unwrap());
    assert_eq!((again.sha256, again.bytes), (evidence::digest::Digest::of(&bytes), bytes.len() as u64));
    let report = report(&scene.archive);
    assert!(report.valid, "{report}");
    assert_eq!(report.subjects[0].kind, SubjectKind::Archive);
}

#[test]
fn the_redacted_copy_has_the_root_of_the_original_run() {
    let scene = scene();
    let original = report(&scene.folder.path().join("run"));
    let root = original.subjects[0].root;
    assert!(root.is_some());
    let options = Options { expect_root: root, ..Options::default() };
    assert!(verify(&[&scene.archive], &options).valid);
}

#[test]
fn nothing_sensitive_is_left_and_nothing_else_is_changed() {
    let scene = scene();
    let files = unpack(&scene.archive);
    let manifest = Manifest::parse(&files[MANIFEST]).unwrap();
    assert_eq!(manifest.replacements.len(), 2);
    for (path, bytes) in &files {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(ACCOUNT) && !text.contains("alice"), "{path}: {text}");
        let Some(entry) = manifest.find(path) else { continue };
        let original = fs::read(scene.folder.path().join("run").join(path)).unwrap();
        assert_eq!(entry.changed, original != *bytes, "{path}");
        let back = text.replace("999900000001", ACCOUNT).replace("redacted-user-1", "alice");
        assert_eq!(back.as_bytes(), original, "{path}");
    }
    let changed: Vec<&str> = manifest.files.iter().filter(|file| file.changed).map(|file| file.path.as_str()).collect();
    let stages = ["packages/canonical/stage.json", "packages/closing/stage.json", "packages/preflight/stage.json"];
    assert_eq!(changed, [&["journal.jsonl"], &stages[..]].concat());
    assert_eq!(chain::root(&[]).to_string().len(), 64);
}

#[test]
fn an_unpacked_archive_verifies_like_the_packed_one() {
    let scene = scene();
    let folder = scene.folder.path().join("unpacked");
    for (path, bytes) in unpack(&scene.archive) {
        let target = folder.join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, bytes).unwrap();
    }
    let unpacked = report(&folder);
    assert!(unpacked.valid, "{unpacked}");
    assert_eq!(unpacked.subjects[0].root, report(&scene.archive).subjects[0].root);
    fs::write(folder.join("packages/canonical/empty"), b"x").unwrap();
    fs::write(folder.join("extra"), b"x").unwrap();
    let expected = [(Kind::Unexpected, "extra"), (Kind::DigestDiffers, "packages/canonical/empty")];
    assert_eq!(problems(&folder), expected.map(|(kind, path)| (kind, path.to_owned())));
}

#[test]
fn tampering_with_an_archive_is_named() {
    let stage = "packages/canonical/stage.json";
    assert_eq!(tampered(|files| files.get_mut(stage).unwrap()[2] ^= 1), [(Kind::DigestDiffers, stage.to_owned())]);
    assert_eq!(tampered(|files| drop(files.remove(stage))), [(Kind::Missing, stage.to_owned())]);
    let added = tampered(|files| drop(files.insert("extra".to_owned(), Vec::new())));
    assert_eq!(added, [(Kind::Unexpected, "extra".to_owned())]);
    assert_eq!(tampered(|files| drop(files.remove(MANIFEST))), [(Kind::ManifestInvalid, MANIFEST.to_owned())]);
    let nothing = tampered(|files| files.retain(|path, _| !path.contains("packages/")));
    assert!(nothing.contains(&(Kind::NothingToVerify, "packages".to_owned())), "{nothing:?}");
}

fn edit_manifest(files: &mut BTreeMap<String, Vec<u8>>, edit: impl FnOnce(&mut Manifest)) {
    let mut manifest = Manifest::parse(&files[MANIFEST]).unwrap();
    edit(&mut manifest);
    files.insert(MANIFEST.to_owned(), evidence::canonical::to_line(&manifest).unwrap());
}

#[test]
fn a_manifest_cannot_disown_what_was_sealed() {
    let stage = "packages/canonical/stage.json";
    let entry = |manifest: &mut Manifest| manifest.files.iter().position(|file| file.path == stage).unwrap();
    let forged = tampered(|files| {
        edit_manifest(files, |manifest| {
            let at = entry(manifest);
            manifest.files[at].original_sha256 = evidence::digest::Digest::ZERO;
        });
    });
    assert_eq!(forged, [(Kind::ManifestInvalid, stage.to_owned())]);
    let dropped = tampered(|files| {
        files.remove(stage);
        edit_manifest(files, |manifest| {
            let at = entry(manifest);
            manifest.files.remove(at);
        });
    });
    assert_eq!(dropped, [(Kind::Missing, stage.to_owned())]);
    let smuggled = tampered(|files| {
        let path = "packages/canonical/trials/t-9.json";
        files.insert(path.to_owned(), Vec::new());
        edit_manifest(files, |manifest| {
            let mut extra = manifest.files[0].clone();
            extra.path = path.to_owned();
            extra.original_sha256 = evidence::digest::Digest::of(b"");
            (extra.redacted_sha256, extra.changed) = (extra.original_sha256, false);
            manifest.files.push(extra);
            manifest.files.sort_by(|a, b| a.path.cmp(&b.path));
        });
    });
    assert_eq!(smuggled, [(Kind::Unexpected, "packages/canonical/trials/t-9.json".to_owned())]);
    let relinked = tampered(|files| {
        let path = "packages/closing/index.json";
        let mut index = Index::parse(&files[path]).unwrap();
        index.predecessors.reverse();
        files.insert(path.to_owned(), index.to_bytes());
        edit_manifest(files, |manifest| {
            let at = manifest.files.iter().position(|file| file.path == path).unwrap();
            let digest = index.identity();
            (manifest.files[at].original_sha256, manifest.files[at].redacted_sha256) = (digest, digest);
        });
    });
    assert_eq!(relinked, [(Kind::ChainBroken, "packages/closing".to_owned())]);
}

#[test]
fn credentials_and_sensitive_names_stop_the_publication() {
    let folder = tempdir().unwrap();
    let source = folder.path().join("run");
    fs::create_dir(&source).unwrap();
    run(&source);
    let out = folder.path().join("out.tar.gz");
    let key = ["AK", "IA", "Q3EGZ5NVX7LM2TRB"].concat();
    fs::write(source.join("log.txt"), format!("fine\nkey {key}\n")).unwrap();
    let error = publish(&source, &list_files(&source).unwrap(), &sensitive(), &out).unwrap_err();
    assert!(matches!(&error, PublishError::Findings(found) if found.len() == 1 && found[0].line == 2), "{error}");
    assert!(!error.to_string().contains(&key));
    fs::remove_file(source.join("log.txt")).unwrap();
    for (name, bytes) in [("of-alice.txt", &b"x"[..]), (MANIFEST, b"{}"), ("core.bin", b"\xff\xfe alice \0")] {
        fs::write(source.join(name), bytes).unwrap();
        assert!(publish(&source, &list_files(&source).unwrap(), &sensitive(), &out).is_err(), "{name}");
        fs::remove_file(source.join(name)).unwrap();
    }
    assert!(!out.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_user_named_like_a_file_of_a_package_is_refused_rather_than_redacting_the_index() {
    let folder = tempdir().unwrap();
    let source = folder.path().join("run");
    fs::create_dir(&source).unwrap();
    run(&source);
    let users = BTreeSet::from(["templates".to_owned()]);
    let sensitive = Sensitive { users, ..Sensitive::default() };
    let out = folder.path().join("out.tar.gz");
    let error = publish(&source, &list_files(&source).unwrap(), &sensitive, &out).unwrap_err();
    assert!(matches!(error, PublishError::Refused { .. }), "{error}");
}

#[test]
fn drafts_and_hidden_files_are_not_published() {
    let folder = tempdir().unwrap();
    run(folder.path());
    fs::create_dir(folder.path().join("packages/.draft-late")).unwrap();
    fs::write(folder.path().join("packages/.draft-late/x"), b"x").unwrap();
    fs::write(folder.path().join(".secret"), b"x").unwrap();
    let files = list_files(folder.path()).unwrap();
    assert_eq!(files.len(), 3 * 5 + 2);
    assert!(files.iter().all(|path| !path.contains("/.") && !path.starts_with('.')));
}
