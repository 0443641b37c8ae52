//! Calendar: events, travel, conflicts, and the tasks beside them.
//!
//! What: [`CalendarAgent`], the agent: when to leave, the day's brief, declines. Why: an alert in time is worth an
//! interruption. Not here: sending anything (a decline is a file in the owner's outbox).

mod decline_draft;
pub(crate) mod event_index;
mod facts;
mod model;
mod queries;
mod recurrence;
pub(crate) mod rrule;
mod series;
pub(crate) mod sources;
mod state;
mod task_list;
mod tick;
mod tools;

use agents_base::{
    contract::{Agent, AgentSetup, AgentStateError, CalendarPlace, KeptState, place_key, state_json},
    shared::{IngestReport, SignalInbox, SkipCode, WRONG_PAYLOAD, answer, described},
    zone::{day_start, local_date},
};
use chrono::{Days, NaiveDate};
pub use decline_draft::{decline_address, decline_comment, decline_file, decline_saying, declined_event};
use event_index::{EventIndex, TOO_MANY_EVENTS};
use facts::{FactContext, ReportedInstance};
pub use model::haversine_km;
use model::{EventInstance, InstanceWindow};
use recurrence::InstantRange;
use serde_json::Value;
use series::{ExpansionContext, FoundInstance, cancelled, expand};
use sources::{
    ics::{CalendarEvent, IcsContext},
    tasks::TaskFile,
};
pub use state::CalendarAgentState;
use state::{coarse, without_point};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use tick::{CalendarView, MAX_BUFFER};
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::{
        CalendarTool,
        calendar::{EventList, ListEvents, ListTasks, TaskList},
        shared::ThingId,
    },
    cell::GridCell,
    ids::EventId,
    preview::TaskCount,
    result::{ToolEffect, ToolErrorCode},
    signal::{LocationData, SignalKind, SignalPayload},
    tick::{GraphObservation, IngestArgs, IngestResult, SEEN_MAX, TickArgs, TickResult},
};
use tools::DeclineTarget;

/// How long the owner's place is known to the metre: an hour, in milliseconds.
const POINT_MS: i64 = 3_600_000;
/// Days before and after today in which an event is found that is in no window.
const LOOKED_UP_DAYS: Days = Days::new(100);
/// The agent.
pub struct CalendarAgent {
    setup: AgentSetup,
    /// Lower-case addresses of the owner.
    addresses: Vec<String>,
    inbox: SignalInbox,
    shelf: EventIndex,
    /// Instances of posted events from before a restart.
    remembered: Vec<EventInstance>,
    /// From yesterday to the day after tomorrow.
    window: InstanceWindow,
    /// The UIDs of the instances in `window`, as far as their events are in memory.
    uids: BTreeMap<EventId, String>,
    /// The local day for which `window` was expanded.
    expanded: Option<NaiveDate>,
    place: Option<(Timestamp, LocationData)>,
    told: BTreeMap<EventId, ReportedInstance>,
    declined: BTreeSet<EventId>,
    /// Whether any calendar was ever read.
    any: bool,
    /// What a reading for names found before the first ingest: its files are not read twice, so that ingest tells of them.
    early: Option<IngestReport>,
    /// Whether the files were read since the start.
    read: bool,
    cursor: u64,
    changed: bool,
}

impl CalendarAgent {
    /// An agent that has read nothing yet.
    pub fn new(setup: AgentSetup) -> Self {
        let lower = |texts: &[String]| texts.iter().map(|t| t.trim().to_lowercase()).collect();
        Self {
            addresses: lower(&setup.owner.addresses),
            setup,
            inbox: SignalInbox::default(),
            shelf: EventIndex::default(),
            remembered: Vec::new(),
            window: InstanceWindow::default(),
            uids: BTreeMap::new(),
            expanded: None,
            place: None,
            told: BTreeMap::new(),
            declined: BTreeSet::new(),
            any: false,
            early: None,
            read: false,
            cursor: 0,
            changed: false,
        }
    }

    /// The instances from yesterday to the day after tomorrow, in order of start.
    pub(crate) fn instances(&self) -> &[EventInstance] {
        self.window.instances()
    }

