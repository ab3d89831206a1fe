"""
The expectation ledger: families and faults as data, read from the folder of their system.

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

from oneowner.checkers.documents import Document, Part, read_document, read_once, shown, suggestion
from oneowner.checkers.ledger.faults import Fault, LogFault, Unkilled, Variant, fault_in, variant_in
from oneowner.checkers.places import ROOT
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.channel.releases import METADATA_STORE_SINCE, RELEASES, has_metadata_store
from oneowner.model.channel.rules import Dialect, Rules, Storage
from oneowner.model.channel.system import KINDS, Bounds
from oneowner.spec.channel import LIVENESS, PROPERTIES, WITNESSES

T = TypeVar("T")

SPEC = ROOT / "spec"
DEFAULT_RELEASE = "4.0.6"
PROFILES = ("smoke", "pr", "nightly")
"""Profiles of the gate; each includes the ones before it."""
COUNTS = ("states", "transitions", "depth")
"""What a row pins beside verdicts and witnesses."""

LAWS = {law.name: law for law in PROPERTIES}
LIVENESS_LAWS = {law.name: law for law in LIVENESS}
STATUSES = {law.name: law.status for law in (*PROPERTIES, *LIVENESS)}
"""The standing of every law there is."""
LAW_NAMES = {name: name for name in STATUSES}
_BOUNDS = {one.name: one for one in fields(Bounds) if one.name != "rules"}
_STORAGES = {storage.value: storage for storage in Storage}
_DIALECTS = {dialect.value: dialect for dialect in Dialect}
WORDS = ("storage", "dialect")
"""The bounds that are words; the others are numbers."""
_KINDS = {kind: kind for kind in KINDS.values()}
_RELEASES = {release: release for release in RELEASES}
_PROFILES = {profile: profile for profile in PROFILES}
_VERDICTS = {verdict.value: verdict for verdict in Verdict}
_WITNESSES = {witness.name: witness.name for witness in WITNESSES}
_FROM_ONE = ("brokers", "units", "window", "pending", "versions")


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the ledger: bounds, and what exploring them must find."""

    name: str
    title: str
    bounds: Bounds
    laws: Mapping[str, Verdict]
    """The pinned verdict of every law; unknown for one without a row, which these bounds cannot exercise."""
    witnesses: tuple[str, ...]
    states: int
    transitions: int
    depth: int
    profile: str
    symmetry: tuple[str, ...] = ()
    """The kinds of things of which some may change places, if that can be proved."""
    liveness: Mapping[str, Verdict] = field(default_factory=dict)
    """The laws of liveness that are checked in this family, with their pinned verdicts."""
    release: str = DEFAULT_RELEASE
    """The Pulsar release whose rules apply."""
    releases: Mapping[str, Family] = field(default_factory=dict)
    """The same family in other releases, as far as they are pinned."""
    is_pinned: bool = True
    """Whether the ledger has a row for this release; otherwise the pins here are those of another one."""

    @property
    def row(self) -> str:
        """Its name in tables; a release that is not the default one is named after an @."""
        return self.name if self.release == DEFAULT_RELEASE else f"{self.name}@{self.release}"

    def under(self, release: str | None) -> Family:
        """Return this family under the rules of a release, or of its own for None; raise Misuse if there is none."""
        if release is None or release == self.release:
            return self
        if release in self.releases:
            return self.releases[release]
        bounds = bounds_under(self.bounds, release, ())
        return replace(self, release=release, bounds=bounds, releases={}, is_pinned=False)


def _ledger_files() -> list[Path]:
    return sorted((SPEC / "families").glob("*.yaml"))


def _all_files() -> list[Path]:
    return [*_ledger_files(), SPEC / "faults.yaml", SPEC / "variants.yaml"]


@read_once(_ledger_files)
def families() -> dict[str, Family]:
    """Return every family of the ledger by name; raise Misuse for what does not fit, or if there is none."""
    found = {path.stem: _family_of(path) for path in _ledger_files()}
    if not found:
        raise Misuse(f"{SPEC / 'families'}: no family in it")
    return found


def _family_of(path: Path) -> Family:
    family = family_in(document := read_document(path))
    if family.name != path.stem:
        raise document.refuse(f"family refused: {family.name}; it is the file's own name, {path.stem}", "family")
    return family


def ledger_rows() -> dict[str, Family]:
    """Return every row of the ledger by its name: each family, and after it the releases that it pins too."""
    return {row.row: row for family in families().values() for row in (family, *family.releases.values())}


@read_once(_all_files)
def catalogue() -> dict[str, Fault | LogFault | Unkilled]:
    """Return every row of the catalogue of bugs by name; raise Misuse for what does not fit."""
    document = read_document(SPEC / "faults.yaml")
    known = families()
    found: dict[str, Fault | LogFault | Unkilled] = {}
    for part in Part(document, document.data).items():
        row = fault_in(part, known)
        if row.name in found:
            raise part.complaint(f"fault refused: {row.name}; there is one of that name already")
        if isinstance(row, Fault) and row.settings:
            bounds_of(part.mapping()["set"], known[row.family].bounds)
        found[row.name] = row
    if not found:
        raise document.refuse("no fault in it")
    return found


def faults() -> dict[str, Fault]:
    """Return every fault that a law of states, steps or runs kills, by name; raise Misuse for what does not fit."""
    return {name: row for name, row in catalogue().items() if isinstance(row, Fault)}


