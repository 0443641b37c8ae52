//! Adding an account on a server, and keeping it in order.
//!
//! What: the forms, and the handlers of what they send: where the calendars of a mail address probably are, a look of which nothing is kept, adding,
//! another password, a look now. Why: a host is named, and what it has is shown, before it is read (`docs/adr/0135`). Not here: the rows
//! (`accounts_page`), looking (the backend), the words (`words`).

use super::{
    api::JsonBody,
    error::WebError,
    known_providers::{ProbablePlace, is_by_token, mail_domain},
    settings_page::{self, may_add},
    sign_in_page::{self, ProviderFields},
    state::AppState,
};
use axum::{
    extract::State,
    http::HeaderMap,
    response::{Html, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        BackendError,
        accounts::{AccountContents, AccountMistake, AccountTrial, AccountWish, TypedLogin},
    },
    words,
};
use toolcall_schema::accounts::{LookFailure, ServerAccountKind};

/// Characters of what is typed into a field.
pub(super) const TEXT_MAX: usize = 1000;

/// What a form sends. A box that is not ticked is not sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountBody {
    kind: ServerAccountKind,
    address: String,
    #[serde(default)]
    user: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    private: Option<TickedBox>,
    #[serde(default)]
    certificate: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    accepted: String,
    /// What follows is of an account whose provider is signed in to.
    #[serde(default)]
    client_id: String,
    #[serde(default)]
    server: String,
    #[serde(default)]
    issuer: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    hosts: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum TickedBox {
    On,
}

pub(super) fn is_line(text: &str) -> bool {
    text.chars().count() <= TEXT_MAX && !text.contains(char::is_control)
}

impl AccountBody {
    fn wish(self) -> Result<AccountWish, WebError> {
        let texts = [
            &self.address,
            &self.user,
            &self.password,
            &self.certificate,
            &self.name,
            &self.accepted,
            &self.client_id,
            &self.server,
            &self.issuer,
            &self.scope,
            &self.hosts,
        ];
        if !texts.into_iter().all(|text| is_line(text)) {
            return Err(WebError::BadBody);
        }
        let address = self.address.trim();
        let is_whole = match self.kind {
            ServerAccountKind::Imap | ServerAccountKind::SimpleFin => true,
            ServerAccountKind::CalendarAddress
            | ServerAccountKind::CalDav
            | ServerAccountKind::CardDav
            | ServerAccountKind::Jmap
            | ServerAccountKind::HomeAssistant => address.contains("://") || mail_domain(address).is_some(),
        };
        let mut wish = AccountWish {
            kind: self.kind,
            address: if is_whole {
                address.to_owned()
            } else {
                format!("https://{address}")
            },
            login: TypedLogin {
                user: self.user.trim().to_owned(),
                password: self.password,
            },
            is_private: self.private.is_some(),
            certificate: self.certificate,
            name: self.name,
            accepted: self.accepted,
            sign_in: None,
        };
        if !self.client_id.trim().is_empty() {
            let fields = ProviderFields {
                client_id: self.client_id,
                server: self.server,
                issuer: self.issuer,
                scope: self.scope,
                hosts: self.hosts,
            };
            fields.complete(&mut wish);
        }
        Ok(wish)
    }
}

