//! Calendar: events, travel, conflicts.
//!
//! What: [`Calendar`], the agent: when to leave, the day's brief, declines. Why: an alert in time is worth an
//! interruption. Not here: sending anything (a decline is a file in the owner's outbox).

pub mod facts;
mod kept;
pub mod looking;
pub mod model;
mod preferences;
pub mod recur;
pub mod sources;
pub mod tick;
pub mod tools;

use crate::{
    agent::{Agent, Setup, StateError},
    shared::{Changed, Inbox, Report, SkipCode, WRONG_PAYLOAD, answer, described, files, read_whole},
    zone::{day_start, local_date},
};
use chrono::{DateTime, NaiveDate, Utc};
use facts::Told;
pub(crate) use kept::State;
use kept::{coarse, without_point};
use model::{Instance, conflicts, expand, instance_id};
pub use preferences::Preferences;
use recur::Span;
use serde::Deserialize as _;
use serde_json::Value;
use sources::ics::{self, Event};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};
use tick::{MAX_BUFFER, View};
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::{CalendarTool, shared::ThingId},
    cell::Cell,
    ids::{EventId, SignalId},
    result::{ToolEffect, ToolErrorCode},
    signal::{Location, Payload, SignalKind},
    tick::{IngestArgs, IngestResult, SEEN_MAX, Seen, TickArgs, TickResult},
};
use tools::Invitation;

/// More events than are kept.
pub const TOO_MANY_EVENTS: SkipCode = SkipCode {
    code: "AGENT-016",
    message: "more than 10000 events, or more than 1024 in four days: the rest is left out, name fewer calendars",
};

/// How long the owner's place is known to the metre: an hour, in milliseconds.
const POINT_MS: i64 = 3_600_000;
/// Events kept of all sources.
const MAX_EVENTS: usize = 10_000;
/// Which VEVENT: the series and the instance it replaces.
type EventKey = (String, Option<DateTime<Utc>>);

/// The same, borrowed.
type Copies<'a> = (&'a str, Option<DateTime<Utc>>);

/// The agent.
pub struct Calendar {
    setup: Setup,
    /// Lower-case addresses of the owner.
    addresses: Vec<String>,
    inbox: Inbox,
    seen: Changed,
    /// Events of each file: they hold text and stay in memory.
    files: BTreeMap<PathBuf, Vec<Event>>,
    posted: BTreeMap<EventKey, Event>,
    /// Instances of posted events from before a restart.
    remembered: Vec<Instance>,
    instances: Vec<Instance>,
    pairs: Vec<(usize, usize)>,
    /// The local day for which `instances` were expanded.
    expanded: Option<NaiveDate>,
    place: Option<(Timestamp, Location)>,
    told: BTreeMap<EventId, Told>,
    declined: BTreeSet<EventId>,
    /// Whether any calendar was ever read.
    any: bool,
    cursor: u64,
    changed: bool,
}

impl Calendar {
    /// An agent that has read nothing yet.
    pub fn new(setup: Setup) -> Self {
        let lower = |texts: &[String]| texts.iter().map(|t| t.trim().to_lowercase()).collect();
        Self {
            addresses: lower(&setup.owner.addresses),
            setup,
            inbox: Inbox::default(),
            seen: Changed::default(),
            files: BTreeMap::new(),
            posted: BTreeMap::new(),
            remembered: Vec::new(),
            instances: Vec::new(),
            pairs: Vec::new(),
            expanded: None,
            place: None,
            told: BTreeMap::new(),
            declined: BTreeSet::new(),
            any: false,
            cursor: 0,
            changed: false,
        }
    }

