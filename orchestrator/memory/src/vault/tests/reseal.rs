//! Sealing a folder anew.
//!
//! What: from every earlier schema, and stopped at each step. Why: a crash at any moment leaves a folder that opens. Not here: the
//! keys themselves (the module above).

use super::*;
use crate::{RecoveredState, schema::MIGRATIONS};
use rusqlite::Connection;
use toolcall_schema::ids::TraceId;

const CANARY: &str = "marzipan";

/// A folder as an earlier Aura left it: the seed alone as its key, plain databases (one still with its log), a raw trace.
fn plain(data: &Path, schema: usize) {
    files::private_dir(&data.join("traces/raw")).unwrap();
    files::write_atomic(data, "key", &[9; 32], IfExists::Replace).unwrap();
    let conn = Connection::open(data.join("aura.db")).unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    fill(&conn, schema);
    let other = Connection::open(data.join("workflows.db")).unwrap();
    other
        .execute_batch(&format!("CREATE TABLE event (run TEXT NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (run, n)) STRICT, WITHOUT ROWID;
            CREATE TABLE head (run TEXT PRIMARY KEY, workflow TEXT NOT NULL, feature TEXT, phase TEXT NOT NULL, until_ms INTEGER, started_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX head_last ON head (last_ms); PRAGMA user_version = 1;
            INSERT INTO head VALUES ('aa', 'w', NULL, 'working', NULL, 1, 1);
            INSERT INTO event VALUES ('aa', 0, 1, '{CANARY}')"))
        .unwrap();
    fs::write(data.join("traces/raw/tr_00000000000a.json"), CANARY).unwrap();
    // As a crash leaves them: the log was not written back.
    for name in ["aura.db", "aura.db-wal"] {
        fs::copy(data.join(name), data.join(format!("{name}.kept"))).unwrap();
    }
    conn.close().unwrap();
    for name in ["aura.db", "aura.db-wal"] {
        fs::rename(data.join(format!("{name}.kept")), data.join(name)).unwrap();
    }
}

/// Three events, a decision and an agent's state, under the schema of that time.
fn fill(conn: &Connection, schema: usize) {
    for sql in &MIGRATIONS[..schema] {
        conn.execute_batch(sql).unwrap();
    }
    conn.pragma_update(None, "user_version", i64::try_from(schema).unwrap())
        .unwrap();
    for seq in 1..=3 {
        conn.execute(
            "INSERT INTO events VALUES (?1, 0, ?2)",
            (seq, format!("{CANARY} {seq}")),
        )
        .unwrap();
    }
    conn.execute("INSERT INTO decisions VALUES ('tr_1', ?1)", [CANARY])
        .unwrap();
    conn.execute("INSERT INTO agent_states VALUES ('comms', ?1)", [CANARY])
        .unwrap();
}

/// The folder holds all of it, at the newest schema.
fn is_whole(vault: &Vault) {
    let (store, recovered): (_, RecoveredState) = Store::open(vault, StoreOptions::default()).unwrap();
    let events: Vec<_> = (1..=3).map(|seq| (seq, format!("{CANARY} {seq}"))).collect();
    assert_eq!(recovered.events, events);
    assert_eq!(
        recovered
            .agent_states
            .values()
            .map(|rows| &rows.whole)
            .collect::<Vec<_>>(),
        [CANARY]
    );
    let reader = StoreReader::open(vault).unwrap();
    assert_eq!(reader.counts().unwrap().decisions, 1);
    assert_eq!(reader.damage().unwrap(), None);
    drop(store);
    assert_eq!(reader.run_events("aa", 0).unwrap()[0].json, CANARY);
    let id = TraceId::parse("tr_00000000000a").unwrap();
    let raw = fs::read(vault.dir().join("traces/raw/tr_00000000000a.json")).unwrap();
    let text = vault
        .key_of(crate::raw::KEY)
        .unseal(id.as_str().as_bytes(), &raw)
        .unwrap();
    assert_eq!(text.as_slice(), CANARY.as_bytes());
}

/// No file below the folder holds any of these words.
pub(super) fn holds_none_of(dir: &Path, words: &[&[u8]]) {
    let mut below = vec![dir.to_owned()];
    while let Some(path) = below.pop() {
        if path.is_dir() {
            below.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        for word in words {
            assert!(
                !bytes.windows(word.len()).any(|part| part == *word),
                "{}",
                path.display()
            );
        }
    }
}

fn stopped() -> StoreError {
    StoreError::Stopped
}

#[test]
fn plain_folder_of_every_earlier_schema_is_sealed_and_lifted() {
    for schema in 1..=2 {
        let (_dir, data, key) = folders();
        plain(&data, schema);
        assert_eq!(standing(&data).unwrap(), VaultStatus::Plain);
        assert_eq!(said(Vault::open(&data, &NoPrompt)).0, "STORE-005");
        let vault = Vault::create(&data, &NewPlace::File(key)).unwrap();
        assert_eq!(
            *vault.seed(),
            OwnerSeed::from_bytes([9; 32]),
            "ids stay as they were"
        );
        is_whole(&vault);
        drop(vault);
        is_whole(&Vault::open(&data, &NoPrompt).unwrap());
        holds_none_of(&data, &[CANARY.as_bytes(), b"SQLite format", &[9; 32]]);
    }
}

#[test]
fn sealed_store_of_every_earlier_schema_is_lifted_and_its_copy_goes() {
    for schema in 1..MIGRATIONS.len() {
        let (_dir, data, key) = folders();
        let vault = Vault::create(&data, &NewPlace::File(key)).unwrap();
        let conn = {
            fs::write(data.join("aura.db"), "").unwrap();
            database::open_as_it_is(&vault.database_key("aura.db"), &data.join("aura.db")).unwrap()
        };
        fill(&conn, schema);
        conn.close().unwrap();
        let (store, recovered) = Store::open(&vault, StoreOptions::default()).unwrap();
        assert_eq!(recovered.events.len(), 3, "schema {schema}");
        drop(store);
        let conn = database::open_reading(&vault.database_key("aura.db"), &data.join("aura.db")).unwrap();
        let version: i64 = conn
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(version, i64::try_from(MIGRATIONS.len()).unwrap());
        drop(conn);
        let mut names: Vec<_> = fs::read_dir(&data)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert!(
            names
                .iter()
                .all(|name| !name.to_string_lossy().contains("before")),
            "{names:?}"
        );
    }
}

/// Stops at each step in turn, as a kill would, and lets the next opening go on.
fn stopped_at_each_step(
    begin: impl Fn(&Path, &Path, &mut ResealProgress<'_>) -> Result<Vault, StoreError>,
    prepare: impl Fn(&Path, &Path),
) -> usize {
    for stop in 0.. {
        let (_dir, data, key) = folders();
        prepare(&data, &key);
        let mut steps = 0;
        let done = begin(&data, &key, &mut |_| {
            steps += 1;
            if steps > stop { Err(stopped()) } else { Ok(()) }
        });
        if let Ok(vault) = done {
            is_whole(&vault);
            return stop;
        }
        // Going on is stopped as well, once.
        let mut again = 0;
        let _ = Vault::open_with(&data, &NoPrompt, &mut |_| {
            again += 1;
            if again > 2 { Err(stopped()) } else { Ok(()) }
        });
        let vault = match standing(&data).unwrap() {
            VaultStatus::Plain => Vault::create(&data, &NewPlace::File(key.with_extension("new"))).unwrap(),
            VaultStatus::New | VaultStatus::Sealed(_) => Vault::open(&data, &NoPrompt).unwrap(),
        };
        is_whole(&vault);
        holds_none_of(&data, &[CANARY.as_bytes(), b"SQLite format", &[9; 32]]);
        drop(vault);
        is_whole(&Vault::open(&data, &NoPrompt).unwrap());
    }
    0
}

#[test]
fn sealing_a_plain_folder_that_is_stopped_at_any_step_is_gone_on_with() {
    let steps = stopped_at_each_step(
        |data, key, progress| Vault::create_with(data, &NewPlace::File(key.with_extension("new")), progress),
        |data, _| plain(data, 2),
    );
    assert!(steps >= 9, "{steps}");
}

/// As the command line does it.
fn change(
    data: &Path,
    ask: &dyn KeyPrompt,
    place: &NewPlace,
    progress: &mut ResealProgress<'_>,
) -> Result<Vault, StoreError> {
    Vault::change(data, &KeyChange::prepare(data, ask, place)?, progress)
}

#[test]
fn change_of_the_key_that_is_stopped_at_any_step_is_gone_on_with() {
    let steps = stopped_at_each_step(
        |data, key, progress| {
            change(
                data,
                &NoPrompt,
                &NewPlace::File(key.with_extension("new")),
                progress,
            )
        },
        |data, key| {
            plain(data, 2);
            Vault::create(data, &NewPlace::File(key.to_owned())).unwrap();
        },
    );
    assert!(steps >= 9, "{steps}");
}

#[test]
fn old_key_opens_nothing_after_a_change_and_the_seed_stays() {
    let (dir, data, key) = folders();
    plain(&data, 2);
    let before = Vault::create(&data, &NewPlace::File(key.clone())).unwrap();
    let (old_key, seed) = (before.database_key("aura.db"), before.seed().clone());
    let taken = said(change(
        &data,
        &NoPrompt,
        &NewPlace::File(key.with_extension("new")),
        &mut |_| Ok(()),
    ));
    assert_eq!(taken.0, "STORE-001", "somebody else has the folder open");
    drop(before);
    let words = NewPlace::Passphrase(Passphrase::new("correct horse".to_owned()));
    let after = change(&data, &NoPrompt, &words, &mut |_| Ok(())).unwrap();
    assert_eq!(*after.seed(), seed);
    assert!(matches!(after.place(), Some(KeyPlace::Passphrase { .. })));
    is_whole(&after);
    drop(after);
    assert_eq!(
        database::open_reading(&old_key, &data.join("aura.db"))
            .unwrap_err()
            .code(),
        "STORE-014"
    );
    // The box names the old place nowhere, so the old key file opens nothing either.
    assert_eq!(said(Vault::open(&data, &InFile(key))).0, "STORE-013");
    is_whole(&Vault::open(&data, &Says("correct horse")).unwrap());
    drop(dir);
}
