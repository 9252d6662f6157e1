//! Quotas of the account. What the account may not be asked is a warning: the run can do without the answer.

use super::{Found, Templates};
use crate::cloud::{Failure as CallFailure, RefusalKind, quotas};
use crate::exit::Failure;
use crate::stages::session::Session;
use serde_json::Value;

/// Functions that a trial keeps busy at once: caller, provider, controller, and one more for a redelivery.
const AT_ONCE: i64 = 4;

pub(super) async fn look(
    session: &Session,
    stacks: Option<usize>,
    templates: &Templates,
    found: &mut Found,
) -> Result<(), Failure> {
    match quotas::stack_limit(&session.clients, session.page_cap()).await.into_result() {
        Ok(limit) => found.findings.extend(stacks_left(limit, stacks, session.plan.stacks.len())),
        Err(failure) => unknown(found, "cloudformation:DescribeAccountLimits", "the stack quota", &failure)?,
    }
    let artifact = session.plan.artifact.as_ref().map_or(0, |a| i64::try_from(a.size).unwrap_or(i64::MAX));
    let needed = artifact.saturating_mul(packages(templates));
    match quotas::functions(&session.clients).await.into_result() {
        Ok(quota) => found.findings.extend(functions_left(&quota, needed)),
        Err(failure) => unknown(found, "lambda:GetAccountSettings", "Lambda's quotas", &failure)?,
    }
    Ok(())
}

fn stacks_left(limit: Option<i64>, living: Option<usize>, needed: usize) -> Option<String> {
    let (limit, living) = (limit?, i64::try_from(living?).ok()?);
    let needed = i64::try_from(needed).ok()?;
    (living + needed > limit).then(|| {
        format!("the account may have {limit} stacks in this region and has {living}; the run needs {needed} more")
    })
}

fn functions_left(quota: &quotas::FunctionQuota, needed: i64) -> Vec<String> {
    let mut findings = Vec::new();
    if quota.unreserved < AT_ONCE {
        findings.push(format!(
            "Lambda leaves {} executions at once to functions without a reservation, a trial needs {AT_ONCE}",
            quota.unreserved
        ));
    }
    let left = quota.code_bytes.saturating_sub(quota.code_bytes_used);
    if needed > left {
        findings
            .push(format!("Lambda has room for {left} bytes of code, the run's functions and versions need {needed}"));
    }
    findings
}

/// Functions and versions, each of which counts its code (Lambda quotas, function and layer storage).
fn packages(templates: &Templates) -> i64 {
    let kinds = |template: &Value| -> usize {
        let resources = template.get("Resources").and_then(Value::as_object).into_iter().flat_map(|r| r.values());
        let counts =
            |r: &&Value| r.get("Type").is_some_and(|t| t == "AWS::Lambda::Function" || t == "AWS::Lambda::Version");
        resources.filter(counts).count()
    };
    let all: usize = templates.documents.iter().map(|(_, template, _)| kinds(template)).sum();
    i64::try_from(all).unwrap_or(i64::MAX)
}

fn unknown(found: &mut Found, action: &str, what: &str, failure: &CallFailure) -> Result<(), Failure> {
    if failure.kind() == Some(RefusalKind::Expired) {
        return Err(crate::stages::acts::stop(what, failure));
    }
    found.warnings.push(format!("{what} is not known: {action}: {failure}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_that_are_too_small_are_named_with_both_numbers() {
        assert_eq!(stacks_left(Some(2000), Some(1996), 4), None);
        assert!(stacks_left(Some(2000), Some(1997), 4).is_some_and(|why| why.contains("2000") && why.contains("1997")));
        assert_eq!(stacks_left(None, Some(1), 4), None);
        let quota = |unreserved, used| quotas::FunctionQuota { unreserved, code_bytes: 100, code_bytes_used: used };
        assert_eq!(functions_left(&quota(10, 40), 60), Vec::<String>::new());
        assert_eq!(functions_left(&quota(3, 41), 60).len(), 2);
    }
}
