//! Judges the judgement.
//!
//! What: `agents-judge pages [--check]` writes the figures into the agents' pages, or holds the pages against them;
//! `agents-judge real --data DIR [--misses FILE] [--year DIR] [--record COMMIT DATE]` prints the figures of real messages, and records them;
//! `agents-judge year --data DIR --into DIR` lays out a year of mail for `aura replay`, whose traces are then `traces.jsonl` in it. Why: one
//! command, `make judge`. Not here: the figures (`agents_judge`).

use agents_judge::{
    corpus::MailCorpus,
    invented, mail, payments,
    record::{self, CommitFigures},
    short_messages,
    tables::{self, FigurePage},
    written_mail, year,
};
use std::{
    error::Error,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};
use toolcall_schema::catalogue::comms::MessageClass;

const USAGE: &str = "usage: agents-judge pages [--check]\n       agents-judge real --data DIR [--misses FILE] [--year DIR] [--record COMMIT DATE]\n       agents-judge year --data DIR --into DIR\n";

const HISTORY: &str = "docs/judge/history.tsv";
const NO_LINE: &str = "docs/judge/history.tsv has a line that is none";
const NO_PLACE: &str = "a page has no place for figures";
const PAGES: [(FigurePage, &str); 2] = [
    (FigurePage::Comms, "docs/agents/comms.md"),
    (FigurePage::Finance, "docs/agents/finance.md"),
];

/// The options of `real` and `year`.
#[derive(Default)]
struct JudgeOptions {
    data: PathBuf,
    misses: Option<PathBuf>,
    /// A year that was played.
    year: Option<PathBuf>,
    /// Where a year is laid out.
    into: Option<PathBuf>,
    record: Option<(String, String)>,
}

impl JudgeOptions {
    fn read(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut options = Self::default();
        while let Some(name) = arguments.next() {
            match name.as_str() {
                "--data" => options.data = arguments.next()?.into(),
                "--misses" => options.misses = Some(arguments.next()?.into()),
                "--year" => options.year = Some(arguments.next()?.into()),
                "--into" => options.into = Some(arguments.next()?.into()),
                "--record" => options.record = Some((arguments.next()?, arguments.next()?)),
                _ => return None,
            }
        }
        (!options.data.as_os_str().is_empty()).then_some(options)
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("pages") => pages(arguments.any(|argument| argument == "--check")),
        Some("real") => match JudgeOptions::read(arguments) {
            Some(options) => real(&options),
            None => usage(),
        },
        Some("year") => match JudgeOptions::read(arguments) {
            Some(JudgeOptions {
                data,
                into: Some(into),
                ..
            }) => {
                year::lay_out(&MailCorpus::read(&data)?, &into)?;
                Ok(ExitCode::SUCCESS)
            }
            _ => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> Result<ExitCode, Box<dyn Error>> {
    io::stderr().write_all(USAGE.as_bytes())?;
    Ok(ExitCode::from(2))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes every figure of the pages anew: the recorded ones, and those of the invented messages of this build.
fn pages(check: bool) -> Result<ExitCode, Box<dyn Error>> {
    let kept = fs::read_to_string(repository().join(HISTORY))?;
    let runs = record::parse(&kept).ok_or(NO_LINE)?;
    let mut same = true;
    for (page, file) in PAGES {
        let path = repository().join(file);
        let text = fs::read_to_string(&path)?;
        let mut now = tables::with_tables(&text, &tables::tables(&runs, page)).ok_or(NO_PLACE)?;
        if page == FigurePage::Comms {
            now = invented::with_figures(&now).ok_or(NO_PLACE)?;
        }
        same &= now == text;
        if !check {
            fs::write(&path, now)?;
        }
    }
    Ok(if same || !check {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn real(options: &JudgeOptions) -> Result<ExitCode, Box<dyn Error>> {
    let corpus = MailCorpus::read(&options.data)?;
    let found = mail::measure(&corpus);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut figures = found.figures;
    if let Some(folder) = &options.year {
        let traces = io::BufReader::new(fs::File::open(folder.join("traces.jsonl"))?);
        let cards = year::read_cards(traces, &fs::read_to_string(folder.join("mails.tsv"))?)?;
        // A card about an item that nobody knows means that ids are made otherwise now.
        if cards
            .iter()
            .any(|card| card.kind == "DRAFT_REPLY" && card.mail.is_none())
        {
            return Err("a card of the year is about a mail that mails.tsv does not name".into());
        }
        fs::write(folder.join("cards.tsv"), year::list(&cards))?;
        figures.extend(year::figures(&cards));
    }
    let (of_written, missed_mails) = written_mail::measure(&package.join("mails"))?;
    figures.extend(of_written);
    figures.extend(short_messages::measure(&options.data));
    let mut messages = payments::packages::messages(&options.data);
    for (file, source) in payments::written::FILES {
        let written = payments::written::messages(&package.join("messages").join(file), source);
        messages.extend(written.map_err(|line| format!("line {line} of messages/{file} is no message"))?);
    }
    let (of_payments, missed_messages) = payments::measure(&messages);
    figures.extend(of_payments);
    let history = repository().join(HISTORY);
    let mut kept = fs::read_to_string(&history)?;
    let (commit, date) = options
        .record
        .clone()
        .unwrap_or_else(|| ("now".to_owned(), "this day".to_owned()));
    kept.push_str(&record::lines_of(&CommitFigures {
        commit,
        date,
        figures,
    }));
    // What is printed is what was kept, rounding included.
    let runs = record::parse(&kept).ok_or(NO_LINE)?;
    let mut out = io::stdout().lock();
    for (page, _) in PAGES {
        writeln!(out, "{}", tables::tables(&runs, page))?;
    }
    writeln!(
        out,
        "Invented messages, which say nothing about anybody's inbox:\n\n{}",
        invented::table()
    )?;
    if options.record.is_some() {
        fs::write(&history, kept)?;
        pages(false)?;
    }
    if let Some(file) = &options.misses {
        let mut lines = Vec::new();
        for miss in &found.misses {
            let called = miss.called.map_or("unreadable", MessageClass::as_str);
            let (folder, id, is) = (miss.folder.name(), &miss.id, miss.is);
            writeln!(lines, "{}\t{folder}\t{id}\t{is}\t{called}", miss.figure)?;
        }
        for miss in &missed_mails {
            let called = miss.called.map_or("unreadable", MessageClass::as_str);
            writeln!(
                lines,
                "invented mail\tagents/judge/mails\t{}\t{}\t{called}",
                miss.id, miss.is
            )?;
        }
        for miss in &missed_messages {
            writeln!(
                lines,
                "payments: {}\t{}\t{}\t{}",
                miss.suite, miss.source, miss.id, miss.what
            )?;
        }
        fs::write(file, lines)?;
        writeln!(
            out,
            "{} misses to look into are named in {}",
            found.misses.len() + missed_mails.len() + missed_messages.len(),
            file.display()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
