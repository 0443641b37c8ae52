//! Figures over labelled mails.
//!
//! What: [`figures_of`], precision, recall and F1 of what needs the owner, of what wants an answer and of each class, and the mean F1 of the machine's
//! intents. Why: real mails and invented ones are counted by the same function. Not here: the mails (`mail`, `written_mail`).

use crate::{
    estimate::{FigureEstimate, f1},
    record::{FigureForm, RecordedFigure},
};
use agents::comms::judging::intent_of;
use std::collections::BTreeMap;
use toolcall_schema::catalogue::comms::{Intent, MessageClass};

/// A labelled mail: what the first reader, the second and Aura say.
#[derive(Clone, Copy)]
pub(crate) struct LabelledTriple {
    pub(crate) first: MessageClass,
    /// `None`: there was one reader.
    pub(crate) second: Option<MessageClass>,
    /// `None`: it could not be read.
    pub(crate) ours: Option<MessageClass>,
}

/// Every figure of a suite of labelled mails.
pub(crate) fn figures_of(suite: &str, form: FigureForm, triples: &[LabelledTriple]) -> Vec<RecordedFigure> {
    let mut figures = ClassFigures {
        suite,
        form,
        triples,
        found: Vec::new(),
    };
    let needs = |class: MessageClass| intent_of(class) == Intent::Actionable;
    let wants = |class: MessageClass| needs(class) || class == MessageClass::Group;
    figures.group("needs you", needs);
    figures.group("wants an answer", wants);
    let labelled = |class: MessageClass| triples.iter().any(|triple| triple.first == class);
    // Where no other class needs the owner, the first group says it all.
    let alone = !labelled(MessageClass::Date) && !labelled(MessageClass::Bill);
    for class in MessageClass::ALL.iter().copied() {
        if labelled(class) && !(alone && class == MessageClass::NeedsYou) {
            figures.group(class.as_str(), |other| other == class);
        }
    }
    figures.macro_f1();
    figures.found
}

/// The figures of a suite, as they are counted.
struct ClassFigures<'a> {
    suite: &'a str,
    form: FigureForm,
    triples: &'a [LabelledTriple],
    found: Vec<RecordedFigure>,
}

impl ClassFigures<'_> {
    /// Precision, recall and F1 of a group of classes; the second reader's beside Aura's.
    fn group(&mut self, group: &str, within: impl Fn(MessageClass) -> bool) {
        let pairs = |said: fn(&LabelledTriple) -> Option<MessageClass>| -> Vec<(bool, bool)> {
            self.triples
                .iter()
                .map(|it| (within(it.first), said(it).is_some_and(&within)))
                .collect()
        };
        let (ours, second) = (pairs(|it| it.ours), pairs(|it| it.second));
        self.of_pairs(group, self.form, &ours);
        if self.has_reader() {
            self.of_pairs(group, FigureForm::Reader, &second);
        }
    }

    /// Whether there is a second reader who is to be told now.
    fn has_reader(&self) -> bool {
        self.form == FigureForm::Whole && self.triples.iter().any(|it| it.second.is_some())
    }

    fn push(&mut self, figure: &str, form: FigureForm, estimate: Option<FigureEstimate>) {
        self.found
            .push(RecordedFigure::new(self.suite, figure, form, estimate));
    }

    fn of_pairs(&mut self, group: &str, form: FigureForm, pairs: &[(bool, bool)]) {
        let count = |so: fn(&(bool, bool)) -> bool| pairs.iter().filter(|pair| so(pair)).count();
        let right = count(|(is, called)| *is && *called);
        let called = count(|(_, called)| *called);
        let are = count(|(is, _)| *is);
        let rows = [
            ("precision", FigureEstimate::of_proportion(right, called)),
            ("recall", FigureEstimate::of_proportion(right, are)),
            ("F1", FigureEstimate::of_statistic(pairs, |pairs| f1(pairs))),
        ];
        for (name, estimate) in rows {
            self.push(&format!("{group}, {name}"), form, estimate);
        }
    }

    /// The mean F1 of the machine's intents that occur among the first reader's labels.
    fn macro_f1(&mut self) {
        let of = |said: fn(&LabelledTriple) -> Option<MessageClass>| {
            let pairs: Vec<(Intent, Option<Intent>)> = self
                .triples
                .iter()
                .map(|triple| (intent_of(triple.first), said(triple).map(intent_of)))
                .collect();
            FigureEstimate::of_statistic(&pairs, |pairs| mean_f1(pairs))
        };
        let (ours, second) = (of(|it| it.ours), of(|it| it.second));
        self.push("intent, macro-F1", self.form, ours);
        if self.has_reader() {
            self.push("intent, macro-F1", FigureForm::Reader, second);
        }
    }
}

fn mean_f1(pairs: &mut dyn Iterator<Item = &(Intent, Option<Intent>)>) -> Option<f64> {
    let mut counts: BTreeMap<Intent, (u32, u32, u32)> = BTreeMap::new();
    for (is, called) in pairs {
        counts.entry(*is).or_default().0 += 1;
        if let Some(called) = called {
            counts.entry(*called).or_default().1 += 1;
            counts.entry(*is).or_default().2 += u32::from(is == called);
        }
    }
    let each: Vec<f64> = counts
        .values()
        .filter(|(are, _, _)| *are > 0)
        .map(|(are, called, right)| f64::from(2 * right) / f64::from(are + called))
        .collect();
    (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_tells_each_class_and_the_second_reader() {
        use MessageClass::{Bill, Group, NeedsYou, News, Talk};
        let triple = |first, second, ours| LabelledTriple {
            first,
            second: Some(second),
            ours: Some(ours),
        };
        let triples = [
            triple(NeedsYou, NeedsYou, Bill),
            triple(NeedsYou, Talk, Talk),
            triple(Group, Group, NeedsYou),
            triple(News, News, News),
            LabelledTriple {
                first: Talk,
                second: Some(Talk),
                ours: None,
            },
        ];
        let found = figures_of("s", FigureForm::Whole, &triples);
        let value = |figure: &str, form: FigureForm| {
            let it = found.iter().find(|it| it.figure == figure && it.form == form);
            it.and_then(|it| it.estimate)
                .map(|it| (it.n, (it.value * 1000.0).round() / 1000.0))
        };
        let whole = |figure: &str| value(figure, FigureForm::Whole);
        // A bill needs the owner too: one of two found, one too many. With the group: two of three, none too many.
        assert_eq!(whole("needs you, precision"), Some((2, 0.5)));
        assert_eq!(whole("needs you, recall"), Some((2, 0.5)));
        assert_eq!(whole("wants an answer, recall"), Some((3, 0.667)));
        assert_eq!(whole("wants an answer, F1"), Some((5, 0.8)));
        assert_eq!(value("needs you, F1", FigureForm::Reader), Some((5, 0.667)));
        assert_eq!(whole("talk, recall"), Some((1, 0.0)));
        // ACTIONABLE 2·1/(2+2), SOCIAL 0, BROADCAST 1: the mean is 0.5.
        assert_eq!(whole("intent, macro-F1"), Some((5, 0.5)));
    }
}
