//! Fingers and keys: a card is swiped, the page pulled, a file shared, a chat muted and a page reached without a mouse; and contrast chosen by the system.
//!
//! What: each of them on open pages, with touches that the browser itself makes. Why: a swipe that answers the wrong card, or one that cannot be taken back, is
//! worse than none. Not here: what the buttons do that are pressed by it (`first_card`, `acts`).

use crate::{
    access::{axe, demo, look, look_like},
    driver::{Browser, DESK, PHONE, Size, WATCH},
    first_day::{NewOwner, click, is_there},
    memory::with_calendar,
    page::{Page, paired},
    support::meeting_household::{DEMO, MeetingHousehold},
};
use serde_json::{Value, json};

/// One finger, or none.
async fn touch(page: &Page, kind: &str, at: Option<(f64, f64)>) {
    let points: Vec<Value> = at.iter().map(|(x, y)| json!({ "x": x, "y": y })).collect();
    page.devtools(
        "Input.dispatchTouchEvent",
        json!({ "type": kind, "touchPoints": points }),
    )
    .await
    .unwrap();
}

/// Goes down at one place and on to another in small steps, and stays there.
async fn drag(page: &Page, (x, y): (f64, f64), (dx, dy): (f64, f64)) {
    touch(page, "touchStart", Some((x, y))).await;
    for step in 1..=8 {
        let part = f64::from(step) / 8.0;
        touch(page, "touchMove", Some((x + dx * part, y + dy * part))).await;
    }
}

async fn fingers(page: &Page) {
    page.devtools(
        "Emulation.setTouchEmulationEnabled",
        json!({ "enabled": true, "maxTouchPoints": 2 }),
    )
    .await
    .unwrap();
}

/// The middle of the card's heading.
async fn on_card(page: &Page) -> (f64, f64) {
    let place = "const box = document.querySelector('#now article.card h2').getBoundingClientRect(); \
        return [box.x + box.width / 2, box.y + box.height / 2];";
    let place = page.run(place).await.unwrap();
    (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
}

async fn motion(page: &Page, wish: &str) {
    let features = json!({ "features": [{ "name": "prefers-reduced-motion", "value": wish }] });
    page.devtools("Emulation.setEmulatedMedia", features)
        .await
        .unwrap();
}

const SHOWN: &str = "!document.querySelector('.hint').hidden";
const MOVED: &str = "return document.querySelector('#now article.card').style.transform;";

async fn with_card(browser: &mut Browser, data: &std::path::Path, service: &crate::support::Service) -> Page {
    let page = paired(browser, PHONE, &data.join("demo"), service).await;
    page.until("document.querySelector('#now article.card .answers button')")
        .await
        .unwrap();
    fingers(&page).await;
    page
}

#[tokio::test]
async fn card_is_swiped_away_and_one_that_is_let_go_early_stays() {
    let mut browser = Browser::start().unwrap();
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = with_card(&mut browser, data.path(), &service).await;
    motion(&page, "no-preference").await;
    let start = on_card(&page).await;

    // Not far enough, then back: what letting go would do is said, and nothing is done.
    drag(&page, start, (-70.0, 0.0)).await;
    page.until(SHOWN).await.unwrap();
    let says = page
        .run("return [document.querySelector('.hint').textContent, 'armed' in document.querySelector('.hint').dataset, \
              document.querySelector('#now [data-act=\"dismiss\"]').textContent];")
        .await
        .unwrap();
    assert_eq!((&says[0], &says[1]), (&says[2], &json!(false)));
    assert_ne!(page.run(MOVED).await.unwrap(), json!(""), "it follows the finger");
    touch(&page, "touchEnd", None).await;
    page.until("document.querySelector('.hint').hidden")
        .await
        .unwrap();
    assert_eq!(page.run(MOVED).await.unwrap(), json!(""));

    // Far enough, and Escape: nothing either.
    drag(&page, start, (-170.0, 0.0)).await;
    page.until("'armed' in document.querySelector('.hint').dataset")
        .await
        .unwrap();
    page.keys("\u{e00c}").await.unwrap();
    touch(&page, "touchEnd", None).await;
    // Down the page it scrolls.
    drag(&page, start, (20.0, -120.0)).await;
    touch(&page, "touchEnd", None).await;
    is_there(&page, "#now article.card").await;
    page.run("scrollTo(0, 0);").await.unwrap();

    // Without motion the card stays where it is, and is answered all the same.
    motion(&page, "reduce").await;
    let start = on_card(&page).await;
    page.run("window.swiped = document.querySelector('#now article.card').dataset.card;")
        .await
        .unwrap();
    drag(&page, start, (-170.0, 0.0)).await;
    page.until("'armed' in document.querySelector('.hint').dataset")
        .await
        .unwrap();
    assert_eq!(page.run(MOVED).await.unwrap(), json!(""));
    touch(&page, "touchEnd", None).await;
    page.until("document.querySelector('#done [data-undo-act], #done .meant, #done .what')")
        .await
        .unwrap();
    // Another one may have come by now.
    page.until("document.querySelector('#now article.card')?.dataset.card !== window.swiped")
        .await
        .unwrap();
}

/// Presses the mouse's first button, or lets it go.
async fn mouse(page: &Page, kind: &str, (x, y): (f64, f64)) {
    page.devtools(
        "Input.dispatchMouseEvent",
        json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 }),
    )
    .await
    .unwrap();
}

