//! What the calls have seen of expired credentials. A reading that turns a refusal into "not read" loses its kind; this
//! does not.

use super::outcome::{Failure, RefusalKind};
use std::sync::{Mutex, PoisonError};

/// The first refusal for expired credentials since somebody asked, whatever the caller made of it.
#[derive(Debug, Default)]
pub(super) struct Expiry(Mutex<Option<Failure>>);

impl Expiry {
    /// Keeps a failure if it is one of expired credentials.
    pub(super) fn note(&self, failure: &Failure) {
        if failure.kind() == Some(RefusalKind::Expired) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| failure.clone());
        }
    }

    /// Gives it once.
    pub(super) fn take(&self) -> Option<Failure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::{Expiry, Failure, RefusalKind};

    #[test]
    fn only_expired_credentials_are_kept_and_given_once() {
        let expiry = Expiry::default();
        expiry.note(&Failure::refused(RefusalKind::Denied, "AccessDenied", "no"));
        assert_eq!(expiry.take(), None);
        let first = Failure::refused(RefusalKind::Expired, "ExpiredToken", "one");
        expiry.note(&first);
        expiry.note(&Failure::refused(RefusalKind::Expired, "ExpiredToken", "two"));
        assert_eq!((expiry.take(), expiry.take()), (Some(first), None));
    }
}
