"""
A migration moves the owners of bundles to another place: the signs of one in a run (channel.11).

The channel moves between the topic and the metadata store: meanwhile each holds records of its own brokers, and copies
that the leader's syncer puts there, some of them unconditionally, after it has deleted all
(``ServiceUnitStateTableViewSyncer``). Or brokers restart one by one with the other load manager: those of the modular
one own bundles by locks, those of the extensible one by the channel, and neither sees the other's owners. That is no
history of one channel, or of one set of locks. An ordinary run must not pass for a migration by one inserted line, so
two signs of different sources are required.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.recordings.fold.file_names import is_dump
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.read.zookeeper import CREATES, LEADERS

SYNCER: Final = "loadBalancerServiceUnitTableViewSyncer"
RUNS: Final = "syncer-runs"
DYNAMIC: Final = "/admin/configuration"
"""The path of settings that an operator changed while brokers run (``DynamicConfigurationResources``)."""
NODES: Final = "/service_unit_state/"
LEAST: Final = 2
"""The number of signs that make a migration, and of brokers with a manager that are more than a forged line."""
LOAD_MANAGER: Final = "loadManagerClassName"
EXTENSIBLE: Final = "ExtensibleLoadManagerImpl"
"""The manager that owns bundles by the channel; all others own them by locks."""


def is_syncer(value: object) -> bool:
    """Return whether a value of the setting makes a syncer run."""
    return value not in (None, "", "None")


def migration_of(
    run: Run, config: Mapping[str, Any], syncers: Iterable[str], writes: Sequence[NodeWrite], records: bool
) -> str:
    """
    Return the evidence that the channel moves to its other store; empty if there is none.

    :param config: the configuration; :param syncers: brokers whose logs show that a syncer runs there.
    :param records: whether the channel's own source holds any.
    """
    signs: list[str] = []
    if syncers := sorted(set(syncers)):
        signs.append(f"a syncer ran at {' and '.join(syncers)}")
    has_topic = records if run.source == FileKind.CHANNEL else _has_dump(run)
    if has_topic and any(one.path.startswith(NODES) and one.data for one in writes):
        signs.append("topic and nodes are both written")
    if is_syncer(config.get(SYNCER)) or any(map(is_syncer, _set(writes))):
        signs.append(f"{SYNCER} is set")
    return f"the channel moves between its stores: {', and '.join(signs)}" if len(signs) >= LEAST else ""


def manager_change(managers: Mapping[str, Collection[str]], writes: Sequence[NodeWrite], both: bool) -> str:
    """
    Return the evidence that brokers change their load manager; empty if there is none.

    :param managers: of each broker, the classes that its log prints; :param both: whether locks of bundles were held,
    and the channel has records.
    """
    signs: list[str] = []
    by_channel = [broker for broker, some in managers.items() if any(name.endswith(EXTENSIBLE) for name in some)]
    by_locks = [broker for broker, some in managers.items() if any(not name.endswith(EXTENSIBLE) for name in some)]
    if by_channel and by_locks:
        signs.append(f"brokers ran with either load manager, {' and '.join(sorted(by_locks))} with that of locks")
    leaders = {one.path for one in writes if one.path in LEADERS and one.op in CREATES}
    if len(leaders) == len(LEADERS):
        signs.append("either manager elected a leader")
    if both:
        signs.append("bundles have locks and records")
    is_sure = min(len(by_channel), len(by_locks)) >= LEAST or len(signs) >= LEAST
    return f"ownership moves between locks and the channel: {', and '.join(signs)}" if is_sure else ""


def _has_dump(run: Run) -> bool:
    """Return whether the topic's dump is there beside a history of nodes: then it is not read."""
    return any(piece.kind == FileKind.SIDE and is_dump(Path(piece.path)) for piece in run.pieces)


def _set(writes: Iterable[NodeWrite]) -> Iterator[object]:
    """Yield each value that an operator gave the setting, by ZooKeeper's history."""
    for one in writes:
        if one.path == DYNAMIC and one.op in (*CREATES, "setData"):
            try:
                settings = json.loads(one.data or "{}")
            except (ValueError, RecursionError):
                continue
            yield settings.get(SYNCER) if isinstance(settings, dict) else None
