//! What the owner and the owner's computer do on a recorded day.
//!
//! What: [`entries`], the day's signals and acts in the order in which they happen, and [`StandIn`], which remembers what
//! was seen where and says what each act comes to. Why: every player of a day does the same. Not here: doing it (`player`
//! with the actors, `crate::simulator` without).

use aura_runtime::config::HomeConfig;
use orchestrator_machine::EventKind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use toolcall_schema::{
    Surface, Timestamp, ToolName,
    catalogue::{
        comms::UnmuteChannel,
        correspondent::LetThrough,
        orchestrator::{EndPause, RemoveRule, UndoLater},
    },
    day::{CardSubmission, OwnerActKind, RecordedDay, SubmitAnswer, Wrong},
    ids::{CardId, ChannelHash, OwnerSeed, RequestId},
    names::SubmitAct,
    rule::OwnerRule,
    signal::AdmittedSignal,
    trace::{Asker, Card},
};

/// The requests of a day's calls are numbered from here: far from the numbers of those who wait.
const ASKED_FROM: u64 = 1 << 40;

/// The request that an asker calls by a key.
fn request_id(asker: Asker, key: &str) -> RequestId {
    OwnerSeed::from_day_seed("stand-in")
        .key("call request v1")
        .request(asker.as_str(), key)
}

/// Something of a recorded day.
pub enum DayEntry<'a> {
    /// Signals with one `at`: one batch.
    Signals(Vec<AdmittedSignal>),
    /// What the owner, a surface or the computer does.
    Act(&'a OwnerActKind),
}

/// All of a day in time order; at the same time signals come first.
pub fn entries(day: &RecordedDay) -> VecDeque<(Timestamp, DayEntry<'_>)> {
    let mut batches: BTreeMap<Timestamp, Vec<AdmittedSignal>> = BTreeMap::new();
    for signal in &day.signals {
        batches
            .entry(signal.signal().at)
            .or_default()
            .push(signal.clone());
    }
    let signals = batches
        .into_iter()
        .map(|(at, batch)| (at, DayEntry::Signals(batch)));
    let acts = day.owner.iter().map(|act| (act.at, DayEntry::Act(&act.act)));
    let mut all: Vec<_> = signals.chain(acts).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into()
}

/// What an act comes to.
pub enum ScriptedAct {
    /// A surface connects.
    Connect(Surface),
    /// A surface goes away.
    Disconnect(Surface),
    /// Something is submitted.
    Submit(Box<PageSubmission>),
    /// The owner says something.
    Say(EventKind),
    /// The configuration is another one: [`StandIn::home`].
    Settings,
    /// The clock is set by so many milliseconds.
    Clock(i64),
    /// The process stands still for so many milliseconds.
    Suspend(i64),
    /// Stopped, and started after so many milliseconds.
    Restart(i64),
}

/// A submission as a page would send it.
pub struct PageSubmission {
    /// The tick it is about.
    pub tick: u64,
    /// On which card.
    pub card_id: CardId,
    pub surface: Surface,
    pub act: SubmitAct,
    /// As the card carries it there, or wrong.
    pub capability: Option<String>,
    /// What must be answered; absent: anything.
    pub wanted: Option<SubmitAnswer>,
}

impl PageSubmission {
    /// What is wrong with the answer, if anything. `got`: absent when none came.
    pub(crate) fn surprise(&self, got: Option<SubmitAnswer>) -> Option<String> {
        let wanted = self.wanted.filter(|wanted| got != Some(*wanted))?;
        Some(format!(
            "tick {}: {} on {} was to be answered {wanted}\n        but got {}",
            self.tick,
            self.act,
            self.surface,
            got.map_or("nothing", SubmitAnswer::as_str)
        ))
    }
}

/// The owner's stand-in.
pub struct StandIn {
    /// The owner's configuration as it stands.
    pub home: HomeConfig,
    connected: BTreeSet<Surface>,
    seen: BTreeSet<(CardId, Surface)>,
    cards: BTreeMap<u64, Card>,
    /// How many calls were asked for.
    asked: u64,
}

