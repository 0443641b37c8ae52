//! Settings that a page changes, in a running service.
//!
//! What: what is saved is in the file with its comments, and in force; a source that is allowed is read at once, by the same process at the same
//! address. Not here: the edits (`aura_runtime::home_edit`), who may (`surfaces/tests`).

use crate::support::{Service, loud_chat::LoudChat};
use aura_runtime::control::{self, ControlReply, ControlRequest};
use chrono::Datelike as _;
use orchestrator_machine::policy::DEFAULT_TEXT;
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
};
use toolcall_schema::ids::sha256_hex;

const HOME: &str = "# Mine.\nzone = \"UTC\" # for now\nceiling = 2\n";

const EVENT: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:1@example.org\r\n\
    DTSTAMP:20200101T000000Z\r\nDTSTART:20200101T090000Z\r\nDTEND:20200101T100000Z\r\nRRULE:FREQ=DAILY\r\nSUMMARY:Standup\r\n\
    END:VEVENT\r\nEND:VCALENDAR\r\n";

/// A browser that was let in.
pub(crate) struct Browser {
    host: String,
    cookie: String,
}

impl Browser {
    /// The owner's, which `aura` opened.
    pub(crate) fn opened(data: &Path, service: &Service) -> Self {
        Self::invited(data, service, &ControlRequest::Open)
    }

    /// Lets one in by a code that is asked for so.
    pub(crate) fn invited(data: &Path, service: &Service, by: &ControlRequest) -> Self {
        let reply = control::ask(data, by).unwrap();
        let Some(ControlReply::Invitation(invitation)) = reply else {
            panic!("{reply:?}");
        };
        let (_, rest) = invitation.address.text().split_once("://").unwrap();
        let host = rest.split('/').next().unwrap().to_owned();
        let body = json!({ "code": invitation.code.text(), "name": "Desk" }).to_string();
        let head = request(service.port, "POST", "/pair", &host, "", &body).0;
        let set = head
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "))
            .unwrap();
        let cookie = format!("Cookie: {}\r\n", set.split(';').next().unwrap());
        Self { host, cookie }
    }

    /// The page Settings, and what its script sends with.
    pub(crate) fn page(&self, service: &Service) -> (String, String) {
        let page = request(service.port, "GET", "/settings", &self.host, &self.cookie, "").1;
        let (_, token) = page
            .split_once("name=\"aura-page\" content=\"")
            .unwrap_or(("", "\""));
        let token = token.split('"').next().unwrap().to_owned();
        (page, token)
    }

    /// Saves as the page's script does: while the machine is away, and to a page of before that, it asks again.
    pub(crate) fn send(&self, service: &Service, path: &str, change: &Value) -> (String, String) {
        service.until("answer to a form", |service| {
            let (page, token) = self.page(service);
            let (_, shown) = page.split_once("data-shown=\"")?;
            let mut change = change.clone();
            change["shown"] = shown.split('"').next()?.into();
            let (head, body) = self.post(service, path, &token, &change);
            let is_away = head.starts_with("HTTP/1.1 503") || body.contains("WEB-005");
            (!is_away).then_some((head, body))
        })
    }
}

impl Browser {
    /// Posts what another page's script would, with that page's token.
    pub(crate) fn post(&self, service: &Service, path: &str, token: &str, body: &Value) -> (String, String) {
        let headers = format!("{}X-Aura-Page: {token}\r\n", self.cookie);
        request(
            service.port,
            "POST",
            path,
            &self.host,
            &headers,
            &body.to_string(),
        )
    }
}

