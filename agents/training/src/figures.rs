//! How the whole judgement does on mails that its models did not see.
//!
//! What: [`print_figures`]: spam, drafts and who waits, of the corpus that is trained on and of the invented mails of today, as they came and through
//! somebody else's server; by models that did not see the sender, or the mail. Why: margins and rules are set by these. Not here: the
//! figures that count (`agents/judge`): these mails were looked at.

use crate::{
    corpus::{TrainingCorpus, labels},
    descent::fixed,
    gate::{MailForm, cross_validate_gate},
    invented::{INVENTED_ADDRESSES, INVENTED_NAMES, InventedMail, age_head, relayed},
    scorers::{CrossValidation, WANTS_ANSWER, WANTS_OWNER, cross_validate_scorers, owner, scorer_rows},
};
use agents::comms::{
    intent::Intent,
    judging::{MailJudgement, MessageClass, ModelScores, OwnerIdentity, judge_with_scores},
    mail_class::MailScores,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

/// A mail with what is said of it.
struct JudgedExample<'a> {
    id: &'a str,
    form: MailForm,
    writer: Option<&'static str>,
    /// `None`: a mail of easy-ham-1 that has no label, or an invented one that the scorers are not taught.
    class: Option<MessageClass>,
    spam: bool,
    draft: bool,
    automatic: bool,
    judgement: MailJudgement,
}

fn judged(corpus: &TrainingCorpus, by: CrossValidation) -> Vec<JudgedExample<'_>> {
    let spam: BTreeMap<(MailForm, String), f64> = cross_validate_gate(corpus, by, true)
        .into_iter()
        .map(|score| ((score.form, score.id), score.score))
        .collect();
    let rows = scorer_rows(corpus);
    let said: BTreeMap<&str, Option<MailScores>> = rows
        .iter()
        .map(|row| row.id.as_str())
        .zip(cross_validate_scorers(&rows, by))
        .collect();
    let judge = |id: &str, form: MailForm, bytes: &[u8], (names, addresses): (&[String], &[String])| {
        let scores = ModelScores {
            spam: spam.get(&(form, id.to_owned())).map(|it| i64::from(fixed(*it))),
            scorers: said.get(id).copied().flatten(),
        };
        judge_with_scores(bytes, &OwnerIdentity { names, addresses }, scores)
    };
    let labels = labels();
    let old = corpus.mails.iter().filter_map(|mail| {
        let label = labels.get(mail.id.as_str());
        let (names, addresses) = owner(&mail.bytes, mail.spam || label.is_some_and(|it| it.addressed));
        let class = if mail.spam {
            Some(MessageClass::Spam)
        } else {
            label.map(|label| label.label)
        };
        Some(JudgedExample {
            id: &mail.id,
            form: MailForm::Old,
            writer: None,
            class,
            spam: mail.spam,
            draft: false,
            automatic: class == Some(MessageClass::News),
            judgement: judge(&mail.id, MailForm::Old, &mail.bytes, (&names, &addresses))?,
        })
    });
    let names = INVENTED_NAMES.map(str::to_owned);
    let addresses = INVENTED_ADDRESSES.map(str::to_owned);
    let forms = |it: &InventedMail| {
        [
            (MailForm::Today, it.mail.bytes.clone()),
            (MailForm::Relayed, relayed(&it.mail.bytes)),
            (MailForm::Aged, age_head(&it.mail.bytes)),
        ]
    };
    // What teaches the scorers alone is too short to be judged as a mail.
    let whole = corpus.invented.iter().filter(|it| it.writer != "exchanges");
    let invented = whole.flat_map(|it| {
        forms(it).into_iter().filter_map(|(form, bytes)| {
            Some(JudgedExample {
                id: &it.mail.id,
                form,
                writer: Some(it.writer),
                class: it.scorers.then_some(it.label),
                spam: it.mail.spam,
                draft: it.draft,
                automatic: it.automatic,
                judgement: judge(&it.mail.id, form, &bytes, (&names, &addresses))?,
            })
        })
    });
    let asked = |it: &JudgedExample<'_>| by == CrossValidation::BySender || it.writer.is_some();
    old.chain(invented).filter(asked).collect()
}

