//! `/ops/traces`: decisions by what they were.
//!
//! What: the list with its filter, a page at a time. Why: the one decision that somebody asks about is found among thousands. Not here: a
//! decision in full (`drawer_page`); text from outside, which no address may hold: the filter knows ids, names of ours and dates.

use super::{LiveUpdates, choice, field, framed, table, tick};
use crate::{
    render,
    web::{api::trace_id, error::WebError, state::AppState},
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::{IntoResponse, Redirect, Response},
};
use chrono::{NaiveDate, NaiveTime};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use surfaces_base::{
    backend::console::{ProcessRestart, TraceFilter, TraceOrder, TracePage, restarts_near},
    format,
    language::Text,
    words::{self, console as say, tick as tick_words},
};
use toolcall_schema::{
    ActionKind, AgentName, AgentStatus, Outcome, ReasonCode, Timestamp, tick::TriggerSource, trace::Trace,
};

/// The filter in the address; empty is any.
#[derive(Clone, Deserialize, Serialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DecisionQuery {
    outcome: String,
    reason: String,
    kind: String,
    trigger: String,
    agent: String,
    status: String,
    from: String,
    to: String,
    from_time: String,
    to_time: String,
    order: String,
    before: String,
    id: String,
    /// The tick with which another one is to be compared.
    left: String,
}

impl DecisionQuery {
    fn filter(&self) -> Result<TraceFilter, WebError> {
        let date = |text: &str| text.parse::<NaiveDate>().ok();
        let time = |text: &str| NaiveTime::parse_from_str(text, "%H:%M").ok();
        Ok(TraceFilter {
            outcome: field(&self.outcome, Outcome::parse)?,
            reason: field(&self.reason, ReasonCode::parse)?,
            kind: field(&self.kind, ActionKind::parse)?,
            trigger: field(&self.trigger, TriggerSource::parse)?,
            choice: None,
            agent: field(&self.agent, AgentName::parse)?,
            status: field(&self.status, AgentStatus::parse)?,
            from: field(&self.from, date)?,
            to: field(&self.to, date)?,
            from_time: field(&self.from_time, time)?,
            to_time: field(&self.to_time, time)?,
            before: field(&self.before, |text| text.parse().ok())?,
            order: field(&self.order, |text| {
                (text == SLOWEST).then_some(TraceOrder::Slowest)
            })?
            .unwrap_or_default(),
        })
    }

    /// The address of the next page: only names, numbers and dates stand in it, so nothing has to be escaped.
    fn older(&self, next: u64) -> String {
        let fields = [
            ("outcome", &self.outcome),
            ("reason", &self.reason),
            ("kind", &self.kind),
            ("trigger", &self.trigger),
            ("agent", &self.agent),
            ("status", &self.status),
            ("from", &self.from),
            ("to", &self.to),
            ("from_time", &self.from_time),
            ("to_time", &self.to_time),
            ("order", &self.order),
            ("left", &self.left),
        ];
        let set: Vec<String> = fields
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={value}&"))
            .collect();
        format!("/ops/traces?{}before={next}", set.concat())
    }
}

/// `GET /ops/traces?outcome=&…&before=`; with `id=` leads to that decision.
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<DecisionQuery>, QueryRejection>,
) -> Result<Response, WebError> {
    let Query(asked) = asked.map_err(|_| WebError::BadBody)?;
    if !asked.id.is_empty() {
        let id = trace_id(&asked.id)?;
        return Ok(Redirect::to(&format!("/ops/traces/{id}")).into_response());
    }
    let filter = asked.filter()?;
    let found = app.backend.find_traces(filter).await?;
    let now = app.backend.now().await?;
    if !asked.left.is_empty() {
        trace_id(&asked.left)?;
    }
    // A list without marks is better than none.
    let restarts = app.backend.overview().await.map(|view| view.restarts);
    let restarts = restarts.unwrap_or_default();
    let view = ListView {
        now: now.at,
        restarts: &restarts,
        left: &asked.left,
    };
    let rows: Vec<Vec<Markup>> = found.traces.iter().map(|trace| view.row(trace)).collect();
    let TracePage {
        traces,
        next,
        looked_at,
    } = &found;
    let markup = html! {
        (shortcuts(format::local_date(now.at, format::zone(&now.zone))))
        (form(&asked))
        (saved_filters())
        p {
            @match filter.order {
                TraceOrder::Newest => { (say::traces_shown(traces.len(), *looked_at)) },
                TraceOrder::Slowest => { (tick_words::slowest_shown(traces.len(), *looked_at)) },
            }
        }
        @if rows.is_empty() { p.none { (say::NO_TRACE) } }
        @else {
            form.choosing method="get" action="/ops/compare" {
                @if !asked.left.is_empty() {
                    p { (tick_words::chosen_left(&asked.left)) }
                    input type="hidden" name="left" value=(asked.left);
                }
                (table(None, &columns(), &rows))
                p.buttons { button.side type="submit" { (tick_words::COMPARE_CHOSEN) } }
            }
        }
        @if let Some(next) = next { p.more { a href=(asked.older(*next)) rel="next" { (say::OLDER) } } }
    };
    Ok(framed(&app, say::TRACES.say(), LiveUpdates::No, &markup).into_response())
}

/// The order in the address.
const SLOWEST: &str = "slowest";

/// What is asked most: the slowest ticks of a day.
pub(super) fn shortcuts(today: NaiveDate) -> Markup {
    let slowest =
        |from: NaiveDate, more: &str| format!("/ops/traces?from={from}&to={from}&order={SLOWEST}{more}");
    let yesterday = today.pred_opt().unwrap_or(today);
    html! {
        nav.beside aria-label=(tick_words::SHORTCUTS) {
            a href=(slowest(today, "")) { (tick_words::SLOWEST_TODAY) }
            a href=(slowest(today, "&to_time=12:00")) { (tick_words::SLOWEST_MORNING) }
            a href=(slowest(yesterday, "")) { (tick_words::SLOWEST_YESTERDAY) }
        }
    }
}

