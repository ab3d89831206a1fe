"""Axes of a sweep, given as options or as a file, become tasks, one for every combination, in a fixed order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from oneowner.checkers.catalogue.families import catalogue, family_named, log_faults, switching_named
from oneowner.checkers.catalogue.family import bounds_with, pick, rules_with
from oneowner.checkers.catalogue.faults import Fault, Unkilled
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.catalogue.upstream import switching_name
from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.engines.walks.plan import DEFAULT_DEPTH, DEFAULT_SEED
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.sweep.simulation_axes import Simulations
from oneowner.checkers.sweep.task import Task
from oneowner.checkers.times import duration_ms
from oneowner.checkers.verdict import Misuse

NO_FAULT = "none"
MOST = 100_000
"""Tasks of a sweep."""


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes of a sweep, and the options that all tasks share."""

    families: Sequence[str] = ()
    releases: Sequence[str] = ()
    faults: Sequence[str] = ()
    """Each the names of faults joined by ``+``, or ``none``."""
    settings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rules: Mapping[str, Sequence[str]] = field(default_factory=dict)
    laws: Sequence[str] = ()
    walks: int | None = None
    depth: int | None = None
    seeds: Sequence[int] = ()
    kills: bool = False
    """True to run the kill matrix of all faults, or only of *faults*."""
    by_release: bool = False
    """True to judge the law of every fault and prediction, or of *faults*, in every affected release."""
    max_states: int | None = None
    max_seconds: float | None = None
    simulated: Simulations = field(default_factory=Simulations)

    def tasks(self) -> list[Task]:
        """Return the tasks; raise Misuse for a name or a bound that none of them could have."""
        if self.kills or self.by_release:
            return self._of_catalogue()
        if not self.families and not self.simulated:
            kinds = (
                "a family (--family transfer), faults to kill (--kills) or by release (--by-release), a trace of load"
                " (--simulate step), or a FILE"
            )
            raise Misuse(f"nothing to sweep: name {kinds}")
        if self.walks is None and (self.depth is not None or (self.seeds and not self.simulated)):
            raise Misuse("seeds and depth go with --walks N, seeds also with --simulate")
        if not self.families and (
            self.faults or self.settings or self.rules or self.laws or self.walks or self.max_states
        ):
            raise Misuse("faults, bounds, rules, laws, walks and --max-states go with --family NAME")
        self._check()
        axes = (self.families, self.releases, self.faults, self.seeds, *self.settings.values(), *self.rules.values())
        number = prod(len(axis) or 1 for axis in axes) if self.families else 0
        if self.simulated:
            self.simulated.check(self.releases)
            number += self.simulated.number(self.releases, self.seeds)
        if number > MOST:
            raise Misuse(f"sweep refused: {number:,} tasks; {MOST:,} are the most")
        found = list(self._combined())
        if self.simulated:
            found += self.simulated.tasks(self.releases, self.seeds, self.max_seconds)
        return list(dict.fromkeys(found))  # each once, however often an axis names it

    def notes(self) -> list[str]:
        """Return which releases are judged by the rules of another."""
        systems = [family_named(name).system.releases for name in self.families]
        found = [judged_release(one, known).note for known in systems for one in self.releases]
        found += self.simulated.notes(self.releases)
        return list(dict.fromkeys(filter(None, found)))

    def _combined(self) -> Iterator[Task]:
        seeds = (self.seeds or [DEFAULT_SEED]) if self.walks is not None else [0]
        settings, rules = (
            product(*([(name, value) for value in some] for name, some in axes.items()))
            for axes in (self.settings, self.rules)
        )
        for family, named, fault, pairs, turned, seed in product(
            self.families, self.releases or [""], self.faults or [NO_FAULT], settings, rules, seeds
        ):
            release = judged_release(named, family_named(family).system.releases).name if named else ""
            yield Task(
                "explore" if self.walks is None else "walks", family, release, _names(fault), pairs, turned,
                self.walks or 0, DEFAULT_DEPTH if self.depth is None else self.depth, seed, tuple(self.laws),
                self.max_states, self.max_seconds,
            )  # fmt: skip

    def _check(self) -> None:
        """Raise Misuse for unknown names; impossible combinations become unknown rows."""
        for name in self.families:
            system = family_named(name).system
            for release in self.releases:
                judged_release(release, system.releases)
            for law in self.laws:
                pick({**system.laws_by_name, **system.liveness_by_name}, law, "law")
            for setting, values in self.settings.items():
                for value in values:
                    bounds_with(family_named(name).bounds, {setting: value})
            for rule, values in self.rules.items():
                for value in values:
                    rules_with(family_named(name).bounds.rules, {rule: value})
        for fault in self.faults:
            for name in _names(fault):
                switching_named(name)

    def _of_catalogue(self) -> list[Task]:
        if self.families or self.settings or self.rules or self.walks or self.releases or self.simulated:
            raise Misuse("--kills and --by-release accept only --fault: the catalogue names the family of each fault")
        named = list(dict.fromkeys(name for fault in self.faults for name in _names(fault)))
        found = []
        if self.kills:
            killed = {name: row for name, row in catalogue().items() if not isinstance(row, Unkilled)}
            found += [
                Task("kill", "" if name in log_faults() else pick(killed, name, "fault").family, faults=(name,))
                for name in named or killed
            ]
        if self.by_release:
            found += [Task("releases", _defect(name).family, faults=(name,)) for name in named or defects()]
        return found


