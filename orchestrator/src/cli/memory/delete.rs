//! `aura memory delete` and `purge`.
//!
//! What: forgetting, and letting go of what was kept long enough. Why: what the owner wants gone is gone from everywhere that Aura
//! writes, and is seen before it goes. Not here: finding what goes (`crate::erase`), taking it out (`aura_memory::erase`).

use super::{
    super::{
        alone::Alone,
        error::CliError,
        exit::Exit,
        line::in_line,
        moments::{instant, midnight},
        out::Out,
        records::local,
        sure::sure,
    },
    look::{On, key},
};
use crate::{clock::Clock, config::Home, erase, housekeeping};
use aura_memory::{
    Options, Store, Vault,
    erase::{Editor, Removed},
    graph::NodeKey,
};
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use clap::Args;
use serde_json::json;
use toolcall_schema::{Timestamp, forget::Forget};

/// `aura memory delete`
#[derive(Debug, Clone, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub struct DeleteArgs {
    /// What is meant, by key: with a person go the chats that nobody else wrote in, with a merchant its payments, with a
    /// trace its action
    #[arg(value_parser = key, group = "what", conflicts_with = "everything")]
    keys: Vec<NodeKey>,
    /// From then on: RFC 3339, a local date, or a local time as `2026-11-03 08:15`
    #[arg(long, value_name = "TIME", group = "what", conflicts_with = "everything")]
    from: Option<String>,
    /// Until before then, in the same ways [default: now]
    #[arg(long, value_name = "TIME", requires = "from")]
    to: Option<String>,
    /// One local day
    #[arg(long, value_name = "YYYY-MM-DD", group = "what", conflicts_with_all = ["from", "everything"])]
    day: Option<NaiveDate>,
    /// All of it
    #[arg(long, group = "what")]
    everything: bool,
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    on: On,
}

/// `aura memory purge`
#[derive(Debug, Clone, Args)]
pub struct PurgeArgs {
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    on: On,
}

/// Runs `aura memory delete`.
///
/// # Errors
/// The folder cannot be edited; until the store's own transaction is done nothing has gone.
pub(super) fn run(args: &DeleteArgs, out: &mut Out) -> Result<Exit, CliError> {
    let home = args.on.home()?;
    let alone = Alone::on(&args.on.data)?;
    let vault = &alone.vault;
    settle(vault)?;
    let zone = erase::zone(vault, home.as_ref());
    let mut editor = Editor::open(vault)?;
    let forget = args.forget(&editor, zone)?;
    let erasure = erase::plan(&editor, home.as_ref(), forget, Clock::real(None).wall())?;
    let found = editor.erase(&erasure, zone, true)?;
    if args.dry_run {
        say("would go", &found, args.on.format.json, out)?;
        return Ok(Exit::Ok);
    }
    if !args.yes && !args.on.format.json {
        say("goes", &found, false, out)?;
    }
    if !sure(args.yes, args.on.format.json, &args.question(zone), out)? {
        out.text("Nothing was removed.")?;
        return Ok(Exit::Bad);
    }
    let removed = editor.erase(&erasure, zone, false)?;
    say("gone", &removed, args.on.format.json, out)?;
    if !args.on.format.json {
        out.text(
            "Your own folders (mail, calendars, messages) still have what they had, and so have copies of this folder that \
             you made: remove those yourself.",
        )?;
    }
    Ok(Exit::Ok)
}

/// Traces that wait as files are taken in first, so that they are found.
fn settle(vault: &Vault) -> Result<(), CliError> {
    let (store, _) = Store::open(vault, Options::default())?;
    let (told, heard) = std::sync::mpsc::channel();
    store.commit(Box::new(move |done| {
        // Heard below, unless this command is gone.
        let _ = told.send(done.is_ok());
    }))?;
    // One that could not be taken in is named by the log and stays sealed; it is found the next time.
    let _ = heard.recv();
    Ok(())
}

