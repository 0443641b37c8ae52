"""Reads the HTML pages of a project as somebody who cannot see them would: what people meet, and what keeps them out.

Rules are those of the Web Content Accessibility Guidelines 2.2 that can be decided from the page alone: 1.1.1 text for images,
1.3.1 headings in order, 2.4.2 a title, 2.4.4 links with words, 3.1.1 a language, 3.3.2 labels; and ids that are there once.
"""

import os
from html.parser import HTMLParser

from aura_agent import Agent, CannotAnswer, count

MOST_FILES, MOST_BYTES, MOST_FINDINGS = 200, 1 << 20, 500
SKIPPED = {".git", "node_modules", "target", "dist", "build", "vendor"}


class Page(HTMLParser):
    """What a page has, and what it lacks."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path, self.findings = path, []
        self.title, self.language, self.level = "", False, 0
        self.forms = self.links = self.images = 0
        self.ids, self.labelled, self.inputs = set(), set(), []
        self.open = []  # (what, line, words): a link, button or title whose words are collected
        self.label_depth = 0

    def say(self, rule, text, line=None):
        self.findings.append({"path": self.path, "line": line or self.getpos()[0], "rule": rule, "text": text})

    def handle_starttag(self, tag, attributes):
        has = {name: value or "" for name, value in attributes}
        named = bool((has.get("aria-label") or has.get("aria-labelledby") or has.get("title") or "").strip())
        if has.get("id") in self.ids:
            self.say("id", f"id “{has['id']}” stands twice")
        if "id" in has:
            self.ids.add(has["id"])
        if tag == "html":
            self.language = bool(has.get("lang", "").strip())
        elif tag == "img":
            self.images += 1
            if "alt" not in has and not named and has.get("role") != "presentation":
                self.say("1.1.1", "an image has no alt text")
            elif self.open and has.get("alt"):
                self.open[-1][2].append(has["alt"])
        elif tag in ("a", "button", "title"):
            self.links += tag == "a" and "href" in has
            if tag != "a" or "href" in has:
                self.open.append((tag, self.getpos()[0], ["named"] if named else []))
        elif tag == "label":
            self.label_depth += 1
            self.labelled.add(has.get("for", ""))
        elif tag == "form":
            self.forms += 1
        elif tag in ("input", "select", "textarea"):
            silent = tag == "input" and has.get("type", "text") in ("hidden", "submit", "button", "reset", "image")
            if not silent and not named and not self.label_depth:
                self.inputs.append((has.get("id"), self.getpos()[0]))
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            level = int(tag[1])
            if level > self.level + 1:
                self.say("1.3.1", f"heading of level {level} follows one of level {self.level}")
            self.level = level

    def handle_endtag(self, tag):
        if tag == "label":
            self.label_depth = max(0, self.label_depth - 1)
        if self.open and self.open[-1][0] == tag:
            what, line, words = self.open.pop()
            text = " ".join(words).strip()
            if what == "title":
                self.title = text
            elif not text:
                self.say("2.4.4", f"a {'link' if what == 'a' else 'button'} has no words", line)

    def handle_data(self, data):
        if self.open and data.strip():
            self.open[-1][2].append(data.strip())

    def finish(self):
        self.close()
        if not self.title:
            self.say("2.4.2", "the page has no title", 1)
        if not self.language:
            self.say("3.1.1", "the page does not say its language", 1)
        for name, line in self.inputs:
            if name is None or name not in self.labelled:
                self.say("3.3.2", "a field has no label", line)


def pages_below(root):
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        found += [os.path.join(folder, name) for name in sorted(files) if name.endswith((".html", ".htm"))]
    return found


def read(path, root):
    with open(path, encoding="utf-8", errors="replace") as file:
        page = Page(os.path.relpath(path, root))
        page.feed(file.read(MOST_BYTES))
    page.finish()
    return page


agent = Agent()


@agent.task("ux_design")
def answer(ask):
    root = ask.parameters.get("path", ".")
    if not os.path.isdir(root):
        raise CannotAnswer("parameters.path must be a folder of the project that I may read.")
    paths = pages_below(root)
    pages = [read(path, root) for path in paths[:MOST_FILES]]
    findings = sorted((f for page in pages for f in page.findings), key=lambda f: (f["path"], f["line"], f["rule"]))
    shown = [
        {"kind": "page", "path": page.path, "title": page.title, "forms": page.forms, "links": page.links, "images": page.images}
        for page in pages
    ] + [{"kind": "barrier", **finding} for finding in findings[:MOST_FINDINGS]]
    summary = f"{count(len(pages), 'page')}, {count(len(findings), 'barrier')}." if pages else "No HTML page."
    context = {"pages": len(pages), "barriers": len(findings)}
    cited = [{"rule": rule, "standard": "WCAG 2.2"} for rule in sorted({f["rule"] for f in findings} - {"id"})]
    if len(paths) > MOST_FILES or len(findings) > MOST_FINDINGS:
        left = [{"code": "too_many", "message": f"{len(paths)} pages and {len(findings)} barriers; the first are here"}]
        return ask.partial(summary, shown, citations=cited, next_context=context, errors=left)
    return ask.completed(summary, shown, citations=cited, next_context=context)


if __name__ == "__main__":
    agent.run()
