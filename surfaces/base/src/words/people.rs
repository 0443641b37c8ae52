//! What is said of people and chats.
//!
//! What: headings, fields and sentences of the list and of the page about one. Why: one place, ready for another language. Not here: figures and order
//! (`render::section::people`), forgetting (`forgetting`), what was learned (`learned`).

use crate::backend::people::{KeptAbout, MessageWay};
use crate::language::{Text, say, text};
use toolcall_schema::catalogue::{correspondent::NameSource, learning::LearnedThing, shared::ThingId};

/// Title, and where it is linked.
pub const PEOPLE: Text = Text("people-people");
/// What it is.
pub const PEOPLE_SAYS: Text = Text("people-people-says");
/// A field: whom it lists.
pub const PEOPLE_WHOM: Text = Text("people-people-whom");
/// People and chats.
pub const PEOPLE_BOTH: Text = Text("people-people-both");
/// People alone.
pub const PEOPLE_ONLY: Text = Text("people-people-only");
/// Chats alone.
pub const CHATS_ONLY: Text = Text("people-chats-only");
/// A field: in which order.
pub const PEOPLE_ORDER: Text = Text("people-people-order");
/// Who wrote most.
pub const LOUDEST: Text = Text("people-loudest");
/// Who wrote last.
pub const MOST_RECENT: Text = Text("people-most-recent");
/// Nobody wrote yet.
pub const NOBODY_YET: Text = Text("people-nobody-yet");
/// Nobody of that name.
pub const NOBODY_FOUND: Text = Text("people-nobody-found");
/// It is muted.
pub const IS_MUTED: Text = Text("people-is-muted");

/// What is said where there is no such person or chat any more.
pub const PERSON_GONE: Text = Text("people-person-gone");
/// Why that may be.
pub const PERSON_GONE_SAYS: Text = Text("people-person-gone-says");
/// Who sent a message cannot be said.
pub const SENDER_UNKNOWN: Text = Text("people-sender-unknown");
/// Why that may be.
pub const SENDER_UNKNOWN_SAYS: Text = Text("people-sender-unknown-says");
/// The agent does not answer.
pub const PERSON_NOT_READ: Text = Text("people-person-not-read");

/// Heading of what can be done.
pub const PERSON_DO: Text = Text("people-person-do");
/// Opens the form that names somebody, or a chat.
pub fn name_one(about: &LearnedThing) -> &'static str {
    match about {
        LearnedThing::Person(_) => text("people-name-one-name-them"),
        LearnedThing::Channel(_) => text("people-name-one-name-it"),
    }
}

/// Takes the owner's name away.
pub const TAKE_NAME_AWAY: Text = Text("people-take-name-away");
/// What the buttons below it do.
pub const CLASS_SAYS: Text = Text("people-class-says");
/// Mutes a chat.
pub const MUTE: Text = Text("people-mute");
/// For how long, as a request and as a button say it.
pub const MUTE_FOR: [(&str, Text); 3] = [
    ("1h", Text("people-name-one-1-hour")),
    ("8h", Text("people-name-one-8-hours")),
    ("24h", Text("people-name-one-24-hours")),
];
/// Heading of the rules that name one.
pub const RULES_ABOUT: Text = Text("people-rules-about");
/// Heading of where somebody writes.
pub const WRITES_IN: Text = Text("people-writes-in");
/// Heading of who writes in a chat.
pub const WHO_WRITES: Text = Text("people-who-writes");
/// Heading of all that is kept.
pub const KNOWN: Text = Text("people-known");
/// Nothing is.
pub const KNOWN_NOTHING: Text = Text("people-known-nothing");
/// Sorts of what is kept.
pub const KNOWN_THINGS: Text = Text("people-known-things");
pub const KNOWN_LINKS: Text = Text("people-known-links");
pub const KNOWN_TRACES: Text = Text("people-known-traces");
/// A row of the store without a sentence of its own.
pub const KNOWN_OTHER: Text = Text("people-known-other");
/// What forgetting does first.
pub const FORGET_THEM_SAYS: Text = Text("people-forget-them-says");

/// Messages, as people count them.
pub fn messages(count: u64) -> String {
    say!(
        "people-count-messages",
        count = u32::try_from(count).unwrap_or(u32::MAX)
    )
}

