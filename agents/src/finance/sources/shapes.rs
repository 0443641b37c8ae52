//! The shapes of Indian banks' messages: a table of patterns over named fragments.
//!
//! What: [`SHAPES`], tried in order, and [`FRAGMENTS`], of which they are made. Why: most banks share a few sentences, so one
//! table serves them all and a new bank is one line. Not here: reading by them (`sms`), senders (`sender`).
//!
//! All patterns are in small letters and of ASCII classes: they are tried on the message in small letters, and a pattern is
//! compiled when a message first has one of its words. Ignoring case within the pattern, and classes of all scripts, made them
//! fifteen times as large and slow to compile.

use regex::Regex;
use std::sync::OnceLock;

/// Which way the money of a shape went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoneyDirection {
    Debit,
    Credit,
    /// As the text's own verb says.
    Said,
}

/// A sentence that tells of a payment.
pub(super) struct MessagePattern {
    pub(super) way: MoneyDirection,
    /// A message without any of these words cannot be of this shape.
    words: &'static [&'static str],
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl MessagePattern {
    const fn new(way: MoneyDirection, words: &'static [&'static str], pattern: &'static str) -> Self {
        Self {
            way,
            words,
            pattern,
            compiled: OnceLock::new(),
        }
    }

    /// The pattern, for a message in small letters that may be of this shape.
    pub(super) fn pattern_for(&self, lower: &str) -> Option<&Regex> {
        let may_be = self.words.iter().any(|word| lower.contains(word));
        if may_be { self.pattern() } else { None }
    }

    /// `None` when it does not compile; a test compiles them all.
    pub(super) fn pattern(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| Regex::new(&expanded(self.pattern)).ok())
            .as_ref()
    }
}

/// A pattern with its fragments put in.
pub(super) fn expanded(pattern: &str) -> String {
    FRAGMENTS
        .iter()
        .fold(pattern.to_owned(), |text, (name, fragment)| {
            text.replace(name, fragment)
        })
}

/// The words of `<VERB>`.
const VERBS: &[&str] = &["debited", "credited"];

