//! Spending: sums of a day, a week and a month, each currency apart; sleep and heart over months.

use crate::client::{Server, server};

/// The page without markup, its pieces apart by `|`.
async fn text(server: &Server, query: &str) -> String {
    let page = server.get(&format!("/money/spending{query}")).await.body;
    let live = page
        .split_once("<main")
        .unwrap()
        .1
        .split_once("</main>")
        .unwrap()
        .0
        .to_owned();
    let pieces = live
        .split('<')
        .map(|part| part.split_once('>').map_or("", |(_, text)| text.trim()));
    let pieces: Vec<&str> = pieces.filter(|text| !text.is_empty()).collect();
    pieces.join("|")
}

fn stands_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        rest = rest
            .split_once(part)
            .unwrap_or_else(|| unreachable!("{part}: {text}"))
            .1;
    }
}

async fn with_names(scene: &str) -> Server {
    let server = server(scene).await;
    let names = [
        ("mh_0000000000000001", "Cafe <Luna>"),
        ("mh_0000000000000002", "Greengrocer"),
    ];
    *server.double.labels.lock().unwrap() = names
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .into_iter()
        .collect();
    server
}

#[tokio::test]
async fn a_day_has_sums_by_what_for_where_and_account_and_each_payment() {
    let server = with_names("spending-day").await;
    let text = text(&server, "").await;
    // 450 + 50 + 1350; the payment without a direction is in no sum.
    stands_in_order(
        &text,
        &[
            "Tuesday 3 November 2026",
            "₹1,850.00|3 payments",
            "What for|groceries|₹1,350.00|eating out and delivery|₹500.00",
            "Where|Greengrocer|₹1,350.00|Cafe &lt;Luna&gt;|₹500.00",
            "From which account|account …3344|₹1,350.00|account …1122|₹500.00",
            "$12.50|1 payment",
            "a shop that I cannot name now|$12.50",
            "1 payment left out",
            "Each payment|Cafe &lt;Luna&gt;|₹450.00|17:30 · eating out and delivery · account …1122",
            "Greengrocer|₹77.00|13:30 · in or out is not known · groceries",
        ],
    );
    // On Monday money only came in.
    assert!(!text.contains("in the time before"), "{text}");
}

