//! The actor survives its agent.

use super::*;
use crate::{
    agent::{Agent, StateError},
    keeper::{Build, Keeper, Kept},
    testing::{called, question, signal, t},
};
use actix::Addr;
use serde_json::json;
use toolcall_schema::{
    Authority,
    gate::{self, Clock},
    result::{ToolEffect, ToolErrorCode},
    tick::{IngestArgs, IngestResult, TickArgs, TickResult, TickStatus},
};

const AT: &str = "2026-11-03T12:00:00Z";

/// Counts what it ingested; panics at ticks with number 13.
struct Brittle {
    count: u64,
    accepted: u64,
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
            seen: vec![],
            read: 0,
            skipped: 0,
            skips: vec![],
            taken: 0,
            left: 0,
            agent_state: json!({"count": self.count}),
        }
    }

    fn tick(&self, args: &TickArgs, _: Timestamp) -> TickResult {
        assert!(args.tick != 13, "an agent that crashes");
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

fn build() -> Build {
    Box::new(|| {
        Box::new(Brittle {
            count: 0,
            accepted: 0,
        })
    })
}

fn ask(raw: Vec<u8>, at: Timestamp) -> Ask<CommsTool> {
    let call = gate::admit(&raw, Clock::At(at)).unwrap();
    Ask::new(Dispatch::new(call, Authority::Auto).unwrap(), raw, at).unwrap()
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

/// Lets `claim` talk to an actor over an agent in this process.
fn with_actor(claim: impl AsyncFn(Addr<CommsActor>)) {
    actix::System::new().block_on(async { claim(CommsActor::new(Keeper::new(build())).start()).await });
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
fn a_panic_costs_its_own_answer_and_the_next_ask_is_answered_from_the_journalled_state() {
    with_actor(async |actor| {
        actor.send(deliver(&["a", "b"])).await.unwrap().unwrap();
        assert_eq!(cursor(actor.send(ingest(t(AT))).await.unwrap()), 2);
        actor.send(Journalled(Some(json!({"count": 2})))).await.unwrap();
        // What waits for an ingest is not lost either.
        actor.send(deliver(&["c"])).await.unwrap().unwrap();
        assert_eq!(actor.send(tick(13, t(AT))).await.unwrap(), Err(AskError::Down));
        assert!(actor.send(tick(14, t(AT))).await.unwrap().is_ok());
        assert_eq!(cursor(actor.send(ingest(t(AT))).await.unwrap()), 3);
    });
}

#[test]
fn what_was_read_and_not_journalled_is_read_again_after_a_crash() {
    with_actor(async |actor| {
        actor.send(deliver(&["a", "b"])).await.unwrap().unwrap();
        assert_eq!(cursor(actor.send(ingest(t(AT))).await.unwrap()), 2);
        assert_eq!(actor.send(tick(13, t(AT))).await.unwrap(), Err(AskError::Down));
        assert_eq!(cursor(actor.send(ingest(t(AT))).await.unwrap()), 2);
    });
}

#[test]
fn a_journalled_ingest_lets_go_of_what_it_read_and_of_nothing_that_came_after_it() {
    let ids = |kept: &Kept| -> Vec<String> {
        let waiting = kept.waiting().iter();
        waiting.map(|signal| signal.id.as_str().to_owned()).collect()
    };
    let mut kept = Kept::default();
    kept.delivered(&deliver(&["a", "b"]).0);
    kept.ingest_asked();
    kept.delivered(&deliver(&["c"]).0);
    assert_eq!(kept.asked().len(), 2);
    kept.journalled(Some(json!(1)));
    assert_eq!(
        (ids(&kept), kept.state()),
        (vec!["c".to_owned()], Some(&json!(1)))
    );
    // Nothing new was found: the state stays, what was read is done with.
    kept.ingest_asked();
    kept.journalled(None);
    assert_eq!((ids(&kept), kept.state()), (vec![], Some(&json!(1))));
    // 1024 may wait.
    kept.delivered(&vec![deliver(&["d"]).0.remove(0); 1030]);
    assert_eq!(kept.waiting().len(), 1024);
    kept.forget(|signal| signal.id.as_str() == "d");
    assert_eq!(ids(&kept), Vec::<String>::new());
}

#[test]
fn goes_on_from_a_restored_state_and_says_when_one_does_not_fit() {
    with_actor(async |actor| {
        actor.send(Restore(json!({"count": 40}))).await.unwrap().unwrap();
        actor.send(deliver(&["a"])).await.unwrap().unwrap();
        assert_eq!(cursor(actor.send(ingest(t(AT))).await.unwrap()), 41);
        let misfit = actor.send(Restore(json!({"count": "x"}))).await.unwrap();
        assert_eq!(misfit, Err(AskError::State));
    });
}

#[test]
fn a_call_that_the_agents_gate_refuses_has_no_answer() {
    with_actor(async |actor| {
        let mut late = tick(1, t(AT));
        late.call.at = t(AT).plus_ms(10_000);
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
        Ask::<CommsTool>::new(dispatch, raw, t(AT)).err(),
        Some(AskError::NotMine)
    );
}

/// A place that never answers, but for the sender that the test holds.
struct Silent(Option<oneshot::Receiver<Result<Vec<u8>, AskError>>>);

impl Place for Silent {
    fn ask(&mut self, _: Call) -> Answer {
        Answer::Later(self.0.take().unwrap_or_else(|| oneshot::channel().1))
    }

    fn deliver(&mut self, _: Vec<Signal>) -> Result<(), AskError> {
        Err(AskError::Busy)
    }

    fn restore(&mut self, _: Value) -> Result<(), AskError> {
        Err(AskError::Down)
    }

    fn journalled(&mut self, _: Option<Value>) {}
}

#[test]
fn a_place_that_hangs_costs_the_deadline_and_one_that_is_gone_costs_nothing() {
    actix::System::new().block_on(async {
        let (_held, hang) = oneshot::channel();
        let actor = CommsActor::new(Silent(Some(hang))).start();
        let mut call: Value = serde_json::from_slice(&tick(1, t(AT)).call.raw).unwrap();
        call["deadline_ms"] = json!(50);
        let short = ask(serde_json::to_vec(&call).unwrap(), t(AT));
        assert_eq!(actor.send(short).await.unwrap(), Err(AskError::Deadline));
        assert_eq!(actor.send(tick(1, t(AT))).await.unwrap(), Err(AskError::Down));
        assert_eq!(actor.send(deliver(&["a"])).await.unwrap(), Err(AskError::Busy));
    });
}
