//! What passes from a real server of mail to the service.
//!
//! What: heads and text, never attachments; the heads alone of older mail; news at once; marks, and what went; nothing twice after a connection that ended;
//! drafts that are there once and go. Why: this is all that a server's mail is read by. Not here: what becomes of it (`mail`), servers that lie
//! (`bad_mail_servers`).

use super::{
    PASSWORD,
    dovecot::Dovecot,
    mail_host::{ReadMailbox, mail_of, mail_request},
};
use aura_process::source::{
    AccountRequest, KnownFolder, MailBytes, MailMarks, MailOrder, MailPart, OrderOutcome, WantedMails,
};
use chrono::{TimeDelta, Utc};

fn mail(id: &str, text: &str) -> String {
    let sent = Utc::now().to_rfc2822();
    format!(
        "From: Asha <asha@example.com>\r\nTo: kim@example.org\r\nSubject: About it\r\nMessage-ID: <{id}@example.com>\r\nDate: {sent}\r\n\
         Received: from a.example.com by b.example.org; {sent}\r\n\r\n{text}\r\n"
    )
}

/// One with both texts and something attached.
const PARTS: &str = "From: Bo <bo@example.com>\r\nTo: kim@example.org\r\nSubject: Parts\r\nMessage-ID: <parts@example.com>\r\n\
    MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=out\r\n\r\n\
    --out\r\nContent-Type: multipart/alternative; boundary=in\r\n\r\n\
    --in\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSee =E2=80=9Cthis=E2=80=9D\r\n\
    --in\r\nContent-Type: text/html\r\n\r\n<table><tr><td>See this</td></tr></table>\r\n--in--\r\n\
    --out\r\nContent-Type: text/plain; name=log.txt\r\nContent-Disposition: attachment; filename=log.txt\r\n\r\nNEVER FETCHED\r\n--out--\r\n";

fn request(server: &Dovecot) -> AccountRequest {
    let mut request = mail_request(&format!("localhost:{}", server.imaps));
    request.pin = Some(server.fingerprint());
    request
}

/// The mails with their text among parts, with their folder.
fn mails(parts: &[MailPart]) -> Vec<(String, u32, String)> {
    let mut found = Vec::new();
    let mut open = String::new();
    for part in parts {
        if let MailPart::Folder { name, .. } = part {
            open.clone_from(name);
        }
        found.extend(mail_of(part).map(|(uid, text)| (open.clone(), uid, text)));
    }
    found
}

fn old_heads(parts: &[MailPart]) -> Vec<String> {
    let heads = parts.iter().filter_map(|part| match part {
        MailPart::OldHead { bytes, .. } => Some(String::from_utf8(bytes.0.clone()).unwrap()),
        MailPart::Folder { .. }
        | MailPart::Mail { .. }
        | MailPart::Marks { .. }
        | MailPart::Gone { .. }
        | MailPart::ReadUpTo { .. }
        | MailPart::ReadAll { .. }
        | MailPart::HeadAgain { .. } => None,
    });
    heads.collect()
}

#[test]
fn texts_of_new_mail_and_heads_of_older_pass_and_attachments_and_spam_never() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", PARTS);
    let day = |days| (Utc::now() - TimeDelta::days(days)).format("\"%d-%b-%Y 10:00:00 +0000\" ");
    program.put("INBOX", &day(20).to_string(), &mail("old", "Words of before"));
    program.put(
        "INBOX",
        &day(60).to_string(),
        &mail("ancient", "Words of long ago"),
    );
    program.put("Inviata", &day(25).to_string(), &mail("sent", "My words"));
    program.put("Cestino", "", &mail("trash", "In the bin"));
    program.put("Bozze", "", &mail("draft", "Not yet"));
    program.ask("CREATE Family/School");
    program.put("Family/School", "(\\Seen) ", &mail("school", "Bring a cake"));

    let mut reader = ReadMailbox::start(request(&server), server.tls_address());
    let (parts, folders) = reader.look();
    assert_eq!(
        folders.unwrap(),
        ["INBOX", "Inviata", "Family/School"].map(str::to_owned)
    );
    let found = mails(&parts);
    let [(inbox, _, both), (school, _, cake)] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((inbox.as_str(), school.as_str()), ("INBOX", "Family/School"));
    assert!(
        both.contains("See =E2=80=9Cthis") && both.contains("<table>") && both.contains("Subject: Parts"),
        "{both}"
    );
    assert!(!both.contains("NEVER") && cake.contains("Bring a cake"), "{both}");
    let heads = old_heads(&parts);
    let [old, sent] = &heads[..] else {
        panic!("{heads:?}")
    };
    assert!(
        old.contains("<old@example.com>") && old.contains("Received:"),
        "{old}"
    );
    assert!(
        sent.contains("<sent@example.com>") && !sent.contains("Subject"),
        "{sent}"
    );
    assert!(
        parts
            .iter()
            .any(|part| matches!(part, MailPart::Folder { name, is_sent: true, .. } if name == "Inviata"))
    );
    // Nothing was marked.
    program.ask("EXAMINE INBOX");
    assert!(!program.ask("FETCH 1:* (FLAGS)").contains("\\Seen"));
}

