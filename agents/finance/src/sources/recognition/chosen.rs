//! An export of which its owner says which column holds what.
//!
//! What: [`choose`], a recognition with the columns that she chose, and what must be asked about those. Why: a column that was guessed wrongly is
//! put right where the rows are shown. What she left as it was stays as it was. Not here: guessing (`columns`), the page (`surfaces`).

use super::{
    ColumnRole, amounts, banks,
    columns::{ColumnGuess, Columns},
    headless, separator,
    table::Table,
    values::{self, DateColumn},
};
use agents_base::contract::{AmountColumns, CsvQuestion, CsvRecognition};
use toolcall_schema::preview::StatementColumns;

/// The mapping and the questions by the columns that were chosen; its rows are those of before. `None`: a column is not there, or its cells are
/// nothing of that kind.
pub(crate) fn choose(
    head: &[u8],
    complete: bool,
    recognition: &CsvRecognition,
    chosen: &StatementColumns,
) -> Option<CsvRecognition> {
    let (table, columns) = table_of(head, complete)?;
    let names = table.names();
    let place = |name: &String| names.iter().position(|known| known == name);
    let is_there = |name: &Option<String>| name.as_ref().is_none_or(|name| place(name).is_some());
    let optional = [&chosen.payee, &chosen.text, &chosen.balance];
    if !optional.into_iter().all(is_there) {
        return None;
    }
    let was = recognition.columns_in_use();
    let mut found = recognition.clone();
    if chosen.date != was.date {
        let dates = DateColumn::from_cells(&table.cells(place(&chosen.date)?).collect::<Vec<_>>())?;
        found
            .questions
            .retain(|asked| !matches!(asked, CsvQuestion::DayFirst { .. }));
        found.mapping.date.clone_from(&chosen.date);
        found.mapping.date_formats.clone_from(&dates.day_first);
        if !dates.month_first.is_empty() {
            found.questions.push(CsvQuestion::DayFirst {
                text: dates.example,
                day_first: dates.day_first,
                month_first: dates.month_first,
            });
        }
    }
    let money = |choice: &StatementColumns| {
        (
            choice.amount.clone(),
            choice.money_out.clone(),
            choice.money_in.clone(),
        )
    };
    if money(chosen) != money(&was) {
        let mut asked = Vec::new();
        let (amount, decimal) = match (&chosen.amount, &chosen.money_out, &chosen.money_in) {
            (None, Some(debit), Some(credit)) => {
                let cells = table.cells(place(debit)?).chain(table.cells(place(credit)?));
                let apart = AmountColumns::Apart {
                    debit: debit.clone(),
                    credit: credit.clone(),
                };
                (apart, separator(values::mark_of(cells).0))
            }
            (Some(column), None, None) => {
                let only = with_only_amount(columns, place(column)?);
                let (amount, decimal, _) = amounts(&table, &only, &names, &mut asked)?;
                (amount, decimal)
            }
            _ => return None,
        };
        found
            .questions
            .retain(|asked| !matches!(asked, CsvQuestion::MoneyOut { .. }));
        found.questions.append(&mut asked);
        (found.mapping.amount, found.mapping.decimal) = (amount, decimal);
    }
    if (&chosen.payee, &chosen.text) != (&was.payee, &was.text) {
        found.mapping.payee = chosen.payee.iter().chain(&chosen.text).cloned().collect();
        found.mapping.payer = Vec::new();
    }
    if chosen.balance != was.balance {
        found.mapping.balance.clone_from(&chosen.balance);
    }
    Some(found)
}

/// The table that is recognised, with what its columns seem to hold.
fn table_of(head: &[u8], complete: bool) -> Option<(Table, Columns)> {
    let bank = banks::find(head, complete).map(|(_, table, _)| table);
    if let Some(table) = bank.or_else(|| Table::find(head, complete)) {
        let columns = Columns::identify(&table);
        return Some((table, columns));
    }
    let table = Table::find_headless(head, complete)?;
    let columns = headless::identify(&table)?.columns;
    Some((table, columns))
}

/// The columns with that one as the only one of money that went out or came in.
fn with_only_amount(mut columns: Columns, amount: usize) -> Columns {
    let money = [ColumnRole::Amount, ColumnRole::Debit, ColumnRole::Credit];
    for (i, column) in columns.0.iter_mut().enumerate() {
        if i == amount {
            *column = Some(ColumnGuess {
                role: ColumnRole::Amount,
                confidence: 100,
            });
        } else if column.is_some_and(|guess| money.contains(&guess.role)) {
            *column = None;
        }
    }
    columns
}
