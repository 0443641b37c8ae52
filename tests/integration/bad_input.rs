//! Bad input: each is a clear error or a counted skip with code, file and line, and nothing beside it is lost.
//!
//! What: bad files, folders, signals and configurations through the built binary; a full disk and a clock that is set
//! through the real actors (`actors`). Why: what people's disks, banks and exports do is not an exception. Not here: a
//! busy port and a second start (`kill.rs`), single formats (each agent's tests).

mod actors;
mod full_queue;

use crate::support::{Service, signal};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};
use tempfile::TempDir;

/// A command of the binary: exit code, standard output, standard error.
fn aura(args: &[&str], data: &Path) -> (Option<i32>, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(args)
        .arg("--data")
        .arg(data)
        .env("AURA_KEY_FILE", data.with_extension("key"))
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

/// The one JSON document that a command prints.
fn asked(args: &[&str], data: &Path) -> Value {
    let (code, out, err) = aura(args, data);
    assert_eq!(code, Some(0), "{args:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

/// A folder for one owner.
struct Home(TempDir);

impl Home {
    fn new(config: &str) -> Self {
        Self::of("UTC", config)
    }

    fn of(zone: &str, config: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        home.put("home.toml", &format!("zone = \"{zone}\"\n{config}"));
        home
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn data(&self) -> std::path::PathBuf {
        self.0.path().join("data")
    }

    fn start(&self) -> Service {
        Service::start(&self.0.path().join("home.toml"), &self.data())
    }
}

/// `[code, item, line]` of everything that was skipped, by agent.
fn skipped(data: &Path) -> Value {
    let status = asked(&["status", "--json"], data);
    let agents = status["health"]["skipped"].as_object().unwrap();
    let places = |agent: &Value| -> Value {
        let last = agent["last"].as_array().unwrap();
        last.iter()
            .map(|skip| json!([skip["code"], skip["item"], skip["line"]]))
            .collect()
    };
    let of = |agent: &Value| json!({ "count": agent["count"], "last": places(agent) });
    agents
        .iter()
        .map(|(name, agent)| (name.clone(), of(agent)))
        .collect()
}

#[test]
fn every_bad_file_is_a_counted_skip_with_its_place_and_the_good_ones_arrive_in_the_next_tick() {
    // Where it is about two in the afternoon now: no midnight and no morning brief is near, whenever this runs.
    let hour: i32 = chrono::Utc::now().format("%H").to_string().parse().unwrap();
    let home = Home::of(
        &format!("Etc/GMT{:+}", hour - 14),
        r#"
addresses = ["kavin@example.org"]
names = ["kavin"]
[sources]
mail = ["nowhere", "plain.txt/mail", "mail"]
calendar = ["calendar"]
sms = ["sms.jsonl"]
wellness = ["wellness"]
"#,
    );
    let now = chrono::Utc::now();
    let ago = |minutes| now - chrono::TimeDelta::minutes(minutes);
    let ics = |at: chrono::DateTime<chrono::Utc>| at.format("%Y%m%dT%H%M%SZ").to_string();

    // As root, permissions hinder nobody: a path under a file is what cannot be read.
    home.put("plain.txt", "a file where a folder should be\n");
    home.put(
        "mail/not-a-mail.eml",
        "\u{1}\u{2} no header, no sender, nothing\n",
    );
    home.put(
        "mail/good.eml",
        &format!(
            "From: Nadia Oriel <n.oriel@example.edu>\r\nTo: Kavin <kavin@example.org>\r\nSubject: Abstract\r\n\
             Date: {}\r\nMessage-ID: <good@example.edu>\r\n\r\nDear Kavin,\r\nplease send me the abstract by noon.\r\n",
            ago(30).to_rfc2822()
        ),
    );
    // Leave by 80 - 30 - 15 = 35 minutes from now: offered during the hour before that. The second event is cut off.
    home.put(
        "calendar/cut.ics",
        &format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//aura//bad input//EN\r\nBEGIN:VEVENT\r\nUID:good@example.org\r\n\
             DTSTAMP:{stamp}\r\nDTSTART:{start}\r\nDTEND:{end}\r\nSUMMARY:Visit\r\nX-AURA-TRAVEL-MIN:30\r\nEND:VEVENT\r\n\
             BEGIN:VEVENT\r\nUID:cut@example.org\r\nDTSTART:{start}\r\nSUMM",
            stamp = ics(ago(600)),
            start = ics(ago(-80)),
            end = ics(ago(-140)),
        ),
    );
    let sms = |id: &str, day: &str| {
        let body = format!("INR 180.00 spent on ICICI Bank Card XX5530 at SUNDIAL CAFE on {day}");
        let at = ago(20).to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        json!({ "id": id, "at": at, "source": "phone", "kind": "bank_sms", "payload": { "from": "VK-ICICIB", "body": body } })
    };
    let lines = [
        sms("no-such-day", "31-Feb-26").to_string(),
        "{\"id\": \"torn".to_owned(),
        sms("good", &ago(20).format("%d-%b-%y").to_string()).to_string(),
    ];
    home.put("sms.jsonl", &(lines.join("\n") + "\n"));
    home.put("wellness/steps.csv", "day,steps\n2026-11-03,8000\n");
    home.put(
        "wellness/sleep.csv",
        &format!("at,asleep_min\n{},402\n", ago(60).to_rfc3339()),
    );

    let service = home.start();
    let trace = asked(&["tick", "--json"], &home.data());
    assert_eq!(
        skipped(&home.data()),
        json!({
            "comms": { "count": 3, "last": [
                ["AGENT-001", "nowhere", null],
                ["AGENT-001", "mail", null],
                ["AGENT-010", "not-a-mail.eml", null],
            ] },
            "calendar": { "count": 1, "last": [["AGENT-013", "cut.ics", 12]] },
            "finance": { "count": 2, "last": [
                ["AGENT-102", "sms.jsonl", 1],
                ["AGENT-004", "sms.jsonl", 2],
            ] },
            "wellness": { "count": 1, "last": [["AGENT-203", "steps.csv", 1]] },
        })
    );
    // Only what a good item beside a bad one can have led to.
    let decision = &trace["decision"];
    let mut kinds: Vec<&str> = decision["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|c| c["kind"].as_str())
        .collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["CATEGORIZE_TXN", "DRAFT_REPLY", "LEAVE_BY_ALERT"]);
    let reading = |agent: &str, key: &str| {
        let all = decision["signals"][agent].as_array().unwrap();
        all.iter().find(|reading| reading["key"] == key).unwrap()["value"].clone()
    };
    assert_eq!(reading("comms", "messages"), 1.0);
    assert_eq!(reading("finance", "uncategorized"), 1.0);
    assert_eq!(reading("wellness", "sleep_min"), 402.0);
    service.kill();
}

#[test]
fn a_posted_signal_of_unknown_kind_is_refused_by_its_place_and_its_neighbours_are_read() {
    let home = Home::new("");
    let service = home.start();
    let batch = json!([
        signal("a", "horoscope", &json!({ "sign": "lion" })),
        signal("b", "sleep", &json!({ "asleep_min": 402 })),
        signal("c", "hrv", &json!({ "rmssd_ms": "fast" })),
        signal("d", "hrv", &json!({ "rmssd_ms": 41.0 })),
        signal("e", "bank_sms", &json!({ "from": "VK-ICICIB" })),
    ]);
    let (status, reply) = service.request("POST", "/v1/signals", Some(&batch));
    let refused: Vec<Value> = reply["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| json!([r["index"], r["code"], r["message"]]))
        .collect();
    assert_eq!((status, &reply["accepted"]), (202, &json!(2)), "{reply}");
    assert_eq!(
        refused,
        [
            json!([
                0,
                "SIGNAL-002",
                "\"/kind\" (enum notification, mail, calendar, bank_sms, transaction, hrv, sleep, activity, phone_unlock, location, dnd): only the listed values can stand here"
            ]),
            json!([
                2,
                "SIGNAL-002",
                "\"/payload/rmssd_ms\" (type number): another type is wanted here"
            ]),
            json!([
                4,
                "SIGNAL-002",
                "\"/payload\" (required body): a required member is missing; add it"
            ]),
        ]
    );

    // What is no list of objects at all is refused whole, and the service goes on.
    for body in [json!("text"), json!(7), json!([[]])] {
        let (status, reply) = service.request("POST", "/v1/signals", Some(&body));
        println!("{status} {reply}");
    }
    assert_eq!(service.request("POST", "/v1/tick", None).0, 202);
    let trace = service.until("trace", |s| {
        s.request("GET", "/v1/traces?limit=1", None).1.get(0).cloned()
    });
    let wellness = trace["decision"]["signals"]["wellness"].as_array().unwrap();
    let has = |key: &str, value: f64| wellness.iter().any(|r| r["key"] == key && r["value"] == value);
    assert!(has("sleep_min", 402.0) && has("rmssd_ms", 41.0), "{wellness:?}");
    service.kill();
}

#[test]
fn a_service_that_cannot_start_says_which_file_why_and_what_to_do() {
    let home = Home::new("");
    home.put("plain.txt", "not a folder\n");
    home.put("half.toml", "zone = \"UTC\"\ndnd = [[\"22:00\"");
    home.put("demo/home.toml", "zone = \"UTC\"\nstart = \"2026-11-03T07:00:00Z\"\nseed = \"x\"\n[sources]\nsignals = [\"devices.jsonl\"]\n");
    home.put("demo/devices.jsonl", "\n{\"id\":\"torn");
    let at = |name: &str| home.0.path().join(name).to_str().unwrap().to_owned();
    let data = at("data");
    for (args, data, code, wanted) in [
        (
            vec!["run", "--home", &at("gone.toml")],
            &data,
            3,
            vec!["CONF-001", "gone.toml", "--home"],
        ),
        (vec!["run", "--home", &at("")], &data, 3, vec!["CONF-001"]),
        (
            vec!["run", "--home", &at("plain.txt/home.toml")],
            &data,
            3,
            vec!["CONF-001", "plain.txt"],
        ),
        (
            vec!["run", "--home", &at("half.toml")],
            &data,
            3,
            vec!["CONF-002", "half.toml", "line 2"],
        ),
        (
            vec!["run", "--home", &at("home.toml")],
            &at("plain.txt"),
            4,
            vec!["STORE-007", "plain.txt"],
        ),
        (
            vec!["run", "--home", &at("home.toml")],
            &at("plain.txt/data"),
            4,
            vec!["STORE-007", "plain.txt"],
        ),
        (
            // Another demo may run on the default port.
            vec!["demo", "--headless", "--port", "0", "--home", &at("demo")],
            &at("demo-data"),
            1,
            vec!["DAY-", "devices.jsonl", "line 2"],
        ),
    ] {
        let (got, out, err) = aura(&args, Path::new(data));
        assert_eq!(got, Some(code), "{args:?}: {err}");
        assert!(out.is_empty() && err.starts_with("aura: "), "{args:?}: {err}");
        assert!(wanted.iter().all(|part| err.contains(part)), "{args:?}: {err}");
    }
}
