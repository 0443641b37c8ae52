//! The card: what is shown when Aura speaks.
//!
//! What: title, one big figure where there is one, body lines with real numbers, and what is asked. Why: everything on it
//! comes from the decision and from results that passed. Not here: the drawer behind it (`drawer`), the answer's way.

use super::{about, why_now};
use crate::{
    backend::{Act, Labels},
    format::{clock, count, date, minutes, money, reading_value, usual, zone},
    words,
};
use chrono_tz::Tz;
use serde::de::DeserializeOwned;
use toolcall_schema::{
    ActionKind, Class, Surface, Timestamp,
    catalogue::{
        calendar::{Declined, LeaveBy},
        comms::{Digest, Drafted, Muted},
        finance::{Anomaly, BalanceForecast, Categorized},
        orchestrator::{Section, ShowBrief},
        wellness::Started,
    },
    ids::{CardId, TraceId},
    tick::{Reading, ReadingKey},
    trace::{CallRecord, Card, Chosen, Decision},
};

/// The one large number of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// `08:23`, `₹4,795.00`, `134`.
    pub value: String,
    /// What it is: `leave by`.
    pub caption: String,
}

/// The right to answer on one surface, as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Where.
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
    pub figure: Option<Figure>,
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
    /// The open questions, by surface.
    pub prompts: Vec<Ask>,
}

/// What the owner can do with a card, as buttons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answerable {
    /// Which card.
    pub card_id: CardId,
    /// The action, for the confirming button's word.
    pub kind: ActionKind,
    /// The buttons, in their order.
    pub acts: Vec<Act>,
    /// What an answer to an open question needs.
    pub capability: Option<String>,
}

impl CardView {
    /// The question that can still be answered on this surface.
    pub fn ask_on(&self, surface: Surface) -> Option<&Ask> {
        self.prompts
            .iter()
            .find(|ask| ask.surface == surface && ask.left_ms > 0)
    }

    /// Whether this surface shows the card: it is the card's own, it has an open question, or there is a result to see.
    pub fn is_on(&self, surface: Surface) -> bool {
        surface == self.surface
            || self.ask_on(surface).is_some()
            || surface == Surface::PhoneCard && self.done
    }

    /// The buttons on this surface. `Edit` is offered in the drawer only, nothing but the question on the watch.
    pub fn answers_on(&self, surface: Surface) -> Answerable {
        let ask = self.ask_on(surface);
        let acts = match (ask, surface) {
            (Some(_), _) => vec![Act::Confirm, Act::Dismiss],
            (None, Surface::PhoneCard) if self.asks && !self.done => vec![],
            (None, Surface::PhoneCard) if self.costs => vec![Act::Useful, Act::Dismiss],
            (None, Surface::PhoneCard) => vec![Act::Dismiss],
            (None, Surface::Watch | Surface::EarbudTts | Surface::Silent) => vec![],
        };
        Answerable {
            card_id: self.card_id.clone(),
            kind: self.kind,
            acts,
            capability: ask.map(|ask| ask.capability.clone()),
        }
    }
}

/// What a card says apart from its frame.
#[derive(Default)]
struct Body {
    title: Option<String>,
    figure: Option<Figure>,
    lines: Vec<String>,
    watch_line: Option<String>,
}

/// The view of a card at `now`; `None` for a decision that chose nothing.
pub fn card(card: &Card, labels: &Labels, now: Timestamp) -> Option<CardView> {
    let decision = &card.decision;
    let chosen = decision.chosen.as_ref()?;
    let body = body(decision, chosen, &card.tool_calls, labels);
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
        why: why_now(&decision.trigger, zone(&decision.user.zone)),
        done: !card.tool_calls.is_empty(),
        asks: chosen.confirm_required,
        costs: chosen.class != Class::Safety,
        surface: chosen.surface,
        prompts: card
            .prompts
            .iter()
            .map(|prompt| Ask {
                surface: prompt.surface,
                left_ms: prompt.expires_at.since(now).max(0),
                whole_ms: prompt.expires_at.since(decision.ts).max(1),
                capability: prompt.capability.clone(),
            })
            .collect(),
    })
}

