//! `aura catalogue`: every tool that can be called, and what changed.
//!
//! What: the catalogue as a table, one tool in full, what differs from an older one, and accepting that for a data
//! folder. Why: an agent author looks up names and schemas; an operator sees what a new build changes before it runs. Not
//! here: the catalogue itself (`toolcall_schema::catalogue`), comparing at a start (`accepted`).

use super::{
    args::{CatalogueAcceptArgs, CatalogueArgs, CatalogueCommand},
    error::CliError,
    exit::CommandExit,
    line::in_line,
    names,
    out::CommandOutput,
    service,
    sure::sure,
};
use aura_memory::{Store, StoreError, StoreOptions, StoreReader, Vault};
use aura_runtime::{
    accepted,
    control::{ControlReply, ControlRequest},
};
use serde_json::{Value, json};
use std::{borrow::Cow, fs, io, path::Path};
use surfaces_base::{
    language::{say, text},
    words,
};
use toolcall_schema::{
    AgentName, Code, ToolName,
    catalogue::{
        docs::{catalogue_hash, catalogue_json, tool_json},
        lock::{CatalogueDiff, CatalogueLock},
    },
};

/// Runs `aura catalogue`.
///
/// # Errors
/// [`CliError`] when a file or data folder cannot be used, or the output cannot be written.
pub(crate) fn run(args: &CatalogueArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let json = args.format.json;
    if let Some(CatalogueCommand::Accept(args)) = &args.accept {
        return accept(args, out);
    }
    if let Some(old) = &args.diff {
        return compare(old, json, out);
    }
    if args.lock {
        out.text(&CatalogueLock::from_this_build().to_text())?;
    } else if let Some(tool) = args.tool {
        one(tool, json, out)?;
    } else if json {
        let mut document = catalogue_json();
        if let Value::Object(members) = &mut document {
            members.insert("hash".to_owned(), catalogue_hash().into());
        }
        out.json(&document)?;
    } else {
        all(out)?;
    }
    Ok(CommandExit::Ok)
}

/// Every tool, by agent.
fn all(out: &mut CommandOutput) -> Result<(), CliError> {
    let mut rows = Vec::new();
    for agent in AgentName::ALL {
        let tools = ToolName::ALL.iter().filter(|name| name.agent() == *agent);
        let mut heading = [const { String::new() }; 7];
        heading[0] = names::agent(*agent).into_owned();
        rows.push(heading);
        rows.extend(tools.map(|name| row(*name)));
    }
    out.table(
        [
            text("cli-catalogue-column-tool"),
            text("cli-catalogue-column-confirm"),
            text("cli-catalogue-column-class"),
            text("cli-catalogue-column-surface"),
            text("cli-catalogue-column-effects"),
            text("cli-catalogue-column-decision"),
            text("cli-catalogue-column-does"),
        ],
        &rows,
    )?;
    let tools = say!(
        "cli-catalogue-tools",
        count = ToolName::ALL.len(),
        hash = catalogue_hash()
    );
    out.text(&format!("\n{tools}\n{}", text("cli-catalogue-one-in-full")))
}

fn row(name: ToolName) -> [String; 7] {
    let (columns, doc) = (name.columns(), name.doc());
    [
        format!("  {name}"),
        names::confirm(columns.confirm).into_owned(),
        names::class(columns.class).into_owned(),
        names::surface(columns.surface).into_owned(),
        listed(columns.effects.iter().map(|effect| names::effect(*effect))),
        doc.adr.to_owned(),
        words::tool_purpose(name).to_owned(),
    ]
}

fn listed<'a>(names: impl Iterator<Item = Cow<'a, str>>) -> String {
    let names: Vec<Cow<'_, str>> = names.collect();
    if names.is_empty() {
        "-".to_owned()
    } else {
        names.join(", ")
    }
}

/// One tool with its schemas and examples.
fn one(name: ToolName, json: bool, out: &mut CommandOutput) -> Result<(), CliError> {
    let examples = name.examples();
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let invalid = examples.invalid.map(
        |(args, pointer)| json!({"args": parsed(args), "code": Code::Gate009.as_str(), "pointer": pointer}),
    );
    let mut document = tool_json(name);
    if json {
        document["examples"] = json!({"valid": parsed(examples.valid), "invalid": invalid});
        return out.json(&document);
    }
    let [_, confirm, class, surface, effects, adr, description] = row(name);
    let private = listed(name.private_leaves().iter().copied().map(Cow::Borrowed));
    out.text(&format!("{name}: {description}\n"))?;
    let rows = [
        (text("cli-catalogue-column-confirm"), confirm),
        (text("cli-catalogue-column-class"), class),
        (text("cli-catalogue-column-surface"), surface),
        (text("cli-catalogue-column-effects"), effects),
        (text("cli-catalogue-column-private"), private),
        (text("cli-catalogue-column-decision"), format!("docs/adr/{adr}")),
    ];
    out.table(
        [
            text("cli-catalogue-column-column"),
            text("cli-catalogue-column-value"),
        ],
        &rows.map(|(column, is)| [column.to_owned(), is]),
    )?;
    for (part, title) in [
        ("args", text("cli-catalogue-arguments")),
        ("result", text("cli-catalogue-result")),
    ] {
        let schema = serde_json::to_string_pretty(&document[part]).unwrap_or_default();
        out.text(&format!("\n{title}\n{schema}"))?;
    }
    let (admitted, refused) = (text("cli-catalogue-admitted"), text("cli-catalogue-refused"));
    out.text(&format!("\n{admitted}\n  {}\n\n{refused}", examples.valid))?;
    for (args, pointer) in examples.invalid {
        let refusal = say!("cli-catalogue-code-at", code = Code::Gate009.as_str(), pointer);
        out.text(&format!("  {args}\n    {refusal}"))?;
    }
    Ok(())
}

