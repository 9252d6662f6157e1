//! From a command to a request that can be sent, with everything that is wrong told at once. Files are read here;
//! nothing is called.

use crate::artifact::{Artifact, Binary};
use crate::exit::Failure;
use crate::plan::TOOL_TAG;
use crate::plan::{behind_queue, capabilities, physical, preflight, yaml_notes};
use evidence::digest::Digest;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use yaml::{Dialect, Document, Limits};

/// A body may have 51,200 bytes; longer templates go through S3 (CloudFormation quotas).
pub const MAX_BODY_BYTES: usize = 51_200;
/// Through S3 a template may have 1 MiB (CloudFormation quotas).
const MAX_TEMPLATE_BYTES: usize = 1 << 20;
/// A parameter's value may have 4,096 bytes (CloudFormation quotas).
const MAX_PARAMETER_BYTES: usize = 4_096;
/// Parameters that `--artifact` fills in.
const ARTIFACT_PARAMETERS: [&str; 3] = ["ArtifactBucket", "ArtifactKey", "ArtifactSha256Base64"];

/// What the command line says.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// Template file.
    pub template: PathBuf,
    /// Stack name.
    pub stack: String,
    /// Tags as `key=value`.
    pub tags: Vec<String>,
    /// Parameters as `key=value`.
    pub parameters: Vec<String>,
    /// A function's zip or binary.
    pub artifact: Option<PathBuf>,
    /// Bucket for the artifact and for templates that are too long to send.
    pub bucket: Option<String>,
}

/// A request, complete but for the token.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Stack name.
    pub stack: String,
    /// The template's text: the file's bytes, unchanged.
    pub body: String,
    /// SHA-256 of the file.
    pub template_sha256: Digest,
    /// Parameter values.
    pub parameters: BTreeMap<String, String>,
    /// Stack tags, this tool's own included.
    pub tags: BTreeMap<String, String>,
    /// Capabilities that the template needs.
    pub capabilities: Vec<String>,
    /// Bucket for what cannot be sent inline.
    pub bucket: Option<String>,
    /// Key and bytes of the artifact.
    pub artifact: Option<(String, Vec<u8>)>,
    /// Worth knowing before it is sent.
    pub warnings: Vec<String>,
}

impl Prepared {
    /// First 16 hex digits of a digest over everything that is asked for: the same request has the same.
    #[must_use]
    pub fn identity(&self) -> String {
        let all = format!("{}\n{}\n{:?}\n{:?}", self.stack, self.template_sha256, self.parameters, self.tags);
        Digest::of(all.as_bytes()).to_string().chars().take(16).collect()
    }

    /// Whether the template is too long to be sent in the request.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.body.len() > MAX_BODY_BYTES
    }
}

/// Reads and checks.
///
/// # Errors
/// [`Failure::Usage`] with every finding; [`Failure::Invalid`] for a template that is no YAML.
pub fn prepare(ask: &Ask) -> Result<Prepared, Failure> {
    let path = &ask.template;
    let bytes =
        std::fs::read(path).map_err(|e| Failure::Usage(format!("cannot read template {}: {e}", path.display())))?;
    let template_sha256 = Digest::of(&bytes);
    let body = String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("template {} is not UTF-8 text", path.display())))?;
    let mut findings = sizes(ask, body.len());
    let limits = Limits { max_bytes: MAX_TEMPLATE_BYTES.max(body.len()), ..Limits::default() };
    let document = Document::parse(&path.display().to_string(), &body, Dialect::CloudFormation, limits)?;
    findings.extend(name(&ask.stack));
    let mut tags = pairs("--tag", &ask.tags, &mut findings);
    let reserved = tags.keys().filter(|k| k.starts_with("assay:"));
    findings.extend(reserved.map(|k| format!("tag `{k}`: `assay:` is this tool's own; choose another key")));
    tags.insert(TOOL_TAG.to_owned(), concat!("assay/", env!("CARGO_PKG_VERSION")).to_owned());
    let listed: Vec<_> = tags.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    preflight::tags(&ask.stack, &listed, &mut findings);
    let mut parameters = pairs("--param", &ask.parameters, &mut findings);
    let artifact = artifact(ask, &mut parameters, &mut findings)?;
    check_parameters(&document, &parameters, &mut findings);
    let stack = ("AWS::StackName".to_owned(), ask.stack.clone());
    let known = parameters.clone().into_iter().chain([stack]).collect();
    let named = physical::named(document.value(), &known);
    findings.extend(named.iter().filter_map(physical::Named::too_long));
    findings.extend(behind_queue::findings(&ask.stack, document.value(), &known));
    if !findings.is_empty() {
        return Err(Failure::Usage(format!("nothing was sent:\n  - {}", findings.join("\n  - "))));
    }
    Ok(Prepared {
        stack: ask.stack.clone(),
        template_sha256,
        capabilities: capabilities::needed(document.value()),
        warnings: yaml_notes::notes(&document).into_iter().map(|n| format!("{}:{n}", path.display())).collect(),
        body,
        parameters,
        tags,
        bucket: ask.bucket.clone(),
        artifact,
    })
}

