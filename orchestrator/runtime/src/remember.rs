//! What a turn adds to the graph.
//!
//! What: from an agent's notices, the machine's events and a trace to nodes and edges. Why: everything that is remembered is made
//! in one place, from data alone. Not here: writing it (`aura-memory`), what the agents notice (`agents`).

use aura_memory::{
    StoreWrite,
    graph::{EdgeType, GraphEdge, GraphNode, NodeData, NodeKey},
};
use orchestrator_machine::{EventKind, MachineEvent};
use toolcall_schema::{
    Timestamp,
    ids::{ChannelHash, EventId},
    tick::{GraphObservation, IngestFact, ReadingKey},
    trace::Trace,
};

fn node(key: NodeKey, at: Timestamp, data: NodeData) -> StoreWrite {
    StoreWrite::Node {
        node: GraphNode { key, at, data },
        sentence: None,
    }
}

fn edge(from: NodeKey, edge_type: EdgeType, to: NodeKey, at: Timestamp, weight: f64) -> StoreWrite {
    StoreWrite::Edge(GraphEdge {
        from,
        edge_type,
        to,
        at,
        weight,
    })
}

/// From what an agent noticed.
pub(crate) fn rows_of_observations(seen: &[GraphObservation]) -> Vec<StoreWrite> {
    seen.iter().flat_map(rows_of_observation).collect()
}

fn rows_of_observation(seen: &GraphObservation) -> Vec<StoreWrite> {
    match seen {
        GraphObservation::Talk {
            channel,
            app,
            person,
            day,
            at,
            messages,
            all,
            actionable,
        } => {
            let (talk, who) = (NodeKey::conversation(channel, *day), NodeKey::from(person));
            let begin = Timestamp::from(day.and_time(chrono::NaiveTime::MIN).and_utc());
            let mut rows = vec![
                node(
                    talk.clone(),
                    *at,
                    NodeData::Conversation {
                        channel: channel.clone(),
                        day: *day,
                        messages: *all,
                        actionable: *actionable,
                    },
                ),
                node(who.clone(), *at, NodeData::Person { merchant: false }),
                edge(who, EdgeType::SentTo, talk.clone(), begin, f64::from(*messages)),
            ];
            if let Some(app) = app {
                let app = NodeKey::from(app);
                rows.push(node(app.clone(), *at, NodeData::App {}));
                rows.push(edge(app, EdgeType::SentTo, talk, begin, f64::from(*all)));
            }
            rows
        }
        GraphObservation::Payment {
            txn,
            at,
            merchant,
            amount,
            currency,
            account_last4,
            category,
        } => {
            let (paid, to) = (NodeKey::from(txn), NodeKey::from(merchant));
            vec![
                node(
                    paid.clone(),
                    *at,
                    NodeData::Transaction {
                        merchant: merchant.clone(),
                        amount: *amount,
                        currency: currency.clone(),
                        account_last4: account_last4.clone(),
                        category: *category,
                    },
                ),
                node(to.clone(), *at, NodeData::Person { merchant: true }),
                edge(paid, EdgeType::PaidTo, to, *at, 1.0),
            ]
        }
        GraphObservation::Body {
            day,
            at,
            rmssd_ms,
            resting_bpm,
            sleep_min,
        } => vec![node(
            NodeKey::body(*day),
            *at,
            NodeData::HealthSnapshot {
                score: None,
                state: None,
                rmssd_ms: *rmssd_ms,
                resting_bpm: *resting_bpm,
                sleep_min: *sleep_min,
            },
        )],
        GraphObservation::Place { cell, at } => {
            let place = NodeKey::place(*cell);
            vec![
                node(NodeKey::user(), *at, NodeData::User {}),
                node(place.clone(), *at, NodeData::Place { cell: *cell }),
                edge(NodeKey::user(), EdgeType::LocatedAt, place, *at, 1.0),
            ]
        }
    }
}

/// From an event of the machine: what the calendar says. `wall` is when it happened.
pub(crate) fn event(event: &MachineEvent, wall: Timestamp) -> Vec<StoreWrite> {
    let EventKind::Ingested {
        answer: Some(answer), ..
    } = &event.what
    else {
        return vec![];
    };
    answer.facts.iter().flat_map(|fact| of_fact(fact, wall)).collect()
}

