//! Packages and archives made by somebody who wants them to pass: each must be called what it is, never valid.

use crate::support::{overwrite, problems, report, reseal, run, seal};
use evidence::{archive::Limits, digest::Digest, package::Index, problem::Kind};
use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};
use tempfile::{TempDir, tempdir};

fn kinds(path: &Path) -> Vec<Kind> {
    problems(path).into_iter().map(|(kind, _)| kind).collect()
}

fn package() -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = seal(folder.path(), "canonical", &[]).path().to_owned();
    (folder, path)
}

/// What is said of a package whose index is these bytes.
fn with_index(edit: impl FnOnce(String) -> Vec<u8>) -> Vec<Kind> {
    let (_folder, path) = package();
    let index = path.join("index.json");
    let text = fs::read_to_string(&index).unwrap();
    overwrite(&index, &edit(text));
    kinds(&path)
}

fn with_text(edit: impl FnOnce(String) -> String) -> Vec<Kind> {
    with_index(|text| edit(text).into_bytes())
}

#[test]
fn other_spellings_of_the_same_index_are_not_that_index() {
    use Kind::{IndexMalformed, IndexNotCanonical};
    let size = "\"size\":0}";
    assert_eq!(with_text(|text| format!("\u{feff}{text}")), [IndexMalformed], "byte order mark");
    assert_eq!(with_text(|text| format!("{text}\n")), [IndexNotCanonical], "newline");
    assert_eq!(with_text(|text| format!("{text}x")), [IndexMalformed], "trailing byte");
    assert_eq!(with_text(|text| format!("{text}{text}")), [IndexMalformed], "two values");
    assert_eq!(with_text(|text| text.replace(size, "\"size\":0,\"size\":0}")), [IndexMalformed], "duplicate key");
    assert_eq!(with_text(|text| text.replace("{\"files\"", "{\"name\":\"x\",\"files\"")), [IndexMalformed], "twice");
    assert_eq!(with_text(|text| text.replace(size, "\"size\":0e2}")), [IndexMalformed], "exponent");
    assert_eq!(with_text(|text| text.replace(size, "\"size\":0.0}")), [IndexMalformed], "float");
    assert_eq!(with_text(|text| text.replace(size, "\"size\":-0}")).len(), 1, "minus nought");
    assert_eq!(with_text(|text| text.replace(size, "\"size\":-1}")), [IndexMalformed], "negative");
    assert_eq!(with_text(|text| text.replace(size, "\"size\":18446744073709551616}")), [IndexMalformed], "huge");
    assert_eq!(with_text(|text| text.replace(size, "\"size\":NaN}")), [IndexMalformed], "NaN");
    assert_eq!(with_text(|text| text.replace(size, "\"size\":\"0\"}")), [IndexMalformed], "text");
    assert_eq!(with_text(|text| text.replace("\"empty\"", "\"\\u0065mpty\"")), [IndexNotCanonical], "escape");
    let deep = format!("{{\"schema\":\"assay.package/1\",\"x\":{}", "[".repeat(1_000_000));
    assert_eq!(with_text(|_| deep), [IndexMalformed], "deep");
    assert_eq!(with_index(|text| text.encode_utf16().flat_map(u16::to_le_bytes).collect()), [IndexMalformed], "UTF-16");
    assert_eq!(with_index(|_| vec![0; 1024]), [IndexMalformed], "zeros");
}

#[test]
fn files_listed_twice_or_in_disorder_are_refused() {
    let edit = |change: fn(&mut Index)| {
        with_text(|text| {
            let mut index: Index = serde_json::from_str(&text).unwrap();
            change(&mut index);
            String::from_utf8(index.to_bytes()).unwrap()
        })
    };
    assert_eq!(edit(|index| index.files.insert(1, index.files[0].clone())), [Kind::NameCollision]);
    assert_eq!(edit(|index| index.files.reverse()), [Kind::IndexNotCanonical]);
    assert_eq!(edit(|index| index.predecessors = vec![Digest::ZERO; 2]), [Kind::ChainBroken]);
    assert_eq!(edit(|index| index.files.clear()).len(), 4, "everything is unexpected then");
    assert_eq!(edit(|index| index.name = "..".to_owned()), [Kind::UnsafeName]);
    assert_eq!(edit(|index| index.files[0].size = u64::MAX >> 1).len(), 1, "no such amount is allocated");
}

/// Case M9: there is no mode in which sizes are enough.
#[test]
fn one_flipped_byte_of_the_same_size_is_found_wherever_it_is() {
    for at in [0, 5, 16] {
        let (_folder, path) = package();
        let file = path.join("trials/t-1.json");
        let mut bytes = fs::read(&file).unwrap();
        bytes[at] ^= 1;
        overwrite(&file, &bytes);
        assert_eq!(kinds(&path), [Kind::DigestDiffers], "byte {at}");
    }
}

