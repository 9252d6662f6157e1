//! Listings: every page, or no listing.

use super::outcome::Failure;
use evidence::trial::Page;
use sha2::{Digest, Sha256};

/// Most pages that one listing may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCap(pub u32);

impl Default for PageCap {
    /// 100,000 resources of the tag index, and as many again.
    fn default() -> Self {
        Self(2_000)
    }
}

/// A whole listing with the pages that it came on.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing<T> {
    /// Items in the service's order.
    pub items: Vec<T>,
    /// Pages in order, tokens hashed.
    pub pages: Vec<Page>,
}

impl<T> Listing<T> {
    /// Turns each item into another.
    pub fn map<U>(self, act: impl FnMut(T) -> U) -> Listing<U> {
        Listing { items: self.items.into_iter().map(act).collect(), pages: self.pages }
    }

    /// Number of pages read.
    #[must_use]
    pub fn page_count(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }
}

/// SHA-256 of a continuation token, lower-case hex.
#[must_use]
pub(super) fn token_digest(token: &str) -> String {
    hex::encode(Sha256::digest(token.as_bytes()))
}

/// Reads pages until the service gives no further token. An empty token ends the listing like an absent one; an
/// empty page with a token does not. A token that comes back, or the page cap, leaves the listing unknown.
pub(super) async fn pages<T, F, Fut>(operation: &str, cap: PageCap, mut fetch: F) -> Result<Listing<T>, Failure>
where
    F: FnMut(Option<String>) -> Fut,
    Fut: Future<Output = Result<(Vec<T>, Option<String>), Failure>>,
{
    let mut listing = Listing { items: Vec::new(), pages: Vec::new() };
    let mut token: Option<String> = None;
    for number in 1..=cap.0 {
        let (items, next) = fetch(token.clone()).await?;
        let next = next.filter(|next| !next.is_empty());
        listing.pages.push(Page {
            number,
            items: u32::try_from(items.len()).unwrap_or(u32::MAX),
            token: token.as_deref().map(token_digest),
            next: next.as_deref().map(token_digest),
        });
        listing.items.extend(items);
        let Some(next) = next else { return Ok(listing) };
        let digest = token_digest(&next);
        if listing.pages.iter().any(|page| page.token.as_deref() == Some(digest.as_str())) {
            return Err(Failure::unknown(operation, format!("the service repeated a page token after page {number}")));
        }
        token = Some(next);
    }
    Err(Failure::unknown(operation, format!("more than {} pages, which is the page cap", cap.0)))
}

#[cfg(test)]
mod tests {
    use super::{Failure, PageCap, pages, token_digest};

    async fn walk(answers: &[(&[u32], Option<&str>)], cap: u32) -> Result<super::Listing<u32>, Failure> {
        let mut answers = answers.iter();
        pages("List", PageCap(cap), |_| {
            let (items, next) = answers.next().expect("no further call");
            let answer = (items.to_vec(), next.map(Into::into));
            async { Ok(answer) }
        })
        .await
    }

    #[tokio::test]
    async fn empty_pages_go_on_and_empty_tokens_end() {
        let listing = walk(&[(&[1], Some("a")), (&[], Some("b")), (&[2], Some(""))], 9).await.expect("a listing");
        assert_eq!(listing.items, [1, 2]);
        assert_eq!(listing.pages.len(), 3);
        assert_eq!(listing.pages[1].token, Some(token_digest("a")));
        assert_eq!(listing.pages[0].next, listing.pages[1].token);
        assert_eq!((listing.pages[0].token.clone(), listing.pages[2].next.clone()), (None, None));
    }

    #[tokio::test]
    async fn the_cap_is_unknown_and_never_a_short_list() {
        let error = walk(&[(&[1], Some("a")), (&[2], Some("b"))], 2).await.expect_err("capped");
        assert!(matches!(&error, Failure::Unknown(d) if d.reason.contains("page cap")), "{error}");
    }

    #[tokio::test]
    async fn a_repeated_token_is_unknown() {
        let error = walk(&[(&[1], Some("a")), (&[2], Some("b")), (&[3], Some("a"))], 9).await.expect_err("loop");
        assert!(matches!(&error, Failure::Unknown(d) if d.reason.contains("repeated")), "{error}");
    }
}
