//! What comes in: signals, facts, the trigger table, the queue, the schedule.
//!
//! What: from signals to ingests, from facts to triggers, and everything that is due by the clock while nothing happens.
//! Why: a tick starts only for a reason of the table. Not here: what a tick does (`flow`).

use crate::{
    effect::{Effect, IgnoreReason, OutgoingCall, ReplyTo},
    event::{IngestedFacts, SeenSignal},
    state::{
        EVENTS_MAX, EventTimes, INTAKE_MAX, LeaveAlert, MachinePhase, MeetingAlert, QUEUE_MAX, STALE_MAX,
        Tick,
    },
    step::StepContext,
};
use std::collections::BTreeMap;
use toolcall_schema::{
    AgentName, Authority, StateName, Timestamp, ToolCall, ToolName, WellnessState,
    ids::{EventId, IdPurpose},
    tick::{IngestArgs, IngestFact, Subject, Trigger, TriggerSource},
    trace::StaleTrigger,
};

/// How long the machine waits for an ingest. Its answer counts however late it comes.
const INGEST_MS: u32 = 2000;
/// After this time an ingest that was not said to have failed counts as lost: longer than an agent's process is given for a call.
const LOST_MS: i64 = 90_000;
/// So many ingests in a row may read signals while files wait: then a slice of them is read.
const BEFORE_FILES: u8 = 8;
/// At most this many signals go into one ingest.
const INGEST_SIGNALS: usize = 256;
/// How long a burst names the active channel.
const BURST_ACTIVE_MS: i64 = 30 * 60_000;

