//! What other settings would have changed: the last 30 days, decided once more.
//!
//! What: the page, and its answers as fragments: other settings, and a kind more, less or not at all. Why: how often Aura speaks is judged by days that were, and put into force where it is tried. Not here:
//! deciding again (the backend, with the code of `aura replay --what-if`), what was learned (`learned`), rules (`owner`).

use super::{
    api::JsonBody,
    error::WebError,
    home_fields_page::shown_or_why,
    icons::{IconName, icon},
    settings_page::behaviour,
    shell::{AppSection, BelowFrame, panes},
    state::AppState,
};
use crate::render::rule_request::RuleRequest;
use axum::{extract::State, response::Html};
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use surfaces_base::{
    backend::{
        console::WhatIfReport,
        settings::{HomeFileChange, HomeFileView},
    },
    format, words,
};
use toolcall_schema::{ActionKind, Surface};

/// Differences that are listed, the newest.
const LISTED_MAX: usize = 20;

/// `GET /month`
pub(super) async fn month(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let view = app.backend.home_file().await?;
    let learned = app.backend.learned().await;
    let main = html! {
        @match &view {
            Some(view) => (trial(view)),
            // In the demo household there is no file to change.
            None => section.block #month { p.says { (words::MONTH_NO_FILE) } },
        }
        (kind_trial(view.as_ref()))
    };
    let beside = html! {
        section.block #learned aria-labelledby="learned-title" {
            h2 #learned-title { (icon(IconName::People)) (words::LEARNED) }
            p.says {
                @match &learned {
                    None => (words::LEARNED_NOT_READ),
                    Some(list) if list.rows.is_empty() => (words::nothing_learned(list.labels)),
                    Some(list) => (words::learned_from(list.labels)),
                }
            }
            p.more { a href="/chats#learned" { (words::MONTH_LEARNED_WAY) } }
        }
    };
    let frame = BelowFrame::new(AppSection::Settings, "", words::MONTH.say());
    Ok(frame.page(&app, &panes(&main, &beside)))
}

/// The settings that say when and how often Aura speaks, to be tried and then saved.
fn trial(view: &HomeFileView) -> Markup {
    html! {
        section.block #month aria-labelledby="month-title" {
            h2 #month-title { (words::MONTH) }
            p.says { (words::MONTH_SAYS) }
            form.settings data-settings data-shown=(view.shown) {
                (behaviour(&view.values))
                p.buttons {
                    button.main type="button" data-preview="month-tried" data-path="/form/month/try" { (words::MONTH_TRY) }
                    button.plain type="submit" { (words::MONTH_USE) }
                }
                div #month-tried aria-live="polite" {}
            }
        }
    }
}

/// Before the name of a kind, in the key of its setting.
const KINDS: &str = "kinds.";

/// A kind of card to be tried more or less often, or left out: a setting, or a rule. Without a file of settings there is the rule alone.
fn kind_trial(view: Option<&HomeFileView>) -> Markup {
    let kinds = ActionKind::ALL
        .iter()
        .filter(|kind| kind.tool().columns().surface != Surface::Silent);
    html! {
        section.block #kind aria-labelledby="kind-title" {
            h2 #kind-title { (words::KIND_WISHES) }
            p.says { (words::KIND_WISHES_SAYS) }
            @if let Some(view) = view { (standing_wishes(view)) }
            form.settings data-post="/form/month/kind" data-into="kind-tried" {
                @if let Some(view) = view { input type="hidden" name="shown" value=(view.shown); }
                label { (words::KIND_WHICH)
                    select name="kind" {
                        @for kind in kinds { option value=(kind.as_str()) { (words::action(*kind)) } }
                    }
                }
                label { (words::KIND_HOW_OFTEN)
                    select name="wish" {
                        @if view.is_some() {
                            option value="less" { (words::KIND_LESS) }
                            option value="more" { (words::KIND_MORE) }
                        }
                        option value="none" { (words::KIND_NONE) }
                    }
                }
                p.buttons { button.main type="submit" { (words::MONTH_TRY) } }
            }
            div #kind-tried aria-live="polite" {}
        }
    }
}

/// What is in force, each with its way back.
fn standing_wishes(view: &HomeFileView) -> Markup {
    let wishes: Vec<_> = view
        .fields
        .iter()
        .filter_map(|field| {
            let kind = ActionKind::parse(field.key.strip_prefix(KINDS)?)?;
            let how = match field.value.as_str() {
                "less" => words::KIND_LESS.say(),
                "more" => words::KIND_MORE.say(),
                _ => return None,
            };
            Some((field, words::kind_wish_stands(how, words::action(kind))))
        })
        .collect();
    html! {
        @if !wishes.is_empty() {
            ul.rows {
                @for (field, says) in &wishes {
                    li {
                        p.head { a.what href={ "/settings#" (field.key) } { (says) } }
                        (wish_form(view.shown.as_str(), (field.key, "usual"), (words::KIND_AS_USUAL.say(), says)))
                    }
                }
            }
        }
    }
}

