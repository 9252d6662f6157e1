//! Versions of the formats: `family/number`, for example `assay.package/1`.

/// Versions of one format that this code reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readable {
    /// Name before the slash.
    pub family: &'static str,
    /// Oldest version read.
    pub oldest: u32,
    /// Newest version read, which is also the one written.
    pub newest: u32,
}

/// Why a file cannot be read by this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Not `family/number`, or another family.
    #[error("schema {found:?} is not a version of {family}")]
    NotThisFormat {
        /// As found.
        found: String,
        /// As expected.
        family: &'static str,
    },
    /// Written by an older program than this one still reads.
    #[error("{found} is too old: this program reads {family}/{oldest} and later; use an older release to read it")]
    TooOld {
        /// As found.
        found: String,
        /// The format.
        family: &'static str,
        /// Oldest version read.
        oldest: u32,
    },
    /// Written by a newer program.
    #[error("{found} is too new: this program reads up to {family}/{newest}; upgrade it to read this file")]
    TooNew {
        /// As found.
        found: String,
        /// The format.
        family: &'static str,
        /// Newest version read.
        newest: u32,
    },
}

impl Readable {
    /// The schema string that a writer puts into new files.
    #[must_use]
    pub fn current(&self) -> String {
        format!("{}/{}", self.family, self.newest)
    }
}

/// The version number in `schema`, if `readable` covers it.
///
/// # Errors
/// [`Unreadable`]: too old, too new, or not this format at all.
pub fn check_readable_by(schema: &str, readable: &Readable) -> Result<u32, Unreadable> {
    let Readable { family, oldest, newest } = *readable;
    let found = schema.to_owned();
    let number = schema.strip_prefix(family).and_then(|rest| rest.strip_prefix('/')).and_then(canonical_number);
    match number {
        None => Err(Unreadable::NotThisFormat { found, family }),
        Some(n) if n < oldest => Err(Unreadable::TooOld { found, family, oldest }),
        Some(n) if n > newest => Err(Unreadable::TooNew { found, family, newest }),
        Some(n) => Ok(n),
    }
}

fn canonical_number(text: &str) -> Option<u32> {
    text.parse::<u32>().ok().filter(|n| n.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Readable = Readable { family: "assay.package", oldest: 2, newest: 4 };

    #[test]
    fn fine_too_old_too_new() {
        assert_eq!(check_readable_by("assay.package/2", &FORMAT), Ok(2));
        assert_eq!(check_readable_by("assay.package/4", &FORMAT), Ok(4));
        let old = check_readable_by("assay.package/1", &FORMAT).unwrap_err();
        assert!(old.to_string().contains("too old"), "{old}");
        let new = check_readable_by("assay.package/5", &FORMAT).unwrap_err();
        assert!(new.to_string().contains("too new"), "{new}");
    }

    #[test]
    fn anything_else_is_another_format() {
        for schema in
            ["", "assay.package", "assay.package/", "assay.package/03", "assay.package/+3", "assay.stage/3", "x"]
        {
            let error = check_readable_by(schema, &FORMAT).unwrap_err();
            assert!(matches!(error, Unreadable::NotThisFormat { .. }), "{schema}: {error}");
        }
    }

    #[test]
    fn writers_write_the_newest() {
        assert_eq!(FORMAT.current(), "assay.package/4");
    }
}
