//! A look into a source, and the folder picker.
//!
//! What: the parts of a page that come when a look is over, and the handlers that the script asks for them. Why: the page is there at once, and
//! what a source holds follows as it is counted. Not here: the forms around them (`settings_page`), looking (the backend).

use super::{
    api::JsonBody,
    error::WebError,
    settings_page::{found_row, may_add},
    source_remedy::skipped_items,
    state::AppState,
};
use axum::{extract::State, http::HeaderMap, response::Html};
use maud::{Markup, html};
use serde::Deserialize;
use std::{path::Path, sync::Arc};
use surfaces_base::{
    backend::{
        settings::{FoundSourceView, SourceRef, SourceView},
        source_look::{
            CsvQuestionView, CsvStatementView, FolderReply, FolderView, ListedNameKind, NamedPathReply,
            PlaceView, SourceContents, SourceLookReply,
        },
    },
    format, words,
};
use toolcall_schema::{
    AgentName, SourceKind,
    preview::{StatementColumns, StatementRow},
    signal::Direction,
    tick::SkippedItem,
};

/// Characters of a path that a page may send.
const PATH_MAX: usize = 4096;

/// `POST /form/sources/look`: what a source holds. One that is read already may be looked at by its owner anywhere; another one by the browser that may
/// allow it.
pub(super) async fn look(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let SourceLookBody { list, path, columns } = body?.read()?;
    let source = SourceRef { list, path };
    let named = columns.iter().flat_map(StatementColumns::names);
    if named
        .into_iter()
        .any(|name| name.chars().count() > PATH_MAX || name.contains(char::is_control))
    {
        return Err(WebError::BadBody);
    }
    if source.path.chars().count() > PATH_MAX || source.path.contains(char::is_control) {
        return Err(WebError::BadBody);
    }
    let view = app.backend.home_file().await?.ok_or(WebError::NotFound)?;
    let is_proven = may_add(&app, &headers);
    let is_read = view.sources.iter().any(|known| known.source == source);
    if !is_proven && !is_read {
        return Err(WebError::NotProven);
    }
    let shown = match app
        .backend
        .look_at_source(source.clone(), columns.clone())
        .await?
    {
        SourceLookReply::Holds(mut holds) => {
            let is_chosen = columns.is_some();
            // What cannot be read so is shown as she chose it, to be put right.
            if let (Some(csv), Some(columns)) = (&mut holds.csv, columns) {
                csv.columns = columns;
            }
            let in_folder = |known: &SourceView| {
                known.source.list == source.list && is_in(&source.path, &known.source.path)
            };
            let is_read = is_read || view.sources.iter().any(in_folder);
            let visit = LookVisit {
                is_proven,
                is_chosen,
                is_read,
                counts: is_read && is_chosen && !waits(&app, &source).await?,
            };
            contents(&source, &holds, visit)
        }
        SourceLookReply::Ended => html! { p.note { (words::LOOK_ENDED) } },
        SourceLookReply::Unfit(file) => html! { p.note { (words::unfit_file(file)) } },
    };
    Ok(Html(shown.into_string()))
}

/// Whether a statement is left out until its owner answers.
async fn waits(app: &AppState, source: &SourceRef) -> Result<bool, WebError> {
    let reading = app.backend.reading().await?;
    let asked = reading
        .get(&AgentName::Finance)
        .map_or(&[][..], |read| &read.asked);
    Ok(asked.iter().any(|one| one.path == source.path))
}

/// Whether a path lies in a folder.
fn is_in(path: &str, folder: &str) -> bool {
    Path::new(path).starts_with(folder)
}

/// A source, and of an export the columns that its owner chose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceLookBody {
    list: SourceKind,
    path: String,
    #[serde(default)]
    columns: Option<StatementColumns>,
}

/// For whom a look is shown.
#[derive(Clone, Copy)]
struct LookVisit {
    /// Her browser may allow sources.
    is_proven: bool,
    /// She chose the columns just now.
    is_chosen: bool,
    /// The source is one of those that are read, or lies in a folder that is.
    is_read: bool,
    /// Its payments count by other columns than she chose just now.
    counts: bool,
}

