//! Every day: what was said, done and held back.
//!
//! What: the page with its form, and what it finds, a page at a time, events by their name as well. Why: whoever remembers that there was something finds it
//! again by its day, its kind, what came of it or a name; whoever missed something finds the appointment about which nothing was said. Words that are looked for come in a body, never in an address, and are kept and recorded nowhere. Not here: what the
//! owner did, with Undo (`acts_page`), the console's list by codes (`console::decisions`).

use super::{
    api::JsonBody,
    cancelled,
    console::field,
    error::WebError,
    shell::{AppSection, BelowFrame, tool_panes},
    state::AppState,
};
use crate::render::{HistoryLine, history_line, history_things, is_of_kind, repeats::in_runs};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Html,
};
use chrono::{Datelike, Months, NaiveDate};
use futures_util::future::join;
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::{
        console::{TraceChoice, TraceFilter},
        memory::KeptKind,
    },
    format,
    language::Text,
    words,
};
use toolcall_schema::{
    ActionKind, Outcome, Timestamp, catalogue::shared::ThingId, ids::EventId, trace::Trace,
};

/// Where it is.
const PATH: &str = "/history/days";
/// Months that are led to.
const MONTHS_BACK: u32 = 12;
/// Lines in one answer.
const LINES_MAX: usize = 50;
/// So often the store is asked for one answer, [`surfaces_base::backend::console::PAGE`] decisions each.
const ASKED_MAX: usize = 20;
/// Events in one answer.
const EVENTS_MAX: usize = 10;
/// Characters that are looked for.
const WORDS_MAX: usize = 100;

/// What came of a decision, as the form names it; an outcome's own name besides.
const SPOKE: &str = "";
const HELD: &str = "held";

/// What the address may say: a month, by its first day, and what came of it, as the form names that.
#[derive(Deserialize)]
pub(super) struct HistoryQuery {
    month: Option<NaiveDate>,
    #[serde(default)]
    came: String,
}

/// `GET /history/days?month=2026-11-01&came=held`
pub(super) async fn history(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<HistoryQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let Query(HistoryQuery { month, came }) = asked.map_err(|_| WebError::BadBody)?;
    let now = app.backend.now().await?;
    let today = format::local_date(now.at, format::zone(&now.zone));
    let month = month.and_then(|day| day.with_day(1));
    let of_month = HistoryForm {
        from: month.map_or_else(String::new, |first| first.to_string()),
        to: month
            .and_then(last_of_month)
            .map_or_else(String::new, |last| last.to_string()),
        came,
        ..HistoryForm::default()
    };
    // Months in which nothing can have been decided lead nowhere.
    let this_month = format::midnight(today.with_day(1).unwrap_or(today), format::zone(&now.zone));
    let (found, is_older) = join(look(&app, &of_month), app.backend.decided_before(this_month)).await;
    let (found, is_older) = (found?, month.is_some() || is_older?);
    let tools = html! {
        section.block #history aria-label=(words::HISTORY) {
            p.says { (says_linked(month, &of_month.came)) }
            @if is_older { (months(today, month, &of_month.came)) }
            (form(&of_month))
        }
    };
    let found = html! { div.block #history-found aria-live="polite" { (found) } };
    let frame = BelowFrame::new(AppSection::Now, PATH, words::HISTORY.say());
    Ok(frame.page(&app, &tool_panes(&tools, &found)))
}

/// What the form sends; what is empty is any.
#[derive(Deserialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
struct HistoryForm {
    words: String,
    kind: String,
    came: String,
    from: String,
    to: String,
    before: String,
}

impl HistoryForm {
    fn filter(&self) -> Result<TraceFilter, WebError> {
        let outcome = Outcome::ALL.iter().find(|outcome| outcome.as_str() == self.came);
        let choice = match self.came.as_str() {
            // Whoever looks for words asks what came of it as well where nothing was said.
            SPOKE if !self.words.trim().is_empty() => None,
            SPOKE => Some(TraceChoice::Spoke),
            HELD => Some(TraceChoice::HeldBack),
            _ if outcome.is_some() => None,
            _ => return Err(WebError::BadBody),
        };
        let date = |text: &str| text.parse::<NaiveDate>().ok();
        Ok(TraceFilter {
            outcome: outcome.copied(),
            choice,
            kind: field(&self.kind, ActionKind::parse)?,
            from: field(&self.from, date)?,
            to: field(&self.to, date)?,
            before: field(&self.before, |text| text.parse().ok())?,
            ..TraceFilter::default()
        })
    }
}

/// `POST /form/history/find`
pub(super) async fn find(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let form: HistoryForm = body?.read()?;
    Ok(Html(look(&app, &form).await?.into_string()))
}

