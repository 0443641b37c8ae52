//! `aura init`, `aura import`, and a folder that changes under a running service.
//!
//! What: a new owner's first minutes: what is found, asked and written; everything read once; a file that comes later is noticed.
//! Why: these are the commands that everybody runs first, on folders that nobody prepared. Not here: formats (`agents`).

use crate::support::{Service, home_folder::HomeFolder, wait};
use serde_json::Value;
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

/// Somebody's home folder.
struct House(HomeFolder);

impl House {
    /// With a Maildir of one mail, a vdir of one event, and a journal.
    fn new() -> Self {
        let house = Self(HomeFolder::new());
        for folder in ["Mail/INBOX/cur", "Mail/INBOX/new", ".calendars/home"] {
            fs::create_dir_all(house.0.at(folder)).unwrap();
        }
        fs::write(house.0.at("Mail/INBOX/new/1.a"), mail("one")).unwrap();
        fs::write(house.0.at(".calendars/home/1.ics"), EVENT).unwrap();
        fs::write(house.0.at(".hledger.journal"), "").unwrap();
        house
    }

    fn config(&self) -> PathBuf {
        self.0.at(".config/aura/home.toml")
    }

    /// A command of this owner's, not yet started.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.command(args);
        command
            .env("TZ", "Europe/Berlin")
            .env("AURA_KEY_FILE", self.0.at("key"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The same, run with what is typed.
    fn aura(&self, args: &[&str], typed: &str) -> Output {
        let mut child = self.command(args).spawn().unwrap();
        // A command that asks nothing closes its input; that is its right.
        let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
        child.wait_with_output().unwrap()
    }
}

fn mail(id: &str) -> String {
    let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    format!(
        "From: Asha <asha@example.net>\r\nTo: kavin@example.org\r\nMessage-ID: <{id}@example.net>\r\nDate: {}\r\nSubject: The draft\r\n\r\n\
         Can you send the draft today?\r\n",
        now.to_rfc2822()
    )
}

const EVENT: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1@example\r\nDTSTAMP:20261101T000000Z\r\n\
    DTSTART:20261103T090000Z\r\nDTEND:20261103T100000Z\r\nSUMMARY:Seminar\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

#[test]
fn a_new_owner_is_asked_about_each_folder_and_only_what_was_agreed_to_is_read() {
    let house = House::new();
    // Zone, names, addresses; mail yes, calendar no, journal yes by an empty line.
    let done = house.aura(&["init"], "\nKavin\nkavin@example.org\ny\nn\n\n");
    assert!(done.status.success(), "{done:?}");
    let text = fs::read_to_string(house.config()).unwrap();
    let file: toml::Table = text.parse().unwrap();
    let path = |name: &str| house.0.at(name).to_str().unwrap().to_owned();
    assert_eq!(file["zone"].as_str(), Some("Europe/Berlin"));
    assert_eq!(file["names"], toml::Value::from(vec!["Kavin"]));
    assert_eq!(file["sources"]["mail"], toml::Value::from(vec![path("Mail")]));
    assert_eq!(
        file["sources"]["calendar"],
        toml::Value::from(Vec::<String>::new())
    );
    assert_eq!(
        file["sources"]["finance"],
        toml::Value::from(vec![path(".hledger.journal")])
    );

    let read = house.aura(&["import", "--json"], "");
    assert!(read.status.success(), "{read:?}");
    let read: Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!(read["agents"]["comms"]["items"], 1, "{read}");
    assert_eq!(read["agents"]["calendar"]["items"], 0, "{read}");
    // Once more: nothing is new.
    let again = house.aura(&["import", "--json"], "");
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["agents"]["comms"]["items"], 0, "{again}");
}

#[test]
fn nothing_is_written_over_or_by_halves() {
    let house = House::new();
    let short = house.aura(&["init"], "\nKavin\n");
    assert_eq!(short.status.code(), Some(2), "{short:?}");
    assert!(!house.config().exists());
    let all = house.aura(&["init", "--yes", "--json"], "");
    let all: Value = serde_json::from_slice(&all.stdout).unwrap();
    let kinds: Vec<_> = all["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["kind"])
        .collect();
    assert_eq!(kinds, ["mail", "calendar", "finance"]);
    let before = fs::read(house.config()).unwrap();
    let again = house.aura(&["init", "--yes"], "");
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert_eq!(fs::read(house.config()).unwrap(), before);
}

#[test]
fn what_is_named_on_the_command_line_is_read_once_and_what_it_is_must_be_clear() {
    let house = House::new();
    house.aura(&["init", "--yes"], "");
    let night = house.0.at("night.csv");
    let woke = chrono::Utc::now() - chrono::TimeDelta::hours(1);
    fs::write(&night, format!("at,asleep_min\n{},371\n", woke.to_rfc3339())).unwrap();
    let read = house.aura(&["import", night.to_str().unwrap(), "--json"], "");
    let read: Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!(read["agents"]["wellness"]["items"], 1, "{read}");
    // A folder in which nothing is a statement.
    let folder = house.0.at("letters");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("statements.rar"), "x").unwrap();
    for path in [&night, &folder] {
        let done = house.aura(&["import", "--as", "finance", path.to_str().unwrap()], "");
        let said = String::from_utf8(done.stdout).unwrap();
        assert_eq!(said.contains("Nothing was read"), path == &folder, "{said}");
    }
    for (name, says) in [
        ("unknown.csv", "say --as"),
        (".calendars/home/1.ics", "add it to [sources] calendar"),
        ("missing.mbox", "could not read"),
    ] {
        if name.starts_with("unknown") {
            fs::write(house.0.at(name), "a,b\n").unwrap();
        }
        let refused = house.aura(&["import", house.0.at(name).to_str().unwrap()], "");
        assert_eq!(refused.status.code(), Some(2), "{name}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(says), "{name}: {said}");
    }
}

#[test]
fn a_mail_that_comes_while_the_service_runs_is_read_by_itself() {
    let house = House::new();
    house.aura(&["init", "--yes"], "");
    let data = house.0.at("data");
    let _service = Service::start(&house.config(), &data);
    until(&data, 1);
    // As a mail program delivers: written elsewhere, then moved to its place.
    let fresh = house.0.at("fresh");
    fs::write(&fresh, mail("two")).unwrap();
    fs::rename(&fresh, house.0.at("Mail/INBOX/new/2.a")).unwrap();
    until(&data, 2);
}

/// Waits until Comms has kept so many items since the service's start; much sooner than the look of every minute.
fn until(data: &Path, items: u64) {
    wait::until("mail that was read", || {
        let status = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["status", "--json", "--data"])
            .arg(data)
            .output()
            .unwrap();
        let status: Value = serde_json::from_slice(&status.stdout).unwrap_or_default();
        (status["health"]["reading"]["comms"]["items"] == items).then_some(())
    });
}

/// Payments of the journal below: some 2 MB in 36 000 lines, more than one answer of the agent can tell.
const PAYMENTS: usize = 9000;

#[test]
fn an_import_that_is_killed_goes_on_and_what_was_paid_is_kept_once() {
    let house = House::new();
    let today = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).date_naive();
    let mut journal = String::new();
    for n in 0..PAYMENTS {
        // Ninety days with a hundred payments each, no two alike.
        let day = today - chrono::Days::new(1 + n as u64 / 100);
        let (shop, rupees) = (n % 40, 100 + n);
        let paid = format!("{day} * shop {shop} | number {n}\n    expenses:groceries  INR {rupees}.50\n");
        journal += &(paid + "    assets:bank:1234\n\n");
    }
    fs::write(house.0.at(".hledger.journal"), journal).unwrap();
    house.aura(&["init", "--yes"], "");
    let mut killed = 0;
    for after_ms in [150, 300, 600, 900] {
        let mut child = house.command(&["import", "--json"]).spawn().unwrap();
        killed += u32::from(wait::end_or_kill(&mut child, Duration::from_millis(after_ms)).is_none());
    }
    assert!(killed > 0, "each import ended before it was killed");
    let done = house.aura(&["import", "--json"], "");
    assert!(done.status.success(), "{done:?}");
    let stats = house.aura(&["memory", "stats", "--json"], "");
    let stats: Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(
        stats["graph"]["nodes"]["transaction"]["count"], PAYMENTS,
        "{stats}"
    );
}

