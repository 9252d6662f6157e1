//! Verifying and freezing few large files, beside `openssl dgst -sha256` on the same files in the same run.
//!
//! `EVIDENCE_BENCH_MIB` sets the size of the data (default 256; 2048 for the figures that are published). The files
//! are eight equal ones, so that all cores have work; `openssl` is run on one core, once per file, one after the
//! other, and divided by nothing: the comparison per core is bytes per second of `openssl` against bytes per second
//! and core of `verify`. The peak memory of this process is printed at the end.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot set up has nothing to report")]

use divan::{Bencher, counter::BytesCount};
use evidence::{
    package::Draft,
    verify::{Options, verify},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};
use tempfile::TempDir;

const FILES: usize = 8;

fn main() {
    divan::main();
    if env::args().any(|argument| argument == "--bench") {
        processor_time();
    }
    // A static is never dropped, and its folder would stay.
    fs::remove_dir_all(scene().folder.path()).unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("peak memory of this process: {}", line.trim_start_matches("VmHWM:").trim());
    }
    println!("threads used by verify and freeze: {}", rayon::current_num_threads());
}

/// Bytes per second of processor time: what other work on the machine disturbs less than time by the clock, and what
/// one core does when all of them are used. Both hash the same files in the same run, several times in turn.
fn processor_time() {
    const ROUNDS: u32 = 5;
    let scene = scene();
    let gib = f64::from(ROUNDS) * scene.bytes as f64 / f64::from(1 << 30);
    let (mut theirs, mut ours, mut frozen) = (0.0, 0.0, 0.0);
    for _ in 0..ROUNDS {
        let [_, before] = ticks();
        openssl(scene);
        let [start, after] = ticks();
        assert!(verify(&[scene.package()], &Options::default()).valid);
        let [end, _] = ticks();
        let folder = tempfile::tempdir_in(scene.folder.path()).unwrap();
        freeze(folder.path(), &scene.source());
        let [sealed, _] = ticks();
        (theirs, ours, frozen) = (theirs + after - before, ours + end - start, frozen + sealed - end);
    }
    let per_core = |seconds: f64| gib / seconds;
    println!(
        "GiB per second and core: openssl {:.2}, verify {:.2}, freeze (hash and copy) {:.2}; ratio of verify to openssl {:.2}",
        per_core(theirs),
        per_core(ours),
        per_core(frozen),
        theirs / ours
    );
}

/// Processor seconds of this process and of its ended children (`proc_pid_stat(5)`: 100 ticks a second).
fn ticks() -> [f64; 2] {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<f64> =
        stat.rsplit(')').next().unwrap().split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect();
    [(fields[11] + fields[12]) / 100.0, (fields[13] + fields[14]) / 100.0]
}

fn openssl(scene: &Scene) {
    let files: Vec<PathBuf> = (0..FILES).map(|n| scene.package().join(format!("file-{n}"))).collect();
    let output = Command::new("openssl").args(["dgst", "-sha256"]).args(&files).output().unwrap();
    assert!(output.status.success());
}

struct Scene {
    folder: TempDir,
    bytes: usize,
}

impl Scene {
    fn source(&self) -> PathBuf {
        self.folder.path().join("source")
    }

    fn package(&self) -> PathBuf {
        self.folder.path().join("p")
    }
}

fn scene() -> &'static Scene {
    static SCENE: OnceLock<Scene> = OnceLock::new();
    SCENE.get_or_init(|| {
        let mib: usize = env::var("EVIDENCE_BENCH_MIB").ok().and_then(|text| text.parse().ok()).unwrap_or(256);
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene { folder, bytes: (mib << 20) / FILES * FILES };
        fs::create_dir(scene.source()).unwrap();
        for n in 0..FILES {
            write_noise(&scene.source().join(format!("file-{n}")), scene.bytes / FILES, n as u64 + 1);
        }
        freeze(scene.folder.path(), &scene.source());
        scene
    })
}

/// Bytes that do not compress, from a xorshift generator, written a MiB at a time.
fn write_noise(path: &Path, size: usize, seed: u64) {
    use std::io::Write as _;
    let mut file = fs::File::create(path).unwrap();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut left = size;
    let mut block = vec![0; 1 << 20];
    while left > 0 {
        for word in block.chunks_exact_mut(8) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            word.copy_from_slice(&state.to_le_bytes());
        }
        let n = left.min(block.len());
        file.write_all(&block[..n]).unwrap();
        left -= n;
    }
}

fn freeze(parent: &Path, source: &Path) {
    let mut draft = Draft::create(parent, "p", "r", &[]).unwrap();
    draft.copy_folder("", source).unwrap();
    draft.seal().unwrap();
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn openssl_one_core(bencher: Bencher) {
    let scene = scene();
    bencher.counter(BytesCount::new(scene.bytes)).bench(|| openssl(scene));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn verify_one_core(bencher: Bencher) {
    let scene = scene();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    bencher.counter(BytesCount::new(scene.bytes)).bench(|| {
        assert!(one.install(|| verify(&[scene.package()], &Options::default())).valid);
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn verify_all_cores(bencher: Bencher) {
    let scene = scene();
    bencher.counter(BytesCount::new(scene.bytes)).bench(|| {
        assert!(verify(&[scene.package()], &Options::default()).valid);
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn freeze_all_cores(bencher: Bencher) {
    let scene = scene();
    bencher
        .counter(BytesCount::new(scene.bytes))
        .with_inputs(|| tempfile::tempdir_in(scene.folder.path()).unwrap())
        .bench_values(|folder| {
            freeze(folder.path(), &scene.source());
            folder
        });
}
