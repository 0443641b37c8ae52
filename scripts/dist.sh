#!/usr/bin/env bash
# Makes what can be installed out of binaries that are built: a Debian package, a tarball, a container image, the list of what is in them, checksums, a signature.
#
#   scripts/dist.sh BINARIES SITE RESULTS
#
# BINARIES is a folder with `aura` and, where it was built, `aura-llm`; SITE one with the pages of `make site`. The lab, its benches and the samples are left out.
# AURA_GLIBC says which glibc they were linked for, and this refuses binaries that need a newer one. The same binaries and the same commit give the same bytes: times are the commit's, owners are 0, names are sorted. AURA_DIST_KEY names a file with an Ed25519 private key
# (PEM) that SHA256SUMS is signed with. docs/install.md says how each is installed and checked.
set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC

binaries="$(realpath "$1")"
site="$(realpath "$2")"
mkdir -p "$3"
results="$(realpath "$3")"
cd "$(dirname "$0")/.."

say() { printf 'dist: %s\n' "$*"; }
fail() { printf 'dist: %s\n' "$*" >&2; exit 1; }
for tool in dpkg-deb dpkg-shlibdeps objcopy objdump strip gzip tar sha256sum openssl python3; do
    command -v "$tool" >/dev/null || fail "$tool is not installed (Debian: dpkg-dev, binutils, openssl, python3)"
done
[ -x "$binaries/aura" ] || fail "no aura in $binaries: make build"
[ -e "$site/index.html" ] || fail "no pages in $site: make site"

commit="$(git rev-parse --short=9 HEAD)"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
number="$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)"
# What is no release yet is older than it, and newer than an earlier commit.
version="$number"
git describe --exact-match --tags --match "v$number" HEAD >/dev/null 2>&1 \
    || version="$number~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M).$commit"
arch="$(dpkg --print-architecture)"
machine="$(uname -m)"

# What was made before is of another version.
rm -f "$results"/aura_*.deb "$results"/aura-*.tar.gz "$results"/aura-*-oci.tar "$results"/aura-*.cdx.json "$results"/SHA256SUMS "$results"/SHA256SUMS.sig

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
deb="$work/deb"
usr="$deb/usr"
doc="$usr/share/doc/aura"
mkdir -p "$usr/bin" "$usr/lib/systemd/user" "$usr/share/applications" "$usr/share/icons/hicolor/scalable/apps" \
    "$usr/share/bash-completion/completions" "$usr/share/zsh/vendor-completions" "$usr/share/fish/vendor_completions.d" \
    "$usr/share/man/man1" "$doc"

# The programs, with the list of what they are made of in a section that `rust-audit-info` and scanners read.
scripts/sbom.py auditable >"$work/dep-v0"
for program in aura aura-llm; do
    [ -x "$binaries/$program" ] || continue
    strip --strip-unneeded -o "$work/$program" "$binaries/$program"
    objcopy --add-section .dep-v0="$work/dep-v0" --set-section-flags .dep-v0=noload,readonly "$work/$program" "$usr/bin/$program"
    chmod 755 "$usr/bin/$program"
    glibc="$(objdump -T "$usr/bin/$program" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -Vu | tail -1)"
    say "$program needs glibc $glibc"
    [ -z "${AURA_GLIBC:-}" ] || [ "$(printf '%s\n' "$glibc" "$AURA_GLIBC" | sort -V | tail -1)" = "$AURA_GLIBC" ] ||
        fail "$program was to need glibc $AURA_GLIBC at most"
done

