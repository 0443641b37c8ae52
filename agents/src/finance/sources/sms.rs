//! Messages of Indian banks.
//!
//! What: [`parse`], a message to what it tells: by the first shape that fits, else put together from its parts. Why: banks write
//! a payment in a few ways, which change. Not here: the shapes (`shapes`), senders (`sender`), what amounts and dates mean
//! (`amount`, `fields`), statements, languages other than English.

use super::{
    super::code,
    currency::CurrencySymbol,
    fields::speaks_of_fee,
    sender,
    shapes::{MoneyDirection, SHAPES, expanded},
};
use crate::shared::SkipCode;
use regex::{Captures, Regex};
use std::sync::LazyLock;
use toolcall_schema::signal::Direction;

/// The longest message that is looked at, in bytes: ten concatenated SMS.
const MAX_BODY: usize = 1600;
/// The longest payee, in characters: what is longer is no name.
const MAX_PAYEE: usize = 80;

/// What a text says, not yet judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SmsPayment {
    /// As written.
    pub(super) amount: String,
    /// ISO 4217.
    pub(super) currency: String,
    /// Four digits.
    pub(super) account_last4: String,
    /// Debit or credit.
    pub(super) direction: Direction,
    /// As written; empty when nobody is named.
    pub(super) payee: String,
    /// As written.
    pub(super) date: Option<String>,
    /// As written.
    pub(super) reference: Option<String>,
}

/// One sentence of what is not a payment although it looks like one.
const NOT_PAID: &str = r"(?-u:\b)(?:otp|one time password|declined|failed|unsuccessful|unpaid|bounced|dishonou?red|insufficient|could not be|not (?:been )?(?:processed|completed)|unable|scheduled|mandate (?:is |has been )?(?:created|registered|cancelled)|will be (?:debited|credited)|has requested|is due|due on)(?-u:\b)";

/// What was taken back: a payment only where it says that the money came back.
const REVERSED: &str = r"(?-u:\b)revers(?:ed|al)(?-u:\b)";

/// The bank's number of a payment.
const REFERENCE: &str = r"(?:(?-u:\b)(?:upi[ :/]*)?(?:refno|ref|reference|utr|rrn)[ .:#/-]*(?:no[ .:]*)?|(?-u:\b)upi:|(?-u:\b)upi/(?:p2[am]/|dr/|cr/)?)(?P<ref>[a-z]{0,8}[0-9]{3,22})(?-u:\b)";

static NOT_A_PAYMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(NOT_PAID).ok());
static TAKEN_BACK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(REVERSED).ok());
static REF: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(REFERENCE).ok());
static PARTS: LazyLock<Option<SmsPatterns>> = LazyLock::new(SmsPatterns::new);
static PAYEE: LazyLock<Option<PayeeWords>> = LazyLock::new(PayeeWords::new);

/// A message as it was written, and in small letters, in which everything is looked for. Both have the same bytes but for the
/// letters A to Z.
struct SmsText {
    written: String,
    lower: String,
}

impl SmsText {
    /// One space for any white space, so that line breaks and no-break spaces do not matter.
    fn new(body: &str) -> Self {
        let written = body.split_whitespace().collect::<Vec<_>>().join(" ");
        let lower = written.to_ascii_lowercase();
        Self { written, lower }
    }

    /// What was found, as it was written.
    fn group(&self, found: &Captures<'_>, name: &str) -> Option<String> {
        found
            .name(name)
            .and_then(|group| self.written.get(group.range()))
            .map(str::to_owned)
    }
}

/// Reads one message.
///
/// # Errors
/// [`code::NOT_A_PAYMENT`] when no bank sent it, another bank's wording stands in it, or no shape fits.
pub(super) fn parse(from: &str, body: &str) -> Result<SmsPayment, SkipCode> {
    let bank = sender::bank_of(from)
        .filter(|_| body.len() <= MAX_BODY)
        .ok_or(code::NOT_A_PAYMENT)?;
    let text = SmsText::new(body);
    let is = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|r| r.is_match(&text.lower));
    if is(&NOT_A_PAYMENT) || !bank.agrees(&text.lower) {
        return Err(code::NOT_A_PAYMENT);
    }
    let taken_back = is(&TAKEN_BACK);
    SHAPES
        .iter()
        .find_map(|shape| {
            let pattern = shape.pattern_for(&text.lower)?;
            payment_from_captures(shape.way, &pattern.captures(&text.lower)?, &text)
        })
        .map(|told| named(told, &text))
        .or_else(|| PARTS.as_ref()?.read(&text))
        .filter(|told| !taken_back || told.direction == Direction::Credit)
        .ok_or(code::NOT_A_PAYMENT)
}

fn payment_from_captures(way: MoneyDirection, found: &Captures<'_>, text: &SmsText) -> Option<SmsPayment> {
    let group = |name: &str| text.group(found, name);
    let direction = match (way, group("verb")) {
        (MoneyDirection::Debit, _) => Direction::Debit,
        (MoneyDirection::Credit, _) => Direction::Credit,
        (MoneyDirection::Said, Some(verb)) if verb.eq_ignore_ascii_case("credited") => Direction::Credit,
        (MoneyDirection::Said, _) => Direction::Debit,
    };
    let payee = group("payee").unwrap_or_default();
    if payee.chars().count() > MAX_PAYEE {
        return None;
    }
    Some(SmsPayment {
        amount: group("amt").or_else(|| group("num"))?,
        currency: currency(found),
        account_last4: group("acc")?,
        direction,
        payee,
        date: group("date"),
        reference: reference(text),
    })
}