impl StandIn {
    /// One that has seen nothing.
    pub fn new(home: HomeConfig) -> Self {
        Self {
            home,
            connected: BTreeSet::new(),
            seen: BTreeSet::new(),
            cards: BTreeMap::new(),
            asked: 0,
        }
    }

    /// Looks at the connected surfaces while this card is the one to be seen: where it is seen for the first time.
    pub fn look(&mut self, card: Card) -> Vec<Surface> {
        let asks = |surface: Surface| card.prompts.iter().any(|prompt| prompt.surface == surface);
        let page = self.connected.contains(&Surface::PhoneCard);
        let new = self.connected.iter().copied().filter(|surface| {
            let here = if card.prompts.is_empty() {
                *surface == Surface::PhoneCard || (*surface == Surface::Push && !page)
            } else {
                asks(*surface)
            };
            here && self.seen.insert((card.card_id.clone(), *surface))
        });
        let new = new.collect();
        self.cards.insert(card.decision.tick, card);
        new
    }

    /// After a start nothing is connected and nothing seen; gives the surfaces that connect again.
    pub(crate) fn began_again(&mut self) -> BTreeSet<Surface> {
        self.seen.clear();
        std::mem::take(&mut self.connected)
    }

    /// A surface connects again.
    pub fn connect(&mut self, surface: Surface) {
        self.connected.insert(surface);
    }

    /// What an act comes to at a time of the wall clock.
    ///
    /// # Errors
    /// A submission on a card that never was, as a sentence: the day is wrong.
    pub fn does(&mut self, act: &OwnerActKind, wall: Timestamp) -> Result<ScriptedAct, String> {
        let ms = |minutes: i64| minutes * 60_000;
        Ok(match act {
            OwnerActKind::Connect { surface } => {
                self.connected.insert(*surface);
                ScriptedAct::Connect(*surface)
            }
            OwnerActKind::Disconnect { surface } => {
                self.connected.remove(surface);
                ScriptedAct::Disconnect(*surface)
            }
            OwnerActKind::Confirm(submission) => self.submits(submission, SubmitAct::Confirm)?,
            OwnerActKind::Dismiss(submission) => self.submits(submission, SubmitAct::Dismiss)?,
            OwnerActKind::Useful(submission) => self.submits(submission, SubmitAct::Useful)?,
            OwnerActKind::Edit(submission) => self.submits(submission, SubmitAct::Edit)?,
            OwnerActKind::Later {
                choice,
                surface,
                tick,
                capability,
                answer,
            } => {
                let submission = CardSubmission {
                    surface: *surface,
                    tick: *tick,
                    capability: *capability,
                    answer: *answer,
                };
                self.submits(&submission, *choice)?
            }
            OwnerActKind::Rule {
                name,
                kind,
                subject,
                hours,
                days,
            } => ScriptedAct::Say(EventKind::RuleSet {
                rule: OwnerRule {
                    kinds: kind.iter().copied().collect(),
                    subject: subject.clone(),
                    hours: *hours,
                    days: days.clone(),
                    ..OwnerRule::named(name.clone())
                },
            }),
            OwnerActKind::Pause { minutes } => ScriptedAct::Say(EventKind::Paused {
                until: Some(wall.plus_min(i64::from(*minutes))),
            }),
            OwnerActKind::EndMute { tick } => {
                let channel = self.muted_by(*tick)?;
                self.asks_for(
                    ToolName::UnmuteChannel,
                    serde_json::to_value(UnmuteChannel {
                        channel_hash: channel,
                    }),
                )
            }
            OwnerActKind::EndPause {} => self.asks_for(ToolName::EndPause, serde_json::to_value(EndPause {})),
            OwnerActKind::EndRule { name } => self.asks_for(
                ToolName::RemoveRule,
                serde_json::to_value(RemoveRule { name: name.clone() }),
            ),
            OwnerActKind::UndoLater { tick } => {
                let trace_id = self.card_of(*tick, "to be taken back")?.decision.trace_id.clone();
                self.asks_for(ToolName::UndoLater, serde_json::to_value(UndoLater { trace_id }))
            }
            OwnerActKind::LetThrough { about, always } => self.asks_for(
                ToolName::LetThrough,
                serde_json::to_value(LetThrough {
                    about: about.clone(),
                    always: *always,
                }),
            ),
            OwnerActKind::Ask {
                key,
                tool,
                args,
                wait_min,
            } => {
                self.asked += 1;
                let asker = Asker::Program;
                ScriptedAct::Say(EventKind::CallRequested {
                    request: ASKED_FROM + self.asked,
                    id: request_id(asker, key),
                    asker,
                    origin: None,
                    tool: *tool,
                    args: args.clone(),
                    wait_min: *wait_min,
                })
            }
            OwnerActKind::Settings { zone, ceiling } => {
                let settings = &mut self.home.settings;
                settings.zone = zone.unwrap_or(settings.zone);
                settings.ceiling = ceiling.unwrap_or(settings.ceiling);
                self.home.owner.zone = settings.zone;
                ScriptedAct::Settings
            }
            OwnerActKind::Clock { minutes } => ScriptedAct::Clock(ms(i64::from(*minutes))),
            OwnerActKind::Suspend { minutes } => ScriptedAct::Suspend(ms(i64::from(*minutes))),
            OwnerActKind::Restart { minutes } => ScriptedAct::Restart(ms(i64::from(*minutes))),
        })
    }

