//! A device that is shut out while its page is open.
//!
//! What: the page Now goes where a stranger starts. Why: what it shows is the owner's, and whoever has a lost phone must not read on. Not here: that its requests are
//! refused and its streams end (`surfaces/tests/pages/devices.rs`).

use crate::{
    driver::{Browser, PHONE},
    first_day::{click, is_there},
    page::paired,
    support::named_household::NamedHousehold,
};
use aura_runtime::control::{self, ControlReply, ControlRequest};

#[tokio::test]
async fn a_device_that_is_shut_out_shows_nothing_more() {
    let mut browser = Browser::start().unwrap();
    let house = NamedHousehold::new();
    let service = house.start();
    let lost = paired(&mut browser, PHONE, &house.data(), &service).await;
    lost.go("/").await.unwrap();
    is_there(&lost, "#now").await;
    let reply = control::ask(&house.data(), &ControlRequest::Devices).unwrap();
    let Some(ControlReply::Devices(devices)) = reply else {
        panic!("no devices: {reply:?}");
    };
    let newest = devices.iter().max_by_key(|device| device.paired_at).unwrap();
    let owners = paired(&mut browser, PHONE, &house.data(), &service).await;
    owners.go("/devices").await.unwrap();
    // What it does stands there before it is done.
    let of_it = format!("#devices details:has([data-revoke=\"{}\"])", newest.id.as_str());
    click(&owners, &format!("{of_it} > summary")).await;
    owners
        .until(
            "document.querySelector('#devices details[open]').textContent.includes('It is shut out at once')",
        )
        .await
        .unwrap();
    click(&owners, "#devices details[open] [data-revoke]").await;
    owners
        .until(&format!("!document.querySelector({of_it:?})"))
        .await
        .unwrap();
    lost.until("location.pathname === '/pair'").await.unwrap();
}
