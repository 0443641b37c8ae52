//! First days that go otherwise: with a calendar alone, with nothing, with wrong files, with a configuration from before.
//!
//! What: what the pages say, and that each leads on. Why: most first days are not the one that was thought of. Not here: the whole way (`first_day`), the
//! way to a first card (`first_card`).

use crate::{
    access::{axe, look},
    driver::Browser,
    first_day::{CALENDAR, NewOwner, click, is_there, type_into},
    page::{Page, shows},
};
use chrono::Datelike as _;
use fantoccini::Locator;
use serde_json::json;
use std::{fs, time::SystemTime};

/// Goes on to the welcome's screen of that number, which is the next.
async fn go_on_to(page: &Page, number: u8) {
    click(page, &format!("[data-welcome=\"{number}\"]")).await;
    is_there(page, &format!(".welcome progress[value=\"{number}\"]")).await;
}

/// The page that Aura opens, at the screen of the sources.
pub(crate) async fn at_sources(owner: &NewOwner, browser: &mut Browser) -> Page {
    let page = owner.opens(browser).await;
    is_there(&page, ".welcome progress[value=\"1\"]").await;
    go_on_to(&page, 2).await;
    go_on_to(&page, 3).await;
    page
}

#[tokio::test]
async fn a_calendar_alone_is_read_on_the_open_page_and_the_last_screen_says_what_would_help() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    owner.put(".calendars/home/events.ics", CALENDAR);
    let page = at_sources(&owner, &mut browser).await;
    page.run("window.is_still_open = true;").await.unwrap();
    click(&page, "[data-allow=\"calendar\"]").await;
    click(&page, "form[data-allows] button.main").await;
    page.until("window.is_still_open && document.getElementById('reading').textContent.includes('2 events')")
        .await
        .unwrap();
    look(&page, &axe, "live", "calendar-read").await;
    for number in [4, 5, 6] {
        go_on_to(&page, number).await;
    }
    shows(&page, "With your mail I can tell you who waits for an answer.").await;
    click(&page, "button[data-tick]").await;
    page.until("document.querySelector('#now h2')").await.unwrap();
    look(&page, &axe, "live", "calendar-card").await;
}

#[tokio::test]
async fn with_nothing_every_page_says_what_would_fill_it() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = at_sources(&owner, &mut browser).await;
    shows(&page, "Nothing was found in the usual places").await;
    look(&page, &axe, "live", "nothing-found").await;
    for number in [4, 5, 6] {
        go_on_to(&page, number).await;
    }
    shows(&page, "I may read nothing yet").await;
    is_there(&page, "a[href=\"/welcome/3\"]").await;
    look(&page, &axe, "live", "nothing-last").await;
    click(&page, "button.main[data-welcome]").await;
    is_there(&page, "#attention").await;
    for path in ["/", "/brief", "/chats", "/money", "/body", "/memory", "/settings"] {
        page.go(path).await.unwrap();
        is_there(&page, "main").await;
        if path == "/" {
            is_there(&page, "#now a.main[href=\"/settings#sources\"]").await;
        }
        let name = path.trim_start_matches('/');
        let name = if name.is_empty() { "now" } else { name };
        look(&page, &axe, "live", &format!("nothing-{name}")).await;
    }
}

#[tokio::test]
async fn a_wrong_file_of_each_kind_is_told_what_to_choose_in_its_place() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let folder = owner.at("Papers");
    fs::create_dir_all(&folder).unwrap();
    let entry = |flags: u8, name: &str| [b"PK\x03\x04\x14\0", &[flags, 0][..], name.as_bytes()].concat();
    let files: [(&str, Vec<u8>); 8] = [
        ("photo.jpg", b"\xFF\xD8\xFF\xE0".to_vec()),
        ("sheet.xlsx", entry(0, "xl/workbook.xml")),
        ("letter.pdf", b"%PDF-1.7\n".to_vec()),
        ("health.zip", entry(1, "Takeout/sleep.json")),
        ("broken.ics", b"this is no calendar".to_vec()),
        ("empty.csv", Vec::new()),
        ("noise.csv", vec![0x80; 4096]),
        ("broken.ofx", b"OFXHEADER:100\n".to_vec()),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let page = at_sources(&owner, &mut browser).await;
    click(&page, "[data-folder=\"\"]").await;
    click(&page, "[data-folder=\"Papers\"]").await;
    for text in [
        "photo.jpg: This is a picture, and I read none.",
        "sheet.xlsx: This is a spreadsheet. Save it as CSV",
        "letter.pdf: This is a document, and I read none.",
        "This archive is locked with a password.",
        "No event found there.",
        "No payment found there.",
    ] {
        shows(&page, text).await;
    }
    page.until("!document.querySelector('[data-look]:not([data-done])')")
        .await
        .unwrap();
    look(&page, &axe, "picker", "wrong-files").await;

    // Allowed all the same, it is said what is missing for a card.
    click(&page, "#picker [data-allow=\"calendar\"]").await;
    click(&page, "form:has(#picker) button[type=\"submit\"]").await;
    shows(&page, "There is no event that I can read.").await;
    look(&page, &axe, "live", "wrong-allowed").await;
}

