//! What is said of a source before it is allowed.
//!
//! What: counts and spans in words, the questions about a statement, the folder picker. Why: she sees what she allows. Not here: the counts
//! (`backend::source_look`), lists and forms (`settings_form`).

use crate::{
    backend::{
        settings::DroppedStage,
        source_look::{SourceContents, UnfitFile},
    },
    format,
};
use chrono::{Datelike as _, NaiveDate};
use toolcall_schema::SourceKind;

/// Until a look is over.
pub const LOOKING_INTO: &str = "Looking…";
/// A look came to nothing.
pub const LOOK_ENDED: &str =
    "I could not look into this. It may be damaged, or too much for one look. It can still be allowed.";
/// The five rows of a statement.
pub const CSV_ROWS: &str = "The first payments, as I would read them";
/// A row is money that was spent.
pub const CSV_OUT: &str = "out";
/// A row is money that was received.
pub const CSV_IN: &str = "in";
/// Nobody is named.
pub const CSV_NOBODY: &str = "no name";
/// Between two days that a date may be.
pub const CSV_OR: &str = "or";
/// An answer.
pub const YES: &str = "Yes";
/// The other.
pub const NO: &str = "No";
/// Which currency, of all amounts.
pub const CSV_CURRENCY: &str = "Which currency is this? Three letters, such as EUR.";
/// Takes the answers.
pub const CSV_KEEP: &str = "Read it so";
/// What that does.
pub const CSV_KEEP_MEANS: &str = "I keep your answer for this bank, and do not ask about its next statement.";
/// A question is open.
pub const CSV_ASKED: &str = "The file does not say everything. Until you answer, none of it is read.";
/// The columns of the rows, for a screen reader.
pub const CSV_COLUMNS: [&str; 4] = ["Day", "Who", "Way", "Amount"];

/// Whether an amount was spent.
pub fn csv_money_out(amount: &str, payee: &str) -> String {
    if payee.is_empty() {
        format!("Is {amount} money out?")
    } else {
        format!("Is {amount} to “{payee}” money out?")
    }
}

/// Which day a date is.
pub fn csv_day_first(text: &str) -> String {
    format!("Which day is {text}?")
}

/// How a statement is read.
pub fn csv_read_as(name: &str) -> String {
    format!("Read as “{name}”.")
}

/// The folder picker.
pub const CHOOSE_FOLDER: &str = "Choose a folder or a file";
/// What is recorded.
pub const CHOOSE_MEANS: &str = "I show names below your home folder. Each look is written into your own log.";
/// Opens it.
pub const CHOOSE_OPEN: &str = "Show my folders";
/// The folder around.
pub const FOLDER_UP: &str = "One folder up";
/// All of it can be read.
pub const FOLDER_WHOLE: &str = "This whole folder";
/// Nothing in it can.
pub const FOLDER_NOTHING: &str = "No folder here, and no file that I can read.";
/// It is gone.
pub const FOLDER_NOT_THERE: &str = "That folder is not there, or I may not look into it.";
/// The owner went through folders very fast.
pub const FOLDER_TOO_OFTEN: &str = "That was a lot of folders within a minute. Try again in a moment.";

/// The name of the button that opens a folder.
pub fn open_folder(name: &str) -> String {
    format!("Open {name}")
}

/// Names that are left out.
pub fn folder_more(count: usize) -> String {
    format!("And {count} more.")
}

