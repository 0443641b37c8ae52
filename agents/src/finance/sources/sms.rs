//! The shapes of Indian banks' messages.
//!
//! What: [`parse`], a table of regular expressions over named fragments, tried in order. Why: most banks share a few
//! sentences, so one table serves them all and a new bank is one line. Not here: what amounts and dates mean
//! (`fields`), statements, languages other than English.

use super::super::code;
use crate::shared::SkipCode;
use regex::{Captures, Regex};
use std::sync::LazyLock;
use toolcall_schema::signal::Direction;

/// The longest message that is looked at, in bytes: ten concatenated SMS.
const MAX_BODY: usize = 1600;

/// What stands in a bank's sender code (`VK-HDFCBK`). A message of any other sender is not a bank's, whatever it says.
const SENDERS: [&str; 13] = [
    "HDFC", "SBI", "ICICI", "AXIS", "KOTAK", "PNB", // after examples of the banks
    "INDUS", "BOB", "YESB", "IDFC", "AUBANK", "AUBNK", "RBL",
];

/// What a text says, not yet judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
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

/// Which way the money of a shape went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Debit,
    Credit,
    /// As the text's own verb says.
    Said,
}

/// Fragments, by the name under which the shapes use them. Order matters: a later one may not use an earlier one.
const FRAGMENTS: [(&str, &str); 11] = [
    (
        "<TO>",
        r"(?:trf |transfer |transferred )?(?:to|from|by|at|towards?) (?:a/c linked to )?(?:VPA )?<PAYEE>",
    ),
    // A payee may have several words; it ends where its sentence ends or the bank's own words begin.
    ("<PAYEE>", r"(?P<payee>[\p{L}\p{N}][^;]{0,79}?)"),
    (
        "<END>",
        r"(?:\.(?: |$)|[;,(]| -| (?:as |towards )?refund\b| for (?:autopay|mandate)\b| (?:ref|refno|upi|via|avl|aval|bal|info|not you|if not|call)\b|$)",
    ),
    ("<BANK>", r"(?:[\w.]+ ){0,5}?"),
    // The mask and the digits before the last four are forgotten.
    (
        "<ACC>",
        r"\b(?:a/?c(?:ct)?|account|card)\.?(?: ?(?:no|number|ending)\.?)?(?: in| with)? ?\(?[*x#.]*\d*?(?P<acc>\d{4})\b\)?",
    ),
    (
        "<AMT>",
        r"(?P<cur>\brs\.?|\binr|₹|\busd|\beur|\bgbp|\baed|\bsgd) ?(?P<amt>\d[\d.,'’]*(?: \d{3}\b(?:\.\d{1,2})?)*)",
    ),
    // Some leave the currency out, where nothing else can stand.
    ("<NUM>", r"(?P<num>\d[\d.,]*)"),
    (
        "<DATE>",
        concat!(
            r"(?P<date>\d{4}-\d{1,2}-\d{1,2}",
            r"|\d{1,2}[-/ ]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:[-/]?(?:\d{4}|\d{2})| \d{4})?",
            r"|\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})",
            r"|\d{1,2}[-/]\d{1,2}(?:[-/](?:\d{4}|\d{2}))?)\b",
        ),
    ),
    ("<TIME>", r"\d{1,2}:\d{2}(?::\d{2})?"),
    ("<VERB>", r"(?:(?:has been|is|was) )?(?P<verb>debited|credited)"),
    ("<BY>", r"(?:by|with|for)"),
];

