//! A server that speaks JMAP as far as its standard's examples go, and lies when it is told to.
//!
//! What: [`JmapStandIn`], written from RFC 8620 and RFC 8621; no server of anybody's. Why: Cyrus tells of nothing by itself, and never lies. Not here: any claim
//! (`jmap`, `bad_jmap_servers`).

use super::bad_servers::{ok, request};
use aura_process::source::{AccountProtocol, AccountRequest, ServerPlace};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    io::Write as _,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
};

use super::mail_host::mail_request;

/// What is asked of a server that speaks JMAP.
pub(super) fn jmap_request(address: &str) -> AccountRequest {
    let mut request = mail_request("imaps://mail.example");
    request.protocol = AccountProtocol::Jmap;
    request.place = ServerPlace::parse(address).unwrap();
    request
}

#[derive(Default)]
pub(super) struct StandInState {
    /// Counts changes.
    state: u64,
    mails: BTreeSet<String>,
    changed: Vec<(u64, String)>,
    drafts: Vec<Value>,
    /// It cannot say any more what changed.
    forgets: bool,
    heard: Vec<String>,
}

#[derive(Clone)]
pub(super) struct JmapStandIn {
    pub(super) state: Arc<(Mutex<StandInState>, Condvar)>,
    pub(super) tells: bool,
    /// What is answered to a path or a method, whole, in place of what would be.
    pub(super) odd: Vec<(&'static str, String)>,
}

impl JmapStandIn {
    pub(super) fn new(odd: &[(&'static str, &str)]) -> Self {
        let me = Self {
            state: Arc::default(),
            tells: false,
            odd: odd.iter().map(|(to, says)| (*to, (*says).to_owned())).collect(),
        };
        me.change("M1", true);
        me
    }

    /// A mail comes, or goes.
    pub(super) fn change(&self, id: &str, is_there: bool) {
        let (state, news) = &*self.state;
        let mut state = state.lock().unwrap();
        state.state += 1;
        let number = state.state;
        state.changed.push((number, id.to_owned()));
        if is_there {
            state.mails.insert(id.to_owned());
        } else {
            state.mails.remove(id);
        }
        news.notify_all();
    }

    pub(super) fn forget(&self) {
        self.state.0.lock().unwrap().forgets = true;
    }

    /// The methods and paths that were asked for.
    pub(super) fn heard(&self) -> Vec<String> {
        self.state.0.lock().unwrap().heard.clone()
    }

    pub(super) fn start(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let me = self.clone();
        // It ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (me, stream) = (me.clone(), stream.unwrap());
                thread::spawn(move || me.serve(stream));
            }
        });
        at
    }

