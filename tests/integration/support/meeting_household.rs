//! A household whose owner meets somebody in eight minutes who waits for an answer.
//!
//! What: [`MeetingHousehold`]: a mailbox, an address book in which two addresses are one person, a calendar. Why: what is said before a meeting is claimed of
//! the server's answers and of a browser's pages. Not here: the claims.

use super::{Service, afternoon_zone, signal};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// The household's folder.
pub(crate) struct MeetingHousehold(tempfile::TempDir);

/// Who is invited to an ordinary meeting: Asha at both of her addresses, and somebody who never wrote.
pub(crate) const DEMO: &str = "SUMMARY:Loom demo\nLOCATION:Studio 4\\, Hauptstr. 9\nX-AURA-TRAVEL-MIN:22\n\
     ORGANIZER;CN=asha79:mailto:asha@home.example\nATTENDEE;CN=asha79:mailto:asha@work.example\n\
     ATTENDEE;CN=Jonas Weber:mailto:jonas@x.example\nATTENDEE;PARTSTAT=ACCEPTED:mailto:rohan@example.org";

/// An event without a title, with three hundred guests, the first of them with a name that runs from right to left.
pub(crate) fn crowd() -> String {
    let guests = (1..300).map(|n| format!("\nATTENDEE;CN=Guest {n}:mailto:guest{n}@x.example"));
    format!(
        "ATTENDEE;CN=\u{5d0}\u{5e1}\u{5ea}\u{5e8}:mailto:ester@x.example{}",
        guests.collect::<String>()
    )
}

impl MeetingHousehold {
    /// `prepares`: whether the owner asked for a card before meetings. `lines`: of the event.
    pub(crate) fn new(prepares: bool, lines: &str) -> Self {
        let house = Self(tempfile::tempdir().unwrap());
        house.write(
            "home.toml",
            &format!(
                "zone = \"{}\"\nnames = [\"Rohan\"]\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"Inbox\"]\n\
                 contacts = [\"book.vcf\"]\ncalendar = [\"home.ics\"]\n[calendar]\nbefore_meetings = {prepares}\n",
                afternoon_zone()
            ),
        );
        let sent = |minutes| (Utc::now() - TimeDelta::minutes(minutes)).to_rfc2822();
        let mail = |who: &str, minutes| {
            format!(
                "From - Tue Nov  3 10:00:00 2026\nFrom: {who}\nTo: rohan@example.org\nMessage-ID: <m{minutes}@example.net>\n\
                 Date: {}\nSubject: Visit\n\nRohan, can you call me back today?\n\n",
                sent(minutes)
            )
        };
        house.write(
            "Inbox",
            &[
                mail("asha79 <asha@work.example>", 30),
                mail("Bo <bo@x.example>", 20),
            ]
            .concat(),
        );
        house.write(
            "book.vcf",
            "BEGIN:VCARD\nVERSION:4.0\nFN:Asha Rao\nEMAIL:asha@work.example\nEMAIL:asha@home.example\nEND:VCARD\n",
        );
        let at = |minutes| (Utc::now() + TimeDelta::minutes(minutes)).format("%Y%m%dT%H%M%SZ");
        let event = format!(
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:demo\nDTSTAMP:20261101T000000Z\nDTSTART:{}\n\
             DTEND:{}\n{lines}\nEND:VEVENT\nEND:VCALENDAR\n",
            at(8),
            at(38)
        );
        house.write("home.ics", &event.replace('\n', "\r\n"));
        house
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    pub(crate) fn start(&self) -> Service {
        Service::start(&self.0.path().join("home.toml"), &self.data())
    }

    /// The id of the one event, once it is remembered.
    pub(crate) fn event(service: &Service) -> String {
        service.until("the event", |service| {
            let body = json!({"kind": "events"});
            let (_, part) = service.request("POST", "/form/memory/find", Some(&body));
            let part = part.as_str()?.to_owned();
            let (_, id) = part.split_once("ev_")?;
            Some(format!("ev_{}", id.get(..16)?))
        })
    }

    /// The page about the event, once it names what is looked for.
    pub(crate) fn page(service: &Service, event: &str, says: &str) -> String {
        service.until(says, |service| {
            let (_, page) = service.request("GET", &format!("/calendar/{event}"), None);
            let page = page.as_str()?.to_owned();
            page.contains(says).then_some(page)
        })
    }

    /// The owner looks at the phone.
    pub(crate) fn unlock(service: &Service, id: &str) {
        let unlock = json!([signal(id, "phone_unlock", &json!({}))]);
        let (status, reply) = service.request("POST", "/v1/signals", Some(&unlock));
        assert_eq!(status, 202, "{reply}");
    }

    /// The card before the meeting, as soon as it is there.
    pub(crate) fn card(service: &Service) -> Value {
        service.until("the card before the meeting", |service| {
            let card = service.now()["card"].clone();
            (card["decision"]["chosen"]["kind"] == "PREPARE_MEETING").then_some(card)
        })
    }
}
