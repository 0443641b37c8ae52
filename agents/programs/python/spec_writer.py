"""Drafts a specification from its owner's brief, in the owner's words.

The brief has a text and the lists Needs (with scenarios below each need), Done when and Open. Nothing is made up: what the brief
leaves out is marked as a question when the validator's notes ask for it.
"""

import re

import markdown
from aura_agent import Agent, CannotAnswer, count


def needs_of(section):
    """Each need with the scenarios below it."""
    needs = []
    for item in section.items() if section else []:
        if item.indent == 0 or not needs:
            needs.append((item.text, []))
        else:
            needs[-1][1].append(item.text)
    return needs


def question(text):
    return f"[NEEDS CLARIFICATION: {text}]"


def draft(brief, mend):
    """The specification; `mend` holds the numbers of requirements without a scenario, and the words of criteria without a number."""
    found = {section.title.casefold(): section for section in markdown.sections(brief)}
    title = next((section for section in markdown.sections(brief) if section.level == 1), None)
    if title is None or title.is_empty():
        raise CannotAnswer("the brief must begin with a heading and say below it what is wanted and why.")
    needs = needs_of(found.get("needs"))
    if not needs:
        raise CannotAnswer("the brief has no list below the heading “Needs”.")
    lines = [f"# {title.title}", "", "## Summary", "", title.text().strip(), "", "## Requirements", ""]
    lines += [f"- **FR-{number:03}**: {text}" for number, (text, _) in enumerate(needs, 1)]
    lines += ["", "## Scenarios", ""]
    for number, (_, scenarios) in enumerate(needs, 1):
        lines += [f"- FR-{number:03}: {scenario}" for scenario in scenarios]
        if not scenarios and number in mend["scenarios"]:
            lines.append(f"- FR-{number:03}: {question('How is it seen that this works?')}")
    lines += ["", "## Success criteria", ""]
    criteria = found["done when"].items() if "done when" in found else []
    for item in criteria:
        unmeasured = mend["criteria"] and not re.search(r"\d", item.text)
        lines.append(f"- {item.text}" + (f" {question('How is this measured?')}" if unmeasured else ""))
    asked = found["open"].items() if "open" in found else []
    if asked:
        lines += ["", "## Open questions", ""] + [f"- {question(item.text)}" for item in asked]
    return "\n".join(lines) + "\n"


agent = Agent()


@agent.action("specify")
def answer(ask):
    notes = "\n".join(ask.notes)
    mend = {
        "scenarios": {int(number) for number in re.findall(r"FR-(\d+) has no scenario", notes)},
        "criteria": "has no number to measure it by" in notes,
    }
    text = draft(ask.read("brief"), mend)
    ask.write(ask.path("spec"), text)
    open_questions = count(text.count("[NEEDS CLARIFICATION"), "open question")
    return ask.proceed(f"Drafted the specification from the brief, with {open_questions}.", [open_questions])


if __name__ == "__main__":
    agent.run()
