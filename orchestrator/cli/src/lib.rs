//! The command line of `aura`.
//!
//! What: [`Cli`], and one file per command with a function `run`. Why: a command reads its arguments, asks the parts and
//! writes through [`out::CommandOutput`]; nothing is decided here. Not here: decisions, writing to the data folder.

mod acts;
mod agent;
mod agent_ask;
mod agent_new;
pub mod args;
mod ask;
mod browser;
mod catalogue;
mod clap_words;
mod clock;
mod demo_household;
mod device;
mod docs;
mod doctor;
pub mod error;
mod error_pages;
pub mod exit;
mod first_start;
mod gate;
mod help;
mod help_words;
mod import;
mod inbox;
mod init;
mod input;
mod keys;
mod lab;
mod learned;
mod ledger;
mod line;
mod logs;
mod mcp;
mod memory;
mod model;
mod moment;
mod moments;
mod mute;
mod names;
mod ntfy;
mod open;
pub mod out;
pub mod owner;
mod pause;
mod policy;
mod quarantine;
mod records;
mod reference;
mod replay;
mod rule;
pub mod run;
mod runs;
mod schema;
pub mod selftest;
mod service;
mod sign_in;
mod source;
pub mod start;
mod status;
mod sure;
pub mod temporary;
mod trace;
mod trace_ref;
mod unlock_page;
mod update;
mod whatif;
mod why;
pub mod worker;
mod workflow;

use acts::{HistoryArgs, UndoArgs};
use agent::AgentCommand;
use args::{CatalogueArgs, DoctorArgs, GateCommand, LedgerArgs, SchemaCommand, TraceCommand};
use ask::AskArgs;
use aura_runtime::host::owner_folders::OwnerName;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clock::ClockCommand;
use device::{DeviceCommand, PairArgs};
use docs::DocsArgs;
use error::CliError;
use exit::CommandExit;
use help::{CompletionsArgs, HelpArgs, ManualArgs};
use import::ImportArgs;
use inbox::InboxCommand;
use init::InitArgs;
use lab::LabArgs;
use learned::LearnedCommand;
use logs::LogsArgs;
use mcp::McpArgs;
use memory::MemoryCommand;
use model::ModelCommand;
use mute::MuteCommand;
use ntfy::NtfyCommand;
use open::OpenArgs;
use out::CommandOutput;
use owner::{HostArgs, OwnerSubcommand};
use pause::PauseArgs;
use policy::PolicyCommand;
use quarantine::args::QuarantineCommand;
use reference::ReferenceArgs;
use replay::ReplayArgs;
use rule::RuleCommand;
use run::{DemoArgs, RunArgs};
use selftest::SelftestCommand;
use service::{StatusArgs, StopArgs, TickCommandArgs};
use source::SourceCommand;
use start::CommandLine;
use std::{env, ffi::OsString, path::PathBuf};
use surfaces_base::{
    language::{Language, text},
    locale,
};
use update::UpdateCommand;
use worker::WorkerCommand;
use workflow::WorkflowCommand;