#[tokio::test]
async fn button_held_down_while_the_page_is_read_anew_is_pressed_all_the_same() {
    let mut browser = Browser::start().unwrap();
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, DESK, &data.path().join("demo"), &service).await;
    is_there(&page, "#now [data-act=\"dismiss\"]").await;
    // Letters that come late would move the button.
    page.until_typeface().await.unwrap();
    // What the page asked before anybody listens is over.
    let listens = "window.pressed = []; document.addEventListener('click', (event) => { \
         const act = event.target.closest('[data-act]'); if (act) window.pressed.push(act.dataset.act); }, true); \
         const asked = window.fetch; window.fetch = async (...what) => { const answer = await asked(...what); \
         const read = answer.text.bind(answer); answer.text = async () => { const text = await read(); window.reads = true; \
         if (window.held) setTimeout(() => { window.answered = true; }); return text; }; return answer; }; \
         document.addEventListener('pointerdown', (event) => { window.held = event.target.closest('[data-act]')?.dataset.act; }, true); \
         dispatchEvent(new Event('online'));";
    page.run(listens).await.unwrap();
    page.until("window.reads").await.unwrap();
    let place = "const button = document.querySelector('#now [data-act=\"dismiss\"]'); button.scrollIntoView({ block: 'center' }); \
         const box = button.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2];";
    let place = page.run(place).await.unwrap();
    let place = (place[0].as_f64().unwrap(), place[1].as_f64().unwrap());

    // The card is no longer as Aura says, and the page asks what it says; it may have asked just before the button went down, and asks once.
    mouse(&page, "mousePressed", place).await;
    let held = page
        .run("document.querySelector('#now h2').id = 'other'; dispatchEvent(new Event('online')); return window.held;")
        .await
        .unwrap();
    assert_eq!(held, json!("dismiss"));
    page.until("window.answered").await.unwrap();
    mouse(&page, "mouseReleased", place).await;

    page.until("window.pressed.includes('dismiss')").await.unwrap();
    page.until("!document.querySelector('#other')").await.unwrap();
}

#[tokio::test]
async fn card_is_swiped_to_what_its_first_button_does() {
    let mut browser = Browser::start().unwrap();
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = with_card(&mut browser, data.path(), &service).await;
    let has = "return Boolean(document.querySelector('#now .answers > :is([data-act=\"confirm\"], [data-act=\"useful\"])'));";
    let has = page.run(has).await.unwrap() == json!(true);
    page.run("window.pressed = []; document.addEventListener('click', (event) => { \
              const act = event.target.closest('[data-act]'); if (act) window.pressed.push(act.dataset.act); }, true);")
        .await
        .unwrap();
    let start = on_card(&page).await;
    drag(&page, start, (170.0, 4.0)).await;
    touch(&page, "touchEnd", None).await;
    let pressed = page.run("return window.pressed;").await.unwrap();
    if has {
        let pressed = pressed.as_array().unwrap();
        assert!(
            pressed.len() == 1 && (pressed[0] == "confirm" || pressed[0] == "useful"),
            "{pressed:?}"
        );
    } else {
        assert_eq!(pressed, json!([]), "there is nothing to do");
    }
}