/// A chat's name; of a folder of mail what its owner knows of it.
pub fn chat_name(name: &str) -> String {
    match name.strip_prefix("mail:") {
        // A folder of that name would be said twice.
        Some(folder) if folder.eq_ignore_ascii_case("mail") => text("people-chat-name-only-mail").to_owned(),
        Some(folder) => say!("people-chat-name-mail", folder),
        None => name.to_owned(),
    }
}

/// How many more there are than are listed.
pub fn more_people(more: usize) -> String {
    say!("people-more-people", more)
}

/// Those that no name finds.
pub fn people_unnamed(count: usize) -> String {
    if count == 1 {
        text("people-people-unnamed-one-more-has").to_owned()
    } else {
        say!("people-people-unnamed-more-have-no", count)
    }
}

/// The link from elsewhere.
pub fn about_link(name: &str) -> String {
    say!("people-about-link", name)
}

/// Who gives the name that is shown.
pub fn named_by(about: &LearnedThing, own: bool, source: Option<NameSource>) -> &'static str {
    let is_person = matches!(about, LearnedThing::Person(_));
    match source {
        _ if own && is_person => text("people-named-by-you-call-them"),
        _ if own => text("people-named-by-you-call-it"),
        Some(NameSource::Contacts) => text("people-named-by-so-your-contacts"),
        Some(NameSource::Sender) if is_person => text("people-named-by-so-they-call"),
        Some(NameSource::Sender) => text("people-named-by-so-it-is"),
        Some(NameSource::Folder) => text("people-named-by-a-folder-of"),
        Some(NameSource::Program) => text("people-named-by-called-by-the"),
        None => text("people-named-by-nobody-gives-me"),
    }
}

/// Addresses that are one person.
pub fn one_of_addresses(count: u32) -> String {
    say!("people-one-of-addresses", count)
}

/// By what somebody writes; `None`: that is not known.
pub fn by_ways(ways: &[MessageWay]) -> Option<String> {
    // That it is some other program tells nothing.
    let known: Vec<String> = ways
        .iter()
        .filter_map(|way| match way {
            MessageWay::Mail => Some(text("people-by-ways-by-mail").to_owned()),
            MessageWay::Program(name) => Some(say!("people-by-ways-on", name)),
            MessageWay::Other => None,
        })
        .collect();
    let (last, before) = known.split_last()?;
    let said = if before.is_empty() {
        last.clone()
    } else {
        say!("people-by-ways-and", value = before.join(", "), said = last)
    };
    let first: String = said.chars().take(1).flat_map(char::to_uppercase).collect();
    let rest: String = said.chars().skip(1).collect();
    Some(format!("{first}{rest}."))
}

/// That something is a chat, and of which program; `None`: it is none, but a folder or a list of mail.
pub fn chat_by_ways(ways: &[MessageWay]) -> Option<String> {
    ways.iter().find_map(|way| match way {
        MessageWay::Mail => None,
        MessageWay::Program(name) => Some(say!("people-chat-on", name)),
        MessageWay::Other => Some(text("people-a-chat").to_owned()),
    })
}

/// How loud: the rows of counts.
pub const LAST_DAY: Text = Text("people-last-day");
pub const KEPT_MESSAGES: Text = Text("people-kept-messages");
pub const WAITING_NOW: Text = Text("people-waiting-now");
pub const YOU_ANSWER: Text = Text("people-you-answer");

/// Comms has not said it yet.
pub const NOT_SAID_YET: Text = Text("people-not-said-yet");

/// What was said several times in one row.
pub fn said_times(says: &str, count: u32) -> String {
    say!("people-said-times", says = says.trim_end_matches('.'), count)
}

/// Since when the oldest is kept.
pub fn since_day(day: &str) -> String {
    say!("people-since-day", day)
}

/// Nobody waits, or how many since when.
pub fn waiting_count(count: u32, since: Option<&str>) -> String {
    match (count, since) {
        (0, _) => text("people-waiting-count-none").to_owned(),
        (count, Some(since)) => say!(
            "people-waiting-count-the-oldest",
            count,
            since = super::since(since)
        ),
        (count, None) => count.to_string(),
    }
}

/// Beside the name of whoever waits and of whom nothing is counted yet.
pub const WAITS_FOR_YOU: Text = Text("people-waits-for-you");

