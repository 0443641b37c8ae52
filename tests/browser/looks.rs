//! What the style promises and only a browser can show.
//!
//! What: the typeface is Aura's, a meter fills its track, a day of a chart says its value, two panes stand beside one another where there is room. Why: these are
//! claims of docs/design.md. Not here: pictures (`pictures`), what everybody must be able to do (`access`), colours (`surfaces/tests`).

use crate::{
    access::{demo, look_like},
    driver::{Browser, DESK, PHONE, WIDE},
    page::{Page, paired},
    pictures::Picture,
};
use fantoccini::Locator;
use serde_json::{Value, json};

async fn number(page: &Page, script: &str) -> f64 {
    page.run(script).await.unwrap().as_f64().unwrap()
}

#[tokio::test]
async fn the_pages_keep_what_the_page_about_design_says() {
    let mut browser = Browser::start().unwrap();
    let data = tempfile::tempdir().unwrap();
    let service = demo(data.path());
    let page = paired(&mut browser, PHONE, &data.path().join("demo"), &service).await;
    page.until("document.querySelector('#now [data-card]')")
        .await
        .unwrap();

    // The typeface came with the page, and from nowhere else.
    page.until_typeface().await.unwrap();
    let loaded =
        "return [...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family);";
    assert_eq!(page.run(loaded).await.unwrap(), json!(["Inter"]));

    // One pane below the other on a phone, beside it on a desk; on a large screen the content takes more than half of what the bar leaves.
    let left = "return document.querySelector('.beside-it').getBoundingClientRect().left;";
    let ends = "return document.querySelector('.pane').getBoundingClientRect().right;";
    assert!(number(&page, left).await < number(&page, ends).await);
    for size in [DESK, WIDE] {
        look_like(&page, size, "light").await;
        assert!(number(&page, left).await > number(&page, ends).await, "{size:?}");
        let share = "const main = document.querySelector('.panes').getBoundingClientRect(), bar = document.querySelector('.tabs')\
            .getBoundingClientRect(); return main.width / (innerWidth - bar.right);";
        assert!(number(&page, share).await > 0.55, "{size:?}");
    }

    // A page below a section says its name and the way up and leads everywhere; on a desk something stands beside it, and every page begins at the same edge.
    let edge = "return document.querySelector('.top').getBoundingClientRect().left;";
    look_like(&page, DESK, "light").await;
    let begins = number(&page, edge).await;
    for (path, up) in [
        ("/agenda", "/brief"),
        ("/people", "/chats"),
        ("/money/ahead", "/money"),
        ("/body/days", "/body"),
        ("/history/days", "/"),
        ("/devices", "/settings"),
        ("/workflows", "/settings"),
    ] {
        page.go(path).await.unwrap();
        look_like(&page, DESK, "light").await;
        let head = "const head = document.querySelector('.top'); return [head.querySelector('h1').offsetHeight > 20,\
            head.querySelector('.up').getAttribute('href'), !!head.querySelector('[data-palette]')];";
        assert_eq!(page.run(head).await.unwrap(), json!([true, up, true]), "{path}");
        // Where the bar has all that would stand beside it, the page takes the whole width.
        let between = "const [one, other] = document.querySelectorAll('.panes > .pane'); const whole = one.parentElement.clientWidth;\
            if (![...other.children].some((each) => each.checkVisibility())) return whole - one.clientWidth < 2;\
            return other.getBoundingClientRect().left - one.getBoundingClientRect().right > 0;";
        assert_eq!(page.run(between).await.unwrap(), json!(true), "{path}");
        assert!((number(&page, edge).await - begins).abs() < 1.0, "{path}");
    }

    // The load is 61 of 100: at a third of its width a meter is of one colour from top to bottom, and of another one near its end.
    page.go("/body").await.unwrap();
    look_like(&page, DESK, "light").await;
    let meter = page.window.find(Locator::Css("#score meter")).await.unwrap();
    let picture = Picture::read(std::io::Cursor::new(meter.screenshot().await.unwrap())).unwrap();
    let column = |share: usize| -> Vec<[u8; 3]> {
        let x = picture.width * share / 100;
        let rows = 0..picture.height;
        rows.map(|y| picture.pixel(x, y)).collect()
    };
    let (filled, free) = (column(33), column(90));
    assert!(
        filled.len() >= 8 && filled.iter().all(|one| *one == filled[0]),
        "{filled:?}"
    );
    assert!(
        free.iter().all(|one| *one == free[0]) && free[0] != filled[0],
        "{free:?}"
    );

    // A day says its value while the pointer is on it.
    page.go("/money").await.unwrap();
    let shown = "return getComputedStyle(document.querySelector('.reading text')).visibility;";
    assert_eq!(page.run(shown).await.unwrap(), Value::from("hidden"));
    let place = "const at = document.querySelector('.reading rect'); at.scrollIntoView({ block: 'center' }); \
        const box = at.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2];";
    let place = page.run(place).await.unwrap();
    let moved = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
    page.devtools("Input.dispatchMouseEvent", moved).await.unwrap();
    page.until("getComputedStyle(document.querySelector('.reading text')).visibility === 'visible'")
        .await
        .unwrap();
    let says = page
        .run("return document.querySelector('.reading text').textContent;")
        .await
        .unwrap();
    assert!(says.as_str().unwrap().contains(": ₹"), "{says}");
}
