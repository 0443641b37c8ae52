//! What is said of a source before it is allowed.
//!
//! What: counts and spans in words, the questions about a statement, the folder picker. Why: she sees what she allows. Not here: the counts
//! (`backend::source_look`), lists and forms (`settings_form`).

use super::skip_reasons::{payments_all_old, payments_also_old};
use crate::language::{Text, say, text};
use crate::{
    backend::{
        settings::DroppedStage,
        source_look::{SourceContents, UnfitFile},
    },
    format,
};
use chrono::{Datelike as _, NaiveDate};
use toolcall_schema::SourceKind;

/// Statements that are left out until they are answered, as a name of their block.
pub const STATEMENTS_WAIT: Text = Text("source-look-statements-wait");
/// Until a look is over.
pub const LOOKING_INTO: Text = Text("source-look-looking-into");
/// A look came to nothing.
pub const LOOK_ENDED: Text = Text("source-look-look-ended");
/// The five rows of a statement.
pub const CSV_ROWS: Text = Text("source-look-csv-rows");
/// A row is money that was spent.
pub const CSV_OUT: Text = Text("source-look-csv-out");
/// A row is money that was received.
pub const CSV_IN: Text = Text("source-look-csv-in");
/// Nobody is named.
pub const CSV_NOBODY: Text = Text("source-look-csv-nobody");
/// Between two days that a date may be.
pub const CSV_OR: Text = Text("source-look-csv-or");
/// An answer.
pub const YES: Text = Text("source-look-yes");
/// The other.
pub const NO: Text = Text("source-look-no");
/// Which currency, of all amounts.
pub const CSV_CURRENCY: Text = Text("source-look-csv-currency");
/// Takes the answers.
pub const CSV_KEEP: Text = Text("source-look-csv-keep");
/// What that does.
pub const CSV_KEEP_MEANS: Text = Text("source-look-csv-keep-means");
/// A question is open.
pub const CSV_ASKED: Text = Text("source-look-csv-asked");
/// The columns of the rows, for a screen reader.
pub const CSV_COLUMNS: [Text; 4] = [
    Text("source-look-csv-columns-day"),
    Text("source-look-csv-columns-who"),
    Text("source-look-csv-columns-way"),
    Text("source-look-csv-columns-amount"),
];

/// Which column is which.
pub const CSV_WHICH_COLUMN: Text = Text("source-look-csv-which-column");
/// What columns hold.
pub const CSV_DATE: Text = Text("source-look-csv-date");
pub const CSV_PAYEE: Text = Text("source-look-csv-payee");
pub const CSV_TEXT: Text = Text("source-look-csv-text");
pub const CSV_AMOUNT: Text = Text("source-look-csv-amount");
pub const CSV_MONEY_OUT: Text = Text("source-look-csv-money-out");
pub const CSV_MONEY_IN: Text = Text("source-look-csv-money-in");
pub const CSV_BALANCE: Text = Text("source-look-csv-balance");
/// No column does.
pub const CSV_NO_COLUMN: Text = Text("source-look-csv-no-column");
/// Amounts are in one column or in two.
pub const CSV_AMOUNT_OR_TWO: Text = Text("source-look-csv-amount-or-two");
/// Shows the rows by the chosen columns.
pub const CSV_SHOW_SO: Text = Text("source-look-csv-show-so");
/// No row can be read by them.
pub const CSV_NOT_SO: Text = Text("source-look-csv-not-so");

/// What is read already is not read otherwise.
pub const CSV_COLUMNS_READ: Text = Text("source-look-csv-columns-read");

/// A column by its name, or by its place where it has none.
pub fn csv_column(name: &str) -> String {
    match name.strip_prefix('#') {
        Some(place) => say!("source-look-csv-column", place),
        None => name.to_owned(),
    }
}

/// Whether an amount was spent.
pub fn csv_money_out(amount: &str, payee: &str) -> String {
    if payee.is_empty() {
        say!("source-look-csv-money-out-is-money-out", amount)
    } else {
        say!("source-look-csv-money-out-is-to-money", amount, payee)
    }
}

/// Which day a date is.
pub fn csv_day_first(text: &str) -> String {
    say!("source-look-csv-day-first", text)
}

/// How a statement is read.
pub fn csv_read_as(name: &str) -> String {
    say!("source-look-csv-read-as", name)
}

