//! What is said of people and chats.
//!
//! What: headings, fields and sentences of the list and of the page about one. Why: one place, ready for another language. Not here: figures and order
//! (`render::section::people`), forgetting (`forgetting`), what was learned (`learned`).

use crate::{
    backend::people::{KeptAbout, MessageWay},
    format,
};
use toolcall_schema::catalogue::{correspondent::NameSource, learning::LearnedThing};

/// Title, and where it is linked.
pub const PEOPLE: &str = "People and chats";
/// What it is.
pub const PEOPLE_SAYS: &str = "Who writes to you, and where. Names are asked of my agents for the answer and kept nowhere, but for those you typed.";
/// A field: whom it lists.
pub const PEOPLE_WHOM: &str = "Show";
/// People and chats.
pub const PEOPLE_BOTH: &str = "people and chats";
/// People alone.
pub const PEOPLE_ONLY: &str = "people";
/// Chats alone.
pub const CHATS_ONLY: &str = "chats";
/// A field: in which order.
pub const PEOPLE_ORDER: &str = "First";
/// Who wrote most.
pub const LOUDEST: &str = "the loudest";
/// Who wrote last.
pub const MOST_RECENT: &str = "the most recent";
/// Nobody wrote yet.
pub const NOBODY_YET: &str = "Nobody yet: I have read no messages.";
/// Nobody of that name.
pub const NOBODY_FOUND: &str = "I remember nobody of that name.";
/// It is muted.
pub const IS_MUTED: &str = "Muted.";

/// What is said where there is no such person or chat any more.
pub const PERSON_GONE: &str = "I keep nothing about them";
/// Why that may be.
pub const PERSON_GONE_SAYS: &str =
    "You had it forgotten, it became too old to keep, or it never wrote to you.";
/// Who sent a message cannot be said.
pub const SENDER_UNKNOWN: &str = "I cannot say who sent it";
/// Why that may be.
pub const SENDER_UNKNOWN_SAYS: &str =
    "The message is older than a day, you had it forgotten, or Comms is busy. Look again in a moment.";
/// The agent does not answer.
pub const PERSON_NOT_READ: &str =
    "Comms is busy, so the counts of today are missing. I look again in a moment.";

/// Heading of what can be done.
pub const PERSON_DO: &str = "What you can do";
/// Opens the form that names somebody, or a chat.
pub fn name_one(about: &LearnedThing) -> &'static str {
    match about {
        LearnedThing::Person(_) => "Name them",
        LearnedThing::Channel(_) => "Name it",
    }
}

/// Takes the owner's name away.
pub const TAKE_NAME_AWAY: &str = "Take your name away";
/// What the buttons below it do.
pub const CLASS_SAYS: &str = "What their messages are to you. I learn from it.";
/// Mutes a chat.
pub const MUTE: &str = "Mute for";
/// For how long, as a request and as a button say it.
pub const MUTE_FOR: [(&str, &str); 3] = [("1h", "1 hour"), ("8h", "8 hours"), ("24h", "24 hours")];
/// Heading of the rules that name one.
pub const RULES_ABOUT: &str = "Your rules about it";
/// Heading of where somebody writes.
pub const WRITES_IN: &str = "Writes in";
/// Heading of who writes in a chat.
pub const WHO_WRITES: &str = "Who writes here";
/// Heading of all that is kept.
pub const KNOWN: &str = "What I know";
/// Nothing is.
pub const KNOWN_NOTHING: &str = "I keep nothing that names them.";
/// Sorts of what is kept.
pub const KNOWN_THINGS: &str = "What I noted";
pub const KNOWN_LINKS: &str = "Who wrote where";
pub const KNOWN_TRACES: &str = "Decisions";
/// A row of the store without a sentence of its own.
pub const KNOWN_OTHER: &str = "Something else that names it.";
/// What forgetting does first.
pub const FORGET_THEM_SAYS: &str =
    "I show first what would go. Then you have ten seconds to change your mind.";

/// Messages, as people count them.
pub fn messages(count: u64) -> String {
    format::count(u32::try_from(count).unwrap_or(u32::MAX), "message", "messages")
}

/// A chat's name; of a folder of mail what its owner knows of it.
pub fn chat_name(name: &str) -> String {
    match name.strip_prefix("mail:") {
        Some(folder) => format!("Mail ({folder})"),
        None => name.to_owned(),
    }
}

/// How many more there are than are listed.
pub fn more_people(more: usize) -> String {
    format!("{more} more. Type a name to find them.")
}

/// Those that no name finds.
pub fn people_unnamed(count: usize) -> String {
    if count == 1 {
        "One more has no name that I can ask for now.".to_owned()
    } else {
        format!("{count} more have no name that I can ask for now.")
    }
}

/// The link from elsewhere.
pub fn about_link(name: &str) -> String {
    format!("About {name}")
}

/// Who gives the name that is shown.
pub fn named_by(about: &LearnedThing, own: bool, source: Option<NameSource>) -> &'static str {
    let is_person = matches!(about, LearnedThing::Person(_));
    match source {
        _ if own && is_person => "You call them so.",
        _ if own => "You call it so.",
        Some(NameSource::Contacts) => "So your contacts say.",
        Some(NameSource::Sender) if is_person => "So they call themselves.",
        Some(NameSource::Sender) => "So it is called where it is written.",
        Some(NameSource::Folder) => "A folder of your mail.",
        Some(NameSource::Program) => "Called by the program it came through: its own name I do not keep.",
        None => "Nobody gives me a name now. You can.",
    }
}

