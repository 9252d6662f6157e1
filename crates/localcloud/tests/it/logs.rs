//! CloudWatch Logs.

use crate::support::start;
use aws_sdk_cloudwatchlogs::Client;
use aws_sdk_cloudwatchlogs::error::ProvideErrorMetadata;
use aws_sdk_cloudwatchlogs::types::InputLogEvent;
use std::time::{SystemTime, UNIX_EPOCH};

fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

#[tokio::test]
async fn groups_are_made_tagged_listed_and_deleted() {
    let local = start().await;
    let client = Client::new(&local.config);
    for n in 0..120 {
        client
            .create_log_group()
            .log_group_name(format!("/assay/run/{n:03}"))
            .tags("n", n.to_string())
            .send()
            .await
            .unwrap();
    }
    client.create_log_group().log_group_name("/other").send().await.unwrap();
    let twice = client.create_log_group().log_group_name("/other").send().await.unwrap_err();
    assert_eq!(twice.code(), Some("ResourceAlreadyExistsException"));
    let bad = client.create_log_group().log_group_name("a:b").send().await.unwrap_err();
    assert_eq!(bad.code(), Some("InvalidParameterException"));

    let first = client.describe_log_groups().log_group_name_prefix("/assay/").send().await.unwrap();
    assert_eq!(first.log_groups.unwrap().len(), 50);
    assert!(first.next_token.is_some());
    let all = client.describe_log_groups().log_group_name_prefix("/assay/").into_paginator().items().send();
    assert_eq!(all.collect::<Result<Vec<_>, _>>().await.unwrap().len(), 120);
    let found = client.describe_log_groups().log_group_name_pattern("RUN/11").send().await.unwrap().log_groups.unwrap();
    assert_eq!(found.len(), 10);
    let arn = found[0].log_group_arn.clone().unwrap();
    assert_eq!(arn, "arn:aws:logs:us-east-1:000000000000:log-group:/assay/run/110");
    assert_eq!(found[0].arn.clone().unwrap(), format!("{arn}:*"));

    client.put_retention_policy().log_group_name("/other").retention_in_days(7).send().await.unwrap();
    let other = client.describe_log_groups().log_group_name_prefix("/other").send().await.unwrap().log_groups.unwrap();
    assert_eq!(other[0].retention_in_days, Some(7));
    client.tag_resource().resource_arn(&arn).tags("k", "v").send().await.unwrap();
    client.untag_resource().resource_arn(&arn).tag_keys("n").send().await.unwrap();
    let tags = client.list_tags_for_resource().resource_arn(&arn).send().await.unwrap().tags.unwrap();
    assert_eq!(tags.into_iter().collect::<Vec<_>>(), [("k".to_owned(), "v".to_owned())]);
    client.delete_log_group().log_group_name("/other").send().await.unwrap();
    let gone = client.delete_log_group().log_group_name("/other").send().await.unwrap_err();
    assert_eq!(gone.message(), Some("The specified log group does not exist."));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn events_are_written_and_read() {
    let local = start().await;
    let client = Client::new(&local.config);
    client.create_log_group().log_group_name("g").send().await.unwrap();
    let start_ms = now_ms();
    for stream in ["s1", "s2"] {
        client.create_log_stream().log_group_name("g").log_stream_name(stream).send().await.unwrap();
        let mut put = client.put_log_events().log_group_name("g").log_stream_name(stream);
        for n in 0..10i64 {
            let event = InputLogEvent::builder().timestamp(start_ms + n).message(format!("{stream} line {n}"));
            put = put.log_events(event.build().unwrap());
        }
        put.send().await.unwrap();
    }
    let get = || client.get_log_events().log_group_name("g").log_stream_name("s1");
    let messages = |events: Vec<aws_sdk_cloudwatchlogs::types::OutputLogEvent>| {
        events.into_iter().map(|event| event.message.unwrap()).collect::<Vec<_>>()
    };
    let head = get().start_from_head(true).limit(4).send().await.unwrap();
    assert_eq!(messages(head.events.unwrap()), ["s1 line 0", "s1 line 1", "s1 line 2", "s1 line 3"]);
    let more = get().start_from_head(true).next_token(head.next_forward_token.unwrap()).send().await.unwrap();
    let end = more.next_forward_token.clone().unwrap();
    assert_eq!(messages(more.events.unwrap()).len(), 6);
    let none = get().next_token(&end).send().await.unwrap();
    assert_eq!((none.events.unwrap().len(), none.next_forward_token.unwrap()), (0, end), "the end repeats its token");
    let newest = get().limit(2).send().await.unwrap();
    assert_eq!(messages(newest.events.unwrap()), ["s1 line 8", "s1 line 9"]);

    let filtered = client.filter_log_events().log_group_name("g").filter_pattern("\"line 3\"").send().await.unwrap();
    let found: Vec<_> = filtered.events.unwrap().into_iter().map(|event| event.message.unwrap()).collect();
    assert_eq!(found, ["s1 line 3", "s2 line 3"]);
    let paged = client.filter_log_events().log_group_name("g").limit(7).into_paginator().send();
    let pages: Vec<_> = paged.collect::<Result<Vec<_>, _>>().await.unwrap();
    let sizes: Vec<_> = pages.into_iter().map(|page| page.events.unwrap_or_default().len()).collect();
    assert_eq!(sizes, [7, 7, 6]);
    let streams = client.describe_log_streams().log_group_name("g").send().await.unwrap().log_streams.unwrap();
    assert_eq!(streams[1].last_event_timestamp, Some(start_ms + 9));
    local.cloud.shutdown().await;
}
