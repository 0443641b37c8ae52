//! The page Settings and the page that says whether all is well, as their owner uses them.
//!
//! What: a field is changed after its preview, a source is paused and gone on with, a way to the owner is tried, a backup is made and brought back, and Aura looks
//! after itself, in the browser that `aura` opened. Not here: who may do what (`surfaces/tests`), what a backup holds (`aura_memory::backup`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::Browser,
    first_day::{NewOwner, click, is_there, type_into},
    memory::{send, with_calendar},
    page::says,
    support::wait::exit_within,
};
use fantoccini::Locator;
use std::{fs, time::Duration};

fn home(owner: &NewOwner) -> String {
    fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap()
}

#[tokio::test]
async fn field_is_changed_after_its_preview_and_a_source_is_paused_and_gone_on_with() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    // One hour alone is refused before it is sent, and the empty field has the focus.
    page.run("document.querySelector('#quiet input').value = '22:00';")
        .await
        .unwrap();
    click(&page, "#settings form[data-settings] button.main").await;
    says(&page, "status", "Fill in both hours").await;
    page.until("document.activeElement === document.querySelectorAll('#quiet input')[1]")
        .await
        .unwrap();
    assert!(!home(&owner).contains("22:00"));
    page.run("document.querySelector('#quiet input').value = '';")
        .await
        .unwrap();
    // A rule is taken back where it is told.
    page.run(
        "const form = document.querySelector('form[data-rule]'); form.elements.kind.value = 'NAP_15'; form.requestSubmit();",
    )
    .await
    .unwrap();
    is_there(&page, "#rules [data-unrule]").await;
    click(&page, ".notice [data-undo-act]").await;
    is_there(&page, "#rules:not(:has([data-unrule]))").await;

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
    // The page has looked again: it shows what the file says now, and knows that it does.
    is_there(&page, "#more [data-undo]").await;
    assert!(home(&owner).contains("buffer_min = 25"));
    // What its sources hold is told behind it: a button that moves under a tap is missed.
    page.until("!document.querySelector('[data-look]:not([data-done])')")
        .await
        .unwrap();

    page.run(
        "window.heard = []; const status = document.getElementById('status'); \
         new MutationObserver(() => heard.push(status.textContent)).observe(status, { childList: true });",
    )
    .await
    .unwrap();
    click(&page, "#sources [data-pausing=\"pause\"]").await;
    is_there(&page, "#sources [data-pausing=\"resume\"]").await;
    says(&page, "sources", "is paused").await;
    says(&page, "status", "Saved").await;
    // Aura started anew meanwhile, as she was told: the connection that was cut for a moment frightened nobody.
    let heard = page.run("return heard.join(' | ');").await.unwrap();
    assert!(!heard.as_str().unwrap().contains("Not connected"), "{heard}");
    look(&page, &axe, "sources", "settings-paused").await;
    click(&page, "#sources [data-pausing=\"resume\"]").await;
    is_there(&page, "#sources [data-pausing=\"pause\"]").await;
}

#[tokio::test]
async fn question_about_a_statement_is_gone_from_each_open_page_once_it_is_answered() {
    let mut browser = Browser::start().unwrap();
    let owner = NewOwner::new();
    // Of the sign and the order of day and month the file says nothing.
    owner.put(
        "Bank/may.csv",
        "Date,Payee,Amount EUR\n05/10/2026,Corner shop,12.50\n07/10/2026,Corner shop,3.50\n",
    );
    let page = with_calendar(&owner, &mut browser).await;
    page.run(
        "const form = document.querySelector('.by-path form'); form.elements.list.value = 'finance'; \
         form.elements.path.value = '~/Bank'; form.requestSubmit();",
    )
    .await
    .unwrap();
    is_there(&page, "#by-path [data-look][data-done]").await;
    page.run(
        "document.querySelector('#by-path [data-allow]').click(); document.querySelector('#by-path').closest('form').requestSubmit();",
    )
    .await
    .unwrap();
    is_there(&page, "#sources .flag").await;
    let other = owner.opens(&mut browser).await;
    other.until_paired().await;
    other.go("/settings").await.unwrap();
    for open in [&page, &other] {
        is_there(open, "#sources [data-csv]").await;
    }
    let told = other.text().await.unwrap();
    assert!(!told.contains("This statement is read already."), "{told}");

    // On one page she has begun to answer when she answers on the other.
    click(&other, "#sources [data-ask=\"money_out\"] [value=\"true\"]").await;
    for ask in ["money_out", "day_first"] {
        click(&page, &format!("#sources [data-ask=\"{ask}\"] [value=\"true\"]")).await;
    }
    click(&page, "#sources [data-answer-csv]").await;
    for open in [&page, &other] {
        open.until("document.querySelector('#sources') && !document.querySelector('#sources :is(.flag, [data-csv])')")
            .await
            .unwrap();
        says(open, "sources", "2 payments").await;
    }
}