fn request(port: u16, method: &str, path: &str, host: &str, headers: &str, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

#[test]
fn what_is_saved_is_in_the_file_and_in_force_and_what_is_allowed_is_read_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    let calendar = dir.path().join("calendar");
    fs::write(&home, HOME).unwrap();
    fs::create_dir(&calendar).unwrap();
    fs::write(calendar.join("one.ics"), EVENT).unwrap();
    let service = Service::start(&home, &data);
    let browser = Browser::opened(&data, &service);
    let pid = service.pid();

    // Of the machine alone: in force at once.
    let (head, body) = browser.send(&service, "/form/settings", &json!({ "ceiling": 4 }));
    assert!(
        head.starts_with("HTTP/1.1 200") && body.contains("\"restarts\":false"),
        "{head}\n{body}"
    );
    assert_eq!(
        fs::read_to_string(&home).unwrap(),
        HOME.replace("ceiling = 2", "ceiling = 4")
    );
    let history = |service: &Service| {
        // Nothing while what was changed is put into force.
        let (_, page) = service.request("GET", "/history", None);
        page.as_str().unwrap_or_default().to_owned()
    };
    // An act among the others, which is undone there as on the page.
    let told = history(&service);
    assert!(told.contains("You set the interruptions a day to 4."), "{told}");
    assert_eq!(told.matches("data-undo=\"").count(), 1, "{told}");
    // What is in force is what the file says: reading it once more changes nothing.
    let reply = control::ask(&data, &ControlRequest::Reload).unwrap();
    let Some(ControlReply::Reloaded(report)) = reply else {
        panic!("{reply:?}");
    };
    assert!(!report.settings_changed);

    // Of the agents: the machine starts again, in the same process.
    let allow = json!({ "allow": [{ "list": "calendar", "path": calendar }] });
    let (head, body) = browser.send(&service, "/form/settings", &allow);
    assert!(
        head.starts_with("HTTP/1.1 200") && body.contains("\"restarts\":true"),
        "{head}\n{body}"
    );
    service.until("event of the calendar", |service| {
        let (status, text) = service.request("GET", "/welcome/6", None);
        (status == 200 && text.as_str()?.contains("1 event")).then_some(())
    });
    assert_eq!(service.pid(), pid);
    let text = fs::read_to_string(&home).unwrap();
    assert!(
        text.starts_with("# Mine.\nzone = \"UTC\" # for now\nceiling = 4\n\n[sources]\ncalendar = ["),
        "{text}"
    );

    // The proof outlives the machine. Undone, it is read no more.
    let (head, body) = browser.send(&service, "/form/settings/undo", &json!({}));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    assert!(!fs::read_to_string(&home).unwrap().contains("[sources]"));
    service.until("page without the calendar", |service| {
        let (status, text) = service.request("GET", "/welcome/6", None);
        (status == 200 && text.as_str()?.contains("I may read nothing yet")).then_some(())
    });
    let (head, body) = browser.send(&service, "/form/settings/undo", &json!({}));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    assert!(fs::read_to_string(&home).unwrap().contains("[sources]"));
    service.until("history of all changes", |service| {
        let told = history(service);
        let reads = told.matches("You let me read a source: Calendar.").count();
        let ended = told.contains("You had me stop reading a source: Calendar.");
        let place = calendar.to_str().unwrap();
        // Both rows of what was read, each with the words of its button.
        (reads >= 2 && ended && told.matches("data-undo=\"").count() == 1 && !told.contains(place))
            .then_some(())
    });
}

/// A mail of that day of November 2026.
/// One interruption was; with none a day it would not have been, and the trial changes nothing.
#[test]
fn settings_are_tried_on_the_days_that_were() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, HOME).unwrap();
    let service = Service::start(&home, &data);
    let browser = Browser::opened(&data, &service);
    let (head, nothing) = browser.send(&service, "/form/month/try", &json!({ "ceiling": 0 }));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(
        nothing.contains("Nothing of these days can be decided again"),
        "{nothing}"
    );
    let _page = service.phone();
    LoudChat::get_loud(&service);
    for (ceiling, says) in [
        (
            0,
            [
                "On 1 day I came once. With this I would have come 0 times.",
                "Would not have come.",
            ],
        ),
        (
            1,
            [
                "On 1 day I came once. With this I would have come once.",
                "Nothing would have been different.",
            ],
        ),
    ] {
        let (_, tried) = browser.send(&service, "/form/month/try", &json!({ "ceiling": ceiling }));
        assert!(says.iter().all(|says| tried.contains(says)), "{ceiling}: {tried}");
    }
    // Without a kind, or less of it: 0.75 × 0.80 − 0.20 = 0.40 is too little. More of it had come as well.
    for (kind, wish, says) in [
        ("BATCH_DIGEST", "none", "With this I would have come 0 times."),
        ("NAP_15", "none", "Nothing would have been different."),
        ("BATCH_DIGEST", "less", "With this I would have come 0 times."),
        ("BATCH_DIGEST", "more", "Nothing would have been different."),
    ] {
        let body = json!({ "kind": kind, "wish": wish });
        let (_, tried) = browser.send(&service, "/form/month/kind", &body);
        assert!(tried.contains(says), "{kind} {wish}: {tried}");
    }
    assert_eq!(fs::read_to_string(&home).unwrap(), HOME);
}

