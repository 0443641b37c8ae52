//! The agenda: a day, a week or a month.
//!
//! What: events with ways, clashes and free times, tasks, what the day will be like, what Aura said and held back between them, and when it looks again. Why: what a day holds is asked more often than
//! it is worth a card. Titles and places are asked of Calendar for this page and kept nowhere. Not here: order and hours (`render::section::agenda`), one event
//! (`meeting_page`).

use super::{
    ahead_page::payments_due,
    decline,
    error::WebError,
    held_time,
    icons::{EmptyDrawing, IconName, drawing, icon},
    periods::{AskedPeriod, PeriodContent, PeriodQuery, address, period_page},
    shell::{AppSection, way_to},
    state::AppState,
    unfed,
};
use crate::render::{
    history_line, history_things,
    section::{
        agenda::{self, AgendaContext, AgendaDay, AgendaEntry, AgendaRemark, AgendaRow, AgendaTask},
        period::Period,
        week_grid::{GridPlace, SheetSide, WeekGrid, WholeSlot, whole_slots},
    },
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Html,
};
use chrono::{Datelike, NaiveDate};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{
    backend::console::{TraceChoice, TraceFilter},
    day_load::DayLoad,
    format, words,
};
use toolcall_schema::{AgentName, Timestamp, catalogue::calendar::EventList, ids::EventId};

/// Titles in one cell of a month.
const CELL_MAX: usize = 3;
/// Where it is.
pub(super) const PATH: &str = "/agenda";
/// Where the payments of a day are.
const DUE_PATH: &str = "/fragment/agenda/due";

/// `GET /agenda?day=&view=`
pub(super) async fn agenda(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<PeriodQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let status = app.backend.status().await?;
    let asked = AskedPeriod::read(asked, &status)?;
    let AskedPeriod {
        period,
        day,
        today,
        zone,
    } = asked;
    let span = period.in_weeks(day);
    let events = app.backend.agenda(span.0, span.1).await;
    let tasks = app.backend.tasks(span.0, span.1).await.unwrap_or_default();
    let has_calendar = events.is_some();
    let unfed = if has_calendar {
        html! {}
    } else {
        let way = unfed::way_to_sources(&app, Some(AgentName::Calendar)).await?;
        if way.0.is_empty() {
            unfed::nothing_shown(&app, AgentName::Calendar).await?
        } else {
            way
        }
    };
    // Who has a list of tasks and no calendar sees the tasks.
    let of_tasks = || (!tasks.tasks.is_empty()).then(no_events);
    let content = if let Some(list) = events.or_else(of_tasks) {
        let names = app.backend.names(agenda::ids(&list)).await;
        let in_full = period == Period::Day;
        let remarks = if in_full {
            remarks(&app, day, status.at).await?
        } else {
            Vec::new()
        };
        let now = app.backend.now().await?;
        let looks_at = if in_full && day == today {
            let paused = now.paused_until.is_some_and(|until| until > now.at);
            (!paused).then_some(now.looks_again)
        } else {
            None
        };
        let with = AgendaContext {
            names: &names,
            now: status.at,
            zone,
            brief_at: status.brief.comes,
            looks_at,
            tasks: &tasks,
            remarks: &remarks,
            outbox: &now.untraced.outbox,
            in_full,
        };
        let days = agenda::days(&list, span, &with);
        let hours = working_hours(&app).await?;
        let undated = if in_full {
            agenda::some_time(&tasks, &with)
        } else {
            Vec::new()
        };
        let load = |day: &AgendaDay| {
            let quiet = &status.settings.dnd;
            DayLoad::on_day(day.date, (&list, &tasks), quiet, status.at, zone)
        };
        let about_tasks = html! {
            @if tasks.truncated { p.note { (words::TASKS_MORE) } }
            @if !tasks.tasks.is_empty() { p.note { (words::TASKS_ELSEWHERE) } }
        };
        let main = html! {
            @if !has_calendar { (not_read(&unfed)) }
            @match period {
                Period::Day => {
                    @for day in &days {
                        p.day-load { (words::day_load(&load(day))) }
                        ol.agenda { @for row in day.rows.iter().filter(|row| !row.is_without_hour()) { (line(row)) } }
                    }
                    // What was paid stands on the pages of money.
                    @if day >= today { ul.agenda data-part={ (DUE_PATH) "?day=" (day) } aria-busy="true" {} }
                }
                Period::Week => (week(&days, (today, agenda::minute_now(status.at, zone)), &load)),
                Period::Month => (month(&days, day)),
            }
            @if days.iter().flat_map(|day| &day.rows).any(|row| matches!(row.entry, AgendaEntry::Free(..))) { (free_within(&hours)) }
            @if list.truncated { p.note { (words::AGENDA_MORE) } }
            @if !in_full { (about_tasks) }
        };
        let beside = in_full.then(|| html! {
            section.block #tasks data-region aria-labelledby="tasks-title" {
                h2 #tasks-title { (icon(IconName::Agenda)) (words::AGENDA_TASKS) }
                @let due: Vec<&AgendaRow> = days.iter().flat_map(|day| &day.rows).filter(|row| row.is_without_hour()).collect();
                @if !days.iter().flat_map(|day| &day.rows).any(AgendaRow::is_task) { p.none { (words::AGENDA_NO_TASK) } }
                ol.agenda { @for row in due { (line(row)) } }
                @if !undated.is_empty() { (some_time(&undated)) }
                (about_tasks)
            }
            (way_to("/brief", words::BRIEF.say()))
        });
        PeriodContent { main, beside }
    } else {
        PeriodContent {
            main: not_read(&unfed),
            beside: None,
        }
    };
    Ok(period_page(
        &app,
        (PATH, words::AGENDA.say()),
        AppSection::Brief,
        asked,
        &content,
    ))
}

