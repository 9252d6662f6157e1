//! A laboratory for runs that are killed or disturbed: a local cloud in this process, the harness in one of its own.
//! The tests and `examples/matrix.rs` share it.
#![allow(dead_code, unused_imports, reason = "the tests use one part, the matrix another")]

mod beside;
mod impostor;
mod points;
mod problems;

pub(crate) use beside::cloudformation;
pub(crate) use impostor::impostor;
pub(crate) use points::{Point, disturbed, disturbed_in, kill_at, on_small_disk, rehearsed, rule, sample, scripts};

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

    /// Closes the cloud for good; gives the endpoint that it had.
    pub(crate) fn close(&mut self) -> String {
        let endpoint = self.cloud().endpoint();
        if let Some(cloud) = self.cloud.take() {
            self.runtime.block_on(cloud.shutdown());
        }
        endpoint
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
            // A machine without root certificates is enough for a cloud on this machine.
            .env("SSL_CERT_FILE", "/dev/null")
            .env("SSL_CERT_DIR", "/dev/null")
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

    /// Whether a package of the run is sealed.
    pub(crate) fn sealed(&self, package: &str) -> bool {
        self.events().iter().any(|e| e["type"] == "sealed" && e["package"] == package)
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

    /// Waits until it has said something on stderr.
    pub(crate) fn until_said(&self, words: &str) {
        let deadline = Instant::now() + BOUND;
        while !self.stderr().contains(words) {
            assert!(Instant::now() < deadline, "{words:?} was not said: {}", self.stderr());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn wait(self) -> Ended {
        self.within(BOUND)
    }

    /// Its end, which must come within this time.
    pub(crate) fn within(mut self, bound: Duration) -> Ended {
        let deadline = Instant::now() + bound;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("wait") {
                break status;
            }
            if Instant::now() > deadline {
                let _ = self.child.kill();
                panic!("no end within {bound:?}: {}", self.stderr());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        Ended { code: status.code(), stdout: read(&self.out), stderr: read(&self.err) }
    }
}
