//! Requests whose every part is replaced by what no client would send: each is answered, and none as an internal error.

use crate::support::{Local, start};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What stands in for a part of a request.
fn nasty() -> Vec<Value> {
    let deep = (0..100).fold(Value::Null, |inner, _| json!([inner]));
    let long = "é".repeat(5_000);
    vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("\u{0}\u{2028}%00../:#"),
        json!("99999999999999999999"),
        json!(long),
        json!([]),
        json!([null]),
        json!({}),
        json!({"": {}}),
        deep,
    ]
}

/// Pointers to every part of a value, the whole included.
fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, inner)| places(inner, &format!("{at}/{}", key.replace('/', "~1")), into));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, inner)| places(inner, &format!("{at}/{n}"), into));
        }
        _ => {}
    }
}

/// Every request that differs from a good one in one part.
fn spoilt(good: &Value) -> Vec<Value> {
    let mut at = Vec::new();
    places(good, "", &mut at);
    let nasty = nasty();
    let one = |place: &String, part: &Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(place).unwrap() = part.clone();
        bad
    };
    at.iter().flat_map(|place| nasty.iter().map(move |part| one(place, part))).collect()
}

/// The status of the answer; an answer that does not come within 40 s (two long polls) is a failure.
async fn status(local: &Local, head: &str, body: &[u8]) -> u16 {
    let exchange = async {
        let address = local.cloud.endpoint().replace("http://", "");
        let mut stream = TcpStream::connect(address).await.unwrap();
        let length = body.len();
        let head = format!("{head}host: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let line = String::from_utf8_lossy(&answer).into_owned();
        line.get(9..12).and_then(|code| code.parse().ok()).unwrap_or(0)
    };
    tokio::time::timeout(Duration::from_secs(40), exchange).await.unwrap_or(0)
}

/// Understood, refused as the client's mistake, or told to be not emulated (501); never an internal error or silence.
fn is_honest(code: u16) -> bool {
    (200..500).contains(&code) || code == 501
}

/// Sends the good request, which must be understood, and then every spoilt one.
async fn try_all(local: &Local, head: &str, good: &Value) {
    let first = status(local, head, &serde_json::to_vec(good).unwrap()).await;
    assert!((200..300).contains(&first), "{head}{good}: {first}");
    for bad in spoilt(good) {
        let code = status(local, head, &serde_json::to_vec(&bad).unwrap()).await;
        assert!(is_honest(code), "{head}{bad}: {code}");
    }
}

async fn try_json(service: &str, calls: &[(&str, Value)]) {
    let local = start().await;
    for (operation, good) in calls {
        let head = format!(
            "POST / HTTP/1.1\r\nx-amz-target: {service}.{operation}\r\ncontent-type: application/x-amz-json-1.0\r\n"
        );
        try_all(&local, &head, good).await;
    }
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn queues() {
    let url = "http://x/000000000000/q.fifo";
    try_json(
        "AmazonSQS",
        &[
            ("CreateQueue", json!({"QueueName": "q.fifo", "Attributes": {"FifoQueue": "true"}, "tags": {"a": "b"}})),
            (
                "SendMessage",
                json!({"QueueUrl": url, "MessageBody": "b", "MessageGroupId": "g", "MessageDeduplicationId": "d",
                    "MessageAttributes": {"a": {"DataType": "String", "StringValue": "v"}}}),
            ),
            (
                "ReceiveMessage",
                json!({"QueueUrl": url, "MaxNumberOfMessages": 1, "VisibilityTimeout": 0, "AttributeNames": ["All"]}),
            ),
            ("GetQueueAttributes", json!({"QueueUrl": url, "AttributeNames": ["All"]})),
            ("SetQueueAttributes", json!({"QueueUrl": url, "Attributes": {"VisibilityTimeout": "1"}})),
            ("TagQueue", json!({"QueueUrl": url, "Tags": {"a": "b"}})),
            ("ListQueues", json!({"QueueNamePrefix": "q", "MaxResults": 1})),
        ],
    )
    .await;
}

#[tokio::test]
async fn tables() {
    let key = json!({"pk": {"S": "a"}});
    try_json(
        "DynamoDB_20120810",
        &[
            (
                "CreateTable",
                json!({"TableName": "tab", "BillingMode": "PAY_PER_REQUEST",
                    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                    "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}}),
            ),
            (
                "PutItem",
                json!({"TableName": "tab", "Item": {"pk": {"S": "a"}, "n": {"N": "1"}, "l": {"L": [{"NULL": true}]},
                    "m": {"M": {"x": {"BOOL": true}}}, "ss": {"SS": ["a", "b"]}, "b": {"B": "AAA="}},
                    "ConditionExpression": "attribute_not_exists(#n) OR #n < :v",
                    "ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {":v": {"N": "9"}}}),
            ),
            (
                "UpdateItem",
                json!({"TableName": "tab", "Key": key, "UpdateExpression": "SET c = if_not_exists(c, :z) + :o",
                    "ExpressionAttributeValues": {":z": {"N": "0"}, ":o": {"N": "1"}}, "ReturnValues": "ALL_NEW"}),
            ),
            (
                "GetItem",
                json!({"TableName": "tab", "Key": key, "ConsistentRead": true, "ProjectionExpression": "pk, n"}),
            ),
            (
                "Query",
                json!({"TableName": "tab", "KeyConditionExpression": "pk = :p", "Limit": 1,
                    "ExpressionAttributeValues": {":p": {"S": "a"}}}),
            ),
            ("Scan", json!({"TableName": "tab", "Limit": 1, "FilterExpression": "attribute_exists(pk)"})),
            (
                "TransactWriteItems",
                json!({"TransactItems": [{"Put": {"TableName": "tab", "Item": {"pk": {"S": "z"}}}}]}),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn logs_tags_and_costs() {
    let events = json!([{"timestamp": 1_700_000_000_000_i64, "message": "m"}]);
    try_json(
        "Logs_20140328",
        &[
            ("CreateLogGroup", json!({"logGroupName": "/g", "tags": {"a": "b"}})),
            ("CreateLogStream", json!({"logGroupName": "/g", "logStreamName": "s"})),
            ("PutLogEvents", json!({"logGroupName": "/g", "logStreamName": "s", "logEvents": events})),
            ("FilterLogEvents", json!({"logGroupName": "/g", "filterPattern": "m", "startTime": 0, "limit": 1})),
            ("DescribeLogGroups", json!({"logGroupNamePrefix": "/", "limit": 1})),
            ("PutRetentionPolicy", json!({"logGroupName": "/g", "retentionInDays": 7})),
        ],
    )
    .await;
    let filters = json!([{"Key": "a", "Values": ["b"]}]);
    let get = json!({"TagFilters": filters, "ResourceTypeFilters": ["sqs"], "ResourcesPerPage": 1});
    try_json("ResourceGroupsTaggingAPI_20170126", &[("GetResources", get)]).await;
    let cost = json!({"TimePeriod": {"Start": "2026-01-01", "End": "2026-01-02"}, "Granularity": "DAILY",
        "GroupBy": [{"Type": "TAG", "Key": "k"}, {"Type": "DIMENSION", "Key": "SERVICE"}],
        "Metrics": ["UnblendedCost"], "Filter": {"Tags": {"Key": "k", "Values": ["v"]}}});
    try_json("AWSInsightsIndexService", &[("GetCostAndUsage", cost)]).await;
}

/// Forms: every value of a good request is replaced.
#[tokio::test]
async fn stacks() {
    let local = start().await;
    let template = "Resources: {Q: {Type: 'AWS::SQS::Queue'}}";
    let good = [
        ("Action", "CreateStack"),
        ("Version", "2010-05-15"),
        ("StackName", "s"),
        ("TemplateBody", template),
        ("Parameters.member.1.ParameterKey", "P"),
        ("Tags.member.1.Key", "k"),
        ("Tags.member.1.Value", "v"),
        ("Capabilities.member.1", "CAPABILITY_IAM"),
        ("TimeoutInMinutes", "5"),
        ("ClientRequestToken", "t"),
    ];
    let templates = [
        "",
        "{",
        "[]",
        "Resources: []",
        "Resources: {Q: {}}",
        "Resources: {Q: {Type: [1]}}",
        "a: &a [*a]",
        "Resources: {Q: {Type: 'AWS::SQS::Queue', DependsOn: Q}}",
        "Resources: {Q: {Type: 'AWS::SQS::Queue', Properties: {QueueName: !Sub '${'}}}",
        "Resources: {Q: {Type: 'AWS::SQS::Queue', Properties: !Ref Q}}",
        "Resources: {Q: {Type: 'AWS::SQS::Queue', Properties: {Tags: 7}}}",
        "Conditions: {C: !Not [!Condition C]}\nResources: {Q: {Type: 'AWS::SQS::Queue', Condition: C}}",
        "Mappings: 7\nResources: {Q: {Type: 'AWS::SQS::Queue', Properties: {QueueName: !FindInMap [a, b, c]}}}",
        "Outputs: {O: 7}\nResources: {Q: {Type: 'AWS::SQS::Queue'}}",
        "Resources: {Q: {Type: 'AWS::SQS::Queue', Properties: {QueueName: !Select [99, [a]]}}}",
        "Resources: {Q: {Type: 'AWS::SQS::Queue', Properties: {QueueName: !GetAtt Q}}}",
        "Parameters: {P: {Type: Number, MaxValue: x, AllowedPattern: '('}}\nResources: {Q: {Type: 'AWS::SQS::Queue'}}",
    ];
    let values = ["", "-1", "\u{0}", "99999999999999999999", "%", "&=", "AWS::", "arn:aws:cloudformation:::stack/"];
    for (at, (name, _)) in good.iter().enumerate() {
        let values = if *name == "TemplateBody" { &templates[..] } else { &values[..] };
        for (n, value) in values.iter().enumerate() {
            let stack = format!("s{at}x{n}");
            let pair = |(i, (key, usual)): (usize, &(&str, &str))| {
                let usual = if *key == "StackName" { stack.as_str() } else { usual };
                format!("{key}={}", urlencoded(if i == at { value } else { usual }))
            };
            let body = good.iter().enumerate().map(pair).collect::<Vec<_>>().join("&");
            let head = "POST / HTTP/1.1\r\ncontent-type: application/x-www-form-urlencoded\r\n";
            let code = status(&local, head, body.as_bytes()).await;
            assert!(is_honest(code), "{body}: {code}");
        }
    }
    local.cloud.shutdown().await;
}

fn urlencoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test]
async fn functions() {
    let local = start().await;
    let mapping = json!({"FunctionName": "f", "EventSourceArn": "arn:aws:sqs:us-east-1:000000000000:q", "BatchSize": 1,
        "ScalingConfig": {"MaximumConcurrency": 2}, "FunctionResponseTypes": ["ReportBatchItemFailures"]});
    let function = json!({"FunctionName": "f", "Role": "arn:aws:iam::000000000000:role/r", "Handler": "h",
        "Runtime": "provided.al2023", "Code": {"ZipFile": "AAAA"}, "Timeout": 3, "MemorySize": 128,
        "Environment": {"Variables": {"A": "b"}}, "Tags": {"a": "b"}, "Architectures": ["x86_64"],
        "DurableConfig": {"ExecutionTimeout": 60, "RetentionPeriodInDays": 1}});
    let mut seen = 0;
    for (path, good) in [("/2015-03-31/functions", function), ("/2015-03-31/event-source-mappings", mapping)] {
        let head = format!("POST {path} HTTP/1.1\r\ncontent-type: application/json\r\n");
        for bad in spoilt(&good) {
            let code = status(&local, &head, &serde_json::to_vec(&bad).unwrap()).await;
            assert!(is_honest(code), "{head}{bad}: {code}");
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen}");
    local.cloud.shutdown().await;
}
