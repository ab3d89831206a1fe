"""``SYSTEM`` describes the lock of Pulsar's older load managers and registries to the engines."""

from oneowner.model.handoff.requirement import Ownership
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.model.locks import callbacks, lock, state, store
from oneowner.model.locks.bounds import CLIENT, Bounds
from oneowner.model.locks.rules import READ, RELEASES, Rules
from oneowner.model.locks.state import State
from oneowner.model.locks.story import STORY
from oneowner.model.pulsar.classes import known_by
from oneowner.spec.locks import laws, may_laws, step_laws
from oneowner.spec.locks.schedules import follow_schedule


def ownership(now: State) -> Ownership:
    """Return who holds the lock by its node, for R0: there is one unit, no hand-over, and who has no session failed."""
    return Ownership((now.node,), (None,), frozenset(one for one in CLIENT.range_of(now.bounds) if not now.live[one]))


SYSTEM = System(
    name="locks",
    title="ResourceLockImpl: one lock on an ephemeral node, its clients, sessions and lost answers",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    declared=declared_in((lock, store, callbacks)),
    modules=(lock, store, callbacks, state, laws, may_laws, step_laws),
    story=STORY,
    laws=found_in((laws, may_laws, step_laws), (StateLaw, StepLaw)),
    liveness=found_in((laws,), LivenessLaw),
    witnesses=found_in((laws,), Witness),
    rules=Rules,
    releases=RELEASES,
    known=known_by(READ),
    default_release="4.0.6",
    observe=ownership,
    schedules=follow_schedule,
    aliases=("pulsar-locks",),
)
