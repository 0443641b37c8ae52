//! Signing in to an account by its provider.
//!
//! What: the form that adds such an account, the ways in of its row, what begins one, and the page at which the owner's browser comes back. Why:
//! a provider is named, and what is asked of it said in plain words, before anything is connected to. Not here: asking it (the backend), other
//! accounts (`account_forms`), the words (`words`).

use super::{
    account_forms::{TEXT_MAX, is_line, kind_choices},
    api::JsonBody,
    error::WebError,
    known_providers::{mail_domain, provider_of},
    settings_page::may_add,
    shell,
    state::AppState,
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    http::HeaderMap,
    response::Html,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        accounts::{AccountView, AccountWish, TypedLogin},
        sign_in::{SignInBegun, SignInDraft, SignInFailure, SignInRedirect, SignInStanding, SignInWay},
    },
    words,
};
use toolcall_schema::accounts::ServerAccountKind;

/// Characters of what a provider sends the browser back with.
const RETURNED_MAX: usize = 8192;

/// What the form says of a provider.
pub(super) struct ProviderFields {
    pub(super) client_id: String,
    pub(super) server: String,
    pub(super) issuer: String,
    pub(super) scope: String,
    pub(super) hosts: String,
}

impl ProviderFields {
    /// Adds to a wish where its provider is: by the mail address that was typed, else as it is typed. What is not whole is told of by the backend.
    pub(super) fn complete(self, wish: &mut AccountWish) {
        let typed = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let mail_address = wish.address.trim().to_owned();
        let known =
            mail_domain(&mail_address).and_then(|domain| provider_of(&domain, wish.kind, &mail_address));
        if wish.login.user.is_empty() {
            wish.login.user.clone_from(&mail_address);
        }
        let (server, mut draft) = known.unwrap_or_default();
        if let Some(server) = typed(&self.server) {
            let is_whole = wish.kind == ServerAccountKind::Imap || server.contains("://");
            wish.address = if is_whole {
                server
            } else {
                format!("https://{server}")
            };
        } else {
            wish.address = server;
        }
        self.client_id.trim().clone_into(&mut draft.client_id);
        if let Some(issuer) = typed(&self.issuer) {
            // Another provider than that of the mail address.
            draft = SignInDraft {
                client_id: draft.client_id,
                issuer: Some(issuer),
                ..SignInDraft::default()
            };
        }
        if let Some(scope) = typed(&self.scope) {
            draft.scope = Some(scope);
        }
        draft
            .hosts
            .extend(self.hosts.split_whitespace().map(str::to_owned));
        wish.sign_in = Some(draft);
    }
}

/// The host of an address, as it is shown.
fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// What would be asked, and of whom. Nothing is connected to.
pub(super) fn sign_in_part(wish: &AccountWish, draft: &SignInDraft) -> Markup {
    let provider = [&draft.issuer, &draft.authorize, &draft.device];
    let provider = provider.into_iter().flatten().next();
    let Some(provider) = provider.filter(|_| !wish.address.is_empty()) else {
        return html! { p.says { (words::SIGN_IN_WHERE) } };
    };
    let (server, provider) = (host_of(&wish.address), host_of(provider));
    html! {
        p.says dir="auto" { (words::sign_in_shown(&wish.login.user, server, provider)) }
        p { b { (words::ACCOUNT_ALLOW) } }
        ul.plain-list {
            li { (words::sign_in_asks(wish.kind)) }
            @if let Some(scope) = &draft.scope { li dir="auto" { (words::sign_in_scope_is(scope)) } }
            li { (words::sign_in_allows(server, provider)) }
        }
        p.note { (words::SIGN_IN_UNTRIED) }
        label { (words::ACCOUNT_NAME)
            input name="name" type="text" autocomplete="off" spellcheck="false" autocapitalize="off" maxlength="40" pattern="[a-z0-9_\\-]+" value=(wish.name);
        }
        p.note { (words::ACCOUNT_NAME_MEANS) " " (words::SIGN_IN_THEN) }
        p.buttons { button.main type="button" data-account-add { (words::SIGN_IN_ADD_IT) } }
    }
}

