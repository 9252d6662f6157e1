//! The environment variables of a function ("Defined runtime environment variables") and its log stream's name.

use crate::cloud::Cloud;
use crate::service::lambda::function::Version;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// All variables of the child; nothing of this process's environment is passed on.
pub(super) fn of(
    cloud: &Cloud,
    version: &Version,
    id: &str,
    log_stream: &str,
    runtime_api: SocketAddr,
) -> BTreeMap<String, String> {
    let settings = &version.settings;
    let mut variables = settings.environment.clone();
    let reserved = [
        ("_HANDLER", settings.handler.clone()),
        ("AWS_ACCESS_KEY_ID", access_key(id)),
        ("AWS_SECRET_ACCESS_KEY", "local".to_owned()),
        ("AWS_SESSION_TOKEN", crate::wire::FUNCTION_TOKEN.to_owned()),
        ("AWS_REGION", version.region.clone()),
        ("AWS_DEFAULT_REGION", version.region.clone()),
        ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
        ("AWS_LAMBDA_FUNCTION_NAME", version.name.clone()),
        ("AWS_LAMBDA_FUNCTION_VERSION", version.label()),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", settings.memory_mb.to_string()),
        ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand".to_owned()),
        ("AWS_LAMBDA_LOG_FORMAT", settings.logging.format.clone()),
        ("AWS_LAMBDA_LOG_GROUP_NAME", version.log_group()),
        ("AWS_LAMBDA_LOG_STREAM_NAME", log_stream.to_owned()),
        ("AWS_LAMBDA_RUNTIME_API", runtime_api.to_string()),
        ("LAMBDA_TASK_ROOT", version.code.root().display().to_string()),
        ("LAMBDA_RUNTIME_DIR", version.code.root().display().to_string()),
        ("LANG", "en_US.UTF-8".to_owned()),
        ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("TZ", ":UTC".to_owned()),
    ];
    variables.extend(reserved.map(|(key, value)| (key.to_owned(), value)));
    if let Some(level) = &settings.logging.application_level {
        variables.insert("AWS_LAMBDA_LOG_LEVEL".to_owned(), level.clone());
    }
    // On AWS there is no such variable; it is the one thing that leads the SDKs here.
    variables.insert("AWS_ENDPOINT_URL".to_owned(), cloud.endpoint());
    variables
}

/// Looks like the key of a role's temporary credentials.
fn access_key(id: &str) -> String {
    let tail: String = id.chars().take(16).collect();
    format!("ASIA{}", tail.to_uppercase())
}

/// `2026/11/30/[3]<id>`, with the function's name where the group is not the function's own.
pub(super) fn log_stream(version: &Version, id: &str, now_ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(now_ms).unwrap_or_default();
    let day = time.strftime("%Y/%m/%d");
    let label = version.label();
    match version.settings.logging.group {
        None => format!("{day}/[{label}]{id}"),
        Some(_) => format!("{day}/{}[{label}]{id}", version.name),
    }
}
