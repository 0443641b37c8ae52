//! A second model of policy and ledger, beside the machine on random days.
//!
//! What: random days through the machine and through a naive model of spec section 4; after every event both must say the
//! same of each candidate, the choice, the cards that are out, how ticks end, and the account. Why: a promise that is
//! checked by who made it is checked once. Not here: invariants on any sequence of events (`properties.rs`), every
//! interleaving within a bound (`proof/`).
//!
//! 256 days; `AURA_CASES=20000` for more.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod account;
mod books;
mod day;
mod found;
mod model;
mod ratio;
mod table;
mod things;
mod weigh;
mod world;

use proptest::prelude::*;

#[expect(
    clippy::disallowed_methods,
    reason = "how long to look is the caller's to say"
)]
fn cases() -> u32 {
    let asked = std::env::var("AURA_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(256)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn two_models_of_one_specification_agree_on_any_day(day in day::day()) {
        world::live(&day);
    }
}

proptest! {
    // Each takes microseconds.
    #![proptest_config(ProptestConfig { cases: 16 * cases(), ..ProptestConfig::default() })]

    #[test]
    fn two_books_of_one_account_agree_wherever_the_date_goes(ceiling in 0_u8..=5, entries in books::entries()) {
        books::keep(ceiling, &entries);
    }
}
