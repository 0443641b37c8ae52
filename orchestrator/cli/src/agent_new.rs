//! `aura agent new`: an agent to begin with.
//!
//! What: a manifest, a program, a workflow of one step and a text for it, which pass `aura agent check` as they are. Why: changing what works is quicker than
//! reading how to make it. Not here: what an agent may do (`docs/agents/programs.md`), trying it (`agent`).

use super::{args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput};
use clap::{Args, ValueEnum};
use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};
use surfaces_base::language::{say, text};

const MANIFEST: &str = include_str!("agent_new/manifest.toml");
const WORKFLOW: &str = include_str!("agent_new/workflow.toml");
const PYTHON: &str = include_str!("agent_new/agent.py");
const SHELL: &str = include_str!("agent_new/agent.sh");
/// What speaks the protocol for a program in Python.
const PYTHON_HELPER: &str = include_str!("../../../agents/programs/python/aura_agent.py");
const TEXT: &str = "The printer is out of paper.\n";

/// What the program is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentLanguage {
    Python,
    Shell,
}

/// `aura agent new`
#[derive(Debug, Clone, Args)]
pub(crate) struct AgentNewArgs {
    /// What it is called: 1 to 40 of a-z, 0-9 and -
    #[arg(value_parser = agent_name)]
    name: String,
    /// What it is written in
    #[arg(long, value_enum, default_value_t = AgentLanguage::Python)]
    language: AgentLanguage,
    /// The project's folder; agents.d and workflows are made in it where they are not there
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

fn agent_name(name: &str) -> Result<String, &'static str> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if (1..=40).contains(&name.len()) && name.bytes().all(fits) && !name.starts_with('-') {
        Ok(name.to_owned())
    } else {
        Err(text("cli-agent-no-name"))
    }
}

/// Runs `aura agent new`.
///
/// # Errors
/// One of that name is there; a file cannot be written.
pub(crate) fn run(args: &AgentNewArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let name = &args.name;
    let (program, ending, program_text) = match args.language {
        AgentLanguage::Python => ("python3", "py", PYTHON),
        AgentLanguage::Shell => ("sh", "sh", SHELL),
    };
    let file = format!("{name}.{ending}");
    let manifest = MANIFEST.replace("PROGRAM", program).replace("FILE", &file);
    let own = [
        (format!("agents.d/{name}.toml"), manifest.as_str()),
        (format!("agents.d/{file}"), program_text),
        (format!("workflows/{name}.toml"), WORKFLOW),
    ];
    // None is written over; what several agents share is left as it is.
    if let Some((there, _)) = own.iter().find(|(path, _)| args.project.join(path).exists()) {
        return Err(CliError::NotThere(say!(
            "cli-agent-there-unchanged",
            path = there
        )));
    }
    let mut made = Vec::new();
    for (path, text) in own {
        write_new(&args.project.join(&path), &text.replace("NAME", name))?;
        made.push(path);
    }
    let shared = [
        ("agents.d/aura_agent.py", PYTHON_HELPER),
        ("notes/first/text.md", TEXT),
    ];
    for (path, text) in shared {
        let is_wanted = args.language == AgentLanguage::Python || text != PYTHON_HELPER;
        if is_wanted && !args.project.join(path).exists() {
            write_new(&args.project.join(path), text)?;
            made.push(path.to_owned());
        }
    }
    if args.format.json {
        out.json(&serde_json::json!({ "name": name, "project": args.project, "made": made }))?;
    } else {
        out.text(&say!("cli-agent-made", files = made.join(", ")))?;
        let manifest = format!("agents.d/{name}.toml");
        let (manifest, project) = if args.project == Path::new(".") {
            (manifest, String::new())
        } else {
            let project = args.project.display();
            (format!("{project}/{manifest}"), format!(" --project {project}"))
        };
        out.text(&say!("cli-agent-next", manifest, project, name))?;
    }
    Ok(CommandExit::Ok)
}

/// A file that was not there, and its folder.
fn write_new(path: &Path, text: &str) -> Result<(), CliError> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    match file {
        Ok(mut file) => Ok(file.write_all(text.as_bytes())?),
        // Somebody else made it meanwhile.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(CliError::NotThere(say!(
            "cli-agent-there",
            path = path.display().to_string()
        ))),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_what_manifests_and_workflows_take() {
        for (name, is_good) in [
            ("words", true),
            ("page-reader-2", true),
            ("", false),
            ("Words", false),
            ("a_b", false),
            ("../x", false),
            ("-x", false),
            (&"a".repeat(40), true),
            (&"a".repeat(41), false),
        ] {
            assert_eq!(agent_name(name).is_ok(), is_good, "{name}");
        }
    }
}
