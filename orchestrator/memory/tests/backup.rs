//! One file that holds a whole folder, and a folder made of it.

use aura_memory::{
    Store, StoreError, StoreOptions, StoreReader, StoreWrite, Vault,
    backup::{backup, restore},
    outbox,
    vault::{KeyPrompt, NewPlace, NoPrompt, Passphrase},
    workflows::{AppendOutcome, RunSummary, RunWrite},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};
use tempfile::TempDir;

const CANARY: &str = "marzipan";

struct Says(&'static str);

impl KeyPrompt for Says {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(Passphrase::new(self.0.to_owned())))
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }
}

struct Place {
    dir: TempDir,
    vault: Vault,
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn backup(&self, name: &str, place: &NewPlace) -> Result<(), StoreError> {
        backup(&self.vault, &self.path(name), place, &mut |_, _| ()).map(|_| ())
    }

    fn restore(&self, from: &str, to: &str, ask: &dyn KeyPrompt) -> Result<(), StoreError> {
        let place = NewPlace::File(self.path("new-key"));
        restore(&self.path(from), ask, &self.path(to), &place, &mut |_, _| ()).map(|_| ())
    }

    fn key(&self) -> NewPlace {
        NewPlace::File(self.path("backup-key"))
    }
}

fn folder() -> Place {
    let dir = TempDir::new().unwrap();
    let vault = Vault::create(
        &dir.path().join("data"),
        &NewPlace::File(dir.path().join("key-file")),
    )
    .unwrap();
    Place { dir, vault }
}

fn commit(store: &Store) {
    let (tell, told) = mpsc::channel();
    store
        .commit(Box::new(move |done| tell.send(done.is_ok()).unwrap()))
        .unwrap();
    assert!(told.recv().unwrap());
}

fn fill(place: &Place) -> Store {
    let (store, _) = Store::open(&place.vault, StoreOptions::default()).unwrap();
    for seq in 1..=20 {
        store
            .write(vec![StoreWrite::Event {
                seq,
                at_ms: 0,
                json: format!("{{\"n\":{seq},\"c\":\"{CANARY}\"}}"),
            }])
            .unwrap();
    }
    commit(&store);
    let head = RunSummary {
        run: "aa".to_owned(),
        workflow: CANARY.to_owned(),
        feature: None,
        phase: "working".to_owned(),
        until_ms: None,
        started_ms: 1,
        last_ms: 1,
    };
    let event = RunWrite::Append {
        n: 0,
        json: CANARY.to_owned(),
        summary: head,
    };
    assert_eq!(store.write_run(event).unwrap(), AppendOutcome::Written);
    outbox::put(place.vault.dir(), "reply.txt", CANARY).unwrap();
    fs::create_dir_all(place.vault.dir().join("models")).unwrap();
    fs::write(place.vault.dir().join("models/large.gguf"), CANARY).unwrap();
    fs::write(place.vault.dir().join("models/chosen"), "none\n").unwrap();
    store
}

#[test]
fn folder_comes_back_with_its_seed_and_all_that_was_on_disk() {
    let place = folder();
    let store = fill(&place);
    // Beside the writer, whose log is not written back.
    place
        .backup(
            "whole",
            &NewPlace::Passphrase(Passphrase::new("for the copy".to_owned())),
        )
        .unwrap();
    drop(store);
    let bytes = fs::read(place.path("whole")).unwrap();
    for word in [CANARY.as_bytes(), b"SQLite format", b"outbox"] {
        assert!(!bytes.windows(word.len()).any(|part| part == word), "never plain");
    }
    place.restore("whole", "back", &Says("for the copy")).unwrap();
    let back = Vault::open(&place.path("back"), &NoPrompt).unwrap();
    assert_eq!(back.seed(), place.vault.seed());
    let (_store, recovered) = Store::open(&back, StoreOptions::default()).unwrap();
    assert_eq!(recovered.next_seq, 21);
    assert!(
        recovered
            .events
            .iter()
            .all(|(seq, json)| *json == format!("{{\"n\":{seq},\"c\":\"{CANARY}\"}}"))
    );
    let reader = StoreReader::open(&back).unwrap();
    assert_eq!(reader.run_events("aa", 0).unwrap()[0].json, CANARY);
    let read = |name: &str| fs::read_to_string(back.dir().join(name)).unwrap();
    assert_eq!(
        (read("outbox/reply.txt"), read("models/chosen")),
        (CANARY.to_owned(), "none\n".to_owned())
    );
    assert!(
        !back.dir().join("models/large.gguf").exists(),
        "a model can be fetched again"
    );
}

