"""
The Informal Trace Format (Apalache ADR-015), in and out.

A trace is written with one state per step and, as Quint does, ``mbt::actionTaken`` and ``mbt::nondetPicks``; ``#meta``
names the family of the run. Cells that have one value within the bounds are left out, so that a trace stays as it is
when the model grows. A trace from elsewhere may leave the actions out: they are found by trying which enabled step
leads to the next state.
"""

import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from oneowner.checkers.catalogue.families import bounds_under, family_named, switchings
from oneowner.checkers.catalogue.family import bounds_of
from oneowner.checkers.documents import Document, Part, shown
from oneowner.checkers.json_text import NoJson, json_of
from oneowner.checkers.scenarios.packaged import scenario_file
from oneowner.checkers.scenarios.replay import Replay
from oneowner.checkers.scenarios.scenario import Scenario, expectation_of, find_action, read_scenario, release_in
from oneowner.checkers.scenarios.under_release import under_release
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import actions, initial_states, step

ACTION, PICKS = "mbt::actionTaken", "mbt::nondetPicks"


def write_itf(replayed: Replay) -> str:
    """Return a replayed scenario as an ITF trace."""
    scenario = replayed.scenario
    names = moving(replayed.states[0])
    meta: dict[str, Any] = {
        "format": "ITF",
        "source": "oneowner",
        "family": scenario.family,
        "release": scenario.release,
        "set": {name: str(value) for name, value in scenario.settings.items()},
        "faults": list(scenario.faults),
    }
    if scenario.rules:
        meta["rules"] = dict(scenario.rules)
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
    try:
        return parse_itf(path, path.read_bytes())
    except FileNotFoundError:
        raise Misuse(f"{path}: no such file") from None
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror}") from None


def parse_itf(path: Path, text: str | bytes) -> Scenario:
    """Return the scenario of the ITF trace that *path* holds or would hold; refuse it as ``read_itf`` does."""
    document = Document(path, _trace(path, text))
    meta_data = document.data.get("#meta")
    if not isinstance(meta_data, dict) or "family" not in meta_data:
        raise document.refuse("#meta refused: it must name the family, and may name release, set, faults and rules")
    trace = Part(document, document.data).mapping(("#meta", "vars", "states"), ("params", "loop"))
    meta = trace["#meta"].mapping()
    family = meta["family"].give(family_named, meta["family"].text())
    release, note = release_in(meta, family.system)
    faulty = [part.one_of(switchings(), "fault").name for part in meta["faults"].items()] if "faults" in meta else []
    bounds = bounds_of(meta["set"], family.bounds) if "set" in meta else family.bounds
    rules = {name: part.flag() for name, part in meta["rules"].mapping().items()} if "rules" in meta else {}
    bounds = trace["#meta"].give(bounds_under, bounds, release, faulty, (), rules)
    states = trace["states"].items()
    _check_variables(trace["vars"])
    steps = _run(path, bounds, [part.data for part in states])
    return Scenario(
        path=path,
        family=family.full_name,
        steps=steps,
        bounds=bounds,
        release=release,
        note=note,
        settings=meta["set"].data if "set" in meta else {},
        faults=tuple(faulty),
        rules=rules,
        expect=expectation_of(meta["expect"], len(steps), family.system) if "expect" in meta else None,
        loop=trace["loop"].number(0, len(steps)) + 1 if "loop" in trace else None,
    )


def _check_variables(part: Part) -> None:
    for item in part.items():
        item.text()


def _run(path: Path, bounds: Bounds, wanted: list[dict[str, Any]]) -> tuple[Action, ...]:
    """Return the steps of a trace; raise Misuse unless each is a step of the model to the given state."""
    state, steps = initial_states(bounds)[0], []
    owed = moving(state)
    _compare(path, 0, state, wanted[0], owed)
    for number, after in enumerate(wanted[1:], 1):
        action = _taken(path, number, state, after, owed)
        try:
            state = step(state, action)
        except (Disabled, BoundReached) as refused:
            raise Misuse(f"{path}:1: state {number}: {action} is not enabled: {refused}") from None
        _compare(path, number, state, after, owed)
        steps.append(action)
    return tuple(steps)


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
    for name in moving(state):
        values[name] = itf_value(getattr(state, name))
    values[ACTION] = action.name if action else "init"
    values[PICKS] = {name: itf_value(value) for name, value in action.arguments} if action else {}
    return values


