//! Servers that lie, stall and send too much.
//!
//! What: the worker of an account, as the service starts it, on connections to stand-ins of ours: one clear failure each, and nothing of it is
//! taken. Why: whoever runs the server, or broke into it, must not be able to do more. Not here: a real server (the parent module).

use aura_process::{
    WorkerProgram,
    source::{
        AccountLogin, AccountPart, AccountProtocol, AccountRequest, KnownCalendar, LookFailure, ServerPlace,
        read_account,
    },
};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
};
use toolcall_schema::ids::sha256_hex;

/// A certificate for a name, with its key.
pub(super) struct Identity {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) config: Arc<ServerConfig>,
}

impl Identity {
    pub(super) fn new(name: &str) -> Self {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let certificate = made.cert.der().clone();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        Self {
            certificate,
            config: Arc::new(config),
        }
    }
}

/// Reads one request, its body too; `None`: there is none.
pub(super) fn request(stream: &mut dyn Read) -> Option<String> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let length = head
        .to_ascii_lowercase()
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(head + &String::from_utf8(body).unwrap())
}

/// Answers every request of every connection by its number.
pub(super) fn serve(
    tls: Option<Arc<ServerConfig>>,
    answer: impl Fn(usize, &str, &mut dyn Write) + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // It ends with the process.
    thread::spawn(move || {
        let mut number = 0;
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            if let Some(config) = &tls {
                let connection = ServerConnection::new(Arc::clone(config)).unwrap();
                let mut stream = StreamOwned::new(connection, stream);
                while let Some(asked) = request(&mut stream) {
                    answer(number, &asked, &mut stream);
                    let _ = stream.flush();
                    number += 1;
                }
            } else {
                let mut stream = stream;
                while let Some(asked) = request(&mut stream) {
                    answer(number, &asked, &mut stream);
                    number += 1;
                    if asked.contains("/closes") {
                        break;
                    }
                }
            }
        }
    });
    address
}

pub(super) fn asked(protocol: AccountProtocol, address: &str) -> AccountRequest {
    let place = ServerPlace::parse(address).unwrap();
    let span = ["20260101T000000Z", "20280101T000000Z"].map(str::to_owned);
    AccountRequest::new(protocol, place, span)
}

pub(super) fn read(
    request: &AccountRequest,
    at: SocketAddr,
) -> Result<(Vec<AccountPart>, Vec<String>), LookFailure> {
    let mut parts = Vec::new();
    let program = WorkerProgram(env!("CARGO_BIN_EXE_aura").into());
    let there = read_account(
        &program,
        "stand-in",
        request,
        &mut || TcpStream::connect(at).map_err(|_| LookFailure::Unreachable),
        &mut |part| parts.push(part),
    )?;
    Ok((parts, there))
}

pub(super) fn ok(kind: &str, more: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {kind}\r\nContent-Length: {length}\r\n{more}\r\n{body}")
}

const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n";

/// A file at an address, answered so, over plain HTTP.
fn file(
    answer: impl Fn(&mut dyn Write) + Send + 'static,
) -> Result<(Vec<AccountPart>, Vec<String>), LookFailure> {
    let at = serve(None, move |_, _, stream| answer(stream));
    let mut request = asked(
        AccountProtocol::CalendarAddress,
        "http://calendar.example/closes.ics",
    );
    request.request_ms = 5000;
    read(&request, at)
}

fn written(text: String) -> impl Fn(&mut dyn Write) + Send {
    move |stream| drop(stream.write_all(text.as_bytes()))
}

#[test]
fn files_that_are_no_good_calendar_have_one_clear_failure_each() {
    let large = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 1_u64 << 31);
    let event = format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDESCRIPTION:{}\r\n",
        "x".repeat(50 << 20)
    );
    let to = |place: &str| ok("302 Found", &format!("Location: {place}\r\n"), "");
    let elsewhere = |host: &str, path: &str| LookFailure::Elsewhere {
        host: host.to_owned(),
        path: path.to_owned(),
    };
    for (name, text, expected) in [
        ("2 GB announced", large, LookFailure::TooLarge),
        ("event of 50 MB", ok("200 OK", "", &event), LookFailure::TooLarge),
        ("half a line", "HTTP/1.1 200 O".to_owned(), LookFailure::Broken),
        (
            "half a body",
            ok("200 OK", "", CALENDAR).replace("END:VCALENDAR\r\n", ""),
            LookFailure::Broken,
        ),
        (
            "half a calendar",
            ok("200 OK", "", "BEGIN:VCALENDAR\r\nBEGIN:VEV"),
            LookFailure::Broken,
        ),
        (
            "no HTTP",
            "220 mail.example ESMTP\r\n\r\n".to_owned(),
            LookFailure::Broken,
        ),
        (
            "a page",
            ok("200 OK", "", "<!DOCTYPE html><title>Log in</title>"),
            LookFailure::NoCalendar,
        ),
        (
            "metadata",
            to("http://169.254.169.254/latest/"),
            elsewhere("http://169.254.169.254", "/latest/"),
        ),
        (
            "another port",
            to("http://calendar.example:8080/"),
            elsewhere("http://calendar.example:8080", "/"),
        ),
        ("round and round", to("/closes.ics"), LookFailure::Broken),
        (
            "gone",
            ok("404 Not Found", "", ""),
            LookFailure::Refused { status: 404 },
        ),
        (
            "no login",
            ok("401 Unauthorized", "", ""),
            LookFailure::LoginMissing,
        ),
        (
            "too often",
            ok("429 Too Many Requests", "Retry-After: 90\r\n", ""),
            LookFailure::TooOften { after_s: Some(90) },
        ),
    ] {
        assert_eq!(file(written(text)).unwrap_err(), expected, "{name}");
    }
}

