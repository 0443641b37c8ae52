//! Spending that the owner calls usual.

use super::*;
use agents_base::contract::KeptState;
use toolcall_schema::{
    catalogue::allowed_spending::{AllowSpending, AllowedSpending},
    forget::ErasureScope,
};

/// 30 days of 32.55 and 167.45 in turn: the median is 100, MAD 67.45, so 450 is z = 0.6745 * 350 / 67.45 = 3.5, medium.
fn spent(today: &str) -> FinanceAgent {
    let even: Vec<&str> = (0..30)
        .map(|i| if i % 2 == 0 { "32.55" } else { "167.45" })
        .collect();
    agent(None, groceries(&even, today))
}

fn say(agent: &mut FinanceAgent, day: NaiveDate, allowed: bool) -> Result<AllowedSpending, ToolErrorCode> {
    let args = AllowSpending {
        category: Category::Groceries,
        day,
        allowed,
    };
    let tool = Tool::Finance(FinanceTool::AllowSpending(args));
    let (result, _) = agent.act(&tool, t(NOW))?;
    Ok(serde_json::from_value(result).unwrap())
}

fn is_told(agent: &FinanceAgent) -> bool {
    let candidates = tick(agent).candidates;
    candidates
        .iter()
        .any(|one| one.kind == ActionKind::SurfaceAnomaly)
}

#[test]
fn a_day_that_costs_no_more_is_not_told_and_one_that_does_is() {
    let mut agent = spent("450");
    assert!(is_told(&agent));
    let said = say(&mut agent, today(), true).unwrap();
    let wanted = AllowedSpending {
        category: Category::Groceries,
        day: today(),
        allowed: true,
        upto: dec("450.00"),
        currency: "INR".to_owned(),
    };
    assert_eq!(said, wanted);
    assert_eq!(agent.list_allowed_spending().rows, [wanted]);
    assert!(!is_told(&agent));
    // After a restart as well.
    let state = agent.state_after_act(t(NOW)).unwrap();
    let mut again = FinanceAgent::new(setup());
    again.restore(&state).unwrap();
    assert!(!is_told(&again));
    let mut more = spent("450.01");
    more.allowed = agent.allowed.clone();
    assert!(is_told(&more));
    // Taken back.
    let ended = say(&mut again, today(), false).unwrap();
    assert_eq!((ended.allowed, ended.upto), (false, dec("0.00")));
    assert!(is_told(&again));
    assert_eq!(again.state_after_act(t(NOW)).unwrap().get("allowed"), None);
}

#[test]
fn the_most_that_was_called_usual_stands_and_another_currency_says_nothing() {
    let mut agent = spent("450");
    say(&mut agent, today(), true).unwrap();
    // The day before cost 32.55.
    let yesterday = today() - Days::new(1);
    assert_eq!(say(&mut agent, yesterday, true).unwrap().upto, dec("450.00"));
    assert!(agent.allowed.allows(Category::Groceries, dec("450"), "INR"));
    assert!(!agent.allowed.allows(Category::Groceries, dec("450"), "EUR"));
    assert!(!agent.allowed.allows(Category::Transport, dec("1"), "INR"));
    // Nothing is known of that day.
    let unknown = say(&mut agent, today() + Days::new(1), true);
    assert_eq!(unknown.unwrap_err(), ToolErrorCode::NotFound);
}

#[test]
fn it_is_forgotten_with_its_day() {
    let mut agent = spent("450");
    say(&mut agent, today(), true).unwrap();
    let state = agent.state_after_act(t(NOW)).unwrap();
    // The day began at 18:30 of the 19th in UTC.
    for (from, to, stays) in [
        ("2026-11-19T18:30:00Z", "2026-11-20T18:30:00Z", false),
        ("2026-11-20T18:30:00Z", "2026-11-21T18:30:00Z", true),
    ] {
        let mut kept = FinanceAgentState::from_json(&state).unwrap();
        kept.forget(&ErasureScope::within(t(from), t(to)));
        assert_eq!(!kept.allowed.is_empty(), stays, "{from}");
    }
}
