//! What is known to keep a deletion waiting, and for how long that is normal.

use super::input::TeardownLimits;
use crate::cloud::stacks::{StackEvent, is_custom};
use std::collections::BTreeMap;
use tokio::time::Instant;

/// Why a resource's deletion takes long without anything being wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slow {
    /// Lambda removes the network interfaces of functions in a VPC (reports of 25 to 40 minutes in
    /// aws-cloudformation/cloudformation-coverage-roadmap#392).
    Interfaces,
    /// CloudFormation waits for the answer of a custom resource's provider, by default and at most one hour
    /// (CloudFormation template reference, `AWS::CloudFormation::CustomResource`, `ServiceTimeout`).
    Custom,
}

/// Resources that are being deleted slowly, by logical id, with the time that each was first seen so.
#[derive(Debug, Default)]
pub(super) struct Waiting(BTreeMap<String, (Slow, Instant)>);

impl Slow {
    /// What an event tells.
    pub(super) fn of(event: &StackEvent) -> Option<Self> {
        if event.status != "DELETE_IN_PROGRESS" {
            return None;
        }
        let reason = event.reason.as_deref().unwrap_or_default();
        let packed: String = reason.to_ascii_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
        let interface = packed.contains("networkinterface")
            || reason.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "ENI" || word == "ENIs")
            || event.resource_type == "AWS::EC2::NetworkInterface";
        if interface { Some(Self::Interfaces) } else { is_custom(&event.resource_type).then_some(Self::Custom) }
    }
}

impl Waiting {
    /// Notes an event. A resource stops waiting with its next status.
    pub(super) fn note(&mut self, event: &StackEvent) {
        match Slow::of(event) {
            Some(slow) => {
                self.0.entry(event.logical_id.clone()).or_insert((slow, Instant::now())).0 = slow;
            }
            None if event.status == "DELETE_IN_PROGRESS" => {}
            None => {
                self.0.remove(&event.logical_id);
            }
        }
    }

    /// How long the slowest resource may still take.
    pub(super) fn until(&self, limits: &TeardownLimits) -> Option<Instant> {
        let until = |(slow, since): &(Slow, Instant)| match slow {
            Slow::Interfaces => *since + limits.interfaces,
            Slow::Custom => *since + limits.custom_resource,
        };
        self.0.values().map(until).max()
    }

    /// Whether this resource is still being deleted slowly.
    pub(super) fn holds(&self, logical_id: &str) -> bool {
        self.0.contains_key(logical_id)
    }

    /// Custom resources that have not answered yet, by logical id.
    pub(super) fn silent(&self) -> Vec<String> {
        self.0.iter().filter(|(_, (slow, _))| *slow == Slow::Custom).map(|(id, _)| id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Slow, StackEvent, Waiting};

    fn event(logical_id: &str, resource_type: &str, status: &str, reason: &str) -> StackEvent {
        StackEvent {
            event_id: "e".into(),
            at_ms: 0,
            logical_id: logical_id.into(),
            physical_id: None,
            resource_type: resource_type.into(),
            status: status.into(),
            reason: Some(reason.into()),
            token: None,
        }
    }

    fn told(resource_type: &str, reason: &str) -> Option<Slow> {
        Slow::of(&event("F", resource_type, "DELETE_IN_PROGRESS", reason))
    }

    #[test]
    fn cloudformations_own_words_tell_of_interfaces() {
        let words =
            "CloudFormation is waiting for NetworkInterfaces associated with the Lambda Function to be cleaned up.";
        assert_eq!(told("AWS::Lambda::Function", words), Some(Slow::Interfaces));
        assert_eq!(told("AWS::EC2::SecurityGroup", "ENI in use"), Some(Slow::Interfaces));
        assert_eq!(told("AWS::SQS::Queue", "AccessDENIED"), None, "three letters inside a word are no word");
    }

    #[test]
    fn a_custom_resource_waits_until_its_next_status() {
        let mut waiting = Waiting::default();
        waiting.note(&event("Seed", "Custom::Seed", "DELETE_IN_PROGRESS", ""));
        waiting.note(&event("Queue", "AWS::SQS::Queue", "DELETE_IN_PROGRESS", ""));
        assert_eq!(waiting.silent(), ["Seed"]);
        waiting.note(&event("Seed", "Custom::Seed", "DELETE_FAILED", "no answer"));
        assert!(waiting.silent().is_empty());
    }
}
