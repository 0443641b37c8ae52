//! What the owner says on a page: quiet for a time, and when not to speak.
//!
//! What: the handlers of pause and rules, and their forms. Why: the owner's word needs no terminal. Not here: what a pause
//! or a rule stops (the machine), the same from the command line (`orchestrator`).

use super::{api::JsonBody, error::WebError, state::AppState, time_of_day_field::TimeOfDayField};
use crate::render::{
    acts::ActId,
    feedback::thing_name,
    rule_request::RuleRequest,
    rule_trial::{RuleTrial, try_rule},
};
use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use chrono::{Days, NaiveTime, TimeZone as _};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::Arc};
use surfaces_base::{
    backend::{DisplayNames, NowView, OwnerCall, OwnerCallError},
    format, words,
};
use toolcall_schema::{
    ActionKind, Timestamp,
    catalogue::{learning::LearnedThing, shared::ThingId},
    ids::{ItemId, TraceId},
    rule::{OwnerInstruction, OwnerRule, RuleError, RuleName},
    tick::Subject,
};

pub(super) type OwnerResult<T> = Result<T, WebError>;

/// Characters of an idempotency key.
const KEY_MAX: usize = 64;

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
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<StatusCode> {
    let PauseBody { length } = body?.read()?;
    let now = app.backend.now().await?;
    let until = match length {
        PauseFor::TwoHours => now.at.plus_min(120),
        PauseFor::Tomorrow => tomorrow(&now),
        PauseFor::Off => {
            return match app.backend.end(OwnerCall::EndPause, key(&headers)?).await? {
                // It may have ended by itself a moment ago.
                Ok(_) | Err(OwnerCallError::NotPaused) => Ok(StatusCode::NO_CONTENT),
                Err(problem) => Err(WebError::Call(problem)),
            };
        }
    };
    say(&app, OwnerInstruction::Pause { until }).await
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

/// `POST /v1/rules`: the rule gets a name of its own; one that says the same already is answered in its place.
pub(super) async fn add_rule(
    State(app): State<Arc<AppState>>,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<Response> {
    let request: RuleRequest = body?.read()?;
    let now = app.backend.now().await?;
    if let Some(rule) = now.rules.iter().find(|rule| request.is_said_by(rule)) {
        return Ok((StatusCode::OK, Json(rule)).into_response());
    }
    let name = request
        .free_name(&now.rules)
        .ok_or(WebError::Rule(RuleError::TooMany))?;
    let rule = request.under_name(name);
    say_rule(&app, rule).await
}

/// `POST /v1/rules/preview`: what such a rule would have kept back lately; nothing is changed.
pub(super) async fn preview(
    State(app): State<Arc<AppState>>,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<Json<RuleTrial>> {
    let request: RuleRequest = body?.read()?;
    let now = app.backend.now().await?;
    let name = request.free_name(&[]).ok_or(WebError::BadBody)?;
    let rule = request.under_name(name);
    rule.check().map_err(WebError::Rule)?;
    let shown = app.backend.recent_cards().await?;
    Ok(Json(try_rule(&rule, &shown, format::zone(&now.zone))))
}

/// `POST /v1/rules/{name}/remove`
pub(super) async fn remove_rule(
    State(app): State<Arc<AppState>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<StatusCode> {
    let name = RuleName::parse(&name).map_err(|_| WebError::NotFound)?;
    let done = app
        .backend
        .end(OwnerCall::RemoveRule(name), key(&headers)?)
        .await?;
    done.map_err(WebError::Call)?;
    Ok(StatusCode::NO_CONTENT)
}

/// For how long a page's button mutes.
#[derive(Clone, Copy, Deserialize)]
enum MuteFor {
    #[serde(rename = "1h")]
    Hour,
    #[serde(rename = "8h")]
    EightHours,
    #[serde(rename = "24h")]
    Day,
}

impl MuteFor {
    fn seconds(self) -> u32 {
        60 * 60
            * match self {
                MuteFor::Hour => 1,
                MuteFor::EightHours => 8,
                MuteFor::Day => 24,
            }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MuteBody {
    #[serde(rename = "for")]
    length: MuteFor,
}

/// `POST /v1/mutes/{about}`: a chat by a call, a person by a rule that ends.
pub(super) async fn mute(
    State(app): State<Arc<AppState>>,
    Path(about): Path<String>,
    headers: HeaderMap,
    body: OwnerResult<JsonBody>,
) -> OwnerResult<Response> {
    let about = LearnedThing::parse(&about).map_err(|_| WebError::NotFound)?;
    let MuteBody { length } = body?.read()?;
    let person = match about {
        LearnedThing::Channel(channel) => {
            let call = OwnerCall::Mute(channel, length.seconds());
            return Ok(end(&app, call, &headers).await?.into_response());
        }
        LearnedThing::Person(person) => person,
    };
    let now = app.backend.now().await?;
    let until = now.at.plus_ms(i64::from(length.seconds()) * 1000);
    let rule = OwnerRule::muting(&person, until, &now.rules).ok_or(WebError::Rule(RuleError::TooMany))?;
    say_rule(&app, rule).await
}

/// `POST /v1/mutes/{about}/end`
pub(super) async fn end_mute(
    State(app): State<Arc<AppState>>,
    Path(about): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<Json<ActionResponse>> {
    let call = match LearnedThing::parse(&about).map_err(|_| WebError::NotFound)? {
        LearnedThing::Channel(channel) => OwnerCall::Unmute(channel),
        LearnedThing::Person(person) => {
            let rules = app.backend.now().await?.rules;
            let mut mutes = rules
                .into_iter()
                .filter_map(|rule| Some((rule.muted_person()?.0, rule.name)));
            let name = mutes.find(|(of, _)| *of == person).map(|(_, name)| name);
            OwnerCall::RemoveRule(name.ok_or(WebError::Call(OwnerCallError::NotMuted))?)
        }
    };
    end(&app, call, &headers).await
}

/// `POST /v1/messages/{message}/put-off`
pub(super) async fn put_off(
    State(app): State<Arc<AppState>>,
    Path(message): Path<String>,
    headers: HeaderMap,
) -> OwnerResult<Json<ActionResponse>> {
    let message = ItemId::parse(&message).map_err(|_| WebError::NotFound)?;
    end(&app, OwnerCall::PutOffToMorning(message), &headers).await
}

/// Has a call made that the owner asks for.
pub(super) async fn end(
    app: &AppState,
    what: OwnerCall,
    headers: &HeaderMap,
) -> OwnerResult<Json<ActionResponse>> {
    let done = app.backend.end(what, key(headers)?).await?;
    Ok(Json(ActionResponse {
        trace_id: done.map_err(WebError::Call)?,
    }))
}

/// The idempotency key, where the request has one.
pub(super) fn key(headers: &HeaderMap) -> OwnerResult<Option<String>> {
    let key = headers
        .get("idempotency-key")
        .map(|key| key.to_str().ok().filter(|key| (1..=KEY_MAX).contains(&key.len())));
    key.map(|key| key.map(str::to_owned).ok_or(WebError::BadBody))
        .transpose()
}

/// What was done.
#[derive(Serialize)]
pub(super) struct ActionResponse {
    pub(super) trace_id: TraceId,
}

async fn say(app: &AppState, word: OwnerInstruction) -> OwnerResult<StatusCode> {
    app.backend.instruct(word).await?.map_err(WebError::Rule)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Names the act in the answer, by which it is told of and taken back.
const ACT_HEADER: &str = "x-aura-act";

async fn say_rule(app: &AppState, rule: OwnerRule) -> OwnerResult<Response> {
    let word = OwnerInstruction::Rule { rule: rule.clone() };
    say(app, word.clone()).await?;
    let given = app.backend.now().await?.untraced.instructed;
    let act = given.into_iter().rev().find(|given| given.what == word);
    let act = act.map(|given| [(ACT_HEADER, ActId::Instruction(given.at_wall).to_string())]);
    Ok((StatusCode::CREATED, act, Json(rule)).into_response())
}

/// Pause buttons.
pub(super) fn owners_say(now: &NowView) -> Markup {
    let paused = now.paused_until.filter(|until| *until > now.at);
    html! {
        p.quietly {
            @if let Some(until) = paused {
                span { (words::paused_until(&format::clock_on(until, now.at, format::zone(&now.zone)))) }
                button.plain type="button" data-pause="off" { (words::SPEAK_AGAIN) }
            } @else {
                span { (words::QUIET_FOR) }
                button.plain type="button" data-pause="2h" { (words::TWO_HOURS) }
                button.plain type="button" data-pause="tomorrow" { (words::UNTIL_TOMORROW) }
            }
        }
    }
}

/// What the rules that stand are about, where an agent has a name for it.
pub(super) fn things_of_rules(now: &NowView) -> BTreeSet<ThingId> {
    let subjects = now.rules.iter().filter_map(|rule| rule.subject.as_ref());
    subjects
        .filter_map(|subject| ThingId::parse(subject.as_str()).ok())
        .collect()
}

/// The rules that stand, and the form for another. `others`: rules of another sort stand below them.
pub(super) fn rules(now: &NowView, names: &DisplayNames, others: bool) -> Markup {
    html! {
        @if now.rules.is_empty() {
            @if !others { p.none { (words::NO_RULE) } }
        } @else {
            ul.rules {
                @for rule in &now.rules {
                    @let thing = rule.subject.as_ref().and_then(|subject| thing_name(subject, names));
                    @let says = words::rule(rule, thing.as_deref(), (now.at, format::zone(&now.zone)));
                    li id={ "rule-" (rule.name) } {
                        span dir="auto" { (says) }
                        button.plain type="button" data-unrule=(rule.name) aria-label=(words::remove_rule(&says)) {
                            (words::REMOVE)
                        }
                    }
                }
            }
        }
        form.when-not data-rule {
            fieldset {
                legend { (words::TELL_WHEN_NOT_TO) }
                label {
                    (words::WHAT) " "
                    select name="kind" {
                        option value="" { (words::ANYTHING) }
                        @for kind in ActionKind::ALL { option value=(kind) { (words::action(*kind)) } }
                    }
                }
                (when("rule"))
            }
        }
    }
}

/// Hours, days, what the rule would have changed, and the button. `place`: begins the ids in it.
fn when(place: &str) -> Markup {
    html! {
        @let (hours, days) = (format!("{place}-hours-wrong"), format!("{place}-days-wrong"));
        @let field = |name| TimeOfDayField { name: Some(name), told_by: Some(&hours), ..TimeOfDayField::default() }.input();
        p.hours {
            label { (words::FROM) " " (field("from")) }
            label { (words::TO) " " (field("to")) }
            span { (words::ALL_DAY) }
        }
        output.wrong id=(hours) data-wrong="hours" {}
        p.days {
            @for (n, day) in (1..).zip(format::WEEK) {
                label { input type="checkbox" name="day" value=(n) checked aria-describedby=(days); " " (day) }
            }
        }
        output.wrong id=(days) data-wrong="days" {}
        output.tried data-tried {}
        button.side type="submit" { (words::NOT_THEN) }
    }
}

/// "Tell me when not to", about what a decision chose.
pub(super) fn rule_form(kind: ActionKind, subject: &Subject) -> Markup {
    let chat = subject.as_str().starts_with("ch_");
    html! {
        form.when-not data-rule data-kind=(kind) data-subject=[chat.then_some(subject.as_str())] {
            fieldset {
                legend { (words::TELL_WHEN_NOT_TO) }
                label { input type="radio" name="what" value="kind" checked; " " (words::action(kind)) }
                @if chat {
                    label { input type="radio" name="what" value="subject"; " " (words::ANYTHING_ABOUT_CHAT) }
                    label { input type="radio" name="what" value="both"; " " (words::THIS_ABOUT_CHAT) }
                }
                (when("card-rule"))
            }
        }
    }
}
