"""
From an exploration to a verdict: every law against what the ledger pins, then what must not be missing.

A law of liveness is judged on the whole graph only, and adds its row to the others.

Fail closed: a budget that was hit, a witness never reached, an action that never fired, a documented violation
that does not occur, a law that was never exercised, a count that differs from the ledger: unknown, with the
reason.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.explore.exploration import Exploration, LiveResult
from oneowner.checkers.engines.walks.plan import Walks
from oneowner.checkers.results import LawRow, Result, Stats
from oneowner.checkers.verdict import Verdict, worst
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.bounds import Kind
from oneowner.model.kernel.law import LawKind
from oneowner.model.kernel.system import System


@dataclass(frozen=True, slots=True)
class Liveness:
    """The question about whole runs, and its results."""

    results: Mapping[str, LiveResult] = field(default_factory=dict)
    """By law; a law that could not be judged was exercised nowhere."""
    unjudged: str = ""
    """The reason that the laws could not be judged."""
    left_out: str = ""
    """The reason that laws could not be judged though nobody asked for them; the verdict does not mention it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An exploration and its verdict."""

    result: Result
    exploration: Exploration
    counterexample: str | None
    """The law whose counterexample is to be shown: the least violation that was not expected."""
    as_pinned: bool | None
    """True if counts and laws are those of the ledger; None in other bounds, or of an unfinished search."""
    engine: str
    """The engine of the search, and the reason for that one."""
    liveness: Liveness
    walks: Walks | None = None
    """Events of random walks, if walks were asked for."""
    broken: tuple[str, ...] = ()
    """The laws that make it invalid."""
    mended: tuple[str, ...] = ()
    """The laws that a change brings to hold, if it costs no other law its occasion."""

    def steps_against(self, law: str) -> tuple[Action, ...] | None:
        """Return the steps of the counterexample to *law*, if there is one."""
        if law in self.liveness.results:
            lasso = self.liveness.results[law].lasso
            return lasso.steps if lasso is not None else None
        return self.exploration.laws[law].steps


def pinned(family: Family, unchanged: bool, named: Sequence[str] = ()) -> dict[str, Verdict]:
    """
    Return the expected verdict of every law.

    In the family's own bounds and rules that is the pin of its file, unknown where there is none. In others
    (``--set``, ``--fault``) every law must hold that it pins as valid, and every law that is *named*. A law that
    fails in the family itself may fail, as may one that is known to fail in Pulsar and has no occasion in the
    family.
    """
    pins = {**dict.fromkeys(family.system.statuses, Verdict.UNKNOWN), **family.laws, **family.liveness}
    if unchanged:
        return pins
    expected = {}
    for law, status in family.system.statuses.items():
        pin = pins[law]
        if law in named or pin == Verdict.VALID:
            expected[law] = Verdict.VALID
        elif status.is_violated:
            expected[law] = Verdict.UNKNOWN
        else:
            expected[law] = Verdict.VALID if pin == Verdict.UNKNOWN else pin
    return expected


def stopping(expected: Mapping[str, Verdict], system: System) -> frozenset[str]:
    """Return the laws whose first violation ends a search: those that are not known to be violated."""
    return frozenset(
        name
        for name, verdict in expected.items()
        if verdict == Verdict.VALID or (verdict == Verdict.UNKNOWN and not system.statuses[name].is_violated)
    )


def judge(
    family: Family,
    exploration: Exploration,
    expected: Mapping[str, Verdict],
    unchanged: bool,
    engine: str = "native",
    liveness: Liveness = Liveness(),
    named: Sequence[str] = (),
    sought: Collection[str] = (),
    spared: Collection[str] = (),
    before: Mapping[str, Verdict] = MappingProxyType({}),
) -> Judged:
    """
    Judge an exploration of *family* by the verdicts *expected* of it.

    Laws asked for by name are owed an answer. Of those that are broken a *sought* one is shown before others. The
    verdict does not depend on *spared* laws, which describe other behaviour than that which was explored. A change that
    removes a defect is no doubt for the situations that went with it; *before* has the verdicts without the change.
    """
    rows = [_row(exploration, name, expected[name]) for name in exploration.laws]
    rows += [_live_row(result, name, expected[name], family.system) for name, result in liveness.results.items()]
    hard = stopping(expected, family.system)
    apart = [row.law for row in rows if row.verdict == Verdict.INVALID and row.law in hard and row.law in spared]
    rows = [replace(row, is_apart=True) if row.law in apart else row for row in rows]
    hard -= set(spared)
    broken = [row.law for row in rows if row.verdict == Verdict.INVALID and row.law in hard]
    lassos = {name: result.lasso for name, result in liveness.results.items() if result.lasso is not None}
    reasons = [f"{name} is violated" + (f": {lassos[name]}" if name in lassos else "") for name in broken]
    mended = tuple(mended_by(rows, before)) if exploration.finished else ()
    verdict = Verdict.INVALID if broken else Verdict.VALID
    if not broken:
        doubts = _doubts(family, exploration, rows, unchanged, named, is_owed_all=not mended)
        if liveness.unjudged:
            doubts.append(f"liveness is not judged: {liveness.unjudged}")
        doubts += [f"{name} is not judged: {one.undecided}" for name, one in liveness.results.items() if one.undecided]
        verdict = worst([verdict, *([Verdict.UNKNOWN] if doubts else [])])
        reasons += doubts
        if mended and (gone := list(_unreached(family, exploration))):
            reasons.append(f"gone with the defect: {'; '.join(gone)}")
    result = Result(
        verb="explore",
        verdict=verdict,
        reasons=reasons,
        stats=Stats(
            states=exploration.distinct,
            transitions=exploration.transitions,
            depth=exploration.depth,
            seconds=exploration.seconds,
        ),
        laws=rows,
        more={
            "counterexample": None,
            "actions": exploration.fired,
            "witnesses": exploration.witnesses,
            **({"mirrors": apart} if apart else {}),
        },
    )
    violated = broken or [row.law for row in rows if row.verdict == Verdict.INVALID and not row.is_apart]
    shown = _shown(exploration, liveness, [law for law in violated if law in sought] or violated)
    pins = as_pinned(family, exploration, rows) if unchanged else None
    return Judged(result, exploration, shown, pins, engine, liveness, broken=tuple(broken), mended=mended)


def mended_by(rows: Iterable[LawRow], before: Mapping[str, Verdict]) -> list[str]:
    """
    Return the broken laws that a change brings to hold; none if it costs another law its occasion.

    Witnesses keep laws from holding because nothing happens. Where every law that held still has an occasion and holds,
    a lost situation was part of the defect. Laws that describe the old behaviour do not count.
    """
    judged = [row for row in rows if row.kind != LawKind.MIRROR]
    if any(before.get(row.law) == Verdict.VALID != row.verdict for row in judged):
        return []
    return [row.law for row in judged if (before.get(row.law), row.verdict) == (Verdict.INVALID, Verdict.VALID)]


def _shown(exploration: Exploration, liveness: Liveness, violated: Iterable[str]) -> str | None:
    """Return the law with the least counterexample, of states and steps before whole runs."""
    endless = {name: lasso for name, result in liveness.results.items() if (lasso := result.lasso) is not None}
    finite = exploration.first_violation([name for name in violated if name not in endless])
    shortest = min((n for n in violated if n in endless), key=lambda n: len(endless[n].steps), default=None)
    return finite or shortest


def as_pinned(family: Family, exploration: Exploration, rows: Iterable[LawRow]) -> bool | None:
    """Return whether counts and laws are those of the ledger; None if the search did not finish."""
    if not exploration.finished:
        return None
    laws = all(row.verdict == row.expected or (row.verdict == Verdict.UNKNOWN) for row in rows)
    return laws and not family.undeclared and are_counts_pinned(family, exploration)


def are_counts_pinned(family: Family, exploration: Exploration) -> bool:
    """Return whether the counts are those of the ledger; of orbits, whether they stand for as many states."""
    if exploration.represented is not None:
        return exploration.represented == family.states and exploration.depth == family.depth
    return counts_of(exploration) == pins_of(family)


def counts_of(exploration: Exploration) -> tuple[int, int, int]:
    """Return distinct states, transitions and depth."""
    return exploration.distinct, exploration.transitions, exploration.depth


def pins_of(family: Family) -> tuple[int, int, int]:
    """Return the distinct states, transitions and depth that the ledger pins."""
    return family.states, family.transitions, family.depth


def _row(exploration: Exploration, name: str, expected: Verdict) -> LawRow:
    found = exploration.laws[name]
    verdict = Verdict.VALID if found.exercised and exploration.finished else Verdict.UNKNOWN
    if found.steps is not None:
        verdict = Verdict.INVALID
    return _law_row(exploration.bounds.system, name, expected, verdict, found.exercised)


def _live_row(found: LiveResult, name: str, expected: Verdict, system: System) -> LawRow:
    verdict = Verdict.VALID if found.exercised and not found.undecided else Verdict.UNKNOWN
    if found.lasso is not None:
        verdict = Verdict.INVALID
    return _law_row(system, name, expected, verdict, found.exercised)


def _law_row(system: System, name: str, expected: Verdict, verdict: Verdict, exercised: int) -> LawRow:
    return LawRow(name, system.statuses[name].value, expected, verdict, exercised, kind=system.kinds[name].value)


def _is_less(family: Family, exploration: Exploration) -> bool:
    """Return whether less may happen than in the family: then not every action and witness is owed an occasion."""
    kinds = (Kind.BUDGET, Kind.LIMIT, Kind.CHOICE)
    names = [name for name, bound in family.bounds.described().items() if bound.kind in kinds]
    pairs = [(getattr(exploration.bounds, name), getattr(family.bounds, name)) for name in names]
    return any(here < own for here, own in pairs)


def idle(fired: Mapping[str, int]) -> Iterator[str]:
    """Report the actions that were never enabled: the bounds have them, and no state gives them an occasion."""
    if never := [name for name, times in fired.items() if not times]:
        it = "it an occasion, or leave it out" if len(never) == 1 else "them an occasion, or leave them out"
        yield f"no step was enabled: {', '.join(never)}; other bounds give {it}"


def _unreached(family: Family, exploration: Exploration) -> Iterator[str]:
    """Yield the actions and witnesses without an occasion, where the bounds give them room."""
    if not _is_less(family, exploration):
        yield from idle(exploration.fired)
        missed = [name for name in family.witnesses if not exploration.witnesses.get(name, False)]
        yield from (f"never reached: witness {name}" for name in missed)


def _doubts(
    family: Family,
    exploration: Exploration,
    rows: list[LawRow],
    unchanged: bool,
    named: Sequence[str],
    is_owed_all: bool,
) -> list[str]:
    """Return the reasons why an exploration without a violation is not valid all the same."""
    doubts: list[str] = []
    if exploration.stopped:
        return [f"not all states were visited: {exploration.stopped}"]
    if is_owed_all and not named:
        doubts += _unreached(family, exploration)
    for row in rows:
        if unchanged and row.verdict != row.expected:
            reason = f" ({family.reasons[row.law]})" if row.law in family.reasons else ""
            if row.expected == Verdict.UNKNOWN and not reason:  # mostly a law that is new
                reason = f": the law is new there; it is pinned by: oneowner bless {family.full_name}"
            doubts.append(f"{row.law}: {row.verdict}, but the ledger pins {row.expected}{reason}")
    if unchanged and family.undeclared:
        marks = ", ".join(family.undeclared)
        doubts.append(f"the ledger pins that {len(family.undeclared)} more hold, of a name that no law has: {marks}")
    if all(row.exercised == 0 for row in rows):
        doubts.append("no law was exercised")
    else:
        doubts += [f"{row.law} had no occasion" for row in rows if row.law in named and not row.exercised]
    if unchanged and not are_counts_pinned(family, exploration):
        orbits = f" of orbits of {exploration.represented:,} states" if exploration.represented is not None else ""
        found = f"states, transitions, depth are {counts_of(exploration)}{orbits}"
        doubts.append(f"{found}, but the ledger pins {pins_of(family)}")
    return doubts
