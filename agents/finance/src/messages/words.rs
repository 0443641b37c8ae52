//! The words by which messages are read.
//!
//! What: currencies; what a word says of the way of money ([`verb`]), of an amount beside it ([`role`]), of accounts. Why: a bank's
//! sentence is new every year, its words are not. Not here: the words (`word_lists`), phrases (`phrases`), how much one weighs
//! (`score`).

use super::word_lists::{
    ACCOUNT_WORDS, BALANCE_WORDS, BANK_WORDS, COST_WORDS, CREDITED, CREDITS, DEBITED, DEBITS, DUE_WORDS,
    GIVING, LIMIT_WORDS, OTHER_WORDS, OWN_FILLERS,
};
use agents_base::currency::{CurrencySymbol, is_currency};
use toolcall_schema::signal::Direction;

/// How a message writes a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CurrencyHint {
    /// Its ISO 4217 code.
    Code([u8; 3]),
    /// A sign of several: the first where the owner's own is none of them.
    Family(&'static [&'static str]),
}

impl CurrencyHint {
    fn code(text: &str) -> Option<Self> {
        let upper = text.to_ascii_uppercase();
        is_currency(&upper).then(|| upper.as_bytes().try_into().ok().map(Self::Code))?
    }

    /// The currency it means to somebody whose accounts are in `home`.
    pub(super) fn resolved(self, home: &str) -> String {
        match self {
            Self::Code(code) => String::from_utf8_lossy(&code).into_owned(),
            Self::Family(codes) => codes
                .iter()
                .find(|code| **code == home)
                .or(codes.first())
                .map_or_else(String::new, |code| (*code).to_owned()),
        }
    }
}

/// Codes that are known in small letters too; any other is written in capitals.
const COMMON: &str = "inr usd eur gbp aed sar qar kwd bhd omr sgd ngn ghs kes tzs ugx zar egp pkr lkr npr bdt cad aud nzd myr thb php idr chf \
    jpy hkd xof xaf etb rwf zmw jod";
/// Codes that are words, also in capitals.
const WORDS: &str = "ALL TOP CUP SOS BAM";

/// Names and signs in letters.
const NAMES: &[(&str, &[&str])] = &[
    ("rs", &["INR", "PKR", "LKR", "NPR", "MUR", "SCR"]),
    ("re", &["INR"]),
    ("rupees", &["INR", "PKR", "LKR", "NPR", "MUR", "SCR"]),
    ("rupee", &["INR", "PKR", "LKR", "NPR"]),
    ("rupaye", &["INR"]),
    ("rupye", &["INR"]),
    ("rupaiye", &["INR"]),
    ("dollars", &["USD", "AUD", "CAD", "NZD", "SGD"]),
    ("us$", &["USD"]),
    ("euro", &["EUR"]),
    ("euros", &["EUR"]),
    ("pounds", &["GBP", "EGP"]),
    ("dirhams", &["AED", "MAD"]),
    ("dirham", &["AED", "MAD"]),
    ("dhs", &["AED", "MAD"]),
    ("dh", &["AED", "MAD"]),
    ("sr", &["SAR"]),
    ("qr", &["QAR"]),
    ("kd", &["KWD"]),
    ("bd", &["BHD"]),
    ("ro", &["OMR"]),
    ("jd", &["JOD"]),
    ("le", &["EGP"]),
    ("ksh", &["KES"]),
    ("kshs", &["KES"]),
    ("kes", &["KES"]),
    ("tsh", &["TZS"]),
    ("tshs", &["TZS"]),
    ("ush", &["UGX"]),
    ("ugsh", &["UGX"]),
    ("shs", &["KES", "UGX", "TZS"]),
    ("naira", &["NGN"]),
    ("ghc", &["GHS"]),
    ("gh", &["GHS"]),
    ("cedis", &["GHS"]),
    ("fcfa", &["XOF", "XAF"]),
    ("cfa", &["XOF", "XAF"]),
    ("frw", &["RWF"]),
    ("birr", &["ETB"]),
    ("tk", &["BDT"]),
    ("rm", &["MYR"]),
    ("rp", &["IDR"]),
];
/// Single capitals that are a currency directly before digits.
const CAPITALS: &[(&str, &[&str])] = &[
    ("N", &["NGN"]),
    ("R", &["ZAR"]),
    ("K", &["ZMW"]),
    ("P", &["BWP", "PHP"]),
];

/// The currency that a word is.
pub(super) fn currency_word(raw: &str) -> Option<CurrencyHint> {
    if raw.len() > 8 || !raw.is_ascii() {
        return None;
    }
    let low = raw.to_ascii_lowercase();
    // Two letters that are words or titles too are a currency in capitals alone.
    let shy = matches!(
        low.as_str(),
        "re" | "sr" | "qr" | "kd" | "bd" | "ro" | "jd" | "le" | "gh" | "rm" | "rp"
    );
    if let Some((_, codes)) = NAMES.iter().find(|(name, _)| *name == low) {
        let capital = raw.starts_with(|c: char| c.is_ascii_uppercase());
        return (!shy || capital).then_some(CurrencyHint::Family(codes));
    }
    let known = COMMON.split(' ').any(|code| code == low);
    let upper = raw.len() == 3
        && raw.bytes().all(|b| b.is_ascii_uppercase())
        && !WORDS.split(' ').any(|word| word == raw);
    if known || upper {
        CurrencyHint::code(raw)
    } else {
        None
    }
}

