//! What verdict files and results claim about sealed bytes: every citation is read again, every verdict must quote a
//! package that is there, and results must say what the verdict says.

use super::{consistency, pointer::present};
use crate::{
    digest::Digest,
    problem::{Kind, Problem},
    stage::Grade,
    verdict::{Cite, PackageVerdict, READABLE, Verdict},
    version::check_readable_by,
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// File name of a run's results.
pub(super) const RESULTS: &str = "results.json";
/// Folder of a run's verdict files.
pub(super) const VERDICTS: &str = "verdicts";
/// Folder of verdicts that later oracles gave, each oracle in a folder of its own.
pub(super) const REJUDGED: &str = "rejudged";
/// Largest document or cited artifact that is read, bytes; also the most that all documents together may have.
pub(super) const MAX_DOCUMENT: u64 = 256 << 20;

/// Members of a result's cell that repeat the verdict on its trial.
const REPEATED: [&str; 8] =
    ["correct_completion", "invalid_reasons", "missing", "processing", "rules", "transactions", "valid", "verdict"];
/// Package whose trials are the cells of the results.
const CELLS_PACKAGE: &str = "canonical";

/// One citation: who cites what.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    pointer: String,
    sha256: String,
    by: String,
}

/// Everything claimed, by the file that it is claimed about.
#[derive(Debug)]
pub(super) struct Claims {
    verdicts: BTreeMap<String, PackageVerdict>,
    results: Option<Value>,
    about: BTreeMap<String, BTreeSet<Claim>>,
    /// By verdict file: the package judged and the verdict.
    judged: BTreeMap<String, (String, Verdict)>,
    head: Option<Head>,
    /// Bytes of all documents taken, and the most that they may have.
    taken: u64,
    most: u64,
    problems: Vec<Problem>,
}

/// What results say of the run as a whole.
#[derive(Debug, Deserialize)]
pub(super) struct Head {
    pub(super) run: String,
    pub(super) study: String,
    pub(super) grade: Grade,
    pub(super) plan_digest: String,
    pub(super) deviations: Vec<String>,
    #[serde(default)]
    pub(super) teardown: Value,
    #[serde(default)]
    pub(super) audit: Value,
    #[serde(default)]
    pub(super) stopped: Value,
}

/// Whether a file of a run makes claims.
pub(super) fn is_document(path: &str) -> bool {
    path == RESULTS || verdict_on(path).is_some()
}

/// The package that a verdict file is about, by its name.
fn verdict_on(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/')?;
    let rejudged = folder.strip_prefix(REJUDGED).and_then(|rest| rest.strip_prefix('/'));
    let known = folder == VERDICTS || rejudged.is_some_and(|oracle| !oracle.contains('/'));
    file.strip_suffix(".json").filter(|_| known)
}

impl Claims {
    /// No claims yet; `most` bounds the bytes of all documents together.
    pub(super) fn within(most: u64) -> Self {
        Self {
            verdicts: BTreeMap::new(),
            results: None,
            about: BTreeMap::new(),
            judged: BTreeMap::new(),
            head: None,
            taken: 0,
            most,
            problems: Vec::new(),
        }
    }

    /// Takes a document in; one that cannot be read is a problem.
    pub(super) fn document(&mut self, path: &str, bytes: &[u8]) {
        self.taken += bytes.len() as u64;
        if self.taken > self.most {
            let message = format!("verdicts and results have more than {} bytes; this one was not read", self.most);
            return self.problems.push(Problem::new(Kind::LimitReached, path, message));
        }
        let taken = if path == RESULTS {
            serde_json::from_slice(bytes).map(|value| self.results = Some(value))
        } else {
            serde_json::from_slice(bytes).map(|verdict| drop(self.verdicts.insert(path.to_owned(), verdict)))
        };
        if let Err(error) = taken {
            self.broken(path, format!("cannot be read as what its name says: {error}"));
        }
    }

    /// Compares the documents with the packages (folder and identity) and lists what they cite.
    pub(super) fn settle(&mut self, packages: &[(String, Digest)]) {
        let verdicts = std::mem::take(&mut self.verdicts);
        for (path, verdict) in &verdicts {
            self.verdict(path, verdict, packages);
            self.judged.insert(path.clone(), (verdict.package.clone(), verdict.verdict));
        }
        if let Some(results) = self.results.take() {
            self.results(&results, verdicts.get(&format!("{VERDICTS}/{CELLS_PACKAGE}.json")));
            match Head::deserialize(&results) {
                Ok(head) => self.head = Some(head),
                Err(error) => self.broken(RESULTS, format!("does not say what run it is of: {error}")),
            }
        }
    }