fn contents(source: &SourceRef, holds: &SourceContents, visit: LookVisit) -> Markup {
    html! {
        p.note.holds { (words::source_holds(source.list, holds)) }
        (why_left_out(holds))
        @if let Some(csv) = &holds.csv { (statement(source, csv, visit)) }
        @if !holds.places.is_empty() { (places(&holds.places)) }
    }
}

/// Why something in it is left out: a sentence, or where there are several a list of them that is opened.
fn why_left_out(holds: &SourceContents) -> Markup {
    // How old payments are is said with their count, and what a statement leaves open is asked.
    let is_asked = holds.csv.as_ref().is_some_and(|csv| !csv.questions.is_empty());
    let said = |skip: &&SkippedItem| skip.code != words::TOO_OLD_CODE && !is_asked;
    let why: Vec<&SkippedItem> = holds.figures.skips.iter().filter(said).collect();
    html! {
        @match why.as_slice() {
            [] => {},
            [one] => p.note { (words::skip_reason(&one.code).unwrap_or(&one.message)) },
            several => details.note {
                summary { (words::SKIP_WHY) }
                (skipped_items(several, false))
            },
        }
    }
}

/// Places that are asked about at once: the rest is asked when these are answered.
const ASKED_MAX: usize = 5;

/// How far the places of a calendar are from home: asked once each, and what was said, to be changed.
fn places(places: &[PlaceView]) -> Markup {
    let (said, open): (Vec<&PlaceView>, Vec<&PlaceView>) =
        places.iter().partition(|place| place.minutes.is_some());
    let keep = html! { p.buttons { button.side type="button" data-answer-places { (words::PLACES_KEEP) } } };
    html! {
        @if !open.is_empty() {
            div.questions data-places {
                p { (words::PLACES_ASKED) }
                @for place in open.iter().take(ASKED_MAX) { (place_field(place)) }
                @if open.len() > ASKED_MAX { p.note { (words::places_more(open.len() - ASKED_MAX)) } }
                (keep)
                p.note { (words::PLACES_MEANS) }
            }
        }
        @if !said.is_empty() {
            details {
                summary { (words::places_said(said.len())) }
                div.questions data-places {
                    @for place in &said { (place_field(place)) }
                    (keep)
                }
            }
        }
    }
}

fn place_field(place: &PlaceView) -> Markup {
    let was = place
        .minutes
        .map(|minutes| minutes.to_string())
        .unwrap_or_default();
    let is_other = place
        .minutes
        .is_some_and(|minutes| words::PLACE_WAYS.iter().all(|(known, _)| *known != minutes));
    html! {
        label dir="auto" { bdi { (place.name) }
            select data-place=(place.place) data-was=(was) {
                option value="" selected[place.minutes.is_none()] { (words::PLACE_UNSAID) }
                @for (minutes, says) in words::PLACE_WAYS {
                    option value=(minutes) selected[place.minutes == Some(minutes)] { (says) }
                }
                @if let Some(minutes) = place.minutes.filter(|_| is_other) {
                    option value=(minutes) selected { (format::minutes(i64::from(minutes))) }
                }
            }
        }
        @if let Some(far) = &place.town { p.note dir="auto" { (words::far_town(&far.town, far.km)) } }
    }
}

