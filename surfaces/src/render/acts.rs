//! What the owner did, and what of it can be taken back.
//!
//! What: [`DoneAct`], one act; [`UndoState`], whether it can be taken back now. Why: every act says
//! what it did to which thing until when. Not here: by which call it is taken back (`undo`), what dismissing may have meant (`feedback`), markup
//! (`web::acts_page`).

use super::{
    feedback::{DismissedCard, learned_name, thing_name},
    section, sentence,
};
use chrono_tz::Tz;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};
use surfaces_base::{
    backend::{DisplayNames, NowView, UntracedActs, drafts::OutboxDrafts},
    format, words,
};
use toolcall_schema::{
    Category, Timestamp,
    catalogue::{
        allowed_spending::AllowedSpending,
        comms::MessageClass,
        learning::{LearnedThing, TeachingAct},
        shared::ThingId,
    },
    ids::{ChannelHash, EventId, ItemId, MerchantHash, PersonHash, TraceId},
    rule::{GivenInstruction, OwnerInstruction, OwnerRule, RuleName},
    trace::Trace,
};

mod of_trace;
mod undo_state;

/// How long a draft is offered to be discarded, in milliseconds: a week.
const DRAFT_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActKind {
    Muted(ChannelHash, Timestamp),
    Unmuted(ChannelHash),
    DraftedReply(ItemId),
    DraftedDecline(EventId),
    DiscardedReply(ItemId),
    /// A discarded draft lies there again.
    RestoredReply(ItemId),
    DiscardedDecline(EventId),
    /// So many minutes from then on are kept free, or no longer.
    HeldTime(Timestamp, u32),
    ReleasedTime(Timestamp, u32),
    PutOff(ItemId, Timestamp),
    LetGo(ItemId),
    /// The owner said that it was not for them, which taught something.
    NotForOwner(ItemId),
    BroughtBack(ItemId),
    /// Quiet until then.
    Paused(Timestamp),
    EndedPause,
    AddedRule(OwnerRule),
    /// With what it said, where it was added in that week.
    RemovedRule(RuleName, Option<OwnerRule>),
    /// The owner said what somebody's messages are.
    Corrected(LearnedThing, MessageClass),
    /// What was learned of somebody, or everything, is gone.
    Unlearned(Option<LearnedThing>),
    /// Somebody, or a chat, is always let through, or no longer.
    LetThrough(LearnedThing),
    LetThroughEnded(LearnedThing),
    /// The second is the same person as the first, or is another.
    OnePerson(PersonHash, PersonHash),
    TwoPeople(PersonHash, PersonHash),
    /// What a day cost in a category is usual up to that amount, or is no longer.
    SpendingUsual(AllowedSpending),
    SpendingJudged(Category),
    /// A shop's payments count in a category by the owner's word, or in the one that is found for them again.
    ShopSorted(MerchantHash, Category),
    ShopUnsorted(MerchantHash, Category),
    /// A card was put off until then.
    Later(DismissedCard, Timestamp),
    /// That is taken back, for the card of that decision, where it is known.
    AskedAgain(TraceId, Option<DismissedCard>),
    /// A card was dismissed. What it meant is in force as rules, or is not.
    Dismissed(DismissedCard),
    /// What needs no thing to be said.
    Said(String),
    /// It was chosen and did not work; with the thing, where it was about one.
    Failed(String, Option<ThingId>),
}

impl ActKind {
    /// The message that it took off the list for good.
    pub fn let_go(&self) -> Option<&ItemId> {
        if let ActKind::LetGo(item) | ActKind::NotForOwner(item) = self {
            Some(item)
        } else {
            None
        }
    }
}

/// Which act.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActId {
    Trace(TraceId),
    /// An instruction, which has no trace, by its instant.
    Instruction(Timestamp),
}

/// Begins the id of an instruction.
const INSTRUCTION: &str = "said_";

impl ActId {
    /// Of its text; `None`: there is no such act.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(at) = text.strip_prefix(INSTRUCTION) {
            return at.parse().ok().map(Timestamp::from_ms).map(ActId::Instruction);
        }
        TraceId::parse(text).ok().map(ActId::Trace)
    }

    /// Its trace, where it has one.
    pub fn trace(&self) -> Option<&TraceId> {
        if let ActId::Trace(trace) = self {
            Some(trace)
        } else {
            None
        }
    }

    fn is_trace(&self, id: &TraceId) -> bool {
        self.trace() == Some(id)
    }
}

