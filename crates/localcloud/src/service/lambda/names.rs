//! Names, qualifiers and ARNs of functions.

use super::errors::invalid;
use crate::cloud::ACCOUNT;
use crate::error::ApiError;

/// The unpublished version.
pub(crate) const LATEST: &str = "$LATEST";

/// A function as a caller names it: by name, partial ARN or ARN, with or without a qualifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionRef {
    pub(crate) name: String,
    /// Version or alias; absent for an unqualified reference.
    pub(crate) qualifier: Option<String>,
}

impl FunctionRef {
    /// Reads `name`, `name:q`, `account:function:name[:q]` or a full ARN. A qualifier given apart must agree with
    /// one inside the name.
    pub(crate) fn parse(text: &str, qualifier: Option<&str>) -> Result<Self, ApiError> {
        let tail = match text.split_once(":function:") {
            Some((head, tail)) if head.starts_with("arn:") && head.split(':').count() != 5 => {
                let _ = tail;
                return Err(malformed(text));
            }
            Some((_, tail)) => tail,
            None if text.starts_with("arn:") => return Err(malformed(text)),
            None => text,
        };
        let (name, inner) = match tail.split_once(':') {
            Some((name, inner)) => (name, Some(inner)),
            None => (tail, None),
        };
        if !is_name(name) || inner.is_some_and(|q| !is_qualifier(q)) {
            return Err(malformed(text));
        }
        let apart = qualifier.filter(|q| !q.is_empty());
        match (inner, apart) {
            (Some(a), Some(b)) if a != b => {
                Err(invalid("The derived qualifier from the function name does not match the specified qualifier."))
            }
            (a, b) => Ok(Self { name: name.to_owned(), qualifier: a.or(b).map(str::to_owned) }),
        }
    }

    /// The ARN of what was named, qualifier included.
    pub(crate) fn arn(&self, region: &str) -> String {
        match &self.qualifier {
            Some(qualifier) => format!("{}:{qualifier}", function_arn(region, &self.name)),
            None => function_arn(region, &self.name),
        }
    }
}

/// The unqualified ARN of a function.
pub(crate) fn function_arn(region: &str, name: &str) -> String {
    format!("arn:aws:lambda:{region}:{ACCOUNT}:function:{name}")
}

fn malformed(text: &str) -> ApiError {
    ApiError::bad(
        "ValidationException",
        format!(
            "1 validation error detected: Value '{text}' at 'functionName' failed to satisfy constraint: Member must \
             satisfy the pattern of a function name or ARN"
        ),
    )
}

/// Whether a text can name a function: 1–64 letters, digits, `-`, `_`.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

fn is_qualifier(text: &str) -> bool {
    text == LATEST || is_name(text) || text.len() <= 128 && !text.is_empty() && text.split('-').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, qualifier: Option<&str>) -> (String, Option<String>) {
        let found = FunctionRef::parse(text, qualifier).unwrap();
        (found.name, found.qualifier)
    }

    #[test]
    fn every_form_of_a_reference() {
        assert_eq!(parsed("f", None), ("f".into(), None));
        assert_eq!(parsed("f:7", None), ("f".into(), Some("7".into())));
        assert_eq!(parsed("000000000000:function:f", Some("live")), ("f".into(), Some("live".into())));
        assert_eq!(
            parsed("arn:aws:lambda:us-east-1:000000000000:function:f:$LATEST", None),
            ("f".into(), Some(LATEST.into()))
        );
    }

    #[test]
    fn contradicting_qualifiers_and_bad_names() {
        assert_eq!(FunctionRef::parse("f:1", Some("2")).unwrap_err().code, "InvalidParameterValueException");
        for bad in ["", "a b", "arn:aws:sqs:us-east-1:000000000000:q", "f:1:2"] {
            assert_eq!(FunctionRef::parse(bad, None).unwrap_err().code, "ValidationException", "{bad}");
        }
    }
}
