//! Signals between the moment they are posted and the moment their agent's answer is journalled.
//!
//! What: [`DeliveryQueue`], which decides what is offered to which agent now, what is offered again after a failure, and what is given
//! up. Why: a signal is acknowledged only when it was read, so somebody has to hold it until then; in memory alone, because its text is
//! nobody's to keep. Not here: posts and their answers (`actors::orchestrator::intake`), the agents' processes (`aura_process::agent_process`).

use aura_memory::SignalKey;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};
use toolcall_schema::{
    AgentName, Timestamp,
    signal::{AdmittedSignal, Signal},
};

/// Signals that are held at most, over all agents ...
pub(crate) const SIGNALS_MAX: usize = 4096;
/// ... and the bytes of their JSON.
pub(crate) const BYTES_MAX: usize = 16 * 1024 * 1024;
/// Signals that are offered together at most.
pub(crate) const BATCH: usize = 256;
/// A signal that ended its agent's process so often is not offered again.
pub(crate) const ENDED_MAX: u8 = 3;

/// The queue is full: the sender has to come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueueFull;

/// Why an ingest gave no answer that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IngestFailure {
    /// The agent did not begin on it, or its answer cannot be used.
    NotRead,
    /// The agent's process ended while it read.
    Ended {
        /// Whether by its own fault; else somebody stopped or killed it.
        own: bool,
    },
}

/// What is held for all agents.
#[derive(Debug, Default)]
pub(crate) struct DeliveryQueue {
    lanes: BTreeMap<AgentName, DeliveryLane>,
    keys: BTreeSet<SignalKey>,
    bytes: usize,
}

/// What is held for one agent, in the order in which it came.
#[derive(Debug, Default)]
struct DeliveryLane {
    items: Vec<QueuedSignal>,
    /// Whether the last batch was one signal under suspicion: the next one is of the others, if there are any.
    suspect_was_last: bool,
}

#[derive(Debug)]
struct QueuedSignal {
    key: SignalKey,
    signal: Signal,
    bytes: usize,
    stage: DeliveryStage,
    /// Its agent's process ended while it was read: it is offered alone.
    suspect: bool,
    /// How often the process ended by its own fault meanwhile.
    ended: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeliveryStage {
    Waiting,
    /// The machine was told of it and will ask for it.
    Offered,
    /// Given to the agent with this ingest.
    Asked(u64),
}

impl DeliveryQueue {
    /// Takes a signal in. One that is held already stays as it is.
    ///
    /// # Errors
    /// [`QueueFull`]: nothing was taken.
    pub(crate) fn push(&mut self, key: SignalKey, admitted: AdmittedSignal) -> Result<(), QueueFull> {
        if self.keys.contains(&key) {
            return Ok(());
        }
        let bytes = admitted.bytes();
        if self.keys.len() >= SIGNALS_MAX || self.bytes.saturating_add(bytes) > BYTES_MAX {
            return Err(QueueFull);
        }
        self.bytes += bytes;
        self.keys.insert(key.clone());
        let signal = admitted.into_signal();
        let lane = self.lanes.entry(signal.kind.reader()).or_default();
        lane.items.push(QueuedSignal {
            key,
            signal,
            bytes,
            stage: DeliveryStage::Waiting,
            suspect: false,
            ended: 0,
        });
        Ok(())
    }

    /// Whether a signal is held.
    pub(crate) fn holds(&self, key: &SignalKey) -> bool {
        self.keys.contains(key)
    }

    /// What an agent is to be offered now: nothing while something is on its way to it; else all that waits and is not dated after
    /// `wall` or `in_doubt`, at most [`BATCH`]; a signal under suspicion goes alone, in turn with the others.
    pub(crate) fn offer(
        &mut self,
        agent: AgentName,
        wall: Timestamp,
        in_doubt: &Range<Timestamp>,
    ) -> Vec<&Signal> {
        let Some(lane) = self.lanes.get_mut(&agent) else {
            return Vec::new();
        };
        if lane.items.iter().any(|item| item.stage != DeliveryStage::Waiting) {
            return Vec::new();
        }
        let due = |item: &QueuedSignal, suspect: bool| {
            item.suspect == suspect && item.signal.at <= wall && !in_doubt.contains(&item.signal.at)
        };
        let suspects = lane.items.iter().any(|item| due(item, true));
        let others = lane.items.iter().any(|item| due(item, false));
        let suspect = suspects && !(others && lane.suspect_was_last);
        lane.suspect_was_last = suspect;
        let most = if suspect { 1 } else { BATCH };
        let batch = lane.items.iter_mut().filter(|item| due(item, suspect)).take(most);
        batch
            .map(|item| {
                item.stage = DeliveryStage::Offered;
                &item.signal
            })
            .collect()
    }

