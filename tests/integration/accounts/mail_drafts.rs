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
use serde_json::{Value, json};

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
