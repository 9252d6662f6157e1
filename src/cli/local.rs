//! `assay local`: the local cloud on its own.

use super::args::LocalArgs;
use super::{Shutdown, print};
use crate::exit::{Exit, Failure};
use localcloud::{Cloud, Options};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs the cloud until it is asked to stop. For programs it then tells how often each operation was called.
pub(super) async fn local(args: &LocalArgs) -> Result<Exit, Failure> {
    let cloud = start(args.port, args.faults.as_deref(), args.seed).await?;
    let endpoint = cloud.endpoint();
    if args.output.json {
        print(&format!("{}\n", serde_json::json!({ "endpoint": endpoint, "region": "us-east-1" })));
    } else {
        print(&format!(
            "export AWS_ENDPOINT_URL={endpoint}\nexport AWS_ACCESS_KEY_ID=local\nexport AWS_SECRET_ACCESS_KEY=local\nexport AWS_REGION=us-east-1\n# Ctrl-C ends the cloud and everything in it\n"
        ));
    }
    let shutdown = Shutdown::listen("nothing is left to recover".to_owned())?;
    shutdown.token().cancelled().await;
    if args.output.json {
        let calls = cloud.calls();
        let calls: BTreeMap<_, _> = calls.iter().map(|((service, name), n)| (format!("{service}.{name}"), n)).collect();
        print(&format!("{}\n", serde_json::json!({ "calls": calls })));
    }
    cloud.shutdown().await;
    Ok(Exit::Ok)
}

/// Starts a cloud with an optional fault script.
pub(super) async fn start(port: u16, faults: Option<&Path>, seed: u64) -> Result<Cloud, Failure> {
    let faults = faults.map(script).transpose()?;
    let options = Options { port, faults, seed, ..Options::default() };
    Cloud::start(options).await.map_err(|e| Failure::Internal(e.to_string()))
}

fn script(path: &Path) -> Result<localcloud::fault::Script, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Usage(format!("cannot read fault script {}: {e}", path.display())))?;
    let document =
        yaml::Document::parse(&path.display().to_string(), &text, yaml::Dialect::Plain, yaml::Limits::default())?;
    Ok(document.deserialize()?)
}