/// A quiet assistant on your own machine.
#[derive(Debug, Parser)]
#[command(
    name = "aura",
    version,
    about = "A quiet assistant on your own machine. Without a command: start it, and open its page",
    disable_help_subcommand = true,
    help_template = help::template()
)]
#[command(
    after_help = "`aura help COMMAND` says all of a command, `aura help CODE` what a code like STORE-004 means; `aura docs` shows all pages.\n\n\
        Exit codes: 0 ok, 1 the checked thing is bad, 2 usage, 3 configuration, 4 data folder, 5 a run waits for you, 70 bug, 75 try again."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    // Commands that start, ask or are the service.
    /// Start Aura where it does not run, and open its page; the same as no command
    Open(OpenArgs),
    /// Find your folders, ask, and write a first configuration
    Init(InitArgs),
    /// Read everything now: your sources, and further files once
    Import(ImportArgs),
    /// Serve your own folders until stopped
    Run(RunArgs),
    /// Serve the bundled household on its own day
    Demo(DemoArgs),
    /// Serve several owners until stopped, each under a host name of hers
    Host(HostArgs),
    /// The owners of a host
    #[command(subcommand)]
    Owner(OwnerSubcommand),
    /// Look now: one tick, and its trace
    Tick(TickCommandArgs),
    /// How the running service is
    Status(StatusArgs),
    /// End the running service
    Stop(StopArgs),
    /// What you had done in the last seven days
    History(HistoryArgs),
    /// Take one of your acts back; without an id the newest that can be
    Undo(UndoArgs),
    /// The end of the service's log
    Logs(LogsArgs),
    /// Quiet for a time: 2h, until 18:00, off, show
    Pause(PauseArgs),
    /// Whether this computer's clock is right
    #[command(subcommand)]
    Clock(ClockCommand),
    /// Tell Aura when not to
    #[command(subcommand)]
    Rule(RuleCommand),
    /// Which chats are muted; unmute one
    #[command(subcommand)]
    Mute(MuteCommand),
    /// For programs: propose something that the owner then confirms or not
    Ask(AskArgs),
    /// For programs that speak the Model Context Protocol: what the service answers, over standard input
    Mcp(McpArgs),
    /// What Comms learned from you; correct or unlearn it
    #[command(subcommand)]
    Learned(LearnedCommand),
    /// A code that lets a browser in
    Pair(PairArgs),
    /// Who may come in
    #[command(subcommand)]
    Device(DeviceCommand),
    /// The constants that Aura decides with
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Programs of yours that are agents
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Agents of yours, one after another or side by side
    #[command(subcommand)]
    Workflow(WorkflowCommand),
    /// Questions from workflow runs
    #[command(subcommand)]
    Inbox(InboxCommand),
    /// The language model: which there are, getting one, trying one
    #[command(subcommand)]
    Model(ModelCommand),
    /// Accounts on servers: calendars, mail, names and payments where they are
    #[command(subcommand)]
    Source(SourceCommand),
    /// Notifications through your own ntfy server
    #[command(subcommand)]
    Ntfy(NtfyCommand),
    /// Play a recorded day, or a data folder's journal, again
    Replay(ReplayArgs),
    /// Measure this build on this machine
    Bench(LabArgs),
    /// Try on this machine what Aura promises
    #[command(subcommand)]
    Selftest(SelftestCommand),
    // Commands that only look: they need no running service.
    /// What Aura decided, and why
    #[command(subcommand)]
    Trace(TraceCommand),
    /// What Aura keeps, and what you do with it
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// What was refused
    #[command(subcommand)]
    Quarantine(QuarantineCommand),
    /// Every tool that can be called
    Catalogue(CatalogueArgs),
    /// The gate that every tool call passes
    #[command(subcommand)]
    Gate(GateCommand),
    /// JSON Schemas: Aura's own, and instances held against any
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// The attention of a day: what was held, spent and given back
    Ledger(LedgerArgs),
    /// Check the installation and suggest fixes
    Doctor(DoctorArgs),
    /// The help of a command, or the page of a code
    Help(HelpArgs),
    /// Whether a release that you have is newer
    #[command(subcommand)]
    Update(UpdateCommand),
    /// All pages of the documentation, in your browser
    Docs(DocsArgs),
    // What packages are made of.
    /// Print what completes commands in a shell
    #[command(hide = true)]
    Completions(CompletionsArgs),
    /// Write a manual page for each command
    #[command(hide = true)]
    Manual(ManualArgs),
    /// Write the reference of the site
    #[command(hide = true)]
    Reference(ReferenceArgs),
    // Processes that Aura starts.
    /// A process that Aura starts for itself
    #[command(subcommand, hide = true)]
    Worker(WorkerCommand),
}

/// `--json` before the command stands behind it: every form takes it there.
fn json_behind_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_some_and(|first| first == "--json") {
        let json = arguments.remove(1);
        if arguments.len() == 1 {
            arguments.push("open".into());
        }
        let values = arguments.iter().position(|argument| argument == "--");
        arguments.insert(values.unwrap_or(arguments.len()), json);
    }
    arguments
}

/// `--owner NAME` before the command names her data folder and her configuration behind it: every command that has these flags is one of an owner
/// of a host. A name with a slash is her folder itself.
fn owner_behind_command(mut arguments: Vec<OsString>) -> Result<Vec<OsString>, clap::Error> {
    if arguments.get(1).is_none_or(|first| first != "--owner") {
        return Ok(arguments);
    }
    let usage = |why: &str| Cli::command().error(clap::error::ErrorKind::ValueValidation, why);
    let named: Vec<OsString> = arguments.drain(1..arguments.len().min(3)).collect();
    let folder = match named.get(1).and_then(|name| name.to_str()) {
        Some(name) if name.contains('/') => PathBuf::from(name),
        Some(name) => OwnerName::parse(name)
            .and_then(|name| Some(owner::default_owners()?.join(name.as_str())))
            .ok_or_else(|| usage(text("cli-common-owner-name")))?,
        None => return Err(usage(text("cli-common-owner-without-name"))),
    };
    if arguments.len() == 1 {
        arguments.push("open".into());
    }
    let mut command = Cli::command();
    for word in arguments.iter().skip(1).map_while(|word| word.to_str()) {
        match command.find_subcommand(word) {
            Some(found) => command = found.clone(),
            None => break,
        }
    }
    let flags = [("data", folder.clone()), ("home", folder.join("home.toml"))];
    let flags = flags.into_iter().filter(|(flag, _)| {
        command
            .get_arguments()
            .any(|argument| argument.get_id().as_str() == *flag)
    });
    let behind: Vec<OsString> = flags
        .flat_map(|(flag, path)| [OsString::from(format!("--{flag}")), path.into_os_string()])
        .collect();
    if behind.is_empty() {
        return Err(usage(text("cli-common-owner-of-none")));
    }
    let values = arguments.iter().position(|argument| argument == "--");
    let at = values.unwrap_or(arguments.len());
    arguments.splice(at..at, behind);
    Ok(arguments)
}