    /// What is given to an agent with an ingest of `at`: what it was offered. An agent leaves what is dated after its ingest for a
    /// later one, so that waits here; a call's own time may be a moment behind the clock by which it was offered, and the clock may
    /// have jumped since, which puts dates in doubt.
    pub(crate) fn ask(
        &mut self,
        agent: AgentName,
        number: u64,
        at: Timestamp,
        in_doubt: &Range<Timestamp>,
    ) -> Vec<Signal> {
        let items = self.lanes.get_mut(&agent).map(|lane| &mut lane.items);
        items
            .into_iter()
            .flatten()
            .filter(|item| item.stage == DeliveryStage::Offered)
            .filter_map(|item| {
                if item.signal.at > at || in_doubt.contains(&item.signal.at) {
                    item.stage = DeliveryStage::Waiting;
                    return None;
                }
                item.stage = DeliveryStage::Asked(number);
                Some(item.signal.clone())
            })
            .collect()
    }

    /// An ingest was answered and its answer counts: what it was given is read, and let go of here.
    pub(crate) fn read(&mut self, agent: AgentName, number: u64) -> Vec<(SignalKey, Timestamp)> {
        self.take(agent, |item| item.stage == DeliveryStage::Asked(number))
    }

    /// An ingest gave no answer that counts: what it was given is offered again, alone if the process ended on it. What ended it too
    /// often is given up, and returned.
    pub(crate) fn failed(
        &mut self,
        agent: AgentName,
        number: u64,
        failure: IngestFailure,
    ) -> Vec<(SignalKey, Timestamp)> {
        let Some(lane) = self.lanes.get_mut(&agent) else {
            return Vec::new();
        };
        let of_it = |item: &mut QueuedSignal| item.stage == DeliveryStage::Asked(number);
        if let IngestFailure::Ended { own } = failure {
            // Whoever has not been tried since goes first.
            let mut suspects: Vec<QueuedSignal> = lane.items.extract_if(.., of_it).collect();
            for item in &mut suspects {
                item.stage = DeliveryStage::Waiting;
                item.suspect = true;
                item.ended = item.ended.saturating_add(u8::from(own));
            }
            lane.items.append(&mut suspects);
        } else {
            for item in lane
                .items
                .iter_mut()
                .filter(|item| item.stage == DeliveryStage::Asked(number))
            {
                item.stage = DeliveryStage::Waiting;
            }
        }
        self.take(agent, |item| item.ended >= ENDED_MAX)
    }

    /// When the first signal that is held for an agent is due.
    pub(crate) fn first_due(&self, agent: AgentName) -> Option<Timestamp> {
        let items = self.lanes.get(&agent)?.items.iter();
        items.map(|item| item.signal.at).min()
    }

    /// The agents for which something is held that is not on its way.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = AgentName> {
        let waits = |lane: &DeliveryLane| lane.items.iter().all(|item| item.stage == DeliveryStage::Waiting);
        let lanes = self.lanes.iter();
        lanes
            .filter(move |(_, lane)| !lane.items.is_empty() && waits(lane))
            .map(|(agent, _)| *agent)
    }