/// The folder picker.
pub const CHOOSE_FOLDER: Text = Text("source-look-choose-folder");
/// What is recorded.
pub const CHOOSE_MEANS: Text = Text("source-look-choose-means");
/// Opens it.
pub const CHOOSE_OPEN: Text = Text("source-look-choose-open");
/// The folder around.
pub const FOLDER_UP: Text = Text("source-look-folder-up");
/// All of it can be read.
pub const FOLDER_WHOLE: Text = Text("source-look-folder-whole");
/// Nothing in it can.
pub const FOLDER_NOTHING: Text = Text("source-look-folder-nothing");
/// It is gone.
pub const FOLDER_NOT_THERE: Text = Text("source-look-folder-not-there");
/// Nothing is at the path that was typed.
pub const PATH_NOT_THERE: Text = Text("source-look-path-not-there");
/// The owner went through folders very fast.
pub const FOLDER_TOO_OFTEN: Text = Text("source-look-folder-too-often");

/// The name of the button that opens a folder.
pub fn open_folder(name: &str) -> String {
    say!("source-look-open-folder", name)
}

/// Names that are left out.
pub fn folder_more(count: usize) -> String {
    say!("source-look-folder-more", count)
}

/// Further files of the same sort.
pub fn and_more(count: usize) -> String {
    match count {
        0 => String::new(),
        more => say!("source-look-and-more", more),
    }
}

/// Dropping files.
pub const DROP_FILES: Text = Text("source-look-drop-files");
/// What becomes of them.
pub const DROP_MEANS: Text = Text("source-look-drop-means");
/// The same by a button.
pub const DROP_CHOOSE: Text = Text("source-look-drop-choose");
/// Reads those that are ticked.
pub const DROP_READ: Text = Text("source-look-drop-read");
/// Stops the file that is on its way.
pub const DROP_CANCEL: Text = Text("source-look-drop-cancel");
/// A calendar is no such file.
pub const DROP_CALENDAR: Text = Text("source-look-drop-calendar");
/// Neither is an address book: names are never kept, so it is read at each start.
pub const DROP_CONTACTS: Text = Text("source-look-drop-contacts");
/// Nobody knows what it is.
pub const DROP_UNKNOWN: Text = Text("source-look-drop-unknown");
/// It is too large.
pub const DROP_TOO_LARGE: Text = Text("source-look-drop-too-large");
/// There is no room.
pub const DROP_NO_ROOM: Text = Text("source-look-drop-no-room");

/// What became of a dropped file.
pub fn dropped_stage(stage: DroppedStage) -> &'static str {
    match stage {
        DroppedStage::Reading => text("source-look-dropped-stage-i-am-reading"),
        DroppedStage::Read => text("source-look-dropped-stage-i-have-read"),
        DroppedStage::Failed => text("source-look-dropped-stage-i-could-not"),
    }
}

/// What to choose in place of a file that cannot be read.
pub fn unfit_file(file: UnfitFile) -> &'static str {
    match file {
        UnfitFile::Spreadsheet => text("source-look-unfit-file-this-is-a"),
        UnfitFile::Picture => text("source-look-unfit-file-this-is-a-2"),
        UnfitFile::Document => text("source-look-unfit-file-this-is-a-3"),
        UnfitFile::LockedArchive => text("source-look-unfit-file-this-archive-is"),
    }
}

/// What a source holds, in one or two sentences.
pub fn source_holds(list: SourceKind, holds: &SourceContents) -> String {
    let says = match list {
        SourceKind::Mail => mails(holds),
        SourceKind::Contacts => people(holds),
        SourceKind::Calendar => calendar(holds),
        SourceKind::Notifications => of_many(
            holds,
            holds.figures.items,
            text("source-look-notification"),
            text("source-look-notifications"),
            text("source-look-source-holds-no-notification-found"),
        ),
        SourceKind::Sms | SourceKind::Finance | SourceKind::Receipts => payments(holds),
        SourceKind::Wellness if holds.figures.nights > 0 => of_many(
            holds,
            holds.figures.nights,
            text("source-look-source-holds-night"),
            text("source-look-source-holds-nights"),
            "",
        ),
        SourceKind::Wellness => of_many(
            holds,
            holds.figures.items,
            text("source-look-measurement"),
            text("source-look-measurements"),
            text("source-look-source-holds-no-measurement-found"),
        ),
    };
    let is_asked = holds.csv.as_ref().is_some_and(|csv| !csv.questions.is_empty());
    if is_asked {
        return CSV_ASKED.say().to_owned();
    }
    let skipped = holds.figures.skipped.saturating_sub(too_old(holds));
    if skipped > 0 {
        let skipped = match skipped {
            1 => text("source-look-source-holds-one-thing-in").to_owned(),
            more => say!("source-look-source-holds-things-in-it", whole = whole(more)),
        };
        return say!("source-look-source-holds-left-out", says, skipped);
    }
    says
}

