"""
Which release of Pulsar has which bug: the law of a fault, judged under the rules of every release with its switches.

A law that fails in a release without them fails for another reason, which another fault says. Two releases differ for
a family only if some switch that its model reads differs. What is read is watched while the model is traced, so that
most releases need no search of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import Any

from checkers.compile.program import trace
from checkers.explore.generated import explore_generated
from checkers.families import LAWS, LIVENESS_LAWS, bounds_with, families, faults
from checkers.searching import judge_runs
from checkers.switchings import Fault
from checkers.verdict import Verdict
from model.releases import NAMES, RELEASES, has_metadata_store
from model.rules import Rules, Storage
from model.system import Bounds

NONE = "none"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Bite:
    """The law of one fault under the rules of one release."""

    release: str
    verdict: Verdict
    steps: int
    """The length of the shortest counterexample; 0 if there is none."""


class WatchedRules(Rules):
    """
    Rules that note which switches are read.

    They equal nothing but themselves: an answer that somebody kept for equal rules would hide what is read.

    >>> rules = WatchedRules()
    >>> rules.gap_rule, sorted(rules.seen)
    (True, ['gap_rule'])
    """

    seen: set[str]

    def __init__(self, **switches: bool) -> None:
        object.__setattr__(self, "seen", set())
        super().__init__(**switches)

    def __getattribute__(self, name: str) -> Any:
        if name in _SWITCHES:
            object.__getattribute__(self, "seen").add(name)
        return object.__getattribute__(self, name)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


_SWITCHES = frozenset(one.name for one in fields(Rules))


def bites(name: str) -> list[Bite]:
    """Judge the law of the fault *name* under the rules of every release that has its switches, in order."""
    fault = faults()[name]
    bounds = bounds_with(families()[fault.family].bounds, fault.settings)
    judged: list[tuple[Mapping[str, bool], Verdict, int]] = []
    found = []
    for release in (one for one in known_to(bounds) if has(RELEASES[one], fault)):
        rules = RELEASES[release]
        alike = (one for one in judged if all(getattr(rules, switch) == value for switch, value in one[0].items()))
        same = next(alike, None)
        if same is None:
            same = judged_under(bounds, rules, fault.law)
            judged.append(same)
        found.append(Bite(release, *same[1:]))
    return found


def known_to(bounds: Bounds) -> list[str]:
    """Return the releases that can keep the channel where *bounds* say, in order."""
    is_new = bounds.storage == Storage.METADATA_STORE or bounds.synced > 0
    return [release for release in NAMES if not is_new or has_metadata_store(release)]


def has(rules: Rules, fault: Fault) -> bool:
    """Say whether *rules* have the switches of *fault*, and not those of its repair."""
    turned = all(getattr(rules, switch) == value for switch, value in fault.rules.items())
    mended = [getattr(rules, switch) == value for switch, value in fault.repaired.items()]
    return turned and not (mended and all(mended))


def judged_under(bounds: Bounds, rules: Rules, law: str) -> tuple[dict[str, bool], Verdict, int]:
    """Judge one law within *bounds* under *rules*: the switches that were read, the verdict, the steps."""
    watched = WatchedRules(**{switch: getattr(rules, switch) for switch in _SWITCHES})
    laws = [LAWS[law]] if law in LAWS else []
    program = trace(replace(bounds, rules=watched), laws, ())
    bounds = replace(bounds, rules=rules)
    exploration = explore_generated(bounds, laws, (), frozenset({law}) & LAWS.keys(), program=program)
    if law in LIVENESS_LAWS:
        result = judge_runs(exploration, [law], program=program).results.get(law)
        lasso = result.lasso if result is not None else None
        steps = lasso.steps if lasso is not None else None
        exercised = result.exercised if result is not None and not result.undecided else 0
    else:
        steps, exercised = exploration.laws[law].steps, exploration.laws[law].exercised
    seen = {switch: getattr(rules, switch) for switch in watched.seen}
    if steps is not None:
        return seen, Verdict.INVALID, len(steps)
    return seen, Verdict.VALID if exercised and exploration.finished else Verdict.UNKNOWN, 0


def fixed_in(release: str, bitten: Sequence[str], known: Sequence[str] = NAMES) -> str:
    """
    Return the first release after *release* that is not *bitten*: of its own line, else the first of any later line.

    >>> fixed_in("3.0.5", ["3.0.4", "3.0.5"]), fixed_in("3.1.3", ["3.1.3", "3.2.0"]), fixed_in("master", ["master"])
    ('3.0.6', '3.2.1', '')
    """
    later = [name for name in known if NAMES.index(name) > NAMES.index(release) and name not in bitten]
    own = [name for name in later if line_of(name) == line_of(release)]
    return next(iter(own or later), "")


def line_of(release: str) -> str:
    """Return the line that a release belongs to: ``3.0`` of 3.0.4."""
    return release.rpartition(".")[0] or release


def in_spans(releases: Iterable[str], of: Sequence[str] = NAMES) -> str:
    """
    Return releases in few words, spans within a line: all or none *of* those that could be meant.

    >>> in_spans(["3.0.0", "3.0.1", "3.0.2", "3.1.0", "master"])
    '3.0.0-3.0.2, 3.1.0, master'
    >>> in_spans([]), in_spans(NAMES)
    ('none', 'all')
    """
    chosen = set(releases)
    if not chosen or chosen.issuperset(of):
        return ALL if chosen else NONE
    words = []
    for _, line in groupby(NAMES, line_of):
        for is_in, run in groupby(line, chosen.__contains__):
            if is_in:
                first, *more = run
                words.append(f"{first}-{more[-1]}" if more else first)
    return ", ".join(words)