/// Filters under names of the operator's: the script shows it, and keeps them in this browser.
fn saved_filters() -> Markup {
    html! {
        section #saved hidden data-filters aria-labelledby="saved-title" {
            h2 #saved-title { (tick_words::SAVED) }
            ul.rows data-remove=(tick_words::REMOVE) {}
            form.filter {
                label { (tick_words::SAVE_AS) input type="text" maxlength="40" autocomplete="off" required; }
                button.side type="submit" { (tick_words::SAVE) }
                span.note { (tick_words::SAVED_NOTE) }
            }
        }
    }
}

fn columns() -> Vec<Text> {
    say::TRACE_COLUMNS
        .into_iter()
        .chain([tick_words::COMPARE_COLUMN])
        .collect()
}

/// What every row needs.
struct ListView<'a> {
    now: Timestamp,
    restarts: &'a [ProcessRestart],
    /// The tick that is chosen already; may be empty.
    left: &'a str,
}

impl ListView<'_> {
    /// What was started again around a tick, as its own page tells it.
    fn restarts_near(&self, trace: &Trace) -> Vec<String> {
        restarts_near(trace, self.restarts)
            .map(|seen| format!("{} {}", say::part(seen.name), tick_words::RESTARTED))
            .collect()
    }

    /// Two buttons of which each list has one pressed: a tick for either side.
    fn choice(&self, trace: &Trace, when: &str) -> Markup {
        let id = trace.trace_id.as_str();
        let side = |name: &str, side: Text| {
            html! {
                label { input type="radio" name=(name) value=(id) required aria-label=(tick_words::on_side(side.say(), when)); (side) }
            }
        };
        html! {
            span.pair {
                @if self.left.is_empty() { (side("left", tick_words::LEFT)) }
                @if self.left != id { (side("right", tick_words::RIGHT)) }
            }
        }
    }

    fn row(&self, trace: &Trace) -> Vec<Markup> {
        let line = render::row(trace);
        let zone = format::zone(&trace.decision.user.zone);
        let when = format::clock_on(trace.decision.ts, self.now, zone);
        let restarts = self.restarts_near(trace);
        let missing: Vec<String> = trace
            .decision
            .agent_status
            .iter()
            .filter(|(_, status)| **status != AgentStatus::Answered)
            .map(|(agent, status)| words::agent_status(words::agent(*agent), words::status(*status)))
            .collect();
        vec![
            html! {
                a href={ "/ops/traces/" (line.trace_id) } {
                    time { (when) }
                }
            },
            html! { (line.what) },
            html! { (line.ended) },
            html! { (say::trigger_name(trace.decision.trigger.source)) },
            html! {
                @if trace.decision.agent_status.is_empty() { (say::NOBODY_ASKED) } @else if missing.is_empty() { (say::ALL_ANSWERED) } @else { (missing.join("; ")) }
                @for says in &restarts { " " strong.bad { (says) } }
            },
            html! { (tick::took(trace)) },
            self.choice(trace, &when),
        ]
    }
}

fn form(asked: &DecisionQuery) -> Markup {
    let outcomes = Outcome::ALL
        .iter()
        .map(|it| (it.as_str(), words::outcome_short(*it, None).to_owned()));
    let reasons = ReasonCode::ALL
        .iter()
        .map(|it| (it.as_str(), words::reason_short(*it).to_owned()));
    let kinds = ActionKind::ALL
        .iter()
        .map(|it| (it.as_str(), words::action(*it).to_owned()));
    let triggers = TriggerSource::ALL
        .iter()
        .map(|it| (it.as_str(), say::trigger_name(*it).to_owned()));
    let agents = AgentName::FOUR
        .iter()
        .map(|it| (it.as_str(), words::agent(*it).to_owned()));
    let statuses = AgentStatus::ALL
        .iter()
        .map(|it| (it.as_str(), words::status(*it).to_owned()));
    html! {
        form.filter method="get" action="/ops/traces" {
            (choice("outcome", say::OUTCOME.say(), &outcomes.collect::<Vec<_>>(), Some(&asked.outcome)))
            (choice("reason", say::REASON.say(), &reasons.collect::<Vec<_>>(), Some(&asked.reason)))
            (choice("kind", say::KIND.say(), &kinds.collect::<Vec<_>>(), Some(&asked.kind)))
            (choice("trigger", say::TRIGGER.say(), &triggers.collect::<Vec<_>>(), Some(&asked.trigger)))
            (choice("agent", say::AGENT.say(), &agents.collect::<Vec<_>>(), Some(&asked.agent)))
            (choice("status", say::AGENT_STATUS.say(), &statuses.collect::<Vec<_>>(), Some(&asked.status)))
            label { (say::FROM) input type="date" name="from" value=(asked.from); }
            label { (say::TO) input type="date" name="to" value=(asked.to); }
            label { (tick_words::FROM_TIME) input type="time" name="from_time" value=(asked.from_time); }
            label { (tick_words::TO_TIME) input type="time" name="to_time" value=(asked.to_time); }
            label { (tick_words::ORDER)
                select name="order" {
                    option value="" { (tick_words::NEWEST_FIRST) }
                    option value=(SLOWEST) selected[asked.order == SLOWEST] { (tick_words::SLOWEST_FIRST) }
                }
            }
            label { (say::TRACE_ID) input type="text" name="id" maxlength="64" pattern="tr_[a-z0-9]+" autocomplete="off"; }
            button.side type="submit" { (say::FILTER) }
        }
    }
}
