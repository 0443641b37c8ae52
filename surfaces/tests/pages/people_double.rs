//! The double's answers to what the pages about people and chats ask.
//!
//! What: Asha, who writes from two addresses, a dentist whom the owner named, a loud chat, and nobody else. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::{Double, brief_trace, ts};
use chrono::NaiveDate;
use surfaces::backend::{
    BackendError, BackendFuture,
    people::{GivenName, KeptAbout, KeptFact, KeptRow, KeptSender, PeopleBackend},
};
use toolcall_schema::{
    catalogue::{
        comms::{EvidenceCode, MessageClass},
        correspondent::{Correspondent, NameSource},
        learning::LearnedThing,
        shared::ThingId,
    },
    ids::{ChannelHash, PersonHash},
};

pub(crate) const ASHA: &str = "pe_0000000000000001";
const ASHA_AT_HOME: &str = "pe_0000000000000003";
const DENTIST: &str = "pe_0000000000000002";
const CHAT: &str = "ch_00000000000000c3";
const MAIL: &str = "it_00000000000000b2";

fn about(id: &str) -> LearnedThing {
    LearnedThing::parse(id).unwrap()
}

impl PeopleBackend for Double {
    fn people(&self) -> BackendFuture<Result<Vec<KeptSender>, BackendError>> {
        let kept = |id: &str, messages, at: &str, own_name: Option<&str>| KeptSender {
            about: about(id),
            messages,
            at: ts(at),
            own_name: own_name.map(str::to_owned),
        };
        Self::ready(vec![
            kept(ASHA, 31, "2026-11-02T15:00:00Z", None),
            kept(DENTIST, 2, "2026-10-30T08:00:00Z", Some("My dentist")),
            kept(CHAT, 412, "2026-11-03T02:00:00Z", None),
        ])
    }

    fn kept_about(&self, of: LearnedThing) -> BackendFuture<Result<KeptAbout, BackendError>> {
        self.note(format!("kept about {}", of.as_str()));
        let day = NaiveDate::from_ymd_opt(2026, 11, 2).unwrap();
        let row = |fact| KeptRow {
            at: ts("2026-11-02T15:00:00Z"),
            fact,
        };
        let wrote = KeptFact::Wrote(
            PersonHash::parse(ASHA).unwrap(),
            ChannelHash::parse(CHAT).unwrap(),
            day,
            31,
        );
        Self::ready(match of.as_str() {
            ASHA => KeptAbout {
                things: vec![row(KeptFact::Writes)],
                links: vec![row(wrote)],
                ..KeptAbout::default()
            },
            DENTIST => KeptAbout {
                own_name: Some("My dentist".to_owned()),
                things: vec![row(KeptFact::Writes)],
                ..KeptAbout::default()
            },
            CHAT => KeptAbout {
                things: vec![row(KeptFact::ChatDay(day, 412, 3))],
                links: vec![row(wrote)],
                traces: vec![brief_trace()],
                traces_all: 1,
                ..KeptAbout::default()
            },
            _ => KeptAbout::default(),
        })
    }

    fn given_names(&self) -> BackendFuture<Result<Vec<GivenName>, BackendError>> {
        Self::ready(vec![GivenName {
            thing: ThingId::parse(DENTIST).unwrap(),
            name: "My dentist".to_owned(),
            at: ts("2026-11-01T08:00:00Z"),
        }])
    }

    fn correspondent(&self, of: ThingId) -> BackendFuture<Option<Correspondent>> {
        let said = |whom: &str, addresses, named_by| Correspondent {
            about: about(whom),
            addresses,
            named_by,
            day: 4,
            waiting: 1,
            waits_since: Some(ts("2026-11-03T00:30:00Z")),
            received: 31,
            answered: 9,
            minutes: Some(20),
            wrote_to: true,
            class: Some(MessageClass::NeedsYou),
            why: Some(EvidenceCode::OftenAnswered),
            corrected: false,
        };
        let id = serde_json::to_value(&of).unwrap();
        let said = match id.as_str().unwrap() {
            ASHA | ASHA_AT_HOME | MAIL => Some(said(ASHA, 2, Some(NameSource::Contacts))),
            CHAT => Some(said(CHAT, 1, Some(NameSource::Sender))),
            _ => None,
        };
        Box::pin(std::future::ready(said))
    }
}
