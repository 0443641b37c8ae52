//! The card: what is shown when Aura speaks.
//!
//! What: title, one big figure where there is one, body lines with real numbers, and what is asked. Why: everything on it
//! comes from the decision and from results that passed. Not here: the drawer behind it (`drawer`), the answer's way.

pub use super::body::NamedBeside;
use super::{body::body, explanation::CandidateRole, sender_link::SenderLink, why_shown};
use chrono::Timelike as _;
use serde::Deserialize as _;
use surfaces_base::{backend::DisplayNames, format::zone, words};
use toolcall_schema::{
    ActionKind, Class, SubmitAct, Surface, Timestamp,
    catalogue::{calendar::PreparedMeeting, shared::ThingId},
    ids::{CardId, ChannelHash, TraceId},
    names::LATER_IN_A_ROW,
    trace::{Card, ChosenAction, ConsideredCandidate},
};

/// From this hour on the evening is not later any more.
const EVENING_FROM: u32 = 17;

/// The one large number of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFigure {
    /// `08:23`, `₹4,795.00`, `134`.
    pub value: String,
    /// What it is: `leave by`.
    pub caption: String,
}

/// The right to answer on one surface, as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerPrompt {
    pub surface: Surface,
    /// Milliseconds left; 0 when it is over.
    pub left_ms: i64,
    /// Milliseconds there were at first.
    pub whole_ms: i64,
    /// What the page sends back.
    pub capability: String,
}

/// A card as a screen shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardView {
    /// Which card.
    pub card_id: CardId,
    /// Its drawer.
    pub trace_id: TraceId,
    /// The action.
    pub kind: ActionKind,
    /// The heading.
    pub title: String,
    /// The large number.
    pub figure: Option<CardFigure>,
    /// The body.
    pub lines: Vec<String>,
    /// The watch's one line: no name from outside, at most one number.
    pub watch_line: String,
    /// Why now, in one sentence.
    pub why: String,
    /// Whether it was carried out: a result or an error is there.
    pub done: bool,
    /// Whether the owner is asked at all.
    pub asks: bool,
    /// Whether it costs attention that "Useful" can give back.
    pub costs: bool,
    /// Its own surface.
    pub surface: Surface,
    /// The chat, the sender or the event that it is about.
    pub about: Option<SenderLink>,
    /// Of which chat alone it tells.
    pub chat: Option<ChannelHash>,
    /// To when it can be put off.
    pub later: Vec<SubmitAct>,
    /// The open questions, by surface.
    pub prompts: Vec<AnswerPrompt>,
}

/// What the owner can do with a card, as buttons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerButtons {
    /// Which card.
    pub card_id: CardId,
    /// Its decision, for what comes of the answer.
    pub trace_id: TraceId,
    /// The action, for the confirming button's word.
    pub kind: ActionKind,
    /// The buttons, in their order.
    pub acts: Vec<SubmitAct>,
    /// To when it can be put off, behind one word where there are several.
    pub later: Vec<SubmitAct>,
    /// What an answer to an open question needs.
    pub capability: Option<String>,
}

impl CardView {
    /// The question that can still be answered on this surface.
    pub fn ask_on(&self, surface: Surface) -> Option<&AnswerPrompt> {
        self.prompts
            .iter()
            .find(|ask| ask.surface == surface && ask.left_ms > 0)
    }

    /// Where the phone's page asks what is asked on the phone: as a card, or in place of the notification that was pushed to it.
    pub fn asked_on_page(&self) -> Surface {
        if self.ask_on(Surface::PhoneCard).is_none() && self.ask_on(Surface::Push).is_some() {
            Surface::Push
        } else {
            Surface::PhoneCard
        }
    }

    /// Whether this surface shows the card: it is the card's own, it has an open question, or there is a result to see.
    pub fn is_on(&self, surface: Surface) -> bool {
        surface == self.surface
            || self.ask_on(surface).is_some()
            || surface == Surface::PhoneCard && (self.done || self.asked_on_page() == Surface::Push)
    }

    /// The buttons on this surface. `Edit` is offered in the drawer only, nothing but the question on the watch.
    pub fn answers_on(&self, surface: Surface) -> AnswerButtons {
        let ask = self.ask_on(surface);
        let acts = match (ask, surface) {
            (Some(_), _) => vec![SubmitAct::Confirm, SubmitAct::Dismiss],
            (None, Surface::PhoneCard) if self.asks && !self.done => vec![],
            (None, Surface::PhoneCard) if self.costs => vec![SubmitAct::Useful, SubmitAct::Dismiss],
            (None, Surface::PhoneCard) => vec![SubmitAct::Dismiss],
            (None, Surface::Watch | Surface::EarbudTts | Surface::Push | Surface::Silent) => vec![],
        };
        let mut later = self.later.clone();
        if acts.is_empty() || self.asks && self.done {
            later.clear();
        } else if surface == Surface::Watch {
            later.retain(|act| *act == SubmitAct::LaterHour);
        }
        AnswerButtons {
            card_id: self.card_id.clone(),
            trace_id: self.trace_id.clone(),
            kind: self.kind,
            acts,
            later,
            capability: ask.map(|ask| ask.capability.clone()),
        }
    }
}

