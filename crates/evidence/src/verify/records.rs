//! A run's records against each other: what the stages, the journal, the registration, the closing package and the
//! results say of the same thing must be the same.

use super::{
    claims::{Claims, RESULTS, VERDICTS},
    run::{JOURNAL, PACKAGES},
    said::Said,
};
use crate::{
    anchors::{self, Anchors},
    chain::Link,
    digest::Digest,
    problem::{Kind, Problem},
    stage::StageRecord,
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Folder of a run's registration, and of the package inside it.
pub(super) const REGISTRATION: &str = "registration";
/// What the run took over from its registration.
const ADOPTED: &str = "registration/adopted.json";
/// The same, as sealed with the first package.
const SEALED_ADOPTED: &str = "registration.json";
/// Package that is sealed first.
const FIRST: &str = "preflight";
/// Copies of sealed files that a run works with, and the sealed files.
const COPIES: [(&str, &str); 2] = [("plan.json", "plan.json"), ("inputs/protocol.yaml", "protocol.yaml")];

/// What the results say as a whole, the sealed file that it was taken from, and the place there.
pub(super) const CLOSING: [(&str, &str, &str); 3] = [
    ("teardown", "packages/closing/teardown.json", ""),
    ("audit", "packages/closing/audit.json", ""),
    ("stopped", "packages/closing/outcome.json", "/stopped"),
];

#[derive(Deserialize)]
struct Adopted {
    identity: Digest,
}

/// The records as far as they could be read.
#[derive(Default)]
pub(super) struct Records {
    stages: BTreeMap<String, StageRecord>,
    anchors: Option<Anchors>,
    /// By path, those of [`CLOSING`].
    closing: BTreeMap<String, Value>,
    adopted: Option<Adopted>,
    pub(super) problems: Vec<Problem>,
    pub(super) notes: Vec<String>,
}

/// What the records are compared with.
pub(super) struct Around<'a> {
    /// Packages in order of sealing.
    pub(super) links: &'a [Link],
    /// The journal, if it is sound.
    pub(super) said: Option<&'a Said>,
    /// Digest of a file of the run as it was before any redaction; absent if it is not there.
    pub(super) digest: &'a dyn Fn(&str) -> Option<Digest>,
    /// Identity of the package in the registration folder, if there is one.
    pub(super) registered: Option<Digest>,
    /// Verdicts and results.
    pub(super) claims: &'a Claims,
}

/// Whether a file of a run is a record that is compared with others.
pub(super) fn is_record(path: &str) -> bool {
    let stage = path.strip_prefix(PACKAGES).and_then(|rest| rest.strip_suffix("/stage.json"));
    let closing = CLOSING.iter().any(|(_, one, _)| *one == path);
    closing || path == ADOPTED || path == anchors::PATH || stage.is_some_and(|name| name.rfind('/') == Some(0))
}

impl Records {
    /// Takes a record in.
    pub(super) fn take(&mut self, path: &str, bytes: &[u8]) {
        let unreadable = |what: &str, error: serde_json::Error| {
            Problem::new(Kind::RecordsDisagree, path, format!("cannot be read as {what}: {error}"))
        };
        if path == ADOPTED {
            match serde_json::from_slice(bytes) {
                Ok(adopted) => self.adopted = Some(adopted),
                Err(error) => self.problems.push(unreadable("what a run took over from its registration", error)),
            }
        } else if path == anchors::PATH {
            match Anchors::parse(bytes) {
                Ok(anchors) => self.anchors = Some(anchors),
                Err(message) => self.problems.push(Problem::new(Kind::RecordsDisagree, path, message)),
            }
        } else if CLOSING.iter().any(|(_, one, _)| *one == path) {
            match serde_json::from_slice(bytes) {
                Ok(value) => drop(self.closing.insert(path.to_owned(), value)),
                Err(error) => self.problems.push(unreadable("what the run ended with", error)),
            }
        } else if let Ok(mut stage) = serde_json::from_slice::<StageRecord>(bytes) {
            // Packages that are no stages of a study have other files of this name.
            stage.trials = Vec::new();
            let package = path.trim_start_matches(PACKAGES).trim_start_matches('/').trim_end_matches("/stage.json");
            self.stages.insert(package.to_owned(), stage);
        }
    }

    /// Compares everything with everything else.
    pub(super) fn settle(&mut self, around: &Around<'_>) {
        self.between_stages();
        self.sealed_at_the_end(around);
        self.registration(around);
        self.copies(around);
        if let Some(said) = around.said.filter(|said| said.started.is_some()) {
            self.journal(said, around);
        }
        self.results(around);
    }

