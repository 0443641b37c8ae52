//! The actor survives its agent.

use super::*;
use crate::{
    contract::{Agent, AgentStateError, IngestInput},
    in_process::{AgentFactory, InProcessAgent},
    testing::{called, question, setup, signal, t},
};
use actix::Addr;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use toolcall_schema::{
    Authority, Dispatch, Timestamp,
    gate::{self, GateClock},
    result::{ToolEffect, ToolErrorCode},
    signal::Signal,
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

    fn restore(&mut self, state: &Value) -> Result<(), AgentStateError> {
        self.count = serde_json::from_value(state["count"].clone()).map_err(|source| AgentStateError {
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
            rests: vec![],
            holds: None,
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

fn build() -> AgentFactory {
    Box::new(|_| {
        Box::new(Brittle {
            count: 0,
            accepted: 0,
        })
    })
}

fn ask(raw: Vec<u8>, at: Timestamp) -> AskAgent<CommsTool> {
    asked(raw, at, IngestInput::default())
}

fn asked(raw: Vec<u8>, at: Timestamp, input: IngestInput) -> AskAgent<CommsTool> {
    let call = gate::admit(&raw, GateClock::At(at)).unwrap();
    let dispatch = Dispatch::new(call, Authority::Auto).unwrap();
    let call = AgentCall {
        input,
        ..AgentCall::new(dispatch, raw, at)
    };
    AskAgent::new(Box::new(call)).unwrap()
}

fn tick(number: u64, at: Timestamp) -> AskAgent<CommsTool> {
    let mut args = question(at);
    args.tick = number;
    ask(
        called("comms", "tick", &serde_json::to_value(args).unwrap(), false, at),
        at,
    )
}

/// An ingest of these signals that begins at a checkpoint.
fn ingest(from: &AgentCheckpoint, ids: &[&str]) -> AskAgent<CommsTool> {
    let payload = json!({"app": "a", "channel": "c", "sender": "s"});
    let signal = |id: &&str| signal(id, t(AT), "notification", &payload);
    let input = IngestInput {
        from: from.clone(),
        signals: ids.iter().map(signal).collect(),
        ages_upto: None,
    };
    let args = json!({"cursor": 0, "signal_ids": ids});
    asked(called("comms", "ingest", &args, false, t(AT)), t(AT), input)
}

/// Lets `claim` talk to an actor over an agent in this process.
fn with_actor(claim: impl AsyncFn(Addr<CommsActor>)) {
    actix::System::new().block_on(async {
        claim(CommsActor::new(InProcessAgent::new(setup(), build())).start()).await;
    });
}

fn cursor(answer: Result<AnsweredCall, AgentCallError>) -> u64 {
    let answer: Value = serde_json::from_slice(&answer.unwrap().result).unwrap();
    answer["result"]["cursor"].as_u64().unwrap()
}

#[test]
fn a_panic_costs_its_own_answer_and_the_next_ask_is_answered_from_the_journalled_state() {
    with_actor(async |actor| {
        let begin = AgentCheckpoint::default();
        assert_eq!(cursor(actor.send(ingest(&begin, &["a", "b"])).await.unwrap()), 2);
        let after = begin.following(Some(json!({"count": 2})));
        actor.send(SetCheckpoint(after.clone())).await.unwrap();
        let ended = Err(AgentCallError::Ended { own: true });
        assert_eq!(actor.send(tick(13, t(AT))).await.unwrap(), ended);
        assert!(actor.send(tick(14, t(AT))).await.unwrap().is_ok());
        assert_eq!(cursor(actor.send(ingest(&after, &["c"])).await.unwrap()), 3);
    });
}

#[test]
fn an_agent_whose_answer_did_not_count_starts_again_from_the_journals_checkpoint() {
    with_actor(async |actor| {
        let begin = AgentCheckpoint::default();
        assert_eq!(cursor(actor.send(ingest(&begin, &["a", "b"])).await.unwrap()), 2);
        // Its answer was lost on the way: the same is offered once more, and counted once.
        assert_eq!(cursor(actor.send(ingest(&begin, &["a", "b"])).await.unwrap()), 2);
        // It counts, and the one after it goes on without being told.
        let after = begin.following(Some(json!({"count": 2})));
        assert_eq!(cursor(actor.send(ingest(&after, &["c"])).await.unwrap()), 3);
        // Nothing new: the number rises all the same, the state is the one before.
        let later = after.following(Some(json!({"count": 3}))).following(None);
        assert_eq!(later.number, 3);
        assert_eq!(cursor(actor.send(ingest(&later, &[])).await.unwrap()), 3);
    });
}

#[test]
fn goes_on_from_a_checkpoint_of_before_and_starts_empty_where_it_does_not_fit() {
    with_actor(async |actor| {
        let before = AgentCheckpoint::default().following(Some(json!({"count": 40})));
        actor.send(SetCheckpoint(before.clone())).await.unwrap();
        assert_eq!(cursor(actor.send(ingest(&before, &["a"])).await.unwrap()), 41);
        let misfit = before.following(None).following(Some(json!({"count": "x"})));
        assert_eq!(cursor(actor.send(ingest(&misfit, &["a"])).await.unwrap()), 1);
    });
}

#[test]
fn a_call_that_the_agents_gate_refuses_has_no_answer() {
    with_actor(async |actor| {
        let mut late = tick(1, t(AT));
        late.call.at = t(AT).plus_ms(10_000);
        assert_eq!(actor.send(late).await.unwrap(), Err(AgentCallError::Refused));
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
    let call = gate::admit(&raw, GateClock::At(t(AT))).unwrap();
    let dispatch = Dispatch::new(call, Authority::Auto).unwrap();
    assert_eq!(
        AskAgent::<CommsTool>::new(Box::new(AgentCall::new(dispatch, raw, t(AT)))).err(),
        Some(AgentCallError::NotMine)
    );
}

/// A place that never answers, but for the sender that the test holds.
struct Silent(Option<oneshot::Receiver<Result<AnsweredCall, AgentCallError>>>);

impl AgentTransport for Silent {
    fn ask(&mut self, _: AgentCall) -> AgentReply {
        AgentReply::Later(self.0.take().unwrap_or_else(|| oneshot::channel().1))
    }

    fn set_checkpoint(&mut self, _: AgentCheckpoint) {}

    fn reconfigure(&mut self, _: AgentSetup) -> bool {
        false
    }
}

#[test]
fn an_ingests_answer_is_waited_for_past_its_deadline() {
    actix::System::new().block_on(async {
        let (late, hang) = oneshot::channel();
        let actor = CommsActor::new(Silent(Some(hang))).start();
        let mut question = ingest(&AgentCheckpoint::default(), &["a"]);
        let mut call: Value = serde_json::from_slice(&question.call.raw).unwrap();
        call["deadline_ms"] = json!(50);
        let raw = serde_json::to_vec(&call).unwrap();
        question = asked(raw, t(AT), question.call.input);
        let answer = actor.send(question);
        actix::spawn(async move {
            tokio::time::sleep(Duration::from_millis(80)).await;
            late.send(Ok(AnsweredCall::stateless(vec![7]))).unwrap();
        });
        assert_eq!(answer.await.unwrap(), Ok(AnsweredCall::stateless(vec![7])));
    });
}

#[test]
fn a_place_that_hangs_costs_the_deadline_and_one_that_is_gone_costs_nothing() {
    actix::System::new().block_on(async {
        let (_held, hang) = oneshot::channel();
        let actor = CommsActor::new(Silent(Some(hang))).start();
        let mut call: Value = serde_json::from_slice(&tick(1, t(AT)).call.raw).unwrap();
        call["deadline_ms"] = json!(50);
        let short = ask(serde_json::to_vec(&call).unwrap(), t(AT));
        assert_eq!(actor.send(short).await.unwrap(), Err(AgentCallError::Deadline));
        assert_eq!(
            actor.send(tick(1, t(AT))).await.unwrap(),
            Err(AgentCallError::NotBegun)
        );
    });
}