/// The form that adds such an account.
pub(super) fn add_form() -> Markup {
    let into = "account-look-sign-in";
    let field = |name: &str, says: Markup| {
        html! {
            label { (says)
                input name=(name) type="text" autocomplete="off" spellcheck="false" autocapitalize="off" maxlength=(TEXT_MAX);
            }
        }
    };
    html! {
        details.by-path #account-by-sign-in {
            summary { (words::SIGN_IN_ADD) }
            form.settings data-account-form data-post="/form/accounts/look" data-into=(into) {
                p.note { (words::SIGN_IN_ADD_MEANS) }
                (kind_choices())
                label { (words::SIGN_IN_MAIL_ADDRESS)
                    input name="address" type="text" required autocomplete="off" spellcheck="false" autocapitalize="off" inputmode="email" maxlength=(TEXT_MAX);
                }
                label { (words::SIGN_IN_CLIENT)
                    input name="client_id" type="text" required autocomplete="off" spellcheck="false" autocapitalize="off" maxlength=(TEXT_MAX);
                }
                p.note { (words::SIGN_IN_CLIENT_MEANS) }
                details {
                    summary { (words::SIGN_IN_OTHER) }
                    (field("server", html! { (words::SIGN_IN_SERVER) }))
                    (field("issuer", html! { (words::SIGN_IN_ISSUER) }))
                    (field("hosts", html! { (words::SIGN_IN_HOSTS) }))
                    (field("scope", html! { (words::SIGN_IN_SCOPE) }))
                    div.choices { label { input type="checkbox" name="private"; span { (words::ACCOUNT_PRIVATE) } } }
                }
                p.buttons { button.main type="submit" { (words::SIGN_IN_SHOW) } }
                div.account-look id=(into) aria-live="polite" {}
            }
        }
    }
}

