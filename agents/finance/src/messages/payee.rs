//! Whom a message names.
//!
//! What: [`find_payee`], the best of all that stand behind `to`, `at`, `from`, a label or a payment address. Why: a name is what no list has, so it is found by what stands around it. Not here: the name as it is
//! known (`category`).

use super::{
    accounts::FoundAccount,
    between_signs::{
        before_amount, behind_account, between, credited_before, hindi_before, is_subject_verb,
        subject_before, title, title_over_sum, whole_line,
    },
    dates::{TokenRange, month},
    name_letters::{is_glue, leaves_capitals},
    narration::{label_value, path, segment},
    no_names::{is_cash_paid_in, is_fee_word, is_generic, is_how_word, is_month, says_name},
    shop_town::without_town,
    text::{MessageText, TextSpan, TokenKind},
    word_lists::{BEHIND_AND, BEHIND_NEW, INFINITIVES, NAME_ENDS, NO_NAMES, SEGMENT_ENDS, TITLES},
    words::{VerbStrength, is_account_word, is_bank_word, is_card_word, is_giving, is_own_filler, verb},
};
use toolcall_schema::signal::Direction;

/// Words behind which an account is not the one that was meant before.
const NAME_ENDS_BEFORE: &[&str] = &["to", "on", "for", "and", "via", "by", "at"];

/// The longest payee, in words and in characters: what is longer is no name.
pub(super) const MAX_WORDS: usize = 9;
const MAX_PAYEE: usize = 80;

/// Whom a message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayeeSlot {
    /// As written, normalized.
    pub name: String,
    pub place: TextSpan,
}

/// The places of what is found already.
pub(super) struct FoundPlaces<'a> {
    pub(super) taken: &'a [TokenRange],
    pub(super) accounts: &'a [FoundAccount],
}

impl FoundPlaces<'_> {
    pub(super) fn has(&self, at: usize) -> bool {
        self.taken.iter().any(|range| range.has(at)) || self.account(at)
    }

    pub(super) fn account(&self, at: usize) -> bool {
        self.accounts.iter().any(|account| account.range.has(at))
    }
}

/// A payee that may be the one.
struct PayeeCandidate {
    points: i32,
    at: usize,
    name: String,
    place: TextSpan,
}