    fn serve(&self, mut stream: TcpStream) {
        while let Some(asked) = request(&mut stream) {
            let path = asked.split(' ').nth(1).unwrap_or_default().to_owned();
            let (_, body) = asked.split_once("\r\n\r\n").unwrap();
            let call: Value = serde_json::from_str(body).unwrap_or_default();
            let method = call["methodCalls"][0][0].as_str().unwrap_or(&path).to_owned();
            self.state.0.lock().unwrap().heard.push(method.clone());
            let odd = self.odd.iter().find(|(to, _)| method.starts_with(to));
            if let Some((_, says)) = odd {
                let is_over = stream.write_all(says.replace('\u{2}', "").as_bytes()).is_err();
                if is_over || says.contains('\u{2}') {
                    return;
                }
                continue;
            }
            if path.starts_with("/events") {
                self.tell(&mut stream);
                return;
            }
            let answer = if call.is_null() {
                self.session()
            } else {
                let said = self.answer(&method, &call["methodCalls"][0][1]);
                let name = if said.get("type").is_some() {
                    "error"
                } else {
                    &method
                };
                json!({ "methodResponses": [[name, said, "a"]], "sessionState": "s" })
            };
            let answer = ok(
                "200 OK",
                "Content-Type: application/json\r\n",
                &answer.to_string(),
            );
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }

    /// Says when something changed, until nobody listens.
    fn tell(&self, stream: &mut TcpStream) {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: hello\n\n";
        let mut is_heard = stream.write_all(head.as_bytes()).is_ok();
        let (state, news) = &*self.state;
        let mut told = state.lock().unwrap().state;
        while is_heard {
            let state = news
                .wait_while(state.lock().unwrap(), |state| state.state == told)
                .unwrap();
            told = state.state;
            drop(state);
            let event = "event: state\ndata: {\"@type\":\"StateChange\"}\n\n";
            is_heard = stream.write_all(event.as_bytes()).is_ok();
        }
    }

    fn session(&self) -> Value {
        json!({
            "capabilities": {
                "urn:ietf:params:jmap:core": { "maxObjectsInGet": 2, "maxSizeRequest": 100_000 },
                "urn:ietf:params:jmap:mail": {},
            },
            "primaryAccounts": { "urn:ietf:params:jmap:mail": "A1" },
            "apiUrl": "/api/",
            "eventSourceUrl": self.tells.then_some("/events/?types={types}&closeafter={closeafter}&ping={ping}"),
            "state": "s",
        })
    }

    fn answer(&self, method: &str, asked: &Value) -> Value {
        assert_eq!(asked["accountId"], "A1");
        let mut state = self.state.0.lock().unwrap();
        let now = state.state.to_string();
        match method {
            "Mailbox/get" => json!({ "list": [
                { "id": "box-in", "name": "Posteingang", "parentId": null, "role": "inbox" },
                { "id": "box-drafts", "name": "Angefangen", "parentId": null, "role": "drafts" },
            ] }),
            "Email/changes" if state.forgets => {
                state.forgets = false;
                json!({ "type": "cannotCalculateChanges" })
            }
            "Email/changes" => {
                let since: u64 = asked["sinceState"].as_str().unwrap().parse().unwrap();
                let changed = state.changed.iter().filter(|(number, _)| *number > since);
                let (there, gone): (Vec<&String>, Vec<&String>) = changed
                    .map(|(_, id)| id)
                    .partition(|id| state.mails.contains(*id));
                json!({ "newState": now, "hasMoreChanges": false, "created": there, "updated": [], "destroyed": gone })
            }
            "Email/query" if asked["filter"]["inMailbox"] == "box-drafts" => {
                let ids: Vec<String> = (0..state.drafts.len())
                    .map(|number| format!("D{number}"))
                    .collect();
                page(&now, &ids, asked)
            }
            "Email/query" => page(
                &now,
                &state.mails.iter().rev().cloned().collect::<Vec<_>>(),
                asked,
            ),
            "Email/get" => {
                let ids = asked["ids"].as_array().unwrap();
                assert!(ids.len() <= 2, "{ids:?}");
                let list: Vec<Value> = ids
                    .iter()
                    .filter_map(|id| state.email(id.as_str().unwrap()))
                    .collect();
                json!({ "state": now, "list": list })
            }
            "Email/set" => {
                state.drafts.push(asked["create"]["d"].clone());
                json!({ "created": { "d": { "id": "D0" } } })
            }
            other => panic!("{other}"),
        }
    }
}

fn page(state: &str, ids: &[String], asked: &Value) -> Value {
    let from = usize::try_from(asked["position"].as_u64().unwrap()).unwrap();
    // One at a time, as a server may.
    let ids: Vec<&String> = ids.iter().skip(from).take(1).collect();
    json!({ "queryState": state, "ids": ids, "position": from })
}

impl StandInState {
    fn email(&self, id: &str) -> Option<Value> {
        if let Some(number) = id.strip_prefix('D') {
            let draft = self.drafts.get(number.parse::<usize>().ok()?)?;
            return Some(
                json!({ "id": id, "mailboxIds": { "box-drafts": true }, "messageId": draft["messageId"] }),
            );
        }
        self.mails.contains(id).then(|| {
            json!({
                "id": id,
                "mailboxIds": { "box-in": true },
                "keywords": {},
                "receivedAt": "2099-01-01T00:00:00Z",
                "messageId": [format!("{id}@example.com")],
                "headers": [{ "name": "Message-ID", "value": format!(" <{id}@example.com>") }],
                "textBody": [{ "partId": "1", "type": "text/plain" }],
                "bodyValues": { "1": { "value": format!("Words of {id}") } },
            })
        })
    }
}
