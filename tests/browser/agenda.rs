//! The agenda on open pages: a day, a week, a month, and from there to an event of next month; and the palette.
//!
//! What: a calendar of files, after all agents were restarted; each view fits every screen, and an event that no window holds can be opened. Why: what a page lists has
//! to lead somewhere. Not here: order and hours (`surfaces/tests/pages/agenda.rs`), what overlaps (`agents`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, DESK},
    first_day::{click, is_there},
    page::{Page, paired},
    support::{
        meeting_household::{DEMO, MeetingHousehold},
        named_household::restart_agents,
    },
};
use chrono::{TimeDelta, Utc};

/// The meeting in eight minutes, one that begins within it, a holiday, and ten o'clock on each of the next 100 days.
fn calendar() -> String {
    let at = |minutes| (Utc::now() + TimeDelta::minutes(minutes)).format("%Y%m%dT%H%M%SZ");
    let day = |days| (Utc::now() + TimeDelta::days(days)).format("%Y%m%d");
    let event = |uid: &str, lines: &str| {
        format!("BEGIN:VEVENT\nUID:{uid}\nDTSTAMP:20261101T000000Z\n{lines}\nEND:VEVENT\n")
    };
    let events = [
        event("demo", &format!("DTSTART:{}\nDTEND:{}\n{DEMO}", at(8), at(38))),
        event(
            "call",
            &format!(
                "DTSTART:{}\nDTEND:{}\nSUMMARY:Call the plumber about the boiler in the cellar",
                at(20),
                at(30)
            ),
        ),
        event("feast", &format!("DTSTART;VALUE=DATE:{}\nSUMMARY:Diwali", day(1))),
        event(
            "stand-up",
            &format!(
                "DTSTART:{}T100000\nDTEND:{}T101500\nRRULE:FREQ=DAILY;COUNT=100\nSUMMARY:Stand-up",
                day(-20),
                day(-20)
            ),
        ),
    ];
    format!(
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{}END:VCALENDAR\n",
        events.concat()
    )
    .replace('\n', "\r\n")
}

#[tokio::test]
async fn a_day_a_week_and_a_month_lead_to_their_events() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    house.write("home.ics", &calendar());
    let service = house.start();
    MeetingHousehold::event(&service);
    restart_agents(&service);
    service.until("the agenda", |service| {
        let (_, page) = service.request("GET", "/agenda", None);
        page.as_str()?.contains("Loom demo").then_some(())
    });
    let page = paired(&mut browser, DESK, &house.data(), &service).await;

    page.go("/brief").await.unwrap();
    is_there(&page, "#brief").await;
    click(&page, "a[href=\"/agenda\"]").await;
    page.until(
        "[...document.querySelectorAll('.agenda .clash bdi')].some((e) => e.textContent === 'Loom demo')",
    )
    .await
    .unwrap();
    is_there(&page, ".agenda .leave").await;
    look(&page, &axe, "period", "agenda-day").await;

    click(&page, ".periods a[href*=\"view=week\"]").await;
    page.until("document.querySelectorAll('.agenda-week section').length === 7")
        .await
        .unwrap();
    look(&page, &axe, "period", "agenda-week").await;

    click(&page, ".periods a[href*=\"view=month\"]").await;
    page.until("document.querySelectorAll('.agenda-month td').length === 42")
        .await
        .unwrap();
    look(&page, &axe, "period", "agenda-month").await;

    // A month on, beyond what Calendar keeps ready.
    click(&page, ".periods .turn a:last-child").await;
    page.until("document.querySelector('.agenda-month td:not(.other) > a')?.href.includes('view=day')")
        .await
        .unwrap();
    page.run("document.querySelectorAll('.agenda-month td:not(.other) > a')[9].click();")
        .await
        .unwrap();
    page.until("document.querySelector('.agenda .event bdi')?.textContent === 'Stand-up'")
        .await
        .unwrap();
    click(&page, ".agenda .event a.what").await;
    page.until("document.querySelector('#meeting-title')?.textContent === 'Stand-up'")
        .await
        .unwrap();
}

/// Types into the palette's field.
async fn type_in(page: &Page, text: &str) {
    let script = format!(
        "const field = document.querySelector('#palette input'); field.value = '{text}'; \
         field.dispatchEvent(new Event('input', {{ bubbles: true }}));"
    );
    page.run(&script).await.unwrap();
}

async fn press(page: &Page, key: &str, control: bool) {
    let script = format!(
        "(document.activeElement || document.body).dispatchEvent(new KeyboardEvent('keydown', \
         {{ key: '{key}', ctrlKey: {control}, bubbles: true, cancelable: true }}));"
    );
    page.run(&script).await.unwrap();
}

#[tokio::test]
async fn one_field_leads_to_a_page_a_day_and_a_person() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    let service = house.start();
    let event = MeetingHousehold::event(&service);
    MeetingHousehold::page(&service, &event, "<bdi>Asha Rao</bdi></a>");
    let page = paired(&mut browser, DESK, &house.data(), &service).await;
    is_there(&page, "#now").await;

    let first = "document.querySelector('#palette li:not([hidden])')";
    press(&page, "k", true).await;
    page.until("document.querySelector('#palette').open")
        .await
        .unwrap();
    type_in(&page, "asha").await;
    page.until(&format!("{first}?.textContent.includes('Asha Rao')"))
        .await
        .unwrap();
    look(&page, &axe, "palette", "palette").await;
    press(&page, "Enter", false).await;
    page.until("document.querySelector('#who-title')?.textContent === 'Asha Rao'")
        .await
        .unwrap();

    press(&page, "k", true).await;
    type_in(&page, "2026-12-03").await;
    page.until(&format!("{first}?.dataset.go === '/agenda?day=2026-12-03'"))
        .await
        .unwrap();
    type_in(&page, "nobody of that name").await;
    page.until("!document.querySelector('#palette .none').hidden")
        .await
        .unwrap();
    type_in(&page, "spend").await;
    press(&page, "Enter", false).await;
    page.until("location.pathname === '/money/spending'")
        .await
        .unwrap();
    is_there(&page, "#period").await;
    look(&page, &axe, "period", "spending-month").await;

    page.go("/").await.unwrap();
    is_there(&page, "#now").await;
    click(&page, "button[data-palette]").await;
    type_in(&page, "two hours").await;
    press(&page, "Enter", false).await;
    page.until("!!document.querySelector('[data-pause=\"off\"]')")
        .await
        .unwrap();
}
