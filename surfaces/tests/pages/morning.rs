//! A double of the rest of Aura, and made-up scenes.
//!
//! What: values of the contract's types, and a [`Backend`] that only holds them and notes how it was called. Why: pages and
//! rendering are tested and looked at without an orchestrator. Not here: any decision; no person or company is real.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

#[path = "decided_morning.rs"]
mod decided_morning;
#[path = "double_ops.rs"]
mod double_ops;
#[path = "double_ticks.rs"]
pub(crate) mod double_ticks;

use chrono::NaiveDate;
pub(crate) use decided_morning::{brief_card, brief_trace, held_trace, mute_card, silent_trace, spend_card};
use serde_json::json;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, atomic},
};
use surfaces::WebConfig;
use surfaces_base::{
    DeviceRegistry,
    backend::runs::{NoOpenQuestion, QuestionReply, RunStanding, RunView, StepView},
    backend::{
        AnswerReply, AnswerSubmission, Backend, BackendError, BackendFuture, DecidedAgain, DisplayNames,
        EventTimes, HealthApp, HealthFlag, HealthPostReply, KeptBody, KeptBodyDay, KeptMoney, KeptPayment,
        KeptVersion, NowView, OwnerCall, OwnerCallError, RejectedSignal, SignalReply, UiEvent, UiEventKind,
        UntracedActs, WeekView, deliveries::DeliveryView, money_terms::MoneyTerms, settings::HomeFileView,
    },
    locale::{ClockStyle, LocaleSetting},
};
use tokio::sync::{broadcast, watch};
use toolcall_schema::{
    Code, Outcome, ReasonCode, SubmitAct, Surface, Timestamp,
    catalogue::{allowed_spending::AllowedSpending, correspondent::SamePeopleRow, shared::ThingId},
    ids::{CardId, EventId, TraceId},
    protocol::OwnerQuestion,
    rule::{OwnerInstruction, RuleError},
    signal::AdmittedSignal,
    trace::{Card, LedgerView, NextPossible, Trace},
    whatif::ImaginedMoment,
};

/// The secret of the one paired device, which is the owner's.
pub(crate) const TOKEN: &str = "a-token-for-tests-only-0123456789abcdef";
pub(crate) const NAME: &str = "aura-000000.localhost";
pub(crate) const CARD: &str = "c_morning00001";
pub(crate) const CAPABILITY: &str = "5f0c000000000000000000000000000000000000000000000000000000000001";
/// A trace whose reading panics: a bug behind the handler.
pub(crate) const PANICKING: &str = "tr_panicpanic00";

pub(crate) fn config() -> WebConfig {
    WebConfig {
        devices: Arc::new(DeviceRegistry::fixed(TOKEN)),
        names: surfaces::web::PageNames {
            own: NAME.to_owned(),
            added: vec!["aura.example".to_owned()],
            is_one_of_several: false,
        },
        nonce: [7; 16],
        locale: Arc::new(LocaleSetting::new((None, ClockStyle::default()), None)),
        outside: None,
        mcp: None,
    }
}

