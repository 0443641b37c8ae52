//! Health data from a phone.
//!
//! What: `POST /v1/health-auto-export` and `POST /v1/health-connect`, which take what the apps Health Auto Export (iPhone) and HC Webhook (Android) send, and the
//! part of `/devices` that shows their owner the address and the token to enter there. Why: each app sends its own JSON and nothing else. Not here: reading
//! it (the backend), the token (`devices`).

use super::{
    api::{JsonBody, UnsettledCode},
    error::WebError,
    settings_page::may_add,
    state::AppState,
};
use axum::{
    Json,
    extract::{FromRequest as _, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use maud::{Markup, html};
use qrcode::{Color, QrCode};
use serde::{Deserialize, Serialize};
use std::{fmt::Write as _, sync::Arc};
use surfaces_base::{
    backend::{BackendError, HealthApp, HealthPostReply},
    devices::{DeviceName, DeviceScope, DeviceToken},
    language::Text,
    words,
};

/// Where the apps post to.
pub(super) const ROUTE: &str = "/v1/health-auto-export";
pub(super) const ANDROID_ROUTE: &str = "/v1/health-connect";
/// Bytes of one post: a week of heart rates by the second is some 15 MB.
pub(super) const POST_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Posts that are in memory at once.
pub(super) const POSTS_MAX: usize = 2;

/// An answer that is not the last word, with its reason.
#[derive(Serialize)]
struct UnsettledPost {
    #[serde(flatten)]
    reply: HealthPostReply,
    #[serde(flatten)]
    why: UnsettledCode,
}

/// `POST /v1/health-auto-export`
pub(super) async fn take(State(app): State<Arc<AppState>>, request: Request) -> Result<Response, WebError> {
    take_from(HealthApp::AutoExport, &app, request).await
}

/// `POST /v1/health-connect`
pub(super) async fn take_android(
    State(app): State<Arc<AppState>>,
    request: Request,
) -> Result<Response, WebError> {
    take_from(HealthApp::HealthConnect, &app, request).await
}

async fn take_from(from: HealthApp, app: &AppState, request: Request) -> Result<Response, WebError> {
    let _room = app
        .health_posts
        .try_acquire()
        .map_err(|_| WebError::Backend(BackendError::Busy))?;
    let body = JsonBody::from_request(request, &()).await?;
    let reply = app.backend.health_post(from, body.into_bytes()).await?;
    let reply = reply.ok_or(WebError::BadBody)?;
    if reply.again == 0 {
        return Ok((StatusCode::ACCEPTED, Json(reply)).into_response());
    }
    let (status, why) = UnsettledCode::new(reply.full);
    let body = Json(UnsettledPost { reply, why });
    Ok((status, [(header::RETRY_AFTER, "1")], body).into_response())
}

/// The part of `/devices` about phones.
pub(super) fn section(may_add: bool) -> Markup {
    html! {
        section.block #health aria-labelledby="health-title" {
            h2 #health-title { (words::HEALTH_TITLE) }
            p.says { (words::HEALTH_HOW) }
            @if may_add {
                p.buttons {
                    button.side type="button" data-shows="/form/devices/health" data-into="health-shown" { (words::HEALTH_CONNECT) }
                    button.side type="button" data-shows="/form/devices/health-connect" data-into="health-shown" { (words::HEALTH_CONNECT_ANDROID) }
                }
                div #health-shown aria-live="polite" {}
            } @else { p.note { (words::HEALTH_NOT_HERE) } }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectBody {}

/// `POST /form/devices/health`: lets the iPhone's app in, with a token that may send and nothing else, and shows what to enter there.
pub(super) async fn connect(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let ConnectBody {} = body?.read()?;
    let (address, is_outside, token) = let_in(&app, &headers, words::HEALTH_DEVICE, ROUTE).await?;
    let picture = is_outside
        .then(|| picture(&setup_link(&address, token.text())))
        .flatten();
    let bearer = format!("Bearer {}", token.text());
    let entries = [
        (words::HEALTH_ADDRESS.say(), address.as_str()),
        (words::HEALTH_HEADER.say(), "Authorization"),
        (words::HEALTH_VALUE.say(), bearer.as_str()),
        (words::HEALTH_FORMAT.say(), "JSON"),
        (words::HEALTH_METRICS.say(), "Sleep Analysis"),
    ];
    let shown = html! {
        (unreachable_part(is_outside))
        @if let Some(picture) = picture {
            p { (words::HEALTH_SCAN) }
            (picture)
            p { (words::HEALTH_BY_HAND) }
        } @else { p { (words::HEALTH_ENTER) } }
        (entries_part(&entries))
    };
    Ok(Html(shown.into_string()))
}

/// `POST /form/devices/health-connect`: the same for HC Webhook, which no link fills.
pub(super) async fn connect_android(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let ConnectBody {} = body?.read()?;
    let (address, is_outside, token) =
        let_in(&app, &headers, words::HEALTH_DEVICE_ANDROID, ANDROID_ROUTE).await?;
    let bearer = format!("Bearer {}", token.text());
    let entries = [
        (words::HEALTH_ADDRESS.say(), address.as_str()),
        (words::HEALTH_HEADER.say(), "Authorization"),
        (words::HEALTH_VALUE.say(), bearer.as_str()),
        (
            words::HEALTH_METRICS.say(),
            "Sleep, Resting Heart Rate, Heart Rate Variability",
        ),
    ];
    let shown = html! {
        (unreachable_part(is_outside))
        p { (words::HEALTH_ENTER_ANDROID) }
        (entries_part(&entries))
    };
    Ok(Html(shown.into_string()))
}

/// Makes a token for an app: the address it posts to, whether that is reached from outside this computer, and the token.
async fn let_in(
    app: &AppState,
    headers: &HeaderMap,
    name: Text,
    route: &str,
) -> Result<(String, bool, DeviceToken), WebError> {
    if !may_add(app, headers) {
        return Err(WebError::NotProven);
    }
    let name = DeviceName::parse(name.say()).ok_or(WebError::Bug)?;
    let (_, token) = app.door.devices.add(name, DeviceScope::SignalsWrite).await?;
    let address = app.door.hosts.outside_address(route);
    let is_outside = address.is_some();
    let address = address.unwrap_or_else(|| app.door.hosts.own_address(route));
    Ok((address, is_outside, token))
}

fn unreachable_part(is_outside: bool) -> Markup {
    html! {
        @if !is_outside {
            p.note { (words::HEALTH_UNREACHABLE) }
            p { a href="/settings#web.listen" { (words::SET_UP) } }
        }
    }
}

/// What is typed into the app.
fn entries_part(entries: &[(&str, &str)]) -> Markup {
    html! {
        dl.entries {
            @for (name, value) in entries {
                div { dt { (name) } dd { code { (value) } } }
            }
        }
        p.note { (words::HEALTH_ONCE) }
    }
}

/// The link by which the app fills its own form (help.healthyapps.dev, "Deep Link Automation", 2026-02-05). Sleep alone is asked for: nothing
/// else is used.
fn setup_link(address: &str, token: &str) -> String {
    let header = format!("Authorization,Bearer {token}");
    let fields = [
        ("url", address),
        ("name", "Aura"),
        ("format", "json"),
        ("datatype", "healthMetrics"),
        ("metrics", "Sleep Analysis"),
        ("aggregatedata", "false"),
        ("aggregatesleep", "false"),
        ("exportversion", "v2"),
        ("headers", header.as_str()),
        ("enabled", "true"),
    ];
    let mut link = "com.HealthExport://automation".to_owned();
    for (index, (name, value)) in fields.into_iter().enumerate() {
        link.push(if index == 0 { '?' } else { '&' });
        link.push_str(name);
        link.push('=');
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                link.push(char::from(byte));
            } else {
                let _ = write!(link, "%{byte:02X}");
            }
        }
    }
    link
}

/// A link as a picture that a phone's camera reads; `None`: it is too long for one.
fn picture(link: &str) -> Option<Markup> {
    let code = QrCode::new(link).ok()?;
    let width = code.width();
    let (colors, quiet) = (code.to_colors(), 4);
    let mut path = String::new();
    for (index, color) in colors.iter().enumerate() {
        if *color == Color::Dark {
            let _ = write!(
                path,
                "M{} {}h1v1h-1z",
                index % width + quiet,
                index / width + quiet
            );
        }
    }
    let side = width + 2 * quiet;
    Some(html! {
        svg.qr role="img" aria-label=(words::HEALTH_PICTURE) viewBox={ "0 0 " (side) " " (side) } shape-rendering="crispEdges" {
            rect.paper width=(side) height=(side) {}
            path.ink d=(path) {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_fills_the_apps_form() {
        assert_eq!(
            setup_link("https://aura.example/v1/health-auto-export", "ab12"),
            "com.HealthExport://automation?url=https%3A%2F%2Faura.example%2Fv1%2Fhealth-auto-export&name=Aura&format=json&datatype=healthMetrics\
             &metrics=Sleep%20Analysis&aggregatedata=false&aggregatesleep=false&exportversion=v2&headers=Authorization%2CBearer%20ab12&enabled=true"
        );
        assert!(picture("com.HealthExport://automation").is_some());
        assert!(picture(&"x".repeat(4000)).is_none());
    }
}
