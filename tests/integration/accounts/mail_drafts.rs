//! Drafts of replies on a server of mail.
//!
//! What: a reply that was confirmed lies in the folder of drafts of a real server (Dovecot), once, to whoever wrote, and is gone after Undo; an account
//! that is only read has none. Why: a draft is finished where mail is written. Not here: putting one twice (`mailbox`), calendars (`deliveries`).

use super::{
    Household, PASSWORD,
    deliveries::{delivery, undo, until_state, until_told},
    dovecot::Dovecot,
    mail::{WORDS, mail, until_waiting},
};
use crate::support::{Service, afternoon_zone, meeting_household::MeetingHousehold};

fn household(server: &Dovecot, write: bool) -> Household {
    Household::with(&format!(
        "zone = \"{}\"\nnames = [\"Kim\"]\naddresses = [\"kim@example.org\"]\n[[accounts]]\nname = \"home\"\nkind = \"imap\"\n\
         address = \"imaps://localhost:{}\"\nuser = \"kim\"\nprivate = true\ncertificate = \"{}\"\nwrite = {write}\n",
        afternoon_zone(),
        server.imaps,
        server.fingerprint()
    ))
}

/// Has the owner confirm a reply.
fn confirm_reply(household: &Household, service: &Service) {
    household.source(service, &["login", "home", "--stdin"], &format!("{PASSWORD}\n"));
    until_waiting(service, "Asha Rao", true);
    let mut looks = 0;
    let card = service.until("the offer of a reply", |service| {
        // One tick rests before the next.
        if looks % 50 == 0 {
            MeetingHousehold::unlock(service, &format!("u{looks}"));
        }
        looks += 1;
        let card = service.now()["card"].clone();
        (card["decision"]["chosen"]["kind"] == "DRAFT_REPLY").then_some(card)
    });
    service.confirm(&card);
}

#[test]
fn reply_that_was_confirmed_lies_among_the_drafts_and_is_gone_after_undo() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("Asha Rao", "one", WORDS));
    let household = household(&server, true);
    let service = household.service();
    let _phone = service.phone();
    confirm_reply(&household, &service);
    until_state(&household, &service, "delivered");
    program.ask("SELECT Bozze");
    let found = program.ask("UID SEARCH HEADER MESSAGE-ID aura-tr_");
    assert!(found.contains("SEARCH 1"), "{found}");
    let draft = program.ask("UID FETCH 1 (BODY.PEEK[])");
    for line in [
        "To: Asha Rao <one@example.com>",
        "Subject: Re: Visit",
        "In-Reply-To: <one@example.com>",
    ] {
        assert!(draft.contains(line), "{draft}");
    }
    until_told(&service, "has it.");
    undo(&household, &service);
    until_state(&household, &service, "removed");
    // What others removed is told before the next command.
    program.ask("NOOP");
    let found = program.ask("UID SEARCH ALL");
    assert!(!found.contains("SEARCH 1"), "{found}");
}

#[test]
fn account_of_mail_that_is_only_read_has_no_draft() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("Asha Rao", "one", WORDS));
    let household = household(&server, false);
    let service = household.service();
    let _phone = service.phone();
    confirm_reply(&household, &service);
    until_told(&service, "nothing was sent");
    assert_eq!(delivery(&household), None);
    let status = program.ask("STATUS Bozze (MESSAGES)");
    assert!(!status.contains("MESSAGES 1"), "{status}");
}
