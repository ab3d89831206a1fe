"""Inputs of the leader's reaction: an entry of a broker that is gone, an old entry, news of a registration."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from oneowner.model.channel import cleanup
from oneowner.model.channel.flights import end_flight
from oneowner.model.channel.parts import Metadata, Node, Run
from oneowner.model.channel.record import Record
from oneowner.model.channel.record_inputs import (
    BROKERS,
    read_record,
)
from oneowner.model.channel.recovery import free_orphan, override
from oneowner.model.channel.state import State
from oneowner.model.channel.step_inputs import (
    ASKED,
    GONE,
    LEADER,
    SPLITS,
    StepSizes,
    beginning,
    is_enabled,
    published,
    read_brokers,
    some_brokers,
    some_sound,
)
from oneowner.model.channel.tombstones import tombstone
from oneowner.model.kernel.decision import Choose

__traced__ = False  # inputs of decisions, concrete

OLD: Final = ("3.0.0", "3.1.0", "4.0.6")
"""Releases that override differently: no source is named, the broker that is gone, the former owner."""

MONITORS: Final = ("3.1.0", "3.1.2", "4.0.6")
"""Releases whose monitors differ: a hand-over goes back, what is Owned is deleted as well, neither."""

TIMED: Final[dict[str, Any]] = {"flight_timer": 1, "split_time_outs": 1, **SPLITS}


class Orphan(NamedTuple):
    """An entry that broker 3 meets when it cleans up after broker 2, and the broker that it selects; 0: nobody."""

    release: str
    entry: Record
    selected: int
    is_cleaned_up: bool
    """True if a clean-up of the broker that is selected is scheduled as well."""
    is_system: bool = False
    """True if the unit is a bundle of ``pulsar/system``."""


class Seen(NamedTuple):
    """An entry of an age that is too old for everything, which the monitor of broker 3 meets."""

    release: str
    entry: Record
    listed: tuple[int, ...]
    """The registered ones of brokers 1 and 2."""


class Pass(NamedTuple):
    """The monitor's reaction: the clean-ups that it may schedule, its publish, and its deletion of the entry."""

    clean_ups: tuple[int, ...]
    publishes: tuple[Record, ...]
    deletes: bool


class News(NamedTuple):
    """The notice of broker 2's registration that reaches broker 3, and the data by which broker 3 judges it."""

    leads: bool
    metadata: Metadata
    is_back: bool
    is_healthy: bool
    is_scheduled: bool


# ---- all inputs ----


def some_orphan(choose: Choose, sizes: StepSizes) -> Orphan:
    """Return an entry, and a broker that is selected for it."""
    release = OLD[choose(0, len(OLD) - 1)]
    selected = choose(0, LEADER)
    is_cleaned_up = choose(0, 1 if selected == ASKED else 0) == 1
    return Orphan(release, some_sound(choose, sizes), selected, is_cleaned_up, choose(0, 1) == 1)


def some_seen(choose: Choose, sizes: StepSizes) -> Seen:
    """Return an entry, and the registered brokers."""
    release = MONITORS[choose(0, len(MONITORS) - 1)]
    return Seen(release, some_sound(choose, sizes), some_brokers(choose))


def some_news(choose: Choose, sizes: StepSizes) -> News:
    """Return the notice, and the broker that it reaches."""
    leads, metadata = choose(0, 1) == 1, tuple(Metadata)[choose(0, len(Metadata) - 1)]
    return News(leads, metadata, choose(0, 1) == 1, choose(0, 1) == 1, choose(0, 1) == 1)


# ---- what is decided ----


def unregister(state: State, broker: int) -> None:
    """Let the process of *broker* be gone, and the leader know of it."""
    state.run[broker], state.node[broker], state.known[LEADER, broker] = Run.DOWN, Node.ABSENT, False


def overridden(orphan: Orphan) -> tuple[Record, ...]:
    """Return what the clean-up of broker 2 publishes for an entry: one record or none."""
    state = beginning(orphan.release, expiries=1, unplaced=1, safe_mode=1, system_units=int(orphan.is_system))
    unregister(state, GONE)
    state.cleaning[LEADER, GONE] = True
    state.view[LEADER, 1] = orphan.entry
    if orphan.selected:
        state.cleaning[LEADER, orphan.selected] |= orphan.is_cleaned_up
        is_enabled(override, state, LEADER, 1, orphan.selected)
    else:
        is_enabled(free_orphan, state, LEADER, 1)
    return published(state, LEADER)


def monitored(seen: Seen) -> Pass:
    """Return what the monitor does about an entry, were it old: a hand-over is given to the leader, if to anybody."""

    def prepared() -> State:
        state = beginning(seen.release, expiries=1, safe_mode=1, tombstones=1, **TIMED)
        for broker in (1, 2):
            if broker not in seen.listed:
                unregister(state, broker)
        state.view[LEADER, 1] = seen.entry
        return state

    clean_ups = tuple(gone for gone in (1, 2) if is_enabled(cleanup.monitor, prepared(), LEADER, gone))
    ended: list[Record] = []
    for destination in (*seen.listed, LEADER):
        state = prepared()
        if is_enabled(end_flight, state, LEADER, 1, destination):
            ended += published(state, LEADER)
    return Pass(clean_ups, tuple(ended), is_enabled(tombstone, prepared(), LEADER, 1))


def judged(news: News) -> bool:
    """Return whether a clean-up of broker 2 is scheduled at broker 3 after what it is told."""
    state = beginning(expiries=1, safe_mode=1)
    state.leader = LEADER if news.leads else ASKED
    state.metadata[LEADER] = news.metadata
    state.known[LEADER, GONE] = not news.is_back
    state.node[GONE] = Node.PRESENT if news.is_back else Node.ABSENT
    state.run[GONE] = Run.UP if news.is_healthy else Run.DOWN
    state.cleaning[LEADER, GONE] = news.is_scheduled
    cleanup.notice(state, LEADER, GONE)
    return bool(state.cleaning[LEADER, GONE])


# ---- inputs from facts ----


def read_orphan(row: Mapping[str, Any]) -> Orphan:
    """Return the input that a fact gives as ``entry`` and ``selected``, perhaps ``cleaned-up`` and ``system``."""
    return Orphan(row.get("release", "4.0.6"), read_record(row["entry"]), BROKERS[row["selected"]],
                  bool(row.get("cleaned-up")), bool(row.get("system")))  # fmt: skip


def read_seen(row: Mapping[str, Any]) -> Seen:
    """Return the input that a fact gives as ``entry`` and ``listed``."""
    return Seen(row.get("release", "4.0.6"), read_record(row["entry"]), read_brokers(row["listed"]))


def read_news(row: Mapping[str, Any]) -> News:
    """Return the input that a fact gives as ``leads``, ``metadata``, ``back``, ``healthy`` and ``scheduled``."""
    return News(bool(row["leads"]), Metadata(row["metadata"]), bool(row["back"]), bool(row["healthy"]),
                bool(row["scheduled"]))  # fmt: skip
