//! The word lists of the rules.
//!
//! What: lower-case words and pairs of words, and [`meaning`], what a word means. Why: one place to read and extend them, and one
//! look-up a word. Not here: how they are used (`intent`).

use super::message::RequestVerb;
use std::{collections::HashMap, sync::LazyLock};

/// What one word says, as a word of the lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WordMeaning {
    /// Of [`ACTIONS`].
    pub(super) verb: Option<RequestVerb>,
    /// Of [`NOISE`].
    pub(super) noise: bool,
    /// Of [`SCAM_WORDS`].
    pub(super) scam: bool,
    /// Of [`BROADCAST_WORDS`].
    pub(super) broadcast: bool,
    /// Of [`DEADLINE_WORDS`].
    pub(super) deadline: bool,
    /// Of [`REQUEST_WORDS`].
    pub(super) request: bool,
    /// Of [`PLACEMENT_WORDS`].
    pub(super) placement: bool,
    /// The second word of a pair of [`BROADCAST_PAIRS`] or [`REQUEST_PAIRS`].
    pub(super) second: bool,
}

/// What a word means; nothing when it is in no list.
pub(super) fn meaning(word: &str) -> WordMeaning {
    /// A list, and what is noted of its words.
    type WordList = (&'static [&'static str], fn(&mut WordMeaning));
    static MEANINGS: LazyLock<HashMap<&str, WordMeaning>> = LazyLock::new(|| {
        let mut all: HashMap<&str, WordMeaning> = HashMap::new();
        for (word, verb) in ACTIONS {
            all.entry(word).or_default().verb = Some(*verb);
        }
        let lists: [WordList; 6] = [
            (NOISE, |m| m.noise = true),
            (SCAM_WORDS, |m| m.scam = true),
            (BROADCAST_WORDS, |m| m.broadcast = true),
            (DEADLINE_WORDS, |m| m.deadline = true),
            (REQUEST_WORDS, |m| m.request = true),
            (PLACEMENT_WORDS, |m| m.placement = true),
        ];
        for (words, set) in lists {
            for word in words {
                set(all.entry(word).or_default());
            }
        }
        for (_, second) in BROADCAST_PAIRS.iter().chain(REQUEST_PAIRS) {
            all.entry(second).or_default().second = true;
        }
        all
    });
    MEANINGS.get(word).copied().unwrap_or_default()
}

/// Chat noise: a message of up to three of these says nothing.
pub(super) const NOISE: &[&str] = &[
    "lol", "lmao", "rofl", "haha", "hahaha", "hehe", "ok", "okay", "okk", "k", "kk", "yes", "yeah", "yep",
    "yup", "no", "nope", "nah", "hmm", "hm", "gn", "gm", "hi", "hello", "hey", "bye", "cool", "nice",
    "great", "wow", "omg", "thanks", "thx", "ty", "np", "sure", "done", "fine", "good", "night", "morning",
    "yaar", "bro", "bhai", "dude", "acha", "haan", "nahi", "same", "true", "brb", "idk", "welcome",
    "congrats",
];

/// Words of offers and scams; they count beside a link only.
pub(super) const SCAM_WORDS: &[&str] = &[
    "offer",
    "offers",
    "sale",
    "discount",
    "cashback",
    "winner",
    "won",
    "prize",
    "lottery",
    "jackpot",
    "reward",
    "rewards",
    "gift",
    "giveaway",
    "bonus",
    "coupon",
    "kyc",
    "suspended",
    "blocked",
    "refund",
    "loan",
    "crypto",
    "bitcoin",
    "casino",
    "betting",
    "earn",
    "claim",
    "congratulations",
];

/// Codes of twelve Indian banks as they stand in an SMS sender after the route.
pub(super) const BANK_CODES: &[&str] = &[
    "HDFCBK", "SBIINB", "ICICIB", "AXISBK", "KOTAKB", "PNBSMS", "INDUSB", "BOBTXN", "YESBNK", "IDFCFB",
    "AUBANK", "RBLBNK",
];

/// Words of messages to everybody.
pub(super) const BROADCAST_WORDS: &[&str] =
    &["announcement", "announcing", "notice", "circular", "newsletter"];

/// Neighbouring words of messages to everybody.
pub(super) const BROADCAST_PAIRS: &[(&str, &str)] = &[
    ("attention", "all"),
    ("dear", "all"),
    ("hello", "all"),
    ("hi", "all"),
    ("all", "students"),
    ("all", "members"),
];

/// What calls everybody in a chat, behind an `@`.
pub(super) const BROADCAST_CALLS: &[&str] = &["everyone", "channel", "here"];

/// Words of schools and placement offices in a sender's or channel's name.
pub(super) const PLACEMENT_WORDS: &[&str] = &[
    "placement",
    "placements",
    "internship",
    "internships",
    "prof",
    "professor",
    "registrar",
    "dean",
    "faculty",
];

/// Words that name a time that presses.
pub(super) const DEADLINE_WORDS: &[&str] = &[
    "asap",
    "urgent",
    "urgently",
    "deadline",
    "due",
    "eod",
    "today",
    "tonight",
    "tomorrow",
    "immediately",
];

/// Words that ask.
pub(super) const REQUEST_WORDS: &[&str] = &["please", "pls", "plz", "kindly"];

/// Neighbouring words that ask.
pub(super) const REQUEST_PAIRS: &[(&str, &str)] = &[
    ("can", "you"),
    ("could", "you"),
    ("would", "you"),
    ("will", "you"),
    ("need", "you"),
    ("me", "know"),
];

/// Words that ask for an action, with what they ask for.
pub(super) const ACTIONS: &[(&str, RequestVerb)] = &[
    ("submit", RequestVerb::Submit),
    ("upload", RequestVerb::Submit),
    ("complete", RequestVerb::Submit),
    ("finish", RequestVerb::Submit),
    ("fill", RequestVerb::Submit),
    ("send", RequestVerb::Send),
    ("forward", RequestVerb::Send),
    ("bring", RequestVerb::Send),
    ("review", RequestVerb::Review),
    ("read", RequestVerb::Review),
    ("approve", RequestVerb::Review),
    ("reply", RequestVerb::Reply),
    ("respond", RequestVerb::Reply),
    ("answer", RequestVerb::Reply),
    ("confirm", RequestVerb::Confirm),
    ("rsvp", RequestVerb::Confirm),
    ("book", RequestVerb::Confirm),
    ("schedule", RequestVerb::Confirm),
    ("call", RequestVerb::Call),
    ("ring", RequestVerb::Call),
    ("pay", RequestVerb::Pay),
    ("transfer", RequestVerb::Pay),
    ("share", RequestVerb::Share),
    ("sign", RequestVerb::Sign),
    ("register", RequestVerb::Sign),
    ("update", RequestVerb::Update),
    ("fix", RequestVerb::Update),
    ("prepare", RequestVerb::Update),
    ("join", RequestVerb::Join),
    ("attend", RequestVerb::Join),
    ("meet", RequestVerb::Join),
    ("come", RequestVerb::Join),
    ("check", RequestVerb::Check),
    ("verify", RequestVerb::Check),
    ("look", RequestVerb::Check),
    ("help", RequestVerb::FollowUp),
];
