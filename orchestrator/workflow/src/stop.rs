//! Being ended from outside while a run is executed.
//!
//! What: [`StopRequest`], set by SIGINT and SIGTERM. Why: a run that is interrupted ends its programs and can be resumed. Not here: what is
//! done about it ([`super::runner`]).

use super::WorkflowError;
use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};
use tokio::signal::unix::{SignalKind, signal};

type WakeCallback = Box<dyn Fn() + Send>;

/// Whether somebody wants this process to end.
#[derive(Clone, Default)]
pub struct StopRequest(Arc<StopInner>);

#[derive(Default)]
struct StopInner {
    asked: AtomicBool,
    wake: Mutex<Option<WakeCallback>>,
}

impl StopRequest {
    /// Listens for SIGINT and SIGTERM for as long as the process lives.
    ///
    /// # Errors
    /// `WORKFLOW-007` when the system says no.
    pub fn listen(&self) -> Result<(), WorkflowError> {
        let heard = self.clone();
        let wrong = |source| WorkflowError::System {
            doing: "listen for signals",
            source,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .map_err(wrong)?;
        let (mut int, mut term) = {
            let _inside = runtime.enter();
            let listen = |kind| -> Result<_, io::Error> { signal(kind) };
            (
                listen(SignalKind::interrupt()).map_err(wrong)?,
                listen(SignalKind::terminate()).map_err(wrong)?,
            )
        };
        thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = int.recv() => {}
                    _ = term.recv() => {}
                }
            });
            heard.ask();
        });
        Ok(())
    }

    /// Whether it is to end.
    pub fn is_asked(&self) -> bool {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// Has it end.
    pub fn ask(&self) {
        self.0.asked.store(true, Ordering::SeqCst);
        if let Some(wake) = &*self.0.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }

    /// Calls nothing any more; waits for what is being called.
    pub fn wakes_nobody(&self) {
        *self.0.wake.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What is called when it is to end, so that whoever waits looks.
    pub fn wakes(&self, wake: impl Fn() + Send + 'static) {
        *self.0.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(wake));
    }
}