#[test]
fn page_is_opened_to_other_devices_by_its_owner_and_listens_from_then_on() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, HOME).unwrap();
    let made = rcgen::generate_simple_self_signed(["aura.example".to_owned()]).unwrap();
    fs::write(dir.path().join("chain.pem"), made.cert.pem()).unwrap();
    fs::write(dir.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    let service = Service::start(&home, &data);
    let browser = Browser::opened(&data, &service);
    let admitted = |service: &Service| {
        let head = request(service.port, "GET", "/chats", "aura.example", "", "").0;
        head.starts_with("HTTP/1.1 401") || head.starts_with("HTTP/1.1 303")
    };
    assert!(!admitted(&service));
    let names = json!({ "more": { "web.hosts": "aura.example" } });
    // Another device of the owner's may not, whatever it says that it was shown.
    let mut stolen = names.clone();
    let (page, _) = browser.page(&service);
    let (_, shown) = page.split_once("data-shown=\"").unwrap();
    stolen["shown"] = shown.split('"').next().unwrap().into();
    let (status, reply) = service.request("POST", "/form/settings", Some(&stolen));
    assert_eq!((status, &reply["code"]), (403, &json!("WEB-027")), "{reply}");
    let (head, body) = browser.send(&service, "/form/settings/preview", &names);
    assert!(
        head.starts_with("HTTP/1.1 200") && body.contains("aura.example"),
        "{head}\n{body}"
    );
    let (head, body) = browser.send(&service, "/form/settings", &names);
    assert!(
        head.starts_with("HTTP/1.1 200") && body.contains("\"restarts\":true"),
        "{head}\n{body}"
    );
    service.until("the name being admitted", |service| {
        admitted(service).then_some(())
    });

    // In plain beyond this computer: never.
    let plain = json!({ "more": { "web.listen": "0.0.0.0:0" } });
    let (head, body) = browser.send(&service, "/form/settings", &plain);
    assert!(
        head.starts_with("HTTP/1.1 422") && body.contains("WEB-001"),
        "{head}\n{body}"
    );
    // A port that nobody has.
    let port = TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let listens = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    let sealed = |listen: &str, certificate: &str, key: &str| json!({ "more": { "web.listen": listen, "web.certificate": certificate, "web.key": key } });
    let here = format!("127.0.0.1:{port}");
    let (head, body) = browser.send(&service, "/form/settings", &sealed(&here, "key.pem", "key.pem"));
    assert!(
        head.starts_with("HTTP/1.1 422") && body.contains("WEB-024"),
        "{head}\n{body}"
    );
    assert!(!listens());
    let (head, body) = browser.send(&service, "/form/settings", &sealed(&here, "chain.pem", "key.pem"));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    service.until("a listener beyond the page's own", |_| listens().then_some(()));
    let text = fs::read_to_string(&home).unwrap();
    assert!(
        text.starts_with(HOME) && text.contains("certificate = \"chain.pem\""),
        "{text}"
    );
    // Closed again, nobody listens there any more.
    let (head, body) = browser.send(&service, "/form/settings", &sealed("", "", ""));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    service.until("the end of that listener", |_| (!listens()).then_some(()));
    assert!(admitted(&service), "under its name it is still there");
}

fn mail(day: u32) -> String {
    format!(
        "From: Kim <kim@example.org>\r\nTo: o@example.org\r\nDate: {day} Nov 2026 11:56:00 +0000\r\nSubject: x\r\n\r\nHello\r\n"
    )
}

