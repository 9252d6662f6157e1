//! Reading a function's settings, with the service's defaults and bounds.

use super::errors::invalid;
use super::function::{Durable, Logging, Settings};
use super::input::Input;
use crate::error::ApiError;
use serde_json::Value;
use std::collections::BTreeMap;

/// Longest execution of a durable function: a year ("DurableConfig" in the service model).
const LONGEST_EXECUTION_S: i64 = 31_622_400;

/// Members that would change how a function runs and are not emulated, unless they are empty.
const NOT_EMULATED: [&str; 8] = [
    "CapacityProviderConfig",
    "CodeSigningConfigArn",
    "DeadLetterConfig",
    "FileSystemConfigs",
    "ImageConfig",
    "KMSKeyArn",
    "Layers",
    "VpcConfig",
];

/// Variables that Lambda sets itself and refuses ("Defined runtime environment variables").
const RESERVED: [&str; 17] = [
    "AWS_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_DEFAULT_REGION",
    "AWS_EXECUTION_ENV",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
    "AWS_LAMBDA_FUNCTION_NAME",
    "AWS_LAMBDA_FUNCTION_VERSION",
    "AWS_LAMBDA_LOG_GROUP_NAME",
    "AWS_LAMBDA_LOG_STREAM_NAME",
    "AWS_LAMBDA_RUNTIME_API",
    "AWS_REGION",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "LAMBDA_RUNTIME_DIR",
    "LAMBDA_TASK_ROOT",
    "_HANDLER",
    "_X_AMZN_TRACE_ID",
];

/// The settings of a new function.
pub(super) fn new(input: Input<'_>) -> Result<Settings, ApiError> {
    let runtime = input.text("Runtime").unwrap_or("provided.al2023");
    if !runtime.starts_with("provided") {
        return Err(ApiError::not_emulated(format!("the runtime {runtime}; it runs `bootstrap` packages only")));
    }
    let mut settings = Settings {
        runtime: runtime.to_owned(),
        handler: String::new(),
        role: input.required("Role")?.to_owned(),
        description: String::new(),
        timeout_s: 3,
        memory_mb: 128,
        storage_mb: 512,
        architecture: "x86_64".to_owned(),
        tracing: "PassThrough".to_owned(),
        environment: BTreeMap::new(),
        logging: Logging { format: "Text".to_owned(), group: None, application_level: None, system_level: None },
        durable: None,
    };
    if let Some(architecture) = input.list("Architectures").into_iter().next() {
        settings.architecture = architecture;
    }
    settings.durable = input.nested("DurableConfig").map(durable).transpose()?;
    change(&mut settings, input)?;
    Ok(settings)
}

/// Changes the settings that the input has.
pub(super) fn change(settings: &mut Settings, input: Input<'_>) -> Result<(), ApiError> {
    if let Some(member) = NOT_EMULATED.into_iter().find(|member| input.get(member).is_some_and(says_something)) {
        return Err(ApiError::not_emulated(format!("functions with {member}")));
    }
    let texts = [
        ("Handler", &mut settings.handler),
        ("Role", &mut settings.role),
        ("Description", &mut settings.description),
        ("Runtime", &mut settings.runtime),
    ];
    for (key, field) in texts {
        if let Some(text) = input.text(key) {
            text.clone_into(field);
        }
    }
    let numbers = [
        ("Timeout", 1, 900, &mut settings.timeout_s, input),
        ("MemorySize", 128, 10_240, &mut settings.memory_mb, input),
    ];
    for (key, low, high, field, source) in numbers {
        number(source, key, low, high, field)?;
    }
    if let Some(storage) = input.nested("EphemeralStorage") {
        number(storage, "Size", 512, 10_240, &mut settings.storage_mb)?;
    }
    if let Some(mode) = input.nested("TracingConfig").and_then(|tracing| tracing.text("Mode")) {
        mode.clone_into(&mut settings.tracing);
    }
    if let Some(environment) = input.nested("Environment") {
        settings.environment = variables(environment)?;
    }
    if let Some(logging) = input.nested("LoggingConfig") {
        change_logging(&mut settings.logging, logging);
    }
    if let Some(config) = input.nested("DurableConfig") {
        let config = durable(config)?;
        if settings.durable.is_none() {
            return Err(invalid("DurableConfig cannot be added to a function after it has been created"));
        }
        settings.durable = Some(config);
    }
    Ok(())
}