#[test]
fn news_come_at_once_with_marks_and_what_went_and_nothing_comes_twice() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("one", "First"));
    let mut reader = ReadMailbox::start(request(&server), server.tls_address());
    let (parts, _) = reader.look();
    assert_eq!(mails(&parts).len(), 1);

    program.put("INBOX", "", &mail("two", "Second"));
    let (_, second, text) = reader.until(|parts| mails(parts).pop());
    assert!(text.contains("Second"), "{text}");

    program.ask("SELECT INBOX");
    program.ask(&format!("UID STORE {second} +FLAGS (\\Seen \\Answered)"));
    let marks = MailMarks {
        answered: true,
        seen: true,
        ..MailMarks::default()
    };
    let has = |parts: &[MailPart], part: &MailPart| {
        assert_eq!(mails(parts), []);
        parts.contains(part).then_some(())
    };
    reader.until(|parts| has(parts, &MailPart::Marks { uid: second, marks }));
    program.ask(&format!("UID STORE {second} +FLAGS (\\Deleted)"));
    program.ask("EXPUNGE");
    reader.until(|parts| has(parts, &MailPart::Gone { uid: second }));
    drop(reader);

    // Another connection, which knows what there is, fetches what is new alone.
    let mut again = request(&server);
    let inbox = |uid_validity| KnownFolder {
        name: "INBOX".to_owned(),
        uid_validity,
        upto: second,
        texts: [1].into_iter().collect(),
        ..KnownFolder::default()
    };
    let validity = |parts: &[MailPart]| {
        let found = parts.iter().find_map(|part| match part {
            MailPart::Folder {
                uid_validity,
                is_whole,
                ..
            } => Some((*uid_validity, *is_whole)),
            MailPart::Mail { .. }
            | MailPart::OldHead { .. }
            | MailPart::Marks { .. }
            | MailPart::Gone { .. }
            | MailPart::ReadUpTo { .. }
            | MailPart::ReadAll { .. }
            | MailPart::HeadAgain { .. } => None,
        });
        found.unwrap()
    };
    let first = validity(&parts).0;
    program.put("INBOX", "", &mail("three", "Third"));
    again.mail.as_mut().unwrap().known = vec![inbox(first)];
    let (parts, _) = ReadMailbox::start(again.clone(), server.tls_address()).look();
    assert_eq!((mails(&parts).len(), validity(&parts)), (1, (first, false)));
    // The server lost its numbers: the folder comes whole.
    server.renumber("kim", "INBOX", first + 1000);
    let (parts, _) = ReadMailbox::start(again, server.tls_address()).look();
    assert_eq!((mails(&parts).len(), validity(&parts)), (2, (first + 1000, true)));
}

