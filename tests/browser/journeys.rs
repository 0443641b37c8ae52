//! What happens to an open page: two at once, a server that dies, no network.
//!
//! What: the built binary on a new data folder, with its pages open in Chromium. Why: this is what a day is like: phones lose
//! their network, computers are restarted, and two windows show one card. Not here: recorded days (`days`).

use crate::{
    driver::{Browser, PHONE},
    page::{Answer, Page, invited, paired},
    support::{Service, named_household::restart_agents, signal},
};
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;
use toolcall_schema::ids::CardId;

/// A household that nobody has been in.
pub(crate) struct House {
    dir: TempDir,
}

impl House {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("home.toml"), "zone = \"UTC\"\n").unwrap();
        Self { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn start(&self) -> Service {
        Service::start(&self.path("home.toml"), &self.path("data"))
    }

    fn start_at(&self, port: u16) -> Service {
        Service::spawn(
            "run",
            port,
            &self.path("home.toml"),
            &self.path("data"),
            |command| command,
        )
    }
}

/// A phone that was just paired, as its owner does it.
async fn phone(browser: &mut Browser, house: &House, service: &Service) -> Page {
    paired(browser, PHONE, &house.path("data"), service).await
}

/// A load that crosses 70 with all the marks of stress: `BREATHE_478` asks for a confirmation on the phone.
pub(crate) fn stress(service: &Service) {
    let signals = json!([
        signal("h1", "hrv", &json!({ "rmssd_ms": 20.0 })),
        signal("s1", "sleep", &json!({ "asleep_min": 240 })),
        signal(
            "a1",
            "activity",
            &json!({ "typing_entropy": 5.2, "app_switch_rate": 18.0, "notif_dismiss_rate": 0.9, "screen_on_min": 50.0 })
        ),
    ]);
    let (status, reply) = service.request("POST", "/v1/signals", Some(&signals));
    assert_eq!((status, &reply["accepted"]), (202, &json!(3)), "{reply}");
}

pub(crate) fn card(service: &Service) -> CardId {
    let card = service.until("prompt", |service| {
        service.now()["card"]["card_id"].as_str().map(str::to_owned)
    });
    CardId::parse(&card).unwrap()
}

/// Two phones that show the same question.
async fn two_phones(browser: &mut Browser, house: &House, service: &Service) -> (Page, Page, CardId) {
    let one = phone(browser, house, service).await;
    let other = phone(browser, house, service).await;
    stress(service);
    let card = card(service);
    one.until_card(&card).await.unwrap();
    other.until_card(&card).await.unwrap();
    (one, other, card)
}

/// How the decisions that asked something ended.
fn outcomes(service: &Service) -> Vec<Value> {
    service.until("trace", |service| {
        let (_, traces) = service.request("GET", "/v1/traces?limit=50", None);
        let spoken: Vec<Value> = traces
            .as_array()?
            .iter()
            .filter(|trace| trace["outcome"] != "silent")
            .map(|trace| trace["outcome"].clone())
            .collect();
        (!spoken.is_empty()).then_some(spoken)
    })
}

fn accepted() -> Answer {
    Answer {
        status: 200,
        word: "accepted".to_owned(),
    }
}

/// Tells again and again which pages the browser keeps.
const KEPT: &str = "setInterval(async () => {
      const kept = [];
      for (const name of await caches.keys())
        for (const each of await (await caches.open(name)).keys()) kept.push(new URL(each.url).pathname);
      window.kept = kept;
    }, 50);";

#[tokio::test]
async fn two_pages_that_confirm_at_once_are_both_told_yes_and_it_is_done_once() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let (one, other, card) = two_phones(&mut browser, &house, &service).await;
    let (first, second) = tokio::join!(one.tap(&card, "confirm"), other.tap(&card, "confirm"));
    let answers = [first.unwrap(), second.unwrap()];
    // The slower one may find its button gone already.
    assert!(answers.contains(&Some(accepted())), "{answers:?}");
    for answer in answers.into_iter().flatten() {
        assert_eq!(answer, accepted(), "an identical repeat gets the first answer");
    }
    assert_eq!(outcomes(&service), [json!("confirmed")]);
    let gone = format!("!document.querySelector('.answers[data-card=\"{card}\"] [data-act=\"confirm\"]')");
    one.until(&gone).await.unwrap();
    other.until(&gone).await.unwrap();
}

