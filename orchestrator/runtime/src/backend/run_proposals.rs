//! What runs of workflows propose, taken to the machine, and what they read, to the agents.
//!
//! What: [`ProposalPort`] for [`ServiceBackend`]. Why: a run asks as any program does, under an id of its own, with the same states. Not
//! here: devices and what they may (`asks`), what a run may propose (its workflow's file).

use super::{ServiceBackend, asks::refusal_of, read};
use aura_workflow::{
    RunHistory,
    proposals::{ProposalPort, ProposalUpdate},
};
use orchestrator_machine::{
    asks::{AskOrigin, AskerId},
    calls::{CallAnswer, CallRequest},
    workflow::{
        proposal::{ProposalSource, RunProposal},
        reading::WorkflowRead,
        run::RunPhase,
    },
};
use serde_json::{Map, Value};
use std::{collections::BTreeSet, time::Duration};
use surfaces_base::{
    backend::{
        BackendError,
        asks::{AskBackend as _, AskRefusal},
    },
    devices::GrantedWorkflow,
    format::local_date,
};
use tokio::{
    runtime::Handle,
    sync::{
        mpsc::{self, Receiver, Sender},
        watch,
    },
};
use toolcall_schema::{rejection::RefusalReason, trace::Asker};

/// Changes that are told and not read yet: there are three at most.
const UPDATES: usize = 8;
/// What a run is told that may not read.
const LET_IT_READ: &str = "no device was let in as which this workflow reads with that tool: `aura device add NAME --scope ask --tools TOOLS`, \
                           then `aura device allow last workflows/NAME.toml`";
/// How long the machine is left alone when it has no time.
const AGAIN: Duration = Duration::from_secs(1);

/// The way of a service's runs to its machine.
pub(crate) struct OwnerPort {
    backend: ServiceBackend,
    runtime: Handle,
}

impl OwnerPort {
    /// Within the service's runtime.
    pub(crate) fn new(backend: ServiceBackend) -> Self {
        Self {
            backend,
            runtime: Handle::current(),
        }
    }
}

impl ProposalPort for OwnerPort {
    fn propose(
        &self,
        proposal: RunProposal,
        limit: Duration,
        mut stopped: watch::Receiver<bool>,
    ) -> Receiver<ProposalUpdate> {
        let (tell, told) = mpsc::channel(UPDATES);
        let backend = self.backend.clone();
        self.runtime.spawn(async move {
            let followed = async {
                let followed = tokio::time::timeout(limit, backend.follow_proposal(&proposal, &tell)).await;
                let refusal = match followed {
                    Ok(Ok(())) => return,
                    Ok(Err(refusal)) => step_refusal(refusal),
                    Err(_) => step_refusal(AskRefusal::NoAnswer),
                };
                // Nobody may listen any more.
                let _ = tell.send(Err(refusal)).await;
            };
            tokio::select! {
                () = followed => {}
                () = tell.closed() => {}
                // Also when who would say so has gone.
                _ = stopped.wait_for(|stop| *stop) => {}
            }
        });
        told
    }

    fn read(
        &self,
        source: &ProposalSource,
        read: &WorkflowRead,
        limit: Duration,
    ) -> Result<Map<String, Value>, RefusalReason> {
        let told = async {
            let read = self.backend.read_for_run(source, read);
            tokio::time::timeout(limit, read)
                .await
                .unwrap_or(Err(AskRefusal::NoAnswer))
        };
        self.runtime.block_on(told).map_err(|refusal| {
            let mut told = step_refusal(refusal);
            if refusal == AskRefusal::NotAllowed {
                LET_IT_READ.clone_into(&mut told.message);
            }
            told
        })
    }

    fn withdraw(&self, run: &str) {
        if let Some(asker) = AskerId::of_run(run) {
            self.runtime
                .block_on(self.backend.withdraw_asks_of(asker.as_str()));
        }
    }
}

fn step_refusal(refusal: AskRefusal) -> RefusalReason {
    let text = refusal.to_string();
    let message = text.strip_prefix(refusal.code()).unwrap_or(&text);
    RefusalReason {
        code: refusal.code().to_owned(),
        pointer: String::new(),
        message: message.trim_start_matches([':', ' ']).to_owned(),
    }
}

