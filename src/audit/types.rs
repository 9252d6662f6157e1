//! Resource types without a look-up of their own: how the tag index's ARNs name them, and what identifies them for
//! Cloud Control (`primaryIdentifier` in the CloudFormation registry's schemas).

use super::arn::{Kind, Resource};
use crate::cloud::stacks::is_custom;

/// What a type's primary identifier is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The name or id at the end of the ARN.
    Name,
    /// The whole ARN.
    Arn,
}

/// Service and beginning of the resource part in an ARN, type name, primary identifier.
const KNOWN: [(&str, &str, &str, Form); 29] = [
    ("apigateway", "/apis/", "AWS::ApiGatewayV2::Api", Form::Name),
    ("apigateway", "/restapis/", "AWS::ApiGateway::RestApi", Form::Name),
    ("cloudtrail", "trail/", "AWS::CloudTrail::Trail", Form::Name),
    ("cloudwatch", "alarm:", "AWS::CloudWatch::Alarm", Form::Name),
    ("cognito-idp", "userpool/", "AWS::Cognito::UserPool", Form::Name),
    ("ec2", "instance/", "AWS::EC2::Instance", Form::Name),
    ("ec2", "internet-gateway/", "AWS::EC2::InternetGateway", Form::Name),
    ("ec2", "launch-template/", "AWS::EC2::LaunchTemplate", Form::Name),
    ("ec2", "natgateway/", "AWS::EC2::NatGateway", Form::Name),
    ("ec2", "network-interface/", NETWORK_INTERFACE, Form::Name),
    ("ec2", "route-table/", "AWS::EC2::RouteTable", Form::Name),
    ("ec2", "security-group/", SECURITY_GROUP, Form::Name),
    ("ec2", "subnet/", SUBNET, Form::Name),
    ("ec2", "volume/", "AWS::EC2::Volume", Form::Name),
    ("ec2", "vpc-endpoint/", "AWS::EC2::VPCEndpoint", Form::Name),
    ("ec2", "vpc/", "AWS::EC2::VPC", Form::Name),
    ("ecr", "repository/", "AWS::ECR::Repository", Form::Name),
    ("ecs", "cluster/", "AWS::ECS::Cluster", Form::Name),
    ("elasticfilesystem", "file-system/", "AWS::EFS::FileSystem", Form::Name),
    ("elasticloadbalancing", "loadbalancer/app/", "AWS::ElasticLoadBalancingV2::LoadBalancer", Form::Arn),
    ("elasticloadbalancing", "loadbalancer/net/", "AWS::ElasticLoadBalancingV2::LoadBalancer", Form::Arn),
    ("events", "event-bus/", "AWS::Events::EventBus", Form::Name),
    ("events", "rule/", "AWS::Events::Rule", Form::Arn),
    ("firehose", "deliverystream/", "AWS::KinesisFirehose::DeliveryStream", Form::Name),
    ("lambda", "layer:", "AWS::Lambda::LayerVersion", Form::Arn),
    ("pipes", "pipe/", "AWS::Pipes::Pipe", Form::Name),
    ("scheduler", "schedule-group/", "AWS::Scheduler::ScheduleGroup", Form::Name),
    ("sns", "", "AWS::SNS::Topic", Form::Arn),
    ("states", "stateMachine:", "AWS::StepFunctions::StateMachine", Form::Arn),
];

pub(super) const NETWORK_INTERFACE: &str = "AWS::EC2::NetworkInterface";
pub(super) const SECURITY_GROUP: &str = "AWS::EC2::SecurityGroup";
pub(super) const SUBNET: &str = "AWS::EC2::Subnet";

