"""
The expectation ledger: families and faults as data, read from the folder of their system.

A family is a model small enough to be explored whole, with the pinned verdict of every law and the exact
size of its graph. A fault is a set of switches that restores a real bug or a design hole, with the law that
must then fail and the length of its shortest counterexample. A family whose file cannot be read stops nothing but
itself: the others, and the faults, are there all the same.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from oneowner.checkers.catalogue.family import Family, bounds_of, family_in, pick, rules_with, under_release
from oneowner.checkers.catalogue.faults import (
    DEFAULT_SYSTEM,
    Fault,
    LogFault,
    Unkilled,
    Variant,
    fault_in,
    variant_in,
)
from oneowner.checkers.documents import Document, Part, read_document, read_once, stamp_of
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.system import System
from oneowner.spec.systems import names, systems

T = TypeVar("T")

SPEC = PACKAGE / "spec"

ALWAYS = ("faults.yaml", "variants.yaml")


def home_of(system: System) -> Path:
    """Return the folder of a system's families and faults."""
    return SPEC / system.home.rpartition(".")[2]


def family_files() -> dict[str, Path]:
    by_system = {name: "" if name == DEFAULT_SYSTEM else f"{name}/" for name in systems()}
    return {f"{by_system[path.parent.parent.name]}{path.stem}": path for path in map(Path, _ledger_files())}


def _homes() -> tuple[str, ...]:
    return _homes_in(SPEC, tuple(system.home for system in systems().values()))