impl ServiceBackend {
    /// Takes back what runs proposed that came to their end where no service was.
    pub(crate) async fn withdraw_asks_of_ended_runs(&self) {
        let Ok(look) = self.look().await else { return };
        let origins = look.state.asks.open.iter().filter_map(|ask| ask.origin.as_ref());
        let runs: BTreeSet<&AskerId> = origins
            .map(|origin| &origin.device)
            .filter(|asker| asker.is_run())
            .collect();
        for asker in runs {
            let Some(run) = asker.run() else { continue };
            let is_over = read(self.readers.clone(), move |reader| {
                let history = RunHistory::read(reader, &run);
                Ok(history.is_ok_and(|history| matches!(history.run().phase, RunPhase::Over(_))))
            });
            if is_over.await.unwrap_or_default() {
                self.withdraw_asks_of(asker.as_str()).await;
            }
        }
    }

    /// Reads what a run wants, as the device as which its workflow may: under that one's hour, ids and record.
    ///
    /// # Errors
    /// Why it is not told.
    async fn read_for_run(
        &self,
        source: &ProposalSource,
        read: &WorkflowRead,
    ) -> Result<Map<String, Value>, AskRefusal> {
        let access = self.programs.as_ref().ok_or(AskRefusal::NotAllowed)?;
        let workflow = GrantedWorkflow {
            name: source.workflow.clone(),
            project: source.project.clone(),
        };
        loop {
            let reader = access.devices.reader_for(&workflow, read.tool);
            let reader = reader.ok_or(AskRefusal::NotAllowed)?;
            if let Ok(look) = self.look().await {
                let now = self.clock.wall();
                let today = local_date(now, look.env.settings.zone).to_string();
                let args = read.arguments(&now.to_string(), &today);
                if let Ok(told) = self.read(reader, read.tool, args).await {
                    return match told? {
                        Value::Object(answer) => Ok(answer),
                        Value::Null
                        | Value::Bool(_)
                        | Value::Number(_)
                        | Value::String(_)
                        | Value::Array(_) => Err(AskRefusal::NoAnswer),
                    };
                }
            }
            // It has no time just now.
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Proposes what a run wants, and tells each change until it is over or nobody listens.
    ///
    /// # Errors
    /// Why it is not proposed, or is not known any more.
    async fn follow_proposal(
        &self,
        proposed: &RunProposal,
        tell: &Sender<ProposalUpdate>,
    ) -> Result<(), AskRefusal> {
        let asker = AskerId::of_run(&proposed.source.run).ok_or(AskRefusal::NotAllowed)?;
        if let Some(access) = &self.programs {
            access.name_run(asker.clone(), &proposed.source.workflow);
        }
        let ask = self.ask_id(asker.as_str(), &proposed.source.key);
        let call = CallRequest {
            id: ask.clone(),
            asker: Asker::Program,
            origin: Some(AskOrigin {
                device: asker.clone(),
                door: proposed.door,
            }),
            tool: proposed.proposal.tool,
            args: Value::Object(proposed.proposal.args.clone()),
            wait_min: Some(proposed.proposal.wait_min),
        };
        let mut turns = self.turns.clone();
        let mut seen = None;
        loop {
            turns.mark_unchanged();
            // The same request again is answered from the state, without an event.
            let report = match self.request_ask(call.clone()).await {
                Ok(CallAnswer::Waiting(report)) => report,
                Ok(CallAnswer::Refused(why)) => return Err(refusal_of(why)),
                // A program's call is made by a tick alone.
                Ok(CallAnswer::Ended(_)) => return Err(AskRefusal::NoAnswer),
                Err(BackendError::Busy | BackendError::Store | BackendError::Stopping) => {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
            };
            let state = report.state;
            if seen != Some(state) {
                seen = Some(state);
                let over = report.state.is_over();
                if tell.send(Ok((ask.clone(), report))).await.is_err() || over {
                    return Ok(());
                }
            }
            if turns.changed().await.is_err() {
                // The machine ends, and with it this service.
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}
