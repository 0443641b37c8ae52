//! Servers of mail that lie, stall and send too much.
//!
//! What: the worker of an account of mail, as the service starts it, on connections to stand-ins of ours: one clear failure each; what was not asked for is not
//! taken; a password is never sent in the clear. Why: whoever runs the server, or broke into it, must not be able to do more. Not here: a real
//! server (`mailbox`).

use super::{
    PASSWORD,
    bad_servers::Identity,
    mail_host::{ReadMailbox, mail_of, mail_request},
};
use aura_process::source::{
    AccessToken, KnownFolder, LookFailure, MailBytes, MailOrder, MailPart, OrderOutcome,
};
use rustls::{ServerConnection, StreamOwned};
use std::{
    io::{BufRead as _, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
};
use toolcall_schema::ids::sha256_hex;

/// A server that says usual things, but to a command that begins so.
#[derive(Clone)]
struct StandIn {
    greeting: &'static str,
    abilities: &'static str,
    odd: Vec<(&'static str, String)>,
    /// What it was sent.
    heard: Arc<Mutex<String>>,
}

impl StandIn {
    fn new(odd: &[(&'static str, &str)]) -> Self {
        Self {
            greeting: "* OK ready",
            abilities: "IMAP4rev1 AUTH=PLAIN SASL-IR ESEARCH CONDSTORE",
            odd: odd.iter().map(|(to, says)| (*to, (*says).to_owned())).collect(),
            heard: Arc::default(),
        }
    }

    /// What it says to a command. `\u{1}` stands for the command's tag.
    fn answer(&self, command: &str) -> String {
        if let Some((_, says)) = self.odd.iter().find(|(to, _)| command.starts_with(to)) {
            return says.clone();
        }
        let data = match command.split(' ').next().unwrap_or_default() {
            "CAPABILITY" => format!("* CAPABILITY {}\r\n", self.abilities),
            "LIST" => "* LIST () \"/\" INBOX\r\n".to_owned(),
            "EXAMINE" => "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 2] ok\r\n".to_owned(),
            "UID" if command.contains("SEARCH") => "* ESEARCH (TAG \"x\") UID ALL 1\r\n".to_owned(),
            "UID" if command.contains("HEADER]") => {
                "* 1 FETCH (UID 1 FLAGS () BODYSTRUCTURE (\"text\" \"plain\" NIL NIL NIL \"7bit\" 3 1) BODY[HEADER]<0> {10}\r\nFrom: a@b\n)\r\n"
                    .to_owned()
            }
            "UID" => "* 1 FETCH (UID 1 BODY[1]<0> {3}\r\nhi\n)\r\n".to_owned(),
            _ => String::new(),
        };
        format!("{data}\u{1} OK done\r\n")
    }

    fn serve(&self, stream: &mut (impl Read + Write)) {
        if write!(stream, "{}\r\n", self.greeting).is_err() {
            return;
        }
        let mut stream = BufReader::new(stream);
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            self.heard.lock().unwrap().push_str(&line);
            let (tag, command) = line.trim_end().split_once(' ').unwrap_or_default();
            let answer = self.answer(command).replace('\u{1}', tag);
            let is_over = answer.contains('\u{2}');
            if stream
                .get_mut()
                .write_all(answer.replace('\u{2}', "").as_bytes())
                .is_err()
                || is_over
            {
                return;
            }
            let _ = stream.get_mut().flush();
        }
    }

    fn start(&self, identity: Option<&Identity>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let (me, tls) = (
            self.clone(),
            identity.map(|identity| Arc::clone(&identity.config)),
        );
        // It ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if let Some(config) = &tls {
                    let connection = ServerConnection::new(Arc::clone(config)).unwrap();
                    me.serve(&mut StreamOwned::new(connection, stream));
                } else {
                    me.serve(&mut stream);
                }
            }
        });
        at
    }

    /// What its mail is read as, in the clear.
    fn read(&self) -> ReadMailbox {
        self.read_beyond(Vec::new())
    }

    /// The same by who knows some of it.
    fn read_beyond(&self, known: Vec<KnownFolder>) -> ReadMailbox {
        let mut request = mail_request("imap://mail.example");
        let task = request.mail.as_mut().unwrap();
        (task.may_be_unsealed, task.known) = (true, known);
        request.request_ms = 1500;
        ReadMailbox::start(request, self.start(None))
    }

    fn failure(&self) -> LookFailure {
        self.read().end().1.unwrap()
    }
}

