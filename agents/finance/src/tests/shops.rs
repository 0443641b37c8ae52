//! Where a shop's payments count by the owner's word.

use super::*;
use agents_base::contract::KeptState;
use toolcall_schema::{
    catalogue::shop_category::{SortShop, SortedShop},
    forget::ErasureScope,
    ids::MerchantHash,
    tick::GraphObservation,
};

/// 120 at a shop of groceries today, 80 there yesterday, 50 elsewhere today.
fn three_payments() -> FinanceAgent {
    agent(
        None,
        vec![
            paid(0, "120", "dmart", "debit"),
            paid(1, "80", "dmart", "debit"),
            paid(0, "50", "a shop without a word", "debit"),
        ],
    )
}

fn shop(agent: &FinanceAgent, amount: &str) -> MerchantHash {
    let mut payments = agent.book.iter();
    let found = payments.find(|(_, payment)| payment.amount == dec(amount));
    found.unwrap().1.merchant.clone()
}

fn sort(
    agent: &mut FinanceAgent,
    shop: &MerchantHash,
    category: Option<Category>,
) -> Result<SortedShop, ToolErrorCode> {
    let tool = Tool::Finance(FinanceTool::SortShop(SortShop {
        merchant_hash: shop.clone(),
        category,
    }));
    let (result, effects) = agent.act(&tool, t(NOW))?;
    assert!(effects.is_empty());
    Ok(serde_json::from_value(result).unwrap())
}

/// Amounts and categories that memory is told of, by amount.
fn told(agent: &mut FinanceAgent) -> Vec<(String, Category)> {
    let mut told: Vec<(String, Category)> = ingest(agent, t(NOW))
        .seen
        .into_iter()
        .filter_map(|seen| match seen {
            GraphObservation::Payment { amount, category, .. } => {
                Some((amount.size().normalize().to_string(), category))
            }
            GraphObservation::Talk { .. }
            | GraphObservation::Body { .. }
            | GraphObservation::Place { .. } => None,
        })
        .collect();
    told.sort();
    told
}

#[test]
fn all_payments_of_a_shop_count_where_the_owner_says_and_memory_hears_of_them() {
    let mut agent = three_payments();
    let dmart = shop(&agent, "120");
    assert_eq!(agent.view.spent_in(Category::Groceries, today()), dec("120"));
    let said = sort(&mut agent, &dmart, Some(Category::Shopping)).unwrap();
    let wanted = SortedShop {
        merchant_hash: dmart.clone(),
        category: Category::Shopping,
        by_owner: true,
        changed: 2,
    };
    assert_eq!(said, wanted);
    assert_eq!(agent.view.spent_in(Category::Groceries, today()), dec("0"));
    assert_eq!(agent.view.spent_in(Category::Shopping, today()), dec("120"));
    // A restart before the next look loses neither.
    let state = agent.state_after_act(t(NOW)).unwrap();
    let mut agent = FinanceAgent::new(setup());
    agent.restore(&state).unwrap();
    assert_eq!(agent.view.spent_in(Category::Shopping, today()), dec("120"));
    let shopping = |amount: &str| (amount.to_owned(), Category::Shopping);
    assert_eq!(told(&mut agent), [shopping("120"), shopping("80")]);
    assert_eq!(told(&mut agent), []);
    // The next payment there counts so too.
    agent.accept(vec![paid(2, "30", "dmart", "debit")]);
    assert_eq!(told(&mut agent), [shopping("30")]);
    // The same once more changes nothing.
    let again = sort(&mut agent, &dmart, Some(Category::Shopping)).unwrap();
    assert_eq!((again.by_owner, again.changed), (true, 0));
}

#[test]
fn it_is_taken_back_to_what_is_found_for_the_shop() {
    let mut agent = three_payments();
    let dmart = shop(&agent, "120");
    sort(&mut agent, &dmart, Some(Category::Shopping)).unwrap();
    told(&mut agent);
    let back = sort(&mut agent, &dmart, None).unwrap();
    assert_eq!(
        (back.category, back.by_owner, back.changed),
        (Category::Groceries, false, 2)
    );
    let state = agent.state_after_act(t(NOW)).unwrap();
    assert_eq!(state.get("shops"), None);
    let groceries = |amount: &str| (amount.to_owned(), Category::Groceries);
    assert_eq!(told(&mut agent), [groceries("120"), groceries("80")]);
    // What was never said is taken back without a change.
    assert_eq!(sort(&mut agent, &dmart, None).unwrap().changed, 0);
}

#[test]
fn a_shop_without_a_payment_is_not_found_and_a_forgotten_one_is_forgotten() {
    let mut agent = three_payments();
    let nobody = MerchantHash::parse("mh_00112233445566aa").unwrap();
    let unknown = sort(&mut agent, &nobody, Some(Category::Rent));
    assert_eq!(unknown.unwrap_err(), ToolErrorCode::NotFound);
    let (dmart, other) = (shop(&agent, "120"), shop(&agent, "50"));
    sort(&mut agent, &dmart, Some(Category::Shopping)).unwrap();
    sort(&mut agent, &other, Some(Category::Health)).unwrap();
    let state = agent.state_after_act(t(NOW)).unwrap();
    let mut state = FinanceAgentState::from_json(&state).unwrap();
    state.forget(&ErasureScope::naming([dmart.as_str().to_owned()]));
    assert_eq!(
        (state.shops.get(&dmart), state.shops.get(&other)),
        (None, Some(Category::Health))
    );
}

#[test]
fn what_waits_for_a_category_waits_no_longer_once_the_owner_said_it() {
    let body = "Rs.89.00 debited from A/c X2207 on 20-11-26 to VPA rapido@okaxis";
    let mut agent = agent(None, vec![sms("s1", "2026-11-20T19:10:00+05:30", body)]);
    assert_eq!(agent.view.uncategorized.1, 1);
    let rapido = shop(&agent, "89");
    sort(&mut agent, &rapido, Some(Category::Travel)).unwrap();
    assert_eq!(agent.view.uncategorized.1, 0);
}
