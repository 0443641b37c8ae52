//! The check of a sentence that a model wrote by itself.
//!
//! What: [`check`], which accepts a sentence or says which rule it breaks. Why: a small model inverts and invents; what is shown
//! as a reason must be true. The check is strict: a good sentence that it refuses costs nothing, the template stays. Not
//! here: the phrases (`facts`), asking (`question`).
//!
//! Numbers are not understood, they are quoted: each one must stand inside a phrase of the signals, word for word, so that
//! value, unit and thing measured are those of the signal. What is left of the sentence may hold no number, no name, no other
//! action, no negation, nothing done or promised, and no comparison or cause.

use crate::facts::PLACEHOLDERS;
use toolcall_schema::{ActionKind, ModelFault};

/// The longest sentence, in characters (ADR-0009).
pub(crate) const CHARS_MAX: usize = 500;

/// Numbers and amounts as words.
const NUMBERS: [&str; 42] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "hundreds",
    "thousand",
    "thousands",
    "million",
    "dozen",
    "dozens",
    "half",
    "both",
    "double",
    "twice",
    "triple",
    "couple",
    "pair",
];
const NEGATIONS: [&str; 24] = [
    "no",
    "not",
    "never",
    "none",
    "nothing",
    "nobody",
    "neither",
    "nor",
    "without",
    "cannot",
    "avoid",
    "stop",
    "instead",
    "unless",
    "skip",
    "refuse",
    "against",
    "ignore",
    "hardly",
    "barely",
    "rarely",
    "except",
    "unnecessary",
    "wrong",
];
/// What says that something happened, or promises that it will. Words that end with `ed` are of them.
const DONE: [&str; 33] = [
    "was",
    "were",
    "been",
    "being",
    "did",
    "does",
    "done",
    "had",
    "has",
    "have",
    "having",
    "already",
    "sent",
    "gone",
    "left",
    "made",
    "paid",
    "put",
    "set",
    "shown",
    "taken",
    "told",
    "written",
    "begun",
    "will",
    "shall",
    "would",
    "going",
    "finally",
    "ago",
    "yesterday",
    "tomorrow",
    "must",
];
const NOT_DONE: [&str; 5] = ["need", "indeed", "feed", "speed", "bed"];
const CLAIMS: [&str; 38] = [
    "because",
    "since",
    "due",
    "therefore",
    "caused",
    "causes",
    "means",
    "than",
    "more",
    "most",
    "less",
    "least",
    "fewer",
    "few",
    "several",
    "many",
    "much",
    "higher",
    "highest",
    "lower",
    "lowest",
    "better",
    "best",
    "worse",
    "worst",
    "above",
    "below",
    "exceeds",
    "record",
    "always",
    "usual",
    "usually",
    "average",
    "normal",
    "first",
    "last",
    "every",
    "all",
];

/// The words that only a sentence about this action, or one with it as companion, may hold.
fn words_of(kind: ActionKind) -> &'static [&'static str] {
    match kind {
        ActionKind::MuteGroup30 => &["mute", "muting", "mutes", "silence", "silencing"],
        ActionKind::Breathe478 => &["breath", "breathe", "breathing", "breaths"],
        ActionKind::Nap15 => &["nap", "naps", "napping", "sleep", "sleeping"],
        ActionKind::PermitLeisure => &["leisure", "break", "breaks"],
        ActionKind::BatchDigest => &["digest", "digests", "summary", "summaries"],
        ActionKind::ShowBrief => &["brief", "briefing", "morning"],
        ActionKind::LeaveByAlert => &["leave", "leaving", "depart", "departure", "travel"],
        ActionKind::PrepareMeeting => &["prepare", "preparing", "attendee", "attendees"],
        ActionKind::CategorizeTxn => &["categorize", "categorise", "category", "categories"],
        ActionKind::SurfaceAnomaly => &["anomaly", "anomalies", "spending", "spend", "unusual"],
        ActionKind::ProjectBalance => &["balance", "forecast", "month"],
        ActionKind::DraftReply => &[
            "draft", "drafting", "reply", "replying", "answer", "write", "writing",
        ],
        ActionKind::DeclineEvent => &["decline", "declining", "cancel", "cancelling"],
    }
}

