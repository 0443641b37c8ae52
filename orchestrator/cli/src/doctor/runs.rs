//! The check of workflows' runs.
//!
//! What: whether their journals can be read, and how many wait or were interrupted. Why: a run that nobody goes on with is noticed by
//! nobody. Not here: the store itself (`folder`).

use super::{DoctorFinding, bad, ok, warn};
use crate::{error::CliError, runs};
use aura_memory::{
    Vault,
    workflows::{carried_over, open_runs},
};
use aura_workflow::{RunHistory, WorkflowError};
use surfaces_base::language::{say, text};

/// So many of the latest runs are looked at.
const LATEST: u32 = 1000;

/// What is to be said of the runs of a data folder; nothing when it has none.
pub(super) fn runs(vault: &Vault) -> Option<DoctorFinding> {
    if let Err(error) = carried_over(vault) {
        return Some(wrong(&error.into()));
    }
    match look(vault) {
        Ok(found) => found,
        Err(CliError::Workflow(error)) => Some(wrong(&error)),
        // The store has a check of its own.
        Err(_) => None,
    }
}

fn wrong(error: &WorkflowError) -> DoctorFinding {
    bad("runs", error.to_string(), text("cli-doctor-runs-move"))
}

fn look(vault: &Vault) -> Result<Option<DoctorFinding>, CliError> {
    let Some(reader) = open_runs(vault)? else {
        return Ok(None);
    };
    let runs = reader.runs(LATEST)?;
    if runs.is_empty() {
        return Ok(None);
    }
    let executed = runs::executed(vault)?;
    let (mut waiting, mut interrupted) = (0, 0);
    for run in &runs {
        // What the journal says counts, and whether it can be read.
        RunHistory::read(&reader, &run.run)?;
        waiting += u32::from(run.phase == "waiting");
        interrupted += u32::from(run.phase == "working" && !executed.contains_key(&run.run));
    }
    let what = say!(
        "cli-doctor-runs-sound",
        count = runs.len(),
        waiting = waiting.to_string(),
        interrupted = interrupted.to_string()
    );
    Ok(Some(if interrupted > 0 {
        warn("runs", what, text("cli-doctor-runs-resume"))
    } else {
        ok("runs", what)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::DoctorLevel;
    use aura_memory::{Store, StoreOptions};
    use aura_workflow::RunJournal;
    use orchestrator_machine::workflow::{definition::parse_workflow, event::RunStart};
    use serde_json::Map;
    use std::{fs, sync::Arc};
    use toolcall_schema::Timestamp;

    #[test]
    fn runs_are_counted_and_a_damaged_journal_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::demo(dir.path()).unwrap();
        assert!(runs(&vault).is_none());
        let text = "name = \"x\"\n[[step]]\nname = \"s\"\nagent = \"a\"\ntask = \"test\"\nobjective = \"Say what to test\"\n";
        let started = RunStart {
            run: "aa".to_owned(),
            project: "/p".to_owned(),
            definition: parse_workflow(text).unwrap().definition,
            feature: None,
            query: String::new(),
            shared: Map::new(),
        };
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        RunJournal::begin(&Arc::new(store), started, Timestamp::from_ms(1)).unwrap();
        let check = runs(&vault).unwrap();
        assert_eq!(
            (check.level, check.what.as_str()),
            (
                DoctorLevel::Warn,
                "sound: 1 run, 0 waiting for you, 1 interrupted"
            )
        );
        fs::write(dir.path().join("workflows.db"), "no database at all, and longer than a header of one hundred bytes, which is what makes it sure to be looked at").unwrap();
        let check = runs(&vault).unwrap();
        assert!(
            check.level == DoctorLevel::Bad && check.what.contains("STORE-014"),
            "{}",
            check.what
        );
    }
}
