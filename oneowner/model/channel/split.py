"""
The owner splits a bundle in two, step by step; a crash between two steps leaves something behind.

The owner does it alone, told by a Splitting record that names it as source: it gives itself the children,
moves the boundaries of the namespace in ZooKeeper, and deletes the parent. PIP-192 has only the actions
``Split``, ``Create`` and ``Discard``; the order of the steps and the boundaries are the implementation's
(models.H17), and the dialect ``pip-192`` has them too. Mirrors ``splitServiceUnitOnceAndRetry``, ``ownChildBundles``,
``updateSplitNamespaceBundlesAsync`` and ``handleDeleteEvent`` of ``ServiceUnitStateChannelImpl`` (v4.0.6).
"""

from oneowner.model.channel.channel import is_publishing, publish
from oneowner.model.channel.operators import ask_to_split
from oneowner.model.channel.parts import Ring, Run, SplitJob
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
from oneowner.model.channel.ring import FIRST_CHILD, PARENT, book_topics, is_cut, is_in_ring
from oneowner.model.channel.rules import Dialect
from oneowner.model.channel.sorts import BROKER, SPLIT_NUMBER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_room
from oneowner.model.kernel.releases import Switch

SPLITS = Budget(
    "splits", "How often a split of unit 1, the parent, into units 2 and 3 may be asked for; else no units overlap"
)

NESTED_SPLITS = Budget(
    "nested_splits",
    "How often a split of unit 2, the first child, into units 4 and 5 may be asked for",
    needs={"splits": "without splits there is no child"},
)

FAILED_SPLITS = Budget(
    "failed_splits",
    "How many splits may give up moving boundaries that have changed",
    needs={"splits other_splits": "only boundaries that another split changes are stale"},
    apart={"operators": "whom the failure is told is not modelled"},
)

OTHER_SPLITS = Budget(
    "other_splits",
    "How many other bundles of the namespace may be split meanwhile",
    needs={"splits": "without splits nobody knows boundaries"},
)

SPLIT_TRIES_ON = Switch("A split whose boundaries were stale seven times tries on (repair that no release has: N4).")

SPLIT_GOES_ON = Switch("A split that is begun again goes on where the boundaries are moved already (#19988).")

SPLIT_GIVEN_TOGETHER = Switch(
    "A clean-up gives a parent whose split is not over and its children to one broker; it waits until they are its own"
    " before it moves the boundaries (repair of bugs.H5).",
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
    says is not looked at, so a split that is taken over skips the children that the first one had written.
    Splits of two units do not know of each other, nor does one that is begun again of the one under way.
    """
    most = state.bounds.splits_at_once
    require_room(state.splitting[broker].length < most, "the broker is within its bound of splits under way")
    if state.bounds.nested_splits > 0 and unit == FIRST_CHILD:
        own_children(state, broker, FIRST_CHILD, record)
    else:
        own_children(state, broker, PARENT, record)


def own_children(state: State, broker: int, parent: int, record: Record) -> None:
    """Begin a split of *parent*, and publish its children."""
    state.splitting[broker] = state.splitting[broker].plus(SplitJob(record, False, parent))
    for child in range(2 * parent, 2 * parent + 2):
        if is_absent(state.view[broker, child]):
            publish(state, broker, child, Record(OWNED, broker, NOBODY, False, FIRST_VERSION), TOMBSTONE)


@action(
    broker=BROKER,
    number=SPLIT_NUMBER,
    budget=SPLITS,
    fairness=weak("ZooKeeper answers; a stale write is tried again, seven tries in all"),
)
def move_boundaries(state: State, broker: int, number: int = 1) -> None:
    """
    The splitting *broker* writes the namespace's boundaries with the parent of its *number*-th split cut in two.

    ZooKeeper compares versions, and with stale boundaries the split is tried again, 100 ms later: seven tries in all
    (``give_up_split``).

    Enabled: the broker is up and has that job, which has not moved them; no publish of a child is under way there, and
    its copy of the boundaries is ``ring``. Without ``split_goes_on`` they are not yet cut.
    Changes: ``ring`` and its copy are cut; the job has moved them, and goes to the end of the list.
    Mirrors: ``updateSplitNamespaceBundlesAsync``, ``LocalPoliciesResources.setLocalPoliciesWithVersion``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.splitting[broker].length >= number, JOB)
    job = state.splitting[broker][number]
    require(not job.moved, "the boundaries are not moved yet")
    if state.bounds.rules.children_first:
        require(not is_publishing_children(state, broker, job.unit), "the children are in the channel")
    if state.bounds.rules.split_given_together:
        require(owns_children(state, broker, job.unit), "it owns the children by its view")
    known = state.boundaries[broker]
    if not state.bounds.rules.split_goes_on:
        require(not is_cut(state, job.unit), "the boundaries still have the parent")
    if state.bounds.rules.boundaries_compared:
        require(known == state.ring, "the broker knows the current boundaries")
    moved = cut(known, job.unit)
    state.ring = moved
    state.boundaries[broker] = moved
    state.splitting[broker] = state.splitting[broker].without(number).plus(SplitJob(job.parent, True, job.unit))


