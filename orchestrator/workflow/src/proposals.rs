//! What a run proposes to its owner and reads of Aura, on its way there and back.
//!
//! What: [`ProposalPort`], the way to who may ask the owner and read; [`RunProposals`], what one run has of it: a step that waits for the
//! end, and an agent that is told each change. Why: a run asks by the same door as every program, whoever executes it. Not here: what may be
//! proposed and read (`orchestrator_machine::workflow`), what becomes of it (`orchestrator_machine::asks`).

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use orchestrator_machine::{
    asks::AskProtocol,
    workflow::{
        definition::WorkflowStep,
        event::AgentAnswer,
        proposal::{OwnerProposal, ProposalSource, RunProposal},
        reading::WorkflowRead,
    },
};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};
use tokio::sync::{mpsc, watch};
use toolcall_schema::{AskReport, ids::RequestId, rejection::RefusalReason};

/// How far a proposal is, or why it was not made.
pub type ProposalUpdate = Result<(RequestId, AskReport), RefusalReason>;

/// The way to who may ask the owner and read: a running service.
pub trait ProposalPort: Send + Sync {
    /// Proposes, and tells how far that is with each change. The last that is told is its end or a refusal; within `limit`, or not at all
    /// once `stopped` says so or nobody listens.
    fn propose(
        &self,
        proposal: RunProposal,
        limit: Duration,
        stopped: watch::Receiver<bool>,
    ) -> mpsc::Receiver<ProposalUpdate>;

    /// Reads, where the owner let the workflow. Blocks until that is known, for `limit` at most.
    ///
    /// # Errors
    /// Why it is not told.
    fn read(
        &self,
        source: &ProposalSource,
        read: &WorkflowRead,
        limit: Duration,
    ) -> Result<Map<String, Value>, RefusalReason>;

    /// Takes back what a run proposed and is not over. Blocks until that is on disk.
    fn withdraw(&self, run: &str);
}

fn refused_with(code: &str, message: &str) -> RefusalReason {
    RefusalReason {
        code: code.to_owned(),
        pointer: String::new(),
        message: message.to_owned(),
    }
}

fn nobody() -> RefusalReason {
    refused_with(
        "WORKFLOW-008",
        "no service runs that could ask the owner or read: start aura, then aura workflow resume",
    )
}

/// Tells an agent that it may not propose or read that.
pub(crate) fn nothing_allowed(tell: impl FnOnce(Value) -> bool) {
    let why =
        "the step's asks and reads have nothing of that name: the owner writes what may be proposed and read";
    // It may have ended.
    let _ = tell(refusal_of(&refused_with("ASK-001", why)));
}

fn no_answer() -> RefusalReason {
    refused_with("WORKFLOW-008", "the run was ended meanwhile")
}

/// A refusal as an agent is told it.
fn refusal_of(refusal: &RefusalReason) -> Value {
    json!({ "refused": { "code": refusal.code, "message": refusal.message } })
}

/// A service that was killed comes back within this time, or does not; whoever has the run meanwhile waits so long to hand it over.
const HANDED_OVER: Duration = Duration::from_mins(1);

/// What a run proposes. Ended with it: who waits is told then that nothing more is told.
pub struct RunProposals {
    port: Option<Arc<dyn ProposalPort>>,
    ended: watch::Sender<bool>,
    /// Closed by the end, for who waits without a port.
    open: Mutex<Option<Sender<Infallible>>>,
    closed: Receiver<Infallible>,
}

impl RunProposals {
    /// By this port; absent: nobody can be asked.
    pub fn new(port: Option<Arc<dyn ProposalPort>>) -> Self {
        let (ended, _) = watch::channel(false);
        let (open, closed) = bounded(0);
        Self {
            port,
            ended,
            open: Mutex::new(Some(open)),
            closed,
        }
    }