#[tokio::test]
async fn of_a_confirm_and_a_dismiss_at_once_one_counts_and_the_other_is_told_so() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let (one, other, card) = two_phones(&mut browser, &house, &service).await;
    let (yes, no) = tokio::join!(one.tap(&card, "confirm"), other.tap(&card, "dismiss"));
    let (yes, no) = (yes.unwrap(), no.unwrap());
    let counted: Vec<&str> = [(&yes, "confirmed"), (&no, "dismissed")]
        .into_iter()
        .filter(|(answer, _)| **answer == Some(accepted()))
        .map(|(_, outcome)| outcome)
        .collect();
    let ended = outcomes(&service);
    match counted[..] {
        [one] => assert_eq!(ended, [json!(one)]),
        // A dismiss after the work began is feedback: both are taken, and it was done.
        _ => assert_eq!(ended, [json!("confirmed")], "{yes:?} {no:?}"),
    }
}

#[tokio::test]
async fn a_page_stays_open_while_its_server_is_killed_and_answers_the_same_card_after_it() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let port = service.port;
    let page = phone(&mut browser, &house, &service).await;
    stress(&service);
    let card = card(&service);
    page.until_card(&card).await.unwrap();
    service.kill();
    page.until("document.getElementById('status').textContent")
        .await
        .unwrap();
    page.until_card(&card).await.unwrap();

    let service = house.start_at(port);
    page.until("!document.getElementById('status').textContent")
        .await
        .unwrap();
    page.until_card(&card).await.unwrap();
    assert_eq!(page.tap(&card, "confirm").await.unwrap(), Some(accepted()));
    assert_eq!(outcomes(&service), [json!("confirmed")]);
}

#[tokio::test]
async fn a_card_that_came_while_the_phone_had_no_network_is_there_when_it_has_one_again() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let page = phone(&mut browser, &house, &service).await;
    page.until("document.querySelector('#now .quiet')").await.unwrap();
    page.offline(true).await.unwrap();
    // Somebody else's window keeps the surface connected: the card is made.
    let other = phone(&mut browser, &house, &service).await;
    stress(&service);
    let card = card(&service);
    other.until_card(&card).await.unwrap();
    // What was open already may bring the card; but it was not shown as long as nothing can be asked, and nothing of it can be answered.
    page.until("document.getElementById('status').textContent")
        .await
        .unwrap();
    let open = page
        .run("return !!document.querySelector('#now [data-act]:enabled');")
        .await
        .unwrap();
    assert_eq!(open, json!(false), "without a network nothing can be answered");
    page.offline(false).await.unwrap();
    page.until_card(&card).await.unwrap();
    assert_eq!(page.tap(&card, "dismiss").await.unwrap(), Some(accepted()));
    assert_eq!(outcomes(&service), [json!("dismissed")]);
}

#[tokio::test]
async fn a_card_is_answered_with_the_keyboard_alone() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let page = phone(&mut browser, &house, &service).await;
    stress(&service);
    let card = card(&service);
    page.until_card(&card).await.unwrap();
    page.keys("\u{e004}").await.unwrap();
    let skip = page
        .run("return document.activeElement.className;")
        .await
        .unwrap();
    assert_eq!(skip, json!("skip"), "the first stop leads to the card");
    page.keys("\u{e007}").await.unwrap();
    let mut stops = 0;
    while page
        .run("return document.activeElement.dataset.act || '';")
        .await
        .unwrap()
        != json!("confirm")
    {
        page.keys("\u{e004}").await.unwrap();
        stops += 1;
        assert!(
            stops < 5,
            "the buttons of the card come first behind the link to it"
        );
    }
    page.keys("\u{e007}").await.unwrap();
    assert_eq!(outcomes(&service), [json!("confirmed")]);
}