/// Case M8: an empty package is not valid evidence of anything but itself, and an empty run of nothing.
#[test]
fn runs_and_folders_of_nothing_are_not_valid() {
    let folder = tempdir().unwrap();
    assert_eq!(kinds(folder.path()), [Kind::NothingToVerify]);
    fs::create_dir(folder.path().join("packages")).unwrap();
    assert!(kinds(folder.path()).contains(&Kind::NothingToVerify));
    assert!(!evidence::verify::verify::<&Path>(&[], &evidence::verify::Options::default()).valid);
}

/// Case 93: links are refused, of files, of folders, dangling and in circles, also that of the packages folder.
#[test]
fn links_are_never_followed() {
    for (name, target) in
        [("file", "stage.json"), ("folder", "trials"), ("gone", "nowhere"), ("loop", "loop"), ("up", "..")]
    {
        let (_folder, path) = package();
        symlink(target, path.join(name)).unwrap();
        assert_eq!(problems(&path), [(Kind::Symlink, name.to_owned())]);
    }
    let (folder, path) = package();
    fs::rename(path.join("trials"), folder.path().join("elsewhere")).unwrap();
    symlink(folder.path().join("elsewhere"), path.join("trials")).unwrap();
    assert!(kinds(&path).contains(&Kind::Symlink), "the bytes are right, their place is not");

    let folder = tempdir().unwrap();
    run(folder.path());
    let packages = folder.path().join("packages");
    fs::rename(&packages, folder.path().join("real")).unwrap();
    symlink("real", &packages).unwrap();
    assert!(kinds(folder.path()).contains(&Kind::Unreadable));
}

#[test]
fn pipes_and_devices_are_told_and_not_waited_for() {
    let folder = tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(kinds(&pipe), [Kind::Unreadable]);
    assert_eq!(kinds(Path::new("/dev/zero")), [Kind::Unreadable]);
    run(folder.path());
    fs::remove_file(folder.path().join("journal.head")).unwrap();
    symlink("/dev/zero", folder.path().join("journal.head")).unwrap();
    assert_eq!(problems(folder.path()), [(Kind::SpecialFile, "journal.head".to_owned())]);
}

#[test]
fn two_packages_of_one_name_and_swapped_names_are_found() {
    let folder = tempdir().unwrap();
    let sealed = run(folder.path());
    let packages = folder.path().join("packages");
    fs::rename(packages.join("canonical"), packages.join("x")).unwrap();
    fs::rename(packages.join("closing"), packages.join("canonical")).unwrap();
    fs::rename(packages.join("x"), packages.join("closing")).unwrap();
    assert_eq!(kinds(folder.path()), [Kind::Misplaced, Kind::Misplaced]);

    let folder = tempdir().unwrap();
    run(folder.path());
    let packages = folder.path().join("packages");
    let elsewhere = tempdir().unwrap();
    let twin = seal(elsewhere.path(), "canonical", &sealed);
    fs::rename(twin.path(), packages.join("canonical-2")).unwrap();
    assert!(kinds(folder.path()).contains(&Kind::Misplaced));
}

#[test]
fn a_package_sealed_again_in_another_order_breaks_the_chain() {
    let folder = tempdir().unwrap();
    run(folder.path());
    let closing = folder.path().join("packages/closing/index.json");
    let mut index: Index = serde_json::from_slice(&fs::read(&closing).unwrap()).unwrap();
    index.predecessors.reverse();
    overwrite(&closing, &index.to_bytes());
    assert_eq!(kinds(folder.path()), [Kind::ChainBroken]);
    index.predecessors.clear();
    overwrite(&closing, &index.to_bytes());
    assert!(kinds(folder.path()).contains(&Kind::ChainBroken));
}

#[test]
fn a_package_changed_and_sealed_again_is_named_by_those_after_it() {
    let folder = tempdir().unwrap();
    run(folder.path());
    let package = folder.path().join("packages/canonical");
    overwrite(&package.join("trials/t-1.json"), b"{}\n");
    reseal(&package);
    assert_eq!(problems(folder.path()), [(Kind::ChainBroken, "packages/closing".to_owned())]);
}

/// A tar of one entry, gzipped, as the archive of a hostile publisher.
fn hostile(build: impl FnOnce(&mut tar::Builder<&mut Vec<u8>>)) -> (TempDir, PathBuf) {
    let mut bytes = Vec::new();
    let mut builder = tar::Builder::new(&mut bytes);
    build(&mut builder);
    builder.finish().unwrap();
    drop(builder);
    packed(&bytes, &[])
}

fn packed(tar: &[u8], after: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("e.tar.gz");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(tar).unwrap();
    fs::write(&path, [&gzip.finish().unwrap()[..], after].concat()).unwrap();
    (folder, path)
}

fn entry(tar: &mut tar::Builder<&mut Vec<u8>>, name: &[u8], kind: u8, content: &[u8]) {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_size(content.len() as u64);
    header.set_cksum();
    tar.append(&header, content).unwrap();
}