/// Whoever is named best by `sender`, for a payment in this direction whose amount begins at `sum`.
pub(super) fn find_payee(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    way: Direction,
    sum: usize,
    sender: &str,
) -> Option<PayeeSlot> {
    let main = text.sentence(sum);
    let credit = match way {
        Direction::Credit | Direction::Refund => true,
        Direction::Debit | Direction::Fee => false,
    };
    if credit && is_cash_paid_in(text) {
        return None;
    }
    let mut found: Vec<PayeeCandidate> = Vec::new();
    for at in 0..text.len() {
        if text.is_cut(at) || places.has(at) {
            continue;
        }
        let mut add = |points: i32, read: Option<(String, TextSpan)>| {
            if let Some((name, place)) = read {
                let later = i32::try_from(text.sentence(at).abs_diff(main).min(5)).unwrap_or(0);
                found.push(PayeeCandidate {
                    points: points - 2 * later,
                    at,
                    name,
                    place,
                });
            }
        };
        if at == 0 {
            add(26, title(text, places, sender));
            add(75, title_over_sum(text, places, sum, sender));
        }
        add(63, behind_account(text, places, at, credit));
        let word = text.low(at);
        match text.kind(at) {
            // In parentheses behind a name it is that name's.
            TokenKind::Address => {
                let named = at.checked_sub(2).is_some_and(|before| {
                    text.is_sign(at - 1, &['('])
                        && text.kind(before) == TokenKind::Word
                        && text.raw(before).starts_with(char::is_uppercase)
                });
                // "Your VPA a@b is debited and credited to c@d".
                let own = (1..=3)
                    .filter_map(|back| at.checked_sub(back))
                    .take_while(|before| !matches!(text.low(*before), "to" | "and"))
                    .any(|before| matches!(text.low(before), "your" | "ur" | "my"));
                // "UMN 3fa9@bank": a mandate's number.
                let mandate = matches!(text.low(at.wrapping_sub(1)), "umn" | "urn");
                // "to NAME a@b": whoever is named before it has it.
                let led = at
                    .checked_sub(1)
                    .is_some_and(|before| is_named_word(text, places, before));
                let points = if named || own || mandate || led { 20 } else { 72 };
                add(points, addressee(text, places, at));
            }
            TokenKind::Sign('@') if text.is_spaced(at) || places.has(at.wrapping_sub(1)) => {
                // "Paid to NAME @ Online Banking": how, where somebody is named before.
                let given = (1..at).any(|to| {
                    text.low(to) == "to"
                        && text.sentence(to) == text.sentence(at)
                        && is_giving(text.low(to - 1))
                        && !text.is_cut(to)
                });
                add(if given { 40 } else { 70 }, name_behind(text, places, at + 1));
            }
            TokenKind::Word => {
                if at > 0 && places.has(at - 1) {
                    add(22, between(text, places, at));
                }
                if let Some(points) = label(text, at) {
                    add(points, label_value(text, places, at));
                }
                if let Some(read) = path(text, at) {
                    add(82, Some(read));
                }
                let thanks = word == "with" && text.low(at.wrapping_sub(1)) == "banking";
                // "To manage, visit", "was used to pay Rs 5".
                let act = word == "to"
                    && text.raw(at + 1) == text.low(at + 1)
                    && INFINITIVES.contains(&text.low(at + 1));
                // "debited from NAME A/c XX1": whose account it is.
                let bank = word == "from" && !credit && leads_to_account(text, places, at + 1);
                if let Some(points) = preposition(word, credit).filter(|_| !thanks && !act && !bank) {
                    add(points + bonus(text, at), name_behind(text, places, at + 1));
                }
                // "You sent NAME £5".
                let owner = matches!(text.low(at.wrapping_sub(1)), "you" | "you've");
                if !credit && owner && matches!(word, "sent" | "paid") {
                    add(62, before_amount(text, places, at + 1));
                }
                if credit && is_subject_verb(text, at) {
                    add(66, subject_before(text, places, at));
                }
                // "NAME has been paid £5".
                if !credit && matches!(word, "has" | "was") && is_paid_behind(text, at + 1) {
                    add(66, subject_before(text, places, at));
                }
                // "NAME hat 5 EUR eingezogen".
                if word == "hat" {
                    add(50, subject_before(text, places, at));
                }
                if !credit && word == "credited" {
                    add(64, credited_before(text, places, at));
                }
                if matches!(word, "ko" | "se" | "ne" | "par" | "pe" | "dwara") {
                    let right = matches!(
                        (word, credit),
                        ("ko" | "par" | "pe", false) | ("se" | "ne" | "dwara", true)
                    );
                    // "NAME ki taraf se": from NAME.
                    let side = at.checked_sub(2).filter(|ki| {
                        matches!(text.low(*ki), "ki" | "ke")
                            && matches!(text.low(*ki + 1), "taraf" | "or" | "dwara")
                    });
                    add(
                        if right { 58 } else { 5 },
                        hindi_before(text, places, side.unwrap_or(at)),
                    );
                }
            }
            TokenKind::Line => add(28, whole_line(text, places, at + 1)),
            TokenKind::Sign(',' | ':' | ';') => add(24, between(text, places, at + 1)),
            TokenKind::Number | TokenKind::Mixed | TokenKind::Link | TokenKind::Sign(_) => {}
        }
    }
    let best = found
        .into_iter()
        .filter(|candidate| candidate.points > 15)
        .min_by_key(|candidate| (-candidate.points, candidate.at))?;
    Some(PayeeSlot {
        name: best.name,
        place: best.place,
    })
}

