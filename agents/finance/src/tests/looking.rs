//! Tools that only look: what a source became, what could be saved, names.

use super::*;
use crate::testing::ask;
use agents_base::host::AgentHost;

const SMS: &str =
    "Dear Customer, Rs.89.00 debited from A/c X2207 on 03-11-26 to VPA rapido@okaxis Ref 900112. -SBI";

#[test]
fn a_source_tells_its_transaction_without_its_text() {
    let agent = agent(
        None,
        vec![
            sms("s-1", "2026-11-03T20:00:00+05:30", SMS),
            paid(0, "212.50", "swiggy", "debit"),
        ],
    );
    let state = agent.state();
    let merchant = setup().key.merchant("rapido");
    let mut host = AgentHost::new(Box::new(agent));
    let of =
        |host: &mut AgentHost, tool, source: &str| ask(host, tool, &json!({"source_id": source}), t(NOW));
    let mut found = of(&mut host, ToolName::ParseSms, "s-1").unwrap();
    let txn = found.as_object_mut().unwrap().remove("txn_id").unwrap();
    assert_eq!(
        found,
        json!({"amount": "89", "currency": "INR", "account_last4": "2207", "direction": "debit", "merchant_hash": merchant,
            "category": "transport", "at": "2026-11-03T14:30:00.000Z"})
    );
    let receipt = of(&mut host, ToolName::ParseGmailReceipt, "0-212.50-debit-swiggy").unwrap();
    assert_eq!(
        (&receipt["amount"], &receipt["category"]),
        (&json!("212.5"), &json!("food_delivery"))
    );
    // Each tool has its kind of source.
    for (tool, source) in [
        (ToolName::ParseGmailReceipt, "s-1"),
        (ToolName::ParseSms, "0-212.50-debit-swiggy"),
        (ToolName::ParseSms, "s-2"),
    ] {
        assert_eq!(
            of(&mut host, tool, source),
            Err(ToolErrorCode::TextUnknown),
            "{tool} {source}"
        );
    }
    let asked = json!({"ids": [txn, merchant, "ch_00112233445566aa"]});
    assert_eq!(
        ask(&mut host, ToolName::FinanceDescribe, &asked, t(NOW)).unwrap(),
        json!({"labels": [{"id": txn, "label": "Rapido"}, {"id": merchant, "label": "Rapido"}], "unknown": ["ch_00112233445566aa"]})
    );
    // After a restart the transactions are there, and what told of them is not.
    let mut again = FinanceAgent::new(setup());
    again.restore(&state).unwrap();
    let mut host = AgentHost::new(Box::new(again));
    assert_eq!(
        of(&mut host, ToolName::ParseSms, "s-1"),
        Err(ToolErrorCode::TextUnknown)
    );
    assert_eq!(
        ask(&mut host, ToolName::FinanceDescribe, &asked, t(NOW)).unwrap()["labels"],
        json!([])
    );
}

#[test]
fn a_payment_told_twice_is_the_same_transaction_for_both_sources() {
    let told = |id| sms(id, "2026-11-03T20:00:00+05:30", SMS);
    let mut host = AgentHost::new(Box::new(agent(None, vec![told("s-1"), told("s-2")])));
    let mut of = |source: &str| {
        ask(
            &mut host,
            ToolName::ParseSms,
            &json!({"source_id": source}),
            t(NOW),
        )
        .unwrap()
    };
    assert_eq!(of("s-1"), of("s-2"));
}

#[test]
fn what_could_be_saved_is_a_meal_or_the_usual_and_never_more_than_was_spent() {
    let mut signals: Vec<Signal> = [(0, "600"), (2, "300"), (6, "300"), (7, "9000")]
        .map(|(back, amount)| paid(back, amount, "swiggy", "debit"))
        .into();
    signals.push(paid(1, "100", "dmart", "debit"));
    signals.push(paid(6, "1000", "amazon", "debit"));
    let mut host = AgentHost::new(Box::new(agent(None, signals)));
    let mut on = |category: &str, day: &str| {
        let args = json!({"category": category, "day": day});
        ask(&mut host, ToolName::SuggestSubstitution, &args, t(NOW))
    };
    let saving = |category: &str, instead: &str, could_save: &str| {
        Ok(json!({"category": category, "instead": instead, "could_save": could_save, "currency": "INR"}))
    };
    // (600 + 300 + 300) / 3; the 9000 are 7 days back.
    assert_eq!(
        on("food_delivery", "2026-11-20"),
        saving("food_delivery", "cook", "400.00")
    );
    // 150 usually, but only 100 were spent.
    assert_eq!(
        on("groceries", "2026-11-20"),
        saving("groceries", "skip_one", "100.00")
    );
    assert_eq!(
        on("shopping", "2026-11-20"),
        saving("shopping", "skip_one", "400.00")
    );
    assert_eq!(on("shopping", "2026-11-21"), Err(ToolErrorCode::NotFound));
    let euro = json!({ "amount": "20", "currency": "EUR", "direction": "debit", "merchant": "dmart", "account_last4": "8841" });
    let euro = agent(
        None,
        vec![signal("e", t("2026-11-20T12:00:00+05:30"), "transaction", &euro)],
    );
    let mut host = AgentHost::new(Box::new(euro));
    let args = json!({"category": "groceries", "day": "2026-11-20"});
    let unknown = ask(&mut host, ToolName::SuggestSubstitution, &args, t(NOW));
    assert_eq!(unknown, Err(ToolErrorCode::NotEnoughData));
}