impl fmt::Display for ActId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ActId::Trace(trace) => trace.fmt(f),
            ActId::Instruction(at) => write!(f, "{INSTRUCTION}{}", at.ms()),
        }
    }
}

/// One act of the owner's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneAct {
    pub id: ActId,
    pub at: Timestamp,
    pub act: ActKind,
}

/// Whether an act can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoState {
    /// It can, for now.
    Offered,
    /// It was, then.
    Undone(Timestamp),
    /// It is over by itself.
    Over,
    /// There is nothing to take back.
    Nothing,
}

/// What acts are shown beside: what is in force, when and where.
#[derive(Debug, Clone, Copy)]
pub struct ActContext<'a> {
    pub mutes: &'a BTreeMap<ChannelHash, Timestamp>,
    pub rules: &'a [OwnerRule],
    /// The decisions whose cards wait for their hour, and until when.
    pub waiting: &'a [(TraceId, Timestamp)],
    /// Until when nothing is said.
    pub paused: Option<Timestamp>,
    pub outbox: &'a OutboxDrafts,
    pub now: Timestamp,
    pub zone: Tz,
}

/// No draft was made or discarded.
static NO_DRAFTS: OutboxDrafts = OutboxDrafts {
    there: BTreeSet::new(),
    discarded: BTreeSet::new(),
};

/// Nothing is muted.
static NO_MUTES: BTreeMap<ChannelHash, Timestamp> = BTreeMap::new();

impl<'a> ActContext<'a> {
    /// Of what is in force as a page is drawn.
    pub fn new(now: &'a NowView, mutes: &'a BTreeMap<ChannelHash, Timestamp>) -> Self {
        ActContext {
            mutes,
            rules: &now.rules,
            waiting: &now.untraced.waiting,
            paused: now.paused_until,
            outbox: &now.untraced.outbox,
            now: now.at,
            zone: format::zone(&now.zone),
        }
    }

    /// For acts about messages: what is muted and which rules stand does not matter there.
    pub fn of_messages(now: Timestamp, zone: Tz) -> Self {
        ActContext {
            mutes: &NO_MUTES,
            rules: &[],
            waiting: &[],
            paused: None,
            outbox: &NO_DRAFTS,
            now,
            zone,
        }
    }
}

impl DoneAct {
    fn from_instruction(given: &GivenInstruction) -> Self {
        Self {
            id: ActId::Instruction(given.at_wall),
            at: given.at_wall,
            act: match &given.what {
                OwnerInstruction::Pause { until } => ActKind::Paused(*until),
                OwnerInstruction::Rule { rule } => ActKind::AddedRule(rule.clone()),
            },
        }
    }

    /// The thing that it was done to.
    pub fn thing(&self) -> Option<ThingId> {
        match &self.act {
            ActKind::Muted(channel, _) | ActKind::Unmuted(channel) => Some(ThingId::Channel(channel.clone())),
            ActKind::DraftedReply(item)
            | ActKind::DiscardedReply(item)
            | ActKind::RestoredReply(item)
            | ActKind::PutOff(item, _)
            | ActKind::LetGo(item)
            | ActKind::NotForOwner(item)
            | ActKind::BroughtBack(item) => Some(ThingId::Item(item.clone())),
            ActKind::DraftedDecline(event) | ActKind::DiscardedDecline(event) => {
                Some(ThingId::Event(event.clone()))
            }
            ActKind::Corrected(about, _)
            | ActKind::Unlearned(Some(about))
            | ActKind::LetThrough(about)
            | ActKind::LetThroughEnded(about) => Some(section::people::thing_of(about)),
            ActKind::Dismissed(card) | ActKind::Later(card, _) | ActKind::AskedAgain(_, Some(card)) => {
                ThingId::parse(card.subject.as_str()).ok()
            }
            ActKind::OnePerson(person, _) | ActKind::TwoPeople(person, _) => {
                Some(ThingId::Person(person.clone()))
            }
            ActKind::ShopSorted(shop, _) | ActKind::ShopUnsorted(shop, _) => {
                Some(ThingId::Merchant(shop.clone()))
            }
            ActKind::Failed(_, thing) => thing.clone(),
            ActKind::AddedRule(rule) | ActKind::RemovedRule(_, Some(rule)) => {
                ThingId::parse(rule.subject.as_ref()?.as_str()).ok()
            }
            ActKind::Paused(_)
            | ActKind::EndedPause
            | ActKind::HeldTime(..)
            | ActKind::ReleasedTime(..)
            | ActKind::SpendingUsual(_)
            | ActKind::SpendingJudged(_)
            | ActKind::RemovedRule(_, None)
            | ActKind::Unlearned(None)
            | ActKind::AskedAgain(_, None)
            | ActKind::Said(_) => None,
        }
    }

