//! What a mail wants: facts that are counted, and a small linear scorer over them.
//!
//! What: [`MailScan`], one pass over subject and new text, [`AsksModel`], the scorer's committed weights, and the
//! plain rules of codes, bills and dates. Why: whether somebody waits shows in a few dozen facts, and each can be said. Not here: spam
//! (`spam_gate`), which class follows (`judging`), the words (`mail_cues`).

use super::mail_cues::{CUES, MailCue, cues_at};

/// Words of a mail that are looked at.
const WORDS: usize = 700;

/// What is counted in a subject and a new text, both folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MailScan {
    pub(crate) words: usize,
    cues: [u16; CUES],
    questions: usize,
    /// Questions that speak to somebody.
    to_you: usize,
    /// Those that ask for an act.
    requests: usize,
    /// Those that begin with a word of questions.
    open: usize,
    /// Sentences that begin with a request.
    imperatives: usize,
    /// "please", with a request behind it.
    please_do: usize,
    /// Words behind the last question.
    after: usize,
    first_asks: bool,
    last_asks: bool,
    subject_asks: bool,
    exclaims: usize,
    links: usize,
    /// Lines of a patch or a listing.
    code_lines: usize,
    greets: bool,
    /// The greeting names the owner.
    pub(crate) greets_owner: bool,
    /// The text names the owner.
    pub(crate) names_owner: bool,
    pub(crate) amount: bool,
    pub(crate) clock: bool,
    /// Four to eight digits or letters and digits that stand alone.
    pub(crate) digits: bool,
}

impl MailScan {
    /// Counts. Both texts are folded; `called` says whether a word is one of the owner's names.
    pub(crate) fn scan(subject: &str, text: &str, called: &dyn Fn(&str) -> bool) -> Self {
        let mut scan = Self {
            words: 0,
            cues: [0; CUES],
            questions: 0,
            to_you: 0,
            requests: 0,
            open: 0,
            imperatives: 0,
            please_do: 0,
            after: usize::MAX,
            first_asks: false,
            last_asks: false,
            subject_asks: subject.contains('?'),
            exclaims: text.bytes().filter(|b| *b == b'!').count(),
            links: 0,
            code_lines: text.lines().filter(|line| is_listing(line)).count(),
            greets: false,
            greets_owner: false,
            names_owner: false,
            amount: false,
            clock: false,
            digits: false,
        };
        let subject = MailWords::split(subject, 40);
        scan.figures(&subject);
        for at in 0..subject.words.len() {
            for cue in cues_at(subject.words.get(at..).unwrap_or_default()) {
                // A subject says what it is about; whether it asks is said by its sign.
                if matches!(
                    cue,
                    MailCue::Bill
                        | MailCue::Due
                        | MailCue::Settled
                        | MailCue::CodeWord
                        | MailCue::ConfirmIt
                        | MailCue::Newsletter
                        | MailCue::Meeting
                        | MailCue::Suits
                        | MailCue::Day
                        | MailCue::Deadline
                        | MailCue::Relays
                        | MailCue::Pitch
                ) {
                    scan.add(cue);
                }
            }
        }
        let body = MailWords::split(text, WORDS);
        scan.figures(&body);
        scan.words = body.words.len();
        scan.links = body.links;
        scan.sentences(&body, called);
        scan
    }

    fn add(&mut self, cue: MailCue) {
        if let Some(count) = self.cues.get_mut(cue as usize) {
            *count = count.saturating_add(1);
        }
    }

    pub(crate) fn count(&self, cue: MailCue) -> usize {
        self.cues.get(cue as usize).copied().map_or(0, usize::from)
    }

    pub(crate) fn has(&self, cue: MailCue) -> bool {
        self.count(cue) > 0
    }

    pub(crate) fn asks_question(&self) -> bool {
        self.questions > 0
    }

    /// Whether it asks for an act, with or without a question.
    pub(crate) fn asks_favour(&self) -> bool {
        let cues = [
            MailCue::Please,
            MailCue::CouldYou,
            MailCue::TellMe,
            MailCue::Need,
            MailCue::Favour,
        ];
        self.please_do > 0 || cues.into_iter().any(|cue| self.has(cue))
    }

    /// A short mail with a request in plain words: nobody has to weigh it.
    pub(crate) fn asks_plainly(&self) -> bool {
        let please = self.count(MailCue::Please) > self.count(MailCue::Courtesy);
        let plainly = self.please_do > 0 || (please && (self.requests > 0 || self.has(MailCue::TellMe)));
        plainly && please && self.words < 60 && !self.has(MailCue::NoAnswer) && !self.has(MailCue::Newsletter)
    }