#[test]
fn source_is_looked_into_in_the_sandbox_and_what_its_owner_says_of_a_statement_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, HOME).unwrap();
    let maildir = dir.path().join("Maildir");
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(maildir.join(part)).unwrap();
    }
    fs::write(maildir.join("cur/1:2,S"), mail(3)).unwrap();
    fs::write(maildir.join("new/2"), mail(4)).unwrap();
    // A link to a mail elsewhere: the look has that one folder and nothing else.
    let elsewhere = dir.path().join("elsewhere");
    fs::write(&elsewhere, mail(5)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, maildir.join("new/3")).unwrap();
    // Nothing says whether these are spent or received, or which day 03/04 is.
    let statement = dir.path().join("bank.csv");
    let today = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).date_naive();
    let before = today.with_day(1).and_then(|first| first.pred_opt()).unwrap();
    let (month, year) = (before.month(), before.year());
    // No day is the month's own number.
    let days = if month % 2 == 0 {
        [3, 5, 7, 9]
    } else {
        [2, 4, 6, 8]
    };
    let row = |day: u32, rest: &str| format!("{day:02}/{month:02}/{year},{rest}\n");
    let header = "Date,Payee,Amount EUR\n";
    let rows = [
        (days[0], "Corner shop,12.50"),
        (days[1], "Inn,8.00"),
        (days[2], "Bakery,3.10"),
    ]
    .map(|(day, rest)| row(day, rest))
    .concat();
    fs::write(&statement, format!("{header}{rows}")).unwrap();
    let said = |day, month| {
        let date = chrono::NaiveDate::from_ymd_opt(year, month, day).unwrap();
        date.format("%-d %B %Y").to_string()
    };
    let (day_first, month_first) = (said(days[0], month), said(month, days[0]));
    let service = Service::start(&home, &data);
    let browser = Browser::opened(&data, &service);
    let look = |list: &str, path: &Path| {
        let (page, token) = browser.page(&service);
        assert!(page.contains("data-shown"));
        let headers = format!("{}X-Aura-Page: {token}\r\n", browser.cookie);
        let body = json!({ "list": list, "path": path }).to_string();
        let (head, body) = request(
            service.port,
            "POST",
            "/form/sources/look",
            &browser.host,
            &headers,
            &body,
        );
        assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
        body
    };
    let mails = look("mail", &maildir);
    let has_landlock = String::from_utf8(
        std::process::Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["worker", "probe"])
            .env_clear()
            .output()
            .unwrap()
            .stdout,
    )
    .unwrap()
    .starts_with("Landlock");
    let counted = if has_landlock {
        "2 mails, newest "
    } else {
        "3 mails, newest "
    };
    assert!(mails.contains(counted), "{mails}");
    assert_eq!(
        mails.contains("One thing in it is left out."),
        has_landlock,
        "{mails}"
    );
    assert!(look("mail", &dir.path().join("gone")).contains("No mail found there."));

    let asked = look("finance", &statement);
    for part in [
        "Corner shop",
        "money out?",
        day_first.as_str(),
        month_first.as_str(),
        "none of it is read",
    ] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    let answer = |more: Value| {
        let mut csv = json!({ "path": statement });
        csv.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let allow = [json!({ "list": "finance", "path": statement })];
        browser.send(
            &service,
            "/form/settings",
            &json!({ "csv": [csv], "allow": allow }),
        )
    };
    let (head, body) = answer(json!({ "money_out": true }));
    assert!(
        head.starts_with("HTTP/1.1 422") && body.contains("which day the date is"),
        "{head}\n{body}"
    );
    let (head, body) = answer(json!({ "money_out": true, "day_first": true }));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    let text = fs::read_to_string(&home).unwrap();
    assert!(text.starts_with(HOME.lines().next().unwrap()), "{text}");
    for line in [
        "[[finance.csv]]",
        "name = \"bank\"",
        "charged = \"Amount EUR\"",
        "%d/%m/%Y",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    service.until("payments of the statement", |service| {
        let (status, text) = service.request("GET", "/welcome/6", None);
        (status == 200 && text.as_str()?.contains("3 payments")).then_some(())
    });
    // The next statement of the shape is not asked about.
    let next = dir.path().join("next.csv");
    fs::write(&next, format!("{header}{}", row(days[3], "Corner shop,7.25"))).unwrap();
    let seen = look("finance", &next);
    assert!(
        seen.contains("1 payment, on ") && seen.contains("Read as “bank”."),
        "{seen}"
    );
    assert!(!seen.contains("data-csv"), "{seen}");
}

#[test]
fn file_that_was_changed_by_hand_is_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, HOME).unwrap();
    let service = Service::start(&home, &data);
    let browser = Browser::opened(&data, &service);
    let (page, token) = browser.page(&service);
    let (_, shown) = page.split_once("data-shown=\"").unwrap();
    let stale = json!({ "shown": shown.split('"').next().unwrap(), "ceiling": 5 });
    let by_hand = HOME.replace("ceiling = 2", "ceiling = 1 # quiet");
    fs::write(&home, &by_hand).unwrap();
    let headers = format!("{}X-Aura-Page: {token}\r\n", browser.cookie);
    let (head, body) = request(
        service.port,
        "POST",
        "/form/settings",
        &browser.host,
        &headers,
        &stale.to_string(),
    );
    assert!(head.starts_with("HTTP/1.1 409"), "{head}\n{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (&body["code"], &body["there"]["ceiling"]),
        (&json!("WEB-028"), &json!(1))
    );
    assert_eq!(fs::read_to_string(&home).unwrap(), by_hand);

    let (head, body) = browser.send(&service, "/form/settings", &json!({ "zone": "Mars/Base" }));
    assert!(
        head.starts_with("HTTP/1.1 422") && body.contains("not an IANA time zone"),
        "{head}\n{body}"
    );
    let inside = json!({ "allow": [{ "list": "mail", "path": data.join("mail") }] });
    let (head, body) = browser.send(&service, "/form/settings", &inside);
    assert!(
        head.starts_with("HTTP/1.1 422") && body.contains("lies in the data folder"),
        "{head}\n{body}"
    );
    assert_eq!(fs::read_to_string(&home).unwrap(), by_hand);
}

