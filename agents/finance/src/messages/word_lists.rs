//! The single words by which messages are read: English of five countries, first words of German and of Hindi in Latin letters.
//!
//! What: lists, each for one question. Why: a new word is one entry, without a change of code. Not here: phrases (`phrases`), what a
//! word weighs (`score`).

/// Words of an account.
#[rustfmt::skip] // Words fill a line.
pub(super) const ACCOUNT_WORDS: &[&str] = &[
    "a/c", "a/ct", "a/cct", "ac", "acct", "account", "acc", "accnt", "acnt", "konto", "kontonummer", "girokonto", "khata", "khate",
    "iban", "wallet", "accounts", "checking", "savings", "sb", "ca", "od", "casa", "a-c", "kto", "acount",
];

/// Words beside an amount that is a balance.
#[rustfmt::skip] // Words fill a line.
pub(super) const BALANCE_WORDS: &[&str] = &[
    "bal", "balance", "avlbal", "availbal", "avlbl", "bal:", "balances", "kontostand", "saldo", "shesh", "baki", "bakaya", "balace",
    "aval", "avl", "avbl", "avail", "available", "verfügbar", "verfuegbar", "clr", "ledger", "closing", "totbal", "abal", "avlb",
    "avalbal", "totalbal", "availablebalance", "remaining", "left",
];

/// Names of banks, as they stand before an account.
#[rustfmt::skip] // Words fill a line.
pub(super) const BANK_WORDS: &[&str] = &[
    "hdfc", "sbi", "icici", "axis", "kotak", "pnb", "indusind", "bob", "yes", "idfc", "au", "rbl", "canara", "union", "federal",
    "idbi", "uco", "boi", "iob", "central", "indian", "hsbc", "citi", "citibank", "dbs", "paytm", "bandhan", "dcb", "kvb", "csb",
    "tmb", "baroda", "bank", "enbd", "adcb", "fab", "mashreq", "dib", "cbd", "rakbank", "barclays", "lloyds", "natwest", "monzo",
    "santander", "chase", "wells", "fargo", "boa", "amex", "gtbank", "gtb", "zenith", "uba", "equity", "kcb", "absa", "fnb",
    "stanbic", "sparkasse", "volksbank", "commerzbank", "ing", "dkb", "n26", "postbank", "sc", "scb", "american", "express",
    "onecard", "slice", "jupiter", "nsdl", "fino", "saraswat", "karur", "vysya", "karnataka", "maharashtra", "punjab", "sind",
    "kotak811", "hdfcbank", "icicibank", "axisbank", "yesbank", "idfcfirst", "rajhi", "alrajhi", "snb", "riyad", "sab", "qnb",
    "cbq", "nbk", "kfh", "capitec", "nedbank",
];

/// Words before an amount without a currency.
#[rustfmt::skip] // Words fill a line.
pub(super) const BEFORE_AMOUNT: &[&str] = &[
    "by", "for", "with", "of", "amt", "amount", "debited", "credited", "withdrawn", "sent", "received", "paid", "betrag",
];

/// Words between an account and its digits.
#[rustfmt::skip] // Words fill a line.
pub(super) const BEFORE_DIGITS: &[&str] = &[
    "endziffer", "endziffern", "nummer", "no", "number", "num", "nos", "ending", "ends", "in", "with", "is", "nr", "endend", "auf", "mit", "xx", "x", "last", "digits",
    "id",
];

/// Words between a reference and its number.
#[rustfmt::skip] // Words fill a line.
pub(super) const BEFORE_NUMBER: &[&str] = &[
    "no", "number", "id", "ref", "refno", "is", "p2a", "p2m", "cr", "dr", "txn", "num", "transaction", "code", "nr", "rrn", "utr",
];

/// Behind `and` the bank goes on, not a name.
#[rustfmt::skip] // Words fill a line.
pub(super) const BEHIND_AND: &[&str] = &[
    "credited", "cr", "debited", "your", "a/c", "current", "new", "available", "the", "has", "is", "avl", "remaining", "balance",
    "ihr",
];

/// Letters that may stand behind a number without a space and are not of it.
#[rustfmt::skip] // Words fill a line.
pub(super) const BEHIND_DIGITS: &[&str] = &[
    "st", "nd", "rd", "th", "am", "pm", "hrs", "hr", "ist", "cr", "dr", "t", "uhr", "on", "from", "to", "at", "is", "has",
];

