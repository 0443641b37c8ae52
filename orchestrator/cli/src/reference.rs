//! `aura reference`: the part of the site that the program writes.
//!
//! What: [`run`] writes pages (Markdown) about commands, settings, policy, tools, schemas, the API, figures and codes. Why: what the program knows of itself
//! is checked in nowhere, so it cannot be stale. Not here: laying out the site (`scripts/site.py`), guides (`docs`).

mod api;
mod commands;
mod lists;
mod tools;

use super::{error::CliError, exit::CommandExit};
use clap::Args;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// `aura reference`
#[derive(Debug, Clone, Args)]
pub(crate) struct ReferenceArgs {
    /// The folder that gets the pages; it must be there
    folder: PathBuf,
}

/// A page: where it stands below the folder, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReferencePage {
    path: String,
    text: String,
}

/// Runs `aura reference`.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn run(args: &ReferenceArgs) -> Result<CommandExit, CliError> {
    for page in pages()? {
        let file = args.folder.join(&page.path);
        fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
        fs::write(file, page.text)?;
    }
    Ok(CommandExit::Ok)
}

/// All pages.
fn pages() -> Result<Vec<ReferencePage>, CliError> {
    let mut all = commands::pages();
    all.extend([
        lists::settings()?,
        lists::policy()?,
        lists::metrics(),
        lists::errors(),
    ]);
    all.extend(tools::tool_pages());
    all.extend(tools::schema_pages());
    all.push(api::page()?);
    Ok(all)
}

/// A table; `|` and line ends stay within their cell.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: [String; N]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head.map(str::to_owned)) + &line([(); N].map(|()| "---".to_owned()));
    text.extend(
        rows.into_iter()
            .map(|row| line(row.map(|cell| cell.replace('|', "\\|").replace('\n', " ")))),
    );
    text
}

/// Words that are no Markdown: what looks like a tag is shown as it stands.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;")
}

/// Names, options and values.
fn code(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("`{text}`")
    }
}

/// Text that is shown as it stands.
fn fenced(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cli, error_pages};
    use aura_platform::metrics::METRICS;
    use aura_runtime::setting_reference::described_settings;
    use clap::CommandFactory as _;
    use orchestrator_machine::policy::{DEFAULT_TEXT, Policy};
    use std::collections::BTreeMap;
    use toolcall_schema::{ToolName, validate};

    /// That what the program knows of itself stands in its reference: none of it may be left out.
    #[test]
    fn nothing_that_the_program_has_is_left_out() {
        let all = pages().unwrap();
        let by_path: BTreeMap<&str, &str> = all
            .iter()
            .map(|page| (page.path.as_str(), page.text.as_str()))
            .collect();
        assert_eq!(by_path.len(), all.len(), "two pages of one name");
        let mut missing = Vec::new();
        let mut expect = |path: &str, text: &str| {
            if !by_path.get(path).is_some_and(|page| page.contains(text)) {
                missing.push(format!("{path}: {text}"));
            }
        };

        let mut aura = Cli::command();
        aura.build();
        for command in aura.get_subcommands().filter(|command| !command.is_hide_set()) {
            let path = format!("commands/{}.md", command.get_name());
            expect("commands.md", &format!("(commands/{}.md)", command.get_name()));
            for below in command
                .get_subcommands()
                .filter(|below| below.get_name() != "help")
            {
                expect(
                    &path,
                    &format!("\n## aura {} {}\n", command.get_name(), below.get_name()),
                );
                let shown = |arg: &&clap::Arg| !arg.is_hide_set() && arg.get_id() != "help";
                for arg in below.get_arguments().filter(shown) {
                    expect(&path, &arg.to_string().replace('|', "\\|"));
                }
            }
        }
        for setting in described_settings().unwrap() {
            expect("settings.md", &format!("| `{}`", setting.key));
        }
        for (constant, _) in Policy::parse(DEFAULT_TEXT).unwrap().constants() {
            expect("policy.md", &format!("| `{}` |", constant.path));
        }
        for tool in ToolName::ALL {
            expect("tools.md", &format!("(tools/{tool}.md)"));
            expect(&format!("tools/{tool}.md"), tool.doc().description);
        }
        for (name, text) in validate::all_published() {
            expect("schemas.md", &format!("(schemas/{name}.md)"));
            let title = text.lines().nth(1).unwrap_or_default();
            expect(&format!("schemas/{name}.md"), title);
        }
        for figure in METRICS.descriptions() {
            expect("metrics.md", &format!("| `{}` |", figure.name));
        }
        for (code, _) in error_pages::all() {
            expect("errors.md", &format!("(../errors/{code}.md)"));
        }
        let api: serde_json::Value = serde_json::from_str(surfaces::web::API_DOCUMENT).unwrap();
        for (path, methods) in api["paths"].as_object().unwrap() {
            for method in methods.as_object().unwrap().keys() {
                expect("api.md", &format!("\n## `{} {path}`\n", method.to_uppercase()));
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }

    #[test]
    fn cell_of_a_table_stays_in_its_row() {
        assert_eq!(
            table(["a", "b"], [["x|y".to_owned(), "one\ntwo".to_owned()]]),
            "| a | b |\n| --- | --- |\n| x\\|y | one two |\n"
        );
        assert_eq!(plain("aura <X>"), "aura &lt;X>");
    }
}