#[test]
fn who_wrote_a_mail_is_fetched_again_by_its_place_before_all_else_and_when_it_is_asked_for() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("INBOX", "", &mail("one", "First"));
    program.put("INBOX", "", &mail("two", "Second"));
    program.ask("CREATE Family/School");
    program.put("Family/School", "", &mail("cake", "Bring a cake"));
    let number = |folder: &str| agents::fetched_folder_number("home", &agents::fetched_folder(folder, false));
    let wanted = |folder: u64, uids: &[u32]| WantedMails {
        folder,
        uids: uids.iter().copied().collect(),
    };
    let mut request = request(&server);
    let inbox = number("INBOX");
    request.mail.as_mut().unwrap().wanted = vec![wanted(5, &[1]), wanted(inbox, &[2, 99])];
    let mut reader = ReadMailbox::start(request, server.tls_address());
    let (parts, _) = reader.look();
    let [
        MailPart::HeadAgain {
            folder,
            uid: 2,
            bytes,
        },
        MailPart::Folder { .. },
        ..,
    ] = &parts[..]
    else {
        panic!("{parts:?}")
    };
    let head = String::from_utf8(bytes.0.clone()).unwrap();
    assert!(
        *folder == inbox && head.contains("<two@example.com>") && !head.contains("Subject"),
        "{head}"
    );
    assert_eq!(mails(&parts).len(), 3);
    let order = MailOrder::FetchAgain {
        number: 4,
        wanted: vec![wanted(number("Family/School"), &[1])],
    };
    assert_eq!(reader.ordered(order), OrderOutcome::FetchedAgain);
    // News are heard after it as before.
    program.put("INBOX", "", &mail("three", "Third"));
    reader.until(|parts| mails(parts).pop());
}

#[test]
fn mail_without_a_message_id_comes_again_with_the_head_that_it_was_known_by() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put(
        "INBOX",
        "",
        &PARTS.replace("Message-ID: <parts@example.com>\r\n", ""),
    );
    let (parts, _) = ReadMailbox::start(request(&server), server.tls_address()).look();
    let (_, uid, text) = mails(&parts).pop().unwrap();
    let mut again = request(&server);
    again.mail.as_mut().unwrap().wanted = vec![WantedMails {
        folder: agents::fetched_folder_number("home", "INBOX"),
        uids: [uid].into_iter().collect(),
    }];
    let (parts, _) = ReadMailbox::start(again, server.tls_address()).look();
    let Some(MailPart::HeadAgain { bytes, .. }) = parts.first() else {
        panic!("{parts:?}")
    };
    let head = String::from_utf8(bytes.0.clone()).unwrap();
    assert!(head.ends_with("\r\n\r\n") && text.starts_with(&head), "{head}");
}

#[test]
fn mail_by_starttls_is_the_same() {
    let server = Dovecot::start("kim", PASSWORD);
    server.program("kim").put("INBOX", "", &mail("one", "First"));
    let mut request = mail_request(&format!("imap://localhost:{}", server.imap));
    request.pin = Some(server.fingerprint());
    let (parts, _) = ReadMailbox::start(request, ([127, 0, 0, 1], server.imap).into()).look();
    assert_eq!(mails(&parts).len(), 1);
}

#[test]
fn draft_is_there_once_however_often_it_is_put_and_goes_alone() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    program.put("Bozze", "(\\Draft) ", &mail("mine", "Leave this alone"));
    let mut reader = ReadMailbox::start(request(&server), server.tls_address());
    reader.look();
    let id = "<aura-1@example.com>";
    let put = |text: &str| MailOrder::PutDraft {
        number: 1,
        message_id: id.to_owned(),
        answers: None,
        message: MailBytes(mail("aura-1", text).into_bytes()),
    };
    let remove = || MailOrder::RemoveDraft {
        number: 2,
        message_id: id.to_owned(),
        version: None,
    };
    assert_eq!(reader.ordered(remove()), OrderOutcome::WasGone);
    // It is the second mail of that folder.
    let version = Some("2".to_owned());
    let (is_put, was_there) = (
        OrderOutcome::Put {
            version: version.clone(),
        },
        OrderOutcome::WasThere { version },
    );
    assert_eq!(reader.ordered(put("A draft")), is_put);
    assert_eq!(reader.ordered(put("A draft")), was_there);
    program.ask("EXAMINE Bozze");
    let there = program.ask("FETCH 1:* (FLAGS BODY.PEEK[TEXT])");
    assert_eq!(
        (there.matches("A draft").count(), there.matches("alone").count()),
        (1, 1)
    );
    assert!(there.contains("\\Draft") && there.contains("\\Seen"), "{there}");
    // By a connection of its own, as after a kill.
    let mut other = ReadMailbox::start(request(&server), server.tls_address());
    other.look();
    assert_eq!(other.ordered(put("A draft")), was_there);
    assert_eq!(other.ordered(remove()), OrderOutcome::Removed);
    assert_eq!(reader.ordered(remove()), OrderOutcome::WasGone);
    let there = program.ask("EXAMINE Bozze");
    assert!(there.contains("* 1 EXISTS"), "{there}");
    // News are heard after it as before.
    program.put("INBOX", "", &mail("one", "First"));
    reader.until(|parts| mails(parts).pop());
    let odd = MailOrder::RemoveDraft {
        number: 3,
        message_id: "<a\" NOT UID 1>".to_owned(),
        version: None,
    };
    assert_eq!(reader.ordered(odd), OrderOutcome::Refused);
}