pub(crate) fn ts(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

pub(crate) fn ledger(free: u8, reserved: u8, settled: u8) -> LedgerView {
    serde_json::from_value(json!({
        "day": "2026-11-03", "ceiling": 3, "free": free, "reserved": reserved, "settled": settled, "refunded": 0
    }))
    .unwrap()
}

fn newest_first(traces: &[Trace]) -> Arc<[Trace]> {
    let mut traces = traces.to_vec();
    traces.sort_by_key(|trace| Reverse(trace.decision.ts));
    traces.into()
}

pub(crate) fn labels() -> DisplayNames {
    [
        ("ev_00000000000000a1", "Standup at the lake office"),
        ("ch_00000000000000c3", "Garden committee"),
        ("it_00000000000000b2", "the lab's mail"),
    ]
    .into_iter()
    .map(|(id, name)| (id.to_owned(), name.to_owned()))
    .collect()
}

pub(crate) fn now_view(card: Option<Card>, at: &str) -> NowView {
    NowView {
        at: ts(at),
        zone: "Asia/Kolkata".to_owned(),
        card,
        asked_by: Vec::new(),
        is_refunded: false,
        ceiling_from_midnight: None,
        ledger: ledger(2, 1, 0),
        dnd: false,
        paused_until: None,
        rules: Vec::new(),
        untraced: UntracedActs::default(),
        last_silent: Some(ReasonCode::CapWindow),
        next_possible: Some(NextPossible {
            at: ts("2026-11-03T02:45:00Z"),
            when: ReasonCode::CapWindow,
        }),
        looks_again: ts("2026-11-03T02:30:00Z"),
        listens_at: None,
        collector: None,
        health: Vec::new(),
    }
}

pub(crate) const RUN: &str = "0b8f6f0e-5f4e-4a55-9d6e-3c8f1a2b3c4d";

/// A run that asks its owner, with everything hostile that a program could say.
pub(crate) fn asking_run() -> RunView {
    RunView {
        id: RUN.to_owned(),
        workflow: "specify".to_owned(),
        feature: "005-user-auth".to_owned(),
        started: ts("2026-11-03T02:00:00Z"),
        changed: ts("2026-11-03T02:01:00Z"),
        standing: RunStanding::Waiting,
        question: Some(OwnerQuestion {
            step: "clarify".to_owned(),
            summary: "How long? <script>alert(1)</script>\u{1b}[2J".to_owned(),
            notes: vec!["a <b>note</b>".to_owned()],
            until: ts("2026-11-10T02:01:00Z"),
            announced: false,
            dismissed: false,
        }),
        steps: vec![
            StepView {
                name: "validate".to_owned(),
                agent: "spec-validator".to_owned(),
                iteration: 2,
                outcome: Some("refused".to_owned()),
                summary: None,
                refusal: Some(("PROTO-002".to_owned(), "it has no summary".to_owned())),
            },
            StepView {
                name: "clarify".to_owned(),
                agent: "clarifier".to_owned(),
                iteration: 1,
                outcome: Some("escalate".to_owned()),
                summary: Some("How long?".to_owned()),
                refusal: None,
            },
        ],
        written: vec!["spec.md".to_owned()],
    }
}

/// Holds a view and traces, and notes each call in `log`.
pub(crate) struct Double {
    pub(crate) runs: Mutex<Vec<RunView>>,
    pub(crate) view: Mutex<NowView>,
    pub(crate) labels: Mutex<DisplayNames>,
    pub(crate) money_terms: Mutex<MoneyTerms>,
    pub(crate) day_tags: Mutex<BTreeMap<NaiveDate, String>>,
    /// When Calendar read last, and found nothing.
    pub(crate) calendar_read_at: Mutex<Option<Timestamp>>,
    /// All that are kept.
    pub(crate) payments: Mutex<Vec<KeptPayment>>,
    /// The ids for which names were asked.
    pub(crate) named: Mutex<Vec<BTreeSet<ThingId>>>,
    pub(crate) traces: Vec<Trace>,
    pub(crate) log: watch::Sender<Vec<String>>,
    /// The owner's file as forms show it; absent: pages do not change it.
    pub(crate) home: Mutex<Option<HomeFileView>>,
    pub(crate) shown_home: Mutex<Option<HomeFileView>>,
    /// Whether nothing is left to be read.
    pub(crate) is_read: atomic::AtomicBool,
    /// What is left of further sources.
    pub(crate) other_rests: Mutex<BTreeMap<String, surfaces_base::backend::settings::SourceRestView>>,
    /// Who is told in browsers.
    pub(crate) web_push: Mutex<surfaces_base::backend::web_push::WebPushView>,
    /// Drafts of replies.
    pub(crate) drafts: Mutex<Vec<surfaces_base::backend::drafts::ReplyDraft>>,
    /// The draft of a decline.
    pub(crate) decline: Mutex<Option<surfaces_base::backend::drafts::DeclineDraft>>,
    /// Whom the owner put together, and which spending they call usual.
    pub(crate) same: Mutex<Vec<SamePeopleRow>>,
    pub(crate) usual: Mutex<Vec<AllowedSpending>>,
    pub(crate) deliveries: Mutex<Vec<DeliveryView>>,
    /// What is being forgotten.
    pub(crate) forgetting: Mutex<Option<surfaces_base::backend::forgetting::Forgetting>>,
    /// How often an agent that is to take an act back hangs.
    pub(crate) hangs: atomic::AtomicUsize,
    /// How often the state was asked for.
    pub(crate) looks: atomic::AtomicUsize,
    pub(crate) live: broadcast::Sender<UiEvent>,
}

impl Double {
    pub(crate) fn of_scene(scene: &str) -> Self {
        let view = match scene {
            "mute" => now_view(Some(mute_card(false)), "2026-11-03T17:01:49Z"),
            "acts" | "dismissed" => now_view(None, "2026-11-03T17:11:50Z"),
            "meeting" => now_view(Some(crate::people_double::meeting_card()), "2026-11-03T03:20:01Z"),
            "spend" => now_view(Some(spend_card()), "2026-11-03T14:30:01Z"),
            "quiet" | "asks" | "silent" => now_view(None, "2026-11-03T02:31:00Z"),
            _ => now_view(Some(brief_card()), "2026-11-03T02:15:01Z"),
        };
        Self {
            runs: Mutex::new(if scene == "asks" {
                vec![asking_run()]
            } else {
                vec![]
            }),
            view: Mutex::new(view),
            labels: Mutex::new(labels()),
            money_terms: Mutex::default(),
            day_tags: Mutex::default(),
            calendar_read_at: Mutex::default(),
            payments: Mutex::new(crate::owner_double::payments()),
            named: Mutex::default(),
            same: Mutex::default(),
            usual: Mutex::default(),
            deliveries: Mutex::default(),
            home: Mutex::default(),
            shown_home: Mutex::default(),
            is_read: atomic::AtomicBool::default(),
            other_rests: Mutex::default(),
            drafts: Mutex::new(if scene == "acts" {
                vec![crate::drafts_double::draft(crate::drafts_double::TEXT)]
            } else {
                vec![]
            }),
            decline: Mutex::default(),
            forgetting: Mutex::default(),
            web_push: Mutex::new(crate::web_push_double::off()),
            traces: if scene == "acts" {
                [
                    crate::acts_double::act_traces(),
                    vec![silent_trace(), brief_trace()],
                ]
                .concat()
            } else if scene == "dismissed" {
                crate::acts_double::dismissed_traces()
            } else if scene == "held" {
                vec![held_trace()]
            } else if scene == "silent" {
                vec![silent_trace(); 365]
            } else {
                vec![silent_trace(), brief_trace()]
            },
            log: watch::Sender::new(Vec::new()),
            hangs: atomic::AtomicUsize::new(0),
            looks: atomic::AtomicUsize::new(0),
            live: broadcast::Sender::new(16),
        }
    }

    pub(crate) fn say(&self, id: u64, what: UiEventKind) {
        // No receiver is no error: nobody looks.
        let _ = self.live.send(UiEvent { id, what });
    }

    pub(crate) fn note(&self, line: String) {
        self.log.send_modify(|log| log.push(line));
    }

    pub(crate) fn ready<T: Send + 'static>(value: T) -> BackendFuture<Result<T, BackendError>> {
        Box::pin(std::future::ready(Ok(value)))
    }
}

