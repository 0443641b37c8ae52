//! Mail by JMAP on a real server (Cyrus).
//!
//! What: head and text of new mail, never an attachment; marks, moves and what went by one question; nothing twice by a worker that knows what there is; drafts that are
//! there once and go; who asks waits on the page, and a reply that was confirmed lies among the drafts, and is gone after Undo. Why: what is claimed of IMAP is
//! claimed of it. Not here: servers that lie or tell of news (`bad_jmap_servers`).

use super::{
    Household, PASSWORD, any_file_holds,
    cyrus::Cyrus,
    deliveries::{undo, until_state, until_told},
    jmap_stand_in::jmap_request,
    mail::{WORDS, mail, until_waiting, worker},
    mail_drafts::offered_reply,
    mail_host::{ReadMailbox, mail_of},
};
use crate::support::afternoon_zone;
use aura_process::source::{
    AccountRequest, KnownFolder, MailBytes, MailMarks, MailOrder, MailPart, OrderOutcome, WantedMails,
};
use serde_json::json;

const PARTS: &str = "From: Bo <bo@example.com>\r\nTo: kim@example.org\r\nSubject: Parts\r\nMessage-ID: <parts@example.com>\r\n\
    MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=out\r\n\r\n\
    --out\r\nContent-Type: multipart/alternative; boundary=in\r\n\r\n\
    --in\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSee =E2=80=9Cthis=E2=80=9D\r\n\
    --in\r\nContent-Type: text/html\r\n\r\n<table><tr><td>See this</td></tr></table>\r\n\
    --in\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n--in--\r\n\
    --out\r\nContent-Type: text/plain; name=log.txt\r\nContent-Disposition: attachment; filename=log.txt\r\n\r\nNEVER FETCHED\r\n--out--\r\n";

fn request(server: &Cyrus) -> AccountRequest {
    let mut request = jmap_request(&server.address());
    request.pin = Some(server.fingerprint());
    request
}

/// The mails with their text among parts.
fn mails(parts: &[MailPart]) -> Vec<(u32, String)> {
    parts.iter().filter_map(mail_of).collect()
}

fn mark(parts: &[MailPart]) -> Option<String> {
    parts.iter().rev().find_map(|part| match part {
        MailPart::ReadAll { mark } => Some(mark.clone()),
        MailPart::Folder { .. }
        | MailPart::Mail { .. }
        | MailPart::OldHead { .. }
        | MailPart::Marks { .. }
        | MailPart::Gone { .. }
        | MailPart::ReadUpTo { .. }
        | MailPart::HeadAgain { .. } => None,
    })
}

