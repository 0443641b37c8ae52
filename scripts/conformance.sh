#!/usr/bin/env bash
# Tries Aura's server of the Model Context Protocol by the protocol's own suite, in both versions, and by the inspector's command line.
#
# usage: scripts/conformance.sh AURA FIXTURES
#
# AURA is the program: the scenarios that need no fixture run against it, on an invented household. FIXTURES is the example `mcp_fixtures` of
# `surfaces/doors`: all that the versions require run against it, but for those that tests/integration/mcp/conformance.yaml names with the
# reason. Ends with 1 when one fails that is not named, or one that is named does not.
set -euo pipefail
cd "$(dirname "$0")/.."
aura=$(realpath "$1") fixtures=$(realpath "$2")
suite="${XDG_CACHE_HOME:-$HOME/.cache}/aura-tools/mcp-suite-0.2.0-alpha.12-2.12.0"
[ -d "$suite/node_modules" ] || { echo "the suite is not there: scripts/deps.sh suite" >&2; exit 1; }
export PATH="$suite/node_modules/node/bin:$suite/node_modules/.bin:$PATH" NO_PROXY=127.0.0.1,localhost
versions=(2026-07-28 2025-11-25)
dir=$(mktemp -d)
children=()
cleanup() { for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done; rm -rf "$dir"; }
trap cleanup EXIT

# A port that is free just now.
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# Passes on to a port with a token; prints the port to ask.
behind() {
    local port; port=$(free)
    AURA_DEVICE_TOKEN=$2 node scripts/conformance-proxy.mjs "$port" "$1" >/dev/null &
    children+=($!)
    until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
    reached=$port
}

# --- the fixtures ------------------------------------------------------------------------------------------------------
mkfifo "$dir/said"
"$fixtures" >"$dir/said" & children+=($!)
read -r port token <"$dir/said"
behind "$port" "$token"
for version in "${versions[@]}"; do
    echo "== the fixtures, $version"
    conformance server --url "http://127.0.0.1:$reached/mcp" --requirements "$version" \
        --expected-failures tests/integration/mcp/conformance.yaml >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
    sed 's/\x1b\[[0-9;]*m//g' "$dir/log" | sed -n '/=== SUMMARY/,$p'
done

# --- Aura ----------------------------------------------------------------------------------------------------------------
printf 'zone = "UTC"\n' >"$dir/home.toml"
export AURA_KEY_FILE=$dir/key
mkfifo "$dir/ready"
"$aura" run --port 0 --json --home "$dir/home.toml" --data "$dir/data" >"$dir/ready" 2>"$dir/aura.log" & children+=($!)
exec 4<"$dir/ready"
read -r ready <&4
port=$(sed 's/.*"page":"[^"]*:\([0-9]*\).*/\1/' <<<"$ready")
token=$("$aura" device add suite --scope ask --tools all --json --data "$dir/data" --home "$dir/home.toml" | sed 's/.*"token":"\([^"]*\)".*/\1/')
behind "$port" "$token"
try() {
    conformance server --url "http://127.0.0.1:$reached/mcp" --scenario "$1" --spec-version "$2" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
    echo "$2 $1: $(sed 's/\x1b\[[0-9;]*m//g' "$dir/log" | grep '^Passed')"
}
echo "== aura"
for scenario in tools-list resources-list sep-2164-resource-not-found prompts-list dns-rebinding-protection caching http-header-validation \
    input-required-result-unsupported-methods; do try "$scenario" 2026-07-28; done
for scenario in server-initialize ping tools-list resources-list prompts-list dns-rebinding-protection; do try "$scenario" 2025-11-25; done

echo "== the inspector"
mcp-inspector --cli "http://127.0.0.1:$port/mcp" --transport http --header "Authorization: Bearer $token" --method tools/list --strict >"$dir/log" ||
    { cat "$dir/log"; exit 1; }
echo "tools/list --strict: $(grep -c '"inputSchema"' "$dir/log") tools"
AURA_DEVICE_TOKEN=$token AURA_MCP_URL="http://127.0.0.1:$port/mcp" mcp-inspector --cli "$aura" mcp -e "AURA_DEVICE_TOKEN=$token" \
    -e "AURA_MCP_URL=http://127.0.0.1:$port/mcp" --method resources/list >"$dir/log" || { cat "$dir/log"; exit 1; }
echo "aura mcp, resources/list: $(grep -c '"uri"' "$dir/log") resources"
