//! Notifications in the owner's browsers, through the real actors, to a stand-in for a push service.
//!
//! What: what is pushed and what of it can be read by whom, who is told and who is not any more, and what a service that refuses, puts off or redirects changes:
//! nothing but that the browser was not told. Not here: the cryptography by its vectors, which addresses are opened (`aura_runtime::outbound::web_push`).

use super::{
    Afternoon,
    ntfy::{Manner, Server},
    on_actors, push,
    push_service::{HOST, PushService, StandInBrowser},
    ts, url,
};
use aura_runtime::{
    devices,
    outbound::{OutboundConfig, web_push::PushHost},
};
use serde_json::json;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        AnswerReply, AnswerSubmission, Backend, HealthFlag,
        notify::NotifyOutcome,
        web_push::{SubscriptionRefusal, SubscriptionWish, ToldBrowserState, WebPushBackend},
    },
    devices::{DeviceId, DeviceName, DeviceRegistry, DeviceScope},
};
use toolcall_schema::{Outcome, SubmitAct, Surface};

const DAY: (&str, &str) = ("watch-timeout", "2026-11-04T14:00:00+05:30");
/// When `BREATHE_478` is asked (`fixtures/days/watch-timeout`).
const ASKED: &str = "2026-11-04T14:03:00+05:30";

/// With the stand-in accepted and nobody told yet.
async fn begin(service: &PushService) -> Afternoon {
    begin_beside(service, &OutboundConfig::default()).await
}

async fn begin_beside(service: &PushService, outbound: &OutboundConfig) -> Afternoon {
    let mut outbound = outbound.clone();
    outbound.web_push.hosts = vec![PushHost::parse(HOST).unwrap()];
    Afternoon::begin_with(DAY.0, DAY.1, &outbound, Some(service)).await
}

fn registry(day: &Afternoon) -> Arc<DeviceRegistry> {
    Arc::clone(day.devices.as_ref().unwrap())
}

async fn paired(day: &Afternoon, name: &str) -> DeviceId {
    let name = DeviceName::parse(name).unwrap();
    let (device, _) = registry(day).add(name, DeviceScope::Owner).await.unwrap();
    device.id
}

/// A device whose browser is told.
async fn told(day: &Afternoon, browser: &StandInBrowser) -> DeviceId {
    let device = paired(day, "Anna's phone").await;
    let kept = day.system.backend.subscribe(device.clone(), browser.wish()).await;
    assert_eq!(kept.unwrap(), Ok(()));
    day.sign("a browser to tell", async |me| is_connected(me).await)
        .await;
    device
}

async fn is_connected(day: &Afternoon) -> bool {
    let look = day.system.backend.look().await.unwrap();
    look.state.surfaces.contains(&Surface::Push)
}

async fn states(day: &Afternoon) -> Vec<ToldBrowserState> {
    let view = day.system.backend.web_push().await.unwrap();
    view.browsers.into_iter().map(|browser| browser.state).collect()
}

#[test]
fn question_is_sealed_for_the_browser_with_the_words_of_the_ntfy_server_and_answered_on_the_page() {
    on_actors(async {
        let (service, browser, server) = (
            PushService::start(),
            StandInBrowser::new(1),
            Server::start(Manner::Well),
        );
        let mut day = begin_beside(&service, &push(&url(&server))).await;
        told(&day, &browser).await;
        day.until(ASKED).await;
        let (_, by_ntfy) = server.attempt();
        let pushed = service.next();
        assert!(browser.is_told_by(&pushed));
        let says = browser.open(&pushed.body);
        assert_eq!(
            (&says["title"], &says["body"]),
            (&by_ntfy["title"], &by_ntfy["message"])
        );
        assert_eq!(says["body"], "A moment to breathe?");
        let acts = says["answer"]["acts"].as_array().unwrap();
        let acts: Vec<&str> = acts.iter().filter_map(|button| button["act"].as_str()).collect();
        assert_eq!(acts[..2], ["confirm", "dismiss"]);
        // What its push service sees.
        let header = |name: &str| pushed.headers.get(name).map(String::as_str);
        assert_eq!(header("content-encoding"), Some("aes128gcm"));
        assert_eq!(header("topic"), Some("aura-card"));
        assert_eq!(header("ttl"), Some("60"));
        assert_eq!(header("host"), Some(HOST));
        let names: Vec<&str> = pushed.headers.keys().map(String::as_str).collect();
        let known = [
            "accept",
            "accept-encoding",
            "authorization",
            "content-encoding",
            "content-length",
            "content-type",
            "host",
            "topic",
            "ttl",
            "urgency",
            "user-agent",
        ];
        assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
        let seen = String::from_utf8_lossy(&pushed.body).to_lowercase();
        assert!(!seen.contains("breathe") && !seen.contains("aura"), "{seen}");

        day.is_shown_on_push().await;
        let card = day.system.backend.now().await.unwrap().card.unwrap();
        let prompt = card
            .prompts
            .iter()
            .find(|prompt| prompt.surface == Surface::Push)
            .unwrap();
        // With what a button of the notification sends.
        assert_eq!(says["answer"]["card"], json!(card.card_id));
        assert_eq!(says["answer"]["capability"], json!(prompt.capability));
        let answered = day.system.backend.answer(AnswerSubmission {
            card_id: card.card_id.clone(),
            act: SubmitAct::Confirm,
            surface: Surface::Push,
            capability: says["answer"]["capability"].as_str().map(str::to_owned),
        });
        assert!(matches!(answered.await.unwrap(), AnswerReply::Accepted { .. }));
        day.until("2026-11-04T14:03:10+05:30").await;
        assert_eq!(day.traces().pop().unwrap().outcome, Outcome::Confirmed);
        assert!(service.is_quiet(), "pushed once");
        day.end().await;
    });
}

