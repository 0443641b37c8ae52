//! What the owner has a tool do, beside the cards.
//!
//! What: [`ServiceBackend::owner_call`] and the call that it asks for. Why: page, command and socket mute a chat, end a mute, the pause or a rule, take an act back, and correct what was learned, in one way. Not
//! here: what a call goes through (`orchestrator_machine::calls`), what page and command say of it.

use super::ServiceBackend;
use crate::{actors::orchestrator::RequestCall, owner_rules};
use aura_platform::mailbox::send;
use chrono::NaiveTime;
use orchestrator_machine::{
    EventKind, MachineEnv, MachineState,
    calls::{CallAnswer, CallRefusal, CallRequest},
    supervision::SupervisedRole,
};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;
use surfaces_base::backend::{BackendError, LET_GO_SECONDS, OwnerCall, OwnerCallError};
use tokio::sync::oneshot;
use toolcall_schema::{
    ActionKind, AgentName, AskReport, Outcome, Timestamp, Tone, ToolName,
    catalogue::{
        allowed_spending::AllowSpending,
        calendar::{AutoDecline, DiscardDecline, HoldTime},
        comms::{
            DRAFT_CHARS_MAX, DraftReply, MuteChannel, SnoozeArgs, TakeBack, TakenBackAct, UnmuteChannel,
        },
        correspondent::{LetThrough, SamePerson},
        learning::{CorrectLearned, LearnFromAct, ResetLearned, TeachingAct},
        money_questions::JudgeSender,
        orchestrator::{EndPause, RemoveRule, UndoLater},
        shared::ThingId,
        shop_category::SortShop,
    },
    ids::{ItemId, RequestId, TraceId},
    rule::RuleError,
    tick::Subject,
    trace::Asker,
};

/// A message is put off until the morning for no longer: beyond it is let go.
const MORNING_SECONDS_MAX: u32 = LET_GO_SECONDS - 1;
/// How long somebody waits for a call: it has 5 s, and its trace one more.
const CALL_WAIT: Duration = Duration::from_secs(8);
/// How long a page waits for what Finance tells memory.
const TOLD_WAIT: Duration = Duration::from_secs(1);

