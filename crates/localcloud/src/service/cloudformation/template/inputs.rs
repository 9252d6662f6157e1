//! A template with its parameters: all that is known before the first resource.

use super::parameter::{self, Given, Parameter};
use super::{Template, condition};
use crate::cloud::ACCOUNT;
use crate::error::ApiError;
use serde_json::Value;
use std::collections::BTreeMap;

/// What pseudo parameters answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Environment {
    pub(crate) region: String,
    pub(crate) stack_id: String,
    pub(crate) stack_name: String,
    pub(crate) notification_arns: Vec<String>,
}

/// A template, its parameters' values and its conditions.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    pub(crate) template: Template,
    pub(crate) parameters: BTreeMap<String, Parameter>,
    pub(crate) conditions: BTreeMap<String, bool>,
    pub(crate) environment: Environment,
}

impl Inputs {
    /// Puts given values into declared parameters, then decides the conditions.
    pub(crate) fn resolve(
        template: Template,
        given: &[Given],
        previous: &BTreeMap<String, String>,
        environment: Environment,
    ) -> Result<Self, ApiError> {
        let parameters = parameter::resolve(&template.parameters, given, previous)?;
        let mut inputs = Self { template, parameters, conditions: BTreeMap::new(), environment };
        inputs.conditions = condition::resolve(&inputs)?;
        Ok(inputs)
    }

    /// The value of a parameter or pseudo parameter.
    pub(super) fn value(&self, name: &str) -> Option<Value> {
        let environment = &self.environment;
        let text = match name {
            "AWS::AccountId" => ACCOUNT,
            "AWS::Region" => &environment.region,
            "AWS::Partition" => "aws",
            "AWS::URLSuffix" => "amazonaws.com",
            "AWS::StackId" => &environment.stack_id,
            "AWS::StackName" => &environment.stack_name,
            "AWS::NotificationARNs" => return Some(environment.notification_arns.iter().cloned().collect()),
            _ => return self.parameters.get(name).map(|parameter| parameter.value.clone()),
        };
        Some(Value::String(text.to_owned()))
    }

    /// Whether a condition holds; no condition always holds.
    pub(crate) fn holds(&self, condition: Option<&String>) -> bool {
        condition.is_none_or(|name| self.conditions.get(name).copied().unwrap_or(false))
    }

    /// Logical ids of the resources that this stack will have.
    pub(crate) fn active(&self) -> impl Iterator<Item = &String> {
        let active = self.template.resources.iter().filter(|(_, definition)| self.holds(definition.condition.as_ref()));
        active.map(|(name, _)| name)
    }

    /// Parameter values as given, for a later `UsePreviousValue`.
    pub(crate) fn texts(&self) -> BTreeMap<String, String> {
        self.parameters.iter().map(|(name, parameter)| (name.clone(), parameter.text.clone())).collect()
    }
}
