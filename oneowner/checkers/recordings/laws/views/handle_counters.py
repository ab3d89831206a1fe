"""
A law of the counters of handle requests, one per state and process: they come without gaps and repeats.
"""

from functools import partial
from typing import Final, NamedTuple

import numpy as np

from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, Scope, finding
from oneowner.checkers.recordings.laws.views.accused_brokers import MOST_LINES, few, says
from oneowner.checkers.recordings.laws.views.line_record_join import View, views
from oneowner.checkers.recordings.read.coded_table import Array, Codes
from oneowner.checkers.recordings.read.events import Finding
from oneowner.checkers.recordings.read.line_columns import NO_NUMBER
from oneowner.checkers.recordings.read.observations import LogEvent, Source
from oneowner.checkers.recordings.scene.broker_processes import STARTING
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.tables import Table, as_it_is
from oneowner.model.kernel.law import Severity


def counters_count(scene: Scene) -> LawOutcome:
    """
    The counters of handle requests, one per state and process, come without gaps and repeats.

    They count from the making of the channel (channel.13.2), so a gap means that lines are missing, or that debug mode
    was off meanwhile: then unlogged events may have happened all the same. A log that begins later than its process, or
    than its debug mode, has not the first numbers.
    """
    judged = LawOutcome()
    for view in views(scene):
        by_state = counted(view)
        judged.exercised += len(by_state)
        lacks = partial(gaps, is_from_one=_shows_all(view))
        missing = {state: found for state, lines in by_state.items() if (found := lacks(lines.counters))}
        twice = [line for lines in by_state.values() for line in _repeated(lines)]
        if missing:
            judged.findings.append(_has_gaps(view, missing))
            judged.doubts.append(f"the log of {view.life.broker} has gaps: {_ranges(missing)}")
        if twice:
            first = view.requests[twice[0]].said
            judged.doubts.append(f"{says(first)}, and {len(twice)} such lines come twice")
    return judged


class Counted(NamedTuple):
    """Handle requests of a view that were counted together: which they are among its requests, and their numbers."""

    lines: Array
    counters: Array


def counted(view: View) -> dict[str, Counted]:
    """Return the handle requests of a view by the state that they were counted under."""
    requests = view.requests
    counters = requests.table["counter"]
    names = ["Init", *(kind[0].value if kind else "" for kind in requests.kinds)]
    states = Codes()
    of_lines = states.of(names)[requests.table["kind"] + 1]
    is_counted = counters != NO_NUMBER
    found = {}
    for code in dict.fromkeys(of_lines[is_counted].tolist()):
        lines = np.flatnonzero(is_counted & (of_lines == code))
        found[states.names[code]] = Counted(lines, counters[lines])
    return found


def _shows_all(view: View) -> bool:
    """Return whether a log begins with its process, in debug mode: else it has no first numbers, and lacks none."""
    return view.lines[0].event == STARTING and view.life.debug_since == view.life.start


def gaps(counters: Array, is_from_one: bool = True) -> list[tuple[int, int]]:
    """Return the numbers below the highest that no line has, as ranges; if it *is_from_one*, also below the first."""
    before = np.concatenate([[0] if is_from_one else np.zeros(0, np.int64), np.unique(counters)])
    at = np.flatnonzero(before[1:] > before[:-1] + 1)
    return [(int(before[one]) + 1, int(before[one + 1]) - 1) for one in at]


def _lacking(view: View) -> list[tuple[int, int]]:
    """Return between which times handle requests are missing; not before the first of a state: debug mode may begin."""
    found: list[tuple[int, int]] = []
    for lines, counters in counted(view).values():
        order = np.argsort(counters, kind="stable")
        times = view.requests.table["time"][lines[order]]
        at = np.flatnonzero(np.diff(counters[order]) > 1)
        found += zip(times[at].tolist(), times[at + 1].tolist(), strict=True)
    return sorted(found)


Holes = dict[tuple[str, int], list[tuple[int, int]]]


def _holes(scene: Scene) -> Holes:
    return {(view.life.broker, view.life.number): found for view in views(scene) if (found := _lacking(view))}


def _of_both(one: Holes, other: Holes) -> Holes:
    return one | other


HOLES: Final = Table(_holes, _of_both, as_it_is)
"""By broker and number of its process: between which times its log lacks lines."""


def _repeated(counted: Counted) -> list[int]:
    """Return the lines whose number one before them has."""
    _, firsts = np.unique(counted.counters, return_index=True)
    is_first = np.zeros(len(counted.lines), bool)
    is_first[firsts] = True
    found: list[int] = counted.lines[~is_first].tolist()
    return found


def _has_gaps(view: View, missing: dict[str, list[tuple[int, int]]]) -> Finding:
    count = sum(high - low + 1 for ranges in missing.values() for low, high in ranges)
    around = list[LogEvent]()
    for state, ranges in missing.items():
        lines, counters = counted(view)[state]
        edges = [edge for low, high in ranges for edge in (low - 1, high + 1)]
        around += [view.requests[line].said for line in lines[np.isin(counters, edges)].tolist()]
    words = (
        f"{count} handle requests of {view.life.broker} are counted but not in its log ({_ranges(missing)}): lines are "
        "missing, or debug mode was off for a while"
    )
    return finding(
        "counters-count", Severity.WARNING, words, few(around), brokers=[view.life.broker], guard="log-has-gaps",
        repair="give the whole log, with its rotated pieces",
    )  # fmt: skip


def _ranges(missing: dict[str, list[tuple[int, int]]]) -> str:
    parts = [
        f"{state} " + ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in ranges[:MOST_LINES])
        for state, ranges in sorted(missing.items())
    ]
    return "; ".join(parts)


LAWS: Final = (
    SceneLaw(
        "counters-count",
        "Counters of handle requests have no gap and no repeat: no log line is missing.",
        "ServiceUnitStateChannelImpl.handleEvent",
        order=41,
        needs=(Source.LOGS, Source.DEBUG),
        judge=counters_count,
        scope=Scope.BROKER,
        uses=(Source.CHANNEL,),
        severity=Severity.WARNING,
    ),
)
