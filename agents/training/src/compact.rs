//! Invented mails in a form that a person can write.
//!
//! What: [`CompactMail`], one mail of a file like `invented/today-1.txt`, and [`parse`], the mails of such a file. Why: whoever invents a mail writes its
//! words and says what it is; a head is not theirs to write. Not here: the head (`made_head`), what is trained with it (`invented`).
//!
//! ```text
//! %% LABEL | SENDER | ADDRESS | DRAFT
//! From: Name <local@host.example>
//! Subject: the subject
//! > what is answered
//!
//! the new text
//! ```

use agents::comms::judging::MessageClass;

/// Who wrote a mail, and with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriterKind {
    /// A person, to the owner or a few.
    Person,
    /// A person at a desk of a firm.
    Desk,
    /// A person, through a mailing list.
    List,
    /// A program, to its user.
    Program,
    /// A campaign or a newsletter.
    Bulk,
}

/// Where the owner stands among the addressees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnerPlace {
    /// Alone in `To`.
    Alone,
    /// One of several in `To`.
    Several,
    /// In `Cc` only.
    Copy,
    /// Nowhere: it goes to a list.
    List,
}

/// A mail as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompactMail<'a> {
    /// By `labels/GUIDE.md`.
    pub(crate) label: MessageClass,
    pub(crate) sender: WriterKind,
    pub(crate) owner: OwnerPlace,
    /// Whether a reply is to be offered.
    pub(crate) draft: bool,
    pub(crate) name: &'a str,
    pub(crate) address: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) body: &'a str,
}

/// Begins each mail.
const MARK: &str = "%% ";

/// The mails of a file.
///
/// # Errors
/// The first line of a mail that has not this form.
pub(crate) fn parse(file: &str) -> Result<Vec<CompactMail<'_>>, String> {
    let starts: Vec<usize> = [0]
        .into_iter()
        .chain(file.match_indices('\n').map(|(at, _)| at + 1))
        .filter(|at| file.get(*at..).is_some_and(|rest| rest.starts_with(MARK)))
        .collect();
    let ends = starts.iter().copied().skip(1).chain([file.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(begin, end)| {
            let block = file.get(*begin..end).unwrap_or_default();
            mail(block).ok_or_else(|| block.lines().next().unwrap_or_default().to_owned())
        })
        .collect()
}

fn mail(block: &str) -> Option<CompactMail<'_>> {
    let (mark, rest) = block.strip_prefix(MARK)?.split_once('\n')?;
    let mut cells = mark.split('|').map(str::trim);
    let label = MessageClass::parse(cells.next()?)?;
    let sender = match cells.next()? {
        "person" => WriterKind::Person,
        "desk" => WriterKind::Desk,
        "list" => WriterKind::List,
        "program" => WriterKind::Program,
        "bulk" => WriterKind::Bulk,
        _ => return None,
    };
    let owner = match cells.next()? {
        "alone" => OwnerPlace::Alone,
        "several" => OwnerPlace::Several,
        "copy" => OwnerPlace::Copy,
        "list" => OwnerPlace::List,
        _ => return None,
    };
    let draft = match cells.next()? {
        "draft" => true,
        "none" => false,
        _ => return None,
    };
    let (from, rest) = rest.strip_prefix("From:")?.split_once('\n')?;
    let (name, address) = from.rsplit_once('<')?;
    let address = address.trim().strip_suffix('>').filter(|it| it.contains('@'))?;
    let (subject, body) = rest.strip_prefix("Subject:")?.split_once('\n')?;
    let plain = cells.next().is_none() && address.is_ascii() && !body.trim().is_empty();
    plain.then(|| CompactMail {
        label,
        sender,
        owner,
        draft,
        name: name.trim().trim_matches('"'),
        address,
        subject: subject.trim(),
        body: body.trim(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &str = "%% date | person | several | draft\nFrom: \"Bo Lind\" <bo@soup.example>\nSubject: Re: soup\n> when?\n\nThursday?\n\n%% of us\n";

    #[test]
    fn a_block_is_a_mail() {
        // A line of the text that begins as a mail does is taken for one.
        assert_eq!(parse(MAIL).unwrap_err(), "%% of us");
        let file = MAIL.replace("%% of", "of").repeat(2);
        let mails = parse(&file).unwrap();
        assert_eq!(mails.len(), 2);
        assert_eq!(
            mails[0],
            CompactMail {
                label: MessageClass::Date,
                sender: WriterKind::Person,
                owner: OwnerPlace::Several,
                draft: true,
                name: "Bo Lind",
                address: "bo@soup.example",
                subject: "Re: soup",
                body: "> when?\n\nThursday?\n\nof us",
            }
        );
    }

    #[test]
    fn what_has_not_the_form_is_named() {
        let good = MAIL.replace("%% of", "of");
        for (from, to) in [
            ("date", "dates"),
            ("person", "human"),
            ("several", "some"),
            ("| draft", "| yes"),
            ("| draft", "| draft | x"),
            ("<bo@soup.example>", "bo@soup.example"),
            ("From:", "Von:"),
            ("Subject:", "Re:"),
        ] {
            assert!(parse(&good.replace(from, to)).is_err(), "{to}");
        }
        assert!(parse("").unwrap().is_empty());
    }
}