/// All messages that are kept as counts.
pub fn messages_in_all(count: u64) -> String {
    say!("people-messages-in-all", count)
}

/// How often and how fast the owner answers.
pub fn answered_of(answered: u32, received: u32, within: Option<u32>) -> String {
    let fast = within.map_or_else(String::new, |minutes| {
        say!(
            "people-answered-of-within-as-a",
            within = super::learned::within(minutes)
        )
    });
    say!("people-answered-of-of", answered, received, fast)
}

/// Until when a chat is quiet.
pub fn muted_until(at: &str) -> String {
    say!("people-muted-until", at)
}

/// The name of a button that mutes.
pub fn mute_for(name: &str, long: &str) -> String {
    say!("people-mute-for", name, long)
}

/// What a rule about one would do.
pub fn rule_effect(name: &str) -> String {
    say!("people-rule-effect", name)
}

/// What is kept, in one sentence.
pub fn known_total(about: &LearnedThing, kept: &KeptAbout) -> String {
    let some = |count: usize, said: fn(usize) -> String| (count > 0).then(|| said(count));
    let parts: Vec<String> = [
        some(kept.things.len(), |count| say!("people-count-notes", count)),
        some(kept.links.len(), |count| say!("people-count-counts-of", count)),
        some(usize::try_from(kept.traces_all).unwrap_or(usize::MAX), |count| {
            say!("people-count-decisions", count)
        }),
        kept.own_name.is_some().then(|| {
            match about {
                LearnedThing::Person(_) => text("people-known-total-name-of-person"),
                LearnedThing::Channel(_) => text("people-known-total-name-of-chat"),
            }
            .to_owned()
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    let (total, parts) = (kept.total(), parts.join(", "));
    match about {
        LearnedThing::Person(_) => say!("people-known-total-of-person", total, parts),
        LearnedThing::Channel(_) => say!("people-known-total-of-chat", total, parts),
    }
}

/// One day of a chat.
pub fn chat_day(day: &str, messages: u32, wanting: u32) -> String {
    let all = say!("people-count-messages", count = messages);
    match wanting {
        0 => format!("{day}: {all}."),
        1 => say!("people-chat-day-one-wanted-something", day, all),
        more => say!("people-chat-day-wanted-something-of", day, all, more),
    }
}

/// That somebody writes.
pub fn writer_note(seen: &str) -> String {
    say!("people-writer-note", seen)
}

/// How much somebody wrote where.
pub fn count_written(who: Option<&str>, chat: Option<&str>, day: &str, messages: u32) -> String {
    let all = say!("people-count-messages", count = messages);
    let who = who.map_or_else(String::new, |who| format!("{who}: "));
    let chat = chat.map_or_else(String::new, |chat| say!("people-count-written-in", chat));
    say!("people-count-written-on", who, all, chat, day)
}

/// What came through a program.
pub fn count_through(day: &str, messages: u32) -> String {
    let all = say!("people-count-messages", count = messages);
    say!("people-count-through-came-through-one", all, day)
}

/// What an act was about.
pub fn act_on_day(day: &str) -> String {
    say!("people-act-on-day", day)
}

/// What Aura did about it.
pub fn did_about(at: &str, what: &str, came: &str) -> String {
    format!("{at}: {what} ({came}).")
}

/// A decision weighed it beside something else, which it was about.
pub fn weighed_beside(at: &str) -> String {
    say!("people-weighed-beside", at)
}

/// The owner's name for it.
pub fn you_call_it(name: &str) -> String {
    say!("people-you-call-it", name)
}

/// Heading of rules and names, which stand until they are taken back.
pub const STANDS: Text = Text("people-stands");

/// What the owner calls a thing that is not named otherwise.
pub fn you_call(thing: &ThingId, name: &str) -> String {
    match thing {
        ThingId::Person(_) => say!("people-you-call-person", name),
        ThingId::Channel(_) => say!("people-you-call-chat", name),
        ThingId::Merchant(_) => say!("people-you-call-shop", name),
        ThingId::Txn(_) => say!("people-you-call-payment", name),
        ThingId::Event(_) => say!("people-you-call-event", name),
        ThingId::Item(_) => say!("people-you-call-message", name),
    }
}

/// More rows than are shown.
pub fn known_more(more: u64) -> String {
    say!("people-known-more", more)
}