/// A configuration as somebody wrote it by hand for an earlier Aura.
const EARLIER: &str = "# Mine. Do not sort!\n\
    ceiling   = 2   # two are plenty\n\
    zone='Europe/Berlin'\n\n\
    # names=[\"not this line\"]\n\
    names = [ \"Anna\",   # that is me\n  \"Anna K\" ]\n\n\
    [calendar]  # how I travel\n\
    default_mode = \"bike\" # always\n\n\
    [sources]\n\
    calendar = [\n  \"~/old\", # gone since 2024\n]\n";

#[tokio::test]
async fn an_earlier_configuration_is_changed_by_form_with_its_comments_intact() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let home = owner.at(".config/aura/home.toml");
    let earlier = EARLIER.replace("~/old", owner.at("old").to_str().unwrap());
    owner.put(".config/aura/home.toml", &earlier);
    let page = owner.opens(&mut browser).await;
    is_there(&page, "#live").await;
    page.go("/settings").await.unwrap();
    is_there(&page, "#settings form").await;
    let text = || fs::read_to_string(&home).unwrap();
    assert_eq!(text(), earlier, "to open it changes nothing");
    shows(&page, "is not there: moved, or on a disk that is not connected").await;
    look(&page, &axe, "settings", "earlier-file").await;

    type_into(&page, "ceiling", "4").await;
    click(&page, "#settings button.main").await;
    page.until("document.querySelector('#settings [data-undo]')")
        .await
        .unwrap();
    let ceiling = earlier.replace("ceiling   = 2 ", "ceiling   = 4 ");
    assert_eq!(text(), ceiling);
    page.run("for (const each of document.querySelectorAll('#more details')) each.open = true;")
        .await
        .unwrap();
    // Aura takes the change up, and the form is drawn anew: nothing is answered before that.
    page.run("document.querySelector('[name=\"calendar.default_mode\"]').value = 'walk'; document.querySelector('#more form').dataset.before = '';")
        .await
        .unwrap();
    click(&page, "#more button.main").await;
    page.until("document.querySelector('#more form:not([data-before]) [name=\"calendar.default_mode\"]')?.dataset.was === 'walk'")
        .await
        .unwrap();
    assert_eq!(
        text(),
        ceiling.replace(
            "default_mode = \"bike\" # always",
            "default_mode = \"walk\" # always"
        )
    );
    click(&page, "#more [data-undo]").await;
    page.until("document.querySelector('[name=\"calendar.default_mode\"]').dataset.was === 'bike'")
        .await
        .unwrap();
    assert_eq!(text(), ceiling);
}

/// Drops files and folders of this computer on the page, as a file manager does.
pub(crate) async fn drop_on(page: &Page, paths: &[&str]) {
    let place = "const at = document.querySelector('[data-drops]'); at.scrollIntoView({ block: 'center' }); \
        const box = at.getBoundingClientRect(); return [Math.round(box.x + box.width / 2), Math.round(box.y + 20)];";
    let at = page.run(place).await.unwrap();
    for kind in ["dragEnter", "dragOver", "drop"] {
        let event = json!({
            "type": kind, "x": at[0], "y": at[1],
            "data": { "items": [], "files": paths, "dragOperationsMask": 1 },
        });
        page.devtools("Input.dispatchDragEvent", event).await.unwrap();
    }
}

