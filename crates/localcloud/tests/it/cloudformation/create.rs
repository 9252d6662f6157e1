use super::*;
use aws_sdk_cloudformation::types::{Capability, OnFailure, Parameter, Tag};

#[tokio::test]
async fn a_stack_is_created_and_deleted_with_its_whole_story() {
    let stacks = stacks().await;
    let answer = stacks
        .client
        .create_stack()
        .stack_name("demo")
        .template_body(THREE)
        .client_request_token("t-1")
        .send()
        .await
        .unwrap();
    let (id, operation) = (answer.stack_id.unwrap(), answer.operation_id.unwrap());
    assert!(id.starts_with("arn:aws:cloudformation:us-east-1:000000000000:stack/demo/"), "{id}");
    let stack = stacks.settled(&id).await;
    assert_eq!(stack.stack_status.unwrap().as_str(), "CREATE_COMPLETE");
    assert_eq!(stack.description.unwrap(), "three things");
    let output = |key: &str| {
        let outputs = stack.outputs.as_ref().unwrap();
        outputs.iter().find(|output| output.output_key() == Some(key)).unwrap().output_value.clone().unwrap()
    };
    assert!(output("QueueUrl").starts_with(&stacks.local.cloud.endpoint()), "{}", output("QueueUrl"));
    assert!(output("QueueArn").starts_with("arn:aws:sqs:us-east-1:000000000000:demo-Queue-"));
    assert!(output("QueueArn").ends_with(".fifo"));
    assert!(output("StreamArn").contains("table/demo-table/stream/"));
    assert_eq!(output("Table"), "demo-table");
    assert!(output("GroupArn").starts_with("arn:aws:logs:us-east-1:000000000000:log-group:/x/demo-Queue-"));
    assert!(output("GroupArn").ends_with(":*"));

    let told = stacks.told(&id).await;
    let at = |line: &str| told.iter().position(|told| told == line).unwrap_or_else(|| panic!("{line} in {told:#?}"));
    assert_eq!(told[0], "demo CREATE_IN_PROGRESS User Initiated");
    for name in ["Queue", "Table", "Group"] {
        let begun = at(&format!("{name} CREATE_IN_PROGRESS"));
        let initiated = at(&format!("{name} CREATE_IN_PROGRESS Resource creation Initiated"));
        assert!(begun < initiated && initiated < at(&format!("{name} CREATE_COMPLETE")));
    }
    assert!(at("Table CREATE_COMPLETE") < at("Group CREATE_IN_PROGRESS"));
    assert!(at("Queue CREATE_COMPLETE") < at("Group CREATE_IN_PROGRESS"));
    assert_eq!(told.last().unwrap(), "demo CREATE_COMPLETE");
    for event in stacks.events(&id).await {
        assert_eq!(event.client_request_token.as_deref(), Some("t-1"));
        assert_eq!(event.operation_id.as_deref(), Some(operation.as_str()));
    }

    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
    let statuses: Vec<String> = stacks.resources(&id).await.into_iter().map(|(_, status)| status).collect();
    assert_eq!(statuses, ["DELETE_COMPLETE"; 3]);
    let told = stacks.told(&id).await;
    let at = |line: &str| told.iter().position(|told| told == line).unwrap();
    assert!(at("Group DELETE_COMPLETE") < at("Table DELETE_IN_PROGRESS"));
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    assert!(sqs.list_queues().send().await.unwrap().queue_urls.unwrap_or_default().is_empty());
}

#[tokio::test]
async fn a_deleted_stack_is_found_by_id_only() {
    let stacks = stacks().await;
    let (id, _) = stacks.created("demo", THREE).await;
    stacks.deleted(&id).await;
    let refused = refusal(stacks.client.describe_stacks().stack_name("demo").send().await);
    assert_eq!(refused, ("ValidationError".to_owned(), "Stack with id demo does not exist".to_owned()));
    assert_eq!(stacks.describe(&id).await.stack_status.unwrap().as_str(), "DELETE_COMPLETE");
    assert!(stacks.describe(&id).await.deletion_time.is_some());
    // The name is free again, the id is another one.
    let (again, status) = stacks.created("demo", BROKEN).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    assert_ne!(again, id);
}