/// The field of the working hours.
const WORKING_HOURS: &str = "calendar.working_hours";

/// The working hours as their field says them, and whether that can be changed on a page.
async fn working_hours(app: &AppState) -> Result<(Option<String>, bool), WebError> {
    let (file, is_changed) = match app.backend.home_file().await? {
        Some(file) => (Some(file), true),
        None => (app.backend.shown_home().await?, false),
    };
    let fields = file.map(|file| file.fields).unwrap_or_default();
    let hours = fields.into_iter().find(|field| field.key == WORKING_HOURS);
    Ok((
        hours.map(|field| field.value).filter(|value| !value.is_empty()),
        is_changed,
    ))
}

/// Until when free time is looked for, and the way to the setting.
fn free_within((hours, is_changed): &(Option<String>, bool)) -> Markup {
    html! {
        p.note {
            (words::free_within(hours.as_deref()))
            @if *is_changed { " " a href={ "/settings#" (WORKING_HOURS) } { (words::CHANGE_WORKING_HOURS) } }
        }
    }
}

/// The day whose payments are asked for.
#[derive(Deserialize)]
pub(super) struct DueQuery {
    day: NaiveDate,
}

/// `GET /fragment/agenda/due?day=`: what comes again and is expected on a day. Two years of payments are looked through for it, so the page does not wait.
pub(super) async fn due_part(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<DueQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let Query(DueQuery { day }) = asked.map_err(|_| WebError::BadBody)?;
    let rows = payments_due(&app, day).await?;
    Ok(Html(html! { @for row in &rows { (line(row)) } }.into_string()))
}

/// A calendar that holds nothing.
fn no_events() -> EventList {
    EventList {
        events: Vec::new(),
        free: Vec::new(),
        truncated: false,
        cancelled: Vec::new(),
    }
}

