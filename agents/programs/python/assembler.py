"""Puts what the steps before have found into one Markdown document: a chapter for each, a table for each kind of finding."""

from aura_agent import Agent, CannotAnswer

MOST_ROWS = 50
# What names a row comes first; JSON keeps no order.
FIRST = ("path", "name", "language", "line", "rule")


def cell(value):
    if isinstance(value, list):
        value = ", ".join(str(part) for part in value)
    return str(value).replace("|", "\\|").replace("\n", " ")


def table(rows):
    known = {name for row in rows for name in row if name != "kind"}
    names = [name for name in FIRST if name in known] + sorted(known - set(FIRST))
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(cell(row.get(name, "")) for name in names) + " |" for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines += ["", f"And {len(rows) - MOST_ROWS} more."]
    return lines


def chapter(result):
    lines = [f"## {title(result.get('agent_id', ''))}", "", result["result"].get("summary", "")]
    kinds = {}
    for finding in result["result"].get("findings", []):
        if isinstance(finding, dict):
            kinds.setdefault(finding.get("kind", "finding"), []).append(finding)
    for kind, rows in kinds.items():
        lines += ["", f"### {kind.replace('_', ' ').capitalize()}", ""] + table(rows)
    return lines + [""]


def title(agent_id):
    """A step's own name: `survey_001` is Survey."""
    name, _, number = agent_id.rpartition("_")
    return (name if number.isdigit() else agent_id).replace("_", " ").capitalize() or "Result"


agent = Agent()


@agent.task("assembly")
def answer(ask):
    results = [result for result in ask.previous if result.get("result")]
    if not results:
        raise CannotAnswer("there is nothing to put together: no step before has a result.")
    lines = [f"# {ask.query}", ""]
    for result in results:
        lines += chapter(result)
    text = "\n".join(lines).rstrip() + "\n"
    return ask.completed(summary=text, findings=[{"kind": "chapter", "title": title(r.get("agent_id", ""))} for r in results])


if __name__ == "__main__":
    agent.run()
