//! The audit stage: the account is enumerated on its own, against the inventory that was sealed before teardown.

use super::session::Session;
use crate::audit::{
    AllowRule, AuditLimits, AuditReport, AuditScope, DurableFunction, Inventory, InventoryResource, InventoryStream,
    Window, audit,
};
use crate::exit::Failure;
use crate::plan::RUN_TAG;
use crate::run::Created;
use crate::teardown::TeardownReport;
use evidence::package::Sealed;
use evidence::stage::StageRecord;
use serde::Deserialize;
use std::time::Duration;

/// Audits what is left of a run.
pub(super) async fn audit_run(
    session: &Session,
    teardown: Option<&TeardownReport>,
    allow: Vec<AllowRule>,
) -> Result<AuditReport, Failure> {
    let scope = AuditScope { allow, ..scope(session, teardown)? };
    let limits = AuditLimits {
        cap: session.page_cap(),
        settle: Duration::from_millis(u64::from(session.plan.limits.audit_settle_ms)),
        ..AuditLimits::default()
    };
    // A run that is being stopped is still audited; a second signal ends the process.
    let cancel = tokio_util::sync::CancellationToken::new();
    Ok(audit(&scope, &session.clients, limits, &cancel).await)
}

fn scope(session: &Session, teardown: Option<&TeardownReport>) -> Result<AuditScope, Failure> {
    let origin = session.head()?.origin;
    Ok(AuditScope {
        account: origin.account,
        regions: vec![origin.region.clone()],
        tag: Some((RUN_TAG.to_owned(), session.folder.id().to_owned())),
        prefix: Some(session.stack_name("")),
        inventory: inventory(session, origin.region, teardown)?,
        allow: Vec::new(),
        run: Some(session.folder.id().to_owned()),
    })
}

/// The sealed inventory proves ownership; a run that never sealed one has its journal, which proves less.
fn inventory(session: &Session, region: String, teardown: Option<&TeardownReport>) -> Result<Inventory, Failure> {
    #[derive(Deserialize)]
    struct SealedInventory {
        created: Vec<Created>,
    }
    let sealed = match session.log.state().package("deploy") {
        Some(_) => {
            let package = Sealed::open(&session.folder.packages().join("deploy"))
                .map_err(|e| Failure::Unverified(e.to_string()))?;
            let inventory: SealedInventory = read(&package, "inventory.json")?;
            let stage: StageRecord = read(&package, "stage.json")?;
            Some((inventory.created, stage.ended_at_ms))
        }
        None => None,
    };
    let (created, sealed_at_ms) = sealed.map_or_else(|| (session.log.state().created, None), |(c, at)| (c, Some(at)));
    Ok(listed(&created, region, sealed_at_ms, teardown))
}

fn read<T: serde::de::DeserializeOwned>(package: &Sealed, path: &str) -> Result<T, Failure> {
    let bytes = package.read(path).map_err(|e| Failure::Unverified(e.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}/{path}: {e}", package.path().display())))
}

fn listed(
    created: &[Created],
    region: String,
    sealed_at_ms: Option<i64>,
    teardown: Option<&TeardownReport>,
) -> Inventory {
    let deleted = teardown
        .filter(|t| t.is_complete())
        .map(|t| Window { not_before_ms: Some(t.started_at_ms), not_after_ms: Some(t.ended_at_ms) });
    let mut inventory = Inventory { region, sealed_at_ms, ..Inventory::default() };
    for thing in created {
        match thing.kind.as_str() {
            "AWS::CloudFormation::Stack" => inventory.stacks.push(thing.id.clone()),
            "AWS::DynamoDB::Stream" => inventory.streams.push(InventoryStream { arn: thing.id.clone(), deleted }),
            _ => inventory
                .resources
                .push(InventoryResource { resource_type: thing.kind.clone(), physical_id: thing.id.clone() }),
        }
    }
    inventory.durable = super::teardown::functions_with_versions(created)
        .into_iter()
        .map(|(name, versions)| DurableFunction { name, versions })
        .collect();
    inventory
}
