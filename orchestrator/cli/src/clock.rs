//! `aura clock`: whether this computer's clock is right.
//!
//! What: up to when time is confirmed, what waits because of it, and the owner's word that the clock is right. Why: nothing is removed
//! by its age because of a clock that may be wrong, and who knows better can say so. Not here: what confirms time without the owner
//! (`confirmed_time`).

use super::{
    args::{DataDir, FormatArgs, HomeFileArg},
    error::CliError,
    exit::CommandExit,
    line::{OpenOnce, in_line},
    out::CommandOutput,
    records::local,
    service,
    sure::sure,
};
use aura_memory::{Store, StoreOptions, StoreWrite, Vault};
use aura_platform::{
    clock::Clock,
    retention_clock::{ClockReport, FolderTime},
};
use aura_runtime::{
    config::HomeConfig,
    control::{ControlReply, ControlRequest},
    deletion, erase, housekeeping,
    journal::ReplayContext,
};
use chrono_tz::Tz;
use clap::{Args, Subcommand};
use surfaces_base::{
    format,
    language::{say, text},
};
use toolcall_schema::RetentionHold;

/// `aura clock`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ClockCommand {
    /// Up to when time is confirmed, and what waits because of it
    Show(ClockArgs),
    /// Say that this computer's clock is right
    Confirm(ConfirmArgs),
}

/// `aura clock show`
#[derive(Debug, Clone, Args)]
pub(crate) struct ClockArgs {
    #[command(flatten)]
    home: HomeFileArg,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura clock confirm`
#[derive(Debug, Clone, Args)]
pub(crate) struct ConfirmArgs {
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    on: ClockArgs,
}

/// Runs `aura clock`.
///
/// # Errors
/// Configuration, data folder, a service that does not answer.
pub(crate) fn run(command: &ClockCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        ClockCommand::Show(args) => {
            let zone = args.zone()?;
            show(&args.report()?, zone, args.format, out)?;
        }
        ClockCommand::Confirm(ConfirmArgs { yes, on }) => {
            let (zone, wall) = (on.zone()?, Clock::real(None).wall());
            let now = wall.utc().with_timezone(&zone);
            let question = say!(
                "cli-clock-sure",
                date = format::whole_date(now.date_naive()),
                time = format::time_of_day(now.time()),
                zone = zone.name()
            );
            if !sure(*yes, on.format.json, &question, out)? {
                out.text(text("cli-clock-nothing-changed"))?;
                return Ok(CommandExit::Bad);
            }
            show(&on.confirm()?, zone, on.format, out)?;
        }
    }
    Ok(CommandExit::Ok)
}

impl ClockArgs {
    fn home(&self) -> Result<Option<HomeConfig>, CliError> {
        let path = self.home.path();
        let named = self.home.named().is_some() || path.exists();
        Ok(named.then(|| HomeConfig::load(&path)).transpose()?)
    }

    fn zone(&self) -> Result<Tz, CliError> {
        Ok(self.home()?.map_or(Tz::UTC, |home| home.settings.zone))
    }

    fn report(&self) -> Result<ClockReport, CliError> {
        match service::ask(&self.data.path()?, &ControlRequest::Clock)? {
            Some(ControlReply::Clock(report)) => Ok(report),
            Some(other) => Err(service::unexpected(other)),
            None => {
                let vault = self.data.vault()?;
                Ok(self.look(&vault)?.report())
            }
        }
    }

    fn confirm(&self) -> Result<ClockReport, CliError> {
        let dir = self.data.path()?;
        let mut vault = OpenOnce::default();
        in_line(|| match service::ask(&dir, &ControlRequest::ClockConfirm)? {
            Some(ControlReply::Clock(report)) => Ok(report),
            Some(other) => Err(service::unexpected(other)),
            None => {
                let vault = vault.get(|| self.data.vault())?;
                let mut time = self.look(&vault)?;
                time.confirm();
                if let Some(json) = time.json() {
                    let (store, _) = Store::open(&vault, StoreOptions::default())?;
                    deletion::write_now(&store, &[StoreWrite::ConfirmedTime { json }])?;
                }
                Ok(time.report())
            }
        })
    }

    /// A stopped folder's time by the clock of now.
    fn look(&self, vault: &Vault) -> Result<FolderTime, CliError> {
        let home = self.home()?;
        let (known, zone) = (
            ReplayContext::for_folder(vault, home.as_ref()),
            erase::zone(vault, home.as_ref()),
        );
        Ok(housekeeping::folder_time(
            vault,
            &known,
            zone,
            &Clock::real(None),
        )?)
    }
}

fn show(report: &ClockReport, zone: Tz, format: FormatArgs, out: &mut CommandOutput) -> Result<(), CliError> {
    if format.json {
        return out.json(report);
    }
    out.text(&say!(
        "cli-clock-confirmed",
        at = local(report.confirmed, zone),
        zone = zone.name()
    ))?;
    match waits(report, zone) {
        Some(why) => out.text(&why),
        None => out.text(text("cli-clock-as-usual")),
    }
}

/// Why nothing more is deleted by its age for now, and what ends that; `None`: it is, as usual.
pub(super) fn waits(report: &ClockReport, zone: Tz) -> Option<String> {
    let at = local(report.wall, zone);
    Some(match report.waits? {
        RetentionHold::LaterDay => text("cli-clock-later-day").to_owned(),
        RetentionHold::Ahead => say!("cli-clock-ahead", at),
        RetentionHold::Behind => say!("cli-clock-behind", at),
    })
}
