//! The command line: parse, set up logs and signals, dispatch, turn the end into an exit code.

mod args;
mod build;
mod cost;
mod deploy;
mod help;
mod init;
mod leftovers;
mod list;
mod local;
mod logs;
mod plan;
mod preregister;
mod publish;
mod report;
mod run;
mod signals;
mod tags;
mod verify;

use crate::exit::{Exit, Failure};
use crate::progress::{Format, Progress};
use args::{Cli, Command, LogFormat};
use clap::Parser as _;
use std::io::Write as _;
use std::process::ExitCode;

pub use signals::Shutdown;

/// Unoptimised builds of nested futures with SDK calls in them need more than the usual 2 MiB.
const STACK_BYTES: usize = 16 << 20;

/// Runs the program and gives its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    logs::init(&cli.common);
    let form = cli.common.log_format;
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK_BYTES).build()
    {
        Ok(runtime) => runtime,
        Err(error) => return end(Err(Failure::Internal(format!("cannot start the async runtime: {error}"))), form),
    };
    let work = runtime.spawn(Box::pin(dispatch(cli)));
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    let result = result.unwrap_or_else(|e| Err(Failure::Internal(format!("bug: {e}"))));
    end(result.map_err(|failure| continued(failure, std::env::args().skip(1))), form)
}

/// Each pause names the command that continues: the run's, or the same command again.
fn continued(failure: Failure, args: impl Iterator<Item = String>) -> Failure {
    match failure {
        Failure::Paused(text) if !text.contains("continue with: ") => {
            let words: Vec<_> = args.map(|arg| quoted(&arg)).collect();
            Failure::Paused(format!("paused: {text}\ncontinue with: assay {}", words.join(" ")))
        }
        other => other,
    }
}

/// An argument as a shell takes it.
fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) { arg.to_owned() } else { format!("'{}'", arg.replace('\'', "'\\''")) }
}

async fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    let progress = |json: bool| {
        Progress::new(if json {
            Format::Json
        } else if cli.common.log_format == LogFormat::Json {
            Format::Log
        } else if cli.common.quiet {
            Format::Quiet
        } else if cli.common.verbose > 0 {
            // Log lines would tear live ones.
            Format::Plain
        } else {
            Format::Human
        })
    };
    match cli.command {
        Command::Plan(args) => plan::plan(&args),
        Command::Audit(args) => {
            let progress = progress(args.output.json);
            leftovers::audit(args, progress).await
        }
        Command::Teardown(args) => {
            let progress = progress(args.output.json);
            leftovers::teardown(args, progress).await
        }
        Command::Publish(args) => publish::publish(&args),
        Command::Rejudge(args) => publish::rejudge(&args).await,
        Command::Preregister(args) => preregister::preregister(&args, progress(args.output.json)).await,
        Command::Schema => plan::schema(),
        Command::Report(args) => report::report(&args),
        Command::Init(args) => init::init(&args),
        Command::Completions(args) => help::completions(&args),
        Command::Man(args) => help::man(&args),
        Command::Deploy(args) => {
            let progress = progress(args.output.json);
            deploy::deploy(args, progress).await
        }
        Command::Delete(args) => {
            let progress = progress(args.output.json);
            deploy::delete(args, progress).await
        }
        Command::Tags(args) => {
            let progress = progress(args.json());
            tags::tags(args, progress).await
        }
        Command::Cost(args) => {
            let progress = progress(args.json());
            cost::cost(args, progress).await
        }
        Command::Build(args) => {
            let progress = progress(args.output.json);
            build::build(args, progress).await
        }
        Command::Rehearse(args) => run::rehearse(&args, progress(args.output.json)).await,
        Command::Run(args) => run::run(&args, progress(args.output.json)).await,
        Command::Resume(args) => run::resume(&args, progress(args.output.json)).await,
        Command::List(args) => list::list(&args),
        Command::Show(args) => list::show(&args),
        Command::Local(args) => local::local(&args).await,
        Command::Verify(args) => verify::verify(&args),
    }
}

/// clap's own exit code for usage errors is 2; ours is 64. Help and version are no errors.
fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { Exit::Usage.code() } else { Exit::Ok.code() })
}

fn end(result: Result<Exit, Failure>, form: LogFormat) -> ExitCode {
    let exit = match result {
        Ok(exit) => exit,
        Err(failure) => {
            match form {
                LogFormat::Json => tracing::error!(target: "assay", exit = failure.exit().code(), "{failure}"),
                LogFormat::Text => {
                    let text = crate::text::for_stderr(&format!("error: {failure}"));
                    let _ = writeln!(std::io::stderr().lock(), "{text}");
                }
            }
            failure.exit()
        }
    };
    ExitCode::from(exit.code())
}

/// Prints the final text of a command. A reader that went away is not an error.
fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{Failure, continued};

    #[test]
    fn a_pause_names_the_command_that_continues() {
        let args = || ["audit", "--tag", "team=a b's"].map(str::to_owned).into_iter();
        let told = |text: &str| continued(Failure::Paused(text.to_owned()), args()).to_string();
        assert_eq!(told("x"), "paused: x\ncontinue with: assay audit --tag 'team=a b'\\''s'");
        assert_eq!(told("x\ncontinue with: assay resume r"), "x\ncontinue with: assay resume r");
        assert_eq!(continued(Failure::Stopped("x".into()), args()).to_string(), "x");
    }
}