    /// The other thing, of an act about two.
    pub(crate) fn other_thing(&self) -> Option<ThingId> {
        if let ActKind::OnePerson(_, other) | ActKind::TwoPeople(_, other) = &self.act {
            Some(ThingId::Person(other.clone()))
        } else {
            None
        }
    }

    /// The same of an act that a server is told of, where it says something else.
    pub fn says_delivered(&self, names: &DisplayNames, now: Timestamp, zone: Tz) -> Option<String> {
        if let ActKind::DraftedDecline(event) = &self.act {
            let event = names.get(event.as_str()).unwrap_or(words::AN_EVENT.say());
            Some(words::you_decline(event))
        } else if let ActKind::DraftedReply(item) = &self.act {
            let who = names.get(item.as_str()).unwrap_or(words::SOMEBODY_AT_ALL.say());
            Some(words::reply_for_server(who))
        } else if let ActKind::HeldTime(start, minutes) = &self.act {
            Some(words::time_held(&hours(*start, *minutes, now, zone)))
        } else {
            None
        }
    }

    /// What it did, in a sentence that names the thing; of what [`DoneAct::is_past`], as of something that is over.
    pub fn says(&self, names: &DisplayNames, is_undone: bool, now: Timestamp, zone: Tz) -> String {
        let chat = |channel: &ChannelHash| {
            names
                .get(channel.as_str())
                .unwrap_or(words::THIS_CHAT.say())
                .to_owned()
        };
        let who = |item: &ItemId| {
            names
                .get(item.as_str())
                .unwrap_or(words::SOMEBODY_WROTE.say())
                .to_owned()
        };
        let whom = |item: &ItemId| names.get(item.as_str()).unwrap_or(words::SOMEBODY_AT_ALL.say());
        let event = |event: &EventId| {
            names
                .get(event.as_str())
                .unwrap_or(words::AN_EVENT.say())
                .to_owned()
        };
        let clock = |until: &Timestamp| format::clock_on(*until, now, zone);
        let person = |person: &PersonHash| {
            let about = LearnedThing::Person(person.clone());
            learned_name(&about, names).to_owned()
        };
        match &self.act {
            ActKind::Muted(channel, until) if *until > now && !is_undone => {
                words::is_muted(&chat(channel), &clock(until))
            }
            ActKind::Muted(channel, until) => words::was_muted(&chat(channel), &clock(until)),
            ActKind::Unmuted(channel) => words::speaks_again(&chat(channel)),
            ActKind::DraftedReply(item) => words::reply_drafted(whom(item)),
            ActKind::RestoredReply(item) => words::reply_restored(whom(item)),
            ActKind::DraftedDecline(id) => words::decline_drafted(&event(id)),
            ActKind::DiscardedReply(item) => words::reply_discarded(whom(item)),
            ActKind::DiscardedDecline(id) => words::decline_discarded(&event(id)),
            ActKind::HeldTime(start, minutes) => words::time_drafted(&hours(*start, *minutes, now, zone)),
            ActKind::ReleasedTime(start, minutes) => {
                words::time_released(&hours(*start, *minutes, now, zone))
            }
            ActKind::PutOff(item, until) if *until > now && !is_undone => {
                words::is_put_off(&who(item), &clock(until))
            }
            ActKind::PutOff(item, until) => words::was_put_off(&who(item), &clock(until)),
            ActKind::LetGo(item) => words::waits_no_more(&who(item)),
            ActKind::NotForOwner(item) if is_undone => words::waits_no_more(&who(item)),
            ActKind::NotForOwner(item) => words::nobody_waits(&who(item)),
            ActKind::BroughtBack(item) => words::waits_again(&who(item)),
            ActKind::Paused(until) if *until > now && !is_undone => words::paused_until(&clock(until)),
            ActKind::Paused(until) => words::was_paused(&clock(until)),
            ActKind::EndedPause => words::PAUSE_IS_OVER.say().to_owned(),
            ActKind::AddedRule(rule) => rule_says(rule, names, is_undone, (now, zone)),
            ActKind::RemovedRule(_, Some(rule)) => removed_rule_says(rule, names, (now, zone)),
            ActKind::RemovedRule(_, None) => words::RULE_IS_GONE.say().to_owned(),
            ActKind::Corrected(about, class) => words::is_treated(learned_name(about, names), *class),
            ActKind::Unlearned(Some(about)) => words::unlearned(learned_name(about, names)),
            ActKind::Unlearned(None) => words::ALL_UNLEARNED.say().to_owned(),
            ActKind::LetThrough(about) if is_undone => words::was_let_through(learned_name(about, names)),
            ActKind::LetThrough(about) => words::let_through_now(learned_name(about, names)),
            ActKind::LetThroughEnded(about) => words::let_through_no_longer(learned_name(about, names)),
            ActKind::OnePerson(one, other) if is_undone => {
                words::was_one_person(&person(one), &person(other))
            }
            ActKind::OnePerson(one, other) => words::one_person_now(&person(one), &person(other)),
            ActKind::TwoPeople(one, other) => words::two_people_again(&person(one), &person(other)),
            ActKind::SpendingUsual(said) => {
                let (category, upto) = (
                    words::category(said.category),
                    format::money(said.upto, &said.currency),
                );
                if is_undone {
                    words::was_usual(category, &upto)
                } else {
                    words::called_usual(category, &upto)
                }
            }
            ActKind::SpendingJudged(category) => words::usual_no_longer(words::category(*category)),
            ActKind::ShopSorted(shop, category) if is_undone => {
                words::shop_was_sorted(shop_of(shop, names), words::category(*category))
            }
            ActKind::ShopSorted(shop, category) => {
                words::shop_is_sorted(shop_of(shop, names), words::category(*category))
            }
            ActKind::ShopUnsorted(shop, category) => {
                words::shop_is_unsorted(shop_of(shop, names), words::category(*category))
            }
            ActKind::Dismissed(card) => card.says(names),
            ActKind::Later(card, _) if is_undone => words::put_off_taken_back(&what_of(card, names)),
            ActKind::AskedAgain(_, Some(card)) => words::asked_again(&what_of(card, names)),
            ActKind::AskedAgain(_, None) => words::UNDID_LATER.say().to_owned(),
            ActKind::Later(card, until) => {
                let thing = thing_name(&card.subject, names);
                words::card_put_off(card.kind, thing.as_deref(), &format::on_day(*until, now, zone))
            }
            ActKind::Said(text) => text.clone(),
            ActKind::Failed(text, thing) => {
                let named = thing
                    .as_ref()
                    .and_then(|thing| names.get(section::people::id_of(thing)));
                words::did_not_work(text, named)
            }
        }
    }
}

