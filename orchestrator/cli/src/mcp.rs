//! `aura mcp`: other people's programs that speak the Model Context Protocol over standard input.
//!
//! What: finds the token of a device and carries messages between the program that started this process and the running service. Why: most
//! clients start a program rather than open an address. It opens no data folder, has no key and does not know the control socket: what it
//! may is what the token may. Not here: the protocol (`aura_doors::mcp`).

use super::{
    error::{CliError, of_output},
    exit::CommandExit,
    run::PORT,
};
use aura_doors::mcp::stdio::{McpService, carry};
use clap::Args;
use std::{
    env, fs,
    io::Read as _,
    path::{Path, PathBuf},
};
use surfaces_base::language::say;
use tokio::io::{BufReader, stdin, stdout};

/// The variable that holds a token where no file does.
const TOKEN_VARIABLE: &str = "AURA_DEVICE_TOKEN";
/// Bytes of a file that holds a token.
const TOKEN_BYTES_MAX: u64 = 1024;

/// `aura mcp`
#[derive(Debug, Clone, Args)]
pub(crate) struct McpArgs {
    /// The running service's address [default: `http://127.0.0.1:7878/mcp`]
    #[arg(long, value_name = "URL", env = "AURA_MCP_URL", hide_env_values = true)]
    url: Option<String>,
    /// The file with the token that `aura device add NAME --scope ask` printed; without it the variable `AURA_DEVICE_TOKEN` holds the token
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

/// Runs `aura mcp` until the standard input ends.
///
/// # Errors
/// No token, an address elsewhere, an output that is gone.
pub(crate) fn run(args: &McpArgs) -> Result<CommandExit, CliError> {
    let token = match &args.token_file {
        Some(path) => token_in(path)?,
        None => env::var(TOKEN_VARIABLE).unwrap_or_default(),
    };
    let token = token.trim();
    let is_token = |byte: u8| byte.is_ascii_graphic();
    if token.is_empty() || !token.bytes().all(is_token) {
        return Err(CliError::Usage(say!(
            "cli-mcp-no-token",
            variable = TOKEN_VARIABLE
        )));
    }
    let default = format!("http://127.0.0.1:{PORT}/mcp");
    let url = args
        .url
        .as_deref()
        .filter(|url| !url.is_empty())
        .unwrap_or(&default);
    let service = McpService::at_address(url, token.to_owned())
        .map_err(|error| CliError::Usage(format!("--url: {error}")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let carried = runtime.and_then(|runtime| {
        let carried = runtime.block_on(carry(service, BufReader::new(stdin()), stdout()));
        // A reader of the standard input cannot be woken.
        runtime.shutdown_background();
        carried
    });
    carried.map_err(of_output)?;
    Ok(CommandExit::Ok)
}

fn token_in(path: &Path) -> Result<String, CliError> {
    let unreadable = |source| CliError::Input {
        path: path.to_owned(),
        source,
    };
    let mut text = String::new();
    let file = fs::File::open(path).map_err(unreadable)?;
    file.take(TOKEN_BYTES_MAX)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    Ok(text)
}