impl StepContext<'_> {
    /// Signals are offered: the next ingest of their agent reads them, and the one after it looks at the files.
    pub(crate) fn on_signals_seen(&mut self, signals: Vec<SeenSignal>) {
        let mut readers: Vec<AgentName> = Vec::new();
        for signal in signals {
            let agent = signal.kind.reader();
            let Some(intake) = self.state.intake.get_mut(&agent) else {
                continue;
            };
            if intake.waiting.len() < INTAKE_MAX {
                intake.waiting.push(signal.id);
            }
            // What became due in the files meanwhile is looked for afterwards.
            intake.again = true;
            if !readers.contains(&agent) {
                readers.push(agent);
            }
        }
        for agent in readers {
            self.request_ingest(agent);
        }
    }

    /// Requests a file scan from an agent, after the current ingest if one is running.
    pub(crate) fn request_file_scan(&mut self, agent: AgentName) {
        let at = self.state.at;
        let Some(intake) = self.state.intake.get_mut(&agent) else {
            return self.ignore(IgnoreReason::NotAnAgent);
        };
        intake.again = true;
        intake.late.take_if(|(_, until)| *until <= at);
        self.request_ingest(agent);
    }

    /// Asks for the next ingest, when one is wanted and none is out. Signals go before files, which get their turn all the same.
    fn request_ingest(&mut self, agent: AgentName) {
        let Some(tool) = ToolName::ingest_of(agent) else {
            return self.ignore(IgnoreReason::NotAnAgent);
        };
        let deadline = self.state.at.plus_ms(i64::from(INGEST_MS));
        let ts = self.wall();
        let Some(intake) = self.state.intake.get_mut(&agent) else {
            return;
        };
        if intake.asked.is_some() || intake.late.is_some() {
            return;
        }
        let turn_of_files = intake.again && intake.before_files >= BEFORE_FILES;
        let signals = !intake.waiting.is_empty() && !turn_of_files;
        let signal_ids = if signals {
            intake.before_files = intake.before_files.saturating_add(u8::from(intake.again));
            let rest = intake.waiting.split_off(intake.waiting.len().min(INGEST_SIGNALS));
            std::mem::replace(&mut intake.waiting, rest)
        } else if std::mem::take(&mut intake.again) {
            intake.before_files = 0;
            Vec::new()
        } else {
            return;
        };
        let number = self.state.ingests + 1;
        intake.asked = Some((number, deadline));
        let args = IngestArgs {
            cursor: intake.cursor,
            signal_ids,
        };
        self.state.ingests = number;
        let call = ToolCall {
            call_id: self
                .env
                .seed
                .call_id(IdPurpose::IngestCall, number, tool.as_str(), 0),
            agent,
            tool: tool.tool().to_owned(),
            args: serde_json::to_value(args).unwrap_or_default().into(),
            ts,
            confirm_required: false,
            expected_surface: None,
            deadline_ms: Some(INGEST_MS),
        };
        self.push_effect(Effect::Call(Box::new(OutgoingCall {
            tool,
            call,
            authority: Authority::Auto,
            args_hash: None,
            trace_id: None,
            reply: ReplyTo::Ingest { agent, number },
        })));
    }

    /// The answer to an ingest. The shell lets only one through that goes on from the agent's last journalled state, so it counts
    /// whichever question it answers and however late it is.
    pub(crate) fn on_ingested(&mut self, agent: AgentName, number: u64, answer: Option<IngestedFacts>) {
        let Some(intake) = self.state.intake.get_mut(&agent) else {
            return self.ignore(IgnoreReason::NotAnAgent);
        };
        let is_out = |out: &mut (u64, Timestamp)| out.0 == number;
        let known = intake.asked.take_if(is_out).or(intake.late.take_if(is_out));
        match answer {
            Some(answer) => {
                intake.cursor = answer.cursor;
                intake.again |= answer.more;
                for fact in answer.facts {
                    self.apply_fact(fact);
                }
            }
            None if known.is_none() => return self.ignore(IgnoreReason::NotAwaited),
            None => {}
        }
        self.request_ingest(agent);
    }

    /// Ingests whose 2000 ms are over: ticks wait for them no longer.
    pub(crate) fn on_ingest_timeout(&mut self, due: Timestamp) {
        for intake in self.state.intake.values_mut() {
            if let Some((number, deadline)) = intake.asked.take_if(|(_, deadline)| *deadline <= due) {
                intake.late = Some((number, deadline.plus_ms(LOST_MS)));
            }
        }
    }

    /// The trigger table over facts.
    fn apply_fact(&mut self, fact: IngestFact) {
        let wall = self.wall();
        match fact {
            IngestFact::Burst { channel, at, .. } => {
                self.state.known.burst = Some((channel.clone(), self.state.at));
                self.enqueue_incoming(TriggerSource::CommsBurst, Some(Subject::from(&channel)), at);
            }
            IngestFact::Transaction { txn, at } => {
                // One trigger for all of them: the candidates speak for the day, not for the transaction.
                let _ = txn;
                self.enqueue_incoming(TriggerSource::Transaction, None, at);
            }
            IngestFact::Load { score, state, at, .. } => self.apply_load_score(score, state, at),
            IngestFact::EventChanged {
                event,
                start,
                end,
                focus,
            } => {
                let events = &mut self.state.known.events_wall;
                events.retain(|_, times| times.end > wall);
                if start < end && end > wall {
                    put_bounded(events, event, EventTimes { start, end, focus });
                } else {
                    events.remove(&event);
                    self.state.known.alerts_wall.remove(&event);
                    self.state.known.meetings_wall.remove(&event);
                }
            }
            IngestFact::Schedule {
                event,
                alert_at,
                leave_by,
            } => {
                let alerts = &mut self.state.known.alerts_wall;
                alerts.retain(|_, alert| alert.leave_by > wall);
                let done = alert_at <= wall;
                put_bounded(
                    alerts,
                    event,
                    LeaveAlert {
                        alert_at,
                        leave_by,
                        done,
                    },
                );
            }
            IngestFact::Meeting {
                event,
                prepare_at,
                start,
            } => {
                let meetings = &mut self.state.known.meetings_wall;
                meetings.retain(|_, meeting| meeting.start > wall);
                // One that is told of within its ten minutes is due now, and what was asked about already is not again.
                let known = meetings.get(&event).copied();
                let known = known.filter(|known| known.start == start && prepare_at <= wall);
                let meeting = known.unwrap_or(MeetingAlert {
                    prepare_at,
                    start,
                    done: start <= wall,
                    held: None,
                });
                put_bounded(meetings, event, meeting);
            }
        }
    }

    fn apply_load_score(&mut self, score: u8, state: WellnessState, read_at: Timestamp) {
        let at = self.state.at;
        // A reading of the future counts from now.
        let until = self
            .state
            .timeline(read_at)
            .min(at)
            .plus_ms(self.env.policy.lapse_ms());
        if until <= at {
            return;
        }
        self.state.known.state_until = Some(until);
        let line = self.env.policy.trigger_load();
        let before = self.state.known.load_score.replace(score);
        let entered = self.state.known.state.replace(state) != Some(state);
        if self.state.known.recovering_until.is_some_and(|until| until <= at) {
            self.state.known.recovering_until = None;
        }
        if state == WellnessState::Recovering && entered && self.state.known.recovering_until.is_none() {
            self.state.known.recovering_until = Some(at.plus_ms(self.env.policy.recovering_ms()));
        }
        if score >= line && before.is_none_or(|before| before < line) {
            self.enqueue_incoming(TriggerSource::LoadCrossed, None, self.wall());
        }
    }

    pub(crate) fn phone_unlocked(&mut self) {
        self.enqueue_incoming(TriggerSource::PhoneUnlock, None, self.wall());
    }

    pub(crate) fn owner_tick(&mut self) {
        self.enqueue_incoming(TriggerSource::Owner, None, self.wall());
    }

    /// Something came in: however old it is, it is valid from now on.
    fn enqueue_incoming(&mut self, source: TriggerSource, subject: Option<Subject>, at: Timestamp) {
        let valid_until = self.wall().plus_ms(self.env.policy.trigger_valid_ms());
        self.enqueue(Trigger {
            source,
            subject,
            at,
            valid_until,
        });
    }

    /// A schedule's moment: valid from that moment on, so that one which was slept through is stale when it is found.
    pub(crate) fn enqueue_scheduled(
        &mut self,
        source: TriggerSource,
        subject: Option<Subject>,
        due: Timestamp,
    ) {
        self.enqueue(Trigger {
            source,
            subject,
            at: due,
            valid_until: due.plus_ms(self.env.policy.trigger_valid_ms()),
        });
    }

    /// The interval is over: one tick, now, for however many were missed; the next comes an interval from now.
    pub(crate) fn on_interval_elapsed(&mut self) {
        self.state.interval_at = self.now.plus_ms(self.env.policy.interval_ms());
        self.enqueue_scheduled(TriggerSource::Interval, None, self.state.wall(self.now));
    }

    /// Queues a trigger: a newer one of the same source and subject takes the place of the older one.
    pub(crate) fn enqueue(&mut self, trigger: Trigger) {
        let same = |old: &&mut Trigger| old.source == trigger.source && old.subject == trigger.subject;
        if let Some(old) = self.state.queue.iter_mut().find(same) {
            if trigger.valid_until >= old.valid_until {
                *old = trigger;
            }
            return;
        }
        if self.state.queue.len() >= QUEUE_MAX {
            if let Some(dropped) = self.state.queue.pop_front() {
                self.drop_later(&dropped);
            }
            self.state.queue_dropped += 1;
        }
        self.state.queue.push_back(trigger);
    }

    /// What became due by the clock.
    pub(crate) fn fire_due_timers(&mut self, due: Timestamp) {
        let wall = self.state.wall(due);
        // The moment it really is: later than `due` after a stop, a suspend, or a clock that was set.
        let now_wall = self.state.wall(self.now);
        if self.state.interval_at <= due {
            for agent in AgentName::FOUR {
                self.request_file_scan(agent);
            }
            self.on_interval_elapsed();
        }
        if self.state.brief_wall <= wall {
            self.enqueue_scheduled(TriggerSource::BriefTime, None, self.state.brief_wall);
            self.state.brief_wall = self.env.next_local(now_wall, self.env.settings.brief.from);
        }
        if let Some(until) = self.state.paused_until_wall.take_if(|until| *until <= wall) {
            self.enqueue_scheduled(TriggerSource::RuleEnded, None, until);
        }
        let ended = self.state.rules.iter().filter_map(|rule| rule.until);
        if let Some(last) = ended.filter(|until| *until <= wall).max() {
            self.state
                .rules
                .retain(|rule| rule.until.is_none_or(|until| until > wall));
            self.enqueue_scheduled(TriggerSource::RuleEnded, None, last);
        }
        if self.state.known.dnd_until().is_some_and(|until| until <= wall) {
            self.state.known.dnd = None;
        }
        if self.state.known.state_until.is_some_and(|until| until <= due) {
            self.state.known.clear_lapsed_state();
        }
        self.state.courses_wall.retain(|_, ends| *ends > wall);
        let ended: Vec<_> = self
            .state
            .mutes_wall
            .iter()
            .filter(|(_, until)| **until <= wall)
            .map(|(channel, until)| (channel.clone(), *until))
            .collect();
        for (channel, until) in ended {
            self.state.mutes_wall.remove(&channel);
            self.enqueue_scheduled(TriggerSource::MuteEnded, Some(Subject::from(&channel)), until);
        }
        self.fire_due_later(wall);
        self.fire_due_alerts(wall, now_wall);
        self.fire_due_meetings(wall);
        self.fire_due_retries(due);
        self.expire_cards(wall);
    }

    /// At its alert time a leave-by is raised: again when it was shown, else as a tick of its own, until it is too late.
    fn fire_due_alerts(&mut self, wall: Timestamp, now_wall: Timestamp) {
        let due: Vec<(EventId, LeaveAlert)> = self
            .state
            .known
            .alerts_wall
            .iter_mut()
            .filter(|(_, alert)| !alert.done && alert.alert_at <= wall)
            .map(|(event, alert)| {
                alert.done = true;
                (event.clone(), *alert)
            })
            .collect();
        for (event, alert) in due {
            if alert.leave_by > now_wall && self.raise_again(&event) {
                continue;
            }
            let source = TriggerSource::AlertAt;
            self.enqueue(trigger_until(
                source,
                Subject::from(&event),
                alert.alert_at,
                alert.leave_by,
            ));
        }
    }

    /// Idle's exit guard: a valid trigger is there, and nothing is being read that it may depend on.
    pub(crate) fn begin_if_idle(&mut self) {
        if !matches!(self.state.phase, MachinePhase::Idle) || self.state.started.is_none() {
            return;
        }
        if let Some(reload) = &mut self.state.reload {
            if !std::mem::replace(&mut reload.asked, true) {
                let (policy_hash, settings_hash) = (reload.policy.clone(), reload.settings.clone());
                self.push_effect(Effect::Adopt {
                    policy_hash,
                    settings_hash,
                });
            }
            return;
        }
        if self.state.intake.values().any(|intake| intake.asked.is_some()) {
            return;
        }
        self.set_expired_aside();
        if let Some(trigger) = self.state.queue.pop_front() {
            return self.begin_tick(trigger);
        }
        self.state
            .known
            .burst
            .take_if(|(_, at)| self.state.at.since(*at) > BURST_ACTIVE_MS);
        self.push_effect(Effect::Rest);
    }

    /// Triggers that make no sense any more: the next trace names them.
    fn set_expired_aside(&mut self) {
        let wall = self.wall();
        let waiting = std::mem::take(&mut self.state.queue);
        for trigger in waiting {
            if trigger.valid_until > wall {
                self.state.queue.push_back(trigger);
                continue;
            }
            self.drop_later(&trigger);
            if self.state.stale.len() < STALE_MAX {
                self.state.stale.push(StaleTrigger {
                    source: trigger.source,
                    at: trigger.at,
                });
            }
        }
    }

    fn begin_tick(&mut self, trigger: Trigger) {
        self.state.ticks += 1;
        let tick = Tick {
            number: self.state.ticks,
            trace_id: self.env.seed.trace_id(self.state.ticks),
            trigger,
            stale: std::mem::take(&mut self.state.stale),
            path: vec![(StateName::Idle, self.state.at)],
        };
        self.listen(tick, 0);
    }

    /// The channel of the newest burst, while it is recent.
    pub(crate) fn active_channel(&self) -> Option<toolcall_schema::ids::ChannelHash> {
        let (channel, at) = self.state.known.burst.as_ref()?;
        (self.state.at.since(*at) <= BURST_ACTIVE_MS).then(|| channel.clone())
    }
}