fn body(decision: &Decision, chosen: &Chosen, calls: &[CallRecord], labels: &Labels) -> Body {
    let zone = zone(&decision.user.zone);
    let Some((primary, companions)) = calls.split_first() else {
        return question(decision, chosen, labels);
    };
    if primary.result.is_none() {
        return Body {
            title: Some("It did not work".to_owned()),
            lines: primary
                .error
                .map(|code| words::tool_error(code).to_owned())
                .into_iter()
                .collect(),
            watch_line: Some("It did not work".to_owned()),
            figure: None,
        };
    }
    let mut body = result(chosen, primary, labels, zone).unwrap_or_default();
    for (kind, call) in chosen.companion.iter().zip(companions) {
        let Some(part) = companion(*kind, call, labels, zone) else {
            continue;
        };
        body.lines.extend(part.lines);
        body.figure = part
            .figure
            .filter(|_| *kind == ActionKind::LeaveByAlert)
            .or(body.figure);
    }
    if body.lines.is_empty() && body.figure.is_none() {
        body.lines.push(decision.rationale.clone());
    }
    body
}

/// A card that asks: the question, with what speaks for it.
fn question(decision: &Decision, chosen: &Chosen, labels: &Labels) -> Body {
    use ReadingKey as K;
    let wanted: &[ReadingKey] = match chosen.kind {
        ActionKind::MuteGroup30 => &[K::BusiestChannel, K::Actionable, K::LoadScore],
        ActionKind::Breathe478 => &[K::LoadScore, K::RmssdMs],
        ActionKind::Nap15 => &[K::SleepMin, K::SleepDebtMin, K::LoadScore],
        ActionKind::PermitLeisure => &[K::LoadDrop, K::LoadScore],
        ActionKind::DraftReply => &[K::Actionable],
        ActionKind::DeclineEvent => &[K::Conflicts, K::LeaveInMin],
        ActionKind::BatchDigest => &[K::Messages, K::Actionable],
        ActionKind::ShowBrief => &[K::EventsToday, K::Actionable],
        ActionKind::LeaveByAlert => &[K::LeaveInMin, K::TravelMin],
        ActionKind::CategorizeTxn => &[K::Uncategorized],
        ActionKind::SurfaceAnomaly => &[K::SpentToday, K::VersusUsualPct],
        ActionKind::ProjectBalance => &[K::BalanceEndOfMonth, K::DaysToZero],
    };
    let readings: Vec<&Reading> = decision.signals.values().flatten().collect();
    let mut lines: Vec<String> = wanted
        .iter()
        .filter_map(|key| readings.iter().find(|reading| reading.key == *key))
        .map(|reading| reading_line(reading))
        .collect();
    if lines.is_empty() {
        lines.push(decision.rationale.clone());
    }
    let label = labels.get(chosen.subject.as_str());
    let title = label.and_then(|label| match chosen.kind {
        ActionKind::MuteGroup30 => Some(format!("Mute {label} for 30 minutes?")),
        ActionKind::DraftReply => Some(format!("Draft a reply to {label}?")),
        ActionKind::DeclineEvent => Some(format!("Draft a decline for {label}?")),
        ActionKind::LeaveByAlert => Some(format!("Leave for {label}")),
        ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::BatchDigest
        | ActionKind::ShowBrief
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::ProjectBalance => None,
    });
    Body {
        title,
        lines,
        ..Body::default()
    }
}

/// `Load score, of 100: 78 (usually 30 to 60)`.
fn reading_line(reading: &Reading) -> String {
    let value = reading_value(reading, reading.value);
    let name = words::reading(reading.key);
    match usual(reading) {
        Some(range) => format!("{name}: {value} (usually {range})"),
        None => format!("{name}: {value}"),
    }
}

fn read<T: DeserializeOwned>(call: &CallRecord) -> Option<T> {
    call.result
        .clone()
        .and_then(|value| serde_json::from_value(value).ok())
}

