"""Rows of one kind, computed, printed and compared with their pins: the verbs ``logs`` and ``refine``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from rich.console import Console

from oneowner.checkers.catalogue.families import family_named, unreadable
from oneowner.checkers.catalogue.families import faults as known_faults
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.documents import read_document
from oneowner.checkers.ledger import refinement_pins
from oneowner.checkers.ledger.kinds import KINDS
from oneowner.checkers.ledger.log_pins import LOGS
from oneowner.checkers.ledger.pinned import Effort, Outcome, Pins, Row, row_of
from oneowner.checkers.ledger.refinement_rows import REFINED, Refined
from oneowner.checkers.ledger.refinement_rows import rows_in as refinements_in
from oneowner.checkers.report import text
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse, worst

R = TypeVar("R")
F = TypeVar("F")
OnProgress = Callable[[str], None] | None


def look(
    out: Console,
    on_progress: OnProgress,
    verb: str,
    kind: str,
    pins: Pins[R, F],
    rows: Mapping[str, R],
    doubts: Iterable[str] = (),
) -> Result:
    """Compute rows of a kind; print them, their differences from the pins, and the reasons for omitted rows."""
    found: list[tuple[R, F]] = []
    checked: list[Row] = []

    def check(row: R) -> Outcome:
        found.append((row, one := pins.find(row, Effort())))
        return pins.compare(row, one)

    for number, (name, row) in enumerate(rows.items(), 1):
        if on_progress is not None:
            on_progress(f"{name} ({number} of {len(rows)})")
        checked.append(row_of(kind, name, partial(check, row)))
    pins.show(out, found)
    result = Result(
        verb,
        worst(row.says for row in checked),
        [f"{row.name}: {reason}" for row in checked for reason in row.reasons],
        more={"rows": [row.as_json() for row in checked]},
    )
    result.doubted(doubts)
    text.verdict_line(out, f"{KINDS[kind].group}, {len(checked)} in all", result)
    return result


def show_logs(out: Console, on_progress: OnProgress, names: Sequence[str]) -> Result:
    """Judge the named sets of logs, or those that take seconds."""
    chosen = names or [name for name, _ in KINDS["logs"].rows("pr")]
    return look(out, on_progress, "logs", "logs", LOGS, {name: LOGS.read(name) for name in chosen})


def show_refinements(out: Console, on_progress: OnProgress, names: Sequence[str], faults: Sequence[str]) -> Result:
    """Walk the named families through their refinements under *faults*, or all families with their pinned faults."""
    turned = tuple(pick(known_faults(), fault, "fault").name for fault in faults)
    if turned and not names:
        raise Misuse("--fault requires a family")
    by_name = refinements_in(read_document(refinement_pins.PINS))
    if names:
        pinned = refinement_pins.pins()
        chosen = [family_named(name) for name in names]
        by_name = {family.full_name: Refined(family, (turned,), pinned) for family in chosen}
    left_out = [] if names else unreadable().values()
    return look(out, on_progress, "refine", "refinement", REFINED, by_name, left_out)