/// The acts of some traces, newest first. `untraced`: see [`DoneAct::from_trace`].
pub fn acts(traces: &[Trace], untraced: &UntracedActs) -> Vec<DoneAct> {
    let of_trace = |trace| DoneAct::from_trace(trace, untraced);
    let of_instruction = untraced.instructed.iter().map(DoneAct::from_instruction);
    let mut acts: Vec<DoneAct> = traces.iter().filter_map(of_trace).chain(of_instruction).collect();
    name_what_is_asked_again(&mut acts);
    tell_what_was_not_for_owner(&mut acts, traces);
    acts.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
    name_removed_rules(&mut acts, &untraced.removed);
    acts
}

/// Whose card it was that is asked again stands with the act that put it off.
fn name_what_is_asked_again(acts: &mut [DoneAct]) {
    let cards: BTreeMap<TraceId, DismissedCard> = acts
        .iter()
        .filter_map(|act| {
            let ActKind::Later(card, _) = &act.act else {
                return None;
            };
            Some((act.id.trace()?.clone(), card.clone()))
        })
        .collect();
    for act in acts {
        if let ActKind::AskedAgain(of, card) = &mut act.act {
            *card = cards.get(of).cloned();
        }
    }
}

/// That a message was not for its owner stands in the lesson that was made of it, by the id of the act.
fn tell_what_was_not_for_owner(acts: &mut [DoneAct], traces: &[Trace]) {
    let lessons = traces.iter().filter_map(sentence::lesson);
    let refused: BTreeSet<TraceId> = lessons
        .filter(|lesson| lesson.act == TeachingAct::Dismissed)
        .map(|lesson| lesson.trace_id)
        .collect();
    for act in acts {
        if let (ActKind::LetGo(item), Some(trace)) = (&act.act, act.id.trace())
            && refused.contains(trace)
        {
            act.act = ActKind::NotForOwner(item.clone());
        }
    }
}

