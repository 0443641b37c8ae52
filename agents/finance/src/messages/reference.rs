//! The bank's number of a payment, and how it was paid.
//!
//! What: [`find_reference`] and [`find_channel`]. Why: a reference tells two equal payments of a day apart. Not here: who was paid
//! (`payee`).

use super::{
    payee::{FoundPlaces, is_address},
    text::{MessageText, TextSpan, TokenKind},
    word_lists::{BEFORE_NUMBER, REFERENCE_WORDS},
};

/// How a payment was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageChannel {
    Upi,
    Card,
    Cheque,
    CashMachine,
    StandingOrder,
    Wallet,
    Transfer,
}

/// The bank's number of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceSlot {
    /// As written.
    pub number: String,
    pub place: TextSpan,
}

/// Digits of a number by which India's payment networks know a payment: it needs no word but the network's.
const NETWORK_DIGITS: usize = 12;

/// Words of a reference.
fn reference_word(word: &str) -> bool {
    REFERENCE_WORDS.contains(&word)
}

/// `Ref119`, without anything between.
fn joined(text: &MessageText, at: usize) -> Option<ReferenceSlot> {
    if text.kind(at) != TokenKind::Mixed {
        return None;
    }
    let head = ["refno", "ref", "utr", "rrn"].into_iter().find(|head| {
        let digits = text.low(at).strip_prefix(head).unwrap_or_default();
        digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit())
    })?;
    let place = text.span(at, at + 1);
    let place = TextSpan {
        start: place.start + head.len(),
        ..place
    };
    Some(ReferenceSlot {
        number: text.written_at(place).to_owned(),
        place,
    })
}

/// The bank's number of the payment.
pub(super) fn find_reference(text: &MessageText, places: &FoundPlaces<'_>) -> Option<ReferenceSlot> {
    let slot = |at: usize| {
        // "PP261103.1412.A12345".
        let mut to = at + 1;
        while text.is_sign(to, &['.'])
            && !text.is_spaced(to)
            && !text.is_spaced(to + 1)
            && matches!(text.kind(to + 1), TokenKind::Number | TokenKind::Mixed)
        {
            to += 2;
        }
        let place = text.span(at, to);
        ReferenceSlot {
            number: text.written_at(place).to_owned(),
            place,
        }
    };
    // M-Pesa's code opens the message.
    let first = text.raw(0);
    let code = (8..=12).contains(&first.len())
        && first
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && first.bytes().any(|b| b.is_ascii_digit());
    if code
        && text.kind(0) == TokenKind::Mixed
        && (text.low(1) == "confirmed" || text.is_sign(1, &['.', ' ', ':']))
    {
        return Some(slot(0));
    }
    let mut weak = None;
    for at in 0..text.len() {
        if text.is_cut(at) {
            continue;
        }
        if let Some(joined) = joined(text, at) {
            return Some(joined);
        }
        if text.kind(at) != TokenKind::Word {
            continue;
        }
        let word = text.low(at);
        let upi = matches!(word, "upi" | "imps" | "neft" | "rtgs");
        if !upi && !reference_word(word) {
            continue;
        }
        let sure = matches!(
            word,
            "ref" | "refno" | "reference" | "utr" | "rrn" | "refid" | "txnid" | "referenz" | "trxnid"
        );
        let mut next = at + 1;
        for _ in 0..8 {
            let skip = match text.kind(next) {
                TokenKind::Sign(sign) => matches!(sign, ':' | '.' | '/' | '-' | '#' | '('),
                TokenKind::Word => BEFORE_NUMBER.contains(&text.low(next)),
                TokenKind::Line => sure,
                TokenKind::Mixed => matches!(text.low(next), "p2a" | "p2m"),
                TokenKind::Number | TokenKind::Address | TokenKind::Link => false,
            };
            if !skip {
                break;
            }
            next += 1;
        }
        let value = text.low(next);
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        let plain = matches!(text.kind(next), TokenKind::Number | TokenKind::Mixed)
            && !value.contains(['.', ','])
            && value.len() <= 35;
        if plain && next > at + 1 && !places.has(next) {
            if sure && digits >= 3 {
                return Some(slot(next));
            }
            if digits >= 6 && weak.is_none() {
                weak = Some(slot(next));
            }
        } else if plain && sure && digits >= 3 && !places.has(next) {
            return Some(slot(next));
        } else if plain && upi && digits == NETWORK_DIGITS && weak.is_none() && !places.has(next) {
            weak = Some(slot(next));
        }
    }
    weak
}

/// How the payment was made.
pub(super) fn find_channel(text: &MessageText, card: bool) -> Option<MessageChannel> {
    let mut found = None;
    let rank = |channel: MessageChannel| match channel {
        MessageChannel::CashMachine => 7,
        MessageChannel::Upi => 6,
        MessageChannel::StandingOrder => 5,
        MessageChannel::Cheque => 4,
        MessageChannel::Wallet => 3,
        MessageChannel::Transfer => 2,
        MessageChannel::Card => 1,
    };
    for at in 0..text.len() {
        if text.is_cut(at) {
            continue;
        }
        let word = text.low(at);
        let next = text.low(at + 1);
        let channel = match word {
            "atm" | "geldautomat" | "cashpoint" => Some(MessageChannel::CashMachine),
            "cash" if matches!(next, "withdrawal" | "withdrawn") => Some(MessageChannel::CashMachine),
            "upi" | "vpa" => Some(MessageChannel::Upi),
            "cheque" | "chq" | "scheck" => Some(MessageChannel::Cheque),
            "autopay" | "mandate" | "nach" | "ach" | "ecs" | "dauerauftrag" | "lastschrift" | "umrn"
            | "e-mandate" | "autopayment" => Some(MessageChannel::StandingOrder),
            "standing" if matches!(next, "instruction" | "order" | "instructions") => {
                Some(MessageChannel::StandingOrder)
            }
            "direct" if next == "debit" => Some(MessageChannel::StandingOrder),
            "wallet" | "m-pesa" | "mpesa" | "momo" | "pesa" => Some(MessageChannel::Wallet),
            "neft" | "imps" | "rtgs" | "sepa" | "überweisung" | "zelle" | "ach-credit" | "fps" => {
                Some(MessageChannel::Transfer)
            }
            _ => is_address(text, at).then_some(MessageChannel::Upi),
        };
        if let Some(channel) = channel
            && found.is_none_or(|old| rank(channel) > rank(old))
        {
            found = Some(channel);
        }
    }
    found.or(card.then_some(MessageChannel::Card))
}
