//! Backups on the page Settings.
//!
//! What: the section with the last one and two forms, and their handlers. Why: she sees when the last good one was made, and that it can be brought back. Not here:
//! making it (the backend).

use super::{
    api::JsonBody, error::WebError, keys_page::unnamed_user, settings_page::may_add, shell, state::AppState,
};
use axum::{extract::State, http::HeaderMap, response::Html};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::backups::{
        BackupPassphrase, BackupRhythm, BackupStage, BackupWish, BackupsView, LastBackup, PlannedBackups,
    },
    format,
    passphrase_strength::PassphraseStrength,
    words,
};
use toolcall_schema::Timestamp;

/// Bytes of a passphrase, and of a path.
const TEXT_MAX: usize = 1000;

/// As the form sends them.
const RHYTHMS: [(&str, BackupRhythm); 4] = [
    ("once", BackupRhythm::Once),
    ("daily", BackupRhythm::Daily),
    ("weekly", BackupRhythm::Weekly),
    ("monthly", BackupRhythm::Monthly),
];

type BackupPart = Result<Html<String>, WebError>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MakeBody {
    folder: String,
    passphrase: BackupPassphrase,
    repeated: BackupPassphrase,
    #[serde(default)]
    again: BackupRhythm,
}

/// `POST /form/backup`
pub(super) async fn make(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> BackupPart {
    let MakeBody {
        folder,
        passphrase,
        repeated,
        again,
    } = body?.read()?;
    let is_line = |text: &str| text.len() <= TEXT_MAX && !text.contains(char::is_control);
    if !is_line(&folder) || !is_line(&passphrase.0) {
        return Err(WebError::BadBody);
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let strength = PassphraseStrength::rate(&passphrase.0);
    let wrong = if strength.is_enough() {
        (passphrase != repeated).then_some(words::BACKUP_NOT_SAME)
    } else {
        Some(strength.verdict_text())
    };
    if let Some(wrong) = wrong {
        let view = app.backend.backups().await?.ok_or(WebError::NotFound)?;
        return section_now(&app, &view, Some(wrong.say())).await;
    }
    begin(&app, BackupWish::Make(folder, passphrase, again)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndBody {}

/// `POST /form/backup/end`
pub(super) async fn end(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> BackupPart {
    let EndBody {} = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    begin(&app, BackupWish::End).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TryBody {
    passphrase: BackupPassphrase,
}

/// `POST /form/backup/try`
pub(super) async fn try_it(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> BackupPart {
    let TryBody { passphrase } = body?.read()?;
    if passphrase.0.len() > TEXT_MAX {
        return Err(WebError::BadBody);
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    begin(&app, BackupWish::Try(passphrase)).await
}

async fn begin(app: &AppState, wish: BackupWish) -> BackupPart {
    let view = app.backend.begin_backup(wish).await?.ok_or(WebError::NotFound)?;
    section_now(app, &view, None).await
}

async fn section_now(app: &AppState, view: &BackupsView, refused: Option<&str>) -> BackupPart {
    let now = app.backend.now().await?;
    let at = (now.at, format::zone(&now.zone));
    Ok(Html(content(view, at, true, refused).into_string()))
}

/// The section.
pub(super) fn section(view: &BackupsView, at: (Timestamp, Tz), may_add: bool) -> Markup {
    html! {
        section.block #backup data-region aria-labelledby="backup-title" {
            h2 #backup-title { (words::BACKUPS) }
            p.says { (words::BACKUPS_SAY) }
            div #backup-now aria-live="polite" { (content(view, at, may_add, None)) }
        }
    }
}

fn content(view: &BackupsView, at: (Timestamp, Tz), may_add: bool, refused: Option<&str>) -> Markup {
    let works = view.work.as_ref().is_some_and(BackupStage::is_running);
    html! {
        @match &view.last {
            Some(last) => (last_one(last, at)),
            None => p.none { (words::BACKUP_NONE) },
        }
        @if let Some(plan) = &view.plan { (plan_part(plan, at)) }
        @if let Some(refused) = refused { p.says { (refused) } }
        @else if let Some(work) = &view.work { (stage(work)) }
        @if !may_add { p.note { (words::BACKUP_NOT_HERE) } }
        @else if !works {
            form.settings data-post="/form/backup" data-into="backup-now" {
                (unnamed_user())
                label { (words::BACKUP_FOLDER)
                    input name="folder" type="text" required autocomplete="off" spellcheck="false" maxlength=(TEXT_MAX) pattern="~?/.*" placeholder="~/Backups";
                }
                p.note { (words::BACKUP_FOLDER_MEANS) }
                (passphrase(words::BACKUP_PASSPHRASE.say(), "passphrase", "new-password"))
                (passphrase(words::BACKUP_REPEATED.say(), "repeated", "new-password"))
                p.note { (words::BACKUP_PASSPHRASE_MEANS) }
                label { (words::BACKUP_AGAIN)
                    select name="again" {
                        @for (value, rhythm) in RHYTHMS { option value=(value) { (words::backup_rhythm(rhythm)) } }
                    }
                }
                p.note { (words::BACKUP_AGAIN_MEANS) }
                p.buttons { button.side type="submit" { (words::BACKUP_MAKE) } }
            }
            @if view.plan.is_some() {
                form data-post="/form/backup/end" data-into="backup-now" {
                    p.buttons { button.plain type="submit" { (words::BACKUP_END) } }
                }
            }
            @if view.last.as_ref().is_some_and(|last| last.is_there) {
                form.settings data-post="/form/backup/try" data-into="backup-now" {
                    (unnamed_user())
                    (passphrase(words::BACKUP_PASSPHRASE.say(), "passphrase", "current-password"))
                    p.note { (words::BACKUP_TRY_MEANS) }
                    p.buttons { button.side type="submit" { (words::BACKUP_TRY) } }
                }
            }
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

/// What is made by itself, when next, and why the last one was not.
fn plan_part(plan: &PlannedBackups, (now, zone): (Timestamp, Tz)) -> Markup {
    let when = |at| format::clock_on(at, now, zone);
    html! {
        p dir="auto" { (words::backup_planned(plan.rhythm, &plan.place, &when(plan.next))) }
        @if let Some((at, why)) = &plan.missed {
            p.says { (words::backup_missed(&when(*at), why.is_some())) }
            @if let Some(why) = why { details { summary { (words::DOCTOR_EXACTLY) } p.note dir="auto" { (why) } } }
        }
    }
}

fn last_one(last: &LastBackup, (now, zone): (Timestamp, Tz)) -> Markup {
    let when = |at| format::clock_on(at, now, zone);
    html! {
        p dir="auto" { (words::backup_last(&when(last.at), &last.place, last.bytes)) }
        @if !last.is_there { p.note { (words::BACKUP_GONE) } }
        @match last.tried {
            Some(at) => p.note { (words::backup_tried(&when(at))) },
            None => p.note { (words::BACKUP_UNTRIED) },
        }
    }
}

fn stage(work: &BackupStage) -> Markup {
    html! {
        @if work.is_running() { span data-again-ms=(shell::AGAIN_MS) hidden {} }
        p.says { (words::backup_stage(work)) }
        @match work {
            BackupStage::Making(done, of) | BackupStage::Trying(done, of) if *of > 0 => progress aria-label=(words::BACKUPS) value=(done) max=(of) {},
            BackupStage::Making(..) | BackupStage::Trying(..) => progress aria-label=(words::BACKUPS) {},
            BackupStage::Failed(why) => details { summary { (words::DOCTOR_EXACTLY) } p.note dir="auto" { (why) } },
            BackupStage::Made | BackupStage::Tried(_) | BackupStage::NoFolder | BackupStage::WrongPassphrase => {}
        }
    }
}
