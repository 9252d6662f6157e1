//! One place decides what an SDK error means.

use super::outcome::{Failure, RefusalKind};
use aws_credential_types::provider::error::CredentialsError;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_runtime_api::http::Response;
use aws_smithy_types::error::display::DisplayErrorContext;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use std::error::Error;
use std::io::ErrorKind;

/// A request that must not leave; raised by the interceptor in `wire`.
#[derive(Clone, Debug, thiserror::Error)]
#[error("refused to send to {host}: this run is pinned to {pinned}")]
pub(super) struct WrongHost {
    pub(super) host: String,
    pub(super) pinned: String,
}

/// Classifies a failed call. A timeout, a connection lost after dispatch, an unreadable answer and a 5xx leave the
/// outcome unknown; everything that the service said no to, and everything that never left, is refused.
pub(super) fn classify<E>(operation: &str, error: &SdkError<E, Response>) -> Failure
where
    E: ProvideErrorMetadata + Error + 'static,
{
    match error {
        SdkError::ServiceError(service) => {
            let status = service.raw().status().as_u16();
            answered(operation, status, service.err().code(), service.err().message())
        }
        SdkError::ConstructionFailure(_) => not_sent(error),
        SdkError::DispatchFailure(_) if never_left(error) => not_sent(error),
        other => Failure::unknown(operation, said(other)),
    }
}

/// Classifies an error answer by HTTP status, code and message.
pub(super) fn answered(operation: &str, status: u16, code: Option<&str>, message: Option<&str>) -> Failure {
    let message = message.unwrap_or("no message");
    let code = code.unwrap_or(match status {
        403 => "AccessDenied",
        404 => "NotFound",
        412 => "PreconditionFailed",
        429 => "TooManyRequests",
        _ => "",
    });
    let kind = kind_of(code, message);
    if status < 400 && code.is_empty() {
        return Failure::unknown(operation, format!("HTTP {status} with an answer that could not be read"));
    }
    if status >= 500 && status != 501 && kind != RefusalKind::Throttled {
        return Failure::unknown(operation, format!("HTTP {status} {code}: {message}"));
    }
    Failure::refused(kind, if code.is_empty() { format!("HTTP{status}") } else { code.to_owned() }, message)
}

fn kind_of(code: &str, message: &str) -> RefusalKind {
    match bare(code) {
        "Throttling"
        | "ThrottlingException"
        | "ThrottledException"
        | "TooManyRequestsException"
        | "TooManyRequests"
        | "RequestLimitExceeded"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "SlowDown"
        | "ProvisionedThroughputExceededException"
        | "PriorRequestNotComplete" => RefusalKind::Throttled,
        "LimitExceededException" if message.contains("Rate exceeded") => RefusalKind::Throttled,
        "ExpiredToken" | "ExpiredTokenException" | "RequestExpired" | "TokenRefreshRequired" => RefusalKind::Expired,
        "AccessDenied"
        | "AccessDeniedException"
        | "UnauthorizedOperation"
        | "UnrecognizedClientException"
        | "InvalidClientTokenId"
        | "InvalidAccessKeyId"
        | "SignatureDoesNotMatch"
        | "InvalidSignatureException"
        | "MissingAuthenticationToken"
        | "OptInRequired"
        | "AuthFailure" => RefusalKind::Denied,
        "ResourceNotFoundException"
        | "NoSuchBucket"
        | "NoSuchKey"
        | "NoSuchUpload"
        | "NotFound"
        | "NotFoundException"
        | "NoSuchEntity"
        | "NoSuchEntityException"
        | "QueueDoesNotExist"
        | "NonExistentQueue"
        | "ChangeSetNotFound"
        | "StackNotFoundException" => RefusalKind::NotFound,
        "AlreadyExistsException"
        | "TokenAlreadyExistsException"
        | "EntityAlreadyExists"
        | "BucketAlreadyExists"
        | "BucketAlreadyOwnedByYou"
        | "PreconditionFailed"
        | "QueueNameExists"
        | "ResourceAlreadyExistsException" => RefusalKind::AlreadyExists,
        "OperationInProgressException"
        | "ConflictException"
        | "ResourceConflictException"
        | "ResourceInUseException"
        | "BucketNotEmpty"
        | "DeleteConflict"
        | "OperationAborted"
        | "InvalidChangeSetStatus"
        | "QueueDeletedRecently" => RefusalKind::Conflict,
        "ValidationError" => validation(message),
        "ValidationException"
        | "InvalidParameterException"
        | "InvalidParameterValue"
        | "InvalidParameterValueException"
        | "InvalidRequestContentException"
        | "InsufficientCapabilitiesException"
        | "InvalidInput"
        | "MalformedXML"
        | "SerializationException" => RefusalKind::Invalid,
        _ => RefusalKind::Other,
    }
}

/// Query-protocol codes may carry a prefix (`AWS.SimpleQueueService.NonExistentQueue`) or a shape's namespace.
fn bare(code: &str) -> &str {
    code.rsplit(['.', '#']).next().unwrap_or(code)
}