/// Behind `new` a balance follows.
#[rustfmt::skip] // Words fill a line.
pub(super) const BEHIND_NEW: &[&str] = &[
    "m-pesa", "mpesa", "m", "balance", "bal", "avl", "available", "momo", "float", "your", "merchant",
];

/// Words beside an amount that is a fee.
#[rustfmt::skip] // Words fill a line.
pub(super) const COST_WORDS: &[&str] = &[
    "fee", "fees", "charge", "charges", "chrg", "chrgs", "chgs", "chg", "cost", "commission", "comm", "gst", "vat", "tax", "levy",
    "duty", "gebühr", "gebuehr", "gebühren", "entgelt", "shulk", "surcharge", "tariff", "frais",
];

/// Verbs that say that money came.
#[rustfmt::skip] // Words fill a line.
pub(super) const CREDITED: &[&str] = &[
    "credited", "received", "recd", "rcvd", "lodged", "deposited", "refunded", "reversed", "returned", "added", "landed", "arrived", "gutgeschrieben",
    "got", "erhalten", "eingegangen", "jama", "jma", "prapt", "mile", "mila", "aaye", "aaya", "aya", "disbursed", "gets", "gained",
    "topped", "loaded", "rec'd",
];

/// Words of money that comes, which offer use as well.
#[rustfmt::skip] // Words fill a line.
pub(super) const CREDITS: &[&str] = &[
    "cr", "credit", "deposit", "refund", "reversal", "receive", "salary", "gutschrift", "eingang", "zahlungseingang", "geldeingang",
    "gehalt", "rückerstattung", "erstattung", "cashback", "lodgement", "inward", "wapas", "interest", "topup", "top-up", "incoming",
];

/// Verbs that say that money went.
#[rustfmt::skip] // Words fill a line.
pub(super) const DEBITED: &[&str] = &[
    "debited", "spent", "withdrawn", "withdrew", "deducted", "paid", "sent", "transferred", "purchased", "charged", "levied",
    "recovered", "moved", "bought", "swiped", "autodebited", "remitted", "collected", "gone", "given", "donated", "trf",
    "abgebucht", "angelastet", "belastet", "ausgezahlt", "abgehoben", "bezahlt", "gezahlt", "eingezogen", "kata", "kate", "kati", "nikale",
    "nikala", "kharch", "bheje", "bheja", "bhej", "kat", "verfuegt", "verfügt", "gesendet", "executed", "überwiesen", "ueberwiesen",
    "überweisung", "ueberweisung", "geschickt", "ausgegeben",
];

/// Words of money that goes, which offer use as well.
#[rustfmt::skip] // Words fill a line.
pub(super) const DEBITS: &[&str] = &[
    "dr", "debit", "withdrawal", "withdraw", "purchase", "payment", "pmt", "transaction", "txn", "trxn", "trx", "tran", "spend",
    "used", "using", "transfer", "swipe", "toll", "pos", "cash-out", "cashout", "lastschrift", "kartenzahlung", "kartenumsatz",
    "abhebung", "abbuchung", "zahlung", "einkauf", "dauerauftrag", "bhugtan", "charge", "charges", "chrg", "emi", "e-com", "ecom",
    "authorized", "authorised", "nikasi", "made", "buy", "auszahlung", "umsatz", "wdl", "wdrl", "wd", "drawn", "cleared", "passed", "buchung",
];

/// Words beside an amount that is owed.
#[rustfmt::skip] // Words fill a line.
pub(super) const DUE_WORDS: &[&str] = &[
    "due", "dues", "outstanding", "o/s", "payable", "fällig", "faellig", "overdue", "bill",
];

/// What the bank takes money for.
#[rustfmt::skip] // Words fill a line.
pub(super) const FEE_WORDS: &[&str] = &[
    "charges", "charge", "fee", "fees", "chrg", "chrgs", "chgs", "chg", "amc", "gst", "commission", "interest", "tax", "penalty", "levy",
    "zinsen", "gebühr", "gebühren",
];

