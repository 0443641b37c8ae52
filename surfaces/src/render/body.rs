//! What a card says: one function for each kind of result.
//!
//! What: title, figure and lines from the decision (a question) or from results that passed (a statement). Why: the real
//! numbers of a card are made here and nowhere else. Not here: buttons, countdowns, surfaces (`card`).

use super::{card::CardFigure, sentence::of_decision};
use chrono_tz::Tz;
use serde::{Deserialize as _, de::DeserializeOwned};
use surfaces_base::language::{say, text};
use surfaces_base::{
    backend::DisplayNames,
    format::{self, clock, date, minutes, money, reading_value, usual, zone},
    words,
};
use toolcall_schema::{
    ActionKind,
    catalogue::{
        calendar::{AutoDeclineResult, LeaveBy, PreparedMeeting},
        comms::{DigestResult, DraftResult, MuteResult},
        finance::{AnomalyResult, BalanceForecast, CategorizeResult},
        orchestrator::{BriefSection, ShowBrief},
        wellness::CourseStarted,
    },
    ids::EventId,
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

/// What a page names beside a card, so that its lines need not count it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NamedBeside {
    /// Whose messages wait for an answer.
    pub waiting: bool,
    /// The day's events that clash.
    pub day: bool,
    /// What an invitation clashes with.
    pub clash: bool,
}

/// The body of a card: a question while nothing was carried out, else what came of it.
pub(super) fn body(
    decision: &Decision,
    chosen: &ChosenAction,
    calls: &[CallRecord],
    labels: &DisplayNames,
    beside: NamedBeside,
) -> CardBody {
    let zone = zone(&decision.user.zone);
    let Some((primary, companions)) = calls.split_first() else {
        return question(decision, chosen, labels, beside);
    };
    if primary.result.is_none() {
        return CardBody {
            title: Some(text("card-body-body-it-did-not").to_owned()),
            lines: primary
                .error
                .map(|code| words::tool_error(code).to_owned())
                .into_iter()
                .collect(),
            watch_line: Some(text("card-body-body-it-did-not").to_owned()),
            figure: None,
        };
    }
    let leaving = chosen.companion.iter().zip(companions).find_map(|(kind, call)| {
        let leave = (*kind == ActionKind::LeaveByAlert).then(|| read::<LeaveBy>(call));
        leave.flatten().map(|leave| leave.event_id)
    });
    let told = BriefContext {
        labels,
        zone,
        beside,
        leaving,
    };
    let mut body = result(chosen, primary, &told).unwrap_or_default();
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
    // What is named beside it needs no counts.
    if body.lines.is_empty() && body.figure.is_none() && beside == NamedBeside::default() {
        body.lines.push(of_decision(decision, labels));
    }
    body
}

/// What speaks for a kind, a line for each figure that was measured.
pub(super) fn facts(decision: &Decision, kind: ActionKind) -> Vec<String> {
    facts_beside(decision, kind, NamedBeside::default())
}

/// The same without what only counts things that are named beside it.
fn facts_beside(decision: &Decision, kind: ActionKind, beside: NamedBeside) -> Vec<String> {
    use ReadingKey as K;
    let wanted: &[ReadingKey] = match kind {
        ActionKind::MuteGroup30 => &[K::BusiestChannel, K::LoadScore],
        ActionKind::Breathe478 => &[K::LoadScore, K::RmssdMs],
        ActionKind::Nap15 => &[K::SleepMin, K::SleepDebtMin, K::LoadScore],
        ActionKind::PermitLeisure => &[K::LoadDrop, K::LoadScore],
        ActionKind::DraftReply => &[K::Actionable],
        ActionKind::DeclineEvent => &[K::Conflicts],
        ActionKind::BatchDigest => &[K::Messages, K::Actionable],
        ActionKind::ShowBrief => &[K::EventsToday, K::Messages, K::Actionable],
        ActionKind::LeaveByAlert => &[K::LeaveInMin, K::TravelMin],
        ActionKind::PrepareMeeting => &[],
        ActionKind::CategorizeTxn => &[K::Uncategorized],
        ActionKind::SurfaceAnomaly => &[K::SpentToday, K::VersusUsualPct],
        ActionKind::ProjectBalance => &[K::BalanceEndOfMonth, K::DaysToZero],
    };
    let readings: Vec<&SignalReading> = decision.signals.values().flatten().collect();
    let is_named =
        |key: ReadingKey| key == K::Actionable && beside.waiting || key == K::Conflicts && beside.clash;
    wanted
        .iter()
        .filter(|key| !is_named(**key))
        .filter_map(|key| readings.iter().find(|reading| reading.key == *key))
        .map(|reading| {
            // A mute counts the chat that it names.
            if kind == ActionKind::MuteGroup30 && reading.key == K::BusiestChannel {
                words::messages_there(&reading_value(reading, reading.value), reading.value)
            } else {
                reading_line(reading)
            }
        })
        .collect()
}

