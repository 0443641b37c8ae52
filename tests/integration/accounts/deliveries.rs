//! What the owner confirmed reaches her server.
//!
//! What: a decline that she confirmed is her answer on a real server, once, whoever is away or killed meanwhile; Undo takes it back; an event that
//! somebody changed is left alone. Why: executing ends with the outbox, and all that follows is told and can be taken back. Not here: the requests
//! (`writing`).

use super::{
    Household, PASSWORD,
    proxy::{AnswerFate, CuttingProxy},
    radicale::Radicale,
    until_on_agenda,
};
use crate::support::{Service, afternoon_zone, command::aura, meeting_household::MeetingHousehold};
use aura_runtime::control::{self, ControlReply, ControlRequest};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use std::{fs, sync::mpsc, time::Duration};

const PATH: &str = "/kim/work/demo.ics";

fn event(uid: &str, minutes: [i64; 2], created: &str, more: &str) -> String {
    let at = |minutes| (Utc::now() + TimeDelta::minutes(minutes)).format("%Y%m%dT%H%M%SZ");
    let [from, to] = minutes.map(at);
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:{uid}@example.org\r\nDTSTAMP:20261101T000000Z\r\n\
         CREATED:{created}T000000Z\r\nDTSTART:{from}\r\nDTEND:{to}\r\nSUMMARY:Event {uid}\r\n{more}END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

/// A server with a meeting that the owner accepted, and a later invitation at the same time.
fn server() -> Radicale {
    let server = Radicale::start_plain("kim", PASSWORD);
    server.make_calendar("/kim/work/");
    server.put("/kim/work/board.ics", &event("board", [120, 180], "20261020", ""));
    server.put(PATH, &event("demo", [150, 210], "20261102", INVITED));
    server
}

const INVITED: &str = "ORGANIZER:mailto:asha@example.org\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:asha@example.org\r\n\
    ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:kim@example.org\r\n";

/// A household whose calendars lie at this address.
fn household(address: &str, write: bool) -> Household {
    let household = Household::new();
    let zone = afternoon_zone();
    fs::write(
        household.home(),
        format!(
            "zone = \"{zone}\"\naddresses = [\"kim@example.org\"]\n[[accounts]]\nname = \"work\"\nkind = \"caldav\"\naddress = \"{address}\"\n\
             user = \"kim\"\nprivate = true\nwrite = {write}\n"
        ),
    )
    .unwrap();
    household
}

fn log_in(household: &Household, service: &Service) {
    household.source(service, &["login", "work", "--stdin"], &format!("{PASSWORD}\n"));
    service.until("look", |_| {
        let report = household.look(service);
        (report["entries"] == 2 && report["failure"].is_null()).then_some(())
    });
}

/// Has the owner asked whether the invitation is declined.
fn asked(service: &Service) -> Value {
    until_on_agenda(service, "Event demo", true);
    let mut looks = 0;
    service.until("the offer of a decline", |service| {
        // One tick rests before the next.
        if looks % 50 == 0 {
            MeetingHousehold::unlock(service, &format!("u{looks}"));
        }
        looks += 1;
        let card = service.now()["card"].clone();
        (card["decision"]["chosen"]["kind"] == "DECLINE_EVENT").then_some(card)
    })
}

/// How the one delivery stands, as `aura status --json` has it; `None`: there is none.
pub(super) fn delivery(household: &Household) -> Option<Value> {
    let Ok(Some(ControlReply::Status(status))) = control::ask(&household.data(), &ControlRequest::Status)
    else {
        return None;
    };
    let deliveries = status["deliveries"].as_array().unwrap();
    assert!(deliveries.len() <= 1, "{deliveries:?}");
    deliveries.first().cloned()
}

pub(super) fn until_state(household: &Household, service: &Service, state: &str) -> Value {
    service.until(state, |_| {
        delivery(household).filter(|delivery| delivery["state"]["is"] == state)
    })
}

/// What the page of the owner's acts says, once it says this.
pub(super) fn until_told(service: &Service, says: &str) -> String {
    service.until(says, |service| {
        let (_, page) = service.request("GET", "/history", None);
        let page = page.as_str()?.to_owned();
        page.contains(says).then_some(page)
    })
}

/// Takes back the newest act.
pub(super) fn undo(household: &Household, service: &Service) {
    service.until("undo", |_| {
        let (home, data) = (household.home(), household.data());
        let key = data.with_extension("key");
        let [home, data, key] = [&home, &data, &key].map(|path| path.to_str().unwrap());
        let args = ["undo", "--home", home, "--data", data, "--key-file", key];
        let (code, _, _) = aura(&args, b"");
        (code == Some(0)).then_some(())
    });
}

fn answer(server: &Radicale) -> &'static str {
    let text = server.get(PATH).unwrap();
    ["DECLINED", "NEEDS-ACTION"]
        .into_iter()
        .find(|part| text.contains(part))
        .unwrap()
}