    /// The instances from yesterday to the day after tomorrow, in order of start.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    fn read_files(&mut self, report: &mut Report) -> bool {
        let present = files(&self.setup.sources.calendar, &["ics", "ical"], report);
        let mut changed = false;
        for file in &present {
            if !self.seen.is(file) {
                continue;
            }
            changed = true;
            match read_whole(file) {
                Ok(bytes) => {
                    let read = ics::read(&bytes, &file.name, self.setup.owner.zone, &self.addresses);
                    for (code, line) in read.skips {
                        report.skip(code, &file.name, Some(line));
                    }
                    let events = self.within_limit(read.events, Some(&file.path), &file.name, report);
                    self.files.insert(file.path.clone(), events);
                }
                Err(code) => {
                    self.files.remove(&file.path);
                    report.skip(code, &file.name, None);
                }
            }
        }
        for path in self.seen.gone(&present) {
            changed |= self.files.remove(&path).is_some();
        }
        self.any |= !present.is_empty();
        changed
    }

    fn read_signals(&mut self, at: Timestamp, report: &mut Report, seen: &mut Vec<Seen>) -> bool {
        let mut changed = false;
        let kinds = [SignalKind::Calendar, SignalKind::Location];
        for signal in self.inbox.take(at, &kinds, report) {
            match signal.payload() {
                Ok(Payload::Calendar(data)) => {
                    let read = ics::read(
                        data.ics.as_bytes(),
                        signal.id.as_str(),
                        self.setup.owner.zone,
                        &self.addresses,
                    );
                    for (code, line) in read.skips {
                        report.skip(code, signal.id.as_str(), Some(line));
                    }
                    for event in self.within_limit(read.events, None, signal.id.as_str(), report) {
                        let series = self.setup.key.event(&event.uid, "");
                        self.remembered.retain(|i| i.series != series);
                        newest(&mut self.posted, event);
                    }
                    self.any = true;
                    changed = true;
                }
                Ok(Payload::Location(place)) if sound(place) => {
                    if self.place.is_none_or(|(known, _)| known <= signal.at) {
                        self.place = Some((signal.at, place));
                        self.changed = true;
                    }
                    seen.extend(
                        Cell::of(place.lat, place.lon).map(|cell| Seen::Place { cell, at: signal.at }),
                    );
                    report.keep();
                }
                Ok(
                    Payload::Location(_)
                    | Payload::Notification(_)
                    | Payload::Mail(_)
                    | Payload::BankSms(_)
                    | Payload::Transaction(_)
                    | Payload::Hrv(_)
                    | Payload::Sleep(_)
                    | Payload::Activity(_)
                    | Payload::PhoneUnlock
                    | Payload::Dnd(_),
                )
                | Err(_) => report.skip(WRONG_PAYLOAD, signal.id.as_str(), None),
            }
        }
        changed
    }

    /// The events that still fit, counted as read. `instead_of` is the file whose events they replace.
    fn within_limit(
        &self,
        mut events: Vec<Event>,
        instead_of: Option<&PathBuf>,
        item: &str,
        report: &mut Report,
    ) -> Vec<Event> {
        let kept: usize = self
            .files
            .iter()
            .filter(|(path, _)| instead_of != Some(*path))
            .map(|(_, events)| events.len())
            .sum();
        let room = MAX_EVENTS.saturating_sub(kept + self.posted.len());
        let over = u32::try_from(events.len().saturating_sub(room)).unwrap_or(u32::MAX);
        report.skip_many(TOO_MANY_EVENTS, item, None, over);
        events.truncate(room);
        for _ in &events {
            report.keep();
        }
        events
    }

    /// One copy of each VEVENT over all sources: the highest `SEQUENCE`, then `DTSTAMP`; of equals the posted one.
    fn merged(&self) -> Vec<(&Event, bool)> {
        let mut best: BTreeMap<Copies<'_>, (&Event, bool)> = BTreeMap::new();
        let all = self
            .files
            .values()
            .flatten()
            .map(|e| (e, false))
            .chain(self.posted.values().map(|e| (e, true)));
        for (event, posted) in all {
            let slot = best
                .entry((event.uid.as_str(), event.replaces))
                .or_insert((event, posted));
            if version(event) >= version(slot.0) {
                *slot = (event, posted);
            }
        }
        best.into_values().collect()
    }

    fn expand(&mut self, at: Timestamp, report: &mut Report) {
        let zone = self.setup.owner.zone;
        let today = local_date(at, zone);
        let edge = |days: i64| {
            let date = today + chrono::TimeDelta::days(days);
            day_start(date, zone).utc()
        };
        let span = Span {
            from: edge(-1),
            to: edge(2),
        };
        let mut instances = self.instances_in(span, &mut |event, code| {
            report.skip(code, &event.item, Some(event.line));
        });
        let over = instances.len().saturating_sub(model::MAX_INSTANCES);
        report.skip_many(
            TOO_MANY_EVENTS,
            "instances",
            None,
            u32::try_from(over).unwrap_or(u32::MAX),
        );
        instances.truncate(model::MAX_INSTANCES);
        self.declined.retain(|id| instances.iter().any(|i| i.id == *id));
        self.pairs = conflicts(&instances);
        self.instances = instances;
        self.expanded = Some(today);
        self.changed = true;
    }

    /// The instances that touch a span, in order of start. `broken` is called for each rule that cannot be expanded.
    fn instances_in(&self, span: Span, broken: &mut dyn FnMut(&Event, SkipCode)) -> Vec<Instance> {
        let merged = self.merged();
        let mut instances = expand(
            merged.iter().copied(),
            &self.setup.key,
            self.setup.owner.zone,
            span,
            broken,
        );
        let known: BTreeSet<EventId> = instances.iter().map(|i| i.id.clone()).collect();
        let old = self.remembered.iter().filter(|i| {
            !known.contains(&i.id)
                && i.start < Timestamp::from(span.to)
                && i.end >= Timestamp::from(span.from)
        });
        instances.extend(old.cloned());
        instances.sort_by(|a, b| (a.start, a.end, &a.id).cmp(&(b.start, b.end, &b.id)));
        instances
    }

    /// The instances of some local days, for a tool that looks beyond the window; rules that cannot be expanded were
    /// named when they were read.
    fn days(&self, first: NaiveDate, after_last: NaiveDate) -> Result<Vec<Instance>, ToolErrorCode> {
        if !self.any {
            return Err(ToolErrorCode::NotEnoughData);
        }
        let zone = self.setup.owner.zone;
        let span = Span {
            from: day_start(first, zone).utc(),
            to: day_start(after_last, zone).utc(),
        };
        let mut instances = self.instances_in(span, &mut |_, _| {});
        instances.truncate(model::MAX_INSTANCES);
        Ok(instances)
    }

    /// The events that came from one file or signal.
    fn of_source(&self, source: &SignalId) -> Vec<&Event> {
        let all = self.files.values().flatten().chain(self.posted.values());
        all.filter(|event| *event.item == *source.as_str()).collect()
    }

    /// What events are called, by instance (the first of a series, or one that replaces another) and by series.
    fn summaries(&self) -> BTreeMap<EventId, &str> {
        let (key, zone) = (&self.setup.key, self.setup.owner.zone);
        let mut out = BTreeMap::new();
        for (event, _) in self.merged() {
            let Some(summary) = event.summary.as_deref() else {
                continue;
            };
            out.insert(looking::event_id(event, key, zone), summary);
            if event.replaces.is_none() {
                out.insert(key.event(&event.uid, ""), summary);
            }
        }
        out
    }

    fn place(&self) -> Option<Location> {
        self.place.map(|(_, place)| place).or(self.setup.owner.home)
    }

    fn buffer_min(&self) -> u32 {
        self.setup.owner.buffer_min.min(MAX_BUFFER)
    }

    fn state(&self) -> Value {
        // No place leaves this process but as the middle of its cell.
        let posted = self.instances.iter().filter(|i| i.posted).cloned();
        let state = State {
            cursor: self.cursor,
            posted: posted.map(without_point).collect(),
            place: self.place.map(|(at, place)| (at, coarse(place))),
            told: self.told.clone(),
            declined: self.declined.clone(),
            any: self.any,
        };
        // Ids, numbers and enums: serializing them cannot fail. Null would only mean "unchanged".
        serde_json::to_value(state).unwrap_or(Value::Null)
    }

    /// The event behind an instance, as a decline must name it.
    fn invitation(&self, id: &EventId) -> Option<Invitation<'_>> {
        let instance = self.instances.iter().find(|i| i.id == *id)?;
        let merged = self.merged();
        let replacing = merged.iter().find_map(|(event, _)| {
            let original = event.replaces?;
            (instance_id(&self.setup.key, &event.uid, original) == *id).then_some(Invitation {
                event,
                original: Some(original),
            })
        });
        replacing.or_else(|| {
            merged
                .iter()
                .find(|(event, _)| {
                    event.replaces.is_none() && self.setup.key.event(&event.uid, "") == instance.series
                })
                .map(|(event, _)| Invitation {
                    event,
                    original: (event.rule.is_some() || !event.extra.is_empty()).then(|| instance.start.utc()),
                })
        })
    }
}

