//! `aura rule`: tell Aura when not to.
//!
//! What: rules are added, listed, shown, removed. Why: what the owner does not want is said once, and each rule is named in
//! the decisions that it changed. Not here: what a rule forbids (`toolcall_schema::rule`), pauses (`pause`).

use super::{
    args::FormatArgs, error::CliError, exit::CommandExit, moments, names, out::CommandOutput, records::local,
    service::ServiceFolderArgs,
};
use aura_runtime::control::{ControlRequest, OwnerSettings};
use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;
use clap::{Args, Subcommand};
use std::borrow::Cow;
use surfaces_base::language::{self, say, text};
use toolcall_schema::{
    ActionKind, Timestamp,
    ids::ChannelHash,
    rule::{OwnerRule, RuleError, RuleName},
    tick::Subject,
};

/// `aura rule`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum RuleCommand {
    /// Add a rule; one of the same name is replaced
    Add(Box<RuleAddArgs>),
    /// The rules that stand
    List(RuleListArgs),
    /// One of them
    Show(RuleNameArgs),
    /// Take one back
    Remove(RuleNameArgs),
}

/// `aura rule add`
#[derive(Debug, Clone, Args)]
pub(crate) struct RuleAddArgs {
    /// Its name: small letters, digits and hyphens, at most 40
    #[arg(value_parser = RuleName::parse)]
    name: RuleName,
    /// Only this kind, e.g. `SHOW_BRIEF`; may be repeated
    #[arg(long = "kind", value_name = "KIND", value_parser = kind)]
    kinds: Vec<ActionKind>,
    /// Only this chat, by its hash as traces show it: `ch_…`
    #[arg(long, value_name = "HASH", value_parser = ChannelHash::parse)]
    channel: Option<ChannelHash>,
    /// Only in these hours of your day, e.g. `22:00-07:00`
    #[arg(long, value_name = "FROM-TO", value_parser = hours)]
    hours: Option<(NaiveTime, NaiveTime)>,
    /// Only on these days, e.g. `mon-fri` or `sat,sun`
    #[arg(long, value_name = "DAYS", value_parser = days)]
    days: Option<std::vec::Vec<u8>>,
    /// From this day on
    #[arg(long, value_name = "YYYY-MM-DD")]
    from: Option<NaiveDate>,
    /// Up to this day, it included; then the rule is gone
    #[arg(long, value_name = "YYYY-MM-DD")]
    to: Option<NaiveDate>,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura rule list`
#[derive(Debug, Clone, Args)]
pub(crate) struct RuleListArgs {
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura rule show`, `aura rule remove`
#[derive(Debug, Clone, Args)]
pub(crate) struct RuleNameArgs {
    /// Its name, as `aura rule list` prints it
    #[arg(value_parser = RuleName::parse)]
    name: RuleName,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

fn kind(text: &str) -> Result<ActionKind, String> {
    ActionKind::parse(text).ok_or_else(|| {
        let known: Vec<&str> = ActionKind::ALL.iter().map(|kind| kind.as_str()).collect();
        say!("cli-rule-kinds", known = known.join(", "))
    })
}

fn hours(text: &str) -> Result<(NaiveTime, NaiveTime), String> {
    moments::hours(text).ok_or_else(|| language::text("cli-rule-hours").to_owned())
}

fn days(text: &str) -> Result<Vec<u8>, String> {
    moments::days(text).ok_or_else(|| language::text("cli-rule-days").to_owned())
}

/// Runs `aura rule …`.
///
/// # Errors
/// A rule that makes no sense or is not there, data folder, a service that does not answer.
pub(crate) fn run(command: &RuleCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        RuleCommand::Add(args) => add(args, out),
        RuleCommand::List(args) => list(&args.folder.standing()?, args.format, out),
        RuleCommand::Show(args) => {
            let standing = args.folder.standing()?;
            let found = standing.rules.iter().find(|rule| rule.name == args.name);
            let rule = found.ok_or_else(|| CliError::NotThere(RuleError::Unknown.to_string()))?;
            show(rule, standing.zone, args.format, out)
        }
        RuleCommand::Remove(args) => {
            let name = args.name.clone();
            list(
                &args.folder.tell(&ControlRequest::RuleRemove { name })?,
                args.format,
                out,
            )
        }
    }
}

fn add(args: &RuleAddArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let zone = args.folder.standing()?.zone;
    let midnight = |date: NaiveDate| {
        moments::midnight(date, zone).ok_or_else(|| CliError::Usage(text("cli-rule-no-such-day").to_owned()))
    };
    // The last day is meant whole.
    let after = args.to.and_then(|date| date.succ_opt());
    let rule = OwnerRule {
        kinds: args.kinds.clone(),
        subject: args.channel.as_ref().map(Subject::from),
        hours: args.hours,
        days: args.days.clone().unwrap_or_default(),
        from: args.from.map(midnight).transpose()?,
        until: after.map(midnight).transpose()?,
        ..OwnerRule::named(args.name.clone())
    };
    rule.check().map_err(|error| CliError::Usage(error.to_string()))?;
    args.folder
        .tell(&ControlRequest::RuleSet { rule: rule.clone() })?;
    show(&rule, zone, args.format, out)
}

fn list(
    standing: &OwnerSettings,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    if format.json {
        for rule in &standing.rules {
            out.json(rule)?;
        }
    } else if standing.rules.is_empty() {
        out.text(text("cli-rule-none"))?;
    } else {
        let rows: Vec<[String; 2]> = standing
            .rules
            .iter()
            .map(|rule| [rule.name.to_string(), words(rule, standing.zone)])
            .collect();
        out.table(
            [text("cli-rule-column-rule"), text("cli-rule-column-not-shown")],
            &rows,
        )?;
    }
    Ok(CommandExit::Ok)
}

fn show(
    rule: &OwnerRule,
    zone: Tz,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    if format.json {
        out.json(rule)?;
    } else {
        out.text(&say!(
            "cli-rule-says",
            name = rule.name.to_string(),
            what = words(rule, zone)
        ))?;
    }
    Ok(CommandExit::Ok)
}

/// `mon, tue`, for days as [`moments::days`] gives them.
fn day_names(days: &[u8]) -> String {
    let name = |day: &u8| match day {
        1 => text("cli-rule-mon"),
        2 => text("cli-rule-tue"),
        3 => text("cli-rule-wed"),
        4 => text("cli-rule-thu"),
        5 => text("cli-rule-fri"),
        6 => text("cli-rule-sat"),
        7 => text("cli-rule-sun"),
        _ => "?",
    };
    days.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// What a rule forbids, in words.
fn words(rule: &OwnerRule, zone: Tz) -> String {
    let kinds: Vec<Cow<'_, str>> = rule.kinds.iter().map(|kind| names::action(*kind)).collect();
    let mut parts = vec![if kinds.is_empty() {
        text("cli-rule-anything").to_owned()
    } else {
        kinds.join(text("cli-rule-or"))
    }];
    parts.extend(
        rule.subject
            .as_ref()
            .map(|subject| say!("cli-rule-about", subject = subject.to_string())),
    );
    let clock = |time: NaiveTime| time.format("%H:%M").to_string();
    parts.extend(
        rule.hours
            .map(|(from, to)| say!("cli-rule-from-to", from = clock(from), to = clock(to))),
    );
    if !rule.days.is_empty() {
        parts.push(say!("cli-rule-on", days = day_names(&rule.days)));
    }
    let when = |at: Timestamp| local(at, zone);
    parts.extend(rule.from.map(|from| say!("cli-rule-after", at = when(from))));
    parts.extend(rule.until.map(|until| say!("cli-rule-until", at = when(until))));
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::{language::Language, locale};

    #[test]
    fn days_are_named_in_the_language_that_is_spoken() {
        assert_eq!(day_names(&[1, 7]), "mon, sun");
        let german = locale::speaking(Language::German, || day_names(&[2, 3]));
        assert_eq!(german, "Di, Mi");
    }
}