#[test]
fn decline_that_was_confirmed_is_on_the_server_and_taken_back_with_undo() {
    let server = server();
    let address = format!("http://127.0.0.1:{}/kim/", server.port);
    let household = household(&address, true);
    let service = household.service();
    log_in(&household, &service);
    let _phone = service.phone();
    service.confirm(&asked(&service));
    until_state(&household, &service, "delivered");
    assert_eq!(answer(&server), "DECLINED");
    let page = until_told(&service, "has it.");
    assert!(
        page.contains("You decline") && !page.contains("nothing was sent"),
        "{page}"
    );
    undo(&household, &service);
    until_state(&household, &service, "removed");
    assert_eq!(answer(&server), "NEEDS-ACTION");
    until_told(&service, "no longer has it.");
}

/// The event beside which a page offers to decline it; `None`: there is none.
fn declinable(service: &Service, path: &str) -> Option<String> {
    let (_, page) = service.request("GET", path, None);
    let page = page.as_str()?.to_owned();
    let offers = page.split("data-decline=\"").skip(1);
    let mut offers: Vec<&str> = offers.filter_map(|rest| rest.split('"').next()).collect();
    offers.dedup();
    assert!(offers.len() < 2, "{offers:?}");
    Some((*offers.first()?).to_owned())
}

#[test]
fn invitation_declined_on_the_agenda_is_on_the_server_and_taken_back_with_undo() {
    let server = server();
    let address = format!("http://127.0.0.1:{}/kim/", server.port);
    let household = household(&address, true);
    let service = household.service();
    log_in(&household, &service);
    until_on_agenda(&service, "Event demo", true);
    // Offered beside the invitation alone, and on its page: what the owner accepted is not offered.
    let event = declinable(&service, "/agenda").unwrap();
    assert_eq!(
        declinable(&service, &format!("/calendar/{event}")),
        Some(event.clone())
    );
    let decline = |reason: &str| {
        let path = format!("/v1/events/{event}/decline");
        service.request("POST", &path, Some(&json!({ "reason": reason })))
    };
    assert_eq!(decline("bored").0, 400);
    let (status, reply) = decline("focus");
    assert_eq!(status, 200, "{reply}");
    until_state(&household, &service, "delivered");
    assert_eq!(answer(&server), "DECLINED");
    until_told(&service, "You decline");
    undo(&household, &service);
    until_state(&household, &service, "removed");
    assert_eq!(answer(&server), "NEEDS-ACTION");
}

#[test]
fn account_that_is_only_read_is_never_written_to() {
    let server = server();
    let proxy = CuttingProxy::before(server.port);
    let household = household(&proxy.address("/kim/"), false);
    let service = household.service();
    log_in(&household, &service);
    let _phone = service.phone();
    service.confirm(&asked(&service));
    until_told(&service, "nothing was sent");
    household.look(&service);
    assert_eq!(
        (delivery(&household), proxy.changes(), answer(&server)),
        (None, 0, "NEEDS-ACTION")
    );
}

#[test]
fn event_that_somebody_changed_meanwhile_is_left_alone_and_that_is_told() {
    let server = server();
    let address = format!("http://127.0.0.1:{}/kim/", server.port);
    let household = household(&address, true);
    let service = household.service();
    log_in(&household, &service);
    let _phone = service.phone();
    let card = asked(&service);
    server.put(PATH, &event("demo", [155, 215], "20261102", INVITED));
    let there = server.get(PATH);
    service.confirm(&card);
    until_state(&household, &service, "failed");
    assert_eq!(server.get(PATH), there);
    until_told(&service, "Somebody changed the event meanwhile.");
}

#[test]
fn server_that_is_away_has_it_once_when_it_is_back_also_after_a_start() {
    let mut server = server();
    let proxy = CuttingProxy::before(server.port);
    let household = household(&proxy.address("/kim/"), true);
    let service = household.service();
    log_in(&household, &service);
    let phone = service.phone();
    let card = asked(&service);
    server.stop();
    service.confirm(&card);
    let waits = service.until("try", |_| {
        delivery(&household).filter(|delivery| !delivery["failure"].is_null())
    });
    assert_eq!(waits["state"], json!({ "is": "pending" }));
    until_told(&service, "It waits to be written");
    drop(phone);
    service.kill();
    let service = household.service();
    server.go_on();
    service.until("delivery", |_| {
        household.look(&service);
        delivery(&household).filter(|delivery| delivery["state"]["is"] == "delivered")
    });
    assert_eq!((answer(&server), proxy.changes()), ("DECLINED", 1));
}