/// Fragments, by the name under which the shapes use them. Order matters: a later one may not use an earlier one.
pub(super) const FRAGMENTS: [(&str, &str); 11] = [
    (
        "<TO>",
        r"(?:trf |transfer |transferred )?(?:to|from|by|at|towards?) (?:a/c linked to )?(?:vpa )?<PAYEE>",
    ),
    // A payee may have several words; it ends where its sentence ends or the bank's own words begin.
    ("<PAYEE>", r"(?P<payee>[0-9a-z\x{80}-\x{10FFFF}][^;]*?)"),
    (
        "<END>",
        r"(?:\.(?: |$)|[;,(]| -| (?:as |towards )?refund(?-u:\b)| for (?:autopay|mandate)(?-u:\b)| (?:ref|refno|upi|via|avl|aval|bal|info|not you|if not|call)(?-u:\b)|$)",
    ),
    ("<BANK>", r"(?:[0-9a-z_.]+ ){0,5}?"),
    // The mask and the digits before the last four are forgotten.
    (
        "<ACC>",
        r"(?-u:\b)(?:a/?c(?:ct)?|account|card)\.?(?: ?(?:no|number|ending)\.?)?(?: in| with)? ?\(?[*x#.]*[0-9]*?(?P<acc>[0-9]{4})(?-u:\b)\)?",
    ),
    (
        "<AMT>",
        r"(?P<cur>(?-u:\b)rs\.?|(?-u:\b)inr|₹|(?-u:\b)usd|(?-u:\b)eur|(?-u:\b)gbp|(?-u:\b)aed|(?-u:\b)sgd) ?(?P<amt>[0-9][0-9.,'’]*(?: [0-9]{3}(?-u:\b)(?:\.[0-9]{1,2})?)*)",
    ),
    // Some leave the currency out, where nothing else can stand.
    ("<NUM>", r"(?P<num>[0-9][0-9.,]*)"),
    (
        "<DATE>",
        concat!(
            r"(?P<date>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}",
            r"|[0-9]{1,2}[-/ ]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:[-/]?(?:[0-9]{4}|[0-9]{2})| [0-9]{4})?",
            r"|[0-9]{1,2}\.[0-9]{1,2}\.(?:[0-9]{4}|[0-9]{2})",
            r"|[0-9]{1,2}[-/][0-9]{1,2}(?:[-/](?:[0-9]{4}|[0-9]{2}))?)(?-u:\b)",
        ),
    ),
    ("<TIME>", r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"),
    ("<VERB>", r"(?:(?:has been|is|was) )?(?P<verb>debited|credited)"),
    ("<BY>", r"(?:by|with|for)"),
];

/// The shapes, in the order in which they are tried. The banks that are known to use one stand behind it.
pub(super) static SHAPES: [MessagePattern; 31] = [
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<ACC>[- ]<VERB>(?: <BY> |: ?)<AMT> on <DATE>[.,;]? (?:<TIME>,? )?(?:to |from |by )?info:? ?(?:upi|imps|neft)[-/][^-/]+[-/]<PAYEE>(?:/|<END>)",
    ), // RBL, ICICI
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<ACC>[- ]<VERB> <BY> <AMT> on <DATE>,? (?:at )?(?:<TIME>,? )?for (?:an? )?(?:upi |imps |card )?(?:txn|transaction|payment) (?:to|at|from) <PAYEE><END>",
    ), // IDFC First, SBI
    MessagePattern::new(
        MoneyDirection::Debit,
        &["spent"],
        r"(?-u:\b)spent <AMT> <BANK><ACC> <DATE>,? <TIME>(?: ist)? <PAYEE><END>",
    ), // Axis
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<AMT> <VERB>,? (?:from |to )?<BANK><ACC>,? (?:on )?<DATE>,? (?:at )?<TIME>(?: ist)?[.,]? (?:info ?- ?)?(?:upi|imps|neft)/[^/ ]+/[^/]+/<PAYEE><END>",
    ), // Axis
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<AMT> <VERB> (?:from |to |in |by )?<BANK><ACC> (?:on )?(?:date )?<DATE>,? (?:<TIME>,? )?<TO><END>",
    ), // SBI, PNB, HDFC
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<AMT> <VERB> (?:from |to |in |by )?<BANK><ACC> <TO> on <DATE>",
    ), // Kotak
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<ACC>[- ]<VERB>(?: <BY>)? (?:<AMT>|<NUM>) (?:on )?(?:date )?<DATE>,? (?:(?:at )?<TIME>,? )?(?:thru upi:\S+ )?<TO><END>",
    ), // PNB, SBI, ICICI
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<ACC>[- ]<VERB> <BY> <AMT> on <DATE>[;,.] ?upi:[^;]*; ?<TO><END>",
    ), // ICICI
    MessagePattern::new(
        MoneyDirection::Debit,
        &["debited"],
        r"<ACC> debited <BY> <AMT> on <DATE>[;,] <PAYEE> credited(?-u:\b)",
    ), // ICICI
    MessagePattern::new(
        MoneyDirection::Debit,
        &["sent"],
        r"(?-u:\b)sent <AMT> from <BANK><ACC> to (?:vpa )?<PAYEE>(?: via upi)? on <DATE>",
    ), // HDFC, Kotak
    MessagePattern::new(
        MoneyDirection::Debit,
        &["sent"],
        r"(?-u:\b)sent <AMT> from <BANK><ACC> to (?:vpa )?<PAYEE>(?: via upi)?<END>",
    ), // HDFC
    MessagePattern::new(
        MoneyDirection::Debit,
        &["sent"],
        r"(?-u:\b)sent <AMT> to (?:vpa )?<PAYEE> from <BANK><ACC>(?:.{0,48}?(?-u:\b)<DATE>)?",
    ), // Kotak
    MessagePattern::new(
        MoneyDirection::Credit,
        &["received"],
        r"(?-u:\b)received <AMT> from (?:vpa )?<PAYEE> in <BANK><ACC>(?: via upi)?(?: on <DATE>)?",
    ), // HDFC
    MessagePattern::new(
        MoneyDirection::Credit,
        &["received"],
        r"(?-u:\b)received <AMT> in <BANK><ACC> from (?:vpa )?<PAYEE> on <DATE>",
    ), // Kotak
    MessagePattern::new(
        MoneyDirection::Debit,
        &["spent"],
        r"<AMT> spent (?:on|using|via) <BANK><ACC> at <PAYEE> on <DATE>",
    ), // ICICI
    MessagePattern::new(
        MoneyDirection::Debit,
        &["spent"],
        r"(?-u:\b)spent <AMT> (?:on|from|using|via) <BANK><ACC> at <PAYEE> on <DATE>",
    ), // HDFC
    MessagePattern::new(
        MoneyDirection::Debit,
        &["spent"],
        r"<AMT> spent (?:on|using|via) <BANK><ACC> on <DATE>,? (?:<TIME>,? )?(?:at|on) <PAYEE><END>",
    ), // ICICI
    MessagePattern::new(
        MoneyDirection::Debit,
        &["and"],
        r"<AMT> (?:dr\.?|debited) from <BANK><ACC> and (?:cr\.?|credited) to (?:vpa )?<PAYEE><END>",
    ), // BoB
    MessagePattern::new(
        MoneyDirection::Credit,
        &["thru", "through", "via"],
        r"<AMT> (?:cr\.?|credited) to <BANK><ACC> (?:thru|through|via) (?:upi|imps|neft)\S* (?:by|from) <PAYEE>(?:<END>| on <DATE>)",
    ), // BoB
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<VERB> <AMT> (?:from|to|in) <BANK><ACC> on <DATE>,? (?:<TIME>,? )?(?:upi|imps|neft)/(?:dr|cr|p2a|p2m)/[^/ ]+/<PAYEE>(?:/|<END>)",
    ), // AU
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<ACC>[- ]<VERB> <BY> <AMT> (?:towards?|for|from|to|by) (?:vpa )?<PAYEE>(?:<END>| on <DATE>)",
    ), // IndusInd
    MessagePattern::new(
        MoneyDirection::Debit,
        &[" for "],
        r"<ACC> (?:(?:was |is |has been )?used )?for <AMT> at <PAYEE> on <DATE>",
    ), // Yes, HDFC
    MessagePattern::new(
        MoneyDirection::Debit,
        &["spent"],
        r"<AMT> spent on <BANK><ACC> ?@ ?(?:upi_)?<PAYEE> (?:on )?<DATE>",
    ), // Yes
    MessagePattern::new(
        MoneyDirection::Credit,
        &["refund"],
        r"refund (?:of|for) <AMT> (?:from|by|at) <PAYEE> (?:(?:is|was|has been) )?(?:credited|processed|posted) (?:to|on|in) <BANK><ACC>(?: on <DATE>)?",
    ),
    MessagePattern::new(
        MoneyDirection::Credit,
        &["refunded"],
        r"^<PAYEE> has refunded <AMT> to <BANK><ACC>(?: on <DATE>)?",
    ),
    MessagePattern::new(
        MoneyDirection::Debit,
        &["withdrawn"],
        r"<AMT> (?:(?:has been|is|was) )?withdrawn (?:from|using|on|via) <BANK><ACC>(?: on <DATE>,?)?(?: (?:at )?<TIME>)? at <PAYEE><END>",
    ),
    MessagePattern::new(
        MoneyDirection::Debit,
        &["withdrawn"],
        r"<AMT> (?:(?:has been|is|was) )?withdrawn at <PAYEE> (?:from|using|on|via) <BANK><ACC>(?: on <DATE>)?",
    ),
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<AMT> <VERB> (?:from |to |in |by )?<BANK><ACC> (?:towards?|for) <PAYEE>(?: on <DATE>|<END>)",
    ),
    // Nobody is named: cash, cheques, charges.
    MessagePattern::new(
        MoneyDirection::Debit,
        &["withdrawn"],
        r"<AMT> (?:(?:has been|is|was) )?withdrawn (?:from|using|on|via) <BANK><ACC>(?: on <DATE>)?",
    ),
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<AMT> <VERB> (?:from |to |in |by )?<BANK><ACC>(?: on <DATE>)?",
    ),
    MessagePattern::new(
        MoneyDirection::Said,
        VERBS,
        r"<ACC>[- ]<VERB> <BY> <AMT>(?: on <DATE>)?",
    ),
];