/// Accepts a sentence about an action (and its companion) with the phrases of its signals, or says what is wrong with it.
///
/// # Errors
/// The first rule that it breaks.
pub(crate) fn check(
    sentence: &str,
    facts: &[String],
    chosen: ActionKind,
    companion: Option<ActionKind>,
) -> Result<(), ModelFault> {
    let text = sentence.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || " ,.:;%()?{}_-".contains(c);
    if text.is_empty() || text.chars().count() > CHARS_MAX || !text.chars().all(plain) {
        return Err(ModelFault::Form);
    }
    let (rest, quoted) = without_facts(text, facts);
    let rest = PLACEHOLDERS
        .iter()
        .fold(rest, |rest, (placeholder, _)| rest.replace(placeholder, " "));
    if rest.contains(['{', '}']) {
        return Err(ModelFault::Placeholder);
    }
    // A number before anything else: its digits are no word.
    if rest.contains(|c: char| c.is_ascii_digit() || c == '%') {
        return Err(ModelFault::Number);
    }
    let body = rest
        .strip_suffix(['.', '?'])
        .filter(|body| !body.contains(['.', '?', '_']))
        .ok_or(ModelFault::Form)?;
    if !text.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()) {
        return Err(ModelFault::Form);
    }
    let words: Vec<&str> = body
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    let named = |word: &str| word.contains(|c: char| c.is_ascii_uppercase()) && word != "Aura";
    // The first word of the sentence has a capital, unless a phrase is the first.
    let first_is_a_word = body.starts_with(|c: char| c.is_ascii_alphabetic());
    if words
        .iter()
        .skip(usize::from(first_is_a_word))
        .any(|word| named(word))
    {
        return Err(ModelFault::Entity);
    }
    let ours: Vec<&str> = [Some(chosen), companion]
        .into_iter()
        .flatten()
        .flat_map(words_of)
        .copied()
        .collect();
    for word in words.iter().map(|word| word.to_ascii_lowercase()) {
        let word = word.as_str();
        let of_another = ActionKind::ALL.iter().any(|kind| words_of(*kind).contains(&word));
        let fault = if NUMBERS.contains(&word) {
            ModelFault::Number
        } else if NEGATIONS.contains(&word) {
            ModelFault::Negation
        } else if DONE.contains(&word) || (word.ends_with("ed") && !NOT_DONE.contains(&word)) {
            ModelFault::Done
        } else if CLAIMS.contains(&word) {
            ModelFault::Claim
        } else if of_another && !ours.contains(&word) {
            ModelFault::Kind
        } else {
            continue;
        };
        return Err(fault);
    }
    if quoted { Ok(()) } else { Err(ModelFault::NoFact) }
}

