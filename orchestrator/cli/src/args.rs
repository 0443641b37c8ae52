//! The arguments of the commands.
//!
//! What: one struct a command, for clap. Why: the whole command line in one file, checked by clap's own test. Not here:
//! what a command does (its file beside this one).

#![expect(
    clippy::doc_markdown,
    reason = "clap prints these comments as help, where backquotes would stand as they are"
)]

use super::{
    error::CliError,
    keys::{KeyArgs, TerminalKeyPrompt},
    trace_ref::TraceRef,
};
use aura_memory::{StoreError, Vault};
use aura_platform::user_folders;
use chrono::NaiveDate;
use clap::{
    Args, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};
use surfaces::web::AwaitedKey;
use surfaces_base::language::{say, text};
use toolcall_schema::{Timestamp, ToolName, validate::Draft};

/// One of a closed vocabulary, by its name; the help lists them all.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    help: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let listed = all
        .iter()
        .map(|value| PossibleValue::new(name(*value)).help(help(*value)));
    PossibleValuesParser::new(listed).try_map(move |text| {
        let found = all.iter().copied().find(|value| name(*value) == text);
        found.ok_or(surfaces_base::language::text("cli-common-no-such-name"))
    })
}

/// Which data folder.
#[derive(Debug, Clone, Args)]
pub struct DataDir {
    /// The data folder [default: $XDG_DATA_HOME/aura, else ~/.local/share/aura]
    #[arg(long, value_name = "DIR", env = "AURA_DATA", hide_env_values = true)]
    data: Option<PathBuf>,
    #[command(flatten)]
    key: KeyArgs,
}

impl DataDir {
    /// The folder that is meant; it need not be there.
    ///
    /// # Errors
    /// [`CliError::NoDataFolder`] when neither flag nor environment names one.
    pub fn path(&self) -> Result<PathBuf, CliError> {
        // An empty variable says nothing, as everywhere in a shell.
        let named = self.data.clone().filter(|dir| !dir.as_os_str().is_empty());
        named
            .or_else(|| Some(user_folders::data()?.join("aura")))
            .ok_or(CliError::NoDataFolder)
    }

    /// Whether a flag or the environment names it.
    pub fn is_named(&self) -> bool {
        self.data.as_ref().is_some_and(|dir| !dir.as_os_str().is_empty())
    }

    /// The folder with its key; it must be there.
    ///
    /// # Errors
    /// [`CliError::NoDataFolder`]; as [`Vault::open`].
    pub fn vault(&self) -> Result<Vault, CliError> {
        self.key.open(&self.path()?)
    }

    /// What the folder waits for, where nobody sits at a terminal.
    pub(super) fn awaited(&self, dir: &Path) -> Option<AwaitedKey> {
        self.key.awaited(dir)
    }

    /// Who is asked for the folder's key.
    pub(super) fn asking(&self) -> TerminalKeyPrompt {
        self.key.asking(text("cli-common-passphrase"))
    }

    /// The same, `None` where no folder was made yet.
    ///
    /// # Errors
    /// As [`Self::vault`].
    pub(crate) fn vault_if_any(&self) -> Result<Option<Vault>, CliError> {
        match self.vault() {
            Err(CliError::Store(StoreError::Missing { .. })) => Ok(None),
            vault => vault.map(Some),
        }
    }

    /// The same, made when it is not there.
    ///
    /// # Errors
    /// As [`Self::vault`]; STORE-015 when nobody said where its key is to be kept.
    pub(crate) fn vault_or_new(&self) -> Result<Vault, CliError> {
        self.key.open_or_new(&self.path()?)
    }

    /// The same for a first start: a new folder's key is kept in `file` where no keyring answers.
    ///
    /// # Errors
    /// As [`Self::vault`].
    pub(super) fn vault_or_first(&self, file: &Path) -> Result<Vault, CliError> {
        self.key.open_or_first(&self.path()?, file)
    }

    /// How the folder's key is come by, for another process on this machine.
    pub(super) fn key_arguments(&self) -> Vec<OsString> {
        self.key.arguments()
    }
}

/// Which configuration.
#[derive(Debug, Clone, Args)]
pub struct HomeFileArg {
    /// The configuration [default: $XDG_CONFIG_HOME/aura/home.toml, else ~/.config/aura/home.toml]
    #[arg(long, value_name = "FILE", env = "AURA_HOME", hide_env_values = true)]
    home: Option<PathBuf>,
}

impl HomeFileArg {
    /// The file that was named.
    pub fn named(&self) -> Option<&Path> {
        self.home.as_deref().filter(|file| !file.as_os_str().is_empty())
    }

    /// The file that is meant; it need not be there. Without any environment: `home.toml` in the working folder.
    pub fn path(&self) -> PathBuf {
        let default = || {
            user_folders::config().map_or_else(|| "home.toml".into(), |folder| folder.join("aura/home.toml"))
        };
        self.named().map_or_else(default, Path::to_owned)
    }
}

/// Whether a machine reads the answer.
#[derive(Debug, Clone, Copy, Args)]
pub struct FormatArgs {
    /// Print JSON: one document, or one a line
    #[arg(long)]
    pub json: bool,
}