/// The shapes, in the order in which they are tried. The banks that are known to use one stand behind it.
const SHAPES: [(Way, &str); 31] = [
    (
        Way::Said,
        r"<ACC>[- ]<VERB>(?: <BY> |: ?)<AMT> on <DATE>[.,;]? (?:<TIME>,? )?(?:to |from |by )?Info:? ?(?:UPI|IMPS|NEFT)[-/][^-/]+[-/]<PAYEE>(?:/|<END>)",
    ), // RBL, ICICI
    (
        Way::Said,
        r"<ACC>[- ]<VERB> <BY> <AMT> on <DATE>,? (?:at )?(?:<TIME>,? )?for (?:an? )?(?:UPI |IMPS |card )?(?:txn|transaction|payment) (?:to|at|from) <PAYEE><END>",
    ), // IDFC First, SBI
    (
        Way::Debit,
        r"\bspent <AMT> <BANK><ACC> <DATE>,? <TIME>(?: IST)? <PAYEE><END>",
    ), // Axis
    (
        Way::Said,
        r"<AMT> <VERB>,? (?:from |to )?<BANK><ACC>,? (?:on )?<DATE>,? (?:at )?<TIME>(?: IST)?[.,]? (?:Info ?- ?)?(?:UPI|IMPS|NEFT)/[^/ ]+/[^/]+/<PAYEE><END>",
    ), // Axis
    (
        Way::Said,
        r"<AMT> <VERB> (?:from |to |in |by )?<BANK><ACC> (?:on )?(?:date )?<DATE>,? (?:<TIME>,? )?<TO><END>",
    ), // SBI, PNB, HDFC
    (
        Way::Said,
        r"<AMT> <VERB> (?:from |to |in |by )?<BANK><ACC> <TO> on <DATE>",
    ), // Kotak
    (
        Way::Said,
        r"<ACC>[- ]<VERB>(?: <BY>)? (?:<AMT>|<NUM>) (?:on )?(?:date )?<DATE>,? (?:(?:at )?<TIME>,? )?(?:thru UPI:\S+ )?<TO><END>",
    ), // PNB, SBI, ICICI
    (
        Way::Said,
        r"<ACC>[- ]<VERB> <BY> <AMT> on <DATE>[;,.] ?UPI:[^;]*; ?<TO><END>",
    ), // ICICI
    (
        Way::Debit,
        r"<ACC> debited <BY> <AMT> on <DATE>[;,] <PAYEE> credited\b",
    ), // ICICI
    (
        Way::Debit,
        r"\bsent <AMT> from <BANK><ACC> to (?:VPA )?<PAYEE>(?: via UPI)? on <DATE>",
    ), // HDFC, Kotak
    (
        Way::Debit,
        r"\bsent <AMT> from <BANK><ACC> to (?:VPA )?<PAYEE>(?: via UPI)?<END>",
    ), // HDFC
    (
        Way::Debit,
        r"\bsent <AMT> to (?:VPA )?<PAYEE> from <BANK><ACC>(?:.{0,48}?\b<DATE>)?",
    ), // Kotak
    (
        Way::Credit,
        r"\breceived <AMT> from (?:VPA )?<PAYEE> in <BANK><ACC>(?: via UPI)?(?: on <DATE>)?",
    ), // HDFC
    (
        Way::Credit,
        r"\breceived <AMT> in <BANK><ACC> from (?:VPA )?<PAYEE> on <DATE>",
    ), // Kotak
    (
        Way::Debit,
        r"<AMT> spent (?:on|using|via) <BANK><ACC> at <PAYEE> on <DATE>",
    ), // ICICI
    (
        Way::Debit,
        r"\bspent <AMT> (?:on|from|using|via) <BANK><ACC> at <PAYEE> on <DATE>",
    ), // HDFC
    (
        Way::Debit,
        r"<AMT> spent (?:on|using|via) <BANK><ACC> on <DATE>,? (?:<TIME>,? )?(?:at|on) <PAYEE><END>",
    ), // ICICI
    (
        Way::Debit,
        r"<AMT> (?:dr\.?|debited) from <BANK><ACC> and (?:cr\.?|credited) to (?:VPA )?<PAYEE><END>",
    ), // BoB
    (
        Way::Credit,
        r"<AMT> (?:cr\.?|credited) to <BANK><ACC> (?:thru|through|via) (?:UPI|IMPS|NEFT)\S* (?:by|from) <PAYEE>(?:<END>| on <DATE>)",
    ), // BoB
    (
        Way::Said,
        r"<VERB> <AMT> (?:from|to|in) <BANK><ACC> on <DATE>,? (?:<TIME>,? )?(?:UPI|IMPS|NEFT)/(?:DR|CR|P2A|P2M)/[^/ ]+/<PAYEE>(?:/|<END>)",
    ), // AU
    (
        Way::Said,
        r"<ACC>[- ]<VERB> <BY> <AMT> (?:towards?|for|from|to|by) (?:VPA )?<PAYEE>(?:<END>| on <DATE>)",
    ), // IndusInd
    (
        Way::Debit,
        r"<ACC> (?:(?:was |is |has been )?used )?for <AMT> at <PAYEE> on <DATE>",
    ), // Yes, HDFC
    (
        Way::Debit,
        r"<AMT> spent on <BANK><ACC> ?@ ?(?:UPI_)?<PAYEE> (?:on )?<DATE>",
    ), // Yes
    (
        Way::Credit,
        r"refund (?:of|for) <AMT> (?:from|by|at) <PAYEE> (?:(?:is|was|has been) )?(?:credited|processed|posted) (?:to|on|in) <BANK><ACC>(?: on <DATE>)?",
    ),
    (
        Way::Credit,
        r"^<PAYEE> has refunded <AMT> to <BANK><ACC>(?: on <DATE>)?",
    ),
    (
        Way::Debit,
        r"<AMT> (?:(?:has been|is|was) )?withdrawn (?:from|using|on|via) <BANK><ACC>(?: on <DATE>,?)?(?: (?:at )?<TIME>)? at <PAYEE><END>",
    ),
    (
        Way::Debit,
        r"<AMT> (?:(?:has been|is|was) )?withdrawn at <PAYEE> (?:from|using|on|via) <BANK><ACC>(?: on <DATE>)?",
    ),
    (
        Way::Said,
        r"<AMT> <VERB> (?:from |to |in |by )?<BANK><ACC> (?:towards?|for) <PAYEE>(?: on <DATE>|<END>)",
    ),
    // Nobody is named: cash, cheques, charges.
    (
        Way::Debit,
        r"<AMT> (?:(?:has been|is|was) )?withdrawn (?:from|using|on|via) <BANK><ACC>(?: on <DATE>)?",
    ),
    (
        Way::Said,
        r"<AMT> <VERB> (?:from |to |in |by )?<BANK><ACC>(?: on <DATE>)?",
    ),
    (Way::Said, r"<ACC>[- ]<VERB> <BY> <AMT>(?: on <DATE>)?"),
];

