#!/usr/bin/env python3
"""What the program `aura` is made of, from Cargo's own files.

  scripts/sbom.py cyclonedx    a CycloneDX 1.5 document (JSON)
  scripts/sbom.py auditable    the list that stands in the program itself, as cargo-auditable writes it (section .dep-v0)

AURA_FEATURES names features that the program was built with beside its own (`vendored-openssl`: then OpenSSL is a part of it, and named). Reads `cargo metadata` and `Cargo.lock`. Only what is linked into `aura` is in it: no crates for tests, of the lab or of the bench. Crates that run
while it is built are named in `auditable` as of kind `build`, and have the scope `excluded` in `cyclonedx`. The same clone gives the same bytes.
"""

import json
import os
import subprocess
import sys
import time
import tomllib
import uuid
import zlib

ROOT = "orchestrator"
TARGET = os.environ.get("AURA_TARGET", "x86_64-unknown-linux-gnu")


def metadata():
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET]
    # Features of one crate can be named in its own folder only.
    features = os.environ.get("AURA_FEATURES", "")
    if features:
        command += ["--features", features, "--manifest-path", os.path.join(ROOT, "Cargo.toml")]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def reached(nodes, root):
    """The packages that the root needs: id -> "runtime" or "build"."""
    kinds = {root: "runtime"}
    todo = [root]
    while todo:
        package = todo.pop()
        for dep in nodes[package]["deps"]:
            of_dep = {kind["kind"] for kind in dep["dep_kinds"]} - {"dev"}
            if not of_dep:
                continue
            # What is built for building never runs, whatever needs it there.
            kind = "runtime" if None in of_dep and kinds[package] == "runtime" else "build"
            if kinds.get(dep["pkg"]) not in ("runtime", kind):
                kinds[dep["pkg"]] = kind
                todo.append(dep["pkg"])
    return kinds


def source_of(package):
    source = package["source"] or ""
    if not source:
        return "local"
    return "crates.io" if source.startswith("registry+https://github.com/rust-lang/crates.io-index") else source


def main():
    if sys.argv[1:] not in (["cyclonedx"], ["auditable"]):
        sys.exit(__doc__)
    data = metadata()
    packages = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    root = next(id for id, package in packages.items() if package["name"] == ROOT and not package["source"])
    kinds = reached(nodes, root)
    order = sorted(kinds, key=lambda id: (packages[id]["name"], packages[id]["version"]))

    def needs(id):
        deps = nodes[id]["deps"]
        wanted = [dep["pkg"] for dep in deps if {kind["kind"] for kind in dep["dep_kinds"]} - {"dev"}]
        return sorted({dep for dep in wanted if dep in kinds}, key=order.index)

    if sys.argv[1] == "auditable":
        listed = []
        for id in order:
            package = packages[id]
            row = {"name": package["name"], "version": package["version"], "source": source_of(package)}
            if kinds[id] == "build":
                row["kind"] = "build"
            row["dependencies"] = [order.index(dep) for dep in needs(id)]
            if id == root:
                row["root"] = True
            listed.append(row)
        text = json.dumps({"packages": listed}, separators=(",", ":"))
        sys.stdout.buffer.write(zlib.compress(text.encode(), 9))
        return

    with open(os.path.join(data["workspace_root"], "Cargo.lock"), "rb") as file:
        locked = tomllib.load(file)["package"]
    sums = {(row["name"], row["version"]): row.get("checksum") for row in locked}

    def reference(id):
        return f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}"

    def component(id):
        package = packages[id]
        row = {
            "type": "library",
            "bom-ref": reference(id),
            "name": package["name"],
            "version": package["version"],
            "scope": "required" if kinds[id] == "runtime" else "excluded",
            "purl": reference(id),
        }
        checksum = sums.get((package["name"], package["version"]))
        if checksum:
            row["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if package["license"]:
            # Older crates write a slash for OR.
            row["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        return row

    components = [component(id) for id in order if id != root]
    for id in order:
        # The library that this crate holds the source of is linked into the program; its version follows the plus sign.
        if packages[id]["name"] == "openssl-src":
            version = packages[id]["version"].partition("+")[2]
            components.append(
                {
                    "type": "library",
                    "bom-ref": f"pkg:generic/openssl@{version}",
                    "name": "openssl",
                    "version": version,
                    "scope": "required",
                    "purl": f"pkg:generic/openssl@{version}",
                    "licenses": [{"expression": "Apache-2.0"}],
                }
            )
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "component": {
                "type": "application",
                "bom-ref": "aura",
                "name": "aura",
                "version": packages[root]["version"],
                "licenses": [{"expression": packages[root]["license"]}],
            },
        },
        "components": components,
        "dependencies": [
            {"ref": "aura" if id == root else reference(id), "dependsOn": [reference(dep) for dep in needs(id)]}
            for id in order
        ],
    }
    name = json.dumps(document, sort_keys=True, separators=(",", ":"))
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}"
    json.dump(document, sys.stdout, indent=1, sort_keys=True)
    print()


main()
