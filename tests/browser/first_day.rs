//! The first day, lived in the browser that Aura opened: from an empty home folder to the page Now.
//!
//! What: `aura` is typed once; everything after it is clicked and typed in the page. Why: what a new owner meets is all of it together, with a
//! service that starts anew under her page. Not here: each screen's words and who may do what (`surfaces/tests`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures of each screen, `AURA_TESTED` an installed program in the place of this build's (docs/install.md).

use crate::{
    access::{axe, draw_for_documents, look_like, wrong},
    driver::{Browser, DESK, NARROW, PHONE},
    page::Page,
    support::wait::until,
};
use fantoccini::Locator;
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

/// Two events a day, from 2020 on, which clash.
pub(crate) const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n\
    BEGIN:VEVENT\r\nUID:1@example.org\r\nDTSTAMP:20200101T000000Z\r\nDTSTART:20200101T090000Z\r\nDTEND:20200101T100000Z\r\n\
    RRULE:FREQ=DAILY\r\nSUMMARY:Standup\r\nEND:VEVENT\r\n\
    BEGIN:VEVENT\r\nUID:2@example.org\r\nDTSTAMP:20200101T000000Z\r\nDTSTART:20200101T093000Z\r\nDTEND:20200101T103000Z\r\n\
    RRULE:FREQ=DAILY\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// What is typed as `aura`.
fn tested_program() -> PathBuf {
    std::env::var_os("AURA_TESTED").map_or_else(|| env!("CARGO_BIN_EXE_aura").into(), PathBuf::from)
}

/// A home folder with nothing of Aura's in it.
pub(crate) struct NewOwner(TempDir);

