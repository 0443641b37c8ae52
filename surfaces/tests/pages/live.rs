//! Streams, who is connected, and what counts as shown.
//!
//! What: real streams over a real server; each wait is for a call of the double, never for time. Why: attention is spent
//! by what was really shown. The backend is a double.

use crate::{
    client::{Server, server, within},
    morning::{CARD, TOKEN},
};
use surfaces_base::{
    backend::UiEventKind,
    devices::{DeviceName, DeviceScope},
};
use tokio::{io::AsyncReadExt, net::TcpStream};
use toolcall_schema::ids::{CardId, TraceId};

/// A stream and what it has said so far.
pub(crate) struct Events {
    stream: TcpStream,
    said: String,
}

impl Events {
    pub(crate) async fn open(server: &Server, surface: &str) -> Self {
        Self::heard_by(server, surface, TOKEN, None).await
    }

    /// As a page that comes back: with the id of its last event.
    pub(crate) async fn again(server: &Server, surface: &str, last: Option<&str>) -> Self {
        Self::heard_by(server, surface, TOKEN, last).await
    }

    async fn heard_by(server: &Server, surface: &str, token: &str, last: Option<&str>) -> Self {
        let last = last.map_or_else(String::new, |id| format!("last-event-id: {id}\n"));
        let headers = format!("{}authorization: Bearer {token}\n{last}", server.host());
        let stream = server
            .open(&format!("GET /events?surface={surface}"), &headers, "")
            .await;
        Self {
            stream,
            said: String::new(),
        }
    }

