//! The vault from inside.
//!
//! What: keys that are right, wrong, gone or misplaced; files of others. Why: only here can a sealed file be made that is wrong in one
//! place. Not here: whole commands (`tests` of the workspace).

use super::*;
use crate::{Store, StoreOptions, StoreReader, StoreWrite, database, workflows::carried_over};
use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};
use tempfile::TempDir;

/// Says this passphrase.
struct Says(&'static str);

impl KeyPrompt for Says {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(Passphrase::new(self.0.to_owned())))
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }
}

/// The key is in this file.
struct InFile(PathBuf);

impl KeyPrompt for InFile {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(None)
    }

    fn key_file(&self) -> Option<&Path> {
        Some(&self.0)
    }
}

fn folders() -> (TempDir, PathBuf, PathBuf) {
    let dir = TempDir::new().unwrap();
    let (data, key) = (dir.path().join("data"), dir.path().join("stick/aura.key"));
    fs::create_dir(dir.path().join("stick")).unwrap();
    (dir, data, key)
}

fn said<T: std::fmt::Debug>(done: Result<T, StoreError>) -> (&'static str, String) {
    let error = done.unwrap_err();
    (error.code(), error.to_string())
}

#[test]
fn folder_opens_with_its_key_file_and_keeps_its_seed() {
    let (_dir, data, key) = folders();
    let made = Vault::create(&data, &NewPlace::File(key.clone())).unwrap();
    let seed = made.seed().clone();
    drop(Store::open(&made, StoreOptions::default()).unwrap());
    drop(made);
    let again = Vault::open(&data, &NoPrompt).unwrap();
    assert_eq!(*again.seed(), seed);
    assert_eq!(again.place(), Some(&KeyPlace::File { path: key.clone() }));
    assert_eq!(StoreReader::open(&again).unwrap().counts().unwrap().events, 0);
    for file in [data.join("key"), key.clone()] {
        assert_eq!(fs::metadata(file).unwrap().mode() & 0o7777, 0o600);
    }
    assert_eq!(fs::read(&key).unwrap().len(), 32);
    // On another path, say because the stick is mounted elsewhere.
    let moved = data.with_extension("moved");
    fs::rename(&key, &moved).unwrap();
    assert_eq!(said(Vault::open(&data, &NoPrompt)).0, "STORE-013");
    assert_eq!(*Vault::open(&data, &InFile(moved)).unwrap().seed(), seed);
}

#[test]
fn folder_opens_with_its_passphrase_and_no_other() {
    let (_dir, data, _) = folders();
    let seed = Vault::create(
        &data,
        &NewPlace::Passphrase(Passphrase::new("correct horse".to_owned())),
    )
    .unwrap()
    .seed()
    .clone();
    assert_eq!(*Vault::open(&data, &Says("correct horse")).unwrap().seed(), seed);
    let wrong = said(Vault::open(&data, &Says("correct horsf")));
    let says = format!(
        "STORE-012: {} does not open with a passphrase: it is not the one that the folder was sealed with",
        data.display()
    );
    assert_eq!(wrong, ("STORE-012", says));
    let nobody = said(Vault::open(&data, &NoPrompt));
    assert_eq!(
        nobody,
        (
            "STORE-013",
            "STORE-013: a passphrase gives no key: nobody can be asked: use a terminal, or name a file with \
             --passphrase-file"
                .to_owned()
        )
    );
    let text = fs::read_to_string(data.join("key")).unwrap();
    assert!(!text.contains("horse"), "{text}");
    assert!(
        text.contains("\"memory_kib\": 65536") && text.contains("\"passes\": 3"),
        "{text}"
    );
}

