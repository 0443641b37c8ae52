//! The tests that every log has to pass.
//!
//! What: [`LogFixture`], which an implementation's tests provide, one function for each promise, and [`contract_tests!`](crate::contract_tests), which
//! makes a test of each. Why: whoever writes a log for another server sees what is asked of it. Not here: what only one implementation can do
//! (its own tests).

#![expect(
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "each of them is a test: an error or a panic is its answer"
)]

use crate::{
    grants::GrantStore,
    host_key::{HostAddress, HostKey},
    log::{AppendError, JournalLog, LogEntry, LogError, LogPosition, PART_BYTES_MAX, SealedEntry},
    owner_grant::{GrantPlace, SealedGrant},
    records::RecordStore,
    seal::OwnerSubject,
};
use std::{
    error::Error,
    slice::from_ref,
    sync::{Arc, Barrier},
    thread,
};
use toolcall_schema::ids::OwnerSeed;

/// Who is not answered asks so often again.
const TRIES: u32 = 20;

/// `Err`: the log did not do what it was asked for. What it did wrong panics.
pub type ContractResult = Result<(), Box<dyn Error + Send + Sync>>;

/// A place for logs, new for each test.
pub trait LogFixture {
    type Log: JournalLog + Send + 'static;
    type Grants: GrantStore;
    type Records: RecordStore;

    /// The log of an owner, as one more process has it open. `owner` is 0 or more.
    fn open(&self, owner: u8) -> Self::Log;

    /// The grants beside it, as one more process has them open.
    fn open_grants(&self) -> Self::Grants;

    /// The records beside it, likewise.
    fn open_records(&self) -> Self::Records;

    /// Takes the connection away from all logs that are open, or what they are connected to, and gives it back.
    fn interrupt(&mut self);
}

/// Makes a test of each promise; the argument makes the fixture.
#[macro_export]
macro_rules! contract_tests {
    ($fixture:expr) => {
        $crate::contract_tests!($fixture;
            entries_come_back_in_order, stale_writer_is_refused, racing_writers_share_no_position, tail_goes_on_over_pages,
            snapshot_and_tail_meet, older_snapshot_does_not_replace_a_newer, snapshots_written_at_once_stay_whole, cut_keeps_what_is_after, cut_takes_nothing_that_no_snapshot_holds,
            append_goes_on_after_an_interruption, lost_answer_is_not_appended_twice, entries_of_all_sizes_come_back,
            owners_do_not_see_each_other, position_beyond_the_end_is_told, snapshot_that_fails_leaves_the_one_before,
            keys_are_kept_once_and_destroyed, grants_are_found_by_their_host_and_their_owner, grant_takes_the_place_of_an_older_one_and_is_removed,
            record_is_replaced_by_who_knows_the_one_before);
    };
    ($fixture:expr; $($name:ident),+) => {
        $(
            #[test]
            fn $name() {
                $crate::contract::$name(&mut $fixture).unwrap();
            }
        )+
    };
}

fn nth(number: u64) -> LogPosition {
    LogPosition::new(number)
}

fn entry(text: &str) -> SealedEntry {
    SealedEntry::from_bytes(text.as_bytes().to_vec())
}

/// Appends `1`, `2`, … up to a number.
fn fill(log: &mut impl JournalLog, up_to: u64) -> ContractResult {
    for number in 1..=up_to {
        let position = log.append(nth(number - 1), &entry(&number.to_string()))?;
        assert_eq!(position, nth(number));
    }
    Ok(())
}

/// What [`fill`] leaves after a position.
fn filled(after: u64, up_to: u64) -> Vec<LogEntry> {
    let entries = (after + 1..=up_to).map(|number| LogEntry {
        position: nth(number),
        entry: entry(&number.to_string()),
    });
    entries.collect()
}

/// Keeps a snapshot of these bytes.
fn put(log: &mut impl JournalLog, position: u64, bytes: &[u8]) -> Result<(), LogError> {
    // An empty one has a part as well.
    let parts = bytes.chunks(PART_BYTES_MAX).map(<[u8]>::to_vec);
    let empty = bytes.is_empty().then(Vec::new);
    log.put_snapshot(nth(position), &mut parts.chain(empty).map(Ok))
}

/// The newest snapshot, all of it.
fn whole(log: &mut impl JournalLog) -> Result<Option<(LogPosition, Vec<u8>)>, LogError> {
    let Some(head) = log.snapshot()? else {
        return Ok(None);
    };
    let parts = (0..head.parts).map(|part| log.snapshot_part(&head, part));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    Ok(Some((head.position, parts.concat())))
}

