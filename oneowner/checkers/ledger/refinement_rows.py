"""Families through their refinements, one row each; a failing run in words."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from oneowner.checkers.catalogue.families import bounds_under, families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.documents import Document, parse_document
from oneowner.checkers.engines.liveness.graph import MOST_STATES, Incomplete
from oneowner.checkers.engines.refine.refinement_walk import Failure, Walked, refinements_of, walk_all
from oneowner.checkers.ledger import refinement_pins
from oneowner.checkers.ledger.pin_edit import with_values
from oneowner.checkers.ledger.pinned import Claim, Effort, Outcome, Pins
from oneowner.checkers.ledger.refinement_pins import Pin, pin_of, pins_in
from oneowner.checkers.report import text
from oneowner.checkers.report.run_text import changes_in_words
from oneowner.checkers.scenarios.replay import Step
from oneowner.checkers.verdict import Misuse, Verdict, worst
from oneowner.checkers.yaml_text import At


@dataclass(frozen=True, slots=True)
class Row:
    """One refinement in one family."""

    pin: Pin
    verdict: Verdict
    seconds: float
    walked: Walked | None = None
    words: str = ""
    """The reason for a deviation, or for an unknown result."""

    @property
    def name(self) -> str:
        return " + ".join((self.pin.family, *self.pin.faults))

    @property
    def is_expected(self) -> bool:
        return not self.words


def is_small(family: Family) -> bool:
    """Return whether the family's graph is known to be one that can be built whole."""
    return family.is_pinned and family.states <= MOST_STATES


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


class Refined(NamedTuple):
    """A family that is walked through its refinements, and their pins."""

    family: Family
    faults: tuple[tuple[str, ...], ...]
    """Under which faults, beside those that are pinned for it."""
    pins: Sequence[Pin]


def refined(family: Family, pinned: Sequence[Pin]) -> Refined:
    """Return *family* as it is, then under the faults that are pinned for it."""
    under = [pin.faults for pin in pinned if pin.family == family.full_name]
    return Refined(family, tuple(dict.fromkeys([(), *under])), pinned)


def rows_in(document: Document) -> dict[str, Refined]:
    """Return every family that has a refinement and is small enough to be walked, by name."""
    pinned = pins_in(document)
    there = families().items()
    return {name: refined(one, pinned) for name, one in there if is_small(one) and refinements_of(one.bounds)}


def find(row: Refined, effort: Effort) -> list[Row]:
    """Walk a family through its refinements, under each set of faults."""
    return [one for faults in row.faults for one in rows_of(row.family, faults, row.pins)]


def compare(row: Refined, found: Sequence[Row]) -> Outcome:
    """Report the refinements that are not as pinned, or have no occasion."""
    reasons = [f"{one.name}, {one.pin.refinement}: {one.words}" for one in found if one.words]
    if not found:
        reasons = ["no refinement is about it"]
    return Outcome(Verdict.VALID.value, outcome(found).value, reasons)


def doubts(row: Refined, found: Sequence[Row]) -> Iterator[str]:
    """Yield why what was found cannot be pinned."""
    for one in found:
        if one.walked is None or (not one.pin.faults and one.walked.states != row.family.states):
            yield f"{one.name}, {one.pin.refinement}: {one.words}"
        elif words := (now := one.pin.found(one.walked)).difference(one.walked) or now.doubt(one.walked):
            yield f"{one.name}, {one.pin.refinement}: {words}"


def written(path: Path, before: str, row: Refined, found: Sequence[Row]) -> str:
    """Return the text of the file with the walks; a refinement that has no row gets one at the end."""
    data = parse_document(path, before).data
    places = {_key(one): number for number, one in enumerate(data) if "taken" not in one}
    values: dict[At, Any] = {}
    for one in found:
        if one.walked is not None and (now := one.pin.found(one.walked)) != one.pin:
            faults = {"faults": list(now.faults)} if now.faults else {}
            count = {"steps": now.steps} if now.edges is None else {"edges": now.edges}
            reason = {"reason": now.reason} if now.reason else {}
            is_new = (key := (now.family, now.faults, now.refinement)) not in places
            at = places.setdefault(key, len(data) + sum(place >= len(data) for place in places.values()))
            if is_new or now.verdict != one.pin.verdict:
                named = {"family": now.family, **faults, "refinement": now.refinement}
                values[at,] = {**named, "verdict": now.verdict.value, **count, **reason}
            else:
                values |= {(at, name): number for name, number in count.items()}
    return with_values(before, values)


def claims(document: Document) -> Iterator[Claim]:
    """Yield the verdict of every refinement."""
    for number, row in enumerate(document.data):
        if "taken" not in row:
            family, faults, refinement = _key(row)
            yield Claim(family, " + ".join((*faults, refinement)), row["verdict"], (number, "reason"), is_row=True)


def _key(row: dict[str, Any]) -> tuple[str, tuple[str, ...], str]:
    return row["family"], tuple(row.get("faults", ())), row["refinement"]


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


def show(out: Console, rows: Sequence[tuple[Refined, Sequence[Row]]]) -> None:
    """Print the table, then every failing run, then the abstract actions that nothing takes."""
    table = text.table("family", "refinement", "verdict", "as expected", "states>", "steps>", "abstract actions")
    found = [one for _, walks in rows for one in walks]
    for row in found:
        counts = [f"{row.walked.states:,}", f"{row.walked.edges:,}"] if row.walked else ["", ""]
        taken = taken_in_words(row.walked) if row.walked else ""
        expected = text.styled("yes" if row.is_expected else "no")
        table.add_row(row.name, row.pin.refinement, text.styled(row.verdict), expected, *counts, taken)
    out.print(table)
    for row in found:
        if row.walked is not None and row.walked.failure is not None:
            out.print(f"{row.name}, {row.pin.refinement}: fails at step {len(row.walked.failure.steps)}")
            for line in failure_in_words(row.walked.failure):
                out.print(line)
    for refinement, actions in never_taken(found).items():
        out.print(f"{refinement}: never taken in any of these: {', '.join(actions)}")


def failure_in_words(failure: Failure) -> Iterator[str]:
    """Yield a failing run line by line: the changes of each step in the model, and in the end the abstract states."""
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


REFINED = Pins(
    files=lambda: dict.fromkeys(families(), refinement_pins.PINS),
    rows_in=rows_in,
    find=find,
    compare=compare,
    written=written,
    claims=claims,
    show=show,
    doubts=doubts,
)
