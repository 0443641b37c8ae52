//! What an entry of a journal says about the owner's money.
//!
//! What: [`JournalEntry`] and what payments it tells of. Why: hledger and beancount write the same double entries in two ways. Not
//! here: the two ways (`journal`, `beancount`).

use super::{
    FoundPayment, PaymentOrdinal,
    accounts::{AccountKind, DeclaredAccounts},
    amount::{DecimalMark, NumberStyle, digits_end, number},
    believable,
    currency::{currency_of_commodity, is_currency},
    on_day,
};
use crate::{
    claim::{NO_ACCOUNT, PaymentSource},
    code,
    merchant_name::MerchantName,
};
use agents_base::shared::SkipCode;
use chrono::NaiveDate;
use chrono_tz::Tz;
use rust_decimal::Decimal;
use std::collections::BTreeMap;
use toolcall_schema::{Category, signal::Direction};

/// Postings of one entry that are read.
const MAX_POSTINGS: usize = 256;
/// What may be missing for an entry to balance, for what was rounded: 0.05.
const TOLERANCE: Decimal = Decimal::from_parts(5, 0, 0, false, 2);

/// How much of which currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MoneyAmount {
    pub(super) size: Decimal,
    pub(super) currency: String,
}

/// One line of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JournalPosting {
    pub(super) account: String,
    /// `None`: what balances the entry.
    pub(super) amount: Option<MoneyAmount>,
    /// What the amount cost, where the entry says so; with the amount's sign.
    pub(super) cost: Option<MoneyAmount>,
}

/// One entry of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JournalEntry {
    pub(super) line: u64,
    pub(super) date: NaiveDate,
    pub(super) payee: String,
    pub(super) reference: Option<String>,
    pub(super) postings: Vec<JournalPosting>,
    /// Whether a line of it could not be read.
    pub(super) broken: bool,
}

impl JournalEntry {
    /// The payments of an entry: what goes from the owner's own accounts to expenses, or comes to them from income or as an
    /// expense taken back. One of each own account, as its bank sees it; the category is that of the largest expense. Between
    /// own accounts, and with equity, nothing is paid. A commodity that is no currency counts by what it cost; without a cost it
    /// is no money, and the currencies of the entry count alone.
    ///
    /// # Errors
    /// When it cannot be understood, or tells of no payment only because a commodity or an account is not known.
    pub(super) fn payments(
        &self,
        accounts: &DeclaredAccounts,
        zone: Tz,
    ) -> Result<Vec<FoundPayment>, SkipCode> {
        let lines = self.complete().ok_or(code::JOURNAL_ENTRY)?;
        let of = |wanted: AccountKind| {
            lines
                .iter()
                .filter(move |line| accounts.kind(line.account) == Some(wanted))
        };
        let largest = of(AccountKind::Expense).max_by_key(|line| {
            let money = line.money();
            (is_currency(&money.currency), money.size.abs())
        });
        let (spent, earned) = (largest.is_some(), of(AccountKind::Income).next().is_some());
        let mut own: BTreeMap<&str, Vec<(&str, Decimal)>> = BTreeMap::new();
        for line in of(AccountKind::Own) {
            let money = line.money();
            if !money.size.is_zero() {
                own.entry(&money.currency)
                    .or_default()
                    .push((line.account, money.size));
            }
        }
        let name = MerchantName::new(&self.payee);
        let mut out = Vec::new();
        let mut unknown_commodity = false;
        for (currency, moved) in own {
            for (account, size) in flows(moved).ok_or(code::AMOUNT)? {
                let direction = match (size.is_sign_negative(), spent, earned) {
                    (true, true, _) => Direction::Debit,
                    (false, _, true) => Direction::Credit,
                    (false, true, false) => Direction::Refund,
                    (true, false, _) | (false, false, false) => continue,
                };
                if !is_currency(currency) {
                    unknown_commodity = true;
                    continue;
                }
                let amount = believable(size.abs()).ok_or(code::AMOUNT)?;
                let sorted = largest
                    .filter(|_| direction != Direction::Credit)
                    .and_then(|line| expense(line.account));
                out.push(FoundPayment {
                    amount,
                    currency: currency.to_owned(),
                    account_last4: last4(account),
                    direction,
                    merchant: name.clone(),
                    ts: on_day(self.date, super::NOON, zone),
                    reference: self.reference.clone(),
                    categorized: true,
                    source: PaymentSource::Journal,
                    category: sorted,
                    which: PaymentOrdinal::Nth(0),
                });
            }
        }
        if !out.is_empty() {
            return Ok(out);
        }
        let is_unknown =
            |line: &BalancedPosting<'_>| !line.amount.size.is_zero() && accounts.kind(line.account).is_none();
        if unknown_commodity {
            Err(code::JOURNAL_ENTRY)
        } else if lines.iter().any(is_unknown) {
            Err(code::ACCOUNT_KIND)
        } else {
            Ok(out)
        }
    }

