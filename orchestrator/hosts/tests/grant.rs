//! An owner's key reaches a host by her grant.
//!
//! What: `aura-hosts join`, `grant`, `grants` and `revoke` as processes, over a log in a file and one on a server. Why: a host that has nothing but its key
//! pair and the log serves who granted herself to it, no other host opens anything, and the log sees neither keys nor names. Not here: where grants are kept
//! (`aura_hosts::contract`), taking over (`takeover`).

use crate::{
    jetstream::bytes_below,
    support::{
        NatsServer,
        service::{OwnerHost, OwnerKey, command, serving},
    },
    takeover::{FENCED, LogFile, ServedLog, start_with},
};
use aura_hosts::{
    ENTRIES_MAX, GrantPlace, HostAddress, HostKey, HostPublicKey, JournalLog, OwnerSubject, SealedGrant,
    open_with,
};
use aura_memory::{
    Store, StoreError, StoreOptions, StoreReader, Vault,
    vault::{KeyPlace, NewPlace, NoPrompt, Passphrase},
};
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;
use toolcall_schema::ids::{OwnerSeed, hex};

/// What an owner is called who must not be found in a log.
const NAME: &str = "miriam-lindqvist";

/// A machine that has its key pair and nothing else.
struct BareHost(TempDir);

impl BareHost {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn key_file(&self) -> PathBuf {
        self.0.path().join("config/aura/host.key")
    }

    fn join_in(&self, into: &[&str], log: Option<&impl ServedLog>) -> Output {
        let mut join = command(&["join"]);
        join.args(into)
            .args(log.map(ServedLog::arguments).unwrap_or_default());
        self.on_this_host(&mut join).output().unwrap()
    }

    fn on_this_host<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("XDG_CONFIG_HOME", self.0.path().join("config"))
            .env("AURA_OWNERS", self.0.path().join("owners"))
            // Nobody is logged in: there is no keyring.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
    }

    /// What it says of each grant.
    fn join(&self, log: &impl ServedLog) -> Vec<Value> {
        let said = self.join_in(&[], Some(log));
        let lines = String::from_utf8(said.stdout).unwrap();
        let lines: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(!lines.is_empty(), "{}", String::from_utf8_lossy(&said.stderr));
        lines[1..].to_vec()
    }

    /// What became of the only grant; with what is wrong with it.
    fn take(&self, log: &impl ServedLog) -> String {
        let said = self.join(log);
        assert_eq!(said.len(), 1, "{said:?}");
        let outcome = said[0]["grant"].as_str().unwrap();
        let code = said[0]["why"].as_str().and_then(|why| why.split_once(':'));
        code.map_or_else(|| outcome.to_owned(), |(code, _)| format!("{outcome} {code}"))
    }

    fn public_key(&self) -> HostPublicKey {
        HostKey::load(&self.key_file()).unwrap().public()
    }

    fn address(&self) -> HostAddress {
        self.public_key().address()
    }

    fn owner(&self) -> PathBuf {
        self.0.path().join("owners").join(NAME)
    }

    fn vault(&self) -> Vault {
        Vault::open(&self.owner(), &NoPrompt).unwrap()
    }
}

fn run(words: &[&str], data: &Path, log: &impl ServedLog, more: &[&str]) -> Output {
    let mut command = command(words);
    command.arg("--data").arg(data).args(log.arguments()).args(more);
    command.output().unwrap()
}

fn succeed(words: &[&str], data: &Path, log: &impl ServedLog, more: &[&str]) -> String {
    let said = run(words, data, log, more);
    assert!(
        said.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&said.stderr)
    );
    String::from_utf8(said.stdout).unwrap()
}

/// A new host that was told its key.
fn joined() -> BareHost {
    let host = BareHost::new();
    let said = host.join_in(&[], None::<&NatsServer>);
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    let key = host.public_key();
    assert_eq!(said["host_key"], key.to_string());
    assert_eq!(said["fingerprint"], key.fingerprint());
    assert_eq!(HostPublicKey::parse(&key.to_string()), Some(key));
    host
}

fn grant(data: &Path, log: &impl ServedLog, host: &BareHost) {
    let key = host.public_key().to_string();
    succeed(&["grant"], data, log, &["--yes", "--to", &key]);
}

