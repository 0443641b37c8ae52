//! The policy again, naively.
//!
//! What: [`Model`]: caps, scores, choice, cards and prompts, each reckoned from the list of everything that happened (the decision itself in `weigh`). Why:
//! two programs written apart from one text agree only where both do what it says. Written from spec section 4 and the
//! pages 0010, 0011, 0016, 0018, 0024, 0045, 0046, 0085 and 0106 of `docs/adr`; it shares data types with the machine and nothing else. Not here: the account
//! (`account`), leading both through a day (`world`), what starts a tick (the machine's word is taken for that).

use crate::second::{
    account::Accounts,
    later::Later,
    ratio::Ratio,
    table::{asks, surface},
};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use chrono_tz::Tz;
use toolcall_schema::{
    ActionKind::{self, MuteGroup30},
    AgentName, AskState, Class, Outcome, ReasonCode, Severity, Surface, WellnessState,
    names::SubmitAct,
    rule::OwnerRule,
    tick::Subject,
    trace::LedgerView,
};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// The owner's settings.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) zone: Tz,
    pub(crate) ceiling: u8,
    pub(crate) dnd: Vec<(NaiveTime, NaiveTime)>,
    /// Of which kinds the owner wants more, or less.
    pub(crate) wishes: Vec<(ActionKind, bool)>,
}

/// What an agent proposes, as far as it matters.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub(crate) agent: AgentName,
    pub(crate) kind: ActionKind,
    pub(crate) subject: Subject,
    /// Thousandths.
    pub(crate) confidence: i64,
    pub(crate) severity: Severity,
    /// Whether its arguments pass the schema of its tool.
    pub(crate) sound: bool,
    /// Until when it makes sense (wall clock).
    pub(crate) valid_until: Option<i64>,
    /// The owner always lets it through.
    pub(crate) let_through: bool,
}

/// How things go once a decision is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    Well,
    /// The decision does not get onto the disk.
    NotKept,
    ToolFails,
    ResultRejected,
    CompanionFails,
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weighed {
    pub(crate) kind: ActionKind,
    pub(crate) subject: Subject,
    pub(crate) agent: AgentName,
    pub(crate) class: Class,
    pub(crate) confidence: i64,
    pub(crate) removed: Option<ReasonCode>,
    /// The owner's rule that stands against it.
    pub(crate) rule: Option<String>,
    pub(crate) score: Option<Ratio>,
    pub(crate) priority: Ratio,
    pub(crate) sound: bool,
    pub(crate) valid_until: Option<i64>,
    /// An agent said that the owner always lets it through.
    pub(crate) let_through: bool,
    /// A program asked for it, no agent.
    pub(crate) asked: bool,
    /// How often the owner had put it off, where it is what the tick asks for again.
    pub(crate) put_off: u8,
}

/// What a program asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) kind: ActionKind,
    pub(crate) subject: Subject,
    /// Until when it waits (timeline).
    pub(crate) until: i64,
}

/// On whose word something is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Word {
    Nobody,
    /// The owner's, who had put it off.
    PutOff,
    /// The owner's, who asked now.
    Owner,
}

/// A decision.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    pub(crate) put_off: u8,
    pub(crate) candidates: Vec<Weighed>,
    /// Kind, subject, the first surface, the companion.
    pub(crate) chosen: Option<(ActionKind, Subject, Surface, Option<ActionKind>)>,
    pub(crate) reason: Option<ReasonCode>,
    pub(crate) before: LedgerView,
}

/// How a tick ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ended {
    pub(crate) tick: u64,
    pub(crate) outcome: Outcome,
    pub(crate) reason: Option<ReasonCode>,
    pub(crate) after: LedgerView,
}

/// Something that counts later.
#[derive(Debug, Clone)]
pub(crate) enum Past {
    /// Wellness said so.
    State(WellnessState),
    /// It was seen.
    Seen {
        /// Nobody asked for it.
        proactive: bool,
        of_safety: bool,
    },
    /// It was shown or carried out.
    Done(ActionKind, Subject),
    /// Pause until then (timeline).
    Paused(Option<i64>),
    /// Muted until then (timeline).
    Muted(Subject, i64),
    /// The owner unmuted it.
    Unmuted(Subject),
}

/// When: on the timeline, and the owner's date.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) at: i64,
    pub(crate) date: NaiveDate,
    pub(crate) past: Past,
}