/// Looks through the store, newest first, until an answer is full, the store is at its end or it was asked often enough.
async fn look(app: &AppState, form: &HistoryForm) -> Result<Markup, WebError> {
    if form.words.chars().count() > WORDS_MAX {
        return Err(WebError::BadBody);
    }
    let mut filter = form.filter()?;
    // The store knows the kind of what was chosen; what was held back is of a kind all the same.
    let is_of_silence =
        filter.choice == Some(TraceChoice::HeldBack) || filter.outcome == Some(Outcome::Silent);
    let of_kind = filter.kind.take_if(|_| is_of_silence);
    if filter.from.zip(filter.to).is_some_and(|(from, to)| to < from) {
        return Err(WebError::BadBody);
    }
    let now = app.backend.now().await?;
    let today = format::local_date(now.at, format::zone(&now.zone));
    let (mut lines, mut reached): (Vec<HistoryLine>, Option<NaiveDate>) = (Vec::new(), None);
    for _ in 0..ASKED_MAX {
        let found = app.backend.find_traces(filter).await?;
        let fits = |trace: &&Trace| of_kind.is_none_or(|kind| is_of_kind(trace, kind));
        let traces = || found.traces.iter().filter(fits);
        let names = app
            .backend
            .names(traces().flat_map(history_things).collect())
            .await;
        let of_page = traces().map(|trace| history_line(trace, &names));
        lines.extend(of_page.filter(|line| holds(line, &form.words)));
        reached = found
            .traces
            .last()
            .map(|trace| trace.decision.ledger_before.day)
            .or(reached);
        filter.before = found.next;
        // Behind the first day that is asked for there is nothing more.
        if filter
            .from
            .zip(reached)
            .is_some_and(|(from, reached)| reached < from)
        {
            filter.before = None;
        }
        if filter.before.is_none() || lines.len() >= LINES_MAX {
            break;
        }
    }
    let older = filter.before.map(|before| HistoryForm {
        before: before.to_string(),
        ..form.clone()
    });
    let events = if form.before.is_empty() {
        events_named(app, &form.words).await?
    } else {
        Vec::new()
    };
    let off = if form.before.is_empty() && !form.words.trim().is_empty() {
        cancelled::find_named(app, &form.words, today).await
    } else {
        Vec::new()
    };
    Ok(html! {
        @if !events.is_empty() {
            h2 { (words::HISTORY_EVENTS) }
            ul.rows { @for (event, name, at) in &events {
                li {
                    p.head {
                        a.what href={ "/calendar/" (event) } { bdi { (name) } }
                        span.value { time { (format::clock_on(*at, now.at, format::zone(&now.zone))) } }
                    }
                    p.note { (words::HISTORY_EVENT_SAYS) }
                }
            } }
        }
        @if !off.is_empty() {
            h2 { (words::HISTORY_CANCELLED) }
            ul.rows { @for (event, name) in &off {
                li { p.head {
                    a.what href={ "/calendar/" (event.event_id) } { s { bdi { (name) } } }
                    span.value { time { (format::clock_on(event.start, now.at, format::zone(&now.zone))) } }
                } }
            } }
        }
        @if lines.is_empty() && events.is_empty() && off.is_empty() { p.none { (words::HISTORY_NOTHING) } }
        (days(&lines, today))
        @if let Some(older) = &older {
            @if let Some(reached) = reached.filter(|_| lines.len() < LINES_MAX) {
                p.note { (words::history_until(&format::date_near(reached, today))) }
            }
            (earlier(older))
        }
    })
}

/// The events whose name holds all of the words, also those about which nothing was decided; without words none.
async fn events_named(app: &AppState, words: &str) -> Result<Vec<(EventId, String, Timestamp)>, WebError> {
    if words.trim().is_empty() {
        return Ok(Vec::new());
    }
    let kept = app.backend.kept_things(KeptKind::Events).await?;
    let ids = kept.iter().map(|kept| kept.thing.clone()).collect();
    let names = app.backend.names(ids).await;
    let named = kept.into_iter().filter_map(|kept| {
        let ThingId::Event(event) = kept.thing else {
            return None;
        };
        let name = kept.own_name.as_deref().or_else(|| names.get(event.as_str()))?;
        holds_words(name, words).then(|| (event.clone(), name.to_owned(), kept.at))
    });
    Ok(named.take(EVENTS_MAX).collect())
}

/// Whether a line holds all of the words, whatever their case.
fn holds(line: &HistoryLine, words: &str) -> bool {
    let text = [
        line.what.as_str(),
        line.row.ended,
        line.held_back.unwrap_or_default(),
    ]
    .join(" ");
    holds_words(&text, words)
}

