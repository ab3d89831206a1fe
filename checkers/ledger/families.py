"""
The expectation ledger: families and faults as data, read from the folder of their system.

A family is a model small enough to be explored whole, with the pinned verdict of every law and the exact
size of its graph. A fault is a set of switches that restores a real bug or a design hole, with the law that
must then fail and the length of its shortest counterexample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from oneowner.checkers.documents import Document, Part, read_document, read_once, shown, suggestion
from oneowner.checkers.ledger.faults import DEFAULT_SYSTEM, Fault, LogFault, Unkilled, Variant, fault_in, variant_in
from oneowner.checkers.places import ROOT
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.bounds import Kind
from oneowner.model.kernel.system import System
from oneowner.spec.systems import names, systems

T = TypeVar("T")

SPEC = ROOT / "spec"
PROFILES = ("smoke", "pr", "nightly")
"""Profiles of the gate; each includes the ones before it."""
COUNTS = ("states", "transitions", "depth")
"""What a row pins beside verdicts and witnesses."""

_PROFILES = {profile: profile for profile in PROFILES}
_VERDICTS = {verdict.value: verdict for verdict in Verdict}


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the ledger: bounds, and what exploring them must find."""

    name: str
    title: str
    bounds: Any
    """Those of its system (``model.kernel.bounds.Bounds``)."""
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
    release: str = ""
    """The Pulsar release whose rules apply."""
    releases: Mapping[str, Family] = field(default_factory=dict)
    """The same family in other releases, as far as they are pinned."""
    is_pinned: bool = True
    """Whether the ledger has a row for this release; otherwise the pins here are those of another one."""

    @property
    def system(self) -> System:
        """The system that it is a model of."""
        system: System = self.bounds.system
        return system

    @property
    def full_name(self) -> str:
        """Its name; one that is not of the default system has the system before it, as in ``locks/two-clients``."""
        return self.name if self.system.name == DEFAULT_SYSTEM else f"{self.system.name}/{self.name}"

    @property
    def row(self) -> str:
        """Its name in tables; a release that is not the default one is named after an @."""
        name = self.full_name
        return name if self.release == self.system.default_release else f"{name}@{self.release}"

    def under(self, release: str | None) -> Family:
        """Return this family under the rules of a release, or of its own for None; raise Misuse if there is none."""
        if release is None or release == self.release:
            return self
        if release in self.releases:
            return self.releases[release]
        bounds = bounds_under(self.bounds, release, ())
        return replace(self, release=release, bounds=bounds, releases={}, is_pinned=False)


def home_of(system: System) -> Path:
    """Return the folder of a system's families and faults."""
    return SPEC / system.home.rpartition(".")[2]


def family_files() -> dict[str, Path]:
    """Return the files of all families by the family's full name."""
    by_system = {name: "" if name == DEFAULT_SYSTEM else f"{name}/" for name in systems()}
    return {f"{by_system[path.parent.parent.name]}{path.stem}": path for path in _ledger_files()}


def _ledger_files() -> list[Path]:
    return [path for system in systems().values() for path in sorted((home_of(system) / "families").glob("*.yaml"))]


def _all_files() -> list[Path]:
    homes = [home_of(system) for system in systems().values()]
    return [*_ledger_files(), *(home / name for home in homes for name in ("faults.yaml", "variants.yaml"))]


@read_once(_ledger_files)
def families() -> dict[str, Family]:
    """Return every family of the ledger by name; raise Misuse for what does not fit, or if there is none."""
    found = {}
    for path in _ledger_files():
        family = _family_of(path)
        found[family.full_name] = family
    if not found:
        raise Misuse(f"{SPEC / DEFAULT_SYSTEM / 'families'}: no family in it")
    return found


def _family_of(path: Path) -> Family:
    family = family_in(document := read_document(path), systems()[path.parent.parent.name])
    if family.name != path.stem:
        raise document.refuse(f"family refused: {family.name}; it is the file's own name, {path.stem}", "family")
    return family


def ledger_rows() -> dict[str, Family]:
    """Return every row of the ledger by its name: each family, and after it the releases that it pins too."""
    return {row.row: row for family in families().values() for row in (family, *family.releases.values())}


@read_once(_all_files)
def catalogue() -> dict[str, Fault | LogFault | Unkilled]:
    """Return every row of the catalogues of bugs by name; raise Misuse for what does not fit."""
    known = families()
    found: dict[str, Fault | LogFault | Unkilled] = {}
    for document, system in _documents("faults.yaml"):
        for part in Part(document, document.data).items():
            row = fault_in(part, known, system)
            if row.name in found:
                raise part.complaint(f"fault refused: {row.name}; there is one of that name already")
            if isinstance(row, Fault) and row.settings:
                bounds_of(part.mapping()["set"], known[row.family].bounds)
            found[row.name] = row
    if not found:
        raise Misuse(f"{SPEC / DEFAULT_SYSTEM / 'faults.yaml'}:1: no fault in it")
    return found


def _documents(name: str) -> Iterator[tuple[Document, System]]:
    """Yield the document of this name of each system that has one."""
    for system in systems().values():
        path = home_of(system) / name
        if system.name == DEFAULT_SYSTEM or path.exists():
            yield read_document(path), system


def faults() -> dict[str, Fault]:
    """Return every fault that a law of states, steps or runs kills, by name; raise Misuse for what does not fit."""
    return {name: row for name, row in catalogue().items() if isinstance(row, Fault)}


def log_faults() -> dict[str, LogFault]:
    """Return every fault of the catalogue that a law of whole logs kills, by name; raise Misuse as ``catalogue``."""
    return {name: row for name, row in catalogue().items() if isinstance(row, LogFault)}