/// Whether a word in capitals, or that begins with one, is of a name: no bank's and none that says how.
fn is_named_word(text: &MessageText, places: &FoundPlaces<'_>, at: usize) -> bool {
    text.kind(at) == TokenKind::Word
        && !places.has(at)
        && text.raw(at).starts_with(char::is_uppercase)
        && !matches!(text.low(at), "vpa" | "id" | "to" | "from" | "by" | "for")
        && !is_how_word(text.low(at))
        && !is_bank_word(text.low(at))
        && !is_account_word(text.low(at))
}

/// Whether a few words lead to an account of the owner's: `NAME A/c XX1`.
fn leads_to_account(text: &MessageText, places: &FoundPlaces<'_>, from: usize) -> bool {
    (from + 1..from + 5)
        .take_while(|at| {
            text.sentence(*at) == text.sentence(from) && !NAME_ENDS_BEFORE.contains(&text.low(*at))
        })
        .any(|at| is_account_word(text.low(at)) && places.account(at))
        && text.kind(from) == TokenKind::Word
}

/// Whether somebody was paid: `been paid`, `paid`.
fn is_paid_behind(text: &MessageText, at: usize) -> bool {
    let been = usize::from(text.low(at) == "been");
    text.low(at + been) == "paid" && !matches!(text.low(at + been + 1), "from" | "by")
}

/// How much the word before a name says for this direction.
fn preposition(word: &str, credit: bool) -> Option<i32> {
    Some(match (word, credit) {
        ("to" | "towards" | "toward" | "an" | "at" | "bei" | "favouring" | "favoring", false) => 60,
        ("from" | "frm" | "von" | "by" | "vom", true) => 60,
        ("at" | "bei", true) => 42,
        ("for" | "für", false) => 36,
        ("with" | "mit", false) => 34,
        ("on" | "in", false) => 30,
        ("by", false) => 32,
        ("paid" | "vpa", _) => 38,
        ("via" | "through", false) => 0,
        ("to" | "towards", true) => 18,
        ("from" | "von", false) => 18,
        ("for", true) => 20,
        _ => return None,
    })
}

/// More for `to` and `at` that follow the verb, less for `to` before a verb of its own.
fn bonus(text: &MessageText, at: usize) -> i32 {
    let back = |n: usize| at.checked_sub(n).map_or("", |at| text.low(at));
    let near = (1..=2).any(|n| {
        is_giving(back(n))
            || matches!(
                back(n),
                "spent" | "purchase" | "credited" | "transfer" | "trf" | "transaction" | "payment" | "txn"
            )
    });
    i32::from(near) * 3
}

/// A label, and how much its value says.
fn label(text: &MessageText, at: usize) -> Option<i32> {
    let colon = text.is_sign(at + 1, &[':'])
        || (text.is_sign(at + 1, &['-', '.']) && text.is_sign(at + 2, &[':', '-']));
    Some(match text.low(at) {
        "merchant" | "payee" | "beneficiary" | "bene" | "sender" | "recipient" | "empfänger"
        | "auftraggeber" | "händler" | "remitter" | "paidto" | "receiver" => {
            if colon {
                90
            } else {
                62
            }
        }
        "desc" | "description" | "narration" | "narr" | "remarks" | "remark" | "location" | "details"
        | "particulars" | "loc" | "des"
            if colon =>
        {
            74
        }
        // What it was for, beside whoever is named.
        "verwendungszweck" if colon => 40,
        "info" => {
            if path_like(text, at) {
                78
            } else {
                57
            }
        }
        "to" | "from" | "at" | "by" | "wale" if colon => 80,
        _ => return None,
    })
}

/// Whether a value has the parts of a path.
fn path_like(text: &MessageText, at: usize) -> bool {
    (at + 2..at + 7)
        .take_while(|next| text.sentence(*next) == text.sentence(at))
        .any(|next| {
            (text.is_sign(next, &['/', '*']) || (next < at + 6 && text.is_sign(next, &['-'])))
                && !text.is_spaced(next)
        })
}