fn of_fact(fact: &IngestFact, wall: Timestamp) -> Vec<StoreWrite> {
    match fact {
        IngestFact::EventChanged {
            event,
            start,
            end,
            focus,
        } => {
            let (key, cancelled) = (NodeKey::from(event), start == end);
            let data = NodeData::Event {
                end: *end,
                focus: *focus,
                cancelled,
            };
            vec![
                node(NodeKey::user(), wall, NodeData::User {}),
                node(key.clone(), *start, data),
                // What was called off weighs nothing.
                edge(
                    NodeKey::user(),
                    EdgeType::Attended,
                    key,
                    *start,
                    if cancelled { 0.0 } else { 1.0 },
                ),
            ]
        }
        // Told as a payment, or part of the next trace.
        IngestFact::Burst { .. }
        | IngestFact::Transaction { .. }
        | IngestFact::Load { .. }
        | IngestFact::Schedule { .. }
        | IngestFact::Meeting { .. } => vec![],
    }
}

/// From a trace; `running` are the events that ran then.
pub(crate) fn trace<'a>(trace: &Trace, running: impl Iterator<Item = &'a EventId>) -> Vec<StoreWrite> {
    let (decision, at) = (&trace.decision, trace.ts);
    let mut rows = vec![StoreWrite::Node {
        node: GraphNode {
            key: NodeKey::from(&trace.trace_id),
            at,
            data: NodeData::Trace {
                tick: decision.tick,
                outcome: trace.outcome,
                reason: trace.reason_code,
                chosen: decision.chosen.as_ref().map(|chosen| chosen.kind),
            },
        },
        sentence: Some(trace.rationale.clone()),
    }];
    if decision.call.is_none() {
        rows.extend(health(trace, running));
    }
    if let Some(chosen) = &decision.chosen {
        let action = NodeKey::action(&trace.trace_id);
        rows.push(node(
            action.clone(),
            at,
            NodeData::Action {
                kind: chosen.kind,
                subject: chosen.subject.clone(),
                surface: chosen.surface,
                outcome: trace.outcome,
            },
        ));
        rows.push(edge(
            action.clone(),
            EdgeType::TriggeredBy,
            NodeKey::from(&trace.trace_id),
            at,
            1.0,
        ));
        rows.extend(
            about(chosen.subject.as_str(), trace)
                .map(|thing| edge(action.clone(), EdgeType::TalkedAbout, thing, at, 1.0)),
        );
        if let Some(confirm) = &trace.confirm {
            rows.push(node(NodeKey::user(), confirm.at, NodeData::User {}));
            rows.push(edge(
                action,
                EdgeType::ConfirmedByUser,
                NodeKey::user(),
                confirm.at,
                1.0,
            ));
        }
    }
    rows
}

/// The node that a subject means: a chat as it was that day, an event, a payment. `None`: a category, a date, the owner.
fn about(subject: &str, trace: &Trace) -> Option<NodeKey> {
    if let Ok(channel) = ChannelHash::parse(subject) {
        return Some(NodeKey::conversation(&channel, trace.decision.ledger_before.day));
    }
    let thing = subject.starts_with("ev_") || subject.starts_with("tx_");
    NodeKey::parse(subject).ok().filter(|_| thing)
}

/// The owner's load as this tick knew it.
fn health<'a>(trace: &Trace, running: impl Iterator<Item = &'a EventId>) -> Vec<StoreWrite> {
    let decision = &trace.decision;
    let Some(score) = decision.user.load_score else {
        return vec![];
    };
    let measured = |key: ReadingKey| {
        let of_wellness = decision.signals.get(&toolcall_schema::AgentName::Wellness);
        let readings = of_wellness.into_iter().flatten();
        readings.into_iter().find(|r| r.key == key).map(|r| r.value)
    };
    let key = NodeKey::health(decision.ts);
    let mut rows = vec![node(
        key.clone(),
        decision.ts,
        NodeData::HealthSnapshot {
            score: Some(score),
            state: Some(decision.user.state),
            rmssd_ms: measured(ReadingKey::RmssdMs),
            resting_bpm: None,
            sleep_min: measured(ReadingKey::SleepMin),
        },
    )];
    rows.extend(running.map(|event| {
        edge(
            key.clone(),
            EdgeType::FeltDuring,
            NodeKey::from(event),
            decision.ts,
            1.0,
        )
    }));
    rows
}
