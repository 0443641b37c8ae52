//! The output: the only place that writes to the standard output.
//!
//! What: [`CommandOutput`], lines of text, tables, JSON. Why: nothing we print can move a cursor or turn text around, whatever a
//! refused call or a file name holds, and a closed pipe ends a command quietly. Not here: logs (standard error).

use super::error::{CliError, of_output};
use serde::Serialize;
use std::{borrow::Cow, fmt::Write as _, io};
use surfaces::visible::{json_visible, visible};

/// Where results go.
pub struct CommandOutput(Box<dyn io::Write + Send>);

impl CommandOutput {
    /// The standard output. Each line leaves at once.
    pub fn stdout() -> Self {
        Self(Box::new(io::stdout()))
    }

    /// Somewhere else, for tests.
    #[cfg(test)]
    pub fn to(writer: impl io::Write + Send + 'static) -> Self {
        Self(Box::new(writer))
    }

    /// For bytes that are a file of their own, which [`Self::text`] would change.
    pub fn bytes(&mut self) -> impl io::Write {
        &mut self.0
    }

    /// One line of text, or several. What would steer a terminal is written as `\u{1b}`; only line ends pass.
    ///
    /// # Errors
    /// [`CliError::Closed`] when nobody reads any more, [`CliError::Output`] when it cannot be written. So all methods.
    pub fn text(&mut self, text: &str) -> Result<(), CliError> {
        for line in text.trim_end_matches('\n').split('\n') {
            writeln!(self.0, "{}", visible(line)).map_err(of_output)?;
        }
        Ok(())
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
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                // Writing to a string cannot fail.
                let _ = write!(line, "{cell:<width$}  ");
            }
            writeln!(self.0, "{}", line.trim_end()).map_err(of_output)?;
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
    pub fn stored_json(&mut self, json: &str) -> Result<(), CliError> {
        writeln!(self.0, "{}", json_visible(json)).map_err(of_output)
    }
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

    /// What a command wrote.
    pub(crate) fn written(run: impl FnOnce(&mut CommandOutput)) -> String {
        let shared = Shared::default();
        run(&mut CommandOutput::to(shared.clone()));
        let bytes = shared.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::{testing::written, *};
    use serde_json::json;

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
