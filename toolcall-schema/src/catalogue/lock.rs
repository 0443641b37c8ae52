//! Two catalogues side by side: what was accepted, and what this build has.
//!
//! What: [`CatalogueLock`], a catalogue by its hashes, and [`CatalogueDiff`] between two. Why: a tool that went or changed its schema breaks
//! whoever relied on it, so a person accepts that; a new tool or a better description does not. Not here: where the
//! accepted one is kept (`aura-memory`), asking (`aura_cli`).

use super::{
    docs::catalogue_json,
    released::{self, RELEASED_CHANGES, ReleasedChange},
};
use crate::canonical;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, fmt::Write as _};

/// The catalogue of this build, as it stands in the repository; a test holds it to the code.
pub const CATALOGUE_LOCK: &str = include_str!("../../catalogue.lock");

/// Whether a column may change without being accepted.
pub(super) fn is_free(column: &str) -> bool {
    matches!(column, "adr" | "description")
}

/// How deep references to shared shapes are followed.
const MAX_REFS: usize = 16;
/// What stands before the name of a shared shape, after the way to its folder.
const DEFS: &str = "defs.v1.json#/$defs/";

/// A tool's columns by name; description and schemas as SHA-256 of their canonical JSON (RFC 8785), the schemas with the
/// shared shapes they refer to put in.
pub type LockedTool = BTreeMap<String, Value>;

/// A catalogue by its hashes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueLock {
    /// Of the whole catalogue, see [`super::docs::catalogue_hash`].
    pub hash: String,
    /// By the tool's full name.
    pub tools: BTreeMap<String, LockedTool>,
}

/// A text that is neither a lock nor a catalogue.
#[derive(Debug, thiserror::Error)]
#[error("read a catalogue: neither a catalogue.lock nor the output of `aura catalogue --json`")]
pub struct LockError(#[source] Option<serde_json::Error>);

impl CatalogueLock {
    /// Of this build.
    pub fn from_this_build() -> Self {
        // Our own catalogue has the shape that is looked for; were it not to, the repository's test would say so.
        Self::from_catalogue(&catalogue_json()).unwrap_or(Self {
            hash: String::new(),
            tools: BTreeMap::new(),
        })
    }

    /// Of a whole catalogue, as `aura catalogue --json` prints it; `None` when it is not one.
    fn from_catalogue(catalogue: &Value) -> Option<Self> {
        let defs = catalogue.get("defs")?;
        let tools = catalogue.get("tools")?;
        let entry = |tool: &Value| {
            let mut members = tool.as_object()?.clone();
            let name = members.remove("name")?.as_str()?.to_owned();
            let columns = members.into_iter().map(|(column, value)| {
                let value = match column.as_str() {
                    "args" | "result" => canonical::hash(&resolve_refs(&value, defs, MAX_REFS)).into(),
                    "description" => canonical::hash(&value).into(),
                    _ => value,
                };
                (column, value)
            });
            Some((name, columns.collect()))
        };
        Some(Self {
            // `--json` prints the hash beside what it is of.
            hash: canonical::hash(&serde_json::json!({"defs": defs, "tools": tools})),
            tools: tools.as_array()?.iter().map(entry).collect::<Option<_>>()?,
        })
    }

    /// Reads a lock, or the output of `aura catalogue --json`.
    ///
    /// # Errors
    /// [`LockError`] when it is neither.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let document: Value = serde_json::from_str(text).map_err(|e| LockError(Some(e)))?;
        if document.get("defs").is_some() {
            Self::from_catalogue(&document).ok_or(LockError(None))
        } else {
            Self::deserialize(document).map_err(|e| LockError(Some(e)))
        }
    }

    /// The lock as JSON, one line a tool.
    pub fn to_text(&self) -> String {
        let mut text = format!("{{\"hash\":\"{}\",\"tools\":{{", self.hash);
        for (i, (name, entry)) in self.tools.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let (name, entry) = (Value::from(name.as_str()), serde_json::json!(entry));
            // Writing to a string cannot fail.
            let _ = write!(text, "{comma}\n{name}:{entry}");
        }
        text.push_str("\n}}\n");
        text
    }
}

