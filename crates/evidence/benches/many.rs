//! Freezing and verifying many small files. `EVIDENCE_BENCH_FILES` sets their number (default 10,000; 100,000 for
//! the figures that are published). The peak memory of this process is printed at the end.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot set up has nothing to report")]

use divan::{Bencher, counter::ItemsCount};
use evidence::{
    package::Draft,
    verify::{Options, verify},
};
use std::{env, fs, path::Path, sync::OnceLock};
use tempfile::TempDir;

const SIZE: usize = 1024;

fn main() {
    divan::main();
    // A static is never dropped, and its folder would stay.
    fs::remove_dir_all(scene().path()).unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("peak memory of this process: {}", line.trim_start_matches("VmHWM:").trim());
    }
}

fn files() -> usize {
    env::var("EVIDENCE_BENCH_FILES").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000)
}

fn scene() -> &'static TempDir {
    static SCENE: OnceLock<TempDir> = OnceLock::new();
    SCENE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..files() {
            let parent = folder.path().join(format!("source/{:03}", n % 100));
            if n < 100 {
                fs::create_dir_all(&parent).unwrap();
            }
            let mut bytes = [0; SIZE];
            bytes[..8].copy_from_slice(&n.to_le_bytes());
            fs::write(parent.join(format!("{n:06}.json")), bytes).unwrap();
        }
        freeze(folder.path(), &folder.path().join("source"));
        folder
    })
}

fn freeze(parent: &Path, source: &Path) {
    let mut draft = Draft::create(parent, "p", "r", &[]).unwrap();
    draft.copy_folder("trials", source).unwrap();
    draft.seal().unwrap();
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn verify_small_files(bencher: Bencher) {
    let scene = scene();
    bencher.counter(ItemsCount::new(files())).bench(|| {
        assert!(verify(&[scene.path().join("p")], &Options::default()).valid);
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn freeze_small_files(bencher: Bencher) {
    let scene = scene();
    bencher.counter(ItemsCount::new(files())).with_inputs(|| tempfile::tempdir_in(scene.path()).unwrap()).bench_values(
        |folder| {
            freeze(folder.path(), &scene.path().join("source"));
            folder
        },
    );
}