def log_faults() -> dict[str, LogFault]:
    """Return every fault of the catalogue that a law of whole logs kills, by name; raise Misuse as ``catalogue``."""
    return {name: row for name, row in catalogue().items() if isinstance(row, LogFault)}


@read_once(_all_files)
def variants() -> dict[str, Variant]:
    """Return every variant of the catalogue by name; raise Misuse for what does not fit."""
    document = read_document(SPEC / "variants.yaml")
    found = [variant_in(part, families()) for part in Part(document, document.data).items()]
    return {variant.name: variant for variant in found}


def switchings() -> dict[str, Fault | Variant]:
    """Return everything that turns switches by name: faults, then variants."""
    return {**faults(), **variants()}


def family_named(name: str) -> Family:
    """Return a family; raise Misuse with the nearest names if there is none."""
    path = SPEC / "families" / f"{name}.yaml"
    if path.parent == SPEC / "families" and path.is_file():
        return _family_of(path)  # the others need not be read
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


def bounds_under(bounds: Bounds, release: str, fault_names: Iterable[str], repairs: Iterable[str] = ()) -> Bounds:
    """Return *bounds* under the rules of *release*, with the switches of some faults turned, and some repaired."""
    rules = rules_of(release)
    if bounds.storage == Storage.METADATA_STORE and not has_metadata_store(release):
        raise Misuse(f"release refused: {release}; the metadata store came with {METADATA_STORE_SINCE}")
    given = Counter(fault_names)
    for name, times in given.items():
        if times > 1:
            raise Misuse(f"fault refused: {name}; it is given {times} times")
        rules = replace(rules, **switching_named(name).rules)
    for name in repairs:
        rules = replace(rules, **pick(faults(), name, "fault").repaired)
    return replace(bounds, rules=rules)


def bound(name: str, value: Any) -> Any:
    """Return the value of the bound *name*, given as text or number; raise Misuse if it does not fit."""
    pick(_BOUNDS, name, "bound")
    if name == "storage":
        return pick(_STORAGES, str(value), "storage")
    if name == "dialect":
        return pick(_DIALECTS, str(value), "dialect")
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


def family_in(document: Document) -> Family:
    """Return the family that a document of the ledger holds; raise Misuse for what does not fit."""
    if isinstance(document.data, dict) and not document.data.keys() & set(COUNTS):
        name = document.data.get("family")
        raise Misuse(f"{document.path}:1: not counted yet: make bless FAMILY={name} REASON='why there is this family'")
    keys = "family title profile bounds laws witnesses states transitions depth"
    row = Part(document, document.data).mapping(keys.split(), ["release", "liveness", "symmetry", "releases"])
    release = row["release"].one_of(_RELEASES, "release") if "release" in row else DEFAULT_RELEASE
    family = Family(
        name=row["family"].text(),
        title=row["title"].text(),
        bounds=row["bounds"].give(bounds_under, bounds_of(row["bounds"], Bounds()), release, ()),
        laws={**dict.fromkeys(LAWS, Verdict.UNKNOWN), **_verdicts(row["laws"].mapping((), LAWS))},
        witnesses=_witnesses(row["witnesses"]),
        states=row["states"].number(),
        transitions=row["transitions"].number(),
        depth=row["depth"].number(),
        profile=row["profile"].one_of(_PROFILES, "profile"),
        symmetry=tuple(item.one_of(_KINDS, "kind") for item in row["symmetry"].items()) if "symmetry" in row else (),
        liveness=_verdicts(row["liveness"].mapping((), LIVENESS_LAWS)) if "liveness" in row else {},
        release=release,
    )
    others = row["releases"].mapping() if "releases" in row else {}
    return replace(family, releases={name: _in_release(family, name, other) for name, other in others.items()})


def _in_release(family: Family, release: str, part: Part) -> Family:
    """Return a family as one row of its ``releases`` changes it: own counts, and only those verdicts that differ."""
    if release == family.release:
        raise part.complaint(f"release refused: {release}; it is the family's own")
    bounds = part.give(bounds_under, family.bounds, release, ())
    row = part.mapping(COUNTS, ["profile", "laws", "liveness", "witnesses"])
    for kind in ("laws", "liveness"):
        for name, verdict in row[kind].mapping((), getattr(family, kind)).items() if kind in row else ():
            if verdict.one_of(_VERDICTS, "verdict") == getattr(family, kind)[name]:
                raise verdict.complaint(
                    f"{name} refused: {verdict.data}, as in {family.release}; only differences here"
                )
    return replace(
        family,
        bounds=bounds,
        release=release,
        laws={**family.laws, **(_verdicts(row["laws"].mapping()) if "laws" in row else {})},
        liveness={**family.liveness, **(_verdicts(row["liveness"].mapping()) if "liveness" in row else {})},
        witnesses=_witnesses(row["witnesses"]) if "witnesses" in row else family.witnesses,
        profile=row["profile"].one_of(_PROFILES, "profile") if "profile" in row else PROFILES[-1],
        states=row["states"].number(),
        transitions=row["transitions"].number(),
        depth=row["depth"].number(),
    )


def _verdicts(parts: Mapping[str, Part]) -> dict[str, Verdict]:
    return {name: part.one_of(_VERDICTS, "verdict") for name, part in parts.items()}


def _witnesses(part: Part) -> tuple[str, ...]:
    return tuple(item.one_of(_WITNESSES, "witness") for item in part.items())
