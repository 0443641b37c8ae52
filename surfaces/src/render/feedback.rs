//! What dismissing a card may have meant, as offers that the owner taps.
//!
//! What: [`offers`], from a dismissed card and the owner's zone to the rules and the correction that are offered; [`standing_rules`], which of them are in
//! force. Why: "not now" says too little, and each offer names its effect before it is made. Not here: adding a rule or correcting (`web::owner`,
//! `web::learned`: there is one way for each), markup (`web::acts_page`).

use super::rule_request::RuleRequest;
use chrono::{NaiveDate, NaiveTime, Timelike as _};
use chrono_tz::Tz;
use surfaces_base::{backend::DisplayNames, words};
use toolcall_schema::{
    ActionKind, Category, Surface, Timestamp,
    catalogue::{comms::MessageClass, learning::LearnedThing},
    ids::{CardId, ChannelHash, ItemId},
    rule::OwnerRule,
    tick::Subject,
};

/// A card that the owner dismissed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DismissedCard {
    pub card_id: CardId,
    pub kind: ActionKind,
    pub subject: Subject,
    /// When it was decided (wall clock): rules hold at that moment.
    pub decided_at: Timestamp,
    /// Whether an agent proposed it; what a program asked for was nobody's judgement.
    pub is_proposed: bool,
}

/// What the owner may have meant beside "not now", which changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FeedbackOffer {
    /// Nothing of this kind about this chat or category.
    ThisThing(ActionKind, Subject),
    /// Nothing of this kind.
    ThisKind(ActionKind),
    /// Nothing of this kind in this hour of the day, the end excluded.
    ThisHour(ActionKind, NaiveTime, NaiveTime),
    /// It was misjudged: what comes from there is of that class.
    Misjudged(LearnedThing, MessageClass),
    /// It was misjudged: nobody waits for an answer to this message.
    NotWaiting(ItemId),
    /// It was misjudged: what that day cost is usual.
    UsualDay(Category, NaiveDate),
}

/// What is offered, in the order of the buttons. Nothing for a kind that is never shown, because no rule could change that.
pub(crate) fn offers(card: &DismissedCard, zone: Tz) -> Vec<FeedbackOffer> {
    let kind = card.kind;
    if kind.tool().columns().surface == Surface::Silent {
        return Vec::new();
    }
    let mut offers = Vec::new();
    if is_lasting(&card.subject) {
        offers.push(FeedbackOffer::ThisThing(kind, card.subject.clone()));
    }
    offers.push(FeedbackOffer::ThisKind(kind));
    let (from, to) = hour_around(card.decided_at, zone);
    offers.push(FeedbackOffer::ThisHour(kind, from, to));
    // Of all that is judged by what was learned, only a digest is about somebody whom a correction can name; the message of a draft can be let go.
    if kind == ActionKind::BatchDigest
        && card.is_proposed
        && let Ok(channel) = ChannelHash::parse(card.subject.as_str())
    {
        let about = LearnedThing::Channel(channel);
        offers.push(FeedbackOffer::Misjudged(about, MessageClass::News));
    }
    if kind == ActionKind::DraftReply
        && card.is_proposed
        && let Ok(item) = ItemId::parse(card.subject.as_str())
    {
        offers.push(FeedbackOffer::NotWaiting(item));
    }
    if kind == ActionKind::SurfaceAnomaly
        && card.is_proposed
        && let Some(category) = Category::parse(card.subject.as_str())
    {
        let day = card.decided_at.utc().with_timezone(&zone).date_naive();
        offers.push(FeedbackOffer::UsualDay(category, day));
    }
    offers
}

/// Those of a card's offers that are rules and in force, each with its rule, the oldest rule first.
pub(crate) fn standing_rules<'a>(
    card: &DismissedCard,
    zone: Tz,
    rules: &'a [OwnerRule],
) -> Vec<(FeedbackOffer, &'a OwnerRule)> {
    let offers = offers(card, zone);
    let offer_of = |rule| {
        let says = |offer: &&FeedbackOffer| offer.rule().is_some_and(|request| request.is_said_by(rule));
        offers.iter().find(says).cloned()
    };
    rules
        .iter()
        .filter_map(|rule| Some((offer_of(rule)?, rule)))
        .collect()
}

