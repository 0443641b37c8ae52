//! Messages in the manner of three that were misread: a card's notification with the shop as its title, a name with the account that was paid behind
//! it, and a shop with its town behind it. All invented; each manner in several wordings.

use super::tests::told;

/// From, text, and `direction amount currency account [payee]`, or the verdict, each worked out from the text by hand.
type Row = (&'static str, &'static str, &'static str);

/// The title of a notification is the shop, and what follows begins with the sum.
#[rustfmt::skip] // A row fills a line.
const TITLES: &[Row] = &[
    ("Apple Card", "Bramble Coffee\n$5.75, Oakland, CA", "debit 5.75 USD - [Bramble Coffee]"),
    ("Apple Card", "QUILLON GROCERS\n$63.20\nAustin, TX", "debit 63.2 USD - [QUILLON GROCERS]"),
    ("AppleCard", "Fenwick Books: $18.40 on Apple Card. You earned $0.37 Daily Cash.", "debit 18.4 USD - [Fenwick Books]"),
    ("Apple Card", "Apple Card\nHarrow Diner, $31.08, Portland, OR", "debit 31.08 USD - [Harrow Diner]"),
    ("Apple Card", "Copperfield Fuel\n$42.10 charged to Apple Card", "debit 42.1 USD - [Copperfield Fuel]"),
    ("Apple Card", "Mossgate Pharmacy\n$12.99 refund to Apple Card", "refund 12.99 USD - [Mossgate Pharmacy]"),
    // What a card tells besides is none.
    ("Apple Card", "Your statement is ready\nYour balance is $412.80. Minimum payment due $25.00 by Nov 30.", "Nothing"),
    ("Apple Card", "Bramble Coffee\n$5.75 was declined", "Nothing"),
    ("Apple Card", "Daily Cash\nYou earned $0.37 yesterday.", "Nothing"),
];

/// "paid to NAME acc..1234": their account, and the owner's stands elsewhere or nowhere.
#[rustfmt::skip] // A row fills a line.
const THEIR_ACCOUNT: &[Row] = &[
    ("FNB", "FNB :-) R1500.00 paid to T MOKGADI acc..774411 from cheq a/c..773344 @ Smartapp. Avail R2310. Ref.RENT. 3Nov 10:02", "debit 1500 ZAR 773344 [T MOKGADI]"),
    ("FNB", "FNB :-) R250.00 paid to S DLAMINI acc..110923 @ Online Banking. 3Nov 08:15", "debit 250 ZAR - [S DLAMINI]"),
    ("FNB", "FNB :-) R89.00 paid from Cheque a/c..773344 to Lindiwe Garden Svc acc..90211. Avail R410. 3Nov 17:40", "debit 89 ZAR 773344 [Lindiwe Garden Svc]"),
    ("Capitec", "Capitec: R600.00 sent to P VAN WYK acc ...4402 from Main Acc ..5512 on 03 Nov. Avail R1 204.10", "debit 600 ZAR 5512 [P VAN WYK]"),
    ("KarooBank", "KarooBank: R75.00 paid to NOMSA CRECHE acc no ..8830 on 3 Nov. Avail R300.00", "debit 75 ZAR - [NOMSA CRECHE]"),
    ("FNB", "FNB :-) R3200.00 paid to your a/c..773344 from K NAIDOO acc..551200. Ref.LOAN. 3Nov 12:00", "credit 3200 ZAR 773344 [K NAIDOO]"),
];

/// Where the shop is stands behind it, with its country.
#[rustfmt::skip] // A row fills a line.
const TOWNS: &[Row] = &[
    ("FAB", "Your FAB Debit Card ending 4471 was used for AED 45.00 at DESERT ROSE CAFE, ABU DHABI, AE on 03/11/2026 10:12. Available balance AED 1,204.10", "debit 45 AED 4471 [DESERT ROSE CAFE]"),
    ("FAB", "Purchase of AED 120.00 at GREENLEAF MARKET ABU DHABI ARE with your card XX4471 on 03-11-2026. Avl Bal AED 900.00", "debit 120 AED 4471 [GREENLEAF MARKET]"),
    ("FAB", "AED 310.50 spent at PEARL OPTICS-DUBAI-AE on card ending 4471, 03/11/2026 18:40.", "debit 310.5 AED 4471 [PEARL OPTICS]"),
    ("FAB", "Card transaction AED 18.00\nCard XX4471\nFALCON BAKERY SHARJAH AE\n03/11/26 07:55", "debit 18 AED 4471 [FALCON BAKERY]"),
    ("FAB", "Your credit card ending 4471 was used for AED 76.25 at Oryx Stationery, Al Ain on 03/11/2026.", "debit 76.25 AED 4471 [Oryx Stationery]"),
    // A town within a name is of the name.
    ("FAB", "Your card ending 4471 was used for AED 30.00 at DUBAI MALL PARKING on 03/11/2026.", "debit 30 AED 4471 [DUBAI MALL PARKING]"),
    ("FAB", "Your card ending 4471 was used for AED 64.00 at CAFE DE ABU DHABI on 03/11/2026.", "debit 64 AED 4471 [CAFE DE ABU DHABI]"),
];

fn wrong(rows: &[Row]) -> Vec<String> {
    let told = rows
        .iter()
        .map(|(from, body, expected)| (told(from, body), *expected));
    told.filter(|(told, expected)| !told.starts_with(expected))
        .map(|(told, expected)| format!("{told}\n  not {expected}"))
        .collect()
}

#[test]
fn the_title_of_a_cards_notification_is_who_was_paid() {
    let wrong = wrong(TITLES);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_account_behind_a_name_is_theirs() {
    let wrong = wrong(THEIR_ACCOUNT);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_town_with_its_country_is_no_part_of_a_name() {
    let wrong = wrong(TOWNS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
