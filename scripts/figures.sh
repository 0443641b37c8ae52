#!/usr/bin/env bash
# Writes docs/agents/figures.md: what the agents cost on this machine, by the commands that it names.
set -euo pipefail
cd "$(dirname "$0")/.."
aura=${AURA:-target/release/aura}
page=docs/agents/figures.md
fresh=$(mktemp "$page.XXXXXX")
trap 'rm -f "$fresh"' EXIT

run() {
    printf '```text\n$ aura %s\n' "$*"
    "$aura" "$@"
    printf '```\n\n'
}

{
    printf '# What the agents cost\n\n'
    printf 'Written by `make figures`; not edited by hand. Release build of %s, %s, on %s (%s cores).\n\n' \
        "$(git describe --always --dirty)" "$(date -u +%F)" \
        "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)"
    printf 'Goals: a tick 4 µs at the median; a notification 3 µs by rules and 20 µs with the classifier; a mail of 8 KB 80 µs;\n'
    printf '100 MB/s of mbox and 50 MB/s of health XML per core, in flat memory.\n\n'
    printf '## Ticks and notifications\n\n'
    printf 'CPU time of one thread. A batch of notifications is handed over and read together, its state written as JSON included; a mail is parsed and judged.\n\n'
    run bench agents
    printf '## Reading large files\n\n'
    printf 'Each kind twice where memory has to stay flat: an eighth of the file, then the whole. *kept + skipped* are items; *longest* is\n'
    printf 'the slowest of its slices; *memory* by how much the process grew while it read; *again* a second look at what did not change.\n'
    printf 'A mail of years is known by its head; one of today is read and judged in full.\n\n'
    run bench import
} > "$fresh"
mv "$fresh" "$page"
chmod 644 "$page"
trap - EXIT
