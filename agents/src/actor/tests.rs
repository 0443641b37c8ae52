//! The actor survives its agent, inline and on a thread.

use super::*;
use crate::{
    agent::{Agent, StateError},
    keeper::{MAX_PANICS, REST_MS},
    testing::{called, question, signal, t},
};
use actix::Addr;
use serde_json::json;
use toolcall_schema::{
    gate::{self, Clock},
    result::{ToolEffect, ToolErrorCode},
    tick::{IngestArgs, IngestResult, TickArgs, TickResult, TickStatus},
};

const AT: &str = "2026-11-03T12:00:00Z";

/// Counts what it ingested; panics at ticks with number 13; hangs at 99 until it is let go.
struct Brittle {
    count: u64,
    accepted: u64,
    /// Ends when its sender is gone.
    hang: Receiver<()>,
}

impl Agent for Brittle {
    fn name(&self) -> AgentName {
        AgentName::Comms
    }

    fn restore(&mut self, state: &Value) -> Result<(), StateError> {
        self.count = serde_json::from_value(state["count"].clone()).map_err(|source| StateError {
            agent: AgentName::Comms,
            source,
        })?;
        Ok(())
    }

    fn accept(&mut self, signals: Vec<Signal>) {
        self.accepted += signals.len() as u64;
    }

    fn ingest(&mut self, _: &IngestArgs, _: Timestamp) -> IngestResult {
        self.count += std::mem::take(&mut self.accepted);
        IngestResult {
            cursor: self.count,
            facts: vec![],
            read: 0,
            skipped: 0,
            skips: vec![],
            agent_state: json!({"count": self.count}),
        }
    }

    fn tick(&self, args: &TickArgs, _: Timestamp) -> TickResult {
        assert!(args.tick != 13, "an agent that crashes");
        if args.tick == 99 {
            let _ = self.hang.recv();
        }
        TickResult {
            candidates: vec![],
            readings: vec![],
            status: TickStatus::Ok,
        }
    }

    fn act(&mut self, _: &Tool, _: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
        Err(ToolErrorCode::Unavailable)
    }
}

fn build(hang: &Receiver<()>) -> Build {
    let hang = hang.clone();
    Box::new(move || {
        Box::new(Brittle {
            count: 0,
            accepted: 0,
            hang: hang.clone(),
        })
    })
}

fn ask(raw: Vec<u8>, at: Timestamp) -> Ask<CommsTool> {
    let call = gate::admit(&raw, Clock::At(at)).unwrap();
    Ask::new(&Dispatch::new(call, Authority::Auto).unwrap(), raw, at).unwrap()
}

fn tick(number: u64, at: Timestamp) -> Ask<CommsTool> {
    let mut args = question(at);
    args.tick = number;
    ask(
        called("comms", "tick", &serde_json::to_value(args).unwrap(), false, at),
        at,
    )
}

fn ingest(at: Timestamp) -> Ask<CommsTool> {
    let args = json!({"cursor": 0, "signal_ids": []});
    ask(called("comms", "ingest", &args, false, at), at)
}

/// Starts both sorts of actor in turn and lets `claim` talk to each.
fn both(claim: impl AsyncFn(Addr<CommsActor>)) {
    for threaded in [false, true] {
        actix::System::new().block_on(async {
            let hang = crossbeam_channel::never();
            let actor = if threaded {
                CommsActor::threaded(build(&hang)).unwrap()
            } else {
                CommsActor::inline(build(&hang))
            };
            claim(actor.start()).await;
        });
    }
}

fn cursor(answer: Result<Vec<u8>, AskError>) -> u64 {
    let answer: Value = serde_json::from_slice(&answer.unwrap()).unwrap();
    answer["result"]["cursor"].as_u64().unwrap()
}

fn deliver(ids: &[&str]) -> Deliver {
    let payload = json!({"app": "a", "channel": "c", "sender": "s"});
    Deliver(
        ids.iter()
            .map(|id| signal(id, t(AT), "notification", &payload))
            .collect(),
    )
}