/// Whether a rule about a subject can matter again: chats and categories come back, a day, a message and an event do not.
fn is_lasting(subject: &Subject) -> bool {
    ChannelHash::parse(subject.as_str()).is_ok() || Category::parse(subject.as_str()).is_some()
}

/// The hour of the owner's clock that an instant lies in; the last one ends at midnight.
fn hour_around(at: Timestamp, zone: Tz) -> (NaiveTime, NaiveTime) {
    let hour = at.utc().with_timezone(&zone).hour();
    let full = |hour| NaiveTime::from_hms_opt(hour % 24, 0, 0).unwrap_or(NaiveTime::MIN);
    (full(hour), full(hour + 1))
}

impl DismissedCard {
    /// That nothing more was meant, and what that does.
    pub(crate) fn not_now(&self) -> (&'static str, &'static str) {
        match self.kind {
            ActionKind::SurfaceAnomaly => (words::SPENDING_FINE.say(), words::SPENDING_FINE_DOES.say()),
            ActionKind::MuteGroup30
            | ActionKind::Breathe478
            | ActionKind::Nap15
            | ActionKind::PermitLeisure
            | ActionKind::ShowBrief
            | ActionKind::LeaveByAlert
            | ActionKind::PrepareMeeting
            | ActionKind::CategorizeTxn
            | ActionKind::ProjectBalance
            | ActionKind::DeclineEvent => (words::NOT_NOW.say(), words::NOT_NOW_DOES.say()),
            // That these were dismissed has taught Comms already; what a program asked for teaches nothing.
            ActionKind::BatchDigest | ActionKind::DraftReply if self.is_proposed => {
                (words::NOT_NOW.say(), words::NOT_NOW_TAUGHT.say())
            }
            ActionKind::BatchDigest | ActionKind::DraftReply => {
                (words::NOT_NOW.say(), words::NOT_NOW_DOES.say())
            }
        }
    }

    /// What it was about, where that has a name.
    pub fn thing(&self, names: &DisplayNames) -> Option<String> {
        thing_name(&self.subject, names)
    }

    /// That it was dismissed.
    pub fn says(&self, names: &DisplayNames) -> String {
        words::dismissed(self.kind, self.thing(names).as_deref())
    }
}

/// The name of a subject: a category's is ours, others have theirs from outside.
pub(crate) fn thing_name(subject: &Subject, names: &DisplayNames) -> Option<String> {
    let category = Category::parse(subject.as_str()).map(words::category);
    category
        .or_else(|| names.get(subject.as_str()))
        .map(str::to_owned)
}

impl FeedbackOffer {
    /// The rule that it adds; `None`: it adds none.
    pub(crate) fn rule(&self) -> Option<RuleRequest> {
        let of_kind = |kind: &ActionKind| RuleRequest {
            kind: Some(*kind),
            ..RuleRequest::default()
        };
        match self {
            FeedbackOffer::ThisThing(kind, subject) => Some(RuleRequest {
                subject: Some(subject.clone()),
                ..of_kind(kind)
            }),
            FeedbackOffer::ThisKind(kind) => Some(of_kind(kind)),
            FeedbackOffer::ThisHour(kind, from, to) => Some(RuleRequest {
                hours: Some((*from, *to)),
                ..of_kind(kind)
            }),
            FeedbackOffer::Misjudged(..) | FeedbackOffer::NotWaiting(_) | FeedbackOffer::UsualDay(..) => None,
        }
    }

    /// The button's word. `narrow`: the chat or the category itself is offered as well.
    pub(crate) fn label(&self, names: &DisplayNames, narrow: bool) -> String {
        match self {
            FeedbackOffer::ThisThing(_, subject) => {
                let name = thing_name(subject, names);
                words::not_about(name.as_deref().unwrap_or(words::THAT_CHAT.say()))
            }
            FeedbackOffer::ThisKind(_) if narrow => words::NOTHING_OF_THIS_KIND.say().to_owned(),
            FeedbackOffer::ThisKind(_) => words::NOT_ABOUT_THIS.say().to_owned(),
            FeedbackOffer::ThisHour(..) => words::NOT_AT_THIS_HOUR.say().to_owned(),
            FeedbackOffer::Misjudged(..) | FeedbackOffer::NotWaiting(_) | FeedbackOffer::UsualDay(..) => {
                words::JUDGED_WRONG.say().to_owned()
            }
        }
    }

