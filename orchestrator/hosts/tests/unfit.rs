//! Owners whom a host cannot serve.
//!
//! What: a host that lacks a folder, that cannot open one, or that is too old for what was written. Why: such an owner is served by a host
//! that can, and the others of that host go on. Not here: which host takes which shard (`shards` of `aura-hosts`).

use crate::{
    shared::until_shared,
    support::{
        hosted::{SharedFolders, SharedHost},
        service::{HttpRequest, until},
    },
};
use aura_hosts::{JournalLog as _, KeyCipher, SqliteLog};
use aura_memory::{Vault, WRITES_FORMAT, vault::NoPrompt};
use rustix::process::Signal;
use serde_json::json;
use std::{fs, time::Duration};

/// Until each of these owners is served by one of the hosts, and who that is.
fn until_served(hosts: &[&SharedHost], owners: &[String]) -> Vec<Vec<String>> {
    until("owners who are all served once", || {
        let served: Vec<Vec<String>> = hosts.iter().map(|host| host.served()).collect();
        let mut all = served.concat();
        all.sort();
        (all == owners).then_some(served)
    })
}

#[test]
fn owners_whom_a_host_cannot_serve_are_served_by_another_one() {
    let folders = SharedFolders::new(4);
    let names = &folders.names;
    for name in names {
        folders.add(0, name);
    }
    // The other host has three of the four, and of one of those a key box that is none.
    for name in &names[..3] {
        folders.add(1, name);
    }
    fs::write(folders.of_host(1).join(&names[2]).join("key"), "{}").unwrap();
    let log = folders.log_file();
    let log = log.to_str().unwrap();
    let start = |host: usize| SharedHost::start(&folders.of_host(host), &["--log", log]);
    let first = start(0);
    until_served(&[&first], names);
    let second = start(1);
    let served = until_served(&[&first, &second], names);
    assert!(served[0].contains(&names[3]));
    // Alone it serves whom it can.
    drop(first);
    until_served(&[&second], &names[..2]);
    let failed = (names[2].clone(), "failed".to_owned());
    until("failure", || second.states().contains(&failed).then_some(()));
    // The first one is back, and has those whom it alone can serve.
    let first = start(0);
    let served = until_served(&[&first, &second], names);
    assert!(served[0].contains(&names[2]) && served[0].contains(&names[3]));
    let there = second.listed(&names[2]).unwrap();
    assert!(
        there["state"] == "elsewhere" && there["why"].is_string(),
        "{there}"
    );
}

#[test]
fn owner_to_whose_log_a_newer_version_wrote_is_refused_and_the_others_are_served() {
    let folders = SharedFolders::new(2);
    folders.add_all(1);
    let log = folders.log_file();
    let host = SharedHost::start(&folders.of_host(0), &["--log", log.to_str().unwrap()]);
    until_shared(&[&host], 2);
    let (newer, other) = (&folders.names[0], &folders.names[1]);
    let token = until("token", || host.new_token(newer));
    let vault = Vault::open(&folders.of_host(0).join(newer), &NoPrompt).unwrap();
    let keys = KeyCipher::derive(vault.seed());
    let mut there = SqliteLog::open(&log, keys.subject()).unwrap();
    let written = until("entry of a newer version", || {
        let head = there.head().unwrap();
        let (number, sealed) = there.keys().unwrap().pop_last().unwrap();
        let cipher = keys.open_key(number, &sealed).unwrap();
        let entry = cipher.seal_plain(head.next(), br#"{"format":99,"writes":[{"Unheard":{}}]}"#);
        there.append(head, &entry.unwrap()).ok()
    });
    // What is written next is refused, and what it then reads is not for it.
    let pressed = HttpRequest {
        port: host.port,
        host: Some(&format!("{newer}.test")),
        token: &token,
        headers: "",
        patience: Duration::from_secs(20),
    };
    let mute = ("POST", "/v1/mutes/ch_0000000000000001");
    let (status, reply) = pressed.send(mute.0, mute.1, Some(&json!({ "for": "1h" })));
    assert_ne!(status, 200, "{reply}");
    until("refusal", || {
        let row = host.listed(newer)?;
        let is_refused = row["why"].as_str()?.contains("STORE-020");
        (is_refused && row["state"] == "failed").then_some(())
    });
    assert_eq!(there.head().unwrap(), written, "nothing is written after it");
    assert_eq!(&host.served(), std::slice::from_ref(other));
}

#[test]
fn hosts_of_two_versions_serve_side_by_side_and_are_replaced_one_after_the_other() {
    let folders = SharedFolders::new(4);
    folders.add_all(2);
    let log = folders.log_file();
    let log = log.to_str().unwrap();
    let start = |host: usize, newer: u32| {
        let format = WRITES_FORMAT + newer;
        SharedHost::start_version(&folders.of_host(host), &["--log", log], format)
    };
    let drain = |host: SharedHost| {
        host.signal(Signal::TERM);
        assert_eq!(host.end(), Some(0));
    };
    let first = start(0, 0);
    until_shared(&[&first], 4);
    let second = start(1, 0);
    until_shared(&[&first, &second], 4);
    drain(first);
    until_shared(&[&second], 4);
    let first = start(0, 1);
    let served = until_shared(&[&first, &second], 4);
    // The newer one dies: the older one goes on with whom it had, and leaves alone what it cannot read.
    drop(first);
    let failed = |owner: &String| (owner.clone(), "failed".to_owned());
    until("refusal", || {
        let states = second.states();
        served[0]
            .iter()
            .all(|owner| states.contains(&failed(owner)))
            .then_some(())
    });
    assert_eq!(second.served(), served[1]);
    let first = start(0, 1);
    let again = until_shared(&[&first, &second], 4);
    assert!(
        served[0].iter().all(|owner| again[0].contains(owner)),
        "{again:?}"
    );
    drain(second);
    until_shared(&[&first], 4);
    let second = start(1, 1);
    until_shared(&[&first, &second], 4);
}