/// Further files of the same sort.
pub fn and_more(count: usize) -> String {
    match count {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

/// Dropping files.
pub const DROP_FILES: &str = "Drop files here";
/// What becomes of them.
pub const DROP_MEANS: &str = "A statement of your bank, an export of your health app, mail. I read each once, in this computer's memory, and keep no copy of it.";
/// The same by a button.
pub const DROP_CHOOSE: &str = "Or choose them";
/// Reads those that are ticked.
pub const DROP_READ: &str = "Read what is ticked";
/// Stops the file that is on its way.
pub const DROP_CANCEL: &str = "Cancel";
/// A calendar is no such file.
pub const DROP_CALENDAR: &str =
    "A calendar changes, and I read it where it changes. Choose it below, under “Show my folders”.";
/// Neither is an address book: names are never kept, so it is read at each start.
pub const DROP_CONTACTS: &str = "I keep no names, so I read contacts anew at each start, where they lie. Save this file in a folder that stays, and choose it below, under “Show my folders”.";
/// Nobody knows what it is.
pub const DROP_UNKNOWN: &str = "I do not know this kind of file. From your bank choose CSV or OFX, from your health app its export, of mail .eml or .mbox.";
/// It is too large.
pub const DROP_TOO_LARGE: &str = "That is more than 128 MB, or than I can hold at once. Choose it below, under “Show my folders”: I read it then where it is.";
/// There is no room.
pub const DROP_NO_ROOM: &str = "It did not come through, or this computer has no memory for it now. Choose it below, under “Show my folders”: I read it then where it is.";

/// What became of a dropped file.
pub fn dropped_stage(stage: DroppedStage) -> &'static str {
    match stage {
        DroppedStage::Reading => "I am reading it.",
        DroppedStage::Read => "I have read it, and kept no copy.",
        DroppedStage::Failed => "I could not read it. Drop it once more.",
    }
}

/// What to choose in place of a file that cannot be read.
pub fn unfit_file(file: UnfitFile) -> &'static str {
    match file {
        UnfitFile::Spreadsheet => {
            "This is a spreadsheet. Save it as CSV in the program that made it, and choose that file."
        }
        UnfitFile::Picture => {
            "This is a picture, and I read none. Choose the data itself: a CSV or OFX file of your bank, the export of your health app."
        }
        UnfitFile::Document => {
            "This is a document, and I read none. Most banks offer the same months as CSV or OFX: choose that file."
        }
        UnfitFile::LockedArchive => {
            "This archive is locked with a password. Unpack it, or export it again without one, and choose that."
        }
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
            holds.items,
            "notification",
            "notifications",
            "No notification found there.",
        ),
        SourceKind::Sms | SourceKind::Finance | SourceKind::Receipts => of_many(
            holds,
            holds.payments,
            "payment",
            "payments",
            "No payment found there.",
        ),
        SourceKind::Wellness if holds.nights > 0 => of_many(holds, holds.nights, "night", "nights", ""),
        SourceKind::Wellness => of_many(
            holds,
            holds.items,
            "measurement",
            "measurements",
            "No measurement found there.",
        ),
    };
    let is_asked = holds.csv.as_ref().is_some_and(|csv| !csv.questions.is_empty());
    if is_asked {
        return CSV_ASKED.to_owned();
    }
    if holds.skipped > 0 {
        let skipped = match holds.skipped {
            1 => "One thing in it is".to_owned(),
            more => format!("{} things in it are", whole(more)),
        };
        return format!("{says} {skipped} left out.");
    }
    says
}

/// A count with thousands apart.
fn whole(n: u32) -> String {
    format::number(f64::from(n))
}

fn counted(holds: &SourceContents, n: u32, one: &str, many: &str) -> String {
    let thing = if n == 1 { one } else { many };
    if holds.complete {
        format!("{} {thing}", whole(n))
    } else {
        format!("At least {} {thing}", whole(n))
    }
}

fn of_many(holds: &SourceContents, n: u32, one: &str, many: &str, none: &str) -> String {
    if n == 0 {
        return none.to_owned();
    }
    let counted = counted(holds, n, one, many);
    match holds.first.zip(holds.last) {
        Some((first, last)) => format!("{counted}, {}.", span_of(first, last)),
        None => format!("{counted}."),
    }
}

/// Events, and the tasks beside them; a list of tasks alone has no events to miss.
fn calendar(holds: &SourceContents) -> String {
    let tasks = holds.tasks;
    if tasks.read == 0 {
        return of_many(holds, holds.items, "event", "events", "No event found there.");
    }
    let open = match tasks.open {
        0 => "No open task".to_owned(),
        open => counted(holds, open, "open task", "open tasks"),
    };
    let due = (tasks.due > 0).then(|| format!("{} due this week", whole(tasks.due)));
    let overdue = (tasks.overdue > 0).then(|| format!("{} overdue", whole(tasks.overdue)));
    let parts: Vec<String> = [Some(open), due, overdue].into_iter().flatten().collect();
    let tasks = format!("{}.", parts.join(", "));
    if holds.items == 0 {
        return tasks;
    }
    format!("{} {tasks}", of_many(holds, holds.items, "event", "events", ""))
}

fn people(holds: &SourceContents) -> String {
    if holds.items == 0 {
        return "Nobody found there.".to_owned();
    }
    let people = counted(holds, holds.items, "person", "people");
    let addresses = match holds.addresses {
        0 => "no address or number".to_owned(),
        1 => "1 address or number".to_owned(),
        many => format!("{} addresses and numbers", whole(many)),
    };
    format!("{people}, {addresses}.")
}

/// `1 Aug to 20 Nov`, with the year where it is not the same.
fn span_of(first: NaiveDate, last: NaiveDate) -> String {
    if first == last {
        return format!("on {}", last.format("%-d %b %Y"));
    }
    let begins = if first.year() == last.year() {
        first.format("%-d %b")
    } else {
        first.format("%-d %b %Y")
    };
    format!("{begins} to {}", last.format("%-d %b %Y"))
}

