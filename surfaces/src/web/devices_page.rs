//! `/pair` and `/devices`: letting a device in, and shutting one out.
//!
//! What: the page with one field for the code, the exchange of the code for a cookie, the list of devices. Why: no secret is ever in an
//! address: the code comes by POST, the cookie is the device's own. Not here: codes and secrets (`devices`), the same from the command
//! line (`orchestrator`).

use super::{
    access_control::AccessControl,
    api::JsonBody,
    error::WebError,
    health_page,
    settings_page::may_add,
    shell::{self, AppSection, BelowFrame},
    state::AppState,
    visitor::{self, CredentialKind, RequestIdentity},
};
use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    devices::{
        AskGrant, DeviceError, DeviceId, DeviceName, DeviceScope, GrantedThing, ListedDevice, NAME_MAX,
        PairingOutcome,
    },
    format,
    visible::visible,
    words,
};
use toolcall_schema::{ToolName, catalogue::shared::ThingId, ids::ChannelHash};

/// `GET /pair`: what the browser kept is forgotten. The script takes a code from the address's fragment, which no server ever sees, and removes it there.
pub(super) async fn pair_page() -> impl IntoResponse {
    let body = html! {
        div.page {
            header.top { h1.brand { "Aura" } }
            main.pair {
                h2 { (words::PAIR_TITLE) }
                p { (words::PAIR_HOW) }
                form data-pair {
                    label { (words::PAIR_CODE)
                        input name="code" type="text" required maxlength="12" autocomplete="one-time-code"
                            autocapitalize="characters" spellcheck="false";
                    }
                    label { (words::PAIR_NAME)
                        input name="name" type="text" required maxlength=(NAME_MAX) autocomplete="off";
                    }
                    button.main type="submit" { (words::PAIR_DO) }
                }
                noscript { p { (words::PAIR_SCRIPT) } }
                p.none { (words::PAIR_ONCE) }
            }
            p #status .status role="status" {}
        }
    };
    (
        [clear_site_data()],
        shell::page(words::PAIR_TITLE_PAGE.say(), None, None, &body),
    )
}

/// The header of `/pair`: the browser forgets what it kept.
fn clear_site_data() -> (HeaderName, HeaderValue) {
    let name = HeaderName::from_static("clear-site-data");
    (name, HeaderValue::from_static("\"storage\""))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairBody {
    code: String,
    name: DeviceName,
}

/// `POST /pair`: the code for a cookie, which is the device's secret. A browser that is the owner's already keeps its own.
pub(super) async fn pair(
    State(door): State<Arc<AccessControl>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Response, WebError> {
    let PairBody { code, name } = body?.read()?;
    let is_owners_browser = |visitor: &RequestIdentity| {
        visitor.scope == DeviceScope::Owner && matches!(visitor.by, CredentialKind::Cookie { .. })
    };
    let here = visitor::visitor().filter(is_owners_browser);
    let here = here.map(|visitor| visitor.device);
    let (device, token) = match door.devices.pair(&code, name, here).await? {
        PairingOutcome::Added(device, token) => (device, token),
        PairingOutcome::Proven(device) => {
            let listed = door.devices.list();
            let listed = listed.into_iter().find(|listed| listed.id == device);
            return Ok(Json(listed).into_response());
        }
    };
    // A browser says under which origin it posts; behind TLS the cookie stays there.
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    let secure = origin.is_some_and(|origin| origin.starts_with("https://"));
    let cookie = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000{}",
        door.hosts.cookie,
        token.text(),
        if secure { "; Secure" } else { "" }
    );
    Ok(([(header::SET_COOKIE, cookie)], Json(device)).into_response())
}

impl From<DeviceError> for WebError {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::Code => WebError::Code,
            DeviceError::TooMany => WebError::TooManyDevices,
            DeviceError::Backend(error) => WebError::Backend(error),
        }
    }
}

/// `GET /devices`
pub(super) async fn devices(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
) -> Result<Html<String>, WebError> {
    let now = app.backend.now().await?;
    let zone = format::zone(&now.zone);
    let here = visitor::visitor().map(|visitor| visitor.device);
    let listed = app.door.devices.list();
    let chats = named_chats(&app, listed.iter().any(|device| device.asks.is_some())).await?;
    let row = |device: &ListedDevice| {
        html! {
            li {
                p.head {
                    span.what { (device.name.as_str()) @if here.as_ref() == Some(&device.id) { " · " (words::DEVICE_THIS) } }
                    span.says { (words::scope(device.scope)) }
                }
                p.says { (words::device_paired(&format::clock_on(device.paired_at, now.at, zone), &format::date(device.last_seen))) }
                @if let Some(grant) = &device.asks { (grant_block(&device.id, grant, &chats)) }
                details.in-place {
                    summary aria-label={ (words::DEVICE_REVOKE) ": " (device.name.as_str()) } { (words::DEVICE_REVOKE) }
                    p.says { (if here.as_ref() == Some(&device.id) { words::DEVICE_REVOKE_THIS } else { words::DEVICE_REVOKE_SAYS }) }
                    button.plain type="button" data-revoke=(device.id.as_str())
                        aria-label={ (words::DEVICE_REVOKE_DO) ": " (device.name.as_str()) } { (words::DEVICE_REVOKE_DO) }
                }
            }
        }
    };
    let main = html! {
        section.block #devices aria-label=(words::DEVICES_TITLE) {
            p.says { (words::DEVICES_HOW) }
            @if may_add(&app, &headers) {
                p.buttons { button.side type="button" data-shows="/form/devices/code" data-into="code" { (words::DEVICES_ADD) } }
                div #code aria-live="polite" {}
            } @else { p.note { (words::DEVICES_ADD_NOT_HERE) } }
            ul.refused { @for device in &listed { (row(device)) } }
        }
    };
    let beside = health_page::section(may_add(&app, &headers));
    let frame = BelowFrame::new(AppSection::Settings, "/devices", words::DEVICES_TITLE.say());
    Ok(frame.page(&app, &shell::panes(&main, &beside)))
}

