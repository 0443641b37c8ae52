//! What one source said of a payment, and what a payment is.
//!
//! What: [`PaymentSource`], [`PaymentClaim`], [`BookedPayment`], and how a claim and a balance are kept in the state. Why: claims are kept, payments are worked
//! out of them. Not here: working them out (`book`, `matching`).

use agents_base::{contract::CsvMapping, currency::is_currency};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    Category, Timestamp,
    forget::ErasureScope,
    ids::{MerchantHash, TxnId, sha256_hex},
    money::AccountBalance,
    signal::Direction,
};

/// The account of a source that names none; it fits every account.
pub(super) const NO_ACCOUNT: &str = "0000";

/// The largest amount that is believed, in its currency. Keeps every sum far from the limits of the decimals.
pub(super) const MAX_AMOUNT: Decimal = Decimal::from_parts(3_567_587_328, 232, 0, false, 0);
/// Decimal places of an amount.
const MAX_SCALE: u32 = 4;

/// An amount without trailing zeros, if it can be one.
pub(super) fn believable(amount: Decimal) -> Option<Decimal> {
    let amount = amount.normalize();
    (amount > Decimal::ZERO && amount <= MAX_AMOUNT && amount.scale() <= MAX_SCALE).then_some(amount)
}

/// The kinds of source, those first whose time and identity count most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub(super) enum PaymentSource {
    /// A bank's message.
    #[default]
    #[serde(rename = "m")]
    Message,
    /// A `transaction` signal of some program.
    #[serde(rename = "p")]
    Program,
    /// A shop's mail.
    #[serde(rename = "r")]
    Receipt,
    /// A statement of ISO 20022.
    #[serde(rename = "x")]
    Camt,
    /// An OFX statement.
    #[serde(rename = "o")]
    Ofx,
    /// A statement of SWIFT's MT940.
    #[serde(rename = "t")]
    Mt940,
    /// A CSV statement.
    #[serde(rename = "c")]
    Csv,
    /// The owner's journal.
    #[serde(rename = "j")]
    Journal,
}

impl PaymentSource {
    /// Whether its file is read from the beginning whenever it grew. Messages and mails are read on from where they were, and what a program posts again is
    /// meant.
    pub(super) fn is_read_whole(self) -> bool {
        match self {
            Self::Camt | Self::Ofx | Self::Mt940 | Self::Csv | Self::Journal => true,
            Self::Message | Self::Program | Self::Receipt => false,
        }
    }

    /// In the order in which they are matched.
    pub(super) const ALL: [Self; 8] = [
        Self::Message,
        Self::Program,
        Self::Receipt,
        Self::Camt,
        Self::Ofx,
        Self::Mt940,
        Self::Csv,
        Self::Journal,
    ];

    /// Whether its dates are those on which the bank booked, up to three days after the payment.
    pub(super) fn is_statement(self) -> bool {
        match self {
            Self::Camt | Self::Ofx | Self::Mt940 | Self::Csv => true,
            Self::Message | Self::Program | Self::Receipt | Self::Journal => false,
        }
    }
}

/// Digits of each part of a [`CsvReading`].
const FILE_DIGITS: usize = 6;
const MAPPING_DIGITS: usize = 4;

/// Of which export a claim was read, and by which of the owner's mappings: two digests, one after the other. What a file says by another mapping takes the
/// place of what it said before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct CsvReading(String);

impl CsvReading {
    /// Of the file `key` with that header; `mapping`: the owner's, `None` where the file was recognised. What it is called by does not count. Recognised files
    /// count as read in one way: what is recognised may hang on what else the file holds.
    pub(super) fn new(key: &str, header: &[String], mapping: Option<&CsvMapping>) -> Self {
        let digits =
            |text: &str, many: usize| sha256_hex(text.as_bytes()).chars().take(many).collect::<String>();
        let by = mapping.map(|mapping| CsvMapping {
            name: String::new(),
            ..mapping.clone()
        });
        let by = by.and_then(|mapping| serde_json::to_string(&mapping).ok());
        Self(format!(
            "{}{}",
            digits(&format!("{key}\n{}", header.join("\n")), FILE_DIGITS),
            digits(&by.unwrap_or_default(), MAPPING_DIGITS)
        ))
    }

    /// Whether the same file was read by another mapping.
    pub(super) fn is_replaced_by(&self, other: &Self) -> bool {
        self != other && self.0.get(..FILE_DIGITS) == other.0.get(..FILE_DIGITS)
    }
}

/// What one source said of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaymentClaim {
    pub(super) merchant: MerchantHash,
    /// More than 0, without trailing zeros.
    pub(super) amount: Decimal,
    pub(super) currency: String,
    pub(super) account_last4: String,
    pub(super) ts: Timestamp,
    pub(super) category: Category,
    /// Whether `categorize` gave the category out, or it was sorted before us.
    pub(super) categorized: bool,
    pub(super) direction: Direction,
    pub(super) source: PaymentSource,
    /// The first 8 hexadecimal digits of the reference's keyed hash.
    pub(super) reference: Option<String>,
    /// Whether memory knows the payment by this claim's id.
    pub(super) told: bool,
    /// Of an export: how it was read.
    pub(super) reading: Option<CsvReading>,
}