    /// Whether anything in it can be a wish.
    pub(crate) fn asks_somehow(&self) -> bool {
        let cues = [
            MailCue::Wonder,
            MailCue::Waits,
            MailCue::Opinion,
            MailCue::Decide,
            MailCue::Suits,
            MailCue::Anybody,
            MailCue::Due,
        ];
        self.questions > 0
            || self.subject_asks
            || self.asks_favour()
            || cues.into_iter().any(|cue| self.has(cue))
    }

    /// Whether its subject is a question and its text says nothing of its own.
    pub(crate) fn asks_in_subject(&self) -> bool {
        self.subject_asks && self.words <= 12
    }

    pub(crate) fn links(&self) -> usize {
        self.links
    }

    pub(crate) fn thanks_only(&self) -> bool {
        self.has(MailCue::Thanks) && self.words < 25 && self.questions == 0
    }

    fn figures(&mut self, text: &MailWords<'_>) {
        self.amount |= text.amount;
        self.clock |= text.clock;
        self.digits |= text.digits;
    }

    fn sentences(&mut self, text: &MailWords<'_>, called: &dyn Fn(&str) -> bool) {
        let mut begin = 0;
        let mut sentences = 0;
        for (end, asks) in &text.ends {
            let words = text.words.get(begin..*end).unwrap_or_default();
            begin = *end;
            if words.is_empty() {
                continue;
            }
            // A greeting is no sentence of its own.
            let greeting = sentences == 0
                && !asks
                && words.len() <= 5
                && cues_at(words).any(|cue| cue == MailCue::Greeting);
            let asks = &(*asks || opens_question(words));
            self.sentence(words, *asks, called);
            if sentences == 0 && cues_at(words).any(|cue| cue == MailCue::Greeting) {
                self.greets = true;
                self.greets_owner = words.iter().take(5).any(|word| called(word));
            }
            if !greeting {
                if sentences == 0 {
                    self.first_asks = *asks;
                }
                sentences += 1;
                self.last_asks = *asks;
            }
            if *asks {
                self.after = text.words.len() - *end;
            }
        }
    }

    fn sentence(&mut self, words: &[&str], asks: bool, called: &dyn Fn(&str) -> bool) {
        let (mut you, mut request) = (false, false);
        for at in 0..words.len() {
            let rest = words.get(at..).unwrap_or_default();
            self.names_owner |= words.get(at).is_some_and(|word| called(word));
            for cue in cues_at(rest) {
                if cue == MailCue::Which {
                    self.open += usize::from(asks && at == 0);
                    continue;
                }
                you |= cue == MailCue::You;
                request |= cue == MailCue::CouldYou;
                if cue == MailCue::Imperative {
                    let before = at.checked_sub(1).and_then(|before| words.get(before..));
                    if at == 0 {
                        self.imperatives += 1;
                    } else if cues_at(before.unwrap_or_default()).any(|cue| cue == MailCue::Please) {
                        self.please_do += 1;
                    }
                }
                self.add(cue);
            }
        }
        if asks {
            self.questions += 1;
            self.to_you += usize::from(you || request);
            self.requests += usize::from(request);
        }
    }
}

/// A text as words, with the ends of its sentences.
struct MailWords<'a> {
    words: Vec<&'a str>,
    /// How many words stand before the end of each sentence, and whether it is a question.
    ends: Vec<(usize, bool)>,
    links: usize,
    amount: bool,
    clock: bool,
    digits: bool,
}

impl<'a> MailWords<'a> {
    fn split(text: &'a str, most: usize) -> Self {
        let mut found = Self {
            words: Vec::with_capacity(most.min(text.len() / 4)),
            ends: Vec::new(),
            links: 0,
            amount: false,
            clock: false,
            digits: false,
        };
        let mut currency = false;
        for line in text.split('\n') {
            if line.trim().is_empty() {
                found.end(false);
            }
            for piece in line.split_ascii_whitespace() {
                if found.words.len() >= most {
                    found.end(false);
                    return found;
                }
                if piece.contains("://") || piece.starts_with("www.") {
                    found.links += 1;
                    continue;
                }
                let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
                let numbered = piece.bytes().any(|b| b.is_ascii_digit());
                if numbered {
                    let signed = piece.contains(['$', '€', '£', '₹', '¥']);
                    found.amount |= signed
                        || currency
                        || CURRENCIES
                            .iter()
                            .any(|code| word.starts_with(code) || word.ends_with(code));
                    found.clock |= is_clock(word);
                    found.digits |= is_code(word);
                } else if CURRENCIES.contains(&word) || matches!(piece, "$" | "€" | "£" | "₹" | "fr.") {
                    found.amount |= found.words.last().is_some_and(|before| {
                        before
                            .bytes()
                            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))
                    });
                }
                currency = !numbered
                    && (CURRENCIES.contains(&word) || matches!(piece, "$" | "€" | "£" | "₹" | "fr."));
                if !word.is_empty() {
                    found.words.push(word);
                }
                let end = piece.trim_end_matches(['"', '\'', ')', ']', '*', '_', '”', '»']);
                if end.ends_with(['?', '？']) || piece == "?" {
                    found.end(true);
                } else if end.ends_with(['.', '!', '。', ':', ';']) && word.len() > 2 {
                    found.end(false);
                }
            }
            // A greeting stands on a line of its own.
            if found.ends.is_empty() && line.trim_end().ends_with(',') {
                found.end(false);
            }
        }
        found.end(false);
        found
    }

    fn end(&mut self, asks: bool) {
        let words = self.words.len();
        match self.ends.last_mut() {
            // "really?!"
            Some((end, known)) if *end == words => *known |= asks,
            _ if words > 0 => self.ends.push((words, asks)),
            _ => {}
        }
    }
}

