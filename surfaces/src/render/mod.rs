//! From decisions and traces to what stands on a screen.
//!
//! What: pure view models: [`acts::acts`], [`card::card`], [`drawer::drawer_of_trace`], [`drawer::drawer_of_card`], [`row`], and [`text`](mod@text) for a terminal.
//! Why: the same words on page, watch and terminal, made from the record alone. Not here: markup (`web::pages`), the
//! words themselves (`words`), whether anything may be shown (the machine).

use surfaces_base::language::{say, text};

pub mod acts;
pub(crate) mod baseline;
mod body;
pub mod card;
mod course;
pub mod drawer;
pub mod explanation;
pub(crate) mod feedback;
pub(crate) mod kept_content;
pub(crate) mod leaves;
pub mod named;
pub(crate) mod picture;
pub(crate) mod repeats;
pub mod rule_request;
pub mod rule_trial;
pub mod section;
pub(crate) mod sender_link;
pub(crate) mod sentence;
mod sorted_payments;
pub mod text;
pub mod undo;
pub mod waterfall;

use explanation::DecisionReasons;
use surfaces_base::{format, words};
use toolcall_schema::{
    ActionKind, Outcome, ReasonCode,
    catalogue::shared::ThingId,
    ids::TraceId,
    tick::{Subject, Trigger, TriggerSource},
    trace::{ConsideredCandidate, Decision, NextPossible, Trace},
};

use chrono::NaiveDate;
use chrono_tz::Tz;
use surfaces_base::backend::{DisplayNames, UntracedActs};

/// One line of the day's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayRow {
    /// Its drawer.
    pub trace_id: TraceId,
    /// When it was decided, local.
    pub time: String,
    /// What was chosen, or why nothing was.
    pub what: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The same, in a word.
    pub ended: &'static str,
}

/// The day's list has one such row for each trace, the silent ones too.
pub fn row(trace: &Trace) -> DayRow {
    let zone = format::zone(&trace.decision.user.zone);
    let decision = &trace.decision;
    let what = match (&decision.chosen, trace.reason_code) {
        _ if decision.call.is_some() => sentence::of_call(trace, &DisplayNames::default())
            .trim_end_matches('.')
            .to_owned(),
        (Some(chosen), _) => words::action(chosen.kind).to_owned(),
        (None, Some(reason)) => held_back(decision, reason),
        (None, None) => words::outcome(trace.outcome).to_owned(),
    };
    DayRow {
        trace_id: trace.trace_id.clone(),
        time: format::clock(trace.decision.ts, zone),
        what,
        outcome: trace.outcome,
        ended: words::ended_short(trace),
    }
}

/// What a silence kept back, without a name, and why; where it kept nothing back, why alone.
fn held_back(decision: &Decision, reason: ReasonCode) -> String {
    let removed = |one: &&ConsideredCandidate| one.removed == Some(reason);
    match decision.candidates.iter().find(removed) {
        Some(kept) => words::held_back(words::action(kept.kind), words::reason(reason)),
        None => words::reason(reason).to_owned(),
    }
}

/// A line of the history: what a decision was about, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLine {
    pub row: DayRow,
    /// On which local day.
    pub day: NaiveDate,
    /// What, and about what.
    pub what: String,
    /// Why nothing came of it.
    pub held_back: Option<&'static str>,
}

/// What a line of the history is about: what was chosen, else what the drawer names first: the best of what was held back for the reason that is said.
fn line_of(decision: &Decision) -> Option<(ActionKind, &Subject)> {
    let chosen = decision.chosen.as_ref();
    let first = explanation::held_back(decision).next();
    let first = first.or_else(|| decision.candidates.first());
    chosen
        .map(|chosen| (chosen.kind, &chosen.subject))
        .or_else(|| first.map(|first| (first.kind, &first.subject)))
        .filter(|_| decision.call.is_none())
}

/// What the owner had done, where the decision carried that out.
fn called_act(trace: &Trace) -> Option<acts::DoneAct> {
    trace.decision.call.as_ref()?;
    acts::DoneAct::from_trace(trace, &UntracedActs::default())
}

/// Whose names a line of the history needs.
pub(crate) fn history_things(trace: &Trace) -> Vec<ThingId> {
    if let Some(act) = called_act(trace) {
        return act.thing().into_iter().chain(act.other_thing()).collect();
    }
    let subject = match sentence::lesson(trace) {
        Some(lesson) => Some(lesson.subject),
        None => line_of(&trace.decision).map(|(_, subject)| subject.clone()),
    };
    let thing = subject.and_then(|subject| ThingId::parse(subject.as_str()).ok());
    thing.into_iter().collect()
}

/// Whether a line of the history is about a card of that kind: one that was shown, or what would have been.
pub(crate) fn is_of_kind(trace: &Trace, kind: ActionKind) -> bool {
    line_of(&trace.decision).is_some_and(|(of, _)| of == kind)
}

/// The history has such a line for each trace.
pub fn history_line(trace: &Trace, labels: &DisplayNames) -> HistoryLine {
    let row = row(trace);
    let what = match (sorted_payments::sorted_payments(trace), line_of(&trace.decision)) {
        (Some(sorted), _) => sorted,
        (None, Some((kind, subject))) => match about(subject, labels) {
            Some(name) => format!("{} · {name}", words::action(kind)),
            None => words::action(kind).to_owned(),
        },
        (None, None) => match called_act(trace) {
            Some(act) => {
                let (at, zone) = (trace.decision.ts, format::zone(&trace.decision.user.zone));
                // What was done then may have been undone since.
                let is_past = matches!(act.act, acts::ActKind::PutOff(..) | acts::ActKind::Muted(..));
                without_stop(&act.says(labels, is_past, at, zone))
            }
            None if trace.decision.call.is_some() => without_stop(&sentence::of_call(trace, labels)),
            None => row.what.clone(),
        },
    };
    let silent = trace.decision.chosen.is_none() && trace.decision.call.is_none();
    let reason = trace.reason_code.filter(|_| silent).map(words::reason);
    HistoryLine {
        day: trace.decision.ledger_before.day,
        // Where nothing was proposed, the reason is all there is to say, once.
        held_back: reason.filter(|reason| *reason != what),
        row,
        what,
    }
}

