//! What a plan may not ask of AWS. Pure: the plan and what fills it in go in, findings come out.

use super::model::Plan;
use super::names::Filling;
use evidence::stage::Origin;

/// Time for stacks and listings on top of the mandated waits, milliseconds.
const OVERHEAD_MS: i64 = 10 * 60 * 1000;

/// Name lengths, template sizes and tags.
#[must_use]
pub fn findings(plan: &Plan, filling: &Filling) -> Vec<String> {
    let mut findings = Vec::new();
    for stack in &plan.stacks {
        let name = filling.fill(&stack.name);
        lengths(&name, &mut findings);
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

/// The longest names that the templates derive from a stack's name, against the services' limits (SQS 80 with
/// `.fifo`, Lambda 64, CloudFormation 128; each service's quotas page).
fn lengths(stack: &str, findings: &mut Vec<String>) {
    too_long("stack", stack, 128, findings);
    too_long("queue", &format!("{stack}-dead-letter.fifo"), 80, findings);
    too_long("function", &format!("{stack}-controller"), 64, findings);
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

/// Whether the account is one that the protocol allows.
#[must_use]
pub fn account(plan: &Plan, origin: &Origin) -> Option<String> {
    let restricted = origin.endpoint_kind == "aws" && !plan.allowed_accounts.is_empty();
    (restricted && !plan.allowed_accounts.contains(&origin.account)).then(|| {
        format!(
            "account {} is not allowed by the protocol (allowed: {})",
            origin.account,
            plan.allowed_accounts.join(", ")
        )
    })
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
    fn the_longest_derived_name_counts() {
        let mut findings = Vec::new();
        lengths(&"s".repeat(60), &mut findings);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].contains("71 characters, 64 are allowed"), "{findings:?}");
        lengths(&"s".repeat(40), &mut findings);
        assert_eq!(findings.len(), 1);
    }
}
