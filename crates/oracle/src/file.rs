//! The verdict file: canonical JSON and a newline, made trial by trial.
//!
//! Members stand in canonical order here, so that a trial's bytes go where they belong as soon as it is judged and
//! no more than the file itself is held.

use evidence::canonical::{self, CanonicalError};
use evidence::verdict::{PackageVerdict, TrialVerdict, Verdict};
use serde::Serialize;

/// A verdict file being written.
pub struct VerdictFile {
    bytes: Vec<u8>,
    trials: usize,
}

impl VerdictFile {
    /// Everything that stands before the trials; those in `head` and its verdict are not looked at.
    ///
    /// # Errors
    /// None but for values without a canonical form, which these types exclude.
    pub fn begin(head: &PackageVerdict) -> Result<Self, CanonicalError> {
        let PackageVerdict { schema, package, oracle, stage, missing, verdict: _, trials: _ } = head;
        let mut bytes = b"{".to_vec();
        if !missing.is_empty() {
            member(&mut bytes, "missing", missing)?;
            bytes.push(b',');
        }
        member(&mut bytes, "oracle", oracle)?;
        bytes.push(b',');
        member(&mut bytes, "package", package)?;
        bytes.push(b',');
        member(&mut bytes, "schema", schema)?;
        bytes.push(b',');
        member(&mut bytes, "stage", stage)?;
        bytes.extend_from_slice(b",\"trials\":[");
        Ok(Self { bytes, trials: 0 })
    }

    /// The canonical bytes of one trial's verdict. Its members stand in canonical order already, and its numbers are
    /// integers that [`crate::trial`] keeps within ±(2^53 − 1), so plain JSON is canonical JSON.
    ///
    /// # Errors
    /// None, which the type does not tell.
    pub fn trial(trial: &TrialVerdict) -> Result<Vec<u8>, CanonicalError> {
        Ok(serde_json::to_vec(trial)?)
    }

    /// Adds a trial's bytes.
    pub fn push(&mut self, trial: &[u8]) {
        if self.trials > 0 {
            self.bytes.push(b',');
        }
        self.trials += 1;
        self.bytes.extend_from_slice(trial);
    }

    /// The whole file.
    ///
    /// # Errors
    /// As [`VerdictFile::begin`].
    pub fn end(mut self, verdict: Verdict) -> Result<Vec<u8>, CanonicalError> {
        self.bytes.extend_from_slice(b"],");
        member(&mut self.bytes, "verdict", &verdict)?;
        self.bytes.extend_from_slice(b"}\n");
        Ok(self.bytes)
    }
}

/// `"name":value`
fn member(bytes: &mut Vec<u8>, name: &str, value: &impl Serialize) -> Result<(), CanonicalError> {
    bytes.extend_from_slice(format!("\"{name}\":").as_bytes());
    bytes.extend(canonical::to_vec(value)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::{Place, unread};
    use crate::{Artifact, oracle_id};

    #[test]
    fn is_the_canonical_form_of_the_whole() {
        for (missing, count) in [(Vec::new(), 0), (vec!["a \"quoted\" thing".to_owned()], 2)] {
            let artifact = Artifact { path: "trials/x.json", sha256: "" };
            let trial = unread(artifact, Place { id: "x", number: 1, stage: "probe" }, "gone");
            let verdict = PackageVerdict {
                schema: evidence::verdict::SCHEMA.to_owned(),
                package: "0".repeat(64),
                oracle: oracle_id(),
                stage: "probe".to_owned(),
                verdict: Verdict::Indeterminate,
                trials: vec![trial; count],
                missing,
            };
            let mut file = VerdictFile::begin(&verdict).unwrap();
            verdict.trials.iter().for_each(|trial| file.push(&VerdictFile::trial(trial).unwrap()));
            assert_eq!(file.end(verdict.verdict).unwrap(), canonical::to_line(&verdict).unwrap());
        }
    }
}