/// One payment: the six fields that may be kept, its direction, and whether its category was given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BookedPayment {
    pub(super) merchant: MerchantHash,
    /// More than 0.
    pub(super) amount: Decimal,
    pub(super) currency: String,
    pub(super) account_last4: String,
    pub(super) ts: Timestamp,
    pub(super) category: Category,
    /// Whether `categorize` gave the category out, or it was sorted before us.
    pub(super) categorized: bool,
    pub(super) direction: Direction,
    /// Whether it went from one of the owner's accounts to another.
    pub(super) transfer: bool,
}

impl BookedPayment {
    /// Debits and fees are spending; credits, refunds and transfers between own accounts are not.
    pub(super) fn is_spend(&self) -> bool {
        !self.transfer
            && match self.direction {
                Direction::Debit | Direction::Fee => true,
                Direction::Credit | Direction::Refund => false,
            }
    }
}

/// A claim in the state: (id, merchant, amount, currency, account, milliseconds, category, categorized, direction, source,
/// reference, told, the payment it tells of where that has another id, how an export was read). A row without names, because thousands of them must fit into 1 MiB. Rows of `finance.v1` end with the
/// direction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ClaimRow(
    TxnId,
    MerchantHash,
    #[serde(with = "rust_decimal::serde::str")] Decimal,
    String,
    String,
    i64,
    Category,
    bool,
    Direction,
    #[serde(default)] PaymentSource,
    #[serde(default)] Option<String>,
    #[serde(default = "yes")] bool,
    #[serde(default)] Option<TxnId>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<CsvReading>,
);

fn yes() -> bool {
    true
}

impl ClaimRow {
    /// A claim of a payment as it is kept.
    pub(super) fn from_claim(id: &TxnId, claim: &PaymentClaim, payment: Option<&TxnId>) -> Self {
        Self(
            id.clone(),
            claim.merchant.clone(),
            claim.amount,
            claim.currency.clone(),
            claim.account_last4.clone(),
            claim.ts.ms(),
            claim.category,
            claim.categorized,
            claim.direction,
            claim.source,
            claim.reference.clone(),
            claim.told,
            payment.filter(|payment| *payment != id).cloned(),
            claim.reading.clone(),
        )
    }

    /// The claim that was kept; `None` when no source could have said it.
    pub(super) fn read(self) -> Option<(TxnId, PaymentClaim)> {
        if !is_currency(&self.3) {
            return None;
        }
        let claim = PaymentClaim {
            merchant: self.1,
            amount: believable(self.2)?,
            currency: self.3,
            account_last4: self.4,
            ts: Timestamp::from_ms(self.5),
            category: self.6,
            categorized: self.7,
            direction: self.8,
            source: self.9,
            reference: self.10,
            told: self.11,
            reading: self.13,
        };
        Some((self.0, claim))
    }

    /// Whether it is to be forgotten.
    pub(super) fn is_forgotten_by(&self, what: &ErasureScope) -> bool {
        what.covers_time(self.ts()) || self.names_one_of(what)
    }

    /// Whether its id or its merchant is to be forgotten.
    pub(super) fn names_one_of(&self, what: &ErasureScope) -> bool {
        what.covers_thing(self.0.as_str()) || what.covers_thing(self.1.as_str())
    }

    pub(super) fn id(&self) -> &TxnId {
        &self.0
    }

    /// The payment that it tells of.
    pub(super) fn payment(&self) -> &TxnId {
        self.12.as_ref().unwrap_or(&self.0)
    }

    pub(super) fn source(&self) -> PaymentSource {
        self.9
    }

    pub(super) fn ts(&self) -> Timestamp {
        Timestamp::from_ms(self.5)
    }

    /// The claim of the lowest rank says when its payment was.
    pub(super) fn rank(&self) -> (PaymentSource, Timestamp, &TxnId) {
        (self.9, self.ts(), &self.0)
    }
}

/// An account's balance in the state: (last four digits, currency, amount, milliseconds).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct BalanceRow(
    pub(super) String,
    pub(super) String,
    #[serde(with = "rust_decimal::serde::str")] pub(super) Decimal,
    pub(super) i64,
);

impl BalanceRow {
    /// The last digits of the account, and its balance.
    pub(super) fn into_told(self) -> (String, AccountBalance) {
        let Self(account_last4, currency, amount, ms) = self;
        let balance = AccountBalance {
            amount,
            currency,
            as_of: Timestamp::from_ms(ms),
        };
        (account_last4, balance)
    }
}
