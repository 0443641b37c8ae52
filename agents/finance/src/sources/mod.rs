//! What Finance reads: bank messages, transactions that some other program parsed, statements, journals, receipts.
//!
//! What: [`read`], one signal to one [`FoundPayment`] payment; a statement's items ([`StatementItem`]); a shop's mail (`receipt`). Why: every
//! source gives the same thing, so nothing behind this module knows how a payment was written. Not here: which files there
//! are (`shared`, `mail`, `statements`), which sources tell of one payment (`matching`).

mod accounts;
pub(super) mod amount;
mod beancount;
mod camt;
mod camt_entry;
mod csv;
mod csv_balances;
pub(super) mod csv_preview;
mod csv_rows;
mod dates;
mod entries;
mod entry_counter;
mod fields;
mod inputs;
mod journal;
mod lines;
mod mt940;
mod mt940_text;
mod narration;
mod ofx;
mod postings;
pub(super) mod receipt;
pub(super) mod recognition;
pub(super) mod statement;
#[cfg(test)]
mod tests;
mod xml_input;
pub(super) mod zipped;

use super::{
    claim::{MAX_AMOUNT, NO_ACCOUNT, PaymentSource, believable},
    code,
    merchant_name::MerchantName,
    messages::{
        self, AccountSlot, AccountSlotKind, MessageContext, MessageReading, MessageVerdict, SenderKind,
        forms::MarkedReading,
    },
};
use agents_base::{
    currency::{self, is_currency},
    shared::{SkipCode, WRONG_PAYLOAD},
    zone,
};
use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;
use entry_counter::EntryCounter;
use rust_decimal::Decimal;
use toolcall_schema::{
    Category, Timestamp,
    signal::{BankSms, Direction, Signal, SignalPayload, TransactionData},
};

/// A payment as its source told it. Of the merchant's name the book keeps a keyed hash; the
/// name itself stays in memory.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundPayment {
    /// More than 0, at most 10^12, at most 4 decimal places.
    pub(super) amount: Decimal,
    /// ISO 4217.
    pub(super) currency: String,
    /// The last four digits of the owner's account.
    pub(super) account_last4: String,
    /// Which way the money went.
    pub(super) direction: Direction,
    /// Empty when the source named nobody.
    pub(super) merchant: MerchantName,
    /// When, as near as the source says.
    pub(super) ts: Timestamp,
    /// The bank's reference, which tells two equal payments of a day apart.
    pub(super) reference: Option<String>,
    /// Whether the owner must still be told a category (bank messages) or some program already sorted it.
    pub(super) categorized: bool,
    /// Where it came from.
    pub(super) source: PaymentSource,
    /// The category, where the source has one of its own (journals).
    pub(super) category: Option<Category>,
    /// Which of several equal ones it is.
    pub(super) which: PaymentOrdinal,
}

/// Which of several equal payments of a day one is. Statements and journals tell each once; of other sources it is always the
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PaymentOrdinal {
    /// So many equal ones stand before it in its file.
    Nth(u32),
    /// The bank numbered it; its name may be written otherwise in the next export. With the day as the bank writes it, which a time in another zone does
    /// not change.
    Id(u32, NaiveDate),
}

/// What a statement or journal tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StatementItem {
    /// A payment.
    Payment(FoundPayment),
    /// A balance.
    Balance(KnownBalance),
}

impl StatementItem {
    pub(super) fn at(&self) -> Timestamp {
        match self {
            Self::Payment(found) => found.ts,
            Self::Balance(known) => known.as_of,
        }
    }
}

/// Where an item stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceLocation {
    /// From 1; 0: nowhere in particular.
    pub(super) line: u64,
    /// The file, where it is not the one that was opened.
    pub(super) name: Option<String>,
}

impl SourceLocation {
    fn line(line: u64) -> Self {
        Self { line, name: None }
    }
}

/// What an account held at an instant, as a statement told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownBalance {
    /// The last four digits of the owner's account.
    pub(super) account_last4: String,
    /// ISO 4217.
    pub(super) currency: String,
    /// Below 0 when overdrawn; at most 10^12 away from it.
    pub(super) amount: Decimal,
    /// The end of the day, where the statement tells a day only.
    pub(super) as_of: Timestamp,
}

