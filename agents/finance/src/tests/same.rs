//! Which claims are one payment, and that neither order nor repetition matters.

use super::*;
use crate::{
    claim::{BookedPayment, PaymentSource},
    merchant_name::MerchantName,
    sources::{FoundPayment, PaymentOrdinal},
};
use proptest::prelude::*;
use toolcall_schema::signal::Direction;

fn found(source: PaymentSource, day: u32, amount: u32, merchant: &str) -> FoundPayment {
    FoundPayment {
        amount: Decimal::from(amount),
        currency: "INR".to_owned(),
        account_last4: "8841".to_owned(),
        direction: Direction::Debit,
        merchant: MerchantName::new(merchant),
        ts: t(&format!("2026-11-{day:02}T12:00:00+05:30")),
        reference: None,
        categorized: false,
        source,
        category: None,
        which: PaymentOrdinal::Nth(0),
    }
}

fn book(claims: &[FoundPayment]) -> PaymentBook {
    let mut book = PaymentBook::new(&setup().key, setup().owner.zone, &["5530".to_owned()]);
    for claim in claims {
        book.enter(claim.clone(), t(NOW));
    }
    book.settle();
    book
}

/// The days of the payments of a book.
fn days(claims: &[FoundPayment]) -> Vec<u32> {
    let mut days: Vec<u32> = book(claims)
        .iter()
        .map(|(_, txn)| chrono::Datelike::day(&zone::local_date(txn.ts, setup().owner.zone)))
        .collect();
    days.sort_unstable();
    days
}

#[test]
fn what_two_sources_tell_is_one_payment_where_it_can_be() {
    use PaymentSource::{Csv, Journal, Message, Ofx, Program, Receipt};
    let numbered = |mut claim: FoundPayment, number: &str| {
        claim.reference = Some(number.to_owned());
        claim
    };
    let nth = |mut claim: FoundPayment, nth| {
        claim.which = PaymentOrdinal::Nth(nth);
        claim
    };
    let of = |mut claim: FoundPayment, account: &str| {
        account.clone_into(&mut claim.account_last4);
        claim
    };
    for (name, claims, expected) in [
        (
            "the bank books the same day",
            vec![found(Message, 3, 20, "chai"), found(Ofx, 3, 20, "chai point")],
            vec![3],
        ),
        (
            "three days later",
            vec![found(Message, 3, 20, "chai"), found(Ofx, 6, 20, "")],
            vec![3],
        ),
        (
            "four days later",
            vec![found(Message, 3, 20, "chai"), found(Ofx, 7, 20, "chai")],
            vec![3, 7],
        ),
        (
            "a day before",
            vec![found(Message, 3, 20, "chai"), found(Ofx, 2, 20, "chai")],
            vec![3],
        ),
        (
            "two days before",
            vec![found(Message, 3, 20, "chai"), found(Ofx, 1, 20, "chai")],
            vec![1, 3],
        ),
        (
            "another amount",
            vec![found(Message, 3, 20, "chai"), found(Ofx, 3, 21, "chai")],
            vec![3, 3],
        ),
        (
            "another account",
            vec![
                found(Message, 3, 20, "chai"),
                of(found(Ofx, 3, 20, "chai"), "5530"),
            ],
            vec![3, 3],
        ),
        (
            "an account that is not told",
            vec![
                found(Message, 3, 20, "chai"),
                of(found(Receipt, 3, 20, "chai"), "0000"),
            ],
            vec![3],
        ),
        (
            "two merchants of the table",
            vec![found(Message, 3, 20, "swiggy"), found(Ofx, 3, 20, "zomato")],
            vec![3, 3],
        ),
        (
            "two kinds of merchant",
            vec![found(Message, 3, 20, "sai cafe"), found(Ofx, 3, 20, "uber")],
            vec![3, 3],
        ),
        (
            "two unknown merchants",
            vec![found(Message, 3, 20, "bundl"), found(Ofx, 3, 20, "ramesh")],
            vec![3],
        ),
        (
            "four sources",
            vec![
                found(Message, 3, 20, "chai"),
                found(Program, 3, 20, "chai"),
                found(Csv, 5, 20, ""),
                found(Ofx, 4, 20, "chai"),
                found(Journal, 2, 20, "tea"),
            ],
            vec![3],
        ),
        (
            "two in one statement, one message",
            vec![
                found(Ofx, 3, 20, "chai"),
                nth(found(Ofx, 3, 20, "chai"), 1),
                found(Message, 3, 20, "chai"),
            ],
            vec![3, 3],
        ),
        (
            "two and two",
            vec![
                found(Ofx, 4, 20, "chai"),
                nth(found(Ofx, 4, 20, "chai"), 1),
                numbered(found(Message, 3, 20, "chai"), "1"),
                numbered(found(Message, 4, 20, "chai"), "2"),
            ],
            vec![3, 4],
        ),
        // The statement ends on the 10th, the message of the 8th never came.
        (
            "each day the same",
            vec![
                found(Ofx, 8, 40, "metro"),
                found(Ofx, 9, 40, "metro"),
                found(Ofx, 10, 40, "metro"),
                found(Message, 9, 40, "metro"),
                found(Message, 10, 40, "metro"),
                found(Message, 11, 40, "metro"),
                found(Message, 12, 40, "metro"),
            ],
            vec![8, 9, 10, 11, 12],
        ),
        // The number of the payment says more than the day.
        (
            "by number",
            vec![
                numbered(found(Message, 3, 20, "a"), "431200100200"),
                numbered(found(Message, 4, 20, "b"), "431200100201"),
                numbered(found(Csv, 4, 20, "c"), "431200100200"),
            ],
            vec![3, 4],
        ),
    ] {
        assert_eq!(days(&claims), expected, "{name}");
        let mut back = claims.clone();
        back.reverse();
        assert_eq!(days(&back), expected, "{name}, the other way round");
    }
}

