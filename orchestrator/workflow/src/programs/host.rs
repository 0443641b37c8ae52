//! The programs of one run, and asking one of them once.
//!
//! What: [`ProgramHost`]: a message of a protocol in, an [`HostAnswer`] that passed or a [`RefusalReason`] out. Why: a workflow decides over answers
//! and never meets a process. Not here: which agent is asked when (`workflow`), what is written of an answer (`feature`).

use super::{
    ConnectionRecorder, LaunchContext, ProgramAgent,
    network::no_recorder,
    oneshot::{self, NoAnswer},
    persistent::{PersistentProgram, ProgramLaunch},
    refusal, rules,
    running::{ProcessGroups, ScratchFolder},
};
use crate::proposals::AgentProposals;
use aura_memory::quarantine::MessageQuarantine;
use aura_platform::clock::Clock;
use aura_process::WorkerProgram;
use orchestrator_machine::workflow::event::StepMetrics;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use toolcall_schema::{
    protocol::{
        self, BaseRequest, BaseResponse, EnvelopeInput, EnvelopeOutput, MessageView, OutputFormat,
        ProtocolMessage, Status,
        manifest::{Mode, ProgramManifest},
    },
    rejection::RefusalReason,
};

/// An answer that passed.
#[derive(Debug, Clone, PartialEq)]
pub struct HostAnswer<T> {
    /// What was said.
    pub message: ProtocolMessage<T>,
    /// What it took.
    pub measured: StepMetrics,
}

/// On what terms a program is asked.
#[derive(Clone)]
pub struct AskTerms {
    /// It has so long at most, and not longer than its manifest allows.
    pub limit: Duration,
    /// What it may propose to the owner meanwhile, where it goes on; absent: nothing.
    pub proposals: Option<Arc<AgentProposals>>,
}

impl From<Duration> for AskTerms {
    fn from(limit: Duration) -> Self {
        Self {
            limit,
            proposals: None,
        }
    }
}

/// The programs of one run. Asked from several threads at once; what runs ends with it.
pub struct ProgramHost {
    project: PathBuf,
    scratch: PathBuf,
    quarantine: Option<MessageQuarantine>,
    program: WorkerProgram,
    /// Numbers the folders that programs write to.
    next: AtomicU64,
    /// Those that go on, by their manifest's folder and name.
    long: Mutex<BTreeMap<(PathBuf, String), Arc<PersistentProgram>>>,
    groups: ProcessGroups,
    record: ConnectionRecorder,
}

/// What was refused, with what the program said.
pub(super) struct ProgramRefusal {
    pub(super) why: RefusalReason,
    said: Vec<u8>,
}

impl From<RefusalReason> for ProgramRefusal {
    fn from(why: RefusalReason) -> Self {
        Self { why, said: vec![] }
    }
}

impl From<NoAnswer> for ProgramRefusal {
    fn from(NoAnswer { why, said }: NoAnswer) -> Self {
        Self { why, said }
    }
}

impl ProgramHost {
    /// `program`: what runs as `aura worker exec`. `project`: the programs' working folder. `scratch`: a folder of the run's own, in which each of them gets one to write to.
    /// `quarantine`: where what they say and is refused is kept; nowhere without.
    ///
    /// A thread that asks must live until it has its answer: a program that is started for it dies with it.
    pub fn new(
        program: WorkerProgram,
        project: PathBuf,
        scratch: PathBuf,
        quarantine: Option<MessageQuarantine>,
    ) -> Self {
        Self {
            project,
            scratch,
            quarantine,
            program,
            next: AtomicU64::new(1),
            long: Mutex::default(),
            groups: ProcessGroups::default(),
            record: no_recorder(),
        }
    }

    /// The same, where each connection of a program is told of before it is made.
    #[must_use]
    pub fn recording(self, record: ConnectionRecorder) -> Self {
        Self { record, ..self }
    }

    /// Terminates all running programs and starts none again. Pending requests fail with the reason.
    pub fn end(&self) {
        self.groups.end();
    }

    /// Asks an agent of the envelope protocol, for at most as long as the terms say and its manifest allows.
    ///
    /// # Errors
    /// `PROTO-…` for an input or an answer that is not of the protocol, `PROGRAM-…` where there is no answer or it may not be asked.
    pub fn envelope(
        &self,
        agent: &ProgramAgent,
        input: &Value,
        terms: impl Into<AskTerms>,
    ) -> Result<HostAnswer<EnvelopeOutput>, RefusalReason> {
        let input = ProtocolMessage::<EnvelopeInput>::try_from_value(input.clone())?;
        rules::input(agent, &self.project, &input)?;
        self.envelope_freely(agent, input.value(), terms.into())
            .map_err(|refused| self.refused(agent, refused.why, &refused.said))
    }

