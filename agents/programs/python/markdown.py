"""Markdown as far as a specification needs it: headings, list items and tables, each with its line.

Not here: rendering. What stands in fenced code or in an HTML comment is no text of the specification and is left out.
"""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
ITEM = re.compile(r"^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$")


@dataclass
class Item:
    """A list item with what continues it, on one line."""

    line: int
    indent: int
    text: str


@dataclass
class Section:
    """A heading and what stands below it until the next heading of any level."""

    line: int
    level: int
    title: str
    lines: list = field(default_factory=list)  # (line number, text)

    def text(self):
        return "\n".join(text for _, text in self.lines)

    def is_empty(self):
        return not self.text().strip()

    def items(self):
        """Its list items; a nested item is an item of its own."""
        found, current = [], None
        for number, text in self.lines:
            item = ITEM.match(text)
            if item:
                current = Item(number, len(item[1].expandtabs(4)), item[2].strip())
                found.append(current)
            elif not text.strip():
                current = None
            elif current and text[:1] in " \t":
                current.text += " " + text.strip()
            else:
                current = None
        return found

    def rows(self):
        """The rows of its tables without head and rule, as (line, cells)."""
        found, head = [], None
        for number, text in self.lines:
            if not text.lstrip().startswith("|"):
                head = None
                continue
            cells = [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", text.strip())[1:-1]]
            if head is None:
                head = cells
            elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                found.append((number, cells))
        return found


def visible(text):
    """The lines that are text, numbered from 1: without fenced code, HTML comments and front matter."""
    lines, fence, comment = [], None, False
    all_lines = text.replace("\r\n", "\n").split("\n")
    start = 0
    if all_lines and all_lines[0] == "---" and "---" in all_lines[1:]:
        start = all_lines.index("---", 1) + 1
    for number, line in enumerate(all_lines[start:], start + 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not line.strip(" `~"):
                fence = None
            continue
        if mark and not comment:
            fence = mark[1]
            continue
        kept = ""
        while line:
            if comment:
                _, end, line = line.partition("-->")
                comment = not end
            else:
                before, begin, line = line.partition("<!--")
                kept += before
                comment = bool(begin)
        lines.append((number, kept))
    return lines


def sections(text):
    """All sections in order; what stands before the first heading is one of level 0 without a title."""
    found = [Section(1, 0, "")]
    for number, line in visible(text):
        heading = ATX.match(line)
        under = SETEXT.match(line)
        previous = found[-1].lines[-1] if found[-1].lines else None
        if heading:
            found.append(Section(number, len(heading[1]), plain(heading[2] or "")))
        elif under and previous and previous[1].strip() and not ITEM.match(previous[1]) and "|" not in previous[1]:
            found[-1].lines.pop()
            found.append(Section(previous[0], 1 if under[1][0] == "=" else 2, plain(previous[1])))
        else:
            found[-1].lines.append((number, line))
    return found


def plain(text):
    """A heading's words without emphasis and code marks."""
    return re.sub(r"[*_`]", "", text).strip()


def anchor(title):
    """The name by which links reach a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
