//! `aura` alone, and `aura open`: the service runs, and its page is open.
//!
//! What: starts the service where none runs, detached from this terminal, opens the browser, and says how things stand and what is next.
//! Why: one word is enough for a person who wants to use Aura. Not here: what a first start makes (`first_start`), which browser (`browser`), the
//! service itself (`run`).

use super::{
    args::{DataDir, FormatArgs, HomeFileArg},
    browser::{self, BrowserChoice},
    device::show_picture,
    error::CliError,
    exit::CommandExit,
    first_start,
    line::in_line,
    out::CommandOutput,
    run::PORT,
    service::{ask, unexpected},
    start::told_error,
    unlock_page::{self, TypedKey},
};
use aura_platform::user_folders;
use aura_runtime::{
    config::HomeConfig,
    control::{ControlReply, ControlRequest},
    devices::PairingInvitation,
};
use clap::Args;
use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{
        BufRead as _, BufReader, IsTerminal as _, Read as _, Seek as _, SeekFrom, Write as _, stdin, stdout,
    },
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};
use surfaces_base::language::{say, text};

/// How long a start may take; a passphrase may be asked for meanwhile.
const START_LIMIT: Duration = Duration::from_secs(150);

/// Where the service's log begins anew: 1 MiB.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// So much of the end of the log is looked through for why a start failed.
const LOG_END: u64 = 16 * 1024;

/// Start Aura where it does not run, and open its page
#[derive(Debug, Clone, Args)]
pub(crate) struct OpenArgs {
    #[command(flatten)]
    home: HomeFileArg,
    #[command(flatten)]
    data: DataDir,
    /// The loopback port of the page, where the service is started; 0 lets the system choose.
    #[arg(long, default_value_t = PORT, env = "AURA_PORT")]
    port: u16,
    /// Print the address in place of opening a browser
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// Whether this command started the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServiceStart {
    Now,
    Before,
}

/// Runs `aura open`.
///
/// # Errors
/// Configuration, data folder, port; a service that does not answer.
pub(crate) fn run(args: &OpenArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    // Another command may be starting it just now.
    let choice = if args.no_browser {
        BrowserChoice::NoScreen
    } else {
        let has_terminal = stdin().is_terminal() || stdout().is_terminal();
        BrowserChoice::from_environment(&|name| env::var_os(name), has_terminal)
    };
    let (start, invitation, is_shown) = in_line(|| match (invitation(&dir)?, &choice) {
        (Some(invitation), _) => Ok((ServiceStart::Before, invitation, false)),
        (None, BrowserChoice::Program(program)) => match args.data.awaited(&dir) {
            Some(awaited) => {
                let (args, folder) = (args.clone(), dir.clone());
                let start = move |typed: Option<TypedKey<'_>>| {
                    first_start::configure(&args.home)?;
                    start_service(&args, &folder, typed)
                };
                let invitation = unlock_page::start_from_page((&dir, awaited), program, start)?;
                Ok((ServiceStart::Now, invitation, true))
            }
            None => Ok((ServiceStart::Now, start(args, &dir)?, false)),
        },
        (None, _) => Ok((ServiceStart::Now, start(args, &dir)?, false)),
    })?;
    let address = invitation.address.text();
    let opened =
        is_shown || matches!(&choice, BrowserChoice::Program(program) if browser::open(program, address));
    if args.format.json {
        // In the browser the code is used up; who opens none needs it.
        let code = (!opened).then_some(&invitation.code);
        out.json(&serde_json::json!({
            "page": page_of(address),
            "pair": code,
            "data": dir,
            "started": start == ServiceStart::Now,
            "opened": opened,
        }))?;
    } else {
        tell(args, &dir, start, &invitation, opened, &choice, out)?;
    }
    Ok(CommandExit::Ok)
}

/// The address without what lets a browser in.
fn page_of(address: &str) -> &str {
    address.split("pair#").next().unwrap_or(address)
}

/// A code for the browser that is opened; `None`: no service runs.
fn invitation(dir: &Path) -> Result<Option<PairingInvitation>, CliError> {
    match ask(dir, &ControlRequest::Open)? {
        Some(ControlReply::Invitation(invitation)) => Ok(Some(invitation)),
        Some(other) => Err(unexpected(other)),
        None => Ok(None),
    }
}

/// Starts the service, and waits until its page can be opened.
///
/// # Errors
/// STORE-001 when another process works on the folder, one that starts the service for example.
fn start(args: &OpenArgs, dir: &Path) -> Result<PairingInvitation, CliError> {
    aura_memory::check_free(dir)?;
    // Here, where somebody can be told; the service opens the folder for itself.
    drop(first_start::prepare(&args.home, &args.data)?);
    start_service(args, dir, None)
}

