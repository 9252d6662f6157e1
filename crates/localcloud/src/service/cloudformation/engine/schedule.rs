//! Order and concurrency: each thing starts as soon as all that it waits for is done.

use super::super::template::Dependencies;
use tokio::task::JoinSet;

/// What happens after the first failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterFailure {
    /// Nothing new starts.
    Stop,
    /// What does not depend on the failed one goes on.
    GoOn,
}

/// Runs `act` once for each key of `waits`, concurrently where it may; answers those for which it failed. Things
/// that wait for a failed one are left out.
pub(super) async fn run<A, F>(mut waits: Dependencies, after: AfterFailure, act: A) -> Vec<String>
where
    A: Fn(String) -> F,
    F: Future<Output = bool> + Send + 'static,
{
    let mut failed = Vec::new();
    let mut running = JoinSet::new();
    loop {
        if failed.is_empty() || after == AfterFailure::GoOn {
            for name in free(&waits) {
                waits.remove(&name);
                let work = act(name.clone());
                running.spawn(async move { (name, work.await) });
            }
        }
        match running.join_next().await {
            None => return failed,
            Some(Ok((name, true))) => waits.values_mut().for_each(|names| {
                names.remove(&name);
            }),
            Some(Ok((name, false))) => failed.push(name),
            // Only a bug ends a task without an answer; the stack then fails without a name.
            Some(Err(_)) => failed.push(String::new()),
        }
    }
}

fn free(waits: &Dependencies) -> Vec<String> {
    waits.iter().filter(|(_, names)| names.is_empty()).map(|(name, _)| name.clone()).collect()
}

/// The same graph seen from the other end: what has to be deleted before what.
pub(super) fn reversed(waits: &Dependencies) -> Dependencies {
    let mut reversed: Dependencies = waits.keys().map(|name| (name.clone(), Default::default())).collect();
    for (name, targets) in waits {
        for target in targets {
            if let Some(names) = reversed.get_mut(target) {
                names.insert(name.clone());
            }
        }
    }
    reversed
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn graph(edges: &[(&str, &[&str])]) -> Dependencies {
        let edge = |(name, targets): &(&str, &[&str])| {
            ((*name).to_owned(), targets.iter().map(|target| (*target).to_owned()).collect())
        };
        edges.iter().map(edge).collect()
    }

    async fn order(graph: Dependencies, after: AfterFailure, failing: &'static str) -> (Vec<String>, Vec<String>) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let failed = run(graph, after, |name| {
            let seen = Arc::clone(&seen);
            async move {
                seen.lock().unwrap().push(name.clone());
                name != failing
            }
        })
        .await;
        let seen = seen.lock().unwrap().clone();
        (seen, failed)
    }

    #[tokio::test]
    async fn everything_runs_after_what_it_waits_for() {
        let graph = graph(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
        assert_eq!(order(graph.clone(), AfterFailure::Stop, "").await.0, ["a", "b", "c"]);
        assert_eq!(order(reversed(&graph), AfterFailure::Stop, "").await.0, ["c", "b", "a"]);
    }

    #[tokio::test]
    async fn a_failure_keeps_back_what_depends_on_it() {
        let graph = graph(&[("a", &[]), ("b", &["a"]), ("c", &[]), ("d", &["c"])]);
        let (mut seen, failed) = order(graph, AfterFailure::GoOn, "a").await;
        seen.sort();
        assert_eq!((seen.join(""), failed), ("acd".to_owned(), vec!["a".to_owned()]));
    }
}
