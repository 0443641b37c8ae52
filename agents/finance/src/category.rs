//! Which of the fourteen categories a payment belongs to.
//!
//! What: [`category`], a table of merchants with fallbacks by word and amount. Why: a fixed table is explainable and the same everywhere. Not here: names
//! (`merchant_name`), the most common shops of some countries (`common_shops`), what the owner says of a shop (`shops`).

use super::{
    common_shops::common_category,
    merchant_name::{self, MerchantName},
};
use rust_decimal::Decimal;
use std::iter;
use toolcall_schema::Category;

/// Below this amount a wallet's own name counts as a transfer to a person.
const WALLET_BELOW: Decimal = Decimal::from_parts(500, 0, 0, false, 0);

/// Merchants by name: one or more whole words. The longest that occurs in the name decides.
const MERCHANTS: &[(&str, Category)] = &[
    ("barbeque nation", Category::FoodDelivery),
    ("burger king", Category::FoodDelivery),
    ("chaayos", Category::FoodDelivery),
    ("chaipoint", Category::FoodDelivery),
    ("dominos", Category::FoodDelivery),
    ("eatclub", Category::FoodDelivery),
    ("faasos", Category::FoodDelivery),
    ("kfc", Category::FoodDelivery),
    ("mcdonalds", Category::FoodDelivery),
    ("pizza hut", Category::FoodDelivery),
    ("starbucks", Category::FoodDelivery),
    ("subway", Category::FoodDelivery),
    ("swiggy", Category::FoodDelivery),
    ("uber eats", Category::FoodDelivery),
    ("zomato", Category::FoodDelivery),
    ("bigbasket", Category::Groceries),
    ("blinkit", Category::Groceries),
    ("dmart", Category::Groceries),
    ("dunzo", Category::Groceries),
    ("jiomart", Category::Groceries),
    ("more supermarket", Category::Groceries),
    ("reliance fresh", Category::Groceries),
    ("spencers", Category::Groceries),
    ("swiggy instamart", Category::Groceries),
    ("zepto", Category::Groceries),
    ("bharat petroleum", Category::Transport),
    ("bmtc", Category::Transport),
    ("dmrc", Category::Transport),
    ("fastag", Category::Transport),
    ("indian oil", Category::Transport),
    ("namma yatri", Category::Transport),
    ("ola", Category::Transport),
    ("olacabs", Category::Transport),
    ("rapido", Category::Transport),
    ("uber", Category::Transport),
    ("yulu", Category::Transport),
    ("ajio", Category::Shopping),
    ("amazon", Category::Shopping),
    ("croma", Category::Shopping),
    ("decathlon", Category::Shopping),
    ("flipkart", Category::Shopping),
    ("ikea", Category::Shopping),
    ("meesho", Category::Shopping),
    ("myntra", Category::Shopping),
    ("nykaa", Category::Shopping),
    ("bookmyshow", Category::Entertainment),
    ("inox", Category::Entertainment),
    ("pvr", Category::Entertainment),
    ("steam", Category::Entertainment),
    ("act fibernet", Category::BillsUtilities),
    ("airtel", Category::BillsUtilities),
    ("bescom", Category::BillsUtilities),
    ("bsnl", Category::BillsUtilities),
    ("indane", Category::BillsUtilities),
    ("jio", Category::BillsUtilities),
    ("tata power", Category::BillsUtilities),
    ("nobroker", Category::Rent),
    ("byjus", Category::Education),
    ("coursera", Category::Education),
    ("udemy", Category::Education),
    ("unacademy", Category::Education),
    ("1mg", Category::Health),
    ("apollo", Category::Health),
    ("cultfit", Category::Health),
    ("medplus", Category::Health),
    ("netmeds", Category::Health),
    ("pharmeasy", Category::Health),
    ("practo", Category::Health),
    ("indigo", Category::Travel),
    ("irctc", Category::Travel),
    ("makemytrip", Category::Travel),
    ("oyo", Category::Travel),
    ("redbus", Category::Travel),
    ("vistara", Category::Travel),
    ("amazon prime", Category::Subscriptions),
    ("hotstar", Category::Subscriptions),
    ("netflix", Category::Subscriptions),
    ("spotify", Category::Subscriptions),
    ("youtube premium", Category::Subscriptions),
    ("groww", Category::Investment),
    ("kuvera", Category::Investment),
    ("upstox", Category::Investment),
    ("zerodha", Category::Investment),
];

/// Words that tell the category of a merchant nobody listed.
const WORDS: &[(&str, Category)] = &[
    ("bakery", Category::FoodDelivery),
    ("cafe", Category::FoodDelivery),
    ("café", Category::FoodDelivery),
    ("food", Category::FoodDelivery),
    ("foods", Category::FoodDelivery),
    ("restaurant", Category::FoodDelivery),
    ("basket", Category::Groceries),
    ("kirana", Category::Groceries),
    ("mart", Category::Groceries),
    ("supermarket", Category::Groceries),
    ("cab", Category::Transport),
    ("fuel", Category::Transport),
    ("metro", Category::Transport),
    ("parking", Category::Transport),
    ("petrol", Category::Transport),
    ("books", Category::Shopping),
    ("cinema", Category::Entertainment),
    ("broadband", Category::BillsUtilities),
    ("electricity", Category::BillsUtilities),
    ("power", Category::BillsUtilities),
    ("recharge", Category::BillsUtilities),
    ("landlord", Category::Rent),
    ("rent", Category::Rent),
    ("college", Category::Education),
    ("school", Category::Education),
    ("university", Category::Education),
    ("clinic", Category::Health),
    ("hospital", Category::Health),
    ("pharmacy", Category::Health),
    ("airlines", Category::Travel),
    ("hotel", Category::Travel),
    ("mutual fund", Category::Investment),
];