    /// Nobody waits any more. What is proposed stays.
    pub(crate) fn end(&self) {
        self.ended.send_replace(true);
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Proposes what a step says, and waits for its end.
    pub(crate) fn decide(
        &self,
        source: &ProposalSource,
        proposal: &OwnerProposal,
        limit: Duration,
    ) -> AgentAnswer {
        let refused = |refusal| AgentAnswer::Refused { refusal };
        let Some(port) = &self.port else {
            return refused(self.await_service(limit));
        };
        let proposal = RunProposal {
            source: source.clone(),
            door: AskProtocol::Workflow,
            proposal: proposal.clone(),
        };
        let mut told = port.propose(proposal, limit, self.ended.subscribe());
        loop {
            match told.blocking_recv() {
                Some(Ok((ask, report))) if report.state.is_over() => return AgentAnswer::Ask { ask, report },
                Some(Ok(_)) => {}
                Some(Err(refusal)) => return refused(refusal),
                None => return refused(no_answer()),
            }
        }
    }

    /// Reads what a step says.
    pub(crate) fn read(&self, source: &ProposalSource, read: &WorkflowRead, limit: Duration) -> AgentAnswer {
        let told = match &self.port {
            Some(port) => port.read(source, read, limit),
            None => Err(self.await_service(limit)),
        };
        match told {
            Ok(answer) => AgentAnswer::Read { answer },
            Err(refusal) => AgentAnswer::Refused { refusal },
        }
    }

    /// Waits for a service, which takes the run over; told where none does.
    fn await_service(&self, limit: Duration) -> RefusalReason {
        tracing::warn!("the run waits for a service that can ask the owner and read");
        match self.closed.recv_timeout(limit.min(HANDED_OVER)) {
            Ok(never) => match never {},
            Err(RecvTimeoutError::Timeout) => nobody(),
            Err(RecvTimeoutError::Disconnected) => no_answer(),
        }
    }

    /// What a step's agent may propose and read while it is asked; `None`: nothing.
    pub(crate) fn for_agent(
        &self,
        source: &ProposalSource,
        step: &WorkflowStep,
        limit: Duration,
    ) -> Option<Arc<AgentProposals>> {
        let may_nothing = step.asks.is_empty() && step.reads.is_empty();
        (!may_nothing).then(|| {
            Arc::new(AgentProposals {
                port: self.port.clone(),
                source: source.clone(),
                may: step.asks.clone(),
                reads: step.reads.clone(),
                limit,
            })
        })
    }
}

/// What the agent of one step may propose and read, while one asking of it lasts.
pub struct AgentProposals {
    port: Option<Arc<dyn ProposalPort>>,
    source: ProposalSource,
    may: BTreeMap<String, OwnerProposal>,
    reads: BTreeMap<String, WorkflowRead>,
    limit: Duration,
}

impl AgentProposals {
    /// Whether it may propose something under this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.may.contains_key(name)
    }

    /// Whether it may read something under this name.
    pub(crate) fn has_read(&self, name: &str) -> bool {
        self.reads.contains_key(name)
    }

    /// Reads what stands under this name, and tells what that was answered.
    pub(crate) fn read(&self, name: &str, tell: impl FnOnce(Value) -> bool + Send + 'static) {
        let (port, read) = match (&self.port, self.reads.get(name)) {
            (Some(port), Some(read)) => (Arc::clone(port), read.clone()),
            (None, Some(_)) => {
                let _ = tell(refusal_of(&nobody()));
                return;
            }
            (_, None) => return nothing_allowed(tell),
        };
        let (source, limit) = (self.source.clone(), self.limit);
        // One for each name at most, and its lines go on being read meanwhile.
        thread::spawn(move || {
            let told = port.read(&source, &read, limit);
            // The asking may be over.
            let _ = tell(told.map_or_else(
                |refusal| refusal_of(&refusal),
                |answer| json!({ "answer": answer }),
            ));
        });
    }

    /// Proposes what stands under this name, and tells each change until it is over, `stopped`, or `tell` says that nobody listens.
    pub(crate) fn propose(
        &self,
        name: &str,
        stopped: watch::Receiver<bool>,
        mut tell: impl FnMut(Value) -> bool + Send + 'static,
    ) {
        let (port, proposal) = match (&self.port, self.may.get(name)) {
            (Some(port), Some(proposal)) => (port, proposal),
            (None, Some(_)) => {
                let _ = tell(refusal_of(&nobody()));
                return;
            }
            (_, None) => return nothing_allowed(tell),
        };
        let mut source = self.source.clone();
        source.key = format!("{} {name}", source.key);
        let proposal = RunProposal {
            source,
            door: AskProtocol::Program,
            proposal: proposal.clone(),
        };
        let mut told = port.propose(proposal, self.limit, stopped);
        // One for each name at most, and over when the asking is.
        thread::spawn(move || {
            while let Some(update) = told.blocking_recv() {
                let said = match update {
                    Ok((_, report)) => json!({ "state": report.state }),
                    Err(refusal) => refusal_of(&refusal),
                };
                if !tell(said) {
                    return;
                }
            }
        });
    }
}
