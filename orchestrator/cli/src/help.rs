//! `aura help`, and how the commands are listed.
//!
//! What: [`template`], the commands by what an owner does; [`run`], the help of a command or the page of a code; completions and manual pages for
//! packages. Why: forty commands in one list are no help. Not here: the words of each command (its arguments), the pages (`error_pages`).

use super::{
    Cli, Command,
    clap_words::help_in_words,
    error::{CliError, of_output},
    error_pages,
    exit::CommandExit,
    help_words::translated_command,
    out::CommandOutput,
};
use clap::{
    Args, CommandFactory as _, Subcommand as _,
    builder::{StyledStr, Styles},
};
use clap_complete::Shell;
use std::{fmt::Write as _, io::Write as _, path::PathBuf};
use surfaces_base::language::say;

/// The commands by what an owner does; `worker` and what packages need stand in none.
pub(super) const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Every day",
        &[
            "open", "status", "tick", "pause", "history", "undo", "inbox", "stop",
        ],
    ),
    ("What Aura reads", &["init", "source", "import"]),
    (
        "What Aura shall and shall not do",
        &["rule", "mute", "learned", "policy", "model", "ntfy"],
    ),
    ("Why, and what is kept", &["trace", "ledger", "memory"]),
    (
        "Devices, programs and agents of yours",
        &["pair", "device", "ask", "mcp", "agent", "workflow"],
    ),
    (
        "When something is wrong",
        &["doctor", "logs", "clock", "quarantine", "help", "docs"],
    ),
    (
        "For who runs, checks or measures Aura",
        &[
            "run",
            "host",
            "owner",
            "update",
            "demo",
            "replay",
            "catalogue",
            "gate",
            "schema",
            "selftest",
            "bench",
        ],
    ),
];

/// How the help of `aura` itself is laid out.
pub(super) fn template() -> StyledStr {
    template_said(&|_| None)
}

/// The same with what is said in place of an English text: of a group by its first command, of a command as in its own help.
pub(super) fn template_said(said: &dyn Fn(&str) -> Option<&'static str>) -> StyledStr {
    let listed = Command::augment_subcommands(clap::Command::new("aura"));
    let styles = Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let width = GROUPS
        .iter()
        .flat_map(|(_, names)| names.iter().map(|name| name.len()));
    let width = width.max().unwrap_or_default();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        let first = names.first().copied().unwrap_or_default();
        let title = said(&format!("cli-help-group-{first}")).unwrap_or(title);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{header}{title}:{header:#}");
        for name in names {
            let about = listed.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let about = said(&format!("cli-help-{name}")).unwrap_or(&about);
            let _ = writeln!(text, "  {literal}{name:<width$}{literal:#}  {about}");
        }
    }
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    text.into()
}

/// `aura help`
#[derive(Debug, Clone, Args)]
pub(crate) struct HelpArgs {
    /// A command, as `trace why`; or a code, as `STORE-004`
    #[arg(value_name = "COMMAND|CODE")]
    topic: Vec<String>,
}

/// `aura completions`
#[derive(Debug, Clone, Args)]
pub(crate) struct CompletionsArgs {
    /// For which shell
    #[arg(value_enum)]
    shell: Shell,
}

/// `aura manual`
#[derive(Debug, Clone, Args)]
pub(crate) struct ManualArgs {
    /// The folder that gets a page for each command; it must be there
    folder: PathBuf,
}

/// Runs `aura help`.
///
/// # Errors
/// No such command, no such code.
pub(crate) fn run(args: &HelpArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    if let [topic] = args.topic.as_slice() {
        let code = topic.to_ascii_uppercase();
        if let Some(page) = error_pages::page(&code) {
            if let Some(sentence) = error_pages::in_words(&code) {
                out.text(&say!("cli-common-page-is-english", code, sentence))?;
            }
            show_page(page, out)?;
            return Ok(CommandExit::Ok);
        }
        if error_pages::looks_like_code(topic) {
            return Err(CliError::NotThere(error_pages::nearest(&code).map_or_else(
                || say!("cli-common-no-code", code = &code),
                |nearest| say!("cli-common-no-code-nearest", code = &code, nearest),
            )));
        }
    }
    let mut aura = translated_command(Cli::command());
    aura.build();
    let mut command = &mut aura;
    for word in &args.topic {
        let unknown = || CliError::Usage(say!("cli-common-no-command", word));
        command = command.find_subcommand_mut(word).ok_or_else(unknown)?;
    }
    let help = if args.topic.is_empty() {
        command.render_help()
    } else {
        command.render_long_help()
    };
    out.write_styled(&help_in_words(&help))?;
    Ok(CommandExit::Ok)
}

/// A page as text: what is a title or stands between asterisks stands out on a terminal.
fn show_page(page: &str, out: &mut CommandOutput) -> Result<(), CliError> {
    let strong = *Styles::styled().get_header();
    let mut text = String::new();
    for line in page.lines() {
        let (line, is_title) = line
            .strip_prefix("# ")
            .map_or((line, false), |title| (title, true));
        for (n, part) in line.split("**").enumerate() {
            // Writing to a string cannot fail.
            let _ = if is_title || n % 2 == 1 {
                write!(text, "{strong}{part}{strong:#}")
            } else {
                write!(text, "{part}")
            };
        }
        text.push('\n');
    }
    out.write_styled(&text.into())
}

/// Runs `aura completions`.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn completions(args: &CompletionsArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    // What generates it panics where nobody reads any more.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "aura", &mut script);
    out.bytes().write_all(&script).map_err(of_output)?;
    Ok(CommandExit::Ok)
}

/// Runs `aura manual`.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn manual(args: &ManualArgs) -> Result<CommandExit, CliError> {
    clap_mangen::generate_to(Cli::command(), &args.folder)?;
    Ok(CommandExit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_that_is_shown_stands_in_one_group() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        let shown: BTreeSet<&str> = shown.map(clap::Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        assert_eq!(grouped.len(), grouped.iter().collect::<BTreeSet<_>>().len());
        assert_eq!(grouped.into_iter().collect::<BTreeSet<_>>(), shown);
    }

    #[test]
    fn help_names_each_group_and_each_command_with_what_it_does() {
        let help = Cli::command().render_help().to_string();
        for (title, names) in GROUPS {
            let group = help.split_once(&format!("\n{title}:\n")).map(|(_, rest)| rest);
            let group = group
                .and_then(|rest| rest.split("\n\n").next())
                .unwrap_or_default();
            let listed: Vec<&str> = group
                .lines()
                .filter_map(|line| line.split_whitespace().next())
                .collect();
            assert_eq!(listed, names, "{help}");
            for line in group.lines() {
                assert!(line.split_whitespace().nth(1).is_some(), "{line}");
            }
        }
        assert!(help.contains("Options:\n  -h, --help"), "{help}");
        assert!(help.contains("Exit codes: 0 ok"), "{help}");
    }
}
