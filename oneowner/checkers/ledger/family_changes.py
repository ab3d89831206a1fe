"""
The effect of a change of the rules on a family: its laws and its size without the change and with it.

Without it a pinned family is as its file pins it; only the laws that fail there are searched, for their steps. A family
whose steps the change does not touch is not searched at all: the traced steps are the same.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from oneowner.checkers.catalogue.families import bounds_under, families, family_named, switching_named
from oneowner.checkers.catalogue.family import Family, bounds_with, pick
from oneowner.checkers.engines.compile.program import trace
from oneowner.checkers.engines.explore.engine_choice import REFEREED
from oneowner.checkers.ledger.counterexample import counterexample
from oneowner.checkers.ledger.exploration_verdict import Judged
from oneowner.checkers.ledger.family_search import Asked, search
from oneowner.checkers.ledger.program_digest import digest_of_program
from oneowner.checkers.results import LawRow
from oneowner.checkers.scenarios.scenario import Scenario
from oneowner.checkers.verdict import EngineError, Misuse, Verdict
from oneowner.model.kernel.bounds import Bounds
from oneowner.model.kernel.law import LawKind
from oneowner.model.kernel.system import System
from oneowner.spec.systems import names, systems

RANK = {kind: rank for rank, kind in enumerate(LawKind)}
"""Purpose comes first: the harm to users."""


@dataclass(frozen=True, slots=True)
class LawChange:
    """A law whose verdict, or whose shortest counterexample, is another one under the change."""

    family: str
    law: str
    kind: LawKind
    before: Verdict
    after: Verdict
    steps_before: int | None
    steps_after: int | None
    is_regression: bool
    """True if the law must hold in the family, and the change breaks it."""


@dataclass(frozen=True, slots=True)
class FamilyChange:
    """A family without the change and with it."""

    family: str
    verdict: Verdict
    """That of the search under the change, apart from mirrors."""
    reasons: tuple[str, ...] = ()
    is_untouched: bool = False
    states_before: int | None = None
    states_after: int | None = None
    """None for a search that was not finished; of an untouched family the pin counts for both."""
    laws: tuple[LawChange, ...] = ()
    scenario: Scenario | None = None
    """The shortest counterexample to the law of the worst kind that the change breaks."""
    seconds: float = 0.0

    def __str__(self) -> str:
        """Return its name, for a progress line."""
        return self.family


def families_of_change(system: str | None, asked: Asked) -> list[str]:
    """
    Return the families of a system, or of every system that has the changed switches.

    Raise Misuse for a change that no system, or not the named one, can have.
    """
    if not (asked.rules or asked.faults or asked.repairs):
        raise Misuse("nothing is changed: --rule NAME=VALUE, --fault NAME or --repair NAME is required")
    candidates = [systems()[pick(names(), system, "system")]] if system else list(systems().values())
    for name in asked.rules:
        known = {rule: rule for one in candidates for rule in one.rules.__dataclass_fields__}
        pick(known, name, "rule")
    chosen = [one for one in candidates if _has(one, asked)]
    if not chosen:
        changes = ", ".join((*asked.rules, *asked.faults, *asked.repairs))
        raise Misuse(f"change refused: {changes}; no {f'family of {system}' if system else 'one system'} has all of it")
    for one in chosen:  # a value that fits no family is refused once, and not in each
        release = asked.release or one.default_release
        bounds_under(bounds_with(one.bounds(), asked.settings), release, asked.faults, asked.repairs, asked.rules)
    return [name for name, family in families().items() if family.system in chosen]


def _has(system: System, asked: Asked) -> bool:
    switchings = map(switching_named, (*asked.faults, *asked.repairs))
    return asked.rules.keys() <= system.rules.__dataclass_fields__.keys() and all(
        one.system == system.name for one in switchings
    )


def change_in(asked: Asked, name: str) -> FamilyChange:
    """Return the effect of a change on a family; bounds or a change that it cannot have make it unknown."""
    started = time.monotonic()
    try:
        found = _change_in(asked, name)
    except (Misuse, EngineError) as error:
        found = FamilyChange(name, Verdict.UNKNOWN, (str(error),))
    return replace(found, seconds=round(time.monotonic() - started, 2))


def _change_in(asked: Asked, name: str) -> FamilyChange:
    family = family_named(name).under(asked.release)
    asked = replace(asked, engine=_engine(asked.engine, family))
    own = bounds_with(family.bounds, asked.settings)
    changed = bounds_under(own, family.release, asked.faults, asked.repairs, asked.rules)
    if changed == own or _steps(changed) == _steps(own):
        states = family.states if family.is_pinned and not asked.settings else None
        return FamilyChange(name, Verdict.VALID, is_untouched=True, states_before=states, states_after=states)
    without = _without(family, replace(asked, rules={}, faults=(), repairs=(), goes_on=True))
    asked = replace(asked, goes_on=True, spares_mirrors=True)
    judged = search(family, asked)
    laws = tuple(law_changes(name, family.system.kinds, without, judged))
    worst = min((law for law in laws if law.is_regression), key=_by_harm, default=None)
    return FamilyChange(
        name,
        judged.result.verdict,
        tuple(judged.result.reasons),
        states_before=without.states,
        states_after=side_of(judged).states,
        laws=laws,
        scenario=None if worst is None else counterexample(family, judged, worst.law, asked),
    )


def _engine(engine: str, family: Family) -> str:
    """Return the engine for a family: to compile changed rules to C takes longer than most searches."""
    return "python" if engine == "auto" and 0 < family.states <= REFEREED else engine


def _steps(bounds: Bounds) -> str:
    """Return a number of the steps that bounds and their rules allow."""
    return digest_of_program(trace(bounds, (), ()))


def _by_harm(change: LawChange) -> tuple[int, int]:
    return RANK[change.kind], change.steps_after or 0


@dataclass(frozen=True, slots=True)
class Side:
    """The laws of a family, either without a change or with it."""

    verdicts: Mapping[str, Verdict]
    """Only of decided laws; unknown means that a law has no occasion."""
    steps: Mapping[str, int | None]
    """The length of the shortest counterexample, where one is known."""
    states: int | None
    """None for a search that was not finished."""


def _without(family: Family, asked: Asked) -> Side:
    """Return a family without the change: as it is pinned, with counterexamples searched; else searched whole."""
    if not family.is_pinned or asked.settings:
        return side_of(search(family, asked))
    pins = {**family.laws, **family.liveness}
    broken = [law for law, pin in pins.items() if pin == Verdict.INVALID and law in (asked.laws or pins)]
    steps = side_of(search(family, replace(asked, laws=broken))).steps if broken else {}
    return Side(pins, steps, family.states)


def side_of(judged: Judged) -> Side:
    """Return what a search decides: not what it leaves open because it was stopped, or judged no whole runs."""
    rows = [row for row in judged.result.laws if not _is_open(row, judged)]
    found = ((row.law, judged.steps_against(row.law)) for row in rows)
    return Side(
        {row.law: row.verdict for row in rows},
        {law: len(steps) for law, steps in found if steps is not None},
        judged.exploration.distinct if judged.exploration.finished else None,
    )


def _is_open(row: LawRow, judged: Judged) -> bool:
    liveness = judged.liveness.results.get(row.law)
    is_unjudged = liveness is not None and bool(judged.liveness.unjudged or liveness.undecided)
    return row.verdict == Verdict.UNKNOWN and (not judged.exploration.finished or is_unjudged)


def law_changes(family: str, kinds: Mapping[str, LawKind], without: Side, judged: Judged) -> Iterator[LawChange]:
    """Yield the laws that differ; what one side leaves open is no difference, unless the change breaks it."""
    changed = side_of(judged)
    for law, after in changed.verdicts.items():
        before = without.verdicts.get(law, Verdict.UNKNOWN)
        if law not in without.verdicts and after != Verdict.INVALID:
            continue
        steps = without.steps.get(law), changed.steps.get(law)
        if before != after or (None not in steps and steps[0] != steps[1]):
            is_regression = before != Verdict.INVALID and law in judged.broken
            yield LawChange(family, law, kinds[law], before, after, *steps, is_regression)
