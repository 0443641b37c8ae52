//! Test support: runs SQL statements on a store.
//!
//! What: [`edit`] runs one statement on a stopped folder. Why: tests show what is said of a store that whoever has its key changed.
//! Not here: anything that Aura does itself.

use crate::{database, error::StoreError, vault::Vault};

/// Runs one statement; how many rows it changed.
///
/// # Errors
/// STORE-014 when the store does not open, STORE-007 when the statement fails.
pub fn edit(vault: &Vault, statement: &str) -> Result<usize, StoreError> {
    let file = vault.dir().join(database::FILE);
    let conn = database::open_as_it_is(&vault.database_key(database::FILE), &file)?;
    conn.execute(statement, []).map_err(|e| StoreError::sql(&file, e))
}
