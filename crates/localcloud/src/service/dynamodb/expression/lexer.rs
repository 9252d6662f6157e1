//! Text to tokens.

/// Bytes of an expression (service quota "Expression string length").
pub(super) const MAX_BYTES: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A bare name, a keyword or a function.
    Word(&'a str),
    /// `#name`.
    Name(&'a str),
    /// `:value`.
    Value(&'a str),
    /// Digits, an index of a list.
    Index(&'a str),
    /// An operator or a bracket.
    Symbol(&'a str),
}

impl<'a> Token<'a> {
    pub(super) fn text(&self) -> &'a str {
        match self {
            Self::Word(text) | Self::Name(text) | Self::Value(text) | Self::Index(text) | Self::Symbol(text) => text,
        }
    }
}

/// The tokens of an expression, or the text that is none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, &str> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = token(rest, first).ok_or(rest)?;
        out.push(token);
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(out)
}

fn token(rest: &str, first: char) -> Option<(Token<'_>, usize)> {
    let run = |from: usize| {
        let tail = rest.get(from..)?;
        let length = tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(tail.len());
        (length > 0).then(|| from + length)
    };
    match first {
        '#' | ':' => {
            let end = run(1)?;
            let text = rest.get(..end)?;
            Some((if first == '#' { Token::Name(text) } else { Token::Value(text) }, end))
        }
        '0'..='9' => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            Some((Token::Index(rest.get(..end)?), end))
        }
        _ if first.is_ascii_alphabetic() || first == '_' => {
            let end = run(0)?;
            Some((Token::Word(rest.get(..end)?), end))
        }
        _ => {
            let length = if ["<>", "<=", ">="].iter().any(|symbol| rest.starts_with(symbol)) { 2 } else { 1 };
            let text = rest.get(..length)?;
            (length == 2 || "=<>().,[]+-".contains(text)).then_some((Token::Symbol(text), length))
        }
    }
}
