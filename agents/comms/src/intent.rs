//! What a message wants: the fast-path rules, and the classifier where none of them hits.
//!
//! What: [`judge`], from a message's text and sender to [`MessageJudgement`]: intent, urgency, mention, the verb it asks for.
//! Why: rules that can be read come first; text from outside can move a number and nothing else. Not here: what the classifier
//! has learned (`classifier`), the window and what is proposed from it (`model`, `tick`).
//!
//! Rules in order, the first that hits wins; what asks by a rule is SPAM all the same where the classifier is sure of it (docs/adr/0144).
//! They restate the reference's, with its mistakes repaired: text without a word is SOCIAL, a top-level domain alone makes nothing spam,
//! academic senders reach their rule.

use super::{
    classifier::{self, ClassifierVerdict},
    features::{features, is_link},
    message::{JudgedMessage, RequestVerb},
    words::{BANK_CODES, BROADCAST_CALLS, BROADCAST_PAIRS, REQUEST_PAIRS, meaning},
};
pub use toolcall_schema::catalogue::comms::Intent;
use toolcall_schema::milli::Milli;
use unicode_segmentation::UnicodeSegmentation;

/// Bytes of a message that are judged; what follows is quoted text and footers.
const JUDGED: usize = 4096;

/// What the rules say about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageJudgement {
    /// What it is.
    pub intent: Intent,
    /// 0 to 1: ACTIONABLE `0.55 + 0.25 d + 0.2 if mentioned`, at most 1, with `d` = action words / max(1, words / 4);
    /// BROADCAST and SOCIAL 0.2; SPAM 0.05.
    pub urgency: Milli,
    /// Whether it speaks to the owner: self-relevance 0.95. Otherwise it is 0.7 (ACTIONABLE) or 0.2.
    pub mention: bool,
    /// What it asks for.
    pub verb: RequestVerb,
    /// Who said so.
    pub by: JudgedBy,
}

/// What decided a message's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgedBy {
    /// One of the rules.
    Rule,
    /// The classifier, which was sure.
    Classifier,
    /// Nobody: the classifier was not sure, so it is SOCIAL.
    Doubt,
}

/// Judges one message. `names` are the lower-case names by which others mention the owner.
pub fn judge(message: &JudgedMessage<'_>, names: &[String]) -> MessageJudgement {
    let text = clipped(message.text).to_lowercase();
    let seen = MessageScan::scan(message, &text, names);
    let (intent, by) = match seen.rule(message, &text) {
        // Who sells asks as well: "please call now".
        Some(Intent::Actionable) if !seen.at_mention && seen.is_surely_spam(message, &text) => {
            (Intent::Spam, JudgedBy::Classifier)
        }
        Some(intent) => (intent, JudgedBy::Rule),
        None => {
            let verdict = seen.verdict(message, &text);
            if verdict.is_sure() {
                (verdict.class, JudgedBy::Classifier)
            } else {
                (Intent::Social, JudgedBy::Doubt)
            }
        }
    };
    MessageJudgement {
        intent,
        urgency: urgency(intent, seen.hits, seen.words, seen.mention),
        mention: seen.mention,
        verb: seen.verb.unwrap_or(RequestVerb::FollowUp),
        by,
    }
}

/// What the rules alone say; `None` where none hits.
pub fn by_rules(message: &JudgedMessage<'_>, names: &[String]) -> Option<Intent> {
    let text = clipped(message.text).to_lowercase();
    MessageScan::scan(message, &text, names).rule(message, &text)
}

/// What the classifier alone says.
pub fn by_classifier(message: &JudgedMessage<'_>, names: &[String]) -> ClassifierVerdict {
    let text = clipped(message.text).to_lowercase();
    MessageScan::scan(message, &text, names).verdict(message, &text)
}

/// The features of a message, as the classifier is trained on them.
pub fn features_of(message: &JudgedMessage<'_>, names: &[String]) -> Vec<u16> {
    let text = clipped(message.text).to_lowercase();
    features(message, &text, mentions(&text, names))
}