impl Backend for Double {
    fn now(&self) -> BackendFuture<Result<NowView, BackendError>> {
        self.looks.fetch_add(1, atomic::Ordering::SeqCst);
        Self::ready(self.view.lock().unwrap().clone())
    }

    fn health(&self) -> BackendFuture<Result<Vec<HealthFlag>, BackendError>> {
        Self::ready(self.view.lock().unwrap().health.clone())
    }

    fn traces(&self, limit: usize) -> BackendFuture<Result<Vec<Trace>, BackendError>> {
        Self::ready(self.traces.iter().take(limit).cloned().collect())
    }

    fn decided_before(&self, before: Timestamp) -> BackendFuture<Result<bool, BackendError>> {
        Self::ready(self.traces.iter().any(|trace| trace.decision.ts < before))
    }

    fn week(&self) -> BackendFuture<Result<WeekView, BackendError>> {
        let now = self.view.lock().unwrap();
        Self::ready(WeekView {
            at: now.at,
            zone: now.zone.clone(),
            traces: newest_first(&self.traces),
            events: vec![EventTimes {
                id: EventId::parse(crate::people_double::MEETING).unwrap(),
                start: ts("2026-11-03T03:30:00Z"),
                end: ts("2026-11-03T04:30:00Z"),
                focus: false,
                leave_by: Some(ts("2026-11-03T02:53:00Z")),
            }],
            money: KeptMoney::default(),
            body: KeptBody::default(),
        })
    }

    fn payments_version(&self) -> BackendFuture<Result<KeptVersion, BackendError>> {
        // As many payments, as it were the same ones.
        let kept = self.payments.lock().unwrap().len();
        Self::ready(KeptVersion {
            opening: 1,
            number: u64::try_from(kept).unwrap(),
        })
    }

