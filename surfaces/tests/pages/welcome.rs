//! The welcome, and where a page leads to it.
//!
//! What: its screens, the places that it asks for, and the way to sources from a page without any. Not here: the forms (`settings`).

use crate::{
    client::{Answer, Server, proven_cookie, send, server},
    settings::owners,
    settings_double::{home, source},
};
use serde_json::json;
use std::sync::atomic::Ordering;
use surfaces_base::backend::settings::{SourceRestView, SourceState, SourceView};
use toolcall_schema::{ReasonCode, SourceKind};

#[tokio::test]
async fn welcome_goes_on_where_it_was_left_and_ends_when_its_owner_says_so() {
    let server = owners(Some(3)).await;
    let at = |answer: &Answer| {
        let location = answer
            .head
            .lines()
            .find_map(|line| line.strip_prefix("location: "));
        (answer.status, location.unwrap_or_default().to_owned())
    };
    assert_eq!(at(&server.get("/").await), (303, "/welcome".to_owned()));
    let step = async |server: &Server| {
        let page = server.get("/welcome").await.body;
        let (_, step) = page.split_once("Step ").unwrap();
        step.chars().next().unwrap()
    };
    assert_eq!(step(&server).await, '3');
    assert_eq!(server.post("/form/welcome", r#"{"next":5}"#).await.status, 204);
    assert_eq!(step(&server).await, '5');
    assert_eq!(server.post("/form/welcome", r#"{"next":7}"#).await.status, 400);
    assert_eq!(server.post("/form/welcome", "{}").await.status, 204);
    assert_eq!(server.get("/").await.status, 200);
    assert_eq!(server.get("/welcome/0").await.status, 404);
    assert_eq!(server.get("/welcome/7").await.status, 404);
    // The demo has none.
    *server.double.home.lock().unwrap() = None;
    assert_eq!(server.get("/welcome").await.status, 404);
    assert_eq!(server.get("/").await.status, 200);
}

#[tokio::test]
async fn each_screen_says_its_own_and_none_names_a_command() {
    let server = owners(Some(1)).await;
    let cookie = proven_cookie(&server).await;
    for (number, wanted) in [
        (
            1,
            "Nothing leaves this computer unless you name a server yourself.",
        ),
        (2, "It lies in the file /home/kavin/.config/aura/key."),
        (3, r#"data-allow="calendar""#),
        (4, r#"name="addresses""#),
        (5, "They need a notification server of your own."),
        (5, "<a href=\"/settings#ntfy.server\">Set it up</a>"),
        (6, "37 messages"),
    ] {
        let headers = format!("{}{cookie}", server.host());
        let page = server
            .raw(&format!("GET /welcome/{number}"), &headers, "")
            .await
            .body;
        assert!(page.contains(wanted), "{number} lacks {wanted}: {page}");
        assert!(page.contains(&format!("Step {number} of 6")), "{number}");
        let live = page.split("<template").next().unwrap();
        for command in ["aura ", "<code", "`", "home.toml"] {
            let found = live.find(command).map(|at| &live[at..live.len().min(at + 40)]);
            assert_eq!(found, None, "{number}");
        }
    }
    let mut nothing = home();
    nothing.sources.clear();
    *server.double.home.lock().unwrap() = Some(nothing);
    let last = server.get("/welcome/6").await.body;
    assert!(
        last.contains("I may read nothing yet, so I have nothing to say."),
        "{last}"
    );
    assert!(!last.contains("data-tick"), "{last}");
    let key = server.get("/welcome/2").await.body;
    assert!(
        key.contains("It lies in the file /home/kavin/.config/aura/key."),
        "{key}"
    );
    assert!(
        !key.contains("data-post"),
        "only the owner's own browser changes it: {key}"
    );
}

#[tokio::test]
async fn places_of_a_calendar_are_asked_once_and_what_was_said_can_be_changed() {
    let server = owners(None).await;
    let (own, paired) = (server.host(), server.cookie());
    let calendar = source(SourceKind::Calendar, "/home/kavin/.calendars");
    let known = SourceView {
        source: calendar,
        place: "~/.calendars".to_owned(),
        state: SourceState::There,
    };
    server
        .double
        .home
        .lock()
        .unwrap()
        .as_mut()
        .unwrap()
        .sources
        .push(known);
    let body = json!({ "list": "calendar", "path": "/home/kavin/.calendars" });
    let shown = send(&server, &own, &paired, "/form/sources/look", &body)
        .await
        .body;
    for part in [
        "How far is it from your home?",
        r#"<bdi>Town &lt;hall&gt;</bdi><select data-place="lo_0000000000000001" data-was=""><option value="" selected>"#,
        "2 places whose way you told",
        r#"<select data-place="lo_0000000000000002" data-was="20">"#,
        r#"<option value="20" selected>20 minutes</option>"#,
        // Written by hand into the file.
        r#"<option value="25" selected>25 min</option>"#,
        "Pune: about 120 km from your home, as the crow flies.",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let page = server
        .raw("GET /welcome/4", &format!("{own}{paired}"), "")
        .await
        .body;
    assert!(
        page.contains("Places in your calendar") && page.contains(r#"data-look="calendar""#),
        "{page}"
    );
    let answer = json!({ "shown": "5".repeat(64), "places": [
        { "place": "lo_0000000000000001", "minutes": 20 }, { "place": "lo_0000000000000002", "minutes": null },
    ] });
    let taken = send(&server, &own, &paired, "/form/settings", &answer).await;
    assert_eq!(taken.status, 200, "{}", taken.body);
    let log = server.log().join("\n");
    assert!(
        log.contains(r#"PlaceAnswer { place: "lo_0000000000000001", minutes: Some(20) }"#),
        "{log}"
    );
    let bad = json!({ "shown": "", "places": [{ "place": "a\nb", "minutes": 1 }] });
    assert_eq!(
        send(&server, &own, &paired, "/form/settings", &bad).await.status,
        400
    );
}

#[tokio::test]
async fn now_leads_to_allowing_a_source_while_nothing_is_read() {
    let server = server("quiet").await;
    let now = async || server.get("/").await.body;
    const LINK: &str = r#"href="/settings#sources""#;
    assert!(
        !now().await.contains(LINK),
        "there is no file that a form could change"
    );
    *server.double.home.lock().unwrap() = Some(home());
    assert!(!now().await.contains(LINK), "something is read");
    for (state, says) in [
        (
            Some(SourceState::Paused),
            "Everything that would stand here is paused.",
        ),
        (None, "I read nothing yet. Allow your mail"),
    ] {
        {
            let mut home = server.double.home.lock().unwrap();
            let sources = &mut home.as_mut().unwrap().sources;
            match state {
                Some(state) => sources[0].state = state,
                None => sources.clear(),
            }
        }
        let page = now().await;
        assert!(page.contains(says) && page.contains(LINK), "{says}: {page}");
        for (path, filled) in [("/money", "a statement of your bank"), ("/body", "your watch")] {
            let section = server.get(path).await.body;
            assert!(
                section.contains(filled) && section.contains(LINK),
                "{path}: {section}"
            );
        }
        let fragment = server.get("/fragment/now").await.body;
        assert!(fragment.contains(LINK), "{fragment}");
        let chats = server.get("/chats").await.body;
        assert!(chats.contains(LINK), "{chats}");
    }
}

#[tokio::test]
async fn each_source_has_a_bar_of_its_own_while_it_is_read() {
    let server = owners(Some(3)).await;
    let read = SourceView {
        source: source(SourceKind::Mail, "/home/kavin/Archive"),
        place: "~/Archive".to_owned(),
        state: SourceState::There,
    };
    server
        .double
        .home
        .lock()
        .unwrap()
        .as_mut()
        .unwrap()
        .sources
        .push(read);
    for path in ["/welcome/3", "/welcome/6", "/settings"] {
        let page = server.get(path).await.body;
        for part in [
            "37 messages of the last 24 hours",
            r#"<bdi>~/Maildir</bdi></p><progress max="8192" value="4096" aria-label="Reading ~/Maildir"></progress>"#,
            r#"<bdi>~/Archive</bdi>: read</p><progress max="1" value="1" aria-label="Reading ~/Archive"></progress>"#,
        ] {
            assert!(page.contains(part), "{path} lacks {part}: {page}");
        }
    }
    // Its own row says so as well, and asks again until it is read.
    let page = server.get("/settings").await.body;
    let row = r#"<bdi>“~/Maildir”</bdi> is being read</p><progress max="8192" value="4096" aria-label="Reading ~/Maildir"></progress><span data-again-ms="1500" hidden></span>"#;
    assert!(page.contains(row), "{page}");
    assert!(page.contains("<bdi>“~/Archive”</bdi> is read</p>"), "{page}");
}

#[tokio::test]
async fn a_source_that_an_answer_had_no_room_to_name_is_not_called_read() {
    let server = owners(Some(3)).await;
    let read = SourceView {
        source: source(SourceKind::Mail, "/home/kavin/Archive"),
        place: "~/Archive".to_owned(),
        state: SourceState::There,
    };
    server
        .double
        .home
        .lock()
        .unwrap()
        .as_mut()
        .unwrap()
        .sources
        .push(read);
    // With the Maildir 64 are named, as many as an answer can.
    let rest = SourceRestView { left: 0, most: 0 };
    let others = (1..64).map(|n| (format!("{n:016x}"), rest));
    server.double.other_rests.lock().unwrap().extend(others);
    let page = server.get("/welcome/3").await.body;
    assert!(!page.contains("<bdi>~/Archive</bdi>: read"), "{page}");
    for part in [
        r#"value="4096" aria-label="Reading ~/Maildir">"#,
        r#"<p class="note">All the others</p><progress"#,
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[tokio::test]
async fn what_no_page_was_open_for_is_one_tap_away_and_in_the_welcome_looked_for_at_once() {
    let server = server("quiet").await;
    server.double.view.lock().unwrap().last_silent = Some(ReasonCode::NoSurface);
    let says = "No page of mine was open then, so I kept it back.";
    let now = server.get("/fragment/now").await.body;
    assert!(
        now.contains(says) && now.contains("data-tick") && !now.contains("data-look-first"),
        "{now}"
    );
    assert!(
        now.contains("<h2>I had something for you</h2>") && !now.contains("All quiet"),
        "{now}"
    );
    assert!(!now.contains("once a page is open"), "{now}");
    let welcome = async || server.get("/fragment/now?welcome=true").await.body;
    // Not before all is read.
    let reading = welcome().await;
    assert!(!reading.contains("data-look-first"), "{reading}");
    server.double.is_read.store(true, Ordering::Relaxed);
    let read = welcome().await;
    assert!(read.contains(says) && read.contains("data-look-first"), "{read}");
    // It has not looked at all yet.
    server.double.view.lock().unwrap().last_silent = None;
    let first = welcome().await;
    assert!(first.contains("data-look-first"), "{first}");
    // Beside decisions nobody needs a first look.
    let now = server.get("/fragment/now").await.body;
    assert!(!now.contains("data-look-first"), "{now}");
}