/// Whether a text holds all of the words, whatever their case.
pub(super) fn holds_words(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    words
        .to_lowercase()
        .split_whitespace()
        .all(|word| text.contains(word))
}

fn days(lines: &[HistoryLine], today: NaiveDate) -> Markup {
    html! {
        @for day in lines.chunk_by(|a, b| a.day == b.day) {
            @if let Some(first) = day.first() { h2 { (format::date_near(first.day, today)) } }
            (lines_in_short(day))
        }
    }
}

/// What was said and held back, newest first, each with the way to its reasons. What was held back again and again for one reason is one line where it was last so,
/// whatever came between, and the others are folded below it.
pub(super) fn lines_in_short(lines: &[HistoryLine]) -> Markup {
    let runs = in_runs(lines, |line| {
        (line.row.outcome == Outcome::Silent).then(|| (line.day, line.what.clone(), line.held_back))
    });
    html! {
        ol.day {
            @for run in &runs {
                @if let Some((newest, older)) = run.split_first() {
                    (line_with(newest, &html! {
                        @if let Some(oldest) = older.last() {
                            details.same {
                                summary { (words::more_like_it(older.len(), &oldest.row.time)) }
                                ol.day { @for line in older { (line_with(line, &html! {})) } }
                            }
                        }
                    }))
                }
            }
        }
    }
}

/// One line, and what stands below it.
fn line_with(line: &HistoryLine, below: &Markup) -> Markup {
    html! {
        li class=(if line.row.outcome == Outcome::Silent { "silent" } else { "spoke" }) {
            a href={ "/trace/" (line.row.trace_id) } data-drawer=(line.row.trace_id) {
                time { (line.row.time) }
                span.what { bdi dir="ltr" { (line.what) } @if let Some(reason) = line.held_back { " " span.note { (reason) } } }
                span.outcome { (line.row.ended) }
            }
            (below)
        }
    }
}

/// The same question, from there on; its answer takes the button's place.
fn earlier(older: &HistoryForm) -> Markup {
    let into = format!("history-{}", older.before);
    html! {
        div id=(into) {
            form data-post="/form/history/find" data-into=(into) {
                @for (name, value) in [
                    ("words", &older.words), ("kind", &older.kind), ("came", &older.came),
                    ("from", &older.from), ("to", &older.to), ("before", &older.before),
                ] {
                    input type="hidden" name=(name) value=(value);
                }
                p.buttons { button.side type="submit" { (words::HISTORY_OLDER) } }
            }
        }
    }
}

/// The address of a month, or of all days.
fn address(month: Option<NaiveDate>, came: &str) -> String {
    let asked = [
        month.map(|first| format!("month={first}")),
        (!came.is_empty()).then(|| format!("came={came}")),
    ];
    let asked: Vec<String> = asked.into_iter().flatten().collect();
    let mark = if asked.is_empty() { "" } else { "?" };
    format!("{PATH}{mark}{}", asked.join("&"))
}

/// What the page is; each of the two that it names leads to it.
fn says_linked(month: Option<NaiveDate>, came: &str) -> Markup {
    let text = words::history_says("{spoke}", "{held}");
    let (before, rest) = text.split_once("{spoke}").unwrap_or((&text, ""));
    let (between, after) = rest.split_once("{held}").unwrap_or((rest, ""));
    let link = |choice: &str, name: Text| {
        html! { a href=(address(month, choice)) aria-current=[(came == choice).then_some("page")] { (name) } }
    };
    html! {
        (before) (link(SPOKE, words::HISTORY_SAYS_SPOKE)) (between) (link(HELD, words::HISTORY_SAYS_HELD)) (after)
    }
}

/// The last twelve months, the newest first.
fn months(today: NaiveDate, chosen: Option<NaiveDate>, came: &str) -> Markup {
    let this = today.with_day(1).unwrap_or(today);
    let back = (0..MONTHS_BACK).filter_map(|months| this.checked_sub_months(Months::new(months)));
    html! {
        nav.months aria-label=(words::MONTHS) {
            @for first in back {
                a href=(address(Some(first), came)) aria-current=[(chosen == Some(first)).then_some("date")] { (format::month_and_year(first)) }
            }
        }
    }
}

fn last_of_month(first: NaiveDate) -> Option<NaiveDate> {
    first.checked_add_months(Months::new(1))?.pred_opt()
}

