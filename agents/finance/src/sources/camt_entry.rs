//! One entry of a statement of ISO 20022.
//!
//! What: [`CamtEntry`], filled field by field, and the payments it is. Why: an entry may be a batch, whose payments count where they are its sum. Not
//! here: where the fields stand in a file (`camt`).

use super::{
    FoundPayment, NOON,
    amount::{DecimalMark, NumberStyle, number},
    believable,
    currency::is_currency,
    dates::{day_of_xml, of_xml},
    fields, narration,
};
use crate::{claim::PaymentSource, code};
use agents_base::shared::SkipCode;
use chrono_tz::Tz;
use rust_decimal::Decimal;
use toolcall_schema::signal::Direction;

/// Payments of a batch that are looked at; a larger one is one payment.
const MAX_PARTS: usize = 1024;
/// Bytes of a remittance text, of as many lines as there are.
const MAX_REMITTANCE: usize = 1024;
/// Transaction codes (sub-families) of what a bank takes for itself.
const FEES: [&str; 3] = ["CHRG", "FEES", "COMM"];
/// What stands where a reference or a name has to, and there is none.
const NO_REFERENCE: [&str; 2] = ["NOTPROVIDED", "NONREF"];

/// An amount, as written.
#[derive(Debug, Default)]
pub(super) struct CamtAmount {
    text: String,
    pub(super) currency: String,
}

impl CamtAmount {
    pub(super) fn new(text: &str, currency: &str) -> Self {
        Self {
            text: text.to_owned(),
            currency: currency.trim().to_ascii_uppercase(),
        }
    }

    /// XML's decimal: digits and a point, nothing else.
    pub(super) fn size(&self) -> Option<Decimal> {
        let is_plain = self
            .text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        if is_plain {
            number(&self.text, NumberStyle::plain(DecimalMark::Point))
        } else {
            None
        }
    }
}

/// Who paid and who was paid, and those for whom they did.
#[derive(Debug, Default)]
struct CamtParties {
    debtor: String,
    ultimate_debtor: String,
    creditor: String,
    ultimate_creditor: String,
}

impl CamtParties {
    fn name(&self, is_debtor: bool) -> Option<&str> {
        let [last, direct] = if is_debtor {
            [&self.ultimate_debtor, &self.debtor]
        } else {
            [&self.ultimate_creditor, &self.creditor]
        };
        [last, direct].into_iter().find_map(|name| text_of(name))
    }
}

/// One payment of an entry (`TxDtls`).
#[derive(Debug, Default)]
struct CamtPart {
    /// Its own, else that of the transaction, else the instructed one.
    amounts: [CamtAmount; 3],
    way: String,
    /// The bank's own number, and the payer's.
    number: String,
    end_to_end: String,
    parties: CamtParties,
    remittance: String,
}

impl CamtPart {
    /// What it is of the entry, below 0 where it went out.
    fn signed_amount(&self, currency: &str, entry: &str) -> Option<Decimal> {
        let amount = self.amounts.iter().find(|amount| amount.currency == currency)?;
        let way = if self.way.is_empty() { entry } else { &self.way };
        let size = believable(amount.size()?)?;
        Some(if is_credit(way)? { size } else { -size })
    }
}

/// An entry (`Ntry`).
#[derive(Debug, Default)]
pub(super) struct CamtEntry {
    /// On which line it begins.
    pub(super) line: u64,
    amount: CamtAmount,
    way: String,
    is_reversal: bool,
    status: String,
    booked: String,
    valued: String,
    number: String,
    family: String,
    about: String,
    parts: Vec<CamtPart>,
    has_more: bool,
}

/// Whether money came; `None`: it is not said.
fn is_credit(way: &str) -> Option<bool> {
    match way {
        "CRDT" => Some(true),
        "DBIT" => Some(false),
        _ => None,
    }
}

