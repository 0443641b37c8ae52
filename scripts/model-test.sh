#!/usr/bin/env bash
# Tests the model's program: the way of Phi-3 on a tiny model, what makes llama.cpp abort, and the default model where it can be had.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
data="$PWD/.aura/model-test"
case "$target" in /*) ;; *) target="$PWD/$target" ;; esac
case "$target" in "$PWD"/*) ;; *) data="$target/model-test" ;; esac

# With the tests' own features: nothing is compiled twice.
cargo test --locked --workspace --test model --no-run --quiet
if file=$("$target/debug/aura" model fetch smollm2 --data "$data" --json); then
    AURA_SMOLLM2=$(sed -n 's/.*"file":"\([^"]*\)".*/\1/p' <<<"$file")
    export AURA_SMOLLM2
else
    echo "skipped: the default model cannot be had here, so only the tiny one is tested"
fi
export AURA_MODEL_WORKER="$target/release/aura-llm"

native=(--release --locked -p llm-runtime --features native)
if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run "${native[@]}" --no-fail-fast
    cargo nextest run --locked --workspace --test model --no-fail-fast
else
    cargo test "${native[@]}" --all-targets --no-fail-fast
    cargo test --locked --workspace --test model --no-fail-fast
fi
