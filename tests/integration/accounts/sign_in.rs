//! Signing in at a provider.
//!
//! What: a stand-in of ours for a provider (OAuth 2) and for a server of calendars that takes its tokens: a code that is typed elsewhere, a browser that
//! comes back with a wrong state, twice, or with a no; tokens that are renewed while the service is killed, taken back in the middle, and given
//! back with the account. Why: a token is worth a password, and the newest one counts alone. Not here: providers as they are: none was tried.

use super::{
    Household, any_file_holds,
    bad_servers::{ok, serve},
    event, on_agenda, until_on_agenda,
};
use crate::support::Service;
use aura_runtime::{
    accounts::{AccountCommand, AccountSecret},
    control::{self, ControlReply, ControlRequest},
};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard},
};
use surfaces_base::backend::sign_in::{SignInBegun, SignInWay};
use toolcall_schema::ids::sha256_hex;

const TITLE: &str = "Loom demonstration";
const SECRET: &str = "cod-and-chips";

/// When the service is killed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KillAt {
    /// A token was renewed, and nobody knows it yet.
    BeforeAnswer,
    /// A new token is shown to the server of calendars for the first time.
    FirstUse,
}

/// What a provider knows.
#[derive(Default)]
struct Provider {
    number: u32,
    /// Tokens are good until then.
    is_revoked: bool,
    expires_in: u32,
    /// How it answers about codes, before it gives tokens.
    refusals: VecDeque<&'static str>,
    /// Codes of browsers, each with what its verifier must hash to.
    codes: BTreeMap<String, String>,
    /// What it was asked at `/token` and `/revoke`.
    asked: Vec<BTreeMap<String, String>>,
    kill: Option<(KillAt, Pid)>,
}

#[derive(Clone, Default)]
struct StandInProvider(Arc<Mutex<Provider>>);

fn fields(form: &str) -> BTreeMap<String, String> {
    let pairs = url::form_urlencoded::parse(form.as_bytes());
    pairs
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect()
}

fn refuse(error: &str) -> String {
    ok("400 Bad Request", "", &json!({ "error": error }).to_string())
}

impl Provider {
    fn token(&self, kind: &str) -> String {
        format!("{kind}-of-kim-{}", self.number)
    }

    /// Gives out the next tokens; those before count no more.
    fn tokens(&mut self) -> String {
        self.number += 1;
        let tokens = json!({
            "access_token": self.token("access"), "refresh_token": self.token("refresh"), "token_type": "bearer",
            "expires_in": self.expires_in,
        });
        ok("200 OK", "", &tokens.to_string())
    }

    fn kill_at(&mut self, at: KillAt) {
        if let Some((_, pid)) = self.kill.take_if(|(when, _)| *when == at) {
            kill_process(pid, Signal::KILL).unwrap();
        }
    }

    fn answer_token(&mut self, form: &BTreeMap<String, String>) -> String {
        let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        assert_eq!((field("client_id"), field("client_secret")), ("aura-kim", SECRET));
        match field("grant_type") {
            "urn:ietf:params:oauth:grant-type:device_code" => match self.refusals.pop_front() {
                Some(error) => refuse(error),
                None => self.tokens(),
            },
            "authorization_code" => {
                let verifier = HEXLOWER.decode(sha256_hex(field("code_verifier").as_bytes()).as_bytes());
                let hash = BASE64URL_NOPAD.encode(&verifier.unwrap());
                match self.codes.remove(field("code")) {
                    Some(challenge) if challenge == hash => self.tokens(),
                    _ => refuse("invalid_grant"),
                }
            }
            "refresh_token" if self.is_revoked || field("refresh_token") != self.token("refresh") => {
                // A token that was used before: somebody else may have it.
                self.is_revoked = true;
                refuse("invalid_grant")
            }
            "refresh_token" => {
                let answer = self.tokens();
                self.kill_at(KillAt::BeforeAnswer);
                answer
            }
            other => panic!("{other}"),
        }
    }