/// The chats that have a name of the owner's, with it. `needed`: some device asks.
async fn named_chats(app: &AppState, needed: bool) -> Result<Vec<(ChannelHash, String)>, WebError> {
    if !needed {
        return Ok(Vec::new());
    }
    let named = app.backend.given_names().await?.into_iter();
    let chats = named.filter_map(|given| match given.thing {
        ThingId::Channel(chat) => Some((chat, visible(&given.name).into_owned())),
        ThingId::Person(_)
        | ThingId::Item(_)
        | ThingId::Event(_)
        | ThingId::Txn(_)
        | ThingId::Merchant(_) => None,
    });
    Ok(chats.collect())
}

/// What a device that asks may, with a button for each thing that the owner ticks.
fn grant_block(device: &DeviceId, grant: &AskGrant, chats: &[(ChannelHash, String)]) -> Markup {
    let place = format!("asks-{}", device.as_str());
    let toggle = |what: &str, says: &str, allowed: bool| {
        html! {
            form.row-buttons data-post="/form/devices/asks" data-into=(place) {
                input type="hidden" name="device" value=(device.as_str());
                input type="hidden" name="what" value=(what);
                input type="hidden" name="allowed" value=(!allowed);
                p { bdi { (words::allowed_thing(says, allowed)) } }
                button.plain type="submit" aria-label={ (if allowed { words::ASKS_FORBID } else { words::ASKS_ALLOW }) ": " (says) } {
                    (if allowed { words::ASKS_FORBID } else { words::ASKS_ALLOW })
                }
            }
        }
    };
    html! {
        div id=(place) aria-live="polite" {
            // What an area below allows is said with it.
            @let tools: Vec<ToolName> = grant.tools.iter().copied().filter(|tool| grant.has(*tool)).collect();
            @if tools.is_empty() { p.note { (words::ASKS_MAY_NOTHING) } }
            @else {
                p { (words::ASKS_MAY) }
                ul.plain-list { @for tool in tools { li { (words::tool_for_program(tool)) } } }
            }
            @for area in grant.wanted_areas() {
                (toggle(area.as_str(), words::area(area), grant.areas.contains(&area)))
            }
            @if !grant.workflows.is_empty() {
                p { (words::ASKS_WORKFLOWS) }
                @for workflow in &grant.workflows { (toggle(&workflow.to_string(), &visible(&workflow.to_string()), true)) }
            }
            @if grant.names_chats() {
                @if chats.is_empty() { p.note { (words::ASKS_NO_CHATS) } }
                @else {
                    p { (words::ASKS_CHATS) }
                    @for (chat, name) in chats { (toggle(chat.as_str(), name, grant.chats.contains(chat))) }
                }
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantBody {
    device: String,
    what: String,
    allowed: String,
}

/// `POST /form/devices/asks`: the owner ticks something for a device that asks, or takes the tick away.
pub(super) async fn tick_grant(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let GrantBody {
        device,
        what,
        allowed,
    } = body?.read()?;
    let thing = GrantedThing::parse(&what).ok_or(WebError::BadBody)?;
    let allowed = allowed.parse().map_err(|_| WebError::BadBody)?;
    let id = DeviceId::from_text(&device);
    let chats = named_chats(&app, true).await?;
    // Which workflow it is, the command line looks up.
    if matches!(&thing, GrantedThing::Workflow(_)) && allowed {
        return Err(WebError::NotFound);
    }
    // A chat without a name of the owner's could not be told from another.
    if let GrantedThing::Chat(chat) = &thing
        && allowed
        && !chats.iter().any(|(named, _)| named == chat)
    {
        return Err(WebError::NotFound);
    }
    let listed = app.door.devices.tick_grant(&id, thing, allowed).await?;
    let grant = listed.and_then(|device| device.asks).ok_or(WebError::NotFound)?;
    Ok(Html(grant_block(&id, &grant, &chats).into_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeBody {}

/// `POST /form/devices/code`: a code that lets another device of the owner's in, for the browser that was shown to be hers.
pub(super) async fn show_code(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let CodeBody {} = body?.read()?;
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let code = app.door.devices.open(DeviceScope::Owner, None)?;
    let shown = html! { p { (words::DEVICES_CODE) } p.code { strong { (code.text()) } } };
    Ok(Html(shown.into_string()))
}

/// `POST /v1/devices/{id}/revoke`
pub(super) async fn revoke(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<StatusCode, WebError> {
    let id = DeviceId::from_text(&id);
    if app.door.devices.revoke(&id).await? {
        app.backend.device_revoked(id).await;
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(WebError::NotFound)
    }
}
