#!/usr/bin/env bash
# Runs a command whose temporary folders lie in memory, where 4 GB are free there, and removes them afterwards.
#
# usage: scripts/in-memory.sh COMMAND [ARGUMENT...]
#
# A sync to a disk takes longer than all the rest of most tests. What a killed process leaves behind is the same in memory.
# A disk that fails or is full is made by the tests themselves (docs/adr/0058).
set -euo pipefail
free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -1 || true)
if [ "${free:-0}" -ge 4000000 ] && scratch=$(mktemp -d /dev/shm/aura-tests.XXXXXX 2>/dev/null); then
    trap 'rm -rf "$scratch"' EXIT
    export TMPDIR=$scratch
fi
"$@"