#[tokio::test]
async fn other_settings_are_tried_on_the_last_days_and_saved_where_they_were_tried() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    click(
        &page,
        "#settings ~ .more a[href=\"/month\"], #settings a[href=\"/month\"]",
    )
    .await;
    is_there(&page, "#month").await;
    page.run("document.querySelector('[name=\"ceiling\"]').value = '1';")
        .await
        .unwrap();
    click(&page, "#month [data-path]").await;
    is_there(&page, "#month-tried p").await;
    look(&page, &axe, "live", "month").await;
    assert!(!home(&owner).contains("ceiling = 1"));
    click(&page, "#month [type=submit]").await;
    says(&page, "status", "Saved").await;
    assert!(home(&owner).contains("ceiling = 1"));

    // Less of one kind, kept by a tap, and as usual again by another.
    page.go("/month").await.unwrap();
    page.run(
        "const form = document.querySelector('#kind form[data-post]'); form.elements.kind.value = 'DRAFT_REPLY'; \
         form.elements.wish.value = 'less';",
    )
    .await
    .unwrap();
    click(&page, "#kind form[data-post] [type=submit]").await;
    is_there(&page, "#kind-tried form[data-settings] button").await;
    look(&page, &axe, "kind", "month-kind-less").await;
    assert!(!home(&owner).contains("DRAFT_REPLY"));
    click(&page, "#kind-tried form[data-settings] button").await;
    says(&page, "kind", "Less: Draft a reply").await;
    assert!(home(&owner).contains("DRAFT_REPLY = \"less\""));
    look(&page, &axe, "kind", "month-kind-kept").await;
    click(&page, "#kind ul form[data-settings] button").await;
    page.until("!document.querySelector('#kind').textContent.includes('Less: Draft a reply')")
        .await
        .unwrap();
    assert!(home(&owner).contains("DRAFT_REPLY = \"usual\""));
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
         form.elements.passphrase.value = 'a long passphrase'; form.elements.repeated.value = 'a long passphrase'; \
         form.elements.again.value = 'weekly';",
    )
    .await
    .unwrap();
    click(&page, "#backup form button").await;
    says(&page, "backup", "The backup is written").await;
    says(&page, "backup", "One is made every week in ~/Backups.").await;
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    look(&page, &axe, "backup", "settings-backup").await;
    page.run("document.querySelector('#backup form[data-post=\"/form/backup/try\"]').elements.passphrase.value = 'a long passphrase';")
        .await
        .unwrap();
    click(&page, "#backup form[data-post=\"/form/backup/try\"] button").await;
    says(&page, "backup", "It can be brought back").await;
    look(&page, &axe, "backup", "settings-tried").await;
    click(&page, "#backup form[data-post=\"/form/backup/end\"] button").await;
    page.until("!document.querySelector('#backup').textContent.includes('every week in')")
        .await
        .unwrap();

    page.go("/doctor").await.unwrap();
    click(&page, "main form button").await;
    page.until("document.getElementById('checks').textContent.length > 0")
        .await
        .unwrap();
    let text = page.text().await.unwrap();
    assert!(text.contains("All is well."), "{text}");
    look(&page, &axe, "checks", "doctor").await;
}

#[tokio::test]
async fn recovery_sheet_is_shown_once_and_the_key_moves_while_the_page_goes_on() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    says(&page, "key", "There is no recovery sheet").await;
    send(
        &page,
        "form[data-post=\"/form/key/sheet\"]",
        "key-sheet",
        "Recovery sheet of Aura",
    )
    .await;
    // What stands above it is true at once.
    says(&page, "key", "There is a recovery sheet").await;
    look(&page, &axe, "key-sheet", "settings-sheet").await;
    let code = "return document.querySelector('.sheet .code').textContent;";
    let code = page.run(code).await.unwrap();
    assert_eq!(code.as_str().unwrap().len(), 29);
    // While Aura takes settings up, and after it to a page from before it, it answers so; the page asks again.
    let said = page.console().await.unwrap();
    let is_told = |line: &String| line.contains("503") || line.contains("/form/sources/look - Failed");
    assert!(said.iter().all(is_told), "{said:?}");

    // On paper there is the sheet alone.
    page.devtools(
        "Emulation.setEmulatedMedia",
        serde_json::json!({ "media": "print" }),
    )
    .await
    .unwrap();
    let printed = page.text().await.unwrap();
    assert!(
        printed.contains("Recovery sheet of Aura") && !printed.contains("Interruptions"),
        "{printed}"
    );
    page.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "" }))
        .await
        .unwrap();

    page.go("/settings").await.unwrap();
    says(&page, "key", "There is a recovery sheet").await;
    assert!(!page.text().await.unwrap().contains(code.as_str().unwrap()));
    fs::create_dir_all(owner.at("stick")).unwrap();
    page.run(
        "document.querySelector('#key details').open = true; \
         document.querySelector('#key [name=\"file\"]').value = '~/stick/aura.key';",
    )
    .await
    .unwrap();
    look(&page, &axe, "key", "settings-key").await;
    click(&page, "#key form:has([name=\"file\"]) button").await;
    says(&page, "key", "stick/aura.key").await;
    says(&page, "key", "There is no recovery sheet").await;
    assert_eq!(fs::metadata(owner.at("stick/aura.key")).unwrap().len(), 32);
    look(&page, &axe, "key", "settings-key-moved").await;

    // What was typed for it does not keep the page from going on.
    page.run(
        "document.querySelector('#key details').open = true; \
         for (const name of ['passphrase', 'repeated']) \
           document.querySelector(`#key [name=\"${name}\"]`).value = 'plum orbit candle seventeen';",
    )
    .await
    .unwrap();
    click(&page, "#key form:has([name=\"repeated\"]) button").await;
    says(&page, "key", "It is made from your passphrase").await;

    // From her programs, without a terminal, it is asked for on a page, and the browser goes on by itself.
    owner.stops();
    let (mut started, address) = owner.starts_from_her_programs();
    page.window.goto(&address).await.unwrap();
    for words in ["plum orbit candle eighteen", "plum orbit candle seventeen"] {
        type_into(&page, "passphrase", words).await;
        page.window
            .find(Locator::Css("form button"))
            .await
            .unwrap()
            .click()
            .await
            .unwrap();
        if words.ends_with("eighteen") {
            page.until("document.body.textContent.includes('That is not the passphrase.')")
                .await
                .unwrap();
        }
    }
    // It was never through the welcome.
    is_there(&page, ".welcome #live").await;
    assert!(exit_within(&mut started, Duration::from_secs(20)).success());
}