#[test]
fn a_payment_takes_the_best_of_what_each_source_says() {
    let mut journal = found(PaymentSource::Journal, 3, 320, "dinner with anu");
    journal.category = Some(Category::Entertainment);
    journal.categorized = true;
    journal.account_last4 = "0000".to_owned();
    let known = book(&[
        found(PaymentSource::Message, 3, 320, "bundl technologies"),
        found(PaymentSource::Ofx, 5, 320, "swiggy order 12"),
        journal,
    ]);
    let txns: Vec<&BookedPayment> = known.iter().map(|(_, txn)| txn).collect();
    let expected = BookedPayment {
        merchant: setup().key.merchant("swiggy"),
        amount: dec("320"),
        currency: "INR".to_owned(),
        account_last4: "8841".to_owned(),
        ts: t("2026-11-03T12:00:00+05:30"),
        category: Category::Entertainment,
        categorized: true,
        direction: Direction::Debit,
        transfer: false,
    };
    assert_eq!(txns, [&expected]);
}

#[test]
fn a_payment_that_was_told_keeps_its_id_when_others_tell_of_it() {
    for (first, second) in [
        (PaymentSource::Ofx, PaymentSource::Message),
        (PaymentSource::Message, PaymentSource::Ofx),
    ] {
        let mut known = book(&[found(first, 3, 20, "chai")]);
        let told = known.take_unreported();
        assert_eq!(told.len(), 1);
        known.enter(found(second, 3, 20, "chai"), t(NOW));
        known.settle();
        assert_eq!(known.take_unreported(), []);
        assert_eq!(known.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), told);
        let (rows, cut) = known.rows(usize::MAX, &[]);
        let mut again = book(&[]);
        again.restore(rows, Vec::new(), cut);
        assert!(known.iter().eq(again.iter()));
        assert_eq!(again.take_unreported(), []);
    }
}