# What the program says of itself; nothing of this machine's environment is in it.
own() { env -i PATH=/usr/bin:/bin HOME=/nonexistent "$usr/bin/aura" "$@"; }
own completions bash >"$usr/share/bash-completion/completions/aura"
own completions zsh >"$usr/share/zsh/vendor-completions/_aura"
own completions fish >"$usr/share/fish/vendor_completions.d/aura.fish"
own manual "$usr/share/man/man1"
gzip -9n "$usr/share/man/man1"/*.1

sed -e 's|%h/.local/bin/|/usr/bin/|' -e 's|file:%h/.local/share/doc/|file:/usr/share/doc/|' \
    -e '/^#   mkdir -p/d' -e 's|^#   systemctl --user daemon-reload && |#   |' docs/aura.service >"$usr/lib/systemd/user/aura.service"
cp packaging/aura.desktop "$usr/share/applications/aura.desktop"
cp surfaces/assets/aura.svg "$usr/share/icons/hicolor/scalable/apps/aura.svg"
cp -R "$site" "$doc/html"
gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
scripts/sbom.py cyclonedx >"$doc/aura.cdx.json"
{
    cat packaging/copyright
    printf '\nCrates that are linked into it, with their licences:\n\n'
    python3 -c 'import json,sys
for c in json.load(open(sys.argv[1]))["components"]:
    if c["scope"] == "required":
        print("  " + c["name"], c["version"], (c.get("licenses") or [{"expression": "as aura"}])[0]["expression"], sep="  ")' "$doc/aura.cdx.json"
    for licence in surfaces/assets/licences/*; do printf '\n%s:\n\n' "$(basename "$licence")"; cat "$licence"; done
    printf '\nMIT:\n\n'; cat LICENSE-MIT
} >"$doc/copyright"

# The package.
mkdir -p "$deb/DEBIAN" "$work/debian"
printf 'Source: aura\n\nPackage: aura\nArchitecture: any\nDepends: ${shlibs:Depends}\n' >"$work/debian/control"
depends="$(cd "$work" && dpkg-shlibdeps -O $(printf -- '-e%s ' "$usr"/bin/*) 2>/dev/null | sed -n 's/^shlibs:Depends=//p')"
[ -n "$depends" ] || fail "dpkg-shlibdeps found no library that aura needs"
# It takes what moved from libpthread and libdl into libc in 2.34 for new; the symbols above say what is needed.
[ -z "${AURA_GLIBC:-}" ] || depends="$(sed "s/^\(.*libc6 (>= \)[0-9.]*)/\1$AURA_GLIBC)/" <<<"$depends")"
(cd "$deb" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$deb/DEBIAN/md5sums"
cat >"$deb/DEBIAN/control" <<CONTROL
Package: aura
Version: $version
Architecture: $arch
Maintainer: The Aura authors <noreply@aura.invalid>
Installed-Size: $(find "$usr" -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')
Depends: $depends
Recommends: ca-certificates, xdg-utils
Suggests: espeak-ng
Section: utils
Priority: optional
Description: quiet assistant on your own machine
 Aura reads your mail, calendars, payments and health data where they lie,
 says what is worth an interruption, a few times a day at most, and shows why.
 It runs as you, serves its pages on the loopback, and sends nothing anywhere
 unless you configured it.
CONTROL
install -m 755 packaging/postinst packaging/prerm "$deb/DEBIAN"
find "$deb" -print0 | xargs -0 touch -h -d "@$SOURCE_DATE_EPOCH"
package="aura_${version}_${arch}.deb"
dpkg-deb --root-owner-group -Zxz --build "$deb" "$results/$package" >/dev/null

# The tarball: unpacked into ~/.local it is installed.
root="aura-$version-$machine-linux"
mkdir -p "$work/$root"
cp -a "$usr/bin" "$usr/share" "$work/$root"
mkdir -p "$work/$root/share/systemd/user"
cp docs/aura.service "$work/$root/share/systemd/user/aura.service"
find "$work/$root" -print0 | xargs -0 touch -h -d "@$SOURCE_DATE_EPOCH"
tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -c "$root" | gzip -9n >"$results/$root.tar.gz"

# The image: `aura` alone, with what it is loaded with.
image="aura-$version-$machine-oci.tar"
scripts/image.py "$usr/bin/aura" "$version" "$results/$image"

cp "$doc/aura.cdx.json" "$results/aura-$version.cdx.json"
cd "$results"
sha256sum "$package" "$root.tar.gz" "$image" "aura-$version.cdx.json" >SHA256SUMS
if [ -n "${AURA_DIST_KEY:-}" ]; then
    openssl pkeyutl -sign -rawin -inkey "$AURA_DIST_KEY" -in SHA256SUMS -out SHA256SUMS.sig
    say "signed: SHA256SUMS.sig"
else
    say "unsigned: AURA_DIST_KEY names no key"
fi
for file in "$package" "$root.tar.gz" "$image" "aura-$version.cdx.json"; do say "$(stat -c '%s bytes' "$file")  $results/$file"; done
say "needs: $depends"