/// A schema with every reference to a shared shape replaced by that shape.
pub(super) fn resolve_refs(schema: &Value, defs: &Value, depth: usize) -> Value {
    let shape = || {
        let (_, name) = schema.get("$ref")?.as_str()?.split_once(DEFS)?;
        defs.get("$defs")?.get(name).filter(|_| depth > 0)
    };
    if let Some(shape) = shape() {
        return resolve_refs(shape, defs, depth - 1);
    }
    match schema {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), resolve_refs(value, defs, depth)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| resolve_refs(item, defs, depth)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// One column of one tool that is not as it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnChange {
    /// The tool's full name.
    pub tool: String,
    /// The column; `args`, `result` and `description` by their hash.
    pub column: String,
    /// What it was; null when the column is new.
    pub old: Value,
    /// What it is; null when the column is gone.
    pub new: Value,
    /// Whether a person has to accept it.
    pub needs_accept: bool,
}

/// What differs from an older catalogue to a newer one.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CatalogueDiff {
    /// Tools that are new: nobody has to accept them.
    pub added: Vec<String>,
    /// Tools that are gone: somebody has to.
    pub removed: Vec<String>,
    /// Tools that changed.
    pub changed: Vec<ColumnChange>,
    /// What of it releases of this program did themselves: nobody has to accept that.
    pub released: Vec<&'static ReleasedChange>,
}