    fn take(
        &mut self,
        agent: AgentName,
        which: impl Fn(&QueuedSignal) -> bool,
    ) -> Vec<(SignalKey, Timestamp)> {
        let Some(lane) = self.lanes.get_mut(&agent) else {
            return Vec::new();
        };
        let taken: Vec<QueuedSignal> = lane.items.extract_if(.., |item| which(item)).collect();
        for item in &taken {
            self.bytes = self.bytes.saturating_sub(item.bytes);
            self.keys.remove(&item.key);
        }
        taken.into_iter().map(|item| (item.key, item.signal.at)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolcall_schema::{gate, ids::OwnerSeed};

    const FINANCE: AgentName = AgentName::Finance;
    const NOON: &str = "2026-11-03T12:00:00Z";

    fn no_doubt() -> Range<Timestamp> {
        noon()..noon()
    }

    fn noon() -> Timestamp {
        Timestamp::parse(NOON).unwrap()
    }

    fn signal(id: &str, at: Timestamp, body: &str) -> (SignalKey, AdmittedSignal) {
        let signal = json!({"id": id, "at": at, "source": "phone", "kind": "bank_sms",
            "payload": {"from": "VK-HDFCBK", "body": body}});
        let admitted = gate::admit_signal(signal.to_string().as_bytes()).unwrap();
        let seed = OwnerSeed::from_day_seed("test");
        (SignalKey::from_signal(&seed, admitted.signal()), admitted)
    }

    fn holding(ids: &[&str]) -> DeliveryQueue {
        let mut queue = DeliveryQueue::default();
        for id in ids {
            let (key, signal) = signal(id, noon(), "x");
            queue.push(key, signal).unwrap();
        }
        queue
    }

    fn offered(queue: &mut DeliveryQueue) -> Vec<String> {
        let signals = queue.offer(FINANCE, noon(), &no_doubt());
        signals
            .iter()
            .map(|signal| signal.id.as_str().to_owned())
            .collect()
    }

    fn asked(queue: &mut DeliveryQueue, number: u64) -> usize {
        queue.ask(FINANCE, number, noon(), &no_doubt()).len()
    }

    const KILLED: IngestFailure = IngestFailure::Ended { own: false };
    const CRASHED: IngestFailure = IngestFailure::Ended { own: true };

    #[test]
    fn what_is_read_is_let_go_of_and_what_came_meanwhile_is_next() {
        let mut queue = holding(&["a", "b"]);
        assert_eq!(offered(&mut queue), ["a", "b"]);
        let (key, c) = signal("c", noon(), "x");
        queue.push(key, c).unwrap();
        assert_eq!(
            offered(&mut queue),
            Vec::<String>::new(),
            "something is on its way"
        );
        assert_eq!(asked(&mut queue, 1), 2);
        assert_eq!(offered(&mut queue), Vec::<String>::new());
        assert_eq!(queue.read(FINANCE, 7), [], "of another ingest");
        assert_eq!(queue.read(FINANCE, 1).len(), 2);
        assert_eq!(offered(&mut queue), ["c"]);
        assert_eq!(asked(&mut queue, 2), 1);
        assert_eq!(queue.read(FINANCE, 2).len(), 1);
        assert!(queue.keys.is_empty());
        assert_eq!(queue.bytes, 0);
    }

    #[test]
    fn a_signal_is_held_once_and_a_signal_of_the_future_waits_for_its_time() {
        let mut queue = holding(&["a", "a"]);
        let (key, later) = signal("later", noon().plus_ms(1), "x");
        queue.push(key, later).unwrap();
        assert_eq!(queue.keys.len(), 2);
        assert_eq!(offered(&mut queue), ["a"]);
        asked(&mut queue, 1);
        queue.read(FINANCE, 1);
        assert_eq!(offered(&mut queue), Vec::<String>::new());
        assert_eq!(queue.offer(FINANCE, noon().plus_ms(1), &no_doubt()).len(), 1);
    }

    #[test]
    fn what_a_clock_makes_old_that_nothing_bore_out_is_held() {
        let days = |n: i64| noon().plus_ms(n * 86_400_000);
        let mut queue = DeliveryQueue::default();
        for (id, at) in [("long-ago", days(-90)), ("today", noon()), ("ahead", days(400))] {
            let (key, signal) = signal(id, at, "x");
            queue.push(key, signal).unwrap();
        }
        // The clock says that 400 days have passed.
        let (wall, in_doubt) = (days(400), days(-30)..days(370));
        let ids = |signals: Vec<&Signal>| {
            let ids = signals.iter().map(|signal| signal.id.as_str().to_owned());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(ids(queue.offer(FINANCE, wall, &in_doubt)), ["long-ago", "ahead"]);
        assert_eq!(queue.ask(FINANCE, 1, wall, &in_doubt).len(), 2);
        queue.read(FINANCE, 1);
        // It is set right, and jumps again before the agent is asked.
        assert_eq!(ids(queue.offer(FINANCE, noon(), &no_doubt())), ["today"]);
        assert!(queue.ask(FINANCE, 2, wall, &in_doubt).is_empty());
        assert_eq!(ids(queue.offer(FINANCE, noon(), &no_doubt())), ["today"]);
    }

    #[test]
    fn what_is_dated_after_its_ingest_is_not_given_with_it_and_stays_held() {
        let mut queue = holding(&["a"]);
        let (key, b) = signal("b", noon().plus_ms(1), "x");
        queue.push(key, b).unwrap();
        assert_eq!(queue.offer(FINANCE, noon().plus_ms(1), &no_doubt()).len(), 2);
        // The call was stamped a millisecond before the clock by which they were offered.
        assert_eq!(asked(&mut queue, 1), 1);
        assert_eq!(queue.read(FINANCE, 1).len(), 1);
        assert_eq!(queue.keys.len(), 1);
        assert_eq!(queue.offer(FINANCE, noon().plus_ms(1), &no_doubt()).len(), 1);
    }

    #[test]
    fn what_was_not_begun_is_offered_again_as_it_was() {
        let mut queue = holding(&["a", "b"]);
        for number in 1..=5 {
            assert_eq!(offered(&mut queue), ["a", "b"]);
            asked(&mut queue, number);
            assert_eq!(queue.failed(FINANCE, number, IngestFailure::NotRead), []);
            assert_eq!(queue.waiting().collect::<Vec<_>>(), [FINANCE]);
        }
    }

    #[test]
    fn after_a_death_each_goes_alone_and_only_what_ends_its_agent_three_times_by_itself_is_given_up() {
        // "bad" ends the process whenever it is read.
        let mut queue = holding(&["a", "bad", "b"]);
        let (mut read, mut given_up, mut batches) = (Vec::new(), Vec::new(), Vec::new());
        for number in 1..20 {
            let batch = offered(&mut queue);
            if batch.is_empty() {
                break;
            }
            asked(&mut queue, number);
            if batch.iter().any(|id| id == "bad") {
                given_up.extend(queue.failed(FINANCE, number, CRASHED));
            } else {
                read.extend(queue.read(FINANCE, number));
            }
            batches.push(batch.join("+"));
        }
        assert_eq!(batches, ["a+bad+b", "a", "bad", "b", "bad"]);
        assert_eq!((read.len(), given_up.len()), (2, 1));
    }

    #[test]
    fn a_process_that_others_kill_costs_no_signal() {
        let mut queue = holding(&["a"]);
        for number in 1..100 {
            assert_eq!(offered(&mut queue), ["a"]);
            asked(&mut queue, number);
            assert_eq!(queue.failed(FINANCE, number, KILLED), []);
        }
    }

    #[test]
    fn suspects_and_others_take_turns() {
        let mut queue = holding(&["s", "t"]);
        offered(&mut queue);
        asked(&mut queue, 1);
        queue.failed(FINANCE, 1, KILLED);
        let mut batches = Vec::new();
        for number in 2..6 {
            let (key, new) = signal(&format!("n{number}"), noon(), "x");
            queue.push(key, new).unwrap();
            batches.push(offered(&mut queue).join("+"));
            asked(&mut queue, number);
            queue.read(FINANCE, number);
        }
        assert_eq!(batches, ["s", "n2+n3", "t", "n4+n5"]);
    }

    #[test]
    fn it_holds_so_many_signals_and_so_many_bytes_and_says_when_it_is_full() {
        let mut queue = DeliveryQueue::default();
        for n in 0..SIGNALS_MAX {
            let (key, signal) = signal(&format!("n-{n}"), noon(), "x");
            queue.push(key, signal).unwrap();
        }
        let (key, one_more) = signal("one-more", noon(), "x");
        assert_eq!(queue.push(key, one_more), Err(QueueFull));
        let (held, again) = signal("n-0", noon(), "x");
        assert_eq!(queue.push(held, again), Ok(()), "it is held already");
        assert_eq!(offered(&mut queue).len(), BATCH);
        let mut queue = DeliveryQueue::default();
        let room = (0..SIGNALS_MAX).take_while(|n| {
            let before = format!(
                r#"{{"id":"n-{n}","at":"{NOON}","source":"phone","kind":"calendar","payload":{{"ics":""#
            );
            // 48 KiB, all told.
            let ics = "x".repeat(48 * 1024 - before.len() - 3);
            let admitted = gate::admit_signal(format!("{before}{ics}\"}}}}").as_bytes()).unwrap();
            let key = SignalKey::from_signal(&OwnerSeed::from_day_seed("test"), admitted.signal());
            queue.push(key, admitted).is_ok()
        });
        // 16 MiB over 48 KiB each: 341 fit.
        assert_eq!(room.count(), 341);
    }
}