/// The end of a waiting trigger that lasts for a time after it came in; `None` where the calendar or an hour of the day sets the end.
pub(crate) fn relative_deadline(trigger: &mut Trigger) -> Option<&mut Timestamp> {
    use TriggerSource::{
        AlertAt, BriefTime, Call, CommsBurst, Interval, Later, LoadCrossed, MuteEnded, Owner, PhoneUnlock,
        RuleEnded, Transaction, WindowEnded,
    };
    let about_an_event = || {
        let subject = trigger.subject.as_ref();
        subject.is_some_and(|subject| EventId::parse(subject.as_str()).is_ok())
    };
    match trigger.source {
        BriefTime | AlertAt => None,
        WindowEnded if about_an_event() => None,
        PhoneUnlock | CommsBurst | Transaction | LoadCrossed | MuteEnded | RuleEnded | WindowEnded
        | Later | Interval | Owner | Call => Some(&mut trigger.valid_until),
    }
}

/// A trigger about something that makes sense up to an instant of its own (wall clock).
pub(crate) fn trigger_until(
    source: TriggerSource,
    subject: Subject,
    at: Timestamp,
    valid_until: Timestamp,
) -> Trigger {
    Trigger {
        source,
        subject: Some(subject),
        at,
        valid_until,
    }
}

/// Inserts, and when there are too many drops the first by key.
fn put_bounded<V>(map: &mut BTreeMap<EventId, V>, key: EventId, value: V) {
    if map.len() >= EVENTS_MAX && !map.contains_key(&key) {
        map.pop_first();
    }
    map.insert(key, value);
}
