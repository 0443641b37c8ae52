//! The output: the only place that writes to the standard output.
//!
//! What: [`CommandOutput`], lines of text, tables, JSON. Why: nothing we print can move a cursor or turn text around, whatever a
//! refused call or a file name holds, and a closed pipe ends a command quietly. Colours and times like "5 min ago" are for people: they are
//! on a terminal only. Not here: logs (standard error).

use super::{
    error::{CliError, of_output},
    error_pages, records,
};
use aura_platform::clock::Clock;
use chrono_tz::Tz;
use clap::builder::{
    StyledStr, Styles,
    styling::{AnsiColor, Style},
};
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::BTreeSet,
    env,
    ffi::OsString,
    fmt::Write as _,
    io::{self, IsTerminal as _},
};
use surfaces_base::{
    language::{say, text},
    visible::{json_visible, visible},
};
use toolcall_schema::Timestamp;

/// Where results go.
pub struct CommandOutput {
    writer: Box<dyn io::Write + Send>,
    /// When this began, where a person sits before a terminal.
    looked_at: Option<Timestamp>,
    /// Whether the terminal shows colours, and they are wanted.
    has_colour: bool,
    /// The first code with a page among the words that were printed.
    printed_code: Option<&'static str>,
    /// The codes that findings were explained by.
    explained: BTreeSet<&'static str>,
}

/// How a word is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordTone {
    Good,
    Doubtful,
    Bad,
}

impl CommandOutput {
    /// The standard output. Each line leaves at once.
    pub fn stdout() -> Self {
        let is_terminal = io::stdout().is_terminal();
        Self {
            writer: Box::new(io::stdout()),
            looked_at: is_terminal.then(|| Clock::real(None).wall()),
            has_colour: is_terminal && wants_colour(|name| env::var_os(name)),
            printed_code: None,
            explained: BTreeSet::new(),
        }
    }

    /// Somewhere else, for tests: as a file, or as a terminal that somebody looks at then.
    #[cfg(test)]
    pub fn to(writer: impl io::Write + Send + 'static, looked_at: Option<Timestamp>) -> Self {
        Self {
            writer: Box::new(writer),
            looked_at,
            has_colour: looked_at.is_some(),
            printed_code: None,
            explained: BTreeSet::new(),
        }
    }

    /// For bytes that are a file of their own, which [`Self::text`] would change.
    pub fn bytes(&mut self) -> impl io::Write {
        &mut self.writer
    }

    /// Words of our own with their colours; plain where those are not wanted.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(crate) fn write_styled(&mut self, text: &StyledStr) -> Result<(), CliError> {
        let text = if self.has_colour {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        writeln!(self.writer, "{}", text.trim_end()).map_err(of_output)
    }