/// The code of payments that are older than what is counted.
pub const TOO_OLD_CODE: &str = "AGENT-115";

fn too_old(holds: &SourceContents) -> u32 {
    let old = holds
        .figures
        .skips
        .iter()
        .filter(|skip| skip.code == TOO_OLD_CODE);
    old.fold(0_u32, |sum, skip| sum.saturating_add(skip.count))
}

fn payments(holds: &SourceContents) -> String {
    let (new, old) = (holds.figures.payments, u64::from(too_old(holds)));
    if new == 0 && old > 0 {
        return payments_all_old(old);
    }
    let says = of_many(
        holds,
        new,
        text("source-look-payment"),
        text("source-look-payments"),
        text("source-look-source-holds-no-payment-found"),
    );
    if old > 0 {
        return format!("{says} {}", payments_also_old(old));
    }
    says
}

/// A count with thousands apart.
fn whole(n: u32) -> String {
    format::number(f64::from(n))
}

fn counted(holds: &SourceContents, n: u32, one: &str, many: &str) -> String {
    let thing = if n == 1 { one } else { many };
    if holds.figures.complete {
        format!("{} {thing}", whole(n))
    } else {
        say!("source-look-counted", whole = whole(n), thing)
    }
}

fn of_many(holds: &SourceContents, n: u32, one: &str, many: &str, none: &str) -> String {
    if n == 0 {
        return none.to_owned();
    }
    let counted = counted(holds, n, one, many);
    match holds.figures.first.zip(holds.figures.last) {
        Some((first, last)) => format!("{counted}, {}.", span_of(first, last)),
        None => format!("{counted}."),
    }
}

/// Events, and the tasks beside them; a list of tasks alone has no events to miss.
fn calendar(holds: &SourceContents) -> String {
    let tasks = holds.figures.tasks;
    if tasks.read == 0 {
        return of_many(
            holds,
            holds.figures.items,
            text("source-look-calendar-event"),
            text("source-look-calendar-events"),
            text("source-look-calendar-no-event-found"),
        );
    }
    let open = match tasks.open {
        0 => text("source-look-calendar-no-open-task").to_owned(),
        open => counted(
            holds,
            open,
            text("source-look-calendar-open-task"),
            text("source-look-calendar-open-tasks"),
        ),
    };
    let due = (tasks.due > 0).then(|| say!("source-look-calendar-due-this-week", whole = whole(tasks.due)));
    let overdue =
        (tasks.overdue > 0).then(|| say!("source-look-calendar-overdue", whole = whole(tasks.overdue)));
    let parts: Vec<String> = [Some(open), due, overdue].into_iter().flatten().collect();
    let tasks = format!("{}.", parts.join(", "));
    if holds.figures.items == 0 {
        return tasks;
    }
    format!(
        "{} {tasks}",
        of_many(
            holds,
            holds.figures.items,
            text("source-look-calendar-event"),
            text("source-look-calendar-events"),
            ""
        )
    )
}

fn people(holds: &SourceContents) -> String {
    if holds.figures.items == 0 {
        return text("source-look-people-nobody-found-there").to_owned();
    }
    let people = counted(
        holds,
        holds.figures.items,
        text("source-look-people-person"),
        text("source-look-people-people"),
    );
    let addresses = match holds.figures.addresses {
        0 => text("source-look-people-no-address-or").to_owned(),
        1 => text("source-look-people-1-address-or").to_owned(),
        many => say!("source-look-people-addresses-and-numbers", whole = whole(many)),
    };
    format!("{people}, {addresses}.")
}

/// `1 Aug to 20 Nov`, with the year where it is not the same.
fn span_of(first: NaiveDate, last: NaiveDate) -> String {
    if first == last {
        return say!("source-look-span-of-on", value = with_year(last));
    }
    let begins = if first.year() == last.year() {
        format::short_date(first)
    } else {
        with_year(first)
    };
    say!("source-look-span-of-to", begins, value = with_year(last))
}

fn with_year(day: NaiveDate) -> String {
    format::with_year(&format::short_date(day), day)
}

