#!/usr/bin/env bash
# Judges Aura's judgement by messages that nobody trained it on, and prints every table: `make judge`. RECORD=yes keeps the figures of this commit in
# docs/judge/history.tsv and writes the tables into the agents' pages. The misses are named, by file, in a list outside the clone.
set -euo pipefail
cd "$(dirname "$0")/.."
record=()
if [ "${RECORD:-no}" = yes ]; then
    [ -z "$(git status --porcelain -- agents toolcall-schema Cargo.lock)" ] ||
        { echo "aura: figures are of a commit, and the code is not what the last commit holds; commit first." >&2; exit 1; }
    record=(--record "$(git rev-parse --short=7 HEAD)" "$(date -u +%F)")
fi
data=$(scripts/judge-data.sh)
cargo run --release --locked --quiet -p agents-judge -- real --data "$data" --misses "$data/misses.tsv" "${record[@]}"
