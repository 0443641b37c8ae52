//! An agent that has more to read than one ingest takes.
//!
//! What: it is asked again at once until nothing is left, one question at a time. Why: an archive of gigabytes is read in
//! slices, so that no deadline is missed and a stop loses one slice. Not here: how an agent slices (`agents`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Machine, afternoon};
use orchestrator_machine::{
    EventKind,
    effect::ReplyTo,
    event::{IngestedFacts, SeenSignal},
    state::MachinePhase,
};
use toolcall_schema::{AgentName, WellnessState, ids::SignalId, signal::SignalKind, tick::IngestFact};

/// The number of the ingest that Finance is asked for now.
fn asked(machine: &Machine) -> Option<u64> {
    machine.calls().iter().find_map(|call| match call.reply {
        ReplyTo::Ingest {
            agent: AgentName::Finance,
            number,
        } => Some(number),
        ReplyTo::Ingest { .. } | ReplyTo::Tick { .. } | ReplyTo::Action { .. } | ReplyTo::Call { .. } => None,
    })
}

fn answer(machine: &mut Machine, number: u64, more: bool) {
    machine.tell(EventKind::Ingested {
        agent: AgentName::Finance,
        number,
        answer: Some(IngestedFacts {
            cursor: number,
            facts: vec![],
            more,
        }),
    });
}

#[test]
fn an_agent_that_has_more_to_read_is_asked_again_at_once_until_it_has_not() {
    let mut machine = Machine::started(afternoon());
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Finance,
    });
    let first = asked(&machine).unwrap();
    answer(&mut machine, first, true);
    let second = asked(&machine).unwrap();
    assert!(second > first);
    // A poke meanwhile is one more question afterwards, not one beside it.
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Finance,
    });
    assert_eq!(asked(&machine), None);
    answer(&mut machine, second, true);
    let third = asked(&machine).unwrap();
    answer(&mut machine, third, false);
    assert_eq!(asked(&machine), None);
}

/// Which signals the ingest reads that is asked for now; `None`: none is asked for.
fn named(machine: &Machine) -> Option<Vec<String>> {
    let call = machine.calls().into_iter().find(|call| {
        matches!(
            call.reply,
            ReplyTo::Ingest {
                agent: AgentName::Finance,
                ..
            }
        )
    })?;
    let ids = call.call.args["signal_ids"].as_array().unwrap();
    Some(ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect())
}

fn seen(machine: &mut Machine, ids: &[&str]) {
    let signal = |id: &&str| SeenSignal {
        id: SignalId::parse(id).unwrap(),
        kind: SignalKind::BankSms,
        at: machine.state.at,
        hash: String::new(),
    };
    let signals = ids.iter().map(signal).collect();
    machine.tell(EventKind::SignalsSeen { signals });
}

fn no_answer(machine: &mut Machine, number: u64) {
    machine.tell(EventKind::Ingested {
        agent: AgentName::Finance,
        number,
        answer: None,
    });
}

#[test]
fn signals_are_read_before_the_next_slice_of_files_and_files_get_every_ninth_turn() {
    let mut machine = Machine::started(afternoon());
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Finance,
    });
    let mut number = asked(&machine).unwrap();
    let mut turns = Vec::new();
    for turn in 0..20 {
        // A sender that never pauses, and files that never end.
        seen(&mut machine, &[&format!("s-{turn}")]);
        assert_eq!(named(&machine), None, "one question at a time");
        let files = turns.last().is_none_or(|signals| *signals == 0);
        answer(&mut machine, number, files);
        let ids = named(&machine).unwrap();
        turns.push(ids.len());
        number = asked(&machine).unwrap();
    }
    let mut expected = vec![1; 20];
    // After eight ingests that read signals comes one that reads files; what came meanwhile is read together.
    expected[8] = 0;
    expected[9] = 2;
    expected[17] = 0;
    expected[18] = 2;
    assert_eq!(turns, expected);
}

#[test]
fn an_answer_counts_however_late_it_comes_and_ticks_do_not_wait_for_it() {
    let mut machine = Machine::started(afternoon());
    seen(&mut machine, &["s-1"]);
    let first = asked(&machine).unwrap();
    machine.wait(2000);
    assert_eq!(named(&machine), None);
    // What comes meanwhile is asked for when the answer is there, and a tick begins without it.
    seen(&mut machine, &["s-2"]);
    assert_eq!(named(&machine), None);
    machine.tell(EventKind::OwnerTick);
    assert!(!matches!(machine.state.phase, MachinePhase::Idle));
    machine.wait(20_000);
    let at = machine.state.at;
    let fact = IngestFact::Load {
        score: 40,
        state: WellnessState::Baseline,
        entered_at: at,
        at,
    };
    machine.tell(EventKind::Ingested {
        agent: AgentName::Finance,
        number: first,
        answer: Some(IngestedFacts {
            cursor: 7,
            facts: vec![fact],
            more: false,
        }),
    });
    assert_eq!(machine.state.known.load_score, Some(40));
    assert_eq!(machine.state.intake[&AgentName::Finance].cursor, 7);
    assert_eq!(named(&machine), Some(vec!["s-2".to_owned()]));
}

#[test]
fn a_late_ingest_that_failed_is_followed_by_the_next_and_one_that_is_lost_by_the_next_look() {
    let mut machine = Machine::started(afternoon());
    seen(&mut machine, &["s-1"]);
    let first = asked(&machine).unwrap();
    machine.wait(2000);
    seen(&mut machine, &["s-2"]);
    no_answer(&mut machine, first);
    let second = asked(&machine).unwrap();
    assert_eq!(named(&machine), Some(vec!["s-2".to_owned()]));
    machine.wait(2000);
    // Nothing is ever heard of it: 92 s after it was asked for, the next look asks again.
    machine.wait(89_000);
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Finance,
    });
    assert_eq!(named(&machine), None);
    machine.wait(1_000);
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Finance,
    });
    assert!(asked(&machine).unwrap() > second);
}

#[test]
fn what_an_earlier_process_held_is_not_asked_for_by_the_next() {
    let mut machine = Machine::started(afternoon());
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Finance,
    });
    seen(&mut machine, &["s-1"]);
    machine.tell(EventKind::Started {
        wall: machine.state.wall(machine.at),
        policy_hash: machine.env.policy.hash().to_owned(),
        catalogue_hash: machine.env.catalogue_hash.clone(),
        settings_hash: String::new(),
        kept_ticks: 0,
        rules_number: orchestrator_machine::RULES_NUMBER,
    });
    assert_eq!(named(&machine), Some(vec![]));
    let number = asked(&machine).unwrap();
    answer(&mut machine, number, false);
    assert_eq!(named(&machine), None);
}
