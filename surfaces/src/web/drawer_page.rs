//! The drawer's markup.
//!
//! What: finding a decision by its trace id, and its five sections. Why: one markup for the page and for the drawer on
//! the phone. Not here: what the sections say (`render::drawer`).

use super::{api::trace_id, buttons::buttons, error::WebError, owner::rule_form, state::AppState};
use crate::render::{
    drawer::{
        self, CandidateFate, CandidateRow, ChoiceSection, DrawerView, HEADINGS, ObservationSection, VisitRow,
    },
    named,
};
use crate::words;
use maud::{Markup, html};
use toolcall_schema::{StateName, Surface, milli::Milli};

/// The drawer of a trace, or of the open card that will become it.
pub(super) async fn find(app: &AppState, id: &str) -> Result<DrawerView, WebError> {
    let id = trace_id(id)?;
    let now = app.backend.now().await?;
    if let Some(trace) = app.backend.trace(id.clone()).await? {
        let labels = app.backend.names(named::trace(&trace)).await;
        return Ok(drawer::drawer_of_trace(&trace, &labels));
    }
    let card = now.card.filter(|card| card.decision.trace_id == id);
    let card = card.ok_or(WebError::NotFound)?;
    let labels = app.backend.names(named::card(&card)).await;
    Ok(drawer::drawer_of_card(&card, &labels, now.at))
}

/// Title and five sections, in their fixed order.
pub(super) fn drawer(drawer: &DrawerView) -> Markup {
    let [why, saw_title, considered_title, chose_title, can_do] = HEADINGS;
    html! {
        p.eyebrow { (drawer.when) }
        h2 #drawer-title { (drawer.title) }
        section { h3 { (why) } (paragraphs(&drawer.why)) }
        section { h3 { (saw_title) } (saw(&drawer.saw)) }
        section { h3 { (considered_title) } (considered(&drawer.considered)) }
        section { h3 { (chose_title) } (chose(&drawer.chose)) }
        section {
            h3 { (can_do) }
            @if let Some(answers) = &drawer.answers { (buttons(answers, Surface::PhoneCard)) }
            @for text in &drawer.can_do { p { (code_spans(text)) } }
            @if let Some((kind, subject)) = &drawer.shows { (rule_form(*kind, subject)) }
        }
        details.json data-json=(drawer.trace_id) {
            summary { (words::AS_JSON) }
            pre tabindex="0" {}
        }
        p.id { (drawer.trace_id) }
    }
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
                p.agent { b { (group.agent) } " " (group.status.unwrap_or_default()) }
            } @else {
                table.readings {
                    caption { (group.agent) @if let Some(status) = group.status { span { " " (status) } } }
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
                                summary { span.what { bdi { (row.what) } } span.score { (score) } (bar(*score)) }
                                dl.parts { @for part in parts { div { dt { (part.name) } dd { (part.value) } (bar(part.size)) } } }
                            }
                        },
                        CandidateFate::Removed(reason) => {
                            p.head { span.what { bdi { (row.what) } } span.score { (words::REMOVED) } }
                            p.reason { (reason) }
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
        words::FOLLOWS
    } else {
        words::NOT_ENTERED
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
