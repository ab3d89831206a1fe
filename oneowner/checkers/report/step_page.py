"""``run_json`` gives the page a run of the model as data: each step's changes, what every actor then holds."""

import re
from collections.abc import Sequence
from typing import Any

from oneowner.checkers.report.run_text import changes_in_words, in_words
from oneowner.checkers.scenarios.replay import Replay, end_in_words
from oneowner.checkers.scenarios.scenario import briefly, switch_in_words
from oneowner.model.kernel.action import Action


def run_json(replayed: Replay) -> dict[str, Any]:
    """Return a replayed scenario: its steps (number 0 is the start), and every record that was written."""
    scenario, bounds = replayed.scenario, replayed.scenario.bounds
    system = replayed.system
    laws = system.laws_by_name | system.liveness_by_name
    expected = scenario.expect.law if scenario.expect else None
    lanes, records = system.story.lanes(replayed.states, [taken.action for taken in replayed.steps])
    steps = [_start(replayed, lanes[0])]
    words = briefly(bounds)
    for taken, after in zip(replayed.steps, lanes[1:], strict=True):
        steps.append(
            {
                "action": words(taken.action),
                "actor": actor(taken.action, system.story.actors),
                "about": _about(taken.action),
                "changes": changes_in_words(bounds, taken),
                "cells": [[cell, in_words(bounds, old), in_words(bounds, new)] for cell, old, new in taken.changes],
                "broken": [law.name for law in taken.broken],
                "after": after,
            }
        )
    for law, number in replayed.broken.items():  # those of whole runs: no step breaks them
        if law in system.liveness_by_name:
            steps[-1]["broken"].append(law)
        elif number == 0:
            steps[0]["broken"].append(law)
    return {
        "name": str(scenario.path),
        "title": scenario.title or f"A run of {scenario.family}",
        "story": scenario.story,
        "family": scenario.family,
        "release": scenario.release,
        "faults": [*scenario.faults, *(switch_in_words(*one) for one in scenario.rules.items())],
        **system.story.setting(bounds),
        "verdict": replayed.verdict.value,
        "reasons": replayed.reasons,
        "loop": scenario.loop if len(replayed.steps) == len(scenario.steps) else None,
        "end": end_in_words(replayed),
        "laws": {law: laws[law].statement for law in replayed.broken},
        "liveness": [law for law in replayed.broken if law in system.liveness_by_name],
        "expects": expected,
        "known": [law for law in replayed.broken if law != expected and system.statuses[law].is_violated],
        "records": records,
        "steps": steps,
    }


def actor(action: Action, actors: Sequence[str]) -> int | None:
    """Return the actor that takes a step, or None for other actors (the store, a compactor)."""
    given = dict(action.arguments)
    return next((given[name] for name in actors if name in given), None)


def _about(action: Action) -> str:
    """Return the first paragraph of an action's docstring as plain text."""
    words = " ".join((action.run.__doc__ or "").strip().split("\n\n")[0].split())
    return re.sub(r"``(.+?)``|\*(\w+)\*", lambda match: match.group(1) or match.group(2), words)


def _start(replayed: Replay, after: dict[str, Any]) -> dict[str, Any]:
    return {
        "action": "start",
        "actor": None,
        "about": replayed.system.story.start(replayed.scenario.bounds),
        "changes": [],
        "cells": [],
        "broken": [],
        "after": after,
    }