#[test]
fn wrong_missing_and_misplaced_keys_are_told_apart() {
    let (dir, data, key) = folders();
    Vault::create(&data, &NewPlace::File(key.clone())).unwrap();
    let (right, sealed) = (fs::read(&key).unwrap(), fs::read(data.join("key")).unwrap());
    let open = || said(Vault::open(&data, &NoPrompt)).0;

    fs::write(&key, [7; 32]).unwrap();
    assert_eq!(open(), "STORE-012");
    fs::write(&key, [7; 31]).unwrap();
    assert_eq!(open(), "STORE-013");
    fs::write(&key, right).unwrap();
    fs::set_permissions(&key, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(open(), "STORE-013");
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    Vault::open(&data, &NoPrompt).unwrap();

    // The box points elsewhere, and the file there is the right one: the seal holds for one place.
    let other = dir.path().join("else");
    fs::copy(&key, &other).unwrap();
    let text = String::from_utf8(sealed.clone()).unwrap();
    let pointed = text.replace(&key.display().to_string(), &other.display().to_string());
    fs::write(data.join("key"), pointed).unwrap();
    assert_eq!(open(), "STORE-012");

    fs::write(data.join("key"), text.replace("\"version\": 1", "\"version\": 2")).unwrap();
    assert_eq!(
        said(Vault::open(&data, &NoPrompt)).1,
        format!(
            "STORE-005: the key box {} cannot be used: a newer Aura wrote it: use the newer program",
            data.join("key").display()
        )
    );
    for damaged in [&b""[..], b"{}", &sealed[..sealed.len() / 2], &[7; 31]] {
        fs::write(data.join("key"), damaged).unwrap();
        assert_eq!(open(), "STORE-005");
    }

    fs::write(data.join("aura.db"), "sealed, once").unwrap();
    fs::remove_file(data.join("key")).unwrap();
    assert_eq!(open(), "STORE-011");
    assert_eq!(said(Vault::create(&data, &NewPlace::File(key))).0, "STORE-011");
}

#[test]
fn key_file_in_the_folder_that_it_opens_is_refused() {
    let (_dir, data, _) = folders();
    fs::create_dir(&data).unwrap();
    for inside in [data.join("k"), data.join("../data/k")] {
        assert_eq!(said(Vault::create(&data, &NewPlace::File(inside))).0, "STORE-013");
    }
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
}

#[test]
fn keys_that_were_handed_over_open_the_same_folder() {
    let (_dir, data, key) = folders();
    let made = Vault::create(&data, &NewPlace::File(key.clone())).unwrap();
    drop(Store::open(&made, StoreOptions::default()).unwrap());
    let handed = Vault::handed(&data, &made.hand_over()).unwrap();
    assert_eq!(handed.seed(), made.seed());
    StoreReader::open(&handed).unwrap();
    assert_eq!(said(Vault::handed(&data, b"short")).0, "STORE-012");
}

#[test]
fn files_of_others_are_named_as_such_and_left_alone() {
    let (dir, data, key) = folders();
    let vault = Vault::create(&data, &NewPlace::File(key.clone())).unwrap();
    let other = Vault::create(&dir.path().join("other"), &NewPlace::File(key)).unwrap();
    drop(Store::open(&other, StoreOptions::default()).unwrap());
    crate::test_support::keep_runs_apart(&other, &[]).unwrap();
    let plain = dir.path().join("plain.db");
    let conn = rusqlite::Connection::open(&plain).unwrap();
    conn.execute_batch("CREATE TABLE t (x)").unwrap();
    conn.close().unwrap();
    let text = dir.path().join("text");
    fs::write(&text, "no database at all".repeat(300)).unwrap();
    for (foreign, what) in [
        (plain, "it is a plain SQLite file"),
        (text, "it does not open with the folder's key"),
        (
            other.dir().join("aura.db"),
            "it does not open with the folder's key",
        ),
        // Sealed for another name.
        (
            other.dir().join("workflows.db"),
            "it does not open with the folder's key",
        ),
    ] {
        for name in ["aura.db", "workflows.db"] {
            let file = data.join(name);
            fs::copy(&foreign, &file).unwrap();
            let before = fs::read(&file).unwrap();
            let found = if name == "aura.db" {
                vec![
                    said(Store::open(&vault, StoreOptions::default()).map(|_| ())),
                    said(StoreReader::open(&vault)),
                ]
            } else {
                {
                    // The store goes on without it.
                    drop(Store::open(&vault, StoreOptions::default()).unwrap());
                    vec![said(carried_over(&vault))]
                }
            };
            for (code, says) in found {
                assert_eq!(code, "STORE-014", "{}", foreign.display());
                assert!(
                    says.contains(what) && says.contains(&file.display().to_string()),
                    "{says}"
                );
            }
            assert_eq!(fs::read(&file).unwrap(), before);
            fs::remove_file(file).unwrap();
            for rest in ["aura.db", "aura.db.head"] {
                let _ = fs::remove_file(data.join(rest));
            }
        }
    }
}

#[test]
fn newer_schema_is_refused_by_writer_and_reader() {
    let (_dir, data, key) = folders();
    let vault = Vault::create(&data, &NewPlace::File(key)).unwrap();
    drop(Store::open(&vault, StoreOptions::default()).unwrap());
    let file = data.join("aura.db");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
    let conn = database::open_connection(&vault.database_key("aura.db"), &file, flags).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    conn.close().unwrap();
    let says = format!(
        "STORE-002: {} has schema 99, this program knows up to {}: use the newer program",
        file.display(),
        schema::MIGRATIONS.len()
    );
    let expected = ("STORE-002", says);
    assert_eq!(
        said(Store::open(&vault, StoreOptions::default()).map(|_| ())),
        expected
    );
    assert_eq!(said(StoreReader::open(&vault)), expected);
}

#[test]
fn nothing_readable_is_left_on_disk() {
    let (_dir, data, key) = folders();
    let vault = Vault::create(&data, &NewPlace::File(key)).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    for seq in 1..=50 {
        store
            .write(vec![StoreWrite::Event {
                seq,
                at_ms: 0,
                json: "{\"canary\":\"marzipan\"}".to_owned(),
            }])
            .unwrap();
    }
    drop(store);
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    store
        .write(vec![StoreWrite::Event {
            seq: 51,
            at_ms: 0,
            json: "{\"canary\":\"marzipan\"}".to_owned(),
        }])
        .unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    store
        .commit(Box::new(move |result| tell.send(result.is_ok()).unwrap()))
        .unwrap();
    assert!(told.recv().unwrap());
    // With the log and its index still there.
    for name in ["aura.db", "aura.db-wal", "aura.db-shm"] {
        let bytes = fs::read(data.join(name)).unwrap();
        for word in [&b"marzipan"[..], b"canary", b"SQLite format", b"CREATE TABLE"] {
            assert!(!bytes.windows(word.len()).any(|part| part == word), "{name}");
        }
    }
}

mod reseal;

/// Has only the sheet.
struct OnPaper(String);

impl KeyPrompt for OnPaper {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(None)
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }

    fn recovery_code(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(Passphrase::new(self.0.clone())))
    }
}