/// The ways in, in the row of an account.
pub(super) fn ways_in(account: &AccountView, standing: SignInStanding) -> Markup {
    let name = &account.name;
    let into = format!("sign-in-{name}");
    let ways = [
        ("browser", words::SIGN_IN_HERE),
        ("device", words::SIGN_IN_BY_CODE),
    ];
    html! {
        details.stop id={ "sign-in-of-" (name) } {
            summary aria-label=(words::sign_in_of(name)) { (words::SIGN_IN) "…" }
            p.note { (words::sign_in_stands(standing)) " " (words::sign_in_asks(account.kind)) }
            form.settings data-post="/form/accounts/sign-in" data-into=(into) {
                input type="hidden" name="name" value=(name);
                div.choices {
                    @for (way, says) in ways {
                        label { input type="radio" name="way" value=(way) checked[way == "browser"]; span { (says) } }
                    }
                }
                label { (words::SIGN_IN_SECRET)
                    input name="secret" type="password" autocomplete="off" maxlength=(TEXT_MAX);
                }
                p.note { (words::SIGN_IN_SECRET_MEANS) }
                p.buttons { button.side type="submit" { (words::SIGN_IN) } }
                div.account-look id=(into) aria-live="polite" data-underway[standing == SignInStanding::Underway] {}
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BeginBody {
    name: String,
    way: SignInWay,
    #[serde(default)]
    secret: String,
}

/// `POST /form/accounts/sign-in`: where the owner goes on.
pub(super) async fn begin(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let BeginBody { name, way, secret } = body?.read()?;
    if ![&name, &secret].into_iter().all(|text| is_line(text)) {
        return Err(WebError::BadBody);
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let secret = TypedLogin {
        user: String::new(),
        password: secret,
    };
    let shown = match app.backend.begin_sign_in(name, way, secret).await {
        Ok(begun) => begun_part(&begun),
        Err(failure) => html! { p.says dir="auto" { (words::sign_in_fails(&failure)) } },
    };
    Ok(Html(shown.into_string()))
}

fn begun_part(begun: &SignInBegun) -> Markup {
    match begun {
        SignInBegun::Browser { address, host } => html! {
            p.buttons { a.main href=(address) target="_blank" rel="noopener noreferrer" { (words::sign_in_open(host)) } }
            p.note { (words::SIGN_IN_BROWSER_MEANS) }
        },
        SignInBegun::Device {
            code,
            address,
            until: _,
        } => html! {
            p.says { (words::SIGN_IN_CODE) " " b { bdi { (code) } } }
            // Another scheme would be no page of a provider's.
            @if address.starts_with("https://") || address.starts_with("http://") {
                p.buttons { a.main href=(address) target="_blank" rel="noopener noreferrer" { (words::sign_in_open(host_of(address))) } }
            }
            p.note { (words::SIGN_IN_CODE_MEANS) }
        },
    }
}

/// With what a provider sends the browser back (RFC 6749, 4.1.2). What else stands there is no matter of ours.
#[derive(Deserialize)]
pub(super) struct ReturnedQuery {
    state: String,
    code: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// `GET /signed-in`: whoever knows the state of a sign-in that was begun here ends it, once. The browser has no cookie of ours where it comes from
/// another site.
pub(super) async fn returned(
    State(app): State<Arc<AppState>>,
    query: Result<Query<ReturnedQuery>, QueryRejection>,
) -> Html<String> {
    let mut ended = Err(SignInFailure::NotBegun);
    if let Ok(Query(ReturnedQuery {
        state,
        code,
        error,
        iss,
    })) = query
    {
        let texts = [Some(&state), code.as_ref(), error.as_ref(), iss.as_ref()];
        if texts.into_iter().flatten().all(|text| text.len() <= RETURNED_MAX) {
            let redirect = SignInRedirect {
                state,
                code,
                error,
                issuer: iss,
            };
            ended = app.backend.finish_sign_in(redirect).await;
        }
    }
    let says = match &ended {
        Ok(()) => words::SIGN_IN_DONE.say().to_owned(),
        Err(failure) => words::sign_in_fails(failure),
    };
    let body = html! {
        div.page {
            header.top { h1.brand { "Aura" } }
            main.pair {
                p.says role="status" { (says) }
                p { a href="/settings" { (words::SIGN_IN_BACK) } }
            }
        }
    };
    shell::page(words::SIGN_IN_TITLE.say(), None, None, &body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::{Timestamp, accounts::ServerAccountKind};

    fn wish(kind: ServerAccountKind, address: &str, fields: ProviderFields) -> AccountWish {
        let mut wish = AccountWish {
            kind,
            address: address.to_owned(),
            login: TypedLogin::default(),
            is_private: false,
            certificate: String::new(),
            name: String::new(),
            accepted: String::new(),
            sign_in: None,
        };
        fields.complete(&mut wish);
        wish
    }

    fn fields(server: &str, issuer: &str) -> ProviderFields {
        ProviderFields {
            client_id: " aura-kim ".to_owned(),
            server: server.to_owned(),
            issuer: issuer.to_owned(),
            scope: String::new(),
            hosts: String::new(),
        }
    }

    #[test]
    fn known_providers_are_named_and_another_is_as_it_was_typed() {
        let known = wish(ServerAccountKind::Imap, "kim@gmail.com", fields("", ""));
        let draft = known.sign_in.clone().unwrap();
        assert_eq!(
            (
                known.address.as_str(),
                known.login.user.as_str(),
                draft.client_id.as_str()
            ),
            ("imaps://imap.gmail.com", "kim@gmail.com", "aura-kim")
        );
        let said = sign_in_part(&known, &draft).into_string();
        for wanted in [
            "imap.gmail.com",
            "accounts.google.com",
            "send nothing",
            "data-account-add",
        ] {
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
        let typed = wish(
            ServerAccountKind::CalDav,
            "kim@example.org",
            fields("dav.example.org/kim", "https://login.example.org/"),
        );
        let draft = typed.sign_in.clone().unwrap();
        assert_eq!(
            (typed.address.as_str(), draft.issuer.as_deref(), draft.token),
            (
                "https://dav.example.org/kim",
                Some("https://login.example.org/"),
                None
            )
        );
        let unknown = wish(ServerAccountKind::CalDav, "kim@example.org", fields("", ""));
        let said = sign_in_part(&unknown, unknown.sign_in.as_ref().unwrap()).into_string();
        assert!(
            said.contains("I do not know this provider") && !said.contains("button"),
            "{said}"
        );
    }

    #[test]
    fn code_and_link_are_shown_as_text_of_a_stranger() {
        let code = begun_part(&SignInBegun::Device {
            code: "<b>1".to_owned(),
            address: "javascript:alert(1)".to_owned(),
            until: Timestamp::from_ms(0),
        });
        let code = code.into_string();
        assert!(
            code.contains("&lt;b&gt;1") && !code.contains("javascript"),
            "{code}"
        );
    }
}
