//! A laboratory for runs that are killed or disturbed: a local cloud in this process, the harness in one of its own.
//! The tests and `examples/matrix.rs` share it.
#![allow(dead_code, reason = "the tests use one part, the matrix another")]

use localcloud::fault::Script;
use localcloud::{Cloud, Options, Service};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// No single process of a test lasts longer, on a machine that has other work too.
const BOUND: Duration = Duration::from_secs(300);
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// One variant, one trial per stage: a run in seconds.
pub(crate) const FAST: &str = "tests/fixtures/fast.yaml";
/// The same with a durable variant.
pub(crate) const FAST_DURABLE: &str = "tests/fixtures/fast-durable.yaml";
/// The study itself.
pub(crate) const STUDY: &str = "protocols/study-1.yaml";

/// A client that did not come from the harness.
pub(crate) fn cloudformation(endpoint: &str) -> aws_sdk_cloudformation::Client {
    use aws_sdk_cloudformation::config::{BehaviorVersion, Config, Credentials, Region};
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "test"))
        .endpoint_url(endpoint)
        .build();
    aws_sdk_cloudformation::Client::from_conf(config)
}

/// The programs under test.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) assay: PathBuf,
    bootstrap: PathBuf,
    oracle: PathBuf,
}

impl Programs {
    /// Finds what `cargo test --workspace` built beside the harness, or builds it, once, so that its many processes
    /// need not ask cargo.
    pub(crate) fn of(assay: &Path) -> Self {
        let (bootstrap, oracle) = (assay.with_file_name("bootstrap"), assay.with_file_name("oracle"));
        if bootstrap.is_file() && oracle.is_file() {
            return Self { assay: assay.to_owned(), bootstrap, oracle };
        }
        let built = assay::artifact::Build::local().expect("bootstrap and oracle");
        Self { assay: assay.to_owned(), bootstrap: built.bootstrap, oracle: built.oracle }
    }
}

/// One cloud and one folder of runs.
pub(crate) struct Lab {
    runtime: tokio::runtime::Runtime,
    cloud: Option<Cloud>,
    programs: Programs,
    folder: tempfile::TempDir,
    protocol: &'static str,
}

