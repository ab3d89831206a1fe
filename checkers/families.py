"""
The expectation ledger: families and faults as data, read from ``spec/families`` and ``spec/faults.yaml``.

A family is a model small enough to be explored whole, with the pinned verdict of every law and the exact
size of its graph. A fault is a set of switches that restores a real bug or a design hole, with the law that
must then fail and the length of its shortest counterexample.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from checkers.documents import Document, read_document
from checkers.verdict import Misuse, Verdict
from model.rules import RELEASE_4_0_6, Rules, Storage
from model.system import Bounds
from spec import PROPERTIES, WITNESSES

T = TypeVar("T")

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "spec"
RELEASES = {"4.0.6": RELEASE_4_0_6}
DEFAULT_RELEASE = "4.0.6"


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


def families() -> dict[str, Family]:
    """Return every family of the ledger by name; raise Misuse if there is none at all."""
    found = [_family(path) for path in sorted((SPEC / "families").glob("*.yaml"))]
    if not found:
        raise Misuse(f"{SPEC / 'families'}: no family in it")
    return {family.name: family for family in found}


def faults() -> dict[str, Fault]:
    """Return every fault of the catalogue by name."""
    document = read_document(SPEC / "faults.yaml")
    rows = [_fault(document, number) for number in range(len(document.data))]
    return {fault.name: fault for fault in rows}


def family_named(name: str) -> Family:
    """Return a family; raise Misuse with the nearest names if there is none."""
    return pick(families(), name, "family")


def fault_named(name: str) -> Fault:
    """Return a fault; raise Misuse with the nearest names if there is none."""
    return pick(faults(), name, "fault")


def pick(known: Mapping[str, T], name: str, kind: str) -> T:
    """Return the entry *name*; raise Misuse that names the nearest ones."""
    if name in known:
        return known[name]
    raise Misuse(f"no such {kind}: {name}; {suggestion(name, known)}")


def suggestion(name: str, known: Iterable[str]) -> str:
    """
    Return the nearest of the *known* names, or all of them.

    >>> suggestion("transfr", ["expiry", "transfer"])
    'did you mean transfer?'
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3)
    return f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names)}"


def rules_of(release: str) -> Rules:
    """Return the switches of a Pulsar release."""
    return pick(RELEASES, release, "release")


def bounds_with(bounds: Bounds, settings: Mapping[str, Any]) -> Bounds:
    """Return *bounds* with some of them set anew; raise Misuse for a name or value that does not fit."""
    changes: dict[str, Any] = {}
    for name, value in settings.items():
        pick({field.name: field for field in fields(Bounds) if field.name != "rules"}, name, "bound")
        changes[name] = _storage(value) if name == "storage" else _count(name, value)
    try:
        return replace(bounds, **changes)
    except ValueError as error:
        raise Misuse(str(error)) from None


def bounds_under(bounds: Bounds, release: str, fault_names: Iterable[str]) -> Bounds:
    """Return *bounds* under the rules of *release*, with the switches of some faults turned."""
    rules = rules_of(release)
    for name in fault_names:
        rules = replace(rules, **fault_named(name).rules)
    return replace(bounds, rules=rules)


def _count(name: str, value: Any) -> int:
    text = str(value)
    least = 1 if name in ("brokers", "units", "window", "pending", "closings", "versions") else 0
    if isinstance(value, bool) or not text.isascii() or not text.isdigit() or not least <= int(text) <= 99:
        raise Misuse(f"bound refused: {name}={value}; a whole number from {least} to 99 is allowed")
    return int(text)


def _storage(value: Any) -> Storage:
    return Storage(pick({storage.value: storage.value for storage in Storage}, str(value), "storage"))


def _family(path: Path) -> Family:
    document = read_document(path)
    row = _checked(document, document.data, (), {
        "family", "title", "profile", "bounds", "laws", "witnesses", "states", "transitions", "depth",
    })  # fmt: skip
    _same_names(document, "laws", row["laws"], [law.name for law in PROPERTIES])
    for number, name in enumerate(row["witnesses"]):
        if name not in {witness.name for witness in WITNESSES}:
            raise document.refuse(f"no such witness: {name}", "witnesses", number)
    return Family(
        name=row["family"],
        title=row["title"],
        bounds=bounds_with(Bounds(), row["bounds"]),
        laws={name: Verdict(verdict) for name, verdict in row["laws"].items()},
        witnesses=tuple(row["witnesses"]),
        states=row["states"],
        transitions=row["transitions"],
        depth=row["depth"],
        profile=row["profile"],
    )


def _fault(document: Document, number: int) -> Fault:
    row = _checked(document, document.data[number], (number,), {
        "fault", "title", "record", "upstream", "releases", "breaks", "law", "family", "rules", "steps",
        "scenario",
    })  # fmt: skip
    _same_names(document, "rules", row["rules"], row["rules"].keys() & {f.name for f in fields(Rules)})
    return Fault(
        name=row["fault"],
        title=row["title"],
        record=row["record"],
        upstream=row["upstream"],
        releases=row["releases"],
        breaks=row["breaks"],
        law=row["law"],
        family=row["family"],
        rules=row["rules"],
        steps=row["steps"],
        scenario=ROOT / row["scenario"],
    )


def _checked(document: Document, row: Any, at: tuple[int, ...], keys: set[str]) -> dict[str, Any]:
    if not isinstance(row, dict) or set(row) != keys:
        have = set(row) if isinstance(row, dict) else set()
        raise document.refuse(f"keys refused: {sorted(have ^ keys)}; needed are {sorted(keys)}", *at)
    return row


def _same_names(document: Document, key: str, have: Iterable[str], want: Iterable[str]) -> None:
    if set(have) != set(want):
        raise document.refuse(f"{key} refused: {sorted(set(have) ^ set(want))} are missing or unknown", key)
