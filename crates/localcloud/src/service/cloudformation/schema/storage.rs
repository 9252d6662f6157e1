//! Properties of buckets, tables, queues and log groups.

use super::{Field, Schema, Shape, TAGS, TEXTS};

pub(super) const BUCKET: Schema = Schema {
    fields: &[
        Field::text("BucketName").create_only(),
        Field::object(
            "BucketEncryption",
            &[Field::list(
                "ServerSideEncryptionConfiguration",
                &Shape::Object(&[
                    Field::boolean("BucketKeyEnabled"),
                    Field::object(
                        "ServerSideEncryptionByDefault",
                        &[Field::text("SSEAlgorithm").required(), Field::text("KMSMasterKeyID")],
                    ),
                ]),
            )
            .required()],
        ),
        Field::object("LifecycleConfiguration", &[Field::list("Rules", &Shape::Json).required()]),
        Field::object(
            "OwnershipControls",
            &[Field::list("Rules", &Shape::Object(&[Field::text("ObjectOwnership").required()])).required()],
        ),
        Field::object(
            "PublicAccessBlockConfiguration",
            &[
                Field::boolean("BlockPublicAcls"),
                Field::boolean("BlockPublicPolicy"),
                Field::boolean("IgnorePublicAcls"),
                Field::boolean("RestrictPublicBuckets"),
            ],
        ),
        TAGS,
        Field::object("VersioningConfiguration", &[Field::text("Status").required()]),
    ],
    unemulated: &[
        "AbacStatus",
        "AccelerateConfiguration",
        "AccessControl",
        "AnalyticsConfigurations",
        "CorsConfiguration",
        "IntelligentTieringConfigurations",
        "InventoryConfigurations",
        "LoggingConfiguration",
        "MetadataConfiguration",
        "MetadataTableConfiguration",
        "MetricsConfigurations",
        "NotificationConfiguration",
        "ObjectLockConfiguration",
        "ObjectLockEnabled",
        "ReplicationConfiguration",
        "WebsiteConfiguration",
    ],
};

const KEY_SCHEMA: Shape =
    Shape::List(&Shape::Object(&[Field::text("AttributeName").required(), Field::text("KeyType").required()]));
const PROJECTION: Field =
    Field::object("Projection", &[Field::text("ProjectionType"), Field::new("NonKeyAttributes", TEXTS)]);
const THROUGHPUT: &[Field] =
    &[Field::integer("ReadCapacityUnits").required(), Field::integer("WriteCapacityUnits").required()];

pub(super) const TABLE: Schema = Schema {
    fields: &[
        Field::text("TableName").create_only(),
        Field::list(
            "AttributeDefinitions",
            &Shape::Object(&[Field::text("AttributeName").required(), Field::text("AttributeType").required()]),
        ),
        Field::text("BillingMode"),
        Field::boolean("DeletionProtectionEnabled"),
        Field::list(
            "GlobalSecondaryIndexes",
            &Shape::Object(&[
                Field::text("IndexName").required(),
                Field::new("KeySchema", KEY_SCHEMA).required(),
                PROJECTION.required(),
                Field::object("ProvisionedThroughput", THROUGHPUT),
            ]),
        ),
        Field::new("KeySchema", KEY_SCHEMA).required().create_only(),
        Field::list(
            "LocalSecondaryIndexes",
            &Shape::Object(&[
                Field::text("IndexName").required(),
                Field::new("KeySchema", KEY_SCHEMA).required(),
                PROJECTION.required(),
            ]),
        )
        .create_only(),
        Field::object(
            "PointInTimeRecoverySpecification",
            &[Field::boolean("PointInTimeRecoveryEnabled"), Field::integer("RecoveryPeriodInDays")],
        ),
        Field::object("ProvisionedThroughput", THROUGHPUT),
        Field::object(
            "SSESpecification",
            &[Field::boolean("SSEEnabled").required(), Field::text("SSEType"), Field::text("KMSMasterKeyId")],
        ),
        Field::object("StreamSpecification", &[Field::text("StreamViewType").required(), TAGS]),
        Field::text("TableClass"),
        TAGS,
        Field::object("TimeToLiveSpecification", &[Field::boolean("Enabled").required(), Field::text("AttributeName")]),
    ],
    unemulated: &[
        "ContributorInsightsSpecification",
        "ImportSourceSpecification",
        "KinesisStreamSpecification",
        "OnDemandThroughput",
        "ResourcePolicy",
        "WarmThroughput",
    ],
};

pub(super) const QUEUE: Schema = Schema {
    fields: &[
        Field::boolean("ContentBasedDeduplication"),
        Field::text("DeduplicationScope"),
        Field::integer("DelaySeconds"),
        Field::boolean("FifoQueue").create_only(),
        Field::text("FifoThroughputLimit"),
        Field::integer("KmsDataKeyReusePeriodSeconds"),
        Field::text("KmsMasterKeyId"),
        Field::integer("MaximumMessageSize"),
        Field::integer("MessageRetentionPeriod"),
        Field::text("QueueName").create_only(),
        Field::integer("ReceiveMessageWaitTimeSeconds"),
        Field::json("RedriveAllowPolicy"),
        Field::json("RedrivePolicy"),
        Field::boolean("SqsManagedSseEnabled"),
        TAGS,
        Field::integer("VisibilityTimeout"),
    ],
    unemulated: &[],
};

pub(super) const QUEUE_POLICY: Schema = Schema {
    fields: &[Field::json("PolicyDocument").required(), Field::new("Queues", TEXTS).required()],
    unemulated: &[],
};

pub(super) const LOG_GROUP: Schema = Schema {
    fields: &[
        Field::boolean("DeletionProtectionEnabled"),
        Field::text("KmsKeyId"),
        Field::text("LogGroupClass").create_only(),
        Field::text("LogGroupName").create_only(),
        Field::integer("RetentionInDays"),
        TAGS,
    ],
    unemulated: &[
        "BearerTokenAuthenticationEnabled",
        "DataProtectionPolicy",
        "FieldIndexPolicies",
        "ResourcePolicyDocument",
    ],
};
