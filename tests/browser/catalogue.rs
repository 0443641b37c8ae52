//! A changed catalogue, accepted on a phone.
//!
//! What: the built binary on a folder whose tools were others, its page in Chromium, and the tap that accepts. Why: the button has a
//! script, and the page must find its way to the machine that starts behind it. Not here: who may accept (`surfaces/tests`), what is
//! recorded (`tests/catalogue.rs`).

use crate::{
    driver::{Browser, PHONE},
    journeys::House,
    page::paired,
};
use aura_memory::{Store, StoreOptions, Vault};
use fantoccini::Locator;
use toolcall_schema::catalogue::lock::{CATALOGUE_LOCK, CatalogueLock};

#[tokio::test]
async fn the_owner_accepts_with_a_tap_and_the_page_goes_on_to_the_first_one() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let mut before = CatalogueLock::parse(CATALOGUE_LOCK).unwrap();
    let entry = before.tools.get("comms.classify").unwrap().clone();
    before.tools.insert("comms.shout".to_owned(), entry);
    let (store, _) = Store::open(
        &Vault::demo(&house.path("data")).unwrap(),
        StoreOptions::default(),
    )
    .unwrap();
    store
        .put_catalogue("before".to_owned(), before.to_text())
        .unwrap();
    drop(store);

    let service = house.start();
    let page = paired(&mut browser, PHONE, &house.path("data"), &service).await;
    page.until("document.body.textContent.includes('comms.shout')")
        .await
        .unwrap();
    let button = page
        .window
        .find(Locator::Css("button[data-accept]"))
        .await
        .unwrap();
    button.click().await.unwrap();
    // The app's own page, on the same machine: its tabs are there, and the card's place.
    let tabs = page.window.wait().for_element(Locator::Css("nav.tabs")).await;
    assert!(tabs.is_ok(), "{}", page.text().await.unwrap());
    assert_eq!(service.request("GET", "/healthz", None).0, 200);
}
