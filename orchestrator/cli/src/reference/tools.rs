//! The catalogue and the schemas.
//!
//! What: [`tool_pages`], [`schema_pages`]: a list each, and a page for each tool and schema. Why: who writes an agent or a sender looks up names and shapes. Not
//! here: the catalogue itself (`toolcall_schema::catalogue`), how it is shown in a terminal (`catalogue`).

use super::{ReferencePage, code, fenced, plain, table};
use serde_json::Value;
use std::fmt::Write as _;
use toolcall_schema::{
    AgentName, Code, ToolName,
    catalogue::docs::{catalogue_hash, tool_json},
    validate,
};

/// Every tool that can be called.
pub(super) fn tool_pages() -> Vec<ReferencePage> {
    let mut list = format!(
        "# Tools\n\nWhatever an agent or the orchestrator does is a call of one of these {} tools, and no other call passes the gate. *Confirm* says \
         whether you are asked first. `aura catalogue TOOL` prints the same in a terminal. Catalogue `{}`.\n",
        ToolName::ALL.len(),
        catalogue_hash()
    );
    for agent in AgentName::ALL {
        let tools = ToolName::ALL.iter().filter(|name| name.agent() == *agent);
        // Writing to a string cannot fail.
        let _ = write!(list, "\n## {agent}\n\n");
        list += &table(
            ["Tool", "Confirm", "Class", "Surface", "Does"],
            tools.map(|name| {
                let columns = name.columns();
                [
                    format!("[{name}](tools/{name}.md)"),
                    columns.confirm.to_string(),
                    columns.class.to_string(),
                    columns.surface.to_string(),
                    plain(name.doc().description),
                ]
            }),
        );
    }
    let mut pages = vec![ReferencePage {
        path: "tools.md".to_owned(),
        text: list,
    }];
    pages.extend(ToolName::ALL.iter().map(|name| ReferencePage {
        path: format!("tools/{name}.md"),
        text: tool(*name),
    }));
    pages
}

fn tool(name: ToolName) -> String {
    let (columns, doc, examples) = (name.columns(), name.doc(), name.examples());
    let document = tool_json(name);
    let effects: Vec<String> = columns
        .effects
        .iter()
        .map(|effect| code(effect.as_str()))
        .collect();
    let private: Vec<String> = name.private_leaves().iter().map(|leaf| code(leaf)).collect();
    let rows = [
        ("confirm", columns.confirm.to_string()),
        ("class", columns.class.to_string()),
        ("surface", columns.surface.to_string()),
        ("effects", or_none(&effects)),
        ("kept out of the quarantine", or_none(&private)),
        ("decided in", format!("[ADR {0}](../../adr/{0})", doc.adr)),
    ];
    let mut text = format!(
        "# {name}\n\n{}\n\n{}",
        plain(doc.description),
        table(["", ""], rows.map(|(column, is)| [column.to_owned(), is]))
    );
    for (part, title) in [("args", "Arguments"), ("result", "Result")] {
        let schema = serde_json::to_string_pretty(&document[part]).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {title}\n\n{}", fenced("json", &schema));
    }
    let _ = write!(
        text,
        "\n## Examples\n\nAdmitted:\n\n{}",
        fenced("json", examples.valid)
    );
    for (args, pointer) in examples.invalid {
        let _ = write!(
            text,
            "\nRefused with [{0}](../../errors/{0}.md) at `{pointer}`:\n\n{1}",
            Code::Gate009,
            fenced("json", args)
        );
    }
    text
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Every schema that is published.
pub(super) fn schema_pages() -> Vec<ReferencePage> {
    let all: Vec<(&str, &str)> = validate::all_published().collect();
    let rows = all
        .iter()
        .map(|(name, text)| [format!("[{name}](schemas/{name}.md)"), description_of(text)]);
    let list = "# Schemas\n\nJSON Schema 2020-12, closed: members that are not named are refused. `aura schema show NAME` prints one, `aura schema \
                validate NAME FILE` holds a document against it. Their addresses begin with `https://aura.local/schemas/`, where nothing listens; a `$ref` \
                is looked up in this list.\n\n"
        .to_owned();
    let mut pages = vec![ReferencePage {
        path: "schemas.md".to_owned(),
        text: list + &table(["Schema", "Is"], rows),
    }];
    pages.extend(all.iter().map(|(name, text)| {
        let description = description_of(text);
        let description = if description.is_empty() {
            String::new()
        } else {
            format!("{description}\n\n")
        };
        ReferencePage {
            path: format!("schemas/{name}.md"),
            text: format!("# {name}\n\n{description}{}", fenced("json", text)),
        }
    }));
    pages
}

/// What a schema says of itself.
fn description_of(text: &str) -> String {
    let schema: Value = serde_json::from_str(text).unwrap_or_default();
    let said = ["description", "title"]
        .into_iter()
        .find_map(|name| schema[name].as_str());
    plain(said.unwrap_or_default())
}
