"""Faults and variants: named sets of model switches, as entries of their catalogues."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from oneowner.checkers.documents import Part, shown, suggestion
from oneowner.checkers.places import TOP
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.releases import Span
from oneowner.model.kernel.system import System
from oneowner.spec.channel.registry import LOG_LAWS

DEFAULT_SYSTEM = "channel"
"""The system of a family or scenario that names none."""

Clauses = tuple[Span | str, ...]
"""Releases as the catalogue means them: spans of a change, or names."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The fields of every entry of the catalogue of bugs."""

    name: str
    title: str
    record: str
    upstream: str
    releases: str
    breaks: str
    system: str
    """The name of the system whose bug it is."""


@dataclass(frozen=True, slots=True)
class Fault(Entry):
    """A real bug or a design hole that the model can be given back."""

    law: str
    family: str
    rules: Mapping[str, bool]
    """The switches that bring the bug back; none for one that 4.0.6 still has."""
    steps: int
    scenario: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    """The bounds that are not those of the family."""
    repaired: Mapping[str, bool] = field(default_factory=dict)
    """The switches of the repair, where 4.0.6 is not repaired."""
    holds: Clauses = ()
    """The releases that have the switches, and in which the law holds all the same, as exploring them finds."""
    idle: Clauses = ()
    """The releases that have the switches too, but give the law no occasion."""
    note: str = ""
    """Results of its exploration beyond the row, printed for a fault by name."""


@dataclass(frozen=True, slots=True)
class LogFault(Entry):
    """A real bug that a law of whole logs kills (``checkers/compaction_logs/log_faults.py``)."""

    law: str
    logs: str
    """The row of ``spec/channel/logs.yaml`` whose logs are judged."""
    rules: Mapping[str, bool]
    steps: int
    """The number of records in the shortest log that breaks the law."""
    scenario: Path
    """A description of that log."""
    note: str = ""

    @property
    def family(self) -> str:
        """The name in place of a family, for messages."""
        return f"logs {self.logs}"

    @property
    def settings(self) -> Mapping[str, str]:
        """No bounds: logs have none."""
        return {}


@dataclass(frozen=True, slots=True)
class Unkilled(Entry):
    """A record of a bug that no law kills, and why: it survives, or it is not modelled."""

    verdict: str
    why: str


def scenarios() -> Path:
    """Return the folder of saved counterexamples; raise Misuse if it is missing, as in a wheel."""
    folder = TOP / "traces" / "counterexamples"
    if not folder.is_dir():
        raise Misuse(f"{folder}: no such folder; saved bugs are in a checkout of the project (pip install -e)")
    return folder


_CLAUSE = re.compile(r"before (?P<before>.+)|since (?P<since>.+?)(?: until (?P<until>.+))?|(?P<names>\S.*)")
KILLED, SURVIVED, NOT_MODELLED = "killed", "survived", "not modelled"
_REASONS = {"survives": SURVIVED, "not_modelled": NOT_MODELLED}


@dataclass(frozen=True, slots=True)
class Variant:
    """An assumption about time or a repair that no release has, and the results of some families under it."""

    name: str
    title: str
    source: str
    system: str
    rules: Mapping[str, bool]
    families: Mapping[str, Measured]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """The exploration of a family under a variant: its size, and the failing laws with their numbers of steps."""

    states: int
    transitions: int
    depth: int
    broken: Mapping[str, int]


