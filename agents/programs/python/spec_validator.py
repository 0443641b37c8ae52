"""Holds a Markdown specification against a file of checks.

A checks file is Markdown with tables of four columns: id, severity (`error`, `question` or `warning`), rule, what the rule is
given. The rules are the functions below whose names `RULES` lists. With an error the answer is `retry`, and its notes name each
finding with its place; else it is `proceed`, with the report as `validation.md`.
"""

import os
import re
from dataclasses import dataclass

import markdown
from aura_agent import Agent, CannotAnswer, count

QUESTION = re.compile(r"\[NEEDS CLARIFICATION(?::\s*([^\]]*))?\]")
SEVERITIES = ("error", "question", "warning")


@dataclass(frozen=True)
class Check:
    id: str
    severity: str
    rule: str
    given: str


@dataclass(frozen=True)
class Finding:
    check: Check
    line: int
    text: str

    def words(self, name):
        return f"{name}:{self.line}: {self.text} [{self.check.id}]"


class Spec:
    """A specification, parsed once."""

    def __init__(self, text, folder):
        self.folder = folder
        self.lines = markdown.visible(text)
        self.sections = markdown.sections(text)

    def section(self, title):
        for section in self.sections:
            if section.title.casefold() == title.strip().casefold():
                return section
        return None

    def body(self, title):
        """Items of a section and of those below it."""
        found, level = [], None
        for section in self.sections:
            if level is not None and section.level > level:
                found += section.items()
            else:
                level = section.level if section.title.casefold() == title.strip().casefold() else None
                if level is not None:
                    found += section.items()
        return found


def words_of(given):
    return [word.strip() for word in given.split(",") if word.strip()]


def pair_of(given, how):
    first, colon, second = given.partition(":")
    if not colon or not first.strip() or not second.strip():
        raise ValueError(how)
    return first.strip(), second.strip()


def identifiers(prefix):
    return re.compile(rf"\b{re.escape(prefix)}-(\d+)\b")


def of_item(item, prefix):
    """The identifier an item begins with, as a number."""
    found = re.match(rf"{re.escape(prefix)}-(\d{{3}})\b", markdown.plain(item.text))
    return int(found[1]) if found else None


def has_section(spec, given):
    section = spec.section(given)
    if section is None:
        yield 1, f"there is no section “{given}”"
    elif section.is_empty() and not any(s.level > section.level for s in after(spec, section)[:1]):
        yield section.line, f"section “{given}” is empty"


def after(spec, section):
    return spec.sections[spec.sections.index(section) + 1 :]


def sections_in_order(spec, given):
    last = None
    for title in words_of(given):
        section = spec.section(title)
        if section and last and section.line < last.line:
            yield section.line, f"section “{section.title}” must come after “{last.title}”"
        last = section or last


def heading_levels(spec, _given):
    tops = [section for section in spec.sections if section.level == 1]
    for extra in tops[1:]:
        yield extra.line, "a second heading of the first level; a specification has one"
    before = 0
    for section in spec.sections[1:]:
        if section.level > before + 1:
            yield section.line, f"heading of level {section.level} follows one of level {before}"
        before = section.level


def items_numbered(spec, given):
    title, prefix = pair_of(given, "SECTION: PREFIX")
    expected = 1
    for item in spec.body(title):
        number = of_item(item, prefix)
        if number is None:
            yield item.line, f"an item of “{title}” does not begin with {prefix}- and three digits"
        elif number != expected:
            yield item.line, f"{prefix}-{number:03} stands where {prefix}-{expected:03} is due"
            expected = max(expected, number + 1)
        else:
            expected += 1


def items_say_one_of(spec, given):
    title, words = pair_of(given, "SECTION: WORD, WORD")
    words = words_of(words)
    for item in spec.body(title):
        said = [word for word in words if re.search(rf"\b{re.escape(word)}\b", item.text)]
        said = [word for word in said if not any(word != longer and word in longer for longer in said)]
        if len(said) != 1:
            how = "none" if not said else "more than one"
            yield item.line, f"an item of “{title}” says {how} of {', '.join(words)}"


def items_have_number(spec, given):
    for item in spec.body(given):
        if not re.search(r"\d", re.sub(r"^[A-Z]+-\d+\b", "", markdown.plain(item.text))) and not QUESTION.search(item.text):
            yield item.line, f"an item of “{given}” has no number to measure it by"


def items_have_scenario(spec, given):
    title, rest = pair_of(given, "SECTION: PREFIX, SECTION OF SCENARIOS")
    prefix, _, scenarios = rest.partition(",")
    seen = set()
    for item in spec.body(scenarios):
        text = item.text
        steps = [re.search(rf"\b{word}\b", text, re.IGNORECASE) for word in ("given", "when", "then")]
        in_order = all(steps) and steps[0].start() < steps[1].start() < steps[2].start()
        if not in_order and not QUESTION.search(text):
            yield item.line, "a scenario does not say Given, When and Then in this order"
        seen.update(int(number) for number in identifiers(prefix.strip()).findall(text))
    for item in spec.body(title):
        number = of_item(item, prefix.strip())
        if number is not None and number not in seen:
            yield item.line, f"{prefix.strip()}-{number:03} has no scenario"


def references_defined(spec, given):
    title, prefix = pair_of(given, "SECTION: PREFIX")
    defined = {of_item(item, prefix) for item in spec.body(title)}
    for line, text in spec.lines:
        for number in identifiers(prefix).findall(text):
            if int(number) not in defined:
                yield line, f"{prefix}-{number} is not defined in “{title}”"


