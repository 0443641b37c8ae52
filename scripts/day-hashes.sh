#!/bin/sh
# Whether two builds make the same of every recorded day, byte for byte: `aura replay DIR --json` of each.
#
# usage: scripts/day-hashes.sh AURA          print the SHA-256 for each day
#        scripts/day-hashes.sh AURA OTHER    compare; 1 where a day differs
#
# For a change that is meant to change structure alone: keep the program of before (cp target/debug/aura /tmp/aura-before), build, compare.
# A change of a catalogue, a schema or a policy changes every day, because traces name their hashes.
set -eu
cd "$(dirname "$0")/.."
hashes() {
    for day in fixtures/days/*/; do
        # A day that does not end as it says has an exit code of its own: its output is compared all the same.
        hash="$({ "$1" replay "$day" --json || true; } 2>/dev/null | sha256sum)"
        printf '%s  %s\n' "${hash%% *}" "$(basename "$day")"
    done
}
case $# in
1) hashes "$1" ;;
2)
    before="$(mktemp)"
    trap 'rm -f "$before"' EXIT
    hashes "$1" >"$before"
    hashes "$2" | diff -u "$before" - && echo "every recorded day gives the same bytes"
    ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,9p >&2
    exit 2
    ;;
esac