#[test]
fn a_journal_of_more_payments_than_finance_works_with_is_kept_whole() {
    // The newest first, 300 a day, and more than the 20 000 and some that Finance works with.
    const MANY: usize = 23_000;
    let house = House::new();
    let today = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).date_naive();
    let paid = |n: usize| {
        let day = today - chrono::Days::new(1 + n as u64 / 300);
        let rupees = 100 + n;
        format!("{day} * shop\n    expenses:food  INR {rupees}.50\n    assets:bank:1234\n\n")
    };
    let journal: String = (0..MANY).map(paid).collect();
    fs::write(house.0.at(".hledger.journal"), journal).unwrap();
    house.aura(&["init", "--yes"], "");
    let done = house.aura(&["import", "--json"], "");
    assert!(done.status.success(), "{done:?}");
    let said: Value = serde_json::from_slice(&done.stdout).unwrap();
    let finance = &said["agents"]["finance"];
    assert_eq!(
        (&finance["items"], &finance["skipped"]),
        (&MANY.into(), &0.into()),
        "{said}"
    );
    assert_eq!(payments(&house), MANY as u64);
    // What Finance works with is less than that, and it says so.
    let told = finance["skips"].as_array().unwrap();
    assert!(
        told.iter()
            .any(|skip| skip["code"] == "AGENT-116" && skip["count"] == 0),
        "{said}"
    );
}

