//! Clocks that are wrong, with the built binary.
//!
//! What: a service that starts, and one that runs, with a clock 400 days ahead; the owner who says that it is right. Why: what is erased
//! because of a clock cannot be brought back. Not here: what bears a clock out, and laptops over a year
//! (`aura_platform::confirmed_time`).

use crate::support::{Service, signal, test_clock::TestClock};
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};
use tempfile::TempDir;

const DAYS_400_MS: i64 = 400 * 86_400_000;

/// A folder with a payment in it, and the clock of who works on it.
struct House {
    _dir: TempDir,
    home: PathBuf,
    data: PathBuf,
    clock: TestClock,
}

impl House {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let at = |name: &str| dir.path().join(name);
        let house = Self {
            home: at("home.toml"),
            data: at("data"),
            clock: TestClock::new(at("clock")),
            _dir: dir,
        };
        fs::write(&house.home, "zone = \"UTC\"\n").unwrap();
        let service = house.service();
        let paid = json!({"amount": "47.11", "currency": "INR", "direction": "debit", "merchant": "Cafe",
            "account_last4": "8841"});
        let body = json!([signal("p-1", "transaction", &paid)]);
        assert_eq!(service.request("POST", "/v1/signals", Some(&body)).0, 202);
        service.until("payment", |_| (house.payments() == 1).then_some(()));
        house.stop(service);
        house
    }

    fn service(&self) -> Service {
        Service::start_as(&self.home, &self.data, |command| self.clock.of(command))
    }

    /// A command by the same clock.
    fn aura(&self, args: &[&str]) -> (Option<i32>, String, String) {
        // Nobody types anything: its input is at its end.
        let mut aura = Command::new(env!("CARGO_BIN_EXE_aura"));
        aura.args(args).env_clear();
        let done = self
            .clock
            .of(&mut aura)
            .env("AURA_HOME", &self.home)
            .env("AURA_DATA", &self.data)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    }

    fn stop(&self, service: Service) {
        assert_eq!(self.aura(&["stop"]).0, Some(0));
        drop(service);
    }

    fn payments(&self) -> usize {
        let (_, out, _) = self.aura(&["memory", "search", "transaction", "--json"]);
        out.lines().filter(|line| line.contains("47.11")).count()
    }

    /// Why nothing more is deleted by its age.
    fn waits(&self) -> Value {
        let (code, out, err) = self.aura(&["clock", "show", "--json"]);
        assert_eq!(code, Some(0), "{err}");
        serde_json::from_str::<Value>(&out).unwrap()["waits"].clone()
    }
}

