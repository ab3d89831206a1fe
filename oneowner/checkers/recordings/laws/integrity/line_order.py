"""
A report on the order of lines: threads and observers write their lines in the order of their times.

An appender of a log keeps the order of one thread, and a line has the time at which it was made. Threads among
themselves write out of order by milliseconds, or by a pause. The lines of lookups, polls and calls are written when
these end; a file in which that order is not kept at all has none. Innocent: a clock that was set back, two observers in
one file, equal lines within a millisecond except those that are written once; and whatever a process does more than
once, since an asynchronous appender that is full writes late, and a listener may be registered twice.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Final

import numpy as np

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.laws.integrity.contradictions import (
    Contradiction,
    Contradictions,
    gathered,
    told,
    told_of_all,
)
from oneowner.checkers.recordings.laws.scene_law import InParts, LawOutcome, SceneLaw, Scope
from oneowner.checkers.recordings.read.broker_logs import LAST
from oneowner.checkers.recordings.read.line_columns import LineColumns
from oneowner.checkers.recordings.read.observations import Call, LogEvent, Lookup, Poll, Request, Source
from oneowner.checkers.recordings.scene.broker_processes import all_lives, lines_of
from oneowner.checkers.recordings.scene.packed_logs import columns_of, of_kinds
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import iso, seconds
from oneowner.model.kernel.law import Severity

THREADS: Final = "threads-write-in-order"
ONCE: Final = ("registering", "registered", "elected", "session-event", "bundle-unloaded", "producer-created")
"""Events that a thread rarely logs twice in one millisecond: each stands for a round trip, or has a time in it."""
TWICE: Final = ("session-event", "bundle-unloaded")
"""Those of them that it may: a second listener has the same session, and a bundle without topics closes at once."""
RARE: Final = 100
"""One line in so many may be out of order for the others to have one."""


def _threads_write_in_order(scene: Scene) -> Contradictions:
    found: list[Contradiction] = []
    count = sum(len(lines) - len(of_kinds(lines, LAST)) for lines in scene.said.values())
    for life in all_lives(scene):
        lines = lines_of(scene, life)
        odd = [one for before, at in _odd_pairs(columns_of(lines)) for one in _after(lines[before], lines[at])]
        kinds = Counter(_kind(one) for one in odd)
        found += [one._replace(is_proof=kinds[_kind(one)] == 1 and _kind(one) not in TWICE) for one in odd]
    return gathered(count, found)


def _kind(one: Contradiction) -> str:
    """Return the event that a thread logs twice; empty for a line that is out of order."""
    before, line = one.shown
    assert isinstance(before, LogEvent)
    assert isinstance(line, LogEvent)
    return line.event if line.time == before.time else ""


def _odd_pairs(lines: LineColumns) -> list[tuple[int, int]]:
    """Return the lines that may not follow on each other in one thread, each with the line before it there."""
    threads, table = np.array([bool(name) for name in lines.threads], bool), lines.table
    named = np.flatnonzero(threads[table["thread"]] & ~lines.are((LAST,))) if len(table) else np.zeros(0, np.int64)
    order = named[np.argsort(table["thread"][named], kind="stable")]
    thread, event, time = (table[name][order] for name in ("thread", "event", "time"))
    is_back = time[1:] < time[:-1] - STEP
    is_twice = (event[1:] == event[:-1]) & (time[1:] == time[:-1]) & lines.are(ONCE)[order[1:]]
    odd = np.flatnonzero((thread[1:] == thread[:-1]) & (is_back | is_twice))
    return sorted(zip(order[odd].tolist(), order[odd + 1].tolist(), strict=True), key=itemgetter(1))


def _after(before: LogEvent, line: LogEvent) -> Iterator[Contradiction]:
    if line.time < before.time - STEP:
        why = (
            f"thread {line.thread} of {line.broker} wrote a line at {iso(line.time)} after one at {iso(before.time)}: "
            "its clock was set back, its appender was full, or a time is not its own"
        )
        yield Contradiction(why, (before, line), (line.broker,), line.unit)
    elif line.event in ONCE and (line.event, line.time, line.values) == (before.event, before.time, before.values):
        why = f"thread {line.thread} of {line.broker} says the same twice at {iso(line.time)}: {line.text}"
        yield Contradiction(why, (before, line), (line.broker,), line.unit)


def _are_in_order(kind: str, scene: Scene) -> LawOutcome:
    lines: list[Request] = sorted(getattr(scene, kind), key=lambda one: one.origin)
    backwards = [one for one in lines if one.end < one.start]
    found = [
        _of(one, f"ended {seconds(one.start - one.end)} before it began, at {iso(one.start)}") for one in backwards
    ]
    return told(f"{kind}-are-in-order", len(lines), [*found, *_repeated(lines), *_misplaced(lines)])


def _of(one: Request, words: str, is_proof: bool = True) -> Contradiction:
    what = f"{_FILES[type(one)]}: "
    what += f"a lookup of {one.topic} at " if isinstance(one, Lookup) else ""
    what += f"{one.action} at " if isinstance(one, Call) else "a poll of " if isinstance(one, Poll) else ""
    return Contradiction(f"{what}{one.asked} {words}", (one,), (one.asked,), is_proof=is_proof)


_FILES: Final[dict[type, str]] = {Lookup: "lookups.jsonl", Poll: "owned.jsonl", Call: "actions.jsonl"}


def _repeated(lines: Sequence[Request]) -> Iterator[Contradiction]:
    """Yield equal lines: two questions rarely begin and end at the same milliseconds."""
    for before, one in itertools.pairwise(lines):
        if before._replace(origin=one.origin) == one:
            yield _of(one, f"is written down twice, at {iso(one.start)}", is_proof=False)


def _misplaced(lines: Sequence[Request]) -> Iterator[Contradiction]:
    """Yield lines without which their neighbours are in order, where nearly all of the file is."""
    out = [
        one
        for before, one, after in zip(lines, lines[1:], lines[2:], strict=False)
        if before.end <= after.end + STEP and not before.end - STEP <= one.end <= after.end + STEP
    ]
    if len(out) * RARE <= len(lines) or len(out) == 1:
        for one in out:
            yield _of(one, f"that ended at {iso(one.end)} is not where its time belongs in its file", is_proof=False)


LAWS: Final = (
    SceneLaw(
        THREADS,
        "A thread of a broker writes its lines in the order of their times.",
        "ServiceUnitStateChannelImpl.handleEvent, whose lines one thread writes, as it does most",
        needs=(Source.LOGS,),
        judge=InParts(_threads_write_in_order, lambda _, parts: told_of_all(THREADS, parts)),
        scope=Scope.BROKER,
        severity=Severity.WARNING,
    ),
    *(
        SceneLaw(
            f"{kind}-are-in-order",
            f"{what} end after they begin, and each is written down once, when it ends.",
            f"NamespaceService.{mirrored}; docs/audit.md",
            needs=(source,),
            judge=partial(_are_in_order, kind),
            severity=Severity.WARNING,
        )
        for kind, what, mirrored, source in (
            ("lookups", "Lookups", "getBrokerServiceUrlAsync", Source.LOOKUPS),
            ("polls", "Polls of owned bundles", "getOwnedNameSpacesStatusAsync", Source.POLLS),
            ("calls", "Admin calls", "unloadNamespaceBundle", Source.CALLS),
        )
    ),
)
