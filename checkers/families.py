"""
The expectation ledger: families and faults as data, read from ``spec/families`` and ``spec/faults.yaml``.

A family is a model small enough to be explored whole, with the pinned verdict of every law and the exact
size of its graph. A fault is a set of switches that restores a real bug or a design hole, with the law that
must then fail and the length of its shortest counterexample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from checkers.documents import Part, read_document, shown, suggestion
from checkers.verdict import Misuse, Verdict
from model.rules import RELEASE_4_0_6, Rules, Storage
from model.system import KINDS, Bounds
from spec import LIVENESS, PROPERTIES, WITNESSES

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "spec"
RELEASES = {"4.0.6": RELEASE_4_0_6}
DEFAULT_RELEASE = "4.0.6"
PROFILES = ("smoke", "pr", "nightly")
"""Profiles of the gate; each includes the ones before it."""

LAWS = {law.name: law for law in PROPERTIES}
LIVENESS_LAWS = {law.name: law for law in LIVENESS}
STATUSES = {law.name: law.status for law in (*PROPERTIES, *LIVENESS)}
"""The standing of every law there is."""
LAW_NAMES = {name: name for name in STATUSES}
_BOUNDS = {one.name: one for one in fields(Bounds) if one.name != "rules"}
_SWITCHES = {one.name: one for one in fields(Rules)}
_STORAGES = {storage.value: storage for storage in Storage}
_KINDS = {kind: kind for kind in KINDS.values()}
_FROM_ONE = ("brokers", "units", "window", "pending", "versions")


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the ledger: bounds, and what exploring them must find."""

    name: str
    title: str
    bounds: Bounds
    laws: Mapping[str, Verdict]
    """The pinned verdict of every law; unknown for one that these bounds cannot exercise."""
    witnesses: tuple[str, ...]
    states: int
    transitions: int
    depth: int
    profile: str
    symmetry: tuple[str, ...] = ()
    """The kinds of things of which some may change places, if that can be proved."""
    liveness: Mapping[str, Verdict] = field(default_factory=dict)
    """The laws of liveness that are checked in this family, with their pinned verdicts."""


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


def families() -> dict[str, Family]:
    """Return every family of the ledger by name; raise Misuse for what does not fit, or if there is none."""
    found: dict[str, Family] = {}
    for path in sorted((SPEC / "families").glob("*.yaml")):
        family = _family(Part(document := read_document(path), document.data))
        if family.name in found or family.name != path.stem:
            raise document.refuse(f"family refused: {family.name}; it is the file's own name, {path.stem}", "family")
        found[family.name] = family
    if not found:
        raise Misuse(f"{SPEC / 'families'}: no family in it")
    return found


def faults() -> dict[str, Fault]:
    """Return every fault of the catalogue by name; raise Misuse for what does not fit."""
    document = read_document(SPEC / "faults.yaml")
    known = families()
    found: dict[str, Fault] = {}
    for part in Part(document, document.data).items():
        fault = _fault(part, known)
        if fault.name in found:
            raise part.complaint(f"fault refused: {fault.name}; there is one of that name already")
        found[fault.name] = fault
    if not found:
        raise document.refuse("no fault in it")
    return found


def variants() -> dict[str, Variant]:
    """Return every variant of the catalogue by name; raise Misuse for what does not fit."""
    document = read_document(SPEC / "variants.yaml")
    rows = [
        part.mapping("variant title source rules families".split()) for part in Part(document, document.data).items()
    ]
    found = [
        Variant(
            name=row["variant"].text(),
            title=row["title"].text(),
            source=row["source"].text(),
            rules={name: value.flag() for name, value in row["rules"].mapping((), _SWITCHES).items()},
            families={name: _measured(part) for name, part in row["families"].mapping((), families()).items()},
        )
        for row in rows
    ]
    return {variant.name: variant for variant in found}


def _measured(part: Part) -> Measured:
    row = part.mapping(("states", "transitions", "depth", "broken"))
    broken = {name: steps.number() for name, steps in row["broken"].mapping((), LAWS).items()}
    return Measured(row["states"].number(), row["transitions"].number(), row["depth"].number(), broken)


def switchings() -> dict[str, Fault | Variant]:
    """Return everything that turns switches by name: faults, then variants."""
    return {**faults(), **variants()}


def family_named(name: str) -> Family:
    """Return a family; raise Misuse with the nearest names if there is none."""
    return pick(families(), name, "family")