/// A text that says something.
fn text_of(text: &str) -> Option<&str> {
    let is_none = NO_REFERENCE.iter().any(|none| none.eq_ignore_ascii_case(text));
    (!is_none && !narration::is_nothing(text)).then_some(text)
}

impl CamtEntry {
    pub(super) fn new(line: u64) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }

    /// Begins one of its payments.
    pub(super) fn begin_part(&mut self) {
        if self.parts.len() < MAX_PARTS {
            self.parts.push(CamtPart::default());
        } else {
            self.has_more = true;
        }
    }

    /// Takes a field: its place below the entry, its text and its currency.
    pub(super) fn take(&mut self, field: &str, value: &str, currency: &str) {
        let text = match field {
            "/Amt" => return self.amount = CamtAmount::new(value, currency),
            "/RvslInd" => return self.is_reversal = matches!(value, "true" | "1"),
            "/CdtDbtInd" => &mut self.way,
            "/Sts" | "/Sts/Cd" => &mut self.status,
            "/BookgDt/Dt" | "/BookgDt/DtTm" => &mut self.booked,
            "/ValDt/Dt" | "/ValDt/DtTm" => &mut self.valued,
            "/AcctSvcrRef" => &mut self.number,
            "/BkTxCd/Domn/Fmly/SubFmlyCd" => &mut self.family,
            "/AddtlNtryInf" => &mut self.about,
            _ => {
                let field = field.strip_prefix("/NtryDtls/TxDtls");
                // Of a batch that is too large no part counts.
                if let (Some(field), Some(part)) = (field, self.parts.last_mut()) {
                    part.take(field, value, currency);
                }
                return;
            }
        };
        value.clone_into(text);
    }

    /// The payments that it is: those of a batch where they are its sum, else itself.
    pub(super) fn payments(&self, account: &str, zone: Tz) -> Vec<Result<FoundPayment, SkipCode>> {
        let whole = match self.whole() {
            Ok(whole) => whole,
            Err(code) => return vec![Err(code)],
        };
        let currency = &self.amount.currency;
        let signed: Option<Vec<Decimal>> = self
            .parts
            .iter()
            .map(|part| part.signed_amount(currency, &self.way))
            .collect();
        let is_sum = |signed: &Vec<Decimal>| !self.has_more && signed.len() > 1 && sum(signed) == Some(whole);
        if let Some(signed) = signed.filter(is_sum) {
            let mut before = Vec::new();
            let parts = self.parts.iter().zip(signed);
            return parts
                .map(|(part, signed)| {
                    let number = self.number_of_part(part, &mut before);
                    self.payment(Some(part), signed, &number, (account, zone))
                })
                .collect();
        }
        let only = match self.parts.as_slice() {
            [part] => Some(part),
            _ => None,
        };
        let own = only.map_or("", |part| &part.number);
        let number = [self.number.as_str(), own].into_iter().find_map(text_of);
        vec![self.payment(only, whole, number.unwrap_or_default(), (account, zone))]
    }

    /// Its amount, below 0 where it went out.
    fn whole(&self) -> Result<Decimal, SkipCode> {
        if self.status != "BOOK" {
            return Err(code::NOT_COMPLETED);
        }
        let size = self.amount.size().and_then(believable).ok_or(code::AMOUNT)?;
        if !is_currency(&self.amount.currency) {
            return Err(code::STATEMENT_ENTRY);
        }
        let is_credit = is_credit(&self.way).ok_or(code::STATEMENT_ENTRY)?;
        Ok(if is_credit { size } else { -size })
    }

    /// The bank's number of a batch, with what it says of the part and how many before say the same.
    fn number_of_part(&self, part: &CamtPart, before: &mut Vec<String>) -> String {
        let numbers = [&self.number, &part.number].map(|number| text_of(number).unwrap_or_default());
        if numbers.iter().all(|number| number.is_empty()) {
            return String::new();
        }
        let [entry, own] = numbers;
        let number = format!("{entry}|{own}|{}", part.end_to_end);
        let same = before.iter().filter(|other| **other == number).count();
        before.push(number.clone());
        format!("{number}|{same}")
    }

    fn payment(
        &self,
        part: Option<&CamtPart>,
        signed: Decimal,
        number: &str,
        (account, zone): (&str, Tz),
    ) -> Result<FoundPayment, SkipCode> {
        let read = |date: &String| Some((day_of_xml(date)?, of_xml(date, (NOON, zone))?));
        let dated = [&self.booked, &self.valued].into_iter().find_map(read);
        let (day, ts) = dated.ok_or(code::STATEMENT_ENTRY)?;
        let is_credit = signed.is_sign_positive();
        // What comes back is still between the payer and the payee of the first time.
        let from_debtor = is_credit != self.is_reversal;
        let name = part.and_then(|part| {
            let other = || part.parties.name(!from_debtor).filter(|_| self.is_reversal);
            part.parties.name(from_debtor).or_else(other)
        });
        let remittance = part.and_then(|part| text_of(&part.remittance));
        let told = name
            .or(remittance)
            .or_else(|| text_of(&self.about))
            .unwrap_or_default();
        let (payee, in_name) = narration::read(told);
        let end_to_end = part.and_then(|part| narration::number(text_of(&part.end_to_end)?));
        let direction = if is_credit {
            let is_refund = self.is_reversal || fields::speaks_of_refund(told);
            if is_refund {
                Direction::Refund
            } else {
                Direction::Credit
            }
        } else if FEES.contains(&self.family.as_str()) {
            Direction::Fee
        } else {
            Direction::Debit
        };
        Ok(FoundPayment {
            amount: signed.abs(),
            currency: self.amount.currency.clone(),
            account_last4: account.to_owned(),
            direction,
            merchant: payee,
            ts,
            which: narration::which(number, day),
            reference: end_to_end
                .or(in_name)
                .or_else(|| narration::number(remittance.unwrap_or_default())),
            categorized: true,
            source: PaymentSource::Camt,
            category: None,
        })
    }
}

