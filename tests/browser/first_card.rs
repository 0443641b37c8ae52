//! The way to a first card of one's own, with mail, a calendar and a statement that does not say everything.
//!
//! What: what she is shown before she allows, what a statement is asked about, and how much she clicks, types and loads. Why: a first day is short,
//! or it is the last. Not here: each screen by itself (`first_day`), how long it takes (`aura bench first-day`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look_like, wrong},
    driver::{Browser, DESK, NARROW, PHONE},
    first_day::{CALENDAR, NewOwner, click, is_there, type_into},
    page::Page,
};
use chrono::{Datelike as _, Timelike as _};
use std::{
    fs,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

/// Clicks and fields that a first card may take.
const CLICKS_MAX: usize = 25;
const FIELDS_MAX: usize = 5;

/// What a click and a field cost a person beyond the page's own time: to read what it is about, and to type it.
const READS_A_CLICK: Duration = Duration::from_secs(4);
const TYPES_A_FIELD: Duration = Duration::from_secs(6);
/// Of her time, all in all.
const TIME_MAX: Duration = Duration::from_mins(3);

/// What it took so far.
struct Effort {
    clicks: usize,
    fields: usize,
    bytes: u64,
    /// Since when, without what only this test looks at.
    begun: Instant,
}

impl Effort {
    fn begin() -> Self {
        Self {
            clicks: 0,
            fields: 0,
            bytes: 0,
            begun: Instant::now(),
        }
    }

    /// What a person sees at a glance takes this test a while; that is not her time.
    async fn look(&mut self, page: &Page, axe: &str, name: &str) {
        let looks = Instant::now();
        look(page, axe, name).await;
        self.begun += looks.elapsed();
    }

    async fn click(&mut self, page: &Page, selector: &str) {
        click(page, selector).await;
        self.clicks += 1;
    }

    async fn types(&mut self, page: &Page, name: &str, text: &str) {
        type_into(page, name, text).await;
        self.fields += 1;
    }

    /// What the page before was transferred with; asked before it is left.
    async fn weigh(&mut self, page: &Page) {
        let bytes = page
            .run(
                "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')] \
                 .reduce((sum, entry) => sum + (entry.transferSize || 0), 0);",
            )
            .await
            .unwrap();
        self.bytes += bytes.as_u64().unwrap();
    }
}

/// Looks at the page as everybody must be able to, and keeps pictures where they are wanted.
async fn look(page: &Page, axe: &str, name: &str) {
    for (size, scheme) in [(NARROW, "light"), (PHONE, "dark"), (DESK, "light")] {
        look_like(page, size, scheme).await;
        assert_eq!(
            wrong(page, axe, size).await,
            Vec::<String>::new(),
            "{name}, {size:?} {scheme}"
        );
        if let Some(folder) = std::env::var_os("AURA_WELCOME_PICTURES") {
            let file = Path::new(&folder).join(format!("card-{name}-{}-{scheme}.png", size.width));
            fs::write(file, page.window.screenshot().await.unwrap()).unwrap();
        }
    }
    look_like(page, PHONE, "light").await;
}

/// What stands under the source at that place.
fn holds(path: &str, text: &str) -> String {
    format!(
        "[...document.querySelectorAll('[data-look][data-path$=\"{path}\"]')].some((each) => each.textContent.includes('{text}'))"
    )
}

#[tokio::test]
async fn mail_a_calendar_and_a_statement_make_a_first_card_with_little_effort() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    owner.put(".calendars/home/events.ics", CALENDAR);
    let now = chrono::DateTime::<chrono::Utc>::from(SystemTime::now());
    for n in 0..12_i64 {
        let at = (now - chrono::Duration::minutes(4 + n * 20)).to_rfc2822();
        let mail = format!(
            "From: Kim {n} <kim{n}@example.org>\r\nTo: anna@example.org\r\nDate: {at}\r\nMessage-ID: <{n}@example.org>\r\n\
             Subject: Dinner on Friday\r\n\r\nHi Anna,\r\ncould you tell me by tonight whether you can come on Friday?\r\nKim\r\n"
        );
        owner.put(&format!("Maildir/cur/{n}:2,"), &mail);
    }
    for folder in ["Maildir/new", "Maildir/tmp"] {
        fs::create_dir_all(owner.at(folder)).unwrap();
    }
    // Neither the sign nor the order of day and month can be told.
    let before = now
        .date_naive()
        .with_day(1)
        .and_then(|first| first.pred_opt())
        .unwrap();
    let month = before.format("%m/%Y").to_string();
    let row = |day: u32| {
        format!(
            "{day:02}/{month},Corner shop {day},{day}2.50
"
        )
    };
    let rows = (1..=12).map(row).collect::<Vec<_>>().concat();
    owner.put("Downloads/bank.csv", &format!("Date,Payee,Amount EUR\n{rows}"));
    let kim = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Kim\r\nEMAIL:kim0@example.org\r\nEND:VCARD\r\n";
    owner.put("Downloads/people.vcf", kim);
    owner.put("Documents/Letters/note.txt", "nothing to read");
    owner.put("Documents/Old/july.ics", CALENDAR);
    let mut effort = Effort::begin();

    let page = owner.opens(&mut browser).await;
    for number in [1, 2] {
        is_there(&page, &format!(".welcome progress[value=\"{number}\"]")).await;
        effort.weigh(&page).await;
        effort.click(&page, "button.main[data-welcome]").await;
    }

    // The page is there; what each source holds follows.
    is_there(&page, ".welcome progress[value=\"3\"]").await;
    for (path, text) in [
        ("/Maildir", "12 mails, newest "),
        ("/.calendars", "2 events."),
        ("/bank.csv", "none of it is read"),
        ("/people.vcf", "1 person"),
    ] {
        page.until(&holds(path, text)).await.unwrap();
    }
    let text = page.text().await.unwrap();
    assert!(
        text.contains("~/Downloads/bank.csv") && text.contains("Corner shop 1"),
        "{text}"
    );
    assert!(!text.contains(owner.at("").to_str().unwrap()), "{text}");
    effort.look(&page, &axe, "sources").await;
    // A statement is asked about before it can be ticked; what is ticked beside it is allowed with it.
    assert_eq!(
        page.run("return document.querySelector('[data-allow][data-path$=\"/bank.csv\"]').disabled;")
            .await
            .unwrap(),
        serde_json::Value::Bool(true)
    );
    effort.click(&page, "[data-tick-all]").await;
    assert_eq!(
        page.run(
            "return [...document.querySelectorAll('[data-allow]:checked')].map((box) => box.dataset.allow);"
        )
        .await
        .unwrap(),
        serde_json::json!(["mail", "calendar", "contacts"])
    );
    // Whose mail it is, is asked before it is read.
    effort.types(&page, "names", "Anna").await;
    effort.types(&page, "addresses", "anna@example.org").await;
    effort
        .click(&page, "[data-ask=\"money_out\"] [value=\"true\"]")
        .await;
    effort
        .click(&page, "[data-ask=\"day_first\"] [value=\"true\"]")
        .await;
    effort.click(&page, "[data-answer-csv]").await;
    page.until("document.querySelectorAll('#live > .rows li').length === 4")
        .await
        .unwrap();
    let home = fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap();
    assert!(
        home.contains("[[finance.csv]]")
            && home.contains("addresses = [\"anna@example.org\"]")
            && home.contains("charged = \"Amount EUR\""),
        "{home}"
    );

    // A folder that nobody would look for is chosen by its name.
    effort.click(&page, "[data-folder=\"\"]").await;
    effort.click(&page, "[data-folder=\"Documents\"]").await;
    effort.click(&page, "[data-folder=\"Documents/Old\"]").await;
    page.until(&holds("/july.ics", "2 events.")).await.unwrap();
    effort.look(&page, &axe, "folder").await;
    effort.weigh(&page).await;
    effort.click(&page, "button.main[data-welcome]").await;

    is_there(&page, ".welcome progress[value=\"4\"]").await;
    effort.types(&page, "amount", "1200.50").await;
    effort.types(&page, "currency", "EUR").await;
    effort.weigh(&page).await;
    effort.click(&page, "#you button.main").await;
    is_there(&page, ".welcome progress[value=\"5\"]").await;
    effort.weigh(&page).await;
    effort.click(&page, "button.main[data-welcome]").await;

    is_there(&page, ".welcome progress[value=\"6\"]").await;
    page.until("document.querySelector('#reading').textContent.includes('2 events')")
        .await
        .unwrap();
    effort.click(&page, "button[data-tick]").await;
    // What is there at first is from before the look.
    let card = page
        .until("document.querySelector('#now [data-card]')")
        .await
        .is_ok();
    effort.weigh(&page).await;
    let Effort {
        clicks,
        fields,
        bytes,
        begun,
    } = effort;
    let waited = begun.elapsed();
    let (reads, types) = (
        READS_A_CLICK * u32::try_from(clicks).unwrap(),
        TYPES_A_FIELD * u32::try_from(fields).unwrap(),
    );
    let hers = waited + reads + types;
    let said = format!(
        "first card: {clicks} clicks, {fields} fields typed, {bytes} bytes transferred, {:.1} s on the pages, {:.0} s of her time \
         (4 s a click and 6 s a field on top); a card: {card}",
        waited.as_secs_f64(),
        hers.as_secs_f64()
    );
    println!("{said}");
    if let Some(folder) = std::env::var_os("AURA_WELCOME_PICTURES") {
        fs::write(Path::new(&folder).join("effort.txt"), format!("{said}\n")).unwrap();
    }
    assert!(clicks <= CLICKS_MAX && fields <= FIELDS_MAX, "{said}");
    assert!(hers < TIME_MAX, "{said}");
    // Within one of her own events nobody asks her.
    let minute = now.time().hour() * 60 + now.time().minute();
    assert!(card || (9 * 60..10 * 60 + 30).contains(&minute), "{said}");
    let text = page.text().await.unwrap();
    assert!(text.contains("A card comes when"), "{text}");
}