    fn verdict(&mut self, path: &str, verdict: &PackageVerdict, packages: &[(String, Digest)]) {
        if let Err(error) = check_readable_by(&verdict.schema, &READABLE) {
            return self.broken(path, error.to_string());
        }
        let name = verdict_on(path).unwrap_or_default();
        match packages.iter().find(|(_, identity)| identity.to_string() == verdict.package) {
            Some((folder, _)) if folder == name && verdict.stage == name => {
                let decisive = verdict.trials.iter().flat_map(|trial| &trial.rules).flat_map(|rule| &rule.decisive);
                decisive.for_each(|cite| self.cite(path, &format!("packages/{folder}/"), cite));
            }
            Some((folder, _)) => self
                .broken(path, format!("judges package {folder} as stage {:?}, not what its name says", verdict.stage)),
            None => {
                let message = format!("judges package {}, which is not there", verdict.package);
                let problem = Problem::new(Kind::CitationBroken, path, message);
                self.problems.push(problem.about(format!("packages/{name}")));
            }
        }
        for message in consistency::of(verdict) {
            self.broken(path, message);
        }
    }

    /// Verdict files that were read, sorted by path.
    pub(super) fn verdict_files(&self) -> impl Iterator<Item = &String> {
        self.judged.keys()
    }

    /// Identity that a verdict file quotes, and its verdict.
    pub(super) fn judgement(&self, path: &str) -> Option<(&str, Verdict)> {
        self.judged.get(path).map(|(package, verdict)| (package.as_str(), *verdict))
    }

    /// What the results say of the run, if they were read.
    pub(super) fn results_head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    fn results(&mut self, results: &Value, verdict: Option<&PackageVerdict>) {
        let cells = results.get("cells").and_then(Value::as_array);
        let Some(cells) = cells else { return self.broken(RESULTS, "has no `cells`".to_owned()) };
        for (n, cell) in cells.iter().enumerate() {
            let below = format!("packages/{CELLS_PACKAGE}/");
            let decisive = cell.get("rules").and_then(Value::as_array).into_iter().flatten();
            let decisive = decisive.filter_map(|rule| rule.get("decisive")?.as_array()).flatten();
            let cites = cell.get("cites").and_then(Value::as_array).into_iter().flatten();
            for (prefix, cite) in decisive.map(|cite| (below.as_str(), cite)).chain(cites.map(|cite| ("", cite))) {
                match serde_json::from_value::<Cite>(cite.clone()) {
                    Ok(cite) => self.cite(RESULTS, prefix, &cite),
                    Err(error) => {
                        self.broken(RESULTS, format!("/cells/{n} holds something else than a citation: {error}"));
                    }
                }
            }
            self.compare(n, cell, verdict);
        }
        for cite in results.get("cites").and_then(Value::as_array).into_iter().flatten() {
            match serde_json::from_value::<Cite>(cite.clone()) {
                Ok(cite) => self.cite(RESULTS, "", &cite),
                Err(error) => self.broken(RESULTS, format!("/cites holds something else than a citation: {error}")),
            }
        }
        // A cell that is left out hides a trial.
        let ids: Vec<_> = cells.iter().map(|cell| cell.get("id").and_then(Value::as_str).unwrap_or_default()).collect();
        for trial in verdict.iter().flat_map(|verdict| &verdict.trials) {
            let count = ids.iter().filter(|id| **id == trial.trial).count();
            if count != 1 {
                self.broken(RESULTS, format!("has {count} cells for trial {}, which was judged once", trial.trial));
            }
        }
    }

    /// A cell repeats what the verdict says of its trial, word for word.
    fn compare(&mut self, n: usize, cell: &Value, verdict: Option<&PackageVerdict>) {
        let id = cell.get("id").and_then(Value::as_str).unwrap_or_default();
        let trial = verdict.and_then(|verdict| verdict.trials.iter().find(|trial| trial.trial == id));
        let Some(trial) = trial.and_then(|trial| serde_json::to_value(trial).ok()) else {
            // A cell without a verdict may only say that nothing is proven.
            if cell.get("verdict").and_then(Value::as_str) != Some("indeterminate") {
                self.of_verdict(format!("/cells/{n} has a verdict on trial {id:?} that no verdict file holds"));
            }
            return;
        };
        for member in REPEATED.iter().filter(|member| cell.get(**member) != trial.get(**member)) {
            self.of_verdict(format!("/cells/{n}/{member} is not what the verdict on trial {id} says"));
        }
    }

