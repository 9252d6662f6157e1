//! The text of `Fn::Sub`, cut into its pieces.

use super::invalid;
use crate::error::ApiError;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Kept as it is.
    Text(String),
    /// The name between `${` and `}`.
    Variable(String),
}

/// Cuts the text at its variables; `${!Name}` is the literal `${Name}`.
pub(crate) fn pieces(text: &str) -> Result<Vec<Piece>, ApiError> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let name = &rest[start + 2..start + length];
        literal.push_str(&rest[..start]);
        rest = &rest[start + length + 1..];
        if let Some(kept) = name.strip_prefix('!') {
            literal.push_str(&format!("${{{kept}}}"));
            continue;
        }
        check_name(name)?;
        if !literal.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut literal)));
        }
        pieces.push(Piece::Variable(name.to_owned()));
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        pieces.push(Piece::Text(literal));
    }
    Ok(pieces)
}

fn check_name(name: &str) -> Result<(), ApiError> {
    let ok = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    if !name.is_empty() && name.chars().all(ok) {
        return Ok(());
    }
    Err(invalid(format!(
        "Template error: variable names in Fn::Sub syntax must contain only alphanumeric characters, underscores, \
         periods, and colons; found ${{{name}}}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_variables_and_keeps_escapes() {
        let cut = pieces("a-${B}-${!C}-${D.E}").unwrap();
        let text = |s: &str| Piece::Text(s.to_owned());
        let variable = |s: &str| Piece::Variable(s.to_owned());
        assert_eq!(cut, [text("a-"), variable("B"), text("-${C}-"), variable("D.E")]);
    }

    #[test]
    fn an_open_brace_stays_text() {
        assert_eq!(pieces("cost ${").unwrap(), [Piece::Text("cost ${".to_owned())]);
    }

    #[test]
    fn refuses_other_characters() {
        assert!(pieces("${a b}").unwrap_err().message.contains("Fn::Sub"));
    }
}
