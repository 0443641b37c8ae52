//! What is said of a dismissed card, and of what the owner may have meant by it.
//!
//! What: that it was dismissed, and for each offer its button and its effect. Why: a button that changes what Aura says tells so before it is tapped.
//! Not here: what is offered (`render::feedback`).

use super::learned::treated;
use crate::format;
use chrono::NaiveTime;
use toolcall_schema::{ActionKind, catalogue::comms::MessageClass};

/// Opens the offers.
pub const WHAT_IT_MEANT: &str = "What did you mean?";
/// What *Not now* does.
pub const NOT_NOW_DOES: &str = "Nothing more happens.";
/// Nothing of the kind, where there is nothing narrower.
pub const NOT_ABOUT_THIS: &str = "Not about this";
/// Nothing of the kind, whatever it is about.
pub const NOTHING_OF_THIS_KIND: &str = "Nothing of this kind";
/// Not in this hour of the day.
pub const NOT_AT_THIS_HOUR: &str = "Not at this hour";
/// It was misjudged.
pub const JUDGED_WRONG: &str = "Wrong";
/// A chat without a name, within a sentence.
pub const THAT_CHAT: &str = "this chat";
/// Somebody without a name, within a sentence.
pub const THAT_SENDER: &str = "this sender";
/// What taking a correction back takes with it.
pub const UNDO_FORGETS: &str = "Undo forgets everything I learned about it.";
/// Everything that was learned is gone.
pub const ALL_UNLEARNED: &str = "I forgot everything I had learned from you.";
/// The way from the rules to what was learned.
pub const LEARNED_ELSEWHERE: &str = "What I learned about senders and chats";

/// The name of what opens the offers.
pub fn what_it_meant(says: &str) -> String {
    format!("{WHAT_IT_MEANT} {says}")
}

/// A card was dismissed.
pub fn dismissed(kind: ActionKind, thing: Option<&str>) -> String {
    format!("Dismissed: {}.", proposal(kind, thing))
}

/// A card was put off: `until` as in "at 18:00".
pub fn card_put_off(kind: ActionKind, thing: Option<&str>, until: &str) -> String {
    format!("Put off: {}. Asked again {until}.", proposal(kind, thing))
}

/// When a card that was put off comes back: `until` as in "at 18:00".
pub fn asks_again(until: &str) -> String {
    format!("I'll ask again {until}.")
}

/// How a question ended that was put off, in a list.
pub const PUT_OFF: &str = "put off";
/// Opens the hours to which a card can be put off.
pub const LATER: &str = "Later";

/// Nothing about a thing.
pub fn not_about(thing: &str) -> String {
    format!("Not about {thing}")
}

/// What a rule keeps Aura from saying, and when.
pub fn will_not(kind: ActionKind, thing: Option<&str>, hours: Option<(NaiveTime, NaiveTime)>) -> String {
    let when = hours.map_or_else(
        || "any more".to_owned(),
        |(from, to)| format!("between {} and {}", clock(from), clock(to)),
    );
    format!("I will not {} {} {when}.", verb(kind), proposal(kind, thing))
}

/// What will be believed of somebody's messages.
pub fn will_treat(thing: &str, class: MessageClass) -> String {
    format!("I will treat {thing} as {}.", treated(class))
}

/// What is believed, because the owner said so.
pub fn is_treated(thing: &str, class: MessageClass) -> String {
    format!("I treat {thing} as {}, because you said so.", treated(class))
}

/// What was learned of somebody is gone.
pub fn unlearned(thing: &str) -> String {
    format!("I forgot what I had learned about {thing}.")
}

fn clock(time: NaiveTime) -> String {
    if time == NaiveTime::MIN {
        "midnight".to_owned()
    } else {
        format::time_of_day(time)
    }
}

/// What Aura does with a proposal of that kind.
fn verb(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::SurfaceAnomaly | ActionKind::ProjectBalance => "speak about",
        ActionKind::ShowBrief | ActionKind::BatchDigest => "show",
        ActionKind::LeaveByAlert => "say",
        ActionKind::MuteGroup30
        | ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::PrepareMeeting
        | ActionKind::CategorizeTxn
        | ActionKind::DraftReply
        | ActionKind::DeclineEvent => "suggest",
    }
}

/// What was proposed, within a sentence.
fn proposal(kind: ActionKind, thing: Option<&str>) -> String {
    let about = |plain: &str, link: &str| match thing {
        Some(thing) => format!("{plain} {link} {thing}"),
        None => plain.to_owned(),
    };
    match kind {
        ActionKind::MuteGroup30 => format!("muting {}", thing.unwrap_or("a chat")),
        ActionKind::Breathe478 => "a breathing break".to_owned(),
        ActionKind::Nap15 => "a nap".to_owned(),
        ActionKind::PermitLeisure => "a break".to_owned(),
        ActionKind::BatchDigest => format!("a digest of {}", thing.unwrap_or("many messages")),
        ActionKind::ShowBrief => "the morning brief".to_owned(),
        ActionKind::LeaveByAlert => about("when to leave", "for"),
        ActionKind::PrepareMeeting => format!("getting ready for {}", thing.unwrap_or("a meeting")),
        ActionKind::CategorizeTxn => "sorting new payments".to_owned(),
        ActionKind::SurfaceAnomaly => about("unusual spending", "on"),
        ActionKind::ProjectBalance => "the balance at the month's end".to_owned(),
        ActionKind::DraftReply => format!("a reply to {}", thing.unwrap_or("somebody")),
        ActionKind::DeclineEvent => format!("declining {}", thing.unwrap_or("an event")),
    }
}

/// What comes of saying that a message wanted no answer.
pub fn nobody_waits(who: &str) -> String {
    format!("{who} no longer waits for your answer, and I offer such messages a little less.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hour_of_a_day_ends_at_midnight() {
        let at = |hour| NaiveTime::from_hms_opt(hour, 0, 0).unwrap();
        assert_eq!(
            will_not(ActionKind::ShowBrief, None, Some((at(23), at(0)))),
            "I will not show the morning brief between 23:00 and midnight."
        );
        assert_eq!(
            will_not(ActionKind::LeaveByAlert, None, Some((at(0), at(1)))),
            "I will not say when to leave between midnight and 01:00."
        );
    }

    #[test]
    fn each_kind_is_said_with_its_thing() {
        for kind in ActionKind::ALL {
            for thing in [None, Some("Asha")] {
                let says = will_not(*kind, thing, None);
                assert!(
                    says.starts_with("I will not ") && says.ends_with(" any more."),
                    "{says}"
                );
                assert!(!says.contains('_') && !says.contains("  "), "{says}");
            }
        }
        assert_eq!(
            dismissed(ActionKind::DraftReply, Some("Asha")),
            "Dismissed: a reply to Asha."
        );
        assert_eq!(
            dismissed(ActionKind::LeaveByAlert, Some("Dentist")),
            "Dismissed: when to leave for Dentist."
        );
    }
}
