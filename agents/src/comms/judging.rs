//! What a mail is to its owner.
//!
//! What: [`judge_mail`], from a mail, its owner and what is known of its sender to [`MailJudgement`], and [`judge_bytes`] for whoever measures
//! it (`agents/judge`): one way for both. Why: head before words, spam before wishes, and every class with its evidence. Not
//! here: the gate (`spam_gate`), the facts of a text (`mail_class`), the head (`mail::headers`), chats (`intent`).
//!
//! The order is that of `docs/agents/comms.md`; the classes map to the machine's intents as `docs/adr/0076-how-mail-is-judged.md` says.

use super::{
    classifier::likelihood,
    folding::{FoldedText, fold},
    mail_class::{MailStanding, ask_features, asks_score, is_bill, is_code_mail, is_date},
    mail_cues::MailCue,
    mail_text::MailScan,
    message::RequestVerb,
    spam_gate::{ONE, SpamScore, spam_score},
    words::meaning,
};
use crate::mail::{
    eml::{self, ParsedMail},
    headers::{AutomaticSign, HeadSign, MailOrigin, SenderProof},
};
pub use toolcall_schema::catalogue::comms::MessageClass;
use toolcall_schema::{
    catalogue::comms::{EVIDENCE_MAX, EvidenceCode, Intent},
    milli::Milli,
};

/// Bytes of a new text that are judged.
const JUDGED: usize = 4096;
/// From this score on a mail is spam: below even, because spam has a page of its own and is lost to nobody.
const SPAM_AT: i64 = -ONE / 4;
/// So much below it a stranger's mail is still never counted, named or drafted for, unless it is plain ([`SeenMail::is_plain`]).
const DOUBT: i64 = 9 * ONE / 4;
/// Bytes at the end of a mail where a program says why it wrote.
const FOOTER: usize = 1500;
/// Up to so many words are no sign of spam.
const FEW_WORDS: usize = 20;
/// What a plain mail must score at least beyond the threshold: there is little in it to go by.
const PLAIN: i64 = 2 * ONE;
/// From this on somebody asks for something.
const ASKS_AT: i64 = -ONE / 2;

/// By which names and addresses others mean the owner, in lower case.
#[derive(Debug, Clone, Copy)]
pub struct OwnerIdentity<'a> {
    pub names: &'a [String],
    pub addresses: &'a [String],
}

/// What the owner's history says of a sender. The default is a sender nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SenderStanding {
    /// The owner wrote to this sender.
    pub wrote_to: bool,
    /// Mails of this sender that the owner answered.
    pub answered: u32,
    /// Those that the owner saw and did not answer.
    pub ignored: u32,
    /// What the owner taught, in thousandths.
    pub taught: i32,
    /// This mail answers one of the owner's.
    pub answers_owner: bool,
}

impl SenderStanding {
    /// Whether the owner knows this sender by an own act.
    fn is_known(self) -> bool {
        self.wrote_to || self.answered > 0
    }
}

/// What is said of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailJudgement {
    /// In the words people have for it.
    pub class: MessageClass,
    /// In the machine's.
    pub intent: Intent,
    /// 0 to 1.
    pub urgency: Milli,
    /// Whether it speaks to the owner.
    pub mention: bool,
    /// What it asks for.
    pub verb: RequestVerb,
    /// Why, the strongest first; at most [`EVIDENCE_MAX`].
    pub evidence: Vec<EvidenceCode>,
    /// How likely it is spam.
    pub spam: Milli,
    /// How sure the class is.
    pub confidence: Milli,
    /// Whether a reply may be drafted for it: somebody waits, no program wrote, and the owner knows the sender or is the only one
    /// addressed. Nothing else decides that.
    pub may_draft: bool,
}

/// Judges a mail, RFC 5322. `None`: these bytes are no mail.
pub fn judge_bytes(
    bytes: &[u8],
    owner: &OwnerIdentity<'_>,
    sender: &SenderStanding,
) -> Option<MailJudgement> {
    Some(judge_mail(&eml::parse(bytes).ok()?, owner, *sender))
}

/// Judges a mail.
pub(crate) fn judge_mail(
    mail: &ParsedMail,
    owner: &OwnerIdentity<'_>,
    sender: SenderStanding,
) -> MailJudgement {
    judge_scored(mail, owner, sender, ModelScores::default())
}

