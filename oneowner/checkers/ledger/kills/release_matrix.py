"""
The bugs of each release of Pulsar: the law of a fault, judged under the rules of every release with its switches.

A law that fails in a release without them fails for another reason, which is another fault's. Two releases differ
for a family only if some switch that its model reads differs. Reads are recorded while the model is traced, so that
most releases need no search of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from oneowner.checkers.catalogue.affected import bounds_of_fault, with_switches
from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.catalogue.faults import Fault
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.engines.compile.column_program import written
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.explore.exploration import LiveResult
from oneowner.checkers.engines.explore.generated import explore_generated
from oneowner.checkers.engines.liveness.graph import questions
from oneowner.checkers.engines.liveness.obligations import demands_of
from oneowner.checkers.ledger.family_search import judge_runs
from oneowner.checkers.ledger.kills.release_verdict import NO_OCCASION, ReleaseVerdict
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.system import actions


class WatchedRules:
    """
    The rules of a release that note which switches are read.

    They equal nothing but themselves: an answer that somebody kept for equal rules would hide what is read.

    >>> from oneowner.spec.systems import systems
    >>> rules = WatchedRules(systems()["channel"].rules())
    >>> rules.gap_rule, sorted(rules.seen)
    (True, ['gap_rule'])
    """

    def __init__(self, rules: Any) -> None:
        self._rules = rules
        self.seen: set[str] = set()

    def __getattr__(self, switch: str) -> Any:
        self.seen.add(switch)
        return getattr(self._rules, switch)


def verdicts_by_release(name: str, asked: Sequence[str] = ()) -> list[ReleaseVerdict]:
    """
    Judge the law of the fault or prediction *name* under the rules of every release with its switches, in order.

    If some are *asked* for, it is judged under theirs alone.
    """
    fault = defects()[name]
    bounds = bounds_of_fault(fault)
    judged: list[tuple[Mapping[str, bool], Verdict, int, str]] = []
    found = []
    releases = bounds.system.releases
    for release in (one for one in with_switches(fault) if not asked or one in asked):
        rules = releases[release]
        alike = (one for one in judged if all(getattr(rules, switch) == value for switch, value in one[0].items()))
        same = next(alike, None)
        if same is None:
            same = judged_under(bounds, rules, fault.law)
            judged.append(same)
        found.append(ReleaseVerdict(release, *same[1:]))
    return found


def all_verdicts(
    known: Mapping[str, Fault], on_progress: Callable[[str], None] | None, asked: Sequence[str] = ()
) -> dict[str, list[ReleaseVerdict]]:
    """Return the result of every fault in every release, or in those *asked* for, by the fault's name."""
    size = {name: family_named(fault.family).states for name, fault in known.items()}
    judge = partial(verdicts_by_release, asked=tuple(asked))
    found = in_parallel(judge, sorted(size, key=lambda name: -size[name]), on_progress)
    return {name: found[name] for name in known}


def judged_under(bounds: Any, rules: Any, law: str) -> tuple[dict[str, bool], Verdict, int, str]:
    """Judge one law within *bounds* under *rules*; return the switches read, and the fields of a ``ReleaseVerdict``."""
    watched = WatchedRules(rules)
    system = bounds.system
    laws = [system.laws_by_name[law]] if law in system.laws_by_name else []
    program = trace(replace(bounds, rules=watched), laws, ())
    plain = replace(bounds, rules=rules)
    exploration = explore_generated(
        plain, laws, (), frozenset({law}) & system.laws_by_name.keys(), model=written(program)
    )
    if law in system.liveness_by_name:
        asked = system.liveness_by_name[law]
        also = questions([asked.when, asked.good], demands_of(actions(plain), system.fairness))
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
