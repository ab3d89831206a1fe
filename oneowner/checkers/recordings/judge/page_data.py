"""
The page receives its data on recorded runs: intervals, lost races, and actions on the cluster.

The actions come from a run's manifest. They are for readers of the page alone; no law may see them.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from oneowner.checkers.documents import read_document
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.judge.finding_json import coverage_json, end_json
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS, SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_verdict import Evidence
from oneowner.checkers.recordings.laws.store_lanes import Failure
from oneowner.checkers.recordings.scene.timeline import Timeline
from oneowner.checkers.remote_files import place_of
from oneowner.checkers.results import Page, Stream
from oneowner.checkers.verdict import Misuse

SAID = {law.name: law.statement for law in RECORDING_LAWS}
"""Every law of an audit in a sentence."""
SERVERS = tuple(law.name for law in SCENE_LAWS if law.shows_servers)


def page_of(judgement: Judgement, runs: Sequence[Run], evidence: Mapping[int, Evidence] = MappingProxyType({})) -> Page:
    """Return the page's data on judged *runs*, with the *evidence* of each; names are those of the judgement."""
    names = tuple(one.run.name for one in judgement.runs)
    return Page(
        subject=names[0] if len(names) == 1 else f"{len(names)} runs",
        runs=names,
        refusals=Stream(judgement.refused),
        intervals=Stream(judgement.lasted),
        events=Stream(lambda: _events(judgement, runs)),
        lanes=[
            {"run": run, "broker": judgement.show(one.broker)}
            | {name: _times(timeline) for name, timeline in one._asdict().items() if name != "broker"}
            for run, known in evidence.items()
            for one in known.lanes
        ],
        stores=[
            {
                "run": run,
                "ZooKeeper": _failures(judgement, known.stores.zookeeper),
                "bookies": _failures(judgement, known.stores.bookies),
            }
            for run, known in evidence.items()
        ],
        unserved=[
            (run, judgement.show(one.unit), one.since, end_json(one.until))
            for run, known in evidence.items()
            for one in known.stores.unserved
        ],
        logs=[coverage_json(coverage) for one in judgement.runs for coverage in one.coverage],
        statements=SAID,
        laws_of_servers=SERVERS,
    )


def _times(timeline: Timeline | None) -> list[tuple[int, int | None]] | None:
    return None if timeline is None else [(since, end_json(until)) for since, until in timeline]


def _failures(judgement: Judgement, lane: Sequence[Failure] | None) -> list[Sequence[Any]] | None:
    if lane is None:
        return None
    return [(one.since, end_json(one.until), judgement.show(one.words), one.is_of_one) for one in lane]


def _events(judgement: Judgement, runs: Sequence[Run]) -> Iterator[tuple[int, int, str]]:
    for number, run in enumerate(runs):
        yield from ((number, time, judgement.show(words)) for time, words in done(run))


def done(run: Run) -> Iterator[tuple[int, str]]:
    """Yield the time (epoch milliseconds) and words of each action on processes in a manifest beside *run*."""
    folders = {place_of(piece.path).parent for piece in run.pieces}
    manifests = [path for folder in folders if (path := folder / "manifest.yaml").is_file()]
    if len(manifests) != 1:
        return
    try:
        data = read_document(manifests[0]).data
    except Misuse:  # which is a doubt of the run already
        return
    events = data.get("events") if isinstance(data, dict) else None
    for event in events if isinstance(events, list) else []:
        if isinstance(event, dict) and isinstance(event.get("t"), int) and {"event", "process"} <= set(event):
            yield event["t"], _words(run, event)


def _words(run: Run, event: dict[str, Any]) -> str:
    """Return an event in words; a process whose log the manifest names is called by its broker id, too."""
    broker = run.manifest.logs.get(f"{event['process']}.log")
    words = f"{event['event']} {event['process']}" + (f" ({broker})" if broker is not None else "")
    return f"{words}, {event['role']}" if "role" in event else words
