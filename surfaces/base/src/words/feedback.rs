//! What is said of a dismissed card, and of what the owner may have meant by it.
//!
//! What: that it was dismissed, and for each offer its button and its effect. Why: a button that changes what Aura says tells so before it is tapped.
//! Not here: what is offered (`render::feedback`).

use super::learned::treated;
use crate::{
    format,
    language::{Text, say, text},
};
use chrono::NaiveTime;
use toolcall_schema::{ActionKind, catalogue::comms::MessageClass};

/// Opens the offers.
pub const WHAT_IT_MEANT: Text = Text("feedback-what-it-meant");
/// What *Not now* does.
pub const NOT_NOW_DOES: Text = Text("feedback-not-now-does");

/// The same where that it was dismissed has taught something.
pub const NOT_NOW_TAUGHT: Text = Text("feedback-not-now-taught");
/// Nothing of the kind, where there is nothing narrower.
pub const NOT_ABOUT_THIS: Text = Text("feedback-not-about-this");
/// Nothing of the kind, whatever it is about.
pub const NOTHING_OF_THIS_KIND: Text = Text("feedback-nothing-of-this-kind");
/// Not in this hour of the day.
pub const NOT_AT_THIS_HOUR: Text = Text("feedback-not-at-this-hour");
/// It was misjudged.
pub const JUDGED_WRONG: Text = Text("feedback-judged-wrong");
/// A chat without a name, within a sentence.
pub const THAT_CHAT: Text = Text("feedback-that-chat");
/// Somebody without a name, within a sentence.
pub const THAT_SENDER: Text = Text("feedback-that-sender");
/// What taking a correction back takes with it.
pub const UNDO_FORGETS: Text = Text("feedback-undo-forgets");
/// Everything that was learned is gone.
pub const ALL_UNLEARNED: Text = Text("feedback-all-unlearned");
/// The way from the rules to what was learned.
pub const LEARNED_ELSEWHERE: Text = Text("feedback-learned-elsewhere");

/// The name of what opens the offers.
pub fn what_it_meant(says: &str) -> String {
    format!("{WHAT_IT_MEANT} {says}")
}

/// A card was dismissed.
pub fn dismissed(kind: ActionKind, thing: Option<&str>) -> String {
    say!("feedback-dismissed", proposal = proposal(kind, thing))
}

/// A card was put off: `until` as in "at 18:00".
pub fn card_put_off(kind: ActionKind, thing: Option<&str>, until: &str) -> String {
    say!("feedback-card-put-off", proposal = proposal(kind, thing), until)
}

/// When a card that was put off comes back: `until` as in "at 18:00".
pub fn asks_again(until: &str) -> String {
    say!("feedback-asks-again", until)
}

/// How a question ended that was put off, in a list.
pub const PUT_OFF: Text = Text("feedback-put-off");
/// Opens the hours to which a card can be put off.
pub const LATER: Text = Text("feedback-later");

/// Nothing about a thing.
pub fn not_about(thing: &str) -> String {
    say!("feedback-not-about", thing)
}

/// What a rule keeps Aura from saying, and when.
pub fn will_not(kind: ActionKind, thing: Option<&str>, hours: Option<(NaiveTime, NaiveTime)>) -> String {
    let when = hours.map_or_else(
        || text("feedback-will-not-any-more").to_owned(),
        |(from, to)| {
            say!(
                "feedback-will-not-between-and",
                clock = clock(from),
                clock2 = clock(to)
            )
        },
    );
    say!(
        "feedback-will-not-i-will-not",
        verb = verb(kind),
        proposal = proposal(kind, thing),
        when
    )
}

/// What will be believed of somebody's messages.
pub fn will_treat(thing: &str, class: MessageClass) -> String {
    say!("feedback-will-treat", thing, treated = treated(class))
}

/// What is believed, because the owner said so.
pub fn is_treated(thing: &str, class: MessageClass) -> String {
    say!("feedback-is-treated", thing, treated = treated(class))
}

/// What was learned of somebody is gone.
pub fn unlearned(thing: &str) -> String {
    say!("feedback-unlearned", thing)
}

fn clock(time: NaiveTime) -> String {
    if time == NaiveTime::MIN {
        text("feedback-midnight").to_owned()
    } else {
        format::time_of_day(time)
    }
}

/// Somebody without a name, within a sentence.
pub const SOMEBODY_AT_ALL: Text = Text("feedback-proposal-somebody");

/// What Aura does with a proposal of that kind.
fn verb(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::SurfaceAnomaly | ActionKind::ProjectBalance => text("feedback-verb-speak-about"),
        ActionKind::ShowBrief | ActionKind::BatchDigest => text("feedback-verb-show"),
        ActionKind::LeaveByAlert => text("feedback-verb-say"),
        ActionKind::MuteGroup30
        | ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::PrepareMeeting
        | ActionKind::CategorizeTxn
        | ActionKind::DraftReply
        | ActionKind::DeclineEvent => text("feedback-verb-suggest"),
    }
}

/// What was proposed, within a sentence.
fn proposal(kind: ActionKind, thing: Option<&str>) -> String {
    match kind {
        ActionKind::MuteGroup30 => say!(
            "feedback-proposal-muting",
            value = thing.unwrap_or(text("feedback-proposal-a-chat"))
        ),
        ActionKind::Breathe478 => text("feedback-proposal-a-breathing-break").to_owned(),
        ActionKind::Nap15 => text("feedback-proposal-a-nap").to_owned(),
        ActionKind::PermitLeisure => text("feedback-proposal-a-break").to_owned(),
        ActionKind::BatchDigest => say!(
            "feedback-proposal-a-digest-of",
            value = thing.unwrap_or(text("feedback-proposal-many-messages"))
        ),
        ActionKind::ShowBrief => text("feedback-proposal-the-morning-brief").to_owned(),
        ActionKind::LeaveByAlert => thing.map_or_else(
            || text("feedback-proposal-when-to-leave").to_owned(),
            |thing| say!("feedback-proposal-when-to-leave-for", thing),
        ),
        ActionKind::PrepareMeeting => say!(
            "feedback-proposal-getting-ready-for",
            value = thing.unwrap_or(text("feedback-proposal-a-meeting"))
        ),
        ActionKind::CategorizeTxn => text("feedback-proposal-sorting-new-payments").to_owned(),
        ActionKind::SurfaceAnomaly => thing.map_or_else(
            || text("feedback-proposal-unusual-spending").to_owned(),
            |thing| say!("feedback-proposal-unusual-spending-on", thing),
        ),
        ActionKind::ProjectBalance => text("feedback-proposal-the-balance-at").to_owned(),
        ActionKind::DraftReply => say!(
            "feedback-proposal-a-reply-to",
            value = thing.unwrap_or(SOMEBODY_AT_ALL.say())
        ),
        ActionKind::DeclineEvent => say!(
            "feedback-proposal-declining",
            value = thing.unwrap_or(text("feedback-proposal-an-event"))
        ),
    }
}

/// What comes of saying that a message wanted no answer.
pub fn nobody_waits(who: &str) -> String {
    say!("feedback-nobody-waits", who)
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
