//! A real server that is killed, and hosts that do not know that they are dead.
//!
//! What: SIGKILL between appends and under them, an answer that is lost on its way, a zombie. Why: what was acknowledged is on disk, once, whatever
//! happens. Not here: servers that replace one another (`soak`).

use crate::support::{AnswerThief, DEADLINE, NatsServer, connect};
use aura_hosts::{
    AppendError, JournalLog as _, LogEntry, LogError, LogPosition, OwnerSubject, SealedEntry,
    jetstream::JetStreamLog,
};
use std::{
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::ids::OwnerSeed;

/// An answer that does not come is waited for so long: the client is not told that its connection broke.
const SOON: Duration = Duration::from_millis(500);

fn owner(number: u8) -> OwnerSubject {
    OwnerSubject::derive(&OwnerSeed::from_bytes([number; 32]))
}

fn numbered(number: u64) -> SealedEntry {
    SealedEntry::from_bytes(format!("entry {number}").into_bytes())
}

fn all_of(log: &mut JetStreamLog) -> Vec<LogEntry> {
    log.tail(LogPosition::START, 10_000).unwrap()
}

fn up_to(number: u64) -> Vec<LogEntry> {
    let entries = (1..=number).map(|number| LogEntry {
        position: LogPosition::new(number),
        entry: numbered(number),
    });
    entries.collect()
}

/// As a writer does: the same entry again until somebody answers.
fn append(log: &mut JetStreamLog, number: u64) -> Result<LogPosition, AppendError> {
    loop {
        match log.append(LogPosition::new(number - 1), &numbered(number)) {
            Err(AppendError::Log(LogError::Unavailable(_))) => {}
            answer => return answer,
        }
    }
}

#[test]
fn what_was_acknowledged_is_there_once_after_each_kill_between_appends() {
    let mut server = NatsServer::start();
    let mut log = JetStreamLog::open(&server.connect(), &owner(0)).unwrap();
    for round in 0..5 {
        for number in round * 4 + 1..=round * 4 + 4 {
            assert_eq!(append(&mut log, number).unwrap(), LogPosition::new(number));
        }
        server.kill();
        server.start_again();
        let mut other = JetStreamLog::open(&server.connect(), &owner(0)).unwrap();
        assert_eq!(
            all_of(&mut other),
            up_to(round * 4 + 4),
            "after {} kills",
            round + 1
        );
    }
    assert_eq!(server.messages(), 20);
}

#[test]
fn what_was_acknowledged_is_there_once_when_the_server_is_killed_under_appends() {
    const KILLS: u64 = 6;
    let mut server = NatsServer::start();
    let mut log = JetStreamLog::open(&connect(server.port, 4, SOON), &owner(0)).unwrap();
    let (tell, told) = mpsc::channel();
    let writer = thread::spawn(move || {
        let mut number = 0;
        // Until nobody listens any more.
        while tell.send(number).is_ok() {
            number += 1;
            assert_eq!(append(&mut log, number).unwrap(), LogPosition::new(number));
        }
        number
    });
    let mut acknowledged = 0;
    for kill in 1..=KILLS {
        // At another moment of an append each time.
        while acknowledged < kill * 15 {
            acknowledged = told.recv().unwrap();
        }
        server.kill();
        server.start_again();
        acknowledged = told.try_iter().last().unwrap_or(acknowledged);
        let mut other = JetStreamLog::open(&server.connect(), &owner(0)).unwrap();
        let there = all_of(&mut other);
        let count = there.len() as u64;
        assert!(
            count >= acknowledged,
            "{acknowledged} were acknowledged and {count} are there"
        );
        assert_eq!(there, up_to(count));
    }
    drop(told);
    let last = writer.join().unwrap();
    assert!(last >= KILLS * 15, "{last}");
    let mut other = JetStreamLog::open(&server.connect(), &owner(0)).unwrap();
    assert_eq!(all_of(&mut other), up_to(last));
    assert_eq!(server.messages(), last, "nothing is there twice");
}

#[test]
fn zombie_is_refused_after_another_host_went_on_also_over_a_kill() {
    let mut server = NatsServer::start();
    let mut zombie = JetStreamLog::open(&server.connect(), &owner(0)).unwrap();
    append(&mut zombie, 1).unwrap();
    append(&mut zombie, 2).unwrap();
    let mut host = JetStreamLog::open(&server.connect(), &owner(0)).unwrap();
    let reached = host
        .tail(LogPosition::START, 100)
        .unwrap()
        .last()
        .unwrap()
        .position;
    assert_eq!(host.append(reached, &numbered(3)).unwrap(), LogPosition::new(3));
    let by_zombie = SealedEntry::from_bytes(b"what the zombie decided".to_vec());
    for _ in 0..2 {
        let refused = loop {
            match zombie.append(reached, &by_zombie) {
                Err(AppendError::Log(LogError::Unavailable(_))) => {}
                answer => break answer,
            }
        };
        assert!(
            matches!(refused, Err(AppendError::Conflict { head }) if head == LogPosition::new(3)),
            "{refused:?}"
        );
        server.kill();
        server.start_again();
    }
    append(&mut host, 4).unwrap();
    assert_eq!(all_of(&mut host), up_to(4));
    assert_eq!(server.messages(), 4);
}

#[test]
fn full_server_acknowledges_nothing_and_goes_on_when_it_has_room() {
    let mut server = NatsServer::start();
    server.limit_room("1MB");
    server.kill();
    server.start_again();
    let mut log = JetStreamLog::open(&connect(server.port, 4, SOON), &owner(0)).unwrap();
    let entry = |number| SealedEntry::from_bytes(vec![number; 100 << 10]);
    let mut acknowledged = 0;
    let refused = loop {
        match log.append(LogPosition::new(acknowledged.into()), &entry(acknowledged + 1)) {
            Ok(_) => acknowledged += 1,
            Err(refused) => break refused,
        }
        assert!(acknowledged < 20, "1 MB is full before");
    };
    assert!(acknowledged > 0);
    assert!(
        matches!(refused, AppendError::Log(LogError::Unavailable(_))),
        "{refused:?}"
    );
    let expected = |to: u8| -> Vec<LogEntry> {
        let entries = (1..=to).map(|number| LogEntry {
            position: LogPosition::new(number.into()),
            entry: entry(number),
        });
        entries.collect()
    };
    assert_eq!(all_of(&mut log), expected(acknowledged));
    server.limit_room("1GB");
    server.kill();
    server.start_again();
    let mut log = JetStreamLog::open(&server.connect(), &owner(0)).unwrap();
    log.append(LogPosition::new(acknowledged.into()), &entry(acknowledged + 1))
        .unwrap();
    assert_eq!(all_of(&mut log), expected(acknowledged + 1));
}

#[test]
fn append_whose_answer_was_lost_on_the_way_is_tried_again_and_there_once() {
    let server = NatsServer::start();
    let thief = AnswerThief::before(server.port);
    let mut log = JetStreamLog::open(&connect(thief.port, 4, DEADLINE), &owner(0)).unwrap();
    append(&mut log, 1).unwrap();
    for number in 2..=4 {
        thief.steal_next_answer();
        let asked = Instant::now();
        let there = log.append(LogPosition::new(number - 1), &numbered(number));
        assert_eq!(there.unwrap(), LogPosition::new(number));
        assert!(asked.elapsed() < DEADLINE, "within one deadline");
    }
    assert_eq!(all_of(&mut log), up_to(4));
    assert_eq!(server.messages(), 4);
    assert_eq!(thief.stolen(), 3);
}
