#!/usr/bin/env python3
"""Makes a release: version, changelog, commit, tag. Nothing leaves this clone.

  scripts/release.py VERSION [FOLDER]

VERSION is MAJOR.MINOR.PATCH, greater than the one in Cargo.toml or, where that was never tagged, the same. FOLDER is the clone (default: this one). Refuses where
something is not committed, where the tag is there, and where nothing stands under *Unreleased* of CHANGELOG.md. Then:

  1. the version in Cargo.toml and of our own crates in Cargo.lock,
  2. *Unreleased* of CHANGELOG.md becomes the version with today's date, above it a new *Unreleased*,
  3. a commit `release: Aura VERSION`, and the tag vVERSION (signed where git is told to sign tags).

`make dist` then makes packages of the tag; pushing it is left to you.
"""

import datetime
import pathlib
import re
import subprocess
import sys


def stop(why):
    sys.exit(f"release: {why}")


def git(folder, *args):
    done = subprocess.run(["git", "-C", str(folder), *args], capture_output=True, text=True)
    if done.returncode:
        stop(f"git {args[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def numbers(version):
    if not re.fullmatch(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}", version):
        stop(f"{version} is not MAJOR.MINOR.PATCH")
    return [int(part) for part in version.split(".")]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    version = sys.argv[1]
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).resolve().parent.parent)
    manifest, lock, changelog = (folder / name for name in ("Cargo.toml", "Cargo.lock", "CHANGELOG.md"))

    text = manifest.read_text()
    found = re.search(r'(?ms)^\[workspace\.package\]\n.*?^version = "(.*?)"', text)
    before = found.group(1)
    tags = git(folder, "tag", "--list").split()
    if git(folder, "status", "--porcelain"):
        stop("something is not committed")
    if f"v{version}" in tags:
        stop(f"v{version} is there already")
    if numbers(version) < numbers(before) or (version == before and f"v{before}" in tags):
        stop(f"{version} is not greater than {before}")
    changes = changelog.read_text()
    head, unreleased, rest = changes.partition("## [Unreleased]\n")
    own, following, older = rest.partition("\n## [")
    if not unreleased or not re.search(r"^- ", own, re.M):
        stop("nothing stands under Unreleased of CHANGELOG.md")

    manifest.write_text(text[: found.start(1)] + version + text[found.end(1) :])
    # Crates of ours have no source there.
    blocks = lock.read_text().split("[[package]]\n")
    ours = re.compile(rf'(?m)^version = "{re.escape(before)}"$')
    lock.write_text("[[package]]\n".join(b if "\nsource = " in b else ours.sub(f'version = "{version}"', b, count=1) for b in blocks))
    today = datetime.date.today().isoformat()
    changelog.write_text(f"{head}## [Unreleased]\n\n## [{version}] - {today}\n{own}{following}{older}")
    git(folder, "commit", "--quiet", "--all", "--message", f"release: Aura {version}")
    git(folder, "tag", "--annotate", f"v{version}", "--message", f"Aura {version}")
    print(f"release: v{version} is tagged; `make dist` makes its packages, `git push --follow-tags` publishes it")


main()