def no_text(spec, given):
    for line, text in spec.lines:
        for word in words_of(given):
            begin, end = (r"\b" if word[:1].isalnum() else "", r"\b" if word[-1:].isalnum() else "")
            if re.search(begin + re.escape(word) + end, text, re.IGNORECASE):
                yield line, f"“{word}” stands here"


def no_question(spec, _given):
    for line, text in spec.lines:
        for question in QUESTION.finditer(text):
            yield line, f"open question: {question[1] or 'not said which'}"


def links_resolve(spec, _given):
    anchors = {markdown.anchor(section.title) for section in spec.sections}
    for line, text in spec.lines:
        for target in re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)[^)]*\)", re.sub(r"`[^`]*`", "", text)):
            if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
                continue  # An address of the network: not asked.
            path, _, name = target.partition("#")
            if path and not os.path.exists(os.path.join(spec.folder, path)):
                yield line, f"the link to {path} leads nowhere"
            elif not path and name not in anchors:
                yield line, f"the link to #{name} leads to no heading"


def sentence_words(spec, given):
    most = int(given)
    for section in spec.sections:
        text = [(line, markdown.ITEM.sub(r"\2", words)) for line, words in section.lines if "|" not in words]
        begun, count = None, 0
        for line, words in text + [(0, "")]:
            if not words.strip():
                begun, count = None, 0
                continue
            for part in re.split(r"(?<=[.!?:;])\s+", words):
                begun, count = begun or line, count + len(part.split())
                if count > most:
                    yield begun, f"a sentence of more than {most} words"
                    begun, count = None, -(10**6)
                if re.search(r"[.!?:;]$", part):
                    begun, count = None, 0


def headings_differ(spec, _given):
    seen = {}
    for section in spec.sections[1:]:
        first = seen.setdefault((section.level, section.title.casefold()), section)
        if first is not section:
            yield section.line, f"heading “{section.title}” stands in line {first.line} already"


RULES = {
    "section": has_section,
    "sections-in-order": sections_in_order,
    "heading-levels": heading_levels,
    "headings-differ": headings_differ,
    "items-numbered": items_numbered,
    "items-say-one-of": items_say_one_of,
    "items-have-number": items_have_number,
    "items-have-scenario": items_have_scenario,
    "references-defined": references_defined,
    "no-text": no_text,
    "no-question": no_question,
    "links-resolve": links_resolve,
    "sentence-words": sentence_words,
}


def read_checks(text):
    """The checks of a file; one that cannot be used is named with its line."""
    checks = []
    for section in markdown.sections(text):
        for line, cells in section.rows():
            cells = [cell.strip("` ") for cell in cells]
            if len(cells) < 4:
                raise CannotAnswer(f"line {line} of the checks: four columns are needed: id, severity, rule, given.")
            check = Check(*cells[:4])
            if check.severity not in SEVERITIES:
                raise CannotAnswer(f"line {line} of the checks: the severity must be one of {', '.join(SEVERITIES)}.")
            if check.rule not in RULES:
                raise CannotAnswer(f"line {line} of the checks: no such rule; there are {', '.join(RULES)}.")
            if any(other.id == check.id for other in checks):
                raise CannotAnswer(f"line {line} of the checks: {check.id} stands twice.")
            checks.append(check)
    if not checks:
        raise CannotAnswer("the checks have no table with a check.")
    return checks


def validate(text, checks, folder):
    """All findings, in order of lines."""
    spec, findings = Spec(text, folder), []
    for check in checks:
        try:
            found = [Finding(check, line, what) for line, what in RULES[check.rule](spec, check.given)]
        except ValueError as why:
            raise CannotAnswer(f"check {check.id}: rule {check.rule} must be given {why}.") from None
        findings += found
    return sorted(findings, key=lambda finding: (finding.line, finding.check.id))


def report(name, checks, findings):
    found = {severity: sum(f.check.severity == severity for f in findings) for severity in SEVERITIES}
    lines = [
        f"# Validation of {name}",
        "",
        f"{count(len(checks), 'check')}: {count(found['error'], 'error')}, {count(found['question'], 'open question')}, "
        f"{count(found['warning'], 'warning')}.",
        "",
    ]
    if findings:
        lines += ["| Line | Severity | Check | Finding |", "|---|---|---|---|"]
        for finding in findings:
            cell = finding.text.replace("|", "\\|")
            lines.append(f"| {finding.line} | {finding.check.severity} | {finding.check.id} | {cell} |")
        lines.append("")
    return "\n".join(lines)


agent = Agent()


@agent.action("validate")
def answer(ask):
    name = os.path.basename(ask.path("spec"))
    checks = read_checks(ask.read("checks"))
    findings = validate(ask.read("spec"), checks, os.path.dirname(ask.path("spec")))
    errors = [finding for finding in findings if finding.check.severity == "error"]
    notes = [finding.words(name) for finding in (errors or findings)]
    if errors:
        return ask.retry(f"{count(len(errors), 'error')} in {name}; the first: {errors[0].words(name)}", notes)
    ask.write("validation.md", report(name, checks, findings))
    return ask.proceed(f"{name} passes {count(len(checks), 'check')} with {count(len(findings), 'remark')}.", notes)


if __name__ == "__main__":
    agent.run()
