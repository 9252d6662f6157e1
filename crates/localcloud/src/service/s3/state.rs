//! Buckets and objects.

use super::checksum::Checksums;
use super::errors::no_such_bucket;
use crate::error::ApiError;
use hyper::body::Bytes;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// All buckets.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(super) buckets: BTreeMap<String, Bucket>,
}

impl State {
    pub(super) fn bucket(&self, name: &str) -> Result<&Bucket, ApiError> {
        self.buckets.get(name).ok_or_else(|| no_such_bucket(name))
    }

    pub(super) fn bucket_mut(&mut self, name: &str) -> Result<&mut Bucket, ApiError> {
        self.buckets.get_mut(name).ok_or_else(|| no_such_bucket(name))
    }
}

/// One bucket.
#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) region: String,
    pub(super) created_ms: i64,
    pub(super) versioning: Versioning,
    pub(super) tags: BTreeMap<String, String>,
    /// Configurations that are only kept (encryption, public access block, policy, lifecycle), by name.
    pub(super) config: BTreeMap<&'static str, Value>,
    /// Versions of each key, the newest last; no key is without one.
    pub(super) objects: BTreeMap<String, Vec<Version>>,
    /// Uploads in progress, by key and upload id.
    pub(super) uploads: BTreeMap<(String, String), Upload>,
}

/// A multipart upload in progress.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) began_ms: i64,
    pub(super) content_type: String,
    pub(super) metadata: Map<String, Value>,
    /// By part number, from 1.
    pub(super) parts: BTreeMap<u32, Part>,
}

/// One part of an upload.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) body: Bytes,
    pub(super) checksums: Checksums,
    pub(super) modified_ms: i64,
}

/// Whether overwriting keeps what was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Versioning {
    Never,
    Enabled,
    Suspended,
}

/// One version of an object, or a delete marker.
#[derive(Clone, Debug)]
pub(super) struct Version {
    /// `null` if written while versioning was not enabled.
    pub(super) id: String,
    pub(super) modified_ms: i64,
    pub(super) content: Option<Content>,
}

/// What a version that is not a delete marker holds.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) body: Bytes,
    pub(super) content_type: String,
    pub(super) metadata: Map<String, Value>,
    pub(super) checksums: Checksums,
}

impl Bucket {
    /// Adds a version on top, under a fresh id only where versioning is enabled; answers its id.
    pub(super) fn push(&mut self, key: &str, fresh_id: String, modified_ms: i64, content: Option<Content>) -> String {
        let versions = self.objects.entry(key.to_owned()).or_default();
        let id = if self.versioning == Versioning::Enabled { fresh_id } else { "null".to_owned() };
        versions.retain(|version| version.id != id);
        versions.push(Version { id: id.clone(), modified_ms, content });
        id
    }

    /// Removes one version for good.
    pub(super) fn remove(&mut self, key: &str, id: &str) -> Option<Version> {
        let versions = self.objects.get_mut(key)?;
        let at = versions.iter().position(|version| version.id == id)?;
        let removed = versions.remove(at);
        if versions.is_empty() {
            self.objects.remove(key);
        }
        Some(removed)
    }

    /// Keys whose newest version is not a delete marker, with that version's content.
    pub(super) fn current(&self) -> impl Iterator<Item = (&String, &Version, &Content)> {
        self.objects.iter().filter_map(|(key, versions)| {
            let version = versions.last()?;
            Some((key, version, version.content.as_ref()?))
        })
    }

    /// True once version ids are shown to clients.
    pub(super) fn shows_versions(&self) -> bool {
        self.versioning != Versioning::Never
    }
}
