"""``run_json`` gives the page a run of the model as data: each step's changes, what every actor then holds."""

import re
from collections.abc import Sequence
from typing import Any

from oneowner.checkers.report.run_text import changes_in_words, in_words
from oneowner.checkers.scenarios.replay import Replay, enabled, end_in_words
from oneowner.checkers.scenarios.scenario import Scenario, briefly, switch_in_words
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.state import State


def run_json(replayed: Replay) -> dict[str, Any]:
    """Return a replayed scenario: its steps (number 0 is the start), each with what could happen next."""
    scenario, bounds, system = replayed.scenario, replayed.scenario.bounds, replayed.system
    expected = scenario.expect.law if scenario.expect else None
    words, story = briefly(bounds), system.story
    first = replayed.states[0]
    steps = [start_json(scenario, first) | {"after": story.lane(first)}]
    for taken, before, after in zip(replayed.steps, replayed.states, replayed.states[1:], strict=False):
        steps.append(
            {
                "action": words(taken.action),
                "actor": actor(taken.action, story.actors),
                "changes": changes_in_words(bounds, taken),
                "cells": [[cell, in_words(bounds, old), in_words(bounds, new)] for cell, old, new in taken.changes],
                "broken": [law.name for law in taken.broken],
                "after": story.lane(after),
                "traffic": story.traffic(before, taken.action, after),
            }
        )
    for step, state in zip(steps, replayed.states, strict=True):
        step["next"] = [words(action) for action in enabled(state)]
    for law, number in replayed.broken.items():  # those of whole runs: no step breaks them
        if law in system.liveness_by_name:
            steps[-1]["broken"].append(law)
        elif number == 0:
            steps[0]["broken"].append(law)
    head = head_json(scenario)
    taken_or_not = {words.partition("(")[0] for step in steps for words in (step["action"], *step["next"])}
    return {
        **head,
        "laws": {law: statement for law, statement in head["laws"].items() if law in replayed.broken},
        "abouts": {name: about for name, about in head["abouts"].items() if name in taken_or_not},
        "verdict": replayed.verdict.value,
        "reasons": replayed.reasons,
        "loop": scenario.loop if len(replayed.steps) == len(scenario.steps) else None,
        "end": end_in_words(replayed),
        "liveness": [law for law in replayed.broken if law in system.liveness_by_name],
        "expects": expected,
        "known": [law for law in replayed.broken if law != expected and system.statuses[law].is_violated],
        "steps": steps,
    }


def head_json(scenario: Scenario) -> dict[str, Any]:
    """Return the facts about a run that no step changes, with the words for every action and law."""
    bounds = scenario.bounds
    system = bounds.system
    return {
        "name": str(scenario.path),
        "title": scenario.title or f"A run of {scenario.family}",
        "story": scenario.story,
        "family": scenario.family,
        "release": scenario.release,
        "project": system.project,
        "faults": [*scenario.faults, *(switch_in_words(*one) for one in scenario.rules.items())],
        **system.story.setting(bounds),
        "laws": {law.name: law.statement for law in (*system.laws, *system.liveness)},
        "abouts": {declared.name: _about(declared.run.__doc__ or "") for declared in system.declared},
    }


def start_json(scenario: Scenario, first: State) -> dict[str, Any]:
    """Return the step before the first one, which leads to the *first* state."""
    story = scenario.bounds.system.story
    moved = story.traffic(None, None, first)
    return {
        "action": "start",
        "actor": None,
        "changes": [story.start(scenario.bounds)],
        "cells": [],
        "broken": [],
        "traffic": moved,
    }


def actor(action: Action, actors: Sequence[str]) -> int | None:
    """Return the actor that takes a step, or None for other actors (the store, a compactor)."""
    given = dict(action.arguments)
    return next((given[name] for name in actors if name in given), None)


def _about(documented: str) -> str:
    """Return the first paragraph of an action's docstring, its parameters in asterisks: a step gives their values."""
    words = " ".join(documented.strip().split("\n\n")[0].split())
    return re.sub(r"``(.+?)``", r"\1", words)