fn sum(amounts: &[Decimal]) -> Option<Decimal> {
    let mut amounts = amounts.iter();
    amounts.try_fold(Decimal::ZERO, |sum, amount| sum.checked_add(*amount))
}

impl CamtPart {
    fn take(&mut self, field: &str, value: &str, currency: &str) {
        let [own, transaction, instructed] = &mut self.amounts;
        let amount = match field {
            "/Amt" => Some(own),
            "/AmtDtls/TxAmt/Amt" => Some(transaction),
            "/AmtDtls/InstdAmt/Amt" => Some(instructed),
            _ => None,
        };
        if let Some(amount) = amount {
            *amount = CamtAmount::new(value, currency);
            return;
        }
        let parties = &mut self.parties;
        let text = match field {
            "/CdtDbtInd" => &mut self.way,
            "/Refs/AcctSvcrRef" => &mut self.number,
            "/Refs/EndToEndId" => &mut self.end_to_end,
            "/RltdPties/Dbtr/Nm" | "/RltdPties/Dbtr/Pty/Nm" => &mut parties.debtor,
            "/RltdPties/UltmtDbtr/Nm" | "/RltdPties/UltmtDbtr/Pty/Nm" => &mut parties.ultimate_debtor,
            "/RltdPties/Cdtr/Nm" | "/RltdPties/Cdtr/Pty/Nm" => &mut parties.creditor,
            "/RltdPties/UltmtCdtr/Nm" | "/RltdPties/UltmtCdtr/Pty/Nm" => &mut parties.ultimate_creditor,
            "/RmtInf/Ustrd" => {
                if self.remittance.len() + value.len() < MAX_REMITTANCE {
                    if !self.remittance.is_empty() {
                        self.remittance.push(' ');
                    }
                    self.remittance.push_str(value);
                }
                return;
            }
            _ => return,
        };
        value.clone_into(text);
    }
}
