//! What memory is told of payments.

use super::*;

/// What memory was told: the amounts, in order.
fn told(answer: &IngestResult) -> Vec<String> {
    let amounts = answer.seen.iter().filter_map(|seen| match seen {
        GraphObservation::Payment { amount, .. } => Some(amount.to_string()),
        GraphObservation::Talk { .. } | GraphObservation::Place { .. } | GraphObservation::Body { .. } => {
            None
        }
    });
    amounts.collect()
}

fn four_ways() -> Vec<Signal> {
    vec![
        paid(4, "320.5", "swiggy", "debit"),
        paid(3, "85000", "acme", "credit"),
        paid(2, "310", "myntra", "refund"),
        paid(1, "59", "bank", "fee"),
    ]
}

#[test]
fn memory_is_told_which_way_money_went() {
    let mut agent = FinanceAgent::new(setup());
    agent.accept(four_ways());
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(told(&answer), ["-320.5", "+85000", "+310", "-59"]);
    assert_eq!(ingest(&mut agent, t(NOW)).seen, []);
}

/// A folder of an older release: memory has the amounts without their sign, and the agent knows the direction.
#[test]
fn memory_of_an_older_release_is_told_all_directions_once() {
    let mut agent = FinanceAgent::new(setup());
    let mut signals = four_ways();
    let more = u32::try_from(SEEN_MAX).unwrap() + 6;
    signals.extend((0..more).map(|i| paid(5, &format!("{}.25", 100 + i), "dmart", "debit")));
    agent.accept(signals);
    let mut state = ingest(&mut agent, t(NOW)).agent_state;
    ingest(&mut agent, t(NOW));
    assert_eq!(state["version"], "finance.v3");
    state["version"] = json!("finance.v2");

    let mut again = FinanceAgent::new(setup());
    again.restore(&state).unwrap();
    let ask = |agent: &mut FinanceAgent| {
        let args = IngestArgs {
            cursor: 0,
            signal_ids: Vec::new(),
        };
        let answer = agent.ingest(&args, t(NOW));
        let version = answer.agent_state["version"].clone();
        (told(&answer).len(), version, answer.facts.len())
    };
    // The newest first; until all are told the state stays the older one.
    assert_eq!(ask(&mut again), (SEEN_MAX, json!("finance.v2"), 0));
    assert_eq!(ask(&mut again), (10, json!("finance.v3"), 0));
    assert_eq!(ask(&mut again).0, 0);
}
