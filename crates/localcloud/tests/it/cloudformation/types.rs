use super::*;
use crate::lambda::support::package;
use aws_sdk_cloudformation::types::{Capability, Tag};

/// Every emulated type that the other tests leave out.
const ALL: &str = "
Parameters: {Timeout: {Type: Number, Default: 5}}
Resources:
  Source: {Type: 'AWS::SQS::Queue', Properties: {VisibilityTimeout: 60}}
  SourcePolicy:
    Type: AWS::SQS::QueuePolicy
    Properties: {Queues: [!Ref Source], PolicyDocument: {Version: 2012-10-17, Statement: []}}
  Group: {Type: 'AWS::Logs::LogGroup', Properties: {RetentionInDays: 1}}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {Version: 2012-10-17, Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: 'sts:AssumeRole'}]}
      Policies:
        - PolicyName: own
          PolicyDocument: {Version: 2012-10-17, Statement: [{Effect: Allow, Action: 'sqs:*', Resource: !GetAtt Source.Arn}]}
  Policy:
    Type: AWS::IAM::Policy
    Properties: {PolicyName: more, Roles: [!Ref Role], PolicyDocument: {Version: 2012-10-17, Statement: [{Effect: Allow, Action: 'logs:*', Resource: '*'}]}}
  Managed:
    Type: AWS::IAM::ManagedPolicy
    Properties: {Roles: [!Ref Role], PolicyDocument: {Version: 2012-10-17, Statement: [{Effect: Allow, Action: 's3:*', Resource: '*'}]}}
  Function:
    Type: AWS::Lambda::Function
    Properties:
      Runtime: provided.al2023
      Handler: echo
      Role: !GetAtt Role.Arn
      Timeout: !Ref Timeout
      Code: {S3Bucket: code, S3Key: f.zip}
      LoggingConfig: {LogGroup: !Ref Group}
      DurableConfig: {ExecutionTimeout: 60, RetentionPeriodInDays: 1}
      Environment: {Variables: {TIMEOUT: !Ref Timeout}}
  Version: {Type: 'AWS::Lambda::Version', Properties: {FunctionName: !Ref Function}}
  Alias:
    Type: AWS::Lambda::Alias
    Properties: {Name: live, FunctionName: !Ref Function, FunctionVersion: !GetAtt Version.Version}
  Mapping:
    Type: AWS::Lambda::EventSourceMapping
    Properties: {EventSourceArn: !GetAtt Source.Arn, FunctionName: !Ref Alias, BatchSize: 1}
  Permission:
    Type: AWS::Lambda::Permission
    Properties: {FunctionName: !Ref Function, Action: 'lambda:InvokeFunction', Principal: sns.amazonaws.com}
Outputs:
  Role: {Value: !GetAtt Role.Arn}
  RoleId: {Value: !GetAtt Role.RoleId}
  Managed: {Value: !Ref Managed}
  Function: {Value: !GetAtt Function.Arn}
  Version: {Value: !Ref Version}
  Number: {Value: !GetAtt Version.Version}
  Alias: {Value: !Ref Alias}
  Mapping: {Value: !GetAtt Mapping.Id}
";

async fn code(stacks: &Stacks) {
    let config = aws_sdk_s3::config::Builder::from(&stacks.local.config).force_path_style(true).build();
    let s3 = aws_sdk_s3::Client::from_conf(config);
    s3.create_bucket().bucket("code").send().await.unwrap();
    s3.put_object().bucket("code").key("f.zip").body(package().into()).send().await.unwrap();
}