    fn answer(&mut self, asked: &str, host: &str) -> String {
        let (head, body) = asked.split_once("\r\n\r\n").unwrap();
        let path = head.split(' ').nth(1).unwrap();
        match path {
            "/.well-known/oauth-authorization-server" => {
                let place = |path: &str| format!("http://{host}{path}");
                let metadata = json!({
                    "issuer": place(""), "authorization_endpoint": place("/authorize"), "token_endpoint": place("/token"),
                    "device_authorization_endpoint": place("/device"), "revocation_endpoint": place("/revoke"),
                });
                ok("200 OK", "", &metadata.to_string())
            }
            "/device" => {
                let code = json!({
                    "device_code": "device-code-of-kim", "user_code": "WDJB-MJHT", "verification_uri": format!("http://{host}/type"),
                    "expires_in": 60, "interval": 1,
                });
                ok("200 OK", "", &code.to_string())
            }
            "/token" | "/revoke" => {
                let form = fields(body);
                self.asked.push(form.clone());
                if path == "/token" {
                    self.answer_token(&form)
                } else {
                    ok("200 OK", "", "")
                }
            }
            other => panic!("{other}"),
        }
    }
}

impl StandInProvider {
    fn now(&self) -> MutexGuard<'_, Provider> {
        self.0.lock().unwrap()
    }

    fn serve(&self) -> SocketAddr {
        let me = self.clone();
        serve(None, move |_, asked, stream| {
            let host = header(asked, "host");
            let answer = me.now().answer(asked, &host);
            // The service may be gone.
            let _ = stream.write_all(answer.as_bytes());
        })
    }

    /// A server with one calendar, for whoever shows the token that counts.
    fn serve_calendar(&self) -> SocketAddr {
        let me = self.clone();
        serve(None, move |_, asked, stream| {
            let answer = {
                let mut provider = me.now();
                let wanted = format!("bearer {}", provider.token("access"));
                if provider.is_revoked || header(asked, "authorization") != wanted {
                    ok("401 Unauthorized", "", "")
                } else {
                    if provider.number > 1 {
                        provider.kill_at(KillAt::FirstUse);
                    }
                    calendar_answer(asked)
                }
            };
            let _ = stream.write_all(answer.as_bytes());
        })
    }
}

/// In small letters.
fn header(asked: &str, name: &str) -> String {
    let begin = format!("{name}: ");
    let lines = asked.lines().map(str::to_ascii_lowercase);
    let mut found = lines.filter_map(|line| line.strip_prefix(&begin).map(str::to_owned));
    found.next().unwrap_or_default()
}

fn calendar_answer(asked: &str) -> String {
    let found = if asked.starts_with("PROPFIND") {
        "<D:response><D:href>/kim/work/</D:href><D:propstat><D:prop><D:resourcetype><C:calendar/></D:resourcetype></D:prop>\
         <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
            .to_owned()
    } else {
        format!(
            "<D:response><D:href>/kim/work/1.ics</D:href><D:propstat><D:prop><D:getetag>\"1\"</D:getetag>\
             <C:calendar-data>{}</C:calendar-data></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>",
            event("1", TITLE)
        )
    };
    ok(
        "207 Multi-Status",
        "",
        &format!(
            "<D:multistatus xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">{found}</D:multistatus>"
        ),
    )
}

/// A service with an account that its provider is signed in to for.
fn with_account(provider: &StandInProvider) -> (Household, Service) {
    provider.now().expires_in = 3600;
    let (issuer, calendar) = (provider.serve(), provider.serve_calendar());
    let household = Household::new();
    let service = household.service();
    let (address, issuer) = (format!("http://{calendar}/kim/"), format!("http://{issuer}/"));
    let add = [
        "add",
        "work",
        &address,
        "--private",
        "--client-id",
        "aura-kim",
        "--issuer",
        &issuer,
    ];
    let (code, said) = household.source(&service, &add, "");
    assert_eq!(code, Some(0), "{said}");
    service.until("account that is not signed in to", |service| {
        (household.look(service)["sign_in"] == "not_yet").then_some(())
    });
    (household, service)
}