#[test]
fn backup_beside_a_busy_writer_is_one_moment_of_it() {
    let place = folder();
    let store = fill(&place);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for seq in 21.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                store
                    .write(vec![StoreWrite::Event {
                        seq,
                        at_ms: 0,
                        json: format!("{{\"n\":{seq},\"c\":\"{CANARY}\"}}"),
                    }])
                    .unwrap();
                commit(&store);
            }
        });
        for n in 0..3 {
            place.backup(&format!("b{n}"), &place.key()).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    drop(store);
    let mut before = 20;
    for n in 0..3 {
        place
            .restore(
                &format!("b{n}"),
                &format!("back{n}"),
                &KeyFile(place.path("backup-key")),
            )
            .unwrap();
        let back = Vault::open(&place.path(&format!("back{n}")), &NoPrompt).unwrap();
        let (_store, recovered) = Store::open(&back, StoreOptions::default()).unwrap();
        assert!(recovered.next_seq > before, "{n}");
        assert_eq!(recovered.events.len() as u64, recovered.next_seq - 1);
        before = recovered.next_seq - 1;
    }
}

struct KeyFile(PathBuf);

impl KeyPrompt for KeyFile {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(None)
    }

    fn key_file(&self) -> Option<&Path> {
        Some(&self.0)
    }
}

#[test]
fn backup_that_was_cut_or_changed_anywhere_makes_no_folder() {
    let place = folder();
    drop(fill(&place));
    place.backup("whole", &place.key()).unwrap();
    let bytes = fs::read(place.path("whole")).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        fs::write(place.path("bad"), bytes).unwrap();
        let error = place.restore("bad", "back", &NoPrompt).unwrap_err();
        assert!(
            ["STORE-005", "STORE-012", "STORE-013", "STORE-016"].contains(&error.code()),
            "{what}: {error}"
        );
        let left: Vec<_> = fs::read_dir(place.dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("back") && name != "backup-key")
            .collect();
        assert_eq!(left, Vec::<String>::new(), "{what}");
    };
    let step = bytes.len() / 60;
    for at in (0..bytes.len()).step_by(step) {
        refused(&bytes[..at], &format!("cut at {at}"));
        let mut changed = bytes.clone();
        changed[at] ^= 0x20;
        // White space in the box means nothing.
        if changed[at].is_ascii_whitespace() || bytes[at].is_ascii_whitespace() {
            continue;
        }
        refused(&changed, &format!("changed at {at}"));
    }
    refused(&[&bytes[..], b"x"].concat(), "longer");
}

#[test]
fn second_backup_of_one_name_is_told_so_while_the_first_is_made_whole() {
    let place = folder();
    drop(fill(&place));
    // Of one that was killed.
    fs::write(place.path(".whole.part"), vec![7; 4 << 20]).unwrap();
    let mut second = None;
    backup(&place.vault, &place.path("whole"), &place.key(), &mut |_, _| {
        second.get_or_insert_with(|| place.backup("whole", &place.key()).map_err(|e| e.to_string()));
    })
    .unwrap();
    let why = format!(
        "STORE-016: {} cannot be used for a backup: another backup of that name is being made: wait for it, or name another file",
        place.path("whole").display()
    );
    assert_eq!(second, Some(Err(why)));
    place.restore("whole", "back", &NoPrompt).unwrap();
    for left in [".whole.part", ".whole.db"] {
        assert!(!place.path(left).exists(), "{left}");
    }
}

#[test]
fn nothing_is_overwritten_and_a_wrong_key_is_told_apart() {
    let place = folder();
    drop(fill(&place));
    place.backup("whole", &place.key()).unwrap();
    assert_eq!(
        place.backup("whole", &place.key()).unwrap_err().code(),
        "STORE-016"
    );
    fs::create_dir(place.path("full")).unwrap();
    fs::write(place.path("full/file"), "x").unwrap();
    assert_eq!(
        place.restore("whole", "full", &NoPrompt).unwrap_err().code(),
        "STORE-016"
    );
    assert_eq!(fs::read_to_string(place.path("full/file")).unwrap(), "x");
    fs::write(place.path("backup-key"), [7; 32]).unwrap();
    assert_eq!(
        place.restore("whole", "back", &NoPrompt).unwrap_err().code(),
        "STORE-012"
    );
    assert!(!place.path("back").exists());
}