@read_once(_all_files)
def variants() -> dict[str, Variant]:
    """Return every variant of the catalogues by name; raise Misuse for what does not fit."""
    found = [
        variant_in(part, families(), system)
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
        return _family_of(of_default)  # the others need not be read
    known = families()
    named = [family for family in known.values() if family.name == own and (not slash or family.system.name == system)]
    if len(named) > 1:
        raise Misuse(f"family refused: {name}; there are {' and '.join(family.full_name for family in named)}")
    return named[0] if named else pick(known, name, "family")


def switching_named(name: str) -> Fault | Variant:
    """Return a fault or variant; raise Misuse with the nearest names if there is none."""
    return pick(switchings(), name, "fault")


def pick(known: Mapping[str, T], name: str, kind: str) -> T:
    """Return the entry *name*; raise Misuse that names the nearest ones."""
    if name in known:
        return known[name]
    raise Misuse(f"no such {kind}: {name}; {suggestion(name, known)}")


def rules_of(bounds: Any, release: str) -> Any:
    """Return the switches of a release, for the system of these bounds."""
    return pick(bounds.system.releases, release, "release")


def bounds_with(bounds: Any, settings: Mapping[str, Any]) -> Any:
    """Return *bounds* with some of them set anew; raise Misuse for a name or value that does not fit."""
    changes = {name: bound(bounds, name, value) for name, value in settings.items()}
    try:
        return replace(bounds, **changes)
    except ValueError as error:
        raise Misuse(str(error)) from None


def bounds_under(bounds: Any, release: str, fault_names: Iterable[str], repairs: Iterable[str] = ()) -> Any:
    """Return *bounds* under the rules of *release*, with the switches of some faults turned, and some repaired."""
    rules = rules_of(bounds, release)
    if why := bounds.system.refuse_release(bounds, release):
        raise Misuse(f"release refused: {release}; {why}")
    given = Counter(fault_names)
    for name, times in given.items():
        if times > 1:
            raise Misuse(f"fault refused: {name}; it is given {times} times")
        rules = replace(rules, **_of_system(bounds, switching_named(name)).rules)
    for name in repairs:
        rules = replace(rules, **pick(faults(), name, "fault").repaired)
    return replace(bounds, rules=rules)


def _of_system(bounds: Any, switching: Fault | Variant) -> Fault | Variant:
    """Return the fault or variant; raise Misuse if it is another system's."""
    if switching.system != bounds.system.name:
        raise Misuse(f"fault refused: {switching.name}; it is one of the system {switching.system}")
    return switching


def bound(bounds: Any, name: str, value: Any) -> Any:
    """Return the value of the bound *name*, given as text or number; raise Misuse if it does not fit."""
    known = pick(bounds.described(), name, "bound")
    if known.kind == Kind.WORD:
        return pick({word.value: word for word in type(known.default)}, str(value), name)
    text = value if isinstance(value, str) else str(value) if type(value) is int and abs(value) < 1000 else ""
    if not text.isascii() or not text.isdigit() or len(text) > 2 or int(text) < known.least:
        raise Misuse(f"bound refused: {name}={shown(value)}; a whole number from {known.least} to 99 is allowed")
    return int(text)


def bounds_of(part: Part, bounds: Any) -> Any:
    """Return *bounds* as a part of a document changes them; raise Misuse with file and line."""
    changes = {name: value.give(bound, bounds, name, value.data) for name, value in part.mapping().items()}
    return part.give(bounds_with, bounds, changes)


def family_in(document: Document, system: System) -> Family:
    """Return the family of *system* that a document of the ledger holds; raise Misuse for what does not fit."""
    if isinstance(document.data, dict) and not document.data.keys() & set(COUNTS):
        name = document.data.get("family")
        raise Misuse(f"{document.path}:1: not counted yet: make bless FAMILY={name} REASON='why there is this family'")
    keys = "family title profile bounds laws witnesses states transitions depth"
    row = Part(document, document.data).mapping(keys.split(), ["release", "liveness", "symmetry", "releases"])
    release = row["release"].one_of({name: name for name in system.releases}, "release") if "release" in row else ""
    release = release or system.default_release
    kinds = {kind: kind for kind in system.sorts.values()}
    family = Family(
        name=row["family"].text(),
        title=row["title"].text(),
        bounds=row["bounds"].give(bounds_under, bounds_of(row["bounds"], system.bounds()), release, ()),
        laws={
            **dict.fromkeys(system.laws_by_name, Verdict.UNKNOWN),
            **_verdicts(row["laws"].mapping((), system.laws_by_name)),
        },
        witnesses=_witnesses(row["witnesses"], system),
        states=row["states"].number(),
        transitions=row["transitions"].number(),
        depth=row["depth"].number(),
        profile=row["profile"].one_of(_PROFILES, "profile"),
        symmetry=tuple(item.one_of(kinds, "kind") for item in row["symmetry"].items()) if "symmetry" in row else (),
        liveness=_verdicts(row["liveness"].mapping((), system.liveness_by_name)) if "liveness" in row else {},
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
        witnesses=_witnesses(row["witnesses"], family.system) if "witnesses" in row else family.witnesses,
        profile=row["profile"].one_of(_PROFILES, "profile") if "profile" in row else PROFILES[-1],
        states=row["states"].number(),
        transitions=row["transitions"].number(),
        depth=row["depth"].number(),
    )


def _verdicts(parts: Mapping[str, Part]) -> dict[str, Verdict]:
    return {name: part.one_of(_VERDICTS, "verdict") for name, part in parts.items()}


def _witnesses(part: Part, system: System) -> tuple[str, ...]:
    known = {witness.name: witness.name for witness in system.witnesses}
    return tuple(item.one_of(known, "witness") for item in part.items())