#[tokio::test]
async fn page_is_pulled_to_look_and_the_badge_counts_what_is_asked() {
    let mut browser = Browser::start().unwrap();
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = with_card(&mut browser, data.path(), &service).await;
    // Counted, and not done: what a look finds would ask as well.
    page.run(
        "window.looks = 0; addEventListener('click', (event) => { if (event.target.closest('[data-tick]')) { \
         window.looks += 1; event.stopImmediatePropagation(); } }, true);",
    )
    .await
    .unwrap();
    let top = (300.0, 140.0);
    drag(&page, top, (0.0, 60.0)).await;
    page.until("document.querySelector('.hint')?.textContent === 'Pull to look now'")
        .await
        .unwrap();
    touch(&page, "touchEnd", None).await;
    drag(&page, top, (4.0, 200.0)).await;
    page.until("document.querySelector('.hint')?.textContent === 'Let go, and I look now'")
        .await
        .unwrap();
    touch(&page, "touchEnd", None).await;
    page.until("window.looks === 1").await.unwrap();

    // The demo's card asks nothing; a question that opens is a badge, and none when it is over.
    page.run(
        "window.badges = []; navigator.setAppBadge = async (n) => { window.badges.push(n); }; \
         navigator.clearAppBadge = async () => { window.badges.push(0); }; \
         const open = document.createElement('div'); open.className = 'answers'; open.id = 'asked'; open.dataset.capability = 'x'; \
         document.getElementById('now').append(open);",
    )
    .await
    .unwrap();
    page.until("window.badges.join() === '1' || window.badges.join() === '0,1'")
        .await
        .unwrap();
    page.run("document.getElementById('asked')?.remove();")
        .await
        .unwrap();
    page.until("window.badges.at(-1) === 0").await.unwrap();

    // The browser's offer to install is one button, and no banner.
    page.run(
        "window.prompted = 0; const offer = new Event('beforeinstallprompt', { cancelable: true }); \
         offer.prompt = () => { window.prompted += 1; }; window.taken = !dispatchEvent(offer);",
    )
    .await
    .unwrap();
    assert_eq!(page.run("return window.taken;").await.unwrap(), json!(true));
    click(&page, "[data-install]").await;
    page.until("window.prompted === 1 && document.querySelector('.install').hidden")
        .await
        .unwrap();
}

/// A file as another app shares it: the browser posts a form to the share target.
const SHARE: &str = "const form = document.createElement('form'); form.method = 'POST'; form.action = '/share'; \
    form.enctype = 'multipart/form-data'; const field = document.createElement('input'); field.type = 'file'; field.name = 'files'; \
    const files = new DataTransfer(); files.items.add(new File(['Date,Payee,Amount EUR\\n2026-10-01,Kiosk,-3.00\\n'], 'May & June.csv', { type: 'text/csv' })); \
    field.files = files.files; form.append(field); document.body.append(form); form.submit();";

