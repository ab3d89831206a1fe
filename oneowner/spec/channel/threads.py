"""One law of threads: recovery does not wait for load balancing."""

from oneowner.model.channel.parts import Run, Wait
from oneowner.model.channel.ranges import units
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, Status, always
from oneowner.spec.channel.recovery import takes_part_and_is_gone


def leader_sees_an_orphan(state: State) -> bool:
    """Return whether the leader, whose load manager can wait, lives and sees a unit whose owner is gone."""
    leader = state.leader
    if leader == NOBODY or not (state.bounds.sheddings or state.bounds.role_races):
        return False
    orphaned = any(takes_part_and_is_gone(state, leader, state.view[leader, unit]) for unit in units(state))
    return orphaned and state.run[leader] == Run.UP


@always(
    "recovery-has-its-thread",
    "UnloadScheduler.execute, ServiceUnitStateChannelImpl.scheduleCleanup, scheduleOwnershipMonitor",
    when=leader_sees_an_orphan,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def its_load_manager_waits_for_nothing(state: State) -> bool:
    """
    While the leader sees that the owner of a unit is gone, its load manager waits for nothing.

    (The thread that would override the orphan waits up to 60 s for a transfer that is lost, of a round of shedding.)
    """
    return state.waits_for[state.leader] == Wait.NOTHING