/// One sentence of what is not a payment although it looks like one.
const NOT_PAID: &str = r"(?i)\b(?:otp|one time password|declined|failed|unsuccessful|unpaid|bounced|dishonou?red|insufficient|could not be|not (?:been )?(?:processed|completed)|unable|scheduled|mandate (?:is |has been )?(?:created|registered|cancelled)|will be (?:debited|credited)|has requested|is due|due on)\b";

/// What was taken back: a payment only where it says that the money came back.
const REVERSED: &str = r"(?i)\brevers(?:ed|al)\b";

/// The bank's number of a payment.
const REFERENCE: &str = r"(?i)(?:\b(?:upi[ :/]*)?(?:refno|ref|reference|utr|rrn)[ .:#/-]*(?:no[ .:]*)?|\bUPI:|\bUPI/(?:P2[AM]/|DR/|CR/)?)(?P<ref>[A-Z]{0,8}\d{3,22})\b";

static TABLE: LazyLock<Vec<(Way, Regex)>> = LazyLock::new(|| {
    // A shape that did not compile would be missing; a test compiles them all.
    SHAPES
        .iter()
        .filter_map(|(way, shape)| Some((*way, Regex::new(&expanded(shape)).ok()?)))
        .collect()
});
static PARTS: LazyLock<Option<Parts>> = LazyLock::new(Parts::new);
static NOT_A_PAYMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(NOT_PAID).ok());
static TAKEN_BACK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(REVERSED).ok());
static REF: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(REFERENCE).ok());

fn expanded(shape: &str) -> String {
    FRAGMENTS
        .iter()
        .fold(format!("(?i){shape}"), |text, (name, fragment)| {
            text.replace(name, fragment)
        })
}

/// Reads one message.
///
/// # Errors
/// [`code::NOT_A_PAYMENT`] when no bank sent it or no shape fits.
pub(super) fn parse(from: &str, body: &str) -> Result<Told, SkipCode> {
    let sender = from.to_ascii_uppercase();
    if body.len() > MAX_BODY || !SENDERS.iter().any(|bank| sender.contains(bank)) {
        return Err(code::NOT_A_PAYMENT);
    }
    // One space for any white space, so that line breaks and no-break spaces do not matter.
    let text = body.split_whitespace().collect::<Vec<_>>().join(" ");
    if NOT_A_PAYMENT.as_ref().is_some_and(|r| r.is_match(&text)) {
        return Err(code::NOT_A_PAYMENT);
    }
    let taken_back = TAKEN_BACK.as_ref().is_some_and(|r| r.is_match(&text));
    TABLE
        .iter()
        .find_map(|(way, shape)| told(*way, &shape.captures(&text)?, &text))
        .map(|told| named(told, &text))
        .or_else(|| PARTS.as_ref()?.read(&text))
        .filter(|told| !taken_back || told.direction == Direction::Credit)
        .ok_or(code::NOT_A_PAYMENT)
}

fn told(way: Way, found: &Captures<'_>, text: &str) -> Option<Told> {
    let group = |name: &str| found.name(name).map(|m| m.as_str().to_owned());
    let credited = group("verb").is_some_and(|verb| verb.eq_ignore_ascii_case("credited"));
    let direction = match way {
        Way::Debit => Direction::Debit,
        Way::Credit => Direction::Credit,
        Way::Said if credited => Direction::Credit,
        Way::Said => Direction::Debit,
    };
    Some(Told {
        amount: group("amt").or_else(|| group("num"))?,
        currency: currency(found),
        account_last4: group("acc")?,
        direction,
        payee: group("payee").unwrap_or_default(),
        date: group("date"),
        reference: reference(text),
    })
}

/// A shape that names nobody may leave somebody unnamed; what the bank charges has no payee.
fn named(told: Told, text: &str) -> Told {
    if !told.payee.is_empty() || super::fields::speaks_of_fee(text) {
        return told;
    }
    let payee = PARTS.as_ref().map(|parts| parts.payee(text)).unwrap_or_default();
    Told { payee, ..told }
}

