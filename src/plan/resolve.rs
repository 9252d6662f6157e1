//! Protocol → plan: every default filled in, every name derived.

use super::model::{ArtifactPlan, LimitPlan, Plan, PredictionPlan, SCHEMA, TrialPlan, VariantPlan};
use super::{names, retries, stacks, waits};
use crate::exit::Failure;
use crate::protocol::{Loaded, Protocol, Strategy, Timing, Variant};
use evidence::record::{Promise, Scenario};
use evidence::trial::{Configuration, Effect, Terms};

/// What the command line decides.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Timing profile.
    pub profile: String,
    /// Only these variants; empty means all. The comparison is then not eligible.
    pub only_variants: Vec<String>,
    /// Function artifact, if built.
    pub artifact: Option<ArtifactPlan>,
}

/// Resolves a checked protocol.
///
/// # Errors
/// [`Failure::Usage`] for an unknown profile or variant.
pub fn resolve(loaded: &Loaded, options: &Options) -> Result<Plan, Failure> {
    let protocol = &loaded.protocol;
    let timing = protocol
        .timing
        .get(&options.profile)
        .ok_or_else(|| unknown("timing profile", &options.profile, protocol.timing.keys()))?;
    for name in &options.only_variants {
        if !protocol.variants.iter().any(|v| &v.name == name) {
            return Err(unknown("variant", name, protocol.variants.iter().map(|v| &v.name)));
        }
    }
    let chosen: Vec<&Variant> = protocol
        .variants
        .iter()
        .filter(|v| options.only_variants.is_empty() || options.only_variants.contains(&v.name))
        .collect();
    let trials = trials(protocol, timing, &chosen, options.artifact.as_ref());
    let waits = waits::of(&trials, timing);
    Ok(Plan {
        schema: SCHEMA.to_owned(),
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        study: protocol.study.clone(),
        title: protocol.title.clone(),
        question: protocol.question.clone(),
        hypothesis: protocol.hypothesis.clone(),
        exclusion_criteria: protocol.exclusion_criteria.clone(),
        stop_rule: protocol.stop_rule.clone(),
        protocol_sha256: loaded.digest(),
        profile: options.profile.clone(),
        artifact: options.artifact.clone(),
        region: protocol.target.region.clone(),
        allowed_accounts: protocol.target.allowed_accounts.clone(),
        bucket: stacks::BUCKET.to_owned(),
        stacks: stacks::resolve(loaded, timing, &chosen, options.artifact.as_ref()),
        variants: chosen.iter().map(|v| variant_plan(v)).collect(),
        predictions: predictions(protocol, &chosen),
        limits: limits(protocol, timing),
        cost_ceiling_usd: protocol.limits.cost_ceiling_usd.clone(),
        floor_ms: waits.iter().map(|w| w.ms).sum(),
        trials,
        waits,
    })
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a String>) -> Failure {
    let known: Vec<_> = known.map(String::as_str).collect();
    let near = known.iter().max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    Failure::Usage(format!("unknown {what} `{name}`{hint} (known: {})", known.join(", ")))
}

pub(super) fn slug_of(variant: &Variant) -> String {
    names::slug(&variant.name).unwrap_or_else(|| variant.name.clone())
}

fn variant_plan(variant: &Variant) -> VariantPlan {
    let layers = retries::layers(variant);
    VariantPlan {
        name: variant.name.clone(),
        slug: slug_of(variant),
        durable: variant.strategy == Strategy::DurableStep,
        most_calls: layers.iter().map(|l| u64::from(l.attempts)).product(),
        retry_layers: layers,
    }
}

fn trials(
    protocol: &Protocol,
    timing: &Timing,
    chosen: &[&Variant],
    artifact: Option<&ArtifactPlan>,
) -> Vec<TrialPlan> {
    let maker = Maker { protocol, timing, artifact };
    let mut trials = vec![maker.probe(protocol.stages.probe)];
    for variant in chosen {
        let stage = format!("validate-{}", slug_of(variant));
        trials.extend((1..).zip(&protocol.stages.validate).map(|(n, s)| maker.trial(&stage, n, variant, *s)));
    }
    // A run of some variants has a sequence of its own, without holes.
    let run = protocol.stages.canonical.iter().filter_map(|spec| {
        let variant = chosen.iter().find(|v| v.name == spec.variant)?;
        Some((variant, spec.scenario))
    });
    let canonical = (1..).zip(run).map(|(n, (variant, scenario))| maker.trial("canonical", n, variant, scenario));
    trials.extend(canonical);
    trials
}

