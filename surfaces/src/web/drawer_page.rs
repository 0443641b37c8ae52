//! The drawer's markup.
//!
//! What: finding a decision by its trace id, its three layers, and the same moment decided once more. Why: one markup for the page and for the drawer on
//! the phone. Not here: what the sections say (`render::drawer`).

use super::{
    acts_page::told_act,
    api::{JsonBody, trace_id},
    buttons::buttons,
    error::WebError,
    owner::rule_form,
    person_page::sender_link,
    sections::to_brief_hour,
    shell,
    state::AppState,
};
use crate::render::{
    drawer::{
        self, CandidateFate, CandidateRow, ChoiceSection, DrawerView, HEADINGS, ObservationSection, VisitRow,
    },
    named,
};
use axum::{
    extract::{Path, State},
    response::Html,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::backend::DecidedAgain;
use surfaces_base::{format, language::Text, words};
use toolcall_schema::{
    ActionKind, StateName, Surface, Timestamp,
    ids::TraceId,
    milli::Milli,
    trace::{Card, Trace},
    whatif::ImaginedMoment,
};

/// A decision by its trace's id.
enum RecordedDecision {
    /// Its trace is there.
    Over(Box<Trace>),
    /// Its card is open, at this time.
    Open(Box<Card>, Timestamp),
}

async fn recorded(app: &AppState, id: &str) -> Result<RecordedDecision, WebError> {
    let id = trace_id(id)?;
    let now = app.backend.now().await?;
    if let Some(trace) = app.backend.trace(id.clone()).await? {
        return Ok(RecordedDecision::Over(Box::new(trace)));
    }
    let card = now.card.filter(|card| card.decision.trace_id == id);
    let card = card.ok_or(WebError::NotFound)?;
    Ok(RecordedDecision::Open(Box::new(card), now.at))
}

/// A drawer, with what takes back what the owner did there.
pub(super) struct FoundDrawer {
    view: DrawerView,
    undo: Option<Markup>,
}

/// The drawer of a trace, or of the open card that will become it.
pub(super) async fn find(app: &AppState, id: &str) -> Result<FoundDrawer, WebError> {
    Ok(match recorded(app, id).await? {
        RecordedDecision::Over(trace) => {
            let labels = app.backend.names(named::trace(&trace)).await;
            let (done, undo) = told_act(app, &trace).await?.unzip();
            FoundDrawer {
                view: drawer::drawer_of_trace(&trace, &labels, done.as_ref()),
                undo,
            }
        }
        RecordedDecision::Open(card, at) => {
            let labels = app.backend.names(named::card(&card)).await;
            FoundDrawer {
                view: drawer::drawer_of_card(&card, &labels, at),
                undo: None,
            }
        }
    })
}

/// Three layers: what came of it and what can be done, what would have changed it, and all that was looked at.
/// `can_change`: whether settings can be changed on a page.
pub(super) fn drawer(found: &FoundDrawer, can_change: bool) -> Markup {
    html! { (outcome(found, can_change)) (behind(&found.view)) }
}

/// The same as a page: what came of it and what can be done, with what explains it in a pane of its own.
pub(super) fn drawer_in_panes(found: &FoundDrawer, can_change: bool) -> Markup {
    shell::panes(
        &html! { div.drawer { (outcome(found, can_change)) } },
        &html! { div.drawer { (behind(&found.view)) } },
    )
}

fn outcome(found: &FoundDrawer, can_change: bool) -> Markup {
    let [_, _, _, _, can_do] = HEADINGS;
    let FoundDrawer { view: drawer, undo } = found;
    html! {
        p.eyebrow { (drawer.when) }
        h2 #drawer-title { (drawer.title) }
        div.says { (paragraphs(&drawer.says)) }
        section {
            h3 { (can_do) }
            @if let Some(undo) = undo { (undo) }
            @if let Some(answers) = &drawer.answers { (buttons(answers, Surface::PhoneCard)) }
            @for text in &drawer.can_do { p.says { (code_spans(text)) } }
            @if let Some(link) = &drawer.about { (sender_link(link)) }
            @if matches!(drawer.shows, Some((ActionKind::ShowBrief, _))) { (to_brief_hour(can_change)) }
            @if let Some((kind, subject)) = &drawer.shows { (rule_form(*kind, subject)) }
        }
    }
}

fn behind(drawer: &DrawerView) -> Markup {
    let [why, saw_title, considered_title, chose_title, _] = HEADINGS;
    html! {
        @if drawer.was_weighed { (otherwise(&drawer.trace_id)) }
        details.record {
            summary { (words::FULL_RECORD) }
            section { h3 { (why) } (paragraphs(&drawer.why)) }
            section { h3 { (saw_title) } (saw(&drawer.saw)) }
            section { h3 { (considered_title) } (considered(&drawer.considered)) }
            section { h3 { (chose_title) } (chose(&drawer.chose)) }
            details.json data-json=(drawer.trace_id) {
                summary { (words::AS_JSON) }
                pre tabindex="0" {}
            }
            p.id { (drawer.trace_id) }
        }
    }
}

/// Asks the machine: the same moment, with something otherwise.
fn otherwise(trace: &TraceId) -> Markup {
    let more = words::OTHERWISE_MORE_CHOICES.map(|(more, says)| (u16::from(more), says));
    html! {
        section {
            h3 { (words::WOULD_CHANGE) }
            p.says { (words::OTHERWISE_NOTE) }
            form.otherwise data-post={ "/fragment/trace/" (trace) "/again" } data-into="otherwise" {
                (stops(words::OTHERWISE_MORE, "more", &more, 1))
                (stops(words::OTHERWISE_LATER, "later", &words::OTHERWISE_LATER_CHOICES, 0))
                p.buttons { button.side type="submit" { (words::OTHERWISE_ASK) } }
            }
            div #otherwise role="status" {}
        }
    }
}

/// A slider whose stops have names: a group of radio buttons, which the arrow keys move through with or without a script.
fn stops(what: Text, name: &str, choices: &[(u16, Text)], first: u16) -> Markup {
    html! {
        fieldset.stops {
            legend { (what) }
            @for (value, says) in choices {
                label { input type="radio" name=(name) value=(value) checked[*value == first]; span { (says) } }
            }
        }
    }
}

/// What the form sends: two of the offered choices.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OtherwiseForm {
    more: String,
    later: String,
}