fn mails(holds: &SourceContents) -> String {
    if holds.items == 0 {
        return "No mail found there.".to_owned();
    }
    let counted = counted(holds, holds.items, "mail", "mails");
    let Some(newest) = holds.newest else {
        return format!("{counted}.");
    };
    let zone = format::zone(&holds.zone);
    let minutes = holds.at.since(newest).max(0) / 60_000;
    let newest_day = format::local_date(newest, zone);
    let when = match minutes {
        0 => "a moment ago".to_owned(),
        1 => "a minute ago".to_owned(),
        2..60 => format!("{} minutes ago", in_words(minutes)),
        60..120 => "an hour ago".to_owned(),
        120..1440 => format!("{} hours ago", in_words(minutes / 60)),
        1440..2880 => "a day ago".to_owned(),
        2880..11_520 => format!("{} days ago", in_words(minutes / 1440)),
        _ if newest_day.year() == format::local_date(holds.at, zone).year() => {
            format!("on {}", newest_day.format("%-d %B"))
        }
        _ => format!("in {}", newest_day.format("%B %Y")),
    };
    let lately = if holds.lately == 0 {
        " I count mails of the last day: none of them yet."
    } else {
        ""
    };
    format!("{counted}, newest {when}.{lately}")
}

/// A number as a person says it, up to twelve.
fn in_words(n: i64) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let word = usize::try_from(n).ok().and_then(|n| WORDS.get(n));
    word.map_or_else(|| n.to_string(), |word| (*word).to_owned())
}

/// The heading of the calendars on the welcome.
pub const PLACES_TITLE: &str = "Places in your calendar";
/// Above the places of a calendar.
pub const PLACES_ASKED: &str = "How far is it from your home?";
/// What the answer is for.
pub const PLACES_MEANS: &str = "I ask once for each place, and tell you when to leave for it.";
/// Keeps the answers.
pub const PLACES_KEEP: &str = "Keep";
/// Nothing was said of it.
pub const PLACE_UNSAID: &str = "I do not say";
/// Minutes, and how they are said.
pub const PLACE_WAYS: [(u32, &str); 7] = [
    (0, "No way: at home, or online"),
    (10, "10 minutes"),
    (20, "20 minutes"),
    (30, "30 minutes"),
    (45, "45 minutes"),
    (60, "An hour"),
    (120, "Two hours"),
];

/// Places that are asked about later.
pub fn places_more(count: usize) -> String {
    if count == 1 {
        "One more place after these.".to_owned()
    } else {
        format!("{count} more places after these.")
    }
}

/// What was said.
pub fn places_said(count: usize) -> String {
    if count == 1 {
        "One place whose way you told".to_owned()
    } else {
        format!("{count} places whose way you told")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::source_look::{CsvQuestionView, CsvStatementView, TasksFound};
    use toolcall_schema::Timestamp;

    fn day(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).unwrap()
    }

    #[test]
    fn counts_and_spans_are_said_as_a_person_would() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let base = SourceContents {
            complete: true,
            at: at("2026-11-20T12:00:00Z"),
            zone: "Asia/Kolkata".to_owned(),
            ..SourceContents::default()
        };
        let mails = |items, lately, newest| SourceContents {
            items,
            lately,
            newest: Some(at(newest)),
            ..base.clone()
        };
        let paid = |payments, first, last| SourceContents {
            payments,
            first: Some(first),
            last: Some(last),
            ..base.clone()
        };
        let people = |items, addresses| SourceContents {
            items,
            addresses,
            ..base.clone()
        };
        let tasks = |items, (read, open, due, overdue)| SourceContents {
            items,
            tasks: TasksFound {
                read,
                open,
                due,
                overdue,
            },
            ..base.clone()
        };
        let nights = SourceContents {
            items: 400,
            nights: 41,
            ..base.clone()
        };
        let asked = SourceContents {
            csv: Some(CsvStatementView {
                questions: vec![CsvQuestionView::Currency],
                ..CsvStatementView::default()
            }),
            ..base.clone()
        };
        let in_part = SourceContents {
            complete: false,
            skipped: 1,
            ..mails(65_536, 3, "2026-11-20T09:59:00Z")
        };
        let one_event = SourceContents {
            items: 1,
            skipped: 1200,
            ..base.clone()
        };
        for (list, holds, said) in [
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
            (SourceKind::Finance, asked, CSV_ASKED),
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
            assert_eq!(source_holds(list, &holds), said);
        }
    }
}
