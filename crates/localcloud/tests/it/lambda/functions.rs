use super::support::{Lab, package, until};
use aws_sdk_lambda::error::ProvideErrorMetadata;
use aws_sdk_lambda::primitives::Blob;
use aws_sdk_lambda::types::{FunctionVersion, LoggingConfig};
use aws_sdk_s3::primitives::ByteStream;

#[tokio::test]
async fn versions_and_aliases_come_and_go_with_the_function() {
    let lab = Lab::start().await;
    let arn = lab.plain("f", "echo", 3).await;
    assert_eq!(arn, "arn:aws:lambda:us-east-1:000000000000:function:f");
    let digest = lab.lambda.get_function_configuration().function_name("f").send().await.unwrap().code_sha256.unwrap();
    let wrong = lab.lambda.publish_version().function_name("f").code_sha256("AAAA").send().await.unwrap_err();
    assert_eq!(wrong.code(), Some("InvalidParameterValueException"));
    let first = lab.lambda.publish_version().function_name("f").code_sha256(&digest).send().await.unwrap();
    assert_eq!((first.version(), first.function_arn()), (Some("1"), Some(format!("{arn}:1").as_str())));
    // Nothing has changed, so there is no second version.
    let again = lab.lambda.publish_version().function_name("f").send().await.unwrap();
    assert_eq!(again.version(), Some("1"));
    let alias = lab.lambda.create_alias().function_name("f").name("live").function_version("1").send().await.unwrap();
    assert_eq!(alias.alias_arn(), Some(format!("{arn}:live").as_str()));
    let pinned = lab.lambda.get_function().function_name("f").qualifier("live").send().await.unwrap();
    assert_eq!(pinned.configuration().unwrap().version(), Some("1"));
    let used = lab.lambda.delete_function().function_name("f").qualifier("1").send().await.unwrap_err();
    assert_eq!(used.code(), Some("ResourceConflictException"));
    let versions = lab.lambda.list_versions_by_function().function_name("f").send().await.unwrap();
    let labels: Vec<&str> = versions.versions().iter().map(|version| version.version().unwrap()).collect();
    assert_eq!(labels, ["$LATEST", "1"]);
    lab.lambda.delete_function().function_name("f").send().await.unwrap();
    let gone = lab.lambda.get_function().function_name("f").send().await.unwrap_err();
    assert_eq!(gone.code(), Some("ResourceNotFoundException"));
    assert_eq!(gone.message(), Some(format!("Function not found: {arn}").as_str()));
    lab.close().await;
}

#[tokio::test]
async fn a_package_comes_from_s3() {
    let lab = Lab::start().await;
    let s3 = aws_sdk_s3::Client::new(&lab.local.config);
    s3.create_bucket().bucket("artifacts").send().await.unwrap();
    s3.put_object().bucket("artifacts").key("a.zip").body(ByteStream::from(package())).send().await.unwrap();
    lab.plain("f", "echo", 3).await;
    let by_zip = lab.lambda.get_function_configuration().function_name("f").send().await.unwrap();
    let update = lab.lambda.update_function_code().function_name("f").s3_bucket("artifacts");
    let by_key = update.clone().s3_key("a.zip").send().await.unwrap();
    assert_eq!(by_key.code_sha256(), by_zip.code_sha256());
    let missing = update.s3_key("b.zip").send().await.unwrap_err();
    assert!(missing.message().unwrap().contains("S3 Error Code: NoSuchKey"), "{missing:?}");
    let broken = lab.lambda.update_function_code().function_name("f").zip_file(Blob::new(b"no zip".to_vec()));
    assert_eq!(broken.send().await.unwrap_err().code(), Some("InvalidParameterValueException"));
    lab.close().await;
}

#[tokio::test]
async fn listings_have_pages() {
    let lab = Lab::start().await;
    for name in ["a", "b", "c"] {
        lab.plain(name, "echo", 3).await;
    }
    let first = lab.lambda.list_functions().max_items(2).send().await.unwrap();
    assert_eq!(first.functions().len(), 2);
    let marker = first.next_marker.unwrap();
    let last = lab.lambda.list_functions().max_items(2).marker(marker).send().await.unwrap();
    assert_eq!((last.functions().len(), last.next_marker()), (1, None));
    lab.lambda.publish_version().function_name("a").send().await.unwrap();
    let all = lab.lambda.list_functions().function_version(FunctionVersion::All).send().await.unwrap();
    assert_eq!(all.functions().len(), 4);
    lab.close().await;
}

#[tokio::test]
async fn tags_are_the_functions_and_reach_the_index() {
    let lab = Lab::start().await;
    let arn = lab.plain("f", "echo", 3).await;
    lab.lambda.tag_resource().resource(&arn).tags("k", "v").tags("l", "w").send().await.unwrap();
    lab.lambda.untag_resource().resource(&arn).tag_keys("l").send().await.unwrap();
    let tags = lab.lambda.list_tags().resource(&arn).send().await.unwrap().tags.unwrap();
    assert_eq!(tags.into_iter().collect::<Vec<_>>(), [("k".to_owned(), "v".to_owned())]);
    let index = aws_sdk_resourcegroupstagging::Client::new(&lab.local.config);
    let found = index.get_resources().send().await.unwrap();
    assert_eq!(found.resource_tag_mapping_list()[0].resource_arn(), Some(arn.as_str()));
    lab.close().await;
}

#[tokio::test]
async fn logs_go_to_the_group_that_is_configured_and_never_revive_it() {
    let lab = Lab::start().await;
    let logs = aws_sdk_cloudwatchlogs::Client::new(&lab.local.config);
    lab.plain("f", "echo", 3).await;
    let to = LoggingConfig::builder().log_group("/own").build();
    lab.lambda.update_function_configuration().function_name("f").logging_config(to).send().await.unwrap();
    lab.call("f", "1").await;
    assert!(logs.describe_log_groups().send().await.unwrap().log_groups().is_empty());
    logs.create_log_group().log_group_name("/own").send().await.unwrap();
    lab.call("f", "\"seen\"").await;
    let is_written = async || {
        let events = logs.filter_log_events().log_group_name("/own").send().await.unwrap();
        events.events().iter().any(|event| event.message().is_some_and(|text| text.contains("seen")))
    };
    until("the line is in the group", is_written).await;
    lab.close().await;
}