    /// A night of 400 minutes and more before each of the days up to the 2nd of November, RMSSD on every second one.
    fn body_since(&self, since: Timestamp) -> BackendFuture<Result<KeptBody, BackendError>> {
        let day = |n: i64| KeptBodyDay {
            at: ts("2026-11-02T02:00:00Z").plus_min(-n * 24 * 60),
            rmssd_ms: (n % 2 == 0).then_some(40.0 + n as f64),
            resting_bpm: None,
            sleep_min: Some(400.0 + n as f64),
        };
        let days: Vec<KeptBodyDay> = (0..20).rev().map(day).filter(|day| day.at >= since).collect();
        Self::ready(KeptBody {
            all: 20,
            newest: days.last().map(|day| day.at),
            // Of each day 30 and 50, so 40 in the middle.
            tags: self.day_tags.lock().unwrap().clone(),
            loads: days.iter().flat_map(|day| [(day.at, 30), (day.at, 50)]).collect(),
            days,
        })
    }

    fn payments(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> BackendFuture<Result<Vec<KeptPayment>, BackendError>> {
        let mut kept = self.payments.lock().unwrap().clone();
        kept.retain(|payment| payment.at >= from && payment.at < to);
        Self::ready(kept)
    }

    fn trace(&self, id: TraceId) -> BackendFuture<Result<Option<Trace>, BackendError>> {
        assert_ne!(id.as_str(), PANICKING, "a bug, on purpose");
        Self::ready(self.traces.iter().find(|trace| trace.trace_id == id).cloned())
    }

    /// Says what it was asked; a later moment is silent, and one of four hours later is not kept.
    fn decide_again(
        &self,
        id: TraceId,
        at: Timestamp,
        otherwise: ImaginedMoment,
    ) -> BackendFuture<Result<DecidedAgain, BackendError>> {
        self.note(format!("again {id} {} {otherwise:?}", at.utc().to_rfc3339()));
        let found = self.traces.iter().find(|trace| trace.trace_id == id);
        let mut decision = found.map_or_else(|| silent_trace().decision, |trace| trace.decision.clone());
        if otherwise.later_min > 0 {
            let silent = silent_trace();
            decision = silent.decision;
            Arc::make_mut(&mut decision).rationale = silent.rationale;
        }
        Self::ready(if otherwise.later_min == 240 {
            DecidedAgain::NotKept
        } else {
            DecidedAgain::Decided(Box::new(Arc::unwrap_or_clone(decision)))
        })
    }

    fn answer(&self, submission: AnswerSubmission) -> BackendFuture<Result<AnswerReply, BackendError>> {
        self.note(format!("{submission:?}"));
        let good =
            submission.act != SubmitAct::Confirm || submission.capability.as_deref() == Some(CAPABILITY);
        Self::ready(if good {
            AnswerReply::Accepted {
                outcome: Some(Outcome::Confirmed),
                again_at: submission.act.is_later().then(|| ts("2026-11-03T18:00:00Z")),
            }
        } else {
            AnswerReply::Refused {
                code: Code::Confirm002,
                message: "this is not its capability".to_owned(),
            }
        })
    }

    /// What holds `late` is not read in time; what is no object with `data` is no export.
    fn health_post(
        &self,
        app: HealthApp,
        body: Vec<u8>,
    ) -> BackendFuture<Result<Option<HealthPostReply>, BackendError>> {
        self.note(format!("health {app:?} {}", body.len()));
        let text = String::from_utf8_lossy(&body);
        let reply = HealthPostReply {
            read: 2,
            unused: [("heart_rate", 1440)].into(),
            again: if text.contains("late") { 3 } else { 0 },
            ..HealthPostReply::default()
        };
        Self::ready(text.contains("data").then_some(reply))
    }

    /// Refuses the second of what it is handed; what is called `late` is not read in time, and for `full` there is no room.
    fn signals(&self, signals: Vec<AdmittedSignal>) -> BackendFuture<Result<SignalReply, BackendError>> {
        self.note(format!(
            "signals {}",
            signals
                .iter()
                .map(|s| s.signal().id.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        ));
        let named = |name: &str| {
            let places = signals.iter().enumerate();
            let with = places.filter(|(_, signal)| signal.signal().id.as_str().starts_with(name));
            with.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let full = !named("full").is_empty();
        let again = [named("late"), named("full")].concat();
        let refused: Vec<RejectedSignal> = (1..signals.len().min(2))
            .filter(|index| !again.contains(index))
            .map(|index| RejectedSignal {
                index,
                code: "TEST-001".to_owned(),
                message: "not today".to_owned(),
            })
            .collect();
        Self::ready(SignalReply {
            accepted: signals.len() - refused.len() - again.len(),
            refused,
            again,
            full,
        })
    }

    fn metrics(&self) -> BackendFuture<Result<String, BackendError>> {
        Self::ready("# EOF\n".to_owned())
    }

    fn instruct(&self, word: OwnerInstruction) -> BackendFuture<Result<Result<(), RuleError>, BackendError>> {
        self.note(format!("{word:?}"));
        Self::ready(match word {
            OwnerInstruction::Pause { .. } => Ok(()),
            OwnerInstruction::Rule { rule } => rule.check(),
        })
    }

    /// Only the first chat is muted; the rules are those of the view.
    fn end(
        &self,
        what: OwnerCall,
        key: Option<String>,
    ) -> BackendFuture<Result<Result<TraceId, OwnerCallError>, BackendError>> {
        self.note(format!("end {what:?} {key:?}"));
        if matches!(what, OwnerCall::UndoPutOff(_)) && self.hangs.load(atomic::Ordering::Relaxed) > 0 {
            self.hangs.fetch_sub(1, atomic::Ordering::Relaxed);
            return Self::ready(Err(OwnerCallError::NoAnswer));
        }
        Self::ready(match what {
            OwnerCall::Unmute(channel) if channel.as_str() != "ch_0000000000000001" => {
                Err(OwnerCallError::NotMuted)
            }
            OwnerCall::RemoveRule(name) => {
                let mut view = self.view.lock().unwrap();
                let before = view.rules.len();
                view.rules.retain(|rule| rule.name != name);
                if view.rules.len() < before {
                    Ok(TraceId::parse("tr_000000000001").unwrap())
                } else {
                    Err(OwnerCallError::NoRule(RuleError::Unknown))
                }
            }
            OwnerCall::Unmute(_)
            | OwnerCall::EndPause
            | OwnerCall::Correct(..)
            | OwnerCall::Unlearn(_)
            | OwnerCall::LetThrough(..)
            | OwnerCall::SamePerson(..)
            | OwnerCall::AllowSpending(..)
            | OwnerCall::SortShop(..)
            | OwnerCall::JudgeSender(..)
            | OwnerCall::AnswerQuestion(_)
            | OwnerCall::UndoPutOff(_)
            | OwnerCall::UndoLater(_)
            | OwnerCall::DraftReply(_)
            | OwnerCall::DiscardReply(_)
            | OwnerCall::RestoreReply(_)
            | OwnerCall::Decline(..)
            | OwnerCall::DiscardDecline(_)
            | OwnerCall::HoldTime(..)
            | OwnerCall::PutOffToMorning(_)
            | OwnerCall::MarkAnswered(_)
            | OwnerCall::MarkNotForOwner(_)
            | OwnerCall::Mute(..) => Ok(TraceId::parse("tr_000000000001").unwrap()),
        })
    }

    fn runs(&self, limit: usize) -> BackendFuture<Result<Vec<RunView>, BackendError>> {
        let runs = self.runs.lock().unwrap();
        let shown = (0..).zip(runs.iter());
        let shown = shown.filter(|(n, run)| *n < limit || run.question.is_some());
        Self::ready(shown.map(|(_, run)| run.clone()).collect())
    }

    fn run(&self, id: String) -> BackendFuture<Result<Option<RunView>, BackendError>> {
        Self::ready(self.runs.lock().unwrap().iter().find(|run| run.id == id).cloned())
    }

    /// Takes every reply to a run that is there.
    fn reply(
        &self,
        run: String,
        reply: QuestionReply,
    ) -> BackendFuture<Result<Result<(), NoOpenQuestion>, BackendError>> {
        self.note(format!("{reply:?} {run}"));
        let there = self.runs.lock().unwrap().iter().any(|it| it.id == run);
        Self::ready(if there { Ok(()) } else { Err(NoOpenQuestion) })
    }

    fn question_announced(&self, run: String, surface: Surface) {
        self.note(format!("announced {run} {surface}"));
    }

    fn tick(&self) -> BackendFuture<Result<(), BackendError>> {
        self.note("tick".to_owned());
        Self::ready(())
    }

    fn connected(&self, surface: Surface, connection: u64) {
        self.note(format!("connected {surface} {connection}"));
    }

    fn disconnected(&self, surface: Surface, connection: u64) {
        self.note(format!("disconnected {surface} {connection}"));
    }

    fn card_shown(&self, card: CardId, surface: Surface) {
        self.note(format!("shown {card} {surface}"));
    }

    fn events(&self) -> broadcast::Receiver<UiEvent> {
        self.live.subscribe()
    }
}