#[test]
fn an_import_says_how_many_payments_it_left_out_for_their_age_and_how_they_come_back() {
    let house = House::new();
    let today = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).date_naive();
    let paid = |back: u64| {
        let day = today - chrono::Days::new(back);
        format!("{day} * shop\n    expenses:food  INR {back}.50\n    assets:bank:1234\n\n")
    };
    // Many slices of what is too old, and one payment that is not.
    let mut journal: String = (0..3000).map(|n| paid(130 + n % 1000)).collect();
    journal += &paid(3);
    fs::write(house.0.at(".hledger.journal"), journal).unwrap();
    house.aura(&["init", "--yes"], "");
    let done = house.aura(&["import"], "");
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(said.contains("AGENT-115 .hledger.journal (3000): "), "{said}");
    assert!(said.contains("run `aura import --again`"), "{said}");
    assert_eq!(payments(&house), 1);
}

#[test]
fn an_import_tells_memory_of_ninety_days_of_health_and_counts_what_is_older() {
    let house = House::new();
    house.aura(&["init", "--yes"], "");
    let today = chrono::Utc::now().date_naive();
    let row = |back: u64| format!("{}T12:00:00Z,40,400\n", today - chrono::Days::new(back));
    // 85 days that are kept, more than what is usual is learned from, and 305 that are too old.
    let rows: String = (95..400).rev().chain((3..88).rev()).map(row).collect();
    let body = house.0.at("body.csv");
    fs::write(&body, format!("at,rmssd_ms,asleep_min\n{rows}")).unwrap();
    let read = house.aura(&["import", body.to_str().unwrap(), "--json"], "");
    let read: Value = serde_json::from_slice(&read.stdout).unwrap();
    let wellness = &read["agents"]["wellness"];
    assert_eq!(
        (&wellness["items"], &wellness["skipped"]),
        (&85.into(), &305.into()),
        "{read}"
    );
    let skip = &wellness["skips"][0];
    assert_eq!(
        (&skip["code"], &skip["line"], &skip["count"]),
        (&"AGENT-215".into(), &2.into(), &305.into()),
        "{read}"
    );
    assert_eq!(remembered(&house, "health_snapshot"), 85);
}

