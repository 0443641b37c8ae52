//! An agent that has more to read than one ingest takes.
//!
//! What: it is asked again at once until nothing is left, one question at a time. Why: an archive of gigabytes is read in
//! slices, so that no deadline is missed and a stop loses one slice. Not here: how an agent slices (`agents`).

mod support;

use orchestrator_machine::{What, effect::ReplyTo, event::Ingest};
use support::{Machine, afternoon};
use toolcall_schema::AgentName;

/// The number of the ingest that Finance is asked for now.
fn asked(machine: &Machine) -> Option<u64> {
    machine.calls().iter().find_map(|call| match call.reply {
        ReplyTo::Ingest {
            agent: AgentName::Finance,
            number,
        } => Some(number),
        ReplyTo::Ingest { .. } | ReplyTo::Tick { .. } | ReplyTo::Action { .. } => None,
    })
}

fn answer(machine: &mut Machine, number: u64, more: bool) {
    machine.tell(What::Ingested {
        agent: AgentName::Finance,
        number,
        answer: Some(Ingest {
            cursor: number,
            facts: vec![],
            more,
        }),
    });
}

#[test]
fn an_agent_that_has_more_to_read_is_asked_again_at_once_until_it_has_not() {
    let mut machine = Machine::started(afternoon());
    machine.tell(What::Poked {
        agent: AgentName::Finance,
    });
    let first = asked(&machine).unwrap();
    answer(&mut machine, first, true);
    let second = asked(&machine).unwrap();
    assert!(second > first);
    // A poke meanwhile is one more question afterwards, not one beside it.
    machine.tell(What::Poked {
        agent: AgentName::Finance,
    });
    assert_eq!(asked(&machine), None);
    answer(&mut machine, second, true);
    let third = asked(&machine).unwrap();
    answer(&mut machine, third, false);
    assert_eq!(asked(&machine), None);
}