/// The currency that a capital is before digits that look like an amount.
pub(super) fn currency_capital(raw: &str) -> Option<CurrencyHint> {
    let found = CAPITALS.iter().find(|(capital, _)| *capital == raw)?;
    Some(CurrencyHint::Family(found.1))
}

/// The currency that a sign is.
pub(super) fn currency_sign(sign: char) -> Option<CurrencyHint> {
    match sign {
        '₹' => Some(CurrencyHint::Family(&["INR"])),
        '$' => Some(CurrencyHint::Family(&[
            "USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD", "MXN", "ARS", "CLP", "COP", "JMD", "TTD",
        ])),
        '£' => Some(CurrencyHint::Family(&["GBP", "EGP"])),
        '€' => Some(CurrencyHint::Family(&["EUR"])),
        '¥' => Some(CurrencyHint::Family(&["JPY", "CNY"])),
        '₵' => Some(CurrencyHint::Family(&["GHS"])),
        '\u{20a0}'..='\u{20cf}' | '฿' | '৳' => {
            let usual = CurrencySymbol::parse(&sign.to_string())?.usual()?;
            CurrencyHint::code(&usual)
        }
        _ => None,
    }
}

/// How sure a verb's way is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VerbStrength {
    /// A noun or a word that offers use as well.
    Weak,
    /// It says that money went.
    Strong,
}

/// What a word says of the way of money.
pub(super) fn verb(word: &str) -> Option<(Direction, VerbStrength)> {
    let lists = [
        (DEBITED, Direction::Debit, VerbStrength::Strong),
        (CREDITED, Direction::Credit, VerbStrength::Strong),
        (DEBITS, Direction::Debit, VerbStrength::Weak),
        (CREDITS, Direction::Credit, VerbStrength::Weak),
    ];
    let (_, way, strength) = lists
        .into_iter()
        .find(|(words, _, _)| is_listed(words, last_part(word)))?;
    Some((way, strength))
}

/// What ends a German compound, and says what the whole is: `echtzeitüberweisung` is an `überweisung`.
const COMPOUND_ENDS: [&str; 9] = [
    "überweisung",
    "ueberweisung",
    "lastschrift",
    "abbuchung",
    "auszahlung",
    "kartenzahlung",
    "gutschrift",
    "eingang",
    "erstattung",
];

/// The last part of a German compound; any other word itself.
fn last_part(word: &str) -> &str {
    COMPOUND_ENDS
        .into_iter()
        .find(|end| word.ends_with(end))
        .unwrap_or(word)
}

/// Whether a list has a word, or has it with its long vowels written once: Hindi in Latin letters has no spelling, and `kaati` is
/// `kati`.
fn is_listed(words: &[&str], word: &str) -> bool {
    words.contains(&word) || single_vowels(word).is_some_and(|short| words.contains(&short.as_str()))
}

/// A word whose doubled vowels are written once; `None` when it has none.
fn single_vowels(word: &str) -> Option<String> {
    let doubled = ["aa", "ee", "ii", "oo", "uu"]
        .iter()
        .any(|pair| word.contains(pair));
    doubled.then(|| {
        let mut short = String::with_capacity(word.len());
        for c in word.chars() {
            if !("aeiou".contains(c) && short.ends_with(c)) {
                short.push(c);
            }
        }
        short
    })
}

/// Verbs of giving: to whom they give says which way.
pub(super) fn is_giving(word: &str) -> bool {
    GIVING.contains(&word)
}

/// What an amount is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AmountRole {
    /// What was paid or received.
    Transaction,
    /// What the account holds.
    Balance,
    /// What may be spent, or is owed at most.
    Limit,
    /// What the bank takes for it.
    Fee,
    /// What is owed or asked for.
    Due,
    /// A reward, a price, a rate.
    Other,
}

/// What a word says of an amount beside it.
pub(super) fn role(word: &str) -> Option<AmountRole> {
    let lists = [
        (BALANCE_WORDS, AmountRole::Balance),
        (LIMIT_WORDS, AmountRole::Limit),
        (COST_WORDS, AmountRole::Fee),
        (DUE_WORDS, AmountRole::Due),
        (OTHER_WORDS, AmountRole::Other),
    ];
    let (_, role) = lists.into_iter().find(|(words, _)| is_listed(words, word))?;
    Some(role)
}

/// Words of an account.
pub(super) fn is_account_word(word: &str) -> bool {
    is_listed(ACCOUNT_WORDS, word) || word.ends_with("konto")
}

/// Words of a card.
pub(super) fn is_card_word(word: &str) -> bool {
    word == "cc"
        || word == "dc"
        || word.ends_with("karte")
        || word == "crd"
        || (word.ends_with("card")
            && !matches!(word, "discard" | "postcard" | "idcard" | "simcard" | "giftcard"))
        || word == "cards"
}

/// Words that may stand between `your` and an account.
pub(super) fn is_own_filler(word: &str) -> bool {
    is_account_word(word) || is_card_word(word) || is_bank_word(word) || OWN_FILLERS.contains(&word)
}

/// Names of banks, as they stand before an account.
pub(super) fn is_bank_word(word: &str) -> bool {
    BANK_WORDS.contains(&word)
}