/// What changed since the catalogue in a file.
fn compare(old: &Path, json: bool, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let file = fs::read_to_string(old).map_err(|source| CliError::Input {
        path: old.to_owned(),
        source,
    })?;
    let old = CatalogueLock::parse(&file).map_err(|error| CliError::Input {
        path: old.to_owned(),
        source: io::Error::new(io::ErrorKind::InvalidData, error),
    })?;
    let diff = CatalogueDiff::between(&old, &CatalogueLock::from_this_build());
    tell(&diff, json, out)?;
    Ok(if diff.tools_to_accept().is_empty() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

fn tell(diff: &CatalogueDiff, json: bool, out: &mut CommandOutput) -> Result<(), CliError> {
    let accept = diff.tools_to_accept();
    if json {
        return out.json(&json!({
            "added": diff.added, "removed": diff.removed, "changed": diff.changed, "to_accept": accept,
            "released": diff.released,
        }));
    }
    if diff.is_empty() {
        return out.text(text("cli-catalogue-nothing-changed"));
    }
    let none = || "-".to_owned();
    let new = text("cli-catalogue-row-new");
    let added = diff
        .added
        .iter()
        .map(|tool| [tool.clone(), none(), none(), new.to_owned(), none()]);
    let to_do = |tool: &str, needs_accept: bool| match diff.released.iter().find(|row| row.tool == tool) {
        _ if !needs_accept => none(),
        Some(row) => format!("- (docs/adr/{})", row.adr),
        None => text("cli-catalogue-row-accept").to_owned(),
    };
    let removed = diff.removed.iter().map(|tool| {
        [
            tool.clone(),
            none(),
            text("cli-catalogue-row-there").to_owned(),
            text("cli-catalogue-row-gone").to_owned(),
            to_do(tool, true),
        ]
    });
    let changed = diff.changed.iter().map(|change| {
        [
            change.tool.clone(),
            change.column.clone(),
            short(&change.old),
            short(&change.new),
            to_do(&change.tool, change.needs_accept),
        ]
    });
    let rows: Vec<[String; 5]> = added.chain(removed).chain(changed).collect();
    let head = [
        text("cli-catalogue-column-tool"),
        text("cli-catalogue-column-column"),
        text("cli-catalogue-column-was"),
        text("cli-catalogue-column-is"),
        text("cli-catalogue-column-to-do"),
    ];
    out.table(head, &rows)?;
    let to_accept = if accept.is_empty() {
        text("cli-catalogue-nothing-to-accept").to_owned()
    } else {
        say!("cli-catalogue-to-accept", tools = accept.join(", "))
    };
    out.text(&format!("\n{to_accept}"))
}

/// A column's value; of a hash the start.
fn short(value: &Value) -> String {
    match value {
        Value::String(hash) if hash.len() == 64 => hash.chars().take(12).collect(),
        Value::String(text) => text.clone(),
        Value::Array(names) => listed(names.iter().filter_map(Value::as_str).map(Cow::Borrowed)),
        Value::Null => "-".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Records this build's catalogue for a data folder, once a person has seen what that changes.
fn accept(args: &CatalogueAcceptArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    if !dir.is_dir() {
        return Err(StoreError::Missing { dir }.into());
    }
    let vault = args.data.vault_or_new()?;
    let recorded = match StoreReader::open(&vault) {
        Err(StoreError::Missing { .. }) => None,
        reader => reader?.catalogue_lock()?,
    };
    let diff = accepted::diff(&dir, recorded.as_ref())?.unwrap_or_default();
    tell(&diff, args.format.json, out)?;
    if !diff.tools_to_accept().is_empty()
        && !sure(args.yes, args.format.json, text("cli-catalogue-accept-sure"), out)?
    {
        out.text(text("cli-catalogue-nothing-accepted"))?;
        return Ok(CommandExit::Bad);
    }
    in_line(|| match service::ask(&dir, &ControlRequest::CatalogueAccept)? {
        Some(ControlReply::Recorded) => Ok(()),
        Some(other) => Err(service::unexpected(other)),
        None => record(&vault),
    })?;
    if !args.format.json {
        out.text(&say!(
            "cli-catalogue-recorded",
            folder = dir.display().to_string(),
            hash = catalogue_hash()
        ))?;
    }
    Ok(CommandExit::Ok)
}

/// On a folder without a service.
fn record(vault: &Vault) -> Result<(), CliError> {
    let (store, _) = Store::open(vault, StoreOptions::default())?;
    match accepted::accept(&store)?.blocking_recv() {
        Ok(done) => done.map_err(|error| CliError::File(io::Error::other(error))),
        Err(_) => Err(CliError::Bug("the store ended without an answer")),
    }
}