/// Begins in a browser, and gives the fields of the address that it is sent to.
fn begin_in_browser(household: &Household) -> BTreeMap<String, String> {
    let asked = AccountCommand::SignIn {
        name: "work".to_owned(),
        way: SignInWay::Browser,
        secret: AccountSecret::of_password(None, SECRET.to_owned()),
    };
    let reply = control::ask(&household.data(), &ControlRequest::Account { asked }).unwrap();
    let Some(ControlReply::SignIn(SignInBegun::Browser { address, .. })) = reply else {
        panic!("{reply:?}")
    };
    fields(address.split_once('?').unwrap().1)
}

/// Comes back in a browser that shows nothing of the owner's.
fn come_back(service: &Service, query: &str) -> String {
    let (status, page) = service.request("GET", &format!("/signed-in?{query}"), None);
    assert_eq!(status, 200, "{page}");
    page.as_str().unwrap().to_owned()
}

fn sign_in_by_browser(household: &Household, service: &Service, provider: &StandInProvider) {
    let sent = begin_in_browser(household);
    let challenge = sent["code_challenge"].clone();
    provider.now().codes.insert("code-of-kim".to_owned(), challenge);
    let page = come_back(service, &format!("code=code-of-kim&state={}", sent["state"]));
    assert!(page.contains("You are signed in."), "{page}");
}

fn until_read(household: &Household, service: &Service) {
    service.until("look", |service| {
        let report = household.look(service);
        (report["entries"] == 1 && report["failure"].is_null()).then_some(())
    });
}

fn until_ended(household: &Household, service: &Service) -> Value {
    service.until("sign-in that ended", |service| {
        let report = household.look(service);
        (report["sign_in"] == "ended").then_some(report)
    })
}

