//! Properties of roles and policies.

use super::{Field, Schema, Shape, TAGS, TEXTS};

pub(super) const ROLE: Schema = Schema {
    fields: &[
        Field::json("AssumeRolePolicyDocument").required(),
        Field::text("Description"),
        Field::new("ManagedPolicyArns", TEXTS),
        Field::integer("MaxSessionDuration"),
        Field::text("Path").create_only(),
        Field::list(
            "Policies",
            &Shape::Object(&[Field::text("PolicyName").required(), Field::json("PolicyDocument").required()]),
        ),
        Field::text("RoleName").create_only(),
        TAGS,
    ],
    unemulated: &["PermissionsBoundary"],
};

pub(super) const POLICY: Schema = Schema {
    fields: &[
        Field::json("PolicyDocument").required(),
        Field::text("PolicyName").required().create_only(),
        Field::new("Roles", TEXTS),
    ],
    unemulated: &["Groups", "Users"],
};

pub(super) const MANAGED_POLICY: Schema = Schema {
    fields: &[
        Field::text("Description").create_only(),
        Field::text("ManagedPolicyName").create_only(),
        Field::text("Path").create_only(),
        Field::json("PolicyDocument").required(),
        Field::new("Roles", TEXTS),
    ],
    unemulated: &["Groups", "Users"],
};
