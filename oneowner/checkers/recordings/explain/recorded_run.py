"""
One recorded run, read and folded as in an audit, with the reasons why its channel cannot be trusted, if there are any.

A line of the channel or of the ZooKeeper history that cannot be read ends the reading: the record that is lost could be
the one that explains the next. Ids that repeat or go back leave the order in doubt, and without any record there is
nothing to be explained.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.recordings.fold.channel_read import read_channel, unreadable_in
from oneowner.checkers.recordings.fold.chunk_reader import Summary, disorder, lines_before
from oneowner.checkers.recordings.fold.runs import Options, Run
from oneowner.checkers.recordings.laws.answers.clocks import leads_of
from oneowner.checkers.recordings.read.events import Origin, Position
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.verdict import Misuse, UnreadableInput

Place = Callable[[Origin], tuple[str, int]]
"""Returns the file of an origin, and the line there."""


class RecordedRun(NamedTuple):
    """The evidence of one run."""

    scene: Scene
    place: Place
    doubts: tuple[str, ...]
    """The reasons that keep a run from being accepted, whatever explains its records."""


def read_run(run: Run) -> RecordedRun:
    """Read *run*; raise what ``evidence_of`` raises."""
    check_cluster(run)
    channel = read_channel(run)
    scene, logs = gather(run, Options(), channel=channel)
    if (leads := leads_of(scene, logs)) is not None:
        return read_run(run.with_clocks(leads))
    return evidence_of(run, scene, [*channel.summaries, *scene.chunks])


def check_cluster(run: Run) -> None:
    """Raise Misuse if nothing identifies the cluster in the ZooKeeper history."""
    if run.chroot.own is None:
        raise Misuse(run.chroot.doubt)


def evidence_of(run: Run, gathered: Scene, summaries: Sequence[Summary]) -> RecordedRun:
    """
    Return the evidence of *run*; raise UnreadableInput for a line of its channel or history that could not be read.

    *summaries* are those of all chunks of its files. Raise Misuse if there is no history.
    """
    scene = gathered.without_logged()  # a run is explained by all of its records, or by none
    if Source.ZOOKEEPER not in scene.present:
        raise Misuse(
            f"{run.name}: no zookeeper*.jsonl[.gz] in it, which records when brokers were registered and elected"
        )
    of_channel = [one for one in summaries if one.chunk.kind in (run.source, FileKind.ZOOKEEPER)]
    unreadable = (unreadable_in(run, of_channel, summary) for summary in of_channel)
    damage = [*scene.damage.get(Source.ZOOKEEPER, ()), *filter(None, unreadable)]
    if damage:
        raise UnreadableInput(damage[0])
    before = lines_before(summaries)

    def place(origin: Origin) -> tuple[str, int]:
        return run.pieces[origin.piece].path, before[origin.piece, origin.chunk] + origin.line

    messages = scene.channel.timeline
    return RecordedRun(scene, place, (*_lacking(run, bool(messages)), *_disorder(messages, place)))


def _disorder(messages: Sequence[Step], place: Place) -> Iterator[str]:
    """Yield each message whose id repeats or goes back in its file, or occurs in two files."""
    last: dict[int, Position] = {}
    for step in sorted(messages, key=lambda step: step.origin):
        previous = last.get(step.origin.piece)
        if previous is not None and step.position <= previous:
            path, line = place(step.origin)
            yield f"{path}:{line}: {disorder(step.position, previous)}"
        last[step.origin.piece] = step.position
    for one, other in pairwise(messages):
        if one.position == other.position and one.origin.piece != other.origin.piece:
            path, line = place(other.origin)
            yield f"{path}:{line}: its message id occurs in another file too"


def _lacking(run: Run, is_there: bool) -> Iterator[str]:
    """Yield a doubt if there is no channel, or an empty one."""
    if run.source is None:
        hint = "; if zookeeper*.jsonl is its history, manifest.yaml must state it" if run.unread_history else ""
        absent = f"{Path(run.name).name}: there is no channel*.jsonl[.gz]"
        yield f"{absent}; without it the steps of the registry alone are replayed{hint}"
    elif not is_there:
        pieces = ", ".join(piece.path for piece in run.pieces if piece.kind == run.source)
        yield f"{pieces}: empty: no event of the channel"