/// `aura trace`
#[derive(Debug, Clone, Subcommand)]
pub enum TraceCommand {
    /// The newest decisions, the silent ones too
    List(TraceListArgs),
    /// One decision: why now, what Aura saw, considered and chose, what you can do
    Show(TraceShowArgs),
    /// Why Aura spoke or stayed silent: which cap or score, by how much, and when it could speak next
    Why(TraceWhyArgs),
}

/// `aura trace list`
#[derive(Debug, Clone, Args)]
pub struct TraceListArgs {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
    /// Only those of one local day
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub day: Option<NaiveDate>,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura trace show`
#[derive(Debug, Clone, Args)]
pub struct TraceShowArgs {
    /// The trace's id, as `aura trace list` prints it, the beginning of it, or `last`
    #[arg(value_parser = TraceRef::parse)]
    pub(crate) id: TraceRef,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura trace why`
#[derive(Debug, Clone, Args)]
pub struct TraceWhyArgs {
    /// The trace's id, as `aura trace list` prints it, the beginning of it, or `last`
    #[arg(value_parser = TraceRef::parse, required_unless_present = "at", conflicts_with = "at")]
    pub(crate) id: Option<TraceRef>,
    /// The last decision up to a time: RFC 3339, or local as `2026-11-03 08:15`, or `08:15` on the newest day
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura catalogue`
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CatalogueArgs {
    /// Accept this build's catalogue.
    #[command(subcommand)]
    pub accept: Option<CatalogueCommand>,
    /// One tool in full: its schemas, examples and private leaves
    #[arg(value_parser = tool_name, conflicts_with_all = ["diff", "lock"])]
    pub tool: Option<ToolName>,
    /// What changed since an older catalogue.lock or output of --json; exit code 1 when something has to be accepted
    #[arg(long, value_name = "OLD", conflicts_with = "lock")]
    pub diff: Option<PathBuf>,
    /// Print the lock: each tool's columns with the hashes of its words and schemas
    #[arg(long)]
    pub lock: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

fn tool_name(tool: &str) -> Result<ToolName, &'static str> {
    ToolName::parse(tool).ok_or(text("cli-common-no-tool"))
}

/// `aura catalogue accept`
#[derive(Debug, Clone, Subcommand)]
pub enum CatalogueCommand {
    /// Accept this build's catalogue for a data folder even though tools were removed or changed
    Accept(CatalogueAcceptArgs),
}

/// `aura catalogue accept`
#[derive(Debug, Clone, Args)]
pub struct CatalogueAcceptArgs {
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura gate`
#[derive(Debug, Clone, Subcommand)]
pub enum GateCommand {
    /// Check calls as the gate would: one verdict each, exit code 1 when any is refused
    Check(GateCheckArgs),
}

/// `aura gate check`
#[derive(Debug, Clone, Args)]
pub struct GateCheckArgs {
    /// Each file is one call; otherwise each line is one
    #[arg(long)]
    pub raw: bool,
    /// Check the deadline too, as of this time (RFC 3339); without it that step is skipped
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse)]
    pub now: Option<Timestamp>,
    /// Files with calls; `-` is the standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura schema`
#[derive(Debug, Clone, Subcommand)]
pub enum SchemaCommand {
    /// Hold an instance against a JSON Schema: every fault with its place, exit code 1 when there is any
    Validate(SchemaValidateArgs),
    /// The schemas of Aura
    List(SchemaListArgs),
    /// One of them, as it is published
    Show(SchemaShowArgs),
}

/// `aura schema validate`
#[derive(Debug, Clone, Args)]
pub struct SchemaValidateArgs {
    /// The draft, whatever the schema says [default: what `$schema` says, else 2020-12]
    #[arg(long, value_name = "DRAFT", value_parser = draft)]
    pub draft: Option<Draft>,
    /// A text that does not have its `format` is a fault
    #[arg(long)]
    pub assert_format: bool,
    /// A file, or the name of one of Aura's schemas; `-` alone: each line of the standard input is {"schema": …, "instance": …}
    #[arg(value_name = "SCHEMA")]
    pub schema: PathBuf,
    /// A file with one document; `-` is the standard input
    #[arg(value_name = "INSTANCE")]
    pub instance: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatArgs,
}

fn draft(named: &str) -> Result<Draft, String> {
    let names = || {
        Draft::ALL
            .iter()
            .map(|draft| draft.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    Draft::parse(named).ok_or_else(|| say!("cli-common-one-of", names = names()))
}

/// `aura schema list`
#[derive(Debug, Clone, Args)]
pub struct SchemaListArgs {
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura schema show`
#[derive(Debug, Clone, Args)]
pub struct SchemaShowArgs {
    /// Its name or address, as `aura schema list` prints them
    pub name: String,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura ledger`
#[derive(Debug, Clone, Args)]
pub struct LedgerArgs {
    /// Which local day [default: that of the newest decision]
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub day: Option<NaiveDate>,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura doctor`
#[derive(Debug, Clone, Args)]
pub struct DoctorArgs {
    /// Ask your ntfy server, your push services and your collector whether they are there, too
    #[arg(long)]
    pub online: bool,
    /// Which configuration.
    #[command(flatten)]
    pub home: HomeFileArg,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}