/// The sentence with each phrase of the signals taken out, and whether there was any. The longest phrase that stands at a place
/// counts: `7 messages in {channel_1}` is not also `7 messages`.
fn without_facts(text: &str, facts: &[String]) -> (String, bool) {
    let mut facts: Vec<String> = facts.iter().map(|fact| fact.to_ascii_lowercase()).collect();
    facts.sort_by_key(|fact| std::cmp::Reverse(fact.len()));
    let lower = text.to_ascii_lowercase();
    let (mut rest, mut quoted, mut at) = (String::new(), false, 0);
    while let Some(here) = lower.get(at..).filter(|here| !here.is_empty()) {
        let before = lower.get(..at).and_then(|before| before.chars().last());
        let begins = before.is_none_or(|c| c == ' ' || c == '(');
        let ends = |rest: &str| {
            let mut rest = rest.chars();
            match rest.next() {
                None | Some(' ' | ',' | ':' | ';' | ')' | '?') => true,
                // The end of the sentence, not a decimal point.
                Some('.') => rest.next().is_none(),
                Some(_) => false,
            }
        };
        let fact = facts
            .iter()
            .find(|fact| begins && here.strip_prefix(fact.as_str()).is_some_and(ends));
        if let Some(fact) = fact {
            (quoted, at) = (true, at + fact.len());
            rest.push(' ');
        } else {
            // The alphabet is ASCII: each character is one byte.
            rest.push_str(text.get(at..=at).unwrap_or_default());
            at += 1;
        }
    }
    (rest, quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Vec<String> {
        [
            "137 messages in {channel_1}",
            "140 messages",
            "3 messages that want an answer",
            "a load score of 78 of 100",
            "-5 min until you have to leave",
            "12.5 EUR spent today",
            "80 % of a usual day",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn mute(sentence: &str) -> Result<(), ModelFault> {
        check(sentence, &facts(), ActionKind::MuteGroup30, None)
    }

    #[test]
    fn a_sentence_that_quotes_the_signals_is_accepted() {
        for good in [
            "With 137 messages in {channel_1} and a load score of 78 of 100, muting may help you rest.",
            "137 messages in {channel_1} and 3 messages that want an answer: mute it for a while?",
            "You carry a load score of 78 of 100 while 140 messages arrive.",
            "A load score of 78 of 100 speaks for quiet.",
            "Time to think of a pause, at 80 % of a usual day.",
            "It is late (-5 min until you have to leave).",
            "12.5 eur spent today is what Aura sees.",
        ] {
            assert_eq!(mute(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn a_number_stands_with_its_own_words_or_not_at_all() {
        for bad in [
            // Another value, another unit, another thing.
            "There are 138 messages in {channel_1}.",
            "You have 137 events now.",
            "A load score of 137 of 100 speaks for quiet.",
            "78 messages in {channel_1} arrive.",
            "With 137 messages and a load score of 78 of 100, muting may help.",
            // A phrase inside another number.
            "There are 1140 messages now.",
            "There are 0.140 messages now.",
            "It is -137 messages in {channel_1} now.",
            "There are 140 messages7.",
            "12.5 EUR spent today 2.",
            "A load score of 78 of 1000 speaks for quiet.",
            "A load score of 78 of 100.5 speaks for quiet.",
            "Minus 5 min until you have to leave.",
            // In words, and beside a true one.
            "There are a hundred messages beside 140 messages.",
            "Both chats hold 140 messages.",
            "A load score of 78 of 100 is 99 %.",
        ] {
            assert_eq!(mute(bad), Err(ModelFault::Number), "{bad}");
        }
    }

    #[test]
    fn what_is_not_one_plain_true_sentence_is_refused_with_its_reason() {
        use ModelFault as F;
        let long = format!("{} 140 messages.", "So calm ".repeat(70));
        for (bad, fault) in [
            ("", F::Form),
            ("   ", F::Form),
            (long.as_str(), F::Form),
            ("140 messages", F::Form),
            ("Rest now. Here are 140 messages.", F::Form),
            ("140 messages\nare here.", F::Form),
            ("Look at 140 messages!", F::Form),
            ("look at 140 messages.", F::Form),
            ("Call mute_channel on 140 messages.", F::Form),
            ("<b>140 messages</b>.", F::Form),
            ("There are 140 messages, don't rest.", F::Form),
            ("Il y a 140 messages à lire.", F::Form),
            ("140 messages in {channel_2}.", F::Placeholder),
            ("140 messages from {merchant_1}.", F::Placeholder),
            ("140 messages from {channel_1.", F::Placeholder),
            ("140 messages from Anu.", F::Entity),
            ("140 messages say DELETE.", F::Entity),
            ("140 messages, so take a nap.", F::Kind),
            ("140 messages, so breathe.", F::Kind),
            ("140 messages, so decline it.", F::Kind),
            ("140 messages, so do not mute it.", F::Negation),
            ("140 messages are no reason to mute it.", F::Negation),
            ("Never mute 140 messages.", F::Negation),
            ("It cannot be that 140 messages speak for quiet.", F::Negation),
            ("The chat with 140 messages is muted.", F::Done),
            ("The chat with 140 messages has quiet.", F::Done),
            ("Aura sent 140 messages.", F::Done),
            ("Aura will mute 140 messages.", F::Done),
            ("140 messages surpassed the mark.", F::Done),
            ("140 messages are more than usual.", F::Claim),
            ("A call came because of 140 messages.", F::Claim),
            ("140 messages is the highest count.", F::Claim),
            ("It is time to mute the chat.", F::NoFact),
        ] {
            assert_eq!(mute(bad), Err(fault), "{bad}");
        }
    }

    #[test]
    fn the_words_of_a_companion_are_the_sentences_own() {
        let sentence = "Leave soon, and here is the brief with 140 messages.";
        let brief = |companion| check(sentence, &facts(), ActionKind::ShowBrief, companion);
        assert_eq!(brief(Some(ActionKind::LeaveByAlert)), Ok(()));
        assert_eq!(brief(None), Err(ModelFault::Kind));
    }
}
