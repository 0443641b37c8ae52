//! Streams, who is connected, and what counts as shown.
//!
//! What: real streams over a real server; each wait is for a call of the double, never for time. Why: attention is spent
//! by what was really shown. The backend is a double.

use crate::{
    client::{Server, server, within},
    morning::{CARD, TOKEN},
};
use surfaces::{
    backend::LiveKind,
    devices::{DeviceName, Scope},
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
        Self::of(server, surface, TOKEN).await
    }

    async fn of(server: &Server, surface: &str, token: &str) -> Self {
        let headers = format!("{}authorization: Bearer {token}\n", server.host());
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
        while !self.said.contains(text) {
            let mut bytes = [0; 4096];
            let n = within(self.stream.read(&mut bytes)).await.unwrap();
            assert!(n > 0, "the stream ended before {text:?}: {}", self.said);
            self.said.push_str(&String::from_utf8_lossy(&bytes[..n]));
        }
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
async fn events_carry_ids_only() {
    let server = server("brief").await;
    let mut phone = Events::open(&server, "phone").await;
    phone.until("event: hello").await;
    let card = CardId::parse(CARD).unwrap();
    server.double.say(1, LiveKind::Card(card.clone()));
    server.double.say(2, LiveKind::Closed(card));
    server
        .double
        .say(3, LiveKind::Tick(TraceId::parse("tr_silent000001").unwrap()));
    server.double.say(4, LiveKind::Status);
    phone.until("id: 1\nevent: card\ndata: c_morning00001\n\n").await;
    phone
        .until("id: 2\nevent: closed\ndata: c_morning00001\n\n")
        .await;
    phone.until("id: 3\nevent: tick\ndata: tr_silent000001\n\n").await;
    phone.until("id: 4\nevent: status\n").await;
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
    assert!(!face.contains("Garden committee"), "the watch shows no name");
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
}

#[tokio::test]
async fn more_than_eight_streams_of_a_device_or_thirty_two_in_all_are_refused() {
    let server = server("quiet").await;
    let mut open = Vec::new();
    let name = DeviceName::parse("Browser").unwrap();
    for browser in 0..4 {
        let (_, token) = server.devices.add(name.clone(), Scope::Owner).await.unwrap();
        for n in 1..=8 {
            let mut events = Events::of(&server, "phone", token.text()).await;
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
