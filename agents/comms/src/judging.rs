//! What a mail is to its owner.
//!
//! What: [`judge_mail`], from a mail, its owner and what is known of its sender to [`MailJudgement`], and [`judge_bytes`] for whoever measures
//! it (`agents/judge`): one way for both. Why: head before words, spam before wishes, and every class with its evidence. Not
//! here: the gate (`spam_gate`, `spam_look`), the facts of a text (`mail_class`), the head (`mail::headers`), chats (`intent`).
//!
//! The order is that of `docs/agents/comms.md`; the classes map to the machine's intents as `docs/adr/0076-how-mail-is-judged.md` says.

pub use super::standing::{OwnerIdentity, SenderStanding};
use super::{
    classifier::likelihood,
    mail_class::{
        MailScorer, MailScores, MailStanding, asks_owner, is_put_to_reader, mail_scores, speaks_to_all,
    },
    mail_cues::MailCue,
    mail_settled::PlainText,
    mail_vocabulary::VOCABULARY,
    message::RequestVerb,
    seen_mail::{SeenMail, names_reader},
    spam_gate::{ONE, SpamScore, is_tagged, spam_score},
    spam_look::{SpamLook, threshold},
};
use agents_base::mail::{
    eml::{self, ParsedMail},
    headers::{AutomaticSign, SenderProof},
};
use std::cell::LazyCell;
pub use toolcall_schema::catalogue::comms::MessageClass;
use toolcall_schema::{
    catalogue::comms::{EVIDENCE_MAX, EvidenceCode, Intent},
    milli::Milli,
};

/// From this on somebody asks for something, …
const ASKS_AT: i64 = -ONE / 2;
/// … a payment is due, …
const BILL_AT: i64 = -ONE;
/// … a time is to be agreed on, …
const DATE_AT: i64 = -ONE;
/// … a code is carried, …
const CODE_AT: i64 = -5 * ONE / 4;
/// … a person tells many, …
const NEWS_AT: i64 = -2 * ONE;
/// … and everybody is asked.
const GROUP_AT: i64 = -ONE / 4;

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
    /// Whether a reply may be drafted for it: somebody waits, no program wrote, and the owner knows the sender, lets them through, or is the
    /// only one addressed. Nothing else decides that.
    pub may_draft: bool,
    /// Whether the receiving server says that its sender did not send it.
    pub forged: bool,
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
    seen.scan.asks_somehow() && mail_scores(&seen.scan, is).score_of(MailScorer::Asks) >= ASKS_AT
}

/// Scores of other models than this build's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelScores {
    /// Of the spam gate, in 65536ths of a logit.
    pub spam: Option<i64>,
    pub scorers: Option<MailScores>,
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
    seen.scores = scores.scorers;
    let spam = scores
        .spam
        .map_or_else(|| spam_score(&seen.gate, &mail.origin), SpamScore);
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
    let verb = first_verb(&seen.text.text);
    let spoken_to = seen.standing.in_to || seen.scan.names_owner || sender.answers_owner;
    let mention = intent == Intent::Actionable && spoken_to;
    let beyond = score - threshold(&mail.origin, seen.standing.automatic);
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
            && (sender.is_known() || (sender.let_through && !failed) || seen.may_be_answered(mail, sender, beyond)),
        forged: failed,
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

/// The first word that asks for an act, among as many as are looked at.
fn first_verb(text: &str) -> RequestVerb {
    const WORDS: usize = 300;
    let known = &*VOCABULARY;
    text.split(|c: char| !c.is_alphanumeric())
        .take(WORDS)
        .filter(|word| !word.is_empty())
        .find_map(|word| known.verb(word))
        .unwrap_or(RequestVerb::FollowUp)
}

