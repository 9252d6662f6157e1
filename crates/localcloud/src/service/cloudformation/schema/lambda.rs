//! Properties of functions and what belongs to them.

use super::{Field, Schema, Shape, TAGS, TEXTS};

pub(super) const FUNCTION: Schema = Schema {
    fields: &[
        Field::new("Architectures", TEXTS),
        Field::object(
            "Code",
            &[
                Field::text("ImageUri"),
                Field::text("S3Bucket"),
                Field::text("S3Key"),
                Field::text("S3ObjectVersion"),
                Field::text("SourceKMSKeyArn"),
                Field::text("ZipFile"),
            ],
        )
        .required(),
        Field::object("DeadLetterConfig", &[Field::text("TargetArn")]),
        Field::text("Description"),
        Field::object(
            "DurableConfig",
            &[
                Field::integer("ExecutionTimeout").required(),
                Field::text("KMSKeyArn"),
                Field::integer("RetentionPeriodInDays"),
            ],
        ),
        Field::object("Environment", &[Field::new("Variables", Shape::Map(&Shape::Text))]),
        Field::object("EphemeralStorage", &[Field::integer("Size").required()]),
        Field::text("FunctionName").create_only(),
        Field::text("Handler"),
        Field::text("KmsKeyArn"),
        Field::new("Layers", TEXTS),
        Field::object(
            "LoggingConfig",
            &[
                Field::text("ApplicationLogLevel"),
                Field::text("LogFormat"),
                Field::text("LogGroup"),
                Field::text("SystemLogLevel"),
            ],
        ),
        Field::integer("MemorySize"),
        Field::text("PackageType").create_only(),
        Field::text("RecursiveLoop"),
        Field::integer("ReservedConcurrentExecutions"),
        Field::text("Role").required(),
        Field::text("Runtime"),
        TAGS,
        Field::integer("Timeout"),
        Field::object("TracingConfig", &[Field::text("Mode")]),
    ],
    unemulated: &[
        "CapacityProviderConfig",
        "CodeSigningConfigArn",
        "FileSystemConfigs",
        "FunctionScalingConfig",
        "ImageConfig",
        "PublishToLatestPublished",
        "RuntimeManagementConfig",
        "SnapStart",
        "TenancyConfig",
        "VpcConfig",
    ],
};

pub(super) const VERSION: Schema = Schema {
    fields: &[
        Field::text("CodeSha256").create_only(),
        Field::text("Description").create_only(),
        Field::text("FunctionName").required().create_only(),
    ],
    unemulated: &["FunctionScalingConfig", "ProvisionedConcurrencyConfig", "RuntimePolicy"],
};

pub(super) const ALIAS: Schema = Schema {
    fields: &[
        Field::text("Description"),
        Field::text("FunctionName").required().create_only(),
        Field::text("FunctionVersion").required(),
        Field::text("Name").required().create_only(),
    ],
    unemulated: &["ProvisionedConcurrencyConfig", "RoutingConfig"],
};

const FILTERS: Shape = Shape::List(&Shape::Object(&[Field::text("Pattern")]));

pub(super) const EVENT_SOURCE_MAPPING: Schema = Schema {
    fields: &[
        Field::integer("BatchSize"),
        Field::boolean("BisectBatchOnFunctionError"),
        Field::object("DestinationConfig", &[Field::object("OnFailure", &[Field::text("Destination")])]),
        Field::boolean("Enabled"),
        Field::text("EventSourceArn").create_only(),
        Field::object("FilterCriteria", &[Field::new("Filters", FILTERS)]),
        Field::text("FunctionName").required(),
        Field::new("FunctionResponseTypes", TEXTS),
        Field::integer("MaximumBatchingWindowInSeconds"),
        Field::integer("MaximumRecordAgeInSeconds"),
        Field::integer("MaximumRetryAttempts"),
        Field::integer("ParallelizationFactor"),
        Field::object("ScalingConfig", &[Field::integer("MaximumConcurrency")]),
        Field::text("StartingPosition").create_only(),
        TAGS,
        Field::integer("TumblingWindowInSeconds"),
    ],
    unemulated: &[
        "AmazonManagedKafkaEventSourceConfig",
        "DocumentDBEventSourceConfig",
        "KmsKeyArn",
        "LoggingConfig",
        "MetricsConfig",
        "ProvisionedPollerConfig",
        "Queues",
        "SelfManagedEventSource",
        "SelfManagedKafkaEventSourceConfig",
        "SourceAccessConfigurations",
        "StartingPositionTimestamp",
        "Topics",
    ],
};

pub(super) const PERMISSION: Schema = Schema {
    fields: &[
        Field::text("Action").required().create_only(),
        Field::text("EventSourceToken").create_only(),
        Field::text("FunctionName").required().create_only(),
        Field::text("Principal").required().create_only(),
        Field::text("PrincipalOrgID").create_only(),
        Field::text("SourceAccount").create_only(),
        Field::text("SourceArn").create_only(),
    ],
    unemulated: &["FunctionUrlAuthType", "InvokedViaFunctionUrl"],
};
