//! Runs a program against a fresh cloud and measures it from outside.

use super::cloud::ROLE;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How a program did.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) code: Option<i32>,
    pub(crate) seconds: f64,
    pub(crate) peak_kib: u64,
    pub(crate) stderr: String,
    /// Calls by service and operation.
    counted: BTreeMap<String, u64>,
}

impl Measured {
    pub(crate) fn calls(&self) -> u64 {
        self.counted.values().sum()
    }

    pub(crate) fn of(&self, operation: &str) -> u64 {
        self.counted.get(operation).copied().unwrap_or_default()
    }
}

/// The cloud's process.
struct Neighbour {
    child: Child,
    input: ChildStdin,
    lines: BufReader<ChildStdout>,
}

impl Neighbour {
    fn start() -> (Self, String) {
        let this = std::env::current_exe().expect("this benchmark");
        let mut child = Command::new(this)
            .env(ROLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the cloud starts");
        let input = child.stdin.take().expect("stdin");
        let lines = BufReader::new(child.stdout.take().expect("stdout"));
        let mut cloud = Self { child, input, lines };
        let endpoint = cloud.line();
        (cloud, endpoint)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("the cloud answers");
        line.trim().to_owned()
    }

    /// Asks for the calls, and ends the process by closing its input.
    fn end(mut self) -> BTreeMap<String, u64> {
        writeln!(self.input, "calls").expect("the cloud listens");
        let calls = serde_json::from_str(&self.line()).expect("JSON");
        drop(self.input);
        self.child.wait().expect("the cloud ends");
        calls
    }
}

/// Runs a program to its end; `endpoint` is the option that takes the cloud's address.
pub(crate) fn run(mut command: Command, endpoint: &str, folder: &Path) -> Measured {
    let (cloud, address) = Neighbour::start();
    let file = |name: &str| std::fs::File::create(folder.join(name)).expect("file");
    let start = Instant::now();
    let mut child = command
        .args([endpoint, &address])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file("out"))
        .stderr(file("err"))
        .spawn()
        .expect("the program starts");
    let mut peak_kib = 0;
    let status = loop {
        peak_kib = peak_kib.max(resident_kib(child.id()));
        if let Some(status) = child.try_wait().expect("child") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let seconds = start.elapsed().as_secs_f64();
    let stderr = std::fs::read_to_string(folder.join("err")).unwrap_or_default();
    Measured { code: status.code(), seconds, peak_kib, stderr, counted: cloud.end() }
}

/// `VmHWM` of a process, or 0 once it is gone.
fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}
