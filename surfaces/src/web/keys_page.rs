//! The folder's key on the page Settings and in the welcome.
//!
//! What: the section, the recovery sheet, and their handlers. Why: she chooses where the key lies, and has a way back on paper. Not here: sealing (the backend).

use super::{
    api::JsonBody,
    error::WebError,
    settings_page::may_add,
    shell,
    state::AppState,
    visitor::{CredentialKind, visitor},
};
use axum::{extract::State, http::HeaderMap, response::Html};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        backups::BackupPassphrase,
        keys::{KeyReply, KeyView, KeyWish, SheetReply},
    },
    passphrase_strength::PassphraseStrength,
    words,
};
use toolcall_schema::KeyPlaceKind;

/// Bytes of a passphrase, and of a path.
const TEXT_MAX: usize = 1000;

type KeyPart = Result<Html<String>, WebError>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveBody {
    place: KeyPlaceKind,
    #[serde(default)]
    current: Option<BackupPassphrase>,
    #[serde(default)]
    passphrase: Option<BackupPassphrase>,
    #[serde(default)]
    repeated: Option<BackupPassphrase>,
    #[serde(default)]
    file: String,
}

/// `POST /form/key`
pub(super) async fn move_it(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> KeyPart {
    let body = body?;
    let MoveBody {
        place,
        current,
        passphrase,
        repeated,
        file,
    } = body.read()?;
    let is_line = |text: &str| text.len() <= TEXT_MAX && !text.contains(char::is_control);
    let typed = [&current, &passphrase];
    if !is_line(&file) || typed.into_iter().flatten().any(|words| !is_line(&words.0)) {
        return Err(WebError::BadBody);
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let place = match place {
        KeyPlaceKind::Keyring => KeyPlaceKind::Keyring,
        KeyPlaceKind::File(()) => KeyPlaceKind::File(file),
        KeyPlaceKind::Passphrase(()) => {
            let typed = passphrase.unwrap_or_else(|| BackupPassphrase(String::new()));
            let strength = PassphraseStrength::rate(&typed.0);
            if !strength.is_enough() {
                return Ok(sentence(strength.verdict_text().say()));
            }
            if repeated.as_ref() != Some(&typed) {
                return Ok(sentence(words::KEY_NOT_SAME.say()));
            }
            KeyPlaceKind::Passphrase(typed)
        }
    };
    let current = current.unwrap_or_else(|| BackupPassphrase(String::new()));
    let reply = app.backend.move_key(KeyWish { place, current }).await?;
    Ok(match reply {
        // Whatever the page shows, it looks again until the key is in its new place.
        KeyReply::Begun => Html(
            html! { p.says { (words::KEY_BEGUN) } span data-again-ms=(shell::AGAIN_MS) hidden {} }
                .into_string(),
        ),
        KeyReply::WrongPassphrase => Html(
            html! { p.says { (words::KEY_WRONG_PASSPHRASE) " " (words::PASSPHRASE_FORGOTTEN) } }
                .into_string(),
        ),
        KeyReply::Refused(why) => Html(refusal(words::KEY_REFUSED.say(), &why).into_string()),
        KeyReply::Nothing => return Err(WebError::NotFound),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedBody {
    passphrase: BackupPassphrase,
}

/// `POST /form/key/proof`: a browser on this computer is shown to be the owner's by the passphrase of the key.
pub(super) async fn prove(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> KeyPart {
    let TypedBody { passphrase } = body?.read()?;
    let browser = visitor().filter(|visitor| matches!(visitor.by, CredentialKind::Cookie { .. }));
    let browser = browser.filter(|_| app.door.hosts.is_own(&headers));
    let browser = browser.ok_or(WebError::NotProven)?;
    let is_hers = app.backend.is_passphrase(passphrase).await?;
    if !is_hers.ok_or(WebError::NotFound)? {
        return Ok(sentence(words::KEY_WRONG_PASSPHRASE.say()));
    }
    app.door.devices.prove(browser.device);
    let shown = html! { p.says { (words::PROOF_GOOD) " " a href="/settings" { (words::PROOF_ON) } } };
    Ok(Html(shown.into_string()))
}

/// `POST /form/key/strength`: how hard a passphrase is to guess, before it is chosen. Nothing of it is kept.
pub(super) async fn strength(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<String, WebError> {
    let TypedBody { passphrase } = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let says = if passphrase.0.is_empty() {
        ""
    } else {
        PassphraseStrength::rate(&passphrase.0).verdict_text().say()
    };
    Ok(says.to_owned())
}

fn sentence(text: &str) -> Html<String> {
    Html(html! { p.says { (text) } }.into_string())
}

fn refusal(sentence: &str, why: &str) -> Markup {
    html! {
        p.says { (sentence) }
        details { summary { (words::DOCTOR_EXACTLY) } p.note dir="auto" { (why) } }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SheetBody {}

/// `POST /form/key/sheet`
pub(super) async fn make_sheet(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> KeyPart {
    let SheetBody {} = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let shown = match app.backend.make_recovery_sheet().await? {
        SheetReply::Made(code) => sheet(&code),
        SheetReply::Refused(why) => refusal(words::SHEET_FAILED.say(), &why),
        SheetReply::Nothing => return Err(WebError::NotFound),
    };
    Ok(Html(shown.into_string()))
}

fn sheet(code: &str) -> Markup {
    html! {
        section.sheet aria-labelledby="sheet-title" {
            h3 #sheet-title { (words::SHEET) }
            p.code dir="ltr" { (code) }
            p { (words::SHEET_SAYS) }
            p { (words::SHEET_USE) }
            p { (words::SHEET_ENDS) }
            p.buttons { button.main type="button" data-print { (words::SHEET_PRINT) } }
        }
    }
}

/// The section. The sheet stands outside of the region, so that a look for news does not take it away.
pub(super) fn section(key: &KeyView, may_add: bool) -> Markup {
    html! {
        section.block aria-labelledby="key-title" {
            h2 #key-title { (words::WELCOME_KEY) }
            (content(key, may_add))
        }
    }
}

/// The same without its heading.
pub(super) fn content(key: &KeyView, may_add: bool) -> Markup {
    html! {
        div #key data-region {
            div #key-now aria-live="polite" { (key_state(key)) }
            @if may_add {
                details {
                    summary { (words::KEY_MOVE) }
                    p.note { (words::KEY_MOVE_MEANS) }
                    (places(key))
                }
            }
        }
        @if may_add {
            form.settings data-post="/form/key/sheet" data-into="key-sheet" data-anew {
                p.buttons { button.side type="submit" { (words::SHEET_MAKE) } }
                p.note { (words::SHEET_MEANS) }
            }
            div #key-sheet aria-live="polite" {}
        } @else {
            p.note { (words::KEY_NOT_HERE) }
            @if key.place == Some(KeyPlaceKind::Passphrase(())) && !key.is_lost {
                form.settings data-post="/form/key/proof" data-into="key-proof" {
                    (unnamed_user())
                    (passphrase(words::KEY_CURRENT.say(), "passphrase", "current-password"))
                    p.buttons { button.side type="submit" { (words::PROOF_SHOW) } }
                    p.note { (words::PROOF_MEANS) }
                }
                div #key-proof aria-live="polite" {}
            }
        }
    }
}

fn key_state(key: &KeyView) -> Markup {
    html! {
        @if key.is_lost { p.says { (words::KEY_IS_LOST) } }
        @else { p.says dir="auto" { (words::welcome_key_place(key.place.as_ref())) } }
        @if key.failed { p.says { (words::KEY_FAILED) } }
        p.says { (if key.has_sheet { words::SHEET_IS_THERE.say() } else { words::SHEET_IS_NOT_THERE.say() }) }
    }
}

/// A form for each place.
fn places(key: &KeyView) -> Markup {
    let form = |place: &str, fields: Markup, button: &str| {
        html! {
            form.settings data-post="/form/key" data-into="key-now" {
                (unnamed_user())
                input type="hidden" name="place" value=(place);
                (current(key))
                (fields)
                p.buttons { button.side type="submit" { (button) } }
            }
        }
    };
    let words = html! {
        label { (words::KEY_NEW_PASSPHRASE)
            input name="passphrase" type="password" required autocomplete="new-password" maxlength=(TEXT_MAX) data-strength="/form/key/strength";
        }
        output.tried data-strength-says {}
        (passphrase(words::BACKUP_REPEATED.say(), "repeated", "new-password"))
        p.note { (words::KEY_PASSPHRASE_MEANS) }
    };
    let file = html! {
        label { (words::KEY_FILE)
            input name="file" type="text" required autocomplete="off" spellcheck="false" maxlength=(TEXT_MAX) pattern="~?/.*" placeholder="/media/…/aura.key";
        }
        p.note { (words::KEY_FILE_MEANS) }
    };
    html! {
        @if key.has_keyring && (key.is_lost || key.place != Some(KeyPlaceKind::Keyring)) {
            (form("keyring", html! {}, words::KEY_TO_KEYRING.say()))
        }
        (form("passphrase", words, words::KEY_TO_PASSPHRASE.say()))
        (form("file", file, words::KEY_TO_FILE.say()))
    }
}

/// For what keeps passwords in the browser: it asks whose they are, once a form.
pub(super) fn unnamed_user() -> Markup {
    html! { input type="text" autocomplete="username" value=(words::APP_NAME) hidden readonly; }
}

/// What opens the box now, where it has to be typed.
fn current(key: &KeyView) -> Markup {
    html! {
        @if key.is_lost { (passphrase(words::SHEET_CODE.say(), "current", "off")) }
        @else if key.place == Some(KeyPlaceKind::Passphrase(())) {
            (passphrase(words::KEY_CURRENT.say(), "current", "current-password"))
            p.note { (words::PASSPHRASE_FORGOTTEN) }
        }
    }
}

fn passphrase(label: &str, name: &str, autocomplete: &str) -> Markup {
    html! {
        label { (label)
            input name=(name) type="password" required autocomplete=(autocomplete) maxlength=(TEXT_MAX);
        }
    }
}
