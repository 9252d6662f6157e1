//! Faults that happen on the wire.

use super::Dropped;
use crate::cloud::Cloud;
use crate::error::ApiError;
use crate::fault::Effect;
use crate::service::Service;
use std::time::Duration;

/// What the faults leave of a call before it is done.
pub(super) async fn before(
    cloud: &Cloud,
    service: Service,
    effects: &[Effect],
) -> Result<Result<(), ApiError>, Dropped> {
    for effect in effects {
        match effect {
            Effect::Delay { ms } => cloud.clock().sleep(Duration::from_millis(*ms)).await,
            Effect::DropBefore => return Err(Dropped),
            Effect::Throttle => return Ok(Err(throttled(service))),
            Effect::Denied => return Ok(Err(denied(service))),
            Effect::ExpiredToken => return Ok(Err(expired(service))),
            Effect::Error { status, code } => {
                return Ok(Err(ApiError::new(*status, code.as_str(), "a fault script says so")));
            }
            _ => {}
        }
    }
    Ok(Ok(()))
}

/// The service's throttling error, as SDKs classify it.
fn throttled(service: Service) -> ApiError {
    let (status, code) = match service {
        Service::CloudFormation | Service::Iam | Service::Sts => (400, "Throttling"),
        Service::DynamoDb | Service::DynamoDbStreams | Service::Logs => (400, "ThrottlingException"),
        Service::CostExplorer => (400, "LimitExceededException"),
        Service::Lambda => (429, "TooManyRequestsException"),
        Service::S3 => (503, "SlowDown"),
        Service::Sqs => (400, "RequestThrottled"),
        Service::Tagging => (400, "ThrottledException"),
    };
    ApiError::new(status, code, "Rate exceeded")
}

fn denied(service: Service) -> ApiError {
    let (status, code) = match service {
        Service::CloudFormation | Service::Iam | Service::Sts | Service::S3 => (403, "AccessDenied"),
        Service::Lambda => (403, "AccessDeniedException"),
        _ => (400, "AccessDeniedException"),
    };
    ApiError::new(status, code, "User is not authorized to perform this operation")
}

fn expired(service: Service) -> ApiError {
    let (status, code) = match service {
        Service::CloudFormation | Service::Iam | Service::Sts => (403, "ExpiredToken"),
        Service::S3 => (400, "ExpiredToken"),
        Service::Lambda => (403, "ExpiredTokenException"),
        _ => (400, "ExpiredTokenException"),
    };
    ApiError::new(status, code, "The security token included in the request is expired")
}