#[test]
fn policy_is_put_into_force_from_the_console_and_stands_in_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    let file = dir.path().join("policy.toml");
    fs::write(&home, HOME).unwrap();
    fs::write(&file, DEFAULT_TEXT).unwrap();
    let service = Service::start_with(&home, &data, &["--policy", file.to_str().unwrap()]);
    let browser = Browser::opened(&data, &service);
    let post = |path: &str, body: &Value| {
        let (_, token) = browser.page(&service);
        let headers = format!("{}X-Aura-Page: {token}\r\n", browser.cookie);
        request(
            service.port,
            "POST",
            path,
            &browser.host,
            &headers,
            &body.to_string(),
        )
    };
    let in_force = sha256_hex(DEFAULT_TEXT.as_bytes());

    // A field is an edit of the text in force; the answer says what differs.
    let asked = json!({ "policy": DEFAULT_TEXT, "set.threshold": "0.5", "set.cost.confirm": "0.05" });
    let (_, tried) = post("/fragment/ops/what-if", &asked);
    assert!(
        tried.contains(r#"<td data-label="In force">0.45</td><td data-label="Tried">0.5</td>"#)
            && tried.matches("data-label=\"Tried\"").count() == 1,
        "{tried}"
    );
    let wanted = DEFAULT_TEXT.replace("threshold = 0.45", "threshold = 0.5");
    let put = |policy: &str, shown: &str| json!({ "policy": policy, "shown": shown, "sure": "yes" });
    for (policy, shown, says) in [
        ("threshold = 2", in_force.as_str(), "This policy cannot be used."),
        (wanted.as_str(), "another", "Nothing was changed"),
        (
            wanted.as_str(),
            in_force.as_str(),
            "In force, from the next tick on.",
        ),
        // It is in force now, and no more what this one was compared with.
        (DEFAULT_TEXT, in_force.as_str(), "Nothing was changed"),
    ] {
        let (head, body) = post("/fragment/ops/policy", &put(policy, shown));
        assert!(
            head.starts_with("HTTP/1.1 200") && body.contains(says),
            "{says}: {head}\n{body}"
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), wanted);
    let reply = control::ask(&data, &ControlRequest::Reload).unwrap();
    let Some(ControlReply::Reloaded(report)) = reply else {
        panic!("{reply:?}");
    };
    assert_eq!(
        (report.policy_changed, report.policy_hash),
        (false, sha256_hex(wanted.as_bytes()))
    );
}

#[test]
fn policy_that_no_start_named_lies_beside_the_settings_and_each_start_reads_it() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    let file = dir.path().join("policy.toml");
    fs::write(&home, HOME).unwrap();
    let service = Service::start(&home, &data);
    let browser = Browser::opened(&data, &service);
    let (_, token) = browser.page(&service);
    let headers = format!("{}X-Aura-Page: {token}\r\n", browser.cookie);
    let wanted = DEFAULT_TEXT.replace("threshold = 0.45", "threshold = 0.5");
    let body = json!({ "policy": wanted, "shown": sha256_hex(DEFAULT_TEXT.as_bytes()), "sure": "yes" });
    assert!(!file.exists());
    let (head, body) = request(
        service.port,
        "POST",
        "/fragment/ops/policy",
        &browser.host,
        &headers,
        &body.to_string(),
    );
    assert!(
        head.starts_with("HTTP/1.1 200") && body.contains("In force, from the next tick on."),
        "{head}\n{body}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), wanted);
    drop(service);

    let service = Service::start(&home, &data);
    let reply = control::ask(&data, &ControlRequest::Reload).unwrap();
    let Some(ControlReply::Reloaded(report)) = reply else {
        panic!("{reply:?}");
    };
    assert_eq!(
        (report.policy_changed, report.policy_hash),
        (false, sha256_hex(wanted.as_bytes()))
    );
    drop(service);
}
