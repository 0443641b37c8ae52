//! `aura replay`: a recorded day, or the journal of a data folder, again.
//!
//! What: plays a folder with `day.toml` through the real actors, or folds a data folder's journal through the machine, and
//! prints one trace per tick. Why: every decision can be made again to the same bytes. Not here: playing (`day`).

use super::{
    args::{FormatArgs, HomeFileArg},
    error::CliError,
    exit::CommandExit,
    keys::KeyArgs,
    out::CommandOutput,
    service::show,
    temporary::TemporaryFolder,
    whatif,
};
use aura_days::day::{DayScript, differences};
use aura_memory::Vault;
use aura_runtime::{
    config::HomeConfig,
    journal::{JournalError, JournalReplay},
    whatif::WhatIfQuery,
};
use chrono::NaiveDate;
use clap::Args;
use orchestrator_machine::{Effect, RULES_NUMBER, whatif::ImaginedTerms};
use serde::Serialize;
use serde_json::Value;
use std::{collections::BTreeSet, path::PathBuf};
use surfaces_base::{
    language::{Language, say, text},
    locale,
};
use toolcall_schema::{ids::TraceId, trace::Trace};

/// Play a recorded day, or a data folder's journal, again.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// A folder with day.toml, or a data folder.
    path: PathBuf,
    /// Keep what the day writes in this folder (it must be new); else it is thrown away.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Of a data folder: compare what the journal makes with what is stored; 1 when any trace differs
    #[arg(long)]
    verify: bool,
    /// Decide the past again under this policy (a file or `default`), and say what would have been different
    #[arg(long, value_name = "POLICY", conflicts_with = "verify")]
    what_if: Option<String>,
    /// The first local day that is decided again
    #[arg(long, value_name = "YYYY-MM-DD", requires = "what_if")]
    from: Option<NaiveDate>,
    /// The last one
    #[arg(long, value_name = "YYYY-MM-DD", requires = "what_if")]
    to: Option<NaiveDate>,
    #[command(flatten)]
    home: HomeFileArg,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    format: FormatArgs,
}

impl ReplayArgs {
    /// What is asked with `--what-if`.
    fn question(&self) -> Result<Option<WhatIfQuery>, CliError> {
        let Some(name) = &self.what_if else {
            return Ok(None);
        };
        if self.from.zip(self.to).is_some_and(|(from, to)| to < from) {
            return Err(CliError::Usage(text("cli-replay-to-before-from").to_owned()));
        }
        let terms = ImaginedTerms::of_policy(super::policy::by_file(name)?);
        let (from, to) = (self.from, self.to);
        Ok(Some(WhatIfQuery { terms, from, to }))
    }
}

/// Runs `aura replay`. A day that differs from its `expected.json` ends with 1.
///
/// # Errors
/// A folder that cannot be read, named by file and line.
pub(crate) fn run(args: &ReplayArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let question = args.question()?;
    if !args.path.join("day.toml").exists() {
        return match &question {
            None => journal(args, out),
            Some(question) => {
                let home = args.home.named().map(HomeConfig::load).transpose()?;
                let journal = JournalReplay::open(&args.key.open(&args.path)?, home.as_ref())?;
                whatif::run(journal, question, args.format.json, out)
            }
        };
    }
    let script = DayScript::read(&args.path)?;
    let temporary = TemporaryFolder::new(None)?;
    let dir = match &args.keep {
        Some(dir) if dir.exists() => {
            let folder = dir.display().to_string();
            return Err(CliError::Usage(say!("cli-replay-keep-exists", folder)));
        }
        Some(dir) => dir.clone(),
        None => temporary.path().to_owned(),
    };
    // A day is recorded in English, whoever plays it.
    let played = locale::speaking(Language::English, || script.played(&dir))?;
    if let Some(question) = &question {
        return whatif::run(
            JournalReplay::open(&Vault::demo(&dir)?, None)?,
            question,
            args.format.json,
            out,
        );
    }
    for trace in &played.traces {
        show(trace, args.format.json, out)?;
    }
    let Some(expected) = &script.day.expected else {
        return Ok(CommandExit::Ok);
    };
    let wrong = differences(expected, &played);
    for line in &wrong {
        tracing::error!("{line}");
    }
    if wrong.is_empty() {
        tracing::info!(ticks = played.traces.len(), "as expected");
        Ok(CommandExit::Ok)
    } else {
        Ok(CommandExit::Bad)
    }
}

