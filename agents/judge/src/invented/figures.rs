//! Precision, recall, F1.
//!
//! What: [`ConfusionTable`] of a confusion table, and [`table`], the part of `docs/agents/comms.md` that tells them. Why: the same numbers in
//! the test and on the page. Not here: the messages (`scenes`, `typist`).

use super::{EACH, LabelledMessage, scenes, typed};
use agents::comms::{
    classifier::CLASSES,
    intent::{Intent, JudgedBy, by_classifier, by_rules, judge},
};
use std::fmt::Write as _;
use toolcall_schema::ids::sha256_hex;

const LABELS: [&str; 4] = ["ACTIONABLE", "SOCIAL", "BROADCAST", "SPAM"];

/// Who judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeKind {
    /// The rules; what none of them recognises is SOCIAL.
    Rules,
    /// The classifier; what it is not sure about is SOCIAL.
    Classifier,
    /// As the agent does it: rules first.
    Both,
}

/// What a judge said of all messages: rows are what they are, columns what was said, in the order of [`CLASSES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConfusionTable {
    pub confusion: [[u32; 4]; 4],
    /// Those about which the classifier was asked and not sure.
    pub doubts: u32,
}

fn names() -> [String; 1] {
    ["rohan".to_owned()]
}

fn place(class: Intent) -> usize {
    CLASSES
        .iter()
        .position(|known| *known == class)
        .unwrap_or_default()
}

impl ConfusionTable {
    /// Lets a judge judge.
    pub(crate) fn judge_all(judged: JudgeKind, messages: &[LabelledMessage]) -> Self {
        let names = names();
        let mut figures = Self::default();
        for typed in messages {
            let message = typed.message();
            let (said, doubt) = match judged {
                JudgeKind::Rules => (by_rules(&message, &names).unwrap_or(Intent::Social), false),
                JudgeKind::Classifier => {
                    let verdict = by_classifier(&message, &names);
                    if verdict.is_sure() {
                        (verdict.class, false)
                    } else {
                        (Intent::Social, true)
                    }
                }
                JudgeKind::Both => {
                    let judgement = judge(&message, &names);
                    (judgement.intent, judgement.by == JudgedBy::Doubt)
                }
            };
            figures.doubts += u32::from(doubt);
            if let Some(cell) = figures
                .confusion
                .get_mut(place(typed.class))
                .and_then(|row| row.get_mut(place(said)))
            {
                *cell += 1;
            }
        }
        figures
    }

    /// Precision and recall of a class: the part of what was called so that is so, and the part of what is so that was called so.
    pub(crate) fn of_class(&self, class: Intent) -> (f64, f64) {
        let at = place(class);
        let cell = |row: usize, column: usize| {
            f64::from(
                self.confusion
                    .get(row)
                    .and_then(|r| r.get(column))
                    .copied()
                    .unwrap_or(0),
            )
        };
        let (mut called, mut are) = (0.0, 0.0);
        for other in 0..4 {
            called += cell(other, at);
            are += cell(at, other);
        }
        (cell(at, at) / called.max(1.0), cell(at, at) / are.max(1.0))
    }

    /// The harmonic mean of precision and recall of a class.
    pub fn f1(&self, class: Intent) -> f64 {
        let (precision, recall) = self.of_class(class);
        2.0 * precision * recall / (precision + recall).max(f64::EPSILON)
    }

    /// The mean of the classes' F1.
    pub(crate) fn macro_f1(&self) -> f64 {
        CLASSES.into_iter().map(|class| self.f1(class)).sum::<f64>() / 4.0
    }
}

/// All scenes, those whose mistakes widened the training's text, and those written afterwards.
fn sets() -> [(&'static str, Vec<LabelledMessage>, usize); 3] {
    let (known, unseen) = (scenes::known(), scenes::unseen());
    let all = [known.clone(), unseen.clone()].concat();
    [
        ("all held-out scenes", all),
        ("known scenes", known),
        ("unseen scenes", unseen),
    ]
    .map(|(name, scenes)| (name, typed(&scenes, EACH), scenes.len()))
}

/// The figures as they stand in `docs/agents/comms.md`.
pub fn table() -> String {
    let model = sha256_hex(include_bytes!("../../../comms/src/classifier.bin"));
    let mut out = format!("Model: SHA-256 `{model}`, {EACH} messages of each scene.\n");
    // Writing to a string cannot fail.
    for (half, messages, scenes) in sets() {
        let count = messages.len();
        let _ = write!(
            out,
            "\n**{half}**: {count} messages of {scenes} scenes\n\n\
             | Judge | Class | Precision | Recall | F1 |\n|---|---|---|---|---|\n"
        );
        let both = ConfusionTable::judge_all(JudgeKind::Both, &messages);
        for (name, figures) in [
            (
                "rules alone",
                ConfusionTable::judge_all(JudgeKind::Rules, &messages),
            ),
            (
                "classifier alone",
                ConfusionTable::judge_all(JudgeKind::Classifier, &messages),
            ),
            ("both, as Comms judges", both),
        ] {
            for (class, label) in CLASSES.into_iter().zip(LABELS) {
                let (precision, recall) = figures.of_class(class);
                let f1 = figures.f1(class);
                let _ = writeln!(
                    out,
                    "| {name} | {label} | {precision:.3} | {recall:.3} | {f1:.3} |"
                );
            }
            let (doubts, f1) = (figures.doubts, figures.macro_f1());
            let _ = writeln!(
                out,
                "| {name} | **macro-F1** | | {doubts} in doubt | **{f1:.3}** |"
            );
        }
        out.push_str(
            "\n| both: is, was called | ACTIONABLE | SOCIAL | BROADCAST | SPAM |\n|---|---|---|---|---|\n",
        );
        for ([a, b, c, d], label) in both.confusion.into_iter().zip(LABELS) {
            let _ = writeln!(out, "| {label} | {a} | {b} | {c} | {d} |");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_table() {
        // 8 of 10 that are ACTIONABLE were called so, and 2 that are SPAM: precision 8/10, recall 8/10.
        let figures = ConfusionTable {
            confusion: [[8, 2, 0, 0], [0, 5, 0, 0], [0, 0, 5, 0], [2, 0, 0, 3]],
            doubts: 0,
        };
        assert_eq!(figures.of_class(Intent::Actionable), (0.8, 0.8));
        assert_eq!(figures.of_class(Intent::Spam), (1.0, 0.6));
        // SOCIAL 5/7 and 1, BROADCAST 1: F1 0.8, 0.8333, 1, 0.75.
        assert!((figures.macro_f1() - (0.8 + 5.0 / 6.0 + 1.0 + 0.75) / 4.0).abs() < 1e-12);
    }

    #[test]
    fn the_held_out_scenes_pass_their_gates() {
        for ((set, messages, _), least) in sets().into_iter().zip([0.85, 0.85, 0.75]) {
            let both = ConfusionTable::judge_all(JudgeKind::Both, &messages);
            assert!(both.macro_f1() >= least, "{set} {both:?}");
            assert!(
                CLASSES.into_iter().all(|class| both.f1(class) >= 0.5),
                "{set} {both:?}"
            );
            // What is taken for SPAM is never shown, so little of it may be something else.
            assert!(both.of_class(Intent::Spam).0 >= 0.9, "{set} {both:?}");
            // The classifier is worth its place.
            let rules = ConfusionTable::judge_all(JudgeKind::Rules, &messages);
            assert!(both.macro_f1() > rules.macro_f1() + 0.3, "{set} {rules:?}");
        }
    }
}