#[tokio::test]
async fn a_day_of_many_payments_goes_on_behind_the_listed_ones() {
    let server = with_names("spending-many").await;
    {
        let mut payments = server.double.payments.lock().unwrap();
        let one = payments[0].clone();
        payments.clear();
        payments.extend(std::iter::repeat_n(one, 203));
    }
    let listed = |page: &str| page.matches("Cafe &lt;Luna&gt;</bdi>").count();
    let page = server.get("/money/spending").await.body;
    // 100 rows, and the shop once among the sums; of 203 there are 103 behind them.
    assert_eq!(listed(&page), 101, "{page}");
    assert!(page.contains("and 103 payments more"), "{page}");
    // What is shown behind them stays while the page is read anew.
    assert!(page.contains(r#"<div id="payments-100" data-grows>"#), "{page}");
    for (behind, rows, next) in [
        (100, 100, Some("and 3 payments more")),
        (200, 3, None),
        (203, 0, None),
    ] {
        let form = format!(r#"{{"day": "2026-11-03", "behind": "{behind}"}}"#);
        let answer = server.post("/form/spending/more", &form).await;
        assert_eq!((answer.status, listed(&answer.body)), (200, rows), "{behind}");
        assert_eq!(
            next.is_some(),
            answer.body.contains("<form data-post"),
            "{behind}"
        );
        assert!(
            next.is_none_or(|next| answer.body.contains(next)),
            "{}",
            answer.body
        );
    }
    for form in [
        r#"{"day": "soon", "behind": "0"}"#,
        r#"{"day": "2026-11-03", "behind": "-1"}"#,
        "{}",
    ] {
        assert_eq!(
            server.post("/form/spending/more", form).await.status,
            400,
            "{form}"
        );
    }
}

#[tokio::test]
async fn a_month_is_compared_with_the_one_before_by_the_owners_clock() {
    let server = with_names("spending-month").await;
    let text = text(&server, "?view=month&day=2026-11-20").await;
    // 1,850 and the 100 of half past one in the morning of the 1st; in October 900.
    stands_in_order(
        &text,
        &[
            "November 2026",
            "₹1,950.00|4 payments",
            "Came in: ₹50,000.00",
            // The 900 were spent on the 30th; it is the 3rd.
            "October 2026: ₹0.00 by this day, ₹900.00 in all.",
            "Each day",
            "₹1,950.00 in 4 payments; ₹1,850.00 on the day of most.",
        ],
    );
    let week = self::text(&server, "?view=week&day=2026-11-03").await;
    // The Sunday before is of the week before: 100 and 900.
    stands_in_order(
        &week,
        &[
            "₹1,850.00",
            "Came in: ₹50,000.00",
            "Mon 26 Oct to Sun 1 Nov: ₹0.00 by this day, ₹1,000.00 in all.",
        ],
    );
}

#[tokio::test]
async fn a_time_without_payments_says_so_and_what_is_no_day_is_refused() {
    let server = with_names("spending-none").await;
    let text = text(&server, "?view=month&day=2024-02-01").await;
    assert!(text.contains("I know of no payment in this time."), "{text}");
    assert!(text.contains("I take the last 120 days."), "{text}");
    for query in ["?day=tomorrow", "?view=year", "?day=9999-12-31"] {
        assert_eq!(
            server.get(&format!("/money/spending{query}")).await.status,
            400,
            "{query}"
        );
    }
}

#[tokio::test]
async fn sleep_and_heart_of_months_are_drawn_with_what_stands_in_the_middle() {
    let server = server("body-days").await;
    let page = server.get("/body/days").await.body;
    // 20 nights, 400 to 419 minutes, the eleventh by length is 410; ten values, 40 to 58, the sixth 50.
    for says in [
        "One value a day, known of 20 of 30 days. In the middle 6 h 50 min; least 6 h 40 min, most 6 h 59 min.",
        "One value a day, known of 10 of 30 days. In the middle 50 ms; least 40 ms, most 58 ms.",
        // The middle of 400 to 419 is 409.5, the median distance from it 5; 1.4826 times that is 7.4. Ten values are too few for the heart's.
        "Usual for you is 6 h 42 min to 6 h 57 min.",
        // 30 and 50 on each of them.
        "One value a day, known of 20 of 30 days. In the middle 40; least 40, most 40. Usual for you is 40 to 40.",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    // The 28th of October to the 3rd of November: six nights.
    let week = server.get("/body/days?days=7").await.body;
    assert!(week.contains("known of 6 of 7 days."), "{week}");
    for query in ["?days=8", "?days=all", "?days=-1"] {
        assert_eq!(
            server.get(&format!("/body/days{query}")).await.status,
            400,
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_day_that_is_marked_is_left_out_of_what_is_usual() {
    let server = server("body-days").await;
    for (body, status) in [
        (r#"{"day": "2026-11-02", "tag": "ill"}"#, 200),
        (r#"{"day": "2026-11-02", "tag": "<b>"}"#, 400),
        (r#"{"day": "2026-11-04", "tag": "ill"}"#, 400),
        (r#"{"day": "0001-01-01", "tag": "ill"}"#, 400),
        (r#"{"day": "yesterday", "tag": "ill"}"#, 400),
    ] {
        assert_eq!(server.post("/form/body/tag", body).await.status, status, "{body}");
    }
    let page = server.get("/body/days").await.body;
    // The night of 400 minutes ended on the 2nd: the middle of 401 to 419 is 410, the median distance 5; 410 - 7.4 and 410 + 7.4.
    assert!(
        page.contains("Usual for you is 6 h 43 min to 6 h 57 min."),
        "{page}"
    );
    assert!(page.contains("<td>ill</td>"), "{page}");
    let freed = server
        .post("/form/body/tag", r#"{"day": "2026-11-02", "tag": ""}"#)
        .await;
    assert!(
        freed.body.contains("Mon 2 Nov counts as usual."),
        "{}",
        freed.body
    );
    let page = server.get("/body/days").await.body;
    assert!(
        page.contains("Usual for you is 6 h 42 min to 6 h 57 min."),
        "{page}"
    );
}

#[tokio::test]
async fn what_a_payment_was_for_is_changed_where_it_stands() {
    let server = with_names("spending-day").await;
    let page = server.get("/money/spending").await.body;
    for part in [
        r#"data-shop="mh_0000000000000002" data-category="groceries"><summary aria-label="Change what it was for: Greengrocer">Change what it was for</summary></details>"#,
        r#"<option value="groceries">groceries</option>"#,
        r#"<option value="">as I sort it by myself</option>"#,
        "It counts for all payments to this shop, earlier ones too.",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let path = "/v1/shops/mh_0000000000000002/category";
    for (body, status, noted) in [
        (r#"{"category":"rent"}"#, 200, "Some(Rent)"),
        (r#"{"category":""}"#, 200, "None"),
        (r#"{"category":"cars"}"#, 400, ""),
        ("{}", 400, ""),
    ] {
        assert_eq!(server.post(path, body).await.status, status, "{body}");
        if status == 200 {
            let last = server.double.log.borrow().last().cloned().unwrap();
            assert!(
                last.contains("SortShop") && last.contains("mh_0000000000000002") && last.contains(noted),
                "{last}"
            );
        }
    }
    let not_a_shop = server
        .post("/v1/shops/it_0000000000000002/category", r#"{"category":"rent"}"#)
        .await;
    assert_eq!(not_a_shop.status, 404);
}