/// Addresses that are one person.
pub fn one_of_addresses(count: u32) -> String {
    format!("{count} addresses and numbers count as this one, by your contacts or because you said so.")
}

/// By what somebody writes; `None`: that is not known.
pub fn by_ways(ways: &[MessageWay]) -> Option<String> {
    let way = |way: &MessageWay| match way {
        MessageWay::Mail => "by mail".to_owned(),
        MessageWay::Program(name) => format!("on {name}"),
        MessageWay::Other => "in another program".to_owned(),
    };
    let (last, before) = ways.split_last()?;
    let mut said = way(last);
    if !before.is_empty() {
        let before: Vec<String> = before.iter().map(way).collect();
        said = format!("{} and {said}", before.join(", "));
    }
    let first: String = said.chars().take(1).flat_map(char::to_uppercase).collect();
    let rest: String = said.chars().skip(1).collect();
    Some(format!("{first}{rest}."))
}

/// How loud: the rows of counts.
pub const LAST_DAY: &str = "In the last 24 hours";
pub const KEPT_MESSAGES: &str = "In all that I keep";
pub const WAITING_NOW: &str = "Waiting for your answer";
pub const YOU_ANSWER: &str = "You answered";
/// Nothing was counted.
pub const NEVER_COUNTED: &str = "nothing counted yet";

/// Since when the oldest is kept.
pub fn since_day(day: &str) -> String {
    format!("since {day}")
}

/// Nobody waits, or how many since when.
pub fn waiting_count(count: u32, since: Option<&str>) -> String {
    match (count, since) {
        (0, _) => "none".to_owned(),
        (count, Some(since)) => format!("{count}, the oldest {}", super::since(since)),
        (count, None) => count.to_string(),
    }
}

/// How often and how fast the owner answers.
pub fn answered_of(answered: u32, received: u32, within: Option<u32>) -> String {
    let fast = within.map_or_else(String::new, |minutes| {
        format!(", within {} as a rule", super::learned::within(minutes))
    });
    format!("{answered} of {received}{fast}")
}

/// Until when a chat is quiet.
pub fn muted_until(at: &str) -> String {
    format!("Muted until {at}.")
}

/// The name of a button that mutes.
pub fn mute_for(name: &str, long: &str) -> String {
    format!("Mute {name} for {long}")
}

/// What a rule about one would do.
pub fn rule_effect(name: &str) -> String {
    format!("I will not say anything about {name} any more.")
}

/// What is kept, in one sentence.
pub fn known_total(about: &LearnedThing, kept: &KeptAbout) -> String {
    let whom = match about {
        LearnedThing::Person(_) => "them",
        LearnedThing::Channel(_) => "it",
    };
    let count = |n: usize, one: &str, many: &str| {
        (n > 0).then(|| format::count(u32::try_from(n).unwrap_or(u32::MAX), one, many))
    };
    let traces = usize::try_from(kept.traces_all).unwrap_or(usize::MAX);
    let parts: Vec<String> = [
        count(kept.things.len(), "note", "notes"),
        count(kept.links.len(), "count of who wrote", "counts of who wrote"),
        count(traces, "decision", "decisions"),
        kept.own_name.is_some().then(|| format!("your name for {whom}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let total = kept.total();
    let entries = if total == 1 { "entry names" } else { "entries name" };
    format!(
        "{total} {entries} {whom}: {}. A copy of everything holds exactly these.",
        parts.join(", ")
    )
}

/// One day of a chat.
pub fn chat_day(day: &str, messages: u32, wanting: u32) -> String {
    let all = format::count(messages, "message", "messages");
    match wanting {
        0 => format!("{day}: {all}."),
        1 => format!("{day}: {all}, one wanted something of you."),
        more => format!("{day}: {all}, {more} wanted something of you."),
    }
}

/// That somebody writes.
pub fn writer_note(seen: &str) -> String {
    format!("Writes to you; seen last {seen}.")
}

/// How much somebody wrote where.
pub fn count_written(who: Option<&str>, chat: Option<&str>, day: &str, messages: u32) -> String {
    let all = format::count(messages, "message", "messages");
    let who = who.map_or_else(String::new, |who| format!("{who}: "));
    let chat = chat.map_or_else(String::new, |chat| format!(" in {chat}"));
    format!("{who}{all}{chat} on {day}.")
}

/// What came through a program.
pub fn count_through(day: &str, messages: u32) -> String {
    let all = format::count(messages, "message", "messages");
    format!("{all} came through one program on {day}.")
}

/// What an act was about.
pub fn act_on_day(day: &str) -> String {
    format!("Something above was about {day}.")
}

/// What Aura did about it.
pub fn did_about(at: &str, what: &str, came: &str) -> String {
    format!("{at}: {what} ({came}).")
}

/// The owner's name for it.
pub fn you_call_it(name: &str) -> String {
    format!("You call it {name}.")
}

/// Heading of rules and names, which stand until they are taken back.
pub const STANDS: &str = "What stands until you take it back";

/// What the owner calls a thing that is not named otherwise.
pub fn you_call(thing: &str, name: &str) -> String {
    format!("You call {thing} {name}.")
}

/// More rows than are shown.
pub fn known_more(more: u64) -> String {
    format!("And {more} older. A copy of everything has them all.")
}
