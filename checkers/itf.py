"""
The Informal Trace Format (Apalache ADR-015), in and out.

A trace is written with one state per step and, as Quint does, ``mbt::actionTaken`` and
``mbt::nondetPicks``; ``#meta`` says which family it is a run of. A trace from elsewhere may leave the actions
out: they are found by trying which enabled step leads to the next state.
"""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import Any

from checkers.families import DEFAULT_RELEASE, bounds_under, bounds_with, family_named
from checkers.replay import Replay
from checkers.trace import Expectation, Scenario, find_action
from checkers.verdict import Misuse, Verdict
from model.language import Cells, Disabled
from model.system import Action, State, actions, initial_states, step

ACTION, PICKS = "mbt::actionTaken", "mbt::nondetPicks"


def write_itf(replayed: Replay) -> str:
    """Return a replayed scenario as an ITF trace."""
    scenario = replayed.scenario
    names = list(replayed.states[0].domains)
    meta: dict[str, Any] = {
        "format": "ITF",
        "source": "oneowner",
        "family": scenario.family,
        "release": scenario.release,
        "set": {name: str(value) for name, value in scenario.settings.items()},
        "faults": list(scenario.faults),
    }
    if scenario.expect is not None:
        meta["expect"] = {
            "law": scenario.expect.law,
            "verdict": scenario.expect.verdict.value,
            "step": scenario.expect.step,
        }
    taken: list[Action | None] = [None, *(one.action for one in replayed.steps)]
    states = [
        _state(index, state, action) for index, (state, action) in enumerate(zip(replayed.states, taken, strict=True))
    ]
    trace: dict[str, Any] = {"#meta": meta, "vars": [*names, ACTION, PICKS], "states": states}
    if scenario.loop is not None:
        trace["loop"] = scenario.loop - 1
    return json.dumps(trace, indent=1) + "\n"


def read_itf(path: Path) -> Scenario:
    """Read an ITF trace as a scenario whose states are checked; raise Misuse if it is no run of its family."""
    trace = _load(path)
    try:
        meta, states = trace["#meta"], trace["states"]
        family = family_named(str(meta["family"]))
        release = str(meta.get("release", DEFAULT_RELEASE))
        settings, faults = dict(meta.get("set", {})), tuple(map(str, meta.get("faults", ())))
        expect = _expectation(meta.get("expect"))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Misuse(f"{path}:1: no trace of ours: {error!r}; #meta must name the family") from None
    except Misuse as error:
        raise Misuse(f"{path}:1: {error}") from None
    bounds = bounds_under(bounds_with(family.bounds, settings), release, faults)
    state, steps = initial_states(bounds)[0], []
    _compare(path, 0, state, states[0] if states else {})
    for number, wanted in enumerate(states[1:], 1):
        action = _taken(path, number, state, wanted)
        try:
            state = step(state, action)
        except Disabled as disabled:
            raise Misuse(f"{path}:1: state {number}: {action} is not enabled: {disabled.guard}") from None
        _compare(path, number, state, wanted)
        steps.append(action)
    loop = trace.get("loop")
    return Scenario(
        path=path, family=family.name, steps=tuple(steps), bounds=bounds, release=release, settings=settings,
        faults=faults, expect=expect, loop=loop + 1 if isinstance(loop, int) else None,
    )  # fmt: skip


def itf_value(value: Any) -> Any:
    """
    Return a value of the model in ITF: integers as big integers, cells and sequences as lists.

    >>> itf_value(2), itf_value(True)
    ({'#bigint': '2'}, True)
    """
    if isinstance(value, Cells):
        return [itf_value(part) for part in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if hasattr(value, "_asdict"):
        return {name: itf_value(part) for name, part in value._asdict().items()}
    return [itf_value(part) for part in value]


def _state(index: int, state: State, action: Action | None) -> dict[str, Any]:
    values: dict[str, Any] = {"#meta": {"index": index}}
    for name in state.domains:
        values[name] = itf_value(getattr(state, name))
    values[ACTION] = action.name if action else "init"
    values[PICKS] = {name: itf_value(value) for name, value in action.arguments} if action else {}
    return values


def _load(path: Path) -> Any:
    try:
        trace = json.loads(path.read_bytes())
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Misuse(f"{path}:{getattr(error, 'lineno', 1)}: not JSON: {error}") from None
    if not isinstance(trace, dict) or not isinstance(trace.get("states"), list) or not trace["states"]:
        raise Misuse(f"{path}:1: no ITF trace: it needs a non-empty list of states")
    if not all(isinstance(state, dict) for state in trace["states"]):
        raise Misuse(f"{path}:1: no ITF trace: every state is an object")
    return trace


def _expectation(data: Any) -> Expectation | None:
    if not data:
        return None
    return Expectation(data.get("law"), Verdict(data.get("verdict", "invalid")), data.get("step"))


def _taken(path: Path, number: int, state: State, wanted: dict[str, Any]) -> Action:
    name = wanted.get(ACTION)
    if isinstance(name, str):
        picks = wanted.get(PICKS) or {}
        try:
            arguments = ", ".join(f"{key}={value['#bigint']}" for key, value in picks.items())
            return find_action(state.bounds, f"{name}({arguments})")
        except (Misuse, TypeError, KeyError, AttributeError) as error:
            raise Misuse(f"{path}:1: state {number}: {error}") from None
    for action in actions(state.bounds):
        try:
            if not _differences(step(state, action), wanted):
                return action
        except Disabled:
            continue
    raise Misuse(f"{path}:1: state {number}: no enabled step leads to it")


def _compare(path: Path, number: int, state: State, wanted: dict[str, Any]) -> None:
    different = _differences(state, wanted)
    if different:
        raise Misuse(f"{path}:1: state {number} differs from the model's in {', '.join(different)}")


def _differences(state: State, wanted: dict[str, Any]) -> list[str]:
    return [name for name in state.domains if wanted.get(name) != itf_value(getattr(state, name))]