fn form(of_month: &HistoryForm) -> Markup {
    html! {
        form.settings data-post="/form/history/find" data-into="history-found" {
            label { (words::HISTORY_WORDS) input type="search" name="words" autocomplete="off" maxlength=(WORDS_MAX); }
            details open[!of_month.from.is_empty()] {
                summary { (words::HISTORY_NARROW) }
                label { (words::HISTORY_KIND)
                    select name="kind" {
                        option value="" { (words::HISTORY_ANY) }
                        @for kind in ActionKind::ALL { option value=(kind.as_str()) { (words::action(*kind)) } }
                    }
                }
                label { (words::HISTORY_CAME)
                    select name="came" {
                        option value=(SPOKE) { (words::HISTORY_SPOKE) }
                        option value=(HELD) { (words::HISTORY_HELD) }
                        @for outcome in Outcome::ALL { option value=(outcome.as_str()) { (words::outcome_short(*outcome, None)) } }
                    }
                }
                label { (words::HISTORY_FROM) input type="date" name="from" value=(of_month.from); }
                label { (words::HISTORY_TO) input type="date" name="to" value=(of_month.to); }
            }
            p.buttons { button.side type="submit" { (words::HISTORY_FIND) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::DayRow;
    use toolcall_schema::ids::TraceId;

    #[test]
    fn twelve_months_lead_back_over_the_turn_of_the_year() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let nav = months(day("2027-01-31"), Some(day("2026-12-01")), "").into_string();
        assert_eq!(nav.matches("<a ").count(), 12);
        assert!(
            nav.contains(r#"href="/history/days?month=2026-12-01" aria-current="date">December 2026"#),
            "{nav}"
        );
        assert!(
            nav.contains("month=2026-02-01") && !nav.contains("month=2026-01-01"),
            "{nav}"
        );
        assert_eq!(last_of_month(day("2028-02-01")), Some(day("2028-02-29")));
    }

    #[test]
    fn what_was_held_back_is_reached_by_the_words_that_name_it() {
        let first = NaiveDate::from_ymd_opt(2026, 11, 1);
        let spoke = says_linked(None, SPOKE).into_string();
        assert!(
            spoke.contains(r#"<a href="/history/days" aria-current="page">What I said and did</a>"#)
                && spoke.contains(r#"<a href="/history/days?came=held">what I held back</a>"#),
            "{spoke}"
        );
        let held = says_linked(first, HELD).into_string();
        assert!(
            held.contains(r#"<a href="/history/days?month=2026-11-01">What"#)
                && held.contains(r#"came=held" aria-current="page">what"#),
            "{held}"
        );
    }

    fn line(time: &str, what: &str, outcome: Outcome) -> HistoryLine {
        HistoryLine {
            row: DayRow {
                trace_id: TraceId::parse("tr_000000000001").unwrap(),
                time: time.to_owned(),
                what: what.to_owned(),
                outcome,
                ended: "",
            },
            day: NaiveDate::from_ymd_opt(2026, 11, 3).unwrap(),
            what: what.to_owned(),
            held_back: (outcome == Outcome::Silent).then_some("Too soon."),
        }
    }

    #[test]
    fn one_silence_is_written_once_whatever_came_between() {
        let lines = [
            line("08:10", "A decline", Outcome::Silent),
            line("08:09", "A mute", Outcome::Confirmed),
            line("08:05", "A decline", Outcome::Silent),
            line("08:02", "A reply", Outcome::Silent),
            line("08:01", "A decline", Outcome::Silent),
        ];
        let shown = days(&lines, NaiveDate::from_ymd_opt(2026, 11, 4).unwrap()).into_string();
        let (first, rest) = shown.split_once("08:09").unwrap();
        assert!(
            first.contains("08:10") && first.contains("2 more like it, from 08:01 on"),
            "{first}"
        );
        assert!(!rest.contains("A decline") && rest.contains("A reply"), "{rest}");
    }

    fn form(came: &str, from: &str) -> HistoryForm {
        HistoryForm {
            came: came.to_owned(),
            from: from.to_owned(),
            ..HistoryForm::default()
        }
    }

    #[test]
    fn a_form_says_what_is_looked_for_or_is_none_of_ours() {
        let spoke = HistoryForm::default().filter().unwrap();
        assert_eq!((spoke.choice, spoke.outcome), (Some(TraceChoice::Spoke), None));
        let held = form("held", "2026-11-03").filter().unwrap();
        assert_eq!(held.choice, Some(TraceChoice::HeldBack));
        assert_eq!(held.from, NaiveDate::from_ymd_opt(2026, 11, 3));
        let dismissed = form("dismissed", "").filter().unwrap();
        assert_eq!(
            (dismissed.choice, dismissed.outcome),
            (None, Some(Outcome::Dismissed))
        );
        assert!(form("maybe", "").filter().is_err());
        assert!(form("", "yesterday").filter().is_err());
    }
}
