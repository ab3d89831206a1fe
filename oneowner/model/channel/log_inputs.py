"""Inputs of the readers of a log, a compaction of one unit and the syncer's copy of a record; ranges of units."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from oneowner.model.channel.bounds import Bounds as ChannelBounds
from oneowner.model.channel.broker import take
from oneowner.model.channel.compactor import kept
from oneowner.model.channel.parts import Message, Ring
from oneowner.model.channel.record import ASSIGNING, INIT, OWNED, RELEASING, TOMBSTONE, Record
from oneowner.model.channel.record_inputs import one_of, read_record
from oneowner.model.channel.releases import RELEASES
from oneowner.model.channel.ring import is_there, overlap, share_topics
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.start import initial_states
from oneowner.model.channel.state import State
from oneowner.model.channel.syncer import copy_to_store
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

__traced__ = False  # inputs of decisions, concrete

RECORDS: Final = (
    TOMBSTONE,
    Record(ASSIGNING, 1, version=1),
    Record(OWNED, 1, version=2),
    Record(OWNED, 2, version=2),
    Record(RELEASING, 2, 1, version=3),
    Record(OWNED, 2, 1, True, 3),
    Record(ASSIGNING, 2, 1, version=4),
    Record(INIT, 1, version=1),
)
"""A hand-over, a rival, a forced record, one behind a gap, one that no table takes: each may follow each in a log."""

COPYING: Final = ("4.0.6", "5.0.1")
"""Releases whose syncer drops tombstones, and copies them."""


EQUALITIES: Final = ("4.0.4", "4.0.6")
"""Releases in which two records of one version are equal, and in which they are not (#24186)."""


@dataclass(frozen=True, slots=True)
class LogSizes(Bounds):
    """The length of a log."""

    records: int = size(2, "how many records a log has at most", least=1)


@dataclass(frozen=True, slots=True)
class RingSizes(Bounds):
    """The bounds of rings, in which a child may be split as well."""

    nested: int = size(1, "1: the first child may be a parent as well")


class Compacted(NamedTuple):
    """A log, the part that an earlier compaction has read, and the record of unit 1 that it kept."""

    before: Record
    log: tuple[Message, ...]
    horizon: int


class Copied(NamedTuple):
    """A log whose last record the syncer reads, and the node of unit 1 in the metadata store."""

    release: str
    node: Record
    log: tuple[Message, ...]


class Noticed(NamedTuple):
    """An entry of a view in the metadata store, and the node's entry when its broker is notified."""

    release: str
    view: Record
    node: Record


class Units(NamedTuple):
    """Two units of a split, and the boundaries that somebody knows."""

    is_nested: bool
    ring: Ring
    one: int
    other: int


class Places(NamedTuple):
    """The relations of two units: whether they overlap or share topics, and whether the first is a bundle."""

    overlap: bool
    share_topics: bool
    is_there: bool


# ---- all inputs ----


def some_log(choose: Choose, sizes: LogSizes, least: int = 0) -> tuple[Message, ...]:
    """Return a log of unit 1, in which one record may be another unit's."""
    records = tuple(one_of(choose, RECORDS) for _ in range(choose(least, sizes.records)))
    foreign = choose(0, len(records))  # of the other unit; 0: none
    return tuple(Message(2 if number == foreign else 1, record) for number, record in enumerate(records, 1))


def some_compacted(choose: Choose, sizes: LogSizes) -> Compacted:
    """Return a log and its horizon."""
    log = some_log(choose, sizes)
    horizon = choose(0, len(log))
    before = one_of(choose, RECORDS[:5]) if horizon else TOMBSTONE
    return Compacted(before, log, horizon)


def some_copied(choose: Choose, sizes: LogSizes) -> Copied:
    """Return a log that ends with the copied record, and a node."""
    release = COPYING[choose(0, 1)]
    return Copied(release, one_of(choose, RECORDS[:5]), some_log(choose, sizes, 1))


def some_noticed(choose: Choose, sizes: LogSizes) -> Noticed:
    """Return a view and a node."""
    return Noticed(EQUALITIES[choose(0, 1)], one_of(choose, RECORDS), one_of(choose, RECORDS))


def some_units(choose: Choose, sizes: RingSizes) -> Units:
    """Return two units, and boundaries: the first child is cut only where its parent is."""
    is_nested = choose(0, sizes.nested) == 1
    cuts = choose(0, 2 if is_nested else 1)
    most = 5 if is_nested else 3
    return Units(is_nested, Ring(cuts > 0, 0, cuts > 1), choose(1, most), choose(1, most))


# ---- what is decided ----


@cache
def blank(release: str, **sizes: Any) -> State:
    """Return the state that all inputs under the rules of a release begin with."""
    return initial_states(ChannelBounds(units=2, window=9, rules=RELEASES[release], **sizes))[0]


def kept_of(compacted: Compacted) -> Record:
    """Return what a compaction of the whole log keeps of unit 1."""
    state = blank("4.0.6", compactions=1).draft()
    for message in compacted.log:
        state.log = state.log.plus(message)
    state.horizon = compacted.horizon
    state.ledger[1] = compacted.before
    return kept(state, 1)


def copied_to(copied: Copied) -> Record:
    """Return what the node of unit 1 holds once the last record is copied."""
    state = blank(copied.release, synced=1).draft()
    for message in copied.log:
        state.log = state.log.plus(message)
    state.copied = len(copied.log) - 1
    state.nodes[1] = copied.node
    copy_to_store(state)
    return Record(*state.nodes[1])


def viewed(noticed: Noticed) -> Record:
    """Return what the view holds once its broker has looked."""
    state = blank(noticed.release, storage=Storage.METADATA_STORE).draft()
    state.view[1, 1], state.base[1], state.changed[1, 1] = noticed.view, noticed.node, True
    take(state, 1, 1)
    return Record(*state.view[1, 1])


def placed(units: Units) -> Places:
    """Return how two units lie to each other, and whether the first one is a bundle."""
    bounds = ChannelBounds(splits=1, pending=2, nested_splits=1 if units.is_nested else 0,
                           units=5 if units.is_nested else 3)  # fmt: skip
    return Places(
        overlap(bounds, units.one, units.other),
        share_topics(bounds, units.one, units.other),
        is_there(bounds, units.ring, units.one),
    )


# ---- inputs from facts ----


def read_log(rows: list[Any]) -> tuple[Message, ...]:
    """Return the log that a fact gives as a list of records, all of unit 1."""
    return tuple(Message(1, read_record(row)) for row in rows)


def read_compacted(row: Mapping[str, Any]) -> Compacted:
    """Return the input that a fact gives as ``before``, ``log`` and ``horizon``."""
    return Compacted(read_record(row.get("before")), read_log(row["log"]), int(row.get("horizon", 0)))


def read_copied(row: Mapping[str, Any]) -> Copied:
    """Return the input that a fact gives as ``node`` and ``log``."""
    return Copied(row.get("release", "4.0.6"), read_record(row["node"]), read_log(row["log"]))


def read_noticed(row: Mapping[str, Any]) -> Noticed:
    """Return the input that a fact gives as ``view`` and ``node``."""
    return Noticed(row.get("release", "4.0.6"), read_record(row["view"]), read_record(row["node"]))


def read_units(row: Mapping[str, Any]) -> Units:
    """Return the input that a fact gives as ``nested``, ``cuts`` (0, 1 or 2), ``one`` and ``other``."""
    return Units(bool(row["nested"]), Ring(row["cuts"] > 0, 0, row["cuts"] > 1), int(row["one"]), int(row["other"]))
