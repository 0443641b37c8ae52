//! clap's own words in the reader's language.
//!
//! What: [`help_in_words`] for headings and notes of help, [`refusal_in_words`] for what is wrong with a command line. Why: clap speaks English only, and says so much in
//! fixed words that these can be put into another language one by one. Not here: the help of our commands (`help_words`).

use clap::{
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::{error::Error as _, fmt::Write as _};
use surfaces_base::{
    language::{Language, Text, say, spoken, text},
    locale,
};

/// What stands in every help and refusal; of two that begin alike the longer first.
const FIXED: [Text; 20] = [
    Text("cli-arguments-usage"),
    Text("cli-arguments-commands"),
    Text("cli-arguments-arguments"),
    Text("cli-arguments-options"),
    Text("cli-arguments-default"),
    Text("cli-arguments-variable"),
    Text("cli-arguments-values"),
    Text("cli-arguments-subcommands"),
    Text("cli-arguments-value-list"),
    Text("cli-arguments-help-summary"),
    Text("cli-arguments-help-more"),
    Text("cli-arguments-help-of-all"),
    Text("cli-arguments-help"),
    Text("cli-arguments-version"),
    Text("cli-arguments-some-options"),
    Text("cli-arguments-one-command"),
    Text("cli-arguments-maybe-command"),
    Text("cli-arguments-more-information"),
    Text("cli-arguments-tip"),
    Text("cli-arguments-error"),
];

/// Help as clap writes it, with its fixed words in the language that is spoken.
pub(super) fn help_in_words(help: &StyledStr) -> StyledStr {
    fixed_in_words(help.ansi().to_string()).into()
}

fn fixed_in_words(said: String) -> String {
    FIXED.into_iter().fold(said, |said, word| {
        let english = locale::speaking(Language::English, || word.say());
        said.replace(english, word.say())
    })
}

/// What is wrong with a command line, as text. What is not known here stays as clap says it.
pub(super) fn refusal_in_words(error: &clap::Error) -> String {
    let told = error.render().to_string();
    if spoken() == Language::English {
        return told;
    }
    let english = locale::speaking(Language::English, || what_is_wrong(error));
    let found = english.and_then(|english| {
        let (before, behind) = told.split_once(&english)?;
        Some((before.to_owned(), what_is_wrong(error)?, behind.to_owned()))
    });
    match found {
        Some((before, said, behind)) => format!("{}{said}{}", fixed_in_words(before), fixed_in_words(behind)),
        None => fixed_in_words(told),
    }
}

/// The sentence of an error with its tips, word for word as clap has it where English is spoken.
fn what_is_wrong(error: &clap::Error) -> Option<String> {
    let one = |kind| match error.get(kind) {
        Some(ContextValue::String(value)) => Some(value.as_str()),
        _ => None,
    };
    let argument = one(ContextKind::InvalidArg);
    let mut said = match error.kind() {
        ErrorKind::UnknownArgument => say!("cli-arguments-unknown", argument = argument?),
        ErrorKind::InvalidSubcommand => {
            let command = one(ContextKind::InvalidSubcommand)?;
            say!("cli-arguments-no-command", command)
        }
        ErrorKind::MissingSubcommand => {
            let command = one(ContextKind::InvalidSubcommand)?;
            say!("cli-arguments-command-missing", command)
                + &listed(error, ContextKind::ValidSubcommand, "cli-arguments-subcommands")
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = error.get(ContextKind::InvalidArg)?;
            text("cli-arguments-missing").to_owned() + &lines_of(missing)
        }
        ErrorKind::InvalidValue => {
            let value = one(ContextKind::InvalidValue)?;
            let argument = argument?;
            let said = if value.is_empty() {
                say!("cli-arguments-no-value", argument)
            } else {
                say!("cli-arguments-wrong-value", value, argument)
            };
            said + &listed(error, ContextKind::ValidValue, "cli-arguments-values")
        }
        ErrorKind::ValueValidation => {
            let (value, argument) = (one(ContextKind::InvalidValue)?, argument?);
            match error.source() {
                Some(why) => say!(
                    "cli-arguments-wrong-value-because",
                    value,
                    argument,
                    why = why.to_string()
                ),
                None => say!("cli-arguments-wrong-value", value, argument),
            }
        }
        ErrorKind::TooManyValues => {
            let value = one(ContextKind::InvalidValue)?;
            say!("cli-arguments-one-value-more", value, argument = argument?)
        }
        ErrorKind::ArgumentConflict => {
            let (argument, others) = (argument?, error.get(ContextKind::PriorArg)?);
            if let ContextValue::String(other) = others {
                if other == argument {
                    say!("cli-arguments-twice", argument)
                } else {
                    say!("cli-arguments-conflict", argument, other)
                }
            } else {
                say!("cli-arguments-conflicts", argument) + &lines_of(others)
            }
        }
        ErrorKind::InvalidUtf8 => text("cli-arguments-no-utf8").to_owned(),
        // Those without a sentence, and those that another version of clap may have.
        ErrorKind::NoEquals
        | ErrorKind::TooFewValues
        | ErrorKind::WrongNumberOfValues
        | ErrorKind::DisplayHelp
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::DisplayVersion
        | ErrorKind::Io
        | ErrorKind::Format
        | _ => return None,
    };
    said += &tips(error);
    Some(said)
}

/// `[possible values: a, b]`, where there are some.
fn listed(error: &clap::Error, kind: ContextKind, word: &'static str) -> String {
    match error.get(kind) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            format!("\n  {} {}]", text(word), values.join(", "))
        }
        _ => String::new(),
    }
}

fn lines_of(value: &ContextValue) -> String {
    let ContextValue::Strings(values) = value else {
        return String::new();
    };
    values.iter().flat_map(|value| ["\n  ", value]).collect()
}

