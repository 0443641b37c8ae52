//! A second model of policy and ledger, beside the machine on random days.
//!
//! What: random days through the machine and through a naive model of spec section 4; after every event both must say the
//! same of each candidate, the choice, the cards that are out, how ticks end, and the account. Why: a promise that is
//! checked by who made it is checked once. Not here: invariants on any sequence of events (`properties.rs`), every
//! interleaving within a bound (`proof/`).
//!
//! 256 days, the same each time; `AURA_CASES=20000` for so many new ones.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod account;
mod asks;
mod books;
mod day;
mod found;
mod later;
mod model;
mod ratio;
mod table;
mod things;
mod weigh;
mod world;

use proptest::{prelude::*, test_runner::RngSeed};

/// The same 256 days each time, so that a change is judged by what it changed; as many new ones as are asked for.
#[expect(
    clippy::disallowed_methods,
    reason = "how long to look is the caller's to say"
)]
fn config(times: u32) -> ProptestConfig {
    let asked = std::env::var("AURA_CASES").ok();
    let asked: Option<u32> = asked.and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: times * asked.unwrap_or(256),
        rng_seed: asked.map_or(RngSeed::Fixed(256), |_| RngSeed::Random),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(1))]

    #[test]
    fn two_models_of_one_specification_agree_on_any_day(day in day::day()) {
        world::live(&day);
    }
}

proptest! {
    // Each takes microseconds.
    #![proptest_config(config(16))]

    #[test]
    fn two_books_of_one_account_agree_wherever_the_date_goes(ceiling in 0_u8..=5, entries in books::entries()) {
        books::keep(ceiling, &entries);
    }
}