/// Verbs of giving: to whom they give says which way.
#[rustfmt::skip] // Words fill a line.
pub(super) const GIVING: &[&str] = &[
    "sent", "transferred", "paid", "moved", "transfer", "remitted", "payment", "überwiesen", "ueberwiesen", "überweisung", "trf",
    "gesendet", "given", "geschickt", "bheje", "bheja", "bheji",
];

/// Words that say how a payment was made, or what for, not to whom.
#[rustfmt::skip] // Words fill a line.
pub(super) const HOW_WORDS: &[&str] = &[
    "upi", "neft", "imps", "rtgs", "transfer", "trf", "atm", "pos", "cash", "cheque", "chq", "check", "net", "netbanking", "mobile",
    "banking", "internet", "online", "payment", "payments", "autopay", "mandate", "refund", "purchase", "transaction",
    "txn", "ach", "nach", "ecs", "dr", "cr", "debit", "credit", "card", "merchant", "beneficiary", "account", "bank", "the", "a",
    "an", "of", "wallet", "standing", "instruction", "instructions", "order", "direct", "registered", "e", "emi", "loan", "via",
    "by", "fund", "funds", "ft", "inb", "mb", "clearing", "clg", "outward", "inward", "success", "successful", "done", "today",
    "withdrawal", "deposit", "retrieval", "ref", "no", "id", "number", "cardless", "contactless", "ecom", "e-com", "international",
    "domestic", "pm", "am", "ist", "hrs", "zahlung", "überweisung", "lastschrift", "konto", "karte", "geldautomat", "self", "using",
    "mob", "bk", "uco", "app", "instant", "pmt", "purpose", "bil", "atw", "billpay", "ib", "mmt", "p2a", "p2m", "si", "to", "nip",
    "web", "vps", "alert", "customer", "return", "fip", "opy", "salary", "etfr", "sal", "batchid", "trfr", "pnr", "policy", "payee",
    "delivery", "invoice", "machine", "cashpoint", "geldautomaten", "incoming", "outgoing",
    "ussd", "nfs", "inf", "inft", "wdl", "pur", "zelle", "paynow", "payid", "interac",
    "smartapp", "uhr", "aeps", "int", "pd", "fd", "rd", "div", "wps", "ceft", "apbs", "mtfr", "sdb", "locker", "emo", "payroll", "cheq",
    "gift", "ending", "gutschrift", "booking", "jewel", "pension", "timely", "hours", "minutes", "days", "qtr", "ended", "quarter", "month", "year", "week", "period", "rashi",
];

/// Verbs behind a `to` that leads to nobody.
#[rustfmt::skip] // Words fill a line.
pub(super) const INFINITIVES: &[&str] = &[
    "pay", "manage", "view", "cancel", "modify", "stop", "track", "make", "buy", "send", "unblock", "activate", "raise", "see", "update", "reflect", "earn", "know",
];

/// Words beside an amount that is a limit.
#[rustfmt::skip] // Words fill a line.
pub(super) const LIMIT_WORDS: &[&str] = &[
    "limit", "lmt", "avllmt", "limits", "upto", "maximum", "max", "capped", "rahmen", "limite", "cap",
];

/// Words that make a verb one of what may come, or did not.
#[rustfmt::skip] // Words fill a line.
pub(super) const MODALS: &[&str] = &[
    "will", "shall", "would", "can", "may", "could", "might", "must", "should", "to", "cannot", "won't", "wird", "werden", "not",
    "never", "n't",
];

/// Words that end a name.
#[rustfmt::skip] // Words fill a line.
pub(super) const NAME_ENDS: &[&str] = &[
    "on", "via", "using", "thru", "thro", "through", "from", "with", "for", "by", "dated", "dt", "ref", "refno", "refid", "reference",
    "rrn", "utr", "txn", "trxn", "txnid", "trx", "tid", "upi", "imps", "neft", "rtgs", "avl", "avlbl", "avbl", "avail", "available",
    "aval", "bal", "balance", "limit", "lmt", "is", "was", "has", "have", "had", "will", "not", "if", "umrn", "dispute", "your",
    "credited", "debited", "successful", "successfully", "ist", "towards", "against", "a/c", "acct", "account", "having", "whose",
    "linked", "wurde", "wurden", "über", "am", "um", "vom", "mit", "zum", "ihr", "ihre", "ihrem", "ko", "se", "mein", "hai", "hue",
    "hua", "gaye", "gaya", "ke", "ki", "ka", "khate", "khata", "par", "pe", "transaction", "tran", "clr", "amount", "amt", "total",
    "fee", "charges", "approved", "completed", "been", "posted", "processed", "cleared", "u", "remaining", "and/or", "id",
    "subject", "where", "kontostand", "saldo", "note", "umn", "urn", "vpa", "date", "dear", "in", "into", "ihres", "ausgeführt", "erfasst",
];