#[test]
fn servers_that_send_too_much_or_nothing_have_one_clear_failure_each() {
    let many: Vec<String> = (0..100_000)
        .map(|n| format!("* LIST () \"/\" folder{n}\r\n"))
        .collect();
    let many = format!("{}\u{1} OK done\r\n", many.concat());
    let long = format!("* SEARCH{}\r\n", " 1".repeat(1 << 20));
    for (name, odd, expected) in [
        (
            "2 GB announced",
            (
                "UID FETCH",
                "* 1 FETCH (UID 1 BODY[HEADER]<0> {2147483648}\r\nFrom",
            ),
            LookFailure::AnswerTooLarge,
        ),
        (
            "a line without end",
            ("UID SEARCH", long.as_str()),
            LookFailure::AnswerTooLarge,
        ),
        (
            "100,000 folders",
            ("LIST", many.as_str()),
            LookFailure::TooManyFolders,
        ),
        ("nothing", ("LIST", ""), LookFailure::Silent),
        ("half a line", ("LIST", "* LIST () \"/\u{2}"), LookFailure::Broken),
        (
            "half a literal",
            ("UID FETCH", "* 1 FETCH (UID 1 BODY[HEADER] {99}\r\nFrom\u{2}"),
            LookFailure::Broken,
        ),
        (
            "lists without end",
            (
                "UID FETCH",
                "* 1 FETCH ((((((((((((((((((((((((((((((((((((((\r\n",
            ),
            LookFailure::Broken,
        ),
        (
            "no numbers",
            ("UID SEARCH", "* ESEARCH UID ALL x\r\n\u{1} OK\r\n"),
            LookFailure::Broken,
        ),
        (
            "no UIDVALIDITY",
            ("EXAMINE", "* 1 EXISTS\r\n\u{1} OK done\r\n"),
            LookFailure::Broken,
        ),
        (
            "farewell",
            ("LIST", "* BYE [UNAVAILABLE] later\r\n"),
            LookFailure::TooOften { after_s: None },
        ),
        (
            "no to all",
            ("EXAMINE", "\u{1} NO [NOPERM] no\r\n"),
            LookFailure::SaysNo,
        ),
        (
            "no to the list",
            ("LIST", "\u{1} BAD what\r\n"),
            LookFailure::SaysNo,
        ),
        (
            "wrong password",
            ("AUTHENTICATE", "\u{1} NO [AUTHENTICATIONFAILED] no\r\n"),
            LookFailure::LoginRefused,
        ),
        (
            "too many at once",
            ("AUTHENTICATE", "\u{1} NO [LIMIT] no\r\n"),
            LookFailure::TooOften { after_s: None },
        ),
        (
            "another's answer",
            ("LIST", "Z9 OK done\r\n"),
            LookFailure::Broken,
        ),
    ] {
        assert_eq!(StandIn::new(&[odd]).failure(), expected, "{name}");
    }
    let greeting = |greeting| StandIn {
        greeting,
        ..StandIn::new(&[])
    };
    assert_eq!(
        greeting("HTTP/1.1 400 Bad Request").failure(),
        LookFailure::Broken
    );
    assert_eq!(greeting("* BYE full").failure(), LookFailure::Broken);
    let no_passwords = StandIn {
        abilities: "IMAP4rev1 LOGINDISABLED",
        ..StandIn::new(&[])
    };
    assert_eq!(no_passwords.failure(), LookFailure::NoPasswords);
}