#[test]
fn only_money_between_two_own_accounts_is_a_transfer() {
    let leg = |day, account: &str, direction| FoundPayment {
        account_last4: account.to_owned(),
        direction,
        ..found(PaymentSource::Message, day, 500, "")
    };
    let statement = |day, account: &str| FoundPayment {
        source: PaymentSource::Ofx,
        ..leg(day, account, Direction::Debit)
    };
    let (debit, credit) = (Direction::Debit, Direction::Credit);
    for (name, claims, expected) in [
        ("both own", vec![statement(3, "8841"), leg(4, "5530", credit)], 2),
        (
            "three days",
            vec![statement(3, "8841"), leg(6, "5530", credit)],
            2,
        ),
        ("four days", vec![statement(3, "8841"), leg(7, "5530", credit)], 0),
        (
            "one of them somebody's",
            vec![statement(3, "8841"), leg(3, "1234", credit)],
            0,
        ),
        (
            "one account",
            vec![statement(3, "5530"), leg(3, "5530", credit)],
            0,
        ),
        (
            "a refund is none",
            vec![statement(3, "8841"), leg(3, "5530", Direction::Refund)],
            0,
        ),
        (
            "two out, one in: the nearer",
            vec![statement(3, "8841"), statement(5, "8841"), leg(5, "5530", credit)],
            2,
        ),
        (
            "a message alone makes no account own",
            vec![leg(3, "8841", debit), leg(3, "5530", credit)],
            0,
        ),
    ] {
        let transfers = book(&claims).iter().filter(|(_, txn)| txn.transfer).count();
        assert_eq!(transfers, expected, "{name}");
    }
}

fn claim() -> impl Strategy<Value = FoundPayment> {
    let source = proptest::sample::select(PaymentSource::ALL.to_vec());
    let names = proptest::sample::select(vec!["", "chai", "swiggy", "zomato", "metro"]);
    let accounts = proptest::sample::select(vec!["0000", "8841", "5530"]);
    let ways = proptest::sample::select(vec![
        Direction::Debit,
        Direction::Credit,
        Direction::Refund,
        Direction::Fee,
    ]);
    let numbers = proptest::sample::select(vec![None, Some("431200100200"), Some("7")]);
    (
        source,
        1..12_u32,
        1..3_u32,
        names,
        accounts,
        ways,
        numbers,
        0..4_u32,
    )
        .prop_map(
            |(source, day, amount, name, account, direction, number, nth)| FoundPayment {
                account_last4: account.to_owned(),
                direction,
                reference: number.map(str::to_owned),
                which: match nth {
                    _ if !source.is_statement() => PaymentOrdinal::Nth(0),
                    2.. => PaymentOrdinal::Id(nth, NaiveDate::from_ymd_opt(2026, 11, day).unwrap()),
                    _ => PaymentOrdinal::Nth(nth),
                },
                ..found(source, day, amount, name)
            },
        )
}

proptest! {
    #[test]
    fn any_order_and_any_repetition_give_the_same_book(
        claims in proptest::collection::vec(claim(), 0..40),
        order in proptest::collection::vec(any::<prop::sample::Index>(), 0..80),
        tells: bool,
    ) {
        let expected = book(&claims);
        let mut other = book(&[]);
        if !claims.is_empty() {
            for index in &order {
                other.enter(index.get(&claims).clone(), t(NOW));
                other.settle();
                if tells {
                    other.take_unreported();
                }
            }
        }
        for claim in claims.iter().rev() {
            other.enter(claim.clone(), t(NOW));
        }
        other.settle();
        if tells {
            // Memory knows some by another claim's id; the payments are the same.
            let sorted = |book: &PaymentBook| {
                let mut txns: Vec<String> = book.iter().map(|(_, txn)| format!("{txn:?}")).collect();
                txns.sort();
                txns
            };
            prop_assert_eq!(sorted(&other), sorted(&expected));
        } else {
            prop_assert!(other.iter().eq(expected.iter()));
        }
    }

    #[test]
    fn a_payment_has_at_most_one_line_of_a_statement_and_every_claim_has_a_payment(
        claims in proptest::collection::vec(claim(), 0..40),
    ) {
        let mut known = book(&[]);
        let mut ids = std::collections::BTreeSet::new();
        let mut lines = std::collections::BTreeSet::new();
        for claim in &claims {
            let ofx = claim.source == PaymentSource::Ofx;
            let (EnterOutcome::New(id) | EnterOutcome::Known(id)) = known.enter(claim.clone(), t(NOW)) else {
                continue;
            };
            if ofx {
                lines.insert(id.clone());
            }
            ids.insert(id);
        }
        known.settle();
        prop_assert!(ids.iter().all(|id| known.get(id).is_some()));
        let payments: std::collections::BTreeSet<_> = lines.iter().map(|id| known.id(id)).collect();
        prop_assert_eq!(payments.len(), lines.len());
        prop_assert!(known.iter().count() <= ids.len());
    }
}
