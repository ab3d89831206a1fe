"""
A broker that shuts down finds nobody to take its units, and frees them by force.

It is the last one of its cluster (``last_stops``), the others have died or lost their sessions, or the policies refuse
them (``unplaced``). Mirrors ``ServiceUnitStateChannelImpl.overrideOwnership``, which publishes Free where
``selectBroker`` finds nobody, whether or not the clean-up is a graceful one (v4.0.6; channel.9).
"""

from oneowner.model.channel.channel import publish
from oneowner.model.channel.orphans import takes_part
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import FREE, NOBODY, Record, next_version
from oneowner.model.channel.recovery import former_owner, is_system, stays
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.shutdown import found, given_up_anew, require_scan, require_turn
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import strong
from oneowner.model.kernel.guards import require


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.stops_alone or (bounds.shutdowns and bounds.unplaced),
    fairness=strong("doCleanup flushes, then takes one unit after another"),
)
def free_own(state: State, broker: int, unit: int) -> None:
    """
    *broker*, which shuts down, gives up an entry that names it, and selects nobody: the unit becomes free by force.

    Until 3.0.2 and 3.1.2 the entry is left as it is, and until #23349 so is one without a former owner: a Free that
    names nobody could not be built.

    Enabled: as ``drain``, or as ``retry`` with ``shutdown_retries``, but its cache lists no other broker (one that
    shuts down does not count with ``shutdown_is_registered``), or the policies refuse all, which spends ``unplaced``.
    Changes: the unit is drained; a forced Free(source = the former owner), next version, is under way, so that the
    broker closes its topics and then deletes the entry.
    Mirrors: ``overrideOwnership``, ``selectBroker``; ``ExtensibleLoadManagerImpl.selectAsync``.
    """
    if state.bounds.rules.shutdown_retries and state.drained[broker, unit]:
        held = given_up_anew(state, broker, unit)
    else:
        require_scan(state, broker, unit)
        if is_system(state.bounds, unit):
            require_turn(state, broker)
        held = found(state, broker, unit)
        require(takes_part(held, broker), "the entry names the broker")
    require(has_session(state, broker), HAS_SESSION)
    if finds_another(state, broker):
        require(state.unplaced_left > 0, "the broker's registry cache lists no other one that may take the unit")
        state.unplaced_left = state.unplaced_left - 1
    state.drained[broker, unit] = True
    former = former_owner(held)
    if state.bounds.rules.frees_unplaced and (former != NOBODY or state.bounds.rules.free_names_nobody):
        publish(state, broker, unit, Record(FREE, NOBODY, former, True, next_version(held)), held)


def finds_another(state: State, broker: int) -> bool:
    """Return whether the registry cache of *broker* lists another one that it may give its units to."""
    return any(other != broker and state.known[broker, other] and stays(state, other) for other in brokers(state))