#[test]
fn odd_entries_of_archives_are_refused() {
    let pax = b"20 path=../../escape\n21 size=99999999999999\n";
    for (kind, content, expected) in [
        (b'x', &pax[..], Kind::SpecialFile),
        (b'g', pax, Kind::SpecialFile),
        (b'S', b"sparse", Kind::SpecialFile),
        (b'1', b"", Kind::HardLink),
        (b'2', b"", Kind::Symlink),
        (b'3', b"", Kind::SpecialFile),
        (b'5', b"", Kind::SpecialFile),
        (b'6', b"", Kind::SpecialFile),
        (b'7', b"", Kind::SpecialFile),
        (b'K', b"a long link", Kind::SpecialFile),
    ] {
        let (_folder, path) = hostile(|tar| entry(tar, b"a.json", kind, content));
        assert!(kinds(&path).contains(&expected), "{}: {:?}", kind as char, kinds(&path));
    }
    for name in
        [&b"../x"[..], b"/etc/passwd", b"a/../../x", b"C:\\x", b"a\\b", b"~/x", b"./a", b"a//b", b"\xff", b"a\nb"]
    {
        let (_folder, path) = hostile(|tar| entry(tar, name, b'0', b"x"));
        assert!(kinds(&path).contains(&Kind::UnsafeName), "{:?}: {:?}", String::from_utf8_lossy(name), kinds(&path));
    }
}

#[test]
fn repeated_entries_and_long_names_without_their_entry_are_refused() {
    let (_folder, path) = hostile(|tar| {
        entry(tar, b"a.json", b'0', b"x");
        entry(tar, b"a.json", b'0', b"y");
        entry(tar, b"A.JSON", b'0', b"z");
    });
    assert_eq!(kinds(&path).iter().filter(|kind| **kind == Kind::NameCollision).count(), 2);
    for names in [1, 2] {
        let (_folder, path) = hostile(|tar| (0..names).for_each(|_| entry(tar, b"././@LongLink", b'L', b"name")));
        assert!(kinds(&path).contains(&Kind::ArchiveMalformed), "{names}");
    }
    let (_folder, path) = hostile(|tar| {
        entry(tar, b"././@LongLink", b'L', b"../../escape\0");
        entry(tar, b"harmless", b'0', b"x");
    });
    assert!(kinds(&path).contains(&Kind::UnsafeName));
}

#[test]
fn nothing_may_follow_an_archive_inside_or_outside_its_gzip() {
    let mut tar = Vec::new();
    let mut builder = tar::Builder::new(&mut tar);
    entry(&mut builder, b"a.json", b'0', b"x");
    builder.finish().unwrap();
    drop(builder);
    let (_folder, good) = packed(&tar, &[]);
    let member = fs::read(&good).unwrap();
    assert!(!kinds(&good).contains(&Kind::ArchiveMalformed));
    for after in [&member[..], b"x", &[0]] {
        let (_folder, path) = packed(&tar, after);
        assert!(kinds(&path).contains(&Kind::ArchiveMalformed), "{} bytes", after.len());
    }
    let (_folder, path) = packed(&[&tar[..], &tar[..]].concat(), &[]);
    assert!(kinds(&path).contains(&Kind::ArchiveMalformed), "a second tar behind the first");
}

#[test]
fn a_size_that_no_archive_has_is_a_limit_and_not_an_allocation() {
    let (_folder, path) = hostile(|tar| {
        let mut header = tar::Header::new_gnu();
        header.set_path("redaction-manifest.json").unwrap();
        header.set_size(u64::MAX >> 1);
        header.set_cksum();
        tar.append(&header, std::io::empty()).unwrap();
    });
    assert!(kinds(&path).contains(&Kind::LimitReached), "{:?}", kinds(&path));
}

#[test]
fn bombs_of_many_names_end_early() {
    let (_folder, path) = hostile(|tar| (0..12_000).for_each(|_| entry(tar, b"../x", b'0', b"")));
    let found = kinds(&path);
    assert!(found.contains(&Kind::LimitReached) && found.len() < 10_010, "{}", found.len());
    let mut report = Vec::new();
    let zeros = std::io::repeat(0).take(64 << 20);
    let mut gzip = flate2::write::GzEncoder::new(&mut report, flate2::Compression::best());
    std::io::copy(&mut { zeros }, &mut gzip).unwrap();
    gzip.finish().unwrap();
    let folder = tempdir().unwrap();
    let bomb = folder.path().join("bomb.tar.gz");
    fs::write(&bomb, &report).unwrap();
    assert!(kinds(&bomb).contains(&Kind::LimitReached));
    assert!(report.len() < 100_000 && Limits::default().max_ratio == 200);
}

#[test]
fn unknown_names_in_a_run_are_said_and_links_among_them_not_followed() {
    let folder = tempdir().unwrap();
    run(folder.path());
    symlink("/", folder.path().join("everything")).unwrap();
    fs::write(folder.path().join("results.json.bak"), b"{}").unwrap();
    let report = report(folder.path());
    assert!(report.valid, "{report}");
    assert_eq!(report.subjects[0].notes.len(), 2, "{report}");
    assert!(report.to_string().contains("results.json.bak is no part of a run and was not checked"), "{report}");
}