/// The only grant to a host.
fn granted_to(log: &impl ServedLog, host: &BareHost) -> SealedGrant {
    let mut found = log.grants().grants_for(&host.address()).unwrap();
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn bare_host_serves_who_granted_herself(log: &impl ServedLog) {
    let owner = OwnerKey::new();
    let here = owner.folder(NAME);
    let first = start_with(&owner, &here, log, None, &[]);
    let token = first.token.clone();
    let (phone, card) = first.ask_owner();
    first.kill();
    drop(phone);

    let host = joined();
    assert_eq!(host.join(log), Vec::<Value>::new());
    grant(&here, log, &host);
    assert_eq!(host.take(log), "taken");
    assert_eq!(host.take(log), "known");
    assert_eq!((mode(&host.key_file()), mode(&host.owner())), (0o600, 0o700));
    let Some(KeyPlace::File { path }) = host.vault().place().cloned() else {
        panic!("another place");
    };
    assert!(
        !path.starts_with(host.owner()) && mode(&path) == 0o600,
        "{}",
        path.display()
    );

    // Nothing is left but that host and the log.
    fs::remove_dir_all(&here).unwrap();
    let second = start_with(&owner, &host.owner(), log, Some(&token), &["--take-over"]);
    assert_eq!(second.card()["prompts"], card["prompts"], "the same button");
    let _phone = second.phone();
    second.confirm(&card);
    second.wait_until_confirmed();
}

#[test]
fn bare_host_serves_who_granted_herself_by_a_log_in_a_file() {
    let dir = TempDir::new().unwrap();
    bare_host_serves_who_granted_herself(&LogFile(&dir.path().join("log.db")));
}

#[test]
fn bare_host_serves_who_granted_herself_by_a_log_on_a_server() {
    bare_host_serves_who_granted_herself(&NatsServer::start());
}

fn grant_opens_for_its_host_its_owner_and_its_time_alone(log: &impl ServedLog) {
    let owner = OwnerKey::new();
    let here = owner.folder(NAME);
    let (host, other) = (joined(), joined());
    grant(&here, log, &host);
    let first = granted_to(log, &host);

    // What is for one host is nothing for another, wherever it is put.
    assert_eq!(other.join(log), Vec::<Value>::new());
    let moved = |owner: &OwnerSubject, host: &BareHost, bytes: &[u8]| {
        let place = GrantPlace {
            owner: owner.clone(),
            host: host.address(),
        };
        log.grants()
            .put_grant(&SealedGrant::from_bytes(place, bytes))
            .unwrap();
    };
    let hers = &first.place.owner;
    moved(hers, &other, &first.to_bytes());
    assert_eq!(other.take(log), "refused GRANT-001");
    assert!(!other.owner().exists());

    // Nor is it another owner's, or with another byte.
    let another = OwnerSubject::derive(&OwnerSeed::from_bytes([7; 32]));
    log.grants().remove_grant(&first.place).unwrap();
    moved(&another, &host, &first.to_bytes());
    assert_eq!(host.take(log), "refused GRANT-001");
    log.grants().remove_grant(&granted_to(log, &host).place).unwrap();
    let length = first.to_bytes().len();
    for byte in [0, 3, 4, 40, 70, length / 2] {
        let mut changed = first.to_bytes();
        changed[byte] ^= 1;
        moved(hers, &host, &changed);
        assert_eq!(host.take(log), "refused GRANT-001", "byte {byte}");
    }
    moved(hers, &host, &[]);
    assert_eq!(host.take(log), "refused GRANT-001");
    assert!(!host.owner().exists());

    // An older one that is put back is not taken.
    moved(hers, &host, &first.to_bytes());
    assert_eq!(host.take(log), "taken");
    grant(&here, log, &host);
    let second = granted_to(log, &host);
    assert_eq!(host.take(log), "renewed");
    moved(hers, &host, &first.to_bytes());
    assert_eq!(host.take(log), "refused GRANT-002");
    moved(hers, &host, &second.to_bytes());
    assert_eq!(host.take(log), "known");
}

#[test]
fn grant_opens_for_its_host_its_owner_and_its_time_alone_by_a_log_in_a_file() {
    let dir = TempDir::new().unwrap();
    grant_opens_for_its_host_its_owner_and_its_time_alone(&LogFile(&dir.path().join("log.db")));
}

#[test]
fn grant_opens_for_its_host_its_owner_and_its_time_alone_by_a_log_on_a_server() {
    grant_opens_for_its_host_its_owner_and_its_time_alone(&NatsServer::start());
}

/// Neither her keys, nor her name, nor the host's key are in these bytes.
fn check_says_nothing(folder: &Path, owner: &Vault, host: &BareHost) {
    let mut seen = Vec::new();
    bytes_below(folder, &mut seen);
    let holds = |bytes: &[u8]| seen.windows(bytes.len()).any(|part| part == bytes);
    let subject = OwnerSubject::derive(owner.seed());
    assert!(
        holds(subject.as_str().as_bytes()) && holds(host.address().as_str().as_bytes()),
        "it was looked for in the right place"
    );
    assert!(!holds(NAME.as_bytes()), "her name");
    let public = host.public_key().to_string();
    let hidden = [fs::read(host.key_file()).unwrap(), public.into_bytes()];
    for key in owner
        .hand_over()
        .chunks(32)
        .chain(hidden.iter().map(Vec::as_slice))
    {
        assert!(!holds(key) && !holds(hex(key).as_bytes()), "a key");
    }
}

#[test]
fn log_sees_neither_keys_nor_names() {
    let dir = TempDir::new().unwrap();
    let file = LogFile(&dir.path().join("log.db"));
    let server = NatsServer::start();
    let owner = OwnerKey::new();
    let here = owner.folder(NAME);
    let host = joined();
    for folder in [dir.path(), server.folder()] {
        let is_file = folder == dir.path();
        if is_file {
            grant(&here, &file, &host);
            assert_eq!(host.take(&file), "taken");
        } else {
            grant(&here, &server, &host);
            assert_eq!(host.take(&server), "renewed");
        }
        check_says_nothing(folder, &owner.vault(&here), &host);
    }
    let said = succeed(&["grants"], &here, &server, &[]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["fingerprint"], host.public_key().fingerprint());
    assert_eq!(said["name"], NAME);
}

/// A service that ends by itself: its exit code and what it said.
fn refused_start(
    owner: &OwnerKey,
    data: &Path,
    log: &impl ServedLog,
    host: &BareHost,
) -> (Option<i32>, String) {
    let arguments = log.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut serving = serving(owner, data, &arguments);
    let ended = host
        .on_this_host(&mut serving)
        .arg("--take-over")
        .stderr(Stdio::piped())
        .output();
    let ended = ended.unwrap();
    (
        ended.status.code(),
        String::from_utf8_lossy(&ended.stderr).into_owned(),
    )
}

fn opens<L: ServedLog>(vault: &Vault, log: &L) -> Result<(), StoreError> {
    let open = log.opens();
    open_with(ENTRIES_MAX, move |owner| Ok(open(owner)))(vault).map(drop)
}

fn host_that_was_taken_back_gets_nothing_new(log: &impl ServedLog) {
    let owner = OwnerKey::new();
    let here = owner.folder(NAME);
    let (host, other) = (joined(), joined());
    for host in [&host, &other] {
        grant(&here, log, host);
        assert_eq!(host.take(log), "taken");
    }
    let old = granted_to(log, &host);
    let serving = start_with(&owner, &host.owner(), log, None, &[]);
    let token = serving.token.clone();
    let _page = serving.ask_owner();

    let fingerprint = host.public_key().fingerprint();
    let unknown = run(&["revoke"], &here, log, &["--from", "0000-0000"]);
    assert_eq!(unknown.status.code(), Some(1));
    let begun = Instant::now();
    succeed(&["revoke"], &here, log, &["--from", &fingerprint]);
    assert_eq!(serving.end(), FENCED);
    // It writes nothing for a minute, by which it would be told as well.
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "who ran her is told at once"
    );

    // It is no more granted, and what it holds opens nothing: as itself, and as whoever has its files.
    assert_eq!(host.join(log), Vec::<Value>::new());
    let check_opens_nothing = || {
        let opened = opens(&host.vault(), log);
        assert!(matches!(opened, Err(StoreError::LogUnfit { .. })), "{opened:?}");
    };
    check_opens_nothing();
    let (code, said) = refused_start(&owner, &host.owner(), log, &host);
    assert!(code == Some(4) && said.contains("STORE-019"), "{code:?} {said}");
    log.grants().put_grant(&old).unwrap();
    assert_eq!(host.take(log), "known");
    check_opens_nothing();
    let subject = OwnerSubject::derive(host.vault().seed());
    let open = log.opens();
    assert_eq!(
        open(&subject).keys().unwrap().len(),
        1,
        "the keys that it opened are gone"
    );

    // The other host opens it with its new grant, and goes on with her.
    assert!(opens(&other.vault(), log).is_err());
    assert_eq!(other.take(log), "renewed");
    opens(&other.vault(), log).unwrap();
    let goes_on = start_with(&owner, &other.owner(), log, Some(&token), &["--take-over"]);
    assert_eq!(
        goes_on.request("GET", "/v1/now", None).0,
        200,
        "her device is known"
    );
    goes_on.kill();
    // The machine that took the host back as well.
    start_with(&owner, &here, log, Some(&token), &["--take-over"]).kill();
}

