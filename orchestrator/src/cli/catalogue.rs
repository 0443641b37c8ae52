//! `aura catalogue`: every tool that can be called.
//!
//! What: the catalogue as a table, or as JSON with schemas and hash. Why: an agent author looks up names and columns. Not
//! here: the catalogue itself (`toolcall_schema::catalogue`).

use super::{args::CatalogueArgs, error::CliError, exit::Exit, out::Out};
use serde_json::Value;
use toolcall_schema::{
    ToolName,
    catalogue::docs::{catalogue_hash, catalogue_json},
};

/// Runs `aura catalogue`.
///
/// # Errors
/// [`CliError`] when the output cannot be written.
pub fn run(args: &CatalogueArgs, out: &mut Out) -> Result<Exit, CliError> {
    if args.format.json {
        let mut document = catalogue_json();
        if let Value::Object(members) = &mut document {
            members.insert("hash".to_owned(), catalogue_hash().into());
        }
        out.json(&document)?;
        return Ok(Exit::Ok);
    }
    let rows: Vec<[String; 7]> = ToolName::ALL.iter().map(|name| row(*name)).collect();
    out.table(
        [
            "agent",
            "tool",
            "confirm",
            "class",
            "surface",
            "effects",
            "description",
        ],
        &rows,
    )?;
    out.text(&format!("\ncatalogue {}", catalogue_hash()))?;
    Ok(Exit::Ok)
}

fn row(name: ToolName) -> [String; 7] {
    let columns = name.columns();
    let effects: Vec<&str> = columns.effects.iter().map(|effect| effect.as_str()).collect();
    [
        columns.agent.to_string(),
        name.tool().to_owned(),
        columns.confirm.to_string(),
        columns.class.to_string(),
        columns.surface.to_string(),
        if effects.is_empty() {
            "-".to_owned()
        } else {
            effects.join(",")
        },
        name.doc().description.to_owned(),
    ]
}