    fn disagree(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem::new(Kind::RecordsDisagree, path, message));
    }

    /// All stages are of one run, study, plan, target and grade; each stands in the package of its name.
    fn between_stages(&mut self) {
        let Some(first) = self.stages.values().next().cloned() else { return };
        let stages = std::mem::take(&mut self.stages);
        for (package, stage) in &stages {
            let path = format!("{PACKAGES}/{package}/stage.json");
            if stage.stage != *package {
                self.disagree(&path, format!("is the record of stage {:?}", stage.stage));
            }
            let same = [
                ("run", stage.run == first.run),
                ("study", stage.study == first.study),
                ("grade", stage.grade == first.grade),
                ("plan_digest", stage.plan_digest == first.plan_digest),
                ("origin", stage.origin == first.origin),
            ];
            for (member, _) in same.iter().filter(|(_, same)| !same) {
                self.disagree(&path, format!("has another {member} than the other stages of the run"));
            }
        }
        self.stages = stages;
    }

    /// What the closing package has fixed: verdict files and the journal up to there.
    fn sealed_at_the_end(&mut self, around: &Around<'_>) {
        let Some(anchors) = self.anchors.take() else { return };
        for file in &anchors.files {
            match (around.digest)(&file.path) {
                None => self.problems.push(Problem::new(
                    Kind::Missing,
                    &file.path,
                    "was sealed in closing and is not there",
                )),
                Some(found) if found != file.sha256 => {
                    let message = format!("has SHA-256 {found}, sealed in closing is {}", file.sha256);
                    self.problems.push(Problem::new(Kind::DigestDiffers, &file.path, message));
                }
                Some(_) => {}
            }
        }
        let unsealed = around.claims.verdict_files().filter(|path| path.starts_with(VERDICTS));
        for path in unsealed.filter(|path| !anchors.files.iter().any(|file| file.path == **path)) {
            self.problems.push(Problem::new(Kind::Unexpected, path, "is not among the verdicts that closing sealed"));
        }
        if let Some(said) = around.said {
            let found = said.hash(anchors.journal.seq);
            if found != Some(anchors.journal.hash) {
                let message = format!("line {} is not the line that was sealed in closing", anchors.journal.seq);
                self.problems.push(Problem::new(Kind::JournalBroken, JOURNAL, message));
            }
        }
    }

    /// The registration in the run's folder is the one that the first package sealed.
    fn registration(&mut self, around: &Around<'_>) {
        let first = around.links.iter().find(|link| link.folder == FIRST);
        let sealed = first.and_then(|link| link.index.find(SEALED_ADOPTED)).map(|file| file.sha256);
        let kept = (around.digest)(ADOPTED);
        match (sealed, kept) {
            (Some(_), None) => self.disagree(ADOPTED, "is not there, but the run's first package has sealed it"),
            (Some(sealed), Some(kept)) if sealed != kept => self.disagree(
                ADOPTED,
                format!("has SHA-256 {kept}; sealed in {PACKAGES}/{FIRST}/{SEALED_ADOPTED} is {sealed}"),
            ),
            (None, Some(_)) if first.is_some() => {
                self.disagree(ADOPTED, "is there, but the run's first package was sealed without a registration");
            }
            _ => {}
        }
        match (self.adopted.take(), around.registered) {
            (Some(adopted), Some(found)) if adopted.identity != found => self.disagree(
                format!("{REGISTRATION}/{REGISTRATION}"),
                format!("is package {found}, not the registration {} that the run was held to", adopted.identity),
            ),
            (Some(_), None) => {
                self.disagree(format!("{REGISTRATION}/{REGISTRATION}"), "the registration's package is not there");
            }
            (None, Some(_)) => self.disagree(ADOPTED, "is not there, so nothing ties the registration to the run"),
            _ => {}
        }
    }

    /// Plan and protocol outside the packages are those inside.
    fn copies(&mut self, around: &Around<'_>) {
        let Some(first) = around.links.iter().find(|link| link.folder == FIRST) else { return };
        for (copy, original) in COPIES {
            let sealed = first.index.find(original).map(|file| file.sha256);
            if let (Some(sealed), Some(found)) = (sealed, (around.digest)(copy))
                && sealed != found
            {
                self.disagree(copy, format!("is not what was sealed as {PACKAGES}/{FIRST}/{original}"));
            }
        }
    }

    /// The journal names every package and what was judged of it.
    fn journal(&mut self, said: &Said, around: &Around<'_>) {
        if let (Some((run, plan, grade)), Some(stage)) = (&said.started, self.stages.values().next().cloned())
            && (*run != stage.run || plan.to_string() != stage.plan_digest || *grade != stage.grade)
        {
            self.disagree(JOURNAL, "tells another run, plan or grade than the sealed stages");
        }
        for (package, identity) in &said.sealed {
            if !around.links.iter().any(|link| link.folder == *package && link.identity == *identity) {
                let message = format!("says that {package} was sealed as {identity}; no such package is there");
                let problem = Problem::new(Kind::RecordsDisagree, JOURNAL, message);
                self.problems.push(problem.about(format!("{PACKAGES}/{package}")));
            }
        }
        for link in
            around.links.iter().filter(|link| !said.sealed.iter().any(|(_, identity)| *identity == link.identity))
        {
            let path = format!("{PACKAGES}/{}", link.folder);
            if said.ended {
                self.disagree(path, "is a package of which the journal knows nothing");
            } else {
                self.notes.push(format!("{path} is sealed and not yet journaled: the program was interrupted there"));
            }
        }
        for (package, identity, verdict) in &said.judged {
            let path = format!("{VERDICTS}/{package}.json");
            match around.claims.judgement(&path) {
                Some((judged, found)) if *judged == identity.to_string() && found == *verdict => {}
                Some(_) => self.disagree(path, "is not the verdict that the journal tells"),
                None => self.disagree(path, "is not there, although the journal says that the package was judged"),
            }
        }
        let judged = |path: &str| said.judged.iter().any(|(package, ..)| path == format!("{VERDICTS}/{package}.json"));
        let unjudged: Vec<_> = around.claims.verdict_files().filter(|path| path.starts_with(VERDICTS)).collect();
        for path in unjudged.into_iter().filter(|path| !judged(path)) {
            match said.ended {
                true => self.disagree(path, "is a verdict of which the journal knows nothing"),
                false => self.notes.push(format!("{path} is not yet journaled: the program was interrupted there")),
            }
        }
    }

    /// The results are of this run, and claim no better grade than the evidence has.
    fn results(&mut self, around: &Around<'_>) {
        let Some(head) = around.claims.results_head() else { return };
        if let Some(stage) = self.stages.values().next().cloned() {
            let same = [
                ("run", head.run == stage.run),
                ("study", head.study == stage.study),
                ("grade", head.grade == stage.grade),
                ("plan_digest", head.plan_digest == stage.plan_digest),
            ];
            for (member, _) in same.iter().filter(|(_, same)| !same) {
                self.disagree(RESULTS, format!("/{member} is not what the sealed stages say"));
            }
        }
        if let Some(said) = around.said.filter(|said| said.started.is_some())
            && said.deviations != head.deviations
        {
            self.disagree(RESULTS, "/deviations are not those that the journal tells");
        }
        for (member, path, pointer) in CLOSING {
            let told = match member {
                "teardown" => &head.teardown,
                "audit" => &head.audit,
                _ => &head.stopped,
            };
            if let Some(message) =
                against_closing(member, told, path, self.closing.get(path).map(|v| v.pointer(pointer)))
            {
                self.problems.push(Problem::new(Kind::RecordsDisagree, RESULTS, message).about(path));
            }
        }
    }
}