/// Whether a mail of the owner's asks something of those it goes to.
pub(super) fn asks_others(mail: &ParsedMail, owner: &OwnerIdentity<'_>) -> bool {
    let seen = SeenMail::look(mail, owner);
    let is = MailStanding {
        alone: mail.to.len() == 1 && mail.origin.cc.is_empty(),
        in_to: true,
        ..seen.standing
    };
    seen.scan.asks_somehow() && asks_score(&seen.scan, is) >= ASKS_AT
}

/// Scores of other models than this build's, in 65536ths of a logit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelScores {
    /// Of the spam gate.
    pub spam: Option<i64>,
    /// Of the scorer of requests.
    pub asks: Option<i64>,
}

/// Judges a mail by models that did not see it, for cross-validation. `None`: these bytes are no mail.
pub fn judge_with_scores(
    bytes: &[u8],
    owner: &OwnerIdentity<'_>,
    scores: ModelScores,
) -> Option<MailJudgement> {
    let mail = eml::parse(bytes).ok()?;
    Some(judge_scored(&mail, owner, SenderStanding::default(), scores))
}

fn judge_scored(
    mail: &ParsedMail,
    owner: &OwnerIdentity<'_>,
    sender: SenderStanding,
    scores: ModelScores,
) -> MailJudgement {
    let mut seen = SeenMail::look(mail, owner);
    seen.asks = scores.asks;
    let spam = scores.spam.map_or_else(
        || spam_score(&seen.subject.text, &seen.text.text, &mail.origin),
        SpamScore,
    );
    let failed = mail.origin.proof == SenderProof::Fail;
    let score = spam.with_proof(seen.disguised(), failed).0 + seen.pitch();
    let looks = SpamLook::of_mail(mail, &seen, sender, score);
    // A code is asked for and read within minutes, and nothing is made of it: it is never put away for its words.
    let code = looks == SpamLook::Spam && !seen.disguised() && !failed && seen.is_plain_code(&mail.origin);
    let looks = if code { SpamLook::Doubtful } else { looks };
    let (class, confidence) = if looks == SpamLook::Spam {
        (MessageClass::Spam, likelihood(score))
    } else {
        seen.class(mail, looks, sender)
    };
    let intent = intent_of(class);
    let verb = seen.verb();
    let mention = intent == Intent::Actionable && (seen.standing.in_to || seen.scan.names_owner);
    MailJudgement {
        class,
        intent,
        urgency: seen.urgency(class, mention),
        mention,
        verb,
        evidence: seen.evidence(mail, class, looks, sender, failed),
        spam: likelihood(score),
        confidence,
        may_draft: matches!(class, MessageClass::NeedsYou | MessageClass::Date)
            && looks == SpamLook::Clean
            // A calendar program answers its own invitations.
            && !mail.invites
            && !seen.standing.automatic
            && (sender.is_known() || seen.may_be_answered(mail)),
    }
}

/// The machine's word for a class.
pub const fn intent_of(class: MessageClass) -> Intent {
    match class {
        MessageClass::NeedsYou | MessageClass::Date | MessageClass::Bill => Intent::Actionable,
        MessageClass::Group | MessageClass::Code | MessageClass::Talk | MessageClass::Waiting => {
            Intent::Social
        }
        MessageClass::News => Intent::Broadcast,
        MessageClass::Spam => Intent::Spam,
    }
}

/// The class of a message of which only the intent is known: a chat's.
pub(super) fn class_of(intent: Intent) -> MessageClass {
    match intent {
        Intent::Actionable => MessageClass::NeedsYou,
        Intent::Social => MessageClass::Talk,
        Intent::Broadcast => MessageClass::News,
        Intent::Spam => MessageClass::Spam,
    }
}

/// What the gate makes of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpamLook {
    Clean,
    /// A stranger's that may be spam: it is told, but nothing is made of it.
    Doubtful,
    Spam,
}

impl SpamLook {
    fn of_mail(mail: &ParsedMail, seen: &SeenMail, sender: SenderStanding, score: i64) -> Self {
        let origin = &mail.origin;
        if sender.is_known() && origin.proof != SenderProof::Fail {
            return Self::Clean;
        }
        let plain = seen.is_plain(origin);
        let at = SPAM_AT + margin(origin, seen.standing.automatic).max(if plain { PLAIN } else { 0 });
        let odd = origin.has(HeadSign::FakeReply) || origin.has(HeadSign::ReplyElsewhere);
        if origin.upstream_spam || score >= at {
            Self::Spam
        } else if (score >= at - DOUBT && !plain)
            || (odd && score >= at - 2 * DOUBT)
            || seen.scan.count(MailCue::Pitch) >= 2
        {
            Self::Doubtful
        } else {
            Self::Clean
        }
    }
}