#[test]
fn a_start_with_a_clock_400_days_ahead_erases_nothing_and_says_that_it_waits() {
    let house = House::new();
    house.clock.set_ahead(DAYS_400_MS);
    // A night has come by this clock: what was kept long enough goes before the service is ready.
    let service = house.service();
    assert_eq!(house.waits(), "ahead");
    let (_, said, _) = house.aura(&["status", "--json"]);
    let status: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(status["clock"]["waits"], "ahead", "{status}");
    let (_, said, _) = house.aura(&["doctor"]);
    assert!(said.contains("`aura clock confirm`"), "{said}");
    assert_eq!(house.payments(), 1);
    house.stop(service);
    assert_eq!(house.payments(), 1);
    // The night's work on a stopped folder, by hand.
    let (code, said, err) = house.aura(&["memory", "purge"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(said.contains("which may be wrong"), "{said}");
    assert_eq!(house.payments(), 1);
    house.clock.set_ahead(0);
    let service = house.service();
    assert_eq!(house.waits(), Value::Null);
    assert_eq!(house.payments(), 1);
    house.stop(service);
}

/// What files hold is as old as the last moment that was borne out says, by a service and by a command on a stopped folder.
#[test]
fn files_that_are_read_by_a_clock_400_days_ahead_are_read_as_by_a_right_one() {
    for running in [true, false] {
        let house = House::new();
        let folder = house.data.parent().unwrap();
        let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
        let day = |back: u64| now.date_naive() - chrono::Days::new(back);
        // A payment of the last 120 days, one that is older, and a mail of an hour ago.
        let paid =
            |day, sum| format!("{day} * Market\n    expenses:food  INR {sum}\n    assets:bank:1234\n\n");
        fs::write(
            folder.join("j.journal"),
            paid(day(3), "70.25") + &paid(day(130), "80.25"),
        )
        .unwrap();
        fs::create_dir_all(folder.join("mail/new")).unwrap();
        fs::create_dir_all(folder.join("mail/cur")).unwrap();
        let sent = (now - chrono::TimeDelta::hours(1)).to_rfc2822();
        let mail = format!(
            "From: a@example.net\r\nMessage-ID: <1@example.net>\r\nDate: {sent}\r\nSubject: Hi\r\n\r\nHello\r\n"
        );
        fs::write(folder.join("mail/new/1.a"), mail).unwrap();
        let (journal, mails) = (folder.join("j.journal"), folder.join("mail"));
        fs::write(
            &house.home,
            format!("zone = \"UTC\"\n[sources]\nfinance = [{journal:?}]\nmail = [{mails:?}]\n"),
        )
        .unwrap();
        house.clock.set_ahead(DAYS_400_MS);
        let service = running.then(|| house.service());
        let (code, said, err) = house.aura(&["import", "--json"]);
        assert_eq!(code, Some(0), "{said} {err}");
        if let Some(service) = service {
            house.stop(service);
        }
        house.clock.set_ahead(0);
        let (code, _, err) = house.aura(&["import"]);
        assert_eq!(code, Some(0), "{err}");
        let (_, stats, _) = house.aura(&["memory", "stats", "--json"]);
        let stats: Value = serde_json::from_str(&stats).unwrap();
        let nodes = &stats["graph"]["nodes"];
        // The one that was posted, and that of the journal.
        assert_eq!(nodes["transaction"]["count"], 2, "{running}: {stats}");
        assert_eq!(nodes["person"]["count"], 3, "{running}: {stats}");
    }
}

#[test]
fn a_clock_that_jumps_400_days_ahead_and_back_is_noticed_while_running() {
    let house = House::new();
    let service = house.service();
    for (ahead_ms, waits) in [
        (0, Value::Null),
        (DAYS_400_MS, json!("ahead")),
        (0, Value::Null),
        (-DAYS_400_MS, json!("behind")),
        (0, Value::Null),
    ] {
        house.clock.set_ahead(ahead_ms);
        assert_eq!(house.waits(), waits, "{ahead_ms}");
    }
    assert_eq!(house.payments(), 1);
    house.stop(service);
}

#[test]
fn what_the_owner_says_of_the_clock_counts() {
    let house = House::new();
    house.clock.set_ahead(DAYS_400_MS);
    let (code, said, _) = house.aura(&["clock", "confirm"]);
    assert_eq!(code, Some(1), "nobody typed yes: {said}");
    assert_eq!(house.waits(), "ahead");
    let service = house.service();
    let (code, said, err) = house.aura(&["clock", "confirm", "--yes"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(said.contains("deleted as usual"), "{said}");
    house.stop(service);
    assert_eq!(house.waits(), Value::Null);
    assert_eq!(house.aura(&["memory", "purge"]).0, Some(0));
    // 90 days are long over.
    assert_eq!(house.payments(), 0);
}

#[test]
fn a_night_that_comes_to_a_running_service_by_a_wrong_clock_erases_nothing() {
    let house = House::new();
    let log = house.data.with_extension("log");
    let said = fs::File::create(&log).unwrap();
    let service = Service::start_as(&house.home, &house.data, |command| {
        house.clock.of(command).env("AURA_LOG", "info").stderr(said)
    });
    let nights = || {
        let said = fs::read_to_string(&log).unwrap();
        said.matches("it is night").count()
    };
    let before = nights();
    house.clock.set_ahead(DAYS_400_MS);
    service.until("night", |_| (nights() > before).then_some(()));
    // The night's work was done, by confirmed time.
    assert_eq!(house.payments(), 1);
    assert_eq!(house.waits(), "ahead");
    house.clock.set_ahead(0);
    assert_eq!(house.waits(), Value::Null);
    assert_eq!(house.payments(), 1);
    house.stop(service);
}

#[test]
fn nothing_goes_while_the_file_that_says_for_how_long_cannot_be_read() {
    let house = House::new();
    let kept = "zone = \"UTC\"\n[retention]\nevents = \"always\"\n";
    fs::write(&house.home, kept).unwrap();
    house.clock.set_ahead(DAYS_400_MS);
    let service = house.service();
    let (code, _, err) = house.aura(&["clock", "confirm", "--yes"]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(house.payments(), 1);
    // Another line is mistyped while the service runs.
    fs::write(&house.home, format!("sleep_target = 1\n{kept}")).unwrap();
    let (code, _, err) = house.aura(&["memory", "purge"]);
    assert_ne!(code, Some(0), "it does not know for how long");
    assert!(err.contains("CONF-002") && err.contains("sleep_target"), "{err}");
    fs::write(&house.home, kept).unwrap();
    assert_eq!(house.payments(), 1);
    assert_eq!(house.aura(&["memory", "purge"]).0, Some(0));
    assert_eq!(house.payments(), 1);
    house.stop(service);
}

#[test]
fn what_was_kept_long_enough_goes_beside_a_service_when_it_is_told_to() {
    let house = House::new();
    house.clock.set_ahead(DAYS_400_MS);
    let service = house.service();
    let working = || fs::read_to_string(house.data.join("lock")).unwrap();
    let pid = working();
    assert_eq!(house.payments(), 1);
    let (code, _, err) = house.aura(&["clock", "confirm", "--yes"]);
    assert_eq!(code, Some(0), "{err}");
    // A night may be due at once; then it has taken the payment before the command does.
    let (code, said, err) = house.aura(&["memory", "purge", "--json"]);
    assert_eq!(code, Some(0), "{err}");
    let gone: Value = serde_json::from_str(&said).unwrap();
    assert!(gone["gone"].is_object(), "{gone}");
    assert_eq!(house.payments(), 0);
    assert_eq!(working(), pid);
    // The service goes on: what is told it now stays.
    let paid = json!({"amount": "12.50", "currency": "INR", "direction": "debit", "merchant": "Cafe", "account_last4": "8841"});
    let mut told = signal("p-2", "transaction", &paid);
    let now = chrono::Utc::now() + chrono::TimeDelta::milliseconds(DAYS_400_MS);
    told["at"] = json!(now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
    let body = json!([told]);
    assert_eq!(service.request("POST", "/v1/signals", Some(&body)).0, 202);
    let (_, found, _) = house.aura(&["memory", "search", "transaction", "--json"]);
    assert_eq!(
        found.lines().filter(|line| line.contains("12.5")).count(),
        1,
        "{found}"
    );
    house.stop(service);
}
