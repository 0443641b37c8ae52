//! What the columns of an export without a header hold.
//!
//! What: [`identify`], by the cells alone: a date, what went out or came in, a balance that adds up, text. Why: some banks write the rows and
//! nothing above them, and a statement is recognisable by what it holds. What the cells leave open is asked, as it is of other files; what two
//! answers could fit is not taken for a statement. Not here: files with a header (`columns`).

use super::{
    super::amount::DecimalMark,
    columns::{ColumnGuess, Columns},
    is_iban,
    signs::{self, AmountSign, SignedRow},
    table::Table,
    values::{self, DateColumn},
    with_sign,
};
use agents_base::{contract::ColumnRole, currency::is_currency};
use rust_decimal::Decimal;

/// How sure a column is that only its cells tell.
const BY_CELLS: u8 = 60;
/// A balance that adds up says of each column of money what it is.
const ADDS_UP: u8 = 90;

/// What a table without a header holds.
pub(super) struct HeadlessColumns {
    pub(super) columns: Columns,
    /// Nothing tells which of two columns is what went out: the first is taken for it, and the owner is asked.
    pub(super) sides_open: bool,
}

/// The columns of money, and how sure that is.
struct MoneyColumns {
    roles: Vec<(usize, ColumnRole)>,
    confidence: u8,
    sides_open: bool,
}

/// What each column holds. `None`: this is no statement, or two readings fit.
pub(super) fn identify(table: &Table) -> Option<HeadlessColumns> {
    let count = table.header.fields.len();
    let cells = |column: usize| table.cells(column).collect::<Vec<_>>();
    let filled = |column: usize| cells(column).len();
    let is_date = |column: &usize| {
        filled(*column) * 2 >= table.rows.len() && DateColumn::from_cells(&cells(*column)).is_some()
    };
    let dates: Vec<usize> = (0..count).filter(is_date).collect();
    let mark = values::mark_of(
        (0..count)
            .filter(|i| !dates.contains(i))
            .flat_map(|i| table.cells(i)),
    )
    .0;
    let is_money = |column: &usize| {
        let cells = cells(*column);
        !dates.contains(column)
            && !cells.is_empty()
            && cells.iter().all(|cell| values::amount(cell, mark).is_some())
            && cells.iter().any(|cell| values::is_like_money(cell))
    };
    let money: Vec<usize> = (0..count).filter(is_money).collect();
    let is_currency_column =
        |column: &usize| filled(*column) > 0 && cells(*column).iter().all(|cell| is_currency(cell));
    let letters = |cell: &&&str| cell.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    let is_text = |column: &usize| {
        let cells = cells(*column);
        !dates.contains(column)
            && !money.contains(column)
            && !is_currency_column(column)
            && cells.iter().filter(letters).count() * 2 > cells.len()
            && !cells.iter().all(|cell| is_iban(cell))
    };
    let way = (0..count).find(|i| {
        !money.contains(i)
            && !dates.contains(i)
            && filled(*i) == table.rows.len()
            && signs::way_of(table.cells(*i)).is_some()
    });
    // The text that differs most is what the payment was; one that never differs is a heading.
    let different = |column: usize| {
        let mut cells = cells(column);
        cells.sort_unstable();
        cells.dedup();
        cells.len()
    };
    let mut texts: Vec<usize> = (0..count).filter(is_text).filter(|i| Some(*i) != way).collect();
    texts.sort_by_key(|column| (std::cmp::Reverse(different(*column)), *column));
    let found = money_columns(table, &money, mark, way.is_some())?;

    let mut columns = Columns(vec![None; count]);
    let mut set = |column: usize, role, confidence| {
        if let Some(place) = columns.0.get_mut(column) {
            *place = Some(ColumnGuess { role, confidence });
        }
    };
    set(*dates.first()?, ColumnRole::Date, BY_CELLS);
    for column in dates.iter().skip(1) {
        set(*column, ColumnRole::ValueDate, BY_CELLS);
    }
    for (rank, column) in texts.iter().enumerate() {
        let confidence = BY_CELLS.saturating_sub(u8::try_from(rank).unwrap_or(u8::MAX));
        set(*column, ColumnRole::Narration, confidence);
    }
    texts.first()?;
    for (column, role) in found.roles {
        set(column, role, found.confidence);
    }
    if let Some(way) = way {
        set(way, ColumnRole::Way, BY_CELLS);
    }
    if let Some(currency) = (0..count).find(is_currency_column) {
        set(currency, ColumnRole::Currency, BY_CELLS);
    }
    let is_own_account = |column: &usize| {
        let cells = cells(*column);
        cells.len() == table.rows.len() && different(*column) == 1 && cells.iter().all(|cell| is_iban(cell))
    };
    if let Some(account) = (0..count).find(is_own_account) {
        set(account, ColumnRole::Account, BY_CELLS);
    }
    Some(HeadlessColumns {
        columns,
        sides_open: found.sides_open,
    })
}