    /// The same, whatever it is asked; nothing is kept.
    pub(super) fn envelope_freely(
        &self,
        agent: &ProgramAgent,
        input: &Value,
        terms: impl Into<AskTerms>,
    ) -> Result<HostAnswer<EnvelopeOutput>, ProgramRefusal> {
        let (bytes, took) = self.one(agent, input, terms.into())?;
        passed(bytes, took, 1, |_| Ok(()))
    }

    /// Asks an agent of the base protocol, for at most as long as the terms say and its manifest allows. `seen` is called with each message that
    /// is not the last. Past its time the last of those counts, as partial.
    ///
    /// # Errors
    /// As [`ProgramHost::envelope`]; `PROTO-005` for a status that is not its turn, `PROTO-006` for another output than was asked for.
    pub fn base(
        &self,
        agent: &ProgramAgent,
        request: &Value,
        terms: impl Into<AskTerms>,
        seen: &mut dyn FnMut(&ProtocolMessage<BaseResponse>),
    ) -> Result<HostAnswer<BaseResponse>, RefusalReason> {
        let request = ProtocolMessage::<BaseRequest>::try_from_value(request.clone())?;
        rules::request(agent, &request)?;
        let format = request.view().request.task.constraints.output_format;
        self.base_freely(agent, request.value(), terms.into(), format, seen)
            .map_err(|refused| self.refused(agent, refused.why, &refused.said))
    }

    /// The same, whatever it is asked; nothing is kept.
    pub(super) fn base_freely(
        &self,
        agent: &ProgramAgent,
        request: &Value,
        terms: impl Into<AskTerms>,
        format: Option<OutputFormat>,
        seen: &mut dyn FnMut(&ProtocolMessage<BaseResponse>),
    ) -> Result<HostAnswer<BaseResponse>, ProgramRefusal> {
        let terms = terms.into();
        match agent.manifest.mode {
            Mode::Once => {
                let (bytes, took) = self.one(agent, request, terms)?;
                passed(bytes, took, 1, |response| is_last(response, format))
            }
            Mode::Lines => self.several(agent, request, terms, format, seen),
        }
    }

    /// Asks for one message and waits for it.
    fn one(
        &self,
        agent: &ProgramAgent,
        document: &Value,
        terms: AskTerms,
    ) -> Result<(Vec<u8>, Duration), ProgramRefusal> {
        let terms = limit_terms(agent, terms);
        match agent.manifest.mode {
            Mode::Once => {
                let n = self.next.fetch_add(1, Ordering::Relaxed);
                let scratch = self.scratch.join(format!("{}-{n}", agent.manifest.name));
                let scratch = ScratchFolder::new(scratch).map_err(|error| refusal::not_started(&error))?;
                let place = LaunchContext {
                    program: &self.program,
                    project: &self.project,
                    scratch: scratch.path(),
                    groups: &self.groups,
                    record: &self.record,
                };
                let answer = oneshot::ask(agent, &place, document.to_string().as_bytes(), terms.limit)?;
                Ok((answer.bytes, answer.took))
            }
            Mode::Lines => {
                let mut asking = self.long(agent).ask(document, terms)?;
                let bytes = asking.next()?;
                let took = asking.took();
                asking.finish();
                Ok((bytes, took))
            }
        }
    }

    /// Asks a program that goes on for as many messages as it sends.
    fn several(
        &self,
        agent: &ProgramAgent,
        document: &Value,
        terms: AskTerms,
        format: Option<OutputFormat>,
        seen: &mut dyn FnMut(&ProtocolMessage<BaseResponse>),
    ) -> Result<HostAnswer<BaseResponse>, ProgramRefusal> {
        let mut asking = self.long(agent).ask(document, limit_terms(agent, terms))?;
        let mut before: Option<ProtocolMessage<BaseResponse>> = None;
        for messages in 1.. {
            let bytes = match asking.next() {
                Ok(bytes) => bytes,
                Err(why) if refusal::is_late(&why) => {
                    let partial = before.as_ref().and_then(as_partial);
                    let partial = partial.filter(|message| message.view().serves(format).is_ok());
                    let message = partial.ok_or(why)?;
                    let measured = measured(asking.took(), messages - 1);
                    return Ok(HostAnswer { message, measured });
                }
                Err(why) => return Err(why.into()),
            };
            let status = |message: &ProtocolMessage<BaseResponse>| message.view().status;
            let last = before.as_ref().map(status);
            let in_turn = |response: &BaseResponse| match last {
                Some(last) if !response.status.may_follow(last) => Err(out_of_turn(last)),
                Some(_) | None if response.status.is_final() => is_last(response, format),
                Some(_) | None => Ok(()),
            };
            let answered = passed(bytes, asking.took(), messages, in_turn)?;
            if status(&answered.message).is_final() {
                asking.finish();
                return Ok(answered);
            }
            seen(&answered.message);
            before = Some(answered.message);
        }
        Err(refusal::ended("it sends messages without end").into())
    }