def _defect(name: str) -> Fault:
    """Return a fault or prediction; raise Misuse with the nearest names if there is none."""
    return pick(defects(), name, "fault or prediction")


def _names(fault: str) -> tuple[str, ...]:
    """Return the names of faults that are joined by +; an upstream number is that of its fault."""
    return () if fault == NO_FAULT else tuple(map(switching_name, fault.split("+")))


SIMULATED = ("simulate", "shedders", "conf", "brokers", "bundles", "cycles")
KEYS = ("families", "releases", "faults", "set", "rules", "laws", "walks", "depth", "seeds", "kills", "by-release",
        "max-states", "max-time", *SIMULATED)  # fmt: skip


def axes_in(path: Path) -> Axes:
    """Read the axes of a YAML file; raise Misuse with file and line for an invalid value."""
    part = Part(document := read_document(path), document.data)
    parts = part.mapping((), KEYS)

    def texts(name: str) -> list[str]:
        return [_text(one) for one in parts[name].items()] if name in parts else []

    def numbers(name: str, least: int) -> list[int]:
        return [one.number(least) for one in _each(parts[name])] if name in parts else []

    def values(name: str, read: Callable[[Part], str]) -> dict[str, list[str]]:
        axes = parts[name].mapping() if name in parts else {}
        return {key: [read(one) for one in _each(part)] for key, part in axes.items()}

    given: dict[str, Any] = {}
    within = (
        [one.give(family_named, _text(one)).bounds for one in parts["families"].items()] if "families" in parts else []
    )
    for name, key in (("kills", "kills"), ("by_release", "by-release")):
        if key in parts:
            given[name] = parts[key].flag()
    for fault in parts["faults"].items() if "faults" in parts else ():
        for name in _names(_text(fault)):
            fault.give(_defect if given.get("by_release") else switching_named, name)
    for name, key in (("walks", "walks"), ("depth", "depth"), ("max_states", "max-states")):
        if key in parts:
            given[name] = parts[key].number(1)
    if "seeds" in parts:
        seeds = parts["seeds"]
        given["seeds"] = seeds.give(seeds_of, str(seeds.data)) if not isinstance(seeds.data, list) else [
            one.number() for one in seeds.items()
        ]  # fmt: skip
    settings = values("set", _text)
    for name, told in settings.items():
        for bounds, value in product(within, told):
            parts["set"].mapping()[name].give(bounds_with, bounds, {name: value})
    rules = values("rules", _value)
    for name, told in rules.items():
        for bounds, value in product(within, told):
            parts["rules"].mapping()[name].give(rules_with, bounds.rules, {name: value})
    if "max-time" in parts:
        given["max_seconds"] = parts["max-time"].give(duration_ms, parts["max-time"].text()) / 1000
    if parts.keys() & set(SIMULATED):
        given["simulated"] = Simulations(
            texts("simulate"), texts("shedders"), values("conf", _value), numbers("brokers", 2),
            numbers("bundles", 1), numbers("cycles", 1),
        )  # fmt: skip
    return Axes(texts("families"), texts("releases"), texts("faults"), settings, rules, texts("laws"), **given)


def _each(part: Part) -> list[Part]:
    """Return the parts of a list, or the part alone."""
    return list(part.items()) if isinstance(part.data, list) else [part]


def _text(part: Part) -> str:
    if isinstance(part.data, bool) or not isinstance(part.data, (str, int, float)):
        raise part.refuse("it is a text or a number")
    return str(part.data)


def _value(part: Part) -> str:
    """Return a value as broker.conf and options have it: a truth is true or false."""
    return str(part.data).lower() if isinstance(part.data, bool) else _text(part)


def seeds_of(text: str) -> list[int]:
    """
    Return the seeds that a text names.

    >>> seeds_of("1..3"), seeds_of("7")
    ([1, 2, 3], [7])
    """
    first, dots, last = text.partition("..")
    try:
        begin, end = int(first), int(last if dots else first)
    except ValueError:
        begin, end = 0, -1
    if not 0 <= begin <= end < 2**63 or end - begin >= MOST:
        raise Misuse(f"seeds refused: {text}; they read 1..8, or 7, and {MOST:,} are the most")
    return list(range(begin, end + 1))


def settings_of(texts: Sequence[str], option: str = "--set") -> dict[str, list[str]]:
    """
    Return ``name=value,value`` texts of an option as axes; raise Misuse for one that does not read so.

    >>> settings_of(["brokers=2,3", "crashes=1"])
    {'brokers': ['2', '3'], 'crashes': ['1']}
    """
    axes: dict[str, list[str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not all(values.split(",")):
            raise Misuse(f"{option} refused: {text}; it reads NAME=VALUE,VALUE")
        axes.setdefault(name.strip(), []).extend(value.strip() for value in values.split(","))
    return axes
