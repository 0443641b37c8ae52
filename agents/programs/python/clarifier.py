"""Asks the owner what a specification leaves open, and writes the answers where the questions stood.

An answer names the question by its number: `1: for 30 days; 2: by a letter`. With one question open the whole answer is its own.
"""

import re

from aura_agent import Agent, count

QUESTION = re.compile(r"\[NEEDS CLARIFICATION(?::\s*([^\]]*))?\]")
ANSWER = "The owner answers: "


def answers_of(notes, count):
    """What the owner said to each question, by its number from 1. The newest word counts."""
    said = {}
    for note in notes:
        if not note.startswith(ANSWER):
            continue
        text = note[len(ANSWER) :].strip()
        parts = re.findall(r"(?:^|[;\n])\s*(\d+)\s*[:.)]\s*([^;\n]+)", text)
        if parts:
            said.update({int(number): words.strip() for number, words in parts})
        elif count == 1 and text:
            said[1] = text
    return said


agent = Agent()


@agent.action("clarify")
def answer(ask):
    text = ask.read("spec")
    questions = list(QUESTION.finditer(text))
    said = answers_of(ask.notes, len(questions))
    numbers = iter(range(1, len(questions) + 1))

    def settle(question):
        words = said.get(next(numbers))
        return question[0] if words is None else f"{question[1] or 'Answer'} — {words}"

    settled = QUESTION.sub(settle, text)
    if settled != text:
        ask.write(ask.path("spec"), settled)
    left = [question[1] or "a question without words" for question in QUESTION.finditer(settled)]
    if left:
        listed = " ".join(f"{number}: {words}" for number, words in enumerate(left, 1))
        return ask.escalate(f"{len(left)} open: {listed} Answer as “1: …; 2: …”.", left)
    return ask.proceed(f"{count(len(questions), 'question')} answered in the specification.")


if __name__ == "__main__":
    agent.run()
