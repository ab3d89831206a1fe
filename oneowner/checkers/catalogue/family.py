"""One family: a model small enough to be explored whole, with its pinned verdicts and the size of its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from oneowner.checkers.catalogue.faults import DEFAULT_SYSTEM
from oneowner.checkers.catalogue.holding import holding
from oneowner.checkers.choices import PROFILES
from oneowner.checkers.documents import Document, Part, shown, suggestion
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.bounds import Kind
from oneowner.model.kernel.system import System

T = TypeVar("T")
COUNTS = ("states", "transitions", "depth")
"""The keys of a row beside verdicts and witnesses."""
KEYS = ("family", "title", "profile", "bounds", "holds", "witnesses", *COUNTS)
"""The keys of a counted family."""
OPTIONAL = ("laws", "liveness", "note", "reason", "release", "symmetry", "releases")
_PROFILES = {profile: profile for profile in PROFILES}
_VERDICTS = {verdict.value: verdict for verdict in Verdict}


def under_release(bounds: Any, release: str) -> Any:
    """Return *bounds* under the rules of *release*; raise Misuse if that cannot have them."""
    rules = rules_of(bounds, release)
    if why := bounds.system.refuse_release(bounds, release):
        raise Misuse(f"release refused: {release}; {why}")
    return replace(bounds, rules=rules)


@dataclass(frozen=True, slots=True)
class Family:
    """One row of the ledger: bounds, and the pinned results of exploring them."""

    name: str
    title: str
    bounds: Any
    """Those of its system (``model.kernel.bounds.Bounds``)."""
    laws: Mapping[str, Verdict]
    """The pinned verdict of every law; unknown for one that the file does not name, which has no occasion there."""
    witnesses: tuple[str, ...]
    states: int
    transitions: int
    depth: int
    profile: str
    note: str = ""
    """Results of its exploration beyond the verdicts, and the reasons for its bounds."""
    symmetry: tuple[str, ...] = ()
    """The kinds of things of which some may change places, if that can be proved."""
    liveness: Mapping[str, Verdict] = field(default_factory=dict)
    """The laws of liveness that are checked in this family, with their pinned verdicts."""
    release: str = ""
    """The Pulsar release whose rules apply."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Reasons for changed verdicts of laws and witnesses, a line each."""
    releases: Mapping[str, Family] = field(default_factory=dict)
    """The same family in other pinned releases."""
    is_pinned: bool = True
    """True if the counts are of this release; otherwise the pins are those of another one, or none."""
    undeclared: tuple[str, ...] = ()
    """Fingerprints of laws that held when the family was pinned, and that are not declared any more."""

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
        """Return this family under the rules of a release, by default its own; raise Misuse for an unknown release."""
        if release is None or release == self.release:
            return self
        if release in self.releases:
            return self.releases[release]
        bounds = under_release(self.bounds, release)
        return replace(self, release=release, bounds=bounds, releases={}, is_pinned=False)


def pick(known: Mapping[str, T], name: str, kind: str) -> T:
    """Return the entry *name*; raise Misuse that names the nearest ones."""
    if name in known:
        return known[name]
    raise Misuse(f"no such {kind}: {name}; {suggestion(name, known, kind)}")


def rules_of(bounds: Any, release: str) -> Any:
    return pick(bounds.system.releases, release, "release")


def bounds_with(bounds: Any, settings: Mapping[str, Any]) -> Any:
    """Return *bounds* with some of them set anew; raise Misuse for a name or value that does not fit."""
    changes = {name: bound(bounds, name, value) for name, value in settings.items()}
    try:
        return replace(bounds, **changes)
    except ValueError as error:
        raise Misuse(str(error)) from None


def bound(bounds: Any, name: str, value: Any) -> Any:
    """Return the value of the bound *name*, given as text or number; raise Misuse if it does not fit."""
    known = pick(bounds.described(), name, "bound")
    if known.kind == Kind.WORD:
        return pick({word.value: word for word in type(known.default)}, str(value), name)
    text = value if isinstance(value, str) else str(value) if type(value) is int and abs(value) < 1000 else ""
    if not text.isascii() or not text.isdigit() or len(text) > 2 or int(text) < known.least:
        raise Misuse(f"bound refused: {name}={shown(value)}; a whole number from {known.least} to 99 is allowed")
    return int(text)


def rules_with(rules: Any, turned: Mapping[str, Any]) -> Any:
    """Return *rules* with some switches set anew, as truths or words; raise Misuse for a name or value of none."""
    known = {one.name: one.name for one in fields(rules)}
    values = {"true": True, "false": False}
    changes = {
        pick(known, name, "rule"): pick(values, str(value).lower(), f"value of {name}")
        for name, value in turned.items()
    }
    return replace(rules, **changes)


def bounds_of(part: Part, bounds: Any) -> Any:
    """Return *bounds* as a part of a document changes them; raise Misuse with file and line."""
    changes = {name: value.give(bound, bounds, name, value.data) for name, value in part.mapping().items()}
    return part.give(bounds_with, bounds, changes)