/// The same for a folder that opens. `typed`: what it opens with, where nobody could be asked again.
fn start_service(
    args: &OpenArgs,
    dir: &Path,
    typed: Option<TypedKey<'_>>,
) -> Result<PairingInvitation, CliError> {
    let (log, mut written) = log()?;
    let begun = written.metadata()?.len();
    let mut command = Command::new(env::current_exe()?);
    if typed.is_some() {
        command.stdin(Stdio::piped());
    } else {
        command.stdin(Stdio::null());
    }
    let mut child = command
        .args(["run", "--detached", "--json", "--port", &args.port.to_string()])
        .arg("--home")
        .arg(std::path::absolute(args.home.path())?)
        .arg("--data")
        .arg(std::path::absolute(dir)?)
        .args(args.data.key_arguments())
        .args(typed.map_or(&[][..], TypedKey::arguments))
        // A service manager that started this command hears of this command.
        .env_remove("NOTIFY_SOCKET")
        .stdout(Stdio::piped())
        .stderr(written.try_clone()?)
        .spawn()?;
    if let Some((typed, mut input)) = typed.zip(child.stdin.take()) {
        // A child that has ended says why in its log.
        let _ = writeln!(input, "{}", typed.words());
    }
    if is_ready(&mut child)?
        && let Some(invitation) = invitation(dir)?
    {
        return Ok(invitation);
    }
    // It said why in its log, and ended. Another that was started at the same time may have been first.
    let exit = child.wait()?;
    aura_memory::check_free(dir)?;
    written.seek(SeekFrom::Start(
        begun.max(written.metadata()?.len().saturating_sub(LOG_END)),
    ))?;
    let mut end = Vec::new();
    written.take(LOG_END).read_to_end(&mut end)?;
    let end = String::from_utf8_lossy(&end);
    let said = end.lines().filter_map(told_error).next_back();
    let why = said.unwrap_or_else(|| say!("cli-open-not-started", log = log.display().to_string()));
    let code = exit.code().and_then(|code| u8::try_from(code).ok());
    Err(CliError::NotStarted {
        exit: CommandExit::from_code(code),
        why,
    })
}

/// Whether the service says that its page can be opened; false: it ended first.
fn is_ready(child: &mut Child) -> Result<bool, CliError> {
    let Some(output) = child.stdout.take() else {
        return Ok(false);
    };
    let (tell, told) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        // Whoever waited may have given up.
        let _ = tell.send(read.is_ok_and(|read| read > 0));
    })?;
    match told.recv_timeout(START_LIMIT) {
        Ok(ready) => Ok(ready),
        Err(RecvTimeoutError::Disconnected) => Ok(false),
        Err(RecvTimeoutError::Timeout) => Err(CliError::Busy(say!(
            "cli-open-not-within",
            seconds = START_LIMIT.as_secs()
        ))),
    }
}

/// Where the log is of a service that this command starts; `None`: nobody's home folder is known.
pub(super) fn log_file() -> Option<PathBuf> {
    Some(user_folders::state()?.join("aura/service.log"))
}

/// The log of a service that no terminal and no service manager reads, for its owner alone.
fn log() -> Result<(PathBuf, File), CliError> {
    let path = log_file().ok_or(CliError::NoDataFolder)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if fs::metadata(&path).is_ok_and(|meta| meta.len() > LOG_BYTES_MAX) {
        fs::rename(&path, path.with_extension("log.old"))?;
    }
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&path)?;
    Ok((path, file))
}

/// How things stand, and what is next.
fn tell(
    args: &OpenArgs,
    dir: &Path,
    start: ServiceStart,
    invitation: &PairingInvitation,
    opened: bool,
    choice: &BrowserChoice,
    out: &mut CommandOutput,
) -> Result<(), CliError> {
    let address = invitation.address.text();
    let page = page_of(address);
    out.text(&match (start, opened) {
        (ServiceStart::Now, true) => say!("cli-open-running-opened", page),
        (ServiceStart::Before, true) => say!("cli-open-already-opened", page),
        (ServiceStart::Now, false) => say!("cli-open-running", page),
        (ServiceStart::Before, false) => say!("cli-open-already", page),
    })?;
    if !opened {
        out.text(&say!("cli-open-once", address))?;
    }
    if *choice == BrowserChoice::Remote {
        out.text(&browser::over_ssh(page))?;
    }
    if !opened && let Some(outside) = &invitation.outside {
        out.text(&say!("cli-open-other-device", address = outside.text()))?;
        show_picture(outside.text(), out)?;
    } else if *choice == BrowserChoice::Remote
        && let Some(allow) = browser::for_another_device(&env::var("SSH_CONNECTION").unwrap_or_default())
    {
        out.text(&allow)?;
    }
    out.text(&next(args, dir)?)?;
    if start == ServiceStart::Now {
        out.text(text("cli-open-goes-on"))?;
    }
    Ok(())
}

/// What is next for its owner.
fn next(args: &OpenArgs, dir: &Path) -> Result<String, CliError> {
    // A configuration that cannot be read now is said by what reads it.
    let reads_nothing =
        HomeConfig::load(&args.home.path()).is_ok_and(|home| home.sources.paths().next().is_none());
    if reads_nothing {
        return Ok(text("cli-open-next-choose").to_owned());
    }
    let status = match ask(dir, &ControlRequest::Status)? {
        Some(ControlReply::Status(status)) => status,
        Some(_) | None => serde_json::Value::Null,
    };
    if status.get("paused_until").is_some_and(|until| !until.is_null()) {
        return Ok(text("cli-open-paused").to_owned());
    }
    let number = |name| status.get("ledger")?.get(name)?.as_u64();
    let left = number("free").zip(number("ceiling"));
    Ok(left.map_or_else(
        || text("cli-open-next-nothing").to_owned(),
        |(free, ceiling)| say!("cli-open-next-nothing-left", free, ceiling),
    ))
}