/// What a rule said that was removed stands with the act that added it, the last before; else it is remembered for a while. The newest act is first.
fn name_removed_rules(acts: &mut [DoneAct], removed: &[OwnerRule]) {
    let mut added: BTreeMap<RuleName, OwnerRule> = BTreeMap::new();
    for act in acts.iter_mut().rev() {
        if let ActKind::AddedRule(rule) = &act.act {
            added.insert(rule.name.clone(), rule.clone());
        } else if let ActKind::RemovedRule(name, rule) = &mut act.act {
            let remembered = || removed.iter().rfind(|one| one.name == *name);
            *rule = added.get(name).or_else(remembered).cloned();
        }
    }
}

/// From when to when, with the day where that is another.
fn hours(start: Timestamp, minutes: u32, now: Timestamp, zone: Tz) -> String {
    let end = format::clock(start.plus_min(i64::from(minutes)), zone);
    words::from_to(&format::clock_on(start, now, zone), &end)
}

/// What a rule keeps from being said; that somebody is muted is said as of a chat.
fn rule_says(
    rule: &OwnerRule,
    names: &DisplayNames,
    is_undone: bool,
    (now, zone): (Timestamp, Tz),
) -> String {
    let is_over = is_undone || rule.until.is_some_and(|until| until <= now);
    if let Some((person, until)) = rule.muted_person() {
        let about = LearnedThing::Person(person);
        let (who, until) = (learned_name(&about, names), format::clock_on(until, now, zone));
        return if is_over {
            words::was_muted(who, &until)
        } else {
            words::is_muted(who, &until)
        };
    }
    let thing = rule
        .subject
        .as_ref()
        .and_then(|subject| thing_name(subject, names));
    let says = words::rule(rule, thing.as_deref(), (now, zone));
    if is_over {
        words::rule_was_added(&says)
    } else {
        words::rule_is_added(&says)
    }
}

/// The same of one that is removed.
fn removed_rule_says(rule: &OwnerRule, names: &DisplayNames, (now, zone): (Timestamp, Tz)) -> String {
    if let Some((person, _)) = rule.muted_person() {
        return words::speaks_again(learned_name(&LearnedThing::Person(person), names));
    }
    let thing = rule
        .subject
        .as_ref()
        .and_then(|subject| thing_name(subject, names));
    words::rule_is_removed(&words::rule(rule, thing.as_deref(), (now, zone)))
}

fn shop_of<'a>(shop: &MerchantHash, names: &'a DisplayNames) -> &'a str {
    names.get(shop.as_str()).unwrap_or(words::A_SHOP.say())
}

/// What a card was about, as a list names it.
fn what_of(card: &DismissedCard, names: &DisplayNames) -> String {
    let kind = words::action(card.kind);
    thing_name(&card.subject, names).map_or_else(|| kind.to_owned(), |thing| format!("{kind} · {thing}"))
}

/// The things of some acts.
pub fn things(acts: &[DoneAct]) -> BTreeSet<ThingId> {
    let of_act = |act: &DoneAct| act.thing().into_iter().chain(act.other_thing());
    acts.iter().flat_map(of_act).collect()
}