#[tokio::test]
async fn what_was_loaded_opens_while_aura_is_gone_and_nothing_of_it_can_be_answered() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let port = service.port;
    let page = phone(&mut browser, &house, &service).await;
    // The worker takes the page over, then each page that is loaded is kept.
    page.until("navigator.serviceWorker.controller").await.unwrap();
    for path in ["/body", "/"] {
        page.go(path).await.unwrap();
        page.run(KEPT).await.unwrap();
        page.until(&format!("window.kept?.includes('{path}')"))
            .await
            .unwrap();
    }
    service.kill();
    for path in ["/", "/body"] {
        page.go(path).await.unwrap();
        page.until("/as of \\d\\d:\\d\\d/.test(document.getElementById('status').textContent)")
            .await
            .unwrap();
    }
    page.go("/").await.unwrap();
    page.until("document.querySelectorAll('[data-pause]').length > 0")
        .await
        .unwrap();
    page.until("[...document.querySelectorAll('[data-pause]')].every((button) => button.disabled)")
        .await
        .unwrap();
    let token = page.run("return !!document.querySelector('meta[name=\"aura-page\"]');");
    assert_eq!(
        token.await.unwrap(),
        json!(false),
        "what is kept may change nothing"
    );
    page.go("/money").await.unwrap();
    page.until("document.querySelector('main.empty')").await.unwrap();

    let _service = house.start_at(port);
    page.go("/").await.unwrap();
    page.until("[...document.querySelectorAll('[data-pause]')].every((button) => !button.disabled)")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_code_that_comes_into_an_open_pair_page_is_taken_and_leaves_the_address() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let (page, code) = invited(&mut browser, PHONE, &house.path("data"), &service).await;
    page.go("/pair").await.unwrap();
    // As when the address with the code is opened in this tab: only the part behind # is new, and nothing is loaded.
    page.run(&format!(
        "history.pushState(null, '', '/pair'); location.hash = '{code}';"
    ))
    .await
    .unwrap();
    page.until_paired().await;
    let address = page.run("return location.href;").await.unwrap();
    assert!(!address.as_str().unwrap().contains(&code), "{address}");
}

#[tokio::test]
async fn a_muted_chat_is_unmuted_by_the_button_beside_it() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let page = phone(&mut browser, &house, &service).await;
    let say = |n: u32| {
        let payload =
            json!({"app": "org.example.chat", "channel": "Hostel 5", "sender": "Joss", "text": "haha"});
        signal(&format!("n{n}"), "notification", &payload)
    };
    let loud: Vec<Value> = (0..30).map(say).collect();
    let (status, reply) = service.request("POST", "/v1/signals", Some(&json!(loud)));
    assert_eq!(status, 202, "{reply}");
    stress(&service);
    let card = card(&service);
    page.until_card(&card).await.unwrap();
    assert_eq!(page.tap(&card, "confirm").await.unwrap(), Some(accepted()));
    // Its effect is there when its trace is: the page of chats is loaded until it names the mute.
    let unmute = "[data-unmute]";
    service.until("mute", |service| {
        let (_, chats) = service.request("GET", "/chats", None);
        chats.as_str()?.contains("data-unmute").then_some(())
    });
    restart_agents(&service);
    page.go("/chats").await.unwrap();
    page.until(&format!("document.querySelector('{unmute}:enabled')"))
        .await
        .unwrap();
    let label = format!("return document.querySelector('{unmute}').getAttribute('aria-label');");
    let label = page.run(&label).await.unwrap();
    assert!(
        label.as_str().is_some_and(|label| label.starts_with("Unmute ")),
        "{label}"
    );
    page.run(&format!("document.querySelector('{unmute}').click();"))
        .await
        .unwrap();
    page.until(&format!("!document.querySelector('{unmute}')"))
        .await
        .unwrap();
    let (_, chats) = service.request("GET", "/chats", None);
    assert!(chats.as_str().is_some_and(|page| !page.contains("data-unmute")));
}

#[tokio::test]
async fn the_drawers_close_stays_where_a_finger_finds_it_however_far_it_is_scrolled() {
    let (house, mut browser) = (House::new(), Browser::start().unwrap());
    let service = house.start();
    let page = phone(&mut browser, &house, &service).await;
    stress(&service);
    let card = card(&service);
    page.until_card(&card).await.unwrap();
    page.run("document.querySelector('#live [data-drawer]').click();")
        .await
        .unwrap();
    page.until("document.querySelector('dialog[open] .close')")
        .await
        .unwrap();
    // To the end of whatever scrolls in it.
    let reached = "
      const drawer = document.querySelector('dialog[open]');
      for (const part of [drawer, ...drawer.querySelectorAll('*')]) part.scrollTop = part.scrollHeight;
      const scrolled = [drawer, ...drawer.querySelectorAll('*')].some((part) => part.scrollTop > 0);
      const button = drawer.querySelector('.close');
      const at = button.getBoundingClientRect();
      const hit = document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2);
      return [scrolled, button.contains(hit)];";
    let found = page.run(reached).await.unwrap();
    assert_eq!(
        found,
        json!([true, true]),
        "it was scrolled, and Close is under the finger"
    );
    page.run("document.querySelector('dialog[open] .close').click();")
        .await
        .unwrap();
    page.until("!document.querySelector('dialog[open]')")
        .await
        .unwrap();
}