    /// Reads on until this text was said.
    pub(crate) async fn until(&mut self, text: &str) {
        // The whole wait is bounded: comments that keep the stream alive would renew a bound on each read.
        within(async {
            while !self.said.contains(text) {
                let mut bytes = [0; 4096];
                let n = self.stream.read(&mut bytes).await.unwrap();
                assert!(n > 0, "the stream ended before {text:?}: {}", self.said);
                self.said.push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
        })
        .await;
    }

    /// The name of the process that speaks, from what a page hears first.
    async fn process(&mut self) -> String {
        self.until("event: anew\ndata: -\n\n").await;
        let (before, _) = self.said.split_once("\nevent: anew").unwrap();
        let (_, id) = before.rsplit_once("id: ").unwrap();
        id.rsplit_once('-').unwrap().0.to_owned()
    }

    /// What was said by name, in order, with its id: `12 card`, and what had none as `hello`.
    fn heard(&self) -> Vec<String> {
        self.said
            .split("\n\n")
            .filter_map(|event| {
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let number = field("id: ").and_then(|id| id.rsplit_once('-'));
                let name = field("event: ")?;
                Some(number.map_or_else(|| name.to_owned(), |(_, number)| format!("{number} {name}")))
            })
            .collect()
    }

    /// Reads on until the other side closes.
    async fn ended(mut self) {
        let mut rest = Vec::new();
        within(self.stream.read_to_end(&mut rest)).await.unwrap();
    }
}

#[tokio::test]
async fn an_open_stream_is_a_connected_surface_until_it_ends() {
    let server = server("brief").await;
    let mut phone = Events::open(&server, "phone").await;
    phone.until("event: hello\nretry: 1000\ndata: 1 ").await;
    let mut watch = Events::open(&server, "watch").await;
    watch.until("event: hello\nretry: 1000\ndata: 2 ").await;
    drop(phone);
    server.called("disconnected PHONE_CARD 1").await;
    drop(watch);
    server.called("disconnected WATCH 2").await;
    assert_eq!(
        server.log(),
        [
            "connected PHONE_CARD 1",
            "connected WATCH 2",
            "disconnected PHONE_CARD 1",
            "disconnected WATCH 2"
        ]
    );
}

#[tokio::test]
async fn a_card_that_comes_stands_on_the_stream_of_its_surface_ahead_of_its_event() {
    let of_phone = "event: now\ndata: <section id=\"now\"";
    for (morning, card, surface, region) in [
        ("brief", CARD, "phone", Some(of_phone)),
        // The same card that the watch asks about, as the phone shows it.
        ("mute", "c_mute00000001", "phone", Some(of_phone)),
        (
            "mute",
            "c_mute00000001",
            "watch",
            Some("event: now\ndata: <section class=\"face\""),
        ),
        // It is no card of the watch's; and a page without cards has no place for one.
        ("spend", "c_spend0000001", "watch", None),
        ("brief", CARD, "app", None),
    ] {
        let case = format!("{morning} {surface}");
        let server = server(morning).await;
        let mut page = Events::open(&server, surface).await;
        page.process().await;
        server
            .double
            .say(1, UiEventKind::Card(CardId::parse(card).unwrap()));
        page.until(&format!("-1\nevent: card\ndata: {card}\n\n")).await;
        let brought = page.said.split("\n\n").find(|event| event.contains("event: now"));
        let drawn = brought.is_some_and(|event| {
            region.is_some_and(|region| event.contains(region))
                && event.contains(&format!("data-card=\"{card}\""))
        });
        assert_eq!(
            (brought.is_some(), drawn),
            (region.is_some(), region.is_some()),
            "{case}: {}",
            page.said
        );
        let heard = if region.is_some() {
            vec!["hello", "0 anew", "now", "1 card"]
        } else {
            vec!["hello", "0 anew", "1 card"]
        };
        assert_eq!(page.heard(), heard, "{case}");
        // It counts as shown when the page asked for it, which a hidden one does not.
        assert!(
            server.log().iter().all(|line| !line.starts_with("shown")),
            "{case}"
        );
    }
}

#[tokio::test]
async fn events_carry_ids() {
    let server = server("brief").await;
    let mut phone = Events::open(&server, "phone").await;
    let process = phone.process().await;
    let card = CardId::parse(CARD).unwrap();
    server.double.say(1, UiEventKind::Card(card.clone()));
    server.double.say(2, UiEventKind::Closed(card));
    server
        .double
        .say(3, UiEventKind::Tick(TraceId::parse("tr_silent000001").unwrap()));
    server.double.say(4, UiEventKind::Status);
    server.double.say(5, UiEventKind::Runs);
    server.double.say(6, UiEventKind::Trial);
    for event in [
        "1\nevent: card\ndata: c_morning00001\n\n",
        "2\nevent: closed\ndata: c_morning00001\n\n",
        "3\nevent: tick\ndata: tr_silent000001\n\n",
        // Without data a browser would not tell the page.
        "4\nevent: status\ndata: -\n\n",
        "5\nevent: runs\ndata: -\n\n",
        "6\nevent: trial\ndata: -\n\n",
    ] {
        phone.until(&format!("id: {process}-{event}")).await;
    }
}

#[tokio::test]
async fn who_was_cut_off_gets_what_was_missed_once() {
    let server = server("brief").await;
    let mut phone = Events::open(&server, "phone").await;
    let process = phone.process().await;
    server.double.say(1, UiEventKind::Status);
    server.double.say(2, UiEventKind::Status);
    phone.until(&format!("id: {process}-2\n")).await;
    drop(phone);
    // Both while it is gone and before it is missed: the numbers alone say what is missing.
    server.double.say(3, UiEventKind::Status);
    server.called("disconnected PHONE_CARD 1").await;
    server.double.say(4, UiEventKind::Status);
    let mut back = Events::again(&server, "phone", Some(&format!("{process}-2"))).await;
    back.until(&format!("id: {process}-4\n")).await;
    server.double.say(5, UiEventKind::Status);
    back.until(&format!("id: {process}-5\nevent: status\n")).await;
    assert_eq!(back.heard(), ["hello", "3 status", "4 status", "5 status"]);
}

#[tokio::test]
async fn who_was_away_too_long_or_comes_from_another_process_reads_everything_anew() {
    let server = server("brief").await;
    let mut phone = Events::open(&server, "phone").await;
    let process = phone.process().await;
    // 257 events: the first is not kept any more. One at a time, so that none is dropped on the way.
    for id in 1..=257 {
        server.double.say(id, UiEventKind::Status);
        phone.until(&format!("id: {process}-{id}\n")).await;
    }
    for (last, heard) in [
        (format!("{process}-0"), vec!["hello", "257 anew"]),
        ("0123456789ab-257".to_owned(), vec!["hello", "257 anew"]),
        (format!("{process}-999"), vec!["hello", "257 anew"]),
        ("<script>".to_owned(), vec!["hello", "257 anew"]),
        (format!("{process}-256"), vec!["hello", "257 status"]),
    ] {
        let mut back = Events::again(&server, "watch", Some(&last)).await;
        back.until(&format!("id: {process}-257\n")).await;
        back.until("\n\n").await;
        assert_eq!(back.heard(), heard, "{last}");
        // What may go on by itself looks at once; for any other page "anew" is the one look, which counts as one showing.
        assert_eq!(
            back.said.contains(" resumed\n"),
            last.starts_with(&process),
            "{last}"
        );
    }
}

#[tokio::test]
async fn what_the_backend_dropped_is_a_gap_that_every_page_hears_of() {
    let server = server("brief").await;
    let mut phone = Events::open(&server, "phone").await;
    let process = phone.process().await;
    server.double.say(1, UiEventKind::Status);
    phone.until(&format!("id: {process}-1\n")).await;
    server.double.say(9, UiEventKind::Status);
    phone.until(&format!("id: {process}-9\nevent: anew\n")).await;
    server.double.say(10, UiEventKind::Status);
    phone.until(&format!("id: {process}-10\nevent: status\n")).await;
    assert_eq!(
        phone.heard(),
        ["hello", "0 anew", "1 status", "9 anew", "10 status"]
    );
}

#[tokio::test]
async fn a_card_is_shown_only_when_a_connected_page_of_its_surface_got_it() {
    let server = server("brief").await;
    let mut phone = Events::open(&server, "phone").await;
    phone.until("data: 1 ").await;
    let mut watch = Events::open(&server, "watch").await;
    watch.until("data: 2 ").await;
    // A program that reads, a stream that is not there, and a watch asking for the phone's fragment show nothing.
    for path in [
        "/",
        "/v1/now",
        "/fragment/now",
        "/fragment/now?c=9",
        "/fragment/now?c=2",
        "/fragment/watch?c=2",
    ] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    assert!(
        server
            .get("/fragment/now?c=1")
            .await
            .body
            .contains("data-card=\"c_morning00001\"")
    );
    server.called("shown c_morning00001 PHONE_CARD").await;
    let shown = server
        .log()
        .into_iter()
        .filter(|line| line.starts_with("shown"))
        .count();
    assert_eq!(shown, 1);
}

#[tokio::test]
async fn a_question_of_the_watch_is_mirrored_on_the_phone() {
    let server = server("mute").await;
    let mut watch = Events::open(&server, "watch").await;
    watch.until("data: 1 ").await;
    let face = server.get("/fragment/watch?c=1").await.body;
    // Two of eight seconds have passed: a quarter of the ring.
    assert!(
        face.contains(r#"data-left-ms="6000" data-whole-ms="8000""#),
        "{face}"
    );
    assert!(face.contains(r#"stroke-dashoffset="25""#), "{face}");
    // Which chat is meant stands above the line, which has no name in it.
    assert!(
        face.contains(r#"<p class="about"><bdi>Garden committee</bdi></p>"#)
            && face.matches("Garden committee").count() == 1,
        "{face}"
    );
    server.called("shown c_mute00000001 WATCH").await;
    let phone = server.get("/fragment/now").await.body;
    assert!(phone.contains("Mute Garden committee for 30 minutes?"), "{phone}");
    assert!(
        phone.contains(r#"data-left-ms="58000" data-whole-ms="60000""#),
        "{phone}"
    );
}

#[tokio::test]
async fn the_watch_does_not_show_a_card_of_the_phone() {
    let server = server("spend").await;
    let face = server.get("/fragment/watch").await.body;
    assert!(
        face.contains("Nothing now") && !face.contains("data-card"),
        "{face}"
    );
    // At rest: the owner's time, and a dot for each interruption.
    let at = server.double.view.lock().unwrap().at;
    assert!(
        face.contains(&format!(r#"data-clock="Asia/Kolkata" data-at="{}""#, at.ms())),
        "{face}"
    );
    assert!(face.contains(r#"<span class="dots""#), "{face}");
}

#[tokio::test]
async fn more_than_eight_streams_of_a_device_or_thirty_two_in_all_are_refused() {
    let server = server("quiet").await;
    let mut open = Vec::new();
    let name = DeviceName::parse("Browser").unwrap();
    for browser in 0..4 {
        let (_, token) = server
            .devices
            .add(name.clone(), DeviceScope::Owner)
            .await
            .unwrap();
        for n in 1..=8 {
            let mut events = Events::heard_by(&server, "phone", token.text(), None).await;
            events.until(&format!("data: {} ", browser * 8 + n)).await;
            open.push(events);
        }
        let headers = format!("{}authorization: Bearer {}\n", server.host(), token.text());
        let ninth = server.raw("GET /events?surface=phone", &headers, "").await;
        assert_eq!((ninth.status, ninth.body.contains("WEB-010")), (503, true));
    }
    let answer = server.get("/events?surface=phone").await;
    assert_eq!((answer.status, answer.body.contains("WEB-010")), (503, true));
    open.clear();
    server.called("disconnected PHONE_CARD 32").await;
}

#[tokio::test]
async fn stopping_ends_the_streams_and_the_server() {
    let server = server("quiet").await;
    let mut phone = Events::open(&server, "phone").await;
    phone.until("event: hello").await;
    server.stop.send(()).unwrap();
    phone.ended().await;
    within(server.ended).await.unwrap().unwrap();
    let mut log = server.double.log.subscribe();
    within(log.wait_for(|log| log.iter().any(|line| line == "disconnected PHONE_CARD 1")))
        .await
        .unwrap();
}
