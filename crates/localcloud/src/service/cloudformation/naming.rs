//! Physical names that CloudFormation makes up.

/// How the random part of a name looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Letters and digits as they come.
    Mixed,
    /// All of the name in lower case, as buckets need it.
    Lower,
}

const RANDOM_LENGTH: usize = 12;

/// `<stack>-<logical id>-<random>`, cut to `limit` characters; the random part is never cut.
pub(crate) fn physical_name(stack: &str, logical_id: &str, uuid: &str, limit: usize, case: Case) -> String {
    let room = limit.saturating_sub(RANDOM_LENGTH + 2);
    let (stack, logical_id) = share(stack, logical_id, room);
    let name = format!("{stack}-{logical_id}-{}", random(uuid));
    match case {
        Case::Mixed => name,
        Case::Lower => name.to_ascii_lowercase(),
    }
}

/// Cuts the longer of the two first, so that both stay recognisable.
fn share<'a>(stack: &'a str, logical_id: &'a str, room: usize) -> (&'a str, &'a str) {
    if stack.len() + logical_id.len() <= room {
        return (stack, logical_id);
    }
    let half = room / 2;
    let stack_room =
        if logical_id.len() < half { room - logical_id.len() } else { half.max(room.saturating_sub(logical_id.len())) };
    let stack = stack.get(..stack_room.min(stack.len())).unwrap_or(stack);
    let logical_room = room.saturating_sub(stack.len());
    (stack, logical_id.get(..logical_room.min(logical_id.len())).unwrap_or(logical_id))
}

/// Letters and digits out of a random UUID.
fn random(uuid: &str) -> String {
    const ALPHABET: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let digits: Vec<u32> = uuid.chars().filter_map(|c| c.to_digit(16)).collect();
    let pick = |pair: &[u32]| {
        let number = pair.iter().fold(0, |sum, digit| sum * 16 + digit) as usize;
        char::from(ALPHABET[number % ALPHABET.len()])
    };
    digits.chunks(2).take(RANDOM_LENGTH).map(pick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UUID: &str = "6f1c2b3a-4d5e-4f60-8a7b-9c0d1e2f3a4b";

    #[test]
    fn short_names_are_whole() {
        let name = physical_name("demo", "Queue", UUID, 80, Case::Mixed);
        assert!(name.starts_with("demo-Queue-") && name.len() == "demo-Queue-".len() + 12, "{name}");
        assert_eq!(physical_name("Demo", "Bucket", UUID, 63, Case::Lower), name_lower());
    }

    fn name_lower() -> String {
        format!("demo-bucket-{}", random(UUID).to_ascii_lowercase())
    }

    proptest! {
        #[test]
        fn names_keep_to_the_limit(stack in "[a-zA-Z][a-zA-Z0-9-]{0,127}", logical in "[A-Za-z0-9]{1,200}", limit in 20_usize..255) {
            let name = physical_name(&stack, &logical, UUID, limit, Case::Mixed);
            prop_assert!(name.len() <= limit);
            prop_assert!(name.ends_with(&random(UUID)));
        }
    }
}
