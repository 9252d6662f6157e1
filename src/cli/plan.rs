//! `assay plan` and `assay schema`.

use super::args::{PlanArgs, PlanFormat};
use super::print;
use crate::exit::{Exit, Failure};
use crate::launch;
use crate::plan::{self, Options, Plan};
use crate::protocol::{self, Protocol};
use serde::Serialize;

/// Prints the resolved plan.
pub(super) fn plan(args: &PlanArgs) -> Result<Exit, Failure> {
    let loaded = protocol::load(&args.selection.protocol)?;
    let options = Options {
        profile: args.timing.clone(),
        only_variants: args.selection.variants.clone(),
        artifact: launch::last_built()?,
    };
    let plan = plan::resolve(&loaded, &options)?;
    print(&match args.format {
        PlanFormat::Human => plan::human(&plan),
        PlanFormat::Json => json(&plan)?,
    });
    Ok(Exit::Ok)
}

fn json(plan: &Plan) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Printed<'a> {
        digest: String,
        plan: &'a Plan,
    }
    let digest = plan.digest().map_err(|e| Failure::Internal(e.to_string()))?.to_string();
    pretty(&Printed { digest, plan })
}

/// Prints the JSON Schema of protocols.
pub(super) fn schema() -> Result<Exit, Failure> {
    print(&pretty(&schemars::schema_for!(Protocol))?);
    Ok(Exit::Ok)
}

/// Indented JSON and a newline.
pub(super) fn pretty(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|e| Failure::Internal(e.to_string()))
}
