//! What one owner may use, and that the others do not notice who has used it up.
//!
//! What: floods, agents that die again and again, a store that may not grow and a share of the processor that is used up, beside an owner who asks for a page; more owners than may be
//! served at once. Why: owners of a host share a processor, memory and a disk. Not here: whose is whose (`owners`).

use super::{
    descendants,
    hosted::{Hosted, mail_from, only},
};
use crate::support::{Service, command::aura, signal, wait};
use aura_memory::{Store, StoreOptions, StoreWrite, Vault, vault::NoPrompt};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// With a machine that others use at the same time, as here; measured alone it is a few milliseconds.
const SLOWEST_PAGE: Duration = Duration::from_secs(2);

/// Notifications that nobody has sent before.
fn batch(of: &str, round: usize) -> Value {
    let signals =
        (0..200).map(|n| signal(&format!("f{of}-{round}-{n}"), "hrv", &json!({ "rmssd_ms": 40.0 })));
    signals.collect::<Vec<Value>>().into()
}

/// Below what one device may ask for within a moment.
const PAGES_MAX: usize = 40;

/// The slowest of an owner's pages until that is over, or of the first [`PAGES_MAX`].
fn slowest_page(service: &Service, is_over: impl Fn() -> bool) -> Duration {
    let (mut slowest, mut asked) = (Duration::ZERO, 0);
    while !is_over() && asked < PAGES_MAX {
        asked += 1;
        let begun = Instant::now();
        let (status, _) = service.request("GET", "/agenda", None);
        assert_eq!(status, 200);
        slowest = slowest.max(begun.elapsed());
    }
    slowest
}

#[test]
fn one_owners_flood_does_not_keep_another_from_her_page() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start();
    let (asha, jonas) = (hosted.service(&host, "asha"), hosted.service(&host, "jonas"));
    let end = Instant::now() + Duration::from_secs(3);
    thread::scope(|scope| {
        for sender in 0..4 {
            let asha = &asha;
            scope.spawn(move || {
                let mut round = 0;
                while Instant::now() < end {
                    round += 1;
                    // Taken, refused as too often, or told to wait: it is hers alone to bear.
                    asha.request("POST", "/v1/signals", Some(&batch(&sender.to_string(), round)));
                }
            });
        }
        let slowest = slowest_page(&jonas, || Instant::now() >= end);
        assert!(slowest < SLOWEST_PAGE, "{slowest:?}");
    });
}

#[test]
fn whoever_has_used_up_her_share_of_the_processor_waits_and_nobody_else_does() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    // Six seconds of each minute: a start and some pages take less, a flood more.
    let host = hosted.start_as(&[], 0, &["--owner-cpu", "10"]);
    let (asha, jonas) = (hosted.service(&host, "asha"), hosted.service(&host, "jonas"));
    let round = AtomicUsize::new(0);
    let refuses = || {
        let round = round.fetch_add(1, Ordering::SeqCst);
        let (status, answer) = asha.request("POST", "/v1/signals", Some(&batch("a", round)));
        // All of it is to be sent again; a device that asks too often gets 429 in place of that.
        status == 503 && answer["again"].as_array().is_some_and(|again| again.len() == 200)
    };
    // Where this machine is busy, a flood may be refused for another reason first.
    let is_told = || {
        let log = fs::read_to_string(&host.log).unwrap();
        log.contains("used up her share of the processor")
    };
    let end = Instant::now() + wait::PATIENCE;
    let is_used_up = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_used_up.load(Ordering::SeqCst) && Instant::now() < end {
                    if refuses() && is_told() {
                        is_used_up.store(true, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    assert!(is_used_up.load(Ordering::SeqCst), "her share is not used up");
    // Her pages are there all the same.
    assert_eq!(asha.request("GET", "/agenda", None).0, 200);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let _over = SetAtEnd(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                refuses();
            }
        });
        mail_from(&hosted, "jonas", "His");
        jonas.until("his mail is read", |service| {
            let (_, chats) = service.request("GET", "/chats", None);
            chats.to_string().contains("His").then_some(())
        });
        let pages = AtomicUsize::new(0);
        let slowest = slowest_page(&jonas, || pages.fetch_add(1, Ordering::SeqCst) == 20);
        assert!(slowest < SLOWEST_PAGE, "{slowest:?}");
    });
    let (status, answer) = jonas.request("POST", "/v1/signals", Some(&batch("j", 0)));
    assert_eq!(status, 202, "{answer}");
}

