//! What a card says: one function for each kind of result.
//!
//! What: title, figure and lines from the decision (a question) or from results that passed (a statement). Why: the real
//! numbers of a card are made here and nowhere else. Not here: buttons, countdowns, surfaces (`card`).

use super::{about, card::CardFigure, sentence::of_decision};
use crate::{
    backend::DisplayNames,
    format::{clock, count, date, minutes, money, number, reading_value, usual, zone},
    words,
};
use chrono_tz::Tz;
use serde::de::DeserializeOwned;
use toolcall_schema::{
    ActionKind,
    catalogue::{
        calendar::{AutoDeclineResult, LeaveBy, PreparedMeeting},
        comms::{DigestResult, DraftResult, MuteResult},
        finance::{AnomalyResult, BalanceForecast, CategorizeResult},
        orchestrator::{BriefSection, ShowBrief},
        wellness::CourseStarted,
    },
    tick::{ReadingKey, SignalReading},
    trace::{CallRecord, ChosenAction, Decision},
};

/// What a card says apart from its frame.
#[derive(Default)]
pub(super) struct CardBody {
    pub(super) title: Option<String>,
    pub(super) figure: Option<CardFigure>,
    pub(super) lines: Vec<String>,
    pub(super) watch_line: Option<String>,
}

/// How many messages want an answer by what a card says; `None`: it does not count them.
pub(super) fn said_to_want(chosen: &ChosenAction, calls: &[CallRecord]) -> Option<u32> {
    let call = calls.first()?;
    if chosen.kind == ActionKind::BatchDigest {
        return read::<DigestResult>(call).map(|digest| digest.actionable_count);
    }
    if chosen.kind != ActionKind::ShowBrief {
        return None;
    }
    let brief: ShowBrief = serde_json::from_value(call.args.clone()).ok()?;
    brief.sections.iter().find_map(|section| match section {
        BriefSection::Messages { actionable, .. } => Some(*actionable),
        BriefSection::Day { .. } | BriefSection::NotRead { .. } => None,
    })
}

