//! Judging: one trial in memory, and packages of 1,000 and 10,000 trials (read, hash, parse, judge, write).

#[path = "../tests/it/builder.rs"]
#[allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]
mod builder;

use divan::counter::{BytesCount, ItemsCount};
use evidence::package::{Draft, Listing};
use evidence::stage::{Grade, Origin, SCHEMA, StageRecord};
use evidence::trial::TrialEvidence;
use evidence::verdict::TrialVerdict;
use oracle::file::VerdictFile;
use oracle::package::Case;
use oracle::trial::{Place, judge_bytes};
use oracle::{Artifact, Limits};
use std::path::Path;

fn main() {
    divan::main();
}

#[divan::bench(args = [1, 2, 3, 4])]
fn one_trial(bencher: divan::Bencher<'_, '_>, number: usize) {
    let trial = &builder::canonical()[number - 1];
    let bytes = serde_json::to_vec(trial).unwrap_or_default();
    let sha256 = evidence::digest::Digest::of(&bytes).to_string();
    let place = Place { id: &trial.trial.id, number, stage: "canonical" };
    bencher.counter(BytesCount::new(bytes.len())).bench(|| {
        let artifact = Artifact { path: "trials/x.json", sha256: &sha256 };
        judge_bytes(artifact, divan::black_box(&bytes), place)
    });
}

/// Parsing alone: what of `one_trial` is not judgement.
#[divan::bench(args = [1, 2, 3, 4])]
fn parse(bencher: divan::Bencher<'_, '_>, number: usize) {
    let bytes = serde_json::to_vec(&builder::canonical()[number - 1]).unwrap_or_default();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| serde_json::from_slice::<TrialEvidence>(divan::black_box(&bytes)).is_ok());
}

/// What `oracle judge --out` does but for the start of the process: verify every byte, judge, make the verdict file.
/// `items/s` are trials per second, on one core and on all of them.
#[divan::bench(args = [1_000, 10_000], consts = [1, 0], sample_count = 5, sample_size = 1)]
fn whole_command<const CORES: usize>(bencher: divan::Bencher<'_, '_>, trials: usize) {
    let folder = place();
    let path = folder.as_ref().map(|folder| seal(folder.path(), trials)).unwrap_or_default();
    // 0 threads mean as many as there are cores.
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(CORES).build() else { return };
    bencher.counter(ItemsCount::new(trials)).bench(|| pool.install(|| verdict_file(&path)).map(|bytes| bytes.len()));
}

fn verdict_file(path: &Path) -> Option<Vec<u8>> {
    let (listing, limits) = (Listing::open(path).ok()?, Limits::default());
    let case = Case::open(&listing, &limits).ok()?;
    let mut file = VerdictFile::begin(&case.head()).ok()?;
    let make = |trial: TrialVerdict| VerdictFile::trial(&trial).unwrap_or_default();
    let verdict = case.each(make, &mut |bytes: Vec<u8>| file.push(&bytes));
    let bytes = file.end(verdict.ok()?).ok()?;
    listing.finish().ok()?;
    Some(bytes)
}

/// In memory where there is a folder for that: making 10,000 files on a disk takes longer than all of the rest.
fn place() -> Option<tempfile::TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).ok()
}

/// Good trials of all four kinds in turn, each under its own id.
fn seal(parent: &Path, count: usize) -> std::path::PathBuf {
    let kinds = builder::canonical();
    let ids: Vec<String> = (1..=count).map(|number| format!("canonical-{number}")).collect();
    let write = || -> Option<std::path::PathBuf> {
        let mut draft = Draft::create(parent, "canonical", "bench", &[]).ok()?;
        draft.write_json("stage.json", &stage(&ids)).ok()?;
        for (index, (id, kind)) in ids.iter().zip(kinds.iter().cycle()).enumerate() {
            let text = serde_json::to_string(&numbered(kind, id, index + 1)).ok()?;
            let text = text.replace(&format!("\"{}\"", kind.trial.id), &format!("\"{id}\""));
            draft.write(&format!("trials/{id}.json"), text.as_bytes()).ok()?;
        }
        Some(draft.seal().ok()?.path().to_owned())
    };
    write().unwrap_or_default()
}

fn numbered(kind: &TrialEvidence, id: &str, number: usize) -> TrialEvidence {
    let mut trial = kind.clone();
    id.clone_into(&mut trial.trial.id);
    trial.trial.number = u32::try_from(number).unwrap_or(u32::MAX);
    trial
}

fn stage(trials: &[String]) -> StageRecord {
    StageRecord {
        schema: SCHEMA.to_owned(),
        run: "bench".to_owned(),
        study: "bench".to_owned(),
        stage: "canonical".to_owned(),
        grade: Grade::Rehearsal,
        plan_digest: String::new(),
        origin: Origin {
            endpoint_kind: "foreign".to_owned(),
            endpoint: None,
            account: "000000000000".to_owned(),
            region: "us-east-1".to_owned(),
            partition: "aws".to_owned(),
        },
        started_at_ms: 0,
        ended_at_ms: 0,
        outcome: "completed".to_owned(),
        trials: trials.to_vec(),
    }
}
