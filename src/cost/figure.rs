//! What billing said of a run, as those read it who come later: from a sealed amendment. Pure.

use super::standing::Standing;
use serde::Deserialize;

/// The file that an amendment keeps billing's answer in.
pub const COST_FILE: &str = "cost.json";

/// A sealed answer of billing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Figure {
    /// How the run's cost stood when billing was asked.
    pub standing: Standing,
    /// Sum under the run's tag, US dollars with six decimals; absent without a figure.
    pub total_usd: Option<String>,
}

/// One sentence about a run's cost. `figure` comes with the path of the sealed file that it stands in; without one, or
/// without a sum under the run's tag, the cost is unverified.
#[must_use]
pub fn billed(figure: Option<&(String, Figure)>) -> String {
    let Some((path, figure)) = figure else {
        return "`unverified`. Billing data arrives about a day later and is no part of the sealed evidence."
            .to_owned();
    };
    match (figure.standing, &figure.total_usd) {
        (Standing::Billed, Some(usd)) => format!("USD {usd}, `billed`: `{path}`."),
        (Standing::Estimated, Some(usd)) => format!("USD {usd}, `estimated` by billing and not final: `{path}`."),
        (Standing::Unattributed, _) => format!(
            "`unverified`. Billing has the account's usage, but none of it under the run's tag (`unattributed`): `{path}`."
        ),
        _ => format!("`unverified`. Billing had no figure for the run when it was asked: `{path}`."),
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, billed};

    fn said(json: &str) -> String {
        let figure: Figure = serde_json::from_str(json).expect("a figure");
        billed(Some(&("packages/amendment-1/cost.json".to_owned(), figure)))
    }

    #[test]
    fn a_sum_under_the_runs_tag_alone_is_a_figure() {
        assert!(billed(None).starts_with("`unverified`"));
        let of =
            |standing: &str, usd: &str| said(&format!(r#"{{"standing":"{standing}","total_usd":{usd},"run":"r"}}"#));
        assert_eq!(of("billed", r#""0.300000""#), "USD 0.300000, `billed`: `packages/amendment-1/cost.json`.");
        assert!(of("estimated", r#""0.300000""#).starts_with("USD 0.300000, `estimated`"));
        for standing in ["unattributed", "not_yet_available"] {
            assert!(of(standing, "null").starts_with("`unverified`"), "{standing}");
        }
    }
}
