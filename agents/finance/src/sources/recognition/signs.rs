//! Which way the money went, where one column holds all amounts.
//!
//! What: [`sign_of`], by the balances, by the signs or by words beside them; [`way_of`], by a column that says it. Why: a bank writes what it
//! took below 0, a card above; where nothing tells, the owner is asked. Not here: two columns of amounts (`columns`).

use rust_decimal::Decimal;

/// What an amount above 0 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AmountSign {
    /// Above 0 came in.
    Signed,
    /// Above 0 went out, as on a card.
    Charged,
}

/// A row as the sign is told from it: its amount as written, the balance, its text in small letters.
#[derive(Debug, Clone)]
pub(super) struct SignedRow {
    pub(super) amount: Decimal,
    pub(super) balance: Option<Decimal>,
    pub(super) text: String,
}

/// Words of what only comes in.
const INCOME: [&str; 14] = [
    "salary",
    "payroll",
    "gehalt",
    "lohn",
    "salaire",
    "nomina",
    "stipendio",
    "ordenado",
    "salaris",
    "palkka",
    "lon ",
    "wynagrodzenie",
    "interest paid",
    "neft cr",
];
/// Words of what comes in on a card's statement, where it is below 0.
const REPAID: [&str; 10] = [
    "payment received",
    "payment thank you",
    "thank you",
    "autopay",
    "zahlung erhalten",
    "einzahlung",
    "refund",
    "gutschrift",
    "prelevement",
    "direct debit payment",
];

/// The sign, and how sure that is; below 60 the owner should be asked.
pub(super) fn sign_of(rows: &[SignedRow]) -> (AmountSign, u8) {
    if let Some(sign) = by_balances(rows) {
        return (sign, 100);
    }
    let below = rows.iter().filter(|row| row.amount.is_sign_negative()).count();
    let above = rows.len() - below;
    let says = |row: &SignedRow, words: &[&str]| words.iter().any(|word| row.text.contains(word));
    let income = rows
        .iter()
        .any(|row| row.amount > Decimal::ZERO && says(row, &INCOME));
    let repaid = rows
        .iter()
        .any(|row| row.amount < Decimal::ZERO && says(row, &REPAID));
    match (income, repaid) {
        (true, false) if below > 0 => return (AmountSign::Signed, 90),
        (false, true) if above > 0 => return (AmountSign::Charged, 90),
        _ => {}
    }
    match (below, above) {
        (0, _) => (AmountSign::Charged, 30),
        (_, 0) => (AmountSign::Signed, 95),
        (below, above) if below >= above => (AmountSign::Signed, 85),
        _ => (AmountSign::Signed, 40),
    }
}

/// By the balances: from row to row they change by the amount, with its sign or against it.
pub(super) fn by_balances(rows: &[SignedRow]) -> Option<AmountSign> {
    let (mut pairs, mut older, mut newer, mut older_against, mut newer_against) =
        (0_usize, 0_usize, 0_usize, 0_usize, 0_usize);
    for pair in rows.windows(2) {
        let [above, below] = pair else { continue };
        let (Some(before), Some(after)) = (above.balance, below.balance) else {
            continue;
        };
        pairs += 1;
        older += usize::from(before + below.amount == after);
        newer += usize::from(after + above.amount == before);
        older_against += usize::from(before - below.amount == after);
        newer_against += usize::from(after - above.amount == before);
    }
    let adds_up = |count: usize| pairs > 0 && count * 10 >= pairs * 9;
    let with = adds_up(older.max(newer));
    let against = adds_up(older_against.max(newer_against));
    match (with, against) {
        (true, false) => Some(AmountSign::Signed),
        (false, true) => Some(AmountSign::Charged),
        (true, true) | (false, false) => None,
    }
}

/// What a column says of a debit, and of a credit, in small letters.
const WAYS: [(&str, &str); 22] = [
    ("dr", "cr"),
    ("dr.", "cr."),
    ("d", "c"),
    ("db", "cr"),
    ("debit", "credit"),
    ("dbit", "crdt"),
    ("debits", "credits"),
    ("s", "h"),
    ("soll", "haben"),
    ("belastung", "gutschrift"),
    ("af", "bij"),
    ("uit", "in"),
    ("out", "in"),
    ("debet", "credit"),
    ("debet", "kredit"),
    ("débit", "crédit"),
    ("addebito", "accredito"),
    ("cargo", "abono"),
    ("débito", "crédito"),
    ("obciążenie", "uznanie"),
    ("money out", "money in"),
    ("-", "+"),
];

/// What a column says of a debit and of a credit, as it spells them; `None` when it says anything else.
pub(super) fn way_of<'a>(cells: impl Iterator<Item = &'a str>) -> Option<(String, String)> {
    let mut said: Vec<&str> = Vec::new();
    for cell in cells {
        if !said.iter().any(|known| known.eq_ignore_ascii_case(cell)) {
            said.push(cell);
        }
        if said.len() > 2 {
            return None;
        }
    }
    let small: Vec<String> = said.iter().map(|cell| cell.to_lowercase()).collect();
    let fits = |(debit, credit): &&(&str, &str)| small.iter().all(|cell| cell == debit || cell == credit);
    let (debit, credit) = (!small.is_empty()).then(|| WAYS.iter().find(fits)).flatten()?;
    let spelt = |word: &str| {
        let own = said.iter().zip(&small).find(|(_, small)| small.as_str() == word);
        own.map_or(word, |(cell, _)| *cell).to_owned()
    };
    Some((spelt(debit), spelt(credit)))
}