/// What a mail must score beyond the threshold of spam: more where its sender stands by it, and more again where it goes to many and says so,
/// because an unwanted newsletter is news; where there is no head to speak against the text; and for a mail of today, because the gate
/// has learned the spam of 2002.
fn margin(origin: &MailOrigin, automatic: bool) -> i64 {
    if !origin.received {
        return 2 * ONE;
    }
    let by_server = origin.has(HeadSign::Delivered) || origin.has(HeadSign::Greeted);
    let signs = [
        by_server,
        origin.has(HeadSign::OwnId),
        origin.has(HeadSign::OwnLink),
    ];
    let stands_by = signs.into_iter().filter(|is| *is).count();
    let to_many = automatic || origin.is_announced() || origin.business;
    let margin = match (to_many, stands_by) {
        (true, 2..) => 3 * ONE,
        (true, 1) => 2 * ONE,
        (true, 0) if automatic || origin.is_announced() => 2 * ONE,
        (false, 2..) => 3 * ONE / 2,
        (true | false, _) => 0,
    };
    margin.max(if origin.modern { 2 * ONE } else { 0 })
}

/// A mail, looked over once.
struct SeenMail {
    subject: FoldedText,
    text: FoldedText,
    scan: MailScan,
    standing: MailStanding,
    sender_disguised: bool,
    /// What another scorer of requests says.
    asks: Option<i64>,
}

impl SeenMail {
    fn look(mail: &ParsedMail, owner: &OwnerIdentity<'_>) -> Self {
        let subject = fold(&mail.subject, 512);
        // A mail without words of its own is known by the rest of its text: else a spammer quotes himself.
        let own = mail
            .new_text
            .bytes()
            .filter(u8::is_ascii_alphanumeric)
            .take(15)
            .count()
            >= 15
            || !mail.new_text.is_ascii();
        let text = fold(if own { &mail.new_text } else { mail.body() }, JUDGED);
        let called = |word: &str| {
            word.len() >= 2
                && (owner
                    .names
                    .iter()
                    .any(|name| name.split(' ').any(|part| part == word))
                    || owner
                        .addresses
                        .iter()
                        .any(|address| address.split('@').next() == Some(word)))
        };
        let scan = MailScan::scan(&subject.text, if own { &text.text } else { "" }, &called);
        let is_owner = |address: &String| owner.addresses.contains(address);
        let origin = &mail.origin;
        let in_to = mail.to.iter().any(is_owner);
        let standing = MailStanding {
            alone: in_to && mail.to.len() == 1 && origin.cc.is_empty(),
            in_to,
            in_cc: origin.cc.iter().any(is_owner),
            list: origin.list,
            automatic: (origin.automatic.is_some() || origin.template)
                && (origin.auto_replied || !scan.has(MailCue::Desk)),
            reply: origin.has(HeadSign::Answers) || origin.has(HeadSign::FakeReply),
            quotes: mail.quotes,
            forwards: mail.forwards,
            addressees: mail.to.len() + origin.cc.len(),
        };
        Self {
            sender_disguised: fold(&mail.sender, 256).disguises > 0,
            subject,
            text,
            scan,
            standing,
            asks: None,
        }
    }

    fn disguised(&self) -> bool {
        self.sender_disguised || self.subject.disguises > 0 || self.text.disguises >= 2
    }

    /// Whether a reply may be drafted for a stranger: the owner is the only one addressed, no desk of a firm wrote, and nothing is odd
    /// about head or text.
    fn may_be_answered(&self, mail: &ParsedMail) -> bool {
        let origin = &mail.origin;
        let odd = origin.has(HeadSign::FakeReply) || origin.has(HeadSign::ReplyElsewhere) || self.disguised();
        self.standing.alone && !origin.business && !odd && !self.scan.has(MailCue::Pitch)
    }

    /// What phrases that are said to strangers add to the score of spam.
    fn pitch(&self) -> i64 {
        match self.scan.count(MailCue::Pitch) {
            0 => 0,
            1 => ONE,
            2 => 3 * ONE,
            _ => 5 * ONE,
        }
    }

    /// A few words, or a greeting of the owner by name in a mail to nobody else, with nothing to click: no text by which a stranger is doubted.
    fn is_plain(&self, origin: &MailOrigin) -> bool {
        let (scan, is) = (&self.scan, self.standing);
        let personal = is.alone && !is.automatic && !is.list && scan.greets_owner;
        (scan.words <= FEW_WORDS || personal)
            && !origin.linked
            && !self.disguised()
            && !self.scan.has(MailCue::Pitch)
    }

