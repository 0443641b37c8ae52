//! Servers, workers and the service, killed at random under new mail and events.
//!
//! What: for some time one of them is killed or stopped after the other, while mails and events come and the owner keeps hours free; afterwards each
//! mail waits once, each event is on the agenda once, and each hour and draft is on its server once, counted from outside. Why: what holds for one
//! kill at one place has to hold for any. The broker is a thread of the service: it is killed with it, and cut from its servers with them. Not here:
//! kills at one known moment (`deliveries`, `mail_drafts`), the agents and the disk (`aura selftest chaos`).
//!
//! `AURA_ACCOUNTS_S` is for how many seconds (40), `AURA_SEED` which course (1).

use super::{
    Household, PASSWORD,
    dovecot::Dovecot,
    mail::{WORDS, mail, until_waiting, waiting, worker},
    mail_drafts::offered_reply,
    on_agenda,
    radicale::Radicale,
};
use crate::support::{Service, afternoon_zone};
use aura_runtime::control::{self, ControlReply, ControlRequest};
use chrono::{DateTime, TimeDelta, Utc};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    env, thread,
    time::{Duration, Instant},
};

const MAILS: u32 = 20;
const EVENTS: u32 = 12;
const HOURS: u32 = 8;
/// Between two deeds, at most.
const PAUSE_MS: u64 = 900;

/// Numbers that look random and are the same for the same seed (`SplitMix64`: Steele, Lea, Flood, 2014).
struct Course(u64);

impl Course {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % end
    }
}

fn number_of(name: &str, usual: u64) -> u64 {
    env::var(name).map_or(usual, |text| text.parse().unwrap())
}

fn sender(n: u32) -> String {
    format!("Sender {n:02}")
}

fn title(n: u32) -> String {
    format!("Visit {n:02}.")
}

fn event(n: u32, from: DateTime<Utc>) -> String {
    let at = |time: DateTime<Utc>| time.format("%Y%m%dT%H%M%SZ");
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:visit{n}@example.org\r\nDTSTAMP:20261101T000000Z\r\n\
         DTSTART:{}\r\nDTEND:{}\r\nSUMMARY:{}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        at(from),
        at(from + TimeDelta::minutes(10)),
        title(n)
    )
}

/// The two servers, and for how many deeds each stays away.
struct Servers {
    mail: Dovecot,
    calendar: Radicale,
    away: [u64; 2],
}

impl Servers {
    fn household(&self) -> Household {
        Household::with(&format!(
            "zone = \"{}\"\nnames = [\"Kim\"]\naddresses = [\"kim@example.org\"]\n\
             [[accounts]]\nname = \"home\"\nkind = \"imap\"\naddress = \"imaps://localhost:{}\"\nuser = \"kim\"\nprivate = true\n\
             certificate = \"{}\"\nwrite = true\n\
             [[accounts]]\nname = \"work\"\nkind = \"caldav\"\naddress = \"http://127.0.0.1:{}/kim/\"\nuser = \"kim\"\nprivate = true\n\
             write = true\n",
            afternoon_zone(),
            self.mail.imaps,
            self.mail.fingerprint(),
            self.calendar.port
        ))
    }

    fn take_away(&mut self, which: usize, deeds: u64) {
        if self.away[which] == 0 {
            match which {
                0 => self.mail.stop(),
                _ => self.calendar.stop(),
            }
        }
        self.away[which] = deeds;
    }

    /// One deed later.
    fn come_nearer(&mut self) {
        for which in [0, 1] {
            if self.away[which] > 0 {
                self.away[which] -= 1;
                if self.away[which] == 0 {
                    match which {
                        0 => self.mail.go_on(),
                        _ => self.calendar.go_on(),
                    }
                }
            }
        }
    }
}

/// What was put so far, and what was confirmed.
struct PutSoFar {
    begun: DateTime<Utc>,
    mails: u32,
    events: u32,
    hours: u32,
    /// Hours of which the answer was no plain yes.
    unsure: u32,
}

impl PutSoFar {
    /// Ten minutes begin here, apart from all others and within the day.
    fn slot(&self, n: u32) -> DateTime<Utc> {
        self.begun + TimeDelta::minutes(90 + 15 * i64::from(n))
    }

    /// Puts what is due after this share of the time.
    fn put_due(&mut self, share: f64, servers: &Servers, service: &Service) {
        let is_due = |so_far: u32, all: u32| so_far < all && f64::from(so_far) <= share * f64::from(all);
        if is_due(self.mails, MAILS) && servers.away[0] == 0 {
            let text = format!("{WORDS} It is number {}.", self.mails);
            let one = mail(&sender(self.mails), &format!("m{}", self.mails), &text);
            servers.mail.program("kim").put("INBOX", "", &one);
            self.mails += 1;
        }
        if is_due(self.events, EVENTS) && servers.away[1] == 0 {
            let path = format!("/kim/work/visit{}.ics", self.events);
            servers
                .calendar
                .put(&path, &event(self.events, self.slot(self.events)));
            self.events += 1;
        }
        if is_due(self.hours, HOURS) {
            let hold =
                json!({ "start": self.slot(EVENTS + self.hours).to_rfc3339(), "minutes": 10, "held": true });
            let (status, _) = service.request("POST", "/v1/holds", Some(&hold));
            self.unsure += u32::from(status != 200);
            self.hours += 1;
        }
    }
}

/// How all deliveries stand.
fn deliveries(household: &Household) -> Option<Vec<Value>> {
    match control::ask(&household.data(), &ControlRequest::Status) {
        Ok(Some(ControlReply::Status(status))) => Some(status["deliveries"].as_array()?.clone()),
        Ok(_) | Err(_) => None,
    }
}

