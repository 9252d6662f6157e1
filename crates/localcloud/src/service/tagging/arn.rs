//! ARNs, as far as the index looks into them.

/// The parts of an ARN that name a kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arn<'a> {
    pub(super) service: &'a str,
    /// What follows the account, for example `table/T/stream/2026`.
    pub(super) resource: &'a str,
}

impl<'a> Arn<'a> {
    pub(super) fn parse(arn: &'a str) -> Option<Self> {
        let mut parts = arn.splitn(6, ':');
        if parts.next()? != "arn" || parts.next()?.is_empty() {
            return None;
        }
        let service = parts.next()?;
        let (_region, _account) = (parts.next()?, parts.next()?);
        parts.next().filter(|resource| !resource.is_empty()).map(|resource| Self { service, resource })
    }

    /// The type within the service: what the ARN says, or the only one there is.
    pub(super) fn kind(self) -> &'a str {
        match self.service {
            "sqs" => "queue",
            "s3" => "bucket",
            _ => self.resource.split(['/', ':']).next().unwrap_or_default(),
        }
    }

    /// What follows the type.
    pub(super) fn name(self) -> &'a str {
        match self.service {
            "sqs" | "s3" => self.resource,
            _ => self.resource.split_once(['/', ':']).map_or("", |(_, name)| name),
        }
    }

    /// Whether the index covers this kind of resource at all.
    pub(super) fn is_covered(self) -> bool {
        matches!(
            (self.service, self.kind()),
            ("cloudformation", "stack")
                | ("dynamodb", "table")
                | ("lambda", "function" | "event-source-mapping")
                | ("logs", "log-group")
                | ("s3", "bucket")
                | ("sqs", "queue")
        )
    }

    /// `service` or `service:type`, as `ResourceTypeFilters` has them.
    pub(super) fn matches(self, filter: &str) -> bool {
        match filter.split_once(':') {
            None => self.service == filter,
            Some((service, kind)) => self.service == service && self.kind() == kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arn;

    #[test]
    fn kinds_are_read_from_arns() {
        for (arn, filter, covered) in [
            ("arn:aws:dynamodb:us-east-1:000000000000:table/T/stream/2026", "dynamodb:table", true),
            ("arn:aws:sqs:us-east-1:000000000000:q.fifo", "sqs", true),
            ("arn:aws:s3:::bucket", "s3", true),
            ("arn:aws:logs:us-east-1:000000000000:log-group:/a/b", "logs:log-group", true),
            ("arn:aws:lambda:us-east-1:000000000000:event-source-mapping:1", "lambda:event-source-mapping", true),
            ("arn:aws:cloudformation:us-east-1:000000000000:stack/s/1", "cloudformation:stack", true),
            ("arn:aws:iam::000000000000:role/r", "iam:role", false),
        ] {
            let arn = Arn::parse(arn).unwrap();
            assert!(arn.matches(filter), "{arn:?}");
            assert_eq!(arn.is_covered(), covered, "{arn:?}");
        }
        assert_eq!(Arn::parse("arn:aws:sqs"), None);
    }
}