/// Rebuilds the traces of a data folder from the folder alone; a configuration is needed only where an older Aura kept no
/// settings.
fn journal(args: &ReplayArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let home = args.home.named().map(HomeConfig::load).transpose()?;
    let vault = args.key.open(&args.path)?;
    let open = || JournalReplay::open(&vault, home.as_ref());
    if args.verify {
        return verify(open, args.format.json, out);
    }
    let mut journal = open()?;
    let mut others = OtherRules::default();
    let mut seen = BTreeSet::new();
    each_trace(&mut journal, &mut others, |_, _, trace| {
        // After a crash a trace is kept once more, with the same bytes.
        if seen.insert(trace.trace_id.clone()) {
            show(trace, args.format.json, out)?;
        }
        Ok(())
    })?;
    if others.until > 0 {
        tracing::warn!(
            until_tick = others.until,
            "these ticks were decided by the rules of another version: what is printed of them is what this version would decide"
        );
    }
    Ok(CommandExit::Ok)
}

/// Folds a journal to its end, and hands out each trace that it makes.
fn each_trace(
    journal: &mut JournalReplay,
    others: &mut OtherRules,
    mut made: impl FnMut(&JournalReplay, &OtherRules, &Trace) -> Result<(), CliError>,
) -> Result<(), CliError> {
    while let Some((_, event)) = journal.read()? {
        // Also what stands before the first event: where a journal was cut, a base.
        others.note(journal);
        let effects = journal.apply(event);
        others.note(journal);
        for effect in effects {
            if let Effect::KeepTrace(trace) = effect {
                made(journal, others, &trace)?;
            }
        }
    }
    Ok(())
}

