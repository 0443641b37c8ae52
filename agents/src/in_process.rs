//! An agent that survives its own panics.
//!
//! What: [`InProcessAgent`], the [`AgentTransport`] to an [`AgentHost`] in this process: catches a panic, discards the agent and rebuilds it
//! from its last [`Checkpoint`]. Why: one bad item must not end a recorded day. Not here: agents in processes of their own and how often
//! they are started again (the orchestrator).

use crate::{
    contract::{Agent, AgentTransport, Answer, AskError, Call, Checkpoint, IngestInput, Setup},
    host::AgentHost,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use toolcall_schema::AgentName;

/// Builds an agent that has read nothing: at the start and after each panic.
pub type Build = Box<dyn Fn(&Setup) -> Box<dyn Agent> + Send>;

/// An agent in this process, with what is needed to build it again.
pub struct InProcessAgent {
    build: Build,
    setup: Setup,
    host: AgentHost,
    checkpoint: Checkpoint,
    /// The number of the checkpoint at which the agent is; `None`: at none.
    at: Option<u64>,
}

impl InProcessAgent {
    /// Builds the agent.
    pub fn new(setup: Setup, build: Build) -> Self {
        let host = AgentHost::new(build(&setup));
        Self {
            build,
            setup,
            host,
            checkpoint: Checkpoint::default(),
            at: Some(0),
        }
    }

    /// Which of the four.
    pub fn name(&self) -> AgentName {
        self.host.name()
    }

    /// Builds the agent again, from its checkpoint.
    fn build_again(&mut self) {
        self.host = AgentHost::new((self.build)(&self.setup));
        if let Some(state) = &self.checkpoint.state {
            // It was given out by the same agent; should it not fit, the agent starts empty.
            if self.host.restore(state).is_err() {
                tracing::warn!(agent = %self.name(), "the agent's state cannot be restored, it starts empty");
            }
        }
        self.at = Some(self.checkpoint.number);
    }
}

impl AgentTransport for InProcessAgent {
    fn ask(&mut self, call: Call) -> Answer {
        let is_ingest = call.is_ingest();
        if is_ingest {
            let IngestInput {
                from,
                signals,
                ages_upto,
            } = call.input;
            self.journalled(from);
            self.host.deliver(signals);
            self.host.count_ages(ages_upto);
            self.at = None;
        }
        let (host, authority) = (&mut self.host, call.dispatch.authority());
        // Whatever the panic left half-done is discarded with the agent below.
        let answer = match catch_unwind(AssertUnwindSafe(|| host.call(&call.raw, authority, call.at))) {
            Ok(Some(bytes)) => {
                if is_ingest {
                    self.at = Some(self.checkpoint.number + 1);
                }
                Ok(bytes)
            }
            Ok(None) => Err(AskError::Refused),
            Err(_) => {
                tracing::error!(agent = %self.name(), "the agent crashed, it is built anew from its last state");
                self.build_again();
                Err(AskError::Ended { own: true })
            }
        };
        Answer::Now(answer)
    }

    fn journalled(&mut self, checkpoint: Checkpoint) {
        let other = self.at != Some(checkpoint.number);
        self.checkpoint = checkpoint;
        if other {
            self.build_again();
        }
    }

    fn set_up(&mut self, setup: Setup) -> bool {
        self.setup = setup;
        self.build_again();
        true
    }
}