    /// The postings with the one amount that was left out. `None` when more are left out, or they do not balance.
    fn complete(&self) -> Option<Vec<BalancedPosting<'_>>> {
        if self.broken || self.postings.len() > MAX_POSTINGS {
            return None;
        }
        let mut sums: BTreeMap<&str, Decimal> = BTreeMap::new();
        let mut out = Vec::new();
        let mut open = None;
        // What was bought balances as exactly as its price was written.
        let priced = self.postings.iter().any(|posting| posting.cost.is_some());
        for posting in &self.postings {
            match (&posting.amount, open) {
                (Some(amount), _) => {
                    let weight = posting.cost.as_ref().unwrap_or(amount);
                    let sum = sums.entry(&weight.currency).or_default();
                    *sum = sum.checked_add(weight.size)?;
                    out.push(BalancedPosting {
                        account: &posting.account,
                        amount: amount.clone(),
                        cost: posting.cost.as_ref(),
                    });
                }
                (None, None) => open = Some(posting.account.as_str()),
                (None, Some(_)) => return None,
            }
        }
        match (open, sums.len()) {
            (Some(account), _) => out.extend(sums.into_iter().map(|(currency, sum)| BalancedPosting {
                account,
                amount: MoneyAmount {
                    size: -sum,
                    currency: currency.to_owned(),
                },
                cost: None,
            })),
            // Of two commodities one may have been changed into the other.
            (None, 1) if !priced && sums.values().any(|sum| sum.abs() > TOLERANCE) => return None,
            (None, _) => {}
        }
        Some(out)
    }
}

/// A posting whose amount is known.
struct BalancedPosting<'a> {
    account: &'a str,
    amount: MoneyAmount,
    cost: Option<&'a MoneyAmount>,
}

impl BalancedPosting<'_> {
    /// What it counts as: the amount, or the cost of what is no currency.
    fn money(&self) -> &MoneyAmount {
        self.cost
            .filter(|cost| !is_currency(&self.amount.currency) && is_currency(&cost.currency))
            .unwrap_or(&self.amount)
    }
}

/// What moved on own accounts in one currency, one flow an account. In both directions they count as one, with their sum, on the
/// account of the largest part. `None` when they cannot be added.
fn flows(moved: Vec<(&str, Decimal)>) -> Option<Vec<(&str, Decimal)>> {
    let one_way = moved.iter().all(|(_, size)| size.is_sign_negative())
        || moved.iter().all(|(_, size)| size.is_sign_positive());
    if one_way {
        return Some(moved);
    }
    let net = moved
        .iter()
        .try_fold(Decimal::ZERO, |sum, (_, size)| sum.checked_add(*size))?;
    if net.is_zero() {
        return Some(Vec::new());
    }
    let largest = moved
        .iter()
        .filter(|(_, size)| size.is_sign_negative() == net.is_sign_negative())
        .max_by_key(|(_, size)| size.abs());
    Some(largest.map(|(account, _)| (*account, net)).into_iter().collect())
}

/// The four digits with which a part of an own account's name ends, e.g. `assets:bank:hdfc 8841`.
fn last4(account: &str) -> String {
    account
        .rsplit(':')
        .find_map(|part| {
            let digits: Vec<char> = part
                .trim()
                .chars()
                .rev()
                .take_while(char::is_ascii_digit)
                .collect();
            (digits.len() == 4).then(|| digits.into_iter().rev().collect())
        })
        .unwrap_or_else(|| NO_ACCOUNT.to_owned())
}

/// Words of expense accounts.
const EXPENSES: &[(&str, Category)] = &[
    ("groceries", Category::Groceries),
    ("grocery", Category::Groceries),
    ("supermarket", Category::Groceries),
    ("dining", Category::FoodDelivery),
    ("restaurant", Category::FoodDelivery),
    ("restaurants", Category::FoodDelivery),
    ("eating", Category::FoodDelivery),
    ("delivery", Category::FoodDelivery),
    ("coffee", Category::FoodDelivery),
    ("food", Category::FoodDelivery),
    ("transport", Category::Transport),
    ("transportation", Category::Transport),
    ("taxi", Category::Transport),
    ("car", Category::Transport),
    ("auto", Category::Transport),
    ("fuel", Category::Transport),
    ("petrol", Category::Transport),
    ("gas", Category::Transport),
    ("metro", Category::Transport),
    ("parking", Category::Transport),
    ("shopping", Category::Shopping),
    ("clothes", Category::Shopping),
    ("clothing", Category::Shopping),
    ("electronics", Category::Shopping),
    ("household", Category::Shopping),
    ("entertainment", Category::Entertainment),
    ("movies", Category::Entertainment),
    ("games", Category::Entertainment),
    ("hobbies", Category::Entertainment),
    ("utilities", Category::BillsUtilities),
    ("bills", Category::BillsUtilities),
    ("electricity", Category::BillsUtilities),
    ("water", Category::BillsUtilities),
    ("phone", Category::BillsUtilities),
    ("internet", Category::BillsUtilities),
    ("mobile", Category::BillsUtilities),
    ("rent", Category::Rent),
    ("housing", Category::Rent),
    ("education", Category::Education),
    ("school", Category::Education),
    ("tuition", Category::Education),
    ("courses", Category::Education),
    ("health", Category::Health),
    ("medical", Category::Health),
    ("doctor", Category::Health),
    ("pharmacy", Category::Health),
    ("gym", Category::Health),
    ("travel", Category::Travel),
    ("flights", Category::Travel),
    ("hotel", Category::Travel),
    ("hotels", Category::Travel),
    ("vacation", Category::Travel),
    ("gifts", Category::P2pTransfer),
    ("friends", Category::P2pTransfer),
    ("family", Category::P2pTransfer),
    ("subscriptions", Category::Subscriptions),
    ("subscription", Category::Subscriptions),
    ("streaming", Category::Subscriptions),
    ("investment", Category::Investment),
    ("investments", Category::Investment),
    ("insurance", Category::Investment),
];

