//! What a message wants: the fast-path rules.
//!
//! What: [`judge`], from a message's text and sender to [`Judgement`]: intent, urgency, mention, the verb it asks for.
//! Why: rules that can be read, with no model to load; text from outside can move a number and nothing else. Not here:
//! the trained classifier (a later issue), the window and what is proposed from it (`model`, `tick`).
//!
//! Rules in order, the first that hits wins. They restate the reference's, with its mistakes repaired: text without a
//! word is SOCIAL, a top-level domain alone makes nothing spam, academic senders reach their rule.

use super::words::{
    ACTIONS, BANK_CODES, BROADCAST_PHRASES, BROADCAST_WORDS, DEADLINE_WORDS, NOISE, PLACEMENT_WORDS,
    REQUEST_PHRASES, SCAM_WORDS,
};
use serde::{Deserialize, Serialize};
pub use toolcall_schema::catalogue::comms::Intent;
use toolcall_schema::milli::Milli;
use unicode_segmentation::UnicodeSegmentation;

/// Bytes of a message that are judged; what follows is quoted text and footers.
const JUDGED: usize = 4096;

/// What a message asks for, as far as the rules recognise it. For the draft of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Hand something in.
    Submit,
    /// Send something.
    Send,
    /// Look something over.
    Review,
    /// Answer.
    Reply,
    /// Confirm something.
    Confirm,
    /// Call.
    Call,
    /// Pay.
    Pay,
    /// Share a document.
    Share,
    /// Sign.
    Sign,
    /// Bring something up to date.
    Update,
    /// Come.
    Join,
    /// Check something.
    Check,
    /// Nothing more exact was recognised.
    FollowUp,
}

/// A message as the rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// Subject and body of a mail, or the text of a notification.
    pub text: &'a str,
    /// The sender: a display name, a bank's code.
    pub sender: &'a str,
    /// The sender's mail host, when it is a mail.
    pub sender_host: Option<&'a str>,
    /// The chat or folder.
    pub channel: &'a str,
    /// A mail that names the owner in `To`.
    pub to_owner: bool,
    /// A mail that says how to unsubscribe.
    pub bulk: bool,
}

/// What the rules say about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// What it is.
    pub intent: Intent,
    /// 0 to 1: ACTIONABLE `0.55 + 0.25 d + 0.2 if mentioned`, at most 1, with `d` = action words / max(1, words / 4);
    /// BROADCAST and SOCIAL 0.2; SPAM 0.05.
    pub urgency: Milli,
    /// Whether it speaks to the owner: self-relevance 0.95. Otherwise it is 0.7 (ACTIONABLE) or 0.2.
    pub mention: bool,
    /// What it asks for.
    pub verb: Verb,
}

/// Judges one message. `names` are the lower-case names by which others mention the owner.
pub fn judge(message: &Message<'_>, names: &[String]) -> Judgement {
    let text = clipped(message.text).to_lowercase();
    let words: Vec<&str> = text.unicode_words().collect();
    let verb = words.iter().find_map(|word| verb_of(word));
    let at_mention = mentions(&text, names);
    let mention = at_mention || (message.to_owner && verb.is_some());
    let intent = intent(message, &text, &words, verb.is_some(), at_mention, mention);
    let hits = words
        .iter()
        .filter(|w| verb_of(w).is_some() || DEADLINE_WORDS.contains(w))
        .count();
    Judgement {
        intent,
        urgency: urgency(intent, hits, words.len(), mention),
        mention,
        verb: verb.unwrap_or(Verb::FollowUp),
    }
}

fn intent(
    message: &Message<'_>,
    text: &str,
    words: &[&str],
    asks: bool,
    at_mention: bool,
    mention: bool,
) -> Intent {
    let academic = academic(message, words);
    let deadline = words.iter().any(|w| DEADLINE_WORDS.contains(w));
    if words.is_empty() || (words.len() <= 3 && words.iter().all(|w| NOISE.contains(w))) {
        Intent::Social
    } else if spam(message, text, words) {
        Intent::Spam
    } else if bank(message.sender) {
        Intent::Social
    } else if !at_mention && (broadcast(text, words) || (message.bulk && !academic)) {
        Intent::Broadcast
    } else if (academic && (asks || deadline)) || (asks && (mention || requests(text))) {
        Intent::Actionable
    } else {
        Intent::Social
    }
}

fn requests(text: &str) -> bool {
    text.contains('?') || REQUEST_PHRASES.iter().any(|phrase| text.contains(phrase))
}