#[test]
fn a_panic_costs_its_own_answer_and_the_next_ask_is_answered_from_the_last_state() {
    both(async |actor| {
        actor.send(deliver(&["a", "b"])).await.unwrap().unwrap();
        assert_eq!(cursor(actor.send(ingest(t(AT))).await.unwrap()), 2);
        // What waits for an ingest is not lost either.
        actor.send(deliver(&["c"])).await.unwrap().unwrap();
        assert_eq!(actor.send(tick(13, t(AT))).await.unwrap(), Err(AskError::Down));
        assert!(actor.send(tick(14, t(AT))).await.unwrap().is_ok());
        assert_eq!(cursor(actor.send(ingest(t(AT))).await.unwrap()), 3);
        assert_eq!(actor.send(Health).await.unwrap(), 1);
    });
}

#[test]
fn goes_on_from_a_restored_state_and_says_when_one_does_not_fit() {
    both(async |actor| {
        actor.send(Restore(json!({"count": 40}))).await.unwrap().unwrap();
        actor.send(deliver(&["a"])).await.unwrap().unwrap();
        assert_eq!(cursor(actor.send(ingest(t(AT))).await.unwrap()), 41);
    });
    actix::System::new().block_on(async {
        let actor = CommsActor::inline(build(&crossbeam_channel::never())).start();
        let misfit = actor.send(Restore(json!({"count": "x"}))).await.unwrap();
        assert_eq!(misfit, Err(AskError::State));
    });
}

#[test]
fn rests_after_five_panics_in_ten_seconds_and_then_goes_on() {
    both(async |actor| {
        for n in 0..MAX_PANICS {
            let at = t(AT).plus_ms(i64::try_from(n).unwrap());
            assert_eq!(actor.send(tick(13, at)).await.unwrap(), Err(AskError::Down));
        }
        let last = t(AT).plus_ms(4);
        let resting = last.plus_ms(REST_MS - 1);
        assert_eq!(actor.send(tick(1, resting)).await.unwrap(), Err(AskError::Down));
        assert!(actor.send(tick(1, last.plus_ms(REST_MS))).await.unwrap().is_ok());
        assert_eq!(actor.send(Health).await.unwrap(), 5);
    });
}

#[test]
fn a_call_that_the_agents_gate_refuses_has_no_answer() {
    both(async |actor| {
        let mut late = tick(1, t(AT));
        late.at = t(AT).plus_ms(10_000);
        assert_eq!(actor.send(late).await.unwrap(), Err(AskError::Refused));
    });
}

#[test]
fn a_call_of_another_agent_cannot_be_asked() {
    let raw = called(
        "calendar",
        "tick",
        &serde_json::to_value(question(t(AT))).unwrap(),
        false,
        t(AT),
    );
    let call = gate::admit(&raw, Clock::At(t(AT))).unwrap();
    let dispatch = Dispatch::new(call, Authority::Auto).unwrap();
    assert_eq!(
        Ask::<CommsTool>::new(&dispatch, raw, t(AT)).err(),
        Some(AskError::NotMine)
    );
}

#[test]
fn a_hanging_agent_costs_its_deadline_and_a_full_queue_is_said_at_once() {
    actix::System::new().block_on(async {
        let (held, hang) = bounded(0);
        let actor = CommsActor::threaded(build(&hang)).unwrap().start();
        let mut hanging = tick(99, t(AT));
        hanging.deadline = Duration::from_millis(50);
        assert_eq!(actor.send(hanging).await.unwrap(), Err(AskError::Deadline));
        for _ in 0..QUEUE {
            actor.send(deliver(&["a"])).await.unwrap().unwrap();
        }
        assert_eq!(actor.send(deliver(&["a"])).await.unwrap(), Err(AskError::Busy));
        assert_eq!(actor.send(tick(1, t(AT))).await.unwrap(), Err(AskError::Busy));
        drop(held);
        // The next ask that finds room is answered; until then the queue drains.
        loop {
            match actor.send(tick(1, t(AT))).await.unwrap() {
                Ok(_) => break,
                Err(e) => assert_eq!(e, AskError::Busy),
            }
            tokio::task::yield_now().await;
        }
    });
}
