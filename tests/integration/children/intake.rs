//! What was answered with 202 is in memory, whatever its agent suffers.
//!
//! What: a sender that keeps its own list of what was acknowledged, agents that are stopped and killed around its posts, and the export.
//! Why: the promise is made to somebody outside, so it is checked from there. Not here: which signal is offered when
//! (`aura_runtime::delivery`).

use super::{Home, process, send};
use crate::support::{Service, daily_event, signal};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    process::Command,
    time::{Duration, Instant},
};

/// One payment; its amount is its name.
fn payment(n: u32) -> Value {
    let payload = json!({
        "amount": amount(n), "currency": "EUR", "direction": "debit", "merchant": format!("Shop {n}"), "account_last4": "5530",
    });
    signal(&format!("pay-{n}"), "transaction", &payload)
}

fn amount(n: u32) -> String {
    format!("{}", 100 + n)
}

/// Posts as a careful sender does: what is named under `again` is sent again with the same id, until nothing is. Each answer comes within
/// the 3 s that are promised and one more for a busy machine.
fn deliver(service: &Service, mut signals: Vec<Value>) -> u32 {
    let end = Instant::now() + Duration::from_mins(1);
    let mut again = 0;
    loop {
        let begun = Instant::now();
        let (status, reply) = service.request("POST", "/v1/signals", Some(&json!(signals)));
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        assert_eq!(reply["refused"], json!([]), "{reply}");
        if status == 202 {
            assert_eq!(reply["accepted"], json!(signals.len()));
            return again;
        }
        assert!([429, 503].contains(&status), "{status} {reply}");
        let places: BTreeSet<usize> =
            serde_json::from_value(reply["again"].clone()).unwrap_or_else(|_| (0..signals.len()).collect());
        let mut place = 0..;
        signals.retain(|_| places.contains(&place.next().unwrap()));
        again += 1;
        assert!(Instant::now() < end, "not read within a minute: {reply}");
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

/// The nodes of a type in an export.
fn exported(home: &Home, kind: &str) -> Vec<Value> {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["memory", "export", "--data"])
        .arg(home.data())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let export: Value = serde_json::from_slice(&done.stdout).unwrap();
    let nodes = export["nodes"].as_array().unwrap();
    let data = nodes.iter().map(|node| node["data"].clone());
    data.filter(|data| data["type"] == kind).collect()
}

fn payments(home: &Home) -> Vec<String> {
    let paid = exported(home, "transaction").into_iter();
    // Money that went out has a sign.
    let amount = |data: Value| {
        data["amount"]
            .as_str()
            .unwrap()
            .trim_start_matches('-')
            .to_owned()
    };
    let mut amounts: Vec<String> = paid.map(amount).collect();
    amounts.sort();
    amounts
}

#[test]
fn every_acknowledged_payment_is_in_memory_once_whatever_its_agent_suffers() {
    let home = Home::new();
    let service = home.start();
    let mut sent = 0;
    let mut again = 0;
    for fault in [None, Some(Signal::STOP), Some(Signal::KILL), Some(Signal::KILL)] {
        if let Some(fault) = fault {
            send(process(&home.data(), "finance"), fault);
        }
        for _ in 0..3 {
            again += deliver(&service, vec![payment(sent), payment(sent + 1)]);
            sent += 2;
        }
    }
    assert!(again > 0, "an agent that is stopped cannot read");
    let mut expected: Vec<String> = (0..sent).map(amount).collect();
    expected.sort();
    assert_eq!(payments(&home), expected);
    // The same ids once more change nothing, and are known at once.
    assert_eq!(deliver(&service, (0..sent).map(payment).collect()), 0);
    assert_eq!(payments(&home), expected);
    service.kill();
    let service = home.start();
    assert_eq!(payments(&home), expected);
    assert_eq!(deliver(&service, (0..sent).map(payment).collect()), 0);
    assert_eq!(payments(&home), expected);
    service.kill();
}

#[test]
fn a_flood_is_counted_whole_while_its_agent_is_killed() {
    let home = Home::new();
    let service = home.start();
    let mut sent = 0;
    for batch in 0..10 {
        let note = |n: u32| {
            let payload = json!({"app": "org.example.chat", "channel": "Flood", "sender": format!("S{}", n % 5), "text": "so good"});
            signal(&format!("n-{n}"), "notification", &payload)
        };
        if batch == 3 || batch == 6 {
            send(process(&home.data(), "comms"), Signal::KILL);
        }
        deliver(&service, (sent..sent + 256).map(note).collect());
        sent += 256;
    }
    let all: u64 = exported(&home, "conversation")
        .iter()
        .map(|data| data["messages"].as_u64().unwrap())
        .sum();
    // 2560: more than the window of 2048 holds. The last of a day may be of the next.
    assert_eq!(all, u64::from(sent));
    service.kill();
}

#[test]
fn files_on_which_an_agent_died_are_read_by_the_next_without_another_change() {
    let home = Home::new();
    let calendar = home.0.path().join("calendar");
    std::fs::create_dir(&calendar).unwrap();
    std::fs::write(calendar.join("one.ics"), daily_event("one")).unwrap();
    let sources = format!("zone = \"UTC\"\n[sources]\ncalendar = [{calendar:?}]\n");
    std::fs::write(home.0.path().join("home.toml"), sources).unwrap();
    let service = home.start();
    let events = || exported(&home, "event").len();
    let first = service.until("events of the first file", |_| {
        Some(events()).filter(|count| *count > 0)
    });
    // It is asked what is new, answers nothing, and is ended for that; the folder does not change again.
    let stopped = process(&home.data(), "calendar");
    send(stopped, Signal::STOP);
    std::fs::write(calendar.join("two.ics"), daily_event("two")).unwrap();
    // Both have the same days.
    service.until("events of the second file", |_| {
        (events() == 2 * first).then_some(())
    });
    assert_ne!(process(&home.data(), "calendar"), stopped);
    service.kill();
}
