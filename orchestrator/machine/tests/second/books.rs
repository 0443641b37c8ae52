//! Two books of account.
//!
//! What: the machine's ledger and the naive one ([`Accounts`]) on random sequences: tokens, ceilings, and a date that goes
//! wherever a clock can be set to. Why: whole days seldom come to the corners of `docs/adr/0016`. Not here: when tokens are
//! held and spent (`world`).

use crate::second::account::Accounts;
use chrono::{Days, NaiveDate};
use orchestrator_machine::ledger::AttentionLedger;
use proptest::prelude::*;
use toolcall_schema::ids::OwnerSeed;

/// One thing that happens to the account. A card is one of the last ones.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// The date is so many days after the first.
    Date(u64),
    Ceiling(u8),
    Reserve,
    Settle(usize),
    Release(usize),
    Useful(usize),
}

pub(crate) fn entries() -> impl Strategy<Value = Vec<Entry>> {
    // Days that follow each other, and days far off that can be come back to.
    let date = prop_oneof![
        Just(100_u64),
        Just(101),
        Just(102),
        Just(103),
        Just(110),
        Just(465),
        Just(466),
        Just(0)
    ];
    let entry = prop_oneof![
        3 => date.prop_map(Entry::Date),
        1 => (0_u8..=5).prop_map(Entry::Ceiling),
        3 => Just(Entry::Reserve),
        3 => (0_usize..3).prop_map(Entry::Settle),
        1 => (0_usize..3).prop_map(Entry::Release),
        2 => (0_usize..3).prop_map(Entry::Useful),
    ];
    prop::collection::vec(entry, 1..40)
}

/// Keeps both books.
pub(crate) fn keep(ceiling: u8, entries: &[Entry]) {
    let seed = OwnerSeed::from_day_seed("books");
    let first = NaiveDate::from_ymd_opt(2026, 7, 1).unwrap();
    let start = first + Days::new(100);
    let (mut ledger, mut accounts) = (
        AttentionLedger::new(start, ceiling),
        Accounts::new(start, ceiling),
    );
    let mut cards = 0_u64;
    for entry in entries {
        let card = |back: usize| cards.saturating_sub(back as u64);
        match *entry {
            Entry::Date(days) => {
                let date = first + Days::new(days);
                ledger.roll_over_to(date);
                accounts.roll(date);
            }
            Entry::Ceiling(ceiling) => {
                ledger.set_ceiling(ceiling);
                accounts.want(ceiling);
            }
            Entry::Reserve => {
                cards += 1;
                let reserved = ledger.reserve(&seed.trace_id(cards)).is_some();
                assert_eq!(reserved, accounts.free() > 0);
                if reserved {
                    accounts.reserve(cards);
                }
            }
            Entry::Settle(back) => {
                ledger.settle(&seed.trace_id(card(back)));
                accounts.settle(card(back));
            }
            Entry::Release(back) => {
                ledger.release(&seed.trace_id(card(back)));
                accounts.release(card(back));
            }
            Entry::Useful(back) => {
                let refunded = ledger.refund(&seed.trace_id(card(back))).is_some();
                assert_eq!(refunded, accounts.useful(card(back)), "a refund");
            }
        }
        assert_eq!(ledger.view(), accounts.view(), "after {entry:?}");
    }
}
