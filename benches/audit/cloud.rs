//! The benchmark's cloud, in a process of its own: says where it is, then how often it was called whenever it is asked.

use super::{INDEXED, LATENCY_MS, QUEUES, TAG};
use localcloud::{Cloud, Options, Service};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};

/// Set for the process that is the cloud.
pub(crate) const ROLE: &str = "ASSAY_BENCH_CLOUD";

pub(crate) fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime");
    let cloud = runtime.block_on(seeded());
    tell(&cloud.endpoint());
    for _ in std::io::stdin().lock().lines() {
        let calls: BTreeMap<String, u64> =
            cloud.calls().into_iter().map(|((service, name), n)| (format!("{}:{name}", service.name()), n)).collect();
        tell(&serde_json::to_string(&calls).expect("JSON"));
    }
    runtime.block_on(cloud.shutdown());
}

fn tell(line: &str) {
    println!("{line}");
    std::io::stdout().flush().expect("stdout");
}

async fn seeded() -> Cloud {
    let options = Options { latency_ms: LATENCY_MS, ..Options::default() };
    let cloud = Cloud::start(options).await.expect("cloud");
    let tags = BTreeMap::from([(TAG.0.to_owned(), TAG.1.to_owned())]);
    for n in 0..QUEUES {
        let queue = json!({ "QueueName": format!("bench-{n:05}"), "tags": tags });
        cloud.seed("us-east-1", Service::Sqs, "CreateQueue", queue).await.expect("queue");
    }
    let group = |n| format!("arn:aws:logs:us-east-1:000000000000:log-group:/shared/group-{n:05}");
    cloud.seed_index("us-east-1", (QUEUES..INDEXED).map(group), &tags);
    cloud
}
