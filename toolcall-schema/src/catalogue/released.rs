//! What releases of this program changed in their own catalogue.
//!
//! What: [`RELEASED_CHANGES`], each changed or removed tool with what it was and what it became. Why: an owner who updates need
//! not accept what the release itself says it changed; any other difference still stops the start (CAT-001). Not here:
//! finding differences (`lock`), recording what was accepted (`aura_runtime::accepted`).
//!
//! Rows stay for ever: who skipped a release goes through its rows to the newest. `aura catalogue --diff` with a released lock
//! (`toolcall-schema/released`) prints the hashes of a row.

use super::lock::LockedTool;
use serde::Serialize;

/// A tool that a release changed or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ReleasedChange {
    /// The tool's full name.
    pub tool: &'static str,
    /// What it was, as [`contract_hash`] has it.
    pub old: &'static str,
    /// What it became; `None`: it is gone.
    pub new: Option<&'static str>,
    /// The page of `docs/adr` that decided it.
    pub adr: &'static str,
}

/// What every agent answers when it has read, in the release of rules number 1.
const INGEST_1: &str = "b1fb13e088ae3113987dc89d13505276b27d2fcb9f9c95e360f34e52a954cd27";
/// The same with amounts that have a sign, with what was measured on each day, with how many items a skip stands for, and with
/// its two texts marked as private.
const INGEST_2: &str = "d08ae4ee0e12af117200509576ecc87e3a2baf2a66b3e950a5c94a111c67157f";
/// The same with when to prepare for a meeting.
const INGEST_3: &str = "340d33dd73cce313d832f74d4e76672826dec58451aea2505c23da09e13c8bf1";
/// The same with what is left of each source, how many items there are, and the heart rate at rest of a day.
const INGEST_4: &str = "70bcc50f9e55fe6930afe92d15d61d26499d8e0d8afd34674b9beb3b33194e73";

/// What every agent answers to a tick, in the release of rules number 1.
const TICK_1: &str = "04bb6bc4cf3a00efb2f49a525dd5f3adb7063b9ce8fbb6e4c00e91009c8687cf";
/// The same with the evidence of each candidate.
const TICK_2: &str = "dd9ae7afceb3c5db48744850b43d92973cec7c4154d3ba7dc4d61ab75235790f";

/// The same with a tick for what the owner put off.
const TICK_3: &str = "8ba7be9185bb933334ff259065e5727ed4cfb4aae5d205b2305416c7fa58bc09";
/// The same with what prepares for a meeting.
const TICK_4: &str = "6c0c84f8e75e439faf3a63e68e977e0814dd73d29c38bae772d64b37a0e469cc";
/// The same with what the owner always lets through.
const TICK_5: &str = "2e654b119e4f0f28f10c7db5e87c80342001db78fd35808f1293abb23a4bccfc";
/// The same with people of whom the owner's rules say nothing.
const TICK_6: &str = "8195923e0b61a6e9e182c8582f53c9f26e377ac91ca788649d1cbea91513e563";

/// What `*.describe` can name, in the release of rules number 1.
const DESCRIBE_1: &str = "82ff256bad0c64aa0775d35c24ba332e72a30c53627696ea9213ae3258705771";
/// The same with people.
const DESCRIBE_2: &str = "a84b7f6a9779f7a9f2976f3f57b19319f77a5aa8493aff9aaa82e0573c071061";
/// The same with the words of messages that are questions: Finance's alone.
const DESCRIBE_3: &str = "a406c24ae370e8d85592ba03162bd1f0f40cb78d3730e78096044dc46983089f";
/// The same with the Message-ID of one mail: that of Comms alone.
const DESCRIBE_4: &str = "10071a51bcbd1971b5bae6af00df8f939a06c393ad292626beaa8ede8ad8497d";
/// The same with the mails that lie no longer where they were read.
const DESCRIBE_5: &str = "69ccc21a7cbdad0a0301689574a682a554b3e503c931b1208aca75690baca066";
/// The same with the address of one mail, and with what tells two of one name apart beside the name.
const DESCRIBE_6: &str = "f68565bf77868e6534cae78cc00b9a4ddba7068265f655d01cf6ab76a3414ec5";

const fn describe(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: DESCRIBE_1,
        new: Some(DESCRIBE_2),
        adr: "0075",
    }
}