/// What may have been meant.
fn tips(error: &clap::Error) -> String {
    let mut tips = Vec::new();
    let quoted = |name: &String| say!("cli-arguments-quoted", name);
    for (kind, similar) in [
        (ContextKind::SuggestedSubcommand, Meant::Command),
        (ContextKind::SuggestedArg, Meant::Argument),
        (ContextKind::SuggestedValue, Meant::Value),
    ] {
        match error.get(kind) {
            Some(ContextValue::String(name)) => tips.push(similar.one(&quoted(name))),
            Some(ContextValue::Strings(names)) => {
                let names: Vec<String> = names.iter().map(quoted).collect();
                tips.push(match names.as_slice() {
                    [name] => similar.one(name),
                    _ => similar.several(&names.join(", ")),
                });
            }
            _ => {}
        }
    }
    if let Some(ContextValue::StyledStrs(others)) = error.get(ContextKind::Suggested) {
        tips.extend(others.iter().map(|tip| other_tip(&tip.to_string())));
    }
    let mut said = String::new();
    for (n, tip) in tips.iter().enumerate() {
        let lines = if n == 0 { "\n\n" } else { "\n" };
        // Writing to a string cannot fail.
        let _ = write!(said, "{lines}  {} {tip}", text("cli-arguments-tip"));
    }
    said
}

/// What a similar name is of.
#[derive(Clone, Copy)]
enum Meant {
    Command,
    Argument,
    Value,
}

impl Meant {
    fn one(self, name: &str) -> String {
        match self {
            Self::Command => say!("cli-arguments-similar-command", name),
            Self::Argument => say!("cli-arguments-similar-argument", name),
            Self::Value => say!("cli-arguments-similar-value", name),
        }
    }

    fn several(self, names: &str) -> String {
        match self {
            Self::Command => say!("cli-arguments-similar-commands", names),
            Self::Argument => say!("cli-arguments-similar-arguments", names),
            Self::Value => say!("cli-arguments-similar-values", names),
        }
    }
}

/// A tip that clap has written out: its names stand in quotes.
fn other_tip(tip: &str) -> String {
    let quoted: Vec<&str> = tip.split('\'').skip(1).step_by(2).collect();
    match quoted.as_slice() {
        [value, form] if tip.starts_with("to pass") => say!("cli-arguments-as-value", value, form),
        [name] if tip.ends_with("' exists") => say!("cli-arguments-exists", name),
        _ => tip.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cli, help_words::translated_command};
    use clap::CommandFactory as _;

    fn refused(words: &str) -> clap::Error {
        let command = translated_command(Cli::command());
        let error = command.try_get_matches_from(words.split(' '));
        error.expect_err(words)
    }

    const REFUSED: [(&str, &str); 9] = [
        (
            "aura status --jsn",
            "Fehler: unbekanntes Argument „--jsn“\n\n  Tipp: ein ähnliches Argument ist „--json“\n\nAufruf: aura status",
        ),
        ("aura statsu", "Fehler: unbekannter Befehl „statsu“\n\n  Tipp: "),
        ("aura mute", "Aufruf: aura mute <BEFEHL>\n\nBefehle:\n"),
        (
            "aura logs --lines x",
            "Fehler: „x“ passt nicht zu „--lines <N>“: ",
        ),
        (
            "aura gate check --now",
            "Fehler: „--now <ZEIT>“ braucht einen Wert",
        ),
        (
            "aura completions fishy",
            "Fehler: „fishy“ passt nicht zu „<SHELL>“\n  [mögliche Werte: bash, ",
        ),
        (
            "aura schema show",
            "Fehler: diese Argumente fehlen:\n  <NAME>\n\nAufruf: aura schema show <NAME>\n\nMehr dazu mit „--help“.",
        ),
        (
            "aura status --json --json",
            "Fehler: das Argument „--json“ ist nur einmal erlaubt\n",
        ),
        (
            "aura catalogue --lock --diff x",
            "Fehler: das Argument „--lock“ verträgt sich nicht mit „--diff <",
        ),
    ];

    #[test]
    fn refusal_is_in_german_and_in_english_as_clap_says_it() {
        for (words, german) in REFUSED {
            let english = refused(words);
            if let Some(sentence) = what_is_wrong(&english) {
                let told = english.render().to_string();
                assert!(
                    told.starts_with(&format!("error: {sentence}")),
                    "{told}\n{sentence}"
                );
            }
            let said = locale::speaking(Language::German, || refusal_in_words(&refused(words)));
            assert!(said.contains(german), "{words}: {said}");
        }
    }

    #[test]
    fn tips_of_a_value_and_of_another_command_are_in_german() {
        for (words, german) in [
            ("aura help -x", "soll „-x“ ein Wert sein, schreibe „-- -x“"),
            ("aura trace --day list", "„list --day“ gibt es"),
        ] {
            let said = locale::speaking(Language::German, || refusal_in_words(&refused(words)));
            assert!(said.contains(german), "{words}: {said}");
        }
    }

    #[test]
    fn help_in_german_has_no_english_heading_or_note() {
        fn look(command: &mut clap::Command) {
            for help in [command.render_help(), command.render_long_help()] {
                let said = help_in_words(&help).to_string();
                for word in FIXED {
                    let english = locale::speaking(Language::English, || word.say());
                    assert!(
                        !said.contains(english),
                        "{}: {english}: {said}",
                        command.get_name()
                    );
                }
            }
            command.get_subcommands_mut().for_each(look);
        }
        locale::speaking(Language::German, || {
            let mut aura = translated_command(Cli::command());
            aura.build();
            look(&mut aura);
        });
    }
}
