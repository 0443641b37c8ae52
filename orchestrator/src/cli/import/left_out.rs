//! What an import leaves out because it was forgotten.
//!
//! What: [`since`], from when on it does, and [`read_again`], by which it no longer does. Why: a file that was read is not looked into
//! twice, so what the owner deleted stays away until the owner says otherwise; an import that says nothing of it looks broken. Not here:
//! how far files were read (`agents::again`).

use super::super::{error::CliError, records::local};
use crate::clock::Clock;
use agents::again;
use aura_memory::{
    Options, Reader, Store, StoreError, Vault, Write,
    audit::{Entry, Filter, Kind, Meaning, Op, TargetId},
};
use chrono_tz::Tz;
use serde_json::Value;
use std::{io, sync::mpsc};
use toolcall_schema::Timestamp;

/// What the record of reading everything again is about.
const SOURCES: &str = "sources";

/// When the owner last deleted something that no import has read again since; `None`: nothing is left out.
///
/// # Errors
/// The store cannot be read.
pub(super) fn since(vault: &Vault) -> Result<Option<Timestamp>, CliError> {
    let reader = Reader::open(vault)?;
    let newest = |op, id| {
        let filter = Filter {
            op: Some(op),
            id,
            ..Filter::default()
        };
        reader.audit(&filter, 1).map(|records| records.into_iter().next())
    };
    let deleted = newest(Op::Delete, None)?;
    let again = newest(Op::Import, TargetId::parse(SOURCES).ok())?;
    Ok(deleted
        .filter(|deleted| again.is_none_or(|again| again.seq < deleted.seq))
        .map(|deleted| Timestamp::from_ms(deleted.at_ms)))
}

/// What is said of it.
pub(super) fn sentence(at: Timestamp, zone: Tz) -> String {
    format!(
        "You deleted something on {}. Files that were read before are not read again: `aura import --again` reads all of \
         them, and what they still have of it comes back.",
        local(at, zone)
    )
}

/// Lets every agent read its files from their beginning. Nobody works on the folder.
///
/// # Errors
/// The store cannot be opened or written.
pub(super) fn read_again(vault: &Vault) -> Result<(), CliError> {
    let (store, recovered) = Store::open(vault, Options::default())?;
    let mut writes: Vec<Write> = recovered
        .agent_states
        .iter()
        .filter_map(|(agent, json)| {
            let state: Value = serde_json::from_str(json).ok()?;
            // One of another shape is read anew by its agent.
            let json = again::read_again(*agent, &state).ok()?.to_string();
            Some(Write::AgentState { agent: *agent, json })
        })
        .collect();
    writes.push(Write::Audit(Entry {
        at_ms: Clock::real(None).wall().ms(),
        op: Op::Import,
        meaning: Meaning::one(Kind::Memory, SOURCES),
    }));
    store.write(writes)?;
    let (told, heard) = mpsc::channel();
    store.commit(Box::new(move |done| {
        // Heard below, unless this command is gone.
        let _ = told.send(done);
    }))?;
    match heard.recv() {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(CliError::File(io::Error::other(error))),
        Err(_) => Err(StoreError::Stopped.into()),
    }
}