const fn tick(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: TICK_1,
        new: Some(TICK_2),
        adr: "0074",
    }
}

const fn tick_later(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: TICK_2,
        new: Some(TICK_3),
        adr: "0106",
    }
}

const fn tick_meeting(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: TICK_3,
        new: Some(TICK_4),
        adr: "0109",
    }
}

const fn tick_let_through(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: TICK_4,
        new: Some(TICK_5),
        adr: "0113",
    }
}

const fn tick_person(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: TICK_5,
        new: Some(TICK_6),
        adr: "0127",
    }
}

const fn ingest_rests(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: INGEST_3,
        new: Some(INGEST_4),
        adr: "0158",
    }
}

const fn ingest_meeting(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: INGEST_2,
        new: Some(INGEST_3),
        adr: "0109",
    }
}

const fn ingest(tool: &'static str) -> ReleasedChange {
    ReleasedChange {
        tool,
        old: INGEST_1,
        new: Some(INGEST_2),
        adr: "0041",
    }
}

/// Oldest first.
pub const RELEASED_CHANGES: &[ReleasedChange] = &[
    ingest("calendar.ingest"),
    ingest("comms.ingest"),
    ingest("finance.ingest"),
    ingest("wellness.ingest"),
    tick("calendar.tick"),
    tick("comms.tick"),
    tick("finance.tick"),
    tick("wellness.tick"),
    tick_later("calendar.tick"),
    tick_later("comms.tick"),
    tick_later("finance.tick"),
    tick_later("wellness.tick"),
    tick_meeting("calendar.tick"),
    tick_meeting("comms.tick"),
    tick_meeting("finance.tick"),
    tick_meeting("wellness.tick"),
    tick_let_through("calendar.tick"),
    tick_let_through("comms.tick"),
    tick_let_through("finance.tick"),
    tick_let_through("wellness.tick"),
    tick_person("calendar.tick"),
    tick_person("comms.tick"),
    tick_person("finance.tick"),
    tick_person("wellness.tick"),
    ingest_meeting("calendar.ingest"),
    ingest_meeting("comms.ingest"),
    ingest_meeting("finance.ingest"),
    ingest_meeting("wellness.ingest"),
    ingest_rests("calendar.ingest"),
    ingest_rests("comms.ingest"),
    ingest_rests("finance.ingest"),
    ingest_rests("wellness.ingest"),
    describe("calendar.describe"),
    describe("comms.describe"),
    describe("finance.describe"),
    ReleasedChange {
        tool: "finance.describe",
        old: DESCRIBE_2,
        new: Some(DESCRIBE_3),
        adr: "0090",
    },
    ReleasedChange {
        tool: "comms.describe",
        old: DESCRIBE_2,
        new: Some(DESCRIBE_4),
        adr: "0115",
    },
    ReleasedChange {
        tool: "comms.describe",
        old: DESCRIBE_4,
        new: Some(DESCRIBE_5),
        adr: "0189",
    },
    ReleasedChange {
        tool: "comms.describe",
        old: DESCRIBE_5,
        new: Some(DESCRIBE_6),
        adr: "0195",
    },
    // With the class and its evidence.
    ReleasedChange {
        tool: "comms.classify",
        old: "3a3e015bcebafb190f14454db8be4c25c8146317bd34190dda216a70ee95aa64",
        new: Some("3605491cded18398f81b0fe058048db08021b01234472892d8ce87a5680eb358"),
        adr: "0074",
    },
    // With when each was sent, its channel and its class.
    ReleasedChange {
        tool: "comms.triage_inbox",
        old: "4c6c38c73a99536986cd69627c4375e3c8891884d13ba809222b6d561787d2dd",
        new: Some("d6e864947f30bb47a11b9d795698689e5def6c850031d41f361276e70508eefb"),
        adr: "0091",
    },
    // Of all who wait, who waits longest first.
    ReleasedChange {
        tool: "comms.triage_inbox",
        old: "d6e864947f30bb47a11b9d795698689e5def6c850031d41f361276e70508eefb",
        new: Some("d0c382300e23b7137e14ecf1e183884899c9fd35ef10e95c2d6387c110f4b438"),
        adr: "0152",
    },
];

