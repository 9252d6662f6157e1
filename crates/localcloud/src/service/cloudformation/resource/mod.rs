//! The resource types: how CloudFormation's handlers create, change and delete each of them through its service's
//! own operations.

mod alias;
mod bucket;
mod event_source_mapping;
mod failure;
mod function;
mod kind;
mod log_group;
mod managed_policy;
mod permission;
mod policy;
mod queue;
mod queue_policy;
mod role;
mod table;
mod tags;
mod version;
mod work;

pub(crate) use failure::Failure;
pub(crate) use kind::{Kind, Tagging};
pub(crate) use tags::{own_tags, with_system_tags};
pub(crate) use work::Work;

use serde_json::{Map, Value};

/// What `Fn::GetAtt` answers for a resource.
pub(crate) type Attributes = Map<String, Value>;

/// Starts the creation and answers the physical id, which is also what `Ref` answers.
pub(crate) async fn create(kind: Kind, work: &Work<'_>) -> Result<String, Failure> {
    match kind {
        Kind::Bucket => bucket::create(work).await,
        Kind::Table => table::create(work).await,
        Kind::Queue => queue::create(work).await,
        Kind::QueuePolicy => queue_policy::create(work).await,
        Kind::Function => function::create(work).await,
        Kind::Version => version::create(work).await,
        Kind::Alias => alias::create(work).await,
        Kind::EventSourceMapping => event_source_mapping::create(work).await,
        Kind::Permission => permission::create(work).await,
        Kind::Role => role::create(work).await,
        Kind::Policy => policy::create(work).await,
        Kind::ManagedPolicy => managed_policy::create(work).await,
        Kind::LogGroup => log_group::create(work).await,
    }
}

/// Completes a creation or an update: what needs calls of its own, then waiting until the resource is ready.
pub(crate) async fn settle(kind: Kind, work: &Work<'_>, physical_id: &str) -> Result<Attributes, Failure> {
    match kind {
        Kind::Bucket => bucket::settle(work, physical_id).await,
        Kind::Table => table::settle(work, physical_id).await,
        Kind::Queue => queue::attributes(work, physical_id).await,
        Kind::QueuePolicy => Ok(Attributes::from_iter([("Id".to_owned(), physical_id.into())])),
        Kind::Function => function::settle(work, physical_id).await,
        Kind::Version => Ok(version::attributes(physical_id)),
        Kind::Alias => Ok(Attributes::from_iter([("AliasArn".to_owned(), physical_id.into())])),
        Kind::EventSourceMapping => event_source_mapping::settle(work, physical_id).await,
        Kind::Permission | Kind::Policy => Ok(Attributes::from_iter([("Id".to_owned(), physical_id.into())])),
        Kind::Role => role::settle(work, physical_id).await,
        Kind::ManagedPolicy => managed_policy::settle(work, physical_id).await,
        Kind::LogGroup => log_group::settle(work, physical_id).await,
    }
}

/// Changes a resource in place; `old` are the properties it has now.
pub(crate) async fn update(
    kind: Kind,
    work: &Work<'_>,
    physical_id: &str,
    old: &Work<'_>,
) -> Result<Attributes, Failure> {
    match kind {
        Kind::Bucket => bucket::update(work, physical_id).await?,
        Kind::Table => table::update(work, physical_id, old).await?,
        Kind::Queue => queue::update(work, physical_id, old).await?,
        Kind::QueuePolicy => queue_policy::update(work, old).await?,
        Kind::Function => function::update(work, physical_id, old).await?,
        Kind::Alias => alias::update(work).await?,
        Kind::EventSourceMapping => event_source_mapping::update(work, physical_id, old).await?,
        Kind::Role => role::update(work, physical_id, old).await?,
        Kind::Policy => policy::update(work, old).await?,
        Kind::ManagedPolicy => managed_policy::update(work, physical_id, old).await?,
        Kind::LogGroup => log_group::update(work, physical_id, old).await?,
        // All their properties are create-only.
        Kind::Version | Kind::Permission => {}
    }
    settle(kind, work, physical_id).await
}

/// Deletes a resource and waits until it is gone; one that is already gone is a success.
pub(crate) async fn delete(kind: Kind, work: &Work<'_>, physical_id: &str) -> Result<(), Failure> {
    let deleted = match kind {
        Kind::Bucket => bucket::delete(work, physical_id).await,
        Kind::Table => table::delete(work, physical_id).await,
        Kind::Queue => queue::delete(work, physical_id).await,
        Kind::QueuePolicy => queue_policy::delete(work).await,
        Kind::Function => function::delete(work, physical_id).await,
        Kind::Version => version::delete(work, physical_id).await,
        Kind::Alias => alias::delete(work).await,
        Kind::EventSourceMapping => event_source_mapping::delete(work, physical_id).await,
        Kind::Permission => permission::delete(work, physical_id).await,
        Kind::Role => role::delete(work, physical_id).await,
        Kind::Policy => policy::delete(work).await,
        Kind::ManagedPolicy => managed_policy::delete(work, physical_id).await,
        Kind::LogGroup => log_group::delete(work, physical_id).await,
    };
    match deleted {
        Err(failure) if failure.is_missing() => Ok(()),
        deleted => deleted,
    }
}

/// Whether a resource with this fixed name exists; false where the service cannot tell.
pub(crate) async fn exists(kind: Kind, work: &Work<'_>, name: &str) -> bool {
    let found = match kind {
        Kind::Bucket => bucket::find(work, name).await,
        Kind::Table => table::find(work, name).await,
        Kind::Queue => queue::find(work, name).await,
        Kind::Function => function::find(work, name).await,
        Kind::Role => role::find(work, name).await,
        Kind::LogGroup => log_group::find(work, name).await,
        _ => return false,
    };
    found.unwrap_or(false)
}

/// An attribute set from its members.
fn attributes<const N: usize>(members: [(&str, Value); N]) -> Attributes {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