fn sizes(ask: &Ask, bytes: usize) -> Vec<String> {
    let name = ask.template.display();
    if bytes > MAX_TEMPLATE_BYTES {
        vec![format!("template {name} has {bytes} bytes, {MAX_TEMPLATE_BYTES} are allowed; split it into stacks")]
    } else if bytes > MAX_BODY_BYTES && ask.bucket.is_none() {
        vec![format!(
            "template {name} has {bytes} bytes, {MAX_BODY_BYTES} can be sent inline; name a bucket with --bucket to send it through S3"
        )]
    } else {
        Vec::new()
    }
}

/// A letter first, then letters, digits and `-`, at most 128 (CloudFormation API reference, CreateStack).
fn name(stack: &str) -> Option<String> {
    let clean = stack.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if clean && stack.len() <= 128 && stack.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let proposal: String = stack.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(128).collect();
    let hint = if proposal.starts_with(|c: char| c.is_ascii_alphabetic()) && proposal != stack {
        format!("; `{proposal}` would do")
    } else {
        String::new()
    };
    Some(format!(
        "stack name `{stack}` ({} characters): a letter, then letters, digits and `-`, at most 128{hint}",
        stack.chars().count()
    ))
}

fn pairs(option: &str, given: &[String], findings: &mut Vec<String>) -> BTreeMap<String, String> {
    let mut pairs = BTreeMap::new();
    for text in given {
        match text.split_once('=') {
            None => findings.push(format!("{option} {text}: write key=value")),
            Some((key, value)) => {
                if pairs.insert(key.to_owned(), value.to_owned()).is_some() {
                    findings.push(format!("{option} {key} is given twice"));
                }
            }
        }
    }
    pairs
}

/// The artifact, packed if it is a binary, and the parameters that point to it.
fn artifact(
    ask: &Ask,
    parameters: &mut BTreeMap<String, String>,
    findings: &mut Vec<String>,
) -> Result<Option<(String, Vec<u8>)>, Failure> {
    let Some(path) = &ask.artifact else { return Ok(None) };
    let Some(bucket) = &ask.bucket else {
        findings.push("--artifact needs --bucket: a bucket of the same region that holds it".to_owned());
        return Ok(None);
    };
    let artifact = match read_artifact(path)? {
        Ok(artifact) => artifact,
        Err(why) => {
            findings.push(why);
            return Ok(None);
        }
    };
    let key = format!("functions/{}.zip", artifact.digest);
    let values = [bucket.clone(), key.clone(), artifact.code_sha256()];
    for (name, value) in ARTIFACT_PARAMETERS.into_iter().zip(values) {
        parameters.entry(name.to_owned()).or_insert(value);
    }
    Ok(Some((key, artifact.zip)))
}

fn read_artifact(path: &Path) -> Result<Result<Artifact, String>, Failure> {
    let bytes =
        std::fs::read(path).map_err(|e| Failure::Usage(format!("cannot read artifact {}: {e}", path.display())))?;
    if bytes.starts_with(b"PK\x03\x04") {
        return Ok(Ok(Artifact { digest: Digest::of(&bytes), zip: bytes }));
    }
    let fit = Binary::inspect(&bytes).and_then(|binary| binary.check_for_lambda(binary.architecture));
    if let Err(error) = fit {
        return Ok(Err(format!("artifact {} is neither a zip nor a binary for Lambda: {error}", path.display())));
    }
    Artifact::of_bootstrap(&bytes).map(Ok).map_err(|e| Failure::Usage(format!("artifact {}: {e}", path.display())))
}