@action(broker=BROKER, number=SPLIT_NUMBER, budget=FAILED_SPLITS, fairness=never("a perturbation"))
def give_up_split(state: State, broker: int, number: int = 1) -> None:
    """
    The splitting *broker* finds the boundaries stale for the seventh time, and gives its *number*-th split up.

    Enabled: the broker is up and has that job, which has not moved them; no publish of a child is under way there, and
    its copy of the boundaries is not ``ring``. Not with ``split_tries_on``.
    Changes: the job ends. The parent stays Splitting and the children Owned; only an in-flight time-out begins it anew.
    Mirrors: ``splitServiceUnitOnceAndRetry``.
    """
    require(state.failed_splits_left > 0, "the budget allows another split to fail")
    require(not state.bounds.rules.split_tries_on, "a split does not try for ever")
    require(state.run[broker] == Run.UP, UP)
    require(state.splitting[broker].length >= number, JOB)
    job = state.splitting[broker][number]
    require(not job.moved, "the boundaries are not moved yet")
    require(not is_publishing_children(state, broker, job.unit), "the children are in the channel")
    require(state.boundaries[broker] != state.ring, "what the broker knows of the boundaries is stale")
    state.failed_splits_left = state.failed_splits_left - 1
    state.splitting[broker] = state.splitting[broker].without(number)


def cut(ring: Ring, unit: int) -> Ring:
    """Return *ring* with *unit*, a parent, cut in two."""
    if unit == PARENT:
        return Ring(True, ring.others, ring.nested)
    return Ring(ring.split, ring.others, True)


def owns_children(state: State, broker: int, parent: int) -> bool:
    return all(
        owner(state.view[broker, child]) == broker
        for unit in range(PARENT, FIRST_CHILD + 1)
        if parent == unit
        for child in range(2 * unit, 2 * unit + 2)
    )


def is_publishing_children(state: State, broker: int, parent: int) -> bool:
    """Return whether a publish of a child of *parent* is under way at *broker*."""
    return any(
        is_publishing(state, broker, child)
        for unit in range(PARENT, FIRST_CHILD + 1)
        if parent == unit
        for child in range(2 * unit, 2 * unit + 2)
    )


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


@action(broker=BROKER, budget=OTHER_SPLITS, fairness=never("a command"))
def split_elsewhere(state: State, broker: int) -> None:
    """
    *broker* splits another bundle of the same namespace, and moves the boundaries that all its bundles share.

    Enabled: the broker is up, and its copy of the boundaries is ``ring``.
    Changes: ``others`` is one more in both.
    Mirrors: as ``move_boundaries``; the rest of that split is not modelled.
    """
    require(state.other_splits_left > 0, "the budget allows a split of another bundle")
    require(state.run[broker] == Run.UP, UP)
    require(state.boundaries[broker] == state.ring, "the broker knows the current boundaries")
    state.other_splits_left = state.other_splits_left - 1
    state.ring = Ring(state.ring.split, state.ring.others + 1, state.ring.nested)
    state.boundaries[broker] = state.ring


@action(broker=BROKER, budget=SPLITS, fairness=weak("ZooKeeper delivers every watch of a living session"))
def reload_boundaries(state: State, broker: int) -> None:
    """
    *broker* is told that the namespace's boundaries changed, and reads them.

    Enabled: the broker is up, and its copy of the boundaries is not ``ring``.
    Changes: it is.
    Mirrors: ``NamespaceBundleFactory.handleMetadataStoreNotification``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.boundaries[broker] != state.ring, "what the broker knows of the boundaries is stale")
    state.boundaries[broker] = state.ring