def fault_in(part: Part, known: Mapping[str, object], system: System) -> Fault | LogFault | Unkilled:
    """Return the fault that a part of a system's catalogue describes; *known* are the families, by name."""
    told = ["fault", "title", "record", "upstream", "releases", "breaks"]
    for key, verdict in _REASONS.items():
        if key in part.mapping():
            row = part.mapping([*told, key])
            return Unkilled(**_told(row, told), system=system.name, verdict=verdict, why=row[key].text())
    if "logs" in part.mapping():
        return _log_fault(part.mapping([*told, "law", "logs", "rules", "steps", "scenario"], ["note"]), told, system)
    row = part.mapping(
        [*told, "law", "family", "rules", "steps", "scenario"], ["set", "repaired", "holds", "idle", "note"]
    )
    prefix = "" if system.name == DEFAULT_SYSTEM else f"{system.name}/"
    family = row["family"].text()
    if prefix + family not in known:
        row["family"].one_of(known, "family")
    fault = Fault(
        **_told(row, told),
        system=system.name,
        law=row["law"].one_of({name: name for name in system.statuses}, "law"),
        family=prefix + family,
        rules=_rules(row["rules"], system),
        steps=row["steps"].number(),
        scenario=TOP / row["scenario"].text(),
        settings=settings_in(row),
        repaired=_rules(row["repaired"], system) if "repaired" in row else {},
        holds=clauses_of(row, "holds", system),
        idle=clauses_of(row, "idle", system),
    )
    if not fault.rules and not fault.repaired:
        raise part.complaint(f"{fault.name} refused: it turns no switch; one of rules and repaired does")
    return fault


def clauses_of(row: Mapping[str, Part], key: str, system: System) -> Clauses:
    """Return the releases that a row names under a key, in which its law does not fail."""
    return row[key].give(clauses_in, row[key].text(), list(system.releases)) if key in row else ()


def clauses_in(text: str, known: Sequence[str]) -> Clauses:
    """
    Return the releases that a text of the catalogue means; raise Misuse for one that there is not.

    >>> clauses_in("4.0.6; before 3.0.6, 3.2.1; since 3.3.2 until 3.3.5", ["3.0.6", "3.2.1", "3.3.2", "3.3.5", "4.0.6"])
    ('4.0.6', Span(first=(), until=('3.0.6', '3.2.1')), Span(first=('3.3.2',), until=('3.3.5',)))
    """
    found: list[Span | str] = []
    for clause in text.split("; "):
        words = _CLAUSE.fullmatch(clause)
        if words is None:
            raise Misuse(f"releases refused: {shown(clause)}; they read: 4.0.6; before 3.0.6; since 3.3.2 until 3.3.5")
        parts = [tuple(part.split(", ")) if part else () for part in words.group("names", "before", "since", "until")]
        for name in (name for part in parts for name in part if name not in known):
            raise Misuse(f"no such release: {shown(name)}; {suggestion(name, known)}")
        names, before, since, until = parts
        found += names or (Span(since, before or until),)
    return tuple(found)


def settings_in(row: Mapping[str, Part]) -> dict[str, str]:
    """Return the bounds that a row sets, by name; they are checked against its family."""
    return {name: str(value.data) for name, value in row["set"].mapping().items()} if "set" in row else {}


def _log_fault(row: Mapping[str, Part], told: Sequence[str], system: System) -> LogFault:
    return LogFault(
        **_told(row, told),
        system=system.name,
        law=row["law"].one_of({law.name: law.name for law in LOG_LAWS}, "law of logs"),
        logs=row["logs"].text(),
        rules=_rules(row["rules"], system),
        steps=row["steps"].number(1),
        scenario=TOP / row["scenario"].text(),
    )


def variant_in(part: Part, known: Mapping[str, object], system: System) -> Variant:
    """Return the variant that a part of a system's catalogue describes; *known* are the families, by name."""
    row = part.mapping("variant title source rules families".split(), ["note"])
    return Variant(
        name=row["variant"].text(),
        title=row["title"].text(),
        source=row["source"].text(),
        system=system.name,
        rules=_rules(row["rules"], system),
        families={name: _measured(one, system) for name, one in row["families"].mapping((), known).items()},
        note=row["note"].text() if "note" in row else "",
    )


def _told(row: Mapping[str, Part], keys: Sequence[str]) -> dict[str, str]:
    return {"name" if key == "fault" else key: row[key].text() for key in (*keys, "note") if key in row}


def _rules(part: Part, system: System) -> dict[str, bool]:
    switches = [one.name for one in fields(system.rules)]
    return {name: value.flag() for name, value in part.mapping((), switches).items()}


def _measured(part: Part, system: System) -> Measured:
    row = part.mapping(("states", "transitions", "depth", "broken"))
    broken = {name: steps.number() for name, steps in row["broken"].mapping((), system.laws_by_name).items()}
    return Measured(row["states"].number(), row["transitions"].number(), row["depth"].number(), broken)
