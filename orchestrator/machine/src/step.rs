//! The machine: `step(state, event) -> (state, effects)`, total and pure.
//!
//! What: one turn: first every deadline that has passed by the event's time, then the event, then what it made due, then,
//! when Idle, the next trigger. Why: no timer can be stale, because deadlines live in the state, and every state is left in bounded time.
//! Not here: clocks (events carry their time), I/O, actors; the parts are in `intake`, `flow`, `cards`, `answers`, `deliberate`.

use crate::{
    calls::CallRequest,
    effect::{Effect, IgnoreReason},
    env::MachineEnv,
    event::{EventKind, MachineEvent},
    instructed::pause_until,
    intake,
    state::{ConfigHashes, LiveDnd, MachineState, ModelSentence, PendingReload},
    timers::{pending_timers, phase_due},
};
use toolcall_schema::{
    StateName, Surface, Timestamp,
    rule::{OwnerInstruction, RULES_MAX},
};

/// One turn. Total: every event is answered in every state, if only by [`Effect::Ignored`].
pub fn step(env: &MachineEnv, mut state: MachineState, event: MachineEvent) -> (MachineState, Vec<Effect>) {
    let effects = advance(env, &mut state, event);
    (state, effects)
}

/// [`step`] on a state that stays where it is, for callers that keep one: a state is large, and needs neither moving nor a
/// stand-in at every event. If this panics, discard the state.
pub fn advance(env: &MachineEnv, state: &mut MachineState, event: MachineEvent) -> Vec<Effect> {
    let mut turn = StepContext {
        env,
        state,
        effects: Vec::new(),
        now: event.at,
    };
    turn.now = turn.now.max(turn.state.at);
    if let EventKind::Started {
        wall,
        kept_ticks,
        rules_number,
        ..
    } = &event.what
    {
        turn.resume_timeline(*wall);
        turn.recover_open_tick(*kept_ticks, *rules_number);
        turn.resume_calls();
        turn.resume_asks();
    }
    turn.pass_deadlines();
    turn.state.at = turn.now;
    // What happens after midnight is of the new day, whether or not anything was due since.
    turn.on_new_day();
    turn.apply_event(event.what);
    // A clock that was set, or a card that comes too late because it was, may be due at once.
    turn.pass_deadlines();
    turn.on_new_day();
    turn.enforce_caps_on_cards();
    turn.wake_held();
    turn.wake_held_meetings();
    turn.begin_if_idle();
    turn.effects
}

/// When `step` has to be called again with [`EventKind::Time`] at the latest, unless something else happens before.
pub fn next_due(state: &MachineState) -> Option<Timestamp> {
    pending_timers(state).map(|(_, at)| at).min()
}

/// One turn's state and effects.
pub(crate) struct StepContext<'a> {
    pub(crate) env: &'a MachineEnv,
    pub(crate) state: &'a mut MachineState,
    pub(crate) effects: Vec<Effect>,
    /// The event's time; `state.at` is the time of the deadline being passed until it reaches this.
    pub(crate) now: Timestamp,
}

