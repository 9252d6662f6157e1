//! DynamoDB's expressions: text to tree, tree to answer ("Using expressions in DynamoDB", developer guide).

mod apply;
mod condition;
mod evaluate;
mod key;
mod lexer;
mod parser;
mod path;
mod placeholders;
mod projection;
mod reserved;
mod update;

pub(super) use apply::{apply, touched};
pub(super) use condition::Condition;
pub(super) use evaluate::holds;
pub(super) use key::KeyCondition;
pub(super) use placeholders::Placeholders;
pub(super) use projection::{Projection, project};
pub(super) use update::Update;

use parser::Parser;

/// What an expression is for; errors name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Condition,
    Filter,
    Key,
    Projection,
    Update,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Condition => "ConditionExpression",
            Self::Filter => "FilterExpression",
            Self::Key => "KeyConditionExpression",
            Self::Projection => "ProjectionExpression",
            Self::Update => "UpdateExpression",
        }
    }
}

#[cfg(test)]
mod tests;
