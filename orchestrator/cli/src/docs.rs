//! `aura docs`: all pages of the documentation, without a network and without a service.
//!
//! What: finds the pages that were installed beside this program, serves them on the loopback until Ctrl-C, and opens the one that is meant. Why: whoever has
//! the program has its manual, also where the service does not start. Not here: building them (`scripts/site.py`), serving files (`surfaces`), the page of a
//! code in the terminal (`help`).

use super::{
    Cli,
    args::FormatArgs,
    browser::{self, BrowserChoice},
    error::CliError,
    error_pages,
    exit::CommandExit,
    out::CommandOutput,
};
use clap::{Args, CommandFactory as _};
use std::{
    env,
    fmt::Write as _,
    io::{IsTerminal as _, stdin, stdout},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};
use surfaces_base::language::{say, text};

/// `aura docs`
#[derive(Debug, Clone, Args)]
pub(crate) struct DocsArgs {
    /// A code, as STORE-004; a command, as `trace why`; a page, as install; or words that are looked for
    topic: Vec<String>,
    /// Print the address in place of opening a browser
    #[arg(long)]
    no_browser: bool,
    /// The port on the loopback; 0 lets the system choose
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The folder of the pages [default: where a package or `make site` puts them]
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura docs`.
///
/// # Errors
/// The pages are not here; the port is taken.
pub(crate) fn run(args: &DocsArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let places = match &args.pages {
        Some(folder) => vec![folder.clone()],
        None => places(&env::current_exe()?),
    };
    let folder = places.iter().find(|folder| folder.join("index.html").is_file());
    let folder = folder.ok_or_else(|| CliError::NotThere(text("cli-common-no-pages").to_owned()))?;
    let place = place(&args.topic, folder);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(args, folder, &place, out))
}

async fn serve(
    args: &DocsArgs,
    folder: &Path,
    place: &str,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listener = surfaces::bind(address)
        .await
        .map_err(|error| CliError::Refused(error.to_string()))?;
    let address = format!("http://{}/{place}", listener.local_addr()?);
    let choice = if args.no_browser {
        BrowserChoice::NoScreen
    } else {
        let has_terminal = stdin().is_terminal() || stdout().is_terminal();
        BrowserChoice::from_environment(&|name| env::var_os(name), has_terminal)
    };
    let serving = tokio::spawn(surfaces::serve_documents(listener, folder.to_owned(), async {
        // Where no signal can be waited for, it is served until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }));
    // A browser that is asked takes a moment to say that it cannot; the page is served meanwhile.
    let opened = match choice.clone() {
        BrowserChoice::Program(program) => {
            let address = address.clone();
            tokio::task::spawn_blocking(move || browser::open(&program, &address))
                .await
                .unwrap_or(false)
        }
        BrowserChoice::ServiceManager | BrowserChoice::Remote | BrowserChoice::NoScreen => false,
    };
    if args.format.json {
        out.json(&serde_json::json!({ "page": address, "pages": folder, "opened": opened }))?;
    } else {
        out.text(&if opened {
            say!("cli-common-pages-opened", address = &address)
        } else {
            say!("cli-common-pages-at", address = &address)
        })?;
        if choice == BrowserChoice::Remote {
            out.text(&browser::over_ssh(&address))?;
        }
    }
    match serving.await {
        Ok(served) => served?,
        Err(_) => return Err(CliError::Bug("serving the pages panicked")),
    }
    Ok(CommandExit::Ok)
}

/// Where pages may be: beside an installed program, beside one in a clone's build folder.
fn places(program: &Path) -> Vec<PathBuf> {
    let above = program.parent().and_then(Path::parent);
    let below = |part: &str| Some(above?.join(part));
    [below("share/doc/aura/html"), below("site/html")]
        .into_iter()
        .flatten()
        .collect()
}

/// Which page is meant.
fn place(topic: &[String], folder: &Path) -> String {
    let Some(first) = topic.first() else {
        return "index.html".to_owned();
    };
    let code = first.to_ascii_uppercase();
    if topic.len() == 1 && error_pages::page(&code).is_some() {
        return format!("errors/{code}.html");
    }
    let mut aura = Cli::command();
    aura.build();
    let mut command = Some(&aura);
    for word in topic {
        command = command.and_then(|command| command.find_subcommand(word));
    }
    if command.is_some_and(|command| !command.is_hide_set()) {
        let below = if topic.len() > 1 {
            format!("#aura-{}", topic.join("-"))
        } else {
            String::new()
        };
        return format!("reference/commands/{first}.html{below}");
    }
    let is_name = first.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let page = format!("{first}.html");
    if topic.len() == 1 && is_name && folder.join(&page).is_file() {
        return page;
    }
    let mut place = "index.html?search=".to_owned();
    for byte in topic.join(" ").bytes() {
        // Writing to a string cannot fail.
        let _ = if byte.is_ascii_alphanumeric() {
            write!(place, "{}", char::from(byte))
        } else {
            write!(place, "%{byte:02X}")
        };
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topic_is_a_code_a_command_a_page_or_words_to_look_for() {
        let folder = tempfile::tempdir().unwrap();
        for page in ["install.html", "trace.html"] {
            std::fs::write(folder.path().join(page), "").unwrap();
        }
        for (topic, meant) in [
            (&[][..], "index.html"),
            (&["store-004"], "errors/STORE-004.html"),
            (&["trace"], "reference/commands/trace.html"),
            (&["trace", "why"], "reference/commands/trace.html#aura-trace-why"),
            (&["install"], "install.html"),
            (&["install", "it"], "index.html?search=install%20it"),
            (&["../install"], "index.html?search=%2E%2E%2Finstall"),
            (&["worker"], "index.html?search=worker"),
            (&["recovery", "sheet"], "index.html?search=recovery%20sheet"),
            (&["a&b=ü"], "index.html?search=a%26b%3D%C3%BC"),
        ] {
            let topic: Vec<String> = topic.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(place(&topic, folder.path()), meant);
        }
    }

    #[test]
    fn pages_are_looked_for_beside_the_program_that_runs() {
        assert_eq!(
            places(Path::new("/usr/bin/aura")),
            [Path::new("/usr/share/doc/aura/html"), Path::new("/usr/site/html")]
        );
        assert_eq!(
            places(Path::new("/clone/target/first/aura")),
            [
                Path::new("/clone/target/share/doc/aura/html"),
                Path::new("/clone/target/site/html")
            ]
        );
    }
}
