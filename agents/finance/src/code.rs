//! The skip codes of Finance, 101 to 199.

use agents_base::shared::SkipCode;

/// No bank sent it, or it tells of no payment.
pub(super) const NOT_A_PAYMENT: SkipCode = SkipCode {
    code: "AGENT-101",
    message: "no payment was found in this message: the bank or its wording is not known, its text was forgotten",
};
/// There is no such day, or it has not come yet.
pub(super) const DATE: SkipCode = SkipCode {
    code: "AGENT-102",
    message: "the date in this message does not exist or is more than a day after the message",
};
/// Zero, too large, or its separators are not clear.
pub(super) const AMOUNT: SkipCode = SkipCode {
    code: "AGENT-103",
    message: "the amount is not more than 0 and at most 10^12 with at most 4 decimals, or not clearly written",
};
/// A parsed transaction with fields that are none.
pub(super) const FIELDS: SkipCode = SkipCode {
    code: "AGENT-104",
    message: "a transaction needs a currency of ISO 4217 and the last four digits of its account",
};
/// A file that is named like a statement and is none.
pub(super) const NOT_A_STATEMENT: SkipCode = SkipCode {
    code: "AGENT-105",
    message: "this file is no statement of OFX, QFX, CAMT or MT940: export it from the bank again, or name it by what it is",
};
/// An archive, or a statement in it, that cannot be unpacked.
pub(super) const ARCHIVE: SkipCode = SkipCode {
    code: "AGENT-124",
    message: "this cannot be unpacked: it is encrypted, damaged, larger than 64 MiB, or behind the 4096th statement; unpack it and name its folder",
};
/// An entry of a statement without what it needs.
pub(super) const STATEMENT_ENTRY: SkipCode = SkipCode {
    code: "AGENT-106",
    message: "this entry of a statement has no date or no currency that can be read, or does not say which way the money went",
};
/// A CSV file that no mapping fits.
pub(super) const UNMAPPED: SkipCode = SkipCode {
    code: "AGENT-107",
    message: "no mapping of the configuration has all its columns in this CSV file, and what its columns hold was not recognised: add a [[finance.csv]] for it",
};
/// A row that is not built as the header says.
pub(super) const COLUMNS: SkipCode = SkipCode {
    code: "AGENT-119",
    message: "this row has other columns than the header of its file: nothing is guessed, so it is left out",
};
/// A CSV file that was recognised but for one thing that it does not say.
pub const QUESTION: SkipCode = SkipCode {
    code: "AGENT-120",
    message: "this CSV file is recognised, but it does not say whether its amounts are money out, in which order day and month stand, or its currency: answer once, or add a [[finance.csv]] for it",
};
/// A row that is no payment by what it says itself.
pub(super) const NOT_COMPLETED: SkipCode = SkipCode {
    code: "AGENT-121",
    message: "these rows say themselves that they are no completed payment: pending, sent back, a trade, or money that only changed its place or currency",
};
/// Balances that contradict the payments beside them.
pub(super) const BALANCES: SkipCode = SkipCode {
    code: "AGENT-122",
    message: "the balances in this CSV file do not add up with its payments: the payments are kept, the balance is not",
};
/// A statement that ends before its end, or is damaged.
pub(super) const BREAKS_OFF: SkipCode = SkipCode {
    code: "AGENT-123",
    message: "this statement breaks off here: what is whole before was read, the rest was not: export it from the bank again",
};
/// More than 64 KiB in a row.
pub(super) const ROW_TOO_LONG: SkipCode = SkipCode {
    code: "AGENT-108",
    message: "this row, line or field is longer than 64 KiB: look for a quotation mark that is not closed",
};
/// An entry of a journal that is not understood.
pub(super) const JOURNAL_ENTRY: SkipCode = SkipCode {
    code: "AGENT-109",
    message: "this entry of a journal cannot be understood: its date, an amount, a commodity that is no currency, or its balance",
};
/// A file that a journal names and that is not read.
pub(super) const INCLUDE: SkipCode = SkipCode {
    code: "AGENT-110",
    message: "this include is not followed: the file is missing, outside the journal's folder, open already or one too many",
};
/// An account of a journal that is neither the owner's nor an expense, income or equity as far as is known.
pub(super) const ACCOUNT_KIND: SkipCode = SkipCode {
    code: "AGENT-112",
    message: "nothing says what kind of account an entry of this journal is about: declare its type before the entry",
};
/// What an investment account did, but for its cash.
pub(super) const INVESTMENT: SkipCode = SkipCode {
    code: "AGENT-113",
    message: "of an investment account only cash entries are read: this is a trade, a dividend or a fee of it",
};
/// A line that says how others are to be read, and cannot be followed.
pub(super) const DIRECTIVE: SkipCode = SkipCode {
    code: "AGENT-114",
    message: "this alias of a journal cannot be followed: its pattern is wrong or too large, or there are more than 256",
};
/// Read, and not kept.
pub const TOO_OLD: SkipCode = SkipCode {
    code: "AGENT-115",
    message: "these payments are older than 120 days, as long as Finance keeps what it reads: if only the clock was wrong, correct it and have everything read once more",
};
/// More payments than there is room for to work with; memory has them all.
pub(super) const BOOK_FULL: SkipCode = SkipCode {
    code: "AGENT-116",
    message: "Finance works with the newest 20000 payments: all are in memory, and its figures begin with the first day that it knows whole",
};
/// A payment that counts in nothing until the owner accepted who told of it.
pub(super) const SENDER: SkipCode = SkipCode {
    code: "AGENT-117",
    message: "this message tells of a payment, and its sender is none that you accepted: it waits, and counts once you tap *Count this sender* on the page Money or add it to `senders` of [finance]",
};
/// Money, and nothing that can be told for sure.
pub(super) const UNSURE: SkipCode = SkipCode {
    code: "AGENT-118",
    message: "this message speaks of money that went or came, but what was paid cannot be told for sure: two payments, or too little else; the page Money asks about it",
};
/// A receipt without a sum.
pub(super) const RECEIPT: SkipCode = SkipCode {
    code: "AGENT-111",
    message: "this mail is a shop's receipt, but no amount was found in its subject or beside a total in its text",
};
