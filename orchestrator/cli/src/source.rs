//! `aura source`: accounts on servers.
//!
//! What: adds, lists, tries, pauses and removes accounts, and takes their logins. Why: what lies on a server is read where it is; a password is
//! typed and sealed, and stands in no file, argument or log. Not here: looking at them (`aura_runtime::accounts`).

use super::{
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    service::{ServiceFolderArgs, unexpected},
    sign_in::{SignInArgs, sign_in},
};
use aura_runtime::{
    accounts::{AccountCommand, AccountReport, AccountSecret},
    control::{ControlReply, ControlRequest},
};
use clap::{Args, Subcommand, ValueEnum};
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};
use surfaces_base::{
    backend::{
        accounts::{AccountAct, AccountChange, AccountDraft},
        sign_in::SignInWay,
    },
    language::{say, text},
    words,
};
use toolcall_schema::accounts::{LookFailure, ServerAccountKind};

/// Accounts on servers: calendars, mail, names and payments where they are
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum SourceCommand {
    /// Read calendars, mail, names or payments on a server from now on
    Add(Box<SourceAddArgs>),
    /// How each account stands
    List(SourceListArgs),
    /// Type the password, or the secret address, of an account, or sign in at its provider
    Login(SourceLoginArgs),
    /// Look at an account now
    Test(SourceNameArgs),
    /// Do not look at an account for now; what is known of it stays
    Pause(SourceNameArgs),
    /// Look at it again
    Resume(SourceNameArgs),
    /// Let what you confirm be written there too: time kept free and declines, of mail drafts of replies
    AllowWrite(SourceNameArgs),
    /// Only read it from now on; what is written there stays
    ForbidWrite(SourceNameArgs),
    /// Have time that you keep free go to this calendar of an account
    KeepFree(SourceKeepFreeArgs),
    /// Stop reading an account, and forget its calendars and its login
    Remove(SourceNameArgs),
}

/// What lies there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SourceKindArg {
    /// All calendars of a CalDAV server
    Caldav,
    /// One .ics file at an address
    Calendar,
    /// Names of people on a CardDAV server
    Carddav,
    /// Bank accounts by SimpleFIN
    Simplefin,
    /// A sensor of Home Assistant that says how long you slept
    HomeAssistant,
    /// Mail by JMAP
    Jmap,
}

/// `aura source add`
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceAddArgs {
    /// What you call it: small letters, digits, - and _
    name: String,
    /// Where it is: https://…, webcal://…; of a secret address only the host, and the whole at `aura source login`
    #[arg(required_unless_present = "imap")]
    address: Option<String>,
    /// Mail on that server, over TLS on port 993; on port 143 TLS begins by STARTTLS
    #[arg(long, value_name = "HOST[:PORT]", conflicts_with_all = ["address", "kind"])]
    imap: Option<String>,
    /// Days of mail that are read at first [default: 30]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: Option<u32>,
    /// What lies there [default: calendar for an address that ends in .ics or begins with webcal, else caldav]
    #[arg(long, value_enum)]
    kind: Option<SourceKindArg>,
    /// Who you are there
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// It is on this computer or in your own network
    #[arg(long)]
    private: bool,
    /// Minutes between two looks [default: of CalDAV 1, names and Home Assistant 60, SimpleFIN 360, else 15]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=1440))]
    every: Option<u32>,
    /// SHA-256 fingerprint of the one certificate to trust, in place of those that this computer trusts
    #[arg(long, value_name = "HEX")]
    certificate: Option<String>,
    /// What you confirm is written there too: time kept free and declines, of mail drafts of replies. Nothing else is, and nothing before you confirm it
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    sign_in: SignInArgs,
    #[command(flatten)]
    folder: ServiceFolderArgs,
}