impl NewOwner {
    pub(crate) fn new() -> Self {
        let owner = Self(tempfile::tempdir().unwrap());
        let browser = owner.at("browser");
        let noted = owner.at("noted");
        fs::write(
            &browser,
            format!("#!/bin/sh\necho \"$1\" > '{}'\n", noted.display()),
        )
        .unwrap();
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o700)).unwrap();
        owner
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Types `aura …` where a screen is, and gives the address that the browser is opened with.
    fn types(&self, args: &[&str]) -> String {
        let done = Command::new(tested_program())
            .args(args)
            .env_clear()
            .env("HOME", self.0.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("AURA_PORT", "0")
            .env("DISPLAY", ":0")
            .env("BROWSER", self.at("browser"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        fs::read_to_string(self.at("noted"))
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    /// Ends the service.
    pub(crate) fn stops(&self) {
        self.types(&["stop"]);
    }

    /// Starts Aura as a desktop does, without a terminal, and gives the address that the browser is opened with.
    pub(crate) fn starts_from_her_programs(&self) -> (Child, String) {
        let noted = self.at("noted");
        let _ = fs::remove_file(&noted);
        let started = Command::new("setsid")
            .args(["--wait", env!("CARGO_BIN_EXE_aura")])
            .env_clear()
            .env("HOME", self.0.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("AURA_PORT", "0")
            .env("DISPLAY", ":0")
            .env("BROWSER", self.at("browser"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let address = until("the page that is opened", || {
            let noted = fs::read_to_string(&noted).ok()?;
            (!noted.is_empty()).then(|| noted.trim().to_owned())
        });
        (started, address)
    }

    /// The page that `aura` opens.
    pub(crate) async fn opens(&self, browser: &mut Browser) -> Page {
        let address = url::Url::parse(&self.types(&[])).unwrap();
        let base = address.origin().ascii_serialization();
        let page = Page::open(browser, PHONE, &base).await.unwrap();
        page.go(&format!("/pair#{}", address.fragment().unwrap()))
            .await
            .unwrap();
        page
    }
}

impl Drop for NewOwner {
    fn drop(&mut self) {
        // A test that failed leaves no service behind.
        let _ = Command::new(tested_program())
            .arg("stop")
            .env("HOME", self.0.path())
            .output();
    }
}

pub(crate) async fn is_there(page: &Page, selector: &str) {
    // By a script that goes on in the page that comes, where this one is loaded anew meanwhile.
    let found = page.until(&format!("document.querySelector({selector:?})")).await;
    assert!(found.is_ok(), "no {selector}: {found:?}");
}

pub(crate) async fn click(page: &Page, selector: &str) {
    // As a person scrolls: a bar at the window's end is over what chromedriver takes to be in view.
    let center = format!("document.querySelector({selector:?})?.scrollIntoView({{ block: 'center' }});");
    loop {
        is_there(page, selector).await;
        // While Aura takes settings up a page's buttons wait; nobody taps them then.
        page.until(&format!(
            "document.querySelector({selector:?}) && !document.querySelector({selector:?}).disabled"
        ))
        .await
        .unwrap();
        page.run(&center).await.unwrap();
        let clicked = match page.window.find(Locator::Css(selector)).await {
            Ok(found) => found.click().await,
            Err(error) => Err(error),
        };
        match clicked {
            Ok(()) => return,
            // The page drew it anew in between: a finger would hit the new one.
            Err(error) if error.is_stale_element_reference() || error.is_no_such_element() => {}
            Err(error) => panic!("no click on {selector}: {error}"),
        }
    }
}

pub(crate) async fn type_into(page: &Page, name: &str, text: &str) {
    let field = page
        .window
        .find(Locator::Css(&format!("[name=\"{name}\"]")))
        .await
        .unwrap();
    field.clear().await.unwrap();
    field.send_keys(text).await.unwrap();
}

/// Waits for a screen, and looks at it as everybody must be able to.
async fn screen(page: &Page, axe: &str, number: u8) {
    is_there(page, &format!(".welcome progress[value=\"{number}\"]")).await;
    let pictures = std::env::var_os("AURA_WELCOME_PICTURES");
    for (size, scheme) in [
        (NARROW, "light"),
        (NARROW, "dark"),
        (PHONE, "light"),
        (DESK, "light"),
        (DESK, "dark"),
    ] {
        look_like(page, size, scheme).await;
        let wrong = wrong(page, axe, size).await;
        assert_eq!(wrong, Vec::<String>::new(), "screen {number}, {size:?} {scheme}");
        if let Some(folder) = &pictures {
            let name = format!("welcome-{number}-{}-{scheme}.png", size.width);
            fs::write(
                Path::new(folder).join(name),
                page.window.screenshot().await.unwrap(),
            )
            .unwrap();
        }
    }
    // Those of docs/guides/first-day-in-pictures.md.
    if matches!(number, 1 | 3 | 6) {
        draw_for_documents(page, &format!("welcome-{number}"), PHONE, "light").await;
    }
    look_like(page, PHONE, "light").await;
}

/// Goes on by the keyboard alone: to the button that goes on, and Enter.
async fn go_on_by_keys(page: &Page) {
    for _ in 0..20 {
        page.keys("\u{e004}").await.unwrap();
        let is_it = page
            .run("return document.activeElement.matches('button.main[data-welcome]');")
            .await
            .unwrap();
        if is_it == Value::Bool(true) {
            return page.keys("\u{e007}").await.unwrap();
        }
    }
    panic!("the button that goes on cannot be reached by the keyboard");
}

#[tokio::test]
async fn from_an_empty_home_folder_to_the_page_now_without_a_terminal() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    owner.put(".calendars/home/events.ics", CALENDAR);
    for folder in ["Maildir/cur", "Maildir/new", "Maildir/tmp"] {
        fs::create_dir_all(owner.at(folder)).unwrap();
    }
    let page = owner.opens(&mut browser).await;

    screen(&page, &axe, 1).await;
    go_on_by_keys(&page).await;
    screen(&page, &axe, 2).await;
    click(&page, "button.main[data-welcome]").await;

    // What she left is where she comes back to.
    is_there(&page, ".welcome progress[value=\"3\"]").await;
    page.go("/").await.unwrap();
    screen(&page, &axe, 3).await;
    for path in [".calendars", "Maildir"] {
        click(&page, &format!("[data-allow][data-path$=\"/{path}\"]")).await;
    }
    click(&page, "form[data-allows] button.main").await;
    // The machine starts anew under the page, which says then what is read.
    page.until("document.querySelectorAll('#live > .rows li').length === 2")
        .await
        .unwrap();
    assert!(!page.text().await.unwrap().contains("that is not read already\n"));
    click(&page, "button.main[data-welcome]").await;

    screen(&page, &axe, 4).await;
    type_into(&page, "names", "Anna, Anna K").await;
    type_into(&page, "amount", "1.200,50").await;
    type_into(&page, "currency", "eur").await;
    click(&page, "#you button.main").await;

    screen(&page, &axe, 5).await;
    let text = fs::read_to_string(owner.at(".config/aura/home.toml")).unwrap();
    for line in [
        "# Names and addresses by which others mention you.\nnames = [\"Anna\", \"Anna K\"]\n",
        "balance = { amount = \"1200.50\", currency = \"EUR\", as_of = \"",
        "# Interruptions a day, 0 to 5, and when the morning brief may come.\nceiling = 3\n",
        "/.calendars\"]",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    click(&page, "button.main[data-welcome]").await;

    is_there(&page, ".welcome progress[value=\"6\"]").await;
    page.until("document.querySelector('#reading').textContent.includes('2 events')")
        .await
        .unwrap();
    click(&page, "button[data-tick]").await;
    // A card, or the sentence that says why there is none.
    page.until("document.querySelector('#now h2')").await.unwrap();
    screen(&page, &axe, 6).await;
    click(&page, "button.main[data-welcome]").await;
    is_there(&page, "#attention").await;
    page.go("/").await.unwrap();
    is_there(&page, "#attention").await;
    let said = page.console().await.unwrap();
    // While Aura takes settings up, and after it to a page from before it, it answers so; the page asks again.
    let is_told = |line: &&String| {
        !["503", "/form/welcome - Failed"]
            .iter()
            .any(|known| line.contains(known))
    };
    let said: Vec<&String> = said.iter().filter(is_told).collect();
    assert!(said.is_empty(), "{said:?}");
}

#[tokio::test]
async fn settings_are_changed_undone_and_shown_beside_what_somebody_else_wrote() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = owner.opens(&mut browser).await;
    click(&page, "button.plain[data-welcome=\"\"]").await;
    is_there(&page, "#attention").await;
    page.go("/settings").await.unwrap();
    is_there(&page, "#settings form").await;
    for (size, scheme) in [(NARROW, "light"), (NARROW, "dark"), (DESK, "light")] {
        look_like(&page, size, scheme).await;
        assert_eq!(
            wrong(&page, &axe, size).await,
            Vec::<String>::new(),
            "{size:?} {scheme}"
        );
        if let Some(folder) = std::env::var_os("AURA_WELCOME_PICTURES") {
            let name = format!("settings-{}-{scheme}.png", size.width);
            fs::write(
                Path::new(&folder).join(name),
                page.window.screenshot().await.unwrap(),
            )
            .unwrap();
        }
    }
    look_like(&page, PHONE, "light").await;
    let home = owner.at(".config/aura/home.toml");
    let before = fs::read_to_string(&home).unwrap();

    type_into(&page, "ceiling", "5").await;
    click(&page, "#settings button.main").await;
    page.until("document.querySelector('#settings [data-undo]')")
        .await
        .unwrap();
    assert_eq!(
        fs::read_to_string(&home).unwrap(),
        before.replace("ceiling = 3", "ceiling = 5")
    );
    click(&page, "#settings [data-undo]").await;
    page.until("document.querySelector('[name=\"ceiling\"]').value === '3'")
        .await
        .unwrap();
    assert_eq!(fs::read_to_string(&home).unwrap(), before);
    // What was taken back is there again by the same button, which says so.
    page.until("document.querySelector('#settings [data-undo]').textContent === 'Redo the change'")
        .await
        .unwrap();

    // Changed by hand under the open page: both are shown, and saving again keeps hers.
    let by_hand = before.replace("ceiling = 3", "ceiling = 1 # by hand");
    fs::write(&home, &by_hand).unwrap();
    type_into(&page, "ceiling", "4").await;
    click(&page, "#settings button.main").await;
    page.until("document.querySelector('[data-there=\"ceiling\"]').textContent === 'There now: 1'")
        .await
        .unwrap();
    assert_eq!(fs::read_to_string(&home).unwrap(), by_hand);
    click(&page, "#settings button.main").await;
    page.until("document.querySelector('#status').textContent === 'Saved.'")
        .await
        .unwrap();
    assert_eq!(
        fs::read_to_string(&home).unwrap(),
        by_hand.replace("ceiling = 1", "ceiling = 4")
    );
}
