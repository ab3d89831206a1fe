"""
The owner splits a bundle in two, step by step; a crash between two steps leaves something behind.

The owner does it alone, told by a Splitting record that names it as source: it gives itself the children,
moves the boundaries of the namespace in ZooKeeper, and deletes the parent. PIP-192 has only the actions
``Split``, ``Create`` and ``Discard``; the order of the steps and the boundaries are the implementation's
(models.H17), and the dialect ``pip-192`` has them too. Mirrors ``splitServiceUnitOnceAndRetry``, ``ownChildBundles``
and ``handleDeleteEvent`` of ``ServiceUnitStateChannelImpl`` (v4.0.6). The boundaries are written in ``boundaries``.
"""

from oneowner.model.channel.channel import publish
from oneowner.model.channel.operators import ask_to_split
from oneowner.model.channel.parts import Run, SplitJob
from oneowner.model.channel.record import (
    DELETED,
    FIRST_VERSION,
    NOBODY,
    OWNED,
    SPLITTING,
    TOMBSTONE,
    Record,
    is_absent,
    next_version,
    owner,
)
from oneowner.model.channel.ring import FIRST_CHILD, PARENT, book_topics, is_in_ring
from oneowner.model.channel.rules import Dialect
from oneowner.model.channel.sorts import BROKER, SPLIT_NUMBER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_room

SPLITS = Budget(
    "splits", "How often a split of unit 1, the parent, into units 2 and 3 may be asked for; else no units overlap"
)

NESTED_SPLITS = Budget(
    "nested_splits",
    "How often a split of unit 2, the first child, into units 4 and 5 may be asked for",
    needs={"splits": "without splits there is no child"},
)

UP = "the broker is up"
JOB = "the broker splits the parent"


@action(broker=BROKER, budget=SPLITS, fairness=never("a command"))
def split(state: State, broker: int) -> None:
    """
    *broker* serves a split of the parent: its owner shall cut it in two (P7).

    Enabled: the broker is up, and the parent, unit 1, is in its ring and has an owner by its view.
    Changes: Splitting(source = owner), next version, is under way.
    Mirrors: ``ExtensibleLoadManagerImpl.splitNamespaceBundleAsync``, ``publishSplitEventAsync``.
    """
    require(state.splits_left > 0, "the budget allows another split")
    state.splits_left = state.splits_left - 1
    command(state, broker, PARENT)


@action(broker=BROKER, when=lambda bounds: bounds.splits and bounds.nested_splits, fairness=never("a command"))
def split_child(state: State, broker: int) -> None:
    """
    *broker* serves a split of the first child, whose parent may still be Splitting or Deleted in the channel.

    Enabled: as ``split``, of the first child, unit 2.
    Changes: as ``split``, of unit 2.
    Mirrors: as ``split``, which asks for the boundaries and the entry of the bundle itself alone.
    """
    require(state.nested_splits_left > 0, "the budget allows another split of the child")
    state.nested_splits_left = state.nested_splits_left - 1
    command(state, broker, FIRST_CHILD)


def command(state: State, broker: int, unit: int) -> None:
    """Publish Splitting of *unit* for the owner that the broker's view names."""
    require(state.run[broker] == Run.UP, UP)
    require(is_in_ring(state, broker, unit), "the broker's boundaries have the unit")
    held = state.view[broker, unit]
    require(owner(held) != NOBODY, "the broker's view names an owner of the unit")
    if state.bounds.dialect == Dialect.PIP_192:
        require(held.state == OWNED and held.destination == broker, "the broker owns the unit that it splits")
    ask_to_split(state, broker, unit)
    publish(state, broker, unit, Record(SPLITTING, NOBODY, owner(held), False, next_version(held)), held)


def begin(state: State, broker: int, unit: int, record: Record) -> None:
    """
    Start what the source of a Splitting record owes: give itself the children (P8).

    Both are published at once, each only if the local view holds nothing for it (``ownChildBundles``). What an entry
    says is not looked at, so a split that is taken over skips the children that the first one had written. When the
    publishes have arrived, the split reads the boundaries.
    Splits of two units do not know of each other, nor does one that is begun again of the one under way.
    """
    most = state.bounds.splits_at_once
    require_room(state.splitting[broker].length < most, "the broker is within its bound of splits under way")
    state.splitting[broker] = state.splitting[broker].plus(owning_children(state, broker, unit, record))


def owning_children(state: State, broker: int, unit: int, record: Record) -> SplitJob:
    """Publish the children of *unit* that the view lacks; return the split that waits for them, or for none."""
    if state.bounds.nested_splits > 0 and unit == FIRST_CHILD:
        return own_children(state, broker, FIRST_CHILD, record)
    return own_children(state, broker, PARENT, record)


def own_children(state: State, broker: int, parent: int, record: Record) -> SplitJob:
    published = False
    for child in range(2 * parent, 2 * parent + 2):
        if is_absent(state.view[broker, child]):
            publish(state, broker, child, Record(OWNED, broker, NOBODY, False, FIRST_VERSION), TOMBSTONE)
            published = True
    if published and state.bounds.rules.children_first:
        return SplitJob(record, False, parent, state.outbox[broker].length)
    return SplitJob(record, False, parent, 0, state.boundaries[broker])


def learn_arrival(state: State, broker: int) -> None:
    """Let the splits of *broker* learn that its oldest publish has arrived; with its last child, one reads on."""
    if state.bounds.splits == 0:
        return
    jobs = state.splitting[broker]
    for number in range(1, state.bounds.splits_at_once + 1):
        if number <= jobs.length:
            jobs = jobs.without(1).plus(after_arrival(state, broker, jobs[1]))
    state.splitting[broker] = jobs


def after_arrival(state: State, broker: int, job: SplitJob) -> SplitJob:
    """Return *job* with one publish fewer before its last child, or with the boundaries that the broker knows."""
    if job.awaited == 0:
        return job
    if job.awaited == 1:
        return SplitJob(job.parent, False, job.unit, 0, state.boundaries[broker])
    return SplitJob(job.parent, False, job.unit, job.awaited - 1)


@action(broker=BROKER, number=SPLIT_NUMBER, budget=SPLITS, fairness=weak("follows at once"))
def delete_parent(state: State, broker: int, number: int = 1) -> None:
    """
    The splitting *broker* books its open topics under the children, and publishes Deleted for the parent (P9).

    Enabled: the broker is up, and that job has moved the boundaries.
    Changes: Deleted(source = that of the Splitting record, the version after it) is under way; topics open through the
    parent are open through its first child, or a child of that if it is cut; the job ends without waiting for Deleted
    to be written (channel.D5).
    Mirrors: ``splitServiceUnitOnceAndRetry``, ``BrokerService.refreshTopicToStatsMaps``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.splitting[broker].length >= number, JOB)
    job = state.splitting[broker][number]
    if state.bounds.rules.deleted_last:
        require(job.moved, "the boundaries are moved")
    state.splitting[broker] = state.splitting[broker].without(number)
    if state.bounds.dialect == Dialect.PIP_192:  # the parent is unloaded, and who reads that closes its topics
        publish(state, broker, job.unit, TOMBSTONE, job.parent)
        return
    deleted = Record(DELETED, NOBODY, job.parent.source, False, next_version(job.parent))
    publish(state, broker, job.unit, deleted, job.parent)
    book_topics(state, broker, job.unit)
