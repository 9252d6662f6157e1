//! Words that cannot be attribute names in an expression without a `#placeholder`.

/// "Reserved words in DynamoDB" (developer guide), in order.
const WORDS: &str = include_str!("reserved.txt");

/// Whether a name is reserved; case does not matter.
pub(super) fn is_reserved(name: &str) -> bool {
    // The list has 573 words; names in expressions are few.
    WORDS.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::{WORDS, is_reserved};

    #[test]
    fn the_list_is_whole_and_in_order() {
        let words: Vec<_> = WORDS.split_ascii_whitespace().collect();
        assert_eq!(words.len(), 573);
        assert!(words.is_sorted());
        assert!(is_reserved("status") && is_reserved("Name") && !is_reserved("trial"));
    }
}