/// A payment of three days ago, as a journal has it.
fn paid(shop: &str, sum: &str) -> String {
    let today = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).date_naive();
    let day = today - chrono::Days::new(3);
    format!("{day} * {shop}\n    expenses:groceries  INR {sum}\n    assets:bank:1234\n\n")
}

/// A house with a configuration, and two payments in its journal: 100.50 and 70.25.
fn with_two_payments() -> House {
    let house = House::new();
    let journal = paid("Corner shop", "100.50") + &paid("Market", "70.25");
    fs::write(house.0.at(".hledger.journal"), journal).unwrap();
    house.aura(&["init", "--yes"], "");
    house
}

/// How many payments memory keeps.
fn payments(house: &House) -> u64 {
    remembered(house, "transaction")
}

/// How many things of a type memory keeps.
fn remembered(house: &House, node_type: &str) -> u64 {
    let stats = house.aura(&["memory", "stats", "--json"], "");
    let stats: Value = serde_json::from_slice(&stats.stdout).unwrap();
    // A type of which there is none is not named.
    stats["graph"]["nodes"][node_type]["count"].as_u64().unwrap_or(0)
}

#[test]
fn what_was_forgotten_stays_out_of_an_import_that_says_so_and_comes_back_when_it_is_asked_for() {
    let house = with_two_payments();
    let import = |more: &[&str]| {
        let args: Vec<&str> = ["import"].iter().chain(more).copied().collect();
        let done = house.aura(&args, "");
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    let says = "Files that were read before are not read again: `aura import --again` reads all of them";
    assert!(!import(&[]).contains(says));
    assert_eq!(payments(&house), 2);

    let gone = house.aura(&["memory", "delete", "--everything", "--yes"], "");
    assert!(gone.status.success(), "{gone:?}");
    let said = import(&[]);
    assert!(said.contains(says), "{said}");
    assert_eq!(payments(&house), 0);
    let said: Value = serde_json::from_str(&import(&["--json"])).unwrap();
    assert!(said["left_out_since"].is_string(), "{said}");

    assert!(!import(&["--again"]).contains(says));
    assert_eq!(payments(&house), 2);
    let said: Value = serde_json::from_str(&import(&["--json"])).unwrap();
    assert_eq!(said["left_out_since"], Value::Null);
    // Read twice, kept once.
    import(&["--again"]);
    assert_eq!(payments(&house), 2);
}

#[test]
fn a_calendar_that_is_read_once_more_counts_its_events_once() {
    let house = with_two_payments();
    let calendar = |args: &[&str]| {
        let done = house.aura(args, "");
        assert!(done.status.success(), "{done:?}");
        let said: Value = serde_json::from_slice(&done.stdout).unwrap();
        said["agents"]["calendar"]["items"].clone()
    };
    // It lies in memory alone: each start reads it.
    assert_eq!(calendar(&["import", "--json"]), 1);
    assert_eq!(calendar(&["import", "--again", "--json"]), 1);
}

#[test]
fn a_source_that_leads_into_the_data_folder_is_refused_whatever_it_is_called() {
    let house = House::new();
    let data = house.0.at("data");
    fs::create_dir_all(data.join("traces")).unwrap();
    std::os::unix::fs::symlink(&data, house.0.at("link")).unwrap();
    for source in ["data/traces", "link/traces", "Mail/../data/traces", "link"] {
        let home = house.0.at("home.toml");
        let path = house.0.at(source);
        fs::write(
            &home,
            format!("zone = \"UTC\"\n[sources]\nnotifications = [{path:?}]\n"),
        )
        .unwrap();
        let (home, data) = (home.to_str().unwrap(), data.to_str().unwrap());
        let refused = house.aura(&["import", "--home", home, "--data", data], "");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(3), "{source}: {said}");
        assert!(
            said.contains("CONF-003") && said.contains("which lies in the data folder"),
            "{said}"
        );
    }
}