/// What one signal tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SourcedPayment {
    pub(super) payment: FoundPayment,
    /// What the account held after it, where the message says so.
    pub(super) balance: Option<KnownBalance>,
    /// Who sent it, where that is nobody whose word counts by itself.
    pub(super) sender: Option<String>,
}

/// Reads one signal. `currency`: of the owner's accounts.
///
/// # Errors
/// The code of the skip.
pub(super) fn read(signal: &Signal, zone: Tz, currency: &str) -> Result<SourcedPayment, UnreadSource> {
    match signal.payload().map_err(|_| WRONG_PAYLOAD)? {
        SignalPayload::BankSms(sms) => bank_sms(sms, signal.at, zone, currency),
        SignalPayload::Transaction(data) => Ok(SourcedPayment {
            payment: transaction(&data, signal.at)?,
            balance: None,
            sender: None,
        }),
        SignalPayload::Notification(_)
        | SignalPayload::Mail(_)
        | SignalPayload::Calendar(_)
        | SignalPayload::Hrv(_)
        | SignalPayload::Sleep(_)
        | SignalPayload::Activity(_)
        | SignalPayload::PhoneUnlock
        | SignalPayload::Location(_)
        | SignalPayload::Dnd(_) => Err(WRONG_PAYLOAD.into()),
    }
}

/// A signal that told of no payment.
pub(super) struct UnreadSource {
    pub(super) code: SkipCode,
    /// Of a message what was read, and the message. Not for a log.
    pub(super) message: Option<Box<(MessageReading, BankSms)>>,
}

impl From<SkipCode> for UnreadSource {
    fn from(code: SkipCode) -> Self {
        Self { code, message: None }
    }
}

impl UnreadSource {
    /// Whether its owner can say what the message means. `counts`: what its sender tells counts.
    pub(super) fn is_question(&self, read: &MessageReading, counts: bool) -> bool {
        let unsure = [code::UNSURE.code, code::AMOUNT.code, code::DATE.code].contains(&self.code.code);
        unsure || (counts && read.speaks_of_money)
    }
}

fn bank_sms(sms: BankSms, at: Timestamp, zone: Tz, currency: &str) -> Result<SourcedPayment, UnreadSource> {
    let context = MessageContext {
        received: zone::local_date(at, zone),
        currency,
    };
    let read = messages::read_message(&sms.from, &sms.body, &context);
    let sender = match read.sender {
        SenderKind::Bank => None,
        SenderKind::Operator
        | SenderKind::Name
        | SenderKind::ShortCode
        | SenderKind::Phone
        | SenderKind::Advertisement
        | SenderKind::Unknown => Some(messages::identity(&sms.from)),
    };
    let payment = match payment(&read, at, zone) {
        Ok(payment) => payment,
        Err(code) => {
            return Err(UnreadSource {
                code,
                message: Some(Box::new((read, sms))),
            });
        }
    };
    let balance = balance(&read, &payment, at);
    Ok(SourcedPayment {
        payment,
        balance,
        sender,
    })
}

/// What the owner's account held when the message came. Of a card it is what may still be spent, and of an account that is not
/// named nobody knows which.
pub(super) fn balance(read: &MessageReading, payment: &FoundPayment, at: Timestamp) -> Option<KnownBalance> {
    let (amount, currency) = read.balance()?;
    let account = read.own_account.as_ref()?;
    match account.kind {
        AccountSlotKind::Account if amount <= MAX_AMOUNT => Some(KnownBalance {
            account_last4: payment.account_last4.clone(),
            currency: currency.to_owned(),
            amount,
            as_of: at,
        }),
        AccountSlotKind::Account | AccountSlotKind::Card => None,
    }
}

