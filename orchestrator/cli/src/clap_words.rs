//! clap's own words in the reader's language.
//!
//! What: [`help_in_words`] for headings and notes of help, [`refusal_in_words`] for what is wrong with a command line. Why: clap speaks English only, and says so much in
//! fixed words that these can be put into another language one by one. Not here: the help of our commands (`help_words`).

use clap::{
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::{
    error::Error,
    fmt::Write as _,
    num::{IntErrorKind, ParseIntError},
};
use surfaces_base::{
    language::{Language, Text, say, spoken, text},
    locale,
};
use toolcall_schema::ids::IdError;

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
    fixed_in_words(&help.ansi().to_string()).into()
}

fn fixed_in_words(said: &str) -> String {
    FIXED.into_iter().fold(usage_aligned(said), |said, word| {
        let english = locale::speaking(Language::English, || word.say());
        said.replace(english, word.say())
    })
}

/// The further lines of a usage stand below its first one, which begins with a word of another length.
fn usage_aligned(said: &str) -> String {
    let usage = Text("cli-arguments-usage");
    let english = locale::speaking(Language::English, || usage.say());
    let columns = |word: &str| word.chars().count();
    let (before, after) = (columns(english) + 1, columns(usage.say()) + 1);
    let mut is_usage = false;
    let mut aligned = String::with_capacity(said.len());
    for line in said.split_inclusive('\n') {
        let words = line.trim_start_matches(' ');
        is_usage = line.contains(english) || (is_usage && line.len() - words.len() == before);
        if is_usage && line.starts_with(' ') {
            aligned.extend(std::iter::repeat_n(' ', after));
            aligned.push_str(words);
        } else {
            aligned.push_str(line);
        }
    }
    aligned
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
        Some((before, said, behind)) => {
            format!("{}{said}{}", fixed_in_words(&before), fixed_in_words(&behind))
        }
        None => fixed_in_words(&told),
    }
}

/// The sentence of an error with its tips, word for word as clap has it where English is spoken.
fn what_is_wrong(error: &clap::Error) -> Option<String> {
    let one = |kind| match error.get(kind) {
        Some(ContextValue::String(value)) => Some(value.as_str()),
        _ => None,
    };
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => u64::try_from(*number).ok(),
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
                    why = reason_in_words(why)
                ),
                None => say!("cli-arguments-wrong-value", value, argument),
            }
        }
        ErrorKind::TooManyValues => {
            let value = one(ContextKind::InvalidValue)?;
            say!("cli-arguments-one-value-more", value, argument = argument?)
        }
        ErrorKind::ArgumentConflict => {
            let others = error.get(ContextKind::PriorArg)?;
            if let Some(command) = one(ContextKind::InvalidSubcommand) {
                let said = if let ContextValue::String(other) = others {
                    say!("cli-arguments-command-conflict", command, other)
                } else {
                    say!("cli-arguments-command-conflicts", command) + &lines_of(others)
                };
                return Some(said + &tips(error));
            }
            let argument = argument?;
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
        ErrorKind::NoEquals => say!("cli-arguments-no-equals", argument = argument?),
        ErrorKind::TooFewValues => {
            let (wanted, given) = (
                number(ContextKind::MinValues)?,
                number(ContextKind::ActualNumValues)?,
            );
            say!("cli-arguments-too-few", argument = argument?, wanted, given)
        }
        ErrorKind::WrongNumberOfValues => {
            let wanted = number(ContextKind::ExpectedNumValues)?;
            let given = number(ContextKind::ActualNumValues)?;
            say!("cli-arguments-wrong-number", argument = argument?, wanted, given)
        }
        ErrorKind::InvalidUtf8 => text("cli-arguments-no-utf8").to_owned(),
        // Those without a sentence, and those that another version of clap may have.
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::DisplayVersion
        | ErrorKind::Io
        | ErrorKind::Format
        | _ => return None,
    };
    said += &tips(error);
    Some(said)
}

