//! The page Settings and the page that says whether all is well, as their owner uses them.
//!
//! What: a field is changed after its preview, a source is paused and gone on with, a way to the owner is tried, a backup is made and brought back, and Aura looks
//! after itself, in the browser that `aura` opened. Not here: who may do what (`surfaces/tests`), what a backup holds (`aura_memory::backup`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::axe,
    driver::Browser,
    first_day::{NewOwner, click, is_there},
    memory::{look, send, with_calendar},
    page::Page,
};
use std::fs;

/// Waits until an element's text has these words.
async fn says(page: &Page, id: &str, text: &str) {
    page.until(&format!(
        "(document.getElementById('{id}')?.textContent || '').includes('{text}')"
    ))
    .await
    .unwrap();
}

fn home(owner: &NewOwner) -> String {
    fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap()
}

#[tokio::test]
async fn field_is_changed_after_its_preview_and_a_source_is_paused_and_gone_on_with() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    page.run("for (const each of document.querySelectorAll('#more details')) each.open = true;")
        .await
        .unwrap();
    look(&page, &axe, "more", "settings-more").await;
    page.run("document.querySelector('[name=\"buffer_min\"]').value = '25';")
        .await
        .unwrap();
    click(&page, "#more [data-preview]").await;
    says(&page, "more-preview", "buffer_min = 25").await;
    look(&page, &axe, "more-preview", "settings-preview").await;
    assert!(!home(&owner).contains("buffer_min"));
    click(&page, "#more button.main").await;
    says(&page, "status", "Saved").await;
    page.until("document.querySelector('[name=\"buffer_min\"]')?.defaultValue === '25'")
        .await
        .unwrap();
    assert!(home(&owner).contains("buffer_min = 25"));

    click(&page, "#sources [data-pausing=\"pause\"]").await;
    is_there(&page, "#sources [data-pausing=\"resume\"]").await;
    says(&page, "sources", "is paused").await;
    look(&page, &axe, "sources", "settings-paused").await;
    click(&page, "#sources [data-pausing=\"resume\"]").await;
    is_there(&page, "#sources [data-pausing=\"pause\"]").await;
}

#[tokio::test]
async fn backup_is_made_and_brought_back_and_aura_says_whether_all_is_well() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    send(
        &page,
        "#notify form:has([value=\"speech\"])",
        "notify-speech",
        "Speaking is off",
    )
    .await;
    send(
        &page,
        "#notify form:has([value=\"watch\"])",
        "notify-watch",
        "not open anywhere",
    )
    .await;
    look(&page, &axe, "notify", "settings-notify").await;
    look(&page, &axe, "model", "settings-model").await;

    let folder = owner.at("Backups");
    fs::create_dir_all(&folder).unwrap();
    page.run(
        "const form = document.querySelector('#backup form'); form.elements.folder.value = '~/Backups'; \
         form.elements.passphrase.value = 'a long passphrase'; form.elements.repeated.value = 'a long passphrase';",
    )
    .await
    .unwrap();
    click(&page, "#backup form button").await;
    says(&page, "backup", "The backup is written and whole").await;
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    look(&page, &axe, "backup", "settings-backup").await;
    page.run("document.querySelector('#backup form[data-post=\"/form/backup/try\"]').elements.passphrase.value = 'a long passphrase';")
        .await
        .unwrap();
    click(&page, "#backup form[data-post=\"/form/backup/try\"] button").await;
    says(&page, "backup", "It can be brought back").await;
    look(&page, &axe, "backup", "settings-tried").await;

    page.go("/doctor").await.unwrap();
    click(&page, "main form button").await;
    page.until("document.getElementById('checks').textContent.length > 0")
        .await
        .unwrap();
    let text = page.text().await.unwrap();
    assert!(
        text.contains("as they should be") || text.contains("as it should be"),
        "{text}"
    );
    look(&page, &axe, "checks", "doctor").await;
}
