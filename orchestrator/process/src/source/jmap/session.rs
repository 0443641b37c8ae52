//! Asking a server by JMAP (RFC 8620).
//!
//! What: [`JmapSession`]: where the server is to be asked, as it says itself, how much it takes at once, and one method after the other. Why: what comes is bounded
//! and has a shape, or it is refused, in one place. Not here: HTTP (`http`), what is asked of mail (`mailboxes`, `emails`, `drafts`).

use super::super::{
    http::{HttpSession, ServerRequest},
    wire::{LookFailure, MARK_MAX, ServerPlace},
};
use http::{StatusCode, header};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const CORE: &str = "urn:ietf:params:jmap:core";
const MAIL: &str = "urn:ietf:params:jmap:mail";
/// Where a server says where it is to be asked (RFC 8620, 2.2).
const WELL_KNOWN: &str = "/.well-known/jmap";
/// What a server takes at least (RFC 8620, 2), where it does not say more.
const OBJECTS_MAX: usize = 500;
const REQUEST_MAX: usize = 10_000_000;
/// Bytes of an id (RFC 8620, 1.2).
const ID_MAX: usize = 255;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionObject {
    #[serde(default)]
    capabilities: BTreeMap<String, Value>,
    #[serde(default)]
    primary_accounts: BTreeMap<String, String>,
    api_url: String,
    event_source_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ApiAnswer {
    method_responses: Vec<(String, Value, String)>,
}

#[derive(Deserialize)]
struct MethodFailure {
    #[serde(rename = "type")]
    kind: String,
}

/// A problem of a whole request (RFC 8620, 3.6.1).
#[derive(Deserialize)]
struct RequestProblem {
    #[serde(rename = "type")]
    kind: String,
}

/// What a method answers: what it is for, or why not, in the server's word for it.
pub(super) enum MethodAnswer<T> {
    Done(T),
    Refused(String),
}

impl<T> MethodAnswer<T> {
    /// What it is for.
    ///
    /// # Errors
    /// What the server's no means.
    pub(super) fn or_failure(self) -> Result<T, LookFailure> {
        match self {
            Self::Done(answer) => Ok(answer),
            Self::Refused(why) => Err(failure_of_method(&why)),
        }
    }
}

fn failure_of_method(why: &str) -> LookFailure {
    match why {
        "serverUnavailable" | "rateLimit" => LookFailure::TooOften { after_s: None },
        _ => LookFailure::SaysNo,
    }
}

/// A server with the account of mail that is read there.
pub(super) struct JmapSession<'a> {
    http: HttpSession<'a>,
    api: String,
    account: String,
    /// Where it tells of changes by itself, with the places that are filled in.
    pub(super) event_source: Option<String>,
    objects_max: usize,
    request_max: usize,
}

