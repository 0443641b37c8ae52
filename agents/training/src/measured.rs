//! Invented mails that nothing is trained on.
//!
//! What: [`MEASURED`], files in the compact form, and [`print_measured`], how this build judges them. Why: the first was looked at while rules and cues were
//! changed, the others only counted, so that a change that merely fits what was looked at shows. Not here: the figures that count (`agents/judge`).

use crate::{
    invented::{INVENTED_ADDRESSES, INVENTED_NAMES, InventedMail, Teaches, compact},
    scorers::{WANTS_ANSWER, WANTS_OWNER},
};
use agents::comms::judging::{MailJudgement, MessageClass, OwnerIdentity, SenderStanding, judge_bytes};
use std::io::{self, Write};

/// The files: by name, the text, and whether its errors may be shown.
pub(crate) const MEASURED: [(&str, &str, bool); 4] = [
    ("asked-1", include_str!("../measured/asked-1.txt"), true),
    ("asked-2", include_str!("../measured/asked-2.txt"), false),
    ("asked-3", include_str!("../measured/asked-3.txt"), false),
    ("asked-4", include_str!("../measured/asked-4.txt"), false),
];

/// The mails of one half, each with what this build says of it.
fn judge_half(name: &'static str, file: &str) -> io::Result<Vec<(InventedMail, MailJudgement)>> {
    let (names, addresses) = (
        INVENTED_NAMES.map(str::to_owned),
        INVENTED_ADDRESSES.map(str::to_owned),
    );
    let owner = OwnerIdentity {
        names: &names,
        addresses: &addresses,
    };
    // They are in no corpus, so nothing learns from them.
    let mails = compact(name, file, Teaches::Scorers)?;
    Ok(mails
        .into_iter()
        .filter_map(|it| {
            let says = judge_bytes(&it.mail.bytes, &owner, &SenderStanding::default())?;
            Some((it, says))
        })
        .collect())
}

/// Prints how many of each half are found, and with `rows` what is wrong in the one that may be looked at.
///
/// # Errors
/// Those of the writer; a file that has not the form.
pub fn print_measured(rows: bool, out: &mut dyn Write) -> io::Result<()> {
    for (name, file, shown) in MEASURED {
        let judged = judge_half(name, file)?;
        for (what, wanted) in [("needs you", WANTS_OWNER), ("wants an answer", WANTS_ANSWER)] {
            let (mut hits, mut called, mut are) = (0, 0, 0);
            for (it, says) in &judged {
                let (is, says) = (wanted.contains(&it.label), wanted.contains(&says.class));
                hits += u32::from(is && says);
                called += u32::from(says);
                are += u32::from(is);
            }
            writeln!(out, "{name}, {what}: {hits} of {are} found, {called} called")?;
        }
        let called_spam = |is: bool| {
            let of = judged.iter().filter(move |(it, _)| it.mail.spam == is);
            let called = of.clone().filter(|(_, says)| says.class == MessageClass::Spam);
            (called.count(), of.count())
        };
        let ((found, spam), (wrong, ham)) = (called_spam(true), called_spam(false));
        writeln!(
            out,
            "{name}: spam recognised {found} of {spam}, ham called spam {wrong} of {ham}"
        )?;
        let drafts = |is: bool| judged.iter().filter(move |(it, _)| it.draft == is);
        let offered = |is: bool| drafts(is).filter(|(_, says)| says.may_draft).count();
        let right = judged.iter().filter(|(it, says)| it.label == says.class);
        writeln!(
            out,
            "{name}: class right {} of {}; a draft where one is wanted {} of {}, where none is {} of {}",
            right.count(),
            judged.len(),
            offered(true),
            drafts(true).count(),
            offered(false),
            drafts(false).count()
        )?;
        for (it, says) in judged.iter().filter(|_| rows && shown) {
            if it.label != says.class || it.draft != says.may_draft {
                writeln!(
                    out,
                    "  {} is {}, called {} (draft {}), spam {}, {:?}",
                    it.mail.id,
                    it.label.as_str(),
                    says.class.as_str(),
                    says.may_draft,
                    says.spam.0,
                    says.evidence
                )?;
            }
        }
    }
    Ok(())
}
