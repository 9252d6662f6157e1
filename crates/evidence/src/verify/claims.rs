//! What verdict files and results claim about sealed bytes: every citation is read again, every verdict must quote a
//! package that is there, and results must say what the verdict says.

use crate::{
    digest::Digest,
    problem::{Kind, Problem},
    verdict::{Cite, PackageVerdict},
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// File name of a run's results.
pub(super) const RESULTS: &str = "results.json";
/// Folder of a run's verdict files.
pub(super) const VERDICTS: &str = "verdicts";
/// Largest document or cited artifact that is read, bytes.
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
#[derive(Debug, Default)]
pub(super) struct Claims {
    verdicts: BTreeMap<String, PackageVerdict>,
    results: Option<Value>,
    about: BTreeMap<String, BTreeSet<Claim>>,
    problems: Vec<Problem>,
}

/// Whether a file of a run makes claims.
pub(super) fn is_document(path: &str) -> bool {
    let verdict = path.strip_prefix(VERDICTS).and_then(|rest| rest.strip_prefix('/'));
    path == RESULTS || verdict.is_some_and(|name| name.ends_with(".json") && !name.contains('/'))
}

impl Claims {
    /// Takes a document in; one that cannot be read is a problem.
    pub(super) fn document(&mut self, path: &str, bytes: &[u8]) {
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
            match packages.iter().find(|(_, identity)| identity.to_string() == verdict.package) {
                Some((folder, _)) => {
                    let decisive = verdict.trials.iter().flat_map(|trial| &trial.rules).flat_map(|rule| &rule.decisive);
                    decisive.for_each(|cite| self.cite(path, &format!("packages/{folder}/"), cite));
                }
                None => self.broken(path, format!("judges package {}, which is not there", verdict.package)),
            }
        }
        if let Some(results) = self.results.take() {
            self.results(&results, verdicts.get(&format!("{VERDICTS}/{CELLS_PACKAGE}.json")));
        }
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
    }

    /// A cell repeats what the verdict says of its trial, word for word.
    fn compare(&mut self, n: usize, cell: &Value, verdict: Option<&PackageVerdict>) {
        let id = cell.get("id").and_then(Value::as_str).unwrap_or_default();
        let trial = verdict.and_then(|verdict| verdict.trials.iter().find(|trial| trial.trial == id));
        let Some(trial) = trial.and_then(|trial| serde_json::to_value(trial).ok()) else {
            // A cell without a verdict may only say that nothing is proven.
            if cell.get("verdict").and_then(Value::as_str) != Some("indeterminate") {
                self.broken(RESULTS, format!("/cells/{n} has a verdict on trial {id:?} that no verdict file holds"));
            }
            return;
        };
        for member in REPEATED.iter().filter(|member| cell.get(**member) != trial.get(**member)) {
            self.broken(RESULTS, format!("/cells/{n}/{member} is not what the verdict on trial {id} says"));
        }
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
        let value: Option<Value> = bytes.and_then(|bytes| serde_json::from_slice(bytes).ok());
        let sealed = sealed.map(|digest| digest.to_string());
        let wrong = |claim: &Claim| match (&sealed, &value) {
            (None, _) => Some("is not there".to_owned()),
            (Some(found), _) if *found != claim.sha256 => Some(format!("has SHA-256 {found}, not {}", claim.sha256)),
            (_, None) => Some("is not JSON, or larger than is read".to_owned()),
            (_, Some(value)) if value.pointer(&claim.pointer).is_none() => Some("has no such place".to_owned()),
            _ => None,
        };
        let claims = self.about.get(artifact).into_iter().flatten();
        let broken = claims.filter_map(|claim| Some((claim, wrong(claim)?)));
        broken
            .map(|(claim, why)| {
                let message = format!("cites {artifact}#{}: the file {why}", claim.pointer);
                Problem::new(Kind::CitationBroken, &claim.by, message)
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
        assert!(!is_document("verdicts/a/b.json") && !is_document("plan.json") && !is_document("verdictsx/a.json"));
    }

    #[test]
    fn a_cell_without_verdict_may_only_be_indeterminate() {
        for (verdict, problems) in [("indeterminate", 0), ("pass", 1)] {
            let mut claims = Claims::default();
            let text = format!(r#"{{"cells":[{{"id":"canonical-1","verdict":"{verdict}"}}]}}"#);
            claims.document(RESULTS, text.as_bytes());
            claims.settle(&[]);
            assert_eq!(claims.into_problems().len(), problems, "{verdict}");
        }
    }

    #[test]
    fn digest_and_pointer_are_both_read_again() {
        let bytes = br#"{"a":[1]}"#;
        let digest = Digest::of(bytes);
        let mut claims = Claims::default();
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