impl ServiceBackend {
    /// Has a tool called on somebody's word; answered when its trace is on disk.
    ///
    /// # Errors
    /// Busy or stopping.
    pub(crate) async fn request_call(&self, call: CallRequest) -> Result<CallAnswer, BackendError> {
        let (reply, wait) = oneshot::channel();
        let asked = RequestCall {
            call,
            reply,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        send(&self.orchestrator, "orchestrator", asked).map_err(|_| BackendError::Busy)?;
        let answer = tokio::time::timeout(CALL_WAIT, wait).await;
        answer
            .map_err(|_| BackendError::Busy)?
            .map_err(|_| BackendError::Busy)
    }

    /// Ends a mute, the pause or a rule, takes an act back, or corrects what was learned, as its owner asks.
    ///
    /// # Errors
    /// Busy or stopping.
    pub(crate) async fn owner_call(
        &self,
        asker: Asker,
        what: OwnerCall,
        key: Option<String>,
    ) -> Result<Result<TraceId, OwnerCallError>, BackendError> {
        let look = self.look().await?;
        let sorts = matches!(what, OwnerCall::SortShop(..));
        let drafts = matches!(
            what,
            OwnerCall::DraftReply(_)
                | OwnerCall::DiscardReply(_)
                | OwnerCall::Decline(..)
                | OwnerCall::DiscardDecline(_)
        );
        let refused = if let OwnerCall::MarkNotForOwner(item) = &what {
            Some(item.clone())
        } else {
            None
        };
        let key = key.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let id = look.env.seed.key("call request v1").request(asker.as_str(), &key);
        // Who repeats a request gets its outcome, also when the mute is over by now.
        if let Some(problem) = not_there(&what, &look.state)
            && !look.state.calls.has_request(&id)
        {
            return Ok(Err(problem));
        }
        // What its owner wrote into a draft is not overwritten.
        if let OwnerCall::DraftReply(item) = &what
            && !look.state.calls.has_request(&id)
            && self
                .outbox_drafts()
                .await
                .there
                .contains(&ThingId::Item(item.clone()))
        {
            return Ok(Err(OwnerCallError::NotAskable));
        }
        let removed = if let OwnerCall::RemoveRule(name) = &what {
            look.state.rules.iter().find(|rule| rule.name == *name).cloned()
        } else {
            None
        };
        // Its seconds count down, so the same request has other arguments a moment later.
        if matches!(what, OwnerCall::PutOffToMorning(_)) {
            let mut ended = look.state.calls.ended.iter();
            if let Some(ended) = ended.find(|ended| ended.id == id && ended.tool == ToolName::Snooze) {
                return Ok(if ended.end.outcome == Outcome::Failed {
                    Err(OwnerCallError::Failed)
                } else {
                    Ok(ended.end.trace_id.clone())
                });
            }
        }
        let morning = until_morning(look.state.wall(look.at), &look.env);
        let (tool, args) = call_of(what, morning);
        let call = CallRequest {
            id,
            asker,
            origin: None,
            tool,
            args,
            wait_min: None,
        };
        let done = match self.request_call(call).await? {
            CallAnswer::Ended(end) if end.outcome == Outcome::Failed && end.error.is_none() => {
                Err(OwnerCallError::NoAnswer)
            }
            CallAnswer::Ended(end) if end.outcome == Outcome::Failed => Err(OwnerCallError::Failed),
            CallAnswer::Ended(end) => Ok(end.trace_id),
            CallAnswer::Refused(why) => Err(match why {
                CallRefusal::Arguments | CallRefusal::NotOnRequest | CallRefusal::NoSuchAsk => {
                    OwnerCallError::NotAskable
                }
                CallRefusal::OtherRequest => OwnerCallError::OtherRequest,
                CallRefusal::TooMany => OwnerCallError::TooMany,
                CallRefusal::NotKept => OwnerCallError::Failed,
            }),
            // The owner's own act waits for nobody.
            CallAnswer::Waiting(_) => Err(OwnerCallError::NotAskable),
        };
        if let (Some(item), Ok(trace)) = (refused, &done) {
            self.teach_refusal(&item, trace.clone(), &look.env).await;
        }
        if let (Some(rule), Ok(_)) = (removed, &done) {
            self.removed_rules.note(rule);
        }
        if sorts && done.is_ok() {
            self.have_payments_told().await?;
        }
        if drafts && done.is_ok() {
            self.until_outbox_changed().await?;
        }
        Ok(done)
    }

    /// A draft is written or taken away once its trace is on disk: whoever looks next, as the page that asked, is to see it.
    async fn until_outbox_changed(&self) -> Result<(), BackendError> {
        // The machine has handed the change to the store when it answers this.
        self.look().await?;
        self.reads.flush().await.map_err(|_| BackendError::Store)
    }

    /// Has Finance tell memory which payments count elsewhere now, so that the page that asked shows it.
    async fn have_payments_told(&self) -> Result<(), BackendError> {
        let look = || EventKind::SourcesChanged {
            agent: AgentName::Finance,
        };
        let before = self.finance_answers().await?;
        let mut turns = self.turns.clone();
        self.inject_event(look())?;
        let told = async {
            loop {
                turns.mark_unchanged();
                if self.finance_answers().await? > before || turns.changed().await.is_err() {
                    return Ok::<(), BackendError>(());
                }
            }
        };
        if let Ok(told) = tokio::time::timeout(TOLD_WAIT, told).await {
            told?;
        }
        // What was answered is on disk when this is.
        self.tell_machine(look()).await
    }

    /// How often Finance has said what it read.
    async fn finance_answers(&self) -> Result<u64, BackendError> {
        let look = self.look().await?;
        let read = look.health.reading.get(&AgentName::Finance);
        Ok(read.map_or(0, |read| read.answers))
    }

    /// Has Comms learn that a message was not for the owner, by the trace of the act that said so; undoing that act unlearns it.
    async fn teach_refusal(&self, item: &ItemId, trace_id: TraceId, env: &MachineEnv) {
        let asker = Asker::OwnerCard;
        let what = format!("not for the owner {trace_id}");
        let lesson = LearnFromAct {
            kind: ActionKind::DraftReply,
            subject: Subject::from(item),
            act: TeachingAct::Dismissed,
            trace_id,
        };
        let call = CallRequest {
            id: env.seed.key("call request v1").request(asker.as_str(), &what),
            asker,
            origin: None,
            tool: ToolName::LearnFromAct,
            // Ids and names: serializing cannot fail.
            args: serde_json::to_value(lesson).unwrap_or_default(),
            wait_min: None,
        };
        // The message is off the list all the same.
        let answer = self.request_call(call).await;
        if !matches!(answer, Ok(CallAnswer::Ended(end)) if end.outcome != Outcome::Failed) {
            tracing::warn!("that a message was not for its owner was not learned");
        }
    }

    /// Has something asked that the owner has to confirm, for a program; answered when the request is on disk, or is over already.
    ///
    /// # Errors
    /// Busy or stopping.
    pub(crate) async fn ask_for_program(
        &self,
        tool: ToolName,
        args: Value,
        key: &str,
        wait_min: Option<u16>,
    ) -> Result<Result<(RequestId, AskReport), CallRefusal>, BackendError> {
        let seed = self.look().await?.env.seed.clone();
        let asker = Asker::Program;
        let id = seed.key("call request v1").request(asker.as_str(), key);
        let call = CallRequest {
            id: id.clone(),
            asker,
            origin: None,
            tool,
            args,
            wait_min,
        };
        match self.request_ask(call).await? {
            CallAnswer::Waiting(report) => Ok(Ok((id, report))),
            CallAnswer::Refused(why) => Ok(Err(why)),
            // A program's call is made by a tick alone.
            CallAnswer::Ended(_) => Err(BackendError::Busy),
        }
    }
}

/// Seconds until it is six in the morning for the owner: between a minute and a day, as the tool takes them, and never a whole day.
fn until_morning(now: Timestamp, env: &MachineEnv) -> u32 {
    let six = NaiveTime::from_hms_opt(6, 0, 0).unwrap_or(NaiveTime::MIN);
    // Rounded up: a second short would be a minute before six.
    let left = (env.next_local(now, six).since(now) + 999) / 1000;
    u32::try_from(left.clamp(60, i64::from(MORNING_SECONDS_MAX))).unwrap_or(60)
}

/// The tool that does it, with its arguments. `morning`: seconds until then.
fn call_of(what: OwnerCall, morning: u32) -> (ToolName, Value) {
    // Ids and names: serializing cannot fail.
    fn arguments(args: impl Serialize) -> Value {
        serde_json::to_value(args).unwrap_or_default()
    }
    match what {
        OwnerCall::Mute(channel_hash, ttl_seconds) => (
            ToolName::MuteChannel,
            arguments(MuteChannel {
                channel_hash,
                ttl_seconds,
            }),
        ),
        OwnerCall::Unmute(channel_hash) => {
            (ToolName::UnmuteChannel, arguments(UnmuteChannel { channel_hash }))
        }
        OwnerCall::EndPause => (ToolName::EndPause, arguments(EndPause {})),
        OwnerCall::RemoveRule(name) => (ToolName::RemoveRule, arguments(RemoveRule { name })),
        OwnerCall::UndoLater(trace_id) => (ToolName::UndoLater, arguments(UndoLater { trace_id })),
        OwnerCall::Correct(about, class) => (
            ToolName::CorrectLearned,
            arguments(CorrectLearned { about, class }),
        ),
        OwnerCall::Unlearn(about) => (ToolName::ResetLearned, arguments(ResetLearned { about })),
        OwnerCall::LetThrough(about, always) => {
            (ToolName::LetThrough, arguments(LetThrough { about, always }))
        }
        OwnerCall::SamePerson(person, other, same) => (
            ToolName::SamePerson,
            arguments(SamePerson { person, other, same }),
        ),
        OwnerCall::AllowSpending(category, day, allowed) => (
            ToolName::AllowSpending,
            arguments(AllowSpending {
                category,
                day,
                allowed,
            }),
        ),
        OwnerCall::SortShop(merchant_hash, category) => (
            ToolName::SortShop,
            arguments(SortShop {
                merchant_hash,
                category,
            }),
        ),
        OwnerCall::JudgeSender(channel_hash, standing) => (
            ToolName::JudgeSender,
            arguments(JudgeSender {
                channel_hash,
                standing,
            }),
        ),
        OwnerCall::AnswerQuestion(answer) => (ToolName::AnswerQuestion, arguments(answer)),
        OwnerCall::UndoPutOff(item_id) => (
            ToolName::TakeBack,
            arguments(TakeBack {
                item_id,
                what: TakenBackAct::PutOff,
            }),
        ),
        OwnerCall::DraftReply(item_id) => (
            ToolName::DraftReply,
            arguments(DraftReply {
                item_id,
                tone: Tone::Casual,
                length_max: DRAFT_CHARS_MAX,
            }),
        ),
        OwnerCall::DiscardReply(item_id) => (
            ToolName::TakeBack,
            arguments(TakeBack {
                item_id,
                what: TakenBackAct::Draft,
            }),
        ),
        OwnerCall::RestoreReply(item_id) => (
            ToolName::TakeBack,
            arguments(TakeBack {
                item_id,
                what: TakenBackAct::Discard,
            }),
        ),
        OwnerCall::Decline(event_id, reason_template) => (
            ToolName::AutoDecline,
            arguments(AutoDecline {
                event_id,
                reason_template,
            }),
        ),
        OwnerCall::DiscardDecline(event_id) => {
            (ToolName::DiscardDecline, arguments(DiscardDecline { event_id }))
        }
        OwnerCall::HoldTime(start, duration_min, held) => (
            ToolName::HoldTime,
            arguments(HoldTime {
                start,
                duration_min,
                held,
            }),
        ),
        OwnerCall::MarkAnswered(item_id) | OwnerCall::MarkNotForOwner(item_id) => (
            ToolName::Snooze,
            arguments(SnoozeArgs {
                item_id,
                ttl_seconds: LET_GO_SECONDS,
            }),
        ),
        OwnerCall::PutOffToMorning(item_id) => (
            ToolName::Snooze,
            arguments(SnoozeArgs {
                item_id,
                ttl_seconds: morning,
            }),
        ),
    }
}

/// Why there is nothing to end.
fn not_there(what: &OwnerCall, state: &MachineState) -> Option<OwnerCallError> {
    match what {
        OwnerCall::Unmute(channel) => {
            (!state.mutes_wall.contains_key(channel)).then_some(OwnerCallError::NotMuted)
        }
        OwnerCall::EndPause => state
            .paused_until_wall
            .is_none()
            .then_some(OwnerCallError::NotPaused),
        OwnerCall::RemoveRule(name) => {
            (!owner_rules::has_rule(name, &state.rules)).then_some(OwnerCallError::NoRule(RuleError::Unknown))
        }
        OwnerCall::UndoLater(trace_id) => {
            let mut later = state.later.iter();
            (!later.any(|card| card.is_waiting_of(trace_id))).then_some(OwnerCallError::UndoTooLate)
        }
        // What was learned, read and asked is the agent's to know.
        OwnerCall::Mute(..)
        | OwnerCall::Correct(..)
        | OwnerCall::Unlearn(_)
        | OwnerCall::LetThrough(..)
        | OwnerCall::SamePerson(..)
        | OwnerCall::AllowSpending(..)
        | OwnerCall::SortShop(..)
        | OwnerCall::JudgeSender(..)
        | OwnerCall::AnswerQuestion(_)
        | OwnerCall::UndoPutOff(_)
        | OwnerCall::DraftReply(_)
        | OwnerCall::DiscardReply(_)
        | OwnerCall::RestoreReply(_)
        | OwnerCall::Decline(..)
        | OwnerCall::DiscardDecline(_)
        | OwnerCall::HoldTime(..)
        | OwnerCall::PutOffToMorning(_)
        | OwnerCall::MarkAnswered(_)
        | OwnerCall::MarkNotForOwner(_) => None,
    }
}
