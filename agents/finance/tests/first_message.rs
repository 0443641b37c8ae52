//! What the first bank message after a start costs.
//!
//! Compiling patterns of messages once took a quarter of a second of CPU and 30 MiB that stayed. Messages are read without patterns:
//! nothing is compiled, and the first message costs what the next one does. Bytes that are allocated are the same on every machine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use agents_base::contract::{
    Agent, AgentSetup, CalendarPreferences, FinancePreferences, OwnerProfile, SourcePaths,
};
use agents_finance::FinanceAgent;
use chrono_tz::Tz;
use serde_json::json;
use toolcall_schema::{Timestamp, ids::OwnerSeed, signal::Signal, tick::IngestArgs};

const NOW: &str = "2026-11-20T12:00:00+05:30";

fn agent() -> FinanceAgent {
    FinanceAgent::new(AgentSetup {
        key: OwnerSeed::from_day_seed("first message").key("agents"),
        owner: OwnerProfile {
            zone: Tz::Asia__Kolkata,
            addresses: Vec::new(),
            names: Vec::new(),
            home: None,
            buffer_min: 15,
            sleep_target_min: 420,
            rmssd_p50_p10: (42.0, 24.0),
            balance: None,
            calendar: CalendarPreferences::default(),
            finance: FinancePreferences::default(),
        },
        sources: SourcePaths::default(),
    })
}

/// Reads messages at once; how many told of a payment.
fn read(agent: &mut FinanceAgent, bodies: &[&str]) -> u32 {
    let signals = bodies.iter().enumerate().map(|(i, body)| {
        let signal = json!({"id": format!("s{i}"), "at": NOW, "source": "sms", "kind": "bank_sms",
            "payload": {"from": "VK-HDFCBK", "body": body}});
        serde_json::from_value::<Signal>(signal).unwrap()
    });
    agent.accept(signals.collect());
    let args = IngestArgs {
        cursor: 0,
        signal_ids: Vec::new(),
    };
    agent.ingest(&args, Timestamp::parse(NOW).unwrap()).read
}

/// One test: what a process makes once, it makes once.
#[test]
fn the_first_message_costs_little_and_nothing_of_it_stays() {
    let mut agent = agent();
    // What a first ingest allocates without a message.
    read(&mut agent, &[]);
    let first = allocation_counter::measure(|| {
        let body = "Sent Rs.212.50 from A/C *8841 To VPA chaipoint@ybl On 19-11-26";
        assert_eq!(read(&mut agent, &[body]), 1);
    });
    // Many words that mean something.
    let all = allocation_counter::measure(|| {
        let body = "Rs.5 debited, credited, sent, spent, received and withdrawn, and a refund refunded for A/c *8841 through a bank at Cafe";
        read(&mut agent, &[body]);
    });
    assert!(first.bytes_total < 1024 * 1024, "{first:?}");
    assert!(
        first.bytes_current + all.bytes_current < 256 * 1024,
        "{first:?} {all:?}"
    );
}
