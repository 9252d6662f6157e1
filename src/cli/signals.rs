//! Ctrl-C and SIGTERM: the first asks to stop, the second leaves at once with the recovery command.

use crate::exit::{Exit, Failure};
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Whether the process was asked to stop.
#[derive(Clone, Debug)]
pub struct Shutdown {
    token: CancellationToken,
    recovery: Arc<Mutex<String>>,
}

impl Shutdown {
    /// Listens for signals. `recovery` is printed when a second one cuts the work off.
    ///
    /// # Errors
    /// [`Failure::Internal`] if the handlers cannot be installed.
    pub fn listen(recovery: String) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| Failure::Internal(format!("cannot listen for signals: {e}"));
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let token = CancellationToken::new();
        let asked = token.clone();
        let recovery = Arc::new(Mutex::new(recovery));
        let told = Arc::clone(&recovery);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if asked.is_cancelled() {
                    let recovery = told.lock().map(|text| text.clone()).unwrap_or_default();
                    let _ = writeln!(
                        std::io::stderr().lock(),
                        "left at once; what goes on in the cloud goes on. To recover: {recovery}"
                    );
                    std::process::exit(i32::from(Exit::Interrupted.code()));
                }
                asked.cancel();
                let _ = writeln!(
                    std::io::stderr().lock(),
                    "stopping: no new work; evidence is frozen and stacks are cleaned up (again to leave at once)"
                );
            }
        });
        Ok(Self { token, recovery })
    }

    /// Says what recovers from now on.
    pub fn recover_with(&self, recovery: String) {
        if let Ok(mut told) = self.recovery.lock() {
            *told = recovery;
        }
    }

    /// The token that work listens to.
    #[must_use]
    pub fn token(&self) -> CancellationToken {
        self.token.clone()
    }
}
