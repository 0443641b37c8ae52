//! Who runs an owner, in a file and on a server.
//!
//! What: two hosts that want one lease. Why: one of them has it. Not here: a lease that runs out, which a killed host leaves (`takeover`).

use crate::support::NatsServer;
use aura_hosts::{LogError, OwnerLease, OwnerSubject, SqliteLease, jetstream::JetStreamLease, random_word};
use toolcall_schema::ids::OwnerSeed;

fn owner(number: u8) -> OwnerSubject {
    OwnerSubject::derive(&OwnerSeed::from_bytes([number; 32]))
}

fn one_host_has_it<L: OwnerLease>(open: impl Fn(&OwnerSubject, &str) -> Result<L, LogError>) {
    let (here, there) = (random_word().unwrap(), random_word().unwrap());
    let open = |number, holder: &str| open(&owner(number), holder).unwrap();
    let (mut first, mut second) = (open(0, &here), open(0, &there));
    for _ in 0..3 {
        assert!(first.try_hold().unwrap());
        assert!(!second.try_hold().unwrap());
    }
    assert!(
        open(1, &there).try_hold().unwrap(),
        "another owner's is another one"
    );
    // An answer that was lost: its process asks again.
    assert!(open(0, &here).try_hold().unwrap());
    assert!(first.try_hold().unwrap());
    // Nobody gives back what another one has.
    second.release().unwrap();
    assert!(!second.try_hold().unwrap());
    first.release().unwrap();
    assert!(second.try_hold().unwrap());
    assert!(!first.try_hold().unwrap());
    first.seize().unwrap();
    assert!(first.try_hold().unwrap());
    assert!(!second.try_hold().unwrap());
}

#[test]
fn one_host_has_a_lease_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    one_host_has_it(|owner, holder| SqliteLease::open(&dir.path().join("log.db"), owner, holder));
}

#[test]
fn one_host_has_a_lease_on_a_server() {
    let server = NatsServer::start();
    one_host_has_it(|owner, holder| JetStreamLease::open(&server.connect(), owner, holder));
}