/// How a process of the harness ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Exit code; absent if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A harness at work.
pub(crate) struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Lab {
    pub(crate) fn open(programs: &Programs, script: Option<&str>) -> Self {
        Self::of(programs, script, FAST)
    }

    /// A laboratory for runs of one of the protocols above.
    pub(crate) fn of(programs: &Programs, script: Option<&str>, protocol: &'static str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("runtime");
        let faults = script.map(|text| Script::from_yaml("script", text).expect("script"));
        let cloud = runtime.block_on(Cloud::start(Options { faults, seed: 7, ..Options::default() })).expect("cloud");
        let folder = tempfile::tempdir().expect("folder");
        Self { runtime, cloud: Some(cloud), programs: programs.clone(), folder, protocol }
    }

    pub(crate) fn cloud(&self) -> &Cloud {
        self.cloud.as_ref().expect("open")
    }

    /// Closes the cloud for good; gives its address, which is free then.
    pub(crate) fn close_cloud(&mut self) -> String {
        let cloud = self.cloud.take().expect("open");
        let address = cloud.endpoint().trim_start_matches("http://").to_owned();
        self.runtime.block_on(cloud.shutdown());
        address
    }

    pub(crate) fn runs(&self) -> PathBuf {
        self.folder.path().join("runs")
    }

    /// Plays other faults, or none, from now on.
    pub(crate) fn faults(&self, script: &str) {
        self.cloud().set_faults(Script::from_yaml("script", script).expect("script"));
    }

    /// The harness with an environment of its own.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os().filter(|(n, _)| n.to_string_lossy().starts_with("AWS_")) {
            command.env_remove(name);
        }
        command
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("ASSAY_BOOTSTRAP", &self.programs.bootstrap)
            .env("ASSAY_ORACLE", &self.programs.oracle)
            .stdin(Stdio::null());
        command
    }

    /// Arguments of a run of the lab's protocol.
    pub(crate) fn run_args(&self) -> Vec<String> {
        let protocol = format!("{ROOT}/{}", self.protocol);
        let (endpoint, runs) = (self.cloud().endpoint(), self.runs().display().to_string());
        let args = [
            "run",
            &protocol,
            "--timing",
            "rehearsal",
            "--endpoint-url",
            &endpoint,
            "--yes",
            "--runs",
            &runs,
            "--json",
        ];
        args.map(str::to_owned).to_vec()
    }

    pub(crate) fn start(&self, args: &[String]) -> Running {
        let mut command = self.command(&self.programs.assay);
        command.args(args);
        self.spawn(command)
    }

    /// Starts a command with its output in files, so that nothing blocks on a pipe.
    pub(crate) fn spawn(&self, mut command: Command) -> Running {
        let file = |name: &str| tempfile::Builder::new().prefix(name).tempfile_in(self.folder.path()).expect("file");
        let keep = |file: tempfile::NamedTempFile| file.keep().expect("keep");
        let ((out_file, out), (err_file, err)) = (keep(file("out")), keep(file("err")));
        let child = command.stdout(out_file).stderr(err_file).spawn().expect("start");
        Running { child, out, err }
    }

    pub(crate) fn start_run(&self) -> Running {
        self.start(&self.run_args())
    }

    /// `assay resume` of the lab's run.
    pub(crate) fn resume(&self) -> Ended {
        self.assay(&["resume", &self.run_folder().expect("run").display().to_string(), "--yes", "--json"])
    }

    /// `assay resume` of the lab's run, at work.
    pub(crate) fn start_resume(&self) -> Running {
        let folder = self.run_folder().expect("run").display().to_string();
        self.start(&["resume", &folder, "--yes", "--json"].map(str::to_owned))
    }

    /// The harness with a file system of these mount options over the folder of runs; what it holds in the end is kept
    /// there. Nothing if the system lets nobody mount.
    pub(crate) fn within_mount(&self, options: &str, args: &[String]) -> Option<Ended> {
        let may_mount = Command::new("unshare").args(["--user", "--map-root-user", "--mount", "true"]).status();
        if !may_mount.is_ok_and(|status| status.success()) {
            return None;
        }
        std::fs::create_dir_all(self.runs()).expect("folder");
        let (runs, kept) = (self.runs(), self.folder.path().join("kept"));
        let script = format!(
            "mount -t tmpfs -o {options} tmpfs '{0}' && {{ \"$0\" \"$@\"; code=$?; mkdir '{1}'; cp -a '{0}/.' '{1}/'; exit $code; }}",
            runs.display(),
            kept.display()
        );
        let mut command = self.command(Path::new("unshare"));
        command
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
            .arg(&self.programs.assay)
            .args(args);
        let ended = self.spawn(command).wait();
        if kept.is_dir() {
            std::fs::remove_dir(&runs).expect("the mount point is empty again");
            std::fs::rename(&kept, &runs).expect("rename");
        }
        Some(ended)
    }

    /// Any command of the harness, to its end.
    pub(crate) fn assay(&self, args: &[&str]) -> Ended {
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
        self.start(&args).wait()
    }

    /// The one run of this lab.
    pub(crate) fn run_folder(&self) -> Option<PathBuf> {
        let entries = std::fs::read_dir(self.runs()).ok()?;
        entries.filter_map(Result::ok).map(|e| e.path()).find(|p| p.join("journal.jsonl").is_file())
    }

    pub(crate) fn lines(&self) -> usize {
        let journal = self.run_folder().and_then(|f| std::fs::read(f.join("journal.jsonl")).ok());
        journal.map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count())
    }

    /// The journal's events, as JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = self.run_folder().and_then(|f| std::fs::read_to_string(f.join("journal.jsonl")).ok());
        let text = text.unwrap_or_default();
        text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()).map(|l| l["event"].clone()).collect()
    }

    pub(crate) fn results(&self) -> Value {
        let text = self.run_folder().and_then(|f| std::fs::read_to_string(f.join("results.json")).ok());
        text.and_then(|t| serde_json::from_str(&t).ok()).unwrap_or(Value::Null)
    }

    pub(crate) fn calls(&self, service: Service, operation: &str) -> u64 {
        self.cloud().calls().get(&(service, operation.to_owned())).copied().unwrap_or_default()
    }

    /// Names of stacks that are not deleted, as the cloud itself tells.
    pub(crate) fn living_stacks(&self) -> Vec<String> {
        let client = cloudformation(&self.cloud().endpoint());
        let listed = self.runtime.block_on(client.list_stacks().send()).expect("list stacks");
        let living = listed.stack_summaries().iter();
        let living = living.filter(|s| s.stack_status().is_some_and(|s| s.as_str() != "DELETE_COMPLETE"));
        living.filter_map(|s| s.stack_name().map(str::to_owned)).collect()
    }

    /// Whether a package of the run is sealed.
    pub(crate) fn sealed(&self, package: &str) -> bool {
        self.events().iter().any(|e| e["type"] == "sealed" && e["package"] == package)
    }

    /// Makes a log group that no stack owns.
    pub(crate) fn log_group(&self, name: &str, tags: &[(&str, &str)]) {
        use aws_sdk_cloudwatchlogs::config::{BehaviorVersion, Config, Credentials, Region};
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("local", "local", None, None, "test"))
            .endpoint_url(self.cloud().endpoint())
            .build();
        let mut call = aws_sdk_cloudwatchlogs::Client::from_conf(config).create_log_group().log_group_name(name);
        for (key, value) in tags {
            call = call.tags(*key, *value);
        }
        self.runtime.block_on(call.send()).expect("a log group");
    }

    /// Ends the cloud; gives the endpoint that it had.
    pub(crate) fn close(&mut self) -> String {
        let cloud = self.cloud.take().expect("open");
        let endpoint = cloud.endpoint();
        self.runtime.block_on(cloud.shutdown());
        endpoint
    }

    /// Tags of queues, as the cloud itself tells.
    pub(crate) fn queue_tags(&self, names: &[&str]) -> Vec<std::collections::HashMap<String, String>> {
        let client = self.sqs();
        let read = |name: &&str| {
            let tags = client.list_queue_tags().queue_url(self.queue_url(name)).send();
            self.runtime.block_on(tags).expect("tags").tags.unwrap_or_default()
        };
        names.iter().map(read).collect()
    }

    /// Gives a queue another value of a tag.
    pub(crate) fn tag_queue(&self, name: &str, key: &str, value: &str) {
        let tag = self.sqs().tag_queue().queue_url(self.queue_url(name)).tags(key, value).send();
        self.runtime.block_on(tag).expect("tagged");
    }

    /// Takes a tag from a queue.
    pub(crate) fn untag_queue(&self, name: &str, key: &str) {
        let untag = self.sqs().untag_queue().queue_url(self.queue_url(name)).tag_keys(key).send();
        self.runtime.block_on(untag).expect("untagged");
    }

    fn queue_url(&self, name: &str) -> String {
        format!("{}/000000000000/{name}", self.cloud().endpoint())
    }

    fn sqs(&self) -> aws_sdk_sqs::Client {
        use aws_sdk_sqs::config::{BehaviorVersion, Config, Credentials, Region};
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("local", "local", None, None, "test"))
            .endpoint_url(self.cloud().endpoint())
            .build();
        aws_sdk_sqs::Client::from_conf(config)
    }

    /// Waits until a condition holds or the harness has ended; false if it ended first.
    pub(crate) fn until(&self, running: &mut Running, holds: impl Fn(&Self) -> bool) -> bool {
        let deadline = Instant::now() + BOUND;
        while Instant::now() < deadline {
            if holds(self) {
                return true;
            }
            if running.child.try_wait().expect("wait").is_some() {
                return holds(self);
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        panic!("the condition did not come within {BOUND:?}");
    }

    /// What is wrong with a run that is over; empty if nothing is.
    pub(crate) fn problems(&self, code: Option<i32>, repeats: u64) -> Vec<String> {
        let mut problems = Vec::new();
        if !matches!(code, Some(0 | 10 | 20 | 64)) {
            problems.push(format!("exit {code:?}"));
        }
        let living = self.living_stacks();
        if !living.is_empty() {
            problems.push(format!("left: {}", living.join(", ")));
        }
        let (sends, trials) = (self.calls(Service::Sqs, "SendMessage"), self.queued_trials());
        if sends > trials + repeats {
            problems.push(format!("{sends} messages sent, {trials} trials have one"));
        }
        if self.run_folder().is_some() {
            problems.extend(self.own_problems(code == Some(64)));
            problems.extend(self.audited());
        }
        problems
    }

    /// What is wrong by the run's own folder: packages, acts, and, unless it is excused, cleanup.
    fn own_problems(&self, excused: bool) -> Vec<String> {
        let Some(folder) = self.run_folder() else { return vec!["no run".to_owned()] };
        let mut problems = Vec::new();
        let report = evidence::verify::verify(&[&folder], &evidence::verify::Options::default());
        if !report.valid {
            problems.push("the packages do not verify".to_owned());
        }
        problems.extend(self.twice());
        let results = self.results();
        if !excused && results["teardown"]["complete"] != true {
            problems.push(format!("teardown: {}", results["teardown"]["summary"]));
        }
        if !excused && !results["audit"]["summary"].as_str().unwrap_or_default().starts_with("clean") {
            problems.push(format!("audit: {}", results["audit"]["summary"]));
        }
        problems
    }

    /// The last word on every cloud that outlives a run: an audit of its own process, against what the run sealed and by
    /// tag and prefix where it never came so far. Empty if cleanup is proven.
    pub(crate) fn audited(&self) -> Vec<String> {
        let run = self.run_folder().filter(|_| !self.results().is_null()).map(|f| f.display().to_string());
        let endpoint = self.cloud().endpoint();
        let study = match self.protocol {
            FAST => "assay:study=fast",
            FAST_DURABLE => "assay:study=fast-durable",
            _ => "assay:study=study-1",
        };
        let by_tag = ["--tag", study, "--region", "us-east-1", "--prefix", "assay-", "--endpoint-url"];
        let ended = match &run {
            Some(run) => self.assay(&["audit", "--run", run]),
            None => self.assay(&[&["audit"], &by_tag[..], &[&endpoint]].concat()),
        };
        match ended.code {
            Some(0) => Vec::new(),
            code => vec![format!("audited again ({code:?}): {}{}", ended.stdout, ended.stderr)],
        }
    }

    /// Trials of the run's plan that are started by a message.
    fn queued_trials(&self) -> u64 {
        let text = self.run_folder().and_then(|f| std::fs::read_to_string(f.join("plan.json")).ok());
        let plan: Value = text.and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default();
        let trials = plan["trials"].as_array().map(Vec::as_slice).unwrap_or_default();
        trials.iter().filter(|t| t["queued"] == true).count() as u64
    }

    /// Acts that the journal tells as effective more than once.
    fn twice(&self) -> Vec<String> {
        let events = self.events();
        let done = events.iter().filter(|e| e["type"] == "outcome" && e["outcome"] == "done");
        let keys: Vec<&str> = done.filter_map(|e| e["key"].as_str()).collect();
        let repeated = keys.iter().enumerate().filter(|(i, key)| keys.iter().take(*i).any(|k| k == *key));
        repeated.map(|(_, key)| format!("{key} took effect twice")).collect()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if let Some(cloud) = self.cloud.take() {
            self.runtime.block_on(cloud.shutdown());
        }
    }
}

impl Running {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL: nothing of the process runs after this.
    pub(crate) fn kill(mut self) -> Ended {
        let _ = self.child.kill();
        self.wait()
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw).expect("pid");
        rustix::process::kill_process(pid, signal).expect("signal");
    }

    pub(crate) fn stderr(&self) -> String {
        std::fs::read_to_string(&self.err).unwrap_or_default()
    }

    pub(crate) fn wait(mut self) -> Ended {
        let deadline = Instant::now() + BOUND;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("wait") {
                break status;
            }
            if Instant::now() > deadline {
                let _ = self.child.kill();
                panic!("no end within {BOUND:?}: {}", self.stderr());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        Ended { code: status.code(), stdout: read(&self.out), stderr: read(&self.err) }
    }
}

/// One tried point.
#[derive(Debug)]
pub(crate) struct Point {
    /// What was done to the run.
    pub(crate) name: String,
    /// How the first process ended, then the last one.
    pub(crate) ends: String,
    /// Exit code of the last process.
    pub(crate) code: Option<i32>,
    /// What is wrong; empty if nothing is.
    pub(crate) problems: Vec<String>,
}

/// Kills the harness once its journal has `line` lines, resumes it and looks at the end.
pub(crate) fn kill_at(programs: &Programs, protocol: &'static str, line: usize) -> Point {
    let lab = Lab::of(programs, None, protocol);
    let mut running = lab.start_run();
    lab.until(&mut running, |lab| lab.lines() >= line);
    let first = running.kill();
    let reached = lab.lines();
    let name = format!("kill at line {line} (had {reached})");
    if lab.events().last().is_some_and(|e| e["type"] == "run_ended") {
        let again = lab.resume();
        let mut problems = lab.problems(first.code.or(Some(0)), 0);
        if again.code != Some(64) || !again.stderr.contains("has ended") {
            problems.push(format!("an ended run is taken up again: {}", again.stderr));
        }
        return Point { name, ends: "ended before the kill".to_owned(), code: first.code.or(Some(0)), problems };
    }
    let again = lab.resume();
    let mut problems = lab.problems(again.code, 0);
    if again.code == Some(64) {
        problems.push(format!("resume refused: {}", again.stderr.trim()));
    }
    if again.code == Some(20) {
        let reason = lab.results()["stopped"].as_str().unwrap_or("a trial without proof").to_owned();
        return Point { name, ends: format!("killed; 20: {reason}"), code: again.code, problems };
    }
    Point { name, ends: format!("killed; {}", told(&again)), code: again.code, problems }
}

/// Runs with a script; what pauses is resumed without faults, what cannot be cleaned is cleaned as it is told to.
pub(crate) fn disturbed(programs: &Programs, name: &str, script: &str, repeats: u64) -> Point {
    disturbed_in(programs, FAST, name, script, repeats)
}

/// As [`disturbed`], with another protocol.
pub(crate) fn disturbed_in(
    programs: &Programs,
    protocol: &'static str,
    name: &str,
    script: &str,
    repeats: u64,
) -> Point {
    let lab = Lab::of(programs, Some(script), protocol);
    let first = lab.start_run().wait();
    let mut ends = told(&first);
    let mut last = first;
    if last.code == Some(75) {
        lab.faults("rules: []");
        let told_how = last.stderr.contains("assay resume");
        last = lab.resume();
        ends = format!("{ends}; resumed: {}", told(&last));
        if !told_how {
            last.stderr.push_str("(no command was printed)");
            last.code = None;
        }
    }
    if matches!(last.code, Some(40 | 70)) {
        lab.faults("rules: []");
        if let Some(folder) = lab.run_folder() {
            let (command, option) =
                if last.code == Some(40) { ("teardown", "--empty-buckets") } else { ("resume", "--yes") };
            let recovered = lab.assay(&[command, &folder.display().to_string(), option]);
            ends = format!("{ends}; {command}: {}", told(&recovered));
            let living = lab.living_stacks();
            let mut problems =
                if living.is_empty() { Vec::new() } else { vec![format!("left: {}", living.join(", "))] };
            problems.extend(lab.audited());
            return Point { name: name.to_owned(), ends, code: last.code, problems };
        }
    }
    let mut problems = lab.problems(last.code, repeats);
    if last.code == Some(64) && lab.run_folder().is_some() && lab.results().is_null() {
        problems.push(format!("refused without an end: {}", last.stderr.trim()));
    }
    Point { name: name.to_owned(), ends, code: last.code, problems }
}

/// Runs on a disk that holds the function artifact and this much more, then goes on with all the space of the world.
pub(crate) fn on_small_disk(programs: &Programs, more_kib: usize) -> Option<Point> {
    let lab = Lab::open(programs, None);
    let packed = assay::artifact::Artifact::of_bootstrap(&std::fs::read(&programs.bootstrap).expect("bootstrap"));
    let size_kib = packed.expect("artifact").zip.len().div_ceil(4096) * 4 + more_kib;
    let full = lab.within_mount(&format!("size={size_kib}k"), &lab.run_args())?;
    let name = format!("disk full {more_kib} KiB after the artifact");
    let mut ends = told(&full);
    let mut problems = Vec::new();
    if let Some(folder) = lab.run_folder() {
        let sealed = evidence::verify::verify(&[&folder], &evidence::verify::Options::default());
        if !sealed.valid {
            problems.push("the packages do not verify after the disk was full".to_owned());
        }
    }
    let mut code = full.code;
    if code != Some(0) {
        if code != Some(70) || !full.stderr.contains("No space left on device") {
            problems.push(format!("a full disk is not said: {}", full.stderr.trim()));
        }
        if lab.events().last().is_some_and(|e| e["type"] == "run_ended") {
            ends = format!("{ends}; cleaned up all the same");
            problems.extend(lab.problems(Some(0), 0));
        } else if lab.run_folder().is_some_and(|folder| folder.join("plan.json").is_file()) && lab.lines() > 0 {
            let again = lab.resume();
            ends = format!("{ends}; resumed: {}", told(&again));
            code = again.code;
            problems.extend(lab.problems(again.code, 0));
        } else if !lab.living_stacks().is_empty() {
            problems.push("stacks without a run".to_owned());
        }
    }
    Some(Point { name, ends, code, problems })
}

/// The committed fault scripts, by name.
pub(crate) fn scripts() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(ROOT).join("protocols/faults")).expect("scripts");
    let mut paths: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    paths
}

