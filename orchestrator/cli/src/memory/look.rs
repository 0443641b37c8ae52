//! `aura memory stats`, `search` and `show`.
//!
//! What: looking at what is remembered. Why: the owner sees what is kept, and why something was found. Not here: changing it.

#![expect(
    clippy::doc_markdown,
    reason = "clap prints these comments as help, where backquotes would stand as they are"
)]

use super::super::{
    args::{DataDir, FormatArgs, HomeFileArg},
    error::CliError,
    exit::CommandExit,
    names,
    out::CommandOutput,
    records::{StoreAccess, local},
};
use aura_memory::{
    StoreReader,
    audit::{AuditSubject, Kind, Op},
    graph::{NodeKey, NodeRow, NodeType, SearchHit},
};
use aura_runtime::{config::HomeConfig, erase::zone, reads};
use chrono_tz::Tz;
use clap::Args;
use serde_json::{Value, json};
use surfaces_base::language::{self, say, text};

/// How many edges of a thing are shown.
const LINKED: u32 = 50;

/// Which folder, under which configuration, and how it is said.
#[derive(Debug, Clone, Args)]
pub(super) struct FolderSelection {
    #[command(flatten)]
    home: HomeFileArg,
    /// The folder.
    #[command(flatten)]
    pub(super) data: DataDir,
    #[command(flatten)]
    pub(super) format: FormatArgs,
}

impl FolderSelection {
    /// The configuration, where there is one.
    pub(super) fn home(&self) -> Result<Option<HomeConfig>, CliError> {
        let there = self.home.named().is_some() || self.home.path().exists();
        Ok(there.then(|| HomeConfig::load(&self.home.path())).transpose()?)
    }
}

/// `aura memory stats`
#[derive(Debug, Clone, Args)]
pub(crate) struct MemoryStatsArgs {
    #[command(flatten)]
    on: FolderSelection,
}

/// `aura memory search`
#[derive(Debug, Clone, Args)]
pub(crate) struct SearchArgs {
    /// Words, or how they begin; all must be there
    #[arg(required = true)]
    words: Vec<String>,
    /// Only of this type: user, event, app, person, place, transaction, conversation, health_snapshot, action, trace
    #[arg(long = "type", value_name = "TYPE", value_parser = node_type)]
    node_type: Option<NodeType>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    #[command(flatten)]
    on: FolderSelection,
}

/// `aura memory show`
#[derive(Debug, Clone, Args)]
pub(crate) struct MemoryShowArgs {
    /// Its key, as `aura memory search` prints it
    #[arg(value_parser = key)]
    key: NodeKey,
    #[command(flatten)]
    on: FolderSelection,
}

pub(super) fn key(text: &str) -> Result<NodeKey, &'static str> {
    NodeKey::parse(text).map_err(|_| language::text("cli-memory-key-shape"))
}

fn node_type(text: &str) -> Result<NodeType, &'static str> {
    NodeType::parse(text).ok_or_else(|| language::text("cli-memory-no-such-type"))
}

/// Runs `aura memory stats`.
///
/// # Errors
/// The store cannot be read.
pub(super) fn stats(args: &MemoryStatsArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.on.data.vault()?;
    let home = args.on.home()?;
    let (zone, retention) = (
        zone(&vault, home.as_ref()),
        home.map(|home| home.retention).unwrap_or_default(),
    );
    reads::record(&vault, Op::Read, AuditSubject::all_of(Kind::Graph))?;
    let reader = StoreReader::open(&vault)?;
    let (stats, counts) = (reader.stats()?, reader.counts()?);
    if args.on.format.json {
        out.json(&json!({ "graph": stats, "events": counts.events, "decisions": counts.decisions,
            "traces": counts.traces, "ledger": counts.ledger, "bytes": reader.size_bytes(), "retention": retention }))?;
        return Ok(CommandExit::Ok);
    }
    let rows: Vec<[String; 5]> = stats
        .nodes
        .iter()
        .map(|(of, stats)| {
            let keep: Value = serde_json::to_value(retention.period(*of)).unwrap_or_default();
            [
                names::node(*of).to_owned(),
                stats.count.to_string(),
                local(stats.oldest, zone),
                local(stats.newest, zone),
                keep.as_u64().map_or_else(
                    || text("cli-memory-always").to_owned(),
                    |days| say!("cli-memory-days", days),
                ),
            ]
        })
        .collect();
    out.table(
        [
            text("cli-memory-column-what"),
            text("cli-memory-column-how-many"),
            text("cli-memory-column-oldest"),
            text("cli-memory-column-newest"),
            text("cli-memory-column-kept-for"),
        ],
        &rows,
    )?;
    let edges: u64 = stats.edges.values().sum();
    out.text(&say!(
        "cli-memory-stats",
        edges,
        labels = stats.labels,
        traces = counts.traces,
        events = counts.events,
        kib = reader.size_bytes() / 1024
    ))?;
    Ok(CommandExit::Ok)
}

