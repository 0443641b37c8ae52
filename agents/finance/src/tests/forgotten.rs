//! What was forgotten stays forgotten where a file tells it once more.

use super::{
    statements::{lines, with_sources},
    *,
};
use agents_base::contract::KeptState as _;
use agents_base::contract::SourcePaths;
use toolcall_schema::forget::ErasureScope;

#[test]
fn a_payment_that_two_sources_told_of_goes_whole_and_does_not_come_back_when_a_file_grows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bank.csv");
    let first = "Date,Description,Amount,Currency\n2026-11-20,ZOMATO,-101.00,INR\n";
    let fresh = || {
        with_sources(
            SourcePaths {
                finance: vec![path.clone()],
                ..SourcePaths::default()
            },
            "",
        )
    };
    std::fs::write(&path, first).unwrap();
    let mut agent = fresh();
    let body = "Sent Rs.101.00 from A/c **1234 to ZOMATO via UPI";
    agent.accept(vec![signal(
        "m1",
        t("2026-11-20T10:00:00+05:30"),
        "bank_sms",
        &json!({ "from": "VK-HDFCBK", "body": body }),
    )]);
    ingest(&mut agent, t(NOW));
    let state = ingest(&mut agent, t(NOW)).agent_state;
    let state = if state.is_null() { agent.state() } else { state };
    let [(id, payment)] = agent.book.iter().collect::<Vec<_>>()[..] else {
        panic!("one payment of a message and a statement: {:?}", lines(&agent));
    };
    let within = |from: &str, to: &str| ErasureScope::within(t(from), t(to));
    for what in [
        ErasureScope::naming([id.as_str().to_owned()]),
        ErasureScope::naming([payment.merchant.as_str().to_owned()]),
        within("2026-11-20T00:00:00+05:30", "2026-11-21T00:00:00+05:30"),
        // The message says when it was; the statement's row is of noon.
        within("2026-11-20T09:00:00+05:30", "2026-11-20T11:00:00+05:30"),
        ErasureScope::everything(),
    ] {
        std::fs::write(&path, first).unwrap();
        let kept = FinanceAgentState::json_without(&state, &what).unwrap();
        assert!(!kept.to_string().contains(id.as_str()), "{what:?}: {kept}");
        let mut again = fresh();
        again.restore(&kept).unwrap();
        ingest(&mut again, t(NOW));
        assert_eq!(lines(&again), Vec::<String>::new(), "{what:?}");
        std::fs::write(&path, format!("{first}2026-11-19,DMART,-2.00,INR\n")).unwrap();
        let answer = ingest(&mut again, t(NOW));
        assert_eq!((answer.seen.len(), lines(&again).len()), (1, 1), "{what:?}");
        // Read again from the beginning, because its owner said so.
        let whole = FinanceAgentState::json_unread(&again.state()).unwrap();
        let mut whole_agent = fresh();
        whole_agent.restore(&whole).unwrap();
        ingest(&mut whole_agent, t(NOW));
        assert_eq!(lines(&whole_agent).len(), 2, "{what:?}");
    }
    // What falls beside the payment's own time takes nothing that is known by it.
    std::fs::write(&path, first).unwrap();
    let beside = within("2026-11-20T11:30:00+05:30", "2026-11-20T12:30:00+05:30");
    let kept = FinanceAgentState::json_without(&state, &beside).unwrap();
    let mut again = fresh();
    again.restore(&kept).unwrap();
    ingest(&mut again, t(NOW));
    assert_eq!(lines(&again).len(), 1);
}

#[test]
fn a_balance_that_was_forgotten_does_not_come_back_when_its_statement_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bank.csv");
    // Of the 19th and 20th each row says what was in the account then.
    let first = "Date,Description,Amount,Balance,Currency\n2026-11-18,ZOMATO,-101.00,899.00,INR\n\
                 2026-11-19,DMART,-99.00,800.00,INR\n2026-11-20,ZOMATO,-100.00,700.00,INR\n";
    let fresh = || {
        with_sources(
            SourcePaths {
                finance: vec![path.clone()],
                ..SourcePaths::default()
            },
            "",
        )
    };
    let balances =
        |agent: &FinanceAgent| -> Vec<Decimal> { agent.book.balances().map(|row| row.2).collect() };
    std::fs::write(&path, first).unwrap();
    let mut agent = fresh();
    let state = ingest(&mut agent, t(NOW)).agent_state;
    assert_eq!(balances(&agent), [dec("700")]);
    for what in [
        ErasureScope::everything(),
        ErasureScope::within(t("2026-11-20T00:00:00+05:30"), t("2026-11-21T00:00:00+05:30")),
    ] {
        std::fs::write(&path, first).unwrap();
        let kept = FinanceAgentState::json_without(&state, &what).unwrap();
        let mut again = fresh();
        again.restore(&kept).unwrap();
        ingest(&mut again, t(NOW));
        assert_eq!(balances(&again), [], "{what:?}");
        // It has other rows, so it is read from its beginning: neither the 700 of then nor the 800 of before.
        std::fs::write(&path, format!("{first}\n")).unwrap();
        ingest(&mut again, t(NOW));
        assert_eq!(balances(&again), [], "{what:?}");
        // What is told of later counts, over a start as well.
        let mut later = fresh();
        later.restore(&again.state()).unwrap();
        std::fs::write(&path, format!("{first}2026-11-21,DMART,-50.00,650.00,INR\n")).unwrap();
        ingest(&mut later, t("2026-11-22T12:00:00+05:30"));
        assert_eq!(balances(&later), [dec("650")], "{what:?}");
    }
}
