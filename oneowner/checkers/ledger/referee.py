"""
Engines referee each other: every family by C, generated Python, the native interpreter, by TLC and by Spin.

What is not installed cannot agree, so the whole is then unknown.

A family too big for them is visited whole by C, with one thread and with several; generated Python and the native
interpreter must find the same as C up to the step at which a budget of states is used up.
"""

from collections.abc import Callable
from functools import cache, partial

from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.compile.promela import counted
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.explore.engine_choice import REFEREED, disagreement, explore_by
from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Exploration, Limits
from oneowner.checkers.ledger import spin, tlc
from oneowner.checkers.ledger.family_export import promela_of, tla_of
from oneowner.checkers.ledger.referee_rows import Row
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.system import initial_states

FIRST = {"python": REFEREED, "native": 30_000}
"""The number of states of a big family that an engine visits."""


def ways(family: Family) -> dict[str, Callable[[], Row]]:
    """Return a function that explores a family's row for each engine that can visit it whole, by the engine's name."""
    by_c = cache(partial(_by_c, family))
    if family.states > REFEREED:
        first = {f"{engine}, first states": partial(_of_first, family, engine) for engine in FIRST}
        return {
            "c, 1 thread": lambda: _of_all(family, "c, 1 thread", by_c(), by_c()),
            "c, 2 threads": lambda: _of_all(family, "c, 2 threads", by_c(), _by_c(family, threads=2)),
            **first,
        }
    return {
        "c": lambda: _of_all(family, "c", by_c(), by_c()),
        **{engine: partial(_of_engine, family, engine, by_c) for engine in ("python", "native")},
        "tlc": lambda: by_tlc(family, by_c()),
        "spin": lambda: by_spin(family, by_c()),
    }


def _by_c(family: Family, threads: int = 1, limits: Limits = NO_LIMITS) -> Exploration:
    system = family.system
    return explore_compiled(family.bounds, system.laws, system.witnesses, limits=limits, threads=threads)


def _by(family: Family, engine: str, limits: Limits = NO_LIMITS) -> Exploration:
    return explore_by(engine, family.bounds, family.system.laws, family.system.witnesses, limits=limits)[0]


def _of_engine(family: Family, engine: str, by_c: Callable[[], Exploration]) -> Row:
    return _of_all(family, engine, by_c(), _by(family, engine))


def _of_all(family: Family, engine: str, by_c: Exploration, found: Exploration) -> Row:
    """Return the row of an engine that visited all states."""
    counts, differs = (found.distinct, found.transitions, found.depth), disagreement(by_c, found)
    agrees = counts == (family.states, family.transitions, family.depth) and not differs
    verdict = Verdict.VALID if agrees else Verdict.INVALID
    return Row(family.full_name, engine, *counts, found.seconds, verdict, differs)


def _of_first(family: Family, engine: str) -> Row:
    """Return the row of an engine that visited the first states of a family that only C visits whole."""
    limits = Limits(FIRST[engine])
    found, by_c = _by(family, engine, limits), _by_c(family, limits=limits)
    differs = disagreement(by_c, found) or ("" if found.is_cut_short else "it visited all states")
    counts, verdict = (found.distinct, found.transitions, found.depth), Verdict.INVALID if differs else Verdict.VALID
    return Row(family.full_name, f"{engine}, first states", *counts, found.seconds, verdict, differs)


def by_tlc(family: Family, ours: Exploration) -> Row:
    """Return TLC's results for the export: the same counts, and every law pinned as valid holds."""
    if not tlc.is_installed():
        return Row(family.full_name, "tlc", 0, 0, 0, 0.0, Verdict.UNKNOWN, tlc.HINT)
    found = tlc.verify(tla_of(family.full_name, (), family.release, {}), ours.distinct)
    if found.wrong:
        verdict = Verdict.INVALID if found.is_broken else Verdict.UNKNOWN
        return Row(family.full_name, "tlc", 0, 0, 0, found.seconds, verdict, found.wrong)
    transitions = found.generated - 1 - ours.terminal  # it counts the initial state, and a stutter at every end
    counts = found.distinct, transitions, found.depth
    agrees = counts == (ours.distinct, ours.transitions, ours.depth)
    return Row(family.full_name, "tlc", *counts, found.seconds, Verdict.VALID if agrees else Verdict.INVALID)


def by_spin(family: Family, ours: Exploration) -> Row:
    """Return Spin's results for the export: the same states and transitions, and every law pinned as valid holds."""
    if not spin.is_installed():
        return Row(family.full_name, "spin", 0, 0, None, 0.0, Verdict.UNKNOWN, spin.HINT)
    (model,) = promela_of(family.full_name, (), family.release, {}).values()
    found = spin.verify(model)
    seconds = found.preparing + found.seconds
    if found.wrong:
        verdict = Verdict.INVALID if found.broken else Verdict.UNKNOWN
        return Row(family.full_name, "spin", 0, 0, None, seconds, verdict, found.wrong)
    counts = counted(found.stored, found.transitions, len(initial_states(family.bounds)))
    agrees = counts == (ours.distinct, ours.transitions)
    return Row(family.full_name, "spin", *counts, None, seconds, Verdict.VALID if agrees else Verdict.INVALID)
