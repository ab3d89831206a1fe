"""What turns switches of the model: a fault or a variant, as one entry of its catalogue reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from checkers.documents import Part
from model.rules import Rules
from spec import LIVENESS, PROPERTIES

ROOT = Path(__file__).resolve().parent.parent
_SWITCHES = {one.name: one for one in fields(Rules)}
_LAWS = {law.name: law.name for law in PROPERTIES}
_ALL_LAWS = {**_LAWS, **{law.name: law.name for law in LIVENESS}}


@dataclass(frozen=True, slots=True)
class Fault:
    """A real bug or a design hole that the model can be given back."""

    name: str
    title: str
    record: str
    upstream: str
    releases: str
    breaks: str
    law: str
    family: str
    rules: Mapping[str, Any]
    steps: int
    scenario: Path


@dataclass(frozen=True, slots=True)
class Variant:
    """An assumption about time or a repair that no release has, and what becomes of some families under it."""

    name: str
    title: str
    source: str
    rules: Mapping[str, Any]
    families: Mapping[str, Measured]


@dataclass(frozen=True, slots=True)
class Measured:
    """What exploring a family under a variant finds: its size, and in how many steps which laws fail."""

    states: int
    transitions: int
    depth: int
    broken: Mapping[str, int]


def fault_in(part: Part, known: Mapping[str, object]) -> Fault:
    """Return the fault that a part of the catalogue describes; *known* are the families, by name."""
    keys = "fault title record upstream releases breaks law family rules steps scenario"
    row = part.mapping(keys.split())
    row["family"].one_of(known, "family")
    return Fault(
        name=row["fault"].text(),
        title=row["title"].text(),
        record=row["record"].text(),
        upstream=row["upstream"].text(),
        releases=row["releases"].text(),
        breaks=row["breaks"].text(),
        law=row["law"].one_of(_ALL_LAWS, "law"),
        family=row["family"].text(),
        rules=_rules(row["rules"]),
        steps=row["steps"].number(),
        scenario=ROOT / row["scenario"].text(),
    )


def variant_in(part: Part, known: Mapping[str, object]) -> Variant:
    """Return the variant that a part of the catalogue describes; *known* are the families, by name."""
    row = part.mapping("variant title source rules families".split())
    return Variant(
        name=row["variant"].text(),
        title=row["title"].text(),
        source=row["source"].text(),
        rules=_rules(row["rules"]),
        families={name: _measured(one) for name, one in row["families"].mapping((), known).items()},
    )


def _rules(part: Part) -> dict[str, Any]:
    return {name: value.flag() for name, value in part.mapping((), _SWITCHES).items()}


def _measured(part: Part) -> Measured:
    row = part.mapping(("states", "transitions", "depth", "broken"))
    broken = {name: steps.number() for name, steps in row["broken"].mapping((), _LAWS).items()}
    return Measured(row["states"].number(), row["transitions"].number(), row["depth"].number(), broken)