    fn read_signals(
        &mut self,
        at: Timestamp,
        report: &mut IngestReport,
        seen: &mut Vec<GraphObservation>,
    ) -> bool {
        let mut changed = false;
        let kinds = [SignalKind::Calendar, SignalKind::Location];
        for signal in self.inbox.take(at, &kinds, report) {
            match signal.payload() {
                Ok(SignalPayload::Calendar(data)) => {
                    let reader = IcsContext {
                        zone: self.setup.owner.zone,
                        addresses: &self.addresses,
                        preferences: &self.setup.owner.calendar,
                        key: &self.setup.key,
                    };
                    let uids = self
                        .shelf
                        .post(data.ics.as_bytes(), signal.id.as_str(), reader, report);
                    let known: BTreeSet<EventId> =
                        uids.iter().map(|uid| self.setup.key.event(uid, "")).collect();
                    self.remembered.retain(|i| !known.contains(&i.series));
                    self.any = true;
                    changed = true;
                }
                Ok(SignalPayload::Location(place)) if is_valid_place(place) => {
                    if self.place.is_none_or(|(known, _)| known <= signal.at) {
                        self.place = Some((signal.at, place));
                        self.changed = true;
                    }
                    seen.extend(
                        GridCell::of(place.lat, place.lon)
                            .map(|cell| GraphObservation::Place { cell, at: signal.at }),
                    );
                    report.keep();
                }
                Ok(
                    SignalPayload::Location(_)
                    | SignalPayload::Notification(_)
                    | SignalPayload::Mail(_)
                    | SignalPayload::BankSms(_)
                    | SignalPayload::Transaction(_)
                    | SignalPayload::Hrv(_)
                    | SignalPayload::Sleep(_)
                    | SignalPayload::Activity(_)
                    | SignalPayload::PhoneUnlock
                    | SignalPayload::Dnd(_),
                )
                | Err(_) => report.skip(WRONG_PAYLOAD, signal.id.as_str(), None),
            }
        }
        changed
    }

    fn expand(&mut self, at: Timestamp, report: &mut IngestReport) {
        let zone = self.setup.owner.zone;
        let today = local_date(at, zone);
        let span = around(today, zone);
        let found = self.expanded_in(span, &mut |event, code| {
            report.skip(code, &event.item, Some(event.line));
        });
        let uids = found
            .iter()
            .map(|found| (found.instance.id.clone(), found.event.uid.clone()))
            .collect();
        let all = self.with_remembered(found, span);
        let before = all.len();
        let instances = model::nearest(all, day_start(today, zone));
        let over = before - instances.len();
        self.uids = uids;
        report.skip_many(
            TOO_MANY_EVENTS,
            "instances",
            None,
            u32::try_from(over).unwrap_or(u32::MAX),
        );
        self.declined.retain(|id| instances.iter().any(|i| i.id == *id));
        self.window = InstanceWindow::new(instances);
        self.expanded = Some(today);
        self.changed = true;
    }