fn snapshot_position(log: &mut impl JournalLog) -> Result<Option<LogPosition>, LogError> {
    Ok(log.snapshot()?.map(|head| head.position))
}

fn is_conflict<T>(result: &Result<T, AppendError>, with_head: u64) -> bool {
    matches!(result, Err(AppendError::Conflict { head }) if *head == nth(with_head))
}

/// What was appended is there, in order, also for who opens the log afterwards.
pub fn entries_come_back_in_order<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    assert_eq!(log.head()?, LogPosition::START);
    assert_eq!(log.tail(LogPosition::START, 10)?, []);
    fill(&mut log, 5)?;
    let mut other = fixture.open(0);
    for log in [&mut log, &mut other] {
        assert_eq!(log.head()?, nth(5));
        assert_eq!(log.tail(LogPosition::START, 10)?, filled(0, 5));
        assert_eq!(log.tail(nth(5), 10)?, []);
    }
    Ok(())
}

/// Whoever believes the log to end earlier than it does is refused, and nothing of theirs is there.
pub fn stale_writer_is_refused<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let (mut zombie, mut host) = (fixture.open(0), fixture.open(0));
    fill(&mut zombie, 2)?;
    assert_eq!(host.append(nth(2), &entry("3"))?, nth(3));
    for _ in 0..2 {
        let refused = zombie.append(nth(2), &entry("zombie"));
        assert!(is_conflict(&refused, 3), "{refused:?}");
    }
    assert!(is_conflict(&host.append(nth(7), &entry("ahead")), 3));
    assert!(is_conflict(&host.append(LogPosition::START, &entry("anew")), 3));
    assert_eq!(host.append(nth(3), &entry("4"))?, nth(4));
    for log in [&mut zombie, &mut host] {
        assert_eq!(log.tail(LogPosition::START, 10)?, filled(0, 4));
    }
    Ok(())
}

/// Of two who append at once, each position has one.
pub fn racing_writers_share_no_position<F: LogFixture>(fixture: &mut F) -> ContractResult {
    const ROUNDS: u64 = 20;
    let start = Arc::new(Barrier::new(2));
    let writers: Vec<_> = ["a", "b"]
        .into_iter()
        .map(|name| {
            let (mut log, start) = (fixture.open(0), Arc::clone(&start));
            thread::spawn(move || -> Result<Vec<u64>, AppendError> {
                let mut won = Vec::new();
                for round in 0..ROUNDS {
                    start.wait();
                    match log.append(nth(round), &entry(name)) {
                        Ok(position) => won.push(position.number()),
                        Err(AppendError::Conflict { head }) => assert_eq!(head, nth(round + 1)),
                        Err(error) => return Err(error),
                    }
                    // The loser has been told before the next round begins.
                    start.wait();
                }
                Ok(won)
            })
        })
        .collect();
    let mut winners = vec![String::new(); 20];
    for (name, writer) in ["a", "b"].into_iter().zip(writers) {
        let won = writer.join().map_err(|_| "a writer panicked")??;
        for position in won {
            let winner = usize::try_from(position - 1)
                .ok()
                .and_then(|index| winners.get_mut(index));
            *winner.ok_or("a position past the last round")? += name;
        }
    }
    let there = fixture.open(0).tail(LogPosition::START, 100)?;
    let there: Vec<_> = there
        .iter()
        .map(|entry| String::from_utf8_lossy(entry.entry.bytes()))
        .collect();
    assert_eq!(
        there, winners,
        "each position was won once, by whose entry is there"
    );
    Ok(())
}

/// Pages of any size give the same bytes in the same order, from anywhere.
pub fn tail_goes_on_over_pages<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    // Others' entries lie between.
    let mut other = fixture.open(1);
    for number in 1..=40 {
        log.append(nth(number - 1), &entry(&number.to_string()))?;
        for step in 0..number % 3 {
            let position = other.head()?;
            other.append(position, &entry(&format!("other {number} {step}")))?;
        }
    }
    for page in [1, 3, 7, 40, 1000] {
        let mut reader = fixture.open(0);
        let mut read = Vec::new();
        loop {
            let after = read
                .last()
                .map_or(LogPosition::START, |entry: &LogEntry| entry.position);
            let next = reader.tail(after, page)?;
            assert!(next.len() <= page);
            if next.is_empty() {
                break;
            }
            read.extend(next);
        }
        assert_eq!(read, filled(0, 40), "pages of {page}");
    }
    for after in [0, 1, 13, 38, 39] {
        assert_eq!(
            fixture.open(0).tail(nth(after), 100)?,
            filled(after, 40),
            "after {after}"
        );
    }
    Ok(())
}