const CURRENCIES: [&str; 14] = [
    "usd", "eur", "gbp", "chf", "inr", "rs", "euro", "euros", "franken", "francs", "dollars", "rupees",
    "cad", "aud",
];

/// A question without its sign, as people write it on a phone: "did the poles turn up", "can you come".
fn opens_question(words: &[&str]) -> bool {
    const OPENS: [&str; 18] = [
        "did", "does", "can", "could", "will", "would", "is", "are", "was", "were", "has", "have", "should",
        "shall", "may", "do", "kannst", "hast",
    ];
    const SUBJECTS: [&str; 14] = [
        "you", "we", "i", "he", "she", "it", "they", "there", "your", "this", "that", "the", "du", "anybody",
    ];
    let (Some(first), Some(second)) = (words.first(), words.get(1)) else {
        return false;
    };
    // "do the dishes", "have the key ready", "can the idea": orders.
    let order = *second == "the" && matches!(*first, "do" | "have" | "can");
    OPENS.contains(first) && SUBJECTS.contains(second) && words.len() >= 3 && !order
}

/// `10:30`, `8.20`, `6pm`, `14h`.
fn is_clock(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (hour, rest) = word.split_at(digits);
    let small = (1..=2).contains(&digits) && hour.parse::<u8>().is_ok_and(|hour| hour < 25);
    small
        && (matches!(rest, "am" | "pm" | "h" | "uhr" | "a.m" | "p.m")
            || rest.strip_prefix([':', '.', 'h']).is_some_and(|minutes| {
                let minutes = minutes.trim_end_matches("pm").trim_end_matches("am");
                minutes.len() == 2 && minutes.parse::<u8>().is_ok_and(|minutes| minutes < 60)
            }))
}

