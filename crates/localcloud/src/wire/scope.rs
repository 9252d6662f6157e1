//! The credential scope of a signature: whom a request is for. Signatures themselves are not checked.

use super::Request;

/// Region of requests that carry no scope.
const DEFAULT_REGION: &str = "us-east-1";

/// Whom a request is signed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) region: String,
    /// Signing name of the service; none without a signature.
    pub(super) service: Option<String>,
}

/// Finds the scope in the `Authorization` header or in a presigned query string.
pub(super) fn scope(request: &Request) -> Scope {
    let from_header = request.header("authorization").and_then(|header| {
        let (_, rest) = header.split_once("Credential=")?;
        rest.split([',', ' ']).next()
    });
    from_header
        .or_else(|| request.parameter("X-Amz-Credential"))
        .and_then(parse)
        .unwrap_or_else(|| Scope { region: DEFAULT_REGION.to_owned(), service: None })
}

/// `AKID/date/region/service/aws4_request`; SigV4A has no region.
fn parse(credential: &str) -> Option<Scope> {
    let parts: Vec<&str> = credential.split('/').collect();
    match parts.as_slice() {
        [.., _date, region, service, "aws4_request"] if parts.len() >= 5 => {
            Some(Scope { region: (*region).to_owned(), service: Some((*service).to_owned()) })
        }
        [_, _date, service, "aws4_request"] => {
            Some(Scope { region: DEFAULT_REGION.to_owned(), service: Some((*service).to_owned()) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_header(value: &str) -> Scope {
        let mut request = Request::default();
        request.headers.insert("authorization", value.parse().unwrap());
        scope(&request)
    }

    #[test]
    fn the_header_names_region_and_service() {
        let header = "AWS4-HMAC-SHA256 Credential=AKID/20261130/eu-west-1/sqs/aws4_request, SignedHeaders=host";
        let expected = Scope { region: "eu-west-1".to_owned(), service: Some("sqs".to_owned()) };
        assert_eq!(of_header(header), expected);
    }

    #[test]
    fn a_presigned_query_names_them_too() {
        let request = Request {
            query: vec![("X-Amz-Credential".to_owned(), "A/20261130/us-west-2/s3/aws4_request".to_owned())],
            ..Request::default()
        };
        assert_eq!(scope(&request).region, "us-west-2");
    }

    #[test]
    fn without_a_signature_the_default_region_is_meant() {
        assert_eq!(scope(&Request::default()), Scope { region: "us-east-1".to_owned(), service: None });
    }

    proptest! {
        #[test]
        fn any_credential_can_be_read(text: String) {
            let _ = parse(&text);
        }
    }
}
