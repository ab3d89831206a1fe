"""``SYSTEM`` describes the lock-based manager of Pulsar 2.9, which lives on in 4.0, to the engines."""

from oneowner.model.handoff.requirement import Ownership
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.model.lock_manager import (
    lookup,
    monitoring,
    ownership,
    permits,
    sessions,
    split,
    state,
    stopping,
    topics,
)
from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.rules import READ, RELEASES, Rules
from oneowner.model.lock_manager.state import State, brokers, bundles
from oneowner.model.lock_manager.story import STORY
from oneowner.model.pulsar.classes import known_by
from oneowner.spec.lock_manager import (
    lookup_laws,
    may_laws,
    may_look_up_laws,
    monitoring_laws,
    ownership_laws,
    session_lemmas,
    step_laws,
)


def observed_ownership(now: State) -> Ownership:
    """
    Return the owner of each bundle by its node, for R0: no hand-over is announced; one without a session has failed.
    """
    units = tuple(now.node[bundle] for bundle in bundles(now))
    failed = frozenset(broker for broker in brokers(now) if not now.live[broker])
    return Ownership(units, (None,) * len(units), failed)


MECHANISMS = (ownership, topics, sessions, stopping, permits, lookup, monitoring, split)
LAWS = (ownership_laws, lookup_laws, monitoring_laws, may_laws, may_look_up_laws, step_laws)

SYSTEM = System(
    name="lock_manager",
    title="OwnershipCache and ModularLoadManagerImpl: bundles owned by nodes, lookups, splits, stops",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    declared=declared_in(MECHANISMS),
    modules=(*MECHANISMS, state, *LAWS, session_lemmas),
    story=STORY,
    laws=found_in(LAWS, (StateLaw, StepLaw)),
    liveness=found_in(LAWS, LivenessLaw),
    witnesses=found_in(LAWS, Witness),
    lemmas=session_lemmas.LEMMAS,
    rules=Rules,
    releases=RELEASES,
    known=known_by(READ),
    default_release="4.0.6",
    observe=observed_ownership,
    aliases=("lock-manager", "pulsar-lock-manager"),
)