/// How often each is there: as often as each other.
fn assert_alike(what: &str, counts: &[usize]) {
    let different: BTreeSet<&usize> = counts.iter().collect();
    assert!(
        different.len() == 1 && !different.contains(&0),
        "{what}: {counts:?}"
    );
}

#[test]
fn each_mail_event_hour_and_draft_is_there_once_whoever_is_killed_when() {
    let (seed, seconds) = (number_of("AURA_SEED", 1), number_of("AURA_ACCOUNTS_S", 40));
    println!("AURA_SEED={seed} AURA_ACCOUNTS_S={seconds}");
    let mut course = Course(seed);
    let mut servers = Servers {
        mail: Dovecot::start("kim", PASSWORD),
        calendar: Radicale::start_plain("kim", PASSWORD),
        away: [0, 0],
    };
    servers.calendar.make_calendar("/kim/work/");
    let first = mail("Asha Rao", "one", WORDS);
    servers.mail.program("kim").put("INBOX", "", &first);
    let household = servers.household();
    let mut service = household.service();
    household.source(&service, &["login", "work", "--stdin"], &format!("{PASSWORD}\n"));
    let mut phone = service.phone();
    // On its way from now on.
    service.confirm(&offered_reply(&household, &service));

    let (begun, span) = (Instant::now(), Duration::from_secs(seconds));
    let mut put = PutSoFar {
        begun: Utc::now(),
        mails: 0,
        events: 0,
        hours: 0,
        unsure: 0,
    };
    let mut deeds = [0_u32; 6];
    loop {
        let share = begun.elapsed().as_secs_f64() / span.as_secs_f64();
        put.put_due(share, &servers, &service);
        if share >= 1.0 {
            break;
        }
        thread::park_timeout(Duration::from_millis(course.below(PAUSE_MS)));
        servers.come_nearer();
        let deed = usize::try_from(course.below(6)).unwrap();
        deeds[deed] += 1;
        match deed {
            0 => {
                drop(phone);
                service = service.kill_and_start(&household.home(), &household.data());
                phone = service.phone();
            }
            1 => {
                // There may be none just now.
                let pid = worker().and_then(|worker| Pid::from_raw(worker.cast_signed()));
                let is_killed = pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok());
                deeds[deed] -= u32::from(!is_killed);
            }
            2 => servers.take_away(0, 1 + course.below(3)),
            3 => servers.take_away(1, 1 + course.below(3)),
            // What is found then is found while the next one is killed.
            4 => drop(household.look_at(&service, "home")),
            _ => drop(household.look_at(&service, "work")),
        }
    }
    for _ in 0..4 {
        servers.come_nearer();
    }
    while put.mails < MAILS || put.events < EVENTS || put.hours < HOURS {
        put.put_due(1.0, &servers, &service);
    }
    println!(
        "service, worker, mail, calendar, looks at each: {deeds:?}; {} unsure",
        put.unsure
    );
    assert!(deeds.iter().take(4).sum::<u32>() > 4, "{deeds:?}");

    // Each mail waits once.
    service.until("all mails", |service| {
        let report = household.look_at(service, "home");
        (report["entries"] == MAILS + 1 && report["failure"].is_null()).then_some(())
    });
    for n in 0..MAILS {
        until_waiting(&service, &sender(n), true);
    }
    let rows: Vec<usize> = (0..MAILS).map(|n| waiting(&service, &sender(n))).collect();
    assert_alike("senders on the page", &rows);
    assert!(waiting(&service, "Asha Rao") > 0);

    // Each hour and the draft are delivered, and on their servers once.
    let sure = HOURS - put.unsure;
    service.until("all deliveries", |service| {
        household.look_at(service, "home");
        household.look_at(service, "work");
        let all = deliveries(&household)?;
        let is_there = all.iter().all(|one| one["state"]["is"] == "delivered");
        (is_there && all.len() > usize::try_from(sure).unwrap()).then_some(())
    });
    let ours: Vec<String> = servers.calendar.objects("/kim/work/");
    let ours: Vec<String> = ours.into_iter().filter(|path| path.contains("/aura-")).collect();
    let begin_of = |path: &String| {
        let event = servers.calendar.get(path).unwrap();
        event
            .lines()
            .find(|line| line.starts_with("DTSTART"))
            .unwrap()
            .to_owned()
    };
    let begins: BTreeSet<String> = ours.iter().map(begin_of).collect();
    assert_eq!(begins.len(), ours.len(), "{ours:?}");
    let hours = u32::try_from(ours.len()).unwrap();
    assert!((sure..=HOURS).contains(&hours), "{ours:?}");
    let mut program = servers.mail.program("kim");
    program.ask("EXAMINE Bozze");
    let drafts = program.ask("UID SEARCH ALL");
    assert!(drafts.contains("* SEARCH 1\r\n"), "{drafts}");

    // Each event is on the agenda once.
    service.until("all events", |service| {
        let report = household.look_at(service, "work");
        (report["entries"] == EVENTS + hours && report["failure"].is_null()).then_some(())
    });
    for n in 0..EVENTS {
        service.until("agenda", |service| {
            (on_agenda(service, &title(n)) > 0).then_some(())
        });
    }
    let rows: Vec<usize> = (0..EVENTS).map(|n| on_agenda(&service, &title(n))).collect();
    assert_alike("events on the agenda", &rows);
    let report = household.look_at(&service, "home");
    assert!(report["failure"].is_null(), "{report}");
}
