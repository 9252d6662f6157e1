//! Which file names a package, draft or archive may hold: those that mean the same file on every system.

use std::collections::HashMap;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// Longest path, bytes.
pub const MAX_PATH: usize = 240;
/// Most folders above a file.
pub const MAX_DEPTH: usize = 16;

/// A name that is refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} {reason}")]
pub struct NameError {
    /// The name as given.
    pub name: String,
    /// Continues the sentence that begins with the name.
    pub reason: String,
}

fn refuse<T>(name: &str, reason: impl Into<String>) -> Result<T, NameError> {
    Err(NameError { name: name.to_owned(), reason: reason.into() })
}

/// Checks a relative path with `/` between its parts.
///
/// # Errors
/// The first reason why the path is unsafe or means different files on different systems.
pub fn check_path(path: &str) -> Result<(), NameError> {
    if path.is_empty() {
        return refuse(path, "is empty");
    }
    if path.len() > MAX_PATH {
        return refuse(path, format!("is longer than {MAX_PATH} bytes"));
    }
    if path.starts_with('/') {
        return refuse(path, "is an absolute path");
    }
    if path.contains('\\') {
        return refuse(path, "contains a backslash, which separates folders on some systems");
    }
    if path.as_bytes().get(1) == Some(&b':') {
        return refuse(path, "begins with a drive letter");
    }
    if path.split('/').count() > MAX_DEPTH + 1 {
        return refuse(path, format!("is more than {MAX_DEPTH} folders deep"));
    }
    path.split('/').try_for_each(|part| check_part(path, part))
}

/// Checks one name without folders: a package's name, a run id.
///
/// # Errors
/// As [`check_path`].
pub fn check_single(name: &str) -> Result<(), NameError> {
    if name.contains('/') {
        return refuse(name, "contains a slash");
    }
    check_path(name)
}

fn check_part(path: &str, part: &str) -> Result<(), NameError> {
    match part {
        "" => return refuse(path, "has an empty part"),
        "." => return refuse(path, "contains a `.` part"),
        ".." => return refuse(path, "contains `..`, which leads out of the folder"),
        _ => {}
    }
    if part.starts_with('.') {
        return refuse(path, "has a hidden part (leading dot)");
    }
    if part.ends_with('.') {
        return refuse(path, "has a part that ends in a dot, which some systems drop");
    }
    match part.chars().find(|c| !allowed(*c)) {
        None => Ok(()),
        Some('\0') => refuse(path, "contains a NUL byte"),
        Some('~') => refuse(path, "contains `~`, which shells expand"),
        Some(c) if c.is_control() => refuse(path, "contains a control character"),
        Some(c) if c.is_ascii() => refuse(path, format!("contains {c:?}; allowed are A-Z a-z 0-9 . _ - and /")),
        Some(_) if !is_nfc(path) => refuse(
            path,
            "is not in Unicode normalisation form C: systems disagree on which file it means; use ASCII names",
        ),
        Some(_) => refuse(
            path,
            "is not ASCII: under another Unicode normalisation the same name is another file; use ASCII names",
        ),
    }
}

fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// What two names share if some system takes them for one: NFC, then lower case.
#[must_use]
pub fn fold(name: &str) -> String {
    if name.is_ascii() { name.to_ascii_lowercase() } else { name.nfc().collect::<String>().to_lowercase() }
}

/// Says how two different names collide, if they do.
#[must_use]
pub fn collision(a: &str, b: &str) -> Option<&'static str> {
    if a == b || fold(a) != fold(b) {
        None
    } else if a.nfc().eq(b.nfc()) {
        Some("only in Unicode normalisation")
    } else {
        Some("only in upper and lower case")
    }
}

/// A growing set of paths in which no two collide.
#[derive(Clone, Debug, Default)]
pub struct NameSet {
    /// By folded path; folders too, since those collide as well. The path itself only where folding changed it:
    /// most paths are their own folded form, and the set may hold 100,000 of them.
    seen: HashMap<String, (Option<String>, bool)>,
}

impl NameSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a path without asking whether the path is safe by itself.
    ///
    /// # Errors
    /// The path is there already, differs from another only in case or normalisation, or is a file where
    /// another path has a folder.
    pub fn insert(&mut self, path: &str) -> Result<(), NameError> {
        let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        for folder in parents {
            self.insert_one(folder, true)?;
        }
        self.insert_one(path, false)
    }

    fn insert_one(&mut self, path: &str, folder: bool) -> Result<(), NameError> {
        let folded = fold(path);
        let Some((other, other_folder)) = self.seen.get(&folded) else {
            let original = (folded != path).then(|| path.to_owned());
            self.seen.insert(folded, (original, folder));
            return Ok(());
        };
        let other = other.as_ref().unwrap_or(&folded);
        if let Some(how) = collision(path, other) {
            return refuse(path, format!("differs from {other:?} {how}"));
        }
        match (folder, other_folder) {
            (true, true) => Ok(()),
            (false, false) => refuse(path, "is there twice"),
            _ => refuse(path, "is a file and a folder at once"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_fine() {
        for path in ["stage.json", "trials/canonical-1.json", "a/b/c_d.E-9", "x..y", "-a"] {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn unsafe_names_are_refused_with_the_reason() {
        let cases = [
            ("", "is empty"),
            ("../x", "contains `..`"),
            ("a/../../x", "contains `..`"),
            ("/etc/passwd", "absolute"),
            ("C:\\x", "backslash"),
            ("C:x", "drive letter"),
            ("a\\b", "backslash"),
            ("a\0b", "NUL"),
            ("a\nb", "control character"),
            ("a\u{7f}", "control character"),
            ("a\u{85}", "control character"),
            ("~/x", "`~`"),
            ("a//b", "empty part"),
            ("a/", "empty part"),
            ("a/./b", "`.` part"),
            (".draft-x", "hidden"),
            ("a./b", "ends in a dot"),
            ("a b", "allowed are"),
            ("caf\u{e9}", "normalisation"),
            ("cafe\u{301}", "normalisation form C"),
        ];
        for (path, reason) in cases {
            let error = check_path(path).unwrap_err().to_string();
            assert!(error.contains(reason), "{path:?}: {error}");
        }
        assert!(check_path(&"a".repeat(MAX_PATH + 1)).is_err());
        assert!(check_path(&["a"; MAX_DEPTH + 2].join("/")).is_err());
        assert!(check_single("a/b").is_err());
    }

    #[test]
    fn colliding_names_are_refused() {
        let cases = [
            ("a/x.json", "A/y.json", "upper and lower case"),
            ("Trial.json", "trial.json", "upper and lower case"),
            ("caf\u{e9}", "cafe\u{301}", "normalisation"),
            ("a", "a", "twice"),
            ("a", "a/b", "a file and a folder"),
            ("a/b", "a", "a file and a folder"),
        ];
        for (first, second, reason) in cases {
            let mut set = NameSet::new();
            set.insert(first).unwrap();
            let error = set.insert(second).unwrap_err().to_string();
            assert!(error.contains(reason), "{first} {second}: {error}");
        }
    }

    #[test]
    fn neighbours_do_not_collide() {
        let mut set = NameSet::new();
        for path in ["a/b", "a/c", "a-b", "ab"] {
            assert_eq!(set.insert(path), Ok(()));
        }
    }
}
