//! What a source holds, before the owner allows it.
//!
//! What: [`preview_source`], which has an agent read one file or folder and tells how much of what it found, from when to when; a mailbox is
//! counted by its heads. Why: what is promised is what is read, because the agent itself reads it; then the agent is dropped, and nothing of it
//! is kept. Not here: where sources are looked for (the orchestrator), the process it runs in.

use crate::{
    comms::{ContactCount, count_contacts},
    contract::{AgentSetup, CalendarPlace},
    finance::{CSV_HEAD_BYTES, chosen_csv, recognise_csv, written_csv},
    registry,
};
use agents_base::{
    mail::{MailCount, count_mails},
    zone,
};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fs::File, io::Read as _, path::Path};
use toolcall_schema::{
    AgentName, Timestamp,
    preview::{SourceFigures, StatementColumns},
    tick::{GraphObservation, IngestArgs, SkippedItem},
};

/// Ingests of one preview, each of at most 4 MiB of files, or 256 things that it tells: what ends it is time.
const MAX_ROUNDS: u32 = 1024;

/// Places of a calendar that are told.
const MAX_PLACES: usize = 64;

/// What a source holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePreview {
    pub figures: SourceFigures,
    /// Of a bank's CSV file: what it is recognised as, with what must be asked.
    pub csv: Option<crate::contract::CsvRecognition>,
    /// Of a calendar: the places that it names without saying how far they are.
    pub places: Vec<CalendarPlace>,
}

impl From<SourceFigures> for SourcePreview {
    fn from(figures: SourceFigures) -> Self {
        Self {
            figures,
            ..Self::default()
        }
    }
}

/// Has an agent read what `setup` names as its sources, as of `at`, until `is_over` says that time is up. `columns`: what the owner chose of an export. `None`: the orchestrator reads nothing.
pub fn preview_source(
    name: AgentName,
    mut setup: AgentSetup,
    at: Timestamp,
    columns: Option<&StatementColumns>,
    is_over: &dyn Fn() -> bool,
) -> Option<SourcePreview> {
    let zone = setup.owner.zone;
    if name == AgentName::Comms
        && let [mailbox] = setup.sources.mail.as_slice()
    {
        return Some(of_mails(count_mails(mailbox, at, is_over), zone).into());
    }
    if name == AgentName::Comms
        && let [book] = setup.sources.contacts.as_slice()
    {
        return Some(of_people(count_contacts(book, &setup.key, is_over)).into());
    }
    let csv = setup
        .sources
        .paths()
        .find_map(|path| recognised(path, &setup, columns));
    // It is counted by the columns that she chose as well.
    let by_choice = csv
        .as_ref()
        .filter(|csv| columns.is_some() && csv.questions.is_empty());
    if let Some(csv) = by_choice {
        setup.owner.finance.csv.insert(0, csv.mapping.clone());
    }
    let mut agent = registry::build(name, setup)?;
    let mut out = SourcePreview {
        csv,
        ..SourcePreview::default()
    };
    let (mut times, mut payments, mut nights) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut cursor = 0;
    for _ in 0..MAX_ROUNDS {
        let args = IngestArgs {
            cursor,
            signal_ids: Vec::new(),
        };
        let answer = agent.ingest(&args, at);
        cursor = answer.cursor;
        out.figures.items = out.figures.items.saturating_add(answer.read);
        out.figures.skipped = out.figures.skipped.saturating_add(answer.skipped);
        add_skips(&mut out.figures.skips, answer.skips);
        let told_all = answer.seen.is_empty();
        for seen in answer.seen {
            match seen {
                GraphObservation::Talk { at, .. } | GraphObservation::Place { at, .. } => times.push(at),
                GraphObservation::Payment { txn, at, .. } => {
                    payments.insert(txn);
                    times.push(at);
                }
                GraphObservation::Body {
                    day, at, sleep_min, ..
                } => {
                    if sleep_min.is_some() {
                        nights.insert(day);
                    }
                    times.push(at);
                }
            }
        }
        if answer.left == 0 && told_all {
            out.figures.complete = true;
            break;
        }
        if is_over() {
            break;
        }
    }
    out.figures.tasks = agent.open_tasks(at);
    out.figures.items = out.figures.items.saturating_sub(out.figures.tasks.read);
    out.places = agent.named_places(at);
    out.places.truncate(MAX_PLACES);
    let count = |many: usize| u32::try_from(many).unwrap_or(u32::MAX);
    (out.figures.payments, out.figures.nights) = (count(payments.len()), count(nights.len()));
    let day = |at: &Timestamp| zone::local_date(*at, zone);
    (out.figures.first, out.figures.last) = (times.iter().min().map(day), times.iter().max().map(day));
    out.figures.newest = times.into_iter().max();
    Some(out)
}

