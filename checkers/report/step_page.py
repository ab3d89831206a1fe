"""
A run of the model as data for the page: what each step changes, what every broker holds after it, the whole channel.

The model forgets records that everybody has read; the page shows them all, so positions count from the first record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from oneowner.checkers.ledger.families import LAWS, LIVENESS_LAWS
from oneowner.checkers.report.run_text import changes_in_words, in_words, owners, owners_in_words, start_in_words
from oneowner.checkers.scenarios.replay import Replay, end_in_words
from oneowner.checkers.scenarios.scenario import briefly
from oneowner.model.channel.channel import accepts, consumed, entry
from oneowner.model.channel.parts import Message, Node, Run
from oneowner.model.channel.record import TOMBSTONE
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.system import Action, State, needs_normalising, normalise

ACTORS = ("observer", "broker")
"""The arguments that name who takes a step, the first one that an action has."""


def run_json(replayed: Replay) -> dict[str, Any]:
    """Return a replayed scenario: its steps (number 0 is the start), and every record that was written."""
    scenario, bounds = replayed.scenario, replayed.scenario.bounds
    first = replayed.states[0]
    records = [_record(first, message, number, 0) for number, message in enumerate(_log(first), 1)]
    steps = [_start(replayed)]
    forgotten = 0
    words = briefly(bounds)
    for taken, before, after in zip(replayed.steps, replayed.states, replayed.states[1:], strict=False):
        written, lost = _written(before, taken.action)
        records += [_record(state, message, place, taken.number) for state, message, place in written]
        forgotten += lost
        steps.append(
            {
                "action": words(taken.action),
                "actor": actor(taken.action),
                "about": _about(taken.action),
                "changes": changes_in_words(bounds, taken),
                "cells": [[cell, in_words(bounds, old), in_words(bounds, new)] for cell, old, new in taken.changes],
                "broken": [law.name for law in taken.broken],
                "after": _state(after, forgotten),
            }
        )
    for law, number in replayed.broken.items():  # those of whole runs: no step breaks them
        if law in LIVENESS_LAWS:
            steps[-1]["broken"].append(law)
        elif number == 0:
            steps[0]["broken"].append(law)
    return {
        "name": str(scenario.path),
        "title": scenario.title or f"A run of {scenario.family}",
        "story": scenario.story,
        "family": scenario.family,
        "release": scenario.release,
        "faults": list(scenario.faults),
        "storage": bounds.storage.value,
        "brokers": bounds.brokers,
        "units": bounds.units,
        "verdict": replayed.verdict.value,
        "reasons": replayed.reasons,
        "loop": scenario.loop if len(replayed.steps) == len(scenario.steps) else None,
        "end": end_in_words(replayed),
        "laws": {law: (LAWS.get(law) or LIVENESS_LAWS[law]).statement for law in replayed.broken},
        "records": records,
        "steps": steps,
    }


def actor(action: Action) -> int | None:
    """Return the broker that takes a step, None for a step of somebody else (the store, a client, a compactor)."""
    given = dict(action.arguments)
    return next((given[name] for name in ACTORS if name in given), None)


def _about(action: Action) -> str:
    """Return the first paragraph of an action's docstring as plain text."""
    words = " ".join((action.run.__doc__ or "").strip().split("\n\n")[0].split())
    return re.sub(r"``(.+?)``|\*(\w+)\*", lambda match: match.group(1) or match.group(2), words)


def _start(replayed: Replay) -> dict[str, Any]:
    return {
        "action": "start",
        "actor": None,
        "about": start_in_words(replayed.scenario.bounds),
        "changes": [],
        "cells": [],
        "broken": [],
        "after": _state(replayed.states[0], 0),
    }


def _state(state: State, forgotten: int) -> dict[str, Any]:
    bounds = state.bounds
    brokers, units = range(1, bounds.brokers + 1), range(1, bounds.units + 1)
    is_topic = bounds.storage == Storage.SYSTEM_TOPIC
    return {
        "run": [state.run[broker].value for broker in brokers],
        "registered": [state.node[broker] == Node.PRESENT for broker in brokers],
        "leader": state.leader,
        "forgotten": forgotten,
        "written": forgotten + state.log.length,
        "cursor": [
            forgotten + state.cursor[broker] if is_topic and state.run[broker] != Run.DOWN else None
            for broker in brokers
        ],
        "view": [[_held(state.view[broker, unit]) for unit in units] for broker in brokers],
        "serving": [[unit for unit in units if state.serving[broker, unit]] for broker in brokers],
        "outbox": [[in_words(bounds, publish) for publish in state.outbox[broker]] for broker in brokers],
        "closing": [[in_words(bounds, message) for message in state.closing[broker]] for broker in brokers],
        "told": [[unit for unit in units if state.changed[broker, unit]] for broker in brokers],
        "held": [_held(entry(state, unit)) for unit in units],
        "owners": [owners_in_words(state, unit) for unit in units],
        "twice": [unit for unit in units if len(owners(state, unit)[1]) > 1],
    }


def _held(record: Any) -> str:
    return "" if record == TOMBSTONE else str(record)


def _written(before: State, action: Action) -> tuple[list[tuple[State, Message, int]], int]:
    """Return what a step adds to the log, with its place in the window, and how many records are forgotten after."""
    after = before.copy()
    action.run(after, **dict(action.arguments))
    log, lost = _log(after), 0
    added = [(after.copy(), log[place - 1], place) for place in range(before.log.length + 1, len(log) + 1)]
    while needs_normalising(after):
        normalise(after)
        lost += 1
    return added, lost


def _record(state: State, message: Message, place: int, step: int) -> dict[str, Any]:
    """Return a record of the log, and whether the resolver takes it onto what was there."""
    held = consumed(state, message.unit, place - 1)
    return {
        "unit": message.unit,
        "record": "tombstone" if message.record == TOMBSTONE else str(message.record),
        "accepted": bool(accepts(state, held, message.record)),
        "step": step,
    }


def _log(state: State) -> list[Message]:
    return list(_messages(state))


def _messages(state: State) -> Iterator[Message]:
    for number in range(1, state.log.length + 1):
        yield state.log[number]