fn mails(holds: &SourceContents) -> String {
    if holds.figures.items == 0 {
        return text("source-look-mails-no-mail-found").to_owned();
    }
    let counted = counted(
        holds,
        holds.figures.items,
        text("source-look-mails-mail"),
        text("source-look-mails-mails"),
    );
    let Some(newest) = holds.figures.newest else {
        return format!("{counted}.");
    };
    let zone = format::zone(&holds.zone);
    let minutes = holds.at.since(newest).max(0) / 60_000;
    let newest_day = format::local_date(newest, zone);
    let when = match minutes {
        0 => text("source-look-mails-a-moment-ago").to_owned(),
        1 => text("source-look-mails-a-minute-ago").to_owned(),
        2..60 => say!("source-look-mails-minutes-ago", in_words = in_words(minutes)),
        60..120 => text("source-look-mails-an-hour-ago").to_owned(),
        120..1440 => say!("source-look-mails-hours-ago", in_words = in_words(minutes / 60)),
        1440..2880 => text("source-look-mails-a-day-ago").to_owned(),
        2880..11_520 => say!("source-look-mails-days-ago", in_words = in_words(minutes / 1440)),
        _ if newest_day.year() == format::local_date(holds.at, zone).year() => {
            say!("source-look-mails-on", value = format::day_and_month(newest_day))
        }
        _ => say!("source-look-mails-in", value = format::month_and_year(newest_day)),
    };
    let lately = if holds.figures.lately == 0 {
        text("source-look-mails-i-count-mails")
    } else {
        ""
    };
    say!("source-look-mails-newest", counted, when, lately)
}

/// A number as a person says it, up to twelve.
fn in_words(n: i64) -> String {
    const WORDS: [Text; 13] = [
        Text("source-look-words-no"),
        Text("source-look-words-one"),
        Text("source-look-words-two"),
        Text("source-look-words-three"),
        Text("source-look-words-four"),
        Text("source-look-words-five"),
        Text("source-look-words-six"),
        Text("source-look-words-seven"),
        Text("source-look-words-eight"),
        Text("source-look-words-nine"),
        Text("source-look-words-ten"),
        Text("source-look-words-eleven"),
        Text("source-look-words-twelve"),
    ];
    let word = usize::try_from(n).ok().and_then(|n| WORDS.get(n));
    word.map_or_else(|| n.to_string(), |word| word.say().to_owned())
}

/// The heading of the calendars on the welcome.
pub const PLACES_TITLE: Text = Text("source-look-places-title");
/// Above the places of a calendar.
pub const PLACES_ASKED: Text = Text("source-look-places-asked");
/// What the answer is for.
pub const PLACES_MEANS: Text = Text("source-look-places-means");
/// Keeps the answers.
pub const PLACES_KEEP: Text = Text("source-look-places-keep");
/// Nothing was said of it.
pub const PLACE_UNSAID: Text = Text("source-look-place-unsaid");
/// Minutes, and how they are said.
pub const PLACE_WAYS: [(u32, Text); 7] = [
    (0, Text("source-look-in-words-no-way-at")),
    (10, Text("source-look-in-words-10-minutes")),
    (20, Text("source-look-in-words-20-minutes")),
    (30, Text("source-look-in-words-30-minutes")),
    (45, Text("source-look-in-words-45-minutes")),
    (60, Text("source-look-in-words-an-hour")),
    (120, Text("source-look-in-words-two-hours")),
];

/// Places that are asked about later.
pub fn places_more(count: usize) -> String {
    if count == 1 {
        text("source-look-places-more-one-more-place").to_owned()
    } else {
        say!("source-look-places-more-more-places-after", count)
    }
}

/// What was said.
pub fn places_said(count: usize) -> String {
    if count == 1 {
        text("source-look-places-said-one-place-whose").to_owned()
    } else {
        say!("source-look-places-said-places-whose-way", count)
    }
}

