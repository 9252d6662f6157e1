//! The lines that Lambda itself writes to a function's log ("Log and monitor function invocations").

use crate::service::lambda::function::Version;
use crate::time::iso;
use serde_json::json;

/// What a report says of one invocation.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) request_id: &'a str,
    pub(super) duration_ms: f64,
    pub(super) init_ms: Option<f64>,
    /// `success`, `failure`, `error` or `timeout`.
    pub(super) status: &'a str,
    pub(super) error_type: Option<&'a str>,
}

fn is_json(version: &Version) -> bool {
    version.settings.logging.format == "JSON"
}

/// The line before the first invocation of an environment.
pub(super) fn init_start(version: &Version, now_ms: i64) -> String {
    if is_json(version) {
        let record = json!({"initializationType": "on-demand", "phase": "init", "functionName": version.name,
            "functionVersion": version.label()});
        return json!({"time": iso(now_ms), "type": "platform.initStart", "record": record}).to_string();
    }
    format!("INIT_START Runtime Version: {}", version.settings.runtime)
}

/// The line that starts an invocation.
pub(super) fn start(version: &Version, request_id: &str, now_ms: i64) -> String {
    if is_json(version) {
        let record = json!({"requestId": request_id, "version": version.label()});
        return json!({"time": iso(now_ms), "type": "platform.start", "record": record}).to_string();
    }
    format!("START RequestId: {request_id} Version: {}", version.label())
}

/// The lines that end an invocation.
pub(super) fn end(version: &Version, report: &Report<'_>, now_ms: i64) -> Vec<String> {
    let memory = version.settings.memory_mb;
    let billed = report.duration_ms.max(0.0).ceil();
    if is_json(version) {
        let mut metrics = json!({"durationMs": report.duration_ms, "billedDurationMs": billed, "memorySizeMB": memory,
            "maxMemoryUsedMB": memory});
        if let Some(init) = report.init_ms {
            metrics["initDurationMs"] = init.into();
        }
        let mut record = json!({"requestId": report.request_id, "metrics": metrics, "status": report.status});
        if let Some(kind) = report.error_type {
            record["errorType"] = kind.into();
        }
        return vec![json!({"time": iso(now_ms), "type": "platform.report", "record": record}).to_string()];
    }
    let mut line = format!(
        "REPORT RequestId: {}\tDuration: {:.2} ms\tBilled Duration: {billed} ms\tMemory Size: {memory} MB\tMax Memory \
         Used: {memory} MB\t",
        report.request_id, report.duration_ms
    );
    if let Some(init) = report.init_ms {
        line.push_str(&format!("Init Duration: {init:.2} ms\t"));
    }
    if matches!(report.status, "timeout" | "error") {
        line.push_str(&format!("Status: {}\t", report.status));
    }
    if let Some(kind) = report.error_type {
        line.push_str(&format!("Error Type: {kind}\t"));
    }
    vec![format!("END RequestId: {}", report.request_id), line]
}