/// Rehearses with a fault script and compares the end with what the script's own comment says: `# Ends with N.`
pub(crate) fn rehearsed(programs: &Programs, protocol: &'static str, script: &Path) -> (Point, Lab) {
    let text = std::fs::read_to_string(script).expect("script");
    let said = text.lines().find_map(|line| line.strip_prefix("# Ends with ")).expect("an expected end");
    let expected: i32 = said.trim_end_matches('.').parse().expect("an exit code");
    let lab = Lab::of(programs, None, protocol);
    let (protocol, faults) = (format!("{ROOT}/{protocol}"), script.display().to_string());
    let runs = lab.runs().display().to_string();
    let args = ["rehearse", &protocol, "--faults", &faults, "--seed", "1", "--runs", &runs, "--json"];
    let ended = lab.assay(&args);
    let mut problems = if expected == 75 { Vec::new() } else { lab.own_problems(expected == 40) };
    if ended.code != Some(expected) {
        problems.push(format!("exit {:?}, its comment says {expected}", ended.code));
    }
    let name = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (Point { name, ends: told(&ended), code: ended.code, problems }, lab)
}

fn told(ended: &Ended) -> String {
    let code = ended.code.map_or_else(|| "signal".to_owned(), |c| c.to_string());
    let error = ended.stderr.lines().find(|l| l.starts_with("error:")).unwrap_or_default();
    let json = ended.stdout.lines().last().and_then(|l| serde_json::from_str::<Value>(l).ok()).unwrap_or_default();
    let stopped = json["stopped"].as_str().unwrap_or_default();
    let why = if error.is_empty() { stopped } else { error };
    let why: String = why.chars().take(110).collect();
    if why.is_empty() { code } else { format!("{code}: {why}") }
}

/// A script with one rule.
pub(crate) fn rule(service: &str, operation: &str, when: &str, effect: &str) -> String {
    format!("rules:\n  - service: {service}\n    operation: {operation}\n    when: {when}\n    effect: {effect}\n")
}

/// SplitMix64: points of a sample, the same on every machine.
pub(crate) fn sample(seed: u64, count: usize, below: usize) -> Vec<usize> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % below.max(1) as u64).unwrap_or_default()
    };
    (0..count).map(|_| next()).collect()
}
