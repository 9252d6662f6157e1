//! `assay deploy` and `assay delete`.

use super::args::{Output, TargetArgs};
use super::{Shutdown, print};
use crate::cloud::{Clients, Surroundings, Target};
use crate::deploy::{self, Ask, Prepared};
use crate::exit::{Exit, Failure};
use crate::launch;
use crate::paused::unless_expired;
use crate::progress::Progress;
use crate::text::{COLUMNS, wrap};
use clap::Args;
use evidence::stage::Origin;
use serde::Serialize;
use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

/// Arguments of `assay deploy`.
#[derive(Debug, Args)]
pub(super) struct DeployArgs {
    /// Template file; its bytes are sent unchanged
    template: PathBuf,
    /// Stack name
    #[arg(long, value_name = "NAME")]
    stack: String,
    /// Stack tag, handed on to every resource that can carry it (repeatable)
    #[arg(long = "tag", value_name = "KEY=VALUE", required = true)]
    tags: Vec<String>,
    /// Template parameter (repeatable)
    #[arg(long = "param", value_name = "KEY=VALUE")]
    parameters: Vec<String>,
    /// Function zip or binary; sets ArtifactBucket, ArtifactKey and ArtifactSha256Base64
    #[arg(long, value_name = "PATH", requires = "bucket")]
    artifact: Option<PathBuf>,
    /// Existing bucket for the artifact and for templates above 51,200 bytes
    #[arg(long, value_name = "NAME")]
    bucket: Option<String>,
    #[command(flatten)]
    target: TargetArgs,
    /// Do not ask before the first write
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    pub(super) output: Output,
}

/// Arguments of `assay delete`.
#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    /// Stack name
    #[arg(long, value_name = "NAME")]
    stack: String,
    /// Also a stack that assay did not deploy, or one of a run
    #[arg(long)]
    any: bool,
    #[command(flatten)]
    target: TargetArgs,
    /// Do not ask before the first write
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    pub(super) output: Output,
}

/// Deploys a template.
pub(super) async fn deploy(args: DeployArgs, progress: Progress) -> Result<Exit, Failure> {
    let request = deploy::prepare(&Ask {
        template: args.template,
        stack: args.stack,
        tags: args.tags,
        parameters: args.parameters,
        artifact: args.artifact,
        bucket: args.bucket,
    })?;
    request.warnings.iter().for_each(|warning| progress.warn(warning.clone()));
    let clients = connect(&args.target).await?;
    let origin = launch::origin(&clients).await?;
    ask(&intention(&request, &origin), args.yes)?;
    let shutdown = Shutdown::listen(format!("assay delete --stack {}", request.stack))?;
    let token = shutdown.token();
    let work = deploy::deploy(&clients, &request, &origin, &progress, &token);
    let done = unless_expired(&clients, "deploy", |_| true, work).await;
    progress.finish();
    tell(&done?, &progress)?;
    Ok(Exit::Ok)
}

/// Deletes a stack; what it leaves behind on purpose is no clean end.
pub(super) async fn delete(args: DeleteArgs, progress: Progress) -> Result<Exit, Failure> {
    let clients = connect(&args.target).await?;
    let origin = launch::origin(&clients).await?;
    // Three reads more, for whoever is asked; with --yes the result tells what stayed.
    let stays = if args.yes { Ok(Vec::new()) } else { deploy::orphans(&clients, &args.stack).await };
    ask(&removal(&args.stack, &origin, &stays), args.yes)?;
    let shutdown = Shutdown::listen(format!("assay delete --stack {}", args.stack))?;
    let ask = deploy::Delete { stack: args.stack, any: args.any };
    let token = shutdown.token();
    let work = deploy::delete(&clients, &ask, &progress, &token);
    let gone = unless_expired(&clients, "delete", |_| true, work).await;
    progress.finish();
    let gone = gone?;
    tell(&gone, &progress)?;
    Ok(if gone.retained.is_empty() { Exit::Ok } else { Exit::Unclean })
}

/// What is about to go, and what of it will stay. Not to know that is no reason not to delete.
fn removal(stack: &str, origin: &Origin, stays: &Result<Vec<String>, Failure>) -> String {
    let head = format!("delete stack {stack} in account {} {}", origin.account, origin.region);
    match stays {
        Ok(orphans) => orphans.iter().fold(head, |text, orphan| text + "\n  will orphan " + orphan),
        Err(failure) => format!("{head}\n  what of it would stay is not known: {failure}"),
    }
}

/// Connects to what `--profile`, `--region` and `--endpoint-url` say.
pub(super) async fn connect(target: &TargetArgs) -> Result<Clients, Failure> {
    let target = Target {
        profile: target.profile.clone(),
        region: target.region.clone(),
        endpoint_url: target.endpoint_url.clone(),
    };
    launch::connect(&target, &Surroundings::from_env()).await
}

fn intention(request: &Prepared, origin: &Origin) -> String {
    let tags: Vec<_> = request.tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let needs = if request.capabilities.is_empty() {
        String::new()
    } else {
        format!(", acknowledging {}", request.capabilities.join(", "))
    };
    format!(
        "deploy stack {} to account {} in {}{needs}, tagged {}",
        request.stack,
        origin.account,
        origin.region,
        tags.join(" ")
    )
}

/// Says what is about to happen and asks once.
pub(super) fn ask(what: &str, yes: bool) -> Result<(), Failure> {
    let _ = writeln!(std::io::stderr().lock(), "{}", wrap(what, COLUMNS, 2));
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage("nobody is there to ask; add --yes to go on".to_owned()));
    }
    let _ = write!(std::io::stderr().lock(), "go on? [y/N] ");
    let mut answer = String::new();
    let _ = std::io::stdin().read_line(&mut answer);
    if answer.trim().eq_ignore_ascii_case("y") {
        Ok(())
    } else {
        Err(Failure::Usage("stopped before the first write".to_owned()))
    }
}

/// Text for people, one JSON line for programs.
pub(super) fn tell(result: &(impl Serialize + Display), progress: &Progress) -> Result<(), Failure> {
    if progress.is_json() {
        let line = serde_json::to_string(result).map_err(|e| Failure::Internal(e.to_string()))?;
        print(&format!("{line}\n"));
    } else {
        print(&result.to_string());
    }
    Ok(())
}
