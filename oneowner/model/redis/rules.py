"""
``Rules`` holds as switches where releases of Redis Cluster differ, and ``RELEASES`` which release has which.

Read in ``cluster.c`` (``cluster_legacy.c`` since 7.4) and ``redis-cli.c`` of 3.0.0, 6.2.0, 7.0.0, 7.2.0 and 7.4.1; the
others were searched for each change (``tools.release_edges``).
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Rules:
    """The behaviour of a cluster, as 7.4.1 has it unless said otherwise."""

    loss_is_noticed: bool = True
    """A slot that its owner claims no more counts as unclaimed (#12344): ``owner_not_claiming_slot``."""
    doubt_ends_with_owner: bool = True
    """A slot that changes hands is in doubt no more (#12564): ``clusterDelSlot``."""
    demoted_hands_over: bool = True
    """The slots of a master that is a replica now are its master's (#13055), not nobody's: ``clusterProcessPacket``."""
    destination_first: bool = True
    """The destination of a migration is told first that it owns the slot (#10381): ``clusterManagerMoveSlot``."""
    importing_is_respected: bool = True
    """A node that imports a slot changes its owner by hand only: ``clusterUpdateSlotsConfigWith``."""
    missing_is_asked: bool = True
    """A node that migrates a slot answers ASK for a key that it does not have: ``getNodeByQuery``."""
    closing_bumps: bool = True
    """After an import a node takes a new epoch without consensus: ``clusterBumpConfigEpochWithoutConsensus``."""
    collision_is_resolved: bool = True
    """Of two masters with one epoch that of the smaller id takes another: ``clusterHandleConfigEpochCollision``."""
    votes_once: bool = True
    """A master votes once in an epoch (``lastVoteEpoch``): ``clusterSendFailoverAuthIfNeeded``."""
    vote_is_saved: bool = True
    """A vote is in ``nodes.conf`` before it is sent (commit 533d0e037)."""
    epoch_is_saved: bool = True
    """``nodes.conf`` is on disk before others hear of its contents (``fsync``): ``clusterBeforeSleep``."""
    waits_for_offset: bool = True
    """A manual fail-over begins once the replica has all that its paused master has: ``mf_can_start``."""
    slots_are_replicated: bool = False
    """Replicas have their master's SETSLOT before it answers (valkey#445): a repair, in no release of Redis."""


_BEFORE_7_4: Final = {"demoted_hands_over": False}
_NOTICING: Final = {**_BEFORE_7_4, "doubt_ends_with_owner": False}
_BEFORE_7_0_13: Final = {**_NOTICING, "loss_is_noticed": False}

RELEASES: Final = MappingProxyType(
    {
        "3.0.0": Rules(**_BEFORE_7_0_13, destination_first=False, vote_is_saved=False),
        "6.2.0": Rules(**_BEFORE_7_0_13, destination_first=False),
        **dict.fromkeys(("7.0.0", "7.0.12"), Rules(**_BEFORE_7_0_13)),
        **dict.fromkeys(("7.0.13", "7.0.15", "7.2.0", "7.2.3"), Rules(**_NOTICING)),
        "7.2.4": Rules(**_BEFORE_7_4),
        **dict.fromkeys(("7.4.0", "7.4.1"), Rules()),
    }
)
"""The rules of some releases, in the order of age."""