#[test]
fn an_import_beside_a_running_service_is_done_by_it() {
    let house = with_two_payments();
    let data = house.0.at("data");
    let service = Service::start(&house.config(), &data);
    let pid = fs::read_to_string(data.join("lock")).unwrap();
    let aura = |args: &[&str]| {
        let mut command = house.command(args);
        command.arg("--data").arg(&data);
        let done = command
            .env("AURA_KEY_FILE", data.with_extension("key"))
            .output()
            .unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap())
    };
    let payments = || {
        let (_, stats) = aura(&["memory", "stats", "--json"]);
        let stats: Value = serde_json::from_str(&stats).unwrap();
        stats["graph"]["nodes"]["transaction"]["count"]
            .as_u64()
            .unwrap_or(0)
    };
    let (code, said) = aura(&["import", "--json"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(payments(), 2);
    // The page draws what the export says: 100.50 and 70.25.
    let (_, export) = aura(&["memory", "export"]);
    let export: Value = serde_json::from_str(&export).unwrap();
    let mut amounts: Vec<&str> = export["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|node| node["data"]["amount"].as_str())
        .collect();
    amounts.sort_unstable();
    assert_eq!(amounts, ["-100.5", "-70.25"]);
    let (status, page) = service.request("GET", "/money", None);
    let says = "You spent ₹170.75 in seven days, in 2 payments. The most on one day was ₹170.75.";
    assert!(
        status == 200 && page.as_str().is_some_and(|page| page.contains(says)),
        "{page}"
    );
    assert_eq!(aura(&["memory", "delete", "--everything", "--yes"]).0, Some(0));
    let (_, page) = service.request("GET", "/money", None);
    assert!(!page.as_str().unwrap().contains("170.75"), "{page}");
    assert_eq!((aura(&["import"]).0, payments()), (Some(0), 0));
    assert_eq!((aura(&["import", "--again"]).0, payments()), (Some(0), 2));
    // Files beside the sources, this once.
    let more = house.0.at("more.journal");
    fs::write(&more, paid("Kiosk", "1.50")).unwrap();
    let (code, said) = aura(&["import", more.to_str().unwrap(), "--as", "finance"]);
    assert_eq!((code, payments()), (Some(0), 3), "{said}");
    assert_eq!(fs::read_to_string(data.join("lock")).unwrap(), pid);
    assert_eq!(service.request("GET", "/healthz", None).0, 200);
}

#[test]
fn an_import_names_what_it_did_not_read_and_not_what_was_missing_before() {
    let house = House::new();
    let (config, later) = (house.0.at("home.toml"), house.0.at("later.jsonl"));
    fs::write(&config, "zone = \"UTC\"\n[sources]\nsms = [\"later.jsonl\"]\n").unwrap();
    let data = house.0.at("data");
    let service = Service::start(&config, &data);
    let import = || {
        house
            .command(&["import", "--json"])
            .env("AURA_KEY_FILE", data.with_extension("key"))
            .env("AURA_HOME", &config)
            .env("AURA_DATA", &data)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    let missing = import();
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
    fs::write(&later, "").unwrap();
    let there = import();
    assert_eq!(there.status.code(), Some(0), "{there:?}");
    let said: Value = serde_json::from_slice(&there.stdout).unwrap();
    assert_eq!(
        said["agents"]["finance"]["skips"],
        serde_json::json!([]),
        "{said}"
    );
    fs::remove_file(&later).unwrap();
    let gone = import();
    assert_eq!(gone.status.code(), Some(1), "{gone:?}");
    drop(service);
}