/// Without a calendar what would fill the page, else that it cannot be read now.
fn not_read(unfed: &Markup) -> Markup {
    html! {
        @if unfed.0.is_empty() {
            div.empty { (drawing(EmptyDrawing::Sheet)) p.says { (words::AGENDA_NOT_READ) } }
            p.more { a href="/settings#sources" { (words::AGENDA_SOURCES) } }
        } @else {
            div.empty { (drawing(EmptyDrawing::Sheet)) div { (unfed) } }
        }
    }
}

/// What was said and held back on a day that has begun. What the owner did is neither.
async fn remarks(app: &AppState, day: NaiveDate, now: Timestamp) -> Result<Vec<AgendaRemark>, WebError> {
    let mut found = Vec::new();
    for choice in [TraceChoice::Spoke, TraceChoice::HeldBack] {
        let filter = TraceFilter {
            choice: Some(choice),
            from: Some(day),
            to: Some(day),
            ..TraceFilter::default()
        };
        let traces = app.backend.find_traces(filter).await?.traces;
        found.extend(traces.into_iter().filter(|trace| trace.decision.call.is_none()));
    }
    let names = app
        .backend
        .names(found.iter().flat_map(history_things).collect())
        .await;
    let remarks = found
        .iter()
        .filter(|trace| trace.decision.ts <= now)
        .map(|trace| {
            let line = history_line(trace, &names);
            AgendaRemark {
                at: trace.decision.ts,
                what: line.what,
                held_back: line.held_back,
                trace: trace.trace_id.clone(),
                times: 1,
            }
        });
    Ok(remarks.collect())
}

/// The tasks without a date, folded.
fn some_time(tasks: &[AgendaTask]) -> Markup {
    html! {
        details.some-time {
            summary { (words::some_time(tasks.len())) }
            ul.agenda { @for task in tasks { li.task { (task_of(task)) } } }
        }
    }
}

fn task_of(task: &AgendaTask) -> Markup {
    html! {
        div {
            @if task.is_done { s.what { bdi { (task.title) } } } @else { span.what { bdi { (task.title) } } }
            @if !task.notes.is_empty() {
                p.note dir="auto" { @for (n, note) in task.notes.iter().enumerate() { @if n > 0 { " · " } span { (note) } } }
            }
        }
    }
}

/// Seven days: on a desk a sheet of hours on which each event is as high as it is long, on a phone a list a day.
fn week(
    days: &[AgendaDay],
    (today, minute): (NaiveDate, u32),
    load: &dyn Fn(&AgendaDay) -> DayLoad,
) -> Markup {
    let grid = WeekGrid::covering(days);
    let now = grid.row_of(minute);
    let whole: Vec<Vec<&AgendaRow>> = days.iter().map(whole_rows).collect();
    let events = whole
        .iter()
        .map(|rows| rows.iter().map(|row| row.event()).collect());
    let slots = whole_slots(&events.collect::<Vec<_>>());
    html! {
        div.agenda-week {
            ol.hour-names aria-hidden="true" {
                @for (hour, row) in grid.hours() { li.{ "r" (row) } { (format::hour_of_day(hour)) } }
            }
            @for ((day, whole), slots) in days.iter().zip(&whole).zip(&slots) {
                @let open = address(PATH, Period::Day, day.date);
                section class=[day.is_today.then_some("today")] aria-label=(format::date_near(day.date, today)) {
                    div.head {
                        h3 { a href=(open) aria-current=[day.is_today.then_some("date")] { (format::date_near(day.date, today)) } }
                        @if day.rows.is_empty() { p.none { (words::AGENDA_EMPTY) } }
                        @else {
                            @let (weight, parts) = words::day_load_parts(&load(day));
                            p.day-load { (weight) @if !parts.is_empty() { span.parts { ": " (parts) } } "." }
                        }
                    }
                    (week_day((day, whole, slots), grid, now.filter(|_| day.is_today), &open))
                }
            }
        }
    }
}

