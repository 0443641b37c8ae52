//! The tables of the store, and which databases a data folder has.
//!
//! What: [`MIGRATIONS`] by `user_version`, each with its tables. Why: everything that opens or mends a database reads this, and this reads
//! nothing. Not here: opening and migrating (`database`), rows (`rows`, `audit`, `workflows`).

/// The database's name in the data folder.
pub(crate) const FILE: &str = "aura.db";

/// The database in which an older Aura kept runs of workflows.
pub(crate) const OLD_RUNS_FILE: &str = "workflows.db";

/// Every database that a data folder of any version has.
pub(crate) const FILES: [&str; 2] = [FILE, OLD_RUNS_FILE];

/// The audit log. The triggers keep a mistake of ours from changing the past; who changes the file itself is found by `audit::verify`.
const AUDIT: &str = "
CREATE TABLE audit (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, op TEXT NOT NULL, commitment BLOB NOT NULL,
    chain BLOB NOT NULL, nodes BLOB NOT NULL, kind TEXT, id TEXT, count INTEGER, blind BLOB) STRICT;
CREATE INDEX audit_by_id ON audit (id) WHERE id IS NOT NULL;
CREATE TRIGGER audit_is_appended_to BEFORE INSERT ON audit
    WHEN new.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM audit)
    BEGIN SELECT raise(ABORT, 'the audit log is only appended to'); END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
    BEGIN SELECT raise(ABORT, 'the audit log is only appended to'); END;
CREATE TRIGGER audit_only_forgets BEFORE UPDATE ON audit
    WHEN new.seq IS NOT old.seq OR new.at_ms IS NOT old.at_ms OR new.op IS NOT old.op
      OR new.commitment IS NOT old.commitment OR new.chain IS NOT old.chain OR new.nodes IS NOT old.nodes
      OR new.kind IS NOT NULL OR new.id IS NOT NULL OR new.count IS NOT NULL OR new.blind IS NOT NULL
    BEGIN SELECT raise(ABORT, 'a record of the audit log can only lose its meaning'); END;
CREATE TABLE heads (size INTEGER PRIMARY KEY, day TEXT NOT NULL, root BLOB NOT NULL, chain BLOB NOT NULL,
    signature BLOB NOT NULL) STRICT;
CREATE TRIGGER heads_are_appended_to BEFORE INSERT ON heads
    WHEN new.size <= (SELECT coalesce(max(size), 0) FROM heads)
    BEGIN SELECT raise(ABORT, 'heads are only appended'); END;
CREATE TRIGGER heads_are_kept BEFORE DELETE ON heads
    BEGIN SELECT raise(ABORT, 'heads are only appended'); END;
CREATE TRIGGER heads_stay BEFORE UPDATE ON heads
    BEGIN SELECT raise(ABORT, 'heads are only appended'); END;
";