#[tokio::test]
async fn dropped_files_are_looked_into_read_once_and_kept_nowhere() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let today = chrono::DateTime::<chrono::Utc>::from(SystemTime::now()).date_naive();
    let lately = today.with_day(1).and_then(|first| first.pred_opt()).unwrap();
    let month = lately.format("%m/%Y");
    // Of the sign and the order of day and month the file says nothing.
    owner.put(
        "stick/May.csv",
        &format!("Date,Payee,Amount EUR\n05/{month},Corner shop,12.50\n07/{month},Corner shop,3.50\n"),
    );
    owner.put(
        "stick/June.csv",
        &format!("Date,Payee,Debit EUR,Credit EUR\n13/{month},Corner shop,7.50,\n14/{month},Baker,2.50,\n"),
    );
    let span = lately.format("2 payments, 13 %b to 14 %b %Y.").to_string();
    owner.put("stick/home.ics", CALENDAR);
    fs::write(owner.at("stick/photo.jpg"), b"\xFF\xD8\xFF\xE0").unwrap();
    fs::create_dir_all(owner.at("many")).unwrap();
    for n in 0..10_000 {
        fs::write(owner.at(&format!("many/{n}.csv")), "").unwrap();
    }
    let at = |path: &str| owner.at(path).to_str().unwrap().to_owned();
    let page = at_sources(&owner, &mut browser).await;
    drop_on(&page, &[&at("many")]).await;
    shows(&page, "That is a folder. Choose it under “Show my folders”").await;

    drop_on(
        &page,
        &[
            &at("stick/photo.jpg"),
            &at("stick/home.ics"),
            &at("stick/June.csv"),
        ],
    )
    .await;
    shows(&page, "This is a picture, and I read none.").await;
    shows(&page, "A calendar changes, and I read it where it changes.").await;
    shows(&page, &span).await;
    look(&page, &axe, "dropped", "dropped").await;
    let home = fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap();
    click(&page, ".drops button[type=\"submit\"]").await;
    shows(&page, "June.csv: I have read it, and kept no copy.").await;
    shows(&page, "2 payments").await;
    assert_eq!(
        fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap(),
        home
    );

    // By the button, with questions that are asked first.
    let chosen = page.window.find(Locator::Css("[data-drop-input]")).await.unwrap();
    chosen.send_keys(&at("stick/May.csv")).await.unwrap();
    shows(&page, "The file does not say everything.").await;
    click(&page, "#dropped [data-ask=\"money_out\"] [value=\"true\"]").await;
    click(&page, "#dropped [data-ask=\"day_first\"] [value=\"true\"]").await;
    look(&page, &axe, "dropped", "dropped-asks").await;
    click(&page, "#dropped [data-answer-csv]").await;
    shows(&page, "May.csv: I have read it, and kept no copy.").await;
    shows(&page, "4 payments").await;
    look(&page, &axe, "live", "dropped-read").await;
    let home = fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap();
    assert!(
        home.contains("[[finance.csv]]") && !home.contains("aura-dropped"),
        "{home}"
    );
}

/// How fast the browser may send, in bytes a second; `None`: as fast as it can.
async fn sends_at(page: &Page, rate: Option<u32>) {
    page.devtools("Network.enable", json!({})).await.unwrap();
    let rate = rate.map_or(-1, i64::from);
    let conditions =
        json!({ "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": rate });
    page.devtools("Network.emulateNetworkConditions", conditions)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_file_on_its_way_has_a_bar_says_how_far_it_is_and_is_stopped_by_the_keyboard() {
    let mut browser = Browser::start().unwrap();
    let owner = NewOwner::new();
    let lines = "13/10/2026,Corner shop,7.50,\n".repeat(400_000);
    owner.put(
        "stick/Long.csv",
        &format!("Date,Payee,Debit EUR,Credit EUR\n{lines}"),
    );
    let long = owner.at("stick/Long.csv").to_str().unwrap().to_owned();
    let page = at_sources(&owner, &mut browser).await;
    let choose = async || {
        let input = page.window.find(Locator::Css("[data-drop-input]")).await.unwrap();
        input.send_keys(&long).await.unwrap();
    };
    let bar = "document.querySelector('[data-travel] progress')";

    // 11.6 MB at half a megabyte a second; a request has 10 s.
    sends_at(&page, Some(500_000)).await;
    choose().await;
    page.until(&format!(
        "{bar}.value > 1e6 && {bar}.getAttribute('aria-valuetext').endsWith(' of 12 MB')"
    ))
    .await
    .unwrap();
    page.run("document.querySelector('[data-travel-cancel]').focus();")
        .await
        .unwrap();
    let cancel = page
        .window
        .find(Locator::Css("[data-travel-cancel]"))
        .await
        .unwrap();
    cancel.send_keys("\u{e007}").await.unwrap();
    shows(&page, "Stopped. I keep nothing of “Long.csv”.").await;
    page.until("document.querySelector('[data-travel]').hidden && document.activeElement.matches('[data-drop-input]')")
        .await
        .unwrap();

    sends_at(&page, None).await;
    choose().await;
    is_there(&page, "#dropped > li").await;
    page.until("document.querySelector('[data-travel]').hidden")
        .await
        .unwrap();
}
