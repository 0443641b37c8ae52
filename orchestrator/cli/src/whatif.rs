//! `aura replay --what-if`: the days that were, decided under another policy.
//!
//! What: prints the answer. Why: a changed number is judged by days that were, not by hope. Not here: the answer itself (`whatif`).

use super::{error::CliError, exit::CommandExit, names, out::CommandOutput};
use aura_runtime::{
    journal::JournalReplay,
    whatif::{WhatIfQuery, answer},
};
use chrono_tz::Tz;
use surfaces_base::{
    format,
    language::{say, text},
    words::console,
};
use toolcall_schema::{
    Timestamp,
    whatif::{InterruptionChange, InterruptionDifference, WhatIfAnswer},
};

/// Answers the question for a journal.
///
/// # Errors
/// When the journal cannot be folded.
pub(crate) fn run(
    journal: JournalReplay,
    question: &WhatIfQuery,
    json: bool,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    say(&answer(journal, question, || true)?, json, out)?;
    Ok(CommandExit::Ok)
}

fn say(answer: &WhatIfAnswer, json: bool, out: &mut CommandOutput) -> Result<(), CliError> {
    if json {
        return out.json(answer);
    }
    for day in &answer.days {
        out.text(&say!(
            "cli-whatif-day",
            date = day.date.to_string(),
            recorded = day.recorded,
            what_if = day.what_if
        ))?;
        for difference in &day.differences {
            out.text(&format!("  {}", line(difference, day.zone.unwrap_or(Tz::UTC))))?;
        }
    }
    let WhatIfAnswer {
        days,
        recorded,
        what_if,
        added,
        removed,
        moved,
        changed,
        of_other_rules,
        ..
    } = answer;
    out.text(&say!(
        "cli-whatif-sums",
        days = days.len(),
        recorded = *recorded,
        what_if = *what_if,
        added = *added,
        removed = *removed,
        moved = *moved,
        changed = *changed
    ))?;
    if *of_other_rules > 0 {
        out.text(&say!("cli-whatif-other-rules", count = *of_other_rules))?;
    }
    Ok(())
}

fn line(difference: &InterruptionDifference, zone: Tz) -> String {
    let InterruptionDifference {
        change,
        at,
        moved_to,
        kind,
        subject,
        score,
        why,
        ..
    } = difference;
    let clock = |at: Timestamp| format::clock(at, zone);
    let sign = match change {
        InterruptionChange::Added => '+',
        InterruptionChange::Removed => '-',
        InterruptionChange::Moved | InterruptionChange::Changed => '~',
    };
    let to = moved_to.map_or_else(String::new, |to| format!(" → {}", clock(to)));
    let score = score.map_or_else(String::new, |score| {
        format!(" {} {}", text("cli-whatif-score"), format::thousandths(score))
    });
    let (kind, why) = (names::action(*kind), console::what_if_why(why));
    format!("{sign} {}{to} {kind} {subject}{score} ({why})", clock(*at))
}
