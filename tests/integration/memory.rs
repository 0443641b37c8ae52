//! What is remembered, named, forgotten, with the built binary on folders of recorded days.
//!
//! What: the graph of a day, searching with reasons, names; forgetting by day, by thing and everything, after which nothing of it
//! stands in any byte; letting go of what was kept long enough; a running service that leaves its folder and comes back. Why: what is
//! promised about forgetting is promised about bytes. Not here: that texts from outside are never kept (`privacy`).

use crate::support::{Service, command::aura, signal};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A recorded day, played into a folder that stays.
struct Played {
    _dir: TempDir,
    data: PathBuf,
}

impl Played {
    fn of(day: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let data = dir.path().join("data");
        let days = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
        let args = ["replay", &text(&days.join(day)), "--keep", &text(&data)];
        let (code, _, err) = aura(&args, b"");
        assert_eq!(code, Some(0), "{day}: {err}");
        Self { _dir: dir, data }
    }

    /// `aura memory …` on the folder.
    fn memory(&self, args: &[&str], input: &str) -> (Option<i32>, String) {
        let data = text(&self.data);
        let all = [&["memory"], args, &["--data", &data]].concat();
        let (code, out, err) = aura(&all, input.as_bytes());
        assert!(matches!(code, Some(0 | 1)), "{args:?}: {err}");
        (code, out)
    }