/// Names of wallets and payment apps: the other side is a person when the amount is small.
const WALLETS: [&str; 7] = ["bhim", "googlepay", "gpay", "paytm", "phonepe", "upi", "wallet"];

/// The merchant of the table whose name stands in this normalised one, else the name itself: "swiggy order 12" is "swiggy".
pub(super) fn merchant(name: &str) -> &str {
    entry(MERCHANTS, name).map_or(name, |(listed, _)| listed)
}

/// The names of the table.
pub(super) fn merchants() -> impl Iterator<Item = &'static str> {
    MERCHANTS.iter().map(|(name, _)| *name)
}

/// The category of a payment to a merchant of this normalised name.
pub(super) fn category(name: &str, amount: Decimal) -> Category {
    longest(MERCHANTS, name)
        .or_else(|| common_category(name))
        .or_else(|| longest(WORDS, name))
        .unwrap_or_else(|| {
            let wallet = WALLETS.iter().any(|wallet| has_words(name, wallet));
            if wallet && amount < WALLET_BELOW {
                Category::P2pTransfer
            } else {
                Category::Other
            }
        })
}

/// What a merchant is called: as its source wrote it, where that is no more than its name in the table.
pub(super) fn display_name(name: &MerchantName) -> String {
    let listed = merchant(name);
    if listed.replace(' ', "") == name.replace(' ', "") {
        name.display_name().to_owned()
    } else {
        merchant_name::spell_name(listed)
    }
}

fn longest(table: &[(&'static str, Category)], name: &str) -> Option<Category> {
    entry(table, name).map(|(_, category)| category)
}

fn entry(table: &[(&'static str, Category)], name: &str) -> Option<(&'static str, Category)> {
    table
        .iter()
        .filter(|(words, _)| has_words(name, words))
        .max_by_key(|(words, _)| words.len())
        .copied()
}

/// Whether `words` stand in `name` as whole words, or as one word written together ("big basket" is `bigbasket`).
fn has_words(name: &str, words: &str) -> bool {
    let mut starts = iter::successors(Some(name), |rest| rest.split_once(' ').map(|(_, next)| next));
    let stand_whole = starts.any(|rest| {
        let after = rest.strip_prefix(words);
        after.is_some_and(|after| after.is_empty() || after.starts_with(' '))
    });
    stand_whole
        || name
            .split(' ')
            .flat_map(str::chars)
            .eq(words.split(' ').flat_map(str::chars))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_then_words_then_the_amount_decide() {
        for (raw, amount, expected) in [
            ("swiggy@ybl", 320, Category::FoodDelivery),
            ("Swiggy Instamart", 320, Category::Groceries),
            ("amazon", 900, Category::Shopping),
            ("Amazon Prime", 900, Category::Subscriptions),
            ("ola@axis", 76, Category::Transport),
            ("Coca Cola", 76, Category::Other),
            ("BIG BASKET", 76, Category::Groceries),
            ("Sri Sai Cafe", 90, Category::FoodDelivery),
            ("Apollo Pharmacy", 90, Category::Health),
            ("House Rent", 15_000, Category::Rent),
            ("Paytm", 499, Category::P2pTransfer),
            ("REWE SAGT DANKE 4455", 20, Category::Groceries),
            ("dm-drogerie markt", 20, Category::Groceries),
            ("PENNY 1234", 20, Category::Groceries),
            // A name of a person that a shop has as well.
            ("Penny Smith", 20, Category::Other),
            ("Otto Maier", 20, Category::Other),
            ("OTTO", 20, Category::Shopping),
            ("Shell Station 12", 20, Category::Transport),
            ("DB Vertrieb GmbH", 20, Category::Transport),
            ("Stadtwerke Musterstadt", 20, Category::BillsUtilities),
            ("Miete Oktober", 20, Category::Rent),
            ("Sainsbury's", 20, Category::Groceries),
            ("TRADER JOE'S #12", 20, Category::Groceries),
            ("AT&T", 20, Category::BillsUtilities),
            ("ADNOC 77", 20, Category::Transport),
            ("Emirates NBD", 20, Category::Other),
            ("Paytm", 500, Category::Other),
            ("", 1, Category::Other),
        ] {
            assert_eq!(
                category(&MerchantName::new(raw), Decimal::from(amount)),
                expected,
                "{raw:?} {amount}"
            );
        }
    }

    #[test]
    fn every_category_but_other_can_be_reached() {
        let reached: std::collections::BTreeSet<Category> = MERCHANTS
            .iter()
            .chain(WORDS)
            .map(|(words, _)| category(words, Decimal::from(1000)))
            .chain([category("gpay", Decimal::ONE), category("", Decimal::ONE)])
            .collect();
        assert_eq!(reached, Category::ALL.iter().copied().collect());
    }
}
