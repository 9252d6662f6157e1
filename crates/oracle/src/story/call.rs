//! One invocation of the provider, folded: received → committed (or the earlier commit found) → (held → let go) →
//! answered, or a prefix of it.

use super::{Entry, Refused};
use evidence::record::Fact;

/// A provider call as far as it got.
pub(crate) struct Call<'a> {
    pub(crate) received: Entry<'a>,
    pub(crate) commit: Option<Entry<'a>>,
    /// Instead of a commit: the record that names the earlier one.
    pub(crate) earlier: Option<Entry<'a>>,
    pub(crate) entered: Option<Entry<'a>>,
    pub(crate) released: Option<Entry<'a>>,
    pub(crate) expired: Option<Entry<'a>>,
    pub(crate) sent: Option<Entry<'a>>,
}

impl<'a> Call<'a> {
    /// Transaction that the call committed, or that it found committed.
    pub(crate) fn transaction(&self) -> Option<&'a str> {
        match &self.commit.or(self.earlier)?.record.fact {
            Fact::ProviderCommitConfirmed { transaction_id, .. } | Fact::AnsweredFromCommit { transaction_id, .. } => {
                Some(transaction_id)
            }
            _ => None,
        }
    }

    fn begin(received: Entry<'a>) -> Self {
        Self { received, commit: None, earlier: None, entered: None, released: None, expired: None, sent: None }
    }

    /// Takes the next record, or says why it cannot come next.
    fn take(&mut self, entry: Entry<'a>) -> Result<(), &'static str> {
        if !entry.same_attempt(&self.received) {
            return Err("names another delivery or attempt than its call");
        }
        if self.sent.is_some() {
            return Err("comes after the answer left");
        }
        let held = self.entered.is_some() && self.released.is_none() && self.expired.is_none();
        let same_transaction = |id: &str| self.transaction() == Some(id);
        let undecided = self.commit.is_none() && self.earlier.is_none();
        let slot = match &entry.record.fact {
            Fact::ProviderCommitConfirmed { .. } if undecided => &mut self.commit,
            Fact::AnsweredFromCommit { .. } if undecided => &mut self.earlier,
            Fact::BarrierEntered { transaction_id } if self.entered.is_none() && same_transaction(transaction_id) => {
                &mut self.entered
            }
            Fact::BarrierReleased { .. } if held => &mut self.released,
            Fact::BarrierExpired { .. } if held => &mut self.expired,
            Fact::ResponseSent { transaction_id } if !held && same_transaction(transaction_id) => &mut self.sent,
            _ => return Err("does not follow from the call's records before it"),
        };
        *slot = Some(entry);
        Ok(())
    }
}

/// Folds the records of one provider request, ordered by `seq`; `None` when it does not begin with the call.
pub(super) fn fold<'a>(group: &[Entry<'a>], refused: &mut Vec<Refused<'a>>) -> Option<Call<'a>> {
    let mut call: Option<Call<'a>> = None;
    for &entry in group {
        let taken = match (&mut call, &entry.record.fact) {
            (None, Fact::ProviderCallReceived { .. }) => {
                call = Some(Call::begin(entry));
                Ok(())
            }
            (None, _) => Err("comes before its call was received"),
            (Some(call), _) => call.take(entry),
        };
        if let Err(why) = taken {
            refused.push(Refused { entry, why });
        }
    }
    call
}