/// `aura source list`
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceListArgs {
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura source test`, `pause`, `resume` and `remove`
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceNameArgs {
    /// The account
    name: String,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura source keep-free`
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceKeepFreeArgs {
    /// The account, which is written to
    name: String,
    /// The calendar, by its name or its path there
    calendar: String,
    #[command(flatten)]
    folder: ServiceFolderArgs,
}

/// `aura source login`
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceLoginArgs {
    /// The account
    name: String,
    /// Type the whole secret address, not a password
    #[arg(long)]
    secret_address: bool,
    /// Who you are there, where the configuration does not say it
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Take it from the first line of the standard input
    #[arg(long)]
    stdin: bool,
    /// Sign in by a code that is typed on any device, not in a browser on this computer
    #[arg(long, conflicts_with = "secret_address")]
    device: bool,
    /// Type the client secret that the provider gave with the client ID
    #[arg(long, conflicts_with = "secret_address")]
    client_secret: bool,
    #[command(flatten)]
    folder: ServiceFolderArgs,
}

/// Runs `aura source …`.
///
/// # Errors
/// Configuration, data folder, no such account, a service that does not answer.
pub(crate) fn run(command: &SourceCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        SourceCommand::Add(args) => add(args, out),
        SourceCommand::List(args) => {
            let reports = reports(&args.folder, AccountCommand::List)?;
            show(&reports, args.format, out)
        }
        SourceCommand::Login(args) => login(args, out),
        SourceCommand::Test(args) => {
            let name = args.name.clone();
            let reports = reports(&args.folder, AccountCommand::Test { name })?;
            show(&reports, args.format, out)
        }
        SourceCommand::Pause(args) => {
            let says = say!("cli-source-paused-now", name = &args.name);
            change(args, AccountAct::Pause, &says, out)
        }
        SourceCommand::Resume(args) => {
            let says = say!("cli-source-resumed", name = &args.name);
            change(args, AccountAct::Resume, &says, out)
        }
        SourceCommand::AllowWrite(args) => {
            let says = say!("cli-source-writable", name = &args.name);
            change(args, AccountAct::AllowWrite, &says, out)
        }
        SourceCommand::ForbidWrite(args) => {
            let says = say!("cli-source-read-only", name = &args.name);
            change(args, AccountAct::ForbidWrite, &says, out)
        }
        SourceCommand::KeepFree(args) => keep_free(args, out),
        SourceCommand::Remove(args) => {
            let says = say!("cli-source-removed", name = &args.name);
            change(args, AccountAct::Remove, &says, out)
        }
    }
}

fn ask(folder: &ServiceFolderArgs, asked: AccountCommand) -> Result<ControlReply, CliError> {
    folder.ask(&ControlRequest::Account { asked })
}

pub(super) fn reports(
    folder: &ServiceFolderArgs,
    asked: AccountCommand,
) -> Result<Vec<AccountReport>, CliError> {
    let reply = ask(folder, asked)?;
    if let ControlReply::Accounts(reports) = reply {
        Ok(reports)
    } else {
        Err(unexpected(reply))
    }
}

fn tell_done(
    folder: &ServiceFolderArgs,
    asked: AccountCommand,
    says: &str,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let reply = ask(folder, asked)?;
    if matches!(reply, ControlReply::Recorded) {
        out.text(says)?;
        Ok(CommandExit::Ok)
    } else {
        Err(unexpected(reply))
    }
}

fn add(args: &SourceAddArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let address = args.imap.as_ref().or(args.address.as_ref());
    let address = address.map(String::as_str).unwrap_or_default();
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let is_file = address.starts_with("webcal")
        || Path::new(path)
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("ics"));
    let kind = match args.kind {
        None if args.imap.is_some() => ServerAccountKind::Imap,
        Some(SourceKindArg::Caldav) => ServerAccountKind::CalDav,
        Some(SourceKindArg::Calendar) => ServerAccountKind::CalendarAddress,
        Some(SourceKindArg::Carddav) => ServerAccountKind::CardDav,
        Some(SourceKindArg::Simplefin) => ServerAccountKind::SimpleFin,
        Some(SourceKindArg::HomeAssistant) => ServerAccountKind::HomeAssistant,
        Some(SourceKindArg::Jmap) => ServerAccountKind::Jmap,
        None if is_file => ServerAccountKind::CalendarAddress,
        None => ServerAccountKind::CalDav,
    };
    let draft = AccountDraft {
        kind,
        address: address.to_owned(),
        user: args.user.clone(),
        private: args.private,
        every: args.every,
        days: args.days,
        certificate: args.certificate.clone(),
        write: args.write,
        sign_in: args.sign_in.draft(),
    };
    let asked = AccountCommand::Change(AccountChange {
        name: args.name.clone(),
        act: AccountAct::Add(Box::new(draft)),
    });
    let says = say!("cli-source-added", name = &args.name);
    let done = tell_done(&args.folder, asked, &says, out)?;
    until_taken_up(&args.folder, &args.name)?;
    Ok(done)
}