#[test]
fn the_last_recovery_sheet_opens_what_the_key_does_until_the_key_is_changed() {
    let (_dir, data, key) = folders();
    let made = Vault::create(&data, &NewPlace::File(key.clone())).unwrap();
    let seed = made.seed().clone();
    drop(Store::open(&made, StoreOptions::default()).unwrap());
    assert!(!has_recovery_sheet(&data));
    let first = made.make_recovery_sheet().unwrap();
    let second = made.make_recovery_sheet().unwrap();
    assert!(has_recovery_sheet(&data) && first.text() != second.text());
    assert_eq!(format!("{second:?}"), "RecoveryCode(..)");
    let groups: Vec<usize> = second.text().split('-').map(str::len).collect();
    assert_eq!(groups, [5; 5]);
    assert_eq!(fs::metadata(data.join("key")).unwrap().mode() & 0o7777, 0o600);
    // Whoever changes the key still waits for who has it open.
    let mut nobody = |_: ResealStep<'_>| Ok(());
    let change = KeyChange::prepare(&data, &NoPrompt, &NewPlace::File(key.with_extension("new"))).unwrap();
    assert_eq!(said(Vault::change(&data, &change, &mut nobody)).0, "STORE-001");
    drop(made);
    // With its key in its place nobody is asked for a sheet.
    let by_key = Vault::open(&data, &OnPaper("wrong".to_owned())).unwrap();
    assert!(!by_key.is_opened_by_recovery());
    drop(by_key);

    fs::remove_file(&key).unwrap();
    assert_eq!(said(Vault::open(&data, &NoPrompt)).0, "STORE-013");
    for wrong in [first.text(), "AAAAA"] {
        assert_eq!(
            said(Vault::open(&data, &OnPaper(wrong.to_owned()))).0,
            "STORE-012"
        );
    }
    // As somebody types it.
    let typed = second
        .text()
        .to_lowercase()
        .replace('-', " ")
        .replace('0', "o")
        .replace('1', "l");
    let opened = Vault::open(&data, &OnPaper(typed.clone())).unwrap();
    assert!(opened.is_opened_by_recovery());
    assert_eq!(
        (opened.seed(), opened.place()),
        (&seed, Some(&KeyPlace::File { path: key.clone() }))
    );
    drop(opened);

    // A new place, by the sheet alone; after that the sheet opens nothing.
    let place = NewPlace::File(key.with_extension("new"));
    let change = KeyChange::prepare(&data, &OnPaper(typed.clone()), &place).unwrap();
    let changed = Vault::change(&data, &change, &mut nobody).unwrap();
    assert!(!changed.is_opened_by_recovery() && !has_recovery_sheet(&data));
    assert_eq!(changed.seed(), &seed);
    drop(changed);
    fs::remove_file(key.with_extension("new")).unwrap();
    assert_eq!(said(Vault::open(&data, &OnPaper(typed))).0, "STORE-013");
}

