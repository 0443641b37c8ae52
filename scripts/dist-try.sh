#!/usr/bin/env bash
# Installs a package in a clean root of Debian, starts Aura there as an ordinary user, looks at its first screen, and removes it again.
#
#   scripts/dist-try.sh PACKAGE.deb [SUITE...]      (bookworm trixie image)
#
# `image` is the container image beside the package, unpacked: it is started as its user. Other suites need a mirror that has them:
# AURA_DEBIAN_MIRROR=http://archive.ubuntu.com/ubuntu for focal (glibc 2.31) and jammy, http://archive.debian.org/debian for buster (2.28).
# Needs root, debootstrap, curl and the network. A root is made once for each suite, in ~/.cache/aura-tools/roots. Nothing of this machine but its network
# and its processes (/proc) is seen inside. Ends with 0 when all of it held.
set -euo pipefail
export LC_ALL=C

package="$(realpath "$1")"
shift
[ $# -gt 0 ] || set -- bookworm trixie image
roots="${AURA_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/aura-tools/roots}"
mirror="${AURA_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
mkdir -p "$roots"

say() { printf '%s: %s\n' "$suite" "$*"; }
fail() { say "FAILED: $*"; exit 1; }
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
owner() { inside su -s /bin/bash owner -c "cd; unset XDG_RUNTIME_DIR; $*"; }
# As its owner; in an image there is no shell.
aura() {
    if [ "$suite" = image ]; then env -i PATH=/usr/bin HOME=/data LANG=C.UTF-8 "$(command -v chroot)" --userspec=1000:1000 "$root" /usr/bin/aura "$@"
    else owner "aura $*"; fi
}
now() { date +%s%N; }
since() { printf '%d.%02d s' $((($(now) - $1) / 1000000000)) $((($(now) - $1) / 10000000 % 100)); }

end() {
    [ -n "${root:-}" ] || return 0
    [ ! -x "$root/usr/bin/aura" ] || aura stop >/dev/null 2>&1 || true
    ! mountpoint -q "$root/proc" || umount "$root/proc" || { say "left: $root, in which /proc is mounted"; root=; return 0; }
    rm -rf --one-file-system "$root"
    root=
}
trap end EXIT

# The files of an image, whose one layer the archive names.
unpack() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys, tarfile
archive = tarfile.open(sys.argv[1])
blob = lambda digest: archive.extractfile("blobs/sha256/" + digest.split(":")[1])
manifest = json.load(blob(json.load(archive.extractfile("index.json"))["manifests"][0]["digest"]))
for layer in manifest["layers"]:
    tarfile.open(fileobj=blob(layer["digest"])).extractall(sys.argv[2], numeric_owner=True)
PYTHON
}

# It starts, and shows its first screen; then it is stopped.
look() {
    begun="$(now)"
    opened="$(aura open --no-browser --port 0 --json)" || fail "it does not start: $(cat "$root"/"$1"/.local/state/aura/service.log)"
    page="$(printf '%s' "$opened" | sed 's/.*"page":"\([^"]*\)".*/\1/')"
    authority="${page#http://}"
    authority="${authority%%/*}"
    curl -sSf --max-time 5 --resolve "${authority%:*}:${authority##*:}:127.0.0.1" "http://$authority/pair" | grep -qi '<title>' || fail "no page at $page"
    say "first screen after $(since "$begun")"
    aura status | sed "s/^/$suite:   /"
    # What is not well; the sources are not chosen yet.
    aura doctor | grep -v '^ok' | sed "s/^/$suite:   /" || true
    aura stop >/dev/null || fail "it does not stop"
    [ -e "$root/$1/.local/share/aura/aura.db" ] || fail "data is gone"
}

for suite in "$@"; do
    if [ "$suite" = image ]; then
        root="$(mktemp -d)"
        chmod 755 "$root"
        unpack "$(echo "$(dirname "$package")"/aura-*-oci.tar)" "$root"
        # What whoever runs an image puts there.
        mkdir "$root/proc" "$root/dev"
        mount --bind /proc "$root/proc"
        mknod -m 666 "$root/dev/null" c 1 3
        mknod -m 666 "$root/dev/urandom" c 1 9
        say "$(aura --version)"
        look data
        end
        continue
    fi
    if [ ! -e "$roots/$suite/done" ]; then
        rm -rf "${roots:?}/$suite"
        # A suite that is newer than this debootstrap is made as all of them are by now.
        known="/usr/share/debootstrap/scripts/$suite"
        [ -e "$known" ] || known=/usr/share/debootstrap/scripts/gutsy
        debootstrap --variant=minbase "$suite" "$roots/$suite/root" "$mirror" "$known" >"$roots/$suite.log" 2>&1 || fail "no root: see $roots/$suite.log"
        touch "$roots/$suite/done"
    fi
    root="$(mktemp -d)"
    cp -a "$roots/$suite/root/." "$root"
    mount --bind /proc "$root/proc"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    cp "$package" "$root/tmp/aura.deb"
    inside useradd --create-home owner
    inside apt-get update -qq >/dev/null

    begun="$(now)"
    inside apt-get install -y -qq --no-install-recommends /tmp/aura.deb >"$root/tmp/log" 2>&1 || { cat "$root/tmp/log"; fail "it cannot be installed"; }
    say "installed in $(since "$begun") with what it needs"
    say "$(aura --version)"
    inside bash -n /usr/share/bash-completion/completions/aura || fail "bash cannot read its completions"
    inside gzip -t /usr/share/man/man1/aura.1.gz || fail "no manual page"
    inside md5sum --quiet -c /var/lib/dpkg/info/aura.md5sums >/dev/null 2>&1 || (cd "$root" && md5sum --quiet -c var/lib/dpkg/info/aura.md5sums) || fail "other bytes"
    [ ! -e "$root/usr/bin/aura-lab" ] || fail "the lab is in it"
    aura help STORE-004 | grep -q '^STORE-004' || fail "no page of a code"
    [ -e "$root/usr/share/doc/aura/html/errors/STORE-004.html" ] || fail "no pages"

    look home/owner
    inside dpkg --remove aura >/dev/null 2>&1 || fail "it cannot be removed"
    [ ! -e "$root/usr/bin/aura" ] && [ ! -e "$root/usr/lib/systemd/user/aura.service" ] || fail "something of it is left"
    [ -e "$root/home/owner/.local/share/aura/aura.db" ] || fail "data is gone"
    inside dpkg --purge aura >/dev/null 2>&1 || true
    [ -e "$root/home/owner/.local/share/aura/aura.db" ] || fail "data is gone"
    say "removed; what it kept is still there"
    end
done
