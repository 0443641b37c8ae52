//! Mails that were written for the judge.
//!
//! What: [`measure`], the figures of the mails in `agents/judge/mails`. Why: the public corpus is of 2002 and has neither bills nor codes nor the mail of
//! today's programs; these are invented, by somebody who saw neither Aura's code nor its training. Not here: real mail (`mail`).

use crate::{
    classes::{LabelledTriple, figures_of},
    estimate::FigureEstimate,
    head::{MailboxOwner, subject_and_text_alone},
    mail::{JudgedMail, judge},
    record::{FigureForm, RecordedFigure},
};
use agents::comms::judging::SenderStanding;
use std::{fs, path::Path};
use toolcall_schema::catalogue::comms::{Intent, MessageClass};

const SUITE: &str = "invented mail, written apart from the code";

/// A mail with what its writer meant by it. Not `Debug`, like every mail.
struct WrittenMail {
    id: String,
    class: MessageClass,
    /// Whether a reply is to be offered.
    draft: bool,
    automatic: bool,
    bytes: Vec<u8>,
}

/// A line of `labels.tsv` that is none, or a mail that is not there.
#[derive(Debug, thiserror::Error)]
#[error("failed to read line {0} of agents/judge/mails/labels.tsv, or its mail")]
pub struct WrittenMailUnreadable(usize);

fn read(folder: &Path) -> Result<Vec<WrittenMail>, WrittenMailUnreadable> {
    let labels = fs::read_to_string(folder.join("labels.tsv")).unwrap_or_default();
    let mail = |line: &str| {
        let mut fields = line.split('\t');
        let id = fields.next()?;
        Some(WrittenMail {
            id: id.to_owned(),
            class: MessageClass::parse(fields.next()?)?,
            draft: fields.next()?.parse().ok()?,
            automatic: fields.next()?.parse().ok()?,
            bytes: fs::read(folder.join(format!("{id}.eml"))).ok()?,
        })
    };
    let lines = labels.lines().enumerate();
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| mail(line).ok_or(WrittenMailUnreadable(number + 1)))
        .collect()
}

/// A written mail that was judged otherwise than it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenMailMiss {
    pub id: String,
    pub is: MessageClass,
    pub called: Option<MessageClass>,
}

/// Every figure of the written mails, and what was missed; none where there is no such folder.
///
/// # Errors
/// A label or mail that cannot be read.
pub fn measure(folder: &Path) -> Result<(Vec<RecordedFigure>, Vec<WrittenMailMiss>), WrittenMailUnreadable> {
    let mails = read(folder)?;
    let owner = MailboxOwner {
        names: vec!["asha".to_owned(), "asha rao".to_owned()],
        addresses: vec!["asha.rao@owner.example".to_owned(), "asha@rao.example".to_owned()],
    };
    // None of the owner's own mails is among them.
    let stranger = SenderStanding::default();
    let (mut figures, mut misses) = (Vec::new(), Vec::new());
    for form in [FigureForm::Whole, FigureForm::TextAlone] {
        let judged: Vec<(&WrittenMail, Option<JudgedMail>)> = mails
            .iter()
            .map(|mail| {
                let said = match form {
                    FigureForm::TextAlone => judge(&subject_and_text_alone(&mail.bytes), &owner, stranger),
                    FigureForm::Whole | FigureForm::Reader => judge(&mail.bytes, &owner, stranger),
                };
                (mail, said)
            })
            .collect();
        if judged.is_empty() {
            continue;
        }
        figures.extend(rows(&judged, form));
        if form == FigureForm::Whole {
            let missed = judged
                .iter()
                .map(|(mail, said)| (mail, said.map(|said| said.class)));
            let missed = missed.filter(|(mail, called)| *called != Some(mail.class));
            misses.extend(missed.map(|(mail, called)| WrittenMailMiss {
                id: mail.id.clone(),
                is: mail.class,
                called,
            }));
        }
        let triples: Vec<LabelledTriple> = judged
            .iter()
            .map(|(mail, said)| LabelledTriple {
                first: mail.class,
                second: None,
                ours: said.map(|said| said.class),
            })
            .collect();
        figures.extend(figures_of(SUITE, form, &triples));
    }
    Ok((figures, misses))
}

/// Spam, drafts, and what comes from programs.
fn rows(judged: &[(&WrittenMail, Option<JudgedMail>)], form: FigureForm) -> Vec<RecordedFigure> {
    let share = |figure: &str, of: fn(&WrittenMail) -> bool, so: fn(JudgedMail) -> bool| {
        let among = || judged.iter().filter(|(mail, _)| of(mail));
        let hits = among().filter(|(_, said)| said.is_some_and(so)).count();
        let estimate = FigureEstimate::of_proportion(hits, among().count());
        RecordedFigure::new(SUITE, figure, form, estimate)
    };
    let spam = |mail: &WrittenMail| mail.class == MessageClass::Spam;
    let called_spam = |said: JudgedMail| said.intent == Intent::Spam;
    let wants = |said: JudgedMail| said.intent == Intent::Actionable;
    let draft = |said: JudgedMail| said.draft;
    vec![
        share("spam recognised", spam, called_spam),
        share(
            "ham called spam",
            |mail| mail.class != MessageClass::Spam,
            called_spam,
        ),
        share("spam counted as wanting an answer", spam, wants),
        share("spam offered a draft", spam, draft),
        share("automatic mail offered a draft", |mail| mail.automatic, draft),
        share("a draft where one is wanted", |mail| mail.draft, draft),
        share("a draft where none is wanted", |mail| !mail.draft, draft),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_written_mail_is_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mails");
        assert!(read(&folder).is_ok_and(|mails| mails.is_empty() != folder.exists()));
    }
}
