//! Freezing and verifying many small files. `EVIDENCE_BENCH_FILES` sets their number (default 10,000; 100,000 for
//! the figures that are published). The peak memory of this process is printed at the end.
//!
//! Beside it runs bagit-python on a bag of the same files, if `EVIDENCE_BENCH_BAGIT` names a Python that has it
//! (`python3 -m venv V && V/bin/pip install bagit`, then `EVIDENCE_BENCH_BAGIT=V/bin/python`), with as many processes
//! as there are cores and with the one checksum that packages have.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot set up has nothing to report")]

use divan::{Bencher, counter::ItemsCount};
use evidence::{
    package::Draft,
    verify::{Options, verify},
};
use std::{env, fs, path::Path, process::Command, sync::OnceLock};
use tempfile::TempDir;

const SIZE: usize = 1024;

fn main() {
    divan::main();
    if env::args().any(|argument| argument == "--bench") {
        bagit();
    }
    // A static is never dropped, and its folder would stay.
    fs::remove_dir_all(scene().path()).unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("peak memory of this process: {}", line.trim_start_matches("VmHWM:").trim());
    }
}

const MAKE: &str = "import bagit,sys,time; t=time.time(); bagit.make_bag(sys.argv[1], checksums=['sha256'], processes=int(sys.argv[2])); print('make', time.time()-t)";
const VALIDATE: &str = "import bagit,sys,time; t=time.time(); bagit.Bag(sys.argv[1]).validate(processes=int(sys.argv[2])); print('validate', time.time()-t)";

/// Makes and validates a bag of the same files, or says why not.
fn bagit() {
    let Some(python) = env::var_os("EVIDENCE_BENCH_BAGIT") else {
        return println!("bagit-python: EVIDENCE_BENCH_BAGIT names no Python that has it; not run");
    };
    let bag = scene().path().join("bag");
    let copied = Command::new("cp").arg("-r").arg(scene().path().join("source")).arg(&bag).status().unwrap();
    assert!(copied.success());
    for script in [MAKE, VALIDATE] {
        let mut command = Command::new(&python);
        command.args(["-W", "ignore", "-c", script]).arg(&bag).arg(rayon::current_num_threads().to_string());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match said.split_once(' ').and_then(|(what, seconds)| Some((what, seconds.parse::<f64>().ok()?))) {
            Some((what, seconds)) => {
                println!("bagit-python {what}: {seconds:.2} s, {:.0} files per second", files() as f64 / seconds);
            }
            None => println!("bagit-python does not run here: {}", String::from_utf8_lossy(&output.stderr).trim()),
        }
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
