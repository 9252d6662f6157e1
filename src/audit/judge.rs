//! Facts and the time to findings. Pure.

use super::allow::{AllowRule, allowing};
use super::arn::{Kind, Resource};
use super::facts::{Facts, Reading, Sighting, Source, StreamFacts};
use super::finding::{Finding, Verdict};
use super::next;
use super::scope::AuditScope;
use super::streams::judge_stream;
use enumset::EnumSet;
use std::borrow::Cow;

/// A deleted queue may answer for this long, and its name stays taken (SQS API reference, `DeleteQueue`), milliseconds.
const QUEUE_MS: i64 = 60_000;

/// Lambda removes a function's network interfaces within this long (reports of 25 to 40 minutes in
/// aws-cloudformation/cloudformation-coverage-roadmap#392; "up to 20 minutes" in the Lambda developer guide).
const INTERFACE_MS: i64 = 45 * 60_000;

/// Judges every sighting and stream at `now_ms`; names move into the findings, for there may be many. What is gone and not even listed gives no finding.
#[must_use]
pub fn judge(facts: Facts, scope: &AuditScope, now_ms: i64) -> Vec<Finding> {
    let resources = facts.sightings.into_iter().filter_map(|sighting| judge_resource(sighting, scope, now_ms));
    let streams = facts.streams.into_iter().filter_map(|stream| judge_one_stream(stream, scope, now_ms));
    let mut findings: Vec<Finding> = resources.chain(streams).collect();
    findings.sort_unstable_by(|a, b| {
        let rank = |f: &Finding| std::cmp::Reverse(f.verdict.overall());
        (rank(a), &a.region, &a.kind, &a.id).cmp(&(rank(b), &b.region, &b.kind, &b.id))
    });
    findings
}

fn judge_resource(sighting: Sighting, scope: &AuditScope, now_ms: i64) -> Option<Finding> {
    let (verdict, reason) = match &sighting.reading {
        Reading::Implied => return None,
        Reading::Excused => (Verdict::Unknown, "allowed by a rule that has ended since".into()),
        Reading::Absent if sighting.sources.contains(Source::TagIndex) => {
            (Verdict::Ghost, "the tag index lists it, its own service says that it is gone".into())
        }
        Reading::Absent => return None,
        Reading::Unread(reason) => (Verdict::Unknown, format!("could not be read: {reason}").into()),
        Reading::Going(status) => (Verdict::Unknown, format!("{status}: going, but not gone").into()),
        Reading::LeftBy(function) => left_by(&sighting, function, now_ms),
        Reading::PendingUntil(at_ms) if now_ms < *at_ms => {
            (Verdict::ExpectedUntil { at_ms: *at_ms }, "scheduled for deletion by its service".into())
        }
        Reading::PendingUntil(_) => (Verdict::Leak, "still there after its scheduled deletion".into()),
        Reading::Present(detail) => present(&sighting, detail, now_ms),
    };
    Some(finding(verdict, reason, sighting.resource, sighting.sources, scope, now_ms))
}

/// An interface without its function is Lambda's to remove; how long that takes counts from the function's end.
fn left_by(sighting: &Sighting, function: &str, now_ms: i64) -> (Verdict, Cow<'static, str>) {
    let interface = format!("network interface that Lambda made for {function}");
    match sighting.deleted.not_after_ms.map(|at| at.saturating_add(INTERFACE_MS)) {
        Some(at_ms) if now_ms < at_ms => {
            (Verdict::ExpectedUntil { at_ms }, format!("{interface}; Lambda removes it, normal up to 45 min").into())
        }
        Some(_) => (Verdict::Leak, format!("{interface}; still there 45 min after the function").into()),
        None => (Verdict::Unknown, format!("{interface}; when the function was deleted is not known").into()),
    }
}

fn present(sighting: &Sighting, detail: &str, now_ms: i64) -> (Verdict, Cow<'static, str>) {
    if sighting.resource.kind == Kind::Queue
        && let Some(until) = sighting.deleted.not_after_ms.map(|at| at.saturating_add(QUEUE_MS))
        && now_ms < until
    {
        return (Verdict::ExpectedUntil { at_ms: until }, "deleted; a queue may answer for 60 seconds more".into());
    }
    let detail = if detail.is_empty() { "exists" } else { detail };
    (Verdict::Leak, detail.to_owned().into())
}

fn judge_one_stream(stream: StreamFacts, scope: &AuditScope, now_ms: i64) -> Option<Finding> {
    let (verdict, reason) = judge_stream(&stream, &scope.account, now_ms)?;
    let next = (verdict == Verdict::Leak).then(|| next::of_stream(&stream));
    let resource = Resource::new(Kind::Stream, stream.arn, stream.region);
    let mut found = finding(verdict, reason.into(), resource, stream.sources, scope, now_ms);
    if found.verdict == Verdict::Leak {
        found.next = next;
    }
    Some(found)
}

fn finding(
    verdict: Verdict,
    reason: Cow<'static, str>,
    resource: Resource,
    sources: EnumSet<Source>,
    scope: &AuditScope,
    now_ms: i64,
) -> Finding {
    let Resource { kind, name: id, region } = resource;
    let (verdict, reason) = match allowing(&scope.allow, &id, now_ms) {
        Some(AllowRule { owner, expires_at_ms, .. }) if verdict != Verdict::Ghost => {
            let allowed = Verdict::Allowed { owner: owner.clone(), expires_at_ms: *expires_at_ms };
            (allowed, "a rule lets it stay".into())
        }
        _ => (verdict, reason),
    };
    let next = next::command(&verdict, &kind, &id, &region, scope);
    Finding { verdict, kind, id, region, sources, reason, next, late: false }
}