fn urgency(intent: Intent, hits: usize, words: usize, mention: bool) -> Milli {
    match intent {
        Intent::Actionable => {
            let over = words.max(4);
            // 250 thousandths * hits / (words / 4), rounded to the nearest.
            let density = (1000 * hits + over / 2) / over;
            let base = 550 + i64::try_from(density).unwrap_or(1000) + if mention { 200 } else { 0 };
            Milli(base.min(1000))
        }
        Intent::Social | Intent::Broadcast => Milli(200),
        Intent::Spam => Milli(50),
    }
}

fn clipped(text: &str) -> &str {
    let mut end = text.len().min(JUDGED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

fn verb_of(word: &str) -> Option<Verb> {
    ACTIONS.iter().find(|(w, _)| *w == word).map(|(_, verb)| *verb)
}

/// `@you`, `@me` or `@` and a name, standing alone: not inside a mail address, not a longer name.
fn mentions(text: &str, names: &[String]) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices('@').any(|(i, _)| {
        let (before, after) = text.split_at(i);
        let after = after.get(1..).unwrap_or_default();
        !before.ends_with(part_of_word)
            && ["you", "me"]
                .into_iter()
                .chain(names.iter().map(String::as_str))
                .filter(|name| !name.is_empty())
                .filter_map(|name| after.strip_prefix(name))
                .any(|rest| {
                    let mut next = rest.chars();
                    match next.next() {
                        None => true,
                        Some('.' | '-') => !next.next().is_some_and(part_of_word),
                        Some(c) => !part_of_word(c),
                    }
                })
    })
}

/// A link beside an offer or scam word, or a host of the scam patterns.
fn spam(message: &Message<'_>, text: &str, words: &[&str]) -> bool {
    let mut hosts = link_hosts(text).peekable();
    let link = hosts.peek().is_some();
    (link && words.iter().any(|w| SCAM_WORDS.contains(w)))
        || hosts.any(scam_host)
        || message
            .sender_host
            .is_some_and(|host| scam_host(&host.to_lowercase()))
}

/// The hosts of the links in a text: what follows `://` or begins with `www.`.
fn link_hosts(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter_map(|piece| {
        let rest = match piece.split_once("://") {
            Some((_, rest)) => rest,
            None => piece.get(piece.find("www.")?..)?,
        };
        rest.split(['/', '?', '#', ':', ',', ')', '>', '"']).next()
    })
}

/// The scam patterns: a bare IPv4 address, or a name that joins `secure`, `verify`, `login` or `account` by a hyphen
/// to another word. Hosts of schools and governments are never on the list.
fn scam_host(host: &str) -> bool {
    if academic_host(host) || host.split('.').any(|label| label == "gov") {
        return false;
    }
    let bare_ip = host.split('.').count() == 4
        && host
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    bare_ip
        || host.split('.').any(|label| {
            label.contains('-')
                && label
                    .split('-')
                    .any(|w| matches!(w, "secure" | "verify" | "login" | "account"))
        })
}

/// A bank's SMS code such as `VK-HDFCBK`.
fn bank(sender: &str) -> bool {
    sender.split_once('-').is_some_and(|(route, code)| {
        route.len() == 2
            && BANK_CODES
                .iter()
                .any(|known| known.eq_ignore_ascii_case(code.trim()))
    })
}

fn broadcast(text: &str, words: &[&str]) -> bool {
    words.iter().any(|w| BROADCAST_WORDS.contains(w)) || BROADCAST_PHRASES.iter().any(|p| text.contains(p))
}

/// Whether the sender belongs to a school or a placement office, by host or by the words of its name and channel.
fn academic(message: &Message<'_>, words: &[&str]) -> bool {
    let names_one = |name: &str| {
        name.to_lowercase()
            .unicode_words()
            .any(|w| PLACEMENT_WORDS.contains(&w))
    };
    message
        .sender_host
        .is_some_and(|host| academic_host(&host.to_lowercase()))
        || names_one(message.sender)
        || names_one(message.channel)
        || words.iter().any(|w| matches!(*w, "placement" | "placements"))
}

/// `.edu`, `.edu.XX`, `.ac.XX`.
fn academic_host(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let (last, second) = (
        labels.next().unwrap_or_default(),
        labels.next().unwrap_or_default(),
    );
    last == "edu" || (last.len() == 2 && matches!(second, "ac" | "edu"))
}