    /// The program of an agent that goes on; it is started when it is first asked.
    pub(super) fn long(&self, agent: &ProgramAgent) -> Arc<PersistentProgram> {
        let key = (agent.folder.clone(), agent.manifest.name.clone());
        let mut long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
        let launch = || ProgramLaunch {
            agent: agent.clone(),
            program: self.program.clone(),
            project: self.project.clone(),
            scratch: self.scratch.join(&agent.manifest.name),
            quarantine: self.quarantine.clone(),
            groups: self.groups.clone(),
            record: Arc::clone(&self.record),
        };
        Arc::clone(
            long.entry(key)
                .or_insert_with(|| Arc::new(PersistentProgram::new(launch()))),
        )
    }

    /// Keeps what an agent said and was refused, and gives the reason back. Also for whoever refuses an answer that passed here: its
    /// artifacts, say.
    pub fn refused(&self, agent: &ProgramAgent, why: RefusalReason, said: &[u8]) -> RefusalReason {
        keep(self.quarantine.as_ref(), &agent.manifest, &why, said);
        why
    }
}

/// Keeps what a program said and was refused.
pub(super) fn keep(
    quarantine: Option<&MessageQuarantine>,
    manifest: &ProgramManifest,
    why: &RefusalReason,
    said: &[u8],
) {
    tracing::info!(
        agent = manifest.name,
        code = why.code,
        bytes = said.len(),
        "a program is refused"
    );
    let Some(quarantine) = quarantine.filter(|_| !said.is_empty()) else {
        return;
    };
    let who = (manifest.name.as_str(), manifest.protocol);
    if let Err(error) = quarantine.keep(Clock::real(None).wall(), who, why.clone(), said) {
        // It is refused all the same.
        tracing::warn!(code = error.code(), %error, "a refused message is lost");
    }
}

/// The shorter of both limits.
fn limit_terms(agent: &ProgramAgent, terms: AskTerms) -> AskTerms {
    let own = Duration::from_secs(u64::from(agent.manifest.limits.wall_s));
    AskTerms {
        limit: terms.limit.min(own),
        ..terms
    }
}

fn measured(took: Duration, messages: u64) -> StepMetrics {
    StepMetrics {
        processing_time_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        messages,
    }
}

/// The same, as far as it is.
fn as_partial(message: &ProtocolMessage<BaseResponse>) -> Option<ProtocolMessage<BaseResponse>> {
    let mut value = message.value().clone();
    *value.get_mut("status")? = Status::Partial.as_str().into();
    ProtocolMessage::try_from_value(value).ok()
}

/// Whether a response may be the last one.
fn is_last(response: &BaseResponse, format: Option<OutputFormat>) -> Result<(), RefusalReason> {
    if response.status.is_final() {
        return Ok(response.serves(format)?);
    }
    Err(refusal::at(
        "PROTO-005",
        "/status",
        "this is the last message, and says that it is not over; say completed, failed or partial",
    ))
}

fn out_of_turn(before: Status) -> RefusalReason {
    refusal::at(
        "PROTO-005",
        "/status",
        format!("it does not follow {}; statuses only go on", before.as_str()),
    )
}

/// An answer that was read and passes.
fn passed<T: MessageView>(
    bytes: Vec<u8>,
    took: Duration,
    messages: u64,
    rule: impl FnOnce(&T) -> Result<(), RefusalReason>,
) -> Result<HostAnswer<T>, ProgramRefusal> {
    let read = protocol::parse_message::<T>(&bytes).map_err(RefusalReason::from);
    let checked = read.and_then(|message| rule(message.view()).map(|()| message));
    match checked {
        Ok(message) => Ok(HostAnswer {
            message,
            measured: measured(took, messages),
        }),
        Err(why) => Err(ProgramRefusal { why, said: bytes }),
    }
}
