//! What happens to functions when the process that runs the cloud is killed.

use super::support::{Lab, is_gone, until};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Set in the process that is to be killed.
const HOST: &str = "LOCALCLOUD_TEST_HOST";

/// A runtime that waits for work loses its connection and ends; one that is busy ends when it cannot answer.
#[tokio::test(flavor = "multi_thread")]
async fn functions_end_when_the_clouds_process_is_killed() {
    if std::env::var_os(HOST).is_some() {
        return host().await;
    }
    // A killed process cannot remove its folders.
    let folder = tempfile::tempdir().unwrap();
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lambda::orphans::functions_end_when_the_clouds_process_is_killed", "--nocapture"])
        .env(HOST, "1")
        .env("TMPDIR", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(host.stdout.take().unwrap()).lines();
    let pids = lines.map_while(Result::ok).find_map(|line| Some(line.split_once("pids ")?.1.to_owned())).unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    let pids: Vec<&str> = pids.split_whitespace().collect();
    assert_eq!(pids.len(), 2);
    for pid in pids {
        until("the function's process is gone", async || is_gone(&format!("/proc/{pid}"))).await;
    }
}

async fn host() {
    let lab = Lab::start().await;
    lab.plain("idle", "context", 3).await;
    let (idle, ..) = lab.call("idle", "{}").await;
    lab.plain("busy", "sleep", 30).await;
    let (busy, ..) = lab.call("busy", "{\"ms\": 1}").await;
    let work = lab.call("busy", "{\"ms\": 1000}");
    let announce = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        println!("pids {} {}", idle["pid"], busy["pid"]);
    };
    tokio::join!(work, announce);
    // Killed by now; if not, the test that started this fails rather than waits.
    tokio::time::sleep(Duration::from_secs(30)).await;
}