fn sound(place: Location) -> bool {
    (-90.0..=90.0).contains(&place.lat) && (-180.0..=180.0).contains(&place.lon)
}

fn version(event: &Event) -> (u32, Option<Timestamp>) {
    (event.sequence, event.stamp)
}

/// Keeps the newer copy of an event.
fn newest(events: &mut BTreeMap<EventKey, Event>, event: Event) {
    let key = (event.uid.clone(), event.replaces);
    let older = events
        .get(&key)
        .is_some_and(|known| version(&event) < version(known));
    if !older {
        events.insert(key, event);
    }
}

impl Agent for Calendar {
    fn name(&self) -> AgentName {
        AgentName::Calendar
    }

    fn restore(&mut self, state: &Value) -> Result<(), StateError> {
        let state = State::deserialize(state).map_err(|source| StateError {
            agent: AgentName::Calendar,
            source,
        })?;
        self.cursor = state.cursor;
        self.remembered = state.posted;
        // Without the text of the invitation there is nothing to answer.
        for instance in &mut self.remembered {
            instance.unanswered = false;
        }
        self.remembered.truncate(model::MAX_INSTANCES);
        self.place = state.place;
        self.told = state.told;
        self.declined = state.declined;
        self.any = state.any;
        self.expanded = None;
        Ok(())
    }

