"""Families through their refinements, one row each; a failing run in words."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from oneowner.checkers.engines.liveness.graph import MOST_STATES, Incomplete
from oneowner.checkers.engines.refine.refinement_walk import Failure, Walked, refinements_of, walk_all
from oneowner.checkers.ledger.families import bounds_under
from oneowner.checkers.ledger.family import Family
from oneowner.checkers.ledger.refinement_pins import Pin, pin_of
from oneowner.checkers.report.run_text import changes_in_words
from oneowner.checkers.scenarios.replay import Step
from oneowner.checkers.verdict import Misuse, Verdict, worst


@dataclass(frozen=True, slots=True)
class Row:
    """One refinement in one family."""

    pin: Pin
    verdict: Verdict
    seconds: float
    walked: Walked | None = None
    words: str = ""
    """Why it is not as expected, or why nothing is known."""

    @property
    def name(self) -> str:
        """Return the family and its faults."""
        return " + ".join((self.pin.family, *self.pin.faults))

    @property
    def is_expected(self) -> bool:
        return not self.words


def is_small(family: Family) -> bool:
    """Say whether the family's graph can be built whole."""
    return family.states <= MOST_STATES


def rows_of(family: Family, faults: tuple[str, ...], pinned: Sequence[Pin]) -> Iterator[Row]:
    """Yield a row for each refinement that the family's storage has."""
    bounds = bounds_under(family.bounds, family.system.default_release, faults)
    expected = [pin_of(pinned, family.full_name, faults, one.name) for one in refinements_of(bounds)]
    started = time.monotonic()
    try:
        if not is_small(family):
            raise Incomplete(f"there are more than {MOST_STATES:,} states")
        for pin, walked in zip(expected, walk_all(bounds), strict=True):
            verdict = Verdict.VALID if walked.failure is None else Verdict.INVALID
            words = pin.difference(walked)
            if not faults and walked.states != family.states:
                words = f"the graph has {walked.states:,} states, the ledger {family.states:,}"
            if not words and (words := pin.doubt(walked)):
                verdict = Verdict.UNKNOWN
            yield Row(pin, verdict, time.monotonic() - started, walked, words)
            started = time.monotonic()
    except (Incomplete, Misuse) as error:
        for pin in expected:
            yield Row(pin, Verdict.UNKNOWN, time.monotonic() - started, words=str(error))


def rows_of_family(family: Family, pinned: Sequence[Pin]) -> Iterator[Row]:
    """Yield the rows of *family* as it is, then those under the faults that are pinned for it."""
    under = [pin.faults for pin in pinned if pin.family == family.full_name]
    for faults in dict.fromkeys([(), *under]):
        yield from rows_of(family, faults, pinned)


def outcome(rows: Sequence[Row]) -> Verdict:
    """Return valid if everything is as expected, unknown where nothing is known, else invalid."""
    return worst(
        Verdict.VALID if row.is_expected else Verdict.UNKNOWN if row.verdict == Verdict.UNKNOWN else Verdict.INVALID
        for row in rows
    )


def taken_in_words(walked: Walked) -> str:
    """
    Return how often each abstract action was taken, and which never.

    An action that was never taken has shown nothing: the family has no occasion for it.
    """
    taken = ", ".join(f"{name} {walked.taken[name]:,}" for name in walked.refinement.actions if walked.taken[name])
    never = f"; never {', '.join(walked.never)}" if walked.never else ""
    return f"{taken or 'none'}{never}"


def never_taken(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return for each refinement the abstract actions that none of *rows* ever took."""
    walks = [row.walked for row in rows if row.walked is not None]
    refinements = {walked.refinement.name: walked.refinement for walked in walks}
    taken = {name: {one for walked in walks if walked.refinement.name == name for one in walked.taken}
             for name in refinements}  # fmt: skip
    never = {name: [one for one in refinement.actions if one not in taken[name]]
             for name, refinement in refinements.items()}  # fmt: skip
    return {name: actions for name, actions in never.items() if actions}


def failure_in_words(failure: Failure) -> Iterator[str]:
    """Yield a failing run line by line: what each step changes in the model, and in the end the abstract states."""
    width = max(len(str(action)) for action in failure.steps)
    pairs = pairwise(failure.states)
    for number, (action, (before, after)) in enumerate(zip(failure.steps, pairs, strict=True), 1):
        taken = Step(number, action, tuple(before.differences(after)), ())
        yield f"{number:4}  {action!s:{width}}  {'; '.join(changes_in_words(before.bounds, taken))}"
    for words, state, abstract in (
        ("before", failure.states[-2], failure.abstract_before),
        ("after", failure.states[-1], failure.abstract_after),
    ):
        for unit in range(1, state.bounds.units + 1):
            yield f"      {words:6} in the model: {state.bounds.system.story.standing(state)[unit - 1]}"
        yield f"      {words:6} in the abstract specification: {abstract}"
    yield "      no action of the abstract specification leads from one to the other"
