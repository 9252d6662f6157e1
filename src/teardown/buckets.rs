//! Empties the run's buckets: versions, delete markers and unfinished uploads, in bounded rounds, because late writes
//! may fill a bucket again.

use super::Job;
use super::input::BucketEntry;
use super::report::{BucketReport, Note, TeardownReport};
use crate::cloud::buckets::{self, DELETE_BATCH, Upload, Version};
use crate::cloud::{Failure, RefusalKind};
use std::collections::BTreeMap;

/// Stacks that must not be deleted yet, by name.
pub(super) type Held = BTreeMap<String, Hold>;

/// Why a stack must not be deleted yet.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    pub(super) reason: String,
    /// Only because the credentials expired: the teardown is paused, not refused.
    pub(super) expired: bool,
}

/// Empties every bucket, or holds its stack back where emptying is not allowed or did not succeed.
pub(super) async fn empty(job: &Job, report: &mut TeardownReport) -> Held {
    let mut held = Held::new();
    if job.input.buckets.is_empty() {
        return held;
    }
    job.observer.note(&Note::Step("empty buckets"));
    for bucket in &job.input.buckets {
        match one(job, bucket).await {
            Ok(Some(done)) => report.buckets.push(done),
            Ok(None) => {}
            Err(Stop { found, reason, next, expired }) => {
                report.buckets.push(BucketReport { name: bucket.name.clone(), found, deleted: 0, rounds: 0 });
                let hold = Hold { reason: format!("bucket {}: {reason}", bucket.name), expired };
                held.insert(bucket.stack.clone(), hold);
                report.problem(&bucket.name, reason, next);
            }
        }
    }
    held
}

/// Empties the buckets of one stack again, before its second deletion.
pub(super) async fn empty_again(job: &Job, stack: &str) -> Result<(), String> {
    for bucket in job.input.buckets.iter().filter(|b| b.stack == stack) {
        one(job, bucket).await.map_err(|stop| format!("bucket {}: {}", bucket.name, stop.reason))?;
    }
    Ok(())
}

struct Stop {
    found: usize,
    reason: String,
    next: Option<String>,
    expired: bool,
}

struct Contents {
    versions: Vec<Version>,
    uploads: Vec<Upload>,
}

impl Contents {
    fn len(&self) -> usize {
        self.versions.len() + self.uploads.len()
    }
}

async fn one(job: &Job, bucket: &BucketEntry) -> Result<Option<BucketReport>, Stop> {
    let stop = |found, failure: &Failure| {
        let expired = failure.kind() == Some(RefusalKind::Expired);
        Stop { found, reason: failure.to_string(), next: None, expired }
    };
    // The expected owner makes S3 itself refuse a bucket of the same name in another account.
    let owner = Some(job.input.account.as_str());
    let exists = buckets::exists(&job.clients, &bucket.name, owner).await.optional().into_result();
    if exists.map_err(|f| stop(0, &f))?.is_none() {
        return Ok(None);
    }
    let mut report = BucketReport { name: bucket.name.clone(), found: 0, deleted: 0, rounds: 0 };
    loop {
        let contents = contents(job, &bucket.name).await.map_err(|f| stop(report.found, &f))?;
        if report.rounds == 0 {
            report.found = contents.len();
        }
        if contents.len() == 0 {
            return Ok(Some(report));
        }
        check_allowed(job, contents.len(), report.rounds)?;
        report.rounds += 1;
        report.deleted += contents.len();
        clear(job, &bucket.name, owner, &contents).await.map_err(|f| stop(report.found, &f))?;
    }
}

fn check_allowed(job: &Job, found: usize, rounds: u32) -> Result<(), Stop> {
    let reason = if !job.input.options.empty_buckets {
        format!("holds {found} object versions, delete markers and uploads")
    } else if rounds >= job.limits.bucket_rounds {
        format!("still holds {found} items after {rounds} rounds of emptying: something writes to it")
    } else {
        return Ok(());
    };
    Err(Stop { found, reason, next: Some(job.input.again(" --empty-buckets")), expired: false })
}

async fn contents(job: &Job, bucket: &str) -> Result<Contents, Failure> {
    let versions = buckets::versions(&job.clients, bucket, job.limits.cap).await.into_result()?.items;
    let uploads = buckets::uploads(&job.clients, bucket, job.limits.cap).await.into_result()?.items;
    Ok(Contents { versions, uploads })
}

/// Deletes what was seen. A lost reply or a refused key is seen again by the next round.
async fn clear(job: &Job, bucket: &str, owner: Option<&str>, contents: &Contents) -> Result<(), Failure> {
    for batch in contents.versions.chunks(DELETE_BATCH) {
        tolerate(buckets::delete_versions(&job.clients, bucket, owner, batch).await.into_result().map(drop))?;
    }
    for upload in &contents.uploads {
        tolerate(buckets::abort_upload(&job.clients, bucket, owner, upload).await.into_result())?;
    }
    Ok(())
}

fn tolerate(result: Result<(), Failure>) -> Result<(), Failure> {
    use crate::cloud::RefusalKind::{NotFound, Throttled};
    match result {
        Err(Failure::Refused(refusal)) if !matches!(refusal.kind, NotFound | Throttled) => {
            Err(Failure::Refused(refusal))
        }
        _ => Ok(()),
    }
}
