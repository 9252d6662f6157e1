//! Why a resource failed.

use crate::error::ApiError;
use crate::service::Service;

/// A resource's failure, with the text that its event shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    code: String,
    /// The event's `ResourceStatusReason`.
    pub(crate) reason: String,
}

impl Failure {
    /// A failure of CloudFormation's own.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { code: String::new(), reason: reason.into() }
    }

    /// A service's refusal, worded as resource handlers word it.
    pub(super) fn from_service(service: Service, error: &ApiError, request_id: &str) -> Self {
        if error.code == "NotEmulated" {
            return Self { code: error.code.clone(), reason: error.message.clone() };
        }
        let (code, message, status) = (&error.code, &error.message, error.status);
        let service = title(service);
        let handler = handler_code(code, status);
        let reason = format!(
            "Resource handler returned message: \"{message} (Service: {service}, Status Code: {status}, Request ID: \
             {request_id}) ({code})\" (RequestToken: {request_id}, HandlerErrorCode: {handler})"
        );
        Self { code: code.clone(), reason }
    }

    /// Whether the resource does not exist.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(
            self.code.as_str(),
            "ResourceNotFoundException"
                | "NoSuchEntity"
                | "NoSuchEntityException"
                | "NoSuchBucket"
                | "NotFound"
                | "QueueDoesNotExist"
                | "AWS.SimpleQueueService.NonExistentQueue"
        ) || self.code.ends_with("#QueueDoesNotExist")
    }

    /// Whether another change of the resource is under way.
    pub(super) fn is_in_use(&self) -> bool {
        self.code == "ResourceInUseException"
    }
}

fn title(service: Service) -> &'static str {
    match service {
        Service::CloudFormation => "CloudFormation",
        Service::CostExplorer => "CostExplorer",
        Service::DynamoDb => "DynamoDb",
        Service::DynamoDbStreams => "DynamoDbStreams",
        Service::Iam => "Iam",
        Service::Lambda => "Lambda",
        Service::Logs => "CloudWatchLogs",
        Service::S3 => "S3",
        Service::Sqs => "Sqs",
        Service::Sts => "Sts",
        Service::Tagging => "ResourceGroupsTaggingApi",
    }
}

/// The handler error code of the CloudFormation CLI's contract that fits a service's error.
fn handler_code(code: &str, status: u16) -> &'static str {
    const TABLE: [(&str, &str); 10] = [
        ("AlreadyExists", "AlreadyExists"),
        ("AlreadyOwned", "AlreadyExists"),
        ("ResourceInUse", "ResourceConflict"),
        ("ResourceConflict", "AlreadyExists"),
        ("NotFound", "NotFound"),
        ("NoSuch", "NotFound"),
        ("DoesNotExist", "NotFound"),
        ("Throttl", "Throttling"),
        ("AccessDenied", "AccessDenied"),
        ("LimitExceeded", "ServiceLimitExceeded"),
    ];
    let known = TABLE.iter().find(|(part, _)| code.contains(part)).map(|(_, handler)| *handler);
    known.unwrap_or(if status >= 500 { "ServiceInternalError" } else { "InvalidRequest" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_worded_as_handlers_word_them() {
        let error = ApiError::new(409, "ResourceConflictException", "Function already exist: f");
        assert_eq!(
            Failure::from_service(Service::Lambda, &error, "r-1").reason,
            "Resource handler returned message: \"Function already exist: f (Service: Lambda, Status Code: 409, \
             Request ID: r-1) (ResourceConflictException)\" (RequestToken: r-1, HandlerErrorCode: AlreadyExists)"
        );
    }

    #[test]
    fn what_is_not_emulated_stays_loud() {
        let failure = Failure::from_service(Service::S3, &ApiError::not_emulated("s3 PutBucketCors"), "r");
        assert_eq!(failure.reason, "the local cloud does not emulate s3 PutBucketCors");
    }
}