/// Who takes the snapshot and the tail after it has everything.
pub fn snapshot_and_tail_meet<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    assert_eq!(log.snapshot()?, None);
    // Of what was there before the first entry.
    put(&mut log, 0, b"a past")?;
    assert_eq!(
        whole(&mut fixture.open(0))?,
        Some((LogPosition::START, b"a past".to_vec()))
    );
    fill(&mut log, 6)?;
    // Larger than a message of most servers.
    let bytes: Vec<u8> = (0..2_500_000_u32)
        .map(|n| n.to_le_bytes()[usize::from(n % 2 == 0)])
        .collect();
    put(&mut log, 4, &bytes)?;
    let mut host = fixture.open(0);
    let there = whole(&mut host)?.ok_or("the snapshot is not there")?;
    assert!(there == (nth(4), bytes), "it came back otherwise");
    assert_eq!(host.tail(nth(4), 100)?, filled(4, 6));
    Ok(())
}

/// The newest snapshot stays, whoever comes late.
pub fn older_snapshot_does_not_replace_a_newer<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    fill(&mut log, 6)?;
    let mut late = fixture.open(0);
    for (position, text, kept) in [
        (3, "at 3", "at 3"),
        (5, "at 5", "at 5"),
        (4, "late", "at 5"),
        (5, "again", "again"),
        (6, "", ""),
    ] {
        put(&mut late, position, text.as_bytes())?;
        let (_, there) = whole(&mut log)?.ok_or("no snapshot")?;
        assert_eq!(String::from_utf8_lossy(&there), kept);
    }
    let beyond = put(&mut log, 7, b"beyond");
    assert!(matches!(beyond, Err(LogError::Beyond { .. })), "{beyond:?}");
    assert_eq!(snapshot_position(&mut log)?, Some(nth(6)));
    Ok(())
}

/// Parts that cannot be made leave what was there, and what was written of them takes no place of another.
pub fn snapshot_that_fails_leaves_the_one_before<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    fill(&mut log, 2)?;
    put(&mut log, 1, b"one")?;
    let mut parts = [
        Ok(b"half".to_vec()),
        Err(LogError::Unavailable("the disk".to_owned())),
    ]
    .into_iter();
    let failed = log.put_snapshot(nth(2), &mut parts);
    assert!(matches!(failed, Err(LogError::Unavailable(_))), "{failed:?}");
    assert_eq!(whole(&mut fixture.open(0))?, Some((nth(1), b"one".to_vec())));
    put(&mut log, 2, b"two")?;
    assert_eq!(whole(&mut fixture.open(0))?, Some((nth(2), b"two".to_vec())));
    Ok(())
}

/// Whoever reads while two write finds one of theirs, whole; the newest is there in the end.
pub fn snapshots_written_at_once_stay_whole<F: LogFixture>(fixture: &mut F) -> ContractResult {
    const LAST: u64 = 12;
    fill(&mut fixture.open(0), LAST)?;
    let writers: Vec<_> = [1, 0]
        .into_iter()
        .map(|parity| {
            let mut log = fixture.open(0);
            thread::spawn(move || -> Result<(), LogError> {
                for number in (1..=LAST).filter(|number| number % 2 == parity) {
                    patiently(|| put(&mut log, number, &snapshot_bytes(number)))?;
                }
                Ok(())
            })
        })
        .collect();
    let mut reader = fixture.open(0);
    let mut newest = 0;
    while !writers.iter().all(thread::JoinHandle::is_finished) {
        if let Some((position, there)) = patiently(|| whole(&mut reader))? {
            let number = position.number();
            assert!(number >= newest, "{number} after {newest}");
            assert!(there == snapshot_bytes(number), "{number} is not whole");
            newest = number;
        }
    }
    for writer in writers {
        writer.join().map_err(|_| "a writer panicked")??;
    }
    let there = whole(&mut reader)?.ok_or("no snapshot")?;
    assert!(there == (nth(LAST), snapshot_bytes(LAST)));
    Ok(())
}