#[test]
fn push_is_there_while_a_browser_is_told_and_outlives_a_start_and_goes_with_its_device() {
    on_actors(async {
        let (service, browser) = (PushService::start(), StandInBrowser::new(1));
        let day = begin(&service).await;
        assert!(!is_connected(&day).await, "nobody is told");
        let device = told(&day, &browser).await;
        // Two tabs of one browser are one.
        let again = day.system.backend.subscribe(device.clone(), browser.wish()).await;
        assert_eq!((again.unwrap(), states(&day).await.len()), (Ok(()), 1));
        let backend = &day.system.backend;
        let zone = chrono_tz::Asia::Kolkata;
        let anew = devices::open(
            &backend.vault,
            &day.system.store,
            day.clock.clone(),
            zone,
            &Arc::default(),
        );
        assert_eq!(anew.unwrap().subscriptions(), registry(&day).subscriptions());
        assert!(registry(&day).revoke(&device).await.unwrap());
        day.sign("nobody", async |me| !is_connected(me).await).await;
        assert_eq!(states(&day).await, []);
        let anew = devices::open(
            &backend.vault,
            &day.system.store,
            day.clock.clone(),
            zone,
            &Arc::default(),
        );
        assert_eq!(anew.unwrap().subscriptions(), []);
        day.end().await;
    });
}

#[test]
fn browser_that_its_service_does_not_know_any_more_is_removed_and_said_so() {
    for status in [404, 410] {
        on_actors(async move {
            let (service, browser) = (PushService::start(), StandInBrowser::new(1));
            let mut day = begin(&service).await;
            told(&day, &browser).await;
            service.behave(&browser, (status, ""));
            day.until(ASKED).await;
            assert!(browser.is_told_by(&service.next()));
            day.sign("nobody", async |me| !is_connected(me).await).await;
            assert_eq!(
                states(&day).await,
                [ToldBrowserState::Ended(ts("2026-11-04T14:03:00+05:30"))]
            );
            // It is no failure of the way, and nothing was shown.
            assert_eq!(day.flags().await, []);
            assert_eq!(day.shown().await, Some(vec![]));
            day.until("2026-11-04T14:04:10+05:30").await;
            assert!(service.is_quiet());
            day.end().await;
        });
    }
}

#[test]
fn service_that_says_later_is_left_alone_and_no_timer_changes() {
    on_actors(async {
        let (service, browser) = (PushService::start(), StandInBrowser::new(1));
        let mut day = begin(&service).await;
        let device = told(&day, &browser).await;
        service.behave(&browser, (429, "Retry-After: 3600\r\n"));
        day.until(ASKED).await;
        service.next();
        day.sign("flag", async |me| {
            me.flags().await == [HealthFlag::WebPushFailing]
        })
        .await;
        day.until("2026-11-04T14:04:00+05:30").await;
        assert_eq!(day.shown().await, None, "over after its 60 s");
        assert!(service.is_quiet(), "asked once");
        // A trial says why it did not go out.
        let tried = day.system.backend.try_web_push(device).await.unwrap();
        let NotifyOutcome::Failed(why) = tried else {
            panic!("{tried:?}")
        };
        assert!(why.contains("asked to retry in 3600 s"), "{why}");
        day.end().await;
    });
}

#[test]
fn service_that_fails_is_asked_again_and_one_that_redirects_is_not_followed() {
    on_actors(async {
        let (service, elsewhere) = (PushService::start(), Server::start(Manner::Well));
        let (browser, other) = (StandInBrowser::new(1), StandInBrowser::new(2));
        let mut day = begin(&service).await;
        told(&day, &browser).await;
        told(&day, &other).await;
        let location = format!("Location: http://{}/\r\n", elsewhere.address);
        service.behave(&browser, (302, Box::leak(location.into_boxed_str())));
        day.until(ASKED).await;
        day.is_shown_on_push().await;
        day.sign("flag", async |me| {
            me.flags().await == [HealthFlag::WebPushFailing]
        })
        .await;
        let mut attempts = [0, 0];
        while attempts[0] < 3 {
            let pushed = service.next();
            attempts[usize::from(other.is_told_by(&pushed))] += 1;
        }
        assert_eq!(attempts[1], 1, "who was told is not told again");
        assert!(elsewhere.is_quiet(), "no redirect is followed");
        service.behave(&browser, (201, ""));
        day.sign("all told", async |me| me.flags().await.is_empty()).await;
        assert_eq!(day.count("web_push", "done").await, 2);
        day.end().await;
    });
}