#[test]
fn what_was_not_asked_for_is_not_taken_and_no_range_is_a_bomb() {
    let head = |uid: u32| {
        format!(
            "* {uid} FETCH (UID {uid} FLAGS (\\Seen) BODYSTRUCTURE (\"text\" \"plain\" NIL NIL NIL \"7bit\" 3 1) BODY[HEADER]<0> {{10}}\r\nFrom: a@b\n)\r\n"
        )
    };
    let lies = format!("{}{}{}{}\u{1} OK done\r\n", head(1), head(1), head(9), head(0));
    let stand_in = StandIn::new(&[
        (
            "LIST",
            "* LIST () \"/\" INBOX\r\n* LIST () \"/\" \"../../x\"\r\n* LIST () \"/\" {5}\r\n/etc/\r\n\u{1} OK done\r\n",
        ),
        ("UID FETCH 1 (UID FLAGS", &lies),
    ]);
    let (parts, folders) = stand_in.read().look();
    assert_eq!(folders.unwrap(), ["INBOX", "../../x", "/etc/"].map(str::to_owned));
    let uids: Vec<u32> = parts.iter().filter_map(mail_of).map(|(uid, _)| uid).collect();
    // One of each folder, once.
    assert_eq!(uids, [1, 1, 1]);
    let bomb = StandIn::new(&[(
        "UID SEARCH",
        "* ESEARCH UID ALL 1:4294967295\r\n\u{1} OK done\r\n",
    )]);
    let (parts, _) = bomb.read().look();
    assert!(parts.len() < 10, "{}", parts.len());
}

#[test]
fn mail_that_went_is_noticed_where_the_server_counts_marks_alone() {
    // CONDSTORE without QRESYNC: the number of the last change stays as it is when a mail goes.
    let stand_in = StandIn::new(&[
        (
            "EXAMINE",
            "* 0 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 2] ok\r\n* OK [HIGHESTMODSEQ 5] ok\r\n\u{1} OK done\r\n",
        ),
        ("UID SEARCH", "* ESEARCH UID\r\n\u{1} OK done\r\n"),
        ("UID FETCH 1 (UID FLAGS)", "\u{1} OK done\r\n"),
    ]);
    let known = KnownFolder {
        name: "INBOX".to_owned(),
        uid_validity: 7,
        mod_seq: 5,
        upto: 1,
        texts: [1].into_iter().collect(),
        ..KnownFolder::default()
    };
    let (parts, _) = stand_in.read_beyond(vec![known]).look();
    assert!(parts.contains(&MailPart::Gone { uid: 1 }), "{parts:?}");
}

#[test]
fn what_a_draft_answers_is_looked_for_in_an_inbox_that_is_open_to_be_read_alone() {
    let stand_in = StandIn::new(&[
        (
            "LIST",
            "* LIST () \"/\" INBOX\r\n* LIST (\\Drafts) \"/\" Drafts\r\n\u{1} OK done\r\n",
        ),
        ("APPEND", "\u{1} NO no\r\n"),
    ]);
    let mut reader = stand_in.read();
    reader.look();
    let put = MailOrder::PutDraft {
        number: 1,
        message_id: "<a@example.org>".to_owned(),
        answers: Some("<b@example.org>".to_owned()),
        message: MailBytes(b"\r\nHello\r\n".to_vec()),
    };
    assert_eq!(reader.ordered(put), OrderOutcome::Refused);
    let heard = stand_in.heard.lock().unwrap().clone();
    assert!(
        heard.contains("HEADER MESSAGE-ID \"<b@example.org>\"") && heard.contains("SELECT \"Drafts\""),
        "{heard}"
    );
    assert!(!heard.contains("SELECT \"INBOX\""), "{heard}");
}

#[test]
fn draft_for_which_there_is_no_room_is_told_as_such() {
    let stand_in = StandIn::new(&[
        (
            "LIST",
            "* LIST () \"/\" INBOX\r\n* LIST (\\Drafts) \"/\" Drafts\r\n\u{1} OK done\r\n",
        ),
        ("APPEND", "\u{1} NO [OVERQUOTA] no room\r\n"),
    ]);
    let mut reader = stand_in.read();
    reader.look();
    let put = MailOrder::PutDraft {
        number: 1,
        message_id: "<a@example.org>".to_owned(),
        answers: None,
        message: MailBytes(b"\r\nHello\r\n".to_vec()),
    };
    assert_eq!(reader.ordered(put), OrderOutcome::Full);
}