/// Of several parts, each unlike those of another snapshot.
fn snapshot_bytes(number: u64) -> Vec<u8> {
    vec![number.to_le_bytes()[0]; 600_000]
}

/// What a snapshot holds can go; the rest, the snapshot and the numbers stay.
pub fn cut_keeps_what_is_after<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let (mut log, mut other) = (fixture.open(0), fixture.open(1));
    fill(&mut log, 10)?;
    fill(&mut other, 3)?;
    put(&mut log, 6, b"six")?;
    log.cut(nth(7))?;
    log.cut(nth(2))?;
    for mut log in [fixture.open(0), log] {
        assert_eq!(log.tail(nth(6), 100)?, filled(6, 10));
        assert_eq!(log.tail(nth(8), 100)?, filled(8, 10));
        let gone = log.tail(nth(5), 100);
        let is_told =
            matches!(gone, Err(LogError::Cut { first, wanted }) if first == nth(7) && wanted == nth(6));
        assert!(is_told, "{gone:?}");
        assert_eq!(snapshot_position(&mut log)?, Some(nth(6)));
    }
    let mut log = fixture.open(0);
    put(&mut log, 10, b"ten")?;
    log.cut(nth(11))?;
    let mut log = fixture.open(0);
    assert_eq!(log.head()?, nth(10), "the last entry stays, whatever is cut");
    assert_eq!(log.tail(nth(10), 100)?, []);
    assert_eq!(log.append(nth(10), &entry("11"))?, nth(11));
    assert!(is_conflict(&log.append(LogPosition::START, &entry("1")), 11));
    assert_eq!(log.tail(nth(10), 100)?, filled(10, 11));
    assert_eq!(
        other.tail(LogPosition::START, 100)?,
        filled(0, 3),
        "another owner's stay"
    );
    Ok(())
}

/// Nothing is lost by a cut.
pub fn cut_takes_nothing_that_no_snapshot_holds<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    // There is nothing before the first.
    log.cut(nth(1))?;
    fill(&mut log, 4)?;
    log.cut(nth(1))?;
    let refused = log.cut(nth(2));
    assert!(matches!(refused, Err(LogError::NoSnapshot { .. })), "{refused:?}");
    put(&mut log, 2, b"two")?;
    let refused = log.cut(nth(4));
    assert!(
        matches!(refused, Err(LogError::NoSnapshot { held, .. }) if held == nth(2)),
        "{refused:?}"
    );
    assert_eq!(log.tail(LogPosition::START, 100)?, filled(0, 4));
    Ok(())
}

/// A log that was open before goes on, with all that was acknowledged.
pub fn append_goes_on_after_an_interruption<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    fill(&mut log, 3)?;
    fixture.interrupt();
    assert_eq!(append_patiently(&mut log, 3, "4")?, nth(4));
    fixture.interrupt();
    assert_eq!(patiently(|| log.tail(LogPosition::START, 100))?, filled(0, 4));
    assert_eq!(append_patiently(&mut log, 4, "5")?, nth(5));
    assert_eq!(fixture.open(0).tail(LogPosition::START, 100)?, filled(0, 5));
    Ok(())
}

/// As a writer does: the same entry again while nobody answers.
fn append_patiently(log: &mut impl JournalLog, after: u64, text: &str) -> Result<LogPosition, AppendError> {
    let entry = entry(text);
    let mut tries = 0;
    loop {
        match log.append(nth(after), &entry) {
            Err(AppendError::Log(LogError::Unavailable(_))) if tries < TRIES => tries += 1,
            answer => return answer,
        }
    }
}

/// The same for a question.
fn patiently<T>(mut ask: impl FnMut() -> Result<T, LogError>) -> Result<T, LogError> {
    let mut tries = 0;
    loop {
        match ask() {
            Err(LogError::Unavailable(_)) if tries < TRIES => tries += 1,
            answer => return answer,
        }
    }
}

/// An append that is tried again is there once, also when others have appended since, and only the same bytes count as the same.
pub fn lost_answer_is_not_appended_twice<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    fill(&mut log, 3)?;
    assert_eq!(log.append(nth(2), &entry("3"))?, nth(3));
    // As a process does that was started anew, or whose connection was.
    let mut again = fixture.open(0);
    assert_eq!(again.append(nth(2), &entry("3"))?, nth(3));
    assert_eq!(fixture.open(0).append(nth(3), &entry("4"))?, nth(4));
    assert_eq!(log.append(nth(2), &entry("3"))?, nth(3));
    assert_eq!(log.append(LogPosition::START, &entry("1"))?, nth(1));
    assert!(is_conflict(&log.append(nth(2), &entry("33")), 4));
    assert!(is_conflict(&log.append(nth(2), &entry("")), 4));
    assert_eq!(log.append(nth(4), &entry("5"))?, nth(5));
    assert_eq!(again.tail(LogPosition::START, 100)?, filled(0, 5));
    Ok(())
}

