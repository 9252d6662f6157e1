//! The audit's report. Part of the closing package, and of every amendment.

use super::allow::warnings;
use super::arn::Kind;
use super::certificate::{Certificate, NOT_BY_TAG};
use super::facts::{Facts, Reading};
use super::finding::{Finding, Overall, overall};
use super::judge::judge;
use super::scope::AuditScope;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Schema name of an audit report.
pub const SCHEMA: &str = "assay.audit/1";

/// Everything that an audit found, read and could not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// What was looked for, without the inventory.
    pub scope: Looked,
    /// Milliseconds since the epoch.
    pub started_at_ms: i64,
    /// The time that the findings are judged at, milliseconds since the epoch.
    pub judged_at_ms: i64,
    /// Readings that were made; the last one is judged.
    pub readings: u32,
    /// In one word.
    pub overall: Overall,
    /// Worst first.
    pub findings: Vec<Finding>,
    /// What the last reading covered.
    pub certificate: Certificate,
    /// Resources that were there at the first reading and gone at the last.
    pub settled: Vec<String>,
    /// Unused and expired allow rules, and an audit that was cut short.
    pub warnings: Vec<String>,
}

/// The scope as the report states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// Twelve digits.
    pub account: String,
    /// Regions.
    pub regions: Vec<String>,
    /// Tag key and value.
    pub tag: Option<(String, String)>,
    /// Name prefix.
    pub prefix: Option<String>,
    /// Run id.
    pub run: Option<String>,
    /// Resources and streams of the inventory.
    pub inventory: usize,
}

impl AuditReport {
    pub(super) fn conclude(
        scope: &AuditScope,
        started_at_ms: i64,
        facts: Facts,
        before: Option<&Earlier>,
        now_ms: i64,
    ) -> Self {
        let warnings = warnings(&scope.allow, &names(&facts), now_ms).into_iter().chain(blind(scope)).collect();
        let settled = before.map(|b| b.there.difference(&there(&facts)).cloned().collect()).unwrap_or_default();
        let certificate = facts.certificate.clone();
        let mut findings = judge(facts, scope, now_ms);
        if let Some(before) = before {
            before.mark_late(&mut findings);
        }
        Self {
            schema: SCHEMA.to_owned(),
            scope: Looked::at(scope),
            started_at_ms,
            judged_at_ms: now_ms,
            readings: 1 + u32::from(before.is_some()),
            overall: overall(&findings, certificate.is_whole()),
            warnings,
            settled,
            certificate,
            findings,
        }
    }

    /// One line for people and for `results.json`.
    #[must_use]
    pub fn summary(&self) -> String {
        let (findings, cells) = (self.findings.len(), self.certificate.cells.len());
        let unread = self.certificate.unread().count();
        format!("{} ({findings} findings, {unread} of {cells} cells unread)", self.overall.label())
    }

    /// Without its last reading an audit proves leaks, but not their absence.
    pub(super) fn cut_short(scope: &AuditScope, started_at_ms: i64, facts: Facts, now_ms: i64) -> Self {
        let mut report = Self::conclude(scope, started_at_ms, facts, None, now_ms);
        report.overall = report.overall.join(Overall::Inconclusive);
        report.warnings.push("interrupted before the second reading".to_owned());
        report
    }
}

impl Looked {
    fn at(scope: &AuditScope) -> Self {
        Self {
            account: scope.account.clone(),
            regions: scope.regions.clone(),
            tag: scope.tag.clone(),
            prefix: scope.prefix.clone(),
            run: scope.run.clone(),
            inventory: scope.inventory.resources.len() + scope.inventory.streams.len(),
        }
    }
}

fn names(facts: &Facts) -> impl Iterator<Item = &str> + Clone {
    let resources = facts.sightings.iter().map(|s| s.resource.name.as_str());
    resources.chain(facts.streams.iter().map(|s| s.arn.as_str()))
}

/// A tag finds only what carries tags.
fn blind(scope: &AuditScope) -> Option<String> {
    let alone = scope.prefix.is_none() && scope.inventory.resources.is_empty() && scope.inventory.stacks.is_empty();
    alone.then(|| format!("a tag alone shows no {}; name a --prefix to look for them", NOT_BY_TAG.join(", ")))
}

/// What of an earlier reading the last one is compared with.
#[derive(Debug)]
pub(super) struct Earlier {
    found: BTreeSet<(Kind, String)>,
    there: BTreeSet<String>,
}

impl Earlier {
    pub(super) fn of(facts: Facts, scope: &AuditScope, now_ms: i64) -> Self {
        let there = there(&facts);
        let found = judge(facts, scope, now_ms).into_iter().map(|finding| (finding.kind, finding.id)).collect();
        Self { found, there }
    }

    fn mark_late(&self, findings: &mut [Finding]) {
        for finding in findings {
            finding.late = !self.found.contains(&(finding.kind.clone(), finding.id.clone()));
        }
    }
}

fn there(facts: &Facts) -> BTreeSet<String> {
    let there = facts.sightings.iter().filter(|s| matches!(s.reading, Reading::Present(_) | Reading::Going(_)));
    there.map(|s| format!("{} {}", s.resource.kind.label(), s.resource.name)).collect()
}
