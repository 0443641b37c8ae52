#!/usr/bin/env python3
"""Measures Aura's tick, durable tick and gate beside LangGraph, pydantic and two JSON Schema validators, in one run on this machine.

    make build && scripts/bench-peers.py            # AURA=PATH for another program, COUNT=N for the ticks of each

The peers are installed into a folder outside the clone (network, once). LangGraph runs a graph of a tick's shape: a trigger, four agents side by side, a
decision, two actions, a trace. Its nodes do next to nothing, so its figures are the least that such a graph costs; Aura's tick does all of its work.
All times are CPU time of the process; a durable tick is told in ticks a second.
"""

import json
import operator
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "aura-tools" / "peers"
PEERS = ["langgraph==1.2.24", "langgraph-checkpoint-sqlite==3.1.2", "pydantic==2.14.4", "jsonschema==4.26.0", "jsonschema-rs==0.61.2"]
AURA = os.environ.get("AURA", str(HERE / "target/release/aura"))
COUNT = int(os.environ.get("COUNT", "300"))


def enter_peers():
    """Goes on in a Python that has the peers, installing them where they are missing."""
    python = CACHE / "bin" / "python"
    wanted = CACHE / "installed"
    if not wanted.exists() or wanted.read_text() != "\n".join(PEERS):
        subprocess.run([sys.executable, "-m", "venv", "--clear", CACHE], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS], check=True)
        wanted.write_text("\n".join(PEERS))
    if pathlib.Path(sys.prefix).resolve() != CACHE.resolve():
        os.execv(python, [str(python), __file__])


def aura(*what):
    """The JSON that a benchmark of Aura prints, one document a line or one in all."""
    out = subprocess.run([AURA, "bench", *what, "--json"], cwd=HERE, check=True, capture_output=True, text=True).stdout
    try:
        found = json.loads(out)
        return found if isinstance(found, list) else [found]
    except json.JSONDecodeError:
        return [json.loads(line) for line in out.splitlines() if line.strip()]