/// Where a segment ends: at its sentence, or at what is found already.
pub(super) fn segment_end(text: &MessageText, places: &FoundPlaces<'_>, from: usize) -> usize {
    let sentence = text.sentence(from);
    let mut to = from;
    while to < text.len()
        && text.sentence(to) == sentence
        && text.kind(to) != TokenKind::Line
        && !text.is_cut(to)
        && !places.has(to)
        && !text.is_sign(to, &[';', '('])
        && to - from < 24
    {
        if to > from && SEGMENT_ENDS.contains(&text.low(to)) && text.is_spaced(to) {
            break;
        }
        to += 1;
    }
    while to > from && text.is_sign(to - 1, &['.', ',', '-', ':']) {
        to -= 1;
    }
    to
}

/// Who has a payment address: the name that stands beside it, else the address.
fn addressee(text: &MessageText, places: &FoundPlaces<'_>, at: usize) -> Option<(String, TextSpan)> {
    let address = address(text, at)?;
    let open = usize::from(text.is_sign(at + 1, &['(']));
    let from = at + 1 + open;
    let named = text.kind(from) == TokenKind::Word
        && text.raw(from).starts_with(char::is_uppercase)
        && !is_signature(text, from);
    let (to, _) = name_end(text, places, from);
    if named && to > from && !is_fee_word(text.low(from)) {
        return cleaned(text, from, to).or(Some(address));
    }
    Some(address)
}

/// A payment address.
fn address(text: &MessageText, at: usize) -> Option<(String, TextSpan)> {
    let raw = text.raw(at);
    let (local, host) = raw.split_once('@')?;
    // A mail address of the bank's.
    if host.contains('.') || local.eq_ignore_ascii_case("help") || local.eq_ignore_ascii_case("care") {
        return None;
    }
    Some((raw.to_owned(), text.span(at, at + 1)))
}

/// Words that end a name.
pub(super) fn ends_name(text: &MessageText, at: usize, first: usize) -> bool {
    let word = text.low(at);
    let next = text.low(at + 1);
    match word {
        _ if NAME_ENDS.contains(&word) => true,
        "to" | "at" => at > first,
        "as" => true,
        "the" => at > first && matches!(next, "account" | "amount" | "available" | "balance"),
        "and" | "und" | "&" => BEHIND_AND.contains(&next),
        "new" | "current" | "closing" => BEHIND_NEW.contains(&next),
        "call" | "sms" | "info" | "block" => at > first,
        "now" => at > first,
        "dr" | "cr" => at > first && matches!(next, "amt" | "amount"),
        "just" => at > first && next == "now",
        "left" => next == "your",
        "goes" | "went" => next == "out",
        "comes" | "came" => matches!(next, "in" | "into"),
        // "an NAME von deinem Konto".
        "von" if at > first => {
            ["ihr", "dein", "mein"].iter().any(|own| next.starts_with(own)) || is_account_word(next)
        }
        // "NAME standing instruction": how it was paid, behind whom.
        "standing" => at > first && matches!(next, "instruction" | "instructions" | "order"),
        "auf" => {
            ["ihr", "dein", "mein"].iter().any(|own| next.starts_with(own))
                || matches!(next, "das" | "dem")
                || is_account_word(next)
                || is_card_word(next)
        }
        "declined" | "failed" | "rejected" => true,
        _ if at > first
            && verb(word).is_some_and(|(_, strength)| strength == VerbStrength::Strong)
            && text.raw(at) == word =>
        {
            true
        }
        "card" => at > first && !text.is_spaced(at + 1) && text.is_sign(at + 1, &['-']),
        _ => false,
    }
}

