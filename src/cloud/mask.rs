//! Masks secrets in text that people or files will see.

const MASK: &str = "****";

/// Text with access key ids, secret access keys, session tokens and account ids masked. Digests (hexadecimal) and
/// request ids (hyphenated) stay as they are.
#[must_use]
pub fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            out.push(first);
            before = Some(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, tail) = rest.split_at(length);
        mask_word(word, before, tail.chars().next(), &mut out);
        before = word.chars().next_back();
        rest = tail;
    }
    out
}

/// Characters of base64, in which keys and tokens are written.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '/' | '+' | '=')
}

fn mask_word(word: &str, before: Option<char>, after: Option<char>, out: &mut String) {
    for pair in word.split_inclusive('=') {
        let value = pair.trim_end_matches('=');
        if is_secret(value) {
            out.push_str(MASK);
            out.push_str(&pair[value.len()..]);
            continue;
        }
        for part in pair.split_inclusive(['/', '=']) {
            let bare = part.trim_end_matches(['/', '=']);
            out.push_str(if is_part(bare, before, after) { MASK } else { bare });
            out.push_str(&part[bare.len()..]);
        }
    }
}

fn is_part(word: &str, before: Option<char>, after: Option<char>) -> bool {
    is_access_key_id(word) || is_account(word, before, after)
}

/// AKIA… (long-term), ASIA… (temporary), 20 characters (IAM guide, unique identifiers).
fn is_access_key_id(word: &str) -> bool {
    (word.starts_with("AKIA") || word.starts_with("ASIA"))
        && word.len() >= 16
        && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// A secret access key has 40 characters of base64, a session token hundreds. Hexadecimal is a digest.
fn is_secret(word: &str) -> bool {
    let bare = word;
    let mixed = bare.bytes().any(|b| b.is_ascii_uppercase()) && bare.bytes().any(|b| b.is_ascii_lowercase());
    let digits = bare.bytes().any(|b| b.is_ascii_digit());
    let path = word.starts_with('/') || bare.matches('/').count() > bare.len() / 10;
    mixed && digits && ((bare.len() == 40 && !path) || bare.len() >= 100)
}

/// Twelve digits on their own or inside an ARN; the tail of a hyphenated id is not an account.
fn is_account(word: &str, before: Option<char>, after: Option<char>) -> bool {
    word.len() == 12 && word.bytes().all(|b| b.is_ascii_digit()) && before != Some('-') && after != Some('-')
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn secrets_are_masked() {
        for (text, masked) in [
            ("key AKIAIOSFODNN7EXAMPLE used", "key **** used"),
            ("AccessKeyId=ASIAIOSFODNN7EXAMPLE", "AccessKeyId=****"),
            ("secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "secret ****"),
            ("secret=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "secret=****"),
            ("SecretAccessKey=\"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\"", "SecretAccessKey=\"****\""),
            ("arn:aws:iam::123456789012:role/x is not", "arn:aws:iam::****:role/x is not"),
            ("account 123456789012", "account ****"),
        ] {
            assert_eq!(mask(text), masked);
        }
        let token = format!("token IQoJb3JpZ2luX2VjE{}9Z== end", "aB3xyz+Qz".repeat(20));
        assert_eq!(mask(&token), "token ****== end");
    }

    #[test]
    fn digests_and_ids_stay() {
        for text in [
            "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "request 8f14e45f-ceea-467f-a0b1-123456789012",
            "arn:aws:cloudformation:us-east-1::type/resource/AWS-SQS-Queue",
            "https://127.0.0.1:4566/assay-20261130t200102-3fa9-requests.fifo",
            "at 1764532431123 ms",
            "/home/user/some/long/path/Of/Files/With/Names/AndNumber1",
        ] {
            assert_eq!(mask(text), text);
        }
    }
}