    /// A short mail with a code and at most two links.
    fn is_plain_code(&self, origin: &MailOrigin) -> bool {
        !origin.upstream_spam
            && self.scan.words < 150
            && self.scan.has(MailCue::CodeWord)
            && self.scan.digits
            && self.scan.links() <= 2
    }

    /// The class of a mail that is no spam.
    fn class(&self, mail: &ParsedMail, looks: SpamLook, sender: SenderStanding) -> (MessageClass, Milli) {
        const RULE: Milli = Milli(900);
        let (scan, is) = (&self.scan, self.standing);
        if is_code_mail(scan, is, mail.origin.linked) {
            return (MessageClass::Code, RULE);
        }
        if looks == SpamLook::Doubtful && !sender.is_known() {
            let class = if is.automatic || is.list {
                MessageClass::News
            } else {
                MessageClass::Talk
            };
            return (class, Milli(500));
        }
        if is_bill(scan, is) {
            return (MessageClass::Bill, RULE);
        }
        if mail.accepts {
            return (MessageClass::News, RULE);
        }
        if mail.invites && !is.reply {
            return (MessageClass::Date, RULE);
        }
        if is.automatic {
            let appointment = is_date(scan, is) && !mail.origin.unsubscribe;
            return (
                if appointment {
                    MessageClass::Date
                } else if (scan.has(MailCue::Relays) && is.alone && !is.list) || names_reader(mail.body()) {
                    // A program tells that a person waits.
                    MessageClass::NeedsYou
                } else {
                    MessageClass::News
                },
                RULE,
            );
        }
        let asks = self.asks.unwrap_or_else(|| asks_score(scan, is));
        let taught = i64::from(sender.taught.clamp(-1000, 1000)) * ONE / 1000;
        // What a server brought without any addressee goes to nobody knows how many, unless it speaks to the owner by name.
        let by_name = !mail.origin.received || scan.greets_owner || scan.names_owner;
        let in_to = is.in_to || (is.addressees == 0 && by_name);
        let asked = asks + taught >= if scan.asks_somehow() { ASKS_AT } else { ONE };
        // Short thanks to the owner alone look like a request in all but their words.
        let asked = asked && !scan.wants_nothing();
        if asked || (scan.asks_plainly() && in_to) || (scan.asks_in_subject() && is.alone && !is.reply) {
            let to_all = scan.has(MailCue::Everybody) || scan.has(MailCue::Anybody) || is.addressees > 5;
            let mine = in_to && !is.list && (!to_all || is.alone)
                || (is.in_to && is.list && !to_all)
                // Who answers the owner through a list asks the owner.
                || (sender.answers_owner && !to_all)
                || (is.in_cc && scan.names_owner);
            let class = if !mine {
                MessageClass::Group
            } else if is_date(scan, is) {
                MessageClass::Date
            } else {
                MessageClass::NeedsYou
            };
            return (class, likelihood((asks + taught).max(0)));
        }
        if is_date(scan, is) && is.in_to {
            return (MessageClass::Date, RULE);
        }
        let told = scan.has(MailCue::Newsletter) && !is.reply;
        let class = if told {
            MessageClass::News
        } else {
            MessageClass::Talk
        };
        (class, likelihood(-asks - taught))
    }

    /// The first word that asks for an act.
    fn verb(&self) -> RequestVerb {
        let mut words = self.text.text.split(|c: char| !c.is_alphanumeric()).take(300);
        words
            .find_map(|word| meaning(word).verb)
            .unwrap_or(RequestVerb::FollowUp)
    }

    fn urgency(&self, class: MessageClass, mention: bool) -> Milli {
        match class {
            MessageClass::NeedsYou | MessageClass::Date | MessageClass::Bill => {
                let soon = if self.scan.has(MailCue::Deadline) { 150 } else { 0 };
                let waits = if self.scan.has(MailCue::Waits) { 50 } else { 0 };
                Milli(600 + soon + waits + if mention { 200 } else { 0 })
            }
            MessageClass::Code => Milli(300),
            MessageClass::Group | MessageClass::News | MessageClass::Talk | MessageClass::Waiting => {
                Milli(200)
            }
            MessageClass::Spam => Milli(50),
        }
    }

