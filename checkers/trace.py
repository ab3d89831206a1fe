"""
Scenarios: runs of the model as files that people write and read, and counterexamples are saved as.

A scenario names a family and the steps, one action each (``consume(broker=2)``); an argument that has only one
possible value may be left out. Anything else that does not fit is a Misuse that names file and line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checkers.documents import Document, read_document, write_document
from checkers.families import (
    DEFAULT_RELEASE,
    bounds_under,
    bounds_with,
    family_named,
    fault_named,
    rules_of,
    suggestion,
)
from checkers.verdict import Misuse, Verdict
from model.system import Action, Bounds, actions
from spec import PROPERTIES

_STEP = re.compile(r"\s*([A-Za-z_]+)\s*(?:\((.*)\))?\s*")
_ARGUMENT = re.compile(r"\s*([A-Za-z_]+)\s*=\s*([0-9]+)\s*")
_KEYS = ("family", "title", "story", "release", "storage", "set", "faults", "expect", "steps", "loop")


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a scenario says must come of it: *law* fails after *step*, or nothing does."""

    law: str | None
    verdict: Verdict
    step: int | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run of the model, to be replayed."""

    path: Path
    family: str
    steps: tuple[Action, ...]
    bounds: Bounds
    title: str = ""
    story: str = ""
    release: str = DEFAULT_RELEASE
    settings: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    expect: Expectation | None = None
    loop: int | None = None
    lines: tuple[int, ...] = ()
    """The line of each step in its file."""


def read_scenario(path: Path) -> Scenario:
    """Read a scenario file; raise Misuse for anything in it that does not fit."""
    document = read_document(path)
    data = document.data
    if not isinstance(data, dict):
        raise document.refuse("a scenario is a mapping with the keys family and steps")
    for key in data:
        if key not in _KEYS:
            raise document.refuse(f"no such key: {key}; {suggestion(str(key), _KEYS)}", str(key))
    for key in ("family", "steps"):
        if key not in data:
            raise document.refuse(f"a scenario needs the key {key}")
    settings = _mapping(document, "set")
    if "storage" in data:
        settings = {**settings, "storage": data["storage"]}
    faults = _list(document, "faults")
    release = str(data.get("release", DEFAULT_RELEASE))
    with_line = _Located(document)
    family = with_line("family", family_named, str(data["family"]))
    with_line("release", rules_of, release)
    for name in faults:
        with_line("faults", fault_named, str(name))
    bounds = with_line("set" if "set" in data else "storage", bounds_with, family.bounds, settings)
    bounds = bounds_under(bounds, release, map(str, faults))
    steps = _list(document, "steps")
    return Scenario(
        path=path,
        family=family.name,
        steps=tuple(_step(document, bounds, number, text) for number, text in enumerate(steps)),
        bounds=bounds,
        title=str(data.get("title", "")),
        story=str(data.get("story", "")),
        release=release,
        settings=settings,
        faults=tuple(map(str, faults)),
        expect=_expectation(document, len(steps)),
        loop=_loop(document, len(steps)),
        lines=tuple(document.lines.get(("steps", number), 1) for number in range(len(steps))),
    )


def write_scenario(scenario: Scenario) -> str:
    """Return the scenario as YAML that ``read_scenario`` reads back."""
    data: dict[str, Any] = {"family": scenario.family}
    if scenario.title:
        data["title"] = scenario.title
    if scenario.story:
        data["story"] = scenario.story
    if scenario.release != DEFAULT_RELEASE:
        data["release"] = scenario.release
    if scenario.settings:
        data["set"] = {name: str(value) if name == "storage" else value for name, value in scenario.settings.items()}
    if scenario.faults:
        data["faults"] = list(scenario.faults)
    if scenario.expect is not None:
        expect = {"law": scenario.expect.law, "verdict": scenario.expect.verdict.value, "step": scenario.expect.step}
        data["expect"] = {name: value for name, value in expect.items() if value is not None}
    head = write_document(data)
    steps = "".join(f"  - {step}\n" for step in map(briefly(scenario.bounds), scenario.steps))
    loop = f"loop: {scenario.loop}\n" if scenario.loop is not None else ""
    return f"{head}steps:\n{steps}{loop}"


def briefly(bounds: Bounds) -> Any:
    """
    Return a function that writes an action without the arguments that have only one possible value.

    >>> from model.system import Bounds, actions
    >>> print(briefly(Bounds(assigns=1))(actions(Bounds(assigns=1))[0]))
    look_up(broker=1)
    """
    values: dict[tuple[str, str], set[int]] = {}
    for action in actions(bounds):
        for name, value in action.arguments:
            values.setdefault((action.name, name), set()).add(value)

    def words(action: Action) -> str:
        shown = [f"{n}={v}" for n, v in action.arguments if len(values.get((action.name, n), {0, 1})) > 1]
        return f"{action.name}({', '.join(shown)})"

    return words


def find_action(bounds: Bounds, text: str) -> Action:
    """Return the one action that *text* names in these bounds; raise Misuse if there is none or several."""
    match = _STEP.fullmatch(text)
    if match is None:
        raise Misuse(f"step refused: {text!r}; a step reads action(argument=number, ...)")
    name, inside = match.group(1), (match.group(2) or "").strip()
    known = actions(bounds)
    candidates = [action for action in known if action.name == name]
    if not candidates:
        raise Misuse(f"no such action here: {name}; {suggestion(name, {action.name for action in known})}")
    for part in inside.split(",") if inside else []:
        argument = _ARGUMENT.fullmatch(part)
        if argument is None:
            raise Misuse(f"argument refused: {part.strip()!r} in {text}; an argument reads name=number")
        candidates = _having(candidates, argument.group(1), int(argument.group(2)), text)
    if len(candidates) > 1:
        missing = [n for n, _ in candidates[0].arguments if len({a.argument(n) for a in candidates}) > 1]
        raise Misuse(f"arguments missing: {', '.join(missing)} in {text}; such as {candidates[0]}")
    return candidates[0]


def _having(candidates: Sequence[Action], name: str, value: int, text: str) -> list[Action]:
    names = [argument for argument, _ in candidates[0].arguments]
    if name not in names:
        raise Misuse(f"no such argument: {name} in {text}; {suggestion(name, names)}")
    chosen = [action for action in candidates if action.argument(name) == value]
    if not chosen:
        values = sorted({action.argument(name) for action in candidates})
        raise Misuse(f"value refused: {name}={value} in {text}; allowed is {', '.join(map(str, values))}")
    return chosen


class _Located:
    """Calls a function and adds file and line to its complaint."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def __call__(self, key: str, function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Misuse as error:
            raise self._document.refuse(str(error), key) from None