/// Whether a number and a name follow here: `agent 112233 - NAME`, `till 8841 NAME`.
fn is_numbered(text: &MessageText, at: usize) -> bool {
    let behind = at + 2 + usize::from(text.is_sign(at + 2, &['-']));
    text.kind(at) == TokenKind::Word
        && text.kind(at + 1) == TokenKind::Number
        && text.kind(behind) == TokenKind::Word
        && text.sentence(behind) == text.sentence(at)
        && !NAME_ENDS.contains(&text.low(behind))
}

/// A name that begins with this token.
pub(super) fn name_behind(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    at: usize,
) -> Option<(String, TextSpan)> {
    let mut from = at;
    // What may stand before a name.
    for _ in 0..4 {
        let filler = match text.kind(from) {
            TokenKind::Word => match text.low(from) {
                "vpa" | "merchant" | "beneficiary" | "payee" | "vendor" | "employer" | "upi_" => true,
                "your" => text.low(from + 1) == "employer",
                "the" => text.raw(from) == "the",
                "a/c" => text.phrase(from, "a/c linked to").is_some(),
                "linked" | "to" => from > at && text.low(from - 1) != "the",
                "upi" => text.is_sign(from + 1, &['_']) || text.low(from + 1) == "id",
                "id" | "name" => from > at,
                "mobile" | "number" | "no" => from > at,
                "transfer" => matches!(text.low(from + 1), "from" | "to"),
                "payment" => text.low(from + 1) == "to",
                "purchase" => text.low(from + 1) == "at",
                "from" => from > at && text.low(from - 1) == "transfer",
                // "agent 112233 - NAME": a number of theirs.
                "agent" | "till" | "paybill" | "biller" | "store" | "shop" => is_numbered(text, from),
                _ => false,
            },
            // "from 098123 - NAME": whose number it is stands behind it.
            TokenKind::Number if from == at => {
                text.low(from).len() >= 4
                    && text.is_sign(from + 1, &['-'])
                    && text.is_spaced(from + 1)
                    && text.kind(from + 2) == TokenKind::Word
            }
            TokenKind::Number => from > at && is_numbered(text, from - 1),
            TokenKind::Sign('-') => from > at && text.kind(from - 1) == TokenKind::Number,
            TokenKind::Sign('.') => !text.is_spaced(from + 1),
            TokenKind::Sign(sign) => matches!(sign, ':' | '_' | '"' | '\''),
            TokenKind::Mixed | TokenKind::Address | TokenKind::Link | TokenKind::Line => false,
        };
        if !filler {
            break;
        }
        from += 1;
    }
    if text.kind(from) == TokenKind::Address && !places.has(from) {
        return addressee(text, places, from);
    }
    // "by SALARY/NAME", "By FIP:OPY/NAME".
    if text.is_sign(from + 1, &['/', ':'])
        && !text.is_spaced(from + 1)
        && !text.is_spaced(from + 2)
        && text.low(from) != "m"
    {
        let span = text.span(from, segment_end(text, places, from));
        if let Some(name) = segment(text.written_at(span)) {
            return Some((name, span));
        }
    }
    if from >= text.len() || (verb(text.low(from)).is_some() && text.raw(from) == text.low(from)) {
        return None;
    }
    let (to, next) = name_end(text, places, from);
    if is_fee_word(text.low(next)) || text.low(next) == "branch" {
        return None;
    }
    // What leads to an account is the owner's or another bank's, no name.
    if places.account(next)
        && next == to
        && (to - from <= 5)
        && (from..to).all(|at| {
            is_own_filler(text.low(at))
                || text.kind(at) != TokenKind::Word
                || is_bank_word(text.low(at))
                || text.low(to.wrapping_sub(1)) == "bank"
        })
    {
        return None;
    }
    cleaned(text, from, to)
}