/// The currency of an amount; rupees where it names none.
fn currency(found: &Captures<'_>) -> String {
    let written = found.name("cur").map(|m| m.as_str().to_ascii_uppercase());
    written
        .filter(|code| !code.starts_with("RS") && code != "₹")
        .unwrap_or_else(|| "INR".to_owned())
}

fn reference(text: &str) -> Option<String> {
    let found = REF.as_ref()?.captures(text)?;
    found.name("ref").map(|m| m.as_str().to_owned())
}

/// What says which way money went: of a message, the first.
const DEBITS: &str = r"debit(?:ed)?|dr|deducted|spent|paid|sent|used|charged|transferred|withdrawn|purchase|payment|txn|transaction|levied|recovered";
const CREDITS: &str = r"credited|cr|received|deposited|refund(?:ed)?|revers(?:ed|al)|returned";

/// Words behind which a payee stands, where one ends, and what is none: the owner's own account and card, and the bank.
const BEHIND: &str = r"(?i)\b(?:to|at|from|by|towards|and|info: ?(?:BIL\*)?|UPI/(?:P2[AM]/)?\w+/|(?:NEFT|IMPS) ?(?:cr|dr)?-\w+-|UPI:\d+,) ?(?:VPA )?";
const NAMED: &str = r"(?i)^(?P<payee>[\p{L}\p{N}][^;]{0,79}?)(?:\.(?: |$)|[;,(/]| -|-[A-Z]{2,}| (?:on|from|in|with|via|to|by|for|as|ref|refno|umrn|upi|avl|aval|bal|is|has|credited|not you|if not|call|axis|hdfc|icici|sbi|kotak|pnb|indusind|bob|yes|idfc|au|rbl)\b|$)";
const OWN: &str = r"(?i)^(?:a/?c|acct|account|card|your?|my|the|transfer|cr\b|hdfc|sbi|icici|axis|kotak|pnb|indusind|bob|bank|yes bank|idfc|au\b|rbl|inr|rs)\b";

/// What a message of no known shape is put together from.
struct Parts {
    amount: Regex,
    account: Regex,
    date: Regex,
    verb: Regex,
    behind: Regex,
    named: Regex,
    own: Regex,
}

impl Parts {
    fn new() -> Option<Self> {
        let fragment = |text: &str| Regex::new(&expanded(text)).ok();
        Some(Self {
            amount: fragment("(?P<before>.{0,16}?)<AMT>")?,
            account: fragment("<ACC>")?,
            date: fragment("<DATE>")?,
            verb: Regex::new(&format!(r"(?i)\b(?:(?P<debit>{DEBITS})|(?P<credit>{CREDITS}))\b")).ok()?,
            behind: Regex::new(BEHIND).ok()?,
            named: Regex::new(NAMED).ok()?,
            own: Regex::new(OWN).ok()?,
        })
    }

    /// Whoever is named first and is not the owner's own bank; empty when nobody is.
    fn payee(&self, text: &str) -> String {
        self.behind
            .find_iter(text)
            .find_map(|word| {
                let rest = text.get(word.end()..).filter(|rest| !self.own.is_match(rest))?;
                let found = self.named.captures(rest)?;
                found.name("payee").map(|payee| payee.as_str().trim().to_owned())
            })
            .unwrap_or_default()
    }

    /// An amount that is no balance, an account, and a word that says which way: without one of these, no payment.
    fn read(&self, text: &str) -> Option<Told> {
        let amount = self.amount.captures_iter(text).find(|found| {
            let before = found
                .name("before")
                .map_or("", |m| m.as_str())
                .to_ascii_lowercase();
            !["bal", "limit", "lmt", "due", "up to"]
                .iter()
                .any(|word| before.contains(word))
        })?;
        let verb = self.verb.captures(text)?;
        let way = if verb.name("debit").is_some() {
            Direction::Debit
        } else {
            Direction::Credit
        };
        let account = self.account.captures(text)?;
        let group = |found: &Captures<'_>, name: &str| found.name(name).map(|m| m.as_str().to_owned());
        Some(Told {
            amount: group(&amount, "amt")?,
            currency: currency(&amount),
            account_last4: group(&account, "acc")?,
            direction: way,
            payee: self.payee(text),
            date: self.date.captures(text).and_then(|found| group(&found, "date")),
            reference: reference(text),
        })
    }
}

/// Whether no expression of this file is missing for being wrong.
#[cfg(test)]
pub(super) fn all_compile() -> bool {
    TABLE.len() == SHAPES.len()
        && NOT_A_PAYMENT.is_some()
        && TAKEN_BACK.is_some()
        && REF.is_some()
        && PARTS.is_some()
}