impl CommandLine for Cli {
    const SPEAKS_LANGUAGES: bool = true;

    fn translated(command: clap::Command) -> clap::Command {
        help_words::translated_command(command)
    }

    fn read() -> Result<Self, clap::Error> {
        if env::args_os().nth(1).is_none_or(|first| first != "worker") {
            return Self::read_words(owner_behind_command(json_behind_command(
                env::args_os().collect(),
            ))?);
        }
        // A child is started often and waited for: it does not build all of the command line to read its own.
        let worker = WorkerCommand::augment_subcommands(clap::Command::new("aura").bin_name("aura worker"))
            .subcommand_required(true)
            .arg_required_else_help(true);
        let matches = worker.try_get_matches_from(env::args_os().skip(1))?;
        let command = WorkerCommand::from_arg_matches(&matches)?;
        Ok(Self {
            command: Some(Command::Worker(command)),
        })
    }

    fn unlogged_below(&self) -> Option<PathBuf> {
        if let Some(Command::Host(args)) = &self.command {
            return args.owners.path();
        }
        None
    }

    fn log_level(&self) -> &'static str {
        let Some(command) = &self.command else {
            return "warn";
        };
        match command {
            Command::Run(_) | Command::Demo(_) | Command::Host(_) => "info",
            Command::Open(_)
            | Command::Init(_)
            | Command::Import(_)
            | Command::Owner(_)
            | Command::Tick(_)
            | Command::Status(_)
            | Command::Stop(_)
            | Command::History(_)
            | Command::Undo(_)
            | Command::Logs(_)
            | Command::Pause(_)
            | Command::Clock(_)
            | Command::Rule(_)
            | Command::Mute(_)
            | Command::Ask(_)
            | Command::Mcp(_)
            | Command::Learned(_)
            | Command::Pair(_)
            | Command::Device(_)
            | Command::Policy(_)
            | Command::Agent(_)
            | Command::Workflow(_)
            | Command::Inbox(_)
            | Command::Model(_)
            | Command::Ntfy(_)
            | Command::Source(_)
            | Command::Replay(_)
            | Command::Bench(_)
            | Command::Selftest(_)
            | Command::Trace(_)
            | Command::Memory(_)
            | Command::Quarantine(_)
            | Command::Catalogue(_)
            | Command::Gate(_)
            | Command::Schema(_)
            | Command::Ledger(_)
            | Command::Doctor(_)
            | Command::Help(_)
            | Command::Docs(_)
            | Command::Update(_)
            | Command::Completions(_)
            | Command::Manual(_)
            | Command::Reference(_)
            | Command::Worker(_) => "warn",
        }
    }

    fn run(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let Some(command) = &self.command else {
            return match Self::read_words(vec!["aura".into(), "open".into()]) {
                Ok(Self { command: Some(open) }) => open.run(out),
                // The environment alone speaks there: `AURA_PORT`.
                Ok(_) => Err(CliError::Bug("no command")),
                Err(error) => Err(CliError::Usage(error.to_string())),
            };
        };
        command.run(out)
    }
}