/// The payment that a message tells of.
fn payment(read: &MessageReading, at: Timestamp, zone: Tz) -> Result<FoundPayment, SkipCode> {
    let main = read.amount().ok_or(code::NOT_A_PAYMENT)?;
    let direction = read.direction.ok_or(code::NOT_A_PAYMENT)?;
    match read.verdict {
        MessageVerdict::Nothing => return Err(code::NOT_A_PAYMENT),
        MessageVerdict::Payment | MessageVerdict::Question => {}
    }
    let amount = main.value.and_then(believable).ok_or(code::AMOUNT)?;
    if read.verdict == MessageVerdict::Question {
        return Err(code::UNSURE);
    }
    if read.wrong_date {
        return Err(code::DATE);
    }
    let payee = read.payee.as_ref().map_or("", |payee| payee.name.as_str());
    Ok(told(read, (amount, &main.currency), direction, payee, at, zone))
}

/// The payment whose places in a message were marked, by its owner or by a form that they taught; what else the message tells is read.
pub(super) fn marked_payment(
    read: &MessageReading,
    marked: &MarkedReading<'_>,
    at: Timestamp,
    zone: Tz,
) -> FoundPayment {
    let amount = (marked.amount, marked.currency);
    told(read, amount, marked.direction, marked.payee, at, zone)
}

fn told(
    read: &MessageReading,
    (amount, currency): (Decimal, &str),
    direction: Direction,
    payee: &str,
    at: Timestamp,
    zone: Tz,
) -> FoundPayment {
    let today = zone::local_date(at, zone);
    // A clock a few hours apart, or a message just before midnight, may be a day ahead; more is no date of a payment.
    let ts = match read.date {
        Some(date) if date < today => on_day(date, NOON, zone),
        Some(_) | None => at,
    };
    FoundPayment {
        amount,
        currency: currency.to_owned(),
        account_last4: read
            .own_account
            .as_ref()
            .map_or_else(|| NO_ACCOUNT.to_owned(), last_four),
        direction,
        merchant: MerchantName::new(payee),
        ts,
        reference: read.reference.as_ref().map(|reference| reference.number.clone()),
        categorized: false,
        source: PaymentSource::Message,
        category: None,
        which: PaymentOrdinal::Nth(0),
    }
}

/// The last four digits of an account; of one that shows three, with a zero before them.
fn last_four(account: &AccountSlot) -> String {
    let digits = &account.digits;
    let last = digits.get(digits.len().saturating_sub(4)..).unwrap_or(digits);
    format!("{last:0>4}")
}

/// When the text names an earlier day, the payment is put at this local time.
const NOON: NaiveTime = match NaiveTime::from_hms_opt(12, 0, 0) {
    Some(noon) => noon,
    None => NaiveTime::MIN,
};

/// Until when a balance counts whose statement says a day only.
const END_OF_DAY: NaiveTime = match NaiveTime::from_hms_opt(23, 59, 59) {
    Some(end) => end,
    None => NaiveTime::MIN,
};

/// The instant at which a payment of a day is put.
fn on_day(date: NaiveDate, time: NaiveTime, zone: Tz) -> Timestamp {
    Timestamp::from(zone::resolve(date.and_time(time), zone))
}

/// A credit that speaks of a refund is one; a small debit that speaks of a fee or charge is one.
fn refined(direction: Direction, told: &str, amount: Decimal) -> Direction {
    match direction {
        Direction::Credit if fields::speaks_of_refund(told) => Direction::Refund,
        Direction::Debit if amount < Decimal::ONE_HUNDRED && fields::speaks_of_fee(told) => Direction::Fee,
        Direction::Debit | Direction::Credit | Direction::Refund | Direction::Fee => direction,
    }
}

fn transaction(data: &TransactionData, at: Timestamp) -> Result<FoundPayment, SkipCode> {
    let amount = believable(data.amount).ok_or(code::AMOUNT)?;
    let account = data.account_last4.len() == 4 && data.account_last4.bytes().all(|b| b.is_ascii_digit());
    if !is_currency(&data.currency) || !account {
        return Err(code::FIELDS);
    }
    Ok(FoundPayment {
        amount,
        currency: data.currency.clone(),
        account_last4: data.account_last4.clone(),
        direction: data.direction,
        merchant: MerchantName::new(&data.merchant),
        ts: at,
        reference: None,
        categorized: true,
        source: PaymentSource::Program,
        category: None,
        which: PaymentOrdinal::Nth(0),
    })
}