#[test]
fn host_that_was_taken_back_gets_nothing_new_by_a_log_in_a_file() {
    let dir = TempDir::new().unwrap();
    host_that_was_taken_back_gets_nothing_new(&LogFile(&dir.path().join("log.db")));
}

#[test]
fn host_that_was_taken_back_gets_nothing_new_by_a_log_on_a_server() {
    host_that_was_taken_back_gets_nothing_new(&NatsServer::start());
}

#[test]
fn owner_with_a_passphrase_and_a_past_is_asked_and_then_opens_by_herself_there() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("log.db");
    let log = LogFile(&file);
    let words = dir.path().join("words");
    fs::write(&words, "quiet river under glass\n").unwrap();
    let here = dir.path().join(NAME);
    let place = NewPlace::Passphrase(Passphrase::new("quiet river under glass".to_owned()));
    let vault = Vault::create(&here, &place).unwrap();
    let options = StoreOptions {
        remote_log: Some(open_with(ENTRIES_MAX, {
            let open = log.opens();
            move |owner| Ok(open(owner))
        })),
        ..StoreOptions::default()
    };
    let store = Store::open(&vault, options).unwrap().0;
    store
        .put_policy("0".repeat(64), "of her past".to_owned())
        .unwrap();
    store.commit_now().unwrap();
    drop(store);

    let host = joined();
    let key = host.public_key().to_string();
    let words = words.to_str().unwrap();
    let asked = run(
        &["grant"],
        &here,
        &log,
        &["--to", &key, "--passphrase-file", words],
    );
    let said = String::from_utf8(asked.stdout).unwrap();
    assert_eq!(asked.status.code(), Some(1), "nobody said yes");
    assert!(
        said.contains("without that passphrase") && said.contains(&host.public_key().fingerprint()),
        "{said}"
    );
    assert_eq!(host.join(&log), Vec::<Value>::new());
    let wrong = key.replace(&key[40..44], if &key[40..44] == "0000" { "1111" } else { "0000" });
    let copied = run(
        &["grant"],
        &here,
        &log,
        &["--yes", "--to", &wrong, "--passphrase-file", words],
    );
    assert_eq!(copied.status.code(), Some(2), "a key that was copied wrongly");

    succeed(
        &["grant"],
        &here,
        &log,
        &["--yes", "--to", &key, "--passphrase-file", words],
    );
    assert_eq!(host.take(&log), "taken");
    let owner = OwnerKey::new();
    let served = start_with(&owner, &host.owner(), &log, None, &[]);
    assert_eq!(served.request("GET", "/v1/now", None).0, 200);
    OwnerHost::kill(served);
    let kept = StoreReader::open(&host.vault()).unwrap();
    assert_eq!(
        kept.policy(&"0".repeat(64)).unwrap().as_deref(),
        Some("of her past")
    );
}

#[test]
fn another_owners_folder_of_the_same_name_stays() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("log.db");
    let log = LogFile(&file);
    let (owner, namesake) = (OwnerKey::new(), OwnerKey::new());
    let host = joined();
    grant(&owner.folder(NAME), &log, &host);
    assert_eq!(host.take(&log), "taken");
    let box_before = fs::read(host.owner().join("key")).unwrap();
    grant(&namesake.folder(NAME), &log, &host);
    let said = host.join(&log);
    let refused: Vec<&Value> = said.iter().filter(|said| said["grant"] == "refused").collect();
    assert_eq!((said.len(), refused.len()), (2, 1), "{said:?}");
    assert!(
        refused[0]["why"].as_str().unwrap().starts_with("GRANT-003"),
        "{said:?}"
    );
    assert_eq!(fs::read(host.owner().join("key")).unwrap(), box_before);
    // Into a folder of one's own.
    let alone = dir.path().join("alone");
    let said = host.join_in(&["--data", alone.to_str().unwrap()], Some(&log));
    assert!(String::from_utf8(said.stdout).unwrap().contains("\"taken\""));
    Vault::open(&alone, &NoPrompt).unwrap();
}