/// Types that live and die with another resource of the stack; none has an existence of its own to look up.
const PARTS: [&str; 22] = [
    "AWS::ApiGateway::Deployment",
    "AWS::ApiGateway::Method",
    "AWS::ApiGateway::Resource",
    "AWS::ApiGateway::Stage",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::Stage",
    "AWS::CloudFormation::WaitCondition",
    "AWS::CloudFormation::WaitConditionHandle",
    "AWS::EC2::Route",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::IAM::Policy",
    "AWS::IAM::RolePolicy",
    "AWS::KMS::Alias",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::Permission",
    "AWS::Lambda::Url",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::QueuePolicy",
    "AWS::SecretsManager::ResourcePolicy",
];

/// An ARN of a type that Cloud Control can read; `None` for one that is not known here.
pub(super) fn from_arn(service: &str, rest: &str, arn: &str, region: &str) -> Option<Resource> {
    let known = |(of, start, type_name, form): &(&str, &str, &str, Form)| {
        let name = rest.strip_prefix(start).filter(|_| *of == service)?;
        let identifier = match form {
            Form::Arn => arn,
            // A further part names something inside the resource.
            Form::Name if name.is_empty() || name.contains(['/', ':']) => return None,
            Form::Name => name,
        };
        Some(Resource::new(Kind::Typed((*type_name).to_owned()), identifier, region))
    };
    KNOWN.iter().find_map(known)
}

/// The kind behind a stack resource of a type without a look-up of its own. Only its provider knows what a custom
/// resource made.
pub(super) fn of_stack(resource_type: &str) -> Kind {
    if PARTS.contains(&resource_type) {
        Kind::Part(resource_type.to_owned())
    } else if is_custom(resource_type) {
        Kind::Other(resource_type.to_owned())
    } else {
        Kind::Typed(resource_type.to_owned())
    }
}

/// Whether Cloud Control's `NotFound` proves absence: only where the id at hand is the type's primary identifier. A
/// stack's physical id may be something else, and a wrong identifier is not found either.
pub(super) fn is_identified(type_name: &str, id: &str) -> bool {
    let form = KNOWN.iter().find(|(_, _, known, _)| *known == type_name).map(|(_, _, _, form)| *form);
    form.is_some_and(|form| (form == Form::Arn) == id.starts_with("arn:"))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Resource, from_arn, is_identified, of_stack};

    fn typed(service: &str, rest: &str) -> Option<(String, String)> {
        let arn = format!("arn:aws:{service}:us-east-1:1:{rest}");
        let found = from_arn(service, rest, &arn, "us-east-1")?;
        match found {
            Resource { kind: Kind::Typed(type_name), name, .. } => Some((type_name, name)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arns_give_type_and_primary_identifier() {
        let interface = Some(("AWS::EC2::NetworkInterface".to_owned(), "eni-1".to_owned()));
        assert_eq!(typed("ec2", "network-interface/eni-1"), interface);
        let topic = Some(("AWS::SNS::Topic".to_owned(), "arn:aws:sns:us-east-1:1:t".to_owned()));
        assert_eq!(typed("sns", "t"), topic);
        assert_eq!(typed("apigateway", "/restapis/a/stages/s"), None, "a part is not its parent");
        assert_eq!(typed("glue", "database/d"), None);
    }

    #[test]
    fn absence_is_believed_only_of_primary_identifiers() {
        assert!(is_identified("AWS::EC2::NetworkInterface", "eni-1"));
        assert!(is_identified("AWS::Events::Rule", "arn:aws:events:us-east-1:1:rule/r"));
        assert!(!is_identified("AWS::Events::Rule", "r"), "Ref gives the name, the identifier is the ARN");
        assert!(!is_identified("AWS::Glue::Database", "d"));
    }

    #[test]
    fn custom_resources_are_nobody_elses_to_read() {
        assert_eq!(of_stack("Custom::Seed"), Kind::Other("Custom::Seed".into()));
        assert_eq!(of_stack("AWS::IAM::Policy"), Kind::Part("AWS::IAM::Policy".into()));
        assert_eq!(of_stack("AWS::SNS::Topic"), Kind::Typed("AWS::SNS::Topic".into()));
    }
}