/// Runs `aura memory search`. 1 when nothing was found.
///
/// # Errors
/// The store cannot be read.
pub(super) fn search(args: &SearchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.on.data.vault()?;
    let home = args.on.home()?;
    let zone = zone(&vault, home.as_ref());
    reads::record(&vault, Op::Read, AuditSubject::all_of(Kind::Graph))?;
    let found = StoreReader::open(&vault)?.search(&args.words.join(" "), args.node_type, args.limit)?;
    if args.on.format.json {
        for one in &found {
            out.json(one)?;
        }
    } else if found.is_empty() {
        out.text(text("cli-memory-nothing-found"))?;
    } else {
        let rows: Vec<[String; 5]> = found.iter().map(|one| row(one, zone)).collect();
        out.table(
            [
                text("cli-memory-column-type"),
                text("cli-memory-column-key"),
                text("cli-memory-column-when"),
                text("cli-memory-column-name"),
                text("cli-memory-column-because"),
            ],
            &rows,
        )?;
    }
    Ok(if found.is_empty() {
        CommandExit::Bad
    } else {
        CommandExit::Ok
    })
}

fn row(found: &SearchHit, zone: Tz) -> [String; 5] {
    let because: Vec<String> = found
        .because
        .iter()
        .map(|(word, field)| {
            say!(
                "cli-memory-word-in-field",
                word = format!("{word:?}"),
                field = names::field(*field)
            )
        })
        .collect();
    let node = &found.row.node;
    [
        names::node(node.data.node_type()).to_owned(),
        node.key.to_string(),
        local(node.at, zone),
        found.row.label.clone().unwrap_or_default(),
        because.join(", "),
    ]
}

/// Runs `aura memory show`. 1 when there is no such thing.
///
/// # Errors
/// The store cannot be read.
pub(super) fn show(args: &MemoryShowArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let vault = args.on.data.vault()?;
    let home = args.on.home()?;
    let zone = zone(&vault, home.as_ref());
    let records = StoreAccess::open_to_show(&vault)?;
    let reader = &records.reader;
    let Some(NodeRow { node, label }) = reader.node(&args.key)? else {
        return Err(CliError::NotThere(say!(
            "cli-memory-not-remembered",
            key = args.key.to_string()
        )));
    };
    records.shows(AuditSubject::one(Kind::Node, args.key.as_str()))?;
    let linked = reader.linked(&args.key, LINKED)?;
    if args.on.format.json {
        out.json(&json!({ "node": node, "label": label, "edges": linked }))?;
        return Ok(CommandExit::Ok);
    }
    out.text(&format!("{} {}", names::node(node.data.node_type()), node.key))?;
    if let Some(label) = label {
        out.text(&say!("cli-memory-your-name", label))?;
    }
    out.text(&say!("cli-memory-when", at = local(node.at, zone)))?;
    if let Ok(Value::Object(fields)) = serde_json::to_value(&node.data) {
        for (name, value) in fields.iter().filter(|(name, _)| *name != "type") {
            let value = names::kept_value(name, value);
            out.text(&format!("{}: {value}", names::kept_field(name)))?;
        }
    }
    if !linked.is_empty() {
        let rows: Vec<[String; 5]> = linked
            .iter()
            .map(|edge| {
                [
                    if edge.out { "→" } else { "←" }.to_owned(),
                    names::edge(edge.edge_type).to_owned(),
                    edge.other.to_string(),
                    local(edge.at, zone),
                    edge.label.clone().unwrap_or_default(),
                ]
            })
            .collect();
        out.table(
            [
                "",
                text("cli-memory-column-relation"),
                text("cli-memory-column-other"),
                text("cli-memory-column-when"),
                text("cli-memory-column-name"),
            ],
            &rows,
        )?;
    }
    Ok(CommandExit::Ok)
}