impl DeleteArgs {
    fn forget(&self, editor: &Editor, zone: Tz) -> Result<Forget, CliError> {
        if self.everything {
            return Ok(Forget::everything());
        }
        let mut forget = Forget::things(editor.closure(&self.keys)?);
        if let Some(key) = self.keys.iter().find(|key| !forget.thing(key.as_str())) {
            return Err(CliError::Usage(format!(
                "{key} is too short to be an id: `aura memory search` prints keys"
            )));
        }
        let span = match (&self.from, self.day) {
            (Some(from), _) => {
                let to = match &self.to {
                    Some(to) => moment(to, zone)?,
                    None => Clock::real(None).wall(),
                };
                Some((moment(from, zone)?, to))
            }
            (None, Some(day)) => {
                let next = day.checked_add_days(Days::new(1)).unwrap_or(day);
                midnight(day, zone).zip(midnight(next, zone))
            }
            (None, None) => None,
        };
        if let Some((from, to)) = span {
            if to <= from {
                return Err(CliError::Usage("--to is not after --from".to_owned()));
            }
            forget.span = Forget::span(from, to).span;
        }
        Ok(forget)
    }

    fn question(&self, zone: Tz) -> String {
        let what = if self.everything {
            "everything that Aura remembers".to_owned()
        } else {
            let mut what: Vec<String> = self.keys.iter().map(ToString::to_string).collect();
            what.extend(self.day.map(|day| format!("the day {day} ({zone})")));
            what.extend(self.from.as_ref().map(|from| {
                let to = self.to.as_deref().unwrap_or("now");
                format!("the time from {from} to {to} ({zone})")
            }));
            what.join(" and ")
        };
        format!("This cannot be undone. Type yes to forget {what}:")
    }
}

/// A moment that was named; a date is its midnight.
fn moment(text: &str, zone: Tz) -> Result<Timestamp, CliError> {
    let today = Clock::real(None).wall().utc().with_timezone(&zone).date_naive();
    let named = match text.parse::<NaiveDate>() {
        Ok(day) => midnight(day, zone),
        Err(_) => instant(text, today, zone),
    };
    named.ok_or_else(|| {
        CliError::Usage(format!(
            "{text:?} is no moment: RFC 3339, a local date, or a local time as `2026-11-03 08:15`"
        ))
    })
}

/// Runs `aura memory purge`.
///
/// # Errors
/// The folder cannot be edited.
pub(super) fn purge(args: &PurgeArgs, out: &mut Out) -> Result<Exit, CliError> {
    let home: Option<Home> = args.on.home()?;
    let retention = home.as_ref().map(|home| home.retention).unwrap_or_default();
    let clock = Clock::real(None);
    let (alone, removed, time) = in_line(|| {
        let alone = Alone::on(&args.on.data)?;
        let (removed, time) =
            housekeeping::run(&alone.vault, home.as_ref(), &retention, &clock, args.dry_run)?;
        Ok((alone, removed, time))
    })?;
    let word = if args.dry_run { "would go" } else { "gone" };
    say(word, &removed, args.on.format.json, out)?;
    if !args.on.format.json {
        let zone = erase::zone(&alone.vault, home.as_ref());
        out.text(&format!(
            "what was kept long enough on {}",
            local(time.confirmed, zone)
        ))?;
        if let Some(why) = super::super::clock::waits(&time, zone) {
            out.text(&why)?;
        }
    }
    Ok(Exit::Ok)
}

fn say(word: &str, removed: &Removed, json: bool, out: &mut Out) -> Result<(), CliError> {
    if json {
        return out.json(&json!({ word.replace(' ', "_"): removed }));
    }
    if removed.0.is_empty() {
        return out.text(&format!("{word}: nothing"));
    }
    let what: Vec<String> = removed
        .0
        .iter()
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    out.text(&format!("{word}: {}", what.join(", ")))
}