    /// What it does, in a sentence that is said before it is tapped and while it stands.
    pub(crate) fn effect(&self, names: &DisplayNames) -> String {
        match self {
            FeedbackOffer::ThisThing(kind, subject) => {
                let name = thing_name(subject, names);
                words::will_not(
                    *kind,
                    Some(name.as_deref().unwrap_or(words::THAT_CHAT.say())),
                    None,
                )
            }
            FeedbackOffer::ThisKind(kind) => words::will_not(*kind, None, None),
            FeedbackOffer::ThisHour(kind, from, to) => words::will_not(*kind, None, Some((*from, *to))),
            FeedbackOffer::Misjudged(about, class) => words::will_treat(learned_name(about, names), *class),
            FeedbackOffer::NotWaiting(item) => {
                words::nobody_waits(names.get(item.as_str()).unwrap_or(words::SOMEBODY_WROTE.say()))
            }
            FeedbackOffer::UsualDay(category, _) => words::will_call_usual(words::category(*category)),
        }
    }
}

/// What somebody who writes, a list or a chat is called, within a sentence.
pub(crate) fn learned_name<'a>(about: &LearnedThing, names: &'a DisplayNames) -> &'a str {
    names.get(about.as_str()).unwrap_or(nameless_within(about))
}

/// The same of one without a name.
pub(crate) fn nameless_within(about: &LearnedThing) -> &'static str {
    match about {
        LearnedThing::Person(_) => words::THAT_SENDER.say(),
        LearnedThing::Channel(_) => words::THAT_CHAT.say(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::rule::RuleName;

    const CHAT: &str = "ch_00000000000000c3";

    fn dismissed(kind: ActionKind, subject: &str, at: &str) -> DismissedCard {
        DismissedCard {
            card_id: CardId::parse("c_spend0000001").unwrap(),
            kind,
            subject: Subject::parse(subject).unwrap(),
            decided_at: Timestamp::parse(at).unwrap(),
            is_proposed: true,
        }
    }

    fn names() -> DisplayNames {
        let chat = (CHAT.to_owned(), "Five-a-side".to_owned());
        std::iter::once(chat).collect()
    }

    /// Buttons with their effects.
    fn said(card: &DismissedCard, zone: Tz) -> Vec<(String, String)> {
        let offers = offers(card, zone);
        let narrow = matches!(offers.first(), Some(FeedbackOffer::ThisThing(..)));
        let said = |offer: &FeedbackOffer| (offer.label(&names(), narrow), offer.effect(&names()));
        offers.iter().map(said).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(label, effect): &(&str, &str)| ((*label).to_owned(), (*effect).to_owned());
        expected.iter().map(owned).collect()
    }

    #[test]
    fn each_button_names_its_effect() {
        // 14:23 in Kolkata, which is 5 hours and a half ahead.
        let card = dismissed(ActionKind::SurfaceAnomaly, "groceries", "2026-11-03T08:53:00Z");
        assert_eq!(
            said(&card, Tz::Asia__Kolkata),
            pairs(&[
                (
                    "Not about groceries",
                    "I will not speak about unusual spending on groceries any more."
                ),
                (
                    "Nothing of this kind",
                    "I will not speak about unusual spending any more."
                ),
                (
                    "Not at this hour",
                    "I will not speak about unusual spending between 14:00 and 15:00."
                ),
                (
                    "Wrong",
                    "So much in a day is usual. I speak about groceries only when a day costs more than that one."
                ),
            ])
        );
        let digest = dismissed(ActionKind::BatchDigest, CHAT, "2026-11-03T08:53:00Z");
        assert_eq!(
            said(&digest, Tz::UTC),
            pairs(&[
                (
                    "Not about Five-a-side",
                    "I will not show a digest of Five-a-side any more."
                ),
                (
                    "Nothing of this kind",
                    "I will not show a digest of many messages any more."
                ),
                (
                    "Not at this hour",
                    "I will not show a digest of many messages between 08:00 and 09:00."
                ),
                ("Wrong", "I will treat Five-a-side as news."),
            ])
        );
        let nap = dismissed(ActionKind::Nap15, "self", "2026-11-03T08:53:00Z");
        assert_eq!(
            said(&nap, Tz::UTC),
            pairs(&[
                ("Not about this", "I will not suggest a nap any more."),
                (
                    "Not at this hour",
                    "I will not suggest a nap between 08:00 and 09:00."
                ),
            ])
        );
    }

    #[test]
    fn what_a_day_cost_is_usual_by_the_owners_day() {
        // 23:30 of the 3rd in London is 05:00 of the 4th in Kolkata.
        let card = dismissed(ActionKind::SurfaceAnomaly, "groceries", "2026-11-03T23:30:00Z");
        let day = |d| NaiveDate::from_ymd_opt(2026, 11, d).unwrap();
        for (zone, d) in [(Tz::Europe__London, 3), (Tz::Asia__Kolkata, 4)] {
            let usual = FeedbackOffer::UsualDay(Category::Groceries, day(d));
            assert_eq!(offers(&card, zone).pop(), Some(usual));
        }
        assert_eq!(card.not_now().0, "That's fine");
        let asked = DismissedCard {
            is_proposed: false,
            ..card
        };
        assert_eq!(offers(&asked, Tz::UTC).len(), 3);
        let nap = dismissed(ActionKind::Nap15, "self", "2026-11-03T23:30:00Z");
        assert_eq!(nap.not_now(), ("Not now", "Nothing more happens."));
    }

    #[test]
    fn what_dismissing_taught_is_said_where_it_taught() {
        let taught = "Nothing more happens. From your dismissing it I learned a little: the next of its like has to be clearer.";
        for (kind, is_proposed, says) in [
            (ActionKind::DraftReply, true, taught),
            (ActionKind::BatchDigest, true, taught),
            (ActionKind::DraftReply, false, "Nothing more happens."),
            (ActionKind::MuteGroup30, true, "Nothing more happens."),
        ] {
            let card = DismissedCard {
                is_proposed,
                ..dismissed(kind, CHAT, "2026-11-03T12:00:00Z")
            };
            assert_eq!(card.not_now().1, says, "{kind:?} {is_proposed}");
        }
    }

    #[test]
    fn the_hour_is_that_of_the_owners_clock() {
        let clock = |h| NaiveTime::from_hms_opt(h, 0, 0).unwrap();
        for (at, zone, from, to) in [
            // 23:30: until midnight, and no minute of the next day.
            ("2026-11-03T23:30:00Z", Tz::UTC, 23, 0),
            ("2026-11-03T00:00:00Z", Tz::UTC, 0, 1),
            ("2026-11-03T00:59:59.999Z", Tz::UTC, 0, 1),
            // Offsets of half and of three quarters of an hour.
            ("2026-11-03T17:59:00Z", Tz::Asia__Kolkata, 23, 0),
            ("2026-11-03T18:31:00Z", Tz::Asia__Kolkata, 0, 1),
            ("2026-11-03T08:16:00Z", Tz::Asia__Kathmandu, 14, 15),
            // The hour that the clocks repeat in Berlin is one hour of the day.
            ("2026-10-25T00:30:00Z", Tz::Europe__Berlin, 2, 3),
            ("2026-10-25T01:30:00Z", Tz::Europe__Berlin, 2, 3),
        ] {
            let at = Timestamp::parse(at).unwrap();
            assert_eq!(hour_around(at, zone), (clock(from), clock(to)), "{at:?} {zone}");
        }
    }

    #[test]
    fn the_rule_of_the_hour_holds_in_it_and_in_no_other() {
        let card = dismissed(ActionKind::Nap15, "self", "2026-11-03T23:30:00Z");
        let hour = offers(&card, Tz::UTC).remove(1).rule().unwrap();
        let rule = hour.under_name(RuleName::parse("nap-15-1").unwrap());
        assert_eq!(rule.check(), Ok(()));
        let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 4).unwrap();
        for (h, m, forbids) in [(22, 59, false), (23, 0, true), (23, 59, true), (0, 0, false)] {
            let time = NaiveTime::from_hms_opt(h, m, 0).unwrap();
            let held = rule.forbids(card.kind, &card.subject, card.decided_at, (day, time));
            assert_eq!(held, forbids, "{h}:{m}");
        }
    }

    #[test]
    fn what_cannot_be_ruled_or_corrected_is_not_offered() {
        let at = "2026-11-03T08:53:00Z";
        // Never shown.
        let sorted = dismissed(ActionKind::CategorizeTxn, "all", at);
        assert_eq!(offers(&sorted, Tz::UTC), []);
        // A day, a message and an event pass by themselves: no rule of their own.
        for (kind, subject) in [
            (ActionKind::ShowBrief, "2026-11-03"),
            (ActionKind::DraftReply, "it_00000000000000b2"),
            (ActionKind::LeaveByAlert, "ev_00000000000000a1"),
            (ActionKind::ProjectBalance, "self"),
        ] {
            let mut offered = offers(&dismissed(kind, subject, at), Tz::UTC);
            offered.retain(|offer| !matches!(offer, FeedbackOffer::NotWaiting(_)));
            assert_eq!(offered.len(), 2, "{kind} {offered:?}");
            assert_eq!(offered.first(), Some(&FeedbackOffer::ThisKind(kind)));
        }
        // A mute is not judged by what was learned, and what a program asked for was nobody's judgement.
        let wrong = |card: &DismissedCard| {
            let offered = offers(card, Tz::UTC);
            offered
                .iter()
                .any(|offer| matches!(offer, FeedbackOffer::Misjudged(..)))
        };
        assert!(!wrong(&dismissed(ActionKind::MuteGroup30, CHAT, at)));
        let digest = dismissed(ActionKind::BatchDigest, CHAT, at);
        assert!(wrong(&digest));
        let asked = DismissedCard {
            is_proposed: false,
            ..digest
        };
        assert!(!wrong(&asked));
        // Of a message that nobody waits for an answer to; a program that asked for the draft judged nothing.
        let draft = dismissed(ActionKind::DraftReply, "it_00000000000000b2", at);
        let names = std::iter::once(("it_00000000000000b2".to_owned(), "Asha".to_owned())).collect();
        let last = offers(&draft, Tz::UTC).pop().unwrap();
        assert_eq!(
            (last.label(&names, false), last.effect(&names), last.rule()),
            (
                "Wrong".to_owned(),
                "Asha no longer waits for your answer, and I offer such messages a little less.".to_owned(),
                None
            )
        );
        let asked = DismissedCard {
            is_proposed: false,
            ..draft
        };
        assert_eq!(offers(&asked, Tz::UTC).len(), 2);
    }

    #[test]
    fn a_rule_that_stands_is_known_by_what_it_says() {
        let card = dismissed(ActionKind::Nap15, "self", "2026-11-03T08:53:00Z");
        let all = offers(&card, Tz::UTC);
        let mut rules: Vec<OwnerRule> = Vec::new();
        assert!(standing_rules(&card, Tz::UTC, &rules).is_empty());
        for (offer, name) in [(&all[1], "siesta"), (&all[0], "nap-15-1")] {
            let name = RuleName::parse(name).unwrap();
            rules.push(offer.rule().unwrap().under_name(name));
        }
        let standing = standing_rules(&card, Tz::UTC, &rules);
        assert_eq!(
            standing,
            [(all[1].clone(), &rules[0]), (all[0].clone(), &rules[1])]
        );
        // Another hour's is not this card's.
        let later = dismissed(ActionKind::Nap15, "self", "2026-11-03T09:53:00Z");
        assert_eq!(standing_rules(&later, Tz::UTC, &rules).len(), 1);
    }

    #[test]
    fn a_chat_without_a_name_is_still_said() {
        let none = DisplayNames::default();
        let card = dismissed(ActionKind::MuteGroup30, CHAT, "2026-11-03T08:53:00Z");
        let offered = offers(&card, Tz::UTC);
        assert_eq!(offered[0].label(&none, true), "Not about this chat");
        assert_eq!(
            offered[0].effect(&none),
            "I will not suggest muting this chat any more."
        );
        assert_eq!(card.says(&none), "Dismissed: muting a chat.");
        assert_eq!(card.says(&names()), "Dismissed: muting Five-a-side.");
    }
}
