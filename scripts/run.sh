#!/usr/bin/env bash
# Starts the demo household. Behind it the model's program is built and the default model fetched; the service uses them when they are
# there. Both end with the demo. MODEL=no leaves them out.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
aura="$target/first/aura"
data=.aura/demo

if [ "${MODEL:-yes}" != no ]; then
    mkdir -p "$target"
    log="$target/model.log"
    # A session of its own, so that all of it can be ended; nice, so that the page does not wait for it.
    setsid nice -n 19 bash -c 'make --no-print-directory model MODEL_PROFILE=first && exec "$0" model fetch smollm2 --data "$1"' "$aura" "$data" \
        >"$log" 2>&1 </dev/null &
    behind=$!
    trap 'kill -- -"$behind" 2>/dev/null || true' EXIT
    echo "the language model is built behind (five to eight minutes the first time; MODEL=no leaves it out): $log"
fi
# SIGINT from the terminal reaches the demo too, which ends in order; then this ends.
trap : INT
trap 'kill -TERM "$demo" 2>/dev/null || true' TERM HUP
"$aura" demo --data "$data" &
demo=$!
status=0
# A signal interrupts waiting: the demo's own end is waited for.
while kill -0 "$demo" 2>/dev/null; do
    wait "$demo" && status=0 || status=$?
done
exit "$status"
