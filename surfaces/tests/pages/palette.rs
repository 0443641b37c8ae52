//! What the palette finds by a name.

use crate::{client::server, morning::ts, people_double::ASHA};
use serde_json::json;
use surfaces_base::backend::KeptPayment;
use toolcall_schema::{Category, ids::MerchantHash};

const CHAT: &str = "ch_00000000000000c3";

#[tokio::test]
async fn a_name_finds_people_chats_events_and_payments() {
    let server = server("brief").await;
    *server.double.labels.lock().unwrap() = [
        (ASHA, "Asha <b>Rao</b>"),
        (CHAT, "Garden committee"),
        ("mh_0000000000000001", "Garden café"),
        ("mh_0000000000000009", "Landlord"),
    ]
    .map(|(id, name)| (id.to_owned(), name.to_owned()))
    .into_iter()
    .collect();
    for on in ["2026-09-01", "2026-10-01", "2026-11-01"] {
        server.double.payments.lock().unwrap().push(KeptPayment {
            at: ts(&format!("{on}T06:00:00Z")),
            amount: "-15000".parse().unwrap(),
            currency: "INR".to_owned(),
            merchant: MerchantHash::parse("mh_0000000000000009").unwrap(),
            category: Category::Rent,
            account_last4: "1122".to_owned(),
        });
    }
    // Kolkata, Tuesday 3 November 2026: payments of that day, a holiday, a night shift from 22:00 on.
    for (asked, found, not) in [
        (
            json!({"name": "asha"}),
            vec![format!(
                r#"<a href="/people/{ASHA}"><bdi>Asha &lt;b&gt;Rao&lt;/b&gt;</bdi></a> <span class="note">Person</span>"#
            )],
            "Garden",
        ),
        (
            json!({"name": "GARDEN"}),
            vec![
                format!(r#"<a href="/people/{CHAT}"><bdi>Garden committee</bdi></a> <span class="note">Chat</span>"#),
                r#"<a href="/money/spending?view=day&amp;day=2026-11-03"><bdi>Garden café</bdi></a> <span class="note">Payment · ₹450.00 · today</span>"#.to_owned(),
            ],
            "Asha",
        ),
        (
            json!({"name": "shift night"}),
            vec![r#"<a href="/calendar/ev_00000000000000b2"><bdi>Night shift</bdi></a> <span class="note">Event · 22:00</span>"#.to_owned()],
            "Garden",
        ),
        (
            json!({"name": "diwali"}),
            vec![r#"<bdi>Diwali</bdi></a> <span class="note">Event · today</span>"#.to_owned()],
            "Night",
        ),
        (
            json!({"name": "dentist"}),
            vec![r#"<a href="/calendar/ev_00000000000000c1"><bdi>Dentist &lt;x&gt;</bdi></a> <span class="note">Called off · 11:00</span>"#.to_owned()],
            "Night",
        ),
        // What comes again stands with what it will be and when.
        (
            json!({"name": "landlord"}),
            vec![r#"<a href="/money/ahead#recurring"><bdi>Landlord</bdi></a> <span class="note">Comes again · ₹15,000.00 · Tue 1 Dec</span>"#.to_owned()],
            "Garden",
        ),
        // A time stands first, by its name in any language; one that only begins so does not.
        (
            json!({"name": "Nächste Woche"}),
            vec![r#"<ul><li><a href="/agenda?view=week&amp;day=2026-11-10" data-first><bdi>Agenda of Mon 9 Nov to Sun 15 Nov</bdi></a> <span class="note">week 46 of 2026</span></li></ul>"#.to_owned()],
            "Garden",
        ),
        // A week that was typed by its number says which year's it is.
        (
            json!({"name": "KW 12 2025"}),
            vec![r#"<bdi>Agenda of Mon 17 Mar 2025 to Sun 23 Mar 2025</bdi></a> <span class="note">week 12 of 2025</span>"#.to_owned()],
            "2026",
        ),
        (
            json!({"name": "fri"}),
            vec![r#"<a href="/agenda?view=day&amp;day=2026-11-06"><bdi>Agenda of Friday 6 November 2026</bdi></a></li>"#.to_owned()],
            "data-first",
        ),
        // To mute one: chats alone.
        (json!({"name": "garden", "chats": true}), vec!["Garden committee".to_owned()], "café"),
        (json!({"name": "nobody of that name"}), vec!["<ul></ul>".to_owned()], "<li>"),
    ] {
        let answer = server.post("/form/palette/find", &asked.to_string()).await;
        assert_eq!(answer.status, 200, "{asked}: {}", answer.body);
        for part in found {
            assert!(answer.body.contains(&part), "{asked}: {part}: {}", answer.body);
        }
        assert!(!answer.body.contains(not), "{asked}: {}", answer.body);
    }
    for bad in [
        json!({"name": ""}),
        json!({"name": "x".repeat(101)}),
        json!({"more": 1}),
    ] {
        let answer = server.post("/form/palette/find", &bad.to_string()).await;
        assert_eq!(answer.status, 400, "{bad}");
    }
}