    /// The instances of the events in memory that touch a span. `trouble` is called for each rule that cannot be expanded.
    fn expanded_in(
        &self,
        span: InstantRange,
        trouble: &mut dyn FnMut(&CalendarEvent, SkipCode),
    ) -> Vec<FoundInstance<'_>> {
        expand(&self.shelf.merged(), self.terms(span), trouble)
    }

    fn terms(&self, span: InstantRange) -> ExpansionContext<'_> {
        ExpansionContext {
            key: &self.setup.key,
            owner: self.setup.owner.zone,
            span,
        }
    }

    /// Joined by those from before a restart, in order of start.
    fn with_remembered(&self, found: Vec<FoundInstance<'_>>, span: InstantRange) -> Vec<EventInstance> {
        let mut instances: Vec<EventInstance> = found.into_iter().map(|found| found.instance).collect();
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
    fn days(&self, first: NaiveDate, after_last: NaiveDate) -> Result<Vec<EventInstance>, ToolErrorCode> {
        if !self.any {
            return Err(ToolErrorCode::NotEnoughData);
        }
        let zone = self.setup.owner.zone;
        let span = InstantRange {
            from: day_start(first, zone).utc(),
            to: day_start(after_last, zone).utc(),
        };
        Ok(self.with_remembered(self.expanded_in(span, &mut |_, _| {}), span))
    }

    /// What the owner has on some local days, with the texts that are in memory.
    fn list_days(&self, args: &ListEvents) -> Result<EventList, ToolErrorCode> {
        if !self.any {
            return Err(ToolErrorCode::NotEnoughData);
        }
        let zone = self.setup.owner.zone;
        let days = Days::new(u64::from(args.days.saturating_sub(1)));
        let last = args.first.checked_add_days(days).unwrap_or(args.first);
        let span = InstantRange {
            from: day_start(args.first, zone).utc(),
            to: day_start(last.succ_opt().unwrap_or(last), zone).utc(),
        };
        let merged = self.shelf.merged();
        let found = expand(&merged, self.terms(span), &mut |_, _| {});
        let texts = found
            .iter()
            .map(|found| (found.instance.id.clone(), found.event))
            .collect();
        Ok(queries::list_events(
            self.with_remembered(found, span),
            &texts,
            self.shelf.busy(),
            (args.first, last),
            &queries::ListContext {
                place: self.place(),
                buffer_min: self.buffer_min(),
                zone,
                preferences: &self.setup.owner.calendar,
                cancelled: &cancelled(&merged, self.terms(span)),
            },
        ))
    }

    /// The tasks of some local days.
    fn list_tasks(&self, args: &ListTasks, at: Timestamp) -> TaskList {
        let zone = self.setup.owner.zone;
        let days = Days::new(u64::from(args.days.saturating_sub(1)));
        let last = args.first.checked_add_days(days).unwrap_or(args.first);
        let merged = self.shelf.merged_tasks();
        let all = task_list::occurrences(&merged, &self.setup.key, zone, at);
        task_list::list_tasks(&all, (args.first, last), local_date(at, zone), zone)
    }

    /// An instance with the event behind it, of the window or else of the months around it: a page of a month leads to its events.
    fn looked_up(&self, id: &EventId, at: Timestamp) -> Option<(EventInstance, Option<&CalendarEvent>)> {
        if let Some(kept) = self.instances().iter().find(|i| i.id == *id) {
            return Some((kept.clone(), self.found(id).map(|found| found.event)));
        }
        let zone = self.setup.owner.zone;
        let today = local_date(at, zone);
        let edge = |day: Option<NaiveDate>| day_start(day.unwrap_or(today), zone).utc();
        let span = InstantRange {
            from: edge(today.checked_sub_days(LOOKED_UP_DAYS)),
            to: edge(today.checked_add_days(LOOKED_UP_DAYS)),
        };
        let found = self.expanded_in(span, &mut |_, _| {});
        let found = found.into_iter().find(|found| found.instance.id == *id)?;
        Some((found.instance, Some(found.event)))
    }

    /// An instance of the window with the event behind it: an answer to it needs its text.
    fn found(&self, id: &EventId) -> Option<FoundInstance<'_>> {
        let instance = self.instances().iter().find(|i| i.id == *id)?;
        let span = InstantRange {
            from: instance.start.utc(),
            to: instance.start.plus_ms(1).utc(),
        };
        let copies = self.shelf.series(self.uids.get(id)?);
        let found = expand(&copies, self.terms(span), &mut |_, _| {});
        found.into_iter().find(|found| found.instance.id == *id)
    }

    /// Reads what is new in the files. Whether anything is.
    fn read_files(&mut self, report: &mut IngestReport) -> bool {
        let reader = IcsContext {
            zone: self.setup.owner.zone,
            addresses: &self.addresses,
            preferences: &self.setup.owner.calendar,
            key: &self.setup.key,
        };
        let (files, any) = self.shelf.refresh(&self.setup.sources.calendar, reader, report);
        self.any |= any;
        self.read = true;
        files
    }

    /// Reads the files before the first ingest, when a name is asked for earlier.
    fn read_early(&mut self, at: Timestamp) {
        if self.read {
            return;
        }
        let mut report = IngestReport::default();
        self.read_files(&mut report);
        self.expand(at, &mut report);
        self.early = Some(report);
    }

    /// What events are called, by first instance and by series.
    fn summaries(&self) -> BTreeMap<EventId, &str> {
        let (key, zone) = (&self.setup.key, self.setup.owner.zone);
        let mut out = BTreeMap::new();
        for (event, _) in self.shelf.merged() {
            let Some(summary) = event.summary.as_deref() else {
                continue;
            };
            out.insert(queries::event_id(event, key, zone), summary);
            if event.replaces.is_none() {
                out.insert(key.event(&event.uid, ""), summary);
            }
        }
        out
    }

    fn place(&self) -> Option<LocationData> {
        self.place.map(|(_, place)| place).or(self.setup.owner.home)
    }

    fn buffer_min(&self) -> u32 {
        self.setup.owner.buffer_min.min(MAX_BUFFER)
    }

    fn state(&self, at: Timestamp) -> Value {
        // No place leaves this process but as the middle of its cell.
        let posted = self.instances().iter().filter(|i| i.posted).cloned();
        let state = CalendarAgentState {
            cursor: self.cursor,
            posted: posted.map(without_point).collect(),
            busy: self.shelf.posted_busy(at),
            place: self.place.map(|(at, place)| (at, coarse(place))),
            told: self.told.clone(),
            declined: self.declined.clone(),
            any: self.any,
        };
        // Ids, numbers and enums: serializing them cannot fail. Null would only mean "unchanged".
        state_json::<CalendarAgentState>(&state).unwrap_or(Value::Null)
    }

    /// The event behind an instance, as a decline must name it.
    fn invitation(&self, id: &EventId) -> Option<DeclineTarget<'_>> {
        let found = self.found(id)?;
        let event = found.event;
        let one_of_many = event.replaces.is_some() || !event.rules.is_empty() || !event.extra.is_empty();
        Some(DeclineTarget {
            event,
            original: one_of_many.then_some(found.original),
        })
    }
}