fn statement(source: &SourceRef, csv: &CsvStatementView, visit: LookVisit) -> Markup {
    let LookVisit {
        is_proven,
        is_chosen,
        is_read,
        counts,
    } = visit;
    let has_rows = !csv.rows.is_empty();
    html! {
        @if let Some(name) = csv.name.as_ref().filter(|name| !name.is_empty()) { p.note dir="auto" { (words::csv_read_as(name)) } }
        @if !csv.rows.is_empty() {
            table.csv {
                caption { (words::CSV_ROWS) }
                thead.visually-hidden { tr { @for column in words::CSV_COLUMNS { th scope="col" { (column) } } } }
                @let decimals = format::decimals_of(csv.rows.iter().map(|row| row.amount));
                tbody { @for row in &csv.rows { (csv_row(row, decimals)) } }
            }
        }
        @if is_chosen && !has_rows { p.flag role="status" { (words::CSV_NOT_SO) } }
        @if is_proven && !csv.names.is_empty() { (columns(csv, is_chosen)) }
        @if is_proven && (!csv.questions.is_empty() || is_chosen && has_rows) {
            div.questions data-csv=(source.path) data-chosen[is_chosen] data-read[is_read] {
                @for question in &csv.questions { (csv_question(&source.path, question)) }
                p.buttons { button.side type="button" data-answer-csv { (words::CSV_KEEP) } }
                @if counts { p.note { (words::CSV_COLUMNS_READ) } }
                p.note { (words::CSV_KEEP_MEANS) }
            }
        }
    }
}

/// Which column is which, to be put right.
fn columns(csv: &CsvStatementView, is_open: bool) -> Markup {
    let used = &csv.columns;
    let date = Some(used.date.clone());
    let fields = [
        ("date", words::CSV_DATE, &date),
        ("payee", words::CSV_PAYEE, &used.payee),
        ("text", words::CSV_TEXT, &used.text),
        ("amount", words::CSV_AMOUNT, &used.amount),
        ("money_out", words::CSV_MONEY_OUT, &used.money_out),
        ("money_in", words::CSV_MONEY_IN, &used.money_in),
        ("balance", words::CSV_BALANCE, &used.balance),
    ];
    html! {
        details.columns open[is_open] {
            summary { (words::CSV_WHICH_COLUMN) }
            div.questions {
                @for (key, says, chosen) in fields {
                    label { (says)
                        select data-column=(key) {
                            @if key != "date" { option value="" { (words::CSV_NO_COLUMN) } }
                            @for name in &csv.names {
                                option value=(name) selected[chosen.as_ref() == Some(name)] { (words::csv_column(name)) }
                            }
                        }
                    }
                }
            }
            p.note { (words::CSV_AMOUNT_OR_TWO) }
            p.buttons { button.side type="button" data-show-columns { (words::CSV_SHOW_SO) } }
        }
    }
}

/// `decimals`: of the column, where no currency says how many.
fn csv_row(row: &StatementRow, decimals: u32) -> Markup {
    let payee = if row.payee.is_empty() {
        words::CSV_NOBODY.say()
    } else {
        &row.payee
    };
    html! {
        tr {
            td {
                span.day { (day_in_words(&row.day, true)) }
                @if let Some(other) = &row.other_day { " " (words::CSV_OR) " " span.day { (day_in_words(other, true)) } }
            }
            td { bdi { (payee) } }
            td { (if row.direction == Direction::Debit { words::CSV_OUT.say() } else { words::CSV_IN.say() }) }
            td.amount { (amount(row.amount, &row.currency, decimals)) }
        }
    }
}

/// An amount as it is known so far.
fn amount(amount: rust_decimal::Decimal, currency: &str, decimals: u32) -> String {
    if currency.is_empty() {
        format::bare_amount(amount, decimals)
    } else {
        format::money(amount, currency)
    }
}

/// A day of a row, short or in full; as it is written where that is no day.
fn day_in_words(day: &str, is_short: bool) -> String {
    let said = |date| {
        let of_year = if is_short {
            format::short_date(date)
        } else {
            format::day_and_month(date)
        };
        format::with_year(&of_year, date)
    };
    day.parse().map_or_else(|_| day.to_owned(), said)
}

