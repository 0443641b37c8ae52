//! An iPhone that sends its nights, and how far places are: small steps of the first days.
//!
//! What: the token and its picture on the page Devices; the question about a place that a calendar only names. Not here: what is read (`agents`), the
//! answers of the routes (`surfaces/tests`).

use crate::{
    access::{axe, look},
    driver::Browser,
    first_day::{NewOwner, click, is_there},
    page::shows,
};
use std::fs;

#[tokio::test]
async fn a_health_app_is_connected_by_a_picture_and_listed_as_a_device() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    owner.put(
        ".config/aura/home.toml",
        "zone = \"Europe/Berlin\"\n[web]\nhosts = [\"aura.example\"]\n",
    );
    let page = owner.opens(&mut browser).await;
    is_there(&page, "#live").await;
    page.go("/devices").await.unwrap();
    look(&page, &axe, "health", "health").await;
    click(&page, "[data-shows=\"/form/devices/health\"]").await;
    is_there(&page, "#health-shown svg.qr").await;
    shows(&page, "https://aura.example/v1/health-auto-export").await;
    look(&page, &axe, "health", "health-connected").await;
    page.go("/devices").await.unwrap();
    shows(&page, "Health Auto Export\nsends signals only").await;
    // The token is not shown again.
    assert!(!page.text().await.unwrap().contains("Bearer"));
}

#[tokio::test]
async fn a_kind_of_measurement_is_chosen_beside_the_others_and_counted_first() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    owner.put(".config/aura/home.toml", "zone = \"Europe/Berlin\"\n");
    let page = owner.opens(&mut browser).await;
    is_there(&page, "#live").await;
    page.go("/memory").await.unwrap();
    is_there(&page, "#forget select").await;
    page.run("document.querySelector('#forget select').value = 'sleep';")
        .await
        .unwrap();
    click(&page, "#forget form:has(select) button").await;
    shows(&page, "I keep nothing of that.").await;
    look(&page, &axe, "forget", "forget-kind").await;
}

/// An event a week at a place with a name alone, and one at each of two more.
const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n\
    BEGIN:VEVENT\r\nUID:1@example.org\r\nDTSTAMP:20200101T000000Z\r\nDTSTART:20200101T090000Z\r\nDTEND:20200101T100000Z\r\n\
    RRULE:FREQ=WEEKLY\r\nSUMMARY:Choir\r\nLOCATION:Parish hall\\, Lindenstr. 5\r\nEND:VEVENT\r\n\
    BEGIN:VEVENT\r\nUID:2@example.org\r\nDTSTAMP:20200101T000000Z\r\nDTSTART:20990101T093000Z\r\nDTEND:20990101T103000Z\r\n\
    SUMMARY:Dentist\r\nLOCATION:Dr. Weiss\r\nEND:VEVENT\r\n\
    BEGIN:VEVENT\r\nUID:3@example.org\r\nDTSTAMP:20200101T000000Z\r\nDTSTART:20990101T093000Z\r\nDTEND:20990101T103000Z\r\n\
    SUMMARY:Call\r\nLOCATION:https://meet.example.org/x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

#[tokio::test]
async fn a_place_is_asked_once_and_what_was_said_is_changed_where_it_was_said() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    owner.put("calendars/home.ics", CALENDAR);
    let calendar = owner.at("calendars/home.ics");
    owner.put(
        ".config/aura/home.toml",
        &format!("zone = \"Europe/Berlin\" # mine\n[sources]\ncalendar = [{calendar:?}]\n"),
    );
    let file = owner.at(".config/aura/home.toml");
    let page = owner.opens(&mut browser).await;
    is_there(&page, "#live").await;
    page.go("/welcome/4").await.unwrap();
    shows(&page, "How far is it from your home?").await;
    shows(&page, "Parish hall, Lindenstr. 5").await;
    let asked = page
        .run("return document.querySelectorAll('[data-place]').length;")
        .await
        .unwrap();
    assert_eq!(asked, 2, "a call over the network is no place");
    look(&page, &axe, "places", "places-asked").await;

    let choose = async |name: &str, minutes: &str| {
        let field = format!(
            "[...document.querySelectorAll('[data-places] label')].find((each) => each.textContent.includes('{name}')).querySelector('select')"
        );
        page.run(&format!(
            "{field}.value = '{minutes}'; {field}.closest('details')?.setAttribute('open', '');"
        ))
        .await
        .unwrap();
    };
    choose("Parish hall", "20").await;
    click(&page, "[data-answer-places]").await;
    shows(&page, "One place whose way you told").await;
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("zone = \"Europe/Berlin\" # mine\n")
            && text.contains("[calendar.places]\nlo_")
            && text.contains(" = 20\n"),
        "{text}"
    );
    assert!(
        !text.contains("Parish"),
        "no name of a place stands in the file: {text}"
    );
    look(&page, &axe, "places", "places-told").await;

    // Said otherwise, and then nothing any more.
    page.go("/settings").await.unwrap();
    shows(&page, "One place whose way you told").await;
    for (minutes, stands) in [("30", " = 30\n"), ("", "")] {
        choose("Parish hall", minutes).await;
        click(&page, "details [data-answer-places]").await;
        // The look is taken once more, and shows what stands in the file.
        page.until(&format!(
            "document.querySelector('[data-place][data-was=\"{minutes}\"]') && {}",
            if minutes.is_empty() {
                "!document.body.innerText.includes('whose way you told')"
            } else {
                "true"
            }
        ))
        .await
        .unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let is_right = if stands.is_empty() {
            !text.contains("lo_")
        } else {
            text.contains(stands)
        };
        assert!(is_right, "{minutes}: {text}");
    }
}