#[test]
fn password_is_never_sent_to_who_seals_nothing() {
    let stand_in = StandIn {
        abilities: "IMAP4rev1 AUTH=PLAIN SASL-IR",
        ..StandIn::new(&[])
    };
    let mut request = mail_request("imap://mail.example");
    request.request_ms = 1500;
    let mut reader = ReadMailbox::start(request.clone(), stand_in.start(None));
    assert_eq!(reader.end().1, Some(LookFailure::NotSealed));
    // Who refuses STARTTLS is not trusted in a network of one's own either.
    let refusing = StandIn {
        abilities: "IMAP4rev1 STARTTLS AUTH=PLAIN SASL-IR",
        ..StandIn::new(&[("STARTTLS", "\u{1} BAD no\r\n")])
    };
    assert_eq!(refusing.failure(), LookFailure::NotSealed);
    // What comes with the answer to STARTTLS was not sealed.
    let injecting = StandIn {
        abilities: "IMAP4rev1 STARTTLS",
        ..StandIn::new(&[("STARTTLS", "\u{1} OK go\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n")])
    };
    assert_eq!(injecting.failure(), LookFailure::Broken);
    for stand_in in [stand_in, refusing, injecting] {
        let heard = stand_in.heard.lock().unwrap().clone();
        assert!(
            !heard.contains("LOGIN") && !heard.contains("AUTHENTICATE"),
            "{heard}"
        );
        assert!(!heard.contains(PASSWORD), "{heard}");
    }
}

#[test]
fn certificate_of_a_server_of_mail_counts_for_its_name() {
    let good = Identity::new("mail.example");
    let other = Identity::new("other.example");
    let pin = |identity: &Identity| Some(sha256_hex(&identity.certificate));
    for (identity, pin, expected) in [
        (&good, None, Some(LookFailure::Untrusted)),
        (&good, pin(&other), Some(LookFailure::NotPinned)),
        (&other, pin(&other), Some(LookFailure::OtherName)),
        (&good, pin(&good), None),
    ] {
        let stand_in = StandIn::new(&[]);
        let mut request = mail_request("mail.example");
        request.pin.clone_from(&pin);
        let mut reader = ReadMailbox::start(request, stand_in.start(Some(identity)));
        match expected {
            Some(expected) => assert_eq!(reader.end().1, Some(expected)),
            None => assert_eq!(reader.look().1.unwrap(), ["INBOX".to_owned()]),
        }
    }
    // Who speaks no TLS there.
    let request = mail_request("mail.example");
    let mut reader = ReadMailbox::start(request, StandIn::new(&[]).start(None));
    assert_eq!(reader.end().1, Some(LookFailure::NoTls));
}

#[test]
fn token_is_shown_as_the_server_takes_it_and_a_refusal_ends_the_command() {
    let request = || {
        let mut request = mail_request("imap://mail.example");
        request.mail.as_mut().unwrap().may_be_unsealed = true;
        request.token = Some(AccessToken {
            user: "kim@example.org".to_owned(),
            token: "token-of-kim".to_owned(),
        });
        request.request_ms = 1500;
        request
    };
    for (abilities, shown, last) in [
        (
            "AUTH=PLAIN AUTH=XOAUTH2 AUTH=OAUTHBEARER",
            "AUTHENTICATE OAUTHBEARER bixhP",
            "AQ==\r\n",
        ),
        (
            "AUTH=PLAIN AUTH=XOAUTH2",
            "AUTHENTICATE XOAUTH2 dXNlc",
            "\r\n\r\n",
        ),
    ] {
        let mut server = StandIn {
            abilities: Box::leak(format!("IMAP4rev1 SASL-IR ESEARCH {abilities}").into_boxed_str()),
            ..StandIn::new(&[])
        };
        let (parts, _) = ReadMailbox::start(request(), server.start(None)).look();
        assert!(!parts.is_empty());
        let heard = server.heard.lock().unwrap().clone();
        assert!(heard.contains(shown) && !heard.contains("PLAIN"), "{heard}");
        // Why it refuses is said in the middle, and the command ends when that was heard.
        let refusal = "+ eyJzdGF0dXMiOiI0MDEifQ==\r\n\u{1} NO [AUTHENTICATIONFAILED] no\r\n";
        server.odd = vec![("AUTHENTICATE", refusal.to_owned())];
        let failure = ReadMailbox::start(request(), server.start(None)).end().1;
        assert_eq!(failure, Some(LookFailure::LoginRefused), "{abilities}");
        crate::support::wait::until("last line", || {
            server.heard.lock().unwrap().ends_with(last).then_some(())
        });
    }
    let by_password = StandIn::new(&[]);
    let failure = ReadMailbox::start(request(), by_password.start(None)).end().1;
    assert_eq!(failure, Some(LookFailure::NoPasswords));
    assert!(!by_password.heard.lock().unwrap().contains("AUTHENTICATE"));
}
