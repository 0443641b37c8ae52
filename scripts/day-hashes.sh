#!/bin/sh
# The SHA-256 of what `aura replay DIR --json` prints for each recorded day.
#
# usage: scripts/day-hashes.sh [AURA]            print them; AURA is target/debug/aura without
#        scripts/day-hashes.sh --check [AURA]    compare them with fixtures/day-hashes.txt
#
# Whoever changes structure and not behaviour keeps them. Whoever changes what is decided, a catalogue or a schema writes them anew, in the
# same commit: scripts/day-hashes.sh > fixtures/day-hashes.txt
set -eu
cd "$(dirname "$0")/.."
check=no
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
aura="${1:-${CARGO_TARGET_DIR:-target}/debug/aura}"
hashes() {
    for day in fixtures/days/*/; do
        # A day that does not end as it says has an exit code of its own: its output is compared all the same.
        hash="$({ "$aura" replay "$day" --json || true; } 2>/dev/null | sha256sum)"
        printf '%s  %s\n' "${hash%% *}" "$(basename "$day")"
    done
}
if [ "$check" = yes ]; then
    hashes | diff -u fixtures/day-hashes.txt - && echo "every recorded day gives the same bytes"
else
    hashes
fi
