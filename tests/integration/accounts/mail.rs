//! Mail on a server, from its arrival to who waits.
//!
//! What: who asks in a mail on a real server (Dovecot) waits on the page, at once when the mail is new and once however the server numbers it; who was answered
//! there waits no more; names are there after a start without everything; no byte of a mail is on a disk; the worker is in its sandbox and holds one connection. Why: this is what an account of
//! mail is for. Not here: what passes (`mailbox`), servers that lie (`bad_mail_servers`).

use super::{Household, PASSWORD, any_file_holds, dovecot::Dovecot};
use crate::support::{Service, afternoon_zone};
use chrono::{TimeDelta, Utc};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::PathBuf};

pub(super) const WORDS: &str = "Kim, can you call me back today about the wombat?";

pub(super) fn mail(who: &str, id: &str, text: &str) -> String {
    let sent = Utc::now().to_rfc2822();
    format!(
        "From: {who} <{id}@example.com>\r\nTo: kim@example.org\r\nSubject: Visit\r\nMessage-ID: <{id}@example.com>\r\nDate: {sent}\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
    )
}

/// How often the page of chats names who waits.
pub(super) fn waiting(service: &Service, name: &str) -> usize {
    let (_, page) = service.request("GET", "/chats", None);
    page.as_str()
        .unwrap_or_default()
        .matches(&format!("<bdi>{name}</bdi>"))
        .count()
}

pub(super) fn until_waiting(service: &Service, name: &str, is_waiting: bool) {
    service.until(name, |service| {
        ((waiting(service, name) > 0) == is_waiting).then_some(())
    });
}

fn look(household: &Household, service: &Service) -> Value {
    household.look_at(service, "home")
}

/// The process that reads the account.
pub(super) fn worker() -> Option<u32> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let mut ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let me = std::process::id();
    ids.find(|id| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let is_it = line.windows(18).any(|part| part == b"worker\0source\0home");
        is_it && is_below(*id, me)
    })
}

/// How many TCP connections a process holds.
fn connections(id: u32) -> usize {
    let tables =
        ["tcp", "tcp6"].map(|table| fs::read_to_string(format!("/proc/net/{table}")).unwrap_or_default());
    let open = fs::read_dir(format!("/proc/{id}/fd")).unwrap().flatten();
    let sockets: BTreeSet<PathBuf> = open
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .collect();
    let is_tcp = |socket: &&PathBuf| {
        let name = socket.to_string_lossy();
        let number = name
            .strip_prefix("socket:[")
            .and_then(|name| name.strip_suffix(']'));
        number.is_some_and(|number| tables.iter().any(|table| table.contains(&format!(" {number} "))))
    };
    sockets.iter().filter(is_tcp).count()
}

fn parent(id: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok()
}

fn is_below(id: u32, above: u32) -> bool {
    std::iter::successors(Some(id), |id| parent(*id)).any(|id| id == above)
}

#[test]
fn who_asks_by_mail_on_a_server_waits_at_once_and_no_byte_is_on_a_disk() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("Asha Rao", "one", WORDS));
    let household = Household::with(&format!(
        "zone = \"{}\"\nnames = [\"Kim\"]\naddresses = [\"kim@example.org\"]\n",
        afternoon_zone()
    ));
    let service = household.service();
    let host = format!("localhost:{}", server.imaps);
    let pin = server.fingerprint();
    let add = [
        "add",
        "home",
        "--imap",
        &host,
        "--user",
        "kim",
        "--private",
        "--certificate",
        &pin,
    ];
    let (code, said) = household.source(&service, &add, "");
    assert_eq!(code, Some(0), "{said}");
    let report = look(&household, &service);
    assert_eq!(report["failure"]["why"], "login_missing", "{report}");
    household.source(&service, &["login", "home", "--stdin"], "wrong\n");
    service.until("refused login", |service| {
        (look(&household, service)["failure"]["why"] == "login_refused").then_some(())
    });
    household.source(&service, &["login", "home", "--stdin"], &format!("{PASSWORD}\n"));
    service.until("look", |service| {
        let report = look(&household, service);
        (report["entries"] == 1 && report["failure"].is_null()).then_some(())
    });
    until_waiting(&service, "Asha Rao", true);
    let once = waiting(&service, "Asha Rao");

    // New mail is heard without anybody asking.
    program.put("INBOX", "", &mail("Miriam Weiss", "two", WORDS));
    until_waiting(&service, "Miriam Weiss", true);
    // Whom the owner answered elsewhere waits no more.
    program.ask("SELECT INBOX");
    program.ask("UID STORE 2 +FLAGS (\\Answered \\Seen)");
    until_waiting(&service, "Miriam Weiss", false);

    // It has one connection, and can make none.
    let worker = worker().unwrap();
    let status = fs::read_to_string(format!("/proc/{worker}/status")).unwrap();
    assert!(
        status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"),
        "{status}"
    );
    assert_eq!(connections(worker), 1);

    // The server lost its numbers: nobody waits twice.
    server.renumber("kim", "INBOX", 77);
    service.until("look at other numbers", |service| {
        (look(&household, service)["entries"] == 2).then_some(())
    });
    // The server ends sessions that knew the old numbers.
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("Jonas Berg", "three", WORDS));
    // A session that was ended is begun again within a minute by itself, and at once by a look.
    service.until("mail under other numbers", |service| {
        look(&household, service);
        (waiting(service, "Jonas Berg") > 0).then_some(())
    });
    assert_eq!(
        (waiting(&service, "Asha Rao"), waiting(&service, "Jonas Berg")),
        (once, once)
    );
    assert_eq!(waiting(&service, "Miriam Weiss"), 0);

    // Nothing of it is on a disk, while it runs and after; it is fetched again.
    for wanted in ["wombat", "Miriam Weiss", "one@example.com", PASSWORD] {
        assert!(!any_file_holds(household.dir.path(), wanted), "{wanted}");
    }
    kill_process(service.pid(), Signal::TERM).unwrap();
    assert_eq!(service.end(), Some(0));
    assert!(!any_file_holds(household.dir.path(), "wombat"));
    let service = household.service();
    until_waiting(&service, "Asha Rao", true);
    assert_eq!(waiting(&service, "Miriam Weiss"), 0);

    let (code, said) = household.source(&service, &["pause", "home"], "");
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = household.source(&service, &["remove", "home"], "");
    assert_eq!(code, Some(0), "{said}");
    assert!(!fs::read_to_string(household.home()).unwrap().contains("accounts"));
}