/// What was chosen and is out.
#[derive(Debug, Clone)]
pub(crate) struct Out {
    pub(crate) tick: u64,
    pub(crate) kind: ActionKind,
    pub(crate) subject: Subject,
    pub(crate) safety: bool,
    pub(crate) word: Word,
    /// How often the owner had put it off.
    pub(crate) put_off: u8,
    /// A program asked for it.
    pub(crate) asked: bool,
    pub(crate) companion: Option<(ActionKind, Subject)>,
    pub(crate) shown: bool,
    /// A card's end, on the wall clock.
    pub(crate) valid_until: i64,
    /// A prompt's ends, on the timeline.
    pub(crate) ends: Vec<(Surface, i64)>,
    pub(crate) shown_on: Vec<Surface>,
    pub(crate) fate: Fate,
}

/// The second model.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) at: i64,
    pub(crate) offset: i64,
    pub(crate) settings: Settings,
    pub(crate) accounts: Accounts,
    pub(crate) past: Vec<Entry>,
    /// Until when a live signal lasts (wall clock).
    pub(crate) dnd: Option<i64>,
    pub(crate) focus: Option<(i64, i64)>,
    pub(crate) rules: Vec<OwnerRule>,
    pub(crate) surfaces: Vec<Surface>,
    pub(crate) cards: Vec<Out>,
    pub(crate) prompt: Option<Out>,
    /// A decision that does not get onto the disk: its tick, and when it is given up.
    pub(crate) lost: Option<(u64, i64)>,
    /// What that decision was about.
    pub(crate) lost_about: Option<(ActionKind, Subject)>,
    /// What was put off.
    pub(crate) later: Vec<Later>,
    /// What programs asked for and waits, oldest first.
    pub(crate) asks: Vec<Asked>,
    /// The ticks whose cards asked for what programs wanted.
    pub(crate) ask_cards: Vec<u64>,
    /// What is over of it, and how, oldest first.
    pub(crate) asks_over: Vec<(ActionKind, AskState)>,
    /// What is over, and whether "Useful" was said of it.
    pub(crate) closed: Vec<(u64, bool)>,
    /// Ticks that ended, until they are looked at.
    pub(crate) ended: Vec<Ended>,
}

impl Model {
    pub(crate) fn new(at: i64, settings: Settings) -> Self {
        let date = local(at, settings.zone).date();
        Self {
            at,
            offset: 0,
            accounts: Accounts::new(date, settings.ceiling),
            settings,
            past: vec![],
            dnd: None,
            focus: None,
            rules: vec![],
            surfaces: vec![],
            cards: vec![],
            prompt: None,
            lost: None,
            lost_about: None,
            later: vec![],
            asks: vec![],
            ask_cards: vec![],
            asks_over: vec![],
            closed: vec![],
            ended: vec![],
        }
    }

    // ---- time ----

    pub(crate) fn wall(&self) -> i64 {
        self.at + self.offset
    }

    pub(crate) fn local(&self) -> NaiveDateTime {
        local(self.wall(), self.settings.zone)
    }

    /// Time goes on to `at`, and everything ends whose time it is, in order.
    pub(crate) fn pass(&mut self, at: i64) {
        while let Some(end) = self.next_end().filter(|end| *end <= at) {
            self.at = self.at.max(end);
            // What ends at midnight ends on the new day.
            self.roll();
            self.over();
        }
        self.at = at;
        self.roll();
    }

    /// When the next prompt, card or lost decision is over (timeline).
    fn next_end(&self) -> Option<i64> {
        let cards = self.cards.iter().map(|card| card.valid_until - self.offset);
        let others = [self.prompt.as_ref().map(prompt_end), self.lost.map(|(_, at)| at)];
        let asks = self
            .asks
            .iter()
            .filter(|ask| !self.is_asked_now(ask))
            .map(|ask| ask.until);
        cards.chain(others.into_iter().flatten()).chain(asks).min()
    }

