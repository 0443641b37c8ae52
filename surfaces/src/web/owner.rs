//! What the owner says on a page: quiet for a time, and when not to speak.
//!
//! What: the handlers of pause and rules, and their forms. Why: the owner's word needs no terminal. Not here: what a pause
//! or a rule stops (the machine), the same from the command line (`orchestrator`).

use super::{
    App,
    api::{json, limited},
    error::Refusal,
};
use crate::{
    backend::{NowView, OwnerWord},
    format, words,
};
use axum::{
    Json,
    body::Bytes,
    extract::{Path, State, rejection::BytesRejection},
    http::StatusCode,
};
use chrono::{Days, NaiveTime, TimeZone as _};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use toolcall_schema::{
    ActionKind, Timestamp,
    rule::{OwnerRule, RULES_MAX, RuleError, RuleName},
    tick::Subject,
};

type Reply<T> = Result<T, Refusal>;

/// How long a page's button pauses.
#[derive(Clone, Copy, Deserialize)]
enum PauseFor {
    #[serde(rename = "2h")]
    TwoHours,
    #[serde(rename = "tomorrow")]
    Tomorrow,
    #[serde(rename = "off")]
    Off,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PauseBody {
    #[serde(rename = "for")]
    length: PauseFor,
}

/// `POST /v1/pause`
pub(super) async fn pause(
    State(app): State<Arc<App>>,
    body: Result<Bytes, BytesRejection>,
) -> Reply<StatusCode> {
    let PauseBody { length } = json(&limited(body)?)?;
    let now = app.backend.now().await?;
    let until = match length {
        PauseFor::TwoHours => Some(now.at.plus_min(120)),
        PauseFor::Tomorrow => Some(tomorrow(&now)),
        PauseFor::Off => None,
    };
    say(&app, OwnerWord::Pause(until)).await
}

/// The next local midnight; where the clock skips it, 24 hours from now.
fn tomorrow(now: &NowView) -> Timestamp {
    let zone = format::zone(&now.zone);
    let date = now.at.utc().with_timezone(&zone).date_naive();
    date.checked_add_days(Days::new(1))
        .and_then(|date| {
            zone.from_local_datetime(&date.and_time(NaiveTime::MIN))
                .earliest()
        })
        .map_or_else(|| now.at.plus_min(24 * 60), |midnight| midnight.to_utc().into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleBody {
    #[serde(default)]
    kind: Option<ActionKind>,
    #[serde(default)]
    subject: Option<Subject>,
    #[serde(default)]
    hours: Option<(NaiveTime, NaiveTime)>,
    #[serde(default)]
    days: Vec<u8>,
}

/// `POST /v1/rules`: the rule gets a name of its own.
pub(super) async fn add_rule(
    State(app): State<Arc<App>>,
    body: Result<Bytes, BytesRejection>,
) -> Reply<(StatusCode, Json<OwnerRule>)> {
    let body: RuleBody = json(&limited(body)?)?;
    let now = app.backend.now().await?;
    let rule = OwnerRule {
        kinds: body.kind.into_iter().collect(),
        subject: body.subject,
        hours: body.hours,
        days: body.days,
        ..OwnerRule::named(free_name(body.kind, &now.rules).ok_or(Refusal::Rule(RuleError::TooMany))?)
    };
    say(&app, OwnerWord::Rule(rule.clone())).await?;
    Ok((StatusCode::CREATED, Json(rule)))
}

/// `show-brief-1`, or the next number that is free.
fn free_name(kind: Option<ActionKind>, rules: &[OwnerRule]) -> Option<RuleName> {
    let about = kind.map_or_else(
        || "anything".to_owned(),
        |kind| kind.as_str().to_ascii_lowercase().replace('_', "-"),
    );
    (1..=RULES_MAX + 1)
        .filter_map(|n| RuleName::parse(&format!("{about}-{n}")).ok())
        .find(|name| rules.iter().all(|rule| rule.name != *name))
}

/// `POST /v1/rules/{name}/remove`
pub(super) async fn remove_rule(State(app): State<Arc<App>>, Path(name): Path<String>) -> Reply<StatusCode> {
    let name = RuleName::parse(&name).map_err(|_| Refusal::NotFound)?;
    say(&app, OwnerWord::RemoveRule(name)).await
}

async fn say(app: &App, word: OwnerWord) -> Reply<StatusCode> {
    app.backend.say(word).await?.map_err(Refusal::Rule)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Pause buttons and the rules that stand.
pub(super) fn owners_say(now: &NowView) -> Markup {
    let paused = now.paused_until.is_some_and(|until| until > now.at);
    html! {
        p.quietly {
            span { (if paused { "Paused." } else { "Quiet for" }) }
            @if paused {
                button.plain type="button" data-pause="off" { "Speak again" }
            } @else {
                button.plain type="button" data-pause="2h" { "2 hours" }
                button.plain type="button" data-pause="tomorrow" { "until tomorrow" }
            }
        }
        @if !now.rules.is_empty() {
            h2 { "When not to" }
            ul.rules {
                @for rule in &now.rules {
                    li {
                        span { (words::rule(rule)) }
                        button.plain type="button" data-unrule=(rule.name) aria-label={ "Remove the rule " (rule.name) } { "Remove" }
                    }
                }
            }
        }
    }
}

/// "Tell me when not to", about what a decision chose.
pub(super) fn rule_form(kind: ActionKind, subject: &Subject) -> Markup {
    let chat = subject.as_str().starts_with("ch_");
    html! {
        form.when-not data-rule data-kind=(kind) data-subject=[chat.then_some(subject.as_str())] {
            fieldset {
                legend { "Tell me when not to" }
                label { input type="radio" name="what" value="kind" checked; " " (words::action(kind)) }
                @if chat {
                    label { input type="radio" name="what" value="subject"; " Anything about this chat" }
                    label { input type="radio" name="what" value="both"; " This, about this chat" }
                }
                p.hours {
                    label { "From " input type="time" name="from"; }
                    label { " to " input type="time" name="to"; }
                    span { " (empty: all day)" }
                }
                p.days {
                    @for (n, day) in (1..).zip(format::WEEK) {
                        label { input type="checkbox" name="day" value=(n) checked; " " (day) }
                    }
                }
                button.side type="submit" { "Not then" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_a_page_gets_the_next_free_name() {
        let taken = |names: &[&str]| -> Vec<OwnerRule> {
            names
                .iter()
                .map(|name| OwnerRule::named(RuleName::parse(name).unwrap()))
                .collect()
        };
        let name = |kind, names: &[&str]| free_name(kind, &taken(names)).unwrap().to_string();
        assert_eq!(name(Some(ActionKind::ShowBrief), &[]), "show-brief-1");
        assert_eq!(
            name(Some(ActionKind::ShowBrief), &["show-brief-1", "show-brief-3"]),
            "show-brief-2"
        );
        assert_eq!(name(None, &["night"]), "anything-1");
    }
}