#[test]
fn answer_that_never_ends_or_never_comes_is_left() {
    let endless = file(|stream| {
        let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nBEGIN:VCALENDAR\r\n");
        let piece = vec![b'x'; 1 << 20];
        while sent.is_ok() {
            sent = stream.write_all(&piece);
        }
    });
    assert_eq!(endless.unwrap_err(), LookFailure::TooLarge);
    let at = serve(None, |_, _, _| thread::park());
    let mut request = asked(AccountProtocol::CalDav, "http://calendar.example/");
    request.request_ms = 300;
    assert_eq!(read(&request, at).unwrap_err(), LookFailure::Silent);
}

#[test]
fn calendar_is_taken_once_and_not_again_while_it_is_the_same() {
    let at = serve(None, |_, asked, stream| {
        let answer = if asked.to_ascii_lowercase().contains("if-none-match: \"a\"") {
            "HTTP/1.1 304 Not Modified\r\n\r\n".to_owned()
        } else {
            ok("200 OK", "ETag: \"a\"\r\n", CALENDAR)
        };
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let mut request = asked(AccountProtocol::CalendarAddress, "http://calendar.example/a.ics");
    let (parts, there) = read(&request, at).unwrap();
    let [
        AccountPart::Calendar {
            id, mark: Some(mark), ..
        },
        AccountPart::Object { text, .. },
    ] = &parts[..]
    else {
        panic!("{parts:?}");
    };
    assert_eq!((text.as_str(), there.len()), (CALENDAR.trim(), 1));
    request.known = vec![KnownCalendar {
        id: id.clone(),
        mark: mark.clone(),
    }];
    assert_eq!(read(&request, at), Ok((vec![], there)));
}

#[test]
fn certificates_count_for_their_name_and_only_those_that_are_trusted() {
    let good = Identity::new("calendar.example");
    let other = Identity::new("other.example");
    let pin = |identity: &Identity| Some(sha256_hex(&identity.certificate));
    for (identity, pin, expected) in [
        (&good, pin(&good), None),
        (&good, None, Some(LookFailure::Untrusted)),
        (&good, pin(&other), Some(LookFailure::NotPinned)),
        (&other, pin(&other), Some(LookFailure::OtherName)),
    ] {
        let at = serve(Some(Arc::clone(&identity.config)), |_, _, stream| {
            stream.write_all(ok("200 OK", "", CALENDAR).as_bytes()).unwrap();
        });
        let mut request = asked(AccountProtocol::CalendarAddress, "https://calendar.example/a.ics");
        request.pin.clone_from(&pin);
        assert_eq!(read(&request, at).err(), expected);
    }
    // Who speaks no TLS there.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = stream.unwrap().write_all(b"220 mail.example ESMTP\r\n");
        }
    });
    let request = asked(AccountProtocol::CalendarAddress, "https://calendar.example/a.ics");
    assert_eq!(read(&request, at).unwrap_err(), LookFailure::NoTls);
}

fn multistatus(inner: &str) -> String {
    ok(
        "207 Multi-Status",
        "",
        &format!(
            "<multistatus xmlns=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">{inner}</multistatus>"
        ),
    )
}

#[test]
fn login_that_ends_in_the_middle_and_links_that_lead_away_are_told() {
    let home = "<response><href>/kim/work/</href><propstat><prop><resourcetype><C:calendar/></resourcetype></prop>\
        <status>HTTP/1.1 200 OK</status></propstat></response>";
    let at = serve(None, move |number, _, stream| {
        let answer = match number {
            0 => multistatus(home),
            _ => ok("401 Unauthorized", "", ""),
        };
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let mut request = asked(AccountProtocol::CalDav, "http://calendar.example/kim/");
    request.login = Some(AccountLogin {
        user: "kim".to_owned(),
        password: "x".to_owned(),
    });
    assert_eq!(read(&request, at).unwrap_err(), LookFailure::LoginRefused);
    let away = "<response><href>https://evil.example/kim/</href><propstat><prop><resourcetype><C:calendar/></resourcetype></prop>\
        </propstat></response>";
    let elsewhere = LookFailure::Elsewhere {
        host: "https://evil.example".to_owned(),
        path: "/kim/".to_owned(),
    };
    for (answer, expected) in [
        (multistatus(away), elsewhere),
        (multistatus(""), LookFailure::NoCalendar),
        (
            ok("207 Multi-Status", "", "<multistatus xmlns=\"DAV:\"><respo"),
            LookFailure::Broken,
        ),
        (
            multistatus(&"<response><href>/x</href></response>".repeat(100_000)),
            LookFailure::TooLarge,
        ),
    ] {
        let at = serve(None, move |_, _, stream| {
            drop(stream.write_all(answer.as_bytes()));
        });
        assert_eq!(read(&request, at).unwrap_err(), expected);
    }
}
