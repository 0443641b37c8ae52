//! The suites of real mail.
//!
//! What: [`measure`], every figure of `docs/agents/comms.md` that is of real mail, and the mails that were judged wrongly, by id. Why: a figure
//! of invented text says nothing about anybody's inbox. Not here: judging (`agents::comms::judging`), the mails (`corpus`), a year of them
//! day by day (`year`).
//!
//! Of the owner's history a mail is judged with, there is what the corpus itself holds: whom the owner had written to before (`correspondence`).

use crate::{
    classes::{LabelledTriple, figures_of},
    corpus::{CorpusFolder, CorpusMail, LabelledSuite, MailCorpus, MailLabel, labels},
    correspondence::MailCorrespondence,
    estimate::FigureEstimate,
    head::{MailHead, MailboxOwner, as_received, subject_and_text_alone},
    record::{FigureForm, RecordedFigure},
};
use agents::comms::judging::{OwnerIdentity, SenderStanding, judge_bytes};
use toolcall_schema::catalogue::comms::{Intent, MessageClass};

/// Local parts of programs.
const PROGRAMS: [&str; 8] = [
    "noreply",
    "no-reply",
    "donotreply",
    "do-not-reply",
    "mailer-daemon",
    "postmaster",
    "rssfeeds",
    "bounce",
];

/// What was said of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedMail {
    pub class: MessageClass,
    pub intent: Intent,
    /// Whether a reply may be drafted for it.
    pub draft: bool,
}

/// A mail that was judged otherwise than it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailMiss {
    pub figure: String,
    pub folder: CorpusFolder,
    pub id: String,
    pub is: MessageClass,
    pub called: Option<MessageClass>,
}

/// Every figure of real mail, and what was missed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MailFigures {
    pub figures: Vec<RecordedFigure>,
    pub misses: Vec<MailMiss>,
}

/// Judges one mail. `None`: the agent cannot read it, and says so to its owner.
pub fn judge(bytes: &[u8], owner: &MailboxOwner, sender: SenderStanding) -> Option<JudgedMail> {
    let owner = OwnerIdentity {
        names: &owner.names,
        addresses: &owner.addresses,
    };
    let judgement = judge_bytes(bytes, &owner, &sender)?;
    Some(JudgedMail {
        class: judgement.class,
        intent: judgement.intent,
        draft: judgement.may_draft,
    })
}

/// A mail with all that is known of it.
struct KnownMail<'a> {
    mail: &'a CorpusMail,
    label: Option<MailLabel>,
    /// Sent by a program or to everybody who subscribed.
    automatic: bool,
    /// As part of the mailbox of whoever collected it.
    collected: Option<JudgedMail>,
    /// As part of the suite it was labelled in.
    labelled: Option<JudgedMail>,
}

impl<'a> KnownMail<'a> {
    fn read(
        mail: &'a CorpusMail,
        label: Option<MailLabel>,
        form: FigureForm,
        known: &MailCorrespondence,
    ) -> Self {
        let bytes = match form {
            FigureForm::TextAlone => subject_and_text_alone(&mail.bytes),
            FigureForm::Whole | FigureForm::Reader => as_received(&mail.bytes),
        };
        let head = MailHead::read(&mail.bytes);
        let judged = |owner: &MailboxOwner| judge(&bytes, owner, known.standing(&head, owner));
        let collected = judged(&MailboxOwner::collector(&head));
        let labelled = match label.map(|label| label.suite) {
            Some(LabelledSuite::Addressed) => judged(&MailboxOwner::addressee(&head)),
            Some(LabelledSuite::Random) => collected,
            None => None,
        };
        let automatic = match mail.folder {
            CorpusFolder::HardHam => true,
            CorpusFolder::EasyHam => {
                label.is_some_and(|it| it.first == MessageClass::News) || is_automatic(&head)
            }
            CorpusFolder::Spam => false,
        };
        Self {
            mail,
            label,
            automatic,
            collected,
            labelled,
        }
    }

    fn is(&self, called: impl Fn(JudgedMail) -> bool) -> bool {
        self.collected.is_some_and(called)
    }
}

/// By what its head says of itself.
fn is_automatic(head: &MailHead<'_>) -> bool {
    let submitted = head
        .values("auto-submitted")
        .any(|value| !value.eq_ignore_ascii_case("no"));
    let program = head.addresses("from").iter().any(|from| {
        let local = from.address.split('@').next().unwrap_or_default();
        PROGRAMS.iter().any(|name| local.starts_with(name))
    });
    submitted || program
}

/// Judges the whole corpus in both forms.
pub fn measure(corpus: &MailCorpus) -> MailFigures {
    let labels = labels();
    let correspondence = MailCorrespondence::read(&corpus.mails);
    let mut found = MailFigures::default();
    for form in [FigureForm::Whole, FigureForm::TextAlone] {
        let known: Vec<KnownMail<'_>> = corpus
            .mails
            .iter()
            .map(|mail| {
                let label = (mail.folder == CorpusFolder::EasyHam)
                    .then(|| labels.get(mail.id.as_str()).copied())
                    .flatten();
                KnownMail::read(mail, label, form, &correspondence)
            })
            .collect();
        spam(&known, form, &mut found);
        year(&known, form, &mut found);
        automatic(&known, form, &mut found);
        for suite in [LabelledSuite::Addressed, LabelledSuite::Random] {
            labelled(&known, suite, form, &mut found);
        }
    }
    found
}