/// What is wrong with a member of the results that repeats a sealed file; outer `None`: the file is not there.
fn against_closing(member: &str, told: &Value, path: &str, sealed: Option<Option<&Value>>) -> Option<String> {
    match sealed {
        Some(sealed) => {
            let at = difference(told, sealed.unwrap_or(&Value::Null))?;
            Some(format!("/{member}{at} is not what was sealed in {path}"))
        }
        None if told.is_null() || told.as_object().is_some_and(serde_json::Map::is_empty) => None,
        None => Some(format!("/{member} rests on {path}, which is not there")),
    }
}

/// Pointer of the first difference; nothing if there is none.
fn difference(one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(these), Value::Object(those)) => {
            let null = &Value::Null;
            let names: BTreeSet<&String> = these.keys().chain(those.keys()).collect();
            names.into_iter().find_map(|name| {
                if these.contains_key(name) != those.contains_key(name) {
                    return Some(format!("/{}", escaped(name)));
                }
                let below = difference(these.get(name).unwrap_or(null), those.get(name).unwrap_or(null));
                below.map(|below| format!("/{}{below}", escaped(name)))
            })
        }
        (Value::Array(these), Value::Array(those)) => {
            let mut pairs = these.iter().zip(those).enumerate();
            let within =
                pairs.find_map(|(at, (this, that))| difference(this, that).map(|below| format!("/{at}{below}")));
            let shorter = these.len().min(those.len());
            within.or_else(|| (these.len() != those.len()).then(|| format!("/{shorter}")))
        }
        _ => (one != other).then(String::new),
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_by_its_place() {
        let sealed = json!({"a/b": [1, {"c": null}], "d": 1});
        for (told, at) in [
            (json!({"a/b": [1, {"c": null}], "d": 1}), None),
            (json!({"a/b": [1, {"c": 2}], "d": 1}), Some("/a~1b/1/c")),
            (json!({"a/b": [1, {"c": null}], "d": 2}), Some("/d")),
            (json!({"a/b": [1], "d": 1}), Some("/a~1b/1")),
            (json!({"a/b": [1, {}], "d": 1}), Some("/a~1b/1/c")),
            (json!([]), Some("")),
        ] {
            assert_eq!(difference(&told, &sealed).as_deref(), at, "{told}");
        }
    }
}
