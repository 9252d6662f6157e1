//! Waiting for a stack by its events, which also tell how it goes: one call a look. The stack itself is read only
//! when its own events say that it has come to rest, so a wait costs one call a look and one at the end.

use super::cause::root_cause;
use crate::cloud::stacks::{self, StackEvent, StackState, StackStatus};
use crate::cloud::{Clients, Outcome, Pace, PageCap, Polled, poll};
use crate::progress::{Notice, Progress};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// After so many looks that say nothing the stack is read all the same: events can be late or missing.
const BLIND_LOOKS: u32 = 20;

/// Tells a stack's events and keeps them.
#[derive(Debug)]
pub struct Teller {
    progress: Progress,
    component: String,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Oldest first.
    events: Vec<StackEvent>,
    /// How many of them belong to the time before.
    past: usize,
    /// Some were not read, because a look reads two pages at most.
    gap: bool,
}

impl Teller {
    /// Tells under this name.
    #[must_use]
    pub fn new(progress: &Progress, component: &str) -> Self {
        Self { progress: progress.clone(), component: component.to_owned(), seen: Mutex::default() }
    }

    /// Everything seen so far, oldest first.
    #[must_use]
    pub fn seen(&self) -> Vec<StackEvent> {
        self.lock().events.clone()
    }

    /// What happened since [`Teller::look_silently`], oldest first; `None` if some of it was not read.
    pub(super) fn news(&self) -> Option<Vec<StackEvent>> {
        let seen = self.lock();
        (!seen.gap).then(|| seen.events.iter().skip(seen.past).cloned().collect())
    }

    /// Reads what is new and tells it; whether the stack itself is worth reading now.
    pub async fn look(&self, clients: &Clients, stack_id: &str) -> Outcome<bool> {
        let last = self.lock().events.last().map(|e| e.event_id.clone());
        let batch = stacks::new_events(clients, stack_id, last.as_deref()).await;
        batch.map(|batch| {
            batch.events.iter().for_each(|event| self.tell(event));
            let mut seen = self.lock();
            // A gap may hide the stack's own event.
            seen.gap |= batch.truncated;
            seen.events.extend(batch.events);
            batch.truncated || seen.at_rest(stack_id)
        })
    }