/// What lasts whole days.
fn whole_rows(day: &AgendaDay) -> Vec<&AgendaRow> {
    let rows = day.rows.iter();
    rows.filter(|row| row.minutes.is_none() && !row.is_without_hour())
        .collect()
}

/// What lasts whole days or lies before the hours of the sheet, the hours, what lies behind them, and the way to what has no place on them. `now`: the row in which it is now.
fn week_day(
    (day, whole, slots): (&AgendaDay, &[&AgendaRow], &[WholeSlot]),
    grid: WeekGrid,
    now: Option<u32>,
    open: &str,
) -> Markup {
    let timed: Vec<&AgendaRow> = day
        .rows
        .iter()
        .filter(|row| row.minutes.is_some() && !row.is_without_hour())
        .collect();
    let on = |side: SheetSide| -> Vec<&AgendaRow> {
        let is_there = |row: &&AgendaRow| row.minutes.is_some_and(|at| grid.side_of(at) == side);
        timed.iter().copied().filter(is_there).collect()
    };
    let (early, timed, late) = (on(SheetSide::Before), on(SheetSide::Within), on(SheetSide::After));
    let places = grid.places(&timed);
    let left_out = places.iter().filter(|place| place.is_none()).count();
    // Their titles stand beside the day.
    let tasks = words::tasks_of_day(day.task_counts());
    html! {
        ol.agenda.whole {
            @for slot in slots { (whole_line(whole, *slot)) }
            @for row in early { (line_at(row, Some("outside"))) }
        }
        ol.agenda.hours {
            @if let Some(row) = now { li.line.{ "r" (row) } aria-hidden="true" {} }
            @for (row, place) in timed.iter().zip(&places) {
                (line_at(row, Some(&place.map_or_else(|| "beyond".to_owned(), on_grid))))
            }
        }
        div.rest {
            @if !late.is_empty() { ol.agenda.whole { @for row in late { (line_at(row, Some("outside"))) } } }
            div.more {
            @if left_out > 0 { a.left-out href=(open) { (words::meeting_more(u32::try_from(left_out).unwrap_or(u32::MAX))) } }
            @if !tasks.is_empty() { a href=(open) { (tasks) } }
            }
        }
    }
}

/// A line above the hours: on a desk one bar over the days that it lasts, on a phone the same in each day's list.
fn whole_line(whole: &[&AgendaRow], slot: WholeSlot) -> Markup {
    let (row, place) = match slot {
        WholeSlot::Begins { row, days: 1 } => (row, None),
        WholeSlot::Begins { row, days } => (row, Some(format!("long s{days}"))),
        WholeSlot::GoesOn { row } => (row, Some("goes-on".to_owned())),
        WholeSlot::Free => return html! { li.gap aria-hidden="true" {} },
    };
    html! { @if let Some(row) = whole.get(row) { (line_at(row, place.as_deref())) } }
}

/// The classes of a place: the style has a rule for each row, height and lane.
fn on_grid(place: GridPlace) -> String {
    let GridPlace {
        row,
        rows,
        lane,
        lanes,
    } = place;
    format!("r{row} h{rows} lane-{lane}-{lanes}")
}

fn month(days: &[AgendaDay], of: NaiveDate) -> Markup {
    html! {
        table.agenda-month {
            caption.visually-hidden { (words::agenda_month(&format::month_and_year(of))) }
            thead { tr { @for name in format::WEEK { th scope="col" { (name) } } } }
            tbody {
                @for week in days.chunks(7) {
                    tr { @for at in 0..week.len() { (cell(week, at, of)) } }
                }
            }
        }
    }
}

/// Which part of a bar over several days of a week a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BarPart {
    /// How many days of the week it lies over.
    First(usize),
    Middle,
    Last,
}

impl BarPart {
    fn class(self) -> String {
        match self {
            Self::First(days) => format!("span-first span-{days}"),
            Self::Middle => "span-middle".to_owned(),
            Self::Last => "span-last".to_owned(),
        }
    }

