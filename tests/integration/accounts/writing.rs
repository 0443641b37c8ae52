//! Changes on a real server.
//!
//! What: the worker, as the service starts it, puts an event, declines one and takes both back; what somebody else changed meanwhile is not written
//! over, and what may have been done is found done. Why: these are the requests by which something could be lost or doubled. Not here: when they are
//! asked for (`deliveries`).

use super::{
    PASSWORD, day,
    proxy::{AnswerFate, CuttingProxy},
    radicale::Radicale,
};
use aura_process::{
    WorkerProgram,
    source::{
        AccountLogin, AccountProtocol, AccountRequest, ChangeEnd, ChangeOutcome, LookFailure, ServerChange,
        ServerPlace, change_account,
    },
};
use std::net::TcpStream;
use toolcall_schema::delivery::ChangeRefusal;

const PATH: &str = "/kim/work/aura-1.ics";

fn hold() -> String {
    let day = day();
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:aura-1\r\nDTSTAMP:{day}T000000Z\r\n\
         DTSTART:{day}T100000Z\r\nDTEND:{day}T110000Z\r\nSUMMARY:Kept free\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

fn invitation() -> String {
    hold()
        .replace("UID:aura-1", "UID:demo@example.org")
        .replace(
            "SUMMARY:Kept free\r\n",
            "SUMMARY:Loom demonstration\r\nORGANIZER:mailto:asha@example.org\r\nATTENDEE;CN=Asha;PARTSTAT=ACCEPTED:mailto:asha@example.org\r\n\
             ATTENDEE;CN=Kim;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:kim@example.org\r\nX-ODD;A=b:kept as it is\r\n",
        )
}

fn reply() -> String {
    let day = day();
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REPLY\r\nBEGIN:VEVENT\r\nUID:demo@example.org\r\nDTSTART:{day}T100000Z\r\n\
         ATTENDEE;PARTSTAT=DECLINED:mailto:kim@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

/// Has a worker make a change, at the server on this port.
fn make(port: u16, change: ServerChange) -> ChangeEnd {
    let place = ServerPlace::parse("http://calendar.example/kim/").unwrap();
    let span = ["20260101T000000Z", "20280101T000000Z"].map(str::to_owned);
    let mut request = AccountRequest::new(AccountProtocol::CalDav, place, span);
    request.login = Some(AccountLogin {
        user: "kim".to_owned(),
        password: PASSWORD.to_owned(),
    });
    request.change = Some(change);
    let program = WorkerProgram(env!("CARGO_BIN_EXE_aura").into());
    change_account(&program, "work", &request, &mut || {
        TcpStream::connect(("127.0.0.1", port)).map_err(|_| LookFailure::Unreachable)
    })
}

fn put(is_repeat: bool) -> ServerChange {
    ServerChange::PutEvent {
        path: PATH.to_owned(),
        text: hold(),
        is_repeat,
    }
}

fn removal(version: Option<String>) -> ServerChange {
    ServerChange::RemoveEvent {
        path: PATH.to_owned(),
        text: hold(),
        version,
    }
}

fn done(end: ChangeEnd) -> (Option<String>, Option<String>) {
    let ChangeEnd::Answered(ChangeOutcome::Done { version, part_before }) = end else {
        panic!("{end:?}");
    };
    (version, part_before)
}

fn refused(why: ChangeRefusal) -> ChangeEnd {
    ChangeEnd::Answered(ChangeOutcome::Refused(why))
}

/// Radicale, and Xandikos where it could be had, with an empty calendar.
fn both_servers() -> Vec<Radicale> {
    let servers = [
        Some(Radicale::start_plain("kim", PASSWORD)),
        Radicale::start_xandikos(),
    ];
    let servers: Vec<_> = servers.into_iter().flatten().collect();
    for server in &servers {
        server.make_calendar("/kim/work/");
    }
    servers
}

#[test]
fn event_of_ours_is_put_once_and_removed_only_as_it_was_put() {
    for server in both_servers() {
        let (version, _) = done(make(server.port, put(false)));
        assert!(version.is_some());
        assert!(server.get(PATH).unwrap().contains("SUMMARY:Kept free"));
        // Asked for again, knowing or not that it was.
        for is_repeat in [true, false] {
            assert_eq!(done(make(server.port, put(is_repeat))).0, version);
        }
        assert_eq!(server.objects("/kim/work/"), [PATH]);
        // Somebody moved it: it is theirs.
        let moved = hold().replace("T110000Z", "T113000Z");
        server.put(PATH, &moved);
        for version in [version, None] {
            assert_eq!(
                make(server.port, removal(version)),
                refused(ChangeRefusal::Changed)
            );
        }
        assert_eq!(make(server.port, put(true)), refused(ChangeRefusal::Changed));
        assert!(server.get(PATH).unwrap().contains("T113000Z"));
        // As it was put it goes, by its version or by what it says.
        server.put(PATH, &hold());
        done(make(server.port, removal(None)));
        assert_eq!(server.get(PATH), None);
        done(make(server.port, removal(None)));
        let (version, _) = done(make(server.port, put(true)));
        done(make(server.port, removal(version.clone())));
        done(make(server.port, removal(version)));
        assert_eq!(server.objects("/kim/work/"), [""; 0]);
        // A calendar that is not there takes nothing.
        let change = ServerChange::PutEvent {
            path: "/kim/none/a.ics".to_owned(),
            text: hold(),
            is_repeat: false,
        };
        let ChangeEnd::Answered(ChangeOutcome::Refused(ChangeRefusal::Status(status))) =
            make(server.port, change)
        else {
            panic!("it was taken");
        };
        assert!((400..500).contains(&status), "{status}");
    }
}

#[test]
fn decline_changes_the_owners_answer_alone_and_never_a_newer_event() {
    for server in both_servers() {
        let path = "/kim/work/demo.ics";
        server.put(path, &invitation());
        let seen = server.get(path).unwrap();
        let decline = || ServerChange::Decline {
            path: path.to_owned(),
            reply: reply(),
            seen: seen.clone(),
        };
        // Somebody described it meanwhile: it is at the same time, so that is kept and the answer is given.
        let described = seen.replace("X-ODD", "DESCRIPTION:Bring tea\r\nX-ODD");
        server.put(path, &described);
        let (version, before) = done(make(server.port, decline()));
        assert!(version.is_some() && before.as_deref() == Some("NEEDS-ACTION"));
        let answered = server.get(path).unwrap();
        let unfolded = answered.replace("\r\n ", "");
        for kept in [
            "DESCRIPTION:Bring tea",
            "kept as it is",
            "PARTSTAT=ACCEPTED:mailto:asha@example.org",
        ] {
            assert!(unfolded.contains(kept), "{unfolded}");
        }
        assert_eq!(unfolded.matches("DECLINED").count(), 1, "{unfolded}");
        assert!(!unfolded.contains("NEEDS-ACTION"), "{unfolded}");
        // Once more, as after a kill: nothing changes.
        assert_eq!(done(make(server.port, decline())).0, version);
        assert_eq!(server.get(path).unwrap(), answered);
        let take_back = || ServerChange::TakeBackDecline {
            path: path.to_owned(),
            reply: reply(),
            part: "NEEDS-ACTION".to_owned(),
        };
        done(make(server.port, take_back()));
        done(make(server.port, take_back()));
        assert_eq!(server.get(path).unwrap().matches("NEEDS-ACTION").count(), 1);

        // Moved, answered elsewhere, gone, and no longer for her.
        let asha = invitation().replace("kim@example.org", "lee@example.org");
        for (now, why) in [
            (seen.replace("T110000Z", "T113000Z"), ChangeRefusal::Changed),
            (seen.replace("NEEDS-ACTION", "TENTATIVE"), ChangeRefusal::Changed),
            (asha, ChangeRefusal::NotInvited),
        ] {
            server.put(path, &now);
            let there = server.get(path);
            assert_eq!(make(server.port, decline()), refused(why));
            assert_eq!(server.get(path), there);
        }
        server.put(path, &seen.replace("NEEDS-ACTION", "ACCEPTED"));
        assert_eq!(make(server.port, take_back()), refused(ChangeRefusal::Changed));
        server.delete(path);
        assert_eq!(make(server.port, decline()), refused(ChangeRefusal::Gone));
        done(make(server.port, take_back()));
    }
}

#[test]
fn change_whose_answer_was_cut_may_have_been_made_and_is_found_made() {
    let server = Radicale::start_plain("kim", PASSWORD);
    server.make_calendar("/kim/work/");
    let proxy = CuttingProxy::before(server.port);
    proxy.set(AnswerFate::Cut);
    let cut = |end: ChangeEnd| {
        let ChangeEnd::Failed { is_perhaps_made, .. } = end else {
            panic!("{end:?}");
        };
        assert!(is_perhaps_made);
    };
    cut(make(proxy.port, put(false)));
    assert_eq!((server.objects("/kim/work/").len(), proxy.changes()), (1, 1));
    proxy.set(AnswerFate::Passed);
    let (version, _) = done(make(proxy.port, put(true)));
    // It was looked for, not sent.
    assert_eq!((server.objects("/kim/work/").len(), proxy.changes()), (1, 1));
    proxy.set(AnswerFate::Cut);
    cut(make(proxy.port, removal(version.clone())));
    proxy.set(AnswerFate::Passed);
    done(make(proxy.port, removal(version)));
    assert_eq!(server.objects("/kim/work/").len(), 0);
    // Nothing was sent to a server that is not there.
    let port = server.port;
    drop(server);
    let end = make(port, put(false));
    assert_eq!(
        end,
        ChangeEnd::Failed {
            failure: LookFailure::Unreachable,
            is_perhaps_made: false
        }
    );
}
