//! An agent that survives its own panics.
//!
//! What: [`InProcessAgent`], the [`AgentTransport`] to an [`AgentHost`] in this process: catches a panic, discards the agent and rebuilds it
//! from its last [`AgentCheckpoint`]. Why: one bad item must not end a recorded day. Not here: agents in processes of their own and how often
//! they are started again (the orchestrator).

use crate::{
    contract::{
        Agent, AgentCall, AgentCallError, AgentCheckpoint, AgentReply, AgentSetup, AgentTransport,
        AnsweredCall, IngestInput,
    },
    host::{AgentHost, ServedCall},
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use toolcall_schema::{AgentName, agent_state::JournalledState};

/// Builds an agent that has read nothing: at the start and after each panic.
pub type AgentFactory = Box<dyn Fn(&AgentSetup) -> Box<dyn Agent> + Send>;

/// An agent in this process, with what is needed to rebuild it.
pub struct InProcessAgent {
    build: AgentFactory,
    setup: AgentSetup,
    host: AgentHost,
    checkpoint: AgentCheckpoint,
    /// The number of the checkpoint at which the agent is; `None`: at none.
    at: Option<u64>,
}

impl InProcessAgent {
    /// Builds the agent.
    pub fn new(setup: AgentSetup, build: AgentFactory) -> Self {
        let host = AgentHost::new(build(&setup));
        Self {
            build,
            setup,
            host,
            checkpoint: AgentCheckpoint::default(),
            at: Some(0),
        }
    }

    /// Which of the four.
    pub fn name(&self) -> AgentName {
        self.host.name()
    }

    /// Rebuilds the agent from its checkpoint, with the names that it still knows then.
    fn renew(&mut self) {
        let state = self.checkpoint.state.as_ref().map(JournalledState::to_value);
        let names = state.map(|state| self.host.names_in(state));
        self.rebuild();
        self.host.take_names(names.unwrap_or_default());
    }

    /// Rebuilds the agent from its checkpoint.
    fn rebuild(&mut self) {
        self.host = AgentHost::new((self.build)(&self.setup));
        if let Some(state) = &self.checkpoint.state {
            // It was given out by the same agent; should it not fit, the agent starts empty.
            if self.host.restore(state.to_value()).is_err() {
                tracing::warn!(agent = %self.name(), "the agent's state cannot be restored, it starts empty");
            }
        }
        self.at = Some(self.checkpoint.number);
    }
}

impl AgentTransport for InProcessAgent {
    fn ask(&mut self, call: AgentCall) -> AgentReply {
        let is_ingest = call.is_ingest();
        if is_ingest {
            let IngestInput {
                from,
                signals,
                ages_upto,
            } = call.input;
            self.set_checkpoint(from);
            self.host.deliver(signals);
            self.host.count_ages(ages_upto);
            self.at = None;
        }
        let (host, authority) = (&mut self.host, call.dispatch.authority());
        // Whatever the panic left half-done is discarded with the agent below.
        let answer = match catch_unwind(AssertUnwindSafe(|| host.call(&call.raw, authority, call.at))) {
            Ok(Some(ServedCall { result, state_change })) => {
                let from = if is_ingest {
                    Some(self.checkpoint.number)
                } else {
                    self.at
                };
                if is_ingest || state_change.is_some() {
                    self.at = from.map(|from| from + 1);
                }
                Ok(AnsweredCall {
                    result,
                    state_change,
                    from,
                })
            }
            Ok(None) => Err(AgentCallError::Refused),
            Err(_) => {
                tracing::error!(agent = %self.name(), "the agent crashed, it is built anew from its last state");
                self.rebuild();
                Err(AgentCallError::Ended { own: true })
            }
        };
        AgentReply::Now(answer)
    }

    fn set_checkpoint(&mut self, checkpoint: AgentCheckpoint) {
        let other = self.at != Some(checkpoint.number);
        self.checkpoint = checkpoint;
        if other {
            self.renew();
        }
    }

    fn reconfigure(&mut self, setup: AgentSetup) -> bool {
        self.setup = setup;
        self.renew();
        true
    }
}