/// CloudFormation says most things with one code. Only a sentence about the *stack* means that it is gone: a
/// parameter or an export that "does not exist" is an invalid request.
fn validation(message: &str) -> RefusalKind {
    let sentence = message.trim_end_matches('.');
    if sentence.starts_with("Stack") && sentence.ends_with("does not exist") {
        RefusalKind::NotFound
    } else if message.contains("TerminationProtection is enabled")
        || message.contains("in use by")
        || message.contains("_IN_PROGRESS state")
        || message.contains("can not be updated")
    {
        RefusalKind::Conflict
    } else if message.contains("Rate exceeded") {
        RefusalKind::Throttled
    } else {
        RefusalKind::Invalid
    }
}

fn not_sent(error: &(dyn Error + 'static)) -> Failure {
    let text = said(error);
    if find::<WrongHost>(error).is_some() {
        return Failure::refused(RefusalKind::NotSent, "WrongEndpoint", text);
    }
    if find::<CredentialsError>(error).is_some() {
        let expired = DisplayErrorContext(error).to_string().to_ascii_lowercase().contains("expired");
        let kind = if expired { RefusalKind::Expired } else { RefusalKind::Denied };
        return Failure::refused(kind, "Credentials", text);
    }
    Failure::refused(RefusalKind::NotSent, "NotSent", text)
}

/// Whether the chain of causes proves that no byte of the request left.
fn never_left(error: &(dyn Error + 'static)) -> bool {
    let refused = find::<std::io::Error>(error).is_some_and(|io| {
        matches!(
            io.kind(),
            ErrorKind::ConnectionRefused
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
                | ErrorKind::AddrNotAvailable
        )
    });
    refused
        || find::<WrongHost>(error).is_some()
        || find::<CredentialsError>(error).is_some()
        || texts(error).any(|text| {
            text.contains("HTTP connect") || text.contains("dns error") || text.contains("failed to resolve")
        })
}

type Cause<'a> = &'a (dyn Error + 'static);

fn chain<'a>(error: Cause<'a>) -> impl Iterator<Item = Cause<'a>> {
    std::iter::successors(Some(error), |e| (*e).source())
}

fn texts<'a>(error: Cause<'a>) -> impl Iterator<Item = String> + 'a {
    chain(error).map(ToString::to_string)
}

/// The causes in words, each once.
fn said(error: Cause<'_>) -> String {
    let mut words: Vec<String> = Vec::new();
    for text in texts(error) {
        if !words.iter().any(|word| word.contains(&text)) {
            words.push(text);
        }
    }
    words.join(": ")
}

fn find<'a, T: Error + 'static>(error: Cause<'a>) -> Option<&'a T> {
    chain(error).find_map(|e| e.downcast_ref::<T>())
}

#[cfg(test)]
mod tests {
    use super::{Failure, RefusalKind, answered};

    fn kind(status: u16, code: &str, message: &str) -> Option<RefusalKind> {
        answered("X", status, Some(code), Some(message)).kind()
    }

    #[test]
    fn gone_is_told_by_code_and_sentence() {
        assert_eq!(kind(400, "ValidationError", "Stack with id a does not exist"), Some(RefusalKind::NotFound));
        assert_eq!(kind(400, "ValidationError", "Stack [a] does not exist"), Some(RefusalKind::NotFound));
        assert_eq!(kind(400, "ValidationError", "Parameter 'X' does not exist"), Some(RefusalKind::Invalid));
        assert_eq!(kind(400, "AccessDenied", "Stack with id a does not exist"), Some(RefusalKind::Denied));
        assert_eq!(kind(400, "AWS.SimpleQueueService.NonExistentQueue", "x"), Some(RefusalKind::NotFound));
    }

    #[test]
    fn refused_deletes_are_conflicts() {
        let protected = "Stack [a] cannot be deleted while TerminationProtection is enabled";
        assert_eq!(kind(400, "ValidationError", protected), Some(RefusalKind::Conflict));
        let export = "Export a cannot be deleted as it is in use by b";
        assert_eq!(kind(400, "ValidationError", export), Some(RefusalKind::Conflict));
    }

    #[test]
    fn throttling_has_many_names_and_quotas_are_not_among_them() {
        for code in ["Throttling", "ThrottledException", "TooManyRequestsException", "SlowDown"] {
            assert_eq!(kind(400, code, "Rate exceeded"), Some(RefusalKind::Throttled));
        }
        assert_eq!(kind(503, "SlowDown", "x"), Some(RefusalKind::Throttled));
        assert_eq!(kind(400, "LimitExceededException", "2000 stacks"), Some(RefusalKind::Other));
    }

    #[test]
    fn server_errors_are_unknown_and_what_is_not_emulated_is_refused() {
        assert!(matches!(answered("X", 500, Some("InternalFailure"), None), Failure::Unknown(_)));
        assert!(matches!(answered("X", 503, None, None), Failure::Unknown(_)));
        assert_eq!(kind(501, "NotEmulated", "x"), Some(RefusalKind::Other));
    }

    #[test]
    fn a_success_that_cannot_be_read_is_unknown() {
        assert!(matches!(answered("X", 200, None, None), Failure::Unknown(_)));
        assert_eq!(kind(200, "SlowDown", "x"), Some(RefusalKind::Throttled));
    }

    #[test]
    fn a_status_without_code_still_speaks() {
        assert_eq!(answered("X", 404, None, None).kind(), Some(RefusalKind::NotFound));
        assert_eq!(answered("X", 403, None, None).kind(), Some(RefusalKind::Denied));
    }
}
