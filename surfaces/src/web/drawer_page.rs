//! The drawer's markup.
//!
//! What: finding a decision by its trace id, and its five sections. Why: one markup for the page and for the drawer on
//! the phone. Not here: what the sections say (`render::drawer`).

use super::{App, api::trace_id, error::Refusal, owner::rule_form, pages::buttons};
use crate::render::{
    drawer::{self, CandidateRow, Chose, Drawer, Fate, HEADINGS, Saw},
    named,
};
use maud::{Markup, html};
use toolcall_schema::Surface;

/// The drawer of a trace, or of the open card that will become it.
pub(super) async fn find(app: &App, id: &str) -> Result<Drawer, Refusal> {
    let id = trace_id(id)?;
    let now = app.backend.now().await?;
    if let Some(trace) = app.backend.trace(id.clone()).await? {
        let labels = app.backend.names(named::trace(&trace)).await;
        return Ok(drawer::of_trace(&trace, &labels));
    }
    let card = now.card.filter(|card| card.decision.trace_id == id);
    let card = card.ok_or(Refusal::NotFound)?;
    let labels = app.backend.names(named::card(&card)).await;
    Ok(drawer::of_card(&card, &labels, now.at))
}

/// Title and five sections, in their fixed order.
pub(super) fn drawer(drawer: &Drawer) -> Markup {
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
        p.id { (drawer.trace_id) }
    }
}

fn paragraphs(lines: &[String]) -> Markup {
    html! { @for line in lines { p { (line) } } }
}

/// Text between backquotes is what one types.
fn code_spans(text: &str) -> Markup {
    html! {
        @for (n, part) in text.split('`').enumerate() {
            @if n % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn saw(saw: &Saw) -> Markup {
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
                                    @if let Some(range) = &row.usual { span.usual { "usually " (range) } }
                                }
                                td { (row.value) @if row.unusual { span.visually-hidden { " (not usual)" } } }
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
        @if rows.is_empty() { p { "Nothing was proposed." } }
        ol.candidates {
            @for row in rows {
                li class=[row.chosen.then_some("chosen")] {
                    @match &row.fate {
                        Fate::Scored(score, parts) => {
                            details {
                                summary { span.what { (row.what) } span.score { (score) } }
                                dl { @for (name, value) in parts { div { dt { (name) } dd { (value) } } } }
                            }
                        },
                        Fate::Removed(reason) => {
                            p.head { span.what { (row.what) } span.score { "removed" } }
                            p.reason { (reason) }
                        },
                        Fate::NotScored => { p.head { span.what { (row.what) } span.score { "not scored" } } },
                    }
                    p.by { (row.by) @if row.chosen { span { " · chosen" } } }
                }
            }
        }
    }
}

fn chose(chose: &Chose) -> Markup {
    html! {
        (paragraphs(&chose.lines))
        dl.facts { @for (name, value) in &chose.facts { div { dt { (name) } dd { (value) } } } }
        @if !chose.path.is_empty() {
            ol.path {
                @for (at, what, long) in &chose.path {
                    li { time { (at) } span.what { (what) } span.long { (long) } }
                }
            }
        }
    }
}