/// SHA-256 of the columns of a tool that do not change without being accepted.
pub(crate) fn contract_hash(entry: &LockedTool) -> String {
    let columns = entry.iter().filter(|(column, _)| !super::lock::is_free(column));
    crate::canonical::hash(
        &columns
            .map(|(column, value)| (column.clone(), value.clone()))
            .collect(),
    )
}

/// The rows that lead from one contract of a tool to another; empty when they do not.
pub(super) fn accepted_path(
    table: &'static [ReleasedChange],
    tool: &str,
    old: &LockedTool,
    new: Option<&LockedTool>,
) -> Vec<&'static ReleasedChange> {
    let (mut at, wanted) = (contract_hash(old), new.map(contract_hash));
    let mut rows = Vec::new();
    if wanted.as_ref() == Some(&at) {
        return rows;
    }
    // Each row once, in the order in which they were released.
    for row in table.iter().filter(|row| row.tool == tool) {
        if row.old != at {
            continue;
        }
        rows.push(row);
        match row.new {
            Some(next) => next.clone_into(&mut at),
            None => at.clear(),
        }
        if row.new == wanted.as_deref() {
            return rows;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::lock::{CATALOGUE_LOCK, CatalogueDiff, CatalogueLock};
    use serde_json::json;
    use std::{fs, path::Path};

    fn repository() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
    }

    #[test]
    fn what_differs_from_a_released_catalogue_is_in_the_table() {
        let built = CatalogueLock::parse(CATALOGUE_LOCK).unwrap();
        let mut locks = 0;
        for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/released")).unwrap() {
            let path = entry.unwrap().path();
            let released = CatalogueLock::parse(&fs::read_to_string(&path).unwrap()).unwrap();
            let missing: Vec<String> = CatalogueDiff::between(&released, &built)
                .tools_to_accept()
                .into_iter()
                .map(|tool| {
                    let hash = |lock: &CatalogueLock| lock.tools.get(tool).map(contract_hash);
                    format!("{tool}: {:?} -> {:?}", hash(&released), hash(&built))
                })
                .collect();
            assert!(
                missing.is_empty(),
                "add a row to RELEASED_CHANGES for each of these since {}: {missing:#?}",
                path.display()
            );
            locks += 1;
        }
        assert!(locks > 0);
    }

    #[test]
    fn each_row_names_a_page_and_changes_something() {
        for row in RELEASED_CHANGES {
            let page = format!("{}-", row.adr);
            let mut pages = fs::read_dir(repository().join("docs/adr")).unwrap();
            assert!(
                pages.any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with(&page)),
                "{row:?}"
            );
            assert_ne!(Some(row.old), row.new, "{row:?}");
        }
    }

    fn entry(args: &str, words: &str) -> LockedTool {
        [("args", args), ("description", words), ("adr", words)]
            .map(|(column, value)| (column.to_owned(), json!(value)))
            .into()
    }

    #[test]
    fn rows_lead_from_release_to_release_and_never_elsewhere() {
        let [one, two, three, four] = ["1", "2", "3", "4"].map(|args| entry(args, "words"));
        let row = |old: &LockedTool, new: Option<&LockedTool>| ReleasedChange {
            tool: "comms.count",
            old: contract_hash(old).leak(),
            new: new.map(|new| &*contract_hash(new).leak()),
            adr: "0047",
        };
        // 1 -> 2 -> 3 -> gone; and another tool's 1 -> 4.
        let other = ReleasedChange {
            tool: "comms.other",
            ..row(&one, Some(&four))
        };
        let table: &[ReleasedChange] = vec![
            row(&one, Some(&two)),
            other,
            row(&two, Some(&three)),
            row(&three, None),
        ]
        .leak();
        for (old, new, rows) in [
            (&one, Some(&two), 1),
            (&one, Some(&three), 2),
            (&two, Some(&three), 1),
            (&one, None, 3),
            (&three, None, 1),
            // Not the release's doing.
            (&one, Some(&four), 0),
            (&two, Some(&one), 0),
            (&four, None, 0),
            (&one, Some(&one), 0),
        ] {
            assert_eq!(
                accepted_path(table, "comms.count", old, new).len(),
                rows,
                "{old:?} {new:?}"
            );
        }
        assert_eq!(accepted_path(table, "comms.other", &one, Some(&four)).len(), 1);
        // Words are nobody's contract.
        assert_eq!(contract_hash(&one), contract_hash(&entry("1", "better words")));
    }
}
