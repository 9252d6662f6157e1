//! Every kind of tampering with a package, and what verification calls it.

use crate::support::{overwrite, problems, report, seal};
use evidence::{
    package::{Index, PackageError, Sealed},
    problem::Kind,
};
use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
};
use tempfile::tempdir;

fn case(tamper: impl FnOnce(&Path)) -> Vec<(Kind, String)> {
    let folder = tempdir().unwrap();
    let sealed = seal(folder.path(), "canonical", &[]);
    tamper(sealed.path());
    let found = problems(sealed.path());
    let opened = Sealed::open(sealed.path());
    assert_eq!(opened.is_err(), !found.is_empty(), "open and verify disagree");
    if let Err(PackageError::Invalid { problems, .. }) = opened {
        assert_eq!(problems.len(), found.len());
    }
    found
}

fn one(kind: Kind, path: &str) -> Vec<(Kind, String)> {
    vec![(kind, path.to_owned())]
}

fn edit_index(package: &Path, edit: impl FnOnce(&mut Index)) {
    let path = package.join("index.json");
    let mut index = Index::parse(&fs::read(&path).unwrap()).unwrap();
    edit(&mut index);
    overwrite(&path, &index.to_bytes());
}

#[test]
fn a_flipped_bit_of_the_same_size_is_found_in_every_file() {
    for path in ["stage.json", "trials/t-1.json", "templates/provider.yaml"] {
        let found = case(|package| {
            let mut bytes = fs::read(package.join(path)).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            overwrite(&package.join(path), &bytes);
        });
        assert_eq!(found, one(Kind::DigestDiffers, path));
    }
}

#[test]
fn missing_unexpected_and_resized_files_are_all_reported_at_once() {
    let found = case(|package| {
        fs::remove_file(package.join("stage.json")).unwrap();
        fs::write(package.join("trials/t-2.json"), b"{}").unwrap();
        fs::write(package.join(".hidden"), b"").unwrap();
        fs::create_dir(package.join("void")).unwrap();
        overwrite(&package.join("empty"), b"not empty");
        overwrite(&package.join("templates/provider.yaml"), b"Resources: []\n");
    });
    let expected = [
        (Kind::Missing, "stage.json"),
        (Kind::Unexpected, ".hidden"),
        (Kind::Unexpected, "trials/t-2.json"),
        (Kind::SpecialFile, "void"),
        (Kind::SizeDiffers, "empty"),
        (Kind::DigestDiffers, "templates/provider.yaml"),
    ];
    let mut expected: Vec<_> = expected.into_iter().map(|(kind, path)| (kind, path.to_owned())).collect();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn links_and_special_files_are_refused_whether_listed_or_not() {
    let outside = tempdir().unwrap();
    fs::write(outside.path().join("stage.json"), b"x").unwrap();
    let target = outside.path().join("stage.json");
    let replace = |package: &Path, path: &str| {
        fs::remove_file(package.join(path)).unwrap();
        package.join(path)
    };
    assert_eq!(
        case(|package| {
            let copy = package.parent().unwrap().join("copy");
            fs::rename(package.join("stage.json"), &copy).unwrap();
            symlink(copy, package.join("stage.json")).unwrap();
        }),
        one(Kind::Symlink, "stage.json"),
        "a link to the very same bytes"
    );
    assert_eq!(case(|package| symlink("nowhere", replace(package, "empty")).unwrap()), one(Kind::Symlink, "empty"));
    assert_eq!(case(|package| symlink("loop", package.join("loop")).unwrap()), one(Kind::Symlink, "loop"));
    assert_eq!(case(|package| symlink(outside.path(), package.join("dir")).unwrap()), one(Kind::Symlink, "dir"));
    let hard = case(|package| fs::hard_link(package.join("empty"), package.parent().unwrap().join("alias")).unwrap());
    assert_eq!(hard, one(Kind::HardLink, "empty"));
    assert_eq!(
        case(|package| drop(UnixListener::bind(replace(package, "empty")).unwrap())),
        one(Kind::SpecialFile, "empty")
    );
    assert_eq!(
        case(|package| symlink(&target, replace(package, "index.json")).unwrap()),
        one(Kind::Symlink, "index.json")
    );
    let folder_link = case(|package| {
        fs::rename(package.join("trials"), package.parent().unwrap().join("moved")).unwrap();
        symlink("../moved", package.join("trials")).unwrap();
    });
    assert_eq!(folder_link, [(Kind::Missing, "trials/t-1.json".to_owned()), (Kind::Symlink, "trials".to_owned())]);
}

#[test]
fn names_in_another_normalisation_or_case_are_explained() {
    let folder = tempdir().unwrap();
    let sealed = seal(folder.path(), "p", &[]);
    fs::rename(sealed.path().join("empty"), sealed.path().join("Empty")).unwrap();
    fs::write(sealed.path().join("cafe\u{301}"), b"x").unwrap();
    let report = report(sealed.path());
    let messages: Vec<&str> = report.problems().map(|problem| problem.message.as_str()).collect();
    assert!(messages.iter().any(|message| message.contains("upper and lower case")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("normalisation")), "{messages:?}");
}

#[test]
fn an_index_with_escaping_names_is_refused_and_nothing_is_opened() {
    for path in ["../x", "/etc/passwd", "a/../../x", "C:\\x", "a\\b", "a\0b", "~/x", "cafe\u{301}"] {
        let found = case(|package| {
            // Were anything opened, this would be reported too.
            overwrite(&package.join("stage.json"), b"changed");
            edit_index(package, |index| {
                index.files[0].path = path.to_owned();
                index.files.sort_by(|a, b| a.path.cmp(&b.path));
            });
        });
        assert_eq!(found, one(Kind::UnsafeName, path));
    }
}

#[test]
fn damaged_indexes_are_named() {
    assert_eq!(case(|package| fs::remove_file(package.join("index.json")).unwrap()), one(Kind::NothingToVerify, ""));
    assert_eq!(case(|package| overwrite(&package.join("index.json"), b"{")), one(Kind::IndexMalformed, "index.json"));
    let pretty = case(|package| {
        let index = Index::parse(&fs::read(package.join("index.json")).unwrap()).unwrap();
        overwrite(&package.join("index.json"), &serde_json::to_vec_pretty(&index).unwrap());
    });
    assert_eq!(pretty, one(Kind::IndexNotCanonical, "index.json"));
    let twice = case(|package| edit_index(package, |index| index.files.insert(0, index.files[0].clone())));
    assert_eq!(twice, one(Kind::NameCollision, "empty"));
    let newer = case(|package| edit_index(package, |index| index.schema = "assay.package/2".to_owned()));
    assert_eq!(newer, one(Kind::TooNew, "index.json"));
    let older = case(|package| edit_index(package, |index| index.schema = "assay.package/0".to_owned()));
    assert_eq!(older, one(Kind::TooOld, "index.json"));
    let dropped = case(|package| edit_index(package, |index| drop(index.files.pop())));
    assert_eq!(dropped, one(Kind::Unexpected, "trials/t-1.json"));
}

#[test]
fn an_empty_folder_an_absent_path_and_no_path_are_not_valid() {
    let folder = tempdir().unwrap();
    assert_eq!(problems(folder.path()), one(Kind::NothingToVerify, ""));
    assert_eq!(problems(&folder.path().join("absent")), one(Kind::Unreadable, ""));
    let none = evidence::verify::verify::<&Path>(&[], &evidence::verify::Options::default());
    assert!(!none.valid);
}
