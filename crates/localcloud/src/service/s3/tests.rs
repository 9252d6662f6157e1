//! Buckets without a wire.

use super::checksum::verify;
use super::state::{Bucket, Content, State, Versioning};
use super::*;
use serde_json::Map;
use std::collections::BTreeMap;

fn content(text: &'static str) -> Content {
    Content {
        body: Bytes::from_static(text.as_bytes()),
        content_type: String::new(),
        metadata: Map::new(),
        checksums: verify(text.as_bytes(), None, None).unwrap(),
    }
}

fn bucket(versioning: Versioning) -> Bucket {
    Bucket {
        region: "us-east-1".to_owned(),
        created_ms: 0,
        versioning,
        tags: BTreeMap::new(),
        config: BTreeMap::new(),
        objects: BTreeMap::new(),
        uploads: BTreeMap::new(),
    }
}

#[test]
fn without_versioning_there_is_one_version_named_null() {
    let mut bucket = bucket(Versioning::Never);
    bucket.push("k", "1".to_owned(), 1, Some(content("a")));
    assert_eq!(bucket.push("k", "2".to_owned(), 2, Some(content("b"))), "null");
    assert_eq!(bucket.objects["k"].len(), 1);
    assert_eq!(bucket.current().next().unwrap().2.body, "b");
}

#[test]
fn with_versioning_a_marker_hides_and_its_removal_shows_again() {
    let mut bucket = bucket(Versioning::Enabled);
    bucket.push("k", "1".to_owned(), 1, Some(content("a")));
    bucket.push("k", "2".to_owned(), 2, None);
    assert_eq!(bucket.current().count(), 0);
    assert!(bucket.remove("k", "2").unwrap().content.is_none());
    assert_eq!(bucket.current().next().unwrap().1.id, "1");
    bucket.remove("k", "1").unwrap();
    assert!(bucket.objects.is_empty());
}

#[test]
fn old_versions_can_be_read_by_id() {
    let mut state = State::default();
    let mut bucket = bucket(Versioning::Enabled);
    bucket.push("k", "1".to_owned(), 1, Some(content("a")));
    bucket.push("k", "2".to_owned(), 2, Some(content("b")));
    state.buckets.insert("b".to_owned(), bucket);
    assert_eq!(object::find(&state, "b", "k", Some("1")).unwrap().body, "a");
    assert_eq!(object::find(&state, "b", "k", None).unwrap().body, "b");
    assert_eq!(object::find(&state, "b", "k", Some("3")).unwrap_err().code, "NoSuchVersion");
    assert_eq!(object::find(&state, "c", "k", None).unwrap_err().code, "NoSuchBucket");
}