#[test]
fn trial_says_what_came_of_it_and_removes_what_is_gone() {
    on_actors(async {
        let (service, browser) = (PushService::start(), StandInBrowser::new(1));
        let day = begin(&service).await;
        let (device, other) = (told(&day, &browser).await, paired(&day, "Desk").await);
        let backend = &day.system.backend;
        assert_eq!(
            backend.try_web_push(device.clone()).await.unwrap(),
            NotifyOutcome::Sent
        );
        let says = browser.open(&service.next().body);
        assert_eq!(says["body"], "This is a trial: this browser hears from Aura.");
        assert_eq!(
            backend.try_web_push(other).await.unwrap(),
            NotifyOutcome::NobodyThere
        );
        for (manner, says) in [
            ((500, ""), "the push service answered 500"),
            ((302, "Location: https://push.example.net/\r\n"), "answered 302"),
            ((410, ""), "does not know this browser any more"),
        ] {
            service.behave(&browser, manner);
            let tried = backend.try_web_push(device.clone()).await.unwrap();
            let NotifyOutcome::Failed(why) = tried else {
                panic!("{tried:?}")
            };
            assert!(why.contains(says), "{why}");
        }
        assert!(matches!(states(&day).await[..], [ToldBrowserState::Ended(_)]));
        day.end().await;
    });
}

#[test]
fn what_is_no_browsers_or_another_devices_or_too_much_is_refused_with_its_reason() {
    on_actors(async {
        let service = PushService::start();
        let day = begin(&service).await;
        let device = told(&day, &StandInBrowser::new(1)).await;
        let other = paired(&day, "Desk").await;
        let subscribe =
            async |device: &DeviceId, wish| day.system.backend.subscribe(device.clone(), wish).await.unwrap();
        let at = |endpoint: &str| SubscriptionWish {
            endpoint: endpoint.to_owned(),
            ..StandInBrowser::new(9).wish()
        };
        for (endpoint, refusal) in [
            ("https://evil.example/x".to_owned(), SubscriptionRefusal::Host),
            ("https://127.0.0.1/x".to_owned(), SubscriptionRefusal::Address),
            ("https://10.0.0.7/x".to_owned(), SubscriptionRefusal::Address),
            (format!("http://{HOST}/x"), SubscriptionRefusal::Address),
            (format!("https://{HOST}:8443/x"), SubscriptionRefusal::Address),
            (format!("https://me:word@{HOST}/x"), SubscriptionRefusal::Address),
            (
                format!("https://{HOST}/{}", "x".repeat(5000)),
                SubscriptionRefusal::Address,
            ),
        ] {
            assert_eq!(subscribe(&other, at(&endpoint)).await, Err(refusal), "{endpoint}");
        }
        let off_curve = SubscriptionWish {
            p256dh: data_encoding::BASE64URL_NOPAD.encode(&[4; 65]),
            ..StandInBrowser::new(9).wish()
        };
        assert_eq!(subscribe(&other, off_curve).await, Err(SubscriptionRefusal::Keys));
        let same = StandInBrowser::new(1).wish();
        assert_eq!(subscribe(&other, same).await, Err(SubscriptionRefusal::Elsewhere));
        for number in 2..4 {
            assert_eq!(
                subscribe(&device, StandInBrowser::new(number).wish()).await,
                Ok(())
            );
        }
        let fourth = StandInBrowser::new(4).wish();
        assert_eq!(
            subscribe(&device, fourth).await,
            Err(SubscriptionRefusal::TooMany)
        );
        assert_eq!(states(&day).await.len(), 3);
        assert!(service.is_quiet(), "subscribing opens no connection");
        day.end().await;
    });
}

#[test]
fn without_an_accepted_service_no_browser_is_taken_and_nothing_is_pushed() {
    on_actors(async {
        let service = PushService::start();
        let mut day = Afternoon::begin_with(DAY.0, DAY.1, &OutboundConfig::default(), Some(&service)).await;
        let device = paired(&day, "Anna's phone").await;
        let wish = StandInBrowser::new(1).wish();
        let refused = day.system.backend.subscribe(device, wish).await.unwrap();
        assert_eq!(refused, Err(SubscriptionRefusal::Off));
        day.until("2026-11-04T14:10:00+05:30").await;
        assert!(service.is_quiet());
        day.end().await;
    });
}
