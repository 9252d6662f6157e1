//! The audit's report. Part of the closing package, and of every amendment.

use super::allow::warnings;
use super::certificate::Certificate;
use super::facts::{Facts, Reading};
use super::finding::{Finding, Overall, overall};
use super::judge::judge;
use super::scope::AuditScope;
use serde::{Deserialize, Serialize};

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
        facts: &Facts,
        before: Option<&Facts>,
        now_ms: i64,
    ) -> Self {
        let mut findings = judge(facts, scope, now_ms);
        if let Some(before) = before {
            mark_late(&mut findings, &judge(before, scope, now_ms));
        }
        let ids: Vec<&str> = names(facts).collect();
        Self {
            schema: SCHEMA.to_owned(),
            scope: Looked::at(scope),
            started_at_ms,
            judged_at_ms: now_ms,
            readings: 1 + u32::from(before.is_some()),
            overall: overall(&findings, facts.certificate.is_whole()),
            warnings: warnings(&scope.allow, &ids.iter().copied(), now_ms),
            settled: before.map(|before| settled(before, facts)).unwrap_or_default(),
            certificate: facts.certificate.clone(),
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
    pub(super) fn cut_short(scope: &AuditScope, started_at_ms: i64, facts: &Facts, now_ms: i64) -> Self {
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

fn names(facts: &Facts) -> impl Iterator<Item = &str> {
    let resources = facts.sightings.iter().map(|s| s.resource.name.as_str());
    resources.chain(facts.streams.iter().map(|s| s.arn.as_str()))
}

fn mark_late(findings: &mut [Finding], before: &[Finding]) {
    for finding in findings {
        finding.late = !before.iter().any(|old| old.kind == finding.kind && old.id == finding.id);
    }
}

fn settled(before: &Facts, after: &Facts) -> Vec<String> {
    let there = |facts: &Facts| -> std::collections::BTreeSet<String> {
        let there = facts.sightings.iter().filter(|s| matches!(s.reading, Reading::Present(_) | Reading::Going(_)));
        there.map(|s| format!("{} {}", s.resource.kind.label(), s.resource.name)).collect()
    };
    there(before).difference(&there(after)).cloned().collect()
}
