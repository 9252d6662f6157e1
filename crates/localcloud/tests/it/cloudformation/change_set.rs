use super::*;
use aws_sdk_cloudformation::operation::describe_change_set::DescribeChangeSetOutput;
use aws_sdk_cloudformation::types::{ChangeSetStatus, ChangeSetType};

impl Stacks {
    async fn change_set(&self, stack: &str, name: &str, body: &str, kind: ChangeSetType) -> DescribeChangeSetOutput {
        let request = self.client.create_change_set().stack_name(stack).change_set_name(name);
        request.template_body(body).change_set_type(kind).send().await.unwrap();
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let request = self.client.describe_change_set().stack_name(stack).change_set_name(name);
            let found = request.send().await.unwrap();
            if !matches!(found.status, Some(ChangeSetStatus::CreateInProgress)) {
                return found;
            }
            assert!(Instant::now() < until, "change set for 20 s");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn a_change_set_makes_a_shell_and_then_the_stack() {
    let stacks = stacks().await;
    let set = stacks.change_set("demo", "first", THREE, ChangeSetType::Create).await;
    assert_eq!(set.status, Some(ChangeSetStatus::CreateComplete));
    assert_eq!(set.execution_status.unwrap().as_str(), "AVAILABLE");
    let changes: Vec<_> = set.changes.unwrap().into_iter().filter_map(|change| change.resource_change).collect();
    assert_eq!(changes.len(), 3);
    assert_eq!(changes[0].action().unwrap().as_str(), "Add");
    let id = set.stack_id.unwrap();
    assert_eq!(stacks.describe(&id).await.stack_status.unwrap().as_str(), "REVIEW_IN_PROGRESS");
    assert!(stacks.resources(&id).await.is_empty());
    let taken = stacks.client.create_stack().stack_name("demo").template_body(THREE).send().await;
    assert_eq!(refusal(taken).0, "AlreadyExistsException");

    let execute = || stacks.client.execute_change_set().stack_name("demo").change_set_name("first").send();
    execute().await.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "CREATE_COMPLETE");
    assert_eq!(refusal(execute().await).0, "InvalidChangeSetStatus");
    let none = stacks.change_set("demo", "second", THREE, ChangeSetType::Update).await;
    assert_eq!(none.status, Some(ChangeSetStatus::Failed));
    assert!(none.status_reason.unwrap().starts_with("The submitted information didn't contain changes."));

    let longer = THREE.replace("VisibilityTimeout: 30", "VisibilityTimeout: 31");
    let set = stacks.change_set("demo", "third", &longer, ChangeSetType::Update).await;
    let change = set.changes.unwrap().remove(0).resource_change.unwrap();
    assert_eq!((change.logical_resource_id(), change.replacement().unwrap().as_str()), (Some("Queue"), "False"));
    let execute = stacks.client.execute_change_set().change_set_name(set.change_set_id.unwrap());
    execute.send().await.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status.unwrap().as_str(), "UPDATE_COMPLETE");
}

#[tokio::test]
async fn a_shell_stays_until_the_stack_is_deleted() {
    let stacks = stacks().await;
    let set = stacks.change_set("demo", "first", THREE, ChangeSetType::Create).await;
    let id = set.stack_id.unwrap();
    let delete = || stacks.client.delete_change_set().stack_name("demo").change_set_name("first").send();
    delete().await.unwrap();
    let gone = stacks.client.describe_change_set().stack_name("demo").change_set_name("first").send().await;
    assert_eq!(refusal(gone).0, "ChangeSetNotFound");
    assert!(stacks.client.list_change_sets().stack_name("demo").send().await.unwrap().summaries().is_empty());
    assert_eq!(stacks.describe(&id).await.stack_status.unwrap().as_str(), "REVIEW_IN_PROGRESS");
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn a_name_conflict_fails_the_change_set_and_names_the_resource() {
    let stacks = stacks().await;
    let sqs = aws_sdk_sqs::Client::new(&stacks.local.config);
    sqs.create_queue().queue_name("good").send().await.unwrap();
    let set = stacks.change_set("demo", "first", BROKEN, ChangeSetType::Create).await;
    assert_eq!(set.status, Some(ChangeSetStatus::Failed));
    let reason = set.status_reason.unwrap();
    assert!(reason.contains("[AWS::EarlyValidation::ResourceExistenceCheck]"), "{reason}");
    let found = stacks.client.describe_events().change_set_name(set.change_set_id.unwrap()).send().await.unwrap();
    let found = found.operation_events.unwrap();
    let finding = found.iter().find(|event| event.validation_name().is_some()).unwrap();
    assert_eq!(finding.validation_path(), Some("/Resources/Good/Properties/QueueName"));
    let text = "Resource of type 'AWS::SQS::Queue' with identifier 'good' already exists.";
    assert_eq!(finding.validation_status_reason(), Some(text));
    let execute = stacks.client.execute_change_set().stack_name("demo").change_set_name("first").send().await;
    assert_eq!(refusal(execute).0, "InvalidChangeSetStatus");
}
