//! The log on a NATS server, by the contract.
//!
//! What: [`JetStreamFixture`], and what only this log promises. Not here: what the contract says (`aura_hosts::contract`), a server that is killed
//! between appends (`kill`).

use crate::support::{DEADLINE, NatsServer, connect, plain_server};
use aura_hosts::{
    JournalLog as _, KeyCipher, LogError, LogPosition, OwnerSubject, PartPlace, SealedEntry,
    contract::LogFixture,
    contract_tests,
    jetstream::{BusConnection, BusOptions, JetStreamGrants, JetStreamLog, JetStreamRecords},
};
use std::{fs, path::Path, time::Duration};
use toolcall_schema::ids::OwnerSeed;

pub(crate) struct JetStreamFixture(NatsServer);

impl JetStreamFixture {
    fn start() -> Self {
        Self(NatsServer::start())
    }
}

impl LogFixture for JetStreamFixture {
    type Log = JetStreamLog;
    type Grants = JetStreamGrants;
    type Records = JetStreamRecords;

    fn open(&self, owner: u8) -> JetStreamLog {
        let owner = OwnerSubject::derive(&OwnerSeed::from_bytes([owner; 32]));
        // Each as a process of its own has it.
        JetStreamLog::open(&self.0.connect(), &owner).unwrap()
    }

    fn open_grants(&self) -> JetStreamGrants {
        JetStreamGrants::open(&self.0.connect()).unwrap()
    }

    fn open_records(&self) -> JetStreamRecords {
        JetStreamRecords::open(&self.0.connect()).unwrap()
    }

    fn interrupt(&mut self) {
        self.0.kill();
        self.0.start_again();
    }
}

contract_tests!(JetStreamFixture::start());

/// Every byte below a folder.
pub(crate) fn bytes_below(dir: &Path, out: &mut Vec<u8>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(path.file_name().unwrap().as_encoded_bytes());
            bytes_below(&path, out);
        } else {
            out.extend(fs::read(path).unwrap());
        }
    }
}

#[test]
fn server_sees_ciphertext_and_a_name_that_says_nothing() {
    let server = NatsServer::start();
    let keys = KeyCipher::derive(&OwnerSeed::from_bytes([1; 32]));
    let mut log = JetStreamLog::open(&server.connect(), keys.subject()).unwrap();
    let sealed_key = keys.make_key(1).unwrap();
    log.add_key(1, &sealed_key).unwrap();
    let cipher = keys.open_key(1, &sealed_key).unwrap();
    let group = [aura_memory::StoreWrite::Policy {
        hash: "0".repeat(64),
        text: "dinner with Miriam".to_owned(),
    }];
    let first = LogPosition::new(1);
    log.append(LogPosition::START, &cipher.seal_group(first, &group).unwrap())
        .unwrap();
    let place = PartPlace {
        is_last: true,
        ..PartPlace::first(first).unwrap()
    };
    let part = cipher.seal_part(place, b"dinner with Miriam").unwrap();
    log.put_snapshot(first, &mut [Ok(part)].into_iter()).unwrap();
    let mut seen = Vec::new();
    bytes_below(server.folder(), &mut seen);
    let holds = |word: &str| seen.windows(word.len()).any(|part| part == word.as_bytes());
    assert!(
        holds(keys.subject().as_str()),
        "it was looked for in the right place"
    );
    for word in ["Miriam", "dinner", "Policy"] {
        assert!(!holds(word), "{word}");
    }
}

#[test]
fn another_number_of_streams_is_refused() {
    let server = NatsServer::start();
    let owner = OwnerSubject::derive(&OwnerSeed::from_bytes([1; 32]));
    JetStreamLog::open(&connect(server.port, 2, DEADLINE), &owner).unwrap();
    // Hers is the second of two, and of four.
    let refused = JetStreamLog::open(&connect(server.port, 4, DEADLINE), &owner);
    let Err(LogError::Damaged(what)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(what, "the stream J001 is one of 2, and 4 are configured");
    JetStreamLog::open(&connect(server.port, 2, DEADLINE), &owner).unwrap();
    for none in [0, 257] {
        let options = BusOptions {
            shards: none,
            ..BusOptions::default()
        };
        assert!(BusConnection::open(options).is_err());
    }
}

#[test]
fn old_snapshots_take_no_room() {
    let server = NatsServer::start();
    let owner = OwnerSubject::derive(&OwnerSeed::from_bytes([1; 32]));
    let mut log = JetStreamLog::open(&server.connect(), &owner).unwrap();
    let entry = SealedEntry::from_bytes(vec![1]);
    for number in 0..4 {
        log.append(LogPosition::new(number), &entry).unwrap();
        let parts = [200 << 10, 200 << 10, 200 << 10].map(|bytes| Ok(vec![7; bytes]));
        log.put_snapshot(LogPosition::new(number + 1), &mut parts.into_iter())
            .unwrap();
        assert_eq!(log.snapshot().unwrap().unwrap().parts, 3);
    }
    // Four entries, three parts and their head.
    assert_eq!(server.messages(), 8);
}

#[test]
fn who_does_not_answer_is_unavailable_within_the_deadline() {
    let mut server = NatsServer::start();
    let options = BusOptions {
        servers: plain_server(server.port),
        shards: 1,
        deadline: Duration::from_millis(200),
        ..BusOptions::default()
    };
    let bus = BusConnection::open(options.clone()).unwrap();
    let owner = OwnerSubject::derive(&OwnerSeed::from_bytes([1; 32]));
    let mut log = JetStreamLog::open(&bus, &owner).unwrap();
    let entry = SealedEntry::from_bytes(vec![1]);
    log.append(LogPosition::START, &entry).unwrap();
    server.kill();
    let answer = log.append(LogPosition::new(1), &entry);
    assert!(
        matches!(
            answer,
            Err(aura_hosts::AppendError::Log(LogError::Unavailable(_)))
        ),
        "{answer:?}"
    );
    assert!(matches!(
        log.tail(LogPosition::START, 1),
        Err(LogError::Unavailable(_))
    ));
    assert!(matches!(log.snapshot(), Err(LogError::Unavailable(_))));
    assert!(matches!(
        BusConnection::open(options),
        Err(LogError::Unavailable(_))
    ));
}