impl OtherwiseForm {
    /// `None`: not what is offered.
    fn read(&self) -> Option<ImaginedMoment> {
        let more = self.more.parse().ok()?;
        let later_min = self.later.parse().ok()?;
        let is_offered = words::OTHERWISE_MORE_CHOICES.iter().any(|(one, _)| *one == more)
            && words::OTHERWISE_LATER_CHOICES
                .iter()
                .any(|(one, _)| *one == later_min);
        is_offered.then_some(ImaginedMoment { more, later_min })
    }
}

/// `POST /fragment/trace/{id}/again`: changes nothing.
pub(super) async fn decide_again(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let form: OtherwiseForm = body?.read()?;
    let otherwise = form.read().ok_or(WebError::BadBody)?;
    let then = match recorded(&app, &id).await? {
        RecordedDecision::Over(trace) => trace.decision,
        RecordedDecision::Open(card, _) => card.decision,
    };
    let answer = app
        .backend
        .decide_again(then.trace_id.clone(), then.ts, otherwise)
        .await?;
    let markup = match answer {
        DecidedAgain::Decided(again) => {
            let labels = app.backend.names(named::decision(&again)).await;
            paragraphs(&drawer::otherwise(&then, &again, &labels))
        }
        DecidedAgain::NotKept => html! { p { (words::OTHERWISE_NOT_KEPT) } },
        DecidedAgain::TooLong => html! { p { (code_spans(words::OTHERWISE_TOO_LONG.say())) } },
    };
    Ok(Html(markup.into_string()))
}

fn paragraphs(lines: &[String]) -> Markup {
    html! { @for line in lines { p { (line) } } }
}

