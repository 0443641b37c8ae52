#!/usr/bin/env python3
"""Counts the names of types and functions over the workspace's Rust code without tests.

usage: scripts/names.py [--check] [--list] [--top N] [FOLDER...]

A type is a struct, enum, trait, union or type alias outside of impl and trait blocks, or made by `closed_enum!`. Tests are the folders `tests`,
`benches`, `fuzz` and `examples`, files `tests.rs`, and what stands under `#[cfg(test)]`. Two figures: how many types
share their bare name with another type, and how many have a name of one word. Folders narrow what is counted, not what
a name is compared with. A third figure: functions whose whole name is a preposition or a participle (`of`, `at`, `said`),
which say neither what they do nor what they give. With --check the exit status is 1 above a limit.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

SHARED_LIMIT, ONE_WORD_LIMIT, BARE_LIMIT = 10.0, 30.0, 116
FUNCTION = re.compile(r"^(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*fn\s+(\w+)")
BARE = set("""of at in_ on by to with into over after before beside between within without about since until than then
    said told asked kept shown given taken gone done made held seen heard met come came happened forgotten known left put_away
    found named wanted written read_on go_on come_back happen""".split())
TYPE = re.compile(r"^(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:struct|enum|trait|type|union)\s+([A-Z]\w*)")
BLOCK = re.compile(r"^(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:impl|trait)\b")
# The first line within `closed_enum!(`, a macro of ours that makes an enum.
MADE = re.compile(r"^([A-Z]\w*) \{$")
ONE_WORD = re.compile(r"[A-Z]+[a-z0-9]*")
TEST_FOLDERS = {"tests", "benches", "fuzz", "examples"}


def types_in(text, pattern=TYPE, block=BLOCK):
    """Yields (line, name). Blocks end where rustfmt puts their last line: at the indentation of the first."""
    skipped, test, made = None, False, False
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if not bare or bare.startswith("//"):
            continue
        if skipped is not None:
            if indent <= skipped and bare[0] in "})":
                skipped = None
            continue
        if bare.startswith(("#[cfg(test)]", "#[cfg(all(test")):
            test = True
            continue
        if bare.startswith("#["):
            continue
        found = (MADE if made else pattern).match(bare)
        made = pattern is TYPE and bare.endswith("closed_enum!(")
        if found and not test:
            yield number, found[1]
        if (test or block and block.match(bare)) and not bare.endswith((";", "}", ",")):
            skipped = indent
        test = False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="exit status 1 above a limit")
    parser.add_argument("--list", action="store_true", help="print every shared or one-word type")
    parser.add_argument("--top", type=int, default=30, help="how many of the most shared names")
    parser.add_argument("folders", nargs="*")
    args = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    listed = subprocess.run(["git", "ls-files", "*.rs"], cwd=root, capture_output=True, text=True, check=True)
    files = [pathlib.PurePath(path) for path in listed.stdout.splitlines() if (root / path).exists()]
    types = [(str(file), number, name) for file in files
             if not TEST_FOLDERS & set(file.parts) and file.name != "tests.rs"
             for number, name in types_in((root / file).read_text())]
    bare = [(str(file), number, name) for file in files
            if not TEST_FOLDERS & set(file.parts) and file.name != "tests.rs"
            for number, name in types_in((root / file).read_text(), FUNCTION, None) if name in BARE]
    uses = collections.Counter(name for _, _, name in types if name != "Result")
    folders = tuple(folder.rstrip("/") + "/" for folder in args.folders) or ("",)
    counted = [it for it in types if it[0].startswith(folders)]
    shared = [it for it in counted if uses[it[2]] > 1]
    short = [it for it in counted if ONE_WORD.fullmatch(it[2])]
    share, one_word = (100 * len(part) / max(1, len(counted)) for part in (shared, short))
    print(f"types: {len(counted)}")
    print(f"share their bare name: {len(shared)} ({share:.1f} %, limit {SHARED_LIMIT:.0f} %)")
    print(f"one word: {len(short)} ({one_word:.1f} %, limit {ONE_WORD_LIMIT:.0f} %)")
    bare = [it for it in bare if it[0].startswith(folders)]
    print(f"functions that are a preposition or a participle: {len(bare)} (limit {BARE_LIMIT})")
    worst = collections.Counter(name for _, _, name in shared).most_common(args.top)
    print("shared most: " + ", ".join(f"{name} {count}" for name, count in worst))
    for path, number, name in sorted(set(shared) | set(short)) if args.list else ():
        print(f"{path}:{number} {name}" + (f" ({uses[name]} of that name)" if uses[name] > 1 else ""))
    for path, number, name in sorted(bare) if args.list else ():
        print(f"{path}:{number} fn {name}")
    return int(args.check and (share > SHARED_LIMIT or one_word > ONE_WORD_LIMIT or len(bare) > BARE_LIMIT))


sys.exit(main())