/// A shape that names nobody may leave somebody unnamed; what the bank charges has no payee.
fn named(told: SmsPayment, text: &SmsText) -> SmsPayment {
    if !told.payee.is_empty() || speaks_of_fee(&text.written) {
        return told;
    }
    SmsPayment {
        payee: payee(text),
        ..told
    }
}

/// The currency of an amount; rupees where it names none.
fn currency(found: &Captures<'_>) -> String {
    found
        .name("cur")
        .and_then(|written| CurrencySymbol::parse(written.as_str())?.usual())
        .unwrap_or_else(|| "INR".to_owned())
}

fn reference(text: &SmsText) -> Option<String> {
    let found = REF.as_ref()?.captures(&text.lower)?;
    text.group(&found, "ref")
}

/// What says which way money went: of a message, the first.
const DEBITS: &str = r"debit(?:ed)?|dr|deducted|spent|paid|sent|used|charged|transferred|withdrawn|purchase|payment|txn|transaction|levied|recovered";
const CREDITS: &str = r"credited|cr|received|deposited|refund(?:ed)?|revers(?:ed|al)|returned";

/// Words behind which a payee stands, where one ends, and what is none: the owner's own account and card, and the bank.
const BEHIND: &str = r"(?-u:\b)(?:to|at|from|by|towards|and|info: ?(?:bil\*)?|upi/(?:p2[am]/)?[0-9a-z_]+/|(?:neft|imps) ?(?:cr|dr)?-[0-9a-z_]+-|upi:[0-9]+,) ?(?:vpa )?";
const NAMED: &str = r"^(?P<payee>[0-9a-z\x{80}-\x{10FFFF}][^;]*?)(?:\.(?: |$)|[;,(/]| -|-[a-z]{2,}| (?:on|from|in|with|via|to|by|for|as|ref|refno|umrn|upi|avl|aval|bal|is|has|credited|not you|if not|call|axis|hdfc|icici|sbi|kotak|pnb|indusind|bob|yes|idfc|au|rbl)(?-u:\b)|$)";
const OWN: &str = r"^(?:a/?c|acct|account|card|your?|my|the|transfer|cr(?-u:\b)|hdfc|sbi|icici|axis|kotak|pnb|indusind|bob|bank|yes bank|idfc|au(?-u:\b)|rbl|inr|rs)(?-u:\b)";

/// What a payee is found by.
struct PayeeWords {
    behind: Regex,
    named: Regex,
    own: Regex,
}

impl PayeeWords {
    fn new() -> Option<Self> {
        Some(Self {
            behind: Regex::new(BEHIND).ok()?,
            named: Regex::new(NAMED).ok()?,
            own: Regex::new(OWN).ok()?,
        })
    }
}

/// Whoever is named first and is not the owner's own bank; empty when nobody is.
fn payee(text: &SmsText) -> String {
    let Some(words) = PAYEE.as_ref() else {
        return String::new();
    };
    words
        .behind
        .find_iter(&text.lower)
        .find_map(|word| {
            let rest = text.lower.get(word.end()..)?;
            if words.own.is_match(rest) {
                return None;
            }
            let range = words.named.captures(rest)?.name("payee")?.range();
            let payee = text.written.get(word.end()..)?.get(range)?;
            (payee.chars().count() <= MAX_PAYEE).then(|| payee.trim().to_owned())
        })
        .unwrap_or_default()
}

/// What a message of no known shape is put together from.
struct SmsPatterns {
    amount: Regex,
    account: Regex,
    date: Regex,
    verb: Regex,
}

impl SmsPatterns {
    fn new() -> Option<Self> {
        let fragment = |text: &str| Regex::new(&expanded(text)).ok();
        Some(Self {
            amount: fragment("(?P<before>.{0,16}?)<AMT>")?,
            account: fragment("<ACC>")?,
            date: fragment("<DATE>")?,
            verb: Regex::new(&format!(
                r"(?-u:\b)(?:(?P<debit>{DEBITS})|(?P<credit>{CREDITS}))(?-u:\b)"
            ))
            .ok()?,
        })
    }

    /// An amount that is no balance, an account, and a word that says which way: without one of these, no payment.
    fn read(&self, text: &SmsText) -> Option<SmsPayment> {
        let amount = self.amount.captures_iter(&text.lower).find(|found| {
            let before = found.name("before").map_or("", |m| m.as_str());
            !["bal", "limit", "lmt", "due", "up to"]
                .iter()
                .any(|word| before.contains(word))
        })?;
        let verb = self.verb.captures(&text.lower)?;
        let way = if verb.name("debit").is_some() {
            Direction::Debit
        } else {
            Direction::Credit
        };
        let account = self.account.captures(&text.lower)?;
        Some(SmsPayment {
            amount: text.group(&amount, "amt")?,
            currency: currency(&amount),
            account_last4: text.group(&account, "acc")?,
            direction: way,
            payee: payee(text),
            date: self
                .date
                .captures(&text.lower)
                .and_then(|found| text.group(&found, "date")),
            reference: reference(text),
        })
    }
}

/// Whether no expression of this file is missing for being wrong.
#[cfg(test)]
pub(super) fn all_compile() -> bool {
    SHAPES.iter().all(|shape| shape.pattern().is_some())
        && NOT_A_PAYMENT.is_some()
        && TAKEN_BACK.is_some()
        && REF.is_some()
        && PARTS.is_some()
        && PAYEE.is_some()
}
