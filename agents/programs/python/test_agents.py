"""The rules of the agents in this folder, each with what passes and what does not. Run: python3 -m unittest"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import assembler
import clarifier
import markdown
import page_reader
import spec_validator
import spec_writer
from aura_agent import Agent, CannotAnswer, cut


def findings(rule, given, text, folder="."):
    check = spec_validator.Check("X1", "error", rule, given)
    return [(finding.line, finding.text) for finding in spec_validator.validate(text, [check], folder)]


class Markdown(unittest.TestCase):
    def test_fences_comments_and_front_matter_are_no_text(self):
        text = "---\na: b\n---\nx <!-- y\nz --> w\n```\n# no\n```\n~~~~\n```\n~~~~\nend"
        kept = [(number, line) for number, line in markdown.visible(text) if line.strip()]
        self.assertEqual(kept, [(4, "x "), (5, " w"), (12, "end")])

    def test_headings_of_both_kinds_are_found(self):
        found = [(s.line, s.level, s.title) for s in markdown.sections("# A #\n\nB *c*\n---\n#no\n####### no\n")]
        self.assertEqual(found, [(1, 0, ""), (1, 1, "A"), (3, 2, "B c")])

    def test_an_item_goes_on_over_lines_and_nests(self):
        section = markdown.sections("- a\n  b\n  1. c\n\nnot\n* d\ne\n")[0]
        self.assertEqual([(i.line, i.indent, i.text) for i in section.items()], [(1, 0, "a b"), (3, 2, "c"), (6, 0, "d")])


class Rules(unittest.TestCase):
    def test_each_rule_finds_its_fault_and_nothing_else(self):
        for rule, given, good, bad, expected in [
            ("section", "A", "# A\nx", "# B\nx", [(1, "there is no section “A”")]),
            ("section", "A", "# A\n## B\nx", "# A\n# B", [(1, "section “A” is empty")]),
            ("sections-in-order", "A, B", "# A\n# B", "# B\n# A", [(1, "section “B” must come after “A”")]),
            ("heading-levels", "", "# A\n## B", "# A\n### B", [(2, "heading of level 3 follows one of level 1")]),
            ("headings-differ", "", "# A\n## A", "## A\n## a", [(2, "heading “a” stands in line 1 already")]),
            (
                "items-numbered",
                "R: FR",
                "# R\n- **FR-001**: a\n- FR-002: b",
                "# R\n- FR-001 a\n- FR-003 b\n- c",
                [(3, "FR-003 stands where FR-002 is due"), (4, "an item of “R” does not begin with FR- and three digits")],
            ),
            (
                "items-say-one-of",
                "R: MUST, MUST NOT, MAY",
                "# R\n- it MUST NOT a\n- it MAY b",
                "# R\n- it must a\n- it MUST and MAY b",
                [
                    (2, "an item of “R” says none of MUST, MUST NOT, MAY"),
                    (3, "an item of “R” says more than one of MUST, MUST NOT, MAY"),
                ],
            ),
            ("items-have-number", "S", "# S\n- SC-1: 9 of 10", "# S\n- SC-1: most", [(2, "an item of “S” has no number to measure it by")]),
            (
                "items-have-scenario",
                "R: FR, S",
                "# R\n- FR-001: a\n# S\n- FR-001: Given a, when b, then c",
                "# R\n- FR-001: a\n# S\n- When b given a then c",
                [(2, "FR-001 has no scenario"), (4, "a scenario does not say Given, When and Then in this order")],
            ),
            ("references-defined", "R: FR", "FR-001\n# R\n- FR-001: a", "see FR-002\n# R\n- FR-001: a", [(1, "FR-002 is not defined in “R”")]),
            ("no-text", "TBD, ???", "`TBDs`\n```\nTBD\n```", "a tbd b???", [(1, "“TBD” stands here"), (1, "“???” stands here")]),
            ("no-question", "", "x", "a [NEEDS CLARIFICATION: why?]", [(1, "open question: why?")]),
            ("links-resolve", "", "# A b\n[x](#a-b) [y](https://example.org)", "[x](#c)", [(1, "the link to #c leads to no heading")]),
            ("sentence-words", "3", "a b c. d e f", "a b\nc d.", [(1, "a sentence of more than 3 words")]),
        ]:
            with self.subTest(rule=rule, given=given):
                self.assertEqual(findings(rule, given, good), [])
                self.assertEqual(findings(rule, given, bad), expected)

    def test_a_link_to_a_file_is_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "there.md"), "w", encoding="utf-8"):
                pass
            found = findings("links-resolve", "", "[a](there.md#x) [b](gone.md)", folder)
        self.assertEqual(found, [(1, "the link to gone.md leads nowhere")])

    def test_every_rule_of_the_table_is_tried_here(self):
        with open(__file__, encoding="utf-8") as file:
            source = file.read()
        self.assertEqual([rule for rule in spec_validator.RULES if f'"{rule}"' not in source], [])

    def test_a_checks_file_that_cannot_be_used_is_named_with_its_line(self):
        head = "| a | b | c | d |\n|---|---|---|---|\n"
        for text, said in [
            ("no table", "no table with a check"),
            (head + "| X1 | error | section |", "line 3 of the checks: four columns"),
            (head + "| X1 | fatal | section | A |", "line 3 of the checks: the severity"),
            (head + "| X1 | error | sektion | A |", "line 3 of the checks: no such rule"),
            (head + "| X1 | error | section | A |\n| X1 | error | section | B |", "line 4 of the checks: X1 stands twice"),
        ]:
            with self.assertRaisesRegex(CannotAnswer, said):
                spec_validator.read_checks(text)
        with self.assertRaisesRegex(CannotAnswer, "X1: rule items-numbered must be given SECTION: PREFIX"):
            findings("items-numbered", "R", "x")


class Others(unittest.TestCase):
    def test_a_brief_is_drafted_in_its_own_words(self):
        brief = "# T\nwhy\n## Needs\n- It MUST a.\n  - Given x, when y, then z.\n- It MAY b.\n## Done when\n- Most do.\n## Open\n- Who?\n"
        bare, mended = [spec_writer.draft(brief, {"scenarios": s, "criteria": c}) for s, c in [(set(), False), ({2}, True)]]
        self.assertEqual(
            bare,
            "# T\n\n## Summary\n\nwhy\n\n## Requirements\n\n- **FR-001**: It MUST a.\n- **FR-002**: It MAY b.\n\n## Scenarios\n\n"
            "- FR-001: Given x, when y, then z.\n\n## Success criteria\n\n- Most do.\n\n## Open questions\n\n"
            "- [NEEDS CLARIFICATION: Who?]\n",
        )
        added = [line for line in mended.split("\n") if line not in bare.split("\n")]
        self.assertEqual(
            added,
            [
                "- FR-002: [NEEDS CLARIFICATION: How is it seen that this works?]",
                "- Most do. [NEEDS CLARIFICATION: How is this measured?]",
            ],
        )

    def test_answers_are_read_by_number_and_the_newest_counts(self):
        said = "The owner answers: "
        for notes, count, expected in [
            ([said + "1: a b; 2) c"], 2, {1: "a b", 2: "c"}),
            ([said + "1: a\n2: b", said + "2: d"], 2, {1: "a", 2: "d"}),
            ([said + "for a month"], 1, {1: "for a month"}),
            ([said + "for a month"], 2, {}),
            (["1: not the owner"], 1, {}),
        ]:
            self.assertEqual(clarifier.answers_of(notes, count), expected)

    def test_a_page_without_barriers_has_none_and_each_barrier_is_found(self):
        def rules(html):
            page = page_reader.Page("x")
            page.feed(html)
            page.finish()
            return sorted({finding["rule"] for finding in page.findings})

        head = '<html lang="en"><title>x</title>'
        self.assertEqual(rules(head + '<h1>a</h1><label>n <input></label><a href="#"><img alt="b"></a><input id="i"><label for="i">'), [])
        for html, rule in [
            ("<html><title>x</title>", "3.1.1"),
            ('<html lang="en">', "2.4.2"),
            (head + "<img>", "1.1.1"),
            (head + "<h2>a</h2>", "1.3.1"),
            (head + '<a href="#"> </a>', "2.4.4"),
            (head + "<textarea></textarea>", "3.3.2"),
            (head + '<p id="a"><p id="a">', "id"),
        ]:
            self.assertEqual(rules(html), [rule])

    def test_a_table_cell_cannot_break_the_table(self):
        self.assertEqual(assembler.table([{"kind": "k", "a": "x|y\nz", "b": [1, 2]}])[-1], "| x\\|y z | 1, 2 |")


class Helper(unittest.TestCase):
    def ask(self, action, **paths):
        return {
            "context": {"feature_id": "f", "workflow": "w", "iteration": 1},
            "paths": {"feature_root": "root/", **paths},
            "task": {"action": action},
        }

    def test_whatever_a_function_does_there_is_an_answer(self):
        agent = Agent()
        agent.action("good")(lambda ask: ask.proceed("done", ["x" * 3000]))
        agent.action("bad")(lambda ask: 1 / 0)
        agent.action("blind")(lambda ask: ask.read("spec"))
        good = agent.answer(self.ask("good"))
        self.assertEqual((good["recommendation"], len(good["notes"][0])), ("proceed", 2048))
        stderr, sys.stderr = sys.stderr, open(os.devnull, "w", encoding="utf-8")
        try:
            answers = [agent.answer(self.ask(action, spec="/nonexistent")) for action in ("bad", "blind", "other")]
        finally:
            sys.stderr.close()
            sys.stderr = stderr
        for answer in answers:
            self.assertEqual((answer["success"], answer["recommendation"], answer["artifacts"]), (False, "escalate", []))
        self.assertIn("ZeroDivisionError", answers[0]["summary"])
        self.assertEqual(cut("é" * 2000)[-3:], "...")

    def test_lines_are_answered_one_after_the_other(self):
        here = os.path.dirname(os.path.abspath(__file__))
        lines = [{"id": 7, "message": self.ask("clarify")}, {"id": 7, "cancel": True}, {"id": 8, "message": self.ask("other")}]
        program = os.path.join(here, "clarifier.py")
        done = subprocess.run(
            [sys.executable, program, "--lines"],
            input="\n".join(map(json.dumps, lines)) + "\n",
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual([json.loads(line)["id"] for line in done.stdout.splitlines()], [7, 8])


if __name__ == "__main__":
    unittest.main()
