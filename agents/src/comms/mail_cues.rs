//! The words by which a mail shows what it wants, in the languages that mail programs of our owners speak.
//!
//! What: [`MailCue`], the kinds, and [`cues_at`], which cues begin at a word. Why: one table and one pass for all of them. Not here: what a
//! cue weighs (`mail_class`), words of chats (`words`).

use std::sync::LazyLock;

/// What a phrase speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum MailCue {
    /// "please"
    Please,
    /// "could you"
    CouldYou,
    /// "let me know"
    TellMe,
    /// "I need", "it would help me"
    Need,
    /// "I wonder whether"
    Wonder,
    /// What opens a request: "send", "check"
    Imperative,
    /// A word that opens a question.
    Which,
    /// "you"
    You,
    /// "I"
    Me,
    /// "does anybody"
    Anybody,
    /// "hi all"
    Everybody,
    /// "hello"
    Greeting,
    Thanks,
    /// "no need to answer"
    NoAnswer,
    /// "please find attached", "please ignore"
    Courtesy,
    /// "by Friday", "deadline"
    Deadline,
    /// A day, "tomorrow"
    Day,
    /// "would Tuesday suit"
    Suits,
    /// "meet", "appointment"
    Meeting,
    /// "invoice", "fee"
    Bill,
    /// "overdue", "expires"
    Due,
    /// "paid", "receipt", "no action needed"
    Settled,
    /// "verification code"
    CodeWord,
    /// "confirm your address", "reset your password"
    ConfirmIt,
    /// "unsubscribe", "this week's"
    Newsletter,
    /// "waiting for you", "reminder"
    Waits,
    /// "what do you think"
    Opinion,
    /// "fyi"
    Informs,
    /// "decide", "approve"
    Decide,
    /// "sorry to bother", "a favour"
    Favour,
    /// A program tells that a person waits: "requested access"
    Relays,
    /// What is said to strangers to sell or to steal: "guest post", "next of kin"
    Pitch,
    /// "reply above this line": a program carries what a person wrote.
    Desk,
    /// What does not work, or is not understood: "no luck", "error"
    Trouble,
    /// A question for facts that the other has: "what do you mean", "which version"
    Probes,
    /// A question that nobody is to answer: "who cares", "what else is new"
    Rhetoric,
    /// Who works on something together: "patch", "invoice", "draft"
    Work,
}

/// How many kinds there are.
pub(crate) const CUES: usize = MailCue::Work as usize + 1;

/// The kinds by their names in the list.
const NAMES: [(&str, MailCue); CUES] = [
    ("please", MailCue::Please),
    ("could_you", MailCue::CouldYou),
    ("tell_me", MailCue::TellMe),
    ("need", MailCue::Need),
    ("wonder", MailCue::Wonder),
    ("which", MailCue::Which),
    ("imperative", MailCue::Imperative),
    ("you", MailCue::You),
    ("me", MailCue::Me),
    ("anybody", MailCue::Anybody),
    ("everybody", MailCue::Everybody),
    ("greeting", MailCue::Greeting),
    ("thanks", MailCue::Thanks),
    ("no_answer", MailCue::NoAnswer),
    ("courtesy", MailCue::Courtesy),
    ("deadline", MailCue::Deadline),
    ("day", MailCue::Day),
    ("suits", MailCue::Suits),
    ("meeting", MailCue::Meeting),
    ("bill", MailCue::Bill),
    ("due", MailCue::Due),
    ("settled", MailCue::Settled),
    ("code_word", MailCue::CodeWord),
    ("confirm_it", MailCue::ConfirmIt),
    ("newsletter", MailCue::Newsletter),
    ("waits", MailCue::Waits),
    ("opinion", MailCue::Opinion),
    ("informs", MailCue::Informs),
    ("decide", MailCue::Decide),
    ("favour", MailCue::Favour),
    ("relays", MailCue::Relays),
    ("pitch", MailCue::Pitch),
    ("desk", MailCue::Desk),
    ("trouble", MailCue::Trouble),
    ("probes", MailCue::Probes),
    ("rhetoric", MailCue::Rhetoric),
    ("work", MailCue::Work),
];

/// The phrases of each kind.
const PHRASES: &str = include_str!("mail_cues.txt");

/// First words by their hash, in lists that are short.
const SLOTS: usize = 4096;

/// The phrases that begin with one word.
struct CuePhrases {
    first: &'static str,
    /// The words of each behind its first, and its cue.
    tails: Vec<(Vec<&'static str>, MailCue)>,
}

static TABLE: LazyLock<Vec<Vec<CuePhrases>>> = LazyLock::new(|| {
    let mut table: Vec<Vec<CuePhrases>> = (0..SLOTS).map(|_| Vec::new()).collect();
    for (name, phrases) in PHRASES.lines().filter_map(|line| line.split_once(": ")) {
        let Some((_, cue)) = NAMES.iter().find(|(known, _)| *known == name) else {
            continue;
        };
        for phrase in phrases.split(" | ") {
            let mut words = phrase.split(' ');
            let (first, tail) = (words.next().unwrap_or_default(), words.collect());
            let Some(slot) = table.get_mut(slot_of(first)) else {
                continue;
            };
            match slot.iter_mut().find(|known| known.first == first) {
                Some(known) => known.tails.push((tail, *cue)),
                None => slot.push(CuePhrases {
                    first,
                    tails: vec![(tail, *cue)],
                }),
            }
        }
    }
    table
});

fn slot_of(word: &str) -> usize {
    let hash = word.bytes().fold(0x811C_9DC5_u32, |hash, b| {
        (hash ^ u32::from(b)).wrapping_mul(0x0100_0193)
    });
    usize::try_from(hash.wrapping_mul(0x9E37_79B1) >> 20).unwrap_or(0)
}

/// The cues that begin at the first of these words.
pub(crate) fn cues_at<'a>(words: &'a [&'a str]) -> impl Iterator<Item = MailCue> + 'a {
    let (first, after) = words
        .split_first()
        .map_or(("", words), |(first, after)| (*first, after));
    let slot = TABLE.get(slot_of(first)).map_or(&[][..], Vec::as_slice);
    slot.iter()
        .filter(move |phrases| phrases.first == first)
        .flat_map(|phrases| &phrases.tails)
        .filter(move |(tail, _)| after.starts_with(tail))
        .map(|(_, cue)| *cue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_whole() {
        let found = |text: &str| -> Vec<MailCue> {
            let words: Vec<&str> = text.split(' ').collect();
            cues_at(&words).collect()
        };
        assert!(found("could you come").contains(&MailCue::CouldYou));
        assert!(!found("could yours").contains(&MailCue::CouldYou));
        assert!(!found("could").contains(&MailCue::CouldYou));
        assert!(found("bitte").contains(&MailCue::Please));
        assert!(found("").is_empty());
    }

    #[test]
    fn every_line_of_the_list_is_read() {
        for line in PHRASES.lines().skip(1) {
            let (name, phrases) = line.split_once(": ").unwrap();
            assert!(NAMES.iter().any(|(known, _)| *known == name), "{name}");
            let bare = |phrase: &str| {
                !phrase.trim().is_empty() && phrase.trim() == phrase && phrase.to_lowercase() == phrase
            };
            assert!(phrases.split(" | ").all(bare), "{line}");
        }
    }

    #[test]
    fn no_slot_is_long() {
        assert!(TABLE.iter().all(|slot| slot.len() <= 6));
    }
}