/// What an account sends that a browser may add one from.
fn wish_of(
    app: &AppState,
    headers: &HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<AccountWish, WebError> {
    let wish = body?.read::<AccountBody>()?.wish()?;
    if may_add(app, headers) {
        Ok(wish)
    } else {
        Err(WebError::NotProven)
    }
}

/// `POST /form/accounts/look`: a mail address names a host that the owner accepts first; an address is looked at.
pub(super) async fn look(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let wish = wish_of(&app, &headers, body)?;
    if let Some(draft) = &wish.sign_in {
        return Ok(Html(sign_in_page::sign_in_part(&wish, draft).into_string()));
    }
    let domain = mail_domain(&wish.address).filter(|_| wish.kind != ServerAccountKind::SimpleFin);
    if let Some(domain) = domain {
        return Ok(Html(suggestion(&wish, &domain).into_string()));
    }
    let (kind, name) = (wish.kind, wish.name.clone());
    let shown = match app.backend.try_account(wish).await {
        Ok(AccountTrial::Found(contents)) => trial_found(kind, &name, &contents),
        Ok(AccountTrial::Failed(failure)) => failed(&failure),
        Ok(AccountTrial::Mistake(mistake)) => mistaken(mistake),
        Ok(AccountTrial::LeadsTo(host)) => leads_to(&host),
        Err(BackendError::Busy) => html! { p.says { (words::ACCOUNT_BUSY) } },
        Err(error) => return Err(error.into()),
    };
    Ok(Html(shown.into_string()))
}

/// `POST /form/accounts/add`
pub(super) async fn add(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Response, WebError> {
    let wish = wish_of(&app, &headers, body)?;
    // The page adds what was looked at: what makes no sense was said then.
    let reply = app.backend.add_account(wish).await?.ok_or(WebError::BadBody)?;
    settings_page::answer(&app, reply).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoginBody {
    name: String,
    #[serde(default)]
    user: String,
    password: String,
}

/// `POST /form/accounts/login`
pub(super) async fn set_login(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let LoginBody { name, user, password } = body?.read()?;
    if ![&name, &user, &password].into_iter().all(|text| is_line(text)) {
        return Err(WebError::BadBody);
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let login = TypedLogin { user, password };
    let account = app.backend.set_account_login(name, login).await?;
    Ok(Html(account.map_or_else(
        || words::ACCOUNT_NOT_KEPT.say().to_owned(),
        |account| words::account_tested(&account),
    )))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestBody {
    name: String,
}

/// `POST /form/accounts/test`: the host was accepted before, so that any browser of the owner's may.
pub(super) async fn test(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let TestBody { name } = body?.read()?;
    let account = app.backend.look_at_account(name).await?;
    Ok(Html(words::account_tested(&account.ok_or(WebError::NotFound)?)))
}

/// The forms. What is typed into them is outside of what is drawn anew by itself.
pub(super) fn add_forms() -> Markup {
    html! {
        p.note { (words::ACCOUNT_ADD_SAYS) }
        (form("login", (words::ACCOUNT_BY_LOGIN.say(), words::ACCOUNT_BY_LOGIN_MEANS.say()), &login_fields()))
        (sign_in_page::add_form())
        (form("money", (words::ACCOUNT_BY_TOKEN.say(), words::ACCOUNT_BY_TOKEN_MEANS.say()), &token_field()))
        (form("sensor", (words::ACCOUNT_BY_SENSOR.say(), words::ACCOUNT_BY_SENSOR_MEANS.say()), &sensor_fields()))
        (form("link", (words::ACCOUNT_BY_LINK.say(), words::ACCOUNT_BY_LINK_MEANS.say()), &link_field()))
        // An app on a phone sends by itself: it is a device, not an account.
        p.more { a href="/devices#health" { (words::HEALTH_TITLE) } }
    }
}

fn form(id: &str, (title, means): (&str, &str), fields: &Markup) -> Markup {
    let into = format!("account-look-{id}");
    html! {
        details.by-path id={ "account-by-" (id) } {
            summary { (title) }
            form.settings data-account-form data-post="/form/accounts/look" data-into=(into) {
                p.note { (means) }
                (fields)
                details {
                    summary { (words::ACCOUNT_OWN_SERVER) }
                    div.choices { label { input type="checkbox" name="private"; span { (words::ACCOUNT_PRIVATE) } } }
                    label { (words::ACCOUNT_CERTIFICATE)
                        input name="certificate" type="text" autocomplete="off" spellcheck="false" maxlength=(TEXT_MAX);
                    }
                    p.note { (words::ACCOUNT_CERTIFICATE_MEANS) }
                }
                p.buttons { button.main type="submit" { (words::ACCOUNT_LOOK) } }
                div.account-look id=(into) aria-live="polite" {}
            }
        }
    }
}

/// What lies there, of accounts with a login.
pub(super) fn kind_choices() -> Markup {
    let kinds = [
        (ServerAccountKind::CalDav, words::ACCOUNT_CALENDARS),
        (ServerAccountKind::Imap, words::ACCOUNT_MAIL),
        (ServerAccountKind::Jmap, words::ACCOUNT_MAIL_JMAP),
        (ServerAccountKind::CardDav, words::ACCOUNT_NAMES),
    ];
    html! {
        fieldset.choices {
            legend { (words::ACCOUNT_WHAT) }
            @for (kind, says) in kinds {
                label { input type="radio" name="kind" value=(kind.as_str()) checked[kind == ServerAccountKind::CalDav]; span { (says) } }
            }
        }
    }
}

fn login_fields() -> Markup {
    html! {
        (kind_choices())
        label { (words::ACCOUNT_ADDRESS)
            input name="address" type="text" required autocomplete="off" spellcheck="false" autocapitalize="off" inputmode="email" maxlength=(TEXT_MAX);
        }
        label { (words::ACCOUNT_USER)
            input name="user" type="text" autocomplete="off" spellcheck="false" autocapitalize="off" maxlength=(TEXT_MAX);
        }
        p.note { (words::ACCOUNT_USER_MEANS) }
        label { (words::ACCOUNT_PASSWORD)
            input name="password" type="password" autocomplete="off" maxlength=(TEXT_MAX);
        }
        p.note { (words::ACCOUNT_PASSWORD_MEANS) }
        details {
            summary { (words::ACCOUNT_PASSWORD_WHERE) }
            ul.plain-list { @for place in words::ACCOUNT_PASSWORD_PLACES { li { (place) } } }
        }
    }
}

fn link_field() -> Markup {
    html! {
        input type="hidden" name="kind" value=(ServerAccountKind::CalendarAddress.as_str());
        label { (words::ACCOUNT_LINK)
            input name="address" type="text" required autocomplete="off" spellcheck="false" autocapitalize="off" inputmode="url" maxlength=(TEXT_MAX);
        }
    }
}

/// The address of a sensor, and a token of its home.
fn sensor_fields() -> Markup {
    html! {
        input type="hidden" name="kind" value=(ServerAccountKind::HomeAssistant.as_str());
        label { (words::ACCOUNT_SENSOR)
            input name="address" type="text" required autocomplete="off" spellcheck="false" autocapitalize="off" inputmode="url"
                maxlength=(TEXT_MAX) placeholder="https://home.example.org/sensor.minutes_asleep";
        }
        label { (words::ACCOUNT_HOME_TOKEN)
            input name="password" type="password" autocomplete="off" maxlength=(TEXT_MAX);
        }
        p.note { (words::ACCOUNT_HOME_TOKEN_MEANS) }
    }
}

/// A setup token, or an address with a login in it.
fn token_field() -> Markup {
    html! {
        input type="hidden" name="kind" value=(ServerAccountKind::SimpleFin.as_str());
        input type="hidden" name="accepted" value="";
        label { (words::ACCOUNT_TOKEN)
            input name="address" type="password" required autocomplete="off" maxlength=(TEXT_MAX);
        }
    }
}

/// A button that fills in fields, and looks once more.
fn fill_button(says: &str, fields: &serde_json::Value) -> Markup {
    html! { p.buttons { button.main type="button" data-fill=(fields) { (says) } } }
}

fn suggestion(wish: &AccountWish, domain: &str) -> Markup {
    let kind = wish.kind;
    match ProbablePlace::of_domain(domain, kind) {
        ProbablePlace::Host(host) => {
            let user = if is_by_token(domain, kind) {
                ""
            } else {
                &wish.address
            };
            let address = if kind == ServerAccountKind::Imap {
                format!("imaps://{host}")
            } else {
                format!("https://{host}/")
            };
            html! {
                p.says dir="auto" { (words::account_suggestion(kind, &wish.address, &host)) }
                p.note { (words::account_suggestion_means(kind)) }
                (fill_button(&words::account_ask(&host), &json!({ "address": address, "user": user })))
            }
        }
        ProbablePlace::GoogleLink => html! { p.says { (words::ACCOUNT_GOOGLE) } },
        ProbablePlace::MicrosoftLink => html! { p.says { (words::ACCOUNT_MICROSOFT) } },
        ProbablePlace::Nowhere => html! { p.says { (words::ACCOUNT_NO_PASSWORD) } },
    }
}

/// A token is of a host that the owner has not seen.
fn leads_to(host: &str) -> Markup {
    html! {
        p.says dir="auto" { (words::account_leads_to(host)) }
        (fill_button(&words::account_ask(host), &json!({ "accepted": host })))
    }
}

fn trial_found(kind: ServerAccountKind, name: &str, contents: &AccountContents) -> Markup {
    let host = &contents.server;
    let name = if name.is_empty() { &contents.name } else { name };
    html! {
        p.says { (words::account_found(kind, contents)) }
        @if contents.calendars.iter().any(|name| !name.is_empty()) {
            ul.plain-list { @for name in contents.calendars.iter().filter(|name| !name.is_empty()) { li dir="auto" { bdi { (name) } } } }
        }
        p { b { (words::ACCOUNT_ALLOW) } }
        ul.plain-list {
            @for says in words::account_allows(kind, host) { li { (says) } }
        }
        label { (words::ACCOUNT_NAME)
            input name="name" type="text" required autocomplete="off" spellcheck="false" autocapitalize="off" maxlength="40" pattern="[a-z0-9_\\-]+" value=(name);
        }
        p.note { (words::ACCOUNT_NAME_MEANS) }
        p.buttons { button.main type="button" data-account-add { (words::ACCOUNT_READ) } }
    }
}

/// What the server said no to, what to do about it, and a button where one tap does it.
fn failed(failure: &LookFailure) -> Markup {
    html! {
        p.says dir="auto" { (words::trial_fails(failure)) }
        @if let LookFailure::Elsewhere { host, path } = failure {
            @if !path.is_empty() {
                (fill_button(&words::account_ask(host), &json!({ "address": format!("{host}{path}") })))
            }
        } @else if matches!(failure, LookFailure::NotPublic | LookFailure::NotSealed) {
            (own_network())
        }
    }
}

fn mistaken(mistake: AccountMistake) -> Markup {
    html! {
        p.says { (words::account_mistake(mistake)) }
        @match mistake {
            AccountMistake::NotSealed => (own_network()),
            // It stands in what a look found, which went.
            AccountMistake::Name => label { (words::ACCOUNT_NAME)
                input name="name" type="text" required autocomplete="off" spellcheck="false" autocapitalize="off" maxlength="40" pattern="[a-z0-9_\\-]+";
            },
            AccountMistake::Address | AccountMistake::Certificate | AccountMistake::Token | AccountMistake::SignIn => {}
        }
    }
}

fn own_network() -> Markup {
    fill_button(words::ACCOUNT_OWN_NETWORK.say(), &json!({ "private": true }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Result<AccountWish, WebError> {
        serde_json::from_str::<AccountBody>(text)
            .map_err(|_| WebError::BadBody)?
            .wish()
    }

    #[test]
    fn fields_become_a_wish_and_a_bare_host_is_asked_over_tls() {
        for (typed, address) in [
            ("dav.example.org/kim", "https://dav.example.org/kim"),
            (" webcal://example.org/a.ics ", "webcal://example.org/a.ics"),
            ("http://127.0.0.1:5232/", "http://127.0.0.1:5232/"),
            ("kim@example.org", "kim@example.org"),
        ] {
            let wish =
                body(&json!({ "kind": "caldav", "address": typed, "private": "on" }).to_string()).unwrap();
            assert_eq!((wish.address.as_str(), wish.is_private), (address, true));
        }
        for wrong in [
            r#"{"kind":"caldav","address":"a\nb"}"#,
            r#"{"kind":"gopher","address":"a"}"#,
            r#"{"kind":"caldav","address":"a","private":"yes"}"#,
            r#"{"kind":"caldav","address":"a","token":"x"}"#,
        ] {
            assert_eq!(body(wrong).unwrap_err(), WebError::BadBody, "{wrong}");
        }
    }

    #[test]
    fn another_host_is_named_and_asked_by_a_button_alone() {
        let elsewhere = LookFailure::Elsewhere {
            host: "https://<b>.example".to_owned(),
            path: "/dav/".to_owned(),
        };
        let shown = failed(&elsewhere).into_string();
        assert!(
            shown.contains("sends me on to https://&lt;b&gt;.example"),
            "{shown}"
        );
        assert!(
            shown.contains("data-fill=\"{&quot;address&quot;:&quot;https://&lt;b&gt;.example/dav/&quot;}\""),
            "{shown}"
        );
        assert!(!failed(&LookFailure::Silent).into_string().contains("button"));
    }
}