#[tokio::test]
async fn shared_file_stays_in_the_browser_until_its_owner_shows_it() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let owner = NewOwner::new();
    let page = with_calendar(&owner, &mut browser).await;
    page.run("return navigator.serviceWorker.ready.then(() => true);")
        .await
        .unwrap();
    // A page that was loaded while the worker began is nobody's; the next one is the worker's.
    page.go("/settings").await.unwrap();
    page.until("navigator.serviceWorker.controller").await.unwrap();
    page.run(SHARE).await.unwrap();
    is_there(&page, "#shared:not([hidden])").await;
    page.until("document.querySelector('#shared bdi')?.textContent === 'May & June.csv'")
        .await
        .unwrap();
    assert_eq!(
        page.run("return [location.pathname, document.querySelectorAll('#dropped > li').length];")
            .await
            .unwrap(),
        json!(["/settings", 0])
    );
    look(&page, &axe, "shared", "shared").await;
    click(&page, "[data-shared-take]").await;
    page.until("document.querySelector('#dropped > li')?.textContent.includes('May & June.csv')")
        .await
        .unwrap();
    page.until("document.querySelector('#shared').hidden")
        .await
        .unwrap();

    // What is left is forgotten.
    page.run(SHARE).await.unwrap();
    is_there(&page, "#shared:not([hidden])").await;
    click(&page, "[data-shared-leave]").await;
    page.go("/settings").await.unwrap();
    is_there(&page, "#shared[hidden]").await;
    page.until("document.querySelectorAll('#dropped > li').length === 0")
        .await
        .unwrap();

    // What the worker no longer has is said to be lost, once.
    page.go("/").await.unwrap();
    page.go("/settings#shared").await.unwrap();
    page.until("document.querySelector('.status').textContent.startsWith('What was shared did not arrive here') && !location.hash")
        .await
        .unwrap();
}

#[tokio::test]
async fn shared_file_is_handed_over_where_none_may_be_allowed_and_waits() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let house = MeetingHousehold::new(false, DEMO);
    let service = house.start();
    let page = paired(&mut browser, PHONE, &house.data(), &service).await;
    page.run("return navigator.serviceWorker.ready.then(() => true);")
        .await
        .unwrap();
    page.go("/settings").await.unwrap();
    page.until("navigator.serviceWorker.controller").await.unwrap();
    page.run(SHARE).await.unwrap();
    is_there(&page, "#shared:not([hidden])").await;
    look(&page, &axe, "shared", "shared-hand-over").await;
    // The page that may have it read hears of it, and draws it.
    page.run(
        "window.told = 0; const stream = new EventSource('/events?surface=app'); \
         stream.addEventListener('hello', () => stream.addEventListener('status', () => { window.told += 1; }));",
    )
    .await
    .unwrap();
    click(&page, "[data-shared-take]").await;
    page.until("/May & June\\.csv.*It waits/s.test(document.querySelector('#dropped > li')?.textContent)")
        .await
        .unwrap();
    // What it holds is told where it may be allowed.
    assert_eq!(
        page.run("return document.querySelectorAll('#dropped [data-look], #dropped [data-allow]').length;")
            .await
            .unwrap(),
        json!(0)
    );
    page.until("window.told > 0").await.unwrap();
    look(&page, &axe, "dropped", "handed-over").await;
}

#[tokio::test]
async fn single_keys_lead_somewhere_stand_on_a_sheet_and_can_be_turned_off() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, DESK, &data.path().join("demo"), &service).await;
    page.until("document.querySelector('#now [data-card] .answers button')")
        .await
        .unwrap();
    page.keys("?").await.unwrap();
    page.until("document.getElementById('keys').open").await.unwrap();
    look(&page, &axe, "keys", "keys").await;
    page.keys("\u{e00c}").await.unwrap();
    page.until("!document.getElementById('keys').open").await.unwrap();
    page.keys("a").await.unwrap();
    page.until("document.activeElement.closest('.answers')")
        .await
        .unwrap();
    // From row to row: the first, the second, and back; what has the focus is opened by Enter.
    page.go("/people").await.unwrap();
    let row = "[...document.querySelectorAll('#people-found li')].findIndex((row) => row.contains(document.activeElement))";
    for (key, nth) in [("j", 0), ("j", 1), ("k", 0), ("k", 0)] {
        page.keys(key).await.unwrap();
        page.until(&format!("{row} === {nth}")).await.unwrap();
    }
    page.keys("\u{e007}").await.unwrap();
    page.until("location.pathname.startsWith('/people/')")
        .await
        .unwrap();
    page.keys("4").await.unwrap();
    page.until("location.pathname === '/money'").await.unwrap();
    page.keys("/").await.unwrap();
    page.until("document.getElementById('palette').open")
        .await
        .unwrap();
    // In a field a letter is a letter.
    page.keys("l4").await.unwrap();
    page.until("document.querySelector('#palette input').value === 'l4'")
        .await
        .unwrap();
    // Escape empties a field for searching first.
    page.keys("\u{e00c}\u{e00c}").await.unwrap();
    page.until("!document.getElementById('palette').open")
        .await
        .unwrap();

    // A key that comes before the page without the palette is drawn.
    assert_eq!(
        page.run(
            "const palette = document.getElementById('palette'), field = palette.querySelector('input'); \
             palette.showModal(); field.focus(); palette.close(); \
             field.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true })); \
             return document.getElementById('keys').open;"
        )
        .await
        .unwrap(),
        json!(true)
    );
    page.keys("\u{e00c}").await.unwrap();
    page.until("!document.getElementById('keys').open").await.unwrap();

    page.keys("?").await.unwrap();
    page.until("document.getElementById('keys').open").await.unwrap();
    click(&page, "#keys [data-keys-on]").await;
    page.keys("\u{e00c}").await.unwrap();
    page.keys("1").await.unwrap();
    page.go("/body").await.unwrap();
    page.keys("?").await.unwrap();
    let state = "return [location.pathname, document.getElementById('keys').open];";
    assert_eq!(page.run(state).await.unwrap(), json!(["/body", false]));
}

