//! The commands, as their own help says them.
//!
//! What: [`pages`], a list by what an owner does and a page for each command with what stands below it. Why: an option that is added is in the site. Not here:
//! exit codes, environment, what commands have in common (`docs/cli.md`).

use super::{ReferencePage, code, fenced, plain, table};
use crate::{Cli, help::GROUPS};
use clap::{Arg, Command, CommandFactory as _, builder::StyledStr};
use std::fmt::Write as _;

/// The list, and a page for each command that help names.
pub(super) fn pages() -> Vec<ReferencePage> {
    let mut aura = Cli::command();
    aura.build();
    let mut list = "# Every command\n\nAs `aura help COMMAND` says it; `man aura-trace-why` is the same as a manual page. What commands have in \
                    common, their exit codes and what they print stands in [the command line](../cli.md).\n"
        .to_owned();
    let mut pages = Vec::new();
    for (title, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = write!(list, "\n## {title}\n\n");
        let shown = names.iter().filter_map(|name| aura.find_subcommand(name));
        list += &table(
            ["Command", "Does", "Below it"],
            shown.clone().map(|command| {
                let name = command.get_name();
                let below: Vec<String> = subcommands_of(command)
                    .map(|below| code(below.get_name()))
                    .collect();
                [
                    format!("[aura {name}](commands/{name}.md)"),
                    words(command.get_about()),
                    below.join(", "),
                ]
            }),
        );
        pages.extend(shown.map(|command| ReferencePage {
            path: format!("commands/{}.md", command.get_name()),
            text: format!("# {}\n{}", name_of(command), section(command)),
        }));
    }
    pages.insert(
        0,
        ReferencePage {
            path: "commands.md".to_owned(),
            text: list,
        },
    );
    pages
}

/// What stands below a command; help of help is none.
fn subcommands_of(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

/// `aura trace why`
fn name_of(command: &Command) -> &str {
    command.get_bin_name().unwrap_or_else(|| command.get_name())
}

/// What a command does and takes, and the same of what stands below it.
fn section(command: &Command) -> String {
    let about = command.get_long_about().or_else(|| command.get_about());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let mut text = format!("\n{}\n\n{}", words(about), fenced("text", usage));
    let args: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version"))
        .collect();
    if !args.is_empty() {
        text.push('\n');
        text += &table(
            ["Argument", "Means"],
            args.into_iter().map(|arg| [code(&form(arg)), meaning(arg)]),
        );
    }
    for one in subcommands_of(command) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {}\n{}", name_of(one), section(one));
    }
    text
}

/// `-n, --lines <N>`
fn form(arg: &Arg) -> String {
    let short = arg.get_short().filter(|_| arg.get_long().is_some());
    short.map_or_else(|| arg.to_string(), |short| format!("-{short}, {arg}"))
}

/// What it means, takes, and is without it.
fn meaning(arg: &Arg) -> String {
    let mut text = words(arg.get_long_help().or_else(|| arg.get_help()));
    let takes_a_value = arg.get_action().takes_values();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| takes_a_value && !value.is_hide_set())
        .map(|value| code(value.get_name()))
        .collect();
    let default: Vec<String> = arg
        .get_default_values()
        .iter()
        .filter(|_| takes_a_value)
        .map(|value| code(&value.to_string_lossy()))
        .collect();
    let variable = arg
        .get_env()
        .map(|name| code(&format!("${}", name.to_string_lossy())));
    for (what, found) in [
        ("one of", values.join(", ")),
        ("without it", default.join(", ")),
        ("or", variable.unwrap_or_default()),
    ] {
        if !found.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "; {what} {found}");
        }
    }
    text
}

fn words(text: Option<&StyledStr>) -> String {
    plain(&text.map(ToString::to_string).unwrap_or_default())
}
