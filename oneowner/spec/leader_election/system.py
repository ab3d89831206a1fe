"""``SYSTEM`` describes the election of a leader by Pulsar's coordination service to the engines."""

from oneowner.model.handoff.requirement import Ownership
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.model.leader_election import cache, callbacks, election, state, store
from oneowner.model.leader_election.bounds import BROKER, Bounds
from oneowner.model.leader_election.rules import READ, RELEASES, Rules
from oneowner.model.leader_election.state import State
from oneowner.model.leader_election.story import STORY
from oneowner.model.pulsar.classes import known_by
from oneowner.spec.leader_election import laws, step_laws
from oneowner.spec.leader_election.schedules import follow_schedule


def ownership(now: State) -> Ownership:
    """Return who leads by its node, for R0: there is one unit, no hand-over, and who has no session failed."""
    return Ownership((now.node,), (None,), frozenset(one for one in BROKER.range_of(now.bounds) if not now.live[one]))


SYSTEM = System(
    name="leader_election",
    title="LeaderElectionImpl: one leader by an ephemeral node, its brokers, sessions, caches and lost answers",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    needs_normalising=election.somebody_goes_on,
    normalise=election.go_on,
    declared=declared_in((callbacks, store)),
    modules=(callbacks, election, cache, store, state, laws, step_laws),
    story=STORY,
    laws=found_in((laws, step_laws), (StateLaw, StepLaw)),
    liveness=found_in((laws,), LivenessLaw),
    witnesses=found_in((laws,), Witness),
    rules=Rules,
    releases=RELEASES,
    known=known_by(READ),
    default_release="4.0.6",
    observe=ownership,
    schedules=follow_schedule,
    aliases=("pulsar-elections",),
)
