//! From the process's start to its exit code.
//!
//! What: [`start`]. Why: one place turns errors and panics into exit codes and sends logs to the standard error. Not here:
//! the commands.

use super::{
    clap_words::{help_in_words, refusal_in_words},
    error::CliError,
    error_pages,
    exit::CommandExit,
    out::CommandOutput,
};
use clap::{Parser, builder::Resettable};
use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    env,
    ffi::{OsStr, OsString},
    io::{self, IsTerminal as _, Write as _},
    panic::{AssertUnwindSafe, PanicHookInfo},
    path::{Path, PathBuf},
    process::ExitCode,
};
use surfaces_base::{
    language::{Language, say, spoken},
    locale,
    visible::{json_visible, visible},
};
use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, filter::filter_fn, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// The command line of a program.
pub trait CommandLine: Parser {
    /// Reads the arguments of this process.
    ///
    /// # Errors
    /// What is wrong with them, or the help that they ask for.
    fn read() -> Result<Self, clap::Error> {
        Self::read_words(env::args_os().collect())
    }

    /// Reads these arguments, and the variables that stand for some.
    ///
    /// # Errors
    /// What is wrong with them, or the help that they ask for.
    fn read_words(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut command = without_empty_variables(Self::command());
        let read = match command.try_get_matches_from_mut(words.clone()) {
            Ok(mut matches) => {
                Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
            }
            Err(error) => Err(error),
        };
        // Only who is shown help or a refusal waits for the help in another language.
        read.map_err(|error| match spoken() {
            Language::English => error,
            Language::German => {
                let command = without_empty_variables(Self::translated(Self::command()));
                command.try_get_matches_from(words).err().unwrap_or(error)
            }
        })
    }

    /// Whether it speaks other languages than English.
    const SPEAKS_LANGUAGES: bool = false;

    /// The command with its help in the language that is spoken: to be shown, not to be read by.
    fn translated(command: clap::Command) -> clap::Command {
        command
    }

    /// The folder whose folders' names stand in no log line: those of a host's owners.
    fn unlogged_below(&self) -> Option<PathBuf> {
        None
    }

    /// The least severe log lines that are shown when `AURA_LOG` says nothing.
    fn log_level(&self) -> &'static str;

    /// Does what it says.
    ///
    /// # Errors
    /// [`CliError`], whose exit code the process ends with.
    fn run(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError>;
}

/// A variable that is empty counts as not set.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |name: &OsStr| env::var_os(name).is_some_and(|value| value.is_empty());
    command
        .mut_args(|arg| {
            if arg.get_env().is_some_and(is_empty) {
                arg.env(Resettable::Reset)
            } else {
                arg
            }
        })
        .mut_subcommands(without_empty_variables)
}

/// Reads the command line and does what it says, in the language of the process's locale.
pub fn start<C: CommandLine>() -> ExitCode {
    let form = ErrorForm::from_arguments(env::args_os());
    let system = locale::of_process().filter(|_| C::SPEAKS_LANGUAGES);
    let language = form.language(system.as_deref());
    locale::speaking(language, || read_and_run::<C>(form))
}

fn read_and_run<C: CommandLine>(form: ErrorForm) -> ExitCode {
    let cli = match C::read() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, form),
    };
    let filter = EnvFilter::try_from_env("AURA_LOG").unwrap_or_else(|_| EnvFilter::new(cli.log_level()));
    let logs = tracing_subscriber::registry()
        .with(filter)
        .with(filter_fn(may_be_logged));
    let below = cli.unlogged_below().and_then(|dir| std::path::absolute(dir).ok());
    let writer = move || NamelessLog::new(below.as_deref());
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let format = std::env::var("AURA_LOG_FORMAT").unwrap_or_default();
    if format == "json" {
        logs.with(lines.json().with_span_list(false)).init();
    } else {
        logs.with(lines.with_ansi(std::io::stderr().is_terminal())).init();
        if !matches!(format.as_str(), "" | "text") {
            tracing::warn!("AURA_LOG_FORMAT is neither json nor text: logs are text");
        }
    }
    if let Err(error) = no_core_dumps() {
        tracing::warn!(%error, "a crash may leave a copy of this process's memory, with the folder's key in it");
    }
    std::panic::set_hook(Box::new(tell_panic));
    let mut out = CommandOutput::stdout();
    let done = std::panic::catch_unwind(AssertUnwindSafe(|| -> Result<CommandExit, CliError> {
        let exit = cli.run(&mut out)?;
        out.explain_code()?;
        Ok(exit)
    }));
    match done {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(error)) => {
            if error.exit() != CommandExit::Ok {
                tell(&form.render(&error.with_causes(), error.exit().code()));
            }
            error.exit().into()
        }
        Err(_) => CommandExit::Bug.into(),
    }
}

/// The standard error, with the names of folders below one folder taken out: who is served is not in a log.
struct NamelessLog {
    below: Option<String>,
}