#[test]
fn text_passes_once_and_marks_and_moves_follow_and_attachments_never() {
    let Some(server) = Cyrus::start("kim", PASSWORD) else {
        return;
    };
    server.deliver(PARTS);
    let mut reader = ReadMailbox::start(request(&server), server.tls_address());
    let (parts, folders) = reader.look();
    // By their roles: the trash is not among them.
    assert_eq!(folders.unwrap(), ["INBOX", "Inviata"]);
    let found = mails(&parts);
    let [(uid, both)] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(
        both.contains("See “this”") && both.contains("<table>") && both.contains("Subject: Parts"),
        "{both}"
    );
    assert!(
        !both.contains("NEVER") && both.contains("text/calendar; method=REQUEST"),
        "{both}"
    );
    let inbox = server.mailbox("Inbox");
    let id = server.mails(&inbox).pop().unwrap();
    let found = server.ask("Email/get", json!({ "ids": [id], "properties": ["keywords"] }));
    assert_eq!(found["list"][0]["keywords"], json!({}));

    let before = mark(&parts).unwrap();
    let known = |parts: &[MailPart]| {
        let validity = parts.iter().find_map(|part| match part {
            MailPart::Folder {
                name, uid_validity, ..
            } if name == "INBOX" => Some(*uid_validity),
            MailPart::Folder { .. }
            | MailPart::Mail { .. }
            | MailPart::OldHead { .. }
            | MailPart::Marks { .. }
            | MailPart::Gone { .. }
            | MailPart::ReadUpTo { .. }
            | MailPart::ReadAll { .. }
            | MailPart::HeadAgain { .. } => None,
        });
        KnownFolder {
            name: "INBOX".to_owned(),
            uid_validity: validity.unwrap(),
            held: [*uid].into_iter().collect(),
            texts: [*uid].into_iter().collect(),
            ..KnownFolder::default()
        }
    };
    server.ask(
        "Email/set",
        json!({ "update": { &id: { "keywords": { "$seen": true, "$answered": true } } } }),
    );
    let mut again = request(&server);
    let task = again.mail.as_mut().unwrap();
    (task.known, task.mark) = (vec![known(&parts)], Some(before));
    let (news, _) = ReadMailbox::start(again.clone(), server.tls_address()).look();
    let marks = MailMarks {
        answered: true,
        seen: true,
        ..MailMarks::default()
    };
    assert!(news.contains(&MailPart::Marks { uid: *uid, marks }), "{news:?}");
    assert_eq!(mails(&news), []);
    // Without the mark all is compared, and nothing comes that is there.
    again.mail.as_mut().unwrap().mark = None;
    let (whole, _) = ReadMailbox::start(again.clone(), server.tls_address()).look();
    assert_eq!(mails(&whole), []);
    assert!(whole.contains(&MailPart::Marks { uid: *uid, marks }), "{whole:?}");

    let trash = server.mailbox("Cestino");
    server.ask(
        "Email/set",
        json!({ "update": { &id: { "mailboxIds": { trash: true } } } }),
    );
    again.mail.as_mut().unwrap().mark = mark(&whole);
    let (moved, _) = ReadMailbox::start(again, server.tls_address()).look();
    assert!(moved.contains(&MailPart::Gone { uid: *uid }), "{moved:?}");
}

#[test]
fn who_wrote_is_fetched_again_by_the_place_and_a_draft_is_there_once() {
    let Some(server) = Cyrus::start("kim", PASSWORD) else {
        return;
    };
    server.deliver(&mail("Asha Rao", "one", WORDS));
    server.deliver(&mail("Bo", "two", WORDS));
    let mut reader = ReadMailbox::start(request(&server), server.tls_address());
    let (parts, _) = reader.look();
    let found = mails(&parts);
    let (uid, _) = found
        .iter()
        .find(|(_, text)| text.contains("<one@example.com>"))
        .unwrap();
    let folder = agents::fetched_folder_number("home", "INBOX");
    let mut anew = request(&server);
    anew.mail.as_mut().unwrap().wanted = vec![WantedMails {
        folder,
        uids: [*uid].into_iter().collect(),
    }];
    let (parts, _) = ReadMailbox::start(anew, server.tls_address()).look();
    let Some(MailPart::HeadAgain {
        uid: again, bytes, ..
    }) = parts.first()
    else {
        panic!("{parts:?}")
    };
    let head = String::from_utf8(bytes.0.clone()).unwrap();
    assert!(
        *again == *uid && head.contains("Asha Rao") && !head.contains("Subject"),
        "{head}"
    );

    let put = || MailOrder::PutDraft {
        number: 1,
        message_id: "<aura-1@aura.invalid>".to_owned(),
        answers: Some("<one@example.com>".to_owned()),
        message: MailBytes(b"Message-ID: <aura-1@aura.invalid>\r\n\r\nHello Asha,\r\n".to_vec()),
    };
    let is_put = reader.ordered(put());
    let drafts = server.mailbox("Bozze");
    let ids = server.mails(&drafts);
    assert_eq!(ids.len(), 1);
    let version = Some(ids[0].clone());
    assert_eq!(
        is_put,
        OrderOutcome::Put {
            version: version.clone()
        }
    );
    assert_eq!(reader.ordered(put()), OrderOutcome::WasThere { version });
    let draft = server.ask(
        "Email/get",
        json!({ "ids": ids, "properties": ["to", "subject", "inReplyTo", "keywords"] }),
    );
    assert_eq!(
        draft["list"][0],
        json!({
            "id": ids[0],
            "to": [{ "name": "Asha Rao", "email": "one@example.com" }],
            "subject": "Re: Visit",
            "inReplyTo": ["one@example.com"],
            "keywords": { "$draft": true, "$seen": true },
        })
    );
    // Its owner edits it here: head and place stay. Whoever has the number of before cannot.
    let replace = || MailOrder::ReplaceDraft {
        number: 2,
        message_id: "<aura-1@aura.invalid>".to_owned(),
        version: ids[0].clone(),
        message: MailBytes(b"Message-ID: <aura-1@aura.invalid>\r\n\r\nHello again,\r\n".to_vec()),
    };
    let replaced = reader.ordered(replace());
    let edited = server.mails(&drafts);
    assert_eq!(
        replaced,
        OrderOutcome::Put {
            version: edited.first().cloned()
        }
    );
    assert!(edited.len() == 1 && edited != ids, "{edited:?}");
    let draft = server.ask(
        "Email/get",
        json!({ "ids": edited, "properties": ["to", "subject", "inReplyTo", "preview"] }),
    );
    // Cyrus says the end of a line as a blank.
    let preview = draft["list"][0]["preview"].as_str().unwrap();
    assert_eq!(preview.trim_end(), "Hello again,");
    assert_eq!(
        draft["list"][0],
        json!({
            "preview": preview,
            "id": edited[0],
            "to": [{ "name": "Asha Rao", "email": "one@example.com" }],
            "subject": "Re: Visit",
            "inReplyTo": ["one@example.com"],
        })
    );
    assert_eq!(reader.ordered(replace()), OrderOutcome::Changed);
    let remove_first = MailOrder::RemoveDraft {
        number: 2,
        message_id: "<aura-1@aura.invalid>".to_owned(),
        version: Some(ids[0].clone()),
    };
    assert_eq!(reader.ordered(remove_first), OrderOutcome::Changed);
    let remove = || MailOrder::RemoveDraft {
        number: 2,
        message_id: "<aura-1@aura.invalid>".to_owned(),
        version: Some(edited[0].clone()),
    };
    let mut other = ReadMailbox::start(request(&server), server.tls_address());
    other.look();
    assert_eq!(other.ordered(remove()), OrderOutcome::Removed);
    assert_eq!(reader.ordered(remove()), OrderOutcome::WasGone);
    assert_eq!(server.mails(&drafts), [""; 0]);
}