    /// The card of a tick.
    fn card_of(&self, tick: u64, what_for: &str) -> Result<&Card, String> {
        let card = self.cards.get(&tick);
        card.ok_or_else(|| format!("tick {tick}: has no card {what_for}"))
    }

    /// The chat that was muted on a tick's card.
    fn muted_by(&self, tick: u64) -> Result<ChannelHash, String> {
        let chosen = self
            .cards
            .get(&tick)
            .and_then(|card| card.decision.chosen.as_ref());
        let channel = chosen.and_then(|chosen| ChannelHash::parse(chosen.subject.as_str()).ok());
        channel.ok_or_else(|| format!("tick {tick}: has no card about a chat"))
    }

    /// A call as a page asks for it; nobody waits for its answer.
    fn asks_for(&mut self, tool: ToolName, args: Result<Value, serde_json::Error>) -> ScriptedAct {
        self.asked += 1;
        let (asker, key) = (Asker::OwnerPage, self.asked.to_string());
        ScriptedAct::Say(EventKind::CallRequested {
            request: ASKED_FROM + self.asked,
            id: request_id(asker, &key),
            asker,
            origin: None,
            tool,
            // Ids and names: serializing cannot fail.
            args: args.unwrap_or_default(),
            wait_min: None,
        })
    }

    fn submits(&self, submission: &CardSubmission, act: SubmitAct) -> Result<ScriptedAct, String> {
        let tick = submission.tick;
        let card = self.card_of(tick, &format!("for a {act}"))?;
        let of = |here: bool| {
            let mut prompts = card.prompts.iter();
            let prompt = prompts.find(|prompt| (prompt.surface == submission.surface) == here);
            prompt.map(|prompt| prompt.capability.clone())
        };
        let capability = match submission.capability {
            None => of(true),
            Some(Wrong::Foreign) => of(false),
            Some(Wrong::Absent) => None,
            Some(Wrong::Altered) => of(true).map(|text| {
                let first = if text.starts_with('0') { '1' } else { '0' };
                text.chars().skip(1).fold(String::from(first), |mut text, digit| {
                    text.push(digit);
                    text
                })
            }),
        };
        Ok(ScriptedAct::Submit(Box::new(PageSubmission {
            tick,
            card_id: card.card_id.clone(),
            surface: submission.surface,
            act,
            capability,
            wanted: submission.answer,
        })))
    }
}
