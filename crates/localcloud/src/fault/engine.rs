//! Decides which calls are hit. Each rule counts its own matching calls, so rules do not disturb each other.

use super::script::{Caller, Effect, Rule, Script, When};
use crate::service::Service;
use std::sync::{Mutex, PoisonError};

/// The faults of a running cloud.
#[derive(Debug)]
pub(crate) struct Faults(Mutex<Progress>);

#[derive(Debug)]
struct Progress {
    rules: Vec<(Rule, u64)>,
    random: u64,
}

impl Faults {
    /// Faults by a script; equal seeds give equal decisions for equal sequences of calls.
    pub(crate) fn new(script: Script, seed: u64) -> Self {
        Self(Mutex::new(Progress { rules: script.rules.into_iter().map(|rule| (rule, 0)).collect(), random: seed }))
    }

    /// Replaces the script and forgets all counts.
    pub(crate) fn replace(&self, script: Script) {
        self.lock().rules = script.rules.into_iter().map(|rule| (rule, 0)).collect();
    }

    /// The effects that a service has to apply to this call. Counts the call: ask once for each.
    pub(crate) fn next(&self, service: Service, operation: &str) -> Vec<Effect> {
        self.next_on(service, operation, "")
    }

    /// As [`Faults::next`], for a call about the resource with this name; rules with a target are tried too.
    pub(crate) fn next_on(&self, service: Service, operation: &str, target: &str) -> Vec<Effect> {
        self.lock().hits(&Asked { service, operation, target, ..Asked::default() }, false)
    }

    /// As [`Faults::next_on`] for an invocation of a function; rules with a payload are tried too.
    pub(crate) fn next_invocation(&self, function: &str, payload: &[u8]) -> Vec<Effect> {
        let asked = Asked { service: Service::Lambda, operation: "Invoke", target: function, payload, caller: None };
        self.lock().hits(&asked, false)
    }

    /// The effects that the server applies to this call. Counts the call.
    pub(crate) fn on_wire(&self, service: Service, operation: &str, caller: Caller) -> Vec<Effect> {
        self.lock().hits(&Asked { service, operation, caller: Some(caller), ..Asked::default() }, true)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One call, as rules look at it.
#[derive(Clone, Copy, Debug)]
struct Asked<'a> {
    service: Service,
    operation: &'a str,
    target: &'a str,
    payload: &'a [u8],
    caller: Option<Caller>,
}

impl Default for Asked<'_> {
    fn default() -> Self {
        Self { service: Service::Sts, operation: "", target: "", payload: &[], caller: None }
    }
}

impl Progress {
    fn hits(&mut self, asked: &Asked<'_>, wire: bool) -> Vec<Effect> {
        let mut hits = Vec::new();
        for (rule, count) in &mut self.rules {
            if rule.effect.is_on_wire() != wire || !matches(rule, asked) {
                continue;
            }
            *count += 1;
            let hit = match rule.when {
                When::Always => true,
                When::Nth(n) => *count == n,
                When::Every(n) => n > 0 && count.is_multiple_of(n),
                When::Probability(p) => draw(&mut self.random) < p,
            };
            if hit {
                hits.push(rule.effect.clone());
            }
        }
        hits
    }
}

fn matches(rule: &Rule, asked: &Asked<'_>) -> bool {
    rule.service.is_none_or(|s| s == asked.service)
        && rule.operation.as_deref().is_none_or(|o| o == asked.operation)
        && rule.target.as_deref().is_none_or(|t| asked.target.contains(t))
        && rule.payload.as_deref().is_none_or(|p| contains(asked.payload, p.as_bytes()))
        && rule.caller.is_none_or(|c| asked.caller == Some(c))
}

fn contains(payload: &[u8], text: &[u8]) -> bool {
    text.is_empty() || payload.windows(text.len()).any(|window| window == text)
}

/// SplitMix64, mapped to 0..1: small, seeded and the same on every machine.
#[allow(clippy::cast_precision_loss)]
fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(when: When, effect: Effect) -> Faults {
        let (service, operation) = (Some(Service::Sqs), Some("SendMessage".to_owned()));
        let rule = Rule { service, operation, target: None, payload: None, caller: None, when, effect };
        Faults::new(Script { rules: vec![rule] }, 7)
    }

    #[test]
    fn a_payload_and_a_caller_choose_among_calls() {
        let rules = "rules:\n  - {target: caller, payload: canonical-2, effect: function_crash}\n  - {service: s3, caller: client, effect: throttle}\n";
        let faults = Faults::new(Script::from_yaml("script", rules).unwrap(), 7);
        assert!(faults.next_invocation("durable-caller", b"{\"trial\":\"canonical-1\"}").is_empty());
        assert_eq!(faults.next_invocation("durable-caller", b"{\"trial\":\"canonical-2\"}"), [Effect::FunctionCrash]);
        assert!(faults.next_invocation("provider", b"canonical-2").is_empty());
        assert!(faults.on_wire(Service::S3, "PutObject", Caller::Function).is_empty());
        assert_eq!(faults.on_wire(Service::S3, "PutObject", Caller::Client), [Effect::Throttle]);
    }

    fn pattern(faults: &Faults, calls: usize) -> Vec<bool> {
        (0..calls).map(|_| !faults.on_wire(Service::Sqs, "SendMessage", Caller::Client).is_empty()).collect()
    }

    #[test]
    fn the_nth_matching_call_is_hit_once() {
        let faults = faults(When::Nth(2), Effect::Throttle);
        assert!(faults.on_wire(Service::Sqs, "ReceiveMessage", Caller::Client).is_empty());
        assert_eq!(pattern(&faults, 4), [false, true, false, false]);
    }

    #[test]
    fn every_nth_call_is_hit() {
        assert_eq!(pattern(&faults(When::Every(2), Effect::Throttle), 5), [false, true, false, true, false]);
        assert_eq!(pattern(&faults(When::Every(0), Effect::Throttle), 2), [false, false]);
    }

    #[test]
    fn equal_seeds_give_equal_decisions() {
        let a = pattern(&faults(When::Probability(0.3), Effect::Throttle), 200);
        let b = pattern(&faults(When::Probability(0.3), Effect::Throttle), 200);
        assert_eq!(a, b);
        let hits = a.iter().filter(|hit| **hit).count();
        assert!((30..90).contains(&hits), "{hits} of 200 at 0.3");
    }

    #[test]
    fn services_and_the_wire_do_not_share_effects() {
        let faults = faults(When::Always, Effect::StaleTagIndex);
        assert!(faults.on_wire(Service::Sqs, "SendMessage", Caller::Client).is_empty());
        assert_eq!(faults.next(Service::Sqs, "SendMessage"), [Effect::StaleTagIndex]);
    }
}
