//! The wire below the SDKs.

use crate::support::{Local, start};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn connect(local: &Local) -> TcpStream {
    TcpStream::connect(local.cloud.endpoint().strip_prefix("http://").unwrap()).await.unwrap()
}

/// Sends raw bytes and reads until the server closes the connection.
async fn exchange(local: &Local, request: &str) -> String {
    let mut stream = connect(local).await;
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

fn post(headers: &str, body: &str) -> String {
    let length = body.len();
    format!("POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
}

#[tokio::test]
async fn errors_of_queues_carry_the_older_code_too() {
    let local = start().await;
    let headers = "x-amz-target: AmazonSQS.GetQueueUrl\r\ncontent-type: application/x-amz-json-1.0\r\n";
    let answer = exchange(&local, &post(headers, r#"{"QueueName":"none"}"#)).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("x-amzn-query-error: AWS.SimpleQueueService.NonExistentQueue;Sender"), "{answer}");
    assert!(answer.contains(r#""__type":"QueueDoesNotExist""#), "{answer}");
    assert!(answer.contains("x-amzn-requestid: "), "{answer}");
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn older_clients_speak_query_to_queues() {
    let local = start().await;
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let create =
        "Action=CreateQueue&Version=2012-11-05&QueueName=q.fifo&Attribute.1.Name=FifoQueue&Attribute.1.Value=true";
    let created = exchange(&local, &post(form, create)).await;
    assert!(created.contains("/000000000000/q.fifo</QueueUrl></CreateQueueResult>"), "{created}");
    let get = "Action=GetQueueUrl&Version=2012-11-05&QueueName=none";
    let missing = exchange(&local, &post(form, get)).await;
    assert!(missing.contains("<Code>AWS.SimpleQueueService.NonExistentQueue</Code>"), "{missing}");
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn foreign_requests_are_answered_not_crashed_on() {
    let local = start().await;
    let unknown = exchange(&local, &post("x-amz-target: Kinesis_20131202.PutRecord\r\n", "{}")).await;
    assert!(unknown.starts_with("HTTP/1.1 501") && unknown.contains("Kinesis_20131202.PutRecord"), "{unknown}");
    let garbage = exchange(&local, "\u{0}\u{1}nonsense\r\n\r\n").await;
    assert!(garbage.starts_with("HTTP/1.1 400"), "{garbage}");
    let broken = exchange(&local, &post("x-amz-target: AmazonSQS.ListQueues\r\n", "{\"a\":")).await;
    assert!(broken.contains("SerializationException"), "{broken}");
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn bodies_have_a_bound() {
    let local = start().await;
    let mut stream = connect(&local).await;
    let head = format!("PUT /bucket/key HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", 65 * 1024 * 1024);
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    // The server answers by the announced length, before the body is sent.
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn after_shutdown_the_port_is_closed() {
    let local = start().await;
    let mut open = connect(&local).await;
    let address = local.cloud.endpoint().replace("http://", "");
    local.cloud.shutdown().await;
    assert_eq!(open.read(&mut [0; 1]).await.unwrap_or(0), 0);
    assert_eq!(TcpStream::connect(address).await.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
}