/// The body of a card: a question while nothing was carried out, else what came of it.
pub(super) fn body(
    decision: &Decision,
    chosen: &ChosenAction,
    calls: &[CallRecord],
    labels: &DisplayNames,
) -> CardBody {
    let zone = zone(&decision.user.zone);
    let Some((primary, companions)) = calls.split_first() else {
        return question(decision, chosen, labels);
    };
    if primary.result.is_none() {
        return CardBody {
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
        // A departure leads: its figure is the card's, its line comes first.
        if part.figure.is_some() {
            body.figure = part.figure;
            body.lines.splice(0..0, part.lines);
        } else {
            body.lines.extend(part.lines);
        }
    }
    if body.lines.is_empty() && body.figure.is_none() {
        body.lines.push(of_decision(decision, labels));
    }
    body
}

/// What speaks for a kind, a line for each figure that was measured.
pub(super) fn facts(decision: &Decision, kind: ActionKind) -> Vec<String> {
    use ReadingKey as K;
    let wanted: &[ReadingKey] = match kind {
        ActionKind::MuteGroup30 => &[K::BusiestChannel, K::Actionable, K::LoadScore],
        ActionKind::Breathe478 => &[K::LoadScore, K::RmssdMs],
        ActionKind::Nap15 => &[K::SleepMin, K::SleepDebtMin, K::LoadScore],
        ActionKind::PermitLeisure => &[K::LoadDrop, K::LoadScore],
        ActionKind::DraftReply => &[K::Actionable],
        ActionKind::DeclineEvent => &[K::Conflicts, K::LeaveInMin],
        ActionKind::BatchDigest => &[K::Messages, K::Actionable],
        ActionKind::ShowBrief => &[K::EventsToday, K::Messages, K::Actionable],
        ActionKind::LeaveByAlert => &[K::LeaveInMin, K::TravelMin],
        ActionKind::PrepareMeeting => &[],
        ActionKind::CategorizeTxn => &[K::Uncategorized],
        ActionKind::SurfaceAnomaly => &[K::SpentToday, K::VersusUsualPct],
        ActionKind::ProjectBalance => &[K::BalanceEndOfMonth, K::DaysToZero],
    };
    let readings: Vec<&SignalReading> = decision.signals.values().flatten().collect();
    wanted
        .iter()
        .filter_map(|key| readings.iter().find(|reading| reading.key == *key))
        .map(|reading| reading_line(reading))
        .collect()
}

/// A card that asks: the question, with what speaks for it.
fn question(decision: &Decision, chosen: &ChosenAction, labels: &DisplayNames) -> CardBody {
    let mut lines = facts(decision, chosen.kind);
    if let Some(asker) = chosen.asker {
        lines.insert(0, format!("{} asks for it.", words::asker(asker)));
    } else if lines.is_empty() {
        lines.push(of_decision(decision, labels));
    }
    let label = labels.get(chosen.subject.as_str());
    let title = label.and_then(|label| match chosen.kind {
        ActionKind::MuteGroup30 => Some(format!("Mute {label} for 30 minutes?")),
        ActionKind::DraftReply => Some(format!("Draft a reply to {label}?")),
        ActionKind::DeclineEvent => Some(format!("Draft a decline for {label}?")),
        ActionKind::LeaveByAlert => Some(format!("Leave for {label}")),
        ActionKind::PrepareMeeting => Some(label.to_owned()),
        ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::BatchDigest
        | ActionKind::ShowBrief
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::ProjectBalance => None,
    });
    CardBody {
        title,
        lines,
        watch_line: chosen
            .asker
            .map(|asker| format!("{} asks: {}", words::asker(asker), words::watch_line(chosen.kind))),
        ..CardBody::default()
    }
}

/// `Load 78 of 100 (usually 20 to 60)`.
fn reading_line(reading: &SignalReading) -> String {
    let line = words::reading_line(reading.key, &reading_value(reading, reading.value));
    match usual(reading) {
        Some(range) => format!("{line} (usually {range})"),
        None => line,
    }
}

fn read<T: DeserializeOwned>(call: &CallRecord) -> Option<T> {
    call.result
        .clone()
        .and_then(|value| serde_json::from_value(value).ok())
}

/// A card whose primary call has its result. `None` when the result is not that tool's: the frame's words stand alone.
fn result(chosen: &ChosenAction, call: &CallRecord, labels: &DisplayNames, zone: Tz) -> Option<CardBody> {
    let subject = about(&chosen.subject, labels);
    match chosen.kind {
        ActionKind::MuteGroup30 => read::<MuteResult>(call).map(|muted| {
            let until = clock(muted.until, zone);
            let who = labels.get(muted.channel_hash.as_str()).unwrap_or("This chat");
            CardBody {
                title: Some(format!("{who} is quiet until {until}")),
                lines: vec!["A digest of it comes afterwards.".to_owned()],
                watch_line: Some(format!("Quiet until {until}")),
                figure: None,
            }
        }),
        ActionKind::Breathe478 => started(call, "Breathing", zone),
        ActionKind::Nap15 => started(call, "Nap", zone),
        ActionKind::PermitLeisure => started(call, "Break", zone),
        ActionKind::BatchDigest => read::<DigestResult>(call).map(|digest| digest_body(&digest, labels)),
        ActionKind::ShowBrief => serde_json::from_value::<ShowBrief>(call.args.clone())
            .ok()
            .map(|brief| CardBody {
                lines: brief_lines(&brief, labels, zone),
                ..CardBody::default()
            }),
        ActionKind::LeaveByAlert => read::<LeaveBy>(call).map(|leave| leave_body(&leave, labels, zone)),
        ActionKind::PrepareMeeting => {
            read::<PreparedMeeting>(call).map(|meeting| meeting_body(&meeting, labels, zone))
        }
        ActionKind::CategorizeTxn => read::<CategorizeResult>(call).map(|sorted| {
            let n = u32::try_from(sorted.categories.len()).unwrap_or(u32::MAX);
            CardBody {
                title: Some(format!("{} sorted", count(n, "new payment", "new payments"))),
                ..CardBody::default()
            }
        }),
        ActionKind::SurfaceAnomaly => read::<AnomalyResult>(call).map(|anomaly| anomaly_body(&anomaly)),
        ActionKind::ProjectBalance => read::<BalanceForecast>(call).map(|forecast| forecast_body(&forecast)),
        ActionKind::DraftReply => read::<DraftResult>(call).map(|draft| CardBody {
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
        ActionKind::DeclineEvent => read::<AutoDeclineResult>(call).map(|_| CardBody {
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
fn companion(kind: ActionKind, call: &CallRecord, labels: &DisplayNames, zone: Tz) -> Option<CardBody> {
    match kind {
        ActionKind::LeaveByAlert => read::<LeaveBy>(call).map(|leave| CardBody {
            lines: vec![way(&leave)],
            figure: Some(CardFigure {
                value: clock(leave.leave_by, zone),
                caption: match labels.get(leave.event_id.as_str()) {
                    Some(label) => format!("leave by, for {label}"),
                    None => "leave by".to_owned(),
                },
            }),
            ..CardBody::default()
        }),
        ActionKind::ProjectBalance => read::<BalanceForecast>(call).map(|forecast| {
            let body = forecast_body(&forecast);
            let figure = body
                .figure
                .map(|figure| format!("{} {}.", figure.value, figure.caption));
            CardBody {
                lines: figure.into_iter().chain(body.lines).collect(),
                ..CardBody::default()
            }
        }),
        ActionKind::MuteGroup30
        | ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::BatchDigest
        | ActionKind::ShowBrief
        | ActionKind::PrepareMeeting
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::DraftReply
        | ActionKind::DeclineEvent => None,
    }
}

fn started(call: &CallRecord, what: &str, zone: Tz) -> Option<CardBody> {
    read::<CourseStarted>(call).map(|started| {
        let line = format!("{what} until {}", clock(started.ends_at, zone));
        CardBody {
            title: Some(line.clone()),
            lines: vec!["Aura tells you when it is over.".to_owned()],
            watch_line: Some(line),
            figure: None,
        }
    })
}

/// What a digest said, for a page that lists it; `None` when the call has no digest.
pub(super) fn digest_said(call: &CallRecord, labels: &DisplayNames) -> Option<Vec<String>> {
    let CardBody { title, lines, .. } = digest_body(&read(call)?, labels);
    Some(
        title
            .map(|title| format!("{title}."))
            .into_iter()
            .chain(lines)
            .collect(),
    )
}

fn digest_body(digest: &DigestResult, labels: &DisplayNames) -> CardBody {
    let wants = match digest.actionable_count {
        0 => "Nothing wants an answer".to_owned(),
        1 => "1 wants an answer".to_owned(),
        n => format!("{n} want an answer"),
    };
    CardBody {
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

fn leave_body(leave: &LeaveBy, labels: &DisplayNames, zone: Tz) -> CardBody {
    let leave_by = clock(leave.leave_by, zone);
    let what = labels.get(leave.event_id.as_str()).unwrap_or("your next event");
    CardBody {
        title: Some(format!("Leave for {what}")),
        lines: vec![format!("It starts at {}.", clock(leave.start, zone)), way(leave)],
        watch_line: Some(format!("Leave by {leave_by}")),
        figure: Some(CardFigure {
            value: leave_by,
            caption: "leave by".to_owned(),
        }),
    }
}

/// Numbers alone: who is there is asked of the agents when the card is drawn.
fn meeting_body(meeting: &PreparedMeeting, labels: &DisplayNames, zone: Tz) -> CardBody {
    let start = clock(meeting.start, zone);
    let what = labels.get(meeting.event_id.as_str());
    let way =
        (meeting.travel_min > 0).then(|| words::meeting_way(&minutes(i64::from(meeting.travel_min)), None));
    CardBody {
        title: Some(what.unwrap_or(words::UNTITLED_MEETING).to_owned()),
        lines: [words::meeting_others(meeting.others)]
            .into_iter()
            .chain(way)
            .collect(),
        watch_line: Some(words::meeting_at(&start)),
        figure: Some(CardFigure {
            value: start,
            caption: words::IT_STARTS.to_owned(),
        }),
    }
}

/// `22 min to get there, 15 min kept free.`
fn way(leave: &LeaveBy) -> String {
    // `leave_by = start - travel_min - buffer_min`: what is left after the way is the buffer.
    let buffer = leave.start.since(leave.leave_by) / 60_000 - i64::from(leave.travel_min);
    let kept = if buffer > 0 {
        format!(", {} kept free", minutes(buffer))
    } else {
        String::new()
    };
    format!("{} to get there{kept}.", minutes(i64::from(leave.travel_min)))
}

/// What a brief says, a line for each thing.
pub(super) fn brief_lines(brief: &ShowBrief, labels: &DisplayNames, zone: Tz) -> Vec<String> {
    let mut lines = Vec::new();
    for section in &brief.sections {
        match section {
            BriefSection::Messages { total, actionable } => lines.push(format!(
                "{}, {}.",
                count(*total, "message", "messages"),
                match actionable {
                    0 => "none wants an answer".to_owned(),
                    1 => "1 wants an answer".to_owned(),
                    n => format!("{n} want an answer"),
                }
            )),
            BriefSection::Day {
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
            BriefSection::NotRead { agent } => lines.push(format!("{}: not read.", words::agent(*agent))),
        }
    }
    lines
}

fn anomaly_body(anomaly: &AnomalyResult) -> CardBody {
    let currency = anomaly.currency.as_str();
    let mut lines = vec![
        format!("A usual day: {}.", money(anomaly.usual, currency)),
        format!(
            "That is {} (z {}).",
            words::severity(anomaly.severity),
            number(anomaly.z_score.to_f64())
        ),
    ];
    if anomaly.could_save.is_sign_positive() && !anomaly.could_save.is_zero() {
        lines.push(format!(
            "About {} could be saved.",
            money(anomaly.could_save, currency)
        ));
    }
    CardBody {
        title: Some(format!(
            "More than usual on {}",
            words::category(anomaly.category)
        )),
        figure: Some(CardFigure {
            value: money(anomaly.spent_today, currency),
            caption: "spent today".to_owned(),
        }),
        lines,
        watch_line: None,
    }
}

fn forecast_body(forecast: &BalanceForecast) -> CardBody {
    let mut lines = Vec::new();
    if let Some(day) = forecast.hits_zero {
        lines.push(format!("At this pace it reaches zero on {}.", date(day)));
    }
    let Some(balance) = forecast.balance_eom else {
        lines.push("The month's end cannot be said yet.".to_owned());
        return CardBody {
            lines,
            ..CardBody::default()
        };
    };
    lines.push(format!("Confidence {} %.", forecast.confidence.0 / 10));
    CardBody {
        figure: Some(CardFigure {
            value: money(balance, &forecast.currency),
            caption: "expected at the month's end".to_owned(),
        }),
        lines,
        ..CardBody::default()
    }
}