/// A card that asks: the question, with what speaks for it.
fn question(
    decision: &Decision,
    chosen: &ChosenAction,
    labels: &DisplayNames,
    beside: NamedBeside,
) -> CardBody {
    let mut lines = facts_beside(decision, chosen.kind, beside);
    let devices = labels.get(decision.trace_id.as_str());
    if let Some(asker) = chosen.asker {
        let line = devices.map_or_else(|| words::asks_for_it(asker).to_owned(), words::device_asks_for_it);
        lines.insert(0, line);
    } else if lines.is_empty() && beside == NamedBeside::default() {
        lines.push(of_decision(decision, labels));
    }
    let label = labels.get(chosen.subject.as_str());
    let title = label.and_then(|label| match chosen.kind {
        ActionKind::MuteGroup30 => Some(say!("card-body-question-mute-for-30", label)),
        ActionKind::DraftReply => Some(say!("card-body-question-draft-a-reply", label)),
        ActionKind::DeclineEvent => Some(say!("card-body-question-draft-a-decline", label)),
        ActionKind::LeaveByAlert => Some(say!("card-body-question-leave-for", label)),
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
        watch_line: chosen.asker.map(|asker| {
            let what = words::watch_line(chosen.kind);
            devices.map_or_else(
                || words::asks(asker, what),
                |devices| words::device_asks(devices, what),
            )
        }),
        ..CardBody::default()
    }
}

/// `Load 78 of 100 (usually 20 to 60)`.
fn reading_line(reading: &SignalReading) -> String {
    let shown = reading_value(reading, reading.value);
    let line = words::reading_line(reading.key, &shown, reading.value);
    match usual(reading) {
        Some(range) => say!("card-body-reading-line", line, range),
        None => line,
    }
}

fn read<T: DeserializeOwned>(call: &CallRecord) -> Option<T> {
    T::deserialize(call.result.as_deref()?).ok()
}

/// A card whose primary call has its result. `None` when the result is not that tool's: the frame's words stand alone.
fn result(chosen: &ChosenAction, call: &CallRecord, told: &BriefContext<'_>) -> Option<CardBody> {
    let BriefContext { labels, zone, .. } = *told;
    match chosen.kind {
        ActionKind::MuteGroup30 => read::<MuteResult>(call).map(|muted| {
            let until = clock(muted.until, zone);
            let who = labels
                .get(muted.channel_hash.as_str())
                .unwrap_or(text("card-body-result-this-chat"));
            CardBody {
                title: Some(say!("card-body-result-is-quiet-until", who, until = &until)),
                lines: vec![text("card-body-result-a-digest-of").to_owned()],
                watch_line: Some(say!("card-body-result-quiet-until", until)),
                figure: None,
            }
        }),
        ActionKind::Breathe478 => started(call, text("card-body-result-breathing"), zone),
        ActionKind::Nap15 => started(call, text("card-body-result-nap"), zone),
        ActionKind::PermitLeisure => started(call, text("card-body-result-break"), zone),
        ActionKind::BatchDigest => read::<DigestResult>(call).map(|digest| {
            let mut body = digest_body(&digest, labels, told.beside);
            // Of which chat it is, where it is of one.
            if let Some(chat) = labels.get(chosen.subject.as_str()) {
                body.title = body.title.map(|says| say!("card-things-digest-of", chat, says));
            }
            body
        }),
        ActionKind::ShowBrief => ShowBrief::deserialize(&*call.args).ok().map(|brief| CardBody {
            lines: brief_lines(&brief, told),
            ..CardBody::default()
        }),
        ActionKind::LeaveByAlert => read::<LeaveBy>(call).map(|leave| leave_body(&leave, labels, zone)),
        ActionKind::PrepareMeeting => {
            read::<PreparedMeeting>(call).map(|meeting| meeting_body(&meeting, labels, zone))
        }
        ActionKind::CategorizeTxn => read::<CategorizeResult>(call).map(|sorted| {
            let n = u32::try_from(sorted.categories.len()).unwrap_or(u32::MAX);
            CardBody {
                title: Some(say!("card-body-result-sorted", count = n)),
                ..CardBody::default()
            }
        }),
        ActionKind::SurfaceAnomaly => read::<AnomalyResult>(call).map(|anomaly| anomaly_body(&anomaly)),
        ActionKind::ProjectBalance => read::<BalanceForecast>(call).map(|forecast| forecast_body(&forecast)),
        ActionKind::DraftReply => read::<DraftResult>(call).map(|draft| CardBody {
            title: Some(text("card-body-result-the-draft-is").to_owned()),
            lines: words::draft_to(chosen.subject.as_str(), labels.get(chosen.subject.as_str()))
                .into_iter()
                .chain([say!(
                    "card-body-result-nothing-was-sent",
                    count = draft.chars,
                    tone = words::tone(draft.tone)
                )])
                .collect(),
            watch_line: Some(text("card-body-result-a-draft-is").to_owned()),
            figure: None,
        }),
        ActionKind::DeclineEvent => read::<AutoDeclineResult>(call).map(|_| CardBody {
            title: Some(text("card-body-result-the-decline-is").to_owned()),
            lines: words::decline_for(chosen.subject.as_str(), labels.get(chosen.subject.as_str()))
                .into_iter()
                .chain([text("card-body-result-nothing-was-sent-2").to_owned()])
                .collect(),
            watch_line: Some(text("card-body-result-a-decline-is").to_owned()),
            figure: None,
        }),
    }
}

/// The companion's part of a bundle; a failed one drops its section.
fn companion(kind: ActionKind, call: &CallRecord, labels: &DisplayNames, zone: Tz) -> Option<CardBody> {
    match kind {
        ActionKind::LeaveByAlert => read::<LeaveBy>(call).map(|leave| CardBody {
            lines: vec![
                say!(
                    "card-body-leave-body-it-starts-at",
                    clock = clock(leave.start, zone)
                ),
                way(&leave),
            ],
            figure: Some(CardFigure {
                value: clock(leave.leave_by, zone),
                caption: match labels.get(leave.event_id.as_str()) {
                    Some(label) => say!("card-body-companion-leave-by-for", label),
                    None => text("card-body-companion-leave-by").to_owned(),
                },
            }),
            ..CardBody::default()
        }),
        ActionKind::ProjectBalance => read::<BalanceForecast>(call).map(|forecast| {
            let body = forecast_body(&forecast);
            let figure = body.figure.map(|figure| {
                say!(
                    "card-body-companion-figure",
                    value = figure.value,
                    caption = figure.caption
                )
            });
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
        let line = say!(
            "card-body-started-until",
            what,
            clock = clock(started.ends_at, zone)
        );
        CardBody {
            title: Some(line.clone()),
            lines: vec![text("card-body-started-aura-tells-you").to_owned()],
            watch_line: Some(line),
            figure: None,
        }
    })
}

/// What a digest said, for a page that lists it; `None` when the call has no digest.
pub(super) fn digest_said(call: &CallRecord, labels: &DisplayNames) -> Option<Vec<String>> {
    let CardBody { title, lines, .. } = digest_body(&read(call)?, labels, NamedBeside::default());
    Some(
        title
            .map(|title| format!("{title}."))
            .into_iter()
            .chain(lines)
            .collect(),
    )
}

fn digest_body(digest: &DigestResult, labels: &DisplayNames, beside: NamedBeside) -> CardBody {
    let wants = match digest.actionable_count {
        0 => text("card-body-digest-body-nothing-wants-an").to_owned(),
        n => say!("card-body-digest-body-want-an-answer", n),
    };
    CardBody {
        title: Some(say!(
            "card-body-digest-body-can-wait",
            wants = &wants,
            muted_count = digest.muted_count
        )),
        figure: None,
        lines: digest
            .actionable
            .iter()
            .filter(|_| !beside.waiting)
            .filter_map(|item| labels.get(item.item_id.as_str()).map(str::to_owned))
            .chain([say!("card-body-digest-body-read", count = digest.total)])
            .collect(),
        watch_line: Some(wants),
    }
}

fn leave_body(leave: &LeaveBy, labels: &DisplayNames, zone: Tz) -> CardBody {
    let leave_by = clock(leave.leave_by, zone);
    let what = labels
        .get(leave.event_id.as_str())
        .unwrap_or(text("card-body-leave-body-your-next-event"));
    CardBody {
        title: Some(say!("card-body-leave-body-leave-for", what)),
        lines: vec![
            say!(
                "card-body-leave-body-it-starts-at",
                clock = clock(leave.start, zone)
            ),
            way(leave),
        ],
        watch_line: Some(say!("card-body-leave-body-leave-by", leave_by = &leave_by)),
        figure: Some(CardFigure {
            value: leave_by,
            caption: text("card-body-leave-body-leave-by-2").to_owned(),
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
        title: Some(what.unwrap_or(words::UNTITLED_EVENT.say()).to_owned()),
        lines: [words::meeting_others(meeting.others)]
            .into_iter()
            .chain(way)
            .collect(),
        watch_line: Some(words::meeting_at(&start)),
        figure: Some(CardFigure {
            value: start,
            caption: words::IT_STARTS.say().to_owned(),
        }),
    }
}

/// `22 min to get there, with 15 min in hand.`
fn way(leave: &LeaveBy) -> String {
    // `leave_by = start - travel_min - buffer_min`: what is left after the way is the buffer.
    let buffer = leave.start.since(leave.leave_by) / 60_000 - i64::from(leave.travel_min);
    let kept = if buffer > 0 {
        say!("card-body-way-kept-free", minutes = minutes(buffer))
    } else {
        String::new()
    };
    say!(
        "card-body-way-to-get-there",
        minutes = minutes(i64::from(leave.travel_min)),
        kept
    )
}

/// With what a brief is told.
pub(super) struct BriefContext<'a> {
    pub(super) labels: &'a DisplayNames,
    pub(super) zone: Tz,
    pub(super) beside: NamedBeside,
    /// The event that the card says when to leave for.
    pub(super) leaving: Option<EventId>,
}

/// What a brief says, a line for each thing.
pub(super) fn brief_lines(brief: &ShowBrief, told: &BriefContext<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for section in &brief.sections {
        match section {
            BriefSection::Messages { .. } if told.beside.waiting => {}
            BriefSection::Messages { actionable, .. } => lines.push(match actionable {
                0 => text("card-body-brief-lines-none-wants-an").to_owned(),
                n => say!("card-body-brief-lines-want-an-answer", n = *n),
            }),
            BriefSection::Day {
                events,
                conflicts,
                next_event,
                next_start,
            } => {
                if !told.beside.day {
                    lines.push(match (events, conflicts) {
                        (0, _) => text("card-body-brief-lines-nothing-in-the").to_owned(),
                        (_, 0) => words::things_today(*events),
                        (_, n) => format!(
                            "{} {}",
                            words::things_today(*events),
                            say!("card-body-brief-lines-pairs-overlap", n = *n)
                        ),
                    });
                }
                let is_said = told.leaving.is_some() && told.leaving == *next_event;
                lines.extend(next_start.filter(|_| !is_said).map(|start| {
                    let name = next_event.as_ref().and_then(|id| told.labels.get(id.as_str()));
                    let clock = clock(start, told.zone);
                    match name {
                        Some(value) => say!("card-body-brief-lines-at", value, clock),
                        None => say!("card-body-brief-lines-the-next", clock),
                    }
                }));
            }
            BriefSection::NotRead { agent } => lines.push(say!(
                "card-body-brief-lines-not-read",
                agent = words::agent(*agent)
            )),
        }
    }
    lines
}

fn anomaly_body(anomaly: &AnomalyResult) -> CardBody {
    let currency = anomaly.currency.as_str();
    let mut lines = vec![
        say!(
            "card-body-anomaly-body-a-usual-day",
            money = format::money_rounded(anomaly.usual, currency)
        ),
        say!(
            "card-body-anomaly-body-that-is-z",
            severity = words::severity(anomaly.severity)
        ),
    ];
    if anomaly.could_save.is_sign_positive() && !anomaly.could_save.is_zero() {
        lines.push(say!(
            "card-body-anomaly-body-about-could-be",
            money = money(anomaly.could_save, currency)
        ));
    }
    CardBody {
        title: Some(say!(
            "card-body-anomaly-body-more-than-usual",
            category = words::category(anomaly.category)
        )),
        figure: Some(CardFigure {
            value: money(anomaly.spent_today, currency),
            caption: text("card-body-anomaly-body-spent-today").to_owned(),
        }),
        lines,
        watch_line: None,
    }
}

fn forecast_body(forecast: &BalanceForecast) -> CardBody {
    let mut lines = Vec::new();
    if let Some(day) = forecast.hits_zero {
        lines.push(say!("card-body-forecast-body-at-this-pace", date = date(day)));
    }
    let Some(balance) = forecast.balance_eom else {
        lines.push(text("card-body-forecast-body-the-months-end").to_owned());
        return CardBody {
            lines,
            ..CardBody::default()
        };
    };
    lines.push(say!(
        "card-body-forecast-body-confidence",
        confidence = forecast.confidence.0 / 10
    ));
    CardBody {
        figure: Some(CardFigure {
            value: money(balance, &forecast.currency),
            caption: text("card-body-forecast-body-expected-at-the").to_owned(),
        }),
        lines,
        ..CardBody::default()
    }
}
