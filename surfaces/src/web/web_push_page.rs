//! Notifications in the owner's browsers: the part of the page Settings and of the welcome, and its handlers.
//!
//! What: turning them on and off in the browser that shows the page, who is told, and which push services may be used. Why: the browser asks its owner only after a
//! click on the button. Not here: sending, and what may be opened (the backend); trying it (`notify_page`).

use super::{
    api::JsonBody,
    error::WebError,
    settings_page::may_add,
    state::AppState,
    visitor::{CredentialKind, visitor},
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header::USER_AGENT},
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        notify::NotifyChannel,
        settings::HomeFileView,
        web_push::{
            HOSTS_MAX, PUSH_SERVICES, SubscriptionWish, ToldBrowserState, ToldBrowserView, WEB_PUSH_HOSTS,
            WebPushView,
        },
    },
    devices::{DeviceId, SubscriptionId},
    format, words,
};

/// The browser that asks: a program with a bearer shows no notifications.
pub(super) fn this_browser() -> Result<DeviceId, WebError> {
    let browser = visitor().filter(|visitor| matches!(visitor.by, CredentialKind::Cookie { .. }));
    browser.map(|visitor| visitor.device).ok_or(WebError::OutOfScope)
}

/// `POST /form/push`
pub(super) async fn subscribe(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<StatusCode, WebError> {
    let wish: SubscriptionWish = body?.read()?;
    let kept = app.backend.subscribe(this_browser()?, wish).await?;
    kept.map_err(WebError::Subscription)?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RemoveBody {
    id: String,
}

/// `POST /form/push/remove`: any of the owner's, as a device is revoked by any.
pub(super) async fn unsubscribe(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<StatusCode, WebError> {
    let RemoveBody { id } = body?.read()?;
    if app.backend.unsubscribe(SubscriptionId::from_text(&id)).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(WebError::NotFound)
    }
}

/// The section; nothing where there is no way to a browser.
pub(super) async fn section(app: &AppState, file: &HomeFileView, headers: &HeaderMap) -> Markup {
    let Some(view) = app.backend.web_push().await else {
        return html! {};
    };
    let here = this_browser().ok();
    let is_told = view.browsers.iter().any(|browser| {
        here.as_ref() == Some(&browser.device) && matches!(browser.state, ToldBrowserState::Told { .. })
    });
    html! {
        section.block #web-push aria-labelledby="web-push-title" {
            h2 #web-push-title { (words::notify_channel(NotifyChannel::Browser)) }
            p.says { (words::WEB_PUSH_MEANS) }
            div #web-push-now data-region {
                @if view.hosts.is_empty() { p.state { (words::WEB_PUSH_OFF) } }
                @else { (this_one(&view, is_told)) }
                @if !view.browsers.is_empty() {
                    h3 { (words::WEB_PUSH_BROWSERS) }
                    ul.rows { @for browser in &view.browsers { (row(browser, here.as_ref(), &view)) } }
                }
            }
            // Beside the region, so that what came of the trial stays when the page looks again.
            div #notify-browser aria-live="polite" {}
            div #web-push-services data-region {
                @if may_add(app, headers) { (services(&view, file, maker_of(headers))) }
                @else { p.note { (words::WEB_PUSH_ACCEPT_NOT_HERE) } }
            }
        }
    }
}

/// What holds for the browser that shows the page.
fn this_one(view: &WebPushView, is_told: bool) -> Markup {
    html! {
        @if is_told {
            p.state { (words::WEB_PUSH_HERE) }
            form data-post="/form/notify/try" data-into="notify-browser" {
                input type="hidden" name="channel" value=(NotifyChannel::Browser.as_str());
                p.buttons { button.side type="submit" { (words::WEB_PUSH_TRY) } }
            }
        } @else {
            p.state { (words::WEB_PUSH_NOT_HERE) }
            p.buttons { button.main type="button" data-push-on=(view.key) { (words::WEB_PUSH_TURN_ON) } }
        }
    }
}

fn row(browser: &ToldBrowserView, here: Option<&DeviceId>, view: &WebPushView) -> Markup {
    let zone = format::zone(&view.zone);
    let is_here = here == Some(&browser.device);
    let name = browser.name.as_str();
    html! {
        li {
            p.head {
                span.what { bdi { (name) } @if is_here { " · " (words::WEB_PUSH_THIS) } }
                @if let ToldBrowserState::Told { id, .. } = &browser.state {
                    button.plain type="button" data-push-off=(id.as_str()) data-here[is_here]
                        aria-label={ (words::WEB_PUSH_REMOVE) ": " (name) } { (words::WEB_PUSH_REMOVE) }
                }
            }
            @match &browser.state {
                ToldBrowserState::Told { host, since, .. } => p.note {
                    (words::web_push_told(host, &format::clock_on(*since, view.at, zone)))
                },
                ToldBrowserState::Ended(at) => p.note { (words::web_push_ended(&format::clock_on(*at, view.at, zone))) },
            }
        }
    }
}

/// The push service of the browser that asks, as it names itself: all but Firefox name those that they descend from.
fn maker_of(headers: &HeaderMap) -> Option<&'static str> {
    let agent = headers.get(USER_AGENT)?.to_str().ok()?;
    let [mozilla, google, apple, microsoft] = PUSH_SERVICES;
    let makers = [
        ("Firefox/", mozilla),
        ("Edg/", microsoft),
        ("Chrome/", google),
        ("Safari/", apple),
    ];
    let found = makers.into_iter().find(|(name, _)| agent.contains(name));
    found.map(|(_, service)| service)
}

/// Which push services may be used: those of the makers of browsers by name, any other by its host.
fn services(view: &WebPushView, file: &HomeFileView, own: Option<&str>) -> Markup {
    let is_accepted = |host: &str| view.hosts.iter().any(|accepted| accepted == host);
    let others = view
        .hosts
        .iter()
        .filter(|host| !PUSH_SERVICES.contains(&host.as_str()));
    html! {
        form.settings data-settings data-shown=(file.shown) {
            fieldset.choices data-as="choices" data-name=(WEB_PUSH_HOSTS) {
                legend { (words::WEB_PUSH_SERVICES) }
                @for service in PUSH_SERVICES {
                    label {
                        input type="checkbox" value=(service) checked[is_accepted(service)];
                        span {
                            (words::push_service(service)) @if own == Some(service) { " · " b { (words::WEB_PUSH_OF_THIS) } }
                            span.note { (service) }
                        }
                    }
                }
                @for host in others {
                    label { input type="checkbox" value=(host) checked; " " (host) }
                }
                @if view.hosts.len() < HOSTS_MAX {
                    label { (words::WEB_PUSH_OTHER)
                        input type="text" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="253"
                            pattern="(\\*\\.)?[a-z0-9\\-]+(\\.[a-z0-9\\-]+)+" placeholder="push.example.org";
                    }
                }
            }
            p.note { (words::WEB_PUSH_SERVICES_MEAN) }
            p.buttons { button.side type="submit" { (words::WEB_PUSH_ACCEPT) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_of_a_browser_is_known_by_what_it_calls_itself() {
        for (agent, service) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                Some(PUSH_SERVICES[0]),
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36",
                Some(PUSH_SERVICES[1]),
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                Some(PUSH_SERVICES[2]),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0",
                Some(PUSH_SERVICES[3]),
            ),
            ("curl/8.5.0", None),
        ] {
            let headers = HeaderMap::from_iter([(USER_AGENT, agent.parse().unwrap())]);
            assert_eq!(maker_of(&headers), service, "{agent}");
        }
    }
}
