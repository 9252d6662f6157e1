//! Where a run points: profile, region and endpoint, resolved before anything is called.

use serde::{Deserialize, Serialize};

/// What the user or the run asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Named profile of the shared configuration.
    pub profile: Option<String>,
    /// Region; it must not contradict the environment.
    pub region: Option<String>,
    /// Endpoint override for every service.
    pub endpoint_url: Option<String>,
}

/// What the environment says beside it; read once, then passed along.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// `AWS_REGION`, else `AWS_DEFAULT_REGION`.
    pub region: Option<String>,
    /// `AWS_ENDPOINT_URL`.
    pub endpoint_url: Option<String>,
}

/// AWS's own endpoints, or anything else. Evidence from anything else is a rehearsal for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// Hosts of AWS.
    Aws,
    /// This URL.
    Foreign(String),
}

impl Surroundings {
    /// Reads the process environment.
    #[must_use]
    pub fn from_env() -> Self {
        let var = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self { region: var("AWS_REGION").or_else(|| var("AWS_DEFAULT_REGION")), endpoint_url: var("AWS_ENDPOINT_URL") }
    }
}

impl EndpointKind {
    /// `aws` or `foreign`, as evidence names it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::Foreign(_) => "foreign",
        }
    }

    /// The override, if there is one.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Aws => None,
            Self::Foreign(url) => Some(url),
        }
    }

    /// Whether the endpoint is on this machine, where dummy credentials are right.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.url().is_some_and(|url| matches!(host_of(url), "127.0.0.1" | "localhost" | "[::1]"))
    }

    /// Whether a request to `authority` (host, maybe with port) stays within this kind.
    #[must_use]
    pub fn allows(&self, authority: &str) -> bool {
        match self {
            Self::Aws => {
                let host = host_of(authority);
                [".amazonaws.com", ".amazonaws.com.cn", ".api.aws", ".amazonaws.eu"]
                    .iter()
                    .any(|end| host.ends_with(end))
            }
            Self::Foreign(url) => authority_of(url).eq_ignore_ascii_case(authority_of(authority)),
        }
    }
}

/// `host:port` of a URL or authority.
fn authority_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest)
}

/// Host without port; brackets of IPv6 stay.
fn host_of(url: &str) -> &str {
    let authority = authority_of(url);
    if authority.starts_with('[') {
        authority.split_once(']').map_or(authority, |(host, _)| &authority[..=host.len()])
    } else {
        authority.split(':').next().unwrap_or(authority)
    }
}

#[cfg(test)]
mod tests {
    use super::EndpointKind;

    #[test]
    fn aws_allows_only_hosts_of_aws() {
        for host in ["sqs.us-east-1.amazonaws.com", "s3.cn-north-1.amazonaws.com.cn", "lambda.us-east-1.api.aws:443"] {
            assert!(EndpointKind::Aws.allows(host), "{host}");
        }
        for host in ["127.0.0.1:4566", "evil.example", "amazonaws.com.evil.example"] {
            assert!(!EndpointKind::Aws.allows(host), "{host}");
        }
    }

    #[test]
    fn foreign_allows_only_itself() {
        let kind = EndpointKind::Foreign("http://127.0.0.1:4566".into());
        assert!(kind.allows("127.0.0.1:4566"));
        assert!(!kind.allows("127.0.0.1:4567"));
        assert!(!kind.allows("sqs.us-east-1.amazonaws.com"));
    }

    #[test]
    fn loopback_is_this_machine() {
        for url in ["http://127.0.0.1:1/", "http://localhost", "http://[::1]:80"] {
            assert!(EndpointKind::Foreign(url.into()).is_loopback(), "{url}");
        }
        assert!(!EndpointKind::Foreign("http://127.0.0.1.evil.example".into()).is_loopback());
        assert!(!EndpointKind::Aws.is_loopback());
    }
}