fn csv_question(path: &str, question: &CsvQuestionView) -> Markup {
    let choice = |ask: &str, title: &str, yes: &str, no: &str| {
        html! {
            fieldset.choice data-ask=(ask) {
                legend dir="auto" { (title) }
                label { input type="radio" name={ (ask) ":" (path) } value="true"; span { (yes) } }
                label { input type="radio" name={ (ask) ":" (path) } value="false"; span { (no) } }
            }
        }
    };
    match question {
        CsvQuestionView::MoneyOut { amount: asked, payee } => choice(
            "money_out",
            &words::csv_money_out(&amount(*asked, "", format::decimals_of([*asked])), payee),
            words::YES.say(),
            words::NO.say(),
        ),
        CsvQuestionView::DayFirst {
            text,
            day_first,
            month_first,
        } => choice(
            "day_first",
            &words::csv_day_first(text),
            &day_in_words(day_first, false),
            &day_in_words(month_first, false),
        ),
        CsvQuestionView::Currency => html! {
            label { (words::CSV_CURRENCY)
                input data-ask="currency" type="text" autocomplete="off" size="4" maxlength="3" autocapitalize="characters";
            }
        },
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FolderBody {
    /// Below the owner's folder.
    below: String,
}

/// `POST /form/sources/folder`: the names in a folder below the owner's.
pub(super) async fn folder(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let FolderBody { below } = body?.read()?;
    if below.chars().count() > PATH_MAX || below.contains(char::is_control) {
        return Err(WebError::BadBody);
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let shown = match app.backend.list_folder(below).await {
        Ok(FolderReply::Names(view)) => names(&view),
        Ok(FolderReply::NotThere) => html! { p.note { (words::FOLDER_NOT_THERE) } },
        Ok(FolderReply::TooOften) => html! { p.note { (words::FOLDER_TOO_OFTEN) } },
        Err(error) => return Err(error.into()),
    };
    Ok(Html(shown.into_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedPathBody {
    /// What it holds; empty: what is found in it.
    list: String,
    path: String,
}

/// `POST /form/sources/path`: the source that a path names, to be looked into and ticked.
pub(super) async fn named_path(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let NamedPathBody { list, path } = body?.read()?;
    let list = match list.as_str() {
        "" => None,
        said => Some(
            SourceKind::ALL
                .iter()
                .copied()
                .find(|kind| kind.as_str() == said)
                .ok_or(WebError::BadBody)?,
        ),
    };
    if path.chars().count() > PATH_MAX || path.contains(char::is_control) {
        return Err(WebError::BadBody);
    }
    if !may_add(&app, &headers) {
        return Err(WebError::NotProven);
    }
    let shown = match app.backend.name_source(path.clone(), list).await? {
        NamedPathReply::Source(source) => html! {
            ul.found { (found_row(&FoundSourceView { source, program: path, place: String::new() })) }
        },
        NamedPathReply::NotThere => html! { p.note { (words::PATH_NOT_THERE) } },
        NamedPathReply::Unclear => html! { p.note { (words::ADD_KIND_UNCLEAR) } },
        NamedPathReply::TooOften => html! { p.note { (words::FOLDER_TOO_OFTEN) } },
    };
    Ok(Html(shown.into_string()))
}

fn names(view: &FolderView) -> Markup {
    let file = |name: &str, source: &SourceRef| {
        found_row(&FoundSourceView {
            source: source.clone(),
            program: name.to_owned(),
            place: String::new(),
        })
    };
    html! {
        p.head tabindex="-1" data-folder-title dir="auto" { bdi { (view.place) } }
        ul.found.folder {
            @if let Some(up) = &view.up {
                li { button.plain type="button" data-folder=(up) { (words::FOLDER_UP) } }
            }
            @if let Some(whole) = &view.whole { (file(words::FOLDER_WHOLE.say(), whole)) }
            @for entry in &view.entries {
                @match &entry.is {
                    ListedNameKind::Folder(below) => li {
                        button.plain type="button" data-folder=(below) aria-label=(words::open_folder(&entry.name)) dir="auto" { bdi { (entry.name) } "/" }
                    },
                    ListedNameKind::File(source) => (file(&entry.name, source)),
                }
            }
        }
        @if !view.unfit.is_empty() {
            ul.plain-list {
                @for names in &view.unfit {
                    li dir="auto" { bdi { (names.first) } (words::and_more(names.more)) ": " (words::unfit_file(names.file)) }
                }
            }
        }
        @if view.entries.is_empty() && view.unfit.is_empty() && view.whole.is_none() { p.none { (words::FOLDER_NOTHING) } }
        @if view.more > 0 { p.note { (words::folder_more(view.more)) } }
    }
}