    /// A word of our own in the colour of how it is meant, and the rest of its line.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(crate) fn write_judged(&mut self, tone: WordTone, word: &str, rest: &str) -> Result<(), CliError> {
        let colour = match tone {
            WordTone::Good => AnsiColor::Green,
            WordTone::Doubtful => AnsiColor::Yellow,
            WordTone::Bad => AnsiColor::Red,
        };
        self.note_code(rest);
        let style = Style::new().bold().fg_color(Some(colour.into()));
        let style = if self.has_colour { style } else { Style::new() };
        writeln!(self.writer, "{style}{word}{style:#}{}", visible(rest)).map_err(of_output)
    }

    /// A moment for a column: for a person how long ago it was or when it will be, where that is within a day; else date and time.
    pub(crate) fn moment(&self, at: Timestamp, zone: Tz) -> String {
        let near = self.looked_at.and_then(|now| time_between(now, at));
        near.unwrap_or_else(|| records::local(at, zone))
    }

    /// The same of a moment of nobody's zone: date and time are those of UTC.
    pub(crate) fn instant(&self, at: Timestamp) -> String {
        let near = self.looked_at.and_then(|now| time_between(now, at));
        near.unwrap_or_else(|| at.to_string())
    }

    /// On a terminal, how to have the code explained that was printed, if one was.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(crate) fn explain_code(&mut self) -> Result<(), CliError> {
        let Some(code) = self.printed_code else {
            return Ok(());
        };
        self.text(&say!("cli-common-page-of-code", code))
    }

    /// Keeps the first code of the lines that a person is shown.
    fn note_code(&mut self, line: &str) {
        if self.looked_at.is_some() && self.printed_code.is_none() {
            self.printed_code = error_pages::code_in(line);
        }
    }

    /// One line of text, or several. What would steer a terminal is written as `\u{1b}`; only line ends pass.
    ///
    /// # Errors
    /// [`CliError::Closed`] when nobody reads any more, [`CliError::Output`] when it cannot be written. So all methods.
    pub fn text(&mut self, text: &str) -> Result<(), CliError> {
        for line in text.trim_end_matches('\n').split('\n') {
            self.note_code(line);
            writeln!(self.writer, "{}", visible(line)).map_err(of_output)?;
        }
        Ok(())
    }

    /// What is wrong with something, in words that are a record; where another language is spoken, what its code means follows, once for each code.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(crate) fn finding(&mut self, line: &str) -> Result<(), CliError> {
        self.text(line)?;
        self.meaning(line)
    }

    /// What the first code of some words means, where another language than English is spoken and it was not said before.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(crate) fn meaning(&mut self, words: &str) -> Result<(), CliError> {
        let code = error_pages::code_in(words).filter(|code| !self.explained.contains(code));
        let Some((code, meaning)) = code.and_then(|code| Some((code, error_pages::in_words(code)?))) else {
            return Ok(());
        };
        self.explained.insert(code);
        self.text(&format!("  {meaning}"))
    }

    /// Columns, each as wide as its widest cell; the last one may be of any length.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn table<const N: usize>(&mut self, head: [&str; N], rows: &[[String; N]]) -> Result<(), CliError> {
        let rows: Vec<[Cow<'_, str>; N]> = std::iter::once(head.map(Cow::Borrowed))
            .chain(rows.iter().map(|row| row.each_ref().map(|cell| visible(cell))))
            .collect();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..N).map(width).collect();
        let mut style = if self.has_colour {
            *Styles::styled().get_header()
        } else {
            Style::new()
        };
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                // Writing to a string cannot fail.
                let _ = write!(line, "{cell:<width$}  ");
            }
            self.note_code(&line);
            writeln!(self.writer, "{style}{}{style:#}", line.trim_end()).map_err(of_output)?;
            style = Style::new();
        }
        Ok(())
    }

    /// One JSON document on one line.
    ///
    /// # Errors
    /// As [`Self::text`]; [`CliError::Bug`] when the value has no JSON.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let json = serde_json::to_string(value).map_err(|_| CliError::Bug("a result has no JSON"))?;
        self.stored_json(&json)
    }

    /// JSON that was stored as text, on one line and otherwise byte for byte.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(crate) fn stored_json(&mut self, json: &str) -> Result<(), CliError> {
        writeln!(self.writer, "{}", json_visible(json)).map_err(of_output)
    }
}

/// Whether the environment wants colours (<https://no-color.org>) and the terminal has them.
fn wants_colour(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let no_colour = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let terminal = variable("TERM").unwrap_or_default();
    !no_colour && !terminal.is_empty() && terminal != "dumb"
}