/// The next command may name what was added: a running service has taken it up, or had time enough.
fn until_taken_up(folder: &ServiceFolderArgs, name: &str) -> Result<(), CliError> {
    const LIMIT: Duration = Duration::from_secs(10);
    const AGAIN: Duration = Duration::from_millis(50);
    let (dir, begun) = (folder.dir()?, Instant::now());
    let asked = ControlRequest::Account {
        asked: AccountCommand::List,
    };
    // What was added is added, whoever answers this.
    while begun.elapsed() < LIMIT
        && let Ok(Some(ControlReply::Accounts(all))) = super::service::ask(&dir, &asked)
        && !all.iter().any(|report| report.name == name)
    {
        thread::sleep(AGAIN);
    }
    Ok(())
}

fn change(
    args: &SourceNameArgs,
    act: AccountAct,
    says: &str,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let name = args.name.clone();
    tell_done(
        &args.folder,
        AccountCommand::Change(AccountChange { name, act }),
        says,
        out,
    )
}

fn keep_free(args: &SourceKeepFreeArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let asked = AccountCommand::Change(AccountChange {
        name: args.name.clone(),
        act: AccountAct::KeepFree(args.calendar.clone()),
    });
    let says = say!(
        "cli-source-keep-free",
        calendar = &args.calendar,
        name = &args.name
    );
    tell_done(&args.folder, asked, &says, out)
}

fn login(args: &SourceLoginArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let all = reports(&args.folder, AccountCommand::List)?;
    let report = all.iter().find(|report| report.name == args.name);
    if let Some(report) = report.filter(|report| report.sign_in.is_some()) {
        let way = if args.device {
            SignInWay::Device
        } else {
            SignInWay::Browser
        };
        let secret = args.client_secret.then(|| typed(args)).transpose()?;
        return sign_in(&args.folder, report, way, secret, out);
    }
    if args.device || args.client_secret {
        return Err(CliError::Usage(say!(
            "cli-source-has-password",
            name = &args.name
        )));
    }
    let typed = typed(args)?;
    let secret = if args.secret_address {
        AccountSecret::of_address(&typed)
            .ok_or_else(|| CliError::Usage(text("cli-source-no-address").to_owned()))?
    } else {
        AccountSecret::of_password(args.user.clone(), typed)
    };
    let name = args.name.clone();
    let says = say!("cli-source-login-kept", name = &name);
    tell_done(&args.folder, AccountCommand::Login { name, secret }, &says, out)
}

/// What is typed, or stands on the first line of the standard input.
fn typed(args: &SourceLoginArgs) -> Result<String, CliError> {
    let nothing = || CliError::Usage(text("cli-source-nothing-typed").to_owned());
    let text = if args.stdin {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        line
    } else {
        let prompt = if args.client_secret {
            text("cli-source-type-client-secret")
        } else if args.secret_address {
            text("cli-source-type-address")
        } else {
            text("cli-source-type-password")
        };
        rpassword::prompt_password(prompt).map_err(|_| nothing())?
    };
    let text = text.trim_end_matches(['\r', '\n']).to_owned();
    if text.is_empty() { Err(nothing()) } else { Ok(text) }
}

/// What fails, and what to do about it with the command or the key of the configuration that does it; `None`: nothing.
pub(crate) fn failing(report: &AccountReport) -> Option<(String, String)> {
    let problem = report.problem()?;
    let (says, todo) = words::problem_and_remedy(&problem, report.sign_in);
    Some((says, remedy(&problem, todo, &report.name)))
}