impl NamelessLog {
    fn new(below: Option<&Path>) -> Self {
        let below = below.and_then(Path::to_str);
        Self {
            below: below.map(|below| format!("{}/", below.trim_end_matches('/'))),
        }
    }

    fn without_names<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let Some(below) = self.below.as_deref().filter(|below| line.contains(*below)) else {
            return Cow::Borrowed(line);
        };
        let mut parts = line.split(below);
        let mut kept = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let named = part
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
                .unwrap_or(part.len());
            kept.push_str(below);
            kept.push('*');
            kept.push_str(part.get(named..).unwrap_or_default());
        }
        Cow::Owned(kept)
    }
}

impl io::Write for NamelessLog {
    // A line comes whole.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(line) {
            Ok(text) => io::stderr().write_all(self.without_names(text).as_bytes())?,
            Err(_) => io::stderr().write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Our own crates: their lines hold no text from outside.
const OURS: [&str; 15] = [
    "agents",
    "aura",
    "aura_cli",
    "aura_days",
    "aura_doors",
    "aura_lab",
    "aura_memory",
    "aura_platform",
    "aura_process",
    "aura_runtime",
    "aura_workflow",
    "llm_runtime",
    "orchestrator_machine",
    "surfaces",
    "toolcall_schema",
];

/// What others write below INFO names files, addresses and headers, whatever the owner asks for; what `rmcp` writes is what a program sent.
fn may_be_logged(line: &Metadata<'_>) -> bool {
    let name = line.target().split("::").next().unwrap_or_default();
    OURS.contains(&name) || (*line.level() <= Level::INFO && name != "rmcp")
}

/// For whom errors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorForm {
    /// A line in a log, or for a program that reads text.
    Line,
    /// Who sits before a terminal is told where more stands.
    Terminal,
    Json,
}

impl ErrorForm {
    /// A command line that cannot be read may still say that JSON is wanted.
    fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut before_values = arguments.into_iter().take_while(|argument| argument != "--");
        if before_values.any(|argument| argument == "--json") {
            ErrorForm::Json
        } else if io::stderr().is_terminal() {
            ErrorForm::Terminal
        } else {
            ErrorForm::Line
        }
    }

    /// What a command speaks to its reader: JSON is the same in every language.
    fn language(self, system: Option<&str>) -> Language {
        match self {
            ErrorForm::Json => Language::English,
            ErrorForm::Line | ErrorForm::Terminal => system.and_then(Language::of_tag).unwrap_or_default(),
        }
    }

    /// An error of ours as it is told.
    fn render(self, why: &str, exit: u8) -> String {
        let code = error_pages::code_in(why);
        let help = code.map(|code| format!("aura help {code}"));
        match (self, help) {
            (ErrorForm::Json, help) => {
                let told = json!({ "error": { "code": code, "exit": exit, "help": help, "message": why } });
                json_visible(&told.to_string()).into_owned()
            }
            (ErrorForm::Terminal, Some(help)) => {
                let page = say!("cli-common-page-of-error", help);
                format!("aura: {why}\n{}{page}", in_words(why, code))
            }
            (ErrorForm::Terminal | ErrorForm::Line, _) => format!("aura: {why}\n{}", in_words(why, code))
                .trim_end()
                .to_owned(),
        }
    }
}

/// What the code of an error means and what to do, a line in another language than English; the error's own sentence is English. A code that a sentence
/// only names is not its own.
fn in_words(why: &str, code: Option<&str>) -> String {
    let is_own = |code: &&str| {
        let begins = why.lines().any(|line| {
            let rest = line.strip_prefix(*code);
            rest.is_some_and(|rest| rest.starts_with([':', ' ']))
        });
        begins || why.contains(&format!("{code}:"))
    };
    let own = code.filter(is_own);
    let said = own.and_then(error_pages::in_words);
    said.map(|said| format!("{said}\n")).unwrap_or_default()
}

/// What a line of another process of ours told as an error in JSON.
pub(super) fn told_error(line: &str) -> Option<String> {
    let told: Value = serde_json::from_str(line).ok()?;
    Some(told.get("error")?.get("message")?.as_str()?.to_owned())
}

/// Help and version as they are, on the standard output; of a usage error every line made harmless to look at, because it repeats
/// what was typed, or pasted.
fn refuse(error: &clap::Error, form: ErrorForm) -> ExitCode {
    if error.use_stderr() {
        let text = refusal_in_words(error);
        if form == ErrorForm::Json {
            let why = text.trim().trim_start_matches("error: ");
            tell(&form.render(why, CommandExit::Usage.code()));
        } else {
            tell(&text);
        }
    } else {
        // With the standard output gone nobody reads it.
        let _ = match spoken() {
            Language::English => error.print().map_err(CliError::from),
            Language::German => CommandOutput::stdout().write_styled(&help_in_words(&error.render())),
        };
    }
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// What a crash leaves behind must not hold a key: neither a file nor what a handler of the system's would be given.
fn no_core_dumps() -> std::io::Result<()> {
    let limit = getrlimit(Resource::Core);
    setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum: limit.maximum,
        },
    )?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Where it happened, never the message: a panic's message may quote text from outside.