/// Whether a value has any text, number or flag in it.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => items.iter().any(says_something),
        Value::Object(members) => members.values().any(says_something),
        Value::Bool(flag) => *flag,
        Value::Number(_) => true,
    }
}

fn variables(environment: Input<'_>) -> Result<BTreeMap<String, String>, ApiError> {
    let variables = environment.texts("Variables");
    let reserved: Vec<&str> = RESERVED.into_iter().filter(|key| variables.contains_key(*key)).collect();
    if reserved.is_empty() {
        return Ok(variables);
    }
    Err(invalid(format!(
        "Lambda was unable to configure your environment variables because the environment variables you have provided \
         contains reserved keys that are currently not supported for modification. Reserved keys used in this request: {}",
        reserved.join(", ")
    )))
}

fn change_logging(logging: &mut Logging, input: Input<'_>) {
    if let Some(format) = input.text("LogFormat") {
        format.clone_into(&mut logging.format);
    }
    let optional = [
        ("LogGroup", &mut logging.group),
        ("ApplicationLogLevel", &mut logging.application_level),
        ("SystemLogLevel", &mut logging.system_level),
    ];
    for (key, field) in optional {
        if let Some(text) = input.text(key) {
            *field = Some(text.to_owned());
        }
    }
}

fn durable(input: Input<'_>) -> Result<Durable, ApiError> {
    let timeout = input.bounded("ExecutionTimeout", 1, LONGEST_EXECUTION_S)?;
    let timeout = timeout.ok_or_else(|| invalid("DurableConfig.ExecutionTimeout is required"))?;
    let retention = input.bounded("RetentionPeriodInDays", 1, 90)?.unwrap_or(14);
    if input.get("KMSKeyArn").is_some() {
        return Err(ApiError::not_emulated("keys of durable executions"));
    }
    Ok(Durable { execution_timeout_s: small(timeout), retention_days: small(retention) })
}

fn number(input: Input<'_>, key: &str, low: i64, high: i64, field: &mut u32) -> Result<(), ApiError> {
    if let Some(value) = input.bounded(key, low, high)? {
        *field = small(value);
    }
    Ok(())
}

fn small(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_may_be_text_and_are_bounded() {
        let input = json!({"Role": "r", "Timeout": "9", "DurableConfig": {"ExecutionTimeout": "300"}});
        let settings = new(Input(&input)).unwrap();
        assert_eq!(settings.timeout_s, 9);
        assert_eq!(settings.durable, Some(Durable { execution_timeout_s: 300, retention_days: 14 }));
        let input = json!({"Role": "r", "Timeout": 901});
        assert_eq!(new(Input(&input)).unwrap_err().code, "ValidationException");
    }

    #[test]
    fn a_function_does_not_become_durable_later() {
        let mut settings = new(Input(&json!({"Role": "r"}))).unwrap();
        let refused = change(&mut settings, Input(&json!({"DurableConfig": {"ExecutionTimeout": 1}}))).unwrap_err();
        assert_eq!(refused.code, "InvalidParameterValueException");
    }

    #[test]
    fn what_cannot_be_honoured_is_refused() {
        let refused = |input: Value| new(Input(&input)).unwrap_err();
        assert_eq!(refused(json!({"Role": "r", "Layers": ["arn"]})).code, "NotEmulated");
        assert!(new(Input(&json!({"Role": "r", "VpcConfig": {"SubnetIds": []}}))).is_ok());
        let reserved = refused(json!({"Role": "r", "Environment": {"Variables": {"AWS_REGION": "x", "OWN": "y"}}}));
        assert!(reserved.message.ends_with("Reserved keys used in this request: AWS_REGION"), "{reserved}");
    }

    #[test]
    fn other_runtimes_are_not_emulated() {
        assert_eq!(new(Input(&json!({"Role": "r", "Runtime": "python3.13"}))).unwrap_err().code, "NotEmulated");
    }
}
