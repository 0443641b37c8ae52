//! Figures as people read them.
//!
//! What: [`tables`], the tables of a page from what was recorded, and [`with_tables`], the page with them between its two marks. Why: what
//! `make judge` prints and what the pages say is written by the same function. Not here: the figures (`mail`, `payments`), invented
//! messages (`invented`).

use crate::{
    estimate::FigureEstimate,
    record::{CommitFigures, FigureForm, RecordedFigure},
};
use std::fmt::Write as _;

/// Commits in the table of the history, the newest last.
const COMMITS: usize = 4;

const BEGIN: &str = "<!-- real messages: make judge RECORD=yes -->\n";
const NOTHING: &str = "Nothing is recorded yet.\n";
const END: &str = "<!-- end of real messages -->";

/// Which page a suite stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigurePage {
    Comms,
    Finance,
}

impl FigurePage {
    /// Suites of payments are told by their first word.
    fn holds(self, suite: &str) -> bool {
        suite.starts_with("payments") == (self == Self::Finance)
    }
}

/// What the project asks of a figure: at least, or at most.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FigureGoal {
    AtLeast(f64),
    AtMost(f64),
}

const GOALS: &[(&str, &str, FigureGoal)] = &[
    ("spam", "spam recognised (spam-2)", FigureGoal::AtLeast(0.97)),
    ("spam", "ham called spam (easy-ham-2)", FigureGoal::AtMost(0.005)),
    ("spam", "ham called spam (hard-ham-1)", FigureGoal::AtMost(0.05)),
    (
        "mixed year",
        "spam counted as wanting an answer",
        FigureGoal::AtMost(0.01),
    ),
    ("mixed year", "spam offered a draft", FigureGoal::AtMost(0.0)),
    ("automatic mail", "offered a draft", FigureGoal::AtMost(0.01)),
    (
        "addressed to the owner",
        "needs you, F1",
        FigureGoal::AtLeast(0.85),
    ),
    ("random mail", "wants an answer, F1", FigureGoal::AtLeast(0.70)),
    ("payments: supported banks", "recall", FigureGoal::AtLeast(0.97)),
    (
        "payments: supported banks",
        "precision",
        FigureGoal::AtLeast(0.98),
    ),
    (
        "payments: supported banks",
        "whole payment right",
        FigureGoal::AtLeast(0.90),
    ),
    (
        "payments: supported banks",
        "payee exact",
        FigureGoal::AtLeast(0.85),
    ),
    (
        "payments: unseen Indian banks",
        "recall",
        FigureGoal::AtLeast(0.90),
    ),
    (
        "payments: unseen Indian banks",
        "precision",
        FigureGoal::AtLeast(0.98),
    ),
    (
        "payments: unseen Indian banks",
        "whole payment right",
        FigureGoal::AtLeast(0.80),
    ),
    (
        "payments: unseen Indian banks",
        "payee exact",
        FigureGoal::AtLeast(0.85),
    ),
    (
        "payments: abroad, in English",
        "recall",
        FigureGoal::AtLeast(0.75),
    ),
    (
        "payments: abroad, in English",
        "precision",
        FigureGoal::AtLeast(0.98),
    ),
    (
        "payments: abroad, in English",
        "whole payment right",
        FigureGoal::AtLeast(0.60),
    ),
    (
        "payments: abroad, in English",
        "payee exact",
        FigureGoal::AtLeast(0.85),
    ),
];

fn goal(suite: &str, figure: &str) -> Option<FigureGoal> {
    // A source stands in brackets behind the suite.
    let (suite, _) = suite.split_once(" (").unwrap_or((suite, ""));
    let mut goals = GOALS.iter();
    goals
        .find(|(of, name, _)| *of == suite && *name == figure)
        .map(|(_, _, goal)| *goal)
}

fn goal_cell(goal: Option<FigureGoal>) -> String {
    match goal {
        Some(FigureGoal::AtLeast(least)) => format!("≥ {least:.2}"),
        Some(FigureGoal::AtMost(most)) => format!("≤ {most:.3}"),
        None => String::new(),
    }
}

/// `0.973 (0.964 to 0.981), 1396`.
fn cell(estimate: Option<FigureEstimate>) -> String {
    estimate.map_or_else(
        || "-".to_owned(),
        |it| format!("{:.3} ({:.3} to {:.3}), {}", it.value, it.low, it.high, it.n),
    )
}

/// The tables of a page: of the last commit by suite, then the figures that have a goal by commit.
pub fn tables(runs: &[CommitFigures], page: FigurePage) -> String {
    let Some(last) = runs.last() else {
        return NOTHING.to_owned();
    };
    let mut out = format!(
        "Judged on {}, commit `{}`. In each cell: the figure, its interval of 95 %, and of how many.\n",
        last.date, last.commit
    );
    let mut suites: Vec<&str> = Vec::new();
    for figure in &last.figures {
        if page.holds(&figure.suite) && !suites.contains(&figure.suite.as_str()) {
            suites.push(&figure.suite);
        }
    }
    if suites.is_empty() {
        return NOTHING.to_owned();
    }
    let before = runs.len().checked_sub(2).and_then(|place| runs.get(place));
    for suite in &suites {
        out.push_str(&suite_table(last, before, suite));
    }
    out.push_str(&history(runs, page));
    out
}

fn find<'a>(
    run: &'a CommitFigures,
    suite: &str,
    figure: &str,
    form: FigureForm,
) -> Option<&'a RecordedFigure> {
    let same = |it: &&RecordedFigure| it.suite == suite && it.figure == figure && it.form == form;
    run.figures.iter().find(same)
}

