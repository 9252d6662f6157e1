//! Stacks with their names, tags, parameters and order.

use super::capabilities;
use super::model::{ArtifactPlan, StackPlan, Value};
use super::resolve::slug_of;
use crate::protocol::{Loaded, Timing, Variant, VariantTiming};
use evidence::record::Promise;
use std::collections::BTreeMap;
use std::fmt::Display;

/// Tag of the run that a resource belongs to.
pub const RUN_TAG: &str = "assay:run";
/// Tag that tells variants' costs apart.
pub const VARIANT_TAG: &str = "assay:variant";
/// Tag that says which tool made a stack.
pub const TOOL_TAG: &str = "assay:tool";

/// The artifact bucket's planned name.
pub(super) const BUCKET: &str = "assay-{run}-artifacts-{account}";

/// Days that log groups keep events; the groups themselves go with their stack.
const LOG_RETENTION_DAYS: u32 = 7;

type Parameters = BTreeMap<String, Value>;

/// The probe's function waits one deadline and needs room to record the timeout.
pub(super) fn probe_timeout_s(timing: &Timing) -> u32 {
    timing.deadline_ms.div_ceil(1000) + 10
}

/// All stacks in the order of deployment: artifacts, provider, variants.
pub(super) fn resolve(
    loaded: &Loaded,
    timing: &Timing,
    chosen: &[&Variant],
    artifact: Option<&ArtifactPlan>,
) -> Vec<StackPlan> {
    let maker = Maker { loaded, timing, artifact };
    let mut stacks = vec![maker.artifacts(), maker.provider()];
    stacks.extend(chosen.iter().map(|variant| maker.variant(variant)));
    stacks.into_iter().flatten().collect()
}

struct Maker<'a> {
    loaded: &'a Loaded,
    timing: &'a Timing,
    artifact: Option<&'a ArtifactPlan>,
}

impl Maker<'_> {
    fn artifacts(&self) -> Option<StackPlan> {
        let parameters = Parameters::from([literal("BucketName", BUCKET)]);
        self.stack("artifacts", "shared", &[], parameters)
    }

    fn provider(&self) -> Option<StackPlan> {
        let mut parameters = self.code();
        parameters.extend([
            literal("DeadlineMs", self.timing.deadline_ms),
            literal("ProviderTimeoutS", self.timing.provider_timeout_s),
            literal("HoldLimitMs", self.timing.hold_limit_ms),
            literal("HoldPollMs", self.timing.hold_poll_ms),
            literal("CallerTimeoutS", probe_timeout_s(self.timing)),
            literal("ClockToleranceMs", self.loaded.protocol.limits.clock_tolerance_ms),
            literal("LogRetentionDays", LOG_RETENTION_DAYS),
        ]);
        // Left out where nothing is promised, so that a template without a promise serves too.
        if self.loaded.protocol.provider.promise == Promise::Idempotent {
            parameters.extend([literal("ProviderPromise", "idempotent")]);
        }
        self.stack("provider", "shared", &["artifacts"], parameters)
    }

    fn variant(&self, variant: &Variant) -> Option<StackPlan> {
        let of = self.timing.variants.get(&variant.name)?;
        let mut parameters = self.code();
        parameters.extend([
            output("ProviderFunctionArn", "provider", "ProviderFunctionArn"),
            output("CallerJournalTable", "provider", "CallerJournalTable"),
            output("CallerJournalTableArn", "provider", "CallerJournalTableArn"),
            literal("DeadlineMs", self.timing.deadline_ms),
            literal("FunctionTimeoutS", of.function_timeout_s),
            literal("VisibilityTimeoutS", of.visibility_timeout_s),
            literal("MaxReceiveCount", variant.max_receive_count),
            literal("LogRetentionDays", LOG_RETENTION_DAYS),
        ]);
        parameters.extend(durable(variant, of));
        let slug = slug_of(variant);
        self.stack(&slug, &slug, &["artifacts", "provider"], parameters)
    }

    fn code(&self) -> Parameters {
        let (key, digest) = self.artifact.map_or(("", ""), |a| (a.key.as_str(), a.sha256_base64.as_str()));
        Parameters::from([
            output("ArtifactBucket", "artifacts", "BucketName"),
            literal("ArtifactKey", key),
            literal("ArtifactSha256Base64", digest),
        ])
    }

    fn stack(&self, component: &str, variant: &str, after: &[&str], parameters: Parameters) -> Option<StackPlan> {
        let template = self.loaded.templates.get(component)?;
        Some(StackPlan {
            component: component.to_owned(),
            name: format!("assay-{{run}}-{component}"),
            template: template.named.clone(),
            template_sha256: template.digest(),
            template_bytes: template.bytes.len() as u64,
            capabilities: capabilities::needed(template.document.value()),
            after: after.iter().map(|&s| s.to_owned()).collect(),
            parameters,
            tags: self.tags(component, variant),
        })
    }

    fn tags(&self, component: &str, variant: &str) -> BTreeMap<String, String> {
        let protocol = &self.loaded.protocol;
        let own = [
            ("assay:study", protocol.study.as_str()),
            (RUN_TAG, "{run}"),
            ("assay:component", component),
            (VARIANT_TAG, variant),
            ("assay:owner", &protocol.tags.owner),
            ("assay:cost-center", &protocol.tags.cost_center),
            ("assay:expires", "{expires}"),
            (TOOL_TAG, concat!("assay/", env!("CARGO_PKG_VERSION"))),
        ];
        let extra = protocol.tags.extra.clone();
        extra.into_iter().chain(own.map(|(k, v)| (k.to_owned(), v.to_owned()))).collect()
    }
}

fn durable(variant: &Variant, of: &VariantTiming) -> Parameters {
    let all = [
        ("RetryAttempts", variant.step_attempts),
        ("RetryDelayS", of.step_delay_s),
        ("ExecutionTimeoutS", of.execution_timeout_s),
        ("RetentionPeriodInDays", of.retention_days),
    ];
    all.into_iter().filter_map(|(key, value)| Some(literal(key, value?))).collect()
}

fn literal(key: &str, value: impl Display) -> (String, Value) {
    (key.to_owned(), Value::Literal(value.to_string()))
}

fn output(key: &str, component: &str, output: &str) -> (String, Value) {
    (key.to_owned(), Value::Output { component: component.to_owned(), output: output.to_owned() })
}
