//! Identity and Access Management.

use crate::support::start;
use aws_sdk_iam::Client;
use aws_sdk_iam::error::ProvideErrorMetadata;
use aws_sdk_iam::types::{PolicyScopeType, Tag};

const TRUST: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},"Action":"sts:AssumeRole"}]}"#;
const POLICY: &str = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"logs:*","Resource":"*"}]}"#;
const BASIC: &str = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole";

#[tokio::test]
async fn a_role_is_deleted_only_without_policies() {
    let local = start().await;
    let client = Client::new(&local.config);
    let tag = Tag::builder().key("run").value("r1").build().unwrap();
    let created = client.create_role().role_name("r").assume_role_policy_document(TRUST).tags(tag);
    let role = created.send().await.unwrap().role.unwrap();
    assert_eq!(role.arn, "arn:aws:iam::000000000000:role/r");
    assert!(role.role_id.starts_with("AROA") && role.role_id.len() == 21, "{}", role.role_id);
    let twice = client.create_role().role_name("r").assume_role_policy_document(TRUST).send().await.unwrap_err();
    assert_eq!(twice.code(), Some("EntityAlreadyExists"));

    client.put_role_policy().role_name("r").policy_name("p").policy_document(POLICY).send().await.unwrap();
    client.attach_role_policy().role_name("r").policy_arn(BASIC).send().await.unwrap();
    let read = client.get_role_policy().role_name("r").policy_name("p").send().await.unwrap();
    assert!(read.policy_document.starts_with("%7B%22Version%22%3A%222012-10-17%22"), "{}", read.policy_document);
    let attached = client.list_attached_role_policies().role_name("r").send().await.unwrap().attached_policies.unwrap();
    assert_eq!(attached[0].policy_name.as_deref(), Some("AWSLambdaBasicExecutionRole"));
    let refused = client.delete_role().role_name("r").send().await.unwrap_err();
    assert_eq!(refused.code(), Some("DeleteConflict"));
    assert_eq!(refused.message(), Some("Cannot delete entity, must detach all policies first."));
    client.detach_role_policy().role_name("r").policy_arn(BASIC).send().await.unwrap();
    let refused = client.delete_role().role_name("r").send().await.unwrap_err();
    assert_eq!(refused.message(), Some("Cannot delete entity, must delete policies first."));
    client.delete_role_policy().role_name("r").policy_name("p").send().await.unwrap();

    client.untag_role().role_name("r").tag_keys("run").send().await.unwrap();
    client.tag_role().role_name("r").tags(Tag::builder().key("k").value("v").build().unwrap()).send().await.unwrap();
    let tags = client.list_role_tags().role_name("r").send().await.unwrap().tags;
    assert_eq!((tags.len(), tags[0].key.as_str()), (1, "k"));
    client.delete_role().role_name("r").send().await.unwrap();
    let gone = client.get_role().role_name("r").send().await.unwrap_err();
    assert_eq!((gone.code(), gone.message()), (Some("NoSuchEntity"), Some("The role with name r cannot be found.")));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn roles_are_listed_in_pages_with_those_that_aws_made() {
    let local = start().await;
    let client = Client::new(&local.config);
    for n in 0..7 {
        let create = client.create_role().role_name(format!("role-{n}")).assume_role_policy_document(TRUST);
        create.send().await.unwrap();
    }
    let roles = client.list_roles().max_items(3).into_paginator().items().send();
    let names: Vec<_> =
        roles.collect::<Result<Vec<_>, _>>().await.unwrap().into_iter().map(|role| role.role_name).collect();
    assert_eq!(names.len(), 10);
    assert!(names.contains(&"AWSServiceRoleForSupport".to_owned()));
    let linked = client.list_roles().path_prefix("/aws-service-role/").send().await.unwrap().roles;
    assert_eq!(linked.len(), 2);
    let refused = client.delete_role().role_name("AWSServiceRoleForSupport").send().await.unwrap_err();
    assert_eq!(refused.code(), Some("UnmodifiableEntity"));
    assert!(client.list_account_aliases().send().await.unwrap().account_aliases.is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn managed_policies_are_counted_by_their_attachments() {
    let local = start().await;
    let client = Client::new(&local.config);
    let created = client.create_policy().policy_name("p").policy_document(POLICY).send().await.unwrap().policy.unwrap();
    let arn = created.arn.unwrap();
    client.create_role().role_name("r").assume_role_policy_document(TRUST).send().await.unwrap();
    client.attach_role_policy().role_name("r").policy_arn(&arn).send().await.unwrap();
    let read = client.get_policy().policy_arn(&arn).send().await.unwrap().policy.unwrap();
    assert_eq!(read.attachment_count, Some(1));
    assert_eq!(client.delete_policy().policy_arn(&arn).send().await.unwrap_err().code(), Some("DeleteConflict"));
    let local_policies = client.list_policies().scope(PolicyScopeType::Local).send().await.unwrap().policies.unwrap();
    assert_eq!(local_policies.len(), 1);
    let unknown = client.attach_role_policy().role_name("r").policy_arn("arn:aws:iam::000000000000:policy/none");
    assert_eq!(unknown.send().await.unwrap_err().code(), Some("NoSuchEntity"));
    client.detach_role_policy().role_name("r").policy_arn(&arn).send().await.unwrap();
    client.delete_policy().policy_arn(&arn).send().await.unwrap();
    local.cloud.shutdown().await;
}