/// How long ago, or in how long; `None`: a day or more.
fn time_between(now: Timestamp, at: Timestamp) -> Option<String> {
    let since = now.since(at);
    let minutes = since.abs() / 60_000;
    let is_ahead = since < 0;
    Some(match minutes {
        0 if is_ahead => text("cli-common-in-a-moment").to_owned(),
        0 => text("cli-common-just-now").to_owned(),
        1..60 if is_ahead => say!("cli-common-in-minutes", minutes),
        1..60 => say!("cli-common-minutes-ago", minutes),
        60..1440 if is_ahead => say!("cli-common-in-hours", hours = minutes / 60),
        60..1440 => say!("cli-common-hours-ago", hours = minutes / 60),
        _ => return None,
    })
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What a command wrote into a file.
    pub(crate) fn written(run: impl FnOnce(&mut CommandOutput)) -> String {
        shown(None, run)
    }

    /// The same on a terminal that somebody looks at then.
    pub(crate) fn shown(looked_at: Option<Timestamp>, run: impl FnOnce(&mut CommandOutput)) -> String {
        let shared = Shared::default();
        run(&mut CommandOutput::to(shared.clone(), looked_at));
        let bytes = shared.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        testing::{shown, written},
        *,
    };
    use serde_json::json;
    use surfaces_base::{language::Language, locale};

    #[test]
    fn colours_are_on_a_terminal_that_has_them_and_only_where_they_are_wanted() {
        for (set, wanted) in [
            (&[("TERM", "xterm-256color")][..], true),
            (&[("TERM", "xterm"), ("NO_COLOR", "")], true),
            (&[("TERM", "xterm"), ("NO_COLOR", "1")], false),
            (&[("TERM", "dumb")], false),
            (&[], false),
        ] {
            let variable = |name: &str| {
                let found = set.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| OsString::from(value))
            };
            assert_eq!(wants_colour(variable), wanted, "{set:?}");
        }
        let say = |out: &mut CommandOutput| {
            out.write_judged(WordTone::Bad, "bad", " a\u{1b}[2J").unwrap();
            out.table(["n"], &[["1".to_owned()]]).unwrap();
        };
        assert_eq!(written(say), "bad a\\u{1b}[2J\nn\n1\n");
        let coloured = "\u{1b}[1m\u{1b}[31mbad\u{1b}[0m a\\u{1b}[2J\n\u{1b}[1m\u{1b}[4mn\u{1b}[0m\n1\n";
        assert_eq!(shown(Some(Timestamp::from_ms(0)), say), coloured);
    }

    #[test]
    fn time_within_a_day_is_said_as_a_person_says_it_and_in_a_file_as_it_is() {
        const MIN: i64 = 60_000;
        let at = |ms| Timestamp::from_ms(1_800_000_000_000 + ms);
        for (ms, wanted) in [
            (0, Some("just now")),
            (-MIN + 1, Some("just now")),
            (1, Some("in a moment")),
            (-MIN, Some("1 min ago")),
            (-59 * MIN, Some("59 min ago")),
            (-60 * MIN, Some("1 h ago")),
            (90 * MIN, Some("in 1 h")),
            (-1439 * MIN, Some("23 h ago")),
            (-1440 * MIN, None),
        ] {
            assert_eq!(time_between(at(0), at(ms)).as_deref(), wanted, "{ms}");
        }
        let column = |out: &mut CommandOutput| out.text(&out.moment(at(-5 * MIN), Tz::UTC)).unwrap();
        assert_eq!(written(column), "2027-01-15 07:55:00\n");
        assert_eq!(shown(Some(at(0)), column), "5 min ago\n");
    }

    #[test]
    fn code_that_was_printed_is_explained_to_a_person_and_in_no_file() {
        let say = |out: &mut CommandOutput| {
            out.table(["code"], &[["GATE-009".to_owned()], ["STORE-004".to_owned()]])
                .unwrap();
            out.explain_code().unwrap();
        };
        assert_eq!(written(say), "code\nGATE-009\nSTORE-004\n");
        let told = shown(Some(Timestamp::from_ms(0)), say);
        assert!(
            told.ends_with("STORE-004\n`aura help GATE-009` says what GATE-009 means.\n"),
            "{told}"
        );
        let none = |out: &mut CommandOutput| {
            out.text("UTF-8").unwrap();
            out.json(&json!({ "code": "GATE-009" })).unwrap();
            out.explain_code().unwrap();
        };
        assert!(!shown(Some(Timestamp::from_ms(0)), none).contains("aura help"));
    }

    #[test]
    fn code_of_a_finding_is_explained_once_in_another_language_than_english() {
        let say = |out: &mut CommandOutput| {
            out.finding("a:1: POLICY-003: no table").unwrap();
            out.finding("a:2: POLICY-003: no table").unwrap();
            out.finding("a:3: no code").unwrap();
        };
        assert_eq!(written(say).lines().count(), 3);
        let german = locale::speaking(Language::German, || written(say));
        let lines: Vec<&str> = german.lines().collect();
        assert_eq!(lines.len(), 4, "{german}");
        assert!(lines[1].starts_with("  "), "{german}");
    }

    #[test]
    fn nothing_printed_can_steer_a_terminal() {
        let nasty = "a\u{1b}[2J\r\u{9b}\u{202e}b\u{7f}\tc";
        let text = written(|out| out.text(nasty).unwrap());
        assert_eq!(text, "a\\u{1b}[2J\\u{d}\\u{9b}\\u{202e}b\\u{7f}\\u{9}c\n");
        let json = written(|out| out.json(&json!({ "raw": nasty, "tag": "\u{e0041}" })).unwrap());
        let json = json.trim_end();
        assert_eq!(visible(json), json);
        let back: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(back, json!({ "raw": nasty, "tag": "\u{e0041}" }));
    }

    #[test]
    fn words_of_every_script_stay_as_they_are() {
        let words = "क्षमा \u{200d} שלום ₹1,25,000 −3 · “ok”";
        assert_eq!(visible(words), words);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [
            ["1".to_owned(), "₹12".to_owned(), String::new()],
            ["100".to_owned(), "b".to_owned(), "c".to_owned()],
        ];
        let text = written(|out| out.table(["n", "what", "why"], &rows).unwrap());
        assert_eq!(text, "n    what  why\n1    ₹12\n100  b     c\n");
    }
}