impl SeenMail {
    /// The class of a mail that is no spam.
    fn class(&self, mail: &ParsedMail, looks: SpamLook, sender: SenderStanding) -> (MessageClass, Milli) {
        const RULE: Milli = Milli(900);
        let (scan, is) = (&self.scan, self.standing);
        let scores = self.scores.unwrap_or_else(|| mail_scores(scan, is));
        let score = |scorer| scores.score_of(scorer);
        if score(MailScorer::Code) >= CODE_AT {
            return (MessageClass::Code, likelihood(score(MailScorer::Code)));
        }
        // A program says below that the owner was mentioned, assigned or asked: that they wait is its words, not the text's.
        let relayed = is.automatic && names_reader(mail.body());
        if looks == SpamLook::Doubtful && !sender.is_known() && !relayed {
            let class = if is.automatic || is.list {
                MessageClass::News
            } else {
                MessageClass::Talk
            };
            return (class, Milli(500));
        }
        // A person who names a sum and a day, and neither a bill nor what is owed, tells what something cost.
        let desk = is.automatic || is.business;
        let owed = desk || scan.has(MailCue::Bill) || scan.has(MailCue::Due);
        // Most mails are decided without it.
        let plain = LazyCell::new(|| PlainText::new(&self.subject.text, &self.text.text));
        if owed && score(MailScorer::Bill) >= BILL_AT {
            // Who has nothing to pay has nothing to do.
            if !plain.is_paid_by_itself() {
                return (MessageClass::Bill, likelihood(score(MailScorer::Bill)));
            }
            if desk {
                return (MessageClass::News, RULE);
            }
        }
        let told_many = is.list || is.unsubscribe || scan.count(MailCue::Newsletter) > 1;
        let is_filed = || !told_many && plain.names_filing();
        let is_due = || scan.amount && plain.names_due_day() || plain.names_expiry() || is_filed();
        if desk && !scan.has(MailCue::Settled) && is_due() {
            return (MessageClass::Bill, RULE);
        }
        if mail.accepts {
            return (MessageClass::News, RULE);
        }
        if mail.invites && !is.reply {
            return (MessageClass::Date, RULE);
        }
        if is.automatic {
            let carries = || is.alone && !is.list && (scan.has(MailCue::Relays) || plain.relays());
            return if score(MailScorer::Date) >= DATE_AT && !plain.is_fixed() {
                (MessageClass::Date, likelihood(score(MailScorer::Date)))
            } else if relayed || carries() {
                // A program tells that a person waits.
                (MessageClass::NeedsYou, RULE)
            } else {
                (MessageClass::News, RULE)
            };
        }
        let asks = score(MailScorer::Asks);
        let taught = i64::from(sender.taught.clamp(-1000, 1000)) * ONE / 1000;
        // What a server brought without any addressee goes to nobody knows how many, unless it speaks to the owner by name.
        // So does what lost its head on the way but not the list's tag in its subject.
        let to_nobody = mail.origin.received || is_tagged(&mail.subject);
        let by_name = !to_nobody || scan.greets_owner || scan.names_owner;
        let in_to = is.in_to || (is.addressees == 0 && by_name);
        let asked = asks + taught >= if scan.asks_somehow() { ASKS_AT } else { ONE };
        // Short thanks to the owner alone look like a request in all but their words.
        let asked = asked && !scan.wants_nothing();
        let timed = score(MailScorer::Date) >= DATE_AT;
        // Who answers the owner, and asks.
        let put = is.in_to && is.reply && !speaks_to_all(scan, is) && is_put_to_reader(scan);
        if asked || put || (scan.asks_plainly() && in_to) || (scan.asks_in_subject() && is.alone && !is.reply)
        {
            // Who answers the owner through a list asks the owner.
            let answered = sender.answers_owner && !speaks_to_all(scan, is);
            // What names nobody and came without a server was handed to the owner.
            let handed = is.addressees == 0 && by_name && !is.list && !speaks_to_all(scan, is);
            let mine = score(MailScorer::Group) < GROUP_AT && (in_to || asks_owner(scan, is, in_to))
                || (is.alone && !is.list)
                || handed
                || put;
            // Asked of the one it goes to, with the owner in copy: the others only read it.
            let overheard = is.in_cc && !in_to && !is.list && !scan.names_owner && !speaks_to_all(scan, is);
            if overheard && !(mine || answered) {
                return (MessageClass::Talk, RULE);
            }
            let class = if !(mine || answered) {
                MessageClass::Group
            } else if timed {
                MessageClass::Date
            } else {
                MessageClass::NeedsYou
            };
            return (class, likelihood((asks + taught).max(0)));
        }
        // Who answers and says yes waits for nothing.
        let agreed = || is.reply && !scan.asks_question() && plain.agrees();
        if timed && is.in_to && !agreed() {
            return (MessageClass::Date, likelihood(score(MailScorer::Date)));
        }
        let told = score(MailScorer::News) >= NEWS_AT;
        let class = if told {
            MessageClass::News
        } else {
            MessageClass::Talk
        };
        (class, likelihood(-asks - taught))
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
