#!/usr/bin/env python3
"""Puts a container image together from a built program, without a daemon and without a base image.

  scripts/image.py PROGRAM VERSION FILE

FILE becomes an archive in the layout of the Open Container Initiative, which `podman load -i FILE` and `docker load -i FILE` take. In it are the program, the
shared libraries that it names (of the machine on which this runs: they must not be older than those it was linked for), the certificates that this machine
trusts, and one user; no shell, no package manager. The same files give the same bytes: times are SOURCE_DATE_EPOCH, names are sorted.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
OWNER = 1000
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def libraries(program):
    """What the program is loaded with, and what loads it: each where this machine's own loader looks for it."""
    said = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", said, re.M)
    if not any("ld-linux" in path for path in found):
        sys.exit(f"image: {program} names no loader")
    return found


class Layer:
    """A tar of sorted names, one owner and one time."""

    def __init__(self):
        self.entries = {}

    def file(self, name, content, mode=0o644, owner=0):
        self.entries[name] = (tarfile.REGTYPE, content, mode, owner)

    def folder(self, name, mode=0o755, owner=0):
        self.entries[name] = (tarfile.DIRTYPE, b"", mode, owner)

    def bytes(self):
        for name in list(self.entries):
            for parent in pathlib.PurePosixPath(name).parents:
                if str(parent) != "." and str(parent) not in self.entries:
                    self.folder(str(parent))
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for name in sorted(self.entries):
                kind, content, mode, owner = self.entries[name]
                entry = tarfile.TarInfo(name)
                entry.type, entry.size, entry.mode, entry.mtime = kind, len(content), mode, EPOCH
                entry.uid = entry.gid = owner
                tar.addfile(entry, io.BytesIO(content))
        return out.getvalue()


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program, version, file = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    if not CERTIFICATES.exists():
        sys.exit(f"image: there is no {CERTIFICATES} (Debian: ca-certificates)")

    layer = Layer()
    layer.file("usr/bin/aura", program.read_bytes(), 0o755)
    for path in libraries(program):
        layer.file(path.lstrip("/"), pathlib.Path(path).read_bytes(), 0o755)
    layer.file("etc/ssl/certs/ca-certificates.crt", CERTIFICATES.read_bytes())
    layer.file("etc/passwd", f"owner:x:{OWNER}:{OWNER}::/data:/nonexistent\n".encode())
    layer.file("etc/group", f"owner:x:{OWNER}:\n".encode())
    for licence in ("libc6", "libgcc-s1", "ca-certificates"):
        text = pathlib.Path(f"/usr/share/doc/{licence}/copyright")
        if text.exists():
            layer.file(f"usr/share/doc/{licence}/copyright", text.read_bytes())
    # Everything of the owner's: configuration, key and data lie in one volume, for that owner alone.
    layer.folder("data", 0o700, OWNER)
    layer.folder("tmp", 0o1777)

    blobs = {}

    def blob(kind, content):
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}

    def document(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    tar = layer.bytes()
    packed = gzip.compress(tar, compresslevel=9, mtime=0)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    labels = {
        "org.opencontainers.image.title": "Aura",
        "org.opencontainers.image.description": "A quiet assistant on your own machine",
        "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
        "org.opencontainers.image.version": version,
    }
    config = document(
        {
            "created": created,
            "architecture": MACHINES.get(os.uname().machine, os.uname().machine),
            "os": "linux",
            "config": {
                "User": f"{OWNER}:{OWNER}",
                "Env": ["PATH=/usr/bin", "HOME=/data", "LANG=C.UTF-8"],
                "Entrypoint": ["/usr/bin/aura"],
                "Cmd": ["run"],
                "WorkingDir": "/data",
                "Volumes": {"/data": {}},
                "Labels": labels,
                "StopSignal": "SIGTERM",
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(tar).hexdigest()}"]},
            "history": [{"created": created, "created_by": "scripts/image.py"}],
        }
    )
    image = "application/vnd.oci.image"
    manifest = document(
        {
            "schemaVersion": 2,
            "mediaType": f"{image}.manifest.v1+json",
            "config": blob(f"{image}.config.v1+json", config),
            "layers": [blob(f"{image}.layer.v1.tar+gzip", packed)],
            "annotations": labels,
        }
    )
    described = blob(f"{image}.manifest.v1+json", manifest)
    # `~` is no letter of a tag.
    tag = version.replace("~", "-")
    described["annotations"] = {"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": f"aura:{tag}"}
    archive = Layer()
    archive.file("oci-layout", document({"imageLayoutVersion": "1.0.0"}))
    archive.file("index.json", document({"schemaVersion": 2, "mediaType": f"{image}.index.v1+json", "manifests": [described]}))
    for name, content in blobs.items():
        archive.file(name, content)
    file.write_bytes(archive.bytes())


main()
