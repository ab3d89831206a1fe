"""
The files of one recorded run are read once and become a scene.

The name of a file decides its reader. A line that cannot be read is damage of its source, and everything else
of the file is kept. The manifest provides the configuration and the broker of each log, never its list of faults.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from oneowner.checkers.recordings.fold.channel_read import ChannelRead
from oneowner.checkers.recordings.fold.runs import METADATA_VIEW, SLACK, VIEW_CLASS, Options, Run
from oneowner.checkers.recordings.read.clock_leads import NO_LEADS
from oneowner.checkers.recordings.read.companion_files import (
    call_of,
    lookup_of,
    poll_of,
    send_of,
)
from oneowner.checkers.recordings.read.file_reads import Coverage
from oneowner.checkers.recordings.read.manifest import INTERVAL, SESSION, UNLOAD, WAIT
from oneowner.checkers.recordings.read.observations import Lookup, Source, moments_of
from oneowner.checkers.recordings.read.partition import Executor, in_turn
from oneowner.checkers.recordings.read.zookeeper import BROKERS, CHANNEL_PATHS
from oneowner.checkers.recordings.scene.broker_processes import CREATED
from oneowner.checkers.recordings.scene.lock_nodes import locks_of
from oneowner.checkers.recordings.scene.logged_channel import logged_channel
from oneowner.checkers.recordings.scene.logged_records import REQUEST
from oneowner.checkers.recordings.scene.migrations import (
    LOAD_MANAGER,
    RUNS,
    SYNCER,
    is_syncer,
    manager_change,
    migration_of,
)
from oneowner.checkers.recordings.scene.packed_logs import of_kinds
from oneowner.checkers.recordings.scene.run_files import Named, RunFiles
from oneowner.checkers.recordings.scene.scene import Limits, Scene
from oneowner.model.channel.rules import Storage

WATCHES: Final = "metadata-store"
"""The beginning of the name of threads that hand on notifications of ZooKeeper."""


def gather(
    run: Run,
    options: Options,
    executor: Executor = in_turn,
    is_packed: bool = False,
    channel: ChannelRead | None = None,
) -> tuple[Scene, list[Coverage]]:
    """
    Read all of *run*; return the scene, and the coverage of every log.

    *executor* reads the logs; most of their lines are kept on disk if they are many, or if all are to be *packed*.
    *channel* is the engine's reading of it; else it is read here.
    """
    scene = Scene(run.name, run.question.storage, Limits())
    reading = RunFiles(run)
    scene.release = run.manifest.judged_by.name
    scene.is_partial, scene.is_one_phase = run.question.partial, run.question.one_phase
    scene.clocks = run.clocks
    scene.channel = reading.channel(channel)
    scene.lookups = [
        _named(lookup, run.manifest.ports) for lookup in reading.lines("lookups", Source.LOOKUPS, lookup_of)
    ]
    scene.polls = list(reading.lines("owned", Source.POLLS, poll_of))
    scene.calls = list(reading.lines("actions", Source.CALLS, call_of))
    scene.sends = [send for send in reading.lines("clients", Source.SENDS, send_of) if send is not None]
    scene.writes = reading.writes()
    scene.boundaries, scene.bounded_at = reading.boundaries()
    known = {**run.manifest.logs, **options.logs}
    coverage = reading.logs(scene, known, executor, is_packed, _brokers(scene, run))
    if run.source is None and scene.said:
        if options.storage is None and VIEW_CLASS not in run.manifest.config:
            scene.storage = _storage_in_use(scene)
        _take_logged(scene)
    config = {**_printed_settings(scene), **run.manifest.config}
    scene.limits = _limits(config, run, options)
    scene.is_synced = is_syncer(config.get(SYNCER))
    syncers = (line.broker for line in scene.lines(RUNS))
    scene.migration = migration_of(run, config, syncers, scene.writes, bool(scene.channel.units))
    for seen in (scene.lookups, scene.polls, scene.calls, scene.sends):
        seen.sort(key=lambda item: (item.start, item.origin))
    scene.chunks, scene.unreadable = reading.summaries, reading.unreadable
    scene.present, scene.damage = frozenset(reading.present), {s: tuple(w) for s, w in reading.damage.items()}
    if not scene.migration:
        both = bool(locks_of(scene).held and scene.channel.units)
        scene.migration = manager_change(_managers(scene), scene.writes, both)
    # Locks from before a cluster moved to the channel prove nothing about it when its channel is missing.
    has_moved = any(write.path.startswith(CHANNEL_PATHS) for write in scene.writes)
    if locks_of(scene).held and (Source.CHANNEL in scene.present or not has_moved):
        scene.present |= {Source.LOCKS}
    brokers = _brokers(scene, run)
    scene.lookups = [_by_host(lookup, brokers) for lookup in scene.lookups]
    scene.polls = [poll._replace(asked=_of_host(poll.asked, brokers) or poll.asked) for poll in scene.polls]
    asked = [one.asked for one in scene.lookups] + [one.asked for one in scene.polls]
    scene.brokers = tuple(sorted({*brokers, *asked}))
    scene.start, scene.end = span_of(scene)
    return scene, coverage


def _storage_in_use(scene: Scene) -> Storage:
    """Return the storage of the channel by the view that brokers made of it last, or by the thread that feeds it."""
    made = [str(line.values.get("tableview")) for line in scene.lines(CREATED)]
    if made:
        return Storage.METADATA_STORE if made[-1].endswith(METADATA_VIEW) else Storage.SYSTEM_TOPIC
    fed = (next(iter(of_kinds(lines, *REQUEST)), None) for lines in scene.said.values())
    by_watch = any(line is not None and line.thread.startswith(WATCHES) for line in fed)
    return Storage.METADATA_STORE if by_watch else scene.storage


def _take_logged(scene: Scene) -> None:
    """Take the records that logs print for the channel: there is no other one."""
    processes = (
        ((life.broker, life.number), scene.said[life.broker][life.first : life.last])
        for lives in scene.lives.values()
        for life in lives
    )
    logged = logged_channel(processes, scene.storage, scene.clocks != NO_LEADS)
    if logged.records or logged.are_too_many:
        scene.logged, scene.channel = logged, logged.channel


def _named(lookup: Lookup, ports: Named) -> Lookup:
    """A lookup over the binary protocol names a broker by that port."""
    return lookup._replace(answer=ports.get(lookup.answer or "", lookup.answer))


def _by_host(lookup: Lookup, known: Sequence[str]) -> Lookup:
    """A broker may be asked, and named, by another of its ports than that of its id: it is the only one of its host."""
    return lookup._replace(
        asked=_of_host(lookup.asked, known) or lookup.asked,
        answer=_of_host(lookup.answer, known),
        redirect=_of_host(lookup.redirect, known),
    )


def _of_host(name: str | None, known: Sequence[str]) -> str | None:
    if name is None or name in known:
        return name
    there = [broker for broker in known if broker.rpartition(":")[0] == name.rpartition(":")[0]]
    return there[0] if len(there) == 1 else name


def _printed_settings(scene: Scene) -> dict[str, Any]:
    """Return the configuration that brokers print when they are ready: the one in effect."""
    return {name: value for line in scene.lines("broker-ready") for name, value in line.values["settings"].items()}


def _managers(scene: Scene) -> dict[str, set[str]]:
    """Return the classes of load managers that the log of each broker prints."""
    found: dict[str, set[str]] = {}
    for line in scene.lines("broker-ready"):
        if name := line.values["settings"].get(LOAD_MANAGER):
            found.setdefault(line.broker, set()).add(name)
    return found


def _limits(config: Mapping[str, Any], run: Run, options: Options) -> Limits:
    own = Limits()
    session = _number(config, SESSION, own.session)
    unavailable = max(own.unavailable, 3 * session) if SESSION in config else own.unavailable
    wait, monitor = _number(config, WAIT, own.in_flight_wait), 1000 * _number(config, INTERVAL, own.monitor // 1000)
    return Limits(
        session=session,
        in_flight_wait=wait,
        monitor=monitor,
        unload=_number(config, UNLOAD, own.unload),
        in_flight=wait + monitor + SLACK if options.in_flight_limit is None else options.in_flight_limit,
        dual_serving=options.dual_serving_limit,
        unavailable=unavailable if options.unavailable_limit is None else options.unavailable_limit,
        clock_skew=options.clock_skew,
    )


def _number(config: Mapping[str, Any], name: str, default: int) -> int:
    text = str(config.get(name, default))
    return int(text) if re.fullmatch("[0-9]{1,12}", text) else default


def _brokers(scene: Scene, run: Run) -> tuple[str, ...]:
    """Return the ids of brokers, by the channel, the logs, the registry, their own namespaces and the manifest."""
    named = {*run.manifest.logs.values(), *scene.said}
    named |= {write.path.removeprefix(BROKERS) for write in scene.writes if write.path.startswith(BROKERS)}
    named |= {name for poll in scene.polls for name in poll.heartbeats if ":" in name}
    named |= {held.broker for times in locks_of(scene).held.values() for held in times} - {""}
    named |= scene.channel.columns.brokers()
    return tuple(sorted(named))


def span_of(scene: Scene) -> tuple[int | None, int | None]:
    """Return the first and the last moment at which anything was seen."""
    times = [*scene.channel.timeline.span(), *(write.time for write in scene.writes)]
    times += moments_of([*scene.lookups, *scene.polls, *scene.calls, *scene.sends])
    times += [time for lives in scene.lives.values() for life in lives for time in (life.start, life.end)]
    return (min(times), max(times)) if times else (None, None)