/// The category of an expense account, by its last part that has a word of the table.
fn expense(account: &str) -> Option<Category> {
    account.rsplit(':').find_map(|part| {
        let part = part.to_lowercase();
        let words: Vec<&str> = part.split(|c: char| !c.is_alphanumeric()).collect();
        EXPENSES
            .iter()
            .find(|(word, _)| words.contains(word))
            .map(|(_, category)| *category)
    })
}

/// An amount with its currency before or behind it: `₹-1,234.50`, `-5 EUR`, `USD 5.00`, `1 234,50 €`. `None` when it is none.
pub(super) fn money(text: &str, mark: DecimalMark, usual: &str) -> Option<MoneyAmount> {
    let mut rest = text.trim();
    let (mut negative, mut currency) = (false, String::new());
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    while let Some(first) = rest.chars().next().filter(|c| !is_number(*c)) {
        if first == '-' || first == '+' {
            negative ^= first == '-';
            rest = rest.get(1..)?.trim_start();
        } else if currency.is_empty() {
            let (name, behind) = symbol(rest)?;
            name.clone_into(&mut currency);
            rest = behind.trim_start();
        } else {
            return None;
        }
    }
    let end = digits_end(rest);
    let (digits, behind) = (rest.get(..end)?, rest.get(end..)?.trim());
    if !behind.is_empty() {
        let (name, more) = symbol(behind)?;
        if !currency.is_empty() || !more.trim().is_empty() {
            return None;
        }
        name.clone_into(&mut currency);
    }
    let size = number(digits, NumberStyle::journal(mark))?;
    let currency = if currency.is_empty() {
        usual.to_owned()
    } else {
        currency_of_commodity(&currency).unwrap_or(currency)
    };
    Some(MoneyAmount {
        size: if negative { -size } else { size },
        currency,
    })
}

/// The name of a commodity at the start of a text, and what is behind it.
fn symbol(text: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.split_once('"');
    }
    let end = text
        .char_indices()
        .find(|(_, c)| c.is_ascii_digit() || c.is_whitespace() || "-+\"".contains(*c))
        .map_or(text.len(), |(i, _)| i);
    let (name, behind) = (text.get(..end)?, text.get(end..)?);
    (!name.is_empty() && !name.contains([';', '@', '=', '(', ')', '{', '}', '*'])).then_some((name, behind))
}

/// The amount and the cost of a posting: `10 AAPL {100 USD} @ 110 USD = 20 AAPL`. What it was bought for counts before what
/// it is worth; the balance that is asserted is not looked at.
pub(super) fn amounts(
    text: &str,
    mark: DecimalMark,
    usual: &str,
) -> Option<(Option<MoneyAmount>, Option<MoneyAmount>)> {
    let text = text.split('=').next().unwrap_or_default().trim();
    let (amount, cost) = match text.find(['@', '{', '(']) {
        Some(at) => (text.get(..at)?, text.get(at..)?),
        None => (text, ""),
    };
    if amount.trim().is_empty() {
        return cost.is_empty().then_some((None, None));
    }
    let money = self::money(amount, mark, usual)?;
    let each = |price: MoneyAmount| -> Option<MoneyAmount> {
        Some(MoneyAmount {
            size: price.size.checked_mul(money.size)?,
            currency: price.currency,
        })
    };
    let whole = |price: MoneyAmount| MoneyAmount {
        size: if money.size.is_sign_negative() {
            -price.size
        } else {
            price.size
        },
        currency: price.currency,
    };
    let inside = |open: &str, close: &str| {
        let (_, rest) = cost.split_once(open)?;
        let (inner, _) = rest.split_once(close)?;
        // A lot may have a date and a label behind its price.
        self::money(inner.split(',').next()?, mark, usual)
    };
    let cost = if cost.contains("{{") {
        inside("{{", "}}").map(whole)
    } else if let Some(price) = inside("{", "}") {
        each(price)
    } else if let Some((_, price)) = cost.split_once("@@") {
        Some(whole(self::money(price.trim_start_matches(')'), mark, usual)?))
    } else if let Some((_, price)) = cost.split_once('@') {
        each(self::money(price.trim_start_matches(')'), mark, usual)?)
    } else {
        None
    };
    Some((Some(money), cost))
}
