//! Defects of the evidence, each with a name and a place.

/// Most findings kept; a file full of nonsense must not make a verdict file without end.
const KEPT: usize = 100;

/// One thing that is missing or contradicts the rest.
pub(crate) struct Finding {
    /// RFC 6901 pointer into the trial's file.
    pub(crate) pointer: String,
    /// Section and defect, for example `ledger: read before quiescence`.
    pub(crate) what: String,
}

/// All defects found in one trial, in the order of the checks.
#[derive(Default)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    dropped: usize,
}

impl Findings {
    /// Notes a defect.
    pub(crate) fn add(&mut self, pointer: impl Into<String>, what: impl Into<String>) {
        if self.kept.len() < KEPT {
            self.kept.push(Finding { pointer: pointer.into(), what: what.into() });
        } else {
            self.dropped += 1;
        }
    }

    /// Notes a defect unless `holds`; the words are only made when needed.
    pub(crate) fn require(&mut self, holds: bool, words: impl FnOnce() -> (String, String)) {
        if !holds {
            let (pointer, what) = words();
            self.add(pointer, what);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.kept.iter()
    }

    /// The names, for the verdict's `missing`.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.kept.iter().map(|finding| finding.what.clone()).collect();
        if self.dropped > 0 {
            names.push(format!("and {} more", self.dropped));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_bounded_number_and_says_how_many_more() {
        let mut findings = Findings::default();
        for number in 0..KEPT + 7 {
            findings.add("", format!("{number}"));
        }
        let names = findings.names();
        assert_eq!(names.len(), KEPT + 1);
        assert_eq!(names.last().map(String::as_str), Some("and 7 more"));
    }
}