impl CatalogueDiff {
    /// What differs.
    pub fn between(old: &CatalogueLock, new: &CatalogueLock) -> Self {
        let missing = |a: &CatalogueLock, b: &CatalogueLock| {
            let names = a.tools.keys().filter(|name| !b.tools.contains_key(*name));
            names.cloned().collect()
        };
        let both = old
            .tools
            .iter()
            .filter_map(|(name, old)| Some((name, old, new.tools.get(name)?)));
        let released = old.tools.iter().flat_map(|(name, old)| {
            released::accepted_path(RELEASED_CHANGES, name, old, new.tools.get(name))
        });
        Self {
            released: released.collect(),
            added: missing(new, old),
            removed: missing(old, new),
            changed: both
                .flat_map(|(name, old, new)| changes(name, old, new))
                .collect(),
        }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The tools for which somebody has to accept something, each once, by name.
    pub fn tools_to_accept(&self) -> Vec<&str> {
        let changed = self.changed.iter().filter(|change| change.needs_accept);
        let mut names: Vec<&str> = changed
            .map(|change| change.tool.as_str())
            .chain(self.removed.iter().map(String::as_str))
            .filter(|tool| self.released.iter().all(|row| row.tool != *tool))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn changes(tool: &str, old: &LockedTool, new: &LockedTool) -> Vec<ColumnChange> {
    let mut columns: Vec<&String> = old.keys().chain(new.keys()).collect();
    columns.sort_unstable();
    columns.dedup();
    let value = |entry: &LockedTool, column: &str| entry.get(column).cloned().unwrap_or_default();
    columns
        .into_iter()
        .filter(|column| old.get(*column) != new.get(*column))
        .map(|column| ColumnChange {
            tool: tool.to_owned(),
            column: column.clone(),
            old: value(old, column),
            new: value(new, column),
            needs_accept: !is_free(column),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn catalogue_lock_matches_the_code() {
        assert!(
            CatalogueLock::from_this_build().to_text() == CATALOGUE_LOCK,
            "the catalogue changed: name its page in docs/adr, then `aura catalogue --lock > toolcall-schema/catalogue.lock`, and a row in \
             catalogue/released.rs for each released tool that changed"
        );
        assert_eq!(
            CatalogueLock::from_this_build().hash,
            super::super::docs::catalogue_hash()
        );
    }

    #[test]
    fn a_lock_is_read_back_from_its_text_and_from_the_whole_catalogue() {
        let built = CatalogueLock::from_this_build();
        assert_eq!(CatalogueLock::parse(&built.to_text()).unwrap(), built);
        let mut document = catalogue_json();
        document["hash"] = json!("beside it");
        assert_eq!(CatalogueLock::parse(&document.to_string()).unwrap(), built);
        for bad in [
            "",
            "[]",
            "{}",
            "{\"defs\":{},\"tools\":{}}",
            "{\"hash\":1,\"tools\":{}}",
        ] {
            assert!(CatalogueLock::parse(bad).is_err(), "{bad}");
        }
    }

    /// A catalogue of one tool whose argument `n` is the shared shape `count`.
    fn catalogue() -> Value {
        json!({
            "defs": {"$defs": {"count": {"type": "integer"}, "other": {"type": "string"}}},
            "tools": [{
                "name": "comms.count", "description": "Counts.", "adr": "0006", "confirm": "never", "class": "normal",
                "surface": "SILENT", "effects": ["card_show"], "private": [],
                "args": {"properties": {"n": {"$ref": "../defs.v1.json#/$defs/count"}}}, "result": {}
            }]
        })
    }

    #[test]
    fn only_a_removal_or_a_changed_column_that_is_not_words_has_to_be_accepted() {
        // What is changed, the columns that differ, and whether somebody has to accept it.
        let table: [(&str, Value, &[&str], bool); 9] = [
            (
                "/tools/0/description",
                json!("Counts all."),
                &["description"],
                false,
            ),
            ("/tools/0/adr", json!("0020"), &["adr"], false),
            ("/tools/0/confirm", json!("always"), &["confirm"], true),
            ("/tools/0/class", json!("safety"), &["class"], true),
            ("/tools/0/surface", json!("WATCH"), &["surface"], true),
            ("/tools/0/effects", json!([]), &["effects"], true),
            ("/tools/0/private", json!(["/args/n"]), &["private"], true),
            ("/defs/$defs/count/type", json!("number"), &["args"], true),
            // A shape that no schema refers to.
            ("/defs/$defs/other/type", json!("number"), &[], false),
        ];
        let old = CatalogueLock::from_catalogue(&catalogue()).unwrap();
        for (pointer, value, columns, accept) in table {
            let mut changed = catalogue();
            *changed.pointer_mut(pointer).unwrap() = value;
            let diff = CatalogueDiff::between(&old, &CatalogueLock::from_catalogue(&changed).unwrap());
            let found: Vec<&str> = diff.changed.iter().map(|c| c.column.as_str()).collect();
            assert_eq!(found, columns, "{pointer}");
            let wanted: &[&str] = if accept { &["comms.count"] } else { &[] };
            assert_eq!(diff.tools_to_accept(), wanted, "{pointer}");
        }
        let mut renamed = catalogue();
        renamed["tools"][0]["name"] = json!("comms.tally");
        let diff = CatalogueDiff::between(&old, &CatalogueLock::from_catalogue(&renamed).unwrap());
        let expected = CatalogueDiff {
            added: vec!["comms.tally".to_owned()],
            removed: vec!["comms.count".to_owned()],
            changed: Vec::new(),
            released: Vec::new(),
        };
        assert_eq!((diff.tools_to_accept(), &diff), (vec!["comms.count"], &expected));
        assert!(CatalogueDiff::between(&old, &old).is_empty());
    }

    #[test]
    fn shapes_that_refer_to_themselves_end() {
        let mut looped = catalogue();
        looped["defs"]["$defs"]["count"] = json!({"items": {"$ref": "defs.v1.json#/$defs/count"}});
        assert!(CatalogueLock::from_catalogue(&looped).is_some());
    }
}
