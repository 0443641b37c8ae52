//! Which model the owner chose.
//!
//! What: the file `models/chosen`: one line, a model's name or `none`. Why: the choice is the folder's, not one service's. Not here:
//! which models there are (`llm_runtime::manifest`), using one (`aura_process::model_supervisor`).

use crate::{
    error::StoreError,
    files::{IfExists, private_dir, write_atomic},
};
use std::{fs::File, io::Read as _, path::Path};

const NAME: &str = "chosen";
/// What stands in the file when no model is wanted.
const NONE: &str = "none";
/// Bytes of the file that are read: one more than a name may have.
const READ: u64 = 42;

/// The owner's choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// Nothing was chosen yet: the default.
    Default,
    /// No model.
    None,
    /// This one.
    Model(String),
}

/// The choice of a data folder. What cannot be read counts as no choice.
pub fn chosen(data: &Path) -> ModelChoice {
    let mut text = String::new();
    let file = File::open(data.join("models").join(NAME));
    if file
        .and_then(|file| file.take(READ).read_to_string(&mut text))
        .is_err()
    {
        return ModelChoice::Default;
    }
    match text.trim() {
        "" => ModelChoice::Default,
        NONE => ModelChoice::None,
        name => ModelChoice::Model(name.to_owned()),
    }
}

/// Writes the choice down.
///
/// # Errors
/// `STORE-007`
pub fn choose(data: &Path, model: Option<&str>) -> Result<(), StoreError> {
    let dir = data.join("models");
    private_dir(&dir)?;
    let line = format!("{}\n", model.unwrap_or(NONE));
    write_atomic(&dir, NAME, line.as_bytes(), IfExists::Replace)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_kept_and_without_one_it_is_the_default() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(chosen(dir.path()), ModelChoice::Default);
        choose(dir.path(), Some("smollm2")).unwrap();
        assert_eq!(chosen(dir.path()), ModelChoice::Model("smollm2".to_owned()));
        choose(dir.path(), None).unwrap();
        assert_eq!(chosen(dir.path()), ModelChoice::None);
        std::fs::write(dir.path().join("models").join(NAME), "\n").unwrap();
        assert_eq!(chosen(dir.path()), ModelChoice::Default);
    }
}