    /// Results that do not follow from the verdict on their trials.
    fn of_verdict(&mut self, message: String) {
        let problem = Problem::new(Kind::CitationBroken, RESULTS, message);
        self.problems.push(problem.about(format!("{VERDICTS}/{CELLS_PACKAGE}.json")));
    }

    fn cite(&mut self, by: &str, prefix: &str, cite: &Cite) {
        let claim = Claim { pointer: cite.pointer.clone(), sha256: cite.sha256.clone(), by: by.to_owned() };
        self.about.entry(format!("{prefix}{}", cite.artifact)).or_default().insert(claim);
    }

    fn broken(&mut self, path: &str, message: String) {
        self.problems.push(Problem::new(Kind::CitationBroken, path, message));
    }

    /// Whether anything is claimed about a file.
    pub(super) fn concern(&self, path: &str) -> bool {
        self.about.contains_key(path)
    }

    /// Files that something is claimed about, sorted.
    pub(super) fn artifacts(&self) -> Vec<&str> {
        self.about.keys().map(String::as_str).collect()
    }

    /// Reads every citation of one file again. `sealed` is the digest of the bytes as sealed, which in a published
    /// copy are not `bytes`; without `bytes` the file is not there.
    pub(super) fn check(&self, artifact: &str, bytes: Option<&[u8]>, sealed: Option<Digest>) -> Vec<Problem> {
        let claims: Vec<&Claim> = self.about.get(artifact).into_iter().flatten().collect();
        let pointers: Vec<&str> = claims.iter().map(|claim| claim.pointer.as_str()).collect();
        let places = bytes.and_then(|bytes| present(bytes, &pointers));
        let sealed = sealed.filter(|_| bytes.is_some()).map(|digest| digest.to_string());
        let wrong = |at: usize, claim: &Claim| match (&sealed, &places) {
            (None, _) => Some("is not there".to_owned()),
            (Some(found), _) if *found != claim.sha256 => Some(format!("has SHA-256 {found}, not {}", claim.sha256)),
            (_, None) => Some("is not JSON, or larger than is read".to_owned()),
            (_, Some(places)) if !places[at] => Some("has no such place".to_owned()),
            _ => None,
        };
        let broken = claims.iter().enumerate().filter_map(|(at, claim)| Some((claim, wrong(at, claim)?)));
        broken
            .map(|(claim, why)| {
                let message = format!("cites {artifact}#{}: the file {why}", claim.pointer);
                Problem::new(Kind::CitationBroken, &claim.by, message).about(artifact)
            })
            .collect()
    }

    /// Problems of the documents themselves.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_results_and_verdict_files_make_claims() {
        assert!(is_document("results.json") && is_document("verdicts/canonical.json"));
        assert!(is_document("rejudged/0123456789ab/canonical.json") && !is_document("rejudged/canonical.json"));
        assert!(!is_document("verdicts/a/b.json") && !is_document("plan.json") && !is_document("verdictsx/a.json"));
    }

    #[test]
    fn a_cell_without_verdict_may_only_be_indeterminate() {
        for (verdict, problems) in [("indeterminate", 0), ("pass", 1)] {
            let mut claims = Claims::within(MAX_DOCUMENT);
            let head = r#""run":"r","study":"s","grade":"rehearsal","plan_digest":"","deviations":[]"#;
            let text = format!(r#"{{"cells":[{{"id":"canonical-1","verdict":"{verdict}"}}],{head}}}"#);
            claims.document(RESULTS, text.as_bytes());
            claims.settle(&[]);
            assert_eq!(claims.into_problems().len(), problems, "{verdict}");
        }
    }

    #[test]
    fn digest_and_pointer_are_both_read_again() {
        let bytes = br#"{"a":[1]}"#;
        let digest = Digest::of(bytes);
        let mut claims = Claims::within(MAX_DOCUMENT);
        let cite = |pointer: &str, sha256: String| Cite { artifact: "t.json".into(), pointer: pointer.into(), sha256 };
        claims.cite("results.json", "", &cite("/a/0", digest.to_string()));
        assert!(claims.check("t.json", Some(bytes), Some(digest)).is_empty());
        assert_eq!(claims.check("t.json", None, None).len(), 1);
        claims.cite("results.json", "", &cite("/a/1", digest.to_string()));
        claims.cite("results.json", "", &cite("/a/0", Digest::of(b"other").to_string()));
        let messages: Vec<_> =
            claims.check("t.json", Some(bytes), Some(digest)).into_iter().map(|problem| problem.message).collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages.iter().any(|m| m.contains("no such place")), "{messages:?}");
    }
}