/// Where a name ends, and the token that ended it.
pub(super) fn name_end(text: &MessageText, places: &FoundPlaces<'_>, from: usize) -> (usize, usize) {
    let mut to = from;
    let mut words = 0;
    while to < text.len() && words < MAX_WORDS {
        if places.has(to) || text.is_cut(to) {
            break;
        }
        match text.kind(to) {
            TokenKind::Line | TokenKind::Address | TokenKind::Link => break,
            TokenKind::Sign(sign) => {
                let joins = !text.is_spaced(to)
                    && !text.is_spaced(to + 1)
                    && to > from
                    && to + 1 < text.len()
                    && text.kind(to + 1) != TokenKind::Line;
                let point = sign == '.' && (joins || is_short(text.low(to.wrapping_sub(1))));
                // "NAME-OUTWARD TRANSFER": how, behind who.
                let how = |at: usize| text.low(at).len() > 3 && is_how_word(text.low(at));
                let hyphen = sign == '-'
                    && joins
                    && !is_signature(text, to + 1)
                    && (!how(to + 1) || how(to.wrapping_sub(1)));
                // A name may have a slash after a letter, as in "M/S", or after a host, as in "PEAR.COM/BILL"; elsewhere a path goes on.
                let host = to > from + 1 && text.is_sign(to - 2, &['.']) && !text.is_spaced(to - 1);
                let slash = sign == '/' && joins && to > from && (text.low(to - 1).len() == 1 || host);
                let led = sign == '*' && to > from && !text.is_spaced(to + 1);
                let inner =
                    slash || led || (matches!(sign, '_' | '#' | '\'' | '+') && (joins || sign == '#'));
                let amp = sign == '&' && to > from;
                if !(point || hyphen || inner || amp)
                    || (sign == '.' && text.sentence(to) != text.sentence(to + 1) && !joins)
                {
                    break;
                }
            }
            TokenKind::Word | TokenKind::Mixed | TokenKind::Number => {
                if (ends_name(text, to, from) && !is_glue(text, places, to, from))
                    || text.sentence(to) != text.sentence(from)
                    || leaves_capitals(text, to, from)
                {
                    break;
                }
                words += 1;
            }
        }
        to += 1;
    }
    let next = to;
    while to > from && matches!(text.kind(to - 1), TokenKind::Sign(_)) {
        to -= 1;
    }
    (to, next)
}

