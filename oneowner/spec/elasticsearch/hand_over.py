"""
``observed_ownership`` shows a shard to R0, the requirement of a hand-over (``model.handoff``).

The owner is the member whose copy is in primary mode in the current primary term. A node that the master has removed
has failed, even if it takes itself for the primary: only the law ``single-primary-in-term`` judges it.
"""

from oneowner.model.elasticsearch.recovery import in_mode
from oneowner.model.elasticsearch.routing import is_primary, target_of
from oneowner.model.elasticsearch.state import Mode, State, nodes
from oneowner.model.handoff.requirement import NOBODY, Flight, Ownership


def observed_ownership(now: State) -> Ownership:
    """Return the owner of the shard, its next owner, and the nodes that have failed."""
    failed = frozenset(node for node in nodes(now) if not (now.up[node] and now.member[node]))
    own = owner(now)
    return Ownership((own,), (None if own else announced(now),), failed)


def owner(now: State) -> int:
    """Return the member in primary mode; while a source is handing over there is none."""
    for mode in (Mode.PRIMARY, Mode.TAKEN_OVER):
        for node in nodes(now):
            if now.mode[node] == mode and is_current(now, node) and in_mode(now, Mode.HANDING_OVER) == NOBODY:
                return node
    return NOBODY


def is_current(now: State, node: int) -> bool:
    return now.member[node] and now.copy_term[node] == now.term


def announced(now: State) -> Flight | None:
    """Return who gives the shard away, and who is to have it: by a hand-over that is on, or by the routing table."""
    giver = in_mode(now, Mode.HANDING_OVER)
    if giver:
        return Flight(giver, target_of(now))
    heirs = [node for node in nodes(now) if is_primary(now.role[node]) and now.up[node] and now.member[node]]
    return Flight(NOBODY, heirs[0]) if heirs else None
