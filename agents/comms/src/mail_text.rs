//! What is counted in a mail: one pass over subject and new text.
//!
//! What: [`MailScan`], counts of cues, questions, figures and places, and the hashed words that the scorer of requests weighs. Why:
//! rules and scorer look at the same sentences. Not here: what follows from the counts (`mail_class`), the cues (`mail_cues`), the splitting (`mail_sentences`).
//!
//! A question that ends a paragraph waits for an answer; one in the middle is often put by its writer to himself.

use super::{
    mail_cues::{CUES, CueSet, MailCue},
    mail_lexicon::Lexicon,
    mail_pieces::{MailPiece, MailPieces},
    mail_sentences::{MailSentence, MailWords},
    mail_vocabulary::{MailVocabulary, VOCABULARY, WordTrait},
};

/// Words of a mail that are looked at.
const WORDS: usize = 700;
/// Words at its end in which thanks are for what is still to come.
const LAST_WORDS: usize = 10;

/// What is counted in a subject and a new text, both folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MailScan {
    pub(crate) words: usize,
    cues: [u16; CUES],
    pub(super) questions: usize,
    /// Questions that speak to somebody.
    pub(super) to_you: usize,
    /// Those that ask for an act.
    pub(super) requests: usize,
    /// Those that begin with a word of questions.
    pub(super) open: usize,
    /// Sentences that begin with a request.
    pub(super) imperatives: usize,
    /// "please", with a request behind it.
    pub(super) please_do: usize,
    /// Words behind the last question.
    pub(super) after: usize,
    pub(super) first_asks: bool,
    pub(super) last_asks: bool,
    pub(super) subject_asks: bool,
    pub(super) exclaims: usize,
    pub(super) links: usize,
    pub(super) jests: usize,
    pub(super) trails: usize,
    /// Thanks among the last words.
    pub(super) thanks_last: bool,
    /// Lines of a patch or a listing.
    pub(super) code_lines: usize,
    pub(super) greets: bool,
    pub(super) sentences: usize,
    /// What sort of questions there are, a bit each, by [`QuestionSign`].
    question_signs: u32,
    /// Hashed words and pairs of words, each once.
    pub(super) lexicon: Vec<u16>,
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
    pub(super) fn scan(
        subject: &str,
        body: &MailPieces<'_>,
        called: &impl Fn(&MailPiece<'_>) -> bool,
    ) -> Self {
        let known = &*VOCABULARY;
        let text = body.text;
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
            jests: 0,
            trails: 0,
            thanks_last: false,
            code_lines: text.lines().filter(|line| is_listing(line)).count(),
            greets: false,
            sentences: 0,
            question_signs: 0,
            lexicon: Vec::new(),
            greets_owner: false,
            names_owner: false,
            amount: false,
            clock: false,
            digits: false,
        };
        let mut lexicon = Lexicon::new();
        lexicon.subject(subject);
        let subject = MailPieces::split(subject);
        let subject = MailWords::split(&subject, 40);
        scan.figures(&subject);
        for at in 0..subject.words.len() {
            for cue in known.cues_at(subject.words.get(at..).unwrap_or_default()) {
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
                        | MailCue::Shares
                        | MailCue::Pitch
                ) {
                    scan.add(cue);
                }
            }
        }
        let body = MailWords::split(body, WORDS);
        scan.figures(&body);
        scan.words = body.words.len();
        scan.links = body.links;
        scan.jests = body.jests;
        scan.trails = body.trails;
        let mut last = body.words.len().saturating_sub(LAST_WORDS)..body.words.len();
        scan.thanks_last = last.any(|at| {
            let words = body.words.get(at..).unwrap_or_default();
            known.cues_at(words).any(|cue| cue == MailCue::Thanks)
        });
        scan.sentences(&body, known, called, &mut lexicon);
        scan.lexicon = lexicon.found.list;
        scan
    }

    pub(super) fn has_question(&self, sign: QuestionSign) -> bool {
        self.question_signs & (1 << sign as u32) != 0
    }

    fn note(&mut self, sign: QuestionSign, is: bool) {
        self.question_signs |= u32::from(is) << sign as u32;
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

    /// Whether a question says "you".
    pub(crate) fn asks_you(&self) -> bool {
        self.to_you > 0
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

    /// Short thanks without a question, a request, an order or a time to agree on.
    pub(crate) fn wants_nothing(&self) -> bool {
        self.thanks_only() && !self.asks_somehow() && self.imperatives == 0
    }

    fn figures(&mut self, text: &MailWords<'_>) {
        self.amount |= text.amount;
        self.clock |= text.clock;
        self.digits |= text.digits;
    }

    fn sentences(
        &mut self,
        text: &MailWords<'_>,
        known: &MailVocabulary,
        called: &impl Fn(&MailPiece<'_>) -> bool,
        lexicon: &mut Lexicon,
    ) {
        let mut begin = 0;
        let mut alone = true;
        let mut asked_before = false;
        for (at, sentence) in text.sentences.iter().enumerate() {
            let words = text.words.get(begin..sentence.end).unwrap_or_default();
            begin = sentence.end;
            if words.is_empty() {
                continue;
            }
            let asks = sentence.asks || opens_question(words, known);
            let opening = self.sentence(words, asks, known, called);
            // A greeting is no sentence of its own.
            let opens = self.sentences == 0 && opening.begins(MailCue::Greeting);
            let greeting = opens && !sentence.asks && words.len() <= 5;
            lexicon.sentence(words, asks);
            if opens {
                self.greets = true;
                self.greets_owner = words.iter().take(5).any(|word| called(word));
            }
            if !greeting {
                if self.sentences == 0 {
                    self.first_asks = asks;
                }
                self.sentences += 1;
                self.last_asks = asks;
            }
            self.note(
                QuestionSign::BeginsTell,
                opening.begins(MailCue::TellMe) && !opening.begins(MailCue::NoAnswer),
            );
            self.note(
                QuestionSign::BeginsRequest,
                asks && opening.begins_within(2, MailCue::CouldYou),
            );
            if asks {
                self.after = text.words.len() - sentence.end;
                let next = text.sentences.get(at + 1).filter(|_| !sentence.closes);
                let behind = text
                    .words
                    .get(sentence.end..next.map_or(sentence.end, |next| next.end));
                let behind = behind.unwrap_or_default().first();
                let answers = behind.is_some_and(|word| known.is(word.number, WordTrait::Answers));
                self.note(QuestionSign::AnsweredBehind, answers);
                self.question(words, sentence, known, opening);
                self.note(QuestionSign::Chained, asked_before && !alone);
                self.note(QuestionSign::Alone, sentence.closes && (alone || greeting));
            }
            alone = sentence.closes || greeting;
            asked_before = asks;
        }
        self.note(
            QuestionSign::Half,
            self.questions > 0 && 2 * self.questions >= self.sentences,
        );
    }

    /// What sort of question it is.
    fn question(
        &mut self,
        words: &[&MailPiece<'_>],
        sentence: &MailSentence,
        known: &MailVocabulary,
        opening: SentenceOpening,
    ) {
        use QuestionSign as Sign;
        let is = |what: WordTrait, word: Option<&&MailPiece<'_>>| {
            word.is_some_and(|word| known.is(word.number, what))
        };
        let (first, second) = (words.first(), words.get(1));
        let you = words.iter().any(|word| is(WordTrait::You, Some(word)));
        self.note(Sign::Closes, sentence.closes);
        self.note(Sign::ClosesToYou, sentence.closes && you);
        self.note(Sign::Inner, !sentence.closes);
        self.note(Sign::Loud, sentence.loud);
        self.note(Sign::Cited, sentence.cited);
        self.note(Sign::Short, words.len() <= 3);
        self.note(Sign::Long, words.len() > 25);
        self.note(Sign::AsksWhat, is(WordTrait::AsksWhat, first));
        let auxiliary = is(WordTrait::Auxiliary, first);
        self.note(Sign::AsksYou, auxiliary && is(WordTrait::You, second));
        self.note(Sign::AsksWhether, auxiliary && !is(WordTrait::You, second));
        self.note(Sign::Joins, is(WordTrait::Joins, first));
        self.note(Sign::Tag, words.len() > 3 && is(WordTrait::Tag, words.last()));
        self.note(Sign::Jests, sentence.jests);
        let probes = opening.begins_within(OPENING, MailCue::Probes);
        let rhetoric = opening.begins_within(OPENING, MailCue::Rhetoric);
        self.note(Sign::Probes, probes);
        self.note(Sign::ProbesAtEnd, probes && sentence.closes);
        self.note(Sign::Rhetoric, rhetoric);
        self.note(
            Sign::Plain,
            !rhetoric && !sentence.jests && !sentence.cited && (you || probes),
        );
        self.note(
            Sign::PlainAtEnd,
            !rhetoric && !sentence.jests && !sentence.cited && (you || probes) && sentence.closes,
        );
    }

    /// Counts the cues of a sentence, and says how it opens.
    fn sentence(
        &mut self,
        words: &[&MailPiece<'_>],
        asks: bool,
        known: &MailVocabulary,
        called: &impl Fn(&MailPiece<'_>) -> bool,
    ) -> SentenceOpening {
        let mut all = CueSet::default();
        let mut before = CueSet::default();
        let mut opening = SentenceOpening::default();
        for (at, word) in words.iter().enumerate() {
            self.names_owner |= called(word);
            let mut here = CueSet::default();
            for cue in known.cues_at(words.get(at..).unwrap_or_default()) {
                here.add(cue);
                if cue == MailCue::Which {
                    self.open += usize::from(asks && at == 0);
                    continue;
                }
                if cue == MailCue::Imperative {
                    if at == 0 {
                        self.imperatives += 1;
                    } else if before.has(MailCue::Please) {
                        self.please_do += 1;
                    }
                }
                self.add(cue);
            }
            if let Some(cues) = opening.cues.get_mut(at) {
                *cues = here;
            }
            all.join(here);
            if !known.is(word.number, WordTrait::Passes) || here.has(MailCue::Please) {
                before = here;
            }
        }
        if asks {
            let timed = all.has(MailCue::Day) || words.iter().any(|word| word.names_clock());
            self.note(QuestionSign::NamesTime, timed);
            self.note(QuestionSign::Suits, all.has(MailCue::Suits));
            let request = all.has(MailCue::CouldYou);
            self.questions += 1;
            self.to_you += usize::from(request || all.has(MailCue::You));
            self.requests += usize::from(request);
        }
        opening
    }
}

/// Words at the begin of a sentence that say what sort of question it is.
const OPENING: usize = 4;

/// The cues that begin at each of the first words of a sentence.
#[derive(Debug, Clone, Copy, Default)]
struct SentenceOpening {
    cues: [CueSet; OPENING],
}

impl SentenceOpening {
    /// Whether a cue begins at the first word.
    fn begins(self, cue: MailCue) -> bool {
        self.begins_within(1, cue)
    }

    /// Whether one begins at one of the first words.
    fn begins_within(self, words: usize, cue: MailCue) -> bool {
        self.cues.iter().take(words).any(|cues| cues.has(cue))
    }
}

/// Something about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum QuestionSign {
    /// It ends a paragraph.
    Closes = 0,
    /// The same, and it says "you".
    ClosesToYou = 1,
    /// It is the whole paragraph.
    Alone = 2,
    /// Its writer goes on behind it.
    Inner = 3,
    /// The next sentence begins like an answer.
    AnsweredBehind = 4,
    /// It follows a question in its paragraph.
    Chained = 5,
    /// Two signs or more.
    Loud = 6,
    /// It stands in quotation marks.
    Cited = 7,
    /// Up to three words.
    Short = 8,
    /// More than 25 words.
    Long = 9,
    /// "What", "how".
    AsksWhat = 10,
    /// "Did you".
    AsksYou = 11,
    /// "Is it".
    AsksWhether = 12,
    /// It begins with "so", "but", "and".
    Joins = 13,
    /// It ends with "right", "eh".
    Tag = 14,
    /// Half of the sentences are questions.
    Half = 15,
    /// A sentence begins with "tell me", "let me know".
    BeginsTell = 16,
    /// A question begins with "could you", after at most one other word.
    BeginsRequest = 17,
    /// A smile stands by it.
    Jests = 18,
    /// It begins as a question for facts: "which version".
    Probes = 19,
    /// The same, and it ends its paragraph.
    ProbesAtEnd = 20,
    /// It begins as one that nobody is to answer: "who cares".
    Rhetoric = 21,
    /// It is put to somebody or for facts, and nothing says that it is no question.
    Plain = 22,
    /// The same, and it ends its paragraph.
    PlainAtEnd = 23,
    /// It names a day or a time of day.
    NamesTime = 24,
    /// It asks whether a time suits.
    Suits = 25,
}

/// A question without its sign, as people write it on a phone or to be polite: "did the poles turn up", "könnten Sie mir bitte schreiben", "pourriez-vous
/// nous dire".
fn opens_question(words: &[&MailPiece<'_>], known: &MailVocabulary) -> bool {
    let (Some(first), Some(second)) = (words.first(), words.get(1)) else {
        return false;
    };
    // French joins verb and subject.
    if words.len() >= 3 && first.word.contains('-') {
        return known.cues_at(words).any(|cue| cue == MailCue::CouldYou);
    }
    // "do the dishes", "have the key ready", "can the idea": orders.
    let order = || second.word == "the" && matches!(first.word, "do" | "have" | "can");
    known.is(first.number, WordTrait::Opens)
        && known.is(second.number, WordTrait::Subject)
        && words.len() >= 3
        && !order()
}

/// A line of a patch, a listing or a trace.
fn is_listing(line: &str) -> bool {
    const BEGINS: [&str; 10] = [
        "+", "- ", "@@", "diff ", "index:", "    ", "\t", "#include", "$ ", "# ",
    ];
    let begins = || BEGINS.iter().any(|begin| line.starts_with(begin)) && line.trim().len() > 3;
    let first = line.as_bytes().first();
    // Most lines begin as sentences do, with another letter.
    (first.is_some_and(|first| {
        matches!(
            first,
            b'+' | b'-' | b'@' | b'd' | b'i' | b' ' | b'\t' | b'#' | b'$'
        )
    }) && begins())
        || line.ends_with([';', '{', '}'])
}
