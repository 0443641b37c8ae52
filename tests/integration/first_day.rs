//! The first start: `aura` and nothing else.
//!
//! What: a person with an empty home folder types one word. Why: nothing has to be written or chosen before there is a page. Not here:
//! the pages (`tests/browser`), when a browser is opened (a test of `aura_cli::browser`).

use crate::support::{
    home_folder::HomeFolder,
    plain_http::http,
    wait::{exit_within, until},
};
use aura_memory::{Vault, vault::NoPrompt};
use rustix::process::{Pid, getsid};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A person's home folder, and what she types in a terminal.
struct NewOwner(HomeFolder);

impl NewOwner {
    fn new() -> Self {
        Self(HomeFolder::new())
    }

    fn data(&self) -> PathBuf {
        self.0.at(".local/share/aura")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.command(args);
        command
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("AURA_PORT", "0")
            .stdin(Stdio::null());
        command
    }

    /// Exit code, what it said, and what it complained about.
    fn says(&self, args: &[&str], more: &[(&str, &str)]) -> (Option<i32>, String, String) {
        let done = self.command(args).envs(more.iter().copied()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    }

    /// A browser that notes the address it is given.
    fn browser(&self) -> (String, PathBuf) {
        let (program, noted) = (self.0.at("browser"), self.0.at("noted"));
        fs::write(
            &program,
            format!("#!/bin/sh\necho \"$1\" >> '{}'\n", noted.display()),
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        (program.to_str().unwrap().to_owned(), noted)
    }
}

impl NewOwner {
    /// Aura as a desktop starts it: in a session of its own, which has no terminal. With the port of the page that asks.
    fn started_by_menu(&self) -> (Child, u16) {
        let (browser, noted) = self.browser();
        let _ = fs::remove_file(&noted);
        let aura = Command::new("setsid")
            .args(["--wait", env!("CARGO_BIN_EXE_aura")])
            .env_clear()
            .env("HOME", self.0.at(""))
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("AURA_PORT", "0")
            .envs([("DISPLAY", ":0"), ("BROWSER", browser.as_str())])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let port = until("the page that asks", || {
            let noted = fs::read_to_string(&noted).ok()?;
            let (_, port) = noted.trim().trim_end_matches('/').rsplit_once(':')?;
            port.parse().ok()
        });
        (aura, port)
    }
}

impl Drop for NewOwner {
    fn drop(&mut self) {
        // A test that failed leaves no service behind.
        let _ = self.command(&["stop"]).output();
    }
}

fn mode(path: &PathBuf) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

/// The process that has the folder's socket open: the service's own id is in its lock file.
fn service_of(owner: &NewOwner) -> Pid {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let data = owner.data();
    let mut found = processes.filter_map(|entry| {
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        let is_service = line.contains("--detached") && line.contains(data.to_str()?);
        is_service.then(|| Pid::from_raw(id)).flatten()
    });
    found.next().unwrap()
}

#[test]
fn one_word_makes_what_is_needed_starts_the_service_and_opens_the_page() {
    let owner = NewOwner::new();
    let (browser, noted) = owner.browser();
    let screen = [("DISPLAY", ":0"), ("BROWSER", browser.as_str())];
    let (code, out, err) = owner.says(&[], &screen);
    assert_eq!(code, Some(0), "{out}{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[0].starts_with("Aura is running: http://aura-")
            && lines[0].ends_with("/ (opened in your browser)"),
        "{out}"
    );
    assert_eq!(
        lines[1..],
        [
            "Next: choose on the page what Aura may read.",
            "It goes on when this terminal is closed; `aura stop` ends it.",
        ]
    );
    // No keyring answers here: the key lies beside the configuration, and both are hers alone.
    let (key, home) = (
        owner.0.at(".config/aura/key"),
        owner.0.at(".config/aura/home.toml"),
    );
    assert_eq!((mode(&key), mode(&owner.data())), (0o600, 0o700));
    assert!(fs::read_to_string(&home).unwrap().contains("mail = []"));
    assert_eq!(mode(&owner.0.at(".local/state/aura/service.log")), 0o600);
    let address = fs::read_to_string(&noted).unwrap();
    assert!(address.contains("/pair#"), "{address}");

    // It is in a session of its own: the end of the terminal does not reach it.
    let service = service_of(&owner);
    assert_eq!(getsid(Some(service)).unwrap(), service);

    let (code, out, err) = owner.says(&[], &screen);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("Aura was running already: http://aura-"), "{out}");
    assert!(!out.contains("aura stop"), "{out}");
    let both = fs::read_to_string(&noted).unwrap();
    let codes: Vec<&str> = both.lines().collect();
    assert!(codes.len() == 2 && codes[0] != codes[1], "{both}");
}

#[test]
fn folder_may_have_a_path_of_any_length() {
    let owner = NewOwner::new();
    let folder = "d".repeat(200);
    let data = owner.0.at(&format!("{folder}/{folder}"));
    let data = ["--data", data.to_str().unwrap()];
    for args in [
        &["open", "--json"][..],
        &["status"],
        &["trace", "list"],
        &["stop"],
    ] {
        let (code, out, err) = owner.says(&[args, &data].concat(), &[]);
        assert_eq!(code, Some(0), "{args:?}: {out}{err}");
    }
}

#[test]
fn several_first_words_at_once_open_the_page_of_one_service() {
    let owner = NewOwner::new();
    let mut words: Vec<Child> = (0..6)
        .map(|_| {
            let mut command = owner.command(&["open", "--json"]);
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let told: Vec<serde_json::Value> = words
        .drain(..)
        .map(|word| {
            let done = word.wait_with_output().unwrap();
            let err = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{err}");
            serde_json::from_slice(&done.stdout).unwrap()
        })
        .collect();
    let pages: std::collections::BTreeSet<_> = told.iter().map(|told| told["page"].as_str()).collect();
    let started = told.iter().filter(|told| told["started"] == true).count();
    assert_eq!((pages.len(), started), (1, 1), "{told:?}");
}

#[test]
fn without_a_screen_the_address_is_said_with_what_lets_a_browser_in() {
    let owner = NewOwner::new();
    let (_, out, err) = owner.says(&["open", "--json"], &[("SSH_CONNECTION", "::1 1 ::1 22")]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    assert_eq!(
        (&told["started"], &told["opened"]),
        (&serde_json::json!(true), &serde_json::json!(false))
    );
    assert!(
        told["pair"].as_str().is_some_and(|code| code.len() == 11),
        "{told}"
    );

    let (_, out, _) = owner.says(&[], &[("SSH_CONNECTION", "::1 1 ::1 22"), ("DISPLAY", ":10")]);
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[1].contains("http://aura-") && lines[1].contains("/pair#"),
        "{out}"
    );
    assert!(lines[2].starts_with("You are here over SSH."), "{out}");
    // A browser that is there and fails is none.
    let failing = [("DISPLAY", ":0"), ("BROWSER", "false")];
    let (_, out, _) = owner.says(&[], &failing);
    assert!(out.contains("/pair#"), "{out}");
}

#[test]
fn over_ssh_another_device_is_given_the_address_that_reaches_this_computer() {
    let owner = NewOwner::new();
    let home = owner.0.at(".config/aura/home.toml");
    fs::create_dir_all(home.parent().unwrap()).unwrap();
    fs::write(&home, "zone = \"UTC\"\n[web]\nhosts = [\"aura.example\"]\n").unwrap();
    let (code, out, err) = owner.says(&[], &[("SSH_CONNECTION", "::1 1 ::1 22")]);
    assert_eq!(code, Some(0), "{err}");
    let other = out.lines().find(|line| line.starts_with("From another device: "));
    assert!(
        other.is_some_and(|line| line.contains("://aura.example/pair#")),
        "{out}"
    );
    // Its picture is for a screen: what is read by a program has none.
    assert!(!out.contains('▀') && !out.contains('█'), "{out}");
}

#[test]
fn start_that_fails_says_why_where_it_was_asked_for() {
    let owner = NewOwner::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, out, err) = owner.says(&["open", "--port", &port], &[]);
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("WEB-002"), "{err}");
    // A configuration that was named and is not there is a mistake, not a first start.
    let gone = owner.0.at("gone.toml");
    let named = [("AURA_HOME", gone.to_str().unwrap())];
    let fresh = NewOwner::new();
    let key = fresh.0.at("stick");
    let (code, _, err) = fresh.says(&["open", "--key-file", key.to_str().unwrap()], &named);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("CONF-001") && !gone.exists(), "{err}");
}

