//! What a plan may not ask of AWS. Pure: the plan and what fills it in go in, findings come out.

use super::model::Plan;
use super::names::Filling;
use crate::cloud::EndpointKind;
use evidence::stage::Origin;
use evidence::trial::ClockSample;

/// Time for stacks and listings on top of the mandated waits, milliseconds.
const OVERHEAD_MS: i64 = 10 * 60 * 1000;

/// Lengths of stack and bucket names, template sizes and tags; names inside the templates are `physical`'s.
#[must_use]
pub fn findings(plan: &Plan, filling: &Filling) -> Vec<String> {
    let mut findings = Vec::new();
    for stack in &plan.stacks {
        let name = filling.fill(&stack.name);
        too_long("stack", &name, 128, &mut findings);
        template(&stack.component, stack.template_bytes, &mut findings);
        let tags: Vec<_> = stack.tags.iter().map(|(k, v)| (k.clone(), filling.fill(v))).collect();
        self::tags(&stack.component, &tags, &mut findings);
    }
    let bucket = filling.fill(&plan.bucket);
    too_long("bucket", &bucket, 63, &mut findings);
    if plan.artifact.is_none() {
        findings.push("the function artifact is not built".to_owned());
    }
    findings
}

fn too_long(what: &str, name: &str, most: usize, findings: &mut Vec<String>) {
    let length = name.chars().count();
    if length > most {
        findings.push(format!("{what} name {name} has {length} characters, {most} are allowed"));
    }
}

/// CloudFormation takes 1 MiB through S3 (CloudFormation quotas).
fn template(component: &str, bytes: u64, findings: &mut Vec<String>) {
    if bytes > 1 << 20 {
        findings.push(format!("template of {component} has {bytes} bytes, 1048576 are allowed"));
    }
}

/// At most 50 tags, keys to 128 and values to 256 characters, no empty value, `aws:` reserved (CloudFormation API
/// reference, Tag).
pub fn tags(component: &str, tags: &[(String, String)], findings: &mut Vec<String>) {
    if tags.len() > 50 {
        findings.push(format!("stack {component} has {} tags, 50 are allowed", tags.len()));
    }
    for (key, value) in tags {
        let problem = if key.is_empty() || key.chars().count() > 128 {
            "the key must have 1 to 128 characters"
        } else if key.to_ascii_lowercase().starts_with("aws:") {
            "`aws:` is reserved"
        } else if value.is_empty() {
            "an empty value is refused"
        } else if value.chars().count() > 256 {
            "the value may have 256 characters"
        } else if !key.chars().chain(value.chars()).all(|c| c.is_alphanumeric() || " _.:/=+-@".contains(c)) {
            "allowed are letters, digits, spaces and _.:/=+-@"
        } else {
            continue;
        };
        findings.push(format!("tag `{key}` = `{value}` of stack {component}: {problem}"));
    }
}

/// Whether the account is one that the protocol allows. A cloud on this machine has no account to protect; any other
/// endpoint may lead to AWS.
#[must_use]
pub fn account(plan: &Plan, origin: &Origin) -> Option<String> {
    let restricted = !plan.allowed_accounts.is_empty() && !is_here(origin);
    (restricted && !plan.allowed_accounts.contains(&origin.account)).then(|| {
        format!(
            "account {} is not allowed by the protocol (allowed: {})",
            origin.account,
            plan.allowed_accounts.join(", ")
        )
    })
}

/// A word for those who let a protocol run in any account of AWS.
#[must_use]
pub fn any_account(plan: &Plan, origin: &Origin) -> Option<String> {
    (plan.allowed_accounts.is_empty() && !is_here(origin)).then(|| {
        format!(
            "the protocol allows every account; to keep it to this one: target: {{allowed_accounts: [\"{}\"]}}",
            origin.account
        )
    })
}

fn is_here(origin: &Origin) -> bool {
    origin.endpoint.as_ref().is_some_and(|url| EndpointKind::Foreign(url.clone()).is_loopback())
}

/// Services whose clock is certainly further from this machine's than the protocol tolerates: every trial would lack
/// its proof of order. A sample speaks against the clocks only when its whole interval lies outside.
#[must_use]
pub fn skew(samples: &[ClockSample], tolerance_ms: u32) -> Vec<String> {
    let least = |s: &ClockSample| s.offset_ms.unsigned_abs().saturating_sub(u64::from(s.uncertainty_ms));
    let off = samples.iter().filter(|s| least(s) > u64::from(tolerance_ms));
    off.map(|s| {
        format!(
            "this machine's clock and that of {} differ by at least {} ms, {tolerance_ms} ms are tolerated; set the clock (NTP)",
            s.service,
            least(s)
        )
    })
    .collect()
}