def switching_named(name: str) -> Fault | Variant:
    """Return a fault or variant; raise Misuse with the nearest names if there is none."""
    return pick(switchings(), name, "fault")


def pick(known: Mapping[str, T], name: str, kind: str) -> T:
    """Return the entry *name*; raise Misuse that names the nearest ones."""
    if name in known:
        return known[name]
    raise Misuse(f"no such {kind}: {name}; {suggestion(name, known)}")


def rules_of(release: str) -> Rules:
    """Return the switches of a Pulsar release."""
    return pick(RELEASES, release, "release")


def bounds_with(bounds: Bounds, settings: Mapping[str, Any]) -> Bounds:
    """Return *bounds* with some of them set anew; raise Misuse for a name or value that does not fit."""
    changes = {name: bound(name, value) for name, value in settings.items()}
    try:
        return replace(bounds, **changes)
    except ValueError as error:
        raise Misuse(str(error)) from None


def bounds_under(bounds: Bounds, release: str, fault_names: Iterable[str]) -> Bounds:
    """Return *bounds* under the rules of *release*, with the switches of some faults turned."""
    rules = rules_of(release)
    given = Counter(fault_names)
    for name, times in given.items():
        if times > 1:
            raise Misuse(f"fault refused: {name}; it is given {times} times")
        rules = replace(rules, **switching_named(name).rules)
    return replace(bounds, rules=rules)


def bound(name: str, value: Any) -> Any:
    """Return the value of the bound *name*, given as text or number; raise Misuse if it does not fit."""
    pick(_BOUNDS, name, "bound")
    if name == "storage":
        return pick(_STORAGES, str(value), "storage")
    text = value if isinstance(value, str) else str(value) if type(value) is int and abs(value) < 1000 else ""
    least = 1 if name in _FROM_ONE else 0
    if not text.isascii() or not text.isdigit() or len(text) > 2 or int(text) < least:
        raise Misuse(f"bound refused: {name}={shown(value)}; a whole number from {least} to 99 is allowed")
    return int(text)


def bounds_of(part: Part, bounds: Bounds) -> Bounds:
    """Return *bounds* as a part of a document changes them; raise Misuse with file and line."""
    changes = {name: value.give(bound, name, value.data) for name, value in part.mapping().items()}
    changed: Bounds = part.give(bounds_with, bounds, changes)
    return changed


def _family(part: Part) -> Family:
    keys = "family title profile bounds laws witnesses states transitions depth"
    row = part.mapping(keys.split(), ["liveness", "symmetry"])
    verdicts = {verdict.value: verdict for verdict in Verdict}
    witnesses = {witness.name: witness.name for witness in WITNESSES}
    return Family(
        name=row["family"].text(),
        title=row["title"].text(),
        bounds=bounds_of(row["bounds"], Bounds()),
        laws={name: law.one_of(verdicts, "verdict") for name, law in row["laws"].mapping(LAWS).items()},
        witnesses=tuple(item.one_of(witnesses, "witness") for item in row["witnesses"].items()),
        states=row["states"].number(),
        transitions=row["transitions"].number(),
        depth=row["depth"].number(),
        profile=row["profile"].one_of(dict(zip(PROFILES, PROFILES, strict=True)), "profile"),
        symmetry=tuple(item.one_of(_KINDS, "kind") for item in row["symmetry"].items()) if "symmetry" in row else (),
        liveness=_liveness(row["liveness"], verdicts) if "liveness" in row else {},
    )


def _liveness(part: Part, verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    return {name: law.one_of(verdicts, "verdict") for name, law in part.mapping((), LIVENESS_LAWS).items()}


def _fault(part: Part, known: Mapping[str, Family]) -> Fault:
    keys = "fault title record upstream releases breaks law family rules steps scenario"
    row = part.mapping(keys.split())
    return Fault(
        name=row["fault"].text(),
        title=row["title"].text(),
        record=row["record"].text(),
        upstream=row["upstream"].text(),
        releases=row["releases"].text(),
        breaks=row["breaks"].text(),
        law=row["law"].one_of(LAW_NAMES, "law"),
        family=row["family"].one_of(known, "family").name,
        rules={name: value.flag() for name, value in row["rules"].mapping((), _SWITCHES).items()},
        steps=row["steps"].number(),
        scenario=ROOT / row["scenario"].text(),
    )
