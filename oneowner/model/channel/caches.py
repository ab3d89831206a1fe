"""
Caches of ZooKeeper's nodes miss a change here, as bugs.R59 made the registry cache do.

A watch tells once that a node changed, and the cache is read anew. Two bugs of the metadata cache (2.8 to 2.10) made
that fail; the switches ``refresh_before_invalidate`` and ``children_miss_cached`` bring them back. Sources:
``MetadataCacheImpl.refresh``, ``AbstractMetadataStore.childrenCache``; #11200, #11202, #14177, #14283, #20363.
"""

from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

REFRESH_BEFORE_INVALIDATE = Switch(
    "A refresh of a cache that began before a change may end after its notice, and keep what was (#11202, #14283).",
)


@action(
    observer=BROKER,
    broker=BROKER,
    when=lambda bounds: bounds.sessions_end and bounds.rules.refresh_before_invalidate,
    fairness=never("a race that is lost is a perturbation"),
)
def keep_old_entry(state: State, observer: int, broker: int) -> None:
    """
    A notice about *broker* changes nothing in the registry cache of *observer*.

    A refresh that read the old value before the change ends after the notice has invalidated the entry, and puts the
    old value back; the watch has fired, so nothing is told until the node changes once more.

    Enabled: the observer is up, and a notice about another broker is due: ``notice`` would be enabled.
    Changes: it is not any more, until the broker's node is made or vanishes.
    Mirrors: ``MetadataCacheImpl.refresh`` before #11202 and #14283.
    """
    require(state.bounds.rules.refresh_before_invalidate, "a refresh may end after the notice of a change")
    require(state.run[observer] == Run.UP, "the observer is up")
    require(observer != broker, "the broker is another one")
    registered = state.node[broker] != Node.ABSENT
    require(state.known[observer, broker] != registered, "the observer's cache differs from the registry")
    require(not state.session_ended[observer], "the observer has not lost its session unawares")
    require(not state.misled[observer, broker], "a notice about the broker is due")
    state.misled[observer, broker] = True


def announce(state: State, broker: int) -> None:
    """The registry node of *broker* has changed: whoever watches it will be told."""
    for observer in range(1, state.bounds.brokers + 1):
        state.misled[observer, broker] = False
