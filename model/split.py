"""
How a bundle is split in two, step by step, and what a crash between two steps leaves behind.

The owner does it alone, told by a Splitting record that names it as source: it gives itself the children,
moves the boundaries of the namespace in ZooKeeper, and deletes the parent. PIP-192 has only the records
``Split``, ``Create`` and ``Discard``; the order of the steps and the boundaries are the implementation's
(models.H17). Mirrors ``splitServiceUnitOnceAndRetry``, ``ownChildBundles``,
``updateSplitNamespaceBundlesAsync`` and ``handleDeleteEvent`` of ``ServiceUnitStateChannelImpl`` (v4.0.6).
"""

from __future__ import annotations

from model.channel import is_publishing, publish
from model.guards import require, require_room
from model.parts import Ring, Run, SplitJob
from model.record import (
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
from model.ring import FIRST_CHILD, LAST_CHILD, PARENT, is_in_ring
from model.state import State

UP = "the broker is up"
JOB = "the broker splits the parent"


def split(state: State, broker: int) -> None:
    """
    *broker* serves a split of the parent: its owner shall cut it in two (P7).

    Enabled: the broker is up, its boundaries have the parent and its view names an owner, within the
    budget. Changes: Splitting(source = owner) is under way. Log: ``Splitting bundle: ..`` when the scheduler
    asks. Mirrors: ``ExtensibleLoadManagerImpl.splitNamespaceBundleAsync``, ``publishSplitEventAsync``.
    """
    require(state.splits_left > 0, "the budget allows another split")
    require(state.run[broker] == Run.UP, UP)
    require(is_in_ring(state, broker, PARENT), "the broker's boundaries have the parent")
    held = state.view[broker, PARENT]
    require(owner(held) != NOBODY, "the broker's view names an owner of the parent")
    state.splits_left = state.splits_left - 1
    publish(state, broker, PARENT, Record(SPLITTING, NOBODY, owner(held), False, next_version(held)), held)


def begin(state: State, broker: int, record: Record) -> None:
    """
    Start what the source of a Splitting record owes: give itself the children (P8).

    Both are published at once, each only if the local view holds nothing for it (``ownChildBundles``). What an entry
    says is not looked at, so a split that is taken over skips the children that the first one had written.
    """
    require_room(state.splitting[broker].length == 0, "the broker splits nothing else")
    state.splitting[broker] = state.splitting[broker].plus(SplitJob(record, False))
    for child in range(FIRST_CHILD, LAST_CHILD + 1):
        if is_absent(state.view[broker, child]):
            publish(state, broker, child, Record(OWNED, broker, NOBODY, False, FIRST_VERSION), TOMBSTONE)


def move_boundaries(state: State, broker: int) -> None:
    """
    The splitting *broker* writes the namespace's boundaries with the parent cut in two.

    Enabled: the broker is up and splits, the children that it published are in the channel, and the boundaries
    that it knows are the current ones: ZooKeeper compares versions, and with stale ones the split is tried
    again until they are not. Changes: the boundaries, and the broker knows them. Log: ``Failed to update
    bundle range in metadata store. Retrying`` while stale. Mirrors: ``updateSplitNamespaceBundlesAsync``,
    ``LocalPoliciesResources.setLocalPoliciesWithVersion``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.splitting[broker].length > 0, JOB)
    job = state.splitting[broker][1]
    require(not job.moved, "the boundaries are not moved yet")
    if state.bounds.rules.children_first:
        for child in range(FIRST_CHILD, LAST_CHILD + 1):
            require(not is_publishing(state, broker, child), "the children are in the channel")
    known = state.boundaries[broker]
    if state.bounds.rules.boundaries_compared:
        require(known == state.ring, "the broker knows the current boundaries")
    state.ring = Ring(True, known.others)
    state.boundaries[broker] = Ring(True, known.others)
    state.splitting[broker] = state.splitting[broker].without(1).plus(SplitJob(job.parent, True))


def delete_parent(state: State, broker: int) -> None:
    """
    The splitting *broker* books its open topics under the children, and publishes Deleted for the parent (P9).

    Enabled: the broker is up and has moved the boundaries. Changes: Deleted is under way, with the version
    after the Splitting record that the job began with; topics stay open, none is closed; the job ends without
    waiting for Deleted to be written (channel.D5). Log: ``Successfully split .. parent namespace-bundle to ..``.
    Mirrors: ``splitServiceUnitOnceAndRetry``, ``BrokerService.refreshTopicToStatsMaps``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.splitting[broker].length > 0, JOB)
    job = state.splitting[broker][1]
    if state.bounds.rules.deleted_last:
        require(job.moved, "the boundaries are moved")
    deleted = Record(DELETED, job.parent.destination, job.parent.source, False, next_version(job.parent))
    publish(state, broker, PARENT, deleted, job.parent)
    state.splitting[broker] = state.splitting[broker].without(1)
    if state.serving[broker, PARENT]:
        state.serving[broker, PARENT] = False
        state.serving[broker, FIRST_CHILD] = True


def split_elsewhere(state: State, broker: int) -> None:
    """
    *broker* splits another bundle of the same namespace, and moves the boundaries that all its bundles share.

    Enabled: the broker is up and knows the current boundaries, within the budget. Changes: the boundaries, and
    the broker knows them. Log: as for any split. Mirrors: as ``move_boundaries``; the rest of that split
    is not modelled.
    """
    require(state.other_splits_left > 0, "the budget allows a split of another bundle")
    require(state.run[broker] == Run.UP, UP)
    require(state.boundaries[broker] == state.ring, "the broker knows the current boundaries")
    state.other_splits_left = state.other_splits_left - 1
    state.ring = Ring(state.ring.split, state.ring.others + 1)
    state.boundaries[broker] = state.ring


def reload_boundaries(state: State, broker: int) -> None:
    """
    *broker* is told that the namespace's boundaries changed, and reads them.

    Enabled: the broker is up and what it knows is stale. Changes: its boundaries. Log: ``Policy updated for
    namespace .., refreshing the bundle cache.`` Mirrors:
    ``NamespaceBundleFactory.handleMetadataStoreNotification``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.boundaries[broker] != state.ring, "what the broker knows of the boundaries is stale")
    state.boundaries[broker] = state.ring
