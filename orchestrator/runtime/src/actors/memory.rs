//! The memory actor: brings the store's answers back, and writes what is no row of it.
//!
//! What: waiting for commits, raw traces. Why: the barrier's answer is an event like any other. Not here: the store
//! (`aura-memory`), handing a turn's writes over (`orchestrator::ports`).

use crate::{
    actors::orchestrator::{CommitFinished, InjectEvent, OrchestratorActor},
    executor::CommitNotification,
    fault_plan::DiskFault,
};
use actix::{Actor, Addr, Context, Handler, Message, Supervised};
use aura_memory::Store;
use aura_platform::{
    clock::Clock,
    in_flight::{InFlight, InFlightGuard},
    mailbox::send,
};
use orchestrator_machine::supervision::SupervisedRole;
use std::sync::Arc;
use tokio::sync::oneshot;
use toolcall_schema::ids::TraceId;

/// The orchestrator: who waits for what was handed to the store up to here. No reply; the notifications come back as events.
#[derive(Message)]
#[rtype(result = "()")]
pub struct AwaitCommit {
    pub notify: Vec<CommitNotification>,
    /// What the disk does with it on purpose; nothing in service.
    pub disk: Option<DiskFault>,
    /// In flight until the answer is an event.
    pub ticket: InFlightGuard,
}

/// The orchestrator: the store was too slow, keep this trace as a raw file. No reply.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SpillTrace {
    pub trace_id: TraceId,
    /// Its JSON.
    pub json: String,
    /// In flight until the file is there.
    pub ticket: InFlightGuard,
}

/// The actor.
pub struct MemoryActor {
    /// The store with its writer thread.
    pub store: Arc<Store>,
    /// Who is told.
    pub orchestrator: Addr<OrchestratorActor>,
    /// Counts the answers that are on their way.
    pub busy: InFlight,
    /// For a disk that is made slow.
    pub clock: Clock,
}

/// Messages that may wait for the memory actor.
pub const MAILBOX: usize = 1024;

impl Actor for MemoryActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
    }
}

impl Supervised for MemoryActor {}

impl Handler<AwaitCommit> for MemoryActor {
    type Result = ();

    fn handle(&mut self, awaited: AwaitCommit, _ctx: &mut Self::Context) {
        let AwaitCommit { notify, disk, ticket } = awaited;
        if disk == Some(DiskFault::Fails) {
            return tell(&self.orchestrator, &self.busy, notify, false);
        }
        let (orchestrator, busy, clock) = (self.orchestrator.clone(), self.busy.clone(), self.clock.clone());
        let asked_at = clock.at();
        let (told, heard) = oneshot::channel();
        let asked = self.store.commit(Box::new(move |result| {
            // The waiter below may be gone with its actor system.
            let _ = told.send((result, ticket));
        }));
        if let Err(error) = asked {
            tracing::error!(code = error.code(), %error, "no commit");
            return tell(&self.orchestrator, &self.busy, notify, false);
        }
        actix::spawn(async move {
            let Ok((result, ticket)) = heard.await else { return };
            if let Err(error) = &result {
                tracing::error!(%error, "the store could not commit");
            }
            if let Some(DiskFault::SlowMs(ms)) = disk {
                drop(ticket);
                let _woken = clock.sleep_until(asked_at.plus_ms(i64::from(ms))).await;
                tell(&orchestrator, &busy, notify, result.is_ok());
            } else {
                tell(&orchestrator, &busy, notify, result.is_ok());
                drop(ticket);
            }
        });
    }
}

fn tell(orchestrator: &Addr<OrchestratorActor>, busy: &InFlight, notify: Vec<CommitNotification>, ok: bool) {
    let _ = send(orchestrator, "orchestrator", CommitFinished { ok });
    for notification in notify {
        // Not taken: the deadline of who waits decides.
        let _ = send(
            orchestrator,
            "orchestrator",
            InjectEvent {
                what: notification.event(ok),
                ticket: busy.ticket_to(SupervisedRole::Orchestrator),
            },
        );
    }
}

impl Handler<SpillTrace> for MemoryActor {
    type Result = ();

    fn handle(&mut self, raw: SpillTrace, _ctx: &mut Self::Context) {
        let store = self.store.clone();
        let SpillTrace {
            trace_id,
            json,
            ticket,
        } = raw;
        actix::spawn(async move {
            let kept = tokio::task::spawn_blocking(move || store.put_raw_trace(&trace_id, &json)).await;
            drop(ticket);
            match kept {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(code = error.code(), %error, "raw trace not written"),
                Err(error) => tracing::error!(%error, "raw trace not written"),
            }
        });
    }
}

/// The orchestrator: tell this one whether everything so far is on disk.
#[derive(Message)]
#[rtype(result = "()")]
pub struct FlushWrites {
    pub reply: oneshot::Sender<bool>,
    /// In flight until then.
    pub ticket: InFlightGuard,
}

impl Handler<FlushWrites> for MemoryActor {
    type Result = ();

    fn handle(&mut self, flush: FlushWrites, _ctx: &mut Self::Context) {
        let orchestrator = self.orchestrator.clone();
        let asked = self.store.commit(Box::new(move |result| {
            let ok = result.is_ok();
            let _ = send(&orchestrator, "orchestrator", CommitFinished { ok });
            // Who asked may have gone.
            let _ = flush.reply.send(ok);
            drop(flush.ticket);
        }));
        if let Err(error) = asked {
            tracing::error!(code = error.code(), %error, "no commit");
        }
    }
}