/// Prints the figures, and with `rows` the labelled mails that were judged wrongly.
///
/// # Errors
/// Those of the writer.
pub fn print_figures(
    corpus: &TrainingCorpus,
    by: CrossValidation,
    rows: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let judged = judged(corpus, by);
    for form in [MailForm::Old, MailForm::Today, MailForm::Relayed, MailForm::Aged] {
        let of: Vec<&JudgedExample<'_>> = judged.iter().filter(|it| it.form == form).collect();
        if !of.is_empty() {
            print_form(form, &of, rows, out)?;
        }
    }
    Ok(())
}

fn print_form(
    form: MailForm,
    judged: &[&JudgedExample<'_>],
    rows: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    type ExampleFilter<'a> = &'a dyn Fn(&JudgedExample<'_>) -> bool;
    let called_spam = |it: &JudgedExample<'_>| it.judgement.intent == Intent::Spam;
    let draft = |it: &JudgedExample<'_>| it.judgement.may_draft;
    let counted = |it: &JudgedExample<'_>| it.judgement.intent == Intent::Actionable;
    let spam = |it: &JudgedExample<'_>| it.spam;
    let ham = |it: &JudgedExample<'_>| !it.spam;
    let automatic = |it: &JudgedExample<'_>| it.automatic;
    let right = |it: &JudgedExample<'_>| it.class == Some(it.judgement.class);
    let shares: [(&str, ExampleFilter<'_>, ExampleFilter<'_>); 9] = [
        ("spam recognised", &spam, &called_spam),
        ("ham called spam", &ham, &called_spam),
        (
            "automatic ham called spam",
            &|it| !it.spam && it.automatic,
            &called_spam,
        ),
        ("spam counted as wanting an answer", &spam, &counted),
        ("spam offered a draft", &spam, &draft),
        ("automatic mail offered a draft", &automatic, &draft),
        ("a draft where one is wanted", &|it| it.draft, &draft),
        ("a draft where none is wanted", &|it| !it.draft, &draft),
        ("class right", &|it| it.class.is_some(), &right),
    ];
    for (name, is, so) in shares {
        let among = || judged.iter().filter(|it| is(it));
        let hits = among().filter(|it| so(it)).count();
        writeln!(out, "{form:?}, {name}: {hits} of {}", among().count())?;
    }
    let writers: BTreeSet<&str> = judged.iter().filter_map(|it| it.writer).collect();
    for writer in writers {
        let of = |is: bool| {
            judged
                .iter()
                .filter(move |it| it.writer == Some(writer) && it.spam == is)
        };
        let called = |is: bool| of(is).filter(|it| called_spam(it)).count();
        writeln!(
            out,
            "{form:?}, {writer}: spam recognised {} of {}, ham called spam {} of {}",
            called(true),
            of(true).count(),
            called(false),
            of(false).count()
        )?;
    }
    use MessageClass::{Bill, Code, Date, Group, NeedsYou, News, Talk};
    for (name, wanted) in [
        ("needs you", WANTS_OWNER),
        ("wants an answer", WANTS_ANSWER),
        ("needs_you", &[NeedsYou]),
        ("date", &[Date]),
        ("bill", &[Bill]),
        ("code", &[Code]),
        ("group", &[Group]),
        ("news", &[News]),
        ("talk", &[Talk]),
    ] {
        let (mut hits, mut called, mut are) = (0_u32, 0_u32, 0_u32);
        for (it, class) in judged.iter().filter_map(|it| Some((it, it.class?))) {
            let (is, says) = (wanted.contains(&class), wanted.contains(&it.judgement.class));
            hits += u32::from(is && says);
            called += u32::from(says);
            are += u32::from(is);
        }
        let f1 = f64::from(2 * hits) / f64::from((called + are).max(1));
        writeln!(
            out,
            "{form:?}, {name}: {hits} of {are} found, {called} called, F1 {f1:.3}"
        )?;
    }
    for it in judged.iter().filter(|_| rows) {
        let other_draft = form != MailForm::Old && it.draft != it.judgement.may_draft;
        if let Some(class) = it.class.filter(|_| !right(it) || other_draft) {
            writeln!(
                out,
                "  {form:?} {} is {} (draft {}), called {} (draft {}), spam {}, {:?}",
                it.id,
                class.as_str(),
                it.draft,
                it.judgement.class.as_str(),
                it.judgement.may_draft,
                it.judgement.spam.0,
                it.judgement.evidence
            )?;
        }
    }
    Ok(())
}
