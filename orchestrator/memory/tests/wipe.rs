//! Destroying a folder, and being interrupted at it.

use aura_memory::{
    Store, StoreError, StoreOptions, StoreWrite, Vault, outbox, test_support,
    vault::{self, NewPlace, NoPrompt, VaultStatus},
    wipe,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A folder with something of each kind in it, and a copy of its key file.
fn folder() -> (TempDir, PathBuf, PathBuf) {
    let dir = TempDir::new().unwrap();
    let (data, key) = (dir.path().join("data"), dir.path().join("stick"));
    let vault = Vault::create(&data, &NewPlace::File(key.clone())).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    store
        .write(vec![StoreWrite::Event {
            seq: 1,
            at_ms: 0,
            json: "{\"canary\":\"marzipan\"}".to_owned(),
        }])
        .unwrap();
    drop(store);
    test_support::keep_runs_apart(&vault, &[]).unwrap();
    outbox::put(&data, "reply.txt", "marzipan").unwrap();
    fs::create_dir_all(data.join("errors")).unwrap();
    fs::write(data.join("errors/quarantine_calls.jsonl"), "marzipan").unwrap();
    std::os::unix::fs::symlink(dir.path().join("outside"), data.join("outbox/link")).unwrap();
    fs::write(dir.path().join("outside"), "not ours").unwrap();
    (dir, data, key)
}

fn left(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

#[test]
fn wipe_leaves_an_empty_folder_and_touches_nothing_outside() {
    let (dir, data, key) = folder();
    let files = wipe::plan(&data).unwrap();
    assert_eq!(files[0], data.join("key"), "the key goes first");
    wipe::wipe(&data, &mut |_| Ok(())).unwrap();
    assert_eq!(left(&data), Vec::<PathBuf>::new());
    assert_eq!(
        fs::read_to_string(dir.path().join("outside")).unwrap(),
        "not ours"
    );
    assert!(key.exists(), "a key file is its owner's");
    assert_eq!(Vault::open(&data, &NoPrompt).unwrap_err().code(), "STORE-004");
}

#[test]
fn wipe_that_is_interrupted_at_any_step_is_ended_by_the_next_opening() {
    for stop in 0.. {
        let (dir, data, _key) = folder();
        let (copy, before) = (dir.path().join("copy"), fs::read(data.join("aura.db")).unwrap());
        let mut steps = 0;
        let done = wipe::wipe(&data, &mut |_| {
            steps += 1;
            if steps > stop {
                Err(StoreError::Stopped)
            } else {
                Ok(())
            }
        });
        if done.is_ok() {
            assert!(stop > 10, "{stop} steps");
            break;
        }
        if stop == 0 {
            // Nothing was begun.
            Vault::open(&data, &NoPrompt).unwrap();
            continue;
        }
        // From the moment the files begin to go, what is left of them opens with no key.
        if stop >= 2 {
            assert!(!data.join("key").exists(), "step {stop}");
            fs::create_dir(&copy).unwrap();
            fs::write(copy.join("aura.db"), before).unwrap();
            assert_eq!(Vault::open(&copy, &NoPrompt).unwrap_err().code(), "STORE-011");
        }
        assert_eq!(vault::standing(&data).unwrap(), VaultStatus::New, "step {stop}");
        assert_eq!(left(&data), Vec::<PathBuf>::new(), "step {stop}");
    }
}

#[test]
fn folder_that_a_service_works_on_is_not_wiped() {
    let (_dir, data, _key) = folder();
    let vault = Vault::open(&data, &NoPrompt).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    assert_eq!(
        wipe::wipe(&data, &mut |_| Ok(())).unwrap_err().code(),
        "STORE-001"
    );
    drop(store);
    Vault::open(&data, &NoPrompt).unwrap();
}