    /// Why, the strongest first.
    fn evidence(
        &self,
        mail: &ParsedMail,
        class: MessageClass,
        looks: SpamLook,
        sender: SenderStanding,
        failed: bool,
    ) -> Vec<EvidenceCode> {
        use EvidenceCode as Code;
        let (scan, is, origin) = (&self.scan, self.standing, &mail.origin);
        let spam = looks != SpamLook::Clean;
        let wants = intent_of(class) == Intent::Actionable || class == MessageClass::Group;
        let no_reply = matches!(
            origin.automatic,
            Some(AutomaticSign::NoReply | AutomaticSign::Feed)
        );
        let mut evidence: Vec<Code> = [
            (spam && origin.upstream_spam, Code::UpstreamSpam),
            (spam && failed, Code::ForgedSender),
            (spam && !origin.upstream_spam, Code::SpamText),
            (class == MessageClass::Code, Code::NamesCode),
            (class == MessageClass::Bill && scan.amount, Code::NamesAmount),
            (class == MessageClass::Date, Code::ProposesTime),
            (no_reply, Code::NoReplySender),
            (is.automatic && !no_reply, Code::AutomaticSender),
            (is.list, Code::ListMail),
            (wants && scan.asks_question(), Code::AsksQuestion),
            (wants && scan.asks_favour(), Code::AsksFavour),
            (
                wants && scan.has(MailCue::Deadline) || class == MessageClass::Bill,
                Code::NamesDeadline,
            ),
            (wants && is.alone, Code::AddressedAlone),
            (wants && scan.names_owner, Code::Named),
            (wants && sender.answers_owner, Code::AnswersOwner),
            (!is.in_to && is.in_cc, Code::CopiedOnly),
            (sender.taught != 0, Code::Taught),
            (
                class == MessageClass::Talk && scan.thanks_only(),
                Code::ThanksOnly,
            ),
            (sender.answered >= 3, Code::OftenAnswered),
            (sender.answered == 0 && sender.ignored >= 5, Code::NeverAnswered),
            (!sender.is_known(), Code::UnknownSender),
        ]
        .into_iter()
        .filter_map(|(is, code)| is.then_some(code))
        .collect();
        evidence.truncate(EVIDENCE_MAX);
        evidence
    }
}

/// Whether a program says at the end that this mail is about its reader: they were named, asked or given something.
fn names_reader(body: &str) -> bool {
    const SAID: [&str; 4] = [
        "because you were mentioned",
        "because your review was requested",
        "because you were assigned",
        "because you are mentioned",
    ];
    let from = body.ceil_char_boundary(body.len().saturating_sub(FOOTER));
    let end = body.get(from..).unwrap_or_default().to_lowercase();
    SAID.iter().any(|said| end.contains(said))
}

/// What the scorer of requests sees of a mail, for its training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskExample {
    pub facts: Vec<bool>,
    /// Hashed words and pairs of words.
    pub words: Vec<u16>,
    /// The sender's address.
    pub sender: String,
}

/// A mail as the scorer of requests is trained on it. `None`: these bytes are no mail, or a program's.
pub fn ask_example(bytes: &[u8], owner: &OwnerIdentity<'_>) -> Option<AskExample> {
    let mail = eml::parse(bytes).ok()?;
    let seen = SeenMail::look(&mail, owner);
    (!seen.standing.automatic).then(|| AskExample {
        facts: ask_features(&seen.scan, seen.standing).to_vec(),
        words: seen.scan.lexicon,
        sender: mail.from,
    })
}

/// What the gate sees of a mail, for its training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateExample {
    /// The sender's address and name: mails of one sender are not taught and asked apart.
    pub sender: String,
    /// Of the text, without the words that were to be left out.
    pub features: Vec<u16>,
    /// Signs of the head, a bit each.
    pub signs: u32,
    /// What its score must be for spam, with its head and by its text alone, in 65536ths of a logit.
    pub threshold: i64,
    pub threshold_alone: i64,
}

/// A mail as the gate is trained on it. `skip` names words that are not to be learned.
pub fn gate_example(bytes: &[u8], skip: &dyn Fn(&str) -> bool) -> Option<GateExample> {
    let mail = eml::parse(bytes).ok()?;
    let nobody = OwnerIdentity {
        names: &[],
        addresses: &[],
    };
    let seen = SeenMail::look(&mail, &nobody);
    Some(GateExample {
        features: super::spam_gate::gate_features_without(&seen.subject.text, &seen.text.text, skip),
        sender: [mail.from.as_str(), " ", &mail.sender].concat(),
        signs: mail.origin.signs,
        threshold: SPAM_AT + margin(&mail.origin, seen.standing.automatic),
        threshold_alone: SPAM_AT + margin(&MailOrigin::default(), false),
    })
}