/// Four to eight digits, no year; or letters and digits in capitals are folded, so `g-123456` too.
fn is_code(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let plain = word.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    (3..=8).contains(&digits)
        && !year
        && (plain
            || (word.len() <= 12
                && word.contains('-')
                && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')))
}

/// A line of a patch, a listing or a trace.
fn is_listing(line: &str) -> bool {
    [
        "+", "- ", "@@", "diff ", "index:", "    ", "\t", "#include", "$ ", "# ",
    ]
    .iter()
    .any(|begin| line.starts_with(begin))
        && line.trim().len() > 3
        || line.ends_with([';', '{', '}'])
}

/// To whom a mail goes, and how it came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MailStanding {
    /// The owner is the only one in `To`, and there is nobody in `Cc`.
    pub(crate) alone: bool,
    pub(crate) in_to: bool,
    pub(crate) in_cc: bool,
    pub(crate) list: bool,
    pub(crate) automatic: bool,
    pub(crate) reply: bool,
    pub(crate) quotes: bool,
    pub(crate) forwards: bool,
    /// How many are addressed.
    pub(crate) addressees: usize,
}

/// Features of the scorer, by place.
pub const ASK_FEATURES: usize = 72;

/// What the scorer sees: each nought or one.
pub(crate) fn ask_features(scan: &MailScan, is: MailStanding) -> [bool; ASK_FEATURES] {
    use MailCue as Cue;
    let density =
        |cue: Cue, percent: usize| 100 * scan.count(cue) >= percent * scan.words.max(1) && scan.has(cue);
    let please = scan.count(Cue::Please) > scan.count(Cue::Courtesy);
    let asks = scan.questions > 0;
    let personal = is.in_to && !is.automatic;
    [
        asks,
        scan.questions >= 2,
        scan.questions >= 4,
        scan.to_you > 0,
        scan.to_you >= 2,
        scan.last_asks,
        scan.first_asks,
        asks && scan.after <= 25,
        asks && scan.after > 40,
        asks && scan.after > 100,
        scan.has(Cue::CouldYou),
        scan.requests > 0,
        please,
        scan.please_do > 0,
        scan.has(Cue::TellMe),
        scan.has(Cue::Need),
        scan.has(Cue::Wonder),
        scan.imperatives > 0,
        density(Cue::You, 3),
        density(Cue::You, 7),
        density(Cue::Me, 4),
        density(Cue::Me, 8),
        scan.has(Cue::Anybody),
        scan.has(Cue::Everybody),
        scan.greets,
        scan.greets_owner,
        scan.names_owner,
        scan.has(Cue::Thanks),
        scan.thanks_only(),
        scan.has(Cue::NoAnswer),
        scan.has(Cue::Courtesy),
        scan.has(Cue::Deadline),
        scan.has(Cue::Day),
        scan.has(Cue::Suits),
        scan.has(Cue::Waits),
        scan.has(Cue::Opinion),
        scan.has(Cue::Informs),
        scan.count(Cue::Informs) >= 3,
        scan.has(Cue::Decide),
        scan.has(Cue::Favour),
        scan.has(Cue::Newsletter),
        scan.words < 8,
        scan.words < 25,
        scan.words < 80,
        scan.words >= 200,
        scan.words >= 450,
        scan.subject_asks,
        scan.open > 0,
        scan.links > 0,
        scan.links >= 4,
        scan.exclaims >= 2,
        is.alone,
        is.in_to,
        is.in_cc && !is.in_to,
        !is.in_to && !is.in_cc,
        is.list,
        is.reply,
        is.quotes,
        is.forwards,
        is.addressees > 5,
        scan.code_lines >= 3,
        asks && is.reply,
        asks && !is.reply,
        asks && personal,
        scan.requests > 0 && personal,
        scan.to_you > 0 && personal,
        scan.to_you > 0 && scan.after <= 25,
        scan.open > 0 && scan.last_asks,
        asks && scan.words < 30,
        asks && scan.has(Cue::Informs) && is.reply,
        please && personal,
        scan.has(Cue::Anybody) && asks,
    ]
}

/// The committed weights of the scorer, `agents/src/comms/asks.bin`: a constant, then one a feature (`i32`, little endian, 65536ths of a
/// logit). Written by `agents-training`, never by hand.
pub static ASKS: AsksModel = AsksModel::parse(include_bytes!("asks.bin"));

/// Weights of the scorer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsksModel {
    constant: i32,
    weights: [i32; ASK_FEATURES],
}

impl AsksModel {
    /// Reads weights; what is missing is nought.
    pub const fn parse(bytes: &[u8]) -> Self {
        let (numbers, _) = bytes.as_chunks::<4>();
        let mut model = Self {
            constant: 0,
            weights: [0; ASK_FEATURES],
        };
        if numbers.len() == ASK_FEATURES + 1 {
            model.constant = i32::from_le_bytes(numbers[0]);
            let mut at = 0;
            while at < ASK_FEATURES {
                model.weights[at] = i32::from_le_bytes(numbers[at + 1]);
                at += 1;
            }
        }
        model
    }

    /// How surely somebody asks for something, in 65536ths of a logit.
    pub(crate) fn score(&self, features: &[bool; ASK_FEATURES]) -> i64 {
        let held = features.iter().zip(self.weights).filter(|(is, _)| **is);
        i64::from(self.constant) + held.map(|(_, weight)| i64::from(weight)).sum::<i64>()
    }
}

/// A security code, or something to confirm that the owner has just asked for.
pub(crate) fn is_code_mail(scan: &MailScan, is: MailStanding, linked: bool) -> bool {
    let code = scan.has(MailCue::CodeWord) && scan.digits;
    let confirm = scan.has(MailCue::ConfirmIt) && !is.reply && (is.automatic || linked);
    (code && !is.reply || confirm) && !is.list && scan.words < 260
}

/// Money by a date, or a date that costs something when it is missed.
pub(crate) fn is_bill(scan: &MailScan, is: MailStanding) -> bool {
    let dated = scan.has(MailCue::Day) || scan.has(MailCue::Deadline) || scan.clock || scan.digits;
    let owed = scan.has(MailCue::Bill) && scan.has(MailCue::Due) && dated;
    let certain = scan.amount || scan.count(MailCue::Due) >= 2;
    owed && certain && !scan.has(MailCue::Settled) && !is.list && !is.forwards && scan.words < 450
}

/// A time that the owner is to agree on.
pub(crate) fn is_date(scan: &MailScan, is: MailStanding) -> bool {
    let when = scan.has(MailCue::Day) || scan.clock;
    let proposed = scan.has(MailCue::Suits) && (scan.has(MailCue::Meeting) || scan.questions > 0);
    when && proposed && !is.list && is.addressees <= 5 && scan.words < 300
}
