//! Calendars and mail on servers.
//!
//! What: an event that is put on a real server (Radicale) is on the agenda after a look, still when the server is away, and never twice when
//! the server forgets how far it was read; it goes with the account. Why: this is what an account is for. Not here: servers that lie
//! (`bad_servers`), kills at random (`chaos`), mail (`mail`, `mailbox`, `jmap`, `bad_mail_servers`, `bad_jmap_servers`), what is written there (`writing`, `deliveries`), what the worker may do
//! (`sandbox`).

mod bad_jmap_servers;
mod bad_mail_servers;
mod bad_servers;
mod chaos;
mod cyrus;
mod deliveries;
mod dovecot;
mod home_assistant;
mod jmap;
mod jmap_stand_in;
mod mail;
mod mail_drafts;
mod mail_host;
mod mailbox;
mod names_and_money;
mod proxy;
mod radicale;
mod sign_in;
mod writing;

use crate::support::{Service, any_file_holds, command::aura};
use aura_runtime::{
    accounts::AccountCommand,
    control::{self, ControlReply, ControlRequest},
};
use chrono::Utc;
use radicale::Radicale;
use rustix::process::{Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use surfaces_base::backend::accounts::{AccountAct, AccountChange, AccountDraft};
use toolcall_schema::accounts::ServerAccountKind;

const PASSWORD: &str = "correct horse 77";
const TITLE: &str = "Loom demonstration";

/// Today, as iCalendar writes it.
fn day() -> String {
    Utc::now().format("%Y%m%d").to_string()
}

fn event(uid: &str, title: &str) -> String {
    let day = day();
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:{uid}@example.org\r\nDTSTAMP:{day}T000000Z\r\n\
         DTSTART:{day}T100000Z\r\nDTEND:{day}T110000Z\r\nSUMMARY:{title}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

/// A folder with a service on it.
struct Household {
    dir: tempfile::TempDir,
}

impl Household {
    fn new() -> Self {
        Self::with("# Mine.\nzone = \"UTC\"\n")
    }

    fn with(home: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("home.toml"), home).unwrap();
        Self { dir }
    }

    fn home(&self) -> std::path::PathBuf {
        self.dir.path().join("home.toml")
    }

    fn data(&self) -> std::path::PathBuf {
        self.dir.path().join("data")
    }

    fn service(&self) -> Service {
        Service::start(&self.home(), &self.data())
    }

    /// `aura source …`, asked again while the machine takes up changed settings.
    fn source(&self, service: &Service, args: &[&str], input: &str) -> (Option<i32>, String) {
        service.until("answer of aura source", |_| {
            let (home, data) = (self.home(), self.data());
            let key = data.with_extension("key");
            let mut all = vec!["source"];
            all.extend(args);
            let places = ["--home", "--data", "--key-file"]
                .into_iter()
                .zip([&home, &data, &key]);
            for (name, path) in places {
                all.extend([name, path.to_str().unwrap()]);
            }
            let (code, out, err) = aura(&all, input.as_bytes());
            let is_busy = ["try again", "no account is called"]
                .iter()
                .any(|why| err.contains(why));
            (!is_busy).then_some((code, format!("{out}{err}")))
        })
    }

    /// What `aura source test` says.
    fn look(&self, service: &Service) -> Value {
        self.look_at(service, "work")
    }

    /// The same of another account.
    fn look_at(&self, service: &Service, name: &str) -> Value {
        let (_, said) = self.source(service, &["test", name, "--json"], "");
        // Behind it stands what is logged where the service was away just then.
        let report = said.lines().next().unwrap_or_default();
        serde_json::from_str(report).unwrap_or_else(|_| panic!("{said}"))
    }
}

/// How often the agenda names it.
fn on_agenda(service: &Service, title: &str) -> usize {
    let (status, page) = service.request("GET", "/agenda", None);
    if status == 200 {
        page.as_str().unwrap_or_default().matches(title).count()
    } else {
        0
    }
}

fn until_on_agenda(service: &Service, title: &str, is_there: bool) {
    service.until("agenda", |service| {
        ((on_agenda(service, title) > 0) == is_there).then_some(())
    });
}

#[test]
fn event_on_cyrus_is_on_the_agenda() {
    let Some(server) = cyrus::Cyrus::start("kim", PASSWORD) else {
        return;
    };
    // Who has no mail has no calendar there either.
    server.deliver("From: Asha <asha@example.org>\r\nTo: kim@example.org\r\nSubject: hello\r\n\r\nhello\r\n");
    let household = Household::new();
    let service = household.service();
    let (address, fingerprint) = (server.address(), server.fingerprint());
    let add = [
        "add",
        "work",
        &address,
        "--user",
        "kim",
        "--private",
        "--certificate",
        &fingerprint,
    ];
    let (code, said) = household.source(&service, &add, "");
    assert_eq!(code, Some(0), "{said}");
    let login = ["login", "work", "--stdin"];
    let (code, said) = household.source(&service, &login, &format!("{PASSWORD}\n"));
    assert_eq!(code, Some(0), "{said}");
    service.until("its calendar", |_| {
        (household.look(&service)["calendars"].as_array()?.len() == 1).then_some(())
    });
    server.put_event("one.ics", &event("1", TITLE));
    service.until("event", |service| {
        household.look(service);
        (on_agenda(service, TITLE) > 0).then_some(())
    });
}

#[test]
fn commands_follow_each_other_at_once_while_changed_settings_are_taken_up() {
    let server = Radicale::start("kim", PASSWORD);
    server.make_calendar("/kim/work/");
    // With nothing in it, which is nothing to complain of.
    server.make_calendar("/kim/empty/");
    server.put("/kim/work/one.ics", &event("1", TITLE));
    let household = Household::new();
    let _service = household.service();
    let (home, data) = (household.home(), household.data());
    let key = data.with_extension("key");
    let at = [("--home", &home), ("--data", &data), ("--key-file", &key)];
    let at: Vec<&str> = at
        .iter()
        .flat_map(|(flag, path)| [*flag, path.to_str().unwrap()])
        .collect();
    let (address, fingerprint) = (server.address("/kim/"), server.fingerprint());
    let add = [
        "add",
        "work",
        &address,
        "--user",
        "kim",
        "--private",
        "--certificate",
        &fingerprint,
    ];
    for (args, input, wanted) in [
        (&add[..], "", "work is read from now on"),
        (&["login", "work", "--stdin"], "correct horse 77\n", "kept sealed"),
        (&["test", "work"], "", "1 entry in"),
    ] {
        let (code, out, err) = aura(&[&["source"], args, &at].concat(), input.as_bytes());
        assert_eq!(code, Some(0), "{args:?}: {out}{err}");
        assert!(out.contains(wanted), "{args:?}: {out}");
    }
    let (_, out, err) = aura(&["status", "--data", data.to_str().unwrap()], b"");
    assert!(out.contains("All agents answer."), "{out}{err}");
    assert!(!out.contains("could not be read"), "{out}");
}

#[test]
fn every_command_is_answered_while_settings_are_taken_up_again_and_again() {
    let household = Household::new();
    let _service = household.service();
    let data = household.data();
    let asked = |act: AccountCommand| control::ask(&data, &ControlRequest::Account { asked: act });
    let is_done = AtomicBool::new(false);
    let (added, listed) = thread::scope(|scope| {
        let ask_on = || {
            let mut answers = vec![];
            while !is_done.load(Ordering::Relaxed) {
                answers.push(asked(AccountCommand::List));
            }
            answers
        };
        let askers: Vec<_> = (0..3).map(|_| scope.spawn(ask_on)).collect();
        let add = |round| {
            let draft = AccountDraft {
                kind: ServerAccountKind::CalendarAddress,
                address: "http://127.0.0.1:9/nothing.ics".to_owned(),
                user: None,
                private: true,
                every: None,
                days: None,
                certificate: None,
                write: false,
                sign_in: None,
            };
            asked(AccountCommand::Change(AccountChange {
                name: format!("round-{round}"),
                act: AccountAct::Add(Box::new(draft)),
            }))
        };
        let added: Vec<_> = (0..8).map(add).collect();
        is_done.store(true, Ordering::Relaxed);
        let listed = askers.into_iter().flat_map(|asker| asker.join().unwrap());
        (added, listed.collect::<Vec<_>>())
    });
    for (round, added) in added.iter().enumerate() {
        assert!(
            matches!(added, Ok(Some(ControlReply::Recorded))),
            "{round}: {added:?}"
        );
    }
    let refused = listed
        .iter()
        .filter(|answer| !matches!(answer, Ok(Some(ControlReply::Accounts(_)))));
    let refused: Vec<_> = refused.collect();
    assert!(
        refused.is_empty(),
        "{} of {}: {refused:?}",
        refused.len(),
        listed.len()
    );
    assert!(listed.len() >= added.len(), "{} answers", listed.len());
}

#[test]
fn event_on_a_server_is_on_the_agenda_and_stays_and_goes_with_the_account() {
    let server = Radicale::start("kim", PASSWORD);
    server.make_calendar("/kim/work/");
    server.put("/kim/work/one.ics", &event("1", TITLE));
    let household = Household::new();
    let service = household.service();
    let add = [
        "add",
        "work",
        &server.address("/kim/"),
        "--user",
        "kim",
        "--private",
        "--certificate",
        &server.fingerprint(),
    ];
    let (code, said) = household.source(&service, &add, "");
    assert_eq!(code, Some(0), "{said}");
    let file = fs::read_to_string(household.home()).unwrap();
    assert!(file.starts_with("# Mine.\nzone = \"UTC\"\n"), "{file}");

    // Without a login it says so, and what to do.
    let report = household.look(&service);
    assert_eq!(report["failure"]["why"], "login_missing", "{report}");
    let (code, said) = household.source(&service, &["login", "work", "--stdin"], "wrong\n");
    assert_eq!(code, Some(0), "{said}");
    service.until("refused login", |_| {
        let report = household.look(&service);
        (report["failure"]["why"] == "login_refused").then_some(())
    });
    let (_, page) = service.request("GET", "/settings", None);
    let page = page.as_str().unwrap();
    assert!(
        page.contains("refuses the login") && page.contains("Type the password once more"),
        "{page}"
    );

    household.source(&service, &["login", "work", "--stdin"], &format!("{PASSWORD}\n"));
    service.until("look", |_| {
        let report = household.look(&service);
        (report["entries"] == 1 && report["failure"].is_null()).then_some(())
    });
    until_on_agenda(&service, TITLE, true);
    let once = on_agenda(&service, TITLE);

    // The server forgets how far it was read: all comes once more, and nothing is there twice.
    server.forget_tokens("kim/work");
    server.put("/kim/work/two.ics", &event("2", "Second thing"));
    service.until("second look", |_| {
        (household.look(&service)["entries"] == 2).then_some(())
    });
    until_on_agenda(&service, "Second thing", true);
    assert_eq!(on_agenda(&service, TITLE), once);
    server.delete("/kim/work/two.ics");
    service.until("third look", |_| {
        (household.look(&service)["entries"] == 1).then_some(())
    });
    until_on_agenda(&service, "Second thing", false);

    // The server is away: the day stays, over a start too, and nothing of it lies open on a disk.
    drop(server);
    service.until("unreachable", |_| {
        (household.look(&service)["failure"]["why"] == "unreachable").then_some(())
    });
    assert!(!any_file_holds(household.dir.path(), TITLE) && !any_file_holds(household.dir.path(), PASSWORD));
    kill_process(service.pid(), Signal::TERM).unwrap();
    assert_eq!(service.end(), Some(0));
    let service = household.service();
    until_on_agenda(&service, TITLE, true);
    let (_, page) = service.request("GET", "/settings", None);
    assert!(page.as_str().unwrap().contains("Last reached"), "{page}");
    let status = control::ask(&household.data(), &ControlRequest::Status).unwrap();
    assert!(format!("{status:?}").contains("work"));

    let (code, said) = household.source(&service, &["remove", "work"], "");
    assert_eq!(code, Some(0), "{said}");
    until_on_agenda(&service, TITLE, false);
    assert_eq!(
        fs::read_to_string(household.home()).unwrap(),
        "# Mine.\nzone = \"UTC\"\n"
    );
    let (_, said) = household.source(&service, &["list"], "");
    assert!(said.contains("No account"), "{said}");
}
