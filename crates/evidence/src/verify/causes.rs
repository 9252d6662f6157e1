//! Causes before consequences: one changed file breaks every citation of it, and a reader wants to see the file first.

use crate::problem::{Kind, Problem};
use std::{collections::BTreeMap, ops::Bound};

/// A problem and those that follow from it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group<'a> {
    pub(super) cause: &'a Problem,
    pub(super) consequences: Vec<&'a Problem>,
}

/// Every problem once: as a cause, or below its cause. What was found in the bytes of one place comes first.
pub(super) fn first(problems: &[Problem]) -> Vec<Group<'_>> {
    let possible = Possible::among(problems);
    let causes: Vec<Option<usize>> = problems.iter().map(|problem| possible.cause_of(problem)).collect();
    let mut below: BTreeMap<usize, Vec<&Problem>> = BTreeMap::new();
    for (problem, cause) in problems.iter().zip(&causes) {
        if let Some(cause) = cause {
            below.entry(*cause).or_default().push(problem);
        }
    }
    let own = problems.iter().enumerate().filter(|(at, _)| causes[*at].is_none());
    let mut groups: Vec<Group<'_>> =
        own.map(|(at, cause)| Group { cause, consequences: below.remove(&at).unwrap_or_default() }).collect();
    groups.sort_by_key(|group| (!group.cause.kind.is_of_bytes(), group.cause.kind));
    groups
}

/// The likeliest cause at each path: a changed run may have a hundred thousand consequences, each of which looks for its
/// own. A cause is never itself about something else, so that no problem is lost in a circle.
struct Possible<'a> {
    problems: &'a [Problem],
    by_path: BTreeMap<&'a str, usize>,
}

impl<'a> Possible<'a> {
    fn among(problems: &'a [Problem]) -> Self {
        let mut possible = Self { problems, by_path: BTreeMap::new() };
        for (at, problem) in problems.iter().enumerate().filter(|(_, p)| p.about.is_none() && !p.path.is_empty()) {
            let best = possible.by_path.get(problem.path.as_str()).copied().unwrap_or(at);
            let best = if possible.rank(at) < possible.rank(best) { at } else { best };
            possible.by_path.insert(&problem.path, best);
        }
        possible
    }

    /// What was found in bytes is likelier than what was found by comparing, and then what was found first.
    fn rank(&self, at: usize) -> (bool, Kind, usize) {
        let kind = self.problems[at].kind;
        (!kind.is_of_bytes(), kind, at)
    }

    /// Position of the problem that this one follows from. One that is about nothing else follows only from bytes.
    fn cause_of(&self, problem: &Problem) -> Option<usize> {
        let derived = matches!(problem.kind, Kind::CitationBroken | Kind::RecordsDisagree | Kind::ChainBroken);
        let target = problem.about.as_deref().or(derived.then_some(problem.path.as_str()))?;
        let may_cause = |at: &usize| self.problems[*at].kind.is_of_bytes() || problem.about.is_some();
        self.related(target).filter(may_cause).min_by_key(|at| self.rank(*at))
    }

    /// Those of the same place, of one around it, and of one inside it.
    fn related(&self, target: &str) -> impl Iterator<Item = usize> {
        let around = target.match_indices('/').map(|(at, _)| &target[..at]).chain([target]);
        let start = format!("{target}/");
        let inside = self.by_path.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
        let inside: Vec<_> = inside.take_while(|(path, _)| path.starts_with(&start)).map(|(_, at)| *at).collect();
        around.filter_map(|path| self.by_path.get(path).copied()).chain(inside)
    }
}