fn is_short(word: &str) -> bool {
    TITLES.contains(&word) || (word.len() == 1 && word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a bank signs here: its name or short name up to the end of the line.
pub(super) fn is_signature(text: &MessageText, at: usize) -> bool {
    let end = (at..text.len())
        .find(|at| text.kind(*at) == TokenKind::Line || text.is_cut(*at))
        .unwrap_or(text.len());
    let mut words = (at..end)
        .filter(|at| text.kind(*at) == TokenKind::Word)
        .peekable();
    words.peek().is_some() && words.all(|at| is_bank_word(text.low(at)) || is_own_filler(text.low(at)))
}

/// A name without what is none at its ends; `None` when nothing is left that can be one.
pub(super) fn cleaned(text: &MessageText, from: usize, to: usize) -> Option<(String, TextSpan)> {
    let (mut from, mut to) = (from, to);
    while from < to
        && (matches!(text.kind(from), TokenKind::Sign(_))
            || matches!(
                text.raw(from),
                "Mr" | "Mrs" | "Ms" | "mr" | "the" | "a" | "an" | "of"
            ) && to - from > 1)
    {
        from += 1;
    }
    // "ATM KVR0231 TOWN": a machine with its number, before where it stands.
    if matches!(text.low(from), "atm" | "pos")
        && matches!(text.kind(from + 1), TokenKind::Mixed | TokenKind::Number)
        && text.low(from + 1).bytes().filter(u8::is_ascii_digit).count() >= 4
        && from + 2 < to
    {
        from += 2;
    }
    // "NIP TRANSFER TO NAME", "InfoACH*NAME": how, before who.
    let led = (from + 1..to.min(from + 4)).find(|at| text.low(*at) == "to");
    if let Some(led) = led.filter(|led| led + 1 < to && (from..*led).all(|at| is_how_word(text.low(at)))) {
        from = led + 1;
    }
    let is_info = text.low(from).strip_prefix("info").is_some_and(is_how_word);
    if is_info && text.is_sign(from + 1, &['*']) && from + 2 < to {
        from += 2;
    }
    // "D/D NAME": by a direct debit.
    if text.phrase(from, "d d").is_some() && from + 3 < to {
        from += 3;
    }
    // How it was paid, a salary's month or a telephone number, before the name.
    let begin = from;
    while from + 1 < to {
        let how = matches!(
            text.low(from),
            "ecs"
                | "nach"
                | "ach"
                | "neft"
                | "imps"
                | "rtgs"
                | "autopay"
                | "trf"
                | "vpa"
                | "vdp"
                | "frm"
                | "clg"
                | "chq"
                | "salary"
                | "sal"
                | "dividend"
                | "retailer"
        ) || (from > begin && (month(text.low(from)).is_some() || text.low(from) == "of"));
        // "Loan EMI mandate NAME".
        let how = how
            || matches!(text.low(from), "emi" | "mandate")
            || (text.low(from) == "loan" && matches!(text.low(from + 1), "emi" | "mandate"));
        let of_cheque = from > begin && text.low(from - 1) == "chq";
        let phone = text.kind(from) == TokenKind::Number && (text.low(from).len() >= 8 || of_cheque)
            || (text.kind(from) == TokenKind::Sign('-'));
        if !(how || phone) {
            break;
        }
        from += 1;
    }
    // "bill payment of NAME", "favour of NAME".
    if let Some(of) = (from + 1..to).find(|at| text.low(*at) == "of") {
        let before = |at: usize| {
            is_how_word(text.low(at))
                || text.kind(at) == TokenKind::Number
                || matches!(
                    text.low(at),
                    "favour"
                        | "favor"
                        | "bill"
                        | "terminal"
                        | "behalf"
                        | "premium"
                        | "sip"
                        | "electricity"
                        | "water"
                        | "gas"
                        | "postpaid"
                        | "prepaid"
                        | "broadband"
                        | "recharge"
                        | "subscription"
                        | "booking"
                )
        };
        if of + 1 < to && (from..of).all(before) {
            from = of + 1;
        }
    }
    // A telephone number or an account behind the name.
    while to > from + 1 {
        let last = to - 1;
        let word = text.low(last);
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let number = text.kind(last) == TokenKind::Number && (digits >= 5 || text.is_sign(last - 1, &['+']));
        let hidden = text.kind(last) == TokenKind::Mixed && digits >= 4 && word.contains('x');
        let sign = matches!(text.kind(last), TokenKind::Sign(_));
        let tail = matches!(
            word,
            "the" | "of" | "and" | "a" | "refund" | "ist" | "just" | "dbt"
        );
        // "NAME 0722****14": a telephone number with its middle hidden.
        let starred = (from + 1..last).rev().find(|at| !text.is_sign(*at, &['*']));
        let starred = starred.filter(|at| {
            text.kind(last) == TokenKind::Number && *at + 2 < last && text.kind(*at) == TokenKind::Number
        });
        if let Some(begin) = starred {
            to = begin;
            continue;
        }
        if !(number || hidden || sign || tail) {
            break;
        }
        to -= 1;
    }
    let to = without_town(text, from, to);
    if from >= to {
        return None;
    }
    let span = text.span(from, to);
    let name = text.written_at(span).trim().to_owned();
    let low = text.lower_at(span).trim();
    let first = text.low(from);
    let own = NO_NAMES.contains(&first) || is_month(text, from, to);
    (says_name(&name) && !own && !is_generic(low) && name.chars().count() <= MAX_PAYEE)
        .then_some((name, span))
}

/// Whether a payment address stands here.
pub(super) fn is_address(text: &MessageText, at: usize) -> bool {
    text.kind(at) == TokenKind::Address && address(text, at).is_some()
}
