//! The word lists of the rules.
//!
//! What: lower-case words and phrases. Why: one place to read and extend them. Not here: how they are used (`intent`).

use super::intent::Verb;

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

/// Phrases of messages to everybody.
pub(super) const BROADCAST_PHRASES: &[&str] = &[
    "attention all",
    "dear all",
    "hello all",
    "hi all",
    "all students",
    "all members",
    "@everyone",
    "@channel",
    "@here",
];

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

/// Phrases that ask.
pub(super) const REQUEST_PHRASES: &[&str] = &[
    "please",
    "pls",
    "plz",
    "can you",
    "could you",
    "would you",
    "will you",
    "need you to",
    "kindly",
    "let me know",
];

/// Words that ask for an action, with what they ask for.
pub(super) const ACTIONS: &[(&str, Verb)] = &[
    ("submit", Verb::Submit),
    ("upload", Verb::Submit),
    ("complete", Verb::Submit),
    ("finish", Verb::Submit),
    ("fill", Verb::Submit),
    ("send", Verb::Send),
    ("forward", Verb::Send),
    ("bring", Verb::Send),
    ("review", Verb::Review),
    ("read", Verb::Review),
    ("approve", Verb::Review),
    ("reply", Verb::Reply),
    ("respond", Verb::Reply),
    ("answer", Verb::Reply),
    ("confirm", Verb::Confirm),
    ("rsvp", Verb::Confirm),
    ("book", Verb::Confirm),
    ("schedule", Verb::Confirm),
    ("call", Verb::Call),
    ("ring", Verb::Call),
    ("pay", Verb::Pay),
    ("transfer", Verb::Pay),
    ("share", Verb::Share),
    ("sign", Verb::Sign),
    ("register", Verb::Sign),
    ("update", Verb::Update),
    ("fix", Verb::Update),
    ("prepare", Verb::Update),
    ("join", Verb::Join),
    ("attend", Verb::Join),
    ("meet", Verb::Join),
    ("come", Verb::Join),
    ("check", Verb::Check),
    ("verify", Verb::Check),
    ("look", Verb::Check),
    ("help", Verb::FollowUp),
];