    fn accept(&mut self, signals: Vec<toolcall_schema::signal::Signal>) {
        self.inbox.accept(signals);
    }

    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult {
        let mut report = Report::default();
        let files = self.read_files(&mut report);
        let mut seen = Vec::new();
        let signals = self.read_signals(at, &mut report, &mut seen);
        seen.drain(..seen.len().saturating_sub(SEEN_MAX));
        // Where exactly the owner was is known for an hour, and to this process alone.
        if let Some((since, place)) = &mut self.place
            && at.since(*since) >= POINT_MS
        {
            *place = coarse(*place);
        }
        if files || signals || self.expanded != Some(local_date(at, self.setup.owner.zone)) {
            self.expand(at, &mut report);
        }
        let (facts, told) = facts::facts(
            &self.instances,
            &self.told,
            self.setup.owner.zone,
            self.place(),
            self.buffer_min(),
            at,
        );
        self.changed |= told != self.told;
        self.told = told;
        // An asker with another cursor has not got our last state.
        let give = self.changed || args.cursor != self.cursor;
        if give {
            self.cursor = self.cursor.max(args.cursor).saturating_add(1);
            self.changed = false;
        }
        IngestResult {
            cursor: self.cursor,
            facts,
            seen,
            read: report.read,
            skipped: report.skipped,
            skips: report.skips,
            taken: report.taken,
            left: report.left,
            agent_state: if give { self.state() } else { Value::Null },
        }
    }

    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult {
        let view = View {
            instances: &self.instances,
            conflicts: &self.pairs,
            declined: &self.declined,
            zone: self.setup.owner.zone,
            place: self.place(),
            buffer_min: self.buffer_min(),
            any: self.any,
        };
        tick::tick(&view, args, at)
    }

    fn act(&mut self, tool: &Tool, at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
        let Tool::Calendar(tool) = tool else {
            return Err(ToolErrorCode::Unavailable);
        };
        match tool {
            CalendarTool::TravelAwareAlert(args) => {
                let (result, effects) = tools::travel_aware_alert(&self.instances, self.place(), args, at)?;
                answer(&result, effects)
            }
            CalendarTool::AutoDecline(args) => {
                let invitation = self.invitation(&args.event_id);
                let (result, effects) = tools::auto_decline(&self.instances, invitation, args, at)?;
                self.declined.insert(args.event_id.clone());
                self.changed = true;
                answer(&result, effects)
            }
            CalendarTool::DetectConflicts(args) => {
                let next = args.day.succ_opt().unwrap_or(args.day);
                let begin = day_start(args.day, self.setup.owner.zone);
                let result = looking::detect_conflicts(&self.days(args.day, next)?, begin);
                answer(&result, Vec::new())
            }
            CalendarTool::SuggestSlots(args) => {
                let zone = self.setup.owner.zone;
                let first = local_date(args.after, zone);
                let last = first.checked_add_days(looking::SLOT_DAYS).unwrap_or(first);
                let result = looking::suggest_slots(&self.days(first, last)?, args, zone);
                answer(&result, Vec::new())
            }
            CalendarTool::ParseIcsAttachment(args) => {
                let events = self.of_source(&args.source_id);
                let result = looking::parsed(&events, &self.setup.key, self.setup.owner.zone)?;
                answer(&result, Vec::new())
            }
            CalendarTool::Describe(args) => {
                let summaries = self.summaries();
                let name = |id: &ThingId| match id {
                    ThingId::Event(event) => summaries.get(event).copied().or_else(|| {
                        let instance = self.instances.iter().find(|i| i.id == *event)?;
                        summaries.get(&instance.series).copied()
                    }),
                    ThingId::Item(_) | ThingId::Channel(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
                };
                answer(&described(&args.ids, name), Vec::new())
            }
            // The host answers these two itself.
            CalendarTool::Ingest(_) | CalendarTool::Tick(_) => Err(ToolErrorCode::Unavailable),
        }
    }
}

#[cfg(test)]
mod tests;
