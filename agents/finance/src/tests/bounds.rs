//! No input makes the agent panic or give what the gate refuses.

use super::*;
use proptest::prelude::*;

fn payload() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<f64>().prop_map(|x| json!(x)),
        "[0-9]{1,29}(\\.[0-9]{1,6})?".prop_map(|x| json!(x)),
        ".{0,40}".prop_map(|x| json!(x)),
        proptest::sample::select(vec!["INR", "debit", "credit", "8841", "VK-HDFCBK"]).prop_map(|x| json!(x)),
        "(Sent|Received) Rs\\.[0-9,.]{1,30} (from|in) A/c X[0-9]{4} (to|from) .{0,20} on [0-9]{1,2}-[0-9]{1,2}(-[0-9]{2,4})?"
            .prop_map(|x| json!(x)),
    ];
    let names = proptest::sample::select(vec![
        "amount",
        "currency",
        "direction",
        "merchant",
        "account_last4",
        "from",
        "body",
    ]);
    proptest::collection::btree_map(names, leaf, 0..7).prop_map(|fields| json!(fields))
}

fn day() -> impl Strategy<Value = NaiveDate> {
    prop_oneof![
        Just(NaiveDate::MIN),
        Just(NaiveDate::MAX),
        (0..90_u64).prop_map(|back| today() - Days::new(back)),
    ]
}

proptest! {
    #[test]
    fn nothing_that_comes_in_panics(
        signals in proptest::collection::vec((proptest::sample::select(SignalKind::ALL), payload()), 0..8),
        amounts in proptest::collection::vec((0..40_u64, "[1-9][0-9]{0,11}(\\.[0-9]{1,4})?"), 0..40),
        balance in proptest::option::of("-?[0-9]{1,28}"),
        (cursor, now, day, window_days) in (any::<u64>(), 0_i64..i64::MAX, day(), any::<u32>()),
        category in proptest::sample::select(Category::ALL),
    ) {
        let mut agent = FinanceAgent::new(AgentSetup { owner: owner(balance.as_deref()), ..setup() });
        let strange = signals.iter().zip(0..).map(|((kind, payload), i)| signal(&format!("x{i}"), t(NOW), kind.as_str(), payload));
        let plain = amounts.iter().map(|(back, amount)| paid(*back, amount, "swiggy", "debit"));
        agent.accept(strange.chain(plain).collect());
        agent.ingest(&IngestArgs { cursor, signal_ids: Vec::new() }, t(NOW));
        tick(&agent);
        for at in [t(NOW), Timestamp::from_ms(now)] {
            agent.tick(&question(at), at);
            for tool in [
                FinanceTool::Categorize(CategorizeArgs { txn_ids: agent.view.uncategorized.0.clone() }),
                FinanceTool::AnomalyFlag(AnomalyFlag { category, severity: Severity::High, day, window_days }),
                FinanceTool::PredictEomBalance(PredictEomBalance { day }),
            ] {
                let tool = Tool::Finance(tool);
                if let Ok((result, effects)) = agent.act(&tool, at) {
                    admitted(tool.name(), &result, &effects);
                }
            }
            agent.ingest(&IngestArgs { cursor, signal_ids: Vec::new() }, at);
        }
    }

    #[test]
    fn a_state_that_was_tampered_with_is_refused_or_harmless(amount in "[0-9]{1,30}", ms: i64, currency in ".{0,4}") {
        let row = json!(["tx_0000000000000000", "mh_0000000000000000", amount, currency, "8841", ms, "other", false, "debit"]);
        let mut agent = FinanceAgent::new(setup());
        let _ = agent.restore(&json!({ "version": "finance.v1", "txns": [row, row], "files": {} }));
        tick(&agent);
        agent.ingest(&IngestArgs { cursor: 0, signal_ids: Vec::new() }, t(NOW));
    }
}
