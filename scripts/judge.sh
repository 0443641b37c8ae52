#!/usr/bin/env bash
# Judges Aura's judgement by messages that nobody trained it on, and prints every table: `make judge`. The models are trained again and compared
# byte by byte. YEAR=yes also plays a year of real mail through `aura` itself. PEERS=yes prints what bogofilter and SpamAssassin make of the same mail, where they are installed. RECORD=yes keeps the figures of this commit in docs/judge/history.tsv
# and writes the tables into the agents' pages. The misses and the year's cards are named, by file, in lists outside the clone.
set -euo pipefail
cd "$(dirname "$0")/.."
options=()
if [ "${RECORD:-no}" = yes ]; then
    [ -z "$(git status --porcelain -- agents toolcall-schema orchestrator Cargo.lock)" ] ||
        { echo "aura: figures are of a commit, and the code is not what the last commit holds; commit first." >&2; exit 1; }
    options+=(--record "$(git rev-parse --short=7 HEAD)" "$(date -u +%F)")
fi
data=$(scripts/judge-data.sh)
run=(cargo run --profile "${PROFILE:-release}" --locked --quiet)
# Whoever doubts the models makes them again: the same folders, the same bytes.
if ! "${run[@]}" -p agents-training -- --corpus "$data/mail" --check; then
    echo "aura: THE MODELS OF THIS COMMIT ARE NOT WHAT THE TRAINING MAKES OF ITS FOLDERS." >&2
    exit 1
fi
if [ "${YEAR:-no}" = yes ]; then
    year="$data/year"
    rm -rf "$year"
    "${run[@]}" -p agents-judge -- year --data "$data" --into "$year"
    echo "aura: a year of mail is being played, which takes some minutes" >&2
    "${run[@]}" --bin aura -- replay "$year" --json > "$year/traces.jsonl"
    options+=(--year "$year")
fi
"${run[@]}" -p agents-judge -- real --data "$data" --misses "$data/misses.tsv" "${options[@]}"
[ "${PEERS:-no}" != yes ] || scripts/judge-peers.sh "$data/mail"
