//! `aura quarantine replay`: what would pass the gate of today.
//!
//! What: every chosen line judged anew, without the deadline and without doing anything; on request a fixture of each. Why:
//! after a change of the catalogue the operator sees what it changed, and a bug report has its smallest call. Not here: the
//! judgement (`aura_memory::quarantine::replay`), making a call smaller (`fixture`).

use super::{args::QuarantineReplayArgs, fixture, select::LineFilter, words};
use crate::{error::CliError, exit::CommandExit, out::CommandOutput};
use aura_memory::quarantine::{
    NotReplayable, QuarantineEntry, QuarantineKind, QuarantineLine, ReplayVerdict, list, replay,
};
use aura_platform::clock::Clock;
use serde::Serialize;
use std::path::Path;
use surfaces_base::language::{say, text};
use toolcall_schema::{SchemaError, gate};

/// How many of which.
#[derive(Default)]
struct ReplayTally {
    passes: u64,
    refused: u64,
    differently: u64,
    not_replayable: u64,
}

/// Runs `aura quarantine replay`. A line that cannot be replayed is neither good nor bad.
///
/// # Errors
/// [`CliError`] when the folder cannot be read, a line is not there, or no fixture can be made of it.
pub(super) fn run(args: &QuarantineReplayArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (dir, kind) = (args.data.path()?, args.kind);
    if args.as_fixture.is_some() && kind != QuarantineKind::Calls {
        return Err(CliError::Usage(text("cli-quarantine-only-calls").to_owned()));
    }
    let filter = LineFilter::new(&args.filter, Clock::real(None).wall());
    let mut tally = ReplayTally::default();
    let mut judge = |n: u64, line: &QuarantineLine| -> Result<(), CliError> {
        let QuarantineLine::Entry(entry) = line else {
            return Ok(());
        };
        if !filter.admits_entry(entry) {
            return Ok(());
        }
        let verdict = replay(kind, entry);
        tally.count(entry, &verdict);
        if args.format.json {
            out.json(&document(n, entry, &verdict))?;
        } else {
            out.text(&in_words(n, entry, &verdict))?;
        }
        if let Some(dir) = &args.as_fixture {
            let path = make(dir, n, entry, &verdict)?;
            if !args.format.json {
                out.text(&format!("       {}", say!("cli-quarantine-written-to", path)))?;
            }
        }
        Ok(())
    };
    if args.lines.is_empty() {
        for line in list(&dir, kind)? {
            let (n, line) = line?;
            judge(n, &line)?;
        }
    }
    for pick in &args.lines {
        let (n, line) = pick.find(&dir, kind)?;
        judge(n, &line)?;
    }
    if !args.format.json {
        out.text(&say!(
            "cli-quarantine-replayed",
            passes = tally.passes,
            refused = tally.refused,
            differently = tally.differently,
            not_replayable = tally.not_replayable
        ))?;
    }
    Ok(if tally.refused == 0 {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

impl ReplayTally {
    fn count(&mut self, entry: &QuarantineEntry, verdict: &ReplayVerdict) {
        match verdict {
            ReplayVerdict::Passes | ReplayVerdict::PassesOtherwise => self.passes += 1,
            ReplayVerdict::Refused(_) => {
                self.refused += 1;
                self.differently += u64::from(!verdict.is_as_before(entry));
            }
            ReplayVerdict::NotReplayable(_) => self.not_replayable += 1,
        }
    }
}

fn make(dir: &Path, n: u64, entry: &QuarantineEntry, verdict: &ReplayVerdict) -> Result<String, CliError> {
    let no = |why: &str| {
        let number = n.to_string();
        Err(CliError::NotThere(say!("cli-quarantine-no-fixture", number, why)))
    };
    let error = match verdict {
        ReplayVerdict::Refused(error) => error,
        ReplayVerdict::Passes => return no(text("cli-quarantine-passes-today")),
        ReplayVerdict::PassesOtherwise => {
            return no(text("cli-quarantine-depends-on-time"));
        }
        ReplayVerdict::NotReplayable(why) => return no(why_not(*why)),
    };
    let Some(call) = entry.verbatim() else {
        return no(why_not(NotReplayable::Redacted));
    };
    match fixture::write(dir, entry, error, &fixture::minimal(&call, error)) {
        Ok(path) => Ok(path.display().to_string()),
        Err((path, why)) => Err(CliError::Usage(say!(
            "cli-quarantine-cannot-write",
            path = path.display().to_string(),
            why = why.kind().to_string()
        ))),
    }
}

fn why_not(why: NotReplayable) -> &'static str {
    match why {
        NotReplayable::Redacted => text("cli-quarantine-redacted"),
        NotReplayable::NoCall => text("cli-quarantine-no-call"),
        NotReplayable::Cut => text("cli-quarantine-cut"),
    }
}

fn in_words(n: u64, entry: &QuarantineEntry, verdict: &ReplayVerdict) -> String {
    let then = format!(
        "{n:>5}  {:<28}  {} {:?}",
        words::tool(entry),
        entry.code,
        entry.pointer
    );
    match verdict {
        ReplayVerdict::Passes => say!("cli-quarantine-would-pass", then),
        ReplayVerdict::PassesOtherwise => say!("cli-quarantine-would-pass-otherwise", then),
        ReplayVerdict::Refused(_) if verdict.is_as_before(entry) => {
            say!("cli-quarantine-still-refused", then)
        }
        ReplayVerdict::Refused(error) => {
            say!(
                "cli-quarantine-refused-as",
                then,
                code = error.code.to_string(),
                pointer = format!("{:?}", error.pointer),
                message = &error.message
            )
        }
        ReplayVerdict::NotReplayable(why) => {
            say!("cli-quarantine-not-replayable", then, why = why_not(*why))
        }
    }
}

#[derive(Serialize)]
struct ReplayDocument<'a> {
    n: u64,
    sha256: &'a str,
    tool: String,
    then: RecordedRefusal<'a>,
    verdict: &'static str,
    /// The refusal of today.
    now: Option<&'a SchemaError>,
    /// Whether it is refused as it was.
    same: bool,
    /// Why it cannot be replayed.
    why_not: Option<&'static str>,
}

#[derive(Serialize)]
struct RecordedRefusal<'a> {
    code: &'a str,
    pointer: &'a str,
    /// Whether the catalogue was that of today.
    same_catalogue: bool,
}

fn document<'a>(n: u64, entry: &'a QuarantineEntry, verdict: &'a ReplayVerdict) -> ReplayDocument<'a> {
    let (word, now, why) = match verdict {
        ReplayVerdict::Passes => ("passes", None, None),
        ReplayVerdict::PassesOtherwise => ("passes_otherwise", None, None),
        ReplayVerdict::Refused(error) => ("refused", Some(error), None),
        ReplayVerdict::NotReplayable(why) => ("not_replayable", None, Some(why_not(*why))),
    };
    ReplayDocument {
        n,
        sha256: &entry.sha256,
        tool: words::tool(entry),
        then: RecordedRefusal {
            code: &entry.code,
            pointer: &entry.pointer,
            same_catalogue: entry.catalogue_hash == gate::catalogue_hash(),
        },
        verdict: word,
        now,
        same: verdict.is_as_before(entry),
        why_not: why,
    }
}
