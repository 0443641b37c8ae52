//! What is made of a score of spam.
//!
//! What: [`SpamLook`], and the threshold that a mail must pass, [`threshold`]. Why: ham called spam is far worse than spam counted, so whoever stands by a
//! mail is believed longer. Not here: the score (`spam_gate`), the class (`judging`).

use super::{mail_cues::MailCue, seen_mail::SeenMail, spam_gate::ONE, standing::SenderStanding};
use agents_base::mail::{
    eml::ParsedMail,
    headers::{HeadSign, MailOrigin, SenderProof},
};

/// From this score on a mail is spam: below even, because spam has a page of its own and is lost to nobody.
const SPAM_AT: i64 = -ONE / 4;
/// So much below it a stranger's mail is still never counted, named or drafted for, unless it is plain ([`SeenMail::is_plain`]).
const DOUBT: i64 = 13 * ONE / 4;
/// What a plain mail must score at least beyond the threshold: there is little in it to go by.
const PLAIN: i64 = 2 * ONE;

/// What a program that carries a person's words must score at least beyond the threshold.
const CARRIED: i64 = 5 * ONE / 2;

/// What the gate makes of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpamLook {
    Clean,
    /// A stranger's that may be spam: it is told, but nothing is made of it.
    Doubtful,
    Spam,
}

impl SpamLook {
    pub(super) fn of_mail(mail: &ParsedMail, seen: &SeenMail, sender: SenderStanding, score: i64) -> Self {
        let origin = &mail.origin;
        if sender.is_known() && origin.proof != SenderProof::Fail {
            return Self::Clean;
        }
        let plain = seen.is_plain(origin);
        let margin = margin(origin, seen.standing.automatic);
        let at = SPAM_AT + margin.max(if plain { PLAIN } else { 0 });
        let spam_at = if plain {
            at
        } else {
            at + lean(origin, seen.standing.automatic)
        };
        // A program that proves who it is and carries a person's words, or says that somebody shared a file, lets answers go to that person, and its
        // words are like a fraud's.
        let shares = seen.scan.has(MailCue::Shares) && seen.scan.count(MailCue::Pitch) < 2;
        let carries = seen.standing.automatic
            && (seen.scan.has(MailCue::Relays) || shares)
            && origin.proof == SenderProof::Pass;
        let elsewhere = origin.has(HeadSign::ReplyElsewhere) && !carries;
        let odd = origin.has(HeadSign::FakeReply) || elsewhere;
        let spam_at = if carries { spam_at + CARRIED } else { spam_at };
        if origin.upstream_spam || score >= spam_at {
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

/// The score from which on a mail is spam.
pub(super) fn threshold(origin: &MailOrigin, automatic: bool) -> i64 {
    SPAM_AT + margin(origin, automatic) + lean(origin, automatic)
}

/// What servers of old leave to be said of a mail: what goes to many and says so is believed a logit longer, and what says nothing of the kind and
/// has nobody who stands by it a logit less. Neither moves the line from which a stranger is doubted.
fn lean(origin: &MailOrigin, automatic: bool) -> i64 {
    if origin.modern || !origin.received {
        0
    } else if automatic || origin.is_announced() {
        ONE
    } else if origin.stands_by() == 0 && !origin.business && !origin.has(HeadSign::Answers) {
        -ONE
    } else {
        0
    }
}

/// What a mail must score beyond the threshold of spam: more where its sender stands by it, and more again where it goes to many and says so,
/// because an unwanted newsletter is news; where there is no head to speak against the text; and for a mail of today, because the gate
/// has learned the spam of 2002.
fn margin(origin: &MailOrigin, automatic: bool) -> i64 {
    if !origin.received {
        return 2 * ONE;
    }
    let to_many = automatic || origin.is_announced() || origin.business;
    let margin = match (to_many, origin.stands_by()) {
        (true, 2..) => 3 * ONE,
        (true, 1) => 2 * ONE,
        (true, 0) if automatic || origin.is_announced() => 2 * ONE,
        (false, 2..) => ONE,
        (true | false, _) => 0,
    };
    if origin.modern {
        if to_many { 5 * ONE / 2 } else { 3 * ONE / 2 }
    } else {
        margin
    }
}