#[test]
fn service_that_is_killed_before_the_answer_looks_and_writes_nothing_twice() {
    let server = server();
    let proxy = CuttingProxy::before(server.port);
    let household = household(&proxy.address("/kim/"), true);
    let service = household.service();
    log_in(&household, &service);
    let phone = service.phone();
    let card = asked(&service);
    let (told, heard) = mpsc::channel();
    proxy.set(AnswerFate::Withheld(told));
    service.confirm(&card);
    heard.recv_timeout(Duration::from_secs(30)).unwrap();
    drop(phone);
    service.kill();
    assert_eq!(answer(&server), "DECLINED");
    let once = server.get(PATH);
    proxy.set(AnswerFate::Passed);
    let service = household.service();
    until_state(&household, &service, "delivered");
    assert_eq!((server.get(PATH), proxy.changes()), (once, 1));
    assert_eq!(server.objects("/kim/work/").len(), 2);
}

/// Keeps an hour from five hours on free.
fn keep_free(service: &Service) {
    let start = Utc::now() + TimeDelta::hours(5);
    let hold = json!({ "start": start.to_rfc3339(), "minutes": 60, "held": true });
    let (status, reply) = service.request("POST", "/v1/holds", Some(&hold));
    assert_eq!(status, 200, "{reply}");
}

/// The one object of ours.
fn ours(server: &Radicale) -> Vec<String> {
    let objects = server.objects("/kim/work/").into_iter();
    objects.filter(|path| path.contains("/aura-")).collect()
}

#[test]
fn time_kept_free_is_on_the_server_and_the_agenda_and_gone_after_undo() {
    let server = server();
    let address = format!("http://127.0.0.1:{}/kim/", server.port);
    let household = household(&address, true);
    let service = household.service();
    log_in(&household, &service);
    keep_free(&service);
    until_state(&household, &service, "delivered");
    let paths = ours(&server);
    assert_eq!(paths.len(), 1, "{paths:?}");
    let event = server.get(&paths[0]).unwrap();
    assert!(
        event.contains("SUMMARY:Kept free") && event.contains("UID:aura-tr_"),
        "{event}"
    );
    until_on_agenda(&service, "Kept free", true);
    until_told(&service, "free.");
    undo(&household, &service);
    until_state(&household, &service, "removed");
    assert_eq!(ours(&server), [""; 0]);
    until_on_agenda(&service, "Kept free", false);
}

#[test]
fn time_kept_free_goes_to_the_calendar_that_its_owner_chose() {
    let server = server();
    // The first by its address.
    server.make_calendar("/kim/a/");
    let address = format!("http://127.0.0.1:{}/kim/", server.port);
    let household = household(&address, true);
    let service = household.service();
    log_in(&household, &service);
    let goes_to = |id: &str| {
        service.until("where it goes", |service| {
            let report = household.look_at(service, "work");
            let calendars = report["event_calendars"].as_array()?.clone();
            let mut here = calendars.iter().filter(|one| one["is_for_free_time"] == true);
            here.any(|one| one["id"] == id).then_some(())
        });
    };
    goes_to("/kim/a/");
    let (code, said) = household.source(&service, &["keep-free", "work", "/kim/work/"], "");
    assert_eq!(code, Some(0), "{said}");
    goes_to("/kim/work/");
    keep_free(&service);
    until_state(&household, &service, "delivered");
    assert_eq!(ours(&server).len(), 1);
    assert!(
        !server
            .objects("/kim/a/")
            .iter()
            .any(|path| path.contains("/aura-"))
    );
    let file = fs::read_to_string(household.home()).unwrap();
    assert_eq!(file.matches("keep_free = \"/kim/work/\"").count(), 1, "{file}");
}

#[test]
fn time_kept_free_is_there_once_when_the_service_is_killed_before_the_answer() {
    let server = server();
    let proxy = CuttingProxy::before(server.port);
    let household = household(&proxy.address("/kim/"), true);
    let service = household.service();
    log_in(&household, &service);
    let (told, heard) = mpsc::channel();
    proxy.set(AnswerFate::Withheld(told));
    keep_free(&service);
    heard.recv_timeout(Duration::from_secs(30)).unwrap();
    service.kill();
    proxy.set(AnswerFate::Passed);
    let service = household.service();
    until_state(&household, &service, "delivered");
    assert_eq!((ours(&server).len(), proxy.changes()), (1, 1));
    undo(&household, &service);
    until_state(&household, &service, "removed");
    assert_eq!(ours(&server).len(), 0);
}
