//! What is made of a score of spam.
//!
//! What: [`SpamLook`], and the threshold that a mail must pass, [`threshold`]. Why: ham called spam is far worse than spam counted, so what goes to
//! many and says so is believed longer. Not here: the score (`spam_gate`), the class (`judging`).

use super::{mail_cues::MailCue, seen_mail::SeenMail, spam_gate::ONE, standing::SenderStanding};
use crate::mail::{
    eml::ParsedMail,
    headers::{HeadSign, MailOrigin, SenderProof},
};

/// From this score on a mail is spam: below even, because spam has a page of its own and is lost to nobody.
const SPAM_AT: i64 = -ONE / 4;
/// So much below it a stranger's mail is still never counted, named or drafted for, unless it is plain ([`SeenMail::is_plain`]).
const DOUBT: i64 = 13 * ONE / 4;
/// What a plain mail must score at least beyond the threshold: there is little in it to go by.
const PLAIN: i64 = 2 * ONE;

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
        let at = threshold(origin, seen.standing.automatic);
        let at = if plain { at.max(SPAM_AT + PLAIN) } else { at };
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

/// The score from which on a mail is spam: more where it goes to many and says so, because an unwanted newsletter is news; more where a firm wrote;
/// where there is no head to speak against the text; and for a mail of today, because the gate has learned the heads of 2002. Whether
/// somebody stands by the mail is no matter of the threshold: the gate weighs that sign by sign.
pub(super) fn threshold(origin: &MailOrigin, automatic: bool) -> i64 {
    let announced = automatic || origin.is_announced();
    let margin = match (origin.received, origin.modern) {
        (false, _) => 2 * ONE,
        (true, true) if announced || origin.business => 5 * ONE / 2,
        (true, true) => 3 * ONE / 2,
        (true, false) if announced => 4 * ONE,
        (true, false) if origin.business => 7 * ONE / 4,
        (true, false) => 0,
    };
    SPAM_AT + margin
}