/// Whether an id may be an id.
pub(super) fn is_id(id: &str) -> bool {
    (1..=ID_MAX).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

impl<'a> JmapSession<'a> {
    /// Asks where the server is to be asked.
    ///
    /// # Errors
    /// [`LookFailure`]; [`LookFailure::NoJmap`] where nothing there speaks it.
    pub(super) async fn open(mut http: HttpSession<'a>, place: &ServerPlace) -> Result<Self, LookFailure> {
        let path = if place.path == "/" {
            WELL_KNOWN
        } else {
            &place.path
        };
        let request = ServerRequest {
            method: "GET",
            path,
            headers: &[("Accept", "application/json")],
            body: "",
        };
        let answer = http.ask(&request).await?;
        if matches!(
            answer.status,
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::GONE
        ) {
            return Err(LookFailure::NoJmap);
        }
        let answer = answer.good()?;
        let is_json = answer
            .header(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.to_ascii_lowercase().contains("json"));
        if !is_json {
            return Err(LookFailure::NoJmap);
        }
        let found: SessionObject = serde_json::from_slice(&answer.body).map_err(|_| LookFailure::Broken)?;
        let (Some(core), Some(account)) = (found.capabilities.get(CORE), found.primary_accounts.get(MAIL))
        else {
            return Err(LookFailure::NoJmap);
        };
        if !is_id(account) {
            return Err(LookFailure::Broken);
        }
        let limit = |name: &str, usual: usize| {
            let said = core.get(name).and_then(Value::as_u64);
            said.map_or(usual, |said| usize::try_from(said).unwrap_or(usual))
        };
        let api = http
            .follow(&found.api_url, &answer.path)
            .map_err(asked_there_anew)?;
        // One that tells of changes elsewhere is asked for them.
        let event_source = found
            .event_source_url
            .filter(|link| link.len() <= MARK_MAX)
            .map(|link| filled_in(&link))
            .and_then(|link| http.follow(&link, &answer.path).ok());
        Ok(Self {
            api,
            account: account.clone(),
            event_source,
            objects_max: limit("maxObjectsInGet", OBJECTS_MAX).max(1),
            request_max: limit("maxSizeRequest", REQUEST_MAX),
            http,
        })
    }

    /// How many objects may be asked for at once, where `most` are wanted.
    pub(super) fn at_once(&self, most: usize) -> usize {
        let of_size = self.request_max.saturating_sub(1024) / (ID_MAX + 3);
        most.min(self.objects_max).min(of_size).max(1)
    }

    /// Asks for one method.
    ///
    /// # Errors
    /// [`LookFailure`]; a method that says no is none.
    pub(super) async fn call<T: DeserializeOwned>(
        &mut self,
        method: &str,
        arguments: Value,
    ) -> Result<MethodAnswer<T>, LookFailure> {
        self.call_so(method, arguments, true).await
    }

    /// The same, of a method that changes something: it is sent once, over a connection that nothing was asked over.
    ///
    /// # Errors
    /// [`LookFailure`]: it may have been done.
    pub(super) async fn change<T: DeserializeOwned>(
        &mut self,
        method: &str,
        arguments: Value,
    ) -> Result<MethodAnswer<T>, LookFailure> {
        self.http.open_anew().await?;
        self.call_so(method, arguments, false).await
    }

    async fn call_so<T: DeserializeOwned>(
        &mut self,
        method: &str,
        mut arguments: Value,
        is_repeatable: bool,
    ) -> Result<MethodAnswer<T>, LookFailure> {
        if let Some(arguments) = arguments.as_object_mut() {
            arguments.insert("accountId".to_owned(), json!(self.account));
        }
        let body = json!({ "using": [CORE, MAIL], "methodCalls": [[method, arguments, "a"]] }).to_string();
        if body.len() > self.request_max {
            return Ok(MethodAnswer::Refused("requestTooLarge".to_owned()));
        }
        let request = ServerRequest {
            method: "POST",
            path: &self.api,
            headers: &[
                ("Accept", "application/json"),
                ("Content-Type", "application/json"),
            ],
            body: &body,
        };
        let answer = if is_repeatable {
            self.http.ask(&request).await?
        } else {
            self.http.ask_once(&request).await?
        };
        if answer.status == StatusCode::BAD_REQUEST {
            let problem = serde_json::from_slice::<RequestProblem>(&answer.body);
            if problem.is_ok_and(|problem| problem.kind == "urn:ietf:params:jmap:error:limit") {
                return Err(LookFailure::TooOften { after_s: None });
            }
        }
        let answer = answer.good()?;
        let found: ApiAnswer = serde_json::from_slice(&answer.body).map_err(|_| LookFailure::Broken)?;
        let mut responses = found.method_responses.into_iter();
        let (name, said, _) = responses
            .find(|(_, _, id)| id == "a")
            .ok_or(LookFailure::Broken)?;
        if name == "error" {
            let failure: MethodFailure = serde_json::from_value(said).map_err(|_| LookFailure::Broken)?;
            return Ok(MethodAnswer::Refused(failure.kind));
        }
        if name != method {
            return Err(LookFailure::Broken);
        }
        let said = serde_json::from_value(said).map_err(|_| LookFailure::Broken)?;
        Ok(MethodAnswer::Done(said))
    }
}

/// Of a host that is to be asked it is asked anew where: that is what the owner accepts.
fn asked_there_anew(failure: LookFailure) -> LookFailure {
    if let LookFailure::Elsewhere { host, path: _ } = failure {
        return LookFailure::Elsewhere {
            host,
            path: WELL_KNOWN.to_owned(),
        };
    }
    failure
}

/// How often a silent server says that it is there, in seconds.
pub(super) const PING_S: u64 = 300;

/// Where a server tells of changes, with what is wanted (RFC 8620, 7.3).
fn filled_in(link: &str) -> String {
    link.replace("{types}", "Email")
        .replace("{closeafter}", "no")
        .replace("{ping}", &PING_S.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_few_letters_and_never_a_path() {
        for (id, expected) in [
            ("M6001-a_B", true),
            ("", false),
            ("../../x", false),
            ("a b", false),
            (&"a".repeat(255), true),
            (&"a".repeat(256), false),
        ] {
            assert_eq!(is_id(id), expected, "{id}");
        }
    }

    #[test]
    fn address_of_what_is_told_is_filled_in() {
        // The example of RFC 8620, 2.1.
        let link = "https://jmap.example.com/eventsource/?types={types}&closeafter={closeafter}&ping={ping}";
        assert_eq!(
            filled_in(link),
            "https://jmap.example.com/eventsource/?types=Email&closeafter=no&ping=300"
        );
    }

    #[test]
    fn host_that_is_to_be_asked_is_accepted_with_where_it_says_where() {
        let failure = LookFailure::Elsewhere {
            host: "https://api.example.org".to_owned(),
            path: "/api/".to_owned(),
        };
        let LookFailure::Elsewhere { host, path } = asked_there_anew(failure) else {
            panic!()
        };
        assert_eq!(
            (host.as_str(), path.as_str()),
            ("https://api.example.org", WELL_KNOWN)
        );
    }
}
