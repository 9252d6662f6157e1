//! Update expressions: grammar and tree.
//!
//! ```text
//! update := (SET path = value, … | REMOVE path, … | ADD path :value, … | DELETE path :value, …)+
//! value  := operand ((+ | -) operand)?
//! operand := path | :value | if_not_exists(path, value) | list_append(value, value) | ( value )
//! ```

use super::super::value::Attr;
use super::lexer::Token;
use super::path::Path;
use super::projection::refuse_overlaps;
use super::{Parser, Placeholders, Role};
use crate::error::ApiError;

/// A parsed `UpdateExpression`.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Update {
    pub(super) actions: Vec<Action>,
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    Set(Path, Source),
    Remove(Path),
    Add(Path, Attr),
    Delete(Path, Attr),
}

/// Where a new value comes from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Path(Path),
    Value(Attr),
    IfNotExists(Path, Box<Source>),
    ListAppend(Box<Source>, Box<Source>),
    Plus(Box<Source>, Box<Source>),
    Minus(Box<Source>, Box<Source>),
}

impl Action {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Set(path, _) | Self::Remove(path) | Self::Add(path, _) | Self::Delete(path, _) => path,
        }
    }
}

impl Update {
    pub(in super::super) fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Self, ApiError> {
        let mut parser = Parser::new(Role::Update, text, placeholders)?;
        let mut update = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        while parser.peek().is_some() {
            let section = parser.section()?;
            if seen.contains(&section) {
                return Err(
                    parser.error(&format!("The \"{section}\" section can only be used once in an update expression;"))
                );
            }
            seen.push(section);
            parser.actions(section, &mut update.actions)?;
        }
        let paths: Vec<Path> = update.actions.iter().map(|action| action.path().clone()).collect();
        refuse_overlaps(Role::Update, &paths)?;
        Ok(update)
    }

    /// Top-level attributes that are written.
    pub(in super::super) fn roots(&self) -> impl Iterator<Item = &str> {
        self.actions.iter().map(|action| action.path().root.as_str())
    }
}

impl Parser<'_, '_> {
    fn section(&mut self) -> Result<&'static str, ApiError> {
        let found = ["SET", "REMOVE", "ADD", "DELETE"].into_iter().find(|section| self.keyword(section));
        found.ok_or_else(|| self.syntax_error())
    }

    fn actions(&mut self, section: &str, actions: &mut Vec<Action>) -> Result<(), ApiError> {
        loop {
            let path = self.path()?;
            actions.push(match section {
                "SET" => {
                    self.expect("=")?;
                    Action::Set(path, self.source()?)
                }
                "REMOVE" => Action::Remove(path),
                "ADD" => match self.value()? {
                    value @ (Attr::N(_) | Attr::Ss(_) | Attr::Ns(_) | Attr::Bs(_)) => Action::Add(path, value),
                    other => return Err(self.wrong_type("ADD", &other)),
                },
                _ => match self.value()? {
                    value @ (Attr::Ss(_) | Attr::Ns(_) | Attr::Bs(_)) => Action::Delete(path, value),
                    other => return Err(self.wrong_type("DELETE", &other)),
                },
            });
            if !self.symbol(",") {
                return Ok(());
            }
        }
    }

    fn wrong_type(&self, operator: &str, value: &Attr) -> ApiError {
        self.error(&format!(
            "Incorrect operand type for operator or function; operator: {operator}, operand type: {}",
            value.kind()
        ))
    }

    fn source(&mut self) -> Result<Source, ApiError> {
        self.deeper(|parser| {
            let left = parser.source_operand()?;
            if parser.symbol("+") {
                return Ok(Source::Plus(Box::new(left), Box::new(parser.source_operand()?)));
            }
            if parser.symbol("-") {
                return Ok(Source::Minus(Box::new(left), Box::new(parser.source_operand()?)));
            }
            Ok(left)
        })
    }

    fn source_operand(&mut self) -> Result<Source, ApiError> {
        if self.is_value() {
            return self.value().map(Source::Value);
        }
        if self.symbol("(") {
            let inner = self.source()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let (Some(Token::Word(word)), Some(Token::Symbol("("))) = (self.peek().cloned(), self.peek_second()) else {
            return self.path().map(Source::Path);
        };
        if word != "if_not_exists" && word != "list_append" {
            return Err(self.error(&format!("Invalid function name; function: {word}")));
        }
        self.next();
        self.expect("(")?;
        let found = if word == "if_not_exists" {
            let path = self.path()?;
            self.expect(",")?;
            Source::IfNotExists(path, Box::new(self.source()?))
        } else {
            let first = self.source()?;
            self.expect(",")?;
            Source::ListAppend(Box::new(first), Box::new(self.source()?))
        };
        self.expect(")")?;
        Ok(found)
    }
}
