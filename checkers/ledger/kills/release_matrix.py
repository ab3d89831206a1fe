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

from oneowner.checkers.engines.compile.column_program import written
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.explore.exploration import LiveResult
from oneowner.checkers.engines.explore.generated import explore_generated
from oneowner.checkers.engines.liveness.graph import questions
from oneowner.checkers.engines.liveness.obligations import demands_of
from oneowner.checkers.ledger.families import LAWS, LIVENESS_LAWS, bounds_with, families, faults
from oneowner.checkers.ledger.family_search import judge_runs
from oneowner.checkers.ledger.faults import Fault
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.releases import NAMES, RELEASES, has_metadata_store
from oneowner.model.channel.rules import Rules, Storage
from oneowner.model.channel.system import Bounds, actions

NONE = "none"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Bite:
    """The law of one fault under the rules of one release."""

    release: str
    verdict: Verdict
    steps: int
    """The length of the shortest counterexample; 0 if there is none."""
    why: str = ""
    """Why the verdict is unknown."""


NO_OCCASION = "no state gives the law an occasion"
"""Known of a release that has other bugs, and pinned; any other reason is not."""


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
    judged: list[tuple[Mapping[str, bool], Verdict, int, str]] = []
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


def judged_under(bounds: Bounds, rules: Rules, law: str) -> tuple[dict[str, bool], Verdict, int, str]:
    """Judge one law within *bounds* under *rules*: the switches that were read, and what a ``Bite`` says of it."""
    watched = WatchedRules(**{switch: getattr(rules, switch) for switch in _SWITCHES})
    laws = [LAWS[law]] if law in LAWS else []
    program = trace(replace(bounds, rules=watched), laws, ())
    plain = replace(bounds, rules=rules)
    exploration = explore_generated(plain, laws, (), frozenset({law}) & LAWS.keys(), model=written(program))
    if law in LIVENESS_LAWS:
        asked = LIVENESS_LAWS[law]
        also = questions([asked.when, asked.good], demands_of(actions(plain)))
        trace(replace(bounds, rules=watched), also, (), lambda: program)  # what these read decides as well
        live = judge_runs(exploration, [law], traced=lambda: program)
        result = live.results.get(law, LiveResult(0))
        steps = result.lasso.steps if result.lasso is not None else None
        exercised, doubt = result.exercised, result.undecided or live.unjudged
    else:
        steps, exercised, doubt = exploration.laws[law].steps, exploration.laws[law].exercised, ""
    seen = {switch: getattr(rules, switch) for switch in watched.seen}
    if steps is not None:
        return seen, Verdict.INVALID, len(steps), ""
    doubt = doubt or ("" if exploration.finished else exploration.stopped or "not all states were visited")
    doubt = doubt or ("" if exercised else NO_OCCASION)
    return seen, Verdict.UNKNOWN if doubt else Verdict.VALID, 0, doubt


def fixed_in(release: str, affected: Sequence[str], known: Sequence[str] = NAMES) -> str:
    """
    Return the first release after *release* that ends the bug: in its own line, else the first of any later line.

    A release ends it if neither it nor any later one of its line is *affected*: a bug that comes back was
    hidden by another. A release that has the bug's switches, and of which nothing is known, is affected.

    >>> fixed_in("3.0.5", ["3.0.4", "3.0.5"]), fixed_in("3.1.3", ["3.1.3", "3.2.0"]), fixed_in("master", ["master"])
    ('3.0.6', '3.2.1', '')
    >>> fixed_in("3.3.1", ["3.3.1", "3.3.5"])
    '3.3.6'
    """
    last = {line_of(name): NAMES.index(name) for name in sorted(affected, key=NAMES.index)}
    later = [name for name in known if NAMES.index(name) > max(NAMES.index(release), last.get(line_of(name), -1))]
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
