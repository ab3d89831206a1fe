"""``SYSTEM`` describes the rebalances of a Kafka Streams group to the engines."""

from oneowner.model.handoff.requirement import NOBODY, Flight, Ownership
from oneowner.model.kafka.rebalance import failures, leader, members, movement, state
from oneowner.model.kafka.rebalance.bounds import Bounds
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.rules import RELEASES, Rules
from oneowner.model.kafka.rebalance.state import State, tasks
from oneowner.model.kafka.rebalance.story import STORY
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.spec.kafka import leader_laws, runner_laws, step_laws


def observed_ownership(now: State) -> Ownership:
    """
    Return who runs each task, for R0: a hand-over is announced by the assignment that withholds the task.

    From then on its owner is asked to give it back; what was begun is over when the heir has its part. A member that
    does not live, or is not in the group any more, has failed.
    """
    flights = tuple(Flight(now.giver[task], now.heir[task]) if now.heir[task] else None for task in tasks(now))
    owners = tuple(NOBODY if now.heir[task] else owner(now, task) for task in tasks(now))
    numbers = range(1, now.bounds.members + 1)
    return Ownership(owners, flights, frozenset(one for one in numbers if not now.up[one] or not now.listed[one]))


def owner(now: State, task: int) -> int:
    """Return the member of the group that has *task* active, or nobody."""
    found = [one for one in range(1, now.bounds.members + 1) if now.listed[one] and now.role[one, task] == Role.ACTIVE]
    return found[0] if found else NOBODY


SYSTEM = System(
    name="kafka",
    title="Rebalances of Kafka Streams (KIP-429, KIP-441): who runs a task, who warms up, who gives back first",
    project="Kafka",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    declared=declared_in((members, leader, failures)),
    modules=(members, leader, failures, movement, state, runner_laws, leader_laws, step_laws),
    story=STORY,
    laws=found_in((runner_laws, leader_laws, step_laws), (StateLaw, StepLaw)),
    liveness=found_in((runner_laws, leader_laws), LivenessLaw),
    witnesses=found_in((runner_laws, leader_laws), Witness),
    rules=Rules,
    releases=RELEASES,
    default_release="4.1.1",
    observe=observed_ownership,
    aliases=("kip-441",),
)