#[tokio::test]
async fn a_failed_creation_is_rolled_back_with_its_root_cause() {
    let stacks = stacks().await;
    let (id, status) = stacks.created("broken", BROKEN).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    let told = stacks.told(&id).await;
    let cause = told.iter().find(|line| line.starts_with("Bad CREATE_FAILED")).unwrap();
    assert!(cause.contains("Resource handler returned message:") && cause.contains("VisibilityTimeout"), "{cause}");
    assert!(cause.contains("HandlerErrorCode: InvalidRequest"), "{cause}");
    let reason = "The following resource(s) failed to create: [Bad]. Rollback requested by user.";
    assert!(told.contains(&format!("broken ROLLBACK_IN_PROGRESS {reason}")), "{told:#?}");
    assert!(told.contains(&"Good DELETE_COMPLETE".to_owned()));
    assert!(!told.iter().any(|line| line.starts_with("Never")));
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    assert!(sqs.list_queues().send().await.unwrap().queue_urls.unwrap_or_default().is_empty());

    let refused = refusal(stacks.client.update_stack().stack_name("broken").template_body(THREE).send().await);
    let expected = format!("Stack:{id} is in ROLLBACK_COMPLETE state and can not be updated.");
    assert_eq!(refused, ("ValidationError".to_owned(), expected));
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn on_failure_decides_what_is_left() {
    let stacks = stacks().await;
    let create = |name: &str, how: OnFailure| {
        stacks.client.create_stack().stack_name(name).template_body(BROKEN).on_failure(how).send()
    };
    let id = create("keep", OnFailure::DoNothing).await.unwrap().stack_id.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "CREATE_FAILED");
    let expected = [("Bad".to_owned(), "CREATE_FAILED".to_owned()), ("Good".to_owned(), "CREATE_COMPLETE".to_owned())];
    assert_eq!(stacks.resources(&id).await, expected);
    stacks.client.rollback_stack().stack_name("keep").send().await.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "ROLLBACK_COMPLETE");

    // SQS keeps a deleted queue's name for 60 s.
    stacks.local.cloud.clock().advance(Duration::from_secs(61));
    let id = create("drop", OnFailure::Delete).await.unwrap().stack_id.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "DELETE_COMPLETE");
}

#[tokio::test]
async fn names_tags_and_capabilities_are_checked_before_anything_starts() {
    let stacks = stacks().await;
    let tag = |key: &str, value: &str| Tag::builder().key(key).value(value).build();
    let create = |name: &str| stacks.client.create_stack().stack_name(name).template_body(THREE);
    for name in ["wait_for", "1st", "a".repeat(129).as_str()] {
        let (code, message) = refusal(create(name).send().await);
        assert_eq!(code, "ValidationError");
        assert!(message.contains("'stackName' failed to satisfy constraint"), "{message}");
    }
    for (key, value) in [("a", ""), ("aws:a", "1"), ("", "1"), ("a", "x".repeat(257).as_str())] {
        assert_eq!(refusal(create("demo").tags(tag(key, value)).send().await).0, "ValidationError", "{key}={value}");
    }
    let unknown = Parameter::builder().parameter_key("Nope").parameter_value("1").build();
    let (_, message) = refusal(create("demo").parameters(unknown).send().await);
    assert_eq!(message, "Parameters: [Nope] do not exist in the template");
    let large = format!("{THREE}#{}", "x".repeat(51_200));
    assert_eq!(refusal(create("demo").template_body(large).send().await).0, "ValidationError");

    let role = "Resources: {R: {Type: 'AWS::IAM::Role', Properties: {RoleName: r, AssumeRolePolicyDocument: {}}}}";
    for given in [None, Some(Capability::CapabilityIam)] {
        let request = create("demo").template_body(role).set_capabilities(given.map(|one| vec![one]));
        let expected = ("InsufficientCapabilitiesException", "Requires capabilities : [CAPABILITY_NAMED_IAM]");
        let (code, message) = refusal(request.send().await);
        assert_eq!((code.as_str(), message.as_str()), expected);
    }
    assert!(stacks.client.list_stacks().send().await.unwrap().stack_summaries.unwrap().is_empty());
}

#[tokio::test]
async fn a_request_is_recognised_by_its_token() {
    let stacks = stacks().await;
    let create = |name: &str, token: &str| {
        stacks.client.create_stack().stack_name(name).template_body(THREE).client_request_token(token).send()
    };
    let first = create("demo", "t-1").await.unwrap();
    let again = create("demo", "t-1").await.unwrap();
    assert_eq!((&first.stack_id, &first.operation_id), (&again.stack_id, &again.operation_id));
    assert_eq!(refusal(create("other", "t-1").await).0, "TokenAlreadyExistsException");
    let taken = refusal(create("demo", "t-2").await);
    assert_eq!(taken, ("AlreadyExistsException".to_owned(), "Stack [demo] already exists".to_owned()));

    let id = first.stack_id.unwrap();
    stacks.settled(&id).await;
    let delete = |token: &str| stacks.client.delete_stack().stack_name(&id).client_request_token(token).send();
    assert_eq!(refusal(delete("t-1").await).0, "TokenAlreadyExistsException");
    delete("t-3").await.unwrap();
    delete("t-3").await.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "DELETE_COMPLETE");
    let deletions = stacks.told(&id).await.into_iter().filter(|line| line.starts_with("demo DELETE_IN_PROGRESS"));
    assert_eq!(deletions.count(), 1);
}