fn two_days(server: &Dovecot, days: u32) -> String {
    format!(
        "zone = \"{}\"\nnames = [\"Kim\"]\naddresses = [\"kim@example.org\"]\n[[accounts]]\nname = \"home\"\nkind = \"imap\"\n\
         address = \"imaps://localhost:{}\"\nuser = \"kim\"\nprivate = true\ncertificate = \"{}\"\ndays = {days}\n",
        afternoon_zone(),
        server.imaps,
        server.fingerprint()
    )
}

/// Where the page of chats leads to the one mail.
fn mail_link(service: &Service) -> String {
    let (_, page) = service.request("GET", "/chats", None);
    let page = page.as_str().unwrap();
    let rest = page.split_once("\"/mail/").unwrap_or_else(|| panic!("{page}")).1;
    format!("/mail/{}", rest.split('"').next().unwrap())
}

/// To how many mails the page of chats leads.
fn mail_links(service: &Service) -> usize {
    let (_, page) = service.request("GET", "/chats", None);
    let page = page.as_str().unwrap();
    let links = page.split("\"/mail/").skip(1).map(|rest| rest.split('"').next());
    links.collect::<BTreeSet<_>>().len()
}

#[test]
fn who_waits_is_named_after_a_start_by_the_place_of_the_mail_and_it_is_opened_by_it() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    // It came before days that are looked at after the start, so that nothing but its place leads to it then.
    let came = (Utc::now() - TimeDelta::days(2)).format("\"%d-%b-%Y %H:%M:%S +0000\" ");
    program.put("INBOX", &came.to_string(), &mail("Asha Rao", "one", WORDS));
    let household = Household::with(&two_days(&server, 2));
    let service = household.service();
    household.source(&service, &["login", "home", "--stdin"], &format!("{PASSWORD}\n"));
    until_waiting(&service, "Asha Rao", true);
    let link = mail_link(&service);
    assert_eq!(service.request("GET", &link, None).0, 303);
    kill_process(service.pid(), Signal::TERM).unwrap();
    assert_eq!(service.end(), Some(0));

    fs::write(household.home(), two_days(&server, 1)).unwrap();
    let service = household.service();
    until_waiting(&service, "Asha Rao", true);
    assert_eq!(service.request("GET", &link, None).0, 303);
    let report = look(&household, &service);
    assert_eq!(
        (&report["entries"], &report["failure"]),
        (&json!(0), &Value::Null),
        "{report}"
    );
    assert!(
        !any_file_holds(household.dir.path(), "Asha Rao")
            && !any_file_holds(household.dir.path(), "one@example.com")
    );

    // The server is away: who waits has no name after a start, and there is no mail to open.
    kill_process(service.pid(), Signal::TERM).unwrap();
    assert_eq!(service.end(), Some(0));
    drop(program);
    drop(server);
    let service = household.service();
    service.until("page without a name", |service| {
        let (status, page) = service.request("GET", "/chats", None);
        (status == 200 && page.as_str()?.contains("/mail/")).then_some(())
    });
    assert_eq!(waiting(&service, "Asha Rao"), 0);
    assert_eq!(service.request("GET", &link, None).0, 404);
}

#[test]
fn whose_mail_went_from_its_server_while_no_service_ran_waits_no_more() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    for (who, id) in [
        ("Asha Rao", "one"),
        ("Miriam Weiss", "two"),
        ("Jonas Berg", "three"),
    ] {
        program.put("INBOX", "", &mail(who, id, WORDS));
    }
    program.ask("CREATE Later");
    let household = Household::with(&two_days(&server, 2));
    let service = household.service();
    household.source(&service, &["login", "home", "--stdin"], &format!("{PASSWORD}\n"));
    for who in ["Asha Rao", "Miriam Weiss", "Jonas Berg"] {
        until_waiting(&service, who, true);
    }
    assert_eq!(mail_links(&service), 3);
    kill_process(service.pid(), Signal::TERM).unwrap();
    assert_eq!(service.end(), Some(0));

    // One is removed, one is put into another folder, one stays.
    program.ask("SELECT INBOX");
    program.ask("UID MOVE 2 Later");
    program.ask("UID STORE 1 +FLAGS (\\Deleted)");
    program.ask("UID EXPUNGE 1");
    let service = household.service();
    until_waiting(&service, "Miriam Weiss", true);
    // Who has no name any more would still be a row that leads to a mail.
    service.until("two rows", |service| (mail_links(service) == 2).then_some(()));
    let report = look(&household, &service);
    assert_eq!(report["entries"], json!(2), "{report}");
    assert_eq!((mail_links(&service), waiting(&service, "Asha Rao")), (2, 0));
    for who in ["Miriam Weiss", "Jonas Berg"] {
        assert!(waiting(&service, who) > 0, "{who}");
    }
}
