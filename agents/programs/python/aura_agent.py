"""An agent of Aura's, in one file: copy it beside your program.

    from aura_agent import Agent

    agent = Agent()

    @agent.action("count")                       # the envelope protocol
    def count(ask):
        lines = ask.read("spec").count("\\n")
        return ask.proceed(f"The spec has {lines} lines.", notes=[f"{lines} lines"])

    @agent.task("research")                      # the base protocol
    def research(ask):
        return ask.completed(summary="Nothing found.", findings=[])

    agent.run()

A program is started with one document and ends, or, when it is called with `--lines`, is given one after the other.
Whatever a function raises becomes an answer that says so: an agent never says nothing. Python 3.9 or newer, no package.
"""

import json
import os
import sys
import time
import traceback

MOST_NOTES = 64
MOST_NOTE_BYTES = 2048


class CannotAnswer(Exception):
    """Raise it with one sentence for the owner: what is in the way, and what would help."""


class EnvelopeAsk:
    """What an agent of the envelope protocol is asked, and the ways to answer."""

    def __init__(self, message):
        context, task = message["context"], message["task"]
        self.feature_id = context["feature_id"]
        self.workflow = context["workflow"]
        self.iteration = context["iteration"]
        self.action = task["action"]
        self.params = task.get("params", {})
        self.paths = message["paths"]
        self.notes = message.get("prior_context", [])
        self._artifacts = []

    def path(self, name):
        """The path that is called so; it is relative to the working folder, which is the project."""
        if name not in self.paths:
            raise CannotAnswer(f"I need paths.{name}; add it to the step.")
        return self.paths[name]

    def has(self, name):
        """Whether a path is called so and a file is there."""
        return name in self.paths and os.path.isfile(self.paths[name])

    def read(self, name):
        """The text of the file that is called so."""
        path = self.path(name)
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            raise CannotAnswer(f"paths.{name} ({path}) is not there; create it first.") from None
        except PermissionError:
            raise CannotAnswer(f"I may not read paths.{name} ({path}); add its folder to roots.") from None
        except UnicodeDecodeError:
            raise CannotAnswer(f"paths.{name} ({path}) is not UTF-8 text.") from None

    def write(self, path, content):
        """Has a file written when the answer is taken: `path` is relative to the feature's folder."""
        root = self.path("feature_root").rstrip("/")
        if path.startswith(root + "/"):
            path = path[len(root) + 1 :]
        there = os.path.exists(os.path.join(root, path))
        operation = "update" if there else "create"
        self._artifacts.append({"path": path, "operation": operation, "content": content})

    def _answer(self, success, recommendation, summary, notes):
        return {
            "success": success,
            "summary": summary,
            "artifacts": self._artifacts if success else [],
            "notes": [cut(note) for note in notes][:MOST_NOTES],
            "recommendation": recommendation,
        }

    def proceed(self, summary, notes=()):
        """Done: the workflow goes on."""
        return self._answer(True, "proceed", summary, notes)

    def retry(self, summary, notes=()):
        """Another attempt is needed; nothing is written."""
        return self._answer(True, "retry", summary, notes)

    def escalate(self, summary, notes=()):
        """The owner is asked what `summary` asks; what was written before is kept."""
        return self._answer(True, "escalate", summary, notes)

    def failure(self, sentence):
        return self._answer(False, "escalate", sentence, [])


class BaseAsk:
    """What an agent of the base protocol is asked, and the ways to answer."""

    def __init__(self, message):
        task, context = message["request"]["task"], message["context"]
        self.meta = message["meta"]
        self.type = task["type"]
        self.objective = task["objective"]
        self.constraints = task["constraints"]
        self.parameters = message["request"]["parameters"]
        self.query = context["user_query"]
        self.previous = context["previous_results"]
        self.shared = context.get("shared_memory", {})
        self.next_context = context.get("next_context", {})
        self.owner_answer = context.get("owner_answer")
        self._begun = time.monotonic()

    def _answer(self, status, data, errors, next_context):
        data = {name: value for name, value in data.items() if value is not None}
        took = round((time.monotonic() - self._begun) * 1000)
        answer = {"status": status, "data": data, "meta": {"processing_time_ms": took}}
        if errors:
            answer["errors"] = errors
        if next_context:
            answer["next_context"] = next_context
        return answer

    def completed(self, summary=None, findings=None, confidence=None, citations=None, next_context=None):
        """Done."""
        data = {"summary": summary, "findings": findings, "confidence_score": confidence, "citations": citations}
        return self._answer("completed", data, [], next_context)

    def partial(self, summary, findings=None, confidence=None, citations=None, next_context=None, errors=()):
        """Done in part; `errors` say what is missing."""
        data = {"summary": summary, "findings": findings, "confidence_score": confidence, "citations": citations}
        return self._answer("partial", data, list(errors), next_context)

    def failure(self, sentence, code="failed"):
        return self._answer("failed", {}, [{"code": code, "message": sentence}], None)


class Agent:
    """Functions by what they can be asked."""

    def __init__(self):
        self._actions, self._tasks = {}, {}

    def action(self, name):
        """The function below answers this action (envelope protocol)."""

        def register(function):
            self._actions[name] = function
            return function

        return register

    def task(self, name):
        """The function below answers this task type (base protocol)."""

        def register(function):
            self._tasks[name] = function
            return function

        return register

    def answer(self, message):
        """One message in, one message out."""
        if "request" in message:
            ask, kind, functions = BaseAsk(message), message["request"]["task"]["type"], self._tasks
        else:
            ask, kind, functions = EnvelopeAsk(message), message["task"]["action"], self._actions
        if kind not in functions:
            return ask.failure(f"I cannot do {cut(kind)!r}; I can do: {', '.join(sorted(functions))}.")
        try:
            return functions[kind](ask)
        except CannotAnswer as why:
            return ask.failure(str(why))
        except Exception as error:  # whatever it is, the owner hears of it
            traceback.print_exc(file=sys.stderr)
            return ask.failure(f"I failed: {type(error).__name__}; the log has the rest.")

    def run(self):
        """Reads what is asked from standard input, and prints the answers."""
        if "--lines" in sys.argv[1:]:
            for line in sys.stdin:
                frame = json.loads(line)
                # One at a time: what is cancelled has been answered already, or is next to be.
                if "message" in frame:
                    show({"id": frame["id"], "message": self.answer(frame["message"])})
            return
        try:
            message = json.loads(sys.stdin.read())
            answer = self.answer(message)
        except (ValueError, KeyError, TypeError) as error:
            # No message of either protocol: there is nobody to answer.
            sys.exit(f"not a message: {error!r}")
        show(answer)


def count(number, one, many=None):
    """`1 page`, `2 pages`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def show(document):
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def cut(text):
    """As long as a note may be."""
    text = str(text)
    kept = text.encode("utf-8")[:MOST_NOTE_BYTES].decode("utf-8", "ignore")
    return text if kept == text else kept[:-3] + "..."