def cpu_us(do, count):
    """Median, least and most microseconds of CPU of one call, after a tenth as many to warm up."""
    for _ in range(max(1, count // 10)):
        do()
    spent = []
    for _ in range(count):
        begun = time.process_time_ns()
        do()
        spent.append((time.process_time_ns() - begun) / 1000)
    return statistics.median(spent), min(spent), max(spent)


AGENTS = ["comms", "calendar", "finance", "wellness"]
SUBJECT = "ev_0123456789abcdef"


def ask(agent):
    """An agent that has one proposal and four readings at hand."""
    args = {"event_id": SUBJECT, "leave_at": "2026-11-03T02:45:00.000Z"}
    proposal = {"kind": "LEAVE_BY_ALERT", "subject": SUBJECT, "confidence": 0.9, "args": args}
    readings = [{"key": key, "value": 4.0} for key in ("messages", "actionable", "events_today", "travel_min")]
    return lambda state: {"answers": [{"agent": agent, "candidates": [proposal], "readings": readings, "status": "ok"}]}


def decide(state):
    """Picks the proposal that is surest."""
    found = [(one["confidence"], one["kind"], one) for answer in state["answers"] for one in answer["candidates"]]
    return {"chosen": max(found, key=lambda one: one[:2])[2]}


def act(state):
    """Two calls that are done at once."""
    return {"results": [{"tool": "show_brief", "result": {"shown": True}}, {"tool": "travel_aware_alert", "result": {"armed": True}}]}


def trace(state):
    """What is kept, as JSON."""
    return {"trace": json.dumps({name: state[name] for name in ("trigger", "answers", "chosen", "results")})}


def graph(saver=None):
    """A tick as a graph of LangGraph."""
    from typing import Annotated, TypedDict

    from langgraph.graph import END, START, StateGraph

    Tick = TypedDict("Tick", {"trigger": dict, "answers": Annotated[list, operator.add], "chosen": dict, "results": list, "trace": str})
    building = StateGraph(Tick)
    for agent in AGENTS:
        building.add_node(agent, ask(agent))
        building.add_edge(START, agent)
        building.add_edge(agent, "decide")
    for name, node in (("decide", decide), ("act", act), ("keep", trace)):
        building.add_node(name, node)
    for begin, end in (("decide", "act"), ("act", "keep"), ("keep", END)):
        building.add_edge(begin, end)
    return building.compile(checkpointer=saver)


TRIGGER = {"trigger": {"source": "phone_unlock", "at": "2026-11-03T02:15:00.000Z"}, "answers": []}


def without_graph():
    """The same functions, called one after the other."""
    state = dict(TRIGGER, answers=[answer for agent in AGENTS for answer in ask(agent)(TRIGGER)["answers"]])
    for step in (decide, act, trace):
        state.update(step(state))
    return state


def durable_ticks(folder, count):
    """Ticks a second with LangGraph's SQLite checkpointer, each step on disk before the next."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(str(folder / "peer.db")) as saver:
        saver.setup()
        saver.conn.execute("PRAGMA synchronous = FULL")
        compiled = graph(saver)
        def tick(n):
            return compiled.invoke(dict(TRIGGER), {"configurable": {"thread_id": str(n)}}, durability="sync")

        for n in range(5):
            tick(-n - 1)
        begun = time.perf_counter()
        for n in range(count):
            tick(n)
        return count / (time.perf_counter() - begun)


def gates(count):
    """Bytes of one call to a checked value, by each peer, beside its own parser."""
    import jsonschema
    import jsonschema_rs
    import pydantic
    from typing import Annotated, Literal, Optional

    call = {"call_id": "t_abcde01234", "agent": "comms", "tool": "mute_channel", "args": {"channel_hash": "ch_0011223344556677", "ttl_seconds": 1800},
            "ts": "2026-11-03T02:15:00.000Z", "confirm_required": True, "expected_surface": "WATCH", "deadline_ms": 2000}
    text = json.dumps(call, separators=(",", ":")).encode()
    read = lambda name: json.loads((HERE / "toolcall-schema/src/schemas" / name).read_text())
    schema = read("toolcall.v1.json")
    schema["properties"]["args"] = {key: value for key, value in read("args/mute_channel.v1.json").items() if key not in ("$id", "$schema")}

    class Args(pydantic.BaseModel, extra="forbid", strict=True):
        channel_hash: Annotated[str, pydantic.Field(pattern="^ch_[0-9a-f]{16}$")]
        ttl_seconds: Annotated[int, pydantic.Field(ge=60, le=86400)]

    class Call(pydantic.BaseModel, extra="forbid"):
        call_id: Annotated[str, pydantic.Field(pattern="^t_[a-z0-9]{10}$")]
        agent: Literal["comms", "calendar", "finance", "wellness", "orchestrator"]
        tool: str
        args: Args
        ts: pydantic.AwareDatetime
        confirm_required: bool
        expected_surface: Optional[Literal["WATCH", "PHONE_CARD", "EARBUD_TTS", "SILENT"]] = None
        deadline_ms: Optional[Annotated[int, pydantic.Field(ge=50, le=10000)]] = None

    slow, fast = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()), jsonschema_rs.validator_for(schema, validate_formats=True)
    slow.validate(call), fast.validate(call)
    many = lambda do: lambda: [do() for _ in range(100)]
    rows = [("Python's json.loads alone", lambda: json.loads(text)), ("pydantic, model_validate_json", lambda: Call.model_validate_json(text)),
            ("json.loads, then jsonschema-rs", lambda: fast.validate(json.loads(text))), ("json.loads, then jsonschema", lambda: slow.validate(json.loads(text)))]
    return [(name, *(us / 100 for us in cpu_us(many(do), count // 10 or 1))) for name, do in rows]


def main():
    enter_peers()
    line = "{:<62} {:>12} {:>12} {:>12}".format
    print(line("CPU, microseconds", "median", "least", "most"))
    (ours,) = aura("tick", "--count", str(COUNT * 10))
    least, most = ours["cpu_min_max_ns"]
    print(line("Aura, full tick in process", *(f"{ns / 1000:.1f}" for ns in (ours["cpu_median_ns"], least, most))))
    compiled = graph()
    for name, do in (("LangGraph, a graph of that shape", lambda: compiled.invoke(dict(TRIGGER))), ("its functions, without LangGraph", without_graph)):
        print(line(name, *(f"{us:.1f}" for us in cpu_us(do, COUNT))))
    for row in aura("gate", "--count", str(COUNT * 10)):
        if row["tool"] in ("comms.mute_channel", "every tool in turn"):
            gate, parser = row["gate"]["cpu_median_ns"] / 1000, row["parser"]["cpu_median_ns"] / 1000
            print(line(f"Aura's gate, {row['tool']}: {row['ratio']:.2f} of serde_json", f"{gate:.2f}", "", ""))
            print(line("serde_json into a tree, the same", f"{parser:.2f}", "", ""))
    for name, *us in gates(COUNT):
        print(line(name, *(f"{one:.2f}" for one in us)))
    with tempfile.TemporaryDirectory() as folder:
        (ours,) = aura("durable", "--count", str(COUNT), "--on", folder)
        theirs = durable_ticks(pathlib.Path(folder), COUNT)
    print(f"\ndurable ticks a second: Aura {ours['per_second']:.0f} ({ours['ratio']:.2f} of bare sealed commits); "
          f"LangGraph's SQLite checkpointer, not sealed: {theirs:.0f}; {ours['per_second'] / theirs:.1f} times as many")
    print("with " + ", ".join(PEERS) + f", Python {sys.version.split()[0]}")


main()