def family_in(document: Document, system: System) -> Family:
    """
    Return the family of *system* that a document of the ledger holds; raise Misuse for an invalid one.

    A family that is not counted needs only bounds. It can be explored, and ``oneowner bless`` pins the rest.
    """
    row, is_counted = _row(Part(document, document.data), KEYS, OPTIONAL)
    release = row["release"].one_of({name: name for name in system.releases}, "release") if "release" in row else ""
    release = release or system.default_release
    kinds = {kind: kind for kind in system.sorts.values()}
    held, undeclared = holding(row["holds"], system.statuses) if "holds" in row else ([], [])
    valid = dict.fromkeys(held, Verdict.VALID)
    family = Family(
        name=row["family"].text() if "family" in row else document.path.stem,
        title=row["title"].text() if "title" in row else "",
        bounds=row["bounds"].give(under_release, bounds_of(row["bounds"], system.bounds()), release),
        laws=_in_order(
            system.laws_by_name,
            {
                **dict.fromkeys(system.laws_by_name, Verdict.UNKNOWN),
                **valid,
                **(_verdicts(row["laws"].mapping((), system.laws_by_name)) if "laws" in row else {}),
            },
        ),
        witnesses=_witnesses(row["witnesses"], system) if "witnesses" in row else (),
        **_counts(row),
        profile=row["profile"].one_of(_PROFILES, "profile") if "profile" in row else PROFILES[0],
        note=row["note"].text() if "note" in row else "",
        symmetry=tuple(item.one_of(kinds, "kind") for item in row["symmetry"].items()) if "symmetry" in row else (),
        liveness=_in_order(
            system.liveness_by_name,
            {**valid, **(_verdicts(row["liveness"].mapping((), system.liveness_by_name)) if "liveness" in row else {})},
        ),
        release=release,
        reasons=reasons_in(row, claimable(system)),
        is_pinned=is_counted,
        undeclared=tuple(undeclared),
    )
    for name, part in _listed(row):
        if name in valid or (is_counted and part.data == Verdict.VALID):
            raise part.complaint(f"{name} refused: {part.data}; it is among the laws that `holds` counts, or listed")
    others = row["releases"].mapping() if "releases" in row else {}
    return replace(family, releases={name: _in_release(family, name, other) for name, other in others.items()})


def _in_release(family: Family, release: str, part: Part) -> Family:
    """Return a family as one row of its ``releases`` changes it: own counts, and only those verdicts that differ."""
    if release == family.release:
        raise part.complaint(f"release refused: {release}; it is the family's own")
    bounds = part.give(under_release, family.bounds, release)
    row, is_counted = _row(part, COUNTS, ["profile", "laws", "liveness", "witnesses", "reason"])
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
        **_counts(row),
        reasons={**family.reasons, **reasons_in(row, claimable(family.system))},
        is_pinned=is_counted,
    )


def _row(part: Part, needed: Sequence[str], optional: Sequence[str]) -> tuple[dict[str, Part], bool]:
    """Return the parts of a row, and whether it is counted; an uncounted one needs at most bounds."""
    if part.data is None and part.at:  # a release that is to be counted
        return {}, False
    there = part.data if isinstance(part.data, dict) else dict.fromkeys(COUNTS, 0)
    if any(there.get(name) is not None for name in COUNTS):
        return part.mapping(needed, optional), True
    row = part.mapping([name for name in needed if name == "bounds"], [*needed, *optional])
    return {name: one for name, one in row.items() if name not in COUNTS}, False


def _counts(row: Mapping[str, Part]) -> dict[str, Any]:
    """Return the counts of a row; of one that is not counted zeros."""
    return {name: row[name].number() if name in row else 0 for name in COUNTS}


def claimable(system: System) -> list[str]:
    """Return the names of all on which a row of a system's families has a verdict: laws and witnesses."""
    return [*system.statuses, *(witness.name for witness in system.witnesses)]


def reasons_in(row: Mapping[str, Part], known: Iterable[str]) -> dict[str, str]:
    """Return the reasons in a row of the ledger, by subject; each is one line."""
    return {name: one.line() for name, one in row["reason"].mapping((), known).items()} if "reason" in row else {}


def _listed(row: Mapping[str, Part]) -> list[tuple[str, Part]]:
    return [one for kind in ("laws", "liveness") if kind in row for one in row[kind].mapping().items()]


def _in_order(known: Iterable[str], verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    return {name: verdicts[name] for name in known if name in verdicts}


def _verdicts(parts: Mapping[str, Part]) -> dict[str, Verdict]:
    return {name: part.one_of(_VERDICTS, "verdict") for name, part in parts.items()}


def _witnesses(part: Part, system: System) -> tuple[str, ...]:
    known = {witness.name: witness.name for witness in system.witnesses}
    return tuple(item.one_of(known, "witness") for item in part.items())
