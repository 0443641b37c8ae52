//! The programs of one run, and asking one of them once.
//!
//! What: [`Host`]: a message of a protocol in, an [`Answered`] that passed or a [`Refusal`] out. Why: a workflow decides over answers
//! and never meets a process. Not here: which agent is asked when (`workflow`), what is written of an answer (`feature`).

use super::{
    Agent, Place, Refusal,
    once::{self, Answer},
    rules,
    running::Scratch,
};
use crate::{clock::Clock, process::Program};
use aura_memory::quarantine::{Refusals, Why};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use toolcall_schema::{
    protocol::{self, Input, Message, Output, Request, Response, ResponseMeta, View},
    rejection::{Code, SchemaError},
};

/// What Aura measured of one asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Milliseconds from the asking to the answer; of a program that is started for it, to its end.
    pub processing_time_ms: u64,
    /// How many messages it sent, the last one included.
    pub messages: u32,
}

/// What an agent says of itself: nobody checked it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claimed {
    /// Milliseconds.
    pub processing_time_ms: Option<i64>,
    /// Of a language model.
    pub tokens_used: Option<i64>,
    /// By name, or however the agent puts it.
    pub tools_called: Vec<Value>,
}

impl From<&ResponseMeta> for Claimed {
    fn from(meta: &ResponseMeta) -> Self {
        Self {
            processing_time_ms: meta.processing_time_ms,
            tokens_used: meta.tokens_used,
            tools_called: meta.tools_called.clone(),
        }
    }
}

/// An answer that passed.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered<T> {
    /// What was said.
    pub message: Message<T>,
    /// What it took.
    pub measured: Measured,
}

/// The programs of one run. Asked from several threads at once; what runs ends with it.
pub struct Host {
    project: PathBuf,
    scratch: PathBuf,
    quarantine: Option<Refusals>,
    program: Program,
    next: AtomicU64,
}

/// What was refused, with what the program said.
struct Refused {
    why: Refusal,
    said: Vec<u8>,
}

impl Host {
    /// `project`: the programs' working folder. `scratch`: a folder of the run's own, in which each of them gets one to write to.
    /// `quarantine`: where what they say and is refused is kept; nowhere without.
    /// A thread that asks must live until it has its answer: a program dies with the thread that started it.
    pub fn new(project: PathBuf, scratch: PathBuf, quarantine: Option<Refusals>) -> Self {
        Self {
            project,
            scratch,
            quarantine,
            program: Program::default(),
            next: AtomicU64::new(1),
        }
    }

    /// The same with another program than this one in the place of `aura worker exec`: for tests, which are no aura.
    #[must_use]
    pub fn started_by(self, program: Program) -> Self {
        Self { program, ..self }
    }

    /// Asks an agent of the envelope protocol, for at most `limit` and what its manifest allows.
    ///
    /// # Errors
    /// `PROTO-…` for an input or an answer that is not of the protocol, `PROGRAM-…` where there is no answer or it may not be asked.
    pub fn envelope(
        &self,
        agent: &Agent,
        input: &Value,
        limit: Duration,
    ) -> Result<Answered<Output>, Refusal> {
        let input = Message::<Input>::of(input.clone())?;
        rules::input(agent, &self.project, &input)?;
        self.once(agent, input.value(), limit)
            .and_then(|answer| passed::<Output>(answer, |_| Ok(())))
            .map_err(|Refused { why, said }| self.refused(agent, why, &said))
    }

    /// Asks an agent of the base protocol, for at most `limit` and what its manifest allows. `seen` is called with each message that
    /// is not the last. Past its time the last of those counts, as partial.
    ///
    /// # Errors
    /// As [`Host::envelope`]; `PROTO-005` for a status that is not its turn, `PROTO-006` for another output than was asked for.
    pub fn base(
        &self,
        agent: &Agent,
        request: &Value,
        limit: Duration,
        _seen: &mut dyn FnMut(&Message<Response>),
    ) -> Result<Answered<Response>, Refusal> {
        let request = Message::<Request>::of(request.clone())?;
        rules::request(agent, &request)?;
        let format = request.view().request.task.constraints.output_format;
        let last = |response: &Response| {
            if !response.status.is_over() {
                return Err(not_over());
            }
            response.serves(format).map_err(Refusal::from)
        };
        self.once(agent, request.value(), limit)
            .and_then(|answer| passed(answer, last))
            .map_err(|Refused { why, said }| self.refused(agent, why, &said))
    }

    fn once(&self, agent: &Agent, document: &Value, limit: Duration) -> Result<Answer, Refused> {
        let limit = limit.min(Duration::from_secs(u64::from(agent.manifest.limits.wall_s)));
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let scratch = Scratch::new(self.scratch.join(format!("{}-{n}", agent.manifest.name)));
        let scratch = scratch.map_err(|error| Refused {
            why: Refusal::not_started(&error),
            said: vec![],
        })?;
        let place = Place {
            program: &self.program,
            project: &self.project,
            scratch: scratch.path(),
        };
        let document = document.to_string();
        once::ask(agent, &place, document.as_bytes(), limit).map_err(|silent| Refused {
            why: silent.why,
            said: silent.said,
        })
    }

    /// Keeps what an agent said and was refused, and gives the reason back. Also for whoever refuses an answer that passed here: its
    /// artifacts, say.
    pub fn refused(&self, agent: &Agent, why: Refusal, said: &[u8]) -> Refusal {
        let manifest = &agent.manifest;
        tracing::info!(
            agent = manifest.name,
            code = why.code,
            bytes = said.len(),
            "refused"
        );
        if let Some(quarantine) = self.quarantine.as_ref().filter(|_| !said.is_empty()) {
            let reason = Why {
                code: why.code.clone(),
                pointer: why.pointer.clone(),
                message: why.message.clone(),
            };
            let who = (manifest.name.as_str(), manifest.protocol);
            if let Err(error) = quarantine.keep(Clock::real(None).wall(), who, reason, said) {
                // It is refused all the same.
                tracing::warn!(code = error.code(), %error, "a refused message is lost");
            }
        }
        why
    }
}

fn not_over() -> Refusal {
    SchemaError {
        code: Code::Proto005,
        pointer: "/status".to_owned(),
        keyword: "order".to_owned(),
        limit: Some("completed, failed or partial".to_owned()),
        message: "this is the last message, and says that it is not over; say completed, failed or partial"
            .to_owned(),
    }
    .into()
}

/// An answer that was read and passes.
fn passed<T: View>(
    answer: Answer,
    rule: impl FnOnce(&T) -> Result<(), Refusal>,
) -> Result<Answered<T>, Refused> {
    let read = protocol::read::<T>(&answer.bytes).map_err(Refusal::from);
    let checked = read.and_then(|message| rule(message.view()).map(|()| message));
    match checked {
        Ok(message) => Ok(Answered {
            message,
            measured: Measured {
                processing_time_ms: u64::try_from(answer.took.as_millis()).unwrap_or(u64::MAX),
                messages: 1,
            },
        }),
        Err(why) => Err(Refused {
            why,
            said: answer.bytes,
        }),
    }
}