#[test]
fn who_asks_by_jmap_waits_and_a_confirmed_reply_lies_among_the_drafts_until_undo() {
    let Some(server) = Cyrus::start("kim", PASSWORD) else {
        return;
    };
    server.deliver(&mail("Asha Rao", "one", WORDS));
    let household = Household::with(&format!(
        "zone = \"{}\"\nnames = [\"Kim\"]\naddresses = [\"kim@example.org\"]\n",
        afternoon_zone()
    ));
    let service = household.service();
    let (address, pin) = (server.address(), server.fingerprint());
    let mut add = vec![
        "add",
        "home",
        &address,
        "--kind",
        "jmap",
        "--user",
        "kim",
        "--private",
        "--write",
    ];
    add.extend(["--certificate", &pin]);
    let (code, said) = household.source(&service, &add, "");
    assert_eq!(code, Some(0), "{said}");
    // A page that is open while the account is taken up is cut off.
    service.until("the account", |service| {
        (household.look_at(service, "home")["failure"]["why"] == "login_missing").then_some(())
    });
    let _phone = service.phone();
    service.confirm(&offered_reply(&household, &service));
    until_state(&household, &service, "delivered");
    let drafts = server.mailbox("Bozze");
    assert_eq!(server.mails(&drafts).len(), 1);
    until_told(&service, "has it.");
    undo(&household, &service);
    until_state(&household, &service, "removed");
    assert_eq!(server.mails(&drafts), [""; 0]);
    // New mail, after a look.
    server.deliver(&mail("Bo Lind", "two", WORDS));
    household.look_at(&service, "home");
    until_waiting(&service, "Bo Lind", true);
    assert!(worker().is_some());
    assert!(
        !any_file_holds(household.dir.path(), "wombat") && !any_file_holds(household.dir.path(), PASSWORD)
    );
}