/// Why a value does not fit. Those who read values that are not ours say it in English; ours say it in the language that is spoken.
fn reason_in_words(why: &(dyn Error + 'static)) -> String {
    let english = why.to_string();
    if spoken() == Language::English {
        return english;
    }
    if let Some(why) = why.downcast_ref::<ParseIntError>() {
        return match why.kind() {
            IntErrorKind::Empty => text("cli-arguments-number-empty"),
            IntErrorKind::PosOverflow => text("cli-arguments-number-too-large"),
            IntErrorKind::NegOverflow => text("cli-arguments-number-too-small"),
            IntErrorKind::InvalidDigit | IntErrorKind::Zero | _ => text("cli-arguments-no-number"),
        }
        .to_owned();
    }
    if why.is::<chrono::ParseError>() {
        return text("cli-arguments-no-date").to_owned();
    }
    if let Some(why) = why.downcast_ref::<IdError>() {
        return say!("cli-arguments-shape", shape = why.shape);
    }
    match english.split_once(" is not in ") {
        Some((value, range)) => say!("cli-arguments-not-in", value, range),
        None => english,
    }
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
    use clap::{Arg, ArgAction, Command, CommandFactory as _, value_parser};
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    use toolcall_schema::ids::CallId;

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

    /// Each kind that clap has a sentence for, also those that no command of ours raises today.
    #[test]
    fn every_kind_of_refusal_that_clap_can_raise_is_in_german() {
        let arg = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Set);
        let command = || {
            Command::new("aura")
                .arg(arg("two").num_args(2))
                .arg(arg("more").num_args(2..4))
                .arg(arg("fixture").num_args(1).require_equals(true))
                .arg(arg("n").value_parser(value_parser!(u32)))
                .arg(arg("few").value_parser(value_parser!(u32).range(1..=9)))
                .arg(arg("day").value_parser(value_parser!(chrono::NaiveDate)))
                .arg(arg("call").value_parser(CallId::parse))
                .arg(Arg::new("place"))
                .args_conflicts_with_subcommands(true)
                .subcommand(Command::new("status"))
        };
        let refused = |words: &[&[u8]]| {
            let words = words.iter().map(|word| OsStr::from_bytes(word));
            command().try_get_matches_from(words).expect_err("refused")
        };
        for (words, kind, german) in [
            (
                &[b"--two".as_slice(), b"a"][..],
                ErrorKind::WrongNumberOfValues,
                "Fehler: „--two <two> <two>“ braucht genau 2 Werte; da ist 1\n",
            ),
            (
                &[b"--more", b"a"],
                ErrorKind::TooFewValues,
                "Fehler: „--more <more> <more>...“ braucht 2 Werte; da ist 1\n",
            ),
            (
                &[b"--fixture", b"x"],
                ErrorKind::NoEquals,
                "Fehler: zwischen „--fixture=<fixture>“ und dem Wert fehlt ein Gleichheitszeichen\n",
            ),
            (
                &[b"a", b"b"],
                ErrorKind::ArgumentConflict,
                "Fehler: der Befehl „b“ verträgt sich nicht mit „[place]“\n",
            ),
            (
                &[b"--n", b"1", b"a", b"b"],
                ErrorKind::ArgumentConflict,
                "Fehler: der Befehl „b“ verträgt sich nicht mit:\n  ",
            ),
            (
                &[b"--place", b"\xff"],
                ErrorKind::UnknownArgument,
                "Fehler: unbekanntes Argument „--place“",
            ),
            (
                &[b"--n", b"\xff"],
                ErrorKind::InvalidUtf8,
                "Fehler: in den Argumenten steht etwas, das kein UTF-8 ist\n",
            ),
            (
                &[b"--n", b"x"],
                ErrorKind::ValueValidation,
                "Fehler: „x“ passt nicht zu „--n <n>“: keine Zahl\n",
            ),
            (
                &[b"--few", b"12"],
                ErrorKind::ValueValidation,
                "12 liegt nicht in 1..=9\n",
            ),
            (
                &[b"--day", b"2026-02-31"],
                ErrorKind::ValueValidation,
                "so schreibt sich hier kein Tag",
            ),
            (
                &[b"--call", b"x"],
                ErrorKind::ValueValidation,
                "erwartet wird ^t_[a-z0-9]{10}$\n",
            ),
        ] {
            let all = [&[b"aura".as_slice()], words].concat();
            let english = refused(&all);
            assert_eq!(english.kind(), kind, "{english}");
            let sentence = what_is_wrong(&english).expect("a sentence");
            let told = english.render().to_string();
            assert!(
                told.starts_with(&format!("error: {sentence}")),
                "{told}\n{sentence}"
            );
            let said = locale::speaking(Language::German, || refusal_in_words(&english));
            assert!(said.contains(german), "{said}");
        }
    }

    #[test]
    fn further_lines_of_a_usage_stand_below_the_first() {
        let told = "Usage: aura a\n       aura b\n       \u{1b}[1maura c\n\nOptions:\n       x\n";
        let said = locale::speaking(Language::German, || fixed_in_words(told));
        assert_eq!(
            said,
            "Aufruf: aura a\n        aura b\n        \u{1b}[1maura c\n\nOptionen:\n       x\n"
        );
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
        fn look(command: &mut Command) {
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
