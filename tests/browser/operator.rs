//! What an operator is called for: which tick was slow, and why?
//!
//! What: a stopped agent makes a tick slow; counted clicks from the console's first page to the step that says why; the list that follows what
//! happens and can be held; a saved filter; two ticks beside one another; a tick stepped through. Why: the console is for whoever is in a hurry.
//! Not here: lengths and places (`surfaces/tests/pages/ticks.rs`).
//!
//! `AURA_WELCOME_PICTURES` names a folder for pictures.

use crate::{
    access::{axe, look},
    driver::{Browser, DESK},
    first_day::{click, is_there},
    page::{Page, paired},
    support::{Service, afternoon_zone, named_household::agent_processes},
};
use aura_process::fork_server::process_of;
use chrono::{Timelike as _, Utc};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A zone in which it is ten in the morning or soon after it, whenever the tests run.
fn morning_zone() -> String {
    let ahead = (10 - i32::try_from(Utc::now().hour()).unwrap()).max(-12);
    format!("Etc/GMT{:+}", -ahead)
}

/// The newest trace, once another tick has ended than the one named.
fn next_trace(service: &Service, before: &str) -> Value {
    service.until("the next trace", |service| {
        let (_, traces) = service.request("GET", "/v1/traces?limit=1", None);
        let newest = traces[0].clone();
        (newest["trace_id"].is_string() && newest["trace_id"] != before).then_some(newest)
    })
}

fn tick(service: &Service, before: &str) -> Value {
    assert_eq!(service.request("POST", "/v1/tick", None).0, 202);
    next_trace(service, before)
}

fn id_of(trace: &Value) -> &str {
    trace["trace_id"].as_str().unwrap()
}

async fn text_of(page: &Page, selector: &str) -> String {
    let text = page
        .run(&format!(
            "return document.querySelector({selector:?}).textContent;"
        ))
        .await
        .unwrap();
    text.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn which_tick_was_slow_this_morning_and_why_takes_three_clicks() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    std::fs::write(&home, format!("zone = \"{}\"\n", morning_zone())).unwrap();
    let service = Service::start(&home, &data);
    let quick = tick(&service, "");

    // The agents stand still, and so does what they are forked from, so the next tick waits for them as long as a tick waits.
    let forks = process_of(service.pid().as_raw_nonzero().get().cast_unsigned(), None);
    let forks = Pid::from_raw(forks.unwrap().cast_signed()).unwrap();
    kill_process(forks, Signal::STOP).unwrap();
    for agent in agent_processes(&service) {
        kill_process(agent, Signal::STOP).unwrap();
    }
    let slow = tick(&service, id_of(&quick));
    kill_process(forks, Signal::CONT).unwrap();
    assert_eq!(slow["decision"]["agent_status"]["calendar"], "timeout", "{slow}");

    let page = paired(&mut browser, DESK, &data, &service).await;
    page.go("/ops").await.unwrap();
    let mut clicks = 0;
    for selector in [
        ".beside a[href*=\"to_time=12:00\"]",
        "table.listing tbody tr:first-child th a",
    ] {
        click(&page, selector).await;
        clicks += 1;
    }
    // The waterfall says why; a third click shows what Calendar said: nothing.
    is_there(&page, ".waterfall").await;
    page.until(&format!("location.pathname === '/ops/traces/{}'", id_of(&slow)))
        .await
        .unwrap();
    let bad = page
        .run("return [...document.querySelectorAll('.waterfall .says.bad')].map((e) => e.textContent);")
        .await
        .unwrap();
    // At once, and not after the next figure of the hour.
    let is_late = |says: &serde_json::Value| {
        says.as_str()
            .is_some_and(|says| says.starts_with("did not answer in time; started again "))
    };
    assert!(bad.as_array().is_some_and(|all| all.iter().any(is_late)), "{bad}");
    page.run("[...document.querySelectorAll('.waterfall summary')].find((e) => e.textContent.includes('Calendar')).id = 'calendar';")
        .await
        .unwrap();
    click(&page, "#calendar").await;
    clicks += 1;
    page.until(
        "document.querySelector('.waterfall details[open] .sides pre').textContent.includes('timeout')",
    )
    .await
    .unwrap();
    assert_eq!(clicks, 3);
    look(&page, &axe, "steps-title", "ops-tick").await;

    // Beside the quick one, and event by event.
    click(&page, "#compare-title ~ ul a").await;
    page.until("document.querySelectorAll('.differs mark').length > 1")
        .await
        .unwrap();
    look(&page, &axe, "live", "ops-compare").await;
    page.go(&format!("/ops/traces/{}/replay", id_of(&slow)))
        .await
        .unwrap();
    click(&page, "a[rel=\"next\"]").await;
    page.until("location.search === '?step=2' && document.querySelector('#changed-title')")
        .await
        .unwrap();
    look(&page, &axe, "live", "ops-replay").await;
}

#[tokio::test]
async fn the_newest_decisions_can_be_held_and_a_filter_kept_in_the_browser() {
    let (axe, mut browser) = (axe(), Browser::start().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    std::fs::write(&home, format!("zone = \"{}\"\n", afternoon_zone())).unwrap();
    let service = Service::start(&home, &data);
    let first = tick(&service, "");
    let page = paired(&mut browser, DESK, &data, &service).await;
    page.go("/ops").await.unwrap();
    let shows = |trace: &Value| {
        format!(
            "document.querySelector('#tail a')?.href.endsWith('{}')",
            id_of(trace)
        )
    };
    page.until(&shows(&first)).await.unwrap();
    look(&page, &axe, "tail-title", "ops-overview").await;

    // The list follows; held, it stays while the figures beside it go on; let go, it has caught up.
    let second = tick(&service, id_of(&first));
    page.until(&shows(&second)).await.unwrap();
    click(&page, "[data-hold]").await;
    let ticks = text_of(&page, "#store").await;
    let third = tick(&service, id_of(&second));
    page.until(&format!(
        "document.querySelector('#store').textContent !== {ticks:?}"
    ))
    .await
    .unwrap();
    page.until(&shows(&second)).await.unwrap();
    click(&page, "[data-hold]").await;
    page.until(&shows(&third)).await.unwrap();

    // A filter stands in the address; its name stays in this browser, and what is in it is text.
    page.go("/ops/traces?trigger=owner&order=slowest").await.unwrap();
    is_there(&page, "#saved:not([hidden])").await;
    let name = "<b>Asked for</b> ".to_owned() + &"x".repeat(20);
    page.run(&format!(
        "document.querySelector('#saved input').value = {name:?};"
    ))
    .await
    .unwrap();
    click(&page, "#saved form button").await;
    let saved = "document.querySelector('#saved li a')";
    let is_saved =
        format!("{saved}?.textContent === {name:?} && {saved}.search === '?trigger=owner&order=slowest'");
    page.until(&is_saved).await.unwrap();
    page.go("/ops/traces").await.unwrap();
    page.until(&is_saved).await.unwrap();
    look(&page, &axe, "saved", "ops-traces").await;
    click(&page, "#saved li a").await;
    page.until("location.search === '?trigger=owner&order=slowest'")
        .await
        .unwrap();
    click(&page, "#saved li button").await;
    page.until("!document.querySelector('#saved li')").await.unwrap();
}
