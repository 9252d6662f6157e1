//! Pages of a listing.

use super::template::invalid;
use crate::error::ApiError;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// One page of `items` under the member `name`. `anchor` says what is listed, so that a token of another listing
/// is refused. The token names the last item shown by its number from the oldest, so that items that are added
/// at the front do not shift later pages.
pub(crate) fn page(
    name: &str,
    anchor: &str,
    token: Option<&str>,
    items: Vec<Value>,
    size: usize,
) -> Result<Value, ApiError> {
    let left = match token {
        Some(token) => read(token, anchor).filter(|left| *left <= items.len()).ok_or_else(|| refused(token))?,
        None => items.len(),
    };
    let start = items.len() - left;
    let shown: Vec<Value> = items.into_iter().skip(start).take(size).collect();
    let rest = left - shown.len();
    let next = (rest > 0).then(|| URL_SAFE_NO_PAD.encode(format!("{rest}:{anchor}")));
    Ok(json!({ name: shown, "NextToken": next }))
}

fn read(token: &str, anchor: &str) -> Option<usize> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (left, found) = text.split_once(':')?;
    (found == anchor).then(|| left.parse().ok())?
}

fn refused(token: &str) -> ApiError {
    invalid(format!("Invalid NextToken {token}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(range: std::ops::Range<u32>) -> Vec<Value> {
        range.rev().map(Value::from).collect()
    }

    #[test]
    fn pages_join_to_the_whole_and_new_items_do_not_shift_them() {
        let first = page("Items", "s", None, numbers(0..5), 2).unwrap();
        assert_eq!(first["Items"], json!([4, 3]));
        let token = first["NextToken"].as_str();
        let second = page("Items", "s", token, numbers(0..7), 2).unwrap();
        assert_eq!(second["Items"], json!([2, 1]));
        let last = page("Items", "s", second["NextToken"].as_str(), numbers(0..7), 2).unwrap();
        assert_eq!(last, json!({ "Items": [0], "NextToken": null }));
    }

    #[test]
    fn tokens_of_other_listings_are_refused() {
        let first = page("Items", "s", None, numbers(0..5), 2).unwrap();
        assert!(page("Items", "t", first["NextToken"].as_str(), numbers(0..5), 2).is_err());
        assert!(page("Items", "s", Some("%%"), numbers(0..5), 2).is_err());
    }
}