    fn lines(&self, args: &[&str]) -> Vec<Value> {
        let (_, out) = self.memory(&[args, &["--json"]].concat(), "");
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The keys that a search finds.
    fn keys(&self, words: &str) -> BTreeSet<String> {
        let found = self.lines(&["search", words, "--limit", "10000"]);
        found
            .iter()
            .map(|row| row["key"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Which of these texts stand in any byte of the folder.
    fn standing(&self, texts: &[String]) -> BTreeSet<String> {
        let found = self.memory(&["scan", "--json"], &texts.join("\n")).1;
        let found = found.lines().map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["text"]
                .as_u64()
                .unwrap()
        });
        found
            .map(|n| texts[usize::try_from(n).unwrap() - 1].clone())
            .collect()
    }

    /// What stands in the folder of what the machine, the agents and the owner have said, and of what lies beside the store.
    fn values(&self) -> Vec<String> {
        let mut values = BTreeSet::new();
        for of in ["event", "app", "person", "place", "transaction", "conversation"] {
            for row in self.lines(&["search", of, "--type", of, "--limit", "10000"]) {
                let key = row["key"].as_str().unwrap();
                values.insert(key.split('@').next().unwrap().to_owned());
                let data = &row["data"];
                values.extend(data["amount"].as_str().map(|amount| format!("\"{amount}\"")));
            }
        }
        for folder in ["outbox", "errors"] {
            for entry in fs::read_dir(self.data.join(folder)).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.file_name().unwrap().to_str().unwrap().starts_with('.') {
                    continue;
                }
                let bytes = fs::read_to_string(path).unwrap();
                let longest = bytes.lines().max_by_key(|line| line.len()).unwrap_or_default();
                values.extend(longest.get(..longest.len().min(60)).map(str::to_owned));
            }
        }
        values.into_iter().filter(|value| value.len() >= 4).collect()
    }

    fn verify(&self) -> (Option<i32>, Value) {
        let (code, out, err) = aura(&["replay", &text(&self.data), "--verify", "--json"], b"");
        let last = out.lines().last().unwrap_or_else(|| panic!("{err}"));
        (code, serde_json::from_str(last).unwrap())
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

const DAYS: [&str; 5] = [
    "spend-mirror",
    "quiet-group-chat",
    "invalid-call",
    "stopped-after-a-draft",
    "morning-brief",
];

#[test]
fn a_day_becomes_a_graph_that_is_found_by_words() {
    let day = Played::of("quiet-group-chat");
    // The day's README: one chat, muted after the watch said yes.
    let actions = day.lines(&["search", "mute group", "--type", "action"]);
    assert_eq!(actions.len(), 1, "{actions:?}");
    let action = actions[0]["key"].as_str().unwrap();
    assert_eq!(actions[0]["data"]["outcome"], "confirmed");
    assert_eq!(
        actions[0]["because"],
        json!([["mute", "kind"], ["group", "kind"]])
    );
    let shown = &day.lines(&["show", action])[0];
    let edges: BTreeSet<String> = shown["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| {
            let other = edge["other_type"].as_str().unwrap();
            format!("{} {other}", edge["type"].as_str().unwrap())
        })
        .collect();
    let expected = [
        "confirmed_by_user user",
        "talked_about conversation",
        "triggered_by trace",
    ];
    assert_eq!(edges, expected.map(str::to_owned).into());
}

#[test]
fn a_name_of_the_owners_is_found_and_goes_when_it_is_taken_away() {
    let day = Played::of("quiet-group-chat");
    let chats = day.lines(&["search", "conversation", "--type", "conversation"]);
    let chat = chats[0]["key"]
        .as_str()
        .unwrap()
        .split('@')
        .next()
        .unwrap()
        .to_owned();
    assert_eq!(day.memory(&["label", &chat, "Hostel wing"], "").0, Some(0));
    assert_eq!(day.keys("hostel").len(), 1);
    assert_eq!(day.standing(&["Hostel wing".to_owned()]).len(), 1);
    assert_eq!(day.memory(&["label", &chat, "--remove"], "").0, Some(0));
    assert_eq!(day.memory(&["search", "hostel"], "").0, Some(1));
}

#[test]
fn forgetting_everything_leaves_no_value_in_any_byte_and_a_folder_that_goes_on() {
    for name in DAYS {
        let day = Played::of(name);
        let mut values = day.values();
        let nodes = day.lines(&["search", "conversation transaction event", "--limit", "1"]);
        assert!(nodes.is_empty(), "no thing is all of these");
        if let Some(person) = values.iter().find(|value| value.starts_with("pe_")).cloned() {
            day.memory(&["label", &person, "Canary of the owner"], "");
            values.push("Canary of the owner".to_owned());
        }
        assert!(values.len() >= 2, "{name}: {values:?}");
        let all: BTreeSet<String> = values.iter().cloned().collect();
        assert_eq!(day.standing(&values), all, "{name}: the scan sees what is there");
        let (code, out) = day.memory(&["delete", "--everything", "--dry-run"], "");
        assert!(code == Some(0) && out.starts_with("would go: "), "{out}");
        assert_eq!(day.standing(&values), all, "{name}: a dry run changes nothing");
        let (code, out) = day.memory(&["delete", "--everything"], "no\n");
        assert!(
            code == Some(1) && out.ends_with("Nothing was removed.\n"),
            "{out}"
        );
        assert_eq!(day.standing(&values), all, "{name}: who says no keeps all");
        assert_eq!(day.memory(&["delete", "--everything", "--yes"], "").0, Some(0));
        assert_eq!(day.standing(&values), BTreeSet::new(), "{name}");
        assert_eq!(
            fs::metadata(day.data.join("aura.db-wal")).map_or(0, |m| m.len()),
            0
        );
        let (code, said) = day.verify();
        assert_eq!((code, &said["different"]), (Some(0), &json!(0)), "{name}: {said}");
        let (code, out) = day.memory(&["audit", "verify"], "");
        assert_eq!(code, Some(0), "{name}: {out}");
    }
}

#[test]
fn forgetting_one_day_keeps_the_others_whole() {
    // It begins late on the 3rd and goes on after midnight.
    let day = Played::of("midnight-at-the-prompt");
    let traces = |day: &Played| {
        let data = text(&day.data);
        let (_, out, _) = aura(&["trace", "list", "--json", "--data", &data], b"");
        out.lines()
            .map(|line| {
                let trace: Value = serde_json::from_str(line).unwrap();
                trace["at"].as_str().unwrap().to_owned()
            })
            .collect::<BTreeSet<String>>()
    };
    let before = traces(&day);
    let first = before.first().unwrap().clone();
    let last = before.last().unwrap().clone();
    assert!(before.len() >= 2 && first < last, "{before:?}");
    let (code, out) = day.memory(&["delete", "--from", &first, "--to", &last, "--yes"], "");
    assert_eq!(code, Some(0), "{out}");
    let after = traces(&day);
    assert!(!after.contains(&first), "{after:?}");
    let (code, said) = day.verify();
    assert_eq!((code, &said["different"]), (Some(0), &json!(0)), "{said}");
    assert_eq!(day.memory(&["audit", "verify"], "").0, Some(0));
}

#[test]
fn forgetting_a_merchant_takes_its_payments_and_nothing_else() {
    let day = Played::of("spend-mirror");
    let payments = day.lines(&[
        "search",
        "transaction",
        "--type",
        "transaction",
        "--limit",
        "1000",
    ]);
    let merchant_of = |row: &Value| row["data"]["merchant"].as_str().unwrap().to_owned();
    let merchant = merchant_of(&payments[0]);
    let (with, without): (Vec<&Value>, Vec<&Value>) =
        payments.iter().partition(|row| merchant_of(row) == merchant);
    assert!(!with.is_empty() && !without.is_empty());
    let keys = |rows: &[&Value]| -> Vec<String> {
        rows.iter()
            .map(|row| row["key"].as_str().unwrap().to_owned())
            .collect()
    };
    let mut gone = keys(&with);
    gone.push(merchant.clone());
    assert_eq!(day.memory(&["delete", &merchant, "--yes"], "").0, Some(0));
    assert_eq!(day.standing(&gone), BTreeSet::new());
    let kept = keys(&without);
    assert_eq!(day.standing(&kept), kept.iter().cloned().collect());
    let (code, said) = day.verify();
    assert_eq!((code, &said["different"]), (Some(0), &json!(0)), "{said}");
}

#[test]
fn forgetting_a_person_takes_the_chats_that_nobody_else_wrote_in() {
    let day = Played::of("quiet-group-chat");
    let people: Vec<String> = day
        .lines(&["search", "person", "--type", "person", "--limit", "1000"])
        .iter()
        .map(|row| row["key"].as_str().unwrap().to_owned())
        .filter(|key| key.starts_with("pe_"))
        .collect();
    assert!(people.len() > 1, "a group has several people");
    assert_eq!(day.memory(&["delete", &people[0], "--yes"], "").0, Some(0));
    assert_eq!(day.standing(&people[..1]), BTreeSet::new());
    assert_eq!(day.standing(&people[1..]).len(), people.len() - 1);
    let chats = day.lines(&["search", "conversation", "--type", "conversation"]);
    assert!(!chats.is_empty(), "others wrote in it too");
}

#[test]
fn what_was_kept_long_enough_goes_and_what_is_left_can_still_be_made_again() {
    let day = Played::of("spend-mirror");
    let before = day.lines(&["stats"]);
    assert!(before[0]["graph"]["nodes"]["trace"]["count"].as_u64().unwrap() > 0);
    // The recorded day is weeks ago by this machine's clock, which nothing but the owner bears out here; one day is the shortest that can
    // be asked for.
    let data = text(&day.data);
    let (code, _, err) = aura(&["clock", "confirm", "--yes", "--data", &data], b"");
    assert_eq!(code, Some(0), "{err}");
    let home = day.data.with_file_name("home.toml");
    fs::write(
        &home,
        "zone = \"UTC\"\n[retention]\ntraces = 1\nconversations = 1\nevents = 1\n",
    )
    .unwrap();
    let home = text(&home);
    let (_, out) = day.memory(&["purge", "--dry-run", "--home", &home], "");
    assert!(out.starts_with("would go: "), "{out}");
    assert_eq!(day.lines(&["stats"])[0]["graph"], before[0]["graph"]);
    // The first time a base is kept, which is as old as the newest event: what is older than it goes with the next.
    day.memory(&["purge", "--home", &home], "");
    day.memory(&["purge", "--home", &home], "");
    let after = &day.lines(&["stats"])[0];
    assert_eq!(
        (
            &after["graph"]["nodes"]["trace"],
            &after["graph"]["nodes"]["transaction"]
        ),
        (&Value::Null, &Value::Null)
    );
    assert!(after["traces"].as_u64().unwrap() <= 1, "{after}");
    let (code, said) = day.verify();
    assert_eq!((code, &said["different"]), (Some(0), &json!(0)), "{said}");
    assert_eq!(day.memory(&["audit", "verify"], "").0, Some(0));
}

#[test]
fn retention_that_is_none_is_refused_with_the_values_there_are() {
    let dir = TempDir::new().unwrap();
    let home = dir.path().join("home.toml");
    for (value, says) in [("0", "1 to 3650"), ("\"never\"", "always"), ("4000", "1 to 3650")] {
        fs::write(&home, format!("zone = \"UTC\"\n[retention]\ntraces = {value}\n")).unwrap();
        let (code, _, err) = aura(&["run", "--home", &text(&home), "--data", &text(dir.path())], b"");
        assert_eq!(code, Some(3), "{err}");
        assert!(err.contains(says), "{value}: {err}");
    }
}

#[test]
fn a_running_service_forgets_a_merchant_and_goes_on() {
    let dir = TempDir::new().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let pid = fs::read_to_string(data.join("lock")).unwrap();
    let paid = json!({"amount": "4711.13", "currency": "INR", "direction": "debit", "merchant": "Canary Cafe",
        "account_last4": "8841"});
    let (status, _) = service.request(
        "POST",
        "/v1/signals",
        Some(&json!([signal("p-1", "transaction", &paid)])),
    );
    assert_eq!(status, 202);
    let (_, out, err) = aura(
        &[
            "memory",
            "search",
            "transaction",
            "--json",
            "--data",
            &text(&data),
        ],
        b"",
    );
    let row: Value = serde_json::from_str(out.lines().next().unwrap_or_else(|| panic!("{err}"))).unwrap();
    assert_eq!(row["data"]["amount"], "-4711.13");
    let key = row["data"]["merchant"].as_str().unwrap().to_owned();
    let (code, out, err) = aura(&["memory", "delete", &key, "--yes", "--data", &text(&data)], b"");
    assert_eq!(code, Some(0), "{out}{err}");
    // The same page, the same token, the same process.
    assert_eq!(service.request("GET", "/v1/now", None).0, 200);
    assert_eq!(fs::read_to_string(data.join("lock")).unwrap(), pid);
    let texts = format!("4711.13\n{key}\nCanary Cafe\n");
    let (code, out, err) = aura(&["memory", "scan", "--data", &text(&data)], texts.as_bytes());
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(aura(&["stop", "--data", &text(&data)], b"").0, Some(0));
}