/// A card whose primary call has its result. `None` when the result is not that tool's: the frame's words stand alone.
fn result(chosen: &Chosen, call: &CallRecord, labels: &Labels, zone: Tz) -> Option<Body> {
    let subject = about(&chosen.subject, labels);
    match chosen.kind {
        ActionKind::MuteGroup30 => read::<Muted>(call).map(|muted| {
            let until = clock(muted.until, zone);
            let who = labels.get(muted.channel_hash.as_str()).unwrap_or("This chat");
            Body {
                title: Some(format!("{who} is quiet until {until}")),
                lines: vec!["A digest of it comes afterwards.".to_owned()],
                watch_line: Some(format!("Quiet until {until}")),
                figure: None,
            }
        }),
        ActionKind::Breathe478 => started(call, "Breathing", zone),
        ActionKind::Nap15 => started(call, "Nap", zone),
        ActionKind::PermitLeisure => started(call, "Break", zone),
        ActionKind::BatchDigest => read::<Digest>(call).map(|digest| digest_body(&digest, labels)),
        ActionKind::ShowBrief => serde_json::from_value::<ShowBrief>(call.args.clone())
            .ok()
            .map(|brief| brief_body(&brief, labels, zone)),
        ActionKind::LeaveByAlert => read::<LeaveBy>(call).map(|leave| leave_body(&leave, labels, zone)),
        ActionKind::CategorizeTxn => read::<Categorized>(call).map(|sorted| {
            let n = u32::try_from(sorted.categories.len()).unwrap_or(u32::MAX);
            Body {
                title: Some(format!("{} sorted", count(n, "new payment", "new payments"))),
                ..Body::default()
            }
        }),
        ActionKind::SurfaceAnomaly => read::<Anomaly>(call).map(|anomaly| anomaly_body(&anomaly)),
        ActionKind::ProjectBalance => read::<BalanceForecast>(call).map(|forecast| forecast_body(&forecast)),
        ActionKind::DraftReply => read::<Drafted>(call).map(|draft| Body {
            title: Some("The draft is in your outbox".to_owned()),
            lines: subject
                .map(|name| format!("To {name}."))
                .into_iter()
                .chain([format!(
                    "{}, {}. Nothing was sent.",
                    count(draft.chars, "character", "characters"),
                    words::tone(draft.tone)
                )])
                .collect(),
            watch_line: Some("A draft is in your outbox".to_owned()),
            figure: None,
        }),
        ActionKind::DeclineEvent => read::<Declined>(call).map(|_| Body {
            title: Some("The decline is in your outbox".to_owned()),
            lines: subject
                .map(|name| format!("For {name}."))
                .into_iter()
                .chain(["Nothing was sent.".to_owned()])
                .collect(),
            watch_line: Some("A decline is in your outbox".to_owned()),
            figure: None,
        }),
    }
}

/// The companion's part of a bundle; a failed one drops its section.
fn companion(kind: ActionKind, call: &CallRecord, labels: &Labels, zone: Tz) -> Option<Body> {
    match kind {
        ActionKind::LeaveByAlert => read::<LeaveBy>(call)
            .map(|leave| leave_body(&leave, labels, zone))
            .map(|body| Body {
                lines: body
                    .title
                    .into_iter()
                    .map(|title| format!("{title}."))
                    .chain(body.lines)
                    .collect(),
                ..body_with_figure(body.figure)
            }),
        ActionKind::ProjectBalance => read::<BalanceForecast>(call).map(|forecast| {
            let body = forecast_body(&forecast);
            let figure = body
                .figure
                .map(|figure| format!("{} {}.", figure.value, figure.caption));
            Body {
                lines: figure.into_iter().chain(body.lines).collect(),
                ..Body::default()
            }
        }),
        ActionKind::MuteGroup30
        | ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::BatchDigest
        | ActionKind::ShowBrief
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::DraftReply
        | ActionKind::DeclineEvent => None,
    }
}

fn body_with_figure(figure: Option<Figure>) -> Body {
    Body {
        figure,
        ..Body::default()
    }
}

fn started(call: &CallRecord, what: &str, zone: Tz) -> Option<Body> {
    read::<Started>(call).map(|started| {
        let line = format!("{what} until {}", clock(started.ends_at, zone));
        Body {
            title: Some(line.clone()),
            lines: vec!["Aura tells you when it is over.".to_owned()],
            watch_line: Some(line),
            figure: None,
        }
    })
}