/// The view of a card at `now`; `None` for a decision that chose nothing.
pub fn card(card: &Card, labels: &DisplayNames, now: Timestamp) -> Option<CardView> {
    card_beside(card, labels, now, NamedBeside::default())
}

/// The same, on a page that names beside it what its lines would count.
pub(crate) fn card_beside(
    card: &Card,
    labels: &DisplayNames,
    now: Timestamp,
    beside: NamedBeside,
) -> Option<CardView> {
    let decision = &card.decision;
    let chosen = decision.chosen.as_ref()?;
    let mut body = body(decision, chosen, &card.tool_calls, labels, beside);
    let is_chosen =
        |c: &ConsideredCandidate| CandidateRole::in_decision(c, decision) == CandidateRole::Chosen;
    if decision
        .candidates
        .iter()
        .any(|c| is_chosen(c) && c.passes_by_rule())
    {
        body.lines.insert(0, words::LET_THROUGH_LINE.say().to_owned());
    }
    Some(CardView {
        card_id: card.card_id.clone(),
        trace_id: decision.trace_id.clone(),
        kind: chosen.kind,
        title: body.title.unwrap_or_else(|| words::title(chosen.kind).to_owned()),
        figure: body.figure,
        lines: body.lines,
        watch_line: body
            .watch_line
            .unwrap_or_else(|| words::watch_line(chosen.kind).to_owned()),
        why: why_shown(
            &decision.trigger,
            chosen.kind,
            decision.ts,
            zone(&decision.user.zone),
            labels,
        ),
        done: !card.tool_calls.is_empty(),
        asks: chosen.confirm_required,
        costs: chosen.class != Class::Safety && decision.put_off == 0,
        surface: chosen.surface,
        about: SenderLink::from_id(chosen.subject.as_str(), labels).or_else(|| meeting_link(chosen)),
        chat: ChannelHash::parse(chosen.subject.as_str()).ok(),
        later: later_choices(card, chosen, now),
        prompts: card
            .prompts
            .iter()
            .map(|prompt| AnswerPrompt {
                surface: prompt.surface,
                left_ms: prompt.expires_at.since(now).max(0),
                whole_ms: prompt.expires_at.since(decision.ts).max(1),
                capability: prompt.capability.clone(),
            })
            .collect(),
    })
}

/// To when a card can be put off: at most three times in a row, and to no time at which it could not come back. What a program asked for has its
/// own end.
fn later_choices(card: &Card, chosen: &ChosenAction, now: Timestamp) -> Vec<SubmitAct> {
    if chosen.asker.is_some() || card.decision.put_off >= LATER_IN_A_ROW {
        return Vec::new();
    }
    let until = match chosen.kind {
        ActionKind::LeaveByAlert => Some(card.valid_until),
        // While it lasts it can still be asked about.
        ActionKind::PrepareMeeting => Some(meeting_end(card).unwrap_or(card.valid_until)),
        ActionKind::MuteGroup30
        | ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::BatchDigest
        | ActionKind::ShowBrief
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::ProjectBalance
        | ActionKind::DraftReply
        | ActionKind::DeclineEvent => None,
    };
    let passes = until.is_some();
    let lasts = |minutes| until.is_none_or(|until| now.plus_min(minutes) < until);
    let local = now.utc().with_timezone(&zone(&card.decision.user.zone));
    let mut choices = SubmitAct::LATER.to_vec();
    choices.retain(|act| match act {
        SubmitAct::LaterQuarter => lasts(15),
        SubmitAct::LaterHour => lasts(60),
        SubmitAct::LaterEvening => !passes && local.hour() < EVENING_FROM,
        // The next day has a brief of its own.
        SubmitAct::LaterTomorrow => !passes && chosen.kind != ActionKind::ShowBrief,
        SubmitAct::Confirm | SubmitAct::Dismiss | SubmitAct::Useful | SubmitAct::Edit => false,
    });
    choices
}

/// When the meeting of a card is over.
fn meeting_end(card: &Card) -> Option<Timestamp> {
    let result = card.tool_calls.first()?.result.as_deref()?;
    PreparedMeeting::deserialize(result)
        .ok()
        .map(|meeting| meeting.end)
}

/// The way to a meeting that nobody names.
fn meeting_link(chosen: &ChosenAction) -> Option<SenderLink> {
    let thing = ThingId::parse(chosen.subject.as_str()).ok()?;
    (chosen.kind == ActionKind::PrepareMeeting).then(|| SenderLink {
        thing,
        name: words::THIS_EVENT.say().to_owned(),
    })
}
