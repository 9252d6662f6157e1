//! Page chains: a listing is complete only if its first page was first, its last was last and none between is lost.

use crate::findings::Findings;
use evidence::trial::Page;

/// Checks that `pages` form one chain and carry `items` items. `pointer` is that of the section that holds `pages`.
pub(super) fn check(pages: &[Page], items: usize, pointer: &str, what: &str, findings: &mut Findings) {
    let Some((first, last)) = pages.first().zip(pages.last()) else {
        findings.add(format!("{pointer}/pages"), format!("{what}: no page was read"));
        return;
    };
    let mut broken = |index: usize, why: &str| {
        findings.add(format!("{pointer}/pages/{index}"), format!("{what}: page {} {why}", index + 1));
    };
    if first.token.is_some() {
        broken(0, "was not the first of its listing");
    }
    if last.next.is_some() {
        broken(pages.len() - 1, "was not the last of its listing");
    }
    for (index, page) in pages.iter().enumerate() {
        if usize::try_from(page.number).ok() != Some(index + 1) {
            broken(index, "is numbered out of order");
        }
    }
    for (index, pair) in pages.windows(2).enumerate() {
        if pair[0].next.is_none() || pair[0].next != pair[1].token {
            broken(index + 1, "does not continue the page before it");
        }
    }
    let sum: u128 = pages.iter().map(|page| u128::from(page.items)).sum();
    findings.require(u128::try_from(items).ok() == Some(sum), || {
        (format!("{pointer}/pages"), format!("{what}: the pages carried {sum} items, {items} are in the evidence"))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u32, items: u32, token: Option<&str>, next: Option<&str>) -> Page {
        Page { number, items, token: token.map(str::to_owned), next: next.map(str::to_owned) }
    }

    fn defects(pages: &[Page], items: usize) -> Vec<String> {
        let mut findings = Findings::default();
        check(pages, items, "/x", "x", &mut findings);
        findings.names()
    }

    #[test]
    fn an_unbroken_chain_is_complete() {
        assert!(
            defects(&[page(1, 2, None, Some("a")), page(2, 0, Some("a"), Some("b")), page(3, 1, Some("b"), None)], 3)
                .is_empty()
        );
        assert!(defects(&[page(1, 0, None, None)], 0).is_empty());
    }

    #[test]
    fn every_break_is_named() {
        assert_eq!(defects(&[], 0), ["x: no page was read"]);
        assert_eq!(defects(&[page(1, 1, Some("t"), None)], 1), ["x: page 1 was not the first of its listing"]);
        assert_eq!(defects(&[page(1, 1, None, Some("t"))], 1), ["x: page 1 was not the last of its listing"]);
        assert_eq!(defects(&[page(2, 1, None, None)], 1), ["x: page 1 is numbered out of order"]);
        assert_eq!(
            defects(&[page(1, 1, None, Some("a")), page(2, 1, Some("b"), None)], 2),
            ["x: page 2 does not continue the page before it"]
        );
        assert_eq!(defects(&[page(1, 1, None, None)], 2), ["x: the pages carried 1 items, 2 are in the evidence"]);
    }
}
