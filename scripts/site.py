#!/usr/bin/env python3
"""Lays out the site of the documents, has mdBook build it, and checks every link of what came of it.

  scripts/site.py AURA OUT

AURA is the program: it writes the reference. OUT gets `reference`, `src` (what mdBook reads), `book.toml` and `html` (the site), each made anew. Ends with 1 when a document
stands in no place of docs/SUMMARY.md, a link leads nowhere, or a page wants anything of another server.

The documents are used as they are. What they say of files outside `docs` is looked up in the repository: a document that is part of the site becomes a link to
its page, any other file its path as text. `mdbook` is found on the PATH (`scripts/deps.sh site` installs it).
"""

import functools
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

# Documents that lie beside `docs`, and where they stand in the site.
BESIDE = {name: f"project/{name}" for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")}
# Pictures that tests in a browser drew.
PICTURES = "tests/browser/pictures"
# Pages that stand below another one, too many to be listed by hand: their folder.
BELOW = {
    "adr/index.md": "adr",
    "reference/commands.md": "reference/commands",
    "reference/tools.md": "reference/tools",
    "reference/schemas.md": "reference/schemas",
    "reference/errors.md": "errors",
}
# What of `docs` is no part of the site: figures that a script reads.
LEFT_OUT = {"judge", "book.toml", "site.css"}

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
# What is not plain text: code, and links.
PIECES = re.compile(r"(`[^`]*`|!?\[(?:[^\[\]]|\[[^\]]*\])*\]\([^()\s]+\))")
FENCE = re.compile(r"^\s*(```|~~~)")


class Faults:
    def __init__(self):
        self.all = []

    def add(self, place, what):
        self.all.append(f"{place}: {what}")


def in_site(path):
    """Where a file of the repository stands in the site's sources; None: it does not."""
    if path in BESIDE:
        return BESIDE[path]
    if path.startswith(PICTURES + "/"):
        return "pictures/" + path[len(PICTURES) + 1 :]
    if path.startswith("docs/") and path.split("/")[1] not in LEFT_OUT:
        return re.sub(r"(^|/)README\.md$", r"\1index.md", path[len("docs/") :])
    return None


def relink(text, source, target, faults):
    """The text of a document with its links as they lead from its place in the site. Codes and documents that are only named become links as well."""
    here = pathlib.PurePosixPath(source).parent

    def to(place, fragment=""):
        return os.path.relpath(place, os.path.dirname(target) or ".") + (f"#{fragment}" if fragment else "")

    def link(found):
        picture, words, address = found.groups()
        if re.match(r"[a-z]+:", address) or address.startswith("#"):
            return found.group(0)
        path, _, fragment = address.partition("#")
        in_repository = decision(os.path.normpath(str(here / urllib.parse.unquote(path))))
        place = in_site(in_repository)
        # What `aura reference` writes is not in the repository.
        generated = in_repository.startswith("docs/reference/") or (in_repository.startswith("docs/project/") and place)
        if not generated and not (ROOT / in_repository).exists():
            faults.add(source, f"there is no {address}")
            return found.group(0)
        if place and (ROOT / in_repository).is_dir():
            place = {"errors": "reference/errors.md"}.get(place)
        if not place:
            return f"{words} (`{in_repository}`)" if words != f"`{in_repository}`" else words
        return f"{picture}[{words}]({to(place, fragment)})"

    def piece(part):
        if found := LINK.fullmatch(part):
            return link(found)
        named = part.strip("`") if part.startswith("`") else ""
        place = in_site(decision(named)) if named.startswith("docs/") or named in BESIDE else None
        if place and place.endswith(".md") and place not in (target, "SUMMARY.md") and (ROOT / decision(named)).exists():
            return f"[{part}]({to(place)})"
        if part.startswith("`"):
            return part
        part = re.sub(r"(?<![\w/])docs/adr/[0-9]{4}(?![\w-])", lambda found: piece(f"`{found[0]}`"), part)
        return re.sub(r"(?<![\w/#-])[A-Z]+-[0-9]{3}(?![\w-])", code, part)

    def code(found):
        place = f"errors/{found[0]}.md"
        return f"[{found[0]}]({to(place)})" if place != target and (DOCS / place).exists() else found[0]

    lines, is_code = [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            is_code = not is_code
        if is_code:
            lines.append(line)
        elif line.startswith(("#", "    ")):
            # A title, or what may be code: only what is a link already.
            lines.append(LINK.sub(link, line))
        else:
            lines.append("".join(piece(part) for part in PIECES.split(line)))
    return "\n".join(lines)


def decision(path):
    """A decision is often known by its number alone."""
    if re.fullmatch(r"docs/adr/[0-9]{4}", path):
        return next((f"docs/adr/{file.name}" for file in DOCS.glob(f"adr/{path[-4:]}-*.md")), path)
    return path


def title_of(text):
    found = re.search(r"^# (.+)$", text, re.M)
    return found.group(1).replace("`", "") if found else "?"


def lay_out(reference, out, faults):
    src = out / "src"
    for path in sorted(DOCS.rglob("*")):
        relative = path.relative_to(DOCS).as_posix()
        if path.is_dir() or relative.split("/")[0] in LEFT_OUT:
            continue
        put(src, in_site(f"docs/{relative}"), path, f"docs/{relative}", faults)
    for name, place in BESIDE.items():
        put(src, place, ROOT / name, name, faults)
    for path in sorted((ROOT / PICTURES).glob("*.png")):
        put(src, f"pictures/{path.name}", path, path.name, faults)
    for path in sorted(reference.rglob("*")):
        if path.is_file():
            relative = f"reference/{path.relative_to(reference).as_posix()}"
            put(src, relative, path, f"docs/{relative}", faults)
    shutil.copy(DOCS / "book.toml", out / "book.toml")
    shutil.copy(DOCS / "site.css", out / "site.css")
    theme = out / "theme"
    (theme / "fonts").mkdir(parents=True)
    shutil.copy(ROOT / "surfaces/assets/aura.svg", theme / "favicon.svg")
    shutil.copy(ROOT / "surfaces/assets/inter.woff2", theme / "fonts/inter.woff2")
    (theme / "fonts/fonts.css").write_text(
        '@font-face { font-family: "Inter"; font-weight: 400 700; font-display: swap; src: url("inter.woff2") format("woff2"); }\n'
    )


def put(src, place, path, source, faults):
    to = src / place
    to.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".md":
        to.write_text(relink(path.read_text(), source, place, faults))
    else:
        shutil.copyfile(path, to)


def complete_summary(src, faults):
    """Puts the pages of the folders in BELOW below theirs, and says which page stands nowhere, or not in its own list."""
    summary = src / "SUMMARY.md"
    lines, listed = [], set()
    for line in summary.read_text().split("\n"):
        lines.append(line)
        found = re.match(r"( *)- \[.*\]\((.+)\)$", line) or re.match(r"()\[.*\]\((.+)\)$", line)
        if not found:
            continue
        indent, page = found.groups()
        listed.add(page)
        if not (src / page).exists():
            faults.add("docs/SUMMARY.md", f"there is no {page}")
        for below in sorted((src / BELOW[page]).rglob("*.md")) if page in BELOW else []:
            relative = below.relative_to(src).as_posix()
            if relative == page:
                continue
            if f"]({os.path.relpath(relative, os.path.dirname(page))})" not in (src / page).read_text():
                faults.add(page, f"does not name {relative}")
            title = title_of(below.read_text())
            if BELOW[page] == "adr":
                title = f"{below.stem[:4]} {re.sub(r'^[0-9]{4} ', '', title)}"
            lines.append(f"{indent}  - [{title}]({relative})")
            listed.add(relative)
    summary.write_text("\n".join(lines))
    for path in sorted(src.rglob("*.md")):
        relative = path.relative_to(src).as_posix()
        if relative not in listed and relative != "SUMMARY.md":
            faults.add("docs/SUMMARY.md", f"{relative} stands nowhere")


class Page(html.parser.HTMLParser):
    """What a page leads to, what it loads, and what can be led to."""

    LOADS = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href", "use": "href"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.leads, self.loads, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("id", "name"):
            if attributes.get(name):
                self.ids.add(attributes[name])
        if tag == "a" and attributes.get("href") is not None:
            self.leads.append(attributes["href"])
        if attributes.get(self.LOADS.get(tag, "")):
            self.loads.append(attributes[self.LOADS[tag]])


def check(site, faults):
    """Every link leads somewhere, nothing is loaded from elsewhere. Gives how many there were."""

    @functools.cache
    def page(path):
        return Page(path.read_text())

    count = 0
    for path in sorted(site.rglob("*.html")):
        here = path.relative_to(site).as_posix()
        for address in page(path).loads + page(path).leads:
            count += 1
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page(path).loads and parts.scheme != "data":
                    faults.add(here, f"loads {address}")
                continue
            to = path if not parts.path else pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(parts.path)))
            if not to.exists() or not to.is_relative_to(site):
                faults.add(here, f"leads to {address}, which is not there")
            elif parts.fragment and to.suffix == ".html" and urllib.parse.unquote(parts.fragment) not in page(to).ids:
                faults.add(here, f"leads to {address}: nothing there has that name")
    for path in sorted(site.rglob("*.css")):
        # Of another server, or a name that is not there.
        for address in re.findall(r"""(?:url\(|@import\s+)\s*["']?([^"')\s;]+)""", path.read_text()):
            count += 1
            if not address.startswith("data:") and not (path.parent / address.split("?")[0].split("#")[0]).exists():
                faults.add(path.relative_to(site).as_posix(), f"loads {address}")
    return count


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if not shutil.which("mdbook"):
        sys.exit("site: mdbook is not there: scripts/deps.sh site")
    aura, out = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    for name in ("reference", "src", "html", "theme"):
        shutil.rmtree(out / name, ignore_errors=True)
    (out / "reference").mkdir(parents=True)
    # Nothing of this machine's environment is in it.
    subprocess.run([str(aura), "reference", str(out / "reference")], check=True, env={"HOME": "/nonexistent"})
    faults = Faults()
    lay_out(out / "reference", out, faults)
    complete_summary(out / "src", faults)
    if not faults.all:
        subprocess.run(["mdbook", "build", str(out)], check=True, env={**os.environ, "MDBOOK_LOG": "warn"})
        links = check(out / "html", faults)
    for fault in faults.all:
        print(f"site: {fault}", file=sys.stderr)
    if faults.all:
        sys.exit(1)
    pages = sum(1 for _ in (out / "html").rglob("*.html"))
    size = sum(path.stat().st_size for path in (out / "html").rglob("*") if path.is_file())
    print(f"site: {pages} pages, {links} links checked, {size / 2**20:.1f} MiB: {out / 'html/index.html'}")


main()
