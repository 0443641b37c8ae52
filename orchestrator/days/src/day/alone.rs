//! Recorded days on the machine alone.
//!
//! What: plays a day on a simulator: no actors, no threads, and no store but the one that the simulator is given. Why: it must leave the same
//! bytes as the actors, and it can be killed at any turn and go on. Not here: what acts come to (`stand_in`).

use super::{
    DayOutcome, DayScript, screen,
    stand_in::{DayEntry, ScriptedAct, StandIn, entries},
};
use crate::simulator::Simulator;
use orchestrator_machine::{EventKind, cards, state::MachinePhase};
use std::{collections::BTreeMap, sync::Arc};
use toolcall_schema::{Class, Surface, Timestamp, day::OwnerActKind, ids::TraceId};

/// A day on the machine alone.
pub struct SimulatedDay {
    /// The machine and its world.
    pub simulator: Simulator,
    /// The owner.
    pub stand_in: StandIn,
    /// Answers to the owner that were not those of `owner.jsonl`.
    pub surprises: Vec<String>,
    /// Cards that were ever seen, by tick: whose, and whether they cost a token.
    pub seen: BTreeMap<u64, (TraceId, bool)>,
}

impl SimulatedDay {
    /// A day that is played on this simulator by this owner.
    pub fn new(simulator: Simulator, stand_in: StandIn) -> Self {
        Self {
            simulator,
            stand_in,
            surprises: vec![],
            seen: BTreeMap::new(),
        }
    }

    /// Plays a whole day.
    pub fn play(script: &DayScript) -> DayOutcome {
        let mut day = Self::new(script.simulator(), script.stand_in());
        day.run(script, 0);
        // As the actors' days have it: the ticks, without the calls beside them.
        let traces = day.simulator.take_traces().into_iter();
        let of_ticks = traces.filter(|trace| trace.decision.call.is_none());
        DayOutcome {
            traces: of_ticks.map(Arc::unwrap_or_clone).collect(),
            surprises: day.surprises,
        }
    }

    /// Plays a day from an entry on, each at its time or, when that is over, now; then a minute more, and until the machine
    /// is idle. Stops where the process ends and says at which entry.
    pub fn run(&mut self, script: &DayScript, from: usize) -> Option<usize> {
        self.look();
        for (index, (at, entry)) in entries(&script.day).into_iter().enumerate().skip(from) {
            self.advance(at);
            if self.simulator.is_over() {
                return Some(index);
            }
            match entry {
                DayEntry::Signals(signals) => self.simulator.post(signals),
                DayEntry::Act(act) => self.act(act),
            }
            self.look();
            if self.simulator.is_over() {
                return Some(index);
            }
        }
        self.advance(
            self.simulator
                .state()
                .at
                .max(self.simulator.now())
                .plus_ms(60_000),
        );
        while !matches!(self.simulator.state().phase, MachinePhase::Idle)
            && let Some(next) = self.simulator.next()
        {
            self.advance(next);
        }
        self.simulator.is_over().then_some(usize::MAX)
    }

    /// After the process was gone: pages are fetched again, or stay away.
    pub fn start_again(&mut self, pages: bool) {
        let again = self.stand_in.began_again();
        self.look();
        for surface in again.into_iter().filter(|_| pages) {
            self.stand_in.connect(surface);
            self.connect(surface);
            self.look();
        }
    }

    /// Sees what a dying process shows; nobody hears of it any more.
    pub fn glance(&mut self) {
        if let Some(card) = cards::current_card(self.simulator.state()) {
            self.sees(card);
        }
    }

    /// Sees what can be seen on the connected surfaces.
    fn look(&mut self) {
        while !self.simulator.is_over()
            && let Some(card) = cards::current_card(self.simulator.state())
        {
            let card_id = card.card_id.clone();
            let new = self.sees(card);
            if new.is_empty() {
                return;
            }
            for surface in new {
                let card_id = card_id.clone();
                self.simulator.inject(EventKind::Shown { card_id, surface });
            }
        }
    }

    fn sees(&mut self, card: toolcall_schema::trace::Card) -> Vec<Surface> {
        let tick = card.decision.tick;
        let costs = card
            .decision
            .chosen
            .as_ref()
            .is_some_and(|chosen| chosen.class != Class::Safety && card.decision.put_off == 0);
        let trace_id = card.decision.trace_id.clone();
        let new = self.stand_in.look(card);
        if !new.is_empty() {
            self.seen.insert(tick, (trace_id, costs));
        }
        new
    }

    fn advance(&mut self, to: Timestamp) {
        while let Some(at) = self.simulator.next().filter(|at| *at <= to) {
            self.simulator.advance(at);
            self.look();
        }
        self.simulator.advance(to);
    }

    fn connect(&mut self, surface: Surface) {
        self.simulator.inject(EventKind::Connected { surface });
    }

    fn act(&mut self, act: &OwnerActKind) {
        match self.stand_in.does(act, self.simulator.wall()) {
            Ok(ScriptedAct::Connect(surface)) => self.connect(surface),
            Ok(ScriptedAct::Disconnect(surface)) => {
                self.simulator.inject(EventKind::Disconnected { surface });
            }
            Ok(ScriptedAct::Submit(submitted)) => {
                self.simulator.take_verdict();
                self.simulator.inject(EventKind::Submitted {
                    request: submitted.tick,
                    card_id: submitted.card_id.clone(),
                    surface: submitted.surface,
                    act: submitted.act,
                    capability: submitted.capability.clone(),
                });
                let got = self.simulator.take_verdict().and_then(screen::answer);
                self.surprises.extend(submitted.surprise(got));
            }
            Ok(ScriptedAct::Say(what)) => self.simulator.inject(what),
            Ok(ScriptedAct::Settings) => self.simulator.reload(&self.stand_in.home.settings),
            Ok(ScriptedAct::Clock(ms)) => self.simulator.set_clock(ms),
            Ok(ScriptedAct::Suspend(ms)) => self.simulator.suspend(ms),
            Ok(ScriptedAct::Restart(ms)) => {
                self.simulator.restart(&self.stand_in.home, ms);
                self.start_again(true);
            }
            Err(surprise) => self.surprises.push(surprise),
        }
    }
}