    fn over(&mut self) {
        let (at, wall) = (self.at, self.wall());
        if let Some((tick, _)) = self.lost.take_if(|(_, until)| *until <= at) {
            self.accounts.release(tick);
            self.lost_about = None;
            self.end(tick, Outcome::Silent, Some(ReasonCode::DeliberationTimeout));
        }
        if let Some(prompt) = self.prompt.take_if(|prompt| prompt_end(prompt) <= at) {
            self.close(&prompt, Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout));
        }
        let (over, open) = self
            .cards
            .drain(..)
            .partition(|card: &Out| card.valid_until <= wall);
        self.cards = open;
        for card in over {
            self.put_away(&card);
        }
        self.asks_lapse();
    }

    fn roll(&mut self) {
        let date = self.local().date();
        self.accounts.roll(date);
    }

    /// After each event: what a new time or new caps make of what is out.
    pub(crate) fn settle_down(&mut self) {
        let wall = self.wall();
        self.dnd.take_if(|end| *end <= wall);
        self.rules
            .retain(|rule| rule.until.is_none_or(|until| until.ms() > wall));
        self.over();
        self.roll();
        self.prompt_taken_back();
        let unseen = self.prompt.as_ref().filter(|prompt| !prompt.shown);
        if let Some(reason) = unseen.and_then(|prompt| self.barred(prompt))
            && let Some(prompt) = self.prompt.take()
        {
            self.close(&prompt, Outcome::Silent, Some(reason));
        }
    }

    // ---- what the owner and the world say ----

    fn note(&mut self, past: Past) {
        let (at, date) = (self.at, self.local().date());
        self.past.push(Entry { at, date, past });
    }

    pub(crate) fn state(&mut self, state: WellnessState) {
        self.note(Past::State(state));
    }

    pub(crate) fn focus(&mut self, minutes: i64) {
        self.focus = Some((self.wall(), self.wall() + minutes * MINUTE));
    }

    pub(crate) fn dnd(&mut self, until: Option<i64>) {
        self.dnd = until;
    }

    pub(crate) fn pause(&mut self, minutes: Option<i64>) {
        self.note(Past::Paused(minutes.map(|minutes| self.at + minutes * MINUTE)));
    }

    pub(crate) fn rule(&mut self, rule: OwnerRule) {
        self.rules.retain(|old| old.name != rule.name);
        self.rules.push(rule);
    }

    pub(crate) fn no_rule(&mut self, name: &str) {
        self.rules.retain(|rule| rule.name.as_str() != name);
    }

    pub(crate) fn unmute(&mut self, channel: Subject) {
        self.note(Past::Unmuted(channel));
    }

    pub(crate) fn connect(&mut self, surface: Surface, there: bool) {
        self.surfaces.retain(|other| *other != surface);
        if there {
            self.surfaces.push(surface);
        }
    }

    pub(crate) fn clock(&mut self, jump: i64) {
        let before = self.wall();
        self.offset += jump;
        self.clock_of_later(before, jump);
    }

    pub(crate) fn adopt(&mut self, settings: Settings) {
        self.settings = settings;
        self.roll();
        self.accounts.want(self.settings.ceiling);
    }

    /// Stopped at the time of the last event, and started again at `at`, perhaps with other settings, perhaps by a build with
    /// other rules: what that one did not ask is void.
    pub(crate) fn restart(&mut self, at: i64, settings: Option<Settings>, updated: bool) {
        // A start reads the settings first, and nothing remembers the ones before it: also what was seen before the stop
        // counts on the date that these give it.
        let handed = self.handed();
        self.settings = settings.unwrap_or_else(|| self.settings.clone());
        // What was out may have been seen; a card that is not over meanwhile is shown again, which is when it counts.
        let late = at + self.offset;
        for index in 0..self.cards.len() {
            let card = &self.cards[index];
            if handed.contains(&card.tick) && card.valid_until <= late {
                self.card_seen(index);
            }
        }
        self.prompt_seen();
        if updated && let Some(prompt) = self.prompt.take() {
            self.close(&prompt, Outcome::Dismissed, Some(ReasonCode::Superseded));
        }
        self.pass(at);
        self.settle_down();
        self.accounts.want(self.settings.ceiling);
        self.surfaces.clear();
        for index in 0..self.cards.len() {
            let card = &self.cards[index];
            if handed.contains(&card.tick) || self.barred(card).is_none() {
                self.card_seen(index);
            }
        }
    }

    /// What was chosen goes its way.
    pub(crate) fn go(
        &mut self,
        tick: u64,
        chosen: &Weighed,
        companion: Option<(ActionKind, Subject)>,
        word: Word,
        fate: Fate,
    ) {
        let safety = chosen.class == Class::Safety;
        let silent = surface(chosen.kind) == Surface::Silent;
        if !safety && !silent && chosen.put_off == 0 {
            self.accounts.reserve(tick);
        }
        if chosen.asked {
            self.ask_cards.push(tick);
        }
        let wall = self.wall();
        let out = Out {
            tick,
            kind: chosen.kind,
            subject: chosen.subject.clone(),
            safety,
            word: if chosen.put_off > 0 { Word::PutOff } else { word },
            put_off: chosen.put_off,
            asked: chosen.asked,
            companion: companion.filter(|_| fate != Fate::CompanionFails),
            shown: false,
            valid_until: chosen
                .valid_until
                .filter(|end| *end > wall)
                .unwrap_or(wall + 4 * HOUR),
            ends: if asks(chosen.kind) {
                self.ends(chosen.kind, chosen.asked)
            } else {
                vec![]
            },
            shown_on: vec![],
            fate,
        };
        if fate == Fate::NotKept {
            self.lost = Some((tick, self.at + 1500));
            self.lost_about = Some((out.kind, out.subject));
        } else if asks(chosen.kind) {
            self.prompt = Some(out);
        } else if let Some(reason) = failure(fate) {
            self.accounts.release(tick);
            self.end(tick, Outcome::Failed, Some(reason));
        } else {
            self.end(tick, Outcome::ExecutedAuto, None);
            if silent {
                self.note(Past::Done(out.kind, out.subject));
            } else {
                // Eight wait at most.
                if self.cards.len() == 8 {
                    let oldest = self.cards.remove(0);
                    self.put_away(&oldest);
                }
                self.cards.push(out);
            }
        }
    }

    pub(crate) fn end(&mut self, tick: u64, outcome: Outcome, reason: Option<ReasonCode>) {
        let after = self.accounts.view();
        self.ended.push(Ended {
            tick,
            outcome,
            reason,
            after,
        });
    }

    // ---- cards and prompts ----

    fn may_be_seen(&self, card: &Out) -> bool {
        card.shown || self.barred(card).is_none()
    }

    /// The cards that are to be with the surfaces now.
    pub(crate) fn handed(&self) -> Vec<u64> {
        let handed = self.cards.iter().filter(|card| self.may_be_seen(card));
        handed.map(|card| card.tick).collect()
    }

    /// What the owner has not seen, and where it is.
    pub(crate) fn unseen(&self) -> Vec<(u64, Surface)> {
        let prompt = self.prompt.iter().filter(|prompt| !prompt.shown);
        let open = |prompt: &Out| {
            prompt
                .ends
                .iter()
                .find(|(_, end)| self.at < *end)
                .map(|(on, _)| (prompt.tick, *on))
        };
        let cards = self
            .cards
            .iter()
            .filter(|card| !card.shown && self.may_be_seen(card));
        prompt
            .filter_map(open)
            .chain(cards.map(|card| (card.tick, Surface::PhoneCard)))
            .collect()
    }

    pub(crate) fn waits_for_the_disk(&self) -> bool {
        self.lost.is_some()
    }

    pub(crate) fn prompted(&self) -> Option<u64> {
        self.prompt.as_ref().map(|prompt| prompt.tick)
    }

    fn first_seen(&mut self, out: &Out) {
        self.accounts.settle(out.tick);
        self.note(Past::Seen {
            proactive: out.word == Word::Nobody,
            of_safety: out.safety,
        });
        self.note(Past::Done(out.kind, out.subject.clone()));
        if let Some((kind, subject)) = out.companion.clone() {
            self.note(Past::Done(kind, subject));
        }
    }

    fn card_seen(&mut self, index: usize) {
        if !self.cards[index].shown {
            self.cards[index].shown = true;
            let card = self.cards[index].clone();
            self.first_seen(&card);
        }
    }

    fn prompt_seen(&mut self) {
        if let Some(prompt) = self.prompt.as_mut().filter(|prompt| !prompt.shown) {
            prompt.shown = true;
            let prompt = prompt.clone();
            self.first_seen(&prompt);
        }
    }

    /// A surface says that it shows it.
    pub(crate) fn shown(&mut self, tick: u64, surface: Surface) {
        let at = self.at;
        if let Some(prompt) = self.prompt.as_mut().filter(|prompt| prompt.tick == tick) {
            if prompt.ends.iter().any(|(on, end)| *on == surface && at < *end) {
                prompt.shown_on.push(surface);
                self.prompt_seen();
            }
        } else if self.handed().contains(&tick) {
            let index = self.cards.iter().position(|card| card.tick == tick);
            self.card_seen(index.unwrap());
        }
    }

    /// The owner does something with it on a surface, with the right capability.
    pub(crate) fn answered(&mut self, tick: u64, surface: Surface, act: SubmitAct) {
        let at = self.at;
        let mut prompt = self.prompt.take();
        let refused = |out: &Out| act.is_later() && self.next_times(out).is_none();
        let taken = prompt.take_if(|prompt| {
            let open = prompt.ends.iter().any(|(on, end)| *on == surface && at < *end);
            prompt.tick == tick
                && open
                && prompt.shown_on.contains(&surface)
                && act != SubmitAct::Useful
                && !refused(prompt)
        });
        self.prompt = prompt;
        if let Some(prompt) = taken {
            match act {
                SubmitAct::Confirm => self.carry_out(&prompt),
                SubmitAct::Edit => self.close(&prompt, Outcome::Dismissed, Some(ReasonCode::Edited)),
                SubmitAct::Dismiss | SubmitAct::Useful => {
                    self.close(&prompt, Outcome::Dismissed, Some(ReasonCode::OwnerDismissed));
                }
                SubmitAct::LaterQuarter
                | SubmitAct::LaterHour
                | SubmitAct::LaterEvening
                | SubmitAct::LaterTomorrow => {
                    self.put_off(&prompt, act);
                    self.close(&prompt, Outcome::Dismissed, Some(ReasonCode::Later));
                }
            }
        } else if surface == Surface::Push {
            // There, only a question can be answered.
        } else if self.handed().contains(&tick) {
            // Who answers a card has seen it.
            let index = self.cards.iter().position(|card| card.tick == tick).unwrap();
            self.card_seen(index);
            match act {
                SubmitAct::Confirm => {}
                SubmitAct::Useful => {
                    self.accounts.useful(tick);
                }
                SubmitAct::Dismiss | SubmitAct::Edit => {
                    let card = self.cards.remove(index);
                    self.put_away(&card);
                }
                SubmitAct::LaterQuarter
                | SubmitAct::LaterHour
                | SubmitAct::LaterEvening
                | SubmitAct::LaterTomorrow => {
                    if self.next_times(&self.cards[index]).is_some() {
                        let card = self.cards.remove(index);
                        self.put_off(&card, act);
                        self.put_away(&card);
                    }
                }
            }
        } else if act == SubmitAct::Useful
            && let Some(closed) = self
                .closed
                .iter_mut()
                .find(|(closed, said)| *closed == tick && !said)
        {
            closed.1 = true;
            self.accounts.useful(tick);
        }
    }

    fn carry_out(&mut self, prompt: &Out) {
        let failed = failure(prompt.fate);
        if failed.is_none() && prompt.kind == MuteGroup30 {
            self.note(Past::Muted(prompt.subject.clone(), self.at + 30 * MINUTE));
        }
        let outcome = if failed.is_some() {
            Outcome::Failed
        } else {
            Outcome::Confirmed
        };
        self.close(prompt, outcome, failed);
    }

    pub(crate) fn close(&mut self, prompt: &Out, outcome: Outcome, reason: Option<ReasonCode>) {
        self.accounts.release(prompt.tick);
        self.closed.push((prompt.tick, false));
        self.end(prompt.tick, outcome, reason);
        self.asks_end(prompt.kind, &prompt.subject, outcome, reason);
        self.asks_lapse();
    }

    fn put_away(&mut self, card: &Out) {
        self.accounts.release(card.tick);
        self.closed.push((card.tick, false));
    }

    pub(crate) fn view(&self) -> LedgerView {
        self.accounts.view()
    }
}

fn failure(fate: Fate) -> Option<ReasonCode> {
    match fate {
        Fate::ToolFails => Some(ReasonCode::ToolFailed),
        Fate::ResultRejected => Some(ReasonCode::ResultRejected),
        Fate::Well | Fate::NotKept | Fate::CompanionFails => None,
    }
}

/// With the last surface on which it was really shown; on none so far, with the last there is.
fn prompt_end(prompt: &Out) -> i64 {
    let shown = |(on, _): &&(Surface, i64)| prompt.shown_on.contains(on);
    let end = |(_, end): &(Surface, i64)| *end;
    let really = prompt.ends.iter().filter(shown).map(end).max();
    really.or(prompt.ends.iter().map(end).max()).unwrap()
}

fn local(wall: i64, zone: Tz) -> NaiveDateTime {
    DateTime::from_timestamp_millis(wall)
        .unwrap()
        .with_timezone(&zone)
        .naive_local()
}