    /// Whether its name stands in a cell before.
    const fn is_begun(self) -> bool {
        !matches!(self, Self::First(_))
    }
}

/// Whether that cell of a week has the event in that line, so that the two are one bar.
fn has_in_line(week: &[AgendaDay], at: Option<usize>, (line, id): (usize, &EventId)) -> bool {
    let day = at.and_then(|at| week.get(at));
    line < CELL_MAX
        && day
            .and_then(|day| day.titles().nth(line))
            .is_some_and(|(other, _)| other == id)
}

fn cell(week: &[AgendaDay], at: usize, of: NaiveDate) -> Markup {
    let Some(day) = week.get(at) else {
        return Markup::default();
    };
    let bar = |line: usize, id: &EventId| {
        let is_begun = has_in_line(week, at.checked_sub(1), (line, id));
        let behind = (at + 1..week.len()).take_while(|at| has_in_line(week, Some(*at), (line, id)));
        match (is_begun, behind.count()) {
            (false, 0) => None,
            (false, behind) => Some(BarPart::First(behind + 1)),
            (true, 0) => Some(BarPart::Last),
            (true, _) => Some(BarPart::Middle),
        }
    };
    let count = day.titles().count();
    let tasks = words::tasks_of_day(day.task_counts());
    let class = match (day.is_today, day.date.month() == of.month()) {
        (true, _) => Some("today"),
        (false, true) => None,
        (false, false) => Some("other"),
    };
    html! {
        td class=[class] {
            a href=(address(PATH, Period::Day, day.date)) aria-current=[day.is_today.then_some("date")] {
                span aria-hidden="true" { (day.date.day()) }
                span.visually-hidden { (format::date(day.date)) ", " (words::events_of_day(count)) @if !tasks.is_empty() { ", " (tasks) } }
                @if count > 0 { span.count aria-hidden="true" { (count) } }
                @if day.task_counts().0 > 0 { span.count.tasks aria-hidden="true" { (day.task_counts().0) } }
            }
            @if count > 0 || !tasks.is_empty() {
                ul {
                    @for (line, (id, title)) in day.titles().take(CELL_MAX).enumerate() {
                        @let bar = bar(line, id);
                        li class=[bar.map(BarPart::class)] {
                            @if bar.is_some_and(BarPart::is_begun) {
                                a href={ "/calendar/" (id) } title=(title) { span.visually-hidden { (title) } }
                            } @else {
                                a href={ "/calendar/" (id) } dir="auto" { span { (title) } }
                            }
                        }
                    }
                    @if count > CELL_MAX { li.note { (words::meeting_more(u32::try_from(count - CELL_MAX).unwrap_or(u32::MAX))) } }
                    @if !tasks.is_empty() { li.note.tasks { (tasks) } }
                }
            }
        }
    }
}

fn line(row: &AgendaRow) -> Markup {
    line_at(row, None)
}