fn tell_panic(info: &PanicHookInfo<'_>) {
    let place = info
        .location()
        .map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
    let thread = std::thread::current();
    tracing::error!(
        at = place,
        thread = thread.name().unwrap_or("unnamed"),
        "a part of aura panicked: this is a bug"
    );
}

fn tell(text: &str) {
    for line in text.lines() {
        // With the standard error gone there is nowhere left to say so.
        let _ = writeln!(std::io::stderr(), "{}", visible(line));
    }
}

#[cfg(test)]
mod in_german;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hosts_log_has_no_name_of_an_owners_folder() {
        let log = NamelessLog::new(Some(Path::new("/srv/owners/")));
        for (line, kept) in [
            (
                "STORE-007: /srv/owners/asha/aura.db: full",
                "STORE-007: /srv/owners/*/aura.db: full",
            ),
            (
                "/srv/owners/asha, /srv/owners/jonas-2",
                "/srv/owners/*, /srv/owners/*",
            ),
            ("/srv/owners", "/srv/owners"),
            ("/srv/other/asha", "/srv/other/asha"),
        ] {
            assert_eq!(log.without_names(line), kept);
        }
        assert_eq!(
            NamelessLog::new(None).without_names("/srv/owners/asha"),
            "/srv/owners/asha"
        );
    }
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::layer::{Context, Layer};

    /// The targets of the lines that came through.
    #[derive(Clone, Default)]
    struct Seen(Arc<Mutex<Vec<String>>>);

    impl<S: tracing::Subscriber> Layer<S> for Seen {
        fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
            let target = event.metadata().target();
            self.0
                .lock()
                .unwrap()
                .push(format!("{target} {}", event.metadata().level()));
        }
    }

    #[test]
    fn error_is_json_where_json_was_asked_for_and_names_its_page_to_a_person() {
        let form = |arguments: &[&str]| ErrorForm::from_arguments(arguments.iter().map(OsString::from));
        assert_eq!(form(&["aura", "trace", "list", "--json"]), ErrorForm::Json);
        assert_ne!(form(&["aura", "ask", "--", "--json"]), ErrorForm::Json);
        assert_eq!(ErrorForm::Json.language(Some("de_DE.UTF-8")), Language::English);
        for (system, language) in [
            (Some("de_AT.UTF-8"), Language::German),
            (Some("C.UTF-8"), Language::English),
            (None, Language::English),
        ] {
            assert_eq!(ErrorForm::Line.language(system), language);
        }
        let why = "STORE-004: no store in \"d\"";
        assert_eq!(
            ErrorForm::Line.render(why, 4),
            "aura: STORE-004: no store in \"d\""
        );
        assert_eq!(
            ErrorForm::Terminal.render(why, 4),
            "aura: STORE-004: no store in \"d\"\n`aura help STORE-004` says what that means and what to do."
        );
        assert_eq!(ErrorForm::Terminal.render("no code", 2), "aura: no code");
        let german = |why| locale::speaking(Language::German, || ErrorForm::Line.render(why, 4));
        assert_eq!(german(why).lines().count(), 2);
        let german_of_gate = german("GATE-009 at \"/args\": not an object");
        assert_eq!(german_of_gate.lines().count(), 2, "{german_of_gate}");
        assert_eq!(
            german("nearest is STORE-009 here"),
            "aura: nearest is STORE-009 here"
        );
        let json = ErrorForm::Json.render(why, 4);
        assert_eq!(
            json,
            r#"{"error":{"code":"STORE-004","exit":4,"help":"aura help STORE-004","message":"STORE-004: no store in \"d\""}}"#
        );
        assert_eq!(told_error(&json).as_deref(), Some(why));
        for line in ["", "aura: no", "{\"error\":1}", "{}"] {
            assert_eq!(told_error(line), None, "{line}");
        }
        let two_lines = ErrorForm::Json.render("a\n\u{202e}b", 2);
        assert!(!two_lines.contains('\n'), "{two_lines}");
    }

    #[test]
    fn what_others_write_below_info_is_in_no_log() {
        let seen = Seen::default();
        let logs = tracing_subscriber::registry()
            .with(EnvFilter::new("trace"))
            .with(filter_fn(may_be_logged))
            .with(seen.clone());
        tracing::subscriber::with_default(logs, || {
            tracing::trace!(target: "notify::inotify", "add watch: the name of a file");
            tracing::debug!(target: "ureq", "an address");
            tracing::info!(target: "actix", "something happened");
            tracing::error!(target: "rmcp::service", "what a program sent");
            tracing::trace!(target: "aura_runtime::watch", "ours");
            tracing::trace!(target: "orchestrator_elsewhere", "not ours");
        });
        assert_eq!(
            *seen.0.lock().unwrap(),
            ["actix INFO", "aura_runtime::watch TRACE"]
        );
    }
}