/// One field of a form: the same text, whatever is asked for.
struct OneField(String);

impl KeyPrompt for OneField {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(Passphrase::new(self.0.clone())))
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }

    fn recovery_code(&self) -> Result<Option<Passphrase>, StoreError> {
        self.passphrase()
    }
}

#[test]
fn who_forgot_the_passphrase_of_an_open_folder_moves_the_key_by_a_sheet() {
    let (_dir, data, key) = folders();
    let words = Passphrase::new("green garden oven".to_owned());
    let made = Vault::create(&data, &NewPlace::Passphrase(words)).unwrap();
    let seed = made.seed().clone();
    drop(Store::open(&made, StoreOptions::default()).unwrap());
    let sheet = made.make_recovery_sheet().unwrap();
    // Who is asked whether it is they types the passphrase, and no code from a drawer.
    for (words, is_it) in [
        ("green garden oven", true),
        ("Green garden oven", false),
        (sheet.text(), false),
        ("", false),
    ] {
        let words = Passphrase::new(words.to_owned());
        assert_eq!(is_passphrase(&data, &words), Some(is_it));
    }
    let prepare =
        |typed: &str| KeyChange::prepare(&data, &OneField(typed.to_owned()), &NewPlace::File(key.clone()));
    for wrong in ["red garden oven", "AAAAA-AAAAA-AAAAA-AAAAA-AAAAA"] {
        assert_eq!(said(prepare(wrong)).0, "STORE-012");
        assert!(!key.exists(), "nothing is made for who cannot open it");
    }
    let change = prepare(sheet.text()).unwrap();
    drop(made);
    let changed = Vault::change(&data, &change, &mut |_: ResealStep<'_>| Ok(())).unwrap();
    assert_eq!(
        (changed.seed(), changed.place()),
        (&seed, Some(&KeyPlace::File { path: key.clone() }))
    );
    assert!(!changed.is_opened_by_recovery() && !has_recovery_sheet(&data));
    let words = Passphrase::new("green garden oven".to_owned());
    assert_eq!(is_passphrase(&data, &words), None, "its key lies in a file now");
}

#[test]
fn a_sheet_costs_no_stretching_and_one_of_an_earlier_aura_opens_as_it_did() {
    let (_dir, data, key) = folders();
    let made = Vault::create(&data, &NewPlace::File(key.clone())).unwrap();
    let seed = made.seed().clone();
    drop(Store::open(&made, StoreOptions::default()).unwrap());
    let cost = |data: &Path| {
        let text = fs::read_to_string(data.join("key")).unwrap();
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        let place = found["recovery"]["place"]["passphrase"].clone();
        (place["memory_kib"].as_u64(), place["passes"].as_u64())
    };
    drop(made.make_recovery_sheet().unwrap());
    assert_eq!(cost(&data), (Some(8), Some(1)));

    // As it was made before: stretched like a passphrase.
    let code = "ABCDE-FGH12-34567-89JKM-NPQRS";
    let words = Passphrase::new(code.replace('-', ""));
    let (place, sealing) = make_key(&NewPlace::Passphrase(words), &data).unwrap();
    let seal = keybox::KeySeal::close(place, &sealing, made.keys()).unwrap();
    let bytes = fs::read(data.join("key")).unwrap();
    let found = keybox::KeyBox::parse(&data.join("key"), &bytes).unwrap();
    found.with_recovery(seal).write(&data, IfExists::Replace).unwrap();
    assert_eq!(cost(&data), (Some(64 * 1024), Some(3)));
    drop(made);
    fs::remove_file(&key).unwrap();
    let opened = Vault::open(&data, &OnPaper(code.to_owned())).unwrap();
    assert!(opened.is_opened_by_recovery());
    assert_eq!(opened.seed(), &seed);
}
