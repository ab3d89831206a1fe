"""
One row of the ledger, checked by all engines; and the line of a row in a table, measured or as it is pinned.

C visits all states. Generated Python does up to a bound, and so does the native interpreter, the slowest, up to one
that depends on the profile; beyond it visits the first states, and must find the same of them as C. How far each
engine went is part of the row: nothing is left out in silence.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache, partial
from typing import Any

from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.explore.building import FLAGS, QUICK, Build
from oneowner.checkers.engines.explore.compiled import explore_build
from oneowner.checkers.engines.explore.engine_choice import REFEREED, disagreement
from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Exploration, Limits, preparing
from oneowner.checkers.engines.explore.generated import explore_generated
from oneowner.checkers.engines.explore.model_cache import kept
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.ledger.exploration_verdict import Judged, judge, pinned, stopping
from oneowner.checkers.ledger.family_search import in_words, judge_runs
from oneowner.checkers.native_code import compiler
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.bounds import Bounds

NATIVE = {"smoke": 500, "pr": 500, "nightly": REFEREED}
"""States up to which the native interpreter visits all of them, by profile; it takes about 2,500 a second."""
BY_PYTHON_ALONE = {"smoke": 50_000, "pr": 50_000, "nightly": 0}
"""States up to which C is left out, by profile: to compile takes longer than Python's search; ``make referee`` asks."""
FIRST = {"smoke": 200, "pr": 200, "nightly": 30_000}
"""States of a larger model that it visits."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """The line of a family in the table; the JSON has the same keys."""

    family: str
    release: str
    profile: str
    bounds: Mapping[str, int | str]
    """Those that are not what they would be anyway."""
    states: int
    transitions: int
    depth: int
    laws: Mapping[str, int]
    """The numbers of valid, invalid and unknown laws."""
    unexpected: tuple[str, ...] = ()
    """The laws whose verdict is not the pinned one."""
    witnesses: Mapping[str, int] = field(default_factory=dict)
    """The numbers of witnesses to be reached, and reached."""
    engines: Mapping[str, int] = field(default_factory=dict)
    """The number of states that each engine visited; all found the same of them."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Checked:
    """The engines' results for a row."""

    judged: Judged
    engines: dict[str, int]
    """The number of states that each visited."""
    differs: str
    """The first difference between two engines, or an empty string."""


def check_row(
    family: Family, profile: str, threads: int, goes_on: bool = False, tell: Callable[[str], None] | None = None
) -> Checked:
    """
    Explore one row of the ledger by every engine, and judge the results; raise Misuse if it cannot be traced.

    The graph is finished after a violation that is not pinned only if the search *goes on*. A row that is not
    counted yet may be of any size, so C comes first. Progress is reported to *tell*.
    """
    told = (lambda progress: tell(in_words(family.row, progress))) if tell else None
    system = family.system
    asked = family.bounds, system.laws, system.witnesses
    with preparing(NO_LIMITS, told) as at:
        traced = cache(partial(trace, *asked, at=at))
        model = kept(family.bounds, (*system.laws, *system.witnesses), traced)
    expected = pinned(family, True)
    ends = frozenset() if goes_on else stopping(expected, system) & system.laws_by_name.keys()
    build = Build(*asked, flags=QUICK if family.is_pinned and family.states <= REFEREED else FLAGS)
    found: dict[str, Exploration] = {}
    if compiler() is not None and (family.states > BY_PYTHON_ALONE[profile] or not family.is_pinned):
        found["c"] = explore_build(build, ends, on_progress=told, threads=threads, traced=traced)
    if not found or found["c"].distinct <= REFEREED:
        found["python"] = explore_generated(*asked, ends, on_progress=told, model=model)
    which, whole = next(iter(found.items()))
    differs = _difference(which, whole, "python", found.get("python", whole))
    limits = NO_LIMITS if whole.distinct <= NATIVE[profile] else Limits(FIRST[profile])
    native = explore(*asked, ends, limits, told)
    if native.is_cut_short and which == "c":
        whole = explore_build(build, ends, limits, threads=threads)
    elif native.is_cut_short:
        whole = explore_generated(*asked, ends, limits, model=model)
    differs = differs or _difference(which, whole, "native", native)
    engines = {name: one.distinct for name, one in found.items()} | {"native": native.distinct}
    liveness = judge_runs(found[which], list(family.liveness), traced=traced, steps=model)
    return Checked(judge(family, found[which], expected, True, which, liveness), engines, differs)


def _difference(one: str, found: Exploration, other: str, found_too: Exploration) -> str:
    words = disagreement(found, found_too) if found is not found_too else ""
    return f"{one} and {other} differ in {words}" if words else ""


def pinned_row(family: Family) -> LedgerRow:
    """Return a row of the table as the ledger pins it."""
    return LedgerRow(
        family=family.full_name,
        release=family.release,
        profile=family.profile,
        bounds=changed_bounds(family.bounds),
        states=family.states,
        transitions=family.transitions,
        depth=family.depth,
        laws=_numbers([*family.laws.values(), *family.liveness.values()]),
        witnesses={"reached": len(family.witnesses), "of": len(family.witnesses)},
    )


def measured_row(family: Family, checked: Checked) -> LedgerRow:
    """Return a row of the table as it was found."""
    exploration, laws = checked.judged.exploration, checked.judged.result.laws
    reached = [name for name in family.witnesses if exploration.witnesses[name]]
    return LedgerRow(
        family=family.full_name,
        release=family.release,
        profile=family.profile,
        bounds=changed_bounds(family.bounds),
        states=exploration.distinct,
        transitions=exploration.transitions,
        depth=exploration.depth,
        laws=_numbers(row.verdict for row in laws),
        unexpected=tuple(row.law for row in laws if row.verdict != row.expected),
        witnesses={"reached": len(reached), "of": len(family.witnesses)},
        engines=checked.engines,
    )


def changed_bounds(bounds: Bounds) -> dict[str, int | str]:
    """
    Return the bounds that are not their defaults, in order.

    >>> from oneowner.spec.systems import systems
    >>> changed_bounds(systems()["channel"].bounds(brokers=3, crashes=1))
    {'brokers': 3, 'crashes': 1}
    """
    changed = {}
    for name, bound in bounds.described().items():
        value = getattr(bounds, name)
        if value != bound.default:
            changed[name] = value.value if isinstance(value, StrEnum) else value
    return changed


def _numbers(verdicts: Any) -> dict[str, int]:
    found = Counter(verdicts)
    return {verdict.value: found[verdict] for verdict in Verdict}