/// From a byte to the most that the log takes; one more is refused before it is sent.
pub fn entries_of_all_sizes_come_back<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    let most = log.entry_bytes_max();
    assert!(most >= 900 << 10, "it takes {most} bytes");
    let sizes = [1, 2, 100, 4096, 64 << 10, 900 << 10, most];
    let bytes_of = |size: usize| {
        // No text, and other bytes at each place.
        let bytes = (0..size).map(|n| u8::try_from((n * 7 + n / 251) % 256).unwrap_or_default());
        SealedEntry::from_bytes(bytes.collect())
    };
    for (after, size) in sizes.into_iter().enumerate() {
        log.append(nth(after as u64), &bytes_of(size))?;
    }
    let end = sizes.len() as u64;
    let refused = log.append(nth(end), &bytes_of(most + 1));
    assert!(
        matches!(refused, Err(AppendError::TooLarge { bytes, bytes_max }) if (bytes, bytes_max) == (most + 1, most)),
        "{refused:?}"
    );
    let there = fixture.open(0).tail(LogPosition::START, 100)?;
    assert_eq!(there.len(), sizes.len());
    for (entry, size) in there.into_iter().zip(sizes) {
        assert!(entry.entry == bytes_of(size), "{size} bytes came back otherwise");
    }
    assert_eq!(log.append(nth(end), &entry("after"))?, nth(end + 1));
    Ok(())
}

/// Each has positions, entries and a snapshot of their own.
pub fn owners_do_not_see_each_other<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut logs: Vec<_> = (0..8).map(|owner| fixture.open(owner)).collect();
    let text = |owner: usize, number: u64| entry(&format!("{owner} {number}"));
    for number in 1..=4 {
        for (owner, log) in logs.iter_mut().enumerate() {
            assert_eq!(log.append(nth(number - 1), &text(owner, number))?, nth(number));
        }
    }
    if let Some(first) = logs.first_mut() {
        put(first, 4, b"of the first")?;
        first.cut(nth(4))?;
    }
    for (owner, log) in logs.iter_mut().enumerate().skip(1) {
        let there = log.tail(LogPosition::START, 100)?;
        let expected = (1..=4).map(|number| LogEntry {
            position: nth(number),
            entry: text(owner, number),
        });
        assert_eq!(there, expected.collect::<Vec<_>>());
        assert_eq!(log.snapshot()?, None);
    }
    Ok(())
}

/// Whoever has read more than there is is told so: the log has lost what it had acknowledged.
pub fn position_beyond_the_end_is_told<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let mut log = fixture.open(0);
    for end in [0, 2] {
        fill(&mut fixture.open(0), end)?;
        let told = log.tail(nth(end + 1), 10);
        assert!(
            matches!(told, Err(LogError::Beyond { head, .. }) if head == nth(end)),
            "{told:?}"
        );
    }
    Ok(())
}

/// A number has one key; those that were destroyed are gone, the others and other owners' stay.
pub fn keys_are_kept_once_and_destroyed<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let (mut log, mut other) = (fixture.open(0), fixture.open(1));
    assert!(log.keys()?.is_empty());
    assert!(log.add_key(1, b"first")?);
    assert!(!fixture.open(0).add_key(1, b"another first")?);
    assert!(log.add_key(2, b"second")?);
    assert!(log.add_key(3, b"third")?);
    assert!(other.add_key(1, b"of another")?);
    log.destroy_keys(0)?;
    assert_eq!(fixture.open(0).keys()?.len(), 3);
    patiently(|| log.destroy_keys(3))?;
    patiently(|| log.destroy_keys(3))?;
    assert_eq!(
        fixture.open(0).keys()?.into_iter().collect::<Vec<_>>(),
        [(3, b"third".to_vec())]
    );
    assert_eq!(
        other.keys()?.into_iter().collect::<Vec<_>>(),
        [(1, b"of another".to_vec())]
    );
    Ok(())
}