/// A statement that is left out until its owner answers.
pub fn statement_waits(name: &str) -> String {
    say!("source-look-statement-waits", name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::source_look::{CsvQuestionView, CsvStatementView};
    use toolcall_schema::{
        Timestamp,
        preview::{SourceFigures, TaskCount},
        tick::SkippedItem,
    };

    fn day(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).unwrap()
    }

    #[test]
    fn counts_and_spans_are_said_as_a_person_would() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let base = SourceFigures {
            complete: true,
            ..SourceFigures::default()
        };
        let contents = |figures| SourceContents {
            figures,
            at: at("2026-11-20T12:00:00Z"),
            zone: "Asia/Kolkata".to_owned(),
            ..SourceContents::default()
        };
        let mails = |items, lately, newest| SourceFigures {
            items,
            lately,
            newest: Some(at(newest)),
            ..base.clone()
        };
        let paid = |payments, first, last| SourceFigures {
            payments,
            first: Some(first),
            last: Some(last),
            ..base.clone()
        };
        let people = |items, addresses| SourceFigures {
            items,
            addresses,
            ..base.clone()
        };
        let tasks = |items, (read, open, due, overdue)| SourceFigures {
            items,
            tasks: TaskCount {
                read,
                open,
                due,
                overdue,
            },
            ..base.clone()
        };
        let nights = SourceFigures {
            items: 400,
            nights: 41,
            ..base.clone()
        };
        let asked = SourceContents {
            csv: Some(CsvStatementView {
                questions: vec![CsvQuestionView::Currency],
                ..CsvStatementView::default()
            }),
            ..contents(base.clone())
        };
        let in_part = SourceFigures {
            complete: false,
            skipped: 1,
            ..mails(65_536, 3, "2026-11-20T09:59:00Z")
        };
        let one_event = SourceFigures {
            items: 1,
            skipped: 1200,
            ..base.clone()
        };
        let old = |payments, skipped, old| SourceFigures {
            payments,
            skipped,
            skips: vec![SkippedItem {
                code: TOO_OLD_CODE.to_owned(),
                item: "a.csv".to_owned(),
                line: None,
                count: old,
                message: String::new(),
            }],
            ..base.clone()
        };
        for (list, holds, said) in [
            (
                SourceKind::Finance,
                old(0, 2, 2),
                "2 payments, all older than 120 days. I work with newer ones: export the last months.",
            ),
            (
                SourceKind::Finance,
                old(3, 1201, 1200),
                "3 payments. 1,200 more are older than 120 days, and I leave them out. One thing in it is left out.",
            ),
            (
                SourceKind::Mail,
                mails(500, 12, "2026-11-20T11:56:00Z"),
                "500 mails, newest four minutes ago.",
            ),
            (
                SourceKind::Mail,
                mails(1, 1, "2026-11-20T11:59:30Z"),
                "1 mail, newest a moment ago.",
            ),
            (
                SourceKind::Mail,
                mails(2, 0, "2026-11-17T11:00:00Z"),
                "2 mails, newest three days ago. I count mails of the last day: none of them yet.",
            ),
            (
                SourceKind::Mail,
                mails(2, 0, "2026-02-28T20:00:00Z"),
                "2 mails, newest on 1 March. I count mails of the last day: none of them yet.",
            ),
            (
                SourceKind::Mail,
                mails(500, 0, "2019-03-04T11:56:00Z"),
                "500 mails, newest in March 2019. I count mails of the last day: none of them yet.",
            ),
            (SourceKind::Mail, base.clone(), "No mail found there."),
            (
                SourceKind::Calendar,
                tasks(0, (14, 12, 3, 0)),
                "12 open tasks, 3 due this week.",
            ),
            (
                SourceKind::Calendar,
                tasks(7, (2, 1, 0, 1)),
                "7 events. 1 open task, 1 overdue.",
            ),
            (SourceKind::Calendar, tasks(0, (3, 0, 0, 0)), "No open task."),
            (SourceKind::Calendar, base.clone(), "No event found there."),
            (
                SourceKind::Mail,
                in_part,
                "At least 65,536 mails, newest two hours ago. One thing in it is left out.",
            ),
            (
                SourceKind::Finance,
                paid(117, day(2026, 8, 1), day(2026, 11, 20)),
                "117 payments, 1 Aug to 20 Nov 2026.",
            ),
            (
                SourceKind::Finance,
                paid(2, day(2025, 12, 31), day(2026, 1, 1)),
                "2 payments, 31 Dec 2025 to 1 Jan 2026.",
            ),
            (
                SourceKind::Receipts,
                paid(1, day(2026, 8, 1), day(2026, 8, 1)),
                "1 payment, on 1 Aug 2026.",
            ),
            (SourceKind::Finance, base.clone(), "No payment found there."),
            (SourceKind::Wellness, nights, "41 nights."),
            (
                SourceKind::Contacts,
                people(312, 401),
                "312 people, 401 addresses and numbers.",
            ),
            (
                SourceKind::Contacts,
                people(1, 0),
                "1 person, no address or number.",
            ),
            (SourceKind::Contacts, base.clone(), "Nobody found there."),
            (
                SourceKind::Calendar,
                one_event,
                "1 event. 1,200 things in it are left out.",
            ),
        ] {
            assert_eq!(source_holds(list, &contents(holds)), said);
        }
        assert_eq!(source_holds(SourceKind::Finance, &asked), CSV_ASKED.say());
    }
}
