//! Whose a source is that was found on this computer.
//!
//! What: the phrases by which `aura_runtime::sources` names where a source comes from, as a page says them. Why: the command line speaks English, a page the owner's
//! language. Not here: names of programs, which are called the same in every language.

use crate::language::Text;

const SOURCE_PROGRAMS: [(&str, Text); 10] = [
    ("a bank's statement", Text("source-programs-bank-statement")),
    ("a calendar file", Text("source-programs-calendar-file")),
    ("a contacts file", Text("source-programs-contacts-file")),
    ("measurements", Text("source-programs-measurements")),
    ("an account's sleep", Text("source-programs-account-sleep")),
    ("a watch's activity file", Text("source-programs-activity-file")),
    (
        "mbsync, offlineimap or a mail server",
        Text("source-programs-mail-server"),
    ),
    ("khard or vdirsyncer", Text("source-programs-khard")),
    ("khal or vdirsyncer", Text("source-programs-khal")),
    ("hledger or beancount", Text("source-programs-ledger")),
];

/// What a source is of: a program by its name, or what sort of file it is.
pub fn source_program(program: &str) -> &str {
    let phrase = SOURCE_PROGRAMS.iter().find(|(known, _)| *known == program);
    phrase.map_or(program, |(_, said)| said.say())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, locale::speaking};

    #[test]
    fn phrases_are_said_in_the_owners_language_and_names_stay() {
        for (phrase, text) in &SOURCE_PROGRAMS {
            assert_eq!(text.say(), *phrase);
        }
        let german = |program| speaking(Language::German, || source_program(program).to_owned());
        assert_eq!(german("a bank's statement"), "ein Kontoauszug");
        assert_eq!(german("Thunderbird"), "Thunderbird");
    }
}