/// A message, looked over once.
#[derive(Default)]
struct MessageScan {
    words: usize,
    /// Action and deadline words.
    hits: usize,
    /// The first action word.
    verb: Option<RequestVerb>,
    /// Whether it names the owner by `@`.
    at_mention: bool,
    mention: bool,
    all_noise: bool,
    scam: bool,
    broadcast: bool,
    deadline: bool,
    request: bool,
    placement: bool,
}

impl MessageScan {
    /// `text` is in lower case.
    fn scan(message: &JudgedMessage<'_>, text: &str, names: &[String]) -> Self {
        let mut seen = Self {
            all_noise: true,
            ..Self::default()
        };
        let mut before = "";
        for word in text.unicode_words() {
            let means = meaning(word);
            seen.words += 1;
            seen.hits += usize::from(means.verb.is_some() || means.deadline);
            seen.verb = seen.verb.or(means.verb);
            seen.all_noise &= means.noise;
            seen.scam |= means.scam;
            seen.broadcast |= means.broadcast || (means.second && BROADCAST_PAIRS.contains(&(before, word)));
            seen.deadline |= means.deadline;
            seen.request |= means.request || (means.second && REQUEST_PAIRS.contains(&(before, word)));
            seen.placement |= matches!(word, "placement" | "placements");
            before = word;
        }
        seen.broadcast |= calls(text, &BROADCAST_CALLS.iter().copied());
        seen.request |= text.contains('?');
        seen.at_mention = mentions(text, names);
        seen.mention = seen.at_mention || (message.to_owner && seen.verb.is_some());
        seen
    }

    /// The first rule that hits.
    fn rule(&self, message: &JudgedMessage<'_>, text: &str) -> Option<Intent> {
        let asks = self.verb.is_some();
        let academic = academic(message, self.placement);
        if self.words == 0 || (self.words <= 3 && self.all_noise) {
            Some(Intent::Social)
        } else if spam(message, text, self.scam) {
            Some(Intent::Spam)
        } else if bank(message.sender) || text.split_whitespace().all(is_link) {
            Some(Intent::Social)
        } else if !self.at_mention && (self.broadcast || (message.bulk && !academic)) {
            Some(Intent::Broadcast)
        } else if (academic && (asks || self.deadline)) || (asks && (self.mention || self.request)) {
            Some(Intent::Actionable)
        } else {
            None
        }
    }

    fn is_surely_spam(&self, message: &JudgedMessage<'_>, text: &str) -> bool {
        let verdict = self.verdict(message, text);
        verdict.class == Intent::Spam && verdict.is_sure()
    }

    fn verdict(&self, message: &JudgedMessage<'_>, text: &str) -> ClassifierVerdict {
        classifier::classify(&features(message, text, self.at_mention))
    }
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

/// Whether the owner is named by `@`: `@you`, `@me` or `@` and a name.
fn mentions(text: &str, names: &[String]) -> bool {
    let names = ["you", "me"].into_iter().chain(names.iter().map(String::as_str));
    calls(text, &names)
}

/// Whether one of the names stands alone behind an `@`: not inside a mail address, not a longer name.
fn calls<'a>(text: &str, names: &(impl Iterator<Item = &'a str> + Clone)) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices('@').any(|(i, _)| {
        let (before, after) = text.split_at(i);
        let after = after.get(1..).unwrap_or_default();
        !before.ends_with(part_of_word)
            && names
                .clone()
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
fn spam(message: &JudgedMessage<'_>, text: &str, scam: bool) -> bool {
    // Most messages hold no link, and two searches are cheaper than each word.
    let linked = text.contains("://") || text.contains("www.");
    let mut hosts = link_hosts(if linked { text } else { "" }).peekable();
    (scam && hosts.peek().is_some())
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

/// Whether the sender belongs to a school or a placement office, by host or by the words of its name and channel, or the text
/// speaks of `placement`.
fn academic(message: &JudgedMessage<'_>, placement: bool) -> bool {
    let names_one = |name: &str| {
        name.to_lowercase()
            .unicode_words()
            .any(|word| meaning(word).placement)
    };
    placement
        || message
            .sender_host
            .is_some_and(|host| academic_host(&host.to_lowercase()))
        || names_one(message.sender)
        || names_one(message.channel)
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