/// Runs of workflows. `goes_on`: a run that the next service takes up.
const RUNS: &str = "
CREATE TABLE run_events (run TEXT NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE runs (run TEXT PRIMARY KEY, workflow TEXT NOT NULL, feature TEXT, phase TEXT NOT NULL,
    until_ms INTEGER, started_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
    goes_on INTEGER NOT NULL DEFAULT 0 CHECK (goes_on IN (0, 1))) STRICT, WITHOUT ROWID;
CREATE INDEX runs_last ON runs (last_ms);
";

/// The version that has the tables of runs.
pub(crate) const RUNS_SINCE: usize = 10;

/// Each entry lifts the schema by one; its index plus one is the `user_version` it leads to. Never edited, only added to.
pub(crate) const MIGRATIONS: &[&str] = &["
CREATE TABLE events (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE snapshot (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE decisions (trace_id TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
CREATE TABLE traces (tick INTEGER PRIMARY KEY, trace_id TEXT NOT NULL UNIQUE, at_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL, chosen TEXT, json TEXT NOT NULL) STRICT;
CREATE TABLE ledger (seq INTEGER NOT NULL, day TEXT NOT NULL, trace_id TEXT NOT NULL, entry TEXT NOT NULL,
    tokens INTEGER NOT NULL, at_ms INTEGER NOT NULL, UNIQUE (day, seq, entry, trace_id)) STRICT;
CREATE TABLE agent_states (agent TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE policies (hash TEXT NOT NULL UNIQUE, text TEXT NOT NULL) STRICT;
", "
CREATE TABLE catalogues (hash TEXT NOT NULL UNIQUE, lock TEXT NOT NULL) STRICT;
", "
CREATE TABLE bases (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, json TEXT NOT NULL, forgot INTEGER NOT NULL) STRICT;
CREATE TABLE erasing (json TEXT NOT NULL) STRICT;
CREATE TABLE nodes (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, type TEXT NOT NULL CHECK (type IN ('user', 'event',
    'app', 'person', 'place', 'transaction', 'conversation', 'health_snapshot', 'action', 'trace')), at_ms INTEGER NOT NULL,
    data TEXT NOT NULL) STRICT;
CREATE INDEX nodes_type ON nodes (type, at_ms);
CREATE INDEX nodes_at ON nodes (at_ms);
CREATE TABLE edges (src INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE, type TEXT NOT NULL CHECK (type IN
    ('attended', 'sent_to', 'located_at', 'paid_to', 'talked_about', 'felt_during', 'triggered_by', 'confirmed_by_user')),
    dst INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE, at_ms INTEGER NOT NULL, weight REAL NOT NULL,
    PRIMARY KEY (src, type, dst, at_ms)) STRICT, WITHOUT ROWID;
CREATE INDEX edges_dst ON edges (dst, type);
CREATE TABLE labels (key TEXT PRIMARY KEY, text TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE counters (day TEXT NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (day, kind, outcome)) STRICT, WITHOUT ROWID;
CREATE INDEX traces_at ON traces (at_ms);
CREATE INDEX events_at ON events (at_ms);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = \"unicode61 remove_diacritics 0\");
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
", AUDIT, "
CREATE TABLE devices (id TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT, WITHOUT ROWID;
", "
CREATE TABLE commits (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL) STRICT;
", "
CREATE TABLE confirmed_time (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL) STRICT;
", "
CREATE TABLE signals (key TEXT PRIMARY KEY, at_ms INTEGER NOT NULL, refused INTEGER NOT NULL CHECK (refused IN (0, 1)))
    STRICT, WITHOUT ROWID;
CREATE INDEX signals_at ON signals (at_ms);
", "
ALTER TABLE commits ADD COLUMN opening INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commits ADD COLUMN groups INTEGER NOT NULL DEFAULT 0;
", RUNS, "
CREATE TABLE agent_state_changes (agent TEXT NOT NULL, number INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (agent, number)) STRICT, WITHOUT ROWID;
", "
CREATE INDEX traces_calls ON traces (json_extract(json, '$.decision.tick')) WHERE tick < 0;
", "
CREATE TABLE accounts (id INTEGER PRIMARY KEY, account TEXT NOT NULL, part TEXT NOT NULL, sealed BLOB NOT NULL,
    UNIQUE (account, part)) STRICT;
", "
CREATE TABLE mentions (thing TEXT NOT NULL, tick INTEGER NOT NULL REFERENCES traces (tick) ON DELETE CASCADE,
    PRIMARY KEY (thing, tick)) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_tick ON mentions (tick);
CREATE INDEX nodes_subject ON nodes (json_extract(data, '$.subject')) WHERE type = 'action';
ALTER TABLE commits ADD COLUMN content INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commits ADD COLUMN payments INTEGER NOT NULL DEFAULT 0;
", "
DROP INDEX nodes_at;
CREATE TABLE behind (n INTEGER PRIMARY KEY, json TEXT NOT NULL) STRICT;
", "
DROP INDEX events_at;
", "
ALTER TABLE commits ADD COLUMN log_position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE commits ADD COLUMN log_mark INTEGER NOT NULL DEFAULT 0;
"];

/// The version that knows which traces name whom: what an earlier one kept is read for it once.
pub(crate) const MENTIONS_SINCE: usize = 14;

/// The version in which a commit may leave something to be written behind it.
pub(crate) const BEHIND_SINCE: usize = 15;