/// Whether credentials last as long as the run is predicted to.
#[must_use]
pub fn credential_life(plan: &Plan, left_ms: i64) -> Option<String> {
    let needed = i64::try_from(plan.floor_ms).unwrap_or(i64::MAX).saturating_add(OVERHEAD_MS);
    (left_ms < needed).then(|| {
        let minutes = |ms: i64| ms / 60_000;
        format!(
            "the credentials end in {} min, the run needs about {} min; renew them first",
            minutes(left_ms),
            minutes(needed)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag_findings(key: &str, value: &str) -> Vec<String> {
        let mut findings = Vec::new();
        tags("x", &[(key.to_owned(), value.to_owned())], &mut findings);
        findings
    }

    #[test]
    fn tags_that_aws_refuses_are_found() {
        assert_eq!(tag_findings("assay:run", "r1"), Vec::<String>::new());
        for (key, value) in [("", "v"), ("aws:x", "v"), ("AWS:x", "v"), ("k", ""), ("k", "a,b")] {
            assert_eq!(tag_findings(key, value).len(), 1, "{key}={value}");
        }
        assert_eq!(tag_findings(&"k".repeat(129), "v").len(), 1);
        assert_eq!(tag_findings("k", &"v".repeat(257)).len(), 1);
    }

    #[test]
    fn a_long_name_is_refused_with_both_numbers() {
        let mut findings = Vec::new();
        too_long("stack", &"s".repeat(128), 128, &mut findings);
        too_long("stack", &"s".repeat(129), 128, &mut findings);
        assert!(findings.len() == 1 && findings[0].contains("129 characters, 128 are allowed"), "{findings:?}");
    }

    fn sample(offset_ms: i64, uncertainty_ms: u32) -> ClockSample {
        ClockSample { service: "sqs".into(), at_ms: 0, offset_ms, uncertainty_ms }
    }

    #[test]
    fn a_clock_is_wrong_only_if_it_is_certainly_wrong() {
        assert_eq!(skew(&[sample(700, 510), sample(-700, 510)], 250), Vec::<String>::new());
        let found = skew(&[sample(5_000, 510)], 250);
        assert!(found.len() == 1 && found[0].contains("4490 ms") && found[0].contains("250 ms"), "{found:?}");
        // An exchange that a suspension of 30 minutes cut in two leaves no sample, so there is nothing to find.
        assert_eq!(skew(&[], 250), Vec::<String>::new());
    }

    #[test]
    fn credentials_that_end_too_early_are_refused_with_both_times() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/study-1.yaml");
        let loaded = crate::protocol::load(&path).expect("the study");
        let options = crate::plan::Options { profile: "canonical".into(), ..Default::default() };
        let mut plan = crate::plan::resolve(&loaded, &options).expect("a plan");
        plan.floor_ms = 15 * 60_000;
        let why = credential_life(&plan, 10 * 60_000).expect("too early");
        assert!(why.contains("end in 10 min") && why.contains("about 25 min"), "{why}");
        assert_eq!(credential_life(&plan, 26 * 60_000), None);
    }

    #[test]
    fn accounts_are_allowed_by_id_and_by_nothing_else() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/study-1.yaml");
        let loaded = crate::protocol::load(&path).expect("the study");
        let options = crate::plan::Options { profile: "canonical".into(), ..Default::default() };
        let mut plan = crate::plan::resolve(&loaded, &options).expect("a plan");
        let origin = |account: &str| Origin {
            endpoint_kind: "aws".into(),
            endpoint: None,
            account: account.into(),
            region: "us-east-1".into(),
            partition: "aws".into(),
        };
        plan.allowed_accounts = vec!["012345678901".into()];
        assert_eq!(account(&plan, &origin("012345678901")), None);
        let why = account(&plan, &origin("123456789012")).expect("refused");
        assert!(why.contains("123456789012") && why.contains("012345678901"), "{why}");
        let behind = |url: &str| Origin {
            endpoint_kind: "foreign".into(),
            endpoint: Some(url.into()),
            ..origin("123456789012")
        };
        assert!(account(&plan, &behind("https://vpce-1.example")).is_some(), "a proxy may lead to AWS");
        assert_eq!(account(&plan, &behind("http://127.0.0.1:4566")), None);
        assert_eq!(any_account(&plan, &origin("123456789012")), None);
        plan.allowed_accounts.clear();
        assert_eq!(account(&plan, &origin("123456789012")), None);
        let word = any_account(&plan, &origin("123456789012")).expect("a word");
        assert!(word.contains("[\"123456789012\"]"), "{word}");
        assert_eq!(any_account(&plan, &behind("http://127.0.0.1:4566")), None);
    }
}
