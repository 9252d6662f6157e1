use crate::support::{Local, start};
use aws_sdk_s3::Client;
use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{
    BucketVersioningStatus, CompletedMultipartUpload, CompletedPart, Delete, ObjectIdentifier,
    PublicAccessBlockConfiguration, Tag, Tagging, VersioningConfiguration,
};

async fn bucket() -> (Local, Client) {
    let local = start().await;
    let client = Client::new(&local.config);
    client.create_bucket().bucket("artifacts").send().await.unwrap();
    (local, client)
}

async fn put(client: &Client, key: &str, body: &'static [u8]) -> Option<String> {
    let request = client.put_object().bucket("artifacts").key(key).body(ByteStream::from_static(body));
    request.send().await.unwrap().version_id
}

async fn enable_versioning(client: &Client) {
    let enabled = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
    let request = client.put_bucket_versioning().bucket("artifacts").versioning_configuration(enabled);
    request.send().await.unwrap();
}

#[tokio::test]
async fn an_object_comes_back_as_it_was_written() {
    let (local, client) = bucket().await;
    let key = "functions/a b+ü.zip";
    let request = client.put_object().bucket("artifacts").key(key).body(ByteStream::from_static(b"zip"));
    request.metadata("digest", "abc").content_type("application/zip").send().await.unwrap();
    let got = client.get_object().bucket("artifacts").key(key).send().await.unwrap();
    assert_eq!(got.content_type(), Some("application/zip"));
    assert_eq!(got.metadata().unwrap()["digest"], "abc");
    assert_eq!(got.body.collect().await.unwrap().to_vec(), b"zip");
    let head = client.head_object().bucket("artifacts").key(key).send().await.unwrap();
    assert_eq!(head.content_length(), Some(3));
    let part = client.get_object().bucket("artifacts").key(key).range("bytes=1-").send().await.unwrap();
    assert_eq!(part.body.collect().await.unwrap().to_vec(), b"ip");
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn what_is_missing_is_told_by_its_modelled_error() {
    let (local, client) = bucket().await;
    let key = client.get_object().bucket("artifacts").key("none").send().await.unwrap_err();
    assert!(key.into_service_error().is_no_such_key());
    let head = client.head_object().bucket("artifacts").key("none").send().await.unwrap_err();
    assert!(head.into_service_error().is_not_found());
    let bucket = client.head_bucket().bucket("elsewhere").send().await.unwrap_err();
    assert!(bucket.into_service_error().is_not_found());
    let again = client.create_bucket().bucket("artifacts").send().await.unwrap_err();
    assert!(again.into_service_error().is_bucket_already_owned_by_you());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_checksum_that_does_not_match_is_refused() {
    let (local, client) = bucket().await;
    let request = client.put_object().bucket("artifacts").key("k").body(ByteStream::from_static(b"body"));
    let refused = request.checksum_sha256("AAAA").send().await.unwrap_err();
    assert_eq!(refused.code(), Some("BadDigest"));
    assert!(client.list_objects_v2().bucket("artifacts").send().await.unwrap().contents().is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_versioned_bucket_is_empty_only_without_versions_and_markers() {
    let (local, client) = bucket().await;
    enable_versioning(&client).await;
    let first = put(&client, "k", b"1").await;
    put(&client, "k", b"2").await;
    let marker = client.delete_object().bucket("artifacts").key("k").send().await.unwrap();
    assert_eq!(marker.delete_marker(), Some(true));
    assert!(client.list_objects_v2().bucket("artifacts").send().await.unwrap().contents().is_empty());
    let old = client.get_object().bucket("artifacts").key("k").set_version_id(first).send().await.unwrap();
    assert_eq!(old.body.collect().await.unwrap().to_vec(), b"1");

    let refused = client.delete_bucket().bucket("artifacts").send().await.unwrap_err();
    assert_eq!(refused.code(), Some("BucketNotEmpty"));
    let listed = client.list_object_versions().bucket("artifacts").send().await.unwrap();
    let versions = listed.versions().iter().map(|v| (v.key().unwrap(), v.version_id().unwrap()));
    let markers = listed.delete_markers().iter().map(|m| (m.key().unwrap(), m.version_id().unwrap()));
    let objects: Vec<_> = versions
        .chain(markers)
        .map(|(key, id)| ObjectIdentifier::builder().key(key).version_id(id).build().unwrap())
        .collect();
    assert_eq!(objects.len(), 3);
    let delete = Delete::builder().set_objects(Some(objects)).build().unwrap();
    let deleted = client.delete_objects().bucket("artifacts").delete(delete).send().await.unwrap();
    assert_eq!((deleted.deleted().len(), deleted.errors().len()), (3, 0));
    client.delete_bucket().bucket("artifacts").send().await.unwrap();
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn versions_are_listed_page_by_page() {
    let (local, client) = bucket().await;
    enable_versioning(&client).await;
    for (key, body) in [("a", &b"1"[..]), ("a", b"2"), ("b", b"3")] {
        put(&client, key, body).await;
    }
    let (mut seen, mut key_marker, mut version_marker) = (Vec::new(), None, None);
    loop {
        let request = client.list_object_versions().bucket("artifacts").max_keys(1);
        let request = request.set_key_marker(key_marker).set_version_id_marker(version_marker);
        let page = request.send().await.unwrap();
        seen.extend(page.versions().iter().map(|v| (v.key().unwrap().to_owned(), v.is_latest().unwrap())));
        if page.is_truncated() != Some(true) {
            break;
        }
        (key_marker, version_marker) = (page.next_key_marker, page.next_version_id_marker);
    }
    assert_eq!(seen, [("a".to_owned(), true), ("a".to_owned(), false), ("b".to_owned(), true)]);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn listings_have_pages_and_common_prefixes() {
    let (local, client) = bucket().await;
    for key in ["a/1", "a/2", "b/1", "c"] {
        put(&client, key, b"x").await;
    }
    let mut pages = client.list_objects_v2().bucket("artifacts").max_keys(3).into_paginator().send();
    let mut keys = Vec::new();
    while let Some(page) = pages.next().await {
        keys.extend(page.unwrap().contents().iter().map(|object| object.key().unwrap().to_owned()));
    }
    assert_eq!(keys, ["a/1", "a/2", "b/1", "c"]);
    let folders = client.list_objects_v2().bucket("artifacts").delimiter("/").max_keys(2).send().await.unwrap();
    let prefixes: Vec<_> = folders.common_prefixes().iter().filter_map(|p| p.prefix()).collect();
    assert_eq!(prefixes, ["a/", "b/"]);
    let rest = client.list_objects_v2().bucket("artifacts").delimiter("/");
    let rest = rest.set_continuation_token(folders.next_continuation_token).send().await.unwrap();
    assert_eq!(rest.contents()[0].key(), Some("c"));
    assert!(rest.common_prefixes().is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn uploads_in_progress_are_seen_and_aborted() {
    let (local, client) = bucket().await;
    let upload = client.create_multipart_upload().bucket("artifacts").key("k").send().await.unwrap();
    let listed = client.list_multipart_uploads().bucket("artifacts").send().await.unwrap();
    assert_eq!(listed.uploads()[0].upload_id(), upload.upload_id());
    let abort = client.abort_multipart_upload().bucket("artifacts").key("k");
    abort.set_upload_id(upload.upload_id).send().await.unwrap();
    assert!(client.list_multipart_uploads().bucket("artifacts").send().await.unwrap().uploads().is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn parts_become_one_object_in_their_order() {
    const PART: usize = 5 * 1024 * 1024;
    let (local, client) = bucket().await;
    let upload = client.create_multipart_upload().bucket("artifacts").key("k").metadata("a", "b").send().await.unwrap();
    let id = upload.upload_id().unwrap();
    let mut parts = Vec::new();
    for (number, byte, length) in [(2, b'y', 3), (1, b'x', PART)] {
        let part = client.upload_part().bucket("artifacts").key("k").upload_id(id).part_number(number);
        let put = part.body(vec![byte; length].into()).send().await.unwrap();
        parts.insert(0, CompletedPart::builder().part_number(number).set_e_tag(put.e_tag).build());
    }
    let complete = |parts: Vec<CompletedPart>| {
        let whole = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
        client.complete_multipart_upload().bucket("artifacts").key("k").upload_id(id).multipart_upload(whole).send()
    };
    let backwards = complete(vec![parts[1].clone(), parts[0].clone()]).await.unwrap_err();
    assert_eq!(backwards.code(), Some("InvalidPartOrder"));
    let other = CompletedPart::builder().part_number(2).e_tag("other").build();
    assert_eq!(complete(vec![parts[0].clone(), other]).await.unwrap_err().code(), Some("InvalidPart"));
    let listed = client.list_parts().bucket("artifacts").key("k").upload_id(id).max_parts(1).send().await.unwrap();
    assert_eq!((listed.parts()[0].size(), listed.next_part_number_marker()), (Some(5_242_880), Some("1")));
    complete(parts).await.unwrap();
    let object = client.get_object().bucket("artifacts").key("k").send().await.unwrap();
    assert_eq!(object.metadata().unwrap()["a"], "b");
    let body = object.body.collect().await.unwrap().into_bytes();
    assert_eq!((body.len(), body[PART - 1], body[PART]), (PART + 3, b'x', b'y'));
    assert!(client.list_multipart_uploads().bucket("artifacts").send().await.unwrap().uploads().is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn configurations_are_kept() {
    let (local, client) = bucket().await;
    let none = client.get_bucket_tagging().bucket("artifacts").send().await.unwrap_err();
    assert_eq!(none.code(), Some("NoSuchTagSet"));
    let tag = Tag::builder().key("assay:run").value("r 1").build().unwrap();
    let tagging = Tagging::builder().tag_set(tag.clone()).build().unwrap();
    client.put_bucket_tagging().bucket("artifacts").tagging(tagging).send().await.unwrap();
    assert_eq!(client.get_bucket_tagging().bucket("artifacts").send().await.unwrap().tag_set(), [tag]);

    let block =
        PublicAccessBlockConfiguration::builder().block_public_acls(true).restrict_public_buckets(false).build();
    let request = client.put_public_access_block().bucket("artifacts");
    request.public_access_block_configuration(block.clone()).send().await.unwrap();
    let kept = client.get_public_access_block().bucket("artifacts").send().await.unwrap();
    assert_eq!(kept.public_access_block_configuration(), Some(&block));

    let encryption = client.get_bucket_encryption().bucket("artifacts").send().await.unwrap();
    assert_eq!(encryption.server_side_encryption_configuration().unwrap().rules().len(), 1);
    enable_versioning(&client).await;
    let versioning = client.get_bucket_versioning().bucket("artifacts").send().await.unwrap();
    assert_eq!(versioning.status(), Some(&BucketVersioningStatus::Enabled));
    let location = client.get_bucket_location().bucket("artifacts").send().await.unwrap();
    assert_eq!(location.location_constraint().map_or("", |region| region.as_str()), "");
    assert_eq!(client.list_buckets().send().await.unwrap().buckets()[0].name(), Some("artifacts"));
    local.cloud.shutdown().await;
}
