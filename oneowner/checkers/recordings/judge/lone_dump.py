"""
A dump of the channel without other evidence is checked for completeness and alteration, by its numbers and times.

Harmless, and so only a note or a warning: a producer that sends unconfirmed messages again, a number that is missing
because its send failed, which only logs show, a clock that was set back, and an entry that a reader of the compacted
topic does not get.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from oneowner.checkers.recordings.fold import runs as recorded
from oneowner.checkers.recordings.fold.channel_laws import STUCK
from oneowner.checkers.recordings.fold.chunk_reader import Summary
from oneowner.checkers.recordings.fold.numbered_runs import LATELY, STEP, Mark, Run, is_next, joined
from oneowner.checkers.recordings.fold.numbering import (
    ENTRIES,
    MOST_LISTED,
    SEQUENCES,
    TIMES,
    TWICE,
    NumberingBreak,
    breaks_between,
)
from oneowner.checkers.recordings.laws.answers.clocks import leads_of
from oneowner.checkers.recordings.laws.scene_verdict import Evidence
from oneowner.checkers.recordings.read.clock_leads import ClockLeads
from oneowner.checkers.recordings.read.events import Position, Tally
from oneowner.checkers.recordings.scene.gather import span_of
from oneowner.checkers.recordings.scene.run_files import RunFiles
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.checkers.times import seconds
from oneowner.model.kernel.law import Severity

LAWS = (ENTRIES, SEQUENCES, TIMES, TWICE)
MOST_COMPARED: Final = 100_000
"""Records of a dump whose clocks are always compared; of a longer one, if a hand-over takes too long by them."""


def clocks_of(run: recorded.Run, tally: Tally) -> ClockLeads | None:
    """Return the clocks of publishers that are to be corrected, by records that answer others; None: there are none."""
    if run.clocks.found or not (tally.events <= MOST_COMPARED or tally.violations[STUCK.name]):
        return None
    scene = Scene(run.name, run.question.storage, Limits(), channel=RunFiles(run).channel(), clocks=run.clocks)
    scene.start, scene.end = span_of(scene)
    return leads_of(scene, ())


def evidence_of(run: recorded.Run, summaries: Iterable[Summary]) -> Evidence:
    """
    Return the findings on the parts of the dump of a run, each by itself and in sequence, and on corrected clocks.

    Files that overlap in the topic are not judged: an entry that one lacks may be in another.
    """
    parts = sorted((summary for summary in summaries if summary.numbered.first is not None), key=_begin)
    if any(_is_amid(before, part) for before, part in pairwise(parts)):
        return Evidence(findings=run.clocks.found, doubts=run.clocks.doubts)
    exercised: Counter[str] = Counter()
    breaks: list[NumberingBreak] = []
    runs: dict[str, list[Run]] = {}
    for number, part in enumerate(parts):
        exercised.update(dict(part.numbered.exercised))
        breaks += part.numbered.breaks
        first, last = part.numbered.first, parts[number - 1].numbered.last if number else None
        if first is not None and last is not None:
            breaks += breaks_between(last, first)
        for numbered in part.numbered.runs:
            of_producer = runs.setdefault(numbered.producer, [])
            goes_on = bool(of_producer) and is_next(of_producer[-1].end, numbered.begin)
            of_producer.append(joined(of_producer.pop(), numbered) if goes_on else numbered)
    breaks += [one for some in runs.values() for one in breaks_of_runs(some)]
    if any(part.disorder is not None for part in parts):  # missing entries may be elsewhere
        breaks = [one for one in breaks if one.law != ENTRIES]
    breaks.sort(key=lambda one: (one.at.position, one.at.origin, one.law, one.why))
    proofs = [[one for one in breaks if one.law == law and one.is_proof] for law in LAWS]
    return Evidence(
        findings=(
            *run.clocks.found,
            *(one.finding() for law in LAWS for one in _of_law(law, breaks)[:MOST_LISTED]),
        ),
        doubts=(
            *run.clocks.doubts,
            *(f"{run.name}: {some[0].why}{_more(len(some) - 1)}" for some in proofs if some),
        ),
        reports=tuple((law, exercised[law]) for law in LAWS if exercised[law]),
    )


def _begin(part: Summary) -> tuple[Position, int, int]:
    assert part.numbered.first is not None
    return part.numbered.first.position, part.chunk.piece, part.chunk.number


def _is_amid(before: Summary, part: Summary) -> bool:
    """Return whether a part begins before another file ends."""
    last = before.numbered.last
    return part.chunk.piece != before.chunk.piece and last is not None and _begin(part)[0] <= last.position


def _of_law(law: str, breaks: Sequence[NumberingBreak]) -> list[NumberingBreak]:
    return [one for one in breaks if one.law == law]


def _more(count: int) -> str:
    return f" (and {count} more)" if count else ""


def breaks_of_runs(runs: Sequence[Run]) -> Iterator[NumberingBreak]:
    """Yield irregularities from one run of a producer to the next."""
    highest: Mark | None = None
    lately: dict[int, Mark] = {}
    for run in runs:
        begin, end = run.begin, run.end
        if highest is not None and begin.sequence > highest.sequence:
            yield from _told_of_step(run.producer, highest, begin)
        elif highest is not None:
            yield from _told_again(run, highest, lately)
        lately |= {mark.sequence: mark for mark in (*run.firsts(), *run.lasts()) if mark.sequence not in lately}
        highest = end if highest is None or end.sequence > highest.sequence else highest
        lately = {number: mark for number, mark in lately.items() if number > highest.sequence - LATELY}


def _told_of_step(name: str, highest: Mark, mark: Mark) -> Iterator[NumberingBreak]:
    """Yield numbers that a producer left out, and a publish time that goes back."""
    last, number = highest.sequence, mark.sequence
    if is_next(highest, mark):
        return
    if number > last + 1:
        numbers = f"number {last + 1} is" if number == last + 2 else f"numbers {last + 1} to {number - 1} are"
        why = f"{numbers} of producer {name} missing between {highest.message_id} and {mark.message_id}"
        yield NumberingBreak(SEQUENCES, why, mark)
    if mark.time < highest.time - STEP:
        why = f"producer {name} published {mark.message_id} after {highest.message_id}, by its own clock "
        yield NumberingBreak(TIMES, f"{why}{seconds(highest.time - mark.time)} before it", mark)


def _told_again(run: Run, highest: Mark, lately: dict[int, Mark]) -> Iterator[NumberingBreak]:
    """Yield the messages that a producer sent again, and whether each is the same."""
    again = [mark for mark in run.firsts() if mark.sequence <= highest.sequence]
    same = [mark for mark in again if (known := lately.get(mark.sequence)) is not None and _is_same(known, mark)]
    for mark in again:
        known = lately.get(mark.sequence)
        if known is None:
            why = (
                f"producer {run.producer} goes back from {highest.sequence} to {mark.sequence}, which it did not send "
            )
            yield NumberingBreak(SEQUENCES, f"{why}shortly before, at {mark.message_id}", mark)
            return
        if not _is_same(known, mark):
            why = f"producer {run.producer} sent two messages with number {mark.sequence}, {known.message_id} and "
            yield NumberingBreak(SEQUENCES, f"{why}{mark.message_id}: no client does that", mark, is_proof=True)
    if same and lately[same[0].sequence].message_id != same[0].message_id:  # else the dump repeats a message
        first, more = same[0], f" (and {len(same) - 1} more after it)" if len(same) > 1 else ""
        ids = f"{lately[first.sequence].message_id} and {first.message_id}"
        why = (
            f"producer {run.producer} sent message {first.sequence}{more} twice, as {ids}; without logs nobody says why"
        )
        yield NumberingBreak(TWICE, why, first, Severity.NOTE)


def _is_same(one: Mark, other: Mark) -> bool:
    return (one.key, one.made, one.said) == (other.key, other.made, other.said)
