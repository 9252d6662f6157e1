//! Collects the cells of the certificate while the surfaces are read.

use crate::audit::certificate::{Cell, Reach};
use crate::cloud::{Failure, Listing, Outcome};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

type Key = (String, &'static str, &'static str);

/// One operation of one service; names as the AWS CLI and the API reference write them.
pub(super) type Op = (&'static str, &'static str);

/// The cells so far.
#[derive(Debug)]
pub(super) struct Cells {
    account: String,
    cells: Mutex<BTreeMap<Key, (u32, Vec<String>)>>,
}

impl Cells {
    pub(super) fn new(account: &str) -> Self {
        Self { account: account.to_owned(), cells: Mutex::default() }
    }

    /// Notes pages that were read.
    pub(super) fn read(&self, region: &str, (service, operation): Op, pages: u32) {
        self.change((region.to_owned(), service, operation), |(sum, _)| *sum = sum.saturating_add(pages));
    }

    /// Notes that something was not read.
    pub(super) fn unread(&self, region: &str, (service, operation): Op, subject: &str, failure: &Failure) {
        let subject = if subject.is_empty() { failure.to_string() } else { format!("{subject}: {failure}") };
        self.change((region.to_owned(), service, operation), |(_, unread)| unread.push(subject));
    }

    /// Notes a listing; `NotFound` of its parent is an answer, and an empty one.
    pub(super) fn listing<T>(
        &self,
        region: &str,
        op: Op,
        subject: &str,
        outcome: Outcome<Listing<T>>,
    ) -> Option<Vec<T>> {
        match outcome.into_result() {
            Ok(listing) => {
                self.read(region, op, listing.page_count());
                Some(listing.items)
            }
            Err(failure) if failure.is_not_found() => {
                self.read(region, op, 1);
                Some(Vec::new())
            }
            Err(failure) => {
                self.unread(region, op, subject, &failure);
                None
            }
        }
    }

    /// Notes a single read; `NotFound` is an answer: `Ok(None)`.
    pub(super) fn single<T>(
        &self,
        region: &str,
        op: Op,
        subject: &str,
        outcome: Outcome<T>,
    ) -> Result<Option<T>, Failure> {
        match outcome.optional().into_result() {
            Ok(value) => {
                self.read(region, op, 1);
                Ok(value)
            }
            Err(failure) => {
                self.unread(region, op, subject, &failure);
                Err(failure)
            }
        }
    }

    /// The cells, in order.
    pub(super) fn take(&self) -> Vec<Cell> {
        let cells = std::mem::take(&mut *self.cells.lock().unwrap_or_else(PoisonError::into_inner));
        let cell = |((region, service, operation), (pages, unread)): (Key, (u32, Vec<String>))| Cell {
            account: self.account.clone(),
            region,
            service: service.to_owned(),
            operation: operation.to_owned(),
            pages,
            outcome: if unread.is_empty() { Reach::Read } else { Reach::Unread(unread) },
        };
        cells.into_iter().map(cell).collect()
    }

    fn change(&self, key: Key, act: impl FnOnce(&mut (u32, Vec<String>))) {
        act(self.cells.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
    }
}