impl Group<'_> {
    /// How many follow, and in which files; nothing if none does.
    pub(super) fn follow(&self) -> Option<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for problem in &self.consequences {
            *counts.entry(&problem.path).or_default() += 1;
        }
        let places: Vec<String> =
            counts.iter().map(|(path, count)| format!("{count} in {}", path.escape_debug())).collect();
        (!places.is_empty()).then(|| format!("so do not hold: {} (`--json` tells each)", places.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TRIAL: &str = "packages/canonical/trials/canonical-1.json";

    #[test]
    fn what_a_changed_file_breaks_stands_below_it() {
        let cites = |by: &str| Problem::new(Kind::CitationBroken, by, "cites").about(TRIAL);
        let problems = [
            cites("results.json"),
            cites("verdicts/canonical.json"),
            Problem::new(Kind::RecordsDisagree, "plan.json", "is not what was sealed"),
            cites("results.json"),
            Problem::new(Kind::DigestDiffers, TRIAL, "has SHA-256 1"),
        ];
        let groups = first(&problems);
        assert_eq!(groups.len(), 2);
        assert_eq!((groups[0].cause, groups[0].consequences.len()), (&problems[4], 3));
        let follow = groups[0].follow().unwrap();
        assert!(follow.contains("2 in results.json, 1 in verdicts/canonical.json"), "{follow}");
        assert_eq!((groups[1].cause, groups[1].follow()), (&problems[2], None));
    }

    #[test]
    fn without_its_cause_a_consequence_stands_for_itself() {
        let alone = [Problem::new(Kind::CitationBroken, "results.json", "cites").about(TRIAL)];
        assert_eq!(first(&alone)[0].cause, &alone[0]);
        // A name that only begins alike is another place.
        let other = [alone[0].clone(), Problem::new(Kind::DigestDiffers, "packages/canon", "differs")];
        assert_eq!(first(&other).len(), 2);
    }

    #[test]
    fn a_package_that_is_another_one_is_the_cause_of_what_was_said_of_it() {
        let package = "packages/canonical";
        let problems = [
            Problem::new(Kind::RecordsDisagree, "journal.jsonl", "says that it was sealed as 1").about(package),
            Problem::new(Kind::CitationBroken, "verdicts/canonical.json", "judges package 1").about(package),
            Problem::new(Kind::RecordsDisagree, package, "is a package of which the journal knows nothing"),
        ];
        let groups = first(&problems);
        assert_eq!((groups.len(), groups[0].cause, groups[0].consequences.len()), (1, &problems[2], 2));
    }

    #[test]
    fn no_problem_is_lost() {
        let two = |path: &str| Problem::new(Kind::RecordsDisagree, path, "x").about(path);
        let problems = [two("a"), two("a"), two("b"), Problem::new(Kind::RecordsDisagree, "a", "y")];
        let groups = first(&problems);
        assert_eq!(groups.iter().map(|group| 1 + group.consequences.len()).sum::<usize>(), problems.len());
    }

    /// The same by looking at every problem: of one place, or one inside the other.
    fn searched(problem: &Problem, problems: &[Problem]) -> Option<usize> {
        let derived = matches!(problem.kind, Kind::CitationBroken | Kind::RecordsDisagree | Kind::ChainBroken);
        let target = problem.about.as_deref().or(derived.then_some(problem.path.as_str()))?;
        let within = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        let related = |path: &str| !path.is_empty() && (path == target || within(path, target) || within(target, path));
        let may_cause = |other: &Problem| {
            other.about.is_none() && related(&other.path) && (other.kind.is_of_bytes() || problem.about.is_some())
        };
        let candidates = problems.iter().enumerate().filter(|(_, other)| may_cause(other));
        candidates.min_by_key(|(_, other)| (!other.kind.is_of_bytes(), other.kind)).map(|(at, _)| at)
    }

    fn any_problem() -> impl Strategy<Value = Problem> {
        let path = || prop::sample::select(vec!["", "a", "a/b", "a/b/c", "a/bc", "ab", "b"]);
        let kinds =
            vec![Kind::DigestDiffers, Kind::Missing, Kind::CitationBroken, Kind::RecordsDisagree, Kind::Misplaced];
        let kind = prop::sample::select(kinds);
        (kind, path(), prop::option::of(path())).prop_map(|(kind, path, about)| {
            let problem = Problem::new(kind, path, "x");
            about.into_iter().fold(problem, Problem::about)
        })
    }

    proptest! {
        #[test]
        fn causes_are_those_that_a_search_would_find(problems in prop::collection::vec(any_problem(), 0..12)) {
            let possible = Possible::among(&problems);
            for problem in &problems {
                prop_assert_eq!(possible.cause_of(problem), searched(problem, &problems), "{:?}", problem);
            }
        }
    }
}