struct Maker<'a> {
    protocol: &'a Protocol,
    timing: &'a Timing,
    artifact: Option<&'a ArtifactPlan>,
}

impl Maker<'_> {
    fn probe(&self, scenario: Scenario) -> TrialPlan {
        let configuration = Configuration { function_timeout_s: stacks::probe_timeout_s(self.timing), ..self.base() };
        self.assemble("probe", 1, "probe".to_owned(), scenario, configuration, (false, false))
    }

    fn trial(&self, stage: &str, number: u32, variant: &Variant, scenario: Scenario) -> TrialPlan {
        let durable = variant.strategy == Strategy::DurableStep;
        let of = self.timing.variants.get(&variant.name);
        let configuration = Configuration {
            function_timeout_s: of.map_or(0, |t| t.function_timeout_s),
            visibility_timeout_s: of.map(|t| t.visibility_timeout_s),
            max_receive_count: Some(variant.max_receive_count),
            batch_size: Some(1),
            step_attempts: variant.step_attempts,
            step_delay_s: of.and_then(|t| t.step_delay_s),
            execution_timeout_s: of.and_then(|t| t.execution_timeout_s),
            ..self.base()
        };
        self.assemble(stage, number, slug_of(variant), scenario, configuration, (durable, true))
    }

    fn base(&self) -> Configuration {
        Configuration {
            artifact_sha256: self.artifact.map(|a| a.sha256.to_string()).unwrap_or_default(),
            deadline_ms: self.timing.deadline_ms,
            provider_promise: Some(self.protocol.provider.promise).filter(|promise| *promise != Promise::Nothing),
            ..Configuration::default()
        }
    }

    fn assemble(
        &self,
        stage: &str,
        number: u32,
        variant: String,
        scenario: Scenario,
        configuration: Configuration,
        (durable, queued): (bool, bool),
    ) -> TrialPlan {
        let id = format!("{stage}-{number}");
        let business = &self.protocol.business;
        let refund_request_id = format!("{}-{id}", business.refund_request_prefix);
        let effect = Effect {
            refund_request_id: refund_request_id.clone(),
            amount_minor: business.refund_minor,
            currency: business.currency.clone(),
        };
        let terms = Terms {
            authorised: vec![effect],
            captured_minor: business.captured_minor,
            currency: business.currency.clone(),
            deadline_ms: self.timing.deadline_ms,
            clock_tolerance_ms: self.protocol.limits.clock_tolerance_ms,
            stable_observations: self.timing.observations.count,
        };
        TrialPlan {
            id,
            number,
            stage: stage.to_owned(),
            variant,
            scenario,
            durable,
            queued,
            refund_request_id,
            terms,
            configuration,
        }
    }
}

fn predictions(protocol: &Protocol, chosen: &[&Variant]) -> Vec<PredictionPlan> {
    let of_chosen = protocol.predictions.iter().filter_map(|p| Some((p, chosen.iter().find(|v| v.name == p.variant)?)));
    of_chosen
        .map(|(p, variant)| PredictionPlan {
            variant: slug_of(variant),
            scenario: p.scenario,
            verdict: p.verdict,
            fails: p.fails.clone(),
            transactions: p.transactions,
            processing: p.processing,
            correct_completion: p.correct_completion,
        })
        .collect()
}

fn limits(protocol: &Protocol, timing: &Timing) -> LimitPlan {
    let limits = &protocol.limits;
    LimitPlan {
        poll_interval_ms: timing.poll_interval_ms,
        stack_create_ms: u64::from(limits.stack_create_s) * 1000,
        stack_delete_ms: u64::from(limits.stack_delete_s) * 1000,
        trial_ms: u64::from(timing.trial_timeout_s) * 1000,
        observations: timing.observations.count,
        observation_interval_ms: timing.observations.interval_ms,
        audit_settle_ms: timing.audit_settle_ms,
        page_cap: limits.page_cap,
        clock_tolerance_ms: limits.clock_tolerance_ms,
    }
}