#[test]
fn who_starts_aura_without_a_terminal_types_her_passphrase_on_a_page() {
    let owner = NewOwner::new();
    let words = owner.0.at("words");
    fs::write(&words, "plum orbit candle seventeen\n").unwrap();
    let init = [
        "memory",
        "key",
        "init",
        "--new-passphrase-file",
        words.to_str().unwrap(),
    ];
    let (code, out, err) = owner.says(&init, &[]);
    assert_eq!(code, Some(0), "{out}{err}");
    let (mut aura, port) = owner.started_by_menu();
    let types = |words: &str| {
        http(
            port,
            "POST /unlock",
            "Accept: text/html\r\n",
            &format!("passphrase={words}"),
        )
        .unwrap()
    };
    let (status, page) = types("plum+orbit+candle+eighteen");
    assert!(
        status == 403 && page.contains("That is not the passphrase."),
        "{page}"
    );
    let (status, page) = types("plum+orbit+candle+seventeen");
    assert!(status == 200 && page.contains("/pair#"), "{page}");
    assert!(exit_within(&mut aura, Duration::from_secs(20)).success());
    let (code, out, err) = owner.says(&["status"], &[]);
    assert!(code == Some(0) && out.starts_with("Aura runs"), "{out}{err}");
}

#[test]
fn who_starts_aura_without_her_key_is_told_on_a_page_what_can_be_done() {
    let owner = NewOwner::new();
    let (stick, drawer) = (owner.0.at("stick"), owner.0.at("drawer"));
    let key = ["--file", stick.to_str().unwrap()];
    let (code, out, err) = owner.says(&[&["memory", "key", "init"][..], &key].concat(), &[]);
    assert_eq!(code, Some(0), "{out}{err}");
    let types = |port: u16, typed: &str| http(port, "POST /unlock", "Accept: text/html\r\n", typed).unwrap();

    // Without a recovery sheet there is one way: the key comes back.
    fs::rename(&stick, &drawer).unwrap();
    let (mut aura, port) = owner.started_by_menu();
    let (status, page) = http(port, "GET /", "Accept: text/html\r\n", "").unwrap();
    assert_eq!(status, 503, "{page}");
    for says in [
        "Your key is not in its place",
        stick.to_str().unwrap(),
        "No recovery sheet was made",
        "STORE-013",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    let (status, page) = types(port, "");
    assert!(
        status == 403 && page.contains("The key is still not there."),
        "{page}"
    );
    fs::rename(&drawer, &stick).unwrap();
    let (status, page) = types(port, "");
    assert!(status == 200 && page.contains("/pair#"), "{page}");
    assert!(exit_within(&mut aura, Duration::from_secs(20)).success());

    // With one, its code opens as well.
    assert_eq!(owner.says(&["stop"], &[]).0, Some(0));
    let vault = Vault::open(&owner.data(), &NoPrompt).unwrap();
    let sheet = vault.make_recovery_sheet().unwrap();
    drop(vault);
    fs::rename(&stick, &drawer).unwrap();
    let (mut aura, port) = owner.started_by_menu();
    let (status, page) = types(port, "passphrase=AAAAA-AAAAA-AAAAA-AAAAA-AAAAA");
    assert!(
        status == 403 && page.contains("That is not the code of your last recovery sheet."),
        "{page}"
    );
    let (status, page) = types(port, &format!("passphrase={}", sheet.text()));
    assert!(status == 200 && page.contains("/pair#"), "{page}");
    assert!(exit_within(&mut aura, Duration::from_secs(20)).success());
    let (code, out, err) = owner.says(&["status"], &[]);
    assert!(code == Some(0) && out.starts_with("Aura runs"), "{out}{err}");
}

#[test]
fn run_without_a_configuration_writes_one_that_reads_nothing() {
    let owner = NewOwner::new();
    let mut child = owner
        .command(&["run", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .map(EndsWithTest)
        .unwrap();
    let mut line = String::new();
    let output = child.0.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(ready["data"], owner.data().to_str().unwrap());
    assert!(owner.0.at(".config/aura/home.toml").exists());
}

struct EndsWithTest(Child);

impl Drop for EndsWithTest {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
