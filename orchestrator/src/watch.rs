//! Looking at the source folders.
//!
//! What: notices that files came, changed or went, and tells the machine whose they are. Why: an unchanged folder costs a
//! walk over its entries and nothing else. Not here: reading them (`agents`).

use crate::backend::Actors;
use agents::agent::Sources;
use orchestrator_machine::What;
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::sync::watch;
use toolcall_schema::AgentName;

/// At most this deep below a source, and so many entries in all.
const DEPTH_MAX: usize = 6;
const ENTRIES_MAX: usize = 200_000;

/// Looks every `every` until told to stop; the first look is the machine's own, at its start.
pub fn folders(backend: Actors, sources: Sources, every: Duration, mut stopped: watch::Receiver<bool>) {
    let mut wall = backend.clock.wall();
    actix::spawn(async move {
        let mut before = prints(sources.clone()).await;
        loop {
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(every) => {}
            }
            let now = prints(sources.clone()).await;
            // A new minute may have come for items that are dated ahead.
            let minute = backend.clock.wall().since(wall) >= 60_000;
            if minute {
                wall = backend.clock.wall();
            }
            for agent in AgentName::FOUR {
                if (minute || now.get(&agent) != before.get(&agent))
                    && let Err(error) = backend.happened(What::Poked { agent })
                {
                    tracing::warn!(agent = agent.as_str(), %error, "not told that its folders changed");
                }
            }
            before = now;
        }
    });
}

async fn prints(sources: Sources) -> BTreeMap<AgentName, u64> {
    // A task that panics or is cancelled sees no change; the next look does.
    tokio::task::spawn_blocking(move || fingerprints(&sources))
        .await
        .unwrap_or_default()
}

/// One number per agent that changes when its sources do: names, sizes and times of change, not contents.
fn fingerprints(sources: &Sources) -> BTreeMap<AgentName, u64> {
    let of = |lists: &[&Vec<PathBuf>]| {
        let mut hasher = DefaultHasher::new();
        let mut left = ENTRIES_MAX;
        for path in lists.iter().flat_map(|list| list.iter()) {
            walk(path, DEPTH_MAX, &mut left, &mut hasher);
        }
        hasher.finish()
    };
    BTreeMap::from([
        (AgentName::Comms, of(&[&sources.mail, &sources.notifications])),
        (AgentName::Calendar, of(&[&sources.calendar])),
        (AgentName::Finance, of(&[&sources.sms])),
        (AgentName::Wellness, of(&[&sources.wellness])),
    ])
}

fn walk(path: &Path, depth: usize, left: &mut usize, hasher: &mut DefaultHasher) {
    let Some(rest) = left.checked_sub(1) else { return };
    *left = rest;
    let Ok(meta) = std::fs::metadata(path) else {
        return 0_u8.hash(hasher);
    };
    if !meta.is_dir() {
        path.hash(hasher);
        meta.len().hash(hasher);
        meta.modified().ok().hash(hasher);
        return;
    }
    let Some(depth) = depth.checked_sub(1) else { return };
    let Ok(entries) = std::fs::read_dir(path) else {
        return;
    };
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    for entry in entries {
        walk(&entry, depth, left, hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_agent_whose_folder_changed_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let (mail, sms) = (dir.path().join("mail"), dir.path().join("sms.jsonl"));
        std::fs::create_dir(&mail).unwrap();
        std::fs::write(&sms, "one\n").unwrap();
        let sources = Sources {
            mail: vec![mail.clone()],
            sms: vec![sms.clone()],
            ..Sources::default()
        };
        let before = fingerprints(&sources);
        assert_eq!(before, fingerprints(&sources));
        std::fs::write(mail.join("new.eml"), "x").unwrap();
        let after = fingerprints(&sources);
        assert_ne!(before[&AgentName::Comms], after[&AgentName::Comms]);
        assert_eq!(before[&AgentName::Finance], after[&AgentName::Finance]);
        std::fs::write(&sms, "one\ntwo\n").unwrap();
        assert_ne!(
            after[&AgentName::Finance],
            fingerprints(&sources)[&AgentName::Finance]
        );
    }
}