def _step(document: Document, bounds: Bounds, number: int, text: Any) -> Action:
    try:
        return find_action(bounds, str(text))
    except Misuse as error:
        raise document.refuse(str(error), "steps", number) from None


def _mapping(document: Document, key: str) -> dict[str, Any]:
    value = document.data.get(key) or {}
    if not isinstance(value, dict):
        raise document.refuse(f"{key} refused: {value!r}; it is a mapping", key)
    return value


def _list(document: Document, key: str) -> list[Any]:
    value = document.data.get(key) or []
    if not isinstance(value, list):
        raise document.refuse(f"{key} refused: {value!r}; it is a list", key)
    return value


def _expectation(document: Document, steps: int) -> Expectation | None:
    data = _mapping(document, "expect")
    if not data:
        return None
    for key in data:
        if key not in ("law", "verdict", "step"):
            raise document.refuse(
                f"no such key: {key}; {suggestion(str(key), ('law', 'verdict', 'step'))}", "expect", key
            )
    law = data.get("law")
    if law is not None and law not in {known.name for known in PROPERTIES}:
        raise document.refuse(
            f"no such law: {law}; {suggestion(str(law), [known.name for known in PROPERTIES])}", "expect", "law"
        )
    verdict = data.get("verdict", Verdict.INVALID.value)
    if verdict not in [known.value for known in Verdict]:
        raise document.refuse(f"no such verdict: {verdict}; {suggestion(str(verdict), Verdict)}", "expect", "verdict")
    step = data.get("step")
    if step is not None and (not isinstance(step, int) or isinstance(step, bool) or not 0 <= step <= steps):
        raise document.refuse(f"step refused: {step}; there are {steps} steps", "expect", "step")
    return Expectation(law, Verdict(verdict), step)


def _loop(document: Document, steps: int) -> int | None:
    loop = document.data.get("loop")
    if loop is None:
        return None
    if not isinstance(loop, int) or isinstance(loop, bool) or not 1 <= loop <= steps:
        raise document.refuse(f"loop refused: {loop}; it is a step from 1 to {steps}", "loop")
    return loop
