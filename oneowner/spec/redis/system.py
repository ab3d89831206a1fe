"""``SYSTEM`` describes Redis Cluster to the engines."""

from oneowner.model.handoff.requirement import NOBODY, Ownership
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.model.redis import bus, commands, failover, nodes, slots, state, tables
from oneowner.model.redis.bounds import Bounds
from oneowner.model.redis.rules import RELEASES, Rules
from oneowner.model.redis.state import State, claims
from oneowner.model.redis.state import nodes as all_nodes
from oneowner.model.redis.state import slots as all_slots
from oneowner.model.redis.story import STORY
from oneowner.spec.redis import key_laws, slot_laws, step_laws, vote_laws


def observed_ownership(now: State) -> Ownership:
    """Return the claimant of each slot by the highest epoch, for R0; no hand-overs; missed nodes have failed."""
    units = tuple(claimant(now, slot) for slot in all_slots(now))
    missed = {node for node in all_nodes(now) if any(now.failed[other, node] for other in all_nodes(now))}
    return Ownership(units, (None,) * len(units), frozenset(missed))


def claimant(now: State, slot: int) -> int:
    """Return who claims *slot* by the highest epoch, of two the smaller id; nobody, if nobody does."""
    found = [node for node in all_nodes(now) if claims(now, node, slot)]
    return max(found, key=lambda node: (now.epoch[node, node], -node), default=NOBODY)


SYSTEM = System(
    name="redis",
    title="Redis Cluster: slots that are claimed by epochs, migrated key by key, and failed over by votes",
    project="Redis Cluster",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    declared=declared_in((slots, commands, failover, nodes, bus)),
    modules=(slots, commands, failover, nodes, bus, tables, state, slot_laws, key_laws, vote_laws, step_laws),
    story=STORY,
    laws=found_in((key_laws, slot_laws, vote_laws, step_laws), (StateLaw, StepLaw)),
    liveness=found_in((key_laws, slot_laws, vote_laws), LivenessLaw),
    witnesses=found_in((key_laws, slot_laws, vote_laws), Witness),
    rules=Rules,
    releases=RELEASES,
    default_release="7.4.1",
    observe=observed_ownership,
    aliases=("redis-cluster",),
)