/// What the columns of money are.
fn money_columns(table: &Table, money: &[usize], mark: DecimalMark, has_way: bool) -> Option<MoneyColumns> {
    let read = |row: &super::table::TableRow, column: usize| {
        values::amount(row.field(column), mark).map(|read| with_sign(&read))
    };
    let adds_up = |amount: &dyn Fn(&super::table::TableRow) -> Option<Decimal>, balance: usize| {
        let rows: Vec<SignedRow> = table
            .rows
            .iter()
            .filter_map(|row| {
                Some(SignedRow {
                    amount: amount(row)?,
                    balance: read(row, balance),
                    text: String::new(),
                })
            })
            .collect();
        signs::by_balances(&rows)
    };
    let pairs = money
        .iter()
        .flat_map(|one| money.iter().map(move |other| (*one, *other)))
        .filter(|(one, other)| one != other);
    // One column of amounts and its balance: exactly one pair of columns may add up.
    let is_full = |column: usize| table.cells(column).count() * 10 >= table.rows.len() * 9;
    let mut with_balance = pairs.clone().filter(|(amount, balance)| {
        is_full(*amount) && adds_up(&|row| read(row, *amount), *balance).is_some()
    });
    if let Some((amount, balance)) = with_balance.next() {
        return with_balance.next().is_none().then(|| MoneyColumns {
            roles: vec![(amount, ColumnRole::Amount), (balance, ColumnRole::Balance)],
            confidence: ADDS_UP,
            sides_open: false,
        });
    }
    let mut apart = pairs.filter(|(one, other)| one < other && super::are_apart(table, *one, *other));
    if let Some((one, other)) = apart.next() {
        let amount = |row: &super::table::TableRow| match (read(row, one), read(row, other)) {
            (Some(out), None) => Some(-out.abs()),
            (None, Some(back)) => Some(back),
            (Some(out), Some(back)) => Some(back - out.abs()),
            (None, None) => None,
        };
        let balance = money
            .iter()
            .filter(|column| ![one, other].contains(column))
            .find_map(|column| Some((*column, adds_up(&amount, *column)?)));
        let (debit, credit) = match balance {
            Some((_, AmountSign::Charged)) => (other, one),
            Some((_, AmountSign::Signed)) | None => (one, other),
        };
        let mut roles = vec![(debit, ColumnRole::Debit), (credit, ColumnRole::Credit)];
        roles.extend(balance.map(|(column, _)| (column, ColumnRole::Balance)));
        return apart.next().is_none().then_some(MoneyColumns {
            roles,
            confidence: if balance.is_some() { ADDS_UP } else { BY_CELLS },
            sides_open: balance.is_none(),
        });
    }
    match money {
        // A column that is always there; others would be a balance that does not add up.
        [only] => {
            let is_sure = has_way
                || table.cells(*only).any(values::is_surely_money)
                || table.cells(*only).all(values::is_like_money);
            is_sure.then(|| MoneyColumns {
                roles: vec![(*only, ColumnRole::Amount)],
                confidence: BY_CELLS,
                sides_open: false,
            })
        }
        _ => None,
    }
}
