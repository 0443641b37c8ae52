//! The help of commands in the reader's language.
//!
//! What: [`translated_command`], a command with what help says of it, its arguments and their values. Why: the English stands beside each argument, where whoever
//! changes an argument sees it; another language is a file, found by the command's path. Not here: clap's own words (`clap_words`), when help is shown
//! (`start`), the texts (`words/de/cli-help.ftl`).
//!
//! **Ids.** `cli-help-rule-add` is the command, `cli-help-rule-add--kind` its argument, `cli-help-rule-add--kind--brief` a value of that. An argument that many
//! commands have in common is said once: `cli-help--data`. What stands for a value is `cli-help-value-file`.

use super::help;
use clap::{
    Arg, Command,
    builder::{PossibleValue, Str},
};
use surfaces_base::language::{Language, spoken, translated};

/// What the reader is told in place of an English text: of several ids the first that is there.
type Said<'a> = &'a dyn Fn(&[String], &str) -> Option<&'static str>;

/// A command with all below it, its help in the language that is spoken.
pub(super) fn translated_command(command: Command) -> Command {
    let said = command_said(command, "cli-help-", &|ids, _| {
        ids.iter().find_map(|id| translated(id))
    });
    match spoken() {
        Language::English => said,
        Language::German => said.help_template(help::template_said(&|id| translated(id))),
    }
}

fn command_said(command: Command, id: &str, said: Said<'_>) -> Command {
    let own = if id.ends_with('-') { "cli-help-aura" } else { id };
    let one = |suffix: &str, english: Option<String>| said(&[format!("{own}{suffix}")], &english?);
    let about = one("", command.get_about().map(ToString::to_string));
    let long = one("--long", command.get_long_about().map(ToString::to_string));
    let after = one("--after", command.get_after_help().map(ToString::to_string));
    let mut command = command.mut_args(|arg| argument_said(arg, own, said));
    if let Some(about) = about {
        command = command.about(about);
    }
    if let Some(long) = long {
        command = command.long_about(long);
    }
    if let Some(after) = after {
        command = command.after_help(after);
    }
    command.mut_subcommands(|below| {
        let joint = if id.ends_with('-') { "" } else { "-" };
        let id = format!("{id}{joint}{}", below.get_name());
        command_said(below, &id, said)
    })
}

fn argument_said(arg: Arg, command: &str, said: Said<'_>) -> Arg {
    let name = as_id(arg.get_id().as_str());
    let ids = |suffix: &str| {
        [
            format!("{command}--{name}{suffix}"),
            format!("cli-help--{name}{suffix}"),
        ]
    };
    let one = |suffix: &str, english: Option<String>| said(&ids(suffix), &english?);
    let help = one("", arg.get_help().map(ToString::to_string));
    let long = one("--long", arg.get_long_help().map(ToString::to_string));
    let places = arg.get_value_names().map(|names| {
        let place = |name: &str| said(&[format!("cli-help-value-{}", as_id(name))], name);
        names
            .iter()
            .map(|name| place(name).map_or_else(|| name.clone(), Str::from))
            .collect::<Vec<_>>()
    });
    let mut arg = arg;
    let values = arg.get_possible_values();
    if values.iter().any(|value| value.get_help().is_some()) {
        let values = values.into_iter().map(|value| value_said(value, &ids, said));
        let values: Vec<PossibleValue> = values.collect();
        // What they are read as is of no use any more: a command in another language is there for help and refusals.
        arg = arg.value_parser(values);
    }
    if let Some(places) = places.filter(|places| !places.is_empty()) {
        arg = arg.value_names(places);
    }
    if let Some(help) = help {
        arg = arg.help(help);
    }
    if let Some(long) = long {
        arg = arg.long_help(long);
    }
    arg
}

fn value_said(value: PossibleValue, ids: &dyn Fn(&str) -> [String; 2], said: Said<'_>) -> PossibleValue {
    let english = value.get_help().map(ToString::to_string);
    let ids = ids(&format!("--{}", as_id(value.get_name())));
    match english.and_then(|english| said(&ids, &english)) {
        Some(help) => value.help(help),
        None => value,
    }
}

/// A name as an id writes it.
fn as_id(name: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use clap::CommandFactory as _;
    use std::{
        cell::RefCell,
        collections::{BTreeMap, BTreeSet},
    };
    use surfaces_base::{language::translated_ids, locale};

    /// What nobody is shown help of: processes that Aura starts.
    fn is_shown(ids: &[String]) -> bool {
        !ids.iter().any(|id| id.starts_with("cli-help-worker"))
    }

    /// The ids that are asked for, each with the English texts that it stands for.
    fn asked() -> BTreeMap<String, BTreeSet<String>> {
        let asked = RefCell::new(BTreeMap::<String, BTreeSet<String>>::new());
        let there: BTreeSet<&str> = translated_ids().collect();
        let said = |ids: &[String], english: &str| {
            let found = ids.iter().find(|id| there.contains(id.as_str()));
            let id = found.or(ids.first())?;
            if is_shown(ids) {
                let mut asked = asked.borrow_mut();
                asked.entry(id.clone()).or_default().insert(english.to_owned());
            }
            None
        };
        let _ = command_said(Cli::command(), "cli-help-", &said);
        for (title, names) in help::GROUPS {
            let _ = said(&[format!("cli-help-group-{}", names[0])], title);
        }
        asked.into_inner()
    }

    #[test]
    fn help_of_every_command_argument_and_value_has_its_german_and_none_is_left_over() {
        let there: BTreeSet<&str> = translated_ids().filter(|id| id.starts_with("cli-help")).collect();
        let asked = asked();
        // What stands for a value may be the same in both languages.
        let lacking: Vec<String> = asked
            .iter()
            .filter(|(id, _)| !there.contains(id.as_str()) && !id.starts_with("cli-help-value-"))
            .map(|(id, english)| {
                format!(
                    "{id} = {}",
                    english.iter().cloned().collect::<Vec<_>>().join(" // ")
                )
            })
            .collect();
        assert!(
            lacking.is_empty(),
            "these have no German:\n{}",
            lacking.join("\n")
        );
        let left_over: Vec<&&str> = there.iter().filter(|id| !asked.contains_key(**id)).collect();
        assert!(left_over.is_empty(), "these are of no command: {left_over:?}");
        let of_several: Vec<_> = asked.iter().filter(|(_, english)| english.len() > 1).collect();
        assert!(
            of_several.is_empty(),
            "these stand for different texts: {of_several:#?}"
        );
    }

    #[test]
    fn english_help_is_what_stands_beside_the_arguments() {
        let mut plain = Cli::command();
        let mut said = translated_command(Cli::command());
        assert_eq!(
            said.render_long_help().to_string(),
            plain.render_long_help().to_string()
        );
    }

    #[test]
    fn command_in_german_has_the_same_names_and_no_contradiction() {
        fn names(command: &Command) -> Vec<String> {
            let own = command.get_arguments().map(|arg| arg.get_id().to_string());
            let below = command.get_subcommands().flat_map(|below| {
                let names = names(below).into_iter();
                names.map(|name| format!("{} {name}", below.get_name()))
            });
            own.chain(below).collect()
        }
        let german = locale::speaking(Language::German, || translated_command(Cli::command()));
        assert_eq!(names(&german), names(&Cli::command()));
        german.debug_assert();
    }
}
