//! What is wrong with a run that is over: by its packages, its journal, the cloud, and an audit of its own.

use super::{FAST, FAST_DURABLE, Lab};
use localcloud::Service;
use serde_json::Value;

impl Lab {
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
    pub(super) fn own_problems(&self, excused: bool) -> Vec<String> {
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