#[test]
fn more_owners_than_may_be_served_at_once_are_served_one_after_the_other() {
    let owners = ["asha", "jonas", "miriam"];
    let hosted = Hosted::new();
    for owner in owners {
        hosted.add(owner);
    }
    // Parked for being there no longer than a minute, if nobody waited for her place.
    let host = hosted.start_as(&[], 60, &["--awake-max", "1"]);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = SetAtEnd(&is_over);
        let most = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::SeqCst) {
                let states = hosted.states().into_iter();
                most = most.max(states.filter(|(_, state)| state == "serving").count());
            }
            most
        });
        // Each is visited twice: who waits for a place, and who was parked to make room.
        for owner in owners.into_iter().chain(owners) {
            let service = Service::of_owner(&format!("{owner}.localhost"), host.port, &hosted.data(owner));
            service.until("her mail is read", |service| {
                let (_, chats) = service.request("GET", "/chats", None);
                chats.to_string().contains(&only(owner, "Friend")).then_some(())
            });
        }
        drop(over);
        assert_eq!(most.join().unwrap(), 1);
    });
}

/// Ends what others do meanwhile, also where the test fails.
struct SetAtEnd<'a>(&'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The processes of an owner's agents, by the service's own word.
fn agents_of(hosted: &Hosted, owner: &str) -> Vec<u64> {
    let (_, status, _) = aura(
        &["status", "--json", "--data", hosted.data(owner).to_str().unwrap()],
        b"",
    );
    let status: Value = serde_json::from_str(&status).unwrap_or_default();
    let processes = status["processes"].as_object().into_iter().flatten();
    processes
        .filter_map(|(_, process)| process["pid"].as_u64())
        .collect()
}

#[test]
fn one_owners_agents_that_die_again_and_again_leave_anothers_alone() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start();
    let jonas = hosted.service(&host, "jonas");
    hosted.service(&host, "asha");
    let his = wait::until("his agents are there", || {
        Some(agents_of(&hosted, "jonas")).filter(|agents| agents.len() == 4)
    });
    let (is_over, killed) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let _over = SetAtEnd(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let children = descendants(host.child.id()).into_iter().map(u64::from);
                for pid in children.filter(|pid| !his.contains(pid)) {
                    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
                    killed.fetch_add(
                        usize::from(kill_process(pid, Signal::KILL).is_ok()),
                        Ordering::SeqCst,
                    );
                }
            }
        });
        mail_from(&hosted, "jonas", "Meanwhile");
        jonas.until("his mail is read", |service| {
            let (_, chats) = service.request("GET", "/chats", None);
            chats.to_string().contains("Meanwhile").then_some(())
        });
        let slowest = slowest_page(&jonas, || false);
        assert!(slowest < SLOWEST_PAGE, "{slowest:?}");
        wait::until("hers have died more than once each", || {
            (killed.load(Ordering::SeqCst) >= 8).then_some(())
        });
    });
    assert_eq!(agents_of(&hosted, "jonas"), his, "the same processes");
}

/// Writes so many MiB into a store that nobody serves.
fn fill_store(data: &Path, mib: u32) {
    let vault = Vault::open(data, &NoPrompt).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    for n in 0..mib {
        let policy = StoreWrite::Policy {
            hash: format!("{n:064x}"),
            text: "#".repeat(1 << 20),
        };
        store.write(vec![policy]).unwrap();
    }
    store.commit_now().unwrap();
}

#[test]
fn an_owner_whose_store_is_full_is_told_to_come_again_and_nobody_else_is() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start();
    hosted.service(&host, "asha");
    host.end();
    // Of the 16 MiB that she may have.
    fill_store(&hosted.data("asha"), 17);
    let host = hosted.start_as(&[], 0, &["--owner-disk", "16"]);
    let jonas = hosted.service(&host, "jonas");
    let (status, answer) = jonas.request("POST", "/v1/signals", Some(&batch("j", 0)));
    assert_eq!(status, 202, "{answer}");
    mail_from(&hosted, "jonas", "His");
    jonas.until("his mail is read", |service| {
        let (_, chats) = service.request("GET", "/chats", None);
        chats.to_string().contains("His").then_some(())
    });
    let asha = hosted.service(&host, "asha");
    let (status, answer) = asha.request("POST", "/v1/signals", Some(&batch("a", 0)));
    assert_eq!(status, 503, "{answer}");
    let log = fs::read_to_string(&host.log).unwrap();
    assert!(log.contains("STORE-007"), "another refusal: {log}");
    drop(host);
    // With room again it goes on.
    let host = hosted.start();
    let asha = hosted.service(&host, "asha");
    let (status, answer) = asha.request("POST", "/v1/signals", Some(&batch("a", 0)));
    assert_eq!(status, 202, "{answer}");
}