    /// Takes note of what happened before, without telling it.
    pub(super) async fn look_silently(&self, clients: &Clients, stack_id: &str) -> Outcome<()> {
        let batch = stacks::new_events(clients, stack_id, None).await;
        batch.map(|batch| {
            let mut seen = self.lock();
            seen.events.extend(batch.events);
            seen.past = seen.events.len();
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: &StackEvent) {
        self.progress.tell(&Notice::Stack {
            component: self.component.clone(),
            resource: event.logical_id.clone(),
            status: event.status.clone(),
            reason: event.reason.clone().unwrap_or_default(),
        });
    }
}

impl Seen {
    /// Whether the stack's newest own event says so; a stack without any event (the shell of a change set) says nothing,
    /// and has to be read.
    fn at_rest(&self, stack_id: &str) -> bool {
        let own = |e: &&StackEvent| e.physical_id.as_deref() == Some(stack_id);
        match self.events.iter().skip(self.past).rfind(own) {
            Some(event) => StackStatus::parse(&event.status).is_settled(),
            None => self.events.is_empty(),
        }
    }
}

/// Waits until a stack is settled.
pub async fn wait_for_end(
    clients: &Clients,
    stack_id: &str,
    teller: &Teller,
    pace: Pace,
    cancel: &CancellationToken,
) -> Polled<StackState> {
    let looks = AtomicU32::new(0);
    poll::poll(pace, cancel, || async {
        let blind = looks.fetch_add(1, Ordering::Relaxed) % BLIND_LOOKS == BLIND_LOOKS - 1;
        match teller.look(clients, stack_id).await {
            Outcome::Done(at_rest) if at_rest || blind => {
                let state = stacks::describe(clients, stack_id).await;
                state.map(|state| state.status.is_settled().then_some(state))
            }
            Outcome::Done(_) => Outcome::Done(None),
            other => other.map(|_| None),
        }
    })
    .await
}

/// The root cause of a stack's failed operation: that of `token` if its events carry it, else the newest ones read.
/// What the teller has not seen is read; early validation is asked for last.
pub async fn why_it_failed(clients: &Clients, stack_id: &str, teller: &Teller, token: Option<&str>) -> Option<String> {
    let mut events = teller.seen();
    if events.is_empty() {
        events = stacks::all_events(clients, stack_id, PageCap::default()).await.done().unwrap_or_default();
    }
    let known = token.filter(|t| events.iter().any(|e| e.token.as_deref() == Some(t)));
    // Endpoints that do not know DescribeEvents have no early validation either.
    let findings = stacks::findings(clients, stack_id, PageCap::default()).await.done().unwrap_or_default();
    root_cause(&events, known, &findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::testing::{Reply, Request, Server};
    use crate::progress::Format;
    use std::time::Duration;

    const ID: &str = "arn:aws:cloudformation:us-east-1:000000000000:stack/s/1";
    const PACE: Pace = Pace {
        interval: Duration::from_millis(1),
        ceiling: Duration::from_millis(2),
        timeout: Duration::from_secs(20),
        attempts: 100,
    };

    fn event(number: usize, status: &str) -> String {
        format!(
            "<member><StackId>{ID}</StackId><EventId>e{number}</EventId><StackName>s</StackName><LogicalResourceId>s</LogicalResourceId>\
             <PhysicalResourceId>{ID}</PhysicalResourceId><ResourceType>AWS::CloudFormation::Stack</ResourceType>\
             <ResourceStatus>{status}</ResourceStatus><Timestamp>2026-11-30T20:00:00.000Z</Timestamp></member>"
        )
    }

    fn stack(status: &str) -> Reply {
        Reply::query(
            "DescribeStacks",
            &format!(
                "<Stacks><member><StackId>{ID}</StackId><StackName>s</StackName><StackStatus>{status}</StackStatus>\
                 <CreationTime>2026-11-30T20:00:00.000Z</CreationTime></member></Stacks>"
            ),
        )
    }

    async fn waited(script: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> (Polled<StackState>, Server) {
        let looks = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |request| {
            let look = looks.fetch_add(usize::from(request.is("DescribeStackEvents")), Ordering::SeqCst);
            script(request, look)
        })
        .await;
        let clients = server.clients().await;
        let teller = Teller::new(&Progress::new(Format::Quiet), "s");
        let end = wait_for_end(&clients, ID, &teller, PACE, &CancellationToken::new()).await;
        (end, server)
    }

    #[tokio::test]
    async fn the_stack_is_read_once_when_its_events_say_that_it_is_at_rest() {
        let (end, server) = waited(|request, look| {
            if request.is("DescribeStacks") {
                return stack("CREATE_COMPLETE");
            }
            let mut events = event(1, "CREATE_IN_PROGRESS");
            if look >= 4 {
                events = event(2, "CREATE_COMPLETE") + &events;
            }
            Reply::query("DescribeStackEvents", &format!("<StackEvents>{events}</StackEvents>"))
        })
        .await;
        assert!(matches!(end, Polled::Ready { .. }), "{end:?}");
        assert_eq!((server.count("DescribeStackEvents"), server.count("DescribeStacks")), (5, 1));
    }

    #[tokio::test]
    async fn a_shell_without_events_is_read_itself() {
        let (end, server) = waited(|request, _| {
            if request.is("DescribeStacks") {
                stack("DELETE_COMPLETE")
            } else {
                Reply::query("DescribeStackEvents", "")
            }
        })
        .await;
        assert!(matches!(end, Polled::Ready { .. }), "{end:?}");
        assert_eq!(server.count("DescribeStacks"), 1);
    }

    #[tokio::test]
    async fn a_stack_whose_own_events_never_come_is_read_all_the_same() {
        let (end, server) = waited(|request, _| {
            let other =
                event(1, "CREATE_COMPLETE").replace(&format!("<PhysicalResourceId>{ID}</PhysicalResourceId>"), "");
            if request.is("DescribeStacks") {
                stack("CREATE_COMPLETE")
            } else {
                Reply::query("DescribeStackEvents", &format!("<StackEvents>{other}</StackEvents>"))
            }
        })
        .await;
        assert!(matches!(end, Polled::Ready { .. }), "{end:?}");
        assert_eq!(server.count("DescribeStackEvents"), usize::try_from(BLIND_LOOKS).expect("few"));
    }
}