/// Whether a file is one that a program keeps tasks in, by its name alone.
pub fn is_task_file(path: &Path) -> bool {
    TaskFile::in_folder(path).is_some()
}

/// Whether a file begins as an export of Taskwarrior does.
pub fn is_task_export(head: &[u8]) -> bool {
    let names = [&b"\"uuid\""[..], b"\"status\"", b"\"description\"", b"\"entry\""];
    let is_named = |name: &&[u8]| head.windows(name.len()).any(|bytes| bytes == *name);
    let head_of_list = head.trim_ascii_start();
    (head_of_list.starts_with(b"[") || head_of_list.starts_with(b"{")) && names.iter().all(is_named)
}

/// From yesterday to the end of the day after tomorrow.
fn around(today: NaiveDate, zone: chrono_tz::Tz) -> InstantRange {
    let edge = |days: i64| day_start(today + chrono::TimeDelta::days(days), zone).utc();
    InstantRange {
        from: edge(-1),
        to: edge(2),
    }
}

fn is_valid_place(place: LocationData) -> bool {
    (-90.0..=90.0).contains(&place.lat) && (-180.0..=180.0).contains(&place.lon)
}

impl Agent for CalendarAgent {
    fn name(&self) -> AgentName {
        AgentName::Calendar
    }

    fn named_places(&self, at: Timestamp) -> Vec<CalendarPlace> {
        let mut found: BTreeMap<String, CalendarPlace> = BTreeMap::new();
        let yesterday = local_date(at, self.setup.owner.zone) - chrono::TimeDelta::days(1);
        for (event, _) in self.shelf.merged() {
            let comes =
                !event.rules.is_empty() || !event.extra.is_empty() || event.start.local().date() >= yesterday;
            let goes_there = comes && !event.cancelled && !event.declined && !event.transparent;
            if let Some(name) = event.place.as_deref().filter(|_| goes_there) {
                let key = place_key(&self.setup.key, name);
                let place = found.entry(key).or_insert_with(|| CalendarPlace {
                    name: name.to_owned(),
                    events: 0,
                });
                place.events = place.events.saturating_add(1);
            }
        }
        let mut places: Vec<CalendarPlace> = found.into_values().collect();
        places.sort_by(|a, b| (b.events, &a.name).cmp(&(a.events, &b.name)));
        places
    }

    fn open_tasks(&self, at: Timestamp) -> TaskCount {
        let zone = self.setup.owner.zone;
        let merged = self.shelf.merged_tasks();
        let all = task_list::occurrences(&merged, &self.setup.key, zone, at);
        TaskCount {
            read: u32::try_from(self.shelf.task_count()).unwrap_or(u32::MAX),
            ..task_list::count_open(&all, local_date(at, zone))
        }
    }

    fn restore(&mut self, state: &Value) -> Result<(), AgentStateError> {
        let state = CalendarAgentState::from_json(state)?;
        self.cursor = state.cursor;
        self.remembered = state.posted;
        // Without the text of the invitation there is nothing to answer.
        for instance in &mut self.remembered {
            instance.unanswered = false;
        }
        self.remembered.truncate(model::MAX_INSTANCES);
        self.shelf = EventIndex::with_busy(state.busy);
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
        let mut report = IngestReport::default();
        report.add_told(self.early.take().unwrap_or_default());
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
            self.window.instances(),
            &self.told,
            FactContext {
                zone: self.setup.owner.zone,
                place: self.place(),
                buffer_min: self.buffer_min(),
                prepares_meetings: self.setup.owner.calendar.prepares_meetings(),
            },
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
        let state = give.then(|| self.state(at));
        report.into_result(self.cursor, (facts, seen), Some(self.shelf.item_count()), state)
    }

