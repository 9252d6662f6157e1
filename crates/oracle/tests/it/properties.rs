//! Properties: the verdict's join, any order of events, any bytes.

use crate::builder;
use crate::mutation::mutants;
use crate::support::{judge, judge_value};
use evidence::record::Record;
use evidence::trial::TrialEvidence;
use evidence::verdict::Verdict;
use oracle::Artifact;
use oracle::trial::{Place, judge_bytes};
use proptest::prelude::*;
use serde_json::Value;

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(Verdict::Pass), Just(Verdict::Indeterminate), Just(Verdict::Fail)]
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,12}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

const PLACE: Place<'static> = Place { id: "canonical-4", number: 4, stage: "canonical" };

fn all_records(evidence: &TrialEvidence) -> Vec<Record> {
    let journals = [&evidence.caller_journal, &evidence.provider_journal, &evidence.controller_journal];
    journals.into_iter().flatten().flat_map(|journal| journal.records.clone()).collect()
}

proptest! {
    #[test]
    fn join_is_a_semilattice(a in verdict(), b in verdict(), c in verdict()) {
        prop_assert_eq!(a.join(b), b.join(a));
        prop_assert_eq!(a.join(b).join(c), a.join(b.join(c)));
        prop_assert_eq!(a.join(a), a);
        prop_assert_eq!(a.join(Verdict::Fail), Verdict::Fail);
        prop_assert_eq!(a.join(Verdict::Pass), a);
    }

    #[test]
    fn join_of_many_does_not_depend_on_order(mut all in prop::collection::vec(verdict(), 0..8)) {
        let forward = Verdict::join_all(all.iter().copied());
        all.reverse();
        prop_assert_eq!(forward, Verdict::join_all(all.iter().copied()));
        if all.is_empty() {
            prop_assert_eq!(forward, Verdict::Indeterminate);
        }
    }

    #[test]
    fn any_order_of_events_folds_or_is_refused(order in Just(all_records(&builder::durable_timeout())).prop_shuffle(), keep in 0_usize..24) {
        let mut evidence = builder::durable_timeout();
        let mut records = order.into_iter().take(keep);
        for journal in [&mut evidence.caller_journal, &mut evidence.provider_journal, &mut evidence.controller_journal] {
            let journal = journal.as_mut().unwrap();
            let share = journal.records.len();
            journal.records = records.by_ref().take(share).collect();
        }
        let same = evidence == builder::durable_timeout();
        let verdict = judge(&evidence);
        prop_assert_ne!(verdict.verdict, Verdict::Pass);
        prop_assert!(same || !verdict.missing.is_empty(), "a shuffled journal was called complete");
        prop_assert!(!oracle::explain::explain(&verdict, Some(&evidence)).is_empty());
    }

    #[test]
    fn any_value_is_judged_without_a_panic(value in anything()) {
        prop_assert_eq!(judge_value(&value, PLACE).verdict, Verdict::Indeterminate);
    }

    #[test]
    fn any_bytes_are_judged_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        let artifact = Artifact { path: "trials/canonical-4.json", sha256: "" };
        let verdict = judge_bytes(artifact, &bytes, PLACE);
        prop_assert_eq!(verdict.verdict, Verdict::Indeterminate);
        prop_assert!(!verdict.missing.is_empty());
    }

    #[test]
    fn any_value_at_any_place_of_a_good_trial_is_judged_without_a_panic(value in anything(), place in any::<prop::sample::Index>()) {
        let good = serde_json::to_value(builder::durable_timeout()).unwrap();
        let places = crate::pointers::all(&good);
        let changed = crate::pointers::set(&good, place.get(&places).as_str(), value);
        prop_assert_ne!(judge_value(&changed, PLACE).verdict, Verdict::Pass);
    }

    #[test]
    fn two_mutations_of_a_failed_trial_do_not_make_it_pass(one in any::<prop::sample::Index>(), two in any::<prop::sample::Index>()) {
        thread_local! {
            static GOOD: (Value, Vec<crate::mutation::Mutant>) = {
                let good = serde_json::to_value(builder::durable_timeout()).unwrap();
                let mutants = mutants(&good);
                (good, mutants)
            };
        }
        let verdict = GOOD.with(|(good, mutants)| {
            let (first, second) = (one.get(mutants), two.get(mutants));
            // The second change is made to the first mutant where its place still exists.
            let value = second.value.pointer(&second.place).cloned().unwrap_or(Value::Null);
            let both = match first.value.pointer(&second.place) {
                Some(_) => crate::pointers::set(&first.value, &second.place, value),
                None => good.clone(),
            };
            judge_value(&both, PLACE).verdict
        });
        prop_assert_ne!(verdict, Verdict::Pass);
    }
}
