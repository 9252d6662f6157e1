//! Condition, filter and key condition expressions: grammar and tree.
//!
//! ```text
//! or      := and (OR and)*
//! and     := not (AND not)*
//! not     := NOT not | primary
//! primary := ( or ) | function | operand comparator operand | operand BETWEEN operand AND operand
//!          | operand IN ( operand, … )
//! ```

use super::super::value::Attr;
use super::lexer::Token;
use super::path::Path;
use super::{Parser, Placeholders, Role};
use crate::error::ApiError;

/// Operands of `IN` (service quota).
const MAX_IN: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Condition {
    Or(Vec<Condition>),
    And(Vec<Condition>),
    Not(Box<Condition>),
    Compare(Operand, Comparator, Operand),
    Between(Operand, Operand, Operand),
    In(Operand, Vec<Operand>),
    Exists(Path),
    NotExists(Path),
    Type(Path, String),
    BeginsWith(Operand, Operand),
    Contains(Operand, Operand),
}

#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Operand {
    Path(Path),
    Value(Attr),
    Size(Path),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Comparator {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Condition {
    pub(in super::super) fn parse(role: Role, text: &str, placeholders: &mut Placeholders) -> Result<Self, ApiError> {
        let mut parser = Parser::new(role, text, placeholders)?;
        let condition = parser.or()?;
        parser.end()?;
        Ok(condition)
    }
}

impl Parser<'_, '_> {
    fn or(&mut self) -> Result<Condition, ApiError> {
        let mut parts = vec![self.and()?];
        while self.keyword("OR") {
            parts.push(self.and()?);
        }
        Ok(single(parts, Condition::Or))
    }

    fn and(&mut self) -> Result<Condition, ApiError> {
        let mut parts = vec![self.not()?];
        while self.keyword("AND") {
            parts.push(self.not()?);
        }
        Ok(single(parts, Condition::And))
    }

    fn not(&mut self) -> Result<Condition, ApiError> {
        if self.keyword("NOT") {
            return self.deeper(|parser| Ok(Condition::Not(Box::new(parser.not()?))));
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Condition, ApiError> {
        if self.symbol("(") {
            return self.deeper(|parser| {
                let inner = parser.or()?;
                parser.expect(")")?;
                Ok(inner)
            });
        }
        if let Some(function) = self.function_name().filter(|name| *name != "size") {
            return self.function(function);
        }
        let left = self.operand()?;
        if self.keyword("BETWEEN") {
            let low = self.operand()?;
            if !self.keyword("AND") {
                return Err(self.syntax_error());
            }
            return Ok(Condition::Between(left, low, self.operand()?));
        }
        if self.keyword("IN") {
            return Ok(Condition::In(left, self.list()?));
        }
        let comparator = self.comparator()?;
        Ok(Condition::Compare(left, comparator, self.operand()?))
    }

    /// The word before a parenthesis.
    fn function_name(&self) -> Option<&'static str> {
        let (Some(Token::Word(word)), Some(Token::Symbol("("))) = (self.peek(), self.peek_second()) else {
            return None;
        };
        ["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size"]
            .into_iter()
            .find(|name| name == word)
    }

    fn function(&mut self, name: &str) -> Result<Condition, ApiError> {
        self.next();
        self.expect("(")?;
        let condition = match name {
            "attribute_exists" => Condition::Exists(self.path()?),
            "attribute_not_exists" => Condition::NotExists(self.path()?),
            "attribute_type" => {
                let path = self.path()?;
                self.expect(",")?;
                match self.value()? {
                    Attr::S(kind) => Condition::Type(path, kind),
                    other => return Err(self.wrong_operand(name, &other)),
                }
            }
            "begins_with" => {
                let (left, right) = (self.operand()?, self.second()?);
                for operand in [&left, &right] {
                    if let Operand::Value(value) = operand
                        && !matches!(value, Attr::S(_) | Attr::B(_))
                    {
                        return Err(self.wrong_operand(name, value));
                    }
                }
                Condition::BeginsWith(left, right)
            }
            _ => Condition::Contains(self.operand()?, self.second()?),
        };
        self.expect(")")?;
        Ok(condition)
    }

    fn second(&mut self) -> Result<Operand, ApiError> {
        self.expect(",")?;
        self.operand()
    }

    fn wrong_operand(&self, function: &str, value: &Attr) -> ApiError {
        self.error(&format!(
            "Incorrect operand type for operator or function; operator or function: {function}, operand type: {}",
            value.kind()
        ))
    }

    fn operand(&mut self) -> Result<Operand, ApiError> {
        if self.is_value() {
            return self.value().map(Operand::Value);
        }
        if self.function_name() == Some("size") {
            self.next();
            self.expect("(")?;
            let path = self.path()?;
            self.expect(")")?;
            return Ok(Operand::Size(path));
        }
        if let (Some(Token::Word(word)), Some(Token::Symbol("("))) = (self.peek(), self.peek_second()) {
            return Err(self.error(&format!("Invalid function name; function: {word}")));
        }
        self.path().map(Operand::Path)
    }

    fn list(&mut self) -> Result<Vec<Operand>, ApiError> {
        self.expect("(")?;
        let mut items = vec![self.operand()?];
        while self.symbol(",") {
            items.push(self.operand()?);
        }
        self.expect(")")?;
        if items.len() > MAX_IN {
            return Err(self.error("The IN operator is provided with too many operands"));
        }
        Ok(items)
    }

    fn comparator(&mut self) -> Result<Comparator, ApiError> {
        let Some(Token::Symbol(symbol)) = self.peek() else { return Err(self.syntax_error()) };
        let comparator = match *symbol {
            "=" => Comparator::Eq,
            "<>" => Comparator::Ne,
            "<" => Comparator::Lt,
            "<=" => Comparator::Le,
            ">" => Comparator::Gt,
            ">=" => Comparator::Ge,
            _ => return Err(self.syntax_error()),
        };
        self.next();
        Ok(comparator)
    }
}

fn single(mut parts: Vec<Condition>, many: impl FnOnce(Vec<Condition>) -> Condition) -> Condition {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            many(parts)
        }
        None => many(parts),
    }
}

impl Condition {
    /// Top-level attributes that the condition looks at.
    pub(in super::super) fn roots(&self) -> Vec<&str> {
        match self {
            Self::Or(parts) | Self::And(parts) => parts.iter().flat_map(Self::roots).collect(),
            Self::Not(inner) => inner.roots(),
            Self::Exists(path) | Self::NotExists(path) | Self::Type(path, _) => vec![path.root.as_str()],
            Self::Compare(left, _, right) | Self::BeginsWith(left, right) | Self::Contains(left, right) => {
                [left, right].into_iter().filter_map(Operand::root).collect()
            }
            Self::Between(value, low, high) => [value, low, high].into_iter().filter_map(Operand::root).collect(),
            Self::In(value, list) => std::iter::once(value).chain(list).filter_map(Operand::root).collect(),
        }
    }
}

impl Operand {
    fn root(&self) -> Option<&str> {
        match self {
            Self::Path(path) | Self::Size(path) => Some(&path.root),
            Self::Value(_) => None,
        }
    }
}
