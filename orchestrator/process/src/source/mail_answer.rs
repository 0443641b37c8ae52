//! What makes a draft the answer to a mail.
//!
//! What: [`answer_lines`], of the head of the mail that is answered, and which ids of messages are asked for at all. Why: a draft goes to whoever wrote,
//! on whatever server both lie. Not here: finding that mail (`imap`, `jmap`), what a draft says (the runtime).

/// Bytes of a message's id.
const ID_MAX: usize = 250;

/// Whether an id can be asked for as it stands.
pub(super) fn is_plain_id(message_id: &str) -> bool {
    message_id.len() <= ID_MAX
        && message_id.starts_with('<')
        && message_id.ends_with('>')
        && message_id
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
}

/// What stays of a draft's head when its text is replaced.
const KEPT_LINES: [&str; 5] = ["To", "Cc", "Subject", "In-Reply-To", "References"];

/// The lines of a draft's head that say to whom it goes and what it answers, as they stand there.
pub(super) fn kept_lines(head: &str) -> String {
    let mut is_kept = false;
    let kept = head.split_inclusive('\n').filter(|line| {
        if !line.starts_with([' ', '\t']) {
            let name = line.split_once(':').map_or("", |(name, _)| name.trim());
            is_kept = KEPT_LINES.iter().any(|kept| name.eq_ignore_ascii_case(kept));
        }
        is_kept
    });
    kept.collect()
}

/// The lines of a head that make a message the answer to the mail of this id, which has these fields; of no fields, its id is all that is known.
pub(super) fn answer_lines(fields: &str, answers: &str) -> String {
    let fields = fields.replace("\r\n ", " ").replace("\r\n\t", " ");
    let field = |wanted: &str| {
        let (_, value) = fields
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted))?;
        let value: String = value.trim().chars().filter(|sign| !sign.is_control()).collect();
        Some(value).filter(|value| !value.is_empty())
    };
    let is_answer = |subject: &str| {
        subject
            .get(..3)
            .is_some_and(|begin| begin.eq_ignore_ascii_case("re:"))
    };
    let subject = field("Subject").map(|subject| {
        if is_answer(&subject) {
            subject
        } else {
            format!("Re: {subject}")
        }
    });
    let references =
        field("References").map_or_else(|| answers.to_owned(), |before| format!("{before} {answers}"));
    let lines = [
        ("To", field("Reply-To").or_else(|| field("From"))),
        ("Subject", subject),
        ("In-Reply-To", Some(answers.to_owned())),
        ("References", Some(references)),
    ];
    let lines = lines.into_iter().filter_map(|(name, value)| Some((name, value?)));
    // Folded before each word that goes beyond the usual width.
    lines.fold(String::new(), |mut head, (name, value)| {
        head.push_str(name);
        head.push(':');
        let mut width = name.len() + 1;
        for word in value.split(' ').filter(|word| !word.is_empty()) {
            if width + word.len() > 76 {
                head.push_str("\r\n");
                width = 0;
            }
            head.push(' ');
            head.push_str(word);
            width += word.len() + 1;
        }
        head + "\r\n"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_draft_stays_to_whom_it_goes_and_what_it_answers() {
        let head = "From: <kim@example.org>\r\nTO: Asha <asha@example.org>,\r\n bo@example.org\r\nDate: today\r\n and more\r\n\
                    Subject: Re: Visit\r\nIn-Reply-To: <b@example.org>\r\n\r\n";
        assert_eq!(
            kept_lines(head),
            "TO: Asha <asha@example.org>,\r\n bo@example.org\r\nSubject: Re: Visit\r\nIn-Reply-To: <b@example.org>\r\n"
        );
        assert_eq!(kept_lines("\r\n"), "");
    }

    #[test]
    fn answer_goes_to_whoever_wrote_and_names_what_it_answers() {
        let fields = "From: Asha <asha@example.org>\r\nSubject: Visit\r\n on Friday\r\nReferences: <a@example.org>\r\n\r\n";
        assert_eq!(
            answer_lines(fields, "<b@example.org>"),
            "To: Asha <asha@example.org>\r\nSubject: Re: Visit on Friday\r\nIn-Reply-To: <b@example.org>\r\n\
             References: <a@example.org> <b@example.org>\r\n"
        );
        let fields = "Reply-To: desk@example.org\r\nFrom: no@example.org\r\nSubject: RE: Visit\r\n\r\n";
        assert_eq!(
            answer_lines(fields, "<b@example.org>"),
            "To: desk@example.org\r\nSubject: RE: Visit\r\nIn-Reply-To: <b@example.org>\r\nReferences: <b@example.org>\r\n"
        );
        // Of one that is not there its id is all that is known.
        assert_eq!(
            answer_lines("", "<b@example.org>"),
            "In-Reply-To: <b@example.org>\r\nReferences: <b@example.org>\r\n"
        );
    }

    #[test]
    fn ids_that_could_end_a_command_are_not_asked_for() {
        for id in [
            "a@b",
            "<a b>",
            "<a\"b>",
            "<a\r\nb>",
            &format!("<{}>", "a".repeat(300)),
        ] {
            assert!(!is_plain_id(id), "{id}");
        }
        assert!(is_plain_id("<a.1@aura.example>"));
    }
}