/// Text between backquotes is what one types.
pub(super) fn code_spans(text: &str) -> Markup {
    html! {
        @for (n, part) in text.split('`').enumerate() {
            @if n % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn saw(saw: &ObservationSection) -> Markup {
    html! {
        (paragraphs(&saw.you))
        @for group in &saw.agents {
            @if group.readings.is_empty() {
                p.agent { b { (group.agent) (words::BEFORE_STATUS) } " " (group.status.unwrap_or_default()) }
            } @else {
                table.readings {
                    caption { (group.agent) @if let Some(status) = group.status { (words::BEFORE_STATUS) span { " " (status) } } }
                    tbody {
                        @for row in &group.readings {
                            tr class=[row.unusual.then_some("unusual")] {
                                th scope="row" {
                                    (row.name)
                                    @if let Some(range) = &row.usual { span.usual { (words::USUALLY) " " (range) } }
                                }
                                td { (row.value) @if row.unusual { span.visually-hidden { " (" (words::NOT_USUAL) ")" } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn considered(rows: &[CandidateRow]) -> Markup {
    html! {
        @if rows.is_empty() { p { (words::NOTHING_PROPOSED) } }
        ol.candidates {
            @for row in rows {
                li class=[row.chosen.then_some("chosen")] {
                    @match &row.fate {
                        CandidateFate::Scored(score, parts) => {
                            details {
                                summary { span.what { bdi { (row.what) } } span.score { (format::thousandths(*score)) } (bar(*score)) }
                                dl.parts { @for part in parts { div { dt { (part.name) } dd { (part.value) } (bar(part.size)) } } }
                            }
                        },
                        CandidateFate::Removed(reason) => {
                            p.head { span.what { bdi { (row.what) } } span.score { (words::REMOVED) } }
                            p.reason { (reason) }
                        },
                        CandidateFate::Forbidden(_) => {
                            p.head { span.what { bdi { (row.what) } } span.score { (words::REMOVED) } }
                            p.reason { (words::RULE_FORBADE) " " a href="/settings#rules" { (words::YOUR_RULES) } }
                        },
                        CandidateFate::NotScored => { p.head { span.what { bdi { (row.what) } } span.score { (words::NOT_SCORED) } } },
                    }
                    p.by { (row.by) @if row.chosen { span { " · " (words::CHOSEN) } } }
                }
            }
        }
    }
}

fn chose(chose: &ChoiceSection) -> Markup {
    html! {
        (paragraphs(&chose.lines))
        dl.facts { @for (name, value) in &chose.facts { div { dt { (name) } dd { (value) } } } }
        @if !chose.path.is_empty() {
            (timeline(&chose.path))
            ol.path {
                @for visit in &chose.path {
                    li { time { (visit.at) } span.what { (visit.what) } span.long { (visit.long) } }
                }
                @for state in StateName::ALL.iter().filter(|state| chose.path.iter().all(|visit| visit.state != **state)) {
                    li.never { span {} span.what { (words::state(*state)) } span.long { (not_entered(*state)) } }
                }
            }
        }
    }
}

/// Of a state that the trace does not hold: the last one follows on the writing of the trace itself.
fn not_entered(state: StateName) -> &'static str {
    if state == StateName::Cooldown {
        words::FOLLOWS.say()
    } else {
        words::NOT_ENTERED.say()
    }
}

/// A number from 0 to 1 as a bar. The number itself stands beside it.
fn bar(size: Milli) -> Markup {
    html! { meter min="0" max="1" value=(size) aria-hidden="true" {} }
}

/// The width of the timeline, and what the shortest state gets of it: it is still seen.
const WIDTH: i64 = 640;
const LEAST: i64 = 8;

/// The states as stretches of a line, as long as they lasted. The list below says the same.
fn timeline(path: &[VisitRow]) -> Markup {
    let whole = path.iter().map(|visit| visit.ms).sum::<i64>().max(1);
    let room = WIDTH - LEAST * i64::try_from(path.len()).unwrap_or(0);
    let mut left = 0;
    let stretches: Vec<(i64, i64, &VisitRow)> = path
        .iter()
        .map(|visit| {
            let width = LEAST + visit.ms * room / whole;
            left += width;
            (left - width, width, visit)
        })
        .collect();
    html! {
        svg.states viewBox={ "0 0 " (WIDTH) " 24" } preserveAspectRatio="none" aria-hidden="true" {
            @for (x, width, visit) in stretches {
                rect class=(visit.state.as_str()) x=(x) y="0" width=(width - 2) height="24" rx="2" {
                    title { (visit.what) ", " (visit.long) }
                }
            }
        }
    }
}
