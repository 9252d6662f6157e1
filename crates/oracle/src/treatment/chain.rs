//! COMMIT_THEN_TIMEOUT: commit → barrier entered → caller's timeout recorded → release signalled because of exactly
//! that record → barrier released because of exactly that release → answer sent.
//!
//! Most links are causal: each record quotes the one it depends on, so clocks only have to agree within the
//! tolerance. One is not: nothing quotes the commit before the timeout is recorded. That order is proven by clock, so
//! the distance must exceed the tolerance; `barrier_entered` bounds the commit's time from above.

use super::Objections;
use crate::story::{Call, Entry, Story};
use evidence::record::{Fact, TimeoutSeen};

/// The links found so far, in order.
#[derive(Default)]
struct Chain<'a>(Vec<(&'static str, Entry<'a>)>);

/// Returns what held, and where the chain stands.
pub(super) fn check(story: &Story<'_>, objections: &mut Objections) -> (String, Vec<String>) {
    let mut chain = Chain::default();
    expired(story, objections);
    if let Some(call) = story.calls.first() {
        held(call, &mut chain, objections);
        timeout(story, call, &mut chain, objections);
        release(story, call, &mut chain, objections);
        answer(call, &mut chain, objections);
    } else {
        objections.absent("/provider_journal/records", "no provider call is on record: nothing was tried");
    }
    in_time(story, &chain, objections);
    let places = chain.0.iter().map(|(_, entry)| entry.pointer()).collect();
    ("commit → barrier → recorded timeout → release → answer: complete and in order".to_owned(), places)
}

fn expired(story: &Story<'_>, objections: &mut Objections) {
    for entry in story.provider.iter().filter(|entry| matches!(entry.record.fact, Fact::BarrierExpired { .. })) {
        objections.broken(entry.pointer(), "the barrier expired: the provider gave up waiting for the release");
    }
}

fn held<'a>(call: &Call<'a>, chain: &mut Chain<'a>, objections: &mut Objections) {
    link("commit", call.commit, call, chain, objections);
    link("barrier_entered", call.entered, call, chain, objections);
}

fn answer<'a>(call: &Call<'a>, chain: &mut Chain<'a>, objections: &mut Objections) {
    link("barrier_released", call.released, call, chain, objections);
    link("response_sent", call.sent, call, chain, objections);
}

fn link<'a>(
    name: &'static str,
    entry: Option<Entry<'a>>,
    call: &Call<'a>,
    chain: &mut Chain<'a>,
    objections: &mut Objections,
) {
    match entry {
        Some(entry) => chain.0.push((name, entry)),
        None => objections.absent(call.received.pointer(), format!("the first call has no {name}")),
    }
}

/// The caller's timeout of the held call: not before its deadline, and after the commit by more than the tolerance.
fn timeout<'a>(story: &Story<'a>, call: &Call<'a>, chain: &mut Chain<'a>, objections: &mut Objections) {
    let Some(timeout) = story.timeouts().find(|entry| entry.same_attempt(&call.received)) else {
        objections.absent("/caller_journal/records", "the first call has no recorded timeout");
        return;
    };
    let Fact::CallerTimeoutRecorded { elapsed_ms, .. } = timeout.record.fact else { return };
    let deadline = story.evidence.terms.deadline_ms;
    if elapsed_ms < deadline {
        let why = format!("the caller gave up after {elapsed_ms} ms, before its deadline of {deadline} ms");
        objections.broken(format!("{}/elapsed_ms", timeout.pointer()), why);
    }
    if let Some(entered) = &call.entered {
        let distance = i128::from(timeout.record.at_ms) - i128::from(entered.record.at_ms);
        let tolerance = story.evidence.terms.clock_tolerance_ms;
        if distance <= i128::from(tolerance) {
            let why = format!(
                "the timeout is {distance} ms after the commit's latest time; that proves no order under a tolerance of {tolerance} ms"
            );
            objections.broken(format!("{}/at_ms", timeout.pointer()), why);
        }
    }
    chain.0.push(("caller_timeout_recorded", timeout));
}

/// One release, which quotes the timeout of the held call and is quoted by the barrier.
fn release<'a>(story: &Story<'a>, call: &Call<'a>, chain: &mut Chain<'a>, objections: &mut Objections) {
    let mut releases = story.controller.iter().copied().filter_map(|entry| match &entry.record.fact {
        Fact::ReleaseSignalled { timeout } => Some((entry, timeout)),
        _ => None,
    });
    let Some((entry, quoted)) = releases.next() else {
        objections.absent("/controller_journal/records", "no release was signalled");
        return;
    };
    if let Some((second, _)) = releases.next() {
        objections.broken(second.pointer(), "the release was signalled twice");
    }
    let timeout = chain.0.iter().find(|(name, _)| *name == "caller_timeout_recorded").map(|(_, timeout)| *timeout);
    if let Some(timeout) = timeout.filter(|timeout| !quotes(quoted, timeout)) {
        let why =
            format!("the release quotes another record than the first call's timeout ({})", timeout.record.record_id);
        objections.broken(format!("{}/timeout", entry.pointer()), why);
    }
    if !entry.same_attempt(&call.received) {
        objections.broken(entry.pointer(), "the release is for another attempt than the one held");
    }
    for barrier in &story.provider {
        let Fact::BarrierReleased { release } = &barrier.record.fact else { continue };
        if *release != entry.record.record_id {
            let why = format!("the barrier quotes {release:?}, not the release {:?}", entry.record.record_id);
            objections.broken(format!("{}/release", barrier.pointer()), why);
        }
    }
    chain.0.push(("release_signalled", entry));
}

fn quotes(seen: &TimeoutSeen, timeout: &Entry<'_>) -> bool {
    let record = timeout.record;
    seen.record_id == record.record_id
        && seen.request_id == record.request_id
        && (seen.delivery, seen.attempt) == (record.delivery, record.attempt)
        && seen.at_ms == record.at_ms
}

fn in_time(story: &Story<'_>, chain: &Chain<'_>, objections: &mut Objections) {
    for pair in chain.0.windows(2) {
        let ((before, earlier), (after, later)) = (pair[0], pair[1]);
        if !story.in_order(earlier.record.at_ms, later.record.at_ms) {
            let distance = i128::from(earlier.record.at_ms) - i128::from(later.record.at_ms);
            let why = format!("{after} is {distance} ms before {before}, beyond the tolerance");
            objections.broken(format!("{}/at_ms", later.pointer()), why);
        }
    }
}