fn remedy(problem: &LookFailure, todo: &str, name: &str) -> String {
    let by = match problem {
        LookFailure::LoginRefused | LookFailure::LoginMissing => format!("aura source login {name}"),
        LookFailure::WorkerEnded => format!("aura source test {name}"),
        LookFailure::NotPublic | LookFailure::NotSealed => "`private = true`".to_owned(),
        LookFailure::Elsewhere { .. } | LookFailure::OtherName => "`address`".to_owned(),
        LookFailure::Untrusted | LookFailure::OutOfDate | LookFailure::NotPinned => {
            "`certificate`".to_owned()
        }
        LookFailure::TooOften { .. } => "`every`".to_owned(),
        LookFailure::UnknownHost
        | LookFailure::Unreachable
        | LookFailure::NoTls
        | LookFailure::Silent
        | LookFailure::TooLarge
        | LookFailure::Broken
        | LookFailure::NoCalendar
        | LookFailure::NoAddressBook
        | LookFailure::NoMoney
        | LookFailure::NoJmap
        | LookFailure::NoSensor
        | LookFailure::Refused { .. }
        | LookFailure::NoMemory
        | LookFailure::TooManyFolders
        | LookFailure::NoPasswords
        | LookFailure::SaysNo
        | LookFailure::AnswerTooLarge => return todo.to_owned(),
    };
    format!("{todo} ({by})")
}

/// What was read of an account, counted.
pub(crate) fn counted_entries(report: &AccountReport) -> String {
    let count = report.entries;
    match report.kind {
        ServerAccountKind::CalendarAddress | ServerAccountKind::CalDav => say!("cli-source-entries", count),
        ServerAccountKind::CardDav => say!("cli-source-people", count),
        ServerAccountKind::Imap | ServerAccountKind::Jmap => say!("cli-source-messages", count),
        ServerAccountKind::SimpleFin => say!("cli-source-payments", count),
        ServerAccountKind::HomeAssistant => say!("cli-source-nights", count),
    }
}

/// In how many that lies; `None`: it is one file.
fn counted_collections(report: &AccountReport) -> Option<String> {
    let count = report.calendars.len();
    match report.kind {
        ServerAccountKind::CalendarAddress => None,
        ServerAccountKind::CalDav => Some(say!("cli-source-in-calendars", count)),
        ServerAccountKind::CardDav => Some(say!("cli-source-in-address-books", count)),
        ServerAccountKind::Imap | ServerAccountKind::Jmap => Some(say!("cli-source-in-folders", count)),
        ServerAccountKind::SimpleFin => Some(say!("cli-source-in-bank-accounts", count)),
        ServerAccountKind::HomeAssistant => Some(say!("cli-source-in-sensors", count)),
    }
}

fn show(
    reports: &[AccountReport],
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let is_failing = reports.iter().any(|report| report.problem().is_some());
    if format.json {
        for report in reports {
            out.json(report)?;
        }
    } else if reports.is_empty() {
        out.text(text("cli-source-none"))?;
    }
    for report in reports.iter().filter(|_| !format.json) {
        let state = match (report.is_paused, report.is_writable) {
            (true, _) => text("cli-source-state-paused"),
            (false, true) => text("cli-source-state-read-and-written"),
            (false, false) => text("cli-source-state-read"),
        };
        out.text(&format!(
            "{}  {}  {}  {state}",
            report.name,
            report.kind.as_str(),
            report.server
        ))?;
        let reached = report.reached_at.map(|at| at.to_string());
        out.text(&format!("  {}", words::account_reached(reached.as_deref())))?;
        if report.is_known {
            let entries = counted_entries(report);
            let (new, gone) = (report.new, report.gone);
            let counted = match counted_collections(report) {
                Some(collections) => say!("cli-source-counted-in", entries, collections, new, gone),
                None => say!("cli-source-counted", entries, new, gone),
            };
            out.text(&format!("  {counted}"))?;
        } else if report.reached_at.is_some() && !report.is_paused && report.problem().is_none() {
            out.text(&format!("  {}", words::ACCOUNT_READING.say()))?;
        }
        for calendar in report.event_calendars.iter().filter(|one| one.is_for_free_time) {
            let name = if calendar.name.is_empty() {
                &calendar.id
            } else {
                &calendar.name
            };
            out.text(&format!("  {}", words::free_time_goes_to(name)))?;
        }
        if let Some(missing) = &report.missing_calendar {
            out.text(&format!("  {}", words::free_time_has_no_place(missing)))?;
        }
        if let Some((says, todo)) = failing(report) {
            out.text(&format!("  {says}"))?;
            out.text(&format!("  {}", say!("cli-source-to-do", todo)))?;
        }
    }
    Ok(if is_failing {
        CommandExit::Bad
    } else {
        CommandExit::Ok
    })
}