impl StepContext<'_> {
    /// The wall clock at the moment being looked at.
    pub(crate) fn wall(&self) -> Timestamp {
        self.state.wall(self.state.at)
    }

    pub(crate) fn push_effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(crate) fn ignore(&mut self, what: IgnoreReason) {
        self.effects.push(Effect::Ignored { what });
    }

    /// Lets every deadline pass that is due, each at its own time. Each one removes or moves itself, so this ends; the
    /// bound only guards against a mistake in that.
    fn pass_deadlines(&mut self) {
        const MOST: usize = 4096;
        for _ in 0..MOST {
            let Some(due) = next_due(self.state).filter(|due| *due <= self.now) else {
                return;
            };
            self.state.at = self.state.at.max(due);
            if phase_due(self.state).is_some_and(|phase| phase <= due) {
                self.on_new_day();
                self.on_phase_timeout();
            }
            self.on_ingest_timeout(due);
            self.expire_calls(due);
            self.expire_asks(due);
            self.fire_due_timers(due);
            self.on_new_day();
        }
    }

    fn apply_event(&mut self, what: EventKind) {
        if self.state.started.is_none() && !matches!(what, EventKind::Started { .. }) {
            return self.ignore(IgnoreReason::NotStarted);
        }
        match what {
            EventKind::Started {
                wall,
                policy_hash,
                catalogue_hash,
                settings_hash,
                kept_ticks: _,
                rules_number,
            } => {
                self.on_started(
                    wall,
                    ConfigHashes {
                        policy: policy_hash,
                        catalogue: catalogue_hash,
                        settings: settings_hash,
                        rules_number,
                    },
                );
            }
            EventKind::ClockSet { wall } => self.on_clock_set(wall),
            EventKind::Time => {}
            EventKind::SignalsSeen { signals } => self.on_signals_seen(signals),
            EventKind::PhoneUnlocked => self.phone_unlocked(),
            EventKind::Dnd { active, until } => self.state.known.dnd = active.then_some(LiveDnd { until }),
            EventKind::SourcesChanged { agent } => self.request_file_scan(agent),
            EventKind::Ingested {
                agent,
                number,
                answer,
            } => self.on_ingested(agent, number, answer),
            EventKind::TickAnswered {
                agent,
                tick,
                attempt,
                answer,
            } => self.on_tick_answer(agent, tick, attempt, answer),
            EventKind::Committed { tick, ok } => self.on_commit(tick, ok),
            EventKind::Executed { tick, slot, reply } => self.on_action_reply(tick, slot, reply),
            EventKind::CallRequested {
                request,
                id,
                asker,
                origin,
                tool,
                args,
                wait_min,
            } => self.call_requested(
                request,
                CallRequest {
                    id,
                    asker,
                    origin,
                    tool,
                    args,
                    wait_min,
                },
            ),
            EventKind::AskCancelled { request, id, origin } => {
                self.cancel_ask(request, &id, origin.as_ref());
            }
            EventKind::CallCommitted { call, ok } => self.call_committed(call, ok),
            EventKind::CallExecuted { call, reply } => self.on_call_reply(call, reply),
            EventKind::TraceKept { trace_id, ok } => self.on_trace_kept(&trace_id, ok),
            EventKind::Rationale { tick, pick } => {
                self.on_model_sentence(tick, pick.map(ModelSentence::Offered));
            }
            EventKind::Wrote { tick, sentence } => {
                self.on_model_sentence(tick, Ok(ModelSentence::Written(sentence)));
            }
            EventKind::TieBroken { tick, pick } => self.on_tie_broken(tick, pick),
            EventKind::Connected { surface } => {
                if self.state.surfaces.insert(surface) && surface == Surface::PhoneCard {
                    self.state.announced = false;
                }
                self.wake_unseen();
            }
            EventKind::Disconnected { surface } => {
                self.state.surfaces.remove(&surface);
            }
            EventKind::Shown { card_id, surface } => self.on_card_shown(&card_id, surface),
            EventKind::Submitted {
                request,
                card_id,
                surface,
                act,
                capability,
            } => {
                self.on_submission(request, &card_id, surface, act, capability.as_deref());
            }
            EventKind::OwnerTick => self.owner_tick(),
            EventKind::Paused { until } => {
                self.state.paused_until_wall = until.filter(|until| *until > self.wall());
                if let Some(until) = self.state.paused_until_wall {
                    self.remember_instruction(OwnerInstruction::Pause { until });
                }
            }
            EventKind::RuleSet { rule } => {
                self.state.rules.retain(|old| old.name != rule.name);
                if self.state.rules.len() >= RULES_MAX {
                    return self.ignore(IgnoreReason::TooManyRules);
                }
                self.state.rules.push(rule.clone());
                self.remember_instruction(OwnerInstruction::Rule { rule });
            }
            EventKind::RuleRemoved { name } => self.state.rules.retain(|rule| rule.name != name),
            EventKind::CeilingSet { ceiling } => {
                let row = self.state.ledger.set_ceiling(ceiling);
                self.effects.extend(row.map(Effect::Ledger));
            }
            EventKind::Reloaded {
                policy_hash,
                settings_hash,
            } => {
                self.state.reload = Some(PendingReload {
                    policy: policy_hash,
                    settings: settings_hash,
                    asked: false,
                });
            }
            EventKind::Adopted => self.on_adopted(),
        }
    }

    /// Another policy, other settings: what they promise for later is promised anew.
    fn on_adopted(&mut self) {
        let Some(PendingReload { policy, settings, .. }) = self.state.reload.take_if(|reload| reload.asked)
        else {
            return self.ignore(IgnoreReason::NothingToAdopt);
        };
        let Some(hashes) = &mut self.state.started else {
            return;
        };
        hashes.policy = policy;
        let other_settings = std::mem::replace(&mut hashes.settings, settings) != hashes.settings;
        self.state.interval_at = self
            .state
            .interval_at
            .min(self.state.at.plus_ms(self.env.policy.interval_ms()));
        if other_settings {
            let row = self.state.ledger.set_ceiling(self.env.settings.ceiling);
            self.effects.extend(row.map(Effect::Ledger));
            self.state.brief_wall = self.env.next_local(self.wall(), self.env.settings.brief.from);
        }
    }

    fn on_new_day(&mut self) {
        let (day, _) = self.env.local(self.wall());
        let row = self.state.ledger.roll_over_to(day);
        self.effects.extend(row.map(Effect::Ledger));
    }

    /// The wall clock jumped. What was promised for a time lasts that time; what was promised for an hour of the day comes
    /// at that hour of the new day; what the calendar says stays where it is.
    fn on_clock_set(&mut self, wall: Timestamp) {
        let jump_ms = wall.since(self.wall());
        self.state.wall_offset_ms = wall.since(self.state.at);
        let paused = self.state.paused_until_wall;
        let pause = self
            .state
            .instructed
            .iter_mut()
            .filter_map(|given| pause_until(given, paused));
        let lasting = self
            .state
            .mutes_wall
            .values_mut()
            .chain(self.state.paused_until_wall.as_mut())
            .chain(pause)
            .chain(
                self.state
                    .retries
                    .iter_mut()
                    .filter_map(|retry| retry.until_wall.as_mut()),
            )
            .chain(self.state.courses_wall.values_mut())
            .chain(self.state.queue.iter_mut().filter_map(intake::relative_deadline));
        for until in lasting {
            *until = until.plus_ms(jump_ms);
        }
        self.move_later(jump_ms);
        let brief = self.env.settings.brief.from;
        let next = self.env.next_local(wall, brief);
        // A clock that was a year ahead must not cost a year of briefs; tomorrow's stays, for today's may have been given.
        // One whose hour the clock was set over is found late, like one that was slept through.
        if self.state.brief_wall > self.env.next_local(next, brief) {
            self.state.brief_wall = next;
        }
    }

    /// After a start: the timeline goes on from where it was, plus the time that has passed on the wall clock. What was
    /// due meanwhile is found late, as after a suspend.
    fn resume_timeline(&mut self, wall: Timestamp) {
        self.state.wall_offset_ms = wall.since(self.now);
        if self.state.started.is_some() && self.state.interval_at <= self.now {
            // The start itself has the agents read.
            self.on_interval_elapsed();
        }
    }

    fn on_started(&mut self, wall: Timestamp, hashes: ConfigHashes) {
        self.state.wall_offset_ms = wall.since(self.state.at);
        let first = self.state.started.is_none();
        // Other settings do not take back what was asked under the old ones.
        let changed = self
            .state
            .started
            .as_ref()
            .is_some_and(|old| (&old.policy, &old.catalogue) != (&hashes.policy, &hashes.catalogue));
        if self.state.known.state_until.is_none() {
            // Rules of number 1 kept no end: when it was read is not known.
            self.state.known.clear_lapsed_state();
        }
        // Whatever waited was read again at this start.
        self.state.reload = None;
        self.state.started = Some(hashes);
        if first {
            let (day, _) = self.env.local(wall);
            self.state.ledger = crate::ledger::AttentionLedger::new(day, self.env.settings.ceiling);
            self.state.interval_at = self.state.at.plus_ms(self.env.policy.interval_ms());
            self.state.brief_wall = self
                .env
                .next_local(wall.plus_ms(-1), self.env.settings.brief.from);
        } else {
            let row = self.state.ledger.set_ceiling(self.env.settings.ceiling);
            self.effects.extend(row.map(Effect::Ledger));
        }
        self.state.surfaces.clear();
        // Nobody answers what an earlier process asked, and the signals that it held are its senders' again.
        for intake in self.state.intake.values_mut() {
            intake.asked = None;
            intake.late = None;
            intake.waiting.clear();
            intake.before_files = 0;
        }
        for agent in toolcall_schema::AgentName::FOUR {
            self.request_file_scan(agent);
        }
        self.resume_cards();
        self.resume_prompt(changed);
    }

    /// Enters a state: the tick's path remembers when.
    pub(crate) fn enter_state(&self, mut tick: crate::state::Tick, state: StateName) -> crate::state::Tick {
        tick.path.push((state, self.state.at));
        tick
    }
}