@lru_cache(maxsize=2)
def _homes_in(spec: Path, homes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{spec}/{home.rpartition('.')[2]}" for home in homes)


def _ledger_files() -> list[str]:
    """Return the files of all families, without slow globbing: a gate calls this for each row."""
    folders = [f"{home}/families" for home in _homes()]
    return [
        f"{folder}/{name}"
        for folder in folders
        if os.path.isdir(folder)
        for name in sorted(os.listdir(folder))
        if name.endswith(".yaml")
    ]


def catalogue_files() -> list[str]:
    """Return the files of all families, faults and variants."""
    return [*_ledger_files(), *(f"{home}/{name}" for home in _homes() for name in ALWAYS)]


@read_once(_ledger_files)
def _read() -> dict[str, Family | str]:
    """Return the family in each file of the ledger, or the reason why it is unreadable, by the full name."""
    found: dict[str, Family | str] = {}
    for name, path in family_files().items():
        try:
            found[name] = family_of(read_document(path))
        except Misuse as error:
            found[name] = str(error)
    if not found:
        raise Misuse(f"{SPEC / DEFAULT_SYSTEM / 'families'}: no family in it")
    return found


@read_once(_ledger_files)
def families() -> dict[str, Family]:
    """Return every family of the ledger that can be read, by name; raise Misuse if there is no file of one."""
    return {name: one for name, one in _read().items() if isinstance(one, Family)}


def unreadable() -> dict[str, str]:
    """Return why a family's file cannot be read, with file and line, by the family's name."""
    return {name: one for name, one in _read().items() if isinstance(one, str)}


def family_of(document: Document) -> Family:
    """Return the family in a file of the ledger; raise Misuse for an invalid one, such as one of another name."""
    path = document.path
    family = family_in(document, systems()[path.parent.parent.name])
    if family.name != path.stem:
        raise document.refuse(f"family refused: {family.name}; it is the file's own name, {path.stem}", "family")
    return family


@read_once(_ledger_files)
def ledger_rows() -> dict[str, Family]:
    """Return every row of the ledger by its name: each family, and after it the releases that it pins too."""
    return {row.row: row for family in families().values() for row in (family, *family.releases.values())}


@read_once(catalogue_files)
def catalogue() -> dict[str, Fault | LogFault | Unkilled]:
    """Return every row of the catalogues of bugs by name; raise Misuse for an invalid one."""
    known, readable = family_files(), families()
    found: dict[str, Fault | LogFault | Unkilled] = {}
    for document, system in _documents("faults.yaml"):
        for part in Part(document, document.data).items():
            row = fault_in(part, known, system)
            if row.name in found:
                raise part.complaint(f"fault refused: {row.name}; there is one of that name already")
            if isinstance(row, Fault) and row.settings and row.family in readable:
                bounds_of(part.mapping()["set"], readable[row.family].bounds)
            found[row.name] = row
    if not found:
        raise Misuse(f"{SPEC / DEFAULT_SYSTEM / 'faults.yaml'}:1: no fault in it")
    return found


def _documents(name: str) -> Iterator[tuple[Document, System]]:
    """Yield the document of this name of each system that has one; the channel has faults and variants always."""
    for system in systems().values():
        path = home_of(system) / name
        if (system.name == DEFAULT_SYSTEM and name in ALWAYS) or path.exists():
            yield read_document(path), system


def faults() -> dict[str, Fault]:
    """Return every fault that a law of states, steps or runs kills, by name; raise Misuse for an invalid one."""
    return {name: row for name, row in catalogue().items() if isinstance(row, Fault)}


def log_faults() -> dict[str, LogFault]:
    """Return every fault of the catalogue that a law of whole logs kills, by name; raise Misuse as ``catalogue``."""
    return {name: row for name, row in catalogue().items() if isinstance(row, LogFault)}


@read_once(catalogue_files)
def variants() -> dict[str, Variant]:
    """Return every variant of the catalogues by name; raise Misuse for an invalid one."""
    known = family_files()
    found = [
        variant_in(part, known, system)
        for document, system in _documents("variants.yaml")
        for part in Part(document, document.data).items()
    ]
    return {variant.name: variant for variant in found}


def switchings() -> dict[str, Fault | Variant]:
    """Return everything that turns switches by name: faults, then variants."""
    return {**faults(), **variants()}


def family_named(name: str) -> Family:
    """Return a family, as SYSTEM/FAMILY or by its own name if that is unique; raise Misuse with the nearest names."""
    system, slash, own = name.rpartition("/")
    if slash:
        system = pick(names(), system, "system")
    of_default = SPEC / DEFAULT_SYSTEM / "families" / f"{own}.yaml"
    if (
        system in ("", DEFAULT_SYSTEM)
        and of_default.parent == SPEC / DEFAULT_SYSTEM / "families"
        and of_default.is_file()
    ):
        return _family_at(str(of_default), stamp_of(str(of_default)))  # the others need not be read
    known = _read()
    full = [f"{system or one}/{own}".removeprefix(f"{DEFAULT_SYSTEM}/") for one in ([system] if slash else names())]
    named = [one for one in full if one in known]
    if len(named) > 1:
        raise Misuse(f"family refused: {name}; there are {' and '.join(named)}")
    found = known[named[0]] if named else pick(known, name, "family")
    if isinstance(found, str):
        raise Misuse(found)
    return found


@lru_cache(maxsize=256)  # a list of all bugs asks for each family several times
def _family_at(path: str, stamp: object) -> Family:
    """Return the family in a file of this stamp."""
    return family_of(read_document(Path(path)))


def switching_named(name: str) -> Fault | Variant:
    """Return a fault or variant; raise Misuse with the nearest names if there is none."""
    return pick(switchings(), name, "fault")


def bounds_under(
    bounds: Any,
    release: str,
    fault_names: Iterable[str],
    repairs: Iterable[str] = (),
    turned: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """
    Return *bounds* under the rules of *release*, with the switches of some faults turned, and some repaired.

    Switches that are *turned* by name come last; raise Misuse for one that a fault or a repair turns, and for bounds
    that do not go with it.
    """
    rules = under_release(bounds, release).rules
    given = Counter(fault_names)
    for name, times in given.items():
        if times > 1:
            raise Misuse(f"fault refused: {name}; it is given {times} times")
        rules = _turning(rules, turned, name, _of_system(bounds, switching_named(name)).rules)
    for name in repairs:
        rules = _turning(rules, turned, name, pick(faults(), name, "fault").repaired)
    rules = rules_with(rules, turned)
    try:
        return replace(bounds, rules=rules)
    except ValueError as error:
        raise Misuse(f"rules refused: {', '.join(turned)}; {error}") from None


def _turning(rules: Any, turned: Mapping[str, Any], name: str, switches: Mapping[str, bool]) -> Any:
    """Return *rules* as a fault turns them, or its repair; raise Misuse for a switch that is turned by name too."""
    if twice := [switch for switch in switches if switch in turned]:
        raise Misuse(f"rule refused: {twice[0]}={turned[twice[0]]}; {name} turns it")
    return replace(rules, **switches)


def _of_system(bounds: Any, switching: Fault | Variant) -> Fault | Variant:
    """Return the fault or variant; raise Misuse if it is another system's."""
    if switching.system != bounds.system.name:
        raise Misuse(f"fault refused: {switching.name}; it is one of the system {switching.system}")
    return switching