/// Adds what one ingest left out to what those before it did.
fn add_skips(all: &mut Vec<SkippedItem>, new: Vec<SkippedItem>) {
    for skip in new {
        match all.iter_mut().find(|known| known.code == skip.code) {
            Some(known) => known.count = known.count.saturating_add(skip.count),
            None => all.push(skip),
        }
    }
}

/// A mailbox by its heads.
fn of_mails(count: MailCount, zone: Tz) -> SourceFigures {
    let day = |at: Timestamp| zone::local_date(at, zone);
    SourceFigures {
        items: count.mails,
        lately: count.lately,
        first: count.first.map(day),
        last: count.newest.map(day),
        newest: count.newest,
        skipped: count.skipped,
        skips: count.skips,
        complete: count.complete,
        ..SourceFigures::default()
    }
}

/// An address book by its cards.
fn of_people(count: ContactCount) -> SourceFigures {
    SourceFigures {
        items: count.people,
        addresses: count.addresses,
        skipped: count.skipped,
        skips: count.skips,
        complete: count.complete,
        ..SourceFigures::default()
    }
}

/// What a bank's CSV file is read as: by the owner's mapping, else as it is recognised; with the columns that she chose.
fn recognised(
    path: &Path,
    setup: &AgentSetup,
    columns: Option<&StatementColumns>,
) -> Option<crate::contract::CsvRecognition> {
    let is_csv = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    if !is_csv || !path.is_file() {
        return None;
    }
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(CSV_HEAD_BYTES).read_to_end(&mut head))
        .ok()?;
    let complete = (head.len() as u64) < CSV_HEAD_BYTES;
    let (finance, zone) = (&setup.owner.finance, setup.owner.zone);
    let recognition = recognise_csv(&head, complete, finance.currency.as_deref(), zone)?;
    let shown = written_csv(&head, &finance.csv, zone, recognition);
    Some(match columns {
        Some(chosen) => chosen_csv((&head, complete), zone, shown, chosen),
        None => shown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        contract::{CsvQuestion, SourcePaths},
        testing,
    };
    use chrono::NaiveDate;
    use std::{fs, path::PathBuf};
    use toolcall_schema::preview::TaskCount;

    fn preview(
        name: AgentName,
        path: &Path,
        list: fn(&mut SourcePaths) -> &mut Vec<PathBuf>,
    ) -> SourcePreview {
        let mut sources = SourcePaths::default();
        list(&mut sources).push(path.to_owned());
        let setup = AgentSetup {
            sources,
            ..testing::setup()
        };
        let at = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        preview_source(name, setup, at, None, &|| false).unwrap()
    }

    #[test]
    fn statements_of_standards_tell_theirs_alike() {
        let entry = |day: u32| {
            format!(
                "<Ntry><Amt Ccy='EUR'>1.5</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-{day:02}</Dt></BookgDt></Ntry>"
            )
        };
        let camt = format!(
            "<?xml version='1.0'?><Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'><BkToCstmrStmt><Stmt>{}{}</Stmt></BkToCstmrStmt></Document>",
            entry(2),
            entry(13)
        );
        let mt940 = ":20:S\n:25:1/8841\n:60F:C261101EUR1,\n:61:2611021102D1,5NTRF\n:61:2611131113D1,5NTRF\n:62F:C261118EUR1,\n";
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a.xml", camt.as_str()), ("a.sta", mt940)] {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            let found = preview(AgentName::Finance, &path, |sources| &mut sources.finance);
            let day = |day| NaiveDate::from_ymd_opt(2026, 11, day);
            let figures = found.figures;
            assert_eq!(
                (figures.payments, figures.first, figures.last, figures.skipped),
                (2, day(2), day(13), 0),
                "{name}"
            );
            assert!(found.csv.is_none());
        }
    }

    #[test]
    fn a_statement_tells_its_payments_and_from_when_to_when() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let text = "Date,Payee,Debit EUR,Credit EUR\n13/11/2026,shop,1.00,\n2/11/2026,inn,2.00,\n31/12/2026,inn,2.00,\nx,,,\n";
        fs::write(&path, text).unwrap();
        let found = preview(AgentName::Finance, &path, |sources| &mut sources.finance);
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day);
        assert_eq!(
            (found.figures.payments, found.figures.first, found.figures.last),
            (2, day(2), day(13))
        );
        assert_eq!((found.figures.skipped, found.figures.complete), (1, true));
        // Two of them are older than what is counted, and one row has no date.
        let old =
            "Date,Payee,Debit EUR,Credit EUR\n13/11/2024,shop,1.00,\n14/11/2024,inn,2.00,\nx,inn,2.00,\n";
        fs::write(&path, old).unwrap();
        let aged = preview(AgentName::Finance, &path, |sources| &mut sources.finance);
        let why: Vec<(&str, u32)> = aged
            .figures
            .skips
            .iter()
            .map(|skip| (skip.code.as_str(), skip.count))
            .collect();
        assert_eq!((aged.figures.payments, aged.figures.skipped), (0, 3));
        assert_eq!(why, [("AGENT-106", 1), ("AGENT-115", 2)]);
        // The same lines as a Macintosh of old ends them.
        fs::write(&path, text.replace('\n', "\r")).unwrap();
        let of_old = preview(AgentName::Finance, &path, |sources| &mut sources.finance);
        assert_eq!(
            (
                of_old.figures.payments,
                of_old.figures.skipped,
                of_old.csv.is_some()
            ),
            (2, 1, true)
        );
        assert_eq!(of_old.figures.skips.first().and_then(|skip| skip.line), Some(5));
        assert_eq!(found.csv.map(|csv| csv.questions), Some(Vec::new()));
        // A day of many: each counts.
        let many: Vec<String> = (0..5000)
            .map(|n| format!("13/11/2026,shop {n},1.00,\n"))
            .collect();
        fs::write(
            &path,
            format!("Date,Payee,Debit EUR,Credit EUR\n{}", many.concat()),
        )
        .unwrap();
        let counted = preview(AgentName::Finance, &path, |sources| &mut sources.finance);
        assert_eq!((counted.figures.payments, counted.figures.complete), (5000, true));
        fs::write(&path, "Date,Payee,Amount EUR\n13/11/2026,shop,1.00\n").unwrap();
        let asked = preview(AgentName::Finance, &path, |sources| &mut sources.finance);
        assert_eq!(asked.figures.payments, 0);
        let questions = asked.csv.map(|csv| csv.questions).unwrap_or_default();
        assert!(
            matches!(questions[..], [CsvQuestion::MoneyOut { line: 2, .. }]),
            "{questions:?}"
        );
    }

    #[test]
    fn tasks_are_counted_apart_from_events() {
        let folder = tempfile::tempdir().unwrap();
        // As of noon in London, Friday 20 November, in Kolkata: this week is 20 to 26 November.
        let lines = [
            "Overdue due:2026-11-19",
            "Today due:2026-11-20",
            "Thursday due:2026-11-26",
            "Friday due:2026-11-27",
            "Some time",
            "x 2026-11-20 Done",
        ];
        fs::write(folder.path().join("todo.txt"), lines.join("\n")).unwrap();
        let found = preview(AgentName::Calendar, folder.path(), |sources| {
            &mut sources.calendar
        });
        let tasks = TaskCount {
            read: 6,
            open: 5,
            due: 2,
            overdue: 1,
        };
        assert_eq!(
            (found.figures.items, found.figures.tasks, found.figures.complete),
            (0, tasks, true)
        );
        let event = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261121T090000Z\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nUID:2\r\nSUMMARY:x\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";
        fs::write(folder.path().join("a.ics"), event).unwrap();
        let found = preview(AgentName::Calendar, folder.path(), |sources| {
            &mut sources.calendar
        });
        assert_eq!((found.figures.items, found.figures.tasks.open), (1, 6));
    }

    #[test]
    fn a_calendar_mail_and_nights_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let ics = folder.path().join("a.ics");
        fs::write(
            &ics,
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261121T090000Z\r\nDTEND:20261121T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
        )
        .unwrap();
        let events = preview(AgentName::Calendar, &ics, |sources| &mut sources.calendar);
        assert_eq!((events.figures.items, events.figures.complete), (1, true));
        let mail = folder.path().join("a.eml");
        fs::write(&mail, "From: Kim <kim@example.org>\r\nTo: o@example.org\r\nDate: Fri, 20 Nov 2026 11:56:00 +0000\r\nSubject: x\r\nMessage-ID: <1@example.org>\r\n\r\nHello\r\n").unwrap();
        let mails = preview(AgentName::Comms, &mail, |sources| &mut sources.mail);
        assert_eq!(
            (mails.figures.items, mails.figures.newest),
            (1, Some(Timestamp::parse("2026-11-20T11:56:00Z").unwrap()))
        );
        let book = folder.path().join("people.vcf");
        let card =
            |name: &str, lines: &str| format!("BEGIN:VCARD\nVERSION:3.0\nFN:{name}\n{lines}END:VCARD\n");
        let cards = [
            card(
                "Asha",
                "EMAIL:asha@example.org\nEMAIL:a@example.net\nTEL:+44 7700 900123\n",
            ),
            card("Bo", "EMAIL:no address\n"),
        ];
        fs::write(&book, cards.concat()).unwrap();
        let people = preview(AgentName::Comms, &book, |sources| &mut sources.contacts);
        assert_eq!(
            (
                people.figures.items,
                people.figures.addresses,
                people.figures.skipped,
                people.figures.complete
            ),
            (2, 3, 1, true)
        );
        let nights = folder.path().join("a.csv");
        fs::write(
            &nights,
            "at,asleep_min\n2026-11-18T06:00:00Z,400\n2026-11-19T06:00:00Z,420\n",
        )
        .unwrap();
        let body = preview(AgentName::Wellness, &nights, |sources| &mut sources.wellness);
        assert_eq!((body.figures.nights, body.figures.complete), (2, true));
        // 41 nights of Whoop up to 19 November; the oldest ended on 10 October.
        let rows: Vec<String> = (0..41)
            .map(|n| {
                let day = NaiveDate::from_ymd_opt(2026, 10, 10).unwrap() + chrono::Days::new(n);
                format!("UTC+01:00,{day} 00:10:00,{day} 07:10:00,400,{day}\n")
            })
            .collect();
        let header = "Cycle timezone,Sleep onset,Wake onset,Asleep duration (min),Nap\n";
        fs::write(&nights, format!("{header}{}", rows.concat())).unwrap();
        let body = preview(AgentName::Wellness, &nights, |sources| &mut sources.wellness);
        assert_eq!(
            (body.figures.nights, body.figures.skipped, body.figures.complete),
            (41, 0, true)
        );
        assert_eq!(
            (body.figures.first, body.figures.last),
            (
                NaiveDate::from_ymd_opt(2026, 10, 10),
                NaiveDate::from_ymd_opt(2026, 11, 19)
            )
        );
        assert_eq!(
            preview_source(
                AgentName::Orchestrator,
                testing::setup(),
                Timestamp::parse("2026-11-20T12:00:00Z").unwrap(),
                None,
                &|| false
            ),
            None
        );
    }
}
