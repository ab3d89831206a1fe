"""
A split writes the namespace's boundaries, which its brokers share, and begins again where they have changed meanwhile.

ZooKeeper compares versions. A split that has read stale boundaries begins again from the start, children and all.
Mirrors ``updateSplitNamespaceBundlesAsync`` and the retry in ``splitServiceUnitOnceAndRetry`` of
``ServiceUnitStateChannelImpl`` (v4.0.6; the same since 3.0.0).
"""

from oneowner.model.channel.combinations import used
from oneowner.model.channel.parts import Ring, Run, SplitJob
from oneowner.model.channel.record import is_absent, owner
from oneowner.model.channel.ring import FIRST_CHILD, PARENT, is_cut
from oneowner.model.channel.sorts import BROKER, SPLIT_NUMBER
from oneowner.model.channel.split import JOB, SPLITS, UP, owning_children
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

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


@action(broker=BROKER, number=SPLIT_NUMBER, budget=SPLITS, fairness=weak("ZooKeeper answers"))
def move_boundaries(state: State, broker: int, number: int = 1) -> None:
    """
    The splitting *broker* writes the namespace's boundaries with the parent of its *number*-th split cut in two.

    ZooKeeper compares versions: a split that has read others begins again (``retry_split``).

    Enabled: the broker is up and has that job, which has not moved them; no publish of a child that it waits for is
    under way, and it has read ``ring``. Without ``split_goes_on`` they are not yet cut.
    Changes: ``ring`` and the broker's copy are cut; the job has moved them, and goes to the end of the list.
    Mirrors: ``updateSplitNamespaceBundlesAsync``, ``LocalPoliciesResources.setLocalPoliciesWithVersion``.
    """
    job = job_with_children(state, broker, number)
    if state.bounds.rules.split_given_together:
        require(owns_children(state, broker, job.unit), "it owns the children by its view")
    if not state.bounds.rules.split_goes_on:
        require(not is_cut(state, job.unit), "the boundaries still have the parent")
    if state.bounds.rules.boundaries_compared:
        require(job.read == state.ring, "the split has read the current boundaries")
    moved = cut(job.read, job.unit)
    state.ring = moved
    state.boundaries[broker] = moved
    state.splitting[broker] = state.splitting[broker].without(number).plus(SplitJob(job.parent, True, job.unit))


def job_with_children(state: State, broker: int, number: int) -> SplitJob:
    """Return the *number*-th split of *broker*, which must be about to write the boundaries."""
    require(state.run[broker] == Run.UP, UP)
    require(state.splitting[broker].length >= number, JOB)
    job = state.splitting[broker][number]
    require(not job.moved, "the boundaries are not moved yet")
    require(job.awaited == 0, "the children are in the channel")
    return job


OTHERS_MOVE = "other_splits crashes expiries split_time_outs shutdowns safe_mode"
"""The bounds with which a split may find that another one has moved the boundaries."""

STALE = "the boundaries that the split has read are stale"


@action(
    broker=BROKER,
    number=SPLIT_NUMBER,
    when=lambda bounds: bounds.splits and (bounds.splits > 1 or used(bounds, OTHERS_MOVE)),
    fairness=weak("a stale write is tried again 100 ms later, seven tries in all"),
)
def retry_split(state: State, broker: int, number: int = 1) -> None:
    """
    The splitting *broker* finds the boundaries stale, and begins its *number*-th split again from the start.

    Tries are not counted: a split may begin again whenever that changes something.

    Enabled: the broker is up and has that job, which has not moved the boundaries; no publish of a child that it waits
    for is under way. It has read other boundaries than ``ring``, and its view lacks a child, or it knows others by now.
    Changes: as at first, it publishes the children that its view lacks, though it has done so before; without any it
    reads the boundaries that it knows.
    Mirrors: ``splitServiceUnitOnceAndRetry``, ``ownChildBundles``.
    """
    job = job_with_children(state, broker, number)
    require(state.bounds.rules.boundaries_compared and job.read != state.ring, STALE)
    lacks = lacks_children(state, broker, job.unit)
    require(lacks or state.boundaries[broker] != job.read, "another try changes something")
    again = owning_children(state, broker, job.unit, job.parent)
    jobs = state.splitting[broker]
    for place in range(1, state.bounds.splits_at_once + 1):
        if place <= jobs.length:
            jobs = jobs.without(1).plus(again if place == number else jobs[1])
    state.splitting[broker] = jobs


@action(broker=BROKER, number=SPLIT_NUMBER, budget=FAILED_SPLITS, fairness=never("a perturbation"))
def give_up_split(state: State, broker: int, number: int = 1) -> None:
    """
    The splitting *broker* finds the boundaries stale for the seventh time, and gives its *number*-th split up.

    Tries are not counted, so a run may give up at its first: of the six before, those that change nothing are no
    steps, and those of a broker whose view lacks a child publish it anew, which is refused while there is one.

    Enabled: the broker is up and has that job, which has not moved them; no publish of a child that it waits for is
    under way, and it has read other boundaries than ``ring``. Not with ``split_tries_on``.
    Changes: the job ends. The parent stays Splitting and the children Owned; only an in-flight time-out begins it anew.
    Mirrors: ``splitServiceUnitOnceAndRetry``.
    """
    require(state.failed_splits_left > 0, "the budget allows another split to fail")
    require(not state.bounds.rules.split_tries_on, "a split does not try for ever")
    job = job_with_children(state, broker, number)
    require(job.read != state.ring, STALE)
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


def lacks_children(state: State, broker: int, parent: int) -> bool:
    """Return whether the view of *broker* holds nothing for a child of *parent*."""
    return any(
        is_absent(state.view[broker, child])
        for unit in range(PARENT, FIRST_CHILD + 1)
        if parent == unit
        for child in range(2 * unit, 2 * unit + 2)
    )


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
