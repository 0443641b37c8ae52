//! The morning brief: as it was shown, or what would stand in it, and when the next one comes.
//!
//! What: [`blocks`] and [`brief_hour`]. Why: who missed the card finds it again; who is early sees when it comes. Not here: when it is due (the machine), the
//! days' events (`two_days`).

use super::{SectionBlock, SectionItem};
use crate::render::body::{BriefContext, NamedBeside, brief_lines};
use chrono_tz::Tz;
use serde::Deserialize as _;
use surfaces_base::{
    backend::DisplayNames,
    backend::owner::{BriefObstacle, NextBrief, OwnerStatus},
    format::{self, clock},
    words,
};
use toolcall_schema::{
    AgentName, AgentStatus, Timestamp,
    catalogue::orchestrator::ShowBrief,
    tick::ReadingKey,
    trace::{CallRecord, Trace},
};

/// The agents that a brief expects, with what each would put into it, and the page that has what is counted. Who waits is counted as it is now.
const EXPECTED: [(AgentName, &[(ReadingKey, &str)]); 2] = [
    (AgentName::Comms, &[(ReadingKey::Messages, "/people")]),
    (
        AgentName::Calendar,
        &[
            (ReadingKey::EventsToday, "/agenda"),
            (ReadingKey::Conflicts, "/agenda"),
        ],
    ),
];
/// Where all who wait are listed.
const WHO_WAITS: &str = "/chats/waiting";

/// Where the owner says from when on it may come: the field's own place.
pub const BRIEF_FIELD: &str = "/settings#brief_time";

/// Today's brief, from today's decisions, newest first. `is_day_named`: whether the page names today's events beside it. `waiting`: how many wait now, as every
/// page counts them; a decision knows how many waited when it was made.
pub fn blocks(
    traces: &[Trace],
    standing: &OwnerStatus,
    labels: &DisplayNames,
    is_day_named: bool,
    waiting: Option<u32>,
) -> Vec<SectionBlock> {
    let zone = format::zone(&standing.settings.zone);
    let shown = traces.iter().find_map(|trace| {
        trace
            .tool_calls
            .iter()
            .find_map(brief)
            .map(|brief| (trace, brief))
    });
    if let Some((trace, brief)) = shown {
        let mut says = vec![words::brief_shown(&clock(trace.decision.ts, zone))];
        let told = BriefContext {
            labels,
            zone,
            // The day stands below it, by name.
            beside: NamedBeside {
                waiting: waiting.is_some(),
                day: is_day_named,
                clash: false,
            },
            leaving: None,
        };
        says.extend(brief_lines(&brief, &told));
        if waiting == Some(0) {
            says.push(words::nothing_waits());
        }
        let why = SectionItem {
            trace: Some(trace.trace_id.clone()),
            ..SectionItem::new(words::WHY_THIS.say(), "")
        };
        return vec![SectionBlock {
            id: "brief",
            title: words::TODAYS_BRIEF.say(),
            says,
            items: waiting.and_then(waiting_row).into_iter().chain([why]).collect(),
        }];
    }
    let items = newest_look(traces).map(|trace| foreseen(trace, waiting));
    let unknown = match &items {
        None => Some(words::BRIEF_NOT_LOOKED.say().to_owned()),
        Some(items) if items.is_empty() => Some(words::BRIEF_NOTHING_KNOWN.say().to_owned()),
        Some(_) => None,
    };
    vec![SectionBlock {
        id: "brief",
        title: words::NO_BRIEF_YET.say(),
        says: unknown.into_iter().collect(),
        items: items.unwrap_or_default(),
    }]
}

/// When the next brief comes, in sentences, and the way to what forbids it at its hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefHour {
    pub says: Vec<String>,
    /// Its address and words.
    pub change: Option<(&'static str, &'static str)>,
}

/// When the next brief comes; `now`: for the day's name.
pub fn brief_hour(brief: &NextBrief, now: Timestamp, zone: Tz) -> BriefHour {
    let at = |moment| format::clock_on(moment, now, zone);
    let Some(against) = &brief.against else {
        return BriefHour {
            says: vec![words::brief_comes(&at(brief.comes.unwrap_or(brief.due)))],
            change: None,
        };
    };
    let comes = match brief.comes {
        Some(comes) => words::brief_comes_later(&at(comes)),
        None => words::BRIEF_NEVER.say().to_owned(),
    };
    BriefHour {
        says: vec![words::brief_against(&at(brief.due), against), comes],
        change: Some(match against {
            BriefObstacle::Pause => ("/#say", words::TO_PAUSE.say()),
            BriefObstacle::Rule(_) => ("/settings#rules", words::YOUR_RULES.say()),
            BriefObstacle::QuietHours => ("/settings#quiet", words::CHANGE_QUIET.say()),
            BriefObstacle::NoInterruption => ("/settings#ceiling", words::CHANGE_CEILING.say()),
        }),
    }
}

/// The brief that a call showed.
fn brief(call: &CallRecord) -> Option<ShowBrief> {
    let showed = call.tool == "orchestrator.show_brief" && call.result.is_some();
    showed.then(|| ShowBrief::deserialize(&*call.args).ok()).flatten()
}

/// The newest decision for which the agents were asked: for what the owner had done, none is.
fn newest_look(traces: &[Trace]) -> Option<&Trace> {
    let answers = |trace: &&Trace| {
        let status = &trace.decision.agent_status;
        EXPECTED
            .iter()
            .any(|(agent, _)| status.get(agent) == Some(&AgentStatus::Answered))
    };
    traces.iter().find(answers)
}

/// How many wait now, where somebody does.
fn waiting_row(count: u32) -> Option<SectionItem> {
    let row = SectionItem::new(words::reading(ReadingKey::Actionable), count.to_string());
    (count > 0).then(|| row.leading_to(WHO_WAITS))
}

/// What would stand in it, as far as that decision knows, and who waits now; what is not known, and what there is none of, has no row.
fn foreseen(trace: &Trace, waiting: Option<u32>) -> Vec<SectionItem> {
    let decision = &trace.decision;
    let mut items = Vec::new();
    for (agent, keys) in EXPECTED {
        let who_waits = waiting
            .filter(|_| agent == AgentName::Comms)
            .and_then(waiting_row);
        if decision.agent_status.get(&agent) != Some(&AgentStatus::Answered) {
            items.push(SectionItem::new(words::agent(agent), words::NOT_READ.say()));
            items.extend(who_waits);
            continue;
        }
        for (key, page) in keys.iter().copied() {
            let readings = decision.signals.get(&agent).into_iter().flatten();
            let value = readings
                .filter(|reading| reading.key == key && reading.value > 0.0)
                .map(|reading| format::reading_value(reading, reading.value))
                .next();
            items.extend(value.map(|value| SectionItem::new(words::reading(key), value).leading_to(page)));
        }
        items.extend(who_waits);
    }
    items
}