#[tokio::test]
async fn chat_is_muted_from_the_palette() {
    let mut browser = Browser::start().unwrap();
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, DESK, &data.path().join("demo"), &service).await;
    page.until("document.querySelector('#now [data-card]')")
        .await
        .unwrap();
    click(&page, "button[data-palette]").await;
    page.run(
        "const field = document.querySelector('#palette input'); field.value = 'mute side'; \
         field.dispatchEvent(new Event('input', { bubbles: true }));",
    )
    .await
    .unwrap();
    page.until("[...document.querySelectorAll('#palette li:not([hidden])')].some((each) => /^Mute .*side for 8 hours$/i.test(each.textContent))")
        .await
        .unwrap();
    page.keys("\u{e007}").await.unwrap();
    page.until("document.body.textContent.includes('is muted until')")
        .await
        .unwrap();
    page.go("/chats").await.unwrap();
    page.until("document.querySelector('[data-unmute]')")
        .await
        .unwrap();
}

/// At 200 % a desk is half as wide, and a watch is what it is.
const ZOOMED: Size = Size {
    width: 640,
    height: 450,
};

#[tokio::test]
async fn nothing_is_cut_and_every_focus_is_seen_with_colours_of_the_system() {
    let mut browser = Browser::start().unwrap();
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, DESK, &data.path().join("demo"), &service).await;
    page.until("document.querySelector('#now [data-card]')")
        .await
        .unwrap();
    let mut wrong = Vec::new();
    for path in [
        "/",
        "/brief",
        "/agenda",
        "/chats",
        "/money",
        "/money/ahead",
        "/body",
        "/memory",
        "/settings",
        "/history",
        "/history/days",
        "/people",
        "/ops",
        "/ops/traces",
        "/ops/policy",
        "/watch",
    ] {
        page.go(path).await.unwrap();
        for size in [ZOOMED, WATCH] {
            look_like(&page, size, "dark").await;
            page.devtools(
                "Emulation.setEmulatedMedia",
                json!({ "features": [{ "name": "forced-colors", "value": "active" }, { "name": "prefers-reduced-motion", "value": "reduce" }] }),
            )
            .await
            .unwrap();
            // What can have the focus shows it, and stands within the window.
            let found = page
                .run(
                    "const found = []; if (document.documentElement.scrollWidth > innerWidth) found.push('is ' + document.documentElement.scrollWidth + ' wide: ' + \
                     [...document.body.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + '.' + e.className).slice(0, 3)); \
                     const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter((e) => !e.disabled && e.checkVisibility() && !e.closest('dialog')); \
                     for (const each of all.slice(0, 80)) { each.focus({ focusVisible: true }); const style = getComputedStyle(each); \
                     if (document.activeElement === each && (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 1)) found.push('no focus on ' + each.tagName + ' ' + (each.textContent || each.name)); } \
                     return found;",
                )
                .await
                .unwrap();
            let lines = found.as_array().unwrap().iter();
            wrong.extend(lines.map(|line| format!("{path} {size:?}: {line}")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
