//! What operations share in reading their input and in handing out pages.

use crate::error::ApiError;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads an operation's input; `code` is what the service calls input that does not fit.
pub(crate) fn read<T: DeserializeOwned>(input: Value, code: &str) -> Result<T, ApiError> {
    serde_json::from_value(input).map_err(|error| ApiError::bad(code, format!("the input does not fit: {error}")))
}

/// A token that stands for where a page ended; opaque to clients.
pub(crate) fn token(parts: &[&str]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Value::from(parts).to_string())
}

/// The parts of a [`token`], if it is one.
pub(crate) fn open_token<const N: usize>(token: &str) -> Option<[String; N]> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).ok()?;
    serde_json::from_slice::<Vec<String>>(&bytes).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_and_others_do_not() {
        assert_eq!(open_token::<2>(&token(&["a", "ü"])), Some(["a".to_owned(), "ü".to_owned()]));
        assert_eq!(open_token::<1>(&token(&["a", "b"])), None);
        assert_eq!(open_token::<1>("%%%"), None);
    }
}