#[tokio::test]
async fn functions_with_all_that_belongs_to_them_come_and_go() {
    let stacks = stacks().await;
    code(&stacks).await;
    let tag = Tag::builder().key("run").value("r1").build();
    let request = stacks.client.create_stack().stack_name("all").template_body(ALL).tags(tag);
    let id = request.capabilities(Capability::CapabilityIam).send().await.unwrap().stack_id.unwrap();
    let stack = stacks.settled(&id).await;
    assert_eq!(stack.stack_status().unwrap().as_str(), "CREATE_COMPLETE", "{:#?}", stacks.told(&id).await);
    let output = |key: &str| {
        stack.outputs().iter().find(|output| output.output_key() == Some(key)).unwrap().output_value().unwrap()
    };
    let function = output("Function");
    assert!(function.starts_with("arn:aws:lambda:us-east-1:000000000000:function:all-Function-"), "{function}");
    assert_eq!(output("Version"), format!("{function}:1"));
    assert_eq!(output("Number"), "1");
    assert_eq!(output("Alias"), format!("{function}:live"));
    assert!(output("Role").starts_with("arn:aws:iam::000000000000:role/all-Role-"));
    assert!(output("RoleId").starts_with("AROA"), "{}", output("RoleId"));
    assert!(output("Managed").starts_with("arn:aws:iam::000000000000:policy/all-Managed-"));

    let lambda = aws_sdk_lambda::Client::new(&stacks.local.config);
    let found = lambda.get_function().function_name(function).send().await.unwrap();
    let configuration = found.configuration().unwrap();
    assert_eq!(configuration.durable_config().unwrap().execution_timeout(), Some(60));
    assert_eq!(configuration.timeout(), Some(5));
    let tags = found.tags().unwrap();
    assert_eq!((tags["run"].as_str(), tags["aws:cloudformation:stack-name"].as_str()), ("r1", "all"));
    let mapping = lambda.get_event_source_mapping().uuid(output("Mapping")).send().await.unwrap();
    assert_eq!(mapping.state(), Some("Enabled"));
    assert_eq!(mapping.function_arn(), Some(output("Alias")));
    let iam = aws_sdk_iam::Client::new(&stacks.local.config);
    let role = output("Role").rsplit('/').next().unwrap().to_owned();
    let found = iam.get_role().role_name(&role).send().await.unwrap();
    let tags = found.role().unwrap().tags();
    assert_eq!((tags.len(), tags[0].key()), (1, "run"));
    assert_eq!(iam.list_role_policies().role_name(&role).send().await.unwrap().policy_names(), ["more", "own"]);

    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE", "{:#?}", stacks.told(&id).await);
    let told = stacks.told(&id).await;
    let at = |line: &str| told.iter().position(|told| told == line).unwrap();
    assert!(at("Mapping DELETE_COMPLETE") < at("Alias DELETE_IN_PROGRESS"));
    assert!(at("Function DELETE_COMPLETE") < at("Role DELETE_IN_PROGRESS"));
    assert!(lambda.list_functions().send().await.unwrap().functions().is_empty());
    assert!(lambda.list_event_source_mappings().send().await.unwrap().event_source_mappings().is_empty());
    assert_eq!(refusal(iam.get_role().role_name(&role).send().await).0, "NoSuchEntity");
}

#[tokio::test]
async fn code_that_is_not_there_is_the_root_cause() {
    let stacks = stacks().await;
    let request = stacks.client.create_stack().stack_name("all").template_body(ALL);
    let id = request.capabilities(Capability::CapabilityIam).send().await.unwrap().stack_id.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status().unwrap().as_str(), "ROLLBACK_COMPLETE");
    let told = stacks.told(&id).await;
    let first = told.iter().find(|line| line.contains("_FAILED")).unwrap();
    assert!(first.starts_with("Function CREATE_FAILED Resource handler returned message:"), "{first}");
    assert!(stacks.resources(&id).await.iter().all(|(_, status)| status == "DELETE_COMPLETE"));
}

#[tokio::test]
async fn a_function_is_updated_in_place() {
    let stacks = stacks().await;
    code(&stacks).await;
    let create = stacks.client.create_stack().stack_name("all").template_body(ALL);
    let id = create.capabilities(Capability::CapabilityIam).send().await.unwrap().stack_id.unwrap();
    stacks.settled(&id).await;
    let longer =
        aws_sdk_cloudformation::types::Parameter::builder().parameter_key("Timeout").parameter_value("9").build();
    let update = stacks.client.update_stack().stack_name("all").use_previous_template(true).parameters(longer);
    update.capabilities(Capability::CapabilityIam).send().await.unwrap();
    let stack = stacks.settled(&id).await;
    assert_eq!(stack.stack_status().unwrap().as_str(), "UPDATE_COMPLETE", "{:#?}", stacks.told(&id).await);
    let lambda = aws_sdk_lambda::Client::new(&stacks.local.config);
    let functions = lambda.list_functions().send().await.unwrap();
    assert_eq!((functions.functions().len(), functions.functions()[0].timeout()), (1, Some(9)));
    assert_eq!(stacks.deleted(&id).await, "DELETE_COMPLETE");
}

#[tokio::test]
async fn what_is_under_way_when_another_resource_fails_is_cancelled_and_undone() {
    let stacks = stacks().await;
    code(&stacks).await;
    let trust = "{Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: 'sts:AssumeRole'}]}";
    let body = format!(
        "
Resources:
  Role: {{Type: 'AWS::IAM::Role', Properties: {{AssumeRolePolicyDocument: {trust}}}}}
  Slow:
    Type: AWS::Lambda::Function
    Properties:
      {{Runtime: provided.al2023, Handler: h, Role: !GetAtt Role.Arn, Code: {{S3Bucket: code, S3Key: f.zip}}}}
  Bad: {{Type: 'AWS::SQS::Queue', DependsOn: Role, Properties: {{VisibilityTimeout: 99999999}}}}
"
    );
    let request = stacks.client.create_stack().stack_name("two").template_body(body);
    let id = request.capabilities(Capability::CapabilityIam).send().await.unwrap().stack_id.unwrap();
    assert_eq!(stacks.settled(&id).await.stack_status().unwrap().as_str(), "ROLLBACK_COMPLETE");
    let told = stacks.told(&id).await;
    assert!(told.contains(&"Slow CREATE_FAILED Resource creation cancelled".to_owned()), "{told:#?}");
    assert!(told.contains(&"Slow DELETE_COMPLETE".to_owned()));
    let both =
        "two ROLLBACK_IN_PROGRESS The following resource(s) failed to create: [Bad, Slow]. Rollback requested by user.";
    assert!(told.contains(&both.to_owned()), "{told:#?}");
    let lambda = aws_sdk_lambda::Client::new(&stacks.local.config);
    assert!(lambda.list_functions().send().await.unwrap().functions().is_empty());
}