/// A grant of an owner to a host, with these bytes for the host.
fn grant(owner: u8, host: &HostAddress, text: &str) -> SealedGrant {
    let place = GrantPlace {
        owner: OwnerSubject::derive(&OwnerSeed::from_bytes([owner; 32])),
        host: host.clone(),
    };
    let length = u32::try_from(text.len()).unwrap_or_default();
    SealedGrant::from_bytes(place, &[&length.to_be_bytes()[..], text.as_bytes()].concat())
}

fn in_order(mut granted: Vec<SealedGrant>) -> Vec<SealedGrant> {
    granted.sort_by_key(SealedGrant::to_bytes);
    granted
}

/// A host finds all that is for it, an owner all that is hers, and nobody anything else.
pub fn grants_are_found_by_their_host_and_their_owner<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let (desk, attic) = (
        HostKey::generate()?.public().address(),
        HostKey::generate()?.public().address(),
    );
    let mut grants = fixture.open_grants();
    assert_eq!(grants.grants_for(&desk)?, []);
    let given = [grant(0, &desk, "a"), grant(0, &attic, "b"), grant(1, &desk, "c")];
    for grant in &given {
        grants.put_grant(grant)?;
    }
    let [a, b, c] = given;
    let mut grants = fixture.open_grants();
    assert_eq!(in_order(grants.grants_for(&desk)?), [a.clone(), c.clone()]);
    assert_eq!(grants.grants_for(&attic)?, from_ref(&b));
    assert_eq!(in_order(grants.grants_of(&a.place.owner)?), [a, b]);
    assert_eq!(grants.grants_of(&c.place.owner)?, [c]);
    let nobody = OwnerSubject::derive(&OwnerSeed::from_bytes([9; 32]));
    assert_eq!(grants.grants_of(&nobody)?, []);
    Ok(())
}

/// There is one for each owner and host; one that was taken away is gone for everybody, also after an interruption, and the others stay.
pub fn grant_takes_the_place_of_an_older_one_and_is_removed<F: LogFixture>(
    fixture: &mut F,
) -> ContractResult {
    let desk = HostKey::generate()?.public().address();
    let (old, new, other) = (
        grant(0, &desk, "old"),
        grant(0, &desk, "new"),
        grant(1, &desk, "other"),
    );
    let mut grants = fixture.open_grants();
    for grant in [&old, &other, &new] {
        grants.put_grant(grant)?;
    }
    fixture.interrupt();
    let there = in_order(patiently(|| grants.grants_for(&desk))?);
    assert_eq!(there, in_order(vec![new.clone(), other.clone()]));
    grants.remove_grant(&new.place)?;
    grants.remove_grant(&new.place)?;
    assert_eq!(fixture.open_grants().grants_for(&desk)?, from_ref(&other));
    grants.put_grant(&new)?;
    assert_eq!(fixture.open_grants().grants_of(&new.place.owner)?, [new]);
    Ok(())
}

/// There is one for each owner, the one that was put last by somebody who knew the one before it; all see them in one order.
pub fn record_is_replaced_by_who_knows_the_one_before<F: LogFixture>(fixture: &mut F) -> ContractResult {
    let [asha, jonas] = [1, 2].map(|seed| OwnerSubject::derive(&OwnerSeed::from_bytes([seed; 32])));
    let mut records = fixture.open_records();
    assert_eq!(records.record_of(&asha)?, None);
    assert_eq!(records.put_record(&asha, 7, b"no")?, None);
    let first = records.put_record(&asha, 0, b"a")?.unwrap_or_default();
    let other = records.put_record(&jonas, 0, b"b")?.unwrap_or_default();
    assert!(0 < first && first < other);
    let mut second_host = fixture.open_records();
    assert_eq!(second_host.put_record(&asha, 0, b"late")?, None);
    let next = second_host.put_record(&asha, first, b"c")?.unwrap_or_default();
    assert!(next > other);
    fixture.interrupt();
    let all = patiently(|| records.records_after(0))?;
    let seen: Vec<(u64, &[u8])> = all.iter().map(|kept| (kept.number, &kept.sealed[..])).collect();
    assert_eq!(seen, [(other, b"b".as_slice()), (next, b"c".as_slice())]);
    assert_eq!(records.records_after(other)?, all[1..]);
    assert_eq!(records.records_after(next)?, []);
    assert_eq!(records.record_of(&asha)?.as_ref(), all.get(1));
    Ok(())
}