fn digest_body(digest: &Digest, labels: &Labels) -> Body {
    let wants = match digest.actionable_count {
        0 => "Nothing wants an answer".to_owned(),
        1 => "1 wants an answer".to_owned(),
        n => format!("{n} want an answer"),
    };
    Body {
        title: Some(format!("{wants}, {} can wait", digest.muted_count)),
        figure: None,
        lines: digest
            .actionable
            .iter()
            .filter_map(|item| labels.get(item.item_id.as_str()).map(str::to_owned))
            .chain([format!("{} read.", count(digest.total, "message", "messages"))])
            .collect(),
        watch_line: Some(wants),
    }
}

fn leave_body(leave: &LeaveBy, labels: &Labels, zone: Tz) -> Body {
    let leave_by = clock(leave.leave_by, zone);
    let what = labels.get(leave.event_id.as_str()).unwrap_or("your next event");
    // `leave_by = start - travel_min - buffer_min`: what is left after the way is the buffer.
    let buffer = leave.start.since(leave.leave_by) / 60_000 - i64::from(leave.travel_min);
    let kept = if buffer > 0 {
        format!(", {} kept free", minutes(buffer))
    } else {
        String::new()
    };
    Body {
        title: Some(format!("Leave for {what}")),
        lines: vec![
            format!("It starts at {}.", clock(leave.start, zone)),
            format!("{} to get there{kept}.", minutes(i64::from(leave.travel_min))),
        ],
        watch_line: Some(format!("Leave by {leave_by}")),
        figure: Some(Figure {
            value: leave_by,
            caption: "leave by".to_owned(),
        }),
    }
}

fn brief_body(brief: &ShowBrief, labels: &Labels, zone: Tz) -> Body {
    let mut lines = Vec::new();
    for section in &brief.sections {
        match section {
            Section::Messages { total, actionable } => lines.push(format!(
                "{}, {}.",
                count(*total, "message", "messages"),
                match actionable {
                    0 => "none wants an answer".to_owned(),
                    1 => "1 wants an answer".to_owned(),
                    n => format!("{n} want an answer"),
                }
            )),
            Section::Day {
                events,
                conflicts,
                next_event,
                next_start,
            } => {
                let overlap = match conflicts {
                    0 => "none overlap".to_owned(),
                    1 => "1 pair overlaps".to_owned(),
                    n => format!("{n} pairs overlap"),
                };
                lines.push(if *events == 0 {
                    "Nothing in the calendar today.".to_owned()
                } else {
                    format!("{} today, {overlap}.", count(*events, "event", "events"))
                });
                if let Some(start) = next_start {
                    let name = next_event.as_ref().and_then(|id| labels.get(id.as_str()));
                    lines.push(format!(
                        "{} at {}.",
                        name.unwrap_or("The next"),
                        clock(*start, zone)
                    ));
                }
            }
            Section::NotRead { agent } => lines.push(format!("{}: not read.", words::agent(*agent))),
        }
    }
    Body {
        lines,
        ..Body::default()
    }
}

fn anomaly_body(anomaly: &Anomaly) -> Body {
    let currency = anomaly.currency.as_str();
    let mut lines = vec![
        format!("A usual day: {}.", money(anomaly.usual, currency)),
        format!(
            "That is {} (z {}).",
            words::severity(anomaly.severity),
            anomaly.z_score
        ),
    ];
    if anomaly.could_save.is_sign_positive() && !anomaly.could_save.is_zero() {
        lines.push(format!(
            "About {} could be saved.",
            money(anomaly.could_save, currency)
        ));
    }
    Body {
        title: Some(format!(
            "More than usual on {}",
            words::category(anomaly.category)
        )),
        figure: Some(Figure {
            value: money(anomaly.spent_today, currency),
            caption: "spent today".to_owned(),
        }),
        lines,
        watch_line: None,
    }
}

fn forecast_body(forecast: &BalanceForecast) -> Body {
    let mut lines = Vec::new();
    if let Some(day) = forecast.hits_zero {
        lines.push(format!("At this pace it reaches zero on {}.", date(day)));
    }
    let Some(balance) = forecast.balance_eom else {
        lines.push("The month's end cannot be said yet.".to_owned());
        return Body {
            lines,
            ..Body::default()
        };
    };
    lines.push(format!("Confidence {} %.", forecast.confidence.0 / 10));
    Body {
        figure: Some(Figure {
            value: money(balance, &forecast.currency),
            caption: "expected at the month's end".to_owned(),
        }),
        lines,
        ..Body::default()
    }
}