/// Compares what the journal makes with what is stored. Both are read while a service may write and remove beside this: what differs is
/// looked at a second time, and only what differs again is wrong.
fn verify(
    open: impl Fn() -> Result<JournalReplay, JournalError>,
    json: bool,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let mut pass = compare_all(&mut open()?)?;
    if !pass.wrong.is_empty() {
        let first = std::mem::replace(&mut pass, compare_all(&mut open()?)?);
        pass.wrong.retain(|differing| first.wrong.contains(differing));
    }
    if !pass.wrong.is_empty() && pass.removing {
        return Err(CliError::Busy(text("cli-replay-deletion").to_owned()));
    }
    for differing in &pass.wrong {
        differing.say(json, out)?;
    }
    pass.say(json, out)?;
    Ok(if pass.wrong.is_empty() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

/// What one comparison found.
struct Comparison {
    wrong: Vec<TraceDifference>,
    /// Traces that the journal makes.
    made: usize,
    /// Not compared: something they were decided by was erased.
    erased: u64,
    /// Not compared: of other rules.
    of_others: u64,
    others: OtherRules,
    /// A deletion was under way.
    removing: bool,
}

impl Comparison {
    fn say(&self, json: bool, out: &mut CommandOutput) -> Result<(), CliError> {
        let (made, wrong) = (self.made, self.wrong.len());
        if json {
            return out.json(&serde_json::json!({
                "traces": made,
                "different": wrong,
                "not_compared": self.erased + self.of_others,
                "of_other_rules": self.of_others,
            }));
        }
        out.text(&say!("cli-replay-made-again", made, wrong))?;
        if self.erased > 0 {
            out.text(&say!("cli-replay-erased", count = self.erased))?;
        }
        if self.of_others > 0 {
            out.text(&say!(
                "cli-replay-other-rules",
                count = self.of_others,
                numbers = self.others.numbers(),
                here = RULES_NUMBER.to_string()
            ))?;
        }
        Ok(())
    }
}

fn compare_all(journal: &mut JournalReplay) -> Result<Comparison, CliError> {
    let mut others = OtherRules::default();
    let (mut seen, mut wrong, mut erased) = (BTreeSet::new(), Vec::new(), 0_u64);
    each_trace(journal, &mut others, |journal, others, trace| {
        if others.made(trace.decision.tick) {
            return Ok(());
        }
        seen.insert(trace.trace_id.clone());
        if journal.differs_until().is_some_and(|until| trace.ts < until) {
            // Something it was decided by was erased: it cannot be made again.
            erased += 1;
        } else {
            wrong.extend(compare(journal, trace)?);
        }
        Ok(())
    })?;
    // A deletion takes events before their traces: one that is not seen here has taken both, or neither.
    let removing = !journal.reader().unfinished()?.is_empty();
    let (unmade, of_others) = unmade(journal, &seen, &others)?;
    wrong.extend(unmade);
    Ok(Comparison {
        wrong,
        made: seen.len(),
        erased,
        of_others,
        others,
        removing,
    })
}

/// The stretches of a journal that rules of another number led to.
#[derive(Default)]
struct OtherRules {
    numbers: BTreeSet<u32>,
    /// The last tick that began in one of them; 0: none.
    until: u64,
}

impl OtherRules {
    /// Between two events.
    fn note(&mut self, journal: &JournalReplay) {
        if let Some(state) = journal
            .state()
            .filter(|state| state.rules_number() != RULES_NUMBER)
        {
            self.numbers.insert(state.rules_number());
            self.until = state.ticks;
        }
    }

    /// Whether a tick began under other rules.
    fn made(&self, tick: u64) -> bool {
        tick <= self.until
    }

    fn numbers(&self) -> String {
        let numbers: Vec<String> = self
            .numbers
            .iter()
            .map(|n| say!("cli-replay-number", number = n.to_string()))
            .collect();
        numbers.join(", ")
    }
}

/// A stored trace that is not what the journal makes.
#[derive(PartialEq, Serialize)]
struct TraceDifference {
    code: &'static str,
    trace_id: TraceId,
    /// The first place that differs, as a JSON pointer; absent when one of the two is missing.
    pointer: Option<String>,
    problem: &'static str,
}

impl TraceDifference {
    fn say(&self, json: bool, out: &mut CommandOutput) -> Result<(), CliError> {
        if json {
            return out.json(self);
        }
        let (code, trace, problem) = (self.code, self.trace_id.to_string(), self.problem);
        out.text(&match &self.pointer {
            Some(at) => say!(
                "cli-replay-differs-at",
                code,
                trace,
                at = format!("{at:?}"),
                problem
            ),
            None => say!("cli-replay-differs", code, trace, problem),
        })
    }
}

/// A trace as it was made again, against the one that is stored.
fn compare(journal: &JournalReplay, made: &Trace) -> Result<Option<TraceDifference>, CliError> {
    let found = |pointer: Option<String>, problem| {
        Some(TraceDifference {
            code: "JOUR-006",
            trace_id: made.trace_id.clone(),
            pointer,
            problem,
        })
    };
    let Some(row) = journal.reader().trace(&made.trace_id)? else {
        return Ok(found(None, text("cli-replay-not-stored")));
    };
    if serde_json::to_string(made).is_ok_and(|text| text == row.json) {
        return Ok(None);
    }
    let Ok(stored) = serde_json::from_str::<Value>(&row.json) else {
        return Ok(found(None, text("cli-replay-not-json")));
    };
    let made = serde_json::to_value(made).unwrap_or_default();
    Ok(match first_difference(&made, &stored, String::new()) {
        Some(pointer) => found(Some(pointer), text("cli-replay-other-values")),
        None => found(Some(String::new()), text("cli-replay-other-order")),
    })
}

/// The first place at which two documents differ, in the order of the first; absent when they are equal.
fn first_difference(a: &Value, b: &Value, at: String) -> Option<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            names.into_iter().find_map(|name| {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                match (a.get(name), b.get(name)) {
                    (Some(a), Some(b)) => first_difference(a, b, at),
                    (_, _) => Some(at),
                }
            })
        }
        (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len())).find_map(|index| {
            let at = format!("{at}/{index}");
            match (a.get(index), b.get(index)) {
                (Some(a), Some(b)) => first_difference(a, b, at),
                (_, _) => Some(at),
            }
        }),
        (a, b) => (a != b).then_some(at),
    }
}

/// The stored traces that the journal does not make, and how many of other rules were passed over.
fn unmade(
    journal: &JournalReplay,
    made: &BTreeSet<TraceId>,
    others: &OtherRules,
) -> Result<(Vec<TraceDifference>, u64), CliError> {
    let (mut wrong, mut of_others) = (Vec::new(), 0);
    let mut before = None;
    loop {
        let page = journal.reader().traces_and_calls(256, before)?;
        let Some(last) = page.last() else {
            return Ok((wrong, of_others));
        };
        before = Some(last.tick);
        for row in page.iter().filter(|row| !made.contains(&row.trace_id)) {
            if others.made(row.tick) {
                of_others += 1;
                continue;
            }
            wrong.push(TraceDifference {
                code: "JOUR-006",
                trace_id: row.trace_id.clone(),
                pointer: None,
                problem: text("cli-replay-not-made"),
            });
        }
    }
}
