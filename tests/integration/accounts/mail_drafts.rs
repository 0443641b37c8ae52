//! Drafts of replies on a server of mail.
//!
//! What: a reply that was confirmed lies in the folder of drafts of a real server (Dovecot), once, to whoever wrote, and is gone after Undo; also
//! where the server was away and the service was killed; an account that is only read has none. Why: a draft is finished where mail is written. Not here: putting one twice (`mailbox`), calendars (`deliveries`).

use super::{
    Household, PASSWORD,
    deliveries::{delivery, undo, until_state, until_told},
    dovecot::{Dovecot, MailProgram},
    mail::{WORDS, mail, until_waiting},
};
use crate::support::{Service, afternoon_zone, meeting_household::MeetingHousehold};
use agents::comms::drafted_item;
use serde_json::{Value, json};
use std::fs;
use toolcall_schema::ids::sha256_hex;

fn household(server: &Dovecot, write: bool) -> Household {
    Household::with(&format!(
        "zone = \"{}\"\nnames = [\"Kim\"]\naddresses = [\"kim@example.org\"]\n[[accounts]]\nname = \"home\"\nkind = \"imap\"\n\
         address = \"imaps://localhost:{}\"\nuser = \"kim\"\nprivate = true\ncertificate = \"{}\"\nwrite = {write}\n",
        afternoon_zone(),
        server.imaps,
        server.fingerprint()
    ))
}

/// Has the owner asked whether a reply is drafted.
pub(super) fn offered_reply(household: &Household, service: &Service) -> Value {
    household.source(service, &["login", "home", "--stdin"], &format!("{PASSWORD}\n"));
    until_waiting(service, "Asha Rao", true);
    let mut looks = 0;
    service.until("the offer of a reply", |service| {
        // One tick rests before the next.
        if looks % 50 == 0 {
            MeetingHousehold::unlock(service, &format!("u{looks}"));
        }
        looks += 1;
        let card = service.now()["card"].clone();
        (card["decision"]["chosen"]["kind"] == "DRAFT_REPLY").then_some(card)
    })
}

/// The one draft on the server, to whoever wrote.
fn assert_draft(program: &mut MailProgram) {
    program.ask("SELECT Bozze");
    let found = program.ask("UID SEARCH HEADER MESSAGE-ID aura-tr_");
    assert!(found.contains("* SEARCH 1\r\n"), "{found}");
    let draft = program.ask("UID FETCH 1 (BODY.PEEK[])");
    for line in [
        "To: Asha Rao <one@example.com>",
        "Subject: Re: Visit",
        "In-Reply-To: <one@example.com>",
    ] {
        assert!(draft.contains(line), "{draft}");
    }
}

#[test]
fn reply_that_was_confirmed_lies_among_the_drafts_and_is_gone_after_undo() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("Asha Rao", "one", WORDS));
    let household = household(&server, true);
    let service = household.service();
    let _phone = service.phone();
    service.confirm(&offered_reply(&household, &service));
    until_state(&household, &service, "delivered");
    assert_draft(&mut program);
    until_told(&service, "has it.");
    undo(&household, &service);
    until_state(&household, &service, "removed");
    // What others removed is told before the next command.
    program.ask("NOOP");
    let found = program.ask("UID SEARCH ALL");
    assert!(!found.contains("SEARCH 1"), "{found}");
}

/// What the one draft on the server says.
fn draft_text(program: &mut MailProgram) -> String {
    program.ask("SELECT Bozze");
    program.ask("UID FETCH 1:* (BODY.PEEK[TEXT])")
}

#[test]
fn what_its_owner_changes_in_a_draft_is_on_the_server_until_another_program_changes_it() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("Asha Rao", "one", WORDS));
    let household = household(&server, true);
    let service = household.service();
    let _phone = service.phone();
    service.confirm(&offered_reply(&household, &service));
    until_state(&household, &service, "delivered");
    let outbox = fs::read_dir(household.data().join("outbox")).unwrap().flatten();
    let mut files = outbox.map(|file| file.path());
    let file = files
        .find(|file| drafted_item(file.file_name().unwrap().to_str().unwrap()).is_some())
        .unwrap();
    let message = drafted_item(file.file_name().unwrap().to_str().unwrap()).unwrap();
    let edit = |text: &str| {
        let shown = sha256_hex(&fs::read(&file).unwrap());
        let body = json!({ "text": text, "shown": shown });
        let path = format!("/v1/messages/{message}/draft");
        let (status, answer) = service.request("POST", &path, Some(&body));
        assert_eq!(status, 200, "{answer}");
    };
    edit("Hello Asha, on Friday at ten.");
    service.until("the edited draft, alone", |_| {
        // The new one is there before the old one goes.
        let is_alone = |there: &String| there.matches("FETCH (UID").count() == 1;
        let there = Some(draft_text(&mut program)).filter(is_alone);
        there.filter(|there| there.contains("on Friday at ten."))
    });
    let head = program.ask("UID FETCH 1:* (BODY.PEEK[HEADER])");
    for line in ["To: Asha Rao <one@example.com>", "Subject: Re: Visit"] {
        assert!(head.contains(line), "{head}");
    }

    // It is written on in a mail program, which puts another message in its place.
    let all = program.ask("UID SEARCH ALL");
    let uid = all.split_whitespace().nth(2).unwrap().to_owned();
    let id = head
        .lines()
        .find_map(|line| line.strip_prefix("Message-ID: "))
        .unwrap()
        .to_owned();
    let by_hand = format!("To: one@example.com\r\nMessage-ID: {id}\r\n\r\nBy hand.\r\n");
    program.put("Bozze", "(\\Draft) ", &by_hand);
    program.ask(&format!("UID STORE {uid} +FLAGS (\\Deleted)"));
    program.ask(&format!("UID EXPUNGE {uid}"));
    edit("Hello Asha, on Monday.");
    until_told(&service, "Another program changed the draft meanwhile.");
    // Nor does Undo take away what somebody wrote.
    undo(&household, &service);
    until_state(&household, &service, "stays");
    let there = draft_text(&mut program);
    assert!(there.contains("By hand.") && !there.contains("Monday"), "{there}");
}

#[test]
fn reply_whose_server_is_away_is_a_draft_to_whoever_wrote_also_after_a_start() {
    let mut server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("Asha Rao", "one", WORDS));
    drop(program);
    let household = household(&server, true);
    let service = household.service();
    let phone = service.phone();
    let card = offered_reply(&household, &service);
    server.stop();
    service.confirm(&card);
    let waits = service.until("try", |_| {
        delivery(&household).filter(|delivery| !delivery["failure"].is_null())
    });
    assert_eq!(waits["state"], json!({ "is": "pending" }));
    drop(phone);
    service.kill();
    // No mail is there at first: whose answer it is, is known when it was fetched and read again.
    let service = household.service();
    server.go_on();
    service.until("delivery", |service| {
        household.look_at(service, "home");
        delivery(&household).filter(|delivery| delivery["state"]["is"] == "delivered")
    });
    assert_draft(&mut server.program("kim"));
}

#[test]
fn account_of_mail_that_is_only_read_has_no_draft() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("Asha Rao", "one", WORDS));
    let household = household(&server, false);
    let service = household.service();
    let _phone = service.phone();
    service.confirm(&offered_reply(&household, &service));
    until_told(&service, "nothing was sent");
    assert_eq!(delivery(&household), None);
    let status = program.ask("STATUS Bozze (MESSAGES)");
    assert!(!status.contains("MESSAGES 1"), "{status}");
}