/// A suite as it is, and its figures as received by the commit before.
fn suite_table(run: &CommitFigures, before: Option<&CommitFigures>, suite: &str) -> String {
    let of_suite = || run.figures.iter().filter(|it| it.suite == suite);
    let forms = [
        (FigureForm::Whole, "As received"),
        (FigureForm::TextAlone, "Subject and text alone"),
        (FigureForm::Reader, "Second reader"),
    ];
    let forms: Vec<_> = forms
        .into_iter()
        .filter(|(form, _)| of_suite().any(|it| it.form == *form))
        .collect();
    let heads = forms.iter().map(|(_, name)| format!(" {name} |"));
    let heads = heads.collect::<Vec<_>>().concat();
    // Writing to a string cannot fail.
    let mut out = format!(
        "\n**{suite}**\n\n| Figure | Goal |{heads} Before |\n|---|---|{}\n",
        "---|".repeat(forms.len() + 1)
    );
    for first in of_suite().filter(|it| it.form == FigureForm::Whole) {
        let goal = goal_cell(goal(suite, &first.figure));
        let _ = write!(out, "| {} | {goal} |", first.figure);
        for (form, _) in &forms {
            let found = find(run, suite, &first.figure, *form);
            let _ = write!(
                out,
                " {} |",
                found.map_or_else(String::new, |it| cell(it.estimate))
            );
        }
        let before = before.and_then(|run| find(run, suite, &first.figure, FigureForm::Whole));
        let _ = writeln!(out, " {} |", value_alone(before.and_then(|it| it.estimate)));
    }
    out
}

fn value_alone(estimate: Option<FigureEstimate>) -> String {
    estimate.map_or_else(|| "-".to_owned(), |it| format!("{:.3}", it.value))
}

fn history(runs: &[CommitFigures], page: FigurePage) -> String {
    let Some(last) = runs.last() else {
        return String::new();
    };
    let recent = runs.get(runs.len().saturating_sub(COMMITS)..).unwrap_or_default();
    let heads = recent.iter().map(|run| format!(" `{}` |", run.commit));
    let heads = heads.collect::<Vec<_>>().concat();
    let mut out = format!(
        "\n**By commit**, as received\n\n| Figure | Goal |{heads}\n|---|---|{}\n",
        "---|".repeat(recent.len())
    );
    let whole = last
        .figures
        .iter()
        .filter(|it| it.form == FigureForm::Whole && page.holds(&it.suite));
    for it in whole {
        let Some(wanted) = goal(&it.suite, &it.figure) else {
            continue;
        };
        let _ = write!(
            out,
            "| {}: {} | {} |",
            it.suite,
            it.figure,
            goal_cell(Some(wanted))
        );
        for run in recent {
            let found = find(run, &it.suite, &it.figure, FigureForm::Whole);
            let _ = write!(out, " {} |", value_alone(found.and_then(|it| it.estimate)));
        }
        out.push('\n');
    }
    out
}

/// A page with these tables between its two marks. `None`: it has none.
pub fn with_tables(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some([before, BEGIN, "\n", tables, "\n", END, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record;

    fn run(commit: &str, value: f64) -> CommitFigures {
        let estimate = |value| {
            Some(FigureEstimate {
                value,
                low: value - 0.1,
                high: value + 0.1,
                n: 40,
            })
        };
        let of = |form, value| RecordedFigure::new("addressed to the owner", "needs you, F1", form, value);
        CommitFigures {
            commit: commit.to_owned(),
            date: "2026-11-24".to_owned(),
            figures: vec![
                of(FigureForm::Whole, estimate(value)),
                of(FigureForm::Reader, estimate(0.9)),
                of(FigureForm::TextAlone, None),
            ],
        }
    }

    #[test]
    fn a_figure_stands_beside_its_goal_its_reader_and_its_past() {
        let runs = [run("aaaaaaa", 0.5), run("bbbbbbb", 0.75)];
        let expected = "Judged on 2026-11-24, commit `bbbbbbb`. In each cell: the figure, its interval of 95 %, and of how many.\n\
            \n**addressed to the owner**\n\n\
            | Figure | Goal | As received | Subject and text alone | Second reader | Before |\n|---|---|---|---|---|---|\n\
            | needs you, F1 | ≥ 0.85 | 0.750 (0.650 to 0.850), 40 | - | 0.900 (0.800 to 1.000), 40 | 0.500 |\n\
            \n**By commit**, as received\n\n\
            | Figure | Goal | `aaaaaaa` | `bbbbbbb` |\n|---|---|---|---|\n\
            | addressed to the owner: needs you, F1 | ≥ 0.85 | 0.500 | 0.750 |\n";
        assert_eq!(tables(&runs, FigurePage::Comms), expected);
        assert_eq!(tables(&runs, FigurePage::Finance), NOTHING);
        assert_eq!(tables(&[], FigurePage::Comms), NOTHING);
        let page = format!("a\n{BEGIN}old{END}\nb\n");
        assert_eq!(
            with_tables(&page, "new\n"),
            Some(format!("a\n{BEGIN}\nnew\n\n{END}\nb\n"))
        );
        assert_eq!(with_tables("none", "new"), None);
    }

    #[test]
    fn the_pages_tell_the_figures_that_were_recorded() {
        let runs = record::parse(include_str!("../../../docs/judge/history.tsv")).unwrap();
        let comms = include_str!("../../../docs/agents/comms.md");
        let tables_of = |page| tables(&runs, page);
        assert_eq!(
            with_tables(comms, &tables_of(FigurePage::Comms)).as_deref(),
            Some(comms)
        );
        let finance = include_str!("../../../docs/agents/finance.md");
        assert_eq!(
            with_tables(finance, &tables_of(FigurePage::Finance)).as_deref(),
            Some(finance)
        );
    }
}
