"""
The owner of a bundle splits it: it acquires the halves, writes the policies of the namespace, gives the bundle back.

The halves are acquired before they are in the policies. Nobody waits for that, but the store carries requests of one
session out in their order.
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require
from oneowner.model.lock_manager.bounds import BROKER, BUNDLE, Bounds
from oneowner.model.lock_manager.ownership import load_entry
from oneowner.model.lock_manager.state import NOBODY, Entry, Lock, State
from oneowner.model.lock_manager.topics import give_back


def wholes(bounds: Bounds) -> range | None:
    """Return the bundles that may be split, if there are splits."""
    return range(1, bounds.bundles + 1) if bounds.splits else None


WHOLE = BUNDLE.among(wholes)


@action(broker=BROKER, bundle=WHOLE, when=lambda bounds: bounds.splits, fairness=never("Nobody has to split."))
def begin_split(state: State, broker: int, bundle: int) -> None:
    """
    *broker* begins to split *bundle*: it reads the policies, and acquires the halves.

    Enabled: it owns the bundle, splits no other, and the policies have the bundle.
    Changes: it has read the policies; the halves are being acquired.
    Mirrors: ``NamespaceService.splitAndOwnBundleOnceAndRetry``, ``NamespaceBundleFactory.splitBundles``.
    """
    require(state.splits_left > 0, "the budget allows another split")
    require(state.splitting[broker] == NOBODY, "the broker splits no other bundle")
    require(state.entry[broker, bundle] == Entry.ACTIVE, "the broker owns the bundle")
    require(not state.cut[bundle], "the policies have the bundle")
    state.splits_left = state.splits_left - 1
    state.splitting[broker] = bundle
    read_policies(state, broker)
    load_entry(state, broker, bundle + state.bounds.bundles)


def read_policies(state: State, broker: int) -> None:
    """*broker* has a copy of the policies, and their version."""
    state.read_version[broker] = state.version
    for bundle in range(1, state.bounds.bundles + 1):
        state.read_cut[broker, bundle] = state.cut[bundle]


@action(broker=BROKER, bundle=WHOLE, when=lambda bounds: bounds.splits, fairness=weak("A split goes on."))
def write_policies(state: State, broker: int, bundle: int) -> None:
    """
    *broker* writes the policies with *bundle* in halves; if others have written meanwhile, it reads them anew.

    Enabled: it lives, has a session and splits the bundle; the request for the halves, sent before, is carried out.
    Changes: the policies are what it has read, with this bundle in halves, and one version on. The bundle is inactive,
    its topics are those of a half, and its lock is given back.
    Mirrors: ``NamespaceService.updateNamespaceBundles``, ``splitAndOwnBundleOnceAndRetry``.
    """
    require(state.up[broker] and state.live[broker], "the broker lives and has a session")
    require(state.splitting[broker] == bundle, "the broker splits the bundle")
    half = bundle + state.bounds.bundles
    require(state.lock[broker, half] != Lock.WANTED, "the request for the halves is carried out")
    if state.bounds.rules.split_checks_version and state.read_version[broker] != state.version:
        read_policies(state, broker)
        load_entry(state, broker, half)
    else:
        for other in range(1, state.bounds.bundles + 1):
            state.cut[other] = state.read_cut[broker, other] or other == bundle
        state.version = state.version + 1
        state.splitting[broker] = NOBODY
        forget_copy(state, broker)
        if state.serving[broker, bundle]:
            state.serving[broker, bundle] = False
            state.serving[broker, half] = True
        state.window[broker, bundle] = 0
        if state.entry[broker, bundle] == Entry.ACTIVE:
            state.entry[broker, bundle] = Entry.INACTIVE
        if state.bounds.rules.split_gives_parent_back:
            give_back(state, broker, bundle)


def forget_copy(state: State, broker: int) -> None:
    """Nobody asks for the copy of the policies any more."""
    state.read_version[broker] = 0
    for bundle in range(1, state.bounds.bundles + 1):
        state.read_cut[broker, bundle] = False


@action(
    broker=BROKER,
    bundle=WHOLE,
    when=lambda bounds: bounds.splits and bounds.stale_reports and not bounds.rules.split_asks_for_known,
    fairness=never("Nobody has to split."),
)
def split_from_old_report(state: State, broker: int, bundle: int) -> None:
    """
    The leader has an old report, and asks for the split of *bundle*, which was split: *broker* is to own it for that.

    Enabled: the broker lives and has no entry of the bundle; the policies have it in halves.
    Changes: the broker acquires it; the split then fails, since there is no such bundle.
    Mirrors: ``ModularLoadManagerImpl.checkNamespaceBundleSplit``; ``NamespacesBase.internalSplitNamespaceBundleAsync``
    (``PulsarWebResource.validateNamespaceBundleOwnershipAsync``, not read-only since #14680).
    """
    require(state.splits_left > 0, "the budget allows another split")
    require(state.up[broker] and state.entry[broker, bundle] == Entry.NONE, "the broker has no entry of the bundle")
    require(state.cut[bundle], "the policies have the bundle in halves")
    state.splits_left = state.splits_left - 1
    load_entry(state, broker, bundle)