fn without_stop(sentence: &str) -> String {
    sentence.trim_end_matches('.').to_owned()
}

/// The outcome of a decision, its reason, and why a tool failed.
pub fn outcome_line(trace: &Trace) -> String {
    let reasons = DecisionReasons::from_trace(trace, format::zone(&trace.decision.user.zone));
    let said: Vec<&str> = std::iter::once(reasons.outcome)
        .chain(reasons.reason)
        .chain(reasons.failures)
        .collect();
    said.join(" ")
}

/// Why a tick started, with its local time; of another day with that: a statement tells of payments later.
fn why_now(
    trigger: &Trigger,
    decided: toolcall_schema::Timestamp,
    zone: Tz,
    labels: &DisplayNames,
) -> String {
    let says = trigger_says(trigger, labels);
    let day = format::local_date(trigger.at, zone);
    if trigger.source == TriggerSource::Transaction && format::told_clock(trigger.at, zone).is_none() {
        return say!("render-why-now-day", trigger = says, day = format::date(day));
    }
    if day != format::local_date(decided, zone) {
        return say!(
            "render-why-now-before",
            trigger = says,
            day = format::date(day),
            clock = format::clock(trigger.at, zone)
        );
    }
    say!(
        "render-why-now",
        trigger = says,
        clock = format::clock(trigger.at, zone)
    )
}

/// What started a look; of a card that was put off, what that was about.
fn trigger_says(trigger: &Trigger, labels: &DisplayNames) -> String {
    let subject = trigger
        .subject
        .as_ref()
        .filter(|_| trigger.source == TriggerSource::Later);
    let thing = subject.and_then(|subject| {
        let category = toolcall_schema::Category::parse(subject.as_str()).map(words::category);
        labels.get(subject.as_str()).or(category)
    });
    thing.map_or_else(|| words::trigger(trigger.source).to_owned(), words::card_was_due)
}

/// What led to a card, above it: that which has nothing to do with it (a load that rose, above an event to leave for) is for the drawer to tell.
fn why_shown(
    trigger: &Trigger,
    kind: ActionKind,
    decided: toolcall_schema::Timestamp,
    zone: Tz,
    labels: &DisplayNames,
) -> String {
    if leads_to(trigger.source, kind) {
        return why_now(trigger, decided, zone, labels);
    }
    say!("render-looked", clock = format::clock(decided, zone))
}

/// Whether such a card tells of what started the look.
fn leads_to(source: TriggerSource, kind: ActionKind) -> bool {
    use ActionKind as Kind;
    match source {
        TriggerSource::LoadCrossed => matches!(kind, Kind::Breathe478 | Kind::Nap15 | Kind::PermitLeisure),
        TriggerSource::CommsBurst => matches!(kind, Kind::MuteGroup30 | Kind::BatchDigest | Kind::DraftReply),
        TriggerSource::MuteEnded => kind == Kind::BatchDigest,
        TriggerSource::Transaction => {
            matches!(
                kind,
                Kind::SurfaceAnomaly | Kind::CategorizeTxn | Kind::ProjectBalance
            )
        }
        TriggerSource::AlertAt => {
            matches!(
                kind,
                Kind::LeaveByAlert | Kind::PrepareMeeting | Kind::DeclineEvent | Kind::ShowBrief
            )
        }
        TriggerSource::BriefTime => kind == Kind::ShowBrief,
        TriggerSource::PhoneUnlock
        | TriggerSource::RuleEnded
        | TriggerSource::WindowEnded
        | TriggerSource::Later
        | TriggerSource::Interval
        | TriggerSource::Owner
        | TriggerSource::Call => true,
    }
}

/// When Aura could speak again, and what has to change.
pub fn next_possible(next: &NextPossible, now: toolcall_schema::Timestamp, zone: Tz) -> String {
    if next.when == ReasonCode::Later {
        words::asks_again(&format::on_day(next.at, now, zone))
    } else if next.at <= now {
        say!(
            "render-next-possible-it-could-speak",
            once = words::once(next.when)
        )
    } else {
        say!(
            "render-next-possible-it-could-speak-2",
            clock_on = format::clock_on(next.at, now, zone),
            once = words::once(next.when)
        )
    }
}

/// What something is about, in words: a name where one is known, else the sort of thing; nothing for the owner and for
/// everything.
fn about(subject: &Subject, labels: &DisplayNames) -> Option<String> {
    let id = subject.as_str();
    if let Some(label) = labels.get(id) {
        return Some(label.to_owned());
    }
    if let Some(category) = toolcall_schema::Category::parse(id) {
        return Some(words::category(category).to_owned());
    }
    let sort = match id.split_once('_').map(|(prefix, _)| prefix) {
        Some("ch") => text("render-about-one-chat"),
        Some("it") => text("render-about-one-message"),
        Some("ev") => text("render-about-one-event"),
        Some("tx") => text("render-about-one-payment"),
        Some("mh") => text("render-about-one-shop"),
        _ => return None,
    };
    Some(sort.to_owned())
}
