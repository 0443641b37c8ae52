//! Journals as their owners write them; all invented. Sums are worked out by hand.

use super::{
    statements::{importing, lines, skips, with_sources},
    *,
};
use agents_base::contract::SourcePaths;
use std::fs;

pub(super) const HLEDGER: &str = "; My journal
decimal-mark .
account assets:bank:savings 8841
commodity \u{20b9}1,00,000.00
D \u{20b9}1,000.00
P 2026-11-01 EUR \u{20b9}90.00
apply year 2026

2026-10-01 opening balances
    assets:bank:savings 8841      \u{20b9}50,000.00
    equity:opening

2026/11/02 * (431200100200) Swiggy | dinner  ; friday
    expenses:food:dining          \u{20b9}320.00
    assets:bank:savings 8841

11.03 ! Corner shop
    ; a comment
    expenses:groceries            1,200.50
    expenses:household              299.50  ; soap
    assets:cash                            = \u{20b9}0

11/04=11/06 Hotel Roma
    expenses:travel               10.00 EUR @ \u{20b9}90.00
    liabilities:card 5530        \u{20b9}-900.00

2026-11-05 Acme
    assets:bank:savings 8841      \u{20b9}80,000
    expenses:tax                   5,000
    income:salary                \u{20b9}-85,000.00

2026-11-06 card bill
    liabilities:card 5530         \u{20b9}900
    assets:bank:savings 8841

2026-11-07 Corner shop, returned
    assets:cash                   \u{20b9}100
    expenses:household

2026-11-08 envelopes
    (budget:food)                 \u{20b9}500
    expenses:transport:metro       \u{20b9}40
    assets:bank:savings 8841

comment
2026-11-09 not there
    expenses:food  \u{20b9}1
    assets:cash
end comment

~ monthly
    expenses:rent  \u{20b9}15000
    assets:bank:savings 8841

2026-11-31 no such day
    expenses:food  \u{20b9}1
    assets:cash

2026-11-10 two unknowns
    expenses:food
    assets:cash
";

#[test]
fn a_journal_tells_what_left_the_owners_accounts_and_why() {
    let (_folder, mut agent) = importing(&[("main.journal", HLEDGER.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 320 INR 8841 food_delivery",
            "2026-11-03 debit 1500 INR 0000 groceries",
            "2026-11-04 debit 900 INR 5530 travel",
            "2026-11-05 credit 80000 INR 8841 other",
            "2026-11-07 refund 100 INR 0000 shopping",
            "2026-11-08 debit 40 INR 8841 transport",
        ]
    );
    let (first, second) = (("AGENT-109", "main.journal"), ("AGENT-109", "main.journal"));
    let told: Vec<_> = skips(&answer)
        .iter()
        .map(|(code, item, _)| (*code, *item))
        .collect();
    assert_eq!(told, [first, second]);
    let nth = |text: &str| {
        HLEDGER
            .lines()
            .position(|line| line == text)
            .map(|i| i as u64 + 1)
    };
    let lines: Vec<Option<u64>> = skips(&answer).iter().map(|(_, _, line)| *line).collect();
    assert_eq!(
        lines,
        [nth("2026-11-31 no such day"), nth("2026-11-10 two unknowns")]
    );
}

#[test]
fn a_beancount_journal_tells_the_same() {
    let journal = r#"option "title" "Mine"
plugin "beancount.plugins.auto"
2026-01-01 open Assets:Bank:Savings-8841 INR
2026-11-01 pad Assets:Bank:Savings-8841 Equity:Opening
2026-11-02 balance Assets:Bank:Savings-8841 50,000.00 INR
2026-11-02 * "Swiggy" "dinner; late" #food ^upi-431200100200
  invoice: "12"
  Expenses:Food:Dining   320.00 INR
  Assets:Bank:Savings-8841
2026-11-03 txn "Index fund" ; bought
  Assets:Broker:Fund   10 FUND {100.00 INR, 2026-11-03}
  Assets:Bank:Savings-8841  -1,000.00 INR
2026-11-04 ! "Hotel Roma" ""
  Expenses:Travel      10.00 EUR @@ 905.00 INR
  Liabilities:Card-5530  -905.00 INR
2026-11-05 * "Sums"
  Expenses:Food  (1 + 2) INR
  Assets:Cash
2026-11-06 note Assets:Cash "nothing"
"#;
    let (_folder, mut agent) = importing(&[("mine.beancount", journal.as_bytes())], "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 320 INR 8841 food_delivery",
            "2026-11-04 debit 905 INR 5530 travel",
        ]
    );
    assert_eq!(skips(&answer), [("AGENT-109", "mine.beancount", Some(16))]);
}

#[test]
fn a_named_journal_brings_what_it_includes_and_nothing_from_outside() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir_all(folder.path().join("books/years")).unwrap();
    let entry = |day: &str, amount: &str| {
        format!("{day} Corner shop\n    expenses:groceries  {amount}\n    assets:cash\n")
    };
    write("outside.journal", &entry("2026-11-01", "1000 INR"));
    write(
        "books/main.journal",
        &format!(
            "D 1000.00 INR\ninclude years/2026.journal\ninclude ../outside.journal\ninclude gone.journal\n{}",
            entry("2026-11-03", "3")
        ),
    );
    write(
        "books/years/2026.journal",
        &format!(
            "include ../main.journal\n{}bad\n{}",
            entry("2026-11-02", "2"),
            "2026-13-01 x\n"
        ),
    );
    let named = SourcePaths {
        finance: vec![folder.path().join("books/main.journal")],
        ..SourcePaths::default()
    };
    let mut agent = with_sources(named, "");
    let answer = ingest(&mut agent, t(NOW));
    assert_eq!(
        lines(&agent),
        [
            "2026-11-02 debit 2 INR 0000 groceries",
            "2026-11-03 debit 3 INR 0000 groceries",
        ]
    );
    assert_eq!(
        skips(&answer),
        [
            ("AGENT-110", "years/2026.journal", Some(1)),
            ("AGENT-109", "years/2026.journal", Some(6)),
            ("AGENT-110", "main.journal", Some(3)),
            ("AGENT-110", "main.journal", Some(4)),
        ]
    );
    // What is included may change without the first: it is read again whenever somebody looks.
    write("books/years/2026.journal", &entry("2026-11-04", "4"));
    ingest(&mut agent, t(NOW));
    assert_eq!(lines(&agent).len(), 3);
}