#[test]
fn draft_that_was_edited_takes_the_place_of_ours_and_of_no_other_programs() {
    let server = Dovecot::start("kim", PASSWORD);
    let mut program = server.program("kim");
    let mut reader = ReadMailbox::start(request(&server), server.tls_address());
    reader.look();
    let id = "<aura-1@aura.invalid>";
    let head = "To: Asha Rao <one@example.com>\r\nSubject: Re: Visit\r\nIn-Reply-To: <one@example.com>\r\n";
    let message = |text: &str| format!("Message-ID: {id}\r\n\r\n{text}\r\n");
    let put = MailOrder::PutDraft {
        number: 1,
        message_id: id.to_owned(),
        answers: None,
        message: MailBytes([head, &message("First")].concat().into_bytes()),
    };
    let replace = |version: &str, text: &str| MailOrder::ReplaceDraft {
        number: 2,
        message_id: id.to_owned(),
        version: version.to_owned(),
        message: MailBytes(message(text).into_bytes()),
    };
    let remove = |version: &str| MailOrder::RemoveDraft {
        number: 3,
        message_id: id.to_owned(),
        version: Some(version.to_owned()),
    };
    let numbered = |uid: &str| OrderOutcome::Put {
        version: Some(uid.to_owned()),
    };
    assert_eq!(reader.ordered(replace("1", "None yet")), OrderOutcome::WasGone);
    assert_eq!(reader.ordered(put), numbered("1"));
    assert_eq!(reader.ordered(replace("1", "Second")), numbered("2"));
    program.ask("SELECT Bozze");
    let there = program.ask("UID FETCH 1:* (FLAGS BODY.PEEK[])");
    assert!(
        there.contains(head) && there.contains("Second") && !there.contains("First"),
        "{there}"
    );
    assert!(there.contains("\\Draft"), "{there}");
    // A try whose answer was lost, and which was killed before the old one went: it is not put once more.
    program.put("Bozze", "(\\Draft) ", &[head, &message("Third")].concat());
    assert_eq!(reader.ordered(replace("2", "Third")), numbered("3"));
    assert!(
        program.ask("NOOP").contains("* 1 EXPUNGE") || program.ask("UID SEARCH ALL").contains("SEARCH 3\r\n")
    );
    // Another program put its own in that place.
    program.put("Bozze", "(\\Draft) ", &[head, &message("By hand")].concat());
    program.ask("UID STORE 3 +FLAGS (\\Deleted)");
    program.ask("UID EXPUNGE 3");
    assert_eq!(reader.ordered(replace("3", "Fourth")), OrderOutcome::Changed);
    assert_eq!(reader.ordered(remove("3")), OrderOutcome::Changed);
    let there = program.ask("UID FETCH 1:* (BODY.PEEK[TEXT])");
    assert!(
        there.contains("By hand") && there.matches("FETCH (UID").count() == 1,
        "{there}"
    );
    assert_eq!(reader.ordered(remove("4")), OrderOutcome::Removed);
    assert_eq!(reader.ordered(remove("4")), OrderOutcome::WasGone);
}