/// `place`: the classes of where it stands on a sheet of hours.
fn line_at(row: &AgendaRow, place: Option<&str>) -> Markup {
    let when = &row.when;
    let class = |name: &str, mark: Option<&str>| -> String {
        let all = [Some(name), mark, place];
        all.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    match &row.entry {
        AgendaEntry::Event {
            id,
            title,
            place,
            notes,
            clashes,
            declinable,
            is_decline_drafted,
        } => html! {
            li class=(class("event", clashes.then_some("clash"))) {
                span.when { (when) }
                div {
                    a.what href={ "/calendar/" (id) } { bdi { (title) } }
                    @if let Some(place) = place { p.note dir="auto" { (place) } }
                    @if !notes.is_empty() { p.note { (notes.join(" · ")) } }
                    @if *declinable { (decline::offer(id, title)) }
                    @if *is_decline_drafted { p.note { a href={ "/calendar/" (id) "#decline" } { (words::DECLINE_IS_DRAFTED) } } }
                }
            }
        },
        AgendaEntry::Cancelled { id, title } => html! {
            li.event.cancelled {
                span.when { (when) }
                div { a.what href={ "/calendar/" (id) } { s { bdi { (title) } } } p.note { (words::CANCELLED) } }
            }
        },
        AgendaEntry::Task(task) => html! {
            li class=(class("task", task.is_done.then_some("done"))) { span.when { (when) } (task_of(task)) }
        },
        AgendaEntry::Payment { name, amount, note } => html! {
            li.due-payment {
                span.when { (when) }
                div {
                    a.what href="/money/ahead#recurring" { bdi { (name) } " " (amount) }
                    p.note { (note) }
                }
            }
        },
        AgendaEntry::Leave(title) => html! {
            li.leave { span.when { (when) } span { bdi { (words::leave_for(title)) } } }
        },
        AgendaEntry::Free(from, to) => html! {
            li.free { span.when { (when) } div { span { (words::FREE) } (held_time::offer(when, *from, *to)) } }
        },
        AgendaEntry::Brief => html! {
            li.look { span.when { (when) } a href="/brief" { (words::BRIEF_COMES) } }
        },
        AgendaEntry::Look => html! {
            li.look { span.when { (when) } span { (words::LOOKS_THEN) } }
        },
        AgendaEntry::Said(said) => html! {
            li.said {
                span.when { (when) }
                a href={ "/trace/" (said.trace) } data-drawer=(said.trace) {
                    bdi { (said.what) }
                    @if let Some(reason) = said.held_back {
                        " " span.note { (reason) @if said.times > 1 { " · " (words::held_back_times(said.times)) } }
                    }
                }
            }
        },
        AgendaEntry::Now => html! { li.now { span.when { (when) } span { (words::IT_IS_NOW) } } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_several_days_is_one_bar_of_a_month_named_once_a_week() {
        let monday = NaiveDate::from_ymd_opt(2026, 11, 2).unwrap();
        let event = |id: u32, title: &str| AgendaRow {
            when: String::new(),
            entry: AgendaEntry::Event {
                id: EventId::parse(&format!("ev_{id:016}")).unwrap(),
                title: title.to_owned(),
                place: None,
                notes: Vec::new(),
                clashes: false,
                declinable: false,
                is_decline_drafted: false,
            },
            minutes: None,
        };
        // Away from Saturday to Tuesday; a night at work in another line of each of its days.
        let days: Vec<AgendaDay> = monday
            .iter_days()
            .take(14)
            .enumerate()
            .map(|(at, date)| AgendaDay {
                date,
                is_today: false,
                rows: match at {
                    5..=7 => vec![event(1, "Away")],
                    8 => vec![event(1, "Away"), event(2, "Night shift")],
                    9 => vec![event(2, "Night shift")],
                    _ => Vec::new(),
                },
            })
            .collect();
        let month = month(&days, monday).into_string();
        let lines: Vec<&str> = month
            .split("<li")
            .skip(1)
            .filter_map(|line| line.split("</li>").next())
            .collect();
        let away = "/calendar/ev_0000000000000001";
        let night = "<a href=\"/calendar/ev_0000000000000002\" dir=\"auto\"><span>Night shift</span></a>";
        let named = format!("<a href=\"{away}\" dir=\"auto\"><span>Away</span></a>");
        let unnamed =
            format!("<a href=\"{away}\" title=\"Away\"><span class=\"visually-hidden\">Away</span></a>");
        assert_eq!(
            lines,
            [
                format!(" class=\"span-first span-2\">{named}"),
                format!(" class=\"span-last\">{unnamed}"),
                format!(" class=\"span-first span-2\">{named}"),
                format!(" class=\"span-last\">{unnamed}"),
                format!(">{night}"),
                format!(">{night}"),
            ]
        );
    }
}