#[tokio::test]
async fn what_cannot_be_built_fails_loudly_at_its_resource() {
    let stacks = stacks().await;
    let topic = "Resources: {T: {Type: 'AWS::SNS::Topic'}}";
    let (id, status) = stacks.created("topic", topic).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    let expected = "T CREATE_FAILED the local cloud does not emulate the resource type AWS::SNS::Topic";
    assert!(stacks.told(&id).await.contains(&expected.to_owned()));
    let (code, message) =
        refusal(stacks.client.create_stack().stack_name("x").template_body("Transform: T").send().await);
    assert_eq!((code.as_str(), message.contains("Transform")), ("NotEmulated", true));
    let (code, _) = refusal(stacks.client.detect_stack_drift().stack_name("x").send().await);
    assert_eq!(code, "NotEmulated");
}

#[tokio::test]
async fn unknown_properties_stop_the_creation_before_the_first_resource() {
    let stacks = stacks().await;
    let body = "Resources: {Q: {Type: 'AWS::SQS::Queue', Properties: {Colour: red}}, R: {Type: 'AWS::SQS::Queue'}}";
    let (id, status) = stacks.created("early", body).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    let stack = stacks.describe(&id).await;
    assert_eq!(stack.detailed_status.unwrap().as_str(), "VALIDATION_FAILED");
    assert!(stacks.resources(&id).await.is_empty());
    let filter = aws_sdk_cloudformation::types::EventFilter::builder().failed_events(true).build();
    let found = stacks.client.describe_events().stack_name(&id).filters(filter).send().await.unwrap();
    let found = found.operation_events.unwrap().remove(0);
    assert_eq!(found.event_type.unwrap().as_str(), "VALIDATION_ERROR");
    assert_eq!(found.validation_path.unwrap(), "/Resources/Q/Properties");
    assert_eq!(found.validation_status_reason.unwrap(), "#: extraneous key [Colour] is not permitted");

    let request = stacks.client.create_stack().stack_name("late").template_body(body).disable_validation(true);
    let id = request.send().await.unwrap().stack_id.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "ROLLBACK_COMPLETE");
    let told = stacks.told(&id).await;
    let cause = told.iter().find(|line| line.starts_with("Q CREATE_FAILED")).unwrap();
    assert!(cause.contains("Properties validation failed for resource Q with message:"), "{cause}");
}

#[tokio::test]
async fn a_name_that_is_taken_stops_the_creation_before_the_first_resource() {
    let stacks = stacks().await;
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    sqs.create_queue().queue_name("bad").send().await.unwrap();
    let (id, status) = stacks.created("late", BROKEN).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    assert!(stacks.resources(&id).await.is_empty());
    let reason = stacks.told(&id).await.into_iter().find(|line| line.starts_with("late ROLLBACK_IN_PROGRESS")).unwrap();
    assert!(reason.contains("[AWS::EarlyValidation::ResourceExistenceCheck]"), "{reason}");
    assert_eq!(sqs.list_queues().send().await.unwrap().queue_urls.unwrap().len(), 1);
}

#[tokio::test]
async fn scripted_faults_half_create_fail_and_break_the_rollback() {
    let rule = |target: &str, effect: &str| {
        format!("  - {{service: cloudformation, operation: CreateStack, target: {target}, effect: {effect}}}\n")
    };
    let script = [
        rule("half", "half_created_stack"),
        rule("fail", "{create_failed: {logical_id: Table}}"),
        rule("stuck", "rollback_failed"),
        rule("stuck", "{create_failed: {logical_id: Group}}"),
    ];
    let stacks = with_faults(&format!("rules:\n{}", script.concat())).await;
    let (id, status) = stacks.created("fail", THREE).await;
    assert_eq!(status, "ROLLBACK_COMPLETE");
    assert!(stacks.told(&id).await.iter().any(|line| line.starts_with("Table CREATE_FAILED")));
    let (id, status) = stacks.created("stuck", THREE).await;
    assert_eq!(status, "ROLLBACK_FAILED");
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");

    let id = stacks.create("half", THREE).await;
    let until = Instant::now() + Duration::from_secs(20);
    while stacks.resources(&id).await.iter().filter(|(_, status)| status == "CREATE_COMPLETE").count() < 2 {
        assert!(Instant::now() < until, "two of three resources");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(stacks.describe(&id).await.stack_status.unwrap().as_str(), "CREATE_IN_PROGRESS");
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn a_template_may_lie_in_a_bucket() {
    let stacks = stacks().await;
    let config = aws_sdk_s3::config::Builder::from(&stacks.local.config).force_path_style(true).build();
    let s3 = aws_sdk_s3::Client::from_conf(config);
    s3.create_bucket().bucket("templates").send().await.unwrap();
    s3.put_object()
        .bucket("templates")
        .key("a/three.yaml")
        .body(THREE.as_bytes().to_vec().into())
        .send()
        .await
        .unwrap();
    let url = format!("{}/templates/a/three.yaml", stacks.local.cloud.endpoint());
    let id = stacks.client.create_stack().stack_name("demo").template_url(url).send().await.unwrap().stack_id.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "CREATE_COMPLETE");
    let body = stacks.client.get_template().stack_name("demo").send().await.unwrap().template_body.unwrap();
    assert_eq!(body, THREE);
}