/// Words with which no name begins.
#[rustfmt::skip] // Words fill a line.
pub(super) const NO_NAMES: &[&str] = &[
    "your", "you", "my", "our", "ur", "self", "us", "me", "ihr", "ihre", "ihrem", "ihren", "ihrer", "dem", "a/c", "acct", "account",
    "ac", "card", "it", "this", "that", "which", "any", "be", "do", "avoid", "know", "check", "help", "date", "rs", "inr", "we",
    "give", "withdraw", "dein", "deine", "deinem", "deinen", "deiner", "way", "means", "vehicle", "veh", "aapke", "aapka", "aapki", "aapko", "apke",
];

/// Labels of a narration.
#[rustfmt::skip] // Words fill a line.
pub(super) const NARRATION_LABELS: &[&str] = &[
    "info", "desc", "description", "narration", "narr", "remarks", "remark", "particulars", "des", "details",
];

/// Words of a narration that stand before a name and say how.
#[rustfmt::skip] // Words fill a line.
pub(super) const BEFORE_NARRATED: &[&str] = &[
    "salary", "transfer", "trf", "payment", "pmt", "deposit", "withdrawal", "purchase", "inward", "outward", "fund", "funds",
    "direct", "debit", "credit", "standing", "order", "pos", "to", "from", "frm", "of", "at", "by", "online", "card",
];

/// Words beside an amount that is a reward, a price or a rate.
#[rustfmt::skip] // Words fill a line.
pub(super) const OTHER_WORDS: &[&str] = &[
    "save", "win", "earn", "earned", "points", "off", "discount", "reward", "rewards", "bonus", "saved", "rate", "above", "below",
    "over", "minimum", "min", "equivalent", "exceeding", "exceeds", "exceeded", "threshold", "eq", "equiv",
];

/// Words that may stand between `your` and an account.
#[rustfmt::skip] // Words fill a line.
pub(super) const OWN_FILLERS: &[&str] = &[
    "bank", "ltd", "credit", "debit", "prepaid", "forex", "first", "one", "salary", "current", "linked", "no", "number",
    "registered", "primary", "visa", "mastercard", "rupay", "upi", "platinum", "gold", "classic", "limited", "of", "small",
    "finance", "the", "business", "islamic", "national", "mobile", "money", "m-pesa", "mpesa", "mpesa's", "momo", "online",
    "share", "personal", "joint", "everyday", "loan", "pay", "nri", "nre", "nro",
];

/// Channels with which a narration begins.
#[rustfmt::skip] // Words fill a line.
pub(super) const PATH_HEADS: &[&str] = &[
    "upi", "imps", "neft", "rtgs", "mmt", "ach", "nach", "pos", "ecom", "trf", "ib", "mb", "nip", "web", "mob", "bil", "vps", "p2a",
    "p2m", "ecs", "inb",
];

/// Words of a reference.
#[rustfmt::skip] // Words fill a line.
pub(super) const REFERENCE_WORDS: &[&str] = &[
    "ref", "refno", "reference", "utr", "rrn", "refid", "txnid", "tid", "trxnid", "txn", "trxn", "trx", "transaction", "trans",
    "tran", "receipt", "referenz", "umrn", "approval", "auth", "order", "invoice", "chq", "cheque", "arn",
];

/// Words before which a narration ends.
#[rustfmt::skip] // Words fill a line.
pub(super) const SEGMENT_ENDS: &[&str] = &[
    "bal", "avl", "avail", "available", "avbl", "balance", "on", "not", "call", "is", "has", "the", "your", "date",
];

/// Short words within a name, with a point or without.
#[rustfmt::skip] // Words fill a line.
pub(super) const TITLES: &[&str] = &[
    "pvt", "ltd", "st", "mr", "mrs", "ms", "dr", "m/s", "co", "inc", "jr", "sr",
];
