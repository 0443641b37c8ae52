//! Figures as they are kept: one a line, by commit.
//!
//! What: [`RecordedFigure`], and [`parse`] and [`lines_of`] for `docs/judge/history.tsv`. Why: a figure means something beside the one before it, and
//! the pages are written from this file, so that a test can hold them without the network. Not here: measuring (`mail`, `payments`), tables
//! for people (`tables`).

use crate::estimate::FigureEstimate;
use std::fmt::Write as _;

/// The first line of the file.
pub const HEADING: &str = "commit\tdate\tsuite\tfigure\tform\tn\tvalue\tlow\thigh\n";

/// What a figure was measured on, or who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FigureForm {
    /// Mails with all their headers, messages as they came.
    Whole,
    /// Mails of which only subject and text are left.
    TextAlone,
    /// The second reader of the labels, not Aura.
    Reader,
}

impl FigureForm {
    fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::TextAlone => "text",
            Self::Reader => "reader",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Whole, Self::TextAlone, Self::Reader]
            .into_iter()
            .find(|form| form.as_str() == text)
    }
}

/// A figure that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedFigure {
    /// What it was measured on.
    pub suite: String,
    pub figure: String,
    pub form: FigureForm,
    /// `None`: there was nothing to count.
    pub estimate: Option<FigureEstimate>,
}

impl RecordedFigure {
    pub fn new(suite: &str, figure: &str, form: FigureForm, estimate: Option<FigureEstimate>) -> Self {
        Self {
            suite: suite.to_owned(),
            figure: figure.to_owned(),
            form,
            estimate,
        }
    }
}

/// The figures of a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitFigures {
    /// The short hash of the commit that was judged.
    pub commit: String,
    /// The day on which it was.
    pub date: String,
    pub figures: Vec<RecordedFigure>,
}

/// The lines of a commit's figures, rounded to four decimals.
pub fn lines_of(run: &CommitFigures) -> String {
    let mut out = String::new();
    for figure in &run.figures {
        let _ = write!(
            out,
            "{}\t{}\t{}\t{}\t{}",
            run.commit,
            run.date,
            figure.suite,
            figure.figure,
            figure.form.as_str()
        );
        let _ = match figure.estimate {
            Some(it) => writeln!(out, "\t{}\t{:.4}\t{:.4}\t{:.4}", it.n, it.value, it.low, it.high),
            None => writeln!(out, "\t0\t-\t-\t-"),
        };
    }
    out
}

/// The figures of each commit, in the order of the file. `None`: a line is none.
pub fn parse(text: &str) -> Option<Vec<CommitFigures>> {
    let mut runs: Vec<CommitFigures> = Vec::new();
    for line in text.strip_prefix(HEADING)?.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [commit, date, suite, figure, form, n, value, low, high] = fields.as_slice() else {
            return None;
        };
        let estimate = match *value {
            "-" => None,
            value => Some(FigureEstimate {
                value: value.parse().ok()?,
                low: low.parse().ok()?,
                high: high.parse().ok()?,
                n: n.parse().ok()?,
            }),
        };
        let figure = RecordedFigure::new(suite, figure, FigureForm::parse(form)?, estimate);
        match runs
            .last_mut()
            .filter(|run| run.commit == *commit && run.date == *date)
        {
            Some(run) => run.figures.push(figure),
            None => runs.push(CommitFigures {
                commit: (*commit).to_owned(),
                date: (*date).to_owned(),
                figures: vec![figure],
            }),
        }
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let estimate = FigureEstimate {
            value: 0.5,
            low: 0.25,
            high: 0.75,
            n: 12,
        };
        let run = |commit: &str| CommitFigures {
            commit: commit.to_owned(),
            date: "2026-11-24".to_owned(),
            figures: vec![
                RecordedFigure::new("spam", "spam recognised", FigureForm::Whole, Some(estimate)),
                RecordedFigure::new("spam", "spam recognised", FigureForm::TextAlone, None),
            ],
        };
        let runs = vec![run("aaaaaaa"), run("bbbbbbb")];
        let text: String = [HEADING.to_owned()]
            .into_iter()
            .chain(runs.iter().map(lines_of))
            .collect();
        assert!(
            text.contains("aaaaaaa\t2026-11-24\tspam\tspam recognised\twhole\t12\t0.5000\t0.2500\t0.7500\n")
        );
        assert!(text.contains("\ttext\t0\t-\t-\t-\n"));
        assert_eq!(parse(&text), Some(runs));
        for broken in [
            "",
            "commit\n",
            &format!("{HEADING}a\tb\n"),
            &text.replace("whole", "half"),
        ] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }
}