#[test]
fn code_is_typed_elsewhere_and_the_provider_may_say_no_or_wait_too_long() {
    let provider = StandInProvider::default();
    let (household, service) = with_account(&provider);
    let login = ["login", "work", "--device", "--client-secret", "--stdin"];
    let secret = format!("{SECRET}\n");
    for (refusals, code, says) in [
        (vec!["authorization_pending", "access_denied"], 1, "said no"),
        (vec!["expired_token"], 1, "took too long"),
        (vec!["invalid_client"], 1, "The provider refuses: invalid_client."),
        (vec!["authorization_pending"], 0, "You are signed in."),
    ] {
        provider.now().refusals = refusals.into();
        let (ended, said) = household.source(&service, &login, &secret);
        assert_eq!(ended, Some(code), "{said}");
        for wanted in ["WDJB-MJHT", "/type", "I change nothing there", says] {
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
    }
    until_read(&household, &service);
    until_on_agenda(&service, TITLE, true);
    for text in ["access-of-kim", "refresh-of-kim", "device-code-of-kim", SECRET] {
        assert!(
            !any_file_holds(household.dir.path(), text),
            "{text} lies on the disk"
        );
    }
    // What the owner removes is given back, by its newest token.
    let (code, said) = household.source(&service, &["remove", "work"], "");
    assert_eq!(code, Some(0), "{said}");
    service.until("token that is given back", |_| {
        let provider = provider.now();
        let last = provider.asked.last().unwrap();
        (last.get("token") == Some(&provider.token("refresh"))).then_some(())
    });
    until_on_agenda(&service, TITLE, false);
}

#[test]
fn browser_comes_back_once_with_the_state_that_it_was_sent_with() {
    let provider = StandInProvider::default();
    let (household, service) = with_account(&provider);
    let sent = begin_in_browser(&household);
    let redirect = format!("http://127.0.0.1:{}/signed-in", service.port);
    assert_eq!(
        [
            "response_type",
            "client_id",
            "redirect_uri",
            "code_challenge_method"
        ]
        .map(|name| sent[name].as_str()),
        ["code", "aura-kim", &redirect, "S256"]
    );
    let not_begun = "not begun here, or is over";
    for query in ["", "code=x", "state=&code=x", "state=guessed&code=x"] {
        let page = come_back(&service, query);
        assert!(page.contains(not_begun), "{query}: {page}");
    }
    assert_eq!(provider.now().asked.len(), 0);
    // Another's code is no good without what this sign-in was begun with, and the state is spent.
    let state = sent["state"].clone();
    provider
        .now()
        .codes
        .insert("code-of-another".to_owned(), "another challenge".to_owned());
    let page = come_back(&service, &format!("state={state}&code=code-of-another"));
    assert!(page.contains("The provider refuses: invalid_grant."), "{page}");
    let page = come_back(&service, &format!("state={state}&code=code-of-another"));
    assert!(page.contains(not_begun), "{page}");
    let state = begin_in_browser(&household)["state"].clone();
    let page = come_back(&service, &format!("state={state}&error=access_denied"));
    assert!(page.contains("said no"), "{page}");
    assert_eq!(household.look(&service)["sign_in"], "not_yet");

    sign_in_by_browser(&household, &service, &provider);
    until_read(&household, &service);
    until_on_agenda(&service, TITLE, true);
    let asked = provider.now().asked.len();
    let page = come_back(&service, "code=code-of-kim&state=replayed");
    assert!(page.contains(not_begun), "{page}");
    assert_eq!((asked, provider.now().asked.len()), (2, 2));

    // The owner takes it back at the provider: one state, and what to do. What is known stays.
    provider.now().is_revoked = true;
    let report = until_ended(&household, &service);
    assert_eq!(report["failure"]["why"], "login_missing", "{report}");
    let (code, said) = household.source(&service, &["list"], "");
    assert_eq!(code, Some(1), "{said}");
    for wanted in [
        "The provider has ended the sign-in.",
        "Sign in again. (aura source login work)",
    ] {
        assert!(said.contains(wanted), "{said}");
    }
    assert!(on_agenda(&service, TITLE) > 0);
    let asked = provider.now().asked.len();
    household.look(&service);
    // Nobody is asked again with what does not count.
    assert_eq!(provider.now().asked.len(), asked);
    provider.now().is_revoked = false;
    sign_in_by_browser(&household, &service, &provider);
    until_read(&household, &service);
}

/// Looks until the provider has killed the service there.
fn killed_at(at: KillAt, provider: &StandInProvider, household: &Household, service: Service) {
    provider.now().kill = Some((at, service.pid()));
    service.until("kill", |_| {
        let asked = AccountCommand::Test {
            name: "work".to_owned(),
        };
        // The answer never comes: the service dies of it.
        let _ = control::ask(&household.data(), &ControlRequest::Account { asked });
        provider.now().kill.is_none().then_some(())
    });
    service.kill();
}

#[test]
fn newest_token_outlives_a_kill_or_the_owner_is_told_to_sign_in() {
    let provider = StandInProvider::default();
    let (household, mut service) = with_account(&provider);
    provider.now().expires_in = 0;
    sign_in_by_browser(&household, &service, &provider);
    // Killed while a new token is shown for the first time: it was written before.
    for _ in 0..2 {
        killed_at(KillAt::FirstUse, &provider, &household, service);
        service = household.service();
        until_read(&household, &service);
        assert!(!provider.now().is_revoked, "an older token was shown");
    }
    // Killed before it knows the new one: nothing helps but the owner, and that is said.
    killed_at(KillAt::BeforeAnswer, &provider, &household, service);
    let service = household.service();
    until_ended(&household, &service);
    // What is known of it stays.
    until_on_agenda(&service, TITLE, true);
}