    fn is_ready(&self) -> bool {
        // Its events are read anew at each start.
        !self.any || self.expanded.is_some()
    }

    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult {
        let view = CalendarView {
            window: &self.window,
            declined: &self.declined,
            zone: self.setup.owner.zone,
            place: self.place(),
            buffer_min: self.buffer_min(),
            prepares_meetings: self.setup.owner.calendar.prepares_meetings(),
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
                let (result, effects) = tools::travel_aware_alert(self.instances(), self.place(), args, at)?;
                answer(&result, effects)
            }
            CalendarTool::PrepareMeeting(args) => {
                let (result, effects) = tools::prepare_meeting(self.instances(), self.place(), args, at)?;
                answer(&result, effects)
            }
            CalendarTool::DescribeMeeting(args) => {
                self.read_early(at);
                let found = self.looked_up(&args.event_id, at);
                let (instance, event) = found.ok_or(ToolErrorCode::NotFound)?;
                let result = queries::describe_meeting(&instance, event, self.place(), self.buffer_min());
                answer(&result, Vec::new())
            }
            CalendarTool::ListEvents(args) => {
                self.read_early(at);
                answer(&self.list_days(args)?, Vec::new())
            }
            CalendarTool::ListTasks(args) => {
                self.read_early(at);
                answer(&self.list_tasks(args, at), Vec::new())
            }
            CalendarTool::AutoDecline(args) => {
                let invitation = self.invitation(&args.event_id);
                let (result, effects) = tools::auto_decline(self.instances(), invitation, args, at)?;
                self.declined.insert(args.event_id.clone());
                self.changed = true;
                answer(&result, effects)
            }
            CalendarTool::DiscardDecline(args) => {
                self.declined.remove(&args.event_id);
                self.changed = true;
                answer(args, vec![tools::discard_decline(&args.event_id)])
            }
            CalendarTool::HoldTime(args) => {
                let (result, effects) = tools::hold_time(args, at)?;
                answer(&result, effects)
            }
            CalendarTool::DetectConflicts(args) => {
                let next = args.day.succ_opt().unwrap_or(args.day);
                let begin = day_start(args.day, self.setup.owner.zone);
                let result = queries::detect_conflicts(self.days(args.day, next)?, begin);
                answer(&result, Vec::new())
            }
            CalendarTool::SuggestSlots(args) => {
                let zone = self.setup.owner.zone;
                let first = local_date(args.after, zone);
                let last = first.checked_add_days(queries::SLOT_DAYS).unwrap_or(first);
                let preferences = &self.setup.owner.calendar;
                let days = self.days(first, last)?;
                let result = queries::suggest_slots(&days, self.shelf.busy(), args, zone, preferences);
                answer(&result, Vec::new())
            }
            CalendarTool::ParseIcsAttachment(args) => {
                let events = self.shelf.of_source(args.source_id.as_str());
                let result = queries::parsed(&events, &self.setup.key, self.setup.owner.zone)?;
                answer(&result, Vec::new())
            }
            CalendarTool::Describe(args) => {
                self.read_early(at);
                let summaries = self.summaries();
                let name = |id: &ThingId| match id {
                    ThingId::Event(event) => {
                        let found = self.found(event).map(|found| found.event.summary.as_deref());
                        found.unwrap_or_else(|| summaries.get(event).copied())
                    }
                    ThingId::Item(_)
                    | ThingId::Channel(_)
                    | ThingId::Txn(_)
                    | ThingId::Merchant(_)
                    | ThingId::Person(_) => None,
                };
                answer(&described(&args.ids, name), Vec::new())
            }
            // The host answers these two itself.
            CalendarTool::Ingest(_) | CalendarTool::Tick(_) => Err(ToolErrorCode::Unavailable),
        }
    }

    fn state_after_act(&mut self, at: Timestamp) -> Option<Value> {
        std::mem::take(&mut self.changed).then(|| self.state(at))
    }
}

#[cfg(test)]
#[path = "../../base/src/testing.rs"]
pub mod testing;
#[cfg(test)]
mod tests;