def _trace(path: Path, text: str | bytes) -> Any:
    try:
        trace = json_of(text)
    except NoJson as error:
        raise Misuse(f"{path}:{error.line}: not JSON: {error}") from None
    if not isinstance(trace, dict) or not isinstance(trace.get("states"), list) or not trace["states"]:
        raise Misuse(f"{path}:1: no ITF trace: it needs a non-empty list of states")
    if not all(isinstance(state, dict) for state in trace["states"]):
        raise Misuse(f"{path}:1: no ITF trace: every state is an object")
    return trace


def _taken(path: Path, number: int, state: State, wanted: dict[str, Any], owed: list[str]) -> Action:
    name = wanted.get(ACTION)
    if isinstance(name, str):
        picks = wanted.get(PICKS, {})
        if not isinstance(picks, dict):
            raise Misuse(f"{path}:1: state {number}: {PICKS} refused: {shown(picks)}; it is an object")
        try:
            words = ", ".join(f"{key}={_digits(value)}" for key, value in picks.items())
            return find_action(state.bounds, f"{name}({words})")
        except Misuse as error:
            raise Misuse(f"{path}:1: state {number}: {error}") from None
    for action in actions(state.bounds):
        try:
            if not _differences(step(state, action), wanted, owed):
                return action
        except (Disabled, BoundReached):
            continue
    raise Misuse(f"{path}:1: state {number}: no enabled step leads to it")


def _compare(path: Path, number: int, state: State, wanted: dict[str, Any], owed: list[str]) -> None:
    different = _differences(state, wanted, owed)
    if different:
        raise Misuse(f"{path}:1: state {number} differs from the model's in {', '.join(different)}")


def _differences(state: State, wanted: dict[str, Any], owed: list[str]) -> list[str]:
    """Return the cells in which a state differs from a trace; those that are *owed* may not be left out."""
    compared = {*owed, *wanted}
    names = [name for name in state.domains if name in compared]
    return [name for name in names if _plain(wanted.get(name)) != _plain(itf_value(getattr(state, name)))]


def moving(state: State) -> list[str]:
    """Return the cells that can have more than one value within the bounds; a trace may leave out the others."""
    return [name for name, domain in state.domains.items() if any(slot.size > 1 for slot in domain.slots(name))]


def _plain(value: Any) -> Any:
    """Return a value with every integer as its digits: a trace may write small ones without ``#bigint``."""
    if isinstance(value, dict):
        if set(value) == {"#bigint"}:
            return ("integer", str(value["#bigint"]))
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return ("integer", str(value))
    return value


def _digits(value: Any) -> str:
    plain = _plain(value)
    return plain[1] if isinstance(plain, tuple) else str(plain)


def scenario_in(file: Path, turned: Mapping[str, str] = MappingProxyType({}), release: str | None = None) -> Scenario:
    """
    Read the scenario or trace that a file holds, or the packaged one; raise Misuse if there is none.

    Switches of a scenario's rules may be *turned*, and it may be judged by another *release*; a trace has states, which
    only its own rules lead to.
    """
    if file.is_dir():
        raise Misuse(f"{file}: a directory; a recorded run is judged by: oneowner audit {file}")
    file = scenario_file(file)
    if not file.name.endswith(".json"):
        return read_scenario(file, turned) if release is None else under_release(read_scenario(file), release, turned)
    if turned or release is not None:
        option = "--rule" if turned else "--release"
        raise Misuse(f"{option} refused: {file}; an ITF trace holds the states of its own rules")
    return read_itf(file)
