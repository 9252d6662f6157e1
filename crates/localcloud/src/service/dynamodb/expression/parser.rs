//! What all expressions are made of: a cursor over tokens, paths and values.

use super::super::invalid;
use super::super::value::Attr;
use super::lexer::{self, Token};
use super::path::{Path, Step};
use super::{Placeholders, Role, reserved};
use crate::error::ApiError;

/// Nesting of parentheses; the service allows 300 operators in an expression.
const MAX_DEPTH: usize = 100;

pub(super) struct Parser<'a, 'p> {
    pub(super) role: Role,
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    pub(super) placeholders: &'p mut Placeholders,
}

impl<'a, 'p> Parser<'a, 'p> {
    pub(super) fn new(role: Role, text: &'a str, placeholders: &'p mut Placeholders) -> Result<Self, ApiError> {
        let name = role.name();
        if text.trim().is_empty() {
            return Err(invalid(format!("Invalid {name}: The expression can not be empty;")));
        }
        if text.len() > lexer::MAX_BYTES {
            return Err(invalid(format!(
                "Invalid {name}: Expression size has exceeded the maximum allowed size; expression size: {}",
                text.len()
            )));
        }
        let tokens = lexer::tokens(text).map_err(|rest| {
            let near: String = rest.chars().take(10).collect();
            let token: String = rest.chars().take(1).collect();
            invalid(format!("Invalid {name}: Syntax error; token: \"{token}\", near: \"{near}\""))
        })?;
        Ok(Self { role, tokens, at: 0, depth: 0, placeholders })
    }

    pub(super) fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at)
    }

    pub(super) fn peek_second(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.at + 1)
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    /// Takes a keyword, in any case, if it is next.
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(text)) if text.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    /// Takes a symbol if it is next.
    pub(super) fn symbol(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Symbol(text)) if *text == symbol);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), ApiError> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.syntax_error()) }
    }

    /// Refuses what is left over.
    pub(super) fn end(&self) -> Result<(), ApiError> {
        if self.at >= self.tokens.len() { Ok(()) } else { Err(self.syntax_error()) }
    }

    /// One level of nesting further down.
    pub(super) fn deeper<R>(&mut self, act: impl FnOnce(&mut Self) -> Result<R, ApiError>) -> Result<R, ApiError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error("The expression is nested too deeply"));
        }
        self.depth += 1;
        let result = act(self);
        self.depth -= 1;
        result
    }

    pub(super) fn syntax_error(&self) -> ApiError {
        let token = self.peek().map_or("<EOF>", Token::text);
        let near: Vec<_> = self.tokens.iter().skip(self.at.saturating_sub(1)).take(3).map(Token::text).collect();
        self.error(&format!("Syntax error; token: \"{token}\", near: \"{}\"", near.join(" ")))
    }

    pub(super) fn error(&self, message: &str) -> ApiError {
        invalid(format!("Invalid {}: {message}", self.role.name()))
    }

    pub(super) fn is_value(&self) -> bool {
        matches!(self.peek(), Some(Token::Value(_)))
    }

    pub(super) fn value(&mut self) -> Result<Attr, ApiError> {
        let Some(Token::Value(name)) = self.peek().cloned() else { return Err(self.syntax_error()) };
        self.at += 1;
        self.placeholders.value(self.role.name(), name)
    }

    pub(super) fn path(&mut self) -> Result<Path, ApiError> {
        let root = self.name()?;
        let mut steps = Vec::new();
        loop {
            if self.symbol(".") {
                steps.push(Step::Member(self.name()?));
            } else if self.symbol("[") {
                let Some(Token::Index(digits)) = self.peek().cloned() else { return Err(self.syntax_error()) };
                let index = digits.parse().map_err(|_| self.error("List index is not within the allowable range"))?;
                self.at += 1;
                self.expect("]")?;
                steps.push(Step::Index(index));
            } else {
                return Ok(Path { root, steps });
            }
        }
    }

    fn name(&mut self) -> Result<String, ApiError> {
        match self.peek().cloned() {
            Some(Token::Name(placeholder)) => {
                self.at += 1;
                self.placeholders.name(self.role.name(), placeholder)
            }
            Some(Token::Word(word)) if reserved::is_reserved(word) => {
                Err(self.error(&format!("Attribute name is a reserved keyword; reserved keyword: {word}")))
            }
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word.to_owned())
            }
            _ => Err(self.syntax_error()),
        }
    }
}
