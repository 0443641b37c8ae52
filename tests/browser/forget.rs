//! Forgetting on the page Memory, as its owner does it, after all agents were restarted.
//!
//! What: a day is chosen, counted, begun and called off, then begun and gone, on one open page. Not here: what goes (`tests/integration/deletion.rs`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look_like, wrong},
    driver::{Browser, DESK, NARROW, PHONE},
    journeys::{House, card, stress},
    page::{Page, paired},
    support::named_household::restart_agents,
};
use std::{fs, path::Path};

/// Presses the button that says so.
async fn press(page: &Page, says: &str) {
    let button = format!(
        "[...document.querySelectorAll('#forget button')].find((each) => each.textContent === '{says}')"
    );
    page.until(&format!("{button} && !{button}.disabled"))
        .await
        .unwrap();
    page.run(&format!("{button}.click();")).await.unwrap();
}

/// Waits until the block says so, and looks at it as everybody must be able to.
async fn says(page: &Page, axe: &str, step: &str, text: &str) {
    page.until(&format!(
        "document.getElementById('forget-look').textContent.includes('{text}')"
    ))
    .await
    .unwrap();
    let Some(folder) = std::env::var_os("AURA_WELCOME_PICTURES") else {
        return;
    };
    for (size, scheme) in [(NARROW, "light"), (PHONE, "dark"), (DESK, "light")] {
        look_like(page, size, scheme).await;
        assert_eq!(wrong(page, axe, size).await, Vec::<String>::new(), "{step}");
        page.run("document.getElementById('forget').scrollIntoView();")
            .await
            .unwrap();
        let name = format!("forget-{step}-{}-{scheme}.png", size.width);
        fs::write(
            Path::new(&folder).join(name),
            page.window.screenshot().await.unwrap(),
        )
        .unwrap();
    }
    look_like(page, PHONE, "light").await;
}

#[tokio::test]
async fn a_day_is_counted_called_off_and_forgotten_on_one_open_page() {
    let axe = axe();
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let page = paired(&mut browser, PHONE, &house.path("data"), &service).await;
    stress(&service);
    let asked = card(&service);
    page.until_card(&asked).await.unwrap();
    page.tap(&asked, "dismiss").await.unwrap();
    restart_agents(&service);
    page.go("/memory").await.unwrap();
    assert_eq!(wrong(&page, &axe, PHONE).await, Vec::<String>::new());
    page.run("document.querySelector('#forget input[type=date]').valueAsDate = new Date();")
        .await
        .unwrap();

    press(&page, "Show what would go").await;
    says(&page, &axe, "counted", "this would go").await;
    press(&page, "Forget all of this").await;
    says(&page, &axe, "waits", "In ten seconds").await;
    press(&page, "Undo").await;
    says(&page, &axe, "called-off", "Nothing was forgotten").await;

    press(&page, "Show what would go").await;
    says(&page, &axe, "counted-again", "this would go").await;
    press(&page, "Forget all of this").await;
    // By itself, without being loaded anew.
    says(&page, &axe, "gone", "is forgotten. This went").await;
}
