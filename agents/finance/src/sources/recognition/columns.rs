//! What each column of an export holds.
//!
//! What: [`Columns`], by the names of the columns and by their cells. Why: a name says what a bank means, the cells whether it is true. Not
//! here: words (`header_words`), signs (`signs`).

use super::{header_words, signs, table::Table, values, values::DateColumn};
use agents_base::{contract::ColumnRole, currency::is_currency};

/// How sure a column is that only its cells tell.
const BY_CELLS: u8 = 60;

/// What a column holds, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColumnGuess {
    pub(super) role: ColumnRole,
    pub(super) confidence: u8,
}

/// What the columns of a table hold, in their order; `None` of one that is not known.
#[derive(Debug)]
pub(super) struct Columns(pub(super) Vec<Option<ColumnGuess>>);

impl Columns {
    pub(super) fn identify(table: &Table) -> Self {
        let guess = |(i, name): (usize, &String)| {
            let fitting = header_words::roles_of(name)
                .into_iter()
                .find(|(role, _)| fits(table, i, *role))?;
            Some(ColumnGuess {
                role: fitting.0,
                confidence: fitting.1,
            })
        };
        let mut columns = Self(table.header.fields.iter().enumerate().map(guess).collect());
        columns.add_by_cells(table);
        columns
    }

    /// The surest column of a role, of equally sure ones the first.
    pub(super) fn best(&self, role: ColumnRole) -> Option<(usize, u8)> {
        self.all(role).into_iter().next()
    }

    /// The columns of a role, the surest first.
    pub(super) fn all(&self, role: ColumnRole) -> Vec<(usize, u8)> {
        let of_role = |(i, guess): (usize, &Option<ColumnGuess>)| {
            guess
                .filter(|guess| guess.role == role)
                .map(|guess| (i, guess.confidence))
        };
        let mut found: Vec<(usize, u8)> = self.0.iter().enumerate().filter_map(of_role).collect();
        found.sort_by_key(|(_, confidence)| std::cmp::Reverse(*confidence));
        found
    }

    /// What no name tells: a date, the only column of money, the text that differs most.
    fn add_by_cells(&mut self, table: &Table) {
        if self.best(ColumnRole::Date).is_none() {
            let value = self.best(ColumnRole::ValueDate).map(|(i, _)| i);
            let dated =
                value.or_else(|| self.unknown(table, &|cells| DateColumn::from_cells(cells).is_some()));
            self.set(dated, ColumnRole::Date);
        }
        let money = [ColumnRole::Amount, ColumnRole::Debit, ColumnRole::Credit];
        if money.iter().all(|role| self.best(*role).is_none()) {
            let only = self.unknown(table, &|cells| {
                cells.iter().all(|cell| values::is_amount(cell))
                    && cells.iter().any(|cell| values::is_surely_money(cell))
            });
            self.set(only, ColumnRole::Amount);
        }
        if self.best(ColumnRole::Payee).is_none() && self.best(ColumnRole::Narration).is_none() {
            let letters = |cell: &&&str| cell.chars().filter(|c| c.is_alphabetic()).count() >= 3;
            let told = self.unknown(table, &|cells| {
                cells.iter().filter(letters).count() * 2 > cells.len()
            });
            self.set(told, ColumnRole::Narration);
        }
    }

    /// The first column of no known role whose cells are like this.
    fn unknown(&self, table: &Table, like: &dyn Fn(&[&str]) -> bool) -> Option<usize> {
        (0..self.0.len()).find(|i| {
            let cells: Vec<&str> = table.cells(*i).collect();
            self.0.get(*i) == Some(&None) && cells.len() * 2 >= table.rows.len().max(1) && like(&cells)
        })
    }

    fn set(&mut self, column: Option<usize>, role: ColumnRole) {
        if let Some(place) = column.and_then(|i| self.0.get_mut(i)) {
            *place = Some(ColumnGuess {
                role,
                confidence: BY_CELLS,
            });
        }
    }
}

/// Whether the cells of a column can be what its name says.
fn fits(table: &Table, column: usize, role: ColumnRole) -> bool {
    let cells = || table.cells(column);
    let filled = cells().count();
    let at_least = |of_100: usize, fits: &dyn Fn(&str) -> bool| {
        filled > 0 && cells().filter(|cell| fits(cell)).count() * 100 >= filled * of_100
    };
    let share = |fits: &dyn Fn(&str) -> bool| at_least(90, fits);
    // What cannot be read is left out later, row by row.
    let are_amounts = || at_least(75, &values::is_amount);
    match role {
        ColumnRole::Date => {
            DateColumn::from_cells(&cells().collect::<Vec<_>>()).is_some() && filled * 2 >= table.rows.len()
        }
        ColumnRole::ValueDate => DateColumn::from_cells(&cells().collect::<Vec<_>>()).is_some(),
        // In a short file one side may be empty.
        ColumnRole::Debit | ColumnRole::Credit => filled == 0 || are_amounts(),
        ColumnRole::Amount => are_amounts() && filled * 10 >= table.rows.len() * 9,
        ColumnRole::Balance => are_amounts(),
        ColumnRole::Currency => share(&|cell| is_currency(&cell.to_ascii_uppercase())),
        ColumnRole::Way => signs::way_of(cells()).is_some(),
        ColumnRole::Account => share(&|cell| cell.bytes().filter(u8::is_ascii_digit).count() >= 3),
        // Numbers that come twice would make two payments one.
        ColumnRole::Reference => {
            let mut different: Vec<&str> = cells().collect();
            different.sort_unstable();
            different.dedup();
            filled > 0 && different.len() * 20 >= filled * 19
        }
        ColumnRole::Payee | ColumnRole::Narration => {
            share(&|cell| !values::is_like_money(cell) || !values::is_amount(cell))
        }
        ColumnRole::State => filled > 0,
        ColumnRole::CounterAccount | ColumnRole::Other => true,
    }
}