impl Command {
    fn run(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        match self {
            Command::Open(args) => open::run(args, out),
            Command::Init(args) => init::run(args, out),
            Command::Import(args) => import::run(args, out),
            Command::Run(args) => run::run(args, out),
            Command::Demo(args) => run::demo(args, out),
            Command::Host(args) => owner::host(args, out),
            Command::Owner(command) => owner::run(command, out),
            Command::Tick(args) => service::tick(args, out),
            Command::Status(args) => service::status(args, out),
            Command::Stop(args) => service::stop(args, out),
            Command::History(args) => acts::history(args, out),
            Command::Undo(args) => acts::undo(args, out),
            Command::Logs(args) => logs::run(args, out),
            Command::Pause(args) => pause::run(args, out),
            Command::Clock(command) => clock::run(command, out),
            Command::Rule(command) => rule::run(command, out),
            Command::Mute(command) => mute::run(command, out),
            Command::Ask(args) => ask::run(args, out),
            Command::Mcp(args) => mcp::run(args),
            Command::Learned(command) => learned::run(command, out),
            Command::Pair(args) => device::pair(args, out),
            Command::Device(command) => device::run(command, out),
            Command::Policy(command) => policy::run(command, out),
            Command::Agent(command) => agent::run(command, out),
            Command::Workflow(command) => workflow::run(command, out),
            Command::Inbox(command) => inbox::run(command, out),
            Command::Model(command) => model::run(command, out),
            Command::Ntfy(command) => ntfy::run(command, out),
            Command::Source(command) => source::run(command, out),
            Command::Replay(args) => replay::run(args, out),
            Command::Bench(args) => args.run(&["bench"]),
            Command::Selftest(command) => selftest::run(command, out),
            Command::Trace(command) => trace::run(command, out),
            Command::Memory(command) => memory::run(command, out),
            Command::Quarantine(command) => quarantine::run(command, out),
            Command::Catalogue(args) => catalogue::run(args, out),
            Command::Gate(GateCommand::Check(args)) => gate::run(args, out),
            Command::Schema(command) => schema::run(command, out),
            Command::Ledger(args) => ledger::run(args, out),
            Command::Doctor(args) => doctor::run(args, out),
            Command::Help(args) => help::run(args, out),
            Command::Docs(args) => docs::run(args, out),
            Command::Update(command) => update::run(command, out),
            Command::Completions(args) => help::completions(args, out),
            Command::Manual(args) => locale::speaking(Language::English, || help::manual(args)),
            Command::Reference(args) => locale::speaking(Language::English, || reference::run(args)),
            // Another process of ours reads what it says.
            Command::Worker(command) => locale::speaking(Language::English, || worker::run(command, out)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_has_no_contradiction() {
        Cli::command().debug_assert();
    }

    #[test]
    fn json_may_be_said_before_the_command() {
        for (typed, read) in [
            ("aura --json status", "aura status --json"),
            ("aura --json", "aura open --json"),
            (
                "aura --json memory stats --data d",
                "aura memory stats --data d --json",
            ),
            (
                "aura --json worker exec -- sh --json",
                "aura worker exec --json -- sh --json",
            ),
            ("aura status", "aura status"),
            ("aura", "aura"),
        ] {
            let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
            assert_eq!(json_behind_command(words(typed)), words(read));
        }
    }

    #[test]
    fn an_owners_folder_is_named_behind_the_command() {
        for (typed, read) in [
            (
                "aura --owner /o/asha status --json",
                "aura status --json --data /o/asha --home /o/asha/home.toml",
            ),
            (
                "aura --owner /o/asha memory stats",
                "aura memory stats --data /o/asha --home /o/asha/home.toml",
            ),
            (
                "aura --owner /o/asha",
                "aura open --data /o/asha --home /o/asha/home.toml",
            ),
            ("aura status", "aura status"),
        ] {
            let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
            let mut read = words(read);
            let mut typed = owner_behind_command(words(typed)).unwrap();
            // Whether a command has both flags is its own matter.
            read.retain(|word| typed.contains(word));
            typed.retain(|word| read.contains(word));
            assert_eq!(typed, read);
            assert_eq!(read.contains(&"/o/asha".into()), typed.len() > 2);
        }
        let refused = |text: &str| {
            let words = text.split(' ').map(OsString::from).collect();
            owner_behind_command(words).is_err()
        };
        for text in [
            "aura --owner",
            "aura --owner Asha status",
            "aura --owner asha host",
            "aura --owner asha schema list",
        ] {
            assert!(refused(text), "{text}");
        }
    }

    #[test]
    fn every_command_is_in_the_manual() {
        let manual = include_str!("../../../docs/cli.md");
        let mut names = Vec::new();
        for command in Cli::command().get_subcommands() {
            let below: Vec<String> = command
                .get_subcommands()
                .map(|c| format!("aura {} {}", command.get_name(), c.get_name()))
                .collect();
            names.extend(if below.is_empty() {
                vec![format!("aura {}", command.get_name())]
            } else {
                below
            });
        }
        let missing: Vec<_> = names
            .iter()
            .filter(|name| !manual.contains(&format!("`{name}")))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