/// A button that saves one setting. `named`: what stands on it, and about what.
fn wish_form(shown: &str, (key, value): (&str, &str), (button, about): (&str, &str)) -> Markup {
    html! {
        form.settings data-settings data-shown=(shown) {
            select name=(key) data-as="more" data-was="" hidden { option value=(value) selected { (words::home_choice(value)) } }
            p.buttons { button.side type="submit" aria-label=(words::on_row(button, about)) { (button) } }
        }
    }
}

/// How often a kind is to come.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindChange {
    Less,
    More,
    None,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindBody {
    kind: ActionKind,
    wish: KindChange,
    /// The hash of the file that the page showed.
    #[serde(default)]
    shown: String,
}

/// `POST /form/month/kind`: changes nothing; its answer has the button that makes the rule, or saves the setting.
pub(super) async fn try_kind(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let KindBody { kind, wish, shown } = body?.read()?;
    let (value, how) = match wish {
        KindChange::None => return without_kind(&app, kind).await,
        KindChange::Less => ("less", words::KIND_LESS.say()),
        KindChange::More => ("more", words::KIND_MORE.say()),
    };
    let key = format!("{KINDS}{kind}");
    let change = HomeFileChange {
        shown: shown.clone(),
        more: BTreeMap::from([(key.clone(), value.to_owned())]),
        ..HomeFileChange::default()
    };
    if !change.is_bounded() {
        return Err(WebError::BadBody);
    }
    let says = words::kind_wish_stands(how, words::action(kind));
    let tried = shown_or_why(app.backend.try_home(change).await?)?;
    let markup = tried.map_or_else(
        |why| why,
        |report| {
            html! {
                (report_markup(&report))
                (wish_form(&shown, (&key, value), (words::KIND_USE.say(), &says)))
                p.note { (words::KIND_WHERE) " " a href={ "/settings#" (key) } { (words::SETTINGS) } "." }
            }
        },
    );
    Ok(Html(markup.into_string()))
}

/// Without a kind at all, which a rule then forbids.
async fn without_kind(app: &AppState, kind: ActionKind) -> Result<Html<String>, WebError> {
    let rule = RuleRequest {
        kind: Some(kind),
        ..RuleRequest::default()
    };
    let name = rule.free_name(&[]).ok_or(WebError::BadBody)?;
    let report = app.backend.try_rule(rule.under_name(name)).await?;
    let markup = html! {
        (report_markup(&report))
        p.buttons {
            button.side type="button" data-teach=(serde_json::to_string(&rule).unwrap_or_default()) data-about="" { (words::MONTH_KIND_USE) }
        }
        p.note { (words::MONTH_KIND_MEANS) " " (words::will_not(kind, None, None)) " " a href="/settings#rules" { (words::YOUR_RULES) } }
    };
    Ok(Html(markup.into_string()))
}

/// `POST /form/month/try`: changes nothing.
pub(super) async fn try_change(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let change: HomeFileChange = body?.read()?;
    let settings = HomeFileChange {
        shown: change.shown.clone(),
        ceiling: change.ceiling,
        brief_time: change.brief_time.clone(),
        quiet: change.quiet.clone(),
        ..HomeFileChange::default()
    };
    // When and how often it speaks is tried, and nothing else.
    if settings != change || !change.is_bounded() {
        return Err(WebError::BadBody);
    }
    // Agents are asked for a brief only where it is due, so that none is known for another hour.
    let moves_brief = change.brief_time.is_some();
    let brief = html! { @if moves_brief { p.flag { (words::MONTH_BRIEF) } } };
    if moves_brief && change.ceiling.is_none() && change.quiet.is_none() {
        return Ok(Html(brief.into_string()));
    }
    let others = HomeFileChange {
        brief_time: None,
        ..change
    };
    let tried = shown_or_why(app.backend.try_home(others).await?)?;
    let tried = tried.map_or_else(|why| why, |report| report_markup(&report));
    Ok(Html(html! { (tried) (brief) }.into_string()))
}

fn report_markup(WhatIfReport { at, zone, answer }: &WhatIfReport) -> Markup {
    let zone = format::zone(zone);
    let days = answer.days.len();
    let differences = answer.days.iter().flat_map(|day| &day.differences);
    let newest: Vec<_> = differences.clone().rev().take(LISTED_MAX).collect();
    let left_out = differences.count() - newest.len();
    html! {
        @if days == 0 { p.none { (words::MONTH_NO_DAY) } }
        @else { p.says { strong { (words::month_sums(days, answer.recorded, answer.what_if)) } } }
        @if answer.cut { p.flag { (words::MONTH_CUT) } }
        @if days > 0 && newest.is_empty() { p.none { (words::MONTH_SAME) } }
        @else {
            ul.rows {
                @for difference in &newest {
                    li {
                        p.head {
                            span.what { (words::action(difference.kind)) }
                            span.value { time { (format::clock_on(difference.at, *at, zone)) } }
                        }
                        p.note {
                            (words::would_have(difference.change))
                            @if let Some(to) = difference.moved_to { " " time { (format::clock_on(to, *at, zone)) } }
                            "."
                        }
                    }
                }
            }
            @if left_out > 0 { p.note { (words::and_more(left_out).trim_start()) } }
        }
    }
}
