"""
Scenarios: runs of the model as files that people write and read, and counterexamples are saved as.

A scenario names a family and the steps, one action each (``consume(broker=2)``); an argument that has only one
possible value may be left out. Anything else that does not fit is a Misuse that names file and line.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from oneowner.checkers.catalogue.families import bounds_under, family_named, switchings
from oneowner.checkers.catalogue.family import bounds_of, bounds_with
from oneowner.checkers.documents import Part, read_document, shown, suggestion
from oneowner.checkers.judged_release import JudgedRelease, judged_release
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.checkers.yaml_text import write_document
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.system import System, actions

_STEP = re.compile(r"\s*([A-Za-z_]+)\s*(?:\((.*)\))?\s*")
_STEP_READS = "a step reads action(argument=number, ...)"
_ARGUMENT = re.compile(r"\s*([A-Za-z_]+)\s*=\s*([0-9]+)\s*")
_OPTIONAL = ("system", "title", "story", "release", "storage", "set", "faults", "rules", "expect", "loop")


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected result of a scenario: *law* fails after *step*, or no law fails."""

    law: str | None
    verdict: Verdict
    step: int | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run of the model, to be replayed."""

    path: Path
    family: str
    steps: tuple[Action, ...]
    bounds: Any
    title: str = ""
    story: str = ""
    release: str = ""
    note: str = ""
    """The release that the file names, if it is judged by the rules of another."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    rules: Mapping[str, bool] = field(default_factory=dict)
    """Switches that are not as the release and the faults have them."""
    expect: Expectation | None = None
    loop: int | None = None
    """The step at which an endless run continues after the last one; the number after the last: it rests there."""
    lines: tuple[int, ...] = ()
    """The line of each step in its file."""

    def __post_init__(self) -> None:
        if not self.release:
            object.__setattr__(self, "release", self.bounds.system.default_release)


def read_scenario(path: Path, turned: Mapping[str, str] = MappingProxyType({})) -> Scenario:
    """Read a scenario file, and turn switches of its rules; raise Misuse for anything in it that does not fit."""
    document = read_document(path)
    row = Part(document, document.data).mapping(("family", "steps"), _OPTIONAL)
    named = row["family"].text() if "system" not in row else f"{row['system'].text()}/{row['family'].text()}"
    family = row["family"].give(family_named, named)
    system = family.system
    release, note = release_in(row, system)
    chosen = [part.one_of(switchings(), "fault").name for part in row["faults"].items()] if "faults" in row else []
    bounds = family.bounds
    settings: dict[str, Any] = {}
    if "set" in row:
        bounds = bounds_of(row["set"], bounds)
        settings |= row["set"].data
    if "storage" in row:
        bounds = row["storage"].give(bounds_with, bounds, {"storage": row["storage"].data})
        settings["storage"] = row["storage"].data
    own = {name: part.flag() for name, part in row["rules"].mapping().items()} if "rules" in row else {}
    bounds = row["rules"].give(bounds_under, bounds, release, chosen, (), own) if own else bounds
    bounds = bounds_under(bounds, release, chosen, (), {**own, **turned})
    rules = {name: getattr(bounds.rules, name) for name in (*own, *turned)}
    steps = row["steps"].items()
    return Scenario(
        path=path,
        family=family.full_name,
        steps=tuple(step_of(part, bounds) for part in steps),
        bounds=bounds,
        title=row["title"].text() if "title" in row else "",
        story=row["story"].text() if "story" in row else "",
        release=release,
        note=note,
        settings=settings,
        faults=tuple(chosen),
        rules=rules,
        expect=expectation_of(row["expect"], len(steps), system) if "expect" in row else None,
        loop=row["loop"].number(1, len(steps) + 1) if "loop" in row else None,
        lines=tuple(document.lines.get(("steps", number), 1) for number in range(len(steps))),
    )


def release_in(row: Mapping[str, Part], system: System) -> JudgedRelease:
    """Return by which release a run is judged, whether it names one or not; raise Misuse, with file and line."""
    if "release" not in row:
        return JudgedRelease(system.default_release)
    found: JudgedRelease = row["release"].give(judged_release, row["release"].text(), system.releases)
    return found