impl MailFigures {
    /// Counts the mails of which something is so, and keeps those of which it should not be so.
    fn count<'a>(
        &mut self,
        (suite, figure, form): (&str, &str, FigureForm),
        known: impl Iterator<Item = &'a KnownMail<'a>>,
        is: MessageClass,
        (so, wanted): (impl Fn(&KnownMail<'_>) -> bool, bool),
    ) {
        let (mut hits, mut n) = (0, 0);
        for it in known {
            let so = so(it);
            n += 1;
            hits += usize::from(so);
            if so != wanted && form == FigureForm::Whole {
                self.misses.push(MailMiss {
                    figure: format!("{suite}: {figure}"),
                    folder: it.mail.folder,
                    id: it.mail.id.clone(),
                    is,
                    called: it.collected.map(|judged| judged.class),
                });
            }
        }
        let estimate = FigureEstimate::of_proportion(hits, n);
        self.figures
            .push(RecordedFigure::new(suite, figure, form, estimate));
    }
}

fn of_folder<'a>(
    known: &'a [KnownMail<'a>],
    folder: CorpusFolder,
) -> impl Iterator<Item = &'a KnownMail<'a>> {
    known.iter().filter(move |it| it.mail.folder == folder)
}

fn spam(known: &[KnownMail<'_>], form: FigureForm, found: &mut MailFigures) {
    let called_spam = |it: &KnownMail<'_>| it.is(|judged| judged.intent == Intent::Spam);
    let rows = [
        ("spam recognised (spam-2)", CorpusFolder::Spam, MessageClass::Spam),
        (
            "ham called spam (easy-ham-2)",
            CorpusFolder::EasyHam,
            MessageClass::Talk,
        ),
        (
            "ham called spam (hard-ham-1)",
            CorpusFolder::HardHam,
            MessageClass::News,
        ),
    ];
    for (figure, folder, is) in rows {
        let wanted = folder == CorpusFolder::Spam;
        found.count(
            ("spam", figure, form),
            of_folder(known, folder),
            is,
            (called_spam, wanted),
        );
    }
}

/// One mailbox of all three folders.
fn year(known: &[KnownMail<'_>], form: FigureForm, found: &mut MailFigures) {
    let wants = |it: &KnownMail<'_>| it.is(|judged| judged.intent == Intent::Actionable);
    let drafted = |it: &KnownMail<'_>| it.is(|judged| judged.draft);
    let suite = "mixed year";
    let spam = || of_folder(known, CorpusFolder::Spam);
    let row = (suite, "spam counted as wanting an answer", form);
    found.count(row, spam(), MessageClass::Spam, (wants, false));
    let row = (suite, "spam offered a draft", form);
    found.count(row, spam(), MessageClass::Spam, (drafted, false));
    // Of what was offered, how much was about spam: the misses are those of the row above.
    let offered: Vec<bool> = known
        .iter()
        .filter(|it| drafted(it))
        .map(|it| it.mail.folder == CorpusFolder::Spam)
        .collect();
    let hits = offered.iter().filter(|about_spam| **about_spam).count();
    found.figures.push(RecordedFigure::new(
        suite,
        "offered drafts that are about spam",
        form,
        FigureEstimate::of_proportion(hits, offered.len()),
    ));
    let all = known.len();
    found.figures.push(RecordedFigure::new(
        suite,
        "mails offered a draft",
        form,
        FigureEstimate::of_proportion(offered.len(), all),
    ));
}

fn automatic(known: &[KnownMail<'_>], form: FigureForm, found: &mut MailFigures) {
    let drafted = |it: &KnownMail<'_>| it.is(|judged| judged.draft);
    let wants = |it: &KnownMail<'_>| it.is(|judged| judged.intent == Intent::Actionable);
    let of = || known.iter().filter(|it| it.automatic);
    let row = ("automatic mail", "offered a draft", form);
    found.count(row, of(), MessageClass::News, (drafted, false));
    let row = ("automatic mail", "counted as wanting an answer", form);
    found.count(row, of(), MessageClass::News, (wants, false));
}

fn labelled(known: &[KnownMail<'_>], suite: LabelledSuite, form: FigureForm, found: &mut MailFigures) {
    let name = match suite {
        LabelledSuite::Addressed => "addressed to the owner",
        LabelledSuite::Random => "random mail",
    };
    let mut triples = Vec::new();
    for it in known {
        let Some(label) = it.label.filter(|label| label.suite == suite) else {
            continue;
        };
        let ours = it.labelled.map(|judged| judged.class);
        triples.push(LabelledTriple {
            first: label.first,
            second: Some(label.second),
            ours,
        });
        if ours != Some(label.first) && form == FigureForm::Whole {
            found.misses.push(MailMiss {
                figure: format!("{name}: class"),
                folder: it.mail.folder,
                id: it.mail.id.clone(),
                is: label.first,
                called: ours,
            });
        }
    }
    found.figures.extend(figures_of(name, form, &triples));
}
