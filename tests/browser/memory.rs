//! The page Memory, as its owner uses it: looking for something, forgetting it and a kind, taking a copy.
//!
//! What: a calendar is allowed, found by a name in it, counted, called off and forgotten on one open page; a copy is looked at and saved. Not here: a day
//! (`forget`), what goes (`tests/integration/deletion.rs`), what a copy holds (`aura_memory::export`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::Browser,
    first_day::{CALENDAR, NewOwner, click, is_there},
    page::Page,
};

/// Sends the form that is found so, and waits until the block it fills says something.
pub(crate) async fn send(page: &Page, form: &str, into: &str, text: &str) {
    click(page, &format!("{form} button")).await;
    page.until(&format!(
        "document.getElementById('{into}').textContent.includes('{text}')"
    ))
    .await
    .unwrap();
}

/// A browser that Aura opened, with one calendar that was read.
pub(crate) async fn with_calendar(owner: &NewOwner, browser: &mut Browser) -> Page {
    owner.put(".calendars/home/events.ics", CALENDAR);
    let page = owner.opens(browser).await;
    is_there(&page, ".welcome progress[value=\"1\"]").await;
    page.go("/settings").await.unwrap();
    click(&page, "[data-allow=\"calendar\"]").await;
    click(&page, "form[data-allows] button.main").await;
    is_there(&page, "#sources [data-pausing=\"pause\"]").await;
    // By itself, on the page that is open.
    page.until("document.getElementById('reading').textContent.includes('2 events')")
        .await
        .unwrap();
    page
}

#[tokio::test]
async fn something_is_found_by_its_name_counted_and_forgotten_and_a_copy_is_saved() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    page.go("/memory").await.unwrap();
    look(&page, &axe, "find", "memory-page").await;

    page.run(
        "const form = document.querySelector('#find form'); form.elements.kind.value = 'events'; form.elements.name.value = 'stand';",
    )
    .await
    .unwrap();
    send(&page, "#find form", "found", "Standup").await;
    assert!(!page.text().await.unwrap().contains("Dentist"));
    look(&page, &axe, "find", "memory-found").await;

    send(&page, "#found form", "forget-look", "With Standup this would go").await;
    send(&page, "#forget-look form", "forget-look", "In ten seconds").await;
    look(&page, &axe, "forget", "memory-waits").await;
    send(&page, "#forget-look form", "forget-look", "Nothing was forgotten").await;
    // The whole kind, to its end.
    page.run("document.querySelector('#forget select').value = 'events';")
        .await
        .unwrap();
    send(
        &page,
        "#forget form:has(select)",
        "forget-look",
        "With all events of the calendar this would go",
    )
    .await;
    send(&page, "#forget-look form", "forget-look", "In ten seconds").await;
    page.until("document.getElementById('forget-look').textContent.includes('All events of the calendar are forgotten')")
        .await
        .unwrap();
    look(&page, &axe, "forget", "memory-gone").await;
    page.run("document.querySelector('#find form').elements.kind.value = 'events';")
        .await
        .unwrap();
    send(&page, "#find form", "found", "I remember nothing of that name").await;

    send(&page, "#copy form", "copy-look", "How the file begins").await;
    look(&page, &axe, "copy", "memory-copy").await;
    click(&page, "#copy-look form button").await;
    page.until("document.getElementById('status').textContent.includes('downloads')")
        .await
        .unwrap();
}