def switch_in_words(name: str, value: bool) -> str:
    """
    Return a switch as the command line takes it.

    >>> switch_in_words("version_check", False)
    'version_check=false'
    """
    return f"{name}={str(value).lower()}"


def step_of(part: Part, bounds: Bounds) -> Action:
    """Return the action that a line of a scenario names; raise Misuse for an invalid one."""
    if not isinstance(part.data, str):
        raise part.complaint(f"step refused: {shown(part.data)}; {_STEP_READS}")
    action: Action = part.give(find_action, bounds, part.data)
    return action


def expectation_of(part: Part, steps: int, system: System) -> Expectation:
    """Read the expectation of a scenario with *steps* steps; raise Misuse if it is invalid."""
    row = part.mapping((), ("law", "verdict", "step"))
    verdicts = {verdict.value: verdict for verdict in Verdict}
    return Expectation(
        law=row["law"].one_of({name: name for name in system.statuses}, "law") if "law" in row else None,
        verdict=row["verdict"].one_of(verdicts, "verdict") if "verdict" in row else Verdict.INVALID,
        step=row["step"].number(0, steps) if "step" in row else None,
    )


def write_scenario(scenario: Scenario) -> str:
    """Return the scenario as YAML that ``read_scenario`` reads back."""
    data: dict[str, Any] = {"family": scenario.family}
    if scenario.title:
        data["title"] = scenario.title
    if scenario.story:
        data["story"] = scenario.story
    if scenario.release != scenario.bounds.system.default_release:
        data["release"] = scenario.release
    if scenario.settings:
        data["set"] = {
            name: value if isinstance(value, int) else str(value) for name, value in scenario.settings.items()
        }
    if scenario.faults:
        data["faults"] = list(scenario.faults)
    if scenario.rules:
        data["rules"] = dict(scenario.rules)
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

    >>> from oneowner.model.channel.bounds import Bounds
    >>> bounds = Bounds(assigns=1)
    >>> print(briefly(bounds)(actions(bounds)[0]))
    look_up(broker=1)
    """
    values: dict[tuple[str, str], set[int]] = {}
    for action in actions(bounds):
        for name, value in action.arguments:
            values.setdefault((action.name, name), set()).add(value)

    def words(action: Action) -> str:
        named = [f"{n}={v}" for n, v in action.arguments if len(values.get((action.name, n), {0, 1})) > 1]
        return f"{action.name}({', '.join(named)})"

    return words


def find_action(bounds: Bounds, text: str) -> Action:
    """Return the one action that *text* names in these bounds; raise Misuse if there is none or several."""
    match = _STEP.fullmatch(text)
    if match is None:
        raise Misuse(f"step refused: {shown(text)}; {_STEP_READS}")
    name, inside = match.group(1), (match.group(2) or "").strip()
    known = actions(bounds)
    candidates = [action for action in known if action.name == name]
    if not candidates:
        raise Misuse(f"no such action here: {shown(name)}; {suggestion(name, {action.name for action in known})}")
    given: set[str] = set()
    for part in inside.split(",") if inside else []:
        argument = _ARGUMENT.fullmatch(part)
        if argument is None or argument.group(1) in given:
            raise Misuse(f"argument refused: {shown(part)!r} in {shown(text)}; an argument reads name=number, once")
        given.add(argument.group(1))
        candidates = _having(candidates, argument.group(1), argument.group(2), text)
    if len(candidates) > 1:
        missing = [n for n, _ in candidates[0].arguments if len({a.argument(n) for a in candidates}) > 1]
        raise Misuse(f"arguments missing: {', '.join(missing)} in {shown(text)}; such as {candidates[0]}")
    return candidates[0]


def _having(candidates: Sequence[Action], name: str, value: str, text: str) -> list[Action]:
    names = [argument for argument, _ in candidates[0].arguments]
    if name not in names:
        raise Misuse(f"no such argument: {shown(name)} in {shown(text)}; {suggestion(name, names)}")
    chosen = [action for action in candidates if str(action.argument(name)) == (value.lstrip("0") or "0")]
    if not chosen:
        values = ", ".join(map(str, sorted({action.argument(name) for action in candidates})))
        raise Misuse(f"value refused: {name}={shown(value)} in {shown(text)}; allowed is {values}")
    return chosen
