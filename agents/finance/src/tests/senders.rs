//! Whose word counts: senders that are known, accepted, and neither.

use super::{statements::skips, *};

const MPESA: &str = "QK31AB2CD4 Confirmed. Ksh500.00 sent to JOHN KAMAU 0712345678 on 20/11/26 at 2:30 PM. New M-PESA balance is Ksh1,234.00.";

fn message(id: &str, from: &str, body: &str) -> Signal {
    signal(
        id,
        t("2026-11-20T19:00:00+05:30"),
        "bank_sms",
        &json!({ "from": from, "body": body }),
    )
}

fn accepting(senders: &[&str]) -> FinanceAgent {
    let mut setup = setup();
    setup.owner.finance.senders = senders.iter().map(|name| (*name).to_owned()).collect();
    FinanceAgent::new(setup)
}

fn codes(answer: &IngestResult) -> Vec<String> {
    skips(answer)
        .into_iter()
        .map(|(code, _, _)| code.to_owned())
        .collect()
}

#[test]
fn what_an_unknown_sender_tells_counts_in_nothing_until_it_is_accepted() {
    let mut agent = accepting(&[]);
    agent.accept(vec![message("s1", "MPESA", MPESA)]);
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!((answer.read, codes(&answer)), (0, vec!["AGENT-117".to_owned()]));
    assert_eq!((answer.seen.len(), answer.facts.len()), (0, 0));
    assert_eq!(tick(&agent).status, TickStatus::NoData);
    assert_eq!(agent.book.balances().count(), 0);
    // No word of it is kept.
    let kept = answer.agent_state.to_string().to_lowercase();
    for text in ["mpesa", "kamau", "qk31", "0712345678"] {
        assert!(!kept.contains(text), "{text} in {kept}");
    }
    // The owner accepts the sender, in small letters, and Aura starts again.
    let mut later = accepting(&["mpesa"]);
    later.restore(&answer.agent_state).unwrap();
    later.accept(vec![message("s1", "MPESA", MPESA)]);
    let answer = ingest(&mut later, t(NOW));
    assert_eq!(
        (answer.read, answer.seen.len(), codes(&answer)),
        (1, 1, Vec::new())
    );
    assert_eq!(later.view.spent(today()), dec("500"));
    let state = answer.agent_state;
    assert_eq!(state.get("waiting"), None);
    // Once is once.
    let mut again = accepting(&["MPESA"]);
    again.restore(&state).unwrap();
    again.accept(vec![message("s2", "MPESA", MPESA)]);
    assert_eq!(ingest(&mut again, t(NOW)).read, 0);
    assert_eq!(again.view.spent(today()), dec("500"));
}

#[test]
fn an_operators_header_is_one_sender_whatever_operator_it_came_over() {
    let body =
        "A/c *2231 Debited for Rs:450.00 on 20-11-2026 by UPI ref no 430912345678 -Union Bank of India";
    for (from, counts) in [
        ("AD-UNIONB-S", true),
        ("vk-unionb", true),
        ("UNIONB", true),
        ("AD-UNIONB-P", false),
        ("AD-UNIONX-S", false),
        ("+919812345678", false),
        ("", false),
    ] {
        let mut agent = accepting(&["VM-UNIONB-S"]);
        agent.accept(vec![message("s1", from, body)]);
        assert_eq!(ingest(&mut agent, t(NOW)).read, u32::from(counts), "{from}");
    }
}

#[test]
fn what_waits_is_bounded_and_grows_old() {
    let mut agent = accepting(&[]);
    let many = (0..700).map(|i| {
        let body = format!("A/c *2231 Debited for Rs:{}.00 on 20-11-2026 to dev@ybl", i + 1);
        message(&format!("s{i}"), &format!("BANK{}", i % 7), &body)
    });
    agent.accept(many.collect());
    ingest(&mut agent, t(NOW));
    assert_eq!(agent.questions.waiting.rows().len(), 512);
    ingest(&mut agent, t("2027-04-01T12:00:00+05:30"));
    assert_eq!(agent.questions.waiting.rows().len(), 0);
}

#[test]
fn a_balance_that_a_message_tells_is_carried_on_and_a_cards_is_none() {
    let body = |tail: &str| format!("Rs.100.00 debited from {tail}");
    let signals = vec![
        sms(
            "s1",
            "2026-11-20T10:00:00+05:30",
            &body("A/c X2207 on 20-11-26 to VPA rapido@okaxis. Avl Bal Rs.9,100.00"),
        ),
        sms(
            "s2",
            "2026-11-20T11:00:00+05:30",
            &body("A/c X2207 on 20-11-26 to VPA swiggy@okaxis"),
        ),
        sms(
            "s3",
            "2026-11-20T12:00:00+05:30",
            &body("SBI Card X7788 on 20-11-26 at DMART. Avl Bal Rs.50,000.00"),
        ),
    ];
    let agent = agent(None, signals);
    let balances: Vec<(String, Decimal)> = agent.book.balances().map(|row| (row.0, row.2)).collect();
    assert_eq!(balances, [("2207".to_owned(), dec("9100"))]);
    assert_eq!(agent.view.balance, Some(dec("9000")));
}