/// No unknown parameter, none missing that has no default.
fn check_parameters(document: &Document, given: &BTreeMap<String, String>, findings: &mut Vec<String>) {
    let empty = serde_json::Map::new();
    let declared = document.value().get("Parameters").and_then(|p| p.as_object()).unwrap_or(&empty);
    for (key, value) in given {
        if !declared.contains_key(key) {
            let near =
                declared.keys().max_by(|a, b| strsim::jaro_winkler(a, key).total_cmp(&strsim::jaro_winkler(b, key)));
            let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            findings.push(format!("the template has no parameter `{key}`{hint}"));
        }
        if value.len() > MAX_PARAMETER_BYTES {
            findings.push(format!("parameter `{key}` has {} bytes, {MAX_PARAMETER_BYTES} are allowed", value.len()));
        }
    }
    for (key, _) in declared.iter().filter(|(key, of)| of.get("Default").is_none() && !given.contains_key(*key)) {
        findings.push(format!("parameter `{key}` has no default: give --param {key}=…"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(template: &str, change: impl FnOnce(&mut Ask)) -> Result<Prepared, Failure> {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("t.yaml");
        std::fs::write(&path, template).expect("write");
        let mut ask = Ask { template: path, stack: "s".into(), ..Ask::default() };
        change(&mut ask);
        prepare(&ask)
    }

    const QUEUE: &str = "Parameters: {Name: {Type: String}}\nResources: {Q: {Type: AWS::SQS::Queue}}\n";

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let error = ask(QUEUE, |a| {
            a.stack = "wait_for_callback".into();
            a.tags = vec!["aws:x=1".into(), "empty=".into(), "x".into()];
            a.parameters = vec!["Nam=1".into()];
        })
        .expect_err("findings")
        .to_string();
        for text in [
            "wait-for-callback",
            "`aws:` is reserved",
            "an empty value",
            "write key=value",
            "did you mean `Name`",
            "--param Name=",
        ] {
            assert!(error.contains(text), "{text}: {error}");
        }
    }

    #[test]
    fn a_name_that_the_template_derives_too_long_is_refused_with_the_number() {
        let template = "Resources: {Q: {Type: AWS::SQS::Queue, Properties: {QueueName: !Sub '${AWS::StackName}-dead-letter.fifo'}}}\n";
        let error = ask(template, |a| a.stack = "s".repeat(65)).expect_err("too long").to_string();
        assert!(error.contains("(Q) has 82 characters, 80 are allowed"), "{error}");
        assert!(ask(template, |a| a.stack = "s".repeat(63)).is_ok());
    }

    #[test]
    fn a_long_template_needs_a_bucket_and_one_byte_less_does_not() {
        let long = |bytes: usize| {
            let start = "Resources: {Q: {Type: AWS::SQS::Queue}}\n#";
            format!("{start}{}", "x".repeat(bytes - start.len()))
        };
        assert!(ask(&long(MAX_BODY_BYTES), |_| ()).is_ok_and(|p| !p.is_long()));
        let error = ask(&long(MAX_BODY_BYTES + 1), |_| ()).expect_err("too long").to_string();
        assert!(error.contains("51201 bytes") && error.contains("--bucket"), "{error}");
        assert!(ask(&long(MAX_BODY_BYTES + 1), |a| a.bucket = Some("b".into())).is_ok_and(|p| p.is_long()));
        let error =
            ask(&long(MAX_TEMPLATE_BYTES + 1), |a| a.bucket = Some("b".into())).expect_err("too long").to_string();
        assert!(error.contains("1048576 are allowed"), "{error}");
    }

    #[test]
    fn bytes_are_counted_not_characters() {
        let text = format!("Resources: {{Q: {{Type: AWS::SQS::Queue}}}}\n#{}", "ü".repeat(26_000));
        assert!(ask(&text, |_| ()).is_err());
    }

    #[test]
    fn the_same_request_has_the_same_identity() {
        let one = |tag: &str| {
            ask(QUEUE, |a| {
                a.parameters = vec!["Name=n".into()];
                a.tags = vec![tag.into()];
            })
            .expect("fine")
        };
        assert_eq!(one("k=1").identity(), one("k=1").identity());
        assert_ne!(one("k=1").identity(), one("k=2").identity());
        assert_eq!(one("k=1").tags.len(), 2);
    }

    #[test]
    fn an_artifact_is_a_zip_or_a_binary_and_needs_a_bucket() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "PK\x03\x04zip").expect("write");
        let error = ask(QUEUE, |a| a.artifact = Some(path.clone())).expect_err("no bucket").to_string();
        assert!(error.contains("--bucket"), "{error}");
        let template = "Parameters: {ArtifactBucket: {Type: String}, ArtifactKey: {Type: String}, ArtifactSha256Base64: {Type: String}}\nResources: {Q: {Type: AWS::SQS::Queue}}\n";
        let fine = ask(template, |a| {
            a.artifact = Some(path.clone());
            a.bucket = Some("b".into());
        })
        .expect("fine");
        assert_eq!(fine.parameters["ArtifactBucket"], "b");
        assert!(fine.parameters["ArtifactKey"].ends_with(".zip"));
        std::fs::write(&path, "text").expect("write");
        assert!(
            ask(template, |a| {
                a.artifact = Some(path);
                a.bucket = Some("b".into());
            })
            .is_err()
        );
    }
}
