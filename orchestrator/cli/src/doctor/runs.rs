//! The check of workflows' runs.
//!
//! What: whether their journals can be read, and how many wait or were interrupted. Why: a run that nobody goes on with is noticed by
//! nobody. Not here: the service's own store (`folder`).

use super::{DoctorFinding, bad, ok, warn};
use aura_memory::{
    StoreError, Vault,
    workflows::{RunLock, RunStore},
};
use aura_workflow::{RunJournal, WorkflowError};

/// So many of the latest runs are looked at.
const LATEST: u32 = 1000;

/// What is to be said of the runs of a data folder; nothing when it has none.
pub(super) fn runs(vault: &Vault) -> Option<DoctorFinding> {
    let store = match RunStore::look(vault) {
        Ok(store) => store?,
        Err(error) => return Some(wrong(&error.into())),
    };
    Some(look(vault, &store).unwrap_or_else(|error| wrong(&error)))
}

fn wrong(error: &WorkflowError) -> DoctorFinding {
    let what = error.to_string();
    bad(
        "runs",
        what,
        "move workflows.db away with its -wal and -shm, or restore a copy; the service does not need it",
    )
}

fn look(vault: &Vault, store: &RunStore) -> Result<DoctorFinding, WorkflowError> {
    if let Some(what) = store.damage()? {
        let file = vault.dir().join("workflows.db");
        return Err(StoreError::Damaged { file, what }.into());
    }
    let runs = store.runs(LATEST)?;
    let (mut waiting, mut interrupted) = (0, 0);
    for head in &runs {
        // What the journal says counts, and whether it can be read.
        RunJournal::look(vault, &head.run)?;
        waiting += u32::from(head.phase == "waiting");
        interrupted +=
            u32::from(head.phase == "working" && RunLock::holder(vault.dir(), &head.run)?.is_none());
    }
    let what = format!(
        "sound: {} runs, {waiting} waiting for you, {interrupted} interrupted",
        runs.len()
    );
    Ok(if interrupted > 0 {
        warn(
            "runs",
            what,
            "`aura workflow status` lists them, `aura workflow resume RUN` goes on",
        )
    } else {
        ok("runs", what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::FindingLevel;
    use orchestrator_machine::workflow::{definition::parse_workflow, event::RunStart};
    use serde_json::Map;
    use std::fs;
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
        RunJournal::begin(&vault, started, Timestamp::from_ms(1)).unwrap();
        let check = runs(&vault).unwrap();
        assert_eq!(
            (check.level, check.what.as_str()),
            (
                FindingLevel::Warn,
                "sound: 1 runs, 0 waiting for you, 1 interrupted"
            )
        );
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(dir.path().join(format!("workflows.db{end}")));
        }
        fs::write(dir.path().join("workflows.db"), "no database at all, and longer than a header of one hundred bytes, which is what makes it sure to be looked at").unwrap();
        let check = runs(&vault).unwrap();
        assert!(
            check.level == FindingLevel::Bad && check.what.contains("STORE-014"),
            "{}",
            check.what
        );
    }
}
